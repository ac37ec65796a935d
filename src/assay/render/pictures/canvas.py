"""A drawing of a few kinds of marks, each with a role; written as SVG by hand, as PDF or PNG by matplotlib.

x runs to the right and y downwards, in pixels; a text stands on its y.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import groupby
from pathlib import Path

from assay.errors import UsageError
from assay.files import write
from assay.render.pictures.letters import clean, fitted, isolated, width_of
from assay.render.pictures.style import COLOURS, ROLES
from assay.result.posteriors import Posterior

Point = tuple[float, float]
ENDINGS = (".svg", ".pdf", ".png")


@dataclass(frozen=True)
class Lines:
    """Lines through points, open or closed; several in one mark where they look alike."""

    role: str
    lines: tuple[tuple[Point, ...], ...]
    closed: bool = False


@dataclass(frozen=True)
class Rect:
    """A rectangle, from its upper left corner."""

    role: str
    x: float
    y: float
    width: float
    height: float
    round: float = 0


@dataclass(frozen=True)
class Circle:
    """A circle around a point."""

    role: str
    x: float
    y: float
    radius: float


@dataclass(frozen=True)
class Text:
    """A line of text; `full` is what it says where it was cut."""

    role: str
    x: float
    y: float
    text: str
    anchor: str = "start"
    full: str = ""


Mark = Lines | Rect | Circle | Text


@dataclass
class Canvas:
    """A picture: marks in the order in which they are drawn, a title, and the same in words with all numbers."""

    width: float
    height: float
    title: str
    description: str
    marks: list[Mark] = field(default_factory=list)

    def line(self, role: str, *points: Point) -> None:
        """A line through points."""
        self.marks.append(Lines(role, (points,)))

    def lines(self, role: str, lines: Iterable[Sequence[Point]], closed: bool = False) -> None:
        """Several lines or polygons that look alike."""
        rows = tuple(tuple(line) for line in lines)
        if rows:
            self.marks.append(Lines(role, rows, closed))

    def polygon(self, role: str, *points: Point) -> None:
        """A closed line, filled where its role is."""
        self.marks.append(Lines(role, (points,), True))

    def rect(self, role: str, x: float, y: float, width: float, height: float, rounded: float = 0) -> None:
        """A rectangle."""
        self.marks.append(Rect(role, x, y, width, height, rounded))

    def circle(self, role: str, x: float, y: float, radius: float) -> None:
        """A circle."""
        self.marks.append(Circle(role, x, y, radius))

    def text(
        self, role: str, x: float, y: float, text: str, anchor: str = "start", room: float = 0, after: str = ""
    ) -> None:
        """A line of text, cut where it has no room, but for what comes `after`; anchor: `start`, `middle`, `end`."""
        style, whole = ROLES[role], clean(text)
        room = max(room - width_of(after, style.size, style.bold), 1) if room else math.inf
        shown = fitted(whole, style.size, room, style.bold)
        self.marks.append(Text(role, x, y, shown + after, anchor, "" if shown == whole else whole + after))

    def heading(self, posterior: Posterior, subtitle: str) -> None:
        """The names of a pair and their measure, each cut as far as it must be, and a line or two below."""
        style, room = ROLES["title"], self.width - 40
        names = [clean(name) for name in (posterior.a, posterior.b, posterior.measure)]
        whole = shown = _pair(*names)
        if width_of(whole, style.size, style.bold) > room:
            part = (room - width_of(_pair("", "", ""), style.size, style.bold)) / 3
            shown = _pair(*(fitted(name, style.size, part, style.bold) for name in names))
        self.marks.append(Text("title", 20, 30, shown, full="" if shown == whole else whole))
        self.paragraph("subtitle", 20, 50, subtitle, room)

    def paragraph(self, role: str, x: float, y: float, text: str, room: float) -> float:
        """Text broken into lines at spaces; returns where the next line would stand."""
        height = ROLES[role].size * 1.4
        for line in wrapped(text, role, room):
            self.text(role, x, y, line, room=room)
            y += height
        return y


def title_of(posterior: Posterior, what: str) -> str:
    """What a picture of one pair is called, in which it shows this."""
    return f"{_pair(posterior.a, posterior.b, posterior.measure)}, {what}"


def _pair(a: str, b: str, measure: str) -> str:
    return f"{isolated(a)} and {isolated(b)}: {isolated(measure)}"


def wrapped(text: str, role: str, room: float) -> list[str]:
    """The lines of a text that is broken at spaces."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(longer, ROLES[role].size, ROLES[role].bold) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def save(canvas: Canvas, path: str | os.PathLike[str]) -> None:
    """Write a picture to a file; the ending says how: .svg, .pdf, .png."""
    ending = Path(path).suffix.casefold()
    if ending == ".svg":
        write(Path(path), svg(canvas))
    elif ending in ENDINGS:
        from assay.render.pictures.plot import plot

        write(Path(path), plot(canvas, Path(path)))
    else:
        raise UsageError(f"{path}: pictures are written as {', '.join(ENDINGS)}. Give one of these endings.")


# --- SVG ---


def svg(canvas: Canvas) -> str:
    """A picture as SVG: stand-alone, or to be put into a page, whose variables and light or dark it follows."""
    title, description = clean(canvas.title), clean(canvas.description)
    # Several pictures may share a page, so their ids differ, and differ in the same way every time.
    key = hashlib.sha256(f"{title}\n{description}".encode()).hexdigest()[:10]
    size = f"{_number(canvas.width)} {_number(canvas.height)}"
    width, height = size.split()
    body = "\n".join(_group(role, marks) for role, marks in groupby(canvas.marks, key=lambda mark: mark.role))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="assay-picture" role="img" viewBox="0 0 {size}" '
        f'width="{width}" height="{height}" aria-labelledby="t{key}" aria-describedby="d{key}" '
        f"font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif\">\n"
        f'<title id="t{key}">{escape(title)}</title>\n<desc id="d{key}">{escape(description)}</desc>\n'
        f"<style>{_css(mark.role for mark in canvas.marks)}</style>\n{body}\n</svg>\n"
    )


def _css(roles: Iterable[str]) -> str:
    """Colours in light and dark; whatever does not know `light-dark` keeps to the attributes, which are light."""
    rules = []
    for role in sorted(set(roles)):
        style = ROLES[role]
        parts = [
            f"{name}:{_colour(value)}" for name, value in (("fill", style.fill), ("stroke", style.stroke)) if value
        ]
        rules.append(f".assay-picture .{role}{{{';'.join(parts)}}}")
    paper = _colour("paper")
    return (
        ".assay-picture{max-width:100%;height:auto}"
        "@supports (color:light-dark(#000,#fff)){"
        f"svg.assay-picture:root{{color-scheme:light dark;background:{paper}}}{''.join(rules)}}}"
    )


def _colour(name: str) -> str:
    variable, light, dark = COLOURS[name]
    return f"var({variable},light-dark({light},{dark}))"


def _group(role: str, marks: Iterator[Mark]) -> str:
    style = ROLES[role]
    attributes = [f'class="{role}"', f'fill="{COLOURS[style.fill][1] if style.fill else "none"}"']
    if style.stroke:
        attributes.append(f'stroke="{COLOURS[style.stroke][1]}" stroke-width="{_number(style.width)}"')
        attributes.append('stroke-linejoin="round"')
    if style.dash:
        attributes.append(f'stroke-dasharray="{" ".join(map(_number, style.dash))}"')
    if style.size:
        attributes.append(f'font-size="{_number(style.size)}"' + (' font-weight="600"' if style.bold else ""))
    return f"<g {' '.join(attributes)}>{''.join(map(_element, marks))}</g>"


def _element(mark: Mark) -> str:
    match mark:
        case Lines(_, lines, closed):
            return f'<path d="{"".join(_path(line, closed) for line in lines)}"/>'
        case Rect(_, x, y, width, height, rounded):
            corner = f' rx="{_number(rounded)}"' if rounded else ""
            size = f'width="{_number(width)}" height="{_number(height)}"'
            return f'<rect x="{_number(x)}" y="{_number(y)}" {size}{corner}/>'
        case Circle(_, x, y, radius):
            return f'<circle cx="{_number(x)}" cy="{_number(y)}" r="{_number(radius)}"/>'
        case Text(_, x, y, text, anchor, full):
            where = f'x="{_number(x)}" y="{_number(y)}"' + (f' text-anchor="{anchor}"' if anchor != "start" else "")
            title = f"<title>{escape(full)}</title>" if full else ""
            return f"<text {where}>{title}{escape(text)}</text>"


def _path(line: tuple[Point, ...], closed: bool) -> str:
    points = " ".join(f"{_number(x)},{_number(y)}" for x, y in line)
    return f"M{points}{'Z' if closed else ''}"


def _number(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
