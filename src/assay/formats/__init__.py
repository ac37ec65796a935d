"""Text becomes a Corpus here; only this room knows formats and their quirks.

`FORMATS` has their names, how each is recognised by its first lines, and how it is read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import islice
from os import PathLike, fspath
from typing import Any

from assay import plugins, specs
from assay.classes import dataclass
from assay.corpus import SEVERAL, Column, Corpus
from assay.corpus.items import ItemTable
from assay.errors import InputError, UsageError, unknown
from assay.formats import (
    answers,
    biojson,
    biomedical,
    brackets,
    cas,
    chains,
    columns,
    docbin,
    events,
    extraction,
    foreign,
    graphs,
    items,
    jsondocs,
    layered,
    links,
    logs,
    ratings,
    readings,
    records,
    roles,
    rows,
    standoff,
    trees,
    webanno,
    whose,
)
from assay.formats.arrow import SHOWN, TABLES
from assay.formats.builder import Builder, check_choice
from assay.formats.folders import ChosenFiles, choose_files
from assay.formats.offsets import AUTO, UNITS
from assay.formats.source import ANNOTATIONS, DOCBIN, ZIP, Piece, Source, find_folder, list_files
from assay.formats.whose import Asked, check_repair
from assay.keywords import explicit

# If several columns could be meant, the first of these that all files fill is compared.
_PREFERRED = ("UPOS", "XPOS", "FEATS", "LEMMA", "label")
IN_PIECES = ("conllu", "conllx", "conll", "tsv")
"""Formats that are read line by line and sentence by sentence, so that large files can be read in pieces."""
_NOT_LABELS = frozenset({"HEAD", "DEPREL", "DEPS", "MISC"})
_ENOUGH = 100
_USUAL = {
    **dict.fromkeys(("bio", "iob", "iob2", "bioes", "conll2003", "conll03", "conll-2003"), "conll tsv"),
    **{"csv": "items", "json": "jsonl records items", "spacy": "docbin", "txt": "conll tsv slash", "ud": "conllu"},
    **{"ptb": "brackets", "penn": "brackets", "xml": "tigerxml bioc cas xces", "xmi": "cas", "ann": "brat"},
}
"""What others call our formats."""
"""The number of words from which there are more different forms than labels in any language."""


# --- formats ---


@dataclass(frozen=True)
class Format:
    """A kind of file: how it is recognised and read.

    `plan` returns the format of a file with the fields that the file's first lines decide, before any of it is read.
    """

    name: str
    title: str
    example: str
    looks: Callable[[Sequence[str]], bool] | None
    """True if the first lines of a file are of this format; None if it must be asked for by name."""
    read: Callable[..., object]
    """Hand a Source to a Builder; the parameters are keywords, or the layout of a table is."""
    layers: Sequence[str] = ()
    """The kinds of marks: spans, constituents, mentions (in chains), arcs (of graphs, and nothing else but words with
    tags), relations (between spans), links (of spans to identifiers); in a plan, those that the first lines show."""
    labels: tuple[str, ...] = ()
    """The label columns."""
    begins: tuple[str, ...] = ("",)
    """What the text may begin with, after white space."""
    decide: Callable[..., columns.Layout | Mapping[str, Any]] = lambda *_: {}
    """The layout of a table, or other fields, from first lines, path, parameters and the columns asked for."""
    layout: columns.Layout | None = None
    """The layout of a table."""
    parameters: dict[str, Any] = field(default_factory=dict)
    """The parameters with their defaults."""
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The values of parameters that have no others."""
    help: str = ""
    of_systems: bool = False
    """True if only systems have files of this kind: it says nothing of gold's."""
    on_request: tuple[str, ...] = ()
    """Columns that contain no labels and are read if a task asks for them."""
    names_annotators: bool = False
    """True if a file may contain annotations of several people and models, by name."""
    names_layers: bool = False
    """True if a file may have several layers of spans, of which `--column` names one."""
    which: Mapping[str, str] = field(default_factory=dict)
    """The values of its parameter `which` for annotations and for predictions, if it has layers of both."""
    empty: str | None = None
    """The mark of an empty cell."""
    word_per_line: bool = False
    has_words: bool = True
    in_documents: bool = False
    """True if its sentences are whole documents."""
    tags_by_document: bool = False
    """True if tags of spans run on over the ends of sentences."""
    holds_gold: bool = False
    """True if a file has a system's answers and gold's labels."""
    single: int = 0
    """The number of rows that are read as one sentence because no empty line is among them."""
    path: str = ""
    head: Sequence[str] = ()
    """The first lines of the file."""
    cells: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The labels in the first rows by column, of rows that have lists of labels."""
    filled: tuple[str, ...] = ()
    """Label columns that contain more than marks of emptiness, as far as the first lines show."""

    @property
    def words(self) -> str:
        """In a table, the column of the words; other formats decide themselves which it is."""
        return self.layout.name(self.layout.word) if self.layout and self.name in ("tsv", "conll") else ""

    @property
    def sniffed(self) -> bool:
        """True if the first lines, not the user, decided how a table is read."""
        return self.layout is not None and self.layout.sniffed

    @property
    def remarks(self) -> list[str]:
        """Remarks on the columns that the first lines of a table show."""
        assert self.layout is not None
        numbering = [f"column {self.layout.name(index)} numbers the words" for index in self.layout.numbering]
        return [*numbering, *["the first line names the columns"] * self.layout.header]

    def resolve(self, name: str) -> str:
        """The column that a name or number given by the user stands for."""
        if self.layout is not None:
            return self.layout.name(self.layout.label(name, self.path))
        if name in (*self.on_request, *self.cells):
            return name
        if "spans" in self.layers and not self.labels:
            raise InputError(f"{self.path}: contains labelled spans and no columns, so there is no {name}.")
        if self.labels == ("label",):
            return "label"
        usual = (_NAMES.get(name.casefold(), name.casefold()), columns.ALIASES.get(name.upper(), name.upper()))
        column = next((column for column in usual if column in self.labels), None)
        if column is None:
            fact = unknown("column", name, self.labels) if self.labels else f"no column {name}."
            raise InputError(f"{self.path}: {fact}")
        return column

    def rows(self) -> Iterator[list[str]]:
        """The cells of the first lines of a table."""
        assert self.layout is not None
        width, comments = self.layout.width, self.layout.comments
        lines = (line for line in self.head if line.strip() and not columns.is_comment(line, comments))
        for line in islice(lines, self.layout.header, None):
            row = line.split(self.layout.separator)
            yield [*row[:width], "\t".join(row[width:])] if self.layout.open_end and len(row) >= width else row

    def values(self, name: str) -> list[str]:
        """The cells of a column of a table, also that of the words, in the first lines."""
        if self.layout is None:
            return [*self.cells.get(name, ())]
        base, _, key = name.partition(":")
        is_word = base == self.layout.name(self.layout.word)
        index = self.layout.word if is_word else self.layout.label(base, self.path)
        cells = [row[index] for row in self.rows() if index < len(row)]
        return [cell.partition(f"{key}=")[2].partition("|")[0] for cell in cells if key in cell] if key else cells


# Names for the columns of words in formats that are no tables.
_NAMES = {**dict.fromkeys(("xpos", "pos", "postag", "label", "ctag"), "tag"), "base": "lemma"}


def _decide_export(head: Sequence[str], path: str, *_: object) -> Mapping[str, Any]:
    version = trees.export_version(head, path)
    # The tag stands last, where the default is looked for.
    labels = (*(("lemma",) if version == 4 else ()), "morph", "edge", "tag")
    return {"labels": labels, "read": partial(trees.read_export, version=version)}


def _decide_conll2012(head: Sequence[str], path: str, given: dict[str, Any], *_: object) -> Mapping[str, Any]:
    layout = chains.conll2012_layout(head, path, given["word"], given["pos"])
    labels = () if layout.tag is None else (chains.TAG,)
    read = partial(chains.read_conll2012, layout=layout, broken=given["broken"])
    filled, has_words = labels if layout.filled else (), layout.word is not None
    return {"read": read, "labels": labels, "empty": layout.empty, "filled": filled, "has_words": has_words}


def _decide_props(head: Sequence[str], path: str, given: dict[str, Any], *_: object) -> Mapping[str, Any]:
    if given["word"] < 0 or given["predicate"] < 1:
        raise UsageError("format props: word and predicate are numbers of columns, counted from 1; word=0: no words.")
    return {"has_words": given["word"] > 0}


def _decide_aida(head: Sequence[str], path: str, given: dict[str, Any], *_: object) -> Mapping[str, Any]:
    if not 4 <= given["link"] <= 7:
        raise UsageError(f"format aida: link should be a column from 4 to 7, not {given['link']}.")
    return {}


def _decide_ratings(head: Sequence[str], path: str, *_: object) -> Mapping[str, Any]:
    raise UsageError(f"{path}: a table of ratings contains several annotators. Use: assay agreement")


def _looks_conll(head: Sequence[str]) -> bool:
    rows = [line.split() for line in head if line.strip() and not line.startswith(("-DOCSTART-", "#"))]
    return bool(rows) and len(rows[0]) >= 2 and len({len(row) for row in rows}) == 1


_TABLE = {"word": "auto", "header": "auto", "comments": "auto"}
_IN_BRACKETS = {"escaped": True, "blank": "auto", "line": "auto"}
_IN_BRACKETS_HELP = (
    "escaped: -LRB- is a bracket and \\/ a slash in words; blank: a blank line between one-line trees is "
    "a sentence without a parse (unparsed), nothing, or decided from the file (auto); line: several "
    "trees in a line are one sentence, as in EVALB, or each is one (trees)"
)
_NAMES_HELP = (
    "names: the file with the names of labels that are numbers: dataset_info.json, config.json, or a name per line"
)
_OFFSETS_HELP = "offsets: what they count, if the texts of spans do not show it: characters, utf16 or bytes"
_BROKEN = {"broken": ("error", "drop")}

FORMATS = {
    known.name: known
    for known in (
        Format(
            "xces",
            'XCES and CCL (XML): words with all their readings, the chosen ones marked disamb="1"',
            "<chunkList><sentence><tok><orth>end</orth>\n"
            '<lex disamb="1"><base>end</base><ctag>subst:sg:nom:m3</ctag></lex></tok></sentence></chunkList>',
            readings.looks_xces, readings.read_xces, labels=readings.LABELS, empty=readings.EMPTY,
            decide=readings.decide_xces, begins=("<",),
        ),
        Format(
            "tigerxml",
            "TigerXML: words and the nodes of trees, which may have gaps, with labels of edges",
            '<corpus id="c"><body><s id="s1"><graph root="s1_500"><terminals><t id="s1_1" word="Go" pos="VB"/>'
            '</terminals>\n<nonterminals><nt id="s1_500" cat="S"><edge label="HD" idref="s1_1"/></nt></nonterminals>'
            "</graph></s></body></corpus>",
            trees.looks_tiger, trees.read_tiger, ("constituents",), empty=trees.NO_VALUE,
            decide=lambda head, *_: {"labels": trees.tiger_labels(head)}, begins=("<",),
        ),
        Format(
            "export",
            "Negra export, formats 3 and 4: words and the nodes of trees, which may have gaps, with labels of edges",
            "#BOS 1\nThe\tDT\t--\tNK\t500\nend\tNN\t--\tNK\t500\n#500\tNP\t--\t--\t0\n#EOS 1",
            trees.looks_export, trees.read_export, ("constituents",), empty=trees.NO_VALUE,
            decide=_decide_export,
        ),
        # Before brackets, which these are.
        Format(
            "discbracket",
            "discbracket: trees in brackets that may have gaps, their words numbered from 0",
            "(S (VP (VB 0=Is) (JJ 2=red)) (NP (PRP 1=it)))",
            brackets.looks_discbracket, partial(brackets.read_brackets, numbered=True), ("constituents",), ("tag",),
            parameters=_IN_BRACKETS, begins=("(",),
            help=_IN_BRACKETS_HELP,
        ),
        Format(
            "brackets",
            "trees in brackets, as in the Penn treebank: over one line or many, several to a line",
            "( (S (NP-SBJ (DT The) (NN end)) (VP (VBZ comes))))\n(NP (NN Silence))",
            brackets.looks_brackets, brackets.read_brackets, ("constituents",), ("tag",), parameters=_IN_BRACKETS,
            begins=("(",), help=_IN_BRACKETS_HELP,
        ),
        Format(
            "cas",
            "UIMA CAS (DKPro, INCEpTION) as XMI or JSON: layers of spans, relations and chains over a text",
            '<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" '
            'xmlns:a="http:///a/b.ecore">\n'
            '<a:Entity xmi:id="2" sofa="1" begin="9" end="13" value="LOC"/>\n'
            '<cas:Sofa xmi:id="1" sofaID="_InitialView" sofaString="She left Rome"/></xmi:XMI>',
            cas.looks_cas, cas.read_cas, ("spans",), empty=layered.EMPTY, decide=cas.decide_cas, begins=("<", "{"),
            parameters={"view": ""}, help="view: the name of a view, if there are several", names_layers=True,
        ),
        # Before all that is in columns.
        Format(
            "webanno",
            "WebAnno TSV 3 (INCEpTION): words with columns for layers of spans, relations and chains",
            "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.Entity|value\n\n\n#Text=She left Rome\n"
            "1-1\t0-3\tShe\t_\t\n1-2\t4-8\tleft\t_\t\n1-3\t9-13\tRome\tLOC\t",
            webanno.looks_webanno, webanno.read_webanno, ("spans",), empty=layered.EMPTY,
            decide=webanno.decide_webanno, begins=("#",), names_layers=True,
        ),
        # Before CoNLL-U, which a graph that begins at node 1 resembles.
        Format(
            "dag",
            "DAG (Concraft, PolEval 2020): readings between nodes, the chosen ones marked disamb or by probability 1",
            "0\t1\tThe\tthe\tdet\t\t\t1.000\t\t\t\n1\t2\tend\tend\tnoun\t\t\t1.000\t\teos\t",
            readings.looks_dag, readings.read_dag, labels=readings.LABELS, empty=readings.EMPTY,
            decide=readings.decide_dag,
        ),
        # Before CoNLL-U and CoNLL-2009, which number words too.
        Format(
            "sdp",
            "SDP 2014 and 2015: semantic dependencies, words with flags for tops and predicates, a column for each",
            "#SDP 2015\n#1\n1\tIt\tit\tPRP\t-\t-\t_\tARG1\n2\tended\tend\tVBD\t+\t+\tv:e-i\t_\n",
            graphs.looks_sdp, graphs.read_sdp, ("arcs",), graphs.SDP_LABELS,
            empty="_", word_per_line=True, begins=("#", "1"), parameters={"version": "auto"},
            help="version: 2014 (without a column of frames) or 2015, if the first line and the columns do not "
            "show it",
        ),
        # Before CoNLL-2009 and CoNLL-U, which these resemble but for their last columns.
        Format(
            "up2",
            "Universal Propositions 2.0, with or without words: a predicate's line lists the heads of its arguments",
            "# global.columns = ID FORM UPOS UP:PRED UP:ARGHEADS UP:ARGSPANS\n"
            "1\tthe\tDET\t_\t_\t_\n2\tend\tNOUN\t_\t_\t_\n3\tcame\tVERB\tcome.01\tA1:2\tA1:1-2\n",
            roles.looks_up2, columns.read_columns,
            decide=partial(roles.up2_layout, format="up2"), begins=("#",),
        ),
        Format(
            "up2-spans",
            "the same files: a predicate's line lists its arguments as stretches of words",
            "# global.columns = ID UP:PRED UP:ARGHEADS UP:ARGSPANS\n"
            "1\t_\t_\t_\n2\t_\t_\t_\n3\tcome.01\tA1:2\tA1:1-2\n",
            None, columns.read_columns,
            decide=partial(roles.up2_layout, format="up2-spans"),
        ),
        Format(
            "up",
            "Universal Propositions: CoNLL-U, then a column of senses and one of roles for each predicate",
            "1\tKim\tKim\tPROPN\tNNP\t_\t2\tnsubj\t_\t_\t_\tA0\n2\tleft\tleave\tVERB\tVBD\t_\t0\troot\t_\t_\tleave.01\tV\n",
            roles.looks_up, columns.read_columns,
            decide=roles.up_layout,
            parameters={"columns": 0},
            help="columns: the number of columns of CoNLL-U before propositions, 10, or 8 and a flag (0: as it "
            "looks)",
        ),
        Format(
            "conll09",
            "CoNLL-2009: twelve tab-separated columns (PHEAD, PDEPREL … are predicted values), then predicates",
            "1\tThe\tthe\tthe\tDT\tDT\t_\t_\t2\t2\tNMOD\tNMOD\t_\t_\n"
            "2\tend\tend\tend\tNN\tNN\t_\t_\t0\t0\tROOT\tROOT\t_\t_",
            columns.looks_conll09, columns.read_columns, layout=columns.CONLL09_LAYOUT, begins=("#", "1"),
        ),
        Format(
            "conll08",
            "CoNLL-2008: ten tab-separated columns, words in the sixth, then predicates and their arguments",
            "1\tThe\tthe\tDT\tDT\tThe\tthe\tDT\t2\tNMOD\t_\t_\n2\tend\tend\tNN\tNN\tend\tend\tNN\t0\tROOT\tend.01\t_\n",
            roles.looks_conll08, columns.read_columns, layout=roles.CONLL08_LAYOUT, begins=("#", "1"),
        ),
        # Before all that words in columns resemble: the name of a document may be a number.
        Format(
            "conll2012",
            "CoNLL-2012 and 2011: words in columns between #begin and #end document, chains as brackets in the last",
            "#begin document (d1); part 000\nd1\t0\t0\tThe\tDT\t(1\nd1\t0\t1\tend\tNN\t1)\n\n#end document",
            chains.looks_conll2012, chains.read_conll2012, ("mentions",), on_request=(columns.ROLES,),
            word_per_line=True, decide=_decide_conll2012, begins=("#",),
            parameters={"word": 4, "pos": 5, "broken": "error"}, choices=_BROKEN,
            help="word, pos: the columns of word and POS tag, by number; broken: drop leaves out mentions that are "
            "not closed or not opened",
        ),
        Format(
            "conllu",
            "CoNLL-U (and CoNLL-U Plus): ten tab-separated columns, ranges 3-4, empty nodes 5.1, # comments",
            "# sent_id = s1\n1\tThe\tthe\tDET\tDT\t_\t2\tdet\t_\t_\n2\tend\tend\tNOUN\tNN\t_\t0\troot\t_\t_",
            columns.looks_conllu, columns.read_columns, decide=columns.conllu_layout,
            parameters={"empty_nodes": False},
            help="empty_nodes: empty nodes count as words, as mentions of entities (--column MISC:Entity) need it",
        ),
        Format(
            "conllx",
            "CoNLL-X / CoNLL-2006: ten tab-separated columns; CPOSTAG is UPOS here and POSTAG is XPOS",
            "1\tThe\tthe\tD\tDT\t_\t2\tdet\t_\t_\n2\tend\tend\tN\tNN\t_\t0\troot\t_\t_",
            None, columns.read_columns, layout=columns.CONLLX_LAYOUT,
        ),
        # Before the tables of words, all of which these resemble.
        Format(
            "props",
            "CoNLL-2005 propositions: a lemma at each predicate and - elsewhere, then a column of brackets for "
            "each of them",
            "-\t(A0*)\nleave\t(V*)\n-\t(A1*\n-\t*)",
            roles.looks_props, roles.read_props, on_request=(columns.ROLES,), word_per_line=True,
            decide=_decide_props, parameters={"word": 0, "predicate": 1},
            help="word, predicate: the columns of words (0: there are none) and of lemmas at predicates, by number",
        ),
        Format(
            "spans",
            "labelled spans (FairEval): label, first and last word (from 1), all words; NONE 999 999 999: no spans",
            "PER\t1\t2\t1, 2\nORG\t5\t5\t5\n\nNONE\t999\t999\t999",
            standoff.looks_spans, standoff.read_spans, ("spans",), has_words=False,
        ),
        Format(
            "hipe",
            "HIPE: words in columns that the first line names, mentions in NE- columns, links in NEL- columns",
            "TOKEN\tNE-COARSE-LIT\tNEL-LIT\tMISC\n# hipe2022:document_id = d1\nRome\tB-loc\tQ220\tNoSpaceAfter\n"
            ".\tO\t_\tEndOfSentence",
            links.looks_hipe, links.read_hipe, ("links",), tags_by_document=True,
            decide=links.hipe_layout, begins=("TOKEN",),
        ),
        Format(
            "aida",
            "AIDA-YAGO2: a word per line, and after those of mentions B or I, the mention and its identifiers",
            "-DOCSTART- (1 EU)\nEU\tB\tEU\t--NME--\nrejects\nGerman\tB\tGerman\tGermany",
            links.looks_aida, links.read_aida, ("links",), word_per_line=True, decide=_decide_aida,
            parameters={"link": 4},
            help="link: the column of identifiers, 4 to 7",
        ),
        Format(
            "neleval",
            "neleval and TAC: a mention per line, document, first and last place, then identifier, score and type",
            "d1\t0\t4\tQ90\t1.0\tLOC\nd1\t10\t13\tNIL001\t0.7\tPER\tQ2\t0.2\tPER",
            links.looks_neleval, links.read_neleval, ("links",), has_words=False, in_documents=True,
        ),
        Format(
            "brat",
            "brat standoff: X.ann with the text X.txt in the same folder; labelled spans of characters, "
            "relations, links",
            "T1\tPER 0 13\tAngela Merkel\nT2\tLOC 25 30;41 48\tNorth America",
            standoff.looks_brat, standoff.read_brat, decide=standoff.decide_brat,
            parameters={"triggers": True, "trim": False, "units": "documents"}, choices={"units": standoff.UNITS},
            help="triggers: keep the spans that events are tied to; trim: take white space off the ends of spans; "
            "units: lines if each line of the text is a sentence",
        ),
        Format(
            "pubtator",
            "PubTator: title and abstract, then a line for each mention, with its identifier, and for each relation "
            "of two identifiers",
            "7|t|Fever after Trazodone\n7|a|A case.\n7\t0\t5\tFever\tDisease\tD005334\n"
            "7\t12\t21\tTrazodone\tChemical\tD014196",
            biomedical.looks_pubtator, biomedical.read_pubtator, in_documents=True, decide=biomedical.decide_pubtator,
            parameters={"offsets": AUTO}, choices={"offsets": UNITS}, help=_OFFSETS_HELP,
        ),
        # Before the other JSON.
        Format(
            "bioc",
            "BioC, XML or JSON: passages with annotations (infons type and identifier) and relations of two",
            '{"documents": [{"id": "7", "infons": {}, "passages": [{"offset": 0, "text": "Fever", "annotations": [\n'
            '{"id": "1", "infons": {"type": "Disease", "identifier": "D005334"}, "text": "Fever", '
            '"locations": [{"offset": 0, "length": 5}]}]}]}]}',
            biomedical.looks_bioc, biomedical.read_bioc, in_documents=True, decide=biomedical.decide_bioc,
            parameters={"offsets": AUTO}, choices={"offsets": UNITS}, help=_OFFSETS_HELP, begins=("<", "{", "["),
        ),
        Format(
            "mrp",
            "MRP, a graph per line of JSON, of flavor 0 (dm, psd, pas): nodes are words by their characters",
            '{"id": "1", "flavor": 0, "input": "It ended", "tops": [1], "nodes": [{"id": 0, "anchors": [{"from": 0, '
            '"to": 2}]}, {"id": 1, "anchors": [{"from": 3, "to": 8}]}], "edges": [{"source": 1, "target": 0, '
            '"label": "ARG1"}]}',
            graphs.looks_mrp, graphs.read_mrp, ("arcs",), graphs.MRP_LABELS, empty="_", begins=("{",),
        ),
        # Before DyGIE, whose documents have events by sentence.
        Format(
            events.FORMAT,
            "events, JSON, a sentence or document per line: OneIE, TextEE, WikiEvents, MAVEN (triggers only)",
            events.EXAMPLE,
            events.looks_events, events.read_events, decide=events.decide_events, begins=("{",),
        ),
        # Before clusters, which these may have too.
        Format(
            "dygie",
            "DyGIE, SciERC: JSON, a document per line; spans (first and last word, from 0) and relations by sentence",
            '{"doc_key": "d1", "sentences": [["Ann", "left", "Rome"]], "ner": [[[0, 0, "PER"], [2, 2, "LOC"]]], '
            '"relations": [[[0, 0, 2, 2, "left"]]]}',
            extraction.looks_dygie, extraction.read_dygie, decide=extraction.decide_dygie, begins=("{",),
            parameters={"which": "auto"}, choices={"which": extraction.WHICH},
            help="which: gold or predicted, if a file has ner and predicted_ner; files without predictions are "
            "read as they are",
            which={whose.ANNOTATIONS: extraction.WHICH[1], whose.PREDICTIONS: extraction.WHICH[2]},
        ),
        Format(
            "docred",
            "DocRED: JSON, documents with entities (all their mentions) and facts, or facts about gold's entities",
            '[{"title": "d1", "sents": [["Ann", "left", "Rome"]], "vertexSet": [[{"pos": [0, 1], "sent_id": 0, '
            '"type": "PER"}], [{"pos": [2, 3], "sent_id": 0, "type": "LOC"}]], '
            '"labels": [{"h": 0, "t": 1, "r": "left"}]}]',
            extraction.looks_docred, extraction.read_docred, ("spans", "relations"), begins=("{", "["),
            parameters={"gold": ""},
            help='gold: the file with the entities that facts {"title", "h_idx", "t_idx", "r"} are about',
        ),
        Format(
            "biojson",
            "JSON, a sentence per line with words and, for each predicate, tags of its arguments (B-ARG0, B-V, O)",
            '{"words": ["She", "left"], "verbs": [{"verb": "left", "tags": ["B-ARG0", "B-V"]}]}\n'
            '{"words": ["It", "ended"], "predicate": 1, "tags": ["B-ARG1", "O"]}',
            biojson.looks_biojson, biojson.read_biojson, on_request=(columns.ROLES,), begins=("{", "["),
            parameters={"scheme": "auto", "repair": "none"},
            help="scheme: that of the tags, e.g. bioes (auto: as they look); repair: conlleval or discard, for tags "
            "that break it",
        ),
        Format(
            "text2text",
            "text, a document per line: tags of chains after words; ## is an empty node, after its parent",
            "Los|[e1 jugadores de el Espanyol|[e2],e1] aseguraron que prefieren ##|[e1] enfrentar se a el Barcelona",
            chains.looks_text2text, chains.read_text2text, ("mentions",), parameters={"broken": "error"},
            choices=_BROKEN,
            help="broken: drop leaves out brackets without their other half",
        ),
        Format(
            "clusters",
            "JSON, a document per line with its sentences and clusters of mentions: first and last word, from 0",
            '{"doc_key": "d1", "sentences": [["She", "left", "."]], "clusters": [[[0, 0]]]}',
            chains.looks_clusters, chains.read_clusters, ("mentions",),
            decide=lambda head, *_: {"labels": chains.cluster_labels(head)}, begins=("{",),
            parameters={"end": "inclusive", "which": "auto"}, choices={"end": chains.ENDS, "which": chains.WHICH},
            help="end: exclusive if the last word given does not belong to the mention; which: clusters or "
            "predicted_clusters, if a file has both",
            which={whose.ANNOTATIONS: chains.GOLD, whose.PREDICTIONS: chains.PREDICTED},
        ),
        Format(
            "rels",
            "discourse relations (DISRPT): a pair of units per row, with its label",
            "doc\tunit1_toks\tunit2_toks\tunit1_txt\tunit2_txt\tdir\torig_label\tlabel\n"
            "d1\t1-3\t4-6\tIt rained .\tWe stayed .\t1>2\tcause\tcausal",
            logs.looks_rels, logs.read_rels, ("items",), labels=("label",), has_words=False,
        ),
        Format(
            "senses",
            "keys of senses: an id and its keys, of which any of gold's is right and a system's first one counts",
            "d0.s0.t0 bank%1:14:00::\nd0.s0.t1 run%2:38:00:: run%2:38:04::",
            logs.looks_senses, logs.read_senses, ("items",), labels=("label",), has_words=False,
        ),
        Format(
            logs.LM_EVAL,
            "samples of lm-evaluation-harness, JSON by line: answers, targets and scores",
            '{"doc_id": 0, "doc": {}, "target": "1", "filtered_resps": [["-1.5", "False"], ["-0.5", "False"]], '
            '"metrics": ["acc"], "acc": 1.0}',
            logs.looks_lm_eval, logs.read_lm_eval, ("items",), labels=("label",), has_words=False, begins=("{",),
            parameters={"filter": ""}, help="filter: whose answers to read, if there are several", holds_gold=True,
        ),
        Format(
            logs.INSPECT,
            "logs of Inspect, .json or .eval: answers, targets and scores of samples",
            '{"version": 2, "eval": {"run_id": "r", "task_id": "t"}, "samples": [{"id": 1, "epoch": 1, "input": "?", '
            '"target": "Yes", "scores": {"match": {"value": "C", "answer": "Yes"}}}]}',
            logs.looks_inspect, logs.read_inspect, ("items",), labels=("label",), has_words=False,
            begins=("{", ZIP), holds_gold=True,
        ),
        # Before any other JSON.
        Format(
            records.FORMAT,
            "records, JSON by line or a folder of ID.json: an object with fields, or a model's answer that has one",
            records.EXAMPLE,
            records.looks_records, records.read_records, labels=records.LABELS, has_words=False, in_documents=True,
            begins=("{", "["), parameters=records.PARAMETERS, help="record: the key of the record in each line",
        ),
        Format(
            "jsonl",
            "JSON, a document per line or a list (SpERT): spans of characters or of given tokens, relations, links",
            '{"id": "d1", "text": "Angela Merkel spoke", "spans": [{"start": 0, "end": 13, "label": "PER"}]}\n'
            '{"id": "d2", "text": "She left Rome", "label": [[9, 13, "LOC"]]}',
            jsondocs.looks_json, jsondocs.read_json, in_documents=True, decide=rows.decide_json,
            parameters={"find": False, "trim": False, "offsets": AUTO, "names": "", "text": ""},
            choices={"offsets": UNITS},
            help="find: look for mentions that have no offsets; trim: take white space off the ends of spans; "
            "text: the key of the text among the data of a task, if there are several; "
            f"{_NAMES_HELP}; {_OFFSETS_HELP}",
            names_annotators=True, names_layers=True,
        ),
        Format(
            "parquet",
            "Parquet and Arrow, which need pyarrow: rows of words with lists of labels, as data sets of Hugging Face",
            "tokens: list<string>, ner_tags: list<int64>",
            rows.looks_table, rows.read_rows, in_documents=True, decide=rows.decide_table, begins=TABLES,
            parameters={"names": ""}, help=_NAMES_HELP,
        ),
        Format(
            "docbin",
            "spaCy's DocBin (.spacy), which needs spaCy: texts with entities (--column ents) or a group of "
            "spans (--column spans:KEY)",
            'DocBin(docs=docs).to_disk("gold.spacy")',
            docbin.looks_docbin, docbin.read_docbin, ("spans",), in_documents=True, begins=(DOCBIN,),
            names_layers=True,
        ),
        # Never told by its look: answers are JSON, or any text.
        Format(
            "answers",
            "answers of language models about gold's texts, JSON by line or a folder of ID.txt: labelled spans",
            '{"id": "d1", "answer": "[{\\"text\\": \\"Angela Merkel\\", \\"label\\": \\"PER\\"}]"}\n'
            '{"id": "d2", "answer": "She left <LOC>Rome</LOC>"}',
            None, answers.read_answers, ("spans",), has_words=False,
            decide=answers.decide_answers, parameters=answers.PARAMETERS,
            help=answers.PARAMETER_HELP,
            of_systems=True,
        ),
        Format(
            "predictions",
            "GLiNER's predictions, JSON: a list of spans for each of gold's texts, in their order",
            '[[{"start": 0, "end": 13, "text": "Angela Merkel", "label": "PER", "score": 0.9}], []]',
            answers.looks_predictions, answers.read_predictions, ("spans",), has_words=False, begins=("[",),
            of_systems=True,
        ),
        Format(
            "tsv",
            "tab-separated columns, blank line or <s> between sentences",
            "The\tDT\nend\tNN\n",
            lambda head: any("\t" in line for line in head if line.strip() and not columns.is_comment(line, False)),
            columns.read_columns,
            decide=partial(columns.table_layout, separator="\t", format="tsv"),
            parameters=_TABLE,
            help="word: the column of the word, by number or name; header: whether the first line names the columns; "
            "auto: as the first lines show; comments: all lines with # and a space are comments (true), lines with "
            "all columns are words (false), or only # key = value and # id X before a sentence are comments (auto)",
        ),
        Format(
            "slash",
            "word/TAG, one sentence per line; the last separator counts, \\/ is a slash",
            "The/DT end/NN ./.",
            columns.looks_slashed, columns.read_slashed, labels=("label",),
            parameters={"separator": "/"},
            help="separator: the character between word and tag",
        ),
        Format(
            "conll",
            "CoNLL-2000/2003: columns separated by spaces, tag last, blank line between sentences, -DOCSTART-",
            "-DOCSTART- -X- O\n\nThe DT O\nend NN O",
            _looks_conll, columns.read_columns,
            decide=partial(columns.table_layout, separator=None, format="conll"),
            parameters=_TABLE,
            help="word, header, comments: as for tsv",
        ),
        # Never told by its look: see `items.shows_items`.
        Format(
            items.FORMAT,
            "a row per item, such as a review, a question or a pair of sentences, with its label: CSV, tab-separated "
            "columns, JSON or Parquet",
            "id,text,label\nr1,A fine film .,pos\nr2,Dull and long .,neg",
            None, items.read_items, ("items",), labels=("label",), has_words=False, decide=items.decide_items,
            parameters=items.PARAMETERS, help=items.PARAMETER_HELP,
        ),
        Format(
            ratings.FORMAT,
            "one table for all annotators (assay agreement): CSV or TSV with a header, a rating per line (long) or "
            "an item per line and a column per annotator (wide); or JSON {annotator: {item: label}}",
            "item,annotator,label\nd1,anna,yes\nd1,ben,no",
            None, ratings.read_ratings, decide=_decide_ratings, parameters=ratings.PARAMETERS,
            help="item, annotator, label: names of the columns; layout: long or wide, if the header does not "
            "show it; missing: another mark of missing ratings, in addition to empty cells, NA, nan and null; "
            "sets: divides a "
            "cell into several labels; order: of labels, e.g. low<middle<high",
        ),
    )
}


def named_format(name: str) -> Format:
    """The format of this name, assay's own or that of an installed package."""
    form: Format | None = FORMATS.get(name) or plugins.load("formats", name)
    if form is None:
        raise unknown("format", name, FORMATS, _USUAL, "assay formats")
    return form


def plan(
    head: Sequence[str], path: str, input_format: str | None, wanted: Sequence[str], asked: Asked | None = None
) -> Format:
    """The format of a file, asked for or shown by its first lines, with all that these decide."""
    given: dict[str, str] = {}
    if input_format is not None:
        name, given = specs.parse(input_format, "format")
        form: Format | None = named_format(name)
    elif path.endswith(ANNOTATIONS):
        # It may be empty, so that only its name shows what it is.
        form = FORMATS["brat"]
    elif not (text := "\n".join(head).lstrip()):
        raise InputError(f"{path}: contains no words. Did the program that writes it stop with an error?")
    elif asked is not None and asked.items:
        if columns.looks_conllu(head):
            raise InputError(f"{path}: contains words in columns (conllu), but gold has one row per item. Give a "
            f"table of items.")
        of_items = (form for form in FORMATS.values() if items.FORMAT in form.layers)
        form = next((form for form in of_items if form.looks and form.looks(head)), FORMATS[items.FORMAT])
        form = FORMATS["senses"] if path.endswith((".key", ".key.txt")) else form
    else:

        def recognise(forms: Iterable[Format]) -> Format | None:
            likely = (form for form in forms if text.startswith(form.begins))
            return next((form for form in likely if form.looks is not None and form.looks(head)), None)

        form = recognise(FORMATS.values())
        if path.endswith((".key", ".key.txt")) and (form is None or form.name in ("tsv", "conll")):
            form = FORMATS["senses"]
        if asked is not None and asked.items is None and (form is None or form.name in ("tsv", "conll", "jsonl")):
            # A table or JSON may be of words, of documents or of items.
            name = form.name if form else ""
            shown, single = items.shows_items(head, path, name, is_gold=asked.name == "gold")
            if shown and form is None and not items.names_columns(head):
                # It may be of a format of an installed package.
                form = recognise(plugins.load_all("formats").values()) or FORMATS[items.FORMAT]
            else:
                form = FORMATS[items.FORMAT] if shown else form and replace(form, single=single)
        # To look for installed packages takes time, so it comes last.
        form = form or recognise(plugins.load_all("formats").values())
        if form is None or form.name in ("slash", "conll", "tsv", items.FORMAT):
            foreign.refuse_foreign(text, path, "" if form is None else form.name)
        if form is None or form.name == "conll":
            foreign.refuse_prose(head, path, in_columns=form is not None)
    if form is None and items.is_csv_of_words(head):
        raise InputError(
            f"{path}: contains words, but its columns are separated by commas. Save it with tabs, and with an empty "
            f"line after each sentence; if each row is an item: --task items"
        )
    if form is None:
        raise InputError(
            f"{path}: unknown format.{foreign.name_tables(head)} `assay formats` lists the known ones; name it "
            'with --input-format, e.g. --input-format conll or "tsv(word=2)"; for a label per line, or a row per '
            "item: --task items."
        )
    parameters = specs.convert_parameters(f"format {form.name}", given, form.parameters)
    asked = asked or Asked()
    who, said = asked.which, parameters.get("which", "auto")
    if who and not form.names_annotators and (who != whose.ANNOTATIONS or form.which):
        # The layer that --which names, where the format tells people from models so.
        if who not in form.which:
            none = f"{form.name} has no names of annotators."
            there = f"Choose: {asked.choice(form.which)}" if form.which else none
            raise UsageError(f"{asked.spell(who)}: not in {path}. {there}")
        if said not in ("auto", form.which[who]):
            raise UsageError(f"{asked.spell(who)} and which={said} of --input-format contradict each other. Remove "
            f"one of them.")
        parameters = {**parameters, "which": form.which[who]}
    for parameter, values in form.choices.items():
        check_choice(parameter, parameters[parameter], values)
    decided = form.decide(head, path, parameters, wanted)
    fields: dict[str, Any] = {"layout": decided} if isinstance(decided, columns.Layout) else dict(decided)
    layout = fields.get("layout", form.layout)
    if layout is None:
        fields = {"labels": form.labels, "read": partial(form.read, **parameters), **fields}
        return replace(form, path=path, head=head, **{"filled": fields["labels"], **fields})
    columns.check_width(layout.width, path)
    table = replace(
        form,
        read=partial(form.read, layout=layout),
        path=path,
        head=head,
        layout=layout,
        labels=layout.labels(),
        empty=layout.empty,
        word_per_line=True,
        has_words=layout.word > 0 or not layout.ids,
    )
    empty = {"_", ""} if layout.empty is None else {layout.empty}
    unfilled = {name: layout.index(name, path) for name in table.labels}
    # Most columns are filled in the first line.
    for row in table.rows():
        unfilled = {name: at for name, at in unfilled.items() if at >= len(row) or row[at] in empty}
        if not unfilled:
            break
    return replace(table, filled=tuple(name for name in table.labels if name not in unfilled))


# --- files ---


@dataclass(frozen=True)
class Files:
    """Some of the files that a folder or a pattern stands for."""

    path: str
    """The folder, as the user names it."""
    files: tuple[str, ...]
    piece: Piece | None = None
    """The piece that is read, if this is one large file."""


class Input:
    """The files that a path stands for, one or more; their format is known, and nothing is read yet."""

    def __init__(
        self,
        given: str | Files,
        *,
        input_format: str | None = None,
        name: str | None = None,
        wanted: Sequence[str] = (),
        asked: Asked | None = None,
    ) -> None:
        self.path = path = given.path if isinstance(given, Files) else given
        self.name = name or path
        self.files = list(given.files) if isinstance(given, Files) else list_files(path)
        self.digests: tuple[str, ...] = ()
        """The checksums of the files, when they have been read."""
        self.kept: Corpus | None = None
        """What was read, if a task needs it before its turn."""
        self.folder = find_folder(path)
        self.piece = given.piece if isinstance(given, Files) else None
        self._asked = asked or Asked()
        self._chosen: ChosenFiles | None = None
        """The files that are read, if annotators have files of their own."""
        if self.folder is not None and not isinstance(given, Files):
            self._chosen = choose_files(self.folder, self.files, self._asked)
        if self._chosen is not None:
            self.files = [*self._chosen.documents]
            self._asked = asked = replace(self._asked, which="")
        self._source: Source | None = self._open(self.files[0])
        """The first file, whose first lines were looked at; standard input and pipes cannot be opened twice."""
        self._input_format = input_format
        self._wanted = wanted
        self.builder: Builder | None = None
        """What was counted in reading, if it is asked what the files contain."""
        self.plan = plan(self._source.head(), self._source.path, input_format, wanted, asked)
        is_open = input_format is None and self.plan.name == "jsonl"
        if is_open and self.folder is not None and records.plain_keys(self._source.head()):
            # A folder of ID.json, each a record; without a text nothing else is read from such files.
            self.choose_format(records.FORMAT)

    def _open(self, file: str) -> Source:
        document = self._chosen.documents.get(file, "") if self._chosen else ""
        return Source(file, self.folder, document, self.piece)

    def choose_format(self, input_format: str) -> None:
        """Plan to read it in another format, or with other parameters; nothing of it has been read."""
        assert self._source is not None
        self._input_format = input_format
        self.plan = plan(self._source.head(), self._source.path, input_format, self._wanted, self._asked)

    def read(self, columns: Sequence[str] | None = None, *, tolerant: bool = False) -> Corpus:
        """The corpus with these label columns, by name or number; without, with all of them.

        If it is `tolerant`, sentences with faulty trees have no parse.
        """
        names = self.plan.labels if columns is None else tuple(dict.fromkeys(map(self.plan.resolve, columns)))
        # Other formats have it as a parameter.
        asked = self._asked if self.plan.names_annotators else replace(self._asked, which="")
        builder = Builder(names, tolerant=tolerant, asked=asked)
        self.builder = builder if asked.surveys else None
        if self._chosen is not None:
            builder.whose = self._chosen.whose
            if not asked.surveys:
                builder.check_choices(self.path, len(self._chosen.documents))
        like_first = replace(self._asked, items=contains_items(self))
        wanted = self._wanted if like_first.items else names
        digests = []
        for number, file in enumerate(self.files):
            source = self._source or self._open(file)
            self._source, chosen = None, self.plan
            if number:
                chosen = plan(source.head(), source.path, self._input_format, wanted, like_first)
            if chosen.name != self.plan.name:
                raise InputError(
                    f"{source.path}: looks like {chosen.name}, but {self.files[0]} looks like {self.plan.name}. "
                    "Name it with --input-format."
                )
            if chosen.words != self.plan.words:
                raise InputError(
                    f"{source.path}: words seem to be in column {chosen.words}, but {self.files[0]} has them in "
                    f'column {self.plan.words}. Give their column, e.g. --input-format "{chosen.name}(word=2)".'
                )
            try:
                builder.begin_file(source.path)
                chosen.read(source, builder)
                builder.end_file()
            finally:
                source.close()
            digests.append(source.sha256)
        self.digests = tuple(digests)
        if self._chosen is not None:
            self._chosen.count_others(builder)
        corpus = builder.corpus(self.name, joint_digest(digests), self.plan)
        return corpus if self.piece is None else _place_piece(corpus, self.piece)


def _place_piece(corpus: Corpus, piece: Piece) -> Corpus:
    """The corpus of a piece of a file, whose sentences are counted from the beginning of the file."""
    numbers = corpus.sentences, corpus.documents
    if corpus.format not in IN_PIECES or numbers != (piece.sentences, piece.documents):
        raise UsageError(f"{corpus.name}: cannot be read in pieces.")
    return replace(corpus, files=((corpus.files[0][0], -piece.first),))


def has_items(name: str) -> bool:
    """True if files of this format have a row for each item."""
    return name in FORMATS and items.FORMAT in FORMATS[name].layers


def contains_items(item: Input | Corpus) -> bool:
    """True if a file has a row for each item, not words."""
    return items.FORMAT in item.plan.layers if isinstance(item, Input) else item.layer(ItemTable) is not None


def contains_records(item: Input | Corpus) -> bool:
    """True if a file has records."""
    return records.RECORD in (item.plan.labels if isinstance(item, Input) else item.columns)


def joint_digest(digests: Sequence[str]) -> str:
    """The checksum of several files together."""
    return digests[0] if len(digests) == 1 else hashlib.sha256("\n".join(digests).encode()).hexdigest()


@explicit
def read(
    path: str | PathLike[str],
    *,
    columns: Sequence[str] | None = None,
    input_format: str | None = None,
    which: str | None = None,
    column: str | None = None,
    repair: str | None = None,
) -> Corpus:
    """Read a file, a folder, a glob pattern or `-` (standard input) into a Corpus.

    `columns` are the label columns wanted, by name or number; by default, all of them. The format
    is recognised by the first lines, or given as on the command line: `input_format="tsv(word=2)"`. `which` names an
    annotator or a model if the file contains several, and `column` a layer; `repair` is mend or drop for faulty
    annotations. `assay.describe` says what a file contains.
    """
    asked = Asked(which=which or "", repair=check_repair(repair or ""), column=column or "")
    wanted = columns or ((column,) if column else ())
    source = Input(fspath(path), input_format=input_format, wanted=wanted, asked=asked)
    # What is no layer is a column of labels.
    return source.read(wanted if column and source.plan.labels else columns)


def from_records(given: Sequence[Any], name: str = "data", schema: Any = None) -> Corpus:
    """A corpus of records from data; `schema` is a JSON Schema as a dict, or a class of pydantic."""
    builder = Builder(records.LABELS)
    text = records.read_data(given, name, builder)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    corpus = builder.corpus(name, digest, replace(plan([], name, records.FORMAT, ()), name="lists"))
    if schema is None:
        return corpus
    known = schema.model_json_schema() if hasattr(schema, "model_json_schema") else schema
    return corpus.with_layer(records.GivenSchema(known))


def from_documents(
    documents: Sequence[Any], name: str = "data", asked: Asked | None = None, names: rows.Names | None = None
) -> Corpus:
    """A corpus from documents as dicts, as in JSON (`jsonl`); `names` are those of labels that are numbers."""
    form = replace(plan([], name, "jsonl", ()), name="lists")
    form = replace(form, **rows.decide_rows(documents[: SHOWN], name, names or {}))
    builder = Builder(form.labels, asked=asked)
    read = rows.row_reader(names or {}, form.labels) if form.labels else None
    text = jsondocs.read_dicts(documents, name, builder, read)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return builder.corpus(name, digest, form)


def refuse_plain(item: Input) -> None:
    """Refuse JSON that has no key of annotated texts, such as settings."""
    if item.plan.name == "jsonl" and (keys := records.plain_keys(item.plan.head)):
        raise InputError(
            f"{item.path}: this JSON contains no texts or labels{foreign.name_keys(keys)}. Give the file with the "
            "annotations; if each object is a record: --task records"
        )


def choose_column(inputs: Sequence[Input]) -> str:
    """The column to compare if the user names none: the first usual one that every file fills."""
    for item in inputs:
        if "spans" in item.plan.layers:
            refuse_plain(item)
            raise InputError(
                f"{item.path}: contains spans ({item.plan.name}), not words with labels. Try --task spans"
            )
        if not item.plan.labels:
            raise InputError(f"{item.path}: has only a column of words, so there are no labels to compare.")
    named = [item for item in inputs if len(item.plan.labels) > 1]
    candidates = [name for name in _PREFERRED if named and all(name in item.plan.labels for item in named)]
    for name in candidates:
        if all(name in item.plan.filled for item in named):
            return name
    if candidates:
        fills = {item: [name for name in item.plan.filled if name not in _NOT_LABELS] for item in named}
        described = "; ".join(f"{item.name} fills {', '.join(filled) or 'none'}" for item, filled in fills.items())
        spans = " Spans: --column MISC:Entity, or MISC:NER and the like." if "MISC" in named[0].plan.filled else ""
        raise UsageError(f"no column is filled in all files: {described}. Choose one with --column.{spans}")
    if not named:
        return _default(inputs[0])
    last = {_default(item) for item in named}
    if len(last) > 1:
        raise UsageError(
            f"the files have different columns ({', '.join(sorted(last))} at the end). Choose one with --column."
        )
    return last.pop()


def refuse_several(plan: Format) -> None:
    """Refuse rows of words that have several lists of labels, if none of these is asked for."""
    if len(plan.cells) > 1:
        raise InputError(
            f"{plan.path}: {', '.join(plan.cells)} have a label for each word. Which of them? --column "
            f"{next(reversed([*plan.cells]))}"
        )


def _default(item: Input) -> str:
    """The last label column; in a table the only one that is filled, and that can contain labels."""
    plan = item.plan
    refuse_several(plan)
    if not plan.words:
        return plan.labels[-1]
    if len(plan.filled) > 1:
        shown = ", ".join(plan.filled)
        raise InputError(
            f"{item.path}: with words in column {plan.words}, labels may be in {shown}. Choose one: --column "
            f"{plan.filled[-1]}, or another of them."
        )
    column = plan.filled[0] if plan.filled else plan.labels[-1]
    labels, words = plan.values(column), plan.values(plan.words)
    if len(words) >= _ENOUGH and len(set(labels)) > len(set(words)):
        raise InputError(
            f"{item.path}: column {column} has more different values than column {plan.words}, so these do "
            f'not look like labels and words. Name both: --column {column} --input-format "{plan.name}(word='
            f'{plan.words})", or the other way round.'
        )
    return column


# --- labels: a column, two columns joined, a key of MISC, sets of tags ---


def read_labels(item: Input | Corpus, columns: Sequence[str]) -> Corpus:
    """The corpus with these label columns, under these names."""
    if isinstance(item, Corpus):
        combined = {
            name: _column_of(item, name, partial(name_in, item)) for name in columns if name not in item.columns
        }
        return replace(item, columns={**item.columns, **combined}) if combined else item
    parts = [part.partition(":")[0] for name in columns for part in name.split("+")]
    corpus = item.read(list(dict.fromkeys(parts)))
    # A file may call the column otherwise (a number, the only label of two columns); gold's name counts.
    return replace(corpus, columns={name: _column_of(corpus, name, item.plan.resolve) for name in columns})


def name_in(corpus: Corpus, name: str) -> str:
    """The name of a column in a corpus: as asked for, or the only other name for the same, as tag for XPOS."""
    if name in corpus.columns:
        return name
    usual = columns.ALIASES.get(name.upper(), name.upper())
    same = [other for other in corpus.columns if columns.ALIASES.get(other.upper(), other.upper()) == usual]
    return same[0] if len(same) == 1 else name


def _column_of(corpus: Corpus, name: str, resolve: Callable[[str], str]) -> Column:
    """A column; `UPOS+FEATS` joins two by a space, `MISC:Key` is the value of a key among `Key=value|…`."""
    parts = []
    for part in name.split("+"):
        base, colon, key = part.partition(":")
        column = corpus.column(resolve(base))
        if colon:
            values = {}
            for text in column.vocabulary:
                # Of a key that appears twice the first value counts.
                pairs = (pair.partition("=") for pair in text.split("|"))
                values[text] = next((value for own, _, value in pairs if own == key), "_")
            column = column.mapped(values)
        parts.append(column.sorted_within("|") if base == "FEATS" else column)
    if len(parts) == 1:
        return parts[0]
    return Column.of(" ".join(strings) for strings in zip(*(part.strings() for part in parts), strict=True))


def split_tag_sets(corpus: Corpus, separator: str | None) -> Corpus:
    """The corpus with `A,B` read as the set of the tags A and B, in any order."""
    if separator is None:
        return corpus
    columns = {
        name: column.mapped(
            {text: SEVERAL.join(sorted(set(filter(None, text.split(separator))))) for text in column.vocabulary}
        )
        for name, column in corpus.columns.items()
    }
    return replace(corpus, columns=columns)
