"""How many items of a test set are found that were put into training text, and how many others.

    python benchmarks/injections.py [--items 4000] [--seeds 1]

Reuters-21578 and the manuals of Vim are the training text. Items are made of sentences of Debian's
guide and of the manuals of GNU: questions of 5 to 60 words, every other one with choices and an
answer. Those whose question stands in the training text as it is are left out (by brute force);
what resembles it by nature counts as found in error. Paragraphs that name a licence, and items that
share six words in a row with another one, are left out too: such text is templated, and more of it
is found in error. A share of the items is put in, each in one of
five forms in turn. Beside ours:

13-grams  an item whose words share 13 in a row with a document (all of its words, if it has fewer)
decon     the method of https://github.com/allenai/decon as its documents describe it, on words:
          a question's 5-grams are met by sampling every tenth of a document, followed in both
          directions until 11 in a row are missed, and weighed by their idf, .75 for the question
          and .25 for an answer near it; a score of 1 is asked of 20 words, of .8 from 50 on

Figures go to benchmarks/results/injections.json and docs/how-to/test-set.md.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import random
import re
import sys
import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import twinset
from pages import filled, table
from twinset.text.clean import clean_page

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data"
RESULTS = ROOT / "benchmarks" / "results" / "injections.json"
PAGE = ROOT / "docs" / "how-to" / "test-set.md"
RATES = (0.001, 0.01, 0.1)
MANUALS = Path("/usr/share")
PROSE = re.compile(r"[A-Z][^|{}\\<>=]*[.?!]$")
DIGITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


class Item(NamedTuple):
    question: str
    choices: tuple[str, ...]
    answer: str

    def record(self, id: int) -> dict[str, Any]:
        return {"id": str(id), **self._asdict(), "choices": list(self.choices)}


def words_of(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


# -- the collection ---------------------------------------------------------------------------


def collection(seed: int, most: int) -> tuple[list[str], list[Item]]:
    """The training texts and the items."""
    chance = random.Random(seed)
    with gzip.open(DATA / "reuters21578" / "docs.jsonl.gz", "rt") as lines:
        training = [json.loads(line)["text"] for line in lines]
    for file in sorted(MANUALS.glob("vim/vim*/doc/*.txt")):
        some = re.split(r"\n\s*\n", file.read_text("utf-8", "replace"))
        training += ["\n\n".join(some[at : at + 8]) for at in range(0, len(some), 8)]
    prose = [
        [one for one in re.split(r"(?<=[.?!]) (?=[A-Z\"])", paragraph) if PROSE.match(one)]
        for paragraph in sorted({" ".join(some.split()) for text in _manuals() for some in text})
        if "License" not in paragraph
    ]
    prose = [some for some in prose if some]
    chance.shuffle(prose)
    items, known = list[Item](), set[tuple[str, ...]]()
    for some in prose:  # each gives an item, and no two share six words in a row
        size, words = chance.randrange(5, 61), list[str]()
        for sentence in some[chance.randrange(len(some)) :]:
            if len(words) + len(sentence.split()) > 60 or len(words) >= size:
                break
            words += sentence.split()
        asked = words_of(" ".join(words))
        if len(asked) < 5:
            continue
        item = Item(" ".join(words), (), "")
        if len(items) % 2 and len(words) >= 9:
            ends = [" ".join(chance.choice(chance.choice(prose)).split()[-3:]) for _ in range(3)]
            choices = [*ends, " ".join(words[-3:])]
            chance.shuffle(choices)
            item = Item(f"{' '.join(words[:-3])} ...", tuple(choices), " ".join(words[-3:]))
        grams = set(zip(*(asked[n:] for n in range(min(6, len(asked)))), strict=False))
        if not grams & known:
            items.append(item)
        known |= grams
    there = standing(training, items)
    return training, [item for number, item in enumerate(items) if number not in there][:most]


def standing(training: list[str], items: list[Item]) -> set[int]:
    """The items whose question stands in a text word for word, by brute force."""
    begins: dict[tuple[str, ...], list[tuple[int, list[str]]]] = defaultdict(list)
    for number, item in enumerate(items):
        words = words_of(item.question)
        begins[tuple(words[:5])].append((number, words))
    found: set[int] = set()
    for text in training:
        words = words_of(text)
        for at, begin in enumerate(zip(*(words[n:] for n in range(5)), strict=False)):
            for number, asked in begins.get(begin, ()):
                if words[at : at + len(asked)] == asked:
                    found.add(number)
    return found


def _manuals() -> list[list[str]]:
    """The paragraphs that items are made of: of one edition of the guide, and of GNU's manuals."""
    with gzip.open(DATA / "debian_guide_html" / "docs.jsonl.gz", "rt") as lines:
        pages = (json.loads(line) for line in lines)
        texts = [clean_page(page["text"]).text for page in pages if page["id"][:9] == "amd64/en/"]
    files = sorted(MANUALS.glob("info/*.info*.gz"))
    if not files:
        raise SystemExit(f"{MANUALS}/info is empty: install vim-runtime and packages of GNU")
    texts += [gzip.decompress(file.read_bytes()).decode("utf-8", "replace") for file in files]
    return [re.split(r"\n\s*\n", text) for text in texts]


# -- the forms in which an item is put in -----------------------------------------------------


def verbatim(item: Item, chance: random.Random) -> str:
    return "\n".join([item.question, *item.choices, item.answer]).strip()


def rewrapped(item: Item, chance: random.Random) -> str:
    """Lines of another length, labels before choices, words in bold, quoted or in a list."""
    words = item.question.split()
    for place in chance.sample(range(len(words)), len(words) // 8 + 1):
        words[place] = chance.choice(["**{}**", "<b>{}</b>", "\\textbf{{{}}}"]).format(words[place])
    lines = textwrap.wrap(" ".join(words), chance.randrange(20, 60), break_on_hyphens=False)
    label = chance.choice(["({}) ", "{}) ", "{}. "])
    lines += [label.format("ABCD"[n]) + choice for n, choice in enumerate(item.choices)]
    return chance.choice(["\n", "\n> ", "<br>\n"]).join([f"{chance.randrange(1, 99)}. ", *lines])


def edited(item: Item, chance: random.Random) -> str:
    """One word in ten, and at least one, replaced, left out or put in."""
    words = item.question.split()
    for place in sorted(chance.sample(range(len(words)), max(1, len(words) // 10)), reverse=True):
        other = chance.choice(["such", "report", "later", "figures", "several"])
        words[place : place + 1] = chance.choice([[other], [], [words[place], other]])
    return "\n".join([" ".join(words), *item.choices, item.answer])


def embedded(item: Item, chance: random.Random) -> str:
    return f"and somebody asked whether {item.question.rstrip('. ')}, which nobody could tell"


def translated(item: Item, chance: random.Random) -> str:
    """All digits as words."""
    return re.sub(r"[0-9]", lambda digit: f" {DIGITS[int(digit[0])]} ", verbatim(item, chance))


FORMS: dict[str, Callable[[Item, random.Random], str]] = {
    "verbatim": verbatim,
    "re-wrapped": rewrapped,
    "edited words": edited,
    "embedded in prose": embedded,
    "translated digits": translated,
}


def injected(
    training: list[str], items: list[Item], rate: float, chance: random.Random
) -> tuple[list[str], dict[int, str]]:
    """The training texts with some items inside, and the form of each of these."""
    texts, put = list(training), dict[int, str]()
    count = max(len(FORMS), round(rate * len(items)))
    with_digits = [n for n, item in enumerate(items) if re.search(r"[0-9]", item.question)]
    for number in range(count):
        form = list(FORMS)[number % len(FORMS)]
        free = with_digits if form == "translated digits" else range(len(items))
        chosen = chance.choice([n for n in free if n not in put])
        put[chosen] = form
        at = chance.randrange(len(texts))
        breaks = [0, *(end.end() for end in re.finditer(r"\s", texts[at])), len(texts[at])]
        place = chance.choice(breaks)
        inside = FORMS[form](items[chosen], chance)
        texts[at] = f"{texts[at][:place]}\n{inside}\n{texts[at][place:]}"
    return texts, put


# -- the methods ------------------------------------------------------------------------------


def ours(training: list[str], items: list[Item]) -> set[int]:
    records = [item.record(number) for number, item in enumerate(items)]
    parts = ["question", "choices", "answer"]
    found = twinset.contamination({"items": records}, training, parts=parts).items
    levels = found["level"].to_pylist()
    return {number for number, level in enumerate(levels) if level is not None}


def thirteen_grams(training: list[str], items: list[Item]) -> set[int]:
    """By lines and words between blanks in lower case, as the field's scripts have it."""
    grams: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, item in enumerate(items):
        words = item.question.lower().split()
        size = min(13, len(words))
        for at in range(len(words) - size + 1):
            grams[tuple(words[at : at + size])].append(number)
    sizes = sorted({len(gram) for gram in grams})
    found: set[int] = set()
    for text in training:
        words = text.lower().split()
        for size in sizes:
            for gram in zip(*(words[at:] for at in range(size)), strict=False):
                found.update(grams.get(gram, ()))
    return found


class Decon:
    SIZE, EVERY, MISSES, LEAST = 5, 10, 11, 0.8

    def __init__(self, items: list[Item]) -> None:
        self.items = items
        self.questions = [self.grams(words_of(item.question)) for item in items]
        self.postings: dict[Any, set[int]] = defaultdict(set)
        for number, grams in enumerate(self.questions):
            for gram in grams:
                self.postings[gram].add(number)
        self.sums = [sum(map(self.idf, set(grams))) for grams in self.questions]

    def grams(self, words: list[str]) -> list[tuple[str, ...]]:
        size = min(self.SIZE, len(words))
        return [tuple(words[at : at + size]) for at in range(len(words) - size + 1)]

    def idf(self, gram: Any) -> float:
        return math.log(1 + len(self.items) / len(self.postings[gram]))

    def found(self, training: list[str]) -> set[int]:
        return set().union(*map(self.in_text, training))

    def in_text(self, text: str) -> Iterable[int]:
        words = words_of(text)
        grams = [tuple(words[at : at + self.SIZE]) for at in range(len(words) - self.SIZE + 1)]
        at = 0
        while at < len(grams):
            if grams[at] not in self.postings:
                at += self.EVERY
                continue
            met, ends = self.cluster(grams, at)
            for number, matched in met.items():
                if self.is_there(number, matched, words, ends):
                    yield number
            at = max(ends[1], at + 1)

    def cluster(self, grams: list[Any], at: int) -> tuple[dict[int, set[Any]], tuple[int, int]]:
        """The 5-grams of each question around a hit, and as far as any of them went."""
        met = {number: {grams[at]} for number in self.postings[grams[at]]}
        ends = [at, at]
        for way in (-1, 1):
            misses, place = dict.fromkeys(met, 0), at + way
            while misses and 0 <= place < len(grams):
                here = self.postings.get(grams[place], ())
                for number in list(misses):
                    misses[number] = 0 if number in here else misses[number] + 1
                    if number in here:
                        met[number].add(grams[place])
                        ends[way > 0] = place
                    if misses[number] >= self.MISSES:
                        del misses[number]
                place += way
        return met, (ends[0], ends[1])

    def is_there(
        self, number: int, matched: set[Any], words: list[str], ends: tuple[int, int]
    ) -> bool:
        score = sum(map(self.idf, matched)) / self.sums[number]
        answer = words_of(self.items[number].answer)
        length = len(words_of(self.items[number].question)) + len(answer)
        if answer:
            window = max(2 * len(answer), 20)
            near = words[max(ends[0] - window, 0) : ends[1] + self.SIZE + window]
            stands = f" {' '.join(answer)} " in f" {' '.join(near)} "
            sure = 0.75 * min(1.0, 0.5 + 0.5 * len(self.questions[number]) / 20)
            score = sure * score + (1 - sure) * stands
        least = 1 - (1 - self.LEAST) * min(max((length - 20) / 30, 0), 1)
        return score >= least - 1e-9


METHODS: dict[str, Callable[[list[str], list[Item]], set[int]]] = {
    "twinset": ours,
    "13-grams": thirteen_grams,
    "decon": lambda training, items: Decon(items).found(training),
}


# -- the figures ------------------------------------------------------------------------------


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, default=4000)
    parser.add_argument("--seeds", type=int, default=1)
    given = parser.parse_args()
    runs: list[tuple[str, float, dict[int, str], set[int]]] = []
    for seed in range(given.seeds):
        training, items = collection(seed, given.items)
        for rate in RATES:
            texts, put = injected(training, items, rate, random.Random(f"{seed} {rate}"))
            for name, method in METHODS.items():
                runs.append((name, rate, put, method(texts, items)))
                print(seed, rate, name, *_shares(runs[-1:], name), file=sys.stderr, flush=True)
    figures = {name: _figures(runs, name) for name in METHODS}
    RESULTS.write_text(
        json.dumps({"items": given.items, "seeds": given.seeds, **figures}, indent=1) + "\n"
    )
    PAGE.write_text(filled(PAGE.read_text("utf-8"), "injections", text(figures)), "utf-8")


def _shares(runs: Any, name: str) -> tuple[float, float]:
    """Recall and precision of some runs."""
    sizes = [
        (len(put), len(found), len(put.keys() & found))
        for one, _, put, found in runs
        if one == name
    ]
    put, found, right = map(sum, zip(*sizes, strict=True))
    return round(right / put, 4), round(right / max(found, 1), 4)


def _figures(runs: Any, name: str) -> dict[str, dict[str, float]]:
    """The recall of each form over all runs, and the precision at each rate."""
    recall = {}
    for form in FORMS:
        there = [
            number in found
            for one, _, put, found in runs
            for number in put
            if one == name and put[number] == form
        ]
        recall[form] = round(sum(there) / len(there), 3)
    precision = {
        f"{rate:.1%}": _shares([run for run in runs if run[1] == rate], name)[1] for rate in RATES
    }
    return {"recall": recall, "precision": precision}


def text(figures: dict[str, Any]) -> str:
    """The table of the manual."""
    rows = [
        (f"{what}, {key}", *(f"{figures[name][what][key]:.3f}" for name in METHODS))
        for what in ("recall", "precision")
        for key in figures["twinset"][what]
    ]
    return table(("", *METHODS), rows, "---:")


if __name__ == "__main__":
    main()
