"""Text of subtitles: SRT, WebVTT, SubStation Alpha and MicroDVD, without numbers and times."""

from __future__ import annotations

import re

from twinset.text.characters import unescaped

_TIMES = re.compile(r"^\s*[\d:.,]{4,20}\s*-->\s*[\d:.,]{4,20}")
_NUMBER = re.compile(r"^\ufeff?\s*\d{1,9}\s*$")
_FRAMES = re.compile(r"^\ufeff?\{\d{1,9}\}\{\d{0,9}\}")
_TAG = re.compile(r"</?[a-zA-Z0-9][^<>\n]{0,500}>|\{[^{}\n]{0,2000}\}")
_BREAK = re.compile(r"\\[Nn]")
_DIALOGUE, _FORMAT = "Dialogue:", "Format:"
_USUAL_FIELDS = 10
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


def ass_text(source: str) -> str:
    """The dialogue of an ASS or SSA file."""
    fields, shown = _USUAL_FIELDS, []
    in_events = False
    for line in source.splitlines():
        if line.startswith("["):
            in_events = line.lower().startswith("[events]")
        elif in_events and line.startswith(_FORMAT):
            fields = max(1, line.count(",") + 1)
        elif in_events and line.startswith(_DIALOGUE):
            spoken = line[len(_DIALOGUE) :].split(",", fields - 1)[-1]
            shown.append(_BREAK.sub("\n", spoken).replace("\\h", " "))
    return "".join(f"{_plain(line)}\n" for line in shown)


def frames_text(source: str) -> str:
    """The lines of a MicroDVD file, whose times are numbers of frames."""
    lines = (_FRAMES.sub("", line).replace("|", "\n") for line in source.splitlines())
    return "".join(f"{_plain(line)}\n" for line in lines)


def _plain(line: str) -> str:
    return unescaped(_TAG.sub("", line)).strip()
