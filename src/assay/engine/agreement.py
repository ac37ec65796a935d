"""Agreement of annotators: of all at once and of each pair, and systems compared with them."""

from __future__ import annotations

import filecmp
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any, Unpack

import numpy as np

import assay
from assay.arrays import Array, Ints
from assay.classes import dataclass
from assay.corpus.adapters import named_systems
from assay.corpus.ratings import Ratings
from assay.engine import annotators as many
from assay.engine.adjudication import Disputes, is_adjudication
from assay.engine.annotators import ALL_PAIRS, Figure, Groups, is_notable
from assay.engine.build import Findings, build
from assay.engine.coefficients import AGAINST, disagreement
from assay.engine.counts import FEW_UNITS
from assay.engine.measure import Measure, find
from assay.engine.options import Options
from assay.engine.parts import choose_alignment
from assay.engine.places import Places, code_disputed, rate_places, texts_of_table, texts_of_words
from assay.engine.plans import with_ceiling_plans
from assay.engine.prepare import OpenFiles, Run
from assay.engine.run import evaluate_shards
from assay.engine.scores import Settings
from assay.engine.sides import read_annotators
from assay.engine.slices import Slice
from assay.engine.task import Task, find_task, tasks
from assay.engine.warnings import format_warnings
from assay.errors import InputError, UsageError
from assay.formats import Files, plan
from assay.formats.contents import describe
from assay.formats.ratings import FORMAT, RatingTable, SystemRatings, is_table, ratings_in, read_ratings
from assay.formats.source import Source as File
from assay.formats.source import find_folder, list_files
from assay.keywords import OPTIONS, AgreementKeywords, CompareKeywords, explicit, options_of
from assay.result import AltTest, Annotator, InputFile, Result, Score, enumeration
from assay.result.numbers import plural

_GOLD = re.compile(r"(?<![\w'\"./=-])gold(?!\w|[./=-]\w|'\s)")
"""Gold in a sentence on a pair, in which the first annotator takes its place; not in names of files and values."""
_FILES = re.compile(r"\|gold:.*$")
"""The files at the end of the signature of a pair."""
ABSENT = "absent"
"""The value of `missing` for documents that were not given to an annotator."""
_TABLES = ("tsv", "conll", "slash", "jsonl", "clusters", "items")
"""Formats that a table of ratings may look like by its first lines."""


@explicit
def agreement(
    annotators: Any,
    measures: Sequence[str] | str | None = None,
    *,
    systems: Any = None,
    against: Sequence[str] | str = (),
    items: bool | str = False,
    **options: Unpack[AgreementKeywords],
) -> Result:
    """The agreement of two or more annotators; options are those of `score`, but for jobs and cluster.

    `annotators` are files, folders or data as for systems, one each, one export of all of them (`which` lists some),
    or one table of ratings for all: a path, or {annotator: {item: label}}. In a wide table, columns that share
    their labels are annotators, or those that `column` lists. `systems` are judged against them, in the ways that
    `against` names: each, majority, any, leave-one-out. With missing="absent" a document that an annotator lacks
    was not given to them. With `items` the Result has all items, not only those that annotators disagree on most.
    If `items` is a path ending in .json (Label Studio), .jsonl (Prodigy) or / (brat), documents in which
    annotators differ are written there, to be decided.
    """
    if options.get("kind") == "disagreement":
        # There are no others.
        del options["kind"]
    absent = options.get("missing") == ABSENT
    if absent:
        del options["missing"]
    column = options.pop("column", None)
    if isinstance(column, Mapping):
        columns = [f"{name}={column}" if name else str(column) for name, column in column.items()]
    else:
        columns = [] if column is None else list(map(str, column if isinstance(column, list | tuple) else [column]))
    chosen = Options(
        **options, symmetric=True, column=tuple(columns) if len(columns) > 1 else next(iter(columns), None)
    )
    if chosen.interval == "score":
        # Coefficients are no shares; one kind of interval, from one draw of units, is for all scores.
        chosen = replace(chosen, interval="percentile")
    specs = [measures] if isinstance(measures, str) else measures or ()
    ways = (against,) if isinstance(against, str) else tuple(against) or AGAINST
    if chosen.margin and not systems:
        raise UsageError("--margin is for systems that are compared with annotators. Name one: --system NAME=PATH")
    target = items if isinstance(items, str) and is_adjudication(items) else ""
    disputes = Disputes() if target else None
    asked = _Request([find(spec) for spec in specs], {}, ways, bool(items) and not target, chosen, disputes)
    if (table := _read_table(annotators, columns, chosen)) is not None:
        chosen = replace(chosen, column="+".join(columns) or None)
        chosen.check()
        if disputes is not None:
            raise UsageError(
                f"--items {target}: a table of ratings has no texts for an annotation tool. Use --items items.tsv"
            )
        judged_systems = named_systems(systems) if systems else {}
        return build(_leave_out(_agree_in_table(table, replace(asked, systems=judged_systems, options=chosen))))
    annotators, systems = (read_annotators(given, chosen) for given in (annotators, systems))
    given = named_systems(annotators)
    if len(given) == 1 and isinstance(path := next(iter(given.values())), str | Path):
        given, chosen = _split_annotators(str(path), chosen)
        if len(given) < 2:
            found = f"{path} has {f'only {next(iter(given))}' if given else 'no names of annotators'}"
            raise UsageError(f"agreement takes at least two annotators, but {found}. Give one file per annotator.")
    # By name: no score depends on who is given first. One who is called gold comes first, as gold does in messages.
    people = dict(sorted(given.items(), key=lambda pair: (pair[0] != "gold", pair[0])))
    if len(people) < 2:
        raise UsageError("agreement takes at least two annotators.")
    if any(isinstance(given, str) and given == "-" for given in people.values()):
        raise UsageError("agreement reads files more than once, so they cannot come from standard input.")
    judged_systems = named_systems(systems) if systems else {}
    chosen = chosen.with_columns([*people, *judged_systems])
    # The margin is for systems, not for pairs of annotators.
    plain: dict[str, Any] = {"margin": ()}
    request = replace(asked, systems=judged_systems, options=replace(chosen, **plain))
    findings = _agree_in_files(people, absent, request)
    findings.options = replace(findings.options, margin=chosen.margin)
    findings.warnings[:0] = [
        f"{a} and {b} are copies of one file, so their agreement means nothing."
        for (a, path), (b, other) in combinations(people.items(), 2)
        if chosen.column_of(a) == chosen.column_of(b)
        and chosen.asked_of(a).which == chosen.asked_of(b).which
        and all(isinstance(given, str | Path) and Path(given).is_file() for given in (path, other))
        and filecmp.cmp(path, other, shallow=False)
    ]
    if disputes is not None:
        findings.notes.append(disputes.write(target))
    return build(_leave_out(findings))


def plan_ceiling(
    annotators: Any, systems: Any, measures: Sequence[str] | str | None, options: Mapping[str, Any]
) -> Result:
    """The smallest differences of systems from annotators that numbers of items would find; options of a plan."""
    given = Options(**options, symmetric=True)
    for name in sorted({*options_of(CompareKeywords)} - {*options_of(AgreementKeywords), "power"}):
        if getattr(given, name) != OPTIONS[name].default:
            raise UsageError(f"{OPTIONS[name].flag}: not available for a plan with annotators. Leave it out.")
    if given.margin:
        raise UsageError("--margin: a plan with annotators computes the differences itself. Leave it out.")
    if not systems:
        raise UsageError("a plan with annotators needs at least one system to compare with them: --system NAME=PATH")
    given.check()
    chosen = {name: value for name, value in options.items() if name in options_of(AgreementKeywords)}
    result = agreement(annotators, measures, systems=systems, against="leave-one-out", **chosen)
    return with_ceiling_plans(result, given.power, given.seed)


@dataclass(frozen=True, eq=False)
class _Request:
    """The request of a user: measures, systems that are compared with annotators, ways to compare, and options."""

    measures: Sequence[Measure]
    systems: Mapping[str, Any]
    against: Sequence[str]
    items: bool
    options: Options
    disputes: Disputes | None = None
    """What annotators differ in, if it is to be written."""

    @property
    def settings(self) -> Settings:
        """The settings of all intervals and tests."""
        return Settings(self.options.seed, self.options.times, "percentile")


def _split_annotators(path: str, options: Options) -> tuple[dict[str, Any], Options]:
    """The annotators of one file, all or those that --which names, and the options that choose each of them."""
    named = options.annotators or [
        f"annotator:{name}" for name in describe(path, input_format=options.format_of("gold")).annotators
    ]
    # What divides names from values cannot be in a name here.
    who = {re.sub("[=:,]", " ", one.removeprefix("annotator:").removeprefix("model:")): one for one in named}
    return dict.fromkeys(who, path), options.with_annotators(who)


# --- one table of ratings ---


def _read_table(given: Any, columns: Sequence[str], options: Options) -> RatingTable | None:
    """The table of ratings; None if each annotator has files."""
    if isinstance(given, Mapping) and given and all(isinstance(ratings, Mapping) for ratings in given.values()):
        if columns:
            raise UsageError(f"--column {columns[0]}: ratings by annotator have no columns.")
        return ratings_in(given)
    listed = [given] if isinstance(given, str | Path) else list(given) if isinstance(given, list | tuple) else []
    paths = [str(path) for path in listed if isinstance(path, str | Path)]
    if not paths or len(paths) < len(listed):
        return None
    form = options.format_of("gold")
    if form is not None and form.partition("(")[0].strip() == FORMAT:
        return read_ratings(paths, form, columns=columns)
    if len(paths) > 1 or form is not None:
        return None
    # A single file is a table of all annotators, unless it is annotated text.
    head = (source := File(list_files(paths[0])[0])).head()
    try:
        looks = plan(head, source.path, None, ()).name
    except InputError:
        looks = _TABLES[0]
    if looks not in _TABLES or not is_table(head):
        return None
    return read_ratings(paths, columns=columns)


def _agree_in_table(table: RatingTable, asked: _Request) -> Findings:
    """The agreement of the annotators in a table of ratings."""
    options = asked.options
    ratings = table.ratings()
    if len(ratings.annotators) < 2:
        raise UsageError("agreement takes at least two annotators.")
    if not len(ratings):
        raise InputError(f"{table.path}: contains no ratings.")
    task = next(task for task in tasks().values() if task.prepare is None and task.agreement)
    options.check_task(task)
    measures = list(asked.measures) or [find(spec) for spec in task.agreement]
    for measure in measures:
        if measure.takes not in ("labels", "systems") and measure.together is None:
            raise UsageError(f"{measure} is for {measure.task}, which a table of ratings does not have.")
    if options.unit == "document":
        name = next((name for name in ratings.columns if name.lower() in ("document", "doc")), None)
        if name is None:
            raise UsageError("--unit document: the table has no column `document`. Add it, or leave --unit out.")
        column = ratings.columns[name]
        ratings = replace(ratings, unit=column.codes, units=column.vocabulary, unit_noun="document")
    options.check_formats(list(asked.systems))
    answers, warnings = many.systems_of(asked.systems, ratings, options.format_of)
    number = np.bincount(ratings.annotator, minlength=len(ratings.annotators)).tolist()
    sources = [
        InputFile(name, table.path, table.sha256, FORMAT, rated, rated)
        for name, rated in zip(ratings.annotators, number, strict=True)
    ]
    gold = replace(sources[0], name=table.path, sentences=ratings.items, words=len(ratings))
    findings = _start_findings(task.name, measures, options, gold, sources)
    answering = f", {plural(len(answers), 'system')}" if answers else ""
    findings.about |= {
        "heading": f"agreement on ratings: {ratings.items:,} items, {len(ratings):,} ratings, "
        f"{len(ratings.annotators):,} annotators{answering}; read as ratings ({table.layout})",
        "noun": ratings.noun,
        "unit": ratings.unit_noun,
    }
    findings.warnings += [*table.warnings, *warnings]
    findings.notes += table.notes
    cuts = [(spec, many.slice_items(ratings, spec)) for spec in options.slices]
    _add_ratings(findings, ratings, {}, answers, measures, cuts, asked)
    if options.embed != "none":
        _add_texts(findings, ratings, measures, texts_of_table(ratings, table.path))
    return findings


# --- files of each annotator ---


def _agree_in_files(people: Mapping[str, Any], absent: bool, asked: _Request) -> Findings:
    """The agreement of annotators with files of their own: every pair, and all of them at once."""
    systems, options, given = asked.systems, asked.options, asked.measures
    for name in systems:
        if name in people:
            raise UsageError(f"{name!r} is both an annotator and a system. Give each its own name.")
    options.check_formats([*people, *systems])
    if absent and systems:
        fact = "--missing absent and --system cannot be combined: systems need documents of all annotators"
        raise UsageError(f"{fact}. Remove one, or name annotators of the same documents: --which NAME")
    # One folder for all has their annotations by name.
    in_folders = len({*map(str, people.values())}) > 1 and any(map(_find_folder, people.values()))
    shared = _shared_documents(people) if absent and in_folders else [people]
    if absent and not in_folders:
        kept: dict[str, Any] = {"missing": ABSENT}
        options = replace(options, **kept)
    opened = []
    for group in shared:
        # The first annotator is in gold's place.
        first, *rest = group
        others = {**{name: group[name] for name in rest}, **systems}
        measures = [measure for measure in given if _is_of_pairs(measure)]
        opened.append(OpenFiles(group[first], others, options.for_annotators(first, rest, [*systems]), measures))
    task = find_task(opened[0].task)
    wanted = list(given) or [find(spec) for spec in task.agreement]
    in_pairs, of_all = ([row for row in wanted if _is_of_pairs(row) is pairs] for pairs in (True, False))
    for measure in of_all:
        if (task.annotators.units if measure.takes == "units" else task.annotators.ratings) is None:
            raise UsageError(f"{measure} is not a measure of {task.name}. See: assay measures")
    findings = None
    if in_pairs or (not given and not of_all and task.measures_for):
        specs, parts, strangers = [_make_symmetric(str(measure)) for measure in in_pairs] if given else [], [], []
        for a, b in combinations(people, 2):
            both = [group for group in shared if a in group and b in group]
            if not both:
                strangers.append(f"{a} and {b} have no document in common.")
                continue
            here, other = (
                both[0][name]
                if len(both) == 1
                else Files(both[0][name].path, tuple(file for group in both for file in group[name].files))
                for name in (a, b)
            )
            onwards, backwards = options.for_annotators(a, [b], []), options.for_annotators(b, [a], [])
            pair_measures = specs or _default_measures(here, b, other, onwards)
            if asked.disputes is not None:
                measure = in_pairs[0] if given else find(pair_measures[0])
                run = OpenFiles(here, {b: other}, onwards, [measure]).run([measure])
                asked.disputes.add_annotators(run, measure, [a, b])
            onwards, backwards = (replace(one, embed="none") for one in (onwards, backwards))
            there = evaluate_shards("agreement", here, {b: other}, pair_measures, onwards)
            back = evaluate_shards("agreement", other, {a: here}, pair_measures, replace(backwards, examples=0))
            parts.append(_join_directions(there, back, a, f"{a} ~ {b}"))
        findings = _join_pairs(parts)
        findings.notes += strangers
        if task.annotators.by_place and not any(measure.takes == "labels" for measure in of_all):
            _add_places(findings, opened, shared, in_pairs[0] if given else find(pair_measures[0]), asked)
    if not of_all and not systems:
        assert findings is not None
        return findings
    runs = [prepared.run([]) for prepared in opened]
    findings = findings or _start_findings_of_files(task, runs, shared, [*people], of_all, options)
    units = [measure for measure in of_all if measure.takes == "units"]
    if units:
        if systems:
            raise UsageError("measures of units do not apply to systems. Remove --system.")
        find_units = task.annotators.units
        assert find_units is not None
        continua = many.join_continua([find_units(run, [*files]) for run, files in zip(runs, shared, strict=True)])
        unit_figures = [many.unit_figure(measure, continua, asked.settings) for measure in units]
        _add_scores(findings, [figure for figure, _ in unit_figures], len(continua.units), asked.settings)
        findings.further_notes += [note for _, note in unit_figures if note]
    if systems and in_pairs:
        _add_judged_pairs(findings, people, in_pairs, replace(asked, options=options))
    if len(units) == len(of_all) and (in_pairs or not systems):
        return findings

    def rate(column: str) -> tuple[Ratings, list[SystemRatings]]:
        find_ratings = task.annotators.ratings
        assert find_ratings is not None
        tables = [find_ratings(run, [*files, *systems], column) for run, files in zip(runs, shared, strict=True)]
        return many.split_systems(many.merge_ratings(tables), [*systems])

    ratings, answers = rate(runs[0].decided.column)
    columns = {str(column) for measure in _label_measures(of_all) if (column := measure.parameters.get("column"))}
    cuts: list[tuple[str, tuple[Ints, Sequence[str]]]] = []
    for spec in options.slices:
        cut = Slice.find(spec).sentences(runs[0].gold) if len(runs) == 1 else None
        if cut is not None:
            # Items without words are sentences themselves.
            of_item = ratings.columns.get("sentence")
            cuts.append((spec, (cut[0] if of_item is None else cut[0][of_item.codes], cut[1])))
        elif spec == "label":
            cuts.append((spec, many.slice_items(ratings, spec)))
    tables = {column: rate(column)[0] for column in columns}
    _add_ratings(findings, ratings, tables, answers, of_all, cuts, replace(asked, options=options))
    if options.embed != "none":
        places = texts_of_words(runs[0], ratings) if len(runs) == 1 else None
        _add_texts(findings, ratings, of_all, places or texts_of_table(ratings, findings.gold.path))
    return findings


def _add_places(
    findings: Findings,
    opened: Sequence[OpenFiles],
    shared: Sequence[Mapping[str, Any]],
    measure: Measure,
    asked: _Request,
) -> None:
    """Add each annotator against the others, labels and disagreements, place by place."""
    rated = [
        rate_places(prepared.run([measure]), [*files], measure)
        for prepared, files in zip(opened, shared, strict=True)
    ]
    found = [places for places in rated if places is not None]
    if len(found) < len(rated):
        return
    ratings = many.merge_ratings([ratings for ratings, _ in found])
    # Places that nobody marks are not counted, so no coefficient is corrected for chance.
    findings.rows["annotators"] += [
        replace(row, kappa=math.nan, alpha_without=math.nan, alpha_gain=math.nan, stands_out=False)
        for row in many.profile_rows(ratings, "nominal", "jaccard")
    ]
    _add_labels(findings, ratings, "nominal", "jaccard", asked)
    if asked.options.embed != "none":
        _add_texts(findings, ratings, (), found[0][1] if len(found) == 1 else texts_of_table(ratings, ""))


def _add_labels(findings: Findings, ratings: Ratings, level: str, distance: str, asked: _Request) -> None:
    """Add the labels that annotators confuse, and the items with the most disagreement."""
    findings.rows["coincidences"] += many.coincidence_rows(ratings)
    findings.rows["confused_labels"] += many.confused_rows(ratings)
    number = None if asked.items else asked.options.examples or many.SHOWN
    findings.rows["disagreements"] += many.disagreement_rows(ratings, level, distance, number)


def _add_texts(findings: Findings, ratings: Ratings, measures: Sequence[Measure], places: Places) -> None:
    """Add the texts that a page about disagreements shows; a column for each of very many annotators is too much."""
    if len(ratings.annotators) > many.MOST_OF_SYSTEMS // 6:
        return
    findings.about["texts"] = code_disputed(ratings, disagreement(ratings, *many.alpha_level(measures)), places)


def _leave_out(findings: Findings) -> Findings:
    """Findings with the mean over pairs without each annotator, by the first measure of pairs."""
    rows = [row for row in findings.rows["scores"] if row.main and row.label is None and row.slice is None]
    pairs = [row for row in rows if " ~ " in row.system]
    values = {row.system: row.value for row in pairs if row.measure == pairs[0].measure}
    people = sorted(row.name for row in findings.rows["annotators"]) or sorted(one.name for one in findings.systems)
    # Of very many annotators, not all pairs are listed.
    if len(people) < 3 or len(values) < len(people) * (len(people) - 1) // 2:
        return findings
    named = {(a, b): values.get(f"{a} ~ {b}", values.get(f"{b} ~ {a}", math.nan)) for a, b in combinations(people, 2)}
    if any(map(math.isnan, named.values())):
        return findings
    whole = math.fsum(named.values()) / len(named)
    known = {row.name: row for row in findings.rows["annotators"]}
    found = []
    for name in people:
        others = [value for pair, value in named.items() if name not in pair]
        without = math.fsum(others) / len(others)
        row = known.get(name) or Annotator(name, 0, math.nan, math.nan, math.nan, math.nan, {})
        out = row.stands_out or (math.isnan(row.alpha_gain) and is_notable(row.p_adjusted, without - whole))
        found.append(replace(row, pairs_without=without, pairs_gain=without - whole, stands_out=out))
    findings.rows["annotators"] = found
    return findings


def _is_of_pairs(measure: Measure) -> bool:
    """True if a measure is computed pair by pair."""
    return measure.takes == "pair" and measure.together is None


def _label_measures(measures: Sequence[Measure]) -> list[Measure]:
    """The measures of the labels of all annotators."""
    return [measure for measure in measures if measure.takes == "labels" or measure.together is not None]


def _find_folder(data: Any) -> str | None:
    return find_folder(str(data)) if isinstance(data, str | Path) else None


def _shared_documents(people: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The files of each annotator, for each set of two or more annotators who share documents."""
    stems: dict[str, dict[str, str]] = {}
    for name, given in people.items():
        folder = _find_folder(given)
        if folder is None:
            raise UsageError(
                f"--missing absent: {given} is not a folder. Give all annotators folders, or all of them files."
            )
        for file in list_files(str(given)):
            stems.setdefault(os.path.splitext(os.path.relpath(file, folder))[0], {})[name] = file
    groups: dict[tuple[str, ...], list[str]] = {}
    for stem in sorted(stems):
        groups.setdefault(tuple(name for name in people if name in stems[stem]), []).append(stem)
    shared: list[Mapping[str, Any]] = [
        {name: Files(str(people[name]), tuple(stems[stem][name] for stem in shared_stems)) for name in who}
        for who, shared_stems in groups.items()
        if len(who) > 1
    ]
    if not shared:
        raise UsageError("no two annotators have a document in common.")
    return shared


def _start_findings_of_files(
    task: Task,
    runs: Sequence[Run],
    shared: Sequence[Mapping[str, Any]],
    people: Sequence[str],
    measures: Sequence[Measure],
    options: Options,
) -> Findings:
    """Findings without scores, on runs over the documents that some annotators share, the first in gold's place."""
    sources: dict[str, InputFile] = {}
    warnings: dict[str, None] = {}
    notes: dict[str, None] = {}
    for run, first in zip(runs, map(next, map(iter, shared)), strict=True):
        for source in (run.source(0, first), *run.sources):
            sources.setdefault(source.name, source)
        for texts, remarks in ((warnings, run.warnings), (notes, run.notes)):
            texts.update(dict.fromkeys(re.sub(r"^gold\b", first, text) for text in format_warnings(remarks)))
    gold = replace(sources[people[0]], sentences=sum(run.gold.sentences for run in runs))
    findings = _start_findings(
        task.name, measures, options, gold, [sources[name] for name in people if name in sources]
    )
    findings.about |= {
        "column": runs[0].decided.column,
        "noun": task.noun,
        "drawing": task.drawing.kind,
        "unit": task.name_unit(runs[0].unit),
        "aligned_by": choose_alignment([pair.aligned_by for run in runs for _, pair in run.pairs]),
        "scheme": next(iter(runs[0].decided.schemes), ""),
        "atoms": runs[0].atoms,
        **(
            {"text_unit": task.text_unit, "joined_by": runs[0].decided.joined_by}
            if task.text_unit == task.noun
            else {}
        ),
    }
    findings.warnings += warnings
    findings.notes += notes
    return findings


def _start_findings(
    task: str, measures: Sequence[Measure], options: Options, gold: InputFile, sources: Sequence[InputFile]
) -> Findings:
    """Findings without scores."""
    signature = {
        "assay": assay.__version__,
        "task": task,
        **({"column": options.spelled_column} if options.column else {}),
        "measures": "+".join(measure.signature for measure in measures),
        **({"unit": options.unit} if options.unit else {}),
        "interval": "percentile",
        "times": options.times,
        "seed": options.seed,
        "annotators": "+".join(dict.fromkeys(f"sha256={source.sha256[:12]}" for source in sources)),
    }
    about = {
        "command": "agreement",
        "task": task,
        "unit": "item",
        "units": 0,
        "items": 0,
        "interval": "percentile",
    }
    line = "|".join(f"{key}:{value}" for key, value in signature.items())
    return Findings(about, line, gold, sources, options=options, shown_by_task=False)


# --- all annotators, and systems compared with them ---


def _group_units(ratings: Ratings) -> Groups:
    return Groups.of(ratings.unit_names, ratings.unit_of_item, ratings.sizes > 0)


def _add_ratings(
    findings: Findings,
    ratings: Ratings,
    columns: Mapping[str, Ratings],
    systems: Sequence[SystemRatings],
    measures: Sequence[Measure],
    cuts: Sequence[tuple[str, tuple[Ints, Sequence[str]]]],
    asked: _Request,
) -> None:
    """Add the scores of all annotators' ratings, and those of systems against them.

    `columns` are the ratings of other columns: words are the same in all of them, and so are their units.
    """
    settings, groups = asked.settings, _group_units(ratings)
    figures = [
        many.figure_of(measure, columns.get(str(measure.parameters.get("column")), ratings), groups)
        for measure in _label_measures(measures)
    ]
    used = int(np.count_nonzero(np.bincount(ratings.unit_of_item[ratings.sizes > 0], minlength=1)))
    if not findings.rows["scores"]:
        findings.about |= {"units": used, "items": int((ratings.sizes > 1).sum())}
        findings.least_units = FEW_UNITS
    facts, (level, distance) = many.agreement_facts(ratings, measures), many.alpha_level(measures)
    if facts.level_assumed:
        # After the first alpha, for users who did not mean names.
        place = 1 + [figure.measure.partition("(")[0] for figure in figures].index("alpha")
        ordinal = many.ordinal_figure(find("alpha(level=ordinal)"), ratings, groups)
        figures = [*figures[:place], ordinal, *figures[place:]]
    _add_scores(findings, figures, groups.number, settings)
    unsure = [figure.measure for figure in figures if not figure.resampled]
    findings.further_notes += [
        f"{name} has no intervals, because there are too many pairs and labels." for name in unsure
    ]
    for spec, (codes, names) in cuts:
        for code, name in enumerate(names):
            part = ratings.where(codes == code)
            if len(part):
                part_groups = _group_units(part)
                part_figures = [many.figure_of(measure, part, part_groups) for measure in _label_measures(measures)]
                findings.rows["scores"] += many.scores_of(
                    part_figures, part_groups.number, settings, f"{spec}={name}"
                )[0]
    # Of numbers that are measured, not counted, no two need be equal.
    findings.warnings[:0] = many.different_labels(ratings) if level in ("nominal", "set") else ()
    if figures and not (ratings.sizes > 1).any():
        findings.warnings.append(f"no {ratings.noun} has two ratings, so there is no agreement to measure.")
    if systems:
        compared = many.against_figures(ratings, systems, groups, asked.against)
        _add_scores(findings, compared, groups.number, settings, ratings.annotators)
        if not compared[0].resampled:
            findings.further_notes.append(
                "There are too many annotators to compute intervals for systems or to test against the human ceiling."
            )
    for measure in (measure for measure in measures if measure.takes == "systems"):
        if not systems:
            raise UsageError(f"{measure} compares a system with annotators. Give one: --system NAME=PATH")
        system_figures = [many.system_figure(measure, ratings, system, groups) for system in systems]
        rows = _add_scores(findings, [figure for figure, _ in system_figures], groups.number, settings)
        for system, (_, report) in zip(systems, system_figures, strict=True):
            if isinstance(report, AltTest):
                rho = next(row for row in rows if row.system == system.name and row.score == "advantage")
                whole = replace(report, measure=str(measure), advantage=rho.value, low=rho.low, high=rho.high)
                findings.rows["alt_tests"].append(whole)
            elif isinstance(report, Mapping):
                # By annotator.
                findings.rows["scores"] += [
                    Score(system.name, str(measure), "accuracy", name, None, value, math.nan, math.nan)
                    for name, value in report.items()
                ]
            elif report:
                findings.warnings.append(report)
    pairs = dict([("pairs", str(figure.rows.number)) for figure in figures if figure.rows.listed is not None][:1])
    rated = {"rated": ratings.noun} if ratings.noun != findings.about["noun"] else {}
    findings.about |= {
        "agreement_facts": facts if figures else None,
        "remarks": {**findings.about.get("remarks", {}), **rated, **pairs},
    }
    findings.rows["annotators"] += many.profile_rows(ratings, level, distance)
    _add_labels(findings, ratings, level, distance, asked)
    findings.pooled = groups.pooled


def _add_scores(
    findings: Findings, figures: Sequence[Figure], groups: int, settings: Settings, people: Sequence[str] = ()
) -> list[Score]:
    """Add the scores of figures with their intervals and notes, and tests of systems against the human ceiling of
    these annotators."""
    rows, notes = many.scores_of(figures, groups, settings, None)
    findings.rows["scores"] += rows
    findings.further_notes += notes
    if people:
        tests, notes = many.ceiling_comparisons(figures, people, settings)
        findings.rows["comparisons"] += tests
        findings.further_notes += notes
        findings.about["family"] = len(findings.rows["comparisons"])
    return rows


def _add_judged_pairs(
    findings: Findings, people: Mapping[str, Any], measures: Sequence[Measure], asked: _Request
) -> None:
    """Add systems against each annotator in gold's place, by measures of pairs, the human ceiling, and systems
    against what more than half of the annotators have."""
    systems, against, settings = asked.systems, asked.against, asked.settings
    plain = replace(asked.options, symmetric=False)
    counts: dict[str, dict[tuple[str, str], Array]] = {str(measure): {} for measure in measures}
    fields: dict[str, Sequence[str]] = {}
    sizes = set()
    voted: list[tuple[Measure, str, Array]] = []
    first = next(iter(people))
    for gold in people:
        others = {name: data for name, data in {**people, **systems}.items() if name != gold}
        run = OpenFiles(people[gold], others, plain.for_annotators(gold, [*people], [*systems]), measures).run(
            measures
        )
        unit = run.gold.unit_of_sentence(run.unit)
        sizes.add(int(unit[-1]) + 1)
        for measure in measures:
            for name, pair in run.pairs:
                counted = measure.counts_of(measure.judge(pair), run.gold.sentences)
                table = counted.regroup(unit, int(unit[-1]) + 1).matrix()
                counts[str(measure)][gold, name], fields[str(measure)] = table, counted.fields
            vote = find_task(run.task).annotators.majority
            if gold == first and vote is not None and "majority" in against:
                for name, pair in vote(run, list(systems)):
                    counted = measure.counts_of(measure.judge(pair), run.gold.sentences)
                    voted.append((measure, name, counted.regroup(unit, int(unit[-1]) + 1).matrix()))
    if not voted and not {"each", "leave-one-out"} & {*against}:
        raise UsageError("--against: for this task, use each or leave-one-out.")
    if len(sizes) > 1:
        raise UsageError("systems and annotators must have the same sentences to be compared. Or try --unit document")
    for measure in measures:
        sums, names = counts[str(measure)], fields[str(measure)]
        figures = many.paired_figures(measure, sums, names, list(people), list(systems), against)
        by_vote = [many.voted_figure(measure, name, table, names) for of, name, table in voted if of == measure]
        _add_scores(findings, figures, min(sizes), settings, list(people))
        _add_scores(findings, by_vote, min(sizes), settings)


# --- pairs ---


def _make_symmetric(spec: str) -> str:
    """The spec of a measure that does not depend on the order of annotators."""
    measure = find(spec)
    if measure.one_sided:
        raise UsageError(measure.one_sided)
    if measure.defaults.get("symmetric") is not False:
        return spec
    return str(replace(measure, parameters={**measure.parameters, "symmetric": True}))


def _default_measures(first: Any, name: str, second: Any, options: Options) -> list[str]:
    """A task's measures of pairs; kappa over words only if these are known and have one label each."""
    opened = OpenFiles(first, {name: second}, options)
    task = find_task(opened.task)
    specs = list(task.measures_for(opened.inputs[0]) if task.measures_for else task.agreement)
    for spec in task.annotators.where_defined:
        run = opened.run([find(spec) for spec in specs])
        try:
            find(spec).judge(run.pairs[0][1])
        except UsageError:
            continue
        specs.append(spec)
    return [spec for spec in specs if _is_of_pairs(find(spec))]


def _join_directions(there: Result, back: Result, first: str, pair: str) -> Result:
    """The Result about a pair of annotators, under the names of both, of the Results with each in gold's place.

    It has the scores that do not depend on the order of the two, with the mean ends of both intervals. Scores that
    take one side for gold (precision, the mean over gold's labels) are left out, with a note if that is a
    measure's main score. Scores by label or by the values of a slice are given for all or for none.
    """
    measures = dict(zip(back.measures, there.measures, strict=True))
    other = {(measures[row.measure], row.score, row.label, row.slice): row for row in back.scores}
    pairs = [(row, other.get((row.measure, row.score, row.label, row.slice))) for row in there.scores]
    differ = set()
    for row, turned in pairs:
        undefined = turned is not None and math.isnan(row.value) and math.isnan(turned.value)
        if turned is None or not (undefined or math.isclose(row.value, turned.value, abs_tol=1e-9)):
            differ.add(_table_key(row))
    scores, gone = [], []
    for row, turned in pairs:
        if turned is not None and _table_key(row) not in differ:
            ends = {name: (getattr(row, name) + getattr(turned, name)) / 2 for name in ("value", "low", "high")}
            scores.append(replace(row, system=pair, **ends))
        elif row.main and row.label is None and row.slice is None:
            gone.append(f"{row.measure} depends on the order of the annotators, so it is left out.")
    if gone and not any(row.main for row in scores):
        raise UsageError(f"{gone[0]} Choose another measure with -m")
    examples = tuple(
        replace(
            example,
            a=pair,
            sides=tuple(first if side == "gold" else side for side in example.sides),
            spans=tuple(replace(span, side=first) if span.side == "gold" else span for span in example.spans),
        )
        for example in there.examples
    )
    renamed: dict[str, Any] = {
        name: tuple(replace(row, system=pair) for row in getattr(there, name))
        for name in ("counts", "confusion", "error_types")
    }
    for name, texts in (("warnings", there.warnings), ("notes", (*there.notes, *gone))):
        renamed[name] = tuple(_GOLD.sub(lambda _: first, text) for text in texts)
    return replace(there, gold=replace(there.gold, name=first), scores=tuple(scores), examples=examples, **renamed)


def _table_key(row: Score) -> tuple[object, ...]:
    """The scores that belong together: those of all labels, and of all values of a slice."""
    kind = None if row.slice is None else row.slice.partition("=")[0]
    return row.measure, row.score, row.label is not None, kind


def _join_pairs(parts: Sequence[Result]) -> Findings:
    """The Results of all pairs as findings, with the mean over pairs if there are several."""
    sources = {source.name: source for part in parts for source in (part.gold, *part.systems)}
    # What one pair has by chance, being the same both ways there alone, is in no table.
    of_all = set.intersection(*({_table_key(row) for row in part.scores} for part in parts))
    parts = [replace(part, scores=tuple(row for row in part.scores if _table_key(row) in of_all)) for part in parts]

    def joined(name: str) -> tuple[Any, ...]:
        return tuple(row for part in parts for row in getattr(part, name))

    findings = Findings.of(parts[0])
    findings.about["aligned_by"] = choose_alignment([part.about.aligned_by for part in parts])
    # Those of all pairs and measures follow when all of them are known.
    del findings.about["titles"], findings.about["remarks"]
    findings.systems = tuple(sources.values())
    findings.rows["scores"] = [*joined("scores"), *(_average_pairs(parts) if len(parts) > 1 else ())]
    for name in ("counts", "confusion", "error_types", "examples"):
        findings.rows[name] = [*joined(name)]
    findings.warnings, findings.notes = (_join_notes(parts, name) for name in ("warnings", "notes"))
    # What is the same in all pairs is given once, and so is each file.
    bodies = dict.fromkeys(_FILES.sub("", part.signature) for part in parts)
    files = "+".join(f"{name}:sha256={source.sha256[:12]}" for name, source in sources.items())
    findings.signature = f"{' '.join(bodies)}|annotators:{files}"
    return findings


def _join_notes(parts: Sequence[Result], field: str) -> list[str]:
    """The notes of all pairs; one that applies to several annotators names all of them."""
    people: dict[str, dict[str, None]] = {}
    for part in parts:
        first, second = part.gold.name, part.systems[0].name
        for note in getattr(part, field):
            text = note.removesuffix(f" The same applies to {second}.")
            name = next((name for name in (first, second) if text.startswith(f"{name}:")), "")
            named = people.setdefault(text.removeprefix(name), {})
            named |= dict.fromkeys([name, *[second] * (text != note)])
    every = [(text, list(names)) for text, names in people.items()]
    return [
        f"{names[0]}{text}{f' The same applies to {enumeration(names[1:])}.' if names[1:] else ''}"
        for text, names in every
    ]


def _average_pairs(parts: Sequence[Result]) -> list[Score]:
    """The mean of each score over the pairs, undefined if a pair does not have it."""
    by_key: dict[tuple[object, ...], list[Score]] = {}
    for part in parts:
        for row in part.scores:
            by_key.setdefault((row.measure, row.score, row.label, row.slice), []).append(row)
    means = []
    for rows in by_key.values():
        # Exact, so that the order of pairs changes no digit.
        mean = math.fsum(row.value for row in rows) / len(rows) if len(rows) == len(parts) else math.nan
        first = rows[0]
        place = (first.measure, first.score, first.label, first.slice)
        means.append(Score(ALL_PAIRS, *place, mean, math.nan, math.nan, first.main))
    return means
