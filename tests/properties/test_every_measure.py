"""Every measure of every task on the bundled examples: order, names, gold as a system, and sums over parts."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay import Result
from assay.demo import FOLDER
from assay.engine.counts import Counts, join_counts
from assay.engine.measure import find, measures
from assay.engine.options import Options
from assay.engine.prepare import prepare
from properties.test_measures import by_label, scored


@dataclass(frozen=True)
class Example:
    """A bundled example: gold, two systems, the measures tried on them and what these ask for."""

    gold: str
    systems: tuple[str, str]
    names: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)

    def paths(self) -> tuple[Path, list[Path]]:
        return FOLDER / self.gold, [FOLDER / Path(self.gold).parent / name for name in self.systems]


def of_task(task: str, without: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Names of all measures of a task but some."""
    return tuple(name for name, definition in measures().items() if definition.task == task and name not in without)


ENHANCED = ("elas", "eulas", "euas", "elas-exact")
ARGUMENT_SPANS = ("srl-span", "srl-span-unlabelled", "srl-span-perfect")
SDP = ("sdp", "sdp-unlabelled", "sdp-exact", "sdp-unlabelled-exact", "predications", "frames", "arc-f1")
RICH = ("pa", "wpa", "cwpa", "pos-accuracy", "features")
EXAMPLES = {
    "tags": Example(
        "english/gold.conllu",
        ("hanta.conllu", "udpipe.conllu"),
        of_task("tags", (*RICH, "ufeats", "alltags")),
        {"column": "XPOS", "train": str(FOLDER / "english" / "known-words.txt")},
    ),
    "columns": Example("trees/gold.conllu", ("arc-eager.conllu", "arc-hybrid.conllu"), ("ufeats", "alltags")),
    "rich tags": Example(
        "trees/gold.conllu",
        ("arc-eager.conllu", "arc-hybrid.conllu"),
        RICH,
        {"tagset": "ud", "weights": "paper", "column": "UPOS+FEATS"},
    ),
    "spans": Example("entities/gold.tsv", ("rules.tsv", "crf-names.tsv"), of_task("spans", ("answers",))),
    "answers": Example(
        "answers/gold.jsonl", ("as-json.jsonl", "as-tags.jsonl"), ("answers",), {"input_format": "answers"}
    ),
    "dependencies": Example(
        "trees/gold.conllu",
        ("arc-eager.conllu", "arc-hybrid.conllu"),
        of_task("dependencies"),
        {"task": "dependencies"},
    ),
    "enhanced": Example("graphs/gold.conllu", ("rules.conllu", "learned.conllu"), ENHANCED, {"task": "graphs"}),
    "sdp": Example("graphs/gold.sdp", ("learned.sdp", "gold.sdp"), SDP),
    "roles": Example(
        "graphs/gold.conll09",
        ("rules.conll09", "learned.conll09"),
        of_task("graphs", (*ENHANCED, *SDP, *ARGUMENT_SPANS)),
        {"task": "graphs"},
    ),
    "argument spans": Example("graphs/gold.props", ("learned.props", "gold.props"), ARGUMENT_SPANS),
    "events": Example(
        str(Path(__file__).parents[1] / "data" / "records" / "corpus" / "events.gold.jsonl"),
        ("events.system.jsonl", "events.gold.jsonl"),
        of_task("events", ("event-attributes",)),
    ),
    "relations": Example("relations/gold.jsonl", ("rules.jsonl", "learned.jsonl"), of_task("relations")),
    "links": Example("links/gold.tsv", ("lookup.tsv", "context.tsv"), of_task("links")),
    "constituents": Example("trees/gold.mrg", ("pcfg-1.mrg", "pcfg-2.mrg"), of_task("constituents")),
    "coreference": Example(
        "coreference/key.conll", ("pronoun-rules.conll", "string-match.conll"), of_task("coreference", ("zeros",))
    ),
}
AGREEING = ("alpha", "fleiss", "ac1", "alpha-u", "gamma", "alt-test", "soft", "perspective")
CROSSED = ("tedeval", "fair-tedeval", "cross-score")
ZEROS = ("zeros",)
on_every_example = pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
QUICK: dict[str, Any] = {"times": 20}


def test_no_measure_is_left_out() -> None:
    """Zeros, items, records and attributes of events have properties of their own (test_zeros, test_items, …)."""
    tried = {name for example in EXAMPLES.values() for name in example.names}
    elsewhere = {name for task in ("items", "records") for name in of_task(task)}
    assert tried | {*AGREEING, *CROSSED, *ZEROS, "event-attributes"} | elsewhere == set(measures())


def compared(example: Example, systems: dict[str, Path]) -> Result:
    return assay.compare(example.paths()[0], systems, example.names, power=None, **QUICK, **example.options)


def numbers_of(result: Result, names: dict[str, str]) -> dict[tuple[Any, ...], float]:
    """Scores, differences, ends of intervals and p, by systems as `names` calls them; pairs in one direction."""
    numbers: dict[tuple[Any, ...], float] = {}
    for row in result.scores:
        for end in ("value", "low", "high"):
            numbers[names[row.system], row.measure, row.score, row.label, end] = getattr(row, end)
    for pair in result.comparisons:
        a, b, sign, ends = names[pair.a], names[pair.b], 1, (pair.low, pair.high)
        if a > b:
            a, b, sign, ends = b, a, -1, (-pair.high, -pair.low)
        place = (a, b, pair.test, pair.measure, pair.score)
        numbers |= {(*place, "difference"): sign * pair.difference, (*place, "p"): pair.p}
        numbers |= {(*place, "low"): ends[0], (*place, "high"): ends[1]}
    return numbers


@on_every_example
def test_order_names_and_company_change_nothing_and_gold_is_perfect(example: Example) -> None:
    """Differences change their sign with the order; scores, intervals and p stay."""
    gold, (first, second) = example.paths()
    plain = numbers_of(compared(example, {"a": first, "b": second}), {"a": "1", "b": "2"})
    # Answers of models are never gold.
    company = {} if "input_format" in example.options else {"perfect": gold}
    result = compared(example, {**company, "zzz": second, "A": first})
    turned = numbers_of(result, {"A": "1", "zzz": "2", "perfect": "3"})
    assert {key: turned[key] for key in plain} == pytest.approx(plain, rel=1e-12, abs=1e-15, nan_ok=True)
    assert {row.measure.partition("(")[0] for row in result.scores} == set(example.names)
    for row in result.scores:
        if row.system == "perfect" and not math.isnan(row.value):
            assert row.value == pytest.approx(0 if row.score == "crossing" else 1, rel=1e-12), row


def split(path: Path, folder: Path) -> list[Path]:
    """Two files with the sentences (documents) of one, of which the second has all but the first two."""
    text = path.read_text("utf-8")
    header, mark = "", "\n\n"
    if path.suffix in (".jsonl", ".mrg"):
        mark = "\n"
    elif "# assay:document_id" in text:
        header, text = text.split("# assay:document_id", 1)
        mark = "# assay:document_id"
        text = mark + text
    elif text.startswith("#begin document"):
        mark = "#end document\n"
    blocks = [block for block in text.split(mark) if block.strip()]
    paths = []
    for number, part in enumerate((blocks[:2], blocks[2:])):
        lines = [mark + block if header else block + mark for block in part]
        paths.append(folder / str(number) / path.name)
        paths[-1].parent.mkdir(exist_ok=True)
        paths[-1].write_text(header + "".join(lines), "utf-8")
    return paths


@on_every_example
def test_parts_add_up_to_the_whole(example: Example, tmp_path: Path) -> None:
    """Two parts counted apart and joined have the totals, the rows by label and the scores of the whole."""
    gold, (system, _) = example.paths()
    parts = list(zip(split(gold, tmp_path), split(system, tmp_path), strict=True))
    for name in example.names:
        measure = find(name)

        def count(gold: Path, system: Path, measure: Any = measure) -> Counts:
            run = prepare(gold, {"s": system}, [measure], Options(**example.options))
            ((_, pair),) = run.pairs
            return measure.counts_of(measure.judge(pair), run.gold.sentences)

        whole, together = count(gold, system), join_counts([count(*part) for part in parts])
        assert (together.fields, together.units) == (whole.fields, whole.units)
        assert np.array_equal(together.matrix(), whole.matrix()), name
        assert by_label(together) == by_label(whole), name
        assert scored(name, together) == pytest.approx(scored(name, whole), rel=1e-12, nan_ok=True), name


# --- annotators, and golds of two theories ---


def values(result: Result) -> dict[tuple[Any, ...], float]:
    """Scores by names; a pair of annotators has the same name in both directions."""
    return {
        ("–".join(sorted(row.system.split("–"))), row.measure, row.score, row.label, row.slice): row.value
        for row in result.scores
    }


RATINGS = {
    who: {f"i{item}": "abc"[(item * item + item // step) % 3] for item in range(40)}
    for who, step in (("anna", 7), ("ben", 9), ("cleo", 11))
}
SYSTEM = {f"i{item}": "abc"[(item * item + item // 8) % 3] for item in range(40)}
COEFFICIENTS = ("alpha", "fleiss", "ac1")
AGAINST_SYSTEMS = ("alt-test", "soft", "perspective")
OF_UNITS = ("alpha-u", "gamma(samples=5)")


def test_the_order_of_annotators_changes_no_coefficient() -> None:
    turned = dict(reversed(RATINGS.items()))
    names = (*COEFFICIENTS, *AGAINST_SYSTEMS)
    plain, again = (
        values(assay.agreement(people, names, systems={"s": SYSTEM}, **QUICK)) for people in (RATINGS, turned)
    )
    assert {name.partition("(")[0] for _, name, *_ in plain} >= set(names)
    assert again == pytest.approx(plain, rel=1e-12, nan_ok=True)


def test_the_order_of_annotators_of_spans_changes_no_coefficient() -> None:
    files = {name: FOLDER / "entities" / f"{name}.tsv" for name in ("rules", "crf-names")}
    plain, again = (
        values(assay.agreement(people, OF_UNITS, **QUICK)) for people in (files, dict(reversed(files.items())))
    )
    assert {name for _, name, *_ in plain} == set(OF_UNITS)
    assert again == pytest.approx(plain, rel=1e-9, nan_ok=True)


def test_annotators_who_agree_in_everything_agree_perfectly() -> None:
    people = dict.fromkeys(("anna", "ben", "cleo"), SYSTEM)
    result = assay.agreement(people, COEFFICIENTS, **QUICK)
    assert {(row.measure, row.value) for row in result.scores if row.label is None} >= {
        (name, 1.0) for name in COEFFICIENTS
    }
    gold = dict.fromkeys(("anna", "ben"), FOLDER / "entities" / "gold.tsv")
    result = assay.agreement(gold, OF_UNITS, **QUICK)
    assert {(row.measure, row.value) for row in result.scores} >= {(name, 1.0) for name in OF_UNITS}


def test_the_order_of_parsers_changes_no_cross_score_and_gold_is_perfect() -> None:
    trees = FOLDER / "trees"
    theories = [f"dep={trees / 'gold.conllu'}", f"ps={trees / 'gold.mrg'}"]
    parsers = [
        f"perfect@dep={trees / 'gold.conllu'}",
        f"eager@dep={trees / 'arc-eager.conllu'}",
        f"pcfg@ps={trees / 'pcfg-1.mrg'}",
    ]
    plain, again = (assay.cross(theories, systems, **QUICK) for systems in (parsers, parsers[::-1]))
    assert values(again) == pytest.approx(values(plain), rel=1e-12, nan_ok=True)
    names = {"perfect": "0", "eager": "1", "pcfg": "2"}
    pairs = [
        {key: value for key, value in numbers_of(result, names).items() if key[-1] in ("difference", "p")}
        for result in (plain, again)
    ]
    assert pairs[0] == pytest.approx(pairs[1], rel=1e-12, nan_ok=True)
    assert {plain.score("perfect", row.measure).value for row in plain.scores if row.system == "perfect"} == {1.0}
