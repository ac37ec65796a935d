"""Trees in brackets."""

from __future__ import annotations

import json

import pytest

import assay
from assay.formats import read
from assay.formats import source as source_module
from assay.formats.brackets import looks_brackets, looks_discbracket, unescape_word
from unit.samples import drawn, refusal

THE_END = "(S (NP (DT The) (NN end)) (VP (VBZ comes)))"
WITHIN = "Brackets within words are written -LRB- and -RRB-."
SKIP = "To leave out such trees, if each is on its own line: --on-mismatch skip"


def test_words_tags_and_nodes_of_a_tree(file):
    corpus = read(file("a.ptb", f"(ROOT {THE_END})\n"))
    assert corpus.format == "brackets"
    assert corpus.forms.strings() == ["The", "end", "comes"]
    assert corpus.column("tag").strings() == ["DT", "NN", "VBZ"]
    assert drawn(corpus) == [["ROOT[The end comes]-1", "S[The end comes]0", "NP[The end]1", "VP[comes]1"]]
    assert corpus.trees.above.tolist() == [2, 2, 3]
    assert corpus.trees.edges is None
    assert corpus.unparsed == frozenset()
    assert corpus.notes == ()


def test_nodes_are_numbered_over_all_sentences_and_files_and_words_within_their_sentence(file):
    file("docs/a.ptb", f"{THE_END}\n(NP (NN Silence))\n")
    file("docs/b.ptb", "(FRAG (NP (NN No) (NN end)))\n")
    corpus = read("docs")
    trees = corpus.trees
    assert trees.sentence.tolist() == [0, 0, 0, 1, 2, 2]
    assert trees.parent.tolist() == [-1, 0, 0, -1, -1, 4]
    assert trees.begin.tolist() == [0, 0, 2, 0, 0, 0]
    assert trees.end.tolist() == [3, 2, 3, 1, 2, 2]
    assert trees.above.tolist() == [1, 1, 2, 3, 5, 5]
    assert trees.lines.tolist() == [1, 1, 1, 2, 1, 1]
    assert corpus.documents == 2


def test_labels_stay_as_they_are_written_and_an_empty_root_is_a_node(file):
    corpus = read(file("a.ptb", "( (S (NP-SBJ-1 (NNP John)) (VP (VBD left)) (NP=2 (RB here))))"))
    assert corpus.trees.labels.strings() == ["", "S", "NP-SBJ-1", "VP", "NP=2"]


def test_empty_elements_go_with_the_nodes_that_hold_nothing_else(file):
    text = "( (S (NP-SBJ-1 (NNP John)) (VP (VBZ wants) (S (NP-SBJ (-NONE- *-1)) (VP (TO to) (VP (VB go)))))))\n"
    text += "(S (NP (NN a)) (SBAR (-NONE- 0) (S (-NONE- *T*-1))))\n"
    corpus = read(file("a.ptb", text))
    assert corpus.forms.strings() == ["John", "wants", "to", "go", "a"]
    assert drawn(corpus)[0][4:] == ["S[to go]3", "VP[to go]4", "VP[go]5"]
    assert drawn(corpus)[1] == ["S[a]-1", "NP[a]0"]
    assert corpus.notes == ("empty elements left out: 3",)


def test_a_word_without_a_tag_of_its_own_stands_directly_under_its_phrase(file):
    corpus = read(file("a.ptb", "(NP the (NN end) of it)"))
    assert corpus.column("tag").strings() == ["", "NN", "", ""]
    assert drawn(corpus) == [["NP[the end of it]-1"]]


def test_a_tree_that_is_but_a_word_with_its_tag_has_no_nodes(file):
    corpus = read(file("a.ptb", f"(UH Oh)\n{THE_END}"))
    assert drawn(corpus)[0] == []
    assert corpus.trees.above.tolist() == [-1, 1, 1, 2]
    assert corpus.column("tag")[0] == "UH"
    assert corpus.unparsed == frozenset()


def test_trees_over_many_lines_and_several_to_a_line_are_told_by_their_brackets(file):
    text = "(ROOT\n  (S\n\t(NP\n\n (NN\n   End)) ) )(NP (NN a)) (NP\n(NN b))\n\n\n(NP(NN c))"
    corpus = read(file("a.ptb", text))
    assert corpus.forms.strings() == ["End", "a", "b", "c"]
    assert corpus.lines.tolist() == [1, 6, 6, 10]
    assert corpus.trees.lines.tolist() == [1, 1, 1, 6, 6, 10]
    assert corpus.unparsed == frozenset()


MIXED = f"{THE_END}\n(NP (NN a)) (VB is)\n"


def test_several_trees_in_a_line_where_others_have_one_are_sentences_or_one_as_the_user_says(file):
    name = file("a.ptb", MIXED)
    assert refusal(read, name) == (
        "a.ptb:2: 2 trees in one line, while other lines contain one each. If a line is a sentence, say "
        '--input-format "brackets(line=sentence)"; if each tree is one, "brackets(line=trees)".'
    )
    apart = read(name, input_format="brackets(line=trees)")
    assert (apart.sentences, drawn(apart)[1:]) == (3, [["NP[a]-1"], []])
    corpus = read(name, input_format="brackets(line=sentence)")
    assert (corpus.sentences, corpus.lines.tolist()) == (2, [1, 2])
    assert drawn(corpus)[1] == ["NP[a]-1"]
    assert corpus.column("tag").strings()[-2:] == ["NN", "VB"]
    assert corpus.trees.above.tolist()[-1] == -1


def test_all_trees_in_one_line_are_as_many_sentences(file):
    assert read(file("a.ptb", "(NP (NN a)) (NP (NN b))\n")).sentences == 2


def test_blank_lines_are_sentences_without_a_parse_where_lines_are_sentences(file):
    corpus = read(
        file("a.ptb", f"{MIXED}\n{THE_END}\n(()) (NP (NN b))\n(())\n"), input_format="brackets(line=sentence)"
    )
    assert (corpus.sentences, corpus.unparsed) == (6, frozenset({2, 5}))


def test_a_tree_over_two_lines_is_no_line(file):
    name = file("a.ptb", "(NP (NN a))\n(NP\n(NN b))\n")
    assert refusal(read, name, input_format="brackets(line=sentence)") == (
        "a.ptb:2: a tree that ends in another line, or a line of over 2 MB, but each line must be one sentence. "
        "Remove line=sentence."
    )


def test_lines_of_discbracket_may_be_sentences_too(file):
    name = file("a.dbr", "(NP (NN 0=a))\n(NP (NN 1=b)) (VB 0=is)\n")
    assert read(name, input_format="discbracket(line=sentence)").forms.strings() == ["a", "is", "b"]


def test_white_space_that_is_not_ascii_is_part_of_a_word(file):
    corpus = read(file("a.ptb", "(NP (CD 10\u00a0000) (NN Häuser))\r\n(NP (NN x))\r\n"))
    assert corpus.forms.strings() == ["10\u00a0000", "Häuser", "x"]


@pytest.mark.parametrize(
    ("form", "plain"),
    [
        ("-LRB-", "("),
        ("Governor-LRB-s-RRB-", "Governor(s)"),
        (":-RRB-", ":)"),
        ("-LCB--RSB-", "{]"),
        ("#LRB#", "("),
        (r"1\/2", "1/2"),
        (r"\*\*", "**"),
        ("-LRB", "-LRB"),
        ("C:\\x", "C:\\x"),
    ],
)
def test_words_are_read_as_they_stand_in_the_text(form, plain):
    assert unescape_word(form) == plain


def test_words_may_be_kept_as_they_are_written(file):
    name = file("a.ptb", "(PRN (-LRB- -LRB-) (CD 1\\/2) (-RRB- -RRB-))")
    assert read(name).forms.strings() == ["(", "1/2", ")"]
    kept = read(name, input_format="brackets(escaped=false)")
    assert kept.forms.strings() == ["-LRB-", "1\\/2", "-RRB-"]
    assert kept.column("tag").strings() == ["-LRB-", "CD", "-RRB-"]


# --- no parse ---


@pytest.mark.parametrize("missing", ["()", "(())", "( ( ) )", "(NOPARSE)", "( (S (-NONE- *)))", ""])
def test_a_sentence_without_a_parse_stays_in_its_place(file, missing):
    corpus = read(file("a.ptb", f"{THE_END}\n{missing}\n(NP (NN x))\n(NP (NN y))\n"))
    assert corpus.sentences == 4
    assert corpus.unparsed == {1}
    assert corpus.forms.strings() == ["The", "end", "comes", "", "x", "y"]
    assert corpus.column("tag").strings(3, 5) == ["", "NN"]
    assert corpus.trees.above.tolist() == [1, 1, 2, -1, 3, 4]
    assert corpus.trees.sentence.tolist() == [0, 0, 0, 2, 3]
    assert corpus.lines.tolist() == [1, 2, 3, 4]
    assert "sentences without a parse: 1" in corpus.notes


@pytest.mark.parametrize("tree", ["(NOPARSE (DT The) (NN end))", "(NOPARSE (X (DT The) (Y (NN end))))"])
def test_the_words_of_a_sentence_without_a_parse_are_kept_where_they_are_given(file, tree):
    corpus = read(file("a.ptb", f"(NP (NN x))\n{tree}\n(NOPARSE y)\n(NP (NN z))"))
    assert corpus.forms.strings() == ["x", "The", "end", "y", "z"]
    assert corpus.column("tag").strings() == ["NN", "DT", "NN", "", "NN"]
    assert corpus.unparsed == {1, 2}
    assert corpus.trees.above.tolist() == [0, -1, -1, -1, 1]


def test_blank_lines_count_from_the_first_line_to_the_last_where_trees_have_a_line_each(file):
    corpus = read(file("a.ptb", "\n(NP (NN a))\n(NP (NN b))\n  \n\n(NP (NN c))\n\n"))
    assert corpus.forms.strings() == ["", "a", "b", "", "", "c", ""]
    assert corpus.unparsed == {0, 3, 4, 6}
    assert corpus.lines.tolist() == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize(
    "text",
    [
        "(NP (NN a))\n\n(NP (NN b))\n\n\n(NP (NN c))\n\n",
        "(NP (NN a))\n\n(NP\n (NN b))\n(NP (NN c))\n",
        "(NP (NN a)) (NP (NN b)) (NP (NN c))\n\n",
        "\n(NP (NN a) (NN b) (NN c))\n\n",
    ],
    ids=["between all trees", "a tree over two lines", "two trees in a line", "one tree"],
)
def test_blank_lines_divide_trees_otherwise(file, text):
    corpus = read(file("a.ptb", text))
    assert corpus.forms.strings() == ["a", "b", "c"]
    assert corpus.unparsed == frozenset()


def test_what_a_blank_line_is_may_be_said(file):
    name = file("a.ptb", "(NP (NN a))\n\n(NP (NN b))\n(NP (NN c))\n")
    assert read(name).unparsed == {1}
    assert read(name, input_format="brackets(blank=nothing)").unparsed == frozenset()
    single = file("b.ptb", "\n(NP (NN a))\n")
    assert read(single).sentences == 1
    assert read(single, input_format="brackets(blank=unparsed)").unparsed == {0}
    several = file("c.ptb", "(NP\n (NN a))\n\n(NP (NN b))")
    assert refusal(read, several, input_format="brackets(blank=unparsed)") == (
        "c.ptb: not every tree has a line of its own, so a blank line cannot be a sentence. "
        "Write sentences without a parse as (())."
    )
    assert refusal(read, name, input_format="brackets(blank=parse)") == (
        "there is no kind of blank line 'parse'. Did you mean unparsed?"
    )


# --- batches ---


def test_where_the_file_is_cut_into_batches_makes_no_difference(file, monkeypatch):
    trees = [f"(ROOT\n (S (NP (NN w{number}))\n  (VP (VB x))))" for number in range(40)]
    name = file("a.ptb", "\n".join(trees) + " (NP (NN last)) \n\n")
    whole = read(name)
    monkeypatch.setattr(source_module, "BATCH", 60)
    parts = read(name)
    assert drawn(parts) == drawn(whole)
    assert parts.forms.strings() == whole.forms.strings()
    assert parts.trees.lines.tolist() == whole.trees.lines.tolist()
    assert parts.sentences == 41


def test_blank_lines_are_missing_parses_over_batches_too(file, monkeypatch):
    name = file("a.ptb", "(NP (NN a))\n\n" * 20 + "(NP (NN b))\n(NP (NN b))\n")
    monkeypatch.setattr(source_module, "BATCH", 30)
    assert read(name).unparsed == frozenset(range(1, 40, 2))


def test_trees_of_many_thousand_levels_are_read(file):
    deep = 50_000
    corpus = read(file("a.ptb", "(X " * deep + "(NN a)" + ")" * deep + "\n" + THE_END))
    assert len(corpus.trees) == deep + 3
    assert corpus.trees.parent[: deep + 1].tolist() == [*range(-1, deep - 1), -1]


# --- what can be wrong ---


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            f"{THE_END}\n(NP (NN :)))\n{THE_END}\n",
            f"a.ptb:2: a closing bracket that closes nothing, after the tree that begins in line 2. {WITHIN} {SKIP}",
        ),
        (
            f"(ROOT\n {THE_END}))\n",
            f"a.ptb:2: a closing bracket that closes nothing, after the tree that begins in line 1. {WITHIN} {SKIP}",
        ),
        (
            f"{THE_END}\n(NP (NN a)\n{THE_END}\n{THE_END}\n",
            "a.ptb:2: the tree that begins here lacks a closing bracket; the next seems to begin in line 3. "
            + f"{WITHIN} {SKIP}",
        ),
        (
            "\n(S\n  (NP (NN a)",
            f"a.ptb:2: the tree that begins here lacks 2 closing brackets. {WITHIN} {SKIP}",
        ),
        (
            f"{THE_END}\n(NP (-LRB- () (NN a))\n{THE_END}",
            f"a.ptb:2: () contains no word. A word is written (TAG word). {WITHIN}",
        ),
        (
            f"{THE_END}\n(S\n (NP (NN Governor(s))))",
            "a.ptb:3: (s) contains no word, in the tree that begins in line 2. A word is written (TAG word). "
            + WITHIN,
        ),
        (
            f"{THE_END}\n(S (NP  ) (VP (VB a)))",
            f"a.ptb:2: (NP ) contains no word. A word is written (TAG word). {WITHIN}",
        ),
        (
            f"{THE_END} über\n",
            f"a.ptb:1: 'über' is outside all brackets. {WITHIN}",
        ),
        (
            f"{THE_END}\n\nS {THE_END}\n",
            f"a.ptb:3: 'S' is outside all brackets. {WITHIN}",
        ),
    ],
)
def test_faults_are_refused_with_their_place(file, text, message):
    assert refusal(read, file("a.ptb", text)) == message


def test_trees_whose_brackets_are_not_paired_can_be_left_out(file):
    gold = file("gold.ptb", f"{THE_END}\n{THE_END}\n{THE_END}\n")
    broken = file("system.ptb", f"{THE_END}\n(S (NP (NN a))\n{THE_END}\n")
    with pytest.raises(assay.AssayError, match=r"system.ptb:2: .* lacks a closing bracket"):
        assay.score(gold, [broken], ["parseval"], times=10)
    result = assay.score(gold, [broken], ["parseval"], times=10, on_mismatch="skip")
    assert "system: system.ptb: trees whose brackets are not paired, read as no parse: 1." in result.warnings
    counts = next(row.counts for row in result.counts if row.label is None)
    assert (counts["sentences"], counts["skipped"], counts["tp"]) == (2, 1, 6)
    result = assay.score(broken, [gold], ["parseval"], times=10, on_mismatch="skip")
    assert result.about.units == 2
    assert not any("other words" in text for text in result.warnings)


def test_a_tree_over_many_lines_cannot_be_left_out(file):
    gold = file("gold.ptb", f"{THE_END}\n{THE_END}\n")
    broken = file("system.ptb", "(S\n (NP (NN a))\n (VP\n (VB b)\n")
    with pytest.raises(assay.AssayError, match=r"system.ptb:1: .* lacks 2 closing brackets"):
        assay.score(gold, [broken], ["parseval"], times=10, on_mismatch="skip")


def test_a_file_without_trees_is_refused(file):
    assert refusal(read, file("a.ptb", "\n\n"), input_format="brackets") == "a.ptb: contains no words."


def test_there_is_no_column_but_the_tag(file):
    name = file("a.ptb", THE_END)
    assert read(name, columns=["XPOS"]).column("tag").strings() == ["DT", "NN", "VBZ"]
    assert read(name, columns=[]).columns == {}
    assert refusal(read, name, columns=["LEMMA"]) == "a.ptb: there is no column 'LEMMA'. Available: tag."


# --- telling the format ---


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        (THE_END, True),
        ("\n\n  (ROOT\n    (S\n", True),
        ("( (S (NN a)))", True),
        ("(S(NN a))", True),
        ("(())\n(NP (NN a))", True),
        ("(\t(\nHello\tUH\n)\t)\n", False),
        ("(\t-LRB-\nHello\tUH\nyou\tPRP\n", False),
        ("(/( The/DT end/NN )/)", False),
        ("The (end)", False),
    ],
)
def test_brackets_are_told_from_words_that_are_brackets(text, is_one):
    assert looks_brackets(text.split("\n")) is is_one


def test_discbracket_is_told_by_its_numbers():
    assert looks_discbracket(["(S (VP (VB 0=Is) (JJ 2=red)) (NP (PRP 1=it)))"])
    assert not looks_discbracket(["(S (VP (VB 0=Is) (JJ red)))"])
    assert not looks_discbracket([THE_END])
    assert not looks_discbracket(["(("])


# --- discbracket ---


def test_numbered_words_stand_in_their_order_and_nodes_have_gaps(file):
    corpus = read(
        file("a.dbr", "(ROOT (S (VP (VB 0=Is) (JJ 2=-LRB-)) (NP (PRP 1=it) (X 4==))) ($. 3=.))\n(NP (NN 0=a))")
    )
    assert corpus.format == "discbracket"
    assert corpus.forms.strings() == ["Is", "it", "(", ".", "=", "a"]
    assert corpus.column("tag").strings() == ["VB", "PRP", "JJ", "$.", "X", "NN"]
    assert drawn(corpus) == [["ROOT[Is it ( . =]-1", "S[Is it (_=]0", "VP[Is_(]1", "NP[it_=]1"], ["NP[a]-1"]]
    assert corpus.trees.stretches == {1: ((0, 3), (4, 5)), 2: ((0, 1), (2, 3)), 3: ((1, 2), (4, 5))}
    assert corpus.trees.above.tolist() == [2, 3, 2, 0, 3, 4]


def test_the_order_in_which_sisters_are_written_makes_no_difference(file):
    one = read(file("a.dbr", "(S (NP (N 0=a) (N 3=d)) (VP (V 1=b)) (X 2=c))"))
    other = read(file("b.dbr", "(S (X 2=c) (VP (V 1=b)) (NP (N 3=d) (N 0=a)))"))
    assert drawn(one) == drawn(other) == [["S[a b c d]-1", "NP[a_d]0", "VP[b]0"]]
    assert one.trees.above.tolist() == other.trees.above.tolist()


def test_missing_parses_and_empty_elements_of_numbered_words(file):
    text = "(NP (NN 0=a) (-NONE- 1=*) (NN 2=b))\n\n(NOPARSE (N 1=b) (N 0=a))\n(())\n(NN 0=x)"
    corpus = read(file("a.dbr", text))
    assert corpus.forms.strings() == ["a", "b", "", "a", "b", "", "x"]
    assert corpus.unparsed == {1, 2, 3}
    assert drawn(corpus) == [["NP[a b]-1"], [], [], [], []]
    assert corpus.notes == ("empty elements left out: 1", "sentences without a parse: 3")


@pytest.mark.parametrize(
    ("leaves", "message"),
    [
        ("(N 0=a) (N 0=b)", "word 0, but word 1 should follow. The words of a tree are numbered from 0, each once."),
        ("(N 1=a) (N 2=b)", "word 1, but word 0 should follow. The words of a tree are numbered from 0, each once."),
        ("(N 0=a) (N b)", "'b' is not of the form number=word, as all words of discbracket are."),
        ("(N 0=a) (N 1=)", "'1=' is not of the form number=word, as all words of discbracket are."),
    ],
)
def test_faulty_numbers_are_refused_with_their_place(file, leaves, message):
    name = file("a.dbr", f"(S (N 0=a))\n(S {leaves})")
    assert refusal(read, name, input_format="discbracket") == f"a.dbr:2: {message}"


# --- real trees ---


def test_the_counts_of_the_gum_trees(shared_data):
    folder = shared_data("gum-const-dep")
    expected = json.loads((folder / "expected.json").read_text("utf-8"))["documents"]
    for name, counts in expected.items():
        corpus = read(str(folder / "const" / f"{name}.ptb"))
        found = (corpus.sentences, len(corpus), len(corpus.trees))
        assert found == (counts["sentences"], counts["tokens"], counts["constituents"]), name
        words = read(str(folder / "dep" / f"{name}.conllu"), columns=[])
        assert words.forms.strings() == corpus.forms.strings()
        assert words.starts.tolist() == corpus.starts.tolist()
