"""make_result(): from the sum of all shards to a Result."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import assay
from assay.corpus import cluster_key
from assay.engine import changes
from assay.engine.build import Compared, Findings, build, count_tests
from assay.engine.confidences import BINS, calibration_rows, choose_thresholds, curve_rows, threshold_rows
from assay.engine.contributions import MANY, contribution_rows
from assay.engine.counts import FEW_CLUSTERS, FEW_UNITS, JointCounts, as_sums
from assay.engine.examples import DrawnExample
from assay.engine.measure import Measure
from assay.engine.parts import LabelSums, Part, choose_alignment, choose_bases
from assay.engine.plans import planned_differences
from assay.engine.scores import Settings
from assay.engine.slices import NO_VALUE
from assay.engine.task import find_task
from assay.engine.texts import merge_texts
from assay.engine.values import JointValues, make_scores
from assay.engine.warnings import format_warnings, put_repairs_first
from assay.errors import UsageError
from assay.formats import joint_digest
from assay.keywords import OPTIONS
from assay.result import InputFile, Mapped, Repair, Result, Threshold
from assay.result.grammar import ALPHA
from assay.result.numbers import plural

_Views = Sequence[tuple[str | None, list[int]]]
"""Everything (None) and each value of a slice, with the measures that it applies to."""
_SEED = re.compile(r"[-_. ]?(?:seed|run)[-_. ]?\d+", re.IGNORECASE)
NO_ERRORS = ("tp", "unscored")
"""Kinds of outcome that are no errors."""
WIDER = 1.2
"""Above this ratio, standard errors over documents are compared with those over sentences in a note …"""
LEAST_RATIO = 5
"""… if there are at least this many documents."""


def make_result(part: Part, settings: Settings | None = None) -> Result:
    """The Result of a Part, the sum of all shards."""
    plan = part.plan
    options, measures, task = plan.options, plan.measures, find_task(plan.task)
    unit, units = task.name_unit(part.unit), part.number(part.unit)
    if units == 1 and cluster_key(part.unit):
        raise UsageError(
            f"--unit {part.unit}: all data have the same {unit}, so there is nothing to resample. Give another key, "
            f"or --unit sentence"
        )
    family = _count_family(part) if plan.compares else 0
    together = options.pairs_of_sets * len(measures) or family
    settings = settings or Settings(
        *(options.seed, options.times, "" if options.figures_alone else options.interval, options.power),
        *(ALPHA / max(1, together), options.baseline, options.pairs_of_sets > 0),
        planned_differences(measures, options) if plan.command == "plan" else None,
    )
    views = list(part.views())
    tables = ("scores", "counts", *["comparisons"] * plan.compares)
    resemblance, documents = _resemblance(part, settings), part.number("document")
    documents = documents if part.unit == "sentence" and 1 < documents < units else 0
    basis, _ = choose_bases(dict(enumerate(plan.kinds)), measures)
    noun = "" if basis is None else measures[basis].noun
    # Some measures judge words where others find items.
    judges_words = task.matched and any(kinds is not None for kinds in plan.kinds) and not any(plan.kinds)
    gold, *sources = (
        replace(source, sha256=joint_digest(digests))
        for source, digests in zip(part.sources, part.digests, strict=True)
    )
    found = Findings(
        {
            "command": plan.command,
            "task": plan.task,
            "noun": noun or ("word" if judges_words else task.noun),
            "drawing": task.drawing.kind,
            "column": plan.column,
            "unit": unit,
            "units": units,
            "items": part.numbers["items"],
            "aligned_by": choose_alignment([way for way, _ in part.aligned]),
            "family": family,
            "tagset": plan.tagset,
            "scheme": plan.scheme,
            "atoms": plan.atoms,
            "kind": part.reading.kind,
            "joined_by": part.reading.joined_by,
            "documents": documents,
            "cluster_ratio": None if resemblance is None else resemblance[1],
            "remarks": {f"main {measure}": measure.asked for measure in measures if measure.asked},
            # Documents that are units because gold has them do not make texts of sentences texts of documents.
            **({} if plan.asked else {"text_unit": task.text_unit or "sentence"}),
        },
        _signature(part, [f"{source.name}:sha256={source.sha256[:12]}" for source in sources]),
        replace(gold, unaligned=max(number for _, number in part.aligned)),
        sources,
        # Everything, then slice by slice, of which nothing but the rows is kept.
        (
            (make_scores(measures[index], where, counts, settings), (*tables, *["labels"] * (not where)))
            for where, chosen in views
            for index in chosen
            if (counts := part.counts[index, where, part.unit]).units
        ),
        warnings=[*format_warnings(put_repairs_first(part.warnings))],
        further_warnings=[*_warnings(part, views, basis)],
        notes=[*format_warnings(part.notes)],
        further_notes=[*_notes(part, resemblance)],
        least_units=FEW_UNITS if part.unit == "sentence" else FEW_CLUSTERS,
        options=options,
        clustered=documents > 0,
    )
    rows = found.rows
    rows["mappings"] += part.mappings
    for when, name in part.sums:
        if when == "before":
            values = (main_score(measures[0], part.sums[either, name]) for either in ("before", "after"))
            rows["mappings"].append(Mapped(name, "all rules", 0, *values))
    repairs = [remark.facts for remark in part.warnings if remark.kind == "repair_made"]
    rows["repairs"] += [
        Repair(facts["name"], facts["fault"], facts["action"], facts["number"], facts["first"][0])
        for facts in repairs
    ]
    if part.confident or options.choose or options.min_score:
        rows["curves"] += curve_rows(part.confident)
        bins = next((one.parameters["bins"] for one in measures if "bins" in one.parameters), BINS)
        rows["calibrations"] += calibration_rows(part.confident, options.seed, options.times, bins)
        rows["thresholds"] += _thresholds(part, gold)
    if basis is not None:
        on = str(measures[basis])
        confusion = [row for name, met in part.met.items() for row in changes.label_pair_rows(name, met, on)]
        if (basis, None) in part.items and not plan.kinds[basis]:
            confusion = [*changes.confusion_rows(part.items[basis, None], on), *confusion]
            confusion.sort(key=lambda row: (plan.judged.index(row.system), -row.count))
        rows["confusion"] += confusion
        found.errors = {
            str(measure): {*measure.errors, *(kinds or ())} - {*NO_ERRORS}
            for measure, kinds in zip(measures, plan.kinds, strict=True)
        }
        shown = [where for where, chosen in views if where is not None and basis in chosen]
        found.about["texts"] = merge_texts(part.texts).coded(shown) if part.texts else None
        found.about["items"] = part.numbers.get("matched items", part.numbers["items"])
    for name, drawn in part.drawn.items():
        rows[name] += _shown(drawn) if drawn else ()
    if plan.compares and plan.command == "compare":
        found.items = list(_compared(part, views))
        rows["contributions"] += contribution_rows(part, settings)
    found.about["combined"] = part.combined.corpus if part.combined else None
    if task.finish:
        finish = task.finish
        found.finish = lambda result: finish(result, part, settings)
    return build(found)


def _thresholds(part: Part, gold: InputFile) -> Iterator[Threshold]:
    """Systems at several thresholds of their confidence. Raise an error if one that is applied was chosen here."""
    options, applied = part.plan.options, {}
    for name in part.plan.judged:
        threshold = options.threshold_of(name)
        if threshold is not None:
            applied[name] = threshold
            if threshold[1] == gold.sha256:
                raise UsageError(
                    f"--min-score: the threshold of {name} was chosen on the same items ({gold.path}), so scores are "
                    f"too high. Choose it on other data: assay score DEV SYSTEM --choose MEASURE -o chosen.json"
                )
    chosen = choose_thresholds(part.confident, options.choose, part.plan.task) if options.choose else {}
    yield from threshold_rows(part.confident, applied, chosen, gold.sha256)


def _compared(part: Part, views: _Views) -> Iterator[Compared]:
    """The items that systems are compared on, measure by measure, of everything and of each slice."""
    plan, task = part.plan, find_task(part.plan.task)
    by_characters = choose_alignment([way for way, _ in part.aligned]) == "characters"
    for where, chosen in views:
        for index in choose_bases({index: plan.kinds[index] for index in chosen}, plan.measures)[1]:
            measure = plan.measures[index]
            on, exact = str(measure), {}
            if where is None and ("exact", on) in part.sums:
                sums = part.sums["exact", on]
                exact = {"exact": sums["exact"], **sums[""]}
            # Over gold's items, which is recall where a system has other items than gold.
            by_words = (index, where) not in part.one_sided and not by_characters
            score = measure.main if by_words or not measure.is_share else "recall"
            counts = part.counts[index, where, part.unit]
            if isinstance(counts, JointValues):
                yield Compared(on, where, counts.losses(measure), measure.main)
                continue
            items = part.items[index, where]
            is_share = measure.is_share and not items.kinds
            ballots = part.ballots.get((index, part.unit)) if where is None else None
            combined = (ballots, task.no_combination, part.unit != "sentence")
            overlaps = part.overlaps.get((index, where, part.unit), {})
            yield Compared(on, where, items, score, is_share, task.gold_test, True, exact, *combined, overlaps)


def _shown(drawn: Sequence[DrawnExample]) -> list[Any]:
    """Rows of the examples drawn, by pairs of systems in their order, then by other groups as they come."""

    def find_systems(group: str) -> list[int]:
        return [int(number) for number in group.split("-") if number.isdigit()]

    groups = sorted(dict.fromkeys(row.group for row in drawn), key=find_systems)
    return [row.shown for group in groups for row in drawn if row.group == group]


def _count_family(part: Part) -> int:
    """The number of tests of main scores: for each measure the pairs of systems that both have the score."""
    baseline, number = part.plan.options.baseline, 0
    count_tests(part.plan.judged, baseline)
    for index, measure in enumerate(part.plan.measures):
        scores = make_scores(measure, None, part.counts[index, None, part.unit], Settings(0, 1, ""))
        values = dict(zip(scores.systems, scores.values(measure.main).tolist(), strict=True))
        defined = [name for name, value in values.items() if not math.isnan(value)]
        number += count_tests(defined, baseline) if baseline in (None, *defined) else 0
    return number


def main_score(measure: Measure, sums: LabelSums) -> float:
    """The main score that sums give; nan if there are none."""
    rows = list(sums.values())
    if not rows:
        return float("nan")
    totals = np.array([[*row.values()] for row in rows], dtype=np.float64)
    if measure.main not in measure.averages:
        totals = totals[0]
    return float({**measure.scores, **measure.averages}[measure.main](as_sums(totals, list(rows[0]))))


def _warnings(part: Part, views: _Views, basis: int | None) -> Iterator[str]:
    """Warnings on slices that do not apply to any measure, on systems that look like runs, on missing examples."""
    for spec, (values, *_) in part.slices.items():
        occurring = [value for value in values if (0, value) in part.sizes]
        if spec.startswith("meta:") and occurring == [f"{spec}={NO_VALUE}"]:
            key = spec.partition(":")[2]
            raise UsageError(f"--slice {spec}: {part.sources[0].path} has no comment `# {key} = …`.")
        if not any(where is not None and where.startswith(f"{spec}=") for where, _ in views):
            yield (
                f"--slice {spec}: this slice shows nothing, because all items have the same value or no measure has "
                f"items."
            )
    runs: dict[str, list[str]] = {}
    for name in part.plan.judged if part.plan.compares else ():
        if _SEED.search(name):
            runs.setdefault(_SEED.sub("", name), []).append(name)
    for stem, (first, *others) in runs.items():
        if others:
            yield (
                f"{first} and {others[0]} look like runs of one system but are compared as two systems. To compare "
                f"systems over their runs: {stem or 'NAME'}=RUN1,RUN2,…"
            )
    options = part.plan.options
    if basis is not None and options.examples and not part.drawn["examples"]:
        named = " and ".join(filter(None, (options.kind, options.change)))
        text = find_task(part.plan.task).name_unit("sentence")
        yield f"no {text} matches {named}." if named else "there are no differences to show examples of."


def _resemblance(part: Part, settings: Settings) -> tuple[str, float] | None:
    """The system whose main score on the first measure varies most over documents (or values of a comment) compared
    with sentences, and the ratio of the two standard errors; None if either unit is unknown or there are too few."""
    larger = "document" if part.unit == "sentence" else part.unit
    if not settings.interval or not LEAST_RATIO <= part.number(larger) < part.number("sentence"):
        return None
    measure = part.plan.measures[0]
    coarse, fine = (make_scores(measure, None, part.counts[0, None, unit], settings) for unit in (larger, "sentence"))
    ratios = {}
    for number, system in enumerate(part.plan.judged):
        wide, narrow = (one.standard_error(measure.main, number) for one in (coarse, fine))
        if narrow > 0:
            ratios[system] = wide / narrow
    return max(ratios.items(), key=lambda row: row[1], default=None)


def _notes(part: Part, resemblance: tuple[str, float] | None) -> Iterator[str]:
    """Notes on averages over documents, contributions, documents with similar sentences, unresolved mentions."""
    for index, measure in enumerate(part.plan.measures):
        counts, field = part.counts[index, None, part.unit], f"{measure.main}-documents"
        is_macro = measure.parameters.get("average") == "macro"
        if is_macro and isinstance(counts, JointCounts) and field in counts.fields and counts.units:
            place = counts.fields.index(field)
            for name, total in zip(counts.systems, counts.totals, strict=True):
                scored = int(total[..., place].sum())
                documents = plural(counts.units, "document")
                yield f"{measure} of {name} is the mean over {scored:,} of {documents}."
    if part.plan.compares and len(part.plan.judged) > MANY and not part.plan.options.baseline:
        yield f"With more than {MANY} systems, contributions are computed only for the pairs with --baseline NAME."
    key, text = cluster_key(part.unit), find_task(part.plan.task).name_unit("sentence")
    divided = part.numbers["divided documents"]
    if divided:
        contain = f"1 document contains more than one {key}, so its"
        if divided > 1:
            contain = f"{divided:,} documents contain more than one {key}, so their"
        yield f"{contain} {text}s belong to different units."
    if resemblance is not None and not 1 / WIDER <= resemblance[1] <= WIDER:
        (system, times), noun = resemblance, key or "document"
        reason = f", because {text}s of one {noun} resemble each other" if times > 1 else ""
        yield (
            f"The standard error of {system} on {part.plan.measures[0]} is {times:.1f} times as large over {noun}s "
            f"as over {text}s{reason}."
        )
    for name, unresolved in part.numbers.items():
        on = name.removeprefix("unresolved ")
        listed = sum(one.group == on for one in part.drawn.get("unresolved", ()))
        if on != name and unresolved > listed:
            noun = find_task(part.plan.task).noun
            drawn = f"{listed:,} of them, drawn at random, are listed"
            yield f"No system resolves {plural(unresolved, noun)} ({on}); {drawn}."


def _signature(part: Part, systems: Sequence[str]) -> dict[str, object]:
    """Parts of the signature: options, and checksums of the files."""
    plan, options, left_out = part.plan, part.plan.options, part.numbers["left out"] % 2**64
    signed = [name for name, option in OPTIONS.items() if option.signed and name not in plan.contents]
    chosen = {name: value for name in signed if (value := getattr(options, name)) != OPTIONS[name].default}
    # Formats whose parameters figures depend on say all of them.
    formats = [f"{source.name}:{source.format}" for source in part.sources[1:] if "(" in source.format]
    names = ["gold", *(source.name for source in part.sources[1:])]
    by_file = dict(zip(names, part.reading.columns, strict=False))
    column = plan.column or options.spelled_column
    if len({*by_file.values()}) > 1:
        column = ",".join(f"{name}={column}" for name, column in by_file.items())
    read = {"column": column, "scheme": plan.scheme, "atoms": plan.atoms}
    return {
        "assay": assay.__version__,
        "task": plan.task,
        **{name: value for name, value in read.items() if value},
        "measures": "+".join(measure.signature for measure in plan.measures),
        "unit": part.unit if cluster_key(part.unit) else find_task(plan.task).name_unit(part.unit),
        "n": part.number(part.unit),
        "interval": options.interval,
        "times": options.times,
        "seed": options.seed,
        **{name: "+".join(value) if isinstance(value, tuple | list) else value for name, value in chosen.items()},
        **{name: f"sha256={digest[:12]}" for name, digest in plan.contents.items()},
        **({"formats": "+".join(formats)} if formats else {}),
        **({"left_out": f"{left_out:016x}"} if left_out else {}),
        "gold": f"sha256={joint_digest(part.digests[0])[:12]}",
        "systems": "+".join(systems),
    }
