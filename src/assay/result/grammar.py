"""What a verdict may say: from facts to its kind and claims (docs/guide/chance.md has the table of all kinds).

Nothing else decides whether a difference is significant, and no renderer looks at p. A claim is a word for what a
sentence asserts (`better`, `not-shown`); its text is made of kind, claims and facts by `verdict.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from assay.result.schema import Posterior, Record

NOTABLE = 0.01
"""The least rise of agreement without an annotator that is pointed out."""
ALPHA = 0.05
"""The level of all tests, after correction."""
BETTER = ("different", "more-than-margin", "trivial", "different-margin-open")
"""Kinds of pairs with a significant difference."""
RELIABLE, TENTATIVE = 0.8, 0.667
"""Krippendorff's (2004) limits of alpha for reliable and for tentative conclusions."""
FEW_ITEMS, FEW_MINORITY, FEW_ANNOTATORS = 20, 5, 3
"""With fewer items, agreement gets no word; with fewer items that have a rare label, it is not called low; with fewer
annotators there is no human ceiling."""
SURE = 0.95
"""The posterior probability from which on a relation is decided."""
MORE_WARNINGS = "There are more warnings of this kind"
"""The beginning of the sentence on warnings of data sets that are not listed."""
Facts = Mapping[str, Any]
KINDS = {
    "undefined": ("a score is undefined", ""),
    "identical": ("no unit differs", "the systems are equally good on other data"),
    "unjudged": ("neither higher nor lower scores are better", "one system is better"),
    "tied": ("both scores are the same, but some units differ", "the systems are equally good"),
    "untestable": ("too few units differ for any outcome to have p (Holm) of at most 0.05", "neither is better"),
    "unsettled": ("random shufflings leave open whether p is below 0.05", "neither is better"),
    "different": ("p (Holm) is at most 0.05", "the difference matters"),
    "not-shown": ("p (Holm) is above 0.05", "the systems are equally good"),
    "more-than-margin": ("p (Holm) is at most 0.05 and the interval lies beyond the margin", ""),
    "trivial": ("p (Holm) is at most 0.05 and the 90% interval lies within the margin", ""),
    "different-margin-open": ("p (Holm) is at most 0.05 and the interval contains the margin", ""),
    "equivalent": ("p (Holm) is above 0.05 and the 90% interval lies within the margin", "the systems are equal"),
    "not-worse": ("p (Holm) is above 0.05 and one end of the 90% interval lies within the margin", ""),
    "open": ("p (Holm) is above 0.05 and the 90% interval extends beyond the margin at both ends", ""),
    "leader-all": ("p (Holm) is at most 0.05 against every other system", "the differences matter"),
    "leader-some": ("p (Holm) is at most 0.05 against some of the other systems", "it is the best"),
    "leader-none": ("p (Holm) is above 0.05 against every other system", "it is the best"),
    "leader-untestable": ("too few units differ to test any difference from another system", "it is the best"),
    "leader-untested": ("no difference was tested", "it is the best"),
    "leader-shared": ("several systems have the highest score", "they are equally good"),
    "leader-identical": ("several systems have the highest score and do not differ in any unit", ""),
    "baseline": ("all systems are tested against one baseline", ""),
    "score": ("there is one system and its score has an interval", ""),
    "score-no-interval": ("there is one system and its score has no interval", ""),
    "agreement-undefined": ("the coefficient is undefined", ""),
    "agreement-few": ("fewer than 20 items have two ratings", "the annotators agree well or badly"),
    "agreement-reliable": ("the lower end of the interval is at least .8", "the labels are right"),
    "agreement-tentative": ("the lower end of the interval is at least .667", ""),
    "agreement-low": ("the upper end of the interval is below .667", ""),
    "agreement-open": ("the interval allows more than one conclusion", ""),
    "ceiling-none": ("there are fewer than three annotators", ""),
    "ceiling-above": ("the system scores higher than the annotators and p (Holm) is at most 0.05", ""),
    "ceiling-below": ("the system scores lower than the annotators and p (Holm) is at most 0.05", ""),
    "ceiling-as-good": ("the lower end of the 90% interval lies within the margin", ""),
    "ceiling-open": ("p (Holm) is above 0.05", "the system is as good as the annotators"),
    "bayes-better": ("one system has a posterior probability of at least .95", ""),
    "bayes-equivalent": ("the region of equivalence has a posterior probability of at least .95", ""),
    "bayes-none": ("the differences do not vary between runs", ""),
    "bayes-open": ("no posterior probability reaches .95", "the systems are equivalent"),
}
"""By kind: what must be true, and what it does not mean; kinds of averages over data sets begin with `average-`."""


class Decision(Record):
    """The kind of a verdict, what it claims, and about which systems."""

    kind: str
    claims: tuple[str, ...]
    systems: Mapping[str, str]


def decide_kind(facts: Facts) -> Decision:
    """The kind and the claims that facts allow; `facts["type"]` says what they are about."""
    return _DECIDE[facts["type"]](facts)


def with_kind(row: Posterior) -> Posterior:
    """The posterior with the kind of verdict and the claims that its shares allow."""
    shares = vars(row.decision)
    found = decide_kind({"type": "bayes", "shares": shares, "margin": row.rope or None, "model": row.model})
    return replace(row, kind=found.kind, claims=found.claims)


def _pair(facts: Facts) -> Decision:
    """Two systems: `difference` is b − a, `p_adjusted` Holm's p in the family of the question.

    `smallest_adjusted` is Holm's p for the smallest p that any outcome could have, `low_adjusted` and
    `high_adjusted` for the bounds of a sampled p. Rows are tried from the top.
    """
    difference, p, margin = facts["difference"], facts["p_adjusted"], facts.get("margin")
    if difference is None or p is None:
        return Decision("undefined", ("undefined",), {})
    if not facts["differ"]:
        return Decision("identical", ("identical",), {})
    if not facts.get("judged", True):
        return Decision("unjudged", ("unjudged", "p"), {})
    few = bool(facts.get("few"))
    # If few units differ, the margin decides only if their number says that the difference lies within it.
    bounded = few and margin is not None and facts.get("low90") is not None and -margin < facts["low90"]
    bounded = bounded and facts["high90"] < margin
    judged = margin is not None and (bounded or not few)
    if difference == 0 and not judged:
        return Decision("tied", ("same-score", "units-differ"), {})
    significant = p <= ALPHA
    if not significant and facts.get("smallest_adjusted", 0) > ALPHA and not bounded:
        return Decision("untestable", ("higher", "units-differ", "untestable"), {})
    if facts.get("low_adjusted", p) <= ALPHA < facts.get("high_adjusted", p):
        return Decision("unsettled", ("higher", "unsettled", "p"), {})
    higher = "b" if (difference > 0) != bool(facts.get("lower")) else "a"
    low, high = facts["low"], facts["high"]
    systems: dict[str, str] = {}
    if judged:
        kind, claims, systems = _by_margin(facts, significant, higher)
    elif significant:
        kind, claims, systems = "different", ["better", "significant", "p"], {"better": higher}
    else:
        kind, claims = "not-shown", ["higher", "not-shown", "p", "detectable"]
        claims += ["alone-significant"] if facts["p"] <= ALPHA else []
    if few:
        claims += ["few"]
    elif low is not None and high is not None:
        claims += ["interval"] + ["near-end"] * (kind == "different")
        claims += ["borderline"] * (significant == (low <= 0 <= high))
    claims += ["less-than-0.01"] * (0 < abs(difference) < 0.00005) + ["clustered"] * bool(facts.get("clustered"))
    return Decision(kind, tuple(claims), systems)


def _by_margin(facts: Facts, significant: bool, higher: str) -> tuple[str, list[str], dict[str, str]]:
    """Two systems compared with the smallest difference that matters."""
    margin, low, high = facts["margin"], facts["low90"], facts["high90"]
    if low is None or high is None:
        low, high = -math.inf, math.inf
    if facts.get("lower"):
        low, high = -high, -low
    inside = -margin < low and high < margin
    if significant:
        beyond = facts["low"] > margin or facts["high"] < -margin
        kind = "more-than-margin" if beyond else "trivial" if inside else "different-margin-open"
        claim = {"different-margin-open": "margin-open"}.get(kind, kind)
        return kind, ["better", "significant", "p", "margin", claim], {"better": higher}
    score = "higher" if facts["difference"] else "same-score"
    if inside:
        return "equivalent", ["equivalent", "margin", "p-equivalent", score], {}
    if low > -margin or high < margin:
        name = "b" if low > -margin else "a"
        return "not-worse", [score, "margin", "not-worse", "p-not-worse"], {"not_worse": name}
    return "open", [score, "margin", "open"], {}


def _average(facts: Facts) -> Decision:
    """The mean of two systems over data sets, with the kinds of a pair."""
    found = _pair({"differ": 1, **facts})
    return Decision(f"average-{found.kind}", ("average", "these-sets", "sets-count", *found.claims), found.systems)


def _many(facts: Facts) -> Decision:
    """The leader of three or more systems by the kinds of its leads, or each system against a baseline."""
    leads, top, base = facts["leads"], facts["top"], facts.get("baseline")
    if not facts.get("judged", True):
        return Decision("unjudged", ("unjudged",), {})
    if not top:
        return Decision("undefined", ("undefined",), {})
    kinds = {_SPOKEN.get(kind, kind) for kind in leads.values()}
    further = [name for name in ("not-shown", "untestable", "unsettled", "trivial") if name in kinds]
    shown = any(kind in BETTER for kind in leads.values())
    if base is not None:
        return Decision("baseline", ("family", *["better"] * shown, *further), {"baseline": base})
    if len(top) > 1:
        identical = bool(facts.get("top_identical"))
        kind = "leader-identical" if identical else "leader-shared"
        return Decision(kind, ("share-highest", *["identical"] * identical), {})
    systems = {"highest": top[0]}
    if not leads:
        return Decision("leader-untested", ("highest",), systems)
    if all(kind in BETTER for kind in leads.values()):
        return Decision("leader-all", ("best", "better", "family", "p", *further), {"best": top[0]})
    if shown:
        return Decision("leader-some", ("highest", "better", "family", *further), systems)
    kind = "leader-untestable" if kinds == {"untestable"} else "leader-none"
    return Decision(kind, ("highest", "family", *further), systems)


_SPOKEN = dict.fromkeys(("tied", "identical", "equivalent", "not-worse", "open", "undefined"), "not-shown")
"""Kinds of leads that are no findings of their own in a sentence about many systems."""


def _score(facts: Facts) -> Decision:
    if facts["value"] is None:
        return Decision("undefined", ("undefined",), {})
    if facts["low"] is not None:
        assumed = ("assumed",) if facts.get("assumed") else ()
        return Decision("score", ("score", "interval", *assumed), {})
    rare = ("rare-labels",) if facts.get("rare_labels") else ()
    return Decision("score-no-interval", ("score", "no-interval", *rare), {})


def _agreement(facts: Facts) -> Decision:
    """Agreement of annotators, by the ends of its interval; the figure alone decides nothing."""
    if facts["value"] is None:
        return Decision("agreement-undefined", ("undefined",), {})
    low, high, items = facts["low"], facts["high"], facts["items"]
    further = ["level", *["level-assumed"] * bool(facts.get("level_assumed"))]
    if low is None or high is None:
        return Decision("agreement-few", ("few-items", "no-interval", *further), {})
    if items < FEW_ITEMS:
        return Decision("agreement-few", ("few-items", "interval", *further), {})
    if low >= RELIABLE:
        kind, word = "agreement-reliable", "reliable"
    elif high < TENTATIVE and facts.get("minority_items", 0) >= FEW_MINORITY:
        kind, word = "agreement-low", "unreliable"
    elif low >= TENTATIVE:
        kind, word = "agreement-tentative", "tentative"
    else:
        kind, word = "agreement-open", "open"
    return Decision(kind, (word, "interval", *further, *["agree"] * (word in ("reliable", "tentative"))), {})


def _ceiling(facts: Facts) -> Decision:
    """A system against the annotators: p decides, not the interval."""
    if facts["annotators"] < FEW_ANNOTATORS or facts["difference"] is None or facts["p_adjusted"] is None:
        return Decision("ceiling-none", ("no-ceiling",), {})
    margin = facts.get("margin")
    if facts["p_adjusted"] <= ALPHA and facts["difference"]:
        word = "above" if facts["difference"] > 0 else "below"
        return Decision(f"ceiling-{word}", (f"{word}-humans", "annotators", "p", "significant"), {})
    if margin is not None and facts["low90"] > -margin:
        return Decision("ceiling-as-good", ("as-good-as", "margin", "p-not-worse", "annotators"), {})
    return Decision("ceiling-open", ("not-told-apart", "annotators", "p"), {})


def _bayes(facts: Facts) -> Decision:
    """Posterior probabilities of two systems over data sets; without a region there are two of them."""
    shares = facts["shares"]
    if facts.get("model") == "identical":
        return Decision("identical", ("identical",), {})
    if facts.get("model") == "constant":
        return Decision("bayes-none", ("undecided",), {})
    region = ("margin",) if facts.get("margin") is not None else ()
    better = next((name for name in ("a", "b") if shares[name] >= SURE), None)
    if better:
        return Decision("bayes-better", ("better", "probability", *region), {"better": better})
    if region and shares["equal"] is not None and shares["equal"] >= SURE:
        return Decision("bayes-equivalent", ("equivalent", "probability", *region), {})
    return Decision("bayes-open", ("undecided", "probability", *region), {})


_DECIDE: Mapping[str, Callable[[Facts], Decision]] = {
    "pair": _pair,
    "average": _average,
    "many": _many,
    "score": _score,
    "agreement": _agreement,
    "ceiling": _ceiling,
    "bayes": _bayes,
    # What is only reported, or decided one by one.
    "pairs": lambda facts: Decision("agreement-pairs", (), {}),
    "ceilings": lambda facts: Decision("ceilings", (), {}),
    "order": lambda facts: Decision("bayes-order", (), {}),
}
