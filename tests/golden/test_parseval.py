"""Brackets as EVALB and evalb_spmrl count them, sentence by sentence, and scores of real parses."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest

import assay
from assay.engine.measure import find
from assay.engine.options import Options
from assay.engine.prepare import prepare

LINES = (Path(__file__).parents[1] / "data" / "parseval_cases.jsonl").read_text("utf-8").splitlines()
ROWS = [json.loads(line) for line in LINES]
CASES = {row["id"]: row for row in ROWS if "gold" in row}
TOTALS = {name: row for row in ROWS if "set" in row for name in row["expected"]}
SPECS = {
    "COLLINS": "parseval(preset=collins)",
    "COLLINS-unlabelled": "parseval(preset=evalb-collins, labelled=false)",
    "SPMRL": "parseval(preset=spmrl)",
}
SILENT = {
    "functions_and_indices": {"status": 0, "matched": 6, "gold": 6, "test": 6, "words": 4, "correct_tags": 4},
    "trace_only_constituent": {"status": 0, "matched": 3, "gold": 3, "test": 3, "words": 2, "correct_tags": 2},
    "length_mismatch": {"status": 1, "matched": 0, "gold": 0, "test": 0, "words": 0, "correct_tags": 0},
}
"""Sentences that evalb_spmrl calls valid and counts nothing of: what is there to be counted."""
SUMMARY = {
    "Bracketing Recall": "recall",
    "Bracketing Precision": "precision",
    "Bracketing FMeasure": "f1",
    "Complete match": "exact-match",
    "No crossing": "no-crossing",
    "2 or less crossing": "two-crossing",
    "Tagging accuracy": "tagging",
}


def written(folder, cases, test=None):
    """Gold's trees and the others as files, a tree per line."""
    paths = []
    for side in ("gold", "test"):
        paths.append(folder / f"{side}.brackets")
        lines = [(test or {}).get(case["id"], case[side]) if side == "test" else case[side] for case in cases]
        paths[-1].write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return [str(path) for path in paths]


def by_sentence(gold, test, spec, **options):
    """What is counted of each sentence, under the names of the cases."""
    run = prepare(gold, {"s": test}, [find(spec)], Options(on_mismatch="skip", **options))
    [(_, pair)], [measure] = run.pairs, run.measures
    counts = measure.counts_of(measure.judge(pair), pair.gold.sentences)
    rows = [dict(zip(counts.fields, row, strict=True)) for row in counts.matrix().tolist()]
    return [
        {
            "status": row["errors"] + 2 * row["skipped"],
            "matched": row["tp"],
            "gold": row["tp"] + row["fn"] + row["le"],
            "test": row["system"],
            "crossing": row["crossing"],
            "words": row["words"],
            "correct_tags": row["tags"],
        }
        for row in rows
    ]


def expected(case, program):
    """The program's counts, or what there is where it silently has none."""
    counts = case["expected"][program]
    if program == "SPMRL":
        counts = {**counts, **SILENT.get(case["id"], {})}
    return {name: counts[name] for name in ("status", "matched", "gold", "test", "crossing", "words", "correct_tags")}


@pytest.mark.parametrize("program", SPECS)
def test_every_sentence_is_counted_as_the_program_counts_it(program, tmp_path):
    cases = list(CASES.values())
    counted = by_sentence(*written(tmp_path, cases), SPECS[program])
    named = dict(zip(CASES, counted, strict=True))
    assert named == {case["id"]: expected(case, program) for case in cases}


def overall(result):
    """All scores in per cent with two decimals; crossing brackets as a number."""
    return {
        row.score: f"{(1 if row.score == 'crossing' else 100) * row.value:.2f}"
        for row in result.scores
        if row.label is None and row.slice is None
    }


def check_summary(result, summary):
    scores, counts = overall(result), result.counts[0].counts
    assert {title: scores[name] for title, name in SUMMARY.items()} == {title: summary[title] for title in SUMMARY}
    assert scores["crossing"] == summary["Average crossing"]
    assert counts["errors"] == int(summary["Number of Error sentence"])
    assert counts["skipped"] == int(summary["Number of Skip  sentence"])
    assert counts["sentences"] == int(summary["Number of Valid sentence"])


@pytest.mark.parametrize("program", ["COLLINS", "COLLINS-unlabelled"])
def test_the_summary_over_all_sentences_is_that_of_evalb(program, tmp_path):
    total = TOTALS[program]
    files = written(tmp_path, [CASES[name] for name in total["set"]])
    result = assay.score(*files, SPECS[program], on_mismatch="skip", times=5)
    check_summary(result, total["expected"][program])


def test_the_summary_is_that_of_evalb_spmrl_without_what_it_silently_calls_valid(tmp_path):
    total = TOTALS["SPMRL"]
    files = written(tmp_path, [CASES[name] for name in total["set"] if name not in SILENT])
    result = assay.score(*files, SPECS["SPMRL"], on_mismatch="skip", times=5)
    scores, counts, summary = overall(result), result.counts[0].counts, total["expected"]["SPMRL"]
    brackets = ("Bracketing Recall", "Bracketing Precision", "Bracketing FMeasure", "Tagging accuracy")
    assert {title: scores[SUMMARY[title]] for title in brackets} == {title: summary[title] for title in brackets}
    # The program takes a sentence in which it counts nothing for a valid one, and for a complete match.
    valid, exact = counts["sentences"] + len(SILENT), counts["exact"] + len(SILENT)
    assert f"{valid}" == summary["Number of Valid sentence"]
    assert f"{100 * exact / valid:.2f}" == summary["Complete match"]


def warnings_of(case, spec, folder):
    files = written(folder, [CASES["identical"], CASES[case], CASES["flat"], CASES["flat"]])
    return assay.score(*files, spec, on_mismatch="skip", times=5).warnings


def test_what_programs_pass_over_in_silence_is_reported(tmp_path):
    gold, test = (str(tmp_path / f"{side}.brackets") for side in ("gold", "test"))
    not_scored = "leaves it out; f1-all and recall-all count the constituents as missing."
    assert "gold: empty elements left out: 1." in warnings_of("functions_and_indices", SPECS["SPMRL"], tmp_path)
    assert (
        f"test.brackets keeps other words than gold in 1 sentence ({gold}:2). "
        f"parseval(preset=spmrl) {not_scored}"
    ) in warnings_of("length_mismatch", SPECS["SPMRL"], tmp_path)
    assert f"test.brackets: {test}:2: 'fast' is not in {gold}" in warnings_of("length_mismatch", "parseval", tmp_path)
    for case, called in (("root_S1", "labelled S1"), ("root_differs_TOP_vs_ROOT", "labelled ROOT")):
        assert (
            f"test.brackets: parseval(preset=collins) does not delete roots {called}, so 1 of them counts as a "
            "constituent."
        ) in warnings_of(case, SPECS["COLLINS"], tmp_path)
    assert (
        "gold: parseval(preset=collins) does not delete roots without a label, so 1 of them counts as a "
        "constituent."
    ) in warnings_of("empty_root_label", SPECS["COLLINS"], tmp_path)
    assert (
        f"test.brackets has no tree for 1 sentence ({gold}:2). parseval(preset=collins) {not_scored}"
    ) in warnings_of("empty_parse", SPECS["COLLINS"], tmp_path)


def test_sentences_that_cannot_be_compared_count_as_missing_in_the_scores_over_all(tmp_path):
    files = written(tmp_path, [CASES[name] for name in ("identical", "empty_parse", "word_mismatch", "flat")])
    scores = overall(assay.score(*files, SPECS["COLLINS"], on_mismatch="skip", times=5))
    # Of 12 constituents of gold 3 and 1 are found by 4 of the system; 6 are in the sentences left out.
    assert (scores["recall"], scores["recall-all"]) == (f"{400 / 6:.2f}", f"{400 / 12:.2f}")
    assert (scores["precision"], scores["f1"], scores["f1-all"]) == ("100.00", f"{800 / 10:.2f}", f"{800 / 16:.2f}")


# --- EVALB's own sample ---


@pytest.fixture(name="sample")
def given_sample(shared_data):
    return shared_data("parseval-evalb-sample")


@cache
def sample_rows(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


# Words without a bracket around them: EVALB takes a line for a sentence, so that they need none.
IN_A_ROOT = {"sample-8": "(TOP (P this) (Q is) (R a) (T test))"}


def test_the_sample_of_evalb_is_counted_as_evalb_counts_it(sample, tmp_path):
    cases = [row for row in sample_rows(sample / "sample.jsonl") if "gold" in row]
    files = written(tmp_path, cases, IN_A_ROOT)
    counted = by_sentence(*files, f"parseval(params={sample / 'sample.prm'})")
    assert counted == [expected(case, "sample") for case in cases]


def test_the_sample_is_read_as_it_is_where_a_line_is_said_to_be_a_sentence(sample, tmp_path):
    cases = [row for row in sample_rows(sample / "sample.jsonl") if "gold" in row]
    files = written(tmp_path, cases)
    spec = f"parseval(params={sample / 'sample.prm'})"
    place = f"{files[1]}:8: 4 trees in one line, while other lines contain one each."
    with pytest.raises(assay.AssayError, match=re.escape(place)):
        by_sentence(*files, spec)
    counted = by_sentence(*files, spec, input_format="brackets(line=sentence)")
    assert counted == [expected(case, "sample") for case in cases]


def test_the_summary_of_the_sample_is_that_of_evalb(sample, tmp_path):
    rows = sample_rows(sample / "sample.jsonl")
    files = written(tmp_path, [row for row in rows if "gold" in row], IN_A_ROOT)
    spec = f"parseval(params={sample / 'sample.prm'})"
    result = assay.score(*files, spec, on_mismatch="skip", times=5)
    check_summary(result, rows[-1]["expected"]["sample"])
    # Of the sentences of at most 40 words one is left out.
    short = assay.score(*files, spec.replace(")", ", cutoff=40)"), on_mismatch="skip", times=5).counts[0].counts
    assert short["sentences"] == result.counts[0].counts["sentences"] - 1
    assert result.counts[0].counts["gold"] - short["gold"] == 34


# --- real parses ---

PLAIN = {
    "pcfg-v1-hinf_goldpos": ("75.99", "72.77", "74.35", "24.47"),
    "pcfg-v1-h1_predpos": ("73.35", "69.23", "71.23", "21.32"),
    "pcfg-v2-h1_predpos": ("77.93", "77.36", "77.64", "29.25"),
    "pcfg-v2-h2_goldpos": ("80.68", "80.86", "80.77", "33.37"),
}
WITH_FUNCTIONS = {
    "pcfg-functions-v1-h1_predpos": (
        ("76.30", "74.80", "75.54", "28.01"),
        ("66.89", "65.57", "66.22", "21.51", "85.72"),
    ),
    "pcfg-functions-v2-h1_predpos": (
        ("77.07", "76.96", "77.02", "28.68"),
        ("68.55", "68.45", "68.50", "21.80", "86.21"),
    ),
    "pcfg-functions-v2-h1_goldpos": (
        ("81.32", "80.87", "81.10", "34.13"),
        ("73.11", "72.71", "72.91", "26.00", "91.14"),
    ),
}
NAMES = ("precision", "recall", "f1", "exact-match", "tagging")


@pytest.mark.parametrize("name", PLAIN)
def test_scores_of_parses_are_those_published_with_them(name, shared_data):
    folder = shared_data("const-dep-english")
    scores = overall(assay.score(str(folder / "gold.ptb"), str(folder / f"{name}.ptb"), "parseval", times=5))
    assert tuple(scores[score] for score in NAMES[:4]) == PLAIN[name]


@pytest.mark.parametrize("name", WITH_FUNCTIONS)
def test_scores_of_parses_with_functions_are_those_published_with_them(name, shared_data):
    folder = shared_data("const-dep-english")
    files = str(folder / "gold.enriched.ptb"), str(folder / f"{name}.ptb")
    plain, with_functions = (
        overall(assay.score(*files, spec, times=5)) for spec in ("parseval", "parseval(functions=true)")
    )
    assert tuple(plain[score] for score in NAMES[:4]) == WITH_FUNCTIONS[name][0]
    assert tuple(with_functions[score] for score in NAMES) == WITH_FUNCTIONS[name][1]


def test_trees_over_several_lines_agree_with_themselves_in_everything(shared_data):
    folder = str(shared_data("gum-const-dep") / "const")
    result = assay.score(folder, {"s": folder}, ["parseval", "bracket-f1(functions=true)", "leaf-ancestor"], times=5)
    scores = {(row.measure, row.score): row.value for row in result.scores if row.label is None}
    assert scores.pop(("parseval", "crossing")) == 0
    assert set(scores.values()) == {1}
    # Of the 30,018 nodes one in each of the 1,586 sentences is a root.
    assert result.counts[0].counts["gold"] == 30018 - 1586
