"""Runs: what is due, what is kept, what fails, what is measured."""

from __future__ import annotations

import csv
import io
import json
import math
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from assay.experiment import ExperimentProgress, export, export_pairs, import_measurements, run, status
from assay.experiment.job import CommandError, Job, StoppedError, run_command
from assay.experiment.store import Outcome
from unit.experiment.plans import COPY, corpus, plan
from unit.samples import refusal

File = Callable[[str, str | bytes], str]
Step = tuple[Sequence[Job], int, Outcome | None]


@pytest.fixture
def data(file: File) -> str:
    return file("gold.conllu", corpus(12))


def done(path: str = "x.toml", **options: object) -> tuple[ExperimentProgress, list[Step]]:
    """What came of it, and the steps reported."""
    steps: list[Step] = []
    return run(path, report=lambda *step: steps.append(step), **options), steps  # type: ignore[arg-type]


def due(steps: list[Step]) -> list[str]:
    return [f"{one.run}: {one.why}" for one in steps[0][0]]


def rows(path: str = "x.toml") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(export(path))))


def test_every_run_is_trained_tested_and_measured(file: File, data: str) -> None:
    train = "wc -l {train} {dev}"
    system = {"train": train, "predict": "cp {test} {output}", "blind": False}
    file("x.toml", plan({"copy": system}, folds=4, dev=True, measures=["accuracy", "sentence-accuracy"]))
    progress, steps = done()
    assert [progress.count(what) for what in ("runs", "done", "failed", "due")] == [4, 4, 0, 0]
    assert due(steps)[0] == "news copy r01-f01: new"
    assert rows()[0] == {
        **{"dataset": "news", "system": "copy", "repetition": "1", "fold": "1", "measure": "accuracy"},
        **{"value": "1.0", "numerator": "15", "denominator": "15", "n_train": "6", "n_test": "3"},
    }
    folder = Path("x-runs/news/copy/r01-f01")
    assert sorted(path.name for path in folder.iterdir()) == [
        *("commands.txt", "predict.log", "predictions.conllu", "run.json", "train.log")
    ]
    assert "train.conllu" in (folder / "train.log").read_text()
    summary = json.loads((folder / "run.json").read_text())
    assert summary["sentences"] == {"train": 6, "dev": 3, "test": 3}
    assert summary["predict"]["memory"] > 0
    assert done()[1][0][0] == []


def test_unseen_words_are_those_of_the_runs_own_training_part(file: File, data: str) -> None:
    # Each sentence has one word of its own, which no training part of the others holds.
    file("x.toml", plan(measures=["oov-accuracy"]))
    done()
    assert [(row["numerator"], row["denominator"]) for row in rows()] == [("4", "4")] * 3


def test_a_measure_without_items_is_undefined(file: File) -> None:
    text = "".join("1\tthe\t_\t_\tDT\t_\t_\t_\t_\t_\n2\tend\t_\t_\tNN\t_\t_\t_\t_\t_\n\n" for _ in range(6))
    file("gold.conllu", text)
    file("x.toml", plan(measures=["oov-accuracy", "accuracy"]))
    done()
    assert [row["value"] for row in rows()] == ["nan", "1.0"] * 3
    assert rows()[0]["denominator"] in ("", "0")


def test_another_score_of_a_measure_can_be_chosen(file: File, data: str) -> None:
    file("x.toml", plan(measures=["tag-f1/macro-f1", "tag-f1/precision", "accuracy"]))
    done()
    assert {row["measure"]: row["value"] for row in rows()} == {
        "tag-f1/macro-f1": "1.0",
        "tag-f1/precision": "1.0",
        "accuracy": "1.0",
    }


def test_predict_does_not_see_gold_unless_it_is_allowed_to(file: File, data: str) -> None:
    file("x.toml", plan({"copy": {"predict": COPY}}, folds=2))
    progress, _ = done()
    assert [one.error for one in progress.failures] == [
        'scoring: predictions.conllu: column XPOS is empty. Choose another with column = "…".'
    ] * 2


def test_what_predict_prints_is_its_output_where_no_file_is_named(file: File, data: str) -> None:
    file("x.toml", plan({"a": {"predict": "cat {test}", "blind": False}}, folds=2))
    assert done()[0].count("done") == 2


def test_paths_with_spaces_and_the_shell_work(file: File) -> None:
    Path("a folder").mkdir()
    file("a folder/gold.conllu", corpus(6))
    systems = {
        "plain": {"predict": COPY, "blind": False},
        "shell": {"predict": "cat {test} | cat > {output}", "blind": False, "shell": True},
    }
    file("a folder/x.toml", plan(systems, folds=2))
    assert done("a folder/x.toml")[0].count("done") == 4


def test_programs_beside_the_experiment_and_variables_are_found(file: File, data: str) -> None:
    script = Path(file("tag.sh", '#!/bin/sh\ntest "$MODE" = fast && test "$2" = beside && cat "$1"\n'))
    script.chmod(0o755)
    system = {"predict": "./tag.sh {test} beside", "blind": False}
    file("x.toml", plan({"a": system}, folds=2) + '[systems.a.environment]\nMODE = "fast"\n')
    assert done()[0].count("done") == 2


def test_all_systems_get_the_same_seed_and_each_run_another(file: File, data: str) -> None:
    systems = {name: {"predict": "sh -c 'echo {seed} >&2; cat {test}'", "blind": False} for name in ("a", "b")}
    file("x.toml", plan(systems))
    done()
    logs = {path.parts[2:4]: path.read_text() for path in Path("x-runs").rglob("predict.log")}
    assert len(set(logs.values())) == 3
    assert all(logs["a", fold] == logs["b", fold] for _, fold in logs)


# --- what is due ---


def test_failed_runs_are_shown_with_their_log_and_retried_on_request(file: File, data: str) -> None:
    file("tag.sh", "echo no model >&2; exit 3")
    file("x.toml", plan({"a": {"predict": "sh {here}/tag.sh {test}", "blind": False}}, folds=2))
    progress, _ = done()
    assert [one.error for one in progress.failures] == ["predict: ended with exit code 3.\nno model"] * 2
    assert [path.name for path in Path("x-runs/news/a/r01-f01/parts").iterdir()] == ["test.conllu"]
    assert rows() == []
    file("tag.sh", 'cat "$1"')
    assert due(done()[1]) == []
    progress, steps = done(retry=True)
    assert due(steps)[0] == "news a r01-f01: failed before"
    assert (progress.count("done"), progress.failures) == (2, ())


def test_only_what_a_change_affects_is_run_anew(file: File, data: str) -> None:
    systems = {"a": {"predict": COPY, "blind": False}, "b": {"predict": COPY, "blind": False}}
    file("x.toml", plan(systems))
    done()
    systems["b"] = {"predict": "cp -f {test} {output}", "blind": False}
    file("x.toml", plan(systems))
    assert status("x.toml").reasons == {"changed: predict": 3}
    assert due(done()[1]) == [f"news b r01-f0{fold}: changed: predict" for fold in (1, 2, 3)]
    file("x.toml", plan(systems, seed=1))
    assert {line.partition(": ")[2] for line in due(done()[1])} == {"changed: split"}
    file("x.toml", plan(systems, seed=1, repetitions=2))
    assert [line.split()[2] for line in due(done()[1])[::2]] == ["r02-f01:", "r02-f02:", "r02-f03:"]
    file("gold.conllu", corpus(13))
    assert {line.partition(": ")[2] for line in due(done()[1])} == {"changed: data"}
    assert len(rows()) == 12


def test_other_measures_score_the_kept_predictions(file: File, data: str) -> None:
    system = {"a": {"predict": "sh -c 'date +%N >&2; cat {test}'", "blind": False}}
    file("x.toml", plan(system))
    done()
    log = Path("x-runs/news/a/r01-f01/predict.log").read_text()
    before = status("x.toml")
    file("x.toml", plan(system, measures=["sentence-accuracy", "accuracy"]))
    progress, steps = done()
    assert due(steps) == [f"news a r01-f0{fold}: to be scored again" for fold in (1, 2, 3)]
    assert Path("x-runs/news/a/r01-f01/predict.log").read_text() == log
    assert [row["measure"] for row in rows()] == ["sentence-accuracy", "accuracy"] * 3
    assert progress.rows[0].seconds == before.rows[0].seconds
    assert due(done(rescore=True)[1]) == due(steps)
    shutil.rmtree("x-runs/news/a/r01-f02")
    assert due(done(rescore=True)[1])[1] == "news a r01-f02: predictions are gone"


def test_a_wrong_column_can_be_put_right_without_running_anew(file: File, data: str) -> None:
    blind = {"a": {"predict": "sed s/SpaceAfter=No/_/ {test}"}}
    file("x.toml", plan(blind, news={"keep": ["XPOS"], "column": "UPOS"}))
    assert len(done()[0].failures) == 3
    file("x.toml", plan(blind, news={"keep": ["XPOS"], "column": "XPOS"}))
    progress, steps = done()
    assert due(steps)[0] == "news a r01-f01: to be scored again"
    assert progress.count("done") == 3


def test_runs_that_the_file_no_longer_names_are_kept_but_not_exported(file: File, data: str) -> None:
    systems = {"a": {"predict": COPY, "blind": False}, "b": {"predict": COPY, "blind": False}}
    file("x.toml", plan(systems))
    done()
    file("x.toml", plan({"a": systems["a"]}))
    assert status("x.toml").others == 3
    assert {row["system"] for row in rows()} == {"a"}
    file("x.toml", plan(systems))
    assert due(done()[1]) == []


def test_predictions_made_elsewhere_are_scored(file: File, data: str) -> None:
    file("x.toml", plan(folds=2))
    done()
    for fold in (1, 2):
        shutil.copy(f"x-runs/news/copy/r01-f0{fold}/predictions.conllu", f"out-1-{fold}.conllu")
    file("y.toml", plan({"other": {"predictions": "out-{repetition}-{fold}.conllu"}}, folds=2))
    assert done("y.toml")[0].count("done") == 2
    assert [row["value"] for row in rows("y.toml")] == ["1.0", "1.0"]
    file("out-1-2.conllu", Path("out-1-1.conllu").read_bytes())
    progress, steps = done("y.toml")
    assert due(steps) == ["news other r01-f02: changed: predictions"]
    assert progress.failures[0].error.startswith("scoring: predictions.conllu:3: ")


# --- what goes wrong ---


def test_predictions_with_other_words_fail(file: File, data: str) -> None:
    file("x.toml", plan({"a": {"predict": "sed 's/\\tw\\([0-9]\\)/\\tx\\1/' {test}", "blind": False}}, folds=2))
    error = done()[0].failures[0].error
    assert error == (
        "scoring: predictions.conllu:7: 'x4', but parts/test.conllu:7 has 'w4'; none of gold's 6 sentences agree, so "
        "the files do not seem to belong together. Give the system's output for parts/test.conllu."
    )


def test_other_tokens_are_refused_unless_systems_may_cut_words(file: File) -> None:
    file(
        "gold.conllu",
        "".join(f"1\tab\t_\t_\tX\t_\t_\t_\t_\t_\n2\tc{n}\t_\t_\tX\t_\t_\t_\t_\t_\n\n" for n in range(4)),
    )
    joined = "sh -c 'sed -n \"s/^1\\tab/1\\ta/p;s/^2\\tc/2\\tbc/p;/^$/p\" {test}'"
    systems = {"a": {"predict": joined, "blind": False}}
    file("x.toml", plan(systems, folds=2))
    error = done()[0].failures[0].error
    assert "the predictions have different words from the test part; the first is 'a', but gold has 'ab'" in error
    file("x.toml", plan(systems, folds=2, news={"own_tokens": True}))
    assert done()[0].count("done") == 2


@pytest.mark.parametrize(
    ("predict", "error"),
    [
        ("true {output}", "predict: wrote no file predictions.conllu. It should write its predictions to {output}."),
        ("true", "scoring: predictions.conllu: the file is empty."),
        ("sh -c 'kill -9 $$'", "predict: was ended by signal 9 (killed, perhaps for lack of memory)."),
        ("sh -c 'sleep 60 & sleep 60'", "predict: took longer than its time limit of 0.3 s."),
        ("{workdir}/none", "predict: "),
    ],
)
def test_whatever_a_system_does_the_experiment_goes_on(file: File, data: str, predict: str, error: str) -> None:
    # What ends by itself may take its time where the machine is busy.
    limit = 0.3 if "sleep" in predict else 60
    file("x.toml", plan({"a": {"predict": predict, "time_limit": limit}}, folds=2))
    progress, _ = done()
    assert [one.error.startswith(error) for one in progress.failures] == [True, True]


def test_commands_leave_nothing_running(tmp_path: Path) -> None:
    log = tmp_path / "log"
    run_command(["sh", "-c", "sleep 300 & echo $!"], tmp_path, log)
    assert _ends(int(log.read_text()))
    with pytest.raises(StoppedError):
        run_command(["sh", "-c", "echo $$; sleep 300"], tmp_path, log, lambda: True)
    assert _ends(int(log.read_text().split()[-1]))


def _ends(pid: int) -> bool:
    """Whether a process is gone after a moment; it may be that nobody has asked yet what came of it."""
    for _ in range(200):
        stat = Path(f"/proc/{pid}/stat")
        if not stat.exists() or " Z " in stat.read_text():
            return True
        time.sleep(0.02)
    return False


def test_time_and_memory_are_those_of_the_command(tmp_path: Path) -> None:
    script = "x = bytearray(60_000_000); s = sum(range(2_000_000))"
    used = run_command([sys.executable, "-c", script], tmp_path, tmp_path / "log")
    assert 60e6 < used.memory < 200e6
    assert 0 < used.cpu < 60 and used.seconds > 0
    small = run_command(["true"], tmp_path, tmp_path / "log")
    # Not below what the guard itself takes, but far from what this process does.
    assert small.memory < 30e6


def test_a_program_that_cannot_be_run_is_an_error_not_a_crash(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="none: cannot be run"):
        run_command(["./none"], tmp_path, tmp_path / "log")


def test_data_that_change_under_way_are_noticed(file: File, data: str) -> None:
    change = "sh -c 'echo >> {here}/gold.conllu; cat {test}'"
    file("x.toml", plan({"a": {"predict": change, "blind": False}}, folds=2))
    assert done()[0].count("done") == 2
    assert status("x.toml").reasons == {"changed: data": 2}


# --- elsewhere ---


def test_measurements_made_elsewhere_are_exported_beside_ours(file: File, data: str) -> None:
    file("x.toml", plan(folds=2))
    done()
    header = "dataset,system,repetition,fold,measure,value,numerator,denominator,n_train,n_test\n"
    file("more.csv", header + "news,other,1,1,accuracy,0.5,10,20,6,6\nnews,other,1,2,accuracy,nan,,,,\n")
    assert import_measurements("x.toml", "more.csv") == 2
    assert [row["system"] for row in rows()] == ["copy", "copy", "other", "other"]
    assert rows()[3]["value"] == "nan"
    assert status("x.toml").imported == 2
    assert "the store already has accuracy of news other r01-f01" in refusal(
        import_measurements, "x.toml", "more.csv"
    )
    file("more.tsv", "system\tdataset\tfold\trepetition\tmeasure\tvalue\nother\tnews\t1\t1\tf1\t0.25\n")
    import_measurements("x.toml", "more.tsv")
    assert [(row["measure"], row["value"]) for row in rows()[2:]] == [
        *(("accuracy", "0.5"), ("f1", "0.25"), ("accuracy", "nan"))
    ]
    file("x2.csv", header + "news,other,1,1,accuracy,0.75,15,20,6,6\n")
    import_measurements("x.toml", "x2.csv", replace_old=True)
    assert math.isclose(float(rows()[2]["value"]), 0.75)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n", "t.csv:1: there is no column dataset."),
        ("dataset,system,repetition,fold,measure,value\n", "t.csv: contains no measurements."),
        ("dataset,system,repetition,fold,measure,value,value\n", "t.csv:1: has the column value twice."),
        (
            "dataset,system,repetition,fold,measure,value\nd,s,1,1,m\n",
            "t.csv:2: 5 columns, but the first line has 6.",
        ),
        (
            "dataset,system,repetition,fold,measure,value\nd,s,1,x,m,1\n",
            "t.csv:2: fold should be a whole number, not 'x'.",
        ),
        (
            "dataset,system,repetition,fold,measure,value\nd,s,0,1,m,1\n",
            "t.csv:2: repetitions and folds count from 1.",
        ),
        (
            "dataset,system,repetition,fold,measure,value\nd,s,1,1,m,high\n",
            "t.csv:2: value should be a number, not 'high'.",
        ),
        ("dataset,system,repetition,fold,measure,value\nd,s,1,1,m,inf\n", "t.csv:2: value should be a finite number"),
        ("dataset,system,repetition,fold,measure,value\nd,,1,1,m,1\n", "t.csv:2: system is empty."),
        (
            "dataset,system,repetition,fold,measure,value\nd,s,1,1,m,1\nd,s,1,1,m,1\n",
            "t.csv:3: m of d s r01-f01 is given twice",
        ),
        (
            "dataset,system,repetition,fold,measure,value\nnews,copy,1,1,m,1\n",
            "t.csv: x.toml itself runs copy on news.",
        ),
        ('dataset,system,repetition,fold,measure,value\nd,"s\n', "t.csv:2: not CSV: "),
    ],
)
def test_a_mistake_in_a_table_is_one_line_with_its_place(file: File, data: str, text: str, message: str) -> None:
    file("x.toml", plan())
    assert refusal(import_measurements, "x.toml", file("t.csv", text)).startswith(message)
    assert not Path("x.sqlite").exists() or rows() == []


def test_items_that_only_one_system_has_right_add_up_to_the_difference(file: File, data: str) -> None:
    worse = "sed 's/\\tNN\\t/\\tVB\\t/' {test}"
    mixed = "sed 's/\\tDT\\t/\\tCC\\t/' {test}"
    systems = {name: {"predict": text, "blind": False} for name, text in (("noun", worse), ("article", mixed))}
    file("x.toml", plan(systems, measures=["accuracy", "oov-accuracy", "sentence-accuracy"]))
    done()
    right = {(row["system"], row["fold"], row["measure"]): int(row["numerator"]) for row in rows()}
    pairs = list(csv.DictReader(io.StringIO(export_pairs("x.toml"))))
    assert [row["measure"] for row in pairs] == ["accuracy", "oov-accuracy"] * 3
    for row in pairs:
        a, b = (right[row[side], row["fold"], row["measure"]] for side in ("a", "b"))
        assert int(row["only_a"]) - int(row["only_b"]) == a - b
    assert sum(int(row["only_a"]) + int(row["only_b"]) for row in pairs) > 0
    shutil.rmtree("x-runs/news/noun/r01-f01")
    assert refusal(export_pairs, "x.toml").startswith("the predictions of news noun r01-f01 are missing or out")


def test_a_measure_of_ones_own_that_fails_is_said_before_anything_runs(file: File, data: str) -> None:
    code = """
from assay import measure
@measure("mine", scores={"value": lambda sums: 1.0})
def mine(pair):
    \"\"\"Mine.\"\"\"
    raise ValueError("no such thing")
"""
    file("brokenmeasure.py", code)
    file("x.toml", plan(measures=["brokenmeasure:mine"]))
    text = refusal(run, "x.toml")
    assert text == "x.toml:4: [datasets.news]: a measure failed: ValueError: no such thing."


def test_the_folder_of_a_run_takes_the_place_of_the_old_one(file: File, data: str) -> None:
    file("x.toml", plan(folds=2))
    done()
    file("x-runs/news/copy/r01-f01/old.txt", "left from before")
    file("x.toml", plan({"copy": {"predict": "cp -f {test} {output}", "blind": False}}, folds=2))
    done()
    assert not Path("x-runs/news/copy/r01-f01/old.txt").exists()
    assert [path.name for path in sorted(Path("x-runs/news/copy").iterdir())] == ["r01-f01", "r01-f02"]


def test_a_folder_that_cannot_be_made_stops_the_experiment(file: File, data: str) -> None:
    file("x.toml", plan(folds=2))
    file("x-runs/news", "a file where a folder should be")
    assert "x-runs/news/copy" in refusal(run, "x.toml")
    assert status("x.toml").reasons == {"new": 2}
