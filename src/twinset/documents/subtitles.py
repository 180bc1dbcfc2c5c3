"""Text of subtitles: SRT and WebVTT, without numbers and times."""

from __future__ import annotations

import re

from twinset.text.characters import unescaped

_TIMES = re.compile(r"^\s*[\d:.,]{4,20}\s*-->\s*[\d:.,]{4,20}")
_NUMBER = re.compile(r"^\ufeff?\s*\d{1,9}\s*$")
_TAG = re.compile(r"</?[a-zA-Z0-9][^<>\n]{0,500}>|\{[^{}\n]{0,2000}\}")
_ASIDE = ("NOTE", "STYLE", "REGION", "WEBVTT")


def cue_text(source: str) -> str:
    """The lines of an SRT or WebVTT file; what stands before a line of times is its name."""
    shown: list[str] = []
    for block in re.split(r"\n[ \t]*\n", source.replace("\r\n", "\n").replace("\r", "\n")):
        lines = block.strip("\n").split("\n")
        times = next((at for at, line in enumerate(lines[:3]) if _TIMES.match(line)), None)
        if times is not None:
            shown += lines[times + 1 :]
        elif not lines[0].lstrip("\ufeff").startswith(_ASIDE) and not _NUMBER.match(lines[0]):
            shown += lines
    return "".join(f"{_plain(line)}\n" for line in shown)


def _plain(line: str) -> str:
    return unescaped(_TAG.sub("", line)).strip()
