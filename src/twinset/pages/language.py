"""Sentences of the page in the reader's language.

A language is a folder of TOML tables in ``sentences/``: ``[documents]`` / ``title = "Documents"``
is the sentence ``documents.title``. ``{name}`` is filled in. A sentence that depends on a number
has its forms divided by ``|`` and is chosen by ``n``: English ``one|other``, Russian
``one|few|many``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from twinset.plan import tomllib

LANGUAGES = {"en": "English", "ru": "Русский"}
TABLES = Path(__file__).parent / "sentences"
SPACE = "\u00a0"


@cache
def sentences(language: str) -> dict[str, str]:
    """All sentences of a language by key."""
    found: dict[str, str] = {}
    for file in sorted((TABLES / language).glob("*.toml")):
        for group, entries in tomllib.loads(file.read_text(encoding="utf-8")).items():
            found |= {f"{group}.{name}": text for name, text in entries.items()}
    return found


def say(language: str, key: str, **values: Any) -> str:
    """A sentence with its values filled in; numbers are written as the language writes them."""
    text = sentences(language)[key]
    if "|" in text:
        text = text.split("|")[_form(language, values.get("n", 0))]
    shown = {name: number(language, value) for name, value in values.items()}
    return text.format(**shown)


def speaker(language: str) -> Callable[..., str]:
    """`say` in one language: what templates know as ``t``."""

    def t(key: str, **values: Any) -> str:
        return say(language, key, **values)

    return t


def number(language: str, value: Any) -> str:
    """A number with thousands divided and at most three decimals; other values as they are."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    text = f"{value:,}" if isinstance(value, int) else f"{value:,.3f}".rstrip("0").rstrip(".")
    if language == "ru":
        return text.replace(",", SPACE).replace(".", ",")
    return text


def preferred(accepted: str) -> str:
    """The language that a browser asks for (its Accept-Language header), among ours."""
    for part in accepted.split(","):
        name = part.split(";")[0].strip().lower().partition("-")[0]
        if name in LANGUAGES:
            return name
    return "en"


def _form(language: str, n: float) -> int:
    if language != "ru":
        return 0 if n == 1 else 1
    if n != int(n):
        return 1
    ones, tens = int(n) % 10, int(n) % 100
    if ones == 1 and tens != 11:
        return 0
    return 1 if 2 <= ones <= 4 and not 12 <= tens <= 14 else 2
