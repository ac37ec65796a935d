"""What a table of runs may look like, and every mistake in one: a line with place, fact and remedy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.bayesian import bayes
from assay.bayesian.table import choose_names, pair_runs, read_matrices, read_runs, sort_names, suggests_less
from assay.errors import AssayError, InputError, UsageError
from assay.experiment.tables import Split
from unit.bayesian.tables import HEADER, made, runs_of, text_of

REMEDY = (
    "The first line names the columns: dataset, system, repetition, fold, measure, value, and if known numerator, "
    "denominator, n_train, n_test. Matrices are given as NAME=FILE, one for each system."
)


def refusal(text: str) -> str:
    with pytest.raises(InputError) as caught:
        read_runs("r.csv", text, "")
    return str(caught.value)


def test_columns_stand_in_any_order_and_divided_by_tabs_or_commas() -> None:
    commas = read_runs("r", f"{HEADER}\nd,s,1,2,m,0.5\n", "")
    tabs = read_runs("r", "value\tmeasure\tfold\trepetition\tsystem\tdataset\tnote\n0.5\tm\t2\t1\ts\td\tx\n", "")
    assert commas.cells == tabs.cells
    assert commas.cells["m"]["d"]["s"][Split(1, 2)].value == 0.5


def test_counts_are_read_where_they_are_there_also_as_spreadsheets_write_them() -> None:
    text = f"{HEADER},numerator,denominator,n_train,n_test\nd,s,1.0,2.0,m,0.5,5,10.0,80.0,10\nd,t,1,2,m,0.5,,,,\n"
    row = read_runs("r", text, "").cells["m"]["d"]["s"][Split(1, 2)]
    assert (row.numerator, row.denominator, row.n_train, row.n_test) == (5, 10, 80, 10)
    other = read_runs("r", text, "").cells["m"]["d"]["t"][Split(1, 2)]
    assert (other.numerator, other.denominator, other.n_train, other.n_test) == (None, None, None, None)


def test_an_undefined_score_is_an_empty_cell_or_nan() -> None:
    runs = read_runs("r", f"{HEADER}\nd,s,1,1,m,\nd,s,1,2,m,nan\n", "")
    assert all(row.value != row.value for row in runs.cells["m"]["d"]["s"].values())


def test_empty_lines_and_quotes_are_as_in_any_csv() -> None:
    runs = read_runs("r", f'{HEADER}\n\n"d, e","s ""1""",1,1,m,1\n\n', "")
    assert list(runs.cells["m"]["d, e"]) == ['s "1"']


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", f"r.csv:1: there is no column dataset. {REMEDY}"),
        ("0.9,0.8\n0.7,0.6\n", f"r.csv:1: there is no column dataset. {REMEDY}"),
        ("dataset,system,repetition,fold,measure\n", f"r.csv:1: there is no column value. {REMEDY}"),
        (f"{HEADER},fold\n", "r.csv:1: has the column fold twice."),
        (f"{HEADER}\n", "r.csv: contains no measurements."),
        (f"{HEADER}\nd,s,1,1,m\n", "r.csv:2: 5 columns, but the first line has 6."),
        (f"{HEADER}\nd,,1,1,m,1\n", "r.csv:2: system is empty."),
        (f"{HEADER}\nd,s,one,1,m,1\n", "r.csv:2: repetition should be a whole number, not 'one'."),
        (f"{HEADER}\nd,s,1,-1,m,1\n", "r.csv:2: fold should be a whole number, not '-1'."),
        (f"{HEADER}\nd,s,1,1.5,m,1\n", "r.csv:2: fold should be a whole number, not '1.5'."),
        (f"{HEADER}\nd,s,1,1,m,97%\n", "r.csv:2: value should be a number, not '97%'."),
        (f"{HEADER},n_test\nd,s,1,1,m,1,many\n", "r.csv:2: n_test should be a whole number, not 'many'."),
        (f"{HEADER},denominator\nd,s,1,1,m,1,x\n", "r.csv:2: denominator should be a number, not 'x'."),
        (f"{HEADER},denominator\nd,s,1,1,m,0.5,0\n", "r.csv:2: the denominator of 0.5 is 0."),
        (f"{HEADER}\nd,s,1,1,m,1\nd,s,1,1,m,1\n", "r.csv:3: m of d s r01-f01 is given twice. Keep one of them."),
        (f'{HEADER}\nd,"s,1,1,m,1\n', "r.csv:2: not CSV: unexpected end of data."),
    ],
)
def test_a_mistake_in_a_table_is_one_line_with_its_place(text: str, message: str) -> None:
    assert refusal(text) == message


# --- missing runs ---


def test_missing_runs_are_listed_and_may_be_left_out() -> None:
    scores = {"d": {"a": [0.1, 0.2, 0.3, 0.4], "b": [0.1, float("nan"), 0.3]}}
    runs = runs_of(scores, folds=2)
    with pytest.raises(InputError) as caught:
        pair_runs(runs, "accuracy", ["a", "b"], ["d"], common=False)
    assert str(caught.value) == (
        "runs.csv: no accuracy of b on d r01-f02; b on d r02-f02 (2 in all). "
        "To compare on the runs that all have: --common"
    )
    (one,), losses = pair_runs(runs, "accuracy", ["a", "b"], ["d"], common=True)
    assert one.splits == (Split(1, 1), Split(2, 1))
    assert one.values["a"].tolist() == [0.1, 0.3]
    assert one.folds == 2
    assert losses == ["accuracy: 2 measurements are missing or undefined, so 2 runs were left out."]


def test_many_missing_runs_are_counted_and_five_named() -> None:
    runs = runs_of({"d": {"a": [0.5] * 9, "b": [0.5]}})
    with pytest.raises(InputError, match=r"b on d r01-f06; … \(8 in all\)"):
        pair_runs(runs, "accuracy", ["a", "b"], ["d"], common=False)


def test_an_infinite_score_counts_as_missing() -> None:
    runs = runs_of({"d": {"a": [0.5, 0.5, float("inf")], "b": [0.5] * 3}})
    with pytest.raises(InputError, match="no accuracy of a on d r01-f03 "):
        pair_runs(runs, "accuracy", ["a", "b"], ["d"], common=False)


def test_a_data_set_that_one_system_lacks_is_named() -> None:
    runs = runs_of({"d": {"a": [0.5], "b": [0.5]}, "e": {"a": [0.5]}})
    found, losses = pair_runs(runs, "accuracy", ["a", "b"], ["d", "e"], common=True)
    assert [one.name for one in found] == ["d"]
    assert losses == [
        "accuracy: 1 measurement is missing or undefined, so 1 run was left out.",
        "accuracy: no runs of all systems on e.",
    ]


def test_systems_without_a_run_in_common_cannot_be_compared() -> None:
    runs = runs_of({"d": {"a": [0.5]}, "e": {"b": [0.5]}})
    with pytest.raises(InputError, match=r"runs\.csv: no run has accuracy of all systems\."):
        pair_runs(runs, "accuracy", ["a", "b"], ["d", "e"], common=True)


# --- folds and sizes ---


@pytest.mark.parametrize(("folds", "number"), [(range(10), 10), (range(1, 11), 10), (range(1, 10), 9), ([0], 1)])
def test_folds_count_from_0_or_1(folds: range | list[int], number: int) -> None:
    lines = [f"d,s,1,{fold},m,0.5" for fold in folds]
    (one,), _ = pair_runs(read_runs("r", "\n".join([HEADER, *lines]), ""), "m", ["s"], ["d"], common=False)
    assert one.folds == number


def test_the_test_parts_share_comes_from_the_sizes_of_the_parts() -> None:
    runs = runs_of({"d": {"s": [0.5, 0.5]}}, more=",n_train,n_test", counts=",80,10")
    (one,), _ = pair_runs(runs, "accuracy", ["s"], ["d"], common=False)
    assert one.share == pytest.approx(1 / 9)


def test_names_are_in_order_with_2_before_10() -> None:
    assert sort_names(["set10", "set2", "a", "10", "9"]) == ["9", "10", "a", "set2", "set10"]


# --- matrices ---


def test_a_matrix_has_a_line_for_each_data_set(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("0.1,0.2,0.3,0.4\n\n0.5 0.6 0.7 0.8\n")
    runs = read_matrices([("A", str(tmp_path / "a.csv"))], 2)
    assert runs.data_sets(["value"]) == ["line 1", "line 2"]
    assert runs.cells["value"]["line 2"]["A"][Split(2, 1)].value == 0.7


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("1 2\n", "1 2 3 4\n", "b: 1 lines of 4 numbers, but a has 1 lines of 2 numbers. Runs are paired: "),
        ("1 2\n3 4\n", "1 2\n", "b: 1 lines of 2 numbers, but a has 2 lines of 2 numbers. Runs are paired: "),
        ("1 x\n", "1 2\n", "a:1: expected a line of numbers. A matrix has a line for each data set; "),
        (f"{HEADER}\n", "1\n", "a:1: expected a line of numbers. A matrix has a line for each data set; "),
        ("\n", "1 2\n", "a: contains no numbers."),
        ("1 2 3\n", "1 2 3\n", "a:1: 3 runs cannot be repetitions of 2 folds."),
    ],
)
def test_a_mistake_in_a_matrix_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str, second: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a").write_text(first)
    Path("b").write_text(second)
    with pytest.raises(InputError) as caught:
        read_matrices([("A", "a"), ("B", "b")], 2)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


# --- names ---


def test_unknown_names_are_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"r: there is no system 'TNT'\. Did you mean TnT\?"):
        choose_names("system", ["TNT"], ["TnT", "Flair"], "r")
    assert choose_names("system", ["b", "a", "b"], ["a", "b", "c"], "r") == ["b", "a"]
    assert choose_names("system", [], ["a", "b"], "r") == ["a", "b"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": "acuracy"}, "runs.csv: there is no measure 'acuracy'. Did you mean accuracy?"),
        ({"systems": ["A"]}, "runs.csv: there is no system 'A'. Did you mean a?"),
        ({"datasets": ["set9"]}, "runs.csv: there is no data set 'set9'. Did you mean set1 or set0?"),
        ({"lower": ("time",)}, "runs.csv: there is no measure 'time'. Available: accuracy."),
        ({"rope": {"acc": 0.1}}, "runs.csv: there is no measure 'acc'. Did you mean accuracy?"),
        ({"rho": 1}, "--rho 1: give a number from 0 to below 1, or folds or sizes."),
        ({"rho": "fold"}, "--rho fold: give a number from 0 to below 1, or folds or sizes."),
        (
            {"rho": "sizes"},
            "set0: neither folds nor the sizes of the parts (n_train, n_test) show how runs are correlated. Give "
            "--rho, the test part's share of the data, e.g. 0.1; for matrices --folds",
        ),
        (
            {"rope": "annotators"},
            "--rope annotators needs two annotations of the same text: --annotation A --annotation B",
        ),
    ],
)
def test_what_is_not_there_cannot_be_asked_for(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        bayes(runs_of(made({"a": 0, "b": 0.01})), **{"rope": 0.002, **options})
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (
            {"a": [0.91, 0.92, 0.93], "b": [0.92, 93.0, 0.94]},
            "runs.csv:6: accuracy is 93, but 0.91 in runs.csv:2: fractions and percent are mixed. "
            "Give all as fractions.",
        ),
        (
            {"a": [91.0, 92.0, 93.0], "b": [92.0, 93.0, 0.8]},
            "runs.csv:7: accuracy is 0.8, but 91 in runs.csv:2: fractions and percent are mixed. "
            "Give all as fractions.",
        ),
        *(
            (
                {"a": [0.91, 0.92, 0.93], "b": [0.92, value, 0.94]},
                f"runs.csv:6: accuracy is {value:g}, but scores are between 0 and 1, or 0 and 100 in percent. "
                f"Correct it; if lower is better, any number is allowed with: --lower accuracy",
            )
            for value in (-0.1, 910.0)
        ),
    ],
)
def test_scores_beyond_their_scale_are_refused_with_their_place(scores: dict[str, list[float]], message: str) -> None:
    with pytest.raises(InputError) as caught:
        bayes(runs_of({"d": scores}), rope=0.002)
    assert str(caught.value) == message
    # Of other runs nothing is asked.
    assert bayes(runs_of({"d": scores, "e": {"a": [0.5] * 3, "b": [0.6] * 3}}), rope=0.002, datasets=["e"]).bayes


def test_the_direction_of_a_loss_is_asked_for() -> None:
    table = runs_of({"d": {"a": [0.5, 0.4, 0.3], "b": [0.6, 0.5, 0.45]}}, measure="error-rate")
    with pytest.raises(UsageError) as caught:
        bayes(table, rope=0.1)
    assert str(caught.value) == (
        "runs.csv: the name of error-rate suggests that lower is better. Confirm it: --lower error-rate; "
        "if higher is better: --higher error-rate"
    )
    best = [bayes(table, rope=0.001, **{way: "error-rate"}).rankings[0].order[-1] for way in ("lower", "higher")]
    assert best == ["a", "b"]
    with pytest.raises(UsageError, match="--lower error-rate and --higher error-rate contradict each other"):
        bayes(table, rope=0.1, lower="error-rate", higher=["error-rate"])
    less = "loss val_loss evalLoss perplexity WER cer ter rmse mae brier err log-loss nll ppl BrierScore dev/error"
    more = "accuracy f1 terror-f1 lossless counter-f1 PER-f1 tag-f1/macro-f1"
    assert ([*map(suggests_less, less.split())], [*map(suggests_less, more.split())]) == ([True] * 16, [False] * 7)


def test_where_less_is_better_any_number_may_be() -> None:
    seconds = {"a": [0.5, 250.0, 3.0], "b": [0.6, 260.0, 3.5]}
    assert bayes(runs_of({"d": seconds}), rope=0.1, lower=("accuracy",)).bayes


@pytest.mark.parametrize(
    ("data_sets", "runs", "message"),
    [
        (2, 2, "set0: accuracy was measured in 2 runs, but the model over data sets needs 3. "),
        (1, 1, "set0: accuracy was measured in 1 runs, but the correlated t-test needs 2. "),
    ],
)
def test_too_few_runs_are_an_error_that_says_what_else_there_is(data_sets: int, runs: int, message: str) -> None:
    with pytest.raises(AssayError) as caught:
        bayes(runs_of(made({"a": 0, "b": 0.01}, data_sets, runs)), rope=0.002, rho=0.1)
    assert str(caught.value) == message + "For one test set: assay compare"


def test_a_table_can_come_from_a_path(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text(text_of(made({"a": 0, "b": 0.01}, 1)))
    assert bayes(path, rope=0.002).gold.path == str(path)
