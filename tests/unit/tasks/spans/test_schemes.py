"""Columns of tags: which scheme they keep to, the spans they stand for, what is refused and what repairs do."""

from __future__ import annotations

import numpy as np
import pytest

from assay.corpus import Corpus, from_lists
from assay.formats import read
from assay.formats.schemes import (
    REPAIRS,
    SCHEMES,
    Reading,
    detect_scheme,
    find_scheme,
    looks_like_tags,
    spans_from_tags,
)
from unit.samples import refusal, row

PLAIN = [name for name in SCHEMES if name != "stacked"]


def tagged(*sentences: str) -> Corpus:
    """Sentences of tags, each a string."""
    return from_lists([sentence.split(" ") for sentence in sentences], name="tags")


def listed(corpus: Corpus) -> list[str]:
    """Spans as `LABEL first-last`, counted from 1 over all sentences' words, in their order."""
    spans = corpus.spans
    start = corpus.starts[spans.unit]
    firsts, ends = (start + spans.begin + 1).tolist(), (start + spans.end).tolist()
    return [f"{label} {a}-{b}" for label, a, b in zip(spans.labels.strings(), firsts, ends, strict=True)]


def spans(tags: str, scheme: str, repair: str | None = None) -> list[str]:
    return listed(spans_from_tags(tagged(*tags.split(" / ")), ["label"], scheme, repair)[0])


def reading(tags: str, scheme: str, repair: str | None) -> Reading:
    return spans_from_tags(tagged(*tags.split(" / ")), ["label"], scheme, repair)[1]


# --- names ---


@pytest.mark.parametrize(
    ("given", "name"), [("BIO", "iob2"), ("iob", "iob1"), ("IOBES", "bioes"), ("Bilou", "bilou"), ("IOE1", "ioe1")]
)
def test_schemes_have_other_names_in_any_case(given, name):
    assert find_scheme(given).name == name


def test_an_unknown_scheme_is_refused_with_the_nearest():
    assert refusal(find_scheme, "iob3") == "there is no scheme 'iob3'. Did you mean iob or iob2 or iob1?"


def test_an_unknown_repair_is_refused():
    message = "there is no repair 'conleval'. Did you mean conlleval?"
    assert refusal(spans_from_tags, tagged("O"), ["label"], "iob2", "conleval") == message


@pytest.mark.parametrize("scheme", ["iob1", "ioe1", "io", "stacked"])
def test_discarding_is_not_made_for_schemes_that_cannot_tell_what_to_discard(scheme):
    message = f"the repair discard is not made for {SCHEMES[scheme].title}. Available: conlleval."
    assert refusal(spans_from_tags, tagged("O"), ["label"], scheme, "discard") == message


# --- tags or not ---


@pytest.mark.parametrize(
    ("values", "answer"),
    [
        (["O", "B-PER", "I-PER"], True),
        (["W-PER", "M-GEO-LOC"], True),
        (["I-S|I-VP|B-NP", "O", "_", "", "B-S|"], True),
        (["O"], False),
        (["_", ""], False),
        (["NN", "B-PER"], False),
        (["B-"], False),
        (["X-PER"], False),
        (["BI-PER"], False),
        ([], False),
    ],
)
def test_tags_are_told_from_other_labels(values, answer):
    assert looks_like_tags(values) is answer


@pytest.mark.parametrize(
    ("tags", "scheme"),
    [
        ("B-A I-A O B-A", "iob2"),
        ("B-A B-A", "iob2"),
        ("O O", "iob2"),
        ("I-A B-A O", "iob1"),
        ("I-A O I-B", "io"),
        ("I-A E-A E-B", "ioe2"),
        ("E-A", "ioe2"),
        ("E-A I-A", "ioe1"),
        ("B-A E-A S-B", "bioes"),
        ("S-A", "bioes"),
        ("B-A L-A U-B", "bilou"),
        ("B-A M-A E-A S-B", "bmes"),
        ("B-A M-A E-A W-B", "bmeow"),
        ("W-A", "bmeow"),
        ("I-A / I-A B-A", "iob1"),
        ("O / B-A / I-A", None),
        ("B-A I-A S-A", None),
        ("B-A PER", None),
        ("B-A|B-B I-A|I-B", None),
    ],
)
def test_the_scheme_is_the_first_to_which_the_whole_column_keeps(tags, scheme):
    assert detect_scheme(tagged(*tags.split(" / ")), "label") == scheme


def test_the_mark_of_an_empty_cell_means_no_span(file):
    text = row(1, "A", xpos="B-PER") + row(2, "b") + row(3, "C", xpos="B-PER")
    corpus = read(file("a.conllu", text), columns=["XPOS"])
    assert detect_scheme(corpus, "XPOS") == "iob2"
    assert listed(spans_from_tags(corpus, ["XPOS"], "iob2")[0]) == ["PER 1-1", "PER 3-3"]


# --- sequences that keep to their scheme ---


@pytest.mark.parametrize(
    ("scheme", "tags"),
    [
        ("iob2", "O B-A I-A B-A B-B O / B-A O"),
        ("iob1", "O I-A I-A B-A I-B O / I-A O"),
        ("ioe2", "O I-A E-A E-A E-B O / E-A O"),
        ("ioe1", "O I-A E-A I-A I-B O / I-A O"),
        ("bioes", "O B-A E-A S-A S-B O / S-A O"),
        ("bilou", "O B-A L-A U-A U-B O / U-A O"),
        ("bmes", "O B-A E-A S-A S-B O / S-A O"),
        ("bmeow", "O B-A E-A W-A W-B O / W-A O"),
        ("stacked", "O B-A I-A B-A B-B O / B-A O"),
    ],
)
def test_every_scheme_writes_the_same_spans_in_its_way(scheme, tags):
    assert spans(tags, scheme) == ["A 2-3", "A 4-4", "B 5-5", "A 7-7"]


def test_in_io_spans_of_one_label_that_touch_are_one():
    assert spans("I-A I-A I-B / I-B", "io") == ["A 1-2", "B 3-3", "B 4-4"]


def test_labels_keep_their_hyphens():
    assert spans("B-GEO-LOC I-GEO-LOC B-GEO B--", "iob2") == ["GEO-LOC 1-2", "GEO 3-3", "- 4-4"]


def test_spans_end_with_their_sentence():
    corpus, _ = spans_from_tags(tagged("B-A I-A", "O", "B-A"), ["label"], "bio")
    assert corpus.spans.unit.tolist() == [0, 2]
    assert corpus.spans.begin.tolist() == [0, 0]
    assert corpus.spans.end.tolist() == [2, 1]


def test_nothing_is_repaired_where_nothing_is_wrong():
    assert reading("B-A I-A O", "BIO", "conlleval") == Reading("iob2", 0, 0)


def test_a_column_without_spans_has_none():
    assert spans("O O / O", "bioes") == []


def test_several_columns_are_layers_of_one_text(file):
    corpus = read(file("a.tsv", "Ruhr-Universität\tB-ORG\tO\nBochum\tI-ORG\tB-LOC\n"))
    found, told = spans_from_tags(corpus, ["2", "3"], "iob2")
    assert listed(found) == ["ORG 1-2", "LOC 2-2"]
    assert told == Reading("iob2", 0, 0)


def test_layers_give_their_spans_in_text_order(file):
    corpus = read(file("a.tsv", "a\tO\tB-X\nb\tB-A\tI-X\n"))
    assert listed(spans_from_tags(corpus, ["2", "3"], "iob2")[0]) == ["X 1-2", "A 2-2"]


def test_spans_know_their_lines(file):
    corpus = read(file("a.tsv", "a\tO\nb\tB-A\nc\tI-A\n\n\nd\tB-B\n"))
    found, _ = spans_from_tags(corpus, ["2"], "iob2")
    assert found.spans.lines.tolist() == [2, 6]
    assert found.place_of_span(1) == "a.tsv:6"


def test_lines_that_are_no_words_are_counted_when_lines_are(file):
    text = "# one\n" + row("1-2", "am") + row(1, "a", xpos="B-A") + row("1.1", "x") + row(2, "m", xpos="B-B")
    corpus = read(file("a.conllu", text), columns=["XPOS"])
    found, _ = spans_from_tags(corpus, ["XPOS"], "iob2")
    assert found.spans.lines.tolist() == [3, 5]
    assert [found.place(word) for word in (0, 1)] == ["a.conllu:3", "a.conllu:5"]


def test_spans_in_running_text_stand_in_the_line_of_their_sentence(file):
    corpus = read(file("a.txt", "a|O b|B-A\nc|B-B\n"), input_format="slash(separator=|)")
    found, _ = spans_from_tags(corpus, ["label"], "iob2")
    assert found.spans.lines.tolist() == [1, 2]


def test_without_lines_spans_have_none():
    found, _ = spans_from_tags(tagged("B-A"), ["label"], "iob2")
    assert found.spans.lines.tolist() == [0]


def test_strings_that_do_not_occur_are_not_looked_at():
    corpus = tagged("B-A nonsense")
    tags = corpus.columns["label"]
    half = from_lists([["B-A"]])
    assert listed(spans_from_tags(half, ["label"], "iob2")[0]) == ["A 1-1"]
    unused = type(tags)(np.zeros(1, dtype=np.int32), tags.vocabulary)
    assert detect_scheme(Corpus("x", "lists", "", unused, {"label": unused}, np.array([0, 1])), "label") == "iob2"


# --- stacked tags ---


def test_levels_of_stacked_tags_stand_from_the_outermost_inwards():
    assert spans("B-ORG I-ORG|B-LOC", "stacked") == ["ORG 1-2", "LOC 2-2"]
    tags = "B-S|B-NP I-S|I-NP I-S|B-VP I-S|I-VP|B-NP I-S"
    assert spans(tags, "stacked") == ["NP 1-2", "S 1-5", "VP 3-4", "NP 4-4"]


def test_a_span_further_out_that_begins_ends_those_within():
    assert spans("B-A|B-X B-A|B-X", "stacked") == ["A 1-1", "X 1-1", "A 2-2", "X 2-2"]
    message = refusal(spans, "B-A|B-X B-A|I-X", "stacked")
    assert message.startswith("tags, sentence 1, word 2: B-A|I-X after B-A|B-X, which stacked BIO does not allow")


def test_a_missing_level_ends_those_within():
    assert spans("B-A|B-X I-A I-A|B-X", "stacked") == ["X 1-1", "A 1-3", "X 3-3"]
    assert "I-A|I-X after I-A" in refusal(spans, "B-A|B-X I-A I-A|I-X", "stacked")


@pytest.mark.parametrize("nothing", ["O", "_", "|", "_|"])
def test_no_span_is_written_in_several_ways(nothing):
    assert spans(f"B-A {nothing} B-A|", "stacked") == ["A 1-1", "A 3-3"]


def test_an_empty_cell_is_no_span_either(file):
    corpus = read(file("a.tsv", "a\tB-A\nb\t\nc\tB-A|B-B\n"))
    assert listed(spans_from_tags(corpus, ["2"], "stacked")[0]) == ["A 1-1", "A 3-3", "B 3-3"]


def test_stacked_tags_are_read_leniently_on_request():
    corpus, told = spans_from_tags(tagged("I-A|I-X I-B|I-X"), ["label"], "stacked", "conlleval")
    assert listed(corpus) == ["A 1-1", "X 1-1", "B 2-2", "X 2-2"], "what begins further out ends what is within"
    assert told == Reading("stacked", 4, 4)


# --- repairs ---

# Section 7 of the rules, with what follows from them for the other schemes.
REPAIRED = [
    ("iob2", "O I-A I-A", ["A 2-3"], []),
    ("iob2", "B-A I-B I-B", ["A 1-1", "B 2-3"], ["A 1-1"]),
    ("iob2", "B-A I-A I-B I-A", ["A 1-2", "B 3-3", "A 4-4"], ["A 1-2"]),
    ("iob2", "B-A / I-A", ["A 1-1", "A 2-2"], ["A 1-1"]),
    ("bioes", "B-A O", ["A 1-1"], []),
    ("bioes", "I-A E-A", ["A 1-2"], []),
    ("bioes", "B-A I-A S-A", ["A 1-2", "A 3-3"], ["A 3-3"]),
    ("bioes", "B-A B-A E-A E-A", ["A 1-1", "A 2-3", "A 4-4"], ["A 2-3"]),
    ("bioes", "B-A E-B", ["A 1-1", "B 2-2"], []),
    ("bilou", "B-A I-A U-A", ["A 1-2", "A 3-3"], ["A 3-3"]),
    ("bmes", "B-A M-A S-A", ["A 1-2", "A 3-3"], ["A 3-3"]),
    ("bmeow", "B-A M-A W-A", ["A 1-2", "A 3-3"], ["A 3-3"]),
    ("ioe2", "I-A I-A O E-A", ["A 1-2", "A 4-4"], ["A 4-4"]),
    ("ioe2", "I-A E-B", ["A 1-1", "B 2-2"], ["B 2-2"]),
]


@pytest.mark.parametrize(("scheme", "tags", "lenient", "strict"), REPAIRED)
def test_broken_sequences_are_repaired_as_asked(scheme, tags, lenient, strict):
    assert spans(tags, scheme, "conlleval") == lenient
    assert spans(tags, scheme, "discard") == strict


@pytest.mark.parametrize(
    ("scheme", "tags", "lenient"),
    [("iob1", "O B-A I-A", ["A 2-3"]), ("iob1", "I-A B-B", ["A 1-1", "B 2-2"]), ("ioe1", "E-A O", ["A 1-1"])],
)
def test_schemes_that_mark_only_spans_that_touch_are_read_leniently(scheme, tags, lenient):
    assert spans(tags, scheme, "conlleval") == lenient


@pytest.mark.parametrize(
    ("scheme", "tags", "repair", "invalid", "repaired"),
    [
        ("iob2", "B-A I-A I-B I-A", "conlleval", 2, 2),
        ("iob2", "B-A I-A I-B I-A", "discard", 2, 2),
        ("iob2", "O I-A I-A", "conlleval", 1, 1),
        ("iob2", "O I-A I-A", "discard", 1, 2),
        ("bioes", "B-A I-B E-B", "conlleval", 1, 2),
        ("bioes", "B-A I-B E-B", "discard", 1, 3),
        ("bioes", "B-A / E-A", "conlleval", 2, 2),
        ("iob1", "O B-A I-A B-A", "conlleval", 1, 1),
        ("ioe1", "E-A / E-A", "conlleval", 2, 2),
    ],
)
def test_what_was_broken_and_what_was_repaired_is_counted(scheme, tags, repair, invalid, repaired):
    assert reading(tags, scheme, repair) == Reading(scheme, invalid, repaired)


# --- refusals ---


def message(file, scheme: str, *tags: str) -> str:
    corpus = read(file("system.conll", "".join(f"w {tag}\n" if tag else "\n" for tag in tags)), input_format="conll")
    return refusal(spans_from_tags, corpus, ["2"], scheme)


BOTH = "Repair with --repair conlleval or discard"


@pytest.mark.parametrize(
    ("scheme", "tags", "expected"),
    [
        ("iob2", ["O", "B-A", "I-A", "O", "I-PER", "B-PER", "", "I-PER", "O", "O", "I-A"], (
            "system.conll:5: I-PER after O, which IOB2 does not allow (a span begins with B). "
            f"{BOTH}; 2 more places."
        )),
        ("iob2", ["I-A", "B-A", "", "I-B"], (
            "system.conll:1: I-A at the beginning of a sentence, which IOB2 does not allow (a span begins with B). "
            f"{BOTH}, or give --scheme iob1; 1 more place."
        )),
        ("iob1", ["O", "B-A", "I-A"], (
            "system.conll:2: B-A after O, which IOB1 does not allow "
            "(B marks a span that directly follows one of its label). Repair with --repair conlleval, or give "
            "--scheme iob2."
        )),
        ("ioe2", ["I-A", "I-B", "E-A"], (
            "system.conll:1: I-A before I-B, which IOE2 does not allow (a span ends with E). "
            f"{BOTH}; 1 more place."
        )),
        ("ioe1", ["I-A", "E-A"], (
            "system.conll:2: E-A at the end of a sentence, which IOE1 does not allow "
            "(E marks a span that one of its label directly follows). Repair with --repair conlleval, or give "
            "--scheme ioe2."
        )),
        ("bioes", ["B-A", "", "O"], (
            "system.conll:1: B-A at the end of a sentence, which BIOES does not allow (a span ends with E or S). "
            f"{BOTH}, or give --scheme iob2."
        )),
        ("bilou", ["O", "L-A"], (
            f"system.conll:2: L-A after O, which BILOU does not allow (a span begins with B or U). {BOTH}."
        )),
    ],
)  # fmt: skip
def test_sequences_that_break_their_scheme_are_refused_with_place_rule_and_remedy(file, scheme, tags, expected):
    assert message(file, scheme, *tags) == expected


@pytest.mark.parametrize(
    ("scheme", "tags", "expected"),
    [
        ("iob2", ["O", "PER"], (
            "tag 'PER' without a hyphen. A tag is O, or a prefix, a hyphen and a label, e.g. I-PER."
        )),
        ("iob2", ["O", "_"], (
            "tag '_', which no scheme has. If it marks words without annotation: --blank-tag _"
        )),
        ("iob2", ["B-A", "B-"], "tag 'B-' without a label. Is it cut short?"),
        ("iob2", ["O", "S-A"], (
            "tag 'S-A' has the prefix 'S', which IOB2 does not have (B, I; O outside). "
            "Is it BIOES? Then give --scheme bioes."
        )),
        ("iob2", ["B-A", "X-A"], "tag 'X-A' has the prefix 'X', which IOB2 does not have (B, I; O outside)."),
        ("iob2", ["B-A", "BI-A"], "tag 'BI-A' has the prefix 'BI', which IOB2 does not have (B, I; O outside)."),
        ("iob2", ["B-A", "-A"], "tag '-A' has the prefix '', which IOB2 does not have (B, I; O outside)."),
        ("iob2", ["B-A", "I-A|B-B"], (
            "tag 'I-A|B-B' with |, which divides the levels of stacked tags. If they are, give --scheme stacked."
        )),
        ("stacked", ["B-A", "I-A|B-"], "tag 'B-' without a label. Is it cut short?"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("repair", [None, "conlleval"])
def test_what_is_no_tag_of_the_scheme_is_refused_with_or_without_repair(file, scheme, tags, expected, repair):
    corpus = read(file("system.conll", "".join(f"w {tag}\n" for tag in tags)), input_format="conll")
    assert refusal(spans_from_tags, corpus, ["2"], scheme, repair) == f"system.conll:2: {expected}"


def test_the_first_place_is_named_whatever_the_order_of_the_vocabulary(file):
    assert message(file, "iob2", "O", "Z-A", "A-A").startswith("system.conll:2: tag 'Z-A'")


def test_repairs_are_those_that_schemes_offer():
    assert {repair for scheme in SCHEMES.values() for repair in scheme.repairs} == set(REPAIRS)
