"""Options of links."""

from __future__ import annotations

from assay.specs import Option
from assay.tasks.options import BLANK_TAG
from assay.tasks.spans.options import READING

_LINKS = "Links"
OPTIONS = (
    Option(
        "link_column",
        "Column of identifiers (NEL-LIT, MISC:Wikidata); several joined by commas: all of them are right.",
        _LINKS,
        default="",
        metavar="NAME",
    ),
    Option(
        "link_field",
        "Field of Entity brackets in CoNLL-U that holds identifiers.",
        _LINKS,
        default="",
        metavar="wiki",
    ),
    Option(
        "id_prefix",
        "Beginning of identifiers that does not count, in any file that has it.",
        _LINKS,
        default="",
        metavar="PREFIX",
    ),
    Option("same_ids", "File of equal identifiers, two in each line.", _LINKS, file="path"),
    Option("min_score", "Candidates of systems with a lower score do not count.", _LINKS, default="", metavar="0.5"),
    Option(
        "id_url",
        "Address of an identifier on the page, e.g. https://www.wikidata.org/wiki/{}",
        _LINKS,
        default="",
        metavar="URL",
    ),
    BLANK_TAG,
    *READING,
)
