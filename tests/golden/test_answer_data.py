"""Real answers of four models to the sentences of BiodivNER (data/llm-answers): how they are read and grounded.

The files have no licence and are not kept beside their figures; they are looked for where `files.tsv` says.
"""

from __future__ import annotations

import ast
import json

import pytest

import assay

LABELS = ("ORGANISM", "PHENOMENA", "MATTER", "ENVIRONMENT", "QUALITY", "LOCATION")
RECOUNTED = {
    # Lines like `x (no entities)` are no mentions, which the figures still have.
    "biodivner_strings_gpt-4o-2024-05-13": {"exact": 1258, "outside": 1},
    "biodivner_strings_gpt-4o-mini": {"exact": 1202, "outside": 0},
    # A line has three mentions with a label each.
    "biodivner_strings_Meta-Llama-3.1-70B-Instruct": {"exact": 1048, "ungrounded": 12},
    # Besides `x (no entity - …)`: an answer of 29 lines like `N (MATTER) - Nitrogen`, which was malformed.
    "biodivner_strings_Meta-Llama-3.1-405B-Instruct": {"parsed": 228, "malformed": 0, "exact": 1114, "outside": 0},
    # An answer numbers its mentions in front: `[0, 'nawai', 'ORGANISM', 0, 0]`.
    "biodivner_tokens_gpt-4o-mini": {"repaired": 218, "malformed": 0, "exact": 1094},
    # One answer has its list in one list more than was asked for; the reader behind the figures did not go that deep.
    "biodivner_tokens_Meta-Llama-3.1-70B-Instruct": {"repaired": 224, "malformed": 0, "exact": 1069},
}
"""Figures that are others than those of `expected.json`, which are older than some rules."""
FOLDERS = [
    f"biodivner_{shape}_{model}"
    for shape in ("strings", "tokens")
    for model in ("gpt-4o-2024-05-13", "gpt-4o-mini", "Meta-Llama-3.1-70B-Instruct", "Meta-Llama-3.1-405B-Instruct")
]


def sentence_of(prompt):
    """The sentence that a prompt asks about."""
    if "in the sentence: " in prompt:
        return prompt.rsplit("in the sentence: ", 1)[1].rsplit("Produce an answer", 1)[0].strip()
    listed = prompt.rsplit("from the sentence: ", 1)[1]
    return " ".join(word for _, word in ast.literal_eval(listed[: listed.rindex("]]") + 2]))


@pytest.mark.parametrize("folder", FOLDERS)
def test_answers_are_read_and_grounded_as_expected(shared_data, tmp_path, folder):
    data = shared_data("llm-answers")
    raw = data / folder / "raw" / "similarity_5_raw_output.json"
    if not raw.exists():
        pytest.skip(f"the data set llm-answers/{folder}/raw is not in ../shared/data; see its files.tsv")
    rows = json.loads(raw.read_text("utf-8"))
    gold = [{"text": sentence_of(row["prompt"]), "spans": []} for row in rows]
    # Nothing is said of what is right: the label of one word of the first sentence keeps the run going.
    gold[0]["spans"] = [{"start": 0, "end": len(gold[0]["text"].split()[0]), "label": "ORGANISM"}]
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in gold), "utf-8")
    system = assay.answers([row["raw_output"] for row in rows], labels=LABELS)
    result = assay.score(str(tmp_path / "gold.jsonl"), {"model": system}, ["exact"], times=2)
    found = result.answers[0]
    expected = json.loads((data / "expected.json").read_text("utf-8"))[folder] | RECOUNTED.get(folder, {})
    expected.pop("mentions_by_the_authors")
    assert {name: getattr(found, name) for name in expected} == expected
    assert (found.missing, found.offsets) == (0, 0)
    # Sentences of a few words have mentions that are most of them.
    assert not any("longer than half" in text for text in result.warnings)
