"""The functions with seqeval's names: what they give, and where they refuse what seqeval lets pass."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest

from assay import spans
from unit.samples import refusal

GOLD = [["B-PER", "I-PER", "O", "B-LOC"], ["O", "B-LOC"]]
SYSTEM = [["B-PER", "O", "O", "B-LOC"], ["O", "I-LOC"]]


def test_the_report_is_a_table_of_labels_and_averages():
    assert spans.classification_report(GOLD, SYSTEM) == (
        "              precision    recall  f1-score   support\n"
        "\n"
        "         LOC       1.00      1.00      1.00         2\n"
        "         PER       0.00      0.00      0.00         1\n"
        "\n"
        "   micro avg       0.67      0.67      0.67         3\n"
        "   macro avg       0.50      0.50      0.50         3\n"
        "weighted avg       0.67      0.67      0.67         3\n"
    )


def test_the_report_is_a_dictionary_on_request():
    report = spans.classification_report(GOLD, SYSTEM, output_dict=True)
    assert isinstance(report, dict)
    assert list(report) == ["LOC", "PER", "micro avg", "macro avg", "weighted avg"]
    assert report["LOC"] == {"precision": 1.0, "recall": 1.0, "f1-score": 1.0, "support": 2}
    assert isinstance(report["PER"]["support"], int)


def test_strictly_a_span_that_breaks_the_scheme_does_not_count():
    assert spans.recall_score(GOLD, SYSTEM) == 2 / 3
    assert spans.recall_score(GOLD, SYSTEM, mode="strict", scheme="IOB2") == 1 / 3
    assert spans.precision_score(GOLD, SYSTEM, mode="strict", scheme="bio") == 1 / 2


def test_without_an_average_there_is_a_number_per_label():
    found = spans.f1_score(GOLD, SYSTEM, average=None)
    assert isinstance(found, np.ndarray)
    assert found.tolist() == [1.0, 0.0]


def test_strict_mode_knows_schemes_that_seqeval_does_not():
    gold, system = [["B-A", "M-A", "E-A", "S-B"]], [["B-A", "M-A", "O", "S-B"]]
    assert spans.recall_score(gold, system, mode="strict", scheme="BMES") == 1 / 2
    assert spans.recall_score([["I-A", "I-A"]], [["I-A", "O"]], mode="strict", scheme="IO") == 0


def test_entities_are_labels_with_first_and_last_word():
    assert spans.get_entities(["B-PER", "I-PER", "O", "S-LOC"]) == [("PER", 0, 1), ("LOC", 3, 3)]
    assert spans.get_entities([["B-PER"], ["I-PER"]]) == [("PER", 0, 0), ("PER", 2, 2)]
    assert spans.get_entities(["PER-B", "PER-I"], suffix=True) == [("PER", 0, 1)]
    assert spans.get_entities([]) == []


def test_a_text_without_spans_has_a_table_too():
    report = spans.classification_report([["O"]], [["O"]])
    assert isinstance(report, str)
    assert report.splitlines()[3] == "   micro avg       0.00      0.00      0.00         0"
    macro = spans.f1_score([["O"]], [["O"]], average="macro")
    assert isinstance(macro, float)
    assert math.isnan(macro)


def test_empty_sentences_are_sentences():
    assert spans.f1_score([[], ["B-A"], []], [[], ["B-A"], []]) == 1.0


def test_arrays_and_tuples_are_lists_as_well():
    assert spans.f1_score(np.array([["B-A", "O"]]), (("B-A", "O"),)) == 1.0


def test_accuracy_is_the_share_of_equal_tags():
    assert spans.accuracy_score(GOLD, SYSTEM) == 4 / 6
    assert spans.accuracy_score(["O", "B-A"], ["O", "O"]) == 1 / 2


@pytest.mark.parametrize(
    ("gold", "system", "options", "message"),
    [
        ([["O"]], [["O"], ["O"]], {}, "1 sentences in gold and 2 in the system. Give the same sentences."),
        ([["O"], ["O"]], [["O"], ["O", "O"]], {}, (
            "sentence 2 has 1 tags in gold and 2 in the system. Give one tag per word on both sides."
        )),
        (["O"], ["O"], {}, "expected a list of sentences, each a list of tags, but got one list of tags."),
        ([["O"]], [[""]], {}, "expected a tag, e.g. 'B-PER' or 'O', but got ''."),
        ([["O"]], [[3]], {}, "expected a tag, e.g. 'B-PER' or 'O', but got 3."),
        ([["O"]], [["O"]], {"mode": "strict"}, "mode='strict' needs a scheme, e.g. scheme='IOB2'."),
        ([["O"]], [["O"]], {"mode": "lenient"}, "there is no mode 'lenient'. Available: strict."),
        ([["O"]], [["O"]], {"mode": "strict", "scheme": "IOB3"}, (
            "there is no scheme 'IOB3'. Did you mean iob or iob2 or iob1?"
        )),
        ([["O"]], [["O"]], {"mode": "strict", "scheme": "stacked"}, (
            "stacked tags are not flat. Read them from a file: assay score --scheme stacked"
        )),
        ([["O"]], [["S-A"]], {"mode": "strict", "scheme": "IOB2"}, (
            "tag 'S-A' has the prefix 'S', which IOB2 does not have (B, I; O outside)."
        )),
        ([["O"]], [["O"]], {"sample_weight": [1, 2]}, (
            "sample_weight has 2 numbers for 1 sentences. Give one for each."
        )),
        ([["O"]], [["O"]], {"sample_weight": [-1]}, "sample_weight: give a number of at least 0 for each sentence."),
        ([["O"]], [["O"]], {"sample_weight": ["a"]}, "sample_weight: give a number of at least 0 for each sentence."),
        ([["O"]], [["O"]], {"zero_division": 2}, "zero_division: expected 0 or 1, but got 2."),
        ([["O"]], [["O"]], {"average": "mikro"}, "there is no average 'mikro'. Did you mean micro or macro?"),
    ],
)  # fmt: skip
def test_what_cannot_be_scored_is_refused(gold, system, options, message):
    assert refusal(spans.f1_score, gold, system, **options) == message
    with pytest.raises(ValueError):
        spans.f1_score(gold, system, **options)


def test_a_negative_beta_is_refused():
    support = spans.precision_recall_fscore_support
    assert refusal(support, GOLD, SYSTEM, beta=-1) == "beta: expected 0 or more, but got -1."
    assert refusal(support, GOLD, SYSTEM, beta=float("nan")) == "beta: expected 0 or more, but got nan."


def test_a_sentence_of_weight_three_counts_as_three_sentences():
    weights = [1, 3]
    gold, system = (
        [one for one, times in zip(side, weights, strict=True) for _ in range(times)] for side in (GOLD, SYSTEM)
    )
    for average in (*spans.AVERAGES, None):
        expected = spans.precision_recall_fscore_support(gold, system, average=average)
        found = spans.precision_recall_fscore_support(GOLD, SYSTEM, average=average, sample_weight=weights)
        np.testing.assert_array_equal(np.stack(found), np.stack(expected))
    report = spans.classification_report(GOLD, SYSTEM, sample_weight=weights, output_dict=True)
    assert report == spans.classification_report(gold, system, output_dict=True)


def test_weights_below_one_are_shares_of_a_sentence():
    found = spans.precision_recall_fscore_support(GOLD, SYSTEM, average="micro", sample_weight=[0.5, 0.25])
    assert found == (0.75 / 1.25, 0.75 / 1.25, 0.75 / 1.25, 1.25)
    assert spans.recall_score(GOLD, SYSTEM, average=None, sample_weight=[1, 0]).tolist() == [1.0, 0.0]


def test_accuracy_of_nothing_and_of_different_lengths_is_refused():
    assert refusal(spans.accuracy_score, [], []) == "contains no words. Give one list of tags per sentence."
    assert refusal(spans.accuracy_score, ["O"], ["O", "O"]).startswith("sentence 1 has 1 tags in gold and 2")


def test_the_module_is_loaded_without_scipy():
    script = "import sys, assay.spans; print([name for name in sys.modules if name.startswith(('scipy', 'sklearn'))])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
