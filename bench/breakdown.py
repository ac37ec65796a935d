"""Where the time of a comparison goes, in CPU seconds. Run: breakdown.py GOLD A B"""

from __future__ import annotations

import json
import sys
import time


def main() -> None:
    """The steps of `assay compare … --format json` one by one, each with the CPU it took."""
    import assay.cli.compare  # noqa: F401  what the command loads too
    from assay.evaluate import compare
    from assay.readers import read

    parts = {"start-up": time.process_time()}
    gold, a, b = (read(path, columns=["XPOS"]) for path in sys.argv[1:])
    parts["reading"] = time.process_time()
    result = compare(gold, {"a": a, "b": b}, column="XPOS")
    parts["comparing"] = time.process_time()
    result.to_json()
    parts["writing"] = time.process_time()
    ends = list(parts.values())
    print(json.dumps(dict(zip(parts, map(float.__sub__, ends, [0.0, *ends]), strict=False))))


if __name__ == "__main__":
    main()
