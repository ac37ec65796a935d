"""What a Result is made of: one frozen record for each kind of row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


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
    """Whether it is the measure's main score, as the measure declares it."""
    interval: str = ""
    """The kind of interval that this one is; another than was asked for where that cannot be made for this score."""


@dataclass(frozen=True)
class CountsRow:
    """The counts behind scores."""

    system: str
    measure: str
    label: str | None
    slice: str | None
    counts: Mapping[str, int]


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
    """All shufflings were enumerated, so p has no sampling error."""
    interval: str = ""
    """The kind of interval that the difference has."""


@dataclass(frozen=True)
class Change:
    """What one label became: gold says `gold`, A said `from`, B says `to`."""

    kind: str
    gold: str
    before: str
    after: str
    count: int
    share_of_kind: float
    share_of_changes: float
    moved: int | None = None
    """For arcs: how many of them have another head (with `from` = `to`, all)."""


@dataclass(frozen=True)
class OutcomeChange:
    """What one outcome became where items are matched: `from` (wl, say) under A, `to` (tp) under B."""

    kind: str
    before: str
    after: str
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
    effect: float
    """The difference times the label's share of all items: over all labels this is the share of right items won."""


@dataclass(frozen=True)
class Diff:
    """What B does differently from A, item by item."""

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
    other_antecedent: int | None = None
    """For mentions: how many are linked wrongly by both, but to another antecedent."""
    score: str = ""
    """The score that `difference` is of: `f1` where items are matched, else that of gold's items alone."""
    net: int = 0
    """Corrections minus new errors. Where systems add items this need not have the sign of the difference."""
    outcomes: tuple[OutcomeChange, ...] = ()
    """Where items are matched: which outcome became which, the most frequent first within each kind."""


@dataclass(frozen=True)
class Bound:
    """How good a perfect choice among the systems' answers would be."""

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
    """How many items exactly 0, 1, 2 … of the systems have right."""
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
    """What each system does instead: `wl` (wrong link) or `fn` (no link)."""


@dataclass(frozen=True)
class Unique:
    """What only one system has right."""

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
    """How often a system says `system` where gold says `gold`; null: nothing on that side."""

    system: str
    measure: str
    gold: str | None
    assigned: str | None
    count: int
    type: str | None = None
    """Where items are matched: what kind of outcome this is; hits (`tp`) are given too."""
    pieces: int = 0
    """So many of them are further pieces of gold's items, which are counted elsewhere themselves."""


@dataclass(frozen=True)
class Transition:
    """How many items were `before` under A and are `after` under B (kinds of outcome; `none`: not there)."""

    a: str
    b: str
    on: str
    slice: str | None
    label: str | None
    """Gold's label, ∅ for items that only systems have; null: all."""
    before: str
    after: str
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
class ExampleSpan:
    """A span of one side within an example."""

    side: str
    """Whose it is: `gold`, or a system's name."""
    label: str
    stretches: tuple[tuple[int, int], ...]
    """The words it covers: first and end, counted from 0."""
    kind: str
    """What became of it: `tp`, `le`, `fn` …"""


@dataclass(frozen=True)
class ExampleArcs:
    """One side's dependency tree within an example, word by word."""

    side: str
    heads: tuple[int, ...]
    """The position of each word's head, -1: root, -2: a word that gold does not have, -3: the word is missing."""
    labels: tuple[str, ...]


@dataclass(frozen=True)
class ExampleUnit:
    """A node of a function tree within an example."""

    side: str
    """A gold (`gold dep`), the `generalised` gold, or a system (`malt@dep`)."""
    label: str | None
    stretches: tuple[tuple[int, int], ...]
    kind: str
    """`gold`, or what becomes of it: right, spurious, missing, forgiven, unasked."""


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
    """How alike two systems are: one taken as gold for the other."""

    a: str
    b: str
    measure: str
    score: str
    value: float


@dataclass(frozen=True)
class Overlap:
    """How far two golds agree."""

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
    """Whose spans are shown, in order: gold, the systems."""
    arcs: tuple[ExampleArcs, ...] = ()
    """The trees of gold and of the systems."""
    units: tuple[ExampleUnit, ...] = ()
    """The function trees of golds and systems."""
    marked: tuple[tuple[int, int], ...] = ()
    """For mentions: the words in question, as stretches (first and end)."""
    tree: bool = False
    """Whether the spans are the constituents of trees."""


@dataclass(frozen=True)
class Mapped:
    """What one rule of a mapping file changed."""

    file: str
    rule: str
    words: int
    before: float | None = None
    """The main score without any rule …"""
    after: float | None = None
    """… and with this rule and those before it."""
