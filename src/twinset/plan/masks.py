"""Masks: what of a text is left out of the comparison, as dates or whatever an expression matches.

Expressions are those of RE2 [Cox 2010; github.com/google/re2], which Arrow brings: the time they
take grows with the text and never runs away, and none looks ahead, behind or back at a group.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pyarrow as pa

from twinset.errors import did_you_mean
from twinset.model import compute as pc

_BLANK = r"[\s\x{a0}\x{202f}]+"
_MONTH = (
    "(?:jan(?:uary?|uar)?|feb(?:ruary?|ruar)?|mar(?:ch)?|märz|apr(?:il)?|ma[iy]|jun[ei]?|jul[iy]?"
    "|aug(?:ust)?|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?"
    "|янв(?:ар[ья])?|фев(?:рал[ья])?|мар(?:та?)?|апр(?:ел[ья])?|ма[йя]|ию[нл][ья]?|авг(?:уста?)?"
    r"|сен(?:т(?:ябр[ья])?)?|окт(?:ябр[ья])?|ноя(?:б(?:р[ья])?)?|дек(?:абр[ья])?)\.?"
)
_WEEKDAY = r"(?:mon|tue|wed|thu|fri|sat|sun)(?:s|nes|rs|ur)?(?:day)?\.?,?"
_DAY, _NUMBERED_MONTH = r"(?:[12]\d|3[01]|0?[1-9])", r"(?:1[0-2]|0?[1-9])"
_ZONE = r"(?:\s?[+-]\d\d:?\d\d\b|\s?(?-i:Z|UTC|GMT|MSK|BST|IST|JST|CES?T|EES?T|[ECMP][SD]T)\b)"
_TIME = rf"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?(?:\s?[ap]\.?m\b\.?)?{_ZONE}?"
_DATE = "|".join(
    (
        rf"\d{{4}}-{_NUMBERED_MONTH}-{_DAY}(?:T{_TIME}|\b)",
        rf"\d{{4}}[./]{_NUMBERED_MONTH}[./]{_DAY}\b",
        rf"{_DAY}[./-]{_DAY}[./-](?:\d{{4}}|\d\d)\b",  # whether day or month comes first
        rf"{_DAY}(?:st|nd|rd|th|\.)?{_BLANK}(?:of\s)?{_MONTH},?{_BLANK}\d{{4}}\b",
        rf"{_MONTH}{_BLANK}{_DAY}(?:st|nd|rd|th)?,?{_BLANK}\d{{4}}\b",
    )
)
MASKS = {
    "urls": r"(?i)(?:\b(?:https?|ftp)://|\bwww\.)[^\s<>\"]*[^\s<>\".,;:!?)\]'»]",
    "emails": r"[\pL\pN._%+-]+@[\pL\pN-]+(?:\.[\pL\pN-]+)+",
    "dates": rf"(?i)\b(?:(?:{_WEEKDAY}{_BLANK})?(?:{_DATE})(?:,?{_BLANK}(?:at\s)?{_TIME})?"
    rf"|{_TIME})",
    "numbers": r"\p{Nd}+(?:[.,:/'’\x{a0}\x{202f}-]\p{Nd}+)*",
}
"""Expressions that have a name, in the order in which they are applied."""
LONGEST = 1000
"""Characters of an expression."""
_PROBES = pa.array(["", "a", "1 -", " a.\n"], pa.large_string())


def expressions(masks: Sequence[str]) -> dict[str, str]:
    """What each mask matches: first those of the user as given, then named ones in their order.

    So no digits are taken out of a date before dates are looked for.
    """
    own = {mask: mask for mask in masks if mask not in MASKS}
    return own | {name: MASKS[name] for name in MASKS if name in masks}


def mask_faults(masks: Sequence[str], *, raw: bool) -> Iterator[str]:
    """What is wrong with masks, a sentence each; ``raw``: the method compares bytes."""
    if raw:
        yield (
            "mask leaves text out, and the method compares raw bytes: let md5 take words or text, "
            "or leave mask out"
        )
    for mask in masks:
        if fault := None if mask in MASKS else _fault(mask):
            yield f"mask '{mask[:60]}': {fault}"


def _fault(mask: str) -> str:
    if len(mask) > LONGEST:
        return f"it has {len(mask):,} characters: write at most {LONGEST:,}"
    if mask.isalpha() and (meant := did_you_mean(mask, MASKS)):
        return f"{meant}Write ({mask}) for an expression"
    try:
        matches = pc.match_substring_regex(_PROBES, pattern=mask)
        left = pc.replace_substring_regex(_PROBES, pattern=mask, replacement="")
    except (ValueError, UnicodeError) as fault:
        what = str(fault).removeprefix("Invalid regular expression: ")
        return (
            f"{what[:80]} (at character {_place(mask, what) + 1}): correct it, and put a backslash "
            r"before a sign that stands for itself; RE2 knows no (?=, (?!, (?< and \1"
        )
    if pc.any(pc.and_(matches, pc.equal(left, _PROBES))).as_py():
        return "it also matches where nothing stands (at character 1): ask for a sign, x+ for x*"
    return ""


def _place(mask: str, what: str) -> int:
    """Where in an expression a fault is: what Python says, or else the piece that RE2 names."""
    try:
        re.compile(mask)
    except (re.error, RecursionError, OverflowError) as fault:
        return getattr(fault, "pos", 0) or 0
    return max(mask.find(what.rpartition(": ")[2]), 0)
