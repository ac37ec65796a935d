"""An averaged perceptron that tags from left to right, by the word, its neighbours, its ending and the tag before."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from assay.demo.taggers import Sentence, run_tagger

ROUNDS = 8
START = "<s>"


def train_weights(corpus: list[Sentence]) -> dict[str, Any]:
    """Weights of features for tags, averaged over all steps of the training."""
    tags = sorted({tag for sentence in corpus for _, tag in sentence})
    weights: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    totals: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    step = 1
    for _ in range(ROUNDS):
        for sentence in corpus:
            words = [word for word, _ in sentence]
            before = START
            for place, (_, right) in enumerate(sentence):
                features = _features(words, place, before)
                guess = _best(weights, tags, features)
                if guess != right:
                    for feature in features:
                        for tag, change in ((right, 1.0), (guess, -1.0)):
                            weights[feature][tag] += change
                            totals[feature][tag] += step * change
                step += 1
                before = guess
    averaged = {
        feature: {tag: weight - totals[feature][tag] / step for tag, weight in row.items()}
        for feature, row in weights.items()
    }
    return {"tags": tags, "weights": averaged}


def tag_by_weights(model: Any, words: list[str]) -> list[str]:
    """The tags of a sentence."""
    found: list[str] = []
    for place in range(len(words)):
        before = found[-1] if found else START
        found.append(_best(model["weights"], model["tags"], _features(words, place, before)))
    return found


def _best(weights: Any, tags: list[str], features: list[str]) -> str:
    scores = dict.fromkeys(tags, 0.0)
    for feature in features:
        for tag, weight in weights.get(feature, {}).items():
            scores[tag] += weight
    return max(tags, key=lambda tag: (scores[tag], tag))


def _features(words: list[str], place: int, before: str) -> list[str]:
    word = words[place]
    previous = words[place - 1] if place else START
    following = words[place + 1] if place + 1 < len(words) else "</s>"
    shape = f"{word[0].isupper()}{any(mark.isdigit() for mark in word)}{word.isalpha()}{place == 0}"
    return [
        "bias",
        f"word {word.lower()}",
        *(f"ending {word[-length:].lower()}" for length in (1, 2, 3)),
        f"shape {shape}",
        f"tag before {before}",
        f"tag and word {before} {word.lower()}",
        f"before {previous.lower()}",
        f"after {following.lower()}",
        f"ending after {following[-2:].lower()}",
    ]


if __name__ == "__main__":
    run_tagger(__doc__ or "", train_weights, tag_by_weights)
