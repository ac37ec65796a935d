"""What systems do differently with spans: gold's items and those that systems add, changes, bounds, examples."""

from __future__ import annotations

import json
from collections import Counter

import pytest

import assay
from unit.samples import spans, tagged

# Gold, what A has, what B has; each sentence shows one kind of change.
CASES = [
    ("A1-2", "A1-2", "A1-2"),  # both right
    ("A1-2", "B1-2", "A1-2"),  # a wrong label put right
    ("A1-2", "A1", "A1-2"),  # a boundary put right
    ("A1-2", "A1-2", "A1-3"),  # a new boundary error
    ("A1-2", "", "B1-2"),  # missed, then found under another label
    ("A1-2", "A1", "A2"),  # too small in another way: the same kind of error
    ("", "A1", ""),  # something spurious lost
    ("", "", "B1"),  # something spurious gained
    ("", "A1", "A1"),  # the same thing spurious in both
    ("", "A1", "B1"),  # one thing lost, another gained
    ("", "A1 A1", "A1"),  # lost once of two times
    ("A1-4", "A1-2 A3-4", "A1-4"),  # a span in two pieces put together
]
GOLD, A, B = (spans(*column) for column in zip(*CASES, strict=True))


@pytest.fixture(scope="module")
def result():
    return assay.compare(GOLD, {"a": A, "b": B}, times=50)


def test_items_are_golds_spans_and_those_that_systems_add(result):
    """12 sentences, 7 gold spans; 8 more items: the pieces and spurious spans, each once."""
    (diff,) = result.diffs
    assert diff.on == "fair"
    assert (result.about.items, diff.items) == (7, 15)


def test_corrections_and_new_errors_are_counted_by_hand(result):
    (diff,) = result.diffs
    assert (diff.corrections, diff.new_errors, diff.changed_errors) == (7, 3, 1)
    assert (diff.both_right, diff.same_error, diff.different) == (1, 3, 11)
    assert diff.net == 7 - 3
    figures = [result.score(name, "fair").value for name in ("a", "b")]
    assert (diff.score, diff.difference) == ("f1", figures[1] - figures[0])
    assert diff.overlap_all == pytest.approx(4 / 15)
    # A has 2 gold items right, and is right not to add what B alone adds (2); B has 4 + 4 right.
    assert diff.overlap_right == 2 * 1 / ((2 + 2) + (4 + 4))


def test_changes_say_what_became_what(result):
    (diff,) = result.diffs
    assert {(row.kind, row.gold, row.before, row.after, row.count) for row in diff.changes} == {
        ("correction", "A", "B", "A", 1),
        ("correction", "A", "A (BEs)", "A", 2),
        ("correction", "∅", "A", "∅", 3),
        ("correction", "∅", "A (BEs)", "∅", 1),
        ("new-error", "A", "A", "A (BEl)", 1),
        ("new-error", "∅", "∅", "B", 2),
        ("changed-error", "A", "∅", "B", 1),
    }


def table(result, label):
    return {(row.before, row.after): row.count for row in result.transitions if row.label == label}


def test_transitions_say_what_became_of_every_item(result):
    gold = {
        ("tp", "tp"): 1,
        ("le", "tp"): 1,
        ("bes", "tp"): 2,
        ("tp", "bel"): 1,
        ("fn", "le"): 1,
        ("bes", "bes"): 1,
    }
    added = {("fp", "none"): 3, ("none", "fp"): 2, ("fp", "fp"): 2, ("bes", "none"): 1}
    assert table(result, "A") == gold
    assert table(result, "∅") == added
    assert table(result, None) == gold | added
    assert sum(table(result, None).values()) == 15


def test_transitions_in_json_have_the_names_of_changes(result):
    row = json.loads(result.to_json())["transitions"][0]
    assert {"a", "b", "on", "slice", "label", "from", "to", "count"} == set(row)
    assert assay.Result.from_json(result.to_json()).transitions == result.transitions


def test_bounds_are_over_golds_spans(result):
    overall = next(row for row in result.bounds if row.label is None)
    assert (overall.items, overall.systems, overall.upper) == (7, {"a": 2 / 7, "b": 4 / 7}, 5 / 7)
    assert (overall.all_right, overall.none_right, overall.best) == (1, 2, "b")
    assert [(step.added, step.upper) for step in result.growth] == [("b", 4 / 7), ("a", 5 / 7)]
    assert {row.system: row.only_right for row in result.unique} == {"a": 1, "b": 3}


def test_labels_are_those_of_gold_and_contributions_those_of_both_sides(result):
    (diff,) = result.diffs
    rows = [(row.label, row.items, row.a, row.b) for row in diff.labels]
    assert rows == [("A", 7, 2 / 7, 4 / 7), ("∅", 8, 2 / 8, 4 / 8)]
    assert sum(result.label_contributions(diff).values()) == pytest.approx(diff.difference, abs=1e-12)


def test_two_systems_are_compared_without_what_a_third_one_adds():
    third = spans(*["C9"] * len(CASES))
    result = assay.compare(GOLD, {"a": A, "b": B, "c": third}, times=20)
    items = {(row.a, row.b): row.items for row in result.diffs}
    assert items[("a", "b")] == 15
    # Gold's 7, A's 6 of its own (5 spurious and a piece), and a C in each of 12 sentences.
    assert items[("a", "c")] == 7 + 6 + 12
    alone = assay.compare(GOLD, {"a": A, "b": B}, times=20)
    (ours,) = [row for row in result.diffs if (row.a, row.b) == ("a", "b")]
    assert ours == alone.diffs[0]


def test_the_measure_that_tells_most_apart_is_what_systems_are_compared_on():
    for measures, on in ((["exact", "fair"], "fair"), (["exact"], "exact"), (["exact", "semeval"], "semeval")):
        result = assay.compare(GOLD, {"a": A, "b": B}, measures, times=20)
        assert {row.on for row in result.diffs} == {on}
        assert {row.measure for row in result.confusion} == {on}


def test_exact_alone_has_hits_missed_and_spurious_spans():
    """Each error is two items there: a gold span missed and a spurious one, unless the systems share the latter."""
    result = assay.compare(
        spans("A1-2", "A1-2"), {"a": spans("B1-2", "A1"), "b": spans("A1-2", "A1")}, "exact", times=20
    )
    (diff,) = result.diffs
    assert diff.items == 2 + 2
    assert (diff.corrections, diff.new_errors, diff.same_error) == (2, 0, 2)
    assert table(result, None) == {("fn", "tp"): 1, ("fp", "none"): 1, ("fn", "fn"): 1, ("fp", "fp"): 1}


@pytest.mark.parametrize("counting", ["fair(symmetric=true)", "span-kappa"])
def test_measures_that_only_count_are_not_what_systems_are_compared_on(counting):
    """Matched both ways, or with the spans of one system alone, items are not gold's."""
    gold, systems = spans("A1 B5", "A1"), {"a": spans("B5", "A1"), "b": spans("A1", "A1")}
    for measures, on in (([counting], set()), ([counting, "exact"], {"exact"}), (["fair", counting], {"fair"})):
        result = assay.compare(gold, systems, measures, times=20)
        assert {row.on for row in result.diffs} == {row.on for row in result.bounds} == on
        assert {row.measure for row in result.comparisons} == set(measures)


# --- confusion and types of errors ---


def test_confusion_has_hits_and_errors_by_type(result):
    found = {(row.gold, row.assigned, row.type): row.count for row in result.confusion if row.system == "a"}
    assert found == {
        ("A", "A", "tp"): 2,
        ("A", "A", "bes"): 4,
        ("A", "B", "le"): 1,
        ("A", None, "fn"): 1,
        (None, "A", "fp"): 5,
    }
    errors = [row.type != "tp" for row in result.confusion if row.system == "a"]
    assert errors == sorted(errors, reverse=True)


def test_shares_of_the_types_of_errors_add_up(result):
    for measure, types in (("exact", {"fp", "fn"}), ("fair", {"fp", "fn", "le", "bes", "bel", "beo", "lbe"})):
        rows = [row for row in result.error_types if (row.system, row.measure) == ("a", measure)]
        assert {row.type for row in rows} == types
        assert sum(row.share for row in rows) == pytest.approx(1)
    assert {row.type: row.count for row in rows} == {
        "fp": 5,
        "fn": 1,
        "le": 1,
        "bes": 4,
        "bel": 0,
        "beo": 0,
        "lbe": 0,
    }


# --- slices ---


def test_the_changes_of_slices_make_up_the_whole():
    gold, a, b = spans("A1-2 B4", "A1 B5-7"), spans("A1 B4", "B5-6 C9"), spans("A1-2", "A1 C8")
    result = assay.compare(gold, {"a": a, "b": b}, slices=("label", "span-length"), times=20)
    whole = next(row for row in result.diffs if row.slice is None)
    labels = [row for row in result.diffs if row.slice and row.slice.startswith("label=")]
    assert sum(row.items for row in labels) == whole.items, "also those of a label that gold does not have"
    assert sum(row.corrections for row in labels) == whole.corrections
    assert {row.slice for row in result.transitions} >= {None, "label=A", "label=B"}


# --- examples ---


def examples(gold, systems, **options):
    return assay.compare(gold, systems, examples=9, times=20, **options).examples


def words(*texts):
    return [tagged(text) for text in texts]


def test_examples_show_the_spans_of_both_sides_with_what_became_of_them():
    gold = words("Anna/B-PER saw/O New/B-LOC York/I-LOC", "He/O ran/O")
    a = words("Anna/B-PER saw/O New/O York/B-LOC", "He/B-PER ran/O")
    b = words("Anna/B-PER saw/O New/B-LOC York/I-LOC", "He/O ran/O")
    first, second = examples(gold, {"a": a, "b": b})
    assert first.words == ("Anna", "saw", "New", "York")
    (item,) = first.items
    assert (item.position, item.end, item.gold, item.kind) == (2, 4, "LOC", "correction")
    assert item.answers == {"a": "LOC (BEs)", "b": "LOC"}
    assert [(span.side, span.label, span.stretches, span.kind) for span in first.spans if span.side != "gold"] == [
        ("a", "PER", ((0, 1),), "tp"),
        ("a", "LOC", ((3, 4),), "bes"),
        ("b", "PER", ((0, 1),), "tp"),
        ("b", "LOC", ((2, 4),), "tp"),
    ]
    assert [(span.label, span.stretches) for span in first.spans if span.side == "gold"] == [
        ("PER", ((0, 1),)),
        ("LOC", ((2, 4),)),
    ]
    (item,) = second.items
    assert (item.position, item.end, item.gold, item.answers) == (0, 1, None, {"a": "PER", "b": None})


def test_places_of_another_tokenisation_are_golds_words():
    gold = words("Anna/O Smith/O left/O Bonn/B-LOC")
    recut = [[("Anna", "O"), ("Smi", "B-X"), ("th", "I-X"), ("leftBonn", "B-LOC")]]
    (example,) = examples(gold, {"a": recut, "b": gold})
    places = {(item.position, item.end): item.answers["a"] for item in example.items}
    assert places == {(1, 2): "X", (3, 4): "LOC (BEl)"}
    assert {span.stretches for span in example.spans if span.side == "a"} == {((1, 2),), ((2, 4),)}


def test_spans_of_texts_are_shown_by_words_and_marks_with_their_gaps(file):
    text = "North and South America."
    pieces = [{"label": "LOC", "fragments": [[0, 5], [16, 23]]}, {"label": "LOC", "start": 10, "end": 23}]
    gold = file("gold.jsonl", json.dumps({"id": "d", "text": text, "spans": pieces}) + "\n")
    whole = file("s.jsonl", json.dumps({"id": "d", "text": text, "spans": [{**pieces[1], "start": 0}]}) + "\n")
    (example,) = assay.score(gold, {"s": whole}, examples=1, times=20).examples
    assert example.words == ("North", "and", "South", "America", ".")
    assert [(span.side, span.stretches) for span in example.spans] == [
        ("gold", ((0, 1), (3, 4))),
        ("gold", ((2, 4),)),
        ("s", ((0, 4),)),
    ]


@pytest.mark.parametrize(
    ("options", "sentences"),
    [
        ({"kind": "new-error"}, [4, 8, 10]),
        ({"change": "B→A"}, [2]),
        ({"change": "∅→∅→B"}, [8, 10]),
        ({"change": "A (BEs)→A"}, [3, 12]),
        ({"change": "*→A→∅", "kind": "correction"}, [7, 10, 11]),
    ],
)
def test_examples_are_chosen_by_kind_and_change(options, sentences):
    found = examples(GOLD, {"a": A, "b": B}, **options)
    assert [int(row.sentence) for row in found] == sentences


def test_with_one_system_examples_are_its_errors():
    result = assay.score(GOLD, {"a": A}, examples=20, times=20)
    assert [int(row.sentence) for row in result.examples] == [2, 3, 5, 6, 7, 9, 10, 11, 12]
    assert {item.kind for row in result.examples for item in row.items} == {"error"}


# --- every weighting ---

TYPES = ("le", "bes", "bel", "beo", "lbe")


def f1(counts, weights):
    """F1 where an error counts as so much of a hit and for the rest as spurious or missing."""
    hits = counts["tp"] + sum(weights.get(name, 0) * counts[name] for name in TYPES)
    rest = counts["fp"] + counts["fn"] + sum((1 - weights.get(name, 0)) * counts[name] for name in TYPES)
    return 2 * hits / (2 * hits + rest)


def swept(gold, a, b):
    result = assay.compare(gold, {"a": a, "b": b}, "fair", times=20, sweep=200)
    (sweep,) = result.sweeps
    counts = {row.system: row.counts for row in result.counts if row.label is None}
    return sweep, counts


def test_a_system_that_is_ahead_whatever_errors_weigh_is_named():
    sweep, counts = swept(spans(*["A1-2"] * 4), spans("A1-2", "B1-2", "", "A1"), spans("A1-2", "A1-2", "B1-2", "A1"))
    assert (sweep.always, sweep.a_better, sweep.b_better) == ("b", 0, 1)
    assert sweep.low > 0
    for ends in (sweep.low, sweep.low_at), (sweep.high, sweep.high_at):
        assert ends[0] == pytest.approx(f1(counts["b"], ends[1]) - f1(counts["a"], ends[1]), abs=1e-3)


def test_weights_that_turn_the_order_are_shown():
    """A has boundary errors, B misses spans altogether but has one more hit."""
    gold = spans(*["A1-2"] * 4)
    sweep, counts = swept(gold, spans("A1-2", "A1", "A1", "A1"), spans("A1-2", "A1-2", "", ""))
    assert sweep.always == ""
    assert sweep.low < 0 < sweep.high
    assert sweep.a_better > 0 and sweep.b_better > 0
    assert sweep.named["fair"] == pytest.approx(f1(counts["b"], {}) - f1(counts["a"], {}))
    half = dict.fromkeys(("bes", "bel", "beo"), 0.5)
    for name in ("be-half", "be-typed"):
        assert sweep.named[name] == pytest.approx(f1(counts["b"], half) - f1(counts["a"], half))


# --- an independent count ---


def test_items_are_what_a_plain_count_over_sets_finds():
    """Without overlaps, every item is a gold span or a spurious one: sets of spans say all."""
    gold = spans(*["A1 B4-5 A8"] * 5)
    a = spans("A1 B4-5", "A1 B4-5 A8 C10", "C10 C12", "A1 A8", "")
    b = spans("A1 A8", "A1 B4-5 A8", "C10", "A1 B4-5 A8 B12", "C12")
    result = assay.compare(gold, {"a": a, "b": b}, times=20)
    found = Counter()
    for ours, first, second in zip(gold, a, b, strict=True):
        for item in {*ours, *first, *second}:
            right = [(item in side) == (item in ours) for side in (first, second)]
            found[tuple(right)] += 1
    (diff,) = result.diffs
    assert (diff.both_right, diff.corrections, diff.new_errors, diff.same_error) == (
        *(found[True, True], found[False, True]),
        *(found[True, False], found[False, False]),
    )
