"""Spans from all kinds of files to pairs: schemes, repair, layers, documents, tokens, mapping, known names."""

from __future__ import annotations

import json
import math

import pytest

import assay
from assay.engine.measure import find
from assay.engine.options import Options
from assay.engine.prepare import OpenFiles, prepare
from assay.render import FORMATS, render
from assay.result import Repair, Result
from cases import each
from commands import call
from unit.samples import placed, refusal, related, spans, tagged

NAMES = ("f1", "precision", "recall")


def bio(*sentences):
    """Sentences such as `Anna/B-PER ran/O` as two columns."""
    return "\n".join("".join(f"{word} {tag}\n" for word, tag in tagged(text)) for text in sentences)


def kinds(gold, system, measure="fair", **options):
    """The counts above zero of one system, without the numbers of spans."""
    result = assay.score(gold, {"s": system}, measure, times=5, **options)
    (found,) = [row.counts for row in result.counts if row.label is None and row.slice is None]
    return {name: number for name, number in found.items() if number and name not in ("gold", "system", "be")}


def said(gold, system, **options):
    """The warnings about what was read, without those about few units."""
    result = assay.score(gold, {"s": system}, times=5, **options)
    return [text for text in result.warnings if not text.startswith("There ")]


@pytest.fixture
def gold(file):
    return file("gold.conll", bio("Anna/B-PER saw/O New/B-LOC York/I-LOC", "He/O", "Bonn/B-LOC"))


# --- columns ---


def test_columns_of_tags_that_differ_between_files_are_warned_of(file):
    layered = file("layers.tsv", "New\tNNP\tB-LOC\nYork\tNNP\tI-LOC\nBank\tNN\tO\n")
    flat = file("flat.tsv", "New\tB-LOC\nYork\tI-LOC\nBank\tI-LOC\n")
    assert said(layered, flat)[:2] == [
        "gold: words are read from column 1, labels from column 3.",
        "s: words are read from column 1, labels from column 2.",
    ]
    assert said(layered, flat, column="3") == [], "the only column of labels is the one that is meant"


# --- schemes ---


@pytest.mark.parametrize(
    ("scheme", "tags"),
    [
        ("iob2", "Anna/B-PER saw/O New/B-LOC York/I-LOC"),
        ("bioes", "Anna/S-PER saw/O New/B-LOC York/E-LOC"),
        ("bilou", "Anna/U-PER saw/O New/B-LOC York/L-LOC"),
        ("bmeow", "Anna/W-PER saw/O New/B-LOC York/E-LOC"),
        ("ioe2", "Anna/E-PER saw/O New/I-LOC York/E-LOC"),
        ("io", "Anna/I-PER saw/O New/I-LOC York/I-LOC"),
    ],
)
def test_the_scheme_is_seen_by_the_whole_file_or_declared(file, scheme, tags):
    gold = file("gold.conll", bio(tags))
    for declared in ((), (scheme,), (f"gold={scheme}",), (scheme.upper(),)):
        result = assay.score(gold, {"s": gold}, "exact", scheme=declared, times=5)
        assert (result.about.task, result.about.scheme, result.about.items) == ("spans", scheme, 2)
        assert f"|scheme:{scheme}|atoms:words|" in result.signature


def test_a_declared_scheme_that_the_file_does_not_keep_is_refused(gold):
    assert refusal(assay.score, gold, gold, scheme=("bilou",), times=5) == (
        "gold.conll:1: B-PER before O, which BILOU does not allow (a span ends with L or U). Repair with --repair "
        "conlleval or discard, or give --scheme iob2; 2 more places."
    )


def test_a_system_may_have_a_scheme_of_its_own(file, gold):
    other = file("other.conll", bio("Anna/S-PER saw/O New/B-LOC York/E-LOC", "He/O", "Bonn/S-LOC"))
    for declared in ((), ("s=bioes",), ("gold=iob2",), ("iob2", "s=bioes")):
        assert kinds(gold, other, scheme=declared) == {"tp": 3}
        assert said(gold, other, scheme=declared) == ["s is read as BIOES, gold as IOB2."]


def test_tags_of_a_system_that_golds_scheme_can_express_are_read_in_it(file):
    """Not in another that they keep to as well: I after O is a mistake where gold begins its spans with B."""
    gold = file("gold.conll", bio("Anna/B-PER saw/O Bonn/B-LOC"))
    system = file("s.conll", bio("Anna/I-PER saw/O Bonn/I-LOC"))
    assert refusal(assay.score, gold, system, times=5) == (
        "s.conll:1: I-PER at the beginning of a sentence, which IOB2 does not allow (a span begins with B). Repair "
        "with --repair conlleval or discard, or give --scheme io; 1 more place."
    )
    assert kinds(gold, system, scheme=("s=io",)) == {"tp": 2}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scheme": ("iob3",)}, "there is no scheme 'iob3'. Did you mean iob or iob2 or iob1?"),
        ({"scheme": ("t=iob2",)}, "there is no system 't'. Available: gold, s."),
        ({"repair": "fix"}, "there is no repair 'fix'. Available: mend, drop, conlleval, discard."),
        ({"repair": "t=mend"}, "there is no system 't'. Available: gold, s."),
        ({"task": "chunks"}, "there is no task 'chunks'."),
    ],
)
def test_names_that_do_not_exist_are_refused(gold, options, message):
    assert refusal(assay.score, gold, {"s": gold}, times=5, **options).startswith(message)


def test_stacked_tags_are_nested_spans_where_they_are_declared(file):
    stacked = file("gold.conll", bio("the/B-ORG University/I-ORG of/I-ORG Bonn/I-ORG|B-LOC"))
    assert refusal(assay.score, stacked, stacked, times=5) == (
        "gold.conll:4: tag 'I-ORG|B-LOC' with |, which divides the levels of stacked tags. If they are, give "
        "--scheme stacked."
    )
    flat = file("s.conll", bio("the/B-ORG University/I-ORG of/I-ORG Bonn/I-ORG"))
    assert kinds(stacked, flat, scheme=("stacked",)) == {"tp": 1, "fn": 1}


# --- repair ---


@pytest.mark.parametrize(
    ("repair", "found"), [("conlleval", {"tp": 1, "fp": 1}), ("discard", {"fn": 1}), ("drop", {"fn": 1})]
)
def test_repairs_are_made_on_request_and_counted_file_by_file(file, repair, found):
    gold = file("gold.conll", bio("Anna/B-PER saw/O him/O"))
    broken = file("s.conll", bio("Anna/I-PER saw/O him/I-PER"))
    assert refusal(assay.score, gold, broken, times=5).startswith("s.conll:1: I-PER at the beginning of a sentence")
    assert kinds(gold, broken, repair=repair) == found
    (warning,) = [text for text in said(gold, broken, repair=repair) if "IOB2" in text]
    action = "mended" if repair in ("conlleval", "mend") else "dropped"
    assert warning == f"s: tags that break IOB2: 2 {action} (the first: s.conll:1)."
    (row,) = assay.score(gold, {"s": broken}, repair={"s": repair}, times=5).repairs
    assert row == Repair("s", "tags that break IOB2", action, 2, "s.conll:1")
    assert assay.score(gold, gold, repair=repair, times=5).score("gold", "exact").value == 1


def test_broken_tags_of_gold_are_refused_and_repaired_too(file):
    gold = file("gold.conll", bio("Anna/B-PER Bo/I-LOC"))
    assert refusal(assay.score, gold, gold, times=5).startswith(
        "gold.conll:2: I-LOC after B-PER, which IOB2 does not"
    )
    assert kinds(gold, gold, repair="conlleval") == {"tp": 2}
    assert kinds(gold, gold, repair="discard") == {"tp": 1}
    assert "gold: tags that break IOB2: 1 dropped" in " ".join(said(gold, gold, repair="discard"))


# --- HIPE: tags run on through documents ---

OWN = """\
TOKEN\tNE-COARSE-LIT\tNE-COARSE-METO\tNEL-LIT\tMISC
# hipe2022:document_id = d1
# hipe2022:language = fr
La\tO\tO\t_\t_
Ville\tB-loc\tO\tQ90\tEndOfLine
de\tI-loc\tO\tQ90\tEndOfSentence
Paris\tI-loc\tO\tQ90\t_
#\tO\tO\t_\t_
.\tO\tO\t_\tEndOfSentence

# hipe2022:document_id = d2
M.\tB-pers\tO\tNIL\tNoSpaceAfter
#Ng\tI-pers\tO\tNIL\tEndOfSentence
"""


def hipe(tags, names=True):
    """OWN with other tags, word by word; without names of documents if these are left to gold."""
    lines = iter(tags.split())
    rows = [line.split("\t") for line in OWN.splitlines()[1:] if names or len(line.split("\t")) == 5]
    changed = [[row[0], next(lines), *row[2:]] if len(row) == 5 else row for row in rows]
    return "\n".join("\t".join(row) for row in [OWN.splitlines()[0].split("\t"), *changed]) + "\n"


def test_mentions_of_hipe_are_read_by_document_and_belong_to_the_sentence_of_their_first_word(file):
    gold = file("gold.tsv", OWN)
    result = assay.score(gold, {"s": gold}, "exact", task="spans", column="NE-COARSE-LIT", times=5)
    assert (result.about.units, result.about.items) == (3, 2)
    (run,) = prepare(gold, {"s": gold}, [find("exact")], Options(task="spans", column="NE-COARSE-LIT")).pairs
    found = run[1].gold.spans
    assert [*zip(found.unit, found.begin, found.end, found.labels.strings(), strict=True)] == [
        (0, 1, 4, "loc"),
        (2, 0, 2, "pers"),
    ]


@each(
    "tags, names, found, warnings",
    [
        # I- without B- opens a mention, also at the beginning of a document; S- and E- are B- and I-.
        ("O B-loc I-loc E-loc O O S-pers E-pers", True, {"tp": 2}, []),
        ("O I-loc I-loc I-loc O O I-pers I-pers", True, {"tp": 2}, ["tags that break IOB2: 2 mended"]),
        ("O B-loc I-loc S-loc O O S-pers S-pers", True, {"tp": 0, "fp": 4, "fn": 2}, []),
        # Without names of documents these are gold's, and no mention goes on from one to the next.
        ("O B-loc I-loc I-loc O I-pers I-pers I-pers", False, {"tp": 2, "fp": 1}, ["tags that break IOB2: 2 mended"]),
        ("O B-LOC I-LOC I-LOC O O B-Pers I-Pers", True, {"tp": 2}, ["only in case, read with gold's label: 2"]),
    ],
)
def test_tags_of_hipe_are_read_as_its_scorer_does(file, tags, names, found, warnings):
    gold, system = file("gold.tsv", OWN), file("s.tsv", hipe(tags, names))
    options = {"task": "spans", "column": "NE-COARSE-LIT"}
    expected = {name: number for name, number in found.items() if number}
    assert kinds(gold, system, "exact", **options) == expected
    told = [text for text in said(gold, system, **options) if "never" not in text]
    assert len(told) == len(warnings) and all(part in text for part, text in zip(warnings, told, strict=True)), told


def test_a_scheme_that_is_declared_for_hipe_is_kept_to_in_each_document(file):
    gold, system = file("gold.tsv", OWN), file("s.tsv", hipe("O B-loc I-loc I-loc O O I-pers E-pers"))
    message = refusal(assay.score, gold, system, task="spans", column="NE-COARSE-LIT", scheme=["s=bioes"])
    assert "s.tsv:7: I-loc before O, which BIOES does not allow" in message


def test_words_of_hipe_that_are_spelt_otherwise_stand_in_golds_documents(file):
    tags = "O B-loc I-loc I-loc O I-pers I-pers I-pers"
    gold, system = file("gold.tsv", OWN), file("s.tsv", hipe(tags, names=False).replace("Paris", "Parls"))
    options = {"task": "spans", "column": "NE-COARSE-LIT"}
    assert "s.tsv:5: 'Parls', but " in refusal(assay.score, gold, system, **options)
    assert kinds(gold, system, "exact", on_mismatch="warn", **options) == {"tp": 2, "fp": 1}


def test_spans_over_the_end_of_a_sentence_are_told_of_where_a_format_cannot_hold_them(file):
    options = "--to conll --column NE-COARSE-LIT --to-scheme bioes"
    done = call("convert", file("gold.tsv", OWN), *options.split())
    assert "spans that cross the end of a sentence, which conll does not allow: 1." in done.stderr


def test_a_sentence_of_a_table_ends_its_spans_also_if_the_file_has_documents(file):
    gold = file("g.conll", "-DOCSTART- O\n\nNew B-LOC\n\nYork B-LOC\n")
    system = file("s.conll", "-DOCSTART- O\n\nNew B-LOC\n\nYork I-LOC\n")
    assert "I-LOC at the beginning of a sentence" in refusal(assay.score, gold, system)
    assert kinds(gold, system, "exact", repair="conlleval") == {"tp": 2}


# --- where the spans are ---


def test_columns_may_be_layers_of_nested_spans(file):
    layers = "the x B-ORG O\nUniversity x I-ORG O\nof x I-ORG O\nBonn x I-ORG B-LOC\n\nHe x O O\n"
    gold = file("gold.conll", layers)
    assert prepared(gold, gold, column="3+4").items == 2
    assert prepared(gold, gold, column="3").items == prepared(gold, gold, column="4").items == 1
    assert refusal(prepared, gold, gold) == (
        "gold.conll: columns 3, 4 may all contain tags of spans. Choose one: --column 4; if they are layers: "
        "--column 3+4"
    )
    without = file("s.conll", layers.replace("B-LOC", "O"))
    assert kinds(gold, without, column="3+4") == {"tp": 1, "fn": 1}


def prepared(gold, system, measure="fair", **options):
    return prepare(gold, {"s": system}, [find(measure)], Options(**options))


def conllu(*miscs):
    """A sentence of words with what stands in MISC."""
    lines = [f"{number}\tw{number}" + "\t_" * 7 + f"\t{misc}\n" for number, misc in enumerate(miscs, 1)]
    return "".join(lines) + "\n"


HEADER = "# global.Entity = eid-etype-head\n# newdoc id = d1\n"


def test_mentions_are_read_from_brackets_in_misc(file):
    gold = file(
        "gold.conllu", HEADER + conllu("Entity=(e1-person-1)", "_", "Entity=(e2-place-2", "Entity=(e3-city-1)e2)")
    )
    system = file("s.conllu", HEADER + conllu("Entity=(e1-place-1)", "_", "_", "Entity=(e3-city-1)"))
    run = prepared(gold, system, column="MISC:Entity")
    assert (run.task, run.items, run.decided.schemes[:1], run.decided.column) == ("spans", 3, ("",), "MISC:Entity")
    assert kinds(gold, system, column="MISC:Entity") == {"tp": 1, "le": 1, "fn": 1}


def test_mentions_may_cross_the_end_of_a_sentence(file):
    """They count where they begin."""
    first, second = ("_", "Entity=(e1-event-1"), ("Entity=e1)", "Entity=(e2-place-1)")
    gold = file("gold.conllu", HEADER + conllu(*first) + conllu(*second))
    shorter = file("s.conllu", HEADER + conllu("_", "Entity=(e1-event-1)") + conllu("_", second[1]))
    assert kinds(gold, gold, column="MISC:Entity") == {"tp": 2}
    assert kinds(gold, shorter, column="MISC:Entity") == {"tp": 1, "bes": 1}


def test_tags_may_stand_under_a_key_of_misc(file):
    gold = file("gold.conllu", conllu("NER=B-PER|x=y", "NER=I-PER", "NER=O", "_"))
    system = file("s.conllu", conllu("NER=B-PER|x=y", "NER=O", "NER=O", "_"))
    assert kinds(gold, system, column="MISC:NER") == {"bes": 1}


def test_where_the_spans_of_a_table_of_many_columns_are_must_be_said(file):
    gold = file("gold.conllu", HEADER + conllu("Entity=(e1-person-1)"))
    assert refusal(assay.score, gold, gold, task="spans", times=5) == (
        "gold.conllu: name the column of the spans: --column MISC:Entity for brackets, --column MISC:NER (or "
        "another key or column) for tags such as B-PER."
    )


# --- which task it is ---


def test_tags_with_prefixes_are_spans_and_others_are_labels(file, gold):
    plain = file("pos.conll", bio("Anna/N ran/V"))
    cases = [
        (gold, {}, "spans"),
        (gold, {"task": "tags"}, "tags"),
        (plain, {}, "tags"),
        ([["B-A", "I-A", "O"]], {}, "spans"),
        ([["N", "V"]], {}, "tags"),
        ([[("x", "B-A"), ("y", "O")]], {}, "spans"),
        ([[("A", 0, 1)]], {}, "spans"),
        ([["B-A", "VERB"]], {}, "tags"),
    ]
    for data, options, task in cases:
        assert OpenFiles(data, {"s": data}, Options(**options)).task == task
    assert OpenFiles(gold, {"s": gold}, Options(), [find("accuracy")]).task == "tags"
    assert assay.score(gold, gold, times=5).scores[0].measure == "exact"


def test_a_long_beginning_without_spans_does_not_make_it_another_task(file):
    nothing = bio(*["one/O two/O three/O"] * 30_000)
    gold = file("gold.conll", nothing + "\nAnna B-PER\n")
    assert OpenFiles(gold, {"s": gold}, Options()).task == "spans"


def test_gold_without_any_span_is_scored_as_a_system_without_is(file, gold):
    none = file("none.conll", bio("Anna/O saw/O New/O York/O", "He/O", "Bonn/O"))
    swapped = "gold has no spans. Recall is undefined. Are gold and system swapped, or is it another column?"
    for given in ((none, gold), ([[], []], spans("A1", ""))):
        assert swapped in said(*given)
        for measure in ("exact", "fair", "weighted(preset=be-half)"):
            result = assay.score(given[0], {"s": given[1]}, measure, times=5)
            shown = {row.score: row.value for row in result.scores if row.label is None and row.score in NAMES}
            assert (shown["precision"], shown["f1"]) == (0, 0)
            assert math.isnan(shown["recall"])
            assert Result.from_json(result.to_json()).to_json() == result.to_json()
    assert kinds(gold, none) == {"fn": 3}
    assert said(gold, none) == ["s has no spans."]


def test_systems_are_compared_where_gold_has_no_span(file, gold):
    """The one that adds fewer is the better one, and nothing is there that both could find."""
    none = file("none.conll", bio("Anna/O saw/O New/O York/O", "He/O", "Bonn/O"))
    one = file("one.conll", bio("Anna/B-PER saw/O New/O York/O", "He/O", "Bonn/O"))
    result = assay.compare(none, {"a": gold, "b": one}, "exact", times=5, embed="all", examples=2)
    (diff,) = result.diffs
    assert (diff.items, diff.corrections, diff.new_errors) == (3, 2, 0)
    for form in FORMATS:
        assert render(result, form)


def test_nothing_to_find_and_nothing_found_is_refused(file):
    none = file("none.conll", bio("Anna/O saw/O"))
    message = "none.conll: contains no spans, nor does any system, so there is nothing to score."
    assert refusal(assay.score, none, {"s": none}, times=5) == message
    some = file("some.conll", bio("Anna/B-PER saw/O"))
    message = (
        "some.conll: contains no spans with labels that count, nor does any system, so there is nothing to score."
    )
    assert refusal(assay.score, some, {"s": some}, ignore_labels=["PER"], times=5) == message


# --- lists ---


def test_lists_of_spans_are_read_as_they_are():
    gold = [[("A", 0, 1), ("B", 1, 1)], [], [("A", 3, 3)]]
    result = assay.score(gold, {"s": [[("A", 0, 1)], [], [("B", 3, 3)]]}, ["exact", "fair"], times=5)
    about = result.about
    assert (about.task, about.aligned_by, about.items, about.units, about.atoms) == (
        *("spans", "position", 3, 3),
        "words",
    )
    assert kinds(gold, [[("A", 0, 1)], [], [("B", 3, 3)]]) == {"tp": 1, "fn": 1, "le": 1}


def test_spans_may_be_lists_or_tuples_and_systems_several():
    gold = [[["A", 0, 1]], []]
    assert kinds(gold, ((("A", 0, 1),), ())) == {"tp": 1}
    result = assay.compare(gold, [[[("A", 0, 1)], []], [[], [("B", 0, 0)]]], "exact", times=5)
    assert [result.score(f"system {number}", "exact").value for number in (1, 2)] == [1, 0]


@pytest.mark.parametrize("systems", [[[], [], []], {"system 1": [[], [], []]}, [[[], [], []]]])
def test_a_system_without_any_span_is_a_system(systems):
    result = assay.score(spans("A1-2", "B1", ""), systems, "fair", times=5)
    assert [row.name for row in result.systems] == ["system 1"]
    assert result.score("system 1", "fair", "recall").value == 0
    assert result.warnings[0] == "system 1 has no spans."


@pytest.mark.parametrize(
    ("system", "message"),
    [
        ([[("A", 2, 1)], []], "s, sentence 1: ('A', 2, 1) is not a span (label, first, last)."),
        ([[("A", 1, 1)], [("A", -1, 1)]], "s, sentence 2: ('A', -1, 1) is not a span (label, first, last)."),
        ([[("", 1, 1)], []], "s, sentence 1: ('', 1, 1) is not a span (label, first, last)."),
        ([["A"], []], "s, sentence 1: 'A' is not a span (label, first, last)."),
    ],
)
def test_what_is_no_span_is_refused(system, message):
    assert refusal(assay.score, spans("A1", ""), {"s": system}, times=5) == message


def test_another_number_of_sentences_is_refused(file):
    assert refusal(assay.score, spans("A1", "", "B1"), {"s": spans("A1", "")}, times=5).startswith(
        "s: 2 sentences, but gold has 3."
    )
    table = "PER\t1\t1\t1\n\nPER\t1\t1\t1\n"
    gold, system = file("gold.tsv", table), file("s.tsv", table + "\nEMPTY\t999\t999\t999\n")
    assert refusal(assay.score, gold, system, times=5).startswith("s.tsv: 3 sentences, but gold.tsv has 2.")


def test_tags_and_the_spans_that_they_mark_are_the_same():
    tags = [["B-A", "I-A", "O", "B-B"], ["O"], ["I-A"]]
    places = [[("A", 0, 1), ("B", 3, 3)], [], [("A", 0, 0)]]
    system = [["B-A", "O", "B-A", "B-B"], ["B-B"], ["O"]]
    found = [[("A", 0, 0), ("A", 2, 2), ("B", 3, 3)], [("B", 0, 0)], []]
    assert kinds(tags, system, repair="conlleval") == kinds(places, found) == {"tp": 1, "bes": 1, "fp": 2, "fn": 1}


def test_spans_given_twice_are_told_of(file):
    text = "A\t1\t2\t1, 2\nA\t1\t2\t1, 2\nA\t1\t3\t1, 3\nA\t1\t3\t1, 2, 3\n\nB\t1\t1\t1\n"
    gold = file("gold.tsv", text)
    once = file("s.tsv", "A\t1\t2\t1, 2\n\nB\t1\t1\t1\nB\t1\t1\t1\nB\t1\t1\t1\n")
    warnings = said(gold, once)
    assert warnings[:2] == [
        "gold: 1 span appears twice (first: gold.tsv:2).",
        "s: 2 spans appear twice (first: s.tsv:4).",
    ]


def test_spans_with_gaps_are_told_of_and_compared_as_sets_of_words(file):
    gold = file("gold.tsv", "A\t1\t4\t1, 4\n\nA\t1\t3\t1, 3\n")
    system = file("s.tsv", "A\t1\t4\t1, 2, 3, 4\n\nA\t2\t2\t2\n")
    result = assay.score(gold, {"s": system}, "fair", slices=("gaps",), times=5)
    assert kinds(gold, system) == {"bel": 1, "fn": 1, "fp": 1}
    assert result.notes[0] == (
        "Spans with gaps (gold 2): spans are compared as sets of words; a boundary error shares at least one of them."
    )


# --- spans without words against words ---


def test_spans_without_words_must_fit_into_the_sentences(file, gold):
    right = file("right.tsv", "PER\t1\t1\t1\nLOC\t3\t4\t3, 4\n\nEMPTY\t999\t999\t999\n\nLOC\t1\t1\t1\n")
    beyond = file("beyond.tsv", "PER\t1\t1\t1\nLOC\t3\t5\t3, 4, 5\n\nEMPTY\t999\t999\t999\n\nLOC\t1\t1\t1\n")
    assert kinds(gold, right) == kinds(right, gold) == {"tp": 3}
    for sides in ((gold, beyond), (beyond, gold)):
        assert refusal(assay.score, *sides, times=5) == (
            "beyond.tsv:2: the span ends at word 5 of a sentence of 4 words in gold.conll. Are these the same "
            "sentences?"
        )


# --- documents ---


def test_documents_of_a_table_may_be_the_units(file):
    text = "-DOCSTART- O\n\nAnna B-PER\nran O\n\nBo B-PER\n\n-DOCSTART- O\n\nCy B-PER\n"
    gold = file("gold.conll", text)
    found = [assay.score(gold, gold, unit=unit, times=5).about.units for unit in (None, "sentence", "document")]
    assert found == [3, 3, 2]


def test_corpora_are_inputs_too(gold):
    corpus = assay.read(gold)
    assert kinds(corpus, corpus) == kinds(gold, corpus) == {"tp": 3}
    assert refusal(assay.score, corpus, corpus, scheme=("bioes",), times=5).startswith("gold.conll:1: B-PER before O")


def document(name, text, *found, **more):
    listed = [{"start": start, "end": end, "label": label} for label, start, end in found]
    return {"id": name, "text": text, "spans": listed, **more}


def jsonl(*documents):
    return "".join(json.dumps(one) + "\n" for one in documents)


ONE = document("d1", "Anna saw New York.", ("PER", 0, 4), ("LOC", 9, 17))
TWO = document("d2", "Bert ran.", ("PER", 0, 4))
THREE = document("d3", "Carl ran to Bonn.", ("PER", 0, 4), ("LOC", 12, 16))


def test_documents_correspond_by_their_ids_in_any_order(file):
    gold = file("gold.jsonl", jsonl(ONE, TWO, THREE))
    worse = document("d3", THREE["text"], ("ORG", 0, 4), ("LOC", 9, 16))
    system = file("s.jsonl", jsonl(worse, ONE, TWO))
    assert kinds(gold, system) == {"tp": 3, "le": 1, "bel": 1}
    result = assay.score(gold, {"s": system}, slices=("document",), times=5)
    about = result.about
    assert (about.unit, about.units, about.atoms, about.aligned_by) == ("document", 3, "characters", "words")
    values = {
        row.slice: row.value for row in result.scores if row.slice and row.measure == "exact" and row.score == "f1"
    }
    assert values == {"document=d1": 1, "document=d2": 1, "document=d3": 0}


def test_documents_that_one_side_lacks_are_named(file):
    all_three, two = file("all.jsonl", jsonl(ONE, TWO, THREE)), file("two.jsonl", jsonl(TWO, ONE))
    for sides in ((all_three, two), (two, all_three)):
        remedy = " To score them as empty: --missing empty" if sides[0] == all_three else ""
        message = f"two.jsonl: lacks the documents d3, which all.jsonl has.{remedy}"
        assert refusal(assay.score, *sides, times=5) == message
    result = assay.score(all_three, {"s": two}, "exact", missing="empty", times=5)
    counts = next(row.counts for row in result.counts if row.label is None)
    assert (counts["tp"], counts["fn"]) == (3, 2)
    assert "s: lacks the document d3, which is scored as empty." in result.warnings
    for path in ("gold/a", "gold/b", "gold/c", "s/a", "s/c"):
        file(f"{path}.txt", "Ann")
        file(f"{path}.ann", "T1\tPER 0 3\tAnn\n")
    assert "lacks the documents b, which gold has." in refusal(assay.score, "gold", "s", times=5)
    assert assay.score("gold", "s", "exact", missing="empty", times=5).counts[0].counts["fn"] == 1


def test_other_text_is_refused(file):
    gold = file("gold.jsonl", jsonl(ONE, TWO))
    system = file("s.jsonl", jsonl(document("d1", "Anna saw Old York.", ("PER", 0, 4)), TWO))
    assert refusal(assay.score, gold, system, times=5) == (
        "s.jsonl:1: 'Old', but gold.jsonl:1 has 'New'\nThe texts differ. To score only the sentences they share: "
        "--on-mismatch skip"
    )


def test_other_white_space_is_no_other_text(file):
    gold = file("gold.jsonl", jsonl(ONE, TWO))
    system = file("s.jsonl", jsonl(document("d1", " Anna saw  New\nYork.", ("PER", 1, 5), ("LOC", 11, 19)), TWO))
    assert kinds(gold, system) == {"tp": 3}


@pytest.mark.parametrize("longer", ["d1", "d2"])
def test_documents_left_out_shift_nothing(file, longer):
    """Whatever is behind a document whose text differs in length is matched as if it had never been there."""
    documents = {"d1": ONE, "d2": TWO, "d3": THREE}
    changed = {**documents, longer: document(longer, "Someone else did something.", ("PER", 0, 7))}
    gold, system = file("gold.jsonl", jsonl(*documents.values())), file("s.jsonl", jsonl(*changed.values()))
    rest = sum(len(one["spans"]) for name, one in documents.items() if name != longer)
    assert kinds(gold, system, on_mismatch="skip") == {"tp": rest}
    result = assay.score(gold, {"s": system}, on_mismatch="skip", times=5)
    assert (result.about.units, result.about.items) == (2, rest)


def test_sentences_left_out_shift_nothing(file):
    texts = ["Anna/B-PER saw/O New/B-LOC York/I-LOC", "Bert/B-PER ran/O", "Carl/B-PER ran/O"]
    gold = file("gold.conll", bio(*texts))
    other = file("s.conll", bio("Anna/B-PER saw/O Melbourne/B-LOC", *texts[1:]))
    recut = file("t.conll", bio("Anna/B-PER saw/O Melbourne/B-LOC", "Be/B-PER rt/I-PER ran/O", texts[2]))
    for system in (other, recut):
        assert kinds(gold, system, on_mismatch="skip") == {"tp": 2}
    result = assay.score(gold, {"s": other}, on_mismatch="skip", times=5)
    assert (result.about.items, result.about.units) == (2, 2)
    assert "1 of 3 sentences was left out, because their texts differ." in result.warnings


def brat(file, folder, **documents):
    for name, (text, notes) in documents.items():
        file(f"{folder}/{name}.txt", text)
        file(f"{folder}/{name}.ann", notes)
    return folder


def test_relations_and_links_are_said_not_to_be_compared(file):
    text, spans = "Anna saw New York.", "T1\tPER 0 4\tAnna\nT2\tLOC 9 17\tNew York\n"
    gold = brat(file, "gold", a=(text, spans), b=("He ran.", ""))
    more = "R1\tsaw Arg1:T1 Arg2:T2\nN1\tReference T1 Q:1\tAnna\nN2\tReference T1 Q:2\tAnna\n"
    system = brat(file, "s", a=(text, spans + more), b=("He ran.", ""))
    assert kinds(gold, system) == {"tp": 2}
    assert said(gold, system) == [
        "s: Relations, which are compared with --task relations, not here: 1.",
        "s: Links, which are compared with --task links, not here: 1.",
    ]


def test_lines_of_a_text_are_units_and_spans_may_cross_them(file):
    text = "Anna saw New\nYork.\nShe left.\n"
    gold = brat(file, "gold", b=(text, "T1\tPER 0 4\tAnna\nT2\tLOC 9 17\tNew York\n"), a=("He ran.", ""))
    system = brat(file, "s", b=(text, "T1\tPER 0 4\tAnna\nT2\tLOC 9 12;13 17\tNew York\n"), a=("He ran.", ""))
    result = assay.score(gold, system, times=5, input_format="brat(units=lines)")
    assert (result.about.unit, result.about.units, result.about.items) == ("sentence", 4, 2)
    assert kinds(gold, system, input_format="brat(units=lines)") == {"tp": 2}
    other = brat(file, "t", b=(text, "T1\tPER 0 4\tAnna\nT2\tLOC 0 17\tAnna saw New York\n"), a=("He ran.", ""))
    assert kinds(gold, other, input_format="brat(units=lines)") == {"tp": 1, "bel": 1}


def test_lines_are_units_also_where_each_document_has_one(file):
    gold = brat(file, "gold", a=("Anna ran.", "T1\tPER 0 4\tAnna\n"), b=("He ran.", ""))
    assert assay.score(gold, gold, times=5, input_format="brat(units=lines)").about.unit == "sentence"
    assert assay.score(gold, gold, times=5).about.unit == "document"


def test_documents_of_several_sentences_are_brought_into_golds_order(file):
    texts = {"a": ("Anna\nsaw Rome.\n", "T1\tLOC 9 13\tRome\n"), "b": ("He.\nRan.", "T1\tPER 0 2\tHe\n")}
    relation = "T2\tX 0 3\tHe.\nR1\tr Arg1:T1 Arg2:T2\n"
    corpus = assay.read(
        brat(file, "gold", a=texts["a"], b=(texts["b"][0], texts["b"][1] + relation)),
        input_format="brat(units=lines)",
    ).reordered([1, 0])
    assert corpus.document_ids == ("b", "a")
    assert corpus.document_starts.tolist() == [0, 2, 4]
    assert corpus.texts == ("He.\n", "Ran.", "Anna\n", "saw Rome.\n")
    assert placed(corpus) == [(0, "PER", [(0, 2)]), (0, "X", [(0, 3)]), (3, "LOC", [(4, 8)])]
    assert related(corpus) == [("r", (0, "PER", [(0, 2)]), (0, "X", [(0, 3)]))]


def test_folders_of_brat_files_are_compared_file_by_file(file):
    text = "Anna saw New York."
    gold = brat(file, "gold", a=(text, "T1\tPER 0 4\tAnna\nT2\tLOC 9 17\tNew York\n"), b=("He ran.", ""))
    system = brat(file, "s", a=(text, "T1\tPER 0 4\tAnna\nT2\tLOC 13 17\tYork\nA1\tx T1\n"), b=("He ran.", ""))
    assert kinds(gold, system) == {"tp": 1, "bes": 1}
    assert said(gold, system) == ["s: Lines of attributes and notes that were not read: 1."]
    less = brat(file, "less", a=(text, ""))
    file("less/c.txt", "x"), file("less/c.ann", "")
    assert "lacks the documents b" in refusal(assay.score, gold, less, times=5)


def test_texts_and_tables_of_words_are_compared_by_characters(file):
    """In either direction; spans that cover the same characters are the same."""
    table = file("t.conll", bio("Anna/B-PER saw/O New/B-LOC York/I-LOC ./O", "Bert/B-PER ran/B-X ./O"))
    text = file("t.jsonl", jsonl(ONE, TWO))
    folder = brat(file, "b", d1=(ONE["text"], "T1\tPER 0 4\tAnna\nT2\tLOC 9 17\tNew York\n"), d2=(TWO["text"], ""))
    assert kinds(table, text) == {"tp": 3, "fn": 1}
    assert kinds(text, table) == {"tp": 3, "fp": 1}
    assert kinds(folder, table) == {"tp": 2, "fp": 2}
    assert kinds(folder, text) == {"tp": 2, "fp": 1}
    assert assay.score(text, {"s": table}, times=5).about.unit == "document"
    assert assay.score(table, {"s": text}, times=5).about.unit == "sentence"


def test_tokens_of_documents_are_words(file):
    found = [{"start": 0, "end": 1, "label": "PER"}, {"start": 2, "end": 4, "label": "LOC"}]
    gold = file("gold.jsonl", jsonl({"id": "d1", "tokens": ["Anna", "saw", "New", "York"], "spans": found}))
    table = file("s.conll", bio("Anna/B-PER saw/O New/O York/B-LOC"))
    result = assay.score(gold, {"s": table}, "fair", times=5)
    assert (result.about.atoms, result.about.aligned_by) == ("words", "words")
    assert kinds(gold, table) == {"tp": 1, "bes": 1}


# --- other tokens ---


def test_other_tokens_are_aligned_by_characters(file):
    gold = file("gold.conll", bio("Anna/B-PER saw/O New/B-LOC York/I-LOC ./O", "Don't/B-X go/O"))
    system = file("s.conll", bio("An/B-PER na/I-PER saw/O New/B-LOC York./I-LOC", "Do/B-X n't/I-X go/B-X"))
    assert kinds(gold, system) == {"tp": 2, "bel": 1, "fp": 1}
    result = assay.score(gold, {"s": system}, "fair", times=5)
    assert (result.about.atoms, result.about.aligned_by) == ("characters", "characters")
    assert "|atoms:characters|" in result.signature
    assert result.warnings[0] == (
        "s is tokenised differently from gold. The words were aligned by characters: 3 of 7 gold words have a "
        "counterpart among 8."
    )
    assert (
        result.notes[1] == "Tokenisation differs, so spans are compared as sets of characters (without white space)."
    )


def test_one_system_with_other_tokens_makes_characters_the_atoms_for_all(file):
    """Which span shares most with another depends on what is counted, so all are judged alike."""
    gold = file("gold.conll", bio("the/O Netherlands/B-LOC of/O old/O"))
    two = file("a.conll", bio("the/B-LOC Netherlands/I-LOC of/O old/O"))
    recut = file("b.conll", bio("the/O Nether/B-LOC lands/I-LOC of/O old/O"))
    assert assay.score(gold, {"a": two}, times=5).about.atoms == "words"
    both = assay.compare(gold, {"a": two, "b": recut}, times=5)
    assert both.about.atoms == "characters"
    assert both.score("b", "exact").value == 1


# --- labels and known names ---


def test_labels_are_mapped_and_the_effect_is_told(file, gold):
    system = file("s.conll", bio("Anna/B-Person saw/O New/B-GPE York/I-GPE", "He/O", "Bonn/B-GPE"))
    rules = file("map.tsv", "system\tPerson\tPER\ns\tGPE\tLOC\nboth\tFAC\tLOC\n")
    assert kinds(gold, system) == {"le": 3}
    assert kinds(gold, system, map=rules) == {"tp": 3}
    result = assay.score(gold, {"s": system}, "exact", map=rules, times=5)
    changed = {(row.file, row.rule): row.words for row in result.mappings if row.words}
    assert changed == {("s", "system: Person → PER"): 1, ("s", "s: GPE → LOC"): 2}
    (effect,) = [row for row in result.mappings if row.before is not None]
    assert (effect.before, effect.after) == (0, 1)
    assert any("both: FAC → LOC matches no" in text for text in result.warnings)


def seen(gold, system, **options):
    """Hits and gold's spans in each slice by known names."""
    result = assay.score(gold, {"s": system}, "exact", times=5, **options)
    return {
        row.slice.partition("=")[2]: (row.counts["tp"], row.counts["gold"], row.counts["fp"])
        for row in result.counts
        if row.slice and row.label is None
    }


def test_names_of_the_training_data_are_seen_with_this_or_other_labels(file, gold):
    system = file("s.conll", bio("Anna/B-PER saw/O New/B-LOC York/I-LOC", "He/B-PER", "Bonn/B-PER"))
    train = file("train.conll", bio("Anna/B-PER New/B-ORG York/I-ORG ./O", "New/B-LOC York/O"))
    assert seen(gold, system, train=train, slices=("seen",)) == {
        "unseen": (0, 1, 2),
        "seen": (1, 1, 0),
        "seen with other labels": (1, 1, 0),
    }


def test_names_of_a_list_are_seen(file, gold):
    names = file("names.txt", "anna\nnew  york\nBonn\n")
    expected = {"unseen": (2, 2, 0), "seen": (1, 1, 0)}
    assert seen(gold, gold, lexicon=names, slices=("seen:lexicon",)) == expected
    folded = seen(gold, gold, lexicon=names, slices=("seen",), oov_fold_case=True)
    assert folded == {}, "all are seen, so there is nothing to cut"


def test_a_known_name_is_what_the_text_has_whatever_its_white_space(file):
    text = document("d1", "Anna saw New\n York. Anna ran.", ("PER", 0, 4), ("LOC", 9, 18), ("PER", 20, 24))
    gold = file("gold.jsonl", jsonl(text))
    names = file("names.txt", "New York\n")
    assert seen(gold, gold, lexicon=names, slices=("seen",)) == {"unseen": (2, 2, 0), "seen": (1, 1, 0)}


def test_slices_by_length_and_nesting(file):
    gold = spans("A1-6 B2 A8 B9-10", "A1-2 A2-3")
    system = spans("A1-6 B3 A8", "A1-2")
    result = assay.score(gold, {"s": system}, "exact", slices=("span-length", "nesting", "label"), times=5)
    found = {
        row.slice: tuple(row.counts[name] for name in ("tp", "fn", "fp"))
        for row in result.counts
        if row.slice and row.label is None
    }
    assert found == {
        "span-length=1": (1, 1, 1),
        "span-length=2": (1, 2, 0),
        "span-length=6-10": (1, 0, 0),
        "nesting=alone": (1, 1, 0),
        "nesting=inside another": (0, 1, 1),
        "nesting=around or across another": (2, 1, 0),
        "label=A": (3, 1, 0),
        "label=B": (0, 2, 1),
    }


def test_frequencies_are_about_words(gold):
    assert refusal(assay.score, gold, gold, slices=("frequency",), times=5) == (
        "--slice frequency is for words. For spans there is --slice seen, with --train."
    )


# --- errors of gold ---


def test_errors_of_gold_are_a_type_of_their_own(file, gold):
    """A span that gold has and should not, or does not have and should; only errors become this type."""
    system = file("s.conll", bio("Anna/B-PER saw/O New/O York/B-LOC", "He/B-PER", "Bonn/B-PER"))
    assert kinds(gold, system) == {"tp": 1, "bes": 1, "fp": 1, "le": 1}
    listed = file("errors.tsv", "1\tLOC\t3\t4\n1\tPER\t1\t1\n2\tPER\t1\t1\n")
    assert kinds(gold, system, gold_errors=listed) == {"tp": 1, "ge": 2, "le": 1}
    assert kinds(gold, system, "exact", gold_errors=listed) == kinds(gold, system, "exact")
    result = assay.score(gold, {"s": system}, ["fair", "weighted(preset=fair, ge=1TP)"], gold_errors=listed, times=5)
    assert [result.score("s", name).value for name in ("fair", "weighted(ge=1TP, preset=fair)")] == [2 / 5, 6 / 7]
    assert "Errors of gold listed: 3; 2 of them are spans that gold has." in result.notes
    assert "|gold_errors:sha256=" in result.signature


def test_errors_of_gold_in_texts_are_given_by_document_and_characters(file):
    gold = file("gold.jsonl", jsonl(ONE, TWO))
    system = file("s.jsonl", jsonl({**ONE, "spans": ONE["spans"][:1]}, document("d2", TWO["text"], ("X", 5, 8))))
    assert kinds(gold, system) == {"tp": 1, "fn": 2, "fp": 1}
    listed = file("errors.tsv", "d1\tLOC\t9\t17\nd2\tX\t5\t8\n")
    assert kinds(gold, system, gold_errors=listed) == {"tp": 1, "fn": 1, "ge": 2}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1\tLOC\t3\n", "e.tsv:1: '1\\tLOC\\t3', but a line is: sentence TAB label TAB first TAB last"),
        (
            "1\tLOC\t3\t4\n1\t\t1\t1\n",
            "e.tsv:2: '1\\t\\t1\\t1', but a line is: sentence TAB label TAB first TAB last",
        ),
        ("1\tLOC\t-1\t4\n", "e.tsv:1: '1\\tLOC\\t-1\\t4', but a line is: sentence TAB label TAB first TAB last"),
        ("4\tLOC\t1\t1\n", "e.tsv:1: no sentence '4' in gold.conll."),
        ("1\tLOC\t3\t5\n", "e.tsv:1: these places are not within the sentence, which has 4 words."),
        ("1\tLOC\t0\t1\n", "e.tsv:1: these places are not within the sentence, which has 4 words."),
        ("1\tLOC\t4\t3\n", "e.tsv:1: these places are not within the sentence, which has 4 words."),
        ("", "e.tsv: the file is empty. Did the program that writes it stop with an error?"),
        ("\n", "e.tsv: contains no errors. A line is: sentence TAB label TAB first TAB last"),
    ],
)
def test_lists_of_golds_errors_that_do_not_fit_are_refused(file, gold, content, message):
    assert refusal(assay.score, gold, gold, gold_errors=file("e.tsv", content), times=5) == message


# --- what looks wrong ---


def test_a_copied_system_a_swap_and_a_clash_of_labels_are_told_of(file):
    text = bio(*["Anna/B-PER saw/O Bonn/B-LOC"] * 12)
    gold, copy = file("gold.conll", text), file("gold2.conll", text)
    other = file("s.conll", text.replace("LOC", "GPE"))
    assert "s (gold2.conll) has the same content as gold (gold.conll)." in said(gold, copy)
    warnings = said(gold, other)
    assert any(text.startswith("s uses 1 label that gold never uses, on 12 spans: GPE (12") for text in warnings)
    assert any(text.startswith("s never assigns LOC (12 spans") for text in warnings)
    swapped = assay.score(other, {"s": gold}, times=5).warnings
    assert any("named like a gold standard" in text for text in swapped)


def test_two_systems_with_the_same_spans_are_told_of(file, gold):
    other = file("b.conll", bio("Anna/S-PER saw/O New/B-LOC York/E-LOC", "He/O", "Bonn/S-LOC"))
    result = assay.compare(gold, {"a": gold, "b": other}, times=5)
    assert "a and b give the same answers everywhere." in result.warnings


def test_documents_in_another_order_keep_their_places(tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    for name in ("a", "b"):
        spans = '[{"start": 0, "end": 4, "label": "PER"}]'
        (folder / f"{name}.jsonl").write_text(f'{{"id": "{name}", "text": "Jane {name}", "spans": {spans}}}\n')
    corpus = assay.read(str(folder)).reordered([1, 0])
    assert corpus.document_ids == ("b", "a")
    assert [corpus.place_of_sentence(number) for number in (0, 1)] == [f"{folder}/b.jsonl:1", f"{folder}/a.jsonl:1"]
    assert corpus.place_of_span(0) == f"{folder}/b.jsonl:1"
