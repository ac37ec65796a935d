"""Benchmark of answers of language models: reading, grounding and scoring them, with 1,000 resamples.

As a script it makes the data. Run: answers.py FOLDER NUMBER
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

from common import ASSAY, HERE, ROOT, Bench, Goal
from measure import alternating, best

NUMBER = 100_000
LABELS = ("PER", "LOC", "ORG", "MISC")
SHAPES = ("tags", "json", "lines", "by label", "words")
SYLLABLES = ("ka", "ron", "mi", "tel", "os", "ver", "an", "lu", "Sch", "ber", "é", "ing")


def bench_answers(bench: Bench) -> None:
    """100,000 answers of some 25 words in five shapes, a tenth of the mentions misspelt, one in fifty made up."""
    number = NUMBER // 10 if bench.quick else NUMBER
    folder = ROOT / ".bench" / "data" / f"answers-{number}"
    if not (folder / "made").exists():
        print("making the answers …", file=sys.stderr)
        subprocess.run([sys.executable, str(HERE / "answers.py"), str(folder), str(number)], check=True)
    files = [str(folder / name) for name in ("gold.jsonl", "answers.jsonl")]
    command = [ASSAY, "score", *files, "--input-format", "answers", "--times", "1000", "--format", "json"]
    done = best(alternating({"assay": command}, 1)["assay"])
    found = json.loads(done.output)["answers"][0]
    if found["answers"] != number or found["ungrounded"] < number // 100:
        raise SystemExit(f"{found}: not all answers were read as they were made. Nothing was timed.")
    bench.goals.append(Goal("100,000 answers: CPU", done.cpu * NUMBER / number, 60, "s"))


def make(folder: Path, number: int) -> None:
    """Texts with spans, and answers to them in all shapes, the same on every machine."""
    chance = random.Random(17)
    words = ["".join(chance.choices(SYLLABLES, k=chance.randrange(1, 5))) for _ in range(5_000)]
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "gold.jsonl").open("w", encoding="utf-8") as gold, (folder / "answers.jsonl").open("w") as said:
        for document in range(number):
            length = chance.randrange(10, 40)
            text = [words[min(int(chance.paretovariate(0.7)), len(words)) - 1] for _ in range(length)]
            spans, place = [], chance.randrange(4)
            while place + 3 < len(text):
                spans.append((place, place + chance.randrange(1, 4), chance.choice(LABELS)))
                place = spans[-1][1] + chance.randrange(1, 8)
            starts = [len(" ".join(text[:index])) + (index > 0) for index in range(len(text))]
            placed = [[starts[first], starts[end - 1] + len(text[end - 1]), label] for first, end, label in spans]
            gold.write(json.dumps({"id": str(document), "text": " ".join(text), "label": placed}) + "\n")
            kept = [span for span in spans if chance.random() < 0.9]
            answer = written(text, kept, SHAPES[document % len(SHAPES)], chance)
            said.write(json.dumps({"id": str(document), "answer": answer}) + "\n")
    (folder / "made").touch()


def written(text: list[str], spans: list[tuple[int, int, str]], shape: str, chance: random.Random) -> str:
    """An answer in a shape."""
    if shape == "tags":
        pieces = list(text)
        for first, end, label in spans:
            pieces[first] = f"<{label}>{pieces[first]}"
            pieces[end - 1] = f"{pieces[end - 1]}</{label}>"
        return " ".join(pieces)
    if shape == "words":
        tags = ["O"] * len(text)
        for first, end, label in spans:
            tags[first:end] = [f"B-{label}", *[f"I-{label}"] * (end - first - 1)]
        return " ".join(f"{word}/{tag}" for word, tag in zip(text, tags, strict=True))
    mentions = [(_misspelt(" ".join(text[first:end]), chance), label) for first, end, label in spans]
    if chance.random() < 0.1:
        mentions.append(("Xyzzy Plugh", "PER"))
    if shape == "lines":
        return "\n".join(f"- {mention} ({label})" for mention, label in mentions) or "none"
    if shape == "json":
        return "```json\n" + json.dumps([{"text": mention, "label": label} for mention, label in mentions]) + "\n```"
    return json.dumps({label: [mention for mention, own in mentions if own == label] for label in LABELS})


def _misspelt(mention: str, chance: random.Random) -> str:
    if chance.random() < 0.9 or len(mention) < 6:
        return mention
    place = chance.randrange(len(mention))
    return mention[:place] + mention[place + 1 :]


if __name__ == "__main__":
    make(Path(sys.argv[1]), int(sys.argv[2]))
