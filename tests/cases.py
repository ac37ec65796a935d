"""Many small cases as one test that tries them all and names those that fail."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

SHOWN = 10


def each(names: str | Sequence[str], cases: Iterable[Any], ids: Callable[[Any], str] = str) -> Callable[..., Any]:
    """As `pytest.mark.parametrize`, for many cases that need no folder of their own: one test for all of them.

    All cases are tried; the test fails with the number of those that failed, their names and what was wrong. If none
    failed and some were skipped, the test is skipped with their number and reasons.
    """
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    rows = [(ids(case), dict(zip(keys, (case,) if len(keys) == 1 else case, strict=True))) for case in cases]

    def decorate(check: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(check)
        def all_cases(**fixtures: Any) -> None:
            wrong, skipped = [], []
            for name, case in rows:
                try:
                    check(**fixtures, **case)
                except pytest.skip.Exception as reason:
                    skipped.append(str(reason))
                except (Exception, pytest.fail.Exception) as error:
                    wrong.append(f"[{name}] {type(error).__name__}: {error}")
            if wrong:
                more = [f"and {len(wrong) - SHOWN} more"] if len(wrong) > SHOWN else []
                head = f"{len(wrong)} of {len(rows)} cases failed:"
                pytest.fail("\n\n".join([head, *wrong[:SHOWN], *more]), pytrace=False)
            if skipped:
                pytest.skip(f"{len(skipped)} of {len(rows)} cases: {'; '.join(dict.fromkeys(skipped))}")

        signature = inspect.signature(check)
        kept = [parameter for name, parameter in signature.parameters.items() if name not in keys]
        all_cases.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        del all_cases.__wrapped__
        return all_cases

    return decorate
