"""Links as a task: how files are read, what is refused, left out and said, and what options do."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.demo import FOLDER
from assay.engine import run
from assay.errors import InputError, UsageError
from cases import each
from commands import call
from pieces import folders

GOLD, LOOKUP, CONTEXT = (str(FOLDER / "links" / f"{name}.tsv") for name in ("gold", "lookup", "context"))
Pair = Callable[..., tuple[str, str]]


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    def write(gold: str, system: str, ending: str = "tsv") -> tuple[str, str]:
        for name, text in (("gold", gold), ("system", system)):
            (tmp_path / f"{name}.{ending}").write_text(text, "utf-8")
        return str(tmp_path / f"gold.{ending}"), str(tmp_path / f"system.{ending}")

    return write


def hipe(*documents: str, names: bool = True, columns: str = "TOKEN NE-COARSE-LIT NEL-LIT MISC") -> str:
    """Documents of `word:tag:link` or `word`, sentences that end in a full stop."""
    lines = ["\t".join(columns.split())]
    for number, document in enumerate(documents, 1):
        lines += [f"# hipe2022:document_id = d{number}"] if names else []
        for word in document.split():
            form, *cells = word.split(":")
            misc = "NoSpaceAfter|EndOfSentence" if form == "." else "_"
            lines.append("\t".join([form, *(cells or ["O"] + ["_"] * (len(columns.split()) - 3)), misc]))
    return "\n".join(lines) + "\n"


def counts(gold: str, system: str, measure: str = "links", **options: Any) -> tuple[int, int, int]:
    """Right links, spurious and missing ones."""
    (row,) = assay.score(gold, {"s": system}, measure, times=1, **options).counts
    return row.counts["tp"], row.counts["fp"], row.counts["fn"]


def refusal(gold: str, system: str, **options: Any) -> str:
    with pytest.raises(assay.AssayError) as error:
        assay.score(gold, {"s": system}, options.pop("measures", "links"), times=1, **options)
    return str(error.value)


# --- HIPE ---


def test_hipe_files_are_told_by_their_header_and_cut_by_their_comments():
    corpus = assay.read(GOLD)
    assert (corpus.format, corpus.documents, corpus.sentences) == ("hipe", 4, 14)
    assert corpus.document_ids == ("letters-1", "letters-2", "news-1", "news-2")
    result = assay.score(GOLD, {"context": CONTEXT}, times=1)
    assert (result.about.task, result.about.unit) == ("links", "document")
    assert result.measures == ["links", "fair-links", "link-accuracy", "link-mentions"]
    assert "links(at=1, match=strict, nil=kept, types=any)" in result.signature
    assert "links(at=1, match=strict, nil=kept, types=any): the same place, the first candidate right." in (
        result.shown.remarks["scores"]
    )


@each(
    "gold, system, expected",
    [
        # I- without B- opens a mention, and S- and E- are B- and I-.
        ("a:B-x:Q1 b:I-x:Q1", "a:I-x:Q1 b:I-x:Q1", (1, 0, 0)),
        ("a:B-x:Q1 b:I-x:Q1", "a:B-x:Q1 b:E-x:Q1", (1, 0, 0)),
        ("a:B-x:Q1 b:B-x:Q2", "a:S-x:Q1 b:S-x:Q2", (2, 0, 0)),
        # Another link splits a mention of a system; of gold's the first link holds.
        ("a:B-x:Q1 b:I-x:Q1", "a:B-x:Q1 b:I-x:Q2", (0, 2, 1)),
        ("a:B-x:Q1 b:I-x:Q2", "a:B-x:Q1 b:I-x:Q1", (1, 0, 0)),
        # A link outside of all mentions is a mention of one word.
        ("a:O:Q1 b:O:_", "a:B-x:Q1 b:O:_", (1, 0, 0)),
        # Cells in capitals, - and _ without a link, NIL of any name is NIL.
        ("a:B-x:q1 b:B-x:-", "a:B-X:Q1 b:B-x:_", (1, 0, 0)),
        ("a:B-x:NIL b:B-x:NIL0042", "a:B-x:NIL7 b:B-x:--NME--", (2, 0, 0)),
        # Candidates are ranked.
        ("a:B-x:Q1", "a:B-x:Q2|Q1", (0, 1, 1)),
        # A word that was not annotated ends a mention.
        ("a:B-x:Q1 b:O:_ c:B-x:Q2", "a:B-x:Q1 b:_:_ c:I-x:Q2", (2, 0, 0)),
    ],
    ids=lambda case: f"{case[0]} / {case[1]}",
)
def test_mentions_are_read_as_hipe_reads_them(pair, gold, system, expected):
    assert counts(*pair(hipe(gold), hipe(system))) == expected


def test_a_response_without_comments_is_cut_as_gold(pair):
    gold, system = pair(hipe("a:B-x:Q1", "b:I-x:Q1"), hipe("a:B-x:Q1", "b:I-x:Q1", names=False))
    # In one document it would be one mention.
    assert counts(gold, system) == (2, 0, 0)
    result = assay.score(gold, {"s": system}, "links", times=1)
    assert [row.counts["documents-f1"] for row in result.counts] == [2]


def test_words_with_a_hash_are_words_and_may_be_missing_in_a_response(pair):
    gold, system = pair(hipe("a:B-x:Q1 #b:B-x:Q2 c"), hipe("a:B-x:Q1 c"))
    result = assay.score(gold, {"s": system}, "links", times=1)
    assert [row.counts["fn"] for row in result.counts] == [1]
    assert "s: Words of gold that begin with # and are missing, put in without annotation: 1." in result.warnings
    assert "'b' is missing in " in refusal(*pair(hipe("a:B-x:Q1 b"), hipe("a:B-x:Q1")))


def test_words_quoted_as_in_csv_are_read_without_quotes(pair):
    gold, system = pair(hipe('a:B-x:Q1 "b "'), hipe('a:B-x:Q1 """b" """"'))
    result = assay.score(gold, {"s": system}, "links", times=1)
    assert "s: Words in quotes as in CSV, read without them: 2." in result.warnings


def test_words_without_annotation_are_outside_and_counted(pair):
    gold, system = pair(hipe("a:B-x:Q1 b c"), hipe("a:B-x:Q1 b:_:_ c"))
    result = assay.score(gold, {"s": system}, "links", times=1)
    assert "s: 1 word has no annotation in NE-COARSE-LIT, so it counts as O." in result.warnings
    spans = assay.score(gold, {"s": system}, "exact", column="NE-COARSE-LIT", times=1)
    assert spans.about.task == "spans"
    assert "s: 1 word has no annotation in NE-COARSE-LIT, so it counts as O." in spans.warnings


def test_a_column_of_nothing_is_refused_with_those_that_have_tags(pair):
    columns = "TOKEN NE-COARSE-LIT NE-COARSE-METO NEL-LIT MISC"
    gold, system = pair(*[hipe("a:B-x:_:Q1 b:O:_:_", columns=columns)] * 2)
    said = f"{gold}: column NE-COARSE-METO contains only _, so there is nothing to compare. Columns with tags: "
    for measure, options in (("links", {"task": "links"}), ("exact", {})):
        assert refusal(gold, system, measures=measure, column="NE-COARSE-METO", **options) == f"{said}NE-COARSE-LIT."


def test_a_blank_tag_is_read_in_any_table_where_it_is_named(pair):
    gold, system = pair("a\tB-x\nb\tO\n", "a\tB-x\nb\t_\n")
    assert "tag '_', which no scheme has" in refusal(gold, system, measures="exact")
    result = assay.score(gold, {"s": system}, "exact", blank_tag="_", times=1)
    assert "s: 1 word has no annotation in 2, so it counts as O." in result.warnings


def test_gold_may_have_literal_and_metonymic_links(pair):
    columns = "TOKEN NE-COARSE-LIT NEL-LIT NEL-METO MISC"
    gold, system = pair(hipe("a:B-x:Q1:Q2", columns=columns), hipe("a:B-x:Q2:_", columns=columns))
    assert counts(gold, system) == (0, 1, 1)
    assert counts(gold, system, link_column="NEL-LIT,NEL-METO") == (1, 0, 0)


@each(
    "text, said",
    [
        ("TOKEN\tNE-COARSE-LIT\tNEL-LIT\na\tB-x\n", ":2: 2 columns, but the first line has 3. Is a cell missing"),
        ("TOKEN\tNE-COARSE-LIT\tNEL-LIT\n\tB-x\tQ1\n", ":2: the word is empty. Is a cell missing?"),
        ("TOKEN\tNE-COARSE-LIT\tNEL-LIT\na\tperson\tQ1\n", ":2: tag 'person' in NE-COARSE-LIT, but a tag is O, or"),
        ("TOKEN\tNE-COARSE-LIT\tNEL-LIT\na\tB-x\tQ 1\n", ":2: the identifier 'Q 1' has a blank in it. Several are"),
        (hipe("a", "b").replace("d2", "d1"), ":4: the id 'd1' is already used in "),
    ],
    ids=lambda case: case[1],
)
def test_faults_of_hipe_files_are_named_with_their_place(pair, text, said):
    gold, system = pair(text, text)
    assert refusal(gold, system).startswith(f"{gold}{said}")


def test_a_table_that_is_said_to_be_hipe_needs_its_header(pair):
    gold, system = pair("a\tB-x\n", "a\tB-x\n")
    assert refusal(gold, system, input_format="hipe", task="links").startswith(
        f"{gold}:1: the first line does not name the columns, as it does in HIPE files"
    )


# --- AIDA ---

AIDA = """\
-DOCSTART- (1 EU)
EU\tB\tEU\t--NME--
rejects
German\tB\tGerman\tGermany\thttp://en.wikipedia.org/wiki/Germany\t11867\t/m/0345h

Peter\tB\tPeter Ng\t--NME--
Ng\tI\tPeter Ng\t--NME--

-DOCSTART- (2 Rain)
New\tB\tNew York\tNew_York_City\thttp://en.wikipedia.org/wiki/New_York_City\t645042\t/m/02_286
York\tI\tNew York\tNew_York_City\thttp://en.wikipedia.org/wiki/New_York_City\t645042\t/m/02_286
"""


def test_words_of_aida_have_one_cell_outside_of_mentions(pair):
    gold, system = pair(AIDA, AIDA.replace("Germany", "Prussia"))
    corpus = assay.read(gold)
    links = corpus.marks["links"]
    assert (corpus.format, corpus.document_ids, corpus.starts.tolist()) == ("aida", ("1 EU", "2 Rain"), [0, 3, 5, 7])
    assert links.begin.tolist() == [0, 2, 0, 0] and links.end.tolist() == [1, 3, 2, 2]
    assert corpus.marks["candidates"].labels.strings() == ["NIL", "Germany", "NIL", "New_York_City"]
    assert counts(gold, system) == (3, 1, 1)
    assert assay.read(gold, input_format="aida(link=6)").marks["candidates"].labels[1] == "11867"
    assert corpus.place(6) == f"{gold}:11"
    assert counts(gold, system, input_format="aida(link=6)") == (4, 0, 0)
    assert counts(gold, system, link_column="6") == (4, 0, 0)
    assert refusal(gold, system, link_column="8") == "format aida: link should be a column from 4 to 7, not 8."


def test_a_column_of_links_in_files_without_columns_is_refused(pair):
    gold, system = pair(json_lines("Q1"), json_lines("Q1"), "jsonl")
    for option in ("column", "field"):
        assert refusal(gold, system, **{f"link_{option}": "wiki"}) == (
            f"--link-{option} wiki: files in jsonl have one place for links. Leave it out."
        )


@each(
    "change, fault",
    [
        (("rejects", "rejects\tO"), "3: 'rejects\\tO' in a file of AIDA. A line is a word, or a word with B or I"),
        (("rejects", "rejects\tI\tx\tx"), ""),
        (("\nPeter\tB", "\nPeter\tI"), "6: I, but no mention goes on. Its first word has B."),
        (("(2 Rain)", "(1 EU)"), "9: the id '1 EU' is already used in"),
    ],
)
def test_faults_of_aida_files_are_named_with_their_place(pair, change, fault):
    name, _ = pair(AIDA.replace(*change, 1), AIDA)
    if fault:
        with pytest.raises(InputError, match=re.escape(f"{name}:{fault}")):
            assay.read(name, input_format="aida")
    else:
        assert assay.read(name).marks["links"].end.tolist()[0] == 2
    with pytest.raises(UsageError, match="link should be a column from 4 to 7, not 3"):
        assay.read(name, input_format="aida(link=3)")


# --- neleval and TAC ---


def neleval(*rows: str) -> str:
    return "".join("\t".join(row.split(" ")) + "\n" for row in rows)


def test_neleval_files_without_a_common_document_are_refused(pair):
    gold, system = pair(neleval("d1 0 4 Q1 1 LOC"), neleval("doc_1 0 4 Q1 1 LOC"))
    assert refusal(gold, system).endswith(
        f"contains no document of {gold}. Documents must have the same ids in both."
    )


def test_documents_without_mentions_may_be_missing_in_neleval_files(pair):
    other = neleval("d3 0 1 Q7 1 LOC", "d1 0 4 Q1 1 LOC")
    gold, system = pair(neleval("d1 0 4 Q1 1 LOC", "d2 3 5 NIL1 1 PER"), other)
    result = assay.score(gold, {"s": system}, ["links", "link-mentions", "document-entities"], times=1)
    assert result.about.task == "links"
    found = {row.measure: [row.counts[kind] for kind in ("tp", "fp", "fn")] for row in result.counts}
    assert found == {"links": [1, 1, 1], "link-mentions": [1, 1, 1], "document-entities": [1, 1, 0]}


def test_candidates_are_sorted_by_their_scores_and_low_ones_left_out(pair):
    gold, system = pair(
        neleval("d1 0 4 Q1 1 LOC", "d1 6 8 Q2 1 LOC"),
        neleval("d1 0 4 Q5 0.2 LOC Q1 0.7 LOC", "d1 6 8 Q2 0.1 LOC"),
    )
    assert counts(gold, system) == (2, 0, 0)
    assert counts(gold, system, min_score="0.5") == (1, 0, 1)
    result = assay.score(gold, {"s": system}, "links", min_score="0.5", times=1)
    assert "s: 2 candidates have a score below 0.5 and do not count (--min-score)." in result.warnings
    assert refusal(*pair(neleval("d1 0 4 Q1 1 LOC"), "d1\t0\t4\tQ1\t\tLOC\n"), min_score="0.5") == (
        f"{system}: contains no scores, which --min-score needs."
    )
    remedy = "give a number on the scale of the confidences, e.g. 0.5, or a file of --choose."
    assert refusal(gold, system, min_score="half") == f"--min-score half: {remedy}"


@each(
    "line, said",
    [
        ("d1\t0\tx\tQ1\t1\tLOC", "'0' and 'x', but numbers of the first and last place of a mention are expected."),
        ("d1\t4\t2\tQ1\t1\tLOC", "the mention ends at 2, before it begins, at 4. Ends are included."),
        ("d1\t0\t2000000\tQ1\t1\tLOC", "the mention ends at 2000000; places of a document go up to 1,000,000."),
        ("d1\t0\t2\tQ1\thigh\tLOC", "the score 'high' of Q1 is not a number. Leave it empty if there is none."),
        ("d1\t0\t2\tQ1\tnan\tLOC", "the score 'nan' of Q1 is not a number. Leave it empty if there is none."),
        ("d1\t0\t2\tQ 1\t1\tLOC", "the identifier 'Q 1' has a blank in it. Write _ for it."),
        ("d1\t0\t2\t\t1\tLOC", "a candidate without an identifier. What has none is called NIL."),
        (
            "d1\t0\t2\tQ1\t1\tLOC\tQ1\t2\tLOC",
            "the candidate Q1 appears twice with other scores or types. Keep one.",
        ),
        (
            "d1\t0\t2\tQ1\t1",
            "5 columns, but a line is: document, first and last place, then identifier, score and type of each "
            "candidate, all separated by tabs.",
        ),
    ],
    ids=lambda case: case[0],
)
def test_faults_of_neleval_files_are_named_with_their_place(pair, line, said):
    gold, system = pair(neleval("d1 0 4 Q1 1 LOC"), f"d1\t9\t9\tQ1\t1\tLOC\n{line}\n")
    assert refusal(gold, system, input_format="neleval") == f"{system}:2: {said}"


# --- CoNLL-U ---

MISC = """# newdoc id = a
# global.Entity = eid-etype-wiki
1\tAnn\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1-person-Ann_Lee|NER=B-PER|Wikidata=Q1
2\tLee\t_\t_\t_\t_\t_\t_\t_\tEntity=e1)|NER=I-PER
3\tin\t_\t_\t_\t_\t_\t_\t_\t_
4\tRome\t_\t_\t_\t_\t_\t_\t_\tEntity=(e2-place-Rome)|NER=B-LOC|Wikidata=Q220

"""


def test_links_in_misc_and_in_fields_of_brackets(pair):
    gold, system = pair(MISC, MISC.replace("Q220", "Q221").replace("-Rome)", ")"), "conllu")
    assert counts(gold, system, task="links") == (1, 1, 1)
    assert counts(gold, system, column="MISC:NER", link_column="MISC:Wikidata") == (1, 1, 1)
    assert counts(gold, system, link_field="wiki") == (1, 0, 1)
    assert counts(gold, system, "link-mentions", task="links", column="MISC:Entity") == (2, 0, 0)
    assert refusal(gold, system, link_field="kb") == (
        f"{gold}: there is no field 'kb' in Entity. Available: eid, etype, wiki."
    )
    plain = MISC.replace("Wikidata=", "Wikidatum=")
    assert refusal(*pair(plain, plain, "conllu"), task="links").startswith(f"{gold}: name the column of the ")


def test_words_of_a_mention_must_agree_and_others_have_no_links(pair):
    two = MISC.replace("NER=I-PER", "NER=I-PER|Wikidata=Q2")
    gold, system = pair(two, two, "conllu")
    assert refusal(gold, system, task="links") == (
        f"{gold}:4: the link 'Q2' in a mention that has 'Q1' before. Give all words of a mention the same link, or "
        "the first alone."
    )
    outside = MISC.replace("3\tin\t_\t_\t_\t_\t_\t_\t_\t_", "3\tin\t_\t_\t_\t_\t_\t_\t_\tWikidata=Q3")
    assert refusal(*pair(outside, outside, "conllu"), task="links") == (
        f"{gold}:5: the link 'Q3' on a word that is in no mention. Tag it, or remove the link."
    )


# --- other formats ---


@pytest.mark.parametrize("target", ["hipe", "neleval", "jsonl"])
def test_files_converted_to_another_format_have_the_same_links(target, tmp_path):
    paths = []
    for name in (GOLD, CONTEXT):
        paths.append(str(tmp_path / f"{Path(name).stem}.{target}"))
        done = call("convert", name, "--to", target, "-o", paths[-1])
        assert done.returncode == 0, done.stderr
    kinds = "wrong-rank", "nil-wrong", "boundary"
    whole, written = (
        assay.score(gold, {"c": system}, ["links(types=same)", "fair-links"], times=1).counts
        for gold, system in ((GOLD, CONTEXT), paths)
    )
    assert [row.counts["tp"] for row in whole] == [row.counts["tp"] for row in written] == [15, 15]
    assert [whole[1].counts[kind] for kind in kinds] == [written[1].counts[kind] for kind in kinds]


def test_spans_over_others_have_no_place_in_hipe(tmp_path):
    path = tmp_path / "a.jsonl"
    spans = '[{"start": 0, "end": 2, "label": "A", "link": "Q1"}, {"start": 1, "end": 2, "label": "B"}]'
    path.write_text(f'{{"id": "d", "tokens": ["a", "b"], "spans": {spans}}}\n', "utf-8")
    done = call("convert", str(path), "--to", "hipe")
    assert done.returncode == 2
    assert "d: a span has another one over the same words, which hipe has no place for." in done.stderr


def test_a_system_that_has_all_of_golds_links_may_be_a_copy(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text(Path(GOLD).read_text("utf-8") + "\n", "utf-8")
    result = assay.score(GOLD, {"a": str(path)}, "links", times=1)
    assert "a agrees with gold on all 20 links. Was it copied, not predicted?" in result.warnings


# --- identifiers ---


def json_lines(*links: str) -> str:
    spans = [{"start": 0, "end": 3, "label": "PER", "links": list(links)}]
    return json.dumps({"id": "d", "text": "Ann left", "spans": spans}) + "\n"


def test_a_prefix_and_a_table_of_equal_identifiers(pair, tmp_path):
    gold, system = pair(json_lines("http://kb/Q1"), json_lines("Q2"), "jsonl")
    same = tmp_path / "same.tsv"
    same.write_text("Q3\tQ2\n\nQ1 Q3\n", "utf-8")
    assert counts(gold, system) == (0, 1, 1)
    assert counts(gold, system, same_ids=str(same)) == (0, 1, 1)
    assert counts(gold, system, id_prefix="http://kb/", same_ids=str(same)) == (1, 0, 0)
    result = assay.score(gold, {"s": system}, "links", times=1)
    told = "s has none of gold's identifiers (gold: http://kb/Q1, s: Q2)."
    assert any(line.startswith(told) for line in result.warnings)
    for text, said in (
        ("Q1\n", f"{same}:1: 'Q1', but a line is two identifiers, separated by a tab or a space."),
        ("Q1 NIL3\n", f"{same}:1: NIL is equal to no identifier. Remove the line."),
        ("\n", f"{same}: contains no identifiers. A line is two equal identifiers."),
    ):
        same.write_text(text, "utf-8")
        assert refusal(gold, system, same_ids=str(same)) == said


def test_beside_hipe_identifiers_are_compared_in_capitals(pair, tmp_path):
    gold, system = pair(hipe("Ann:B-pers:Ann_Lee left"), hipe("Ann:B-pers:kb.org/ANN_LEE left"))
    assert counts(gold, system) == (0, 1, 1)
    assert counts(gold, system, id_prefix="kb.org/") == (1, 0, 0)
    same, other = tmp_path / "same.tsv", tmp_path / "other.jsonl"
    same.write_text("Ann_Lee\tkb.org/Ann_Lee\n", "utf-8")
    assert counts(gold, system, same_ids=str(same)) == (1, 0, 0)
    other.write_text(json_lines("Ann_Lee").replace('"d"', '"d1"'), "utf-8")
    assert counts(gold, str(other)) == (1, 0, 0)


def test_a_prefix_and_equal_identifiers_that_occur_nowhere_are_told(pair, tmp_path):
    gold, system = pair(hipe("Ann:B-pers:Q1 left"), hipe("Ann:B-pers:Q1 left"))
    same = tmp_path / "same.tsv"
    same.write_text("Q3\tQ2\n", "utf-8")
    result = assay.score(gold, {"s": system}, "links", times=1, id_prefix="http://kb/", same_ids=str(same))
    assert [text for text in result.warnings if text.startswith("--")] == [
        "--id-prefix http://kb/: no identifier begins with it. Is it the right knowledge base?",
        f"--same-ids {same}: none of its identifiers occurs, so it changes nothing. Is it the right knowledge base?",
    ]


def test_an_empty_list_is_nil_and_duplicates_count_once(pair):
    gold, system = pair(json_lines(), json_lines("NIL"), "jsonl")
    assert counts(gold, system) == (1, 0, 0)
    rows = neleval("d1 0 4 Q1 1 LOC", "d1 0 4 Q1 1 LOC")
    gold, system = pair(neleval("d1 0 4 Q1 1 LOC"), rows)
    assert counts(gold, system) == (1, 0, 0)
    result = assay.score(gold, {"s": system}, "links", times=1)
    told = "s: 1 mention appears twice, with the same place, type and identifiers; each counts once."
    assert told in result.warnings


# --- measures, slices, comparison ---


@each(
    "measure, said",
    [
        ("links(match=fuzzy)", "there is no value 'fuzzy' for match. Available: strict, overlap."),
        ("links(nil=keep)", "there is no value 'keep' for nil. Did you mean kept?"),
        ("links(types=all)", "there is no value 'all' for types. Available: any, same."),
        ("links(at=0)", "at=0: the number of candidates that count is 1 or more."),
        ("link-accuracy(at=0)", "at=0: the number of candidates that count is 1 or more."),
    ],
    ids=lambda case: case[0],
)
def test_unknown_settings_are_refused(measure, said):
    assert refusal(GOLD, CONTEXT, measures=measure) == said


def test_slices_of_links_add_up():
    slices = ("nil", "type", "mention-length", "ambiguous", "seen")
    result = assay.score(GOLD, {"c": CONTEXT}, "fair-links", slices=slices, train=LOOKUP, times=1)
    whole = {row.slice: row.counts for row in result.counts}
    for name in slices:
        parts = [counts for known, counts in whole.items() if known is not None and known.startswith(f"{name}=")]
        assert len(parts) > 1, name
        for field in ("tp", "gold", "system", "wrong-rank"):
            assert sum(part[field] for part in parts) == whole[None][field], (name, field)
    assert whole["nil=NIL"]["gold"] == 4
    assert whole["type=PERS"]["gold"] == 10
    assert refusal(GOLD, CONTEXT, measures="exact", column="NE-COARSE-LIT", slices=("nil",)) == (
        "--slice nil is for links, but none are compared. Give --task links"
    )


def test_a_comparison_tells_kinds_types_and_candidates():
    result = assay.compare(GOLD, {"lookup": LOOKUP, "context": CONTEXT}, times=10, examples=2)
    tables = {table.title: table for table in result.tables}
    assert tables["Changes by type of mention, lookup → context"].rows == (
        ("PERS", 10, 5, 1, 1),
        ("LOC", 7, 0, 0, 1),
        ("ORG", 3, 1, 0, 2),
    )
    assert tables["Right candidates"].rows == (
        ("lookup", 20, 0.5, 0.5),
        ("context", 20, 0.75, 0.9),
        ("any system", 20, 0.8, 0.9),
    )
    (row,) = tables["Outcomes of links"].rows[1:]
    assert row[:2] == ("context", 15)
    kinds = {(row.before, row.after): row.count for row in result.diffs[0].outcomes}
    assert kinds["wrong-id", "wrong-rank"] == 2
    assert kinds["boundary-wrong-id", "boundary"] == 1
    assert any("PERS ∅" in span.label for example in result.examples for span in example.spans)
    assert assay.Result.from_json(result.to_json()).tables == result.tables


def test_agreement_is_the_same_whoever_comes_first():
    there, back = (assay.agreement([one, other], times=1) for one, other in ((LOOKUP, CONTEXT), (CONTEXT, LOOKUP)))
    values = [
        {(row.measure, row.score): row.value for row in one.scores if row.label is None} for one in (there, back)
    ]
    assert values[0]["links", "f1"] == values[1]["links", "f1"]
    assert values[0]["fair-links", "f1"] == values[1]["fair-links", "f1"]
    assert values[0]["link-kappa", "kappa"] == pytest.approx(values[1]["link-kappa", "kappa"])


def test_gates_and_flat_output_of_links():
    done = call("score", GOLD, CONTEXT, "--times", "1", "--format", "flat", "--fail-under", "links=70%")
    assert done.returncode == 0, done.stderr
    assert any(line.startswith("context\tlinks\tf1") or "links" in line for line in done.stdout.splitlines())
    assert call("score", GOLD, LOOKUP, "--times", "1", "--fail-under", "links=70%").returncode == 1


def test_an_address_of_identifiers_goes_to_the_page():
    result = assay.score(GOLD, {"c": CONTEXT}, "links", id_url="https://kb.example/{}", times=1)
    assert result.shown.remarks["address"] == "https://kb.example/{}"
    assert refusal(GOLD, CONTEXT, id_url="javascript:{}") == (
        "--id-url javascript:{}: an address begins with http and has {} for the identifier."
    )


def test_files_without_links_and_of_two_layers_are_named(pair):
    words = '{"id": "d", "text": "Ann left", "spans": [{"start": 0, "end": 3, "label": "PER"}]}\n'
    gold, system = pair(words, words, "jsonl")
    assert refusal(gold, system, task="links") == (
        f"{gold}: contains no links (jsonl). Formats that have them: hipe, aida, neleval, brat (N lines), jsonl "
        "(link), conllu (MISC)."
    )
    gold, system = pair(json_lines("Q1"), words, "jsonl")
    result = assay.score(gold, {"s": system}, ["links", "link-mentions"], times=1)
    assert "s has no links." in result.warnings
    assert [row.counts["fn"] for row in result.counts] == [1, 0]
    scores = {row.score: row.value for row in result.scores if row.measure == "links"}
    assert (scores["f1"], scores["recall"], str(scores["precision"])) == (0.0, 0.0, "nan")
    nothing = hipe("a:B-x:_")
    gold, system = pair(nothing, nothing)
    assert refusal(gold, system) == f"{gold}: contains no links, nor does any system, so there is nothing to score."
    result = assay.score(*pair(hipe("a:B-x:Q1"), nothing), "links", times=1)
    assert "system has no links." in result.warnings


def test_ambiguous_surfaces_are_counted_in_training_data_where_files_are_read_one_by_one(tmp_path, monkeypatch):
    gold, systems = folders(tmp_path, "links", "gold.tsv", ("lookup.tsv",), 4)
    whole = assay.score(gold, systems, "links", slices=("ambiguous",), train=GOLD, times=1)
    monkeypatch.setattr(run, "TEXT", 1)
    cut = assay.score(gold, systems, "links", slices=("ambiguous",), train=GOLD, times=1)
    assert cut.to_json() == whole.to_json()
    with pytest.raises(assay.AssayError, match="--slice ambiguous counts the surfaces of all files, but"):
        assay.score(gold, systems, "links", slices=("ambiguous",), times=1)
