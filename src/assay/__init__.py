"""assay scores and compares annotation systems: how good each is, what differs, and how sure we can be.

import assay
result = assay.compare("gold.conllu", ["a.conllu", "b.conllu"])
"""

__version__ = "0.1.0"

# Type checkers know this name; the module `typing` would take most of the time of `import assay`.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from assay.bayesian import bayes
    from assay.corpus import Corpus
    from assay.engine.agreement import agreement
    from assay.engine.metric import measure
    from assay.errors import AssayError
    from assay.formats import read
    from assay.formats.answers import answers
    from assay.result import Result, Results
    from assay.scale.run import compare, score
    from assay.scale.sets import compare_sets
    from assay.tasks.cross.compare import cross

__all__ = [
    "AssayError",
    "Corpus",
    "Result",
    "Results",
    "__version__",
    "agreement",
    "answers",
    "bayes",
    "compare",
    "compare_sets",
    "cross",
    "measure",
    "read",
    "score",
]

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
    "measure": "engine.metric",
    "read": "formats",
    "score": "scale.run",
}


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
