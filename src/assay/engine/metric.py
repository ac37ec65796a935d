"""assay.measure(...): a decorator for new measures, or measures by name as a function for training loops."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, Unpack, overload

from assay.classes import dataclass
from assay.corpus.adapters import Labels, from_predictions
from assay.engine.measure import Judge, Scores, find
from assay.engine.measure import measure as define
from assay.engine.options import Options
from assay.engine.run import evaluate_shards
from assay.engine.sides import find_sides
from assay.errors import UsageError
from assay.keywords import OPTIONS, ScoreKeywords, check_keywords


@dataclass(frozen=True)
class Metric:
    """Measures as a function from gold and a system's output to scores by name."""

    measures: tuple[str, ...]
    id2label: Labels | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, gold: Any, system: Any = None) -> dict[str, float]:
        """The scores of arguments as for `score`, of an EvalPrediction of Hugging Face, or of spaCy's Examples.

        A measure's main score has the measure's name, others are called `measure/score`; undefined is nan.
        """
        if system is None:
            gold, system = self._sides(gold)
        elif self.id2label is not None:
            gold, system = from_predictions(system, gold, self.id2label)
        options = Options(**self.options, figures_alone=True)
        gold, systems, options = find_sides(gold, {"system": system}, options)
        result = evaluate_shards("score", gold, systems, self.measures, options)
        figures: dict[str, float] = {}
        for row in result.scores:
            if row.label is None and row.slice is None:
                figures[row.measure if row.main else f"{row.measure}/{row.score}"] = float(row.value)
        return figures

    def compute(self, *, predictions: Any, references: Any) -> dict[str, float]:
        """The scores, with the names of arguments that the library evaluate uses."""
        return self(references, predictions)

    def _sides(self, data: Any) -> tuple[Any, Any]:
        """Gold and system from the single argument of a callback."""
        if hasattr(data, "predictions") and hasattr(data, "label_ids"):
            return from_predictions(data.predictions, data.label_ids, self.id2label)
        if isinstance(data, list | tuple) and data and all(hasattr(item, "reference") for item in data):
            return [item.reference for item in data], [item.predicted for item in data]
        if isinstance(data, tuple) and len(data) == 2:
            return from_predictions(data[0], data[1], self.id2label)
        raise UsageError(
            f"Expected gold and system, but got one {type(data).__name__}. Give both, or one EvalPrediction of "
            "Hugging Face (or predictions and label_ids as a tuple), or spaCy's Examples."
        )


@overload
def measure(name: str, /, *, scores: Scores, **definition: Any) -> Callable[[Judge], Judge]: ...


@overload
def measure(*names: str, id2label: Labels | None = None, **options: Unpack[ScoreKeywords]) -> Metric: ...


def measure(*names: str, id2label: Labels | None = None, **options: Any) -> Any:
    """Measures by name as a function from gold and system to scores; with `scores=`, a decorator for a new measure.

    `assay.measure("exact", "fair", id2label=model.config.id2label)` is what Hugging Face's Trainer takes as
    compute_metrics. Options are those of `score`, but for jobs and cluster.
    """
    if "scores" in options:
        return define(*names, **options)
    # Errors are raised here, not after the first epoch.
    kinds = {name: option.kind for name, option in OPTIONS.items()}
    check_keywords(options, {**kinds, "id2label": Any, "scores": Any})
    for name in names:
        find(name)
    Options(**options).check()
    return Metric(names, id2label, options)
