"""Small valid files of every format and every task, to begin from."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from assay.demo import FOLDER
from assay.formats import FORMATS
from coreftexts import documents

EVENTS = Path(__file__).parents[1] / "data" / "records" / "formats"
DOORS = Path(__file__).parents[1] / "data" / "doors"
LIBRARIES = tuple(
    (DOORS / name).read_text("utf-8")
    for name in ("gliner/train.json", "spacy/tuples.json", "tacred/test.json", "hf/strings.jsonl")
)
PREDICTIONS = (DOORS / "gliner" / "predictions.json").read_text("utf-8")

CONLLU = """\
# newdoc id = d1
# sent_id = s1
# text = Ja, im Café.
1\tJa\tja\tINTJ\tITJ\t_\t0\troot\t_\tSpaceAfter=No
2\t,\t,\tPUNCT\t$,\t_\t1\tpunct\t_\t_
3-4\tim\t_\t_\t_\t_\t_\t_\t_\t_
3\tin\tin\tADP\tAPPR\t_\t5\tcase\t_\t_
4\tdem\tder\tDET\tART\tCase=Dat|Gender=Neut\t5\tdet\t_\t_
5\tCafé\tCafé\tNOUN\tNN\tCase=Dat\t1\tobl\t_\tSpaceAfter=No
5.1\tist\tsein\tVERB\t_\t_\t_\t_\t1:dep\t_
6\t.\t.\tPUNCT\t$.\t_\t1\tpunct\t_\t_

# sent_id = s2
1\tSie\tsie\tPRON\tPPER\t_\t2\tnsubj\t_\t_
2\tlacht\tlachen\tVERB\tVVFIN\t_\t0\troot\t_\t_

# newdoc id = d2
# sent_id = s3
1\tEnde\tEnde\tNOUN\tNN\t_\t0\troot\t_\t_
"""
CAS_XMI = """\
<?xml version="1.0" encoding="UTF-8"?>
<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:s="http:///a/seg.ecore" xmlns:b="http:///a/b.ecore">
<cas:NULL xmi:id="0"/>
<s:Sentence xmi:id="2" sofa="1" begin="0" end="12"/>
<s:Token xmi:id="3" sofa="1" begin="0" end="2"/>
<s:Token xmi:id="4" sofa="1" begin="3" end="6"/>
<s:Token xmi:id="5" sofa="1" begin="7" end="12"/>
<b:Entity xmi:id="6" sofa="1" begin="3" end="6" value="PER" identifier="Q1" Roles="9"/>
<b:Entity xmi:id="7" sofa="1" begin="7" end="12" value="LOC"/>
<b:Rel xmi:id="8" sofa="1" begin="7" end="12" Governor="6" Dependent="7" value="in"/>
<b:RolesLink xmi:id="9" role="place" target="7"/>
<b:CoreferenceLink xmi:id="10" sofa="1" begin="3" end="6" referenceType="nam" next="11"/>
<b:CoreferenceLink xmi:id="11" sofa="1" begin="7" end="12" referenceType="nom"/>
<b:CoreferenceChain xmi:id="12" first="10"/>
<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text" sofaString="😀 Zoë Łódź!"/>
<cas:View sofa="1" members="2 3 4 5 6 7 8"/>
</xmi:XMI>
"""
CAS_JSON = (
    '{"%TYPES": {}, "%FEATURE_STRUCTURES": ['
    '{"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaID": "v", "sofaString": "😀 Zoë"},'
    ' {"%ID": 2, "%TYPE": "a.b.Entity", "@sofa": 1, "begin": 3, "end": 6, "value": "PER", "@Roles": 4},'
    ' {"%ID": 4, "%TYPE": "uima.cas.FSArray", "%ELEMENTS": [5]},'
    ' {"%ID": 5, "%TYPE": "a.b.Link", "role": "x", "@target": 2}], "%VIEWS": {}}\n'
)
WEBANNO = """\
#FORMAT=WebAnno TSV 3.3
#T_SP=a.b.NamedEntity|identifier|value
#T_CH=a.b.CoreferenceLink|referenceType|referenceRelation
#T_RL=webanno.custom.Rel|value|BT_a.b.NamedEntity


#Text=😀 Zoë left Café Ünïon.
1-1\t0-2\t😀\t_\t_\t_\t_\t_\t_\t
1-2\t3-6\tZoë\t*\tPER\tnom[1]\tcoref->1-1\t_\t_\t
1-3\t7-11\tleft\t_\t_\t_\t_\t_\t_\t
1-4\t12-16\tCafé\tQ1[1]|*[2]\tORG[1]|a\\|b[2]\t_\t_\tin\t1-2[0_1]\t
1-5\t17-22\tÜnïon\tQ1[1]\tORG[1]\t_\t_\t_\t_\t
1-5.1\t17-19\tÜn\t_\t*\t_\t_\t_\t_\t
1-6\t22-23\t.\t_\t_\t_\t_\t_\t_\t

#Sentence.id=s2
#Text=She left.
2-1\t24-27\tShe\t_\t_\tpro[1]\t*->1-2\t_\t_\t
2-2\t28-32\tleft\t_\t_\t_\t_\t_\t_\t
2-3\t32-33\t.\t_\t_\t_\t_\t_\t_\t
"""
SLOTS = """\
#FORMAT=WebAnno TSV 3.2
#T_SP=webanno.custom.Frame|value|ROLE_webanno.custom.Frame:Roles_webanno.custom.FrameRolesLink|webanno.custom.Frame


#Text=Ann sold it
1-1\t0-3\tAnn\tperson\t_\t*\t
1-2\t4-8\tsold\tsell\tseller;goods\t1-1;1-3\t
1-3\t9-11\tit\tthing\t_\t*\t
"""
PLUS = "# global.columns = ID FORM UPOS NER\n1\tAnn\tPROPN\tB-PER\n2\tleft\tVERB\tO\n\n1\tRome\tPROPN\tB-LOC\n"
COREFUD = """\
# global.Entity = eid-etype-head-other
# newdoc id = a
1\tAnn\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1-person-1)
2\tsaw\t_\t_\t_\t_\t_\t_\t_\t_
3\tthe\t_\t_\t_\t_\t_\t_\t_\tEntity=(e2-animal-2
4\tdog\t_\t_\t_\t_\t_\t_\t_\tEntity=e2)(e5[1/2]-x-1)
5\tand\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No|Entity=(e5[2/2]-x-1)
5.1\tshe\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1-person-1)

1\tIt\t_\t_\t_\t_\t_\t_\t_\tEntity=(e2-animal-1)
2\tran\t_\t_\t_\t_\t_\t_\t_\t_

# newdoc id = b
1\tBob\t_\t_\t_\t_\t_\t_\t_\tEntity=(e3-person-1(e4-x)
2\tJones\t_\t_\t_\t_\t_\t_\t_\tEntity=e3)
"""
ZEROS = """\
# newdoc id = a
# global.Entity = eid-etype-head-other
1\tThen\t_\tADV\t_\t_\t2\tadvmod\t_\t_
1.1\t_\t_\t_\t_\t_\t_\t_\t2:nsubj|3:obl\tEntity=(e1-person-1)
2\tgave\t_\tVERB\t_\t_\t0\troot\t_\t_
3\tthe\t_\tDET\t_\t_\t4\tdet\t_\tEntity=(e2-object-3
3.1\t_\t_\t_\t_\t_\t_\t_\t4:amod\t_
4\tkey\t_\tNOUN\t_\t_\t2\tobj\t_\tEntity=e2)

0.1\t_\t_\t_\t_\t_\t_\t_\t1:nsubj\tEntity=(e1-person-1)
1\tran\t_\tVERB\t_\t_\t0\troot\t_\t_
1.1\t_\t_\t_\t_\t_\t_\t_\t1:obj\tEntity=(e2-object-1)
"""
TAGGED = "Then gave ##|[e1] the|[e2 key|e2] ran ##|[e1] ##|[e2]\n"
NUMBERED = "1\tThe\tDT\n2\tend\tNN\n\n1\tGo\tVB\n2\t!\t.\n"
NUMBERED_AND_HEADED = "id\tform\tner\n1\tAnn\tB-PER\n2\tleft\tO\n\n1\tRome\tB-LOC\n"
SPACED = "# sent_id = s1\n1 The the DET DT _ 2 det _ _\n2 end end NOUN NN _ 0 root _ _\n"
IOB = """\
-DOCSTART- -X- O

Ann NNP B-PER
Lee NNP I-PER
left VBD O
New NNP B-LOC
York NNP I-LOC

They PRP O
met NN B-ORG
Ann NNP B-PER
"""
TSV = IOB.partition("\n\n")[2].replace(" ", "\t")
LAYERS = "Ann\tB-PER\tO\nLee\tI-PER\tB-LOC\nleft\tO\tO\n\nYork\tB-LOC|B-ORG\tB-X\n"
COMMENTED = "# newdoc id = d\n# sent_id = 1\n" + TSV.replace("They", "# sent_id = 2\n# text = #\n#")
HEADED = "id\tword\tpos\ttag\n1\tAnn\tNN\tB-PER\n2\tleft\tVB\tO\n\n<doc id='x'>\n<s>\n1\tHa\tUH\tO\n</s>\n"
SLASH = "Ann/NNP left/VBD ./.\nAnd\\/or/CC (/( http://x/y/NN\n\nEnd/NN\n"
DAG = """\
0\t1\tW\tw\tprep:acc\t\t\t0.2000\t\t\t
0\t1\tW\tw\tprep:loc\t\t\t0.8000\t\t\tdisamb
1\t2\tcelu\tcel:s\tsubst:sg:loc:m3\t\t\t1.0000\t\t\tdisamb
2\t4\tnaprzemian\tn\tign\t\t\t0.0000\t\t\t
2\t3\tna\tna\tprep:acc\t\t\t0.9000\t\t\tdisamb
3\t4\tprzemian\tp\tsubst:sg:acc:m3\t\t\t1.0000\t\t\tdisamb
4\t5\t.\t.\tinterp\t\t\t1.0000\t\teos\tdisamb

0\t3\t0,29\t0\tdig\t\t\t1.0000\t\t\tdisamb
0\t1\t0\t0\tdig\t\t\t0.0\t\t\t
1\t2\t,\t,\tinterp\t\t\t0.0\t\t\t
2\t3\t29\t29\tdig\t\t\t0.0\t\t\t
"""
CCL = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE chunkList SYSTEM "ccl.dtd">
<chunkList>
 <chunk id="ch1" type="p">
  <sentence id="s1">
   <tok><orth>Ma</orth>
    <lex><base>mój</base><ctag>adj:sg:nom:f:pos</ctag></lex>
    <lex disamb="1"><base>mieć</base><ctag>fin:sg:ter:imperf</ctag></lex><ann chan="np">1</ann>
   </tok><ns/>
   <tok><orth>psa &amp; kota</orth>
    <lex disamb="1"><base>pies</base><ctag>subst:sg:gen:m2</ctag></lex>
    <lex disamb="1"><base>pies</base><ctag>subst:sg:acc:m2</ctag></lex>
   </tok>
  </sentence>
  <sentence id="s2"><tok><orth>Qz</orth></tok></sentence>
 </chunk>
</chunkList>
"""
XCES = """\
<?xml version="1.0"?>
<cesAna version="1.0"><chunkList><chunk id="p1" type="p">
<chunk id="s1" type="s">
<tok><orth>To</orth><lex disamb="1"><base>to</base><ctag>subst:sg:nom:n</ctag></lex></tok>
</chunk><chunk id="s2" type="s"><tok><orth>!</orth><lex disamb="1"><base>!</base><ctag>interp</ctag></lex></tok>
</chunk></chunk></chunkList></cesAna>
"""
TIGER = """\
<?xml version="1.0" encoding="UTF-8"?>
<corpus id="c"><body>
<s id="s7"><graph root="s7_VROOT" discontinuous="true"><terminals>
<t id="s7_1" word="Darüber" lemma="darüber" pos="PROAV" morph="--" />
<t id="s7_2" word="muß" lemma="müssen" pos="VMFIN" morph="3.Sg.Pres.Ind" />
<t id="s7_3" word="nachgedacht" lemma="x" pos="VVPP" morph="--"><secedge label="OC" idref="s7_501"/></t>
</terminals><nonterminals>
<nt id="s7_500" cat="VP"><edge label="MO" idref="s7_1"/><edge label="HD" idref="s7_3"/></nt>
<nt id="s7_501" cat="S"><edge label="HD" idref="s7_2"/><edge label="OC" idref="s7_500"/></nt>
<nt id="s7_VROOT" cat="VROOT"><edge label="--" idref="s7_501"/></nt>
</nonterminals></graph></s>
<s id="s8"><graph root="s8_1"><terminals><t id="s8_1" word="Ja" pos="ITJ"/></terminals>
<nonterminals></nonterminals></graph></s>
</body></corpus>
"""
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
.\t\t$.\t--\t\t--\t0\t%% full stop
#500\t\tVP\t--\t\tOC\t501
#501\t\tS\t--\t\t--\t0
#EOS 7
#BOS 8
Ja\tITJ\t--\tHD\t500
#500\tDL\t--\t--\t0
#EOS 8
"""
DISC = "(VROOT (S (VP (PROAV 0=Darüber) (VVPP 2=nachgedacht)) (VMFIN 1=muß)) ($. 3=.))\n(VROOT (DL (ITJ 0=Ja)))\n"
BRACKETS = """\
( (S (NP-SBJ-1 (NNP John) (-LRB- -LRB-)) (VP (VBZ wants) (S (NP-SBJ (-NONE- *-1)) (VP (TO to) (VP (VB go)))))))
(TOP (NP (DT The)
   (NN end)))  (UH Oh)

(S (NP the) (VP=2 (VBZ e\\/nds)))
"""
CROWDED = "(NP (NN a)) (NP (NN b))\n(VP (VB c)) (VB d)\n"
EXPORT_4 = "#BOS 1\nDie\tdie\tART\t--\tNK\t500\nEnde\tEnde\tNN\tNom\tNK\t500\n#500\t--\tNP\t--\t--\t0\n#EOS 1\n"
SPANS = "PER\t1\t2\t1, 2\nORG\t5\t5\t5\nA\t1\t7\t1, 2, 5,7\n\nNONE\t999\t999\t999\n\nLOC\t3\t3\t3\n"
BRAT = "T1\tPER 0 13\tAngela Merkel\nT2\tLOC 19 24;35 42\tNorth America\nE1\tMove:T2 Who:T1\n#1\tNote T1\tx\n"
BRAT_RELATIONS = """\
R1\tleft Arg1:T1 Arg2:T2
T2\tLOC 19 24;35 42\tNorth America
T1\tPER 0 13\tAngela Merkel
T3\tMove 14 18\tleft
E1\tMove:T3 Who:T1 From2:E2
E2\tLOC:T2
*\tsame T1 T3 T2
N1\tReference T1 Wikidata:Q567\tAngela Merkel
N2\tReference T1 NIL
"""
BRAT_TEXT = "Angela Merkel left North and South America. "
JSONS = """\
{"id": "d1", "text": "Angela Merkel spoke 😀 there", "spans": [{"start": 0, "end": 13, "label": "PER"}]}
{"id": "d2", "text": "She left Rome", "label": [[9, 13, "LOC"], [0, 3, "PER"]]}
"""
TOKENS = '{"id": "d3", "tokens": ["She", "left"], "spans": [{"start": 0, "end": 1, "label": "P"}]}\n'
STUDIO = (
    '[{"data": {"text": "Ann left"}, "annotations": [{"result": [{"type": "labels", '
    '"value": {"start": 0, "end": 3, "labels": ["PER"]}}]}]}]'
)
MIN = (
    '[{"id": 1, "text": "Ann left", "annotator": 1, "annotation_id": 2, "updated_at": "2024-05-01T10:00:00Z", '
    '"ner": [{"start": 0, "end": 3, "text": "Ann", "labels": ["PER"]}]}]'
)
TOOLS = """\
{"id": 1, "text": "Ann left", "_input_hash": 1, "_annotator_id": "a", "_timestamp": 3, "answer": "accept", "spans": \
[{"start": 0, "end": 3, "label": "P"}], "meta": {"x": {"y": 1}}}
{"id": 1, "text": "Ann left", "_input_hash": 1, "_annotator_id": "a", "answer": "reject", "spans": []}
{"id": 2, "text": "😀 Ann", "annotator": "a", "spans": [[2, 5, "P"]]}
{"id": "3", "text": "Ann", "annotations": [{"start_offset": 0, "end_offset": 3, "label": 4, "user": 1}]}
"""
RECORD = (
    '[{"id": "r", "fields": {"text": "Ann left", "title": "t"}, "metadata": {"n": 1}, "suggestions": {"ner": '
    '{"value": [{"start": 0, "end": 3, "label": "P"}], "score": [0.5], "agent": "m"}}, "responses": {"ner": '
    '[{"value": [{"start": 0, "end": 3, "label": "P"}], "user_id": "u", "status": "submitted"}], "mood": '
    '[{"value": "x", "user_id": "u"}]}}]'
)
RELATED = """\
{"id": 1, "text": "Ann left Rome", "spans": [{"id": "a", "start": 0, "end": 3, "label": "P", "links": [{"id": "Q1", \
"score": 0.5}, "Q2"]}, {"start": 9, "end": 13, "label": "L", "kb_id": "Q3"}], "relations": [{"label": "r", "head": \
"a", "tail": 1, "symmetric": true}, {"type": "s", "from": {"start": 4, "end": 8}, "to": {"start": 0, "end": 3}}]}
"""
SPERT = (
    '[{"tokens": ["Ann", "left"], "entities": [{"type": "P", "start": 0, "end": 1}], '
    '"relations": [{"type": "r", "head": 0, "tail": 0}], "orig_id": 3}]'
)
DYGIE = """\
{"doc_key": "d", "sentences": [["Ann", "saw"], ["Bob", "Lee"]], "ner": [[[0, 0, "P"]], [[2, 3, "P"], [3, 3, "X"]]], \
"relations": [[[0, 0, 2, 3, "r"], [0, 0, 1, 1, "s"]], []], "clusters": [[[0, 0], [3, 3]]]}
{"doc_key": "e", "sentences": [["No"]], "ner": [[]], "relations": [[]], "clusters": []}
"""
PREDICTED = re.sub('"(ner|relations|clusters)"', r'"predicted_\1"', DYGIE.replace('"P"]', '"P", 7.5, 0.9]'))
CLUSTERS = """\
{"doc_key": "d", "sentences": [["She", "saw", "her", "ox"], ["It"]], "clusters": [[[0, 0], [2, 2]], [[3, 3], [4, 4]]]}
{"doc_key": "e", "sentences": [["No", "one"]], "predicted_clusters": [], "speakers": [["a", "b"]]}
"""
CHAINS = documents(
    d1="[1 Ann] saw [2 the dog] .|[1 She] liked [2 it] .", d2="[1 Bob [2 Lee]] left .|[1 He] saw [2 him]"
)
GRAPHS = (FOLDER / "graphs" / "learned.conllu").read_text("utf-8")
HIPE = (FOLDER / "links" / "context.tsv").read_text("utf-8")
NELEVAL = "d1\t0\t4\tQ90\t0.4\tLOC\tQ1\t0.9\tLOC\nd1\t10\t12\tNIL7\t0.7\tPER\n\nd2\t4\t9\nd1\t6\t7\tQ7\t\tPER\n"
SDP = (FOLDER / "graphs" / "learned.sdp").read_text("utf-8")
SDP_2014 = ["\t".join([*row[:6], *row[7:]]) for line in SDP.splitlines()[1:] for row in [line.split("\t")]]
MRP = FORMATS["mrp"].example + "\n" + FORMATS["mrp"].example.replace('"1"', '"2"').replace("ARG1", "BV") + "\n"

ROLES = """\
1\tKim\tKim\tKim\tN\tN\t_\t_\t2\t2\tS\tS\t_\t_\tA0\tA0|C-A2
2\ttried\ttry\ttry\tV\tV\t_\t_\t0\t0\tR\tR\tY\ttry.01\t_\t-
3\tsleep\tsleep\tsleep\tV\tV\t_\t_\t2\t2\tO\tO\tY\tsleep.02\tA1\t_

1\tNo\tno\tno\tX\tX\t_\t_\t0\t0\tR\tR\t_\t_
"""
LISTED = """\
# global.columns = ID FORM UPOS UP:PRED UP:ARGHEADS UP:ARGSPANS
# sent_id = 1
1\tthe\tDET\t_\t_\t_
2\tend\tNOUN\t_\t_\t_
3\tcame\tVERB\tcome.01\tA1:2|AM-TMP:4\tA1:1-2|AM-TMP:4-4
4\tnow\tADV\t_\t_\t_

1\tGo\tVERB\tgo.02\t_\t_
"""
TAGGED_ROLES = """\
{"words": ["She", "did", "go"], "verbs": [{"verb": "did", "tags": ["B-A0", "B-V", "O"]}, {"tags": ["O", "O", "B-V"]}]}
{"words": ["No", "one"], "verbs": []}
{"id": "x", "words": ["It", "went", "on", "and", "on"], "predicate": 1, "tags": ["B-A1", "O", "B-A2", "I-A2", "I-A2"]}
"""
PROPS = """\
-\t(A0*\t*
-\t*A0)\t(A1*
give\t(V*)\t*)
-\t(A1(A2*))\t*
try\t(C-A0*)\t(V*)

-

go\t(V*)
"""
FRAMES = """\
#begin document (d); part 000
d\t0\t0\tShe\tPRP\t*\t-\t-\t-\t-\t*\t(ARG0*)\t(1)
d\t0\t1\tleft\tVBD\t*\tleave\t01\t-\t-\t*\t(V*)\t-
d\t0\t2\thome\tNN\t*\t-\t-\t-\t-\t*\t(ARG1*)\t-

#end document
"""
PROPOSITIONS = """\
# sent_id = 1
1\tKim\tKim\tN\tN\t_\t2\tnsubj\t_\t_\tA0
2\thas\thave\tV\tV\t_\t0\troot\tY\thave.01\t_
"""

SAMPLES = "".join(
    json.dumps({
        "doc_id": number, "doc": {"question": "q"}, "target": "1", "filter": "none", "metrics": ["acc"],
        "arguments": {f"gen_args_{one}": {"arg_0": "Q:", "arg_1": f" {one}"} for one in range(2)},
        "filtered_resps": [["-2", "False"], ["-1", "False"]], "acc": 1.0,
    }) + "\n"
    for number in range(2)
)
INSPECT_LOG = json.dumps({
    "version": 2, "status": "success", "eval": {"run_id": "r", "task": "t", "task_id": "i", "model": "m"},
    "samples": [
        {"id": number, "input": "q", "target": "Yes", "scores": {"match": {"value": value, "answer": "Yes"}}}
        for number, value in enumerate("CIP")
    ],
})

FILES: Mapping[str, tuple[str, ...]] = {
    "xces": (CCL, XCES),
    "tigerxml": (TIGER,),
    "export": (EXPORT, EXPORT_4),
    "discbracket": (DISC,),
    "brackets": (BRACKETS, CROWDED),
    "dag": (DAG,),
    "cas": (CAS_XMI, CAS_JSON),
    "webanno": (WEBANNO, SLOTS),
    "up2": (LISTED,),
    "up2-spans": (LISTED,),
    "up": (PROPOSITIONS,),
    "conll08": (),
    "props": (PROPS, PROPS.replace("\t", "  ")),
    "conll09": (ROLES, FORMATS["conll09"].example + "\n\n" + FORMATS["conll09"].example + "\n",),
    "conll2012": (CHAINS, CHAINS.replace("\t", "   ")),
    "conllu": (CONLLU, PLUS, COREFUD, ZEROS, GRAPHS),
    "conllx": (CONLLU.replace("3-4\tim\t_\t_\t_\t_\t_\t_\t_\t_\n", ""),),
    "sdp": (SDP, "\n".join(line for line in SDP_2014)),
    "mrp": (MRP,),
    "spans": (SPANS,),
    "hipe": (HIPE, HIPE.replace("# assay:document_id = ", "# x = ")),
    "aida": (
        "-DOCSTART- (1 A)\nEU\tB\tEU\t--NME--\nsaw\nNew\tB\tNew York\tNYC\thttp://x/NYC\t645\t/m/02\n"
        "York\tI\tNew York\tNYC\thttp://x/NYC\t645\t/m/02\n\n-DOCSTART- (2 B)\nRome\tB\tRome\tRome\n",
    ),
    "neleval": (NELEVAL,),
    "pubtator": ((DOORS / "pubtator" / "abstracts.txt").read_text("utf-8"),),
    "bioc": tuple((DOORS / "bioc" / name).read_text("utf-8") for name in ("col.xml", "col.json")),
    "brat": (BRAT, BRAT_RELATIONS),
    "dygie": (DYGIE, PREDICTED),
    "events": tuple(
        (EVENTS / f"{name}.jsonl").read_text("utf-8") for name in ("oneie", "oneie-output", "wikievents", "maven")
    ),
    "docred": (FORMATS["docred"].example.removeprefix("[").removesuffix("]") + "\n",),
    "biojson": (TAGGED_ROLES,),
    "text2text": (TAGGED, TAGGED.replace("|[e1]", "")),
    "clusters": (CLUSTERS,),
    "jsonl": (JSONS, STUDIO, MIN, TOOLS, RECORD, TOKENS, RELATED, SPERT, *LIBRARIES),
    "predictions": (PREDICTIONS,),
    "records": (
        '{"id": "1", "text": "x", "record": {"a": "x", "n": 1.5, "l": [{"k": "p"}]}}\n{"id": "2", "record": {}}\n',
        '[{"id": 1, "gold": [{"a": "2021-03-12"}, {"a": true}]}]',
    ),
    "parquet": (),
    "docbin": (),
    "answers": (
        (FOLDER / "answers" / "as-json.jsonl").read_text("utf-8"),
        (FOLDER / "answers" / "as-tags.jsonl").read_text("utf-8"),
    ),
    "items": (
        'id,text,label\n1,"He said ""no, never""\nand left",neg\n2,plain,pos\n',
        '{"id": 1, "labels": ["joy", "fear"]}\n{"id": 2, "labels": []}\n',
        "id\tprediction\tp:a\tp:b\nr1\ta\t0.7\t0.3\nr2\tb\t0.4\t0.6\n",
    ),
    "rels": (),
    "senses": (),
    "lm-eval": (SAMPLES,),
    "inspect": (INSPECT_LOG,),
    "ratings": (
        "item\tanna\tben\tcarl\nd1\tyes\tno\tyes\nd2\tno\t\tno\n",
        '{"anna": {"d1": "yes", "d2": "no"}, "ben": {"d1": "no"}}\n',
    ),
    "tsv": (TSV, LAYERS, HEADED, COMMENTED, NUMBERED, NUMBERED_AND_HEADED),
    "slash": (SLASH,),
    "conll": (IOB, COMMENTED.replace("\t", " "), NUMBERED.replace("\t", " "), SPACED),
}
"""By format, beside the example that each format has."""
PACKED = {
    "parquet": ((DOORS / "hf" / "rows.parquet").read_bytes(),),
    "docbin": ((DOORS / "spacy" / "gold.spacy").read_bytes(),),
}
"""Files that are no text; without their libraries they are refused."""


def seeds(name: str) -> list[bytes]:
    """The valid files of a format."""
    return [text.encode() for text in (FORMATS[name].example, *FILES[name])] + [*PACKED.get(name, ())]


DOCRED = FORMATS["docred"].example


def _cut(path: str, blocks: int, separator: str = "\n\n") -> str:
    return separator.join((FOLDER / path).read_text("utf-8").split(separator)[:blocks]) + separator


PAIRS: Mapping[str, tuple[str, tuple[str, ...], dict[str, str]]] = {
    "records": (
        "g.jsonl",
        (
            '{"id": "1", "record": {"a": "x", "n": 1.5, "l": [{"k": "p"}]}}\n{"id": "2", "record": {"a": null}}\n',
            '{"id": "1", "answer": "{\\"a\\": \\"x\\", \\"n\\": 2}"}\n{"id": "2", "record": {"l": ["p"], "t": 2}}\n',
        ),
        {},
    ),
    "items": ("g.csv", (_cut("messages/gold.csv", 12, "\n"), _cut("messages/learned.csv", 12, "\n")), {}),
    "numbers of items": ("g.csv", ("id,label\n1,2.5\n2,1\n3,4\n", "id,prediction\n3,4\n1,2\n2,1.5\n"), {}),
    "tags": ("g.conllu", (_cut("english/gold.conllu", 6), _cut("english/hanta.conllu", 6)), {"task": "tags"}),
    "tags in columns": ("g.tsv", (TSV, TSV.replace("VBD", "NN")), {"task": "tags", "column": "2"}),
    "numbered words": ("g.tsv", (NUMBERED, NUMBERED.replace("NN", "VB")), {"task": "tags"}),
    "roles": ("g.txt", (ROLES, ROLES.replace("A1", "A3")), {"task": "graphs"}),
    "roles of conll2012": ("g.conll", (FRAMES, FRAMES.replace("ARG1", "ARG2")), {"task": "graphs"}),
    "roles by tags": ("g.jsonl", (TAGGED_ROLES, TAGGED_ROLES.replace("B-A1", "B-A2")), {}),
    "roles that are listed": ("g.conllup", (LISTED, LISTED.replace("A1:2", "A1:1")), {}),
    "roles of stretches": ("g.props", (PROPS, PROPS.replace("A2", "A3")), {}),
    "tags of xces": ("g.xml", (CCL, CCL.replace("gen", "dat")), {"tagset": "nkjp"}),
    "tags of dag": ("g.dag", (DAG, DAG.replace("loc", "acc")), {}),
    "features": (
        "g.conllu",
        (_cut("english/gold.conllu", 4), _cut("english/gold.conllu", 4).replace("Sing", "Plur")),
        {"task": "tags", "tagset": "ud"},
    ),
    "entities": ("g.tsv", (_cut("entities/gold.tsv", 6), _cut("entities/rules.tsv", 6)), {"task": "spans"}),
    "span tables": ("g.spans", (SPANS, SPANS.replace("ORG\t5\t5\t5", "PER\t4\t5\t4, 5")), {}),
    "jsonl": ("g.jsonl", (JSONS, JSONS.replace('"end": 13', '"end": 6')), {}),
    "rows of words": ("g.jsonl", (LIBRARIES[3], LIBRARIES[3].replace("B-LOC", "B-PER")), {}),
    "predictions": ("g.json", (LIBRARIES[1], PREDICTIONS), {}),
    "answers": (
        "g.jsonl",
        (_cut("answers/gold.jsonl", 12, "\n"), _cut("answers/as-json.jsonl", 12, "\n")),
        {"input_format": "answers"},
    ),
    "events": (
        "g.jsonl",
        (
            (EVENTS / "dygie.jsonl").read_text("utf-8"),
            (EVENTS / "textee-predictions.jsonl").read_text("utf-8").replace("1, 2,", "1, 3,"),
        ),
        {"task": "events"},
    ),
    "dygie": ("g.json", (DYGIE, DYGIE.replace('3, 3, "X"', '2, 2, "X"')), {"task": "spans"}),
    "docred": ("g.json", (DOCRED, DOCRED.replace('"LOC"', '"ORG"')), {"task": "spans"}),
    "mentions": (
        "g.conllu",
        (COREFUD, COREFUD.replace("animal", "person")),
        {"task": "spans", "column": "MISC:Entity"},
    ),
    "dependencies": (
        "g.conllu",
        (_cut("trees/gold.conllu", 5), _cut("trees/arc-eager.conllu", 5)),
        {"task": "dependencies"},
    ),
    "dependencies with ranges": ("g.conllu", (CONLLU, CONLLU.replace("obl", "obj")), {"task": "dependencies"}),
    "enhanced dependencies": ("g.conllu", (_cut("graphs/gold.conllu", 8), GRAPHS), {"task": "graphs"}),
    "semantic dependencies": ("g.sdp", (_cut("graphs/gold.sdp", 4), SDP), {}),
    "graphs of mrp": ("g.mrp", (MRP, MRP.replace("BV", "loc")), {}),
    "links": ("g.tsv", (_cut("links/gold.tsv", 60, "\n"), _cut("links/lookup.tsv", 60, "\n")), {}),
    "links of neleval": ("g.tab", (NELEVAL, NELEVAL.replace("Q7", "Q90")), {"min_score": "0.1"}),
    "links in MISC": (
        "g.conllu",
        (COREFUD, COREFUD.replace("animal", "person")),
        {"task": "links", "column": "MISC:Entity", "link_field": "etype"},
    ),
    "brackets": ("g.mrg", (_cut("trees/gold.mrg", 6, "\n"), _cut("trees/pcfg-1.mrg", 6, "\n")), {}),
    "export": ("g.export", (EXPORT, EXPORT.replace("DL", "NP")), {}),
    "discbracket": ("g.disc", (DISC, DISC.replace("(DL", "(NP")), {}),
    "tigerxml": ("g.xml", (TIGER, TIGER.replace('"VP"', '"NP"')), {}),
    "coreference": (
        "g.conll",
        (
            _cut("coreference/key.conll", 2, "#end document\n"),
            _cut("coreference/string-match.conll", 2, "#end document\n"),
        ),
        {},
    ),
    "chains": ("g.conll", (CHAINS, CHAINS.replace("(2)", "(1)")), {}),
    "clusters": ("g.jsonl", (CLUSTERS, CLUSTERS.replace("[[0, 0], [2, 2]]", "[[0, 0], [1, 1]]")), {}),
    "corefud": (
        "g.conllu",
        (COREFUD, COREFUD.replace("Entity=(e2-animal-1)", "Entity=(e1-animal-1)")),
        {"task": "coreference", "zeros": "drop"},
    ),
    "zeros": (
        "g.conllu",
        (ZEROS, ZEROS.replace("1:nsubj\tEntity=(e1", "1:obj\tEntity=(e3")),
        {"task": "coreference"},
    ),
    "tagged": ("g.txt", (TAGGED, TAGGED.replace("ran ##|[e1]", "ran ##")), {"task": "coreference"}),
}
"""By task or way of writing: the name of the files, gold and a system, and the options that go with them."""
