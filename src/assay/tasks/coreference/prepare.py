"""Coreference: from what the user names to pairs of chains that can be judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Bools
from assay.corpus import Corpus, one_vocabulary
from assay.engine.counts import tally_brackets
from assay.engine.offsets import compare_offsets
from assay.engine.options import TAGS, Options
from assay.engine.prepare import (
    MOST_NAMED,
    Run,
    absent_documents,
    documents_shared,
    list_documents,
    sentences_left_out,
)
from assay.engine.slices import Slice
from assay.engine.treebanks import with_heads
from assay.engine.warnings import (
    Remark,
    format_warnings,
    identical_outputs,
    nothing_in_system,
    number_of_things,
    numbers_by_side,
    plain_sentence,
    remark,
)
from assay.errors import MOST_PROBLEMS, AlignmentError, InputError, UsageError, list_problems
from assay.formats import Input
from assay.formats.builder import refuse_all
from assay.formats.emptynodes import ZERO, find_real_words, insert_all_nodes, list_empty_nodes
from assay.formats.source import Source
from assay.result import enumeration
from assay.result.numbers import plural
from assay.tasks.coreference.chains import chain_of
from assay.tasks.coreference.grounding import TEXT2TEXT, ground_mentions
from assay.tasks.coreference.mentions import (
    COMPAREVAL,
    HEAD,
    TypeRule,
    dependencies_of_zeros,
    mentions_of,
    pair_mentions,
    remove_duplicates,
)
from assay.tasks.coreference.slices import SPLIT

T = TypeVar("T")
CLUSTERS = "clusters"
"""The format whose mentions are numbers of words."""
_OFFICIAL = (
    "Official scores of 2022 and 2023 came from CorefUD scorers 1.0 and 1.1, which matched one mention "
    "with several, so they cannot be reproduced exactly."
)


def prepare_coreference(run: Run) -> None:
    """Read, bring documents together, and check that their words are the same."""
    options = run.options
    _check_options(run)
    rule = _rule(options)
    formats = [item.format if isinstance(item, Corpus) else item.plan.name for item in run.inputs]
    named = zip(run.names, run.inputs, strict=True)
    run.take(_each([partial(_read, item, options, name, rule, TEXT2TEXT in formats) for name, item in named]))
    number, *numbers = (len(corpus.marks["mentions"]) for corpus in run.corpora)
    run.require(gold_mentions(gold=run.gold.name, number=number, theirs=sum(numbers)))
    for name, number in zip(run.names[1:], numbers, strict=True):
        run.warnings.append(nothing_in_system(name=name, nouns="mentions", number=number))
    run.note_reading()
    # All problems of all files are reported together.
    checks: list[Callable[[], Any]] = [
        partial(remove_duplicates, corpus, options.duplicates) for corpus in run.corpora
    ]
    checks += [partial(_order_like_gold, name, run.gold, output, options) for name, output in run.systems]
    done = _each(checks)
    (gold, removed), *singles = done[: len(run.corpora)]
    one, many = "repeated mention was", "repeated mentions were"
    text = f"left out (--duplicates {options.duplicates})."
    run.warnings.append(number_of_things(name="gold", one=one, many=many, text=text, number=removed))
    if gold.format == TEXT2TEXT:
        gold = ground_mentions(gold, gold, zeros=options.zeros)
    systems = {}
    for name, (single, removed), (order, more) in zip(run.names[1:], singles, done[len(run.corpora) :], strict=True):
        systems[name] = single if order is None else _rearrange(gold, single, order)
        if single.format == TEXT2TEXT:
            systems[name] = ground_mentions(gold, single, zeros=options.zeros)
        run.warnings += [*more, number_of_things(name=name, one=one, many=many, text=text, number=removed)]
    run.skipped = _compare_words(run, gold, systems)
    # From here on all have the same words: those of the text, and the empty nodes that mentions of any of them have.
    run.corpora = insert_all_nodes([gold, *systems.values()])
    gold = run.gold
    if any(measure.parameters.get("match", "exact") != "exact" for measure in run.measures):
        for name, corpus in zip(run.names, run.corpora, strict=True):
            heads = corpus.marks["mentions"].arguments.get("head", np.zeros(0))
            run.warnings.append(unknown_heads(name=name, number=int((heads < 0).sum())))
    marks = {"-", "_", "*", "", ZERO}
    tags = next((name for name in TAGS if name in gold.columns and set(gold.column(name).counts()) - marks), None)
    run.decide(tags=tags)
    if options.decided is not None and options.decided.tags is not None:
        tags = options.decided.tags
    mentions = gold.marks["mentions"]
    if rule.name == HEAD and gold.heads is None:
        # The head of a mention of one word needs no information.
        longer = mentions.arguments.get("head", np.full(len(mentions), NONE))[mentions.end - mentions.begin > 1]
        if "head" not in mentions.arguments or (len(longer) and (longer < 0).all()):
            raise UsageError("--mention-types head needs trees, or heads of mentions, which gold does not have.")
    assert gold.document_starts is not None
    kept_documents = ~run.skipped[gold.document_starts[:-1]]

    def without_skipped(corpus: Corpus) -> Corpus:
        every = corpus.marks["mentions"]
        return corpus.with_marks(mentions=every.where(kept_documents[every.unit])) if run.skipped.any() else corpus

    judged = without_skipped(gold)
    answers = []
    for name, output in run.systems:
        system = without_skipped(output)
        words = np.arange(len(system))
        aligned_by = "words" if gold.has_words and system.has_words else "position"
        pair = Pair(judged, system, aligned_by, np.arange(len(gold)), words, system.sentence_of, words, run.skipped)
        run.pairs.append((name, pair_mentions(pair, replace(rule, tags=tags))))
        run.warnings += _check_offsets(name, pair, options)
        # Mentions, and their chains numbered by their first mentions.
        every = system.marks["mentions"]
        _, first, place = np.unique(chain_of(every), return_index=True, return_inverse=True)
        answers.append((name, [every.unit, every.begin, every.end, first[place]]))
    run.warnings.append(identical_outputs(answers, lambda ours, theirs: all(map(np.array_equal, ours, theirs))))
    note = "Gold has no tags, so mentions have no types."
    if tags is not None:
        note = f"Mention types come from gold's {tags} tags (rule: {rule.name})."
    zeros = {}
    for name, pair in (("gold", run.pairs[0][1]), *run.pairs):
        corpus, side = (judged, 0) if name == "gold" else (pair.system, 1)
        deps = dependencies_of_zeros(corpus, mentions_of(pair)[side])
        zeros[name] = len(deps)
        run.warnings.append(without_dependencies(file=corpus.name, number=len(deps), known=sum(map(bool, deps))))
    zero_heads = "Zeros (mentions whose head is an empty node): {}."
    run.notes += [plain_sentence(text=note), numbers_by_side(text=zero_heads, numbers=zeros)]
    for spec in options.slices:
        split = SPLIT.get(Slice.find(spec).kind.name)
        whole = [
            str(measure)
            for measure in run.measures
            if measure.count is not tally_brackets
            and (measure.name not in (split or ()) or measure.parameters["average"] != "micro")
        ]
        if split is not None and whole:
            run.notes.append(not_split(cut=spec, measures=enumeration(whole)))
    if options.preset in ("crac2022", "crac2023"):
        run.notes.append(plain_sentence(text=_OFFICIAL))
    run.items, run.unit = int(kept_documents[mentions.unit].sum()), "document"


@remark
def gold_mentions(gold: str, number: int, theirs: int) -> Iterator[str]:
    """Gold without mentions."""
    if number:
        return
    if not theirs:
        raise InputError(f"{gold}: contains no mentions, nor does any system, so there is nothing to score.")
    yield ("gold has no mentions. Recall is undefined. Is it another format, or are gold and system swapped?")


def _check_offsets(name: str, pair: Pair, options: Options) -> Iterator[Remark]:
    """A remark on mentions whose words are given by number and that would match if all were moved by one."""
    corpora, remedies, places = (pair.gold, pair.system), {}, []
    sides = zip(("gold", name), corpora, ("add 1 to each end", "subtract 1 from each end"), strict=True)
    for side, corpus, change in sides:
        if corpus.format == CLUSTERS and not options.format_of(side):
            remedies[change] = f'Read {corpus.name} with --input-format "{side}={CLUSTERS}(end=exclusive)"'
        mentions = corpus.marks["mentions"]
        first = corpus.first_words[mentions.unit]
        places.append((first + mentions.begin, first + mentions.end))
    if CLUSTERS in (pair.gold.format, pair.system.format):
        yield compare_offsets(name, corpora, places, ({}, {}), options, "mentions", remedies)


@remark
def without_dependencies(file: str, number: int, known: int) -> Iterator[str]:
    """A file whose zeros depend on nothing."""
    if number and not known:
        yield f"zeros are aligned by place, because {file} has no enhanced dependencies."


@remark
def unknown_heads(name: str, number: int) -> Iterator[str]:
    """Mentions without a head in the file, if a measure needs heads."""
    if number:
        yield f"{name}: Mentions without a head, headed by their first word: {number:,}."


def _check_options(run: Run) -> None:
    """Refuse what has no meaning here."""
    options = run.options
    if options.unit == "sentence":
        raise UsageError("chains extend over whole documents. Use --unit document")
    if not run.names_layers:
        raise UsageError(
            "--column is for words, but chains of mentions are compared. Leave it out, or say what else is "
            "compared, e.g.: --task tags"
        )
    for spec in options.slices:
        if Slice.find(spec).kind.name not in ("document", "meta", "label", *SPLIT):
            own = ", ".join(SPLIT)
            raise UsageError(
                f"--slice {spec}: chains extend over whole documents. Available: document, meta:KEY, label, {own}."
            )


@remark
def not_split(cut: str, measures: str) -> Iterator[str]:
    """Measures that have no parts under a slice."""
    yield f"--slice {cut}: these measures cannot be split and were left out: {measures}."


def _each(calls: Sequence[Callable[[], T]]) -> list[T]:
    """The results of all calls; if some refuse, all that they say, the remedies last."""
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
        # A remedy that several files need comes after the last of them.
        raise type(refused[0])("\n".join(reversed(dict.fromkeys(reversed(lines)))))
    return found


def _read(item: Input | Corpus, options: Options, name: str, rule: TypeRule, tagged: bool) -> Corpus:
    if isinstance(item, Corpus):
        corpus = item
    elif "mentions" in item.plan.layers:
        corpus = item.read()
    elif item.plan.name == "conllu":
        from assay.formats.entities import read_corefud_chains

        trees = rule.longer is None
        headed = trees or tagged or options.zeros == "drop"
        corpus = item.read(["MISC", "XPOS", "UPOS", *["HEAD"] * headed])
        if trees and not corpus.is_empty("HEAD"):
            corpus, faults = with_heads(corpus, "HEAD")
            refuse_all([f"{corpus.place(fault.word)}: {fault.fact}" for fault in faults])
        corpus = read_corefud_chains(corpus, zeros=options.zeros, repair=options.asked_of(name).repair)
    else:
        remedy = "Name the layer of chains: --column" if item.plan.names_layers else "Is it another format?"
        raise InputError(f"{item.path}: read as {item.plan.name}, which has no chains. {remedy}")
    if "mentions" not in corpus.marks:
        raise InputError(f"{corpus.name}: contains no chains.")
    return corpus


# --- documents ---


def _order_like_gold(
    name: str, gold: Corpus, system: Corpus, options: Options
) -> tuple[list[int | None] | None, list[Remark]]:
    """For each of gold's documents the system's with its id; None if they are as in gold."""
    there = documents_shared(gold=gold.name, system=system.name, number=gold.documents)
    if gold.document_ids == system.document_ids:
        return None, [there]
    if not (gold.by_id and system.by_id):
        # Without ids documents correspond by their order.
        if gold.documents != system.documents:
            raise AlignmentError(
                f"{system.name}: has {system.documents:,} documents, but {gold.name} has {gold.documents:,}. Without "
                f"ids, assay cannot match them."
            )
        return None, [there]
    ours, theirs = ({name: number for number, name in enumerate(side.document_ids)} for side in (gold, system))
    absent = [number for name, number in ours.items() if name not in theirs]
    # What gold leaves out, systems need not have.
    gone = {known for _, known, _ in gold.left_out}
    foreign = [number for name, number in theirs.items() if name not in ours and name not in gone]
    sides = ((gold, absent), (system, foreign))
    named = []
    for corpus, numbers in sides:
        # Of a folder with the files that they are in.
        assert corpus.document_starts is not None
        paths = [corpus.path_of(int(corpus.document_starts[number])) for number in numbers[:MOST_NAMED]]
        files = [f" in {path}" if path != corpus.name else "" for path in paths]
        named.append([corpus.document_ids[number] + file for number, file in zip(numbers, files, strict=False)])
    if (absent or foreign) and options.missing == "absent":
        raise UsageError("--missing absent: coreference needs a folder with one file per document.")
    if (absent or foreign) and options.missing == "error":
        problems = []
        for (corpus, numbers), names in zip(sides, named, strict=True):
            if numbers:
                fact, remedy = f"{system.name} lacks", "score as empty"
                if corpus is system:
                    fact, remedy = f"{gold.name} does not have", "ignore"
                assert corpus.document_starts is not None
                sentence = int(corpus.document_starts[numbers[0]])
                place = corpus.place_of_sentence(sentence)
                if corpus.lines is not None and corpus.word_per_line:
                    # The line of the document is before that of its first word.
                    place = f"{corpus.path_of(sentence)}:{int(corpus.lines[sentence]) - 1}"
                missing = list_documents(len(numbers), names)
                problems.append(f"{place}: {fact} {missing}. To {remedy}: --missing empty")
        raise AlignmentError("\n".join(problems))
    there = documents_shared(gold=gold.name, system=system.name, number=gold.documents - len(absent))
    if options.decided is None:
        format_warnings([there])
    remarks = [
        there,
        absent_documents(name=name, number=len(absent), named=named[0]),
        foreign_documents(name=name, number=len(foreign), named=named[1]),
    ]
    return [theirs.get(name) for name in gold.document_ids], remarks


@remark
def foreign_documents(name: str, number: int, named: Sequence[str]) -> Iterator[str]:
    """Documents of a system that gold lacks."""
    if number:
        it_is = "it is" if number == 1 else "they are"
        yield f"{name}: has {list_documents(number, named)}, which gold does not have; {it_is} ignored."


def _rearrange(gold: Corpus, system: Corpus, order: Sequence[int | None]) -> Corpus:
    """The system with gold's documents in gold's order; a document that it lacks has gold's words and no mentions."""
    bare = replace(
        system,
        columns={},
        heads=None,
        aside_words=np.zeros(0, dtype=np.int64),
        aside_sentences=(),
        aside_lines=(),
        multiwords=(),
        comments=(),
    )
    numbers = [system.documents + target if source is None else source for target, source in enumerate(order)]
    place = np.full(system.documents + gold.documents, NONE)
    place[numbers] = np.arange(len(numbers))
    of_gold = list_empty_nodes(gold)
    nodes = list_empty_nodes(system).followed_by(replace(of_gold, unit=of_gold.unit + system.documents))
    layers = {}
    for name, marks in (("mentions", system.marks["mentions"]), ("nodes", nodes)):
        unit = place[marks.unit]
        rows = np.flatnonzero(unit != NONE)
        rows = rows[np.argsort(unit[rows], kind="stable")]
        layers[name] = replace(marks.where(rows), unit=unit[rows])
    return bare.followed_by(gold).reordered(numbers).with_marks(**layers)


def _compare_words(run: Run, gold: Corpus, systems: dict[str, Corpus]) -> Bools:
    """Mask of the sentences of documents that are left out because their words differ.

    Such documents are an error, or are left out, or (if only forms differ) compared by position.
    """
    options = run.options
    wrong = np.zeros(gold.documents, dtype=bool)
    problems: dict[str, list[str]] = {name: [] for name in systems}
    for name, system in systems.items():
        other = []
        sides = gold, system
        # Empty nodes need not be the same.
        words = [find_real_words(side) for side in sides]
        _, every = one_vocabulary([gold.forms, system.forms])
        codes = [forms[rows] for forms, rows in zip(every, words, strict=True)]
        starts = [np.searchsorted(rows, side.starts) for rows, side in zip(words, sides, strict=True)]
        firsts = [side.document_starts.tolist() for side in sides if side.document_starts is not None]
        for document in range(gold.documents):
            ours, theirs = (
                side[first[document] : first[document + 1] + 1] for side, first in zip(starts, firsts, strict=True)
            )
            (a, b), sizes = (ours[0], theirs[0]), (int(ours[-1] - ours[0]), int(theirs[-1] - theirs[0]))
            shared = min(sizes)
            differing = np.flatnonzero(codes[0][a : a + shared] != codes[1][b : b + shared])
            if len(differing) and gold.has_words and system.has_words:
                one, two = int(words[0][a + differing[0]]), int(words[1][b + differing[0]])
                line = f"{system.place(two)}: {system.forms[two]!r}, but {gold.place(one)} has {gold.forms[one]!r}"
            elif sizes[0] != sizes[1]:
                # One ends before the other does.
                last, known = system.place(int(words[1][theirs[-1] - 1])), gold.document_name(document)
                line = f"{last}: {known} has {sizes[1]:,} words here, {sizes[0]:,} in {gold.name}"
            else:
                line = ""
            if sizes[0] == sizes[1] and not np.array_equal(ours - a, theirs - b):
                other.append(document)
            if line and options.on_mismatch == "warn" and sizes[0] == sizes[1]:
                run.warnings.append(plain_sentence(text=f"{name}: {line}."))
            elif line:
                wrong[document] = True
                problems[name].append(line)
        places = [system.place_of_sentence(firsts[1][document]) for document in other[:1]]
        run.warnings.append(other_sentences(name=name, number=len(other), first=places))
    lines = [line for found in problems.values() for line in found]
    if lines and options.on_mismatch != "skip":
        remedy = "The texts differ. To leave such documents out: --on-mismatch skip"
        raise AlignmentError("\n".join([*list_problems(lines), remedy]))
    run.warnings += [documents_left_out(system=name, lines=found[:MOST_PROBLEMS]) for name, found in problems.items()]
    run.require(
        sentences_left_out(
            text="{number} of {sentences} documents {were} left out, because their texts differ.",
            nothing="no document has the same words in all files.",
            number=int(wrong.sum()),
            sentences=len(wrong),
        )
    )
    return wrong[gold.document_of_sentence]


@remark
def documents_left_out(system: str, lines: Sequence[str]) -> Iterator[str]:
    """The places where the texts of documents that were left out differ in a system."""
    yield from (f"left out: {line}." for line in lines)


@remark
def other_sentences(name: str, number: int, first: Sequence[str]) -> Iterator[str]:
    """Documents that are split into different sentences."""
    if number:
        what = plural(number, "document is", "documents are")
        yield f"{name}: {what} split into other sentences than in gold (first: {first[0]}). This changes no score."


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
                    f"{options.mention_types}:{number}: {line!r}, but a line is: tag TAB type, nominal TAB type, or "
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
