"""Make the pictures of report pages in docs/images anew, from the demo: `make images` (needs Chromium)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

IMAGES = Path(__file__).parent.parent / "docs" / "images"
PICTURES = {
    "leaderboard.png": ("english.html", 1280, 860),
    "report-parsers.png": ("dependencies.html#q=change:correction", 1280, 770),
}
"""The page of the demo, and the size of the window, for each picture."""


def main() -> None:
    """Take all pictures."""
    names = ("chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as running:
        demo = [sys.executable, "-m", "assay", "demo", "--html", folder]
        subprocess.run(demo, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        browser = running.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for name, (page, width, height) in PICTURES.items():
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme="light")
            opened = context.new_page()
            opened.goto(f"{Path(folder).as_uri()}/{page}")
            opened.wait_for_selector("html[data-ready='true']", state="attached")
            opened.screenshot(path=IMAGES / name)
            context.close()
        browser.close()


if __name__ == "__main__":
    main()
