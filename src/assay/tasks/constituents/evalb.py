"""The conventions that brackets are compared by: presets, and parameter files of EVALB."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from assay.errors import InputError, UsageError, reason, unknown
from assay.tasks.constituents.brackets import ROOTS, Choices, Convention

EMPTY_ELEMENT = "-NONE-"
_PUNCTUATION = (",", ":", "``", "''", ".")
_COLLINS = Convention(
    name="collins",
    title="as EVALB with COLLINS.prm: words tagged , : `` '' . and brackets TOP are left out, ADVP = PRT",
    deleted=frozenset({"TOP", EMPTY_ELEMENT, *_PUNCTUATION}),
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
    """What a preset or a parameter file stands for; where there is a file, no other preset may be named."""
    name = preset.removeprefix("evalb-")
    if name not in PRESETS:
        raise unknown("preset", preset, PRESETS)
    if params and name != "plain":
        raise UsageError(f"preset={preset} and params={params} are two conventions. Give one of them.")
    return read_parameters(params) if params else Choices(PRESETS[name])


# --- parameter files ---

_LISTS = ("DELETE_LABEL", "DELETE_LABEL_FOR_LENGTH", "QUOTE_LABEL")
_PAIRS = ("EQ_LABEL", "EQ_WORD")
_NUMBERS = ("CUTOFF_LEN", "LABELED", "DISC_ONLY", "MAX_ERROR", "DEBUG")
_SIZES = {**dict.fromkeys(_LISTS, 1), **dict.fromkeys(_PAIRS, 2), **dict.fromkeys(_NUMBERS, 1)}


def read_parameters(path: str) -> Choices:
    """What a parameter file of EVALB says."""
    found: dict[str, list[list[str]]] = {key: [] for key in _SIZES}
    for number, line in enumerate(_text(path).splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            key, *values = line.split()
            _check(key, values, f"{path}:{number}")
            found[key].append(values)
    lists = {key: frozenset(value for [value] in found[key]) for key in _LISTS}
    pairs = {key: tuple((a, b) for a, b in found[key]) for key in _PAIRS}
    numbers = {key: int(rows[-1][0]) for key, rows in found.items() if key in _NUMBERS and rows}
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
        said=tuple(_said(path, lists["DELETE_LABEL"], numbers)),
    )
    return Choices(convention, labelled=bool(numbers.get("LABELED", 1)), disc_only=bool(numbers.get("DISC_ONLY", 0)))


def _text(path: str) -> str:
    try:
        return Path(path).read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8. Convert it, e.g. with iconv -t utf-8.") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({reason(error)}).") from None


def _check(key: str, values: list[str], place: str) -> None:
    if key not in _SIZES:
        raise InputError(f"{place}: {unknown('parameter of EVALB', key, _SIZES)}")
    if len(values) != _SIZES[key]:
        wanted = "two values" if _SIZES[key] == 2 else "one value"
        raise InputError(f"{place}: {key} takes {wanted}, not {len(values)}.")
    if key in _NUMBERS and not (values[0].isascii() and values[0].isdigit() and len(values[0]) < 10):
        raise InputError(f"{place}: {key} is a number, not {values[0]!r}.")


def _said(path: str, deleted: frozenset[str], numbers: Mapping[str, int]) -> list[str]:
    said = []
    if "MAX_ERROR" in numbers:
        said.append(f"{path}: MAX_ERROR is ignored; no number of faulty sentences ends the work.")
    if "CUTOFF_LEN" in numbers:
        length = numbers["CUTOFF_LEN"]
        said.append(
            f"{path}: figures are over sentences of any length; for EVALB's second table say cutoff={length}."
        )
    if EMPTY_ELEMENT not in deleted:
        said.append(f"{path}: does not delete {EMPTY_ELEMENT}, but empty elements are left out all the same.")
    return said
