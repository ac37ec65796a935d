"""The tables of a Result: each is declared once, a class for its rows and a field of `Tables` for the table.

The fields of a row are the columns, in their order; the sentence after a field is its meaning in docs/json.md. From
this come attributes, JSON there and back, data frames and the documentation.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, dataclass_transform

from assay.classes import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FROM, _TO = {"json": "from"}, {"json": "to"}
"""`from` is a word of the language; JSON calls a change's fields by their settled names."""
NOT_ANSWERED = "(no answer)"
"""The answer of a system that has none to an item."""
_NOT_WRITTEN = {"json": ""}
_IF_FILLED = {"filled": True}
"""What only the commands that make a Result need is not in JSON."""
_RARE = {"rare": True}
"""In JSON only if it is not the default."""
COLUMNS = {
    "system": "The system.",
    "measure": "The measure.",
    "score": "The score of the measure, such as `f1`.",
    "label": "The label; null for all labels together.",
    "slice": "The slice, such as `length=1-10`; null for all data.",
    "on": "The measure by which items are right or wrong.",
    "value": "The value; null if it is undefined.",
    "low": "The lower end of the 95% interval.",
    "high": "The upper end of the 95% interval.",
    "count": "The number of items.",
    "type": "The error type.",
    "name": "The name.",
    "path": "The file.",
    "data_sets": "The number of data sets.",
    "difference": "The score of `b` minus that of `a`.",
}
"""Meanings of columns that are the same in all tables, if a row does not say otherwise."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Record:
    """A row of a table: a frozen dataclass."""

    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]
    key: ClassVar[tuple[str, ...]] = ()
    """The columns that tell rows apart."""

    def __init_subclass__(cls, key: str = "", kw_only: bool = False) -> None:
        cls.key = tuple(key.split())
        dataclass(frozen=True, kw_only=kw_only)(cls)


RowKind = TypeVar("RowKind", bound=Record)


class RowList(Sequence[RowKind], Generic[RowKind]):
    """The rows of an inner table of which a Result has very many: kept as columns, and made when they are looked at.

    It is equal to a tuple of the same rows.
    """

    def __init__(self, kind: type[RowKind], columns: Sequence[NDArray[Any]]) -> None:
        """`columns` has an array for each field of the kind, in their order."""
        self.kind, self.columns = kind, columns

    def __len__(self) -> int:
        return len(self.columns[0])

    def __iter__(self) -> Iterator[RowKind]:
        return map(self.kind, *(column.tolist() for column in self.columns))

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return RowList(self.kind, [column[place] for column in self.columns])
        return self.kind(*(column[[place]].tolist()[0] for column in self.columns))

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, tuple | RowList) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


class TwoSystems(Record):
    """Two systems; differences are b - a, so positive favours b."""

    a: str
    """The first system."""
    b: str
    """The second system."""


class TwoSystemsOnScore(TwoSystems):
    """Two systems on one score."""

    measure: str
    score: str


class OfSystem(Record):
    """A system on one measure."""

    system: str
    measure: str


# --- files ---

MOST_LEFT_OUT = 100
"""The most documents left out that a Result has by name."""


class InputFile(Record, key="name"):
    """A file that was read."""

    name: str
    path: str
    sha256: str
    """The checksum of the decompressed text."""
    format: str
    """The format, with its parameters."""
    sentences: int
    """The number of sentences."""
    words: int
    """The number of words."""
    unaligned: int = 0
    """The number of words without a counterpart on the other side."""
    status: str = ""
    """Why a system has no scores, e.g. `column empty`; empty if it has."""
    spans: int = 0
    """The number of spans, constituents or mentions."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """The numbers of documents without an intended annotation, by the reason: `not annotated`, `skipped`,
    `without predictions`, `without ground truth`; of items `no gold label`, `not in all files`."""
    documents: int = field(default=0, metadata=_IF_FILLED)
    """The number of documents that were read; only written if the file names annotators or its shape has a name."""
    documents_left_out: tuple[tuple[str, str], ...] = field(default=(), metadata=_IF_FILLED)
    """The first 100 documents that are left out: the id, or the number in the file, and the reason."""
    shape: str = field(default="", metadata=_IF_FILLED)
    """The shape of the file if its format has several, e.g. `Label Studio JSON`."""
    which: str = field(default="", metadata=_IF_FILLED)
    """Whose annotation was read: `annotations`, `predictions`, an annotator, `model:NAME` …; only written if the file
    names annotators or models."""
    column: str = field(default="", metadata=_IF_FILLED)
    """The column or layer of this file, if it was given for the file or the file has several layers."""
    offsets: Mapping[str, int] = field(default_factory=dict, metadata=_IF_FILLED)
    """The numbers of documents whose offsets do not count characters, by what they count: `UTF-16 units`, `bytes`."""
    not_read: Mapping[str, int] = field(default_factory=dict, metadata=_IF_FILLED)
    """The numbers of things in the file that were not read, by what they are."""


class Repair(Record, key="file kind action"):
    """Annotations of one file with the same fault."""

    file: str
    """`gold`, or the system."""
    kind: str
    """The fault."""
    action: str
    """What was done: `mended` or `dropped`."""
    count: int
    """The number of these annotations."""
    first: str
    """The place of the first."""


class Mapped(Record, key="file rule before"):
    """The effect of one rule of `--map`."""

    file: str
    """The file or the system."""
    rule: str
    """The rule."""
    words: int
    """The number of words that it changed."""
    before: float | None = None
    """The main score without any rule."""
    after: float | None = None
    """The main score with this rule and those before it."""


# --- scores and tests ---


class RunScores(Record):
    """The scores of several runs of a system."""

    number: int
    """The number of runs."""
    spread: float
    """The standard deviation."""
    low: float
    """The lowest score."""
    high: float
    """The highest score."""
    values: tuple[float, ...] = ()
    """The score of each run."""


class Score(OfSystem, key="system measure score label slice"):
    """A score with its interval."""

    score: str
    label: str | None
    slice: str | None
    value: float
    low: float
    high: float
    main: bool = False
    """True for the main score of the measure."""
    interval: str = ""
    """The kind of this interval: `score`, `t` (scores that are no shares), `runs`, `percentile`, `bca`, `wilson`,
    `percentile+wilson` (a lower end that allows for few disagreements); percentiles if the kind asked for does not
    exist for a score; empty if there is none."""
    group: str = ""
    """Letters of a main score among three or more systems: systems without a common letter differ significantly."""
    runs: RunScores | None = None
    """The runs of a system with several; the value is their mean."""
    variance: float | None = None
    """The variance of the score over units (and runs)."""
    df: float | None = None
    """Its degrees of freedom."""
    effective_items: float | None = None
    """The number of independent items with the same variance (of F1 those of TP/(TP+FP+FN)); null if the score is no
    share."""
    design_effect: float | None = None
    """Items divided by effective items: above 1 if items of one unit resemble each other."""
    assumed: bool = False
    """True if the design effect is assumed, because all items are right, or none."""
    too_short: tuple[str, ...] = ()
    """Labels with fewer than 10 items (gold and system), which make the interval of a macro average too narrow."""
    lower: bool = field(default=False, metadata=_RARE)
    """True if lower is better; absent otherwise."""
    judged: bool = field(default=True, metadata=_RARE)
    """False if neither higher nor lower is better; absent otherwise."""
    shrunk: tuple[float, float] | None = field(default=None, compare=False, repr=False, metadata=_NOT_WRITTEN)
    """The score of a share with half an item right and half an item wrong more, and its variance."""

    @property
    def merit(self) -> float:
        """A number that is higher for better scores; nan if neither higher nor lower is better."""
        return math.nan if not self.judged else -self.value if self.lower else self.value


class CountsRow(OfSystem, key="system measure label slice"):
    """The counts from which scores are computed."""

    label: str | None
    slice: str | None
    counts: Mapping[str, int]
    """The counts by name. See [names of counts](#names-of-counts)."""


class Power(Record):
    """The differences that a test could have found."""

    alpha: float
    """The level, corrected for the tests made together (the first step of Holm's method)."""
    chance: float
    """The probability with which a difference is to be found."""
    smallest_reachable_p: float
    """The smallest p that any outcome could have."""
    critical: float | None
    """The smallest significant difference; null if there is none."""
    mde: float | None
    """The smallest true difference that would have been found with this probability."""
    needed_units: int | None
    """The number of units needed to find the observed difference, if it is the true one, in new units like these;
    null if there is none, or if it is beyond 1,000 times as many. If p is at most the level, no line shows this
    number, and it is a closed form where others are simulated."""
    needed_from: int | None
    """This number if the difference is as large as its interval allows; with `by_share`, if as many units differ as
    the interval of their share allows."""
    needed_to: int | None
    """This number if the difference is as small, or as few units differ; null: no number is enough."""
    beyond: bool = False
    """True if more than 1,000 times as many units are needed."""
    by_share: bool = False
    """True if fewer than 12 units differ, so that `needed_from` and `needed_to` come from the interval of their
    share."""
    plans: tuple[Any, ...] = field(default=(), compare=False, repr=False, metadata=_NOT_WRITTEN)
    """The units that several differences need, for the table of plans."""


class RunTest(Record):
    """The parts of a test over several runs."""

    variance: float
    """The variance of the difference."""
    v_units: float
    """Its part over units, of the means over runs."""
    v_a: float
    """Its part over the runs of `a`."""
    v_b: float
    """Its part over the runs of `b`."""
    v_interaction: float
    """The variance of runs within units, which is part of both."""
    df: float
    """Its degrees of freedom."""
    p_units: float
    """p for these models on other units."""
    p_runs: float | None
    """p of the exact permutation of the runs' scores, for other runs on these units."""
    smallest_p_runs: float | None
    """The smallest p that this permutation could have."""
    share_of_runs: float
    """The share of the variance that comes from runs."""
    aso: float | None = None
    """ε_min of almost stochastic order (Dror et al. 2019) of the better system over the other: below 0.5 it is better
    almost always. It ignores the test set."""
    v_runs: float | None = None
    """The variance over runs of both systems; not v_a + v_b if one has two runs and all runs together vary more."""


class Family(Record):
    """The tests that are corrected together."""

    question: str
    """Their common question: `pairs`, `average`, `data sets`, `ceiling`, `slices`."""
    size: int
    """Their number."""


class Comparison(TwoSystemsOnScore, key="a b measure score slice test"):
    """Two systems tested on one score."""

    slice: str | None
    difference: float
    low: float
    high: float
    test: str
    """`shuffling`, `runs`, `mcnemar`, `ceiling`, or `permutation` (runs on one data set, in `bayes`)."""
    p: float
    """The p-value."""
    p_low: float
    """The lower end of the 95% interval of a p that was drawn."""
    p_high: float
    """Its upper end."""
    p_adjusted: float
    """p after Holm's correction; null in slices, with `--correct slices` by Benjamini and Hochberg."""
    units: int
    """The number of units (McNemar: items) in which the systems differ."""
    p_mid: float | None = None
    """The mid-p of McNemar's test."""
    exact: bool = False
    """True if p has no sampling error."""
    interval: str = ""
    """The kind of interval of the difference."""
    power: Power | None = None
    """The differences that the test could have found; null for identical systems, in slices and for other tests."""
    runs: RunTest | None = None
    """The parts of the test if a system has several runs."""
    method: str = ""
    """How p was computed: `enumerated`, `exact` (a convolution), `drawn`, `tilted`; `t` over runs and annotators;
    `judge` by Student's t for an estimate from human labels and those of a judge."""
    log10_p: float | None = None
    """The logarithm of p, also if p is smaller than a number can be."""
    smallest_p: float | None = None
    """The smallest p that any outcome could have."""
    variance: float | None = None
    """The variance of the difference over units (and runs, or annotators)."""
    df: float | None = None
    """Its degrees of freedom."""
    few: bool = False
    """True if so few units differ that the interval is too narrow."""
    family: Family | None = None
    """The tests that `p_adjusted` is corrected for."""
    level: float | None = None
    """The level of the interval that tables show, 1 − 0.05 / size of the family."""
    low_family: float | None = None
    """Its lower end."""
    high_family: float | None = None
    """Its upper end."""
    annotators: int | None = None
    """The number of annotators in a test against the human ceiling."""
    p_items: float | None = None
    """p for other items and these annotators; `p` is for other annotators too."""
    v_items: float | None = None
    """The part of `variance` that comes from items, in a test against the human ceiling …"""
    v_annotators: float | None = None
    """… and the part that comes from annotators."""
    margin: float | None = None
    """The smallest difference that matters, if one was given."""
    low90: float | None = None
    """The lower end of the interval that is compared with the margin, 90% or 1 − 0.1 / size of the family. If few
    units differ: how far their number allows the difference to go."""
    high90: float | None = None
    """Its upper end."""
    p_equivalent: float | None = None
    """p of the test of equivalence within the margin, not corrected."""
    p_not_worse: float | None = None
    """p of the test that the system that scores higher is not worse by the margin or more, not corrected."""
    needed: int | None = None
    """The number of units that must differ for a significant result, if too few do."""
    kind: str = ""
    """The kind of verdict, such as `different` or `not-shown` ([all kinds](guide/chance.md#what-a-verdict-says))."""
    claims: tuple[str, ...] = ()
    """What a sentence about this comparison may claim."""
    lower: bool = field(default=False, metadata=_RARE)
    """True if lower is better, so that negative favours `b`; absent otherwise."""
    p_williams: float | None = field(default=None, metadata=_RARE)
    """p of Williams' test of two of Pearson's correlations, which decides if there are fewer than 30 items; absent if
    the score is another one."""
    p_shuffling: float | None = field(default=None, metadata=_RARE)
    """p of the shuffling test, if `p` is that of Williams' test; absent otherwise."""
    judged: bool = field(default=True, metadata=_RARE)
    """False if neither higher nor lower is better, so that there is no verdict; absent otherwise."""
    widest: float = field(default=math.inf, compare=False, repr=False, metadata=_NOT_WRITTEN)
    """The largest difference that is possible."""
    unit_effect: float = field(default=math.nan, compare=False, repr=False, metadata=_NOT_WRITTEN)
    """The difference that would result if every unit changed as much as the largest can, if few units differ."""
    all_units: int = field(default=0, compare=False, repr=False, metadata=_NOT_WRITTEN)
    """The number of units, if few of them differ."""
    is_skewed: bool = field(default=False, compare=False, repr=False, metadata=_NOT_WRITTEN)
    """True if units that mostly go one way make up the difference, so that Student's interval is too narrow."""
    evidence: Any = field(default=None, compare=False, repr=False, metadata=_NOT_WRITTEN)
    """What a test over several data sets needs."""

    @property
    def gain(self) -> float:
        """The difference, positive if `b` is better."""
        return -self.difference if self.lower else self.difference

    @property
    def is_of_score(self) -> bool:
        """True for a test of a score, by shuffling or over runs."""
        return self.test in ("shuffling", "runs")

    @property
    def figure(self) -> tuple[float, float, float]:
        """The difference with the ends that tables show, at the level of its family."""
        if self.low_family is None or self.high_family is None:
            return self.difference, self.low, self.high
        return self.difference, self.low_family, self.high_family

    @property
    def holm(self) -> tuple[float, bool]:
        """p after correction, and whether that is significant: the value of a cell of the form `holm`."""
        return self.p_adjusted, self.is_significant

    @property
    def is_significant(self) -> bool:
        """True if p is at most 0.05 after correction, and the draws behind it suffice to say so."""
        return "significant" in self.claims


class SystemOverSets(OfSystem, key="system measure score"):
    """A system over the data sets that all systems have."""

    score: str
    data_sets: int
    average: float
    """The mean of the score."""
    rank: float
    """The mean rank; 1 is the best."""
    best: int
    """The number of these data sets on which it has the highest score."""
    significant: int
    """The number on which it is significantly better than every other system."""


class PairOverSets(TwoSystemsOnScore, key="a b measure score"):
    """Two systems over the data sets that both have."""

    data_sets: int
    difference: float
    """The mean difference over data sets."""
    a_better: int
    """The number of data sets on which `a` has the higher score."""
    b_better: int
    """The number on which `b` has."""
    a_significant: int
    """The number on which `a` is significantly better after Holm's correction over pairs, measures and data sets: at
    least as many, with 95% confidence (Dror et al. 2017)."""
    b_significant: int
    """The number on which `b` is."""
    signed_rank: float
    """p of Wilcoxon's signed-rank test over data sets; null for fewer than five."""


# --- what differs ---


class Change(Record, key="kind gold before after"):
    """A change of label."""

    kind: str
    """`correction`, `new-error` or `changed-error`."""
    gold: str
    """Gold's label."""
    before: str = field(metadata=_FROM)
    """The label in `a`."""
    after: str = field(metadata=_TO)
    """The label in `b`."""
    count: int
    share_of_kind: float
    """The share of all changes of this kind."""
    share_of_changes: float
    """The share of all changes."""
    moved: int | None = None
    """The number of arcs with another head; null for items without heads."""
    other: str = ""
    """What to show instead of `to` if both answers have one label, but another target."""


class OutcomeChange(Record, key="kind before after"):
    """A change of outcome of items that are matched."""

    kind: str
    """`correction`, `new-error` or `changed-error`."""
    before: str = field(metadata=_FROM)
    """The outcome in `a`, such as `wl`."""
    after: str = field(metadata=_TO)
    """The outcome in `b`, such as `tp`."""
    count: int
    share_of_kind: float
    """The share of all changes of this kind."""
    share_of_changes: float
    """The share of all changes."""


class LabelDifference(Record, key="label"):
    """Two systems on the items with one gold label."""

    label: str
    """Gold's label; ∅ for items that gold does not have."""
    items: int
    """The number of items."""
    a: float
    """The score of the first system."""
    b: float
    """The score of the second system."""
    difference: float


class Diff(TwoSystems, key="a b on slice"):
    """The items that two systems answer differently."""

    on: str
    slice: str | None
    items: int
    """The number of items."""
    different: int
    """The number of items with different answers."""
    diff: float
    """Their share."""
    difference: float
    """The score of `b` minus that of `a`; `score` names the score."""
    corrections: int
    """The number of items that are wrong in `a` and right in `b`; 0 if answers are only better or worse, and none is
    right (`sideways` is null)."""
    new_errors: int
    """The number of items that are right in `a` and wrong in `b`."""
    changed_errors: int
    """The number of items with a different error."""
    both_right: int
    """The number of items that both have right."""
    same_error: int
    """The number of items with the same error."""
    overlap_right: float
    """2 · both right / (A right + B right): Tuggener's overlap on correct answers."""
    overlap_all: float
    """The share of items with equal answers: Tuggener's overlap on all answers."""
    changes: Sequence[Change]
    """All changes of labels."""
    labels: tuple[LabelDifference, ...]
    """The differences by gold label, in the order of `--label-order`."""
    improved: int | None = None
    """For graded measures, the number of items whose credit rose; of numbers, those with a smaller error, of scores
    those with a higher one, of sets those whose Jaccard index with gold's set rose."""
    worsened: int | None = None
    """The number of items whose credit fell."""
    sideways: int | None = None
    """The number of items with the same credit under another label; null if no item is right or wrong."""
    gain: float | None = None
    """The sum of the rises, in items."""
    loss: float | None = None
    """The sum of the falls, in items."""
    other_target: int | None = None
    """For mentions and arcs of graphs, the number that both have wrong in the same way, but linked to different
    antecedents or nodes."""
    score: str = ""
    """The score that `difference` is of: `f1` if items are matched, otherwise that of gold's items alone."""
    net: int = 0
    """Corrections minus new errors. If systems add items, it can have another sign than the difference."""
    outcomes: tuple[OutcomeChange, ...] = ()
    """All changes of outcome if items are matched, the most frequent first within each kind."""

    @property
    def is_judged(self) -> bool:
        """False if answers are only better or worse, and none is right or wrong."""
        return self.improved is None or self.sideways is not None


class Contribution(TwoSystemsOnScore, key="a b measure score by group"):
    """How much a group of items adds to a difference; the groups under one `by` add up to it."""

    by: str
    """`kind` (of change), `label`, `outcome` (before and after), `document` (`document, to first order` if the score
    is no ratio of sums), or `slice:` and the slice."""
    group: str
    """The group: a kind (`correction`, `new-error`, `changed-error`, `spurious-removed`, `spurious-added`,
    `both-right`, `unaligned`), a label, `fn → tp`, a document or the value of a slice; `(rest)` is what the first
    order leaves."""
    items: int | None
    """The number of items that the systems answer differently, under gold's label if gold has them; null if the
    measure does not count items one by one, and for slices."""
    value: float
    """The contribution, in the unit of the score."""
    low: float
    """The lower end of the 95% interval, not corrected for the number of groups; null for documents."""
    high: float
    """The upper end of the 95% interval."""


class Transition(TwoSystems, key="a b on slice label before after"):
    """The number of items with one outcome in `a` and one in `b`; `none`: the item is not there."""

    on: str
    slice: str | None
    label: str | None
    """Gold's label, ∅ for items that only systems have; null for all."""
    before: str = field(metadata=_FROM)
    """The outcome in `a`: `tp, le, bes, bel, beo, lbe, ge, fn, fp, none`; of mentions `tp, wl, fn, fp, none`."""
    after: str = field(metadata=_TO)
    """The outcome in `b`."""
    count: int


class Trust(Record, key="systems"):
    """The answers that exactly these systems give."""

    systems: tuple[str, ...]
    """The systems."""
    n: int
    """The number of these answers."""
    right: int
    """The number of right ones."""


class Bound(Record, key="on label slice"):
    """The score of the best choice among the systems' answers."""

    on: str
    label: str | None
    slice: str | None
    items: int
    """The number of items."""
    systems: Mapping[str, float]
    """The score of each system."""
    upper: float
    """The upper bound: the share of items that some system has right."""
    best: str
    """The best system overall."""
    gain: float
    """The upper bound minus the score of the best system overall (Tuggener's Table 9)."""
    gain_over_best_here: float
    """The upper bound minus the highest score on these items."""
    all_right: int
    """The number of items that all systems have right."""
    none_right: int
    """The number of items that no system has right."""
    right_in: tuple[int, ...] = ()
    """The numbers of items that exactly 0, 1, 2 … systems have right."""
    precision: float | None = None
    """For mentions, overall: the precision of the best choice, which leaves a mention alone if any system does."""
    f1: float | None = None
    """The F1 of this choice."""
    exact: Mapping[str, int] = field(default_factory=dict)
    """For trees, overall: the number of sentences that each system has entirely right."""
    exact_in_one: int = 0
    """The number of sentences that some system has entirely right."""
    exact_upper: int = 0
    """The number of sentences in which each item is right in some system."""
    sentences: int = 0
    """The number of sentences."""
    combined: str = ""
    """The score that the next fields are: `share` of gold's items with the right answer, or `f1` if systems find the
    items themselves."""
    single_system: str = ""
    """The system with the best such score overall …"""
    single: float | None = None
    """… and its score."""
    vote: float | None = None
    """The score of the answer that most systems give, or of what more than half of them find."""
    learnt: float | None = None
    """The score of the answer that is most often right, judging by its systems and its label in the other folds."""
    bound: float | None = None
    """The upper bound as such a score."""
    learnt_low: float | None = None
    """Overall: the interval of `learnt` minus `single`, lower end …"""
    learnt_high: float | None = None
    """… and upper end."""
    p: float | None = None
    """The p-value of this difference, not corrected; null unless `learnt` is higher."""
    folds: int = 0
    """The number of folds."""
    trust: tuple[Trust, ...] = ()
    """Overall: how often the answers of each set of systems are right."""
    not_combined: str = ""
    """Overall: why there is no `learnt`, or neither `learnt` nor `vote`."""
    verdict: str = ""
    """Overall: what is learnt in a sentence, if the systems differ."""


class RiskPart(Record, key="name"):
    """How much of what `a` has right `b` breaks in one data set, slice or label."""

    name: str
    broken: int
    """The number of items that `a` has right and `b` wrong."""
    of: int
    """The number of items that `a` has right."""
    rate: float
    """Their ratio, shrunk to that of the others: the posterior mean."""
    p: float | None = None
    """The probability that the rate is above the limit; null without a limit."""
    design_effect: float = 1.0
    """The factor by which units of several items widen the interval; labels have 1."""


class Risk(TwoSystems, key="a b on by"):
    """How much of what `a` has right `b` breaks, on gold's items: here, and on a new data set."""

    on: str
    by: str
    """What the rows of `parts` are: `data set`, or a slice such as `meta:genre`; empty if the test set is one."""
    broken: int
    """The number of items that `a` has right and `b` wrong."""
    of: int
    """The number of items that `a` has right."""
    low: float
    """The lower end of the 95% interval of the rate of broken items on these data."""
    high: float
    """The upper end of this interval."""
    design_effect: float
    """The factor by which items of one unit, which resemble each other, widen the interval."""
    corrected: int
    """The number of items that `a` has wrong and `b` right."""
    corrected_of: int
    """The number of items that `a` has wrong."""
    corrected_low: float
    """The lower end of the 95% interval of the rate of corrected items."""
    corrected_high: float
    """The upper end of this interval."""
    corrected_design_effect: float = 1.0
    """The design effect of corrected items."""
    limit: float | None = None
    """The rate that `--risk` gives; null without it."""
    p: float | None = None
    """The probability that the rate of broken items is above the limit on data like these."""
    corrected_p: float | None = None
    """The probability that the rate of corrected items is above the limit."""
    new_median: float | None = None
    """The median of the rate of broken items on a new data set; null if the test set is one."""
    new_high: float | None = None
    """The 95% point of this rate."""
    new_p: float | None = None
    """The probability that this rate is above the limit."""
    narrow_high: float | None = None
    """The 95% point if data sets are assumed to differ half as much: a prior with the scale ½, not 1."""
    narrow_p: float | None = None
    """The probability to be above the limit under this prior."""
    parts: tuple[RiskPart, ...] = ()
    """The data sets or slices."""
    labels: tuple[RiskPart, ...] = ()
    """Gold's labels, if a limit is given: the best two systems, or the baseline and each other system."""


class Growth(Record, key="on slice systems"):
    """The upper bound as systems are added, each time the one that adds most."""

    on: str
    slice: str | None
    added: str
    """The system that is added."""
    systems: int
    """The number of systems so far."""
    upper: float
    """Their upper bound."""
    all_right: float
    """The share of items that all of them have right."""
    vote: float | None = None
    """The score of their vote, as in `bounds`."""
    learnt: float | None = None
    """The score of what is learnt from them, as in `bounds`."""
    bound: float | None = None
    """Their upper bound as such a score, as in `bounds`."""


class Unique(Record, key="on slice system"):
    """The items that only one system has right."""

    on: str
    slice: str | None
    system: str
    only_right: int
    """The number of these items."""


class Unresolved(Record, key="on document place text"):
    """A mention of gold that no system resolves."""

    on: str
    document: str
    """The document."""
    place: str
    """The file and line."""
    label: str
    """The type of the mention."""
    text: str
    """Its words."""
    outcomes: Mapping[str, str]
    """The error of each system: `wl` (wrong link) or `fn` (no link)."""


class Confusion(OfSystem, key="system measure gold assigned type"):
    """Errors by gold's label and the system's; if items are matched, hits too."""

    gold: str | None
    """Gold's label; null if gold has no such item."""
    assigned: str | None
    """The system's label; null if the system has no such item."""
    count: int
    type: str | None = None
    """The outcome if items are matched: `le`, `bes`, … `wl`; `tp` for hits."""
    pieces: int = 0
    """The number of them that are further pieces of gold's items, which are counted elsewhere themselves."""


class ErrorType(OfSystem, key="system measure type"):
    """The errors of one type; under the measure `chains` those of chains: `span, merged, split, missing-entity,
    missing-mention, extra-entity, extra-mention`."""

    type: str
    count: int
    """The number of errors."""
    share: float
    """Their share of all errors of the system."""


class Sweep(TwoSystems, key="a b"):
    """Two systems under many weightings of categories or, for spans, of error types."""

    weightings: int
    """The number of random weightings."""
    a_better: float
    """The share of weightings under which `a` is better."""
    b_better: float
    """The share of weightings under which `b` is better."""
    low: float
    """The least difference."""
    high: float
    """The greatest difference."""
    low_at: Mapping[str, float]
    """The weights of the least difference."""
    high_at: Mapping[str, float]
    """The weights of the greatest difference."""
    named: Mapping[str, float]
    """The differences under weights with a name: presets, the weights given, each category alone."""
    always: str = ""
    """The system that is better under every weighting; empty if there is none or it cannot be decided."""
    surely_a: float | None = None
    """The share of weightings under which `a` is surely better, each by itself: credits of LE, BE and LBE in steps of
    .1, or the weightings drawn. Null with fewer than 20 units, without the measure `fair`, or for tags in shards."""
    undecided: float | None = None
    """The share of weightings under which neither is."""
    surely_b: float | None = None
    """The share of weightings under which `b` is surely better."""
    everywhere_a: float | None = None
    """For spans: the share of resamples in which `a` is better under all credits."""
    everywhere_b: float | None = None
    """For spans: the share of resamples in which `b` is better under all credits."""
    even_at: float | None = None
    """For spans: the common credit of LE, BE and LBE at which both are equal, wherever it lies; null if there is
    none."""
    even_low: float | None = None
    """The lower end of its 95% interval."""
    even_high: float | None = None
    """The upper end of its 95% interval."""
    even_inside: float | None = None
    """The share of resamples in which it is between 0 and 1."""
    clearly: tuple[str, ...] = ()
    """For spans: the systems that are better under some credits, sure for all credits together."""
    plane: tuple[float, ...] = ()
    """For spans: a constant and the factors of the credits of LE, BE and LBE; `b` is better if the sum is above 0."""
    corners: Mapping[str, float] = field(default_factory=dict)
    """The difference if some error types count as hits and the others as nothing (`le+be`), or by one category
    alone."""
    panels: tuple[str, ...] = ()
    """For a map, a letter for each point: `a` or `b` is surely better, or neither (`-`). For spans a row of LE after
    the other, with BE from 0 to 1 in steps of .1, for LBE 0, ½ and 1; for three categories a triangle in steps of
    .1."""


# --- confidences ---


class ThresholdPoint(Record, key="threshold"):
    """Counts if only answers with at least this confidence count."""

    threshold: float
    """The least confidence that counts."""
    tp: int
    """Right answers that count."""
    fp: int
    """Wrong answers that count."""
    fn: int
    """What gold has and no answer that counts."""
    tn: int | None = None
    """Answers that rightly do not count, if the number of items is known."""


class Curve(Record, key="system label"):
    """The counts of a system at each threshold of its confidence, from the highest: for precision and recall, ROC and
    coverage. A long curve has some 500 of its points; the numbers next to it are made of all."""

    system: str
    label: str | None
    """The label that confidences are about; null for the answers of the system."""
    points: tuple[ThresholdPoint, ...]
    """The points, from the highest threshold."""
    average_precision: float
    """Precision, averaged over the gains in recall; equal confidences enter together."""
    auc: float
    """The area under the ROC curve of a label; null for answers, or if there is one class only."""
    highest_recall: float
    """The recall if all answers count."""


class CalibrationBin(Record, key="bin"):
    """Answers of about the same confidence."""

    bin: int
    """The number of the bin, from 1. Bins are equally wide, and each contains its upper end."""
    items: int
    """The number of answers."""
    confidence: float
    """Their mean confidence."""
    right: float
    """The share of right answers."""
    expected_low: float
    """The share of right answers if confidences are calibrated: the lower end of the central 95% …"""
    expected_high: float
    """… and the upper end."""


class Calibration(Record, key="system label"):
    """What the confidences of a system are worth; if they are not probabilities, only their order is."""

    system: str
    label: str | None
    """The label that confidences are about; null for the answers of the system."""
    items: int
    """The number of confidences."""
    average_precision: float
    """Average precision; the mean over labels if each has confidences of its own."""
    auc: float
    """The area under the ROC curve, or its mean over labels."""
    highest_recall: float
    """The recall if all answers count."""
    brier: float = math.nan
    """The Brier score; lower is better …"""
    highest_brier: int = 1
    """… from 0 to 1, or to 2 for distributions over labels."""
    log_loss: float = math.nan
    """The mean of −ln p of gold's label; null if a label of gold has p = 0 …"""
    impossible: int = 0
    """… and the number of such items."""
    ece: float = math.nan
    """The expected calibration error in bins of equal width."""
    low: float = math.nan
    high: float = math.nan
    floor: float = math.nan
    """The ECE that is expected if confidences are calibrated: it is not 0."""
    p: float = math.nan
    """The share of calibrated draws with an ECE at least as large."""
    mce: float = math.nan
    """The largest error of a bin."""
    ece_mass: float = math.nan
    """The ECE in bins of about equal numbers of answers …"""
    floor_mass: float = math.nan
    """… and its expectation if confidences are calibrated."""
    squared: float = math.nan
    """The squared error in these bins without its bias; null if a bin has one answer."""
    number: int = 15
    """The number of bins; those without answers are left out."""
    bins: tuple[CalibrationBin, ...] = ()
    """The bins."""


class Threshold(Record, key="system label value"):
    """A system if only answers with at least this confidence count."""

    system: str
    label: str | None
    """The label that confidences are about; null for the answers of the system."""
    value: float
    """The threshold."""
    answers: int
    """The number of answers that count."""
    precision: float
    """Precision."""
    recall: float
    """Recall; if an item has one answer, the share of items with a right answer that counts."""
    f1: float
    """F1."""
    applied: bool = False
    """True if the scores of this Result are those at this threshold (`--min-score`)."""
    chosen_on: str | None = None
    """The checksum of the gold on which it was chosen (`--choose`); null if it was not."""


class JudgedScore(Record, key="system minus measure"):
    """A score, or a difference of two, from few human labels and many labels of a judge (`--judge`)."""

    system: str
    minus: str | None
    """The system whose score is subtracted; null if the row is a score and not a difference."""
    measure: str
    score: str
    human_items: int
    """The number of items that humans and the judge labelled."""
    judge_items: int
    """The number of further items, which only the judge labelled."""
    humans: float
    """By human labels alone."""
    humans_low: float
    """The lower end of its 95% interval …"""
    humans_high: float
    """… and the upper end."""
    judge: float
    """By the judge's labels of all items alone: biased, and so without an interval."""
    value: float
    """Estimated from both (PPI++)."""
    low: float
    high: float
    weight: float
    """The weight of the judge in this estimate, from 0 to 1."""
    agreement: float
    """The score of the judge's own labels against those of humans, on the items that both labelled."""
    differ: int
    """The number of these items on which the score by the judge differs from that by humans."""
    no_interval: str = ""
    """Why the estimate has no interval, so that that of humans alone counts: `few` (fewer than 10 items differ) or
    `limits` (the estimate is not between 0 and 1); empty if it has one."""
    p: float = math.nan
    """p of a difference by Student's t, if there is an interval."""
    p_adjusted: float = math.nan
    """p after Holm, over all differences in this table."""


class Plan(TwoSystems, key="a b measure observed difference units runs"):
    """The number of units with which a true difference of two systems would be found (`assay plan`) or, with several
    runs of a system or with annotators, the smallest difference that numbers of units and runs would find."""

    measure: str
    score: str
    difference: float
    """The true difference, without a sign."""
    difference_from: float | None
    """This difference if the variance over runs (annotators) is at the lower end of its 80% interval …"""
    difference_to: float | None
    """… and at the upper end; null without runs and annotators."""
    units: int | None
    """The number of units, which are like those of the pilot; null if there is none (`reason`)."""
    units_from: int | None
    """If fewer than 12 units of the pilot differ: this number for one end of the 95% interval of their share …"""
    units_to: int | None
    """… and for the other; null if this number is not considered, and if more units differ."""
    runs: int | None
    """The number of runs of each system; null without runs."""
    observed: bool
    """True if the difference is the observed one."""
    alpha: float
    """The level of the test, corrected for the tests made together (the first step of Holm's method)."""
    chance: float
    """The probability with which the difference is found."""
    pilot_units: int
    """The number of units of the pilot …"""
    pilot_differ: int
    """… and of those in which the systems differ (with runs: their median runs)."""
    reason: str = ""
    """Why there is no number of units: `beyond` (more than 1,000 times as many as in the pilot) or `impossible` (even
    if all units that differ favoured one system, the difference would be smaller)."""
    annotators: int | None = None
    """The number of annotators, if the difference is that of a system from the human ceiling."""


class AnswerCounts(Record, key="system"):
    """A language model's answers by how they could be read, and their mentions by how they were located."""

    system: str
    answers: int
    """The number of answers: `parsed + repaired + empty + refused + malformed + missing`."""
    parsed: int
    """Answers that were read as they are."""
    repaired: int
    """Answers that were read after a repair."""
    empty: int
    """Answers without text."""
    refused: int
    """Answers in which the model refuses."""
    malformed: int
    """Answers that cannot be read."""
    missing: int
    """Texts without an answer."""
    mentions: int
    """The number of mentions: `exact + folded + fuzzy + ungrounded + repeated`."""
    exact: int
    """Mentions that are in the text as they were written."""
    folded: int
    """Mentions that are in the text apart from case, forms of Unicode, quotes, dashes and white space."""
    fuzzy: int
    """Mentions with a similar place in the text."""
    ungrounded: int
    """Mentions that are nowhere in the text."""
    repeated: int
    """Mentions that were given more often than they occur."""
    outside: int
    """Mentions with labels outside the inventory, whether located or not."""
    offsets: int = 0
    """Mentions that are given by offsets alone."""


class FormCount(Record, key="system other change type label form"):
    """The errors on one surface form (`--forms`)."""

    system: str
    other: str | None
    """The second system in a comparison, otherwise null."""
    change: str
    """In a comparison: `gained` (the second system has the error, the first does not) or `lost`."""
    type: str
    """`missing`, `spurious` or `ungrounded`."""
    label: str
    """The label."""
    form: str
    """The surface form, folded."""
    count: int
    """The number of errors."""
    share: float
    """Their share of all errors of this type and change."""


class Framework(Record, key="name"):
    """A gold of `cross`, and the systems that have a version of it."""

    name: str
    path: str
    kind: str
    """`dependencies`, `constituents`, `tags`, `spans` or `graphs`."""
    enriched_by: str
    """The gold whose functions it took; empty if it has its own."""
    systems: tuple[str, ...]
    """The systems that have a version of it."""
    first: tuple[str, ...]
    """The systems whose first version it is, which is compared with those of others."""


class Overlap(Record, key="a b labelled"):
    """The agreement of two golds of `cross`."""

    a: str
    """The first gold."""
    b: str
    """The second gold."""
    labelled: bool
    """True if labels count."""
    value: float


class GoldDifference(Record, key="a b label_a label_b"):
    """Places at which two golds of `cross` have no unit in common, by label (`--task tags`, `spans`, `graphs`)."""

    a: str
    """The first gold."""
    b: str
    """The second gold."""
    label_a: str | None
    """The label of the first gold; null if it has nothing there."""
    label_b: str | None
    """The label of the second gold; null if it has nothing there."""
    count: int
    """The number of such words, or of units that one gold lacks."""


class Similarity(TwoSystemsOnScore, key="a b measure score"):
    """The similarity of two systems: one is taken as gold for the other; the order does not matter."""

    value: float


# --- annotators ---


class Annotator(Record, key="name"):
    """One annotator against the others."""

    name: str
    items: int
    """The number of items that others rated too."""
    agreement: float
    """The mean share of the others that agree."""
    kappa: float
    """Kappa against the majority of the others."""
    alpha_without: float
    """Alpha of the others alone."""
    alpha_gain: float
    """This minus alpha of all: above 0 if the others agree better without this annotator."""
    bias: Mapping[str, float]
    """By label: the annotator's share minus the others' share of the same items."""
    pairs_without: float = math.nan
    """The mean over the pairs of the others, by the first measure of pairs."""
    pairs_gain: float = math.nan
    """This minus the mean over all pairs."""
    p_adjusted: float = math.nan
    """One-sided p (Holm over annotators): the others are nearer to each other than to this annotator."""
    stands_out: bool = False
    """True if `p_adjusted` is at most 0.05 and agreement rises by at least .01 without this annotator."""


class AgreementFacts(Record):
    """What a verdict on the agreement of all annotators rests on besides the coefficient."""

    items: int
    """The number of items with two or more ratings."""
    minority_items: int
    """The number of items with a rating other than the most frequent label."""
    annotators: int
    """The number of annotators."""
    level: str
    """The level of measurement: `nominal`, `ordinal`, `interval`, `ratio`."""
    level_assumed: bool = False
    """True if labels are numbers and no level was given."""


class Coincidence(Record, key="first second"):
    """Two labels that annotators gave to one item."""

    first: str
    """The first label."""
    second: str
    """The second label."""
    count: float
    """The number of ordered pairs of ratings, each item's divided by its number of ratings minus 1."""
    share: float
    """The share of the ratings with the first label."""


class ConfusedLabel(Record, key="annotator label other"):
    """A label that an annotator gave to items to which most of the others gave another one."""

    annotator: str
    """The annotator."""
    label: str
    """The annotator's label."""
    other: str
    """The most frequent label of the others; of tied labels, each counts."""
    items: int
    """The number of these items."""
    share: float
    """The share of the annotator's items with that label that others rated too."""


class Disagreement(Record, key="item"):
    """An item that annotators rate differently; with `--items` all items."""

    item: str
    """The item."""
    value: float
    """The mean distance of two of its ratings."""
    majority: str
    """The most frequent label; tied labels are separated by ` / `."""
    ratings: Mapping[str, str]
    """The label of each annotator."""
    text: str = ""
    """The text of the item."""


class AltAnnotator(Record, key="name"):
    """One annotator in an Alternative Annotator Test."""

    name: str
    items: int
    """The number of items; with too few of them all else is null."""
    p: float
    """The p-value."""
    won: bool | None
    """True if the system does better than this annotator."""
    advantage: float
    """The share of items in which the system is at least as near to the others as this annotator."""
    difference: float
    """The same share of the annotator minus that of the system."""


class AltTest(OfSystem, key="system measure epsilon"):
    """Whether a system can replace an annotator (Calderon, Reichart and Dror 2025)."""

    epsilon: float
    """The cost of an annotator."""
    items: int
    """The number of items."""
    winning_rate: float
    """The share of annotators that the system beats, at this cost."""
    advantage: float
    """The mean over annotators of the share of items in which it is at least as near to the others."""
    low: float
    high: float
    passed: bool | None
    """True if the system passes the test."""
    rates: Mapping[str, float]
    """The winning rates at other costs."""
    least_epsilon: float
    """The least of these costs at which the system passes; null if there is none."""
    annotators: tuple[AltAnnotator, ...]
    """Each annotator."""


# --- many runs ---


class Thirds(Record):
    """Three shares that add up to 1; without a region of equivalence, two."""

    a: float
    """The share for the first system."""
    equal: float | None
    """The share for practical equivalence; null without a region."""
    b: float
    """The share for the second system."""


class Estimate(Record):
    """A posterior mean and its 95% interval, in units of the measure."""

    mean: float
    """The posterior mean."""
    low: float
    high: float


class DataSetDifference(Record, key="name"):
    """Two systems on one data set."""

    name: str
    runs: int
    """The number of runs."""
    rho: float
    """The correlation of runs that share training data."""
    a: float
    """The mean score of the first system."""
    b: float
    """The mean score of the second system."""
    difference: float
    """Their mean difference as measured."""
    spread: float
    """Its standard deviation over runs."""
    estimate: Estimate
    """The estimate of the model, which uses the other data sets if there are any."""
    decision: Thirds
    """The shares on this data set alone, by the correlated t-test."""
    t: float
    """The corrected resampled t-test (Nadeau and Bengio)."""
    p: float
    """Its two-sided p."""
    a_ahead: int
    """The number of runs in which `a` has the higher score."""
    b_ahead: int
    """The number of runs in which `b` has."""
    note: str = ""
    """A sentence on this data set."""


class SimplexCell(Record, key="a b up"):
    """A small triangle of the simplex.

    Each side of the simplex is cut into `sides` parts. `a` and `b` are the floors of sides·P(A better) and
    sides·P(B better); `up` distinguishes the two triangles of such a rhombus (the one that points upwards has the
    floor of sides·P(equal) = sides - 1 - a - b).
    """

    a: int
    """The place along P(A better)."""
    b: int
    """The place along P(B better)."""
    up: bool
    """True if it points upwards."""
    draws: int
    """The number of posterior draws in it."""


class CurvePoint(Record, key="rope std0 delta0"):
    """The shares for another region of equivalence, or under another prior."""

    rope: float
    """Half the width of the region."""
    std0: float
    """The prior's bound for the spread among data sets, as a multiple of the observed spread."""
    delta0: float
    """The prior's bound for the mean difference, as a multiple of the largest observed difference."""
    decision: Thirds
    """The shares of posterior draws."""
    region: Thirds
    """The mean probabilities for a new data set."""


class Replication(Record, key="dataset"):
    """Two systems split by split, as Gorman and Bedrick counted."""

    dataset: str
    """The data set."""
    splits: int
    """The number of splits."""
    tested: int
    """The number of splits with counts of right and wrong items, which can be tested."""
    significantly_better: int
    """The number of these on which `b` is significantly better."""
    significantly_worse: int
    """The number of these on which `b` is significantly worse."""
    better: int
    """The number of splits on which `b` has the higher score."""
    worse: int
    """The number of splits on which `b` has the lower score."""
    alpha: float
    """The level of each test, after Bonferroni's correction for the splits."""


class Posterior(TwoSystems, key="a b measure"):
    """Two systems on one measure over many runs; `a` is the worse one in the order."""

    measure: str
    model: str
    """`hierarchical` over data sets, `signed-rank` over data sets with one or two runs, `correlated-t` on one data
    set, `identical` or `constant` if no model is needed."""
    rope: float
    """Half the width of the region of practical equivalence, in units of the measure; 0: no region."""
    data_sets: int
    runs: int
    """The number of all runs."""
    decision: Thirds
    """The shares of posterior draws in which each outcome is the most probable: the paper's likelihoods."""
    region: Thirds
    """The mean probability of each outcome on a new data set; `signed-rank`: on two new ones."""
    error: float
    """The numerical error of these shares: the largest change against a grid of half the size; `signed-rank`: two
    standard errors of drawing."""
    relation: str
    """The relation of `a` to `b`: `<`, `⪅`, `≈`, `⪆`, `>`, `?`."""
    verdict: str
    """The verdict in a sentence or more."""
    mean: Estimate | None
    """The mean difference over all data sets."""
    next: Estimate | None
    """The difference on a new data set, cut to the range of scores."""
    by_data_set: tuple[DataSetDifference, ...] = ()
    """Each data set."""
    sides: int = 0
    """The number of parts into which the sides of the simplex are cut."""
    simplex: tuple[SimplexCell, ...] = ()
    """The numbers of posterior draws in the small triangles."""
    rope_curve: tuple[CurvePoint, ...] = ()
    """The shares for other regions."""
    prior_curve: tuple[CurvePoint, ...] = ()
    """The shares under other priors."""
    signed_rank: Thirds | None = None
    """The Bayesian signed-rank test on the data sets' means, for ten or more of them."""
    replications: tuple[Replication, ...] = ()
    """The systems split by split."""
    notes: tuple[str, ...] = ()
    """Notes on the computation."""
    better: str = ""
    """The system that is better over data sets on the whole."""
    better_on: int = 0
    """The number of data sets on which it is better at least (95% confidence, Bonferroni's partial conjunction)."""
    better_on_names: tuple[str, ...] = ()
    """Those that remain after Holm's correction."""
    kind: str = ""
    """The kind of verdict: `bayes-better`, `bayes-equivalent`, `bayes-open`; `identical` if the systems differ in no
    run, `bayes-none` if no difference varies between runs ([kinds](guide/experiments.md#what-the-verdict-says))."""
    claims: tuple[str, ...] = ()
    """Its claims: `better`, `equivalent`, `undecided`, `identical`, `probability`, `margin` (a region)."""


class RankTest(TwoSystems, key="a b"):
    """Two systems by their ranks over data sets."""

    wilcoxon: float
    """p of the signed-rank test."""
    wilcoxon_holm: float
    """This p after Holm's correction."""
    nemenyi: float
    """p of Nemenyi's test, which depends on the other systems."""


class MeanRanks(Record, key="measure"):
    """The ranks of three or more systems over five or more data sets."""

    measure: str
    data_sets: int
    ranks: Mapping[str, float]
    """The mean ranks, 1 is the best; the best system first."""
    groups: Mapping[str, str]
    """Letters: systems without a common letter differ significantly by the test that `by` names."""
    friedman: float
    """Friedman's statistic."""
    friedman_p: float
    """Its p."""
    iman_davenport: float
    """Iman and Davenport's statistic."""
    iman_davenport_p: float
    """Its p."""
    critical_difference: float
    """Nemenyi's critical difference."""
    pairs: tuple[RankTest, ...]
    """Each two systems."""
    by: str = "wilcoxon"
    """The test behind the groups: `wilcoxon` (the signed-rank test after Holm's correction) or `nemenyi`."""


class RankRelation(TwoSystems, key="a b"):
    """The relation of one system to another."""

    relation: str
    """The relation of `a` to `b`."""
    adjacent: bool
    """True if they are neighbours in the order."""
    covers: bool
    """True for an edge of the partial order: `a` is worse than `b`, and no system is between them."""


class Ranking(Record, key="measure"):
    """The systems in order, by the most frequent relation of each pair."""

    measure: str
    order: tuple[str, ...]
    """The systems from the worst to the best."""
    chain: str
    """The order in a line."""
    relations: tuple[RankRelation, ...]
    """Each two systems."""
    intransitive: tuple[str, ...] = ()
    """Sentences on what the order hides."""
    headline: str = ""
    """The order with shares, and the region: `<`, `≈` and `=` (identical) as decided, `?` if undecided."""


# --- examples ---


class ExampleItem(Record):
    """One item of an example: its place in the sentence, and all answers to it."""

    position: int
    """The first word, counted from 0."""
    gold: str | None
    """Gold's label."""
    answers: Mapping[str, str | None]
    """The label of each system."""
    kind: str | None = None
    """The kind of change, or the outcome."""
    end: int | None = None
    """For spans: the place after the last word."""
    confidence: Mapping[str, float] = field(default_factory=dict, metadata=_IF_FILLED)
    """The confidence of systems in their answers; only written if there is any."""
    grades: Mapping[str, float] = field(default_factory=dict, metadata=_IF_FILLED)
    """The error or the score of each answer if no measure says which ones are right; only written for these."""
    path: str = field(default="", metadata=_IF_FILLED)
    """The place of a value in its record, such as `items[2].price`; only written for records."""
    outcomes: Mapping[str, str] = field(default_factory=dict, metadata=_IF_FILLED)
    """What becomes of the value in each system: right, wrong, missing, spurious, with a note if there is one; empty
    if it does not add it."""


class ExampleSpan(Record):
    """A span, or a node of a function tree, of one side of an example."""

    side: str
    """`gold` or a system; with `cross` also `gold dep`, `generalised`, `malt@dep`."""
    label: str | None
    """The label; in coreference the number of the chain."""
    stretches: tuple[tuple[int, int], ...]
    """The words that it covers: first and end of each stretch, counted from 0."""
    kind: str
    """The outcome: `tp`, `le`, `fn` …; of nodes `gold, right, spurious, missing, forgiven, unasked`."""
    head: tuple[int, int] | None = None
    """First and end of its head; null: none. A first of −1 is the root, −2 a word that gold does not have."""
    item: int | None = None
    """A number that a span of gold and the answers to it have in common."""
    said: str = ""
    """The words of a language model's answer, if they differ from the text."""


class ExampleArcs(Record):
    """The dependency tree of one side of an example."""

    side: str
    """`gold` or a system."""
    heads: tuple[int, ...]
    """The place of each word's head; −1 is the root, −2 a word that gold does not have, −3: the word is missing."""
    labels: tuple[str, ...]
    """The relation of each word."""


class Example(Record):
    """A sentence with a change or an error (`--examples`)."""

    sentence: str
    """The id of the sentence."""
    place: str
    """Its file and line."""
    words: tuple[str, ...]
    """Its words."""
    a: str
    """The first system, or the only one."""
    b: str | None
    """The second system."""
    items: tuple[ExampleItem, ...]
    """The items that changed or are wrong."""
    spans: tuple[ExampleSpan, ...] = ()
    """The spans of gold and of the systems."""
    sides: tuple[str, ...] = ()
    """The sides whose spans are shown, in order: gold, the systems."""
    arcs: tuple[ExampleArcs, ...] = ()
    """The trees of gold and of the systems."""
    units: tuple[ExampleSpan, ...] = ()
    """The nodes of function trees of golds and systems."""
    marked: tuple[tuple[int, int], ...] = ()
    """For mentions: the words in question, as stretches (first and end)."""
    tree: bool = False
    """True if the spans are the constituents of trees."""
    heads: str = ""
    """How spans and their heads are shown: as `arcs` or `pairs`, or as `rows` or `lists`, one for each head."""
    nodes: tuple[tuple[int, str], ...] = ()
    """What spans may cover after the last word: the number of words before it, and its id."""
    text: tuple[str, ...] = field(default=(), metadata=_IF_FILLED)
    """The parts of the text of an item without words, such as premise and hypothesis; only written for these."""

    @property
    def in_lines(self) -> bool:
        """True if it is drawn in lines that belong below each other."""
        return bool(self.arcs or self.units or self.tree or self.heads or any(item.path for item in self.items))


# --- tables to draw ---


class Table(Record):
    """A table as data: one of a task in a Result, or one that renderers make."""

    title: str
    """The title."""
    header: tuple[str, ...]
    """The titles of the columns."""
    rows: tuple[tuple[Any, ...], ...]
    """A value for each column: a text or a number; value, low and high of a number with its interval."""
    forms: tuple[str, ...] = ("text",)
    """The [form](#forms-of-values) of each column's values; the last one is that of all further columns."""
    words: int = 1
    """The number of first columns that contain words and are set to the left."""
    notes: tuple[str, ...] = ()
    """Sentences below the table. One that begins "95% intervals" or "In brackets" is left out if
    intervals are."""
    lines: tuple[str, ...] = ()
    """Sentences below the table with a line each."""
    bold: tuple[tuple[int, int], ...] = ()
    """Record and column of the cells in bold, such as the best of a column."""
    italic: tuple[tuple[int, int], ...] = ()
    """Record and column of the cells in italics, such as the best of a group."""
    after: str = ""
    """The table that it follows: `scores`, `further scores`, `tests`, `differences`, `outcomes`, `changes`,
    `label differences`, `bounds`, `growth`, `unresolved`, `confidence`, `thresholds`, `labels`,
    `confusion`, `slices`, `mappings`; between annotators `agreement`; otherwise it is at the end."""
    name: str = ""
    """The name by which `--table` chooses it; empty: that of the table it follows."""
    measures: tuple[str, ...] = ()
    """The measures that the table before or after it need not show."""
    pair: tuple[str, ...] = ()
    """The two systems that it is about: a short form shows the best two."""
    minor: bool = False
    """True if a short form leaves it out."""
    short: int = 0
    """The number of rows in a short form; 0: all."""
    droppable: tuple[int, ...] = ()
    """Columns that a narrow terminal leaves out, in this order."""
    hint: str = ""
    """A further sentence in a terminal."""
    columns: tuple[str, ...] = ()
    """Names of the columns for programs, if they differ from the titles."""
    narrow: tuple[Table, ...] = ()
    """The same in several tables, for a narrow terminal."""
    over: tuple[tuple[str, int], ...] = ()
    """Titles over groups of columns, with the number of columns; the title of a group begins with it in `header`."""


# --- the whole ---


class About(Record, kw_only=True):
    """What was compared, and how."""

    command: str
    """`score`, `compare`, `plan`, `agreement`, `cross` or `bayes`."""
    task: str
    """`tags`, `spans`, `dependencies`, `graphs`, `relations`, `links`, `constituents`, `coreference`, `items`,
    `ratings` or `cross`."""
    column: str
    """The column that was compared; empty if there is none."""
    unit: str
    """What was resampled: `sentence`, `document`, `item`, or a value of `meta:KEY`."""
    units: int
    """The number of units."""
    items: int
    """The number of gold's items."""
    aligned_by: str
    """`words`, `characters` or `position`."""
    seed: int
    """The seed of random numbers."""
    times: int
    """The number of resamples and shufflings."""
    interval: str
    """The kind of interval that was asked for."""
    test: str
    """The test."""
    family: int
    """The number of p-values that were corrected together (without slices)."""
    tagset: str = ""
    """The tagset; empty if there is none."""
    scheme: str = ""
    """The scheme by which gold's tags were read as spans, such as `iob2`."""
    atoms: str = ""
    """What spans are sets of: `words` or `characters`."""
    labels: tuple[str, ...] = ()
    """The labels that count (`--labels`); empty: all."""
    ignore_labels: tuple[str, ...] = ()
    """The labels that do not count (`--ignore-labels`)."""
    documents: int = 0
    """The number of gold's documents if sentences are the unit all the same; 0: none, or one."""
    cluster_ratio: float | None = None
    """The standard error of the first score over documents (or values of `meta:KEY`) divided by that over sentences,
    of the system for which it is largest, from five documents on."""
    agreement_facts: AgreementFacts | None = None
    """What a verdict on the agreement of all annotators rests on."""
    kind: str = field(default="", metadata=_IF_FILLED)
    """What items without words have: `labels`, `sets`, `ordered` labels, `numbers` or `scores`; only for these."""
    joined_by: str = field(default="", metadata=_IF_FILLED)
    """What says which rows of gold and of a system are the same item: `id` or `order`; only written for items without
    words."""
    order: tuple[str, ...] = field(default=(), metadata=_IF_FILLED)
    """The labels in their order, if items have ordered labels or whole numbers; only written for these."""


class Presentation(Record, kw_only=True):
    """How a Result is shown, as its task says."""

    noun: str = "word"
    """The word for one item."""
    drawing: str = "tags"
    """The kind of layer that is drawn: `tags`, `arcs`, `spans`, `graph`, `frames`, `trees`, `chains`, `units`,
    `annotations` or `cards`."""
    heading: str = ""
    """The comparison in a line; if empty, it is made from other fields."""
    text_unit: str = "sentence"
    """What headings count: `sentence`, `document` or `item`."""
    matched: bool = False
    """True if systems find the items themselves."""
    rivals: bool = False
    """True if measures are rival ways to score the same items: a row for each, and the verdict says if one
    disagrees."""
    by_outcome: bool = False
    """True if answers are right by what they link to, not by a label: changes are shown by outcome."""
    remarks: Mapping[str, str] = field(default_factory=dict)
    """Sentences of the task below other tables, by the table ([remarks](#remarks))."""
    tables_only: bool = False
    """True if `tables` are all there is to show."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """Measures and scores as people write them, if that is not their name: `LAS` for `las`."""
    score_forms: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By measure and score, the form of values that are no percentages: `coefficient` (.571) or `number`."""


class Tables(Record, kw_only=True):
    """The declared tables of a Result, each a tuple of rows."""

    scores: tuple[Score, ...] = ()
    counts: tuple[CountsRow, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    diffs: tuple[Diff, ...] = ()
    contributions: tuple[Contribution, ...] = ()
    bounds: tuple[Bound, ...] = ()
    growth: tuple[Growth, ...] = ()
    risks: tuple[Risk, ...] = ()
    unique: tuple[Unique, ...] = ()
    unresolved: tuple[Unresolved, ...] = ()
    confusion: tuple[Confusion, ...] = ()
    transitions: tuple[Transition, ...] = ()
    frameworks: tuple[Framework, ...] = ()
    overlaps: tuple[Overlap, ...] = ()
    gold_differences: tuple[GoldDifference, ...] = ()
    similarities: tuple[Similarity, ...] = ()
    error_types: tuple[ErrorType, ...] = ()
    sweeps: tuple[Sweep, ...] = ()
    curves: tuple[Curve, ...] = ()
    calibrations: tuple[Calibration, ...] = ()
    thresholds: tuple[Threshold, ...] = ()
    judges: tuple[JudgedScore, ...] = ()
    plans: tuple[Plan, ...] = ()
    answers: tuple[AnswerCounts, ...] = ()
    forms: tuple[FormCount, ...] = ()
    annotators: tuple[Annotator, ...] = ()
    coincidences: tuple[Coincidence, ...] = ()
    confused_labels: tuple[ConfusedLabel, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()
    alt_tests: tuple[AltTest, ...] = ()
    bayes: tuple[Posterior, ...] = ()
    rankings: tuple[Ranking, ...] = ()
    ranks: tuple[MeanRanks, ...] = ()
    systems_over_sets: tuple[SystemOverSets, ...] = ()
    pairs_over_sets: tuple[PairOverSets, ...] = ()
    mappings: tuple[Mapped, ...] = ()
    repairs: tuple[Repair, ...] = ()
