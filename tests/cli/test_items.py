"""Gates, data sets, runs, folders, parts and agreement on tables of items, as a user types them."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest

from assay.cli import run
from assay.demo import FOLDER
from assay.engine import run as shards

SYSTEMS = ("keywords", "learned")
DIGITS = ("scores", "counts", "comparisons", "diffs", "bounds", "curves", "calibrations", "thresholds")


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The messages of the demo, and in `parts/` the same rows in four files for each."""
    for path in (FOLDER / "messages").glob("*.csv"):
        shutil.copy(path, tmp_path)
        header, *rows = csv.reader(path.read_text("utf-8").splitlines())
        if not path.stem.startswith("dev-"):
            for part in range(4):
                target = tmp_path / "parts" / path.stem / f"{part}.csv"
                target.parent.mkdir(parents=True, exist_ok=True)
                with target.open("w", newline="", encoding="utf-8") as stream:
                    csv.writer(stream).writerows([header, *rows[25 * part : 25 * part + 25]])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(words: list[str]) -> object:
    """The exit code of a command."""
    with pytest.raises(SystemExit) as ended:
        run(words)
    return ended.value.code or 0


def digits(path: str) -> dict[str, object]:
    result = json.loads(Path(path).read_text("utf-8"))
    return {name: result[name] for name in DIGITS}


def test_gates_look_at_the_direction_of_a_measure(tables, capsys):
    assert call(["score", "gold.csv", "learned.csv", "--fail-under", "accuracy=0.8", "-o", "old.json"]) == 1
    assert "accuracy of learned is 0.7700, below 0.8." in capsys.readouterr().err
    assert call(["score", "gold.csv", "learned=keywords.csv", "--fail-if-worse", "old.json"]) == 1
    assert "accuracy of learned is 0.6200, worse than 0.7700" in capsys.readouterr().err
    assert call(["score", "gold.csv", "learned.csv", "-m", "brier", "--fail-over", "brier=0.2"]) == 1
    assert call(["score", "gold.csv", "learned.csv", "-m", "brier", "--fail-under", "brier=0.2"]) == 2


def test_folders_processes_and_parts_have_the_digits_of_one_file(tables, monkeypatch, capsys):
    monkeypatch.setattr(shards, "TEXT", 2_500)
    more = [
        "-m",
        "accuracy",
        "-m",
        "auc",
        *(f"--slice={name}" for name in ("meta:channel", "confidence", "systems-right")),
    ]
    folders = ["parts/gold", *(f"{name}=parts/{name}" for name in SYSTEMS), *more]
    assert call(["compare", "gold.csv", *(f"{name}.csv" for name in SYSTEMS), *more, "-o", "one.json"]) == 0
    assert call(["compare", *folders, "-o", "folders.json"]) == 0
    for part in (1, 2):
        assert call(["compare", *folders, "--shard", f"{part}/2", "--partial", f"part-{part}.json"]) == 0
    assert call(["merge", "part-1.json", "part-2.json", "-o", "merged.json"]) == 0
    assert digits("one.json") == digits("folders.json") == digits("merged.json")
    assert call(["compare", *folders, "--slice", "text-length"]) == 2
    assert "--slice text-length: quarters need all items, but files are read separately" in capsys.readouterr().err


def test_items_of_several_data_sets_and_runs_are_compared(tables, capsys):
    data = ["--data", "test=gold.csv", "--data", "dev=dev-gold.csv"]
    for name in SYSTEMS:
        shutil.copy(f"{name}.csv", f"{name}-test.csv")
        shutil.copy(f"dev-{name}.csv", f"{name}-dev.csv")
    assert call(["compare", *data, *(f"{name}={name}-{{data}}.csv" for name in SYSTEMS)]) == 0
    assert "learned is 11.67 points better than keywords on accuracy, averaged" in capsys.readouterr().out
    Path("again.csv").write_text(Path("learned.csv").read_text("utf-8").replace("m010,", "m010,x", 1), "utf-8")
    assert call(["compare", "gold.csv", "keywords.csv", "learned=learned.csv,again.csv", "-m", "accuracy"]) == 0


def test_annotators_of_items_need_no_gold(tables, capsys):
    assert call(["agreement", "keywords.csv", "learned.csv", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["about"]["task"] == "items"


def test_any_of_several_labels_of_gold_is_right(tables, capsys):
    rows = Path("gold.csv").read_text("utf-8").replace("4.50,billing", "4.50,product|billing")
    Path("several.csv").write_text(rows, "utf-8")
    more = ["--alternatives", "|", "--format", "json"]
    assert call(["compare", "several.csv", "keywords.csv", "learned.csv", *more]) == 0
    scores = json.loads(capsys.readouterr().out)["scores"]
    assert [round(row["value"], 2) for row in scores if row["measure"] == "accuracy" and row["main"]] == [0.63, 0.77]


def test_agreement_on_items_is_sliced_by_metadata(tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["agreement", "gold.csv", "keywords.csv", "learned.csv", "--slice", "meta:channel", "--format", "json"]
    assert call(words) == 0
    rows = json.loads(capsys.readouterr().out)["scores"]
    assert {row["slice"] for row in rows} > {None, "meta:channel=chat"}


def test_examples_of_two_annotators_of_trees_show_the_second_ones_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("Ada", "left", "Rome")
    for name, relation in (("anna", "obj"), ("ben", "obl")):
        arcs = ((2, "nsubj"), (0, "root"), (2, relation))
        numbered = enumerate(zip(words, arcs, strict=True), 1)
        lines = [f"{n}\t{word}\t_\t_\t_\t_\t{head}\t{own}\t_\t_\n" for n, (word, (head, own)) in numbered]
        Path(f"{name}.conllu").write_text("".join(lines) + "\n", encoding="utf-8")
    files = ["anna.conllu", "ben.conllu"]
    assert call(["agreement", *files, "--task", "dependencies", "-m", "las", "--examples", "1"]) == 0
    assert "Rome[obj → obl]" in capsys.readouterr().out
