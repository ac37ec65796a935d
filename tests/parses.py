"""Small parses as text: dependencies of a word each, `loves/0/root`."""

from __future__ import annotations


def dependencies(*sentences: str, upos: str = "_", feats: str = "_") -> str:
    """CoNLL-U of sentences such as `John/2/nsubj runs/0/root`: word, head, relation."""
    blocks = []
    for sentence in sentences:
        cells = [word.rsplit("/", 2) for word in sentence.split()]
        blocks.append(
            "".join(
                f"{number}\t{form}\t_\t{upos}\t_\t{feats}\t{head}\t{relation}\t_\t_\n"
                for number, (form, head, relation) in enumerate(cells, 1)
            )
        )
    return "\n".join(blocks) + "\n"
