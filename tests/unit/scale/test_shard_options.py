"""Options that look at more than one file, or leave something out: shards tell the same as all files at once."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import assay
from assay.engine import run as shards
from pieces import DEMO, folders, size_for
from unit.samples import refusal

ENGLISH = ("english", "gold.conllu", ("crfsuite.conllu", "hanta.conllu", "udpipe.conllu"))
NAMES = ("entities", "gold.tsv", ("rules.tsv", "spacy.tsv"))
TREES = ("trees", "gold.conllu", ("arc-eager.conllu", "arc-hybrid.conllu"))
BRACKETS = ("trees", "gold.mrg", ("pcfg-1.mrg", "pcfg-2.mrg"))
CHAINS = ("coreference", "key.conll", ("pronoun-rules.conll", "string-match.conll"))
KNOWN = str(DEMO / "english" / "known-words.txt")

Edit = Callable[[str], str]


FIRST_WORD = re.compile(
    r"""(^1\t(?=\S+\t)      # in CoNLL-U,
        |^\S+\t\d+\t0\t    # in CoNLL-2012,
        |(?:\A|\n\n)(?=\S+\t(?:O$|[BI]-)))  # in two columns
    (\S+)""",
    re.MULTILINE | re.VERBOSE,
)


def other_words(text: str) -> str:
    """Every sentence with another first word."""
    return FIRST_WORD.sub(r"\1\2x", text)


def other_tokens(text: str) -> str:
    """CoNLL-U in which every word is another, and every multiword token too."""
    return re.sub(r"^([\d-]+\t)", r"\1x", text, flags=re.MULTILINE)


def other_leaves(text: str) -> str:
    """Trees that end in other words."""
    return text.replace("(. .)", "(. !)")


def first_only(edit: Edit) -> Edit:
    """The same with the first sentence alone."""

    def edited(text: str) -> str:
        first, blank, rest = text.partition("\n\n")
        return edit(first + blank) + rest

    return edited


def own_heads(text: str) -> str:
    """Every second word its own head, which is no tree."""
    return re.sub(r"^(2(?:\t[^\t]+){5}\t)\d+", r"\g<1>2", text, flags=re.MULTILINE)


def no_beginnings(text: str) -> str:
    """Tags that break their scheme."""
    return text.replace("B-PER", "I-PER").replace("B-LOC", "I-LOC")


def no_spans(text: str) -> str:
    """Nothing but O."""
    return re.sub(r"\b[BI]-\w+", "O", text)


def without_first_document(text: str) -> str:
    """One document less."""
    return "#begin document" + text.split("#begin document", 2)[2]


def without_comments(text: str) -> str:
    """Sentences that have numbers for ids."""
    return re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)


def some(edit: Edit, **pieces: tuple[int, ...]) -> dict[str, dict[int, Edit]]:
    """The same change to some pieces of some sides."""
    return {side: dict.fromkeys(numbers, edit) for side, numbers in pieces.items()}


CASES: dict[str, tuple[Any, dict[str, Any], dict[str, dict[int, Edit]]]] = {
    "metadata": (ENGLISH, {"slices": ("meta:genre", "document")}, {}),
    "known words": (
        ENGLISH,
        {"train": KNOWN, "lexicon": KNOWN, "oov_fold_case": True, "slices": ("seen", "seen:lexicon")},
        {},
    ),
    "training data": (ENGLISH, {"train": "gold", "slices": ("frequency", "seen")}, {}),
    "mapped tags": (ENGLISH, {"map": "NN\tNNS\nsystem\tVBD\tVBN\nQQ\tZZ\n", "column": "XPOS"}, {}),
    "categories of tags": (ENGLISH, {"measures": ["pa"], "tagset": "ptb", "column": "XPOS", "slices": "label"}, {}),
    "numbers for ids": (
        ENGLISH,
        {"slices": "sentence-length", "embed": "diff"},
        {side: dict.fromkeys(range(4), without_comments) for side in ("gold", "crfsuite", "hanta", "udpipe")},
    ),
    "one system alone": ((*ENGLISH[:2], ENGLISH[2][:1]), {"slices": "label", "embed": "sample"}, {}),
    "a shard of other words": (
        ENGLISH,
        {"on_mismatch": "skip", "embed": "auto"},
        {**some(other_words, hanta=(1, 2)), **some(first_only(other_words), udpipe=(3,))},
    ),
    "a first shard of other words": (ENGLISH, {"on_mismatch": "skip"}, some(other_words, hanta=(0,))),
    "compared by position": (ENGLISH, {"on_mismatch": "warn"}, some(other_words, hanta=(0, 2))),
    "mapped spans": (NAMES, {"map": "PER\tLOC\n", "slices": ("nesting", "gaps", "label")}, {}),
    "known spans": (NAMES, {"train": "gold", "slices": "seen", "embed": "auto"}, {}),
    "spans read as conlleval does": (
        *(NAMES, {"repair": "conlleval"}),
        some(no_beginnings, rules=(1,), spacy=(0, 3)),
    ),
    "discarded spans": (NAMES, {"repair": "discard"}, some(no_beginnings, spacy=(0,))),
    "spans in other words": (
        NAMES,
        {"on_mismatch": "skip", "embed": "auto"},
        some(other_words, rules=(0,), spacy=(2,)),
    ),
    "arcs": (TREES, {"task": "dependencies", "slices": ("direction", "projectivity"), "embed": "sample"}, {}),
    "faulty trees": (
        *(TREES, {"task": "dependencies", "on_mismatch": "skip", "embed": "auto"}),
        {"arc-eager": {0: own_heads, 2: first_only(own_heads)}, "arc-hybrid": {3: other_words}},
    ),
    "segmentation of a shard of other words": (
        *(TREES, {"task": "dependencies", "measures": ["tokens", "sentences"], "on_mismatch": "skip"}),
        some(other_words, **{"arc-eager": (1,)}),
    ),
    "labels of a shard without spans": (
        *(NAMES, {"slices": "label", "measures": ["exact", "fair"]}),
        some(no_spans, gold=(1, 2), rules=(1,), spacy=(2,)),
    ),
    "other leaves": (BRACKETS, {"on_mismatch": "skip", "embed": "auto"}, some(other_leaves, **{"pcfg-2": (0, 2)})),
    "gold without trees": (
        *(BRACKETS, {"on_mismatch": "skip"}),
        {"gold": {1: lambda text: "(())\n" * text.count("\n")}},
    ),
    "documents of other words": (
        *(CHAINS, {"on_mismatch": "skip", "embed": "auto"}),
        {"string-match": {0: other_words}, "pronoun-rules": {3: first_only(other_words)}},
    ),
    "documents compared by position": (
        *(CHAINS, {"on_mismatch": "warn"}),
        {"string-match": {0: other_words, 2: other_words}, "pronoun-rules": {1: other_words, 2: other_words}},
    ),
    "missing documents": (CHAINS, {"missing": "empty"}, some(without_first_document, **{"string-match": (0, 2)})),
}


def prepared(name: str, where: Path) -> tuple[str, dict[str, str], dict[str, Any]]:
    """Gold, systems and options of a case; files that options name are written."""
    files, options, edits = CASES[name]
    gold, systems = folders(where, *files, pieces=4)
    for side, pieces in edits.items():
        for number, edit in pieces.items():
            path = sorted(Path(gold if side == "gold" else systems[side]).iterdir())[number]
            text = path.read_text("utf-8")
            path.write_text(edit(text), "utf-8")
            assert path.read_text("utf-8") != text
    chosen = {"times": 20, "examples": 2, **options}
    if "map" in chosen:
        (where / "map.tsv").write_text(chosen["map"])
        chosen["map"] = str(where / "map.tsv")
    if chosen.get("train") == "gold":
        chosen["train"] = gold
    return gold, systems, chosen


TO_PROCESSES = (
    *("known words", "mapped tags", "categories of tags", "a shard of other words", "spans read as conlleval does"),
    *("faulty trees", "documents compared by position", "missing documents"),
)
"""Cases of each option that other processes have to be told of."""


@pytest.mark.parametrize("many", [4, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", CASES)
def test_shards_tell_the_same_as_all_files_at_once(name, many, tmp_path, monkeypatch):
    gold, systems, options = prepared(name, tmp_path)
    told = []
    for pieces, jobs in ((1, 1), (many, 2 if many == 4 and name in TO_PROCESSES else 1)):
        monkeypatch.setattr(shards, "TEXT", size_for(pieces, gold))
        assert len(shards.find_shards(gold, systems)) == pieces
        told.append(assay.compare(gold, systems, jobs=jobs, **options))
    assert told[1].to_json() == told[0].to_json()


def test_weightings_of_categories_are_swept_over_shards(tmp_path, monkeypatch):
    """Labels come in another order in each file, and systems err in other categories."""
    rng = Random(1)
    for side in ("gold", "a", "b"):
        (tmp_path / side).mkdir()
    for number in range(4):
        rows = {side: [] for side in ("gold", "a", "b")}
        for word in range(1, 40):
            tag = [rng.choice(("NOUN", "ADJ")), rng.choice(("Nom", "Acc")), rng.choice(("Sing", "Plur"))]
            for side, wrong in (("gold", 3), ("a", 1), ("b", 2)):
                upos, case, grammatical = (
                    rng.choice((one, "Voc")) if place == wrong else one for place, one in enumerate(tag)
                )
                feats = f"Case={case}|Number={grammatical}"
                rows[side].append(f"{word}\tw\t_\t{upos}\t_\t{feats}\t_\t_\t_\t_\n")
        for side, lines in rows.items():
            (tmp_path / side / f"{number}.conllu").write_text("".join(lines) + "\n")
    told = []
    for size in (1 << 40, 1):
        monkeypatch.setattr(shards, "TEXT", size)
        systems = {side: str(tmp_path / side) for side in "ab"}
        told.append(assay.compare(str(tmp_path / "gold"), systems, "pa", tagset="ud", sweep=20, times=20))
    (sweep,) = told[0].sweeps
    assert sweep.low < sweep.high
    assert told[1].to_json() == told[0].to_json()


def test_sentences_that_are_left_out_are_counted_over_shards(tmp_path, monkeypatch):
    gold, systems, options = prepared("a shard of other words", tmp_path)
    monkeypatch.setattr(shards, "TEXT", 1)
    result = assay.compare(gold, systems, **options)
    assert (result.gold.sentences, result.about.units) == (48, 25)
    assert "23 of 48 sentences were left out, because their texts differ." in result.warnings


@pytest.mark.parametrize(
    ("files", "options", "edit", "fact"),
    [
        (ENGLISH, {}, other_tokens, "have no sentence in common"),
        (TREES, {"task": "dependencies"}, other_tokens, "have no sentence in common"),
        (NAMES, {}, other_words, "have no sentence in common"),
        (CHAINS, {}, other_words, "no document has the same words in all files."),
    ],
)
def test_a_corpus_with_nothing_left_is_refused(files, options, edit, fact, tmp_path, monkeypatch):
    gold, systems = folders(tmp_path, *files, pieces=4)
    for path in Path(systems[Path(files[2][0]).stem]).iterdir():
        path.write_text(edit(path.read_text("utf-8")), "utf-8")
    monkeypatch.setattr(shards, "TEXT", 1)
    assert fact in refusal(assay.compare, gold, systems, on_mismatch="skip", times=10, **options)


def test_a_comment_that_no_shard_has_is_refused(tmp_path, monkeypatch):
    gold, systems = folders(tmp_path, *ENGLISH, pieces=4)
    monkeypatch.setattr(shards, "TEXT", 1)
    message = refusal(assay.compare, gold, systems, slices="meta:nothing", times=10)
    assert message == f"--slice meta:nothing: {gold} has no comment `# nothing = …`."


def test_the_first_shard_tells_which_column_holds_tags(tmp_path, monkeypatch):
    plain, doubtful = "Anna\tNNP\tB-PER\nran\tVBD\tO\n", "New\tO\tB-LOC\nYork\tO\tI-LOC\n"
    for side in ("gold", "system"):
        (tmp_path / side).mkdir()
        for number, text in enumerate((plain, doubtful)):
            (tmp_path / side / f"{number}.tsv").write_text(text)
    gold, systems = str(tmp_path / "gold"), {"s": str(tmp_path / "system")}
    told = []
    for size in (1 << 20, 1):
        monkeypatch.setattr(shards, "TEXT", size)
        told.append(assay.score(gold, systems, times=10))
    assert told[0].to_json() == told[1].to_json()
    assert "gold: words are read from column 1, labels from column 3. The same applies to s." in told[0].notes
