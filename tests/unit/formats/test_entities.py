"""Mentions of entities in the MISC column of CoNLL-U."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from assay.corpus import Corpus
from assay.formats import read
from assay.formats.entities import read_entity_spans
from unit.samples import placed, refusal

FIELDS = "# global.Entity = eid-etype-head-other\n"


def sentence(*values: str, first: str = "") -> str:
    """A sentence whose words have these values of Entity; an empty one stands for none."""
    cells = [f"SpaceAfter=No|Entity={value}|X=(y" if value else "_" for value in values]
    return first + "".join(f"{i}\tw{i}\t_\t_\t_\t_\t_\t_\t_\t{cell}\n" for i, cell in enumerate(cells, 1)) + "\n"


@pytest.fixture
def corpus(file):
    """Sentences as a corpus, the fields declared above the first."""

    def of(*sentences: Sequence[str] | str, fields: str = FIELDS) -> Corpus:
        texts = [item if isinstance(item, str) else sentence(*item) for item in sentences]
        return read(file("a.conllu", fields + "".join(texts)), columns=["MISC"])

    return of


def test_mentions_nest_and_share_words(corpus):
    result = read_entity_spans(corpus(["(e1-organization(e2-person-1)", "", "e1)(e3-place-1-x)", "(e4-time", "e4)"]))
    assert placed(result) == [
        (0, "person", [(0, 1)]),
        (0, "organization", [(0, 3)]),
        (0, "place", [(2, 3)]),
        (0, "time", [(3, 5)]),
    ]
    assert [result.place_of_span(span) for span in range(4)] == [
        "a.conllu:2",
        "a.conllu:2",
        "a.conllu:4",
        "a.conllu:5",
    ]


def test_a_closing_bracket_closes_the_latest_mention_of_its_entity(corpus):
    result = read_entity_spans(corpus(["(e1-outer", "(e1-inner", "e1)", "e1)"]))
    assert placed(result) == [(0, "outer", [(0, 4)]), (0, "inner", [(1, 3)])]


def test_several_mentions_close_at_one_word(corpus):
    assert placed(read_entity_spans(corpus(["(1-a(2-b", "(3-c", "3)2)1)"]))) == [
        (0, "a", [(0, 3)]),
        (0, "b", [(0, 3)]),
        (0, "c", [(1, 3)]),
    ]


def test_parts_are_one_mention_with_gaps(corpus):
    values = ["(e5[1/2]-person", "e5[1/2])", "(e5-place)", "(e5[2/2]-person)", "(e5[1/2]-x)", "", "(e5[2/2]-x)"]
    assert placed(read_entity_spans(corpus(values))) == [
        (0, "person", [(0, 2), (3, 4)]),
        (0, "place", [(2, 3)]),
        (0, "x", [(4, 5), (6, 7)]),
    ]


def test_a_mention_may_reach_beyond_its_sentence(corpus):
    result = read_entity_spans(corpus(["", "(e1-event"], ["", "e1)"], ["(e2[1/2]-a)"], ["", "(e2[2/2]-a)"]))
    assert placed(result)[0] == (0, "event", [(1, 4)])
    assert placed(result)[-1] == (2, "a", [(0, 1), (2, 3)])


def test_ranges_and_comments_do_not_count_as_words(file):
    lines = [
        "1-2\tab\t_\t_\t_\t_\t_\t_\t_\tEntity=(no",
        "1\ta\t_\t_\t_\t_\t_\t_\t_\t_",
        "2\tb\t_\t_\t_\t_\t_\t_\t_\t_",
    ]
    lines += ["3-4\tcd\t_\t_\t_\t_\t_\t_\t_\t_", "3\tc\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1-x)", "4\td" + "\t_" * 8]
    result = read_entity_spans(read(file("a.conllu", FIELDS + "\n".join(lines) + "\n"), columns=["MISC"]))
    assert placed(result) == [(0, "x", [(2, 3)])]
    assert result.place_of_span(0) == result.place(2) == "a.conllu:6"


def test_the_label_is_the_field_asked_for(corpus):
    given = corpus(["(e1-person-2-a-b)"])
    assert placed(read_entity_spans(given, field="head")) == [(0, "2", [(0, 1)])]
    assert placed(read_entity_spans(given, field="other")) == [(0, "a-b", [(0, 1)])]


def test_the_fields_of_older_files_are_read_as_they_are_declared(corpus):
    fields = "# global.Entity = GRP-etype-infstat-centering-minspan-link-identity\n"
    given = corpus(["(1-person-giv:new-cf1*-1-coref", "1)"], fields=fields)
    assert placed(read_entity_spans(given)) == [(0, "person", [(0, 2)])]
    assert placed(read_entity_spans(given, field="infstat")) == [(0, "giv:new", [(0, 2)])]


def test_the_entity_need_not_come_first(corpus):
    given = corpus(["(person-1(place-2", "place-2)", "person-1)"], fields="# global.Entity = etype-GRP\n")
    assert placed(read_entity_spans(given)) == [(0, "place", [(0, 2)]), (0, "person", [(0, 3)])]


def test_escaped_characters_of_labels_are_decoded(corpus):
    assert placed(read_entity_spans(corpus(["(e1-a%28b%29%2Dc)"]))) == [(0, "a(b)-c", [(0, 1)])]


def test_a_mention_whose_field_is_empty_or_missing_is_counted(corpus):
    result = read_entity_spans(corpus(["(e1--2)", "(e2)", "(e3-x)"]))
    assert [label for _, label, _ in placed(result)] == ["_", "_", "x"]
    assert result.notes == ("Mentions without etype, labelled _: 2.",)


def test_a_file_without_mentions_has_no_spans(corpus):
    result = read_entity_spans(corpus(["", ""]))
    assert placed(result) == []
    assert result.notes == ()


REFUSED: list[tuple[list[Any], str]] = [
    (
        [["(e1-a", "(e2-b", "e1)"]],
        "3: the mention e2 is opened here and not closed in its document. Is a bracket missing?",
    ),
    ([["", "e7)"]], "3: the mention e7 is closed here but was not opened in its document. Is a bracket missing?"),
    (
        [["(e1-a)", "e1)"]],
        "3: the mention e1 is closed here but was not opened in its document. Is a bracket missing?",
    ),
    (
        [["(e1-a"], sentence("e1)", first="# newdoc id = b\n")],
        "2: the mention e1 is opened here and not closed in its document. Is a bracket missing?",
    ),
    (
        [["(e1[1/2]-a)", ""]],
        "2: the mention e1[1/2] begins here, but its part 2 of 2 does not follow. Is a bracket missing?",
    ),
    ([["", "(e1[2/2]-a)"]], "3: e1[2/2] begins without the part before it. Is a bracket missing?"),
    (
        [["(e1[1/2]-a", "(e1[2/2]-a", "e1[1/2])e1[2/2])"]],
        "3: e1[2/2] begins before the part before it has ended. Is a bracket missing?",
    ),
    ([["", "e1"]], "3: 'e1' is not of the form (e1-person(e2-place)e3). Correct the brackets."),
    ([["()"]], "2: '()' is not of the form (e1-person(e2-place)e3). Correct the brackets."),
    ([["(-a)"]], "2: '(-a)' is not of the form (e1-person(e2-place)e3). Correct the brackets."),
    ([["(e1[3/2]-a)"]], "2: '(e1[3/2]-a)' is not of the form (e1-person(e2-place)e3). Correct the brackets."),
]


@pytest.mark.parametrize(("sentences", "message"), REFUSED)
def test_brackets_that_do_not_match_are_refused_with_the_place_of_the_word(corpus, sentences, message):
    assert refusal(read_entity_spans, corpus(*sentences)) == f"a.conllu:{message}"


def test_fields_that_are_not_declared_are_refused(corpus):
    assert refusal(read_entity_spans, corpus(["(e1-x)"], fields="")) == (
        "a.conllu: no comment # global.Entity, so the fields of Entity are not known. "
        "Put it above the first sentence, e.g.: # global.Entity = eid-etype"
    )
    assert refusal(read_entity_spans, corpus(["(e1-x)"], "# global.Entity = etype-eid\n" + sentence("(e1-x)"))) == (
        "a.conllu: the fields of Entity are declared in 2 ways: eid-etype-head-other; etype-eid. "
        "Score these files apart."
    )


def test_an_unknown_field_is_refused_with_those_there_are(corpus):
    assert refusal(read_entity_spans, corpus(["(e1-x)"]), field="type") == (
        "a.conllu: there is no field 'type' in Entity. Available: eid, etype, head, other."
    )


def test_mentions_on_empty_nodes_need_these_as_words(file):
    text = FIELDS + "1\ta" + "\t_" * 8 + "\n1.1\t_" + "\t_" * 7 + "\tEntity=(e1-x)\n2\tb" + "\t_" * 8 + "\n"
    assert refusal(read_entity_spans, read(file("a.conllu", text), columns=["MISC"])) == (
        "a.conllu:2: in this sentence a mention is on the empty node 1.1. "
        'Read it as a word: --input-format "conllu(empty_nodes=true)"'
    )
    corpus = read("a.conllu", columns=["MISC"], input_format="conllu(empty_nodes=true)")
    assert placed(read_entity_spans(corpus)) == [(0, "x", [(1, 2)])]


def test_the_mentions_of_a_real_corpus_are_as_many_as_its_opening_brackets(shared_data):
    folder = shared_data("gum-const-dep") / "dep"
    result = read_entity_spans(read(str(folder), columns=["MISC"]))
    column = result.column("MISC")
    values = {cell: cell.partition("Entity=")[2].partition("|")[0].count("(") for cell in column.vocabulary}
    assert len(placed(result)) == sum(values[cell] for cell in column.strings()) > 1000
