"""What the name of a file says: a copy, a draft, or which version, as desktops and people write it.

Windows writes ``X - Copy (2).docx``, macOS ``X copy 2.docx``, GNOME ``X (another copy).docx``,
browsers ``X (1).docx`` or ``X(1).docx``, each in the language of its user. A number that may belong
to the name is no mark: ``Report (2024)``, ``Chapter 2``.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

# English, German, French, Spanish and Italian, Portuguese, Polish, Russian
_COPY = "copy|kopie|copie|copia|c[oó]pia|kopia|копия"
_COPY_OF = (
    r"cop(?:y|ie|ia) (?:\(\d{1,3}\) )?(?:of|de|di|du|do|da)|c[oó]pia (?:\(\d{1,3}\) )?d[eoa]|"
    r"kopie (?:\(\d{1,3}\) )?von|kopia(?: \(\d{1,3}\))?(?: pliku)?|копия(?: \(\d{1,3}\))?"
)
_DRAFT = "draft|entwurf|brouillon|borrador|rascunho|bozza|szkic|roboczy|robocza|черновик"
_OLD = (
    "old|backup|bak|archived|alt|veraltet|sicherung|ancien|vieux|sauvegarde|viejo|antiguo|"
    "antigo|vecchio|stary|stara|старый|старая|старое|резервная"
)
_SEPARATOR = r"[\s_.,(\[–—-]"
# All of a row of them, or each would be tried as the first.
_SEPARATED = rf"(?:^|(?<!{_SEPARATOR}){_SEPARATOR}+)"
_END = r"[)\]]?$"
_MARKS = [
    ("copy", re.compile(pattern, re.IGNORECASE))
    for pattern in (
        rf"{_SEPARATED}(?:{_COPY})(?:[\s_-]?\(?\d{{1,3}}\)?)?{_END}",
        rf"\s?\([^()]*\b(?:{_COPY})\)$",
        r"\s?\(\d{1,2}\)$",
    )
]
_MARKS += [("draft", re.compile(rf"{_SEPARATED}(?:{_OLD}){_END}", re.IGNORECASE))]
_PREFIX = re.compile(rf"^(?:{_COPY_OF})\s+(?=\S)", re.IGNORECASE)
_DRAFT_WORD = re.compile(rf"(?:^|[\W_])(?:{_DRAFT})(?:$|[\W_\d])", re.IGNORECASE)
_LEFT_BEHIND = re.compile(r"(?:~|\.(?:bak|old|orig|save|sav|tmp))$|^(?:~\$|\.~|#)", re.IGNORECASE)
_VERSION = re.compile(
    r"(?:^|[\s_.(\[-])(?:v|ver|vers|version|versión|versão|versione|wersja|rev|r|вер|версия|ред)"
    r"[\s._]?(\d{1,3})(?=$|[\s_.)\]-])",
    re.IGNORECASE,
)
MOST_VERSIONS = 1000


class NameMarks(NamedTuple):
    """How often a name says that it is a copy, or a draft or leftover, and its version or 1."""

    copies: int
    drafts: int
    version: int


def marks_of(name: str) -> NameMarks:
    """The marks in the name of a file, without its folder.

    >>> marks_of("Copy of Lease (1).docx")
    NameMarks(copies=2, drafts=0, version=1)
    """
    name = unicodedata.normalize("NFC", name)
    counts = {"copy": 0, "draft": 0}
    while leftover := _LEFT_BEHIND.search(name):
        counts["draft"] += 1
        name = name[: leftover.start()] + name[leftover.end() :]
    stem, dot, suffix = name.rpartition(".")
    # "v1.2" and "Lease. Copy" end in no suffix
    stem = stem if dot and stem and len(suffix) <= 5 and " " not in suffix else name
    while (cut := _cut(stem, counts)) != stem:
        stem = cut
    if _DRAFT_WORD.search(stem):
        counts["draft"] += 1
    version = _VERSION.search(stem)
    return NameMarks(counts["copy"], counts["draft"], int(version[1]) if version else 1)


def _cut(stem: str, counts: dict[str, int]) -> str:
    """The stem without its first mark, which is counted; a stem that is nothing else stays."""
    for kind, pattern in _MARKS:
        if (mark := pattern.search(stem)) and mark.start():
            counts[kind] += 1
            return stem[: mark.start()]
    if prefix := _PREFIX.match(stem):
        counts["copy"] += 1
        return stem[prefix.end() :]
    return stem
