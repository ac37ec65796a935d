"""Labelled relations between spans."""
