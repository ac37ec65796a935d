"""Texts that renderers have in common."""

from __future__ import annotations

from assay.errors import CONTROL
from assay.result import Result, enumeration
from assay.result.numbers import WRITERS, plural

_PICTURES = {**CONTROL, **{code: chr(0x2400 + code) for code in range(32)}, 0x7F: "\u2421"}


def visible(text: str) -> str:
    """Text from data with control characters spelt out: a label must not move a cursor or break a line."""
    return text.translate(_PICTURES)


def heading(result: Result) -> str:
    """A line that says what was compared."""
    about, shown = result.about, result.shown
    if shown.heading:
        return shown.heading
    if about.command == "bayes":
        measures = {row.measure for row in result.scores}
        return (
            f"many runs: {plural(len(result.systems), 'system')}, {plural(len(measures), 'measure')}, "
            f"{plural(about.items, 'data set')}, {plural(about.units, 'run')} of each system"
        )
    column = f", column {about.column}" if about.column else ""
    column += f", only {', '.join(about.labels)}" if about.labels else ""
    column += f", without {', '.join(about.ignore_labels)}" if about.ignore_labels else ""
    column += f" ({about.scheme.upper()})" if about.scheme else ""
    texts = plural(about.units if shown.text_unit == "document" else result.gold.sentences, shown.text_unit)
    names = (source.format.partition("(")[0] for source in (result.gold, *result.systems))
    formats = enumeration(list(dict.fromkeys(names)))
    read = f"read as {formats}, aligned by {about.aligned_by}"
    if about.command == "agreement":
        return f"agreement on {about.task}{column}: {texts}, {plural(len(result.systems), 'annotator')}; {read}"
    items = f"{plural(about.items, shown.noun)} {'of gold' if shown.matched else 'with a gold label'}"
    return f"{about.task}{column}: {texts}, {items}, {plural(len(result.systems), 'system')}; {read}"


def one_line(result: Result) -> str:
    """The Result in a line or two, for a prompt."""
    rows = [row for row in result.overall if row.main][:6]
    named = [f"{row.system} {row.measure} {WRITERS[result.form_of(row)](row.value)}" for row in rows]
    return f"<assay.Result {result.about.command} {result.about.task}/{result.about.column}: {', '.join(named)}>"
