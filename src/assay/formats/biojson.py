"""Semantic roles in JSON: for each predicate one tag per word, such as B-ARG0, I-ARG0, B-V and O."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from assay.corpus import Column, Corpus
from assay.errors import InputError
from assay.formats import schemes
from assay.formats.builder import Builder
from assay.formats.jsontext import expect, json_values, quote
from assay.formats.roles import MARK
from assay.formats.source import Source

_EXAMPLE = '{"words": ["She", "left"], "verbs": [{"verb": "left", "tags": ["B-ARG0", "B-V"]}]}'
_PLACES = ("predicate", "verb", "predicate_index", "verb_index")
"""Keys of the predicate: its number, counted from 0, or its word, which does not tell its place."""
_OF_PREDICATE = re.compile(rf'-{MARK}"|"(?:{"|".join(_PLACES)})"\s*:')
"""What rows of one predicate have, and other rows of words have not."""
_SENSES = ("sense", "lemma")
_TAGS = "tags"
_Predicate = tuple[int, int, Mapping[str, Any], list[str]]
"""Line and sentence of a predicate, its object in JSON, and its tags."""


def looks_biojson(head: Sequence[str]) -> bool:
    """True if the file begins with an object, or a list of them, that has words and verbs, or tags of a predicate."""
    text = "\n".join(head[:50]).lstrip()
    if not text.startswith(("{", "[")) or '"words"' not in text:
        return False
    return '"verbs"' in text or ('"tags"' in text and _OF_PREDICATE.search(text) is not None)


def read_biojson(source: Source, builder: Builder, *, scheme: str, repair: str) -> None:
    """Read one file, a sentence per line with all of its predicates, or a predicate per line.

    Lines of one predicate each that follow one another with the same words, or the same id, are one sentence.
    """
    given: list[_Predicate] = []
    last: tuple[Any, list[str]] | None = None
    for line, value in json_values(source, _EXAMPLE, "sentence"):
        place = f"{source.path}:{line}"
        if not isinstance(value, dict) or "words" not in value:
            fact = f"{quote(value)}, but a sentence with its words is expected"
            raise InputError(f"{place}: {fact}. It is {_EXAMPLE}")
        words, verbs = value["words"], value.get("verbs", [value])
        is_strings = isinstance(words, list) and {*map(type, words)} == {str}
        expect(is_strings, f"{place}: words", words, "a list of strings")
        if (empty := next((number for number, word in enumerate(words) if not word.strip()), None)) is not None:
            raise InputError(f"{place}: word {empty} is empty. Fill it.")
        is_objects = isinstance(verbs, list) and all(isinstance(verb, dict) for verb in verbs)
        expect(is_objects, f"{place}: verbs", verbs, "a list of objects with tags")
        name, is_alone = value.get("id", value.get("sent_id")), "verbs" not in value
        again = is_alone and last is not None and words == last[1]
        if again and last is not None:
            number, before = (_place_of(verb) for verb in (value, given[-1][2]))
            follows = number is not None and before is not None and number > before
            again = bool(name == last[0]) if name is not None or last[0] is not None else follows
        if again:
            builder.note("Lines with one predicate that continue the sentence of the line before: {}.", 1)
        else:
            if name is not None:
                is_line = isinstance(name, str | int) and len(str(name).splitlines()) < 2
                expect(is_line, f"{place}: the id", name, "a string of one line")
                builder.comments([f"# sent_id = {name}"], [builder.sentence])
            cells = [cell for word in words for cell in (word, *[""] * len(builder.names))]
            builder.add(cells, [builder.words + len(words)], [line])
        last = (name, words) if is_alone else None
        for verb in verbs:
            tags, number = verb.get(_TAGS), _number(verb)
            if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
                fact = f"tags is {quote(tags)}, but a list of strings is expected, one for each word."
                raise InputError(f"{place}: {fact}")
            if len(tags) != len(words):
                fact = f"{len(words)} words, and tags: {len(tags)}. Give each word one; O is outside."
                raise InputError(f"{place}: {fact}")
            if number is not None and not 0 <= number < len(words):
                raise InputError(f"{place}: predicate {number} in a sentence of {len(words)} words, counted from 0.")
            given.append((line, builder.sentence - 1, verb, tags))
    _collect(source.path, given, builder, scheme, repair)


def _number(verb: Mapping[str, Any]) -> int | None:
    """The number of the predicate; None if none is given."""
    return next((verb[key] for key in _PLACES if type(verb.get(key)) is int), None)


def _place_of(verb: Mapping[str, Any]) -> int | None:
    """The number of the predicate as given, else that of the first word tagged V; None without either."""
    number, tags = _number(verb), verb.get(_TAGS)
    if number is None and isinstance(tags, list):
        return next((at for at, tag in enumerate(tags) if isinstance(tag, str) and tag[1:] == f"-{MARK}"), None)
    return number


def _collect(path: str, listed: Sequence[_Predicate], builder: Builder, scheme: str, repair: str) -> None:
    """Hand predicates and arguments on; tags are read as those of any spans, each predicate as a sentence."""
    roles, predicates = builder.layer("roles", "head"), builder.layer("predicates")
    if not listed:
        return
    tags = Column.of(chain.from_iterable(tags for _, _, _, tags in listed))
    corpus = Corpus(
        name=path,
        format="biojson",
        sha256="",
        forms=tags,
        columns={_TAGS: tags},
        starts=np.cumsum([0, *(len(tags) for _, _, _, tags in listed)]),
        files=((path, 0),),
        lines=np.array([line for line, _, _, _ in listed], dtype=np.int64),
        word_per_line=False,
    )
    try:
        chosen = schemes.guess_scheme(corpus, [_TAGS]) if scheme == "auto" else schemes.find_scheme(scheme).name
        corpus, _ = schemes.spans_from_tags(corpus, [_TAGS], chosen, None if repair == "none" else repair)
    except InputError as error:
        # Schemes and repairs are parameters of the format here.
        said = str(error).replace("--repair ", "repair=").replace("--scheme ", "scheme=")
        hint = ' Give it with --input-format "biojson(…)".' if said != str(error) else ""
        raise InputError(said + hint) from None
    spans = corpus.spans
    arguments: list[list[tuple[int, int, str]]] = [[] for _ in listed]
    rows = zip(spans.unit.tolist(), spans.begin.tolist(), spans.end.tolist(), spans.labels.strings(), strict=True)
    for predicate, begin, end, role in rows:
        arguments[predicate].append((begin, end, role))
    taken: set[tuple[int, int]] = set()
    for (line, sentence, verb, _), spans_of in zip(listed, arguments, strict=True):
        place = f"{path}:{line}"
        number, marked = _number(verb), [(begin, end) for begin, end, role in spans_of if role == MARK]
        if number is None and not spans_of and not any(verb.get(key) is not None for key in _PLACES):
            # Nothing but O, and no predicate named: a sentence without predicates.
            continue
        if number is None and len(marked) != 1:
            tagged = "no word is" if not marked else f"{len(marked)} stretches are"
            raise InputError(
                f"{place}: which word is the predicate? {tagged} tagged {MARK}. Tag it B-{MARK}, or give its number, "
                'counted from 0: "predicate": 2.'
            )
        at = marked[0][0] if number is None else number
        if marked and not any(begin <= at < end for begin, end in marked):
            raise InputError(
                f"{place}: the predicate is word {at}, but {MARK} is at word {marked[0][0]}, counted from 0. "
                f"Which of them is right?"
            )
        if (sentence, at) in taken:
            raise InputError(f"{place}: word {at}, counted from 0, is a predicate twice. Give each its tags once.")
        taken.add((sentence, at))
        senses = [str(verb[key]) for key in _SENSES if isinstance(verb.get(key), str)]
        predicates.add(sentence, at, at + 1, senses[0] if senses else "")
        for begin, end, role in spans_of:
            roles.add(sentence, begin, end, role, builder.first_word(sentence) + at)
