"""Dependencies: the scorer of the CoNLL 2018 shared task case by case and on its own data; comparisons of parsers."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

import assay
from assay.errors import AssayError

LINES = (Path(__file__).parents[1] / "data" / "dependency_cases.jsonl").read_text("utf-8").splitlines()
CASES = {case["id"]: case for case in map(json.loads, LINES)}
METRICS = {
    "UAS": "uas",
    "LAS": "las",
    "CLAS": "clas",
    "MLAS": "mlas",
    "BLEX": "blex",
    "Tokens": "tokens",
    "Words": "words",
    "Sentences": "sentences",
}
FIELDS = ("right", "gold", "system", "aligned")


# --- cases of the scorer ---


def counted(result):
    """What a measure of a single system counts, as the cases have it."""
    titles = {measure: title for title, measure in METRICS.items()}
    return {titles[row.measure]: [row.counts[field] for field in FIELDS] for row in result.counts}


def files_of(name, folder):
    for side in ("gold", "system"):
        (folder / f"{side}.conllu").write_text(CASES[name][side], "utf-8")
    return "gold.conllu", "system.conllu"


def scored(name, folder, monkeypatch, **options):
    files = files_of(name, folder)
    monkeypatch.chdir(folder)
    return assay.score(*files, list(METRICS.values()), times=1, **options)


def test_all_cases_are_there():
    assert len(CASES) == 36
    assert sum("expected_error" in case for case in CASES.values()) == 7


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "expected" in case])
def test_counts_are_those_of_the_scorer(name, tmp_path, monkeypatch):
    found = counted(scored(name, tmp_path, monkeypatch))
    expected = {title: CASES[name]["expected"][title] for title in METRICS}
    for title, figures in expected.items():
        # The scorer gives no aligned accuracy of segmentation.
        assert found[title][: 3 if figures[3] is None else 4] == figures[: 3 if figures[3] is None else 4], title


REFUSED = {
    "err_cycle": (
        "system.conllu:2: a cycle: following heads from here leads to no root\n"
        "To leave such sentences out: --on-mismatch skip"
    ),
    "err_head_out_of_range": (
        "system.conllu:2: head '9' in a sentence of 5 words\nTo leave such sentences out: --on-mismatch skip"
    ),
    "err_text_differs": (
        "system.conllu:2: 'cat', but gold.conllu:2 has 'dog'\n"
        "The texts differ. To score only the sentences they share: --on-mismatch skip"
    ),
    "err_columns": ("system.conllu:1: 9 columns, but CoNLL-U has 10. Is it another format? Try --input-format tsv"),
}
ACCEPTED = {"err_no_final_blank": 5, "err_double_blank": 5, "err_two_roots": 1}
"""What is no fault here: how many words are right."""


def test_every_case_that_ends_the_scorer_is_dealt_with():
    assert {*REFUSED, *ACCEPTED} == {name for name, case in CASES.items() if "expected_error" in case}


@pytest.mark.parametrize("name", REFUSED)
def test_faults_are_refused_with_their_place(name, tmp_path, monkeypatch):
    with pytest.raises(AssayError) as caught:
        scored(name, tmp_path, monkeypatch)
    assert str(caught.value) == REFUSED[name]


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_only_the_scorer_refuses_is_scored(name, tmp_path, monkeypatch):
    result = scored(name, tmp_path, monkeypatch)
    words = len([line for line in CASES[name]["gold"].splitlines() if line])
    assert counted(result)["LAS"] == [ACCEPTED[name], words, words, words]
    roots = [text for text in result.warnings if "root" in text]
    assert roots == (
        ["gold: 1 sentence has more than one root, scored like the others."] if name == "err_two_roots" else []
    )


# --- the shared task ---

FOLDER = "dep-conll2018-en_ewt"


@pytest.fixture(scope="module", name="folder")
def given_folder(shared_data):
    return shared_data(FOLDER)


@pytest.fixture(scope="module", name="official")
def given_official(folder):
    """The official figures of every system, and of gold against itself."""
    figures = json.loads((folder / "expected.json").read_text("utf-8"))
    return {**figures["systems"], "self": figures["self"]}


@pytest.fixture(scope="module", name="result")
def given_result(folder, official):
    systems = {name: str(folder / figures["file"]) for name, figures in official.items()}
    return assay.score(str(folder / "gold.conllu"), systems, list(METRICS.values()), times=1)


@pytest.mark.parametrize("title", METRICS)
def test_figures_of_all_systems_are_the_official_ones(title, official, result):
    assert len(official) == 7
    rows = {row.system: row.counts for row in result.counts if row.measure == METRICS[title]}
    for name, figures in official.items():
        expected = figures["metrics"][title]
        found = [rows[name][field] for field in FIELDS[:3]]
        assert found == [expected["correct"], expected["gold"], expected["system"]], name
        scores = {
            row.score: row.value for row in result.scores if (row.system, row.measure) == (name, METRICS[title])
        }
        shares = {score: expected[score] for score in ("precision", "recall", "f1")}
        if expected["aligned"] is None:
            assert scores == pytest.approx(shares, abs=1e-12), name
        else:
            assert rows[name]["aligned"] == expected["aligned"]
            assert scores == pytest.approx({**shares, "aligned": expected["aligned_accuracy"]}, abs=1e-12), name


def test_the_published_table_is_met(result):
    published = {"tokens": 99.03, "sentences": 75.33, "uas": 86.79, "las": 84.57, "clas": 81.64, "mlas": 74.79}
    found = {name: round(100 * result.score("HIT-SCIR-18", name).value, 2) for name in (*published, "blex")}
    assert found == {**published, "blex": 78.44}


def test_sentences_that_are_not_projective_are_counted(result):
    assert result.notes[0].startswith("Non-projective sentences: gold 72, ")


# --- comparisons on the same data ---

PUNCTUATION = {"all": "", "no_punct": "punctuation=no-punct-relation"}


@pytest.fixture(scope="module", name="expected")
def given_expected(folder):
    return json.loads((folder / "comparison.json").read_text("utf-8"))


@pytest.fixture(scope="module", name="compared")
def given_compared(folder, expected):
    """All six systems on las with and without punctuation; other criteria with the counts alone."""
    specs = [
        *(f"{name}({setting})" for setting in PUNCTUATION.values() for name in ("las", "uas", "ls")),
        "tree-match",
        "tree-match(of=uas)",
    ]
    systems = {name: str(folder / f"{name}.conllu") for name in expected["single"]}
    return assay.compare(str(folder / "gold.conllu"), systems, specs, times=1, power=None)


def spec(name, words):
    return f"{name}({PUNCTUATION[words]})" if PUNCTUATION[words] else name


@pytest.mark.parametrize("words", PUNCTUATION)
def test_scores_of_single_systems(words, expected, compared):
    rows = {(row.system, row.measure): row.counts for row in compared.counts}
    assert len(expected["single"]) == 6
    for system, figures in expected["single"].items():
        found = {name: rows[system, spec(name, words)] for name in ("uas", "ls", "las")}
        assert {
            "words": found["las"]["gold"],
            "aligned": found["las"]["aligned"],
            **{f"{name}_correct": counts["right"] for name, counts in found.items()},
        } == figures[words], system


def test_sentences_that_are_right_as_a_whole(expected, compared):
    rows = {(row.system, row.measure): row.counts for row in compared.counts}
    for system, figures in expected["single"].items():
        heads, both = rows[system, "tree-match(of=uas)"], rows[system, "tree-match"]
        assert (heads["right"], both["right"]) == (figures["uem"], figures["lem"]), system
        assert heads["sentences"] == both["sentences"] == figures["sentences"]


KINDS = {"correction": "top_corrections", "new-error": "top_new_errors", "changed-error": "top_changed_errors"}


def check_pair(diff, figures):
    """A diff against the figures of a pair of systems."""
    assert {
        "words": diff.items,
        "different": diff.different,
        "corrections": diff.corrections,
        "new_errors": diff.new_errors,
        "changed_errors": diff.changed_errors,
    } == {name: number for name, number in figures.items() if not name.startswith("top")}
    for kind, title in KINDS.items():
        pairs: Counter[str] = Counter()
        for row in (row for row in diff.changes if row.kind == kind):
            answers = (row.gold, row.before, row.after) if kind == "changed-error" else (row.before, row.after)
            pairs[" -> ".join(answers)] += row.count
        assert [pairs[name] for name, _ in figures[title]] == [count for _, count in figures[title]]
        assert [count for _, count in pairs.most_common(5)] == [count for _, count in figures[title]]
        assert sum(pairs.values()) == getattr(diff, f"{kind.replace('-', '_')}s")


@pytest.mark.parametrize("words", PUNCTUATION)
@pytest.mark.parametrize(
    "pair", ["conll18-baseline -> HIT-SCIR-18", "HIT-SCIR-18 -> Stanford-18", "NLP-Cube -> HIT-SCIR-18"]
)
def test_what_one_system_does_otherwise(words, pair, folder, expected):
    assert len(expected["pairs"]) == 3
    systems = {name: str(folder / f"{name}.conllu") for name in pair.split(" -> ")}
    result = assay.compare(str(folder / "gold.conllu"), systems, spec("las", words), times=1)
    (diff,) = result.diffs
    check_pair(diff, expected["pairs"][pair][words])


@pytest.mark.parametrize("words", PUNCTUATION)
def test_upper_bounds(words, expected, compared):
    bounds = {row.label: row for row in compared.bounds if row.on == spec("las", words)}
    figures = expected["upper_bound"][words]
    assert {label or "ALL" for label in bounds} == figures.keys()
    for label, row in bounds.items():
        found = {system: round(share * row.items) for system, share in row.systems.items()}
        oracle = round(row.upper * row.items)
        assert {"words": row.items, "oracle": oracle, **found} == figures[label or "ALL"], label
        assert row.none_right == row.items - oracle
        assert row.best == "HIT-SCIR-18"


# --- the same words as gold ---


@pytest.fixture(scope="module", name="english")
def given_english(shared_data):
    folder = shared_data("dep-english")
    figures = json.loads((folder / "scores.json").read_text("utf-8"))
    systems = {name: str(folder / f"{name}.conllu") for name in figures}
    specs = ["uas", "las", "las(subtypes=true)", "clas", "mlas", "blex"]
    return figures, assay.score(str(folder / "gold.conllu"), systems, specs, times=1)


def test_scores_of_parsers_are_those_published_with_them(english):
    figures, result = english
    assert len(figures) == 5
    for name, expected in figures.items():
        found = {
            "UAS": result.score(name, "uas").value,
            "LAS": result.score(name, "las").value,
            "LAS_with_subtypes": result.score(name, "las(subtypes=true)").value,
        }
        assert {title: round(100 * value, 2) for title, value in found.items()} == {
            title: expected[title] for title in found
        }


def test_scores_of_parsers_are_those_of_the_scorer(english, shared_data):
    """The scorer's own table: precision, recall, F1 and aligned accuracy."""
    figures, result = english
    text = (shared_data("dep-english") / "ud-eval.txt").read_text("utf-8")
    checked = 0
    for block in text.split("== ")[1:]:
        name, *lines = block.strip().splitlines()
        for title, *cells in ([cell.strip() for cell in line.split("|")] for line in lines):
            measure = METRICS.get(title)
            if measure in ("uas", "las", "clas", "mlas", "blex"):
                scores = [
                    result.score(name.removesuffix(".conllu"), measure, score).value
                    for score in ("precision", "recall", "f1", "aligned")
                ]
                assert [f"{100 * value:.2f}" for value in scores] == cells, (name, title)
                checked += 1
    assert checked >= 4 * len(figures)


def test_with_the_same_words_precision_recall_and_f1_are_one_number(english):
    figures, result = english
    for name in figures:
        for measure in ("uas", "las"):
            values = {result.score(name, measure, score).value for score in ("f1", "precision", "recall", "aligned")}
            assert len(values) == 1
