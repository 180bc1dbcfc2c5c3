"""From a template's name and values to text, in the reader's language.

Jinja2 and the templates load at use; a template is compiled when it is first asked for.
"""

from __future__ import annotations

import re
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twinset._version import VERSION
from twinset.pages import language as languages
from twinset.pages.charts import draw
from twinset.pages.shown import brief, shown

if TYPE_CHECKING:
    from jinja2 import Environment

ROOM = Path(__file__).parent
STATIC = ROOM / "static"
AMOUNT = re.compile(r"[-–\d][\d\s.,–()%]*")
"""Cells of tables that stand in line at their end."""


def page(template: str, language: str, /, **values: Any) -> str:
    """A page or a part of one; besides ``values``, templates know what `known` lists."""
    return _environment().get_template(template).render(known(language) | values)


def known(language: str) -> dict[str, Any]:
    """What every template can use: sentences, amounts and charts in the reader's language."""
    from markupsafe import Markup

    return {
        "t": languages.speaker(language),
        "number": partial(languages.number, language),
        "exact": partial(languages.exact, language),
        "size": partial(languages.size, language),
        "percent": partial(languages.percent, language),
        "span": partial(languages.span, language),
        "moment": languages.moment,
        "draw": lambda chart: Markup(draw(chart, language)),
        "style": lambda *more, look="paper": Markup(
            "".join(map(style, ("style.css", f"{look}.css", *more)))
        ),
        "language": language,
        "languages": languages.LANGUAGES,
        "version": VERSION,
    }


@cache
def style(name: str = "style.css") -> str:
    """A style sheet: ``style.css`` of all pages and pictures, ``paper.css`` of pages to keep.

    ``notebook.css`` is for parts of notebooks, ``panes.css`` for two texts beside each other.
    """
    return (STATIC / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(ROOM / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"shown": shown, "brief": brief}
    environment.tests["amount"] = lambda cell: AMOUNT.fullmatch(str(cell)) is not None
    environment.tests["sentence"] = lambda key: languages.has_sentence("en", key)
    return environment
