"""What a paper needs: a ranked table, a figure, a caption for each, a paragraph on methods, and references."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from assay.errors import UsageError
from assay.render.formats import escape_latex
from assay.render.table import (
    ASSUMED,
    TOO_SHORT,
    count_data,
    group_notes,
    interval_kinds,
    mark_notes,
    merit_of,
    unit_notes,
)
from assay.result import Comparison, Result, Results, Score, enumeration, is_best, is_category
from assay.result.chance import interval_title
from assay.result.citations import list_methods, papers, write_entries
from assay.result.grammar import ALPHA
from assay.result.numbers import DASH, DIFFERENCES, WRITERS, interval, p_value, plural, points
from assay.result.verdict import name_measure, unit_of

COLUMN, PAGE = 200, 410
"""The widths in points of a column and of a page with two of them, in LaTeX's own class; others have more room."""
_ROWS = 40
"""The number of systems that fit on a page."""
_GAP = 8
"""The space between columns of a table in points."""
_SLICE = "dataset:"
_MODELS = {
    "hierarchical": "a hierarchical model of the differences on all data sets",
    "signed-rank": "the Bayesian signed-rank test on the scores of the data sets",
    "correlated-t": "the Bayesian correlated t-test",
}
_PACKAGES = "% Needs: \\usepackage{booktabs} \\usepackage{graphicx} \\usepackage[T1]{fontenc}\n"
Sentence = tuple[str, Sequence[str]]
"""A sentence without its full stop, and the measures, tests and methods whose papers it cites, or their keys."""


class Column(NamedTuple):
    """A column of scores: by system, with letters or marks that are set high."""

    title: str
    scores: Mapping[str, Score]
    form: str
    unit: float
    """The factor that makes scores fractions."""
    marks: Mapping[str, str]
    with_intervals: bool = True
    test: Comparison | None = None
    """The test of the only pair of systems."""


def make_paper(result: Result | Results, folder: Path) -> tuple[dict[Path, str | bytes], str]:
    """The files for a paper by their places in a folder, and the reason if there is no figure; nothing is written."""
    whole = result.overall if isinstance(result, Results) else result
    if whole.about.command not in ("score", "compare", "bayes") or not whole.main_scores:
        raise UsageError(
            f"--paper needs systems and their scores, but a result of {whole.about.command} has several tables. Use "
            f"--format latex."
        )
    used = list_methods(whole)
    known = {name: keys for name, keys in papers().items() if name in used} | {"assay": ("assay",)}
    sentences = [(text, _find_keys(names, known)) for text, names in _methods(whole)]
    files: dict[str, str | bytes] = {
        "table.tex": _table(whole),
        "methods.tex": _methods_latex(whole, sentences),
        "methods.txt": f"{' '.join(_cite(sentence, ' [{}]', ', ') for sentence in sentences)}\n\n{whole.signature}\n",
        "references.bib": write_entries(used),
    }
    reason = ""
    try:
        files |= _figure(whole, folder)
    except UsageError as error:
        # Without matplotlib, or a font for some letter, all else is of use.
        reason = str(error)
    return {folder / name: content for name, content in files.items()}, reason


def _tests_of(result: Result) -> list[Comparison]:
    """The tests of main scores that have a p-value."""
    rows = result.main_tests or [row for row in result.comparisons if row.test == "permutation"]
    return [row for row in rows if not math.isnan(row.p)]


def _measures(result: Result) -> list[str]:
    return [measure for measure in result.main_scores if not is_category(measure)] or [*result.main_scores]


# --- the table ---


def _columns(result: Result) -> tuple[list[Column], list[Column], list[str]]:
    """Columns of the single data sets, those over all data, and sentences on their marks."""
    tests, mains = _tests_of(result), result.main_scores
    ranks = {row.measure: row for row in result.ranks}
    pairs = {(row.a, row.b) for row in tests}
    base = next(iter(set.intersection(*map(set, pairs))), "") if len(pairs) > 1 else ""
    parts: list[Column] = []
    overall: list[Column] = []
    notes: list[str] = []
    for measure in _measures(result):
        rows = [row for row in result.scores if (row.measure, row.score) == (measure, mains[measure])]
        rows = [row for row in rows if row.label is None]
        of_measure = [row for row in tests if row.measure == measure]
        scores = {row.system: row for row in rows if row.slice is None}
        letters = {name: row.group for name, row in scores.items() if row.group}
        if letters:
            notes += group_notes(result, "letter")
        elif base:
            letters = {row.b if row.a == base else row.a: "*" for row in of_measure if row.is_significant}
            notes += [f"*: differs significantly from {base} (p at most 0.05 after Holm)."] * bool(letters)
        elif measure in ranks:
            letters = dict(ranks[measure].groups)
            test = {"wilcoxon": "Wilcoxon's signed-rank test, p > 0.05 after Holm", "nemenyi": "Nemenyi's test"}
            test_name = test[ranks[measure].by]
            notes.append(f"Systems with a common letter do not differ significantly over data sets ({test_name}).")
        unit = unit_of(result, measure) if result.about.command == "bayes" else 1
        form = result.form_of(rows[0])
        if not parts and (result.systems_over_sets or result.about.command == "bayes"):
            for name in dict.fromkeys(row.slice for row in rows if row.slice and row.slice.startswith(_SLICE)):
                on_set = {row.system: row for row in rows if row.slice == name}
                parts.append(Column(str(name).removeprefix(_SLICE), on_set, form, unit, {}))
        lower = " ↓" * any(row.lower for row in scores.values())
        test_of_pair = of_measure[0] if len(pairs) == 1 and of_measure else None
        title = f"{'average' if parts and len(_measures(result)) == 1 else name_measure(result, measure)}{lower}"
        overall.append(Column(title, scores, form, unit, letters, test=test_of_pair))
    return parts, overall, [*dict.fromkeys(notes)]


def _layouts(parts: Sequence[Column], overall: Sequence[Column]) -> Iterator[list[Column]]:
    """The columns of a table, with less and less in them."""

    def without(columns: Sequence[Column]) -> list[Column]:
        return [column._replace(with_intervals=False) for column in columns]

    yield [*parts, *overall]
    yield [*without(parts), *overall]
    yield [*without(parts), overall[0], *without(overall[1:])]
    for number in range(len(overall), 0, -1):
        yield [overall[0], *without(overall[1:number])]


def _cells(columns: Sequence[Column], names: Sequence[str]) -> list[list[tuple[str, str, str, bool]]]:
    """For each system and column: the score, its mark, its interval, and True if it is the best."""
    widths = [
        column.unit * (row.high - row.low)
        for column in columns
        for row in column.scores.values()
        if column.form == "percent"
    ]
    is_wide = min((width for width in widths if not math.isnan(width)), default=0) >= 0.01
    cells = []
    for name in names:
        line = []
        for column in columns:
            row, write = column.scores.get(name), WRITERS[column.form]
            if row is None:
                line.append((DASH, "", "", False))
                continue
            # One decimal less for ends that are at least a point apart.
            short = (lambda value: f"{100 * value:.1f}") if is_wide and column.form == "percent" else write
            ends = f"±\u00a0{write(column.unit * row.runs.spread)}" if row.runs else ""
            if not math.isnan(row.low):
                ends = interval(column.unit * row.low, column.unit * row.high, short)
                ends = f"({ends}{TOO_SHORT})" if row.too_short else f"{ends}{ASSUMED * row.assumed}"
            merits = [merit_of(other) for other in column.scores.values()]
            best = is_best(merits, [*column.scores].index(name))
            shown = ends if column.with_intervals else ""
            line.append((write(column.unit * row.value), column.marks.get(name, ""), shown, best))
        cells.append(line)
    return cells


def _width(text: str, size: float = 9) -> float:
    """About the width of a text in points, rather more than less."""
    return size * sum(
        0.3 if mark in " .,:;[]()|'ijl" else 0.78 if mark in "mwMW−+" or mark.isupper() else 0.52 for mark in text
    )


def _table(result: Result) -> str:
    """The table: systems from the best to the worst by the first measure, as wide as a column or as the page."""
    parts, overall, notes = _columns(result)
    first = overall[0].scores
    names = sorted(
        result.names,
        key=lambda name: (math.isnan(merit := merit_of(first.get(name))), -merit if not math.isnan(merit) else 0),
    )
    for columns in _layouts(parts, overall):
        cells = _cells(columns, names)
        sides = [[[str(line[at][part]) for line in cells] for part in range(3)] for at in range(len(columns))]
        width = max(map(_width, ["difference", *names]))
        for column, (values, marks, ends) in zip(columns, sides, strict=True):
            test = _pair_cells(column)
            body = max(_width(text) for text in (*values, *test[::2])) + max(_width(mark, 7) for mark in marks)
            body += max((_width(text, 7) + 3 for text in (*ends, test[1]) if text), default=0)
            width += _GAP + max(body, _width(column.title))
        if width <= PAGE:
            break
    spec, header = "@{}l", [""]
    for column, (_, marks, ends) in zip(columns, sides, strict=True):
        number = 1 + any(marks) + any(ends)
        spec += "r" + "@{}l" * any(marks) + r"@{\,}r" * any(ends)
        header.append(f"\\multicolumn{{{number}}}{{{'c' if number > 1 else 'r'}}}{{{escape_latex(column.title)}}}")

    def line_of(name: str, line: Sequence[tuple[str, str, str, bool]]) -> str:
        texts = [escape_latex(name)]
        for (value, mark, ends, best), (_, marks, all_ends) in zip(line, sides, strict=True):
            texts.append(f"\\textbf{{{escape_latex(value)}}}" if best else escape_latex(value))
            texts += [f"\\textsuperscript{{{escape_latex(mark)}}}" if mark else ""] * any(marks)
            texts += [f"{{\\scriptsize {escape_latex(ends)}}}" if ends else ""] * any(all_ends)
        return " & ".join(texts) + r" \\"

    lines = [line_of(name, line) for name, line in zip(names, cells, strict=True)]
    last = []
    if any(column.test for column in columns):
        texts = [_pair_cells(column) for column in columns]
        family = max((column.test.family.size for column in columns if column.test and column.test.family), default=1)
        last = [r"\midrule", line_of("difference", [(value, "", ends, False) for value, ends, _ in texts])]
        bold = [bool(column.test and column.test.is_significant) for column in columns]
        holm = [(p, "", "", is_bold) for (*_, p), is_bold in zip(texts, bold, strict=True)]
        last.append(line_of("p (Holm)" if family > 1 else "p", holm))
    caption = _table_caption(result, columns, cells, [*parts, *overall], notes)
    star, floats = "*" * (width > COLUMN), []
    for start in range(0, len(lines), _ROWS):
        is_end = start + _ROWS >= len(lines)
        text = [
            *(f"\\begin{{table{star}}}[t]", r"\centering\small\setlength{\tabcolsep}{4pt}%"),
            *(f"\\sbox0{{\\begin{{tabular}}{{{spec}@{{}}}}", r"\toprule", " & ".join(header) + r" \\"),
            *(r"\midrule", *lines[start : start + _ROWS], *last * is_end, r"\bottomrule"),
            r"\end{tabular}}%",
            r"\ifdim\wd0>\linewidth\typeout{assay: the table is scaled to the line}%",
            r"\resizebox{\linewidth}{!}{\usebox0}\else\usebox0\fi",
            f"\\caption{{{escape_latex(caption if not start else 'Scores, continued.')}}}",
            *[r"\label{tab:assay}"] * (not start),
            f"\\end{{table{star}}}",
        ]
        floats.append("\n".join(text))
    return (
        f"{_PACKAGES}% A table that is wider than the line (other fonts, long names) is scaled to it.\n"
        + "\n\n".join([*floats, ""])
    )


def _pair_cells(column: Column) -> tuple[str, str, str]:
    """The difference of the only pair of systems, its interval and its p; empty if there is none."""
    row = column.test
    if row is None:
        return "", "", ""
    write, (value, low, high) = WRITERS[DIFFERENCES[column.form]], (column.unit * number for number in row.figure)
    ends = "" if math.isnan(low) or not column.with_intervals else interval(low, high, write)
    return write(value), ends, p_value(row.p_adjusted)


def _table_caption(
    result: Result,
    columns: Sequence[Column],
    cells: Sequence[Sequence[tuple[str, str, str, bool]]],
    every: Sequence[Column],
    notes: Sequence[str],
) -> str:
    """The caption: what the table shows, and what its brackets and marks mean."""
    titles = [column.title for column in columns]
    sets, measure_names = _set_names(result), [name_measure(result, measure) for measure in _measures(result)]
    ranked = ", best first" * (len(result.systems) > 1)
    ranked += f" by {measure_names[0]}" * bool(ranked and measure_names[1:])
    measures = enumeration(measure_names)
    data = f" on {count_data(result)}" if result.about.command != "bayes" else ""
    over = f", averaged over {plural(len(sets), 'data set')}" * (len(sets) > 1)
    what = f"{measures[0].upper()}{measures[1:]} of {plural(len(result.systems), 'system')}"
    texts = [f"{what}{data}{over}{ranked}."]
    texts += unit_notes(column.form for column in columns if column.unit == 1)
    on_sets = [title for title in titles if title in sets]
    if on_sets and measure_names[1:]:
        texts.append(f"Scores on single data sets ({enumeration(on_sets)}) are {measure_names[0]}.")
    ends = [cell[2] for line in cells for cell in line]
    if any("[" in text for text in ends):
        texts.append("95% intervals in brackets.")
    if any("±" in text for text in ends):
        texts.append("±: standard deviation over runs.")
    if any("↓" in title for title in titles):
        texts.append("↓: lower is better.")
    tests = [column.test for column in columns if column.test]
    if tests:
        unit = " in points" * all(column.form == "percent" for column in columns)
        brackets = f", with the {interval_title(tests)}" * any(_pair_cells(column)[1] for column in columns)
        texts.append(f"Difference: {tests[0].b} minus {tests[0].a}{unit}{brackets}.")
    texts += [*notes, *mark_notes(result, ends)]
    # Data sets without room are counted in the first sentence.
    gone = [column.title for column in every if column.title not in (*titles, *sets)]
    return " ".join([*texts, f"Not shown: {enumeration(gone)}."] if gone else texts)


def _set_names(result: Result) -> list[str]:
    """The data sets of a Result over several."""
    if not result.systems_over_sets and result.about.command != "bayes":
        return []
    names = (row.slice for row in result.scores if row.slice and row.slice.startswith(_SLICE))
    return [*dict.fromkeys(name.removeprefix(_SLICE) for name in names)]


# --- the figure ---


def _figure(result: Result, folder: Path) -> dict[str, str | bytes]:
    """The figure with intervals that shows most: differences of two systems, scores of several; and its float."""
    from assay.render.pictures import check_plot, choose_figures
    from assay.render.pictures.sheet import COLUMN as NARROW
    from assay.render.pictures.sheet import encode_figure

    check_plot()
    draws = choose_figures(result)
    number, pairs = len(result.systems), {(row.a, row.b) for row in _tests_of(result)}
    # Without letters, as for one pair or with a baseline, scores do not show which differences are significant.
    with_letters = number > 2 and len(pairs) in (0, number * (number - 1) // 2)
    kinds = ["forest", "ranks", "matrix"] if result.bayes else ["differences"] * (not with_letters) + ["scores"]
    name = next((name for kind in kinds for name in draws if name.partition("-")[0] == kind), None)
    if name is None:
        raise UsageError("nothing in this result can be drawn")
    figure = draws[name]()
    # Posteriors are as wide as what they show, which is known once they are drawn.
    width = figure.get_tightbbox().width if figure.get_figwidth() == 1 else figure.get_figwidth()
    star = "*" if width > NARROW else ""
    place = f"{folder.name}/" if folder.name else ""
    lines = [
        f"{_PACKAGES}% If this folder has another name for LaTeX: \\newcommand{{\\assayfolder}}{{…/}} before.",
        f"\\providecommand{{\\assayfolder}}{{{place}}}",
        f"\\begin{{figure{star}}}[t]",
        r"\centering",
        r"\includegraphics[width=\linewidth]{\assayfolder figure.pdf}",
        f"\\caption{{{escape_latex(str(figure.get_label()))}}}",
        r"\label{fig:assay}",
        f"\\end{{figure{star}}}",
    ]
    return {"figure.pdf": encode_figure(figure, folder / "figure.pdf"), "figure.tex": "\n".join([*lines, ""])}


# --- methods ---


def _methods(result: Result) -> Iterator[Sentence]:
    """What was measured, on what, with which intervals and tests."""
    about, names = result.about, plural(len(result.systems), "system")
    sets, measures = _set_names(result), _measures(result)
    over = f"{plural(len(sets), 'data set')} ({enumeration(sets)})" if sets else ""
    if about.command == "bayes":
        over = over or plural(about.items, "data set")
        yield f"We compared {names} on {over}", []
    else:
        column = f", column {about.column}" if about.column and not about.joined_by else ""
        column += f", only {', '.join(about.labels)}" if about.labels else ""
        column += f", without {', '.join(about.ignore_labels)}" if about.ignore_labels else ""
        data = f"{over} with {count_data(result)}" if over else count_data(result)
        yield f"We scored {names} on {data} ({about.task}{column})", []
    titles = enumeration([name_measure(result, measure) for measure in measures])
    yield f"The {'measure is' if len(measures) == 1 else 'measures are'} {titles}", measures
    if any(row.runs for row in result.overall):
        numbers = sorted({row.runs.number for row in result.overall if row.runs})
        runs = f"{numbers[0]:,}" if len(numbers) == 1 else f"{numbers[0]:,} to {numbers[-1]:,}"
        yield f"For systems with several runs ({runs}), the score is the mean over runs", []
    yield from _posterior_sentences(result) if about.command == "bayes" else _interval_sentences(result)
    yield from _test_sentences(result)
    yield f"All scores were computed with assay {result.version}", ["assay"]


def _interval_sentences(result: Result) -> Iterator[Sentence]:
    about, sets = result.about, _set_names(result)
    shown = [row for row in result.overall if row.main and not math.isnan(row.low)]
    if shown or result.comparisons:
        units = plural(about.units, about.unit)
        documents = f", although they come from {plural(about.documents, 'document')}" if about.documents else ""
        which = "Intervals and tests" if result.comparisons else "Intervals"
        yield f"{which} treat the {units} as independent{documents}", []
    kinds = list(dict.fromkeys("runs" if row.runs else row.interval for row in shown))
    known = [kind for kind in kinds if kind in interval_kinds(result)]
    if known:
        words = "; others are ".join(interval_kinds(result)[kind] for kind in known)
        of = "averages over these data sets" if sets else "scores"
        yield (
            f"We report 95% intervals of {of} ({words})",
            ["wilson" if kind == "score" else kind for kind in known],
        )


def _test_sentences(result: Result) -> Iterator[Sentence]:
    tests, unit = _tests_of(result), result.about.unit
    if not tests:
        return
    shuffled = [row for row in tests if row.test == "shuffling" and row.method not in ("t", "judge")]
    within = " within each data set" * bool(result.systems_over_sets)
    if shuffled:
        exact, times = sum(row.exact for row in shuffled), f"{result.about.times:,} shufflings"
        how = "p is exact" if exact == len(shuffled) else f"with {times}"
        if 0 < exact < len(shuffled):
            how = f"p is exact in {exact:,} of {len(shuffled):,} tests, the others have {times}"
        tilted = "; small p-values by importance sampling" * any(row.method == "tilted" for row in shuffled)
        yield (
            (
                f"Differences were tested by two-sided paired shuffling, which exchanges outputs {unit} by {unit}"
                f"{within} ({how}{tilted})"
            ),
            ["shuffling"],
        )
    if any(row.p_shuffling is not None for row in tests):
        yield "Pearson correlations of fewer than 30 items were compared with Williams' test", []
    if any(row.test == "runs" for row in tests):
        yield (
            f"Systems with several runs were compared with Student's t, using the variance over {unit}s and over "
            f"runs",
            [],
        )
    if any(row.method == "judge" for row in tests):
        yield "Estimates from the labels of humans and a judge were compared with Student's t", []
    if any(row.test == "permutation" for row in tests):
        further = "" if all(row.exact for row in tests) else ", or from Welch's t if there are too many"
        yield f"p comes from all assignments of the runs to the two systems{further}", []
    size = max((row.family.size for row in tests if row.family), default=len(tests))
    pairs, measures = len({(row.a, row.b) for row in tests}), len({row.measure for row in tests})
    named = f" ({plural(pairs, 'pair')}, {plural(measures, 'measure')})" * (pairs * measures == size)
    if size > 1:
        yield f"p-values were corrected with Holm's method for {plural(size, 'test')}{named}", ["holm"]
    yield f"A difference is significant if p is at most {ALPHA:g}{' after this correction' * (size > 1)}", []
    # Two systems, or systems and their baseline, are shown by their differences.
    number, kinds = len(result.systems), {row.interval for row in tests} & interval_kinds(result).keys()
    if number * (number - 1) // 2 != pairs * (number > 2) and kinds:
        words = "; others are ".join(interval_kinds(result)[kind] for kind in sorted(kinds))
        yield f"Differences are given with the {interval_title(tests)} ({words})", []
    margins = {row.measure: row.margin for row in tests if row.margin is not None}
    if margins:
        forms = {row.measure: result.form_of(row) for row in tests}
        sizes = {
            name: points(margin) if forms[name] == "percent" else f"{margin:g}" for name, margin in margins.items()
        }
        several = len({*sizes.values()}) > 1
        listed = enumeration([f"{size} ({result.title(name)})" for name, size in sizes.items()]) if several else ""
        corrected = f", with Bonferroni correction for {plural(size, 'test')}" * (size > 1)
        yield (
            (
                f"Differences were compared with a margin of {listed or next(iter(sizes.values()))} by two one-sided "
                f"tests at {ALPHA:g}{corrected}"
            ),
            [],
        )


def _posterior_sentences(result: Result) -> Iterator[Sentence]:
    models = [model for model in dict.fromkeys(row.model for row in result.bayes) if model in _MODELS]
    if models:
        number, draws = max(row.runs for row in result.bayes), result.about.times
        runs = f"{plural(number, 'run')} of each system, " * (models != ["signed-rank"])
        named = enumeration([_MODELS[model] for model in models])
        yield f"The posterior of each difference comes from {named} ({runs}{draws:,} draws)", ["bayes", *models]
        yield "A relation counts as decided if its share of posterior draws is at least .95", []
    ropes: dict[str, str] = {}
    for row in result.bayes:
        if row.rope:
            ropes[row.measure] = points(row.rope) if unit_of(result, row.measure) == 1 else f"{row.rope:g}"
    if ropes:
        same = len({*ropes.values(), *[""] * (len(ropes) < len({row.measure for row in result.bayes}))}) == 1
        sizes = [*ropes.values()][:1] if same else [f"{size} ({measure})" for measure, size in ropes.items()]
        yield f"Differences of at most {enumeration(sizes)} count as practically equivalent", []
    yield from ((note.rstrip("."), []) for note in result.notes if note.startswith("Correlation of runs"))
    if any(row.slice and not math.isnan(row.low) for row in result.scores):
        yield (
            "The 95% intervals of mean scores take into account that runs share training data",
            ["correlated-t"],
        )
    tested = [row for row in result.pairs_over_sets if not math.isnan(row.signed_rank)]
    if tested:
        pairs = len({(row.a, row.b) for row in tested})
        holm = f", with Holm correction for {plural(pairs, 'pair')}" * (pairs > 1)
        yield f"Differences over data sets were tested with Wilcoxon's signed-rank test{holm}", ["holm"] * (pairs > 1)


def _find_keys(names: Sequence[str], known: Mapping[str, Sequence[str]]) -> list[str]:
    """The keys of the papers of measures, tests and methods; las@dep is the measure las of one framework."""
    words = (name.partition("(")[0].partition("@")[0] for name in names)
    return list(dict.fromkeys(key for word in words for key in known.get(word, ())))


def _cite(sentence: Sentence, pattern: str, between: str) -> str:
    """A sentence with the keys of the papers that it cites, in a pattern."""
    text, keys = sentence
    return f"{text}{pattern.format(between.join(keys)) if keys else ''}."


def _methods_latex(result: Result, sentences: Sequence[Sentence]) -> str:
    cited = [_cite((escape_latex(text), keys), "~\\cite{{{}}}", ",") for text, keys in sentences]
    # A line may end after each mark of the signature, and within long names.
    pieces = re.findall(r"[^|:+=,/]{1,12}[|:+=,/]*|[|:+=,/]+", result.signature)
    signature = r"\allowbreak{}".join(map(escape_latex, pieces))
    text = "\n".join(cited)
    return (
        f"% References: \\bibliography{{references}}\n{{\\emergencystretch=3em\n{text}\n\\par}}\n\n"
        f"{{\\raggedright\\footnotesize Signature: \\texttt{{{signature}}}\\par}}\n"
    )
