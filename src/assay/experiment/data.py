"""The text of a data set in pieces that make up the parts of a split: the unchanged lines of each sentence."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise, product
from pathlib import Path
from typing import Any

from assay import specs
from assay.classes import dataclass
from assay.corpus import Corpus
from assay.corpus.items import ItemTable
from assay.errors import InputError, UsageError
from assay.experiment.plan import ITEMS, DataSet, read_plan
from assay.experiment.splits import ALGORITHM, SCHEMA, Parts, check_size, make_split, read_split, split_name
from assay.files import make_folder, protect_inputs, write
from assay.formats import Input, contains_items, records
from assay.formats.columns import CONLL09, CONLLU, check_separator, is_comment
from assay.formats.items import PARAMETERS, find_roles, open_table
from assay.formats.jsondocs import IDS
from assay.formats.source import Source, list_files
from assay.formats.table import SEPARATORS, cut_table, find_separator
from assay.formats.whose import Asked

WORDS = ("conllu", "conllx", "conll09", "tsv", "conll")
"""Formats with a word per line."""
_NUMBERED = ("conllu", "conllx", "conll09")
_LINES = ("slash", "jsonl", "clusters", records.FORMAT, "events")
_DOCUMENTS = ("conll2012", "jsonl", "clusters")
"""Formats whose smallest pieces are documents."""
_BLOCKS = {"export": ("#BOS", "#EOS"), "conll2012": ("#begin document", "#end document")}
"""Formats with a line at the beginning and at the end of each piece."""
_BEFORE_A_SENTENCE = re.compile(r"#|<[A-Za-z][^/>]*>\s*$|-DOCSTART-|1-\d+\t|0\.\d+\t")
_HARMLESS = ("sent_id", "text", "newdoc", "newpar", "global.columns")
"""Comments that are not annotation."""


def hash_data(path: str) -> str:
    """Hash of a data set's files, after decompression."""
    digests = []
    for file in list_files(path):
        source = Source(file)
        for _ in source.batches():
            pass
        digests.append(source.sha256)
    return digests[0] if len(digests) == 1 else hashlib.sha256("\n".join(digests).encode()).hexdigest()


def hash_file(path: str | Path) -> str:
    """Hash of a file; empty if there is no such file."""
    if not os.path.isfile(path):
        return ""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@dataclass(frozen=True)
class Data:
    """A data set: the pieces of its text, and which of them are units of the splits."""

    dataset: DataSet
    sha256: str
    format: str
    suffix: str
    head: str
    """The top of every part: a header, the names of columns."""
    pieces: tuple[str, ...]
    units: tuple[tuple[int, ...], ...]
    """The pieces of each unit."""
    sentences: tuple[int, ...]
    """The number of sentences of each unit."""
    labels: tuple[str, ...]
    """The columns that can contain annotation."""
    names: tuple[str, ...]
    """All columns, if the format has a word or an item per line."""
    strata: tuple[str, ...] = ()
    """The most frequent label of each unit of items."""

    @classmethod
    def read(cls, dataset: DataSet) -> Data:
        """Read the file or files of a data set."""
        column = dict(dataset.scoring).get("column")
        wanted = [*(() if dataset.task else dataset.keep), *([column] if column else [])]
        asked = Asked("gold", id=dict(dataset.scoring).get("id") or "", items=bool(dataset.task) or None)
        source = Input(dataset.path, input_format=dataset.format, wanted=wanted, asked=asked)
        if contains_items(source):
            return cls._read_items(dataset, source, asked, column)
        corpus = source.read(())
        head, pieces = _read_pieces(source, corpus)
        by, whole = dataset.design.by, corpus.format in _DOCUMENTS
        units: Sequence[Sequence[int]] = [(piece,) for piece in range(len(pieces))]
        sentences = [1] * len(pieces)
        if by == "sentence" and whole:
            raise InputError(f'{dataset.path}: {corpus.format} can only be split by document. Write by = "document"')
        if by == "document":
            if corpus.documents < 2:
                raise InputError(f'{dataset.path}: has no documents to split by. Write by = "sentence"')
            members: list[list[int]] = [[] for _ in range(corpus.documents)]
            for sentence, document in enumerate(corpus.document_of_sentence.tolist()):
                members[document].append(sentence)
            units, sentences = units if whole else members, list(map(len, members))
        check_size(dataset.design, dataset.name, len(units))
        names: tuple[str, ...] = ()
        if corpus.format in WORDS:
            # As the reader names them.
            first = head.partition("\n")[0]
            separator = None if corpus.format == "conll" else "\t"
            if first.startswith("# global.columns"):
                names = tuple(first.partition("=")[2].split())
            elif corpus.format in _NUMBERED:
                names = CONLL09 if corpus.format == "conll09" else CONLLU
            elif head.strip():
                names = tuple(cell.strip() for cell in first.split(separator))
            else:
                lines = reversed(pieces[0].rstrip().splitlines())
                word = next(line for line in lines if not line.startswith("</"))
                names = tuple(str(number) for number in range(1, len(word.split(separator)) + 1))
        return cls(
            dataset=dataset,
            sha256=corpus.sha256,
            format=corpus.format,
            suffix=Path(source.files[0].removesuffix(".gz").removesuffix(".xz")).suffix or ".txt",
            head=head,
            pieces=tuple(pieces),
            units=tuple(map(tuple, units)),
            sentences=tuple(sentences),
            labels=source.plan.labels,
            names=names,
        )

    @classmethod
    def _read_items(cls, dataset: DataSet, source: Input, asked: Asked, column: str | None) -> Data:
        """The rows of a table of items; the values of a column, or single items, are its units."""
        corpus, by = source.read(()), dataset.design.by
        table = corpus.layers[ItemTable]
        if not dataset.task:
            raise InputError(f'{dataset.path}: a table of items. Write by = "item" or by = "meta:COLUMN"')
        if source.plan.name != ITEMS:
            raise UsageError(f"{source.plan.name} files cannot be split. Convert them first: assay convert --to csv")
        key, given = by.removeprefix("meta:"), _parameters(dataset)
        if by != "item" and key not in table.metadata:
            there = ", ".join(table.metadata) or "none"
            raise InputError(f'{dataset.path}: no column {key} for by = "{by}". Available: {there}.')
        codes = range(len(table)) if by == "item" else table.metadata[key].codes.tolist()
        members: dict[int, list[int]] = {}
        for row, code in enumerate(codes):
            members.setdefault(code, []).append(row)
        check_size(dataset.design, dataset.name, len(members))
        heads: dict[str, str] = {}
        pieces: list[str] = []
        names: tuple[str, ...] = ()
        labels: tuple[str, ...] = ()
        for file in source.files:
            cells = open_table(Source(file), given, asked, [column] if column else [])
            roles = find_roles(cells, given, asked, column)
            lines = "".join(batch.text for batch in Source(file).batches()).rstrip("\n").split("\n")
            if cells.typed and (not cells.lines.all() or lines[0].lstrip().startswith("[")):
                raise InputError(f"{file}: has no line for each item. Convert it first: assay convert --to csv")
            starts = [line - 1 for line in cells.lines.tolist()]
            heads.setdefault("".join(f"{line}\n" for line in lines[: starts[0]]), file)
            pieces += ["\n".join(lines[a:b]).rstrip("\n") + "\n" for a, b in pairwise([*starts, len(lines)])]
            every = {cells.name(place): place for place in range(len(cells.columns))}
            names = tuple(dict.fromkeys((*names, *every)))
            labels = tuple(
                name for name, place in every.items() if not roles.texts or place not in (*roles.ids, *roles.texts)
            )
        if len(heads) > 1:
            raise InputError(
                f"{[*heads.values()][1]}: its columns differ from those of {source.files[0]}. Give both the same "
                f"columns."
            )
        answers = table.labels.strings()
        strata = (Counter(answers[row] for row in rows) for rows in members.values())
        return cls(
            dataset=dataset,
            sha256=corpus.sha256,
            format=ITEMS,
            suffix=Path(source.files[0].removesuffix(".gz").removesuffix(".xz")).suffix or ".csv",
            head=next(iter(heads)),
            pieces=tuple(pieces),
            units=tuple(map(tuple, members.values())),
            sentences=tuple(map(len, members.values())),
            labels=labels,
            names=names,
            strata=tuple(min(counts, key=lambda label: (-counts[label], label)) for counts in strata),
        )

    def split(self, repetition: int, fold: int) -> Parts:
        """One of the splits, read from the file of splits or made."""
        if self.dataset.splits is not None:
            return read_split(self.dataset.splits, self.sha256, len(self.units), repetition, fold)
        return make_split(self.dataset.design, self.dataset.name, repetition, fold, len(self.units), self.strata)

    def text(self, units: Sequence[int]) -> str:
        """The text of some units."""
        return self.head + "".join(self.pieces[piece] for unit in units for piece in self.units[unit])

    def count(self, units: Iterable[int]) -> int:
        """Number of sentences in some units."""
        return sum(self.sentences[unit] for unit in units)

    def blind(self, units: Sequence[int]) -> str:
        """The text of some units without annotation."""
        if self.format == ITEMS:
            return self._blind_items(units)
        if self.format == records.FORMAT:
            return self._blind_json(units, {*IDS, records.TEXT, *self.dataset.keep})
        if self.format == "slash":
            form = self.dataset.format
            mark = check_separator((specs.parse(form, "format")[1] if form else {}).get("separator", "/"))
            tagged = (self.pieces[piece].split() for unit in units for piece in self.units[unit])
            plain = ((word.rpartition(mark)[0].replace(f"\\{mark}", mark) for word in words) for words in tagged)
            return "".join(" ".join(words) + "\n" for words in plain)
        # Columns with unknown names would keep their annotation.
        if self.format not in WORDS or not set(self.labels) <= set(self.names):
            raise UsageError(
                f"data set {self.dataset.name}: the annotation cannot be removed from {self.format}. Write blind = "
                f"false for the systems, and make sure that they do not use the annotation."
            )
        lines = self.text(units).splitlines(keepends=True)
        header = 0 if self.format in _NUMBERED else self.head.count("\n")
        kept = {name.casefold() for name in self.dataset.keep}
        shown = {i for i, name in enumerate(self.names) if name not in self.labels or name.casefold() in kept}
        separator = None if self.format == "conll" else "\t"
        blind = lines[:header]
        for line in lines[header:]:
            if not line.strip() or line.startswith(("<", "-DOCSTART-")):
                blind.append(line)
            elif is_comment(line, self.format in _NUMBERED):
                key = re.match(r"#\s*([^\s=]+)", line)
                blind.append(line if key and key[1] in (*_HARMLESS, *self.dataset.keep) else "")
            elif self.format != "conllu" or not re.match(r"\d+\.\d+\t", line):
                cells = line.rstrip("\n").split(separator)
                for index, cell in enumerate(cells):
                    if index not in shown:
                        # MISC keeps what is about white space.
                        is_misc = self.names[index : index + 1] == ("MISC",)
                        spaces = [item for item in cell.split("|") if item.startswith("Space")] if is_misc else []
                        cells[index] = "|".join(spaces) or "_"
                blind.append((separator or " ").join(cells) + "\n")
        return "".join(blind)

    def _blind_json(self, units: Sequence[int], shown: set[str]) -> str:
        """Objects, one per line, with these keys alone."""
        rows = (json.loads(self.pieces[piece]) for unit in units for piece in self.units[unit])
        seen = ({name: cell for name, cell in row.items() if name in shown} for row in rows)
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in seen)

    def _blind_items(self, units: Sequence[int]) -> str:
        """Items with their ids, texts and the columns to keep; any other may be annotation."""
        kept = {name.casefold() for name in self.dataset.keep}
        places = [i for i, name in enumerate(self.names) if name not in self.labels or name.casefold() in kept]
        text = self.text(units)
        if not places:
            raise UsageError(
                f"data set {self.dataset.name}: no column is known to contain texts. Name those that systems may "
                f"see, "
                "e.g. keep = "
                f'["{self.names[0]}"]'
            )
        if text.startswith("{"):
            return self._blind_json(units, {self.names[place] for place in places})
        mark = _parameters(self.dataset)["sep"]
        separator = SEPARATORS.get(mark, mark) or find_separator(text.partition("\n")[0])
        columns = cut_table(text, self.dataset.path, mark).columns
        blind = io.StringIO()
        writer = csv.writer(blind, delimiter=separator, lineterminator="\n")
        writer.writerows(zip(*(columns[place] for place in places), strict=True))
        return blind.getvalue()


def _parameters(dataset: DataSet) -> dict[str, Any]:
    """The parameters of the format of a table of items."""
    given = specs.parse(dataset.format, "format")[1] if dataset.format else {}
    return specs.convert_parameters("format items", given, PARAMETERS)


# --- the pieces of a file ---


def _read_pieces(source: Input, corpus: Corpus) -> tuple[str, list[str]]:
    """The top of the first file, and the pieces of all."""
    head, pieces = "", []
    firsts = [first for _, first in corpus.files] or [0]
    ends = [*firsts[1:], corpus.sentences]
    for number, (file, first, end) in enumerate(zip(source.files, firsts, ends, strict=True)):
        text = "".join(batch.text for batch in Source(file).batches())
        assert corpus.lines is not None
        lines = text.splitlines(keepends=True) if "\n" in text else [text]
        top, of_file = _split_text(corpus.format, text, lines, corpus.lines[first:end].tolist())
        pieces += of_file
        head = head if number else top
    expected = corpus.documents if corpus.format == "conll2012" else corpus.sentences
    if corpus.format != "clusters" and len(pieces) != expected:
        noun = records.FORMAT if corpus.format == records.FORMAT else "sentences"
        in_lines = corpus.format in (records.FORMAT, "events")
        remedy = "Write each on a line." if in_lines else "Convert it first: assay convert --to conllu"
        raise InputError(
            f"{source.path}: {len(pieces)} pieces of text, but {expected} {noun} were read, so it cannot be "
            f"split. {remedy}"
        )
    return head, pieces


def _split_text(format: str, text: str, lines: list[str], firsts: list[int]) -> tuple[str, list[str]]:  # noqa: A002
    """The top of a file, and its pieces; `firsts` are the lines of the first words of sentences."""
    if format in WORDS:
        # Cut before each sentence: before its first word, and what introduces it.
        starts = []
        for first in firsts:
            start = first - 1
            # A comment, an opening tag, a range, a mark of a document, also with an empty line after it.
            while start and (
                _BEFORE_A_SENTENCE.match(lines[start - 1])
                or (not lines[start - 1].strip() and start > 1 and lines[start - 2].startswith("-DOCSTART-"))
            ):
                start -= 1
            starts.append(start)
        head = "".join(lines[: starts[0]])
        if lines[0].startswith("# global.columns"):
            # It is about the file, although it is among the comments of the first sentence.
            head, starts[0] = lines[0], max(starts[0], 1)
        ends = [*starts[1:], len(lines)]
        blocks = ["".join(lines[start:end]) for start, end in zip(starts, ends, strict=True)]
        return head, [block.rstrip("\n") + "\n\n" for block in blocks]
    if format in _LINES:
        return "", [line.rstrip("\n") + "\n" for line in lines if line.strip()]
    if format in _BLOCKS:
        begin, end = _BLOCKS[format]
        blocks = re.findall(rf"^{begin}.*?^{end}[^\n]*\n?", text, re.MULTILINE | re.DOTALL)
        top = text[: text.find(begin)] if format == "export" else ""
        return top, [block.rstrip("\n") + "\n" for block in blocks]
    if format not in ("brackets", "discbracket"):
        raise UsageError(f"{format} files cannot be split. Convert them first: assay convert --to conllu")
    trees, depth, start = [], 0, 0
    for match in re.finditer(r"[()]", text):
        if match[0] == "(":
            start = match.start() if depth == 0 else start
            depth += 1
        else:
            depth -= 1
            if depth == 0:
                trees.append(text[start : match.end()] + "\n")
    return "", trees


# --- splits as files ---


def write_splits(path: str | Path, folder: str | Path, *, parts: bool = False) -> list[Path]:
    """Write the splits of every data set into a folder; with `parts` also the texts of every part."""
    experiment = read_plan(path)
    written = []
    with protect_inputs(experiment.inputs()):
        for dataset in experiment.datasets.values():
            data, design = Data.read(dataset), dataset.design
            target = Path(folder) / f"{dataset.name}.splits.json"
            content = {
                "schema": SCHEMA,
                "algorithm": ALGORITHM,
                "dataset": dataset.name,
                **{key: getattr(design, key) for key in ("seed", "scheme", "by", "folds", "repetitions", "dev")},
                **({"stratify": True} if design.stratify else {}),
                "data": {"sha256": data.sha256, "units": len(data.units), "sentences": sum(data.sentences)},
            }
            runs = list(product(range(1, design.repetitions + 1), range(1, design.runs_per_repetition + 1)))
            rows: dict[int, dict[str, Any]] = {}
            for repetition, fold in runs:
                split = data.split(repetition, fold)
                # The units of every fold, from 0; of plain random splits the three parts.
                row = rows.setdefault(repetition, {"repetition": repetition})
                if design.scheme == "random":
                    row.update(vars(split))
                else:
                    row.setdefault("folds", []).append(split.test)
            head = json.dumps(content, indent=1, ensure_ascii=False).removesuffix("\n}")
            make_folder(target.parent)
            write(target, head + ',\n "splits": [\n  ' + ",\n  ".join(map(json.dumps, rows.values())) + "\n ]\n}\n")
            written.append(target)
            for repetition, fold in runs if parts else ():
                place = Path(folder) / dataset.name / split_name(repetition, fold)
                for part, units in vars(data.split(repetition, fold)).items():
                    if units:
                        make_folder(place)
                        write(place / f"{part}{data.suffix}", data.text(units))
    return written
