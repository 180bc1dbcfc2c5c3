"""The share of characters in tags: of HTML pages, and of texts that begin with a tag.

    python benchmarks/share_in_tags.py [FOLDER ...]

The pages are those of ../shared/data/debian_guide_html, once whole and once their bodies alone. The
texts are the Markdown, reStructuredText, C and C++ files of the folders that begin with "<". By
these numbers `twinset.text.clean.LEAST_IN_TAGS` was chosen; docs/reading.md tells them.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from twinset.text.clean import LEAST_IN_TAGS, share_in_tags

PAGES = Path(__file__).parents[2] / "shared" / "data" / "debian_guide_html" / "docs.jsonl.gz"
BODY = re.compile(r"<body[^>]*>(.*?)(?:</body>|$)", re.DOTALL | re.IGNORECASE)
KINDS = {
    "Markdown": (".md",),
    "reStructuredText": (".rst",),
    "C and C++": (".c", ".h", ".cpp", ".hpp"),
}
HEAD = 16_384


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


def files(folders: list[str], suffixes: tuple[str, ...]) -> Iterable[str]:
    """The files of these kinds that begin with a tag, or seem to."""
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            if path.suffix in suffixes and path.is_file():
                text = path.read_text(encoding="utf-8", errors="replace")
                if len(text) > 200 and text.lstrip().startswith("<"):
                    yield text


def main() -> None:
    """Print the table."""
    print(f"{'':32} {'texts':>6}  least  median most   {LEAST_IN_TAGS:g} or more")
    if PAGES.is_file():
        with gzip.open(PAGES, "rt", encoding="utf-8") as lines:
            pages = [json.loads(line)["text"] for line in lines]
        print(row("pages", pages))
        print(row("bodies", (m.group(1).strip() for page in pages if (m := BODY.search(page)))))
    for name, suffixes in KINDS.items():
        print(row(f"{name} files", files(sys.argv[1:], suffixes)))


if __name__ == "__main__":
    main()
