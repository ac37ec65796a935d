"""From pairs to a Result: items, counts, scores, tests, changes; knows no task by name."""
