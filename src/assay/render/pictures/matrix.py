"""All pairs and all measures at a glance: bars of three parts, laid out as the paper's Table 2."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.render.pictures.canvas import Canvas
from assay.render.pictures.letters import isolated, largest, share, turned, width_of
from assay.result.posteriors import Posterior, Thirds

Pair = tuple[str, str]
_BAR, _GAP, _ROW = 170.0, 26.0, 36.0
_TOP = 112.0
_THICK = 13.0
KINDS = {
    "decision": "the share of posterior draws in which each outcome is the likeliest",
    "region": "the mean probability of each outcome on a new data set",
}


def pairs(posteriors: Iterable[Posterior]) -> list[Pair]:
    """Each pair once, the way round in which it comes first, grouped by the left system."""
    found: list[Pair] = []
    for posterior in posteriors:
        if (posterior.a, posterior.b) not in found and (posterior.b, posterior.a) not in found:
            found.append((posterior.a, posterior.b))
    lefts = list(dict.fromkeys(left for left, _ in found))
    return sorted(found, key=lambda pair: lefts.index(pair[0]))


def measures(posteriors: Iterable[Posterior]) -> list[str]:
    """The measures in the order in which they come."""
    return list(dict.fromkeys(posterior.measure for posterior in posteriors))


def shares_of(posteriors: Iterable[Posterior], kind: str) -> dict[tuple[str, Pair], Thirds]:
    """Shares by measure and pair, either way round."""
    found = {}
    for posterior in posteriors:
        shares: Thirds = getattr(posterior, kind)
        found[posterior.measure, (posterior.a, posterior.b)] = shares
        found.setdefault((posterior.measure, (posterior.b, posterior.a)), turned(shares))
    return found


def matrix(posteriors: Sequence[Posterior], kind: str = "decision") -> Canvas:
    """A row per pair, a column per measure, in each a bar: left better, equal, right better."""
    rows, columns, shares = pairs(posteriors), measures(posteriors), shares_of(posteriors, kind)
    name = min(max(width_of(system, 12, bold=True) for pair in rows for system in pair) + 16, 190)
    left_end = 20 + 2 * name
    lefts = [left_end + column * (_BAR + _GAP) for column in range(len(columns))]
    width = max(left_end + len(columns) * (_BAR + _GAP) + 8, 680)
    groups = len({left for left, _ in rows})
    height = _TOP + _ROW * len(rows) + 10 * (groups - 1) + 16
    title = {"decision": "Decision shares of all pairs", "region": "Outcomes to expect on a new data set"}[kind]
    canvas = Canvas(width, height, title, _description(rows, columns, shares, kind))
    canvas.text("title", 20, 30, title, room=width - 40)
    canvas.text("subtitle", 20, 50, f"In each bar {KINDS[kind]}", room=width - 40)
    _key(canvas, 74)
    for x, measure in zip(lefts, columns, strict=True):
        canvas.text("strong", x, _TOP - 10, measure, room=_BAR)
    y = _TOP
    for number, (left, right) in enumerate(rows):
        first = not number or rows[number - 1][0] != left
        if first and number:
            y += 10
        if first:
            canvas.line("grid", (20, y - 4), (width - 20, y - 4))
            canvas.text("strong", 20, y + _THICK, left, room=name - 12)
        canvas.text("text", 20 + name, y + _THICK, right, room=name - 12)
        for x, measure in zip(lefts, columns, strict=True):
            if (measure, (left, right)) in shares:
                _bar(canvas, x, y + 2, shares[measure, (left, right)])
            else:
                canvas.text("small", x, y + _THICK, "not compared")
        y += _ROW
    return canvas


def _bar(canvas: Canvas, x: float, y: float, shares: Thirds) -> None:
    parts = [("a", shares.a), ("equal", shares.equal), ("b", shares.b)]
    first, here = largest(shares), x
    # Rounded shares of a printed table may add up to .999 or 1.001; the bar is whole all the same.
    whole = sum(value or 0.0 for _, value in parts) or 1.0
    for name, value in parts:
        length = _BAR * (value or 0.0) / whole
        if length:
            canvas.rect(name, here, y, length, _THICK)
        here += length
    for (name, value), place, anchor in zip(
        parts, (x, x + _BAR / 2, x + _BAR), ("start", "middle", "end"), strict=True
    ):
        if value is not None:
            sign = "≈ " if name == "equal" else ""
            role = "small-strong" if name == first else "small"
            canvas.text(role, place, y + _THICK + 12, f"{sign}{share(value)}", anchor)


def _key(canvas: Canvas, y: float) -> None:
    x = 20.0
    for role, label in (("a", "left system better"), ("equal", "≈ practically equal"), ("b", "right system better")):
        canvas.rect(role, x, y - 10, 18, 12)
        canvas.text("small", x + 24, y, label)
        x += 24 + width_of(label, 10.5) + 18


def _description(rows: list[Pair], columns: list[str], shares: dict[tuple[str, Pair], Thirds], kind: str) -> str:
    lines = [f"Given is {KINDS[kind]}."]
    for measure in columns:
        for left, right in rows:
            found = shares.get((measure, (left, right)))
            if found:
                equal = "" if found.equal is None else f"practically equal {share(found.equal)}, "
                lines.append(
                    f"{measure}: {isolated(left)} better {share(found.a)}, {equal}"
                    f"{isolated(right)} better {share(found.b)}."
                )
    return "\n".join(lines)
