"""Files written in other formats, and what these cannot hold."""

from __future__ import annotations

import pytest

from assay.readers import Input, read
from assay.write import convert
from unit.samples import conllu, refusal, row, tagged, tsv

RICH = (
    "# newdoc id = d\n# sent_id = s1\n# text = zum Bad\n"
    + row("1-2", "zum")
    + row(1, "zu", "ADP", "APPR", "zu")
    + row(2, "dem", "DET", "ART", "der", "Case=Dat|Gender=Neut")
    + row("2.1", "leer", "X")
    + row(3, "Bad", "NOUN", "NN")
    + "\n# sent_id = s2\n"
    + row(1, "a b", "X")
    + "\n"
)


def converted(name, target, column=None, **options):
    return convert(Input(name, wanted=[column] if column else [], **options), target, column)


def test_conllu_comes_back_byte_for_byte(file):
    assert converted(file("a.conllu", RICH), "conllu") == (RICH, [])


@pytest.mark.parametrize(
    "text",
    [
        row(1, "a") + row("1.1", "e") + "\n" + row(1, "b") + "\n",
        row(1, "a") + row("1.1", "e") + row("1.2", "f") + "\n",
        row(1, "a") + row("1.1", "e") + "\n" + row("1-2", "bc") + row(1, "b") + row(2, "c") + "\n",
        row("0.1", "e") + row(1, "a") + "\n",
    ],
    ids=["at the end of a sentence", "at the end of the file", "before a range", "at the beginning"],
)
def test_empty_nodes_keep_their_places(file, text):
    assert converted(file("a.conllu", text), "conllu")[0] == text


def test_comments_behind_the_last_sentence_are_kept_or_told_of(file):
    text, losses = converted(file("a.conllu", row(1, "a") + "\n# the end\n"), "conllu")
    assert "# the end" in text or losses


def test_tsv_holds_one_label_and_says_what_is_left_out(file):
    text, losses = converted(file("a.conllu", RICH), "tsv", "XPOS")
    assert text == "zu\tAPPR\ndem\tART\nBad\tNN\n\na b\t_\n\n"
    assert losses == [
        "tsv has no place for LEMMA, UPOS, FEATS: left out.",
        "tsv has no comments: 4 left out.",
        "tsv has no ranges or empty nodes: 2 lines left out.",
    ]


def test_conllx_has_no_comments_and_ranges(file):
    text, losses = converted(file("a.conllu", RICH), "conllx")
    assert [line.split("\t")[0] for line in text.split("\n")] == ["1", "2", "3", "", "1", "", ""]
    assert losses == ["conllx has no comments: 4 left out.", "conllx has no ranges or empty nodes: 2 lines left out."]


def test_slash_escapes_the_separator_in_words(file):
    text, losses = converted(file("a.tsv", tsv([("1/2", "CD"), ("/", "SYM"), ("a\\", "X")])), "slash")
    assert text == "1\\/2/CD \\//SYM a\\/X\n"
    assert losses == []


@pytest.mark.parametrize("target", ["tsv", "slash", "conll"])
def test_words_and_one_label_come_back_from_every_target(file, target):
    sentences = [[("1/2", "CD"), ("#", "SYM"), ('"', "``"), ("<s>", "XY")], tagged("The/DET end/NOUN")]
    text, _ = converted(file("a.tsv", tsv(*sentences)), target)
    back = read(file(f"back.{target}", text), input_format=target)
    assert back.forms.strings() == [word for sentence in sentences for word, _ in sentence]
    assert next(iter(back.columns.values())).strings() == [tag for sentence in sentences for _, tag in sentence]
    assert back.starts.tolist() == [0, 4, 6]


def test_a_label_with_the_separator_is_refused_in_slash_tagged_text(file):
    name = file("a.tsv", tsv([("w", "NN/JJ")]))
    assert "'NN/JJ'" in refusal(converted, name, "slash")


@pytest.mark.parametrize("pair", [("a b", "X"), ("w", "N N")], ids=["word", "label"])
@pytest.mark.parametrize("target", ["slash", "conll"])
def test_white_space_that_would_divide_is_refused(file, target, pair):
    message = refusal(converted, file("a.tsv", tsv([pair])), target)
    assert message.startswith(repr(pair[0] if " " in pair[0] else pair[1]) + " holds white space, which ")
    assert message.endswith("Use --to tsv")


def test_plain_columns_become_conllu_in_the_column_asked_for(file):
    text, losses = converted(file("a.pos", "The/DT end/NN\n"), "conllu", "XPOS")
    assert text == "1\tThe\t_\t_\tDT\t_\t_\t_\t_\t_\n2\tend\t_\t_\tNN\t_\t_\t_\t_\t_\n\n"
    assert losses == []
    assert converted("a.pos", "conllu", "UPOS")[0].startswith("1\tThe\t_\tDT\t_")


def test_further_columns_that_find_no_place_in_conllu_are_told_of(file):
    _, losses = converted(file("a.tsv", "The\tDET\tO\n"), "conllu", "3")
    assert any("2" in loss for loss in losses)


def test_conllu_plus_keeps_the_columns_that_conllu_has(file):
    name = file("a.conllup", "# global.columns = ID FORM LEMMA UPOS NER\n1\ta\tl\tX\tO\n\n")
    text, losses = converted(name, "conllu")
    assert "1\ta\tl\tX\t" in text
    assert any("NER" in loss for loss in losses)
    assert "global.columns" not in text


def test_an_unknown_target_is_refused(file):
    assert refusal(converted, file("a.conllu", conllu(tagged("a/X"))), "tvs") == (
        "there is no format 'tvs'. Did you mean tsv?"
    )
