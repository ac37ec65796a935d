"""Measures of coreference on documents small enough to be counted by hand, and what a Result says of them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import assay
from assay import Result
from assay.engine.items import ONE
from assay.engine.measure import measures
from assay.engine.task import tasks
from coreftexts import document, documents
from unit.samples import refusal

File = Callable[[str, str | bytes], str]

TOY = Path(__file__).parents[3] / "data" / "coreference"
FORMATS = ("with-bar.conll", "without-bar.conll", "corefud.conllu", "clusters.jsonl")
ALL = tuple(name for name, definition in measures().items() if definition.task == "coreference")
METRICS = tuple(name for name in ALL if name != "zeros")
"""Those that have a meaning for files without zeros."""
CHAIN_METRICS = tuple(name for name in METRICS if not name.startswith("arcs"))


def scored(gold: Any, systems: Any, wanted: Any = METRICS, **options: Any) -> Result:
    return assay.score(gold, systems, wanted, times=20, **options)


def compared(gold: Any, systems: Any, wanted: Any = METRICS, **options: Any) -> Result:
    return assay.compare(gold, systems, wanted, times=20, **options)


def values(result: Result, measure: str, where: str | None = None) -> dict[str, float]:
    return {row.score: row.value for row in result.scores if (row.measure, row.slice) == (measure, where)}


def counts(result: Result, measure: str, where: str | None = None) -> Mapping[str, int]:
    (row,) = [row for row in result.counts if (row.measure, row.slice) == (measure, where)]
    return row.counts


@pytest.fixture
def write(file: File) -> Callable[..., str]:
    """Write documents under a name."""
    return lambda name, **texts: file(f"{name}.conll", documents(**texts))


@pytest.fixture
def toy() -> tuple[Path, dict[str, Path]]:
    return TOY / "key.conll", {name: TOY / f"{name}.conll" for name in ("system-a", "system-b")}


# --- chain metrics ---


KEY, RESPONSE = "[1 a] [1 b] [1 c] [2 d] [2 e]", "[1 a] [1 b] [2 c] [2 d] [2 e]"
"""The third mention goes with the wrong chain: shared are 2 and 1 mentions of the first chain, 2 of the second."""


@pytest.mark.parametrize(
    ("measure", "f1", "expected"),
    [
        ("mentions", 1.0, {"right": 5, "gold": 5, "system": 5}),
        ("muc", 2 / 3, {"right": 2, "gold": 3, "system": 3}),
        ("b-cubed", 11 / 15, {"rnum": 11 / 3, "rden": 5, "pnum": 11 / 3, "pden": 5}),
        ("ceaf-m", 4 / 5, {"right": 4, "gold": 5, "system": 5}),
        ("ceaf-e", 4 / 5, {"rnum": 8 / 5, "rden": 2, "pnum": 8 / 5, "pden": 2}),
        ("lea", 3 / 5, {"rnum": 3, "rden": 5, "pnum": 3, "pden": 5}),
        (
            "blanc",
            (2 / 4 + 4 / 6) / 2,
            {
                "coreferent": 2,
                "gold-coreferent": 4,
                "system-coreferent": 4,
                "apart": 4,
                "gold-apart": 6,
                "system-apart": 6,
            },
        ),
    ],
)
def test_a_mention_in_the_wrong_chain(
    write: Callable[..., str], measure: str, f1: float, expected: dict[str, float]
) -> None:
    """Both sides have chains of equal sizes, so that recall, precision and F are one number."""
    result = scored(write("gold", d=KEY), write("s", d=RESPONSE), measure)
    found = {name: number / (ONE if name.endswith("num") else 1) for name, number in counts(result, measure).items()}
    assert found == pytest.approx(expected, abs=1e-9)
    assert values(result, measure) == pytest.approx({"f1": f1, "precision": f1, "recall": f1}, abs=1e-9)


def test_the_conll_score_is_the_mean_of_three(write: Callable[..., str]) -> None:
    result = scored(write("gold", d=KEY), write("s", d=RESPONSE))
    three = [values(result, measure)["f1"] for measure in ("muc", "b-cubed", "ceaf-e")]
    assert values(result, "conll") == {"value": pytest.approx(sum(three) / 3)}


def test_chains_of_one_mention_count_unless_they_are_left_aside(write: Callable[..., str]) -> None:
    gold, system = write("gold", d="[1 a] [1 b] [2 c] [3 d]"), write("s", d="[1 a] [1 b] [2 c] d")
    result = scored(gold, system, ["mentions", "mentions(singletons=false)", "b-cubed", "b-cubed(singletons=false)"])
    assert counts(result, "mentions") == {"right": 3, "gold": 4, "system": 3}
    assert counts(result, "mentions(singletons=false)") == {"right": 2, "gold": 2, "system": 2}
    assert values(result, "b-cubed")["recall"] == pytest.approx(3 / 4)
    assert values(result, "b-cubed(singletons=false)")["recall"] == 1


@pytest.mark.parametrize("measure", ["muc", "arcs-any", "arcs-nom"])
def test_chains_of_one_mention_do_not_matter_for_links(write: Callable[..., str], measure: str) -> None:
    gold, system = write("gold", d="[1 Ann] [2 x] [1 she] [3 y]"), write("s", d="[1 Ann] x [1 she] [4 y]")
    assert values(scored(gold, system, measure), measure)["f1"] == 1


def test_a_way_to_match_that_does_not_exist_is_refused(write: Callable[..., str]) -> None:
    gold = write("gold", d=KEY)
    assert refusal(scored, gold, gold, "muc(match=tail)").startswith("there is no way to match mentions 'tail'.")


def test_heads_of_mentions_are_matched_where_files_have_them(file: File) -> None:
    rows = ("the\tDET\tDT", "old\tADJ\tJJ", "dog\tNOUN\tNN", "saw\tVERB\tVBD", "it\tPRON\tPRP")

    def text(*cells: str) -> str:
        lines = [
            f"{number}\t{row.split()[0]}\t_\t{row.split()[1]}\t{row.split()[2]}\t_\t0\troot\t_\t{cell}"
            for number, (row, cell) in enumerate(zip(rows, cells, strict=True), 1)
        ]
        return "\n".join(["# newdoc id = d", "# global.Entity = eid-etype-head", "# sent_id = 1", *lines, "", ""])

    gold = file("gold.conllu", text("Entity=(e1--3", "_", "Entity=e1)", "_", "Entity=(e1--1)"))
    system = file("s.conllu", text("_", "Entity=(e1--2", "Entity=e1)", "_", "Entity=(e1--1)"))
    result = scored(gold, system, ["muc", "muc(match=head)"])
    assert (values(result, "muc")["f1"], values(result, "muc(match=head)")["f1"]) == (0, 1)
    # Key [1, 4] with head 2; of the response's [2] and [1, 3], which have that head too, it goes with the longer one:
    # MUC 1, B³ 0.8 (recall 1, precision 2/3), CEAFe 2/3 (recall 1, precision 1/2).
    gold = file("gold.conllu", text("Entity=(e1--2", "_", "_", "Entity=e1)", "Entity=(e1--1)"))
    system = file("s.conllu", text("Entity=(e1--2", "Entity=(e2--1)", "Entity=e1)", "_", "Entity=(e1--1)"))
    value = values(scored(gold, system, ["conll(match=head)"]), "conll(match=head)")["value"]
    assert value == pytest.approx((1 + 0.8 + 2 / 3) / 3)


# --- a key against itself ---


@pytest.mark.parametrize("name", ["key.conll", *(f"formats/{name}" for name in FORMATS)])
def test_a_key_against_itself_has_1_wherever_a_score_is_defined(name: str) -> None:
    wanted = [measure for measure in METRICS if measure != "arcs-nom" or name != "formats/clusters.jsonl"]
    options = {"task": "coreference", "slices": ("document",), "interval": "percentile"}
    result = scored(TOY / name, TOY / name, wanted, **options)
    assert {row.measure for row in result.scores} == set(wanted)
    assert {row.value for row in result.scores} == {1}
    # One document has no interval.
    ends = {(row.low, row.high) for row in result.scores if result.about.units > 1 and row.slice is None}
    assert ends == ({(1, 1)} if result.about.units > 1 else set())


def test_without_links_muc_and_arcs_are_undefined_and_the_others_1(write: Callable[..., str]) -> None:
    """In one document of the two; overall the other one counts."""
    gold = write("gold", one="[1 Ann] saw [2 Bob] .", two="[1 Ann] saw [1 her] .")
    result = scored(gold, gold, slices=("document",))
    where = "document=(one); part 000"
    undefined = {row.measure for row in result.scores if row.slice == where and math.isnan(row.value)}
    assert undefined == {"muc", "conll", "arcs-any", "arcs-nom"}
    others = [row.value for row in result.scores if row.slice != where or row.measure not in undefined]
    assert set(others) == {1}
    assert '"value": null' in result.to_json()


@pytest.mark.parametrize("name", FORMATS[1:])
def test_four_formats_have_the_same_figures(name: str) -> None:
    first = TOY / "formats" / FORMATS[0]
    result = scored(first, TOY / "formats" / name, task="coreference")
    assert {row.value for row in result.scores} == {1}
    assert result.about.units == 2


@pytest.mark.parametrize("name", FORMATS)
def test_a_system_against_gold_in_any_format_has_the_same_figures(name: str, file: File) -> None:
    text = (TOY / "formats" / FORMATS[0]).read_text("utf-8")
    # Mentions of one word are lost where they are alone in their cell.
    system = file("s.conll", re.sub(r"\t\(\d+\)\n", "\t-\n", text))
    wanted = [measure for measure in METRICS if measure != "arcs-nom"]
    here, there = (scored(TOY / "formats" / gold, system, wanted, task="coreference") for gold in (name, FORMATS[0]))
    assert [(row.measure, row.score, row.value) for row in here.scores] == [
        (row.measure, row.score, row.value) for row in there.scores
    ]
    assert any(row.value < 1 for row in here.scores)


# --- ARCS ---


GOLD_TEXT = "[1 Ann] saw [2 Eve] .|[1 She] liked [2 her] .|[1 She] left ."


@pytest.mark.parametrize(
    ("system", "classes"),
    [
        (GOLD_TEXT, "tp tp tp"),
        # Both pronouns of the second sentence go with the wrong noun; the last one shares an antecedent with gold.
        ("[1 Ann] saw [2 Eve] .|[2 She] liked [1 her] .|[2 She] left .", "wl wl tp"),
        ("[1 Ann] saw [2 Eve] .|She liked [2 her] .|[1 She] left .", "fn tp tp"),
        ("Ann saw [2 Eve] .|[1 She] liked [2 her] .|[1 She] left .", "fn tp tp"),
        ("[1 Ann] saw [1 Eve] .|[1 She] liked her .|[1 She] left .", "tp fn tp fp"),
    ],
)
def test_each_mention_has_its_class(write: Callable[..., str], system: str, classes: str) -> None:
    """In the order of the text, spurious ones last: right, wrong link, not resolved, resolved without need."""
    result = scored(write("gold", d=GOLD_TEXT), write("s", d=system), ["arcs-any", "muc"])
    found = counts(result, "arcs-any")
    kinds = ("tp", "wl", "fn", "fp")
    assert [found[kind] for kind in kinds] == [classes.split().count(kind) for kind in kinds]
    assert {name: value for name, value in values(result, "arcs-any").items() if name != "accuracy"} == pytest.approx(
        values(result, "muc"), nan_ok=True
    )


def test_the_closest_noun_of_the_system_must_be_golds(write: Callable[..., str]) -> None:
    """It need not be the closest one in gold; an antecedent that is a pronoun is passed over."""
    gold = write("gold", d="[1 Ann] saw [1 Eve] .|[1 She] left .")
    near = scored(gold, write("near", d="[1 Ann] saw Eve .|[1 She] left ."), "arcs-nom")
    assert counts(near, "arcs-nom")["tp"] == 1
    gold = write("gold", d="[1 Ann] saw [2 Eve] .|[1 She] left .|[1 She] left .")
    far = scored(gold, write("far", d="Ann saw [2 Eve] .|[2 She] left .|[2 She] left ."), ["arcs-nom", "arcs-any"])
    assert counts(far, "arcs-any")["tp"] == 1
    assert (counts(far, "arcs-nom")["tp"], counts(far, "arcs-nom")["wl"]) == (0, 2)


def test_mentions_without_a_noun_before_them_are_left_out(write: Callable[..., str]) -> None:
    """Cataphora: `Ann` has an antecedent in gold, but no noun; what a system makes of it does not matter."""
    gold = write("gold", d="[1 She] left . [1 Ann] saw [1 her] .")
    for text in ("[1 She] left . [1 Ann] saw [1 her] .", "She left . [1 Ann] saw [1 her] ."):
        result = scored(gold, write("s", d=text), ["arcs-nom", "arcs-any"])
        found = counts(result, "arcs-nom")
        assert (found["gold"], found["tp"], found["left-out"]) == (1, 1, 1)
        assert counts(result, "arcs-any")["gold"] == 2
    assert "left-out" not in counts(result, "arcs-any")


def test_without_tags_nouns_cannot_be_told() -> None:
    jsonl = TOY / "formats" / "clusters.jsonl"
    assert refusal(scored, jsonl, jsonl, "arcs-nom") == (
        "arcs-nom needs tags to recognise nouns, but gold has none. Use arcs-any, which needs none."
    )


def test_types_of_errors_add_up_to_all_errors(toy: Any) -> None:
    gold, systems = toy
    result = scored(gold, systems["system-a"], "arcs-any")
    arcs = [row for row in result.error_types if row.measure == "arcs-any"]
    assert {row.type: row.count for row in arcs} == {"wl": 2, "fn": 2, "fp": 2}
    assert sum(row.share for row in arcs) == pytest.approx(1)


# --- slices ---


def test_slices_by_type_of_mention_are_of_arcs_alone(toy: Any) -> None:
    gold, systems = toy
    result = scored(gold, systems["system-a"], ["arcs-any", "muc"], slices=("label",))
    sliced = {row.slice: row.counts for row in result.counts if row.slice is not None}
    assert list(sliced) == ["label=PRP", "label=NOUN", "label=PRP$", "label=DT"]
    assert {row.measure for row in result.counts if row.slice is not None} == {"arcs-any"}
    for kind in ("tp", "wl", "fn", "fp", "gold", "system"):
        assert sum(row[kind] for row in sliced.values()) == counts(result, "arcs-any")[kind]


@pytest.mark.parametrize("cut", ["sentence-length", "frequency", "seen", "nesting", "distance"])
def test_slices_that_cut_documents_apart_are_refused(toy: Any, cut: str) -> None:
    gold, systems = toy
    assert refusal(scored, gold, systems, slices=(cut,)).startswith(f"--slice {cut}")


# --- several systems ---


def test_intervals_resample_documents(toy: Any) -> None:
    """With two documents the ends are the scores of each alone; resampled sentences would give many others."""
    gold, systems = toy
    options = {"times": 200, "slices": ("document",), "interval": "percentile"}
    result = assay.score(gold, systems["system-a"], CHAIN_METRICS, **options)
    assert (result.about.unit, result.about.units) == ("document", 2)
    for row in result.scores:
        if row.slice is None:
            alone = [
                other.value
                for other in result.scores
                if (other.measure, other.score) == (row.measure, row.score) and other.slice is not None
            ]
            assert [row.low, row.high] == sorted(alone), (row.measure, row.score)
    assert result.warnings == ("There are only 2 documents, so intervals and p-values are rough.",)


def test_two_documents_can_be_swapped_in_four_ways(toy: Any) -> None:
    """System a is better on both, so that two of the four swaps are as far apart."""
    result = compared(*toy)
    shuffled = [row for row in result.comparisons if row.test == "shuffling"]
    assert {row.measure for row in shuffled} == set(METRICS)
    assert {(row.p, row.exact) for row in shuffled if row.score == "f1"} == {(0.5, True)}


def test_how_alike_systems_are_does_not_depend_on_which_is_gold(toy: Any) -> None:
    """Each similarity is the score of one system with the other as gold."""
    gold, systems = toy
    three = {**systems, "gold again": gold}
    forth = compared(gold, three, "muc").similarities
    back = compared(gold, dict(reversed(three.items())), "muc").similarities
    assert {(frozenset((row.a, row.b)), row.measure): row.value for row in forth} == pytest.approx(
        {(frozenset((row.a, row.b)), row.measure): row.value for row in back}
    )
    assert len(forth) == 3 * 2
    for row in forth:
        assert row.value == pytest.approx(scored(three[row.a], three[row.b], row.measure).scores[0].value)


def test_systems_that_say_the_same_are_quite_alike(toy: Any) -> None:
    gold, systems = toy
    result = compared(gold, {"one": systems["system-a"], "two": systems["system-a"]}, "arcs-any")
    assert {row.value for row in result.similarities} == {1}
    assert (result.diffs[0].different, result.diffs[0].items) == (0, 18)


def test_swapping_two_systems_swaps_corrections_and_new_errors(toy: Any) -> None:
    gold, systems = toy
    forth, back = (compared(gold, given, "arcs-nom") for given in (systems, dict(reversed(list(systems.items())))))
    (ours,), (theirs,) = forth.diffs, back.diffs
    assert (ours.corrections, ours.new_errors) == (theirs.new_errors, theirs.corrections) == (3, 7)
    assert (ours.diff, ours.changed_errors) == (theirs.diff, theirs.changed_errors)


def test_only_some_transitions_can_be(toy: Any) -> None:
    found = {(row.before, row.after) for row in compared(*toy, "arcs-any").transitions}
    of_gold = {"tp", "wl", "fn"}
    assert all({before, after} <= of_gold or {before, after} <= {"fp", "none"} for before, after in found)


def test_spurious_mentions_with_other_gaps_are_other_mentions(file: File) -> None:
    """Words 2 and 4 are not words 2 to 4."""

    def text(*cells: str) -> str:
        words = zip("abcde", cells, strict=True)
        lines = [f"{number}\t{word}\t_\t_\tNN\t_\t0\troot\t_\t{cell}" for number, (word, cell) in enumerate(words, 1)]
        return "\n".join(["# newdoc id = d", "# global.Entity = eid", "# sent_id = 1", *lines, "", ""])

    one = "Entity=(e1)"
    gold = file("gold.conllu", text(one, "_", "_", "_", one))
    systems = {
        "gap": file("gap.conllu", text(one, "Entity=(e1[1/2])", "_", "Entity=(e1[2/2])", one)),
        "whole": file("whole.conllu", text(one, "Entity=(e1", "_", "Entity=e1)", one)),
    }
    result = compared(gold, systems, "arcs-any")
    found = {(row.before, row.after): row.count for row in result.transitions if row.label is None}
    assert found == {("tp", "tp"): 1, ("fp", "none"): 1, ("none", "fp"): 1}


# --- Results ---


def test_json_can_be_read_back(toy: Any) -> None:
    text = compared(*toy, slices=("document",), examples=3).to_json()
    assert Result.from_json(text).to_json() == text
    assert Result.from_json(text).about.task == "coreference"


def test_the_defaults_are_measures_of_chains_and_of_mentions(toy: Any) -> None:
    gold, systems = toy
    result = assay.score(gold, systems["system-a"], times=10)
    assert tuple(dict.fromkeys(row.measure for row in result.scores)) == tasks()["coreference"].defaults


# --- examples ---


LONG = "[1 Ann] left .|[2 Eve] left .|Bob saw [2 her] .|[1 She] liked [3 the dog] ."


def test_an_example_shows_the_mention_and_the_chains_of_all_sides(write: Callable[..., str]) -> None:
    """The sentence of the mention and the two before it."""
    gold = write("gold", d=LONG)
    systems = {
        "a": write("a", d=LONG.replace("[1 She]", "[2 She]")),
        "b": write("b", d=LONG.replace("[3 the dog]", "the dog")),
    }
    result = compared(gold, systems, "arcs-any", examples=5)
    (example,) = result.examples
    assert (example.a, example.b) == ("a", "b")
    assert (example.sentence, example.place) == ("(d); part 000", "gold.conll:15")
    assert " ".join(example.words) == "Eve left . Bob saw her . She liked the dog ."
    (item,) = example.items
    assert (item.position, item.end, item.gold, item.kind) == (7, 8, "PRP", "correction")
    assert item.answers == {"a": "PRP (WL)", "b": "PRP"}
    assert example.sides == ("gold", "a", "b")
    shown = {
        side: [(span.label, span.stretches) for span in example.spans if span.side == side] for side in example.sides
    }
    others = [("2", ((0, 1),)), ("2", ((5, 6),))]
    assert shown == {
        "gold": [*others, ("1", ((7, 8),)), ("3", ((9, 11),))],
        "a": [*others, ("2", ((7, 8),)), ("3", ((9, 11),))],
        "b": [*others, ("1", ((7, 8),))],
    }


def test_an_example_stays_within_its_document(write: Callable[..., str]) -> None:
    gold = write("gold", one="[1 Ann] left .", two="[1 Eve] saw [1 her] .")
    result = scored(gold, write("s", one="[1 Ann] left .", two="[1 Eve] saw her ."), "arcs-any", examples=5)
    (example,) = result.examples
    assert " ".join(example.words) == "Eve saw her ."
    assert (example.b, example.items[0].kind, example.items[0].answers) == (None, "error", {"s": None})


@pytest.mark.parametrize(
    ("options", "texts"),
    [
        ({}, 12),
        ({"kind": "correction"}, 3),
        ({"kind": "new-error"}, 7),
        ({"kind": "changed-error"}, 2),
        ({"change": "PRP→PRP (WL)→PRP"}, 1),
        ({"change": "∅→*→*"}, 4),
    ],
)
def test_examples_can_be_chosen_by_what_changed(toy: Any, options: dict[str, str], texts: int) -> None:
    """The figures of the toy documents: 12 changes, of which 4 are mentions that one system alone resolves."""
    result = compared(*toy, "arcs-nom", examples=99, **options)
    assert len(result.examples) == texts


def test_a_mention_that_crosses_sentences_is_shown(write: Callable[..., str]) -> None:
    gold = write("gold", d="[1 Ann] left .|[1 She .|She] left .")
    result = scored(gold, write("s", d="[1 Ann] left .|She .|She left ."), "arcs-any", examples=1)
    (example,) = result.examples
    (item,) = example.items
    assert item.end is not None
    assert " ".join(example.words[item.position : item.end]) == "She . She"
    assert ("gold", "1", ((item.position, item.end),)) in [
        (span.side, span.label, span.stretches) for span in example.spans
    ]


def test_parts_of_documents_are_told_apart_in_examples(file: File) -> None:
    text = document("d", "[1 Ann] left .", "[1 She] left .") + document(
        "d", "[1 Eve] left .", "[1 She] left .", part=1
    )
    gold, system = file("gold.conll", text), file("s.conll", text.replace("\tShe\tPRP\t(1)", "\tShe\tPRP\t-"))
    result = scored(gold, system, "arcs-any", examples=9)
    assert [example.sentence for example in result.examples] == ["(d); part 000", "(d); part 001"]
