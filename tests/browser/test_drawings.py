"""Drawings: all that is in the data is drawn, lines break, nothing covers anything else, and columns are words."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.browser.conftest import TASKS
from tests.unit.tasks.cross.test_texts import crossed

import assay
from assay import render
from assay.demo import FOLDER
from assay.render.page import script
from assay.result import Result

ASSETS = Path(render.__file__).parent / "assets"
HELPERS = """
  const texts = new Texts(DATA.texts);
  window.draw = (text, view = {}) => {
    const sides = [0, ...texts.systems.keys().map((system) => system + 1)];
    const b = texts.systems.length > 1 ? 1 : null;
    const usual = {sides, a: 0, b, marked: null, fold: false, width: 980};
    const drawn = drawing(texts, DATA.drawing, text, {...usual, ...view});
    document.body.replaceChildren(drawn.figure, drawn.table);
    return drawn.caption;
  };
  window.saved = () => drawingFile(document.querySelector("figure"));
  window.copied = (text) => nativeText(texts, DATA.drawing, text);
  const all = (selector) => [...document.querySelectorAll(`svg ${selector}`)];
  const inside = (selector) => all(selector).filter((node) => !node.closest(".names"));
  window.boxes = (selector) => inside(selector).map((node) => {
    const {x, y, width, height} = node.getBoundingClientRect();
    return [x, y, width, height, node.textContent];
  });
  const box = () => document.querySelector(".drawing-lines");
  window.wide = () => box().scrollWidth > box().clientWidth;
  const rgb = (colour) => colour.match(/[\\d.]+/gu).map(Number);
  const light = (colour) => colour.slice(0, 3).map((one) => one / 255)
    .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4))
    .reduce((sum, one, place) => sum + one * [0.2126, 0.7152, 0.0722][place], 0);
  // Texts that do not stand out from what they are written on, be it half transparent.
  window.faint = () => all("text, tspan").flatMap((node) => {
    const paper = rgb(getComputedStyle(box()).backgroundColor);
    const under = node.closest("g").querySelector(".bar, .frame");
    const {fill, fillOpacity} = getComputedStyle(under ?? document.body);
    const [colour, share] = under && fill !== "none" ? [rgb(fill), Number(fillOpacity)] : [paper, 1];
    const ground = light(paper.slice(0, 3).map((one, place) => one * (1 - share) + colour[place] * share));
    const ink = light(rgb(getComputedStyle(node).fill));
    const contrast = (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
    return contrast < 4.5 ? [`${node.getAttribute("class")} ${node.textContent} ${contrast}`] : [];
  });
  document.documentElement.dataset.ready = "true";
"""


@pytest.fixture
def drawn(
    new_page: Callable[..., Any], results: Callable[[str], Result], tmp_path: Path
) -> Iterator[Callable[..., Any]]:
    """A page that draws on demand the texts of a task, or given ones."""
    opened = []

    def open_(what: str | tuple[str, dict[str, Any]], **context: Any) -> Any:
        kind, texts = (results(what).shown.drawing, results(what).texts) if isinstance(what, str) else what
        data = json.dumps({"drawing": kind, "texts": texts}).replace("<", "\\u003c")
        styles = (ASSETS / "drawing.css").read_text("utf-8")
        code = f"const DATA = {data};\n{script('reader.js')}\n{HELPERS}"
        file = tmp_path / "drawing.html"
        file.write_text(
            '<!doctype html><meta charset="utf-8"><style>:root { color-scheme: light dark; }'
            f"{styles}</style><body></body>"
            f'<script type="module">{code}</script>',
            encoding="utf-8",
            errors="surrogatepass",
        )
        page = new_page(viewport={"width": 1000, "height": 700}, offline=True, **context)
        opened.append(page)
        page.goto(file.as_uri())
        page.wait_for_selector("html[data-ready='true']", state="attached")
        return page

    yield open_
    for page in opened:
        page.close()


def items_of(texts: Any, text: int) -> set[int]:
    """The items of a text."""
    return {item for item, place in enumerate(accumulate(texts["items"]["text"])) if place == text}


def overlapping(boxes: list[list[Any]]) -> list[tuple[str, str]]:
    """Texts that cover each other; a line's height has some air."""
    x, y, width, height = np.array([box[:4] for box in boxes], dtype=float).reshape(-1, 4).T
    across = x[:, None] + 0.5 < x + width - 0.5
    down = y[:, None] + 2.5 < y + height - 2.5
    both = np.triu(across & across.T & down & down.T, 1)
    return [(boxes[one][4], boxes[other][4]) for one, other in np.argwhere(both)]


@pytest.mark.parametrize("task", TASKS)
def test_every_item_is_drawn_and_no_text_covers_another(drawn, results, task):
    page, texts = drawn(task), results(task).texts
    for text in range(min(texts["embedded"], 8)):
        for width in (980, 340):
            page.set_viewport_size({"width": width + 20, "height": 700})
            page.evaluate("([text, width]) => draw(text, {width})", [text, width])
            shown = page.eval_on_selector_all("svg [data-item]", "nodes => nodes.map((node) => +node.dataset.item)")
            assert set(shown) == items_of(texts, text)
            assert overlapping(page.evaluate("boxes('.words tspan, text:not(.words)')")) == []
            # Only trees may be wider than the window, and then keys can scroll them.
            assert task == "constituents" or not page.evaluate("wide()")
            assert page.evaluate("wide()") == (page.get_attribute(".drawing-lines", "tabindex") == "0")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("faint()") == []
    page.evaluate("draw(1, {width: 340, onPaper: true})")
    assert not page.evaluate("wide()")


def test_every_side_has_an_arc_for_every_word_in_the_same_columns(drawn, results):
    page, texts = drawn("dependencies"), results("dependencies").texts
    for text in range(10):
        page.evaluate("text => draw(text, {width: 5000})", text)
        words = texts["lengths"][text]
        assert page.locator("svg").count() == 1
        assert page.locator("svg .arc").count() == 3 * words
        assert page.locator("svg .arc-label, svg .arc > text").count() == 3 * words
        places = page.eval_on_selector_all("svg .word", "nodes => nodes.map((node) => +node.getAttribute('x'))")
        assert places[:words] == places[words : 2 * words] == places[2 * words :]
        assert places[:words] == sorted(places[:words])


def test_differences_are_told_by_mark_and_not_by_colour_alone(drawn):
    page = drawn("tags")
    page.evaluate("draw", 1)
    wrong = page.eval_on_selector_all("svg .tag.wrong", "nodes => nodes.map((node) => node.textContent)")
    assert wrong
    assert all(text.startswith("✗ ") for text in wrong)
    dashes = page.eval_on_selector("svg .frame.wrong", "node => getComputedStyle(node).strokeDasharray")
    assert dashes != "none"


def long_sentence(words: list[str]) -> tuple[str, dict[str, Any]]:
    """A sentence of these words, one system that has the third tag wrong."""
    size = len(words)
    known = list(dict.fromkeys(words))
    return "tags", {
        "how": "all",
        "embedded": 1,
        "total": 1,
        "unit": "sentence",
        "on": "accuracy",
        "systems": ["one"],
        "ids": ["s1"],
        "places": ["gold:1"],
        "lengths": [size],
        "vocabulary": known,
        "words": [known.index(word) for word in words],
        "labels": ["Case=Nom|Number=Sing", "Case=Acc|Number=Sing"],
        "kinds": [],
        "items": {
            "text": [0] * size,
            "begin": list(range(size)),
            "length": [1] * size,
            "gold": [0] * size,
            "owner": {"at": [], "values": []},
            "stretches": {},
            "systems": [
                {"answers": {"at": [2], "values": [1]}, "wrong": [2], "alike": {"at": [], "values": []}},
            ],
        },
        "layers": [],
    }


def long_tree(size: int) -> tuple[str, dict[str, Any]]:
    """A tree of so many words; one system has every tenth head wrong in the second half."""
    texts = long_sentence([f"word{place}" for place in range(size)])[1]
    heads = [(place * 7 + 3) % size for place in range(size)]
    steps = [size // 2] + [10] * ((size // 2 - 1) // 10)
    same: dict[str, list[int]] = {"at": [], "values": []}
    alike = {"at": steps, "values": [1] * len(steps)}
    texts["items"]["systems"][0] |= {"answers": same, "wrong": steps, "alike": alike}
    relations = [place % 2 for place in range(size)]
    gold = {"side": "gold", "labels": ["nsubj", "obl"], "heads": heads, "relations": relations}
    other = {"side": "one", "heads": {"at": steps, "values": [-1] * len(steps)}, "relations": same}
    return "arcs", texts | {"layers": [gold, other]}


def test_a_long_sentence_breaks_into_lines_and_can_be_folded(drawn):
    words = [f"word{place}" for place in range(150)]
    page = drawn(long_sentence(words))
    for width in (1000, 600, 340):
        page.set_viewport_size({"width": width + 20, "height": 700})
        page.evaluate("width => draw(0, {width})", width)
        assert not page.evaluate("wide()")
        assert "".join(page.locator("svg .words").all_text_contents()).split() == words
    # A line in which all agree is drawn once.
    assert page.locator("svg .name").all_text_contents()[:4] == ["all", "gold", "one", "all"]
    caption = page.evaluate("draw(0, {fold: true})")
    assert "146 words folded" in caption
    assert page.locator("svg .word").count() == 4
    assert page.locator("svg .fold").first.text_content().startswith("⋯ 146 ⋯")


def test_arcs_to_another_line_say_where_they_come_from(drawn):
    page = drawn(long_tree(60))
    for width in (1000, 340):
        page.set_viewport_size({"width": width + 20, "height": 700})
        page.evaluate("width => draw(0, {width})", width)
        assert not page.evaluate("wide()")
        assert overlapping(page.evaluate("boxes('.words tspan, text:not(.words)')")) == []
        assert "nsubj ← word17" in page.locator("svg .arc-label").all_text_contents()
        # What leads away from a word is told beside it.
        assert any("word1" in box[4] for box in page.evaluate("boxes('.away-label')"))


def test_words_can_be_selected_and_are_what_a_screen_reader_finds(drawn):
    page = drawn("dependencies")
    page.evaluate("draw", 0)
    words = "Storm damage shuts coast road near Pike Harbour . "
    page.evaluate("getSelection().selectAllChildren(document.querySelector('svg .words'))")
    assert page.evaluate("String(getSelection())").strip() == words.strip()
    assert page.locator("svg text:not([aria-hidden] *):not([aria-hidden])").all_text_contents() == [words]
    # What the mouse is on is lit up on all sides.
    page.locator("svg .arc-label").first.hover()
    assert page.locator("svg .arc.lit").count() == 3
    page.evaluate("draw(0, {sides: []})")
    assert page.locator("svg text").all_text_contents() == [words]


def test_a_chain_is_lit_up_by_mouse_and_keys(drawn):
    page = drawn("coreference")
    page.evaluate("draw", 0)
    lit = "nodes => [...new Set(nodes.map((node) => node.dataset.chain))]"
    page.locator("svg .mention[data-chain='2'] .label").first.hover()
    assert page.eval_on_selector_all("svg .lit", lit) == ["2"]
    page.mouse.move(0, 0)
    assert page.locator("svg .lit").count() == 0
    assert page.locator("svg .mention[tabindex='0']").count() == 1
    page.locator("svg .mention[tabindex='0']").focus()
    first = page.eval_on_selector_all("svg .lit", lit)
    page.keyboard.press("ArrowDown")
    assert page.eval_on_selector_all("svg .lit", lit) == first
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.tabIndex") == 0
    assert page.locator("svg .mention[tabindex='0']").count() == 1


def test_changed_parts_of_a_tag_are_marked(drawn):
    page = drawn(long_sentence(["a", "b", "c"]))
    page.evaluate("draw", 0)
    changed = page.eval_on_selector_all("svg .changed", "nodes => nodes.map((node) => node.textContent)")
    assert changed == ["Case=Nom", "Case=Acc"]


def test_right_to_left_sentences_run_from_the_right(drawn):
    page = drawn(long_sentence(["ذهب", "الولد", "إلى", "Paris"]))
    page.evaluate("draw", 0)
    places = [(box[4], box[0]) for box in page.evaluate("boxes('.word')")]
    assert [word for word, _ in places] == ["ذهب", "الولد", "إلى", "Paris"]
    assert [place for _, place in places] == sorted((place for _, place in places), reverse=True)


def test_strange_words_stay_text_and_long_ones_are_cut(drawn):
    strange = ["<script>window.hit = 1</script>", "x" * 500, "👩‍👩‍👧", "日本語", "&amp;"]
    page = drawn(long_sentence(strange))
    page.evaluate("draw", 0)
    shown = page.eval_on_selector_all("svg .word", "nodes => nodes.map((node) => node.firstChild.textContent)")
    assert shown[0].startswith("<script>")
    assert shown[1].startswith("xxx")
    assert shown[1].endswith("…")
    assert shown[2:] == strange[2:]
    assert (
        page.eval_on_selector_all("svg .word title", "nodes => nodes.map((node) => node.textContent)")[-1]
        == "x" * 500
    )
    assert page.evaluate("window.hit === undefined")
    assert overlapping(page.evaluate("boxes('.words tspan, text:not(.words)')")) == []


def test_a_saved_drawing_stands_alone_in_light_colours(drawn, browser, tmp_path):
    page = drawn("dependencies", color_scheme="dark")
    page.evaluate("draw", 0)
    saved = page.evaluate("saved()")
    assert "class=" not in saved
    assert "var(" not in saved
    file = tmp_path / "saved.svg"
    file.write_text(saved, encoding="utf-8")
    page.goto(file.as_uri())
    assert page.evaluate("document.documentElement.tagName") == "svg"
    assert page.evaluate("document.querySelector('rect').getAttribute('fill')") == "rgb(255, 255, 255)"
    assert page.evaluate("document.querySelectorAll('text').length") > 20


def test_a_copied_sentence_is_conllu(drawn, results):
    page, texts = drawn("dependencies"), results("dependencies").texts
    rows = [line.split("\t") for line in page.evaluate("copied(0)").splitlines() if line and line[0] != "#"]
    assert [len(row) for row in rows] == [10] * texts["lengths"][0]
    gold = (FOLDER / "trees" / "gold.conllu").read_text("utf-8").split("\n\n")[0].splitlines()
    expected = [line.split("\t") for line in gold if line and line[0] != "#"]
    assert [(row[1], row[6], row[7]) for row in rows] == [(row[1], row[6], row[7]) for row in expected]


def test_a_copied_tree_is_in_brackets(drawn, results):
    page = drawn("constituents")
    lines = page.evaluate("copied(1)").splitlines()
    trees = [line for line in lines if line.startswith("(")]
    assert len(trees) == 3
    assert all(line.count("(") == line.count(")") for line in trees)


def test_chains_of_systems_have_the_numbers_of_golds(drawn, results):
    page, texts = drawn("coreference"), results("coreference").texts
    page.evaluate("draw", 0)
    mentions = sum(1 for text in accumulate(texts["layers"][0]["text"]) if text == 0)
    assert page.locator("svg .mention").count() >= mentions
    labels = page.eval_on_selector_all("svg .mention .label", "nodes => nodes.map((node) => node.textContent)")
    assert any("WL" in label for label in labels)
    assert any("FN" in label for label in labels)


def test_function_trees_show_every_gold_and_what_becomes_of_units(drawn):
    result = crossed()
    page = drawn(("units", result.texts))
    seen = set()
    for text in range(10):
        page.evaluate("draw", text)
        names = page.eval_on_selector_all("svg .name", "nodes => nodes.map((node) => node.firstChild.textContent)")
        assert names == ["gold dep", "gold ps+dep", "generalised", "A · eager", "B · pcfg", "hybrid"]
        assert overlapping(page.evaluate("boxes('.words tspan, text:not(.words)')")) == []
        shown = set(page.eval_on_selector_all("svg [data-item]", "nodes => nodes.map((node) => +node.dataset.item)"))
        assert shown == items_of(result.texts, text)
        seen.update(box[4].split()[-1] for box in page.evaluate("boxes('.label')"))
    assert {"spurious", "missing", "forgiven", "unasked"} <= seen


def test_a_head_outside_the_sentence_is_drawn_as_elsewhere(drawn, results):
    texts = json.loads(json.dumps(results("dependencies").texts))
    texts["layers"][1]["heads"] = {"at": [0, 1], "values": [500, -40]}
    page = drawn(("arcs", texts))
    page.evaluate("draw", 0)
    assert page.locator("svg .arc").count() == 3 * texts["lengths"][0]
    shown = page.eval_on_selector_all("svg .arc > text", "nodes => nodes.map((node) => node.textContent)")
    assert sum("head elsewhere" in label for label in shown) == 2


def headed(words: str, *rows: tuple[int, int, int, int, str]) -> tuple[str, dict[str, Any]]:
    """A text of gold alone, which one system repeats without the last row: begin, end, head and its end, label."""
    found = long_sentence(words.split())[1]
    labels = list(dict.fromkeys(row[4] for row in rows))

    def layer(side: str, chosen: tuple[tuple[int, int, int, int, str], ...]) -> dict[str, Any]:
        return {
            **{"side": side, "text": [0] * len(chosen), "labels": labels, "stretches": {}},
            "begin": [row[0] for row in chosen],
            "length": [row[1] - row[0] for row in chosen],
            "head": [row[2] for row in chosen],
            "head_length": [max(row[3] - row[2], 1) for row in chosen],
            "label": [labels.index(row[4]) for row in chosen],
            "item": list(range(len(chosen))),
            **({} if side == "gold" else {"kind": [0] * len(chosen)}),
        }

    last = len(rows) - 1
    items = {
        **{"text": [0] * len(rows), "stretches": {}, "owner": {"at": [], "values": []}, "slices": {}},
        "begin": [row[0] for row in rows],
        "length": [1] * len(rows),
        "gold": [labels.index(row[4]) for row in rows],
        "systems": [
            {
                "answers": {"at": [last], "values": [-1]},
                "wrong": [last],
                "alike": {"at": [], "values": []},
                "kind": [0] * last + [1],
            }
        ],
    }
    found |= {"labels": labels, "kinds": ["tp", "fn"], "items": items}
    return "graph", found | {"layers": [layer("gold", rows), layer("one", rows[:-1])]}


# Two arcs between the same words, a loop, two tops of one word, spans of several words with an arc between them.
SEVERAL = (
    *((0, 1, 1, 2, "agent"), (0, 1, 1, 2, "patient"), (1, 2, 1, 2, "itself"), (1, 2, -1, 0, "top")),
    *((1, 2, -1, 0, "again"), (3, 5, -3, 0, "ORG"), (0, 1, -3, 0, "PER"), (3, 5, 0, 1, "works_for")),
)


@pytest.mark.parametrize("words", ["Mara saw and Acme Boats .", "מרים ראתה את חברת סירות ."])
def test_arcs_of_all_shapes_have_room(drawn, words):
    page = drawn(headed(words, *SEVERAL))
    page.evaluate("draw", 0)
    assert page.locator("svg .arc").count() == 12
    assert page.locator("svg .arc.missing").count() == 1
    assert page.locator("svg .span").count() == 4
    assert page.locator("svg .hold").count() == 2
    assert overlapping(page.evaluate("boxes('.words tspan, text:not(.words)')")) == []
    # A loop stands above its word alone, and what leads from above has arrows side by side.
    left, _, width, *_ = page.evaluate("boxes('.arc path.edge')")[2]
    assert width <= 8
    word = page.evaluate("boxes('.word')")[1]
    assert word[0] - 12 <= left <= word[0] + word[2] + 12
    tops = {round(box[0], 1) for box in page.evaluate("boxes('.arc path.edge')") if box[2] == 0}
    assert len(tops) == 2
    table = page.eval_on_selector_all("tbody tr", "rows => rows.map((row) => row.innerText.split('\\t'))")
    assert [row[1:] for row in table if "works_for" in str(row)] == [
        [f"{words.split()[0]} (1)", "works_for", "✗ works_for"]
    ]


LABELS = [f"event.transport.of-persons-and-artifacts.{way}.passenger" for way in ("by-sea", "by-land", "by-air")]
WRITTEN = """nodes => nodes.map((node) => [
  [...node.childNodes].filter((part) => part.nodeName !== "title").map((part) => part.textContent).join(""),
  node.querySelector("title")?.textContent])"""


def long_labels(kind: str, folder: Path) -> Result:
    """Three words with long labels that begin and end with the same letters; the system has two of them right."""
    for name, labels in (("gold", LABELS), ("crf-with-long-name-one", [*LABELS[:2], LABELS[0]])):
        if kind == "spans":
            rows = [f"w{place}\tB-{label}" for place, label in enumerate(labels)]
        elif kind == "tags":
            features = ["|".join(f"{part}={label}" for part in ("A", "B")) for label in labels]
            rows = [f"{n}\tw{n}\t_\t_\t{tag}\t_\t_\t_\t_\t_" for n, tag in enumerate(features, 1)]
        else:
            heads = [0, 1, 1]
            rows = [f"{n}\tw{n}\t_\t_\t_\t_\t{heads[n - 1]}\t{labels[n - 1]}\t_\t_" for n in (1, 2, 3)]
        (folder / name).write_text("\n".join(rows) + "\n\n", encoding="utf-8")
    chosen = {"tags": {"column": "XPOS"}, "arcs": {"task": "dependencies", "measures": ["las(subtypes=true)"]}}
    system = folder / "crf-with-long-name-one"
    again = {"crf-with-long-name-one": str(system), "crf-with-long-name-two": str(system)}
    return assay.compare(str(folder / "gold"), again, times=5, embed="all", **chosen.get(kind, {}))


@pytest.mark.parametrize("kind", ["spans", "tags", "arcs"])
def test_long_labels_look_different_and_are_there_in_full(drawn, tmp_path, kind):
    result = long_labels(kind, tmp_path)
    page = drawn((result.shown.drawing, result.texts))
    for width in (980, 340):
        page.evaluate("width => draw(0, {width})", width)
        legend = page.locator(".drawing-legend").inner_text()
        shown = page.eval_on_selector_all("svg .label", WRITTEN)
        forms = {form.lstrip("✓✗ "): title for form, title in shown if "…" in form}
        in_full = {label for label in LABELS for title in forms.values() if title and label in title}
        assert in_full == {*LABELS}
        assert len(forms) >= 3
        for form, title in forms.items():
            (label,) = (label for label in LABELS if label in title)
            short = next(part for part in form.replace("=", " ").split() if "…" in part)
            assert f"{short}: {label}" in legend.split("\n")
            assert label in page.locator(".drawing-table").inner_text()
        names = page.eval_on_selector_all("svg .names .name", WRITTEN)
        assert len({form for form, _ in names}) == len({title or form for form, title in names})


def test_empty_nodes_are_boxes_between_words(drawn, results):
    page, texts = drawn("graphs"), results("graphs").texts
    (text,) = accumulate(texts["nodes"]["text"])
    page.evaluate("draw", text)
    places = page.eval_on_selector_all("svg .word", "nodes => nodes.map((node) => +node.getAttribute('x'))")
    behind, words = texts["nodes"]["behind"][0], texts["lengths"][text]
    boxes = page.evaluate("boxes('.between-id')")
    assert [box[4] for box in boxes] == ["5.1"] * 3
    assert all(places[behind - 1] < x < x + width < places[behind] for x, _, width, *_ in boxes)
    assert len(places) == 3 * words
    # Of a side that does not have the node it is there for what is missing.
    assert page.locator("svg .between.missing").count() == 1
    lines = page.evaluate("copied", text).splitlines()
    assert f"gold\t{words + 1} 5.1\tconj:and\t2 ordered\t_" in lines


def test_each_predicate_has_a_row_with_its_arguments(drawn, results):
    page, texts = drawn("roles"), results("roles").texts
    predicates = {
        head
        for head, text in zip(texts["layers"][0]["head"], accumulate(texts["layers"][0]["text"]), strict=True)
        if text == 6 and head >= 0
    }
    page.evaluate("draw", 6)
    downs = {box[1] for box in page.evaluate("boxes('.pivot text')")}
    assert len(downs) == 3 * len(predicates)
    for box in page.evaluate("boxes('.span .label')"):
        assert any(abs(box[1] - down) < 3 for down in downs)
    seen = set()
    for text in range(texts["embedded"]):
        page.evaluate("draw", text)
        seen.update(box[4].partition("(")[2] for box in page.evaluate("boxes('.span .label')"))
    # What is wrong stands beside the label: gold's, or how the argument lies elsewhere.
    assert {"not AM-TMP)", "dependent)"} <= seen
    # Folded, predicates in which all agree are left out, and the legend says so.
    for text in range(texts["embedded"]):
        page.evaluate("text => draw(text, {fold: true})", text)
        assert overlapping(page.evaluate("boxes('.words tspan, text:not(.words)')")) == []
