"""What is compared across frameworks: golds and systems with their function trees, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from assay.corpus import Corpus
from assay.engine.options import Options
from assay.tasks.constituents.brackets import functions
from assay.tasks.cross.frameworks import Annotation, Conversion
from assay.tasks.cross.functiontrees import FunctionTrees, generalise, tl_unify
from assay.tasks.cross.inputs import Files


@dataclass(frozen=True)
class Choices:
    """What figures depend on beside the files."""

    sizes: str
    subtypes: bool
    relational: Mapping[str, frozenset[str]]
    """For theories of relational-realizational trees the labels that are functions."""
    segmentation: str
    non_projective: str
    native: Mapping[str, Sequence[str]]
    """The measures of each framework itself."""

    @property
    def empty_counts(self) -> bool:
        """Whether a node without label is a unit."""
        return self.sizes != "paper"

    def conversion(self, theory: str) -> Conversion:
        """How the trees of a theory become function trees."""
        return Conversion(self.subtypes, self.relational.get(theory), lift=self.non_projective == "lift")


@dataclass(frozen=True, eq=False)
class Theory:
    """A gold, its function trees, and what else it was given."""

    name: str
    annotation: Annotation
    trees: FunctionTrees
    enriched_by: str

    @property
    def full_name(self) -> str:
        """Its name with that of the gold that gave it functions."""
        return f"{self.name}+{self.enriched_by}" if self.enriched_by else self.name

    @property
    def title(self) -> str:
        """What it is called among systems."""
        return f"gold {self.full_name}"


@dataclass(frozen=True, eq=False)
class Version:
    """A system's output in one framework."""

    title: str
    """The names of system and theory."""
    theory: Theory
    annotation: Annotation
    trees: FunctionTrees
    labelled: bool
    """Whether it has functions, of its own or from its version in another framework."""


@dataclass(frozen=True, eq=False)
class System:
    """A parser with its output in one framework or several, by theory; the first is compared with the others'."""

    name: str
    versions: Mapping[str, Version]

    @property
    def first(self) -> Version:
        """The version that stands for it."""
        return next(iter(self.versions.values()))


@dataclass(frozen=True, eq=False)
class Comparison:
    """All golds and all systems over the same sentences."""

    theories: Mapping[str, Theory]
    systems: tuple[System, ...]
    files: Files
    how: Choices
    options: Options

    @classmethod
    def of(cls, files: Files, enrichments: Sequence[tuple[str, str]], how: Choices, options: Options) -> Comparison:
        """Make function trees of all files; `enrichments`: which gold takes its functions from which."""
        trees = {name: gold.function_trees(how.conversion(name)) for name, gold in files.golds.items()}
        for structure, labels in enrichments:
            trees[structure] = tl_unify(trees[structure], trees[labels])
        givers = dict(enrichments)
        theories = {name: Theory(name, gold, trees[name], givers.get(name, "")) for name, gold in files.golds.items()}
        systems = tuple(_system(name, versions, theories, how) for name, versions in files.systems.items())
        return cls(theories, systems, files, how, options)

    @property
    def unit(self) -> str:
        """What is resampled: sentences or documents."""
        return self.options.unit or "sentence"

    @property
    def reference(self) -> Corpus:
        """The first gold."""
        return self.files.reference

    @property
    def versions(self) -> list[Version]:
        """All versions of all systems."""
        return [version for system in self.systems for version in system.versions.values()]

    def versions_of(self, theory: str) -> dict[str, Version]:
        """By name, the systems that have a version of a theory."""
        return {system.name: system.versions[theory] for system in self.systems if theory in system.versions}

    @cached_property
    def common(self) -> FunctionTrees:
        """What the golds agree on."""
        return generalise(*(theory.trees for theory in self.theories.values()))


def _system(name: str, outputs: Mapping[str, Annotation], theories: Mapping[str, Theory], how: Choices) -> System:
    """A system with its function trees; phrase structure takes functions from its dependencies if it has none.

    So it does where its gold does, whether or not it has others of its own.
    """
    trees = {theory: one.function_trees(how.conversion(theory)) for theory, one in outputs.items()}
    labelled = {theory: _has_functions(one, how.conversion(theory)) for theory, one in outputs.items()}
    source = next((theory for theory in outputs if labelled[theory]), None)
    versions = {}
    for theory, annotation in outputs.items():
        own = trees[theory]
        if (giver := theories[theory].enriched_by) in trees:
            own = tl_unify(own, trees[giver])
        elif not labelled[theory] and source is not None:
            own = tl_unify(own, trees[source])
        versions[theory] = Version(f"{name}@{theory}", theories[theory], annotation, own, source is not None)
    return System(name, versions)


def _has_functions(annotation: Annotation, conversion: Conversion) -> bool:
    trees = annotation.corpus.trees
    if trees is None or conversion.function_labels is not None or trees.edges is not None:
        return True
    return any(functions(label) for label in (*trees.labels.vocabulary, *annotation.corpus.column("tag").vocabulary))
