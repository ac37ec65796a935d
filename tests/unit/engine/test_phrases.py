"""The labels of trees."""

from __future__ import annotations

import pytest

from assay.engine.phrases import category, edge_functions, functions


@pytest.mark.parametrize(
    ("label", "kind", "roles"),
    [
        ("NP", "NP", ()),
        ("", "", ()),
        ("NP-SBJ-1", "NP", ("SBJ",)),
        ("NP-LOC-PRD", "NP", ("LOC", "PRD")),
        ("NP=2", "NP", ()),
        ("NP-SBJ=2", "NP", ("SBJ",)),
        ("NP-nsubj:pass", "NP", ("nsubj:pass",)),
        ("PRP$-hd", "PRP$", ("hd",)),
        (":-punct", ":", ("punct",)),
        (",", ",", ()),
        ("ADVP|PRT-CLR", "ADVP|PRT", ("CLR",)),
        ("-LRB-", "-LRB-", ()),
        ("-NONE-", "-NONE-", ()),
        ("-", "-", ()),
        ("NP##case=nom-x##", "NP", ()),
        ("NP-SUJ##case=nom##", "NP", ("SUJ",)),
        ("#", "#", ()),
        ("=", "=", ()),
    ],
)
def test_a_label_is_a_category_and_the_functions_behind_it(label, kind, roles):
    assert category(label) == kind
    assert functions(label) == roles


@pytest.mark.parametrize(("edge", "roles"), [("SB", ("SB",)), ("--", ()), ("-", ()), ("", ())])
def test_the_label_of_an_edge_is_a_function_unless_it_says_that_there_is_none(edge, roles):
    assert edge_functions(edge) == roles
