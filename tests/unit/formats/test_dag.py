"""DAG files of Concraft and PolEval 2020."""

from __future__ import annotations

import gzip
import io
from types import SimpleNamespace

import pytest

import assay
from assay.formats import read, source
from assay.formats.readings import looks_dag
from unit.samples import conllu, refusal, row, tagged


def edge(
    start: int,
    end: int,
    form: str,
    tag: str,
    p: str = "0.000",
    eos: str = "",
    mark: str | None = "",
    lemma: str = "l",
) -> str:
    """A line; `mark=None` leaves out the eleventh column."""
    cells = [str(start), str(end), form, lemma, tag, "", "", p, "", eos]
    return "\t".join(cells if mark is None else [*cells, mark]) + "\n"


OUTPUT = (
    edge(0, 1, "W", "prep:acc", "0.2000")
    + edge(0, 1, "W", "prep:loc", "0.8000", mark="disamb", lemma="w")
    + edge(1, 2, "celu", "subst:sg:gen:m3", "0.0000")
    + edge(1, 2, "celu", "subst:sg:loc:m3", "1.0000", mark="disamb", lemma="cel:s")
    + edge(2, 4, "naprzemian", "ign")
    + edge(2, 3, "na", "prep:acc", "0.9000", mark="disamb", lemma="na")
    + edge(2, 3, "na", "interj", "0.1000")
    + edge(3, 4, "przemian", "subst:sg:acc:m3", "1.0000", mark="disamb", lemma="przemian")
    + edge(4, 5, ".", "interp", "1.0000", "eos", "disamb", lemma=".")
    + edge(5, 6, "Tak", "part", "1.0000", mark="disamb", lemma="tak:v1")
    + edge(6, 7, "!", "interp", "1.0000", "eos", "disamb", lemma="!")
    + "\n"
    + edge(0, 3, "0,29", "dig", "1.0000", mark="disamb", lemma="0,29")
    + edge(0, 1, "0", "dig")
    + edge(1, 2, ",", "interp")
    + edge(2, 3, "29", "dig")
)


def graph(*words: tuple[str, str]) -> str:
    """Words with their chosen tags, several separated by commas, in the order given."""
    return "".join(
        edge(i, i + 1, form, tag, "1.000", mark=None)
        for i, (form, tags) in enumerate(words)
        for tag in tags.split(",")
    )


# --- content ---


def test_the_words_are_the_path_of_the_readings_marked_disamb(file):
    corpus = read(file("a.dag", OUTPUT))
    assert corpus.format == "dag"
    assert corpus.forms.strings() == ["W", "celu", "na", "przemian", ".", "Tak", "!", "0,29"]
    assert corpus.columns["tag"].strings() == [
        "prep:loc", "subst:sg:loc:m3", "prep:acc", "subst:sg:acc:m3", "interp", "part", "interp", "dig",
    ]  # fmt: skip
    assert corpus.columns["lemma"].strings() == ["w", "cel:s", "na", "przemian", ".", "tak:v1", "!", "0,29"]
    assert corpus.columns["candidates"].strings()[:3] == [
        "prep:acc | prep:loc", "subst:sg:gen:m3 | subst:sg:loc:m3", "interj | prep:acc",
    ]  # fmt: skip


def test_eos_ends_a_sentence_within_a_graph_and_so_does_its_end(file):
    assert read(file("a.dag", OUTPUT)).starts.tolist() == [0, 5, 7, 8]


def test_places_are_the_line_of_the_first_chosen_reading_of_the_sentence(file):
    corpus = read(file("a.dag", OUTPUT))
    assert [corpus.place(word) for word in (0, 4, 5, 6, 7)] == [f"a.dag:{line}" for line in (2, 2, 10, 10, 13)]


def test_gold_of_ten_columns_chooses_by_probability_one(file):
    text = (
        edge(0, 1, "a", "X", "0.000", mark=None)
        + edge(0, 1, "a", "Y", "1.000", mark=None)
        + edge(1, 3, "bc", "X", "1.000", "eos", mark=None)
        + edge(1, 2, "b", "X", "0.000", mark=None)
        + edge(2, 3, "c", "X", "0.000", mark=None)
    )
    corpus = read(file("a.dag", text))
    assert corpus.forms.strings() == ["a", "bc"]
    assert corpus.columns["tag"].strings() == ["Y", "X"]
    # The same with notes on the segment, or nothing, in an eleventh column.
    assert read(file("b.dag", text.replace("\n", "\t\n"))).columns["tag"].strings() == ["Y", "X"]
    assert read(file("c.dag", text.replace("\n", "\tnote\n"))).columns["tag"].strings() == ["Y", "X"]


def test_where_readings_are_marked_disamb_probabilities_choose_nothing(file):
    text = edge(0, 1, "a", "X", "1.0000") + edge(0, 1, "a", "Y", "0.0000", mark="disamb")
    text += "\n" + edge(0, 1, "b", "X", "1.0000")
    assert read(file("a.dag", text)).columns["tag"].strings() == ["Y", "_"]


def test_disamb_may_stand_in_a_twelfth_column(file):
    text = edge(0, 1, "a", "X", "1.0000", mark="note\t") + edge(0, 1, "a", "Y", "0.0000", "eos", mark="note\tdisamb")
    assert read(file("a.dag", text)).columns["tag"].strings() == ["Y"]


def test_the_seven_columns_of_poleval_with_the_year_before(file):
    text = (
        "#1650\n0\t1\tDom\tdom\tsubst\t\t\n0\t1\tDom\tdoma\tadv\t\tdisamb\n1\t2\t.\t.\tinterp\tnps\tdisamb_manual\n\n"
    )
    corpus = read(file("a.dag", text))
    assert corpus.format == "dag"
    assert corpus.columns["tag"].strings() == ["adv", "interp"]
    assert corpus.columns["lemma"].strings() == ["doma", "."]
    assert corpus.place(0) == "a.dag:3"


def test_several_chosen_readings_of_an_edge_are_a_set(file):
    text = "".join(edge(0, 1, "a", tag, "1.000", lemma=lemma) for tag, lemma in (("Y", "b"), ("X", "b"), ("Y", "a")))
    corpus = read(file("a.dag", text))
    assert corpus.columns["tag"].strings() == ["X | Y"]
    assert corpus.columns["lemma"].strings() == ["a | b"]
    assert corpus.columns["candidates"].strings() == ["X | Y"]


def test_the_eos_of_a_reading_that_is_not_chosen_does_not_count(file):
    text = edge(0, 1, ".", "X", "0.000", "eos") + edge(0, 1, ".", "Y", "1.000") + edge(1, 2, "b", "X", "1.000")
    assert read(file("a.dag", text)).starts.tolist() == [0, 2]


def test_lines_of_a_graph_may_stand_in_any_order(file):
    lines = OUTPUT.split("\n\n")[0].split("\n")
    corpus = read(file("a.dag", "\n".join(reversed(lines)) + "\n"))
    assert corpus.forms.strings() == ["W", "celu", "na", "przemian", ".", "Tak", "!"]


def test_nodes_need_not_begin_at_zero_nor_be_next_to_each_other(file):
    corpus = read(file("a.dag", edge(10, 12, "a", "X", "1.000") + edge(12, 20, "b", "Y", "1.000")))
    assert corpus.forms.strings() == ["a", "b"]


def test_an_analysis_is_read_where_there_is_one_way_to_cut_it(file):
    text = edge(0, 1, "a", "X") + edge(0, 1, "a", "Y") + edge(1, 3, "b", "X", eos="eos") + edge(3, 4, "c", "Z")
    corpus = read(file("a.dag", text))
    assert corpus.forms.strings() == ["a", "b", "c"]
    assert corpus.is_empty("tag")
    assert corpus.columns["candidates"].strings() == ["X | Y", "X", "Z"]
    assert corpus.starts.tolist() == [0, 2, 3]


def test_columns_may_be_called_as_in_other_formats(file):
    name = file("a.dag", OUTPUT)
    assert list(read(name, columns=["XPOS"]).columns) == ["tag"]
    assert list(read(name, columns=["LEMMA"]).columns) == ["lemma"]


# --- how it comes ---


def test_it_is_told_by_its_first_line():
    assert looks_dag(["", "0\t1\ta\ta\tX\t\t\t1.000\t\t"])
    assert looks_dag(["1\t2\t13\t13\tdig\t\t\t0\t\t\t"])
    assert not looks_dag(["0\t1\ta\ta\tX\t\t\tone\t\t"])
    assert not looks_dag(["1\t1\ta\ta\tX\t\t\t1.000\t\t"])
    assert not looks_dag(["a\t1\ta\ta\tX\t\t\t1.000\t\t"])
    assert not looks_dag(["0\t1\ta\ta\tX\t\t\t1.000\t"])
    assert not looks_dag(["1\t2\ta\ta\tX\tq\tdisamb"])
    assert not looks_dag(["# global.columns = ID FORM A B C D E F G H", "1\t2\ta\ta\tX\t\t\t1.000\t\t"])
    assert not looks_dag(["the\tDT"])
    assert not looks_dag(["", ""])


def test_a_graph_that_begins_at_node_one_is_not_taken_for_conllu(file):
    assert read(file("a.dag", edge(1, 2, "a", "X", "1.000", mark=None))).format == "dag"


def test_conllu_that_begins_with_a_number_is_not_taken_for_a_graph(file):
    assert read(file("a.conllu", row(1, "1984", "NUM") + row(2, "is", "AUX"))).format == "conllu"
    rooted = "1\t1984\t1984\tNUM\tCD\t_\t0\troot\t_\t_\n"
    assert read(file("b.conllu", rooted)).format == "conllu"


@pytest.mark.parametrize("size", [1, 50, 1000])
def test_it_may_come_in_pieces_of_any_size(file, monkeypatch, size):
    plain = read(file("a.dag", (OUTPUT + "\n") * 20))
    monkeypatch.setattr(source, "BATCH", size)
    corpus = read("a.dag")
    assert corpus.forms.strings() == plain.forms.strings()
    assert corpus.starts.tolist() == plain.starts.tolist()
    assert corpus.place(7) == plain.place(7)


def test_packed_and_windows_files_and_standard_input_read_the_same(file, monkeypatch):
    plain = read(file("a.dag", OUTPUT))
    variants = [
        read(file("a.dag.gz", gzip.compress(OUTPUT.encode()))),
        read(file("b.dag", OUTPUT.replace("\n", "\r\n") + "\r\n \r\n")),
        read(file("c.dag", OUTPUT.rstrip("\n"))),
    ]
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BufferedReader(io.BytesIO(OUTPUT.encode()))))
    variants.append(read("-"))
    for corpus in variants:
        assert corpus.forms.strings() == plain.forms.strings()
        assert corpus.columns["tag"].strings() == plain.columns["tag"].strings()
        assert corpus.starts.tolist() == plain.starts.tolist()


def test_files_of_a_folder_choose_each_in_its_way(file):
    file("all/a.dag", OUTPUT)
    file("all/b.dag", graph(("x", "X"), ("y", "Y")))
    corpus = read("all")
    assert corpus.columns["tag"].strings()[-2:] == ["X", "Y"]
    assert corpus.place(9) == "all/b.dag:1"
    assert corpus.documents == 2


# --- refusals ---


def test_a_gap_in_the_path_is_refused_with_its_line(file):
    name = file(
        "a.dag", graph(("a", "X"), ("b", "X"), ("c", "X")).replace("b\tl\tX\t\t\t1.000", "b\tl\tX\t\t\t0.500")
    )
    assert refusal(read, name) == (
        "a.dag:3: no chosen reading leads from node 1 to node 2, where 'c' begins. "
        "Mark the missing words' readings with probability 1.000."
    )


def test_a_path_that_begins_late_or_ends_early_is_refused(file):
    late = OUTPUT.replace("0.8000\t\t\tdisamb", "0.8000\t\t\t")
    assert refusal(read, file("a.dag", late)) == (
        "a.dag:4: no chosen reading leads from node 0 to node 1, where 'celu' begins. "
        "Mark the missing words' readings with disamb."
    )
    early = edge(0, 1, "a", "X", "1.000") + edge(1, 2, "b", "X")
    assert refusal(read, file("b.dag", early)) == (
        "b.dag:1: the chosen readings end with 'a' at node 1, the graph at node 2. "
        "Mark the missing words' readings with probability 1.000."
    )


def test_chosen_readings_that_overlap_are_refused(file):
    name = file(
        "a.dag", OUTPUT.replace("naprzemian\tl\tign\t\t\t0.000\t\t\t", "naprzemian\tl\tign\t\t\t0.000\t\t\tdisamb")
    )
    assert refusal(read, name) == (
        "a.dag:6: 'na' (2–3) and 'naprzemian' (2–4) are both chosen, and they overlap. Choose one of them."
    )


def test_an_analysis_that_can_be_cut_in_two_ways_is_refused(file):
    text = graph(("x", "X")) + "\n" + edge(0, 2, "ab", "X") + edge(0, 1, "a", "X") + edge(1, 2, "b", "X")
    assert refusal(read, file("a.dag", text)) == (
        "a.dag:4: the text can be cut into 'a' (0–1) or 'ab' (0–2), and no reading of the graph is chosen. "
        "Mark the chosen ones with disamb in the last column, or probability 1.000."
    )


def test_an_analysis_with_a_gap_is_refused(file):
    name = file("a.dag", edge(0, 1, "a", "X") + edge(2, 3, "b", "X"))
    assert (
        refusal(read, name) == "a.dag:2: no reading leads from node 1 to node 2, where 'b' begins. Is a line missing?"
    )


def test_two_ways_of_choosing_in_a_file_are_refused(file):
    name = file("a.dag", edge(0, 1, "a", "X", "1.000") + "\n" + edge(0, 1, "b", "X", "0.6", mark="disamb"))
    assert refusal(read, name) == (
        "a.dag:3: a reading marked disamb, but the graphs before have none and choose by probability 1.000. "
        "Mark the readings in one way."
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("word", "1 column, but DAG has 10 to 12 (or 7). Were empty columns at its end taken away?"),
        (
            "1\t2\tb\tb\tX\t\t\t1.000",
            "8 columns, but DAG has 10 to 12 (or 7). Were empty columns at its end taken away?",
        ),
        (
            "2\t1\tb\tb\tX\t\t\t1.000\t\t",
            "an edge from '2' to '1'. The first two columns are the numbers of nodes, in rising order.",
        ),
        (
            "-1\t1\tb\tb\tX\t\t\t1.000\t\t",
            "an edge from '-1' to '1'. The first two columns are the numbers of nodes, in rising order.",
        ),
        ("1\t2\t\tb\tX\t\t\t1.000\t\t", "the word is empty. Is a cell missing?"),
        ("1\t2\tb\tb\tX\t\t\tnan\t\t", "'nan', but column 8 is a probability. Is a cell missing?"),
    ],
)
def test_a_line_that_is_no_edge_is_refused(file, line, message):
    name = file("a.dag", graph(("a", "X")) + line + "\n")
    assert refusal(read, name) == f"a.dag:2: {message}"


def test_a_file_of_comments_only_has_no_words(file):
    assert refusal(read, file("a.dag", "#1650\n\n"), input_format="dag") == "a.dag: contains no words."


# --- scoring ---


def test_one_wrong_tag_of_four_and_sets_in_any_order(file):
    gold = file("gold.dag", graph(("a", "X"), ("b", "Y,Z")) + "\n" + graph(("c", "X"), ("d", "X")))
    system = file("sys.dag", graph(("a", "X"), ("b", "Z,Y")) + "\n" + graph(("c", "X"), ("d", "Y")))
    for options in ({"column": "tag"}, {"column": "XPOS"}, {}):
        assert assay.score(gold, system, **options).scores[0].value == 0.75


def test_an_analysis_cannot_be_scored(file):
    gold = file("gold.dag", graph(("a", "X")))
    system = file("sys.dag", edge(0, 1, "a", "X"))
    assert refusal(assay.score, gold, system, column="tag") == (
        "sys.dag: column tag is empty. Choose another with --column."
    )


def test_the_system_may_be_a_graph_where_gold_is_conllu(file):
    gold = file(
        "gold.conllu",
        conllu(tagged("a/_ b/_")).replace("a\t_\t_\t_", "a\t_\t_\tX").replace("b\t_\t_\t_", "b\t_\t_\tY"),
    )
    system = file("sys.dag", graph(("a", "X"), ("b", "X")))
    assert assay.score(gold, system, column="XPOS").scores[0].value == 0.5
