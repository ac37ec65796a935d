"""Folders and zip files in which annotators have files of their own: the path of a file tells whose it is."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

from assay.classes import dataclass
from assay.errors import InputError
from assay.formats.builder import Builder
from assay.formats.source import ANNOTATIONS, is_archive, name_below, open_file
from assay.formats.whose import CURATION, Annotation, Asked, Whose

_PROJECT = re.compile(r"(?:.*/)?(annotation|curation)/([^/]+)/([^/]+)(?:/([^/]+))?")
"""A file of a project of INCEpTION: its document, the annotator, and the file in a zip file."""
_INITIAL, _CURATOR, _EXPORTED = "INITIAL_CAS", "CURATION_USER", "exportedproject"
_RICHEST = (".xmi", ".json", ".tsv")
"""If an annotation is there in several formats, the first of these is read."""
_NEVER = (".xml", ".ser")
"""Types, and what only Java reads."""
_ROWS, _UNKNOWN = ".jsonl", "unknown.jsonl"
_ID = re.compile(
    rb'^\s*\{\s*"id":\s*("(?:[^"\\]|\\.)*"|-?[0-9]+)(?:\s*,\s*("(?:text|data)":\s*"(?:[^"\\]|\\.)*"))?', re.MULTILINE
)


Found = tuple[dict[str, dict[str, str]], int]
"""By document the file of each annotator, and the number of documents in files that are nobody's."""


@dataclass(frozen=True)
class ChosenFiles:
    """The files of whose annotation is asked for, in a folder in which annotators have files of their own."""

    whose: Whose
    documents: dict[str, str]
    """The files, and the document of each; nothing if a file has several."""
    absent: list[str]
    """The documents without a file that is meant."""
    nobodys: int

    def count_others(self, builder: Builder) -> None:
        """Hand over what is left out."""
        builder.note("Documents that nobody annotated (unknown.jsonl), not read: {}.", self.nobodys)
        builder.whose.statuses["nobody"] += self.nobodys
        for document in self.absent:
            builder.leave_out(document, "")


def choose_files(folder: str, files: Sequence[str], asked: Asked) -> ChosenFiles | None:
    """The files of whose annotation is asked for; None if paths tell nobody.

    They do in a project of INCEpTION, in a folder per annotator with brat's annotations of the same texts, and in
    doccano's export with a file per annotator, in which documents have the same ids.
    """
    found = find_annotators(folder, files)
    if found is None:
        return None
    chosen = ChosenFiles(Whose(asked), {}, [], found[1])
    for document, own in found[0].items():
        annotation = chosen.whose.choose(f"{folder}: {document}", [Annotation(name) for name in own])
        if isinstance(annotation, str):
            chosen.absent.append(document)
        else:
            file = own[annotation.name or ""]
            chosen.documents[file] = "" if file.endswith(_ROWS) else document
    if not chosen.documents:
        chosen.whose.check(folder, 0)
        raise InputError(f"{folder}: has files of annotators, but no annotated document.")
    return chosen


def find_annotators(folder: str, files: Sequence[str]) -> Found | None:
    """The files by document and annotator; None if paths tell nobody."""
    # A zip file often contains one folder with all the others.
    shared = os.path.commonpath([*map(os.path.dirname, files)]) if files and is_archive(folder) else folder
    names = {name_below(shared, file): file for file in files}
    # A folder within a project may be given, too.
    above = "/".join(os.path.abspath(shared).split(os.sep)[-2:])
    is_part = any(own in name for name in names for own in (_INITIAL, _CURATOR))
    part = {f"{above}/{name}": file for name, file in names.items() if is_part}
    return _find_project(names) or _find_project(part) or _find_folders(names) or _find_rows(names)


def _find_project(names: Mapping[str, str]) -> Found | None:
    documents: dict[str, dict[str, str]] = {}
    ranks: dict[tuple[str, str], int] = {}
    found = [(match, file) for name, file in names.items() if (match := _PROJECT.fullmatch(name))]
    marked = any(name.rpartition("/")[2].startswith(_EXPORTED) for name in names)
    marked |= any(match[3].startswith((_INITIAL, _CURATOR)) or file.endswith(".xmi") for match, file in found)
    if not found or not marked:
        return None
    for match, file in found:
        kind, document, own, _ = match.groups()
        who, ending = os.path.splitext(own)[0], os.path.splitext(file)[1]
        who = CURATION if kind == CURATION or who == _CURATOR else who
        known = documents.setdefault(document, {})
        rank = _RICHEST.index(ending) if ending in _RICHEST else len(_RICHEST)
        is_best = ending not in _NEVER and rank < ranks.get((document, who), len(_RICHEST) + 1)
        if who != _INITIAL and is_best:
            ranks[document, who] = rank
            known[who] = file
    return documents, 0


def _find_folders(names: Mapping[str, str]) -> Found | None:
    documents: dict[str, dict[str, str]] = {}
    for name, file in names.items():
        who, slash, rest = name.partition("/")
        if not (slash and rest.endswith(ANNOTATIONS)):
            return None
        documents.setdefault(rest.removesuffix(ANNOTATIONS), {})[who] = file
    shared = [[*files.values()] for files in documents.values() if len(files) > 1]
    alike = all(len({_text_of(file) for file in files}) == 1 for files in shared)
    return (documents, 0) if shared and alike else None


def _text_of(file: str) -> bytes:
    try:
        with open_file(f"{file.removesuffix(ANNOTATIONS)}.txt") as text:
            return text.read()
    except OSError:
        # That it is missing is for the reader to say.
        return file.encode()


def _find_rows(names: Mapping[str, str]) -> Found | None:
    if len(names) < 2 or not all(name.endswith(_ROWS) and "/" not in name for name in names):
        return None
    documents: dict[str, dict[str, str]] = {}
    texts: dict[bytes, set[bytes]] = {}
    nobodys = 0
    for name, file in names.items():
        with open_file(file) as rows:
            content = rows.read()
        found = [match.groups() for match in _ID.finditer(content)]
        if name == _UNKNOWN:
            nobodys = len([line for line in content.splitlines() if line.strip()])
            continue
        for key, text in found or [(name.encode(), None)]:
            texts.setdefault(key, set()).add(text or b"")
            documents.setdefault(key.decode("utf-8", "replace").strip('"'), {})[name.removesuffix(_ROWS)] = file
    is_shared = any(len(files) > 1 for files in documents.values()) and all(len(same) == 1 for same in texts.values())
    return (documents, nobodys) if _UNKNOWN in names or is_shared else None
