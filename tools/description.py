"""What a package index shows: the README without pictures and links that only the repository has, and addresses."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Description(MetadataHookInterface):
    """Gives the built package its description and, from ASSAY_REPOSITORY, its addresses."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Put the text in."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        text = re.sub(r"^!\[[^\]]*\]\([^)]*\)\n\n?", "", text, flags=re.MULTILINE)
        text = re.sub(r"\[([^\]]+)\]\((?!https?:)[^)]*\)", r"\1", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
        repository = os.environ.get("ASSAY_REPOSITORY")
        pages = {"Documentation": "docs/index.md", "Changelog": "CHANGELOG.md"}
        links = {name: f"{repository}/blob/HEAD/{page}" for name, page in pages.items()}
        metadata["urls"] = {"Repository": repository, **links} if repository else {}
