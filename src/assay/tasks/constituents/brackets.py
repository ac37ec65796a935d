"""Phrase-structure trees of gold and a system, cleaned up by a convention: brackets over one line of kept words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np

from assay.align import Pair
from assay.arrays import Bools, Ints
from assay.classes import dataclass
from assay.corpus import KEPT, Column, Corpus, Marks, one_vocabulary
from assay.engine.matching import run_starts, same_places
from assay.engine.phrases import ROOTS, category, edge_functions, functions, roots, trees_of
from assay.engine.spanpairs import Line, with_spans_on
from assay.errors import InputError, UsageError, describe_os_error, unknown

TAG, EDGE = "tag", "edge"
EMPTY_ELEMENT = "-NONE-"
_MARKS = ('"', "``", "''", "`", "'")
"""Quotation marks, as treebanks write them."""
_CUT = re.compile(r"[-=]")


# --- conventions: presets, and parameter files of EVALB ---


@dataclass(frozen=True)
class Convention:
    """Rules for what is left out, and what is taken as equal, before brackets are compared."""

    name: str
    title: str
    """These rules in a sentence."""
    deleted: frozenset[str] = frozenset()
    """Tags of words, and labels of phrases, that are left out."""
    roots: bool = True
    """True if a topmost node with the name of a root is left out."""
    lengthless: frozenset[str] = frozenset()
    """Tags of words that do not count in the length of a sentence."""
    equal: tuple[tuple[str, str], ...] = ()
    equal_words: tuple[tuple[str, str], ...] = ()
    quotes: frozenset[str] = frozenset()
    """Tags of quotation marks that stay if only one side would leave them out."""
    whole_tags: bool = False
    """True as in EVALB: tags are compared as they are, and labels are cut at - and = but not at #."""
    remarks: tuple[str, ...] = ()
    """Remarks for the user."""

    @cached_property
    def _equal_labels(self) -> Mapping[str, str]:
        return group_equal(self.equal)

    def phrase(self, label: str) -> str:
        """Category of a phrase, as it is compared."""
        plain = label[:1] + _CUT.split(label[1:])[0] if self.whole_tags else category(label)
        return self._equal_labels.get(plain, plain)

    def tag(self, label: str) -> str:
        """Tag, as it is compared."""
        plain = self.cut_tag(label)
        return self._equal_labels.get(plain, plain)

    def cut_tag(self, label: str) -> str:
        """Tag, as it is looked up among those that are left out."""
        return label if self.whole_tags else category(label)

    def deletes(self, label: str) -> bool:
        """True if phrases with this label are left out."""
        return self.phrase(label) in {self._equal_labels.get(name, name) for name in self.deleted}


def group_equal(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Representative of each string, the same for strings that are equal directly or through others."""
    representative: dict[str, str] = {}
    for a, b in pairs:
        kept, gone = representative.setdefault(a, a), representative.setdefault(b, b)
        representative = {name: kept if group == gone else group for name, group in representative.items()}
    return representative


@dataclass(frozen=True)
class BracketOptions:
    """Convention, and which constituents count."""

    convention: Convention
    labelled: bool = True
    functions: bool = False
    unary: bool = True
    trivial: bool = True
    disc_only: bool = False
    cutoff: int = 0


_COLLINS = Convention(
    name="collins",
    title="like EVALB with COLLINS.prm: words tagged , : `` '' . and brackets TOP are left out, ADVP = PRT",
    deleted=frozenset({"TOP", EMPTY_ELEMENT, ",", ":", "``", "''", "."}),
    roots=False,
    lengthless=frozenset({EMPTY_ELEMENT}),
    equal=(("ADVP", "PRT"),),
    whole_tags=True,
)
PRESETS = {
    convention.name: convention
    for convention in (
        Convention(
            name="plain",
            title="roots and empty elements are left out, functions are cut off labels and tags; punctuation counts",
        ),
        _COLLINS,
        Convention(
            name="new",
            title="like EVALB with new.prm: words tagged , : `` '' . ? ! and brackets TOP and S1 are left out, "
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
            title="like evalb_spmrl with spmrl.prm: brackets TOP, ROOT, S1, VROOT and without a label are left out; "
            "punctuation counts",
            deleted=frozenset({*ROOTS, EMPTY_ELEMENT}),
            roots=False,
            lengthless=frozenset({EMPTY_ELEMENT}),
        ),
    )
}


def find_options(preset: str, params: str) -> BracketOptions:
    """Options of a preset or a parameter file; with a file, no other preset may be named."""
    name = preset.removeprefix("evalb-")
    if name not in PRESETS:
        raise unknown("preset", preset, PRESETS)
    if params and name != "plain":
        raise UsageError(f"preset={preset} and params={params} are two conventions. Give only one.")
    return read_parameters(params) if params else BracketOptions(PRESETS[name])


_LISTS = ("DELETE_LABEL", "DELETE_LABEL_FOR_LENGTH", "QUOTE_LABEL")
_PAIRS = ("EQ_LABEL", "EQ_WORD")
_NUMBERS = ("CUTOFF_LEN", "LABELED", "DISC_ONLY", "MAX_ERROR", "DEBUG")
_SIZES = {**dict.fromkeys(_LISTS, 1), **dict.fromkeys(_PAIRS, 2), **dict.fromkeys(_NUMBERS, 1)}


def read_parameters(path: str) -> BracketOptions:
    """Options in a parameter file of EVALB."""
    try:
        text = Path(path).read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8. Convert it, e.g. with iconv -t utf-8.") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({describe_os_error(error)}).") from None
    rows: dict[str, list[list[str]]] = {key: [] for key in _SIZES}
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
            raise InputError(f"{place}: {key} should be a number, not {values[0]!r}.")
        rows[key].append(values)
    lists = {key: frozenset(value for [value] in rows[key]) for key in _LISTS}
    pairs = {key: tuple((a, b) for a, b in rows[key]) for key in _PAIRS}
    numbers = {key: int(rows[key][-1][0]) for key in _NUMBERS if rows[key]}
    remarks = []
    if "MAX_ERROR" in numbers:
        remarks.append(f"{path}: MAX_ERROR is ignored; any number of faulty sentences is accepted.")
    if "CUTOFF_LEN" in numbers:
        length = numbers["CUTOFF_LEN"]
        remarks.append(
            f"{path}: scores are over sentences of any length; for EVALB's second table use cutoff={length}."
        )
    if EMPTY_ELEMENT not in lists["DELETE_LABEL"]:
        remarks.append(f"{path}: does not delete {EMPTY_ELEMENT}, but empty elements are left out anyway.")
    convention = Convention(
        name=path,
        title=f"like EVALB with {path}",
        deleted=lists["DELETE_LABEL"],
        roots=False,
        lengthless=lists["DELETE_LABEL_FOR_LENGTH"],
        equal=pairs["EQ_LABEL"],
        equal_words=pairs["EQ_WORD"],
        quotes=lists["QUOTE_LABEL"],
        whole_tags=True,
        remarks=tuple(remarks),
    )
    labelled, disc_only = bool(numbers.get("LABELED", 1)), bool(numbers.get("DISC_ONLY", 0))
    return BracketOptions(convention, labelled=labelled, disc_only=disc_only)


# --- nodes as spans ---


def with_nodes(pair: Pair) -> Pair:
    """Pair with all nodes of both sides over one line, to be shown and sliced."""
    lines = _place_words(pair, [np.ones(len(corpus), dtype=bool) for corpus in (pair.gold, pair.system)])
    return with_spans_on(lines, pair)


# --- words taken as equal ---


def with_equal_words(system: Corpus, gold: Corpus, equal: Sequence[tuple[str, str]]) -> Corpus:
    """System with gold's forms for words that are taken as equal, in sentences of the same length."""
    if not equal or system.sentences != gold.sentences:
        return system
    representative = group_equal(equal)
    vocabulary, (forms, gold_forms) = one_vocabulary([system.forms, gold.forms])
    group = Column.of(representative.get(form, form) for form in vocabulary).codes
    same_length = np.diff(gold.starts) == np.diff(system.starts)
    words, gold_words = (np.flatnonzero(same_length[side.sentence_of]) for side in (system, gold))
    same = group[forms[words]] == group[gold_forms[gold_words]]
    forms[words[same]] = gold_forms[gold_words[same]]
    return replace(system, forms=Column(forms, vocabulary))


# --- the clean-up ---


@dataclass(frozen=True, eq=False)
class CleanTrees:
    """Brackets of both sides that are compared, and masks and numbers of gold's sentences."""

    gold: Marks
    """Gold's brackets; their numbers are those of nodes."""
    system: Marks
    """The system's brackets, only those of valid sentences."""
    line: Line
    """Gold's words that are left."""
    valid: Bools
    """Sentences that can be compared."""
    errors: Bools
    """Sentences, not too long, with other words left than in the system."""
    skipped: Bools
    """Sentences, not too long, without a tree or without words left in the system."""
    words: Ints
    """Number of words left in each valid sentence."""
    right_tags: Ints
    """Number of these words with gold's tag."""


def clean_trees(pair: Pair, options: BracketOptions) -> CleanTrees:
    """Clean up both sides of a pair."""
    convention, corpora = options.convention, (pair.gold, pair.system)
    of_gold, of_system = pair.gold.sentence_of, pair.system_sentence
    sentences = pair.gold.sentences
    # The words left by each side's tags, and these with the quotation marks that only one side leaves out, if both
    # sides have a tag of such marks.
    left_by_tags = [~_has_tag(corpus, convention, convention.deleted) for corpus in corpora]
    kept = [mask.copy() for mask in left_by_tags]
    if convention.quotes:
        words = (pair.gold_words, pair.system_words)
        marks = [
            (corpus.column(TAG).isin(convention.quotes) & corpus.forms.isin(_MARKS))[places]
            for corpus, places in zip(corpora, words, strict=True)
        ]
        back = marks[0] & marks[1] & (left_by_tags[0][words[0]] != left_by_tags[1][words[1]])
        for mask, places in zip(kept, words, strict=True):
            mask[places[back]] = True
    in_system = kept[1] & (of_system >= 0)

    # Sentences can be compared if they have a tree, and the same words are left on both sides.
    no_tree = (np.bincount(of_system[in_system], minlength=sentences) == 0) & ~pair.skipped
    if pair.system.unparsed:
        bare = np.isin(pair.system.sentence_of, list(pair.system.unparsed)) & (of_system >= 0)
        no_tree[of_system[bare]] = True
    errors = (pair.skipped | _differ_in_words(pair, kept[0], in_system)) & ~no_tree
    counted = np.ones(sentences, dtype=bool)
    if options.cutoff:
        lengths = np.bincount(of_gold[~_has_tag(pair.gold, convention, convention.lengthless)], minlength=sentences)
        counted = lengths <= options.cutoff
    valid = counted & ~errors & ~no_tree

    _, (gold_tags, system_tags) = one_vocabulary(
        [_simplify(corpus.column(TAG), convention.tag, corpus.columns.get(EDGE), options) for corpus in corpora]
    )
    left = kept[0] & valid[of_gold]
    if pair.aligned_by == "characters":
        both = left[pair.gold_words] & kept[1][pair.system_words]
        gold_words, system_words = pair.gold_words[both], pair.system_words[both]
    else:
        # In a valid sentence the words that are left are the same, one by one.
        gold_words, system_words = np.flatnonzero(left), np.flatnonzero(in_system & valid[of_system])
    right = gold_words[gold_tags[gold_words] == system_tags[system_words]]

    lines = _place_words(pair, kept)
    labels, codes = one_vocabulary(
        [_simplify(trees.labels, convention.phrase, trees.edges, options) for trees in map(trees_of, corpora)]
    )
    columns = [Column(code, labels) for code in codes]
    gold = _list_brackets(pair.gold, left_by_tags[0], lines[0], columns[0], of_gold, counted, options)
    system = _list_brackets(pair.system, left_by_tags[1], lines[1], columns[1], of_system, valid, options)
    return CleanTrees(
        gold,
        system,
        lines[0],
        valid,
        errors & counted,
        no_tree & counted,
        np.bincount(of_gold[left], minlength=sentences),
        np.bincount(of_gold[right], minlength=sentences),
    )


def _has_tag(corpus: Corpus, convention: Convention, names: frozenset[str]) -> Bools:
    """Mask of the words whose tags have one of these names."""
    tags = corpus.column(TAG)
    return tags.isin(tag for tag in tags.vocabulary if convention.cut_tag(tag) in names)


def _simplify(labels: Column, form: Callable[[str], str], edges: Column | None, options: BracketOptions) -> Column:
    """Labels as they are compared: their categories, with functions if these count."""

    def simplify(label: str, edge: str = "") -> str:
        added = sorted({*functions(label), *edge_functions(edge)}) if options.functions else []
        return "-".join([form(label), *added])

    if edges is None or not options.functions:
        return labels.mapped({label: simplify(label) for label in labels.vocabulary})
    width = len(edges.vocabulary)
    pairs, codes = np.unique(labels.codes.astype(np.int64) * width + edges.codes, return_inverse=True)
    both = ((labels.vocabulary[pair // width], edges.vocabulary[pair % width]) for pair in pairs.tolist())
    return Column.of(simplify(label, edge) for label, edge in both).where(codes)


def _place_words(pair: Pair, kept: Sequence[Bools]) -> list[Line]:
    """Both sides' words on gold's line; a word that is left out has no width, one without gold sentence no place."""
    widths = []
    for corpus, mask in zip((pair.gold, pair.system), kept, strict=True):
        # The width of a word is 1, or its number of characters if the tokenisation differs.
        width = mask.astype(np.int32)
        if pair.aligned_by == "characters":
            sizes = [len("".join(form.split())) for form in corpus.forms.vocabulary]
            width *= np.array(sizes, dtype=np.int32)[corpus.forms.codes]
        widths.append(width)
    end = np.cumsum(widths[0], dtype=np.int64)
    atoms = "characters" if pair.aligned_by == "characters" else "words"
    gold = Line(pair.gold.starts, end - widths[0], end, atoms)
    sentence = pair.system_sentence
    words = np.flatnonzero(sentence >= 0)
    sentence = sentence[words]
    width = widths[1][words]
    ends = np.cumsum(width, dtype=np.int64)
    first = np.flatnonzero(run_starts(sentence))
    shift = np.zeros(pair.gold.sentences, dtype=np.int64)
    shift[sentence[first]] = gold.begin[pair.gold.starts[sentence[first]]] - (ends - width)[first]
    ends += shift[sentence]
    begin, end = np.full((2, len(pair.system)), -1, dtype=np.int64)
    begin[words], end[words] = ends - width, ends
    return [gold, Line(pair.system.starts, begin, end, atoms)]


def _differ_in_words(pair: Pair, in_gold: Bools, in_system: Bools) -> Bools:
    """Mask of the gold sentences with other words, or characters, left than in the system."""
    of_gold, of_system, sentences = pair.gold.sentence_of, pair.system_sentence, pair.gold.sentences
    sides = ((pair.gold, of_gold, in_gold), (pair.system, of_system, in_system))
    if pair.aligned_by == "characters":
        texts = []
        for corpus, sentence, mask in sides:
            pieces: list[list[str]] = [[] for _ in range(sentences)]
            for place, word in zip(sentence[mask].tolist(), np.flatnonzero(mask).tolist(), strict=True):
                pieces[place].extend(corpus.forms[word].split())
            texts.append(["".join(piece) for piece in pieces])
        return np.array([text != other for text, other in zip(*texts, strict=True)], dtype=bool)
    _, (forms, system_forms) = one_vocabulary([pair.gold.forms, pair.system.forms])
    if pair.aligned_by == "position":
        system_forms[pair.system_words] = forms[pair.gold_words]
    sizes = [np.bincount(sentence[mask], minlength=sentences) for _, sentence, mask in sides]
    differ: Bools = sizes[0] != sizes[1]
    words, system_words = in_gold & ~differ[of_gold], in_system & ~differ[of_system]
    differ[of_gold[words][forms[words] != system_forms[system_words]]] = True
    return differ


def _list_brackets(
    corpus: Corpus,
    kept: Bools,
    line: Line,
    labels: Column,
    sentence_of: Ints,
    counted_sentences: Bools,
    options: BracketOptions,
) -> Marks:
    """Constituents of one side that count, in the gold sentences that count.

    kept: mask of the words left by the side's tags. sentence_of: the gold sentence of each word.
    """
    trees, convention = trees_of(corpus), options.convention
    begin, end, stretches = line.places(trees)
    first = corpus.starts[trees.sentence]
    before = np.concatenate([[0], np.cumsum(kept)])
    size = before[first + trees.end] - before[first + trees.begin]
    for node, local in trees.stretches.items():
        size[node] = sum(int(before[first[node] + b] - before[first[node] + a]) for a, b in local)
    sentence = sentence_of[first + trees.begin]
    counted = (size > 0) & (sentence >= 0) & counted_sentences[sentence]
    counted &= ~trees.labels.isin(label for label in trees.labels.vocabulary if convention.deletes(label))
    if "spans" in corpus.marks and KEPT in corpus.spans.columns:
        counted &= corpus.spans.columns[KEPT].isin([KEPT])
    if convention.roots:
        counted &= ~roots(trees)
    if not options.trivial:
        whole = np.bincount(corpus.sentence_of[kept], minlength=corpus.sentences)
        counted &= (size > 1) & (size < whole[trees.sentence])
    if options.disc_only:
        counted &= np.isin(np.arange(len(trees)), list(stretches))
    nodes = Marks(sentence, begin, end, labels, stretches=stretches, number=np.arange(len(trees)))
    marks = nodes.where(np.flatnonzero(counted))
    if options.unary:
        return marks
    # The first of the nodes over the same words is the topmost.
    places = same_places(marks, marks.where(np.arange(0)))[0]
    return marks.where(np.sort(np.unique(places, return_index=True)[1]))
