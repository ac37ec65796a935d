"""Systems under other weightings of categories: which differences are sure."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.engine.measure import find
from assay.engine.options import Options
from assay.engine.prepare import OpenFiles
from assay.engine.run import join, judge_words
from assay.stats.intervals import t_quantile
from assay.tasks.tags.sweep import strong_scores, weigh_difference
from assay.tasks.tags.tagsets import find_tagset
from assay.tasks.tags.tagsets.analysis import Analysis


def texts(units: int) -> tuple[list[list[str]], dict[str, list[list[str]]]]:
    """Gold and two systems: one errs in the gender of each fourth word, the other in the number of each third."""
    rng = np.random.default_rng(2)
    lengths = rng.integers(3, 12, units).tolist()
    gold = [[f"N{'mf'[word % 2]}{'sp'[word % 3 > 0]}" for word in range(length)] for length in lengths]
    gender = [[f"N{'fm'[tag[1] == 'f']}{tag[2]}" if rng.random() < 0.25 else tag for tag in tags] for tags in gold]
    number = [[f"N{tag[1]}{'ps'[tag[2] == 'p']}" if rng.random() < 0.33 else tag for tag in tags] for tags in gold]
    return gold, {"gender": gender, "number": number}


@pytest.fixture
def options(tmp_path: Path) -> dict[str, Any]:
    path = tmp_path / "toy.json"
    path.write_text(
        json.dumps({"name": "toy", "kind": "msd", "absent": "-", "positions": {"N": ["Gender", "Number"]}})
    )
    return {"tagset": str(path), "weights": "equal"}


def test_a_weighting_is_sure_by_the_variance_that_the_test_has(options: dict[str, Any]) -> None:
    gold, systems = texts(60)
    result = assay.compare(gold, systems, ["wpa"], sweep=200, times=50, **options)
    (test,) = [row for row in result.comparisons if row.test == "shuffling"]
    measure = find("wpa")
    run = OpenFiles(gold, systems, Options(**options), [measure]).run([measure])
    words = join([(name, judge_words(pair)) for name, pair in run.pairs])
    analysis = Analysis.of(words.labels, find_tagset(options["tagset"]))
    scores = [strong_scores(words.fold(), system, analysis, sorted(analysis.positions)) for system in (0, 1)]
    equal = np.full((1, 3), 1 / 3)
    certainties = weigh_difference(words, (0, 1), scores, equal)
    assert certainties is not None
    t = test.difference / math.sqrt(test.variance)
    assert certainties[0] * t_quantile(0.975, 59) == pytest.approx(t, rel=1e-9)
    # Gender and number decide; both have all parts of speech right.
    (row,) = result.sweeps
    assert row.corners == {name: row.named[f"{name} only"] for name in ("Gender", "Number", "pos")}
    assert row.corners["Gender"] > 0 > row.corners["Number"] and row.corners["pos"] == 0
    assert row.surely_a is not None and row.surely_b is not None
    assert row.surely_a > 0 and row.surely_b > 0 and 0 < (row.undecided or 0) < 1
    assert (row.everywhere_a, row.plane, row.even_at, row.always) == (None, (), None, "")
    # A triangle of Gender, Number and pos: the first letter is pos alone, then Number instead, the last Gender alone.
    (letters,) = row.panels
    assert (len(letters), letters[0], letters[10], letters[-1]) == (66, "-", "a", "b")
    assert any(table.name == "weights" for table in result.tables)


def test_fewer_than_20_units_have_no_map(options: dict[str, Any]) -> None:
    result = assay.compare(*texts(19), ["wpa"], sweep=20, times=50, **options)
    (row,) = result.sweeps
    assert (row.surely_a, row.undecided, row.panels) == (None, None, ())
    assert row.corners["Gender"] > 0
    assert not any(table.name == "weights" and table.rows for table in result.tables)
