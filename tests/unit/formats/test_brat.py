"""brat standoff: X.ann beside X.txt."""

from __future__ import annotations

import io
import sys

import pytest

from assay.formats import read
from unit.samples import placed, refusal

TEXT = "Angela Merkel left North and South America. "
EVENTS = "T1\tPER 0 13\tAngela Merkel\nT2\tMove 14 18\tleft\nE1\tMove:T2 Who:T1\n"
CODE_POINTS = "Offsets count characters (Unicode code points, not bytes or UTF-16 units) from 0, end exclusive."


@pytest.fixture
def document(file):
    """Write a text and its annotations; returns the name of the annotations."""

    def write(annotations: str, text: str | bytes = TEXT, name: str = "a") -> str:
        file(f"{name}.txt", text)
        return file(f"{name}.ann", annotations)

    return write


def test_spans_count_the_characters_of_the_text_beside(document):
    corpus = read(document("T1\tPER 0 13\tAngela Merkel\nT2\tLOC 19 24;35 42\tNorth America\n"))
    assert corpus.format == "brat"
    assert corpus.texts == (TEXT,)
    assert placed(corpus) == [(0, "PER", [(0, 13)]), (0, "LOC", [(19, 24), (35, 42)])]
    assert corpus.place_of_span(1) == "a.ann:2"
    assert corpus.notes == ()


def test_the_documents_of_a_folder_are_named_by_their_path_and_correspond_by_it(document, file):
    document("T1\tPER 0 13\tAngela Merkel\n", name="d/b")
    document("", name="d/a")
    document("T1\tMove 14 18\tleft\n", name="d/sub/b")
    file("d/annotation.conf", "[entities]\nPER\n")
    file("d/without.txt", "Not annotated.")
    corpus = read("d")
    assert corpus.by_id
    assert corpus.document_ids == ("a", "b", "sub/b")
    assert placed(corpus) == [(1, "PER", [(0, 13)]), (2, "Move", [(14, 18)])]
    assert read("d/**/*.ann").document_ids == corpus.document_ids
    assert read("d/*").document_ids == ("a", "b")


def test_a_single_file_corresponds_to_whatever_it_is_compared_with(document):
    assert not read(document("T1\tPER 0 13\tAngela Merkel\n")).by_id


def test_an_empty_file_is_a_document_without_spans(document):
    corpus = read(document(""))
    assert (corpus.format, corpus.documents, placed(corpus)) == ("brat", 1, [])


def test_an_empty_text_is_a_document_too(document):
    assert read(document("", text="")).texts == ("",)


def test_what_is_no_span_is_counted_and_said(document):
    more = (
        "R1\tOf Arg1:T1 Arg2:T2\nA1\tSure T1\nM1\tSure T2\nN1\tReference T1 Q:1\tx\n*\tAlias T1 T2\n#1\tNote T1\tx\n"
    )
    corpus = read(document(EVENTS + more))
    assert len(placed(corpus)) == 2
    assert corpus.notes == ("Lines of events, relations, attributes and notes that were not read: 7.",)


def test_what_is_left_out_is_added_up_over_files(document):
    document(EVENTS, name="d/a")
    document(EVENTS, name="d/b")
    assert read("d", input_format="brat(triggers=false)").notes == (
        "Spans left out because they are triggers of events: 2.",
        "Lines of events, relations, attributes and notes that were not read: 2.",
    )


def test_triggers_of_events_are_left_out_on_request(document):
    name = document(EVENTS)
    assert [label for _, label, _ in placed(read(name))] == ["PER", "Move"]
    assert [label for _, label, _ in placed(read(name, input_format="brat(triggers=false)"))] == ["PER"]


@pytest.mark.parametrize("shown", ["Angela  Merkel", "Angela Merkel"])
def test_line_ends_in_the_text_count_as_they_are_on_disk(document, shown):
    corpus = read(document(f"T1\tPER 0 14\t{shown}\r\nT2\tX 15 16\t𝒜\r\n", text="Angela\r\nMerkel 𝒜".encode()))
    assert placed(corpus) == [(0, "PER", [(0, 14)]), (0, "X", [(15, 16)])]


def test_the_text_is_part_of_the_hash(document):
    first, second = read(document("", text="One")), read(document("", text="Two", name="b"))
    assert first.sha256 != second.sha256


FAULTS = {
    "T1\tPER 0 4\tAngela": f"T1: says 'Angela' where the text has 'Ange'. {CODE_POINTS}",
    "T1\tPER 0 99\tAngela": f"T1: from 0 to 99 where there are 44 characters. {CODE_POINTS}",
    "T1\tPER 6 6\tA": "T1: from 6 to 6, which is nothing. The end lies behind the start.",
    "T1\tPER 6 0\tA": "T1: from 6 to 0, which is nothing. The end lies behind the start.",
    "T1\tX 7 13;0 6\tMerkel Angela": "T1: the fragment 0-6 begins before the end of the one before it. "
    "Fragments stand in the order of the text and do not overlap.",
    "T1\tX 0 6;5 13\tAngela a Merkel": "T1: the fragment 5-13 begins before the end of the one before it. "
    "Fragments stand in the order of the text and do not overlap.",
    "T1\tPER 7 14\tMerkel ": "T1: 'Merkel ' begins or ends with white space. "
    "Mend it, or have it trimmed with trim=true in --input-format.",
    "T1\tPER 6 7\t ": "T1: ' ' is nothing but white space. Take the span away.",
    **dict.fromkeys(
        ("T1\tPER 0 13", "T1\t 0 13\tAngela Merkel", "T1\tPER 0.0 13\tA", "T1 PER 0 6 Angela", "X1\tx", "PER\t0\t6"),
        "no line of brat standoff. "
        "A span is T1<tab>Label START END<tab>text, with ; between the fragments of one with gaps.",
    ),
    "T9\tMove 14 18\tleft": "T9 stands in line 1 too. Number each span differently.",
}


@pytest.mark.parametrize("line", FAULTS)
def test_a_faulty_line_is_refused_with_its_place(document, line):
    name = document(f"T9\tMove 14 18\tleft\n{line}\n")
    assert refusal(read, name) == f"a.ann:2: {FAULTS[line]}"


def test_white_space_is_trimmed_on_request_and_counted(document):
    corpus = read(document("T1\tPER 6 14\tMerkel\n"), input_format="brat(trim=true)")
    assert placed(corpus) == [(0, "PER", [(7, 13)])]
    assert corpus.notes == ("Spans trimmed of white space at their ends: 1.",)


def test_a_missing_text_is_refused(file):
    assert refusal(read, file("a.ann", "T1\tPER 0 1\tA\n")) == (
        "a.ann: its text a.txt cannot be opened (no such file or directory). Put it beside the annotations."
    )


def test_a_text_that_is_not_utf_8_is_refused_with_its_line(document):
    assert refusal(read, document("", text=b"fine\n\xe4\n")).startswith("a.txt:2: byte 0xE4 is not UTF-8.")


def test_annotations_that_have_no_text_beside_them_are_refused(file, monkeypatch):
    line = "T1\tPER 0 6\tAngela\n"
    assert refusal(read, file("a.txt", line)) == (
        "a.txt: brat annotations are files X.ann with the text X.txt beside them. Name the folder that holds both."
    )
    stdin = type("Stdin", (), {"buffer": io.BufferedReader(io.BytesIO(line.encode()))})
    monkeypatch.setattr(sys, "stdin", stdin)
    assert refusal(read, "-").startswith("<stdin>: brat annotations are files X.ann")
