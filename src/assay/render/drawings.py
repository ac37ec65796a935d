"""Examples as text: items, sentences with changes marked, spans in brackets, trees with different answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from assay.result import NOT_ANSWERED, Example, ExampleArcs, ExampleItem, ExampleSpan, kind_title
from assay.result.numbers import coefficient

Stretches = tuple[tuple[int, int], ...]
_ROOT, _ELSEWHERE, _MISSING = -1, -2, -3
_LEAST_TEXT = 10
_MOST_VALUES, _LONGEST_VALUE = 10, 40
"""The most values of a record that are shown, and the most characters of each."""
LONGEST = 60
"""Longer sentences are not drawn as trees; their differing words are listed."""


def dependency_lines(example: Example, width: int = 0) -> list[str]:
    """Gold's tree, and after each word the arcs of systems that differ from gold's."""
    gold, *systems = example.arcs
    differing = {
        place: [
            _format_arc(example, arcs, place)
            for arcs in systems
            if (arcs.heads[place], arcs.labels[place]) != (gold.heads[place], gold.labels[place])
        ]
        for place in range(len(example.words))
    }
    if len(example.words) > LONGEST:
        rows = [
            ("", example.words[n], _format_arc(example, gold, n), marks) for n, marks in differing.items() if marks
        ]
    else:
        tree = _tree_rows(gold)
        rows = [(below, lead + example.words[n], gold.labels[n], differing[n]) for below, lead, n in tree]
    return _align_columns(rows, width)


def _align_columns(rows: Sequence[tuple[str, str, str, Sequence[str]]], width: int) -> list[str]:
    """Lines with two columns and marks; marks without room get further lines, which begin with the text `below`."""
    first, second = (max((len(row[column]) for row in rows), default=0) for column in (1, 2))
    lines = []
    for below, text, label, marks in rows:
        joined = "   ".join(marks)
        if width and first + second + len(joined) + 4 > width:
            lines.append(f"{text:{first}}  {label:{second}}  {''.join(marks[:1])}".rstrip())
            lines += [f"{below:{first}}  {'':{second}}  {mark}" for mark in marks[1:]]
        else:
            lines.append(f"{text:{first}}  {label:{second}}  {joined}".rstrip())
    return lines


_MARKS = {"right": " ", "gold": " ", "spurious": "✗", "missing": "−", "forgiven": "~", "unasked": "·"}


def unit_lines(example: Example, width: int = 0) -> list[str]:
    """The function tree of each side, with a line per node and its words, indented by depth."""
    lines = []
    for side in dict.fromkeys(unit.side for unit in example.units):
        units = [unit for unit in example.units if unit.side == side]
        lines.append(f"{side}:")
        for unit, depth in zip(units, _find_depths([unit.stretches for unit in units]), strict=True):
            kind = "" if unit.kind in ("right", "gold") else f"  ({unit.kind})"
            lines.append(
                _format_node(example, _MARKS[unit.kind], depth, unit.label or "∅", unit.stretches, kind, width)
            )
    return lines


def constituent_lines(example: Example, width: int = 0) -> list[str]:
    """Gold's constituents and those that systems add, with a line for each, indented by depth."""
    gold, *systems = example.sides
    numbers = _count_labels(example)
    rows = sorted(
        (
            (stretches, label, number)
            for (label, stretches), of in numbers.items()
            for number in range(max(of.values()))
        ),
        key=lambda row: (row[0][0][0], -sum(end - first for first, end in row[0]), row[0]),
    )
    lines = []
    for (stretches, label, number), depth in zip(rows, _find_depths([row[0] for row in rows]), strict=True):
        having = [side for side in example.sides if numbers[label, stretches].get(side, 0) > number]
        in_gold = gold in having
        others = [side for side in systems if (side in having) != in_gold]
        if not others and len(example.words) > LONGEST:
            continue
        what = "missing" if in_gold else "spurious"
        if len(systems) > 1:
            what += f" in {'all' if len(others) == len(systems) else ', '.join(others)}"
        kind = f"  ({what})" if others else ""
        mark = " " if not others else "−" if in_gold else "✗"
        lines.append(_format_node(example, mark, depth, label, stretches, kind, width))
    return lines


def _count_labels(example: Example) -> dict[tuple[str, Stretches], dict[str, int]]:
    """The number of times that each side has each label on each set of words."""
    in_gold = {(span.label, span.stretches) for span in example.spans if span.side == example.sides[0]}
    over = {stretches: label for label, stretches in in_gold}
    numbers: dict[tuple[str, Stretches], dict[str, int]] = {}
    for span in example.spans:
        # Labels that count as equal, or do not count, are shown as gold's.
        hit = span.kind == "tp" and (span.label, span.stretches) not in in_gold
        label = (over.get(span.stretches) if hit else None) or span.label or ""
        of = numbers.setdefault((label, span.stretches), {})
        of[span.side] = of.get(span.side, 0) + 1
    return numbers


def _find_depths(yields: Sequence[Stretches]) -> Iterator[int]:
    """The number of yields before each that contain it; equal yields have the same depth."""
    over: list[set[int]] = []
    for stretches in yields:
        words = {place for first, end in stretches for place in range(first, end)}
        while over and not words <= over[-1]:
            over.pop()
        if not over or words != over[-1]:
            over.append(words)
        yield len(over) - 1


def _format_node(
    example: Example, mark: str, depth: int, label: str, stretches: Stretches, kind: str, width: int
) -> str:
    """A line for a node with its words, `_` for a gap; if there are too many words, the first and the last."""
    lead = f"{mark} {'  ' * depth}{label}: "
    text, room = " _ ".join(" ".join(example.words[first:end]) for first, end in stretches), width - len(lead + kind)
    if width and len(text) > room:
        words = text.split(" ")
        shorter = [
            " ".join([*words[: number - number // 2], "…", *words[len(words) - number // 2 :]])
            for number in range(2, len(words))
        ]
        text = next((line for line in reversed(shorter) if len(line) <= room), min([text, *shorter[:1]], key=len))
    return f"{lead}{text}{kind}"


def graph_lines(example: Example, width: int = 0) -> list[str]:
    """A line for each arc: its words, gold's label, and the different answers of systems.

    Pairs are shown as `works-for(Ann, IBM)`, followed by `works-for(Ann ✓, IBM Zürich[BE]) → IBM`.
    """
    gold, *systems = example.sides
    pairs = example.heads == "pairs"
    answers = {(span.side, span.item): span for span in example.spans}
    rows: dict[object, tuple[ExampleSpan, list[str]]] = {}
    for span in example.spans:
        if span.side == gold and span.item is not None:
            others = [(system, answers.get((system, span.item))) for system in systems]
            wrong = [(system, other) for system, other in others if other is None or _format_kind(other)]
            if wrong:
                rows[span.item] = (
                    span,
                    [f"✗ {system}: {_format_answer(example, span, other)}" for system, other in wrong],
                )
        elif span.item is None and span.kind:
            row = rows.setdefault((span.stretches, span.head, span.label), (span, []))
            row[1].append(f"✗ {span.side}: {'spurious' if pairs else span.label}")
    ordered = sorted(rows.values(), key=lambda row: (row[0].stretches, row[0].head or (_ROOT, _ROOT)))
    lines = []
    for span, marks in ordered:
        label = "∅" if span.side != gold else "" if pairs else span.label or "·"
        lines.append(("", (_format_pair if pairs else _format_span)(example, span), label, marks))
    return _align_columns(lines, width)


def _format_answer(example: Example, gold: ExampleSpan, other: ExampleSpan | None) -> str:
    """The parts of a system's answer that differ from gold's arc; for a pair, with marks and gold's arguments."""
    if other is None:
        return "missing"
    if example.heads == "pairs":
        title, moved = kind_title(other.kind), other.kind == "be"
        same = other.head == gold.head, other.stretches == gold.stretches
        marks = [" ✓" if right else f"[{title}]" * moved for right in same]
        wanted = [text for text, right in zip(_argument_words(example, gold), same, strict=True) if not right]
        return f"{_format_pair(example, other, marks)}{' → ' + ', '.join(wanted) if moved else f'[{title}]'}"
    if other.stretches != gold.stretches:
        return f"{other.label}, {_format_span(example, other)}"
    return f"{other.label}{_format_head(example, other.head) if other.head != gold.head else ''}"


def _format_pair(example: Example, span: ExampleSpan, marks: Sequence[str] = ("", "")) -> str:
    """A pair as `label(head, other)`, or as `label (words)` if its head is not in the sentence."""
    ends = [f"{text}{mark}" for text, mark in zip(_argument_words(example, span), marks, strict=True)]
    return f"{span.label}({', '.join(ends)})" if span.head and span.head[0] >= 0 else f"{span.label} ({ends[1]})"


def _argument_words(example: Example, span: ExampleSpan) -> list[str]:
    """The words of a span's head and of the span."""
    first, end = span.head or (0, 0)
    words = " … ".join(" ".join(example.words[begin:stop]) for begin, stop in span.stretches)
    return [" ".join(example.words[max(first, 0) : max(end, 0)]), words]


def _format_span(example: Example, span: ExampleSpan) -> str:
    """The words of a span with their numbers, and its head."""
    words = " … ".join(_format_words(example, *stretch) for stretch in span.stretches)
    return f"{words}{_format_head(example, span.head)}"


def _format_head(example: Example, head: tuple[int, int] | None) -> str:
    if head is None:
        return ""
    names = {_ROOT: "root", _ELSEWHERE: "another word"}
    return f" ← {names.get(head[0]) or _format_words(example, *head)}"


def _format_words(example: Example, first: int, end: int) -> str:
    """Words with their numbers, or the id of an empty node."""
    if first >= len(example.words):
        return f"[{example.nodes[first - len(example.words)][1]}]"
    number = f"{first + 1}–{end}" if end > first + 1 else f"{end}"
    return f"{' '.join(example.words[first:end])} ({number})"


def frame_lines(example: Example, width: int = 0) -> list[str]:
    """A line per side for each predicate on which sides differ: `try.01: [She]A0 »tried« [to go]A1`."""
    frames: dict[tuple[int, int], dict[str, list[ExampleSpan]]] = {}
    for span in example.spans:
        place = span.head or (span.stretches[0][0], span.stretches[-1][1])
        frames.setdefault(place, {side: [] for side in example.sides})[span.side].append(span)
    lines = []
    name = max(map(len, example.sides))
    for place, sides in sorted(frames.items()):
        answers = [{(span.stretches, span.label, span.head) for span in spans} for spans in sides.values()]
        if all(answer == answers[0] for answer in answers[1:]):
            continue
        senses, lanes = [], []
        for spans in sides.values():
            texts = [
                f"{span.label or example.words[place[0]]}{_format_kind(span)}:" for span in spans if span.head is None
            ]
            senses.append(" ".join(texts) or ("(no such predicate)" if not spans else ""))
            lanes.append(
                _add_brackets(example, [span for span in spans if span.head is not None], [place]) if spans else []
            )
        sense = max((len(text) for text, lane in zip(senses, lanes, strict=True) if lane), default=0)
        room = width and width - name - sense - 3
        columns = list(zip(*filter(None, lanes), strict=True))
        longest = [max(column, key=len) for column in columns]
        stretches = [stretch for spans in sides.values() for span in spans for stretch in span.stretches]
        first, last = _find_window(longest, [place, *stretches], room)
        if room and len(_cut_words(longest, first, last)) > room:
            # If that is too long, only words with brackets are shown, and single words between them.
            bare = [set(column) == {word} for column, word in zip(columns, example.words, strict=True)][:last]
            runs = [list(run) for gone, run in groupby(range(first, last), bare.__getitem__) if gone]
            gone = {place: place == run[0] for run in runs if len(run) > 1 for place in run}
            lanes = [
                ["…" if place in gone else word for place, word in enumerate(lane) if gone.get(place, True)]
                if lane
                else lane
                for lane in lanes
            ]
            last -= sum(not start for start in gone.values())
        for side, text, lane in zip(sides, senses, lanes, strict=True):
            lines.append(f"{side:{name}}  {text:{sense}} {_cut_words(lane, first, last) if lane else ''}".rstrip())
    return lines


def event_lines(example: Example) -> list[str]:
    """A line per side for each event on which sides differ: `Attack(attacked ✓): Attacker Rebels ✓, Target it[BE]`.

    A system's event is shown below gold's event that it answers for.
    """

    def format_part(span: ExampleSpan) -> str:
        words = _argument_words(example, span)[1]
        mark = {"": "", "tp": " ✓"}.get(span.kind, f"[{kind_title(span.kind)}]")
        # An argument in another sentence is at its trigger, and its label has its words.
        role = span.label if span.label and "→" in span.label else f"{span.label} {words}"
        return f"{span.label}({words}{mark})" if span.head is None else f"{role}{mark}"

    gold, *systems = example.sides
    triggers = [span for span in example.spans if span.head is None]
    rows: dict[object, dict[str, list[str]]] = {}
    for trigger in sorted(triggers, key=lambda span: (span.side != gold, span.stretches)):
        place = trigger.stretches[0][0], trigger.stretches[-1][1]
        inside = [span for span in example.spans if span.side == trigger.side and span.head == place]
        text = ": ".join(filter(None, [format_part(trigger), ", ".join(dict.fromkeys(map(format_part, inside)))]))
        key = place if trigger.item is None else trigger.item
        rows.setdefault(key, {side: [] for side in example.sides})[trigger.side].append(text)
    lines, name = [], max(map(len, example.sides))
    for sides in rows.values():
        plain = {side: [text.replace(" ✓", "") for text in texts] for side, texts in sides.items()}
        if any(plain[system] != plain[gold] for system in systems):
            lines += [f"{side:{name}}  {' · '.join(texts) or '∅'}" for side, texts in sides.items()]
    return lines


def _format_arc(example: Example, arcs: ExampleArcs, place: int) -> str:
    head = arcs.heads[place]
    if head == _MISSING:
        return f"✗ {arcs.side}: no such word"
    side = "" if arcs.side == "gold" else f"✗ {arcs.side}: "
    return f"{side}{arcs.labels[place]}{_format_head(example, (head, head + 1))}"


def _tree_rows(gold: ExampleArcs) -> Iterator[tuple[str, str, int]]:
    """The words from the root down, each with the lines that continue below it and those that lead to it.

    It uses no recursion, because trees may be deep.
    """
    below: dict[int, list[int]] = {}
    for place, head in enumerate(gold.heads):
        below.setdefault(head, []).append(place)
    open_nodes: list[tuple[int, str, str]] = [(place, "", "") for place in reversed(below.get(_ROOT, []))]
    while open_nodes:
        place, lead, deeper = open_nodes.pop()
        yield deeper + ("│" if place in below else ""), lead, place
        children = below.get(place, [])[::-1]
        last = [(child, f"{deeper}└─ ", f"{deeper}   ") for child in children[:1]]
        open_nodes += [*last, *((child, f"{deeper}├─ ", f"{deeper}│  ") for child in children[1:])]


# --- examples ---


def example_lines(example: Example, width: int = 0) -> list[str]:
    """A sentence with its changes marked, `… in Halle[NOUN → PROPN] …`; with spans, a line for each side; an item
    without words in one line."""
    if example.items and example.items[0].path:
        return record_lines(example)
    if not example.words:
        return [_item_line(example, width)]
    if example.arcs:
        return [" ".join(example.words), *dependency_lines(example, width)]
    if example.units:
        return [" ".join(example.words), *unit_lines(example, width)]
    if example.tree:
        return [" ".join(example.words), *constituent_lines(example, width)]
    if example.heads in ("arcs", "pairs"):
        return [" ".join(example.words), *graph_lines(example, width)]
    if example.heads == "rows":
        return frame_lines(example, width)
    if example.heads == "lists":
        return [" ".join(example.words), *event_lines(example)]
    if not example.spans:
        marks = {item.position: _mark_change(example, item) for item in example.items}
        words = [f"{word}{marks.get(position, '')}" for position, word in enumerate(example.words)]
        return [_cut_words(words, *_find_window(words, [(place, place + 1) for place in marks], width))]
    lanes = [
        (side, _add_brackets(example, [span for span in example.spans if span.side == side], example.marked))
        for side in example.sides
    ]
    longest = [max(column, key=len) for column in zip(*(lane for _, lane in lanes), strict=True)]
    name = max(map(len, example.sides))
    places = [(item.position, item.end or item.position + 1) for item in example.items]
    window = _find_window(longest, places, width and width - name - 2)
    return [f"{side:{name}}  {_cut_words(lane, *window)}" for side, lane in lanes]


def record_lines(example: Example) -> list[str]:
    """The values of a record, one in a line: `d7 items[2].price  gold 12.50  a 12.50 ✓  b 21.50 wrong`."""
    rows = []
    for item in example.items[:_MOST_VALUES]:
        answers = []
        for system, answer in item.answers.items():
            outcome = "✓" if item.outcomes[system] == "right" else item.outcomes[system]
            answers.append(" ".join(filter(None, [system, _cut_value(answer) or "–" * (not outcome), outcome])))
        rows.append((item.path, f"gold {_cut_value(item.gold) or '–'}", *answers))
    widths = [min(_LONGEST_VALUE, max(map(len, column))) for column in zip(*rows, strict=True)]
    lines = ["  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows]
    lines = [f"{example.sentence} {line}".rstrip() for line in lines]
    more = len(example.items) - len(rows)
    return [*lines, *[f"{example.sentence} … and {more:,} more {'value' if more == 1 else 'values'}"] * (more > 0)]


def _cut_value(value: str | None) -> str:
    text = " ".join((value or "").split())
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"


def _item_parts(example: Example) -> list[str]:
    """An item without words: its id, text and gold's label, the answers with their confidences, and the change."""
    (item,) = example.items
    answers = []
    for system, answer in item.answers.items():
        sure = f" {coefficient(item.confidence[system])}" if system in item.confidence else ""
        if system in item.grades:
            # An answer may be the score itself.
            grade = f"{item.grades[system]:.4g}"
            sure = "" if answer in (grade, str(item.grades[system])) else f" ({grade})"
        answers.append(f"{system} {answer or NOT_ANSWERED}{sure}")
    kind = [str(item.kind).replace("-", " ")] * (example.b is not None)
    text = " ".join(" ‖ ".join(example.text).split())
    gold = f"gold {item.gold or NOT_ANSWERED}" if item.gold or not item.grades else ""
    return [example.sentence, text, *filter(None, [gold]), " → ".join(answers), *kind]


def _item_line(example: Example, width: int) -> str:
    """An item in one line, its text cut: `r2  Dull and long …  gold neg  a pos .91 → b neg .77  correction`."""
    name, text, *rest = _item_parts(example)
    room = width - len("  ".join([name, "", *rest]))
    if width and len(text) > room:
        text = f"{text[: room - 1].rstrip()}…" if room > _LEAST_TEXT else ""
    return "  ".join(filter(None, [name, text, *rest]))


def example_text(example: Example) -> str:
    """An example in one line."""
    if not example.words and not example.in_lines:
        return " · ".join(filter(None, _item_parts(example)))
    if example.arcs or example.units or example.tree:
        example = replace(example, arcs=(), units=(), tree=False)
    return " · ".join(" ".join(line.split()) for line in example_lines(example))


def _find_window(words: Sequence[str], places: Sequence[tuple[int, int]], width: int) -> tuple[int, int]:
    """The first word and the end of the part around some places that fits into a width; all words without a width."""
    if not width or len(" ".join(words)) <= width or not places:
        return 0, len(words)
    first, last = min(begin for begin, _ in places), max(end for _, end in places)
    while True:
        wider = (max(first - 1, 0), min(last + 1, len(words)))
        if wider == (first, last) or len(_cut_words(words, *wider)) > width:
            return first, last
        first, last = wider


def _cut_words(words: Sequence[str], first: int, last: int) -> str:
    return " ".join([*["…"] * (first > 0), *words[first:last], *["…"] * (last < len(words))])


def _add_brackets(example: Example, shown: Sequence[ExampleSpan], marked: Sequence[tuple[int, int]]) -> list[str]:
    """The words of a sentence with spans in brackets, and marked words in »«."""
    words = list(example.words)
    for begin, end in marked:
        words[begin] = f"»{words[begin]}"
        words[end - 1] = f"{words[end - 1]}«"
    spans = [(begin, end, span) for span in shown for begin, end in span.stretches]
    # Inner brackets first, because they are next to the words.
    inner_first = sorted(enumerate(spans), key=lambda row: (row[1][1] - row[1][0], -row[0]))
    for _, (begin, end, span) in inner_first:
        if begin >= len(words):
            continue
        # A span may reach beyond the sentence that is shown.
        last, beyond = min(end, len(words)) - 1, " …" if end > len(words) else ""
        words[begin] = f"[{words[begin]}"
        answer = f" ← {span.said}" if span.said else ""
        words[last] = f"{words[last]}{beyond}{answer}]{span.label}{_format_kind(span)}"
    return words


def _format_kind(span: ExampleSpan) -> str:
    """The error of a span, as it is written after the label."""
    return "" if span.kind in ("", "tp", "same") else f":{kind_title(span.kind)}"


def _mark_change(example: Example, item: ExampleItem) -> str:
    gold = item.gold or "∅"
    if example.b is None:
        # Of two annotators, the first is in gold's place, and the answer is the second's.
        (answer,) = [item.answers[example.a]] if example.a in item.answers else item.answers.values()
        return f"[{gold} → {answer or '∅'}]"
    before = item.answers[example.a] or "∅"
    after = item.answers[example.b] or "∅"
    if item.kind == "correction":
        return f"[{before} → {after} ✓]"
    if item.kind == "new-error":
        return f"[{before} ✓ → {after}]"
    return f"[{before} → {after}, gold {gold}]"
