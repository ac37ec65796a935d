"""Graphs and semantic roles become text again.

Graphs go into DEPS of CoNLL-U, SDP and MRP; roles of words into CoNLL-2009 and Universal Propositions; roles of
stretches into CoNLL-2005 props and tags in JSON. What a target cannot hold stops with an error and its
place, or is left out and reported if the rest is plainly what is wanted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise

import numpy as np

from assay import specs
from assay.arrays import NONE, Bools, Ints
from assay.corpus import Column, Corpus, Marks
from assay.errors import UsageError
from assay.formats import Input
from assay.formats.builder import check_choice, refuse_all
from assay.formats.columns import CONLL09, CONLLU, ROLES
from assay.formats.emptynodes import place_of_aside
from assay.formats.graphs import NO_MARKS, SDP_VERSIONS, empty_nodes, lines_of_empty_nodes, with_enhanced
from assay.formats.roles import HEADS, MARK, NOTHING, SPANS, has_predicate, with_roles

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
"""For each column of a target the columns that may go there: the first of them that is filled does."""
_READ_OTHERWISE: Mapping[str, tuple[str, Sequence[str], Sequence[str]]] = {
    "conllu": ("|", ("",), ()),
    "sdp": ("", ("", "_"), ("_",)),
    **dict.fromkeys(_OF_HEADS, ("|", NOTHING, NOTHING)),
    "props": ("()*", ("",), ("-",)),
    "biojson": ("|", ("",), ()),
}
"""Marks that labels cannot have beside white space, labels that are none, and senses that are none."""
_ENDS = ("\t", "\n", "\r")
"""Marks that end a cell."""
_COMMENTS = {
    **dict.fromkeys(("conllu", "up"), ("#",)),
    **dict.fromkeys(("sdp", "biojson"), ("# sent_id",)),
    "mrp": ("# sent_id", "# text"),
}
"""How comments begin that a target holds."""
_UP = f"# global.columns = {' '.join(CONLLU)} UP:PRED UP:ARGS\n"

Arc = tuple[int, int, int, str]
"""Dependent (or the first word of an argument), end, head and label; words counted in the sentence, the root NONE."""
Sentence = tuple[int, int, int, list[Arc], dict[int, str]]
"""Its number, first word and end, its arcs or roles, and the senses of its predicates by word."""
Writer = Callable[[Corpus, Mapping[str, list[str]], list[str]], Iterator[str]]
"""From a corpus, and those of its columns that the target holds, to text; what is left out goes into the list."""


def write_graph(source: Input, target: str, given: Mapping[str, str]) -> tuple[str, list[str]]:
    """The text in a format of graphs or roles, and a sentence for everything that was left out."""
    parameters = specs.convert_parameters(f"format {target}", given, {"version": "2015"} if target == "sdp" else {})
    corpus = _read(source, target)
    said = list(corpus.notes)
    if corpus.format == "mrp":
        said.append("of nodes in mrp label, pos and frame are read; other properties and the framework are left out.")
    columns = _columns(corpus, target, said)
    version = str(parameters.get("version", "2015"))
    check_choice("version", version, SDP_VERSIONS[1:])
    _check_labels(corpus, target)
    writers: dict[str, Writer] = {
        "conllu": _conllu,
        "sdp": partial(_sdp, version=version),
        "mrp": _mrp,
        "conll09": _conll09,
        "up": _up,
        "props": _props,
        "biojson": _biojson,
    }
    return "".join(writers[target](corpus, columns, said)), said


def without_graph(source: Input, target: str) -> tuple[Corpus, list[str]]:
    """The words of a file with their labels, for formats that hold nothing else, and what of graphs is left out."""
    form = source.plan.name
    if form in HEADS:
        corpus = source.read([*source.plan.labels, ROLES])
        cells = corpus.column(ROLES)
        corpus = replace(corpus, columns={name: one for name, one in corpus.columns.items() if name != ROLES})
        number = int(cells.isin(text for text in cells.vocabulary if has_predicate(form, text)).sum())
        what, names = "predicates and their arguments", ", ".join(_OF_HEADS)
    else:
        corpus = source.read()
        number, what, names = len(_arcs(corpus)[0]), "arcs", ", ".join(_OF_ARCS)
    losses = [f"{target} has no place for {number:,} {what}: left out. Formats for them: {names}."]
    return corpus, losses if number else []


def _read(source: Input, target: str) -> Corpus:
    """The corpus with marks of the kind that the target holds."""
    plan = source.plan
    wanted = next(kind for kind, (names, _) in enumerate(_KINDS) if target in names)
    kind = 1 if plan.name in HEADS else 2 if plan.name in SPANS else 0
    if kind == 0 and "arcs" not in plan.layers and "DEPS" not in plan.labels:
        raise UsageError(
            f"{source.path}: holds no graphs or semantic roles ({plan.name}), which {target} consists of. "
            "Convert a file that has them."
        )
    if kind != wanted:
        raise UsageError(
            f"{source.path}: holds {_KINDS[kind][1]} ({plan.name}), and {target} holds {_KINDS[wanted][1]}. "
            f"Formats for them: {', '.join(_KINDS[kind][0])}."
        )
    if kind:
        corpus = with_roles(source.read([*plan.labels, ROLES]))
    elif "arcs" in plan.layers:
        corpus = source.read()
    else:
        corpus, faults = with_enhanced(source.read())
        refuse_all([line for _, line in faults])
        if not len(corpus.marks["arcs"]):
            raise UsageError(f"{source.path}: DEPS is empty, so there are no graphs. Convert a file that has them.")
    if not corpus.has_words and target != "props":
        remedy = "Merge them in from the treebank first, with up2/merge_ud_up.py of UniversalPropositions/tools."
        if plan.name == "props":
            remedy = 'Say in which column they are: --input-format "props(word=1, predicate=2)".'
        raise UsageError(f"{source.path}: has no words, which {target} consists of. {remedy}")
    return corpus


def _arcs(corpus: Corpus) -> tuple[Marks, Ints, Ints]:
    """Arcs or roles with their first nodes and ends."""
    if "arcs" in corpus.marks:
        arcs = corpus.marks["arcs"]
        return arcs, arcs.arguments["dependent"], arcs.arguments["dependent"] + 1
    roles = corpus.marks.get("roles", NO_MARKS)
    return roles, corpus.words_of(roles), corpus.starts[roles.unit] + roles.end


def _sentences(corpus: Corpus) -> Iterator[Sentence]:
    """The sentences of a corpus without empty nodes."""
    arcs, begin, end = _arcs(corpus)
    starts, head = corpus.starts[arcs.unit], arcs.arguments["head"]
    predicates = corpus.marks.get("predicates", NO_MARKS)
    senses: list[dict[int, str]] = [{} for _ in range(corpus.sentences)]
    rows = zip(predicates.unit.tolist(), predicates.begin.tolist(), predicates.labels.strings(), strict=True)
    for sentence, word, sense in rows:
        senses[sentence][word] = sense
    found: list[list[Arc]] = [[] for _ in range(corpus.sentences)]
    places = begin - starts, end - starts, np.where(head == NONE, NONE, head - starts)
    columns = zip(*(column.tolist() for column in (arcs.unit, *places)), arcs.labels.strings(), strict=True)
    for sentence, *arc in columns:
        found[sentence].append((arc[0], arc[1], arc[2], arc[3]))
    for sentence, (first, stop) in enumerate(pairwise(corpus.starts.tolist())):
        yield sentence, first, stop, found[sentence], senses[sentence]


def _refuse(places: Sequence[str], fact: str, remedy: str) -> None:
    """Refuse what a target cannot hold: the first place, and the number of the others."""
    if places:
        more = f" ({len(places) - 1:,} more such places.)" if len(places) > 1 else ""
        raise UsageError(f"{places[0]}: {fact} {remedy}{more}")


# --- what words bring along ---


def _columns(corpus: Corpus, target: str, said: list[str]) -> dict[str, list[str]]:
    """The columns of the target as far as the corpus fills them; what is left out is reported."""
    taken: dict[str, str] = {}
    for place, candidates in _SLOTS[target].items():
        filled = [name for name in candidates if name in corpus.columns and not corpus.is_empty(name)]
        if filled:
            taken[place] = filled[0]
    # DEPS is the graph itself if that is written, and the flag is written at predicates again.
    graph = {"FLAG", *({"DEPS"} if target in _OF_ARCS else ())}
    lost = [
        name
        for name in corpus.columns
        if name not in taken.values() and name not in graph and not corpus.is_empty(name)
    ]
    if lost:
        said.append(f"{target} has no place for {', '.join(lost)}: left out.")
    if target == "props" and corpus.has_words:
        said.append("props has no place for words: left out. Sentences correspond by their order.")
    if mentions := corpus.marks.get("mentions"):
        said.append(f"{target} has no place for {len(mentions):,} mentions in chains: left out.")
    held = (*_COMMENTS.get(target, ()), "# global.columns")
    if left := sum(not line.startswith(held) for _, line in corpus.comments):
        said.append(f"{target} has no place for comments: {left:,} left out.")
    if target not in ("conllu", "up") and corpus.aside_lines:
        said.append(f"{target} has no ranges or empty nodes: {len(corpus.aside_lines):,} lines left out.")
    checked = (corpus.forms, *(corpus.columns[name] for name in taken.values()))
    for column in () if target in ("mrp", "biojson", "props") else checked:
        words = np.flatnonzero(column.isin(text for text in column.vocabulary if any(map(text.__contains__, _ENDS))))
        if len(words):
            _refuse(
                [corpus.place(word) for word in words.tolist()],
                f"{column[int(words[0])]!r} holds a tab or line end, which divides the cells of {target}.",
                "Mend it in the file.",
            )
    return {place: corpus.columns[name].strings() for place, name in taken.items()}


def _check_labels(corpus: Corpus, target: str) -> None:
    """Refuse empty nodes, labels of arcs, and senses that the target would read as something else."""
    arcs, words, _ = _arcs(corpus)
    predicates, top = corpus.marks.get("predicates", NO_MARKS), arcs.arguments["head"] == NONE
    asides = lines_of_empty_nodes(corpus) if target in _OF_ARCS else []

    def place(node: int) -> str:
        return corpus.place(node) if node < len(corpus) else place_of_aside(corpus, asides[node - len(corpus)])

    def check(what: str, column: Column, wrong: Iterable[str], nodes: Ints, rows: Bools | bool = True) -> None:
        bad = np.flatnonzero(column.isin(wrong) & rows)
        if len(bad):
            _refuse(
                [place(node) for node in nodes[bad].tolist()],
                f"the {what} {column[int(bad[0])]!r} would be read as something else in {target}.",
                "Rename it, or keep the format.",
            )

    if target in _READ_OTHERWISE:
        marks, nothing, no_sense = _READ_OTHERWISE[target]
        labels, senses = arcs.labels.vocabulary, predicates.labels.vocabulary
        wrong = (one for one in labels if one in nothing or any(mark in marks or mark.isspace() for mark in one))
        check("label", arcs.labels, wrong, words, ~top)
        wrong = (one for one in senses if one in no_sense or any(map(one.__contains__, _ENDS)))
        check("sense", predicates.labels, wrong, corpus.words_of(predicates))
    if asides and len(empty_nodes(corpus)):
        _refuse(
            [place_of_aside(corpus, number) for number in asides],
            f"the empty node {empty_nodes(corpus).labels[0]}, and nodes of {target} are words.",
            "Keep CoNLL-U, or collapse empty nodes first, e.g. with UD's enhanced_collapse_empty_nodes.pl.",
        )
    named = np.flatnonzero(top & ~arcs.labels.isin(("", _ROOT)))
    if len(named) and target in ("sdp", "mrp"):
        _refuse(
            [place(node) for node in words[named].tolist()],
            f"the arc from the root has the label {arcs.labels[int(named[0])]!r}, and tops of {target} have none.",
            f"Rename it {_ROOT}.",
        )


def _note_idle_predicates(corpus: Corpus, target: str, said: list[str]) -> None:
    """Note predicates without arguments, for which the target has no flag."""
    predicates = corpus.words_of(corpus.marks.get("predicates", NO_MARKS))
    if idle := int((~np.isin(predicates, corpus.marks["arcs"].arguments["head"])).sum()):
        nouns = "words" if target == "conllu" else "nodes"
        said.append(f"{target} has no flag for predicates: {idle:,} without arguments are {nouns} like others there.")


# --- graphs ---


def _conllu(corpus: Corpus, columns: Mapping[str, list[str]], said: list[str]) -> Iterator[str]:
    if frames := sum(map(bool, corpus.marks.get("predicates", NO_MARKS).labels.strings())):
        said.append(f"conllu has no place for frames of predicates: {frames:,} left out.")
    _note_idle_predicates(corpus, "conllu", said)
    forms = corpus.forms.strings()
    comments: dict[int, list[str]] = {}
    for sentence, line in corpus.comments:
        comments.setdefault(sentence, []).append(f"{line}\n")
    for sentence, first, end, arcs, _ in _sentences(corpus):
        yield from comments.get(sentence, ())
        cells: list[list[str]] = [[] for _ in range(first, end)]
        for dependent, _, head, label in sorted(arcs):
            cells[dependent].append(f"{head + 1}:{label or _ROOT}" if head == NONE else f"{head + 1}:{label}")
        for word in range(first, end):
            row = {**{name: texts[word] for name, texts in columns.items()}, "FORM": forms[word]}
            row |= {"ID": str(word - first + 1), "DEPS": "|".join(cells[word - first]) or "_"}
            yield "\t".join(row.get(name) or "_" for name in CONLLU) + "\n"
        yield "\n"


def _sdp(corpus: Corpus, columns: Mapping[str, list[str]], said: list[str], version: str) -> Iterator[str]:
    framed = version != "2014"
    frames = sum(map(bool, corpus.marks.get("predicates", NO_MARKS).labels.strings()))
    if not framed and frames:
        said.append(f"sdp of 2014 has no place for frames of predicates: {frames:,} left out.")
    ids, forms, sentences = corpus.metadata("sent_id"), corpus.forms.strings(), list(_sentences(corpus))
    doubles: list[tuple[int, str]] = []
    for _, first, _, arcs, _ in sentences:
        # Arcs are sorted by dependent and head.
        for (dependent, _, head, label), following in pairwise(arcs):
            if head != NONE and (dependent, head) == (following[0], following[2]):
                doubles.append((first + dependent, f"{label} and {following[3]}"))
    if doubles:
        _refuse(
            [corpus.place(word) for word, _ in doubles],
            f"two arcs between the same words, {doubles[0][1]}, and sdp has a cell for one.",
            "Use --to mrp",
        )
    if framed:
        yield f"#SDP {version}\n"
    for sentence, first, end, arcs, senses in sentences:
        yield f"#{ids[sentence] or sentence + 1}\n"
        between = {(dependent, head): label for dependent, _, head, label in arcs}
        predicates = sorted({*senses, *(head for _, head in between)} - {NONE})
        for word in range(end - first):
            own = [columns[name][first + word] if name in columns else "_" for name in ("lemma", "tag")]
            flags = ["+" if flag else "-" for flag in ((word, NONE) in between, word in predicates)]
            frame = [senses.get(word) or "_"] if framed else []
            cells = [between.get((word, predicate), "_") for predicate in predicates]
            yield "\t".join([str(word + 1), forms[first + word], *own, *flags, *frame, *cells]) + "\n"
        yield "\n"


def _mrp(corpus: Corpus, columns: Mapping[str, list[str]], said: list[str]) -> Iterator[str]:
    forms = corpus.forms.strings()
    rough = np.flatnonzero(corpus.forms.isin(text for text in corpus.forms.vocabulary if text != text.strip()))
    if len(rough):
        _refuse(
            [corpus.place(word) for word in rough.tolist()],
            f"the word {forms[int(rough[0])]!r} begins or ends with white space, which no node of mrp stands for.",
            "Mend it in the file.",
        )
    _note_idle_predicates(corpus, "mrp", said)
    # mtool reads no graph without a date.
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    ids, texts = corpus.metadata("sent_id"), corpus.metadata("text")
    for sentence, first, end, arcs, senses in _sentences(corpus):
        text, ranges = _anchored(forms[first:end], texts[sentence])
        nodes = []
        for word, (begin, stop) in enumerate(ranges):
            own = {name: columns[name][first + word] for name in columns}
            properties = {"pos": own.get("tag", "_"), "frame": senses.get(word) or "_"}
            kept = {name: value for name, value in properties.items() if value != "_"}
            node: dict[str, object] = {"id": word}
            node |= {"label": own["lemma"]} if own.get("lemma", "_") != "_" else {}
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


def _anchored(words: Sequence[str], text: str | None) -> tuple[str, list[tuple[int, int]]]:
    """A text and where the words stand in it: the text given if it has them and nothing else, else one of blanks."""
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


def _roles_at(arcs: Sequence[Arc]) -> dict[tuple[int, int], list[str]]:
    """The roles of each word at each predicate."""
    found: dict[tuple[int, int], list[str]] = {}
    for word, _, predicate, role in arcs:
        found.setdefault((word, predicate), []).append(role)
    return found


def _conll09(corpus: Corpus, columns: Mapping[str, list[str]], said: list[str]) -> Iterator[str]:
    forms = corpus.forms.strings()
    for _, first, end, arcs, senses in _sentences(corpus):
        found = _roles_at(arcs)
        for word in range(end - first):
            own = [columns[name][first + word] or "_" if name in columns else "_" for name in CONLL09[2:]]
            sense = ["Y", senses[word]] if word in senses else ["_", "_"]
            cells = ["|".join(found.get((word, predicate), ())) or "_" for predicate in senses]
            yield "\t".join([str(word + 1), forms[first + word], *own, *sense, *cells]) + "\n"
        yield "\n"


def _up(corpus: Corpus, columns: Mapping[str, list[str]], said: list[str]) -> Iterator[str]:
    roles, forms = corpus.marks["roles"], corpus.forms.strings()
    own = (corpus.words_of(roles) == roles.arguments["head"]) & roles.labels.isin([MARK])
    if own.any():
        said.append(f"in up {MARK} at a predicate itself is a mark and no argument: {int(own.sum()):,} became marks.")
    comments: dict[int, list[str]] = {}
    for sentence, line in corpus.comments:
        if not line.startswith("# global.columns"):
            comments.setdefault(sentence, []).append(f"{line}\n")
    asides: dict[tuple[int, int], list[str]] = {}
    places = zip(corpus.aside_sentences, corpus.aside_words.tolist(), corpus.aside_lines, strict=True)
    width = len(CONLLU) if "MISC" in corpus.columns else 8
    for sentence, word, line in places:
        asides.setdefault((sentence, word), []).append(line)
    yield _UP
    for sentence, first, end, arcs, senses in _sentences(corpus):
        yield from comments.get(sentence, ())
        found = _roles_at(arcs)
        for word in range(end - first + 1):
            for line in asides.get((sentence, first + word), ()):
                kept = line.split("\t")[:width]
                empty = ["_"] * (len(CONLLU) + 1 + len(senses) - len(kept))
                yield f"{line}\n" if line.startswith("#") else "\t".join([*kept, *empty]) + "\n"
            if first + word == end:
                break
            cells = [columns[name][first + word] or "_" if name in columns else "_" for name in CONLLU[2:]]
            for predicate in senses:
                given = [role for role in found.get((word, predicate), ()) if word != predicate or role != MARK]
                cells.append("|".join([*([MARK] if word == predicate else []), *given]) or "_")
            cells.insert(len(CONLLU) - 2, senses.get(word, "_"))
            yield "\t".join([str(word + 1), forms[first + word], *cells]) + "\n"
        yield "\n"


# --- roles of stretches ---


def _arguments(arcs: Sequence[Arc], predicate: int) -> list[tuple[int, int, str]]:
    """The arguments of a predicate: first word, end and role."""
    return [(begin, end, role) for begin, end, head, role in arcs if head == predicate]


def _props(corpus: Corpus, columns: Mapping[str, list[str]], said: list[str]) -> Iterator[str]:
    predicates = corpus.marks["predicates"]
    words, lemmas = corpus.words_of(predicates).tolist(), predicates.labels.strings()
    if corpus.format in ("conll2012", "up2-spans"):
        lemmas = [sense.rpartition(".")[0] or sense for sense in lemmas]
        said.append(f"props has no place for senses: of {len(lemmas):,} predicates the lemmas are kept.")
    nameless = [word for word, lemma in zip(words, lemmas, strict=True) if not lemma] if corpus.has_words else []
    if nameless:
        # Readers that split at white space would take the next column for the lemma.
        lemmas = [lemma or corpus.forms[word] for word, lemma in zip(words, lemmas, strict=True)]
        _refuse(
            [corpus.place(word) for word in nameless if corpus.forms[word] == "-"],
            "the predicate - has no lemma, and in props - is the mark of a word that is none.",
            "Give it a lemma.",
        )
        said.append(f"predicates without a lemma, which are called by their words in props: {len(nameless):,}.")
    named = dict(zip(words, lemmas, strict=True))
    for _, first, end, arcs, senses in _sentences(corpus):
        cells = [_bracketed(corpus, first, end - first, _arguments(arcs, predicate)) for predicate in senses]
        for word in range(end - first):
            yield "\t".join([named.get(first + word, "-"), *(column[word] for column in cells)]) + "\n"
        yield "\n"


def _bracketed(corpus: Corpus, first: int, size: int, arguments: Sequence[tuple[int, int, str]]) -> list[str]:
    """The cells of a predicate's column; what closes before something opened later says its role."""
    cells = []
    still_open: list[tuple[int, int, str]] = []
    ordered = sorted(arguments, key=lambda argument: (argument[0], -argument[1]))
    for word in range(size):
        opened = [argument for argument in ordered if argument[0] == word]
        still_open += opened
        closed = ""
        for argument in [one for one in reversed(still_open) if one[1] == word + 1]:
            # A bracket without a name closes what was opened last, one with a name the last of its role.
            last = still_open[-1] == argument
            taken = argument if last else next(one for one in reversed(still_open) if one[2] == argument[2])
            if taken[0] != argument[0]:
                _refuse(
                    [corpus.place(first + argument[0])],
                    f"two arguments {argument[2]} of one predicate cross each other, which brackets cannot say.",
                    "Rename one of them.",
                )
            closed += ")" if last else f"{argument[2]})"
            still_open.remove(argument)
        cells.append("".join(f"({role}" for _, _, role in opened) + "*" + closed)
    return cells


def _biojson(corpus: Corpus, _: Mapping[str, list[str]], __: list[str]) -> Iterator[str]:
    forms, ids = corpus.forms.strings(), corpus.metadata("sent_id")
    for sentence, first, end, arcs, senses in _sentences(corpus):
        verbs = []
        for predicate, sense in senses.items():
            tags = ["O"] * (end - first)
            arguments = _arguments(arcs, predicate)
            for begin, stop, role in arguments:
                if any(tag != "O" for tag in tags[begin:stop]):
                    _refuse(
                        [corpus.place(first + begin)],
                        f"the argument {role} overlaps another of its predicate, and a word has one tag.",
                        "Use --to props",
                    )
                tags[begin:stop] = [f"B-{role}", *[f"I-{role}"] * (stop - begin - 1)]
            marked = [argument for argument in arguments if argument[2] == MARK]
            if marked and not any(begin <= predicate < stop for begin, stop, _ in marked):
                _refuse(
                    [corpus.place(first + predicate)],
                    f"{MARK} stands at another word than the predicate, which would be refused in biojson.",
                    f"Put {MARK} where the predicate is.",
                )
            verb: dict[str, object] = {"verb": forms[first + predicate], "predicate": predicate}
            verbs.append({**verb, **({"sense": sense} if sense else {}), "tags": tags})
        name = {"id": ids[sentence]} if ids[sentence] is not None else {}
        yield json.dumps({**name, "words": forms[first:end], "verbs": verbs}, ensure_ascii=False) + "\n"
