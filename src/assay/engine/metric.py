"""assay.measure(...): a decorator for new measures, or measures by name as a function for training loops."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, Unpack, overload

from assay.corpus.adapters import Labels, from_predictions
from assay.engine.measure import Judge, Scores, find
from assay.engine.measure import measure as define
from assay.engine.options import Options
from assay.engine.run import evaluate_shards
from assay.errors import UsageError
from assay.keywords import OPTIONS, ScoreKeywords, check_keywords
from assay.records import dataclass


@dataclass(frozen=True)
class Metric:
    """Measures as one function: gold and a system's output in, figures by name out."""

    measures: tuple[str, ...]
    id2label: Labels | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, gold: Any, system: Any = None) -> dict[str, float]:
        """The figures of what `score` takes, of one EvalPrediction of Hugging Face, or of spaCy's Examples.

        A measure's main score has the measure's name, others are called `measure/score`; undefined is nan.
        """
        if system is None:
            gold, system = self._sides(gold)
        elif self.id2label is not None:
            gold, system = from_predictions(system, gold, self.id2label)
        options = Options(**self.options, figures_alone=True)
        result = evaluate_shards("score", gold, {"system": system}, self.measures, options)
        figures: dict[str, float] = {}
        for row in result.scores:
            if row.label is None and row.slice is None:
                figures[row.measure if row.main else f"{row.measure}/{row.score}"] = float(row.value)
        return figures

    def compute(self, *, predictions: Any, references: Any) -> dict[str, float]:
        """The figures, with the names of arguments that the library evaluate uses."""
        return self(references, predictions)

    def _sides(self, given: Any) -> tuple[Any, Any]:
        """Gold and system, from what callbacks are handed as one."""
        if hasattr(given, "predictions") and hasattr(given, "label_ids"):
            return from_predictions(given.predictions, given.label_ids, self.id2label)
        if isinstance(given, list | tuple) and given and all(hasattr(item, "reference") for item in given):
            return [item.reference for item in given], [item.predicted for item in given]
        if isinstance(given, tuple) and len(given) == 2:
            return from_predictions(given[0], given[1], self.id2label)
        raise UsageError(
            f"Expected gold and system, but got one {type(given).__name__}. Give both, or one EvalPrediction of "
            "Hugging Face (or predictions and label_ids as a tuple), or spaCy's Examples."
        )


@overload
def measure(name: str, /, *, scores: Scores, **definition: Any) -> Callable[[Judge], Judge]: ...


@overload
def measure(*names: str, id2label: Labels | None = None, **options: Unpack[ScoreKeywords]) -> Metric: ...


def measure(*names: str, id2label: Labels | None = None, **options: Any) -> Any:
    """Measures by name, as a function from gold and system to figures; with `scores=`, a decorator for a new measure.

    `assay.measure("exact", "fair", id2label=model.config.id2label)` is what Hugging Face's Trainer takes as
    compute_metrics. Options are those of `score`, but for jobs and cluster.
    """
    if "scores" in options:
        return define(*names, **options)
    # Mistakes show here, not after the first epoch.
    kinds = {name: option.kind for name, option in OPTIONS.items()}
    check_keywords(options, {**kinds, "id2label": Any, "scores": Any})
    for name in names:
        find(name)
    Options(**options).check()
    return Metric(names, id2label, options)
