"""The keywords of score(), compare() and agreement() as type checkers and editors see them, and wrong ones refused.

They are the options of the command line; a test holds these lists, the commands and `Options` together.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from os import PathLike
from typing import Any, Literal, TypedDict, TypeVar, Unpack, cast, get_args, get_origin, get_type_hints

from assay.errors import unknown

Function = TypeVar("Function", bound=Callable[..., Any])
File = str | PathLike[str]
Embed = Literal["all", "diff", "sample", "auto", "none"]
Interval = Literal["score", "percentile", "bca", "wilson"]
OnMismatch = Literal["error", "skip", "warn"]


class Keywords(TypedDict, total=False):
    """The options that score, compare and agreement have in common."""

    # What is compared
    task: str | None
    column: str | Sequence[str] | Mapping[str, str] | None
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
    """A decorator: help() and notebooks list every keyword with its type, and a wrong one is told the nearest."""

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
        names = [one.name for one in parameters]

        @wraps(function)
        def called(*given: Any, **keywords: Any) -> Any:
            refuse_unknown(keywords, names)
            return function(*given, **keywords)

        called.__signature__ = inspect.Signature(parameters, return_annotation=hints["return"])  # type: ignore[attr-defined]
        return cast(Function, called)

    return decorate


def refuse_unknown(given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse keywords that a function does not have."""
    for name in given:
        if name not in known:
            raise unknown("keyword", name, known)
