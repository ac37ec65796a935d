"""assay weights, as a command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli.weights import command
from assay.errors import AssayError
from assay.weights import load


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
    weights = load("w.json")
    assert weights.kind == "cwpa"
    assert sum(weight for table in weights.rows.values() for weight in table.values()) == 1
    assert weights.of("subst", "case") == 2 * weights.of("subst", "gender")


def test_ambiguity_of_own_words_needs_conditional_weights(run, file):
    with pytest.raises(AssayError) as caught:
        run("ambiguity", file("l.tsv", LEXICON), "--tagset", "nkjp", "--pos-conditional")
    assert str(caught.value) == "--pos-conditional is about conditional weights. Add --conditional."
    done = run("ambiguity", "l.tsv", "--tagset", "nkjp", "--pos-conditional", "--conditional", "--excess")
    assert json.loads(done.stdout)["w"]["subst"] == {"pos": "1/2", "case": 1, "gender": 0, "number": 0}
    assert done.stderr.startswith("warning: total weight 0 for class ")


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
        "warning: 1 line of log could not be read, so left out.\n"
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
