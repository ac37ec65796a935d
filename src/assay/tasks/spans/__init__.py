"""Labelled spans."""
