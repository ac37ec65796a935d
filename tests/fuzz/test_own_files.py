"""assay's own files with odd values in them: results, tagsets, weights, maps. Read, or refused in one line."""

from __future__ import annotations

import copy
import json
import random
import tomllib

import pytest

import assay
from assay.cli.more import report_command
from assay.demo import FOLDER
from assay.engine.mapping import map_labels, read_rules
from assay.formats import read
from assay.result import Result
from assay.result.citations import bibtex
from assay.result.gates import Gates
from assay.tasks.tags.tagsets import find_tagset, read_bundled
from assay.tasks.tags.weights import check_categories, load_weights

ODD = [
    *(None, [], {}, "", "x", "\x1b", -1, 0, 3, 10**400, 1e308, True, "9" * 5000),
    *([[]], [None], {"x": []}, ["x", "x"], [{}]),
]
ENGLISH, TREES = FOLDER / "english", FOLDER / "trees"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def places(data, before=()):
    """Where something stands: the keys that lead to it; of long lists the beginning."""
    for key, value in data.items() if isinstance(data, dict) else enumerate(data[:3]):
        yield (*before, key)
        if isinstance(value, dict | list):
            yield from places(value, (*before, key))


def odd_ones(whole, seed, times):
    """The same data with one value another, or one gone."""
    draw = random.Random(seed)
    every = list(places(whole))
    for _ in range(times):
        data = copy.deepcopy(whole)
        *way, last = draw.choice(every)
        inner = data
        for key in way:
            inner = inner[key]
        if draw.random() < 0.2:
            del inner[last]
        else:
            inner[last] = draw.choice(ODD)
        yield data


def tried(here, data, call):
    """Whether what a file of these data is used for works; it may be refused, in one line, and nothing else."""
    (here / "odd.json").write_text(json.dumps(data), "utf-8")
    try:
        call("odd.json")
    except assay.AssayError as error:
        assert "\n" not in str(error)
        return False
    return True


def results():
    options = {"times": 20}
    tags = [str(ENGLISH / f"{name}.conllu") for name in ("gold", "hanta", "nltk-tnt")]
    spans = [str(FOLDER / "entities" / f"{name}.tsv") for name in ("gold", "rules", "spacy")]
    trees = [str(TREES / f"{name}.mrg") for name in ("gold", "pcfg-1", "pcfg-2")]
    yield assay.compare(
        tags[0], tags[1:], ["accuracy", "tag-f1"], column="XPOS", slices=("label",), examples=2, **options
    )
    yield assay.compare(spans[0], spans[1:], **options)
    yield assay.compare(trees[0], trees[1:], examples=1, **options)
    yield assay.cross([f"dep={TREES / 'gold.conllu'}"], [f"a@dep={TREES / 'arc-eager.conllu'}"], **options)
    yield assay.bayes(str(FOLDER / "experiment" / "runs.csv"), ["accuracy"], rope=0.02, draws=1000)


@pytest.mark.parametrize(("few", "many"), [(4, 15), pytest.param(15, 60, marks=pytest.mark.slow)])
def test_results(here, few, many):
    def used(path):
        bibtex([path])
        gates = Gates((), Result.read(path), path)
        gates.missed(result)
        gates.notes(result)

    def shown(path):
        for form in ("tsv", "md", "latex", "flat"):
            report_command.main([path, "--format", form, "-o", "shown", "--quiet"], standalone_mode=False)

    for result in results():
        whole = json.loads(result.to_json())
        assert tried(here, whole, shown)
        outcomes = [tried(here, data, used) for data in odd_ones(whole, 1, many)]
        outcomes += [tried(here, data, shown) for data in odd_ones(whole, 2, few)]
        assert not all(outcomes)


@pytest.mark.parametrize(
    "text", ["", "null", "[]", "3", '"x"', "{", '{"schema": "assay/1"}', '{"schema": []}', "NaN", "\x00"]
)
def test_what_is_no_result(here, text):
    (here / "odd.json").write_text(text, "utf-8")
    for call in (Result.read, lambda path: bibtex([path])):
        with pytest.raises(assay.AssayError):
            call("odd.json")


def test_a_baseline_with_an_infinite_value(here):
    result = next(results())
    (here / "odd.json").write_text(
        result.to_json().replace('"value": 0.', '"value": Infinity, "was": 0.', 1), "utf-8"
    )
    with pytest.raises(assay.AssayError, match="JSON has no number Infinity"):
        Result.read("odd.json")


@pytest.mark.parametrize("name", read_bundled())
def test_tagsets(here, name):
    def used(path):
        find_tagset(path).read("subst:sg:nom:m1")

    whole = tomllib.loads(read_bundled()[name])
    assert tried(here, whole, used)
    assert not tried(here, {**whole, "kind": []}, used)
    for key in whole:
        for value in ODD:
            tried(here, {**whole, key: value}, used)
    for data in odd_ones(whole, 3, 100):
        tried(here, data, used)


@pytest.mark.parametrize(
    "whole",
    [
        {"kind": "wpa", "w": {"pos": 2, "case": "1/2", "*": 0}, "source": "x", "inputs": ["a"], "counts": {"a": 1}},
        {"kind": "cwpa", "w": {"subst": {"pos": 2, "case": 1}, "*": {"*": 0}}},
    ],
)
def test_weights(here, whole):
    def used(path):
        check_categories(load_weights(path), find_tagset("nkjp"))

    assert tried(here, whole, used)
    assert not tried(here, {**whole, "kind": {}}, used)
    for key in whole:
        for value in ODD:
            tried(here, {**whole, key: value}, used)
    for data in odd_ones(whole, 4, 100):
        tried(here, data, used)


def test_maps(here):
    corpus = read(str(ENGLISH / "gold.conllu"), columns=["XPOS"])

    def used(path):
        map_labels(read_rules(path), corpus.column("XPOS"), corpus.forms, ("gold",), "gold")

    whole = [{"from": "NN", "to": "X"}, {"side": "gold", "from": "re:(N).*", "to": "\\1", "form": "a.*"}]
    assert tried(here, whole, used)
    for data in (*ODD, *odd_ones(whole, 5, 100)):
        tried(here, data, used)
