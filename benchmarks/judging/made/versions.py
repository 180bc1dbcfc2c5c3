"""Pages of manuals in HTML, as two releases built them: the page of the same address and title.

Hard ones: other pages of the same manual, with its navigation, its headings and its way of saying
things around texts that differ (the release notes of two versions; two functions of an interface).
"""

from __future__ import annotations

import re

from judging.builder import Builder
from judging.labelled import Collection
from judging.material import files

MANUALS = {
    "sqlite3-doc": (r"/sqlite3/(c3ref|releaselog)/[^/]*\.html$", 400),
    "debian-policy": (r"/policy\.html/ch-[^/]*\.html$|perl-policy\.html/", 60),
    "developers-reference": (
        r"developers-reference/[^/]*\.en\.html$|developers-reference/[^/]*\.html$",
        40,
    ),
    "debian-reference-en": (r"debian-reference/[^/]*\.en\.html$", 40),
    "debian-faq": (r"FAQ/[^/]*\.en\.html$", 40),
    "git-doc": (r"git-doc/git[^/]*\.html$", 120),
}
LONGEST = 40_000  # characters
ONCE = 0.5  # the share of pages of which only one build is there


def make(seed: int = 1) -> Collection:
    """Pages of six manuals, of the releases of 2021 and 2023."""
    why = "The page of the same address and title in two builds of a manual; no other page of it."
    builder = Builder("versions", "versions", why, seed=seed, html=True)
    for package, (pattern, most) in MANUALS.items():
        older, newer = (
            {name: text for name, text in files(release, package, pattern) if len(text) <= LONGEST}
            for release in ("bullseye", "bookworm")
        )
        common = [name for name in older.keys() & newer.keys() if _same(older[name], newer[name])]
        chosen = builder.rng.sample(sorted(common), min(most, len(common)))
        once = set(builder.rng.sample(chosen, int(len(chosen) * ONCE)))
        for release, pages in (("2021", older), ("2023", newer)):
            for name in chosen:
                if release == "2021" and name in once:
                    continue
                builder.add(f"{release}/{name.removeprefix('usr/share/')}", pages[name], name)
    return builder.collection()


def _same(one: str, other: str) -> bool:
    return _title(one) == _title(other)


def _title(page: str) -> str:
    title = re.search(r"<title>(.*?)</title>", page, re.DOTALL | re.IGNORECASE)
    words = re.sub(r"[\d.]+|\s+", " ", title.group(1)) if title else ""
    return " ".join(words.split()).lower()
