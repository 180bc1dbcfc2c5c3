"""Sentences and amounts in the reader's language.

A language is a folder of TOML tables in ``sentences/``: ``[documents]`` / ``title = "Documents"``
is the sentence ``documents.title``. ``{name}`` is filled in. A sentence that depends on a number
has its forms separated by ``|`` and is chosen by ``n``: English ``one|other``, Russian
``one|few|many``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from twinset.errors import PlanError, did_you_mean
from twinset.plan import tomllib

LANGUAGES = {"en": "English", "ru": "Русский"}
TABLES = Path(__file__).parent / "sentences"
SPACE = "\u00a0"
UNITS = ("B", "kB", "MB", "GB", "TB")


def ensure_known(language: str) -> str:
    """The language, if there is one of this name."""
    if language not in LANGUAGES:
        meant = did_you_mean(language, LANGUAGES)
        choice = " or ".join(LANGUAGES)
        raise PlanError([f"there is no language '{language}'; {meant}choose {choice}"])
    return language


@cache
def _groups(language: str) -> dict[str, str]:
    """The groups of sentences, as TOML: to parse all of them takes longer than a small search."""
    files = sorted((TABLES / language).glob("*.toml"))
    parts = "\n".join(file.read_text("utf-8") for file in files).split("\n[")
    return {part.partition("]")[0].removeprefix("["): part.partition("]")[2] for part in parts}


@cache
def _group(language: str, group: str) -> dict[str, str]:
    said: dict[str, str] = tomllib.loads(_groups(language).get(group, ""))
    return said


@cache
def sentences(language: str) -> dict[str, str]:
    """All sentences of a language by key."""
    return {
        f"{group}.{name}": text
        for group in _groups(language)
        for name, text in _group(language, group).items()
    }


def _sentence(language: str, key: str) -> str | None:
    group, _, name = key.partition(".")
    return _group(language, group).get(name)


def has_sentence(language: str, key: str) -> bool:
    """Whether there is such a sentence."""
    return _sentence(language, key) is not None


def say(language: str, key: str, **values: Any) -> str:
    """A sentence with its values filled in; numbers are written as the language writes them.

    One that is not translated yet is said in English.
    """
    text = _sentence(language, key) or sentences("en")[key]
    if "|" in text:
        text = text.split("|")[_form(language, values.get("n", 0))]
    return text.format(**{name: number(language, value) for name, value in values.items()})


def speaker(language: str, group: str = "") -> Callable[..., str]:
    """`say` in one language, for the keys of one group or all: what templates know as ``t``."""
    prefix = f"{group}." if group else ""

    def t(key: str, **values: Any) -> str:
        return say(language, prefix + key, **values)

    return t


def number(language: str, value: Any, digits: int | None = None) -> str:
    """A number with thousands separated; other values as they are.

    A fraction has exactly ``digits`` decimals or, without these, at most three.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if digits is not None:
        return _localised(language, f"{value:,.{digits}f}")
    text = f"{value:,}" if isinstance(value, int) else f"{value:,.3f}".rstrip("0").rstrip(".")
    return _localised(language, text)


def exact(language: str, value: float) -> str:
    """A setting such as a threshold, with all its digits and no more."""
    return _localised(language, f"{value:g}")


def size(language: str, amount: float) -> str:
    """Bytes in the unit that suits them."""
    power = 0
    while amount >= 1000 and power < len(UNITS) - 1:
        amount, power = amount / 1000, power + 1
    shown = round(amount, 1) if amount < 10 and power else round(amount)
    return f"{number(language, shown)}{SPACE}{say(language, f'unit.{UNITS[power].lower()}')}"


def percent(language: str, share: float) -> str:
    """A share of one, with a decimal only where there is one; 0 % only where it is nothing."""
    shown = round(share * 100, 1)
    if share > 0 == shown:
        return say(language, "unit.under", n=f"{number(language, 0.1)}{SPACE}%")
    return f"{number(language, int(shown) if shown == int(shown) else shown)}{SPACE}%"


def span(language: str, seconds: float) -> str:
    """A span of time in one or two units."""
    if seconds < 1:
        return say(language, "unit.instant")
    minutes, rest = divmod(round(seconds), 60)
    hours, left = divmod(minutes, 60)
    if hours:
        parts = [(hours, "hours"), (left, "minutes")]
    elif minutes:
        parts = [(minutes, "minutes"), (rest if minutes < 5 else 0, "seconds")]
    else:
        parts = [(rest, "seconds")]
    return " ".join(f"{n}{SPACE}{say(language, f'unit.{unit}')}" for n, unit in parts if n)


def moment(seconds: float) -> str:
    """A moment of this machine's clock."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def preferred(accepted: str) -> str:
    """The language that a browser asks for (its Accept-Language header), among ours."""
    for part in accepted.split(","):
        name = part.split(";")[0].strip().lower().partition("-")[0]
        if name in LANGUAGES:
            return name
    return "en"


def _localised(language: str, text: str) -> str:
    return text.replace(",", SPACE).replace(".", ",") if language == "ru" else text


def _form(language: str, n: float) -> int:
    if language != "ru":
        return 0 if n == 1 else 1
    if n != int(n):
        return 1
    ones, tens = int(n) % 10, int(n) % 100
    if ones == 1 and tens != 11:
        return 0
    return 1 if 2 <= ones <= 4 and not 12 <= tens <= 14 else 2
