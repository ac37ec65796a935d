"""Tab-separated tables for pipes and spreadsheets: full labels, no colour, nothing cut."""

from __future__ import annotations

from assay.render.tables import tables
from assay.render.text import example_text, verdict
from assay.result import Result


def tsv(result: Result) -> str:
    """All tables; a line `# title` heads each, a blank line divides them."""
    blocks = []
    for table in tables(result):
        lines = [f"# {_clean(table.title)}", "\t".join(map(_clean, table.header))]
        lines += ["\t".join(_clean(cell.text) for cell in row) for row in table.rows]
        blocks.append("\n".join(lines))
    if result.examples:
        lines = ["# Examples", "a\tb\tplace\tsentence"]
        lines += [
            "\t".join(map(_clean, (example.a, example.b or "", example.place, example_text(example))))
            for example in result.examples
        ]
        blocks.append("\n".join(lines))
    sentence = verdict(result)
    tail = [f"# {_clean(line)}" for line in (sentence, *result.notes, result.signature) if line]
    blocks.append("\n".join(tail))
    return "\n\n".join(blocks) + "\n"


def _clean(text: str) -> str:
    """A label may hold what divides cells and lines."""
    return text.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
