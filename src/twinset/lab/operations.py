"""The operations: edits of paragraphs, words and characters, and what sites put around a page.

An operation is a frozen dataclass whose fields are its parameters, with an ``apply``. Ignatov,
Jánosi-Rancz, Kuznetsov 2009 name four styles of editing: block edit (``add-paragraphs``,
``delete-paragraphs``), key block, minor change (``replace-words``, ``replace-characters``) and
block reordering (``reorder-paragraphs``).
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal

from twinset.errors import TwinsetError
from twinset.lab.sheet import (
    GAPS,
    By,
    Draw,
    Edit,
    Others,
    Sheet,
    Span,
    count_words,
    kinds,
    letters,
    script_of,
    word_spans,
    words_of_file,
)
from twinset.plan.spec import option
from twinset.text.segments import words as canonical_words


@dataclass(frozen=True, slots=True)
class Setting:
    """What an operation may draw on: random numbers of its own, other documents, the site.

    ``site`` begins at the seed alone, for what many documents have in common; ``original`` is the
    document before all operations, which is no other document.
    """

    draw: Draw
    others: Others
    site: Draw
    original: str


@dataclass(frozen=True, slots=True)
class Edited:
    """The new source of a document, how many of its parts were changed, and notes for the log."""

    source: str
    of: int
    changed: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Operation:
    """An edit with its parameters; the first line of the class docstring says what it does."""

    @property
    def strength(self) -> float | None:
        """The percentage, where there is one."""
        return None

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters as the log shows them."""
        return dataclasses.asdict(self)

    def faults(self) -> list[str]:
        """What is wrong with these parameters, as sentences."""
        return []

    def apply(self, sheet: Sheet, setting: Setting) -> Edited:
        """Edit a text that is opened in the parts that the operation has ``by``, if any."""
        raise NotImplementedError


percentage = partial(option, least=0, most=100, percent=True)
"""An option that is a percentage of a document's parts."""


@dataclass(frozen=True)
class Share(Operation):
    """An operation on a share of the document's parts."""

    percent: float = percentage(5.0, "Percentage of the paragraphs or words to change.")

    @property
    def strength(self) -> float | None:
        return self.percent

    def of(self, count: int) -> int:
        """The percentage of ``count`` parts, rounded to the nearest whole number, halves up."""
        return int(count * self.percent / 100 + 0.5)


_HELP = {
    "paragraph": "blank lines part them; by=sentence takes smaller parts",
    "sentence": "full stops and their kin part them",
}
NOTHING_TO_ADD = "nothing to add: there are no paragraphs of other documents"
BY = "What counts as a paragraph; sentence suits documents of a single paragraph."


def _parts_of_others(setting: Setting, count: int, by: By) -> list[str] | None:
    """So many parts of other documents; None where there are none."""
    parts = [setting.others.part(setting.draw, setting.original, by) for _ in range(count)]
    found = [part for part in parts if part is not None]
    return found if len(found) == count else None


@dataclass(frozen=True)
class ParagraphShare(Share):
    """An operation on a share of the paragraphs or sentences."""

    by: By = option("paragraph", BY)


@dataclass(frozen=True)
class ReorderParagraphs(ParagraphShare):
    """Move paragraphs: the chosen ones change places with each other."""

    def apply(self, sheet: Sheet, setting: Setting) -> Edited:
        """Move the contents of the chosen paragraphs in one random cycle."""
        parts = len(sheet.parts)
        count = self.of(parts)
        if count and parts < 2:
            few = f"nothing to reorder: the document has one {self.by} ({_HELP[self.by]})"
            return Edited(sheet.source, parts, 0, (few,))
        notes = (f"one {self.by} cannot change places alone: two did",) if count == 1 else ()
        chosen = setting.draw.sample(parts, 2 if count == 1 else count)
        edits = [
            Edit(*sheet.parts[chosen[place]][:2], sheet.plain(chosen[origin]))
            for place, origin in enumerate(setting.draw.cycle(len(chosen)))
        ]
        return Edited(sheet.edited(edits), parts, len(chosen), notes)


@dataclass(frozen=True)
class DeleteParagraphs(ParagraphShare):
    """Delete paragraphs; at least one stays."""

    def apply(self, sheet: Sheet, setting: Setting) -> Edited:
        parts = len(sheet.parts)
        count = self.of(parts)
        notes: tuple[str, ...] = ()
        if count and count == parts:
            count -= 1
            notes = (f"one {self.by} always stays ({_HELP[self.by]})",)
        gone = setting.draw.sample(parts, count)
        return Edited(sheet.without(gone), parts, len(gone), notes)


@dataclass(frozen=True)
class AddParagraphs(ParagraphShare):
    """Insert paragraphs of other documents at random places."""

    def apply(self, sheet: Sheet, setting: Setting) -> Edited:
        """Draw paragraphs elsewhere and put them in."""
        parts = len(sheet.parts)
        count = self.of(parts)
        places = sorted(setting.draw.below(parts + 1) for _ in range(count))
        added = _parts_of_others(setting, count, self.by)
        if added is None:
            return Edited(sheet.source, parts, 0, (NOTHING_TO_ADD,))
        return Edited(sheet.with_new(zip(places, added, strict=True)), parts, len(added))


@dataclass(frozen=True)
class RepeatParagraphs(Operation):
    """Insert copies of some of the document's own paragraphs at random places."""

    paragraphs: int = option(1, "How many paragraphs to repeat.", least=0, most=1_000_000)
    times: int = option(1, "How often to repeat each chosen paragraph.", least=0, most=1000)
    by: By = option("paragraph", BY)

    def apply(self, sheet: Sheet, setting: Setting) -> Edited:
        """Put copies of the chosen paragraphs in."""
        parts = len(sheet.parts)
        count = min(self.paragraphs, parts)
        notes: tuple[str, ...] = ()
        if parts and count < self.paragraphs:
            notes = (f"the document has {parts} {self.by}s, fewer than {self.paragraphs}",)
        chosen = setting.draw.sample(parts, count)
        plain = [sheet.plain(number) for number in chosen for _ in range(self.times)]
        added = sorted(
            ((setting.draw.below(parts + 1), text) for text in plain), key=lambda new: new[0]
        )
        return Edited(sheet.with_new(added), parts, len(added), notes)


@dataclass(frozen=True)
class KeyBlock(ParagraphShare):
    """Keep one or more paragraphs of the document and put them among those of other documents."""

    percent: float = percentage(
        100.0, "Paragraphs of other documents, as a percentage of the document's own.", most=1000
    )
    blocks: int = option(1, "How many paragraphs of the document to keep.", least=1, most=1000)
    choose: Literal["longest", "random"] = option(
        "longest", "Keep the paragraphs with the most words, or random ones."
    )

    def apply(self, sheet: Sheet, setting: Setting) -> Edited:
        """Cut out what is not kept, and put paragraphs of other documents between the rest."""
        parts = len(sheet.parts)
        if not parts:
            return Edited(sheet.source, 0, 0)
        count = max(1, self.of(parts)) if self.percent else 0
        added = _parts_of_others(setting, count, self.by)
        if added is None:
            return Edited(sheet.source, parts, 0, (NOTHING_TO_ADD,))
        kept = self._kept(sheet, setting.draw)
        gone = [number for number in range(parts) if number not in kept]
        block = Sheet.of(sheet.without(gone), self.by)
        places = sorted(setting.draw.below(len(block.parts) + 1) for _ in added)
        notes: tuple[str, ...] = ()
        if parts <= self.blocks:
            own = f"{parts} {self.by}{'' if parts == 1 else 's'}"
            notes = (f"the document has {own}: nothing of it was cut out",)
        source = block.with_new(zip(places, added, strict=True))
        return Edited(source, parts, len(gone) + len(added), notes)

    def _kept(self, sheet: Sheet, draw: Draw) -> list[int]:
        parts = len(sheet.parts)
        count = min(self.blocks, parts)
        if self.choose == "random":
            return draw.sample(parts, count)
        words = [count_words([sheet.plain(number)]) for number in range(parts)]
        return sorted(range(parts), key=lambda number: -words[number])[:count]


_TRIES = 1000  # words of the store that are tried, starting at a random one


@dataclass(frozen=True)
class ReplaceWords(Share):
    """Replace words by different ones from a dictionary or other documents, in the same case."""

    dictionary: str | None = option(
        None, "A text file of words; without it, words of other documents are used."
    )

    def faults(self) -> list[str]:
        """A dictionary that is missing or empty."""
        try:
            self._dictionary  # noqa: B018
        except TwinsetError as fault:
            return [f"dictionary: {fault}"]
        return []

    @cached_property
    def _dictionary(self) -> list[str]:
        return words_of_file(self.dictionary) if self.dictionary else []

    def apply(self, sheet: Sheet, setting: Setting) -> Edited:
        """Draw another word for each chosen one."""
        own = word_spans(sheet.source)
        chosen = [own[number] for number in setting.draw.sample(len(own), self.of(len(own)))]
        old = [sheet.source[start:stop] for start, stop in chosen]
        stores, notes = self._stores(sheet, own, old, setting.others)
        words = _other_words(old, stores, setting.draw)
        new = [(p, word) for p, word in zip(chosen, words, strict=True) if word is not None]
        if len(new) < len(chosen):
            notes += (f"{len(chosen) - len(new)} words stayed: there was no other word for them",)
        return Edited(sheet.put(new, apart=True), len(own), len(new), notes)

    def _stores(
        self, sheet: Sheet, own: list[Span], old: list[str], others: Others
    ) -> tuple[list[Sequence[str]], tuple[str, ...]]:
        """For each old word the words that may replace it, and a note for the log.

        They come from the dictionary; without one, from other documents, if possible in the same
        script; without those, from the document itself.
        """
        if self.dictionary is not None:
            return [self._dictionary] * len(old), ()
        known = others.words
        if any(len(words) > 1 for words in known.values()):
            every = list(itertools.chain(*known.values()))
            choices = [known.get(script_of(word[0]), []) for word in old]
            return [words if len(words) > 1 else every for words in choices], ()
        words = list(dict.fromkeys(sheet.source[start:stop] for start, stop in own))
        note = "no dictionary and no other documents: words come from the document itself"
        return [words] * len(old), (note,)


def _other_words(old: list[str], stores: list[Sequence[str]], draw: Draw) -> list[str | None]:
    """For each word a different one in the same case, or None; the search starts at random."""
    new: list[str | None] = [None] * len(old)
    canonical = canonical_words(old)
    open_ = [number for number, store in enumerate(stores) if store]
    firsts = [draw.below(len(store)) if store else 0 for store in stores]
    for attempt in range(_TRIES):
        open_ = [n for n in open_ if new[n] is None and attempt < len(stores[n])]
        if not open_:
            break
        tried = [stores[n][(firsts[n] + attempt) % len(stores[n])] for n in open_]
        shaped = [_in_case_of(old[n], word) for n, word in zip(open_, tried, strict=True)]
        for n, word, itself in zip(open_, shaped, canonical_words(shaped), strict=True):
            if len(itself) == 1 and itself != canonical[n]:
                new[n] = word
    return new


def _in_case_of(model: str, word: str) -> str:
    """The word in the case of the model, unless that makes a different word of it (straße)."""
    shaped = word
    if len(model) > 1 and model.isupper():
        shaped = word.upper()
    elif model[:1].isupper():
        shaped = word[:1].upper() + word[1:]
    return shaped if shaped.lower() == word.lower() else word


@dataclass(frozen=True)
class Truncate(Share):
    """Cut words off at the end or the start; at least one stays."""

    side: Literal["end", "start"] = option("end", "Which side of the text to cut off.")

    def apply(self, sheet: Sheet, setting: Setting) -> Edited:
        own = word_spans(sheet.source)
        count = min(self.of(len(own)), max(len(own) - 1, 0))
        notes = ("one word always stays",) if count < self.of(len(own)) else ()
        if not count:
            return Edited(sheet.source, len(own), 0, notes)
        stays = len(own) - count
        if self.side == "end":
            source = sheet.source[: own[stays].start].rstrip()
        else:
            source = sheet.source[own[count].start :]
        return Edited(source, len(own), count, notes)


_STRAY = ".,'-|"
# Latin letters and the Cyrillic ones of the same shape.
_LOOKALIKES = dict(zip("aceopxyABCEHKMOPTX", "асеорхуАВСЕНКМОРТХ", strict=True))

_GROUPS = (
    "l1I|", "O0Q", "o0", "S5", "B8", "Z2", "g9q", "ceo", "uv", "nh", "ft", "ij", "GC", "EF", "PR",
    "DO", "KX", "VY", "MN", "UV", "ae", "bh", "s5", "z2", "t7", "6b", "38", "4A",
    "ао", "ви", "ни", "пл", "шщ", "ец", "ьъ", "зэ", "гт", "кх", "ОС", "НИ", "ВБ", "ПЛ", "ШЩ", "ЗЭ",
)  # fmt: skip
_JOINED = {"m": "rn", "w": "vv", "d": "cl", "H": "li", "ы": "ьі", "ю": "іо"}


def _confused() -> dict[str, list[str]]:
    lookalikes: dict[str, list[str]] = {}
    for group in _GROUPS:
        for letter in group:
            lookalikes.setdefault(letter, []).extend(o for o in group if o != letter)
    for letter, joined in _JOINED.items():
        lookalikes.setdefault(letter, []).append(joined)
    return lookalikes


_CONFUSED = _confused()


@dataclass(frozen=True)
class ReplaceCharacters(Share):
    """Replace characters by others, as pairs say: old>new, separated by spaces."""

    percent: float = percentage(100.0, "Percentage of the matching characters to replace.")
    pairs: str = option(
        "lookalikes",
        "What to replace, as 'a>4 e>3', or lookalikes: Latin letters by Cyrillic ones.",
    )

    def faults(self) -> list[str]:
        """Pairs that are missing, malformed or change nothing."""
        faults = super().faults()
        try:
            table = self.table()
        except ValueError as fault:
            return [*faults, str(fault)]
        same = [old for old, new in table.items() if old == new]
        if not table:
            faults.append("pairs is empty; write old>new, as 'a>4 e>3'")
        return faults + [f"the pair {old}>{old} changes nothing; leave it out" for old in same]

    def table(self) -> dict[str, str]:
        if self.pairs == "lookalikes":
            return dict(_LOOKALIKES)
        return dict(map(_pair, self.pairs.split()))

    def apply(self, sheet: Sheet, setting: Setting) -> Edited:
        table = self.table()
        longest_first = sorted(table, key=len, reverse=True)
        pattern = re.compile("|".join(map(re.escape, longest_first)))
        own = list(pattern.finditer(sheet.source))
        chosen = [own[number] for number in setting.draw.sample(len(own), self.of(len(own)))]
        new = [(Span(*match.span()), table[match[0]]) for match in chosen]
        notes = () if own or not sheet.parts else ("none of the characters to replace occurs",)
        return Edited(sheet.put(new), len(own), len(new), notes)


def _pair(text: str) -> tuple[str, str]:
    old, arrow, new = text.partition(">")
    if not arrow or not old:
        raise ValueError(f"'{text}' is not a pair; write old>new, as 'a>4 e>3'")
    return old, new


@dataclass(frozen=True)
class OcrNoise(Share):
    """Misread letters as scanners do: most become similar ones, some vanish or gain a speck."""

    percent: float = percentage(1.0, "Percentage of the letters and digits to misread.")

    def apply(self, sheet: Sheet, setting: Setting) -> Edited:
        draw = setting.draw
        own = letters(sheet.source)
        chosen = [own[number] for number in draw.sample(len(own), self.of(len(own)))]
        alphabet = _alphabet(sheet.source)
        new: list[tuple[Span, str]] = []
        for place in chosen:
            letter = sheet.source[place.start : place.stop]
            like = _CONFUSED.get(letter) or [
                o for o in alphabet[script_of(letter[0])] if o != letter
            ]
            fate = draw.below(8)
            if fate == 0 and new:  # never the first, so that something is left
                new.append((place, ""))
            elif fate == 1 or not like:
                new.append((place, letter + draw.choice(_STRAY)))
            else:
                new.append((place, draw.choice(like)))
        return Edited(sheet.put(new), len(own), len(new))


def _alphabet(text: str) -> dict[str, list[str]]:
    """The letters of a document, by their script."""
    scripts: dict[str, list[str]] = {}
    for letter in sorted(set(text)):
        if kinds(letter) in "wo":
            scripts.setdefault(script_of(letter), []).append(letter)
    return scripts


_HEADER = (
    "Home", "News", "About us", "Contact", "Archive", "Sign in", "Create an account", "Help",
    "Search this site", "Skip to the main content", "Choose your language", "Today's edition",
    "Subscribe to our newsletter and never miss a story", "Most read this week",
    "You are reading a free page", "Follow us on social media", "Print this page", "Share",
)  # fmt: skip
_FOOTER = (
    "All rights reserved", "Terms of use", "Privacy policy", "Imprint", "Back to the top",
    "This site uses cookies to offer you a better experience", "Accept all cookies", "Site map",
    "No part of this page may be reproduced without written permission", "Advertise with us",
    "Read also", "Related articles", "Leave a comment", "Write to the editors", "Jobs",
    "The views expressed here are those of the authors alone", "Report an error on this page",
)  # fmt: skip


@dataclass(frozen=True)
class Boilerplate(Share):
    """Add a header and a footer to the text, the same ones for all documents of a seed."""

    percent: float = percentage(
        10.0, "Words of header and footer together, as a percentage of the document's words."
    )

    def apply(self, sheet: Sheet, setting: Setting) -> Edited:
        """Put the header and the footer in."""
        words = count_words([sheet.source])
        count = self.of(words)
        above = (count + 1) // 2
        header = _drawn(_HEADER, above, setting.site)
        footer = _drawn(_FOOTER, count - above, setting.site)
        body = sheet.source.strip("\r\n")
        whole = GAPS["paragraph"].join(filter(None, (header, body, footer)))
        ends = "\n" if sheet.source.endswith("\n") else ""
        return Edited(whole + ends if count else sheet.source, words, count)


def _drawn(phrases: tuple[str, ...], words: int, site: Draw) -> str:
    """The first ``words`` words of an endless random sequence of phrases, the same site-wide."""
    stream = Draw("boilerplate", site.key, phrases[0])
    parts: list[str] = []
    count = 0
    while count < words:
        phrase = stream.choice(phrases)
        spans = word_spans(phrase)
        take = min(len(spans), words - count)
        parts.append(phrase[: spans[take - 1].stop])
        count += take
    return " | ".join(parts)
