"""Folders read shard by shard: by one process, by several, by a Dask cluster, and in parts that are merged."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from assay.cli import run
from assay.demo import FOLDER
from assay.engine import run as shards
from assay.formats.pieces import PACKED
from cli.dask_cluster import dask_cluster
from pieces import folders, size_for

CHAINS = ("mention-pair.jsonl", "string-match.conll")
TASKS = {
    "tags": ("english", "gold.conllu", ("crfsuite.conllu", "hanta.conllu"), ("--slice", "label", "-m", "tag-f1")),
    "rich tags": (
        *("english", "gold.conllu", ("crfsuite.conllu", "hanta.conllu")),
        ("-m", "features", "-m", "wpa", "--column", "XPOS", "--tagset", "ptb", "--weights", "equal"),
    ),
    "spans": ("entities", "gold.tsv", ("rules.tsv", "spacy.tsv"), ("--slice", "span-length")),
    "dependencies": ("trees", "gold.conllu", ("arc-eager.conllu", "arc-hybrid.conllu"), ("--task", "dependencies")),
    "graphs": ("graphs", "gold.conllu", ("rules.conllu", "learned.conllu"), ("-m", "elas(empty=align)")),
    "roles": ("graphs", "gold.conll09", ("rules.conll09", "learned.conll09"), ("--task", "graphs")),
    "relations": (
        *("relations", "gold.jsonl", ("rules.jsonl", "learned.jsonl")),
        ("-m", "fair-relations(symmetric=spouse)", "-m", "relations", "--slice", "types", "--slice", "nested"),
    ),
    "constituents": ("trees", "gold.mrg", ("pcfg-1.mrg", "pcfg-2.mrg"), ("--slice", "span-length")),
    "links": ("links", "gold.tsv", ("lookup.tsv", "context.tsv"), ("--slice", "nil", "--slice", "type")),
    "coreference": ("coreference", "key.conll", CHAINS, ("--slice", "label")),
}
# A measure that ends its process, the first time or always, but not that of whoever started it.
DEADLY = """
import os, signal
from pathlib import Path
import assay
from assay.engine.measure import f1
from assay.tasks.tags.measures import accuracy

@assay.measure("deadly", scores={"f1": f1})
def once(pair):
    '''Right labels, from the second time on.'''
    if os.getpid() != int(Path("parent").read_text()) and not Path("died").exists():
        Path("died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return accuracy(pair)

@assay.measure("always-deadly", scores={"f1": f1})
def always(pair):
    '''Never done.'''
    if os.getpid() != int(Path("parent").read_text()):
        os.kill(os.getpid(), signal.SIGKILL)
    return accuracy(pair)

@assay.measure("slow", scores={"f1": f1})
def slow(pair):
    '''Takes its time.'''
    import time
    if os.environ.get("FIRST") != str(os.getppid()):
        Path(f"began-{os.getpid()}").touch()
        time.sleep(60)
    return accuracy(pair)
"""


def arguments(here: Path, task: str) -> list[str]:
    """The words of a command that compares the systems of a task as folders of four files."""
    room, gold, systems, more = TASKS[task]
    folder, named = folders(here / task, room, gold, systems, pieces=4)
    return ["compare", folder, *(f"{name}={path}" for name, path in named.items()), *more, "--times", "20"]


def written(words: Sequence[str], where: Path) -> str:
    """What a command that is run within this process writes to a file."""
    with pytest.raises(SystemExit) as stop:
        run([*words, "--quiet", "-o", str(where)])
    assert stop.value.code == 0
    return where.read_text("utf-8")


@dataclass(frozen=True)
class Whole:
    """A task whose files are read at once: the command, and what it says, examples and texts for a page included."""

    words: list[str]
    said: str

    def cut(self, pieces: int, where: Path, monkeypatch: pytest.MonkeyPatch, *more: str) -> str:
        """What the same command says of so many shards."""
        folder = self.words[1]
        monkeypatch.setattr(shards, "TEXT", size_for(pieces, folder))
        assert len(shards.find_shards(folder, self.words[2:4])) == pieces
        return written([*self.words, *more], where)


@pytest.fixture(scope="module")
def wholes(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Whole]:
    """Each task, read at once when it is first asked for."""
    found: dict[str, Whole] = {}

    def whole(task: str) -> Whole:
        if task not in found:
            here = tmp_path_factory.mktemp("whole")
            words = [*arguments(here, task), "--examples", "2", "--embed", "auto"]
            found[task] = Whole(words, written(words, here / "whole.json"))
        return found[task]

    return whole


@pytest.mark.parametrize("task", TASKS)
def test_shards_say_what_one_file_says(wholes, here, task, monkeypatch):
    whole = wholes(task)
    assert whole.cut(4, here / "cut.json", monkeypatch) == whole.said


@pytest.mark.parametrize(
    ("task", "pieces", "jobs"),
    [*((task, 4, "2") for task in [*TASKS][::2]), ("tags", 1, "4"), ("spans", 4, "4")],
)
def test_many_processes_say_what_one_says(wholes, here, task, pieces, jobs, monkeypatch):
    whole = wholes(task)
    assert whole.cut(pieces, here / "cut.json", monkeypatch, "--jobs", jobs) == whole.said


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Dask scheduler."""
    with dask_cluster(tmp_path_factory.mktemp("dask")) as (address, _):
        yield address


@pytest.mark.parametrize("task", TASKS)
def test_a_cluster_says_what_one_process_says(wholes, here, scheduler, task, monkeypatch):
    whole = wholes(task)
    assert whole.cut(4, here / "cut.json", monkeypatch, "--cluster", scheduler) == whole.said


@pytest.mark.parametrize("task", TASKS)
def test_parts_are_merged_to_what_one_process_says(wholes, assay, here, task, monkeypatch):
    whole = wholes(task)
    monkeypatch.setattr(shards, "TEXT", 1)
    for job in ("1/3", "2/3", "3/3"):
        done = assay(*whole.words, "--shard", job, "--partial", f"part-{job[0]}.json")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", f"written: part-{job[0]}.json\n")
    parts = [f"part-{number}.json" for number in (3, 1, 2)]
    assert written(["merge", *parts], here / "merged.json") == whole.said
    assert assay("merge", *parts[1:]).stderr == "assay: 2 of 4 shards are missing (3, 4). Give all parts.\n"


def test_pages_of_parts_have_sentences_if_these_were_asked_for(assay, here, monkeypatch):
    words = arguments(here, "tags")
    monkeypatch.setattr(shards, "TEXT", 1)
    for more, note in (([], True), (["--embed", "auto"], False)):
        assert assay(*words, *more, "--partial", "part.json").returncode == 0
        done = assay("merge", "part.json", "--html", "page.html", "--format", "tsv")
        assert done.returncode == 0
        assert ("the page has no sentences, because the parts contain none" in done.stderr) == note


def whole_and_cut(run, words: list[str], monkeypatch: pytest.MonkeyPatch, *more: str) -> tuple[str, str]:
    """What a command says with all files as one shard, and with a shard for each file."""
    said = []
    for size, extra in ((1 << 40, ()), (1, more)):
        monkeypatch.setattr(shards, "TEXT", size)
        done = run(*words, *extra, "--format", "json")
        assert done.returncode == 0, done.stderr
        said.append(done.stdout)
    return said[0], said[1]


def deadly(here: Path) -> None:
    (here / "deadly.py").write_text(DEADLY)
    (here / "parent").write_text(str(os.getpid()))


def test_a_lost_worker_of_a_cluster_costs_its_shard_alone(assay, here, monkeypatch):
    deadly(here)
    words = [*arguments(here, "tags"), "-m", "deadly:once"]
    with dask_cluster(here) as (address, workers):
        whole, cut = whole_and_cut(assay, words, monkeypatch, "--cluster", address)
        lost = [worker.poll() for worker in workers]
    assert sorted(lost, key=str) == [-signal.SIGKILL, None]
    assert cut == whole


def test_the_shard_of_a_process_that_dies_is_read_once_more(assay, here, monkeypatch):
    deadly(here)
    words = [*arguments(here, "tags"), "-m", "deadly:once"]
    whole, cut = whole_and_cut(assay, words, monkeypatch, "--jobs", "2")
    assert (here / "died").exists()
    assert cut == whole


def test_a_shard_whose_process_always_dies_is_an_error_that_names_it(assay, here, monkeypatch):
    deadly(here)
    words = [*arguments(here, "tags"), "-m", "deadly:always", "--jobs", "2"]
    monkeypatch.setattr(shards, "TEXT", 1)
    done = assay(*words)
    assert done.returncode == 2
    assert "the process that read this shard was killed 2 times. Is there too little memory?" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_an_error_in_one_shard_is_told_with_its_place(assay, here, monkeypatch):
    words = arguments(here, "tags")
    broken = here / "tags" / "hanta.conllu" / "piece-2.conllu"
    broken.write_text(broken.read_text("utf-8").replace("\t", " ", 1), "utf-8")
    monkeypatch.setattr(shards, "TEXT", 1)
    for jobs in ("1", "2"):
        done = assay(*words, "--jobs", jobs)
        assert done.returncode == 2
        assert "piece-2.conllu:" in done.stderr


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--shard", "1/2"], "--shard needs a file for the part, e.g.: --partial part-3.json"),
        (["--partial", "p.json", "--html", "x.html"], "--partial writes only a part."),
        (["--partial", "p.json", "--shard", "2/9"], "--shard 2/9: there are only 4 shards, because small"),
        (["--partial", "no/p.json"], "no/p.json: the folder no does not exist."),
        (["--cluster", "nowhere"], "there is no cluster 'nowhere'."),
        (["--combined", "x", "--partial", "p.json"], "--combined works on one whole data set. Remove --partial."),
        (["--combined", "x"], "--combined works on one file, but files are read separately here"),
    ],
)
def test_what_does_not_go_together_is_refused(assay, here, more, message, monkeypatch):
    monkeypatch.setattr(shards, "TEXT", 1)
    done = assay(*arguments(here, "tags"), *more)
    assert done.returncode == 2
    assert done.stderr.startswith(f"assay: {message}")


# --- in processes of their own ---


def packed(folder: Path, source: Path, files: int) -> None:
    """So many files that are shards by themselves: compressed files count for more than they hold."""
    folder.mkdir(parents=True)
    gold = FOLDER / "english" / "gold.conllu"
    text = source.read_bytes() * (shards.TEXT // PACKED // gold.stat().st_size + 1)
    for number in range(files):
        with gzip.open(folder / f"{number:03}.conllu.gz", "wb", compresslevel=0) as stream:
            stream.write(text)


def test_an_interrupt_leaves_nothing_behind(here):
    (here / "deadly.py").write_text(DEADLY)
    for side, name in (("gold", "gold"), ("s", "hanta")):
        packed(here / side, FOLDER / "english" / f"{name}.conllu", 3)
    call = [sys.executable, "-m", "assay", "score", "gold", "s", "-m", "deadly:slow", "--jobs", "2"]
    environment = {**os.environ, "FIRST": str(os.getpid())}
    with subprocess.Popen(call, cwd=here, env=environment, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while len(began := list(here.glob("began-*"))) < 2 and time.monotonic() < deadline:
            time.sleep(0.1)
        assert len(began) == 2
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 130
        assert process.stderr is not None
        assert process.stderr.read().strip() == "interrupted"
    for path in began:
        with pytest.raises(ProcessLookupError):
            os.kill(int(path.name.partition("-")[2]), 0)


def peak(here: Path, *words: str) -> int:
    """The most memory that a command takes, in kilobytes."""
    script = (
        "import resource, sys\n"
        "from assay.cli import _run\n"
        "assert _run(sys.argv[1:], debug=True) == 0\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *words], cwd=here, capture_output=True, text=True, check=True
    )
    return int(done.stderr.split()[-1])


def test_memory_does_not_grow_with_the_number_of_files(here):
    for files in (2, 6):
        for side, name in (("gold", "gold"), ("a", "hanta"), ("b", "udpipe")):
            packed(here / f"{files}" / side, FOLDER / "english" / f"{name}.conllu", files)
    words = ("--times", "50", "-m", "accuracy", "-m", "tag-f1", "--quiet", "-o", "out.json")
    few, many = (peak(here, "compare", f"{files}/gold", f"{files}/a", f"{files}/b", *words) for files in (2, 6))
    assert many < 1.15 * few
