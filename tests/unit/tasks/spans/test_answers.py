"""Answers of language models as systems: files, messages, warnings, tables, slices, forms."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import assay
from assay.formats.shapes import read_answer
from assay.render import FORMATS, render
from assay.render.tables import brief
from commands import call

ADA = "Ada Lovelace met Charles Babbage in London."
GOLD = (
    {"id": "d1", "text": ADA, "label": [[0, 12, "PER"], [17, 32, "PER"], [36, 42, "LOC"]]},
    {"id": "d2", "text": "It rained in Rome.", "label": [[13, 17, "LOC"]]},
    {"id": "d3", "text": "IBM said nothing.", "label": [[0, 3, "ORG"]]},
)
GPT = (
    {"id": "d1", "answer": "Ada Lovelace (PER)\nCharles Babage (PER)\nAlan Turing (PER)"},
    {"id": "d3", "answer": "I'm sorry, I can't do that."},
    {"id": "d2", "answer": "Rome (CITY)\nNoah (PER)"},
)
LLAMA = (
    {"id": "d1", "response": "<PER>Ada Lovelace</PER> met <PER>Charles Babbage</PER> in <LOC>London</LOC>."},
    {"id": "d2", "response": "none"},
    {"id": "d3", "response": '{"ORG": ["IBM"], "PER": ["alan  turing"]}'},
)


@pytest.fixture
def files(tmp_path):
    """A function that writes rows of JSON, and the paths of gold and two systems."""

    def write(name, rows):
        text = "".join(f"{json.dumps(row)}\n" for row in rows)
        (tmp_path / name).write_text(text, "utf-8")
        return str(tmp_path / name)

    write("gold.jsonl", GOLD)
    write("gpt.jsonl", GPT)
    write("llama.jsonl", LLAMA)
    write.folder = tmp_path
    return write


@pytest.fixture
def scored(files):
    """A function that scores rows of answers against gold."""

    def score(rows, form="answers", measures=("exact", "fair"), gold=GOLD, **options):
        gold, system = files("gold.jsonl", gold), files("answers.jsonl", rows)
        return assay.score(gold, {"s": system}, list(measures), input_format=form, times=20, **options)

    return score


def compared(files, **options):
    given = {name: str(files.folder / f"{name}.jsonl") for name in ("gpt", "llama")}
    gold = str(files.folder / "gold.jsonl")
    return assay.compare(gold, given, ["exact", "fair", "strings"], input_format="answers", times=50, **options)


# --- what is counted ---


def test_the_table_of_answers_adds_up(files):
    gpt, llama = compared(files).answers
    for row in (gpt, llama):
        statuses = (row.parsed, row.repaired, row.empty, row.refused, row.malformed, row.missing)
        levels = (row.exact, row.folded, row.fuzzy, row.ungrounded, row.repeated)
        assert (sum(statuses), sum(levels)) == (row.answers, row.mentions)
    assert (gpt.parsed, gpt.refused, gpt.exact, gpt.fuzzy, gpt.ungrounded, gpt.outside) == (2, 1, 2, 1, 2, 1)
    assert (llama.parsed, llama.empty, llama.exact, llama.ungrounded) == (2, 1, 4, 1)


def test_an_ungrounded_mention_is_spurious_in_every_measure(files):
    result = compared(files)
    counts = {(row.system, row.measure): row.counts for row in result.counts if row.label is None}
    assert counts["gpt", "exact"] == {"tp": 2, "fp": 1, "fn": 3, "ungrounded": 2, "gold": 5, "system": 5}
    fair = counts["gpt", "fair"]
    assert (fair["tp"], fair["fp"], fair["le"], fair["fn"], fair["ungrounded"]) == (2, 0, 1, 2, 2)
    assert result.score("gpt", "exact", "precision").value == pytest.approx(2 / 5)
    assert result.score("gpt", "exact", "recall").value == pytest.approx(2 / 5)
    assert result.score("gpt", "exact", "precision", "PER").value == pytest.approx(2 / 4)
    types = {(row.measure, row.type): row.count for row in result.error_types if row.system == "gpt"}
    assert types["exact", "ungrounded"] == types["fair", "ungrounded"] == 2
    semeval = assay.score(str(files.folder / "gold.jsonl"), {"gpt": assay.answers(GPT)}, ["semeval"], times=2)
    assert semeval.score("gpt", "semeval", "strict-precision").value == pytest.approx(2 / 5)
    assert semeval.score("gpt", "semeval", "exact-precision").value == pytest.approx(3 / 5)


def test_systems_share_and_lose_hallucinations(files):
    files("llama.jsonl", [{"id": "d1", "answer": "alan turing (PER)"}, *LLAMA[1:]])
    result = compared(files)
    moves = {(row.before, row.after): row.count for row in result.transitions if row.label is None}
    # Alan Turing in d1 is claimed by both, whatever the case; Noah in d2 by one, alan turing in d3 by the other.
    assert moves["ungrounded", "ungrounded"] == 1
    assert moves["ungrounded", "none"] == 1
    assert moves["none", "ungrounded"] == 1
    changes = {(row.gold, row.before, row.after): row.count for row in result.diffs[0].changes}
    assert changes["∅", "PER (UG)", "∅"] == changes["∅", "∅", "PER (UG)"] == 1
    assert result.bounds[0].items == 5


def test_strings_need_no_places(files):
    result = compared(files)
    assert result.score("llama", "strings").value == pytest.approx(0.8)
    twice = [{"id": "d2", "text": "Rome is Rome", "label": [[0, 4, "LOC"], [8, 12, "LOC"]]}]
    gold = files("twice.jsonl", twice)
    said = {"s": assay.answers({"d2": "Rome (LOC)"})}
    found = assay.score(gold, said, ["exact", "strings", "strings(count=bag)"], times=2)
    assert [found.score("s", name, "recall").value for name in found.measures[:3]] == [0.5, 1.0, 0.5]
    with pytest.raises(assay.AssayError, match="there is no value 'case' for fold"):
        assay.score(gold, said, ["strings(fold=case)"], times=2)
    with pytest.raises(assay.AssayError, match="strings compares the words of spans, but gold has none"):
        assay.score([[("A", 0, 1)]], {"s": [[("A", 0, 0)]]}, ["strings"], times=2)


def test_labels_outside_are_kept_or_dropped(scored):
    rows = [{"id": "d2", "answer": "Rome (LOC)\nIt (PRONOUN)\nNoah (MAN)"}]
    kept, dropped = scored(rows), scored(rows, "answers(outside=drop)")
    for result, fp, ungrounded in ((kept, 1, 1), (dropped, 0, 0)):
        counts = next(row.counts for row in result.counts if row.label is None)
        assert (counts["tp"], counts["fp"], counts["ungrounded"]) == (1, fp, ungrounded)
        assert (result.answers[0].outside, result.answers[0].mentions) == (2, 3)
        assert "s: 2 mentions have labels that gold does not use: MAN 1, PRONOUN 1." in result.warnings


def test_a_mapping_makes_labels_known(scored, tmp_path):
    (tmp_path / "map.tsv").write_text("system\tPERSON\tPER\nsystem\tDATE\tO\n", "utf-8")
    rows = [{"id": "d1", "answer": "Ada Lovelace (PERSON)\nCharles Babbage (PERSON)\nNoah (PERSON)\nLondon (DATE)"}]
    result = scored(rows, map=str(tmp_path / "map.tsv"))
    counts = next(row.counts for row in result.counts if row.label is None)
    assert (counts["tp"], counts["fp"], counts["ungrounded"]) == (2, 0, 1)
    assert result.answers[0].outside == 0
    only = scored(rows, map=str(tmp_path / "map.tsv"), labels="LOC")
    assert next(row.counts for row in only.counts if row.label is None)["ungrounded"] == 0


def test_labels_of_prompts_are_joined(scored):
    rows = [
        {"id": "d1", "kind": "PER", "answer": "@@Ada Lovelace## met @@Charles Babbage## in London."},
        {"id": "d1", "kind": "LOC", "answer": '["London", "Atlantis"]'},
        {"id": "d2", "kind": "LOC", "answer": "none"},
    ]
    result = scored(rows, "answers(label=kind)")
    counts = next(row.counts for row in result.counts if row.label is None)
    assert (counts["tp"], counts["fp"], counts["ungrounded"], counts["fn"]) == (3, 0, 1, 2)
    assert (result.answers[0].answers, result.answers[0].parsed, result.answers[0].missing) == (4, 2, 1)


# --- files ---


def test_gold_of_words_has_its_text_from_them(files, tmp_path):
    words = "Ada B-PER\nLovelace I-PER\nmet O\nDr. O\nBabbage B-PER\n. O\n\nIt O\nrained O\n. O\n\n"
    (tmp_path / "gold.conll").write_text(words, "utf-8")
    answers = files("a.jsonl", [{"answer": "<PER>Ada Lovelace</PER> met Dr. <PER>Babbage</PER>."}, {"answer": "[]"}])
    result = assay.score(str(tmp_path / "gold.conll"), {"s": answers}, ["exact"], input_format="answers", times=2)
    assert result.score("s", "exact").value == 1.0
    assert (result.about.atoms, result.about.unit, result.answers[0].exact) == ("words", "sentence", 2)


def test_the_text_of_conllu_is_that_of_its_comment(files, tmp_path):
    rows = [
        ("1", "Il", "O"),
        ("2-3", "dell'", "_"),
        ("2", "di", "B-ORG"),
        ("3", "l'", "I-ORG"),
        ("4", "ONU", "I-ORG"),
    ]
    lines = ["# sent_id = s1", "# text = Il dell'ONU"]
    lines += ["\t".join([row[0], row[1], *["_"] * 7, f"NER={row[2]}" if "-" not in row[0] else "_"]) for row in rows]
    (tmp_path / "gold.conllu").write_text("\n".join([*lines, "", ""]), "utf-8")
    answers = files("a.jsonl", [{"id": "s1", "answer": "dell'ONU (ORG)"}])
    options = {"input_format": "answers", "column": "MISC:NER", "times": 2}
    result = assay.score(str(tmp_path / "gold.conllu"), {"s": answers}, ["exact"], **options)
    assert (result.score("s", "exact").value, result.answers[0].exact) == (1.0, 1)


def test_a_folder_of_texts_is_read_by_names(files, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "d1.txt").write_text("Ada Lovelace (PER)\nLondon (LOC)", "utf-8")
    (folder / "d2.txt").write_text("", "utf-8")
    result = assay.score(str(tmp_path / "gold.jsonl"), {"s": str(folder)}, input_format="answers", times=2)
    row = result.answers[0]
    assert (row.parsed, row.malformed, row.missing, row.exact) == (1, 1, 1, 2)


def test_texts_in_lines_are_answered_as_a_whole_or_line_by_line(files, tmp_path):
    folder = tmp_path / "gold"
    folder.mkdir()
    (folder / "d1.txt").write_text(f"{ADA}\n\nIt rained in Rome.\n", "utf-8")
    (folder / "d1.ann").write_text("T1\tLOC 36 42\tLondon\nT2\tLOC 58 62\tRome\n", "utf-8")
    formats = ("gold=brat(units=lines)", "answers")
    for rows in (
        [{"id": "d1", "answer": "London (LOC)\nRome (LOC)"}],
        [{"answer": "London (LOC)"}, {"answer": "Rome (LOC)"}],
    ):
        result = assay.score(str(folder), {"s": files("s.jsonl", rows)}, ["exact"], input_format=formats, times=20)
        assert result.score("s", "exact").value == 1
        assert result.gold.sentences == 2


def test_chats_and_other_keys_are_read(scored):
    rows = [
        {"id": "d1", "choices": [{"message": {"role": "assistant", "content": "London (LOC)"}}]},
        {"id": "d2", "messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": "Rome (LOC)"}]},
        {"id": "d3", "output": {"ORG": ["IBM"]}},
    ]
    assert scored(rows).answers[0].exact == 3
    named = [{"id": "d1", "mine": "London (LOC)", "answer": "?"}]
    assert scored(named, "answers(answer=mine)").answers[0].exact == 1


def test_each_system_has_a_format_of_its_own(files):
    spans = files("spans.jsonl", GOLD)
    gold, gpt = (str(files.folder / name) for name in ("gold.jsonl", "gpt.jsonl"))
    forms = ["jsonl", "gpt=answers(ground=exact)"]
    result = assay.score(gold, {"gpt": gpt, "same": spans}, ["exact"], input_format=forms, times=2)
    assert [row.system for row in result.answers] == ["gpt"]
    assert result.answers[0].ungrounded == 3
    assert math.isnan(result.score("same", "answers").value)
    assert "gpt:answers(ground=exact, occurrences=next, outside=keep, shape=auto, tolerance=0.2)" in result.signature
    with pytest.raises(assay.AssayError, match="there is no system 'gtp'"):
        assay.score(gold, {"gpt": gpt}, ["exact"], input_format=["gtp=answers"], times=2)


def test_lists_of_answers_need_no_file(files):
    gold = str(files.folder / "gold.jsonl")
    listed = ["Ada Lovelace (PER)", None, "IBM (ORG)"]
    by_order = assay.score(gold, {"s": assay.answers(listed)}, ["exact"], times=2)
    by_id = assay.answers({"d3": "IBM (ORG)", "d1": "Ada Lovelace (PER)"})
    assert by_order.answers == assay.score(gold, {"s": by_id}, ["exact"], times=2).answers
    assert (by_order.answers[0].exact, by_order.answers[0].missing) == (2, 1)
    with pytest.raises(assay.AssayError, match="there is no shape = 'xml'"):
        assay.answers(listed, shape="xml")
    with pytest.raises(assay.AssayError, match="there is no parameter 'shapes' of format answers"):
        assay.answers(listed, shapes="json")


# --- messages ---


@pytest.mark.parametrize(
    ("rows", "form", "message"),
    [
        (
            [{"id": "d1", "answer": ""}, {"id": "d99", "answer": ""}],
            "answers",
            ":2: gold has no id d99. Leave this answer out.",
        ),
        (
            [{"id": "d3", "answer": ""}] * 2,
            "answers",
            ":2: id d3 again. Join the answers to one document, or say where each has its label: answers(label=KEY).",
        ),
        (
            [{"id": "d1", "said": ""}],
            "answers",
            ":1: none of answer, response, output, … is there. Name the key: answers(answer=KEY).",
        ),
        ([{"id": "d1", "said": ""}], "answers(answer=x)", ":1: no x there. Name the key: answers(answer=KEY)."),
        (
            [{"answer": ""}] * 2,
            "answers",
            ": has 2 answers for 3 documents of gold and no ids to match them. Give each answer an id.",
        ),
        (
            [{"id": "d1", "answer": "", "text": "Ada left."}],
            "answers",
            ":1: its text is not that of gold (GOLD:1). Leave the text out, or give the answers to gold's.",
        ),
        (
            [{"id": "d1", "answer": ""}, {"answer": ""}],
            "answers",
            ":2: has no id, but those before it have one. Give all one, or none.",
        ),
        ([17], "answers", ':1: 17, but an answer is expected. It is {"id": "d1", "answer": "…"}'),
        (
            [{"id": [1], "answer": ""}],
            "answers",
            ":1: the id is [1], but a string or a number is expected.",
        ),
        (
            [{"id": "d1", "kind": "PER", "answer": ""}, {"id": "d1", "answer": ""}],
            "answers(label=kind)",
            ":2: no label under kind, but others have one. Give it one.",
        ),
    ],
)
def test_what_is_refused(files, rows, form, message):
    path, gold = files("answers.jsonl", rows), str(files.folder / "gold.jsonl")
    with pytest.raises(assay.AssayError) as error:
        assay.score(gold, {"s": path}, ["exact"], input_format=form, times=2)
    assert str(error.value) == f"{path}{message}".replace("GOLD", gold)


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ("answers(ground=far)", "there is no ground = \'far'"),
        ("answers(occurrences=first)", "there is no occurrences = \'first'"),
        ("answers(outside=out)", "there is no outside = \'out'"),
        ("answers(tolerance=2)", "format answers: tolerance should be a share between 0 and 1, not 2.0."),
        ("gold=answers", "gold.jsonl:1: none of answer, response, output, … is there."),
    ],
)
def test_parameters_are_checked(scored, form, message):
    with pytest.raises(assay.AssayError) as error:
        scored(GPT, form)
    assert message in str(error.value)


def test_answers_are_no_gold(files):
    with pytest.raises(assay.AssayError, match="model answers cannot be gold"):
        assay.score(assay.answers(["none"]), {"s": assay.answers(["none"])}, ["exact"], times=2)


def test_only_spans_of_gold_with_relations_are_compared(scored, files):
    related = [{**GOLD[0], "relations": [{"head": 0, "child": 1, "label": "met"}]}, *GOLD[1:]]
    assert scored(GPT, gold=related, measures=()).about.task == "spans"
    files("gold.jsonl", related)
    given = ("gold.jsonl", "gpt.jsonl", "--input-format", "answers", "--task", "relations")
    done = call("score", *given, folder=files.folder)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "answers of language models can only be compared as spans. Give --task spans" in done.stderr


def test_no_json_exits_with_2(files):
    (files.folder / "a.jsonl").write_text('{"id": "d1"\n', "utf-8")
    done = call("score", "gold.jsonl", "a.jsonl", "--input-format", "answers", folder=files.folder)
    assert (done.returncode, "a.jsonl:1: not JSON" in done.stderr) == (2, True)


def test_warnings(scored):
    rows = [{"id": "d1", "answer": "London (LOC)\n" * 30 + "Noah (PER)\nShem (PER)"}, *GPT[1:]]
    warnings = scored(rows).warnings
    assert "s: 1 of 3 answers could not be read and count as empty (first: d3)." in warnings
    assert "s: 3 of 34 mentions do not occur in their text and count as spurious (UG)." in warnings
    assert "s: the answer to d1 has 29 of all 29 repeated mentions; the model may be looping." in warnings
    assert "s: 1 mention has a label that gold does not use: CITY 1." in warnings
    fine = scored([{"id": row["id"], "answer": "none"} for row in GOLD]).warnings
    assert not any("could not be read" in text or "do not occur" in text for text in fine)


def test_mentions_of_most_of_a_text_are_questioned(scored):
    long = "Ada Lovelace met Charles Babbage in London, and both of them wrote to Augustus De Morgan."
    gold = [{"id": "d1", "text": long, "label": [[0, 12, "PER"]]}, GOLD[1]]
    rows = [{"id": "d1", "answer": json.dumps({"PER": [long[:80]]})}, {"id": "d2", "answer": "It rained in (LOC)"}]
    warning = "s: 1 mention is longer than half of its text (first: d1). Was the answer read correctly?"
    assert warning in scored(rows, gold=gold).warnings
    # Gold has it too, or the mention is short, as in a title.
    gold[0]["label"].append([0, 80, "PER"])
    assert not any("longer than half" in text for text in scored(rows, gold=gold).warnings)


def test_forms_in_the_guide_score_100(scored):
    page = Path(__file__).parents[4] / "docs" / "guide" / "answers.md"
    block = page.read_text("utf-8").partition("```text\n")[2].partition("```")[0]
    forms = [line.replace("⏎", "\n").replace("⇥", "\t").split(None, 1) for line in block.splitlines()]
    assert len(forms) == 38
    spans = [[0, 3, "PER"], [9, 13, "LOC"]]
    gold = [{"id": str(at), "text": "Ada left Rome.", "label": spans} for at in range(len(forms))]
    gold.append({"id": "x", "text": "IBM fell.", "label": [[0, 3, "ORG"]]})
    rows = [{"id": str(at), "answer": form} for at, (_, form) in enumerate(forms)]
    result = scored([*rows, {"id": "x", "answer": "IBM (ORG)"}], gold=gold)
    assert result.score("s", "exact").value == 1
    for shape, form in forms:
        assert len(read_answer(form, "Ada left Rome.", ("PER", "LOC", "ORG"), shape=shape).mentions) == 2, form


def test_offsets_alone_are_places(scored):
    answer = [{"start": 36, "end": 42, "label": "LOC"}, [0, 12, "PER"], {"start": 36, "end": 99, "label": "LOC"}]
    result = scored([{"id": "d1", "answer": json.dumps(answer)}])
    row = result.answers[0]
    assert (row.offsets, row.exact, row.ungrounded, row.mentions) == (3, 2, 1, 3)
    counts = next(one.counts for one in result.counts if one.label is None)
    assert (counts["tp"], counts["fp"], counts["ungrounded"]) == (2, 0, 1)
    table = next(one for one in result.tables if one.title == "Mentions of answers")
    assert table.header[-2:] == ("outside", "offsets") and table.rows[0][-1] == [3, 1.0]


# --- slices, forms, examples, pages ---


def test_slices_by_answer_and_grounding(files):
    result = compared(files, slices=["answer", "answer:gpt", "grounding"])
    values = {
        (row.slice, row.system, row.score): row.value
        for row in result.scores
        if row.slice is not None and row.measure == "exact" and row.label is None
    }
    assert {where for where, _, _ in values} >= {"answer=refused", "answer:gpt=parsed", "grounding=ungrounded"}
    assert values["answer:gpt=refused", "gpt", "recall"] == 0
    assert values["grounding=exact", "gpt", "precision"] == 0.5
    assert values["grounding=fuzzy", "gpt", "precision"] == 1.0
    assert values["grounding=ungrounded", "gpt", "precision"] == 0.0
    assert all(math.isnan(values["grounding=exact", "gpt", name]) for name in ("recall", "f1"))
    assert result.main_scores["exact"] == "f1"
    assert not any(row.slice and row.slice.startswith("grounding") for row in (*result.diffs, *result.bounds))
    with pytest.raises(assay.AssayError, match="--slice grounding is for answers of language models"):
        gold = str(files.folder / "gold.jsonl")
        assay.score(gold, {"s": gold}, ["exact"], slices="grounding", times=2)


def test_forms_of_errors(files):
    result = compared(files, forms=2)
    rows = {(row.system, row.other, row.change, row.type, row.label, row.form): row.count for row in result.forms}
    assert rows["gpt", None, "", "ungrounded", "PER", "alan turing"] == 1
    assert rows["gpt", None, "", "missing", "ORG", "ibm"] == 1
    assert rows["gpt", "llama", "gained", "missing", "LOC", "rome"] == 1
    assert rows["gpt", "llama", "lost", "ungrounded", "PER", "noah"] == 1
    shown = [table.title for table in brief(result) if table.name == "forms"]
    assert shown == ["Surface forms of errors", "Surface forms of errors that llama gains and loses against gpt"]
    assert not compared(files).forms


def test_forms_of_any_spans(files):
    gold = str(files.folder / "gold.jsonl")
    other = files("other.jsonl", [{**row, "label": [[0, 2, "LOC"]]} for row in GOLD])
    result = assay.score(gold, {"s": other}, ["fair"], forms=1, times=2)
    found = {(row.type, row.form): (row.count, row.share) for row in result.forms}
    # Ada and IBM are found in part, with another label; ties go by the form.
    assert found == {("missing", "charles babbage"): (1, 1 / 3), ("spurious", "it"): (1, 1.0)}


def test_examples_show_what_was_written(files):
    result = compared(files, examples=5)
    first = next(one for one in result.examples if one.place.endswith("gold.jsonl:1"))
    assert first.words[-1] == "⟨Alan Turing⟩"
    said = {(span.side, span.said, span.kind) for span in first.spans if span.said}
    assert said == {("gpt", "Charles Babage", "tp")}
    text = render(result, "tsv")
    assert "Charles Babbage ← Charles Babage]PER" in text
    assert "[⟨Alan Turing⟩]PER:UG" in text


def test_every_renderer_has_the_table(files):
    result = compared(files, embed="all", slices=["answer"], forms=3)
    for form in FORMATS:
        assert render(result, form)
    text = render(result, "tsv")
    assert "# Answers\n" in text and "# Mentions of answers\n" in text and "# Answers of gpt and llama\n" in text
    assert assay.Result.from_json(result.to_json()).answers == result.answers
    words = [result.texts["vocabulary"][code] for code in result.texts["words"]]
    assert "⟨Noah⟩" in words


def test_shards_and_order_change_nothing(files, monkeypatch):
    monkeypatch.setattr("assay.engine.run.TEXT", 1)
    for name in ("gold", "gpt"):
        (files.folder / name).mkdir()
    for number, (gold, answer) in enumerate(zip(GOLD, sorted(GPT, key=lambda row: row["id"]), strict=True)):
        files(f"gold/{number}.jsonl", [gold])
        files(f"gpt/{number}.jsonl", [answer])
    options = {"input_format": "answers", "times": 20, "forms": 3, "slices": ["grounding"]}
    whole = assay.score(str(files.folder / "gold.jsonl"), {"gpt": str(files.folder / "gpt.jsonl")}, **options)
    parts = assay.score(str(files.folder / "gold"), {"gpt": str(files.folder / "gpt")}, **options)
    assert parts.answers == whole.answers
    assert {(row.type, row.form, row.count) for row in parts.forms} == {
        (row.type, row.form, row.count) for row in whole.forms
    }
    # A label that gold has in another shard alone is no label outside.
    assert [row.value for row in parts.scores if row.label is None] == pytest.approx(
        [row.value for row in whole.scores if row.label is None], nan_ok=True
    )
    for text in whole.warnings[:3]:
        assert text in parts.warnings
    # One after the other, shards can only be read alike if it is said by which labels.
    for form, code in (("answers", 2), ("answers(labels=PER+LOC+ORG)", 0)):
        for number in (1, 2, 3):
            part = ("--partial", f"p{number}.json", "--shard", f"{number}/3", "--times", "20", "--forms", "3")
            done = call("score", "gold", "gpt=gpt", "--input-format", form, *part, folder=files.folder)
            assert done.returncode == 0, done.stderr
        merged = call("merge", "p1.json", "p2.json", "p3.json", "--format", "json", folder=files.folder)
        assert merged.returncode == code, merged.stderr
    assert assay.Result.from_json(merged.stdout).answers == whole.answers
    assert assay.Result.from_json(merged.stdout).forms == parts.forms


def test_answers_are_judged_against_several_annotators(files):
    lacking = {**GOLD[0], "label": GOLD[0]["label"][1:]}
    people = {name: files(f"{name}.jsonl", rows) for name, rows in
              (("anna", GOLD), ("ben", GOLD), ("carl", (lacking, *GOLD[1:])))}
    gpt = {"gpt": files("gpt.jsonl", GPT)}
    alone = assay.score(people["anna"], gpt, ["exact"], input_format="answers", times=20).score("gpt", "exact")
    for form in ("answers", ("gpt=answers", "anna=jsonl"), ("jsonl", "answers")):
        result = assay.agreement(people, ["exact"], systems=gpt, input_format=form, times=20)
        found = {row.score: row.value for row in result.scores if row.system == "gpt"}
        # What is not in the text counts here as well: the vote is what anna has.
        assert found["majority"] == alone.value
    with pytest.raises(assay.AssayError, match="there is no system 'dora'"):
        assay.agreement(people, ["exact"], input_format="dora=jsonl", times=20)
