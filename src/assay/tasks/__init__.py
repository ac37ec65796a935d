"""A folder per task. Each has a `task.py` with the record TASK that tells the engine what the task is."""

NAMES = (
    *("tags", "spans", "dependencies", "graphs", "relations", "links", "constituents", "coreference", "ratings"),
    "cross",
)
"""All tasks, in the order in which they are listed."""
