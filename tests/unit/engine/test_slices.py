"""Selections of sentences and of words."""

from __future__ import annotations

import pytest

import assay
from parses import dependencies
from unit.samples import conllu, refusal, tagged, tsv


def sliced(gold, system, *slices, measures="accuracy", **options):
    """The main score of every slice, and how many gold items it has."""
    result = assay.score(gold, system, measures, slices=list(slices), times=10, **options)
    values = {row.slice: row.value for row in result.scores if row.slice and row.score in ("f1", "value")}
    sizes = {row.slice: row.counts.get("gold", row.counts.get("sentences")) for row in result.counts if row.slice}
    return {name: (value, sizes[name]) for name, value in values.items()}


@pytest.fixture
def files(file):
    comments = [["newdoc id = d1", "genre = news"], ["x = 1"], ["newdoc id = d2", "genre = fiction"], []]
    gold = [tagged("a/X b/Y"), tagged("c/X"), tagged("a/X b/X c/X d/X e/X f/Y"), tagged("a/X")]
    file("gold.conllu", conllu(*gold, comments=comments))
    system = [tagged("a/X b/X"), tagged("c/X"), tagged("a/X b/X c/X d/X e/X f/Y"), tagged("a/Y")]
    file("s.conllu", conllu(*system))
    return "gold.conllu", "s.conllu"


def test_by_gold_label(files):
    assert sliced(*files, "label") == {"label=X": (7 / 8, 8), "label=Y": (1 / 2, 2)}


def test_by_length_of_the_gold_sentence(files):
    assert sliced(*files, "sentence-length") == {
        "sentence-length=1-5": (2 / 4, 4),
        "sentence-length=6-10": (1.0, 6),
    }


def test_by_document(files):
    assert sliced(*files, "document") == {"document=d1": (2 / 3, 3), "document=d2": (6 / 7, 7)}


def test_metadata_at_the_beginning_of_a_document_holds_for_its_sentences(files):
    assert sliced(*files, "meta:genre") == {"meta:genre=news": (2 / 3, 3), "meta:genre=fiction": (6 / 7, 7)}


def test_sentences_without_the_comment_are_a_slice_of_their_own(files):
    assert sliced(*files, "meta:x") == {"meta:x=(none)": (7 / 9, 9), "meta:x=1": (1.0, 1)}


def test_by_frequency_in_gold_itself(files):
    assert sliced(*files, "frequency") == {"frequency=1": (1.0, 3), "frequency=2-5": (5 / 7, 7)}


def test_by_seen_in_training_data_or_lexicon(files, file):
    train, lexicon = file("train.txt", "a\nb\n"), file("lex.txt", "a\n")
    assert sliced(*files, "seen", train=train) == {"seen=unseen": (1.0, 5), "seen=seen": (3 / 5, 5)}
    both = sliced(*files, "seen", "seen:lexicon", train=train, lexicon=lexicon)
    assert both["seen:lexicon=seen"] == (2 / 3, 3)
    assert both["seen=seen"] == (3 / 5, 5)


def test_by_frequency_in_training_data(files, file):
    train = file("train.tsv", tsv(tagged("a/X a/X b/X")))
    assert sliced(*files, "frequency", train=train) == {
        "frequency=0": (1.0, 5),
        "frequency=1": (1 / 2, 2),
        "frequency=2-5": (2 / 3, 3),
    }


def test_whole_sentences_are_cut_by_sentence_only(files):
    assert sliced(*files, "label", measures="sentence-accuracy") == {}
    assert sliced(*files, "document", measures="sentence-accuracy") == {
        "document=d1": (1 / 2, 2),
        "document=d2": (1 / 2, 2),
    }


def test_a_spurious_word_is_in_the_slice_of_its_own_label(file):
    file("gold.tsv", tsv(tagged("ab/X c/Y")))
    file("s.tsv", tsv(tagged("a/X b/Y c/Y")))
    result = assay.score("gold.tsv", "s.tsv", "accuracy", slices=["label"], times=10)
    counts = {row.slice: row.counts for row in result.counts}
    assert counts["label=X"] == {"right": 0, "gold": 1, "system": 1, "aligned": 0}
    assert counts["label=Y"] == {"right": 1, "gold": 1, "system": 2, "aligned": 1}


@pytest.mark.parametrize(
    ("slice_", "message"),
    [
        (
            "sentence-lenght",
            "there is no slice 'sentence-lenght'. Did you mean sentence-length or mention-length or sentences? All: "
            "assay measures",
        ),
        (
            "xyz",
            "there is no slice 'xyz'. Available: label, seen, frequency, sentence-length, document, meta, answer, "
            "grounding, … All: assay measures",
        ),
        ("meta:gnre", "--slice meta:gnre: gold.conllu has no comment `# gnre = …`. Available: newdoc id, genre, x."),
        ("meta", "--slice meta: gold.conllu has no comment `# KEY = …`. Available: newdoc id, genre, x."),
        ("seen", "--slice seen needs a list of known words: --train FILE"),
        ("seen:lexicon", "--slice seen needs a list of known words: --lexicon FILE"),
        *(
            (name, f"--slice {name} is for spans, which are not compared here. Give --task spans")
            for name in ("span-length", "nesting", "gaps")
        ),
        *(
            (name, f"--slice {name} is for arcs, but no dependencies are compared. Give --task dependencies")
            for name in ("distance", "direction", "depth", "projectivity")
        ),
        ("arc-length", "--slice arc-length is for arcs of graphs, but none are compared. Give --task graphs"),
        *(
            (name, f"--slice {name} is for semantic roles, which are not compared here.")
            for name in ("role", "argument-distance", "discontinuous")
        ),
    ],
)
def test_unknown_slices_are_refused_with_what_there_is(files, slice_, message):
    assert refusal(assay.score, *files, slices=[slice_], times=10) == message


def test_metadata_of_a_file_without_comments_is_refused(file):
    file("gold.tsv", tsv(tagged("a/X")))
    assert refusal(assay.score, "gold.tsv", "gold.tsv", slices=["meta:genre"], times=10) == (
        "--slice meta:genre: gold.tsv has no comment `# genre = …`. It has no such comments."
    )


@pytest.fixture
def alike(file):
    """Sentences of one length in one document, all of whose words are known."""
    file("gold.conllu", conllu(tagged("a/X b/X"), tagged("a/X b/X")))
    file("s.conllu", conllu(tagged("a/X b/Y"), tagged("a/X b/X")))
    return "gold.conllu", "s.conllu", file("train.txt", "a\nb\n")


@pytest.mark.parametrize("slice_", ["label", "seen", "document", "sentence-length"])
def test_a_slice_with_a_single_value_is_not_shown_and_told_of(alike, slice_):
    gold, system, train = alike
    result = assay.score(gold, system, "accuracy", slices=(slice_,), train=train, times=10)
    assert not [row for row in result.scores if row.slice]
    assert [text for text in result.warnings if "--slice" in text] == [
        f"--slice {slice_}: this slice shows nothing, because all items have the same value or no measure has items."
    ]


def test_labels_come_by_their_frequency():
    gold = [["C", "B", "B", "A"], ["B", "A", "D"]] * 2
    result = assay.score(gold, gold, "accuracy", slices=("label",), times=10)
    shown = dict.fromkeys(row.slice for row in result.scores if row.slice)
    assert list(shown) == ["label=B", "label=A", "label=C", "label=D"]


def test_a_list_of_words_has_no_frequencies(files, file):
    train = file("train.txt", "a\nb\n")
    assert refusal(assay.score, *files, slices=["frequency"], train=train, times=10) == (
        "--slice frequency: --train is a list of words without frequencies. Give the training data itself."
    )


def test_sentences_with_trees_are_cut_by_tens(tmp_path):
    def tree(words):
        return " ".join(f"w{n}/{n - 1}/x" for n in range(1, words + 1))

    text = dependencies(*(tree(words) for words in (1, 10, 11, 30, 31, 41)))
    path = tmp_path / "gold.conllu"
    path.write_text(text, encoding="utf-8")
    result = assay.score(str(path), {"s": str(path)}, "las", slices=("sentence-length",), times=2)
    assert {row.slice: row.counts["gold"] for row in result.counts if row.slice} == {
        "sentence-length=1-10": 11,
        "sentence-length=11-20": 11,
        "sentence-length=21-30": 30,
        "sentence-length=31-40": 31,
        "sentence-length=over 40": 41,
    }


@pytest.mark.parametrize("cut", ["seen", "frequency"])
def test_words_that_do_not_count_are_looked_up_where_they_stand(file, cut):
    # The system has fewer words than gold, so that a number among gold's words may be none among its own.
    gold = file("gold.conllu", conllu(tagged("a/X b/Z c/Y d/Z e/X f/Z")))
    system = file("s.conllu", conllu(tagged("ab/X c/Y d/Z ef/X")))
    train = file("train.conllu", conllu(tagged("a/X c/Y ab/X")))
    result = assay.score(gold, system, "accuracy", labels=("X", "Y"), slices=(cut,), train=train, times=5)
    sizes = {row.slice: (row.counts["gold"], row.counts["system"]) for row in result.counts if row.slice}
    known = {"seen=seen": (2, 2), "seen=unseen": (1, 1)}
    assert sizes == (known if cut == "seen" else {"frequency=0": (1, 1), "frequency=1": (2, 2)})


def test_the_values_of_a_slice_do_not_depend_on_which_system_comes_first(file):
    trees = {"gold": "(S (NP (N a)) (V b))", "a": "(S (XX (N a)) (V b))", "b": "(S (NP (N a)) (V b))"}
    names = {name: file(f"{name}.mrg", f"{tree}\n" * 3) for name, tree in trees.items()}
    found = []
    for order in ("ab", "ba"):
        result = assay.compare(
            names["gold"], {name: names[name] for name in order}, "parseval", slices=("label",), times=5
        )
        found.append({(row.slice, row.system): row.counts for row in result.counts if row.slice})
    assert found[0] == found[1]
    assert {where for where, _ in found[0]} == {"label=S", "label=NP", "label=XX"}
    # What is counted by sentences has no part in a label that a system does not have.
    assert found[0]["label=XX", "b"]["sentences"] == found[0]["label=XX", "b"]["tags"] == 0


def test_what_a_slice_does_not_take_is_refused(files):
    assert refusal(assay.score, *files, slices="frequency:x") == (
        '--slice frequency:x: the slice "frequency" has no argument. Write --slice frequency'
    )
    assert refusal(assay.score, *files, slices="label:X").endswith('has no argument. Write --slice label')
