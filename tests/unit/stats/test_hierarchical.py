"""The hierarchical model against reference values, a sampler of its own, and what must hold whatever the numbers."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import integrate, stats

from assay.stats.bayes import (
    SENSITIVITY,
    Fit,
    NoVariationError,
    Priors,
    Tails,
    TooFewRunsError,
    compute_curve,
    compute_sensitivity,
    constant_regions,
    constant_rows,
    decide_regions,
    fit,
    integrate_overlap,
    summarise_runs,
    weighted_quantile,
)
from unit.stats.runs import MEASURED, PAIRS, SIMULATED, Rows, differences, simulated

Folder = Callable[[str], Path]
RHO = 0.1


def rhos(rows: Rows) -> list[float]:
    return [RHO] * len(rows)


def made(data_sets: int, runs: int, mean: float, spread: float, seed: int) -> Rows:
    """Differences of correlated runs around means that differ between data sets."""
    rng = np.random.default_rng(seed)
    means = mean + spread * rng.standard_normal(data_sets)
    shared = np.sqrt(RHO) * rng.standard_normal((data_sets, 1))
    return list(means[:, None] + shared + np.sqrt(1 - RHO) * rng.standard_normal((data_sets, runs)))


def shares(fitted: Fit) -> NDArray[np.float64]:
    return np.array([*fitted.decision, *fitted.region])


# --- reference values ---


@pytest.mark.parametrize("name", PAIRS)
def test_preprocessing_meets_the_reference(name: str, shared_data: Folder) -> None:
    rows = differences(name, shared_data)
    seen, known = summarise_runs(rows, rhos(rows), PAIRS[name]["input"]["rope"]), PAIRS[name]["preprocessing"]
    assert seen.scale == pytest.approx(known["scale"], rel=1e-6)
    assert seen.rope == pytest.approx(known["scaled_rope"], rel=1e-6)
    assert seen.treated == tuple(known.get("zero_variance_rows", ()))
    if "row_means" in known:
        assert seen.means == pytest.approx(known["row_means"], rel=1e-6)
        assert seen.squares == pytest.approx(known["row_sum_sq_dev"], rel=1e-6)
        assert seen.widths == pytest.approx(known["row_t_scale"], rel=1e-6)
        assert set(seen.runs - 2) == {known["row_t_df"]}
        assert seen.largest == pytest.approx(known["max_abs_diff"], rel=1e-6)
        assert Priors().std0 * seen.among == pytest.approx(known["std0_upper"], rel=1e-6)


@pytest.mark.parametrize("name", PAIRS)
def test_shares_and_quantiles_meet_the_reference(name: str, shared_data: Folder) -> None:
    rows, known = differences(name, shared_data), PAIRS[name]
    fitted = fit(rows, rhos(rows), known["input"]["rope"])
    exact, tolerance = known[known["tolerance"]["decision_share_vs"]], known["tolerance"]
    assert fitted.decision == pytest.approx(exact["p"], abs=tolerance["decision_share"])
    assert fitted.region == pytest.approx(exact["mean_region"], abs=tolerance["mean_region"])
    for name_of, draws in (("delta0", fitted.delta0), ("std0", fitted.std0)):
        quantiles = np.array(known["quadrature_fine"][name_of]["q"])
        allowed = 0.05 * np.maximum(quantiles[3] - quantiles[1], np.abs(quantiles))
        found = np.quantile(draws, [0.025, 0.25, 0.5, 0.75, 0.975]) / fitted.evidence.scale
        assert (np.abs(found - quantiles) <= allowed).all(), name_of
    assert fitted.nu.mean() == pytest.approx(known["quadrature_fine"]["nu"]["mean"], rel=0.05)


def test_forty_five_fits_of_two_data_sets_with_their_error_take_less_than_five_seconds() -> None:
    """The best of a few, times 45: a busy machine slows single ones down."""
    rows = simulated("sim_mid")
    taken = []
    for _ in range(6):
        before = time.process_time()
        fit(rows, rhos(rows), 0.002)
        taken.append(time.process_time() - before)
    assert 45 * min(taken) < 5


# --- an independent oracle ---


@dataclass
class Sampled:
    """What importance sampling finds, and the standard error of it."""

    shares: NDArray[np.float64]
    errors: NDArray[np.float64]


def importance_sampling(rows: Rows, rope: float, proposals: int, seed: int = 0) -> Sampled:
    """The same model without a grid: proposals from what each data set says alone, weighted by the rest."""
    rng = np.random.default_rng(seed)
    scale = np.mean([row.std() for row in rows])
    rows, rope = [row / scale for row in rows], rope / scale
    largest = max(np.abs(row).max() for row in rows)
    upper = 1000 * np.std([row.mean() for row in rows])
    widths = [np.sqrt((1 / len(row) + RHO / (1 - RHO)) * len(row) * row.var() / (len(row) - 2)) for row in rows]
    deltas = [
        row.mean() + width * rng.standard_t(len(row) - 2, proposals) for row, width in zip(rows, widths, strict=True)
    ]
    log_std0 = rng.uniform(np.log(1e-3 * np.median(widths)), np.log(upper), proposals)
    std0 = np.exp(log_std0)
    nu = 1 + rng.gamma(rng.uniform(1, 2, proposals)) / rng.uniform(0.01, 0.1, proposals)
    near = deltas[0] + std0 * rng.standard_t(3, proposals)
    delta0 = np.where(rng.random(proposals) < 0.5, rng.uniform(-largest, largest, proposals), near)
    proposed = 0.25 / largest + 0.5 * stats.t.pdf((delta0 - deltas[0]) / std0, 3) / std0
    weights = np.where(np.abs(delta0) <= largest, std0 / proposed, 0.0)
    for delta in deltas:
        weights *= stats.t.pdf((delta - delta0) / std0, nu) / std0
    weights /= weights.sum()
    left, right = stats.t.cdf((-rope - delta0) / std0, nu), stats.t.cdf((delta0 - rope) / std0, nu)
    regions = np.array([left, 1 - left - right, right])
    values = np.vstack([regions == regions.max(axis=0), regions])
    found = values @ weights
    return Sampled(found, np.sqrt(((values - found[:, None]) ** 2) @ weights**2))


def test_the_grid_agrees_with_importance_sampling_on_a_small_problem() -> None:
    rows = made(2, 12, 0.8, 0.7, seed=5)
    oracle = importance_sampling(rows, 0.5, 300_000)
    fitted = fit(rows, rhos(rows), 0.5)
    assert (np.abs(shares(fitted) - oracle.shares) <= 4 * oracle.errors + fitted.error).all()
    assert oracle.errors.max() < 0.004


@pytest.mark.slow
@pytest.mark.parametrize("name", SIMULATED)
def test_the_grid_agrees_with_importance_sampling_on_the_simulated_pairs(name: str) -> None:
    rows = simulated(name)
    oracle = importance_sampling(rows, 0.002, 3_000_000)
    fitted = fit(rows, rhos(rows), 0.002, fine=True)
    assert oracle.errors.max() < 0.0015
    assert (np.abs(shares(fitted) - oracle.shares) <= 4 * oracle.errors + 0.001).all()


@pytest.mark.parametrize("nu", [1.05, 2.0, 6.0, 50.0, 500.0])
@pytest.mark.parametrize("freedom", [1.0, 8.0, 98.0])
def test_the_overlap_of_two_densities_is_their_integral(nu: float, freedom: float) -> None:
    """Whichever is the narrower, and however far apart they lie."""
    distances, std0 = np.array([0.0, 1.0, 8.0]), np.array([0.01, 0.1, 1.0, 10.0, 100.0])
    overlaps = integrate_overlap(distances, 1.0, freedom, std0, nu, 0.5)
    around = np.sinh(np.linspace(-16, 16, 20_001))
    for scale, found in zip(std0, overlaps, strict=True):
        for distance, value in zip(distances, found, strict=True):
            x = np.sort(np.concatenate([around, distance + scale * around]))
            product = stats.t.pdf(x, freedom) * stats.t.pdf((x - distance) / scale, nu) / scale
            assert value == pytest.approx(integrate.trapezoid(product, x), rel=0.02, abs=1e-7), (distance, scale)


# --- the numbers are as exact as they say ---


@pytest.mark.parametrize(("data_sets", "mean"), [(2, 0.0), (2, 0.4), (2, 1.5), (3, 0.0), (3, 0.4), (9, 0.4)])
def test_a_finer_grid_stays_within_the_error(data_sets: int, mean: float) -> None:
    rows = made(data_sets, 40, mean, 0.5, seed=data_sets)
    rough, fine = fit(rows, rhos(rows), 0.5), fit(rows, rhos(rows), 0.5, fine=True)
    assert np.abs(shares(rough) - shares(fine)).max() <= rough.error
    assert rough.error < 0.01


def test_an_extreme_outlier_is_stable_under_refinement() -> None:
    rows = made(9, 40, 0.3, 0.2, seed=3)
    rows[4] = rows[4] + 60
    rough, fine = fit(rows, rhos(rows), 0.5), fit(rows, rhos(rows), 0.5, fine=True)
    assert np.abs(shares(rough) - shares(fine)).max() < 0.005
    assert rough.decision[1] == max(rough.decision)
    assert rough.rows[4] is not None
    assert rough.rows[4][0] == pytest.approx(rows[4].mean(), abs=1)


def test_shares_do_not_jump_where_the_rope_hardly_changes() -> None:
    rows = simulated("sim_mid")
    fitted = fit(rows, rhos(rows), 0.002)
    ropes = np.linspace(0.0015, 0.0025, 101)
    moved = np.array([fitted.at(rope)[0] for rope in ropes])
    assert np.abs(np.diff(moved, axis=0)).max() < 0.012
    assert (np.diff(moved[:, 1]) >= 0).all()


def test_the_posterior_reaches_down_to_hardly_any_spread_among_data_sets() -> None:
    rows = simulated("sim_equal")
    fitted = fit(rows, rhos(rows), 0.002)
    assert np.quantile(fitted.std0, 0.025) / fitted.evidence.scale == pytest.approx(0.033, abs=0.002)
    assert np.mean(fitted.std0 / fitted.evidence.scale < 0.179) == pytest.approx(0.13, abs=0.005)


def test_the_table_of_t_is_exact_to_four_digits() -> None:
    rng = np.random.default_rng(1)
    z, log_nu = np.sinh(rng.uniform(-12, 12, 20_000)), rng.uniform(np.log(0.01), np.log(700), 20_000)
    exact = stats.t.cdf(z, 1 + np.exp(log_nu))
    assert Tails(1 + np.exp(log_nu)).below(z) == pytest.approx(exact, abs=1e-4)


# --- symmetry, scale, seeds ---


@pytest.mark.parametrize("name", SIMULATED)
def test_exchanging_the_systems_exchanges_the_answers(name: str) -> None:
    rows = simulated(name)
    there, back = fit(rows, rhos(rows), 0.002), fit([-row for row in rows], rhos(rows), 0.002)
    assert there.decision == back.decision[::-1]
    assert there.region == pytest.approx(back.region[::-1], abs=1e-12)
    assert (there.delta0 == -back.delta0).all()
    assert (there.next == -back.next).all()
    for one, other in zip(there.rows, back.rows, strict=True):
        assert one is not None
        assert other is not None
        assert one == pytest.approx((-other[0], -other[2], -other[1]), rel=1e-3, abs=1e-6)


def test_percentages_give_the_same_answer_as_shares() -> None:
    rows = simulated("sim_mid")
    small, large = fit(rows, rhos(rows), 0.002), fit([100 * row for row in rows], rhos(rows), 0.2)
    assert large.decision == pytest.approx(small.decision, abs=1e-3)
    assert large.region == pytest.approx(small.region, abs=1e-3)
    assert large.delta0.mean() == pytest.approx(100 * small.delta0.mean(), rel=0.01)
    assert large.evidence.scale == pytest.approx(100 * small.evidence.scale)


def test_the_order_of_data_sets_does_not_matter(shared_data: Folder) -> None:
    rows = differences(MEASURED[0], shared_data)
    one, other = fit(rows, rhos(rows), 1.0), fit(rows[::-1], rhos(rows), 1.0)
    assert shares(one) == pytest.approx(shares(other), abs=1e-3)


def test_the_same_seed_gives_the_same_draws_and_another_seed_nearly_the_same_shares() -> None:
    rows = simulated("sim_mid")
    one, again, other = (fit(rows, rhos(rows), 0.002, seed=seed) for seed in (3, 3, 4))
    assert (one.delta0 == again.delta0).all()
    assert one.rows == again.rows
    assert (one.delta0 != other.delta0).any()
    assert np.abs(shares(one) - shares(other)).max() <= one.error


def test_ties_go_to_left_and_then_to_the_rope() -> None:
    third, none = np.array([1 / 3]), np.array([0.0])
    assert decide_regions(third, third, third)[0] == (1, 0, 0)
    assert decide_regions(none, third, third)[0] == (0, 1, 0)


# --- what a fit holds ---


def test_draws_are_in_units_of_the_measure() -> None:
    rows = simulated("sim_clear")
    fitted = fit(rows, rhos(rows), 0.002, draws=10_000)
    arrays = (fitted.delta0, fitted.std0, fitted.nu, fitted.next, fitted.left, fitted.equal, fitted.right)
    assert {len(array) for array in arrays} == {10_000}
    assert np.abs(fitted.delta0).max() <= max(np.abs(row).max() for row in rows)
    assert fitted.left + fitted.equal + fitted.right == pytest.approx(np.ones(10_000))
    assert np.mean(fitted.next > 0.002) == pytest.approx(fitted.region[2], abs=0.02)
    assert fitted.at(0.002) == (fitted.decision, fitted.region)


def test_data_sets_are_drawn_towards_each_other() -> None:
    rows = made(8, 10, 1.0, 0.1, seed=2)
    rows[0] = rows[0] + 1.5
    fitted = fit(rows, rhos(rows), 0.5)
    means = [row.mean() for row in rows]
    found = [row for row in fitted.rows if row is not None]
    assert np.mean(means) < found[0][0] < means[0]
    assert np.std([mean for mean, _, _ in found]) < np.std(means)
    assert all(low < mean < high for mean, low, high in found)


def test_a_data_set_with_many_runs_and_another_far_off_keeps_its_own_interval() -> None:
    """With two data sets far apart, the interval is that of the data set's own t."""
    rows = simulated("sim_clear")
    fitted = fit(rows, rhos(rows), 0.002)
    seen = fitted.evidence
    for row, mean, width in zip(fitted.rows, seen.means * seen.scale, seen.widths * seen.scale, strict=True):
        assert row == pytest.approx((mean, mean - 1.972 * width, mean + 1.972 * width), abs=0.1 * width)


def test_unequal_numbers_of_runs_and_correlations_are_allowed() -> None:
    rows = made(3, 30, 1.0, 0.3, seed=1)
    rows[1] = rows[1][:7]
    fitted = fit(rows, [0.1, 0.2, 0.0], 0.5)
    assert (fitted.evidence.runs - 2).tolist() == [28, 5, 28]
    assert fitted.evidence.widths[1] > fitted.evidence.widths[0] > fitted.evidence.widths[2]
    assert sum(fitted.decision) == pytest.approx(1)
    assert fitted.error < 0.01


def test_without_a_rope_there_are_two_regions() -> None:
    rows = simulated("sim_mid")
    fitted = fit(rows, rhos(rows), 0.0)
    assert fitted.decision[1] == 0
    assert fitted.region[1] == pytest.approx(0, abs=1e-12)
    assert sum(fitted.decision) == 1


# --- few data sets: the prior ---


def test_bounds_of_the_prior_move_the_answer_of_two_data_sets() -> None:
    """The figures were measured when the model was specified."""
    rows = simulated("sim_clear")
    found = {priors: decision[0] for priors, decision, _ in compute_sensitivity(fit(rows, rhos(rows), 0.002))}
    for bound, left in ((3, 0.0), (10, 0.050), (100, 0.159), (1000, 0.171)):
        assert found[Priors(std0=bound)] == pytest.approx(left, abs=0.003)
    assert found[Priors(delta0=5)] == pytest.approx(0.231, abs=0.003)


@pytest.mark.parametrize("name", ["sim_equal", "sim_mid"])
def test_cut_off_draws_are_those_of_the_narrower_prior(name: str) -> None:
    rows = simulated(name)
    for priors, decision, region in compute_sensitivity(fit(rows, rhos(rows), 0.002)):
        own = fit(rows, rhos(rows), 0.002, priors=priors)
        assert np.abs(np.array([*decision, *region]) - shares(own)).max() <= own.error + 0.002, priors


def test_a_prior_that_cuts_off_nearly_all_has_a_posterior_of_its_own() -> None:
    rows = [5 + 0.01 * row for row in made(9, 20, 0.0, 0.1, seed=1)]
    fitted = fit(rows, rhos(rows), 1.0)
    settings = (Priors(delta0=0.75), Priors())
    found = compute_sensitivity(fitted, settings)
    assert [priors for priors, _, _ in found] == list(settings)
    assert sum(found[0][1]) == pytest.approx(1)
    assert found[1][1:] == (fitted.decision, fitted.region)


def test_the_more_data_sets_the_less_the_prior_decides() -> None:
    rows = made(5, 200, 8.0, 1.0, seed=4)
    lefts = [fit(rows[:count], rhos(rows[:count]), 1.0).decision[0] for count in (1, 2, 3, 5)]
    assert lefts == sorted(lefts, reverse=True)
    assert lefts[0] > 0.35
    assert lefts[-1] < 0.005


def test_sensitivity_and_a_rope_curve_cost_little() -> None:
    rows = simulated("sim_mid")
    fitted = fit(rows, rhos(rows), 0.002)
    before = time.process_time()
    points = compute_curve(rows, rhos(rows), np.linspace(0, 0.006, 13).tolist(), fitted)
    settings = compute_sensitivity(fitted)
    assert time.process_time() - before < 0.5
    assert [rope for rope, _, _ in points] == pytest.approx(np.linspace(0, 0.006, 13))
    assert [decision[1] for _, decision, _ in points] == sorted(decision[1] for _, decision, _ in points)
    assert [priors for priors, _, _ in settings] == list(SENSITIVITY)


# --- degenerate input ---


def test_rows_that_are_constant_but_for_rounding_are_constant() -> None:
    x = np.random.default_rng(0).uniform(0.9, 1, 50)
    assert constant_rows([(x + 0.01) - x, np.zeros(5), x]).tolist() == [True, True, False]


@pytest.mark.parametrize("runs", [7, 8])
def test_a_row_without_variation_keeps_its_mean_and_gets_that_of_noise_within_the_rope(runs: int) -> None:
    rows = [*made(3, runs, 1.0, 0.3, seed=1), np.full(runs, 2.0)]
    seen = summarise_runs(rows, rhos(rows), 0.5)
    assert seen.treated == (3,)
    assert seen.left_out == ()
    assert seen.means[3] * seen.scale == pytest.approx(2.0)
    assert seen.squares[3] == pytest.approx(runs * seen.rope**2 / 3)
    fitted = fit(rows, rhos(rows), 0.5)
    assert fitted.rows[3] is not None
    assert 1 < fitted.rows[3][0] < 2.5


def test_without_a_rope_half_a_step_stands_in_for_it() -> None:
    rows = [*made(3, 10, 1.0, 0.3, seed=1), np.zeros(10)]
    with_step, stand_in = summarise_runs(rows, rhos(rows), 0.0, step=0.4), summarise_runs(rows, rhos(rows), 0.2)
    assert with_step.treated == (3,)
    assert with_step.squares == pytest.approx(stand_in.squares)
    fitted = fit(rows, rhos(rows), 0.0)
    assert (fitted.evidence.treated, fitted.evidence.left_out) == ((), (3,))
    assert fitted.rows[3] is None
    assert len(fitted.rows) == 4
    alone = fit(rows[:3], rhos(rows[:3]), 0.0)
    assert shares(fitted) == pytest.approx(shares(alone), abs=2e-3)


def test_a_curve_is_computed_anew_where_rows_without_variation_depend_on_the_rope() -> None:
    rows = [*made(3, 10, 1.0, 0.3, seed=1), np.zeros(10)]
    fitted = fit(rows, rhos(rows), 0.5)
    (_, *there), (_, *anew) = compute_curve(rows, rhos(rows), [0.5, 1.0], fitted)
    assert there == [fitted.decision, fitted.region]
    own = fit(rows, rhos(rows), 1.0)
    assert anew == [own.decision, own.region]


def test_equal_means_have_the_spread_within_data_sets_as_their_bound() -> None:
    row = made(1, 20, 1.0, 0.0, seed=1)[0]
    seen = summarise_runs([row, row], [RHO, RHO], 0.5)
    assert seen.same_means
    assert seen.among == pytest.approx(1)
    assert sum(fit([row, row], [RHO, RHO], 0.5).decision) == pytest.approx(1)


def test_means_that_all_but_agree_leave_no_room_for_a_spread_among_data_sets() -> None:
    row = made(1, 20, 1.0, 0.0, seed=1)[0]
    rows = [row, row + 1e-8]
    fitted = fit(rows, rhos(rows), 0.5)
    assert not fitted.evidence.same_means
    assert fitted.std0.max() <= 1000 * fitted.evidence.among * fitted.evidence.scale * (1 + 1e-9)
    assert fitted.std0.min() > 0


def test_one_data_set_can_be_forced() -> None:
    rows = made(1, 20, 3.0, 0.0, seed=1)
    fitted = fit(rows, rhos(rows), 0.5)
    assert not fitted.evidence.same_means
    assert fitted.evidence.among == pytest.approx(1)
    assert fitted.decision[2] > 0.5


@pytest.mark.parametrize("rows", [[np.zeros(5), np.zeros(5)], [np.full(5, 0.3), np.full(6, -0.1)]])
def test_rows_without_any_variation_are_not_fitted(rows: Rows) -> None:
    with pytest.raises(NoVariationError, match="no data set varies between runs"):
        fit(rows, rhos(rows), 0.2)


def test_constants_are_compared_with_the_rope_which_has_its_edges() -> None:
    rows = [np.full(4, value) for value in (-0.3, -0.2, 0.0, 0.2, 0.21)]
    assert constant_regions(rows, 0.2) == ["left", "rope", "rope", "rope", "right"]
    assert constant_regions(rows, 0.0) == ["left", "left", "rope", "right", "right"]


def test_fewer_than_three_runs_are_too_few() -> None:
    with pytest.raises(TooFewRunsError, match="data set 1 has 2 runs, but the model needs 3"):
        fit([np.array([0.1, 0.2, 0.4]), np.array([0.1, 0.2])], [RHO, RHO], 0.1)


def test_three_runs_are_enough() -> None:
    rows = made(4, 3, 1.0, 0.3, seed=1)
    fitted = fit(rows, rhos(rows), 0.5)
    assert sum(fitted.decision) == pytest.approx(1)
    assert fitted.error < 0.01


@pytest.mark.parametrize("rope", [-0.1, np.nan, np.inf])
def test_a_rope_is_a_number_from_0(rope: float) -> None:
    rows = made(2, 5, 1.0, 0.3, seed=1)
    with pytest.raises(ValueError, match="but it must be a number from 0"):
        fit(rows, rhos(rows), rope)


@pytest.mark.parametrize("rho", [-0.1, 1.0, np.nan])
def test_a_correlation_lies_from_0_to_below_1(rho: float) -> None:
    rows = made(2, 5, 1.0, 0.3, seed=1)
    with pytest.raises(ValueError, match="but it must be from 0 to below 1"):
        fit(rows, [RHO, rho], 0.1)


def test_differences_that_are_no_numbers_are_refused() -> None:
    rows = made(2, 5, 1.0, 0.3, seed=1)
    rows[1][2] = np.nan
    with pytest.raises(ValueError, match="data set 1 has a difference that is not a number"):
        fit(rows, rhos(rows), 0.1)


@pytest.mark.parametrize("level", [0.025, 0.5, 0.975])
def test_a_weighted_quantile_is_that_of_all_values_sorted(level: float) -> None:
    rng = np.random.default_rng(3)
    values = rng.standard_t(1.2, 5000)
    # Also where hardly any of the values that are looked at first has a weight.
    for weights in (rng.random(5000) ** 8, np.where(np.arange(5000) % 16, 1.0, 1e-9), np.eye(5000)[7]):
        shares = weights / weights.sum()
        order = np.argsort(values)
        place = min(int(np.searchsorted(np.cumsum(shares[order]), level)), 4999)
        assert weighted_quantile(values, shares, level) == values[order[place]]
