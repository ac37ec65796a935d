"""One drawing, written as SVG by hand and as PDF or PNG by matplotlib."""

from __future__ import annotations

import builtins
import re
import sys
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from assay.errors import UsageError
from assay.render.pictures import PICTURES, Canvas, pictures, save, stem, svg
from assay.render.pictures.canvas import Text
from assay.render.pictures.letters import clean, fitted, isolated, width_of
from assay.render.pictures.ranking import ranking_graph
from assay.render.pictures.style import COLOURS, ROLES
from assay.result.posteriors import Thirds
from unit.render.pictures.drawn import paper, posterior, result

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '</title><script>alert("1")</script> & $x_1$ \x07\x1b[31m \ud800 \u202eabc'


@pytest.fixture(scope="module")
def drawn() -> dict[str, Canvas]:
    return dict(pictures(paper()))


def test_every_picture_is_well_formed_and_says_what_it_shows(drawn):
    for name, canvas in drawn.items():
        root = ElementTree.fromstring(svg(canvas))
        title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
        assert root.get("role") == "img", name
        assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
        assert title is not None and title.text == canvas.title
        assert description is not None and re.search(r"\d", description.text or ""), name
        assert root.get("aria-labelledby") == title.get("id")
        assert root.get("aria-describedby") == description.get("id")


def test_pictures_on_one_page_do_not_share_ids(drawn):
    ids = [found for canvas in drawn.values() for found in re.findall(r' id="(\w+)"', svg(canvas))]
    assert len(ids) == 2 * len(drawn) == len(set(ids))


def test_no_two_pictures_are_called_the_same(drawn):
    titles = [canvas.title for canvas in drawn.values()]
    assert len(set(titles)) == len(titles)


def test_nothing_is_drawn_outside_of_the_picture(drawn):
    for name, canvas in drawn.items():
        for mark in canvas.marks:
            if isinstance(mark, Text):
                style = ROLES[mark.role]
                width = width_of(mark.text, style.size, style.bold)
                left = mark.x - {"start": 0, "middle": width / 2, "end": width}[mark.anchor]
                assert left >= 0 and left + width <= canvas.width + 1, (name, mark.text)
                assert 0 < mark.y < canvas.height, (name, mark.text)


def test_the_same_result_gives_the_same_file(drawn):
    whole = paper()
    few = replace(whole, bayes=tuple(row for row in whole.bayes if row.measure == "oov"))
    again = dict(pictures(few))
    assert len(again) == 51
    for name, canvas in again.items():
        if not name.startswith("matrix"):
            assert svg(canvas) == svg(drawn[name])


def test_colours_follow_light_and_dark_and_fall_back_to_light():
    canvas = Canvas(10, 10, "t", "d 1")
    canvas.rect("a", 0, 0, 5, 5)
    text = svg(canvas)
    _, light, dark = COLOURS["a"]
    assert f"fill:var(--picture-a,light-dark({light},{dark}))" in text
    assert f'<g class="a" fill="{light}"' in text
    assert "svg.assay-picture:root{color-scheme:light dark" in text


def test_numbers_are_rounded_and_zero_has_no_sign():
    canvas = Canvas(10, 10, "t", "d")
    canvas.line("axis", (-0.0001, 1 / 3), (2.5, 10.0))
    assert 'd="M0,0.33 2.5,10"' in svg(canvas)


def test_hostile_names_stay_text():
    hostile = result([posterior(HOSTILE, "b", f"m {HOSTILE}", data_sets=(HOSTILE, "x" * 500))])
    for name, canvas in pictures(hostile):
        root = ElementTree.fromstring(svg(canvas))
        assert not [node for node in root.iter() if node.tag == f"{SVG}script"], name
        assert "<script" not in svg(canvas)
        assert re.fullmatch(r"[\w.-]+", name)
        if "matrix" not in name:
            assert clean(HOSTILE) in canvas.description.translate({0x2068: None, 0x2069: None}) or "␇" in svg(canvas)


@pytest.mark.parametrize(
    "name", ["x" * 400, "日本語のとても長いタガーの名前" * 9, "مصنف طويل جدا " * 12, "e\u0301" * 300]
)
def test_long_names_are_cut_and_kept_in_full_beside(name):
    for kind, canvas in pictures(result([posterior(name, "b")])):
        cut = [mark for mark in canvas.marks if isinstance(mark, Text) and mark.full]
        assert cut, kind
        assert all("…" in mark.text for mark in cut)
        assert any(name.strip() in mark.full for mark in cut), kind
        for mark in cut:
            assert width_of(mark.text, ROLES[mark.role].size, ROLES[mark.role].bold) <= canvas.width


def test_text_is_cut_between_letters_not_within_them():
    assert fitted("abc", 10, 100) == "abc"
    assert fitted("e\u0301" * 9, 10, 30).rstrip("…").endswith("\u0301")
    assert width_of("日本", 10) > width_of("ab", 10) > width_of("il", 10)


def test_names_from_right_to_left_do_not_turn_a_sentence():
    assert isolated("TnT") == "TnT"
    assert isolated("סדר") == "\u2068סדר\u2069"
    canvas = dict(pictures(result([posterior("סדר", "b")])))["forest-token-סדר-b"]
    assert "\u2068סדר\u2069 better .168" in canvas.description


# --- names of files ---


def test_every_picture_has_a_name_of_its_own(drawn):
    assert {"matrix", "matrix-region", "simplex", "simplex-oov", "ranking-token", "forest-token-TnT-Collins"} <= set(
        drawn
    )
    assert {"simplex-token-TnT-Flair", "curves-sentence-LAPOS-Stanford"} <= set(drawn)
    assert set(PICTURES) == {name.partition("-")[0] for name in drawn}


def test_names_of_files_are_safe_and_differ_whatever_the_case():
    assert stem("forest", "las(punct=false)", "../../etc/passwd", "a b") == "forest-las_punct_false-etc_passwd-a_b"
    assert stem("x", "...", "日本") == "x-_-日本"
    assert len(stem("x", "日" * 300).encode()) <= 62
    named = [
        name for name, _ in pictures(result([posterior("a/b", "c"), posterior("A b", "c", shares=Thirds(1, 0, 0))]))
    ]
    assert len({name.casefold() for name in named}) == len(named)
    assert {"forest-token-a_b-c", "forest-token-A_b-c-2"} <= set(named)


def test_a_result_without_comparisons_over_runs_has_no_pictures():
    assert list(pictures(result([]))) == []


def test_pictures_without_draws_or_data_sets_are_left_out():
    bare = replace(posterior(), simplex=(), by_data_set=(), rope_curve=(), prior_curve=())
    assert [name for name, _ in pictures(result([bare]))] == ["matrix", "matrix-region"]


# --- files ---


def test_svg_files_are_utf8(in_folder):
    save(ranking_graph(paper().rankings[2]), "order.svg")
    assert "⪅" in (in_folder / "order.svg").read_bytes().decode("utf-8")


def test_other_endings_are_refused():
    with pytest.raises(UsageError, match=r"^x\.jpg: pictures are written as \.svg, \.pdf, \.png\. Give one of"):
        save(Canvas(1, 1, "t", "d"), "x.jpg")


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch, in_folder):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UsageError, match=r"^x\.pdf: matplotlib is not installed: pip install 'assay\[plot\]'$"):
        save(Canvas(1, 1, "t", "d"), "x.pdf")
    assert not list(in_folder.iterdir())


def test_svg_needs_no_matplotlib(monkeypatch):
    loading = builtins.__import__

    def without(name, *rest):
        assert not name.startswith("matplotlib")
        return loading(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    save(dict(pictures(result([posterior()])))["matrix"], "m.svg")


@pytest.mark.parametrize(("ending", "magic"), [(".pdf", b"%PDF"), (".png", b"\x89PNG")])
def test_matplotlib_draws_every_kind_of_picture(ending, magic, in_folder):
    pytest.importorskip("matplotlib", reason="the extra `plot` is not installed")
    chosen = {}
    for name, canvas in pictures(result([posterior("$x_1$ & <b>", "b_2")], paper().rankings[2:])):
        chosen.setdefault(name.partition("-")[0], canvas)
    assert set(chosen) == set(PICTURES)
    for kind, canvas in chosen.items():
        save(canvas, f"{kind}{ending}")
        content = (in_folder / f"{kind}{ending}").read_bytes()
        assert content.startswith(magic)
        save(canvas, f"again{ending}")
        assert (in_folder / f"again{ending}").read_bytes() == content


def test_a_letter_without_a_font_is_refused_and_nothing_written(in_folder):
    pytest.importorskip("matplotlib", reason="the extra `plot` is not installed")
    canvas = Canvas(50, 20, "t", "d")
    canvas.text("text", 2, 12, "\U0010fffd")
    with pytest.raises(UsageError, match=r"^x\.png: matplotlib finds no font with .* \(U\+10FFFD\)\. Install one"):
        save(canvas, "x.png")
    assert not list(in_folder.iterdir())
