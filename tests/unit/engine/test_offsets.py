"""Offsets that count otherwise: an error or a warning where scores of 0.00 would be all that is to be seen."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import assay
from assay.errors import AlignmentError, InputError
from cases import each

NAMES = "Ada Byron met Charles Babbage in London, and Mary Shelley in Geneva."
PLACES = [(0, 9), (14, 29), (33, 39), (45, 57), (61, 67)]
CHINESE = "阿達和查爾斯在倫敦，瑪麗在日內瓦。"
Move = Callable[[int, int], tuple[int, int]]


def documents(move: Move, *, text: str = NAMES, places: list[tuple[int, int]] = PLACES, times: int = 3) -> str:
    spans = [[*move(*place), "N"] for place in places]
    return "".join(json.dumps({"id": f"d{n}", "text": text, "label": spans}) + "\n" for n in range(times))


def mentions(move: Move) -> str:
    rows = [("d1", *move(7 * n, 7 * n + 3 + n % 3), f"Q{n}", "", "PER") for n in range(12)]
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


def clusters(move: Move) -> str:
    spans = [move(4 * n, 4 * n + n % 2) for n in range(12)]
    return json.dumps({"doc_key": "d", "sentences": [["w"] * 50], "clusters": [spans[:6], spans[6:]]}) + "\n"


def as_it_is(start: int, end: int) -> tuple[int, int]:
    return start, end


def score(folder: Path, gold: str, system: str, **options: str) -> assay.Result:
    (folder / "gold.x").write_text(gold)
    (folder / "sys.x").write_text(system)
    return assay.score(folder / "gold.x", folder / "sys.x", times=100, **options)  # type: ignore[arg-type]


MOVES: dict[str, Move] = {
    "add 1 to each end": lambda start, end: (start, end - 1),
    "subtract 1 from each start": lambda start, end: (start + 1, end),
}


@each("change, wrong", [(change, side) for change in MOVES for side in ("gold", "sys")])
def test_offsets_that_cut_words_are_refused_on_the_side_that_does_so(
    change: str, wrong: str, tmp_path: Path
) -> None:
    sides = [documents(MOVES[change] if side == wrong else as_it_is) for side in ("gold", "sys")]
    with pytest.raises(AlignmentError) as refused:
        score(tmp_path, *sides)
    assert str(refused.value) == (
        f"{tmp_path}/{wrong}.x: 15 of 15 spans begin or end inside a word, but 0 if you {change}. Do so in the "
        f"file, or score it unchanged: --on-mismatch warn"
    )
    result = score(tmp_path, *sides, on_mismatch="warn")
    assert any(line.endswith(f"begin or end inside a word, but 0 if you {change}.") for line in result.warnings)


@each(
    "write, move, form, told",
    [
        (mentions, lambda a, b: (a, b + 1), "neleval", "subtract 1 from each end. Do so in"),
        (mentions, lambda a, b: (a + 1, b + 1), "neleval", "subtract 1 from each start and end. Do so"),
        (clusters, lambda a, b: (a, b + 1), None, 'Read {} with --input-format "sys.x=clusters(end=exclusive)", or'),
        (clusters, lambda a, b: (a + 1, b + 1), None, "subtract 1 from each start and end. Do so in"),
    ],
)
def test_places_that_match_when_all_are_moved_are_refused(
    write: Callable[[Move], str], move: Move, form: str | None, told: str, tmp_path: Path
) -> None:
    options = {"input_format": form} if form else {}
    with pytest.raises(AlignmentError) as refused:
        score(tmp_path, write(as_it_is), write(move), **options)
    assert f"0 of 12 mentions have the same place as in {tmp_path}/gold.x, but 12 if you" in str(refused.value)
    assert told.format(tmp_path / "sys.x") in str(refused.value)
    assert score(tmp_path, write(as_it_is), write(as_it_is), **options).warnings != ()
    assert score(tmp_path, write(as_it_is), write(move), on_mismatch="warn", **options).warnings


def test_gold_that_counts_ends_otherwise_is_named_with_its_option(tmp_path: Path) -> None:
    with pytest.raises(AlignmentError, match=r'gold\.x with --input-format "gold=clusters'):
        score(tmp_path, clusters(lambda start, end: (start, end + 1)), clusters(as_it_is))


def test_a_script_without_blanks_is_refused_by_gold_alone(tmp_path: Path) -> None:
    places = [(0, 2), (3, 6), (7, 9), (10, 12), (13, 16)]
    gold = documents(as_it_is, text=CHINESE, places=places)
    with pytest.raises(AlignmentError, match=r"0 of 15 spans have the same .*, but 15 if you add 1 to each end"):
        score(tmp_path, gold, documents(MOVES["add 1 to each end"], text=CHINESE, places=places))
    assert not any("inside a word" in line for line in score(tmp_path, gold, gold).warnings)


def test_spans_inside_words_are_scored(tmp_path: Path) -> None:
    # Morphemes: word stems without their last two letters, or the last three letters.
    stems, suffixes = documents(lambda a, b: (a, b - 2)), documents(lambda a, b: (b - 3, b))
    told = "sys.x: 15 of 15 spans begin or end inside a word. If this is not intended, check its offsets: they count "
    assert any(told in line for line in score(tmp_path, documents(as_it_is), stems).warnings)
    assert not any("inside a word" in line for line in score(tmp_path, stems, stems).warnings)
    assert not any("inside a word" in line for line in score(tmp_path, stems, suffixes).warnings)
    # Both files include the end: the scores hold, and so does what is to be known.
    both = documents(MOVES["add 1 to each end"])
    assert [line for line in score(tmp_path, both, both).warnings if "inside a word" in line]


def test_few_spans_get_a_warning(tmp_path: Path) -> None:
    wrong = documents(MOVES["add 1 to each end"], times=1)
    told = "sys.x: 5 of 5 spans begin or end inside a word, but 0 if you add 1 to each end."
    assert any(told in line for line in score(tmp_path, documents(as_it_is, times=1), wrong).warnings)


def test_words_end_where_texts_do(tmp_path: Path) -> None:
    texts = documents(as_it_is, text="Rome", places=[(0, 4)], times=12)
    assert not any("inside a word" in line for line in score(tmp_path, texts, texts.replace("N", "P")).warnings)


def test_offsets_from_1_that_end_in_a_blank_say_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="if offsets count from 1, subtract 1 from each start and end"):
        score(tmp_path, documents(as_it_is), documents(lambda start, end: (start + 1, end + 1)))
