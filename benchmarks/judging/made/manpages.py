"""Manual pages of two releases: the page of the same name is the same page, however it was revised.

Hard ones are natural: pages of neighbouring functions (``getuid`` and ``getgid``) share nearly all
their sentences. Where one page of the older release covers what two pages of the newer one do,
people could say either, and the pair counts neither way.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from judging import roff
from judging.builder import Builder
from judging.labelled import Collection
from judging.material import files

PAGES = 420
WORDS = 120


def make(seed: int = 1) -> Collection:
    """Pages of system calls and library functions, of 2020 and of 2024."""
    why = "The page of the same name in two releases, revised or not; no page of another name."
    builder = Builder("manpages", "man pages", why, seed=seed)
    older, newer = (_pages(release) for release in ("bullseye", "trixie"))
    common = sorted(older.keys() & newer.keys())
    chosen = sorted(builder.rng.sample(common, PAGES))
    described = {}
    for release, pages in (("2020", older), ("2024", newer)):
        for page in chosen:
            number = builder.add(f"{release}/{page}", roff.plain(pages[page]), page)
            described[number] = (page, roff.names(pages[page]))
    for one, (page, names) in described.items():
        for other, (second, others) in described.items():
            if one < other and page != second and names & others:
                builder.ignore(one, other)
    return builder.collection()


def _pages(release: str) -> dict[str, str]:
    pages = {}
    for name, source in files(release, "manpages-dev", r"/man[23]/[^/]+\.[23]\.gz$"):
        if len(source.split()) >= WORDS and not source.startswith(".so "):
            pages[PurePosixPath(name).name.removesuffix(".gz")] = source
    return pages
