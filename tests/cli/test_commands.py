"""Each command does what its help says; every example in the help runs."""

from __future__ import annotations

import itertools
import json
import shlex
import shutil
import sys
from pathlib import Path

import click
import pytest

from assay.cli import GROUPS, assay_command
from commands import call, call_line

COMMANDS = [name for _, names in GROUPS.values() for name in names]


TAGGED = """\
1\tkot\tkot\tNOUN\tsubst:sg:nom:m2\t_\t_\t_\t_\t_
2\tma\tmieć\tVERB\tfin:sg:ter:imperf\t_\t_\t_\t_\t_
3\tpsa\tpies\tNOUN\tsubst:sg:acc:m9\t_\t_\t_\t_\t_

"""


def attached(text: str) -> str:
    """CoNLL-U in which each word hangs below the first of its sentence."""
    lines = []
    for line in text.splitlines():
        cells = line.split("\t")
        if cells[0].isdigit():
            cells[6:8] = ["0", "root"] if cells[0] == "1" else ["1", "dep"]
        lines.append("\t".join(cells))
    return "\n".join(lines) + "\n"


def bracketed(text: str) -> str:
    """The words of CoNLL-U in flat trees, one a line."""
    trees = []
    for block in text.strip().split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if not line.startswith("#")]
        words = [row[1].replace("(", "-LRB-").replace(")", "-RRB-") for row in rows if row[0].isdigit()]
        trees.append(f"(S-root {' '.join(f'(X-dep {word})' for word in words)})\n")
    return "".join(trees)


def examples() -> list[tuple[str, str]]:
    context = click.Context(assay_command)
    found = []
    for name in COMMANDS:
        command = assay_command.get_command(context, name)
        assert command is not None
        epilog = command.epilog or ""
        found += [(name, line.strip()) for line in epilog.split("\n") if line.strip().startswith("assay ")]
    return found


@pytest.fixture(scope="module")
def example_folder(tmp_path_factory):
    """All files that the examples name."""
    from assay.demo import FOLDER

    folder = tmp_path_factory.mktemp("examples")
    source = FOLDER / "english"
    copies = {
        "gold.conllu": "gold",
        "system.conllu": "hanta",
        "a.conllu": "nltk-tnt",
        "b.conllu": "hanta",
        "run2/out.conllu": "udpipe",
        "one.out.conllu": "nltk-tnt",
        "two.out.conllu": "hanta",
        "train.conllu": "gold",
        "treebank.conllu": "gold",
        "gold/x.conllu": "gold",
        "system/x.conllu": "hanta",
        "a/x.conllu": "nltk-tnt",
        "b/x.conllu": "hanta",
    }
    for name, stem in copies.items():
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(source / f"{stem}.conllu", folder / name)
    (folder / "tagged.txt").write_text("The/DT end/NN ./.\n")
    (folder / "data.tsv").write_text("1\tThe\tthe\tDT\n2\tend\tend\tNN\n")
    (folder / "gold.tsv").write_text("The\tthe\tDT\nend\tend\tNN\n")
    (folder / "system.tsv").write_text("The\tthe\tDT\nend\tend\tVB\n")
    (folder / "tagged.conllu").write_text(TAGGED)
    shutil.copy(FOLDER / "graphs" / "gold.sdp", folder / "graphs.sdp")
    shutil.copy(FOLDER / "graphs" / "gold.conll09", folder / "roles.conll09")
    (folder / "lexicon.tsv").write_text("kot\tkot\tsubst:sg:nom:m2\nkoty\tkot\tsubst:pl:nom:m2\n")
    (folder / "log.txt").write_text('[pos="subst" & case="nom"]\n[number="pl"]\n')
    for name, text in {"anna": "B-PER I-PER O", "ben": "B-PER O O", "carl": "B-LOC I-LOC O"}.items():
        words = zip(("Jane", "Doe", "sings"), text.split(), strict=True)
        (folder / f"{name}.conll").write_text("".join(f"{word} {tag}\n" for word, tag in words))
        (folder / name).mkdir()
        (folder / name / "a.txt").write_text("Jane Doe sings")
        (folder / name / "a.ann").write_text("T1\tPER 0 4\tJane\n" if name == "ben" else "T1\tPER 0 8\tJane Doe\n")
        shutil.copy(source / "hanta.conllu", folder / f"{name}.conllu")
    text = attached((source / "gold.conllu").read_text("utf-8"))
    for name in ("gold", "malt", "brown"):
        (folder / f"{name}.conllu").write_text(text, "utf-8")
        (folder / f"{name}.mrg").write_text(bracketed(text), "utf-8")
    _ratings(folder)
    region = {"id": "r0", "type": "labels", "value": {"start": 0, "end": 4, "text": "Jane", "labels": ["PER"]}}
    people = [{"completed_by": name, "result": [region] * number} for number, name in enumerate(("ben", "anna"))]
    task = {"id": 1, "data": {"text": "Jane Doe sings"}, "annotations": people}
    (folder / "export.json").write_text(json.dumps([task]))
    (folder / "here").mkdir()
    for line in ("score gold.conllu a.conllu -o result.json", "score gold/ system/ --partial part-1.json"):
        assert call(*line.split(), "--times", "20", folder=folder).returncode == 0
    _many_runs(folder)
    return folder


def _ratings(folder: Path) -> None:
    """Five annotators and a system as tables of ratings."""
    items = range(40)
    people = {name: {f"d{one}": one % (3 + shift) % 3 for one in items} for shift, name in enumerate("abcde")}
    rows = [f"{item},{name},{label}" for name, given in people.items() for item, label in given.items()]
    (folder / "ratings.csv").write_text("\n".join(["item,annotator,label", *rows, ""]))
    wide = [f"d{one},text {one},{people['a'][f'd{one}']},{people['b'][f'd{one}']}" for one in items]
    (folder / "wide.csv").write_text("\n".join(["item,text,anna,ben", *wide, ""]))
    # A judge labels all items, people the first half; both answer as the system on most.
    for name, number, wrong in (("human", 20, 40), ("judge", 40, 3), ("system", 40, 5)):
        labels = ["no" if one % wrong == 1 else "yes" for one in range(number)]
        (folder / f"{name}.csv").write_text("id,label\n" + "".join(f"d{n},{one}\n" for n, one in enumerate(labels)))
    (folder / "humans.json").write_text(json.dumps(people))
    (folder / "gpt.json").write_text(json.dumps(people["a"]))


def _many_runs(folder: Path) -> None:
    """An experiment whose measurements were made elsewhere, and the same as a table and as matrices."""
    header = "dataset,system,repetition,fold,measure,value,numerator,denominator"
    rows = {name: [] for name in ("TnT", "Flair")}
    for fold, (system, better) in itertools.product(range(1, 11), (("TnT", 0), ("Flair", 3))):
        right = 900 + 7 * fold % 11 + better * (fold % 2 + 1)
        rows[system].append(right / 1000)
    lines = [
        f"{data},{system},1,{fold},{measure},{value},{round(1000 * value)},1000"
        for data, measure in itertools.product(("one", "two"), ("accuracy", "oov-accuracy"))
        for system, values in rows.items()
        for fold, value in enumerate(values, 1)
    ]
    (folder / "runs.csv").write_text("\n".join([header, *lines, ""]))
    # It can be read either way: five data sets or five systems, and a first cell that says neither.
    scores = [f"n{one},{80 + one},{81 + one % 3},{79 + 2 * one % 5},{80 + one % 4},{82 - one}" for one in range(5)]
    for name, first in (("scores", "name"), ("table", "dataset")):
        (folder / f"{name}.csv").write_text("\n".join([f"{first},A,B,C,D,E", *scores, ""]))
    choice = {f"gen_args_{one}": {"arg_0": "Q:", "arg_1": f" {'AB'[one]}"} for one in range(2)}
    sample = {"doc_id": 0, "doc": {}, "target": "1", "arguments": choice, "filter": "none", "metrics": ["acc"]}
    sample |= {"filtered_resps": [["-2", "False"], ["-1", "False"]], "acc": 1.0}
    (folder / "samples_mmlu.jsonl").write_text(json.dumps(sample) + "\n")
    (folder / "records.jsonl").write_text(json.dumps({"id": 1, "record": {"name": "x", "total": 2}}) + "\n")
    for system, values in rows.items():
        (folder / f"{system.lower()}.csv").write_text((",".join(map(str, values)) + "\n") * 2)
    plan = 'repetitions = 1\nfolds = 3\nmeasures = ["accuracy", "oov-accuracy"]\n'
    plan += '[datasets.one]\npath = "gold.conllu"\ncolumn = "XPOS"\n'
    for tagger in ("unigram", "perceptron"):
        program = f"{{python}} -m assay.demo.taggers.{tagger}"
        plan += f'[systems.{tagger}]\ntrain = "{program} train {{train}} {{model}}"\n'
        plan += f'predict = "{program} predict {{model}} {{test}} {{output}}"\n'
    (folder / "taggers.toml").write_text(plan)
    assert call("experiment", "run", "taggers.toml", "--jobs", "2", "--quiet", folder=folder).returncode == 0


WHOLE_DEMO = ("assay demo", "assay demo --copy here/")
"""What the tests and the README begin with anyway."""


@pytest.mark.parametrize("line", [line for _, line in examples() if line not in WHOLE_DEMO])
def test_every_example_of_the_help_runs(example_folder, line):
    done = call_line(line, example_folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout or " -o " in line


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_examples(name):
    assert [line for known, line in examples() if known == name == shlex.split(line)[1]]


def test_the_help_fits_one_screen_and_names_every_command(assay):
    text = assay("--help").stdout
    assert len(text.splitlines()) <= 33
    assert max(map(len, text.splitlines())) <= 80
    for name in COMMANDS:
        assert f"  {name} " in text


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(assay, name):
    done = assay(name, "--help")
    assert done.returncode == 0
    assert "Examples:" in done.stdout


@pytest.mark.parametrize("name", ["score", "compare", "plan", "agreement"])
def test_every_option_of_an_evaluation_stands_under_a_heading(assay, name):
    lines = assay(name, "--help").stdout.splitlines()
    found = [line.removesuffix(":") for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert found[:2] == ["What is compared", "Slices and examples"]
    assert {"Links", "Spans and mentions", "Tags with parts"} <= set(found)
    assert "Options" not in found


def test_version_names_what_is_installed(assay):
    import numpy
    import scipy

    from assay import __version__

    python = ".".join(map(str, sys.version_info[:3]))
    assert assay("--version").stdout == (
        f"assay {__version__} (Python {python}, numpy {numpy.__version__}, scipy {scipy.__version__})\n"
    )


# --- demo ---


def test_the_demo_of_one_language_needs_no_files_and_proposes_its_own(assay, here):
    done = assay("demo", "--language", "german", "--html", "pages", "--copy", "copy")
    assert done.returncode == 0, done.stderr
    title, verdict = done.stdout.splitlines()[:2]
    assert title == "german: crfsuite, hanta, nltk-tnt, udpipe"
    assert verdict.startswith("  hanta has the highest accuracy of 4 systems (93.65), 2.90 points above crfsuite")
    (line,) = proposed(done.stdout)
    assert line.startswith("assay compare german/gold.conllu german/crfsuite.conllu ")
    assert "Report pages with all sentences: pages/index.html\n" in done.stdout
    page = (here / "pages" / "index.html").resolve().as_uri()
    assert done.stdout.endswith(f"\nTo open the pages in your browser: python3 -m webbrowser {page}\n")
    assert [path.name for path in (here / "copy").iterdir()] == ["german"]


def test_the_lines_that_the_demo_proposes_run(demo, tmp_path):
    said = (demo / "said.txt").read_text("utf-8")
    assert "entities: rules, crf-names\n  rules scores 3.90 points higher than crf-names on exact F1, but the" in said
    assert len(said.splitlines()) < 95
    for name in ("copy/english/gold.conllu", "copy/entities/gold.tsv", "copy/trees/gold.mrg"):
        assert (demo / name).exists()
    for name in ("entities", "dependencies", "frameworks"):
        assert (demo / "pages" / f"{name}.html").exists()
    lines = proposed(said)
    for example in ("english", "entities", "trees", "coreference", "messages", "experiment"):
        assert any(f" {example}/" in line for line in lines)
    shutil.copytree(demo / "copy", tmp_path / "copy")
    for line in lines:
        tried = call_line(line, tmp_path / "copy")
        assert tried.returncode == 0, tried.stderr
        # It says what the demo said of it.
        verdict = said.partition(f"  {line}\n")[0].rpartition("\n\n")[2].split("\n", 1)[1]
        assert "".join(verdict.split()) in "".join(tried.stdout.split())


def proposed(text: str) -> list[str]:
    """The commands that the demo proposes, for the folder of which it says `cd`."""
    lines = [line.strip() for line in text.splitlines()]
    assert "The commands above show more. Run them in this folder: cd copy" in lines
    return [line for line in lines if line.startswith("assay ")]


def test_the_demo_refuses_a_folder_that_is_a_file(assay, here):
    done = assay("demo", "--copy", "gold.conllu")
    assert done.returncode == 2
    assert "gold.conllu" in done.stderr


# --- tagsets ---


def test_the_commands_are_listed_by_what_they_are_for(assay):
    lines = assay("--help").stdout.splitlines()
    start = lines.index("Many runs:")
    assert [line.split()[0] for line in lines[start + 1 : start + 3]] == ["experiment", "bayes"]
    evaluate = ["score", "compare", "plan", "agreement", "cross"]
    look_up = ["measures", "formats", "tagset", "weights", "cite"]
    assert [*evaluate, "experiment", "bayes", *look_up, "report", "merge", "convert", "demo"] == COMMANDS


def test_tagset_lists_the_tagsets_and_shows_one(assay, here):
    text = assay("tagset").stdout
    for name in ("atomic", "feats", "ipic", "mte-sl", "nkjp", "pdt", "ptb", "sgjp", "stts", "ud", "ud-polish"):
        assert any(line.startswith(f"{name} ") for line in text.splitlines()), name
    shown = assay("tagset", "show", "nkjp")
    assert shown.returncode == 0
    (here / "own.toml").write_text(shown.stdout, "utf-8")
    (here / "tagged.conllu").write_text(TAGGED, "utf-8")
    checks = [
        assay("tagset", "check", "tagged.conllu", "--tagset", name, "--column", "XPOS").stdout
        for name in ("nkjp", "own.toml")
    ]
    assert checks[0] == checks[1]


def test_tagset_check_names_the_tags_outside_with_their_place(assay, here):
    (here / "tagged.conllu").write_text(TAGGED, "utf-8")
    done = assay("tagset", "check", "tagged.conllu", "--tagset", "nkjp", "--column", "XPOS")
    assert done.returncode == 0
    assert done.stdout == (
        "subst:sg:acc:m9\t1\ttagged.conllu:3\tsubst:sg:nom:m2\n"
        "2 of 3 words have a tag of nkjp; 1 tag is outside the tagset.\n"
    )


def test_measures_of_rich_tags_are_scored_with_a_tagset(assay, here):
    (here / "g.conllu").write_text(TAGGED, "utf-8")
    (here / "s.conllu").write_text(TAGGED.replace("subst:sg:nom", "subst:pl:nom"), "utf-8")
    options = ("--column", "XPOS", "--tagset", "nkjp", "--times", "20", "--format", "json")
    done = assay("score", "g.conllu", "s.conllu", "-m", "pa", "-m", "pos-accuracy", *options)
    assert done.returncode == 0, done.stderr
    values = {(row["measure"], row["score"]): row["value"] for row in json.loads(done.stdout)["scores"]}
    assert values["pa", "strong"] == pytest.approx((3 / 4 + 1 + 1) / 3)
    assert values["pos-accuracy", "f1"] == 1


# --- looking things up ---


def test_measures_lists_measures_and_slices_with_their_scores(assay):
    text = assay("measures").stdout
    rich = ("pa", "wpa", "cwpa", "pos-accuracy", "features")
    trees = ("uas", "las", "ls", "clas", "mlas", "blex", "relation-f1", "tree-match", "tedeval", "distance", "depth")
    for name in ("accuracy", "sentence-accuracy", "oov-accuracy", "tag-f1", *rich, *trees, "sentence-length", "meta"):
        assert f"\n  {name} " in text
    assert "scores: f1, precision, recall, macro-f1, macro-precision, macro-recall, weighted-f1" in text


def test_measures_with_a_name_shows_its_documentation(assay):
    text = assay("measures", "tag-f1").stdout
    assert text.startswith("tag-f1: Precision, recall and F1 of each tag, and their averages.\n")
    assert "Counts: per tag right, gold, system." in text


def test_formats_lists_every_format_with_an_example(assay):
    text = assay("formats").stdout
    tables = (
        "conllu(empty_nodes=false):",
        "conllx:",
        "conll09:",
        "tsv(comments=auto, header=auto, word=auto):",
        "conll(",
    )
    for name in (*tables, "slash(separator=/):", "brackets("):
        assert any(line.startswith(name) for line in text.splitlines()), name
    assert text.startswith("conllu(")
    assert assay("formats", "tsv").stdout.startswith("tsv(") and "slash" not in assay("formats", "tsv").stdout
    wrong = assay("formats", "conlu")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "there is no format 'conlu'. Did you mean conllu" in wrong.stderr


def test_cite_gives_the_papers_of_what_is_named(assay):
    text = assay("cite", "accuracy", "shuffling").stdout
    assert [line.split("{")[1].rstrip(",") for line in text.splitlines() if line.startswith("@")] == [
        "assay",
        "noreen1989",
    ]


def test_cite_gives_the_papers_of_what_a_result_used(assay):
    assay("compare", "gold.conllu", "a.conllu", "b.conllu", "--times", "20", "--interval", "bca", "-o", "r.json")
    text = assay("cite", "r.json").stdout
    keys = {line.split("{")[1].rstrip(",") for line in text.splitlines() if line.startswith("@")}
    assert keys == {"assay", "tuggener2017", "noreen1989", "mcnemar1947", "holm1979", "efron1987"}


def test_cite_refuses_what_is_no_result(assay, here):
    (here / "x.json").write_text("{}")
    done = assay("cite", "x.json")
    assert done.stderr == (
        "assay: x.json: has no schema, but assay reads 'assay/2'. Was it written by assay --format json?\n"
    )


# --- convert ---


def test_convert_writes_to_stdout_and_says_losses_on_stderr(assay):
    done = assay("convert", "gold.conllu", "--to", "slash", "--column", "XPOS")
    assert done.stdout.startswith("Storm/NN damage/NN shuts/VBZ ")
    warning = "warning: slash has no place for columns LEMMA, UPOS, FEATS, MISC, which are left out."
    assert warning in done.stderr.splitlines()


def test_convert_to_conllu_and_back_is_the_same_file(assay, here):
    assay("convert", "gold.conllu", "--to", "conllu", "-o", "copy.conllu")
    assert (here / "copy.conllu").read_bytes() == (here / "gold.conllu").read_bytes()


def test_convert_writes_spans_under_another_scheme_and_repaired(assay, here):
    (here / "broken.conll").write_text("Anna I-PER\nran O\nto B-LOC\nRome I-LOC\n\n")
    done = assay("convert", "broken.conll", "--scheme", "iob2", "--repair", "conlleval", "-o", "mended.conll")
    assert "warning: tags that break IOB2: 1; repaired by conlleval, which changed the reading of 1." in done.stderr
    assert (here / "mended.conll").read_text() == "Anna B-PER\nran O\nto B-LOC\nRome I-LOC\n\n"
    done = assay("convert", "mended.conll", "--to-scheme", "bioes", "--to", "tsv")
    assert done.stdout == "Anna\tS-PER\nran\tO\nto\tB-LOC\nRome\tE-LOC\n\n"


def test_convert_without_any_target_is_refused(assay):
    done = assay("convert", "gold.conllu")
    assert (done.returncode, done.stderr) == (
        2,
        "assay: choose what to write: --to FORMAT, --to-scheme SCHEME or --repair.\n",
    )


def test_convert_refuses_a_missing_folder(assay):
    done = assay("convert", "gold.conllu", "--to", "tsv", "-o", "no/x.tsv")
    assert done.returncode == 2
    assert "no/x.tsv" in done.stderr


# --- completion ---


@pytest.mark.parametrize(
    ("words", "number", "expected"),
    [
        ("assay co", 1, {"compare", "convert"}),
        ("assay score --in", 2, {"--input-format", "--interval"}),
        ("assay score -m tag", 3, {"tag-f1"}),
        ("assay score -m p", 3, {"pa", "parseval", "pearson", "perspective", "pos-accuracy", "predications"}),
        ("assay t", 1, {"tagset"}),
        ("assay compare g a b --slice se", 6, {"seen", "sentence-length", "sentences"}),
        ("assay convert x --input-format s", 4, {"sdp", "senses", "slash", "spans"}),
        ("assay score --format j", 3, {"json"}),
    ],
)
def test_the_shell_completes_commands_options_and_names(command, words, number, expected):
    done = command(_ASSAY_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=str(number))
    assert {line.partition(",")[2] for line in done.stdout.splitlines()} == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_its_script(command, shell):
    done = command(_ASSAY_COMPLETE=f"{shell}_source")
    assert "_ASSAY_COMPLETE" in done.stdout
    assert "assay" in done.stdout
