"""Pictures as files: their names, their formats, and what they do with names of anything."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from assay.errors import UsageError
from assay.render.pictures import check_plot, files, pictures, stem
from assay.render.pictures.plots import forest
from assay.render.pictures.ranking import ranking_graph
from assay.render.pictures.sheet import content, short
from assay.result.posteriors import Thirds
from unit.render.pictures.drawn import paper, posterior, result

SVG = "{http://www.w3.org/2000/svg}"
MAGIC = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}
HOSTILE = '</title><script>alert("1")</script> & $x_1$ \x07\x1b[31m \ud800 \u202eabc'


def of_each_kind(a: str = "TnT", b: str = "Collins"):
    """One comparison in all kinds of pictures."""
    return replace(result([posterior(a, b)]), rankings=paper().rankings[2:])


@pytest.mark.parametrize("form", MAGIC)
def test_every_kind_of_picture_is_written_and_the_same_each_time(form):
    drawn = files(of_each_kind("$x_1$ & <b>", "b_2"), Path("figures"), form)
    kinds = {path.name.partition("-")[0].removesuffix(f".{form}") for path in drawn}
    assert kinds == {"forest", "matrix", "ranking", "simplex", "curves"}
    assert all(found.startswith(MAGIC[form]) for found in drawn.values())
    if form == "svg":
        assert files(of_each_kind("$x_1$ & <b>", "b_2"), Path("figures"), form) == drawn
    else:
        # What differs between two files of a form differs in every kind of picture.
        path = Path(f"figures/forest.{form}")
        assert content(forest(posterior()), path) == content(forest(posterior()), path)


def test_whatever_the_users_settings_are_the_file_is_the_same():
    import matplotlib

    path = Path("x.svg")
    usual = content(forest(posterior()), path)
    with matplotlib.rc_context({"font.size": 20, "axes.facecolor": "red", "svg.fonttype": "path", "savefig.dpi": 10}):
        assert content(forest(posterior()), path) == usual
        assert matplotlib.rcParams["font.size"] == 20


def test_text_of_an_svg_is_text_and_fonts_of_a_pdf_are_whole():
    figure = ranking_graph(paper().rankings[2])
    root = ElementTree.fromstring(content(figure, Path("x.svg")))
    assert root.findtext(f"{SVG}title") == "Order by oov"
    shown = {"".join(node.itertext()) for node in root.iter(f"{SVG}text")}
    assert {"Flair", "Stanford", "⪅", "worse → better"} <= shown
    assert not re.search(rb"\d{4}-\d\d-\d\dT", content(figure, Path("x.svg")))
    pdf = content(figure, Path("x.pdf"))
    assert b"/FontFile2" in pdf and b"/Type3" not in pdf and b"CreationDate" not in pdf


def test_hostile_names_stay_text():
    hostile = result([posterior(HOSTILE, "b", f"m {HOSTILE}", data_sets=(HOSTILE, "x" * 500))])
    for path, found in files(hostile, Path("figures"), "svg").items():
        root = ElementTree.fromstring(found)
        assert not list(root.iter(f"{SVG}script"))
        assert re.fullmatch(r"[\w.-]+", path.name)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("x" * 400, "x" * 32 + "…"),
        ("日本語のとても長いタガーの名前" * 9, "日本語のとても長いタガーの名前日…"),
        ("e\u0301" * 300, "e\u0301" * 32 + "…"),
        ("a\x1b\ud800", "a␛\ufffd"),
    ],
)
@pytest.mark.filterwarnings("ignore:Glyph")
def test_long_names_are_cut_between_letters_and_broken_ones_repaired(name, shown):
    assert short(name) == shown
    assert short("abc") == "abc"
    figure = forest(posterior(name, "b"))
    assert any(shown in text.get_text() for text in figure.texts)
    assert figure.get_tightbbox().width < 14


def test_other_endings_are_refused():
    with pytest.raises(UsageError, match=r"^x\.jpg: pictures are written as \.svg, \.pdf, \.png\. Give one of"):
        content(forest(posterior()), Path("x.jpg"))


def test_a_letter_without_a_font_is_refused_but_in_svg():
    figure = forest(posterior("\U0010fffd", "b"))
    for ending in ("png", "pdf"):
        with pytest.raises(
            UsageError, match=rf"^x\.{ending}: matplotlib finds no font with .* \(U\+10FFFD\)\. Install"
        ):
            content(figure, Path(f"x.{ending}"))
    assert "\U0010fffd better" in content(figure, Path("x.svg")).decode()


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UsageError, match=r"^pictures need matplotlib\. Install it: pip install 'assay-nlp\[plot\]'$"):
        check_plot()


def test_drawing_uses_neither_a_display_nor_pyplot():
    script = """
import sys
from unit.render.pictures.drawn import posterior
from assay.render.pictures.plots import forest
assert "matplotlib" not in sys.modules
forest(posterior())
assert "matplotlib.pyplot" not in sys.modules
"""
    done = subprocess.run(
        [sys.executable, "-c", script], check=False, cwd=Path(__file__).parents[3], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


# --- names of files ---


def test_every_picture_has_a_name_and_a_title_of_its_own():
    names, figures = zip(*pictures(paper_in_short()), strict=True)
    assert {"matrix", "matrix-region", "simplex", "simplex-oov", "ranking-token", "forest-token-TnT-Collins"} <= set(
        names
    )
    assert {"simplex-token-TnT-Flair", "curves-token-TnT-Flair"} <= set(names)
    assert all(figure.get_label() for figure in figures)


def paper_in_short():
    """The pairs of one system on two measures."""
    chosen = [
        row for row in paper().bayes if row.a == "TnT" and row.b in ("Collins", "Flair") and row.measure != "sentence"
    ]
    return replace(paper(), bayes=tuple(chosen))


def test_names_of_files_are_safe_and_differ_whatever_the_case():
    assert stem("forest", "las(punct=false)", "../../etc/passwd", "a b") == "forest-las_punct_false-etc_passwd-a_b"
    assert stem("x", "...", "日本") == "x-_-日本"
    assert len(stem("x", "日" * 300).encode()) <= 62
    twins = result([posterior("a/b", "c"), posterior("A b", "c", shares=Thirds(1, 0, 0))])
    named = [name for name, _ in pictures(twins)]
    assert len({name.casefold() for name in named}) == len(named)
    assert {"forest-token-a_b-c", "forest-token-A_b-c-2"} <= set(named)


def test_what_is_not_there_has_no_picture():
    bare = replace(posterior(), simplex=(), by_data_set=(), rope_curve=(), prior_curve=())
    assert [name for name, _ in pictures(result([bare]))] == ["matrix", "matrix-region"]
    assert list(pictures(result([]))) == []
