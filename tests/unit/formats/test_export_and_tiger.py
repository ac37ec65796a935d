"""Negra export and TigerXML, and the same trees in all formats that know gaps."""

from __future__ import annotations

import pytest

from assay.formats import read
from assay.formats.trees import looks_tiger
from unit.samples import drawn, refusal

EXPORT = """\
%% a comment
#FORMAT 3
#BOT ORIGIN
0\tNOWHERE\t--
#EOT ORIGIN
#BOS 7 1 899973978 0 %% a date
Darüber\t\tPROAV\t--\t\tMO\t500
muß\t\tVMFIN\t3.Sg.Pres.Ind\tHD\t501
nachgedacht\tVVPP\t--\t\tHD\t500\tOC\t501
werden\t\tVAINF\t--\t\tHD\t502
.\t\t$.\t--\t\t--\t0\t%% full stop
#500\t\tVP\t--\t\tOC\t502
#502\t\tVP\t--\t\tOC\t501
#501\t\tS\t--\t\t--\t0
#EOS 7
#BOS 8
Ja\tITJ\t--\tHD\t500
#500\tDL\t--\t--\t0
#EOS 8
"""

DISCBRACKET = """\
(VROOT (S (VP (VP (PROAV 0=Darüber) (VVPP 2=nachgedacht)) (VAINF 3=werden)) (VMFIN 1=muß)) ($. 4=.))
(VROOT (DL (ITJ 0=Ja)))
"""

TIGER = """\
<?xml version="1.0" encoding="ISO-8859-1"?>
<corpus id="c">
<head><annotation><feature name="pos" domain="T"><value name="S">x</value></feature></annotation></head>
<body>
<s id="s7"><graph root="s7_VROOT" discontinuous="true">
<terminals>
<t id="s7_1" word="Darüber" lemma="darüber" pos="PROAV" morph="--" />
<t id="s7_2" word="muß" lemma="müssen" pos="VMFIN" morph="3.Sg.Pres.Ind" />
<t id="s7_3" word="nachgedacht" lemma="nachdenken" pos="VVPP" morph="--"><secedge label="OC" idref="s7_501"/></t>
<t id="s7_4" word="werden" lemma="werden" pos="VAINF" morph="--" />
<t id="s7_5" word="." lemma="--" pos="$." morph="--" />
</terminals>
<nonterminals>
<nt id="s7_500" cat="VP"><edge label="MO" idref="s7_1"/><edge label="HD" idref="s7_3"/></nt>
<nt id="s7_501" cat="S"><edge label="HD" idref="s7_2"/><edge label="OC" idref="s7_502"/></nt>
<nt id="s7_502" cat="VP"><edge label="OC" idref="s7_500"/><edge label="HD" idref="s7_4"/></nt>
<nt id="s7_VROOT" cat="VROOT"><edge label="--" idref="s7_501"/><edge label="--" idref="s7_5"/></nt>
</nonterminals>
</graph><matches><match subgraph="s7_501"/></matches></s>
<s id="s8"><graph root="s8_VROOT"><terminals><t id="s8_1" word="Ja" pos="ITJ"/></terminals>
<nonterminals><nt id="s8_500" cat="DL"><edge label="HD" idref="s8_1"/></nt>
<nt id="s8_VROOT" cat="VROOT"><edge label="--" idref="s8_500"/></nt></nonterminals></graph></s>
</body></corpus>
"""


def test_the_same_trees_are_the_same_in_all_formats(file):
    export, tiger = read(file("a.export", EXPORT)), read(file("a.xml", TIGER))
    discbracket = read(file("a.dbr", DISCBRACKET))
    assert [corpus.format for corpus in (export, tiger, discbracket)] == ["export", "tigerxml", "discbracket"]
    first = ["VROOT[Darüber muß nachgedacht werden .]-1", "S[Darüber muß nachgedacht werden]0"]
    first += ["VP[Darüber_nachgedacht werden]1", "VP[Darüber_nachgedacht]2"]
    assert drawn(export) == drawn(tiger) == drawn(discbracket) == [first, ["VROOT[Ja]-1", "DL[Ja]0"]]
    for corpus in (tiger, discbracket):
        for name in ("sentence", "parent", "begin", "end", "above"):
            assert getattr(corpus.trees, name).tolist() == getattr(export.trees, name).tolist()
        assert corpus.trees.stretches == export.trees.stretches == {2: ((0, 1), (2, 4)), 3: ((0, 1), (2, 3))}
        assert corpus.forms.strings() == export.forms.strings()
        assert corpus.column("tag").strings() == export.column("tag").strings()
    assert export.trees.edges.strings() == tiger.trees.edges.strings() == ["--", "--", "OC", "OC", "--", "--"]
    assert export.column("edge").strings() == tiger.column("edge").strings() == ["MO", "HD", "HD", "HD", "--", "HD"]
    assert export.column("morph").strings() == tiger.column("morph").strings()
    assert export.notes == tiger.notes == ("1 secondary edges were left out",)


def test_sentences_keep_their_names_and_lines(file):
    export, tiger = read(file("a.export", EXPORT)), read(file("a.xml", TIGER))
    assert export.sentence_ids == ("7", "8")
    assert tiger.sentence_ids == ("s7", "s8")
    assert export.lines.tolist() == [6, 16]
    assert tiger.lines.tolist() == [5, 20]
    assert export.trees.lines.tolist() == [6, 6, 6, 6, 16, 16]


# --- export ---


def test_format_4_has_lemmas(file):
    text = (
        "#FORMAT 4\n#BOS 1\nThe\tthe\tDT\t--\tNK\t500\nend\tend\tNN\tsg\tNK\t500\n#500\t--\tNP\t--\t--\t0\n#EOS 1\n"
    )
    corpus = read(file("a.export", text))
    assert list(corpus.columns) == ["lemma", "morph", "edge", "tag"]
    assert corpus.column("lemma").strings() == ["the", "end"]
    assert corpus.column("tag").strings() == ["DT", "NN"]
    assert drawn(corpus) == [["VROOT[The end]-1", "NP[The end]0"]]


def test_columns_may_be_divided_by_spaces_and_low_numbers_are_words(file):
    corpus = read(file("a.export", "#BOS 1\n#12 CARD -- HD 500\n%  NN  -- HD 500\n#500 NP -- -- 0\n#EOS 1\n"))
    assert corpus.forms.strings() == ["#12", "%"]
    assert list(corpus.columns) == ["morph", "edge", "tag"]


def test_an_export_sentence_without_words_has_no_parse(file):
    corpus = read(file("a.export", "#BOS 1\n#EOS 1\n#BOS 2\nJa\tITJ\t--\t--\t0\n#EOS 2\n"))
    assert corpus.unparsed == {0}
    assert corpus.forms.strings() == ["", "Ja"]
    assert corpus.column("tag").strings() == ["--", "ITJ"]
    assert drawn(corpus) == [[], ["VROOT[Ja]-1"]]
    assert corpus.sentence_ids == ("1", "2")


def test_empty_elements_are_no_words_in_export_either(file):
    rows = "a\tN\t--\t--\t501\n*T*\t-NONE-\t--\t--\t502\n#501\tNP\t--\t--\t0\n#502\tNP\t--\t--\t0\n"
    corpus = read(file("a.export", f"#BOS 1\n{rows}#EOS 1\n"))
    assert drawn(corpus) == [["VROOT[a]-1", "NP[a]0"]]
    assert corpus.notes == ("empty elements left out: 1",)


WORD = "a\tN\t--\tHD\t500\n"
NODE = "#500\tNP\t--\t--\t0\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"#BOS 1\n{WORD}#EOS 1\n", "a.export:2: the parent 500 is not a node of sentence 1."),
        (
            f"#BOS 1\n{WORD}#500\tNP\t--\t--\t501\n#501\tNP\t--\t--\t500\n#EOS 1\n",
            "a.export:3: node #500 is above itself, in the sentence that begins in line 1. Correct the parents.",
        ),
        (
            f"#BOS 1\n{WORD}{NODE}#501\tPP\t--\t--\t500\n#EOS 1\n",
            "a.export:4: node #501 has nothing below it, in the sentence that begins in line 1. Correct the parents.",
        ),
        (
            f"#BOS 1\n{NODE}#EOS 1\n",
            "a.export:2: node #500 has nothing below it, in the sentence that begins in line 1. Correct the parents.",
        ),
        (f"#BOS 1\n{WORD}{NODE}{NODE}#EOS 1\n", "a.export:4: a second node #500 in sentence 1."),
        (
            f"#BOS 1\na\tN\t500\n{NODE}#EOS 1\n",
            "a.export:2: 3 columns, but a word or a node has 5 at least. They are word, tag, morph, edge, parent.",
        ),
        (
            f"#BOS 1\na\tN\t--\tHD\tx\n{NODE}#EOS 1\n",
            "a.export:2: the parent is 'x', not the number of a node.",
        ),
        (
            f"#BOS 1\n{WORD}{NODE}#BOS 2\n",
            "a.export:4: #BOS, but sentence 1 has not ended. Is its #EOS missing?",
        ),
        (
            f"#BOS 1\n{WORD}{NODE}#EOS 2\n",
            "a.export:4: #EOS 2 ends no sentence that was opened. Is its #BOS missing?",
        ),
        (f"#BOS 1\n{WORD}{NODE}", "a.export:1: sentence 1 has no end. Is the file cut short?"),
        (
            f"{WORD}#BOS 1\n",
            "a.export:1: 'a\\tN\\t--\\tHD\\t500' is outside a sentence. Is #BOS missing before it?",
        ),
        ("#FORMAT 5\n#BOS 1\n", "a.export:1: export format '5'. Formats 3 and 4 can be read."),
    ],
)
def test_faults_of_export_are_refused_with_their_place(file, text, message):
    assert refusal(read, file("a.export", text)) == message


# --- TigerXML ---


def tiger(terminals: str, nodes: str = "") -> str:
    return f'<corpus id="c"><body>\n<s id="s1"><graph>\n{terminals}\n{nodes}\n</graph></s>\n</body></corpus>'


A, B = '<t id="a" word="a" pos="N"/>', '<t id="b" word="&lt;" pos="V"/>'


def test_what_no_node_names_is_topmost(file):
    corpus = read(file("a.xml", tiger(A + B, '<nt id="n" cat="NP"><edge label="HD" idref="a"/></nt>')))
    assert corpus.forms.strings() == ["a", "<"]
    assert drawn(corpus) == [["NP[a]-1"]]
    assert corpus.trees.above.tolist() == [0, -1]
    assert corpus.column("edge").strings() == ["HD", "--"]
    assert list(corpus.columns) == ["edge", "tag"]


def test_a_long_description_before_the_sentences_is_enough_to_tell_the_format():
    head = '<?xml version="1.0"?>\n<corpus id="c">\n<head><annotation><feature name="pos" domain="T">'
    assert looks_tiger(head.split("\n"))
    assert not looks_tiger(["<?xml version='1.0'?>", "<chunkList>", "<tok>"])
    assert not looks_tiger(["the <corpus> with <s > and <t >"])


@pytest.mark.parametrize(
    ("terminals", "nodes", "message"),
    [
        ('<t id="a" word="" pos="N"/>', "", "a.xml:3: a <t> without a word. Give it the attribute word."),
        (A + A, "", "a.xml:3: the id 'a' is given twice, in sentence s1. Give each word and node its own."),
        (
            '<t word="a" pos="N"/>',
            "",
            "a.xml:3: an element without an id, in sentence s1. Give each word and node its own.",
        ),
        (A, '<nt id="n" cat="NP"><edge idref="x"/></nt>', "a.xml:4: 'x' is not a word or node of sentence s1."),
        (
            A,
            '<nt id="n" cat="NP"/>',
            "a.xml:4: node 'n' has nothing below it, in the sentence that begins in line 2. Correct the edges.",
        ),
        (
            A,
            '<nt id="n"><edge idref="m"/></nt><nt id="m"><edge idref="n"/><edge idref="a"/></nt>',
            "a.xml:4: node 'n' is above itself, in the sentence that begins in line 2. Correct the edges.",
        ),
        (
            A,
            '<nt id="n"><edge idref="a"/></nt><nt id="m"><edge idref="a"/></nt>',
            "a.xml:4: 'a' has a second parent. A tree has one edge to each; others are written <secedge>.",
        ),
        (
            '<edge idref="a"/>',
            A,
            "a.xml:3: an <edge> outside of an <nt>. Put it into the node that it begins at.",
        ),
        (
            A + "&x;",
            "",
            "a.xml:3: not well-formed XML (undefined entity). In text, & is written &amp; and < is written &lt;",
        ),
    ],
)
def test_faults_of_tigerxml_are_refused_with_their_place(file, terminals, nodes, message):
    assert refusal(read, file("a.xml", tiger(terminals, nodes)), input_format="tigerxml") == message


def test_entities_are_refused(file):
    bomb = '<!DOCTYPE corpus [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>\n' + tiger(A)
    assert refusal(read, file("a.xml", bomb), input_format="tigerxml") == (
        "a.xml:1: declares the entity 'a', which is not allowed here. Write the text itself in its place."
    )
    outside = '<!DOCTYPE corpus SYSTEM "tiger.dtd">\n' + tiger('<t id="a" word="&x;" pos="N"/>')
    message = refusal(read, file("b.xml", outside), input_format="tigerxml")
    assert message.startswith("b.xml:4: ")
    assert "Traceback" not in message


def test_a_file_that_is_cut_short_is_refused(file):
    name = file("a.xml", TIGER[:-12])
    assert refusal(read, name).startswith("a.xml:23: not well-formed XML")


# --- without #FORMAT ---

FOUR = "#BOS 1\nDie\tdie\tART\t--\tNK\t500\nEnde\tEnde\tNN\tNom\tNK\t500\n#500\t--\tNP\t--\t--\t0\n#EOS 1\n"


def test_format_4_is_told_without_its_line_and_said(file):
    told, said = read(file("a.export", FOUR)), read(file("b.export", f"#FORMAT 4\n{FOUR}"))
    assert drawn(told) == drawn(said) == [["VROOT[Die Ende]-1", "NP[Die Ende]0"]]
    assert told.column("lemma").strings() == ["die", "Ende"]
    assert told.notes == ("sentences without a line #FORMAT, read as format 4: 1",)
    assert said.notes == ()


def test_parents_that_may_be_in_two_columns_are_not_guessed_among(file):
    text = "#BOS 1\na\tX\t--\t--\t0\t0\n#EOS 1\n"
    assert refusal(read, file("a.export", text)) == (
        "a.export: without a line #FORMAT, and parents may be in column 5 or 6. Put #FORMAT 3 or #FORMAT 4 into the "
        "first line."
    )
