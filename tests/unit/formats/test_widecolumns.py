"""The columns of annotators in a wide table: told by labels, refused in doubt, or named by the user."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import assay
from cases import each
from commands import call

ROWS = 24
ANNA, BEN = ("1", "2", "3", "4", "5", "1"), ("1", "2", "3", "5", "5", "2")
RATED: dict[str, Sequence[str]] = {"anna": ANNA, "ben": BEN}
NUMBERED = [str(row) for row in range(ROWS)]
AGES = ("31", "25", "58", "31", "40", "19")
TEXTS = [f"text {row}" for row in range(ROWS)]


def table(columns: dict[str, Sequence[str]], rows: int = ROWS, *, items: bool = True) -> str:
    """A wide table; cells are repeated down to the last row."""
    names = {"item": [f"i{row}" for row in range(rows)], **columns} if items else columns
    lines = [",".join(cells[row % len(cells)] for cells in names.values()) for row in range(rows)]
    return "\n".join([",".join(names), *lines, ""])


def agreement(folder: Path, text: str, **options: Any) -> assay.Result:
    (folder / "wide.csv").write_text(text, "utf-8")
    return assay.agreement(folder / "wide.csv", ["alpha"], times=5, **options)


METADATA: dict[str, dict[str, Sequence[str]]] = {
    "texts": {"text": TEXTS},
    "the index of pandas": {"": NUMBERED},
    "a number of each row": {"nr": [str(row + 1) for row in range(ROWS)]},
    "ids in another order": {"nr": [str(101 + row * 7 % ROWS) for row in range(ROWS)]},
    "comments with gaps": {"remark": ("", "", "unclear", "", "2 of 3", "")},
    "parts": {"split": ("train", "test"), "part": ("train", "test")},
    "ages": {"alter": AGES},
    "a flag with labels of ratings": {"flag": ("1", "2")},
    "folds": {"fold": ("0", "1", "2", "3", "4")},
    "lengths in which ratings occur": {"n_tokens": [str(row % 23) for row in range(ROWS)]},
    "nothing": {"empty": ("",)},
}


@each("name", METADATA)
def test_columns_without_the_labels_of_others_are_metadata(name: str, tmp_path: Path) -> None:
    clean = agreement(tmp_path, table(RATED))
    assert not clean.notes
    result = agreement(tmp_path, table({**METADATA[name], **RATED}))
    assert [row.name for row in result.annotators] == ["anna", "ben"]
    assert result.score("all annotators", "alpha") == clean.score("all annotators", "alpha")
    listed = ", ".join(column or "column 2" for column in METADATA[name])
    assert result.notes[0] == (
        f"the columns anna, ben are read as annotators, because they share their labels; metadata: {listed}. To "
        f"choose: --column NAME for each annotator."
    )


def test_metadata_are_there_for_slices_units_and_beside_items(tmp_path: Path) -> None:
    text = table({"text": TEXTS, "doc": ("x", "x", "y"), **RATED})
    result = agreement(tmp_path, text, slices=["meta:doc"], unit="document")
    assert result.about.units == 2 and {row.slice for row in result.scores} == {None, "meta:doc=x", "meta:doc=y"}
    assert result.disagreements[0].text == "text 3"


FEW = "no two columns share most of their labels, so it is unclear which are annotators. Name the annotators, e.g."
DOUBTFUL: list[tuple[dict[str, Sequence[str]], str]] = [
    (
        {"anna": ("yes", "no"), "ben": ("1", "0", "1")},
        f"{FEW} --column anna --column ben (available: item, anna, ben).",
    ),
    (
        {"text": TEXTS, "anna": ANNA},
        f"{FEW} --column anna (available: item, text, anna).",
    ),
    (
        {"a": [f"0.{row:02}1" for row in range(ROWS)], "b": [f"0.{row:02}2" for row in range(ROWS)]},
        f"{FEW} --column a --column b (available: item, a, b).",
    ),
    (
        {"part": ("train", "test"), "origin": ("train", "train", "test"), **RATED},
        "part, origin and anna, ben have different labels, so it is unclear which are annotators. Name the "
        "annotators, e.g. --column anna --column ben (available: item, part, origin, anna, ben).",
    ),
    (
        {"has url": ("3", "4"), **RATED},
        "it is unclear if has url should count as annotator. Name the annotators, e.g. --column anna --column ben "
        "(available: item, has url, anna, ben).",
    ),
    (
        {"a b": [str(row % 22) for row in range(ROWS)], "c": [str(row * 5 % 22) for row in range(ROWS)]},
        "more than 20 different numbers may be ratings or metadata. Name the annotators, e.g. --column 'a b' "
        "--column c (available: item, a b, c).",
    ),
]


@each("columns, message", DOUBTFUL)
def test_doubtful_columns_are_refused_with_the_remedy(
    columns: dict[str, Sequence[str]], message: str, tmp_path: Path
) -> None:
    with pytest.raises(assay.AssayError) as error:
        agreement(tmp_path, table(columns))
    assert str(error.value) == f"{tmp_path}/wide.csv:1: {message}"


def test_annotators_of_few_items_count(tmp_path: Path) -> None:
    """Each rated three items of 24, some of them with all different labels."""
    given = [("12334" * 9)[row:] for row in range(ROWS)]
    columns = {f"w{who}": [given[row][who] if row % 8 == who else "" for row in range(ROWS)] for who in range(8)}
    result = agreement(tmp_path, table({"text": TEXTS, **columns}))
    assert len(result.annotators) == 8


def test_an_annotator_without_a_common_label_is_the_first_warning(tmp_path: Path) -> None:
    text = table({"anna": ("yes", "no"), "ben": ("1", "0", "1")})
    result = agreement(tmp_path, text, column=["anna", "ben"])
    assert result.warnings[0] == (
        "anna (no, yes) and ben (0, 1) have no label in common, so they never agree. Write labels that mean the "
        "same in the same way."
    )
    assert not agreement(tmp_path, table(RATED)).warnings


def test_a_column_like_gold_counts_and_is_said(tmp_path: Path) -> None:
    result = agreement(tmp_path, table({**RATED, "Gold": ANNA}))
    assert result.warnings == ("column Gold counts as an annotator. To leave it out: --column anna --column ben",)
    assert len(result.annotators) == 3


def test_the_user_names_columns_by_header_number_or_another_name(tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text(table({"text": TEXTS, **RATED, "carl": BEN}))
    chosen = call("agreement", "wide.csv", "--column", "4", "--column", "c=carl", "--format", "json", folder=tmp_path)
    result = assay.Result.from_json(chosen.stdout)
    assert [row.name for row in result.annotators] == ["ben", "c"] and "column:4+c=carl" in result.signature
    told = call("agreement", "wide.csv", "--column", "anna", folder=tmp_path)
    assert told.returncode == 2 and told.stderr == (
        "assay: --column anna: this is only one annotator. Name each: --column NAME --column NAME; or name the "
        "labels of "
        'a table with one rating per line: --input-format "ratings(label=anna)".\n'
    )
    wrong = call("agreement", "wide.csv", "--column", "anna", "--column", "bne", folder=tmp_path)
    assert wrong.stderr == "assay: wide.csv:1: there is no column 'bne'. Did you mean ben?\n"


def test_without_a_column_of_items_rows_are_numbered_if_all_columns_are_named(tmp_path: Path) -> None:
    text = table(RATED, items=False)
    with pytest.raises(assay.AssayError, match="no column names the items: anna has labels like the others"):
        agreement(tmp_path, text)
    result = agreement(tmp_path, text, column=["anna", "ben"], items=True)
    assert [row.item for row in result.disagreements][:3] == ["1", "2", "3"]
    assert result.score("all annotators", "alpha").value == pytest.approx(
        agreement(tmp_path, table(RATED)).score("all annotators", "alpha").value
    )


def test_further_columns_beside_a_systems_labels_are_no_systems(tmp_path: Path) -> None:
    (tmp_path / "system.csv").write_text(table({"text": TEXTS, "label": ANNA}))
    result = agreement(tmp_path, table(RATED), systems={"m": tmp_path / "system.csv"}, against=["each"])
    assert {row.system for row in result.scores if row.measure == "accuracy"} == {"m"}
