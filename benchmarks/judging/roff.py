"""The text of a manual page out of its source, by rules of thumb: no typesetter is needed."""

from __future__ import annotations

import re

COMMENT = re.compile(r"^[.'](?:\s*)\\\".*\n?|\\\".*$", re.MULTILINE)
HEADING = re.compile(r"^\.\s*(?:SH|SS|Sh|Ss)\s+\"?(.*?)\"?\s*$", re.MULTILINE)
PARAGRAPH = re.compile(r"^\.\s*(?:PP|P|LP|TP|IP|HP|TQ|sp|Pp|It)\b(.*)$", re.MULTILINE)
FONT = re.compile(r"^\.\s*(?:BR|RB|IR|RI|BI|IB|B|I|SM|SB|UR|MT|Nm|Fl|Ar|Xr|Em|Li)\s+", re.MULTILINE)
REQUEST = re.compile(r"^[.'].*$\n?", re.MULTILINE)
TABLE = re.compile(r"^\.TS.*?^\.TE.*?$", re.MULTILINE | re.DOTALL)
CHARACTERS = {"(aq": "'", "(dq": '"', "(em": "-", "(en": "-", "(bu": "*", "(co": "©", "(ti": "~"}
ESCAPE = re.compile(r"\\(?:f\(..|f\[.*?\]|f.|s[-+]?\d|\[.*?\]|\(..|.)")


def plain(source: str) -> str:
    """The text of a page, headings and paragraphs apart."""
    source = COMMENT.sub("", source)
    source = TABLE.sub("", source)
    source = HEADING.sub(r"\n\n\1\n", source)
    source = PARAGRAPH.sub(lambda match: "\n" + _argument(match.group(1)), source)
    source = FONT.sub("", source)
    source = REQUEST.sub("", source)
    source = ESCAPE.sub(_character, source).replace('" "', " ").replace('"', "")
    return re.sub(r"\n{3,}", "\n\n", source).strip()


def names(source: str) -> set[str]:
    """The names that a page describes, by its first heading."""
    found = re.search(r"^\.SH\s+\"?NAME\"?\s*\n(.*?)\\-", source, re.MULTILINE | re.DOTALL)
    return set(re.findall(r"[\w.-]+", found.group(1))) if found else set()


def _argument(text: str) -> str:
    words = re.sub(r"\s+\d+n?$", "", text.strip()).strip('"')
    return "" if re.fullmatch(r"[\d.]*|\\\(bu|\*", words) else words + "\n"


def _character(match: re.Match[str]) -> str:
    escape = match.group(0)[1:]
    if escape.startswith(("f", "s")):
        return ""
    if escape in CHARACTERS:
        return CHARACTERS[escape]
    return {"-": "-", "e": "\\", " ": " ", "(": " "}.get(escape, "")
