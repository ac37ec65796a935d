"""Full disks, interruptions, closed streams, odd names, very large files: clean exits, and nothing half-written."""

from __future__ import annotations

import fcntl
import json
import os
import random
import resource
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import pytest

from commands import environment

FAST = ("--times", "20", "--quiet")
SCORE = ("score", "gold.conllu", "a.conllu", *FAST)
GIGABYTE = 1 << 30


def limited(**limits: int) -> Callable[[], None]:
    """What a process may use at most: bytes of files, memory and seconds."""
    names = {"files": resource.RLIMIT_FSIZE, "memory": resource.RLIMIT_AS, "seconds": resource.RLIMIT_CPU}

    def limit() -> None:
        for name, most in limits.items():
            resource.setrlimit(names[name], (most, most))

    return limit


def run(here: Path, *arguments: str, limits: Callable[[], None] | None = None, **streams):
    streams = {"stdout": subprocess.PIPE, "stdin": subprocess.DEVNULL, **streams}
    return subprocess.run(
        [sys.executable, "-m", "assay", *arguments],
        cwd=here,
        env=environment(),
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=limits,
        check=False,
        **streams,
    )


def left(here: Path) -> set[str]:
    """The names in a folder, hidden ones too."""
    return set(os.listdir(here))


# --- writing ---


@pytest.mark.parametrize("option", ["-o", "--html"])
def test_a_disk_that_gets_full_leaves_the_older_file_and_nothing_else(here, option):
    (here / "x.html").write_text("old")
    before = left(here)
    done = run(here, *SCORE, option, "x.html", limits=limited(files=20_000))
    assert (done.returncode, done.stderr) == (2, "assay: x.html: cannot be written (file too large).\n")
    assert (here / "x.html").read_text() == "old"
    assert left(here) == before


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_standard_output_that_gets_full_is_said_in_one_line(here, unbuffered, monkeypatch):
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    with (here / "out.txt").open("w") as out:
        done = run(here, *SCORE, "--format", "json", stdout=out, limits=limited(files=1_000))
    assert (done.returncode, done.stderr) == (2, "assay: the output cannot be written (file too large).\n")


def test_a_copy_of_the_example_that_does_not_fit_is_said_in_one_line(here):
    done = run(here, "demo", "--language", "english", "--copy", "d", limits=limited(files=5_000))
    assert done.returncode == 2
    assert done.stderr.rpartition("assay: ")[2].startswith("d/english/")
    assert "internal error" not in done.stderr


def test_a_link_stays_a_link_and_its_target_is_replaced(assay, here):
    (here / "sub").mkdir()
    (here / "x.json").symlink_to("sub/target.json")
    assert assay(*SCORE, "-o", "x.json").returncode == 0
    assert (here / "x.json").is_symlink()
    assert json.loads((here / "sub" / "target.json").read_text("utf-8"))["schema"] == "assay/2"
    assert left(here / "sub") == {"target.json"}


def test_a_pipe_is_written_to_and_never_replaced_by_a_file(here):
    os.mkfifo(here / "pipe")
    found: list[str] = []
    reader = threading.Thread(target=lambda: found.append((here / "pipe").read_text("utf-8")))
    reader.start()
    done = run(here, *SCORE, "--format", "tsv", "-o", "pipe")
    reader.join(timeout=30)
    assert done.returncode == 0, done.stderr
    assert found[0].startswith("# a scores ") and "\n# Scores\n" in found[0]
    assert (here / "pipe").is_fifo()


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is closed to root")
def test_a_folder_that_may_not_be_written_is_refused_before_the_work(assay, here):
    (here / "closed").mkdir()
    (here / "closed").chmod(0o555)
    done = assay("score", "none.conllu", "none.conllu", "-o", "closed/x.json")
    assert (done.returncode, done.stderr) == (2, "assay: closed/x.json: cannot be written.\n")


def test_an_interruption_while_writing_leaves_nothing_behind(assay, here, monkeypatch):
    (here / "x.json").write_text("old")
    before = left(here)

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", stop)
    assert assay(*SCORE, "-o", "x.json").returncode == 130
    assert (here / "x.json").read_text() == "old"
    assert left(here) == before


@pytest.mark.parametrize("when", ["reading", "computing"])
def test_an_interruption_is_130_without_a_traceback_or_a_partial_file(here, when):
    lines = [f"w{number % 997}\t{'NVD'[number % 3]}\n\n" for number in range(40_000)]
    (here / "large.tsv").write_text("".join(lines))
    os.mkfifo(here / "pipe.tsv")
    before = left(here)
    words = ("score", "large.tsv", "pipe.tsv", "--times", "10000000", "-o", "x.json", "--html", "x.html")
    process = subprocess.Popen(
        [sys.executable, "-m", "assay", *words], cwd=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    # A pipe takes little more than what is read from it.
    with os.fdopen(opened_by_reader(here / "pipe.tsv", process), "w") as pipe:
        pipe.writelines(lines if when == "computing" else lines[:30_000])
        pipe.flush()
        if when == "computing":
            pipe.close()
            begun = stat_of(process)[1]
            wait_for(lambda: stat_of(process)[1] > begun + 0.3, process)
        else:
            # All is read, and it waits for more.
            wait_for(lambda: unread(pipe) == 0 and stat_of(process)[0] == "S", process)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    # Some interruptions make Python end itself by the signal, which is 130 to a shell too.
    assert process.returncode in (130, -signal.SIGINT)
    assert err.strip() == "interrupted"
    assert left(here) == before


def opened_by_reader(path: Path, process: subprocess.Popen[str]) -> int:
    """A pipe to write to, as soon as the process has opened it."""
    found: list[int] = []

    def is_open() -> bool:
        with suppress(OSError):
            found.append(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
        return bool(found)

    wait_for(is_open, process)
    os.set_blocking(found[0], True)
    return found[0]


def unread(pipe: TextIO) -> int:
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))[0]


def stat_of(process: subprocess.Popen[str]) -> tuple[str, float]:
    """The state of a process and the seconds that it has computed, however much else is going on."""
    cells = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return cells[0], (int(cells[11]) + int(cells[12])) / os.sysconf("SC_CLK_TCK")


def wait_for(what: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + 60
    while not what():
        assert process.poll() is None and time.monotonic() < end
        time.sleep(0.01)


# --- streams ---


def shell(here: Path, line: str) -> subprocess.CompletedProcess[str]:
    command = f'assay() {{ "{sys.executable}" -m assay "$@"; }}; {line}'
    return subprocess.run(["bash", "-c", command], cwd=here, capture_output=True, text=True, check=False)


def test_a_reader_that_leaves_early_is_no_error(here):
    # More than a pipe holds.
    (here / "large.tsv").write_text("end\tNOUN\n" * 50_000)
    done = shell(here, "assay convert large.tsv --to tsv | head -1; echo ${PIPESTATUS[0]}")
    assert (done.stdout, done.stderr) == ("end\tNOUN\n141\n", "")


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_streams_that_are_closed_take_anything(here, closed):
    assert shell(here, f"assay score gold.conllu a.conllu --times 20 {closed}").returncode == 0


def test_standard_input_that_is_closed_is_said(here):
    done = shell(here, "assay score gold.conllu - <&-")
    assert (done.returncode, done.stderr) == (2, "assay: <stdin>: cannot be read, because it is closed.\n")


# --- names ---


def test_a_folder_without_files_and_links_in_a_circle_are_refused(assay, here):
    (here / "empty").mkdir()
    (here / "one").symlink_to("two")
    (here / "two").symlink_to("one")
    assert assay("score", "gold.conllu", "empty").stderr == "assay: empty: the folder contains no files.\n"
    message = "assay: one: cannot be opened (too many levels of symbolic links).\n"
    assert assay("score", "gold.conllu", "one").stderr == message


@pytest.mark.parametrize(
    "name", ["new\nline.conllu", "😀 ẞ.conllu", "-x.conllu", "a=b.conllu", "é" * 120, "*.conllu"]
)
@pytest.mark.parametrize("form", ["json", "tsv", "md", "latex"])
def test_files_of_any_name_are_read_and_named(assay, here, name, form):
    (here / name).write_bytes((here / "a.conllu").read_bytes())
    done = assay("score", *FAST, "--format", form, "--html", "x.html", "gold.conllu", "--", name)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("form", ["json", "tsv", "md", "latex"])
def test_names_that_are_not_utf8_are_written_too(assay, here, form):
    name = os.fsdecode(b"lat\xe9.conllu")
    try:
        (here / name).write_bytes((here / "a.conllu").read_bytes())
    except OSError:
        pytest.skip("there are no such names here")
    done = assay("score", "gold.conllu", name, *FAST, "--html", "x.html", "--format", form, "-o", "x.txt")
    assert (done.returncode, done.stderr) == (0, "")
    assert "lat" in (here / "x.txt").read_text("utf-8")


# --- texts ---


def test_texts_that_differ_in_normalisation_are_refused_with_the_remedy(assay, here):
    (here / "nfc.tsv").write_text("Caf\u00e9\tN\nund\tK\n", "utf-8")
    (here / "nfd.tsv").write_text("Cafe\u0301\tN\nund\tK\n", "utf-8")
    done = assay("score", "nfc.tsv", "nfd.tsv")
    assert done.returncode == 2
    remedy = "The texts differ only in Unicode normalisation. Convert both to NFC, e.g. with uconv -x nfc."
    assert done.stderr.splitlines()[1] == remedy


def test_sentences_skipped_for_their_normalisation_are_told_with_the_remedy(assay, here):
    (here / "nfc.tsv").write_text("Caf\u00e9\tN\n\nein\tK\n\nund\tK\n\naus\tK\n", "utf-8")
    (here / "nfd.tsv").write_text("Cafe\u0301\tN\n\nein\tK\n\nund\tK\n\nAus\tK\n", "utf-8")
    done = assay("score", "nfc.tsv", "nfd.tsv", "--times", "20", "--on-mismatch", "skip")
    assert done.returncode == 0
    assert (
        "nfd: 1 place differs only in Unicode normalisation. To compare them, convert both files to NFC, e.g. "
        "with uconv -x nfc."
    ) in done.stderr


def test_files_that_share_no_sentence_for_their_normalisation_are_told_the_remedy(assay, here):
    (here / "nfc.tsv").write_text("Caf\u00e9\tN\n", "utf-8")
    (here / "nfd.tsv").write_text("Cafe\u0301\tN\n", "utf-8")
    done = assay("score", "nfc.tsv", "nfd.tsv", *FAST, "--on-mismatch", "skip")
    assert done.returncode == 2
    assert done.stderr.splitlines()[1] == (
        "nfc.tsv and nfd.tsv have no sentence in common. The texts differ only in Unicode normalisation. Convert "
        "both "
        "to NFC, e.g. with uconv -x nfc."
    )


def test_a_byte_order_mark_windows_ends_and_compression_change_nothing(assay, here):
    import gzip

    text = (here / "a.conllu").read_bytes().replace(b"\n", b"\r\n")
    (here / "other.conllu.gz").write_bytes(gzip.compress(b"\xef\xbb\xbf" + text))
    plain, other = (assay("score", "gold.conllu", f"s={name}", *FAST) for name in ("a.conllu", "other.conllu.gz"))
    assert plain.stdout.partition("# assay:")[0] == other.stdout.partition("# assay:")[0]


def test_sentences_of_the_same_id_are_scored_all(assay, here):
    text = (here / "gold.conllu").read_text("utf-8")
    (here / "same.conllu").write_text(
        "\n".join("# sent_id = s" if line.startswith("# sent_id") else line for line in text.split("\n")), "utf-8"
    )
    plain, same = (json.loads(assay("score", gold, "a.conllu", *FAST, "--format", "json").stdout)
                   for gold in ("gold.conllu", "same.conllu"))  # fmt: skip
    assert [row["value"] for row in plain["scores"]] == [row["value"] for row in same["scores"]]


# --- large files, within limits of memory and time ---


def labelled(words: int, seed: int, labels: str) -> str:
    rng = random.Random(seed)
    return "".join(f"w{place % 500}\t{rng.choice(labels.split())}\n" for place in range(words))


def tree(words: int, seed: int) -> str:
    rng = random.Random(seed)
    rows = []
    for word in range(1, words + 1):
        head = rng.choice((word - 1, max(1, word - rng.randrange(1, 5)), rng.randrange(1, word))) if word > 1 else 0
        rows.append(f"{word}\tw{word % 500}\t_\tN\t_\t_\t{head}\t{rng.choice('abc')}\t_\t_\n")
    return "".join(rows)


def brackets(words: int, seed: int) -> str:
    rng, parts, depth = random.Random(seed), ["(S"], 0
    for word in range(words):
        if rng.random() < 0.3:
            parts.append("(NP")
            depth += 1
        parts.append(f"(NN w{word % 500})")
        if depth and rng.random() < 0.3:
            parts.append(")")
            depth -= 1
    return " ".join(parts) + ")" * (depth + 1) + "\n"


def chains(words: int, seed: int) -> str:
    rng = random.Random(seed)
    cells = (f"({rng.randrange(2000)})" if rng.random() < 0.3 else "-" for _ in range(words))
    rows = [f"d\t0\t{place}\tw{place % 500}\tNN\t{cell}\n" for place, cell in enumerate(cells)]
    return "".join(["#begin document (d); part 000\n", *rows, "\n#end document\n"])


LARGE = {
    "tags": (lambda words, seed: labelled(words, seed, "N V D"), ("--task", "tags")),
    "spans": (lambda words, seed: labelled(words, seed, "O B-X I-X B-Y"), ("--repair", "conlleval")),
    "dependencies": (tree, ("--task", "dependencies")),
    "constituents": (brackets, ()),
    "coreference": (chains, ()),
}


def sentence_of(words: int, task: str, here: Path) -> subprocess.CompletedProcess[str]:
    make, options = LARGE[task]
    for seed, name in enumerate(("g", "s", "t")):
        (here / name).write_text(make(words, seed), "utf-8")
    # The page and the examples are what is built of every word.
    more = (*options, *FAST, "--html", "x.html", "--examples", "2", "--format", "json")
    return run(here, "compare", "g", "s", "t", *more, limits=limited(memory=4 * GIGABYTE, seconds=120))


@pytest.mark.parametrize("task", LARGE)
def test_a_sentence_of_five_thousand_words_is_compared(here, task):
    done = sentence_of(5_000, task, here)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("task", LARGE)
def test_a_sentence_of_a_hundred_thousand_words_is_compared(here, task):
    done = sentence_of(100_000, task, here)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_million_sentences_are_scored(here):
    with (here / "g").open("w") as stream:
        stream.writelines(f"w{number % 997}\t{'NVD'[number % 3]}\n\n" for number in range(1_000_000))
    done = run(here, "score", "g", "g", *FAST, limits=limited(memory=4 * GIGABYTE, seconds=120))
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "code"),
    [(b"w" * 100_000_000, 2), (b"a\tX\n" + b"w" * 100_000_000 + b"\tX\n", 0), (b"a\t" + b"X" * 100_000_000, 0)],
    ids=["no format", "a word", "a label"],
)
def test_a_line_of_a_hundred_megabytes_is_scored_or_refused(here, text, code):
    (here / "g").write_bytes(text)
    done = run(here, "score", "g", "g", *FAST, limits=limited(memory=4 * GIGABYTE, seconds=120))
    assert done.returncode == code, done.stderr


@pytest.mark.parametrize(
    ("people", "each", "form"),
    [
        *((10_000, 5, "json"), (200, 200, "tsv")),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in ((10_000, 5, "tsv"), (200, 200, "json"))),
    ],
)
def test_many_annotators_take_seconds_in_any_format(here, people, each, form):
    lines = ["item,annotator,label"]
    for rating in range(20_000):
        item = rating // each
        lines.append(f"i{item},a{(item + rating) % people},{'xyz'[rating % 7 % 3]}")
    (here / "r.csv").write_text("\n".join(lines) + "\n", "utf-8")
    done = run(here, "agreement", "r.csv", "--format", form, limits=limited(memory=2 * GIGABYTE, seconds=30))
    assert done.returncode == 0, done.stderr


def test_too_little_memory_is_said_in_one_line(assay, monkeypatch):
    def full(*_, **__):
        raise MemoryError

    monkeypatch.setattr("assay.cli.evaluate.check_stdin", full)
    done = assay(*SCORE)
    assert (done.returncode, done.stderr) == (2, "assay: not enough memory. Give fewer or smaller files at a time.\n")


# --- patterns of users ---


def test_a_pattern_in_a_mapping_file_does_not_hang(here):
    """Python's own matcher would not come back from these labels."""
    (here / "map.tsv").write_text("re:(a+)+b\tX\nboth\tNN\tY\t(w+)+x\n")
    for name in ("gold", "system"):
        (here / f"{name}.tsv").write_text(f"{'w' * 60}\t{'a' * 60}\nx\tNN\n")
    done = run(here, "score", "gold.tsv", "system.tsv", "--map", "map.tsv", *FAST, limits=limited(seconds=30))
    assert done.returncode == 0


def test_a_pattern_that_looks_back_is_refused_with_its_line(assay, here):
    (here / "map.tsv").write_text("NN\tX\nre:(.)\\1+\tX\n")
    done = assay(*SCORE, "--map", "map.tsv")
    assert done.returncode == 2
    assert done.stderr.startswith("assay: map.tsv:2: '(.)\\\\1+' is not a regular expression (refers back to a group")


# --- memory ---


@pytest.mark.parametrize("megabytes", [60, 90, 120, 180, 190, 200])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_out_of_memory_is_one_line_and_never_1(here, megabytes, jobs):
    """The linear algebra that numpy comes with exits with 1 where it finds no room for its buffer."""
    for side in ("gold", "a"):
        (here / side).mkdir()
        for number in range(2):
            text = (here / f"{side}.conllu").read_text("utf-8")
            (here / side / f"{number}.conllu").write_text(text * 40, "utf-8")
    score = ("score", "gold", "a", "-m", "tag-f1", "--jobs", jobs, *FAST)
    done = run(here, *score, limits=limited(memory=megabytes << 20))
    assert done.returncode in (0, 2), done.stderr
    if done.returncode:
        assert done.stderr.startswith("assay: ") and done.stderr.count("\n") == 1


def test_a_worker_without_memory_says_so():
    from assay.scale.workers import _answer

    def hungry(_: object) -> None:
        raise MemoryError

    assert _answer(hungry, None) == ("memory", None)
