"""`python -m assay`."""

import sys

try:
    from assay.cli import run
except KeyboardInterrupt:
    sys.exit(130)

run()
