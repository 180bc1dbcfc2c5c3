"""The outside of every page: no script, nothing loaded, one style sheet inside.

``fragment`` is for places that have a page of their own, such as notebooks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

CHART_RULES = (".chart", ".bar", ".area", ".curve", ".grid", ".axis", ".cell", "path.mark")


def style() -> str:
    """The style sheet of pages and charts."""
    return files("twinset.report").joinpath("page.css").read_text(encoding="utf-8")


def page(title: str, header: str, sections: Iterable[str], footer: str) -> str:
    """A whole page; ``title`` is plain text, the rest is HTML."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n"
        f"<style>\n{style()}</style>\n</head>\n<body>\n{header}\n<main>\n"
        + "\n".join(filter(None, sections))
        + f"\n</main>\n{footer}\n</body>\n</html>\n"
    )


def fragment(body: str) -> str:
    """A part of someone else's page: the style sheet reaches nothing outside."""
    return f'<div class="twinset"><style>@scope {{\n{_scoped(style())}}}</style>{body}</div>'


def picture(chart: str) -> str:
    """A chart as an SVG file of its own."""
    colours = style().partition("* {")[0]
    rules = [line for line in style().splitlines() if line.startswith(CHART_RULES)]
    inside = "\n".join([colours, *rules, ".chart { background: var(--paper); }"])
    opened = chart.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    head, end, rest = opened.partition(">")
    return f"{head}{end}<style>{escape(inside, quote=False)}</style>{rest}\n"


def section(title: str, body: str) -> str:
    """A part of the page under a heading."""
    return f"<section>\n<h2>{escape(title)}</h2>\n{body}\n</section>"


def folded(title: str, body: str, opened: bool = False) -> str:
    """Something that opens on demand."""
    return f"<details{' open' if opened else ''}><summary>{escape(title)}</summary>{body}</details>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of plain texts."""
    top = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    body = "".join(
        f"<tr>{''.join(f'<td><bdi>{escape(cell)}</bdi></td>' for cell in row)}</tr>" for row in rows
    )
    return (
        f'<div class="scroll"><table><thead><tr>{top}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def figure(
    chart: str, caption: str, head: Sequence[str] = (), rows: Sequence[Sequence[str]] = ()
) -> str:
    """A chart with its caption and, folded, its numbers."""
    numbers = folded("The numbers", table(head, rows)) if rows else ""
    return f"<figure>{chart}<figcaption>{escape(caption)}</figcaption>{numbers}</figure>"


def footer(manifest: dict[str, object]) -> str:
    """Which version made the page, and when."""
    made = f"twinset {manifest['twinset']}"
    when = str(manifest.get("created", ""))
    return f"<footer><p>{escape(made)}{', ' + escape(when) if when else ''}</p></footer>"


def _scoped(css: str) -> str:
    """Rules of the page as rules of a part of one."""
    return css.replace(":root", ":scope").replace("body {", ".page {")
