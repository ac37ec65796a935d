"""Events: cases with exact counts, the made corpus, all formats with the same two events, and properties."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.engine.measure import find
from assay.engine.options import Options
from assay.engine.prepare import prepare
from assay.errors import InputError
from cases import each

DATA = Path(__file__).parents[1] / "data" / "records"
CASES = [json.loads(line) for line in (DATA / "events.jsonl").read_text("utf-8").splitlines()]
STRICT = [name for name in CASES[0]["expected"] if name != "fair-events"]
FAIR = ("tp", "le", "be", "lbe", "ae", "fn", "fp")


def written(folder: Path, name: str, *sentences: Any) -> Path:
    """A file of TextEE's predictions, with twelve words in each sentence."""
    words = [f"w{number}" for number in range(12)]
    lines = [{"doc_id": "d", "wnd_id": f"d-{at}", "tokens": words, "events": own} for at, own in enumerate(sentences)]
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def counts_of(gold: Path, system: Path, measures: list[str], **options: Any) -> dict[str, Any]:
    """The sums of counts of each measure, and of fair-events its parts by outcome."""
    found = [find(name, "events") for name in measures]
    run = prepare(str(gold), {"s": str(system)}, found, Options(task="events", **options))
    sums: dict[str, Any] = {}
    for name, one in zip(measures, found, strict=True):
        items = one.judge(run.pairs[0][1])
        kinds = np.array(items.kinds)[items.kind[0]]
        sums[name] = {kind: int((kinds == kind).sum()) for kind in ("tp", "fp", "fn")}
        if name == "fair-events":
            arguments = items.marks["argument-tp"] | items.marks["argument-errors"]
            sums[name] = {
                "triggers": {kind.upper(): int((kinds[~arguments] == kind).sum()) for kind in FAIR if kind != "ae"},
                "arguments": {kind.upper(): int((kinds[arguments] == kind).sum()) for kind in FAIR},
                "causes": {
                    f"{cause[:2].upper()} {cause[3:]}": int(mask.sum())
                    for cause, mask in items.marks.items()
                    if cause[:3] in ("fn-", "fp-") and mask.any()
                },
            }
    return sums


def expected_of(case: dict[str, Any]) -> dict[str, Any]:
    parts = ("triggers", "arguments", "causes")
    strict = {name: {kind: case[name][kind] for kind in ("tp", "fp", "fn")} for name in STRICT}
    return {**strict, "fair-events": {part: case["fair-events"][part] for part in parts}}


@each("case", [case for case in CASES if case["gold"] or case["system"]], ids=lambda case: case["id"])
def test_counts(case: dict[str, Any], tmp_path: Path) -> None:
    gold, system = written(tmp_path, "gold", case["gold"]), written(tmp_path, "system", case["system"])
    measures = [*STRICT, "fair-events"]
    assert counts_of(gold, system, measures) == expected_of(case["expected"])
    scores = {
        (row.measure, row.score): row.value
        for row in assay.score(gold, {"s": system}, measures, task="events", times=20).scores
        if not row.label
    }
    for name in STRICT:
        wanted = case["expected"][name]["f1"]
        value = scores[str(find(name, "events")), "f1"]
        assert (np.isnan(value) and wanted is None) or value == pytest.approx(float(Fraction(wanted[0])))
    for name in ("f1", "trigger-f1", "argument-f1"):
        wanted, value = case["expected"]["fair-events"][name], scores["fair-events", name]
        assert (np.isnan(value) and wanted is None) or value == pytest.approx(float(Fraction(wanted[0])))


PEERS = {"triggers": "trigger_cls", "arguments": "argument_cls", "arguments(attached=true)": "argument_attached_cls"}
PEERS |= {"triggers(label=any)": "trigger_id", "arguments(label=any)": "argument_id"}


@each("case", CASES, ids=lambda case: case["id"])
def test_counts_are_those_of_textee_but_for_shorter_keys(case: dict[str, Any]) -> None:
    """TextEE's sets of types and roles are ours; its sets without these may be smaller."""
    for name, peer in PEERS.items():
        counts, official = case["expected"][name], case["official"]["TextEE"][peer]
        ours = [counts["tp"], counts["tp"] + counts["fp"], counts["tp"] + counts["fn"]]
        theirs = [official[key] for key in ("match", "system", "gold")]
        assert ours == theirs or ("label=any" in name and all(a >= b for a, b in zip(ours, theirs, strict=True)))


def test_faults_of_other_scorers() -> None:
    official = {case["id"]: case["official"] for case in CASES}
    assert official["one-argument-two-roles"]["OneIE"]["role_id"]["rec"] == 2
    assert official["duplicates"]["OneIE"]["trigger"]["rec"] == 2
    assert official["one-trigger-two-types"]["OneIE"]["trigger"]["f"] == 0
    assert official["duplicate-by-second-event"]["DyGIE++"]["arg_class_recall"] == 2


def test_nothing_on_either_side_is_refused(tmp_path: Path) -> None:
    gold, system = written(tmp_path, "gold", []), written(tmp_path, "system", [])
    with pytest.raises(InputError, match="contains no events, nor does any system, so there is nothing to score"):
        assay.score(gold, {"s": system}, task="events")


def test_the_made_corpus() -> None:
    expected = json.loads((DATA / "corpus" / "events.expected.json").read_text("utf-8"))
    found = counts_of(
        DATA / "corpus" / "events.gold.jsonl", DATA / "corpus" / "events.system.jsonl", [*STRICT, "fair-events"]
    )
    assert found == expected_of(expected)


FILES = ("dygie.jsonl", "dygie-predicted.jsonl", "oneie.jsonl", "oneie-output.jsonl", "textee-predictions.jsonl")


@each("name", [*FILES, "wikievents.jsonl", "brat.ann"])
def test_all_formats_hold_the_same_events(name: str) -> None:
    result = assay.score(DATA / "formats" / "dygie.jsonl", {"s": DATA / "formats" / name}, task="events", times=20)
    values = {(row.measure, row.score): row.value for row in result.scores if not row.label}
    assert set(values.values()) == {1.0}


_PLACES = st.tuples(st.integers(0, 9), st.integers(1, 2)).map(lambda pair: [pair[0], sum(pair)])
_EVENTS = st.lists(
    st.builds(
        lambda place, name, roles: {"trigger": [*place, name], "arguments": [[*at, role] for at, role in roles]},
        _PLACES,
        st.sampled_from("AB"),
        st.lists(st.tuples(_PLACES, st.sampled_from("xy")), max_size=3),
    ),
    max_size=4,
)


@given(_EVENTS.filter(bool), _EVENTS, st.randoms(use_true_random=False))
def test_order_and_repetition_change_no_counts(tmp_path_factory: Any, golds: Any, systems: Any, random: Any) -> None:
    folder, measures = tmp_path_factory.mktemp("events"), [*STRICT, "fair-events"]
    gold = written(folder, "gold", golds)
    counts = counts_of(gold, written(folder, "system", systems), measures)
    again = [*systems, *systems[:1]]
    again = [{**one, "arguments": random.sample(one["arguments"], len(one["arguments"]))} for one in again]
    random.shuffle(again)
    assert counts_of(gold, written(folder, "again", again), measures) == counts
    for name in STRICT:
        assert counts[name]["tp"] <= min(counts[name]["tp"] + counts[name][kind] for kind in ("fn", "fp"))
    places = [Counter((*one["trigger"][:2],) for one in side) for side in (golds, systems)]
    if all(number == 1 for side in places for number in side.values()):
        assert counts["events"]["tp"] <= counts["triggers"]["tp"] == counts["fair-events"]["triggers"]["TP"]
    for side, kind in ((0, "FP"), (1, "FN")):
        fair = counts["fair-events"]["triggers"]
        events = (golds, systems)[side]
        whole = {(*one["trigger"], *sorted({tuple(row) for row in one["arguments"]})) for one in events}
        assert sum(fair.values()) - fair[kind] == len(whole)


def test_unsure_events_and_arguments_are_left_out_and_triggers_are_ranked() -> None:
    """Triggers have .99 in one file and .97 in the other, arguments .9 and .95."""
    gold, files = DATA / "formats" / "dygie.jsonl", {"dygie-predicted": (0.99, 0.9), "oneie-output": (0.97, 0.95)}
    for name, (trigger, argument) in files.items():
        system = {"s": DATA / "formats" / f"{name}.jsonl"}
        for least in (0.5, argument, argument + 0.01, trigger, trigger + 0.001):
            result = assay.score(gold, system, ["triggers", "arguments"], task="events", min_score=least, times=5)
            recall = {row.measure: row.value for row in result.scores if row.score == "recall" and not row.label}
            assert [*recall.values()] == [least <= trigger, least <= argument]
        curve = assay.score(gold, system, task="events", times=5).curves[0]
        assert [(point.threshold, point.tp, point.fp, point.fn) for point in curve.points][-1] == (trigger, 2, 0, 0)
    with pytest.raises(InputError, match="contains no scores, which --min-score needs"):
        assay.score(gold, {"s": gold}, task="events", min_score=0.5)
