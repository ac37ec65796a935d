"""The text for a package index: the README without pictures and links that only the repository has."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Description(MetadataHookInterface):
    """Gives the built package its description."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Put the text in."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        text = re.sub(r"^!\[[^\]]*\]\([^)]*\)\n\n?", "", text, flags=re.MULTILINE)
        text = re.sub(r"\[([^\]]+)\]\((?!https?:)[^)]*\)", r"\1", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
