"""Zeros, ways to match mentions, slices of chains and mentions, and presets, as a user meets them."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import assay
from assay.errors import InputError, UsageError

CASES = Path(__file__).parents[3] / "data" / "corefud"
WORDS = ["The king left .", "Then posted letters ."]


def text(*sentences: str, fields: str = "eid-etype-head-other", name: str = "a") -> str:
    """CoNLL-U of `form/UPOS/Entity/DEPS` cells; `*` is an empty node."""
    lines = [f"# newdoc id = {name}", f"# global.Entity = {fields}"]
    for sentence in sentences:
        word = empty = 0
        for cell in sentence.split():
            form, upos, entity, deps = [*cell.split("/"), *["_"] * 3][:4]
            word, empty = (word, empty + 1) if form == "*" else (word + 1, 0)
            identity = f"{word}.{empty}" if empty else str(word)
            misc = f"Entity={entity}" if entity != "_" else "_"
            lines.append("\t".join([identity, form.replace("*", "_"), "_", upos or "_", *"____", deps, misc]))
        lines.append("")
    return "\n".join(lines) + "\n"


KEY = text(
    "The/DET/(e1-person-2 king/NOUN/e1) left/VERB ./PUNCT",
    "Then/ADV *//(e1-person-1)/2:nsubj posted/VERB letters/NOUN/(e2-object-1) ./PUNCT",
    "He/PRON/(e1-person-1) sent/VERB them/PRON/(e2-object-1) ./PUNCT",
)


def scored(gold, system, *wanted, **options):
    return assay.score(gold, {"s": system}, list(wanted), task="coreference", times=1, **options)


def values(result, slice_=None):
    rows = [row for row in result.scores if row.slice == slice_]
    return {f"{row.measure.partition('(')[0]} {row.score}": row.value for row in rows}


# --- reading ---


def test_zeros_are_scored_with_a_note_and_can_be_refused_or_dropped(file) -> None:
    key = file("key.conllu", KEY)
    result = scored(key, key, "mentions")
    assert values(result)["mentions f1"] == 1
    assert "Zeros (mentions whose head is an empty node): gold 1, s 1." in result.notes
    assert {row.counts["gold"] for row in result.counts} == {5}
    dropped = scored(key, key, "mentions", zeros="drop")
    assert {row.counts["gold"] for row in dropped.counts} == {4}
    assert not any(note.startswith("Zeros") for note in dropped.notes)
    with pytest.raises(InputError, match=r"key\.conllu:9: a mention is on the empty node 1\.1"):
        scored(key, key, "mentions", zeros="error")


def test_empty_nodes_need_not_agree(file) -> None:
    """The system has its zero behind another word, and one more; words are the same."""
    moved = KEY.replace("1.1\t", "2.1\t").split("\n")
    node = next(number for number, line in enumerate(moved) if line.startswith("2.1\t"))
    moved[node], moved[node + 1] = moved[node + 1], moved[node]
    system = file("s.conllu", "\n".join(moved).replace("4\t.", "3.1\t_\t_\t_\t_\t_\t_\t_\t2:obl\t_\n4\t.", 1))
    result = scored(file("key.conllu", KEY), system, "mentions", "mentions(zeros=linear)", "zeros(zeros=linear)")
    by_deps, by_place, _ = (row.counts for row in result.counts)
    assert (by_deps["right"], by_place["right"]) == (5, 4)


def test_a_zero_before_the_first_word_and_nodes_that_are_no_heads(file) -> None:
    """The second mention has an empty node, which is not its head: no zero."""
    key = text("*//(e1-x-1)/1:nsubj went/VERB the/DET/(e1-x-3 *//_/_ dog/NOUN/e1)")
    result = scored(file("key.conllu", key), file("s.conllu", key), "conll", "zeros")
    assert "Zeros (mentions whose head is an empty node): gold 1, s 1." in result.notes
    assert values(result)["conll value"] == 1
    # The zero is the first of its chain: nothing is asked of it.
    assert math.isnan(values(result)["zeros recall"])


def test_zeros_without_dependencies_are_aligned_by_place_with_a_warning() -> None:
    files = CASES / "no-deps.key.conllu", CASES / "no-deps.response.conllu"
    result = scored(*files, "mentions")
    assert f"zeros are aligned by place, because {files[0]} has no enhanced dependencies." in result.warnings


def test_zeros_on_one_side_alone_are_scored(file) -> None:
    without = "\n".join(line for line in KEY.split("\n") if not line.startswith("1.1"))
    key, system = file("key.conllu", KEY), file("s.conllu", without)
    found = values(result := scored(key, system, "zeros"))
    assert found["zeros recall"] == 0
    assert math.isnan(found["zeros precision"])
    assert "Zeros (mentions whose head is an empty node): gold 1, s 0." in result.notes
    found = values(scored(system, key, "zeros"))
    assert math.isnan(found["zeros recall"])
    assert found["zeros precision"] == 0


def test_a_system_without_mentions_has_recall_0_and_no_precision(file) -> None:
    nothing = "\n".join(line for line in KEY.split("\n") if not line.startswith("1.1"))
    for bracket in ("(e1-person-2", "e1)", "(e1-person-1)", "(e2-object-1)"):
        nothing = nothing.replace(f"Entity={bracket}", "_")
    found = values(scored(file("key.conllu", KEY), file("s.conllu", nothing), "mentions", "muc", "zeros", "mor"))
    for name in ("mentions", "muc", "zeros", "mor"):
        assert found[f"{name} recall"] == 0, name
        assert math.isnan(found[f"{name} precision"]), name


def test_fewer_sentences_are_refused(file) -> None:
    shorter = KEY[: KEY.index("1\tHe")]
    with pytest.raises(assay.errors.AlignmentError, match="words here, 12 in"):
        scored(file("key.conllu", KEY), file("s.conllu", shorter), "mentions")


def test_heads_that_are_not_given_are_counted(file) -> None:
    given = file("key.conllu", text("the/DET/(e1 dog/NOUN/e1) ran/VERB it/PRON/(e1)", fields="eid"))
    result = scored(given, given, "mentions")
    assert result.warnings[0].startswith("There is only 1 document")
    for match in ("head", "partial"):
        result = scored(given, given, f"mentions(match={match})")
        headless = "gold: Mentions without a head, headed by their first word: 1. The same applies to s."
        assert headless in result.warnings


def test_documents_in_another_order_keep_their_zeros(file) -> None:
    one, other = KEY, KEY.replace("newdoc id = a", "newdoc id = b")
    key, system = file("key.conllu", one + other), file("s.conllu", other + one)
    found = values(result := scored(key, system, "conll", "zeros"))
    assert set(found.values()) == {1}
    assert "Zeros (mentions whose head is an empty node): gold 2, s 2." in result.notes
    half = scored(key, file("s.conllu", other), "mentions", missing="empty")
    assert half.counts[0].counts == {"right": 5, "gold": 10, "system": 5}


def test_places_of_words_are_those_in_the_file(file) -> None:
    """Behind nodes of its own, and of other files, which have no lines in it."""
    system = KEY.replace("1\tHe", "0.1\t_\t_\t_\t_\t_\t_\t_\t2:nsubj\tEntity=(e1-person-1)\n1\tHe")
    system = system.replace("PRON\t_\t_\t_\t_\t_\tEntity=(e2-object-1)", "PRON\t_\t_\t_\t_\t_\t_")
    result = assay.compare(
        *(file("key.conllu", KEY), {"a": file("a.conllu", system), "b": file("b.conllu", KEY)}),
        *(["arcs-any"],),
        task="coreference",
        times=1,
        examples=5,
    )
    lines = KEY.split("\n")
    found = {(example.place, example.words[example.items[0].position]) for example in result.examples}
    them = next(number for number, line in enumerate(lines, 1) if "\tthem\t" in line)
    assert (f"key.conllu:{them}", "them") in {(place.rpartition("/")[2], word) for place, word in found}


# --- matching, and what is compared ---


def test_unknown_ways_to_match_are_refused(file) -> None:
    key = file("key.conllu", KEY)
    with pytest.raises(UsageError, match="Did you mean exact"):
        scored(key, key, "mentions(match=exakt)")
    with pytest.raises(UsageError, match="Did you mean linear"):
        scored(key, key, "muc(zeros=linea)")


def test_anaphors_matched_by_their_heads_are_compared(file) -> None:
    """Both systems have `king` for `the king`: under match=head it is one item, resolved by one of them."""
    longer = text("Ann/PROPN/(e1-x-1) saw/VERB the/DET/(e1-x-2 king/NOUN/e1) ./PUNCT")
    shorter = text("Ann/PROPN/(e1-x-1) saw/VERB the/DET king/NOUN/(e1-x-1) ./PUNCT")
    apart = text("Ann/PROPN/(e1-x-1) saw/VERB the/DET king/NOUN/(e2-x-1) ./PUNCT")
    systems = {"a": file("a.conllu", apart), "b": file("b.conllu", shorter)}
    for match, changes in (("head", (1, 0)), ("exact", (0, 1))):
        result = assay.compare(
            file("key.conllu", longer), systems, [f"arcs-any(match={match})"], task="coreference", times=1
        )
        (diff,) = result.diffs
        assert (diff.corrections, diff.new_errors) == changes


def test_a_spurious_anaphor_is_one_item_for_systems_that_match_the_same_mention_of_gold(file) -> None:
    """`the king` is alone in gold; both systems resolve it, under other spans with its head."""
    key = text("Ann/PROPN/(e1-x-1) saw/VERB the/DET/(e2-x-2 king/NOUN/e2) ./PUNCT")
    one = text("Ann/PROPN/(e1-x-1) saw/VERB the/DET king/NOUN/(e1-x-1) ./PUNCT")
    other = text("Ann/PROPN/(e1-x-1) saw/VERB the/DET/(e1-x-2 king/NOUN/e1) ./PUNCT")
    systems = {"a": file("a.conllu", one), "b": file("b.conllu", other)}
    key_file = file("key.conllu", key)
    for match, universe in (("head", 1), ("exact", 2)):
        result = assay.compare(key_file, systems, [f"arcs-any(match={match})"], task="coreference", times=1)
        assert {row.items for row in result.diffs} == {universe}


def test_zeros_are_shown_in_examples_and_tables(file) -> None:
    apart = KEY.replace("Entity=(e1-person-1)\n2\tposted", "Entity=(e3-person-1)\n2\tposted")
    assert apart != KEY
    result = assay.compare(
        *(file("key.conllu", KEY), {"a": file("a.conllu", apart), "b": file("b.conllu", apart.replace("e3", "e4"))}),
        *(["zeros"],),
        task="coreference",
        times=1,
        examples=3,
        kind="unresolved",
    )
    assert "∅ (nsubj of posted)" in result.examples[0].words
    assert [row.text for row in result.unresolved] == ["∅"]


def test_types_of_mentions_restrict_arcs(file) -> None:
    key = file("key.conllu", KEY)
    for of, number in (("zero", 1), ("pronoun", 2), ("noun", 0), ("name", 0), ("ZERO", 1), ("", 3)):
        (row,) = scored(key, key, f"arcs-any(of={of})").counts
        assert (row.counts["tp"], row.counts["gold"]) == (number, number), of
    without = file("k.conll", "#begin document (a); part 000\na\t0\t0\tit\t(1)\na\t0\t1\tit\t(1)\n#end document\n")
    with pytest.raises(UsageError, match="need UPOS, which gold does not have"):
        scored(without, without, "arcs-any(of=pronoun)")


def test_the_identity_of_arcs_and_muc_holds_by_heads_too(shared_data) -> None:
    folder = shared_data("coref-gum-zeros")
    for match in ("exact", "head", "partial"):
        result = scored(
            folder / "key.conllu", folder / "noised-2.conllu", f"muc(match={match},zeros=linear)",
            f"arcs-any(match={match},zeros=linear)",
        )  # fmt: skip
        found = values(result)
        for score in ("precision", "recall", "f1"):
            assert found[f"muc {score}"] == pytest.approx(found[f"arcs-any {score}"])


# --- presets ---


def test_a_preset_is_the_measures_of_a_shared_task(shared_data) -> None:
    folder = shared_data("coref-gum-zeros")
    result = assay.score(folder / "key.conllu", {"s": folder / "noised-1.conllu"}, preset="crac2024", times=1)
    assert result.about.task == "coreference"
    measures = list(dict.fromkeys(row.measure for row in result.scores))
    settings = "match=head, singletons=false"
    assert measures == [
        *(f"{name}({settings})" for name in ("conll", "muc", "b-cubed", "ceaf-e")),
        "mor(singletons=false)",
        f"zeros({settings})",
    ]
    assert round(100 * result.scores[0].value, 2) == 72.66
    assert "conll(match=head, singletons=false, zeros=dependent)" in result.signature
    older = assay.score(folder / "key.conllu", {"s": folder / "noised-1.conllu"}, ["lea"], preset="crac2022", times=1)
    assert round(100 * older.scores[0].value, 2) == 61.56
    assert older.scores[-1].measure == "lea"
    assert any("they cannot be reproduced exactly" in note for note in older.notes)


def test_an_unknown_preset_is_refused(file) -> None:
    with pytest.raises(UsageError, match="Did you mean crac2024"):
        scored(file("key.conllu", KEY), file("s.conllu", KEY), preset="crac24")


# --- slices ---


def test_measures_that_are_not_split_are_left_out_with_a_note(file) -> None:
    key = file("key.conllu", KEY)
    result = scored(key, key, "conll", "muc", "b-cubed", "arcs-any", slices=("mention-type",))
    assert "--slice mention-type: these measures cannot be split and were left out: conll and muc." in result.notes
    found = {(row.slice, row.measure) for row in result.scores if row.slice}
    types = ("zero", "pronoun", "noun")
    assert found == {
        *((f"mention-type={name}", "b-cubed") for name in types),
        *((f"mention-type={name}", "arcs-any") for name in ("zero", "pronoun")),
    }


def test_chains_are_cut_by_their_lengths(file) -> None:
    key = file("key.conllu", KEY)
    for spec in ("chain-length:2", "chain-length(edges=2)"):
        result = scored(key, key, "mentions", slices=(spec,))
        rows = {row.slice: row.counts["items"] for row in result.counts if row.slice}
        assert rows == {"chain-length:2=1-2": 2, "chain-length:2=3+": 3}
    with pytest.raises(UsageError, match="edges are rising numbers"):
        scored(key, key, "mentions", slices=("chain-length:5,2",))


def test_the_type_of_a_chain_is_that_of_most_mentions_the_first_where_they_are_as_many(file) -> None:
    cells = "a/X/(e1-place-1) b/X/(e1-person-1) c/X/(e2--1) d/X/(e1-person-1) e/X/(e3-place-1) f/X/(e3-event-1)"
    key = file("key.conllu", text(cells))
    result = scored(key, key, "mentions", slices=("entity-type",))
    rows = {row.slice: row.counts["gold"] for row in result.counts if row.slice}
    assert rows == {"entity-type=none": 1, "entity-type=person": 3, "entity-type=place": 2}
    no_types = file("n.conllu", text("a/X/(e1)", fields="eid"))
    with pytest.raises(UsageError, match="have no types of entities"):
        scored(no_types, no_types, "mentions", slices=("entity-type",))


def test_types_of_mentions_by_a_rule_of_ones_own(file) -> None:
    key, rule = file("key.conllu", KEY), file("types.tsv", "PRON\tshort\nNOUN\tlong\nnominal\tlong\n")
    result = scored(key, key, "mentions", slices=("mention-type",), mention_types=rule)
    rows = {row.slice.partition("=")[2]: row.counts["gold"] for row in result.counts if row.slice}
    assert rows == {"ZERO": 1, "short": 2, "long": 2}


def test_a_slice_that_is_not_of_chains_is_refused(file) -> None:
    key = file("key.conllu", KEY)
    with pytest.raises(UsageError, match="Available: document, meta:KEY, label, entity-type, chain-length"):
        scored(key, key, "mentions", slices=("sentence-length",))
