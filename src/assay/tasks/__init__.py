"""A folder per task. Each has a `task.py` with the record TASK that tells the engine what the task is."""

NAMES = ("tags", "spans", "dependencies", "constituents", "coreference", "cross")
"""All tasks, in the order in which they are listed."""
