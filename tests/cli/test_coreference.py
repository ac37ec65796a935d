"""Coreference on the command line: the figures of the toy documents, refusals, policies, tables."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import assay as library
from assay import Result
from cli.conftest import Run

DATA = Path(__file__).parents[1] / "data" / "coreference"
EXPECTED = json.loads((DATA / "expected.json").read_text("utf-8"))
BAD = json.loads((DATA / "bad" / "expected.json").read_text("utf-8"))["files"]
SYSTEMS = ("system-a", "system-b")
METRICS = ("mentions", "muc", "b-cubed", "ceaf-m", "ceaf-e", "blanc", "lea", "conll")
QUICK = ("--times", "20")


@pytest.fixture(autouse=True)
def toy(here: Path) -> None:
    """The toy documents, the formats and the bad files in the folder where the command runs."""
    shutil.copytree(DATA, here, dirs_exist_ok=True)


def measured(*names: str) -> list[str]:
    return [part for name in names for part in ("-m", name)]


def table(text: str, title: str) -> list[list[str]]:
    """The rows of one table of the output, as words."""
    block = text.split(f"# {title}\n")[1].partition("\n\n")[0]
    return [line.split("\t") for line in block.splitlines()]


# --- figures ---


@pytest.mark.parametrize("criterion", ["any", "nom"])
def test_compare_prints_what_the_library_gives(assay: Run, criterion: str) -> None:
    """Byte for byte, with documents, transitions and bounds; the golden tests check these figures."""
    wanted = [f"arcs-{criterion}", "muc", "lea(singletons=false)"]
    call = assay(
        "compare",
        "key.conll",
        *(f"{name}.conll" for name in SYSTEMS),
        *measured(*wanted),
        *("--slice", "document", "--examples", "2", "--format", "json"),
        *QUICK,
    )
    assert call.returncode == 0
    result = library.compare(
        "key.conll",
        [f"{name}.conll" for name in SYSTEMS],
        wanted,
        times=20,
        slices=("document",),
        examples=2,
    )
    assert call.stdout == result.to_json()
    assert Result.from_json(call.stdout).diffs


@pytest.mark.parametrize("criterion", ["any", "nom"])
@pytest.mark.parametrize("scope", ["toy/one", "toy/two", "all"])
def test_the_figures_of_the_toy_documents_are_printed(assay: Run, scope: str, criterion: str) -> None:
    name = f"arcs-{criterion}"
    out = assay("compare", "key.conll", *(f"{s}.conll" for s in SYSTEMS), "-m", name, "--slice", "document", *QUICK)
    assert out.returncode == 0
    expected = EXPECTED["arcs"][scope][criterion]
    percent = [f"{100 * expected[system]['f']:.2f}" for system in SYSTEMS]
    if scope == "all":
        assert [row[1] for row in table(out.stdout, "Scores")[1:]] == percent
        diff = expected["a->b"]
        (row,) = table(out.stdout, f"What differs ({name})")[1:]
        assert row[2] == f"{100 * diff['diff']:.2f}"
        groups = [diff["groups"][kind] for kind in ("correction", "new_error", "changed_error")]
        assert float(row[3]) == pytest.approx(
            100 * (expected["system-b"]["f"] - expected["system-a"]["f"]), abs=0.005
        )
        assert row[4:8] == [str(groups[0] - groups[1]), *map(str, groups)]
        bounds = {row[0]: row for row in table(out.stdout, "Upper bound of the combination")[1:]}
        assert {label: (row[1], row[4]) for label, row in bounds.items()} == {
            label.replace("ALL", "overall"): (str(bound["total"]), f"{100 * bound['recall']:.2f}")
            for label, bound in expected["upper_bound"].items()
        }
    else:
        rows = {row[0]: row for row in table(out.stdout, f"{name} by document")[1:]}
        found = rows[f"({scope}); part 000"]
        assert [found[2], found[5]] == percent
        assert found[1] == str(expected["upper_bound"]["ALL"]["total"])


def test_what_became_of_each_mention_is_a_table(assay: Run) -> None:
    out = assay("compare", "key.conll", *(f"{name}.conll" for name in SYSTEMS), "-m", "arcs-any", *QUICK).stdout
    header, *rows = table(out, "Outcome of each mention: system-a (rows) → system-b (columns)")
    found = {
        f"{row[0]}->{column}".lower().replace("none", "tn"): int(cell)
        for row in rows
        for column, cell in zip(header[1:], row[1:], strict=True)
        if cell != "·"
    }
    assert found == EXPECTED["arcs"]["all"]["any"]["a->b"]["transitions"]


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("singletons", ["keep_singletons", "remove_singletons"])
def test_chain_metrics_of_the_toy_documents_are_printed(assay: Run, system: str, singletons: str) -> None:
    form = "{}" if singletons == "keep_singletons" else "{}(singletons=false)"
    out = assay("score", "key.conll", f"{system}.conll", *measured(*map(form.format, METRICS)), *QUICK)
    header, row = table(out.stdout, "Scores")
    expected = EXPECTED["chain_metrics"][system][singletons]["scores"]
    short = {"b-cubed": "bcub", "ceaf-m": "ceafm", "ceaf-e": "ceafe"}
    found = dict(zip(header, row, strict=True))
    assert {name: found[form.format(name)] for name in METRICS} == {
        name: f"{100 * (expected['mela_f'] if name == 'conll' else expected[short.get(name, name)][2]):.2f}"
        for name in METRICS
    }


def test_documents_have_their_number_of_mentions_in_tables(assay: Run) -> None:
    out = assay(
        "score", "key.conll", "system-a.conll", *measured("mentions", "b-cubed"), "--slice", "document", *QUICK
    )
    assert [row[1] for row in table(out.stdout, "mentions by document")[1:]] == ["11", "15"]
    assert "0" not in [row[1] for row in table(out.stdout, "b-cubed by document")[1:]]


def test_how_alike_systems_are_is_a_table(assay: Run) -> None:
    out = assay("compare", "key.conll", *(f"{name}.conll" for name in SYSTEMS), *QUICK)
    assert table(out.stdout, "Similarity of the systems") == [
        ["a", "b", "conll", "lea"],
        ["system-a", "system-b", "43.64", "28.46"],
    ]


@pytest.mark.parametrize("form", ["md", "latex", "tsv", "json"])
def test_every_form_of_output_has_the_figures(assay: Run, form: str) -> None:
    systems = [f"{name}.conll" for name in SYSTEMS]
    out = assay("compare", "key.conll", *systems, "--format", form, "--examples", "1", *QUICK)
    assert out.returncode == 0
    assert ("0.72959" if form == "json" else "72.96") in out.stdout


def test_examples_show_the_chains_of_all_sides(assay: Run) -> None:
    systems = [f"{name}.conll" for name in SYSTEMS]
    choice = ("--examples", "1", "--change", "DT→*→*")
    out = assay("compare", "key.conll", *systems, "-m", "arcs-any", *choice, *QUICK)
    (row,) = table(out.stdout, "Examples")[1:]
    assert row[:3] == ["system-a", "system-b", "key.conll:56"]
    gold, one, other = row[3].split(" · ")
    assert (gold.split()[0], one.split()[0], other.split()[0]) == ("gold", *SYSTEMS)
    assert "[opened]1" in gold and "[»this«]1" in gold
    assert "opened [the door]2" in one and " »this« " in one
    assert "[opened]1" in other and "[»this«]1" in other


@pytest.mark.parametrize("name", ["with-bar.conll", "without-bar.conll", "corefud.conllu", "clusters.jsonl"])
def test_files_of_any_format_go_together(assay: Run, name: str) -> None:
    out = assay(
        "score",
        "formats/with-bar.conll",
        f"formats/{name}",
        *measured(*METRICS, "arcs-any"),
        *("--format", "json"),
        *QUICK,
    )
    assert {row.value for row in Result.from_json(out.stdout).scores} == {1}


# --- refusals ---


LINES = {
    # The last word that is there; the sentence ends with the next line, which is empty.
    "one-token-short.conll": 12,
    # There is no line in it.
    "empty.conll": None,
}
"""Where assay names another line than the cases do."""


@pytest.mark.parametrize("name", [name for name, wanted in BAD.items() if wanted["severity"] == "error"])
def test_bad_files_are_refused_with_their_place(assay: Run, name: str) -> None:
    """One line per problem, that says file and line; nothing is printed, and the exit code is 2."""
    out = assay("score", "bad/key.conll", f"bad/{name}", *QUICK)
    assert (out.returncode, out.stdout) == (2, "")
    problem, *rest = out.stderr.splitlines()
    assert len(rest) <= 1, "a remedy at most"
    line = LINES.get(name, BAD[name].get("line"))
    if "line" not in BAD[name]:
        # What is missing has its place in gold.
        assert problem.startswith(f"assay: bad/key.conll:{BAD[name]['key_line']}: bad/{name} ")
    else:
        assert problem.startswith(f"assay: bad/{name}:{line}: " if line else f"assay: bad/{name}: ")
    if name == "different-token.conll":
        assert f"bad/key.conll:{BAD[name]['key_line']} has 'weaver'" in problem


def test_all_problems_of_a_file_are_told_at_once(assay: Run, here: Path) -> None:
    text = (here / "bad" / "unclosed.conll").read_text("utf-8")
    (here / "bad" / "both.conll").write_text(re.sub(r"\t\(1\)\n(?=bad/two\t0\t4)", "\t(7\n", text), "utf-8")
    problems = assay("score", "bad/key.conll", "bad/both.conll", *QUICK).stderr.splitlines()
    assert [re.findall(r"bad/both.conll:\d+(?=: )", line) for line in problems] == [
        ["bad/both.conll:9"],
        ["bad/both.conll:20"],
    ]


def test_ids_of_chains_are_any_strings(assay: Run, here: Path) -> None:
    text = (here / "bad" / "key.conll").read_text("utf-8")
    (here / "named.conll").write_text(re.sub(r"(?<=\t)(\(?)([12])(\)?)\n", r"\1person-\2\3\n", text), "utf-8")
    out = assay("score", "bad/key.conll", "named.conll", "-m", "conll", *QUICK)
    assert table(out.stdout, "Scores")[1][1] == "100.00"
    # A chain of which one mention has another name is two chains.
    out = assay("score", "bad/key.conll", "bad/non-numeric-id.conll", *measured("mentions", "muc"), *QUICK)
    assert table(out.stdout, "Scores")[1][1::3] == ["100.00", "80.00"]


def test_a_mention_that_crosses_sentences_is_a_warning(assay: Run) -> None:
    out = assay("score", "bad/key.conll", "bad/crosses-sentence.conll", "-m", "mentions", *QUICK)
    assert out.returncode == 0
    assert out.stderr.splitlines()[0] == (
        "warning: crosses-sentence: Mentions that cross the end of a sentence, taken as they are: 1 "
        "(the first: bad/crosses-sentence.conll:4)."
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--unit", "sentence"], "assay: chains extend over whole documents. Use --unit document"),
        (
            ["-m", "muc(match=head)"],
            "assay: match=head needs the heads of mentions, which these files do not have.",
        ),
        (
            ["--slice", "sentence-length"],
            "assay: --slice sentence-length: chains extend over whole documents. Available: document, meta:KEY, "
            "label, entity-type, chain-length, head-upos, mention-type.",
        ),
        (["--mention-types", "none.tsv"], "assay: none.tsv: cannot be opened (no such file or directory)."),
    ],
)
def test_what_has_no_meaning_for_chains_is_refused(assay: Run, arguments: list[str], message: str) -> None:
    out = assay("score", "key.conll", "system-a.conll", *arguments, *QUICK)
    assert (out.returncode, out.stdout) == (2, "")
    assert out.stderr.splitlines()[-1] == message


def test_nouns_cannot_be_told_without_tags(assay: Run) -> None:
    out = assay("score", "formats/clusters.jsonl", "formats/clusters.jsonl", "-m", "arcs-nom", *QUICK)
    assert out.returncode == 2
    assert out.stderr == (
        "assay: arcs-nom needs tags to recognise nouns, but gold has none. Use arcs-any, which needs none.\n"
    )


# --- policies ---


def result_of(call: Any) -> Result:
    assert call.returncode == 0, call.stderr
    return Result.from_json(call.stdout)


def test_missing_documents_can_be_scored_as_empty(assay: Run) -> None:
    arguments = ("score", "bad/key.conll", "bad/missing-document.conll", "-m", "mentions", "--format", "json", *QUICK)
    result = result_of(assay(*arguments, "--missing", "empty"))
    assert result.score("missing-document", "mentions", "recall").value == pytest.approx(4 / 6)
    assert result.warnings[0] == "missing-document: lacks the document (bad/two); part 000, which is scored as empty."


def test_documents_that_gold_does_not_have_can_be_ignored(assay: Run) -> None:
    arguments = ("score", "bad/key.conll", "bad/extra-document.conll", "-m", "mentions", "--format", "json", *QUICK)
    result = result_of(assay(*arguments, "--missing", "empty"))
    assert result.score("extra-document", "mentions").value == 1
    assert result.warnings[0] == (
        "extra-document: has the document (bad/three); part 000, which gold does not have; it is ignored."
    )


@pytest.mark.parametrize(("policy", "number"), [("first", 6), ("drop", 5)])
def test_repeated_spans_can_be_kept_once_or_dropped(assay: Run, policy: str, number: int) -> None:
    for name in ("duplicate-two-chains", "duplicate-same-chain"):
        arguments = ("score", "bad/key.conll", f"bad/{name}.conll", "-m", "mentions", "--format", "json", *QUICK)
        result = result_of(assay(*arguments, "--duplicates", policy))
        assert result.counts[0].counts == {"right": number, "gold": 6, "system": number}
        assert f"(--duplicates {policy})" in result.warnings[0]


@pytest.mark.parametrize(("policy", "gold"), [("skip", 2), ("warn", 6)])
def test_documents_with_other_words_can_be_left_out_or_compared(assay: Run, policy: str, gold: int) -> None:
    arguments = ("score", "bad/key.conll", "bad/different-token.conll", "-m", "mentions", "--format", "json", *QUICK)
    result = result_of(assay(*arguments, "--on-mismatch", policy))
    assert result.counts[0].counts == {"right": gold, "gold": gold, "system": gold}
    assert "'baker', but bad/key.conll:10 has 'weaver'" in result.warnings[0]


def test_documents_may_stand_in_another_order(assay: Run, here: Path) -> None:
    parts = re.findall(r"#begin.*?#end document\n", (here / "system-a.conll").read_text("utf-8"), re.S)
    (here / "turned.conll").write_text("".join(reversed(parts)), "utf-8")
    tables = [
        table(assay("score", "key.conll", f"{name}.conll", *measured(*METRICS), *QUICK).stdout, "Scores")[1][1:]
        for name in ("system-a", "turned")
    ]
    assert tables[0] == tables[1]


def test_types_of_mentions_come_from_a_rule_file(assay: Run, here: Path) -> None:
    (here / "types.tsv").write_text("NN\tnoun\nPRP\tpersonal\nPRP$\tpossessive\nlonger\tphrase\nnominal\tphrase\n")
    out = assay(
        "compare",
        "key.conll",
        *(f"{name}.conll" for name in SYSTEMS),
        *("-m", "arcs-nom", "--mention-types", "types.tsv"),
        *QUICK,
    )
    labels = [row[0] for row in table(out.stdout, "Upper bound of the combination")[1:]]
    assert set(labels) == {"overall", "personal", "possessive", "phrase"}
    assert "# Mention types come from gold's XPOS tags (rule: types.tsv)." in out.stdout


def test_a_process_of_its_own_ends_with_the_right_code(command: Run) -> None:
    fine = command("score", "key.conll", "system-a.conll", "-m", "conll", *QUICK)
    assert (fine.returncode, table(fine.stdout, "Scores")[1][:2]) == (0, ["system-a", "72.96"])
    bad = command("score", "bad/key.conll", "bad/unclosed.conll")
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr.startswith("assay: bad/unclosed.conll:9: ")
