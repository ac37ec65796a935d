"""Reading with arrays and reading line by line are one: the same corpus, or the same refusal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.corpus import Corpus
from assay.errors import AssayError
from assay.formats import Input, columns, read

CELLS = ["a", "bb", "é", "日本語の単語", "<s>", "</s>", "<b", "x>", "#", "-", "B-PER", "a-word-of-many-bytes", "O"]
# Each of these divides for some formats and not for others, or is no word at all.
ODD = ["\t", " ", "  ", "\u00a0", "\u3000", "\u2009", "\x1c", "\x0b", "\x85", "\r"]
LINES = [
    "",
    " ",
    "-DOCSTART-",
    "-DOCSTART- -X- O",
    "-DOCSTART-\tX\tO",
    "<s>",
    "<doc id='d'>",
    "# x",
    "# newdoc id = d",
    "\n# sent_id = s1",
    "\n# newdoc\n# x =",
    "\n# x y = z",
    "\n# x = y\tz\t",
    "<b\tx>",
]


@st.composite
def texts(draw: st.DrawFn, separator: str) -> str:
    """Lines of three cells, and now and then something else."""
    cell = st.sampled_from(CELLS)
    plain = st.lists(cell, min_size=3, max_size=3).map(separator.join)
    odd = st.lists(st.one_of(cell, st.sampled_from(ODD)), max_size=6).map("".join)
    line = draw(st.sampled_from([plain, st.one_of(plain, plain, st.just(""), st.sampled_from(LINES), odd)]))
    rest = draw(st.lists(line, max_size=12))
    return "\n".join([separator.join("aXO"), *rest]) + draw(st.sampled_from(["", "\n"]))


def seen(corpus: Corpus) -> dict[str, Any]:
    """All that a corpus holds, without how its strings are coded."""
    return {
        "forms": corpus.forms.strings(),
        "columns": {name: column.strings() for name, column in corpus.columns.items()},
        "starts": corpus.starts.tolist(),
        "places": [corpus.place(word) for word in range(len(corpus))],
        "asides": (corpus.aside_words.tolist(), corpus.aside_sentences, corpus.aside_lines),
        "multiwords": corpus.multiwords,
        "comments": corpus.comments,
        "documents": (np.asarray(corpus.document_starts).tolist(), corpus.document_ids),
    }


def outcome(path: Path, input_format: str) -> dict[str, Any] | str:
    try:
        return seen(read(str(path), input_format=input_format))
    except AssayError as error:
        return str(error)


@pytest.mark.parametrize(
    ("input_format", "separator"),
    [
        ("conll", " "),
        ("conll(comments=true)", " "),
        ("conll(word=2)", " "),
        ("tsv", "\t"),
        ("tsv(comments=true)", "\t"),
    ],
)
@given(data=st.data())
def test_columns_are_the_same_read_with_arrays_and_line_by_line(input_format, separator, data, tmp_path_factory):
    path = tmp_path_factory.mktemp("read") / "a.txt"
    path.write_bytes(data.draw(texts(separator)).encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns._ColumnReader, "read_clean", lambda *_: False)
        expected = outcome(path, input_format)
    with pytest.MonkeyPatch.context() as patch:
        # Batches of a few lines, so that sentences lie across them.
        patch.setattr("assay.formats.source.BATCH", data.draw(st.sampled_from([16, 64, 4096])))
        patch.setattr(columns, "FEW", 1)
        assert outcome(path, input_format) == expected


@pytest.mark.parametrize(
    ("input_format", "width"), [("conll09", 12), ("conll08", 10), ("up(columns=10)", 10), ("conllu", 10)]
)
@given(data=st.data())
def test_numbered_words_are_the_same_in_both_ways(input_format, width, data, tmp_path_factory):
    path = tmp_path_factory.mktemp("read") / "a.txt"
    text = ""
    for size in data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=4)):
        more = 0 if input_format == "conllu" else data.draw(st.integers(0, 3))
        for number in range(1, size + 1):
            # Now and then a line of another length, a range, or a comment.
            odd = data.draw(st.sampled_from([0, 0, 0, 0, 0, 1, -1]))
            name = data.draw(st.sampled_from([str(number)] * 9 + [f"{number}-{number}", f"{number}.1", "# x\t"]))
            cells = [name, *(data.draw(st.sampled_from(CELLS)) for _ in range(width - 1 + max(more + odd, 0)))]
            text += "\t".join(cells[: width - 1] if more + odd < 0 else cells) + "\n"
        text += data.draw(st.sampled_from(["\n", "\n\n", "", " \n"]))
    path.write_bytes(text.removesuffix(data.draw(st.sampled_from(["\n", "x"]))).encode())
    named = columns.ROLES if input_format != "conllu" and data.draw(st.booleans()) else "FORM"

    def read_it() -> dict[str, Any] | str:
        try:
            return seen(Input(str(path), input_format=input_format).read([named]))
        except AssayError as error:
            return str(error)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns._ColumnReader, "read_clean", lambda *_: False)
        expected = read_it()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("assay.formats.source.BATCH", data.draw(st.sampled_from([16, 64, 4096])))
        patch.setattr(columns, "FEW", 1)
        assert read_it() == expected


def test_semantic_roles_are_read_with_arrays(tmp_path, monkeypatch):
    monkeypatch.setattr(columns._ColumnReader, "read_lines", lambda *_: pytest.fail("read line by line"))
    monkeypatch.setattr(columns, "FEW", 1)
    path = tmp_path / "a.conll09"
    path.write_text("\t".join([*"1a______00__", "Y", "go.01", "_"]) + "\n\n" + "\t".join([*"1b______00__", "_", "_"]))
    corpus = Input(str(path)).read([columns.ROLES])
    assert corpus.column(columns.ROLES).strings() == ["Y\tgo.01\t_", "_\t_"]


def test_columns_divided_by_single_spaces_are_read_with_arrays(tmp_path, monkeypatch):
    monkeypatch.setattr(columns._ColumnReader, "read_lines", lambda *_: pytest.fail("read line by line"))
    monkeypatch.setattr(columns, "FEW", 1)
    path = tmp_path / "a.conll"
    path.write_text("-DOCSTART- -X- O\n\nÄrger NN B-NP\nund KON O\n\n-DOCSTART- -X- O\n\n<unk> XY O\n")
    corpus = read(str(path))
    assert corpus.forms.strings() == ["Ärger", "und", "<unk>"]
    assert corpus.document_of_sentence.tolist() == [0, 1]


# --- empty nodes ---


def with_empty_nodes(path: Path) -> Corpus:
    return read(str(path), columns=["UPOS"], input_format="conllu(empty_nodes=true)")


def row(number: str, form: str) -> str:
    return "\t".join([number, form, "_", "X", *"______"]) + "\n"


def test_empty_nodes_are_words_where_asked_for(tmp_path):
    path = tmp_path / "a.conllu"
    rows = [row("0.1", "zero"), row("1-2", "am"), row("1", "a"), row("2", "m"), row("2.1", "none"), row("3", "end")]
    path.write_text("# one\n" + "".join(rows) + "\n" + row("1", "b") + row("1.1", "c"))
    corpus = with_empty_nodes(path)
    assert corpus.forms.strings() == ["zero", "a", "m", "none", "end", "b", "c"]
    assert corpus.starts.tolist() == [0, 5, 7]
    assert [corpus.place(word).rpartition(":")[2] for word in range(7)] == ["2", "4", "5", "6", "7", "9", "10"]
    assert corpus.aside_lines == (rows[1].rstrip("\n"),)
    assert [(token.first, token.end) for token in corpus.multiwords] == [(1, 3)]


def test_empty_nodes_stay_aside_where_not_asked_for(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(row("1", "a") + row("1.1", "c"))
    assert read(str(path)).forms.strings() == ["a"]


@given(
    sizes=st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=4), min_size=1, max_size=4),
    batch=st.integers(8, 90),
)
def test_empty_nodes_do_not_disturb_the_numbers_of_words(sizes, batch, tmp_path_factory):
    path = tmp_path_factory.mktemp("read") / "a.conllu"
    forms = []
    sentences = []
    for sentence in sizes:
        lines = []
        for number, empties in enumerate(sentence, 1):
            numbers = [str(number), *(f"{number}.{k + 1}" for k in range(empties))]
            lines += [row(name, f"w{name}") for name in numbers]
            forms += [f"w{name}" for name in numbers]
        sentences.append("".join(lines))
    path.write_text("\n".join(sentences))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("assay.formats.source.BATCH", batch)
        corpus = with_empty_nodes(path)
    assert corpus.forms.strings() == forms
    assert np.diff(corpus.starts).tolist() == [len(sentence) + sum(sentence) for sentence in sizes]
