"""Two guidelines, one text: tags, spans and arcs, case by case through files, and on real data."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path

import pytest

import assay
from cases import each

FOLDER = Path(__file__).parents[1] / "data" / "beyond"
CASES = [json.loads(line) for line in (FOLDER / "cross_cases.jsonl").read_text("utf-8").splitlines()]
FIELDS = ("spurious", "missing", "forgiven", "unasked")


def of_kind(kind):
    return each("case", [case for case in CASES if case["kind"] == kind], ids=lambda case: case["id"])


def check(result, expected, measure="cross-score"):
    (row,) = [row for row in result.counts if row.measure == measure]
    counts = row.counts
    assert {name: counts[name] for name in FIELDS if name in expected} == {
        name: expected[name] for name in FIELDS if name in expected
    }
    assert counts["norm"] == expected["size"]
    assert Fraction(counts["norm"] - counts["delta"], counts["norm"]) == Fraction(expected["score"])
    value = next(row.value for row in result.scores if (row.measure, row.score) == (measure, "value"))
    assert value == pytest.approx(float(Fraction(expected["score"])))
    return counts


@of_kind("scheme-tags")
def test_tags(case, tmp_path):
    def write(name, tags):
        path = tmp_path / name
        path.write_text("".join(f"w{number}\t{tag}\n" for number, tag in enumerate(tags)) + "\n", "utf-8")
        return path

    maps = {name: tmp_path / f"{name}.map" for name, rules in case["maps"].items() if rules}
    for name, path in maps.items():
        rules = case["maps"][name].items()
        path.write_text("".join(f"{tag}\t{','.join(units)}\n" for tag, units in rules), "utf-8")
    golds = [f"{name}={write(f'{name}.tsv', tags)}" for name, tags in case["golds"].items()]
    system = f"s@{case['scheme']}={write('system.tsv', case['tags'])}"
    result = assay.cross(golds, [system], task="tags", column="2", map=maps, times=2)
    expected = case["expected"]
    check(result, expected)
    own = next(row.value for row in result.scores if row.measure == f"accuracy@{case['scheme']}")
    assert own == pytest.approx(float(Fraction(expected["own"])))
    if len(golds) == 2:
        assert result.overlaps[0].value * len(case["tags"]) == pytest.approx(expected["agreed_words"])
    unmapped = [line for line in result.warnings if "no rule of --map is for" in line]
    assert bool(unmapped) == (case["id"] == "tags-unmapped")


@of_kind("scheme-spans")
def test_spans(case, tmp_path):
    def write(name, spans):
        path = tmp_path / name
        rows = [{"start": 2 * first - 2, "end": 2 * last - 1, "label": label} for first, last, label in spans]
        text = {"id": "1", "text": "a b c d e f g h", "spans": rows}
        path.write_text(json.dumps(text) + "\n", "utf-8")
        return path

    golds = [f"{name}={write(f'{name}.jsonl', case[name])}" for name in ("own", "other")]
    result = assay.cross(golds, [f"s@own={write('system.jsonl', case['system'])}"], task="spans", times=2)
    expected = case["expected"]
    counts = check(result, expected)
    assert counts["convention"] == expected["by_convention"]
    own = next(row.value for row in result.scores if (row.measure, row.score) == ("exact@own", "f1"))
    assert own == pytest.approx(float(Fraction(expected["own_f1"])))


@of_kind("cross-graphs")
def test_arcs(case, tmp_path):
    def write(name, arcs):
        words = 4
        tops = {dependent for _, head, dependent in arcs if head == 0}
        predicates = sorted({head for _, head, _ in arcs if head})
        lines = []
        for word in range(1, words + 1):
            labels = {(head, dependent): label for label, head, dependent in arcs}
            roles = [labels.get((head, word), "_") for head in predicates]
            top, is_predicate = ("+" if word in tops else "-"), ("+" if word in predicates else "-")
            lines.append("\t".join([str(word), f"w{word}", f"w{word}", "X", top, is_predicate, "_", *roles]))
        path = tmp_path / name
        path.write_text("#SDP 2015\n#1\n" + "\n".join(lines) + "\n\n", "utf-8")
        return path

    golds = [f"t{number}={write(f'{number}.sdp', arcs)}" for number, arcs in enumerate(case["golds"])]
    result = assay.cross(golds, [f"s@t{case['own']}={write('system.sdp', case['system'])}"], times=2)
    check(result, case["expected"])


def test_german_tags(shared_data, tmp_path):
    """STTS and UPOS of GSD, each tag of STTS mapped to its most frequent UPOS in gold."""
    folder = shared_data("pos-german")
    (figures,) = json.loads((FOLDER / "cross_anchors.json").read_text("utf-8"))["scheme-tags"].values()
    gold = folder / "gold.conllu"
    frequent = defaultdict(Counter)
    for cells in (line.split("\t") for line in gold.read_text("utf-8").splitlines()):
        if len(cells) > 4 and cells[0].isdigit():
            frequent[cells[4]][cells[3]] += 1
    rules = tmp_path / "stts.tsv"
    rules.write_text("".join(f"{tag}\t{tags.most_common(1)[0][0]}\n" for tag, tags in frequent.items()), "utf-8")
    expected = figures["spurious missing forgiven score"]
    systems = [
        f"{name.replace('@', '-')}@{name.split('@')[1]}={folder / name.split('@')[0]}.conllu" for name in expected
    ]
    result = assay.cross(
        [f"stts={gold}", f"ud={gold}"],
        systems,
        task="tags",
        column={"stts": "XPOS", "ud": "UPOS"},
        map={"stts": rules},
        times=10,
        power=None,
    )
    counts = {row.system: row.counts for row in result.counts}
    for name, (*numbers, score) in expected.items():
        own = counts[name.replace("@", "-")]
        assert [own[field] for field in FIELDS[:3]] == numbers, name
        assert round(100 * (1 - own["delta"] / own["norm"]), 2) == score
    assert result.overlaps[0].value == figures["golds_agree"] / figures["words"]
    found = {f"{row.label_a} {row.label_b}": row.count for row in result.gold_differences}
    assert figures["disagreements"].items() <= found.items()
    own = {row.system: row.value for row in result.scores if row.measure == "accuracy@stts"}
    assert round(100 * own["hanta-pretrained-stts"], 2) == 96.30


def outermost(spans):
    return [
        span for span in spans if not any(a <= span[0] and span[1] <= b and (a, b) != span[:2] for a, b, _ in spans)
    ]


def innermost(spans):
    return [
        span for span in spans if not any(span[0] <= a and b <= span[1] and (a, b) != span[:2] for a, b, _ in spans)
    ]


def test_two_golds_made_of_nested_entities(shared_data, tmp_path):
    """The outermost and the innermost spans of GUM as two guidelines, and systems that were trained on each."""
    folder = shared_data("spans-entities-gum")
    sentences = read_spans(folder / "gold.spans.tsv")
    for name, choose in (("outer", outermost), ("inner", innermost)):
        blocks = [
            "".join(f"{c}\t{a}\t{b}\t{', '.join(map(str, range(a, b + 1)))}\n" for a, b, c in choose(spans))
            or "NONE\t999\t999\t999\n"
            for spans in sentences
        ]
        (tmp_path / f"{name}.spans.tsv").write_text("\n".join(blocks), "utf-8")
    systems = ["crf@outer=crfsuite-outermost-only", "perceptron@inner=perceptron-innermost-words-only"]
    result = assay.cross(
        [f"{name}={tmp_path / f'{name}.spans.tsv'}" for name in ("outer", "inner")],
        [f"{name}={folder / f'{file}.spans.tsv'}" for name, file in (system.split("=") for system in systems)],
        task="spans",
        times=10,
        power=None,
    )
    counts = {row.system: row.counts for row in result.counts}
    golds = [[choose(spans) for spans in sentences] for choose in (outermost, innermost)]
    for number, (name, file) in enumerate(system.split("=") for system in systems):
        outputs = read_spans(folder / f"{file}.spans.tsv")
        both = zip(golds[number], golds[1 - number], outputs, strict=True)
        numbers = [count_spans(*sentence) for sentence in both]
        fields = (*FIELDS[:3], "convention", "norm")
        assert [counts[name.partition("@")[0]][field] for field in fields] == [*map(sum, zip(*numbers, strict=True))]


def read_spans(path):
    """The spans (first, last, label) of each sentence."""
    blocks = [block.splitlines() for block in path.read_text("utf-8").strip().split("\n\n")]
    cells = [[line.split("\t") for line in block] for block in blocks]
    return [[(int(a), int(b), c) for c, a, b, *_ in rows if c not in ("EMPTY", "NONE")] for rows in cells]


def take_best(candidates):
    """Pairs, the best first, so that no member is in two."""
    chosen, taken = [], set()
    for _, one, other in sorted(candidates):
        if not {("a", one), ("b", other)} & taken:
            chosen.append((one, other))
            taken |= {("a", one), ("b", other)}
    return chosen


def count_spans(own, other, system):
    """Spurious, missing, forgiven, by convention and size of a sentence with flat labels, by plain sets of words."""
    words = [[set(range(a, b + 1)) for a, b, _ in spans] for spans in (own, other, system)]

    def likeness(a, b):
        return (-len(a & b) / len(a | b), len(a | b), min(a & b, default=0))

    pairs = take_best(
        ((*likeness(a, b),), x, y)
        for x, a in enumerate(words[0])
        for y, b in enumerate(words[1])
        if a & b and own[x][2] == other[y][2]
    )
    partner = dict(pairs)
    fits = []
    for x, span in enumerate(words[2]):
        for y, gold in enumerate(words[0]):
            paired = words[1][partner[y]] if y in partner else gold
            if gold & paired <= span <= gold | paired:
                fits.append(((system[x][2] != own[y][2], *likeness(span, gold)), x, y))
    right = [(x, y) for x, y in take_best(fits) if system[x][2] == own[y][2]]
    asked = {y for _, y in right if y in partner}
    moved = sum(words[2][x] != words[0][y] for x, y in right)
    return len(system) - len(right), len(pairs) - len(asked), len(right) - len(asked), moved, len(system) + len(pairs)
