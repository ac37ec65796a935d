"""Whatever bytes a file holds: a Corpus, a Result or a refusal that a user can read, soon, and nothing else."""

from __future__ import annotations

import random
import zlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import assay
from assay.formats import FORMATS
from fuzz.mutations import FAULTS, Step, mutated
from fuzz.outcomes import outcome
from fuzz.seeds import BRAT_TEXT, PAIRS, seeds
from fuzz.targets import ROUNDS, content, targets

NUMBERS = st.integers(0, (1 << 20) - 1)
FAULTY = st.lists(st.builds(Step, st.integers(0, len(FAULTS) - 1), NUMBERS, NUMBERS), min_size=1, max_size=4)
TARGETS = list(targets())
FEW, MANY = 6, 400
folder_stays = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def file_of(name: str, folder):
    (folder / "a.txt").write_text(BRAT_TEXT, "utf-8")
    return folder / ("a.ann" if name == "brat" else "a.txt")


@pytest.mark.parametrize("name", FORMATS)
def test_the_files_to_begin_from_are_valid(name, tmp_path):
    pytest.importorskip({"parquet": "pyarrow", "docbin": "spacy"}.get(name, "assay"))
    path = file_of(name, tmp_path)
    # The example of brat goes with another text.
    for data in seeds(name)[name == "brat" :]:
        path.write_bytes(data)
        found = content(str(path), name, name)
        assert found.items if name == "ratings" else found.sentences


@pytest.mark.parametrize("name", PAIRS)
def test_the_pairs_to_begin_from_are_valid(name, tmp_path):
    file, (gold, system), options = PAIRS[name]
    (tmp_path / file).write_text(gold, "utf-8")
    (tmp_path / f"a-{file}").write_text(system, "utf-8")
    result = assay.score(str(tmp_path / file), [str(tmp_path / f"a-{file}")], **ROUNDS, **options)
    assert 0 < result.scores[0].value < 1


@pytest.mark.parametrize("name", FORMATS)
@folder_stays
@given(which=st.integers(0, 3), steps=FAULTY, told=st.booleans())
def test_any_bytes_give_a_corpus_or_a_refusal(name, which, steps, told, tmp_path):
    path, valid = file_of(name, tmp_path), seeds(name)
    path.write_bytes(mutated(valid[which % len(valid)], steps))
    assert outcome(lambda: content(str(path), name, name if told else None)) in ("done", "refused")


@pytest.mark.parametrize("name", FORMATS)
@folder_stays
@given(data=st.binary(max_size=200))
def test_bytes_that_were_never_a_file_give_a_corpus_or_a_refusal(name, data, tmp_path):
    path = file_of(name, tmp_path)
    path.write_bytes(data)
    assert outcome(lambda: content(str(path), name, name)) in ("done", "refused")


def tried(target, number: int, folder) -> set[str]:
    rngs = (random.Random(zlib.crc32(f"suite/{target.name}/{attempt}".encode())) for attempt in range(number))
    return {outcome(target.attempt(folder, rng)) for rng in rngs}


@pytest.mark.parametrize("target", TARGETS[len(FORMATS) :], ids=lambda target: target.name)
def test_faulty_files_give_a_result_that_can_be_shown_or_a_refusal(target, tmp_path):
    assert tried(target, FEW, tmp_path) <= {"done", "refused"}


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_many_faulty_files_give_both_results_and_refusals(target, tmp_path):
    assert tried(target, MANY, tmp_path) == {"done", "refused"}
