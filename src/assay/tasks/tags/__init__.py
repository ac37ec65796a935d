"""One label per word, or several; tags with parts."""
