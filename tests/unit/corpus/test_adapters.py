"""Data of spaCy, Hugging Face, pandas and polars, as stand-ins of the same shape; the real ones where installed."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import assay
from assay.corpus.adapters import from_frame, from_predictions, from_spacy, is_foreign
from assay.engine.items import judge_words
from assay.formats import from_documents
from cases import each
from unit.samples import linked, placed, refusal, related

# --- stand-ins ---


class Token:
    """A token of spaCy, as far as it is looked at."""

    def __init__(self, i: int, text: str, tag: str, head: int, dep: str, begins: bool) -> None:
        self.i, self.text, self.pos_, self.tag_, self.dep_ = i, text, tag, tag.lower(), dep
        self.lemma_, self.morph, self.is_sent_start = text.lower(), "", begins
        self.head_at, self.doc = head, None

    @property
    def head(self) -> Token:
        return self.doc.tokens[self.head_at]


class Doc:
    """A Doc of spaCy: `word/TAG/head/relation` for each token, `|` before each further sentence."""

    def __init__(self, text: str, ents: list[tuple[str, int, int]] | None = None, **groups: Any) -> None:
        self.tokens: list[Token] = []
        begins = True
        for item in text.split(" "):
            if item == "|":
                begins = True
                continue
            word, tag, head, dep = item.split("/")
            self.tokens.append(Token(len(self.tokens), word.replace("~", " "), tag, int(head), dep, begins))
            begins = False
        for token in self.tokens:
            token.doc = self
        self.ents = [SimpleNamespace(label_=label, start=start, end=end) for label, start, end in ents or []]
        self.spans = {
            name: [SimpleNamespace(label_=label, start=start, end=end) for label, start, end in rows]
            for name, rows in groups.items()
        }
        self.cut = "|" in text.split(" ")

    def __iter__(self) -> Iterator[Token]:
        return iter(self.tokens)

    def __len__(self) -> int:
        return len(self.tokens)

    def has_annotation(self, name: str) -> bool:
        return name == "SENT_START" and self.cut


class Series:
    def __init__(self, cells: list[Any]) -> None:
        self.cells = cells

    def to_list(self) -> list[Any]:
        return list(self.cells)


class Frame:
    """A data frame of pandas or polars, as far as it is looked at."""

    def __init__(self, columns: dict[str, list[Any]]) -> None:
        self.cells = columns

    @property
    def columns(self) -> list[str]:
        return list(self.cells)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), len(self.cells)

    def __len__(self) -> int:
        return len(next(iter(self.cells.values()), []))

    def __getitem__(self, name: str) -> Series:
        return Series(self.cells[name])


class Tensor:
    """A tensor on another device: an array only after it was fetched."""

    def __init__(self, values: Any, fetched: bool = False) -> None:
        self.values, self.fetched = np.asarray(values), fetched

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Tensor]:
        return (Tensor(row) for row in self.values)

    def detach(self) -> Tensor:
        return self

    def cpu(self) -> Tensor:
        return Tensor(self.values, fetched=True)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        assert self.fetched, "can't convert a cuda tensor"
        return self.values


GOLD = [
    Doc("Anna/PROPN/1/nsubj sees/VERB/1/ROOT York/PROPN/1/obj | She/PRON/4/nsubj waves/VERB/4/ROOT", [("PER", 0, 1)]),
    Doc("Ben/PROPN/1/nsubj sleeps/VERB/1/ROOT", [("PER", 0, 1)]),
]
SYSTEM = [
    Doc("Anna/PROPN/1/nsubj sees/VERB/1/ROOT York/NOUN/0/obj | She/PRON/4/nsubj waves/VERB/4/ROOT", [("LOC", 2, 3)]),
    Doc("Ben/PROPN/1/nsubj sleeps/VERB/1/ROOT", [("PER", 0, 1)]),
]


# --- spaCy ---


def test_docs_become_documents_with_all_their_layers():
    corpus = from_spacy(GOLD)
    assert (corpus.documents, corpus.sentences, len(corpus)) == (2, 3, 7)
    assert list(corpus.columns) == ["LEMMA", "UPOS", "XPOS", "HEAD", "DEPREL"]
    assert corpus.column("HEAD").strings() == ["2", "0", "2", "2", "0", "2", "0"]
    assert corpus.column("DEPREL").strings()[:3] == ["nsubj", "root", "obj"]
    assert placed(corpus) == [(0, "PER", [(0, 1)]), (2, "PER", [(0, 1)])]


def test_docs_are_scored_on_the_layer_that_the_measure_is_about():
    assert assay.score(GOLD, SYSTEM, "accuracy").score("system 1", "accuracy").value == 6 / 7
    assert assay.score(GOLD, SYSTEM, "las").score("system 1", "las").value == 6 / 7
    assert assay.score(GOLD, {"spacy": SYSTEM}, "exact").score("spacy", "exact").value == 0.5


def test_docs_with_entities_are_compared_on_them_unless_something_else_is_asked_for():
    assert assay.score(GOLD, SYSTEM).about.task == "spans"
    assert assay.score(GOLD, SYSTEM, task="tags").about.task == "tags"
    bare = [Doc("Anna/PROPN/0/ROOT")]
    assert assay.score(bare, bare).about.task == "tags"


def test_a_system_without_entities_has_none_right():
    result = assay.score(GOLD[1:], [Doc("Ben/PROPN/1/nsubj sleeps/VERB/1/ROOT")], "exact")
    assert result.score("system 1", "exact").value == 0
    assert "system 1 has no spans." in result.warnings


def test_known_words_are_looked_up_for_docs_too(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("sees\nsleeps\nwaves\n")
    result = assay.score(GOLD, SYSTEM, "oov-accuracy", train=str(path))
    assert result.score("system 1", "oov-accuracy").value == 3 / 4


def test_white_space_is_no_word_and_hands_its_dependents_on():
    corpus = from_spacy(Doc("Ben/PROPN/1/nsubj ~/SPACE/2/dep sleeps/VERB/2/ROOT", [("PER", 0, 2)]))
    assert corpus.forms.strings() == ["Ben", "sleeps"]
    assert corpus.column("HEAD").strings() == ["2", "0"]
    assert placed(corpus) == [(0, "PER", [(0, 1)])]
    assert corpus.notes == ("1 tokens of white space were left out.",)


def test_other_tokens_of_the_same_text_are_aligned_by_characters():
    finer = [Doc("An/X/0/ROOT na/X/0/x sees/VERB/0/x York/PROPN/0/x | She/PRON/4/ROOT waves/VERB/4/x"), GOLD[1]]
    result = assay.score(GOLD, finer, "accuracy")
    assert result.about.aligned_by == "characters"
    assert result.score("system 1", "accuracy", "recall").value == 6 / 7


def test_groups_of_spans_are_taken_by_name():
    doc = Doc("Anna/PROPN/0/ROOT Lee/PROPN/0/flat", sc=[("PER", 0, 2), ("GIVEN", 0, 1)])
    assert placed(from_spacy([doc], spans="sc")) == [(0, "GIVEN", [(0, 1)]), (0, "PER", [(0, 2)])]
    assert refusal(from_spacy, [doc], spans="sd") == "data: a Doc has no spans 'sd'. Available: ents, sc."


@pytest.mark.parametrize(
    ("docs", "message"),
    [
        ([], "gold: contains no words. Give Docs that have some."),
        ([GOLD[0], "text"], "gold: str, but all should be spaCy Docs."),
        (
            [Doc("Ben/PROPN/1/nsubj | sleeps/VERB/1/ROOT")],
            "gold, sentence 1, word 1: its head is in another sentence. Do the sentences of the Docs match their "
            "trees?",
        ),
        (
            [Doc("Ben/PROPN/0/ROOT ~/SPACE/0/dep", [("PER", 1, 2)])],
            "gold, sentence 1: the span PER has no words but white space.",
        ),
    ],
)
def test_docs_that_are_none_are_refused(docs, message):
    assert refusal(from_spacy, docs, name="gold") == message


# --- Hugging Face ---

NAMES = {0: "O", 1: "B-PER", 2: "I-PER"}
LABEL_IDS = np.array([[-100, 1, -100, 2, 0, -100], [-100, 0, 1, -100, -100, -100]])
PREDICTED = np.array([[0, 1, 2, 2, 1, 0], [0, 0, 0, 1, 2, 0]])


def test_positions_without_a_label_are_left_out_on_both_sides():
    gold, system = from_predictions(PREDICTED, LABEL_IDS, NAMES)
    assert gold == [["B-PER", "I-PER", "O"], ["O", "B-PER"]]
    assert system == [["B-PER", "I-PER", "B-PER"], ["O", "O"]]


@pytest.mark.parametrize("kind", [np.asarray, Tensor, np.ndarray.tolist])
def test_the_label_with_the_highest_score_is_the_answer(kind):
    scores = np.eye(3)[PREDICTED] * 5 - 2
    expected = from_predictions(PREDICTED, LABEL_IDS, NAMES)
    assert from_predictions(kind(scores), kind(LABEL_IDS), NAMES) == expected
    # A model that gives hidden states too gives a tuple.
    assert from_predictions((kind(scores), "hidden states"), LABEL_IDS, NAMES) == expected


def test_sentences_need_no_padding():
    assert from_predictions([[1], [0, 2]], [[1], [-100, 2]], NAMES) == (
        [["B-PER"], ["I-PER"]],
        [["B-PER"], ["I-PER"]],
    )


def test_labels_may_be_a_list_or_have_been_read_from_json():
    expected = from_predictions(PREDICTED, LABEL_IDS, NAMES)
    assert from_predictions(PREDICTED, LABEL_IDS, list(NAMES.values())) == expected
    assert from_predictions(PREDICTED, LABEL_IDS, {str(key): name for key, name in NAMES.items()}) == expected
    assert from_predictions([[1]], [[2]]) == ([["2"]], [["1"]])


def test_positions_that_gold_ignores_are_left_out_of_plain_lists():
    gold, system = [[-100, 1, 2, -100], [-100, 0], [-100]], [[3, 1, 1, 0], [0, 0], [1]]
    result = assay.score(gold, system, "accuracy", times=5)
    assert (result.about.items, result.score("system 1", "accuracy").value) == (3, pytest.approx(2 / 3))
    assert "Gold has -100 at 4 places; they are left out of gold and systems." in result.notes
    # As a training loop has it, as arrays, beside words, and among tags of spans, which go on behind them.
    assert assay.measure("accuracy")(gold, system)["accuracy"] == pytest.approx(2 / 3)
    assert assay.score(np.array([[-100, 1, 2]]), np.array([[1, 1, 2]]), times=5).about.items == 2
    assert assay.score([[("a", -100), ("b", 1)]], [[("a", 3), ("b", 1)]], times=5).about.items == 1
    tags = [[-100, "B-PER", -100, "I-PER", "O"]]
    assert assay.score(tags, [["O", "B-PER", "O", "I-PER", "O"]], "exact", times=5).about.items == 1


@each(
    ("gold", "system", "message"),
    [
        (
            [[-100, 1], [2, 3]],
            [[0, 1], [2, -100]],
            "system 1, sentence 2, position 2: -100, but gold has the label 3. Give an answer, or leave the "
            "position out on both sides.",
        ),
        (
            [[-100, 1]],
            [[1]],
            "system 1: some labels are -100, so gold and systems must be lists of the same lengths. Give a label for "
            "each of gold's.",
        ),
        ([[-100]], [[1]], "gold: every label is -100, so there is nothing to score."),
    ],
)
def test_minus_100_is_never_an_answer(gold, system, message):
    assert refusal(assay.score, gold, system, times=5) == message


def test_words_stand_beside_their_labels():
    gold, _ = from_predictions([[1, 2]], [[1, 2]], NAMES, words=[["Anna", "Lee"]])
    assert gold == [[("Anna", "B-PER"), ("Lee", "I-PER")]]


@pytest.mark.parametrize(
    ("predictions", "label_ids", "message"),
    [
        ([[0]], [[0], [1]], "predictions: 1 sentences, but label_ids have 2."),
        ([[0, 1]], [[0]], "predictions, sentence 1: 2 positions, but label_ids have 1."),
        ([[7]], [[0]], "predictions, sentence 1: the id 7 is not in id2label, which has 3 labels."),
        ([[0]], [[7]], "label_ids, sentence 1: the id 7 is not in id2label, which has 3 labels."),
        ([[-100]], [[0]], "predictions, sentence 1: the id -100 is not in id2label, which has 3 labels."),
        ([[0.5]], [[0]], "predictions, sentence 1: neither ids (whole numbers) nor a score for each label."),
        (
            [[[math.nan, 1.0, 0.0]]],
            [[0]],
            "predictions, sentence 1: scores that are not numbers (nan). Has the training diverged?",
        ),
        ([[0]], [[-100]], "label_ids: every label is -100, so there is nothing to score."),
    ],
)
def test_predictions_that_do_not_fit_are_refused(predictions, label_ids, message):
    assert refusal(from_predictions, predictions, label_ids, NAMES) == message


def test_words_that_do_not_fit_are_refused():
    assert refusal(from_predictions, [[1]], [[1]], NAMES, words=[["Anna", "Lee"]]) == (
        "words, sentence 1: 2 words, but 1 positions have a label. Was the sentence truncated for the model?"
    )
    assert refusal(from_predictions, [[1]], [[1]], NAMES, words=[]) == "words: 0 sentences, but label_ids have 1."


# --- metrics ---


def test_a_measure_by_name_is_a_function_from_gold_and_system_to_figures():
    accuracy = assay.measure("accuracy", "sentence-accuracy")
    gold, system = [["A", "B"], ["A"]], [["A", "C"], ["A"]]
    figures = accuracy(gold, system)
    assert (figures["accuracy"], figures["sentence-accuracy"]) == (2 / 3, 0.5)
    assert figures["accuracy/recall"] == 2 / 3
    assert all(type(value) is float for value in figures.values())
    assert accuracy.compute(references=gold, predictions=system) == figures


def test_a_metric_gives_the_figures_of_score():
    gold, system = from_predictions(PREDICTED, LABEL_IDS, NAMES)
    result = assay.score(gold, system, ["exact", "fair"])
    figures = assay.measure("exact", "fair")(gold, system)
    whole = [row for row in result.scores if row.label is None]
    assert figures == {row.measure if row.main else f"{row.measure}/{row.score}": row.value for row in whole}
    assert {"exact", "fair", "exact/recall", "fair/macro-f1"} <= figures.keys()


def test_a_trainer_can_call_it_with_its_evaluation():
    metric = assay.measure("exact", id2label=NAMES, repair="conlleval")
    evaluation = SimpleNamespace(predictions=np.eye(3)[PREDICTED], label_ids=LABEL_IDS)
    expected = assay.measure("exact")(*from_predictions(PREDICTED, LABEL_IDS, NAMES))
    assert metric(evaluation) == expected
    assert metric((PREDICTED, LABEL_IDS)) == expected
    assert metric(LABEL_IDS, PREDICTED) == expected
    assert 0 < expected["exact"] < 1


def test_a_pipeline_of_spacy_can_call_it_with_its_examples():
    pairs = [SimpleNamespace(reference=gold, predicted=system) for gold, system in zip(GOLD, SYSTEM, strict=True)]
    assert assay.measure("las")(pairs)["las"] == 6 / 7


def test_what_is_undefined_is_nan_in_a_metric():
    figures = assay.measure("exact")([["B-X", "O"]], [["O", "O"]])
    assert math.isnan(figures["exact/precision"])
    assert figures["exact"] == 0


def test_mistakes_in_a_metric_show_when_it_is_made():
    assert refusal(assay.measure, "acuracy").startswith("there is no measure 'acuracy'. Did you mean accuracy")
    assert refusal(assay.measure, "exact", repair="all").startswith("there is no repair 'all'.")
    message = refusal(assay.measure("accuracy"), 3)
    assert message.startswith("Expected gold and system, but got one int. Give both, or one")


def test_with_scores_it_still_makes_a_measure(monkeypatch):
    share = SimpleNamespace(words=lambda sums: sums["right"] / sums["gold"])

    @assay.measure("mine", scores={"value": share.words})
    def mine(pair):
        """Right words."""
        return judge_words(pair)

    monkeypatch.setitem(sys.modules, "my_measures", SimpleNamespace(mine=mine))
    figures = assay.measure("my_measures:mine")([["A", "B"]], [["A", "C"]])
    assert figures == {"mine": 0.5}


# --- data frames ---

TABLE = {
    "sentence": [1, 1, 2, 2],
    "word": ["Anna", "sings", "Ben", "sleeps"],
    "gold": ["N", "V", "N", "V"],
    "old": ["N", "N", "N", "N"],
    "new": ["N", "V", "N", "N"],
}


def test_one_frame_holds_gold_and_systems_side_by_side():
    frame = Frame(TABLE)
    gold, old, new = (from_frame(frame, label=name) for name in ("gold", "old", "new"))
    result = assay.compare(gold, {"old": old, "new": new}, "accuracy")
    assert [result.score(name, "accuracy").value for name in ("old", "new")] == [0.5, 0.75]
    assert result.diffs[0].corrections == 1


def test_frames_are_taken_as_they_are():
    gold = Frame({"sentence": [1, 2], "word": ["a", "b"], "UPOS": ["X", "Y"]})
    system = Frame({"sentence": [1, 2], "word": ["a", "b"], "UPOS": ["X", "X"]})
    assert is_foreign(gold)
    assert assay.score(gold, system).score("system 1", "accuracy").value == 0.5
    assert [source.name for source in assay.score(gold, [system, gold]).systems] == ["system 1", "system 2"]
    assert assay.score(gold, {"mine": system}).score("mine", "accuracy").value == 0.5


@pytest.mark.parametrize("column", ["tag", "pos", "postag", "XPOS", "anything"])
def test_a_column_of_a_frame_is_found_under_its_own_name(column):
    gold, system = (
        Frame({"sentence": [1, 1], "word": ["Anna", "sings"], "x": list("xy"), column: tags})
        for tags in (["N", "V"], ["N", "N"])
    )
    result = assay.score(gold, {"s": system}, "accuracy", column=column, times=5)
    assert (result.about.column, result.score("s", "accuracy").value) == (column, 0.5)


def test_a_frame_and_a_file_may_call_tags_otherwise(tmp_path):
    path = tmp_path / "gold.conllu"
    path.write_text("1\tAnna\t_\t_\tN\t_\t_\t_\t_\t_\n2\tsings\t_\t_\tV\t_\t_\t_\t_\t_\n")
    frame = Frame({"sentence": [1, 1], "word": ["Anna", "sings"], "tag": ["N", "N"]})
    assert (
        assay.score(str(path), {"s": frame}, "accuracy", column="XPOS", times=5).score("s", "accuracy").value == 0.5
    )
    assert assay.score(frame, {"s": str(path)}, "accuracy", column="tag", times=5).score("s", "accuracy").value == 0.5


def test_several_columns_of_frames_are_not_guessed_among():
    frame = Frame({"sentence": [1, 1], "word": ["Anna", "sings"], "a": ["N", "V"], "b": ["B-X", "O"]})
    assert refusal(assay.score, frame, {"s": frame}) == "labels may be in a, b. Choose one with column=."
    told = refusal(assay.score, frame, {"s": frame}, task="spans")
    assert told == "gold: tags may be in a, b. Choose one with column=."
    assert assay.score(frame, {"s": frame}, task="spans", column="b", times=5).about.items == 1


def test_heads_and_relations_of_a_frame_are_dependencies():
    frame = {"sentence": ["a", "a"], "word": ["Anna", "sings"], "HEAD": [2, 0], "DEPREL": ["nsubj", "root"]}
    gold, system = Frame(frame), Frame({**frame, "HEAD": [2.0, 0.0], "DEPREL": ["obj", "root"]})
    figures = assay.measure("las", "uas")(gold, system)
    assert (figures["las"], figures["uas"]) == (0.5, 1.0)


@pytest.mark.parametrize("missing", [None, math.nan, type("NAType", (), {})()])
def test_a_cell_without_a_value_is_no_label(missing):
    result = assay.score(
        from_frame(Frame({"sentence": [1, 1, 1], "label": ["A", missing, "B"]})),
        from_frame(Frame({"sentence": [1, 1, 1], "label": ["A", "A", missing]})),
    )
    assert result.score("system 1", "accuracy").value == 0.5
    assert "1 word has no gold label in label and was left out." in result.warnings


def test_numbers_are_labels_however_the_frame_holds_them():
    assert from_frame(Frame({"sentence": [1], "label": [3.0]})).column("label").strings() == ["3"]
    assert from_frame(Frame({"sentence": [1], "label": [np.int64(3)]})).column("label").strings() == ["3"]


def test_sentences_may_be_counted_by_document():
    frame = Frame({"document": ["x", "x", "y", "y"], "sentence": [1, 2, 1, 1], "tag": list("ABCD")})
    corpus = from_frame(frame)
    assert (corpus.sentences, corpus.documents, corpus.document_ids) == (3, 2, ("x", "y"))
    assert corpus.unit_of_sentence("document").tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        (
            {"word": ["a"]},
            {},
            "data: there is no column 'sentence'. Available: word. Name it: sentence=, word=, label=.",
        ),
        (
            {"sentence": [1], "tag": ["A"]},
            {"label": "tagg"},
            "data: there is no column 'tagg'. Did you mean tag? Name it: sentence=, word=, label=.",
        ),
        ({}, {}, "data: a data frame without rows."),
        ({"sentence": []}, {}, "data: a data frame without rows."),
        (
            {"sentence": [1, 1], "word": ["a", None]},
            {},
            "data, row 1 (counted from 0): word is empty.",
        ),
        (
            {"sentence": [1, 2, 1], "word": ["a", "b", "c"]},
            {},
            "data, row 2 (counted from 0): sentence 1 continues after others. Put the rows of a sentence together; "
            "if each document counts its own, name it: document=",
        ),
    ],
)
def test_frames_that_do_not_fit_are_refused(columns, options, message):
    assert refusal(from_frame, Frame(columns), **options) == message


def runs() -> dict[str, list[Any]]:
    rows = [
        ("news", system, 1, fold, "accuracy", 0.9 + 0.02 * (system == "B") + 0.001 * fold)
        for system in "AB"
        for fold in range(1, 6)
    ]
    names = ("dataset", "system", "repetition", "fold", "measure", "value")
    return {name: [row[index] for row in rows] for index, name in enumerate(names)}


def test_runs_in_a_frame_are_compared_as_those_of_a_file(tmp_path):
    table = runs()
    path = tmp_path / "runs.csv"
    lines = [",".join(table), *(",".join(map(str, row)) for row in zip(*table.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n")
    found = assay.bayes(Frame(table), rope=0.002, draws=2000)
    assert found.bayes == assay.bayes(path, rope=0.002, draws=2000).bayes
    assert found.flat()["accuracy/B - A/probability b"] > 0.9
    message = refusal(assay.bayes, Frame({**table, "value": ["high"] * 10}))
    assert message == "data frame:2: value should be a number, not 'high'."


# --- Results as frames and flat figures ---


def test_rows_become_a_data_frame_where_polars_is_there(monkeypatch):
    made: list[Any] = []
    polars = SimpleNamespace(DataFrame=lambda rows, infer_schema_length: made.append(rows))
    monkeypatch.setitem(sys.modules, "polars", polars)
    result = assay.compare([["A", "B"]], [[["A", "C"]], [["A", "B"]]], "accuracy")
    result.to_polars()
    result.to_polars("diffs")
    assert made[0][0]["value"] == 0.5
    assert made[1][0]["changes"][0]["from"] == "C"
    assert refusal(result.to_polars, "score").startswith("there is no list of rows 'score'. Did you mean scores")
    monkeypatch.setitem(sys.modules, "polars", None)
    assert refusal(result.to_polars) == "polars is not installed: pip install polars"


def test_flat_figures_are_the_overall_ones_under_plain_names():
    gold, a, b = [["A", "B"], ["A"]], [["A", "C"], ["A"]], [["A", "B"], ["A"]]
    result = assay.compare(gold, {"a": a, "b (new)": b}, ["accuracy", "tag-f1(column=label)"])
    figures = result.flat()
    row = result.score("a", "accuracy")
    assert (figures["accuracy/a"], figures["accuracy/a/low"], figures["accuracy/a/high"]) == (
        row.value,
        row.low,
        row.high,
    )
    assert figures["accuracy/recall/a"] == row.value
    assert figures["accuracy/b _new_"] == 1
    assert figures["accuracy/b _new_ - a"] == result.comparisons[0].difference
    assert figures["accuracy/b _new_ - a/p"] == result.comparisons[0].p
    assert figures["tag-f1_column_label_/macro-f1/a"] == result.score("a", "tag-f1(column=label)", "macro-f1").value


def test_flat_names_that_differ_in_other_characters_alone_stay_apart():
    gold = [["A", "B"]]
    figures = assay.score(gold, {"x!": gold, "x?": [["A", "A"]]}, "accuracy").flat()
    assert (figures["accuracy/x_"], figures["accuracy/x__2"]) == (1.0, 0.5)


# --- documents as dicts ---


def test_documents_as_dicts_are_read_as_from_json():
    spans = [(0, 3, "PER"), {"start": 9, "end": 13, "label": "LOC", "link": "Q220"}]
    relations = [{"label": "left", "head": 0, "tail": 1}]
    gold = [{"id": "a", "text": "Ann left Rome", "spans": spans, "relations": relations}]
    corpus = from_documents(gold)
    assert related(corpus) == [("left", (0, "PER", [(0, 3)]), (0, "LOC", [(9, 13)]))]
    assert linked(corpus) == [((0, "LOC", [(9, 13)]), ["Q220"])]
    system = [{"id": "a", "text": "Ann left Rome", "spans": spans[:1]}]
    result = assay.score(gold, system, "exact", times=5)
    assert result.score("system 1", "exact").value == 2 / 3
    assert assay.score(gold, {"x": system, "y": gold}, "exact", times=5).score("y", "exact").value == 1


def test_faulty_documents_are_named_by_their_number():
    document = {"text": "Ann", "spans": []}
    assert refusal(from_documents, [document, {**document, "spans": [[0, 4, "X"]]}]).startswith(
        "data, document 2: span 1: from 0 to 4, but there are 3 characters."
    )
    refused = refusal(from_documents, [{**document, "spans": [{1, 2}]}])
    assert refused.startswith("data: data that JSON cannot contain (")


# --- the real ones ---


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_real_frames_go_in_and_out(library):
    frames = pytest.importorskip(library)
    frame = frames.DataFrame(TABLE)
    gold, old, new = (from_frame(frame, label=name) for name in ("gold", "old", "new"))
    result = assay.compare(gold, {"old": old, "new": new}, "accuracy")
    assert [result.score(name, "accuracy").value for name in ("old", "new")] == [0.5, 0.75]
    for rows in ("scores", "comparisons", "diffs", "bounds"):
        assert len(getattr(result, f"to_{library}")(rows)) == len(getattr(result, rows))
    gap = frames.DataFrame({"sentence": [1, 1], "label": [3, None]})
    assert from_frame(gap).column("label").strings() == ["3", ""]
    assert assay.bayes(frames.DataFrame(runs()), rope=0.002, draws=2000).bayes[0].data_sets == 1


def test_real_docs_are_read():
    spacy = pytest.importorskip("spacy")
    words, tags = ["Anna", "Lee", " ", "sings"], ["PROPN", "PROPN", "SPACE", "VERB"]
    made = {"words": words, "pos": tags, "heads": [3, 0, 1, 3], "deps": ["nsubj", "flat", "dep", "ROOT"]}
    vocab = spacy.blank("en").vocab
    gold = spacy.tokens.Doc(vocab, **made, ents=["B-PER", "I-PER", "O", "O"])
    system = spacy.tokens.Doc(vocab, **{**made, "heads": [3, 3, 1, 3]}, ents=["B-PER", "O", "O", "O"])
    assert from_spacy(gold).column("HEAD").strings() == ["3", "1", "0"]
    assert assay.measure("uas")([gold], [system])["uas"] == 2 / 3
    assert assay.measure("exact")([gold], [system])["exact"] == 0
