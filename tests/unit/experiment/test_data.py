"""Parts of a data set: slices of its text as it is, and the test part without annotation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.experiment import read_plan
from assay.experiment.data import Data
from assay.formats import read
from unit.experiment.plans import corpus, plan
from unit.samples import refusal

File = Callable[[str, str | bytes], str]

EXPORT = """#FORMAT 3
#BOS 1
The\tDT\t--\tNK\t500
end\tNN\t--\tNK\t500
#500\tNP\t--\t--\t0
#EOS 1
#BOS 2
Go\tVB\t--\tHD\t500
#500\tS\t--\t--\t0
#EOS 2
#BOS 3
Stop\tVB\t--\tHD\t500
#500\tS\t--\t--\t0
#EOS 3
"""
DOCUMENTS = "".join(
    f"#begin document (d{number}); part 000\nd{number}\t0\t0\tShe\tPRP\t(1)\nd{number}\t0\t1\tleft\tVBD\t-\n\n"
    f"d{number}\t0\t0\tGo\tVB\t-\n\n#end document\n"
    for number in range(3)
)
TEXTS = {
    "gold.conllu": corpus(3),
    "plus.conllup": "# global.columns = ID FORM TAG\n1\ta\tX\n\n# sent_id = 2\n1\tb\tY\n\n1\tc\tZ\n\n",
    "ranges.conllu": "# a = 1\n1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n1\tdo\t_\tV\t_\t_\t_\t_\t_\t_\n"
    "2\tn't\t_\tP\t_\t_\t_\t_\t_\t_\n\n\n1\tb\t_\tN\t_\t_\t_\t_\t_\t_\n1.1\t_\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    "1\tc\t_\tN\t_\t_\t_\t_\t_\t_\n",
    "header.tsv": "word\tXPOS\nthe\tDT\nend\tNN\n\na\tDT\n\nb\tNN\n",
    "plain.tsv": "the\tDT\nend\tNN\n\n#\tSYM\n\nb\tNN\n",
    "marked.tsv": "<doc id='1'>\n<s>\nthe\tDT\nend\tNN\n</s>\n<s>\na\tDT\n</s>\n</doc>\n<s>\nb\tNN\n</s>\n",
    "commented.conll": "# sent_id = 1\n# sense = the.01\nthe DT\nend NN\n\n# sent_id = 2\na DT\n\nb NN\n",
    "ner.conll": "-DOCSTART- -X- O\n\nRome NNP B-LOC\nfell VBD O\n\nIt PRP O\n\n-DOCSTART- -X- O\n\nSo RB O\n",
    "srl.conll09": (
        "1\tThe\tthe\tthe\tDT\tDT\t_\t_\t2\t2\tNMOD\tNMOD\t_\t_\n2\tend\tend\tend\tNN\tNN\t_\t_\t0\t0\tROOT\tROOT\t_\tA0\n\n"
        * 3
    ),
    "tagged.txt": "The/DT end/NN ./.\nGo/VB ./.\nStop/VB it/PRP ./.\n",
    "trees.mrg": "( (S (NP (DT The) (NN end))\n     (VP (VBZ comes))))\n(NP (NN Silence)) (NP (NN Night))\n",
    "trees.export": EXPORT,
    "chains.conll": DOCUMENTS,
    "spans.jsonl": "".join(
        f'{{"id": "d{number}", "text": "Rome fell", "spans": [{{"start": 0, "end": 4, "label": "LOC"}}]}}\n'
        for number in range(3)
    ),
    "clusters.jsonl": "".join(
        f'{{"doc_key": "d{number}", "sentences": [["She", "left"], ["Go"]], "clusters": [[[0, 0]]]}}\n'
        for number in range(3)
    ),
    "records.jsonl": "".join(
        f'{{"id": "d{number}", "text": "Acme, 5", "record": {{"vendor": "Acme", "n": 5}}, "more": 1}}\n'
        for number in range(3)
    ),
    "events.jsonl": "".join(
        f'{{"doc_id": "d{number}", "tokens": ["Go"], "events": [{{"trigger": [0, 1, "Move"], "arguments": []}}]}}\n'
        for number in range(3)
    ),
}
BY_DOCUMENT = ("chains.conll", "spans.jsonl", "clusters.jsonl")


def data_of(file: File, name: str, **settings: object) -> Data:
    if name in TEXTS:
        file(name, TEXTS[name])
    if name in BY_DOCUMENT:
        settings = {"by": "document", **settings}
    text = plan(news={"path": name, "column": "", **settings}).replace('column = ""\n', "")
    return Data.read(read_plan(file("x.toml", text)).datasets["news"])


@pytest.mark.parametrize("name", TEXTS)
def test_each_part_is_read_as_the_sentences_it_was_made_of(file: File, name: str) -> None:
    data = data_of(file, name)
    whole = read(name)
    assert len(data.units) == 3
    forms = []
    for unit in range(3):
        part = read(file(f"part{unit}{Path(name).suffix}", data.text([unit])), input_format=whole.format)
        assert part.sentences == data.sentences[unit]
        assert part.columns.keys() == whole.columns.keys()
        forms += part.forms.strings()
    assert forms == whole.forms.strings()
    assert sum(data.sentences) == whole.sentences


def test_sentences_are_slices_of_the_original_text(file: File) -> None:
    data = data_of(file, "gold.conllu")
    assert "".join(data.text([unit]) for unit in range(3)) == TEXTS["gold.conllu"]


def test_documents_stay_together(file: File) -> None:
    file("two.conll", TEXTS["ner.conll"])
    more = "-DOCSTART- -X- O\n\nWell UH O\n"
    file("three.conll", f"{TEXTS['ner.conll']}\n{more}")
    data = data_of(file, "three.conll", by="document")
    assert data.units == ((0, 1), (2,), (3,))
    assert data.text([2]) == f"{more}\n"
    assert "2 documents cannot be divided into 3 folds" in refusal(data_of, file, "two.conll", by="document")


def test_compressed_data_and_folders_are_split_too(file: File) -> None:
    import gzip

    file("gold.conllu.gz", gzip.compress(corpus(3).encode()))
    data = data_of(file, "gold.conllu.gz")
    assert (data.suffix, data.text([0, 1, 2])) == (".conllu", corpus(3))
    file("folder/a.conllu", corpus(2))
    file("folder/b.conllu", corpus(1))
    assert data_of(file, "folder").text([2]) == corpus(1)


def test_the_blind_part_has_words_and_spaces_alone(file: File) -> None:
    blind = data_of(file, "gold.conllu").blind([1])
    assert blind.splitlines()[:2] == ["# sent_id = s1", "1\tcat\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No"]
    assert "Gold" not in blind and "analysis" not in blind and "NN" not in blind


def test_columns_and_comments_can_be_kept(file: File) -> None:
    blind = data_of(file, "gold.conllu", keep=["lemma", "analysis"]).blind([1])
    assert blind.splitlines()[:3] == [
        "# sent_id = s1",
        "# analysis = 1",
        "1\tcat\tcat\t_\t_\t_\t_\t_\t_\tSpaceAfter=No",
    ]


@pytest.mark.parametrize(
    ("name", "blind"),
    [
        ("header.tsv", "word\tXPOS\nthe\t_\nend\t_\n\n"),
        ("plain.tsv", "the\t_\nend\t_\n\n"),
        ("marked.tsv", "<doc id='1'>\n<s>\nthe\t_\nend\t_\n</s>\n\n"),
        ("commented.conll", "# sent_id = 1\nthe _\nend _\n\n"),
        ("ner.conll", "-DOCSTART- -X- O\n\nRome _ _\nfell _ _\n\n"),
        ("tagged.txt", "The end .\n"),
        ("records.jsonl", '{"id": "d0", "text": "Acme, 5"}\n'),
        ("plus.conllup", "# global.columns = ID FORM TAG\n1\ta\t_\n\n"),
        ("srl.conll09", "1\tThe\t" + "_\t" * 11 + "_\n2\tend\t" + "_\t" * 11 + "_\n\n"),
        (
            "ranges.conllu",
            "1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n1\tdo\t_\t_\t_\t_\t_\t_\t_\t_\n2\tn't\t_\t_\t_\t_\t_\t_\t_\t_\n\n",
        ),
    ],
)
def test_other_formats_are_blinded_too(file: File, name: str, blind: str) -> None:
    column = {"column": "XPOS"} if name == "header.tsv" else {}
    assert data_of(file, name, **column).blind([0]) == blind


def test_what_cannot_be_blinded_is_refused(file: File) -> None:
    text = refusal(data_of(file, "trees.mrg").blind, [0])
    assert text.startswith("data set news: the annotation cannot be removed from brackets. Write blind = false")


def test_formats_that_cannot_be_cut_are_refused(file: File) -> None:
    word = '<tok><orth>end</orth><lex disamb="1"><base>end</base><ctag>noun</ctag></lex></tok>'
    file("x.xml", f"<chunkList><sentence>{word}</sentence></chunkList>")
    assert "xces files cannot be split. Convert them first" in refusal(data_of, file, "x.xml")
    file("list.json", f"[{','.join(TEXTS['records.jsonl'].splitlines())}]")
    text = refusal(data_of, file, "list.json")
    assert "1 pieces of text, but 3 records were read, so it cannot be split. Write each on a line." in text


def test_documents_are_asked_for_where_they_are_the_smallest_piece(file: File) -> None:
    file("chains.conll", DOCUMENTS)
    text = refusal(data_of, file, "chains.conll", by="sentence")
    assert text.endswith('chains.conll: conll2012 can only be split by document. Write by = "document"')
    file("gold.conllu", corpus(5))
    assert "has no documents to split by" in refusal(data_of, file, "gold.conllu", by="document")
