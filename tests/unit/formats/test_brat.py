"""brat standoff: X.ann beside X.txt."""

from __future__ import annotations

import io
import sys

import pytest

import assay
from assay.formats import read
from cases import each
from unit.samples import linked, placed, refusal, related

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


def test_what_is_not_used_is_counted_and_said(document):
    corpus = read(document("T1\tPER 0 13\tAngela Merkel\nA1\tSure T1\nM1\tSure T2\n#1\tNote T1\tx\n"))
    assert corpus.notes == ("Lines of attributes and notes that were not read: 3.",)
    assert corpus.layers == {}


def test_what_is_left_out_is_added_up_over_files(document):
    document(EVENTS + "N1\tReference T2 Q:2\tleft\n", name="d/a")
    document(EVENTS, name="d/b")
    corpus = read("d", input_format="brat(triggers=false)")
    assert corpus.notes == (
        "Spans left out because they are triggers of events: 2.",
        "Events read as relations; --task events compares them whole: 2.",
        "Relations and links left out with the triggers of events: 3.",
    )
    assert (related(corpus), linked(corpus)) == ([], [])


def test_triggers_of_events_are_left_out_on_request(document):
    name = document(EVENTS)
    assert [label for _, label, _ in placed(read(name))] == ["PER", "Move"]
    assert [label for _, label, _ in placed(read(name, input_format="brat(triggers=false)"))] == ["PER"]


@pytest.mark.parametrize("shown", ["Ang ela", "Angela"])
def test_fragments_that_touch_are_one(document, shown):
    assert placed(read(document(f"T1\tPER 0 3;3 6\t{shown}\n"))) == [(0, "PER", [(0, 6)])]


@pytest.mark.parametrize("shown", ["Angela  Merkel", "Angela Merkel"])
def test_line_ends_in_the_text_count_as_they_are_on_disk(document, shown):
    corpus = read(document(f"T1\tPER 0 14\t{shown}\r\nT2\tX 15 16\t𝒜\r\n", text="Angela\r\nMerkel 𝒜".encode()))
    assert placed(corpus) == [(0, "PER", [(0, 14)]), (0, "X", [(15, 16)])]


def test_line_ends_of_two_characters_count_as_one_where_the_texts_of_all_spans_say_so(document):
    lines = "T1\tPER 0 6\tAngela\nT2\tPER 7 13\tMerkel\n"
    corpus = read(document(lines, text=b"Angela\r\nMerkel\r\n"))
    assert corpus.texts == ("Angela\nMerkel\n",)
    assert corpus.notes == ("Line ends of two characters that offsets count as one: 2.",)
    message = refusal(read, document(f"{lines}T3\tX 8 14\tMerkel\n", text=b"Angela\r\nMerkel\r\n"))
    assert message.startswith("a.ann:2: T2: says 'Merkel', but the text has '\\nMerke'.")


def test_the_text_is_part_of_the_hash(document):
    first, second = read(document("", text="One")), read(document("", text="Two", name="b"))
    assert first.sha256 != second.sha256


REMEDY = "\nTo mend those with one clear reading and drop the rest: --repair mend"
FAULTS = {
    "T1\tPER 0 4\tAngela": f"T1: says 'Angela', but the text has 'Ange'. {CODE_POINTS}",
    "T1\tPER 0 99\tAngela": f"T1: from 0 to 99, but there are 44 characters. {CODE_POINTS}",
    "T1\tPER 6 6\tA": "T1: from 6 to 6, which is empty. The end must come after the start.",
    "T1\tPER 6 0\tA": "T1: from 6 to 0, which is empty. The end must come after the start.",
    "T1\tX 7 13;0 6\tMerkel Angela": "T1: the fragment 0-6 begins before the end of the one before it. "
    "Fragments follow the order of the text and do not overlap.",
    "T1\tX 0 6;5 13\tAngela a Merkel": "T1: the fragment 5-13 begins before the end of the one before it. "
    "Fragments follow the order of the text and do not overlap.",
    "T1\tPER 7 14\tMerkel ": "T1: 'Merkel ' begins or ends with white space. Remove it.",
    "T1\tPER 6 7\t ": "T1: ' ' is only white space. Remove the span.",
    **dict.fromkeys(
        ("T1\tPER 0 13", "T1\t 0 13\tAngela Merkel", "T1\tX 0.0 9\tA", "T1 PER 0 6 Angela", "X1\tx", "PER\t0", "\tx"),
        "not a line of brat standoff. "
        "A span is T1<tab>Label START END<tab>text, with ; between the fragments of one with gaps.",
    ),
    "T9\tMove 14 18\tleft": "T9 is in line 1 too. Number each differently.",
}


@pytest.mark.parametrize("line", FAULTS)
def test_a_faulty_line_is_refused_with_its_place(document, line):
    name = document(f"T9\tMove 14 18\tleft\n{line}\n")
    of_span = FAULTS[line].startswith("T1: ")
    assert refusal(read, name) == f"a.ann:2: {FAULTS[line]}" + REMEDY * of_span


def test_white_space_is_trimmed_on_request_and_counted(document):
    corpus = read(document("T1\tPER 6 14\tMerkel\n"), input_format="brat(trim=true)")
    assert placed(corpus) == [(0, "PER", [(7, 13)])]
    assert corpus.repairs == (("white space at the ends", "mended", 1, "a.ann:1: T1"),)


MENDED = {
    "T1\tX 7 13;0 6\tMerkel Angela": [(0, 6), (7, 13)],
    "T1\tX 0 6;5 13\tAngela a Merkel": [(0, 13)],
    "T1\tX 0 6;5 13\tAngela Merkel": [(0, 13)],
    "T1\tX 0 9;2 6;8 13\tAngela Merkel": [(0, 13)],
    "T1\tX 0 6;6 6\tAngela ": [(0, 6)],
    "T1\tX 0 6;6 7\tAngela  ": [(0, 6)],
    "T1\tX 6 14\t Merkel ": [(7, 13)],
    "T1\tX 0 13\tAngela_Merkel": [(0, 13)],
    "T1\tX 6 6\t": None,
    "T1\tX 6 7\t ": None,
    "T1\tX 0 99\tAngela": None,
    "T1\tX 0 5\tMerkel": None,
}


@each("line, fragments", MENDED.items())
def test_faults_are_mended_or_dropped_on_request_and_counted(document, line, fragments):
    relation = "R1\tr Arg1:T1 Arg2:T9\n*\ts T9 T1\nE1\tX:T1 Of:T9\nN1\tReference T1 Q:1\tx"
    name = document(f"T9\tMove 14 18\tleft\n{line}\n{relation}\n")
    kept = [(0, "Move", [(14, 18)])]
    corpus = read(name, repair="mend")
    assert placed(corpus) == ([(0, "X", fragments)] if fragments else []) + kept
    assert len(related(corpus)) == (3 if fragments else 0)
    ((_, action, number, first), *more) = corpus.repairs
    assert (action, number, first) == ("mended" if fragments else "dropped", 1, "a.ann:2: T1")
    lost = ("relations and links of a span that is not there", "dropped", 4, "a.ann:3")
    assert more == ([] if fragments else [lost])
    dropped = read(name, repair="discard")
    assert (placed(dropped), related(dropped), linked(dropped)) == (kept, [], [])
    assert [number for _, action, number, _ in dropped.repairs if action == "dropped"] == [1, 4]


def test_offsets_in_bytes_are_told_by_the_texts_of_all_spans(document):
    corpus = read(document("T1\tPER 0 4\tZoë\nT2\tLOC 5 9\tRome\n", text="Zoë Rome"))
    assert placed(corpus) == [(0, "PER", [(0, 3)]), (0, "LOC", [(4, 8)])]
    assert corpus.notes == ("Documents with offsets in bytes, as the texts of their spans show: 1.",)


def test_a_missing_text_is_refused(file):
    assert refusal(read, file("a.ann", "T1\tPER 0 1\tA\n")) == (
        "a.ann: its text a.txt cannot be opened (no such file or directory). Put it into the folder of the "
        "annotations."
    )


def test_a_text_that_is_not_utf_8_is_refused_with_its_line(document):
    assert refusal(read, document("", text=b"fine\n\xe4\n")).startswith("a.txt:2: byte 0xE4 is not UTF-8.")


def test_annotations_that_have_no_text_beside_them_are_refused(file, monkeypatch):
    line = "T1\tPER 0 6\tAngela\n"
    assert refusal(read, file("a.txt", line)) == (
        "a.txt: brat annotations are files X.ann with the text X.txt in the same folder. Name the folder that "
        "contains both."
    )
    stdin = type("Stdin", (), {"buffer": io.BufferedReader(io.BytesIO(line.encode()))})
    monkeypatch.setattr(sys, "stdin", stdin)
    assert refusal(read, "-").startswith("<stdin>: brat annotations are files X.ann")


# --- relations and links ---

SPANS = """\
T1\tPER 0 13\tAngela Merkel
T2\tMove 14 18\tleft
T3\tLOC 19 24;35 42\tNorth America
"""
ANGELA, LEFT, NORTH = (0, "PER", [(0, 13)]), (0, "Move", [(14, 18)]), (0, "LOC", [(19, 24), (35, 42)])
RELATIONS = {
    "R1\tfrom Arg1:T3 Arg2:T1": [("from", NORTH, ANGELA)],
    "R\tfrom who:T1 what:T3  \t": [("from", ANGELA, NORTH)],
    "R1\tfrom Arg1:T1 Arg2:T1": [("from", ANGELA, ANGELA)],
    "R1\tx Arg1:T2 Arg2:T1\nR1\tx Arg1:T2 Arg2:T1": [("x", LEFT, ANGELA)] * 2,
    "*\tsame T2 T3 T1": [("same*", LEFT, ANGELA), ("same*", NORTH, ANGELA)],
    "E1\tMove:T2 Who:T1 Who2:T3": [("Who", LEFT, ANGELA), ("Who", LEFT, NORTH)],
    "E1\tMove:T2 ": [],
    "E2\tLOC:T3 Of:E1\nE1\tMove:T2": [("Of", NORTH, LEFT)],
    "R1\tx Arg1:E1 Arg2:T1\nE1\tMove:T2": [("x", LEFT, ANGELA)],
}


@each("lines, expected", RELATIONS.items())
def test_relations_may_refer_to_spans_before_and_behind_them(document, lines, expected):
    for text in (SPANS + lines, f"{lines}\n{SPANS}"):
        assert related(read(document(text), input_format="brat")) == expected


def test_relations_have_the_lines_of_their_file(document):
    found = read(document(SPANS + "R1\ta Arg1:T1 Arg2:T2\n*\tb T2 T1\n")).marks
    assert found["relations"].lines.tolist() == [4, 5]
    assert found["arguments"].lines.tolist() == [1, 2, 3]


def test_events_of_another_type_than_their_trigger_are_counted(document):
    corpus = read(document(SPANS + "E1\tGo:T2 Who:T1\n"))
    assert corpus.notes == (
        "Events of another type than their trigger, whose type counts: 1.",
        "Events read as relations; --task events compares them whole: 1.",
    )


def test_normalisations_are_identifiers_in_their_order(document):
    lines = "N2\tReference T3 Wikidata:Q1\tNorth\nN1\tReference T1 Wikidata:Q567\nN3\tReference T3 NIL\tx\n"
    corpus = read(document(SPANS + lines))
    assert linked(corpus) == [(ANGELA, ["Wikidata:Q567"]), (NORTH, ["Wikidata:Q1", "NIL"])]
    assert len(corpus.marks["links"]) == 3
    assert corpus.notes == ()


def test_layers_are_over_the_spans_of_all_files(document):
    for name, more in {"a": "", "b": "R1\tx Arg1:T1 Arg2:T2\n", "c": ""}.items():
        document(SPANS + more, name=f"d/{name}")
    corpus = read("d")
    assert "links" not in corpus.marks
    assert len(corpus.marks["arguments"]) == 9
    assert related(corpus) == [("x", (1, "PER", [(0, 13)]), (1, "Move", [(14, 18)]))]


def test_a_file_without_relations_has_none_of_its_spans(document):
    corpus = read(document(SPANS))
    assert (related(corpus), linked(corpus)) == ([], [])


RELATION_FAULTS = {
    "R1\tx Arg1:T1 Arg2:T9": "there is no T9 in the file. Name a span or an event that is.",
    "R1\tx Arg1:E1 Arg2:T1": "there is no E1 in the file. Name a span or an event that is.",
    "E1\tMove:T7": "there is no T7 in the file. Name a span or an event that is.",
    "E1\tMove:T2 Who:T7": "there is no T7 in the file. Name a span or an event that is.",
    "*\tsame T1 T8": "there is no T8 in the file. Name a span or an event that is.",
    "N1\tReference T8 Q:1\tx": "there is no T8 in the file. Name a span or an event that is.",
    "R1\tx Arg2:T1 Arg1:T2": "Arg2 comes before Arg1. The first one is the head: exchange them.",
    "R1\tx Arg1:T1": "'R1\\tx Arg1:T1' should have the form R1<tab>Label Arg1:T1 Arg2:T2.",
    "R1\t Arg1:T1 Arg2:T2": "'R1\\t Arg1:T1 Arg2:T2' should have the form R1<tab>Label Arg1:T1 Arg2:T2.",
    "*\tsame T1": "'*\\tsame T1' should have the form *<tab>Label T1 T2, with two spans or more.",
    "E1\tMove": "'E1\\tMove' should have the form E1<tab>Type:T1 Role:T2, the trigger first.",
    "N1\tReference T1 a b\tx": "'N1\\tReference T1 a b\\tx' should have the form "
    "N1<tab>Type T1 Resource:Id<tab>text, without blanks in the Id.",
    "N1\tReference T1\tx": "'N1\\tReference T1\\tx' should have the form "
    "N1<tab>Type T1 Resource:Id<tab>text, without blanks in the Id.",
}


@each("line, fault", RELATION_FAULTS.items())
def test_a_faulty_relation_or_link_is_refused_with_its_place(document, line, fault):
    is_lost = fault.startswith("there is no")
    remedy = "\nTo mend those with one clear reading and drop the rest: --repair mend" * is_lost
    path = document(f"{SPANS}{line}\n")
    assert refusal(read, path) == f"a.ann:4: {fault}{remedy}"
    if is_lost:
        ((found, *rest),) = read(path, repair="drop").repairs
        assert (found, rest) == ("relations and links of a span that is not there", ["dropped", 1, "a.ann:4"])


def test_an_event_that_is_there_twice_is_refused(document):
    lines = "E1\tMove:T2\nE1\tMove:T2\n"
    assert refusal(read, document(SPANS + lines)) == "a.ann:5: E1 is in line 4 too. Number each differently."


def test_each_line_of_the_text_is_a_sentence_on_request(document):
    text = "\n Ann left .\n\n\n  Bob saw\nher\n"
    lines = "T1\tPER 2 5\tAnn\nT2\tPER 17 20\tBob\nT3\tX 21 28\tsaw her\nR1\tx Arg1:T3 Arg2:T1\n"
    corpus = read(document(lines, text=text), input_format="brat(units=lines)")
    assert corpus.texts == ("\n Ann left .\n\n\n", "  Bob saw\n", "her\n")
    assert (corpus.sentences, corpus.documents) == (3, 1)
    assert placed(corpus) == [(0, "PER", [(2, 5)]), (1, "PER", [(2, 5)]), (1, "X", [(6, 13)])]
    assert related(corpus) == [("x", (1, "X", [(6, 13)]), (0, "PER", [(2, 5)]))]
    assert corpus.lines.tolist() == [1, 5, 6]


def test_an_empty_text_is_one_line(document):
    assert read(document("", text=""), input_format="brat(units=lines)").texts == ("",)


def test_units_of_other_names_are_refused(document):
    message = refusal(read, document(SPANS), input_format="brat(units=words)")
    assert message == "there is no units = 'words'. Available: documents, lines."


def test_documents_without_sentences_are_not_resampled_by_sentences(document):
    gold = document("T1\tPER 0 13\tAngela Merkel\n")
    assert refusal(assay.score, gold, gold, unit="sentence", times=1) == (
        "--unit sentence: a.ann has documents and no sentences. Give --unit document, or read lines as sentences: "
        '--input-format "brat(units=lines)"'
    )
    lines = assay.score(gold, gold, unit="sentence", times=1, input_format="brat(units=lines)")
    assert lines.about.unit == "sentence"
