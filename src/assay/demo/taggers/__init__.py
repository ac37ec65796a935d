"""Two small taggers for the demo of `assay experiment`: plain Python, a second's work on a small corpus."""
