"""Which lines of a page are of a menu: links one behind the other, with no words between them.

Mark-up is gone where the lines of many pages are compared, so that these lines are told by a tab at
their end, which no comparison of words sees.
"""

from __future__ import annotations

import re

LEAST_LINKS = 5
"""The links of a menu, at least: fewer stand one behind the other in texts, too."""
MENU_END = "\t"

# Characters that Unicode keeps out of all texts.
_BEGIN, _END = "\ufdd0", "\ufdd1"
_MARKS = re.compile(f"[{_BEGIN}{_END}]")
_PIECE = re.compile(f"{_BEGIN}?[^{_BEGIN}{_END}]+")
_LINK = re.compile(r"<(/?)a(?=[\s>])[^<>]*>", re.IGNORECASE)


def with_links_marked(page: str) -> str:
    """The page with a mark at both ends of every link, for `with_menus_told`."""
    if _BEGIN in page or _END in page:
        page = _MARKS.sub("", page)
    return _LINK.sub(_marked, page)


def _marked(tag: re.Match[str]) -> str:
    return _END + tag.group() if tag.group(1) else tag.group() + _BEGIN


def with_menus_told(text: str) -> str:
    """The text without these marks, and with `MENU_END` behind the lines of menus."""
    if _BEGIN not in text:
        return text.replace(_END, "")
    lines: list[str] = []
    menu: list[int] = []
    links, is_open = 0, False
    for line in text.split("\n"):
        plain, is_linked = line, is_open
        if _BEGIN in line or _END in line:
            plain, is_linked = _MARKS.sub("", line), _is_linked(line, is_open)
            is_open = line.rfind(_BEGIN) > line.rfind(_END)
            links += line.count(_BEGIN)
            if not plain.strip(" "):  # blocks inside a link leave its marks on lines of their own
                continue
        if is_linked and plain.strip():
            menu.append(len(lines))
        elif menu and plain.strip():
            _tell(lines, menu, links)
            menu = []
        if not menu:
            links = 0
        lines.append(plain)
    _tell(lines, menu, links)
    return "\n".join(lines)


def _tell(lines: list[str], menu: list[int], links: int) -> None:
    if links >= LEAST_LINKS:
        for number in menu:
            lines[number] += MENU_END


def _is_linked(line: str, is_open: bool) -> bool:
    """Whether all words of a line with marks are in links."""
    for piece in _PIECE.findall(_BEGIN + line if is_open else line):
        if piece[0] != _BEGIN and any(map(str.isalnum, piece)):
            return False
    return True
