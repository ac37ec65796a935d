"""Weights from a parser: how often the rules that were used refer to each category of a word.

Acedański & Przepiórkowski 2010, section 2.3.2: for each sentence, each rule used in it, each terminal on the rule's
right side and each category (the part of speech among them) that the rule refers to in that terminal, add 1.

If the parser does not give the probability of each parse of a sentence, expectation maximisation over all sentences
can estimate it: the paper names the method (after Dębowski 2009). The model: the probability of a parse is the
product of those of its rules, each as often as it is used; the probabilities of rules with the same left side (`PP`
of `PP -> P NP`) sum to 1, and rules without one are taken together. All rules of a left side are equally likely at
first. Then, again and again: each parse weighs its share of the likelihoods of its sentence's parses, and a rule's
probability is its share of the weighted uses of its left side. The likelihood of the sentences never falls.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from assay.classes import dataclass
from assay.errors import InputError, UsageError, unknown
from assay.result.numbers import plural
from assay.tasks.tags.tagsets import Tagset, parse_data
from assay.tasks.tags.weights import (
    ANY,
    POS,
    NewWeights,
    analyse_tag,
    file_text,
    group_by_pos,
    make_weights,
    no_category,
    number_lines,
    read_number,
    read_tagged,
)

_USE = '{"id": "s1", "rules": [["PP", [3, 4]]]}'
_FULL = '{"rule": "PP", "terminals": [{"word": 3, "pos": "prep", "refers": ["pos", "case"]}]}'
_GRAMMAR = '{"PP": [{"refers": ["pos", "case"]}, {"refers": ["case"], "repeat": true}]}'

MOST_ROUNDS = 1000
CLOSE = 1e-10
"""It has converged when no parse's weight changes by more."""

PosOf = Callable[[str, int], str]
"""The part of speech of a word of a sentence, both by their names; empty if it is not known."""
Use = tuple[str, frozenset[str]]
"""A word that a rule was used on: its part of speech, and the categories that the rule refers to."""
Parse = list[tuple[str, list[Use]]]
"""The rules of a parse by their names, with the words they were used on."""


Terminal = tuple[frozenset[str], str, bool]
"""The categories that a rule refers to in a word, its part of speech if given, and whether it may be repeated."""
Grammar = Mapping[str, tuple[Terminal, ...]]


class _FaultError(Exception):
    """A mistake whose place is known further up."""


def from_uses(
    path: str,
    *,
    grammar: str | None = None,
    tagset: Tagset | None = None,
    conditional: bool = False,
    all_parses: bool = False,
    em: bool = False,
    corpus: str | None = None,
    column: str | None = None,
) -> NewWeights:
    """Weights from the rules used, one sentence per line of JSON.

    A sentence has `rules`, or `parses` that each have `rules`. A rule is given in full, with its terminals, or by
    its name and words; then `grammar` says once what each rule refers to. Parses count by their `prob`, without
    one 1/n each; `all_parses` counts each fully; `em` estimates their probabilities by expectation maximisation,
    to nine decimals. `conditional` needs the part of speech of each word: that of the terminal, or that of the word
    in `corpus` (sentences by their ids, words numbered from 1).
    """
    if all_parses and em:
        raise UsageError("--all-parses counts each parse fully, --em by its probability. Choose one.")
    rules_of_grammar = read_grammar(grammar, tagset) if grammar else {}
    if corpus and not tagset:
        raise UsageError("the parts of speech of a corpus need a tagset. Give --tagset.")
    pos_of = _read_pos(corpus, column, tagset) if corpus and tagset else None
    reader = _Reader(rules_of_grammar, grammar, tagset, pos_of, all_parses, em)
    counts = Counter(dict.fromkeys(("sentences", "without_parse", "parses", "rules", "terminals"), 0))
    total: dict[str, Fraction] = defaultdict(Fraction)
    by_pos: dict[tuple[str, str], Fraction] = defaultdict(Fraction)
    without_pos = 0

    def add(parses: list[Parse], shares: list[Fraction]) -> None:
        for parse, share in zip(parses, shares, strict=True):
            for pos, refers in (use for _, uses in parse for use in uses):
                counts["terminals"] += 1
                for category in refers:
                    total[category] += share
                    by_pos[pos, category] += share

    parsed: list[list[Parse]] = []
    for number, line in number_lines(path):
        try:
            parses, shares = reader.sentence(line)
        except _FaultError as fault:
            raise InputError(f"{path}:{number}: {fault}") from None
        counts.update(sentences=1, without_parse=not parses, parses=len(parses), rules=sum(map(len, parses)))
        without_pos += sum(not pos for parse in parses for _, uses in parse for pos, _ in uses)
        if em:
            parsed.append(parses)
        else:
            add(parses, shares)
    converged = True
    if em:
        rules = [[Counter(name for name, _ in parse) for parse in parses] for parses in parsed]
        likely, counts["rounds"], converged = parse_weights(rules)
        for parses, weights_of_parses in zip(parsed, likely, strict=True):
            add(parses, [Fraction(f"{weight:.9f}") for weight in weights_of_parses])
    warnings = [] if converged else [f"the weights of parses were still changing after {counts['rounds']} rounds."]
    if not total:
        raise InputError(f"{path}: no rule refers to a category of a word.")
    if counts["without_parse"]:
        warnings.append(f"{plural(counts['without_parse'], 'sentence')} without a parse.")
    if conditional and without_pos:
        warnings.append(f"{plural(without_pos, 'terminal')} left out because they have no part of speech.")
    rows = group_by_pos({(pos, category): count for (pos, category), count in by_pos.items() if pos})
    if conditional and not rows:
        raise InputError(
            f"{path}: no terminal has a part of speech, which conditional weights need. "
            "Give `pos` with the terminals, or the corpus that was parsed with --corpus."
        )
    # Categories that no rule refers to were counted 0 times.
    w: Any = {**rows, ANY: {ANY: Fraction(0)}} if conditional else {**total, ANY: Fraction(0)}
    unit = "rules in all parses" if all_parses else "rules, parses by expectation maximisation" if em else "rules"
    positive = {key: count for key, count in counts.items() if count}
    files = (path, grammar, corpus)
    return make_weights(w, conditional, files, positive, warnings, source="parser-rules", unit=unit)


def read_grammar(path: str, tagset: Tagset | None = None) -> Grammar:
    """The categories that each rule refers to in each of its terminals: a JSON table of lists."""
    data = parse_data(path, file_text(path))
    if not isinstance(data, dict) or not all(isinstance(terminals, list) for terminals in data.values()):
        raise InputError(f"{path}: a grammar is a table of rules and their terminals, e.g. {_GRAMMAR}")
    rules = {}
    for name, terminals in data.items():
        try:
            rules[name] = tuple(
                (_read_refers(item, tagset), str(item.get("pos", "")), item.get("repeat") is True)
                for item in terminals
            )
        except _FaultError as fault:
            raise InputError(f"{path}: rule {name}: {fault}") from None
    return rules


def _read_refers(terminal: Any, tagset: Tagset | None) -> frozenset[str]:
    refers = terminal.get("refers") if isinstance(terminal, dict) else None
    if not isinstance(refers, list) or not all(isinstance(name, str) for name in refers):
        raise _FaultError('a terminal without a list `refers`, e.g. {"refers": ["pos", "case"]}.')
    if tagset is None:
        return frozenset(refers)
    short, categories = tagset.short_names(), tagset.categories()
    names: frozenset[str] = frozenset(str(short.get(name, name)) for name in refers)
    for name in sorted(names) if categories else ():
        if name not in (POS, *categories):
            raise _FaultError(str(no_category(name, tagset)))
    return names


def _read_pos(path: str, column: str | None, tagset: Tagset) -> PosOf:
    corpus, tags = read_tagged(path, column, tagset)
    places = dict(zip(corpus.sentence_ids, pairwise(corpus.starts.tolist()), strict=True))

    def pos(sentence: str, word: int) -> str:
        if sentence not in places:
            raise _FaultError(f"{corpus.name} has no sentence {sentence!r}. Its ids are those of `# sent_id`.")
        start, end = places[sentence]
        if not 1 <= word <= end - start:
            length = plural(end - start, "word")
            raise _FaultError(f"no word {word} in sentence {sentence!r} of {corpus.name}, which has {length}.")
        return analyse_tag(tagset, tags[start + word - 1])[0].pos

    return pos


@dataclass(frozen=True)
class _Reader:
    """Reads the uses of rules in a sentence, in any form in which they can be written."""

    grammar: Grammar
    grammar_path: str | None
    tagset: Tagset | None
    pos_of: PosOf | None
    all_parses: bool
    em: bool

    def sentence(self, line: str) -> tuple[list[Parse], list[Fraction]]:
        """The parses of a sentence, and how much each counts."""
        try:
            data = json.loads(line, parse_float=read_number, parse_constant=str)
        except (ValueError, RecursionError) as error:
            raise _FaultError(
                f"not JSON ({getattr(error, 'msg', error)}). Each line is one sentence, e.g. {_USE}"
            ) from None
        if not isinstance(data, dict):
            raise _FaultError(f"no sentence. Each line is one, e.g. {_USE}")
        if "parses" not in data and "rules" not in data:
            raise _FaultError(f"neither `rules` nor `parses`. A sentence has one of them, e.g. {_USE}")
        parses = data.get("parses", [data])
        if not isinstance(parses, list) or not all(isinstance(parse, dict) for parse in parses):
            raise _FaultError("`parses` should be a list of parses, each with its `rules`.")
        shares = [parse.get("prob") for parse in parses]
        for share in shares:
            number = isinstance(share, int | Fraction) and not isinstance(share, bool)
            if share is not None and not (number and 0 <= share <= 1):
                raise _FaultError(f"prob {share} is not a number from 0 to 1.")
        if None not in shares:
            shares = [Fraction(share) for share in shares]
        elif not self.all_parses and any(share is not None for share in shares):
            raise _FaultError("some parses have a `prob` and some do not. Give it to all or to none.")
        else:
            shares = [Fraction(1, len(parses))] * len(parses)
        rules = [list(self.rules(parse, str(data.get("id", "")))) for parse in parses]
        if self.em and any("prob" in parse for parse in parses):
            raise _FaultError("a parse has a `prob`, so there is nothing to estimate. Leave --em out.")
        for place, rule in (rule for parse in parses if self.em for rule in enumerate(parse["rules"], 1)):
            if isinstance(rule, dict) and "rule" not in rule:
                raise _FaultError(f"rule {place} has no name (`rule`), by which --em knows it again.")
        return rules, [Fraction(1)] * len(parses) if self.all_parses else shares

    def rules(self, parse: Mapping[str, Any], sentence: str) -> Iterator[tuple[str, list[Use]]]:
        """Each rule with the words it was used on; a rule without a name is called by its place."""
        rules = parse.get("rules")
        if not isinstance(rules, list):
            raise _FaultError(f"a parse without a list of `rules`, e.g. [{_FULL}]")
        for place, item in enumerate(rules, 1):
            full = isinstance(item, dict)
            name = str(item.get("rule", place) if full else item[0] if isinstance(item, list) and item else place)
            try:
                uses = []
                for word, pos, refers in list(self.full(item) if full else self.short(item)):
                    asked = self.pos_of and word is not None and not pos and self.pos_of(sentence, word)
                    uses.append((asked or pos, refers))
                yield name, uses
            except _FaultError as fault:
                raise _FaultError(f"rule {name}: {fault}") from None

    def full(self, item: Mapping[str, Any]) -> Iterator[tuple[int | None, str, frozenset[str]]]:
        """The words of a rule that is given with its terminals."""
        terminals = item.get("terminals")
        if not isinstance(terminals, list):
            raise _FaultError(f"no list of `terminals`, e.g. {_FULL}")
        for terminal in terminals:
            refers = _read_refers(terminal, self.tagset)
            word = terminal.get("word")
            if word is not None and type(word) is not int:
                raise _FaultError(f"word {word!r} is not a number.")
            yield word, str(terminal.get("pos") or ""), refers

    def short(self, item: Any) -> Iterator[tuple[int | None, str, frozenset[str]]]:
        """The words of a rule that is given by its name, with the terminals of the grammar."""
        if not (isinstance(item, list) and len(item) == 2 and isinstance(item[0], str) and isinstance(item[1], list)):
            raise _FaultError('should be its name and its words, e.g. ["PP", [3, 4]], or a table with its terminals.')
        name, words = item
        if self.grammar_path is None:
            raise _FaultError(
                "only its name and its words are given. Give a --grammar that lists what each rule refers to."
            )
        if name not in self.grammar:
            raise _FaultError(f"{self.grammar_path}: {unknown('rule', name, self.grammar)}")
        terminals = self.grammar[name]
        groups = _assign_words([repeat for *_, repeat in terminals], words)
        for (refers, pos, _), group in zip(terminals, groups, strict=True):
            yield from ((word, pos, refers) for word in group)


def _assign_words(terminals: Sequence[bool], words: list[Any]) -> list[list[int]]:
    """The words of each terminal; a repeated one takes those that the others leave, or those of its list."""
    repeated = [place for place, repeat in enumerate(terminals) if repeat]
    spare = len(words) - len(terminals)
    if any(isinstance(word, list) for word in words) or spare == 0:
        groups = [word if isinstance(word, list) else [word] for word in words]
    elif spare > 0 and len(repeated) == 1:
        first = repeated[0]
        end = first + spare + 1
        groups = [[word] for word in words[:first]] + [words[first:end]] + [[word] for word in words[end:]]
    elif spare > 0 and repeated:
        raise _FaultError("several terminals are repeated. Write the words of each as a list, e.g. [3, [4, 5], [6]].")
    else:
        groups = []
    if len(groups) != len(terminals):
        raise _FaultError(f"{plural(len(words), 'word')}, but the grammar has {plural(len(terminals), 'terminal')}.")
    for repeat, group in zip(terminals, groups, strict=True):
        if not repeat and len(group) != 1:
            raise _FaultError(f"{plural(len(group), 'word')} for a terminal that is not repeated.")
    flat = [word for group in groups for word in group]
    for word in flat:
        if type(word) is not int:
            raise _FaultError(f"word {word!r} is not a number.")
        if flat.count(word) > 1:
            raise _FaultError(f"word {word} occurs twice.")
    return groups


# --- expectation maximisation ---


def parse_weights(
    sentences: Sequence[Sequence[Mapping[str, int]]], most_rounds: int = MOST_ROUNDS
) -> tuple[list[list[float]], int, bool]:
    """Weights of the parses of each sentence, which sum to 1; the number of rounds; True if they converged.

    A parse is given as the number of times that it uses each rule. Sums are exact, so that the order of sentences
    changes nothing.
    """
    left: dict[str, str] = {}
    for rule in (rule for parses in sentences for parse in parses for rule in parse):
        # The left side of the rule, if its name has one.
        arrow = next((arrow for arrow in ("->", "→") if arrow in rule), None)
        left[rule] = rule.partition(arrow)[0].strip() if arrow else ""
    rivals = Counter(left.values())
    likely = {rule: -math.log(rivals[side]) for rule, side in left.items()}
    weights: list[list[float]] = []
    for done in range(most_rounds + 1):
        before, weights = weights, []
        for parses in sentences:
            logs = [math.fsum(number * likely[rule] for rule, number in parse.items() if number) for parse in parses]
            highest = max(logs, default=0.0)
            shares = [math.exp(log - highest) for log in logs]
            total = math.fsum(shares)
            weights.append([share / total for share in shares])
        moved = (abs(a - b) for pair in zip(before, weights, strict=False) for a, b in zip(*pair, strict=True))
        if done and max(moved, default=0.0) <= CLOSE:
            return weights, done, True
        # The logarithm of each rule's share of the weighted uses of its left side.
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
        likely = {rule: math.log(n / totals[left[rule]]) if n > 0 else -math.inf for rule, n in counts.items()}
    return weights, most_rounds, False
