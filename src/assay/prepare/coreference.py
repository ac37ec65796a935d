"""Coreference: from what the user names to pairs of chains that can be judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from assay import checks
from assay.align import Pair
from assay.arcs import with_heads
from assay.arrays import Bools, Ints
from assay.chainpairs import COMPAREVAL, HEAD, TypeRule, chain_pair, chosen, without_duplicates
from assay.corpus import Chains, Column, Corpus, one_vocabulary
from assay.errors import MOST_PROBLEMS, AlignmentError, InputError, UsageError, listed
from assay.measures import Measure
from assay.prepare.options import TAGS, Decided, Options
from assay.prepare.run import (
    Run,
    check_folders,
    left_out,
    notes_on_reading,
    source_of,
)
from assay.readers import Input
from assay.readers.chains import refuse_all
from assay.readers.source import Source
from assay.remarks import Remark, remark, said, worded

T = TypeVar("T")
_SHOWN = 3
_OF_WORDS = ("column", "train", "lexicon", "oov_fold_case")
"""Options that are about single words."""


def shows_chains(item: Input | Corpus) -> bool:
    """Whether a file holds mentions in chains."""
    return item.chains is not None if isinstance(item, Corpus) else item.plan.chains


def prepare_coreference(
    inputs: Sequence[Input | Corpus], named: Sequence[str], measures: Sequence[Measure], options: Options
) -> Run:
    """Read, bring documents together, and check that their words are the same."""
    _check_options(options)
    rule = _rule(options)
    corpora = _each([partial(_read, item, options.zeros, rule) for item in inputs])
    if not all(corpus.by_id for corpus in corpora):
        check_folders(corpora)
    gold, *outputs = corpora
    warnings = [gold_mentions(gold=gold.name, number=0 if gold.chains is None else len(gold.chains))]
    if options.decided is None:
        worded(warnings)
    for name, corpus in zip(["gold", *named], corpora, strict=True):
        warnings += notes_on_reading(name, corpus)
    # What is wrong with any of the files is told together.
    checks_of_all: list[Callable[[], Any]] = [partial(without_duplicates, c, options.duplicates) for c in corpora]
    checks_of_all += [
        partial(_in_golds_order, name, gold, output, options) for name, output in zip(named, outputs, strict=True)
    ]
    done = _each(checks_of_all)
    (gold, removed), *singles = done[: len(corpora)]
    warnings.append(repeated_mentions(name="gold", policy=options.duplicates, number=removed))
    systems = {}
    for name, (single, removed), (order, more) in zip(named, singles, done[len(corpora) :], strict=True):
        systems[name] = single if order is None else _arranged(gold, single, order)
        warnings += more
        warnings.append(repeated_mentions(name=name, policy=options.duplicates, number=removed))
    skipped, more = _differences(gold, systems, options)
    warnings += more
    own = next((name for name in TAGS if name in gold.columns and not _hollow(gold, name)), None)
    tags = own if options.decided is None or options.decided.tags is None else options.decided.tags
    if rule.name == HEAD and not _has_heads(gold):
        raise UsageError("--mention-types head needs trees, or heads of mentions, which gold does not have.")
    pairs = [(name, _pair(gold, system, skipped, rule, tags)) for name, system in systems.items()]
    warnings.append(checks.identical_outputs([(name, _answers(pair.chained().system)) for name, pair in pairs]))
    return Run(
        gold=gold,
        column="",
        measures=tuple(measures),
        pairs=tuple(pairs),
        sources=tuple(source_of(name, pair.system, pair, "") for name, pair in pairs),
        skipped=skipped,
        warnings=tuple(warnings),
        mappings=(),
        task="coreference",
        items=int((~skipped[_first_sentences(gold)][gold.chains.document]).sum()) if gold.chains is not None else 0,
        unit="document",
        notes=tuple(_notes(rule, tags)),
        decided=Decided(formats=tuple(corpus.format for corpus in corpora), tags=own),
    )


@remark
def gold_mentions(gold: str, number: int) -> Iterator[str]:
    """Gold without mentions."""
    if not number:
        raise InputError(f"{gold}: no mentions in gold. Is it another format, or are gold and system swapped?")
    yield from ()


@remark
def repeated_mentions(name: str, policy: str, number: int) -> Iterator[str]:
    """Mentions given twice that were left out."""
    if number:
        what = "1 repeated mention was" if number == 1 else f"{number:,} repeated mentions were"
        yield f"{name}: {what} left out (--duplicates {policy})."


def _has_heads(gold: Corpus) -> bool:
    return gold.heads is not None or (gold.chains is not None and gold.chains.heads is not None)


def _hollow(corpus: Corpus, column: str) -> bool:
    """Whether a column has nothing but marks of emptiness."""
    return set(corpus.column(column).counts()) <= {"-", "_", "*", ""}


def _check_options(options: Options) -> None:
    """Refuse what has no meaning here."""
    if options.unit == "sentence":
        raise UsageError("chains reach over whole documents: --unit document")
    for name in _OF_WORDS:
        if getattr(options, name):
            raise UsageError(
                f"--{name.replace('_', '-')} is about words, but chains of mentions are compared. Leave it out, or "
                "say what else is compared, e.g.: --task tags"
            )
    for spec in options.slices:
        if spec.partition(":")[0] not in ("document", "meta", "label"):
            raise UsageError(
                f"--slice {spec}: chains reach over whole documents, so there is document, meta:KEY, label."
            )


def _each(calls: Sequence[Callable[[], T]]) -> list[T]:
    """What all of these give; if some refuse, all that they say, the remedies last."""
    found, refused = [], []
    for call in calls:
        try:
            found.append(call())
        except (InputError, AlignmentError) as error:
            refused.append(error)
    if refused:
        lines: list[str] = []
        for number, refusal in enumerate(refused, 1):
            lines += str(refusal).splitlines()
            if len(lines) >= MOST_PROBLEMS and number < len(refused):
                lines.append(f"… and problems in {len(refused) - number:,} more of the files")
                break
        # A remedy that several files need stands behind the last of them.
        raise type(refused[0])("\n".join(reversed(dict.fromkeys(reversed(lines)))))
    return found


def _read(item: Input | Corpus, zeros: str, rule: TypeRule) -> Corpus:
    if isinstance(item, Corpus):
        corpus = item
    elif item.plan.chains:
        corpus = item.read()
    elif item.plan.format == "conllu":
        from assay.readers.corefud import corefud_chains

        trees = rule.longer is None
        corpus = corefud_chains(item.read(["MISC", "XPOS", "UPOS", *(["HEAD"] if trees else [])]), zeros=zeros)
        corpus = _with_trees(corpus) if trees else corpus
    else:
        raise InputError(f"{item.path}: read as {item.plan.format}, which has no chains. Is it another format?")
    if corpus.chains is None:
        raise InputError(f"{corpus.name}: holds no chains.")
    return corpus


def _with_trees(corpus: Corpus) -> Corpus:
    """The corpus with the heads of its words, where it has any."""
    if corpus.is_empty("HEAD"):
        return corpus
    trees, faults = with_heads(corpus, "HEAD")
    refuse_all([f"{corpus.place(fault.word)}: {fault.fact}" for fault in faults])
    return trees


def _first_sentences(corpus: Corpus) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    assert corpus.document_starts is not None
    return np.asarray(corpus.document_starts[:-1])


def _answers(chains: Chains) -> list[Ints]:
    """The mentions of a system, and their chains numbered by their first mentions."""
    _, first, place = np.unique(chains.chain, return_index=True, return_inverse=True)
    return [chains.document, chains.begin, chains.end, first[place]]


# --- documents ---


def _in_golds_order(
    name: str, gold: Corpus, system: Corpus, options: Options
) -> tuple[list[int | None] | None, list[Remark]]:
    """Which of the system's documents each of gold's is, by their ids; None where they are as in gold."""
    there = gold_documents(gold=gold.name, system=system.name, number=gold.documents)
    if gold.document_ids == system.document_ids:
        return None, [there]
    if not (gold.by_id and system.by_id):
        # Without ids documents correspond by their order.
        if gold.documents != system.documents:
            raise AlignmentError(
                f"{system.name}: documents: {system.documents:,}, where {gold.name} has {gold.documents:,}; without "
                "ids they cannot be told apart."
            )
        return None, [there]
    theirs = {name: number for number, name in enumerate(system.document_ids)}
    ours = {name: number for number, name in enumerate(gold.document_ids)}
    absent = [number for name, number in ours.items() if name not in theirs]
    foreign = [number for name, number in theirs.items() if name not in ours]
    if (absent or foreign) and options.missing == "error":
        problems = []
        if absent:
            listed = _listed(len(absent), _named(gold, absent))
            problems.append(
                f"{_beginning(gold, absent[0])}: {system.name} lacks {listed}. To score as empty: --missing empty"
            )
        if foreign:
            listed = _listed(len(foreign), _named(system, foreign))
            problems.append(
                f"{_beginning(system, foreign[0])}: {gold.name} does not have {listed}. To ignore: --missing empty"
            )
        raise AlignmentError("\n".join(problems))
    there = gold_documents(gold=gold.name, system=system.name, number=gold.documents - len(absent))
    if options.decided is None:
        worded([there])
    remarks = [
        there,
        absent_documents(name=name, number=len(absent), named=_named(gold, absent)),
        foreign_documents(name=name, number=len(foreign), named=_named(system, foreign)),
    ]
    return [theirs.get(name) for name in gold.document_ids], remarks


@remark
def gold_documents(gold: str, system: str, number: int) -> Iterator[str]:
    """A system without any document of gold."""
    if not number:
        raise AlignmentError(f"{system}: no document of {gold} is in it.")
    yield from ()


@remark
def absent_documents(name: str, number: int, named: Sequence[str]) -> Iterator[str]:
    """Documents of gold that a system lacks."""
    if number:
        yield f"{name}: without {_listed(number, named)}, scored as empty."


@remark
def foreign_documents(name: str, number: int, named: Sequence[str]) -> Iterator[str]:
    """Documents of a system that gold lacks."""
    if number:
        yield f"{name}: {_listed(number, named)} ignored: not in gold."


def _beginning(corpus: Corpus, document: int) -> str:
    """`file:line` of the mark that a document begins with, which stands before its first word."""
    assert corpus.document_starts is not None
    sentence = int(corpus.document_starts[document])
    if corpus.lines is None or not corpus.word_per_line:
        return corpus.place_of_sentence(sentence)
    return f"{corpus.path_of(sentence)}:{int(corpus.lines[sentence]) - 1}"


def _named(corpus: Corpus, documents: Sequence[int]) -> list[str]:
    """Some documents by name; of a folder with the files that they are in."""
    assert corpus.document_starts is not None
    named = []
    for number in documents[:_SHOWN]:
        path = corpus.path_of(int(corpus.document_starts[number]))
        named.append(corpus.document_ids[number] + (f" in {path}" if path != corpus.name else ""))
    return named


def _listed(number: int, named: Sequence[str]) -> str:
    """How many documents, and the first of them by name."""
    noun = "the document" if number == 1 else f"{number:,} documents:"
    return f"{noun} {', '.join(named[:_SHOWN])}{', …' if number > _SHOWN else ''}"


def _arranged(gold: Corpus, system: Corpus, order: Sequence[int | None]) -> Corpus:
    """The system's chains in gold's documents; a document that it does not have has gold's words and no chains."""
    chains = system.chains
    assert chains is not None
    place = np.full(system.documents + 1, -1, dtype=np.int64)
    for target, source in enumerate(order):
        if source is not None:
            place[source] = target
    kept = np.flatnonzero(place[chains.document] >= 0)
    kept = kept[np.argsort(place[chains.document[kept]], kind="stable")]
    number = {int(old): new for new, old in enumerate(kept)}
    moved = Chains(
        place[chains.document[kept]],
        chains.begin[kept],
        chains.end[kept],
        chains.chain[kept],
        chains.names,
        chains.lines[kept],
        None if chains.heads is None else chains.heads[kept],
        {number[mention]: shape for mention, shape in chains.stretches.items() if mention in number},
    )
    return replace(_words(gold, system, order), chains=moved)


@dataclass(frozen=True)
class _Piece:
    corpus: Corpus
    document: int

    def sentences(self) -> range:
        assert self.corpus.document_starts is not None
        return range(
            int(self.corpus.document_starts[self.document]), int(self.corpus.document_starts[self.document + 1])
        )


def _words(gold: Corpus, system: Corpus, order: Sequence[int | None]) -> Corpus:
    """The words of the documents in gold's order."""
    pieces = [
        _Piece(gold, target) if source is None else _Piece(system, source) for target, source in enumerate(order)
    ]
    forms: list[str] = []
    sizes: list[int] = []
    lines: list[int] = []
    starts = [0]
    files: list[tuple[str, int]] = []
    for piece in pieces:
        for sentence in piece.sentences():
            path = piece.corpus.path_of(sentence)
            if not files or files[-1][0] != path:
                files.append((path, len(sizes)))
            lines.append(0 if piece.corpus.lines is None else int(piece.corpus.lines[sentence]))
            first, end = int(piece.corpus.starts[sentence]), int(piece.corpus.starts[sentence + 1])
            forms += piece.corpus.forms.strings(first, end)
            sizes.append(end - first)
        starts.append(len(sizes))
    return replace(
        system,
        forms=Column.of(forms),
        columns={},
        starts=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        lines=None if system.lines is None else np.array(lines, dtype=np.int64),
        files=tuple(files),
        aside_words=np.zeros(0, dtype=np.int64),
        aside_sentences=(),
        aside_lines=(),
        multiwords=(),
        comments=(),
        document_starts=np.array(starts, dtype=np.int64),
        document_ids=gold.document_ids,
    )


def _differences(gold: Corpus, systems: dict[str, Corpus], options: Options) -> tuple[Bools, list[Remark]]:
    """Documents whose words differ: refused, left out, or (only other forms) compared by position."""
    wrong = np.zeros(gold.documents, dtype=bool)
    problems: dict[str, list[str]] = {name: [] for name in systems}
    warnings: list[Remark] = []
    for name, system in systems.items():
        for document, line, sizes_differ in _unequal(gold, system):
            if options.on_mismatch == "warn" and not sizes_differ:
                warnings.append(said(text=f"{name}: {line}."))
                continue
            wrong[document] = True
            problems[name].append(line)
        warnings.append(_other_sentences(name, gold, system))
    lines = [line for found in problems.values() for line in found]
    if lines and options.on_mismatch != "skip":
        remedy = "The texts differ. To leave such documents out: --on-mismatch skip"
        raise AlignmentError("\n".join([*listed(lines), remedy]))
    nothing = "no document has the same words in all files."
    told = "{number} of {sentences} documents were left out: the texts differ."
    gone = left_out(wrong, nothing, told, options)
    warnings += [documents_left_out(system=name, lines=found[:MOST_PROBLEMS]) for name, found in problems.items()]
    warnings += gone
    return wrong[gold.document_of_sentence], warnings


@remark
def documents_left_out(system: str, lines: Sequence[str]) -> Iterator[str]:
    """Where the texts of documents that were left out differ in a system."""
    yield from (f"left out: {line}." for line in lines)


@remark
def other_sentences(name: str, number: int, first: Sequence[str]) -> Iterator[str]:
    """Documents that are cut into other sentences."""
    if number:
        what = "1 document is" if number == 1 else f"{number:,} documents are"
        yield f"{name}: {what} cut into other sentences than in gold (the first: {first[0]}), which changes no score."


def _other_sentences(name: str, gold: Corpus, system: Corpus) -> Remark:
    """What is to be said where documents of the same length are cut into other sentences."""
    assert gold.document_starts is not None and system.document_starts is not None
    sides = ((gold.starts, gold.document_starts), (system.starts, system.document_starts))
    ours, theirs = (np.split(np.diff(starts), documents[1:-1]) for starts, documents in sides)
    other = [
        document
        for document, (a, b) in enumerate(zip(ours, theirs, strict=True))
        if a.sum() == b.sum() and not np.array_equal(a, b)
    ]
    places = [system.place_of_sentence(int(system.document_starts[document])) for document in other[:1]]
    return other_sentences(name=name, number=len(other), first=places)


def _unequal(gold: Corpus, system: Corpus) -> Iterator[tuple[int, str, bool]]:
    """The documents that differ: the place where they part, and whether they have other numbers of words."""
    assert gold.document_starts is not None and system.document_starts is not None
    ours = gold.starts[gold.document_starts]
    theirs = system.starts[system.document_starts]
    _, (here, there) = one_vocabulary([gold.forms, system.forms])
    compared = gold.has_words and system.has_words
    for document in range(gold.documents):
        a, b = (slice(int(side[document]), int(side[document + 1])) for side in (ours, theirs))
        sizes = (a.stop - a.start, b.stop - b.start)
        shared = min(sizes)
        differing = np.flatnonzero(here[a][:shared] != there[b][:shared]) if compared else np.zeros(0, dtype=np.int64)
        if len(differing):
            word = int(differing[0])
            found, wanted = system.forms[b.start + word], gold.forms[a.start + word]
            fact = f"{found!r} where {gold.place(a.start + word)} has {wanted!r}"
            yield document, f"{system.place(b.start + word)}: {fact}", sizes[0] != sizes[1]
        elif sizes[0] != sizes[1]:
            # One ends before the other does.
            last = system.place(b.stop - 1)
            name = gold.document_name(document)
            yield document, f"{last}: {name} has {sizes[1]:,} words here, {sizes[0]:,} in {gold.name}", True


def _pair(gold: Corpus, system: Corpus, skipped: Bools, rule: TypeRule, tags: str | None) -> Pair:
    kept = [_without(corpus, skipped, gold) for corpus in (gold, system)]
    words = np.arange(len(system))
    return Pair(
        gold=kept[0],
        system=kept[1],
        aligned_by="words" if gold.has_words and system.has_words else "position",
        gold_words=np.arange(len(gold)),
        system_words=words,
        system_sentence=system.sentence_of,
        covering=words,
        skipped=skipped,
        chains=chain_pair(kept[0], kept[1], rule, tags),
    )


def _without(corpus: Corpus, skipped: Bools, gold: Corpus) -> Corpus:
    """The corpus without the chains of documents that are left out."""
    chains = corpus.chains
    assert chains is not None
    if not skipped.any():
        return corpus
    return replace(corpus, chains=chosen(chains, ~skipped[_first_sentences(gold)][chains.document]))


# --- types of mentions ---


def _rule(options: Options) -> TypeRule:
    """The paper's rule, by heads, or one from a file: `tag TAB type` lines, `nominal TAB type`, `longer TAB type`."""
    if options.mention_types in (None, COMPAREVAL):
        return TypeRule()
    if options.mention_types == HEAD:
        return TypeRule(HEAD, longer=None)
    assert options.mention_types is not None
    types: dict[str, str] = {}
    nominal: set[str] = set()
    longer: str | None = None
    for batch in Source(options.mention_types).batches():
        for number, line in batch.lines():
            if not line.strip() or line.startswith("#"):
                continue
            cells = line.split("\t")
            if len(cells) != 2 or not all(cells):
                raise InputError(
                    f"{options.mention_types}:{number}: {line!r} where a line is: tag TAB type, nominal TAB type, or "
                    "longer TAB type (of mentions of several words)."
                )
            if cells[0] == "nominal":
                nominal.add(cells[1])
            elif cells[0] == "longer":
                longer = cells[1]
            else:
                types[cells[0]] = cells[1]
    if not nominal:
        raise InputError(f"{options.mention_types}: no nominal type. Add a line: nominal TAB NOUN")
    return TypeRule(options.mention_types, types, frozenset(nominal), longer)


def _notes(rule: TypeRule, tags: str | None) -> Iterator[Remark]:
    if tags is None:
        yield said(text="Gold has no tags, so that mentions have no types.")
    else:
        yield said(text=f"Types of mentions: {rule.name} (by {tags} of gold).")
