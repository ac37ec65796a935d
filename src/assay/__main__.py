"""The way in: the script `assay` and `python -m assay`. Nothing is loaded before an interruption can be caught."""

import sys


def main() -> None:
    """Run the command line; interrupted while it is being loaded, end without a traceback."""
    try:
        from assay.cli import run

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
