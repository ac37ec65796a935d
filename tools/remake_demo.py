r"""Remake the tagger outputs and the known-words lists of the demo data.

    python tools/remake_demo.py --data ../shared/data

The script reads only the words of ``src/assay/demo/<language>/gold.conllu``; the
taggers are trained on other corpora found under ``--data`` and never see the
annotation of the demo sentences.  It writes ``<tagger>.conllu`` and
``known-words.txt`` next to each gold file.

It needs packages that assay itself does not need.  Give them an environment of
their own (the versions are those the committed outputs were made with):

    python -m venv demo-env
    demo-env/bin/python -m pip install nltk==3.10.4 python-crfsuite==0.9.12 \
        ufal.udpipe==1.4.0.1 HanTa==1.2.1
    demo-env/bin/python tools/remake_demo.py --data ../shared/data

Training corpora, relative to ``--data``:

* English: ``dep-english/gold.conllu`` (UD English-EWT) and
  ``gum-const-dep/dep/*.conllu`` (GUM);
* German: ``pos-german/gold.conllu`` (UD German-GSD) and
  ``pos-german-konvens2019/*/gold.conll`` (two more registers).

HanTa is used as shipped, with the model inside the package; the corpora serve
only to translate its tags.  No tagger draws on a random state that changes from run
to run, so a second run gives the same files.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import pycrfsuite
from HanTa import HanoverTagger
from nltk.tag import AffixTagger, DefaultTagger, TnT
from ufal import udpipe

DEMO = Path(__file__).resolve().parents[1] / "src" / "assay" / "demo"


class Word(NamedTuple):
    """One word with the columns a tagger may predict (``_`` where it does not)."""

    form: str
    lemma: str = "_"
    upos: str = "_"
    xpos: str = "_"


Sentence = list[Word]
Forms = list[str]
Tagger = Callable[[list[Sentence], list[Forms]], list[Sentence]]


# --- reading and writing -------------------------------------------------------------


def read_conllu(path: Path) -> list[Sentence]:
    """Read the words of a CoNLL-U file; multiword ranges and empty nodes are left out."""
    sentences = []
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if line and line[0] != "#"]
        words = [Word(row[1], row[2], row[3], row[4]) for row in rows if row[0].isdigit()]
        if words:
            sentences.append(words)
    return sentences


def write_output(gold: Path, target: Path, tagged: list[Sentence]) -> None:
    """Write predictions in the frame of the gold file: ids, forms, ranges, sentence ids."""
    words = iter([word for sentence in tagged for word in sentence])
    lines = []
    for line in gold.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            if line.startswith(("# newdoc id", "# sent_id")):
                lines.append(line)
        elif line:
            number, form = line.split("\t")[:2]
            word = next(words) if number.isdigit() else Word(form)
            columns = [number, form, word.lemma, word.upos, word.xpos]
            lines.append("\t".join(columns + ["_"] * 5))
        else:
            lines.append("")
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")


# --- training data -------------------------------------------------------------------


class MajorityMap:
    """The most frequent value of a (form, tag) pair, else of the tag, else the tag itself."""

    def __init__(self, triples: Iterable[tuple[str, str, str]]) -> None:
        self._counts: dict[tuple[str, str], Counter[str]] = {}
        for form, tag, value in triples:
            for key in ((form, tag), ("", tag)):
                self._counts.setdefault(key, Counter())[value] += 1

    def __call__(self, form: str, tag: str) -> str:
        """The value seen most often with this form and tag, else with this tag."""
        counts = self._counts.get((form, tag)) or self._counts.get(("", tag))
        return counts.most_common(1)[0][0] if counts else tag


def upos_map(train: list[Sentence]) -> MajorityMap:
    """Map XPOS to UPOS as the training data does it."""
    return MajorityMap((word.form, word.xpos, word.upos) for sent in train for word in sent)


def english_training(data: Path) -> list[Sentence]:
    """UD English-EWT and the GUM documents."""
    paths = [data / "dep-english" / "gold.conllu"]
    paths += sorted((data / "gum-const-dep" / "dep").glob("*.conllu"))
    return [sentence for path in paths for sentence in read_conllu(path)]


CONTRACTIONS = {
    "am": "an dem", "ans": "an das", "aufs": "auf das", "beim": "bei dem", "im": "in dem",
    "ins": "in das", "ums": "um das", "vom": "von dem", "zum": "zu dem", "zur": "zu der",
}  # fmt: skip


def split_contraction(word: Word) -> Sentence:
    """Turn STTS APPRART into the two words UD has, and PIDAT into PIAT."""
    if word.xpos == "APPRART" and word.form.lower() in CONTRACTIONS:
        preposition, article = CONTRACTIONS[word.form.lower()].split()
        if word.form[0].isupper():
            preposition = preposition.capitalize()
        lemma = preposition.lower()
        return [Word(preposition, lemma, "_", "APPR"), Word(article, "der", "_", "ART")]
    return [word._replace(xpos="PIAT") if word.xpos == "PIDAT" else word]


def german_training(data: Path) -> list[Sentence]:
    """UD German-GSD and the KONVENS 2019 texts, which get their UPOS from GSD's usage."""
    train = read_conllu(data / "pos-german" / "gold.conllu")
    to_upos = upos_map(train)
    for path in sorted((data / "pos-german-konvens2019").glob("*/gold.conll")):
        for sentence in read_conllu(path):
            words = [part for word in sentence for part in split_contraction(word)]
            train.append([w._replace(upos=to_upos(w.form, w.xpos)) for w in words])
    return train


# --- taggers -------------------------------------------------------------------------

Column = list[list[tuple[str, str]]]
ColumnTagger = Callable[[Column, list[Forms]], list[list[str]]]


def both_columns(tag_column: ColumnTagger) -> Tagger:
    """Make a tagger of UPOS and XPOS from one that is trained on one column at a time."""

    def tag(train: list[Sentence], sentences: list[Forms]) -> list[Sentence]:
        upos = tag_column([[(w.form, w.upos) for w in s] for s in train], sentences)
        xpos = tag_column([[(w.form, w.xpos) for w in s] for s in train], sentences)
        return [
            [Word(form, "_", u, x) for form, u, x in zip(forms, us, xs, strict=True)]
            for forms, us, xs in zip(sentences, upos, xpos, strict=True)
        ]

    return tag


def tag_tnt(train: Column, sentences: list[Forms]) -> list[list[str]]:
    """NLTK's TnT, with unknown words tagged by their last four or two letters."""
    default = DefaultTagger(Counter(tag for s in train for _, tag in s).most_common(1)[0][0])
    short = AffixTagger(train, affix_length=-2, min_stem_length=1, backoff=default)
    unknown = AffixTagger(train, affix_length=-4, min_stem_length=1, backoff=short)
    tagger = TnT(unk=unknown, Trained=True, N=100)
    tagger.train(train)
    return [[tag for _, tag in tagger.tag(forms)] for forms in sentences]


def word_shape(form: str) -> str:
    """The form with letters and digits replaced by X, x and d, repetitions once."""
    shape = ""
    for char in form:
        kind = "X" if char.isupper() else "x" if char.islower() else char
        kind = "d" if char.isdigit() else kind
        shape += kind if not shape.endswith(kind) else ""
    return shape


def crf_features(forms: Forms) -> list[list[str]]:
    """Word, affix, shape and neighbour features of every word of a sentence."""
    padded = ["<<", "<"] + [form.lower() for form in forms] + [">", ">>"]
    rows = []
    for i, form in enumerate(forms):
        lower = form.lower()
        row = [f"w={form}", f"l={lower}", f"shape={word_shape(form)}", f"first={i == 0}"]
        row += [f"p{n}={lower[:n]}" for n in (1, 2, 3)]
        row += [f"s{n}={lower[-n:]}" for n in (1, 2, 3, 4)]
        row += [f"{d:+d}={padded[i + 2 + d]}" for d in (-2, -1, 1, 2)]
        row += [f"-1s={padded[i + 1][-3:]}", f"+1s={padded[i + 3][-3:]}"]
        rows.append(row)
    return rows


def tag_crf(train: Column, sentences: list[Forms]) -> list[list[str]]:
    """CRFsuite with averaged perceptron training, ten iterations."""
    trainer = pycrfsuite.Trainer("ap", {"max_iterations": 10}, verbose=False)
    for sentence in train:
        trainer.append(crf_features([form for form, _ in sentence]), [tag for _, tag in sentence])
    tagger = pycrfsuite.Tagger()
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder) / "model")
        trainer.train(model)
        tagger.open(model)
        result = [tagger.tag(crf_features(forms)) for forms in sentences]
        tagger.close()
    return result


def udpipe_sentence(words: Sentence) -> udpipe.Sentence:
    """Build a UDPipe sentence; a column that is ``_`` stays empty."""
    sentence = udpipe.Sentence()
    for word in words:
        node = sentence.addWord(word.form)
        node.lemma, node.upostag, node.xpostag = ("" if v == "_" else v for v in word[1:])
    return sentence


def tag_udpipe(train: list[Sentence], sentences: list[Forms]) -> list[Sentence]:
    """UDPipe 1 trained on form, lemma, UPOS and XPOS, four iterations.

    It cannot store very long words, so sentences with such an address are left out.
    """
    error = udpipe.ProcessingError()
    nodes = udpipe.Sentences()
    for words in train:
        if max(len(word.form) for word in words) < 100:
            nodes.append(udpipe_sentence(words))
    options = "iterations=4;models=1;use_feats=0;use_lemma=1;provide_feats=0"
    none = udpipe.Trainer.NONE
    raw = udpipe.Trainer.train("morphodita_parsito", nodes, udpipe.Sentences(), none, options, none, error)
    if error.occurred():
        raise RuntimeError(error.message)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        path.write_bytes(bytes(raw))
        model = udpipe.Model.load(str(path))
    result = []
    for forms in sentences:
        sentence = udpipe_sentence([Word(form) for form in forms])
        model.tag(sentence, udpipe.Model.DEFAULT)
        nodes_of = list(sentence.words)[1:]
        result.append([Word(n.form, n.lemma, n.upostag, n.xpostag) for n in nodes_of])
    return result


def tag_hanta_german(train: list[Sentence], sentences: list[Forms]) -> list[Sentence]:
    """HanTa's German model: STTS but for a few names; UPOS by the usage of the training data."""
    tagger = HanoverTagger.HanoverTagger("morphmodel_ger.pgz")
    to_upos = upos_map(train)
    renamed = {"NNA": "NN", "NNI": "NN", "PROAV": "PAV"}
    result = []
    for forms in sentences:
        words = []
        for form, lemma, tag in tagger.tag_sent(forms, taglevel=1):
            plain = tag.replace("(", "").replace(")", "") if tag != "$(" else tag
            xpos = renamed.get(plain, plain)
            words.append(Word(form, lemma, to_upos(form, xpos), xpos))
        result.append(words)
    return result


def tag_hanta_english(train: list[Sentence], sentences: list[Forms]) -> list[Sentence]:
    """HanTa's English model: its own tags (those of the BNC) become the Penn tag that the
    same word with the same HanTa tag, else the same HanTa tag, mostly has in the training data."""
    tagger = HanoverTagger.HanoverTagger("morphmodel_en.pgz")
    triples = []
    for sentence in train:
        tagged = tagger.tag_sent([word.form for word in sentence], taglevel=1)
        triples += [(word.form, tag, word.xpos) for word, (_, _, tag) in zip(sentence, tagged, strict=True)]
    to_xpos, to_upos = MajorityMap(triples), upos_map(train)
    result = []
    for forms in sentences:
        words = []
        for form, lemma, tag in tagger.tag_sent(forms, taglevel=1):
            xpos = to_xpos(form, tag)
            words.append(Word(form, lemma, to_upos(form, xpos), xpos))
        result.append(words)
    return result


# --- putting it together -------------------------------------------------------------

COMMON: dict[str, Tagger] = {
    "crfsuite": both_columns(tag_crf),
    "nltk-tnt": both_columns(tag_tnt),
    "udpipe": tag_udpipe,
}
LANGUAGES: dict[str, tuple[Callable[[Path], list[Sentence]], dict[str, Tagger]]] = {
    "english": (english_training, {**COMMON, "hanta": tag_hanta_english}),
    "german": (german_training, {**COMMON, "hanta": tag_hanta_german}),
}


def remake(language: str, data: Path) -> None:
    """Write the outputs and the known-words list of one language."""
    read_training, taggers = LANGUAGES[language]
    train = read_training(data)
    folder = DEMO / language
    gold = folder / "gold.conllu"
    sentences = [[word.form for word in sentence] for sentence in read_conllu(gold)]
    print(f"{language}: {len(train)} training sentences, {sum(map(len, train))} words")
    seen = {word.form for sentence in train for word in sentence}
    known = sorted({form for forms in sentences for form in forms} & seen)
    (folder / "known-words.txt").write_text("\n".join(known) + "\n", encoding="utf-8")
    for name, tag in taggers.items():
        print(f"{language}: {name}")
        write_output(gold, folder / f"{name}.conllu", tag(train, sentences))


def main() -> None:
    """Read the command line and remake every language asked for.

    Each language gets a fresh process: CRFsuite shuffles with the C library's generator,
    which starts from the same state in every process.
    """
    parser = argparse.ArgumentParser(description="Remake the outputs of the demo data.")
    parser.add_argument("--data", type=Path, required=True, help="folder with the corpora")
    parser.add_argument("--language", choices=sorted(LANGUAGES), action="append")
    arguments = parser.parse_args()
    jobs = [(language, arguments.data) for language in arguments.language or sorted(LANGUAGES)]
    with get_context("spawn").Pool(len(jobs), maxtasksperchild=1) as pool:
        pool.starmap(remake, jobs, chunksize=1)


if __name__ == "__main__":
    main()
