"""Every sentence that the product prints says what its numbers support: claims by their words, in every rendering."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import assay
from assay.render import render
from assay.render.page import fragment, index, page
from assay.result import About, AgreementFacts, Comparison, Family, InputFile, Power, Presentation, Result, Score
from assay.result.grammar import BETTER, KINDS, decide_kind
from assay.result.verdict import make_verdict, sentence
from cases import each
from older import as_assay_1
from unit.result.test_grammar import CASES, corrected

NEVER = re.compile(r"\bchance\b|told apart|\bleads?\b|confirmed|\bproves?\b|trend towards", re.IGNORECASE)
"""Words that stand in no sentence."""
ASSERTS = {
    "better": r"\b(?:better|worse)\b",
    "best": r"\bbest\b",
    "significant": r"\bsignificant(?:ly)?\b",
    "equal": r"\bequal(?:ly)?\b|\bas good as\b",
    "reliable": r"\breliabl[ey]\b",
}
"""Words that assert only with their claim, unless the clause denies them."""
ALLOWED = {"better": {"better", "best"}, "best": {"best"}, "significant": {"significant", "better", "best"}}
ALLOWED |= {"equal": {"as-good-as"}, "reliable": {"reliable"}}
DENIED = re.compile(r"\b(?:not|no|none|neither|cannot)\b|does not mean|too small for", re.IGNORECASE)
SAYS = {
    "better": r"\bbetter than\b",
    "best": r"\bthe best\b",
    "higher": r"scores .* higher than",
    "highest": r"has the highest",
    "share-highest": r"share the highest",
    "same-score": r"have the same",
    "identical": r"do not differ in any",
    "undefined": r"\bundefined\b",
    "units-differ": r"differ in (?:only )?\d",
    "untestable": r"cannot be tested",
    "unsettled": r"shufflings cannot decide",
    "not-shown": r"not significant|not shown|is shown",
    "p": r"\bp (?:=|<|between|after Holm|at most)",
    "family": r"\d+ tests?\b",
    "near-end": r"at least \d|interval [+−\d]",
    "interval": r"interval [+−.\d]",
    "less-than-0.01": r"less than 0\.01 points \(0\.\d+\)",
    "borderline": r"verdict follows p",
    "alone-significant": r"Without correction p is below",
    "few": r"no interval, because they differ in only",
    "clustered": r"treated as independent",
    "margin": r"\bmargin\b",
    "more-than-margin": r"more than the margin",
    "trivial": r"less than the margin|below the margin",
    "margin-open": r"is open",
    "equivalent": r"\bequivalent\b",
    "not-worse": r"not worse than",
    "open": r"neither a difference nor equivalence|unclear",
    "p-equivalent": r"for equivalence",
    "p-not-worse": r"for non-inferiority",
    "average": r"averaged over",
    "these-sets": r"these \d+ data sets",
    "sets-count": r"difference is shown on (?:none|\d+) of the \d",
    "score": r"a scores \d",
    "no-interval": r"no interval",
    "rare-labels": r"fewer than 10 items",
    "few-items": r"too few",
    "level": r"nominal|ordinal",
    "level-assumed": r"treated as names",
    "reliable": r"agree reliably",
    "tentative": r"for tentative conclusions:",
    "unreliable": r"too little for conclusions",
    "agree": r"\bagree\b",
    "above-humans": r"above the \d annotators",
    "below-humans": r"below the \d annotators",
    "not-told-apart": r"No difference from the \d annotators is shown",
    "annotators": r"\d annotators",
    "as-good-as": r"as good as",
    "no-ceiling": r"cannot be compared with a human ceiling",
    "detectable": r"would have been found",
    "significant": r"\bp (?:=|<)",
}
"""What a sentence with a claim says."""
FREE = {"equal", "chance", "new-sets", "reached", "probability", "undecided"}
"""Claims that no sentence here makes; those of posteriors have a test of their own."""


def clauses(text: str) -> list[str]:
    """The parts of a text in which a negation holds."""
    return re.split(r"[.;:,()](?!\d)", text)


def check_words(text: str, claims: set[str]) -> None:
    """Raise an error if a text has a word that these claims do not allow."""
    assert not NEVER.search(text), NEVER.search(text)
    for name, pattern in ASSERTS.items():
        if not claims & ALLOWED[name]:
            for clause in clauses(text):
                assert not re.search(pattern, clause) or DENIED.search(clause), (name, clause)


def result_of(facts: dict[str, Any]) -> Result:
    """A Result that holds the facts of a case."""
    kind, found = facts["type"], decide_kind(facts)
    command = {"agreement": "agreement", "ceiling": "agreement", "score": "score"}.get(kind, "compare")
    names = {"many": [f"s{number}" for number in range(1, facts.get("systems", 0) + 1)], "score": ["a"]}
    systems = names.get(kind, ["a", "b"])
    sources = tuple(InputFile(name, f"{name}.tsv", "0" * 64, "tsv", 9, 99) for name in systems)
    result = Result(
        **{"schema": "assay/2", "version": "1", "signature": "s"},
        about=About(
            **{"command": command, "task": "tags", "column": "X", "unit": "sentence", "items": 999},
            **{"units": facts.get("units", 500), "aligned_by": "words", "seed": 1, "times": 10_000},
            **{"interval": "score", "test": "shuffling", "family": 1},
        ),
        shown=Presentation(),
        gold=InputFile("gold", "gold.tsv", "0" * 64, "tsv", 9, 99),
        systems=sources,
    )  # fmt: skip
    nan = math.nan

    def score(system: str, value: float, **more: Any) -> Score:
        return Score(system, "accuracy", "f1", None, None, value, *more.pop("ends", (nan, nan)), main=True, **more)

    def test(a: str, b: str, own: dict[str, Any], **more: Any) -> Comparison:
        numbers = [nan if own.get(key) is None else own[key] for key in ("difference", "low", "high")]
        p, adjusted = (nan if own.get(key) is None else own[key] for key in ("p", "p_adjusted"))
        low, high = own.get("p_low", p), own.get("p_high", p)
        found = decide_kind(own)
        power = Power(0.05, 0.8, 0.0, 0.01, 0.04, 900, 600, None)
        return Comparison(
            *(a, b, "accuracy", "f1", None, *numbers, "shuffling", p, low, high, adjusted, own.get("differ", 100)),
            **{"kind": found.kind, "claims": found.claims, "few": bool(own.get("few")), "power": power, "needed": 6},
            **{key: own.get(key) for key in ("margin", "low90", "high90")},
            **{"p_equivalent": 0.01, "p_not_worse": 0.02, "smallest_p": own.get("smallest_p")},
            **{"family": Family("pairs", own.get("family_size", 1)), **more},
        )

    if kind == "pair":
        difference = facts["difference"]
        values = (0.5, nan if difference is None else 0.5 + difference)
        rows = [score(name, value) for name, value in zip(systems, values, strict=True)]
        documents = 6 if facts.get("clustered") else 0
        result = replace(result, scores=tuple(rows), comparisons=(test("a", "b", facts),))
        return result.with_about(documents=documents)
    if kind == "many":
        top, base = facts["top"], facts.get("baseline")
        values = {name: 0.9 if name in top else 0.8 - place / 100 for place, name in enumerate(systems)}
        leader, tests = base or top[0], []
        made = {"different": 0.01, "trivial": 0.01, "more-than-margin": 0.01, "not-shown": 0.3, "unsettled": 0.05}
        for a, b in [(a, b) for place, a in enumerate(systems) for b in systems[place + 1 :]]:
            if base and base not in (a, b):
                continue
            lead = facts["leads"].get(b if a == leader else a, "not-shown") if leader in (a, b) else "not-shown"
            lead = "identical" if {a, b} == {*top} and facts.get("top_identical") else lead
            p = made.get(lead, 1.0)
            own = {"type": "pair", "difference": values[b] - values[a], "low": nan, "high": nan, "p": p}
            row = test(a, b, {**own, "p_adjusted": p, "differ": 50}, family=Family("pairs", 3))
            tests.append(replace(row, kind=lead, claims=("significant",) if p == 0.01 else ()))
        scores = tuple(score(name, value) for name, value in values.items())
        return replace(result, scores=scores, comparisons=tuple(tests))
    if kind == "score":
        ends = (nan, nan) if facts["low"] is None else (facts["low"], facts["high"])
        rare = tuple(facts.get("rare_labels", ()))
        only = score("a", facts["value"], ends=ends, too_short=rare)
        return replace(result, scores=(only,)).with_about(units=1)
    if kind == "agreement":
        numbers = [nan if facts[key] is None else facts[key] for key in ("value", "low", "high")]
        row = Score("all annotators", "alpha", "alpha", None, None, *numbers, main=True)
        minority, level = facts.get("minority_items", 9), facts.get("level", "nominal")
        assumed = facts.get("level_assumed", False)
        known = AgreementFacts(facts["items"], minority, facts["annotators"], level, assumed)
        return replace(result, scores=(row,)).with_about(agreement_facts=known)
    assert kind == "ceiling", found
    known = AgreementFacts(100, 50, facts["annotators"], "nominal")
    own = {**facts, "type": "pair", "differ": 50}
    row = replace(
        test("human ceiling", "b", own),
        test="ceiling",
        score="leave-one-out",
        p_not_worse=0.02,
        annotators=facts["annotators"],
    )
    return replace(result, comparisons=(row,)).with_about(agreement_facts=known)


SHOWN = [case for case in CASES if case["facts"]["type"] not in ("bayes", "average")]


@each("case", SHOWN, ids=lambda case: case["id"])
def test_every_rendering_says_what_the_claims_allow(case: dict[str, Any]) -> None:
    """The verdict has its kind, says its claims, and no rendering has a word that they do not allow."""
    facts, expected = corrected(case["facts"]), case["expected"]
    result = result_of(facts)
    found = make_verdict(result)
    if facts["type"] != "ceiling":
        assert found.kind == expected["kind"]
    said = " ".join([found.text, *result.chance])
    for claim in set(expected["must"]) - FREE:
        assert re.search(SAYS[claim], said), (claim, said)
    for claim in set(expected["must_not"]) - FREE - set(ASSERTS):
        assert not re.search(SAYS[claim], found.text), (claim, found.text)
    claims = {*decide_kind(facts).claims}
    assert "may be" not in said
    texts = [said, *(render(result, form) for form in ("md", "latex", "tsv", "table")), fragment(result)]
    texts += [page(result).partition('<div id="app"')[0], index("all", [("one", "one.html", result)])]
    for text in texts:
        plain = re.sub(r"<style>.*?</style>|<[^>]+>", " ", text, flags=re.DOTALL).replace("&gt;", ">")
        check_words(plain, claims)


def test_the_guide_has_every_kind_of_verdict_with_an_example() -> None:
    """The table of kinds in the guide is that of the code, and its examples are what the cases give."""
    guide = (Path(__file__).parents[3] / "docs" / "guide" / "chance.md").read_text("utf-8")
    section = guide.partition("## What a verdict says")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| `([\w-]+)` \| (.*) \|$", section, flags=re.MULTILINE))
    assert list(rows) == list(KINDS)
    for kind, (holds, never) in KINDS.items():
        case = next((one for one in CASES if one["expected"]["kind"] == kind), None)
        example = "" if case is None or kind.startswith("bayes") else sentence(corrected(case["facts"]))
        denied = f"; this does not mean that {never}" if never else ""
        assert rows[kind] == f"{holds}{denied} | {example}", kind


def test_letters_and_verdicts_of_many_systems_agree() -> None:
    """A pair that differs significantly shares no letter, another one does; a further system changes no p."""
    rng = np.random.default_rng(3)
    gold = [["N"] * 6 for _ in range(40)]
    systems = {
        name: [["X" if rng.random() < rate else "N" for _ in sentence] for sentence in gold]
        for name, rate in (("a", 0.02), ("b", 0.05), ("c", 0.2), ("d", 0.22), ("e", 0.6))
    }
    result = assay.compare(gold, systems, ["accuracy", "sentence-accuracy"], times=200)
    groups = {(row.system, row.measure): {*row.group} for row in result.scores if row.main and row.label is None}
    for row in result.main_tests:
        apart = not groups[row.a, row.measure] & groups[row.b, row.measure]
        assert apart == row.is_significant == (row.kind in BETTER)
        assert row.family == Family("pairs", 20)
    fewer = assay.compare(gold, {name: systems[name] for name in "abc"}, ["accuracy"], times=200)
    known = {(row.a, row.b, row.measure): row for row in result.main_tests}
    for row in fewer.main_tests:
        other = known[row.a, row.b, row.measure]
        assert (row.p, row.method, row.low, row.high) == (other.p, other.method, other.low, other.high)


def test_files_from_before_comparisons_had_a_kind_have_a_verdict() -> None:
    """The kind is made of what they hold; without the smallest p nothing is untestable."""
    gold = [["A", "B"]] * 30
    for wrong, kinds in ((24, ("different", "different")), (4, ("untestable", "not-shown"))):
        systems = {"one": gold, "two": [["A", "A"]] * wrong + gold[wrong:]}
        data = as_assay_1(assay.compare(gold, systems, ["accuracy"], times=50))
        found = [Result.from_json(json.dumps(data)).main_tests[0].kind]
        for row in data["comparisons"]:
            for name in ("kind", "claims", "family", "method", "smallest_p", "few", "needed"):
                del row[name]
        found.append(Result.from_json(json.dumps(data)).main_tests[0].kind)
        assert tuple(found) == kinds
