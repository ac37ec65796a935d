"""Parsers of different frameworks compared through function trees, each against its own gold and all golds."""
