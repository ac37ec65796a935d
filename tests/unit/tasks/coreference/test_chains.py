"""Chains: the table, counts of small cases worked out by hand, undefined scores, and what each mention rests on."""

from __future__ import annotations

import numpy as np
import pytest

from assay.engine.items import ONE
from assay.tasks.coreference.chains import CLASSES, ChainTable, best_alignment
from assay.tasks.coreference.measures import ARCS_SCORES, CONLL, FRACTIONS, LINKS, MATCHED, METRICS, mela
from chainlists import arcs, class_counts, mentions, scores, span_at, sums_of, table_of, without_singletons


def chains(text):
    """`ab cde`: one document, a chain per word, a mention per letter, in alphabetical order."""
    return [[(ord(letter), ord(letter)) for letter in word] for word in text.split()]


def scored(key, response, metric):
    return scores(table_of([chains(key)], [chains(response)]), metric)


def counted(key, response, metric):
    known = METRICS[metric]
    return dict(zip(known.fields, known.count(table_of([chains(key)], [chains(response)]))[0].tolist(), strict=True))


# --- the table ---


def test_a_table_has_a_cell_for_each_two_chains_that_share_mentions() -> None:
    t = table_of([chains("ab cde"), chains("xy")], [chains("bcz de"), chains("xy")])
    cells = zip(t.gold_chain.tolist(), t.system_chain.tolist(), t.shared.tolist(), strict=True)
    assert sorted(cells) == [(0, 0, 1), (1, 0, 1), (1, 1, 2), (2, 2, 2)]
    assert t.gold_size.tolist() == [2, 3, 2]
    assert t.system_size.tolist() == [3, 2, 2]
    assert t.document.tolist() == [0, 0, 0, 1]


def test_equal_words_in_two_documents_are_two_mentions() -> None:
    t = table_of([chains("ab"), []], [[], chains("ab")])
    assert METRICS["mentions"].count(t).tolist() == [[0, 2, 0], [0, 0, 2]]


def test_exchanging_the_sides_twice_gives_the_table_back() -> None:
    t = table_of([chains("ab cde")], [chains("bcz de")])
    assert METRICS["conll"].count(t.swapped().swapped()).tolist() == METRICS["conll"].count(t).tolist()


def test_singletons_go_and_the_other_mentions_keep_what_they_have() -> None:
    side = mentions([chains("a bc"), chains("d ef g")])
    kept = without_singletons(side)
    assert kept.begin.tolist() == side.begin[[1, 2, 4, 5]].tolist()
    assert kept.group is not None and kept.group.tolist() == [1, 1, 3, 3]
    assert kept.unit.tolist() == [0, 0, 1, 1]


# --- counts, by hand ---


def test_counts_of_one_small_case() -> None:
    """Key {ab}{cde}, response {bcx}{de}."""
    case = "ab cde", "bcx de"
    assert counted(*case, "mentions") == {"right": 4, "gold": 5, "system": 5}
    assert counted(*case, "muc") == {"right": 1, "gold": 3, "system": 3}
    assert counted(*case, "ceaf-m") == {"right": 3, "gold": 5, "system": 5}
    assert counted(*case, "b-cubed") == {
        "rnum": round((1 / 2 + 1 / 3 + 4 / 3) * ONE),
        "rden": 5,
        "pnum": round((1 / 3 + 1 / 3 + 4 / 2) * ONE),
        "pden": 5,
    }
    ceaf_e = round((2 / 5 + 4 / 5) * ONE)
    assert counted(*case, "ceaf-e") == {"rnum": ceaf_e, "rden": 2, "pnum": ceaf_e, "pden": 2}
    assert counted(*case, "lea") == {"rnum": ONE, "rden": 5, "pnum": 2 * ONE, "pden": 5}
    assert list(counted(*case, "blanc").values()) == [1, 4, 4, 2, 6, 6]


def test_blanc_of_the_paper_on_predicted_mentions() -> None:
    assert list(scored("ab cde", "bcx de", "blanc").values()) == pytest.approx([7 / 24] * 3)


def test_fields_are_named_one_by_one() -> None:
    t = table_of([chains("ab c"), []], [chains("ab"), chains("de")])
    assert {metric.fields for metric in METRICS.values()} == {MATCHED, FRACTIONS, LINKS, CONLL}
    for metric in METRICS.values():
        counts = metric.count(t)
        assert counts.shape == (2, len(metric.fields)) == (2, len(set(metric.fields)))
        assert counts.dtype == np.int64


def test_lea_counts_a_singleton_only_where_it_is_one_on_both_sides() -> None:
    assert counted("a b", "a bc", "lea")["rnum"] == ONE
    assert counted("a bc", "a b c", "lea")["rnum"] == ONE


# --- scores ---


@pytest.mark.parametrize("metric", METRICS)
def test_nothing_on_either_side_has_no_score(metric) -> None:
    assert all(np.isnan(value) for value in scored("", "", metric).values())


@pytest.mark.parametrize("metric", ["mentions", "muc", "b-cubed", "ceaf-m", "ceaf-e", "blanc", "lea"])
def test_an_empty_response_has_no_precision_but_recall_and_f_of_0(metric) -> None:
    found = scored("abc de", "", metric)
    assert np.isnan(found["precision"])
    assert (found["recall"], found["f1"]) == (0, 0)


@pytest.mark.parametrize("metric", ["mentions", "b-cubed", "ceaf-m", "ceaf-e", "blanc", "lea"])
def test_no_mention_in_common_scores_0(metric) -> None:
    assert set(scored("abc de", "xyz uv", metric).values()) == {0.0}


def test_documents_of_singletons_have_no_links_but_mentions() -> None:
    assert np.isnan(scored("a b", "a b", "muc")["f1"])
    assert scored("a b", "a b", "ceaf-e")["f1"] == 1
    assert np.isnan(scored("a b", "a b", "conll")["value"])


def test_an_undefined_part_of_the_conll_score_can_count_0() -> None:
    sums = sums_of(METRICS["conll"].count(table_of([chains("a b")], [chains("a b")])), CONLL)
    assert mela(sums, undefined=0) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        ("abc", "ab c", (1 / 3, 1, 1 / 2)),  # no two chains in the key: links within chains alone
        ("a b c", "ab c", (2 / 3, 1, 4 / 5)),  # no chain of two in the key: links between chains alone
        ("ab c", "a b c", (1 / 2, 1 / 3, 2 / 5)),  # a class that only the key has counts 0
    ],
)
def test_blanc_takes_the_classes_of_links_that_the_key_has(key, response, expected) -> None:
    found = scored(key, response, "blanc")
    assert [found[name] for name in ("recall", "precision", "f1")] == pytest.approx(list(expected))


def test_blanc_of_a_key_with_one_mention_is_undefined_or_0() -> None:
    assert np.isnan(scored("a", "a", "blanc")["f1"])
    found = scored("a", "ab", "blanc")
    assert np.isnan(found["recall"])
    assert (found["precision"], found["f1"]) == (0, 0)


@pytest.mark.parametrize("metric", METRICS)
def test_scores_take_many_sums_at_once(metric) -> None:
    known = METRICS[metric]
    pairs = [("ab cde", "bcx de"), ("a b", "ab"), ("", "ab"), ("abc", "abc")]
    t = table_of(*([chains(pair[side]) for pair in pairs] for side in (0, 1)))
    counts = known.count(t).astype(np.float64)
    grid = dict(zip(known.fields, counts.T.reshape(-1, 2, 2), strict=True))
    for name, score in known.scores.items():
        one_by_one = [scored(*pair, metric)[name] for pair in pairs]
        assert score(grid).shape == (2, 2)
        assert score(grid).ravel().tolist() == pytest.approx(one_by_one, nan_ok=True)


# --- the alignment ---


def test_two_good_pairs_are_better_than_the_best_one() -> None:
    row, column, weight = np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([5.0, 4.0, 4.0])
    assert sorted(best_alignment(row, column, weight).tolist()) == [1, 2]


def test_a_large_component_is_solved_as_a_sparse_one(monkeypatch) -> None:
    rng = np.random.default_rng(1)
    key, response = (rng.permutation(600) // 3 for _ in range(2))
    cells, weight = np.unique(key * 200 + response, return_counts=True)
    row, column = cells // 200, cells % 200
    totals = []
    for small in (0, 1 << 30):
        monkeypatch.setattr("assay.tasks.coreference.chains.SMALL", small)
        chosen = best_alignment(row, column, weight.astype(np.float64))
        assert len(set(row[chosen])) == len(set(column[chosen])) == len(chosen)
        totals.append(weight[chosen].sum())
    assert totals[0] == totals[1]


# --- ARCS ---


def classes(key, response, nominal=""):
    """Letter → class and antecedent; the letters named are nominal."""
    sides = [mentions([chains(side)]) for side in (key, response)]
    letters = [[chr(span_at(place)[0]) for place in side.arguments["span"].tolist()] for side in sides]
    masks = [np.isin(each, list(nominal)) if nominal else None for each in letters]
    found = arcs(*sides, *masks)
    antecedents = [chr(span_at(place)[0]) if place >= 0 else "" for place in found.antecedent.tolist()]
    rows = zip(found.place.tolist(), found.kind.tolist(), antecedents, strict=True)
    return {chr(span_at(place)[0]): (CLASSES[kind], antecedent) for place, kind, antecedent in rows}


def test_any_antecedent_in_common_is_enough() -> None:
    assert classes("acd", "abcd") == {"a": ("tn", ""), "b": ("fp", "a"), "c": ("tp", "a"), "d": ("tp", "c")}


def test_a_mention_without_antecedent_in_the_response_is_missed() -> None:
    assert classes("abc", "a bc") == {"a": ("tn", ""), "b": ("fn", ""), "c": ("tp", "b")}
    assert classes("ab", "a")["b"] == ("fn", "")


def test_a_mention_with_other_antecedents_is_linked_wrongly() -> None:
    assert classes("ac bd", "ad bc") == {"a": ("tn", ""), "b": ("tn", ""), "c": ("wl", "b"), "d": ("wl", "a")}


def test_a_mention_that_begins_a_chain_or_is_unknown_to_the_key_is_resolved_for_nothing() -> None:
    assert classes("a bc", "ab") == {"a": ("tn", ""), "b": ("fp", "a"), "c": ("fn", "")}
    assert classes("ab", "az")["z"] == ("fp", "a")


def test_the_closest_nominal_antecedent_decides() -> None:
    assert classes("ad bc", "abd", nominal="ab")["d"] == ("wl", "b")
    assert classes("ad bc", "abd", nominal="a")["d"] == ("tp", "a")
    assert classes("abc", "abc", nominal="a")["c"] == ("tp", "a")


def test_a_mention_with_none_but_pronouns_before_it_in_the_response_is_missed() -> None:
    assert classes("abc", "a bc", nominal="a")["c"] == ("fn", "")


def test_a_mention_without_nominal_antecedent_in_the_key_is_left_out() -> None:
    found = classes("abc", "abc", nominal="b")
    assert found["b"] == ("out", "")
    assert found["c"] == ("tp", "b")
    assert classes("ab", "ab Z", nominal="Z")["b"] == ("out", "")


def test_rows_name_the_mention_of_each_side() -> None:
    key, response = mentions([chains("ab")]), mentions([chains("cb")])
    found = arcs(key, response)
    assert found.key.tolist() == [0, 1, -1]
    assert found.response.tolist() == [-1, 1, 0]


def test_counts_of_classes_by_document() -> None:
    key, response = (mentions(side) for side in ([chains("ab"), [], chains("abc")], [chains("ab"), [], chains("bc")]))
    counts = class_counts(arcs(key, response), 4)
    assert counts.tolist() == [[1, 0, 0, 0, 1, 0], [0] * 6, [1, 0, 1, 0, 1, 0], [0] * 6]


def test_no_mention_at_all_gives_no_rows() -> None:
    nothing = mentions([[]])
    for masks in ((), (np.zeros(0, dtype=bool), np.zeros(0, dtype=bool))):
        assert len(arcs(nothing, nothing, *masks).place) == 0
    assert METRICS["blanc"].count(ChainTable.of(nothing, nothing, 2)).tolist() == [[0] * 6] * 2


def test_scores_of_classes() -> None:
    sums = dict(zip(CLASSES, np.array([4.0, 1.0, 5.0, 3.0, 9.0, 2.0]), strict=True))
    found = {name: float(score(sums)) for name, score in ARCS_SCORES.items()}
    assert found == {"f1": pytest.approx(8 / 18), "precision": 0.5, "recall": 0.4, "accuracy": 0.8}
