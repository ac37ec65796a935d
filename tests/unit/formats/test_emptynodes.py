"""Empty nodes of several files on one line of words."""

from __future__ import annotations

from assay.formats import read
from assay.formats.emptynodes import find_node_words, find_real_words, insert_all_nodes
from assay.formats.entities import read_corefud_chains
from unit.samples import chained

FIELDS = "# global.Entity = eid-etype-head-other\n"


def corpus(file, name, *sentences):
    """Sentences of cells `ID:Entity`."""
    lines = [FIELDS]
    for sentence in sentences:
        for cell in sentence.split():
            identity, _, entity = cell.partition(":")
            misc = f"Entity={entity}" if entity else "_"
            lines.append(f"{identity}\tw{identity}" + "\t_" * 7 + f"\t{misc}\n")
        lines.append("\n")
    return read_corefud_chains(read(file(name, "".join(lines)), columns=["MISC"]))


def nodes_of(given):
    return find_node_words(given).tolist()


def test_files_without_nodes_stay_as_they_are(file):
    given = [corpus(file, "a.conllu", "1:(e1) 2"), corpus(file, "b.conllu", "1 2:(e1)")]
    assert insert_all_nodes(given)[0] is given[0]


def test_all_files_get_the_nodes_of_all(file):
    """The end of a sentence and the beginning of the next are two places; `1.1` and `1.10` are two nodes."""
    one = corpus(file, "a.conllu", "1:(e1--1 1.1 2:e1) 2.1:(e2)", "0.1:(e2) 1:(e1) 2")
    other = corpus(file, "b.conllu", "1 1.10:(e1) 2:(e3)", "0.1:(e1) 1 1.1:(e2) 2")
    a, b = insert_all_nodes([one, other])
    assert a.starts.tolist() == b.starts.tolist() == [0, 5, 9]
    assert a.forms.strings() == b.forms.strings() == ["w1", "∅", "∅", "w2", "∅", "∅", "w1", "∅", "w2"]
    # The first mention of a lies over the node 1.10 of b, which is no part of it.
    assert chained(a) == ["0 e1 0-2,3-4", "0 e2 4-5", "0 e2 5-6", "0 e1 6-7"]
    assert chained(b) == ["0 e1 2-3", "0 e3 3-4", "0 e1 5-6", "0 e2 7-8"]
    assert a.marks["mentions"].arguments["head"].tolist() == [0, 4, 5, 6]
    assert (nodes_of(a), nodes_of(b)) == ([1, 4, 5], [2, 5, 7])
    assert find_real_words(a).tolist() == [0, 2, 3, 6, 7, 8]


def test_words_stand_in_the_lines_of_their_own_files(file):
    one = corpus(file, "a.conllu", "1:(e1--1 1.1 2:e1) 2.1:(e2)", "0.1:(e2) 1:(e1) 2")
    other = corpus(file, "b.conllu", "1 1.10:(e1) 2:(e3)", "0.1:(e1) 1 1.1:(e2) 2")
    a, b = insert_all_nodes([one, other])
    words = (0, 3, 6, 8)
    assert [a.place(word) for word in words] == [f"a.conllu:{line}" for line in (2, 4, 8, 9)]
    assert [b.place(word) for word in words] == [f"b.conllu:{line}" for line in (2, 4, 7, 9)]
    assert [a.place(word) for word in nodes_of(a)] == [f"a.conllu:{line}" for line in (3, 5, 7)]
    assert [b.place(word) for word in nodes_of(b)] == [f"b.conllu:{line}" for line in (3, 6, 8)]


def test_nodes_of_one_place_are_in_the_order_of_their_numbers(file):
    one = corpus(file, "a.conllu", "1 1.2:(e2) 2")
    other = corpus(file, "b.conllu", "1 1.1:(e1) 1.3:(e3) 2")
    a, b = insert_all_nodes([one, other])
    assert chained(a) == ["0 e2 2-3"]
    assert chained(b) == ["0 e1 1-2", "0 e3 3-4"]
    assert (nodes_of(a), nodes_of(b)) == ([2], [1, 3])


def test_a_parent_that_no_sentence_has_is_not_shown(file):
    """Be it a number of thousands of digits, which Python would not read."""
    for number, parent in enumerate(("9" * 5000, "²", "7")):
        node = "\t".join(["0.1", *["_"] * 7, f"{parent}:nsubj", "Entity=(e1)"])
        word = "\t".join(["1", "w", *["_"] * 7, "Entity=(e1)"])
        given = read_corefud_chains(read(file(f"{number}.conllu", f"{FIELDS}{node}\n{word}\n\n"), columns=["MISC"]))
        assert len(nodes_of(given)) == 1
