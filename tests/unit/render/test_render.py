"""Every command in every format, with the labels and numbers that break renderers elsewhere."""

from __future__ import annotations

import base64
import csv
import gzip
import io
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from rich.cells import cell_len
from rich.console import Console

import assay
from assay.engine.build import adjust_p_values
from assay.engine.task import measure_title
from assay.errors import UsageError
from assay.render import FORMATS, RENDERERS, render
from assay.render.page import TABLES
from assay.render.table import spell_controls
from assay.render.tables import NAMES, list_names, tables
from assay.render.terminal import short_names, show
from assay.result import Result
from assay.result.numbers import p_value, percent, signed
from cases import each

HOSTILE = [
    "</script><img src=x onerror=alert(1)>",
    "a\tb",
    "a\nb",
    "A|B",
    "A&B",
    "A_B",
    "$A$",
    "\\A\\",
    "{A}%#~^",
    "*",
    "[A]",
    "``",
    "&lt;",
    "**A**",
    "-LRB-",
]
FOREIGN = ["שם עצם", "😀", "名詞", "ÄÖß", "Ж"]


def made(command: str, gold, systems, measures=("accuracy", "sentence-accuracy", "tag-f1"), **options) -> Result:
    function = assay.compare if command == "compare" else assay.score
    options = {"slices": ["label", "sentence-length"], **options}
    return function(gold, systems, list(measures), times=20, examples=3, **options)


def rotated(labels: list[str], by: int) -> list[list[str]]:
    return [[label, labels[(index + by) % len(labels)]] for index, label in enumerate(labels)]


MANY = 21
CASES = {
    "plain": lambda command: made(
        command,
        [["A", "B"]] * 30,
        {"one": [["A", "A"]] * 20 + [["A", "B"]] * 10, "two": [["A", "B"]] * 29 + [["C", "B"]]},
    ),
    "hostile": lambda command: made(
        command, rotated(HOSTILE, 1), {"a_b & c|d": rotated(HOSTILE, 2), "<i>$x^2$</i>": rotated(HOSTILE, 3)}
    ),
    "foreign": lambda command: made(
        command, rotated(FOREIGN, 1), {"שלום": rotated(FOREIGN, 2), "日本": rotated(FOREIGN, 3)}
    ),
    "many systems": lambda command: made(
        command,
        [["A", "B", "C"]] * 8,
        {
            f"system-{n}": [["A", "B" if n % 2 else "A", "C"]] * (n % 8) + [["C", "B", "A"]] * (8 - n % 8)
            for n in range(MANY)
        },
        ["accuracy"],
        slices=[],
    ),
    "nothing to compare": lambda command: replace(
        CASES["plain"](command), comparisons=(), diffs=(), bounds=(), growth=(), unique=(), confusion=(), examples=()
    ),
}


def undefined(command: str) -> Result:
    nan = float("nan")
    result = CASES["plain"](command)
    return replace(
        result,
        scores=tuple(replace(row, value=nan, low=nan, high=nan) for row in result.scores),
        comparisons=tuple(
            replace(
                row,
                **dict.fromkeys(("difference", "low", "high", "p", "p_low", "p_high", "p_adjusted"), nan),
                **dict.fromkeys(("low_family", "high_family", "level"), None),
            )
            for row in result.comparisons
        ),
        diffs=tuple(replace(row, overlap_right=nan) for row in result.diffs),
    )


def numpy_numbers(command: str) -> Result:
    result = CASES["plain"](command)
    return replace(
        result,
        about=replace(result.about, units=np.int64(result.about.units)),
        scores=tuple(replace(row, value=np.float32(row.value), low=np.float64(row.low)) for row in result.scores),
        counts=tuple(
            replace(row, counts={key: np.int64(value) for key, value in row.counts.items()}) for row in result.counts
        ),
        comparisons=tuple(replace(row, p=np.float64(row.p), units=np.int32(row.units)) for row in result.comparisons),
    )


CASES |= {"undefined": undefined, "numpy": numpy_numbers}


@pytest.fixture(scope="module")
def results():
    """Each case made once."""
    made_already: dict[tuple[str, str], Result] = {}

    def get(case: str, command: str = "compare") -> Result:
        if (case, command) not in made_already:
            made_already[case, command] = CASES[case](command)
        return made_already[case, command]

    return get


def terminal(result: Result, width: int, **options: Any) -> str:
    out = io.StringIO()
    show(result, Console(file=out, width=width, highlight=False, soft_wrap=False), **options)
    return out.getvalue()


each_case = pytest.mark.parametrize("case", CASES)
each_command = pytest.mark.parametrize("command", ["score", "compare"])


@each_case
@each_command
@pytest.mark.parametrize("form", FORMATS)
def test_every_command_has_every_format(results, case, command, form):
    text = render(results(case, command), form)
    assert text.endswith("\n")
    # Programs read nan for what is undefined; people get a dash.
    wrong = r"\binf\b|np\." if form in ("tsv", "csv") else r"\bnan\b|\binf\b|np\."
    # Packed data may have any letters.
    read = re.sub(r"[A-Za-z0-9+/=]{500,}", "", text).replace(results(case, command).signature, "")
    assert not re.search(wrong, read)


@each_case
@each_command
@pytest.mark.parametrize("width", [80, 120])
def test_no_line_on_a_terminal_is_wider_than_it_apart_from_paths_and_signature(results, case, command, width):
    result = results(case, command)
    places = {row.place for row in result.examples}
    for line in (terminal(result, width) + terminal(result, width, full=True)).split("\n"):
        if line.startswith("assay:") or any(line.startswith(place) for place in places):
            continue
        assert cell_len(line) <= width, line


@pytest.mark.parametrize("width", [80, 120])
def test_figures_on_a_terminal_stay_whole_with_two_systems(results, width):
    result = results("plain")
    shown = terminal(result, width, full=True)
    for table in tables(result):
        if table.title == "Scores":
            for row in table.rows:
                for cell in row:
                    assert cell.text in shown


def test_a_terminal_names_every_one_of_many_systems(results):
    shown = terminal(results("many systems"), 80)
    for number in range(MANY):
        assert f"system-{number}" in shown


def test_escape_sequences_in_labels_do_not_reach_the_terminal():
    result = assay.score([["\x1b[31mA", "B"]], {"s": [["B", "\x1b[31mA"]]}, ["tag-f1"], times=10)
    assert "\x1b" not in terminal(result, 80)


# --- the short form, and tables by name ---


def test_two_systems_fit_on_a_screen_and_the_rest_is_named(results):
    result = replace(results("plain"), examples=())
    result = replace(result, scores=tuple(row for row in result.scores if row.slice is None))
    shown = terminal(result, 80, further=["assay compare gold a b --html report.html"])
    assert len(shown.splitlines()) < 50
    assert result.verdict in " ".join(shown.split())
    assert "\nNext: assay compare gold a b --html report.html\n" in shown
    named = re.search(r"More tables: --full shows all; --table takes ([^.]*)\.", " ".join(shown.split()))
    assert named
    for table in tables(result):
        # What is not shown is named, and has its rows where it is asked for.
        assert table.title.partition(",")[0] in shown or table.name in named[1].split(", ")
        whole = terminal(result, 200, names=[table.name])
        assert table.title in whole
        assert all(row[0].text in whole for row in table.rows)
        assert table.title in terminal(result, 200, full=True)


def test_every_table_has_a_name_of_the_list(results):
    for case, command in (("plain", "score"), ("plain", "compare"), ("many systems", "compare")):
        assert {table.name for table in tables(results(case, command))} <= {*NAMES}


def test_long_names_are_shortened_with_a_legend():
    names = ["crf-with-a-very-long-name-of-settings", "crf-with-a-very-long-name-of-options", "short"]
    gold = [["A", "B"], ["B", "A"]] * 8
    systems = dict(zip(names, ([["A", "A"], ["B", "A"]] * 8, gold, [["B", "B"], ["A", "A"]] * 8), strict=True))
    shown = terminal(assay.compare(gold, systems, ["accuracy"], times=20), 80)
    for name, short in zip(names, ("crf-with-a-v…ettings", "crf-with-a-v…options"), strict=False):
        assert f"\n{short} is {name}\n" in shown
        # In the legend alone.
        assert shown.count(name) == 1
    seeds = [f"bert-base-cased-finetuned-on-{name}-seed-1" for name in ("ewt", "gum")]
    assert [*short_names(seeds, 20).values()] == ["bert…ewt-seed-1", "bert…gum-seed-1"]
    assert short_names(["a" * 40 + "1234567", "a" * 30 + "1234567"], 20) == {
        "a" * 40 + "1234567": "a" * 16 + "…1",
        "a" * 30 + "1234567": "a" * 16 + "…2",
    }


def test_tables_are_chosen_by_name_in_every_format_that_has_some(results):
    result = results("plain")
    for form in (name for name, renderer in RENDERERS.items() if renderer.of_tables):
        text = render(result, form, ["scores", "changes"])
        assert "Scores" in text and "Changes" in text and "Upper bound" not in text
    assert "Upper bound" in render(result, "table", full=True)
    with pytest.raises(UsageError, match=r"no table 'score'.*scores"):
        render(result, "md", ["score"])
    with pytest.raises(UsageError, match="json has no tables to choose from"):
        render(result, "json", ["scores"])


@each_case
@each_command
def test_names_of_tables_are_those_that_all_tables_have(results, case, command):
    result = results(case, command)
    every = tables(result)
    assert list_names(result) == [*dict.fromkeys(table.name for table in every)]
    for name in list_names(result):
        assert tables(result, [name]) == [table for table in every if table.name == name]


# --- the same cells everywhere ---


class Cells(HTMLParser):
    """The texts of table cells, and the tags there are."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: set[str] = set()
        self.open = False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.open = True
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.open = False

    def handle_data(self, data):
        if self.open:
            self.rows[-1][-1] += data


def expected(result: Result, *, minor: bool = True) -> list[list[str]]:
    rows = []
    for table in (one for one in tables(result) if minor or not one.minor):
        rows.append(list(table.header))
        rows.extend([cell.text for cell in row] for row in table.rows)
    return rows


def spaced(rows: list[list[str]]) -> list[list[str]]:
    """White space of any kind is one space."""
    return [[" ".join(cell.split()) for cell in row] for row in rows]


@each_case
@each_command
def test_the_page_has_the_cells_of_the_tables(results, case, command):
    result = results(case, command)
    page = render(result, "html")
    found = Cells(page)
    few = len(tables(result)) <= TABLES
    assert found.rows == expected(result, minor=few)
    assert not found.tags & {"img", "i", "b"}
    # The packed data and exports and the page's own code, and none that came with the data.
    names = ("LaTeX", "Markdown", "CSV", "TSV", "JSON", "BibTeX")
    packed = ["data", *(f"export-{name}" for name in names)]
    blocks = [f'<script type="application/octet-stream;base64" id="{name}">' for name in packed]
    assert re.findall("<script[^>]*>", page) == [*blocks, '<script type="module">']
    # Exports for programs contain all tables, those for people what the page shows.
    exports = [base64.b64decode(text) for text in re.findall(r'id="export-\w+">([^<]*)<', page)]
    texts = {name: gzip.decompress(packed).decode() for name, packed in zip(names, exports, strict=True)}
    assert (texts["TSV"], texts["CSV"]) == (render(result, "tsv"), render(result, "csv"))
    assert (texts["Markdown"] == render(result, "md"), texts["LaTeX"] == render(result, "latex")) == (few, few)


@each_case
@each_command
def test_markdown_has_the_cells_of_the_tables(results, case, command):
    markdown_it = pytest.importorskip("markdown_it")
    page = markdown_it.MarkdownIt("commonmark").enable("table").render(render(results(case, command), "md"))
    found = Cells(page)
    rows = [[spell_controls(cell) for cell in row] for row in expected(results(case, command))]
    assert spaced(found.rows) == spaced(rows)
    assert not found.tags & {"script", "img", "i", "b"}


def test_a_label_of_a_line_feed_alone_does_not_break_a_markdown_row():
    result = assay.score([["\n", "B"]], {"s": [["B", "\n"]]}, ["tag-f1"], times=10)
    for line in render(result, "md").split("\n"):
        if line.startswith("|"):
            assert line.endswith("|"), line


@each_case
@each_command
def test_tsv_has_what_is_in_the_cells_of_the_tables(results, case, command):
    result = results(case, command)
    blocks = tsv_blocks(result)
    found = tables(result.with_shown(titles={}))
    assert [title for title, _ in blocks] == [f"# {table.title}" for table in found]
    for table, (_, (header, *rows)) in zip(found, blocks, strict=True):
        places = tsv_columns([in_tsv(name) for name in table.header], header)
        assert len(rows) == len(table.rows)
        for cells, row in zip(table.rows, rows, strict=True):
            assert len(row) == len(header)
            for column, (name, cell, place) in enumerate(zip(table.header, cells, places, strict=True)):
                parts = row[place]
                if name == "pair":
                    assert " → ".join(parts) == in_tsv(cell.text)
                elif column < table.words:
                    assert parts == [in_tsv(cell.text)]
                elif name in ("p", "p (Holm)", "McNemar"):
                    # Those of slices are not corrected.
                    assert p_value(float(parts[0])) == cell.text.removesuffix("°")
                elif name == "error":
                    p, low, high = (float(part) for part in (row[place.start - 1], *parts))
                    assert cell.text == spread(p, low, high)
                else:
                    assert_same_numbers(parts, cell.text)


def tsv_blocks(result: Result) -> list[tuple[str, list[list[str]]]]:
    """The title and the rows of each table, the header first."""
    blocks = [block.split("\n") for block in render(result, "tsv").split("\n\n")]
    return [
        (title, [line.split("\t") for line in lines if line])
        for title, *lines in blocks
        if lines and "\t" in lines[0] and title != "# Examples"
    ]


def in_tsv(text: str) -> str:
    return text.replace("\t", "\\t").replace("\n", "\\n")


def tsv_columns(names: list[str], header: list[str]) -> list[slice]:
    """Where the parts of each column of a table stand."""
    places, first = [], 0
    for name in names:
        choices = ([name, f"{name} low", f"{name} high"], [f"{name} low", f"{name} high"], [name])
        for parts in (["a", "b"],) if name == "pair" else choices:
            if header[first : first + len(parts)] == parts:
                places.append(slice(first, first + len(parts)))
                first += len(parts)
                break
    assert first == len(header)
    assert len(places) == len(names)
    return places


def spread(p: float, low: float, high: float) -> str:
    if np.isnan(p):
        return "–"
    return "exact" if low == high == p else f"±{max(high - p, p - low):.4f}"


def assert_same_numbers(parts: list[str], text: str) -> None:
    """The numbers of a cell for people, in its parts for programs."""
    shown = [float(number) for number in re.findall(r"[+-]?\d+(?:\.\d+)?", text.replace("−", "-").replace(",", ""))]
    given = [float(part.replace(",", "")) for part in parts if part not in ("nan", "–", "")]
    assert "−" not in "".join(parts)
    if len(parts) == 3 and len(shown) == 3:
        shown = [float(x) for x in re.split(r" \[|, |\]", text.replace("−", "-"))[:3]]
    assert given == shown


@each_case
@each_command
def test_every_numeric_column_of_tsv_is_read_by_float(results, case, command):
    check_numbers(results(case, command))


@each_command
def test_tsv_has_numbers_from_a_thousand_on_without_separators(command):
    gold = [["A", "B"]] * 1500
    check_numbers(made(command, gold, {"one": [["A", "A"]] * 1500, "two": [["C", "B"]] * 1500}))


def check_numbers(result: Result) -> None:
    wrong = []
    found = tables(result.with_shown(titles={}))
    for table, (title, (header, *rows)) in zip(found, tsv_blocks(result), strict=True):
        places = tsv_columns([in_tsv(name) for name in table.header], header)
        # The lines that head a kind of change have no share of the kind.
        numbers = [
            (header[index], row[index])
            for column in range(table.words, len(table.header))
            for index in range(places[column].start, places[column].stop)
            for row in rows
            if not (header[index] == "% of kind" and row[0])
        ]
        wrong += [(title, name, text) for name, text in numbers if not is_float(text)]
    assert wrong == []


def is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.isascii()


def test_tsv_has_a_column_for_each_part(results):
    blocks = dict(tsv_blocks(results("plain")))
    assert blocks["# Scores"][0] == [
        "system",
        *("accuracy", "accuracy low", "accuracy high"),
        *("sentence-accuracy", "sentence-accuracy low", "sentence-accuracy high"),
        *("tag-f1", "tag-f1 low", "tag-f1 high"),
    ]
    assert [row[:2] for row in blocks["# Scores"][1:]] == [["one", "66.67"], ["two", "98.33"]]
    header, row = blocks["# Differences on accuracy"]
    assert header == [
        *("a", "b", "difference", "difference low", "difference high"),
        *("p", "error low", "error high", "p (Holm)", "McNemar"),
    ]
    assert row[:3] == ["one", "two", "31.67"]
    (test,) = [
        row
        for row in results("plain").comparisons
        if (row.measure, row.slice, row.test) == ("accuracy", None, "shuffling")
    ]
    assert row[5:9] == [f"{p:.6g}" for p in (test.p, test.p_low, test.p_high, test.p_adjusted)]


def test_tsv_has_full_p_values_an_ascii_minus_and_nan(results):
    result = results("plain")

    def shown(**values):
        ends = {"low_family": None, "high_family": None}
        rows = tuple(replace(row, **ends, **values) for row in result.comparisons)
        return dict(tsv_blocks(replace(result, comparisons=rows)))["# Differences on accuracy"][1]

    row = shown(difference=-0.05, low=-0.06, high=-0.04, p=1.23456789e-7, p_low=1e-8, p_high=2e-7, p_adjusted=0.5)
    assert row == ["one", "two", "-5.00", "-6.00", "-4.00", "1.23457e-07", "1e-08", "2e-07", "0.5", "1.23457e-07"]
    nan = float("nan")
    row = shown(difference=nan, low=nan, high=nan, p=nan, p_low=nan, p_high=nan, p_adjusted=nan)
    assert row == ["one", "two", *["nan"] * 8]


def unescaped(cell: str) -> str:
    cell = re.sub(r"^\\textbf\{(.*)\}$", r"\1", cell, flags=re.DOTALL)
    cell = re.sub(r"\{([\[\]*])\}", r"\1", cell)
    for tex, plain in (
        (r"\textless{}", "<"),
        (r"\textgreater{}", ">"),
        (r"\textbar{}", "|"),
        (r"\textquotedbl{}", '"'),
        (r"\textasciitilde{}", "~"),
        (r"\textasciicircum{}", "^"),
        (r"$\rightarrow$", "→"),
        (r"$\Delta$", "Δ"),
        (r"$\emptyset$", "∅"),
        ("$-$", "−"),
        (r"$\pm$", "±"),
        (r"$\cdot$", "·"),
        (r"\ldots{}", "…"),
        (r"$\surd$", "✓"),
        ("{}", ""),
    ):
        cell = cell.replace(tex, plain)
    cell = cell.replace("--", "–") if cell == "--" else cell
    cell = re.sub(r"\\([_&%#${}])", r"\1", cell)
    return cell.replace(r"\textbackslash", "\\")


def latex_tables(text: str) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """The caption, the header and the rows of each table environment."""
    for block in re.findall(r"\\begin\{table\}\n(.*?)\\end\{table\}", text, flags=re.DOTALL):
        caption = re.search(r"\\caption\{(.*?)\}(?:\\label\{[^}]*\})?\n", block)
        rows = re.search(r"\\toprule\n(.*)\\bottomrule", block, flags=re.DOTALL)
        assert caption and rows
        lines = rows[1].replace("\\midrule\n", "").strip().split(" \\\\\n")
        header, *body = [[unescaped(cell) for cell in line.removesuffix(" \\\\").split(" & ")] for line in lines]
        yield caption[1], header, body


@pytest.mark.parametrize("case", ["plain", "undefined", "numpy", "many systems"])
@each_command
def test_latex_has_the_cells_of_the_tables(results, case, command):
    text = render(results(case, command), "latex")
    found = []
    for caption, header, body in latex_tables(text):
        assert len(body) <= 35
        found += body if caption.endswith(", continued.") else [header, *body]
    assert spaced(found) == spaced(expected(results(case, command)))


def test_a_star_at_the_beginning_of_a_latex_row_is_not_taken_for_a_part_of_the_line_end(results):
    text = render(results("hostile", "score"), "latex")
    assert not re.search(r"\\\\\s*\*", text)


def test_json_has_fractions_and_null_and_comes_back(results):
    for case in CASES:
        data = json.loads(render(results(case), "json"))
        assert data["schema"] == "assay/2"
        values = [row["value"] for row in data["scores"]]
        assert all(value is None or 0 <= value <= 1 for value in values)
        assert (case == "undefined") == all(value is None for value in values)


@pytest.mark.parametrize("case", ["plain", "hostile", "undefined", "many systems", "nothing to compare"])
def test_latex_compiles(results, tmp_path, case):
    compiled(results(case), tmp_path)


def test_latex_says_what_labels_in_other_scripts_need(results):
    text = render(results("foreign"), "latex")
    assert "% Labels in other scripts than Latin need LuaLaTeX or XeLaTeX" in text
    assert "ש" in text


def compiled(result: Result, folder) -> None:
    if not shutil.which("pdflatex"):
        pytest.skip("pdflatex is not installed")
    text = render(result, "latex")
    packages = re.findall(r"\\usepackage(?:\[[^\]]*\])?\{[^}]*\}", text.split("\n")[0])
    document = "\n".join([r"\documentclass{article}", *packages, r"\begin{document}", text, r"\end{document}"])
    (folder / "t.tex").write_text(document, "utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-draftmode", "t.tex"],
        cwd=folder,
        capture_output=True,
        check=False,
        timeout=60,
    )
    log = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, [line for line in log.splitlines() if line.startswith("!")]
    assert "Float too large" not in log


# --- notebooks and prompts ---


@each_case
def test_a_notebook_gets_a_fragment_without_script(results, case):
    found = Cells(results(case)._repr_html_())
    assert not found.tags & {"script", "img", "style", "html", "i", "b"}
    assert "table" in found.tags


def test_a_notebook_gets_the_verdict_a_chart_and_sentences():
    gold = [[("It", "P"), ("is", "V"), ("<b>red</b>", "A")]] * 9
    systems = {"one": [[("It", "P"), ("is", "N"), ("<b>red</b>", "A")]] * 9, "two": gold}
    result = assay.compare(gold, systems, "accuracy", times=20, examples=2)
    shown = result._repr_html_()
    assert shown.startswith(f"<div><p><strong>{escape(result.verdict)}</strong></p>")
    places = [shown.index(part) for part in ("<svg", "<table", "<h4>Sentences</h4>", escape(result.signature))]
    assert places == sorted(places)
    chart = shown[shown.index("<svg") : shown.index("</svg>")]
    assert chart.count("<circle") == 2 and ">66.67</text>" in chart and ">100.00</text>" in chart
    # A fraction of the line from the least to the highest end, with a tenth of that on both sides.
    ends = sorted(end for row in result.overall for end in (row.low, row.value, row.high))
    share = (result.score("one", "accuracy").value - ends[0] + (ends[-1] - ends[0]) / 10) / (ends[-1] - ends[0]) / 1.2
    assert f'<circle cx="{36 + 320 * share:.1f}"' in chart
    sentences = shown[shown.index("<h4>Sentences</h4>") :]
    assert sentences.count("<details open><summary>one → two") == 1 and sentences.count("<details>") == 1
    assert "&lt;b&gt;red&lt;/b&gt;" in sentences and "<b>" not in shown
    bare = assay.compare(gold, systems, "accuracy", times=20)._repr_html_()
    assert "<h4>Sentences</h4>" not in bare and "To see sentences: examples=5" in bare


def test_completion_offers_what_there_is():
    result = assay.score([["A", "B"]] * 9, {"one": [["A", "A"]] * 9}, "accuracy", times=20)
    names = dir(result)
    assert {"verdict", "scores", "plot", "write", "to_pandas"} <= {*names} and len(names) < 30
    assert not {"bayes", "with_about", "schema", "_repr_html_", "__init__"} & {*names}
    assert all(hasattr(result, name) for name in (*names, "bayes", "with_about"))


def test_results_of_annotators_and_of_runs_show_in_a_notebook_and_in_print(tmp_path):
    annotators = {"anna": [["A", "B", "A", "A"], ["B", "A"]], "ben": [["A", "B", "B", "A"], ["B", "A"]]}
    lines = [
        f"{name},{system},1,{fold},accuracy,{0.7 + fold / 100 + fold / 500 * (system == 'new')}"
        for name in ("one", "two")
        for system in ("old", "new")
        for fold in range(1, 6)
    ]
    runs = tmp_path / "runs.csv"
    runs.write_text("\n".join(["dataset,system,repetition,fold,measure,value", *lines]))
    for result in (assay.agreement(annotators, times=20), assay.bayes(runs, rope=0.01, draws=1000)):
        first = tables(result)[0]
        shown, printed = result._repr_html_(), str(result)
        assert shown.index(first.title) < shown.index("<details>")
        assert printed.startswith(result.verdict)
        assert all(cell.text in printed for row in first.rows for cell in row)


def test_print_shows_the_verdict_and_the_scores(results):
    lines = str(results("plain")).splitlines()
    assert lines[0] == results("plain").verdict
    assert lines[2].split()[:4] == ["measure", "one", "two", "difference"]
    assert re.match(r"accuracy +66\.67 \[.* 98\.33 \[.* \+31\.67 \[", lines[3])


def test_a_result_writes_itself_in_the_format_of_the_ending(results, tmp_path):
    result = results("plain")
    for name, text in (("a.html", result.to_html()), ("a.tex", result.to_latex()), ("a.md", result.to_markdown())):
        result.write(tmp_path / name)
        assert (tmp_path / name).read_text("utf-8") == text
    result.write(tmp_path / "a.json")
    assert Result.read(tmp_path / "a.json").to_json() == result.to_json()
    with pytest.raises(UsageError, match=r"a\.docx: unknown file ending\. Use \.json, "):
        result.write(tmp_path / "a.docx")


def test_a_prompt_shows_the_main_scores(results):
    assert repr(results("plain")) == (
        "<assay.Result compare tags/label: one accuracy 66.67, two accuracy 98.33, one sentence-accuracy 33.33, "
        "two sentence-accuracy 96.67, one tag-f1 66.67, two tag-f1 98.33>"
    )


# --- numbers ---


@pytest.mark.parametrize(
    ("function", "value", "text"),
    [
        (percent, 0.12345, "12.35"),
        (percent, 1.0, "100.00"),
        (percent, float("nan"), "–"),
        (signed, 0.0123, "+1.23"),
        (signed, -0.0123, "−1.23"),
        (signed, -0.000001, "0.00"),
        (signed, float("nan"), "–"),
        (p_value, 0.00005, "<0.0001"),
        (p_value, 0.0001, "0.0001"),
        (p_value, 1.0, "1.0000"),
        (p_value, float("nan"), "–"),
    ],
)
def test_numbers_for_people(function, value, text):
    assert function(value) == text


# --- verdicts ---


NAN = float("nan")
THREE = {"A": 0.9, "B": 0.95, "C": 0.8}


def judged(result: Result, values: dict[str, float], rows: list[dict[str, object]]) -> str:
    """The verdict on accuracy with these values and comparisons."""
    pattern = next(row for row in result.comparisons if row.measure == "accuracy" and row.slice is None)
    assert pattern.test == "shuffling"
    score = result.score("one", "accuracy")
    own = {"units": 50, "exact": False, "method": "", "smallest_p": None, "few": False, "kind": "", "claims": ()}
    own |= {"low_family": None, "high_family": None, "level": None, "family": None, "variance": None, "df": None}
    comparisons = adjust_p_values([replace(pattern, **{**own, **row}) for row in rows], {"accuracy": pattern.score})
    scores = tuple(replace(score, system=name, value=value) for name, value in values.items())
    result = result.with_about(units=100, times=10_000)
    return replace(result, scores=scores, comparisons=tuple(comparisons)).verdict


def pair(a: str, b: str, difference: float, p: float, **more: object) -> dict[str, object]:
    reach = 0.01
    return {
        "a": a,
        "b": b,
        "difference": difference,
        "low": difference - reach,
        "high": difference + reach,
        **{"p": p, "p_low": p, "p_high": p},
        **more,
    }


@each(
    ("values", "rows", "sentence"),
    [
        (
            {"A": 0.9, "B": 0.95},
            [pair("A", "B", 0.05, 0.001)],
            "B is 5.00 points better than A on accuracy, at least 4.00 judging by the interval (95.00 against "
            "90.00; A → B +5.00, 95% interval +4.00 to +6.00, p = 0.0010).",
        ),
        (
            {"A": 0.95, "B": 0.9},
            [pair("A", "B", -0.05, 0.00001)],
            "A is 5.00 points better than B on accuracy, at least 4.00 judging by the interval (95.00 against "
            "90.00; A → B −5.00, 95% interval −6.00 to −4.00, p < 0.0001).",
        ),
        (
            {"A": 0.9, "B": 0.905},
            [pair("A", "B", 0.005, 0.08)],
            "B scores 0.50 points higher than A on accuracy, but the difference is not significant (90.50 against "
            "90.00; A → B +0.50, 95% interval −0.50 to +1.50, p = 0.0800).",
        ),
        (
            {"A": 0.9, "B": 0.9},
            [pair("A", "B", 0.0, 1.0)],
            "A and B have the same accuracy (90.00) but differ in 50 sentences.",
        ),
        (
            {"A": 0.9, "B": 0.95},
            [pair("A", "B", 0.05, 0.09, units=7, few=True)],
            "B scores 5.00 points higher than A on accuracy, but the difference is not significant (95.00 against "
            "90.00; A → B +5.00, no interval, because they differ in only 7 sentences, p = 0.0900).",
        ),
        (
            {"A": 0.9, "B": 0.95},
            [pair("A", "B", 0.05, 0.0625, units=5, few=True, smallest_p=0.0625)],
            "B scores 5.00 points higher than A on accuracy (95.00 against 90.00), but this cannot be tested: they "
            "differ in only 5 sentences; at least 6 must differ.",
        ),
        (
            {"A": 0.9, "B": 0.95},
            [pair("A", "B", 0.05, 0.0502, p_low=0.046, p_high=0.0547)],
            "B scores 5.00 points higher than A on accuracy, but 10,000 random shufflings cannot decide whether "
            "p is below 0.05 (95.00 against 90.00; A → B +5.00, p between 0.0460 and 0.0547). Draw more: --times "
            "100000.",
        ),
        (
            {"A": 0.9, "B": 0.90003},
            [pair("A", "B", 0.00003, 0.0005, low=0.00001, high=0.00005)],
            "B is less than 0.01 points (0.003) better than A on accuracy, at least 0.001 judging by the interval "
            "(90.00 against 90.00; A → B 0.00, 95% interval 0.00 to +0.01, p = 0.0005).",
        ),
        (
            {"A": 0.9, "B": 0.95},
            [pair("A", "B", 0.05, 0.053)],
            "B scores 5.00 points higher than A on accuracy, but the difference is not significant (95.00 against "
            "90.00; A → B +5.00, 95% interval +4.00 to +6.00, p = 0.0530). The interval does not contain 0 "
            "although p is above 0.05; the verdict follows p.",
        ),
        (
            {"A": 0.9, "B": 0.9},
            [pair("A", "B", 0.0, 1.0, units=0)],
            "On accuracy, A and B do not differ in any sentence.",
        ),
        (
            {"A": NAN, "B": NAN},
            [pair("A", "B", NAN, NAN)],
            "A and B cannot be compared on accuracy: it is undefined for A and B.",
        ),
        (
            THREE,
            [pair("A", "B", 0.05, 0.001), pair("A", "C", -0.1, 0.001), pair("B", "C", -0.15, 0.001)],
            "B is the best of 3 systems on accuracy (95.00), 5.00 points above A, and better than each of the "
            "others (p at most 0.05 after Holm correction for 3 tests).",
        ),
        (
            THREE,
            [pair("A", "B", 0.05, 0.2), pair("A", "C", -0.1, 0.001), pair("B", "C", -0.15, 0.001)],
            "B has the highest accuracy of 3 systems (95.00), 5.00 points above A; it is better than C, but not "
            "shown to be better than A (p after Holm correction for 3 tests).",
        ),
        (
            THREE,
            [pair("A", "B", 0.05, 0.2), pair("A", "C", -0.1, 0.001), pair("B", "C", -0.15, 0.06)],
            "B has the highest accuracy of 3 systems (95.00), 5.00 points above A, but it is not shown to be "
            "better than any other system (p after Holm correction for 3 tests).",
        ),
        (
            THREE,
            [pair("A", "B", 0.05, 0.001), pair("A", "C", -0.1, 0.2)],
            "Compared with A (accuracy 90.00): B (+5.00) is better than A; no difference from A is shown for C "
            "(p after Holm correction for 2 tests).",
        ),
        (
            {"A": 0.9, "B": 0.9, "C": 0.8},
            [pair("A", "B", 0.0, 1.0), pair("A", "C", -0.1, 0.001), pair("B", "C", -0.1, 0.001)],
            "A and B share the highest accuracy (90.00).",
        ),
        (
            dict.fromkeys("ABC", NAN),
            [pair(a, b, NAN, NAN) for a, b in ("AB", "AC", "BC")],
            "The systems cannot be compared on accuracy: it is undefined.",
        ),
        (
            THREE,
            [],
            "B has the highest accuracy of 3 systems (95.00), 5.00 points above A; the differences were not tested.",
        ),
        ({"A": NAN}, [], "accuracy of A is undefined."),
    ],
)
def test_the_verdict_says_no_more_than_the_numbers(results, values, rows, sentence):
    assert judged(results("plain"), values, rows) == sentence


def test_beside_the_verdict_stands_what_its_test_could_have_found():
    gold = [["A", "B"]] * 12
    systems = {"one": [["A", "A"]] * 2 + gold[2:], "two": [["B", "B"]] * 3 + gold[3:], "three": [["C", "C"]] * 12}
    pair = assay.compare(gold, {name: systems[name] for name in ("one", "two")}, ["accuracy"], times=20)
    assert pair.chance[0] == "Based on 12 sentences."
    assert pair.chance[1].startswith("This test set is too small for a significant result: the systems differ ")
    assert " ".join(pair.chance) in " ".join(terminal(pair, 80).split())
    three = assay.compare(gold, systems, ["accuracy"], times=20)
    assert three.verdict.startswith("one has the highest accuracy of 3 systems (91.67), 4.17 points above two; ")
    assert [line.partition(": ")[0] for line in three.chance[1:-1]] == ["one → two"]
    assert three.chance[-1] == "two breaks 13.64% [3.66, 33.49] of what one has right (3 of 22 words)."


def test_the_verdict_on_one_system_is_its_score(results):
    result = results("plain", "score")
    row = next(row for row in result.scores if row.main)
    alone = replace(result, scores=(row,), comparisons=())
    reach = f"95% interval {percent(row.low)} to {percent(row.high)}"
    assert alone.verdict == f"{row.system} scores {percent(row.value)} on {row.measure} ({reach})."


def test_csv_has_the_cells_of_tsv(results):
    result = results("hostile", "compare")
    tabs = [line.split("\t") for line in render(result, "tsv").split("\n") if line and not line.startswith("#")]
    text = "\n".join(
        line for line in render(result, "csv").split("\n") if line and not line.lstrip('"').startswith("#")
    )
    rows = list(csv.reader(io.StringIO(text)))
    assert [len(row) for row in rows] == [len(row) for row in tabs]


def test_csv_has_no_formulas():
    result = assay.score([["=1+1", "@x", "-cmd", "B"]], {"+s": [["=1+1", "B", "-cmd", "B"]]}, ["tag-f1"], times=10)
    cells = [cell for row in csv.reader(io.StringIO(render(result, "csv"))) for cell in row]
    assert {"'=1+1", "'@x", "'-cmd", "'+s"} <= set(cells)
    assert not [cell for cell in cells if cell[:1] in ("=", "+", "@")]


@pytest.mark.parametrize(
    ("measure", "told"),
    [
        ("fair", "Diagonal: boundary errors; row ∅: FP; column ∅: FN; elsewhere: LE and LBE."),
        (
            "weighted(preset=fair)",
            "Diagonal: boundary errors; row ∅: FP; column ∅: FN; elsewhere: LE and LBE.",
        ),
        ("exact", "exact does not pair spans with different labels or boundaries"),
        ("semeval", "Diagonal: pairs with different boundaries"),
    ],
)
def test_the_confusion_of_spans_says_what_its_cells_are_under_each_measure(measure, told):
    result = assay.score([[("A", 0, 1), ("B", 3, 3)]], {"s": [[("A", 0, 2), ("A", 3, 3)]]}, measure)
    page = render(result, "md")
    assert told in page
    diagonal = next(
        line for line in page.split("### Errors of s by label")[1].splitlines() if line.startswith("| A |")
    )
    assert diagonal.split("|")[2].strip() == ("·" if measure == "exact" else "1")


@each(
    ("key", "title"),
    [
        *(("las", "LAS"), ("las(punct=false)", "LAS (punct=false)"), ("elas-exact", "ELAS exact")),
        *(("conll", "CoNLL"), ("b-cubed", "B³"), ("tag-f1", "tag F1"), ("macro-f1", "macro F1")),
        *(("oov-accuracy", "OOV accuracy"), ("mine:my-own", "mine:my-own"), ("features/Case", "features/Case")),
    ],
)
def test_measures_are_written_as_people_write_them(key, title):
    assert measure_title(key) == title


def test_people_read_titles_and_programs_keys():
    result = assay.score([["A", "B"]] * 9, {"one": [["A", "A"]] * 9}, ["tag-f1", "sentence-accuracy"], times=20)
    assert "| system | tag F1 | sentence accuracy |" in render(result, "md")
    assert "tag F1 &" in render(result, "latex")
    assert re.search(r"^tag F1 +50\.00", terminal(result, 80), re.MULTILINE)
    assert render(result, "tsv").splitlines()[3].split("\t")[1:5:3] == ["tag-f1", "sentence-accuracy"]
    assert "tag-f1/one" in result.flat()
    spans = {"a": [[("PER", 0, 1)]] * 9, "b": [[("PER", 0, 0)]] * 9}
    header = render(assay.agreement(spans, times=20), "tsv").splitlines()[3].split("\t")
    assert header[:7:3] == ["pair", "exact high", "fair high"]
