"""What must hold of answers, whatever a model writes: section 8 of the rules."""

from __future__ import annotations

import json
import random
import re
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import assay
from assay.formats.grounding import (
    EXACT,
    LEVELS,
    REPEATED,
    UNGROUNDED,
    Ground,
    SearchText,
    edit_distance,
    fold_spelling,
)
from assay.formats.shapes import SHAPES, STATUSES, read_answer

LABELS = ("PER", "LOC", "ORG")
WORDS = (
    *("Ada", "von", "Rome", "rome", "Groß", "Straße", "Müller", "Mu\u0308ller", "5", "6%", "U.S.", "爱因斯坦"),
    *("o’Neil", "—"),
)
MANY = settings(max_examples=10 * settings().max_examples)


@st.composite
def texts_with_spans(draw, nested=False):
    """A text of words that are all different, and spans of them: label, first and last word."""
    words = draw(st.lists(st.sampled_from([f"w{a}{b}" for a in "abcdef" for b in "ghijk"]), min_size=1, unique=True))
    spans, place = [], 0
    while place < len(words):
        place += draw(st.integers(0, 2))
        end = place + draw(st.integers(1, 3))
        if end > len(words):
            break
        spans.append((draw(st.sampled_from(LABELS)), place, end))
        if nested and end - place > 1 and draw(st.booleans()):
            spans.append((draw(st.sampled_from(LABELS)), place + 1, end))
        place = end
    return words, spans


def surface(words, span):
    return " ".join(words[span[1] : span[2]])


def tagged(words, spans):
    pieces = list(words)
    for label, first, end in sorted(spans, key=lambda span: span[2] - span[1]):
        pieces[first] = f"<{label}>{pieces[first]}"
        pieces[end - 1] = f"{pieces[end - 1]}</{label}>"
    return " ".join(pieces)


def with_tags_of_words(words, spans):
    tags = ["O"] * len(words)
    for label, first, end in spans:
        tags[first:end] = [f"B-{label}", *[f"I-{label}"] * (end - first - 1)]
    return " ".join(f"{word}/{tag}" for word, tag in zip(words, tags, strict=True))


def each_span(form, between="\n"):
    """A function that writes each span in one form: `{0}` is its text, `{1}` its label."""
    return lambda words, spans: between.join(form.format(surface(words, one), one[0]) for one in spans)


def each_label(form, between="\n", inner=", "):
    """A function that writes the texts of each label in one form: `{0}` are these, `{1}` is the label."""

    def write(words, spans):
        labels = dict.fromkeys(one[0] for one in spans)
        texts = {label: [surface(words, one) for one in spans if one[0] == label] for label in labels}
        return between.join(form.format(inner.join(texts[label]), label) for label in labels)

    return write


def in_text(form):
    """A function that writes the text with each span in one form."""
    return lambda words, spans: " ".join(
        " ".join(form.format(surface(words, one), one[0]) for one in spans if one[1] == at) or word
        for at, word in enumerate(words)
        if not any(first < at < end for _, first, end in spans)
    )


def placed(form, between=", "):
    """A function that writes the offsets of each span in one form: `{0}` and `{1}`, and its label `{2}`."""

    def write(words, spans):
        starts = [len(" ".join(words[: one[1]])) + (one[1] > 0) for one in spans]
        ends = [start + len(surface(words, one)) for start, one in zip(starts, spans, strict=True)]
        listed = zip(starts, ends, (one[0] for one in spans), strict=True)
        return f"[{between.join(form.format(*row) for row in listed)}]"

    return write


def word_by_word(words, spans):
    """Pairs of word and tag; mentions that follow each other directly are left to tags with prefixes."""
    return json.dumps([piece.rsplit("/", 1) for piece in with_tags_of_words(words, spans).split()])


WRITTEN = {
    "tags": tagged,
    "tags with attributes": in_text('<entity type="{1}">{0}</entity>'),
    "tags as a list": lambda words, spans: each_span("<{1}>{0}</{1}>")(words, spans[::-1]),
    "tags with children": each_span("<entity><text>{0}</text><type>{1}</type></entity>"),
    "brackets": in_text("[{1}: {0}]"),
    "brackets, label first": in_text("[{1} {0}]"),
    "brackets with bars": in_text("[{0}|{1}]"),
    "brackets and braces": in_text("[{0}]{{{1}}}"),
    "json": lambda words, spans: json.dumps([{"text": surface(words, one), "label": one[0]} for one in spans]),
    "json by label": lambda words, spans: json.dumps([{one[0]: surface(words, one)} for one in spans]),
    "json in a string": lambda words, spans: json.dumps({"arguments": WRITTEN["json"](words, spans)}),
    "json, offsets alone": placed('{{"start": {0}, "end": {1}, "label": "{2}"}}'),
    "json, offsets in lists": placed('[{0}, {1}, "{2}"]'),
    "json, words": word_by_word,
    "json, tuples": each_span("('{0}', '{1}')", ", "),
    "table": lambda words, spans: "| Entity | Type |\n|---|---|\n" + each_span("| {0} | {1} |")(words, spans),
    "table, labels as heads": each_label("| {1} |\n|---|\n| {0} |", "\n\n", " |\n| "),
    "table of CSV": lambda words, spans: "text;label\n" + each_span("{0};{1}")(words, spans),
    "table, YAML": each_span("- text: {0}\n  label: {1}"),
    "words": with_tags_of_words,
    "words in lines": lambda words, spans: with_tags_of_words(words, spans).replace(" ", "\n").replace("/", "\t"),
    **{
        f"lines, {form}": each_span(form)
        for form in ("- {0} ({1})", "{0}: {1}", "- {0}: {1}", '"{0}": {1}', "{0}, {1}", "{0}\t{1}", "{0} -> {1}")
    },
    **{f"lines, {form}": each_span(form) for form in ("{0} - {1}", "[{1}] {0}", "1. **{0}** ({1}) - why (not)")},
    "lines, several": each_span("{0} ({1})", ", "),
    "lines, several with colons": each_span("{0}: {1}", "; "),
    "lines by label": each_label("**{1}**: {0}", inner="; "),
    "lines by label, JSON": each_label('{1}: ["{0}"]', inner='", "'),
    "lines by label in one": each_label("{1}: {0}", ". "),
    "lines by label with =": each_label("{1} = {0}", "; "),
    "lines under headings": each_label("### {1}\n1. {0}", inner="\n1. "),
    "lines under labels": each_label("{1}:\n- {0}", inner="\n- "),
}


@given(made=texts_with_spans())
def test_gold_written_out_and_read_back_is_gold(made):
    words, spans = made
    for shape, write in WRITTEN.items():
        check_gold(words, spans, write(words, spans), re.match(r"\w+", shape)[0])


@given(made=texts_with_spans(nested=True))
def test_nested_tags_read_back_are_gold(made):
    words, spans = made
    check_gold(words, {*spans}, tagged(words, list({*spans})), "tags")


def check_gold(words, spans, answer, shape):
    text = " ".join(words)
    for chosen in (shape, "auto"):
        reading = read_answer(answer, text, LABELS, shape=chosen)
        found = list(SearchText(text).ground(reading.mentions, reading.plain, Ground()))
        starts = [len(" ".join(words[:number])) + (number > 0) for number in range(len(words))]
        ends = [start + len(word) for start, word in zip(starts, words, strict=True)]
        expected = sorted((starts[first], ends[end - 1], label) for label, first, end in spans)
        assert sorted((*(one.place or ()), one.mention.label) for one in found) == expected, (chosen, answer)
        assert {one.level for one in found} <= {EXACT}
        assert not spans or reading.status == ("repaired" if answer.startswith("(") else "parsed"), answer
        # No mention has the label of another in it.
        assert not any(re.search(r"\((PER|LOC|ORG)\)", one.text) for one in reading.mentions)


ANSWERS = st.lists(
    st.tuples(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join), st.sampled_from(LABELS)),
    max_size=8,
)
TEXTS = st.lists(st.sampled_from((*WORDS, "the", ",", "Ada-\nm")), max_size=14).map(" ".join)


@MANY
@given(text=TEXTS, said=ANSWERS, every=st.booleans())
def test_further_levels_find_more_and_count_the_same(text, said, every):
    answer = json.dumps([list(pair) for pair in said])
    reading = read_answer(answer, text, LABELS)
    places, totals = [], []
    for level in range(3):
        found = list(SearchText(text).ground(reading.mentions, reading.plain, Ground(level, every=every)))
        places.append(sum(one.level not in (UNGROUNDED,) for one in found))
        totals.append(len(found))
        for one in found:
            assert (one.place is None) == (one.level in (UNGROUNDED, REPEATED))
            if one.place is not None:
                first, end = one.place
                assert 0 <= first < end <= len(text)
                assert one.level <= level
                if one.level == EXACT:
                    assert text[first:end] == one.mention.text
    assert places[0] <= places[1] <= places[2]
    assert every or totals == [len(reading.mentions)] * 3


def near_by_the_book(text, mention, ground):
    """All stretches of whole words, one by one."""

    def between(place):
        inside = 0 < place < len(text) and all(mark.isalnum() for mark in text[place - 1 : place + 1])
        return not inside or any("\u3400" <= mark <= "\u9fff" for mark in text[place - 1 : place + 1])

    ends = [place for place in range(len(text) + 1) if between(place)]
    found = []
    for first in ends:
        for last in ends:
            stretch = text[first:last]
            if stretch and stretch[0].isalnum() and stretch[-1].isalnum():
                digits = [[mark for mark in one if mark.isdigit()] for one in (stretch, mention)]
                far = edit_distance(mention, stretch)
                if far <= ground.edits(len(mention)) and digits[0] == digits[1]:
                    found.append((far, abs(len(stretch) - len(mention)), first, last))
    return sorted((first, last) for far, apart, first, last in found if (far, apart) == min(found)[:2])


@MANY
@given(text=TEXTS, mention=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join), data=st.data())
def test_fuzzy_places_are_those_of_the_definition(text, mention, data):
    place = data.draw(st.integers(0, len(mention) - 1))
    changed = mention[:place] + data.draw(st.sampled_from(("", "x", "xy"))) + mention[place + 1 :]
    tolerance = data.draw(st.sampled_from((0.2, 0.34, 0.5)))
    ground = Ground(tolerance=tolerance)
    # What may not differ at all is not looked for.
    assume(ground.edits(len(fold_spelling(changed))))
    near = near_by_the_book(fold_spelling(text), fold_spelling(changed), ground)
    assert sorted(SearchText(text)._near(fold_spelling(changed), ground)) == near


@given(text=TEXTS)
def test_folding_twice_is_folding_once(text):
    assert fold_spelling(fold_spelling(text)) == fold_spelling(text)


# --- scores ---


def files_of(folder, documents):
    rows = [{"id": f"d{number}", "text": text, "label": spans} for number, (text, spans) in enumerate(documents)]
    path = Path(folder) / "gold.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(path)


@st.composite
def scored_documents(draw):
    """Documents of gold with the answers to them, as lists of text and label."""
    documents, answers = [], []
    for _ in range(draw(st.integers(1, 4))):
        words, spans = draw(texts_with_spans())
        starts = [len(" ".join(words[:number])) + (number > 0) for number in range(len(words))]
        placed = [[starts[first], starts[end - 1] + len(words[end - 1]), label] for label, first, end in spans]
        documents.append((" ".join(words), placed))
        given = [[surface(words, one), draw(st.sampled_from(LABELS))] for one in spans if draw(st.booleans())]
        answers.append(given + draw(st.lists(st.sampled_from(([words[0], "PER"], [words[-1], "ORG"])), max_size=2)))
    documents.append(("Rome fell", [[0, 4, "LOC"]]))
    answers.append([["Rome", "LOC"]])
    return documents, answers


MEASURES = ["exact", "fair", "strings(count=bag, fold=none)"]


@given(made=scored_documents(), data=st.data())
def test_order_changes_nothing_and_an_invention_costs_precision_alone(made, data):
    documents, answers = made
    with tempfile.TemporaryDirectory() as folder:
        gold = files_of(folder, documents)
        said = {f"d{number}": json.dumps(one) for number, one in enumerate(answers)}
        plain = assay.score(gold, {"s": assay.answers(said)}, MEASURES, times=2)
        turned = dict(data.draw(st.permutations(list(said.items()))))
        again = assay.score(gold, {"s": assay.answers(turned)}, MEASURES, times=2)
        assert [row.value for row in plain.scores] == pytest.approx([row.value for row in again.scores], nan_ok=True)
        more = {**said, "d0": json.dumps([*answers[0], ["Atlantis", "LOC"]])}
        invented = assay.score(gold, {"s": assay.answers(more)}, MEASURES, times=2)
    for measure in ("exact", "fair"):
        before, after = (
            {name: result.score("s", measure, name).value for name in ("precision", "recall")}
            for result in (plain, invented)
        )
        assert after["precision"] < before["precision"]
        assert after["recall"] == before["recall"]
    if not plain.answers[0].repeated:
        assert plain.score("s", MEASURES[2]).value >= plain.score("s", "exact").value - 1e-12


# --- any string ---

PIECES = (
    *("[", "]", "{", "}", "(", ")", '"', "'", ":", ",", "\\", "/", "|", "\n", " ", "\t", "<", ">", "</", "```"),
    *("@@", "##", "PER", "LOC", "text", "label", "O", "B-PER", "I-", "->", "- ", "1. ", "**", "null", "None", "[]"),
    *("{}", "no entities", "Ada", "Lovelace", "London", "\u0000", "\ud800", "\u0301", "ß", "ﬁ", "\u200b", "\u00ad"),
    *("-\n", "5%", "爱", "🙂", "\\u", "9" * 30, "<PER>", "</PER>", "<think>", "</think>", "answer:"),
    *("| Text | Label |\n|---|---|\n", '{"text": "', '", "label": "', "('", "PER: ", "LOC = ", " (PER), ", "; "),
    *('<entity type="PER">', "</entity>", "### ", "start", "0, 12", "[PER ", "text: ", "\nlabel: ", "not any", "and"),
)
TEXT = "Ada Lovelace met Charles Babbage in London, 5% of the time."


def tried(number, seed):
    """Read and ground so many strings at random."""
    chance = random.Random(seed)
    statuses = dict.fromkeys(STATUSES, 0)
    for _ in range(number):
        answer = "".join(chance.choices(PIECES, k=chance.randrange(40)))
        reading = read_answer(answer, TEXT, LABELS, label=chance.choice(("", "PER")))
        statuses[reading.status] += 1
        for one in SearchText(TEXT).ground(reading.mentions, reading.plain, Ground()):
            assert one.level < len(LEVELS)
    return statuses


def test_any_string_has_a_status():
    statuses = tried(1_500, 1)
    assert all(statuses[name] for name in ("parsed", "repaired", "empty", "malformed"))


@pytest.mark.slow
def test_a_hundred_thousand_strings_have_a_status():
    assert sum(tried(100_000, 2).values()) == 100_000


@MANY
@given(answer=st.text(), shape=st.sampled_from(("auto", *SHAPES)))
def test_any_unicode_has_a_status(answer, shape):
    reading = read_answer(answer, TEXT, LABELS, shape=shape, label="PER")
    assert reading.status in STATUSES
    list(SearchText(TEXT).ground(reading.mentions, reading.plain, Ground()))


@pytest.mark.parametrize(
    "piece",
    [
        *("[", "{", "<PER>", "[{", "'", '"', "@@", "(", "```", "a/O ", '[["a"', "[a: ", "- ", "|", ", ", "[,'a"),
        *('{"a":', "[]", ": ", "PER: ", "PER=a; ", "a (PER), ", "('a', ", "<a><b>x</b>", "not any "),
        *("PER\n- a\n", "a\tPER\n"),
    ],
)
def test_reading_is_linear(piece):
    """Brackets without end, which stop those who go back for each of them."""
    started = time.process_time()
    read_answer(piece * (50_000 // len(piece)), TEXT, LABELS, label="PER")
    assert time.process_time() - started < 5


def test_fuzzy_search_is_fast():
    chance = random.Random(3)
    letters = "etaoinshrdlu"
    words = ["".join(chance.choices(letters, k=chance.randrange(2, 10))) for _ in range(1_600)]
    text = SearchText(" ".join(words)[:10_000])
    mentions = [" ".join(words[place : place + 3])[:-1] + "qz" for place in range(0, 1_000, 10)]
    started = time.process_time()
    found = [text._candidates(mention, fold_spelling(mention), Ground()) for mention in mentions]
    assert time.process_time() - started < 1
    assert sum(bool(places) for _, places in found) > 50
