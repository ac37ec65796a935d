"""Records: JSON objects that a system extracted, compared value by value."""
