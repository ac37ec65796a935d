"""The way in: the script `assay` and `python -m assay`. Nothing is loaded before an interruption can be caught."""

import gc
import sys


def main() -> None:
    """Run the command line; interrupted while it is being loaded, end without a traceback."""
    # Next to nothing here is garbage that goes in circles: it is looked for less often.
    gc.set_threshold(100_000)
    try:
        from assay.cli import run_command_line

        run_command_line()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
