"""What the attributes of corpus queries mean: a category of the tagset, the whole tag, the form or the lemma."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from assay.errors import InputError
from assay.formats.source import Source
from assay.tasks.tags.tagsets import Tagset
from assay.tasks.tags.tagsets.kinds import Feats
from assay.tasks.tags.weights.cqp import Test
from assay.tasks.tags.weights.inputs import parsed
from assay.tasks.tags.weights.patterns import positions
from assay.tasks.tags.weights.table import POS, categories, no_category

FORM, LEMMA, TAG, CATEGORY = "form", "lemma", "tag", "category"

_USUAL = {
    **dict.fromkeys(("form", "orth", "word", "token", "lc", "word_lc"), FORM),
    **dict.fromkeys(("lemma", "base", "lemma_lc"), LEMMA),
    **dict.fromkeys(("tag", "ctag", "xpos", "msd", "morph", "feats"), TAG),
    **dict.fromkeys(("pos", "upos"), POS),
}


@dataclass(frozen=True)
class Attributes:
    """The names that queries may use for what a tagset has."""

    tagset: Tagset
    aliases: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset((POS, *categories(self.tagset)))

    @cached_property
    def _names(self) -> dict[str, str]:
        """Categories by all their names: `Post-Prepositionality` is post_prepositionality."""
        named = {category: category for category in self._known} | self.tagset.short_names()
        return {_folded(name): category for name, category in named.items()}

    def meaning(self, attribute: str) -> tuple[str, str]:
        """What kind of thing an attribute is, and the category's name if it is one; ("", "") if it is unknown."""
        name = self.aliases.get(attribute, attribute)
        if name in self._known:
            return CATEGORY, name
        if name.casefold() in _USUAL:
            usual = _USUAL[name.casefold()]
            return (CATEGORY, POS) if usual == POS else (usual, "")
        if _folded(name) in self._names:
            return CATEGORY, self._names[_folded(name)]
        brings_its_own = isinstance(self.tagset, Feats) and not self.tagset.keep
        return (CATEGORY, name) if brings_its_own and name[:1].isupper() else ("", "")

    def involved(self, test: Test) -> frozenset[str]:
        """The categories that a test is about."""
        kind, category = self.meaning(test.attribute)
        if kind == CATEGORY:
            return frozenset({category})
        return positions(test.value, self.tagset) if kind == TAG and test.value is not None else frozenset()


def read_aliases(path: str, tagset: Tagset) -> dict[str, str]:
    """Other names of attributes: lines `alias TAB category`, or a JSON table; also of form, lemma, tag and pos."""
    text = "".join(batch.text for batch in Source(path).batches())
    attributes = Attributes(tagset)
    found: dict[str, str] = {}
    for number, alias, target in _pairs(path, text):
        if not attributes.meaning(target)[0]:
            raise InputError(f"{path}:{number}: {no_category(target, tagset, (FORM, LEMMA, TAG))}")
        found[alias] = target
    return found


def _pairs(path: str, text: str) -> Iterator[tuple[int, str, str]]:
    if text.lstrip().startswith("{"):
        for alias, target in parsed(path, text).items():
            yield text.count("\n", 0, max(text.find(json.dumps(alias)), 0)) + 1, alias, str(target)
        return
    for number, line in enumerate(text.split("\n"), 1):
        cells = [cell.strip() for cell in line.split("\t")]
        if not line.strip() or line.startswith("# "):
            continue
        if len(cells) != 2:
            raise InputError(f"{path}:{number}: an alias is a line: alias TAB category, e.g. cas TAB case.")
        yield number, cells[0], cells[1]


def _folded(name: str) -> str:
    return name.casefold().replace("-", "_")
