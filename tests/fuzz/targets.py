"""Everything that reads files, each as a function from bytes that may be anything to a call."""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import assay
from assay.demo import FOLDER
from assay.engine import run as shards
from assay.engine.finish import make_result
from assay.engine.measure import measures
from assay.engine.options import Options
from assay.formats import FORMATS, read
from assay.formats.ratings import read_ratings
from assay.render import FORMATS as FORMS
from assay.render import render
from assay.result import Result
from assay.scale.partfiles import merge_files, to_json
from assay.scale.run import part_of
from fuzz.mutations import drawn, mutated
from fuzz.seeds import BRAT_TEXT, PAIRS, seeds
from graphlayers import converted, layer_of
from pieces import folders

ROUNDS = {"times": 20}


@dataclass(frozen=True)
class Target:
    """What is tried: a way to make one attempt, with faults drawn at random, in a folder of its own."""

    name: str
    attempt: Callable[[Path, random.Random], Callable[[], Any]]


def shown(result: Result) -> None:
    """A Result can be shown in every way, and read back."""
    from rich.console import Console

    from assay.render.terminal import show

    text = result.to_json()
    assert Result.from_json(text).to_json() == text
    for form in FORMS:
        render(result, form).encode("utf-8", "backslashreplace")
    show(result, Console(file=io.StringIO(), width=80))


# --- readers ---


def content(path: str, name: str, told: str | None) -> Any:
    """A Corpus, or of a table of ratings these."""
    return read_ratings([path], told).ratings() if name == "ratings" else read(path, input_format=told)


def reader(name: str) -> Target:
    """A format: its files are read as such, or told by their looks."""

    def attempt(folder: Path, rng: random.Random) -> Callable[[], Any]:
        path = folder / ("a.ann" if name == "brat" else "a.txt")
        (folder / "a.txt").write_text(BRAT_TEXT, "utf-8")
        path.write_bytes(mutated(rng.choice(seeds(name)), drawn(rng)))
        input_format = rng.choice((name, None))
        return lambda: content(str(path), name, input_format)

    return Target(name, attempt)


_WRITTEN = {
    **dict.fromkeys(("conllu", "sdp", "mrp"), ("conllu", "sdp", "mrp")),
    **dict.fromkeys(("conll08", "conll09", "up", "up2"), ("conll09", "up")),
    **dict.fromkeys(("props", "biojson", "up2-spans", "conll2012"), ("props", "biojson")),
}
"""Formats of graphs and roles, and those that each is converted to."""


def conversion() -> Target:
    """A file with graphs or roles in another format: what is written can be read, and holds the same arcs."""

    def attempt(folder: Path, rng: random.Random) -> Callable[[], Any]:
        name = rng.choice(sorted(_WRITTEN))
        target = rng.choice(_WRITTEN[name])
        path, after = folder / "a.txt", folder / "b.txt"
        path.write_bytes(mutated(rng.choice(seeds(name)), drawn(rng)))

        def call() -> None:
            before = layer_of(path, name)
            text, _ = converted(path, target, name)
            after.write_text(text, "utf-8", newline="")
            try:
                found = layer_of(after, target)
            except assay.AssayError as error:
                raise AssertionError(f"{name} as {target} cannot be read: {error}") from error
            assert found.arcs == before.arcs, f"{name} as {target}"

        return call

    return Target("convert", attempt)


# --- gold and systems ---

_TASKS = {
    **dict.fromkeys(("tags", "tags in columns", "numbered words", "tags of xces", "tags of dag", "features"), "tags"),
    **dict.fromkeys(("entities", "span tables", "jsonl", "answers", "mentions", "dygie", "docred"), "spans"),
    **dict.fromkeys(("rows of words", "predictions"), "spans"),
    **dict.fromkeys(("dependencies", "dependencies with ranges"), "dependencies"),
    **dict.fromkeys(("enhanced dependencies", "semantic dependencies", "graphs of mrp"), "graphs"),
    **dict.fromkeys(("roles", "roles of stretches", "roles of conll2012"), "graphs"),
    **dict.fromkeys(("roles by tags", "roles that are listed"), "graphs"),
    **dict.fromkeys(("links", "links of neleval", "links in MISC"), "links"),
    **dict.fromkeys(("brackets", "export", "discbracket", "tigerxml"), "constituents"),
    **dict.fromkeys(("coreference", "chains", "clusters", "corefud", "zeros", "tagged"), "coreference"),
    **dict.fromkeys(("items", "numbers of items"), "items"),
    "records": "records",
    "events": "events",
}
_MILD = 0.5
"""How often faults are such that the words stay the same: what is behind the check of texts is reached."""


def options_for(task: str, rng: random.Random) -> dict[str, Any]:
    """All that a user may choose where files are faulty, and what else changes the way through."""
    chosen: dict[str, Any] = {
        **ROUNDS,
        "on_mismatch": rng.choice(("error", "skip", "skip", "warn", "warn")),
        "embed": rng.choice(("all", "diff", "sample", "none", "auto")),
        "examples": rng.choice((0, 0, 3)),
        "interval": rng.choice(("percentile", "percentile", "bca", "wilson")),
        "unit": rng.choice((None, None, None, "document")),
        "slices": rng.choice(((), (), ("sentence-length",), ("label",))),
    }
    if task == "spans":
        chosen["repair"] = rng.choice((None, "conlleval", "discard"))
    if task == "coreference":
        chosen["duplicates"] = rng.choice(("error", "first", "drop"))
        chosen["missing"] = rng.choice(("error", "empty"))
        chosen["zeros"] = rng.choice(("error", "drop", "score", "score"))
        chosen["preset"] = rng.choice((None, None, "crac2024", "crac2022"))
        chosen["slices"] = rng.choice(((), (), ("chain-length",), ("mention-type",), ("label",)))
    return chosen


def _measures(task: str, rng: random.Random) -> list[str] | None:
    known = [name for name, definition in measures().items() if definition.task == task]
    return rng.choice((None, rng.sample(known, min(2, len(known)))))


def _labels_moved(data: bytes, rng: random.Random) -> bytes:
    """The same words with other labels: cells, or what stands in their place, taken from other lines."""
    lines = data.split(b"\n")
    for _ in range(rng.randrange(1, 4)):
        one, two = rng.randrange(len(lines)), rng.randrange(len(lines))
        cells, others = lines[one].split(b"\t"), lines[two].split(b"\t")
        if len(cells) == len(others) > 2:
            column = rng.randrange(2, len(cells))
            cells[column] = others[column]
            lines[one] = b"\t".join(cells)
        elif len(cells) == len(others) == 2:
            lines[one] = cells[0] + b"\t" + others[1]
        else:
            lines[one] = lines[one].replace(b"NP", b"VP", 1).replace(b"[0, 0]", b"[1, 1]", 1)
    return b"\n".join(lines)


def pair(name: str) -> Target:
    """Gold and systems of one kind, of which one or all are faulty, through `score` and `compare`."""
    file, (gold, system), given = PAIRS[name]
    task = _TASKS[name]

    def attempt(folder: Path, rng: random.Random) -> Callable[[], Any]:
        texts = {file: gold.encode(), f"a-{file}": system.encode(), f"b-{file}": system.encode()}
        steps = drawn(rng)
        if rng.random() < _MILD:
            texts[f"a-{file}"] = _labels_moved(texts[f"a-{file}"], rng)
        else:
            texts[f"a-{file}"] = mutated(texts[f"a-{file}"], steps)
        if rng.random() < 0.2:
            texts[file] = mutated(texts[file], steps)
            texts[f"b-{file}"] = mutated(texts[f"b-{file}"], steps)
        for other, data in texts.items():
            (folder / other).write_bytes(data)
        verb = rng.choice(("score", "compare"))
        systems = [str(folder / f"{letter}-{file}") for letter in ("a" if verb == "score" else "ab")]
        options, chosen = {**options_for(task, rng), **given}, _measures(task, rng)
        return lambda: shown(getattr(assay, verb)(str(folder / file), systems, chosen, **options))

    return Target(name, attempt)


# --- other files ---


def _english(folder: Path) -> tuple[str, list[str]]:
    for name in ("gold", "hanta"):
        text = (FOLDER / "english" / f"{name}.conllu").read_text("utf-8")
        (folder / f"{name}.conllu").write_text("\n\n".join(text.split("\n\n")[:3]) + "\n\n", "utf-8")
    return str(folder / "gold.conllu"), [str(folder / "hanta.conllu")]


def _entities(folder: Path) -> tuple[str, list[str]]:
    for name in ("gold", "rules"):
        text = (FOLDER / "entities" / f"{name}.tsv").read_text("utf-8")
        (folder / f"{name}.tsv").write_text("\n\n".join(text.split("\n\n")[:4]) + "\n\n", "utf-8")
    return str(folder / "gold.tsv"), [str(folder / "rules.tsv")]


_OPTION_FILES: Mapping[str, tuple[str, Sequence[str], Callable[[Path], tuple[str, list[str]]], dict[str, Any]]] = {
    "map": (
        "tsv",
        (
            "NOUN\tPROPN\n# c\ngold\tre:V(.*)\t\\1X\nboth\tDET\tX\tre?\n",
            '[{"from": "NOUN", "to": "X", "side": "gold", "form": "a.*"}]',
            '{"NOUN": "PROPN"}',
        ),
        _english,
        {},
    ),
    "train": ("txt", ("the\nend\n", seeds("conllu")[1].decode(), seeds("slash")[1].decode()), _english, {}),
    "lexicon": ("txt", ("the\nend\n", seeds("tsv")[1].decode()), _english, {}),
    "gold_errors": ("tsv", ("1\tLOC\t7\t8\n2\tPER\t2\t3\n",), _entities, {"task": "spans"}),
    "tagset": (
        "toml",
        (
            'name = "x"\nkind = "atomic"\n',
            (FOLDER.parent / "tasks" / "tags" / "tagsets" / "data" / "stts.toml").read_text("utf-8")[:3000],
        ),
        _english,
        {"column": "XPOS", "measures": ["pa"]},
    ),
    "weights": (
        "json",
        ('{"kind": "wpa", "w": {"pos": 2, "case": "1/2", "*": 0}}', '{"kind": "cwpa", "w": {"*": {"*": 0}}}'),
        _english,
        {"column": "XPOS", "tagset": "ptb", "measures": ["wpa"]},
    ),
}


def option_file(name: str) -> Target:
    """A file that an option names."""
    ending, texts, corpora, given = _OPTION_FILES[name]
    asked = {key: value for key, value in given.items() if key != "measures"}

    def attempt(folder: Path, rng: random.Random) -> Callable[[], Any]:
        path = folder / f"option.{ending}"
        path.write_bytes(mutated(rng.choice(texts).encode(), drawn(rng)))
        gold, systems = corpora(folder)
        options = {**ROUNDS, **asked, name: str(path)}
        return lambda: shown(assay.score(gold, systems, given.get("measures"), **options))

    return Target(f"--{name.replace('_', '-')}", attempt)


def saved_result() -> Target:
    """A Result saved as JSON, for `assay report` and `--fail-if-worse`."""
    from assay.cli.more import report_command as command

    kept: dict[str, bytes] = {}

    def attempt(folder: Path, rng: random.Random) -> Callable[[], Any]:
        if not kept:
            gold, systems = _english(folder)
            (folder / "b.conllu").write_bytes(Path(systems[0]).read_bytes().replace(b"NOUN", b"PROPN"))
            found = assay.compare(gold, [*systems, str(folder / "b.conllu")], embed="all", examples=2, **ROUNDS)
            kept["tags"] = found.to_json().encode()
            kept["spans"] = assay.score(*_entities(folder), task="spans", **ROUNDS).to_json().encode()
        path = folder / "result.json"
        path.write_bytes(mutated(kept[rng.choice(sorted(kept))], drawn(rng)))

        arguments = [str(path), "--format", rng.choice(FORMS), "-o", str(folder / "shown"), "--quiet"]
        return lambda: command.main(arguments, standalone_mode=False)

    return Target("result.json", attempt)


def part_files() -> Target:
    """The parts that several jobs wrote, for `assay merge`: one of them is faulty, or of another run."""
    kept: dict[str, list[bytes]] = {}

    def attempt(folder: Path, rng: random.Random) -> Callable[[], Any]:
        if not kept:
            kept["tags"] = _parts(folder, "english", "gold.conllu", ("hanta.conllu", "udpipe.conllu"))
            kept["spans"] = _parts(folder, "entities", "gold.tsv", ("rules.tsv",))
        task = rng.choice(sorted(kept))
        parts = [mutated(kept[task][0], drawn(rng)), kept[rng.choice((task, task, "tags"))][1]]
        paths = [folder / "part-1.json", folder / "part-2.json"]
        for path, data in zip(paths, parts, strict=True):
            path.write_bytes(data)
        return lambda: shown(make_result(merge_files([str(path) for path in paths])))

    return Target("part.json", attempt)


def _parts(folder: Path, demo: str, gold: str, systems: Sequence[str]) -> list[bytes]:
    """Two parts of a run over two files each."""
    corpora = folders(folder / demo, demo, gold, systems, pieces=2)
    with patch.object(shards, "TEXT", 1):
        parts = [part_of("compare", *corpora, None, Options(**ROUNDS, examples=2), f"{job}/2") for job in (1, 2)]
    return [to_json(part).encode() for part in parts]


def parameter_file() -> Target:
    """A parameter file of EVALB."""
    text = (
        "DEBUG 0\nMAX_ERROR 10\nCUTOFF_LEN 40\nLABELED 1\nDELETE_LABEL TOP\nDELETE_LABEL -NONE-\n"
        "DELETE_LABEL_FOR_LENGTH -NONE-\nEQ_LABEL ADVP PRT\nEQ_WORD a b\nDISC_ONLY 0\n"
    )

    def attempt(folder: Path, rng: random.Random) -> Callable[[], Any]:
        path = folder / "x.prm"
        path.write_bytes(mutated(text.encode(), drawn(rng)))
        file, (gold, system), _ = PAIRS["brackets"]
        (folder / file).write_text(gold, "utf-8")
        (folder / f"a-{file}").write_text(system, "utf-8")
        measure = f"parseval(params={path})"
        return lambda: assay.score(str(folder / file), [str(folder / f"a-{file}")], measure, **ROUNDS)

    return Target("EVALB parameters", attempt)


def runs_table() -> Target:
    """A table of measurements of runs, for `assay bayes`."""
    rows = (FOLDER / "experiment" / "runs.csv").read_text("utf-8").splitlines(keepends=True)[:60]

    def attempt(folder: Path, rng: random.Random) -> Callable[[], Any]:
        from assay.bayesian.table import read_runs, read_table_text

        path = folder / "runs.csv"
        path.write_bytes(mutated("".join(rows).encode(), drawn(rng)))
        return lambda: read_runs(str(path), *read_table_text(str(path)))

    return Target("runs.csv", attempt)


def scores_table() -> Target:
    """A table of scores, for `assay bayes`."""
    rows = [f"d{number},{60 + number}.5,61.{number},{62 - number}±0.1\n" for number in range(6)]

    def attempt(folder: Path, rng: random.Random) -> Callable[[], Any]:
        path = folder / "scores.csv"
        first = rng.choice(("dataset", "model", "seed", "fold", "name"))
        path.write_bytes(mutated("".join([f"{first},a,b,average\n", *rows]).encode(), drawn(rng)))
        return lambda: assay.bayes(str(path), draws=1000, rho=0.1)

    return Target("scores.csv", attempt)


def experiment_file() -> Target:
    """The TOML file of an experiment."""
    text = (FOLDER / "experiment" / "taggers.toml").read_bytes()

    def attempt(folder: Path, rng: random.Random) -> Callable[[], Any]:
        from assay.experiment.plan import read_plan

        path = folder / "x.toml"
        path.write_bytes(mutated(text, drawn(rng)))
        return lambda: read_plan(path)

    return Target("experiment.toml", attempt)


def targets() -> Iterator[Target]:
    """All of them."""
    yield from map(reader, FORMATS)
    yield from map(pair, PAIRS)
    yield from map(option_file, _OPTION_FILES)
    yield from (conversion(), saved_result(), part_files(), parameter_file())
    yield from (runs_table(), scores_table(), experiment_file())
