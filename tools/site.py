"""Pages of the site that are not in docs/: report pages of the demo, live, and other files of the repository."""

from __future__ import annotations

import posixpath
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

OUTSIDE = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changes.md", "bench/README.md": "benchmarks.md"}
"""Files of the repository, and their pages."""
_LIVE = """---
hide: [navigation, toc]
---

# Report pages, live

The pages that `assay demo --html` writes, one for each comparison: every number in them is a filter. Each is one file
that needs no network: {links}.

<iframe name="report" src="demo/english.html" title="Report page" style="width: 100%; height: 80vh; border: 1px solid
#8884"></iframe>
"""


def on_files(files: Files, config: Any) -> Files:
    """Add the pages."""
    root = Path(config.config_file_path).parent
    with tempfile.TemporaryDirectory() as folder:
        demo = [sys.executable, "-m", "assay", "demo", "--html", folder]
        subprocess.run(demo, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        pages = {path.stem: path.read_text("utf-8") for path in sorted(Path(folder).glob("*.html"))}
    links = [f'<a href="demo/{name}.html" target="report">{name}</a>' for name in pages if name != "index"]
    made = {f"demo/{name}.html": text for name, text in pages.items()}
    made |= {name: (root / source).read_text("utf-8") for source, name in OUTSIDE.items()}
    made["live.md"] = _LIVE.format(links=", ".join(links))
    for name, text in made.items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links between files of the repository lead to their pages; what has none is left as text."""
    here = page.file.src_uri
    source = next((path for path, name in OUTSIDE.items() if name == here), f"docs/{here}")

    def linked(match: re.Match[str]) -> str:
        path, mark, heading = match[2].partition("#")
        there = posixpath.normpath(posixpath.join(posixpath.dirname(source), path)) if path else source
        page_of = OUTSIDE.get(there) or (there.removeprefix("docs/") if there.startswith("docs/") else "")
        if not page_of:
            return match[1]
        return f"[{match[1]}]({posixpath.relpath(page_of, posixpath.dirname(here))}{mark}{heading})"

    return re.sub(r"\[([^\]]*)\]\((?!https?:)([^)\s]+)\)", linked, markdown)
