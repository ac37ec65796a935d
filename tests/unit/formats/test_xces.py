"""XCES and CCL."""

from __future__ import annotations

import gzip
import io
from types import SimpleNamespace

import pytest

import assay
from assay.formats import read, source
from assay.formats.readings import looks_xces
from unit.samples import conllu, refusal, tagged

CCL = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE chunkList SYSTEM "ccl.dtd">
<chunkList>
 <chunk id="ch1" type="p">
  <sentence id="s1">
   <tok>
    <orth>Ma</orth>
    <lex><base>mój</base><ctag>adj:sg:nom:f:pos</ctag></lex>
    <lex disamb="1"><base>mieć</base><ctag>fin:sg:ter:imperf</ctag></lex>
    <ann chan="np" head="1">1</ann>
    <prop key="sense">mieć-1</prop>
   </tok>
   <tok>
    <orth>psa</orth>
    <lex disamb="1"><base>pies</base><ctag>subst:sg:gen:m2</ctag></lex>
    <lex disamb="1"><base>pies</base><ctag>subst:sg:acc:m2</ctag></lex>
    <lex disamb="0"><base>psa</base><ctag>subst:sg:nom:f</ctag></lex>
   </tok>
   <ns/>
   <tok><orth>.</orth><lex disamb="1"><base>.</base><ctag>interp</ctag></lex></tok>
  </sentence>
  <sentence id="s2">
   <tok><orth>Qz</orth></tok>
  </sentence>
 </chunk>
</chunkList>
"""

XCES = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE cesAna SYSTEM "xcesAnaIPI.dtd">
<cesAna version="1.0" type="lex disamb">
<chunkList>
<chunk id="p1" type="p">
<chunk id="s1" type="s">
<tok><orth>To</orth><lex disamb="1"><base>to</base><ctag>subst:sg:nom:n</ctag></lex></tok>
</chunk>
<chunk id="s2" type="s"><tok><orth>Tak</orth><lex disamb="1"><base>tak</base><ctag>qub</ctag></lex></tok><ns/>
<tok><orth>!</orth><lex disamb="1"><base>!</base><ctag>interp</ctag></lex></tok></chunk>
</chunk>
</chunkList>
</cesAna>
"""


def tok(form: str, *tags: str, others: tuple[str, ...] = (), base: str = "b") -> str:
    chosen = "".join(f'<lex disamb="1"><base>{base}</base><ctag>{tag}</ctag></lex>' for tag in tags)
    rest = "".join(f"<lex><base>{base}</base><ctag>{tag}</ctag></lex>" for tag in others)
    return f"<tok><orth>{form}</orth>{chosen}{rest}</tok>\n"


def xces(*sentences: str) -> str:
    return "<chunkList>\n" + "".join(f"<sentence>\n{text}</sentence>\n" for text in sentences) + "</chunkList>\n"


# --- content ---


def test_ccl_gives_words_and_their_readings(file):
    corpus = read(file("a.xml", CCL))
    assert corpus.format == "xces"
    assert corpus.forms.strings() == ["Ma", "psa", ".", "Qz"]
    assert corpus.columns["tag"].strings() == [
        "fin:sg:ter:imperf",
        "subst:sg:acc:m2 | subst:sg:gen:m2",
        "interp",
        "_",
    ]
    assert corpus.columns["lemma"].strings() == ["mieć", "pies", ".", "_"]
    assert corpus.columns["candidates"].strings() == [
        "adj:sg:nom:f:pos | fin:sg:ter:imperf",
        "subst:sg:acc:m2 | subst:sg:gen:m2 | subst:sg:nom:f",
        "interp",
        "_",
    ]
    assert corpus.starts.tolist() == [0, 3, 4]


def test_xces_cuts_at_chunks_of_type_s(file):
    corpus = read(file("a.xml", XCES))
    assert corpus.forms.strings() == ["To", "Tak", "!"]
    assert corpus.columns["tag"].strings() == ["subst:sg:nom:n", "qub", "interp"]
    assert corpus.starts.tolist() == [0, 1, 3]


def test_places_are_the_line_of_the_first_token_of_the_sentence(file):
    ccl, xml = read(file("a.xml", CCL)), read(file("b.xml", XCES))
    assert [ccl.place(word) for word in range(4)] == ["a.xml:6", "a.xml:6", "a.xml:6", "a.xml:23"]
    assert [xml.place(word) for word in range(3)] == ["b.xml:7", "b.xml:9", "b.xml:9"]


def test_a_file_is_one_document(file):
    corpus = read(file("a.xml", CCL + "<!-- end -->\n"))
    assert [corpus.document_name(i) for i in range(corpus.documents)] == ["a"]


def test_readings_that_differ_in_lemma_only_are_one_tag(file):
    lexes = "".join(f'<lex disamb="1"><base>{base}</base><ctag>X</ctag></lex>' for base in ("b", "a", "b"))
    corpus = read(file("a.xml", xces(f"<tok><orth>w</orth>{lexes}</tok>")))
    assert corpus.columns["tag"].strings() == ["X"]
    assert corpus.columns["lemma"].strings() == ["a | b"]


def test_without_any_disamb_the_tags_are_empty_and_the_candidates_there(file):
    name = file("a.xml", xces(tok("a", others=("Y", "X")), tok("b", others=("Z",))))
    corpus = read(name)
    assert corpus.is_empty("tag")
    assert corpus.is_empty("lemma")
    assert corpus.columns["candidates"].strings() == ["X | Y", "Z"]
    gold = file("gold.xml", xces(tok("a", "X"), tok("b", "Z")))
    assert "column tag is empty" in refusal(assay.score, gold, name)


def test_tokens_without_sentences_are_cut_at_chunks(file):
    text = (
        f"<chunkList><chunk type='p'>{tok('a', 'X')}{tok('b', 'X')}</chunk><chunk>{tok('c', 'X')}</chunk></chunkList>"
    )
    assert read(file("a.xml", text)).starts.tolist() == [0, 2, 3]
    assert read(file("b.xml", f"<chunkList>{tok('a', 'X')}{tok('b', 'X')}</chunkList>")).starts.tolist() == [0, 2]


def test_a_phrase_within_a_sentence_does_not_cut_it(file):
    sentence = f"<chunk type='np'>{tok('a', 'X')}</chunk>{tok('b', 'X')}<group>{tok('c', 'X')}</group>"
    corpus = read(file("a.xml", f"<chunkList><chunk type='s'>{sentence}</chunk></chunkList>"))
    assert corpus.starts.tolist() == [0, 3]


def test_a_sentence_without_tokens_is_none(file):
    assert read(file("a.xml", xces("", tok("a", "X"), "", tok("b", "X")))).starts.tolist() == [0, 1, 2]


def test_characters_and_the_entities_of_xml_are_read(file):
    text = xces(
        tok("&lt;a&gt; &amp; &#x17B;", "X") + tok("10 000", "X") + tok("<![CDATA[&]]>", "X") + tok("\n z \n", "X")
    )
    assert read(file("a.xml", text)).forms.strings() == ["<a> & Ż", "10 000", "&", "z"]


def test_text_outside_tokens_is_passed_over(file):
    text = xces(
        "<syntok><orth>ab</orth><lex disamb='1'><base>q</base><ctag>Q</ctag></lex>" + tok("a", "X") + "</syntok>"
    )
    corpus = read(file("a.xml", text))
    assert corpus.forms.strings() == ["a"]
    assert corpus.columns["candidates"].strings() == ["X"]


def test_columns_may_be_called_as_in_other_formats(file):
    name = file("a.xml", CCL)
    for asked in ("tag", "TAG", "XPOS", "POS", "label", "ctag"):
        assert list(read(name, columns=[asked]).columns) == ["tag"]
    assert list(read(name, columns=["LEMMA", "candidates"]).columns) == ["lemma", "candidates"]
    assert read(name, columns=[]).columns == {}
    assert refusal(read, name, columns=["UPOS"]) == (
        "a.xml: there is no column 'UPOS'. Available: candidates, lemma, tag."
    )


# --- how it comes ---


def test_it_is_told_by_its_first_lines():
    assert looks_xces(CCL.split("\n"))
    assert looks_xces(XCES.split("\n"))
    assert looks_xces(["", "<cesAna><chunkList><chunk>"])
    assert not looks_xces(['<?xml version="1.0"?>', "<TEI><w>a</w></TEI>"])
    assert not looks_xces(["<s>", "the\tDT", "<tok\tX", "</s>"])


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_it_may_come_in_pieces_of_any_size(file, monkeypatch, size):
    monkeypatch.setattr(source, "BATCH", size)
    text = xces(*(tok(f"ż{i}", "X", "Y") + "<ns/>\n" + tok("b", "Z") for i in range(50)))
    corpus = read(file("a.xml", text))
    assert corpus.forms.strings()[::2] == [f"ż{i}" for i in range(50)]
    assert corpus.starts.tolist() == list(range(0, 101, 2))
    assert corpus.place(98) == f"a.xml:{3 + 49 * 5}"


def test_packed_windows_marked_and_one_line_files_read_the_same(file, monkeypatch):
    plain = read(file("a.xml", CCL))
    variants = [
        read(file("a.xml.gz", gzip.compress(CCL.encode()))),
        read(file("b.xml", CCL.replace("\n", "\r\n"))),
        read(file("c.xml", b"\xef\xbb\xbf" + CCL.encode())),
        read(file("d.xml", CCL.replace("\n", " "))),
    ]
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BufferedReader(io.BytesIO(CCL.encode()))))
    variants.append(read("-"))
    for corpus in variants:
        assert corpus.forms.strings() == plain.forms.strings()
        assert corpus.columns["tag"].strings() == plain.columns["tag"].strings()
        assert corpus.starts.tolist() == plain.starts.tolist()
    assert variants[1].place(3) == "b.xml:23"


def test_a_stale_declaration_of_the_encoding_does_no_harm(file):
    text = CCL.replace("UTF-8", "ISO-8859-2")
    assert read(file("a.xml", text)).columns["lemma"].strings()[0] == "mieć"


def test_files_of_a_folder_are_documents(file):
    file("all/a.xml", CCL)
    file("all/b.xml", XCES)
    corpus = read("all")
    assert corpus.forms.strings() == ["Ma", "psa", ".", "Qz", "To", "Tak", "!"]
    assert [corpus.document_name(i) for i in range(corpus.documents)] == ["a", "b"]
    assert corpus.place(5) == "all/b.xml:9"


# --- refusals ---


def test_a_bare_ampersand_is_refused_with_its_line(file):
    name = file("a.xml", xces(tok("a", "X") + tok("b & c", "X")))
    assert refusal(read, name) == (
        "a.xml:4: not well-formed XML (not well-formed (invalid token)). "
        "In text, & is written &amp; and < is written &lt;"
    )


def test_wrong_nesting_is_refused_with_its_line(file):
    message = refusal(read, file("a.xml", CCL.replace("</lex>\n    <ann", "</tok>\n    <ann")))
    assert message.startswith("a.xml:9: not well-formed XML (mismatched tag).")


@pytest.mark.parametrize("cut", ['  <sentence id="s2">', "h>\n    <lex>", "</chunkList>"])
def test_a_file_cut_short_is_refused(file, cut):
    name = file("a.xml", CCL[: CCL.index(cut)])
    assert refusal(read, name, input_format="xces").endswith("). Is the file cut short? Copy or make it again.")


def test_two_documents_in_one_file_are_refused(file):
    message = refusal(read, file("a.xml", xces(tok("a", "X")) + xces(tok("b", "X"))))
    assert message.startswith("a.xml:6: not well-formed XML (junk after document element). Are these several")


@pytest.mark.parametrize("inner", ["<lex><base>a</base><ctag>X</ctag></lex>", "<orth> </orth>"])
def test_a_token_without_a_word_is_refused(file, inner):
    name = file("a.xml", xces(tok("a", "X") + f"<tok>\n{inner}\n</tok>"))
    assert refusal(read, name) == "a.xml:4: a <tok> without a word. Put the word into <orth>."


def test_a_token_within_a_token_is_refused(file):
    name = file("a.xml", xces(f"<tok><orth>a</orth>\n{tok('b', 'X')}</tok>\n"))
    assert refusal(read, name) == "a.xml:5: a <tok> without a word. Put the word into <orth>."


def test_a_file_without_tokens_has_no_words(file):
    assert refusal(read, file("a.xml", xces(""))) == "a.xml: contains no words."


def test_bytes_that_are_not_utf8_are_refused_with_their_line(file):
    name = file("a.xml", CCL.encode("iso-8859-2"))
    assert refusal(read, name).startswith("a.xml:8: byte 0xF3 is not UTF-8.")


# --- hostile files ---


def test_entities_that_multiply_are_refused_at_once(file):
    nested = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">\n' for i in range(1, 20))
    text = f'<?xml version="1.0"?>\n<!DOCTYPE chunkList [\n<!ENTITY e0 "lol">\n{nested}]>\n' + xces(tok("&e19;", "X"))
    message = refusal(read, file("a.xml", text))
    assert message == (
        "a.xml:3: declares the entity 'e0', which is not allowed here. Write the text itself in its place."
    )


@pytest.mark.parametrize(
    "declaration",
    ['<!ENTITY x SYSTEM "secret.txt">', '<!ENTITY % x SYSTEM "secret.txt"> %x;', '<!ENTITY x PUBLIC "p" "u">'],
)
def test_external_entities_are_refused_not_fetched(file, declaration):
    file("secret.txt", "secret")
    text = f"<!DOCTYPE chunkList [{declaration}]>\n" + xces(tok("&x;", "X"))
    message = refusal(read, file("a.xml", '<?xml version="1.0"?>\n' + text))
    assert message.startswith("a.xml:2: declares the entity 'x'")
    assert "\n" not in message


def test_an_external_dtd_is_not_loaded(file):
    file("ccl.dtd", '<!ENTITY x "from the DTD"><!ATTLIST lex disamb CDATA "1">')
    corpus = read(file("a.xml", CCL))
    assert corpus.columns["tag"].strings()[0] == "fin:sg:ter:imperf"
    message = refusal(read, file("b.xml", CCL.replace(">psa<", ">&x;<")))
    assert message == (
        "b.xml:14: the entity &x; is declared nowhere in the file, and DTDs are not loaded. "
        "Write the character itself in its place."
    )


def test_deep_nesting_is_no_harm(file):
    depth = 100_000
    text = "<chunkList>" + "<chunk>" * depth + tok("a", "X") + "</chunk>" * depth + "</chunkList>"
    assert read(file("a.xml", text)).forms.strings() == ["a"]


# --- scoring ---


def test_one_wrong_tag_of_four(file):
    gold = file("gold.xml", xces(tok("a", "X") + tok("b", "Y", "Z"), tok("c", "X") + tok("d", "X")))
    system = file("sys.xml", xces(tok("a", "X") + tok("b", "Z", "Y"), tok("c", "X") + tok("d", "Y", others=("X",))))
    for options in ({"column": "tag"}, {"column": "XPOS"}, {}):
        assert assay.score(gold, system, **options).scores[0].value == 0.75


def test_gold_of_another_format_may_call_the_column_otherwise(file):
    gold = file("gold.pos", "a/X b/Y\n")
    system = file("sys.xml", xces(tok("a", "X") + tok("b", "Y")))
    assert assay.score(gold, system).scores[0].value == 1
    gold = file(
        "gold.conllu", conllu(tagged("a/X b/Y")).replace("\tX\t_\t", "\t_\tX\t").replace("\tY\t_\t", "\t_\tZ\t")
    )
    assert assay.score(gold, system, column="XPOS").scores[0].value == 0.5
