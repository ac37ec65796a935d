"""Graphs and roles in other formats: what comes back is what was there, or it is refused or told of."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from assay.demo import FOLDER
from assay.errors import InputError
from cases import each
from graphlayers import converted, layer_of
from unit.formats.test_graphs import GRAPH, SDP, conllu
from unit.formats.test_roles import BARE, CONLL08, CONLL09, CONLL2012, PROPS, UP2, UP8, UP10, rows
from unit.samples import refusal

DATA = Path(__file__).parents[2] / "data"
FILES = ((DATA / f"{name}.jsonl").read_text("utf-8") for name in ("graphs/cases", "role_cases"))
CASES = [json.loads(line) for text in FILES for line in text.splitlines()]
FAULTY = {"eud-17", "eud-40", "srl-props-31"}
TEXTS = [(case["id"], case[side]) for case in CASES for side in ("gold", "system")]
LEFT = {"words": ["She", "left", "home"], "verbs": [{"tags": ["B-A0", "B-V", "B-A1"], "sense": "leave"}]}
MRP = json.dumps(GRAPH) + "\n"
EMPTY = "Keep CoNLL-U, or collapse empty nodes first, e.g. with UD's enhanced_collapse_empty_nodes.pl."


def back(file, text, target, form=None):
    """The layers before and after a file was written in another format, and what was said."""
    path = file("before.txt", text)
    written, said = converted(path, target, form)
    name = target.partition("(")[0]
    return layer_of(path, form), layer_of(file("after.txt", written), name), said


# --- graphs ---


@pytest.mark.parametrize("target", ["sdp", "mrp"])
@pytest.mark.parametrize("text", [SDP, MRP], ids=["sdp", "mrp"])
def test_semantic_dependencies_come_back(file, text, target):
    before, after, said = back(file, text, target)
    assert after == before
    left = "mrp: label, pos and frame of nodes are read; other properties and the framework are left out."
    assert said == ([left] if text == MRP else [])


def test_a_predicate_without_arguments_and_frames(file):
    text = SDP.replace("ARG1\tARG1", "ARG1\t_")
    before, after, said = back(file, text, "sdp")
    assert (after, said) == (before, []) and before.predicates == {1: "v:e", 2: ""}
    _, after, said = back(file, text, "mrp")
    assert after.predicates == {1: "v:e"}
    assert said == ["mrp has no flag for predicates; those without arguments become plain nodes: 1."]
    _, after, said = back(file, text, "conllu")
    assert after.arcs == before.arcs
    assert said == [
        "conllu has no place for frames of predicates; left out: 1.",
        "conllu has no flag for predicates; those without arguments become plain words: 1.",
    ]
    _, after, said = back(file, text, "sdp(version=2014)")
    assert (after.arcs, after.predicates) == (before.arcs, {1: "", 2: ""})
    assert said == ["sdp of 2014 has no place for frames of predicates; left out: 1."]


def test_sdp_as_conllu_has_lemmas_tags_ids_and_tops_as_root(file):
    text, _ = converted(file("a.sdp", SDP), "conllu")
    assert text == (
        "# sent_id = 7\n1\tKim\tKim\t_\tNNP\t_\t_\t_\t2:ARG1|3:ARG1\t_\n"
        "2\ttried\ttry\t_\tVBD\t_\t_\t_\t0:root\t_\n3\tsleep\tsleep\t_\tVB\t_\t_\t_\t2:ARG2\t_\n\n"
    )
    assert converted(file("a.conllu", text), "sdp")[0] == SDP.replace("v:e", "_")


def test_conllu_as_mrp_keeps_its_text_and_several_arcs_between_two_words(file):
    text = "# text = ab.\n" + conllu("1 ab 0:root", "2 . 1:a|1:b")
    before, after, said = back(file, text, "mrp")
    assert (after.arcs, after.words, said) == (before.arcs, ["ab", "."], [])
    graph = json.loads(converted("before.txt", "mrp")[0])
    assert (graph["input"], graph["tops"]) == ("ab.", [0])
    assert [node["anchors"] for node in graph["nodes"]] == [[{"from": 0, "to": 2}], [{"from": 2, "to": 3}]]
    other = file("b.conllu", text.replace("ab.", "abc."))
    assert json.loads(converted(other, "mrp")[0])["input"] == "ab ."


def test_conllu_with_empty_nodes_stays_as_it_is(file):
    text = (FOLDER / "graphs" / "gold.conllu").read_text("utf-8")
    assert converted(file("a.conllu", text), "conllu") == (text, [])


# --- roles ---


@pytest.mark.parametrize("target", ["conll09", "up"])
@pytest.mark.parametrize("text", [CONLL09, CONLL08, UP10, UP8, UP2], ids=["conll09", "conll08", "up10", "up8", "up2"])
def test_roles_of_words_come_back(file, text, target):
    before, after, _ = back(file, text, target)
    assert after == before


def test_what_conll09_and_up_have_no_place_for_is_told(file):
    assert converted(file("a.txt", UP10), "conll09")[1] == [
        "conll09 has no place for column UPOS, which is left out.",
        "conll09 has no place for comments; left out: 1.",
        "conll09 has no ranges or empty nodes; lines left out: 1.",
    ]
    lost = "up has no place for columns FORM, LEMMA, GPOS, PPOS, which are left out."
    assert converted(file("a.txt", CONLL08), "up")[1] == [lost]
    text, said = converted(file("a.txt", UP10), "up")
    assert said == [] and text.partition("\n")[2] == UP10 + "\n"


def test_a_mark_at_the_predicate_itself_is_no_argument_in_up(file):
    text = CONLL09.replace("try.01\t_", "try.01\tV|A3")
    before, after, said = back(file, text, "up")
    assert (1, 2, 1, "V") in before.arcs and (1, 2, 1, "A3") in after.arcs
    assert [arc for arc in before.arcs if arc not in after.arcs] == [(1, 2, 1, "V")]
    assert "in up V at a predicate itself is a mark and not an argument: 1 became marks." in said


def test_roles_of_stretches_come_back(file):
    before, after, said = back(file, PROPS, "props")
    assert (after, said) == (before, [])
    wordy = rows("Kim - (A0*", "now - *)", "gives give (V*)")
    before, after, said = back(file, wordy, "biojson", "props(word=1, predicate=2)")
    assert (after, said) == (before, []) and after.words == ["Kim", "now", "gives"]
    before, after, said = back(file, json.dumps(LEFT), "props")
    assert replace(after, words=before.words) == before
    assert said == ["props has no place for words, which are left out. Sentences correspond by their order."]


def test_predicates_without_a_lemma_are_called_by_their_words_in_props(file):
    """A scorer that splits at white space would lose a column where a cell is empty."""
    text, said = converted(file("a.jsonl", tagged("B-A0", "B-V", "O")), "props")
    assert text == rows("- (A0*)", "left (V*)", "- *") + "\n"
    assert said[-1] == "predicates without a lemma, which are called by their words in props: 1."
    dash = file("b.jsonl", json.dumps({"words": ["-"], "verbs": [{"tags": ["B-V"]}]}))
    assert refusal(converted, dash, "props") == (
        "b.jsonl:1: the predicate - has no lemma, and in props - is the mark of a word that is none. Give it a lemma."
    )
    bare = rows("- (A0*)").rstrip("\n") + "\n\t(V*)\n"
    assert converted(file("c.props", bare), "props", "props") == (bare + "\n", [])


def test_stretches_that_cross_are_closed_by_their_names(file):
    text = rows("- (A0*", "- (A1*", "give *A0)", "- *)")
    before, after, _ = back(file, text, "props")
    assert after == before
    assert converted("before.txt", "props")[0] == text + "\n"


def test_conll2012_as_props_keeps_lemmas_and_as_biojson_all(file):
    before, after, said = back(file, CONLL2012, "props")
    assert (after.arcs, after.predicates, before.predicates) == (before.arcs, {1: "leave"}, {1: "leave.01"})
    assert said[-2:] == [
        "props has no place for mentions in chains; left out: 1.",
        "props has no place for senses; predicates that keep only their lemma: 1.",
    ]
    assert "tsv has no place for mentions in chains; left out: 1." in converted("before.txt", "tsv")[1]
    before, after, _ = back(file, CONLL2012, "biojson")
    assert after == before


def test_propositions_2_as_stretches(file):
    before, after, said = back(file, UP2, "biojson", "up2-spans")
    assert after == before and said == ["biojson has no place for column UPOS, which is left out."]
    before, after, said = back(file, BARE, "props", "up2-spans")
    assert after.arcs == before.arcs and after.predicates == {2: "come"}


# --- what is left out elsewhere ---


def test_formats_of_words_with_labels_say_what_becomes_of_graphs_and_roles(file):
    assert converted(file("a.sdp", SDP), "tsv")[1][0] == (
        "tsv has no place for arcs; left out: 4. Formats for them: conllu, sdp, mrp."
    )
    assert converted(file("a.txt", CONLL09), "conllu")[1][0] == (
        "conllu has no place for predicates and their arguments; left out: 2. Formats for them: conll09, up."
    )
    bare = "".join("\t".join(line.split("\t")[:12]) + "\n" for line in CONLL09.splitlines())
    assert not any("predicates" in line for line in converted(file("b.txt", bare), "conllu")[1])


# --- what is refused ---


def graph(**change: object) -> str:
    return json.dumps({**GRAPH, **change}) + "\n"


def edge(label: str) -> str:
    return graph(edges=[{"source": 2, "target": 0, "label": label}])


def tagged(*tags: str, **more: object) -> str:
    return json.dumps({"words": ["She", "left", "home"], "verbs": [{"tags": tags, **more}]})


OTHERWISE = "would be read as something else in"
REMEDY = "Rename it, or keep the format."
REFUSED = {
    "sdp: empty nodes": (
        conllu("1 a 0:root", "1.1 e 1:x", "2 b 1.1:y", "2.1 f 1:x"),
        f"x.txt:2: the empty node 1.1, and nodes of sdp are words. {EMPTY} (1 more such places.)",
    ),
    "mrp: empty nodes": (
        conllu("1 x 0:root") + conllu("0.1 e 1:x", "1 b 0.1:y"),
        f"x.txt:3: the empty node 0.1, and nodes of mrp are words. {EMPTY}",
    ),
    "sdp: two labels": (
        conllu("1 a 0:root", "2 b 1:x|1:y"),
        "x.txt:2: two arcs between the same words, x and y, and sdp has a cell for one. Use --to mrp",
    ),
    "sdp: a named top": (
        conllu("1 a 0:parataxis"),
        "x.txt:1: the arc from the root has the label 'parataxis', and tops of sdp have none. Rename it root.",
    ),
    "mrp: a named top": (
        conllu("1 a 0:root|0:ref"),
        "x.txt:1: the arc from the root has the label 'ref', and tops of mrp have none. Rename it root.",
    ),
    "sdp: no graphs": (
        conllu("1 a _"),
        "x.txt: DEPS is empty, so there are no graphs. Convert a file that has them.",
    ),
    "sdp: a faulty graph": (conllu("1 a 7:x"), "x.txt:1: head 7 in DEPS, in a sentence of 1 words."),
    "conllu: a bar": (edge("a|b"), f"x.txt:1: the label 'a|b' {OTHERWISE} conllu. {REMEDY}"),
    "conllu: a blank": (edge("a b"), f"x.txt:1: the label 'a b' {OTHERWISE} conllu. {REMEDY}"),
    "conllu: no label": (edge(""), f"x.txt:1: the label '' {OTHERWISE} conllu. {REMEDY}"),
    "sdp: a tab": (edge("a\tb"), f"x.txt:1: the label 'a\\tb' {OTHERWISE} sdp. {REMEDY}"),
    "sdp: nothing": (edge("_"), f"x.txt:1: the label '_' {OTHERWISE} sdp. {REMEDY}"),
    "sdp: a word of two lines": (
        graph(input="Kim don't sle\np."),
        "x.txt:1: 'sle\\np' contains a tab or line end, which separates the cells of sdp. Correct it in the file.",
    ),
    "mrp: white space": (
        conllu("1 a 0:root").replace("a", "a\u00a0"),
        "x.txt:1: the word 'a\\xa0' begins or ends with white space, which no node of mrp can cover. "
        "Correct it in the file.",
    ),
    "conll09: graphs": (
        SDP,
        "x.txt: contains graphs (sdp), and conll09 contains semantic roles of words. Formats for them: conllu, "
        "sdp, mrp.",
    ),
    "sdp: roles": (
        CONLL09,
        "x.txt: contains semantic roles of words (conll09), and sdp contains graphs. Formats for them: conll09, up.",
    ),
    "conll09: stretches": (
        PROPS,
        "x.txt: contains semantic roles of stretches of words (props), and conll09 contains semantic roles of words. "
        "Formats for them: props, biojson.",
    ),
    "props: words": (
        UP10,
        "x.txt: contains semantic roles of words (up), and props contains semantic roles of stretches of words. "
        "Formats for them: conll09, up.",
    ),
    "up: tags alone": (
        "The\tDT\nend\tNN\n",
        "x.txt: contains no graphs or semantic roles (tsv), which up consists of. Convert a file that has them.",
    ),
    "biojson: no words": (
        PROPS,
        "x.txt: has no words, which biojson consists of. Give their columns: "
        '--input-format "props(word=1, predicate=2)".',
    ),
    "up: no words": (
        BARE,
        "x.txt: has no words, which up consists of. Merge them in from the treebank first, with up2/merge_ud_up.py "
        "of UniversalPropositions/tools.",
    ),
    "conll09: nothing": (
        UP2.replace("A1:2", "-:2"),
        f"x.txt:3: the label '-' {OTHERWISE} conll09. {REMEDY}",
    ),
    "props: brackets": (
        tagged("B-A(0)", "B-V", "O"),
        f"x.txt:1: the label 'A(0)' {OTHERWISE} props. {REMEDY}",
    ),
    "props: a lemma that is none": (
        tagged("B-A0", "B-V", "O", sense="-"),
        f"x.txt:1: the sense '-' {OTHERWISE} props. {REMEDY}",
    ),
    "props: an unknown parameter": (PROPS, "format props takes no parameters, but 'words' is given."),
    "sdp: an unknown version": (SDP, "there is no version = '2013'. Did you mean 2015 or 2014?"),
}
TARGETS = {"props: an unknown parameter": "props(words=1)", "sdp: an unknown version": "sdp(version=2013)"}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_target_cannot_hold_is_refused_with_place_and_remedy(file, name):
    text, message = REFUSED[name]
    path = file("x.txt", text)
    assert refusal(converted, path, TARGETS.get(name, name.partition(":")[0])) == message


def test_stretches_that_tags_or_brackets_cannot_say(file):
    form = "props(word=1, predicate=2)"
    nested = file("x.txt", rows("a - (A0(A1*)", "b give *)"))
    assert refusal(converted, nested, "biojson", form) == (
        "x.txt:1: the argument A0 overlaps another of its predicate, and a word has one tag. Use --to props"
    )
    elsewhere = file("y.txt", rows("a - (V*)", "b give *"))
    assert refusal(converted, elsewhere, "biojson", form) == (
        "y.txt:2: V is at another word than the predicate, which biojson does not allow. "
        "Put V where the predicate is."
    )
    bar = file("z.txt", rows("a - (A0|A1*)", "b give (V*)"))
    assert refusal(converted, bar, "biojson", form) == (f"z.txt:1: the label 'A0|A1' {OTHERWISE} biojson. {REMEDY}")
    cross = "# global.columns = ID FORM UP:PRED UP:ARGHEADS UP:ARGSPANS\n"
    cross += rows("1 a go.01 _ A1:1-2|A1:2-3", "2 b _ _ _", "3 c _ _ _")
    assert refusal(converted, file("w.txt", cross), "props", "up2-spans") == (
        "w.txt:2: two arguments A1 of one predicate cross each other, which brackets cannot express. Rename one "
        "of them."
    )


def test_a_column_is_no_choice_and_other_targets_take_no_parameters(file):
    from assay.formats import Input
    from assay.formats.write import convert_file

    item = Input(file("a.sdp", SDP))
    assert refusal(convert_file, item, "mrp", "tag") == (
        "--column tag: mrp has a place for each column and no choice. Leave it out."
    )
    assert refusal(convert_file, Input("a.sdp"), "tsv(word=2)", None) == (
        "format tsv takes no parameters here, so not 'word' either."
    )
    assert refusal(convert_file, Input("a.sdp"), "sdpp", None) == (
        "there is no format 'sdpp'. Did you mean sdp? All: assay convert --help"
    )


# --- the cases and the data of the scorers ---


@each("case, text", TEXTS, ids=lambda row: row[0])
def test_the_cases_come_back(tmp_path, case, text):
    """Whatever a case holds: it is refused, or comes back from every target that takes it."""
    family = case.rpartition("-")[0]
    targets = {"eud": ("conllu", "sdp", "mrp"), "sdp": ("conllu", "sdp", "mrp"), "srl-conll09": ("conll09", "up")}
    form = {"eud": "conllu", "srl-conll09": "conll09", "srl-props": "props", "sdp": "sdp"}[family]
    path = tmp_path / "before.txt"
    path.write_text(text, "utf-8")
    try:
        before = layer_of(path, form)
    except InputError:
        assert case in FAULTY
        return
    for target in targets.get(family, ("props",)):
        if before.empty and target != "conllu":
            assert "empty node" in refusal(converted, path, target, form)
            continue
        if target == "sdp" and len({arc[:3] for arc in before.arcs}) < len(before.arcs):
            assert "two arcs between" in refusal(converted, path, target, form)
            continue
        if not before.arcs and family == "eud" and target != "conllu":
            continue
        written, _ = converted(path, target, form)
        after = tmp_path / "after.txt"
        after.write_text(written, "utf-8")
        found = layer_of(after, target)
        assert (found.arcs, found.starts, found.empty) == (before.arcs, before.starts, before.empty), target
        if form == target or family.startswith("srl"):
            assert found.predicates == before.predicates


DATA_FILES = {
    "graphs-eud-en_ewt": {"HIT-SCIR-18.enhanced.conllu": ("conllu", "sdp", "mrp"), "gold.conllu": ("conllu",)},
    "graphs-eud-empty-nodes": {"gold.conllu": ("conllu",), "noised.conllu": ("conllu",)},
    "graphs-sdp-dm": {
        **dict.fromkeys(("gold.sdp", "noised-heavy.sdp"), ("conllu", "sdp", "mrp")),
        **dict.fromkeys(("107480.gold.mrp", "107480.foxik.mrp", "empty.gold.mrp"), ("conllu", "sdp", "mrp")),
    },
    "graphs-srl-up_ewt": {"gold.conll09": ("conll09", "up"), "noised-a.props": ("props",)},
    "graphs-srl-primesrl": {
        "sense_c_pred_p3.conllu": ("conll09", "up"),
        "sense_c_pred_p3.conll09": ("conll09", "up"),
        "sense_c_pred_p3.props": ("props",),
    },
}


@pytest.mark.parametrize("folder", DATA_FILES)
def test_real_files_come_back(shared_data, tmp_path, folder):
    for name, targets in DATA_FILES[folder].items():
        path = shared_data(folder) / name
        before = layer_of(path)
        for target in targets:
            after = tmp_path / f"after.{target}"
            after.write_text(converted(path, target)[0], "utf-8")
            found = layer_of(after, target)
            assert found.arcs == before.arcs, (name, target)
            assert (found.words, found.starts, found.empty) == (before.words, before.starts, before.empty)
            if folder.startswith("graphs-srl") or {name[-3:], target} <= {"sdp", "mrp"}:
                assert found.predicates == before.predicates, (name, target)
