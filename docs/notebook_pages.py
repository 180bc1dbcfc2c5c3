"""The notebooks as pages of the site, with the outputs that are saved in them.

A notebook ``x.ipynb`` becomes the page ``x.ipynb.md``. Its cards and charts are HTML, which would
not survive as a part of Markdown: places are left for them, and filled in the finished page. Each
is a tree of its own (a shadow root), so that the styles of the site stay out of it.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

SUFFIX = ".ipynb"
PLACE = '<div data-search-exclude data-output="{}"></div>'
PLACES = re.compile(PLACE.format(r"(\d+)"))
CARD = '<div data-search-exclude><template shadowrootmode="open">{}</template></div>'


def markdown_of(notebook: Path) -> str:
    """The cells, each followed by what it has shown."""
    parts: list[str] = []
    count = 0
    for cell in _cells(notebook):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(_fenced("python", source))
        for output in cell["outputs"]:
            if _html(output) is None:
                parts.append(_fenced("text", _text(output)))
            else:
                parts.append(PLACE.format(count))
                count += 1
    parts.insert(1, f'<a href="{notebook.name}" download>Download this notebook</a>')
    return "\n\n".join(parts) + "\n"


def filled(page: str, notebook: Path) -> str:
    """A finished page with the cards and charts at their places."""
    outputs = (_html(output) for cell in _cells(notebook) for output in cell.get("outputs", ()))
    cards = [html for html in outputs if html is not None]
    return PLACES.sub(lambda place: CARD.format(cards[int(place[1])]), page)


def _cells(notebook: Path) -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return cells


def _html(output: dict[str, Any]) -> str | None:
    lines = output.get("data", {}).get("text/html")
    return None if lines is None else "".join(lines)


def _text(output: dict[str, Any]) -> str:
    return "".join(output["text"] if "text" in output else output["data"]["text/plain"])


def _fenced(language: str, text: str) -> str:
    return f"```{language}\n{text.rstrip()}\n```"
