"""What can be known to fail before anything is run is said before."""

from __future__ import annotations

from pathlib import Path

from assay.experiment.data import Data
from assay.experiment.measure import gold_measured
from assay.experiment.plan import DataSet, Experiment, measure_and_score
from assay.experiment.toml import Table


def check_ready(experiment: Experiment, *, programs: bool = True) -> None:
    """Refuse measures that do not exist, and files, folders and programs that are not there."""
    top = Table.read(experiment.given)
    _check_measures(experiment, top)
    if not experiment.store.parent.is_dir():
        raise top.error("store", f"there is no folder {experiment.store.parent}.")
    for data in experiment.datasets.values():
        if not Path(data.path).exists() and not set("*?[") & set(data.path):
            raise top.within("datasets", data.name).error("path", f"there is no file {data.path}.")
    for system in experiment.systems.values() if programs else ():
        table = top.within("systems", system.name)
        for kind, template in (("train", system.train), ("predict", system.predict)):
            if template is not None:
                with table.place(kind):
                    template.check_files(str(experiment.here))


def _check_measures(experiment: Experiment, top: Table) -> None:
    from assay.engine.measure import find

    tasks = []
    for spec in experiment.measures:
        measure, score = measure_and_score(spec)
        with top.place("measures"):
            found = find(measure)
        known = [*found.scores, *found.averages]
        if score is not None and score not in known:
            raise top.error("measures", f"{measure} has no score {score!r}. There is: {', '.join(known)}.")
        tasks.append(found.definition.task)
    if len(set(tasks)) > 1:
        named = ", ".join(dict.fromkeys(tasks))
        raise top.error("measures", f"are about different tasks: {named}. Make an experiment of each.")


def check_data(experiment: Experiment, names: set[str]) -> None:
    """Read these data sets, split them once, and score gold against itself: what fails there, fails in every run."""
    top = Table.read(experiment.given)
    for name in sorted(names):
        with top.within("datasets", name).place(""):
            _check_data_set(experiment, experiment.datasets[name])


def _check_data_set(experiment: Experiment, dataset: DataSet) -> None:
    data = Data.read(dataset)
    data.split(1, 1)
    if any(system.predict is not None and system.blind for system in experiment.systems.values()):
        data.blind([0])
    gold_measured(dataset, experiment.measures)
