"""What the name of a file says: a copy, a draft, a date, final or signed, or which version.

Windows writes ``X - Copy (2).docx``, macOS ``X copy 2.docx``, GNOME ``X (another copy).docx``,
browsers ``X (1).docx`` or ``X(1).docx``, WPS ``X - 副本.docx``, each in the language of its user. A
number that may belong to the name is no mark: ``Report (2024)``, ``Chapter 2``.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

_COPY = {
    "copy": "of",
    "kopie": "von|van",
    "copie": "de|du",
    "copia": "de|del|di|do|da",
    "cópia": "de|do|da",
    "còpia": "de",
    "kopia": "|pliku|av",
    "kópia": "|súboru",
    "kopi": "av|af",
    "kopio": "",
    "kopija": "",
    "kopya": "",
    "kopyası": "",
    "koopia": "",
    "másolat": "",
    "копия": "",
    "копія": "",
    "копие": "|на",
    "копија": "",
    "αντίγραφο": "|από",
    "نسخة": "|من",
    "עותק": "|של",
    "สำเนา": "|ของ",
    "bản sao": "|của",
    "salinan": "|dari",
    "コピー": "",
    "사본": "",
    "복사본": "",
    "拷贝": "",
    "拷貝": "",
    "複製": "",
    "副本": "",
    "复件": "",
    "複本": "",
}
"""How desktops call a copy, and what joins that to a name behind it; empty where nothing does."""
_WORDS = unicodedata.normalize("NFKC", "|".join(_COPY))
_GLUED = "副本|复件|複本"
_NUMBER = r"(?:[\s_-]?\(?\d{1,3}\)?)?"
_COPY_OF = "|".join(
    rf"{word}(?:\s?\(\d{{1,3}}\))?"
    + (rf"(?:\s(?:{joint.strip('|')}))" if joint else "")
    + ("?" if joint.startswith("|") else "")
    for word, joint in _COPY.items()
)
_DRAFT = "draft|entwurf|brouillon|borrador|rascunho|bozza|szkic|roboczy|robocza|черновик"
_FINAL = (
    r"final|finale|endfassung|endgültig|définitif|définitive|definitivo|definitiva|ostateczna|"
    r"ostateczny|финал|финальн\w+|итог|итогов\w+|окончательн\w+"
)
_SIGNED = (
    r"signed|unterschrieben|unterzeichnet|signé|signée|firmado|firmada|firmato|firmata|assinado|"
    r"assinada|podpisany|podpisana|podpisane|подписан\w*"
)
_OLD = (
    "old|backup|bak|archived|alt|veraltet|sicherung|ancien|vieux|sauvegarde|viejo|antiguo|"
    "antigo|vecchio|stary|stara|старый|старая|старое|резервная"
)
_SEPARATOR = r"[\s_.,(\[–—-]"
# All of a row of them, or each would be tried as the first. "Xのコピー" has a particle instead.
_SEPARATED = rf"(?:^|(?<!{_SEPARATOR}){_SEPARATOR}+|[の的의]\s?)"
_END = r"[)\]]?$"
_MARKS = [
    ("copy", re.compile(pattern, re.IGNORECASE))
    for pattern in (
        rf"{_SEPARATED}(?:{_WORDS}){_NUMBER}{_END}",
        rf"(?:{_GLUED}){_NUMBER}{_END}",
        rf"\s?\([^()]*(?:\b(?:{_WORDS})|{_GLUED})\)$",
        r"\s?\(\d{1,2}\)$",
    )
]
_MARKS += [("draft", re.compile(rf"{_SEPARATED}(?:{_OLD}){_END}", re.IGNORECASE))]
_PREFIX = re.compile(rf"^(?:(?:{_COPY_OF})\s[\s~–—-]*|副本|复件)(?=\S)", re.IGNORECASE)
_DRAFT_WORD = re.compile(rf"(?:^|[\W_])(?:{_DRAFT})(?:$|[\W_\d])", re.IGNORECASE)
_FINISHED = [
    re.compile(rf"(?:^|[\W_])(?:{words})(?=$|[\W_\d])|{others}", re.IGNORECASE)
    for words, others in ((_FINAL, "最终|最終|최종|定稿"), (_SIGNED, "已签|签字版|署名済|서명본"))
]
_LEFT_BEHIND = re.compile(r"(?:~|\.(?:bak|old|orig|save|sav|tmp))$|^(?:~\$|\.~|#)", re.IGNORECASE)
_VERSION = re.compile(
    r"(?:^|[\s_.(\[-])(?:v|ver|vers|version|versión|versão|versione|wersja|rev|r|final|вер|версия"
    r"|ред)[\s._]?(\d{1,3})(?=$|[\s_.)\]-])",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"(?<!\d)((?:19|20)\d\d)(?:[-_. ]?(0[1-9]|1[0-2])(?:[-_. ]?(0[1-9]|[12]\d|3[01]))?)?(?!\d)"
)
MOST_VERSIONS = 1000


class NameMarks(NamedTuple):
    """How often a name says that it is a copy, or a draft or leftover, and its version or 1.

    ``finished`` is 1 for what is final, 2 for what is signed, 3 for both. ``date`` is year, month
    and day as far as they are there, and ``base`` the words of the name without all this, sorted.
    """

    copies: int
    drafts: int
    version: int
    finished: int = 0
    date: tuple[str, str, str] = ("", "", "")
    base: str = ""


def marks_of(name: str) -> NameMarks:
    """The marks in the name of a file, without its folder.

    >>> marks_of("Copy of Lease 2024 (1).docx")[:3]
    (2, 0, 1)
    """
    name = unicodedata.normalize("NFKC", name)
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
    version, dates = _VERSION.search(stem), _DATE.findall(stem)
    finished = sum(place for place, words in enumerate(_FINISHED, 1) if words.search(stem))
    rest = stem
    for pattern in (_VERSION, *_FINISHED, _DATE):
        rest = pattern.sub(" ", rest)
    return NameMarks(
        counts["copy"],
        counts["draft"],
        int(version[1]) if version else 1,
        finished,
        max(dates, default=("", "", "")),
        " ".join(sorted(re.findall(r"[^\W_]+", rest.casefold()))),
    )


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
