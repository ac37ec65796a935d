"""`assay cross` as a user runs it."""

from __future__ import annotations

import json

import pytest

from parses import dependencies

GOLD = ("John/2/sbj loves/0/root Mary/2/obj", "He/2/sbj ran/0/root")
TREES = (
    "(S-root (NP-sbj (NN-hd John)) (VP-prd (V-hd loves) (NP-obj (NN-hd Mary))))",
    "(S-root (NP-sbj (PRP-sbj He)) (VP-hd (V-hd ran)))",
)
BARE = ("(S (NP (NN John)) (VP (V loves) (NP (NN Mary))))", "(S (NP (PRP He)) (VP (V ran)))")
THEORIES = ("--theory", "dep=dep.conllu", "--theory", "ps=ps.mrg")
QUICK = ("--times", "20")


@pytest.fixture(autouse=True)
def files(here):
    texts = {
        "dep.conllu": dependencies(*GOLD),
        "ps.mrg": "\n".join(TREES) + "\n",
        "malt.conllu": dependencies(GOLD[0].replace("obj", "iobj"), GOLD[1]),
        "brown.mrg": "\n".join(BARE) + "\n",
        "brown.conllu": dependencies(*GOLD),
        "short.conllu": dependencies(GOLD[0]),
        "other.mrg": "\n".join([TREES[0], TREES[1].replace("He", "She")]) + "\n",
    }
    for name, text in texts.items():
        (here / name).write_text(text, "utf-8")
    return here


def scores(done):
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["scores"]
    return {(row["system"], row["measure"]): row["value"] for row in rows if row["score"] in ("value", "f1")}


def test_systems_of_two_frameworks_in_one_table(assay):
    systems = ("malt@dep=malt.conllu", "brown@ps=brown.mrg", "brown@dep=brown.conllu")
    found = scores(assay("cross", *THEORIES, *systems, *QUICK, "--format", "json"))
    assert found["malt", "tedeval"] == pytest.approx(1 - 2 / 10)
    assert found["malt", "las(subtypes=true)@dep"] == pytest.approx(4 / 5)
    assert found["brown", "parseval@ps"] == 1
    assert found["brown", "las(subtypes=true)@dep"] == 1


def test_the_tables_read_as_in_the_paper(assay):
    done = assay("cross", *THEORIES, "malt@dep=malt.conllu", "brown@ps=brown.mrg", *QUICK, "--format", "md")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    header = lines[lines.index("### Native scores and TedEval") + 2]
    assert [cell.strip() for cell in header.strip("|").split("|")] == [
        "system",
        "multiple U",
        "multiple L",
        "multiple fair L",
        "dep UAS",
        "dep LAS (subtypes=true)",
        "ps PARSEVAL",
    ]
    assert [line.count("N/A") for line in lines if line.startswith("| brown | 100.00")] == [4, 3]
    assert "(sizes 2.1)" in done.stdout
    assert "brown: its trees have no functions, so labelled TedEval does not apply." in done.stdout


def test_sizes_and_subtypes_may_be_chosen(assay):
    options = (*THEORIES, "malt@dep=malt.conllu", *QUICK, "--format", "json")
    found = scores(assay("cross", *options, "--sizes", "paper", "--no-subtypes"))
    assert found["malt", "tedeval(sizes=paper)"] == pytest.approx(1 - 2 / 14)


def test_measures_of_the_frameworks_may_be_chosen(assay):
    options = (*THEORIES, "malt@dep=malt.conllu", "brown@ps=brown.mrg", *QUICK, "--format", "json")
    found = scores(assay("cross", *options, "-m", "ls", "-m", "parseval(preset=collins)"))
    assert {measure for _, measure in found if "tedeval" not in measure} == {
        "ls(subtypes=true)@dep",
        "parseval(preset=collins)@ps",
    }
    refused = assay("cross", *options, "-m", "kappa")
    assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)


def test_words_cut_otherwise_are_compared_by_characters_or_count_as_missing(assay, here):
    (here / "cut.conllu").write_text(dependencies(GOLD[0], "Heran/0/root"), "utf-8")
    options = (*THEORIES, "malt@dep=cut.conllu", *QUICK, "--format", "json")
    assert assay("cross", *options).returncode == 2
    # Gold has sbj over `He`, hd over `ran`, root over both; of these the system has the root.
    chars = scores(assay("cross", *options, "--segmentation", "chars"))
    assert chars["malt", "tedeval(gold=single)@dep"] == pytest.approx(1 - 2 / (6 + 1 + 3 - 2))
    strict = scores(assay("cross", *options, "--segmentation", "strict"))
    assert strict["malt", "tedeval(gold=single)@dep"] == pytest.approx(1 - 3 / (6 + 3))


def test_sentences_with_gaps_are_lifted_or_left_out(assay, here):
    gold = ("a/0/root b/1/x c/1/y d/2/z", GOLD[1])
    (here / "gaps.conllu").write_text(dependencies(*gold), "utf-8")
    (here / "flat.conllu").write_text(dependencies(gold[0].replace("d/2", "d/1"), GOLD[1]), "utf-8")
    options = ("--theory", "dep=gaps.conllu", "m@dep=flat.conllu", *QUICK, "--format", "json")
    assert scores(assay("cross", *options))["m", "tedeval"] < 1
    assert scores(assay("cross", *options, "--non-projective", "lift"))["m", "tedeval"] == 1
    left = assay("cross", *options, "--non-projective", "leave-out")
    assert scores(left)["m", "tedeval"] == 1
    assert json.loads(left.stdout)["about"]["units"] == 1


RR = (
    "(S ({sbj,prd,obj} (sbj (NP ({hd} (hd (NN John))))) (prd (V loves)) (obj (NP ({hd} (hd (NN Mary)))))))\n"
    "(S ({sbj,prd} (sbj (NP ({hd} (hd (PRP He))))) (prd (V ran))))\n"
)


def test_functions_are_listed_in_a_file(assay, here):
    (here / "rr.mrg").write_text(RR, "utf-8")
    (here / "functions.txt").write_text("sbj\nobj\n\nprd\nhd\n", "utf-8")
    theories = ("--theory", "dep=dep.conllu", "--theory", "rr=rr.mrg", "--functions", "rr=functions.txt")
    found = scores(assay("cross", *theories, "x@rr=rr.mrg", *QUICK, "--format", "json"))
    assert found["x", "tedeval"] == found["x", "tedeval(gold=single)@rr"] == 1


def test_a_list_of_functions_that_trees_do_not_fit_is_reported(assay, here):
    (here / "rr.mrg").write_text(RR, "utf-8")
    (here / "all.txt").write_text("sbj\nobj\nprd\nhd\n", "utf-8")
    (here / "some.txt").write_text("sbj\nprd\n", "utf-8")
    (here / "upper.txt").write_text("SBJ\n", "utf-8")

    def run(labels, *systems):
        theories = ("--theory", "dep=dep.conllu", "--theory", "rr=rr.mrg", "--functions", f"rr={labels}")
        return assay("cross", *theories, *systems, *QUICK, "--format", "json")

    # Tsarfaty et al. 2012, Table 3: phrase structure without functions has no labelled TedEval.
    bare = run("all.txt", "brown@rr=brown.mrg", "malt@dep=malt.conllu")
    assert {measure for system, measure in scores(bare) if system == "brown"} == {
        "parseval@rr",
        "tedeval(labelled=false)",
        "tedeval(gold=single, labelled=false)@rr",
    }
    assert (
        "brown@rr: no node has one of the labels of --functions rr=…, so labelled TedEval does not apply. Unlabelled "
        "TedEval uses its phrases unchanged."
    ) in bare.stderr
    assert "parseval@rr" in {measure for _, measure in scores(run("all.txt", "brown@rr=brown.mrg"))}
    # What another version has is scored.
    both = scores(run("all.txt", "brown@rr=brown.mrg", "brown@dep=brown.conllu"))
    assert both["brown", "tedeval"] == 1
    assert (
        "--functions rr=…: the list lacks hd (6) and obj (2), which the trees have where functions are. TedEval "
        "leaves such nodes out, like categories. Add the labels that are functions."
    ) in run("some.txt", "x@rr=rr.mrg").stderr
    assert run("upper.txt", "x@rr=rr.mrg").stderr == (
        "assay: --functions rr=…: rr.mrg has no node with one of these labels (SBJ, …). List the labels of its "
        "function nodes.\n"
    )


def test_functions_are_mapped(assay, here):
    (here / "upper.mrg").write_text("\n".join(TREES).replace("-hd", "-HD") + "\n", "utf-8")
    (here / "map.tsv").write_text("ps\tHD\thd\nmalt@dep\tiobj\tobj\ngold\tx\ty\n", "utf-8")
    (here / "sides.tsv").write_text("rr\tHD\thd\n", "utf-8")
    (here / "words.tsv").write_text("ps\tHD\thd\tJohn\n", "utf-8")
    theories = ("--theory", "dep=dep.conllu", "--theory", "ps=upper.mrg")
    options = (*theories, "brown@ps=upper.mrg", "malt@dep=malt.conllu", *QUICK, "--format", "json")
    plain, mapped = assay("cross", *options), assay("cross", *options, "--map", "map.tsv")
    assert (
        "hd (gold dep and malt@dep) and HD (gold ps and brown@ps) differ only in case, so they never match. If "
        "they mean the same, map them with a line in a file for --map: ps TAB HD TAB hd"
    ) in plain.stderr
    before, after = (json.loads(done.stdout)["overlaps"][0]["value"] for done in (plain, mapped))
    assert before < after == pytest.approx(10 / 13)
    # Relations are mapped for the scores of their framework too.
    assert scores(mapped)["malt", "las(subtypes=true)@dep"] == 1
    assert "differ only in case" not in mapped.stderr
    assert "the mapping rule gold: x → y matches nothing." in mapped.stderr
    assert [row["words"] for row in json.loads(mapped.stdout)["mappings"] if row["rule"] == "ps: HD → hd"] == [4, 4]
    assert "there is no side 'rr'" in assay("cross", *options, "--map", "sides.tsv").stderr
    assert "belong to phrases" in assay("cross", *options, "--map", "words.tsv").stderr


def test_a_result_is_written_and_drawn_again(assay, here):
    done = assay(
        "cross", *THEORIES, "malt@dep=malt.conllu", *QUICK, "--examples", "1", "-o", "r.json", "--html", "p.html"
    )
    assert done.returncode == 0, done.stderr
    data = json.loads((here / "r.json").read_text("utf-8"))
    assert (data["schema"], data["about"]["command"]) == ("assay/2", "cross")
    assert data["examples"][0]["units"]
    assert "TedEval" in (here / "p.html").read_text("utf-8")


def test_the_papers_behind_it_are_named(assay):
    assay("cross", *THEORIES, "malt@dep=malt.conllu", *QUICK, "-o", "r.json")
    assert "@" in assay("cite", "r.json").stdout
    assert "tsarfaty2012" in assay("cite", "r.json").stdout


def test_a_treebank_is_enriched(assay, here):
    done = assay("cross", "enrich", "brown.mrg", "dep.conllu")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "(S-root (NP-sbj (NN-sbj John)) (VP (V-hd loves) (NP-obj (NN-obj Mary))))",
        TREES[1],
    ]
    written = assay("cross", "enrich", "brown.mrg", "dep.conllu", "-o", "rich.mrg")
    assert (written.returncode, written.stdout) == (0, "")
    assert (here / "rich.mrg").read_text("utf-8") == done.stdout


def test_what_golds_agree_on_or_say_together_is_written(assay, here):
    done = assay("cross", "generalise", *THEORIES)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "(X-root (X-sbj John) (X-hd loves) (X-obj Mary))",
        "(X-root (X-sbj He) (X-hd ran))",
    ]
    written = assay("cross", "generalise", *THEORIES, "-o", "common.mrg")
    assert (written.returncode, written.stdout) == (0, "")
    assert (here / "common.mrg").read_text("utf-8") == done.stdout
    found = scores(assay("cross", "--theory", "c=common.mrg", "x@c=common.mrg", *QUICK, "--format", "json"))
    assert found["x", "tedeval"] == 1
    unified = assay("cross", "unify", *THEORIES)
    assert unified.stdout.splitlines()[0] == "(X-root (X-hd-sbj John) (X-prd (X-hd loves) (X-hd-obj Mary)))"


@pytest.mark.parametrize(
    "arguments", [("generalise", *THEORIES), ("unify", *THEORIES), ("enrich", "ps.mrg", "dep.conllu")]
)
@pytest.mark.parametrize("name", ["ps.mrg", "link.mrg"])
def test_no_gold_is_written_over(assay, here, arguments, name):
    (here / "link.mrg").symlink_to("ps.mrg")
    before = (here / "ps.mrg").read_text("utf-8")
    done = assay("cross", *arguments, "-o", name)
    assert (done.returncode, done.stdout) == (2, "")
    fact = "is given as input" if name == "ps.mrg" else "is ps.mrg, which is given as input"
    assert done.stderr == f"assay: {name}: {fact}. Choose another name, so that no input is overwritten.\n"
    assert (here / "ps.mrg").read_text("utf-8") == before


MALT = "malt@dep=malt.conllu"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (MALT,),
            "no gold given. Give one for each framework: --theory dep=gold.conllu --theory ps=gold.mrg",
        ),
        ((*THEORIES, "malt@dpe=malt.conllu"), "there is no theory 'dpe'. Did you mean dep?"),
        ((*THEORIES, MALT, MALT), "malt is given twice for dep."),
        ((*THEORIES, "malt.conllu"), "'malt.conllu' should be system@theory=path, e.g. malt@dep=malt.conllu"),
        (
            (*THEORIES, "malt=malt.conllu"),
            "'malt=malt.conllu' should be system@theory=path, e.g. malt@dep=malt.conllu",
        ),
        ((*THEORIES, "malt@dep=nope.conllu"), "nope.conllu: cannot be opened (no such file or directory)."),
        ((*THEORIES, MALT, "--theory", "ps+xx"), "there is no theory 'xx'. Available: dep, ps."),
        ((*THEORIES, MALT, "--functions", "ps"), "--functions 'ps' should be THEORY=FILE."),
        ((*THEORIES, MALT, "--functions", "rr=dep.conllu"), "there is no theory 'rr'. Available: dep, ps."),
        (
            (*THEORIES, "malt@dep=short.conllu"),
            "short.conllu: contains 1 sentence, but dep.conllu has 2. "
            "Files of all frameworks must have the same sentences in the same order.",
        ),
        (
            ("generalise", *THEORIES, MALT),
            "assay cross generalise takes only golds: --theory dep=gold.conllu --theory ps=gold.mrg",
        ),
        (
            ("enrich", "brown.mrg"),
            "assay cross enrich takes two files: the phrase structure, and the treebank with the functions.",
        ),
        (
            ("enrich", "brown.mrg", "dep.conllu", "-o", "no/x.mrg"),
            "no/x.mrg: the folder no does not exist. Make it: mkdir -p no",
        ),
    ],
)
def test_mistakes_are_told_in_one_line(assay, arguments, message):
    done = assay("cross", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"assay: {message}\n"


@pytest.mark.parametrize("arguments", [("--sizes", "3"), ("--nope",)])
def test_unknown_options_are_refused(assay, arguments):
    done = assay("cross", *THEORIES, MALT, *arguments)
    assert done.returncode == 2
    assert arguments[0] in done.stderr


def test_other_words_end_with_their_place_or_are_left_out(assay):
    done = assay("cross", *THEORIES, "x@ps=other.mrg")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[0] == "assay: other.mrg:2: word 1 is 'She', but dep.conllu:5 has 'He'"
    done = assay("cross", *THEORIES, "x@ps=other.mrg", "--on-mismatch", "skip", *QUICK, "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["about"]["units"] == 1
    assert "warning: 1 of 2 sentences was left out." in done.stderr.splitlines()


# --- several guidelines ---


@pytest.fixture
def tagged(here):
    texts = {
        "stts.tsv": "John\tNE\nloves\tVVFIN\nMary\tNE\n\n",
        "ud.tsv": "John\tPROPN\nloves\tVERB\nMary\tPROPN\n\n",
        "a.tsv": "John\tNN\nloves\tVVFIN\nMary\tNE\n\n",
        "rules.tsv": "NE\tPROPN\nNN\tNOUN\nVVFIN\tVERB,fin\n",
        "sides.tsv": "stts\tNE\tPROPN\nstts\tNN\tNOUN\nstts\tVVFIN\tVERB,fin\n",
        "two.tsv": "NE\tPROPN\nNE\tNOUN\n",
        "nothing.tsv": "NE\t,\n",
    }
    for name, text in texts.items():
        (here / name).write_text(text, "utf-8")
    return ("--task", "tags", "--theory", "stts=stts.tsv", "--theory", "ud=ud.tsv", "--column", "2")


@pytest.mark.parametrize("rules", ["stts=rules.tsv", "sides.tsv"])
def test_tags_of_two_guidelines(assay, here, tagged, rules):
    done = assay("cross", *tagged, "--map", rules, "a@stts=a.tsv", "b@ud=ud.tsv", *QUICK, "--format", "json")
    found = scores(done)
    # fin is forgiven; NOUN is spurious, and the first PROPN is missing.
    assert found["a", "cross-score"] == pytest.approx(1 - 2 / (4 + 3))
    assert found["b", "cross-score"] == 1
    rows = {(row["system"], row["measure"]): row["value"] for row in json.loads(done.stdout)["scores"] if row["main"]}
    assert rows["a", "accuracy@stts"] == pytest.approx(2 / 3)
    assert "|units:tags|" in json.loads(done.stdout)["signature"]
    page = assay("cross", *tagged, "--map", rules, "a@stts=a.tsv", "--html", "p.html", *QUICK, "--full")
    assert page.returncode == 0, page.stderr
    assert "Most frequent disagreements" not in page.stdout
    assert "annotations" in (here / "p.html").read_text("utf-8")


def test_costs_are_named(assay, tagged):
    options = ("--map", "stts=rules.tsv", "a@stts=a.tsv", *QUICK, "--edit-costs", "add=0,delete=1")
    done = assay("cross", *tagged, *options, "--format", "json")
    assert scores(done)["a", "cross-score(add=0)"] == pytest.approx(3 / 4)
    assert "edit_costs add:0" in json.loads(done.stdout)["signature"]
    costs = ("--sizes", "paper", "--edit-costs", "add=2,delete=1")
    trees = assay("cross", *THEORIES, MALT, *costs, *QUICK, "--format", "md")
    assert "costs of edits: add 2, delete 1" in trees.stdout
    assert "fair" not in trees.stdout


def test_one_gold_is_more_general(assay):
    done = assay("cross", "subsumes", *THEORIES)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:5] == [
        "relation\tsentences",
        "dep ⊑ ps alone\t1",
        "ps ⊑ dep alone\t0",
        "both\t1",
        "neither\t0",
    ]
    assert "ps ⊑ dep not at dep.conllu:1: hd over 'John'" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--column", "xx=3"), "--column xx=3: there is no theory 'xx'. Available: stts, ud."),
        (("--column", "ud=3"), "--column ud=3: ud has the column 2 already."),
        (("--map", "xx=rules.tsv"), "--map xx=rules.tsv: there is no theory 'xx'. Available: stts, ud."),
        (("--map", "stts=two.tsv"), "--map: NE stands for PROPN and for NOUN. Write one line with all of its units."),
        (("--map", "nothing.tsv"), "--map: NE has no units. Name them, or leave the line out."),
        (
            ("--theory", "stts+ud"),
            "--functions and --theory a+b are for trees. Leave them out with --task tags.",
        ),
        (("--sizes", "paper"), "--sizes is for trees. Leave it out with --task tags."),
        (
            ("-m", "las"),
            "-m las: this measure is for dependencies, but tags are compared here. Use measures of tags.",
        ),
        (("-m", "tedeval"), "-m tedeval: it is always reported. Remove -m."),
        (("--edit-costs", "ad=1"), "there is no edit 'ad'. Did you mean add?"),
        (("--edit-costs", "add"), "--edit-costs add: give both costs as numbers, e.g. add=2,delete=1"),
        (("--edit-costs", "add=0,delete=0"), "--edit-costs add=0,delete=0: one of the two must be above 0."),
        (
            ("--edit-costs", "add=-1"),
            "--edit-costs add=-1: give whole numbers from 0 on. Only their ratio counts: 1.5 to 1 is 3 to 2.",
        ),
    ],
)
def test_what_guidelines_do_not_have_is_refused(assay, tagged, arguments, message):
    done = assay("cross", *tagged, "a@stts=a.tsv", *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"assay: {message}\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*THEORIES, MALT, "--edit-costs", "add=2"), "TedEval 2.1 has no sizes for such costs. Add --sizes paper"),
        ((*THEORIES, MALT, "--label-path", "/"), "--column and --label-path are for --task tags, spans or graphs."),
        (("subsumes", *THEORIES[:2]), "assay cross subsumes takes two theories, but got 1."),
        ((*THEORIES, MALT, "--task", "graphs"), "ps.mrg: arcs and phrases have no common unit."),
        (
            ("--task", "spans", *THEORIES, "--theory", "x=dep.conllu", MALT),
            "--task spans: 3 golds, but only spans of two can be paired. Give two.",
        ),
        (
            ("--task", "graphs", "--theory", "a=dep.conllu", "--theory", "b=short.conllu", "m@a=malt.conllu"),
            "short.conllu",
        ),
    ],
)
def test_what_trees_do_not_have_is_refused(assay, arguments, message):
    done = assay("cross", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr
