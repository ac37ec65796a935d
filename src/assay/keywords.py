"""All options of score, compare, agreement and cross, each declared once: for the command line and as a keyword.

The type of an option is what editors, type checkers, the command line and `help()` show; its Option says the rest.
To add one, add its line. If it is not for all tasks, those that use it name it in their `Task.options`.
"""

# Without `from __future__ import annotations`: types are read when the command line starts.
import inspect
import reprlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from numbers import Integral, Real
from os import PathLike
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    TypedDict,
    TypeVar,
    Union,
    Unpack,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from assay.classes import dataclass
from assay.errors import UsageError, unknown

Function = TypeVar("Function", bound=Callable[..., Any])
File = str | PathLike[str]
HEADINGS = (
    *("Options", "What is compared", "Slices and examples", "Links", "Spans and mentions", "Tags with parts"),
    *("Intervals and tests", "Output", "Gates", "Folders and clusters"),
)
"""The headings in the help of a command, in order."""
OWN, COMPARED, BREAKDOWN, LINKS, SPANS, PARTS, TESTS, OUTPUT, GATES, SHARDS = HEADINGS


@dataclass(frozen=True)
class Option:
    """Everything about an option but its type."""

    heading: str
    """The heading in the help of a command."""
    help: str
    default: Any = None
    metavar: str | None = None
    known: str = ""
    """`module:name` of the list of its values, for completion in a shell."""
    least: int | None = None
    """The least number that is accepted."""
    file: str = ""
    """`path` if it is the path of a file, `name` if it can be the name of something else."""
    written: bool = False
    """True if it is the path of a file that is written."""
    separator: str = ""
    """The character between several values in one text."""
    signed: bool = True
    """True if scores depend on it and the signature does not say it in another way."""
    one_file: bool = False
    """True if it is for one file, so that files cannot be read one after the other."""
    name: str = ""
    """Its name in Python …"""
    kind: Any = None
    """… its type …"""
    choices: tuple[str, ...] = ()
    """… and the values that it can have, if its type names them; all from the declaration."""

    @property
    def flag(self) -> str:
        """Its name on the command line."""
        return f"--{'slice' if self.name == 'slices' else self.name.replace('_', '-')}"


Embed = Annotated[Literal["all", "diff", "sample", "auto", "none"], Option(
    OUTPUT, "Sentences or items in a page, in JSON or in a part: all, those with differences or errors (diff), a "
    "sample of these, or none. Default: auto for pages (all up to 50,000, then a sample), none otherwise.",
    "none", signed=False)]
Examples = Annotated[int, Option(
    BREAKDOWN, "Show N sentences or items with differences or errors.", 0, metavar="N", least=0, signed=False)]
Interval = Annotated[Literal["score", "percentile", "bca", "wilson"], Option(
    TESTS, "Kind of 95% interval.", "score", signed=False)]
Margin = Annotated[float | str | Sequence[str] | Mapping[str, float | str] | None, Option(
    TESTS, "Smallest difference that matters, as a fraction (0.005) or in points (0.5pt). The verdict then says "
    "whether a system is better by more than this margin, equivalent within it, or not worse by it. Repeatable.", (),
    metavar="[MEASURE=]D", signed=False)]
OnMismatch = Annotated[Literal["error", "skip", "warn"], Option(
    COMPARED, "If texts differ: stop (error), leave out the sentence or item (skip), or compare by position (warn). "
    "skip also leaves out items that are missing in a file.", "error")]
Power = Annotated[float | None, Option(
    TESTS, 'Report the smallest difference that this test would find with this probability. "none" leaves this '
    'out.', 0.8, metavar="X", signed=False)]
Seed = Annotated[int, Option(TESTS, "Seed of the random generator. Default: 0.", 0, least=0, signed=False)]
Times = Annotated[int, Option(
    TESTS, "Number of resamples for intervals and of shufflings for tests.", 10_000, least=1, signed=False)]
Unit = Annotated[str | None, Option(
    TESTS, "Unit of intervals and tests: sentence, document, or meta:KEY (the values of `# KEY = …`, or of a column "
    "of items). Default: document if gold has at least 10 documents, sentence otherwise; item for items.",
    metavar="UNIT", known="assay.corpus:UNITS", signed=False)]


class Keywords(TypedDict, total=False):
    """The options that score, compare and agreement have in common."""

    task: Annotated[str | None, Option(
        COMPARED, "What to compare, e.g. tags or spans. Default: recognised from the measures or the files.",
        metavar="TASK", known="assay.tasks:NAMES", signed=False)]
    column: Annotated[str | Sequence[str] | Mapping[str, str | int] | None, Option(
        COMPARED, "Column to compare: UPOS, XPOS, FEATS, LEMMA, MISC:NER, MISC:Entity, a header name or a number; "
        "3+4 for spans in layers; or a layer of an export (assay formats FILE). NAME=COLUMN for gold, one system or "
        "one annotator: --column gold=2 --column a=3.",
        metavar="[NAME=]COLUMN", signed=False)]
    id: Annotated[str, Option(
        COMPARED, "Column with the ids of items; doc,turn for two columns together, none to match items by order. "
        "Default: recognised from the header.", "", metavar="NAME")]
    sets: Annotated[str | bool, Option(
        COMPARED, "Separator between the labels of an item in one cell. In Python, True if lists of lists are sets.",
        "", metavar="SEP")]
    input_format: Annotated[str | Sequence[str] | None, Option(
        COMPARED, "Format of the files (assay formats). NAME=FORMAT for one file. Default: recognised from the "
        "first lines.", metavar="[NAME=]FORMAT", known="assay.formats:FORMATS")]
    which: Annotated[str | Sequence[str] | Mapping[str, str], Option(
        COMPARED, "Whose annotation to read if a file contains several: annotations (of people), predictions, "
        "ground-truth, curation, last, or the name of an annotator or a model (assay formats FILE). NAME=WHO for one "
        "file: --which gold=anna --which m1=model:m1.",
        (), metavar="[NAME=]WHO")]
    map: Annotated[File | None, Option(COMPARED, "File of rules that map labels to other labels.", file="path")]
    slices: Annotated[str | Sequence[str], Option(
        BREAKDOWN, "Slice the data by this and score each slice, e.g. sentence-length, seen, meta:genre (assay "
        "measures lists all). Repeatable.",
        (), metavar="SLICE", known="assay.engine.slices:slices")]
    train: Annotated[File | None, Option(
        BREAKDOWN, "Training data, or a list of its words, to find unseen words.", file="path")]
    lexicon: Annotated[File | None, Option(
        BREAKDOWN, "Dictionary: a list of words or an annotated file.", file="path")]
    oov_fold_case: Annotated[bool, Option(BREAKDOWN, "Ignore case in words of --train and --lexicon.", False)]
    labels: Annotated[str | Sequence[str], Option(
        COMPARED, "Count only these labels.", (), metavar="PER,LOC", separator=",")]
    ignore_labels: Annotated[str | Sequence[str], Option(
        COMPARED, "Do not count these labels.", (), metavar="MISC", separator=",")]
    on_mismatch: OnMismatch
    examples: Examples
    change: Annotated[str | None, Option(
        BREAKDOWN, "Show only examples of this change, also written NN->NE; * is any "
        "label.", metavar="NN→NE", signed=False)]
    kind: Annotated[Literal[
        "correction", "new-error", "changed-error", "unresolved", "disagreement", "improved", "worsened",
    ] | None, Option(
        BREAKDOWN, "Show only examples of this kind; unresolved: mentions that no system resolves; disagreement: "
        "of annotators; improved, worsened: numbers or scores.", signed=False)]
    tagset: Annotated[File | None, Option(
        PARTS, "Tagset that splits tags into categories: a name (assay tagset lists them) or a file.", file="name")]
    strict_tagset: Annotated[bool, Option(PARTS, "Stop with an error if a tag is not in the tagset.", False)]
    expand_optional: Annotated[bool, Option(
        PARTS, "Treat a missing optional attribute as having all of its values.", False)]
    alternatives: Annotated[str | None, Option(PARTS, "Separator between several tags in one cell.", metavar="SEP")]
    weights: Annotated[File | None, Option(
        PARTS, "Weights of categories for wpa and cwpa: a file, or equal, paper, poliqarp.", file="name")]
    sweep: Annotated[int, Option(
        PARTS, "Also compare under N random weightings, of categories (--tagset) or of error types (spans).",
        0, metavar="N", least=0)]
    blank_tag: Annotated[str, Option(
        COMPARED, "Mark of words without annotation (_). It counts as O in span tags and as a separate label in "
        "other tags. Default: in span tags such words are an error if others have O; in other tags they are left "
        "out.",
        "", metavar="_")]
    scheme: Annotated[str | Sequence[str], Option(
        SPANS, "Scheme of span tags: iob2, bioes, stacked, …; NAME=iob1 for one system. Default: recognised from "
        "the tags.", (), metavar="SCHEME", known="assay.formats.schemes:SCHEMES", signed=False)]
    repair: Annotated[str | Sequence[str] | Mapping[str, str], Option(
        SPANS, "If annotations are faulty: mend those with one clear reading and drop the rest (mend; for tags as "
        "conlleval does), or drop all of them (drop). NAME=mend for one file: --repair gold=mend. Default: stop with "
        "an error.",
        (), metavar="[NAME=]mend|drop")]
    missing: Annotated[Literal["error", "empty", "absent"], Option(
        SPANS, "If a system lacks a document: stop (error) or score it as empty (empty). For annotators also: "
        "they did not get it (absent).", "error")]
    forms: Annotated[int, Option(
        SPANS, "Show the N most frequent surface forms of errors: missing, spurious, not in the text.",
        0, metavar="N", least=0)]
    preset: Annotated[Literal["crac2024", "crac2023", "crac2022", "conll18"] | None, Option(
        COMPARED, "Use the measures and options of a shared task: CRAC on coreference (crac2024 also covers 2025), "
        "or CoNLL 2018 on words, tags and trees (conll18).")]
    only_annotated: Annotated[bool, Option(
        COMPARED, "Count relations only in sentences (or documents) in which gold has an annotation.", False)]
    link_column: Annotated[str, Option(
        LINKS, "Columns of identifiers (NEL-LIT, MISC:Wikidata). With several, joined by commas, each identifier "
        "counts as right.", "", metavar="NAME")]
    link_field: Annotated[str, Option(
        LINKS, "Field of Entity brackets in CoNLL-U that contains identifiers.", "", metavar="wiki")]
    id_prefix: Annotated[str, Option(
        LINKS, "Prefix to remove from identifiers, in any file that has it.", "", metavar="PREFIX")]
    schema: Annotated[File | None, Option(
        COMPARED, "JSON Schema of records. Default: inferred from gold.", file="path")]
    field: Annotated[Sequence[str], Option(
        COMPARED, "Kind of a field of records: total=number(absolute=0.01), items=set, notes=ignore.", (),
        metavar="PATH=KIND")]
    same_ids: Annotated[File | None, Option(LINKS, "File with pairs of equal identifiers, one pair per "
    "line.", file="path")]
    min_score: Annotated[str | float | Sequence[str] | Mapping[str, float] | None, Option(
        COMPARED, "Count only system answers with at least this score or confidence, on the scale of the file; or "
        "give a file written by --choose. NAME=0.5 for one system.", metavar="[NAME=]0.5", file="name")]
    id_url: Annotated[str, Option(
        LINKS, "Address that identifiers link to on the page: https://www.wikidata.org/wiki/{}", "", metavar="URL")]
    duplicates: Annotated[Literal["error", "first", "drop"], Option(
        SPANS, "If a mention is given twice: stop (error), keep the first (first), or drop all (drop).", "error")]
    zeros: Annotated[Literal["score", "error", "drop"], Option(
        SPANS, "Mentions of empty nodes: score them (score), stop (error), or leave them out and report how many "
        "(drop).",
        "score")]
    mention_types: Annotated[File | None, Option(
        SPANS, "Types of mentions: from the tags of their heads (head), or from a file (tag TAB type, nominal TAB "
        "type).", metavar="[head|PATH]", file="name")]
    unit: Unit
    interval: Interval
    times: Times
    seed: Seed


class ScoreKeywords(Keywords, total=False):
    """The options of score."""

    gold_errors: Annotated[File | None, Option(
        SPANS, "File with a list of spans on which gold itself is wrong.", file="path", one_file=True)]
    choose: Annotated[str, Option(
        COMPARED, "Choose the lowest confidence that counts, by a measure or by a minimum of precision or recall "
        "(\"recall>=0.9\" or \"recall>=90pt\"), and write it (-o chosen.json) for --min-score on other data.", "",
        metavar="MEASURE", signed=False)]
    judge: Annotated[File | None, Option(
        COMPARED, "Labels of a judge, such as a language model, for all items; gold has human labels for a random "
        "sample of them. Scores are estimated from both.", file="path", one_file=True)]
    embed: Embed


class CompareKeywords(ScoreKeywords, total=False):
    """The options of compare: all that a run can have."""

    label_order: Annotated[Literal["contribution", "difference", "frequency", "name"], Option(
        BREAKDOWN, "Sort labels by contribution to the difference, size of their own difference, frequency or name.",
        "contribution", signed=False)]
    power: Power
    baseline: Annotated[str | None, Option(
        TESTS, "Test all other systems against this one, and no other pairs.", metavar="NAME")]
    correct: Annotated[Literal["pairs", "slices"], Option(
        TESTS, "Correct p for multiple testing over pairs and measures (pairs), or also over slices (slices).",
        "pairs")]
    margin: Margin
    combined: Annotated[str | bool, Option(
        OUTPUT, "Write the combination learnt from all systems, in the format of the first one (tags, dependencies, "
        "spans, relations). In Python, give True; the corpus is Result.combined.", "", metavar="PATH", written=True,
        signed=False, one_file=True)]
    risk: Annotated[float | str | None, Option(
        TESTS, "Report the probability that a system breaks more than this share of what another has right: a "
        "fraction (0.01) or percent (1%).", metavar="X", signed=False)]


class AgreementKeywords(Keywords, total=False):
    """The options of agreement."""

    margin: Margin
    embed: Embed


class CrossKeywords(TypedDict, total=False):
    """The options of cross."""

    task: Annotated[Literal["tags", "spans", "graphs"] | None, Option(
        COMPARED, "Compare annotations by several guidelines instead of trees: tags, spans, or arcs (graphs, "
        "dependencies). Default: trees, or graphs if a gold contains graphs.")]
    column: Annotated[str | Sequence[str] | Mapping[str, str] | None, Option(
        COMPARED, "Column of tags or spans in the files of a theory, e.g. stts=XPOS; HEAD or DEPS for arcs. "
        "Repeatable.", metavar="[THEORY=]COLUMN")]
    label_path: Annotated[str, Option(
        COMPARED, "Separator between general and specific labels of spans: PER.artist is also "
        "PER.", ".", metavar="SEP")]
    sizes: Annotated[Literal["2.1", "2.2", "paper"], Option(COMPARED, "Tree size by which the number of edits is "
    "divided.", "2.1")]
    edit_costs: Annotated[str | Mapping[str, float] | None, Option(
        COMPARED, "Cost of adding a missing unit and of deleting a spurious one, e.g. add=2,delete=1; for trees with "
        "--sizes paper. Default: 1 each.", metavar="add=A,delete=B")]
    subtypes: Annotated[bool, Option(
        COMPARED, "Keep or remove the subtypes of relations (after the colon), in trees and in measures.", True)]
    segmentation: Annotated[Literal["same", "strict", "chars"], Option(
        COMPARED, "If words are segmented differently: stop (same), count the sentence as entirely missing (strict), "
        "or compare sets of characters (chars).", "same")]
    non_projective: Annotated[Literal["keep", "leave-out", "lift"], Option(
        COMPARED, "Sentences with gaps: score them like the others (keep), leave them out (leave-out), or lift arcs "
        "until they are projective (lift).", "keep")]
    map: Annotated[File | Sequence[File] | Mapping[str, File] | None, Option(
        COMPARED, "File of rules that map functions, or that list the units of a tag or label (VVFIN TAB VERB,fin). "
        "The side of a rule can be a theory. THEORY=FILE applies to one theory. Repeatable.",
        metavar="[THEORY=]FILE")]
    input_format: Annotated[str | None, Option(
        COMPARED, "Format of the files (assay formats). Default: recognised from the first lines.",
        metavar="FORMAT", known="assay.formats:FORMATS")]
    on_mismatch: OnMismatch
    examples: Examples
    unit: Unit
    interval: Interval
    times: Times
    seed: Seed
    power: Power
    embed: Embed


def options_of(kind: Any) -> dict[str, Option]:
    """The options that a class of keywords declares, by name."""
    options = {}
    for name, hint in kind.__annotations__.items():
        of_option, option = get_args(hint)
        literals = (part for part in (of_option, *get_args(of_option)) if get_origin(part) is Literal)
        choices = get_args(next(literals, None))
        options[name] = replace(option, name=name, kind=of_option, choices=choices)
    return options


OPTIONS = options_of(CompareKeywords)
"""The options of a run by name, in the order of the signature."""
OF_TASKS = frozenset((
    *("alternatives", "blank_tag", "duplicates", "expand_optional", "forms", "gold_errors", "id", "id_prefix"),
    *("id_url", "ignore_labels", "judge", "labels", "lexicon", "link_column", "link_field", "map", "mention_types"),
    *("min_score", "missing", "only_annotated", "oov_fold_case", "preset", "repair", "same_ids", "schema", "scheme"),
    *("field", "sets", "strict_tagset", "sweep", "tagset", "train", "weights", "zeros"),
))
"""The options that only some tasks use; each task names its own, so no other task is loaded to check the rest."""
NOT_PLANNED = (
    *("slices", "examples", "change", "kind", "sweep", "forms", "choose", "judge", "embed", "label_order", "correct"),
    "interval",
)
"""The options of compare that mean nothing in a plan."""


def explicit(function: Function) -> Function:
    """A decorator: help() lists every keyword with its type; wrong names and types stop with an error."""
    hints = get_type_hints(function)
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(function).parameters.values():
        hint = hints[parameter.name]
        if get_origin(hint) is Unpack:
            parameters += [
                inspect.Parameter(name, parameter.KEYWORD_ONLY, default=option.default, annotation=option.kind)
                for name, option in options_of(get_args(hint)[0]).items()
            ]
        else:
            parameters.append(parameter.replace(annotation=hint))
    kinds = {parameter.name: parameter.annotation for parameter in parameters}
    needed = [item.name for item in parameters if item.default is item.empty and item.kind is not item.KEYWORD_ONLY]

    @wraps(function)
    def checked_call(*given: Any, **keywords: Any) -> Any:
        values = {**dict(zip(kinds, given, strict=False)), **keywords}
        check_keywords(keywords, kinds)
        for name in needed:
            if name not in values:
                raise UsageError(f"{function.__name__}() needs {name}. Give {' and '.join(needed)}.")
        check_keywords(values, kinds)
        return function(*given, **keywords)

    checked_call.__signature__ = inspect.Signature(parameters, return_annotation=hints["return"])  # type: ignore[attr-defined]
    return cast(Function, checked_call)


def check_keywords(given: Mapping[str, Any], kinds: Mapping[str, Any]) -> None:
    """Raise an error for a keyword that a function does not have, or a value of another type than declared."""
    for name in given:
        if name not in kinds:
            raise unknown("keyword", name, kinds)
    for name, value in given.items():
        if not _fits(value, kinds[name]):
            raise UsageError(f"{name}: expected {_description(kinds[name])}, but got {reprlib.repr(value)}.")


def _fits(value: Any, kind: Any) -> bool:
    """True if a value is of a type; one text can be given for a list of texts, a whole number for True or False."""
    origin, parts = get_origin(kind), get_args(kind)
    if kind is Any:
        return True
    if origin in (Union, UnionType):
        return any(_fits(value, part) for part in parts)
    if origin is Mapping:
        return isinstance(value, Mapping) and all(_fits(element, parts[1]) for element in value.values())
    if origin is Literal:
        return type(value) in {*map(type, parts)}
    if origin in (Sequence, Iterable):
        several = isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)
        elements = value if several and isinstance(value, Collection) else ()
        return isinstance(value, str) or (several and all(_fits(element, parts[0]) for element in elements))
    numbers: dict[Any, Any] = {int: Integral, bool: Integral, float: Real}
    wanted = numbers.get(kind, origin or kind)
    if wanted is Integral and str(getattr(value, "dtype", "")) == "bool":
        return True
    return not isinstance(wanted, type) or isinstance(value, wanted)


def _description(kind: Any) -> str:
    """A type in words."""
    origin, parts = get_origin(kind), get_args(kind)
    if kind == File:
        return "a path"
    if origin in (Union, UnionType):
        *others, last = dict.fromkeys(map(_description, parts))
        return f"{', '.join(others)} or {last}" if others else last
    if origin in (Sequence, Iterable):
        return f"a list of {_description(parts[0]).removeprefix('a ')}s"
    words: dict[Any, str] = {int: "a whole number", float: "a number", bool: "True or False", str: "a string"}
    words |= {Mapping: "a dictionary", PathLike: "a path", NoneType: "None", Literal: "a string"}
    return words.get(origin or kind, str(kind))
