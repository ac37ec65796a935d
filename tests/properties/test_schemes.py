"""For every scheme: what is written as tags is read back as it was, and broken tags are read as defined."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.corpus import from_lists
from assay.formats import schemes
from assay.formats.schemes import SCHEMES, detect_scheme, spans_from_tags

Span = tuple[int, int, str]
"""First word, the one behind the last, label."""
PLAIN = [name for name in SCHEMES if name != "stacked"]
LABELS = st.sampled_from(["A", "B", "A-B"])


def read_back(sentences: list[list[str]], scheme: str, repair: str | None = None) -> list[list[Span]]:
    corpus, reading = spans_from_tags(from_lists(sentences), ["label"], scheme, repair)
    assert reading.scheme == scheme
    assert (reading.invalid == 0) == (reading.repaired == 0)
    spans = corpus.spans
    found: list[list[Span]] = [[] for _ in sentences]
    columns = (spans.unit.tolist(), spans.begin.tolist(), spans.end.tolist(), spans.labels.strings())
    for sentence, begin, end, label in zip(*columns, strict=True):
        found[sentence].append((begin, end, label))
    return found


# --- spans that do not overlap ---


@st.composite
def flat(draw: st.DrawFn, apart: bool) -> tuple[int, list[Span]]:
    """The length of a sentence and spans in it; `apart`, no two of one label touch."""
    spans: list[Span] = []
    position = 0
    for gap, length in draw(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 3)), max_size=5)):
        label = draw(LABELS)
        touches = spans and gap == 0 and spans[-1][2] == label
        begin = position + gap + (1 if apart and touches else 0)
        spans.append((begin, begin + length, label))
        position = begin + length
    return max(1, position + draw(st.integers(0, 1))), spans


def written(length: int, spans: list[Span], scheme: str) -> list[str]:
    """Spans as tags, word by word."""
    tags = ["O"] * length
    inner = {"bmes": "M", "bmeow": "M"}.get(scheme, "I")
    last = {"bilou": "L"}.get(scheme, "E")
    single = {"bilou": "U", "bmeow": "W"}.get(scheme, "S")
    for begin, end, label in spans:
        follows = any(b == begin and name == label for _, b, name in spans)
        followed = any(a == end and name == label for a, _, name in spans)
        letters = [inner] * (end - begin)
        if scheme == "iob2" or scheme == "stacked" or (scheme == "iob1" and follows):
            letters[0] = "B"
        elif scheme == "ioe2" or (scheme == "ioe1" and followed):
            letters[-1] = "E"
        elif scheme not in {"iob1", "ioe1", "io"}:
            letters[0], letters[-1] = "B", last
            if len(letters) == 1:
                letters = [single]
        tags[begin:end] = [f"{letter}-{label}" for letter in letters]
    return tags


@pytest.mark.parametrize("scheme", SCHEMES)
@given(data=st.data())
def test_spans_written_as_tags_are_read_back(scheme, data):
    sentences = data.draw(st.lists(flat(apart=scheme == "io"), min_size=1, max_size=4))
    tags = [written(length, spans, scheme) for length, spans in sentences]
    assert read_back(tags, scheme) == [spans for _, spans in sentences]


@pytest.mark.parametrize("scheme", SCHEMES)
@given(data=st.data())
def test_spans_are_written_as_the_scheme_defines(scheme, data):
    sentences = data.draw(st.lists(flat(apart=scheme == "io"), min_size=1, max_size=4))
    corpus, _ = spans_from_tags(
        from_lists([written(length, spans, "iob2") for length, spans in sentences]), ["label"], "iob2"
    )
    expected = [tag for length, spans in sentences for tag in written(length, spans, scheme)]
    assert schemes.tags_of(corpus, scheme).strings() == expected


@pytest.mark.parametrize("scheme", PLAIN)
@given(data=st.data())
def test_the_scheme_that_is_told_reads_the_same_spans(scheme, data):
    sentences = data.draw(st.lists(flat(apart=scheme == "io"), min_size=1, max_size=4))
    tags = [written(length, spans, scheme) for length, spans in sentences]
    told = detect_scheme(from_lists(tags), "label")
    assert told is not None
    assert read_back(tags, told) == [spans for _, spans in sentences]


# --- spans within spans ---


@st.composite
def nested(draw: st.DrawFn, begin: int = 0, end: int = 6, depth: int = 3) -> list[tuple[int, Span]]:
    """Spans of a stretch of words with the level of each; none crosses another."""
    found: list[tuple[int, Span]] = []
    position = begin
    while position < end and draw(st.booleans()):
        first = draw(st.integers(position, end - 1))
        last = draw(st.integers(first + 1, end))
        inner = draw(nested(first, last, depth - 1)) if depth > 1 else []
        found += [(0, (first, last, draw(LABELS))), *((level + 1, span) for level, span in inner)]
        position = last
    return found


@given(nested())
def test_nested_spans_written_as_stacked_tags_are_read_back(spans):
    levels: list[list[str]] = [[] for _ in range(6)]
    for level, (begin, end, label) in sorted(spans):
        for word in range(begin, end):
            assert len(levels[word]) == level
            levels[word].append(f"{'B' if word == begin else 'I'}-{label}")
    tags = ["|".join(parts) or "O" for parts in levels]
    assert read_back([tags], "stacked") == [sorted(span for _, span in spans)]
    again = schemes.tags_of(spans_from_tags(from_lists([tags]), ["label"], "stacked")[0], "stacked").strings()
    assert read_back([again], "stacked") == [sorted(span for _, span in spans)]


# --- broken sequences ---


def tags_of(scheme: str) -> st.SearchStrategy[list[list[str]]]:
    tags = ["O", *(f"{letter}-{label}" for letter in SCHEMES[scheme].letters for label in "AB")]
    sentence = st.lists(st.sampled_from(tags), min_size=1, max_size=8)
    return st.lists(sentence, min_size=1, max_size=4)


def as_conlleval(tags: list[str]) -> list[Span]:
    """conlleval's reading, token by token, as its rules are worded."""
    spans: list[Span] = []
    begin = None
    before, label_before = "O", ""
    for position, tag in enumerate([*tags, "O"]):
        prefix, _, label = tag.partition("-")
        ended = before in "ELSUW"
        starts = prefix != "O" and (prefix in "BSUW" or before == "O" or ended or label != label_before)
        if begin is not None and (prefix == "O" or starts or ended):
            spans.append((begin, position, label_before))
            begin = None
        if starts:
            begin = position
        before, label_before = prefix, label
    return spans


@pytest.mark.parametrize("scheme", PLAIN)
@given(data=st.data())
def test_the_lenient_reading_is_conllevals(scheme, data):
    sentences = data.draw(tags_of(scheme))
    assert read_back(sentences, scheme, "conlleval") == [as_conlleval(tags) for tags in sentences]


@pytest.mark.parametrize("scheme", PLAIN)
@given(data=st.data())
def test_a_sequence_is_valid_where_its_lenient_reading_is_written_the_same(scheme, data):
    sentences = data.draw(tags_of(scheme))
    again = [written(len(tags), as_conlleval(tags), scheme) for tags in sentences]
    _, reading = spans_from_tags(from_lists(sentences), ["label"], scheme, "conlleval")
    assert (reading.invalid == 0) == (again == sentences)
    changed = sum(old != new for a, b in zip(sentences, again, strict=True) for old, new in zip(a, b, strict=True))
    assert reading.repaired == changed


@given(tags_of("iob2"))
def test_discarding_in_iob2_goes_from_left_to_right(sentences):
    repaired = []
    for tags in sentences:
        kept: list[str] = []
        for tag in tags:
            before = kept[-1] if kept else "O"
            broken = tag[0] == "I" and before not in (f"B{tag[1:]}", tag)
            kept.append("O" if broken else tag)
        repaired.append(kept)
    assert read_back(sentences, "iob2", "discard") == read_back(repaired, "iob2")


@pytest.mark.parametrize("scheme", [name for name in PLAIN if "discard" in SCHEMES[name].repairs])
@given(data=st.data())
def test_discarding_keeps_the_spans_of_the_lenient_reading_that_are_written_as_they_should_be(scheme, data):
    sentences = data.draw(tags_of(scheme))

    def well_written(tags: list[str], span: Span) -> bool:
        begin, end, _ = span
        return written(len(tags), [span], scheme)[begin:end] == tags[begin:end]

    expected = [[span for span in as_conlleval(tags) if well_written(tags, span)] for tags in sentences]
    assert read_back(sentences, scheme, "discard") == expected
