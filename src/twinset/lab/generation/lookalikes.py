"""Letters that look alike: of two alphabets, and to a machine that reads a scan."""

from __future__ import annotations

# Latin letters and the Cyrillic ones of the same shape.
LOOKALIKES = dict(zip("aceopxyABCEHKMOPTX", "асеорхуАВСЕНКМОРТХ", strict=True))

_GROUPS = (
    "l1I|", "O0Q", "o0", "S5", "B8", "Z2", "g9q", "ceo", "uv", "nh", "ft", "ij", "GC", "EF", "PR",
    "DO", "KX", "VY", "MN", "UV", "ae", "bh", "s5", "z2", "t7", "6b", "38", "4A",
    "ао", "ви", "ни", "пл", "шщ", "ец", "ьъ", "зэ", "гт", "кх", "ОС", "НИ", "ВБ", "ПЛ", "ШЩ", "ЗЭ",
)  # fmt: skip
_JOINED = {"m": "rn", "w": "vv", "d": "cl", "H": "li", "ы": "ьі", "ю": "іо"}


def _confused() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for group in _GROUPS:
        for letter in group:
            found.setdefault(letter, []).extend(o for o in group if o != letter)
    for letter, joined in _JOINED.items():
        found.setdefault(letter, []).append(joined)
    return found


CONFUSED = _confused()
