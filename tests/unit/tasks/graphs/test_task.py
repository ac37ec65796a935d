"""Graphs as a task: what is refused, left out, said, and put into gold's order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import assay
from assay.demo import FOLDER

GOLD, RULES, LEARNED = (str(FOLDER / "graphs" / f"{name}.conllu") for name in ("gold", "rules", "learned"))


def conllu(*sentences: str) -> str:
    """Sentences of `form:deps` words."""
    text = ""
    for sentence in sentences:
        for number, word in enumerate(sentence.split(), 1):
            form, _, deps = word.partition("=")
            text += f"{number}\t{form}\t_\t_\t_\t_\t_\t_\t{deps}\t_\n"
        text += "\n"
    return text


@pytest.fixture
def pair(tmp_path: Path) -> Callable[..., tuple[str, str]]:
    def write(gold: str, system: str, ending: str = "conllu") -> tuple[str, str]:
        for name, text in (("gold", gold), ("system", system)):
            (tmp_path / f"{name}.{ending}").write_text(text, "utf-8")
        return str(tmp_path / f"gold.{ending}"), str(tmp_path / f"system.{ending}")

    return write


def test_faulty_graphs_are_refused_or_their_sentences_left_out(pair):
    gold, system = pair(conllu("a=0:root b=1:x", "c=0:root"), conllu("a=0:root b=7:x", "c=0:root"))
    with pytest.raises(assay.AssayError) as error:
        assay.score(gold, system, "elas", times=1)
    assert str(error.value) == (
        f"{system}:2: head 7 in DEPS, in a sentence of 2 words.\nTo leave such sentences out: --on-mismatch skip"
    )
    result = assay.score(gold, system, "elas", times=1, on_mismatch="skip")
    (counts,) = [row.counts for row in result.counts]
    assert (counts["tp"], counts["gold"], counts["system"]) == (1, 1, 1)
    assert f"left out: {system}:2: head 7 in DEPS, in a sentence of 2 words." in result.warnings


def test_measures_go_by_what_the_file_holds():
    assert assay.score(GOLD, RULES, task="graphs", times=1).measures == ["elas", "eulas"]
    sdp = assay.score(str(FOLDER / "graphs" / "gold.sdp"), str(FOLDER / "graphs" / "learned.sdp"), times=1)
    assert (sdp.about.task, sdp.measures) == ("graphs", ["sdp", "sdp-unlabelled"])
    agreement = assay.agreement({"Ann": GOLD, "Bob": LEARNED}, task="graphs", times=1)
    assert agreement.measures == ["elas", "eulas"]
    # Nobody is gold there.
    assert agreement.notes[0].startswith("Tops: Ann 8, Bob 8")


def test_graphs_in_another_order_are_found_by_their_ids(pair):
    text = (FOLDER / "graphs" / "learned.sdp").read_text("utf-8")
    first, *graphs = text.split("#g")
    turned = first + "".join(f"#g{graph}" for graph in reversed(graphs))
    gold = (FOLDER / "graphs" / "gold.sdp").read_text("utf-8")
    measures = ["sdp", "sdp-exact", "frames(predicates=any)"]
    plain, other = (assay.score(*pair(gold, one, "sdp"), measures, times=1) for one in (text, turned))
    assert [row.counts for row in plain.counts] == [row.counts for row in other.counts]
    gold_path, path = pair(gold, first + "".join(f"#g{graph}" for graph in graphs[1:]), "sdp")
    with pytest.raises(assay.AssayError) as error:
        assay.score(gold_path, path, times=1)
    assert str(error.value) == (
        f"{path}: lacks the graph g1, which {gold_path} has. Graphs correspond by their ids; a system without a "
        "parse has a graph without arcs."
    )
    twice = assay.score(*pair(gold, text.replace("#g2", "#g1"), "sdp"), "sdp", times=1)
    assert "system: 1 graph has the same id as another one, so graphs are matched by order." in twice.warnings
    assert [row.counts for row in twice.counts] == [plain.counts[0].counts]


def test_numbers_of_empty_nodes_and_tops_are_said():
    result = assay.score(GOLD, {"rules": RULES}, ["elas", "elas(empty=drop)"], times=1)
    assert "Empty nodes: gold 1, rules 0 (empty=collapse+drop)." in result.notes
    assert "Tops: gold 8, rules 8." in result.notes
    assert "measures:elas(empty=collapse)+elas(empty=drop)|" in result.signature


def test_other_numbers_of_tops_and_of_words_without_arcs_are_a_warning(pair):
    words = [f"w{number}" for number in range(20)]
    gold = conllu(" ".join(["a=0:root", *(f"{word}=1:x" for word in words)]))
    rooted = conllu(" ".join(["a=0:root", *(f"{word}=0:root" for word in words)]))
    loose = conllu(" ".join(["a=0:root", *(f"{word}=_" for word in words)]))
    result = assay.score(*pair(gold, rooted), "elas", times=1)
    assert "system: has 21 tops, but gold has 1. Did a converter add or remove arcs from the root?" in result.warnings
    result = assay.score(*pair(gold, loose), "elas", times=1)
    assert "system: 20 words have no arcs, but 0 in gold. Did a converter leave out arcs?" in result.warnings
    quiet = assay.score(*pair(gold, gold), "elas", times=1)
    assert not any("tops where" in line or "without arcs" in line for line in quiet.warnings)


def test_a_file_without_arcs_and_a_tree_are_named(pair):
    result = assay.score(*pair(conllu("a=0:root b=1:x"), conllu("a=_ b=_")), "elas", times=1)
    assert "system: contains no arcs (DEPS is empty)." in result.warnings
    assert "gold: no word has more than one arc in DEPS. Is DEPS a copy of HEAD and DEPREL?" in result.warnings


def test_labels_that_count_may_be_named_with_or_without_subtypes():
    def gold_arcs(**options: str) -> int:
        (row,) = assay.score(GOLD, {"rules": RULES}, "elas", times=1, **options).counts
        return row.counts["gold"]

    assert gold_arcs(labels="nsubj") == 15
    assert gold_arcs(labels="nsubj:xsubj") == 2
    assert gold_arcs(ignore_labels="nsubj") == 71 - 15


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"measures": "elas(empty=keep)"}, "there is no value 'keep' for empty. Available: collapse, drop, align."),
        ({"column": "UPOS"}, "--column UPOS: graphs are in column DEPS, or in sdp and mrp files."),
    ],
)
def test_what_graphs_have_no_use_for_is_refused(options, said):
    measures = options.pop("measures", "elas")
    with pytest.raises(assay.AssayError) as error:
        assay.score(GOLD, RULES, measures, task="graphs", times=1, **options)
    assert str(error.value) == said


def test_a_mesh_of_empty_nodes_is_refused_with_the_way_out(pair):
    empties = [f"1.{k}\t_\t_\t_\t_\t_\t_\t_\t" for k in range(1, 13)]
    heads = ["|".join(["1:a", *(f"1.{j}:x" for j in range(1, 13) if j != k)]) for k in range(1, 13)]
    mesh = "1\tw\t_\t_\t_\t_\t_\t_\t0:root\t_\n"
    mesh += "".join(f"{empty}{own}\t_\n" for empty, own in zip(empties, heads, strict=True))
    mesh += "2\tv\t_\t_\t_\t_\t_\t_\t1.1:b\t_\n\n"
    gold, system = pair(mesh, mesh)
    with pytest.raises(assay.AssayError, match=r"more than 100,000 paths through empty nodes. Use empty=align"):
        assay.score(gold, system, "elas", times=1)
    (row,) = assay.score(gold, system, "elas(empty=align)", times=1).counts
    assert row.counts["tp"] == row.counts["gold"] == row.counts["system"] == 146


def test_cross_says_that_graphs_are_not_used():
    result = assay.cross([f"a={GOLD}", f"b={GOLD}"], [f"x@a={RULES}", f"y@b={LEARNED}"], times=1)
    assert any("the graphs in DEPS are not used, because they are not trees." in line for line in result.warnings)


@pytest.mark.parametrize(
    ("without", "gold", "rules"),
    [
        ("gapping", 71, 67),
        ("shared-heads", 70, 63),
        ("shared-dependents", 69, 63),
        ("control", 69, 62),
        ("relative-clauses", 69, 66),
        ("gapping+shared-heads+shared-dependents+control+relative-clauses", 65, 65),
    ],
)
def test_enhancements_are_taken_out_on_both_sides(without, gold, rules):
    # Counted by hand in gold; without all of them the tree is left, which rules has too.
    result = assay.score(GOLD, {"gold": GOLD, "rules": RULES}, f"elas(without={without})", times=1)
    counts = {row.system: row.counts for row in result.counts}
    assert counts["gold"]["tp"] == counts["gold"]["gold"] == counts["gold"]["system"] == gold
    assert (counts["rules"]["tp"], counts["rules"]["gold"]) == (rules, gold)


def test_labels_without_cases_keep_subtypes():
    (row,) = assay.score(GOLD, {"learned": LEARNED}, "elas(case_labels=false)", times=1).counts
    (full,) = assay.score(GOLD, {"learned": LEARNED}, "elas", times=1).counts
    # obl:before and obl:at are one label then; nsubj:xsubj and nsubj are not.
    assert row.counts["tp"] == full.counts["tp"] + 1
    (subjects,) = assay.score(GOLD, {"learned": LEARNED}, "elas(relations=nsubj)", times=1).counts
    assert subjects.counts["gold"] == 15


def only_diff(gold: str, a: str, b: str, measure: str, **options: object) -> assay.result.Diff:
    (diff,) = assay.compare(gold, {"a": a, "b": b}, measure, times=10, **options).diffs
    return diff


@pytest.mark.parametrize(
    ("ends", "kinds", "other"),
    [
        (("1:x", "2:x"), (0, 0, 1), "x (other head)"),
        (("1:x", "1:x"), (0, 0, 0), None),
        (("1:x", "3:x"), (1, 0, 0), None),
        (("1:x", "3:y"), (0, 0, 1), ""),
    ],
)
def test_another_wrong_head_is_a_changed_error(tmp_path, ends, kinds, other):
    for name, end in (("gold", "3:x"), ("a", ends[0]), ("b", ends[1])):
        text = conllu(f"p=0:root q=1:r s=1:t u={end}")
        (tmp_path / f"{name}.conllu").write_text(text, "utf-8")
    diff = only_diff(*(str(tmp_path / f"{name}.conllu") for name in ("gold", "a", "b")), "elas")
    assert (diff.corrections, diff.new_errors, diff.changed_errors) == kinds
    assert [change.other for change in diff.changes if change.kind == "changed-error"] == [other] * kinds[2]
    assert diff.other_target == int(bool(other))


def test_the_other_head_has_its_name_in_examples_and_can_be_asked_for(tmp_path):
    for name, end in (("gold", "3:x"), ("a", "1:x"), ("b", "2:x")):
        (tmp_path / f"{name}.conllu").write_text(conllu(f"p=0:root q=1:r s=1:t u={end}"), "utf-8")
    paths = [str(tmp_path / f"{name}.conllu") for name in ("gold", "a", "b")]
    for pattern, number in (("x (head)→x (other head)", 1), ("x (other head)→x (head)", 0), ("*→x (head)", 1)):
        systems = {"a": paths[1], "b": paths[2]}
        result = assay.compare(paths[0], systems, "elas", times=10, examples=3, change=pattern)
        assert len(result.examples) == number, pattern
        for example in result.examples:
            (item,) = example.items
            assert item.answers == {"a": "x (head)", "b": "x (other head)"}


def test_another_wrong_dependent_is_a_changed_error(tmp_path):
    arcs = {"gold": "2", "a": "3", "b": "4"}
    for name, place in arcs.items():
        words = [f"{form}={'1:x' if str(number) == place else '_'}" for number, form in enumerate("qsu", 2)]
        (tmp_path / f"{name}.conllu").write_text(conllu(" ".join(["p=0:root", *words])), "utf-8")
    diff = only_diff(*(str(tmp_path / f"{name}.conllu") for name in arcs), "elas")
    (change,) = diff.changes
    assert (change.before, change.after, change.other) == ("x (dependent)", "x (dependent)", "x (other dependent)")


SDP = [str(FOLDER / "graphs" / f"{name}.sdp") for name in ("gold", "learned")]


@pytest.mark.parametrize(
    ("measure", "noun", "number"),
    [("predications", "predicate", None), ("frames", "predicate", None), ("sdp-exact", "sentence", 4)],
)
def test_predicates_and_sentences_are_items(measure, noun, number):
    """What differs between gold and an output is what the output has wrong."""
    result = assay.compare(SDP[0], {"gold": SDP[0], "learned": SDP[1]}, measure, times=10, examples=2)
    counts = {row.system: row.counts for row in result.counts}
    (diff,) = result.diffs
    right, whole = ("tp", "gold") if noun == "predicate" else ("right", "sentences")
    own = counts["learned"]
    assert counts["gold"][right] == counts["gold"][whole] == own[whole]
    assert diff.new_errors == own[whole] - own[right] + own.get("fp", 0) > 0
    assert (diff.corrections, diff.changed_errors, result.shown.noun) == (0, 0, noun)
    assert number in (None, diff.items)
    (bound,) = [row for row in result.bounds if row.label is None]
    assert (bound.upper, bound.items) == (1.0, own[whole])
    assert result.examples and all(example.spans for example in result.examples)


@pytest.mark.parametrize(
    ("spec", "values"),
    [
        ("enhanced-only", {"in the tree": 60, "enhanced only": 11}),
        ("cycle", {"without a cycle": 51, "with a cycle": 20}),
        ("empty-nodes", {"without empty nodes": 64, "with empty nodes": 7}),
    ],
)
def test_slices_of_enhanced_graphs(spec, values):
    result = assay.compare(GOLD, {"rules": RULES, "learned": LEARNED}, "elas", slices=(spec,), times=10)
    parts = {row.slice.partition("=")[2]: row.counts for row in result.counts if row.slice and row.system == "rules"}
    (whole,) = [row.counts for row in result.counts if not row.slice and row.system == "rules"]
    assert {name: counts["gold"] for name, counts in parts.items()} == values
    for name in ("tp", "gold", "system"):
        assert sum(counts[name] for counts in parts.values()) == whole[name]


@pytest.mark.parametrize("spec", ["predicates", "predicate-tag"])
@pytest.mark.parametrize("measure", ["sdp", "frames(predicates=any)"])
def test_slices_of_semantic_graphs_add_up(spec, measure):
    result = assay.score(SDP[0], {"learned": SDP[1]}, measure, slices=(spec,), times=1)
    parts = [row.counts for row in result.counts if row.slice]
    (whole,) = [row.counts for row in result.counts if not row.slice]
    assert len(parts) > 1
    for name in ("tp", "gold", "system"):
        assert sum(counts[name] for counts in parts) == whole[name]


def test_tags_are_those_of_upos_where_xpos_is_empty(pair):
    result = assay.score(GOLD, {"rules": RULES}, "elas", slices=("predicate-tag",), times=1)
    sizes = {row.slice.split("=", 1)[1]: row.counts["gold"] for row in result.counts if row.slice}
    assert sizes["VERB"] > sizes["NOUN"] > 0 and "_" not in sizes
    (marks,) = assay.score(GOLD, {"rules": RULES}, "sdp(punctuation=false)", task="graphs", times=1).counts
    # Each of the eight sentences ends with a mark.
    assert marks.counts["gold"] == 71 - 8
    gold, system = pair(conllu("a=0:root b=1:x"), conllu("a=0:root b=1:y"))
    with pytest.raises(assay.AssayError, match="contains no tags of words, which are needed"):
        assay.score(gold, system, "sdp(punctuation=false)", task="graphs", times=1)


def test_slices_of_words_and_of_roles_need_words_and_roles():
    with pytest.raises(assay.AssayError, match="--slice frequency is for words, which are not compared here"):
        assay.score(GOLD, RULES, "elas", slices=("frequency",), times=1)
    trees = [str(FOLDER / "trees" / name) for name in ("gold.mrg", "pcfg-1.mrg")]
    with pytest.raises(assay.AssayError, match="--slice predicate-tag is for semantic roles"):
        assay.score(*trees, slices=("predicate-tag",), times=1)
    with pytest.raises(assay.AssayError, match="--slice argument-distance is for semantic roles"):
        assay.score(*SDP, "predications", slices=("argument-distance",), times=1)


def test_a_slice_by_trees_needs_trees():
    with pytest.raises(assay.AssayError, match=r"contains no trees \(HEAD, DEPREL\)"):
        assay.score(SDP[0], SDP[1], "sdp", slices=("enhanced-only",), times=1)
    with pytest.raises(assay.AssayError, match="has no predicates"):
        assay.score(GOLD, RULES, "elas", slices=("predicates",), times=1)


def test_a_folder_is_the_sum_of_its_files(tmp_path):
    """Also of predicates and sentences as items, and of errors that change."""
    for side, path in (("gold", SDP[0]), ("a", SDP[1]), ("b", SDP[0])):
        text = Path(path).read_text("utf-8")
        first, *graphs = text.split("#g")
        (tmp_path / side).mkdir()
        (tmp_path / f"{side}.sdp").write_text(text, "utf-8")
        for number, part in enumerate((graphs[:2], graphs[2:])):
            (tmp_path / side / f"{number}.sdp").write_text(first + "".join(f"#g{one}" for one in part), "utf-8")
    for measures in (["sdp", "frames(predicates=any)", "sdp-exact"], ["sdp-exact"]):
        whole, parts = (
            assay.compare(f"{tmp_path}/gold{end}", {x: f"{tmp_path}/{x}{end}" for x in "ab"}, measures, times=10)
            for end in (".sdp", "")
        )
        assert parts.counts == whole.counts
        assert parts.diffs == whole.diffs and len(whole.diffs) == min(2, len(measures))
        assert parts.bounds == whole.bounds


def test_an_unknown_enhancement_and_a_file_without_trees_are_refused(pair):
    with pytest.raises(assay.AssayError, match="there is no enhancement 'ellipsis'"):
        assay.score(GOLD, RULES, "elas(without=ellipsis)", times=1)
    gold, system = pair(conllu("a=0:root"), conllu("a=0:root"))
    with pytest.raises(assay.AssayError, match="Trees are needed to recognise enhancements"):
        assay.score(gold, system, "elas(without=control)", times=1)
