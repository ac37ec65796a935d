"""assay weights, as a command."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli.lookup import weights_command as command
from assay.errors import AssayError
from assay.tasks.tags.weights import load_weights


@pytest.fixture
def run():
    def call(*arguments):
        done = CliRunner().invoke(command, list(arguments))
        if done.exception and isinstance(done.exception, AssayError):
            raise done.exception
        return done

    return call


LEXICON = "uda\tudać\tfin:sg:ter:perf\nuda\tudo\tsubst:pl:nom.acc:n\ndom\tdom\tsubst:sg:nom.acc:m3\ni\ti\tconj\n"


def test_ambiguity_to_standard_output(run, file):
    done = run("ambiguity", file("l.tsv", LEXICON + "x\tx\tign\n"), "--tagset", "nkjp")
    assert done.exit_code == 0
    data = json.loads(done.stdout)
    assert data["kind"] == "wpa"
    assert data["w"] == {"pos": "4/3", "aspect": 1, "case": 2, "gender": 1, "number": "3/2", "person": 1}
    assert done.stderr == "warning: 1 entry left out as unknown (ign only).\n"


def test_ambiguity_to_a_file_conditional_and_normalised(run, file):
    path = file("l.tsv", LEXICON)
    done = run("ambiguity", path, "--tagset", "nkjp", "--conditional", "--normalise", "-o", "w.json")
    assert (done.exit_code, done.stdout) == (0, "")
    weights = load_weights("w.json")
    assert weights.kind == "cwpa"
    assert sum(weight for table in weights.rows.values() for weight in table.values()) == 1
    assert weights.of("subst", "case") == 2 * weights.of("subst", "gender")


def test_ambiguity_of_own_words_needs_conditional_weights(run, file):
    with pytest.raises(AssayError) as caught:
        run("ambiguity", file("l.tsv", LEXICON), "--tagset", "nkjp", "--pos-conditional")
    assert str(caught.value) == "--pos-conditional needs conditional weights. Add --conditional."
    done = run("ambiguity", "l.tsv", "--tagset", "nkjp", "--pos-conditional", "--conditional", "--excess")
    assert json.loads(done.stdout)["w"]["subst"] == {"pos": "1/2", "case": 1, "gender": 0, "number": 0}
    assert done.stderr.startswith("warning: the total weight is 0 for class ")


def test_rules(run, file):
    file("g.json", '{"PP": [{"refers": ["pos","case"]}, {"refers": ["case"], "repeat": true}]}')
    file("u.jsonl", '{"id": "s1", "rules": [["PP", [3, 4, 5]]]}\n')
    done = run("rules", "u.jsonl", "--grammar", "g.json", "--tagset", "nkjp")
    assert json.loads(done.stdout)["w"] == {"pos": 1, "case": 3, "*": 0}
    assert done.stderr == ""
    assert json.loads(run("rules", "u.jsonl", "--grammar", "g.json").stdout)["source"] == "parser-rules"


def test_queries(run, file):
    file("log", "3\t[case=acc & pos=subst]\n[case\n")
    file("a.tsv", "x\tcase\n")
    done = run("queries", "log", "--tagset", "nkjp", "--aliases", "a.tsv", "--unit", "mentions")
    assert json.loads(done.stdout)["w"] == {"pos": 3, "case": 3, "*": 0}
    assert done.stderr == (
        "warning: 1 line of log could not be read.\n"
        "warning: log:2: an operator is expected after case at character 6: [case\n"
    )
    file("c.tsv", "domu\tsubst:sg:acc:m3\n")
    done = run("queries", "log", "--tagset", "nkjp", "--corpus", "c.tsv", "--column", "2", "--count", "words")
    assert json.loads(done.stdout)["w"] == {"subst": {"pos": 3, "case": 3}, "*": {"*": 0}}


def test_nothing_is_written_where_something_is_wrong(run, file):
    with pytest.raises(AssayError):
        run("queries", file("log", "uda\n"), "--tagset", "nkjp", "-o", "w.json")
    with pytest.raises(AssayError) as caught:
        run("queries", "log", "--tagset", "nkpj")
    assert str(caught.value).startswith("there is no tagset 'nkpj'. Did you mean nkjp")
    assert not Path("w.json").exists()


@pytest.mark.parametrize("arguments", [(), ("ambiguity",), ("rules",), ("queries",)])
def test_help_has_examples(run, arguments):
    done = run(*arguments, "--help")
    assert done.exit_code == 0
    assert "Examples:\n    assay weights" in done.stdout


def test_ambiguity_tells_the_readings_per_word(run, file):
    """With compact cases expanded: 3 of uda, 2 of dom, 1 of i."""
    data = json.loads(run("ambiguity", file("l.tsv", LEXICON), "--tagset", "nkjp").stdout)
    assert data["readings_per_word"] == "2"


def test_ambiguity_with_several_tags_in_a_cell(run, file):
    file("one.tsv", "uda\tfin:sg:ter:perf\nuda\tsubst:pl:nom:n\nzadanie\tsubst:sg:nom:n\n")
    file("more.tsv", "uda\tfin:sg:ter:perf,subst:pl:nom:n\nzadanie\tsubst:sg:nom:n\n")
    one = json.loads(run("ambiguity", "one.tsv", "--tagset", "nkjp").stdout)
    more = json.loads(run("ambiguity", "more.tsv", "--tagset", "nkjp", "--alternatives", ",").stdout)
    assert (more["w"], more["readings_per_word"]) == (one["w"], one["readings_per_word"]) == (one["w"], "3/2")
    corpus = json.loads(
        run("ambiguity", "more.tsv", "--tagset", "nkjp", "--column", "2", "--alternatives", ",").stdout
    )
    assert corpus["readings_per_word"] == "3/2"


def test_show_prints_table_1_of_the_paper(run):
    lines = run("show", "poliqarp").stdout.splitlines()
    assert lines[0] == "category\tweight"
    rows = [line.split("\t") for line in lines[1:] if "\t" in line]
    # Acedański & Przepiórkowski 2010, Table 1, in its order; no other category was asked for.
    numbers = [37771, 14055, 2074, 552, 222, 186, 81, 25, 8, 7, 5, 4]
    assert [int(number) for _, number in rows] == [*numbers, 0]
    assert [name for name, _ in rows][:4] == ["pos", "case", "number", "gender"]
    assert lines[-1] == "# Acedański & Przepiórkowski 2010, Table 1"


def test_show_takes_what_was_made(run, file):
    run("ambiguity", file("l.tsv", LEXICON), "--tagset", "nkjp", "--conditional", "-o", "w.json")
    lines = run("show", "w.json").stdout.splitlines()
    assert lines[0] == "class\tcategory\tweight"
    assert "subst\tcase\t2" in lines
    assert "# readings per word: 2.0000" in lines
    file("bad.json", '{"kind": "wpa",\n "readings_per_word": "many", "w": {"pos": 1}}')
    with pytest.raises(AssayError, match=r"bad.json:2: readings_per_word is many, but should be a number\."):
        run("show", "bad.json")


def test_rules_by_expectation_maximisation(run, file):
    file("g.json", '{"A": [{"refers": ["case"]}], "B": [{"refers": ["number"]}]}')
    one, two, either = ('{"rules": [["A", [1]]]}', '{"rules": [["B", [1]]]}', '{"parses": [%s, %s]}')
    file("u.jsonl", "\n".join([one, one, two, either % (one, two)]) + "\n")
    data = json.loads(run("rules", "u.jsonl", "--grammar", "g.json", "--em").stdout)
    assert data["unit"] == "rules, parses by expectation maximisation"
    assert float(Fraction(data["w"]["case"])) == pytest.approx(8 / 3, abs=1e-8)
