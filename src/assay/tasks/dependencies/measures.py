"""Dependency trees: heads and relations, as in the CoNLL shared tasks; the tokenisation may differ from gold's."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Bools, Ints, as_codes
from assay.classes import dataclass
from assay.corpus import Corpus, one_vocabulary
from assay.engine.counts import Counts, by_label, tally_whole_sentences
from assay.engine.items import Items, judge_words, words_of
from assay.engine.measure import FOUND, FOUND_WORDS, OVER_LABELS, Proportion, measure
from assay.engine.spanpairs import match_segments
from assay.engine.treebanks import ELSEWHERE, MISSING, ROOT, listed_punctuation, universal_features
from assay.errors import unknown

PUNCTUATION = ("all", "no-punct-relation", "no-punct-char")
OF = ("las", "uas", "ls")
RELATION = "relation"
"""Column of relations without subtypes; DEPREL has them with subtypes."""

# The lists of the CoNLL 2018 shared task.
CONTENT = frozenset(
    {
        *("nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl"),
        *("advmod", "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound"),
        *("list", "parataxis", "orphan", "goeswith", "reparandum", "root", "dep"),
    }
)
FUNCTION = frozenset({"aux", "cop", "mark", "det", "clf", "case", "cc"})


@dataclass(frozen=True, eq=False)
class _Arcs:
    """Words of a pair with their arcs."""

    judged: Items
    head_right: Bools
    label_right: Bools
    gold_word: Ints
    """Gold word of each row, NONE for a word that only the system has."""
    system_word: Ints
    """System word of each row, NONE for a word that only gold has."""

    def with_right(self, right: Bools, *, heads: bool = True, labels: bool = True) -> Items:
        """Items under a criterion; `heads` and `labels`: whether they are part of an answer.

        Two answers with equal parts still differ if a measure asks for more (a lemma) and only one is right.
        """
        judged = self.judged.judged(right)
        if not heads:
            return replace(judged, target=None)
        return replace(judged, same=("answer", "target", "right") if labels else ("target", "right"))


def _judge_arcs(pair: Pair, subtypes: bool = False, punctuation: str = "all", case: bool = True) -> _Arcs:
    listed = listed_punctuation(punctuation)
    if punctuation not in PUNCTUATION and listed is None:
        raise unknown("punctuation setting", punctuation, (*PUNCTUATION, "UPOS:PUNCT+SYM", "DEPREL:punct+p"))
    gold, system = pair.gold, pair.system
    assert gold.heads is not None and system.heads is not None
    judged = judge_words(pair, "DEPREL" if subtypes else RELATION)
    if not case:
        labels: dict[str, int] = {}
        codes = np.append(as_codes((label.lower() for label in judged.labels), labels), NONE)
        expected, answer = codes[judged.gold], codes[judged.answer]
        judged = replace(judged, gold=expected, answer=answer, right=expected == answer, labels=tuple(labels))
    in_gold = np.full(len(system) + 1, ELSEWHERE)
    in_gold[pair.system_words] = pair.gold_words
    in_gold[ROOT] = ROOT
    gold_word, system_word = words_of(pair, judged)
    has_gold, has_system = gold_word != NONE, system_word != NONE
    heads = np.where(has_system, in_gold[system.heads[np.where(has_system, system_word, 0)]], MISSING)
    head_right = has_gold & has_system & (heads == gold.heads[np.where(has_gold, gold_word, 0)])
    label_right = judged.gold == judged.answer[0]
    judged = replace(judged, target=heads[None])
    if punctuation != "all":
        # Gold decides what is punctuation, or the system for words that gold does not have.
        out = np.empty(len(judged), dtype=bool)
        out[has_gold] = is_punctuation(gold, punctuation)[gold_word[has_gold]]
        out[~has_gold] = is_punctuation(system, punctuation)[system_word[~has_gold]]
        judged = replace(judged, selected=True, has_gold=judged.has_gold & ~out, has_system=judged.has_system & ~out)
    return _Arcs(judged, head_right, label_right, gold_word, system_word)


def is_punctuation(corpus: Corpus, setting: str) -> Bools:
    """Mask of the words that are left out as punctuation."""
    listed = listed_punctuation(setting)
    if listed is not None:
        column, values = corpus.column(listed[0]), set(listed[1])
        relation = listed[0] == "DEPREL"
        return column.isin(
            text for text in column.vocabulary if text in values or (relation and text.partition(":")[0] in values)
        )
    if setting == "no-punct-relation":
        return corpus.column(RELATION).isin(["punct"])
    forms = corpus.forms
    marks = [bool(form) and all(unicodedata.category(c)[0] == "P" for c in form) for form in forms.vocabulary]
    return np.array(marks, dtype=bool)[forms.codes]


@measure("uas", papers=("buchholz2006",), scores=FOUND_WORDS, main="f1", task="dependencies")
def uas(pair: Pair, *, punctuation: str = "all") -> Items:
    """Unlabelled attachment: words with the head that gold has.

    punctuation: `all` words count (CoNLL 2018); `no-punct-relation`: without gold's relation punct (ComparEval);
        `no-punct-char`: without words that consist of punctuation (CoNLL-X); a column and its labels
        (`UPOS:PUNCT+SYM`, `DEPREL:punct+p`; `comma` stands for a comma): without words that have one of them.
        Gold decides which words these are, or the system for words that gold does not have.
    Counts: right, gold, system (words), aligned (words with a counterpart).
    Score: as for accuracy; with equal tokenisation precision, recall and f1 are one number.
    Paper: Tuggener 2017, Table 5. Peers: conll18_ud_eval, udtools.
    """
    arcs = _judge_arcs(pair, punctuation=punctuation)
    return arcs.with_right(arcs.head_right, labels=False)


@measure("las", papers=("buchholz2006",), scores=FOUND_WORDS, main="f1", task="dependencies")
def las(pair: Pair, *, subtypes: bool = False, punctuation: str = "all", case: bool = True) -> Items:
    """Labelled attachment: words with the head and the relation that gold has.

    subtypes: whether relations are compared with their subtypes (nsubj:pass); in CoNLL 2018 they are not.
    punctuation: as for uas.
    case: whether NSUBJ and nsubj are two relations; in ComparEval they are one.
    Counts and Score: as for uas.
    Paper: Tuggener 2017, Tables 5, 6 and 10. Peers: conll18_ud_eval.
    """
    arcs = _judge_arcs(pair, subtypes, punctuation, case)
    return arcs.with_right(arcs.head_right & arcs.label_right)


@measure("ls", papers=("buchholz2006",), scores=FOUND_WORDS, main="f1", task="dependencies")
def ls(pair: Pair, *, subtypes: bool = False, punctuation: str = "all", case: bool = True) -> Items:
    """Label score: words with the relation that gold has, with any head.

    subtypes, punctuation, case: as for las.
    Counts and Score: as for uas.
    Paper: Tuggener 2017, Table 5.
    """
    arcs = _judge_arcs(pair, subtypes, punctuation, case)
    return arcs.with_right(arcs.label_right, heads=False)


def _content(pair: Pair) -> tuple[_Arcs, Bools]:
    """Arcs counted only for content words, and a mask of the right ones."""
    arcs = _judge_arcs(pair)
    judged = arcs.judged
    is_content = np.array([label in CONTENT for label in judged.labels] + [False])
    has_gold, has_system = is_content[judged.gold] & judged.has_gold, is_content[judged.answer] & judged.has_system
    judged = replace(judged, selected=True, has_gold=has_gold, has_system=has_system)
    return replace(arcs, judged=judged), arcs.head_right & arcs.label_right


@measure("clas", papers=("nivre2017",), scores=FOUND_WORDS, main="f1", task="dependencies")
def clas(pair: Pair) -> Items:
    """Content-word labelled attachment: las over words with a content relation.

    Counts: as for uas, over gold words with a content relation in gold and system words with one in the system.
    Score: as for uas.
    Peers: conll18_ud_eval.
    """
    arcs, right = _content(pair)
    return arcs.with_right(right)


@measure("mlas", papers=("zeman2018",), scores=FOUND_WORDS, main="f1", task="dependencies", columns=("UPOS", "FEATS"))
def mlas(pair: Pair) -> Items:
    """Morphology-aware labelled attachment: clas, and part of speech, universal features and function words right.

    Counts and Score: as for clas; a word is right if its UPOS, its universal features and its dependents with a
        function relation (each with relation, UPOS and universal features) are gold's as well.
    Peers: conll18_ud_eval.
    """
    arcs, right = _content(pair)
    same = _has_same(arcs, pair, "UPOS", str) & _has_same(arcs, pair, "FEATS", universal_features)
    return arcs.with_right(right & same & _has_same_function_words(arcs, pair, same))


@measure("blex", papers=("zeman2018",), scores=FOUND_WORDS, main="f1", task="dependencies", columns=("LEMMA",))
def blex(pair: Pair) -> Items:
    """Bilexical labelled attachment: clas, and the lemma right.

    Counts and Score: as for clas; any lemma is right if gold has none (`_`).
    Peers: conll18_ud_eval.
    """
    arcs, right = _content(pair)
    given = ~pair.gold.column("LEMMA").isin(["_"])[np.where(arcs.gold_word == NONE, 0, arcs.gold_word)]
    return arcs.with_right(right & (_has_same(arcs, pair, "LEMMA", str) | ~given))


def _has_same(arcs: _Arcs, pair: Pair, column: str, form: Callable[[str], str]) -> Bools:
    """Mask of the rows with equal values of a column on both sides, after `form` is applied to both."""
    columns = [corpus.column(column) for corpus in (pair.gold, pair.system)]
    if form is not str:
        columns = [values.mapped({text: form(text) for text in values.vocabulary}) for values in columns]
    _, (gold, system) = one_vocabulary(columns)
    both = (arcs.gold_word != NONE) & (arcs.system_word != NONE)
    rows = np.flatnonzero(both)
    same = np.zeros(len(both), dtype=bool)
    same[rows] = gold[arcs.gold_word[rows]] == system[arcs.system_word[rows]]
    return same


def _has_same_function_words(arcs: _Arcs, pair: Pair, same: Bools) -> Bools:
    """Mask of the rows with gold's function words: equally many, and each found under the same word.

    same: mask of the rows with the right part of speech and features.
    """
    gold, system = pair.gold, pair.system
    assert gold.heads is not None and system.heads is not None
    in_gold, in_system = (
        np.bincount(heads[corpus.column(RELATION).isin(FUNCTION) & (heads != ROOT)], minlength=len(corpus))
        for corpus, heads in ((gold, gold.heads), (system, system.heads))
    )
    # A function word of gold counts as found if its head, relation, part of speech and features are right.
    is_function = np.array([label in FUNCTION for label in arcs.judged.labels] + [False])
    right = arcs.head_right & arcs.label_right & same & is_function[arcs.judged.gold]
    heads = gold.heads[arcs.gold_word[right]]
    in_both = np.bincount(heads[heads != ROOT], minlength=len(gold))
    rows = np.flatnonzero((arcs.gold_word != NONE) & (arcs.system_word != NONE))
    whole = np.zeros(len(same), dtype=bool)
    words = arcs.gold_word[rows]
    whole[rows] = (in_gold[words] == in_system[arcs.system_word[rows]]) & (in_gold[words] == in_both[words])
    return whole


@measure(
    "relation-f1",
    papers=("buchholz2006",),
    scores=FOUND,
    averages=OVER_LABELS,
    main="f1",
    count=by_label,
    tested=("f1", "macro-f1"),
    task="dependencies",
)
def relation_f1(
    pair: Pair, *, of: str = "las", subtypes: bool = False, punctuation: str = "all", case: bool = True
) -> Items:
    """Precision, recall and F1 of each relation, and their averages.

    of: what must be right: `las` (head and relation) or `ls` (relation alone).
    subtypes, punctuation, case: as for las.
    Counts: per relation right, gold, system. Score: as for tag-f1.
    """
    if of not in ("las", "ls"):
        raise unknown("criterion", of, ("las", "ls"))
    criterion = las if of == "las" else ls
    return criterion(pair, subtypes=subtypes, punctuation=punctuation, case=case)


@measure(
    "tree-match",
    papers=("tuggener2017",),
    scores={"value": Proportion("right", "sentences")},
    count=tally_whole_sentences,
    task="dependencies",
)
def tree_match(
    pair: Pair, *, of: str = "las", subtypes: bool = False, punctuation: str = "all", case: bool = True
) -> Items:
    """Gold sentences whose whole tree is right.

    of: `las` (heads and relations), `uas` (heads), `ls` (relations).
    subtypes, punctuation, case: as for las.
    Counts: right, sentences. Score: value = right/sentences; a sentence with other bounds in the system is wrong.
    Paper: Tuggener 2017, Table 5.
    """
    if of not in OF:
        raise unknown("criterion", of, OF)
    arcs = _judge_arcs(pair, subtypes, punctuation, case)
    rights = {"las": arcs.head_right & arcs.label_right, "uas": arcs.head_right, "ls": arcs.label_right}
    judged = arcs.with_right(rights[of])
    return replace(judged, right=judged.right & pair.same_sentences()[judged.sentence])


# --- segmentation ---


def _count_segments(pair: Pair, level: str) -> Counts:
    gold, system, right = match_segments(pair, level)
    sentences = pair.gold.sentences
    columns = [np.bincount(rows, minlength=sentences) for rows in (right, gold, system, right)]
    return Counts(("right", "gold", "system", "aligned"), sentences, np.arange(sentences), np.stack(columns, axis=1))


@measure("tokens", papers=("zeman2018",), scores=FOUND, main="f1", task="dependencies", characters=True)
def tokens(pair: Pair) -> Counts:
    """Surface tokens that cover the same characters as gold's.

    Counts: right, gold, system (tokens). Score: precision, recall, f1.
    Peers: conll18_ud_eval.
    """
    return _count_segments(pair, "tokens")


@measure("words", papers=("zeman2018",), scores=FOUND, main="f1", task="dependencies")
def words(pair: Pair) -> Counts:
    """Syntactic words that correspond to gold's.

    Counts: right, gold, system (words). Score: precision, recall, f1.
    Peers: conll18_ud_eval.
    """
    return _count_segments(pair, "words")


@measure("sentences", papers=("zeman2018",), scores=FOUND, main="f1", task="dependencies", characters=True)
def sentences(pair: Pair) -> Counts:
    """Sentences that cover the same characters as gold's.

    Counts: right, gold, system (sentences). Score: precision, recall, f1.
    Peers: conll18_ud_eval.
    """
    return _count_segments(pair, "sentences")
