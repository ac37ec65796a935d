"""CoNLL-U, CoNLL-U Plus and CoNLL-X."""

from __future__ import annotations

import pytest

import assay
from assay.corpus import Multiword
from assay.formats import read
from unit.samples import conllu, refusal, row, tagged

FULL = """\
# newdoc id = d1
# sent_id = s1
# text = Im Haus gibt es es.
1-2\tIm\t_\t_\t_\t_\t_\t_\t_\t_
1\tIn\tin\tADP\tAPPR\t_\t3\tcase\t_\t_
2\tdem\tder\tDET\tART\tCase=Dat\t3\tdet\t_\t_
3\tHaus\tHaus\tNOUN\tNN\tCase=Dat\t0\troot\t_\tSpaceAfter=No
3.1\tgibt\tgeben\tVERB\t_\t_\t_\t_\t0:root\t_
4\tes\tes\tPRON\tPPER\t_\t3\tdep\t_\t_

# sent_id = s2
1\tEnde\tEnde\tNOUN\tNN\t_\t0\troot\t_\t_

# newdoc id = d2
1\tNeu\tneu\tADJ\tADJD\t_\t0\troot\t_\t_
"""


@pytest.fixture
def full(file):
    return read(file("full.conllu", FULL))


def test_words_are_the_lines_with_plain_numbers(full):
    assert full.forms.strings() == ["In", "dem", "Haus", "es", "Ende", "Neu"]
    assert full.format == "conllu"


def test_every_layer_is_a_column(full):
    assert list(full.columns) == ["LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"]
    assert full.columns["LEMMA"].strings() == ["in", "der", "Haus", "es", "Ende", "neu"]
    assert full.columns["UPOS"].strings() == ["ADP", "DET", "NOUN", "PRON", "NOUN", "ADJ"]
    assert full.columns["XPOS"].strings() == ["APPR", "ART", "NN", "PPER", "NN", "ADJD"]
    assert full.columns["MISC"].strings() == ["_", "_", "SpaceAfter=No", "_", "_", "_"]


def test_blank_lines_end_sentences(full):
    assert full.starts.tolist() == [0, 4, 5, 6]


def test_newdoc_begins_a_document(full):
    assert [full.document_name(i) for i in range(full.documents)] == ["d1", "d2"]
    assert full.document_of_sentence.tolist() == [0, 0, 1]


def test_sentences_have_their_ids_or_else_their_numbers(full):
    assert full.sentence_ids == ("s1", "s2", "3")


def test_an_id_on_the_first_sentence_of_a_document_is_not_the_id_of_the_others(file):
    text = conllu([("a", "X")], [("b", "X")], [("c", "X")], comments=[["newdoc id = d", "sent_id = s1"]])
    assert read(file("a.conllu", text)).sentence_ids == ("s1", "2", "3")


def test_multiword_tokens_cover_their_words_and_are_none(full):
    assert full.multiwords == (Multiword(0, 2, "Im"),)


def test_ranges_and_empty_nodes_are_kept_with_the_word_they_stand_before(full):
    assert full.aside_words.tolist() == [0, 3]
    assert [line.split("\t")[0] for line in full.aside_lines] == ["1-2", "3.1"]


def test_comments_are_kept_with_their_sentence(full):
    assert full.comments == (
        (0, "# newdoc id = d1"),
        (0, "# sent_id = s1"),
        (0, "# text = Im Haus gibt es es."),
        (1, "# sent_id = s2"),
        (2, "# newdoc id = d2"),
    )


def test_places_count_comments_ranges_and_empty_nodes(full):
    assert [full.place(word) for word in range(6)] == [f"full.conllu:{line}" for line in (5, 6, 7, 9, 12, 15)]


def test_an_empty_node_behind_the_last_word_does_not_move_the_next_sentence(file):
    text = row(1, "a") + row("1.1", "e") + "\n" + row("1-2", "bc") + row(1, "b") + row(2, "c") + row("2.1", "f")
    corpus = read(file("a.conllu", text))
    assert corpus.forms.strings() == ["a", "b", "c"]
    assert [corpus.place(word) for word in range(3)] == ["a.conllu:1", "a.conllu:5", "a.conllu:6"]


def test_an_empty_node_may_stand_before_the_first_word(file):
    corpus = read(file("a.conllu", row("0.1", "e") + row(1, "a") + row(2, "b") + "\n"))
    assert corpus.format == "conllu"
    assert corpus.forms.strings() == ["a", "b"]
    assert corpus.place(1) == "a.conllu:3"


@pytest.mark.parametrize("last", [2, 3, 4, 7])
def test_a_file_may_begin_with_a_range_of_any_length(file, last):
    text = row(f"1-{last}", "surface") + "".join(row(n, f"w{n}", "X") for n in range(1, last + 1)) + "\n"
    corpus = read(file("a.conllu", text))
    assert corpus.format == "conllu"
    assert corpus.forms.strings() == [f"w{n}" for n in range(1, last + 1)]
    assert corpus.multiwords == (Multiword(0, last, "surface"),)


@pytest.mark.parametrize("blank", ["\n\n", "   \n", "\n \n\n"], ids=["doubled", "spaces", "mixed"])
def test_blank_lines_of_spaces_or_doubled_end_one_sentence(file, blank):
    corpus = read(file("a.conllu", row(1, "a") + blank + row(1, "b") + blank))
    assert corpus.starts.tolist() == [0, 1, 2]
    assert corpus.place(1) == f"a.conllu:{2 + blank.count(chr(10))}"


def test_blank_lines_before_the_first_sentence_are_passed_over(file):
    corpus = read(file("a.conllu", "\n\n# c\n" + row(1, "a") + row(2, "b") + "\n"))
    assert corpus.starts.tolist() == [0, 2]
    assert corpus.place(1) == "a.conllu:5"


def test_no_blank_line_at_all_is_one_sentence(file):
    corpus = read(file("a.conllu", row(1, "a") + row(2, "b")))
    assert corpus.starts.tolist() == [0, 2]


def test_a_comment_within_a_sentence_does_not_move_the_lines_of_its_words(file):
    corpus = read(file("a.conllu", row(1, "a") + "# note\n" + row(2, "b") + "\n" + row(1, "c")))
    assert [corpus.place(word) for word in range(3)] == ["a.conllu:1", "a.conllu:3", "a.conllu:5"]


def test_a_real_underscore_is_a_word_and_its_lemma(file):
    corpus = read(file("a.conllu", row(1, "_", "SYM", lemma="_") + row(2, "x", "X", lemma="_")))
    assert corpus.forms.strings() == ["_", "x"]
    assert corpus.columns["LEMMA"].strings() == ["_", "_"]


def test_spaces_inside_form_and_lemma_are_kept(file):
    corpus = read(file("a.conllu", row(1, "10 000", "NUM", lemma="10 000")))
    assert corpus.forms.strings() == ["10 000"]
    assert corpus.columns["LEMMA"].strings() == ["10 000"]


def test_only_the_columns_asked_for_are_read_by_name_number_or_older_name(file):
    name = file("a.conllu", FULL)
    for asked in ("UPOS", "upos", "4", "CPOSTAG"):
        corpus = read(name, columns=[asked])
        assert list(corpus.columns) == ["UPOS"]
        assert corpus.columns["UPOS"].strings()[:2] == ["ADP", "DET"]
    assert list(read(name, columns=["POSTAG"]).columns) == ["XPOS"]
    assert read(name, columns=[]).columns == {}


def test_nonsense_in_layers_that_nobody_asked_for_is_no_mistake(file):
    text = "1\ta\t_\tX\t_\t_\tnot-a-head\t\t??\t_\n"
    assert read(file("a.conllu", text), columns=["UPOS"]).columns["UPOS"].strings() == ["X"]


# --- CoNLL-U Plus and CoNLL-X ---


def test_conllu_plus_names_its_columns_in_the_first_line(file):
    text = "# global.columns = ID FORM UPOS NER\n# sent_id = s\n1-2\tzum\t_\t_\n1\tzu\tADP\tO\n2\tdem\tDET\tB-X\n\n"
    corpus = read(file("a.conllup", text))
    assert list(corpus.columns) == ["UPOS", "NER"]
    assert corpus.columns["NER"].strings() == ["O", "B-X"]
    assert corpus.multiwords == (Multiword(0, 2, "zum"),)
    assert corpus.place(1) == "a.conllup:5"


def test_conllu_plus_without_a_form_column_is_refused(file):
    name = file("a.conllup", "# global.columns = ID WORD UPOS\n1\ta\tX\n")
    assert refusal(read, name) == "a.conllup:1: # global.columns names no FORM column."


def test_conllu_plus_lines_of_another_width_are_refused(file):
    name = file("a.conllup", "# global.columns = ID FORM UPOS\n1\ta\tX\n2\tb\n")
    assert refusal(read, name) == (
        "a.conllup:3: 2 columns, but CoNLL-U has 3. Is it another format? Try --input-format tsv"
    )


def test_conllx_is_read_when_it_is_asked_for(file):
    corpus = read(file("a.conll", conllu(tagged("The/D end/N"))), input_format="conllx")
    assert corpus.format == "conllx"
    assert corpus.columns["UPOS"].strings() == ["D", "N"]


# --- refusals ---


def test_too_few_columns_are_refused_with_file_line_and_number(file):
    name = file("a.conllu", row(1, "a", "X") + "2\tb\tb\tX\t_\t_\t0\troot\t_\n")
    for columns in (None, ["UPOS"], ["MISC"], []):
        assert refusal(read, name, columns=columns) == (
            "a.conllu:2: 9 columns, but CoNLL-U has 10. Is it another format? Try --input-format tsv"
        )


def test_too_many_columns_are_refused_with_file_line_and_number(file):
    name = file("a.conllu", row(1, "a", "X") + "2\tb\tb\tX\t_\t_\t0\troot\t_\t_\textra\n")
    for columns in (None, ["UPOS"], ["MISC"], []):
        assert refusal(read, name, columns=columns) == (
            "a.conllu:2: 11 columns, but CoNLL-U has 10. Is it another format? Try --input-format tsv"
        )


@pytest.mark.parametrize(
    "other",
    ["2\tb\tb\tX\t_\t_\t0\troot\t_\t_\textra\n", "# a comment with a\ttab\n"],
    ids=["a longer line", "a tab in a comment"],
)
def test_a_short_line_is_refused_even_where_another_line_makes_up_for_its_tab(file, other):
    short = f"{3 if other.startswith('2') else 2}\tc\tc\tX\t_\t_\t0\troot\t_\n"
    name = file("a.conllu", row(1, "a", "X") + other + short)
    message = refusal(read, name, columns=["UPOS"])
    assert message.startswith("a.conllu:2: 11 columns" if "extra" in other else "a.conllu:3: 9 columns")


def test_a_line_of_one_cell_is_refused_in_the_singular(file):
    name = file("a.conllu", row(1, "a", "X") + "word\n")
    assert refusal(read, name).startswith("a.conllu:2: 1 column, but CoNLL-U has 10.")


def test_a_number_out_of_turn_is_refused(file):
    name = file("a.conllu", row(1, "a") + row(3, "b"))
    assert refusal(read, name) == (
        "a.conllu:2: ID '3', but 2 comes next. Is a line missing, or a blank line between two sentences?"
    )


def test_a_new_sentence_without_a_blank_line_is_refused(file):
    name = file("a.conllu", row(1, "a") + row(2, "b") + row(1, "c"))
    assert refusal(read, name) == (
        "a.conllu:3: ID '1', but 3 comes next. Is a line missing, or a blank line between two sentences?"
    )


@pytest.mark.parametrize(("span", "before"), [("1-2", 2), ("3-4", 2), ("2-1", 2)])
def test_a_range_out_of_place_is_refused(file, span, before):
    name = file("a.conllu", row(1, "a") + row(span, "bc") + row(2, "b") + row(3, "c"))
    assert refusal(read, name) == (
        f"a.conllu:2: the range {span} comes before word {before}. A range comes before its first word."
    )


def test_a_range_that_reaches_beyond_its_sentence_is_refused(file):
    name = file("a.conllu", row("1-3", "abc") + row(1, "a") + row(2, "b") + "\n" + row(1, "c"))
    assert refusal(read, name).startswith("a.conllu:1: the range 1-3 ")


def test_an_unknown_column_is_refused_with_the_nearest_names(file):
    name = file("a.conllu", FULL)
    assert refusal(read, name, columns=["XPSO"]) == (
        "a.conllu: there is no column 'XPSO'. Did you mean XPOS or UPOS or DEPS?"
    )
    assert refusal(read, name, columns=["11"]) == (
        "a.conllu: there is no column '11'. Available: LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC."
    )


def test_a_file_of_comments_only_has_no_words(file):
    name = file("a.conllu", "# sent_id = 1\n\n")
    assert refusal(read, name, input_format="conllu") == "a.conllu: contains no words."


def test_columns_that_are_aligned_by_blanks_get_advice_that_leads_somewhere(file):
    line = "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC {}\n1  Ann  _ _ _ _ _ _ _ _ (1)\n"
    anaphora = refusal(read, file("a.conll", line.format("IDENTITY")))
    assert anaphora.startswith("a.conll: CoNLL-UA of Universal Anaphora (IDENTITY in # global.columns), which is not")
    assert "separated by spaces, but CoNLL-U has tabs" in refusal(read, file("b.conll", line.format("NOTES")))
    # With tabs the other columns are read.
    cells = ("1", "Ann", *["_"] * 8, "(1)", "_")
    tabs = file("c.conll", line.splitlines()[0].format("IDENTITY BRIDGING") + "\n" + "\t".join(cells) + "\n")
    assert read(tabs).format == "conllu"
    assert "c.conll: CoNLL-UA of Universal Anaphora" in refusal(assay.score, tabs, tabs, task="coreference")
