"""Coreference: from what the user names to pairs of chains that can be judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from assay.align import Pair
from assay.arrays import Bools, Ints
from assay.corpus import Chains, Corpus
from assay.engine import checks
from assay.engine.measure import Measure
from assay.engine.options import TAGS, Decided, Options
from assay.engine.prepare import Run, check_folders, notes_on_reading, source_of
from assay.engine.warnings import Remark, format_warnings, remark, said
from assay.errors import MOST_PROBLEMS, AlignmentError, InputError, UsageError
from assay.formats import Input
from assay.formats.builder import refuse_all
from assay.formats.source import Source
from assay.tasks.coreference.documents import arranged, differences, in_golds_order
from assay.tasks.coreference.mentions import (
    COMPAREVAL,
    HEAD,
    TypeRule,
    chain_pair,
    chains_of,
    chosen,
    without_duplicates,
)
from assay.tasks.dependencies.arcs import with_heads

T = TypeVar("T")
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
    number, *theirs = (0 if corpus.chains is None else len(corpus.chains) for corpus in corpora)
    warnings = [gold_mentions(gold=gold.name, number=number, theirs=sum(theirs))]
    if options.decided is None:
        format_warnings(warnings)
    for name, corpus in zip(["gold", *named], corpora, strict=True):
        warnings += notes_on_reading(name, corpus)
    # What is wrong with any of the files is told together.
    checks_of_all: list[Callable[[], Any]] = [partial(without_duplicates, c, options.duplicates) for c in corpora]
    checks_of_all += [
        partial(in_golds_order, name, gold, output, options) for name, output in zip(named, outputs, strict=True)
    ]
    done = _each(checks_of_all)
    (gold, removed), *singles = done[: len(corpora)]
    warnings.append(repeated_mentions(name="gold", policy=options.duplicates, number=removed))
    systems = {}
    for name, (single, removed), (order, more) in zip(named, singles, done[len(corpora) :], strict=True):
        systems[name] = single if order is None else arranged(gold, single, order)
        warnings += more
        warnings.append(repeated_mentions(name=name, policy=options.duplicates, number=removed))
    skipped, more = differences(gold, systems, options)
    warnings += more
    own = next((name for name in TAGS if name in gold.columns and not _hollow(gold, name)), None)
    tags = own if options.decided is None or options.decided.tags is None else options.decided.tags
    if rule.name == HEAD and not _has_heads(gold):
        raise UsageError("--mention-types head needs trees, or heads of mentions, which gold does not have.")
    pairs = [(name, _pair(gold, system, skipped, rule, tags)) for name, system in systems.items()]
    warnings.append(checks.identical_outputs([(name, _answers(chains_of(pair).system)) for name, pair in pairs]))
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
def gold_mentions(gold: str, number: int, theirs: int) -> Iterator[str]:
    """Gold without mentions."""
    if number:
        return
    if not theirs:
        raise InputError(f"{gold}: no mentions in it, nor in any system: there is nothing to score.")
    yield ("gold has no mentions at all. Recall is undefined. Is it another format, or are gold and system swapped?")


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
        from assay.formats.entities import corefud_chains

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
    ).with_layer(chain_pair(kept[0], kept[1], rule, tags))


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
