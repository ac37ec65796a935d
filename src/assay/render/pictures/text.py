"""The pictures in characters, for a terminal: bars of shares, forest plots, the order of systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.posteriors import Posterior, Ranking, Thirds
from assay.render.pictures.forest import Row, forest_rows, span
from assay.render.pictures.letters import Unit, clean, is_mark, is_wide, share
from assay.render.pictures.matrix import measures
from assay.render.pictures.ranking import ranking_levels
from assay.render.pictures.scales import Scale
from assay.result import Result


@dataclass(frozen=True)
class Letters:
    """The characters that pictures are made of."""

    a: str
    equal: str
    b: str
    edges: str
    about: str
    measured: str
    estimate: str
    both: str
    interval: str
    ends: str
    zero: str
    beyond: str
    dots: str


BLOCKS = Letters("█", "░", "▒", "▏▕", "≈", "○", "●", "◉", "─", "├┤", "│", "◂▸", "…")
ASCII = Letters("#", ".", "=", "||", "~", "o", "*", "@", "-", "[]", "|", "<>", "~")
_SHORTEST = 8
"""As many characters a bar has even where names are long."""
_PLAIN = str.maketrans(
    {"≈": "~", "⪅": "<~", "⪆": ">~", "−": "-", "±": "+-", "→": "->", "←": "<-", "…": "~", "–": "-"}
)


def letters_for(encoding: str | None) -> Letters:
    """Blocks where a terminal's encoding can show them, else plain ASCII."""
    try:
        "█░▒▏▕≈⪅○●◉─├┤│◂▸…".encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return BLOCKS


def picture_lines(result: Result, width: int = 80, encoding: str | None = "utf-8") -> list[str]:
    """Every comparison over runs of a Result: the order, bars of all pairs, a forest plot of each."""
    letters = letters_for(encoding)
    blocks = [ranking_lines(ranking, width, letters) for ranking in result.rankings]
    for measure in measures(result.bayes):
        chosen = [posterior for posterior in result.bayes if posterior.measure == measure]
        blocks.append([clean(measure), *bar_lines(chosen, width, letters)])
    blocks += [forest_lines(posterior, width, letters) for posterior in result.bayes if posterior.by_data_set]
    lines = [line for block in blocks for line in ("", *block)]
    return [_written(line, letters) for line in lines[1:]]


# --- bars ---


def bar_lines(posteriors: Sequence[Posterior], width: int = 80, letters: Letters = BLOCKS) -> list[str]:
    """A bar of decision shares for each pair, `TnT ▏██▒▒▒▒▒▒▒▒▕ Collins  .168 ≈.003 .829`, and what they mean."""
    numbers = [_numbers(posterior.decision, letters) for posterior in posteriors]
    longest = max(map(len, numbers), default=0)
    left = _cells_for([posterior.a for posterior in posteriors], width)
    right = _cells_for([posterior.b for posterior in posteriors], width)
    if left + right + longest + 6 + _SHORTEST > width:
        room = max((width - longest - 6 - _SHORTEST) // 2, 4)
        left, right = min(left, room), min(right, room)
    bar = max(width - left - right - longest - 6, _SHORTEST)
    lines = [
        f"{_cut(posterior.a, left, letters)} {letters.edges[0]}{_bar(posterior.decision, bar, letters)}"
        f"{letters.edges[1]} {_cut(posterior.b, right, letters)}  {number}".rstrip()
        for posterior, number in zip(posteriors, numbers, strict=True)
    ]
    equal = f"  {letters.equal} equal" * any(posterior.decision.equal is not None for posterior in posteriors)
    key = f"{letters.a} left better{equal}  {letters.b} right better"
    return [_written(line, letters) for line in (*lines, key)]


def parts(shares: Thirds, width: int) -> tuple[int, int, int]:
    """How many characters each share gets; together always the width, by largest remainders."""
    values = [shares.a, shares.equal or 0.0, shares.b]
    whole = sum(values) or 1.0
    exact = [value / whole * width for value in values]
    found = [int(value) for value in exact]
    for index in sorted(range(3), key=lambda index: (found[index] - exact[index], index))[: width - sum(found)]:
        found[index] += 1
    return found[0], found[1], found[2]


def _bar(shares: Thirds, width: int, letters: Letters) -> str:
    a, equal, b = parts(shares, width)
    return letters.a * a + letters.equal * equal + letters.b * b


def _numbers(shares: Thirds, letters: Letters) -> str:
    equal = "" if shares.equal is None else f" {letters.about}{share(shares.equal)}"
    return f"{share(shares.a)}{equal} {share(shares.b)}"


# --- forest ---


def forest_lines(posterior: Posterior, width: int = 80, letters: Letters = BLOCKS) -> list[str]:
    """A forest plot of one pair: measured and estimated differences, the region of equality, zero."""
    return [_written(line, letters) for line in _forest(posterior, width, letters)]


def _forest(posterior: Posterior, width: int, letters: Letters) -> Iterator[str]:
    unit, rows = Unit(posterior), forest_rows(posterior)
    a, b = clean(posterior.a), clean(posterior.b)
    rope = f", equal within ±{unit.bare(posterior.rope)} ({letters.equal})" if posterior.rope else ""
    title = f"{a} and {b}: {clean(posterior.measure)}, difference in {unit.name}{rope}"
    yield from _folded(_written(title, letters), width)
    numbers = [unit.estimate(row.estimate) if row.estimate else "" for row in rows]
    longest = max(map(len, numbers), default=0)
    names = _cells_for([row.name for row in rows], max(width // 3, 8))
    room = max(width - names - longest - 3, 12)
    low, high = (value * unit.scale for value in span(posterior))
    scale = Scale(low, high, 0, room - 1)
    for row, number in zip(rows, numbers, strict=True):
        strip = _strip(row, posterior.rope, scale, unit, letters)
        yield f"{_cut(row.name, names, letters)} {strip}  {number}".rstrip()
    half = max((width - names) // 2 - 12, 3)
    left, right = (_cut(name, min(half, _cells(name)), letters).rstrip() for name in (a, b))
    left, right = f"← {left} better", f"{right} better →"
    yield f"{'':{names}} {left}{'':{max(room - _cells(left + right), 1)}}{right}"
    key = f"{letters.measured} measured  {letters.estimate} estimate, with its 95% interval"
    yield from _folded(f"{key}  {letters.both} both in one place", width)


def _strip(row: Row, rope: float, scale: Scale, unit: Unit, letters: Letters) -> str:
    places = [" "] * (round(scale.end) + 1)

    def place(value: float) -> int:
        return round(scale.within(value * unit.scale))

    if rope:
        for index in range(place(-rope), place(rope) + 1):
            places[index] = letters.equal
    places[place(0.0)] = letters.zero
    if row.estimate:
        first, last = place(row.estimate.low), place(row.estimate.high)
        places[first : last + 1] = [letters.interval] * (last + 1 - first)
        for index, value, side in ((first, row.estimate.low, 0), (last, row.estimate.high, 1)):
            inside = scale.low <= value * unit.scale <= scale.high
            places[index] = (letters.ends if inside else letters.beyond)[side]
        places[place(row.estimate.mean)] = letters.estimate
    if row.measured is not None:
        here = place(row.measured)
        places[here] = letters.both if places[here] == letters.estimate else letters.measured
    return "".join(places)


# --- the order ---


def ranking_lines(ranking: Ranking, width: int = 80, letters: Letters = BLOCKS) -> list[str]:
    """The chain, the levels of the partial order from the best down, and what the chain hides."""
    levels = ranking_levels(ranking)
    lines = [f"{clean(ranking.measure)}: {clean(ranking.chain)}"]
    if len(levels) > 1:
        for number, names in enumerate(levels, 1):
            best = " best" if number == 1 else " worst" if number == len(levels) else ""
            lines.append(f"{number:>4}  {', '.join(map(clean, names))}{best and f'  ({best.strip()})'}")
    lines += [f"   !  {clean(sentence)}" for sentence in ranking.intransitive]
    return [part for line in lines for part in _folded(_written(line, letters), width)]


def _folded(line: str, width: int) -> list[str]:
    """A line broken at spaces where it is too long; what goes on is indented."""
    lead = len(line) - len(line.lstrip())
    found: list[str] = []
    for word in line.split(" "):
        if found and _cells(found[-1]) + 1 + _cells(word) <= width:
            found[-1] += f" {word}"
        else:
            found.append(word if not found else " " * (lead + 6) + word)
    return found


# --- widths ---


def _cells(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(0 if is_mark(letter) else 2 if is_wide(letter) else 1 for letter in text)


def _cells_for(names: Sequence[str], most: int) -> int:
    return min(max((_cells(clean(name)) for name in names), default=0), most)


def _cut(name: str, width: int, letters: Letters) -> str:
    """A name in so many columns: cut, or filled up."""
    text = clean(name)
    if _cells(text) > width:
        while text and _cells(text) > width - 1:
            text = text[:-1]
        text += letters.dots
    return text + " " * (width - _cells(text))


def _written(line: str, letters: Letters) -> str:
    """In ASCII, signs that are not in it are spelt; letters of names that are not become question marks."""
    if letters is BLOCKS:
        return line
    return line.translate(_PLAIN).encode("ascii", "replace").decode("ascii")
