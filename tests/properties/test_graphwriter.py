"""Graphs and roles in other formats, whatever they are: the same comes back, or it is refused."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from graphlayers import Layer, converted, layer_of
from properties.test_graphs import conllu, graphs
from properties.test_roles import conll09, sentences

LABELS = st.sampled_from(["ARG1", "ARG2", "a:b", "c>d"]) | st.text("a|_ \t-(:0é", max_size=3)
"""Labels of which some mean something else in some format."""
ROLES = st.sampled_from(["A0", "A1", "V", "C-A1", "A|B", "A*", "B-x"])
WORDS = st.sampled_from(["Kim", "don't", "(", "#", "_", "-", "1", "ü", "New York"])
LENGTH = 5


def tried(text: str, form: str, target: str) -> tuple[Layer, Layer | None]:
    """The layers before and after a file was written in another format; the second is None where it is refused."""
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder) / "before", Path(folder) / "after"
        before.write_text(text, "utf-8")
        expected = layer_of(before, form)
        try:
            written, _ = converted(before, target, form)
        except AssayError as error:
            assert str(before) in str(error) and "\n" not in str(error)
            return expected, None
        after.write_text(written, "utf-8")
        return expected, layer_of(after, target)


@st.composite
def mrp(draw: Any) -> str:
    """Graphs over some words, with any labels."""
    lines = []
    for number in range(draw(st.integers(1, 3))):
        words = draw(st.lists(WORDS, min_size=1, max_size=LENGTH))
        places, text = [], ""
        for word in words:
            text += draw(st.sampled_from([" ", "  "])) if text else ""
            places.append((len(text), len(text) + len(word)))
            text += word
        node = st.integers(0, len(words) - 1)
        edges = draw(st.lists(st.tuples(node, node, LABELS), max_size=6))
        value = {
            "id": f"g{number}",
            "flavor": 0,
            "input": text,
            "tops": draw(st.lists(node, max_size=2, unique=True)),
            "nodes": [
                {"id": place, "anchors": [{"from": begin, "to": end}], "properties": ["frame"], "values": ["v"]}
                for place, (begin, end) in enumerate(places)
            ],
            "edges": [{"source": head, "target": own, "label": label} for head, own, label in edges],
        }
        lines.append(json.dumps(value))
    return "\n".join(lines) + "\n"


@given(text=mrp(), target=st.sampled_from(["conllu", "sdp", "mrp"]))
def test_graphs_come_back_or_are_refused(text: str, target: str) -> None:
    before, after = tried(text, "mrp", target)
    labels = [label for _, _, head, label in before.arcs if head >= 0]
    plain = all(label and label != "_" and not set(label) & set("| \t") for label in labels)
    between = [arc[:3] for arc in before.arcs]
    if target == "mrp" or (plain and (target == "conllu" or len(set(between)) == len(between))):
        assert after is not None
    if after is not None:
        kept = before if target != "conllu" else replace(before, predicates={})
        assert after == kept


@given(given_=st.lists(st.integers(1, 4).flatmap(graphs), min_size=1, max_size=3))
def test_enhanced_graphs_come_back_or_are_refused(given_: list[Any]) -> None:
    text = conllu(given_)
    before, after = tried(text, "conllu", "conllu")
    assert after == before
    rooted = all(head >= 0 or label == "root" for _, _, head, label in before.arcs)
    holds = before.arcs and not before.empty and rooted
    _, after = tried(text, "conllu", "mrp")
    assert (after is not None) == bool(holds)
    assert after is None or (after.arcs, after.words) == (before.arcs, before.words)
    _, after = tried(text, "conllu", "sdp")
    assert (after is not None) == bool(holds and len({arc[:3] for arc in before.arcs}) == len(before.arcs))
    assert after is None or (after.arcs, after.words) == (before.arcs, before.words)


@given(given_=st.lists(sentences(), min_size=1, max_size=3), target=st.sampled_from(["conll09", "up"]))
def test_roles_of_words_come_back(given_: list[Any], target: str) -> None:
    before, after = tried(conll09(given_), "conll09", target)
    assert after == before


@st.composite
def listed(draw: Any) -> str:
    """Universal Propositions 2.0 with any stretches, which may overlap, cross and lie in one another."""
    text = "# global.columns = ID FORM UP:PRED UP:ARGHEADS UP:ARGSPANS\n"
    stretch = st.tuples(st.integers(1, LENGTH), st.integers(1, LENGTH)).map(sorted)
    for _ in range(draw(st.integers(1, 2))):
        for word in range(1, LENGTH + 1):
            cells = ["_", "_", "_"]
            if draw(st.integers(0, 2)) == 0:
                found = draw(st.lists(st.tuples(ROLES.filter(lambda role: "|" not in role), stretch), max_size=4))
                cells = ["go.01", "_", "|".join(f"{role}:{first}-{last}" for role, (first, last) in found) or "_"]
            text += "\t".join([str(word), draw(WORDS), *cells]) + "\n"
        text += "\n"
    return text


@given(text=listed())
def test_roles_of_stretches_come_back_or_are_refused(text: str) -> None:
    before, after = tried(text, "up2-spans", "props")
    if after is not None:
        assert after == replace(before, words=[], predicates=dict.fromkeys(before.predicates, "go"))
    elif not any("*" in label for *_, label in before.arcs):
        # Only two of one role that cross cannot be written.
        assert any(
            one[2:] == two[2:] and one[0] < two[0] < one[1] < two[1] for one in before.arcs for two in before.arcs
        )
    _, after = tried(text, "up2-spans", "biojson")
    overlap = any(
        one != two and one[2] == two[2] and one[0] < two[1] and two[0] < one[1]
        for one in before.arcs
        for two in before.arcs
    )
    assert after is None or (after == before and not overlap)
    marks = {word: [arc for arc in before.arcs if arc[2:] == (word, "V")] for word in before.predicates}
    told = all(not own or any(one[0] <= word < one[1] for one in own) for word, own in marks.items())
    assert (after is not None) == (told and not overlap)
