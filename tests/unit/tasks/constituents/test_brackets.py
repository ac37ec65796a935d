"""Constituents: what counts as one, which sentences can be compared, what parameter files say, lineages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import assay
from assay.engine.items import ONE
from assay.render.table import make_heading
from assay.result import Result
from assay.tasks.constituents.measures import compare_lineages, list_lineages
from unit.samples import placed, refusal

GOLD = "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ barks)) (. .)))"
FLAT = "(TOP (S (DT the) (NN dog) (VBZ barks) (. .)))"

File = Callable[..., str]


@pytest.fixture(name="file")
def written(tmp_path: Path) -> File:
    """A function that writes lines into a file and gives its path."""

    def write(name: str, *lines: str) -> str:
        path = tmp_path / name
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return str(path)

    return write


def scored(gold: str, system: str, spec: str = "parseval", **options: object) -> Result:
    return assay.score(gold, {"s": system}, spec, times=5, **options)


def counts(gold: str, system: str, spec: str = "parseval", **options: object) -> dict[str, int]:
    """The counts above zero."""
    return {name: number for name, number in scored(gold, system, spec, **options).counts[0].counts.items() if number}


def brackets(file: File, gold: str, system: str, spec: str = "parseval") -> tuple[int, int, int]:
    """Of one sentence: the constituents that match, gold's and the system's."""
    found = counts(file("gold.ptb", gold), file("s.ptb", system), spec)
    return found.get("tp", 0), found.get("gold", 0), found.get("system", 0)


# --- which nodes count ---


@pytest.mark.parametrize("root", ["", "TOP", "ROOT", "S1", "VROOT"])
def test_a_root_is_no_constituent_whatever_it_is_called(file: File, root: str) -> None:
    assert brackets(file, GOLD, f"({root} (S (NP (DT the) (NN dog)) (VP (VBZ barks)) (. .)))") == (3, 3, 3)


def test_a_root_below_a_root_is_none_either_but_one_within_a_phrase_is(file: File) -> None:
    assert brackets(file, "( (TOP (S (X x))))", "(TOP (S (X x)))") == (1, 1, 1)
    assert brackets(file, "(TOP (S (ROOT (X x))))", "(TOP (S (X x)))") == (1, 2, 1)


def test_of_a_unary_chain_the_topmost_alone_counts_if_asked(file: File) -> None:
    chain = "(TOP (S (NP (NP (X x))) (VP (Y y))))"
    assert brackets(file, chain, chain) == (4, 4, 4)
    assert brackets(file, chain, chain, "parseval(unary=false)") == (3, 3, 3)
    assert brackets(file, chain, "(TOP (S (NP (X x)) (VP (Y y))))", "parseval(unary=false)") == (3, 3, 3)


def test_constituents_of_one_word_and_of_the_whole_sentence_are_left_out_if_asked(file: File) -> None:
    assert brackets(file, GOLD, FLAT, "parseval(trivial=false)") == (0, 1, 0)
    # Without its full stop the sentence has three words.
    nested = "(TOP (S (S (NP (DT the) (NN dog)) (VP (VBZ barks))) (. .)))"
    assert brackets(file, nested, nested, "parseval(trivial=false)") == (2, 2, 2)
    assert brackets(file, nested, nested, "parseval(preset=collins, trivial=false)") == (1, 1, 1)


def test_constituents_with_gaps_are_compared_as_sets_of_words(file: File) -> None:
    gold = "(S (VP (V 0=is) (A 2=red)) (NP (N 1=it)))"
    same_ends = "(S (VP (V 0=is) (N 1=it) (A 2=red)))"
    assert brackets(file, gold, gold) == (3, 3, 3)
    assert brackets(file, gold, same_ends) == (1, 3, 2)
    assert brackets(file, gold, gold, "parseval(disc_only=true)") == (1, 1, 1)
    assert brackets(file, gold, same_ends, "parseval(disc_only=true)") == (0, 1, 0)


def test_a_gap_is_closed_where_all_words_in_it_are_deleted(file: File) -> None:
    gold = "(TOP (S (VP (V 0=is) (A 2=red)) (, 1=,) (N 3=it)))"
    system = "(TOP (S (VP (V 0=is) (, 1=,) (A 2=red)) (N 3=it)))"
    assert brackets(file, gold, system) == (1, 2, 2)
    assert brackets(file, gold, system, "parseval(preset=collins)") == (2, 2, 2)


def test_a_part_of_a_constituent_that_is_deleted_leaves_no_gap(file: File) -> None:
    gold = "(TOP (S (VP (V 0=is) (, 2=,)) (N 1=it)))"
    assert brackets(file, gold, "(TOP (S (VP (V 0=is)) (N 1=it) (, 2=,)))", "parseval(preset=collins)") == (2, 2, 2)


def test_functions_count_only_if_asked_and_in_any_order(file: File) -> None:
    gold, system = "(S (NP-LOC-PRD-1 (N a)) (VP (V b)))", "(S (NP-PRD-LOC (N a)) (VP-X (V b)))"
    assert brackets(file, gold, system) == (3, 3, 3)
    assert brackets(file, gold, system, "parseval(functions=true)") == (2, 3, 3)


def test_edge_labels_are_functions(file: File) -> None:
    lines = ("#BOS 1", "it\tN\t--\tSB\t500", "is\tV\t--\tHD\t500", "#500\tS\t--\tOC\t0", "#EOS 1")
    gold = file("gold.export", *lines)
    other = file("s.export", *(line.replace("OC", "MO").replace("SB", "OA") for line in lines))
    assert counts(gold, other)["tp"] == 1
    found = counts(gold, other, "parseval(functions=true)")
    assert (found.get("tp", 0), found["le"], found["words"], found["tags"]) == (0, 1, 2, 1)


# --- what is counted beside brackets ---


def test_a_wrong_label_is_missing_and_spurious_and_known_as_the_same_words(file: File) -> None:
    found = counts(file("gold.ptb", GOLD), file("s.ptb", GOLD.replace("NP", "ADJP")))
    assert {kind: found[kind] for kind in ("tp", "fp", "le")} == {"tp": 2, "fp": 1, "le": 1}
    assert "fn" not in found
    result = scored(file("gold.ptb", GOLD), file("s.ptb", GOLD.replace("NP", "ADJP")))
    wrong = [(row.gold, row.assigned) for row in result.confusion if row.type == "le"]
    assert wrong == [("NP", "ADJP")]


def test_only_brackets_that_overlap_without_nesting_cross(file: File) -> None:
    gold = "(S (A (X a) (X b)) (B (X c) (X d)))"
    found = counts(file("gold.ptb", gold), file("s.ptb", "(S (X a) (C (D (X b) (X c)) (X d)))"))
    # C lies across A; D lies across A and B, and counts once.
    assert found["crossing"] == 2
    assert counts(file("gold.ptb", gold), file("s.ptb", "(S (X a) (C (X b) (X c) (X d)))"))["crossing"] == 1
    assert "crossing" not in counts(file("gold.ptb", gold), file("s.ptb", "(S (X a) (X b) (E (X c)) (X d))"))


def test_sentences_with_fewer_than_two_constituents_are_counted_as_trivial(file: File) -> None:
    gold = file("gold.ptb", "(TOP (NP (N a)))", GOLD)
    assert counts(gold, gold)["trivial"] == 1


def test_only_sentences_up_to_the_cutoff_count(file: File) -> None:
    gold = file("gold.ptb", "(TOP (NP (N a)))", GOLD)
    found = counts(gold, gold, "parseval(cutoff=3)")
    assert (found["tp"], found["gold"], found["sentences"], found["words"]) == (1, 1, 1, 1)
    message = "parseval: cutoff should be a number of words, or 0 for no limit, not -1."
    assert refusal(scored, gold, gold, "parseval(cutoff=-1)") == message


# --- sentences that cannot be compared ---


def test_gold_and_system_may_be_cut_into_other_words(file: File) -> None:
    gold = file("gold.ptb", "(TOP (S (NP (N dogs)) (VP (V can) (R not) (V bark))))")
    system = file("s.ptb", "(TOP (S (NP (N dogs)) (VP (V cannot) (V bark))))")
    result = scored(gold, system)
    assert result.about.aligned_by == "characters"
    assert result.counts[0].counts["tp"] == 3
    assert (result.counts[0].counts["words"], result.counts[0].counts["tags"]) == (4, 2)
    assert "Tokenisation differs, so constituents are compared as sets of characters (without white space)." in (
        result.notes
    )


def test_other_words_are_refused_unless_the_sentence_may_be_left_out(file: File) -> None:
    gold, system = file("gold.ptb", GOLD, FLAT), file("s.ptb", GOLD, FLAT.replace("dog", "cat"))
    assert refusal(scored, gold, system).splitlines()[0] == f"{system}:2: 'cat', but {gold}:2 has 'dog'"
    found = counts(gold, system, on_mismatch="skip")
    assert (found["tp"], found["unscored"], found["gold"], found["errors"]) == (3, 1, 4, 1)


def test_a_sentence_that_only_one_system_can_be_compared_in_stays_for_the_other(file: File) -> None:
    gold = file("gold.ptb", GOLD, FLAT, GOLD)
    systems = {"whole": file("a.ptb", FLAT, FLAT, GOLD), "part": file("b.ptb", GOLD, FLAT, "(())")}
    result = assay.compare(gold, systems, "parseval", times=5)
    assert [row.counts["sentences"] for row in result.counts] == [3, 2]
    [diff] = result.diffs
    assert (diff.items, diff.corrections, diff.new_errors) == (7, 2, 3)


def test_averages_over_labels_are_over_the_sentences_that_can_be_compared(file: File) -> None:
    """FRAG is in the sentence without a tree alone, and what is compared is right."""
    gold, system = file("gold.ptb", GOLD, "(TOP (FRAG (UH no)))"), file("s.ptb", GOLD, "(())")
    values = {row.score: row.value for row in scored(gold, system, "bracket-f1").scores if row.label is None}
    assert values == dict.fromkeys(values, 1.0)
    assert {"macro-f1", "macro-precision", "macro-recall", "weighted-f1"} < set(values)


def test_gold_without_a_tree_is_refused_unless_the_sentence_may_be_left_out(file: File) -> None:
    gold, system = file("gold.ptb", GOLD, "(())", FLAT), file("s.ptb", GOLD, FLAT, FLAT)
    message = f"{gold}:2: no tree in gold, in 1 sentence. To leave them out: --on-mismatch skip"
    assert refusal(scored, gold, system) == message
    result = scored(gold, system, on_mismatch="skip")
    assert (result.about.units, result.counts[0].counts["tp"]) == (2, 4)
    assert f"1 sentence was left out, because gold has no tree there: {gold}:2." in result.warnings


def test_files_without_trees_are_refused(file: File) -> None:
    gold, tags = file("gold.ptb", GOLD), file("s.tsv", "the\tDT", "dog\tNN")
    assert refusal(scored, gold, tags) == (
        f"{tags}: contains no trees (tsv). Formats that have them: brackets, discbracket, export, tigerxml."
    )


def test_options_that_mean_nothing_for_trees_are_refused(file: File) -> None:
    gold = file("gold.ptb", GOLD)
    assert refusal(scored, gold, gold, column="tag") == (
        "--column tag: constituents are not read from a column. Remove --column; for tags: --task tags"
    )


# --- conventions ---


def test_quotation_marks_that_one_side_alone_deletes_are_put_back_by_new(file: File) -> None:
    gold, system = "(TOP (S (NP (N a) ('' '')) (VP (V b))))", "(TOP (S (NP (N a) (NN '')) (VP (V b))))"
    files = file("gold.ptb", gold), file("s.ptb", system)
    assert counts(*files, "parseval(preset=collins)")["errors"] == 1
    found = counts(*files, "parseval(preset=new)")
    assert (found["tp"], found["words"], found["tags"]) == (3, 3, 2)
    assert "errors" not in found


def test_a_preset_and_a_parameter_file_exclude_each_other(file: File) -> None:
    gold, params = file("gold.ptb", GOLD), file("a.prm", "DELETE_LABEL TOP")
    spec = f"parseval(preset=collins, params={params})"
    message = f"preset=collins and params={params} are two conventions. Give only one."
    assert refusal(scored, gold, gold, spec) == message
    assert refusal(scored, gold, gold, "parseval(preset=colins)") == (
        "there is no preset 'colins'. Did you mean collins or plain?"
    )


def test_a_parameter_file_says_what_is_deleted_and_equal(file: File) -> None:
    lines = (
        "# comment",
        "DELETE_LABEL TOP",
        "DELETE_LABEL -NONE-",
        "EQ_LABEL NP ADJP",
        "EQ_WORD dog Dog",
        "LABELED 1",
    )
    params = file("a.prm", *lines)
    system = GOLD.replace("NP", "ADJP").replace("dog", "Dog")
    assert brackets(file, GOLD, system, f"parseval(params={params})") == (3, 3, 3)
    unlabelled = file("a.prm", *lines[:3], "EQ_WORD dog Dog", "LABELED 0")
    assert brackets(file, GOLD, system, f"parseval(params={unlabelled})") == (3, 3, 3)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("DELETE_LABELS TOP", "there is no parameter 'DELETE_LABELS' of EVALB. Did you mean DELETE_LABEL"),
        ("EQ_LABEL ADVP", "EQ_LABEL takes two values, not 1."),
        ("DELETE_LABEL", "DELETE_LABEL takes one value, not 0."),
        ("LABELED yes", "LABELED should be a number, not 'yes'."),
    ],
)
def test_a_faulty_parameter_file_is_refused_with_its_line(file: File, line: str, fault: str) -> None:
    gold, params = file("gold.ptb", GOLD), file("a.prm", "# parameters", line)
    assert refusal(scored, gold, gold, f"parseval(params={params})").startswith(f"{params}:2: {fault}")


def test_a_parameter_file_that_is_not_there_is_refused(file: File) -> None:
    gold = file("gold.ptb", GOLD)
    assert refusal(scored, gold, gold, "parseval(params=nowhere.prm)") == (
        "nowhere.prm: cannot be read (no such file or directory)."
    )


def test_what_a_parameter_file_says_in_vain_is_reported(file: File) -> None:
    gold, params = file("gold.ptb", GOLD), file("a.prm", "MAX_ERROR 10", "CUTOFF_LEN 40")
    assert set(scored(gold, gold, f"parseval(params={params})").warnings) >= {
        f"{params}: MAX_ERROR is ignored; any number of faulty sentences is accepted.",
        f"{params}: scores are over sentences of any length; for EVALB's second table use cutoff=40.",
        f"{params}: does not delete -NONE-, but empty elements are left out anyway.",
    }


# --- the way through ---


def test_a_file_of_trees_is_taken_for_constituents_unless_something_else_is_said(file: File) -> None:
    gold = file("gold.ptb", GOLD)
    assert assay.score(gold, gold, times=5).about.task == "constituents"
    assert assay.score(gold, gold, task="tags", times=5).about.task == "tags"


def test_slices_by_label_are_the_scores_of_each_label(file: File) -> None:
    gold = file("gold.ptb", GOLD, FLAT, "(TOP (S (VP (X a)) (NP (PP (X b) (X c)))))")
    system = file("s.ptb", GOLD.replace("NP", "PP"), FLAT, "(TOP (S (VP (X a) (X b)) (NP (X c))))")
    result = scored(gold, system, ["parseval", "bracket-f1"], slices=("label",))
    names = ("f1", "precision", "recall")
    sliced = {
        (row.slice.removeprefix("label="), row.score): row.value
        for row in result.scores
        if row.slice and row.measure == "parseval" and row.score in names
    }
    by_label = {(row.label, row.score): row.value for row in result.scores if row.label}
    assert sliced == pytest.approx({key: by_label[key] for key in sliced}, nan_ok=True)
    assert {label for label, _ in sliced} == {"S", "NP", "VP", "PP"}


def test_slices_by_length_and_gaps_know_the_words_of_constituents(file: File) -> None:
    gold = file("gold.ptb", "(S (VP (V 0=is) (A 2=red)) (NP (N 1=it)))", "(S (N 0=a) (N 1=b) (N 2=c) (N 3=d))")
    result = scored(gold, gold, slices=("span-length", "gaps", "sentence-length"))
    sizes = {row.slice: row.counts["gold"] for row in result.counts if row.slice}
    assert sizes == {
        **{"span-length=1": 1, "span-length=2": 1, "span-length=3": 1, "span-length=4-5": 1},
        **{"gaps=without gaps": 3, "gaps=with gaps": 1},
    }


def test_words_are_not_cut_by_properties_of_constituents(file: File) -> None:
    gold = file("gold.ptb", GOLD)
    message = "--slice gaps is for constituents, leaf-ancestor about words. Use them in separate runs."
    assert refusal(scored, gold, gold, ["parseval", "leaf-ancestor"], slices=("gaps",)) == message


def test_spurious_constituents_that_two_systems_share_are_one_item(file: File) -> None:
    gold = file("gold.ptb", "(TOP (S (X a) (, ,) (X b)))")
    systems = {
        "a": file("a.ptb", "(TOP (S (NP (X a) (, ,)) (X b)))"),
        "b": file("b.ptb", "(TOP (S (NP (X a)) (, ,) (X b)))"),
    }
    [whole], [without] = (
        assay.compare(gold, systems, spec, times=5).diffs for spec in ("parseval", "parseval(preset=collins)")
    )
    # With the comma they are two constituents, without it one.
    assert (whole.items, whole.different) == (3, 2)
    assert (without.items, without.different) == (2, 0)


def test_examples_show_where_constituents_are(file: File) -> None:
    gold, system = file("gold.ptb", GOLD), file("s.ptb", GOLD.replace("NP", "ADJP"))
    [example] = scored(gold, system, examples=1).examples
    assert [(item.gold, item.answers["s"], item.position, item.end) for item in example.items] == [
        ("NP", "ADJP", 0, 2),
        (None, "ADJP", 0, 2),
    ]


def test_constituents_can_be_compared_as_spans(file: File) -> None:
    gold, system = file("gold.ptb", GOLD, GOLD, GOLD), file("s.ptb", GOLD, "(())", FLAT)
    result = assay.score(gold, {"s": system}, ["exact", "fair"], task="spans", times=5)
    assert [row.counts["tp"] for row in result.counts if row.label is None] == [4, 4]
    assert result.about.atoms == "words"
    assert [row.counts["gold"] for row in result.counts if row.label == "NP"] == [3, 3]
    assert result.about.items == 9


def test_roots_are_no_spans(file: File) -> None:
    from assay.engine.phrases import constituent_spans

    corpus = constituent_spans(assay.read(file("gold.ptb", "(TOP (S (NP-SBJ (N a)) (VP (V b))))")))
    assert placed(corpus) == [(0, "NP", [(0, 1)]), (0, "S", [(0, 2)]), (0, "VP", [(1, 2)])]


# --- leaf-ancestor ---


def test_a_lineage_has_the_labels_above_a_word_and_where_the_highest_of_them_begins_and_ends(file: File) -> None:
    corpus = assay.read(file("gold.ptb", "(TOP (S (NP (D the) (N dog)) (VP (V barks) (R now)) (. .)))"))
    assert list_lineages(corpus).strings() == ["NP S [", "NP ] S", "VP [ S", "VP ] S", "S ]"]


def test_a_word_in_no_phrase_has_an_empty_lineage(file: File) -> None:
    assert list_lineages(assay.read(file("gold.ptb", "(TOP (X a) (NP (X b)))"))).strings() == ["", "NP [ ]"]


def test_the_similarity_of_lineages_is_what_their_edits_leave() -> None:
    found = compare_lineages(["NP S [", "NP S [", "A B", "", "A"], ["NP S [", "NP VP S [", "B A", "", ""])
    # One symbol of seven inserted; one of four left in place on each side.
    assert [value / ONE for value in found.tolist()] == pytest.approx([1, 6 / 7, 1 / 2, 1, 0])


def test_leaf_ancestor_is_the_mean_over_words_or_over_sentences(file: File) -> None:
    gold = file("gold.ptb", "(TOP (S (X a) (X b) (X c)))", "(TOP (S (X a)))", "(TOP (S (X a)))")
    system = file("s.ptb", "(TOP (NP (X a) (X b) (X c)))", "(TOP (S (X a)))", "(())")
    over_words = scored(gold, system, "leaf-ancestor").scores[0].value
    over_sentences = scored(gold, system, "leaf-ancestor(mean=sentences)").scores[0].value
    # S [ against NP [: half; S against NP: nothing; S ] against NP ]: half; then all, and no tree.
    assert over_words == pytest.approx((0.5 + 0 + 0.5 + 1 + 0) / 5)
    assert over_sentences == pytest.approx((1 / 3 + 1 + 0) / 3)
    assert "5 words of gold" in make_heading(scored(gold, system, "leaf-ancestor"))
    assert "3 constituents of gold" in make_heading(scored(gold, system, "parseval"))
    assert refusal(scored, gold, system, "leaf-ancestor(mean=all)").startswith("there is no mean 'all'.")


def deep(label: str, words: int) -> str:
    """Phrases each within the one before, with a word and the rest in each."""
    return "".join(f"({label} (X w) " for _ in range(words - 1)) + "(X w)" + ")" * (words - 1)


def test_very_deep_trees_are_compared(file: File) -> None:
    """Of the lists of a word the marks agree alone, where a phrase begins or, at the last word, where all end."""
    words = 2000
    found = scored(file("gold.ptb", deep("A", words)), file("s.ptb", deep("B", words)), "leaf-ancestor")
    shares = [1 / (labels + 1) for labels in (*range(1, words), words - 1)]
    assert found.scores[0].value == pytest.approx(sum(shares) / words)


def test_trees_that_are_too_deep_are_refused_with_their_place(file: File) -> None:
    gold = file("gold.ptb", "(TOP (A (X w) (X w)))", deep("A", 4002))
    assert refusal(scored, gold, gold, "leaf-ancestor") == (
        f"{gold}:2: 4,001 levels of constituents, but leaf-ancestor takes at most 4,000. Leave the sentence out, "
        f"or choose another measure: -m parseval"
    )
    assert scored(gold, gold, "parseval").scores[0].value == 1


# --- functions ---


def test_functions_are_compared_on_constituents_that_match(file: File) -> None:
    gold = "(S (NP-SBJ (N a)) (VP (V b) (NP-LOC-PRD (N c)) (PP-TMP (P d) (NP (N e)))))"
    output = "(S-X (NP-SBJ (N a)) (VP (V b) (NP-PRD (N c)) (XP-TMP (P d) (NP (N e)))))"
    result = scored(file("gold.ptb", gold), file("s.ptb", output), "function-tags")
    # S, NP a, VP, NP c, NP e match; of the first the system has a function, of the second both, of NP c two and one.
    assert result.counts[0].counts == {
        **{"right": 1, "constituents": 3},
        **{"both": 2, "gold-tags": 3, "system-tags": 3},
    }
    values = {row.score: row.value for row in result.scores}
    functions = dict.fromkeys(("f1", "precision", "recall"), 2 / 3)
    assert values == pytest.approx({"accuracy": 1 / 3, **functions})


def test_without_functions_nothing_is_said_about_them(file: File) -> None:
    gold = file("gold.ptb", GOLD)
    values = [row.value for row in scored(gold, gold, "function-tags").scores]
    assert values == pytest.approx([float("nan")] * 4, nan_ok=True)


def test_labels_of_edges_are_functions(file: File) -> None:
    def export(name: str, function: str) -> str:
        rows = ("a\tN\t--\tHD\t500", "b\tV\t--\tHD\t501", f"#500\tNP\t--\t{function}\t501", "#501\tS\t--\t--\t0")
        return file(name, "#BOS 1", *rows, "#EOS 1")

    found = counts(export("gold.export", "SB"), export("s.export", "OA"), "function-tags")
    assert found == {"constituents": 1, "gold-tags": 1, "system-tags": 1}


def test_whole_sentences_of_constituents_have_an_upper_bound(file: File) -> None:
    gold = file("gold.ptb", GOLD, "(TOP (S (NP (N a)) (VP (V b))))")
    a = file("a.ptb", GOLD.replace("VP", "XP"), "(TOP (S (NP (N a)) (VP (V b))))")
    b = file("b.ptb", GOLD.replace("NP", "XP"), "(TOP (S (N a) (VP (V b))))")
    overall, *_ = assay.compare(gold, {"a": a, "b": b}, "parseval", times=2).bounds
    assert (overall.exact, overall.exact_in_one, overall.exact_upper) == ({"a": 1, "b": 0}, 1, 2)
