"""Write docs/measures.md from the docstrings of the measures: `make docs`."""

from __future__ import annotations

from pathlib import Path

from assay.engine.measure import measures
from assay.engine.slices import slices

TARGET = Path(__file__).parent.parent / "docs" / "measures.md"


def document() -> str:
    """The page, from what the code says of itself."""
    parts = ["# Measures", "Made from the docstrings by `make docs`. On the command line: `assay measures NAME`."]
    for name, definition in measures().items():
        scores = ", ".join(f"`{score}`" for score in definition.score_names)
        parts += [f"## {name}", f"```\n{definition.documentation}\n```"]
        parts += [f"Scores, the main one first: {scores}."]
    parts.append("## Slices")
    parts.append("\n".join(f"- `{name}`: {kind.help}" for name, kind in slices().items()))
    parts.append(
        "## Your own\n\nDecorate a function with `@assay.measure(name, scores=...)` and use "
        "`-m mymodule:myfunction`; see [CONTRIBUTING](../CONTRIBUTING.md)."
    )
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    TARGET.write_text(document(), encoding="utf-8")
