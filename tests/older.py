"""Results as earlier versions wrote them."""

from __future__ import annotations

import json
from typing import Any

from assay import Result


def as_assay_1(result: Result) -> dict[str, Any]:
    """The JSON of a Result in the form of `assay/1`, whose facts were fields of the Result itself."""
    data = json.loads(result.to_json())
    return {**data, **data.pop("about"), **data.pop("shown"), "schema": "assay/1"}
