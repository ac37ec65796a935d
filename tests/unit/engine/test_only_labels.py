"""Only some labels: what counts on either side, for every task that has labels."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from sklearn.metrics import precision_recall_fscore_support

import assay
from assay.engine.finish import make_result
from assay.engine.options import Options
from assay.engine.run import evaluate_shards
from assay.result import Result
from assay.scale.partfiles import merge_files, to_json
from assay.scale.run import part_of
from unit.samples import refusal

WORDS = [f"w{number}" for number in range(12)]
LABELS = ("PER", "LOC", "ORG", "MISC")


def span_lists(seed: int) -> list[list[tuple[str, int, int]]]:
    rng = random.Random(seed)

    def span() -> tuple[str, int, int]:
        begin = rng.randrange(10)
        return rng.choice(LABELS), begin, rng.randrange(begin, 11)

    return [sorted({span() for _ in range(rng.randrange(5))}) for _ in range(40)]


def tags(seed: int) -> list[list[str]]:
    rng = random.Random(seed)
    return [[rng.choice("NVDA") for _ in range(8)] for _ in range(40)]


def scores(result: Result) -> dict[tuple[object, ...], tuple[float, float, float]]:
    return {
        (row.measure, row.score, row.label): (round(row.value, 12), row.low, row.high)
        for row in result.scores
        if row.label is None
    }


# --- spans ---


@pytest.mark.parametrize(
    "options", [{"labels": ["PER", "LOC"]}, {"ignore_labels": ["ORG", "MISC"]}, {"labels": "LOC,PER"}]
)
def test_spans_with_other_labels_are_dropped_on_both_sides_before_matching(options):
    gold, system = span_lists(1), span_lists(2)
    kept = [[[span for span in spans if span[0] in ("PER", "LOC")] for spans in side] for side in (gold, system)]
    measures = ["exact", "fair", "semeval"]
    found = assay.score(gold, {"s": system}, measures, **options)
    expected = assay.score(kept[0], {"s": kept[1]}, measures)
    assert repr(scores(found)) == repr(scores(expected))
    assert found.about.items == expected.about.items


def test_exact_counts_of_a_label_are_the_same_with_and_without_the_others():
    gold, system = span_lists(3), span_lists(4)
    whole, part = (assay.score(gold, {"s": system}, "exact", **given) for given in ({}, {"labels": ["PER"]}))
    counts = {row.label: row.counts for row in whole.counts}
    assert {row.label: row.counts for row in part.counts} == {None: counts["PER"], "PER": counts["PER"]}


def test_how_many_spans_are_left_out_is_said():
    result = assay.score([[("A", 0, 0), ("B", 2, 3)]], {"s": [[("B", 0, 0)]]}, labels=["A"])
    assert any("left out on both sides before matching (gold 1, s 1)" in note for note in result.notes)
    assert result.score("s", "fair").value == 0
    assert {row.type: row.count for row in result.error_types if row.measure == "fair"}["fn"] == 1


def test_spans_of_agreement_count_on_both_sides():
    one, two = span_lists(5), span_lists(6)
    there, back = (
        assay.agreement(dict(zip("ab", both, strict=True)), "exact", labels=["PER"])
        for both in ((one, two), (two, one))
    )
    assert there.score("a ~ b", "exact").value == back.score("a ~ b", "exact").value
    alone = assay.agreement({"a": one, "b": two}, "exact").score("a ~ b", "exact", label="PER")
    assert there.score("a ~ b", "exact").value == alone.value


# --- tags ---


@pytest.mark.parametrize("labels", [["N"], ["N", "V"], ["A", "D", "N"]])
@pytest.mark.parametrize("measure", ["accuracy", "tag-f1"])
def test_tags_have_scikit_learns_micro_average_over_the_labels(measure, labels):
    gold, system = tags(1), tags(2)
    result = assay.score(gold, {"s": system}, measure, labels=labels)
    flat = [[tag for sentence in side for tag in sentence] for side in (gold, system)]
    expected = precision_recall_fscore_support(*flat, labels=labels, average="micro")
    for name, value in zip(("precision", "recall", "f1"), expected[:3], strict=True):
        assert result.score("s", measure, name).value == pytest.approx(value, abs=1e-12)
    assert result.about.items == sum(tag in labels for tag in flat[0])
    others = assay.score(gold, {"s": system}, measure, ignore_labels=[x for x in "NVDA" if x not in labels])
    assert repr(scores(others)) == repr(scores(result))


def test_macro_averages_run_over_the_labels_that_count():
    gold, system = tags(3), tags(4)
    result = assay.score(gold, {"s": system}, "tag-f1", labels=["N", "V"])
    whole = assay.score(gold, {"s": system}, "tag-f1")
    each = [whole.score("s", "tag-f1", "f1", label=label).value for label in "NV"]
    assert result.score("s", "tag-f1", "macro-f1").value == pytest.approx(sum(each) / 2, abs=1e-12)
    assert {row.label for row in result.scores} == {None, "N", "V"}


def test_sentences_are_right_where_all_gold_words_that_count_are():
    gold, system = [["N", "V"], ["N", "D"], ["D", "D"]], [["N", "D"], ["V", "D"], ["N", "V"]]
    result = assay.score(gold, {"s": system}, "sentence-accuracy", labels=["N"])
    assert [row.counts for row in result.counts] == [{"right": 1, "sentences": 2}]


def test_graded_tags_count_assigned_tags_by_the_system_and_expected_ones_by_gold():
    gold = [["subst:sg:nom:m1", "subst:sg:gen:m1", "qub"], ["qub", "subst:sg:nom:m1"]]
    system = [["subst:pl:nom:m1", "qub", "subst:sg:nom:m1"], ["qub", "subst:sg:nom:m1"]]
    kept = ["subst:sg:nom:m1", "subst:sg:gen:m1"]
    result = assay.score(gold, {"s": system}, ["pa", "features"], tagset="nkjp", labels=kept)
    # Gold has three such tags: one with three of four positions right, one wrong, one right; the system has two.
    assert result.score("s", "pa", "recall").value == pytest.approx((3 / 4 + 0 + 1) / 3)
    assert result.score("s", "pa", "precision").value == pytest.approx(1 / 2)
    counts = {row.label: row.counts for row in result.counts if row.measure == "features"}
    assert counts["case"] == {"right": 2, "gold": 3, "system": 2, "found": 1}


def test_comparing_taggers_on_some_labels_counts_their_words_alone():
    gold, a, b = tags(7), tags(8), tags(9)
    result = assay.compare(gold, {"a": a, "b": b}, "accuracy", labels=["N"])
    words = [(g, x, y) for gs, xs, ys in zip(gold, a, b, strict=True) for g, x, y in zip(gs, xs, ys, strict=True)]
    (diff,) = [row for row in result.diffs if row.slice is None]
    assert diff.items == sum(g == "N" for g, _, _ in words)
    assert diff.corrections == sum(g == "N" and x != g and y == g for g, x, y in words)
    assert diff.new_errors == sum(g == "N" and x == g and y != g for g, x, y in words)


def test_kappa_is_over_words_that_both_give_one_of_the_labels():
    one, two = tags(10), tags(11)
    there, back = (
        assay.agreement(dict(zip("ab", both, strict=True)), "kappa", labels=["N", "V"])
        for both in ((one, two), (two, one))
    )
    pairs = [(x, y) for xs, ys in zip(one, two, strict=True) for x, y in zip(xs, ys, strict=True)]
    kept = [(x, y) for x, y in pairs if {x, y} <= {"N", "V"}]
    expected = sum(x == y for x, y in kept) / len(kept)
    assert there.score("a ~ b", "kappa", "agreement").value == pytest.approx(expected, abs=1e-12)
    for score in ("agreement", "kappa", "alpha"):
        values = [result.score("a ~ b", "kappa", score).value for result in (there, back)]
        assert values[0] == pytest.approx(values[1], abs=1e-12)


# --- dependencies and constituents ---


def conllu(seed: int) -> str:
    rng = random.Random(seed)
    lines = []
    for _ in range(30):
        for number in range(1, 7):
            relation = "root" if number == 1 else rng.choice(["nsubj", "nsubj:pass", "obj", "punct", "det"])
            head = 0 if number == 1 else rng.randrange(1, number)
            lines.append(f"{number}\tw{number}\tw\tX\tX\t_\t{head}\t{relation}\t_\t_")
        lines.append("")
    return "\n".join(lines) + "\n"


@pytest.fixture
def trees(tmp_path: Path) -> list[str]:
    paths = [tmp_path / "gold.conllu", tmp_path / "s.conllu"]
    for seed, path in enumerate(paths):
        path.write_text(conllu(seed), encoding="utf-8")
    return [str(path) for path in paths]


@pytest.mark.parametrize("measure", ["las", "uas", "ls"])
def test_ignoring_punct_is_leaving_gold_punctuation_out(trees, measure):
    """In recall; in precision the system's own relation decides here, and gold's where punctuation is left out."""

    def of_gold(spec, **options):
        counts = [row.counts for row in assay.score(*trees, spec, **options).counts]
        return [(row["right"], row["gold"]) for row in counts]

    setting = f"{measure}(punctuation=no-punct-relation)"
    assert of_gold(measure, ignore_labels=["punct"]) == of_gold(setting)
    assert of_gold(setting, ignore_labels=["det"]) == of_gold(f"{measure}(punctuation=DEPREL:punct+det)")


def test_a_relation_stands_for_its_subtypes_and_a_subtype_for_itself(trees):
    whole = assay.score(*trees, "relation-f1(subtypes=true)")
    numbers = {row.label: row.counts["gold"] for row in whole.counts}
    for name, expected in (
        ("nsubj", numbers["nsubj"] + numbers["nsubj:pass"]),
        ("nsubj:pass", numbers["nsubj:pass"]),
    ):
        assert assay.score(*trees, "las", labels=[name]).about.items == expected


def test_content_words_of_some_relations_keep_their_function_words(trees):
    whole, part = (
        assay.score(*trees, "mlas", **given) for given in ({}, {"labels": ["nsubj", "obj", "root", "det"]})
    )
    counts = [row.counts for result in (whole, part) for row in result.counts]
    assert {name: counts[0][name] for name in ("right", "gold", "system")} == {
        name: counts[1][name] for name in ("right", "gold", "system")
    }


def test_segmentation_has_no_labels(trees):
    assert refusal(assay.score, *trees, "tokens", labels=["det"]) == (
        "tokens does not use relations, so --labels and --ignore-labels do not apply to it."
    )


def test_brackets_of_other_categories_are_left_out(tmp_path):
    gold, system = tmp_path / "gold.mrg", tmp_path / "s.mrg"
    gold.write_text("(S (NP (D the) (N end)) (VP (V is) (NP (N near))))\n", encoding="utf-8")
    system.write_text("(S (NP (D the) (N end)) (NP (V is) (NP (N near))))\n", encoding="utf-8")
    result = assay.score(str(gold), str(system), "parseval", labels=["NP"])
    counts = result.counts[0].counts
    assert {name: counts[name] for name in ("tp", "fp", "fn", "le", "gold", "system")} == {
        "tp": 2, "fp": 1, "fn": 0, "le": 0, "gold": 2, "system": 3,
    }  # fmt: skip
    assert refusal(assay.score, str(gold), str(system), "leaf-ancestor", labels=["NP"]) == (
        "--labels and --ignore-labels are about brackets, which leaf-ancestor does not compare. Leave it out."
    )


# --- names ---


def test_what_was_chosen_is_in_the_result_its_signature_and_its_json():
    gold, system = span_lists(1), span_lists(2)
    results = [
        assay.score(gold, {"s": system}, "exact", **given)
        for given in ({}, {"labels": ["PER", "LOC"]}, {"ignore_labels": ["PER"]}, {"labels": "PER,LOC"})
    ]
    assert len({result.signature for result in results}) == 3
    assert results[1].signature == results[3].signature
    again = Result.from_json(results[1].to_json())
    assert (again.about.labels, again.about.ignore_labels) == (("LOC", "PER"), ())
    assert results[2].about.ignore_labels == ("PER",)


def test_a_label_that_occurs_nowhere_is_said_with_the_nearest():
    result = assay.score(span_lists(1), {"s": span_lists(2)}, "exact", labels=["PER", "LOK"], ignore_labels=["MIS"])
    assert "--labels: there is no label 'LOK'. Did you mean LOC?" in result.warnings
    assert any(
        line.startswith("--ignore-labels: there is no label 'MIS'. Did you mean MISC") for line in result.warnings
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": ["LOK"]}, "--labels LOK: there is no label 'LOK'. Did you mean LOC?"),
        ({"labels": ["O"]}, "O is not a label of spans: it marks words outside of them. Leave it out of --labels."),
        ({"labels": "PER,"}, "--labels and --ignore-labels take names separated by commas, e.g. PER,LOC."),
        (
            {"labels": "PER", "ignore_labels": "PER"},
            "PER is in both --labels and --ignore-labels. Remove it from one of them.",
        ),
    ],
)
def test_labels_that_say_nothing_are_refused(options, message):
    assert refusal(assay.score, span_lists(1), {"s": span_lists(2)}, "exact", **options) == message


def test_coreference_has_no_labels(tmp_path):
    path = tmp_path / "key.jsonl"
    path.write_text('{"doc_key": "a", "sentences": [["a", "b"]], "clusters": [[[0, 0], [1, 1]]]}\n', encoding="utf-8")
    message = refusal(assay.score, str(path), str(path), labels=["PER"])
    about = "tags, spans, dependencies, graphs, events, relations, constituents and items"
    assert message == f"--labels is for {about}, but coreference is compared. Remove --labels."


# --- folders ---


def test_folders_in_shards_and_parts_have_the_same_result(tmp_path, monkeypatch):
    for name, seed in (("gold", 0), ("s", 50)):
        (tmp_path / name).mkdir()
        for number in range(3):
            lines = (
                f"w{place}\t{tag}\n"
                for sentence in tags(seed + number)
                for place, tag in [*enumerate(sentence), (8, "N")]
            )
            (tmp_path / name / f"{number}.tsv").write_text("".join(lines), encoding="utf-8")
    given = ("score", str(tmp_path / "gold"), {"s": str(tmp_path / "s")}, ["tag-f1"])
    options = Options(labels=("N", "V", "W"), ignore_labels=("D",))
    whole = evaluate_shards(*given, options)
    monkeypatch.setattr("assay.engine.run.TEXT", 1)
    in_shards = evaluate_shards(*given, options)
    parts = []
    for share in ("1/2", "2/2"):
        parts.append(tmp_path / f"part-{share[0]}.json")
        parts[-1].write_text(to_json(part_of(*given, options, share)), encoding="utf-8")
    together = make_result(merge_files([str(path) for path in reversed(parts)]))
    for result in (in_shards, together):
        assert repr(result.scores) == repr(whole.scores)
        assert (result.about.labels, result.about.ignore_labels) == (("N", "V", "W"), ("D",))
        assert result.signature == whole.signature
        assert result.warnings == whole.warnings
    assert "--labels: there is no label 'W'. Available: A, D, N, V." in whole.warnings
