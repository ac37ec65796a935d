"""Semantic roles: CoNLL-2005, 2008, 2009, 2012 and Universal Propositions."""

from __future__ import annotations

import pytest

import assay
from assay.formats import Input, read, read_labels
from assay.formats.columns import ROLES
from assay.formats.roles import with_roles
from graphlayers import roles_in
from unit.samples import refusal


def rows(*lines):
    """Lines of cells separated by tabs; blanks stand for tabs."""
    return "".join("\t".join(line.split(" ")) + "\n" for line in lines)


def roles_of(path, form=None):
    """The format, predicates with senses, and arguments as (first word, end, predicate, role)."""
    item = Input(path, input_format=form)
    return item.plan.name, *roles_in(with_roles(read_labels(item, [ROLES])))


CONLL09 = rows(
    "1 Kim Kim Kim N N _ _ 2 2 S S _ _ A0 A0|A2",
    "2 tried try try V V _ _ 0 0 R R Y try.01 _ -",
    "3 sleep sleep sleep V V _ _ 2 2 O O Y sleep.01 A1 _",
)
CONLL08 = rows(
    "1 Kim Kim N N Kim Kim N 2 S _ A0",
    "2 tried try V V tried try V 0 R try.01 _",
    "3 self-made _ A A self self A 2 O _ A1",
    "4 _ _ _ _ - - HYPH 3 P _ _",
)
UP10 = "# sent_id = 1\n" + rows(
    "1-2 Kimhas _ _ _ _ _ _ _ _ _ _",
    "1 Kim Kim N N _ 2 nsubj _ _ _ A0",
    "2 has have V V _ 0 root _ _ have.01 V",
    "3 it it P P _ 2 obj _ _ _ A1",
)
UP8 = rows(
    "1 Kim Kim N N _ 2 nsubj _ _ A0",
    "2 has have V V _ 0 root Y have.01 _",
    "3 it it P P _ 2 obj _ _ A1",
)
PROPS = rows("- (A0* *", "- *) (A1*", "give (V*) *A1)", "- (A1(A2*)) *", "try * (V*)")
CONLL2012 = (
    "#begin document (d); part 000\n"
    + rows(
        "d 0 0 She PRP * - - - - * (ARG0*) (1)",
        "d 0 1 left VBD * leave 01 - - * (V*) -",
        "d 0 2 be VB * be - - - * * -",
        "d 0 3 home NN * - - - - * (ARG1*) -",
    )
    + "\n#end document\n"
)


def test_conll09_has_words_as_arguments(file):
    expected = {1: "try.01", 2: "sleep.01"}
    arguments = [(0, 1, 1, "A0"), (0, 1, 2, "A0"), (0, 1, 2, "A2"), (2, 3, 1, "A1")]
    assert roles_of(file("x.txt", CONLL09)) == ("conll09", expected, arguments)


def test_the_last_line_needs_no_end(file):
    assert roles_of(file("x.txt", CONLL09.rstrip("\n"))) == roles_of(file("y.txt", CONLL09 + "\n\n"))


def test_conll08_has_its_words_in_the_sixth_column(file):
    path = file("x.txt", CONLL08)
    assert roles_of(path) == ("conll08", {1: "try.01"}, [(0, 1, 1, "A0"), (2, 3, 1, "A1")])
    assert read(path, columns=["HEAD"]).forms.strings() == ["Kim", "tried", "self", "-"]


@pytest.mark.parametrize("text", [UP10, UP8], ids=["10", "8"])
def test_universal_propositions_in_both_forms(file, text):
    """The mark V at the predicate itself is no argument."""
    assert roles_of(file("x.txt", text)) == ("up", {1: "have.01"}, [(0, 1, 1, "A0"), (2, 3, 1, "A1")])


def test_a_sentence_without_predicates_may_end_in_an_empty_cell(file):
    bare = rows("1 Hello hello INTJ UH _ 0 root _ _ _ ", "2 ! ! PUNCT . _ 1 punct _ _ _ ")
    arguments = [(2, 3, 3, "A0"), (4, 5, 3, "A1")]
    assert roles_of(file("x.txt", f"{bare}\n{UP10}")) == ("up", {3: "have.01"}, arguments)
    assert roles_of(file("y.txt", bare)) == ("up", {}, [])
    # Where there is a predicate, an empty cell is a word without a role in its column.
    assert roles_of(file("z.txt", UP10.replace("_\tA1\n", "_\t\n")))[2] == [(0, 1, 1, "A0")]


def test_the_form_may_be_named_by_the_first_line(file):
    header = "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC UP:PRED UP:ARGS\n"
    assert roles_of(file("x.txt", header + UP10))[0] == "up"


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        (rows("1 Kim Kim N N _ 0 root _ _ a.01") + "\n" + UP8, "no columns of propositions fit"),
        (UP10.split("\n2\t")[0], "propositions may begin in column 9 or in column 11"),
    ],
)
def test_a_form_that_cannot_be_told_is_asked_for(file, text, fact):
    """The second file has a first line alone that is known to be whole, and no predicate in it."""
    path = file("x.txt", text + "\n")
    assert refusal(Input, path, input_format="up") == (
        f'x.txt: {fact}. Give their column: --input-format "up(columns=8)" (a flag, the sense, roles after eight '
        'columns) or "up(columns=10)" (the sense, roles after ten).'
    )
    assert refusal(Input, path, input_format="up(columns=9)") == (
        "format up: columns should be 8 or 10, the number of columns before propositions, not 9."
    )


UP2 = "# global.columns = ID FORM UPOS UP:PRED UP:ARGHEADS UP:ARGSPANS\n" + rows(
    "1 the D _ _ _", "2 end N _ _ _", "3 came V come.01 A1:2|AM-TMP:4 A1:1-2|AM-TMP:4-4", "4 now A _ _ _"
)
BARE = UP2.replace(" FORM UPOS", "").replace("the\tD\t", "").replace("end\tN\t", "").replace("came\tV\t", "")
BARE = BARE.replace("now\tA\t", "")


@pytest.mark.parametrize("text", [UP2, BARE], ids=["with words", "without"])
def test_universal_propositions_2_have_heads_and_stretches(file, text):
    path = file("x.conllup", text)
    heads = [(1, 2, 2, "A1"), (3, 4, 2, "AM-TMP")]
    assert roles_of(path) == ("up2", {2: "come.01"}, heads)
    stretches = [(0, 2, 2, "A1"), (3, 4, 2, "AM-TMP")]
    assert roles_of(path, "up2-spans") == ("up2-spans", {2: "come.01"}, stretches)


def test_universal_propositions_2_without_words_correspond_line_by_line(file):
    bare = file("bare.conllup", BARE)
    worse = file("worse.conllup", BARE.replace("A1:2|", "A1:1|"))
    result = assay.score(bare, {"s": worse}, times=1)
    assert (result.about.task, result.measures) == ("graphs", ["srl", "srl-unlabelled"])
    assert [row.counts["tp"] for row in result.counts if row.label is None] == [2, 2]
    corpus = with_roles(read_labels(Input(bare), [ROLES]))
    assert (corpus.has_words, corpus.forms.strings()) == (False, ["·", "·", "come", "·"])
    words = file("words.conllup", UP2)
    assert assay.score(words, {"s": bare}, times=1).scores[0].value == 1
    spans = assay.score(bare, {"s": bare}, input_format="up2-spans", times=1)
    assert spans.measures == ["srl-span", "srl-span-unlabelled"]


UP2_FAULTS = {
    ("A1:2|", "A1-2|"): "4: 'A1-2', but arguments such as A0:3|A1:5 are expected.",
    ("A1:2|", "A1:9|"): "4: 'A1:9' in a sentence of 4 words, which are counted from 1. Correct the numbers.",
    ("A1:2|", "A1:0|"): "4: 'A1:0' in a sentence of 4 words, which are counted from 1. Correct the numbers.",
    ("come.01", "_"): "4: arguments of a word that is not a predicate. Fill UP:PRED with a sense.",
    ("now\tA\t_\t_\t_", "now\tA\t_\t_"): "5: 2 columns of propositions, but 3 are named. Is a cell missing?",
    ("# global.columns = ID FORM", "# global.columns = ID TOKEN"): (
        "1: names no columns of Universal Propositions 2.0. Begin the file with # global.columns = ID FORM … UP:PRED "
        "UP:ARGHEADS UP:ARGSPANS, or with ID and the last three if it has no words."
    ),
}


@pytest.mark.parametrize("change", UP2_FAULTS, ids=lambda change: change[1])
def test_faults_of_universal_propositions_2(file, change):
    path = file("x.conllup", UP2.replace(*change))
    assert refusal(roles_of, path, "up2") == f"x.conllup:{UP2_FAULTS[change]}"


def test_stretches_that_end_before_they_begin_and_arguments_given_twice(file):
    path = file("x.conllup", UP2.replace("A1:1-2", "A1:2-1"))
    assert refusal(roles_of, path, "up2-spans") == (
        "x.conllup:4: 'A1:2-1' in a sentence of 4 words, which are counted from 1. Correct the numbers."
    )
    twice = file("y.conllup", UP2.replace("A1:1-2", "A1:1-2|A1:1-2"))
    corpus = with_roles(read_labels(Input(twice, input_format="up2-spans"), [ROLES]))
    assert corpus.notes == ("Arguments that a predicate has twice, read once: 1.",)


def test_roles_of_lines_that_are_no_words_are_told_of(file):
    text = UP10.replace("1\tKim", "0.1\tPro\t_\t_\t_\t_\t_\t_\t_\t_\t_\tA3\n1\tKim", 1)
    corpus = with_roles(read_labels(Input(file("x.txt", text)), [ROLES]))
    note = "Senses and roles of ranges or empty nodes, which are not words here, were not read: 1."
    assert corpus.notes == (note,)


def test_conll09_with_predicates_is_about_roles_unless_something_else_is_asked_for(file):
    path = file("x.txt", CONLL09)
    result = assay.score(path, {"s": path}, times=1)
    assert (result.about.task, result.measures) == ("graphs", ["srl", "srl-unlabelled"])
    assert assay.score(path, {"s": path}, column="POS", times=1).about.task == "tags"
    assert assay.score(path, {"s": path}, task="tags", times=1).about.task == "tags"
    assert assay.score(path, {"s": path}, "las", times=1).about.task == "dependencies"
    flagless = file("y.txt", CONLL09.replace("\tY\t", "\t_\t"))
    assert assay.score(flagless, {"s": flagless}, times=1).about.task == "graphs"
    bare = file("z.txt", "".join("\t".join(line.split("\t")[:12]) + "\n" for line in CONLL09.splitlines()))
    assert assay.score(bare, {"s": bare}, times=1).about.task == "tags"
    empty = file("w.txt", rows("1 Kim Kim Kim N N _ _ 0 0 S S _ _"))
    assert assay.score(empty, {"s": empty}, times=1).about.task == "tags"


def test_plain_conllu_is_no_file_of_propositions(file):
    text = rows("1 Kim Kim N N _ 2 nsubj _ _", "2 has have V V _ 0 root _ _")
    assert Input(file("x.txt", text)).plan.name == "conllu"


def test_props_have_stretches_which_may_be_nested_and_named_where_they_close(file):
    arguments = [(0, 2, 2, "A0"), (1, 3, 4, "A1"), (2, 3, 2, "V"), (3, 4, 2, "A1"), (3, 4, 2, "A2"), (4, 5, 4, "V")]
    assert roles_of(file("x.txt", PROPS)) == ("props", {2: "give", 4: "try"}, arguments)
    spaced = PROPS.replace("\t", "      ")
    assert roles_of(file("y.txt", spaced)) == roles_of("x.txt")


def test_props_with_words_before_them(file):
    text = rows("Kim NN - (A0*)", "gives VB give (V*)")
    form = "props(word=1, predicate=3)"
    assert roles_of(file("x.txt", text), form) == ("props", {1: "give"}, [(0, 1, 1, "A0"), (1, 2, 1, "V")])
    corpus = Input("x.txt", input_format=form).read([ROLES])
    assert (corpus.has_words, corpus.forms.strings()) == (True, ["Kim", "gives"])
    assert refusal(Input, "x.txt", input_format="props(predicate=0)") == (
        "format props: word and predicate are numbers of columns, counted from 1; word=0: no words."
    )


def test_conll2012_has_roles_before_its_last_column_and_stays_a_file_of_chains(file):
    path = file("x.txt", CONLL2012)
    arguments = [(0, 1, 1, "ARG0"), (1, 2, 1, "V"), (3, 4, 1, "ARG1")]
    assert roles_of(path) == ("conll2012", {1: "leave.01"}, arguments)
    assert assay.score(path, {"s": path}, times=1).about.task == "coreference"
    assert assay.score(path, {"s": path}, "srl-span", times=1).about.items == 2
    assert list(read(path).columns) == ["XPOS"]


def test_conll2012_without_columns_of_roles(file):
    path = file("x.txt", "#begin document (d); part 000\n" + rows("d 0 0 She PRP (1)") + "\n#end document\n")
    assert refusal(roles_of, path) == (
        "x.txt:2: 6 columns, but roles begin in column 12. Is it a file with coreference alone?"
    )


def test_a_predicate_without_a_column_has_no_arguments(file):
    path = file("x.txt", rows("- (A0*)", "give (V*)", "try *"))
    assert roles_of(path)[1:] == ({1: "give", 2: "try"}, [(0, 1, 1, "A0"), (1, 2, 1, "V")])
    corpus = with_roles(read_labels(Input(path), [ROLES]))
    assert corpus.notes == (
        "predicates without a column of arguments, taken as predicates that have none: 1 (the first: x.txt:3).",
    )


FAULTS = {
    "conll09: a cell too few": (
        CONLL09.replace("\tA0\tA0|A2", "\tA0"),
        "x.txt:1: 1 column of arguments, but the sentence has 2 predicates. Is a cell missing, or too many?",
    ),
    "conll09: a flag without a sense": (
        CONLL09.replace("sleep.01\tA1\t_", "_\tA1\t_"),
        "x.txt:1: 2 columns of arguments, but the sentence has 1 predicate. Is a cell missing, or too many?\n"
        "x.txt:2: 2 columns of arguments, but the sentence has 1 predicate. Is a cell missing, or too many?\n"
        "x.txt:3: FILLPRED is Y and PRED is empty. Fill it with a sense, or remove the Y.",
    ),
    "props: a cell too few": (
        rows("- (A0*) *", "give (V*)", "try * (V*)"),
        "x.txt:2: 2 columns, but the sentence has 3. Is a cell missing, or a blank line between two sentences?",
    ),
    "props: a column too many": (
        rows("- (A0*) *", "give (V*) *"),
        "x.txt:1: 2 columns of arguments, but the sentence has 1 predicate. Is a cell missing, or too many?",
    ),
    "props: not closed": (
        rows("- (A0*", "give (V*)"),
        "x.txt:1: the argument A0 that opens here is not closed in its sentence. Is a bracket missing?",
    ),
    "props: not opened": (
        rows("- (A0*)", "give (V*))"),
        "x.txt:2: a bracket is closed here that is not open. Is a bracket missing?",
    ),
    "props: another one is open": (
        rows("- (A0*", "give (V*)", "- *A1)"),
        "x.txt:1: the argument A0 that opens here is not closed in its sentence. Is a bracket missing?\n"
        "x.txt:3: A1 is closed here that is not open. Is a bracket missing?",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_told_with_their_line_and_a_remedy(file, name):
    text, message = FAULTS[name]
    path = file("x.txt", text)
    assert refusal(roles_of, path, name.partition(":")[0]) == message


def test_a_cell_without_brackets(file):
    path = file("x.txt", rows("- A0", "give (V*)"))
    assert refusal(roles_of, path, "props") == ("x.txt:1: 'A0', but brackets such as (A0*, * or *) are expected.")


def test_a_file_without_roles_says_which_formats_have_them(file):
    path = file("x.txt", "The\tDT\nend\tNN\n")
    assert refusal(assay.score, path, {"s": path}, "srl") == (
        "x.txt: contains no semantic roles (tsv). Formats that have them: conll08, conll09, up, up2, props, "
        "conll2012, "
        "biojson, up2-spans; name it with --input-format."
    )


def test_measures_of_words_and_of_stretches_are_not_mixed(file):
    heads, spans = file("x.txt", CONLL09), file("y.txt", PROPS)
    assert refusal(assay.score, heads, {"s": heads}, "srl-span") == (
        "x.txt: its arguments are words, but the measure needs stretches of words. Use srl, srl-arguments and "
        "the like."
    )
    assert refusal(assay.score, spans, {"s": spans}, "srl") == (
        "y.txt: its arguments are stretches of words, but the measure needs words. Use srl-span, srl-span-perfect."
    )
    assert refusal(assay.score, heads, {"s": heads}, ["srl", "sdp"]) == (
        "srl is for semantic roles, sdp for other graphs. Run them separately."
    )


def test_sentences_without_words_must_be_as_long(file):
    gold, system = file("x.txt", PROPS), file("y.txt", PROPS.replace("try\t*\t(V*)\n", "- * *\n".replace(" ", "\t")))
    shorter = file("z.txt", rows("- (A0*)", "give (V*)"))
    assert refusal(assay.score, gold, {"s": shorter}, "srl-span") == (
        "z.txt:1: a sentence of 2 lines, but x.txt:1 has one of 5. Without words, the numbers must be equal."
    )
    twice = file("w.txt", PROPS + "\n" + PROPS)
    assert refusal(assay.score, gold, {"s": twice}, "srl-span") == (
        "w.txt: 2 sentences, but x.txt has 1. Without words, the numbers must be equal."
    )
    assert "2 columns of arguments" in refusal(assay.score, gold, {"s": system}, "srl-span")


def test_arguments_that_are_there_twice_are_noted_in_every_format(file):
    for name, text, form in (
        ("a", CONLL09.replace("A0|A2", "A0|A0"), "conll09"),
        ("b", PROPS.replace("(A1(A2*))", "(A2(A2*))"), "props"),
        ("c", UP2.replace("A1:1-2", "A1:1-2|A1:1-2"), "up2-spans"),
    ):
        corpus = with_roles(read_labels(Input(file(name, text), input_format=form), [ROLES]))
        assert corpus.notes == ("Arguments that a predicate has twice, read once: 1.",)


def test_faults_of_brackets_and_columns_are_listed_in_the_order_of_the_file(file):
    text = rows("- (A0*", "try (V*)", "- *A1)") + "\n\n" + rows("- * *", "be (V*) *") + "\n" + rows("- x", "be (V*)")
    assert refusal(roles_of, file("x.props", text), "props") == (
        "x.props:1: the argument A0 that opens here is not closed in its sentence. Is a bracket missing?\n"
        "x.props:3: A1 is closed here that is not open. Is a bracket missing?\n"
        "x.props:6: 2 columns of arguments, but the sentence has 1 predicate. Is a cell missing, or too many?\n"
        "x.props:9: 'x', but brackets such as (A0*, * or *) are expected."
    )
