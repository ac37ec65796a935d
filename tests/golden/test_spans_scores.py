"""Scores of real files of spans: the tables of Ortmann (2022), and nested mentions of GUM counted another way."""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import zip_longest

import pytest

import assay

MEASURES = ["exact", "fair", "weighted", "weighted(preset=be-half)", "semeval"]
FAIREVAL = {"ner": "ner_spans", "chunks": "chunk_spans"}
TABLE_1 = {  # the paper's Table 1: precision, recall, F1
    "ner": {"exact": "86.66 83.51 85.05", "fair": "90.42 87.23 88.80"},
    "chunks": {"exact": "97.20 96.39 96.79", "fair": "97.86 97.86 97.86"},
}
OTHER_WEIGHTS = {
    "ner": {"weighted(preset=be-half)": "91.28 88.08 89.65", "weighted": "91.14 88.21 89.65"},
    "chunks": {"weighted(preset=be-half)": "98.50 98.50 98.50", "weighted": "98.21 98.79 98.50"},
}
TABLE_2 = {  # the paper's Table 2: TP FP LE BEs BEl BEo BE LBE FN, precision, recall, F1
    "LOC": "2132 81 56 29 28 0 57 40 98 93.12 92.43 92.78",
    "ORG": "1002 87 76 16 27 0 43 48 167 85.46 80.00 82.64",
    "OTH": "473 48 89 15 26 3 44 44 142 77.60 67.24 72.05",
    "PER": "1552 37 31 11 25 0 36 23 55 94.98 93.95 94.46",
    None: "5159 253 252 71 106 3 180 155 462 90.42 87.23 88.80",
}
MACRO = {"ner": ("85.48", 4), "chunks": ("69.48", 16)}
"""The mean of the labels' fair F1, and the number of labels; computed from the published counts."""
NAMES = ("precision", "recall", "f1")


def percent(value):
    """As the reference prints it; where nothing is divided by nothing it prints 0."""
    return f"{0 if math.isnan(value) else 100 * value:.2f}"


@pytest.fixture(scope="module", params=FAIREVAL)
def scored(request, shared_data):
    """The name of the data set, its folder, and the Result."""
    folder = shared_data("spans-faireval")
    gold, system = (str(folder / f"{FAIREVAL[request.param]}.{side}.csv") for side in ("target", "system"))
    return request.param, folder, assay.score(gold, {"s": system}, MEASURES, times=1)


def figures(result, measure, label=None):
    return " ".join(percent(result.score("s", measure, name, label).value) for name in NAMES)


def counts(result, measure, label=None):
    return next(row.counts for row in result.counts if (row.measure, row.label) == (measure, label))


def published(folder, name, heading):
    """A table of the published results: rows by their first cell, each cell by the name of its column."""
    text = (folder / f"eval_{name}.csv").read_text("utf-8")
    header, *lines = text.split(f"### {heading}:\n")[1].split("\n\n")[0].strip("\n").split("\n")
    columns = header.split("\t")[1:]
    return {cells[0]: dict(zip(columns, cells[1:], strict=True)) for cells in (line.split("\t") for line in lines)}


def test_table_1_of_the_paper(scored):
    name, _, result = scored
    assert {measure: figures(result, measure) for measure in ("exact", "fair")} == TABLE_1[name]


def test_other_weights_have_the_figures_computed_from_the_same_counts(scored):
    name, _, result = scored
    assert {measure: figures(result, measure) for measure in OTHER_WEIGHTS[name]} == OTHER_WEIGHTS[name]


@pytest.mark.parametrize("scored", ["ner"], indirect=True)
def test_table_2_of_the_paper(scored):
    _, _, result = scored
    order = ("tp", "fp", "le", "bes", "bel", "beo", "be", "lbe", "fn")
    for label, line in TABLE_2.items():
        found = counts(result, "fair", label)
        assert " ".join([*(str(found[kind]) for kind in order), figures(result, "fair", label)]) == line


@pytest.mark.parametrize(
    ("measure", "heading"),
    [("exact", "Traditional evaluation"), ("fair", "Fair evaluation"), ("weighted", "Weighted evaluation")],
)
def test_all_counts_and_figures_are_the_published_ones(scored, measure, heading):
    name, folder, result = scored
    table = published(folder, name, heading)
    assert {row.label for row in result.counts} == {None, *table} - {"overall"}
    for name_in_table, cells in table.items():
        label = None if name_in_table == "overall" else name_in_table
        found = counts(result, measure, label)
        for column, cell in cells.items():
            if column not in ("Prec", "Rec", "F1"):
                assert found[column.lower()] == int(cell)
        assert figures(result, measure, label) == " ".join(cells[column] for column in ("Prec", "Rec", "F1"))


def test_macro_averages_are_the_means_of_the_labels_figures(scored):
    name, _, result = scored
    labels = {row.label for row in result.counts if row.label is not None}
    value = result.score("s", "fair", "macro-f1").value
    assert (percent(value), len(labels)) == MACRO[name]
    for measure in ("exact", "fair", "weighted"):
        for score in NAMES:
            values = [result.score("s", measure, score, label).value for label in labels]
            mean = math.fsum(0 if math.isnan(value) else value for value in values) / len(values)
            assert result.score("s", measure, f"macro-{score}").value == pytest.approx(mean, rel=1e-12)
        sizes = {label: counts(result, measure, label)["gold"] for label in labels}
        total = math.fsum(sizes[label] * (result.score("s", measure, "f1", label).value or 0) for label in labels)
        weighted = result.score("s", measure, "weighted-f1").value
        assert weighted == pytest.approx(total / sum(sizes.values()), rel=1e-12)


def test_confusion_without_hits_is_the_published_one(scored):
    name, folder, result = scored
    found = Counter()
    for row in result.confusion:
        if row.type != "tp":
            found[row.gold or "_", row.assigned or "_"] += row.count
    table = published(folder, name, "Confusion matrix")
    expected = {(row, column): int(cell) for row, cells in table.items() for column, cell in cells.items()}
    assert {cell: number for cell, number in expected.items() if number} == dict(found)
    hits = {row.gold: row.count for row in result.confusion if row.type == "tp"}
    assert hits == {label: n for label in table if label != "_" and (n := counts(result, "exact", label)["tp"])}


def test_semeval_scores_are_those_of_the_check_figures(scored):
    """Targets, system spans, right by the strict score, by boundaries, by type; pairs."""
    name, _, result = scored
    gold, system, strict, exact, typed, pairs = {
        "ner": (6178, 5953, 5159, 5411, 5312, 5670),
        "chunks": (101304, 100461, 97649, 97855, 99528, 99845),
    }[name]
    for score, credit in (("strict", strict), ("exact", exact), ("type", typed), ("partial", (exact + pairs) / 2)):
        values = [result.score("s", "semeval", f"{score}-{part}").value for part in NAMES]
        assert values == pytest.approx([credit / system, credit / gold, 2 * credit / (gold + system)], rel=1e-14)


# --- nested mentions ---

SYSTEMS = (
    "rule-gold-syntax-majority-type",
    "perceptron-innermost-words-only",
    "crfsuite-outermost-only",
    "crfsuite-layered-cascade",
    "spacy-ner-outermost",
)
A, B = "crfsuite-layered-cascade", "rule-gold-syntax-majority-type"


@pytest.fixture(scope="module")
def gum(shared_data):
    return shared_data("spans-entities-gum")


def spans_of(path):
    """The spans of each sentence, read without assay."""
    for block in path.read_text("utf-8").strip("\n").split("\n\n"):
        cells = [line.split("\t") for line in block.split("\n")]
        yield [(label, int(first), int(last)) for label, first, last, _ in cells if label not in ("NONE", "EMPTY")]


def test_nested_mentions_have_the_figures_of_their_own_count(gum):
    expected = json.loads((gum / "scores.json").read_text("utf-8"))
    systems = {name: str(gum / f"{name}.spans.tsv") for name in SYSTEMS}
    result = assay.score(str(gum / "gold.spans.tsv"), systems, "exact", times=1)
    for source in result.systems:
        figures = [f"{100 * result.score(source.name, 'exact', name).value:.2f}" for name in NAMES]
        theirs = expected[source.name]
        assert figures == [f"{theirs[name]:.2f}" for name in ("nested_P", "nested_R", "nested_F1")]
        assert (source.spans, result.about.items) == (theirs["n_pred"], theirs["n_gold"])


def test_nested_mentions_from_layers_are_those_of_the_lists_but_for_what_does_not_fit(gum):
    """24 gold spans do not fit into four layers; all others are the same."""
    layers = {"column": "3+4+5+6", "input_format": "tsv(comments=true)"}
    gold, system = (str(gum / f"{name}.bio.tsv") for name in ("gold", A))
    result = assay.score(gold, {A: system}, "exact", times=1, **layers)
    assert (result.about.items, result.about.scheme, result.about.aligned_by) == (7927 - 24, "iob2", "words")
    lists = assay.score(str(gum / "gold.spans.tsv"), {A: str(gum / f"{A}.spans.tsv")}, "exact", times=1)
    assert result.systems[0].spans == lists.systems[0].spans
    assert 0 <= counts(lists, "exact")["tp"] - counts(result, "exact")["tp"] <= 24


@pytest.fixture(scope="module")
def compared(gum):
    systems = {name: str(gum / f"{name}.spans.tsv") for name in (A, B)}
    return assay.compare(str(gum / "gold.spans.tsv"), systems, "exact", times=20)


def test_changes_are_what_plain_sets_of_spans_show(gum, compared):
    """Over gold's spans and those that a system adds: right is to have the first, and not to have the others."""
    files = [spans_of(gum / f"{name}.spans.tsv") for name in ("gold", A, B)]
    found, label_hits = Counter(), Counter()
    for gold, a, b in zip_longest(*files):
        for item in gold:
            found["gold", item in a, item in b] += 1
            label_hits[item[0]] += item in a or item in b
        for item in {*a, *b} - {*gold}:
            found["added", item not in a, item not in b] += 1
    (diff,) = compared.diffs
    assert diff.items == sum(found.values())
    assert diff.corrections == found["gold", False, True] + found["added", False, True]
    assert diff.new_errors == found["gold", True, False] + found["added", True, False]
    assert diff.both_right == found["gold", True, True]
    assert diff.same_error == found["gold", False, False] + found["added", False, False]
    assert diff.changed_errors == 0
    transitions = {(row.before, row.after): row.count for row in compared.transitions if row.label is None}
    assert transitions == {
        ("tp", "tp"): found["gold", True, True],
        ("tp", "fn"): found["gold", True, False],
        ("fn", "tp"): found["gold", False, True],
        ("fn", "fn"): found["gold", False, False],
        ("none", "fp"): found["added", True, False],
        ("fp", "none"): found["added", False, True],
        ("fp", "fp"): found["added", False, False],
    }
    gold_items = sum(number for (kind, *_), number in found.items() if kind == "gold")
    upper = {row.label: row.upper * row.items for row in compared.bounds}
    assert upper[None] == pytest.approx(gold_items - found["gold", False, False])
    assert {label: round(number) for label, number in upper.items() if label} == dict(label_hits)


def test_fair_tells_more_about_the_same_hits(gum, compared):
    """The finer matching changes kinds of errors only: hits, and so bounds, stay."""
    systems = {name: str(gum / f"{name}.spans.tsv") for name in (A, B)}
    fair = assay.compare(str(gum / "gold.spans.tsv"), systems, "fair", times=20)
    pairs = list(zip(compared.bounds, fair.bounds, strict=True))
    assert [(ours.label, ours.items, ours.upper, ours.systems) for ours, _ in pairs] == [
        (theirs.label, theirs.items, theirs.upper, theirs.systems) for _, theirs in pairs
    ]
    hits = {row.after for row in fair.transitions if row.before == "tp"}
    assert hits >= {"tp", "fn", "le", "bel"}
    assert sum(row.count for row in fair.transitions if row.label is None) == fair.diffs[0].items
