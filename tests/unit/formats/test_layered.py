"""WebAnno TSV and UIMA CAS: layers of spans, tags, chains, relations and slots, and what offsets count."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import assay
from assay.corpus import Corpus
from assay.errors import InputError
from assay.formats import Input
from assay.formats.whose import Asked
from cases import each
from fuzz.seeds import CAS_JSON, CAS_XMI
from unit.samples import refusal

DATA = Path(__file__).parents[2] / "data" / "doors"
CASES = {case["id"]: case for case in json.loads((DATA / "expected.json").read_text("utf-8"))}
HEADER = "#FORMAT=WebAnno TSV 3.3\n"


def read(path: Path | str, column: str = "", *, tags: bool = False, repair: str = "") -> Corpus:
    asked = Asked("gold", column=column, repair=repair)
    return Input(str(path), wanted=[column] if column else [], asked=asked).read([column] if tags else ())


def write(folder: Path, layers: str, *sentences: str) -> Path:
    path = folder / "d.tsv"
    path.write_text(f"{HEADER}{layers}\n\n\n" + "\n\n".join(sentences) + "\n", "utf-8")
    return path


def spans_of(corpus: Corpus) -> list[tuple[str, str]]:
    text, places = "".join(corpus.texts or ()), corpus.spans
    before = [0]
    for part in corpus.texts or ():
        before.append(before[-1] + len(part))
    return [
        (text[before[unit] + begin : before[unit] + end], places.labels[row])
        for row, (unit, begin, end) in enumerate(zip(places.unit, places.begin, places.end, strict=True))
    ]


def relations_of(corpus: Corpus) -> list[tuple[str, str, str]]:
    if "relations" not in corpus.marks:
        return []
    marks, ends = corpus.marks["relations"], corpus.marks["arguments"]
    heads, tails = (marks.arguments[role].tolist() for role in ("head", "tail"))
    rows = zip(marks.labels.strings(), heads, tails, strict=True)
    return [(label, ends.labels[head], ends.labels[tail]) for label, head, tail in rows]


def test_a_layer_is_read_as_tags_of_words():
    case = CASES["webanno-pos"]["documents"][0]
    corpus = read(DATA / "webanno" / "layers.tsv", "POS", tags=True)
    bounds = [*zip(corpus.starts[:-1].tolist(), corpus.starts[1:].tolist(), strict=True)]
    assert [corpus.forms.strings(*place) for place in bounds] == case["tokens"]
    assert [corpus.column("POS").strings(*place) for place in bounds] == case["tags"]
    path = str(DATA / "webanno" / "layers.tsv")
    result = assay.score(path, {"s": path}, "accuracy", task="tags", column="POS", times=5)
    assert result.scores[0].value == 1


def test_chains_are_mentions_with_types():
    case = CASES["webanno-chains"]["documents"][0]
    corpus = read(DATA / "webanno" / "layers.tsv", "CoreferenceLink")
    mentions = corpus.marks["mentions"]
    words = [
        " ".join(corpus.forms.strings(begin, end))
        for begin, end in zip(mentions.begin.tolist(), mentions.end.tolist(), strict=True)
    ]
    expected = [
        (case["text"][span["at"][0][0] : span["at"][0][1]], span["label"])
        for chain in case["chains"]
        for span in chain
    ]
    assert [*zip(words, mentions.labels.strings(), strict=True)] == expected
    assert mentions.group.tolist() == [0, 0]


def test_a_file_with_several_layers_is_refused_with_all_of_them_and_so_is_an_unknown_one():
    path = DATA / "webanno" / "layers.tsv"
    assert all(name in refusal(read, path) for name in ("POS (14)", "NamedEntity (5)", "--column"))
    assert "no such layer" in refusal(read, path, "Frame")
    full = read(path, "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity")
    assert spans_of(full) == spans_of(read(path, "NamedEntity")) == spans_of(read(path, "NamedEntity.value"))
    assert [label for _, label in spans_of(read(path, "NamedEntity.identifier"))].count("") == 3


@each("line", ["#FORMAT=WebAnno TSV 2.0", "#id=1", "# webanno.custom.Rel | value"])
def test_versions_without_offsets_are_refused_by_name(tmp_path, line):
    path = tmp_path / "old.tsv"
    path.write_text(f"{line}\n#text=Ann left\n1-1\tAnn\tB-PER\n1-2\tleft\tO\n", "utf-8")
    assert "WebAnno TSV 3" in refusal(read, path)


def test_slots_are_relations_from_the_span_that_has_them(tmp_path):
    roles = "ROLE_a.Frame:Roles_a.FrameRolesLink|uima.tcas.Annotation"
    rows = "#Text=Ann sold it\n1-1\t0-3\tAnn\t_\t_\t_\tPER\t\n1-2\t4-8\tsold\tsell\tseller;goods\t1-1;1-3\t_\t\n"
    path = write(tmp_path, f"#T_SP=a.Frame|value|{roles}\n#T_SP=a.Entity|value", f"{rows}1-3\t9-11\tit\t_\t_\t_\tX\t")
    both = read(path, "Frame+Entity")
    assert relations_of(both) == [("seller", "sell", "PER"), ("goods", "sell", "X")]
    one = read(path, "Frame")
    assert (relations_of(one), spans_of(one)) == ([], [("sold", "sell")])
    assert "Relations with an end in a layer that is not read, not read: 2." in one.notes
    none = write(tmp_path, f"#T_SP=a.Frame|value|{roles}", "#Text=Ann\n1-1\t0-3\tAnn\tsell\t_\t*\t")
    assert (relations_of(read(none)), spans_of(read(none))) == ([], [("Ann", "sell")])


def test_spans_cross_sentences_and_gaps_in_them_are_filled_and_counted(tmp_path):
    first = "#Text=a b c\n1-1\t0-1\ta\tX[1]\t\n1-2\t2-3\tb\t_\t\n1-3\t4-5\tc\tX[1]|Y[2]\t"
    path = write(tmp_path, "#T_SP=a.L|value", first, "#Text=d\n2-1\t8-9\td\tY[2]\t")
    corpus = read(path)
    assert "".join(corpus.texts or ()) == "a b c\n  d"
    assert spans_of(corpus) == [("a b c", "X"), ("c\n  d", "Y")]
    assert corpus.notes == ("Spans of several words with gaps between them, which are filled: 1.",)


def test_relations_name_their_source_and_one_that_is_missing_is_a_fault(tmp_path):
    layers = "#T_SP=a.E|value\n#T_RL=a.R|value|BT_a.E"
    rows = "#Text=a b\n1-1\t0-1\ta\tX\tof\t1-2\t\n1-2\t2-3\tb\tY\t_\t_\t"
    assert relations_of(read(write(tmp_path, layers, rows))) == [("of", "Y", "X")]
    lost = write(tmp_path, layers, rows.replace("1-2\t\n", "1-7\t\n"))
    assert "1-7" in refusal(read, lost)
    assert relations_of(read(lost, repair="mend")) == []


def test_a_feature_is_named_if_none_is_the_label(tmp_path):
    path = write(tmp_path, "#T_SP=a.L|x|y", "#Text=a\n1-1\t0-1\ta\tX\tY\t")
    assert "--column gold=L.x" in refusal(read, path)
    assert spans_of(read(path, "L.y")) == [("a", "Y")]


def test_texts_are_unescaped_and_words_tell_what_offsets_count(tmp_path):
    escaped = write(tmp_path, "#T_SP=a.L|value", "#Text=a\\_b \\[c\\]\n1-1\t0-3\ta\\_b\tX\t\n1-2\t4-7\t[c]\t*\t")
    assert spans_of(read(escaped)) == [("a_b", "X"), ("[c]", "")]
    characters = write(tmp_path, "#T_SP=a.L|value", "#Text=😀 b\n1-1\t0-1\t😀\t_\t\n1-2\t2-3\tb\tX\t")
    corpus = read(characters)
    assert spans_of(corpus) == [("b", "X")]
    assert corpus.notes == ("Files with offsets in characters, not UTF-16 units, as their words show: 1.",)
    elsewhere = write(tmp_path, "#T_SP=a.L|value", "#Text=a b\n1-1\t0-1\ta\t_\t\n1-2\t1-2\tb\tX\t")
    with pytest.raises(InputError, match="not at their offsets"):
        read(elsewhere)


def test_ids_of_sentences_and_lines_of_texts(tmp_path):
    path = write(tmp_path, "#T_SP=a.L|value", "#Sentence.id=s7\n#Text=a\n#Text=b\n1-1\t0-1\ta\tX\t\n1-2\t2-3\tb\t_\t")
    corpus = read(path)
    assert ("".join(corpus.texts or ()), corpus.comments) == ("a\nb", ((0, "# sent_id = s7"),))


def test_a_cas_has_relations_slots_chains_and_tags(tmp_path):
    path = tmp_path / "d.xmi"
    path.write_text(CAS_XMI, "utf-8")
    corpus = read(path)
    assert spans_of(corpus) == [("Zoë", "PER"), ("Łódź!", "LOC")]
    assert sorted(relations_of(corpus)) == [("in", "PER", "LOC"), ("place", "PER", "LOC")]
    assert corpus.notes == ("Mentions in chains, not read: 2.",)
    tagged = read(path, "Entity", tags=True)
    assert tagged.column("Entity").strings() == ["_", "PER", "LOC"]
    for layer in ("CoreferenceLink", "CoreferenceChain"):
        mentions = read(path, layer).marks["mentions"]
        assert [*zip(mentions.begin, mentions.labels.strings(), strict=True)] == [(1, "nam"), (2, "nom")]
        assert mentions.group.tolist() == [0, 0]


def test_views_of_a_cas_and_offsets_in_characters(tmp_path):
    path = tmp_path / "d.json"
    path.write_text(CAS_JSON, "utf-8")
    corpus = read(path)
    assert (spans_of(corpus), relations_of(corpus)) == ([("Zoë", "PER")], [("x", "PER", "PER")])
    sofa = '{"%ID": 9, "%TYPE": "uima.cas.Sofa", "sofaID": "w", "sofaString": "y"}, '
    path.write_text(CAS_JSON.replace('[{"%ID": 1', f'[{sofa}{{"%ID": 1'), "utf-8")
    assert "views are v, w" in refusal(read, path)
    assert spans_of(assay.read(path, input_format="cas(view=v)")) == [("Zoë", "PER")]
    path.write_text(CAS_JSON.replace('"begin": 3, "end": 6', '"begin": 1, "end": 2'), "utf-8")
    assert "white space" in refusal(read, path)


def test_a_cas_in_one_line_is_told_by_its_look(tmp_path):
    path = tmp_path / "d.xmi"
    declaration, _, rest = CAS_XMI.partition("\n")
    path.write_text(f"{declaration}\n{rest.replace(chr(10), '')}", "utf-8")
    assert spans_of(read(path)) == [("Zoë", "PER"), ("Łódź!", "LOC")]
