"""Chains of mentions."""
