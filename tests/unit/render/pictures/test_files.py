"""Figures as files: their names, their formats, and what they do with names of anything."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from assay.errors import UsageError
from assay.render.pictures import check_plot, choose_figures, draw_files, list_figures, stem
from assay.render.pictures.runs import draw_ranking
from assay.render.pictures.sheet import encode_figure, shorten_name
from assay.result.schema import Ranking, Table, Thirds
from cases import each
from unit.render.pictures.drawn import paper, posterior, result

SVG = "{http://www.w3.org/2000/svg}"
MAGIC = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}
HOSTILE = '</title><script>alert("1")</script> & $x_1$ \x07\x1b[31m \ud800 \u202eabc'


def test_every_kind_of_figure_is_drawn_and_hostile_names_stay_text():
    posteriors = [posterior(HOSTILE, "b", f"m {HOSTILE}", data_sets=(HOSTILE, "x" * 500), draws=50)]
    whole = replace(result(posteriors), rankings=paper().rankings[2:])
    drawn = draw_files(whole, Path("figures"), ["svg"], full=True)
    kinds = {path.name.partition("-")[0].removesuffix(".svg") for path in drawn}
    assert kinds == {"forest", "matrix", "ranking", "simplex", "curves"}
    for path, found in drawn.items():
        assert not list(ElementTree.fromstring(found).iter(f"{SVG}script"))
        assert re.fullmatch(r"[\w.-]+", path.name)


def test_of_many_figures_a_paper_needs_few():
    pair = result([posterior("a", "b", draws=50)])
    assert [*choose_figures(pair)] == ["forest-token-a-b"]
    assert {"matrix", "curves-token-a-b", "simplex-token-a-b"} <= {*list_figures(pair)}
    several = choose_figures(paper())
    assert {name.partition("-")[0] for name in several} == {"matrix", "ranking"}
    assert "matrix-region" not in several and len(list_figures(paper())) > 4 * len(several)


def test_sizes_of_data_sets_are_no_scores_to_draw():
    sizes = Table("Data sets", ("data set", "accuracy"), (("english", 632),), ("text", "count"), name="sizes")
    runs = result([posterior("a", "b", draws=50)])
    assert [*list_figures(replace(runs, tables=(sizes,)))] == [*list_figures(runs)]


def test_a_figure_is_the_same_each_time_whatever_the_users_settings_are():
    import matplotlib

    order, ours = paper().rankings[2], {"font.size": 20, "axes.facecolor": "red", "svg.fonttype": "path"}
    for form, magic in MAGIC.items():
        path = Path(f"x.{form}")
        usual = encode_figure(draw_ranking(order), path)
        assert usual.startswith(magic)
        with matplotlib.rc_context({**ours, "savefig.dpi": 10}):
            assert encode_figure(draw_ranking(order), path) == usual
            assert matplotlib.rcParams["font.size"] == 20
        if form == "svg":
            # Text stays text, and what the figure shows is its title.
            root = ElementTree.fromstring(usual)
            assert root.findtext(f"{SVG}title").startswith("Order by oov: TnT ≈ Collins")
            shown = {"".join(node.itertext()) for node in root.iter(f"{SVG}text")}
            assert {"Flair", "Stanford", "⪅", "worse → better"} <= shown
            assert not re.search(rb"\d{4}-\d\d-\d\dT", usual)
        if form == "pdf":
            # Fonts are embedded whole, as TrueType.
            assert b"/FontFile2" in usual and b"/Type3" not in usual and b"CreationDate" not in usual


@each(
    ("name", "shown"),
    [
        ("x" * 400, "x" * 32 + "…"),
        ("日本語のとても長いタガーの名前" * 9, "日本語のとても長いタガーの名前日…"),
        ("e\u0301" * 300, "e\u0301" * 32 + "…"),
        ("a\x1b\ud800", "a␛\ufffd"),
        ("abc", "abc"),
    ],
)
def test_long_names_are_cut_between_letters_and_broken_ones_repaired(name, shown):
    assert shorten_name(name) == shown


def test_other_formats_are_refused():
    with pytest.raises(UsageError, match=r"^there is no format of figures 'eps'\. Available: svg, pdf, png\.$"):
        draw_files(paper(), Path("x"), ["eps"])


def test_a_letter_without_a_font_is_refused_but_in_svg():
    figure = draw_ranking(Ranking("m", ("\U0010fffd", "b"), "", ()))
    for ending in ("png", "pdf"):
        with pytest.raises(UsageError, match=rf"^x\.{ending}: no installed font contains .* \(U\+10FFFD\)\. Install"):
            encode_figure(figure, Path(f"x.{ending}"))
    assert "\U0010fffd" in encode_figure(figure, Path("x.svg")).decode()


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UsageError, match=r"^figures need matplotlib\. Install it: pip install matplotlib$"):
        check_plot()


def test_drawing_uses_neither_a_display_nor_pyplot():
    script = """
import sys
from unit.render.pictures.drawn import posterior
from assay.render.pictures.runs import draw_forest
assert "matplotlib" not in sys.modules
draw_forest(posterior())
assert "matplotlib.pyplot" not in sys.modules
"""
    done = subprocess.run(
        [sys.executable, "-c", script], check=False, cwd=Path(__file__).parents[3], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


# --- names of files ---


def test_every_figure_has_a_name_of_its_own_and_is_found_by_it_or_its_kind():
    names = list(list_figures(paper()))
    assert {"matrix", "matrix-region", "simplex", "simplex-oov", "ranking-token"} <= set(names)
    assert {"forest-token-TnT-Collins", "simplex-token-TnT-Flair", "curves-token-TnT-Flair"} <= set(names)
    assert len(names) == len(set(names)) == 3 * 45 + 2 + 3 + 4
    content, size = paper().plot("ranking")._repr_png_()
    assert content.startswith(b"\x89PNG") and 2.5 * size["width"] == pytest.approx(
        int.from_bytes(content[16:20], "big"), abs=2.5
    )
    assert paper().plot("ranking").get_label().startswith("Order by token: ")
    assert paper().plot("ranking-oov").get_label().startswith("Order by oov: ")
    with pytest.raises(UsageError, match=r"^there is no figure 'rankin-oov'\. Did you mean ranking-oov"):
        paper().plot("rankin-oov")


def test_names_of_files_are_safe_and_differ_whatever_the_case():
    assert stem("forest", "las(punct=false)", "../../etc/passwd", "a b") == "forest-las_punct_false-etc_passwd-a_b"
    assert stem("x", "...", "日本") == "x-_-日本"
    assert len(stem("x", "日" * 300).encode()) <= 62
    twins = result([posterior("a/b", "c"), posterior("A b", "c", shares=Thirds(1, 0, 0))])
    named = list(list_figures(twins))
    assert len({name.casefold() for name in named}) == len(named)
    assert {"forest-token-a_b-c", "forest-token-A_b-c-2"} <= set(named)


def test_what_is_not_there_has_no_picture():
    bare = replace(posterior(), simplex=(), by_data_set=(), rope_curve=(), prior_curve=())
    assert list(list_figures(result([bare]))) == ["matrix", "matrix-region"]
    assert list_figures(result([])) == {}
