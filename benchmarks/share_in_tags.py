"""The share of characters in tags, and what is taken for a page by it.

    python benchmarks/share_in_tags.py [FOLDER ...]

The pages are those of ../shared/data/debian_guide_html, once whole and once their bodies alone. Of
the folders, all files that hold text are judged by their content alone, kind by kind. By these
numbers the bounds in `twinset.text.pages` were chosen; docs/reference/reading.md tells them.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from twinset.text.page_bounds import LEAST_IN_TAGS
from twinset.text.pages import is_page, share_in_tags

PAGES = Path(__file__).parents[2] / "shared" / "data" / "debian_guide_html" / "docs.jsonl.gz"
BODY = re.compile(r"<body[^>]*>(.*?)(?:</body>|$)", re.DOTALL | re.IGNORECASE)
HEAD = 16_384
MOST = 3_000  # files of a kind: every n-th is taken where there are more


def row(name: str, texts: Iterable[str]) -> str:
    """Least, median and greatest share, and how many reach the bound."""
    shares = sorted(share_in_tags(text[:HEAD]) for text in texts)
    if not shares:
        return f"{name:32} none"
    reach = sum(share >= LEAST_IN_TAGS for share in shares) / len(shares)
    middle = shares[len(shares) // 2]
    return (
        f"{name:32} {len(shares):6,}  {shares[0]:.3f}  {middle:.3f}  {shares[-1]:.3f}  {reach:.1%}"
    )


def texts_of(folders: list[str]) -> dict[str, list[Path]]:
    """The files of the folders by kind, the commonest kinds first."""
    kinds: dict[str, list[Path]] = {}
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file() and not path.is_symlink():
                name = Path(path.stem) if path.suffix == ".gz" else path
                kinds.setdefault(name.suffix.lower() or "no suffix", []).append(path)
    return dict(sorted(kinds.items(), key=lambda kind: -len(kind[1])))


def content(path: Path) -> str | None:
    """The first 200 kB of a file, None where it holds no text or next to none."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            raw = file.read(200_000)
    except (OSError, EOFError):
        return None
    text = raw.decode("utf-8", "replace")
    return None if "\0" in text or len(text) < 200 else text


def main() -> None:
    """Print the tables."""
    print(f"{'':32} {'texts':>6}  least  median most   {LEAST_IN_TAGS:g} or more")
    if PAGES.is_file():
        with gzip.open(PAGES, "rt", encoding="utf-8") as lines:
            pages = [json.loads(line)["text"] for line in lines]
        bodies = [match.group(1).strip() for page in pages if (match := BODY.search(page))]
        print(row("pages", pages))
        print(row("bodies", bodies))
        recognised = sum(map(is_page, bodies)) / len(bodies)
        print(f"of the bodies, {recognised:.1%} are taken for pages")
    print(f"\n{'':16} {'texts':>6}  taken for pages")
    for kind, paths in texts_of(sys.argv[1:]).items():
        texts = [
            (path, text) for path in paths[:: len(paths) // MOST + 1] if (text := content(path))
        ]
        taken = [path for path, text in texts if is_page(text)]
        if texts:
            print(f"{kind:16} {len(texts):6,}  {len(taken):6,}  {'; '.join(map(str, taken[:3]))}")


if __name__ == "__main__":
    main()
