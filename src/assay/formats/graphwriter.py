"""Writers of graphs and semantic roles, and of tables of words.

Graphs go into DEPS of CoNLL-U, SDP and MRP; roles of words into CoNLL-2009 and Universal Propositions; roles of
stretches into CoNLL-2005 props and tags in JSON. If a target cannot contain something, writing stops with an error
that names the place, or the something is left out and reported.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import NoReturn

import numpy as np

from assay import specs
from assay.arrays import NONE, Bools, Ints
from assay.corpus import Column, Corpus, Marks
from assay.errors import UsageError
from assay.formats import Input
from assay.formats.builder import check_choice, refuse_all
from assay.formats.columns import CONLL09, CONLLU, ROLES
from assay.formats.emptynodes import find_line_place
from assay.formats.graphs import NO_MARKS, SDP_VERSIONS, find_empty_node_lines, find_empty_nodes, read_enhanced_graphs
from assay.formats.roles import HEADS, MARK, NOTHING, SPANS, has_predicate, with_roles
from assay.formats.spandocuments import describe_lost

_OF_ARCS = ("conllu", "sdp", "mrp")
_OF_HEADS = ("conll09", "up")
_OF_SPANS = ("props", "biojson")
TARGETS = (*_OF_ARCS, *_OF_HEADS, *_OF_SPANS)
_KINDS = (
    (_OF_ARCS, "graphs"),
    (_OF_HEADS, "semantic roles of words"),
    (_OF_SPANS, "semantic roles of stretches of words"),
)
_ROOT = "root"
"""The relation of a top in DEPS; in SDP and MRP tops have none."""
_TAG = ("tag", "XPOS", "POS", "PPOSS", "UPOS")
_LEMMA = ("lemma", "SPLIT_LEMMA", "LEMMA")
_FEATS = ("FEATS", "FEAT")
_SLOTS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "conllu": {"LEMMA": _LEMMA, "XPOS": _TAG},
    "sdp": {"lemma": _LEMMA, "tag": _TAG},
    "mrp": {"lemma": _LEMMA, "tag": _TAG},
    "conll09": {
        **{name: (name,) for name in CONLL09[2:]},
        **{"LEMMA": _LEMMA, "POS": _TAG, "FEAT": _FEATS},
    },
    "up": {
        **{name: (name,) for name in CONLLU[2:]},
        **{"LEMMA": _LEMMA, "XPOS": ("XPOS", "POS", "PPOSS"), "FEATS": _FEATS},
    },
    "props": {},
    "biojson": {},
}
"""Columns that may go into each column of a target; the first that is filled does."""
_READ_OTHERWISE: Mapping[str, tuple[str, Sequence[str], Sequence[str]]] = {
    "conllu": ("|", ("",), ()),
    "sdp": ("", ("", "_"), ("_",)),
    **dict.fromkeys(_OF_HEADS, ("|", NOTHING, NOTHING)),
    "props": ("()*", ("",), ("-",)),
    "biojson": ("|", ("",), ()),
}
"""Characters that labels cannot contain (besides white space), labels that mean none, and senses that mean none."""
_ENDS = ("\t", "\n", "\r")
"""Marks that end a cell."""
_COMMENTS = {
    **dict.fromkeys(("conllu", "up"), ("#",)),
    **dict.fromkeys(("sdp", "biojson"), ("# sent_id",)),
    "mrp": ("# sent_id", "# text"),
}
"""Beginnings of the comments that a target keeps."""
_UP = f"# global.columns = {' '.join(CONLLU)} UP:PRED UP:ARGS\n"

Arc = tuple[int, int, int, str]
"""Dependent (or the first word of an argument), end, head and label; words counted in the sentence, the root NONE."""
Sentence = tuple[int, int, int, list[Arc], dict[int, str]]
"""Its number, first word and end, its arcs or roles, and the senses of its predicates by word."""
Line = tuple[int, int, str]
"""A line that is not a word: its sentence, the word after it (NONE: before all words), and its text."""


def write_graph(source: Input, target: str, given: Mapping[str, str]) -> tuple[str, list[str]]:
    """The text in a format of graphs or roles, and a sentence for everything that was left out."""
    parameters = specs.convert_parameters(f"format {target}", given, {"version": "2015"} if target == "sdp" else {})
    corpus = _read_marks(source, target)
    losses = list(corpus.notes)
    if corpus.format == "mrp":
        text = "mrp: label, pos and frame of nodes are read; other properties and the framework are left out."
        losses.append(text)
    columns = _choose_columns(corpus, target, losses)
    version = str(parameters.get("version", "2015"))
    check_choice("version", version, SDP_VERSIONS[1:])
    _check_labels(corpus, target)
    writers: dict[str, Callable[[], Iterator[str]]] = {
        "conllu": lambda: _write_conllu(corpus, columns, losses),
        "sdp": lambda: _write_sdp(corpus, columns, losses, version),
        "mrp": lambda: _write_mrp(corpus, columns, losses),
        "conll09": lambda: write_table(
            number_words(corpus, CONLL09[2:], columns, _format_roles(corpus, flagged=True)), corpus.starts
        ),
        "up": lambda: _write_up(corpus, columns, losses),
        "props": lambda: _write_props(corpus, losses),
        "biojson": lambda: _write_biojson(corpus),
    }
    return "".join(writers[target]()), losses


def without_graph(source: Input, target: str) -> tuple[Corpus, list[str]]:
    """The words of a file with their labels, for formats of labels only, and what of graphs is left out."""
    form = source.plan.name
    if form in HEADS:
        corpus = source.read([*source.plan.labels, ROLES])
        cells = corpus.column(ROLES)
        corpus = replace(corpus, columns={name: cell for name, cell in corpus.columns.items() if name != ROLES})
        number = int(cells.isin(text for text in cells.vocabulary if has_predicate(form, text)).sum())
        what, names = "predicates and their arguments", ", ".join(_OF_HEADS)
    else:
        corpus = source.read()
        number, what, names = len(_find_arcs(corpus)[0]), "arcs", ", ".join(_OF_ARCS)
    losses = [f"{target} has no place for {what}; left out: {number:,}. Formats for them: {names}."]
    return corpus, losses if number else []


def _read_marks(source: Input, target: str) -> Corpus:
    """The corpus with marks of the kind that the target contains."""
    plan = source.plan
    wanted = next(kind for kind, (names, _) in enumerate(_KINDS) if target in names)
    kind = 1 if plan.name in HEADS else 2 if plan.name in SPANS else 0
    if kind == 0 and "arcs" not in plan.layers and "DEPS" not in plan.labels:
        raise UsageError(
            f"{source.path}: contains no graphs or semantic roles ({plan.name}), which {target} consists of. "
            "Convert a file that has them."
        )
    if kind != wanted:
        raise UsageError(
            f"{source.path}: contains {_KINDS[kind][1]} ({plan.name}), and {target} contains {_KINDS[wanted][1]}. "
            f"Formats for them: {', '.join(_KINDS[kind][0])}."
        )
    if kind:
        corpus = with_roles(source.read([*plan.labels, ROLES]))
    elif "arcs" in plan.layers:
        corpus = source.read()
    else:
        corpus, faults = read_enhanced_graphs(source.read())
        refuse_all([line for _, line in faults])
        if not len(corpus.marks["arcs"]):
            raise UsageError(f"{source.path}: DEPS is empty, so there are no graphs. Convert a file that has them.")
    if not corpus.has_words and target != "props":
        remedy = "Merge them in from the treebank first, with up2/merge_ud_up.py of UniversalPropositions/tools."
        if plan.name == "props":
            remedy = 'Give their columns: --input-format "props(word=1, predicate=2)".'
        raise UsageError(f"{source.path}: has no words, which {target} consists of. {remedy}")
    return corpus


def _find_arcs(corpus: Corpus) -> tuple[Marks, Ints, Ints]:
    """Arcs or roles with their first nodes and ends."""
    if "arcs" in corpus.marks:
        arcs = corpus.marks["arcs"]
        return arcs, arcs.arguments["dependent"], arcs.arguments["dependent"] + 1
    roles = corpus.marks.get("roles", NO_MARKS)
    return roles, corpus.words_of(roles), corpus.starts[roles.unit] + roles.end


def _list_sentences(corpus: Corpus) -> Iterator[Sentence]:
    """The sentences of a corpus without empty nodes."""
    arcs, begin, end = _find_arcs(corpus)
    starts, head = corpus.starts[arcs.unit], arcs.arguments["head"]
    predicates = corpus.marks.get("predicates", NO_MARKS)
    senses: list[dict[int, str]] = [{} for _ in range(corpus.sentences)]
    rows = zip(predicates.unit.tolist(), predicates.begin.tolist(), predicates.labels.strings(), strict=True)
    for sentence, word, sense in rows:
        senses[sentence][word] = sense
    of_sentence: list[list[Arc]] = [[] for _ in range(corpus.sentences)]
    places = begin - starts, end - starts, np.where(head == NONE, NONE, head - starts)
    columns = zip(*(column.tolist() for column in (arcs.unit, *places)), arcs.labels.strings(), strict=True)
    for sentence, *arc in columns:
        of_sentence[sentence].append((arc[0], arc[1], arc[2], arc[3]))
    for sentence, (first, stop) in enumerate(pairwise(corpus.starts.tolist())):
        yield sentence, first, stop, of_sentence[sentence], senses[sentence]


def _refuse(corpus: Corpus, nodes: Sequence[int] | Ints, fact: str, remedy: str) -> NoReturn:
    """Raise UsageError for what a target cannot contain, with the first place and the number of the others."""
    node = int(nodes[0])
    place = corpus.place(node) if node < len(corpus) else ""
    place = place or find_line_place(corpus, find_empty_node_lines(corpus)[node - len(corpus)])
    more = f" ({len(nodes) - 1:,} more such places.)" if len(nodes) > 1 else ""
    raise UsageError(f"{place}: {fact} {remedy}{more}")


# --- tables of words ---


def number_words(
    corpus: Corpus, names: Sequence[str], columns: Mapping[str, list[str]], *more: list[str]
) -> list[list[str]]:
    """ID and form of each word, these columns (`_` if there is none), and further ones."""
    numbers = [str(number) for size in np.diff(corpus.starts).tolist() for number in range(1, size + 1)]
    blank = ["_"] * len(corpus)
    return [numbers, corpus.forms.strings(), *(columns.get(name, blank) for name in names), *more]


def list_other_lines(corpus: Corpus) -> Iterator[Line]:
    """Comments and other lines that are not words, without the names of columns."""
    yield from ((at, NONE, line) for at, line in corpus.comments if not line.startswith("# global.columns"))
    yield from zip(corpus.aside_sentences, corpus.aside_words.tolist(), corpus.aside_lines, strict=True)


def write_table(
    columns: Sequence[Sequence[str]], starts: Ints, lines: Iterable[Line] = (), divider: str = "\t"
) -> Iterator[str]:
    """The text of a table with a row for each word, a blank line after each sentence, and other lines between."""
    between: dict[tuple[int, int], list[str]] = {}
    for sentence, word, line in lines:
        between.setdefault((sentence, word), []).append(f"{line}\n")
    rows = [divider.join(cells) + "\n" for cells in zip(*columns, strict=True)]
    for sentence, (first, end) in enumerate(pairwise(starts.tolist())):
        yield from between.get((sentence, NONE), ())
        for word in range(first, end):
            yield from between.get((sentence, word), ())
            yield rows[word]
        yield from between.get((sentence, end), ())
        yield "\n"
    yield from between.get((len(starts) - 1, NONE), ())


def _choose_columns(corpus: Corpus, target: str, losses: list[str]) -> dict[str, list[str]]:
    """The columns of the target as far as the corpus fills them; what is left out is reported."""
    taken: dict[str, str] = {}
    for place, candidates in _SLOTS[target].items():
        filled = [name for name in candidates if name in corpus.columns and not corpus.is_empty(name)]
        if filled:
            taken[place] = filled[0]
    # DEPS is the graph itself if that is written, and the flag is written at predicates again.
    graph = {"FLAG", *({"DEPS"} if target in _OF_ARCS else ())}
    others = corpus.columns.keys() - {*taken.values(), *graph}
    lost = [name for name in corpus.columns if name in others and not corpus.is_empty(name)]
    if lost:
        losses.append(f"{target} has no {describe_lost(lost)}")
    if target == "props" and corpus.has_words:
        losses.append("props has no place for words, which are left out. Sentences correspond by their order.")
    if mentions := corpus.marks.get("mentions"):
        losses.append(f"{target} has no place for mentions in chains; left out: {len(mentions):,}.")
    kept = (*_COMMENTS.get(target, ()), "# global.columns")
    if left := sum(not line.startswith(kept) for _, line in corpus.comments):
        losses.append(f"{target} has no place for comments; left out: {left:,}.")
    if target not in ("conllu", "up") and corpus.aside_lines:
        losses.append(f"{target} has no ranges or empty nodes; lines left out: {len(corpus.aside_lines):,}.")
    checked = (corpus.forms, *(corpus.columns[name] for name in taken.values()))
    for column in () if target in ("mrp", "biojson", "props") else checked:
        words = np.flatnonzero(column.isin(text for text in column.vocabulary if any(map(text.__contains__, _ENDS))))
        if len(words):
            fact = f"{column[int(words[0])]!r} contains a tab or line end, which separates the cells of {target}."
            _refuse(corpus, words, fact, "Correct it in the file.")
    texts = {place: corpus.columns[name].strings() for place, name in taken.items()}
    if target in ("sdp", "mrp"):
        return texts
    return {place: [text or "_" for text in column] for place, column in texts.items()}


def _check_labels(corpus: Corpus, target: str) -> None:
    """Raise UsageError for empty nodes, labels of arcs, and senses that the target would read as something else."""
    arcs, words, _ = _find_arcs(corpus)
    predicates, top = corpus.marks.get("predicates", NO_MARKS), arcs.arguments["head"] == NONE

    def check(what: str, column: Column, wrong: Iterable[str], nodes: Ints, rows: Bools | bool = True) -> None:
        bad = np.flatnonzero(column.isin(wrong) & rows)
        if len(bad):
            fact = f"the {what} {column[int(bad[0])]!r} would be read as something else in {target}."
            _refuse(corpus, nodes[bad], fact, "Rename it, or keep the format.")

    if target in _READ_OTHERWISE:
        marks, nothing, no_sense = _READ_OTHERWISE[target]
        labels, senses = arcs.labels.vocabulary, predicates.labels.vocabulary
        wrong = (text for text in labels if text in nothing or any(mark in marks or mark.isspace() for mark in text))
        check("label", arcs.labels, wrong, words, ~top)
        wrong = (text for text in senses if text in no_sense or any(map(text.__contains__, _ENDS)))
        check("sense", predicates.labels, wrong, corpus.words_of(predicates))
    if target in _OF_ARCS and len(empties := find_empty_nodes(corpus)):
        _refuse(
            corpus,
            range(len(corpus), len(corpus) + len(empties)),
            f"the empty node {empties.labels[0]}, and nodes of {target} are words.",
            "Keep CoNLL-U, or collapse empty nodes first, e.g. with UD's enhanced_collapse_empty_nodes.pl.",
        )
    named = np.flatnonzero(top & ~arcs.labels.isin(("", _ROOT)))
    if len(named) and target in ("sdp", "mrp"):
        fact = f"the arc from the root has the label {arcs.labels[int(named[0])]!r}, and tops of {target} have none."
        _refuse(corpus, words[named], fact, f"Rename it {_ROOT}.")


def _note_idle_predicates(corpus: Corpus, target: str, losses: list[str]) -> None:
    """Note predicates without arguments, for which the target has no flag."""
    predicates = corpus.words_of(corpus.marks.get("predicates", NO_MARKS))
    if idle := int((~np.isin(predicates, corpus.marks["arcs"].arguments["head"])).sum()):
        nouns = "words" if target == "conllu" else "nodes"
        losses.append(f"{target} has no flag for predicates; those without arguments become plain {nouns}: {idle:,}.")


# --- graphs ---


def _write_conllu(corpus: Corpus, columns: Mapping[str, list[str]], losses: list[str]) -> Iterator[str]:
    if frames := sum(map(bool, corpus.marks.get("predicates", NO_MARKS).labels.strings())):
        losses.append(f"conllu has no place for frames of predicates; left out: {frames:,}.")
    _note_idle_predicates(corpus, "conllu", losses)
    cells: list[list[str]] = [[] for _ in range(len(corpus))]
    for _, first, _, arcs, _ in _list_sentences(corpus):
        for dependent, _, head, label in sorted(arcs):
            cells[first + dependent].append(f"{head + 1}:{label or _ROOT}" if head == NONE else f"{head + 1}:{label}")
    filled = {**columns, "DEPS": ["|".join(parts) or "_" for parts in cells]}
    return write_table(number_words(corpus, CONLLU[2:], filled), corpus.starts, list_other_lines(corpus))


def _write_sdp(corpus: Corpus, columns: Mapping[str, list[str]], losses: list[str], version: str) -> Iterator[str]:
    framed = version != "2014"
    frames = sum(map(bool, corpus.marks.get("predicates", NO_MARKS).labels.strings()))
    if not framed and frames:
        losses.append(f"sdp of 2014 has no place for frames of predicates; left out: {frames:,}.")
    cells: list[str] = []
    doubles: list[tuple[int, str]] = []
    for _, first, end, arcs, senses in _list_sentences(corpus):
        # Arcs are sorted by dependent and head.
        for (dependent, _, head, label), following in pairwise(arcs):
            if head != NONE and (dependent, head) == (following[0], following[2]):
                doubles.append((first + dependent, f"{label} and {following[3]}"))
        between = {(dependent, head): label for dependent, _, head, label in arcs}
        predicates = sorted({*senses, *(head for _, head in between)} - {NONE})
        for word in range(end - first):
            flags = ["+" if flag else "-" for flag in ((word, NONE) in between, word in predicates)]
            frame = [senses.get(word) or "_"] if framed else []
            labels = [between.get((word, predicate), "_") for predicate in predicates]
            cells.append("\t".join([*flags, *frame, *labels]))
    if doubles:
        fact = f"two arcs between the same words, {doubles[0][1]}, and sdp has a cell for one."
        _refuse(corpus, [word for word, _ in doubles], fact, "Use --to mrp")
    if framed:
        yield f"#SDP {version}\n"
    ids = [(at, NONE, f"#{name or at + 1}") for at, name in enumerate(corpus.metadata("sent_id"))]
    yield from write_table(number_words(corpus, ("lemma", "tag"), columns, cells), corpus.starts, ids)


def _write_mrp(corpus: Corpus, columns: Mapping[str, list[str]], losses: list[str]) -> Iterator[str]:
    forms = corpus.forms.strings()
    rough = np.flatnonzero(corpus.forms.isin(text for text in corpus.forms.vocabulary if text != text.strip()))
    if len(rough):
        fact = f"the word {forms[int(rough[0])]!r} begins or ends with white space, which no node of mrp can cover."
        _refuse(corpus, rough, fact, "Correct it in the file.")
    _note_idle_predicates(corpus, "mrp", losses)
    # mtool reads no graph without a date.
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    ids, texts = corpus.metadata("sent_id"), corpus.metadata("text")
    for sentence, first, end, arcs, senses in _list_sentences(corpus):
        text, ranges = _anchor_words(forms[first:end], texts[sentence])
        nodes = []
        for word, (begin, stop) in enumerate(ranges):
            labels = {name: column[first + word] for name, column in columns.items()}
            properties = {"pos": labels.get("tag", "_"), "frame": senses.get(word) or "_"}
            kept = {name: value for name, value in properties.items() if value != "_"}
            node: dict[str, object] = {"id": word}
            node |= {"label": labels["lemma"]} if labels.get("lemma", "_") != "_" else {}
            node |= {"properties": list(kept), "values": list(kept.values())} if kept else {}
            nodes.append({**node, "anchors": [{"from": begin, "to": stop}]})
        value = {
            "id": ids[sentence] or str(sentence + 1),
            "flavor": 0,
            "version": 1.1,
            "time": today,
            "input": text,
            "tops": [dependent for dependent, _, head, _ in arcs if head == NONE],
            "nodes": nodes,
            "edges": [
                {"source": head, "target": dependent, "label": label}
                for dependent, _, head, label in arcs
                if head != NONE
            ],
        }
        yield json.dumps(value, ensure_ascii=False) + "\n"


def _anchor_words(words: Sequence[str], text: str | None) -> tuple[str, list[tuple[int, int]]]:
    """A text with the places of the words: the given text if it has only these words, otherwise one with blanks."""
    ranges: list[tuple[int, int]] = []
    position = 0
    for word in words if text else ():
        assert text is not None
        while position < len(text) and text[position].isspace():
            position += 1
        if not text.startswith(word, position):
            break
        ranges.append((position, position + len(word)))
        position += len(word)
    if text and len(ranges) == len(words) and not text[position:].strip():
        return text, ranges
    ends = np.cumsum([len(word) + 1 for word in words]) - 1
    return " ".join(words), [(int(end) - len(word), int(end)) for word, end in zip(words, ends, strict=True)]


# --- roles of words ---


def _format_roles(corpus: Corpus, *, flagged: bool = False, marked: bool = False) -> list[str]:
    """Sense of each word and its role at each predicate, separated by tabs.

    `flagged` writes Y at predicates, `marked` the role V at the predicate itself.
    """
    cells: list[str] = []
    for _, first, end, arcs, senses in _list_sentences(corpus):
        roles: dict[tuple[int, int], list[str]] = {}
        for word, _, predicate, role in arcs:
            roles.setdefault((word, predicate), []).append(role)
        for predicate in senses if marked else ():
            others = [role for role in roles.get((predicate, predicate), ()) if role != MARK]
            roles[predicate, predicate] = [MARK, *others]
        for word in range(end - first):
            flag = (["Y"] if word in senses else ["_"]) if flagged else []
            of_word = ["|".join(roles.get((word, predicate), ())) or "_" for predicate in senses]
            cells.append("\t".join([*flag, senses.get(word, "_"), *of_word]))
    return cells


def _write_up(corpus: Corpus, columns: Mapping[str, list[str]], losses: list[str]) -> Iterator[str]:
    roles = corpus.marks["roles"]
    marks = int(((corpus.words_of(roles) == roles.arguments["head"]) & roles.labels.isin([MARK])).sum())
    if marks:
        losses.append(f"in up {MARK} at a predicate itself is a mark and not an argument: {marks:,} became marks.")
    predicates = np.bincount(corpus.marks["predicates"].unit, minlength=corpus.sentences).tolist()
    width = len(CONLLU) if "MISC" in corpus.columns else 8
    lines: list[Line] = []
    for sentence, word, line in list_other_lines(corpus):
        # Ranges and empty nodes have a cell in every column.
        cells = line.split("\t")[:width]
        cells += ["_"] * (len(CONLLU) + 1 + predicates[min(sentence, corpus.sentences - 1)] - len(cells))
        lines.append((sentence, word, line if line.startswith("#") else "\t".join(cells)))
    yield _UP
    table = number_words(corpus, CONLLU[2:], columns, _format_roles(corpus, marked=True))
    yield from write_table(table, corpus.starts, lines)


# --- roles of stretches ---


def _list_arguments(arcs: Sequence[Arc], predicate: int) -> list[tuple[int, int, str]]:
    """The arguments of a predicate: first word, end and role."""
    return [(begin, end, role) for begin, end, head, role in arcs if head == predicate]


def _write_props(corpus: Corpus, losses: list[str]) -> Iterator[str]:
    predicates = corpus.marks["predicates"]
    words, lemmas = corpus.words_of(predicates).tolist(), predicates.labels.strings()
    if corpus.format in ("conll2012", "up2-spans"):
        lemmas = [sense.rpartition(".")[0] or sense for sense in lemmas]
        losses.append(f"props has no place for senses; predicates that keep only their lemma: {len(lemmas):,}.")
    nameless = [word for word, lemma in zip(words, lemmas, strict=True) if not lemma] if corpus.has_words else []
    if nameless:
        # Readers that split at white space would take the next column for the lemma.
        lemmas = [lemma or corpus.forms[word] for word, lemma in zip(words, lemmas, strict=True)]
        if dashes := [word for word in nameless if corpus.forms[word] == "-"]:
            fact = "the predicate - has no lemma, and in props - is the mark of a word that is none."
            _refuse(corpus, dashes, fact, "Give it a lemma.")
        losses.append(f"predicates without a lemma, which are called by their words in props: {len(nameless):,}.")
    named = dict(zip(words, lemmas, strict=True))
    for _, first, end, arcs, senses in _list_sentences(corpus):
        arguments = [_list_arguments(arcs, predicate) for predicate in senses]
        cells = [_format_brackets(corpus, first, end - first, spans) for spans in arguments]
        for word in range(end - first):
            yield "\t".join([named.get(first + word, "-"), *(column[word] for column in cells)]) + "\n"
        yield "\n"


def _format_brackets(corpus: Corpus, first: int, size: int, arguments: Sequence[tuple[int, int, str]]) -> list[str]:
    """Cells of a predicate's column; an argument that ends before one that was opened later names its role there."""
    cells = []
    still_open: list[tuple[int, int, str]] = []
    ordered = sorted(arguments, key=lambda argument: (argument[0], -argument[1]))
    for word in range(size):
        opened = [argument for argument in ordered if argument[0] == word]
        still_open += opened
        closed = ""
        for argument in [span for span in reversed(still_open) if span[1] == word + 1]:
            # A bracket without a name closes what was opened last, one with a name the last of its role.
            last = still_open[-1] == argument
            taken = argument if last else next(span for span in reversed(still_open) if span[2] == argument[2])
            if taken[0] != argument[0]:
                fact = (f"two arguments {argument[2]} of one predicate cross each other, which brackets cannot "
                f"express.")
                _refuse(corpus, [first + argument[0]], fact, "Rename one of them.")
            closed += ")" if last else f"{argument[2]})"
            still_open.remove(argument)
        cells.append("".join(f"({role}" for _, _, role in opened) + "*" + closed)
    return cells


def _write_biojson(corpus: Corpus) -> Iterator[str]:
    forms, ids = corpus.forms.strings(), corpus.metadata("sent_id")
    for sentence, first, end, arcs, senses in _list_sentences(corpus):
        verbs = []
        for predicate, sense in senses.items():
            tags = ["O"] * (end - first)
            arguments = _list_arguments(arcs, predicate)
            for begin, stop, role in arguments:
                if any(tag != "O" for tag in tags[begin:stop]):
                    fact = f"the argument {role} overlaps another of its predicate, and a word has one tag."
                    _refuse(corpus, [first + begin], fact, "Use --to props")
                tags[begin:stop] = [f"B-{role}", *[f"I-{role}"] * (stop - begin - 1)]
            marked = [argument for argument in arguments if argument[2] == MARK]
            if marked and not any(begin <= predicate < stop for begin, stop, _ in marked):
                fact = f"{MARK} is at another word than the predicate, which biojson does not allow."
                _refuse(corpus, [first + predicate], fact, f"Put {MARK} where the predicate is.")
            verb: dict[str, object] = {"verb": forms[first + predicate], "predicate": predicate}
            verbs.append({**verb, **({"sense": sense} if sense else {}), "tags": tags})
        name = {"id": ids[sentence]} if ids[sentence] is not None else {}
        yield json.dumps({**name, "words": forms[first:end], "verbs": verbs}, ensure_ascii=False) + "\n"
