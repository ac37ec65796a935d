"""From files with chains to pairs: documents found by their ids, policies, and refusals that name a place."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import assay
from assay import Result
from coreftexts import document, documents
from unit.samples import refusal

File = Callable[[str, str | bytes], str]

ONE = "[1 Ann] saw [2 the dog] .|[1 She] liked [2 it] ."
TWO = "[1 Bob] left .|[2 Eve] saw [1 him] ."
GOLD = documents(one=ONE, two=TWO)
METRICS = ("mentions", "muc", "b-cubed", "ceaf-m", "ceaf-e", "blanc", "lea", "conll", "arcs-any", "arcs-nom")


def scored(gold: str, system: Any, measures: Any = METRICS, **options: Any) -> Result:
    return assay.score(gold, system, measures, times=10, **options)


def figures(result: Result) -> list[tuple[Any, ...]]:
    """All figures, whatever the system is called; undefined ones as None."""
    rows = [
        (row.measure, row.score, row.slice, *map(defined, (row.value, row.low, row.high))) for row in result.scores
    ]
    return [*rows, *((row.measure, row.slice, tuple(row.counts.items())) for row in result.counts)]


def defined(value: float) -> float | None:
    return None if value != value else value


@pytest.fixture
def gold(file: File) -> str:
    return file("gold.conll", GOLD)


# --- documents ---


def test_documents_in_another_order_are_found_by_their_ids(gold: str, file: File) -> None:
    system = {"one": "[1 Ann] saw [2 the dog] .|[2 She] liked [1 it] .", "two": "[1 Bob] left .|Eve saw [1 him] ."}
    straight = scored(gold, file("straight.conll", documents(**system)))
    turned = scored(gold, file("turned.conll", documents(two=system["two"], one=system["one"])))
    assert figures(turned) == figures(straight)
    assert turned.score("turned", "muc").value == pytest.approx(2 / 6)


def test_part_0_and_part_000_are_the_same_part(gold: str, file: File) -> None:
    result = scored(gold, file("s.conll", GOLD.replace("part 000", "part 0")), "muc")
    assert result.score("s", "muc").value == 1


def test_parts_of_a_document_are_documents_of_their_own(file: File) -> None:
    parts = document("one", "[1 Ann] left .", "[1 She] left .") + document("one", "[1 Bob] left .", part=1)
    gold = file("parts.conll", parts)
    result = scored(gold, gold, "mentions", slices=("document",))
    assert result.about.units == 2
    assert {row.slice for row in result.counts} == {
        None,
        "document=(one); part 000",
        "document=(one); part 001",
    }


def test_a_missing_document_is_refused(gold: str, file: File) -> None:
    system = file("s.conll", documents(one=ONE))
    assert refusal(scored, gold, system) == (
        "gold.conll:14: s.conll lacks the document (two); part 000. To score as empty: --missing empty"
    )


def test_a_missing_document_can_be_scored_as_empty(gold: str, file: File) -> None:
    """It counts as a document without chains, and the Result says so."""
    lacking = scored(gold, file("s.conll", documents(one=ONE)), missing="empty")
    empty = scored(gold, file("e.conll", documents(one=ONE, two="Bob left .|Eve saw him .")))
    assert figures(lacking) == figures(empty)
    assert lacking.about.units == 2
    assert lacking.score("s", "mentions", "recall").value == pytest.approx(4 / 7)
    assert lacking.warnings[0] == "s: lacks the document (two); part 000, which is scored as empty."
    assert "|missing:empty|" in lacking.signature


def test_documents_that_gold_does_not_have_are_refused(gold: str, file: File) -> None:
    system = file("s.conll", documents(one=ONE, two=TWO, three="[1 Tom] left .", four="[1 Tom] left ."))
    assert refusal(scored, gold, system) == (
        "s.conll:25: gold.conll does not have 2 documents: (three); part 000, (four); part 000. "
        "To ignore: --missing empty"
    )


def test_documents_that_gold_does_not_have_can_be_ignored(gold: str, file: File) -> None:
    system = documents(zero="[1 Tom] left .|[1 he] left .", two=TWO, one=ONE)
    result = scored(gold, file("s.conll", system), missing="empty")
    assert figures(result) == figures(scored(gold, gold))
    assert result.warnings[0] == "s: has the document (zero); part 000, which gold does not have; it is ignored."


def test_missing_and_foreign_documents_are_both_told_of(gold: str, file: File) -> None:
    system = file("s.conll", documents(one=ONE, three="[1 Tom] left ."))
    assert scored(gold, system, missing="empty").warnings[:2] == (
        "s: lacks the document (two); part 000, which is scored as empty.",
        "s: has the document (three); part 000, which gold does not have; it is ignored.",
    )


def test_a_system_without_any_document_of_gold_is_refused(gold: str, file: File) -> None:
    system = file("s.conll", documents(three=TWO))
    assert refusal(scored, gold, system, missing="empty") == (
        "s.conll: contains no document of gold.conll. Documents must have the same ids in both."
    )


def test_a_system_without_mentions_is_named_first(gold: str, file: File) -> None:
    one, two = (re.sub(r"\[. |\]", "", text) for text in (ONE, TWO))
    assert scored(gold, file("s.conll", documents(one=one, two=two))).warnings[0] == "s has no mentions."


def test_missing_and_foreign_documents_are_refused_together(gold: str, file: File) -> None:
    system = file("s.conll", documents(one=ONE, three="[1 Tom] left ."))
    assert refusal(scored, gold, system).splitlines() == [
        "gold.conll:14: s.conll lacks the document (two); part 000. To score as empty: --missing empty",
        "s.conll:14: gold.conll does not have the document (three); part 000. To ignore: --missing empty",
    ]


def test_files_of_a_folder_that_are_missing_are_missing_documents(file: File) -> None:
    file("g/1.conll", documents(one=ONE))
    file("g/2.conll", documents(two=TWO))
    file("g/3.conll", documents(three=TWO))
    file("s/1.conll", documents(one=ONE))
    file("s/3.conll", documents(three=TWO))
    assert refusal(scored, "g", "s") == (
        "g/2.conll:1: s lacks the document (two); part 000 in g/2.conll. To score as empty: --missing empty"
    )
    result = scored("g", "s", missing="empty")
    assert result.score("s", "mentions", "recall").value == pytest.approx(7 / 10)
    assert result.warnings[0] == "s: lacks the document (two); part 000 in g/2.conll, which is scored as empty."


def test_other_words_of_reordered_documents_are_named_in_their_own_file(file: File) -> None:
    file("g/1.conll", documents(one=ONE))
    file("g/2.conll", documents(two=TWO))
    file("s/1.conll", documents(two=TWO))
    file("s/2.conll", documents(one=ONE.replace("Ann", "Anna")))
    assert refusal(scored, "g", "s").splitlines()[0] == "s/2.conll:2: 'Anna', but g/1.conll:2 has 'Ann'"


def test_problems_of_several_systems_are_told_together(gold: str, file: File) -> None:
    one = file("a.conll", documents(one=ONE))
    two = file("b.conll", TWICE)
    three = file("c.conll", TWICE)
    remedy = "To keep the first of them: --duplicates first; to leave them all out: --duplicates drop"
    assert refusal(scored, gold, [one, two, three]).splitlines() == [
        "b.conll:4: words 3 to 4 of (one); part 000 are in the chains 1 and 2",
        "c.conll:4: words 3 to 4 of (one); part 000 are in the chains 1 and 2",
        remedy,
        "gold.conll:14: a.conll lacks the document (two); part 000. To score as empty: --missing empty",
    ]


def test_faults_of_several_files_are_told_together(gold: str, file: File) -> None:
    broken = documents(one=ONE, two=TWO).replace("(2)", "(2")
    lines = refusal(scored, gold, [file("a.conll", broken), file("b.conll", broken)]).splitlines()
    assert [line.partition(": ")[0] for line in lines] == [
        f"{name}.conll:{line}" for name in "ab" for line in (10, 19)
    ]


# --- repeated mentions ---


TWICE = documents(one="[1 Ann] saw [1 [2 the dog]] .|[1 She] liked [2 it] .", two=TWO)
"""The dog is in two chains, first in the chain of Ann."""


def test_a_span_in_two_chains_is_refused_with_its_place(gold: str, file: File) -> None:
    assert refusal(scored, gold, file("s.conll", TWICE)) == (
        "s.conll:4: words 3 to 4 of (one); part 000 are in the chains 1 and 2\n"
        "To keep the first of them: --duplicates first; to leave them all out: --duplicates drop"
    )


def test_a_span_twice_in_one_chain_is_refused_with_its_place(gold: str, file: File) -> None:
    system = documents(one="[1 Ann] saw [2 the dog] .|[1 [1 She]] liked [2 it] .", two=TWO)
    assert refusal(scored, gold, file("s.conll", system)).splitlines()[0] == (
        "s.conll:8: word 6 of (one); part 000 is in chain 1 twice"
    )


def test_all_repeated_spans_are_named_the_first_twenty_of_them(gold: str, file: File) -> None:
    words = " ".join(f"[1 [2 w{number}]]" for number in range(23))
    gold = file("long.conll", documents(long=words.replace("[2 ", "").replace("]]", "]")))
    lines = refusal(scored, gold, file("s.conll", documents(long=words))).splitlines()
    assert len(lines) == 22
    assert lines[19] == "s.conll:21: word 20 of (long); part 000 is in the chains 1 and 2"
    assert lines[20].startswith("… and 3 more")


def test_gold_is_held_to_the_same(file: File) -> None:
    twice = file("twice.conll", TWICE)
    assert refusal(scored, twice, file("s.conll", GOLD)).startswith("twice.conll:4: words 3 to 4 of (one)")
    kept = scored(twice, file("s.conll", GOLD), duplicates="first")
    assert kept.warnings[0] == "gold: 1 repeated mention was left out (--duplicates first)."


@pytest.mark.parametrize(
    ("policy", "left", "dog"),
    [("first", "1 repeated mention was", "[1 the dog]"), ("drop", "2 repeated mentions were", "the dog")],
)
def test_of_repeated_spans_the_first_or_none_is_kept(gold: str, file: File, policy: str, left: str, dog: str) -> None:
    result = scored(gold, file("s.conll", TWICE), duplicates=policy)
    plain = documents(one=f"[1 Ann] saw {dog} .|[1 She] liked [2 it] .", two=TWO)
    assert figures(result) == figures(scored(gold, file("plain.conll", plain)))
    assert result.warnings[0] == f"s: {left} left out (--duplicates {policy})."
    assert f"|duplicates:{policy}|" in result.signature


def test_repeated_spans_of_reordered_documents_are_named_in_their_own_file(gold: str, file: File) -> None:
    file("s/1.conll", documents(two=TWO))
    file("s/2.conll", documents(one=ONE.replace("saw", "[3 [4 saw]]")))
    file("g/1.conll", documents(one=ONE))
    file("g/2.conll", documents(two=TWO))
    assert refusal(scored, "g", "s").splitlines()[0].startswith("s/2.conll:3: ")


# --- words ---


OTHER_WORD = GOLD.replace("Eve", "Eva")
SHORTER = documents(one=ONE, two="[1 Bob] left .|[2 Eve] saw [1 him]")


def test_other_words_are_refused_with_both_places(gold: str, file: File) -> None:
    assert refusal(scored, gold, file("s.conll", OTHER_WORD)) == (
        "s.conll:19: 'Eva', but gold.conll:19 has 'Eve'\n"
        "The texts differ. To leave such documents out: --on-mismatch skip"
    )


def test_each_document_that_differs_has_a_line(gold: str, file: File) -> None:
    one, two = file("a.conll", OTHER_WORD), file("b.conll", GOLD.replace("Ann", "Anna"))
    lines = refusal(scored, gold, [one, two]).splitlines()
    assert [line.split(": ")[0] for line in lines[:-1]] == ["a.conll:19", "b.conll:2"]


def test_documents_that_differ_can_be_left_out_for_all_systems(gold: str, file: File) -> None:
    systems = {"other": file("other.conll", OTHER_WORD), "same": file("same.conll", GOLD)}
    result = scored(gold, systems, on_mismatch="skip", slices=("document",))
    alone = file("alone.conll", documents(one=ONE))
    for name in systems:
        (found,) = [
            row.counts for row in result.counts if (row.system, row.measure, row.slice) == (name, "muc", None)
        ]
        assert found == scored(alone, alone, "muc").counts[0].counts
    assert result.about.units == 1
    assert {row.slice for row in result.scores} == {None}
    assert result.warnings[:2] == (
        "left out: other.conll:19: 'Eva', but gold.conll:19 has 'Eve'.",
        "1 of 2 documents was left out, because their texts differ.",
    )


def test_documents_with_other_words_can_be_compared_by_position(gold: str, file: File) -> None:
    result = scored(gold, file("s.conll", OTHER_WORD), on_mismatch="warn")
    assert figures(result) == figures(scored(gold, gold))
    assert result.warnings[0] == "s: s.conll:19: 'Eva', but gold.conll:19 has 'Eve'."


@pytest.mark.parametrize("policy", ["error", "warn"])
def test_a_document_of_another_length_is_refused(gold: str, file: File, policy: str) -> None:
    """Positions tell nothing there."""
    lines = refusal(scored, gold, file("s.conll", SHORTER), on_mismatch=policy).splitlines()
    assert lines == [
        "s.conll:21: (two); part 000 has 6 words here, 7 in gold.conll",
        "The texts differ. To leave such documents out: --on-mismatch skip",
    ]


def test_a_document_of_another_length_can_be_left_out(gold: str, file: File) -> None:
    result = scored(gold, file("s.conll", SHORTER), on_mismatch="skip")
    assert result.about.units == 1
    assert result.score("s", "muc").value == 1


def test_other_ends_of_sentences_are_told_of(gold: str, file: File) -> None:
    system = documents(one=ONE.replace("|", " "), two=TWO)
    result = scored(gold, file("s.conll", system))
    assert figures(result) == figures(scored(gold, gold))
    assert result.warnings[0] == (
        "s: 1 document is split into other sentences than in gold (first: s.conll:2). This changes no score."
    )


def test_where_all_documents_differ_nothing_is_scored(gold: str, file: File) -> None:
    system = file("s.conll", GOLD.replace("Ann", "Anna").replace("Bob", "Rob"))
    assert refusal(scored, gold, system, on_mismatch="skip") == "no document has the same words in all files."


def test_files_without_words_are_compared_by_position(gold: str, file: File) -> None:
    bare = "\n".join(
        line if line.startswith("#") or not line else f"x {line.split()[-1]}" for line in GOLD.splitlines()
    )
    result = scored(gold, file("bare.conll", bare + "\n"), ["muc", "arcs-nom"])
    assert result.score("bare", "arcs-nom").value == 1
    assert result.about.aligned_by == "position"
    message = refusal(scored, file("bare.conll", bare + "\n"), file("s.conll", GOLD), "arcs-nom")
    assert message == "arcs-nom needs tags to recognise nouns, but gold has none. Use arcs-any, which needs none."
    without = scored("bare.conll", "s.conll", ["arcs-any", "muc"])
    assert without.score("s", "arcs-any").value == 1
    assert without.notes[0] == "Gold has no tags, so mentions have no types."


@pytest.mark.parametrize("mark", ["-", "_", "*"])
def test_a_column_of_marks_has_no_tags(file: File, mark: str) -> None:
    bare = re.sub(r"(?m)^(\S+\t0\t\d+\t\S+\t)\S+", rf"\g<1>{mark}", GOLD)
    gold = file("bare.conll", bare)
    assert refusal(scored, gold, gold, "arcs-nom").startswith("arcs-nom needs tags to recognise nouns")
    assert scored(gold, gold, "arcs-any").score("bare", "arcs-any").value == 1


def test_the_items_of_a_result_are_golds_mentions(gold: str) -> None:
    for measure in ("muc", "arcs-any"):
        assert scored(gold, gold, measure).about.items == 7


# --- what is no coreference ---


def test_gold_without_mentions_is_scored(gold: str, file: File) -> None:
    """Precision and F are 0; recall has nothing to be a share of."""
    empty = file("empty.conll", documents(one="Ann saw the dog .|She liked it .", two="Bob left .|Eve saw him ."))
    result = scored(empty, gold)
    for measure in METRICS[:-3]:
        assert result.score("gold", measure, "precision").value == 0, measure
        assert result.score("gold", measure, "f1").value == 0, measure
        assert result.score("gold", measure, "recall").value != result.score("gold", measure, "recall").value
    assert result.warnings[0] == (
        "gold has no mentions. Recall is undefined. Is it another format, or are gold and system swapped?"
    )
    message = "empty.conll: contains no mentions, nor does any system, so there is nothing to score."
    assert refusal(scored, empty, empty) == message


def test_a_system_without_mentions_is_scored(gold: str, file: File) -> None:
    """Recall and F are 0; precision has nothing to be a share of."""
    plain = documents(one="Ann saw the dog .|She liked it .", two="Bob left .|Eve saw him .")
    result = scored(gold, file("s.conll", plain))
    for measure in METRICS[:-3]:
        assert result.score("s", measure, "recall").value == 0, measure
        assert result.score("s", measure, "f1").value == 0, measure
        assert result.score("s", measure, "precision").value != result.score("s", measure, "precision").value
    assert result.score("s", "conll").value == 0


def test_sentences_are_no_units_of_coreference(gold: str) -> None:
    assert refusal(scored, gold, gold, unit="sentence") == "chains extend over whole documents. Use --unit document"
    assert scored(gold, gold, "muc", unit="document").about.unit == scored(gold, gold, "muc").about.unit == "document"


def test_a_file_without_chains_is_refused(gold: str, file: File) -> None:
    tags = file("tags.tsv", "Ann\tNN\nleft\tVBD\n\n")
    assert refusal(scored, gold, tags) == ("tags.tsv: read as tsv, which has no chains. Is it another format?")


def test_columns_are_refused(gold: str) -> None:
    assert refusal(scored, gold, gold, "muc", column="XPOS").startswith("--column is for words")


def test_measures_of_other_tasks_are_refused(gold: str) -> None:
    assert refusal(scored, gold, gold, ["muc", "accuracy"]) == (
        "the measures belong to different tasks: coreference, tags. Run them separately."
    )


def test_corpora_that_were_read_before_are_taken_as_files_are(gold: str, file: File) -> None:
    system = file("s.conll", documents(two=TWO, one=ONE.replace("[1 She]", "[2 She]")))
    read = [assay.read(path) for path in (gold, system)]
    assert figures(assay.score(*read, METRICS, times=10)) == figures(scored(gold, system))


def test_mentions_that_cross_sentences_are_told_of_and_scored(gold: str, file: File) -> None:
    crossing = documents(one="[1 Ann] saw [2 the dog .|[1 She]] liked [3 it] .", two=TWO)
    result = scored(gold, file("s.conll", crossing))
    assert result.score("s", "mentions", "recall").value == pytest.approx(6 / 7)
    assert result.warnings[0] == (
        "s: Mentions that cross the end of a sentence, taken as they are: 1 (the first: s.conll:4)."
    )


# --- types of mentions ---


RULES = "# of the Penn tags\n\nNN\tnoun\nPRP\tpronoun\nlonger\tphrase\nnominal\tnoun\nnominal\tphrase\n"


def test_types_of_mentions_by_the_rule_of_the_paper(gold: str) -> None:
    result = scored(gold, gold, "arcs-any", slices=("label",))
    assert [row.slice for row in result.counts] == [None]
    (row,) = result.confusion
    assert (row.gold, row.assigned, row.count, row.type) == ("PRP", "PRP", 3, "tp")


def test_types_of_mentions_by_a_rule_file(gold: str, file: File) -> None:
    rules = file("rules.tsv", RULES)
    result = scored(gold, gold, ["arcs-nom", "arcs-any"], mention_types=rules)
    assert {(row.gold, row.count) for row in result.confusion} == {("pronoun", 3)}
    assert result.notes[0] == "Mention types come from gold's XPOS tags (rule: rules.tsv)."
    assert "mention_types:" in result.signature


def test_the_rule_file_says_what_is_nominal(file: File) -> None:
    """With pronouns taken as nominal the closest antecedent may be one."""
    gold = file("gold.conll", documents(one="[1 Ann] saw [2 Eve] .|[1 She] left .|[1 She] saw [2 her] ."))
    system = file("s.conll", documents(one="[1 Ann] saw [2 Eve] .|[2 She] left .|[2 She] saw her ."))
    plain = scored(gold, system, "arcs-nom").counts[0].counts
    rules = file("rules.tsv", "NN\tnoun\nPRP\tpronoun\nnominal\tnoun\nnominal\tpronoun\n")
    pronouns = scored(gold, system, "arcs-nom", mention_types=rules).counts[0].counts
    kinds = ("tp", "wl", "fn", "fp")
    assert [plain[kind] for kind in kinds] == [0, 2, 1, 0]
    # The second `She` goes with the first one, which is right; the closest noun, Eve, is not.
    assert [pronouns[kind] for kind in kinds] == [1, 1, 1, 0]


TREES = """# newdoc id = one
# global.Entity = eid-etype-head
1	the	_	DET	_	_	3	det	_	Entity=(e1--{head}
2	old	_	ADJ	_	_	3	amod	_	_
3	dog	_	NOUN	_	_	4	nsubj	_	_
4	left	_	VERB	_	_	0	root	_	Entity=e1)

1	it	_	PRON	_	_	2	nsubj	_	Entity=(e1--1)
2	left	_	VERB	_	_	0	root	_	_

"""
"""A mention whose head in the tree is its last word, a verb, and that says which other word is its head."""


def test_types_come_from_upos_where_there_are_no_other_tags(file: File) -> None:
    gold = file("gold.conllu", TREES.format(head=3))
    result = scored(gold, gold, "arcs-nom", task="coreference")
    assert [(row.gold, row.count) for row in result.confusion] == [("PRON", 1)]
    assert result.notes[0] == "Mention types come from gold's UPOS tags (rule: compareval)."


def test_types_can_come_from_the_heads_of_trees(file: File) -> None:
    """By its length the first mention is nominal, by its head it is not: nothing is left to be resolved to."""
    gold = file("gold.conllu", TREES.format(head=3))
    result = scored(gold, gold, "arcs-nom", task="coreference", mention_types="head")
    assert result.counts[0].counts["left-out"] == 1
    assert "|mention_types:head|" in result.signature
    assert scored(gold, gold, "arcs-nom", task="coreference").counts[0].counts["left-out"] == 0


def test_the_head_of_a_mention_with_a_gap_is_one_of_its_own_words(file: File) -> None:
    gold = file(
        "gold.conllu",
        "# newdoc id = one\n# global.Entity = eid-etype-head\n"
        "1\told\t_\tADJ\t_\t_\t3\tamod\t_\tEntity=(e1[1/2]--2)\n"
        "2\tleft\t_\tVERB\t_\t_\t0\troot\t_\t_\n"
        "3\tdog\t_\tNOUN\t_\t_\t2\tnsubj\t_\tEntity=(e1[2/2])\n"
        "4\tit\t_\tPRON\t_\t_\t2\tobj\t_\tEntity=(e1--1)\n\n",
    )
    result = scored(gold, gold, "arcs-nom", task="coreference", mention_types="head")
    assert (result.counts[0].counts["tp"], result.counts[0].counts["left-out"]) == (1, 0)


def test_types_can_come_from_the_heads_that_a_file_gives(file: File) -> None:
    without_trees = re.sub(r"\t\d\t(det|amod|nsubj|root)\t", "\t_\t_\t", TREES)
    gold = file("gold.conllu", without_trees.format(head=3))
    result = scored(gold, gold, "arcs-nom", task="coreference", mention_types="head")
    assert result.counts[0].counts["left-out"] == 0
    other = file("other.conllu", without_trees.format(head=4))
    assert (
        scored(other, other, "arcs-nom", task="coreference", mention_types="head").counts[0].counts["left-out"] == 1
    )


def test_types_by_heads_need_heads(gold: str) -> None:
    assert refusal(scored, gold, gold, "arcs-nom", mention_types="head") == (
        "--mention-types head needs trees, or heads of mentions, which gold does not have."
    )


def test_faulty_trees_are_refused_where_heads_are_asked_for(file: File) -> None:
    gold = file("gold.conllu", TREES.format(head=3).replace("\t0\troot", "\t9\troot", 1))
    assert refusal(scored, gold, gold, "arcs-nom", task="coreference", mention_types="head") == (
        "gold.conllu:6: head '9' in a sentence of 4 words"
    )
    assert scored(gold, gold, "arcs-nom", task="coreference").score("gold", "arcs-nom").value == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "NN\tnoun\nPRP pronoun\n",
            "rules.tsv:2: 'PRP pronoun', but a line is: tag TAB type, nominal TAB type, or longer TAB type (of "
            "mentions of several words).",
        ),
        ("NN\tnoun\n", "rules.tsv: no nominal type. Add a line: nominal TAB NOUN"),
    ],
)
def test_a_rule_file_that_is_none_is_refused(gold: str, file: File, text: str, message: str) -> None:
    assert refusal(scored, gold, gold, "arcs-nom", mention_types=file("rules.tsv", text)) == message


def test_types_of_mentions_are_for_coreference_alone(file: File) -> None:
    tags = file("tags.tsv", "Ann\tNN\nleft\tVBD\n\n")
    message = refusal(scored, tags, tags, "accuracy", mention_types=file("rules.tsv", RULES))
    assert message == "--mention-types is for coreference, but tags are compared. Remove --mention-types."


@pytest.mark.parametrize("option", ["duplicates", "missing", "on_mismatch"])
def test_policies_that_do_not_exist_are_refused(gold: str, option: str) -> None:
    assert refusal(scored, gold, gold, "muc", **{option: "nothing"}).startswith(
        f"there is no value 'nothing' for {option}."
    )
