"""Fair TedEval and the cross score: bounds, symmetry, and what they are with one gold."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.tasks.cross.functiontrees import generalise
from assay.tasks.cross.measures import SIZES, Parse, fair_tedeval, tedeval
from functionsets import from_models
from properties.test_functiontrees import several


def totals(counts):
    return dict(zip(counts.fields, counts.values.sum(axis=0).tolist(), strict=True))


def fair(counts):
    size, pairs = counts["norm"], counts["le"] + counts["be"]
    return max(size - counts["delta"], 0) / (size - pairs) if size > pairs else float(not counts["delta"])


@given(several(3), st.sampled_from(SIZES))
def test_fair_is_between_tedeval_and_one(trees, sizes):
    lengths, models = trees
    parse, *golds = (from_models(model, lengths) for model in models)
    own = Parse(parse, golds[0], generalise(*golds))
    plain, counts = (totals(measure(own, sizes=sizes)) for measure in (tedeval, fair_tedeval))
    assert all(counts[name] == plain[name] for name in plain if name != "score")
    pairs = counts["le"] + counts["be"]
    assert (counts["fp"], counts["fn"]) == (counts["spurious"] - pairs, counts["missing"] - pairs)
    assert min(counts["fp"], counts["fn"], counts["le"], counts["be"]) >= 0
    tedeval_score = max(1 - plain["delta"] / plain["norm"], 0) if plain["norm"] > 0 else float(not plain["delta"])
    assert tedeval_score - 1e-12 <= fair(counts) <= 1


@given(several(2))
def test_fair_with_one_gold_is_symmetric(trees):
    lengths, models = trees
    one, other = (from_models(model, lengths) for model in models)
    there, back = (totals(fair_tedeval(Parse(a, b, b), sizes="paper")) for a, b in ((one, other), (other, one)))
    assert [there[name] for name in ("fp", "le", "be", "fn", "norm")] == [
        back[name] for name in ("fn", "le", "be", "fp", "norm")
    ]


def crossed(task, golds, system, write, **options):
    with TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.tsv" for number in range(len(golds) + 1)]
        for path, cells in zip(paths, [*golds, system], strict=True):
            path.write_text("".join(f"w{n}\t{cell}\n" for n, cell in enumerate(write(cells))) + "\n", "utf-8")
        theories = [f"t{number}={path}" for number, path in enumerate(paths[:-1])]
        return assay.cross(theories, [f"s@t0={paths[-1]}"], task=task, column="2", times=1, power=None, **options)


def value(result, measure):
    return next(row.value for row in result.scores if row.measure == measure and row.main)


tags = st.lists(st.sampled_from("abc"), min_size=5, max_size=5)


@settings(max_examples=15)
@given(tags, tags)
def test_tags_with_one_gold_have_plain_accuracy(gold, system):
    result = crossed("tags", [gold], system, lambda cells: cells)
    assert value(result, "cross-score") == pytest.approx(value(result, "accuracy@t0"))


def as_bio(spans):
    cells = ["O"] * 8
    for begin, (length, label) in sorted(spans.items()):
        end = min([begin + length, 8, *(other for other in spans if other > begin)])
        cells[begin:end] = [f"B-{label}", *[f"I-{label}"] * (end - begin - 1)]
    return cells


spans = st.dictionaries(
    st.integers(0, 7), st.tuples(st.integers(1, 3), st.sampled_from("XY")), min_size=1, max_size=4
)


@settings(max_examples=15)
@given(spans, spans)
def test_spans_with_equal_golds_have_exact_f1(gold, system):
    result = crossed("spans", [gold, gold], system, as_bio)
    assert value(result, "cross-score") == pytest.approx(value(result, "exact@t0"))
    assert result.overlaps[0].value == 1
