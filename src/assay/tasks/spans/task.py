"""The task of labelled spans."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Floats, Ints
from assay.corpus import Corpus, Marks
from assay.engine.answers import by_status
from assay.engine.combined import with_spans
from assay.engine.confidences import rank_marks
from assay.engine.counts import JointCounts, as_sums
from assay.engine.drawing import draw_spans
from assay.engine.items import Items
from assay.engine.lexicon import find_bands
from assay.engine.matching import FAIR, match_exact, match_fair
from assay.engine.parts import LabelSums, Part
from assay.engine.prepare import Run
from assay.engine.scores import MeasureScores, Settings
from assay.engine.slices import SliceKind, Values
from assay.engine.spanpairs import NESTING, SHOWN, Line, classify_nesting, count_words, match_spans, spans_of
from assay.engine.task import Annotators, Task
from assay.engine.weighting import LEAST_UNITS, PRESETS, TYPES, credit_counts, sweep, weigh_credits
from assay.errors import UsageError
from assay.formats.answers import BESIDE, LEVEL, Mentions
from assay.formats.grounding import LEVELS
from assay.formats.shapes import STATUSES
from assay.result import AnswerCounts, Result, Score, Sweep
from assay.tasks.spans import measures, strings
from assay.tasks.spans.prepare import prepare_spans
from assay.tasks.spans.ratings import majority_pairs, make_continua, span_ratings
from assay.tasks.spans.strings import form_counts, form_sums
from assay.tasks.spans.tables import add_span_tables

SPAN_LENGTHS = ((1, "1"), (2, "2"), (3, "3"), (5, "4-5"), (10, "6-10"))


def _span_slice(name: str, help_: str, value: Callable[[Corpus, Marks], Ints], names: Sequence[str]) -> SliceKind:
    """A slice by a value of each span: of gold's, for a spurious one of the system's."""

    def of_items(pair: Pair, judged: Items, _: str) -> Values:
        if pair.layer(Line) is None or not judged.kinds:
            raise UsageError(f"--slice {name} is for spans, which are not compared here. Give --task spans")
        gold, system = pair.marks["spans"]
        return judged.of_sides(value(pair.gold, gold), value(pair.system, system)), tuple(names)

    return SliceKind(name, help_, of_items=of_items)


def _grounding(pair: Pair, judged: Items, _: str) -> Values:
    system = pair.marks["spans"][1] if "spans" in pair.marks else None
    if system is None or SHOWN not in system.arguments or judged.partner is None:
        raise UsageError('--slice grounding is for answers of language models. Give --input-format "answers"')
    codes = np.full(len(system), NONE)
    if pair.system.layer(Mentions) is not None:
        codes = system.columns[LEVEL].codes.astype(np.int64)
    levels = np.append(codes, NONE)[judged.partner[0]]
    return levels, LEVELS[:4]


SLICES = (
    SliceKind("answer", "how the answer could be read, answer:NAME that of one system", True, of_sentences=by_status),
    SliceKind("grounding", "how a mention was found: precision alone", of_system=_grounding),
    _span_slice(
        "span-length",
        "number of words of the span",
        lambda corpus, side: find_bands(count_words(corpus, side), SPAN_LENGTHS),
        (*(name for _, name in SPAN_LENGTHS), "over 10"),
    ),
    _span_slice(
        "nesting",
        "span alone, inside another, around or across another",
        lambda _, side: classify_nesting(side),
        NESTING,
    ),
    _span_slice(
        "gaps",
        "span with or without gaps (discontinuous)",
        lambda _, side: side.with_gaps.astype(np.int64),
        ("without gaps", "with gaps"),
    ),
)


WEIGHTINGS = 1000


def span_sweeps(kinds: Mapping[str, Sequence[int]], weightings: int, rng: np.random.Generator) -> Iterator[Sweep]:
    """Every pair of systems under weightings of the types of errors: how much of a hit each counts as.

    Systems are given by how often each kind of outcome occurs in them.

    The rest of an error is divided between spurious and missing, which changes no F1. With T hits and partial hits
    among N rows, F1 is 2T/(T+N), and T is linear in the weights: whether one system is ahead under every weighting
    shows at the corners, where each type counts as nothing or as a hit.
    """
    types = np.array([FAIR.index(name) for name in TYPES])
    systems = list(kinds)
    counts = np.array(list(kinds.values()))
    corners = np.array(list(product((0.0, 1.0), repeat=len(TYPES))))
    drawn = np.concatenate([corners, rng.random((weightings, len(TYPES)))])
    named = {name: np.array([[preset[kind][0] for kind in TYPES]]) for name, preset in PRESETS.items()}
    total = counts.sum(axis=1)

    def f1(weights: Floats) -> Floats:
        hits = counts[:, :1] + counts[:, types] @ weights.T
        with np.errstate(invalid="ignore"):
            return np.asarray(2 * hits / (hits + total[:, None]))

    values = f1(drawn)
    for a, b in combinations(range(len(systems)), 2):
        at = {name: float((row := f1(weights)[:, 0])[b] - row[a]) for name, weights in named.items()}
        yield sweep(systems[a], systems[b], values[b] - values[a], TYPES, drawn, at, corners=len(corners))


def _sums(run: Run, compares: bool) -> Mapping[str, LabelSums]:
    """The number of spans with each kind of outcome, in each system; on demand surface forms of errors."""
    forms = dict(form_sums(run)) if run.options.forms else {}
    if not compares:
        return {name: one for name, one in forms.items() if name.count("\t") == 1}
    kinds = {}
    for name, pair in run.pairs:
        numbers = np.bincount(match_spans(pair, match_fair).kind, minlength=len(FAIR))
        kinds[name] = {"": dict(zip(FAIR, numbers.tolist(), strict=True))}
    return {**kinds, **forms}


_STATED = (*STATUSES, *LEVELS, *BESIDE)


def _finish(result: Result, part: Part, settings: Settings) -> Result:
    """The Result with what answers amount to, surface forms of errors, and the order of systems under other
    weightings of the types of errors, which cost nothing."""
    rows = [row for row in result.counts if row.measure == "answers" and row.slice is None]
    answers = [
        AnswerCounts(
            row.system,
            sum(row.counts[name] for name in STATUSES),
            mentions=sum(row.counts[name] for name in LEVELS),
            **{name: row.counts[name] for name in _STATED},
        )
        for row in rows
    ]
    forms = {name: one for name, one in part.of_task.items() if "\t" in name}
    one_sided = _without_recall(result)
    result = replace(
        one_sided,
        answers=tuple(row for row in answers if row.answers),
        forms=tuple(form_counts(forms, part.plan.options.forms)),
    )
    if not part.plan.compares:
        return result
    counts = {name: tuple(row[""].values()) for name, row in part.of_task.items() if name not in forms}
    drawn = span_sweeps(counts, part.plan.options.sweep or WEIGHTINGS, settings.rng("sweep"))
    return replace(result, sweeps=tuple(_with_maps(drawn, part, settings)))


def _with_maps(sweeps: Iterable[Sweep], part: Part, settings: Settings) -> Iterator[Sweep]:
    """Sweeps with the credits under which each system is surely better, from the resamples of `fair`."""
    scores = None
    for index, measure in enumerate(part.plan.measures):
        tallies = part.counts[index, None, part.unit]
        if isinstance(tallies, JointCounts) and {*FAIR} <= {*tallies.read} and measure.name in ("fair", "weighted"):
            scores = MeasureScores(measure, None, tallies, settings)
            break
    for row in sweeps:
        if scores is None or not settings.interval:
            yield row
            continue
        a, b = (scores.systems.index(name) for name in (row.a, row.b))
        first, second = (credit_counts(as_sums(scores.totals[at].astype(np.float64), scores.fields)) for at in (a, b))
        has_map = scores.tallies.units >= LEAST_UNITS
        resampled = [*map(credit_counts, scores.resampled_pair(a, b))] if has_map else []
        yield replace(row, **weigh_credits(first, second, resampled, scores.tallies.units))


def _without_recall(result: Result) -> Result:
    """The Result in which slices by what only systems have know of precision alone."""

    def has_sense(where: str | None) -> bool:
        return where is None or not where.startswith("grounding=")

    nan = math.nan
    scores = []
    mains = {measure: score.replace("f1", "precision") for measure, score in result.main_scores.items()}
    for row in result.scores:
        if has_sense(row.slice):
            scores.append(row)
        elif row.score.endswith("precision"):
            scores.append(replace(row, main=row.score == mains[row.measure]))
        else:
            scores.append(Score(row.system, row.measure, row.score, row.label, row.slice, nan, nan, nan))
    compared: dict[str, Any] = {
        name: tuple(row for row in getattr(result, name) if has_sense(row.slice))
        for name in ("diffs", "bounds", "growth", "unique", "transitions")
    }
    return replace(
        result,
        **compared,
        scores=tuple(scores),
        comparisons=tuple(
            row for row in result.comparisons if has_sense(row.slice) or row.score.endswith("precision")
        ),
    )


TASK = Task(
    name="spans",
    combined=with_spans,
    noun="span",
    measures=(measures, strings),
    defaults=("exact", "fair"),
    agreement=("exact", "fair(symmetric=true)", "span-kappa"),
    annotators=Annotators(("span-kappa(on=words)",), span_ratings, make_continua, majority_pairs, by_place=True),
    prepare=prepare_spans,
    options=(
        *("train", "lexicon", "oov_fold_case"),
        *("scheme", "repair", "missing", "blank_tag", "gold_errors", "forms", "sweep", "min_score"),
        *("map", "labels", "ignore_labels"),
    ),
    slices=SLICES,
    drawing=draw_spans("spans"),
    matched=True,
    traits=("rivals", "in pieces"),
    text_unit="",
    combination={"exact": "flat", "fair": "flat"},
    present=add_span_tables,
    sums=_sums,
    finish=_finish,
    confident=lambda run: rank_marks(
        run.pairs, lambda pair: (match_spans(pair, match_exact), spans_of(pair)[1].scores)
    ),
)
