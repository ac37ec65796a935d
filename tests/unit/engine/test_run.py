"""Degenerate input: what has to come out where there is little or nothing to count."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

import assay
from assay.errors import UsageError
from assay.render import render
from assay.result import Result
from unit.samples import conllu, refusal, tagged, tsv

MEASURES = ["accuracy", "sentence-accuracy", "tag-f1"]


def test_gold_against_itself_is_100_percent_everywhere():
    gold = [["A", "B"], ["C"]] * 15
    result = assay.score(gold, gold, MEASURES, times=50)
    assert {row.value for row in result.scores} == {1.0}
    assert {row.high for row in result.scores} == {1.0}
    # Without an error, words of one sentence are taken to be correlated: 1.5 words a sentence, .1 within it.
    for row in result.scores:
        z = 2.045229642132703  # Student's t, 29 degrees
        items = 30 if row.score == "value" else 45 / 1.05
        if row.label is None and row.score in ("precision", "recall", "value", "aligned"):
            assert row.low == pytest.approx(1 / (1 + z * z / items))
            assert (row.effective_items, row.assumed) == (pytest.approx(items), row.score != "value")
        assert 0 < row.low < 1


def test_percentiles_of_what_does_not_vary_have_no_width():
    gold = [["A", "B"], ["C"]] * 15
    result = assay.score(gold, gold, MEASURES, times=50, interval="percentile")
    assert {(row.low, row.high) for row in result.scores if row.label is None} == {(1.0, 1.0)}


@pytest.mark.parametrize("interval", ["score", "percentile", "bca", "wilson"])
def test_one_word_in_one_sentence_has_every_measure(interval):
    right = assay.score([["A"]], [["A"]], MEASURES, times=20, interval=interval)
    wrong = assay.score([["A"]], [["B"]], MEASURES, times=20, interval=interval)
    assert right.score("system 1", "accuracy").value == 1
    assert right.score("system 1", "tag-f1", "macro-f1").value == 1
    assert wrong.score("system 1", "accuracy").value == 0
    assert wrong.score("system 1", "sentence-accuracy").value == 0


def kinds(result):
    """The kinds of intervals of overall scores, by measure and score."""
    return {(row.measure, row.score): row.interval for row in result.scores if row.label is None}


def test_each_interval_says_its_kind_where_the_one_asked_for_cannot_be_made():
    gold = [["A", "B", "C", "A"], ["A", "B"], ["C", "C", "A"]] * 8
    systems = {
        "s": [["A", "B", "A", "A"], ["A", "A"], ["C", "C", "B"]] * 8,
        "t": [["A"] * 4, ["B"] * 2, ["C"] * 3] * 8,
    }
    told = {}
    for interval in ("percentile", "bca", "wilson"):
        result = assay.compare(gold, systems, ["accuracy", "tag-f1"], times=50, interval=interval)
        told[interval] = kinds(result), {row.interval for row in result.comparisons if row.test == "shuffling"}
        named = {"percentile": "percentile", "bca": "bca+percentile", "wilson": "wilson+percentile"}[interval]
        assert f"|interval:{named}|" in result.signature
        warned = [text for text in result.warnings if text.startswith(f"--interval {interval}: bootstrap")]
        assert bool(warned) == (interval != "percentile")
        assert all("macro-f1, macro-precision, macro-recall, weighted-f1 of tag-f1" in text for text in warned)
        assert Result.from_json(result.to_json()).to_json() == result.to_json()
    assert set(told["percentile"][0].values()) == told["percentile"][1] == {"percentile"}
    averages = {
        ("tag-f1", name): "percentile" for name in ("macro-f1", "macro-precision", "macro-recall", "weighted-f1")
    }
    plain = {*((measure, name) for measure in ("accuracy", "tag-f1") for name in ("f1", "precision", "recall"))}
    plain |= {("accuracy", "aligned")}
    assert told["bca"] == ({**dict.fromkeys(plain, "bca"), **averages}, {"bca", "percentile"})
    # With equal words accuracy's f1 is a proportion; that of tags is none.
    f1 = {("tag-f1", "f1"): "percentile"}
    assert told["wilson"] == ({**dict.fromkeys(plain, "wilson"), **f1, **averages}, {"percentile"})


def test_two_identical_systems_do_not_differ():
    gold, system = [["A", "B"], ["A", "A"]] * 12, [["A", "A"], ["A", "B"]] * 12
    result = assay.compare(gold, {"s": system, "t": system}, MEASURES, times=50)
    for row in result.comparisons:
        assert (row.difference, row.p, row.p_adjusted, row.units) == (0, 1, 1, 0)
        if row.test == "shuffling":
            assert (row.low, row.high) == (0, 0)
    (diff,) = [row for row in result.diffs if row.on == "accuracy"]
    assert (diff.different, diff.corrections, diff.new_errors, diff.changed_errors, diff.changes) == (0, 0, 0, 0, ())
    assert "s and t give the same answers everywhere." in result.warnings


def test_a_label_never_in_gold_has_no_recall_but_a_precision():
    result = assay.score([["A", "B"]] * 5, {"s": [["A", "X"]] * 5}, "tag-f1", times=20)
    assert math.isnan(result.score("s", "tag-f1", "recall", "X").value)
    assert result.score("s", "tag-f1", "precision", "X").value == 0
    assert math.isnan(result.score("s", "tag-f1", "precision", "B").value)
    assert result.score("s", "tag-f1", "recall", "B").value == 0
    assert result.score("s", "tag-f1", "macro-f1").value == 0.5


def test_labels_in_any_writing_come_through_json_unchanged():
    labels = ["N N", "N|J", "<b>", "שם", "😀", "\\t", "a\tb", "2020", "null", ""]
    result = assay.score([labels], {"s": [list(reversed(labels))]}, "tag-f1", times=10)
    back = Result.from_json(result.to_json())
    assert {row.label for row in back.scores} == {None, *labels}


def test_a_comparison_without_unseen_words_is_undefined_not_a_crash(file):
    file("gold.tsv", tsv(tagged("a/X b/Y"), tagged("a/X")))
    file("s.tsv", tsv(tagged("a/X b/X"), tagged("a/X")))
    file("known.txt", "a\nb\n")
    for measures in (["oov-accuracy"], ["accuracy", "oov-accuracy"]):
        known = Path("known.txt")
        result = assay.compare("gold.tsv", {"s": "s.tsv", "t": "gold.tsv"}, measures, train=known, times=10)
        rows = [row for row in result.comparisons if row.measure == "oov-accuracy" and row.test == "shuffling"]
        assert len(rows) == 1
        assert math.isnan(rows[0].difference)


def test_a_slice_where_all_systems_are_undefined_does_not_crash(file):
    file("gold.tsv", tsv(tagged("a/X"), tagged("b/Y")))
    file("s.tsv", tsv(tagged("a/X"), tagged("b/X")))
    file("known.tsv", tsv(tagged("a/X")))
    result = assay.compare(
        "gold.tsv",
        {"s": "s.tsv", "t": "gold.tsv"},
        ["accuracy", "oov-accuracy"],
        train="known.tsv",
        slices=["seen", "document", "sentence-length", "label", "frequency"],
        times=10,
    )
    assert any(row.slice == "seen=seen" for row in result.scores)


def test_the_same_seed_gives_the_same_figures_and_another_gives_others():
    rng = np.random.default_rng(1)
    gold = [[str(x) for x in rng.integers(0, 3, 8)] for _ in range(60)]
    systems = {n: [[str(x) for x in rng.integers(0, 3, 8)] for _ in range(60)] for n in "ab"}
    first, again, other = (
        assay.compare(gold, systems, times=200, seed=seed, interval="percentile").to_json() for seed in (0, 0, 1)
    )
    assert first == again
    assert json.loads(first)["scores"] != json.loads(other)["scores"]


def test_the_global_random_state_is_left_alone():
    np.random.seed(3)
    before = np.random.get_state()[1].tolist()
    assay.compare([["A", "B"]] * 30, {"a": [["A", "A"]] * 30, "b": [["B", "B"]] * 30}, times=20)
    assert np.random.get_state()[1].tolist() == before


def test_a_result_survives_json_with_nan_and_numpy_numbers():
    from dataclasses import replace

    result = assay.compare([["A", "B"]] * 3, {"a": [["A", "X"]] * 3, "b": [["B", "B"]] * 3}, MEASURES, times=10)
    odd = replace(result, scores=(replace(result.scores[0], value=np.float32(0.5), low=np.nan, high=np.inf),))
    back = Result.from_json(odd.to_json())
    assert back.scores[0].value == 0.5
    assert math.isnan(back.scores[0].low)
    assert math.isnan(back.scores[0].high)
    plain = Result.from_json(result.to_json())
    assert plain.to_json() == result.to_json()
    assert plain.diffs == result.diffs
    assert '"from":' in result.to_json()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "{",
            "line 1: not JSON (Expecting property name enclosed in double quotes). "
            "Was it written by assay --format json?",
        ),
        ("[]", "has no schema, but assay reads 'assay/2'. Was it written by assay --format json?"),
        (
            '{"schema": "assay/9"}',
            "has the schema 'assay/9', but assay reads 'assay/2'. Was it written by assay --format json?",
        ),
    ],
)
def test_json_that_is_no_result_is_refused(text, message):
    assert refusal(Result.from_json, text) == message


def test_json_with_missing_fields_is_refused_not_a_crash():
    assert "version" in refusal(Result.from_json, '{"schema": "assay/2"}')
    assert "command" in refusal(Result.from_json, '{"schema": "assay/1"}')


def test_mapping_files_and_known_words_are_in_the_signature(file):
    file("gold.conllu", conllu(tagged("a/X b/Y")))
    file("m", "X\tZ\n")
    file("k.txt", "a\n")
    plain = assay.score("gold.conllu", "gold.conllu", "accuracy", times=10).signature
    full = assay.score("gold.conllu", "gold.conllu", "accuracy", times=10, map="m", train="k.txt").signature
    assert "map:sha256=" not in plain
    assert "map:sha256=" in full
    assert "train:sha256=" in full
    folded = assay.score("gold.conllu", "gold.conllu", "accuracy", times=10, train="k.txt", oov_fold_case=True)
    assert "|oov_fold_case:True|" in folded.signature
    message = refusal(assay.score, "gold.conllu", "gold.conllu", oov_fold_case=True)
    assert message == "--oov-fold-case is for the words of --train and --lexicon. Give one of them."


ATOMIC = 'name = "own"\nkind = "atomic"\n'
MODULE = """import assay
from assay.engine.items import judge_words
from assay.engine.measure import FOUND

@assay.measure("mine", scores=FOUND, main="f1")
def mine(pair):
    \"\"\"{}\"\"\"
    return judge_words(pair)
"""
PRM = "DEBUG 0\nMAX_ERROR 10\nLABELED 1\nDELETE_LABEL {}\n"
WEIGHTS = tuple(json.dumps({"kind": "wpa", "w": {"pos": weight}}) for weight in (1, 2))


@pytest.mark.parametrize(
    ("name", "texts", "options"),
    [
        ("m", ("X\tZ\n", "Y\tZ\n"), {"map": "m"}),
        ("k.txt", ("a\n", "b\n"), {"train": "k.txt"}),
        ("k.txt", ("a\n", "b\n"), {"lexicon": "k.txt"}),
        ("own_measure.py", (MODULE.format("one"), MODULE.format("two")), {"measures": "own_measure:mine"}),
        ("w.json", WEIGHTS, {"tagset": "atomic", "weights": "w.json"}),
        ("w.json", WEIGHTS, {"tagset": "atomic", "measures": "wpa(weights=w.json)"}),
        ("t.toml", (ATOMIC, ATOMIC + "# more\n"), {"tagset": "t.toml"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_another_content_under_the_same_name_is_another_signature(file, monkeypatch, name, texts, options):
    file("gold.conllu", conllu(tagged("a/X b/Y")))
    found = []
    for text in (*texts, texts[0]):
        file(name, text)
        monkeypatch.delitem(sys.modules, "own_measure", raising=False)
        chosen = {"measures": "accuracy", "times": 2, **options}
        found.append(assay.score("gold.conllu", "gold.conllu", **chosen).signature)
    assert found[0] == found[2] != found[1]


def test_another_parameter_file_under_the_same_name_is_another_signature(file):
    file("gold.mrg", "(S (NP (N a)) (VP (V b)))\n")
    found = []
    for label in ("NP", "VP"):
        file("own.prm", PRM.format(label))
        found.append(assay.score("gold.mrg", "gold.mrg", "parseval(params=own.prm)", times=2).signature)
    assert found[0] != found[1]


PLAIN_SIGNATURE = {
    *("assay", "task", "column", "measures", "unit", "n", "interval", "times", "seed", "gold", "systems"),
}


def signed(**options):
    """The signature, taken apart."""
    text = assay.score("gold.conllu", "gold.conllu", "accuracy", times=10, **options).signature
    return dict(part.split(":", 1) for part in text.split("|"))


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ({}, {}),
        ({"on_mismatch": "error", "oov_fold_case": False, "slices": ()}, {}),
        ({"on_mismatch": "skip"}, {"on_mismatch": "skip"}),
        ({"input_format": "conllu"}, {"input_format": "conllu"}),
        ({"slices": ("label",)}, {"slices": "label"}),
        ({"slices": ("label", "document")}, {"slices": "label+document"}),
        ({"slices": ["label", "document"]}, {"slices": "label+document"}),
        ({"alternatives": ","}, {"alternatives": ","}),
        ({"tagset": "atomic"}, {"tagset": "atomic"}),
        ({"tagset": "atomic", "expand_optional": True}, {"tagset": "atomic", "expand_optional": "True"}),
        ({"tagset": "atomic", "strict_tagset": True}, {"tagset": "atomic", "strict_tagset": "True"}),
        ({"tagset": "atomic", "weights": "equal"}, {"tagset": "atomic", "weights": "equal"}),
        ({"examples": 3}, {}),
    ],
    ids=str,
)
def test_the_signature_holds_every_option_that_differs_from_its_default(file, options, parts):
    file("gold.conllu", conllu(tagged("a/X b/Y"), tagged("c/X")))
    found = signed(**options)
    assert {name: value for name, value in found.items() if name not in PLAIN_SIGNATURE} == parts
    assert found.keys() >= PLAIN_SIGNATURE


# --- one figure by its name ---


@pytest.mark.parametrize(
    "spec",
    [
        "parseval(labelled=false, preset=spmrl)",
        "parseval(preset=spmrl, labelled=false)",
        "parseval( preset = spmrl , labelled = False, unary=true )",
    ],
)
def test_a_measure_is_found_however_its_parameters_are_written(file, spec):
    tree = file("t.mrg", "(S (NP (N a)) (VP (V b)))\n")
    result = assay.score(tree, {"s": tree}, ["parseval", "parseval(labelled=false, preset=spmrl)"], times=2)
    assert result.score("s", spec).measure == "parseval(labelled=false, preset=spmrl)"
    assert result.score("s", "parseval(labelled=true)").measure == "parseval"
    assert refusal(result.score, "s", "parseval(labelled=false)").startswith("there is no measure")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("tager", "accuracy"), "there is no system 'tager'. Did you mean tagger?"),
        (("tagger", "acuracy"), "there is no measure 'acuracy'. Did you mean accuracy?"),
        (("tagger", "zzz"), "there is no measure 'zzz'. Available: accuracy, tag-f1."),
        (("tagger", "accuracy", "f2"), "accuracy has no score 'f2' for tagger and label None."),
        (("tagger", "tag-f1", "f1", "Q"), "tag-f1 has no score 'f1' for tagger and label 'Q'."),
    ],
)
def test_a_figure_that_does_not_exist_is_refused_with_the_nearest(names, message):
    result = assay.score([["A", "B"]], {"tagger": [["A", "A"]]}, ["accuracy", "tag-f1"], times=10)
    with pytest.raises(UsageError) as caught:
        result.score(*names)
    assert str(caught.value) == message


# --- Holm's correction ---


def by_hand(values):
    """Holm's adjusted p-values."""
    adjusted, highest = [0.0] * len(values), 0.0
    for rank, index in enumerate(sorted(range(len(values)), key=lambda index: values[index])):
        highest = max(highest, min(1.0, (len(values) - rank) * values[index]))
        adjusted[index] = highest
    return adjusted


def test_the_correction_is_over_pairs_and_measures_and_not_over_slices():
    rng = np.random.default_rng(5)
    gold = [[str(x) for x in rng.integers(0, 3, 1 + i % 9)] for i in range(60)]
    systems = {
        name: [[label if rng.random() < share else "0" for label in labels] for labels in gold]
        for name, share in (("a", 0.5), ("b", 0.6), ("c", 0.75))
    }
    given = {"slices": ("sentence-length", "label"), "times": 200}
    result = assay.compare(gold, systems, MEASURES, **given)
    assert result.about.family == 9
    mains = result.main_scores
    whole = [row for row in result.comparisons if row.slice is None]
    families = {}
    for row in whole:
        # A further score of a measure is no claim of its own.
        further = row.score if row.test == "shuffling" and row.score != mains[row.measure] else ""
        families.setdefault((row.test, further), []).append(row)
    assert {key: len(rows) for key, rows in families.items()} == {
        ("shuffling", ""): 9,
        ("shuffling", "macro-f1"): 3,
        ("mcnemar", ""): 3,
    }
    for rows in families.values():
        assert [row.p_adjusted for row in rows] == pytest.approx(by_hand([row.p for row in rows]))
    sliced = [row for row in result.comparisons if row.slice is not None]
    assert len(sliced) > 20 and all(np.isnan(row.p_adjusted) for row in sliced)
    corrected = assay.compare(gold, systems, MEASURES, **given, correct="slices").comparisons
    for test in ("shuffling", "mcnemar"):
        rows = [row for row in corrected if row.slice is not None and row.test == test]
        expected = stats.false_discovery_control([row.p for row in rows])
        assert [row.p_adjusted for row in rows] == pytest.approx(list(expected))


def test_against_a_baseline_its_pairs_alone_are_tested():
    rng = np.random.default_rng(5)
    gold = [[str(x) for x in rng.integers(0, 3, 5)] for i in range(30)]
    systems = {name: [[rng.choice([x, "0"]) for x in row] for row in gold] for name in "abcd"}
    result = assay.compare(gold, systems, ["accuracy"], times=50, baseline="b")
    assert result.about.family == 3
    pairs = [(row.a, row.b) for row in result.comparisons if row.test == "shuffling"]
    assert pairs == [("a", "b"), ("b", "c"), ("b", "d")]
    with pytest.raises(UsageError, match="there is no system 'e'"):
        assay.compare(gold, systems, ["accuracy"], times=50, baseline="e")


def test_a_single_pair_needs_no_correction():
    gold = [["A", "B"]] * 10
    result = assay.compare(gold, {"a": [["A", "A"]] * 10, "b": gold}, ["accuracy"], times=50)
    assert result.about.family == 1
    assert [row.p_adjusted for row in result.comparisons] == [row.p for row in result.comparisons]


def test_few_shufflings_are_no_obstacle_where_all_of_them_were_enumerated():
    """Twelve sentences, all better: the exact p is 2/4096, whatever `times` is."""
    result = assay.compare([["A"]] * 12, {"a": [["B"]] * 12, "b": [["A"]] * 12}, "accuracy", times=10)
    (row,) = [row for row in result.comparisons if row.test == "shuffling"]
    assert (row.exact, row.p_adjusted) == (True, 2 / 4096)


def test_few_shufflings_are_no_obstacle_where_they_were_drawn():
    """F1 of 300 sentences: ten shufflings are never as extreme, nor are 10,000."""
    gold = [["B-X", "O"]] * 300
    systems = {"a": [["B-X", "O"]] * 200 + [["O", "O"]] * 60 + [["O", "B-X"]] * 40, "b": gold}
    for times in (10, 1000):
        (row,) = assay.compare(gold, systems, "exact", times=times).main_tests
        assert (row.method, row.exact) == ("tilted", False)
        assert (row.p_low, row.p, row.p_high) == pytest.approx((2.0**-99,) * 3, rel=1e-12)
        assert row.p_adjusted == row.p


# --- examples ---


GOLD = [["A", "B"], ["A", "C"], ["C"]]
ONE = [["B", "B"], ["A", "B"], ["A"]]
TWO = [["A", "B"], ["B", "A"], ["A"]]


def shown(**options):
    result = assay.compare(GOLD, {"one": ONE, "two": TWO}, "accuracy", times=10, **options)
    return [(row.sentence, [(item.position, item.kind) for item in row.items]) for row in result.examples]


def test_examples_are_sentences_with_their_changes_marked():
    assert shown(examples=9) == [
        ("1", [(0, "correction")]),
        ("2", [(0, "new-error"), (1, "changed-error")]),
    ]


@pytest.mark.parametrize(
    ("options", "sentences"),
    [
        ({"kind": "correction"}, ["1"]),
        ({"kind": "new-error"}, ["2"]),
        ({"change": "B→A"}, ["1", "2"]),
        ({"change": "B -> A"}, ["1", "2"]),
        ({"change": "C→B→A"}, ["2"]),
        ({"change": "*→B"}, ["2"]),
        ({"change": "Z→Q"}, []),
        ({"change": "B→A", "kind": "changed-error"}, ["2"]),
    ],
)
def test_examples_are_filtered_by_kind_and_change(options, sentences):
    assert [sentence for sentence, _ in shown(examples=9, **options)] == sentences


def test_of_many_examples_so_many_are_drawn_in_text_order():
    gold, one, two = [["A"]] * 40, [["A"]] * 40, [["B"]] * 40
    result = assay.compare(gold, {"one": one, "two": two}, "accuracy", times=10, examples=5)
    numbers = [int(row.sentence) for row in result.examples]
    assert len(numbers) == 5
    assert numbers == sorted(set(numbers))
    assert numbers != [1, 2, 3, 4, 5]


def test_with_one_system_examples_are_its_errors():
    result = assay.score(GOLD, {"one": ONE}, "accuracy", times=10, examples=9, change="A→B")
    assert [(row.sentence, row.b, row.items[0].kind) for row in result.examples] == [("1", None, "error")]


def test_with_one_system_there_are_no_kinds_of_change():
    assert refusal(assay.score, GOLD, {"one": ONE}, "accuracy", times=10, examples=9, kind="correction") == (
        "--kind selects changes between two systems, but there is only one. Give a second system."
    )


def test_a_negative_number_of_examples_is_refused():
    assert "examples" in refusal(assay.score, GOLD, {"one": ONE}, "accuracy", times=10, examples=-1)


@pytest.mark.parametrize("change", ["A", "A→", "A→B→C→D"])
def test_a_change_of_another_form_is_refused(change):
    message = refusal(assay.compare, GOLD, {"one": ONE, "two": TWO}, "accuracy", times=10, examples=1, change=change)
    assert message == f"--change {change!r} should have the form NN→NE, or gold→NN→NE; * stands for any label."


def test_rows_become_a_data_frame_where_pandas_is_there(monkeypatch):
    result = assay.score([["A", "B"]], [["A", "A"]], times=1)
    frames = []
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=frames.append))
    result.to_pandas()
    assert frames[0][0]["measure"] == "accuracy"
    assert frames[0][0]["value"] == 0.5
    with pytest.raises(UsageError, match="there is no list of rows 'score'"):
        result.to_pandas("score")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UsageError, match="pandas is not installed: pip install pandas"):
        result.to_pandas()


def test_examples_that_nothing_fits_are_told_of():
    result = assay.score([["A", "B"]], [["A", "A"]], times=1, examples=3, change="C->D")
    assert "no sentence matches C->D." in result.warnings


def test_a_comparison_that_leaves_doubt_points_to_many_splits():
    gold = [["A", "B"]] * 40
    near, far = [["A", "A"]] * 2 + gold[2:], [["B", "A"]] * 40
    hint = "This is one test set."
    doubtful = assay.compare(gold, {"near": near, "gold": gold}, times=500)
    assert [note for note in doubtful.notes if note.startswith(hint)]
    sure = assay.compare(gold, {"far": far, "gold": gold}, times=2000)
    assert not [note for note in sure.notes if note.startswith(hint)]


def test_a_parameter_that_is_a_path_is_no_category(file, tmp_path):
    trees = {"gold": "(S (NP (N a)) (V b))", "a": "(S (VP (N a)) (V b))", "b": "(S (NP (N a)) (V b))"}
    gold, a, b = (file(f"{name}.mrg", f"{tree}\n" * 3) for name, tree in trees.items())
    (tmp_path / "d").mkdir(exist_ok=True)
    file("d/x.prm", "DEBUG 0\nMAX_ERROR 10\nLABELED 1\n")
    result = assay.compare(gold, [a, b], "parseval(params=d/x.prm)", times=5)
    titles = [line for line in render(result, "tsv").splitlines() if line.startswith("# ")]
    assert "# What differs (parseval(params=d/x.prm))" in titles
    assert "# Upper bound of the combination" in titles


OWN_COUNTER = """import assay
from assay.engine.counts import tally
from assay.engine.items import judge_words
from assay.engine.measure import FOUND

def count(items, sentences):
    return tally(items, sentences)

@assay.measure("own", scores=FOUND, main="f1", count=count, by_item={})
def own(pair):
    \"\"\"Words with the label that gold has.\"\"\"
    return judge_words(pair)
"""


@pytest.mark.parametrize(("by_item", "slices"), [(None, 1), (True, 3)])
def test_a_counter_of_ones_own_that_counts_items_is_said_to(file, by_item, slices):
    texts = {"gold": "a/X b/Y c/X d/Y", "a": "a/X b/X c/X d/Y", "b": "a/X b/Y c/X d/X"}
    gold, a, b = (file(f"{name}.conllu", conllu(tagged(text))) for name, text in texts.items())
    file(f"own_counter_{slices}.py", OWN_COUNTER.format(by_item))
    result = assay.compare(gold, [a, b], f"own_counter_{slices}:own", slices=("label",), times=5)
    assert len({row.slice for row in result.scores}) == slices
    assert any(row.test == "mcnemar" for row in result.comparisons) is bool(by_item)
