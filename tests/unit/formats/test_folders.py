"""Folders and zip files in which annotators have files of their own, and zip files in place of folders."""

from __future__ import annotations

import io
import random
import zipfile
from pathlib import Path
from typing import Any

import assay
from assay.errors import AssayError
from assay.formats import Input, source
from assay.formats.whose import Asked
from cases import each
from unit.samples import refusal

DATA = Path(__file__).parents[2] / "data" / "doors"
XMI = (DATA / "cas" / "doc0.xmi").read_bytes()
TSV = (DATA / "inception" / "annotation" / "doc1.txt" / "anna.tsv").read_bytes()


def pack(folder: Path, inner: bool = False) -> bytes:
    """A folder as a zip file; `inner`: each of its files is one within it, beside a file of types."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(file for file in folder.rglob("*") if file.is_file()):
            name, content = str(file.relative_to(folder)), file.read_bytes()
            if inner:
                own = io.BytesIO()
                with zipfile.ZipFile(own, "w") as small:
                    small.writestr("TypeSystem.xml", "<typeSystemDescription/>")
                    small.writestr(f"x{file.suffix}", content)
                name, content = str(Path(name).with_suffix(".zip")), own.getvalue()
            archive.writestr(name, content)
    return packed.getvalue()


def read(path: Path | str, which: str = "") -> assay.Corpus:
    return Input(str(path), asked=Asked("gold", which)).read(())


def facts(corpus: assay.Corpus) -> tuple[Any, ...]:
    marks = corpus.spans
    spans = [*zip(marks.unit, marks.begin, marks.end, marks.labels.strings(), strict=True)]
    return corpus.document_ids, corpus.texts, spans, corpus.left_out, corpus.notes


@each(
    "folder, which, inner",
    [
        ("inception", "anna", False),
        ("inception", "ben", True),
        ("inception", "curation", True),
        ("doccano/export", "m2", False),
    ],
)
def test_a_zip_file_is_read_as_the_folder_it_packs(tmp_path, folder, which, inner):
    path = tmp_path / "export.zip"
    path.write_bytes(pack(DATA / folder, inner))
    assert facts(read(path, which)) == facts(read(DATA / folder, which))
    assert "--which gold=" in refusal(read, path)
    assert [*tmp_path.iterdir()] == [path]


def test_annotators_of_a_zip_file_are_scored_against_each_other(tmp_path):
    path = tmp_path / "export.zip"
    path.write_bytes(pack(DATA / "inception"))
    which = {"gold": "curation", "ben": "ben"}
    result = assay.score(str(path), {"ben": str(path)}, "exact", which=which, times=5)
    (row,) = [row for row in result.counts if (row.label, row.slice) == (None, None)]
    assert (row.counts["tp"], row.counts.get("fp", 0), row.counts["fn"]) == (2, 0, 1)
    assert result.gold.left_out == {"not curated": 1}


def test_a_project_without_an_annotation_is_refused_and_the_richest_format_is_read(tmp_path):
    (tmp_path / "annotation" / "d.txt").mkdir(parents=True)
    (tmp_path / "annotation" / "d.txt" / "INITIAL_CAS.tsv").write_bytes(TSV)
    assert "annotated" in refusal(read, tmp_path)
    (tmp_path / "annotation" / "d.txt" / "eve.tsv").write_bytes(TSV)
    assert read(tmp_path).format == "webanno"
    assert read(tmp_path).document_ids == ("d.txt",)
    assert "--which gold=curation: no such annotator" in refusal(read, tmp_path, "curation")


def test_folders_with_the_same_texts_are_annotators_and_others_are_not(tmp_path):
    for who, label in (("anna", "PER"), ("ben", "LOC")):
        for name in ("d1", "d2")[: 2 if who == "anna" else 1]:
            (tmp_path / who).mkdir(exist_ok=True)
            (tmp_path / who / f"{name}.txt").write_text("Rome", "utf-8")
            (tmp_path / who / f"{name}.ann").write_text(f"T1\t{label} 0 4\tRome\n", "utf-8")
    assert all(name in refusal(read, tmp_path) for name in ("anna (2)", "ben (1)", "--which gold=ben"))
    corpus = read(tmp_path, "ben")
    assert (corpus.document_ids, corpus.spans.labels.strings()) == (("d1",), ["LOC"])
    assert corpus.left_out == ((1, "d2", "not annotated"),)
    (tmp_path / "ben" / "d1.txt").write_text("Roma", "utf-8")
    (tmp_path / "ben" / "d1.ann").write_text("T1\tLOC 0 4\tRoma\n", "utf-8")
    assert read(tmp_path).document_ids == ("anna/d1", "anna/d2", "ben/d1")


def test_files_of_split_work_are_one_annotation_and_one_file_alone_is_read_as_it_is(tmp_path):
    row = '{"id": %d, "text": "Rome", "label": [[0, 4, "LOC"]]}\n'
    (tmp_path / "a.jsonl").write_text(row % 1, "utf-8")
    (tmp_path / "b.jsonl").write_text(row % 2, "utf-8")
    assert read(tmp_path).document_ids == ("1", "2")
    (tmp_path / "unknown.jsonl").write_text(row % 3, "utf-8")
    corpus = read(tmp_path)
    assert corpus.document_ids == ("1", "2")
    assert corpus.notes == ("Documents that nobody annotated (unknown.jsonl), not read: 1.",)
    assert read(tmp_path, "b").left_out == ((1, "1", "not annotated"),)
    packed = tmp_path / "one.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("all.jsonl", row % 7)
    assert read(packed).document_ids == ("7",)


def test_zip_files_with_large_or_dense_or_locked_files_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "x.zip"
    path.write_bytes(pack(DATA / "inception"))
    with monkeypatch.context() as patched:
        patched.setattr(source, "_LARGEST_MEMBER", 10)
        assert "over 2 GiB" in refusal(read, path, "anna")
    monkeypatch.setattr(source, "_MUCH", 10)
    monkeypatch.setattr(source, "_DENSEST", 1)
    assert "more densely" in refusal(read, path, "anna")


def test_damaged_zip_files_are_read_or_refused(tmp_path):
    whole, path, rng = pack(DATA / "inception", inner=True), tmp_path / "x.zip", random.Random(7)
    for faults in (0, 1, 1, 1, 2, 2, 3, 3):
        content = bytearray(whole)
        for _ in range(faults):
            content[rng.randrange(len(content))] = rng.randrange(256)
        path.write_bytes(bytes(content)[: len(whole) // (2 if faults == 3 else 1)])
        try:
            assert read(path, "anna").document_ids == ("doc1.txt", "doc2.txt")
        except AssayError as error:
            assert faults
            assert "x.zip" in str(error)
