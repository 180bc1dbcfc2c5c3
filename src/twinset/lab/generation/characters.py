"""The operations on characters: replacing by pairs, and the noise of character recognition."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from twinset.lab.generation.operation import Edited, Setting, Share, percentage
from twinset.lab.generation.sheet import Place, Places, Sheet, put, touched
from twinset.lab.generation.units import kinds, letters, script_of
from twinset.spec import option

_CODE = re.compile(r"U\+([0-9A-Fa-f]{1,6})")
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

    counts: ClassVar[str] = "characters that a pair replaces"
    percent: float = percentage(100.0, "Percentage of the matching characters to replace.")
    pairs: str = option(
        "lookalikes",
        "What to replace, as 'a>4 e>3' (U+002C for a comma), or lookalikes: Latin letters by "
        "Cyrillic ones.",
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
        """What is replaced by what."""
        if self.pairs == "lookalikes":
            return dict(_LOOKALIKES)
        return dict(map(_pair, self.pairs.split()))

    def apply(self, sheet: Sheet, setting: Setting) -> Edited:
        """Replace the chosen occurrences."""
        table = self.table()
        longest_first = sorted(table, key=len, reverse=True)
        pattern = re.compile("|".join(map(re.escape, longest_first)))
        own = Places(sheet, lambda text: [match.span() for match in pattern.finditer(text)])
        chosen = [own[number] for number in setting.draw.sample(len(own), self.of(len(own)))]
        new = [(p, table[sheet.texts[p.run][p.start : p.stop]]) for p in chosen]
        notes = () if own or not sheet.paragraphs else ("none of the characters to replace occurs",)
        return Edited(put(sheet, new), _counted(sheet, len(own), new), notes)


def _pair(text: str) -> tuple[str, str]:
    old, arrow, new = text.partition(">")
    if not arrow or not old:
        raise ValueError(f"'{text}' is not a pair; write old>new, as 'a>4 e>3'")
    return _named(old), _named(new)


def _named(text: str) -> str:
    """Text with U+XXXX in place of characters that the notation cannot hold."""

    def char(code: re.Match[str]) -> str:
        number = int(code[1], 16)
        if number > 0x10FFFF or 0xD800 <= number < 0xE000:
            raise ValueError(f"{code[0]} is no character; give a code up to U+10FFFF")
        return chr(number)

    return _CODE.sub(char, text)


def _counted(sheet: Sheet, of: int, new: list[tuple[Place, str]]) -> dict[str, int]:
    changed = {"of": of, "characters": len(new)} | touched(sheet, [place for place, _ in new])
    changed["characters_deleted"] = sum(place.stop - place.start for place, _ in new)
    changed["characters_added"] = sum(len(text) for _, text in new)
    return changed


@dataclass(frozen=True)
class OcrNoise(Share):
    """Misread letters as scanners do: most become similar ones, some vanish or gain a speck."""

    counts: ClassVar[str] = "letters and digits"
    percent: float = percentage(1.0, "Percentage of the letters and digits to misread.")

    def apply(self, sheet: Sheet, setting: Setting) -> Edited:
        """Misread the chosen letters."""
        draw = setting.draw
        own = Places(sheet, letters)
        chosen = [own[number] for number in draw.sample(len(own), self.of(len(own)))]
        alphabet = _alphabet(sheet.texts)
        new: list[tuple[Place, str]] = []
        fates = {"misread": 0, "lost": 0, "specks": 0}
        for place in chosen:
            letter = sheet.texts[place.run][place.start : place.stop]
            like = _CONFUSED.get(letter) or [
                o for o in alphabet[script_of(letter[0])] if o != letter
            ]
            fate = draw.below(8)
            if fate == 0 and new:  # never the first, so that something is left
                new.append((place, ""))
                fates["lost"] += 1
            elif fate == 1 or not like:
                new.append((place, letter + draw.choice(_STRAY)))
                fates["specks"] += 1
            else:
                new.append((place, draw.choice(like)))
                fates["misread"] += 1
        return Edited(put(sheet, new), _counted(sheet, len(own), new) | fates)


def _alphabet(texts: Iterable[str]) -> dict[str, list[str]]:
    """The letters of a document, by their script."""
    scripts: dict[str, list[str]] = {}
    for letter in sorted(set().union(*texts)):
        if kinds(letter) in "wo":
            scripts.setdefault(script_of(letter), []).append(letter)
    return scripts
