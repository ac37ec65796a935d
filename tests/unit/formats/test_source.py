"""Bytes become lines: compression, encodings, standard input, folders and patterns."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import sys
import threading
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from assay import AssayError
from assay.formats import Input, read
from assay.formats.source import BATCH, Source, list_files
from unit.samples import conllu, refusal, tagged

# Without the time of day in it, so that every run packs the same bytes.
gzipped = partial(gzip.compress, mtime=0)

TEXT = conllu(tagged("The/DET end/NOUN"), tagged("Fine/ADJ"))
FORMS = ["The", "end", "Fine"]


class Stdin:
    """A standard input that holds these bytes."""

    def __init__(self, data: bytes) -> None:
        self.buffer = io.BufferedReader(io.BytesIO(data))


@pytest.mark.parametrize("pack", [gzipped, lzma.compress], ids=["gzip", "xz"])
@pytest.mark.parametrize("name", ["a.conllu.packed", "a.conllu"])
def test_compressed_files_are_told_by_their_first_bytes_whatever_they_are_called(file, pack, name):
    corpus = read(file(name, pack(TEXT.encode())))
    assert corpus.forms.strings() == FORMS
    assert corpus.place(2) == f"{name}:4"


def test_the_hash_is_that_of_the_text_so_compression_does_not_change_it(file):
    plain = read(file("a.conllu", TEXT))
    packed = read(file("b.conllu.gz", gzipped(TEXT.encode())))
    other = read(file("c.conllu", TEXT.replace("end", "END")))
    assert plain.sha256 == packed.sha256 != other.sha256


@pytest.mark.parametrize("pack", [bytes, gzipped, lzma.compress], ids=["plain", "gzip", "xz"])
def test_standard_input_is_read_plain_and_compressed_and_named_in_places(monkeypatch, pack):
    monkeypatch.setattr(sys, "stdin", Stdin(pack(TEXT.encode())))
    corpus = read("-")
    assert corpus.forms.strings() == FORMS
    assert corpus.place(1) == "<stdin>:2"


def test_an_error_in_standard_input_has_a_place(monkeypatch):
    monkeypatch.setattr(sys, "stdin", Stdin(gzipped(TEXT.replace("2\tend", "3\tend").encode())))
    assert refusal(read, "-").startswith("<stdin>:2: ID '3', but 2 comes next.")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("pack", [bytes, gzipped], ids=["plain", "gzip"])
def test_a_pipe_is_read_to_its_end_and_nothing_of_its_beginning_is_lost(in_folder, pack):
    words = BATCH // 8
    text = "".join(f"w{number}\tX\n" for number in range(words))
    os.mkfifo("pipe")
    writer = threading.Thread(target=Path("pipe").write_bytes, args=(pack(text.encode()),), daemon=True)
    writer.start()
    corpus = read("pipe")
    writer.join()
    assert len(corpus) == words
    assert corpus.forms[0] == "w0"


def test_a_file_that_is_replaced_before_it_is_read_is_refused(file):
    opened = Input(file("a.conllu", TEXT))
    file("new.conllu", TEXT)
    os.replace("new.conllu", "a.conllu")
    message = "a.conllu: changed while it was read. Run again when it is complete."
    assert refusal(opened.read) == message


@pytest.mark.parametrize("change", [lambda text: text + text, lambda text: text[: len(text) // 2]])
def test_a_file_that_is_written_to_while_it_is_read_is_refused(file, change):
    text = conllu(*([("word", "X")] * 8 for _ in range(BATCH // 100)))
    batches = Source(file("a.conllu", text)).batches()
    next(batches)
    file("a.conllu", change(text))
    message = "a.conllu: changed while it was read. Run again when it is complete."
    assert refusal(list, batches) == message


def test_a_byte_order_mark_is_not_part_of_the_first_line(file):
    assert read(file("a.conllu", b"\xef\xbb\xbf" + TEXT.encode())).forms.strings() == FORMS
    corpus = read(file("a.tsv", b"\xef\xbb\xbfThe\tDET\n"))
    assert corpus.forms.strings() == ["The"]


def test_windows_line_ends_read_the_same_as_plain_ones(file):
    plain = read(file("a.conllu", TEXT))
    windows = read(file("b.conllu", TEXT.replace("\n", "\r\n")))
    for name, column in plain.columns.items():
        assert windows.columns[name].strings() == column.strings()
    assert windows.forms.strings() == plain.forms.strings()
    assert windows.starts.tolist() == plain.starts.tolist()


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_windows_line_ends_leave_no_mark_on_the_last_column(file, newline):
    corpus = read(file("a.tsv", f"The\tDET{newline}end\tNOUN{newline}"))
    assert corpus.columns["2"].strings() == ["DET", "NOUN"]


def test_the_last_line_counts_without_a_line_feed(file):
    corpus = read(file("a.conllu", TEXT.rstrip("\n")))
    assert corpus.forms.strings() == FORMS
    assert corpus.sentences == 2


def test_a_folder_is_read_in_the_order_of_its_relative_paths_without_hidden_files(file):
    for name in ("d/b.conllu", "d/a.conllu", "d/sub/a.conllu", "d/B.conllu"):
        file(name, conllu([(name, "X")]))
    file("d/.hidden.conllu", "nonsense")
    file("d/.cache/x.conllu", "nonsense")
    corpus = read("d")
    assert corpus.forms.strings() == ["d/B.conllu", "d/a.conllu", "d/b.conllu", "d/sub/a.conllu"]
    assert corpus.place(3) == "d/sub/a.conllu:1"


def test_a_pattern_is_read_in_sorted_order_and_may_cross_folders(file):
    for name in ("p10.conllu", "p1.conllu", "deep/p2.conllu"):
        file(name, conllu([(name, "X")]))
    assert read("p*.conllu").forms.strings() == ["p1.conllu", "p10.conllu"]
    assert read("**/p2.conllu").forms.strings() == ["deep/p2.conllu"]


def test_a_file_whose_name_holds_pattern_marks_is_itself(file):
    assert list_files(file("a[1].conllu", TEXT)) == ["a[1].conllu"]


def test_each_file_of_a_folder_is_a_document_named_after_it(file):
    file("d/one.conllu", TEXT)
    file("d/two.conllu", TEXT)
    corpus = read("d")
    assert [corpus.document_name(i) for i in range(corpus.documents)] == ["one", "two"]
    assert corpus.document_of_sentence.tolist() == [0, 0, 1, 1]


def test_files_of_the_same_name_in_two_folders_are_told_apart_as_documents(file):
    file("d/a/part.conllu", TEXT)
    file("d/b/part.conllu", TEXT)
    corpus = read("d")
    names = [corpus.document_name(i) for i in range(corpus.documents)]
    assert len(names) == 2
    assert len(set(names)) == 2


def test_a_file_begins_a_document_even_where_its_own_first_mark_comes_later(file):
    file("d/a.conllu", conllu([("A", "X")]))
    file("d/b.conllu", conllu([("B", "X")], [("C", "X")], comments=[(), ["newdoc id = late"]]))
    corpus = read("d")
    assert corpus.document_of_sentence.tolist() == [0, 1, 2]


@pytest.mark.parametrize("prefix", range(8))
def test_a_first_line_longer_than_what_is_looked_at_may_be_cut_within_a_character(file, prefix):
    text = "x" * (prefix + 1) + "/A " + "éé/NN " * 9000
    corpus = read(file("long.pos", text))
    assert len(corpus) == 9001
    assert corpus.forms[9000] == "éé"


# --- files larger than a batch ---


def large_conllu() -> tuple[str, list[int]]:
    """A file of three batches with comments, ranges and empty nodes, and the line of every word."""
    lines: list[str] = []
    places: list[int] = []
    sentence = 0
    while len(lines) < 250_000:
        sentence += 1
        if sentence % 3:
            lines += [f"# sent_id = s{sentence}", f"# text = {'ü' * (sentence % 50)}"]
        if sentence % 7 == 0:
            lines.append("")
        for number in range(1, 2 + sentence % 9):
            if number == 2 and sentence % 2 and sentence % 9 > 1:
                lines.append("2-3\tzum\t" + "\t".join("_" * 8))
            if number == 3 and sentence % 5 == 0:
                lines.append("2.1\tleer\t" + "\t".join("_" * 8))
            lines.append(f"{number}\tw{len(places)}\tl\tX{sentence % 4}\tY\t_\t0\troot\t_\t_")
            places.append(len(lines))
        if sentence % 11 == 0:
            lines.append(f"{1 + sentence % 9}.1\tend\t" + "\t".join("_" * 8))
        lines.append("")
    return "\n".join(lines) + "\n", places


def test_in_a_file_of_several_batches_every_word_keeps_its_line(file):
    text, places = large_conllu()
    assert len(text.encode()) > 2 * BATCH
    corpus = read(file("big.conllu", text))
    assert corpus.forms.strings() == [f"w{i}" for i in range(len(places))]
    # A prime number of words apart, so that words in all places of a sentence are among them.
    found = [int(corpus.place(word).rpartition(":")[2]) for word in range(0, len(places), 11)]
    assert found == places[::11]


def test_a_mistake_far_into_a_file_has_its_line(file):
    text, _ = large_conllu()
    lines = text.split("\n")
    index = next(i for i in range(80_000, len(lines)) if lines[i].startswith("1\t"))
    lines[index] = lines[index].rsplit("\t", 1)[0]
    message = refusal(read, file("big.conllu", "\n".join(lines)), columns=["UPOS"])
    assert message.startswith(f"big.conllu:{index + 1}: 9 columns, but CoNLL-U has 10.")


def test_a_foreign_byte_far_into_a_file_has_its_line(file):
    data = b"The\tDET\n" * 300_000 + b"M\xfcnchen\tPROPN\n"
    message = refusal(read, file("big.tsv", data))
    assert message.startswith("big.tsv:300001: byte 0xFC is not UTF-8.")


def test_slash_tagged_lines_of_several_batches_keep_their_lines(file):
    text = "".join(f"w{i}/A é/B\n" + ("\n" if i % 3 == 0 else "") for i in range(200_000))
    assert len(text.encode()) > BATCH
    corpus = read(file("big.pos", text))
    lines = [number for number, line in enumerate(text.split("\n"), 1) if line]
    assert corpus.sentences == 200_000
    for sentence in range(0, 200_000, 997):
        word = 2 * sentence + 1
        assert corpus.place(word) == f"big.pos:{lines[sentence]}"
        assert corpus.forms[word - 1] == f"w{sentence}"


# --- files are closed ---


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("plain.conllu", TEXT.encode()),
        ("packed.gz", gzipped(TEXT.encode())),
        ("packed.xz", lzma.compress(TEXT.encode())),
        ("misnumbered.conllu", TEXT.replace("2\tend", "3\tend").encode()),
        ("empty.conllu", b""),
        ("unknown.txt", b"one two\nthree\n"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_files_are_closed_after_reading_and_after_a_refusal(file, monkeypatch, name, content):
    opened = []

    def recorded(*arguments):
        opened.append(open(*arguments))  # noqa: SIM115
        return opened[-1]

    monkeypatch.setattr("assay.formats.source.open", recorded, raising=False)
    with suppress(AssayError):
        read(file(name, content))
    closed = [stream.closed for stream in opened]
    for stream in opened:
        stream.close()
    assert closed and all(closed)


# --- what cannot be read ---


EMPTY = "the file is empty. Did the program that writes it stop with an error?"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.conllu", b"", f"empty.conllu: {EMPTY}"),
        ("empty.gz", gzipped(b""), f"empty.gz: {EMPTY}"),
        *(
            (
                "wide.tsv",
                mark + "a\tX\n".encode(encoding),
                "wide.tsv:1: UTF-16. Convert the file: iconv -f utf-16 -t utf-8 wide.tsv > new",
            )
            for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
        ),
        (
            "nul.tsv",
            b"a\tX\nb\0\tY\n",
            "nul.tsv:2: a NUL byte, so this is not a text file. Give the file with the annotations (assay "
            "formats lists "
            "the formats).",
        ),
        (
            "latin.tsv",
            b"a\tX\nM\xfcnchen\tY\n",
            "latin.tsv:2: byte 0xFC is not UTF-8. Convert the file, e.g.: iconv -f latin1 -t utf-8 latin.tsv",
        ),
        (
            "cut.gz",
            gzipped(TEXT.encode())[:-12],
            "cut.gz: the compressed file is damaged or cut short (Compressed file ended before the end-of-stream "
            "marker was reached). Copy or make it again.",
        ),
        (
            "cut.xz",
            lzma.compress(TEXT.encode())[:-12],
            "cut.xz: the compressed file is damaged or cut short (Compressed file ended before the end-of-stream "
            "marker was reached). Copy or make it again.",
        ),
    ],
)
def test_unreadable_content_is_refused_with_its_place(file, name, content, message):
    assert refusal(read, file(name, content)) == message


@pytest.mark.parametrize("place", [20, -6], ids=["data", "checksum"])
def test_a_damaged_gzip_file_is_refused_in_one_line(file, place):
    data = bytearray(gzipped(conllu(*([tagged("The/DET end/NOUN")] * 50)).encode()))
    data[place] ^= 0xFF
    message = refusal(read, file("bad.gz", bytes(data)))
    assert message.startswith("bad.gz: the compressed file is damaged or cut short (")
    assert "\n" not in message


def test_a_missing_file_is_named(file):
    fact = "cannot be opened (no such file or directory)."
    assert refusal(read, "no/such.conllu") == f"no/such.conllu: {fact} There is no folder no."
    file("gold.conllu", "")
    assert refusal(read, "gold.conlu") == f"gold.conlu: {fact} Did you mean gold.conllu?"
    assert refusal(read, "system.conllu") == f"system.conllu: {fact}"


def test_a_folder_without_files_is_refused(in_folder):
    (in_folder / "hollow").mkdir()
    (in_folder / "hollow" / ".hidden").touch()
    assert refusal(read, "hollow") == "hollow: the folder contains no files."


def test_a_pattern_that_matches_nothing_is_refused():
    assert refusal(read, "*.conllu") == "*.conllu: no file matches this pattern."


def test_a_file_without_permission_is_refused(file, monkeypatch):
    path = Path(file("locked.conllu", TEXT))
    path.chmod(0)
    try:
        path.read_bytes()
    except PermissionError:
        pass
    else:
        pytest.skip("this user may read everything")
    assert refusal(read, str(path)) == "locked.conllu: cannot be opened (permission denied)."


def test_files_of_two_formats_in_a_folder_are_refused(file):
    file("d/a.conllu", TEXT)
    file("d/b.txt", "The/DET end/NOUN\n")
    assert refusal(read, "d") == (
        "d/b.txt: looks like slash, but d/a.conllu looks like conllu. Name it with --input-format."
    )
