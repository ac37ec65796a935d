"""Run the commands of docs/gallery.md and make the pictures in docs/images from what they write: `make images`.

Needs Chromium and the extra `dev`. Look at the pictures before you commit them.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright
from playwright.sync_api import TimeoutError as PageTimeout

DOCS = Path(__file__).parent.parent / "docs"
IMAGES = DOCS / "images"
WIDTH = 1100
PAGES = {
    "leaderboard": ("taggers.html", "", 900),
    "report-parsers": ("parsers.html#q=change:correction", "#filters", 620),
    "many-systems": ("many.html", "", 900),
    "data-sets": ("data-sets/index.html", "", 760),
    "annotators": ("annotators.html", "", 1170),
    "bayes": ("bayes.html", "", 700),
    "items": ("items.html#q=change:new-error", "#filters", 420),
    "records": ("records.html#q=change:correction", "#filters", 480),
    "coreference": ("coreference.html", "#filters", 760),
}
"""For each picture of a page: its address, what is at the top (nothing: the page's first line), and the height."""
FIGURES = {
    "figure-paper": "paper/scores.svg",
    "figure-scores": "figures/scores.svg",
    "figure-labels": "figures/labels-rules-crf-names.svg",
    "figure-confusion": "figures/confusion-crf-names.svg",
    "figure-errors": "figures/errors.svg",
    "figure-slices": "figures/slices-span-length.svg",
    "figure-forest": "runs/forest-*.svg",
}
"""For each figure the file that a command writes, or a pattern."""


def main() -> None:
    """Make all pictures, and exit with 1 if one could not be made."""
    names = ("chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    missing = []
    with tempfile.TemporaryDirectory() as name, sync_playwright() as running:
        folder = Path(name)
        run_commands(folder)
        for figure, pattern in FIGURES.items():
            files = sorted(folder.glob(pattern))
            if files:
                shutil.copy(files[0], IMAGES / f"{figure}.svg")
            else:
                missing.append(f"{figure}: no file {pattern}")
        browser = running.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for picture, (address, top, height) in PAGES.items():
            if (folder / address.partition("#")[0]).exists():
                missing += take_picture(browser, folder, picture, address, top, height)
            else:
                missing.append(f"{picture}: no page {address}")
        browser.close()
    if missing:
        sys.exit("\n".join(missing))


def run_commands(folder: Path) -> None:
    """Run the commands and scripts of the gallery in their order; name those that fail, and go on."""
    text = (DOCS / "gallery.md").read_text("utf-8")
    assay = f"{shlex.quote(sys.executable)} -m assay "
    for language, block in re.findall(r"^```(\w+)\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE):
        if language == "python":
            subprocess.run([sys.executable, "-c", block], cwd=folder, check=True)
        for line in block.splitlines() if language == "sh" else ():
            command = re.sub(r"^assay ", lambda _: assay, line)
            done = subprocess.run(command, check=False, shell=True, cwd=folder, capture_output=True, text=True)
            if done.returncode:
                print(f"failed: {line}\n{done.stderr}", file=sys.stderr)


def take_picture(browser: Browser, folder: Path, picture: str, address: str, top: str, height: int) -> list[str]:
    """Save a part of a page with few colours; give back what the page lacks."""
    context = browser.new_context(viewport={"width": WIDTH, "height": 900}, color_scheme="light")
    page = context.new_page()
    page.goto(f"{folder.as_uri()}/{address}")
    missing = []
    try:
        # An index of data sets has tables alone, and no script that could be ready.
        page.wait_for_selector("html[data-ready='true']", state="attached", timeout=10_000)
    except PageTimeout:
        if not address.endswith("index.html"):
            missing.append(f"{picture}: {address} was not ready after 10 seconds")
    place = page.query_selector(top) if top else None
    if top and not place:
        missing.append(f"{picture}: {address} has no {top}")
    # The page is as high as its text, so that nothing sticks to an edge of the window.
    full = page.evaluate("document.documentElement.scrollHeight")
    page.set_viewport_size({"width": WIDTH, "height": full})
    page.evaluate("scrollTo(0, 0)")
    box = place.bounding_box() if place else None
    start = max(box["y"] - 8, 0) if box else 0
    path = IMAGES / f"{picture}.png"
    page.screenshot(path=path, clip={"x": 0, "y": start, "width": WIDTH, "height": min(height, full - start)})
    context.close()
    image = Image.open(path).convert("RGB").quantize(200, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    image.save(path, optimize=True)
    return missing


if __name__ == "__main__":
    main()
