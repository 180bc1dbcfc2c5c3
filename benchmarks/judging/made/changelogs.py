"""Changelogs that grow: an older release's changelog is contained in the newer one's.

Hard ones are natural: packages of one team have the same entries ("Declare compliance with Debian
Policy 4.6.0"), by the same people, over and over. Where a newer changelog was cut so far that no
entry is left in common, people could say either.
"""

from __future__ import annotations

import itertools
import re

from judging.builder import Builder
from judging.labelled import Collection
from judging.material import files, packages

RELEASES = ("bullseye", "bookworm", "trixie")
LONGEST = 20_000  # characters
LEAST = 60  # words


def make(seed: int = 1) -> Collection:
    """The changelogs of small packages in three releases, those of Debian and of their authors."""
    why = "The changelog of the same package, grown or cut since; no other package's."
    builder = Builder("changelogs", "changelogs", why, seed=seed)
    for package in packages("bullseye", r"^(lib.*-perl|python3-.*|ruby-.*|node-.*|r-cran-.*)$"):
        versions: dict[str, dict[str, int]] = {"changelog.Debian": {}, "changelog": {}}
        entries: dict[int, set[str]] = {}
        for release in RELEASES:
            for name, text in files(release, package, r"/changelog(\.Debian)?\.gz$"):
                title = name.rsplit("/", 1)[1].removesuffix(".gz")
                if len(text.split()) < LEAST or text in versions[title]:
                    continue
                number = builder.add(
                    f"{release}/{package}/{title}", text[:LONGEST], (package, title)
                )
                versions[title][text] = number
                entries[number] = set(re.findall(r"(?m)^\s+[*-] .*$", text[:LONGEST]))
        for numbers in versions.values():
            for one, other in itertools.combinations(numbers.values(), 2):
                if not entries[one] & entries[other]:
                    builder.ignore(one, other)
    return builder.collection()
