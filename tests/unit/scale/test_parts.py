"""However folders are cut into shards, and whoever measures them, the Result is the same to the last digit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import assay
from assay.engine import run
from assay.engine import run as shards
from assay.engine.counts import BLOCKS, Counts, DistinctRows, JointCounts
from assay.engine.measure import find
from assay.engine.options import Options
from assay.engine.parts import DOCUMENTS, MOST_DOCUMENTS
from assay.engine.warnings import format_warnings, merge_remarks, remark
from assay.scale.partfiles import merge_files, to_json
from assay.scale.run import part_of
from pieces import folders, size_for
from unit.samples import conllu, refusal, tagged, tsv

ENGLISH = ("crfsuite.conllu", "hanta.conllu", "udpipe.conllu")
TREES = ("arc-eager.conllu", "arc-hybrid.conllu")
CHAINS = ("mention-pair.jsonl", "pronoun-rules.conll", "string-match.conll")
NAMES = ("rules.tsv", "spacy.tsv")
BRACKETS = ("pcfg-1.mrg", "pcfg-2.mrg")

RUNS = {
    "tags": (
        ("english", "gold.conllu", ENGLISH),
        {"measures": ["accuracy", "tag-f1", "sentence-accuracy"], "slices": ("sentence-length", "label", "document")},
    ),
    "tags, bca": (
        ("english", "gold.conllu", ENGLISH[:2]),
        {"measures": ["accuracy", "tag-f1"], "column": "XPOS", "interval": "bca"},
    ),
    "tags by documents, wilson": (
        ("english", "gold.conllu", ENGLISH),
        {"measures": ["accuracy"], "unit": "document", "interval": "wilson"},
    ),
    "rich tags": (
        ("english", "gold.conllu", ENGLISH[:2]),
        {"measures": ["features", "pa", "wpa"], "column": "XPOS", "tagset": "ptb", "weights": "equal"},
    ),
    "spans": (
        ("entities", "gold.tsv", NAMES),
        {"measures": ["exact", "fair", "semeval"], "slices": ("span-length",)},
    ),
    "dependencies": (
        ("trees", "gold.conllu", TREES),
        {
            "measures": ["las", "uas", "clas", "mlas", "blex", "tree-match", "relation-f1", "tokens"],
            "slices": ("distance", "sentence-length", "depth", "projectivity", "label"),
        },
    ),
    "constituents": (("trees", "gold.mrg", BRACKETS), {"measures": None, "slices": ("span-length",)}),
    "coreference": (("coreference", "key.conll", CHAINS), {"measures": None, "slices": ("label",)}),
    "two criteria": (("coreference", "key.conll", CHAINS), {"measures": ["arcs-any", "arcs-nom"]}),
}


@pytest.mark.parametrize("name", RUNS)
def test_one_two_and_four_shards_give_the_same_result(name, tmp_path, monkeypatch):
    files, options = RUNS[name]
    gold, systems = folders(tmp_path, *files, pieces=4)
    results = []
    # Two shards only where it takes little time.
    for number in (1, 2, 4) if name == "tags" else (1, 4):
        monkeypatch.setattr(shards, "TEXT", size_for(number, gold))
        assert len(shards.find_shards(gold, systems)) == number
        results.append(assay.compare(gold, systems, **options, times=50, examples=3, power=None).to_json())
    assert len(set(results)) == 1


def many(sentences: int, seed: int) -> list[list[tuple[str, str]]]:
    """Sentences of many lengths, so that their counts are distinct."""
    rng = np.random.default_rng(seed)
    return [
        [(f"w{word}", "XYZ"[word % 3]) for word in rng.integers(0, 90, size=size)]
        for size in rng.integers(1, 30, size=sentences)
    ]


def test_blocks_of_very_many_units_are_the_same_over_shards(tmp_path, monkeypatch):
    texts = many(3 * BLOCKS, 1)
    rng = np.random.default_rng(2)
    for side, wrong in (("gold", 0.0), ("a", 0.1), ("b", 0.2)):
        (tmp_path / side).mkdir()
        drawn = [[(w, "U" if rng.random() < wrong else t) for w, t in sentence] for sentence in texts]
        for number in range(3):
            (tmp_path / side / f"{number}.tsv").write_text(tsv(*drawn[number * BLOCKS : (number + 1) * BLOCKS]))
    given = str(tmp_path / "gold"), {name: str(tmp_path / name) for name in "ab"}
    results = []
    for size in (1 << 40, 1):
        monkeypatch.setattr(shards, "TEXT", size)
        results.append(assay.compare(*given, ["accuracy", "tag-f1"], times=100, interval="bca"))
    assert results[0].to_json() == results[1].to_json()
    assert any("blocks" in note for note in results[0].notes)


def test_shards_with_other_tokens_make_all_be_read_by_characters(tmp_path, monkeypatch):
    plain = "Ann\tB-PER\nsang\tO\n\n"
    for side, second in (("gold", "New York\tB-LOC\n\n"), ("s", "New\tB-LOC\nYork\tI-LOC\n\n")):
        (tmp_path / side).mkdir()
        (tmp_path / side / "1.tsv").write_text(plain * 3)
        (tmp_path / side / "2.tsv").write_text(second + plain)
    results = []
    for size in (1 << 40, 1):
        monkeypatch.setattr(shards, "TEXT", size)
        results.append(assay.score(str(tmp_path / "gold"), {"s": str(tmp_path / "s")}, task="spans", times=50))
    assert results[0].about.atoms == "characters"
    assert results[1].to_json() == results[0].to_json()


def test_a_file_that_is_not_the_same_when_all_are_read_again_is_refused(tmp_path, monkeypatch):
    plain = "Ann\tB-PER\nsang\tO\n\n"
    for side, second in (("gold", "New York\tB-LOC\n\n"), ("s", "New\tB-LOC\nYork\tI-LOC\n\n")):
        (tmp_path / side).mkdir()
        (tmp_path / side / "1.tsv").write_text(plain)
        (tmp_path / side / "2.tsv").write_text(second)
    monkeypatch.setattr(shards, "TEXT", 1)
    measure = run.add_shards

    def measured_and_changed(*arguments):
        whole = measure(*arguments)
        (tmp_path / "s" / "1.tsv").write_text("Ann\tO\nsang\tO\n\n")
        return whole

    monkeypatch.setattr(run, "add_shards", measured_and_changed)
    message = refusal(assay.score, str(tmp_path / "gold"), str(tmp_path / "s"), task="spans", times=20)
    assert message == f"{tmp_path / 's' / '1.tsv'}: changed while it was read. Run again when it is complete."


def test_a_column_that_is_empty_in_one_shard_is_not_empty(tmp_path, monkeypatch):
    for side in ("gold", "s"):
        (tmp_path / side).mkdir()
        first = conllu([("a", "_"), ("b", "_")]) if side == "s" else conllu(tagged("a/X b/Y"))
        (tmp_path / side / "1.conllu").write_text(first)
        (tmp_path / side / "2.conllu").write_text(conllu(tagged("a/X b/X")))
    given = str(tmp_path / "gold"), {"s": str(tmp_path / "s")}
    results = []
    for size in (1 << 40, 1):
        monkeypatch.setattr(shards, "TEXT", size)
        results.append(assay.score(*given, "accuracy", column="UPOS", times=50))
    assert results[1].to_json() == results[0].to_json()


@pytest.mark.parametrize(
    ("options", "fact"),
    [
        ({"slices": ("frequency",)}, "--slice frequency counts the words of all files"),
        ({"task": "spans", "gold_errors": "x"}, "--gold-errors works on one file"),
    ],
)
def test_what_needs_all_of_a_corpus_at_once_is_refused(options, fact, tmp_path, monkeypatch):
    gold, systems = folders(tmp_path, "english", "gold.conllu", ENGLISH[:2], pieces=4)
    monkeypatch.setattr(shards, "TEXT", 1)
    text = refusal(assay.score, gold, systems, **options)
    assert text.startswith(fact)
    assert "(4 shards)" in text


def test_a_shard_in_another_format_is_refused_with_its_file(tmp_path, monkeypatch):
    gold, systems = folders(tmp_path, "english", "gold.conllu", ENGLISH[:1], pieces=4)
    Path(systems["crfsuite"], "piece-2.conllu").write_text("The/DT end/NN\n")
    monkeypatch.setattr(shards, "TEXT", 1)
    text = refusal(assay.score, gold, systems, "accuracy", times=10)
    assert text.endswith(
        "piece-2.conllu: looks like slash, but the first files look like conllu. Name it with --input-format."
    )


def test_parts_of_other_runs_missing_parts_and_damaged_ones_are_refused(tmp_path, monkeypatch):
    gold, systems = folders(tmp_path, "english", "gold.conllu", ENGLISH[:1], pieces=4)
    monkeypatch.setattr(shards, "TEXT", 1)
    paths = []
    for job, seed in (("1/2", 0), ("2/2", 0), ("2/2", 1)):
        part = part_of("score", gold, systems, ["accuracy"], Options(times=10, seed=seed), job)
        paths.append(str(tmp_path / f"part-{len(paths)}.json"))
        Path(paths[-1]).write_text(to_json(part), "utf-8")
    assert refusal(merge_files, paths[:1]) == "2 of 4 shards are missing (3, 4). Give all parts."
    assert "does not belong to the same run as" in refusal(merge_files, [paths[0], paths[2]])
    assert "shard 1 is also in" in refusal(merge_files, [paths[0], paths[0], paths[1]])
    Path(paths[0]).write_text(Path(paths[0]).read_text("utf-8").replace('"Part"', '"Prat"'), "utf-8")
    assert refusal(merge_files, paths[:2]) == (
        f"{paths[0]}: this part is damaged (wrong checksum). Copy it again, or make it again."
    )
    assert "not a part" in refusal(merge_files, [gold + "/piece-0.conllu"])


def test_folders_whose_files_do_not_correspond_are_refused_as_before(tmp_path, monkeypatch):
    gold, systems = folders(tmp_path, "english", "gold.conllu", ENGLISH[:1], pieces=4)
    Path(systems["crfsuite"], "piece-2.conllu").unlink()
    monkeypatch.setattr(shards, "TEXT", 1)
    assert "lacks piece-2" in refusal(assay.score, gold, systems, "accuracy")
    assert "Give such folders." in refusal(part_of, "score", gold, systems, None, Options())


def test_a_share_is_a_stretch_of_the_shards(tmp_path, monkeypatch):
    gold, systems = folders(tmp_path, "english", "gold.conllu", ENGLISH[:1], pieces=4)
    monkeypatch.setattr(shards, "TEXT", 1)
    found = shards.find_shards(gold, systems)
    jobs = [[shard.number for shard in shards.job_shards(found, f"{job}/3")] for job in (1, 2, 3)]
    assert jobs == [[0], [1], [2, 3]]
    assert refusal(shards.job_shards, found, "1/5") == (
        "--shard 1/5: there are only 4 shards, because small files are read together. Use at most 4 jobs."
    )
    assert refusal(shards.job_shards, found, "0/2").startswith("--shard 0/2: write which of how many jobs")
    assert refusal(shards.job_shards, found, "²/3").startswith("--shard ²/3: write which of how many jobs")


def test_collapsed_rows_add_up():
    rows = np.array([[1, 2], [3, 4]])
    both = DistinctRows(rows, np.array([2, 1])) + DistinctRows(rows[1:], np.array([5]))
    assert both.rows.tolist() == rows.tolist()
    assert both.sizes.tolist() == [2, 6]


@remark
def sample(name: str, number: int, throughout: bool, places: list[str]):
    """Facts of every kind."""
    yield f"{name} {number} {throughout} {places}"


def test_remarks_with_the_same_texts_are_added_up():
    facts = [
        sample(name="a", number=1, throughout=True, places=["x"]),
        sample(name="b", number=7, throughout=True, places=[]),
        sample(name="a", number=2, throughout=False, places=["y"]),
    ]
    assert format_warnings(merge_remarks(facts[:2], facts[2:])) == ("a 3 False ['x', 'y']", "b 7 True []")


def test_what_only_a_later_shard_remarks_stands_where_it_stands_there():
    names = [["a", "c"], ["a", "b", "c", "d"]]
    remarks = [[sample(name=name, number=1, throughout=True, places=[]) for name in some] for some in names]
    assert [one.facts["name"] for one in merge_remarks(*remarks)] == ["a", "b", "c", "d"]


def test_parts_measured_with_another_content_of_a_file_are_not_of_one_run(file, monkeypatch):
    monkeypatch.setattr(shards, "TEXT", 1)
    for side in ("gold", "sys"):
        for name in "ab":
            file(f"{side}/{name}.tsv", "a\tX\nb\tY\n")
    parts = []
    for number, rule in enumerate(("X\tZ\n", "Y\tZ\n"), 1):
        part = part_of("score", "gold", "sys", ["accuracy"], Options(map=file("m", rule), times=2), f"{number}/2")
        parts.append(file(f"part-{number}.json", to_json(part)))
    assert refusal(merge_files, parts).startswith("part-2.json: does not belong to the same run as part-1.json")


def test_units_without_a_value_add_no_counts_by_label() -> None:
    """A slice by item that a later shard does not have: its units are there, and nothing in them."""
    rows = np.array([[1, 2, 2], [3, 4, 4]])
    label = np.array([0, 1], dtype=np.int32)
    counts = Counts(("right", "gold", "system"), 2, np.array([0, 1]), rows, ("A", "B"), label)
    tallies = JointCounts.of([("x", counts)], find("tag-f1").fields_read, lambda: np.arange(2), alone=False)
    both = tallies + tallies.with_nothing(tallies)
    assert both.units == 4
    assert both.wide()[0].sum(axis=0).tolist() == tallies.wide()[0].sum(axis=0).tolist() == [1, 2, 2, 3, 4, 4]


def test_documents_of_shards_are_rows_of_sums_and_no_more_than_are_listed(tmp_path, monkeypatch):
    texts = many(2 * (MOST_DOCUMENTS // 2 + 1), 2)
    for side in "gab":
        (tmp_path / side).mkdir()
        for number in range(2):
            own = texts[number * len(texts) // 2 : (number + 1) * len(texts) // 2]
            wrong = {"g": "", "a": "X", "b": "Y"}[side]
            documents = [
                f"# newdoc id = d{number}-{place}\n" + conllu(*[[(form, wrong or tag) for form, tag in sentence]] * 2)
                for place, sentence in enumerate(own)
            ]
            (tmp_path / side / f"{number}.conllu").write_text("".join(documents), encoding="utf-8")
    monkeypatch.setattr(shards, "TEXT", 1)
    parts = []
    monkeypatch.setattr(shards, "make_result", lambda part, settings: parts.append(part))
    assay.compare(str(tmp_path / "g"), {name: str(tmp_path / name) for name in "ab"}, ["accuracy"])
    changed = parts[0].changed[0, DOCUMENTS]
    assert len(changed.names) == MOST_DOCUMENTS + 1 < len(texts)
    assert [len(one.unit) for one in changed.named] == [len(changed.names)]
