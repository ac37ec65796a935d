"""Chains in the MISC column of CoNLL-U."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay.corpus import Corpus
from assay.formats import read
from assay.formats.emptynodes import find_node_words, list_empty_nodes
from assay.formats.entities import read_corefud_chains, read_entity_spans
from unit.samples import chained, refusal

FORMATS = Path(__file__).parents[2] / "data" / "coreference" / "formats"
FIELDS = "# global.Entity = eid-etype-head-other\n"


def sentence(*values: str, first: str = "") -> str:
    """A sentence whose words have these values of Entity; `*` before one puts it on an empty node."""
    rows, number, empty = [], 0, 0
    for value in values:
        number, empty = (number, empty + 1) if value.startswith("*") else (number + 1, 0)
        name = f"{number}.{empty}" if empty else str(number)
        misc = f"Entity={value.removeprefix('*')}" if value.removeprefix("*") else "_"
        rows.append(f"{name}\tw{name}" + "\t_" * 7 + f"\t{misc}\n")
    return first + "".join(rows) + "\n"


def newdoc(name: str) -> str:
    return f"# newdoc id = {name}\n"


@pytest.fixture
def conllu(file) -> Callable[..., Corpus]:
    """Sentences as a corpus, the fields declared above the first."""

    def of(*sentences: str, fields: str = FIELDS) -> Corpus:
        return read(file("a.conllu", fields + "".join(sentences)), columns=["MISC"])

    return of


# --- chains ---


def test_entities_are_chains_and_words_count_from_the_beginning_of_the_document(conllu):
    given = conllu(
        sentence("", "(e1-person-1", "e1)(e2)", first=newdoc("a")),
        sentence("(e1)"),
        sentence("(e3-place-1", "(e4)e3)", first=newdoc("b")),
    )
    result = read_corefud_chains(given)
    assert chained(result) == ["0 e1 1-3", "0 e2 2-3", "0 e1 3-4", "1 e3 0-2", "1 e4 1-2"]
    assert result.document_ids == ("(a); part 000", "(b); part 000")
    assert result.by_id
    assert result.marks["mentions"].lines.tolist() == [4, 5, 7, 10, 11]
    assert result.notes == ()


def test_documents_without_ids_correspond_by_their_order(conllu):
    result = read_corefud_chains(conllu(sentence("(e1)")))
    assert not result.by_id
    assert result.document_ids == ("a",)


def test_chains_are_cut_at_the_end_of_their_document(conllu):
    texts = [sentence("(e1)", "(e2)", first=newdoc("a")), sentence("(e1)", first=newdoc("b"))]
    result = read_corefud_chains(conllu(*texts))
    assert result.marks["mentions"].columns["chain"].vocabulary == ("e1", "e2", "e1")
    assert result.marks["mentions"].group.tolist() == [0, 1, 2]
    assert result.notes == ("Entities in several documents, each cut into a chain per document: 1.",)


def test_where_entities_are_counted_anew_in_each_document_nothing_is_cut(conllu):
    texts = [sentence("(1)", "(2)", first=newdoc("a")), sentence("(1)", first=newdoc("b"))]
    result = read_corefud_chains(conllu(*texts, fields="# global.Entity = GRP-etype-infstat\n"))
    assert chained(result) == ["0 1 0-1", "0 2 1-2", "1 1 0-1"]
    assert result.notes == ()


def test_plain_numbers_are_read_as_they_are_declared(conllu):
    result = read_corefud_chains(conllu(sentence("(12(3)", "12)", "(3)"), fields="# global.Entity = GRP\n"))
    assert chained(result) == ["0 3 0-1", "0 12 0-2", "0 3 2-3"]
    assert (result.marks["mentions"].arguments["head"].tolist(), result.notes) == ([0, -1, 2], ())


def test_the_head_is_a_word_of_the_document(conllu):
    result = read_corefud_chains(
        conllu(
            sentence("", "(e1-x-2", "e1)"), sentence("(e2--1)", "(e3[1/2]--3", "e3[1/2])", "", "(e3[2/2])", "(e4)")
        )
    )
    assert chained(result) == ["0 e1 1-3", "0 e2 3-4", "0 e3 4-6,7-8", "0 e4 8-9"]
    assert result.marks["mentions"].arguments["head"].tolist() == [2, 3, 7, 8]
    assert result.notes == ()


@pytest.mark.parametrize("head", ["", "0", "3", "x", ",2"])
def test_a_head_that_is_no_word_of_its_mention_is_unknown_and_counted(conllu, head):
    result = read_corefud_chains(conllu(sentence(f"(e1-x-{head}", "e1)")))
    assert result.marks["mentions"].arguments["head"].tolist() == [-1]
    assert result.notes == ("Mentions without a head, headed by their first word: 1.",)


def test_of_several_heads_the_first_counts(conllu):
    result = read_corefud_chains(conllu(sentence("(e1-x-2,1", "e1)")))
    assert (result.marks["mentions"].arguments["head"].tolist(), result.notes) == ([1], ())


def test_parts_are_one_mention_unless_they_touch(conllu):
    values = ["(e5[1/2]", "e5[1/2])", "", "(e5[2/2])", "(e6[1/2])", "(e6[2/2])"]
    assert chained(read_corefud_chains(conllu(sentence(*values)))) == ["0 e5 0-2,3-4", "0 e6 4-6"]


def test_chains_are_numbered_in_the_order_in_which_they_appear_with_one_word_mentions_first(conllu):
    result = read_corefud_chains(conllu(sentence("(e9(e5)", "e9)", "(e9)(e5)")))
    assert chained(result) == ["0 e5 0-1", "0 e9 0-2", "0 e5 2-3", "0 e9 2-3"]
    assert result.marks["mentions"].columns["chain"].vocabulary == ("e5", "e9")


def test_a_mention_may_cross_the_end_of_a_sentence(conllu):
    result = read_corefud_chains(conllu(sentence("", "(e1--1"), sentence("e1)")))
    assert chained(result) == ["0 e1 1-3"]
    assert result.notes == (
        "Mentions that cross the end of a sentence, taken as they are: 1 (the first: a.conllu:3).",
    )


def test_ranges_are_no_words(file):
    row = "\t_" * 8 + "\n"
    text = FIELDS + f"1-2\tab{row}1\ta{row}2\tb" + "\t_" * 7 + "\tEntity=(e1)\n"
    result = read_corefud_chains(read(file("a.conllu", text)))
    assert chained(result) == ["0 e1 1-2"]
    assert result.marks["mentions"].lines.tolist() == [4]


def test_other_annotations_are_counted(conllu):
    text = sentence("(e1)", "(e2)").replace("Entity=(e2)", "Bridge=e1<e2|Entity=(e2)|SplitAnte=e1<e3")
    result = read_corefud_chains(conllu(text))
    assert chained(result) == ["0 e1 0-1", "0 e2 1-2"]
    assert result.notes == (
        "Words with Bridge, which was not read: 1.",
        "Words with SplitAnte, which was not read: 1.",
    )


def test_a_file_without_mentions_has_no_chains(conllu):
    result = read_corefud_chains(conllu(sentence("", "")))
    assert chained(result) == []


# --- zeros ---


def test_mentions_on_empty_nodes_can_be_refused_with_their_lines(conllu):
    given = conllu(sentence("*(e1)", "", "*", "*(e2", "e2)", "*(e3)"), sentence("*(e4)", "*", "(e5)"))
    remedy = "Score such mentions (--zeros score), or leave them out: --zeros drop"
    assert refusal(read_corefud_chains, given, zeros="error").split("\n") == [
        f"a.conllu:2: a mention is on the empty node 0.1. {remedy}",
        f"a.conllu:5: a mention is on the empty node 1.2. {remedy}",
        f"a.conllu:7: a mention is on the empty node 2.1. {remedy}",
        f"a.conllu:9: a mention is on the empty node 0.1. {remedy}",
    ]


def test_empty_nodes_of_mentions_are_words_in_their_lines(conllu):
    given = conllu(sentence("*(e1)", "", "*", "*(e2--1", "e2)", "*(e3)"), sentence("*(e4)", "*", "(e5)"))
    result = read_corefud_chains(given)
    assert chained(result) == ["0 e1 0-1", "0 e2 2-4", "0 e3 4-5", "0 e4 5-6", "0 e5 6-7"]
    assert result.marks["mentions"].arguments["head"].tolist() == [0, 2, 4, 5, 6]
    assert result.marks["mentions"].lines.tolist() == [2, 5, 7, 9, 11]
    assert result.forms.strings() == ["∅", "w1", "∅", "w2", "∅", "∅", "w1"]
    assert result.starts.tolist() == [0, 5, 7]
    columns = (find_node_words(result), *list_empty_nodes(result).arguments.values())
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == [
        (0, 1, 1),
        (2, 0, 2),
        (4, 0, 1),
        (5, 1, 1),
    ]


def test_a_sentence_of_empty_nodes_alone_is_valid(file):
    """Its node 0.1 is another than the 0.1 of the next sentence; so it is behind the last sentence."""
    alone = "0.1" + "\t_" * 8 + "\tEntity=(e1)\n\n"
    text = FIELDS + alone + sentence("*(e2)", "(e1)") + alone
    result = read_corefud_chains(read(file("a.conllu", text), columns=["MISC"]))
    assert chained(result) == ["0 e1 0-1", "0 e2 1-2", "0 e1 2-3", "0 e1 3-4"]
    start, number = list_empty_nodes(result).arguments.values()
    assert (start.tolist(), number.tolist()) == ([1, 2, 1], [1, 1, 1])


def test_nodes_out_of_their_order_are_refused(file):
    for first, second in (("1.2", "1.1"), ("1.1", "1.1"), ("0.1", "1.1")):
        rows = [f"{name}" + "\t_" * 8 + "\tEntity=(e1)\n" for name in ("1", first, second)]
        given = read(file("a.conllu", FIELDS + "".join(rows) + "\n"), columns=["MISC"])
        fact = f"the empty node {second} comes after {first}. Number nodes in their order."
        assert refusal(read_corefud_chains, given) == f"a.conllu:4: {fact}"
    rows = [f"{name}" + "\t_" * 8 + "\tEntity=(e1)\n" for name in ("1", "1.123456789012345678901")]
    given = read(file("a.conllu", FIELDS + "".join(rows) + "\n"), columns=["MISC"])
    fact = "1.123456789012345678901 is not the number of a node. Renumber the nodes."
    assert refusal(read_corefud_chains, given) == f"a.conllu:3: {fact}"


def test_a_node_is_shown_with_its_parent_and_relation(file):
    rows = ["1\tThen{}\t_\t_", "1.1\t_{}\t2:nsubj:pass|3:obj\tEntity=(e1)", "2\tposted{}\t_\t_"]
    rows += ["2.1\t_{}\t1.1:case\tEntity=(e1)", "2.2\t_{}\t_\tEntity=(e1)"]
    text = FIELDS + "".join(row.format("\t_" * 6) + "\n" for row in rows) + "\n"
    result = read_corefud_chains(read(file("a.conllu", text), columns=["MISC"]))
    assert result.forms.strings() == ["Then", "∅ (nsubj:pass of posted)", "posted", "∅ (case)", "∅"]


def test_mentions_of_empty_nodes_alone_can_be_left_out(conllu):
    given = conllu(sentence("*(e1)", "(e2)", "*(e2--1(e1--2", "*e1)", "e2)", "*(e3)"), sentence("(e1)"))
    result = read_corefud_chains(given, zeros="drop")
    assert chained(result) == ["0 e2 0-1", "0 e2 1-2", "0 e1 2-3"]
    assert result.marks["mentions"].columns["chain"].vocabulary == ("e2", "e1")
    assert result.marks["mentions"].arguments["head"].tolist() == [0, 1, 2]
    assert result.notes == (
        "Mentions of empty nodes alone that were left out: 3.",
        "Mentions that begin or end on an empty node, taken without it: 1.",
        "Mentions whose head was an empty node, headed by the first word that depends on none of the others: 1.",
    )


def test_a_head_lost_with_its_node_is_the_highest_word_left(file):
    cells = "1\tthe{}\t2\tdet\t_\tEntity=(e1--3", "2\tdog{}\t3\tnsubj\t_\t_", "2.1\t_{}\t_\t_\t_\tEntity=e1)"
    rows = [row.format("\t_" * 4) + "\n" for row in (*cells, "3\tran{}\t0\troot\t_\t_")]
    given = read(file("a.conllu", FIELDS + "".join(rows)), columns=["MISC", "HEAD"])
    result = read_corefud_chains(given, zeros="drop")
    assert (chained(result), result.marks["mentions"].arguments["head"].tolist()) == (["0 e1 0-2"], [1])


def test_heads_are_counted_over_empty_nodes_too(conllu):
    given = conllu(sentence("(e1--3", "*", "e1)", "*", "(e2--2", "*", "e2)"))
    for zeros, spans, heads in (
        ("score", ["0 e1 0-3", "0 e2 3-6"], [2, 4]),
        ("drop", ["0 e1 0-2", "0 e2 2-4"], [1, 2]),
    ):
        result = read_corefud_chains(given, zeros=zeros)
        assert (chained(result), result.marks["mentions"].arguments["head"].tolist()) == (spans, heads)


def test_empty_nodes_outside_of_mentions_are_no_words(conllu):
    result = read_corefud_chains(conllu(sentence("*", "(e1", "*", "e1)", "*")))
    assert chained(result) == ["0 e1 0-3"]
    assert len(result) == 3


def test_parts_with_different_heads_are_refused_with_both_lines(conllu):
    given = conllu(sentence("(e5[1/2]-x-1)", "", "(e5[2/2]-x-2)"))
    assert refusal(read_corefud_chains, given) == (
        "a.conllu:4: the head of e5 is 2 in this part, 1 in that of a.conllu:2. Give all parts the same."
    )


def test_types_of_entities_are_kept(conllu):
    result = read_corefud_chains(conllu(sentence("(e2-place)", "(e1-person-2", "e1)", "(e3)")))
    assert result.marks["mentions"].labels.strings() == ["place", "person", ""]


def test_empty_nodes_read_as_words_are_words(file):
    text = FIELDS + sentence("", "*(e1)", "(e1)")
    given = read(file("a.conllu", text), columns=["MISC"], input_format="conllu(empty_nodes=true)")
    assert chained(read_corefud_chains(given)) == ["0 e1 1-2", "0 e1 2-3"]


def test_unknown_values_of_zeros_are_refused(conllu):
    assert refusal(read_corefud_chains, conllu(sentence("")), zeros="dropped") == (
        "there is no zeros = 'dropped'. Did you mean drop?"
    )


# --- refusals ---


def test_all_problems_are_named_in_the_order_of_their_lines(conllu):
    given = conllu(
        sentence("(e1", "e7)", "(e2", "(e3[1/2])", "x", first=newdoc("a")),
        sentence("e1)", "(e4[2/2])", first=newdoc("b")),
    )
    missing = "Is a bracket missing?"
    assert refusal(read_corefud_chains, given).split("\n") == [
        f"a.conllu:3: the mention e1 is opened here and not closed in its document. {missing}",
        f"a.conllu:4: the mention e7 is closed here but was not opened in its document. {missing}",
        f"a.conllu:5: the mention e2 is opened here and not closed in its document. {missing}",
        f"a.conllu:6: the mention e3[1/2] begins here, but its part 2 of 2 does not follow. {missing}",
        "a.conllu:7: 'x' is not of the form (e1-person(e2-place)e3). Correct the brackets.",
        f"a.conllu:10: the mention e1 is closed here but was not opened in its document. {missing}",
        f"a.conllu:11: e4[2/2] begins without the part before it. {missing}",
    ]


def test_of_many_problems_twenty_are_named_and_the_others_counted(conllu):
    lines = refusal(read_corefud_chains, conllu(sentence(*["e1)"] * 30))).split("\n")
    assert len(lines) == 21
    assert lines[20] == "… and 10 more places"


def test_mentions_without_a_bracket_are_dropped_on_request(conllu):
    given = conllu(sentence("(e1", "(e2)", "e3)", "(e4[1/2])", first=newdoc("a")))
    dropped = read_corefud_chains(given, repair="drop")
    assert dropped.marks["mentions"].columns["chain"].vocabulary == ("e2",)
    assert dropped.repairs == (("brackets without their other half", "dropped", 3, "a.conllu:3"),)


def test_an_id_that_occurs_twice_is_refused(conllu):
    given = conllu(sentence("(e1)", first=newdoc("a")), sentence("(e1)", first=newdoc("(a); part 0")))
    assert refusal(read_corefud_chains, given) == (
        "a.conllu:6: the id '(a); part 000' is already used in a.conllu:3. Give each its own id."
    )


def test_fields_that_are_not_declared_are_refused(conllu):
    assert refusal(read_corefud_chains, conllu(sentence("(e1)"), fields="")) == (
        "a.conllu: no comment # global.Entity, so the fields of Entity are not known. "
        "Put it above the first sentence, e.g.: # global.Entity = eid-etype"
    )


# --- other formats, and real data ---


def test_the_chains_are_those_of_the_same_texts_in_other_formats():
    one, other = read_corefud_chains(read(str(FORMATS / "corefud.conllu"))), read(str(FORMATS / "with-bar.conll"))
    for field in ("unit", "begin", "end", "group"):
        assert np.array_equal(getattr(one.marks["mentions"], field), getattr(other.marks["mentions"], field))
    assert one.forms.strings() == other.forms.strings()
    assert one.document_ids == other.document_ids
    assert one.columns["XPOS"].strings() == other.columns["XPOS"].strings()


def test_the_mentions_of_a_real_corpus_are_those_read_as_spans(shared_data):
    given = read(str(shared_data("gum-const-dep") / "dep"), columns=["MISC"])
    chains, spans = read_corefud_chains(given, zeros="drop").marks["mentions"], read_entity_spans(given).spans
    assert given.document_starts is not None
    firsts = given.starts[given.document_starts[:-1]][chains.unit]
    places = sorted(zip((firsts + chains.begin).tolist(), (firsts + chains.end).tolist(), strict=True))
    words = given.starts[spans.unit]
    assert places == sorted(zip((words + spans.begin).tolist(), (words + spans.end).tolist(), strict=True))
    assert len(places) > 10_000
    chain = chains.columns["chain"]
    assert len(chain.vocabulary) == len(set(zip(chains.unit.tolist(), chain.codes.tolist(), strict=True)))
