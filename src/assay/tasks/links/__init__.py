"""Links: mentions and the identifiers of what they name."""
