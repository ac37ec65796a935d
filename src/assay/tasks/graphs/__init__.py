"""Graphs over words: enhanced dependencies and semantic dependencies."""
