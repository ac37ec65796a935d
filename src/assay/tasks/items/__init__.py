"""Items without words: a label, a set of labels, a rank or a number for each."""
