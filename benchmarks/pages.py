"""Tables in Markdown, and the places of the manual that take them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]], rule: str = "---") -> str:
    """A table; ``---:`` puts all columns but the first to the right."""
    lines = [f"| {' | '.join(cells)} |" for cells in (head, *rows)]
    return "\n".join([lines[0], f"|---|{f'{rule}|' * (len(head) - 1)}", *lines[1:]])


def filled(page: str, name: str, text: str) -> str:
    """The page with something new between its two marks of this name."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, found, rest = page.partition(begin)
    _, also, after = rest.partition(end)
    if not found or not also:
        raise SystemExit(f"the page has no place for '{name}': add {begin} and {end}")
    return f"{before}{begin}\n{text}\n{end}{after}"
