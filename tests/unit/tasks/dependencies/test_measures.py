"""Measures of dependency trees, on trees small enough to count by hand."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from parses import dependencies
from unit.samples import refusal

GOLD = "the/2/det dog/3/nsubj:pass seen/0/root ran/3/xcomp ./3/punct"


@pytest.fixture(name="scored")
def given_scored(file):
    """Scores gold and system, given as text; further lines of CoNLL-U as they are."""

    def score(gold, system, *measures, **options):
        texts = [text if "\t" in text else dependencies(*text.split(" | ")) for text in (gold, system)]
        files = [file(f"{side}.conllu", text) for side, text in zip(("gold", "s"), texts, strict=True)]
        return assay.score(*files, list(measures), times=2, **options)

    return score


def counts(result, label=None, cut=None):
    """The counts of a single measure; right, gold, system, and aligned where it counts these."""
    rows = [row for row in result.counts if row.label == label and row.slice == cut]
    assert len(rows) == 1
    return tuple(rows[0].counts[name] for name in ("right", "gold", "system", "aligned") if name in rows[0].counts)


def system(**changed: str) -> str:
    """Gold with other arcs for some words: the=3/det."""
    cells = [word.rsplit("/", 2) for word in GOLD.split()]
    return " ".join(f"{form}/{changed.get(form, f'{head}/{relation}')}" for form, head, relation in cells)


# --- heads and relations ---


@pytest.mark.parametrize(
    ("output", "right"),
    [
        (GOLD, {"uas": 5, "ls": 5, "las": 5}),
        (system(dog="3/obj"), {"uas": 5, "ls": 4, "las": 4}),
        (system(dog="4/nsubj"), {"uas": 4, "ls": 5, "las": 4}),
        (system(the="3/det", dog="3/obj"), {"uas": 4, "ls": 4, "las": 3}),
        (system(seen="4/root", ran="0/xcomp"), {"uas": 3, "ls": 5, "las": 3}),
    ],
)
def test_heads_relations_and_both(scored, output, right):
    for measure, number in right.items():
        assert counts(scored(GOLD, output, measure)) == (number, 5, 5, 5)


def test_subtypes_count_only_where_asked_for(scored):
    plain = system(dog="3/nsubj")
    for measure in ("las", "ls"):
        assert counts(scored(GOLD, plain, measure))[0] == 5
        assert counts(scored(GOLD, plain, f"{measure}(subtypes=true)"))[0] == 4
        assert counts(scored(GOLD, GOLD, f"{measure}(subtypes=true)"))[0] == 5


def test_a_relation_that_gold_has_with_a_subtype_alone_is_counted_without(scored):
    result = scored(GOLD, system(dog="3/nsubj"), "relation-f1")
    assert counts(result, "nsubj") == (1, 1, 1)
    with_subtypes = scored(GOLD, system(dog="3/nsubj"), "relation-f1(subtypes=true)")
    assert counts(with_subtypes, "nsubj:pass") == (0, 1, 0)
    assert counts(with_subtypes, "nsubj") == (0, 0, 1)


def test_the_case_of_relations_counts_unless_it_is_said_not_to(scored):
    output = system(dog="3/NSUBJ", ran="3/XComp")
    for measure in ("las", "ls"):
        assert counts(scored(GOLD, output, measure))[0] == 3
        assert counts(scored(GOLD, output, f"{measure}(case=false)")) == (5, 5, 5, 5)
    assert counts(scored(GOLD, output, "relation-f1(case=false)"), "xcomp") == (1, 1, 1)
    assert matches(scored(GOLD, output, "tree-match(case=false)")) == (1, 1)
    other = system(dog="3/OBJ")
    result = scored(GOLD, other, "las(case=false)")
    assert [(row.gold, row.assigned) for row in result.confusion] == [("nsubj", "obj")]


# --- punctuation ---


@pytest.mark.parametrize("measure", ["uas", "las", "ls"])
def test_gold_says_which_words_are_punctuation(scored, measure):
    """With gold's words there is one number, right of gold's words: that of ComparEval and of MaltEval."""
    # The full stop is no punct here, the dog is one.
    output = system(dog="3/punct", **{".": "3/dep"})
    right = {"uas": 4, "las": 3, "ls": 3}[measure]
    for changed in (output, system(dog="3/punct")):
        result = scored(GOLD, changed, f"{measure}(punctuation=no-punct-relation)")
        assert result.counts[0].counts == {"right": right, "gold": 4, "system": 4, "aligned": 4}
        assert {row.score: row.value for row in result.scores} == dict.fromkeys(
            ("f1", "precision", "recall", "aligned"), right / 4
        )


def test_the_test_of_items_is_on_the_main_score_without_punctuation_too(scored, file):
    gold = file("gold.conllu", dependencies(GOLD))
    systems = [
        file(f"{name}.conllu", dependencies(system(dog=arc))) for name, arc in (("s", "3/punct"), ("t", "4/x"))
    ]
    result = assay.compare(gold, systems, "las(punctuation=no-punct-relation)", times=2)
    assert {row.score for row in result.comparisons} == {"f1"}


def test_a_word_that_gold_does_not_have_is_punctuation_by_the_system(scored):
    gold, output = "a/0/root b./1/x", "a/0/root b/1/x ./2/punct"
    assert counts(scored(gold, output, "las(punctuation=no-punct-relation)")) == (1, 2, 2, 1)
    assert counts(scored(gold, output, "las")) == (1, 2, 3, 1)


def test_relations_of_words_that_the_system_takes_for_punctuation(scored):
    gold, output = with_tags(GOLD, "DET NOUN VERB VERB SYM"), with_tags(GOLD, "SYM SYM VERB VERB VERB")
    result = scored(gold, output, "relation-f1(punctuation=UPOS:SYM)")
    overall = {row.score: row.value for row in result.scores if row.label is None}
    assert overall["precision"] == overall["recall"] == overall["f1"] == 1
    labels = {row.label: row.counts for row in result.counts if row.label}
    assert labels == {name: {"right": 1, "gold": 1, "system": 1} for name in ("det", "nsubj", "root", "xcomp")}


def test_a_word_is_punctuation_by_its_characters(scored):
    gold = "«/2/punct So/0/root ?!/2/punct $/2/punct :)/2/punct a./2/punct"
    assert counts(scored(gold, gold, "uas")) == (6, 6, 6, 6)
    # Marks of currency are symbols; a letter makes a word.
    assert counts(scored(gold, gold, "uas(punctuation=no-punct-char)")) == (3, 3, 3, 3)
    assert counts(scored(gold, gold, "uas(punctuation=no-punct-relation)")) == (1, 1, 1, 1)


@pytest.mark.parametrize("measure", ["uas", "las", "ls", "relation-f1", "tree-match"])
def test_unknown_settings_are_refused(scored, measure):
    assert refusal(scored, GOLD, GOLD, f"{measure}(punctuation=none)") == (
        "there is no punctuation setting 'none'. Available: all, no-punct-relation, no-punct-char, UPOS:PUNCT+SYM, "
        "DEPREL:punct+p."
    )


def with_tags(text, tags):
    """CoNLL-U with these tags for UPOS."""
    cells = [row.split("\t") for row in dependencies(text).splitlines() if row]
    rows = ["\t".join([*row[:3], tag, *row[4:]]) for row, tag in zip(cells, tags.split(), strict=True)]
    return "\n".join(rows) + "\n\n"


def test_punctuation_may_be_a_list_of_tags(scored):
    gold = with_tags(GOLD, "DET NOUN SYM VERB ,")
    # A word is left out by gold's tag, whatever the system's.
    output = with_tags(GOLD, "DET NOUN VERB VERB ,")
    assert counts(scored(gold, output, "las(punctuation=UPOS:SYM)")) == (4, 4, 4, 4)
    assert counts(scored(gold, output, "las(punctuation=UPOS:SYM+comma)")) == (3, 3, 3, 3)
    assert counts(scored(gold, gold, "las(punctuation=UPOS:SYM+comma)")) == (3, 3, 3, 3)


def test_punctuation_may_be_a_list_of_relations(scored):
    assert counts(scored(GOLD, GOLD, "las(punctuation=DEPREL:punct+det)")) == (3, 3, 3, 3)
    # With or without their subtypes.
    assert counts(scored(GOLD, GOLD, "las(punctuation=DEPREL:nsubj)")) == (4, 4, 4, 4)
    assert counts(scored(GOLD, GOLD, "las(punctuation=DEPREL:nsubj:pass)")) == (4, 4, 4, 4)


@pytest.mark.parametrize("setting", ["DEPREL:p", "UPOS:PUNCT", "no-punct-relation"])
def test_a_list_that_fits_no_word_is_named(scored, setting):
    gold = with_tags(GOLD.replace("punct", "dep"), "DET NOUN VERB VERB X")
    result = scored(gold, gold, f"las(punctuation={setting})")
    assert counts(result) == (5, 5, 5, 5)
    assert f"punctuation={setting} matches no word of gold, so all words count." in result.warnings


def test_a_list_needs_its_column(scored):
    assert "there is no column 'MARKS'" in refusal(scored, GOLD, GOLD, "las(punctuation=MARKS:x)")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("tree-match(of=both)", "there is no criterion 'both'. Available: las, uas, ls."),
        ("relation-f1(of=both)", "there is no criterion 'both'. Available: las, ls."),
    ],
)
def test_unknown_criteria_are_refused(scored, spec, message):
    assert refusal(scored, GOLD, GOLD, spec) == message


# --- content words ---


def test_content_words_are_counted_on_each_side_by_its_own_relation(scored):
    assert counts(scored(GOLD, GOLD, "clas")) == (3, 3, 3, 3)
    assert counts(scored(GOLD, system(ran="3/aux"), "clas")) == (2, 3, 2, 3)
    assert counts(scored(GOLD, system(the="2/amod"), "clas")) == (3, 3, 4, 3)


def rows(*lines: str) -> str:
    """CoNLL-U of lines `form lemma upos feats head relation`."""
    cells = [line.split() for line in lines]
    text = [f"{n}\t{c[0]}\t{c[1]}\t{c[2]}\t_\t{c[3]}\t{c[4]}\t{c[5]}\t_\t_\n" for n, c in enumerate(cells, 1)]
    return "".join(text) + "\n"


HOUSE = (
    "In in ADP _ 3 case",
    "the the DET Definite=Def 3 det",
    "house house NOUN Number=Sing 4 obl",
    "lived live VERB Tense=Past 0 root",
    "one one NUM NumType=Card 4 nsubj",
)


def house(**changed: str) -> str:
    return rows(*(changed.get(line.split()[0], line) for line in HOUSE))


@pytest.mark.parametrize(
    ("changed", "right"),
    [
        ({}, 3),
        # The part of speech and the features of the word itself …
        ({"house": "house house PROPN Number=Sing 4 obl"}, 2),
        ({"house": "house house NOUN Number=Plur 4 obl"}, 2),
        # … those that are not universal count for nothing …
        ({"house": "house house NOUN Number=Sing|Typo=Yes|Gender[psor]=Fem 4 obl"}, 3),
        ({"house": "house haus NOUN Number=Sing 4 obl"}, 3),
        # … of a function word, its relation, and its place …
        ({"the": "the the PRON Definite=Def 3 det"}, 2),
        ({"the": "the the DET Definite=Ind 3 det"}, 2),
        ({"the": "the the DET Definite=Def 3 case"}, 2),
        ({"the": "the the DET Definite=Def 4 det"}, 1),
        ({"the": "the the DET Definite=Def 3 amod"}, 2),
        # … and one more than gold has.
        ({"one": "one one NUM NumType=Card 4 aux"}, 1),
        # A content word below is no function word, whatever it is.
        ({"one": "one one NOUN _ 4 nsubj"}, 2),
    ],
)
def test_morphology_and_function_words(scored, changed, right):
    found = counts(scored(house(), house(**changed), "mlas"))
    assert (found[0], found[1]) == (right, 3)


def test_a_function_word_without_a_counterpart_makes_its_head_wrong(scored):
    """`inthe` is one word of the system, so that neither `in` nor `the` is there."""
    gold = rows("In in ADP _ 3 case", "the the DET _ 3 det", "house house NOUN _ 0 root", "so so ADV _ 3 advmod")
    output = rows("Inthe in ADP _ 2 case", "house house NOUN _ 0 root", "so so ADV _ 2 advmod")
    assert counts(scored(gold, output, "clas")) == (2, 2, 2, 2)
    assert counts(scored(gold, output, "mlas")) == (1, 2, 2, 2)


def test_function_words_below_the_root_of_a_sentence_are_none_of_the_next(scored):
    gold = rows("so so ADV _ 0 case") + rows("house house NOUN _ 0 root")
    output = rows("so so ADV _ 0 det") + rows("house house NOUN _ 0 root")
    assert counts(scored(gold, output, "mlas")) == (1, 1, 1, 1)


def test_lemmas(scored):
    assert counts(scored(house(), house(house="house haus NOUN Number=Sing 4 obl"), "blex")) == (2, 3, 3, 3)
    assert counts(scored(house(), house(house="house _ NOUN Number=Sing 4 obl"), "blex")) == (2, 3, 3, 3)
    # Any lemma is right where gold has none; the one of a function word counts for nothing.
    assert counts(scored(house(house="house _ NOUN Number=Sing 4 obl"), house(), "blex")) == (3, 3, 3, 3)
    assert counts(scored(house(), house(the="the a DET Definite=Def 3 det"), "blex")) == (3, 3, 3, 3)


def test_an_empty_column_is_told_of(scored):
    result = scored(GOLD, GOLD, "mlas", "blex", "las")
    assert [text for text in result.warnings if "empty" in text] == [
        f"gold: column {column} is empty, so scores that need it mean nothing. The same applies to s."
        for column in ("UPOS", "FEATS", "LEMMA")
    ]


# --- relations ---


def test_relations_by_what_must_be_right(scored):
    output = system(dog="4/nsubj", the="2/nsubj", ran="3/obj")
    both, relation = (scored(GOLD, output, spec) for spec in ("relation-f1", "relation-f1(of=ls)"))
    assert counts(both, "nsubj") == (0, 1, 2)
    assert counts(relation, "nsubj") == (1, 1, 2)
    assert counts(both, "det") == counts(relation, "det") == (0, 1, 0)
    assert counts(both, "obj") == counts(relation, "obj") == (0, 0, 1)
    scores = {row.score: row.value for row in relation.scores if row.label == "nsubj"}
    assert scores == {"precision": 1 / 2, "recall": 1.0, "f1": 2 / 3}
    # Of det, nsubj, root, xcomp and punct; obj is none of gold's relations.
    overall = {row.score: row.value for row in relation.scores if row.label is None}
    assert overall["f1"] == pytest.approx(3 / 5)
    assert overall["macro-f1"] == overall["weighted-f1"] == pytest.approx((0 + 2 / 3 + 1 + 0 + 1) / 5)


def test_relations_without_punctuation(scored):
    result = scored(GOLD, GOLD, "relation-f1(punctuation=no-punct-relation)")
    labels = {row.label for row in result.counts if row.label}
    assert labels == {"det", "nsubj", "root", "xcomp"}


# --- whole sentences ---

TWO = "a/0/root b/1/x | c/0/root d/1/y ./1/punct"


def matches(result):
    (row,) = result.counts
    return row.counts["right"], row.counts["sentences"]


@pytest.mark.parametrize(
    ("output", "right"),
    [
        (TWO, {"las": 2, "uas": 2, "ls": 2}),
        ("a/0/root b/1/z | c/0/root d/1/y ./1/punct", {"las": 1, "uas": 2, "ls": 1}),
        ("a/0/root b/1/x | c/2/root d/0/y ./1/punct", {"las": 1, "uas": 1, "ls": 2}),
        # The same arcs, but the sentence ends elsewhere: the head of b is right, the sentence is not.
        ("a/0/root b/1/x c/0/root d/3/y ./3/punct", {"las": 0, "uas": 0, "ls": 0}),
    ],
)
def test_sentences_that_are_right_as_a_whole(scored, output, right):
    for of, number in right.items():
        assert matches(scored(TWO, output, f"tree-match(of={of})")) == (number, 2)


def test_whole_sentences_without_punctuation(scored):
    output = "a/0/root b/1/x | c/0/root d/1/y ./2/punct"
    assert matches(scored(TWO, output, "tree-match")) == (1, 2)
    assert matches(scored(TWO, output, "tree-match(punctuation=no-punct-relation)")) == (2, 2)
    assert matches(scored(TWO, output, "tree-match(punctuation=no-punct-char)")) == (2, 2)


def test_a_sentence_with_other_words_is_not_right_as_a_whole(scored):
    assert matches(scored("ab/0/root c/1/x", "a/0/root b/1/y c/1/x", "tree-match")) == (0, 1)
    assert matches(scored("a/0/root b/1/y c/1/x", "ab/0/root c/1/x", "tree-match(of=ls)")) == (0, 1)


# --- different words from gold ---


def test_a_head_without_a_counterpart_is_wrong(scored):
    assert counts(scored("abc/0/root d/1/dep", "a/0/root bc/1/dep d/1/dep", "uas")) == (0, 2, 3, 1)
    assert counts(scored("abc/0/root d/1/dep", "a/0/root bc/1/dep d/1/dep", "ls")) == (1, 2, 3, 1)


def test_a_root_stays_a_root(scored):
    assert counts(scored("ab/2/dep c/0/root", "a/3/dep b/3/dep c/0/root", "las")) == (1, 2, 3, 1)


def test_a_head_in_another_sentence_is_found_there(scored):
    """The system takes two sentences for one: `d` hangs below `a`, which is no word of its gold sentence."""
    gold, output = "a/0/root b/1/x | c/0/root d/1/y", "a/0/root b/1/x c/1/y d/3/y"
    assert counts(scored(gold, output, "uas")) == (3, 4, 4, 4)
    assert counts(scored(gold, output, "sentences")) == (0, 2, 1, 0)


# --- slices: recall by gold's arc, precision by the system's ---


def sliced(result, score):
    return {row.slice.partition("=")[2]: row.value for row in result.scores if row.slice and row.score == score}


def test_arcs_are_cut_by_distance_on_their_own_side(scored):
    # Gold: a → root, b 1, c 2, d 3; the system has c below b.
    gold, output = "a/0/root b/1/x c/1/x d/1/x", "a/0/root b/1/x c/2/x d/1/x"
    result = scored(gold, output, "uas", slices=("distance",))
    assert sliced(result, "recall") == {"root": 1, "1": 1, "2": 0, "3-6": 1}
    precision = sliced(result, "precision")
    assert math.isnan(precision.pop("2"))
    assert precision == {"root": 1, "1": 1 / 2, "3-6": 1}
    assert sliced(result, "f1") == {"root": 1, "1": 2 / 3, "2": 0, "3-6": 1}


def test_distances_up_to_the_longest(scored):
    gold = " ".join(["w0/0/root", *(f"w{n}/1/x" for n in range(1, 10))])
    result = scored(gold, gold, "uas", slices=("distance",))
    sizes = {row.slice: row.counts["gold"] for row in result.counts if row.slice}
    assert sizes == {
        "distance=root": 1,
        "distance=1": 1,
        "distance=2": 1,
        "distance=3-6": 4,
        "distance=7 or more": 3,
    }


def test_arcs_are_cut_by_direction(scored):
    gold, output = "a/2/x b/0/root c/2/x d/2/x", "a/2/x b/0/root c/4/x d/2/x"
    result = scored(gold, output, "las", slices=("direction",))
    assert sliced(result, "recall") == {"root": 1, "head to the left": 1 / 2, "head to the right": 1}
    assert sliced(result, "precision") == {"root": 1, "head to the left": 1, "head to the right": 1 / 2}


def test_a_right_arc_may_lie_deeper_in_the_system(scored):
    """The arcs d → c and e → d are right in both, but lie one step deeper in gold."""
    gold, output = "a/0/root b/1/x c/2/y d/3/z e/4/z", "a/0/root b/1/x c/1/y d/3/z e/4/z"
    result = scored(gold, output, "las", slices=("depth",))
    assert sliced(result, "recall") == {"root": 1, "1": 1, "2": 0, "3": 1, "4": 1}
    precision = sliced(result, "precision")
    assert math.isnan(precision.pop("4"))
    assert precision == {"root": 1, "1": 1 / 2, "2": 1, "3": 1}


def test_a_right_arc_may_be_longer_in_the_system(scored):
    """The system cuts a word in two, so that the arc from behind it over it is longer."""
    result = scored("a/0/root bc/1/x d/1/y", "a/0/root b/1/x c/2/x d/1/y", "las", slices=("distance",))
    recalls = sliced(result, "recall")
    assert math.isnan(recalls.pop("3-6")), "only the system has such an arc"
    assert recalls == {"root": 1, "1": 0, "2": 1}
    assert {name: value for name, value in sliced(result, "precision").items() if name in ("root", "1")} == {
        "root": 1,
        "1": 0,
    }


def test_relations_are_cut_by_the_arcs_of_their_own_side(scored):
    """The system has the relation of c right, but its arc is a longer one, and as long as none of gold's."""
    gold, output = "a/0/root b/1/x c/2/x d/1/x", "a/0/root b/1/y c/1/x d/1/x"
    result = scored(gold, output, "ls", slices=("distance",))
    recalls = sliced(result, "recall")
    assert math.isnan(recalls.pop("2")), "only the system has such an arc"
    assert recalls == {"root": 1, "1": 1 / 2, "3-6": 1}
    assert sliced(result, "precision") == {"root": 1, "1": 0, "2": 1, "3-6": 1}
    assert sliced(result, "f1") == {"root": 1, "1": 1 / 3, "2": 1, "3-6": 1}


@pytest.mark.parametrize("measure", ["relation-f1", "tree-match", "words"])
def test_measures_of_labels_sentences_and_words_are_not_cut_by_arcs(scored, measure):
    result = scored(GOLD, GOLD, measure, slices=("distance",))
    assert not [row for row in result.scores if row.slice]
    assert [text for text in result.warnings if text.startswith("--slice")] == [
        "--slice distance: this slice shows nothing, because all items have the same value or no measure has items."
    ]


def test_sentences_are_cut_by_whether_gold_is_projective(scored):
    gold = "a/0/root b/1/x c/1/x d/2/x | e/0/root f/1/x"
    output = "a/0/root b/1/x c/1/x d/1/x | e/0/root f/1/x"
    result = scored(gold, output, "las", "tree-match", slices=("projectivity",))
    values = {
        (row.measure, row.slice): row.value for row in result.scores if row.slice and row.score in ("f1", "value")
    }
    assert values == {
        ("las", "projectivity=projective"): 1,
        ("las", "projectivity=non-projective"): 3 / 4,
        ("tree-match", "projectivity=projective"): 1,
        ("tree-match", "projectivity=non-projective"): 0,
    }


# --- what holds for all trees ---

RELATIONS = ("nsubj", "nsubj:pass", "det", "case", "punct", "root", "dep", "foo")


@st.composite
def sentences(draw: st.DrawFn, words: list[str]) -> str:
    """A tree over some words."""
    order = draw(st.permutations(range(len(words))))
    heads = {order[0]: 0}
    for place, word in enumerate(order[1:], 1):
        heads[word] = draw(st.sampled_from(order[:place])) + 1
    return " ".join(f"{form}/{heads[n]}/{draw(st.sampled_from(RELATIONS))}" for n, form in enumerate(words))


@st.composite
def parses(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """Gold and a system, which may cut the same characters into other words."""
    texts = draw(st.lists(st.text("ab.", min_size=1, max_size=6), min_size=1, max_size=4))

    def cut(text: str) -> list[str]:
        ends = sorted({0, len(text), *draw(st.lists(st.integers(0, len(text)), max_size=4))})
        return [text[first:end] for first, end in pairwise(ends)]

    gold_words = [cut(text) for text in texts]
    same = draw(st.booleans())
    system_words = gold_words if same else [cut(text) for text in texts]
    return [draw(sentences(words)) for words in gold_words], [draw(sentences(words)) for words in system_words]


MEASURES = ("las", "uas", "ls", "clas", "mlas", "blex", "relation-f1", "relation-f1(of=ls)", "tree-match")
SEGMENTS = ("tokens", "words", "sentences")
SLICES = ("distance", "direction", "depth", "projectivity", "label")


@pytest.fixture(scope="module", name="paths")
def given_paths(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parses")
    return folder / "gold.conllu", folder / "s.conllu"


@given(parses())
def test_scores_are_shares_and_both_right_is_no_more_than_either(paths, texts):
    for path, text in zip(paths, texts, strict=True):
        path.write_text(dependencies(*text), "utf-8")
    result = assay.score(*map(str, paths), [*MEASURES, *SEGMENTS], times=2, slices=SLICES)
    values = [row.value for row in result.scores if not math.isnan(row.value)]
    assert min(values) >= 0
    assert max(values) <= 1
    overall = {row.measure: row.counts for row in result.counts if row.label is None and row.slice is None}
    assert overall["las"]["right"] <= min(overall["uas"]["right"], overall["ls"]["right"])
    assert overall["mlas"]["right"] <= overall["clas"]["right"] <= overall["las"]["right"]
    assert overall["blex"]["right"] <= overall["clas"]["right"]


@given(parses())
def test_gold_against_gold_is_one_in_every_measure(paths, texts):
    paths[0].write_text(dependencies(*texts[0], upos="X", feats="Case=Nom"), "utf-8")
    measures = [*MEASURES, *SEGMENTS, "las(subtypes=true)", "las(punctuation=no-punct-relation)"]
    result = assay.score(str(paths[0]), {"s": str(paths[0])}, measures, times=2, slices=SLICES)
    assert {row.value for row in result.scores if not math.isnan(row.value)} == {1}


@given(parses())
def test_las_of_recut_words_is_counted_as_defined(paths, texts):
    """A naive alignment by characters; there are no multiword tokens here."""
    for path, text in zip(paths, texts, strict=True):
        path.write_text(dependencies(*text), "utf-8")
    result = assay.score(*map(str, paths), ["las", "uas"], times=2)
    gold, found = (naive_arcs(text) for text in texts)
    heads = [place for place in gold if place in found and gold[place][0] == found[place][0]]
    both = [place for place in heads if gold[place][1] == found[place][1]]
    rows = {row.measure: row.counts for row in result.counts}
    aligned = len(gold.keys() & found.keys())
    assert rows["uas"] == {"right": len(heads), "gold": len(gold), "system": len(found), "aligned": aligned}
    assert rows["las"]["right"] == len(both)


def naive_arcs(text: list[str]) -> dict[tuple[int, int], tuple[tuple[int, int] | None, str]]:
    """For the characters of each word those of its head (None: root), and its relation."""
    arcs = {}
    begin = 0
    for sentence in text:
        cells = [word.rsplit("/", 2) for word in sentence.split()]
        places = []
        for form, _, _ in cells:
            places.append((begin, begin + len(form)))
            begin += len(form)
        for place, (_, head, relation) in zip(places, cells, strict=True):
            arcs[place] = (places[int(head) - 1] if int(head) else None, relation.partition(":")[0])
    return arcs


# --- what systems do differently ---


@pytest.fixture(name="compared")
def given_compared(file):
    def compare(measure, gold, **systems):
        for name, text in (("gold", gold), *systems.items()):
            file(f"{name}.conllu", text if "\t" in text else dependencies(text))
        files = {name: f"{name}.conllu" for name in systems}
        return assay.compare("gold.conllu", files, measure, times=2)

    return compare


def changes(result):
    """Kind, gold's relation, the two systems' relations, how many, and how many of these have another head."""
    (diff,) = result.diffs
    return [(row.kind, row.gold, row.before, row.after, row.count, row.moved) for row in diff.changes]


def kinds(result):
    (diff,) = result.diffs
    # What differs, what is the same and right, what is the same and wrong: nothing is left.
    assert diff.different == diff.corrections + diff.new_errors + diff.changed_errors
    assert diff.items == diff.different + diff.both_right + diff.same_error
    return diff.corrections, diff.new_errors, diff.changed_errors


def test_heads_and_relations_that_change(compared):
    a = "the/3/det dog/3/obj seen/0/root ran/2/xcomp ./4/punct"
    b = "the/2/det dog/5/dep seen/0/root ran/2/acl ./3/punct"
    # Of seen both are right; ran has another relation, but hangs below the wrong word in both.
    result = compared("las", GOLD, a=a, b=b)
    assert kinds(result) == (2, 0, 2)
    assert changes(result) == [
        ("correction", "det", "det", "det", 1, 1),
        ("correction", "punct", "punct", "punct", 1, 1),
        ("changed-error", "nsubj", "obj", "dep", 1, 1),
        ("changed-error", "xcomp", "xcomp", "acl", 1, 0),
    ]
    assert result.diffs[0].difference == pytest.approx(2 / 5)


def test_under_heads_alone_another_relation_is_no_change(compared):
    a, b = system(dog="3/obj", the="3/det"), system(dog="3/dep", the="4/case")
    assert kinds(compared("uas", GOLD, a=a, b=b)) == (0, 0, 1)
    assert kinds(compared("las", GOLD, a=a, b=b)) == (0, 0, 2)


def test_under_relations_alone_another_head_is_no_change(compared):
    a, b = system(dog="4/nsubj", the="3/det"), system(dog="3/nsubj", the="4/case")
    result = compared("ls", GOLD, a=a, b=b)
    assert kinds(result) == (0, 1, 0)
    assert changes(result) == [("new-error", "det", "det", "case", 1, None)]


def test_words_and_heads_that_gold_does_not_have_are_answers_like_others(compared):
    gold = "ab/0/root c/1/x d/1/y"
    # Both lack ab; c hangs below a word that is none of gold's in both, d in the first alone.
    a, b = "a/0/root b/1/z c/2/x d/1/y", "a/4/v b/1/z c/1/x d/0/y"
    assert kinds(compared("las", gold, a=a, b=b)) == (0, 0, 1)


def test_morphology_and_lemmas_make_a_difference_where_heads_and_relations_do_not(compared):
    other = "house haus X Number=Sing 4 obl"
    for measure in ("mlas", "blex"):
        result = compared(measure, house(), a=house(), b=house(house=other))
        assert kinds(result) == (0, 1, 0)
        difference = result.score("b", measure).value - result.score("a", measure).value
        assert difference == pytest.approx(-1 / 3)
        assert result.diffs[0].difference == pytest.approx(difference)


def test_differences_are_counted_over_the_words_that_count(compared):
    a, b = system(**{".": "4/punct"}, the="3/det"), GOLD
    assert kinds(compared("las", GOLD, a=a, b=b)) == (2, 0, 0)
    assert kinds(compared("las(punctuation=no-punct-relation)", GOLD, a=a, b=b)) == (1, 0, 0)
    result = compared("clas", GOLD, a=a, b=b)
    assert kinds(result) == (0, 0, 0)
    assert result.diffs[0].items == 3


def test_upper_bounds_by_relation(compared):
    a, b = system(the="3/det", dog="3/obj"), system(the="3/det", ran="2/xcomp")
    result = compared("las", GOLD, a=a, b=b)
    found = {row.label: (row.items, row.systems["a"], row.systems["b"], row.upper) for row in result.bounds}
    assert found == {
        None: (5, 3 / 5, 3 / 5, 4 / 5),
        "det": (1, 0, 0, 0),
        "nsubj": (1, 0, 1, 1),
        "root": (1, 1, 1, 1),
        "xcomp": (1, 1, 0, 1),
        "punct": (1, 1, 1, 1),
    }
