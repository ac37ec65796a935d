"""Tab-separated and space-separated columns, vertical text and CoNLL-2003."""

from __future__ import annotations

import pytest

from assay.formats import read, source
from unit.samples import refusal

FILL = "To fill such rows with _: --repair mend"


def test_words_stand_in_the_first_column_and_labels_in_the_others(file):
    corpus = read(file("a.tsv", "The\tDET\tthe\nend\tNOUN\tend\n\nFine\tADJ\tfine\n"))
    assert corpus.format == "tsv"
    assert corpus.forms.strings() == ["The", "end", "Fine"]
    assert corpus.columns["2"].strings() == ["DET", "NOUN", "ADJ"]
    assert corpus.columns["3"].strings() == ["the", "end", "fine"]
    assert corpus.starts.tolist() == [0, 2, 3]
    assert [corpus.place(word) for word in range(3)] == ["a.tsv:1", "a.tsv:2", "a.tsv:4"]


def test_quotes_and_hashes_are_words_like_others(file):
    corpus = read(file("a.tsv", '"\t``\n#\tSYM\n# a\tX\n"a\tNN\nb"\tNN\n'))
    assert corpus.forms.strings() == ['"', "#", "# a", '"a', 'b"']
    assert corpus.columns["2"].strings() == ["``", "SYM", "X", "NN", "NN"]


def test_an_underscore_is_a_label_like_others_outside_conllu(file):
    corpus = read(file("a.tsv", "_\t_\nb\tX\n"))
    assert corpus.columns["2"].strings() == ["_", "X"]
    assert corpus.empty is None


def test_hashes_are_comments_where_asked_for(file):
    text = "# one\nThe\tDET\n\n# two\nend\tNOUN\n# three\n#\tSYM\n#end\tX\n"
    corpus = read(file("a.tsv", text), input_format="tsv(comments=true)")
    assert corpus.forms.strings() == ["The", "end", "#", "#end"], "a line with all columns is a word"
    assert corpus.comments == ((0, "# one"), (1, "# two"))
    assert corpus.aside_lines == ("# three",), "a comment among words keeps its place, and is about no sentence"
    assert corpus.place(1) == "a.tsv:5"


COMMENTED = """\
# newdoc id = d1
# sent_id = s1
The\tDT\tO
#\t#\tO
#end\tNN\tB-X

# sent_id = s2
# text = #
#\tSYM\tO

# newdoc
# sent_id = s3
End\tNN\tB-X
"""


@pytest.mark.parametrize("divider", ["\t", " "])
def test_keys_and_values_before_a_sentence_are_comments_and_hashes_stay_words(file, divider):
    corpus = read(file("a.txt", COMMENTED.replace("\t", divider)))
    assert corpus.forms.strings() == ["The", "#", "#end", "#", "End"]
    assert corpus.columns["3"].strings() == ["O", "O", "B-X", "O", "B-X"]
    assert corpus.starts.tolist() == [0, 3, 4, 5]
    assert corpus.comments == (
        (0, "# newdoc id = d1"),
        (0, "# sent_id = s1"),
        (1, "# sent_id = s2"),
        (1, "# text = #"),
        (2, "# newdoc"),
        (2, "# sent_id = s3"),
    )
    assert corpus.document_ids == ("d1", "2")
    assert corpus.place(4) == "a.txt:13"


def test_comments_are_the_same_in_a_file_that_is_read_line_by_line(file):
    with_markup = COMMENTED.replace("# newdoc\n", "<p>\n# newdoc\n")
    assert read(file("a.tsv", with_markup)).comments == read(file("b.tsv", COMMENTED)).comments


def test_a_header_may_stand_behind_comments(file):
    corpus = read(file("a.tsv", "# text = a b\nform\ttag\nThe\tDET\n"), columns=["tag"])
    assert corpus.forms.strings() == ["The"]
    assert corpus.columns["tag"].strings() == ["DET"]


HOW_TO_COMMENT = (
    "Is it a comment? Comments are # key = value or # id X, before the first word of a sentence; others are passed "
    'over with --input-format "tsv(comments=true)"'
)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param("a\tX\n\n# NN\n", 3, id="a tab that became a space"),
        pytest.param("a\tX\n# sent_id = 2\nb\tX\n", 2, id="a blank line that is missing"),
        pytest.param("a\tX\n\n# remark\nb\tX\n", 3, id="free text"),
    ],
)
def test_what_may_be_a_word_or_the_sign_of_a_mistake_is_no_comment(file, text, line):
    message = refusal(lambda: read(file("a.tsv", text)))
    assert message == f"a.tsv:{line}: 1 column, but the first line has 2. {HOW_TO_COMMENT}"


@pytest.mark.parametrize("others", ["", "# # = O\n"])
def test_a_comment_with_as_many_cells_as_a_word_is_refused(file, others):
    text = f"a b c d\n{others}\n# sent_id = 2\ne f g h\n"
    line = text[: text.index("# sent")].count("\n") + 1
    assert refusal(lambda: read(file("a.txt", text), input_format="conll")) == (
        f"a.txt:{line}: a comment, or the word #? Choose one: "
        '--input-format "conll(comments=true)" or "conll(comments=false)".'
    )
    said = {value: read(file("a.txt", text), input_format=f"conll(comments={value})") for value in ("true", "false")}
    assert said["true"].forms.strings() == ["a", "e"]
    assert said["false"].forms.strings() == ["a", *others[:1], "#", "e"]
    words = read(file("a.tsv", text.replace(" ", "\t"))).forms.strings()
    assert words == ["a", *others[:1], "#", "e"]


MULTICONER = """\
# id 5f-1\tdomain=train
zoë _ _ B-OtherPER
łuczak _ _ I-OtherPER
# _ _ O

# id 5f-2\tdomain=dev
#1 _ _ B-Work
in _ _ O
"""
GERMEVAL = """\
#\thttp://example.org/1 [2024-05-01]
1\tBank\tB-ORG\tO
2\tof\tI-ORG\tO
3\tRome\tI-ORG\tB-LOC

#\tn-tv.de vom 26.02.2005 [2005-02-26]
1\t#\tO\tO
2\tNg\tB-PER\tO
"""


def test_ids_and_sources_before_a_sentence_are_comments(file):
    corpus = read(file("a.conll", MULTICONER))
    assert corpus.forms.strings() == ["zoë", "łuczak", "#", "#1", "in"]
    assert corpus.sentence_ids == ("5f-1", "5f-2")
    assert (corpus.metadata("domain"), corpus.metadata_keys()) == (["train", "dev"], ["sent_id", "domain"])
    # With single columns of tabs and many lines, as arrays read it.
    tabs = MULTICONER.replace(" _ _ ", "\t").replace("\tdomain=train", "").replace("\tdomain=dev", "")
    tabs = "\n".join(tabs.replace("5f", str(number)) for number in range(200))
    assert read(file("a.tsv", tabs)).sentence_ids[-2:] == ("199-1", "199-2")
    corpus = read(file("b.tsv", GERMEVAL))
    assert corpus.forms.strings() == ["Bank", "of", "Rome", "#", "Ng"]
    assert [line for _, line in corpus.comments] == [GERMEVAL.splitlines()[0], GERMEVAL.splitlines()[5]]
    assert refusal(read, file("c.tsv", GERMEVAL.replace("n-tv.de vom 26.02.2005 [2005-02-26]", "O "))) == (
        f"c.tsv:6: 2 columns, but the first line has 4. Is a cell missing, or empty? {FILL}"
    ), "one cell without a blank may be a label"


def test_an_id_within_a_sentence_is_no_word_and_no_comment(file):
    text = MULTICONER.replace("\n\n", "\n")
    assert refusal(read, file("a.conll", text), input_format="conll") == (
        "a.conll:5: a comment among the words of a sentence. Put a blank line before it. If it is a word: "
        '--input-format "conll(comments=false)"'
    )
    words = read(file("a.conll", text.partition("\n")[2]), input_format="conll(comments=false)").forms.strings()
    assert words == ["zoë", "łuczak", "#", "#", "#1", "in"]


def test_the_column_of_the_word_may_be_another_by_number_or_name(file):
    by_number = read(file("a.tsv", "1\tThe\tDET\n2\tend\tNOUN\n"), input_format="tsv(word=2)")
    assert by_number.forms.strings() == ["The", "end"]
    assert list(by_number.columns) == ["3"], "what numbers words is no label"
    named = file("b.tsv", "nr\tform\ttag\n1\tThe\tDET\n")
    by_name = read(named, input_format="tsv(word=form, header=true)")
    assert by_name.forms.strings() == ["The"]
    assert by_name.columns["tag"].strings() == ["DET"]


def test_a_header_is_recognised_when_one_of_its_names_is_asked_for(file):
    name = file("a.tsv", "form\tlemma\ttag\nThe\tthe\tDET\nend\tend\tNOUN\n")
    corpus = read(name, columns=["tag"])
    assert corpus.forms.strings() == ["The", "end"]
    assert corpus.columns["tag"].strings() == ["DET", "NOUN"]
    assert corpus.place(0) == "a.tsv:2"
    assert list(read(name, columns=["TAG"]).columns) == ["tag"]


def test_with_a_header_a_column_may_be_given_by_number_too(file):
    name = file("a.tsv", "form\tlemma\ttag\nThe\tthe\tDET\n")
    assert list(read(name, columns=["3"], input_format="tsv(header=true)").columns) == ["tag"]


def test_a_column_is_given_by_number(file):
    corpus = read(file("a.tsv", "The\tDET\tthe\n"), columns=["3"])
    assert {name: column.strings() for name, column in corpus.columns.items()} == {"3": ["the"]}


def test_in_a_file_of_two_columns_the_only_label_answers_to_any_name(file):
    corpus = read(file("a.tsv", "The\tDET\n"), columns=["UPOS"])
    assert next(iter(corpus.columns.values())).strings() == ["DET"]


def test_labels_may_hold_spaces_bars_and_any_script(file):
    corpus = read(file("a.tsv", "a\tN N\nb\tN|J\nc\t<x>\nd\tשם\n"))
    assert corpus.columns["2"].strings() == ["N N", "N|J", "<x>", "שם"]


# --- vertical text ---


def test_vertical_text_is_cut_by_s_and_doc(file):
    text = (
        '<doc id="d1" year="1">\n<s>\nThe\tDET\n<g/>\nend\tNOUN\n</s>\n<s id="2">\nFine\tADJ\n</s>\n</doc>\n'
        "<doc n='d2'>\n<p>\n<s>\nNew\tADJ\n</s>\n</p>\n</doc>\n"
    )
    corpus = read(file("a.vert", text))
    assert corpus.forms.strings() == ["The", "end", "Fine", "New"]
    assert corpus.starts.tolist() == [0, 2, 3, 4]
    assert [corpus.document_name(i) for i in range(corpus.documents)] == ["d1", "d2"]
    assert corpus.document_of_sentence.tolist() == [0, 0, 1]
    assert [corpus.place(word) for word in range(4)] == [f"a.vert:{line}" for line in (3, 5, 8, 14)]


def test_words_that_look_like_tags_are_words_when_they_have_a_label(file):
    corpus = read(file("a.tsv", "<s>\tXY\n<br/>\tXY\n"))
    assert corpus.forms.strings() == ["<s>", "<br/>"]


def test_a_document_tag_is_no_word_in_columns_divided_by_spaces(file):
    name = file("a.vert", '<doc id="a">\n<s>\nThe DET\nend NOUN\n</s>\n</doc>\n')
    assert read(name, input_format="conll").forms.strings() == ["The", "end"]


# --- CoNLL-2003 ---


def test_conll_2003_has_columns_divided_by_spaces_and_docstart(file):
    text = (
        "-DOCSTART- -X- -X- O\n\nEU NNP B-NP B-ORG\nrejects VBZ B-VP O\n\nGerman JJ B-NP B-MISC\n\n"
        "-DOCSTART- -X- -X- O\n\nPeter NNP B-NP B-PER\n"
    )
    corpus = read(file("a.conll", text))
    assert corpus.format == "conll"
    assert corpus.forms.strings() == ["EU", "rejects", "German", "Peter"]
    assert corpus.columns["4"].strings() == ["B-ORG", "O", "B-MISC", "B-PER"]
    assert corpus.columns["2"].strings() == ["NNP", "VBZ", "JJ", "NNP"]
    assert corpus.starts.tolist() == [0, 2, 3, 4]
    assert corpus.document_of_sentence.tolist() == [0, 0, 1]
    assert [corpus.place(word) for word in range(4)] == [f"a.conll:{line}" for line in (3, 4, 6, 10)]


def test_runs_of_spaces_divide_as_one(file):
    corpus = read(file("a.conll", "The   DET \nend   NOUN\n\n"))
    assert corpus.columns["2"].strings() == ["DET", "NOUN"]


@pytest.mark.parametrize("text", ["The DET\nend NOUN", "The DET"], ids=["two words", "one word"])
def test_columns_divided_by_spaces_are_told_without_a_final_line_feed(file, text):
    assert read(file("a.conll", text)).format == "conll"


# --- refusals ---


@pytest.mark.parametrize(
    ("line", "found"), [("end\n", "1 column"), ("end\tNOUN\tmore\n", "3 columns")], ids=["few", "many"]
)
def test_lines_of_another_width_are_refused(file, line, found):
    message = f"a.tsv:2: {found}, but the first line has 2. Is a cell missing, or empty?"
    message += f" {FILL}" * (found == "1 column")
    assert refusal(read, file("a.tsv", f"The\tDET\n{line}")) == message


def test_lines_of_another_width_are_refused_in_columns_divided_by_spaces(file):
    name = file("a.conll", "The DET\nend\n\n")
    assert refusal(read, name, input_format="conll") == (
        f"a.conll:2: 1 column, but the first line has 2. Is a cell missing, or empty? {FILL}"
    )


def test_a_comment_that_is_no_key_and_value_is_named_with_its_remedy(file):
    name = file("a.tsv", "# nr 1\nAnn\tB-PER\nsang\tO\n\n# nr 2\nBob\tB-PER\n")
    assert refusal(read, name) == (
        "a.tsv: '# nr 1' is a line of one column, but others have 2. If such lines are comments: "
        '--input-format "tsv(comments=true)"'
    )
    assert len(read(name, input_format="tsv(comments=true)")) == 3


def test_one_column_has_no_labels(file):
    name = file("a.txt", "The\nend\n")
    assert refusal(read, name, input_format="tsv") == (
        "a.txt: has only one column, so there are no labels to compare. Give a file with a word and its label on "
        "each line."
    )


def test_columns_without_names_are_given_by_number(file):
    name = file("a.tsv", "The\tDET\tthe\n")
    assert refusal(read, name, columns=["UPOS"]) == (
        "a.tsv: has 3 columns without names, so there is no UPOS. "
        "Give the column by number, e.g. --column 2, or add a header line."
    )
    assert refusal(read, name, columns=["7"]) == "a.tsv: there is no column '7'. Available: 2, 3."


def test_a_missing_column_is_refused_with_the_nearest_names(file):
    name = file("a.tsv", "form\tlemma\ttag\nThe\tthe\tDET\n")
    assert refusal(read, name, columns=["tags"], input_format="tsv(header=true)") == (
        "a.tsv: there is no column 'tags'. Did you mean tag?"
    )


def test_a_file_of_no_known_format_is_refused(file):
    name = file("a.txt", "X1 - y\nz = 3 ( q\n")
    assert refusal(read, name) == (
        "a.txt: unknown format. `assay formats` lists the known ones; name it with --input-format, "
        'e.g. --input-format conll or "tsv(word=2)"; for a label per line, or a row per item: --task items.'
    )


def test_a_file_of_blank_lines_is_called_empty_not_unknown(file):
    assert refusal(read, file("a.tsv", "\n\n  \n")) == (
        "a.tsv: contains no words. Did the program that writes it stop with an error?"
    )


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("conlu", "there is no format 'conlu'. Did you mean conllu or conll or conllx? All: assay formats"),
        ("tsv(wrd=2)", "there is no parameter 'wrd' of format tsv. Did you mean word?"),
        ("tsv(header=ja)", "there is no header = 'ja'. Available: auto, true, false."),
        ("conllu(word=2)", "there is no parameter 'word' of format conllu. Available: empty_nodes."),
        ("tsv(word", "format 'tsv(word' is not of the form name or name(key=value, ...)."),
        ("tsv(2)", "format 'tsv(2)': '2' is not of the form key=value."),
        ("tsv(word=9)", "a.tsv: there is no column '9'. Available: 2."),
    ],
)
def test_a_wrong_format_is_refused_with_what_there_is(file, spec, message):
    assert refusal(read, file("a.tsv", "The\tDET\n"), input_format=spec) == message


def test_a_line_of_blanks_and_tabs_ends_a_sentence(file):
    for text in ("a X\nb Y\n  \t \nc X\n", "a\tX\nb\tY\n\t\nc\tX\n"):
        corpus = read(file("a.txt", text))
        assert (corpus.forms.strings(), corpus.starts.tolist()) == (["a", "b", "c"], [0, 2, 3])


# --- rows with too few cells ---

RAGGED = (
    "# sent_id = 1\nThe\tDT\tO\nend\tNN\tO\n\n# sent_id = 2\nGo\tVB\nnow\tRB\tO\n\n"
    "# sent_id = 3\nStop\tVB\tO\n"
)


def test_rows_with_too_few_cells_are_filled_or_their_sentences_dropped(file):
    name = file("a.tsv", RAGGED)
    mended = read(name, repair="mend")
    assert mended.columns["3"].strings() == ["O", "O", "_", "O", "O"]
    assert mended.repairs == (("rows with too few cells", "mended", 1, "a.tsv:6"),)
    dropped = read(name, repair="drop")
    assert dropped.forms.strings() == ["The", "end", "Stop"]
    assert dropped.sentence_ids == ("1", "3")
    assert dropped.repairs == (("rows with too few cells", "dropped", 1, "a.tsv:6"),)
    last = read(file("b.tsv", RAGGED.partition("now")[0]), repair="drop")
    assert (last.forms.strings(), last.sentences) == (["The", "end"], 1)


def test_rows_of_hipe_with_too_few_cells_are_filled(file):
    text = "TOKEN\tNE-COARSE-LIT\tNEL-LIT\tMISC\n# hipe2022:document_id = d1\nRome\tB-loc\nfell\tO\t_\t_\n"
    name = file("a.tsv", text)
    assert refusal(read, name) == (
        f"a.tsv:3: 2 columns, but the first line has 4. Is a cell missing, or empty? {FILL}"
    )
    assert read(name, repair="mend").repairs == (("rows with too few cells", "mended", 1, "a.tsv:3"),)


def test_a_dropped_sentence_may_begin_in_an_earlier_batch(file, monkeypatch):
    monkeypatch.setattr(source, "BATCH", 8)
    dropped = read(file("a.tsv", RAGGED), repair="drop")
    assert (dropped.forms.strings(), dropped.starts.tolist()) == (["The", "end", "Stop"], [0, 2, 3])
