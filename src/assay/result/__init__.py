"""Result: frozen data, JSON there and back. Fractions, not percent; undefined is nan here and null in JSON."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, UsageError, unknown
from assay.records import dataclass
from assay.result.encoding import decode, dumps, encode
from assay.result.posteriors import MeanRanks, Posterior, Ranking, with_kind

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from assay.result.verdict import Verdict

SCHEMA = "assay/1"
SCHEMA_OF_SETS = "assay/sets/1"
_ORIGIN = "Was it written by assay --format json?"
_FROM, _TO = {"json": "from"}, {"json": "to"}
"""`from` is a word of the language; JSON calls a change's fields by their settled names."""
_NOT_WRITTEN = {"json": ""}
"""Fields that are not in JSON."""
Read = typing.TypeVar("Read")


# --- rows ---


@dataclass(frozen=True)
class Source:
    """A file that went in."""

    name: str
    path: str
    sha256: str
    format: str
    sentences: int
    words: int
    unaligned: int = 0
    """Words without a counterpart on the other side."""
    status: str = ""
    """Why a system has no figures, e.g. `column empty`; nothing where it has."""
    spans: int = 0
    """Spans, constituents or mentions."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Documents without an annotation that is meant, by the reason: not annotated, skipped, …"""


@dataclass(frozen=True)
class Repair:
    """Annotations of one file that have the same fault, and what became of them."""

    file: str
    """Gold, or the name of a system."""
    kind: str
    action: str
    """mended or dropped."""
    count: int
    first: str
    """The place of the first."""


@dataclass(frozen=True)
class Runs:
    """The scores of several runs of a system."""

    number: int
    spread: float
    """Their standard deviation."""
    low: float
    """The lowest …"""
    high: float
    """… and the highest."""
    values: tuple[float, ...] = ()


@dataclass(frozen=True)
class Score:
    """One figure with its interval."""

    system: str
    measure: str
    score: str
    label: str | None
    slice: str | None
    value: float
    low: float
    high: float
    main: bool = False
    """True for the main score of the measure."""
    interval: str = ""
    """The kind of interval that this one is; another than was asked for where that cannot be made for this score."""
    group: str = ""
    """Of a main score among three systems or more: letters; systems that share none are told apart by the tests."""
    runs: Runs | None = None
    """Where a system has several runs; the value is their mean."""
    variance: float | None = None
    """The variance of the score over units (and runs) …"""
    df: float | None = None
    """… its degrees of freedom …"""
    effective_items: float | None = None
    """… and the number of independent items that would have the same variance; null if the score is no share."""
    design_effect: float | None = None
    """Items divided by effective items: above 1 if items of one unit resemble each other."""
    assumed: bool = False
    """True if the design effect was assumed, because no unit has an error or none is right."""
    too_short: tuple[str, ...] = ()
    """Labels with fewer than 10 items, gold's and the system's: the interval of a macro average is too short."""
    shrunk: tuple[float, float] | None = field(default=None, compare=False, repr=False, metadata=_NOT_WRITTEN)
    """The score of a share with half an item right and half an item wrong more, and its variance; not in JSON."""


@dataclass(frozen=True)
class CountsRow:
    """The counts behind scores."""

    system: str
    measure: str
    label: str | None
    slice: str | None
    counts: Mapping[str, int]


@dataclass(frozen=True)
class Power:
    """What a test could have found."""

    alpha: float
    """The level, after correction for the tests made together (the first step of Holm's)."""
    chance: float
    """The chance with which a difference is to be found."""
    smallest_reachable_p: float
    critical: float | None
    """The smallest difference that is significant; null where none can be …"""
    mde: float | None
    """… and the smallest true difference that would have been found with this chance."""
    needed_units: int | None
    """The number of units that the difference observed would need to be found, if it is the true one; null where
    there is none, or where it is beyond 1,000 times as many …"""
    needed_from: int | None
    """… if it is as large as its interval allows, …"""
    needed_to: int | None
    """… or as small; null: any number."""
    beyond: bool = False
    """More than 1,000 times as many units are needed."""


@dataclass(frozen=True)
class RunTest:
    """What a test over several runs is made of."""

    variance: float
    v_units: float
    """Over units, of the means over runs …"""
    v_a: float
    """… over the runs of A …"""
    v_b: float
    v_interaction: float
    """… and of runs within units, which is in both."""
    df: float
    p_units: float
    """Would these very models differ on other sentences?"""
    p_runs: float | None
    """Exact permutation of the scores of runs, which says nothing of other sentences …"""
    smallest_p_runs: float | None
    """… and cannot fall below this."""
    share_of_runs: float
    """The share of the variance that comes from runs."""
    aso: float | None = None
    """ε_min of almost stochastic order (Dror et al. 2019), of the better system over the other: below one half it is
    better almost always. It ignores the test set."""
    v_runs: float | None = None
    """The variance over runs of both systems; not v_a + v_b if one has two runs and all runs together vary more."""


@dataclass(frozen=True)
class Family:
    """The tests that a p-value is corrected together with."""

    question: str
    """What all of them ask: `pairs`, `average`, `data sets`, `ceiling`, `slices`."""
    size: int


@dataclass(frozen=True)
class Comparison:
    """Two systems tested on one score; the difference is b - a, so positive favours b."""

    a: str
    b: str
    measure: str
    score: str
    slice: str | None
    difference: float
    low: float
    high: float
    test: str
    p: float
    p_low: float
    p_high: float
    p_adjusted: float
    units: int
    """Units (McNemar: items) in which the systems differ."""
    p_mid: float | None = None
    exact: bool = False
    """True if p has no sampling error: no shuffling was drawn."""
    interval: str = ""
    """The kind of interval that the difference has."""
    power: Power | None = None
    """What the test could have found; null for identical systems, in slices and for other tests."""
    runs: RunTest | None = None
    """Where a system has several runs."""
    method: str = ""
    """How p was computed: `enumerated`, `exact` (a convolution), `drawn`, `tilted`; `t` over runs and annotators."""
    log10_p: float | None = None
    """The logarithm of p, also if p is smaller than a number can be."""
    smallest_p: float | None = None
    """The smallest p that any outcome of the test could have had."""
    variance: float | None = None
    """The variance of the difference over units (and runs) …"""
    df: float | None = None
    """… and its degrees of freedom."""
    few: bool = False
    """True if so few units differ that the interval is too short."""
    family: Family | None = None
    """The tests that p_adjusted is corrected for."""
    level: float | None = None
    """The level of the interval at the level of the family, 1 − 0.05 / its size …"""
    low_family: float | None = None
    """… its lower …"""
    high_family: float | None = None
    """… and its upper end."""
    annotators: int | None = None
    """For a test against the human ceiling: the number of annotators …"""
    p_items: float | None = None
    """… and p for other items and these annotators; `p` is for other annotators too."""
    margin: float | None = None
    """The smallest difference that matters, if one was given …"""
    low90: float | None = None
    """… and the ends that it is held against."""
    high90: float | None = None
    p_equivalent: float | None = None
    p_not_worse: float | None = None
    needed: int | None = None
    """The number of units that must differ for a significant result, if too few do."""
    kind: str = ""
    """The kind of verdict (docs/guide/chance.md): `different`, `not-shown`, `untestable` …"""
    claims: tuple[str, ...] = ()
    """What a sentence about this comparison may say."""
    widest: float = field(default=math.inf, compare=False, repr=False, metadata=_NOT_WRITTEN)
    """The largest difference that is possible; not in JSON."""
    evidence: Any = field(default=None, compare=False, repr=False, metadata=_NOT_WRITTEN)
    """What a test over several data sets needs of this one; not in JSON."""

    @property
    def is_of_score(self) -> bool:
        """True of a test of a score, by shuffling or over runs."""
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


@dataclass(frozen=True)
class SystemOverSets:
    """A system over the data sets that all systems have."""

    system: str
    measure: str
    score: str
    data_sets: int
    average: float
    """The plain mean of the score."""
    rank: float
    """The mean rank, 1 being the best."""
    best: int
    """The number of these data sets on which it is the best …"""
    significant: int
    """… and on which it is significantly better than every other system."""


@dataclass(frozen=True)
class PairOverSets:
    """Two systems over the data sets that both have; the difference is b - a, so positive favours b."""

    a: str
    b: str
    measure: str
    score: str
    data_sets: int
    difference: float
    """The mean over data sets."""
    a_better: int
    """The number of data sets on which A is better …"""
    b_better: int
    a_significant: int
    """… and on which this is significant after Holm's correction over pairs, measures and data sets: so many at
    least, with 95% confidence (Dror et al. 2017)."""
    b_significant: int
    signed_rank: float
    """p of Wilcoxon's signed-rank test over data sets; undefined for fewer than five."""


@dataclass(frozen=True)
class Change:
    """A change of label: gold says `gold`, A said `from`, B says `to`."""

    kind: str
    gold: str
    before: str = field(metadata=_FROM)
    after: str = field(metadata=_TO)
    count: int
    share_of_kind: float
    share_of_changes: float
    moved: int | None = None
    """For arcs: how many of them have another head (with `from` = `to`, all)."""
    other: str = ""
    """For matched items: what to show in place of `to` where answers have the same label, but another target."""


@dataclass(frozen=True)
class OutcomeChange:
    """A change of outcome where items are matched: `from` (wl, say) under A, `to` (tp) under B."""

    kind: str
    before: str = field(metadata=_FROM)
    after: str = field(metadata=_TO)
    count: int
    share_of_kind: float
    share_of_changes: float


@dataclass(frozen=True)
class LabelDifference:
    """Two systems on the items of one gold label."""

    label: str
    items: int
    a: float
    b: float
    difference: float
    effect: float | None = None
    """How much the label adds to the overall difference: its difference times its share of all items. Null if these
    do not add up to the difference, as those of F1 and of averages over labels do not."""


@dataclass(frozen=True)
class Diff:
    """The differences of B from A, item by item."""

    a: str
    b: str
    on: str
    slice: str | None
    items: int
    different: int
    diff: float
    difference: float
    """B's score minus A's; which score that is, `score` says."""
    corrections: int
    new_errors: int
    changed_errors: int
    both_right: int
    same_error: int
    overlap_right: float
    """2·both right / (A right + B right): Tuggener's overlap on correct answers."""
    overlap_all: float
    """The share of items with equal answers: Tuggener's overlap on all answers, 1 - diff."""
    changes: tuple[Change, ...]
    labels: tuple[LabelDifference, ...]
    improved: int | None = None
    """For graded measures: items whose score rose …"""
    worsened: int | None = None
    """… fell …"""
    sideways: int | None = None
    """… or stayed the same under another label …"""
    gain: float | None = None
    """… and what the rises and …"""
    loss: float | None = None
    """… the falls add up to, in items."""
    other_target: int | None = None
    """For mentions and arcs of graphs: how many are wrong in both alike, but linked to another antecedent or node."""
    score: str = ""
    """The score that `difference` is of: `f1` where items are matched, else that of gold's items alone."""
    net: int = 0
    """Corrections minus new errors. Where systems add items this need not have the sign of the difference."""
    outcomes: tuple[OutcomeChange, ...] = ()
    """Changes of outcome if items are matched, the most frequent first within each kind."""

    @property
    def has_effects(self) -> bool:
        """True if the effects of labels are known and add up to the difference; those of older files need not."""
        effects = [math.nan if row.effect is None else row.effect for row in self.labels]
        return math.isclose(sum(effects), self.difference, abs_tol=1e-9)


@dataclass(frozen=True)
class Bound:
    """The score of a perfect choice among the systems' answers."""

    on: str
    label: str | None
    slice: str | None
    items: int
    systems: Mapping[str, float]
    upper: float
    best: str
    """The best system overall."""
    gain: float
    """Upper bound minus the best system overall (as in Tuggener's Table 9)."""
    gain_over_best_here: float
    all_right: int
    none_right: int
    right_in: tuple[int, ...] = ()
    """The number of items that exactly 0, 1, 2 … of the systems have right."""
    precision: float | None = None
    """For mentions: the precision of choosing well, where a mention is left alone if any system does so …"""
    f1: float | None = None
    """… and the F1 of that."""
    exact: Mapping[str, int] = field(default_factory=dict)
    """For trees, overall: how many sentences each system has wholly right, …"""
    exact_in_one: int = 0
    """… how many some system has, …"""
    exact_upper: int = 0
    """… and in how many each item is right in some system."""
    sentences: int = 0


@dataclass(frozen=True)
class Growth:
    """The upper bound as systems are added, each time the one that adds most."""

    on: str
    slice: str | None
    added: str
    systems: int
    upper: float
    all_right: float
    """The share of items that every one of them has right."""


@dataclass(frozen=True)
class Unresolved:
    """A mention of gold that no system resolves."""

    on: str
    document: str
    place: str
    label: str
    text: str
    outcomes: Mapping[str, str]
    """Each system's error: `wl` (wrong link) or `fn` (no link)."""


@dataclass(frozen=True)
class Unique:
    """The number of items that only one system has right."""

    on: str
    slice: str | None
    system: str
    only_right: int


@dataclass(frozen=True)
class Sweep:
    """Two systems under many weightings of the categories; differences are b - a."""

    a: str
    b: str
    weightings: int
    a_better: float
    """The share of random weightings under which A is better."""
    b_better: float
    low: float
    high: float
    low_at: Mapping[str, float]
    """The weights of the least difference."""
    high_at: Mapping[str, float]
    named: Mapping[str, float]
    """The difference under weights that have a name: presets, the weights given, each category alone."""
    always: str = ""
    """The system that is ahead under every weighting, where that can be told for sure."""


@dataclass(frozen=True)
class Confusion:
    """The count of `system` where gold says `gold`; null: nothing on that side."""

    system: str
    measure: str
    gold: str | None
    assigned: str | None
    count: int
    type: str | None = None
    """The kind of outcome if items are matched; hits (`tp`) are given too."""
    pieces: int = 0
    """So many of them are further pieces of gold's items, which are counted elsewhere themselves."""


@dataclass(frozen=True)
class Transition:
    """The number of items that are `before` under A and `after` under B (kinds of outcome; `none`: not there)."""

    a: str
    b: str
    on: str
    slice: str | None
    label: str | None
    """Gold's label, ∅ for items that only systems have; null: all."""
    before: str = field(metadata=_FROM)
    after: str = field(metadata=_TO)
    count: int


@dataclass(frozen=True)
class ErrorType:
    """One type's share of a system's errors."""

    system: str
    measure: str
    type: str
    count: int
    share: float


@dataclass(frozen=True)
class AnswerCounts:
    """Counts of a language model's answers by how they could be read, and of mentions by how they were found."""

    system: str
    answers: int
    parsed: int
    repaired: int
    empty: int
    refused: int
    malformed: int
    missing: int
    mentions: int
    exact: int
    folded: int
    fuzzy: int
    ungrounded: int
    repeated: int
    outside: int
    """Mentions with labels outside the inventory, however they were found."""
    offsets: int = 0
    """Mentions that answers give by offsets alone."""


@dataclass(frozen=True)
class FormCount:
    """The number of errors of a system on a folded surface form; with `other`, of one of two systems alone."""

    system: str
    other: str | None
    change: str
    """Of two systems: `gained` (the second has it, the first does not) or `lost`."""
    type: str
    """`missing`, `spurious` or `ungrounded`."""
    label: str
    form: str
    count: int
    share: float
    """Of all errors of this type, of this change."""


@dataclass(frozen=True)
class ExampleSpan:
    """A span, or a node of a function tree, of one side within an example."""

    side: str
    """Its side: `gold`, or a system's name; across frameworks `gold dep`, `generalised`, `malt@dep`."""
    label: str | None
    stretches: tuple[tuple[int, int], ...]
    """The words it covers: first and end, counted from 0."""
    kind: str
    """Its outcome: `tp`, `le`, `fn` …; of nodes `gold`, right, spurious, missing, forgiven, unasked."""
    head: tuple[int, int] | None = None
    """First and end of its head, if it has one; first is -1: the root, -2: a word that gold does not have."""
    item: int | None = None
    """A number that a span of gold and those of systems that answer for it have in common."""
    said: str = ""
    """What a language model wrote in its answer, where that is not what stands there."""


@dataclass(frozen=True)
class ExampleArcs:
    """One side's dependency tree within an example, word by word."""

    side: str
    heads: tuple[int, ...]
    """The position of each word's head, -1: root, -2: a word that gold does not have, -3: the word is missing."""
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Framework:
    """A gold of a cross-framework comparison, and the systems that have a version of it."""

    name: str
    path: str
    kind: str
    enriched_by: str
    systems: tuple[str, ...]
    first: tuple[str, ...]
    """The systems whose first version it is, which is compared with the others'."""


@dataclass(frozen=True)
class Similarity:
    """Similarity of two systems: one is taken as gold for the other."""

    a: str
    b: str
    measure: str
    score: str
    value: float


@dataclass(frozen=True)
class Overlap:
    """Agreement of two golds."""

    a: str
    b: str
    labelled: bool
    value: float


@dataclass(frozen=True)
class ExampleItem:
    """One item of an example: where it stands in the sentence, and every answer to it."""

    position: int
    gold: str | None
    answers: Mapping[str, str | None]
    kind: str | None = None
    end: int | None = None
    """For spans: behind the last word."""


@dataclass(frozen=True)
class Example:
    """A sentence behind a change."""

    sentence: str
    place: str
    words: tuple[str, ...]
    a: str
    b: str | None
    items: tuple[ExampleItem, ...]
    spans: tuple[ExampleSpan, ...] = ()
    sides: tuple[str, ...] = ()
    """The sides whose spans are shown, in order: gold, the systems."""
    arcs: tuple[ExampleArcs, ...] = ()
    """The trees of gold and of the systems."""
    units: tuple[ExampleSpan, ...] = ()
    """The function trees of golds and systems."""
    marked: tuple[tuple[int, int], ...] = ()
    """For mentions: the words in question, as stretches (first and end)."""
    tree: bool = False
    """True if the spans are the constituents of trees."""
    heads: str = ""
    """How spans and their heads are shown: as `arcs`, as `pairs`, or as `rows`, one for each head."""
    nodes: tuple[tuple[int, str], ...] = ()
    """What spans may cover behind the last word: how many words stand before it, and its id."""

    @property
    def in_lines(self) -> bool:
        """True if it is drawn in lines that belong below each other."""
        return bool(self.arcs or self.units or self.tree or self.heads)


@dataclass(frozen=True)
class Annotator:
    """One annotator against the others, over the items that others rated too."""

    name: str
    items: int
    agreement: float
    """The mean over items of the share of the others that agree."""
    kappa: float
    """Against the majority of the others."""
    alpha_without: float
    """The agreement of the others alone …"""
    alpha_gain: float
    """… minus that of all: above 0 where the others agree better without this one."""
    bias: Mapping[str, float]
    """By label: own share minus the others' share of the same items."""


@dataclass(frozen=True)
class AgreementFacts:
    """What a verdict on the agreement of all annotators rests on, beside the coefficient."""

    items: int
    """Items with two ratings or more."""
    minority_items: int
    """Items with a rating other than the most frequent label."""
    annotators: int
    level: str
    """The level of measurement: nominal, ordinal, interval, ratio."""
    level_assumed: bool = False
    """True if labels are numbers and no level was given."""


@dataclass(frozen=True)
class Coincidence:
    """Meetings of two labels in one item: all ordered pairs of its ratings over one less than their number."""

    first: str
    second: str
    count: float
    share: float
    """Of the ratings with the first label."""


@dataclass(frozen=True)
class Disagreement:
    """An item that annotators rate differently."""

    item: str
    value: float
    """The mean distance of two of its ratings."""
    majority: str
    """The most frequent label; several that are tied are divided by ` / `."""
    ratings: Mapping[str, str]
    text: str = ""


@dataclass(frozen=True)
class AltAnnotator:
    """One annotator in an Alternative Annotator Test; nothing but the number of items where these are too few."""

    name: str
    items: int
    p: float
    won: bool | None
    advantage: float
    """The share of items in which the system is at least as near to the others as this annotator is."""
    difference: float
    """The same share of the annotator minus that of the system."""


@dataclass(frozen=True)
class AltTest:
    """May a system take the place of an annotator (Calderon, Reichart and Dror 2025)?"""

    system: str
    measure: str
    epsilon: float
    items: int
    winning_rate: float
    """The share of annotators whom the system beats, at this cost of an annotator …"""
    advantage: float
    """… and the mean over annotators of the share of items in which it is at least as near to the others."""
    low: float
    high: float
    passed: bool | None
    rates: Mapping[str, float]
    """The winning rate at other costs."""
    least_epsilon: float
    """The least of these costs at which the system passes; undefined where it does at none."""
    annotators: tuple[AltAnnotator, ...]


@dataclass(frozen=True)
class Mapped:
    """The effect of one rule of a mapping file."""

    file: str
    rule: str
    words: int
    before: float | None = None
    """The main score without any rule …"""
    after: float | None = None
    """… and with this rule and those before it."""


@dataclass(frozen=True)
class Table:
    """A table as data: a task's own in a Result, and what renderers make of the rest of it."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    """A value for each column: a text or a number; value, low and high of a figure with its interval."""
    forms: tuple[str, ...] = ("text",)
    """The format of each column's values (docs/json.md); the last is that of all further columns."""
    words: int = 1
    """So many columns, the first, are words and set to the left."""
    notes: tuple[str, ...] = ()
    """Sentences beneath (one that begins "In brackets" goes with the intervals, where a terminal has no room) …"""
    lines: tuple[str, ...] = ()
    """… and such as have a line of their own."""
    bold: tuple[tuple[int, int], ...] = ()
    """Row and column of the cells that stand out, such as the best of a column …"""
    italic: tuple[tuple[int, int], ...] = ()
    """… or of a group."""
    after: str = ""
    """The table of all Results that it stands behind: scores, further scores, differences, outcomes, bounds, labels;
    else at the end."""
    name: str = ""
    """The name by which it is asked for, with others of its kind; that of the table it stands behind unless said."""
    measures: tuple[str, ...] = ()
    """The measures that the table before or after it need not show, as this one does."""
    pair: tuple[str, ...] = ()
    """The two systems that it is about: where not all is shown, the best two are …"""
    minor: bool = False
    """… and what is minor is left out."""
    short: int = 0
    """If not 0, the number of rows that are shown where not all is."""
    droppable: tuple[int, ...] = ()
    """Columns that a terminal leaves out where there is no room, the first of these first, and says so."""
    hint: str = ""
    """A further sentence beneath the table in a terminal."""
    columns: tuple[str, ...] = ()
    """Names of the columns for programs, if people read shorter ones."""
    narrow: tuple[Table, ...] = ()
    """The same in several tables, for a terminal that has no room for this one."""


def is_best(values: Sequence[float], index: int) -> bool:
    """True of a figure that is the highest of several that differ."""
    defined = [round(value, 12) for value in values if not math.isnan(value)]
    return len(defined) > 1 and round(values[index], 12) == max(defined) != min(defined)


def kind_title(kind: str) -> str:
    """A kind of outcome as people write it: `FP`, `BEs`, `none`."""
    titles = {"bes": "BEs", "bel": "BEl", "beo": "BEo", "ungrounded": "UG"}
    return titles.get(kind, kind.upper() if len(kind) <= 3 else kind)


def is_category(measure: str) -> bool:
    """True of a row about one category of a measure, such as `features/Case`; a parameter may hold a path."""
    return "/" in measure.partition("(")[0]


def enumeration(names: Sequence[str]) -> str:
    """Names as they stand in a sentence: `a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


# --- the whole ---


@dataclass(frozen=True)
class Result:
    """All that one command found out."""

    schema: str
    version: str
    signature: str
    command: str
    task: str
    column: str
    unit: str
    units: int
    items: int
    aligned_by: str
    seed: int
    times: int
    interval: str
    test: str
    family: int
    """The number of p-values that were adjusted together."""
    gold: Source
    systems: tuple[Source, ...]
    scores: tuple[Score, ...] = ()
    counts: tuple[CountsRow, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    diffs: tuple[Diff, ...] = ()
    bounds: tuple[Bound, ...] = ()
    growth: tuple[Growth, ...] = ()
    unique: tuple[Unique, ...] = ()
    unresolved: tuple[Unresolved, ...] = ()
    confusion: tuple[Confusion, ...] = ()
    transitions: tuple[Transition, ...] = ()
    frameworks: tuple[Framework, ...] = ()
    overlaps: tuple[Overlap, ...] = ()
    similarities: tuple[Similarity, ...] = ()
    error_types: tuple[ErrorType, ...] = ()
    sweeps: tuple[Sweep, ...] = ()
    answers: tuple[AnswerCounts, ...] = ()
    """Of answers of language models: how they could be read."""
    forms: tuple[FormCount, ...] = ()
    """The most frequent surface forms of errors, where they are asked for."""
    annotators: tuple[Annotator, ...] = ()
    coincidences: tuple[Coincidence, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()
    agreement_facts: AgreementFacts | None = None
    alt_tests: tuple[AltTest, ...] = ()
    tagset: str = ""
    scheme: str = ""
    """The scheme by which tags were read as spans."""
    atoms: str = ""
    """The elements of spans: words or characters."""
    noun: str = "word"
    """The word for one item."""
    drawing: str = "tags"
    """The kind of layer that is drawn: tags, arcs, spans, graph, frames, trees, chains or units."""
    heading: str = ""
    """The comparison in a line; if empty, it is made from the other fields."""
    text_unit: str = "sentence"
    """The texts that the heading counts: sentences or documents."""
    documents: int = 0
    """The documents that gold has if sentences are the unit all the same; 0 if it has none or one."""
    cluster_ratio: float | None = None
    """The standard error of the first score over documents (or values of a comment) divided by that over sentences,
    of the system for which it is largest."""
    matched: bool = False
    """Systems find the items themselves; they are not given."""
    rivals: bool = False
    """Measures are rival ways to score the same items: a row for each, and the verdict says where one disagrees."""
    by_outcome: bool = False
    """Answers are right by what they link to, not by a label: changes are told by outcome, for each measure."""
    remarks: Mapping[str, str] = field(default_factory=dict)
    """Sentences of the task beneath tables of all Results, by the table (docs/json.md)."""
    tables: tuple[Table, ...] = ()
    """Tables of the task …"""
    tables_only: bool = False
    """… in place of those of all Results."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """Measures and scores as people write them, where that is not their name."""
    score_forms: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By measure and score the form of its values if that is not `percent`: `coefficient` or `number`."""
    labels: tuple[str, ...] = ()
    """The labels that count; all where none is named …"""
    ignore_labels: tuple[str, ...] = ()
    """… but for these."""
    bayes: tuple[Posterior, ...] = ()
    rankings: tuple[Ranking, ...] = ()
    ranks: tuple[MeanRanks, ...] = ()
    systems_over_sets: tuple[SystemOverSets, ...] = ()
    """Of several data sets: averages, ranks and wins …"""
    pairs_over_sets: tuple[PairOverSets, ...] = ()
    """… and each two systems."""
    examples: tuple[Example, ...] = ()
    mappings: tuple[Mapped, ...] = ()
    repairs: tuple[Repair, ...] = ()
    """Faulty annotations that were mended or dropped."""
    texts: Mapping[str, Any] | None = None
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """Notes on how the figures were computed: blocks, enumeration, sentences left out."""

    def to_json(self) -> str:
        """The Result as JSON text, a record per line."""
        # Put together once: it may be hundreds of megabytes.
        pieces, before = [], "{"
        for item in dataclasses.fields(self):
            value = getattr(self, item.name)
            if item.name == "command":
                pieces.append(f'{before}"verdict": {dumps(encode(self.verdict_data))}')
            pieces.append(f'{before}"{item.name}": ')
            if isinstance(value, tuple) and value and dataclasses.is_dataclass(value[0]):
                pieces.append("[\n  ")
                for row in value:
                    pieces += [dumps(encode(row)), ",\n  "]
                pieces[-1] = "]"
            else:
                pieces.append(dumps(encode(value)))
            before = ",\n "
        return "".join([*pieces, "}\n"])

    @classmethod
    def from_json(cls, text: str) -> Result:
        """A Result from its JSON text."""
        return cls._of(_parsed(text, SCHEMA))

    @classmethod
    def _of(cls, data: Mapping[str, Any]) -> Result:
        try:
            result = typing.cast(Result, decode(cls, data))
            if not result.main_scores:
                # In files from before rows said which is the main score, it stood first.
                first: dict[str, str] = {}
                rows = [(row, first.setdefault(row.measure, row.score)) for row in result.scores]
                result = replace(result, scores=tuple(replace(row, main=row.score == main) for row, main in rows))
            if any(row.is_of_score and row.slice is None and not row.kind for row in result.comparisons):
                # In files from before comparisons had a kind, it is made of what they hold.
                from assay.engine.build import adjust_p_values
                from assay.engine.counts import FEW_DIFFERING, FEW_UNITS

                few = result.units < FEW_UNITS
                tests = [replace(row, few=few or 0 < row.units < FEW_DIFFERING) for row in result.comparisons]
                decided = adjust_p_values(tests, result.main_scores, clustered=result.documents > 0)
                result = replace(result, comparisons=tuple(decided))
            if any(not row.kind for row in result.bayes):
                # Files from before verdicts had a kind have the shares that decide it.
                result = replace(result, bayes=tuple(map(with_kind, result.bayes)))
            if "tables" not in data:
                # In files from before Results said how they are shown, the name of the task did.
                from assay.engine.task import describe

                result = describe(result, noun="noun" not in data)
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise InputError(f"not a whole Result ({error}).") from None
        return result

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Result:
        """A Result from a file of its JSON."""
        return _read(path, cls.from_json)

    @property
    def measures(self) -> list[str]:
        """The measures that there are scores of, in their order."""
        return list(dict.fromkeys(row.measure for row in self.scores))

    @property
    def main_scores(self) -> dict[str, str]:
        """The name of each measure's main score."""
        found: dict[str, str] = {}
        for row in self.scores:
            # Systems beside annotators have another main score than these.
            if row.main and row.slice is None:
                found.setdefault(row.measure, row.score)
        return found

    def title(self, name: str) -> str:
        """A measure or a score as people write it."""
        return self.titles.get(name, name)

    def form_of(self, row: Score | Comparison) -> str:
        """The form of a score: `percent`, `coefficient` or `number`."""
        return self.score_forms.get(row.measure, {}).get(row.score, "percent")

    @property
    def main_tests(self) -> list[Comparison]:
        """The tests of main scores, by shuffling or over runs, overall."""
        mains = self.main_scores
        tests = (row for row in self.comparisons if row.is_of_score and row.slice is None)
        return [row for row in tests if row.score == mains.get(row.measure)]

    @property
    def verdict(self) -> str:
        """A sentence or two: the better system, by how much, and how sure that is."""
        return self.verdict_data.text

    @property
    def verdict_data(self) -> Verdict:
        """The verdict as data: its kind, what it claims, of which systems, and the facts that decided."""
        from assay.result.verdict import verdict

        return verdict(self)

    @property
    def chance(self) -> list[str]:
        """Sentences to the verdict: what it rests on, and what its test could have found."""
        from assay.result.chance import of_verdict

        return of_verdict(self)

    def score(self, system: str, measure: str, score: str | None = None, label: str | None = None) -> Score:
        """One overall figure by name; the measure's main score where none is named."""
        measure = self.measure_named(measure)
        for row in self.scores:
            same = row.system == system and row.measure == measure and row.label == label and row.slice is None
            if same and (row.main if score is None else row.score == score):
                return row
        for kind, name, known in (
            ("system", system, [row.name for row in self.systems]),
            ("measure", measure, self.measures),
        ):
            if name not in known:
                raise unknown(kind, name, known)
        named = "main score" if score is None else f"score {score!r}"
        raise UsageError(f"{measure} has no {named} for {system} and label {label!r}.")

    def measure_named(self, spec: str) -> str:
        """The measure of this Result that a spec stands for, or the spec itself where there is none.

        Parameters may be in any order, and defaults may be spelt out.
        """
        from assay.engine.measure import find

        spelt, at, theory = spec.rpartition("@") if "@" in spec else (spec, "", "")
        # A measure of one's own is known by its spec alone: nothing of it is loaded here.
        if spec in self.measures or ":" in spelt.partition("(")[0]:
            return spec
        try:
            found = f"{find(spelt)}{at}{theory}"
        except UsageError:
            return spec
        return found if found in self.measures else spec

    def to_pandas(self, rows: str = "scores") -> Any:
        """One of the lists of this Result (`scores`, `comparisons`, `diffs`, …) as a data frame of pandas."""
        return _library("pandas").DataFrame(self._records(rows, vars))

    def to_polars(self, rows: str = "scores") -> Any:
        """The same as a data frame of polars; undefined is null, and what is nested has the names of the JSON."""
        return _library("polars").DataFrame(self._records(rows, encode), infer_schema_length=None)

    def to_html(self) -> str:
        """The report page, with the sentences behind the figures where the Result was made with `embed="auto"`."""
        return self._rendered("html")

    def to_latex(self) -> str:
        """All tables in booktabs style."""
        return self._rendered("latex")

    def to_markdown(self) -> str:
        """The verdict, all tables and examples in Markdown."""
        return self._rendered("md")

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a file in the format of its ending: .html, .json, .tex, .md, .csv, .tsv."""
        from assay.files import write
        from assay.render import form_of

        write(os.fspath(path), self._rendered(form_of(os.fspath(path))))

    def _rendered(self, form: str) -> str:
        from assay.render import render

        return render(self, form)

    def figures(self, directory: str | os.PathLike[str], formats: str | Sequence[str] = "svg") -> list[Path]:
        """Write all figures for a paper (svg, pdf or png) into a folder; their files."""
        return _write_figures(self, directory, formats)

    def plot(self, kind: str = "scores") -> Figure:
        """One figure, as matplotlib has it: by the name of its file (`confusion-A`), or the first of a kind."""
        from assay.render.pictures import picture

        return picture(self, kind)

    def flat(self) -> dict[str, float]:
        """Overall figures by names such as `accuracy/A`, for trackers such as MLflow; undefined is nan."""
        from assay.render.formats import flat

        return flat(self)

    def _records(self, name: str, plain: Callable[[Any], Any]) -> list[Any]:
        lists = [item.name for item in dataclasses.fields(self) if isinstance(getattr(self, item.name), tuple)]
        if name not in lists:
            raise unknown("list of rows", name, lists)
        return [plain(row) if dataclasses.is_dataclass(row) else {name: row} for row in getattr(self, name)]

    def __str__(self) -> str:
        from assay.render.formats import summary

        return summary(self)

    def __repr__(self) -> str:
        from assay.render.text import one_line

        return one_line(self)

    def _repr_html_(self) -> str:
        from assay.render.page import fragment

        return fragment(self)


@dataclass(frozen=True)
class Results:
    """One Result for each of several data sets, and one over all of them."""

    overall: Result
    """Averages, ranks, tests over data sets, and tables with a row for each; scores and comparisons of one data set
    have it for a slice, `dataset:NAME`."""
    sets: Mapping[str, Result]
    """By name, in the order in which they were given."""

    def __getitem__(self, name: str) -> Result:
        if name not in self.sets:
            raise unknown("data set", name, self.sets)
        return self.sets[name]

    def to_json(self) -> str:
        """All Results as JSON text."""
        sets = ",\n".join(f"{dumps(name)}: {result.to_json().rstrip()}" for name, result in self.sets.items())
        overall = self.overall.to_json().rstrip()
        return f'{{"schema": "{SCHEMA_OF_SETS}",\n"overall": {overall},\n"sets": {{{sets}}}}}\n'

    @classmethod
    def from_json(cls, text: str) -> Results:
        """Results from their JSON text."""
        data = _parsed(text, SCHEMA_OF_SETS)
        try:
            return cls(Result._of(data["overall"]), {name: Result._of(one) for name, one in data["sets"].items()})
        except (LookupError, TypeError, AttributeError) as error:
            raise InputError(f"not whole Results ({error}).") from None

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Results:
        """Results from a file of their JSON."""
        return _read(path, cls.from_json)

    def figures(self, directory: str | os.PathLike[str], formats: str | Sequence[str] = "svg") -> list[Path]:
        """Write the figures over all data sets into a folder, and those of each into a folder in it; their files."""
        return _write_figures(self, directory, formats)

    def flat(self) -> dict[str, float]:
        """Averages over data sets by names such as `accuracy/A`, then the figures of each, `NAME/accuracy/A`."""
        each = {f"{name}/{key}": value for name, one in self.sets.items() for key, value in one.flat().items()}
        return self.overall.flat() | each

    @property
    def verdict(self) -> str:
        """A sentence or two: the better system over all data sets, by how much, and how sure that is."""
        return self.overall.verdict

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a file in the format of its ending: .json for all Results, the others for the tables over all."""
        from assay.files import write
        from assay.render import form_of, render

        write(os.fspath(path), render(self, form_of(os.fspath(path))))

    def __str__(self) -> str:
        return str(self.overall)

    def __repr__(self) -> str:
        return f"<assay.Results {', '.join(self.sets)}: {self.overall!r}>"

    def _repr_html_(self) -> str:
        return self.overall._repr_html_()


def read(path: str) -> Result | Results:
    """The Result in a file of JSON, or those of several data sets."""
    return _read(path, lambda text: (Results if f'"{SCHEMA_OF_SETS}"' in text[:100] else Result).from_json(text))


def _write_figures(
    result: Result | Results, directory: str | os.PathLike[str], formats: str | Sequence[str]
) -> list[Path]:
    from assay.files import make_folder, write
    from assay.render.pictures import files

    drawn = files(result, Path(directory), [formats] if isinstance(formats, str) else formats)
    for folder in dict.fromkeys((Path(directory), *(path.parent for path in drawn))):
        make_folder(folder)
    for path, content in drawn.items():
        write(path, content)
    return list(drawn)


def _read(path: str | os.PathLike[str], from_json: Callable[[str], Read]) -> Read:
    from assay.formats.source import Source as File

    text = "".join(batch.text for batch in File(os.fspath(path)).batches())
    try:
        return from_json(text)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _parsed(text: str, schema: str) -> dict[str, Any]:
    """The object of a JSON text that has this schema."""
    try:
        data = json.loads(text, parse_constant=_refused)
    except json.JSONDecodeError as error:
        raise InputError(f"line {error.lineno}: not JSON ({error.msg}). {_ORIGIN}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"cannot be understood ({error}).") from None
    if not isinstance(data, dict) or data.get("schema") != schema:
        found = data.get("schema") if isinstance(data, dict) else None
        raise InputError(f"schema {found!r} where {schema!r} is read. {_ORIGIN}")
    return data


def _refused(constant: str) -> typing.NoReturn:
    raise ValueError(f"{constant} is no number of JSON")


def _library(name: str) -> Any:
    """A library that is no dependency: whoever wants a frame has it."""
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        raise UsageError(f"{name} is not installed: pip install {name}") from None
