"""Coreference: from what the user names to pairs of chains that can be judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay import checks
from assay.align import MOST_PROBLEMS, Pair
from assay.arrays import Bools, Ints
from assay.chainpairs import TypeRule, chain_pair, chosen, without_duplicates
from assay.corpus import Chains, Column, Corpus, one_vocabulary
from assay.errors import AlignmentError, InputError, UsageError
from assay.measures import Measure
from assay.prepare.options import Options
from assay.prepare.run import Run, check_folders, source_of
from assay.readers import Input
from assay.readers.source import Source

_TAGS = ("XPOS", "tag", "UPOS")


def shows_chains(item: Input | Corpus) -> bool:
    """Whether a file holds mentions in chains."""
    return item.chains is not None if isinstance(item, Corpus) else item.plan.chains


def prepare_coreference(
    inputs: Sequence[Input | Corpus], named: Sequence[str], measures: Sequence[Measure], options: Options
) -> Run:
    """Read, bring documents together, and check that their words are the same."""
    if options.unit == "sentence":
        raise UsageError("chains reach over whole documents: --unit document")
    for spec in options.slices:
        if spec.partition(":")[0] not in ("document", "meta", "label"):
            raise UsageError(
                f"--slice {spec}: chains reach over whole documents, so there is document, meta:KEY, label."
            )
    corpora = [_read(item, options.zeros) for item in inputs]
    check_folders(corpora)
    names = ["gold", *named]
    warnings = [f"{name}: {note}" for name, corpus in zip(names, corpora, strict=True) for note in corpus.notes]
    gold, *outputs = corpora
    if gold.chains is None or not len(gold.chains):
        raise InputError(f"{gold.name}: no mentions in gold. Is it another format, or are gold and system swapped?")
    gold, said = without_duplicates(gold, options.duplicates)
    warnings += [f"gold: {said}"] if said else []
    systems = {}
    for name, output in zip(named, outputs, strict=True):
        single, said = without_duplicates(output, options.duplicates)
        systems[name], lines = _in_golds_order(gold, single, options.missing)
        warnings += [f"{name}: {line}" for line in (*lines, *([said] if said else []))]
    skipped, lines = _differences(gold, systems, options)
    warnings += lines
    rule = _rule(options)
    tags = next((name for name in _TAGS if name in gold.columns and not _hollow(gold, name)), None)
    pairs = [(name, _pair(gold, system, skipped, rule, tags)) for name, system in systems.items()]
    warnings += checks.identical_outputs([(name, _answers(pair.chained().system)) for name, pair in pairs])
    return Run(
        gold=gold,
        column="",
        measures=tuple(measures),
        pairs=tuple(pairs),
        sources=tuple(source_of(name, pair.system, pair, "") for name, pair in pairs),
        skipped=skipped,
        warnings=tuple(dict.fromkeys(warnings)),
        mappings=(),
        task="coreference",
        items=int((~skipped[_first_sentences(gold)][gold.chains.document]).sum()) if gold.chains is not None else 0,
        unit="document",
        notes=tuple(_notes(rule, tags)),
    )


def _hollow(corpus: Corpus, column: str) -> bool:
    """Whether a column has nothing but marks of emptiness."""
    return set(corpus.column(column).counts()) <= {"-", "_", "*", ""}


def _read(item: Input | Corpus, zeros: str) -> Corpus:
    if isinstance(item, Corpus):
        corpus = item
    elif item.plan.chains:
        corpus = item.read()
    elif item.plan.format == "conllu":
        from assay.readers.corefud import corefud_chains

        corpus = corefud_chains(item.read(["MISC", "XPOS"]), zeros=zeros)
    else:
        raise InputError(f"{item.path}: read as {item.plan.format}, which has no chains. Is it another format?")
    if corpus.chains is None:
        raise InputError(f"{corpus.name}: holds no chains.")
    return corpus


def _first_sentences(corpus: Corpus) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    assert corpus.document_starts is not None
    return np.asarray(corpus.document_starts[:-1])


def _answers(chains: Chains) -> list[Ints]:
    """The mentions of a system, and their chains numbered by their first mentions."""
    _, first, place = np.unique(chains.chain, return_index=True, return_inverse=True)
    return [chains.document, chains.begin, chains.end, first[place]]


# --- documents ---


def _in_golds_order(gold: Corpus, system: Corpus, missing: str) -> tuple[Corpus, list[str]]:
    """The system's documents as gold has them, by their ids."""
    if gold.document_ids == system.document_ids:
        return system, []
    if not (gold.by_id and system.by_id):
        # Without ids documents correspond by their order.
        if gold.documents != system.documents:
            raise AlignmentError(
                f"{system.name}: documents: {system.documents:,}, where {gold.name} has {gold.documents:,}; without "
                "ids they cannot be told apart."
            )
        return replace(system, document_ids=gold.document_ids), []
    theirs = {name: number for number, name in enumerate(system.document_ids)}
    absent = [name for name in gold.document_ids if name not in theirs]
    foreign = [name for name in theirs if name not in set(gold.document_ids)]
    if (absent or foreign) and missing == "error":
        if absent:
            place = _beginning(gold, gold.document_ids.index(absent[0]))
            raise AlignmentError(
                f"{place}: {system.name} lacks {_listed(absent)}. To score as empty: --missing empty"
            )
        place = _beginning(system, theirs[foreign[0]])
        raise AlignmentError(f"{place}: {gold.name} does not have {_listed(foreign)}. To ignore: --missing empty")
    if len(absent) == gold.documents:
        raise AlignmentError(f"{system.name}: no document of {gold.name} is in it.")
    lines = [f"without {_listed(absent)}, scored as empty."] if absent else []
    lines += [f"{_listed(foreign)} ignored: not in gold."] if foreign else []
    return _arranged(gold, system, [theirs.get(name) for name in gold.document_ids]), lines


def _beginning(corpus: Corpus, document: int) -> str:
    """`file:line` of the mark that a document begins with, which stands before its first word."""
    assert corpus.document_starts is not None
    sentence = int(corpus.document_starts[document])
    if corpus.lines is None or not corpus.word_per_line:
        return corpus.place_of_sentence(sentence)
    return f"{corpus.path_of(sentence)}:{int(corpus.lines[sentence]) - 1}"


def _listed(names: Sequence[str]) -> str:
    noun = "the document" if len(names) == 1 else f"{len(names):,} documents:"
    return f"{noun} {', '.join(names[:3])}{', …' if len(names) > 3 else ''}"


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
    for piece in pieces:
        for sentence in piece.sentences():
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
        files=system.files[:1],
        aside_words=np.zeros(0, dtype=np.int64),
        aside_sentences=(),
        aside_lines=(),
        multiwords=(),
        comments=(),
        document_starts=np.array(starts, dtype=np.int64),
        document_ids=gold.document_ids,
    )


def _differences(gold: Corpus, systems: dict[str, Corpus], options: Options) -> tuple[Bools, list[str]]:
    """Documents whose words differ: refused, left out, or (only other forms) compared by position."""
    wrong = np.zeros(gold.documents, dtype=bool)
    problems, warnings = [], []
    for name, system in systems.items():
        for document, line, sizes_differ in _unequal(gold, system):
            if options.on_mismatch == "warn" and not sizes_differ:
                warnings.append(f"{name}: {line}.")
                continue
            wrong[document] = True
            problems.append(line)
    if problems and options.on_mismatch != "skip":
        more = [f"… and {len(problems) - MOST_PROBLEMS:,} more places"] if len(problems) > MOST_PROBLEMS else []
        remedy = "The texts differ. To leave such documents out: --on-mismatch skip"
        raise AlignmentError("\n".join([*problems[:MOST_PROBLEMS], *more, remedy]))
    if wrong.all():
        raise AlignmentError("no document has the same words in all files.")
    if wrong.any():
        warnings += [f"left out: {line}." for line in problems[:MOST_PROBLEMS]]
        warnings.append(f"{int(wrong.sum()):,} of {gold.documents:,} documents were left out: the texts differ.")
    return wrong[gold.document_of_sentence], warnings


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
    """The paper's rule, or one from a file: `tag TAB type` lines, `nominal TAB type`, `longer TAB type`."""
    if options.mention_types is None:
        return TypeRule()
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


def _notes(rule: TypeRule, tags: str | None) -> Iterator[str]:
    if tags is None:
        yield "Gold has no tags, so that mentions have no types."
    else:
        yield f"Types of mentions: {rule.name} (by {tags} of gold)."
