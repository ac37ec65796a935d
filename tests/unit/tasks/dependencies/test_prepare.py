"""From files with dependencies to pairs that can be judged: columns, faulty trees, what is left out."""

from __future__ import annotations

import pytest

import assay
from assay.engine.task import tasks
from assay.keywords import OPTIONS
from assay.render import render
from parses import dependencies
from unit.samples import refusal

GOLD = ("a/2/x b/0/root c/2/y", "d/0/root e/1/x", "f/0/root g/1/y")
SKIP = "To leave such sentences out: --on-mismatch skip"


@pytest.fixture(name="gold")
def given_gold(file):
    return file("gold.conllu", dependencies(*GOLD))


@pytest.fixture(name="system")
def given_system(file):
    """A system with other trees for some of the three sentences."""

    def write(name="s", **changed):
        texts = [changed.get(place, text) for place, text in zip(("first", "second", "third"), GOLD, strict=True)]
        return file(f"{name}.conllu", dependencies(*texts))

    return write


def counts(result, measure="las"):
    return {row.system: (row.counts["right"], row.counts["gold"]) for row in result.counts if row.measure == measure}


# --- faulty trees ---

CYCLE = "a cycle: following heads from here leads to no root"
FAULTS = [
    ("d/2/root e/1/x", [f"s.conllu:5: {CYCLE}"]),
    ("d/0/root e/2/x", [f"s.conllu:6: {CYCLE}"]),
    ("d/0/root e/3/x", ["s.conllu:6: head '3' in a sentence of 2 words"]),
    ("d/0/root e/_/x", ["s.conllu:6: head '_' is not a number"]),
    ("d/one/root e/-1/x", ["s.conllu:5: head 'one' is not a number", "s.conllu:6: head '-1' is not a number"]),
]


@pytest.mark.parametrize(("tree", "lines"), FAULTS)
def test_a_faulty_tree_is_refused_with_its_place(gold, system, tree, lines):
    assert refusal(assay.score, gold, system(second=tree), "las", times=2) == "\n".join([*lines, SKIP])


def test_a_faulty_tree_of_gold_is_refused_too(file, system):
    gold = file("gold.conllu", dependencies(GOLD[0], "d/2/root e/1/x", GOLD[2]))
    assert refusal(assay.score, gold, system(), "las", times=2) == f"gold.conllu:5: {CYCLE}\n{SKIP}"


@pytest.mark.parametrize(("tree", "lines"), FAULTS)
def test_a_faulty_sentence_is_left_out_for_all_where_that_is_asked_for(gold, system, tree, lines):
    systems = {"s": system(second=tree), "t": system("t", first="a/2/x b/0/root c/2/x", second="d/2/x e/0/root")}
    result = assay.compare(gold, systems, ["las", "words"], times=2, on_mismatch="skip")
    assert counts(result) == {"s": (5, 5), "t": (4, 5)}
    assert counts(result, "words") == {"s": (5, 5), "t": (5, 5)}
    assert (result.about.units, result.diffs[0].items) == (2, 5)
    assert "1 of 3 sentences was left out." in result.warnings
    assert [text for text in result.warnings if text.startswith("left out: ")] == [
        f"left out: {line}." for line in lines
    ]


def test_a_sentence_that_is_faulty_in_gold_is_left_out(file, system):
    gold = file("gold.conllu", dependencies(GOLD[0], GOLD[1], "f/0/root g/7/y"))
    result = assay.score(gold, system(), "las", times=2, on_mismatch="skip")
    assert counts(result) == {"s": (5, 5)}
    assert "left out: gold.conllu:9: head '7' in a sentence of 2 words." in result.warnings


def test_a_faulty_sentence_that_is_cut_otherwise_leaves_out_all_that_it_touches(gold, file):
    other = file("s.conllu", dependencies("a/2/x b/0/root c/2/y d/5/x e/4/x", "f/0/root g/1/y"))
    result = assay.score(gold, other, ["las", "sentences"], times=2, on_mismatch="skip")
    assert counts(result) == {"s": (2, 2)}
    assert "2 of 3 sentences were left out." in result.warnings


def test_nothing_is_scored_where_every_sentence_is_faulty(gold, file):
    other = file("s.conllu", dependencies("a/2/x b/1/root c/2/y", "d/2/root e/1/x", "f/2/root g/1/y"))
    assert refusal(assay.score, gold, other, "las", times=2, on_mismatch="skip") == (
        "no sentence of gold.conllu is complete in all files."
    )


def test_at_most_twenty_problems_are_told(file):
    gold = file("gold.conllu", dependencies(*["a/0/root b/1/x"] * 25))
    wrong = file("s.conllu", dependencies(*["a/0/root b/9/x"] * 25))
    lines = refusal(assay.score, gold, wrong, "las", times=2).splitlines()
    assert len(lines) == 22
    assert lines[19] == "s.conllu:59: head '9' in a sentence of 2 words"
    assert lines[20:] == ["… and 5 more places", SKIP]


def test_skipping_leaves_out_differing_texts_and_faulty_trees_alike(gold, file):
    other = file("s.conllu", dependencies(GOLD[0], "d/2/root e/1/x", "f/0/root h/1/y"))
    result = assay.score(gold, other, "las", times=2, on_mismatch="skip")
    assert counts(result) == {"s": (3, 3)}
    assert "2 of 3 sentences were left out." in result.warnings


def test_a_tagging_file_with_nonsense_in_head_is_a_fine_tagging_file(file):
    text = dependencies("a/x/x b/9/y", upos="N")
    result = assay.score(file("gold.conllu", text), file("s.conllu", text), "accuracy", column="UPOS", times=2)
    assert result.score("s", "accuracy").value == 1


# --- roots, projectivity ---


def test_several_roots_are_told_and_scored(gold, system):
    result = assay.score(gold, system(first="a/0/x b/0/root c/2/y", third="f/0/root g/0/y"), "las", times=2)
    assert counts(result) == {"s": (5, 7)}
    assert [text for text in result.warnings if "root" in text] == [
        "s: 2 sentences have more than one root, scored like the others."
    ]


def test_gold_with_several_roots_agrees_with_itself(file):
    gold = file("gold.conllu", dependencies("a/0/x b/0/root c/2/y"))
    result = assay.score(gold, {"s": gold}, ["las", "tree-match"], times=2)
    assert {row.value for row in result.scores} == {1}


def test_sentences_of_gold_that_are_not_projective_are_counted_without_those_left_out(file):
    crossing = "a/0/root b/1/x c/1/x d/2/x"
    gold = file("gold.conllu", dependencies(crossing, crossing, "e/0/root"))
    other = file("s.conllu", dependencies(crossing, "a/9/root b/1/x c/1/x d/2/x", "e/0/root"))
    assert assay.score(gold, {"s": gold}, "las", times=2).notes[:1] == ("Non-projective sentences: gold 2, s 2.",)
    skipped = assay.score(gold, other, "las", times=2, on_mismatch="skip")
    assert skipped.notes[:1] == ("Non-projective sentences: gold 1, s 1.",)


# --- columns ---


def test_heads_and_relations_are_two_columns(gold, system):
    assert refusal(assay.score, gold, system(), "las", column="HEAD", times=2) == (
        "--column HEAD: dependencies are two columns, e.g. HEAD+DEPREL or PHEAD+PDEPREL."
    )
    assert refusal(assay.score, gold, system(), "las", column="HEAD+DEPRAL", times=2) == (
        "gold.conllu: there is no column 'DEPRAL'. Did you mean DEPREL or DEPS?"
    )


def test_an_empty_column_is_refused(gold, file):
    empty = file("s.conllu", dependencies("a/_/x b/_/root c/_/y", "d/_/root e/_/x", "f/_/root g/_/y"))
    assert refusal(assay.score, gold, empty, "las", times=2) == (
        "s.conllu: contains no heads (every cell is _). Give a file with trees, or compare its labels: -m accuracy"
    )


def test_files_without_such_columns_are_refused(gold, file):
    assert refusal(assay.score, gold, file("s.tsv", "a\tX\tY\n"), "las", times=2) == (
        "s.tsv: has 3 columns without names, so there is no HEAD. "
        "Give the column by number, e.g. --column 2, or add a header line."
    )
    assert refusal(assay.score, [["a"]], {"s": [["a"]]}, "las", times=2) == (
        "gold: there is no column 'HEAD'. Available: label."
    )


def test_tables_with_named_columns_will_do(file):
    text = "FORM\tHEAD\tDEPREL\na\t2\tx\nb\t0\troot\n"
    gold = file("gold.tsv", text)
    other = file("s.tsv", text.replace("2\tx", "2\ty"))
    options = {"input_format": "tsv(word=FORM, header=true)", "times": 2}
    assert counts(assay.score(gold, other, "las", **options)) == {"s": (1, 2)}


def test_columns_by_another_name(file):
    """The projective variant of CoNLL-X, which is scored only where asked for."""
    text = "1\ta\t_\t_\t_\t_\t2\tx\t0\troot\n2\tb\t_\t_\t_\t_\t0\troot\t1\ty\n"
    gold, other = file("gold.conllu", text), file("s.conllu", text.replace("2\tx\t0", "2\tz\t0"))
    assert counts(assay.score(gold, other, "las", times=2)) == {"s": (1, 2)}
    assert counts(assay.score(gold, other, "las", column="DEPS+MISC", times=2)) == {"s": (2, 2)}


def test_the_task_alone_gives_the_usual_measures(gold, system):
    result = assay.score(gold, system(), task="dependencies", times=2)
    assert [row.measure for row in result.counts] == ["las", "uas"]
    assert (result.about.task, result.about.column, result.about.items) == ("dependencies", "HEAD+DEPREL", 7)


def test_measures_of_tags_are_judged_beside_trees_if_they_name_a_column(file):
    row = "{}\t{}\t{}\t{}\t_\t_\t{}\t{}\t_\t_\n"
    words = [(1, "dogs", "dog", "NOUN", 2, "nsubj"), (2, "ran", "run", "VERB", 0, "root")]
    wrong = [(1, "dogs", "dogs", "NOUN", 2, "obj"), (2, "ran", "run", "VERB", 0, "root")]
    for name, cells in (("gold", words), ("s", wrong)):
        file(f"{name}.conllu", "".join(row.format(*one) for one in cells) + "\n")
    for measures in (["las", "accuracy(column=LEMMA)", "ufeats"], ["accuracy(column=UPOS)", "las"]):
        result = assay.score("gold.conllu", "s.conllu", measures, times=2)
        assert (result.about.task, [row.measure for row in result.counts]) == ("dependencies", measures)
        expected = {"accuracy(column=LEMMA)": 0.5, "las": 0.5, "ufeats": 1, "accuracy(column=UPOS)": 1}
        assert [result.score("s", name).value for name in measures] == [expected[name] for name in measures]
    names = ["las", "mlas", "blex", "uas", "clas", "tokens", "sentences", "words"]
    result = assay.score("gold.conllu", "s.conllu", preset="conll18", times=2)
    assert [row.measure for row in result.counts][:8] == names


def test_every_preset_of_a_task_can_be_asked_for():
    assert {*OPTIONS["preset"].choices} == {name for task in tasks().values() for name in task.presets}


def test_measures_of_other_tasks_are_refused(gold, system):
    assert refusal(assay.score, gold, system(), ["las", "exact"], times=2) == (
        "the measures belong to different tasks: dependencies, spans. Run them separately."
    )
    message = "accuracy: name its column, in addition to dependencies: accuracy(column=UPOS)"
    assert refusal(assay.score, gold, system(), ["las", "accuracy"], times=2) == message
    assert refusal(assay.score, gold, system(), "accuracy", task="dependencies", times=2) == message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"map": "m.tsv"}, "--map is for tags, spans and items, but dependencies are compared. Remove --map."),
        ({"tagset": "nkjp"}, "--tagset is for tags, but dependencies are compared. Remove --tagset."),
        ({"scheme": ("bio",)}, "--scheme is for spans and links, but dependencies are compared. Remove --scheme."),
    ],
)
def test_options_of_other_tasks_are_refused(gold, system, options, message):
    assert refusal(assay.score, gold, system(), "las", times=2, **options) == message


# --- slices by known words ---


def test_arcs_are_cut_by_whether_their_word_is_known(gold, system, file):
    train = file("train.txt", "a\nb\nd\n")
    wrong = system(first="a/2/x b/0/root c/2/x", third="f/0/root g/1/x")
    result = assay.score(gold, wrong, "las", slices=("seen",), train=train, times=2)
    found = {row.slice: (row.counts["right"], row.counts["gold"]) for row in result.counts if row.slice}
    assert found == {"seen=seen": (3, 3), "seen=unseen": (2, 4)}


def test_words_of_the_training_treebank_are_known(gold, system, file):
    train = file("train.conllu", dependencies("a/2/x f/0/root g/2/z"))
    result = assay.score(gold, system(third="f/0/root g/1/x"), "uas", slices=("seen",), train=train, times=2)
    found = {row.slice: (row.counts["right"], row.counts["gold"]) for row in result.counts if row.slice}
    assert found == {"seen=seen": (2, 2), "seen=seen with other labels": (1, 1), "seen=unseen": (4, 4)}


# --- folders ---


def test_files_of_two_folders_correspond_by_name(file):
    for folder, text in (("gold", GOLD), ("s", GOLD)):
        file(f"{folder}/one.conllu", dependencies(text[0]))
        file(f"{folder}/two.conllu", dependencies("d/2/root e/1/x" if folder == "s" else text[1]))
    assert refusal(assay.score, "gold", "s", "las", times=2) == f"s/two.conllu:1: {CYCLE}\n{SKIP}"
    result = assay.score("gold", "s", "las", times=2, on_mismatch="skip", unit="document")
    assert counts(result) == {"s": (3, 3)}
    file("gold/three.conllu", dependencies(GOLD[2]))
    assert refusal(assay.score, "gold", "s", "las", times=2) == (
        "s: lacks three, which gold has. Files in the two folders are matched by name."
    )


# --- what the whole shows ---


def test_words_that_only_a_system_has_are_among_the_errors(file):
    gold = file("gold.conllu", dependencies("it's/2/x so/0/root"))
    output = file("s.conllu", dependencies("it/3/y 's/3/y so/0/root"))
    result = assay.score(gold, output, "las", times=2)
    assert [(row.gold, row.assigned, row.count) for row in result.confusion] == [(None, "y", 2), ("x", None, 1)]
    text = render(result, "md")
    assert "| ∅ | y | 2 |" in text
    assert "∅: the other side has no such word." in text


def test_an_error_of_the_head_alone_is_explained(gold, system):
    text = render(assay.score(gold, system(first="a/3/x b/0/root c/2/y"), "las", times=2), "md")
    assert "| x | x | 1 |" in text
    assert "The same on both sides: the head is wrong." in text


def test_whole_sentences_have_an_upper_bound_too(gold, system):
    a = system("a", first="a/2/x b/0/root c/1/y", second="d/0/root e/1/y")
    b = system("b", first="a/3/x b/0/root c/2/y", third="f/2/root g/0/y")
    result = assay.compare(gold, {"a": a, "b": b}, "las", times=2)
    overall, *others = result.bounds
    # The first is right in no system, but each of its words is in one; the others are right in one system each.
    assert (overall.exact, overall.exact_in_one, overall.exact_upper) == ({"a": 1, "b": 1}, 2, 3)
    assert overall.sentences == 3
    assert not any(row.exact for row in others)
    assert (
        "Sentences that are completely right, out of 3: a 1, b 1; in at least one system 2; with the best choice for "
        "each word 3."
    ) in render(result, "md")
    matches = assay.score(gold, {"a": a, "b": b}, "tree-match", times=2)
    assert {row.system: row.counts["right"] for row in matches.counts} == overall.exact


def test_a_sentence_cut_otherwise_is_not_wholly_right(file):
    gold = file("gold.conllu", dependencies("a/0/root b/1/x", "c/0/root d/1/x"))
    a = file("a.conllu", dependencies("a/0/root b/1/x c/0/root d/3/x"))
    b = file("b.conllu", dependencies("a/0/root b/1/x", "c/2/root d/0/x"))
    overall, *_ = assay.compare(gold, {"a": a, "b": b}, "las", times=2).bounds
    assert (overall.exact, overall.exact_in_one) == ({"a": 0, "b": 1}, 1)


def test_a_cycle_in_gold_may_be_left_out_too(file, gold):
    circle = file("circle.conllu", dependencies("a/2/x b/1/y c/0/root", *GOLD[1:]))
    result = assay.score(circle, gold, "las", times=2, on_mismatch="skip", slices=["depth", "projectivity"])
    (whole,) = [row.counts for row in result.counts if row.slice is None]
    assert (whole["right"], whole["gold"]) == (4, 4)
    assert result.warnings[0] == "1 of 3 sentences was left out."


def test_non_projective_sentences_of_each_file_are_counted(file):
    crossed, flat = "a/0/root b/1/x c/1/y d/2/z", "a/0/root b/1/x c/1/y d/1/z"
    gold = file("gold.conllu", dependencies(crossed, flat, flat))
    a = file("a.conllu", dependencies(crossed, crossed, flat))
    b = file("b.conllu", dependencies(flat, flat, flat))
    result = assay.score(gold, {"a": a, "b": b}, "las", times=2)
    assert result.notes == ("Non-projective sentences: gold 1, a 2, b 0.",)
    assert assay.score(b, {"b": b}, "las", times=2).notes == ()


def test_labels_where_heads_should_be_are_refused_in_one_line(file):
    """Tags of names under a measure of trees: one line, not one for each word."""
    names = file("names.tsv", "a\tB-PER\nb\tO\n\nc\tO\n")
    told = (
        "names.tsv: contains no heads, but 'B-PER', 'O'. Measures of dependencies need a column of heads, and one of "
        "relations, e.g. --column HEAD+DEPREL."
    )
    for on_mismatch in ("error", "skip"):
        assert refusal(assay.score, names, names, "las", times=2, on_mismatch=on_mismatch) == told


# --- tokens and sentences ---

SEGMENTS = ("tokens", "sentences")


def test_tokens_and_sentences_are_refused_where_the_line_of_a_multiword_token_is_missing(file):
    trees = dependencies("zu/3/case dem/3/det Bad/0/root", "er/2/nsubj geht/0/root")
    gold, system = file("gold.conllu", "1-2\tzum" + 8 * "\t_" + "\n" + trees), file("s.conllu", trees)
    assert counts(assay.score(gold, system, "las", times=2)) == {"s": (5, 5)}
    told = refusal(assay.score, gold, system, SEGMENTS, times=2)
    assert told.startswith("s.conllu:2: 'dem', but gold.conllu:2 has 'zum'\nThe words are the same as in gold")
    result = assay.score(gold, system, SEGMENTS, times=2, on_mismatch="skip")
    assert counts(result, "tokens") == {"s": (2, 2)}
    assert counts(result, "sentences") == {"s": (1, 1)}


def test_tokens_behind_a_sentence_that_is_left_out_for_another_system_stay_in_their_places(file, gold, system):
    """The sentence left out is half of one of this system's sentences."""
    joined = file("joined.conllu", dependencies("a/2/x b/0/root c/2/y d/2/x e/4/x", GOLD[2]))
    faulty = system("faulty", second="d/2/root e/1/x")
    result = assay.score(gold, [joined, faulty], SEGMENTS, times=2, on_mismatch="skip")
    assert counts(result, "tokens") == {"joined": (5, 5), "faulty": (5, 5)}
    assert counts(result, "sentences") == {"joined": (1, 2), "faulty": (2, 2)}


def test_a_sentence_cut_otherwise_is_no_tree_match_though_there_are_as_many(file):
    gold = file("gold.conllu", dependencies("a/0/root b/1/x", "c/0/root"))
    system = file("s.conllu", dependencies("a/0/root", "b/2/x c/0/root"))
    [row] = assay.score(gold, system, "tree-match", times=2).counts
    assert row.counts == {"right": 0, "sentences": 2}


def test_heads_in_another_sentence_of_gold_are_drawn_as_another_word(file):
    gold = file("gold.conllu", dependencies("a/2/x b/0/root", "d/0/root e/1/x"))
    joined = file("s.conllu", dependencies("a/4/x b/0/root d/2/y e/2/x"))
    result = assay.score(gold, joined, "las", examples=5, times=2)
    assert [one.arcs[1].heads for one in result.examples] == [(-2, -1), (-2, -2)]
    assert "x ← another word" in render(result, "table")
