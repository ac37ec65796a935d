"""Posteriors and rankings to draw, the shares of the paper's Table 2 with invented draws; and what is then seen."""

from __future__ import annotations

import csv
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np

from assay.result import SCHEMA, About, InputFile, Presentation, Result
from assay.result.grammar import with_kind
from assay.result.schema import (
    CurvePoint,
    DataSetDifference,
    Estimate,
    Posterior,
    Ranking,
    RankRelation,
    SimplexCell,
    Thirds,
)

TABLE = Path(__file__).parents[3] / "data" / "statistics" / "szymanski2020_table2.csv"
SYSTEMS = ("TnT", "Collins", "LAPOS", "Stanford", "NLP4J", "Flair")
SIDES = 24


def cells(shares: Thirds, draws: int = 5000, sides: int = SIDES, seed: int = 0) -> tuple[SimplexCell, ...]:
    """Invented draws, about as many in each corner as its share, most of them near the edges."""
    rng = np.random.default_rng(seed)
    equal = shares.equal or 0.0
    corner = rng.choice(3, size=draws, p=np.array([shares.a, equal, shares.b]) / (shares.a + equal + shares.b))
    weights = np.full((draws, 3), 0.5)
    weights[np.arange(draws), corner] = rng.uniform(1, 12, draws)
    points = rng.standard_gamma(weights) + 1e-12
    if shares.equal is None:
        points[:, 1] = 0
    points /= points.sum(axis=1, keepdims=True)
    a, equal_part, b = np.minimum(np.floor(points * sides).astype(int), sides - 1).T
    found: Counter[tuple[int, int, bool]] = Counter()
    for row in zip(a.tolist(), b.tolist(), (a + b + equal_part == sides - 1).tolist(), strict=True):
        found[row] += 1
    # On the lower side itself the floors add up to one less than in the middle of a cell.
    return tuple(
        SimplexCell(x, y, up or shares.equal is None, number) for (x, y, up), number in sorted(found.items())
    )


def posterior(
    a: str = "TnT",
    b: str = "Collins",
    measure: str = "token",
    shares: Thirds | None = None,
    rope: float = 0.002,
    data_sets: tuple[str, ...] = ("Penn Treebank", "OntoNotes"),
    scale: float = 1.0,
    draws: int = 5000,
) -> Posterior:
    """A posterior with everything in it."""
    shares = shares or Thirds(0.168, 0.003, 0.829)
    lead = (shares.b - shares.a) * 0.008 * scale
    region = Thirds(
        *(None if share is None else 0.8 * share + 0.2 / 3 for share in (shares.a, shares.equal, shares.b))
    )
    rows = tuple(_data_set(name, number, lead, scale, shares) for number, name in enumerate(data_sets))
    found = Posterior(
        *(a, b, measure, "hierarchical", rope, len(rows), 200 * len(rows), shares, region, 0.001),
        relation="<" if shares.b > max(shares.a, shares.equal or 0) else "≈",
        verdict="A sentence.",
        mean=Estimate(lead, lead - 0.009 * scale, lead + 0.008 * scale),
        next=Estimate(lead, lead - 0.04 * scale, lead + 0.045 * scale),
        by_data_set=rows,
        sides=SIDES,
        simplex=cells(shares, draws),
        rope_curve=tuple(_at(shares, rope, times * rope / 4) for times in range(13 if rope else 0)),
        prior_curve=(
            *(_under(shares, rope, bound, 1.0) for bound in (3, 10, 100, 1000)),
            *(_under(shares, rope, 1000, bound) for bound in (0.75, 2, 5)),
        ),
    )
    return with_kind(found)


def _data_set(name: str, number: int, lead: float, scale: float, shares: Thirds) -> DataSetDifference:
    seen = lead * (1.3 if number % 2 else 0.8) + 0.0005 * scale * (number % 3)
    mean = 0.9 * seen + 0.1 * lead
    low, high = mean - 0.0016 * scale, mean + 0.0016 * scale
    spread = Estimate(mean, low, high)
    return DataSetDifference(
        *(
            name,
            200,
            0.1,
            0.965 * scale,
            0.965 * scale + seen,
            seen,
            0.001 * scale,
            spread,
            shares,
            3.1,
            0.002,
            9,
            191,
        )
    )


def _at(shares: Thirds, chosen: float, rope: float) -> CurvePoint:
    """Equality gains as its region grows."""
    before = shares.equal or 0.0
    equal = min(1.0, before * rope / chosen) if rope <= chosen else 1 - (1 - before) * chosen / rope
    left = (1 - equal) / (shares.a + shares.b)
    both = Thirds(shares.a * left, equal, shares.b * left)
    return CurvePoint(rope, 1000.0, 1.0, both, both)


def _under(shares: Thirds, rope: float, std0: float, delta0: float) -> CurvePoint:
    a = shares.a * (np.log10(std0) / 3) * delta0**0.2
    both = Thirds(float(a), shares.equal, float(1 - a - (shares.equal or 0)))
    return CurvePoint(rope, std0, delta0, both, both)


# --- the paper's table ---


@cache
def table(draws: int = 200) -> list[Posterior]:
    """All 45 comparisons of the paper."""
    found = []
    with TABLE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            shares = Thirds(*(float(row[name]) for name in ("p_left", "p_rope", "p_right")))
            rope = 0.002 if row["measure"] == "token" else 0.02
            found.append(posterior(row["left"], row["right"], row["measure"], shares, rope, draws=draws))
    return found


_RELATIONS = {
    "token": ("TnT < Collins ≈ LAPOS ≈ Stanford < NLP4J < Flair", ()),
    "sentence": ("TnT < Collins < LAPOS ≈ Stanford < NLP4J < Flair", ()),
    "oov": (
        "TnT ≈ Collins ≈ LAPOS < Stanford ⪅ NLP4J ≈ Flair",
        (
            "TnT ≈ Collins ≈ LAPOS, yet TnT < LAPOS: the chain of equivalences hides a difference.",
            "Stanford ⪅ NLP4J ≈ Flair, yet Stanford < Flair: the chain of equivalences hides a difference.",
        ),
    ),
}


def ranking(measure: str, posteriors: list[Posterior]) -> Ranking:
    """The paper's order, with the relations of its table."""
    signs = {(row.a, row.b): _sign(row.decision) for row in posteriors if row.measure == measure}
    chain, sentences = _RELATIONS[measure]
    relations = tuple(
        RankRelation(a, b, sign, SYSTEMS.index(b) == SYSTEMS.index(a) + 1, sign == "<" and not _between(a, b, signs))
        for (a, b), sign in signs.items()
    )
    return Ranking(measure, SYSTEMS, chain, relations, sentences)


def _sign(shares: Thirds) -> str:
    assert shares.equal is not None
    if shares.equal >= max(shares.a, shares.b):
        return "⪅" if shares.b > shares.equal - 0.05 else "≈"
    return "<" if shares.b > shares.a else ">"


def _between(a: str, b: str, signs: dict[tuple[str, str], str]) -> bool:
    return any(signs.get((a, other)) == "<" and signs.get((other, b)) == "<" for other in SYSTEMS)


def result(posteriors: list[Posterior], rankings: tuple[Ranking, ...] = ()) -> Result:
    """A Result that holds nothing but comparisons over many runs."""
    runs = InputFile("runs.csv", "runs.csv", "0" * 64, "csv", 0, 0)
    names = list(dict.fromkeys(name for row in posteriors for name in (row.a, row.b)))
    about = About(
        **{"command": "bayes", "task": "runs", "column": "", "unit": "run", "units": 200, "items": 200},
        **{"aligned_by": "runs", "seed": 0, "times": 50000, "interval": "", "test": "", "family": 0},
    )
    return Result(
        **{"schema": SCHEMA, "version": "0", "signature": "signature", "about": about, "shown": Presentation()},
        gold=runs,
        systems=tuple(InputFile(name, "runs.csv", "0" * 64, "csv", 0, 0) for name in names),
        bayes=tuple(posteriors),
        rankings=rankings,
    )


@cache
def paper() -> Result:
    """The whole of the paper's comparison."""
    posteriors = table()
    return result(posteriors, tuple(ranking(measure, posteriors) for measure in _RELATIONS))


# --- what is seen in a figure ---


def texts(figure) -> list[str]:
    """All that is written in a figure."""
    from matplotlib.text import Text

    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


def apart(figure) -> None:
    """No text lies upon another."""
    from matplotlib.text import Text

    figure.draw_without_rendering()
    hidden = set()
    for axes in figure.axes:
        for axis, side in ((axes.xaxis, 0), (axes.yaxis, 1)):
            low, high = sorted(axis.get_view_interval())
            ticks = axis.get_ticklabels() if axes.axison else axis.findobj(Text)
            hidden |= {id(text) for text in ticks if not axes.axison or not low <= text.get_position()[side] <= high}
    # The boxes of texts that are turned overlap where the texts do not.
    found = [text for text in figure.findobj(Text) if text.get_rotation() in (0, 90) and id(text) not in hidden]
    shown = [text for text in found if text.get_text() and text.get_visible()]
    x0, y0, x1, y1 = np.array([text.get_window_extent().extents for text in shown]).reshape(-1, 4).T
    wide = np.minimum.outer(x1, x1) - np.maximum.outer(x0, x0)
    tall = np.minimum.outer(y1, y1) - np.maximum.outer(y0, y0)
    covered = (wide > 1) & (tall > 0.25 * np.minimum.outer(y1 - y0, y1 - y0))
    pairs = np.argwhere(np.triu(covered, 1))
    assert [(shown[one].get_text(), shown[other].get_text()) for one, other in pairs] == []
