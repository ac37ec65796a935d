"""Files written in other formats, and what these cannot hold."""

from __future__ import annotations

import pytest

from assay.formats import Input, read, schemes
from assay.formats.whose import Asked, check_repair
from assay.formats.write import convert_file
from unit.samples import conllu, placed, refusal, row, tagged, tsv

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
    texts, losses = convert_file(Input(name, wanted=[column] if column else [], **options), target, column)
    return texts[""], losses


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
        "tsv has no place for columns LEMMA, UPOS, FEATS, which are left out.",
        "tsv has no comments; left out: 4.",
        "tsv has no ranges or empty nodes; lines left out: 2.",
    ]


def test_conllx_has_no_comments_and_ranges(file):
    text, losses = converted(file("a.conllu", RICH), "conllx")
    assert [line.split("\t")[0] for line in text.split("\n")] == ["1", "2", "3", "", "1", "", ""]
    lines = "conllx has no ranges or empty nodes; lines left out: 2."
    assert losses == ["conllx has no comments; left out: 4.", lines]


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
    assert message.startswith(repr(pair[0] if " " in pair[0] else pair[1]) + " contains white space, which ")
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
        "there is no format 'tvs'. Did you mean tsv? All: assay convert --help"
    )


# --- tags of spans ---

FLAT = ["iob2", "iob1", "ioe2", "ioe1", "bioes", "bilou", "bmes", "bmeow"]
NAMES = "Anna NNP O\nLee NNP O\n\nBonn NNP O\nRome NNP O\nand CC O\nNew NNP O\nYork NNP O\nCity NN O\n"
"""Two spans that touch, of one label, and one of three words."""
IOB1 = NAMES.replace("Bonn NNP O", "Bonn NNP I-LOC").replace("Rome NNP O", "Rome NNP B-LOC")
for word in ("Anna NNP", "Lee NNP"):
    IOB1 = IOB1.replace(f"{word} O", f"{word} I-PER")
for word in ("New NNP", "York NNP", "City NN"):
    IOB1 = IOB1.replace(f"{word} O", f"{word} I-LOC")


def rewritten(name, target=None, column=None, **options):
    asked = Asked(repair=check_repair(options.get("repair") or ""))
    source = Input(name, wanted=[column] if column else [], asked=asked)
    texts, said = convert_file(source, target, column, **options)
    return texts[""], said


def spans_in(name, scheme, columns=("3",)):
    return placed(schemes.spans_from_tags(read(name), columns, scheme)[0])


@pytest.mark.parametrize("scheme", FLAT)
def test_spans_are_the_same_under_every_scheme_and_back(file, scheme):
    text, said = rewritten(file("a.conll", IOB1), to_scheme=scheme)
    assert said == [f"column 3 is read as IOB1 and written as {schemes.SCHEMES[scheme].title}."]
    assert spans_in(file("b.conll", text), scheme) == spans_in("a.conll", "iob1")
    back, _ = rewritten("b.conll", scheme=scheme, to_scheme="iob1")
    assert back == IOB1 + "\n"


def test_a_scheme_is_written_as_it_is_defined(file):
    text, _ = rewritten(file("a.conll", IOB1), to_scheme="bioes")
    tags = [line.split()[2] for line in text.splitlines() if line]
    assert tags == ["B-PER", "E-PER", "S-LOC", "S-LOC", "O", "B-LOC", "I-LOC", "E-LOC"]


def test_filled_rows_are_written(file):
    path = file("a.tsv", "Ann\tNN\tB-PER\nBo\tNN\n\nRome\tNN\tB-LOC\n")
    text, said = rewritten(path, repair="mend")
    assert text == "Ann\tNN\tB-PER\nBo\tNN\t_\n\nRome\tNN\tB-LOC\n\n"
    assert said[1] == f"rows with too few cells: 1 mended (the first: {path}:2)."
    plain = file("b.tsv", "Ann\tNN\tx\nBo\tNN\n")
    assert rewritten(plain, repair="mend") == (
        "Ann\tNN\tx\nBo\tNN\t_\n\n",
        [f"rows with too few cells: 1 mended (the first: {plain}:2)."],
    )


def test_the_repaired_file_has_the_spans_that_were_scored(file):
    broken = file("a.conll", "Anna O\nLee I-PER\nin O\nNew B-LOC\nYork I-ORG\n\n")
    assert "Repair with --repair conlleval or discard" in refusal(rewritten, broken, scheme="iob2")
    text, said = rewritten(broken, repair="conlleval", scheme="iob2")
    assert text == "Anna O\nLee B-PER\nin O\nNew B-LOC\nYork B-ORG\n\n"
    assert said[1] == "tags that break IOB2: 2; repaired by conlleval, which changed the reading of 2."
    assert rewritten(broken, repair="discard", scheme="iob2")[0] == "Anna O\nLee O\nin O\nNew B-LOC\nYork O\n\n"


def test_a_table_keeps_its_columns_comments_documents_and_header(file):
    text = "word\tpos\tner\n# newdoc id = d\n# sent_id = 1\nAnna\tNNP\tI-PER\nran\tVBD\tO\n\n"
    assert rewritten(file("a.tsv", text), column="ner", scheme="iob1", to_scheme="iob2")[0] == (
        text.replace("I-PER", "B-PER")
    )
    marked = "-DOCSTART-\n\nAnna I-PER\n\n-DOCSTART-\n\nBonn I-LOC\n\n"
    assert rewritten(file("b.conll", marked), to_scheme="iob2")[0] == marked.replace("I-", "B-")


def test_layers_become_levels_and_what_overlaps_is_refused_elsewhere(file):
    layered = file("a.tsv", "the\tDT\tB-ORG\tO\nBank\tNN\tI-ORG\tO\nof\tIN\tI-ORG\tO\nRome\tNN\tI-ORG\tB-LOC\n\n")
    assert refusal(rewritten, layered, to_scheme="iob2").startswith("a.tsv: columns 3, 4 all contain tags of spans")
    text, _ = rewritten(layered, column="3+4", to_scheme="stacked")
    assert text.splitlines() == ["the\tDT\tB-ORG", "Bank\tNN\tI-ORG", "of\tIN\tI-ORG", "Rome\tNN\tI-ORG|B-LOC", ""]
    assert spans_in(file("b.tsv", text), "stacked") == spans_in(layered, "iob2", ("3", "4"))
    assert refusal(rewritten, layered, column="3+4", to_scheme="bioes") == (
        "a.tsv:4: the span LOC overlaps another, which BIOES does not allow. Write them in levels: --to-scheme "
        "stacked."
    )


def test_what_io_cannot_tell_apart_is_refused(file):
    assert refusal(rewritten, file("a.conll", IOB1), to_scheme="io") == (
        "a.conll:5: the span LOC directly follows one of its label, from which IO does not tell it. Choose another: "
        "--to-scheme iob2."
    )


def test_tags_in_misc_stay_there_or_become_a_column(file):
    def with_misc(*miscs):
        return "".join(row(n, f"w{n}").replace("_\n", f"{misc}\n") for n, misc in enumerate(miscs, 1)) + "\n"

    name = file("a.conllu", with_misc("NER=I-PER|SpaceAfter=No", "NER=O", "_"))
    text, _ = rewritten(name, column="MISC:NER", scheme="iob1", to_scheme="bioes")
    assert text == with_misc("NER=S-PER|SpaceAfter=No", "NER=O", "_")
    text, _ = rewritten(name, "tsv", column="MISC:NER", scheme="iob1", to_scheme="bioes")
    assert text == "w1\tS-PER\nw2\tO\nw3\tO\n\n"
    assert refusal(rewritten, name, to_scheme="bioes").startswith("a.conllu: no column contains tags of spans")


def test_a_file_without_words_that_have_labels_is_refused(file):
    name = file("a.jsonl", '{"text": "Ann saw Bob", "spans": [{"start": 0, "end": 3, "label": "PER"}]}\n')
    assert refusal(convert_file, Input(name), "conllu", None) == (
        "a.jsonl: has no words with labels, which conllu consists of. Convert a file with tags."
    )
