"""How likely each parse of a sentence is, where no parser says: expectation maximisation over all sentences.

Acedański & Przepiórkowski 2010, section 2.3.2, name the method (after Dębowski 2009). The model: a parse is as
likely as the product of the probabilities of its rules, each as often as it is used; the probabilities of rules with
the same left side (`PP` of `PP -> P NP`) sum to 1, and rules without one are taken together. All rules of a left side
are equally likely at first. Then, again and again: each parse weighs its share of the likelihoods of its sentence's
parses, and a rule's probability is its share of the weighted uses of its left side. The likelihood of the sentences
never falls.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MOST_ROUNDS = 1000
CLOSE = 1e-10
"""It has converged when no parse's weight changes by more."""

Sentences = Sequence[Sequence[Mapping[str, int]]]
"""Of each sentence its parses: how often each rule is used."""


@dataclass(frozen=True)
class Estimate:
    """What was found: the weight of each parse, 1 in all in each sentence, and in how many rounds."""

    weights: list[list[float]]
    rounds: int
    converged: bool


def parse_weights(sentences: Sentences, most_rounds: int = MOST_ROUNDS) -> Estimate:
    """The weights of the parses of every sentence; sums are exact, so that the order of sentences changes nothing."""
    left = {rule: _left_side(rule) for parses in sentences for parse in parses for rule in parse}
    rivals = Counter(left.values())
    likely = {rule: -math.log(rivals[side]) for rule, side in left.items()}
    weights = _weighed(sentences, likely)
    for done in range(1, most_rounds + 1):
        likely = _estimated(sentences, weights, left)
        before, weights = weights, _weighed(sentences, likely)
        moved = (
            abs(a - b)
            for ours, theirs in zip(before, weights, strict=True)
            for a, b in zip(ours, theirs, strict=True)
        )
        if max(moved, default=0.0) <= CLOSE:
            return Estimate(weights, done, True)
    return Estimate(weights, most_rounds, False)


def _left_side(rule: str) -> str:
    """What a rule rewrites, where its name says so."""
    for arrow in ("->", "→"):
        side, found, _ = rule.partition(arrow)
        if found:
            return side.strip()
    return ""


def _weighed(sentences: Sentences, likely: Mapping[str, float]) -> list[list[float]]:
    """Each parse's share of the likelihoods of its sentence's parses."""
    found = []
    for parses in sentences:
        logs = [math.fsum(number * likely[rule] for rule, number in parse.items() if number) for parse in parses]
        highest = max(logs, default=0.0)
        shares = [math.exp(log - highest) for log in logs]
        total = math.fsum(shares)
        found.append([share / total for share in shares])
    return found


def _estimated(sentences: Sentences, weights: Sequence[Sequence[float]], left: Mapping[str, str]) -> dict[str, float]:
    """The logarithm of each rule's share of the weighted uses of its left side."""
    uses: dict[str, list[float]] = defaultdict(list)
    for parses, shares in zip(sentences, weights, strict=True):
        for parse, share in zip(parses, shares, strict=True):
            for rule, number in parse.items():
                uses[rule].append(share * number)
    counts = {rule: math.fsum(numbers) for rule, numbers in uses.items()}
    sides: dict[str, list[float]] = defaultdict(list)
    for rule, count in counts.items():
        sides[left[rule]].append(count)
    totals = {side: math.fsum(numbers) for side, numbers in sides.items()}
    return {rule: math.log(count / totals[left[rule]]) if count > 0 else -math.inf for rule, count in counts.items()}
