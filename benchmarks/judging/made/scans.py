"""Scans of book pages against the printer's text: a scan of the same page is a copy of it.

Half of the pages are running text, half are leaves of a register, a printed form filled in by
hand. Hard ones: another leaf of the register; and pages of another edition, whose breaks moved, so
that a page begins with the last third of one and goes on with the next.
"""

from __future__ import annotations

import random
import re
import textwrap

from judging.builder import Builder
from judging.labelled import Collection
from judging.made import facts
from judging.prose import articles

PAGES = 170
LEAVES = 110
CONFUSED = {
    "m": ("rn", "nn"), "rn": ("m",), "l": ("1", "I", "!"), "i": ("l", "1", "j"), "o": ("0", "c"),
    "e": ("c", "o"), "c": ("e", "("), "h": ("b", "li"), "b": ("h", "6"), "s": ("5", "a"),
    "t": ("f", "l", "r"), "f": ("t", "i"), "n": ("ri", "u"), "u": ("n", "ii"), "d": ("cl",),
    "g": ("q", "9"), "a": ("o", "u"), "v": ("y",), "w": ("vv",), "S": ("5", "8"), "B": ("8", "3"),
    "I": ("l", "1"), "0": ("O", "o"), "1": ("l", "i"), "5": ("S",), "8": ("B",), ",": (".",),
    ".": (",", ""), "-": ("", "—"),
}  # fmt: skip


def make(seed: int = 1) -> Collection:
    """Pages of a book and of a register, each scanned once or twice by bad machines."""
    why = "A scan of the same page; not the page of another edition that has a third of it."
    builder = Builder("scans", "scans", why, seed=seed)
    rng = builder.rng
    for number, page in enumerate(articles(330, PAGES, rng, 3)):
        text = " ".join(page)
        _page(builder, f"book/{number}", text, f"THE ART OF DATABASES    {number + 11}")
        if number % 2:
            following = " ".join(articles(230, 1, rng, 0)[0])
            words = text.split()
            moved = " ".join([*words[-len(words) // 3 :], *following.split()])
            _page(builder, f"edition/{number}", moved, f"{number + 4}   Art of Databases, 2nd ed.")
    for number in range(LEAVES):
        _page(builder, f"register/{number}", facts.register_leaf(rng), f"Folio {number + 1}")
    return builder.collection()


def _page(builder: Builder, name: str, text: str, header: str) -> None:
    builder.add(name, text, name)
    for copy in range(builder.rng.choice((1, 1, 2))):
        builder.add(f"{name}/scan{copy}", scan(text, header, builder.rng), name)


def scan(text: str, header: str, rng: random.Random) -> str:
    """What a recogniser makes of a page: lines broken, words hyphenated, characters confused."""
    rate = min(rng.lognormvariate(-4.4, 1.2), 0.2)
    lines = [line for part in text.split("\n") for line in _lines(part, rng)]
    kept = [line for line in lines if rng.random() > 0.03]
    noisy = [_noisy(line, rate, rng) for line in [header, *kept]]
    if rng.random() < 0.3:
        noisy.insert(rng.randrange(len(noisy)), "".join(rng.choices(".,'-~|:;_^ ", k=30)))
    return "\n".join(noisy)


def _lines(text: str, rng: random.Random) -> list[str]:
    """Lines of a narrow page; long words at their ends are hyphenated."""
    lines = textwrap.wrap(text, rng.randrange(52, 68)) or [""]
    for number in range(len(lines) - 1):
        first, _, rest = lines[number + 1].partition(" ")
        if len(first) > 6 and rest and rng.random() < 0.2:
            cut = rng.randrange(3, len(first) - 2)
            lines[number] += f" {first[:cut]}-"
            lines[number + 1] = f"{first[cut:]} {rest}"
    return lines


def _noisy(line: str, rate: float, rng: random.Random) -> str:
    characters = []
    for piece in re.findall(r"rn|.", line):
        if rng.random() >= rate * len(piece):
            characters.append(piece)
        elif piece == " ":
            characters.append("" if rng.random() < 0.6 else "  ")
        else:
            characters.append(rng.choice(CONFUSED.get(piece, ("", piece, "?"))))
    return "".join(characters)
