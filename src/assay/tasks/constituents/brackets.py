"""Phrase-structure trees of gold and a system, cleaned up by one convention: brackets over one line of kept words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np

from assay.align import Pair
from assay.arrays import Bools, Ints
from assay.corpus import KEPT, Column, Corpus, Marks, one_vocabulary
from assay.engine.matching import run_starts, same_places
from assay.engine.phrases import ROOTS, category, edge_functions, functions, roots, trees_of
from assay.engine.spanpairs import Line, SpanPair
from assay.errors import InputError, UsageError, reason, unknown
from assay.records import dataclass

TAG, EDGE = "tag", "edge"
EMPTY_ELEMENT = "-NONE-"
_MARKS = ('"', "``", "''", "`", "'")
"""Quotation marks, as treebanks write them."""
_CUT = re.compile(r"[-=]")


# --- conventions: presets, and parameter files of EVALB ---


@dataclass(frozen=True)
class Convention:
    """A way to clean up: what is left out, and what is taken as equal, before brackets are compared."""

    name: str
    title: str
    """The same in a sentence."""
    deleted: frozenset[str] = frozenset()
    """Tags whose words are left out, and labels of phrases whose brackets are."""
    roots: bool = True
    """A topmost node with the name of a root is no constituent."""
    lengthless: frozenset[str] = frozenset()
    """Tags of words that do not count in the length of a sentence."""
    equal: tuple[tuple[str, str], ...] = ()
    equal_words: tuple[tuple[str, str], ...] = ()
    quotes: frozenset[str] = frozenset()
    """Tags of quotation marks that are put back where only one side would leave them out."""
    whole_tags: bool = False
    """EVALB's way: tags are compared as they stand, and labels are cut at - and = but not at #."""
    said: tuple[str, ...] = ()
    """Remarks for the user."""

    @cached_property
    def _classes(self) -> Mapping[str, str]:
        return classes(self.equal)

    def phrase(self, label: str) -> str:
        """The category of a phrase, as it is compared."""
        plain = label[:1] + _CUT.split(label[1:])[0] if self.whole_tags else category(label)
        return self._classes.get(plain, plain)

    def tag(self, label: str) -> str:
        """A tag, as it is compared."""
        plain = self.cut_tag(label)
        return self._classes.get(plain, plain)

    def cut_tag(self, label: str) -> str:
        """A tag, as it is looked up among those that are deleted."""
        return label if self.whole_tags else category(label)

    def deletes(self, label: str) -> bool:
        """True where a phrase with this label is no constituent."""
        return self.phrase(label) in {self._classes.get(name, name) for name in self.deleted}


def classes(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """For strings that are paired as equal, directly or through others, one that stands for all of them."""
    found: dict[str, str] = {}
    for a, b in pairs:
        kept, gone = found.setdefault(a, a), found.setdefault(b, b)
        found = {name: kept if standing == gone else standing for name, standing in found.items()}
    return found


@dataclass(frozen=True)
class Choices:
    """A convention, and which of the constituents count."""

    convention: Convention
    labelled: bool = True
    functions: bool = False
    unary: bool = True
    trivial: bool = True
    disc_only: bool = False
    cutoff: int = 0


_COLLINS = Convention(
    name="collins",
    title="as EVALB with COLLINS.prm: words tagged , : `` '' . and brackets TOP are left out, ADVP = PRT",
    deleted=frozenset({"TOP", EMPTY_ELEMENT, ",", ":", "``", "''", "."}),
    roots=False,
    lengthless=frozenset({EMPTY_ELEMENT}),
    equal=(("ADVP", "PRT"),),
    whole_tags=True,
)
PRESETS = {
    known.name: known
    for known in (
        Convention(
            name="plain",
            title="roots and empty elements are left out, functions are cut off labels and tags; punctuation counts",
        ),
        _COLLINS,
        Convention(
            name="new",
            title="as EVALB with new.prm: words tagged , : `` '' . ? ! and brackets TOP and S1 are left out, "
            "ADVP = PRT; quotation marks that one side alone would leave out stay",
            deleted=_COLLINS.deleted | {"S1", "?", "!"},
            roots=False,
            lengthless=_COLLINS.lengthless,
            equal=_COLLINS.equal,
            quotes=frozenset({"``", "''", "POS", "NN", "CD", "VBZ", ":"}),
            whole_tags=True,
        ),
        Convention(
            name="spmrl",
            title="as evalb_spmrl with spmrl.prm: brackets TOP, ROOT, S1, VROOT and without a label are left out; "
            "punctuation counts",
            deleted=frozenset({*ROOTS, EMPTY_ELEMENT}),
            roots=False,
            lengthless=frozenset({EMPTY_ELEMENT}),
        ),
    )
}


def choices(preset: str, params: str) -> Choices:
    """The convention of a preset or a parameter file; where there is a file, no other preset may be named."""
    name = preset.removeprefix("evalb-")
    if name not in PRESETS:
        raise unknown("preset", preset, PRESETS)
    if params and name != "plain":
        raise UsageError(f"preset={preset} and params={params} are two conventions. Give one of them.")
    return read_parameters(params) if params else Choices(PRESETS[name])


_LISTS = ("DELETE_LABEL", "DELETE_LABEL_FOR_LENGTH", "QUOTE_LABEL")
_PAIRS = ("EQ_LABEL", "EQ_WORD")
_NUMBERS = ("CUTOFF_LEN", "LABELED", "DISC_ONLY", "MAX_ERROR", "DEBUG")
_SIZES = {**dict.fromkeys(_LISTS, 1), **dict.fromkeys(_PAIRS, 2), **dict.fromkeys(_NUMBERS, 1)}


def read_parameters(path: str) -> Choices:
    """The convention in a parameter file of EVALB."""
    try:
        text = Path(path).read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8. Convert it, e.g. with iconv -t utf-8.") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({reason(error)}).") from None
    found: dict[str, list[list[str]]] = {key: [] for key in _SIZES}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        key, *values = line.split()
        place = f"{path}:{number}"
        if key not in _SIZES:
            raise InputError(f"{place}: {unknown('parameter of EVALB', key, _SIZES)}")
        if len(values) != _SIZES[key]:
            wanted = "two values" if _SIZES[key] == 2 else "one value"
            raise InputError(f"{place}: {key} takes {wanted}, not {len(values)}.")
        if key in _NUMBERS and not (values[0].isascii() and values[0].isdigit() and len(values[0]) < 10):
            raise InputError(f"{place}: {key} is a number, not {values[0]!r}.")
        found[key].append(values)
    lists = {key: frozenset(value for [value] in found[key]) for key in _LISTS}
    pairs = {key: tuple((a, b) for a, b in found[key]) for key in _PAIRS}
    numbers = {key: int(rows[-1][0]) for key, rows in found.items() if key in _NUMBERS and rows}
    said = []
    if "MAX_ERROR" in numbers:
        said.append(f"{path}: MAX_ERROR is ignored; no number of faulty sentences ends the work.")
    if "CUTOFF_LEN" in numbers:
        length = numbers["CUTOFF_LEN"]
        said.append(
            f"{path}: figures are over sentences of any length; for EVALB's second table say cutoff={length}."
        )
    if EMPTY_ELEMENT not in lists["DELETE_LABEL"]:
        said.append(f"{path}: does not delete {EMPTY_ELEMENT}, but empty elements are left out all the same.")
    convention = Convention(
        name=path,
        title=f"as EVALB with {path}",
        deleted=lists["DELETE_LABEL"],
        roots=False,
        lengthless=lists["DELETE_LABEL_FOR_LENGTH"],
        equal=pairs["EQ_LABEL"],
        equal_words=pairs["EQ_WORD"],
        quotes=lists["QUOTE_LABEL"],
        whole_tags=True,
        said=tuple(said),
    )
    return Choices(convention, labelled=bool(numbers.get("LABELED", 1)), disc_only=bool(numbers.get("DISC_ONLY", 0)))


# --- nodes as spans ---


def with_nodes(pair: Pair) -> Pair:
    """The pair with all nodes of both sides over one line, so that they can be shown and sliced."""
    lines = _lines(pair, [np.ones(len(corpus), dtype=bool) for corpus in (pair.gold, pair.system)])
    atoms = "characters" if pair.aligned_by == "characters" else "words"
    return pair.with_layer(SpanPair.of(pair.gold, lines[0], pair.system, lines[1], atoms))


# --- words taken as equal ---


def with_equal_words(system: Corpus, gold: Corpus, equal: Sequence[tuple[str, str]]) -> Corpus:
    """The system with gold's forms for words that are to be taken as equal, in sentences of the same length."""
    if not equal or system.sentences != gold.sentences:
        return system
    standing = classes(equal)
    vocabulary, (theirs, ours) = one_vocabulary([system.forms, gold.forms])
    alike = Column.of(standing.get(form, form) for form in vocabulary).codes
    same_length = np.diff(gold.starts) == np.diff(system.starts)
    here, there = (np.flatnonzero(same_length[side.sentence_of]) for side in (system, gold))
    equal_here = alike[theirs[here]] == alike[ours[there]]
    theirs[here[equal_here]] = ours[there[equal_here]]
    return replace(system, forms=Column(theirs, vocabulary))


# --- the clean-up ---


@dataclass(frozen=True, eq=False)
class Cleaned:
    """The brackets of both sides that are compared, and the sentences that can be compared at all."""

    brackets: SpanPair
    """The sides' `index` are the numbers of nodes; the system's brackets are those of valid sentences alone."""
    counted: Bools
    """The gold sentences that are not too long."""
    errors: Bools
    """Those of them in which other words are left than in the system's …"""
    skipped: Bools
    """… and those for which the system has no tree, or no words are left in it."""
    words: Ints
    """For each sentence that is left the number of words …"""
    right_tags: Ints
    """… and how many have gold's tag."""

    @property
    def valid(self) -> Bools:
        """The sentences that can be compared."""
        return self.counted & ~self.errors & ~self.skipped


def cleaned(pair: Pair, choices: Choices) -> Cleaned:
    """Clean up both sides of a pair."""
    convention, corpora = choices.convention, (pair.gold, pair.system)
    of_gold, of_system = pair.gold.sentence_of, pair.system_sentence
    sentences = pair.gold.sentences
    # The words that each side's own tags leave, and those with what is put back since the other side keeps it:
    # quotation marks that one side alone leaves out, where both have a tag that such marks may get.
    own = [~_tagged(corpus, convention, convention.deleted) for corpus in corpora]
    kept = [mask.copy() for mask in own]
    if convention.quotes:
        words = (pair.gold_words, pair.system_words)
        marks = [
            (corpus.column(TAG).isin(convention.quotes) & corpus.forms.isin(_MARKS))[places]
            for corpus, places in zip(corpora, words, strict=True)
        ]
        back = marks[0] & marks[1] & (own[0][words[0]] != own[1][words[1]])
        for mask, places in zip(kept, words, strict=True):
            mask[places[back]] = True
    in_system = kept[1] & (of_system >= 0)

    # The sentences that can be compared: with a tree, and with the same words left on both sides.
    no_tree = (np.bincount(of_system[in_system], minlength=sentences) == 0) & ~pair.skipped
    if pair.system.unparsed:
        bare = np.isin(pair.system.sentence_of, list(pair.system.unparsed)) & (of_system >= 0)
        no_tree[of_system[bare]] = True
    errors = (pair.skipped | _other_words(pair, kept[0], in_system)) & ~no_tree
    counted = np.ones(sentences, dtype=bool)
    if choices.cutoff:
        lengths = np.bincount(of_gold[~_tagged(pair.gold, convention, convention.lengthless)], minlength=sentences)
        counted = lengths <= choices.cutoff
    valid = counted & ~errors & ~no_tree

    # Their tags.
    edges = [corpus.columns.get(EDGE) if choices.functions else None for corpus in corpora]
    _, (ours, theirs) = one_vocabulary(
        [
            _compared(corpus.column(TAG), convention.tag, choices.functions, edge)
            for corpus, edge in zip(corpora, edges, strict=True)
        ]
    )
    left = kept[0] & valid[of_gold]
    if pair.aligned_by == "characters":
        both = left[pair.gold_words] & kept[1][pair.system_words]
        here, there = pair.gold_words[both], pair.system_words[both]
    else:
        # In a valid sentence the words that are left are the same, one by one.
        here, there = np.flatnonzero(left), np.flatnonzero(in_system & valid[of_system])
    right = here[ours[here] == theirs[there]]

    lines = _lines(pair, kept)
    labels, codes = one_vocabulary(
        [
            _compared(trees.labels, convention.phrase, choices.functions, trees.edges if choices.functions else None)
            for trees in map(trees_of, corpora)
        ]
    )
    gold, system = (
        _brackets(corpus, mask, line, code, labels, sentence, taking_part, choices)
        for corpus, mask, line, code, sentence, taking_part in zip(
            corpora, own, lines, codes, (of_gold, of_system), (counted, valid), strict=True
        )
    )
    starts = lines[0].begin[pair.gold.starts[:-1]]
    return Cleaned(
        SpanPair(corpora, gold, system, labels, "words", lines[0], starts),
        counted,
        errors & counted,
        no_tree & counted,
        np.bincount(of_gold[left], minlength=sentences),
        np.bincount(of_gold[right], minlength=sentences),
    )


def _tagged(corpus: Corpus, convention: Convention, names: frozenset[str]) -> Bools:
    """Mask of the words whose tags have one of these names."""
    tags = corpus.column(TAG)
    return tags.isin(tag for tag in tags.vocabulary if convention.cut_tag(tag) in names)


def _compared(labels: Column, form: Callable[[str], str], with_functions: bool, edges: Column | None) -> Column:
    """Labels as they are compared: their categories, with functions where these count."""

    def spelt(label: str, edge: str = "") -> str:
        added = sorted({*functions(label), *edge_functions(edge)}) if with_functions else []
        return "-".join([form(label), *added])

    if edges is None:
        return labels.mapped({label: spelt(label) for label in labels.vocabulary})
    width = len(edges.vocabulary)
    pairs, codes = np.unique(labels.codes.astype(np.int64) * width + edges.codes, return_inverse=True)
    both = ((labels.vocabulary[pair // width], edges.vocabulary[pair % width]) for pair in pairs.tolist())
    column = Column.of(spelt(label, edge) for label, edge in both)
    return Column(column.codes[codes], column.vocabulary)


def _lines(pair: Pair, kept: Sequence[Bools]) -> list[Line]:
    """Both sides' words on gold's line; what is left out has no width, what has no gold sentence no place."""
    widths = []
    for corpus, mask in zip((pair.gold, pair.system), kept, strict=True):
        # A word takes one place, or its characters where tokenisation differs.
        width = np.ones(len(corpus), dtype=np.int64)
        if pair.aligned_by == "characters":
            sizes = [len("".join(form.split())) for form in corpus.forms.vocabulary]
            width = np.array(sizes, dtype=np.int64)[corpus.forms.codes]
        widths.append(np.where(mask, width, 0))
    end = np.cumsum(widths[0])
    gold = Line(pair.gold.starts, end - widths[0], end)
    sentence = pair.system_sentence
    taken = np.flatnonzero(sentence >= 0)
    end = np.cumsum(widths[1][taken])
    begin = end - widths[1][taken]
    of_taken = sentence[taken]
    first = np.flatnonzero(run_starts(of_taken))
    shift = np.zeros(pair.gold.sentences, dtype=np.int64)
    shift[of_taken[first]] = gold.begin[pair.gold.starts[of_taken[first]]] - begin[first]
    bounds = np.full((2, len(pair.system)), -1, dtype=np.int64)
    bounds[:, taken] = np.stack([begin, end]) + shift[of_taken]
    return [gold, Line(pair.system.starts, bounds[0], bounds[1])]


def _other_words(pair: Pair, in_gold: Bools, in_system: Bools) -> Bools:
    """Mask of the gold sentences of which not the same words, or characters, are left."""
    of_gold, of_system, sentences = pair.gold.sentence_of, pair.system_sentence, pair.gold.sentences
    sides = ((pair.gold, of_gold, in_gold), (pair.system, of_system, in_system))
    if pair.aligned_by == "characters":
        texts = []
        for corpus, sentence, mask in sides:
            pieces: list[list[str]] = [[] for _ in range(sentences)]
            for place, word in zip(sentence[mask].tolist(), np.flatnonzero(mask).tolist(), strict=True):
                pieces[place].extend(corpus.forms[word].split())
            texts.append(["".join(piece) for piece in pieces])
        return np.array([ours != theirs for ours, theirs in zip(*texts, strict=True)], dtype=bool)
    _, (ours, theirs) = one_vocabulary([pair.gold.forms, pair.system.forms])
    if pair.aligned_by == "position":
        theirs[pair.system_words] = ours[pair.gold_words]
    sizes = [np.bincount(sentence[mask], minlength=sentences) for _, sentence, mask in sides]
    differ: Bools = sizes[0] != sizes[1]
    here = in_gold & ~differ[of_gold]
    there = in_system & ~differ[of_system]
    differ[of_gold[here][ours[here] != theirs[there]]] = True
    return differ


def _brackets(
    corpus: Corpus,
    own: Bools,
    line: Line,
    code: Ints,
    labels: tuple[str, ...],
    sentence_of: Ints,
    taking_part: Bools,
    choices: Choices,
) -> Marks:
    """The constituents of one side that count, in the gold sentences that take part.

    own: the words that are left by the side's own tags. sentence_of: the gold sentence of each word.
    """
    trees, convention = trees_of(corpus), choices.convention
    begin, end, stretches = line.places(trees)
    first = corpus.starts[trees.sentence]
    before = np.concatenate([[0], np.cumsum(own)])
    size = before[first + trees.end] - before[first + trees.begin]
    for node, local in trees.stretches.items():
        size[node] = sum(int(before[first[node] + b] - before[first[node] + a]) for a, b in local)
    sentence = sentence_of[first + trees.begin]
    counted = (size > 0) & (sentence >= 0) & taking_part[sentence]
    counted &= ~trees.labels.isin(label for label in trees.labels.vocabulary if convention.deletes(label))
    if "spans" in corpus.marks and KEPT in corpus.spans.columns:
        counted &= corpus.spans.columns[KEPT].isin([KEPT])
    if convention.roots:
        counted &= ~roots(trees)
    if not choices.trivial:
        whole = np.bincount(corpus.sentence_of[own], minlength=corpus.sentences)
        counted &= (size > 1) & (size < whole[trees.sentence])
    if choices.disc_only:
        counted &= np.isin(np.arange(len(trees)), list(stretches))
    chosen = np.flatnonzero(counted)
    marks = Marks(
        sentence, begin, end, Column(code, labels), stretches=stretches, number=np.arange(len(trees))
    ).where(chosen)
    if choices.unary:
        return marks
    # The first of the nodes over the same words is the topmost.
    places = same_places(marks, marks.where(chosen[:0]))[0]
    return marks.where(np.sort(np.unique(places, return_index=True)[1]))
