"""Weights from a parser: how often the rules that were used refer to each category of a word.

Acedański & Przepiórkowski 2010, section 2.3.2: for each sentence, each rule used in it, each terminal on the rule's
right side and each category (the part of speech among them) that the rule refers to in that terminal, add 1.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from assay.errors import InputError, UsageError, unknown
from assay.formats.source import Source
from assay.tasks.tags.tagsets import Tagset
from assay.tasks.tags.weights.expectation import parse_weights
from assay.tasks.tags.weights.files import exact
from assay.tasks.tags.weights.inputs import analyses, changed_on, lines, parsed, plural, tagged
from assay.tasks.tags.weights.table import ANY, POS, Made, Provenance, Row, Weights, categories, no_category

_USE = '{"id": "s1", "rules": [["PP", [3, 4]]]}'
_FULL = '{"rule": "PP", "terminals": [{"word": 3, "pos": "prep", "refers": ["pos", "case"]}]}'
_GRAMMAR = '{"PP": [{"refers": ["pos", "case"]}, {"refers": ["case"], "repeat": true}]}'

PosOf = Callable[[str, int], str]
"""The part of speech of a word of a sentence, both by their names; empty where it is not known."""


@dataclass(frozen=True)
class Terminal:
    """What a rule refers to in a word: once, or in each word of a repetition."""

    refers: frozenset[str]
    pos: str = ""
    repeat: bool = False


@dataclass(frozen=True)
class Use:
    """A word that a rule was used on."""

    word: int | None
    pos: str
    refers: frozenset[str]


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
) -> Made:
    """Weights from the rules used, one sentence per line of JSON.

    A sentence has `rules`, or `parses` that each have `rules`. A rule is given in full, with its terminals, or by
    its name and words, where `grammar` says once what each rule refers to. Parses count by their `prob`, without
    one 1/n each; `all_parses` counts each fully; `em` finds out by expectation maximisation how likely each is
    (see `expectation`), to nine decimals. `conditional` needs the part of speech of each word: that of the
    terminal, or that of the word in `corpus` (sentences by their ids, words numbered from 1).
    """
    if all_parses and em:
        raise UsageError("--all-parses counts each parse fully, --em by how likely it is. Choose one.")
    known = read_grammar(grammar, tagset) if grammar else {}
    if corpus and not tagset:
        raise UsageError("the parts of speech of a corpus need a tagset. Give --tagset.")
    pos_of = _pos_of(corpus, column, tagset) if corpus and tagset else None
    tally = _Tally(_Reader(known, grammar, tagset, pos_of), all_parses, em)
    for number, line in lines(path):
        try:
            tally.sentence(_object(line))
        except _FaultError as fault:
            raise InputError(f"{path}:{number}: {fault}") from None
    inputs = tuple(name for name in (path, grammar, corpus) if name)
    return tally.made(path, inputs, conditional)


def read_grammar(path: str, tagset: Tagset | None = None) -> Grammar:
    """What each rule refers to in each of its terminals: a JSON table of lists."""
    data = parsed(path, "".join(batch.text for batch in Source(path).batches()))
    if not isinstance(data, dict) or not all(isinstance(terminals, list) for terminals in data.values()):
        raise InputError(f"{path}: a grammar is a table of rules and their terminals, e.g. {_GRAMMAR}")
    found = {}
    for name, terminals in data.items():
        try:
            found[name] = tuple(
                Terminal(_refers(item, tagset), str(item.get("pos", "")), item.get("repeat") is True)
                for item in terminals
            )
        except _FaultError as fault:
            raise InputError(f"{path}: rule {name}: {fault}") from None
    return found


def _pos_of(path: str, column: str | None, tagset: Tagset) -> PosOf:
    corpus, tags = tagged(path, column, tagset)
    starts = {name: int(start) for name, start in zip(corpus.sentence_ids, corpus.starts[:-1], strict=True)}
    ends = {name: int(end) for name, end in zip(corpus.sentence_ids, corpus.starts[1:], strict=True)}

    def pos(sentence: str, word: int) -> str:
        if sentence not in starts:
            raise _FaultError(f"{corpus.name} has no sentence {sentence!r}. Its ids are those of `# sent_id`.")
        if not 1 <= word <= ends[sentence] - starts[sentence]:
            length = plural(ends[sentence] - starts[sentence], "word")
            raise _FaultError(f"no word {word} in sentence {sentence!r} of {corpus.name}, which has {length}.")
        return analyses(tagset, tags[starts[sentence] + word - 1])[0].pos

    return pos


def _object(line: str) -> dict[str, Any]:
    try:
        data = json.loads(line, parse_float=exact, parse_constant=str)
    except (ValueError, RecursionError) as error:
        raise _FaultError(
            f"not JSON ({getattr(error, 'msg', error)}). Each line is one sentence, e.g. {_USE}"
        ) from None
    if not isinstance(data, dict):
        raise _FaultError(f"no sentence. Each line is one, e.g. {_USE}")
    return data


def _refers(terminal: Any, tagset: Tagset | None) -> frozenset[str]:
    refers = terminal.get("refers") if isinstance(terminal, dict) else None
    if not isinstance(refers, list) or not all(isinstance(name, str) for name in refers):
        raise _FaultError('a terminal without a list `refers`, e.g. {"refers": ["pos", "case"]}.')
    if tagset is None:
        return frozenset(refers)
    short, known = tagset.short_names(), categories(tagset)
    names: frozenset[str] = frozenset(str(short.get(name, name)) for name in refers)
    for name in sorted(names) if known else ():
        if name not in (POS, *known):
            raise _FaultError(str(no_category(name, tagset)))
    return names


@dataclass(frozen=True)
class _Reader:
    """The uses of rules in a sentence, in whichever form they are written."""

    grammar: Grammar
    grammar_path: str | None
    tagset: Tagset | None
    pos_of: PosOf | None

    def parses(self, sentence: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        if "parses" not in sentence and "rules" not in sentence:
            raise _FaultError(f"neither `rules` nor `parses`. A sentence has one of them, e.g. {_USE}")
        found = sentence.get("parses", [sentence])
        if not isinstance(found, list) or not all(isinstance(parse, dict) for parse in found):
            raise _FaultError("`parses` should be a list of parses, each with its `rules`.")
        return found

    def uses(self, parse: Mapping[str, Any], sentence: str) -> Iterator[tuple[str, list[Use]]]:
        """Each rule with the words it was used on."""
        rules = parse.get("rules")
        if not isinstance(rules, list):
            raise _FaultError(f"a parse without a list of `rules`, e.g. [{_FULL}]")
        for place, item in enumerate(rules, 1):
            name = _name(item, place)
            try:
                found = list(self._full(item) if isinstance(item, dict) else self._short(item))
                yield name, [self._with_pos(use, sentence) for use in found]
            except _FaultError as fault:
                raise _FaultError(f"rule {name}: {fault}") from None

    def _full(self, item: Mapping[str, Any]) -> Iterator[Use]:
        terminals = item.get("terminals")
        if not isinstance(terminals, list):
            raise _FaultError(f"no list of `terminals`, e.g. {_FULL}")
        for terminal in terminals:
            refers = _refers(terminal, self.tagset)
            word = terminal.get("word")
            if word is not None and type(word) is not int:
                raise _FaultError(f"word {word!r} is no number.")
            yield Use(word, str(terminal.get("pos") or ""), refers)

    def _short(self, item: Any) -> Iterator[Use]:
        if not (isinstance(item, list) and len(item) == 2 and isinstance(item[0], str) and isinstance(item[1], list)):
            raise _FaultError('should be its name and its words, e.g. ["PP", [3, 4]], or a table with its terminals.')
        name, words = item
        if self.grammar_path is None:
            raise _FaultError("only its name and its words are given. Say with --grammar what each rule refers to.")
        if name not in self.grammar:
            raise _FaultError(f"{self.grammar_path}: {unknown('rule', name, self.grammar)}")
        for terminal, group in zip(self.grammar[name], _groups(self.grammar[name], words), strict=True):
            for word in group:
                yield Use(word, terminal.pos, terminal.refers)

    def _with_pos(self, use: Use, sentence: str) -> Use:
        if use.pos or self.pos_of is None or use.word is None:
            return use
        return Use(use.word, self.pos_of(sentence, use.word), use.refers)


def _name(rule: Any, place: int) -> str:
    """What a rule is called, or else its place among the rules of the parse."""
    if isinstance(rule, dict):
        return str(rule.get("rule", place))
    return str(rule[0] if isinstance(rule, list) and rule else place)


def _groups(terminals: tuple[Terminal, ...], words: list[Any]) -> list[list[int]]:
    """The words of each terminal; a repeated one takes what the others leave, or what a list within gives it."""
    repeated = [place for place, terminal in enumerate(terminals) if terminal.repeat]
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
        raise _FaultError(f"{plural(len(words), 'word')} where the grammar has {plural(len(terminals), 'terminal')}.")
    for terminal, group in zip(terminals, groups, strict=True):
        if not terminal.repeat and len(group) != 1:
            raise _FaultError(f"{plural(len(group), 'word')} for a terminal that is not repeated.")
    flat = [word for group in groups for word in group]
    for word in flat:
        if type(word) is not int:
            raise _FaultError(f"word {word!r} is no number.")
        if flat.count(word) > 1:
            raise _FaultError(f"word {word} stands twice.")
    return groups


@dataclass
class _Tally:
    reader: _Reader
    all_parses: bool
    em: bool
    parsed: list[list[list[tuple[str, list[Use]]]]] = field(default_factory=list)
    """For expectation maximisation: of each sentence its parses, of each of these its rules and their words."""
    counts: Counter[str] = field(default_factory=Counter)
    total: dict[str, Fraction] = field(default_factory=lambda: defaultdict(Fraction))
    given: dict[tuple[str, str], Fraction] = field(default_factory=lambda: defaultdict(Fraction))
    without_pos: int = 0

    def sentence(self, sentence: Mapping[str, Any]) -> None:
        parses = self.reader.parses(sentence)
        self.counts["sentences"] += 1
        self.counts["without_parse"] += not parses
        shares = self._shares(parses)
        found = [list(self.reader.uses(parse, str(sentence.get("id", "")))) for parse in parses]
        self.counts["parses"] += len(parses)
        self.counts["rules"] += sum(map(len, found))
        if self.em:
            self._check_names(parses)
            self.parsed.append(found)
        else:
            self._add_parses(found, shares)

    def _check_names(self, parses: list[Mapping[str, Any]]) -> None:
        if any("prob" in parse for parse in parses):
            raise _FaultError("a parse has a `prob`, so there is nothing to find out. Leave --em out.")
        for parse in parses:
            for place, rule in enumerate(parse["rules"], 1):
                if isinstance(rule, dict) and "rule" not in rule:
                    raise _FaultError(f"rule {place} has no name (`rule`), by which --em knows it again.")

    def _add_parses(self, parses: list[list[tuple[str, list[Use]]]], shares: list[Fraction]) -> None:
        for rules, share in zip(parses, shares, strict=True):
            for _, uses in rules:
                for use in uses:
                    self._add(use, share)

    def weigh(self) -> str:
        """Add up the parses by how likely they are; what is to be said if that was not found out to the end."""
        rules = [[Counter(name for name, _ in parse) for parse in parses] for parses in self.parsed]
        found = parse_weights(rules)
        for parses, shares in zip(self.parsed, found.weights, strict=True):
            self._add_parses(parses, [Fraction(f"{share:.9f}") for share in shares])
        self.counts["rounds"] = found.rounds
        return "" if found.converged else f"the weights of parses still moved after {found.rounds} rounds."

    def _shares(self, parses: list[Mapping[str, Any]]) -> list[Fraction]:
        probabilities = [parse.get("prob") for parse in parses]
        for probability in probabilities:
            if probability is None:
                continue
            number = isinstance(probability, int | Fraction) and not isinstance(probability, bool)
            if not number or not 0 <= probability <= 1:
                raise _FaultError(f"prob {probability} is no number from 0 to 1.")
        if self.all_parses:
            return [Fraction(1)] * len(parses)
        if None not in probabilities:
            return [Fraction(probability) for probability in probabilities if probability is not None]
        if any(probability is not None for probability in probabilities):
            raise _FaultError("some parses have a `prob` and some do not. Give it to all or to none.")
        return [Fraction(1, len(parses))] * len(parses)

    def _add(self, use: Use, share: Fraction) -> None:
        self.counts["terminals"] += 1
        self.without_pos += not use.pos
        for category in use.refers:
            self.total[category] += share
            if use.pos:
                self.given[use.pos, category] += share

    def made(self, path: str, inputs: tuple[str, ...], conditional: bool) -> Made:
        unsettled = self.weigh() if self.em else ""
        if not self.total:
            raise InputError(f"{path}: no rule refers to a category of a word.")
        found = [unsettled] if unsettled else []
        if self.counts["without_parse"]:
            found.append(f"{plural(self.counts['without_parse'], 'sentence')} without a parse.")
        if conditional and self.without_pos:
            found.append(f"{plural(self.without_pos, 'terminal')} left out for want of a part of speech.")
        if conditional and not self.given:
            raise InputError(
                f"{path}: no terminal has a part of speech, which conditional weights need. "
                "Give `pos` with the terminals, or the corpus that was parsed with --corpus."
            )
        rows: dict[str, Row] = {}
        for (pos, category), count in self.given.items():
            rows[pos] = {**rows.get(pos, {}), category: count}
        # What no rule refers to was counted, and counted 0 times.
        w: Any = {**rows, ANY: {ANY: Fraction(0)}} if conditional else {**self.total, ANY: Fraction(0)}
        unit = "rules in all parses" if self.all_parses else "rules"
        unit = "rules, parses by expectation maximisation" if self.em else unit
        counts = {key: count for key, count in self.counts.items() if count}
        provenance = Provenance("parser-rules", unit, "", inputs, counts, changed_on(path))
        return Made(Weights("cwpa" if conditional else "wpa", w, provenance), tuple(found))
