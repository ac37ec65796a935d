"""Ratings of items by many annotators, and systems among these."""
