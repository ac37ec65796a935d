"""assay scores and compares annotation systems: how good each is, what differs, and how sure we can be.

import assay
result = assay.compare("gold.conllu", ["a.conllu", "b.conllu"])
"""

__version__ = "0.1.0"

# Type checkers know this name; the module `typing` would take most of the time of `import assay`.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from assay.bayesian import bayes as bayes
    from assay.corpus import Corpus as Corpus
    from assay.engine.agreement import agreement as agreement
    from assay.engine.metric import measure as measure
    from assay.errors import AssayError as AssayError
    from assay.formats import read as read
    from assay.formats.answers import answers as answers
    from assay.formats.contents import describe as describe
    from assay.result import Result as Result
    from assay.result import Results as Results
    from assay.scale.run import compare as compare
    from assay.scale.run import plan as plan
    from assay.scale.run import score as score
    from assay.scale.sets import compare_sets as compare_sets
    from assay.tasks.cross.compare import cross as cross
    from assay.tasks.records.data import records as records

_HOMES = {
    "AssayError": "errors",
    "Corpus": "corpus",
    "Result": "result",
    "Results": "result",
    "agreement": "engine.agreement",
    "answers": "formats.answers",
    "bayes": "bayesian",
    "compare": "scale.run",
    "compare_sets": "scale.sets",
    "cross": "tasks.cross.compare",
    "describe": "formats.contents",
    "measure": "engine.metric",
    "plan": "scale.run",
    "read": "formats",
    "records": "tasks.records.data",
    "score": "scale.run",
}
"""The module of each public name."""
__all__ = ["__version__", *_HOMES]  # noqa: PLE0604


def __getattr__(name: str) -> object:
    """Public names are loaded when first used: `import assay` alone costs next to nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"assay.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
