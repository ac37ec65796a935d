"""What faulty files once brought to light; each stays mended."""

from __future__ import annotations

import json
import os
import zlib

import pytest

import assay
from assay.bayesian.table import read_runs, read_table_text
from assay.engine.mapping import read_rules
from assay.errors import InputError
from assay.experiment.plan import read_plan
from assay.formats import read, source
from assay.formats.builder import document_id
from assay.result import Result
from assay.tasks.tags.tagsets import find_tagset
from fuzz.outcomes import at_most, check_message
from fuzz.seeds import CHAINS, COREFUD, EXPORT

LONG_NUMBER = "9" * 5000
DEEP = "[" * 100_000


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(name: str, data: str | bytes) -> str:
        (tmp_path / name).write_bytes(data.encode() if isinstance(data, str) else data)
        return name

    return write


def refusal(call, *arguments, **options) -> str:
    with pytest.raises(assay.AssayError) as caught:
        call(*arguments, **options)
    check_message(str(caught.value))
    return str(caught.value)


# --- messages ---


def test_a_message_is_cut_in_its_middle_where_a_file_makes_it_very_long(file):
    message = refusal(read, file("a.txt", f"{'x' * 50_000} b/B"), input_format="slash")
    assert message.startswith("a.txt:1: 'xxx")
    assert message.endswith('Try --input-format "slash(separator=_)"')
    assert len(message) < 1_100


def test_a_message_moves_no_cursor_and_can_be_encoded():
    assert str(InputError("a\x1b[31m\r\x00\x9b \ud800 é\tb")) == "a\\x1b[31m\\x0d\\x00\\x9b \\ud800 é\tb"


# --- numbers that are too long to be numbers ---


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.export", EXPORT.replace("\t501\n", f"\t{LONG_NUMBER}\n", 1)),
        ("a.export", EXPORT.replace("\t501\n", "\t٣\n", 1)),
        ("a.conllu", f"1-{LONG_NUMBER}\tim" + "\t_" * 8 + "\n1\tin" + "\t_" * 8 + "\n"),
        ("a.dag", f"0\t{LONG_NUMBER}\tW\tw\tprep\t\t\t1.0\t\t\t\n"),
    ],
)
def test_numbers_of_thousands_of_digits_are_refused_with_their_place(file, name, text):
    assert refusal(read, file(name, text), input_format=name[2:]).startswith(f"{name}:")


def test_a_head_of_thousands_of_digits_is_no_head(file):
    path = file("a.conllu", COREFUD.replace("(e2-animal-1)", f"(e2-animal-{LONG_NUMBER})"))
    assert assay.score(path, path, task="coreference", zeros="drop", times=20).scores[0].value == 1


def test_a_column_of_thousands_of_digits_does_not_exist(file):
    assert "there is no column" in refusal(read, file("a.tsv", "a\tX\tY\n"), columns=[LONG_NUMBER])


def test_long_numbers_in_the_files_of_options_are_refused(file):
    tags, trees = file("g.tsv", "a\tB-X\nb\tO\n"), file("g.mrg", "(S (NP (NN a)) (VB b))\n")
    errors, parameters = file("e.tsv", f"1\tX\t1\t{LONG_NUMBER}\n"), file("x.prm", f"CUTOFF_LEN {LONG_NUMBER}\n")
    assert refusal(assay.score, tags, tags, task="spans", gold_errors=errors, times=20).startswith("e.tsv:1: ")
    assert refusal(assay.score, trees, trees, f"parseval(params={parameters})", times=20).startswith("x.prm:1: ")


def test_a_long_number_in_a_table_of_runs_is_refused(file):
    text = f"dataset,system,repetition,fold,measure,value\nd,s,{LONG_NUMBER},0,accuracy,0.5\n"
    message = refusal(lambda path: read_runs(path, *read_table_text(path)), file("runs.csv", text))
    assert message.startswith("runs.csv:2: repetition should be a whole number, not '999")


# --- what took time that grows with the square ---


@pytest.mark.parametrize(
    "cell", ["(1" + "|(1" * 60_000, "1)" * 60_000, "x" * 200_000, "(" * 100_000, "|(1" * 60_000], ids=len
)
def test_long_cells_of_brackets_are_read_in_one_go(file, cell):
    path = file("a.conll", CHAINS.replace("(1)", cell, 1))
    with at_most(5):
        refusal(read, path, input_format="conll2012")


@pytest.mark.parametrize("value", ["x" * 200_000, "(e1" * 50_000, "e1)" * 50_000])
def test_long_values_of_entities_are_read_in_one_go(file, value):
    path = file("a.conllu", COREFUD.replace("(e2-animal-1)", value))
    with at_most(5):
        refusal(assay.score, path, path, task="spans", column="MISC:Entity", times=20)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("(a b); part 003", "(a b); part 003"),
        ("(a)", "(a); part 000"),
        ("(a) part 2", "(a); part 002"),
        ("a; part 1", "(a); part 001"),
        ("a ;", "(a); part 000"),
        ("a;b", "(a;b); part 000"),
        ("; part 4", "(7); part 004"),
        ("", "(7); part 000"),
    ],
)
def test_the_ids_of_documents_have_one_form(text, name):
    assert document_id(text, 7) == name


@pytest.mark.parametrize("text", ["(a" + " " * 200_000 + "b", "a" + " " * 200_000 + ";x", "(a)" * 50_000 + "x"])
def test_very_long_ids_of_documents_are_read_in_one_go(text):
    with at_most(5):
        assert document_id(text, 1)


@pytest.mark.parametrize("header", [False, True])
def test_a_line_of_very_many_columns_is_no_table(file, header):
    path = file("a.tsv", "\t".join(f"c{number}" for number in range(30_000)) + "\n")
    with at_most(5):
        message = refusal(read, path, input_format=f"tsv(header={str(header).lower()})")
    assert message.startswith("a.tsv: 30,000 columns, but at most 1,000 are read.")


def test_examples_from_a_very_long_sentence_take_no_time_for_each_of_its_words(file):
    def tags(kinds: str) -> str:
        return "".join(f"w{place % 500}\t{kinds[place % len(kinds)]}-X\n" for place in range(20_000))

    gold, system = file("gold.tsv", tags("BIB")), file("system.tsv", tags("BBI"))
    with at_most(20):
        result = assay.score(gold, system, task="spans", examples=1, times=20)
    assert len(result.examples[0].items) > 10_000


# --- JSON and TOML that the standard library gives up on ---


@pytest.mark.parametrize("text", [DEEP, f"[{LONG_NUMBER}]"], ids=["deep", "long"])
def test_json_that_cannot_be_parsed_is_refused(file, text):
    assert refusal(read_rules, file("map.json", text)).startswith("map.json: cannot be understood (")
    assert refusal(Result.read, file("result.json", text)).startswith("result.json: cannot be understood (")


@pytest.mark.parametrize("text", [f"a = {DEEP}", f"a = {LONG_NUMBER}"], ids=["deep", "long"])
def test_toml_that_cannot_be_parsed_is_refused(file, text):
    assert refusal(read_plan, file("x.toml", text)).startswith("x.toml: ")
    assert refusal(find_tagset, file("t.toml", text)).startswith("t.toml: ")


@pytest.mark.parametrize("pattern", ["(" * 60_000 + ")" * 60_000, "a{99999999999999}"], ids=["deep", "long"])
def test_a_pattern_that_python_gives_up_on_is_refused(file, pattern):
    assert refusal(read_rules, file("map.tsv", f"re:{pattern}\tb\n")).startswith("map.tsv:1: '")


def test_a_pattern_that_python_warns_of_is_refused(file):
    message = refusal(read_rules, file("map.tsv", "re:[[a]\tb\n"))
    assert message == "map.tsv:1: '[[a]' is not a regular expression (Possible nested set at position 1)."


# --- other refusals ---


def test_words_without_columns_have_no_spans(file):
    path = file("a.jsonl", '{"doc_key": "d", "sentences": [["She"]], "clusters": []}\n')
    message = refusal(assay.score, path, path, task="spans", times=20)
    assert message == "a.jsonl: no column but the words, so there are no spans to compare."


def test_the_problems_of_many_files_are_few_lines(file):
    names = [file(f"{number}.conll", CHAINS.replace("\t-\n", "\t0\n") * 4) for number in range(10)]
    message = refusal(assay.score, names[0], names[1:], times=20)
    assert message.endswith("… and problems in 9 more of the files")


# --- Results ---


def test_one_system_by_label_is_shown_where_labels_have_no_precision(file):
    from assay.render import FORMATS, render

    gold, system = file("g.tsv", "a\tX\nb\tY\nc\tX\n"), file("s.tsv", "a\tX\nb\tX\nc\tX\n")
    result = assay.score(gold, system, "kappa", times=20)
    assert all(render(result, form) for form in FORMATS)


def test_a_result_whose_parts_do_not_fit_together_is_refused(file):
    from assay.cli.more import report_command as command

    gold, system = file("g.tsv", "a\tX\nb\tY\n"), file("s.tsv", "a\tX\nb\tX\n")
    data = json.loads(assay.score(gold, system, "tag-f1", times=20).to_json())
    for row in data["counts"]:
        row["counts"].pop("system", None)
    path = file("result.json", json.dumps(data))
    message = refusal(command.main, [path, "--format", "tsv"], standalone_mode=False)
    assert message.startswith("result.json: this result is inconsistent (")


# --- files ---


def test_lines_that_end_with_cr_alone_are_told_of(file):
    assert refusal(read, file("a.tsv", "a\tX\rb\tY\r")) == (
        "a.tsv:1: lines end with CR alone, as they once did on Macs. Convert the file: tr '\\r' '\\n' < a.tsv > new"
    )


def bomb(size: int) -> bytes:
    """A compressed file of many equal lines."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = b"the\tDT\n" * (1 << 17)
    return b"".join([*(packer.compress(block) for _ in range(size // len(block))), packer.flush()])


def test_what_unpacks_to_very_much_is_refused(file, monkeypatch):
    monkeypatch.setattr(source, "_MUCH", 1 << 22)
    message = refusal(read, file("a.gz", bomb(1 << 24)))
    assert message.startswith("a.gz: over 4 MB so far out of ")
    assert message.endswith("which no annotated text is compressed to. If it is meant so, decompress it first.")


def test_what_is_compressed_well_but_is_small_is_read(file):
    assert len(read(file("a.gz", bomb(1 << 21)))) == 2 << 17


def test_names_of_files_with_line_feeds_stay_in_one_line(file):
    assert refusal(read, file("a\nb.tsv", "a\tX\nb\n")).startswith("a\\nb.tsv:2: 1 column, but")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is closed to root")
def test_a_folder_within_that_cannot_be_read_is_told_of(file, tmp_path):
    (tmp_path / "d" / "closed").mkdir(parents=True)
    file("d/a.tsv", "a\tX\n")
    (tmp_path / "d" / "closed").chmod(0)
    try:
        assert refusal(read, "d") == "d/closed: cannot be read (permission denied)."
    finally:
        (tmp_path / "d" / "closed").chmod(0o755)
