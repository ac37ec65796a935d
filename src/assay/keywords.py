"""The keywords of score(), compare() and agreement() as type checkers and editors see them, and wrong ones refused.

They are the options of the command line; a test holds these lists, the commands and `Options` together.
"""

from __future__ import annotations

import inspect
import reprlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import wraps
from numbers import Integral, Real
from os import PathLike
from types import NoneType, UnionType
from typing import Any, Literal, TypedDict, TypeVar, Union, Unpack, cast, get_args, get_origin, get_type_hints

from assay.errors import UsageError, unknown

Function = TypeVar("Function", bound=Callable[..., Any])
File = str | PathLike[str]
Embed = Literal["all", "diff", "sample", "auto", "none"]
Interval = Literal["score", "percentile", "bca", "wilson"]
OnMismatch = Literal["error", "skip", "warn"]


class Keywords(TypedDict, total=False):
    """The options that score, compare and agreement have in common."""

    # What is compared
    task: str | None
    column: str | Sequence[str] | Mapping[str, str | int] | None
    input_format: str | Sequence[str] | None
    which: str | Sequence[str] | Mapping[str, str]
    map: File | None
    labels: str | Sequence[str]
    ignore_labels: str | Sequence[str]
    only_annotated: bool
    on_mismatch: OnMismatch
    # Breakdown and examples
    slices: str | Sequence[str]
    train: File | None
    lexicon: File | None
    oov_fold_case: bool
    examples: int
    change: str | None
    kind: Literal["correction", "new-error", "changed-error", "unresolved", "disagreement"] | None
    # Links
    link_column: str
    link_field: str
    id_prefix: str
    same_ids: File | None
    min_score: str | float
    id_url: str
    # Spans and mentions
    scheme: str | Sequence[str]
    repair: str | Sequence[str] | Mapping[str, str]
    blank_tag: str
    gold_errors: File | None
    forms: int
    preset: str | None
    duplicates: Literal["error", "first", "drop"]
    missing: Literal["error", "empty", "absent"]
    zeros: Literal["score", "error", "drop"]
    mention_types: File | None
    # Tags with parts
    tagset: File | None
    strict_tagset: bool
    expand_optional: bool
    alternatives: str | None
    weights: File | None
    sweep: int
    # Chance
    unit: str | None
    interval: Interval
    times: int
    seed: int


class ScoreKeywords(Keywords, total=False):
    """The options of score."""

    embed: Embed


class CompareKeywords(ScoreKeywords, total=False):
    """The options of compare."""

    label_order: Literal["effect", "difference", "frequency", "name"]
    power: float | None
    baseline: str | None
    correct: Literal["pairs", "slices"]


def explicit(defaults: Mapping[str, Any] | None = None) -> Callable[[Function], Function]:
    """A decorator: help() and notebooks list every keyword with its type; wrong names and types are refused."""

    def decorate(function: Function) -> Function:
        hints = get_type_hints(function)
        parameters: list[inspect.Parameter] = []
        for one in inspect.signature(function).parameters.values():
            hint = hints[one.name]
            if get_origin(hint) is Unpack:
                parameters += [
                    inspect.Parameter(name, one.KEYWORD_ONLY, default=(defaults or {}).get(name), annotation=kind)
                    for name, kind in get_type_hints(get_args(hint)[0]).items()
                ]
            else:
                parameters.append(one.replace(annotation=hint))
        kinds = {one.name: one.annotation for one in parameters}
        needed = [one.name for one in parameters if one.default is one.empty and one.kind is not one.KEYWORD_ONLY]

        @wraps(function)
        def called(*given: Any, **keywords: Any) -> Any:
            refuse_unknown(keywords, kinds)
            values = {**dict(zip(kinds, given, strict=False)), **keywords}
            for name in needed:
                if name not in values:
                    raise UsageError(f"{function.__name__}() lacks {name}. Give {' and '.join(needed)}.")
            refuse_types(values, kinds)
            return function(*given, **keywords)

        called.__signature__ = inspect.Signature(parameters, return_annotation=hints["return"])  # type: ignore[attr-defined]
        return cast(Function, called)

    return decorate


def refuse_unknown(given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse keywords that a function does not have."""
    for name in given:
        if name not in known:
            raise unknown("keyword", name, known)


def refuse_types(given: Mapping[str, Any], kinds: Mapping[str, Any]) -> None:
    """Refuse values that are not of the type that a keyword is declared with."""
    for name, value in given.items():
        if name in kinds and not _fits(value, kinds[name]):
            raise UsageError(f"{name}: expected {_description(kinds[name])}, but got {reprlib.repr(value)}.")


def _fits(value: Any, kind: Any) -> bool:
    """True if a value is of a type; one text may stand for a list of texts, a whole number for True or False."""
    origin, parts = get_origin(kind), get_args(kind)
    if kind is Any:
        return True
    if origin in (Union, UnionType):
        return any(_fits(value, part) for part in parts)
    if origin is Mapping:
        return isinstance(value, Mapping) and all(_fits(one, parts[1]) for one in value.values())
    if origin is Literal:
        return type(value) in {*map(type, parts)}
    if origin in (Sequence, Iterable):
        several = isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)
        elements = value if several and isinstance(value, Collection) else ()
        return isinstance(value, str) or (several and all(_fits(one, parts[0]) for one in elements))
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
    if origin is Literal:
        return "a string"
    words: dict[Any, str] = {int: "a whole number", float: "a number", bool: "True or False", str: "a string"}
    words |= {Mapping: "a dictionary", PathLike: "a path", NoneType: "None"}
    return words.get(origin or kind, str(kind))
