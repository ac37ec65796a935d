"""CoNLL-2012: words in columns, chains as brackets in the last."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay.corpus import Corpus
from assay.formats import FORMATS, Input, read
from unit.samples import chained, refusal

CASES = Path(__file__).parents[2] / "data" / "coreference"
DROP = "Is a bracket missing? To leave such mentions out: --repair drop"


def document(*cells: str, name: str = "(d); part 000", sep: str = "\t") -> str:
    """A document whose words have these cells in the last column; an empty one ends a sentence."""
    rows = [sep.join(["d", "0", str(i), f"w{i}", "NN", cell]) if cell else "" for i, cell in enumerate(cells)]
    return "\n".join([f"#begin document {name}", *rows, "#end document", ""])


@pytest.fixture
def corpus(file) -> Callable[..., Corpus]:
    """A text as a corpus."""

    def of(*texts: str, **options: str | None) -> Corpus:
        return read(file("a.conll", "".join(texts)), **options)

    return of


@pytest.fixture
def refused(file) -> Callable[..., str]:
    """The message with which a text is refused."""

    def of(*texts: str, input_format: str | None = None) -> str:
        return refusal(read, file("a.conll", "".join(texts)), input_format=input_format)

    return of


# --- what is read ---


def test_words_tags_sentences_and_documents_are_read(corpus):
    given = corpus(document("(1", "1)", "", "-"), "\n", document("(1)", name="(e); part 1"))
    assert given.format == "conll2012"
    assert given.forms.strings() == ["w0", "w1", "w3", "w0"]
    assert given.columns["XPOS"].strings() == ["NN"] * 4
    assert given.starts.tolist() == [0, 2, 3, 4]
    assert given.document_ids == ("(d); part 000", "(e); part 001")
    assert given.document_starts is not None and given.document_starts.tolist() == [0, 2, 3]
    assert given.by_id and given.has_words
    assert [given.place(word) for word in range(4)] == ["a.conll:2", "a.conll:3", "a.conll:5", "a.conll:9"]


def test_chains_are_told_apart_by_document_and_name(corpus):
    given = corpus(document("(1", "1)", "(2)"), document("(1)", "(person-1)", name="(e)"))
    assert chained(given) == ["0 1 0-2", "0 2 2-3", "1 1 0-1", "1 person-1 1-2"]
    assert given.marks["mentions"].columns["chain"].vocabulary == ("1", "2", "1", "person-1")
    assert given.marks["mentions"].lines.tolist() == [2, 4, 7, 8]


@pytest.mark.parametrize(
    "cells",
    [("(1|(2|(3", "3)|2)", "1)"), ("(1(2(3", "3)2)", "1)"), ("(3|(1(2", "2)3)", "1)"), ("(1|(2(3", " 2)3) ", "1)")],
)
def test_brackets_stand_with_or_without_bars_and_in_any_order(corpus, cells):
    assert sorted(chained(corpus(document(*cells)))) == ["0 1 0-3", "0 2 0-2", "0 3 0-2"]


def test_one_word_mentions_stand_beside_other_brackets(corpus):
    assert chained(corpus(document("(1|(0)", "(3)1)"))) == ["0 0 0-1", "0 1 0-2", "0 3 1-2"]


def test_a_closing_bracket_closes_the_latest_mention_of_its_chain(corpus):
    assert chained(corpus(document("(1", "(1", "1)", "1)"))) == ["0 1 0-4", "0 1 1-3"]
    assert chained(corpus(document("(1", "(1|1)", "1)"))) == ["0 1 0-3", "0 1 1-2"]


def test_documents_and_sentences_may_lie_in_several_batches(corpus, monkeypatch):
    text = document("(1", "1)", "", "(2)", "(3", "3)", "", "(2)") + "\n" + document("(1)", "", "(2)", name="(e)")
    whole = corpus(text)
    for size in (1, 20, 50, 90):
        monkeypatch.setattr("assay.formats.source.BATCH", size)
        pieces = corpus(text)
        assert chained(pieces) == chained(whole)
        assert pieces.starts.tolist() == whole.starts.tolist()
        assert [pieces.place(word) for word in range(len(whole))] == [whole.place(word) for word in range(len(whole))]


def test_lines_of_other_widths_are_read_like_any(corpus):
    lines = document("(1", "1)", "(2)").splitlines(keepends=True)
    lines[2] = lines[2].replace("NN", "NN\tfurther")
    assert chained(corpus("".join(lines))) == ["0 1 0-2", "0 2 2-3"]


@pytest.mark.parametrize("mark", ["-", "_", "*", "", " - "])
def test_marks_of_no_mention_are_known(corpus, mark):
    text = f"#begin document (d)\nd\t0\t0\ta\tNN\t(1)\nd\t0\t1\tb\tNN\t{mark}\n#end document\n"
    assert chained(corpus(text)) == ["0 1 0-1"]


def test_columns_may_be_divided_by_runs_of_blanks(corpus):
    text = document("(1", "1)|(2)", sep="    ").replace("w1", "w\u00a01")
    given = corpus(text)
    assert given.forms.strings() == ["w0", "w\u00a01"]
    assert chained(given) == ["0 1 0-2", "0 2 1-2"]


def test_columns_between_tag_and_brackets_are_not_counted(corpus):
    text = "#begin document (d)\nd 0 0 a NN * - (1)\nd 0 0 b VB (TOP* x y z -\n#end document\n"
    assert chained(corpus(text)) == ["0 1 0-1"]


def test_byte_order_mark_and_carriage_returns_are_no_content(file):
    text = document("(1", "1)", "", "(2)")
    name = file("a.conll", b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert chained(read(name)) == ["0 1 0-2", "0 2 2-3"]
    assert read(name).sentences == 2


def test_word_and_tag_may_stand_in_other_columns(corpus):
    text = "#begin document 7_semeval\n1\tHe\tPRP\tx\t(1)\n2\tran\tVBD\tx\t_\n#end document\n"
    given = corpus(text, input_format="conll2012(word=2, pos=3)")
    assert given.forms.strings() == ["He", "ran"]
    assert given.columns["XPOS"].strings() == ["PRP", "VBD"]
    assert given.document_ids == ("(7_semeval); part 000",)


def test_without_a_column_for_it_there_is_no_tag(corpus):
    text = "#begin document (d);\nd\t0\t0\ta\t(1)\nd\t0\t1\tb\t-\t\nd\t0\t2\tc\t-\n#end document\n"
    given = corpus(text)
    assert given.forms.strings() == ["a", "b", "c"]
    assert dict(given.columns) == {}


def test_a_column_of_marks_is_known_as_empty(file):
    name = file("a.conll", document("(1)", "-").replace("NN", "_"))
    assert Input(name).plan.filled == ()
    assert read(name).is_empty("XPOS")


@pytest.mark.parametrize("name", ["XPOS", "pos", "tag"])
def test_the_column_of_tags_goes_by_its_usual_names(file, name):
    path = file("a.conll", document("(1)"))
    assert list(read(path, columns=[name]).columns) == ["XPOS"]
    assert dict(read(path, columns=[]).columns) == {}


def test_other_columns_are_refused(file):
    path = file("a.conll", document("(1)"))
    assert refusal(read, path, columns=["LEMMA"]) == "a.conll: there is no column 'LEMMA'. Available: XPOS."


def test_skeletons_have_places_but_no_words(corpus):
    given = corpus("#begin document (d); part 000\nd -\nd (1\nd 1)\n\nd (1)\n\n#end document\n")
    assert not given.has_words
    assert given.forms.strings() == ["", "", "", ""]
    assert chained(given) == ["0 1 1-3", "0 1 3-4"]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("(a/b_1); part 000", "(a/b_1); part 000"),
        ("(a/b_1); part 0", "(a/b_1); part 000"),
        ("(a); part 12", "(a); part 012"),
        ("(a); ", "(a); part 000"),
        ("(a (b) c); part 1", "(a (b) c); part 001"),
        ("counterpart 3", "(counterpart 3); part 000"),
        ("x; part 3", "(x); part 003"),
        ("", "(1); part 000"),
        ("();", "(1); part 000"),
    ],
)
def test_ids_of_documents_have_one_form(corpus, written, name):
    assert corpus(document("(1)", name=written)).document_ids == (name,)
    assert corpus(document("(1)", name=written).replace("#begin", "# begin")).document_ids == (name,)


def test_documents_without_a_name_go_by_their_number(corpus):
    given = corpus(document("-", name=""), document("(1)", name="(b)"), document("-", name=""))
    assert given.document_ids == ("(1); part 000", "(b); part 000", "(3); part 000")


def test_a_file_without_mentions_has_no_chains(corpus):
    given = corpus(document("-", "-"))
    assert len(given.marks["mentions"]) == len(given.marks["mentions"].columns["chain"].vocabulary) == 0


def test_equal_spans_are_kept_in_the_order_in_which_their_chains_appear(corpus):
    assert chained(corpus(document("(1(3", "3)1)", "(3)|(3)"))) == ["0 1 0-2", "0 3 0-2", "0 3 2-3", "0 3 2-3"]
    # One-word mentions come before openings, whatever the order in the cell.
    assert chained(corpus(document("(9|(5)", "9)", "(9)|(5)"))) == ["0 5 0-1", "0 9 0-2", "0 5 2-3", "0 9 2-3"]
    assert chained(corpus(document("(9(5", "9)5)", "(5)(9)"))) == ["0 9 0-2", "0 5 0-2", "0 9 2-3", "0 5 2-3"]


def test_mentions_that_cross_the_end_of_a_sentence_are_counted_with_the_first_place(corpus):
    given = corpus(document("(1", "", "1)|(2", "", "2)", "", "(3)"))
    assert chained(given) == ["0 1 0-2", "0 2 1-3", "0 3 3-4"]
    assert given.notes == ("Mentions that cross the end of a sentence, taken as they are: 2 (the first: a.conll:2).",)


def test_several_files_are_one_corpus(file):
    file("set/a.conll", document("(1", "1)"))
    file("set/b.conll", document("(1)", name="(e)"))
    given = read("set")
    assert chained(given) == ["0 1 0-2", "1 1 0-1"]
    assert given.document_ids == ("(d); part 000", "(e); part 000")


def test_the_example_of_the_format_is_read_by_it(corpus):
    given = corpus(FORMATS["conll2012"].example)
    assert given.format == "conll2012"
    assert chained(given) == ["0 1 0-2"]


def test_the_format_is_told_where_words_look_numbered_or_comments_come_first(corpus):
    numbered = document("(1)", "-").replace("d\t0", "1\t0").replace("NN", "NN\t-\t-\t-\t-")
    assert corpus(numbered).format == "conll2012"
    assert corpus("# made by hand\n\n", document("(1)")).format == "conll2012"


# --- what is left out when asked for ---


def test_broken_mentions_are_left_out_and_counted_when_asked_for(corpus):
    broken = document("(1", "(2)", "3)", "(4", "3)")
    for options in ({"input_format": "conll2012(broken=drop)"}, {"repair": "drop"}, {"repair": "mend"}):
        given = corpus(broken, **options)
        assert chained(given) == ["0 2 1-2"]
        assert given.marks["mentions"].columns["chain"].vocabulary == ("2",)
        assert sorted((fault, action, number) for fault, action, number, _ in given.repairs) == [
            ("brackets that are never closed", "dropped", 2),
            ("brackets that were not opened", "dropped", 2),
        ]


def test_unknown_values_of_parameters_are_refused(refused):
    assert refused(document("-"), input_format="conll2012(broken=drip)") == (
        "there is no broken = 'drip'. Did you mean drop?"
    )
    assert refused(document("-"), input_format="conll2012(word=0)") == (
        "format conll2012: word and pos are numbers of columns, counted from 1."
    )


# --- what is refused ---


def test_all_problems_are_named_in_the_order_of_their_lines(refused):
    text = document("(1", "2)", "(3", "x")
    assert refused(text).split("\n") == [
        f"a.conll:2: the mention of chain 1 that opens here is not closed in its document. {DROP}",
        f"a.conll:3: chain 2 is closed here, but no mention of it is open. {DROP}",
        f"a.conll:4: the mention of chain 3 that opens here is not closed in its document. {DROP}",
        "a.conll:5: the last column is 'x', but brackets such as (1|(2)|3) are expected, or -.",
    ]


def test_of_many_problems_twenty_are_named_and_the_others_counted(refused):
    lines = refused(document(*["1)"] * 1025)).split("\n")
    assert len(lines) == 21
    assert lines[19].startswith("a.conll:21: ")
    assert lines[20] == "… and 1,005 more places"


@pytest.mark.parametrize(
    "cell",
    [
        "x",
        "1",
        "()",
        "(",
        ")",
        "(1 2)",
        "(1||(2)",
        "|(1)",
        "(1)|",
        "(V*)",
        "((1)",
        "(1))",
        "-|(1)",
        "(11)" * 40 + "x",
    ],
)
def test_cells_that_are_no_brackets_are_refused(refused, cell):
    assert refused(document("-", cell)) == (
        f"a.conll:3: the last column is {cell!r}, but brackets such as (1|(2)|3) are expected, or -."
    )


def test_a_tab_behind_the_brackets_is_found_out(refused, corpus):
    assert refused(document("-", "(1|(2)\t", "1)")).split("\n")[0] == (
        "a.conll:3: the last column is empty, and the one before it is '(1|(2)'. Is a tab too many?"
    )
    assert chained(corpus(document("(1)", "(PERSON)\t"))) == ["0 1 0-1"]


def test_documents_that_do_not_end_are_refused(refused):
    text = document("-")
    assert refused(text.replace("#end document\n", ""), document("-", name="(e)")) == (
        "a.conll:3: #begin document before the end of (d); part 000. Put #end document first."
    )
    assert refused(text.replace("#end document\n", "")) == (
        "a.conll:1: the document (d); part 000 that begins here does not end. Is the file cut short? "
        "It ends with #end document"
    )
    assert refused(text, "\n#end document\n") == (
        "a.conll:5: #end document, but none has begun. Is #begin document missing?"
    )


def test_a_mention_does_not_reach_into_the_next_document(refused):
    assert refused(document("(1"), document("1)", name="(e)")).split("\n") == [
        f"a.conll:2: the mention of chain 1 that opens here is not closed in its document. {DROP}",
        f"a.conll:5: chain 1 is closed here, but no mention of it is open. {DROP}",
    ]


def test_an_id_that_occurs_twice_is_refused(refused, file):
    assert refused(document("-", name="(d); part 0"), document("-", name="(d); part 000")) == (
        "a.conll:4: the id '(d); part 000' is already used in a.conll:1. Give each its own id."
    )
    file("set/a.conll", document("-"))
    file("set/b.conll", document("-"))
    assert refusal(read, "set") == (
        "set/b.conll:1: the id '(d); part 000' is already used in set/a.conll:1. Give each its own id."
    )


def test_words_outside_of_documents_and_documents_without_words_are_refused(refused):
    assert refused(document("-"), "d\t0\t0\ta\tNN\t-\n") == (
        "a.conll:4: a word outside of any document. Put a line #begin document (name) before it."
    )
    assert refused(document("-"), document(name="(e)")) == (
        "a.conll:4: the document (e); part 000 has no words. Leave it out."
    )


def test_a_file_without_a_document_is_refused(refused):
    assert refused("# nothing\n", input_format="conll2012") == (
        "a.conll:1: no document in the file. It begins with a line #begin document (name); part 000"
    )


def test_lines_with_too_few_columns_are_refused(refused):
    text = document("-", "-", "-").replace("d\t0\t1\tw1\tNN\t-", "d\t0\t-").replace("w2", "")
    assert refused(text).split("\n") == [
        "a.conll:3: 3 columns, but the word is in column 4 and the POS tag is in column 5 and the coreference in "
        "the last. Is a cell missing?",
        "a.conll:4: the word in column 4 is empty. Is a cell missing?",
    ]
    assert refused("#begin document (d)\na\tNN\t-\n#end document\n") == (
        "a.conll:2: 3 columns, but the word is in column 4 and the coreference in the last. "
        'Give the column of the words, e.g.: --input-format "conll2012(word=2)"'
    )
    assert refused("#begin document (d)\nd -\nd -\nd\n#end document\n") == (
        "a.conll:4: 1 column, but the coreference is in the second. Is a cell missing?"
    )


def test_files_with_other_columns_than_the_first_are_refused(file):
    file("tags/a.conll", document("-"))
    file("tags/b.conll", "#begin document (e)\nd\t0\t0\ta\t-\n#end document\n")
    assert refusal(read, "tags") == "tags/b.conll: no column of POS tags, but the files before it have one."
    file("words/a.conll", "#begin document (d)\nd -\n#end document\n")
    file("words/b.conll", document("-", name="(e)"))
    assert refusal(read, "words") == "words/b.conll: some files have words and some have none. Read them apart."


def test_a_byte_that_is_not_utf8_is_refused_with_its_line(file):
    name = file("a.conll", document("-", "-").encode().replace(b"w1", b"w\xff"))
    assert refusal(read, name).startswith("a.conll:3: byte 0xFF is not UTF-8.")


# --- the shared cases ---

REFUSED = {
    "unclosed": f"the mention of chain 2 that opens here is not closed in its document. {DROP}",
    "unopened": f"chain 2 is closed here, but no mention of it is open. {DROP}",
    "no-end-document": "#begin document before the end of (bad/one); part 000. Put #end document first.",
    "document-twice": "the id '(bad/one); part 000' is already used in document-twice.conll:1. Give each its own id.",
}
FAULTS = json.loads((CASES / "bad" / "expected.json").read_text())["files"]


@pytest.mark.parametrize("name", REFUSED)
def test_bad_files_are_refused_with_their_line(monkeypatch, name):
    monkeypatch.chdir(CASES / "bad")
    assert refusal(read, f"{name}.conll") == f"{name}.conll:{FAULTS[f'{name}.conll']['line']}: {REFUSED[name]}"


def test_an_empty_file_is_refused(monkeypatch):
    monkeypatch.chdir(CASES / "bad")
    assert refusal(read, "empty.conll") == (
        "empty.conll: the file is empty. Did the program that writes it stop with an error?"
    )


@pytest.mark.parametrize("name", sorted(FAULTS.keys() - {f"{name}.conll" for name in (*REFUSED, "empty")}))
def test_files_whose_faults_show_only_beside_gold_are_read(name):
    given = read(str(CASES / "bad" / name))
    assert len(given.marks["mentions"]) > 3
    assert ("cross" in "".join(given.notes)) == (FAULTS[name]["severity"] == "warning")


def test_bad_repetitions_are_kept_with_their_lines(monkeypatch):
    monkeypatch.chdir(CASES / "bad")
    for name, copies in (("duplicate-two-chains", ["0 1 4-5", "0 2 4-5"]), ("duplicate-same-chain", ["0 1 4-5"] * 2)):
        given = read(f"{name}.conll")
        rows = [number for number, mention in enumerate(chained(given)) if mention.endswith(" 4-5")]
        assert [chained(given)[row] for row in rows] == copies
        assert given.marks["mentions"].lines[rows].tolist() == [FAULTS[f"{name}.conll"]["line"]] * 2


def test_a_mention_over_a_sentence_end_is_noted_with_its_line(monkeypatch):
    monkeypatch.chdir(CASES / "bad")
    (note,) = read("crosses-sentence.conll").notes
    assert f"crosses-sentence.conll:{FAULTS['crosses-sentence.conll']['line']}" in note


@pytest.mark.parametrize("name", ["with-bar.conll", "without-bar.conll", "clusters.jsonl"])
def test_all_formats_give_equal_chains(name):
    one, other = (read(str(CASES / "formats" / path)) for path in ("with-bar.conll", name))
    for field in ("unit", "begin", "end", "group"):
        assert np.array_equal(getattr(one.marks["mentions"], field), getattr(other.marks["mentions"], field))
    assert one.forms.strings() == other.forms.strings()
    assert one.starts.tolist() == other.starts.tolist()
    assert one.document_ids == other.document_ids
    assert len(one.marks["mentions"]) == 16


# --- real data ---


def test_the_cases_of_the_reference_scorer_are_read(shared_data):
    files = sorted((shared_data("coref-reference-scorer") / "files").iterdir())
    read_as = {file.name: read(str(file)) for file in files}
    assert len(read_as) == 34
    assert chained(read_as["TC-A.key"]) == ["0 0 0-2", "0 1 3-7", "0 1 9-10", "0 2 11-13", "0 2 14-15", "0 2 16-19"]
    assert chained(read_as["TC-A-5.response"])[1:3] == ["0 1 3-7", "0 1 4-6"]
    assert [mention for mention in chained(read_as["TC-A-7.response"]) if "3-7" in mention] == ["0 1 3-7"] * 2
    assert [mention for mention in chained(read_as["TC-A-8.response"]) if "3-7" in mention] == ["0 1 3-7", "0 3 3-7"]
    for case in json.loads((files[0].parents[1] / "reference_cases.json").read_text())["cases"]:
        key, response = (read_as[case[side].partition("/")[2]] for side in ("key", "response"))
        assert key.document_ids == response.document_ids
        assert len(key) == len(response)
        assert key.has_words == (case["case"][0] in "AMN")


@pytest.mark.parametrize("system", ["xrenner-rules", "noised-1", "noised-2"])
def test_real_files_have_as_many_mentions_and_chains_as_expected(shared_data, system):
    folder = shared_data("coref-ontogum")
    expected = json.loads((folder / "expected.json").read_text())["chain_metrics"][system]["keep_singletons"][
        "counts"
    ]
    gold, output = read(str(folder / "gold.conll")), read(str(folder / f"{system}.conll"))
    _, key, _, response = expected["mentions"]
    _, key_chains, _, response_chains = expected["ceafe"]
    assert (len(gold.marks["mentions"]), len(output.marks["mentions"])) == (key, response)
    chains = [len(corpus.marks["mentions"].columns["chain"].vocabulary) for corpus in (gold, output)]
    assert chains == [key_chains, response_chains]
    assert gold.document_ids == output.document_ids
    assert (gold.documents, len(gold)) == (21, 20_065)
    assert len(output.notes) == (system == "xrenner-rules")


def test_a_large_file_has_the_mentions_its_source_has(shared_data):
    given = read(str(shared_data("coref-english") / "key.conll"))
    assert (given.documents, given.sentences, len(given), len(given.marks["mentions"])) == (30, 1_464, 28_397, 7_927)
    sizes = np.bincount(given.marks["mentions"].group)
    assert int(sizes[sizes > 1].sum()) == 4_702
