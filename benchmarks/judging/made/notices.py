"""Licence notices of packages, by the short name that their maintainers gave them.

True: the same licence, whoever holds the rights and however the text is wrapped: every notice
stands a second time as the head of a source file, with other names and comment marks. Hard ones:
other licences that share most of their wording (two, three and four clauses of BSD; GPL 2 and 3;
Expat and ISC). The kind is that of the licences that curators filed.
"""

from __future__ import annotations

import random
import re
import textwrap
from collections import defaultdict

from judging.builder import Builder
from judging.labelled import Collection
from judging.material import files, listed

STANZA = re.compile(r"^License: *(\S+) *\n((?:[ \t].*\n)+)", re.MULTILINE)
VAGUE = re.compile(r"other|custom|permissive|public-domain|bsd|gpl|lgpl|none|unknown|special")
LEAST = 40  # words
MOST = 18  # notices of one licence
HOLDERS = (
    "The Regents of the University",
    "Ada Novak",
    "Initech Software GmbH",
    "the authors listed in AUTHORS",
    "Free Widgets Foundation, Inc.",
    "J. R. Hartley and contributors",
)
MARKS = ("# ", " * ", "// ", ";; ", "-- ")


def make(seed: int = 1) -> Collection:
    """The notices in the copyright files of packages of three releases."""
    why = "Notices of one licence by its short name; one clause more makes another licence."
    builder = Builder("notices", "licences", why, seed=seed)
    notices: dict[str, dict[str, str]] = defaultdict(dict)
    for release, package in sorted(listed()):
        for _, text in files(release, package, r"^usr/share/doc/[^/]+/copyright$"):
            for number, (licence, body) in enumerate(STANZA.findall(text)):
                notice = re.sub(r"(?m)^ \.?$|^ ", "", body).strip()
                key = _key(licence)
                if len(notice.split()) >= LEAST and not VAGUE.fullmatch(key):
                    seen = notices[key]
                    seen.setdefault(notice, f"{release}/{package}/{number}/{licence}")
    for key in sorted(notices):
        chosen = sorted(notices[key].items(), key=lambda item: item[1])
        builder.rng.shuffle(chosen)
        for notice, name in chosen[:MOST]:
            builder.add(name, notice, key)
            builder.add(f"{name}/head", _head(notice, builder.rng), key)
    return builder.collection()


def _head(notice: str, rng: random.Random) -> str:
    """The notice as the head of a source file of somebody else's."""
    mark, holder = rng.choice(MARKS), rng.choice(HOLDERS)
    year = rng.randrange(1989, 2026)
    paragraphs = [f"Copyright (c) {year}, {holder}. All rights reserved."]
    paragraphs += re.split(r"\n\s*\n", re.sub(r"(?im)^copyright .*\n", "", notice))
    lines = []
    for paragraph in paragraphs:
        lines += textwrap.wrap(" ".join(paragraph.split()), rng.randrange(60, 90))
        lines.append("")
    return "\n".join(f"{mark}{line}".rstrip() for line in lines)


def _key(licence: str) -> str:
    """One spelling of a short name: ``GPL-2.0+`` is ``gpl-2+``, ``Expat`` is ``mit``."""
    key = licence.lower().replace(".0", "").replace("-or-later", "+").replace("-only", "")
    # Maintainers add whose text it is: bsd-3-clause-stanford.
    clauses = re.match(r"bsd-(\d)", key)
    return f"bsd-{clauses.group(1)}" if clauses else {"expat": "mit"}.get(key, key)
