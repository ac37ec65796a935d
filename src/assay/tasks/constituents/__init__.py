"""Phrase structure."""
