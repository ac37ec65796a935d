"""udtools, the scorer of Universal Dependencies, as the peer, on random trees in two cuts with multiword tokens."""

from __future__ import annotations

import io
from random import Random

import pytest

import assay
from multiwords import as_conllu, two_cuts

udeval = pytest.importorskip("udtools.udeval", reason="the peer udtools is not installed")

ENHANCED = (
    *("no_gapping", "no_shared_parents_in_coordination", "no_shared_dependents_in_coordination"),
    *("no_control", "no_external_arguments_of_relative_clauses", "no_case_info"),
)
TREES = {
    **{"Tokens": "tokens", "Sentences": "sentences", "Words": "words", "UAS": "uas", "LAS": "las"},
    **{"CLAS": "clas", "MLAS": "mlas", "BLEX": "blex"},
}
TAGS = {
    **{"UPOS": "accuracy(column=UPOS)", "XPOS": "accuracy(column=XPOS)"},
    **{"UFeats": "ufeats", "AllTags": "alltags"},
}


def theirs(gold, system):
    """What the peer counts: right, gold, system and, where it counts them, aligned words."""
    settings = dict.fromkeys(ENHANCED, 0)
    sides = (udeval.load_conllu(io.StringIO(text), None, settings) for text in (gold, system))
    found = udeval.evaluate(*sides)
    return {
        name: (found[name].correct, found[name].gold_total, found[name].system_total, found[name].aligned_total)
        for name in (*TREES, *TAGS)
    }


@pytest.fixture
def ours(tmp_path):
    """What assay counts, as the peer puts it."""

    def counted(gold, system):
        paths = [tmp_path / "gold.conllu", tmp_path / "system.conllu"]
        for path, text in zip(paths, (gold, system), strict=True):
            path.write_text(text, encoding="utf-8")
        found = {}
        for task, names in (("dependencies", TREES), ("tags", TAGS)):
            result = assay.score(*paths, list(names.values()), task=task, times=1)
            of = {row.measure: row.counts for row in result.counts}
            for name, measure in names.items():
                aligned = None if name in ("Tokens", "Sentences", "Words") else of[measure]["aligned"]
                found[name] = (*(of[measure][field] for field in ("right", "gold", "system")), aligned)
        return found

    return counted


def ranges(sentences):
    """The characters of each token, and whether it is a multiword token."""
    found, place = {}, 0
    for surface, inner in (token for sentence in sentences for token in sentence):
        found[place, place + len(surface)] = len(inner) > 1
        place += len(surface)
    return found


def walks_together(gold, system):
    """Whether tokens before and within multiword tokens are alike, so that the peer's walk keeps to its own rule."""
    sides = ranges(gold), ranges(system)
    multiword = {span for side in sides for span, multi in side.items() if multi}
    plain = {span for side in sides for span, multi in side.items() if not multi}
    ends = {end for _, end in multiword}
    crossed = any(begin < border < end for begin, end in plain for span in multiword for border in span)
    before = [
        {span for span in side if any(span[1] == begin for begin, _ in multiword if begin not in ends)}
        for side in sides
    ]
    return not crossed and before[0] == before[1]


def test_all_figures_are_the_peers_where_its_walk_keeps_to_its_rule(ours):
    rng, compared = Random(0), 0
    for _ in range(400):
        gold, system = two_cuts(rng)
        files = as_conllu(rng, gold), as_conllu(rng, system)
        if walks_together(gold, system):
            compared += 1
            assert ours(*files) == theirs(*files), files
    assert compared > 100


def test_empty_cells_are_labels_like_others_in_all_tags(ours):
    """A third of UPOS and XPOS is `_` on either side; accuracy leaves such words of gold out, the peer does not."""
    rng = Random(1)
    for _ in range(50):
        gold, _ = two_cuts(rng)
        files = [as_conllu(rng, gold).replace("\tN\t", "\t_\t").replace("\tN\t", "\t_\t") for _ in range(2)]
        rows = [line.split("\t") for line in files[0].splitlines() if "\t" in line]
        if any(len({row[column] for row in rows} - {"_"}) < 2 for column in (3, 4, 5)):
            # A layer that gold does not have is refused, and so is one label beside blanks.
            continue
        found, expected = ours(*files), theirs(*files)
        assert [found[name] for name in ("UFeats", "AllTags")] == [expected[name] for name in ("UFeats", "AllTags")]


@pytest.mark.parametrize(
    ("gold", "system"),
    [
        # The walk has passed gold's `ab` and is still at `b` when the multiword token begins: `b` is taken into it.
        ([("ab", ("ab",)), ("c", ("b", "x"))], [("a", ("a",)), ("b", ("b",)), ("c", ("c",))]),
        # A gold word that begins with the multiword token is taken into it, though it sticks out.
        ([("bb", ("bb",))], [("b", ("bb", "c")), ("b", ("b",))]),
    ],
)
def test_the_peer_aligns_words_that_do_not_lie_in_the_stretch_of_a_multiword_token(ours, gold, system):
    rng = Random(0)
    files = as_conllu(rng, [gold]), as_conllu(rng, [system])
    assert theirs(*files)["Words"][0] == 1
    assert ours(*files)["Words"][0] == 0
