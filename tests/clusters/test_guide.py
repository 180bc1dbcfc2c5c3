"""The false cluster of the Debian guide that ``docs/explanation/closed-sets.md`` tells of."""

from __future__ import annotations

from pathlib import Path

import pytest

import twinset
from twinset.result.passages import SharedReader

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT.parent / "shared" / "data" / "debian_guide_html" / "docs.jsonl.gz"
PC = {"amd64", "i386"}
OLD = {"armel", "armhf", "mips64el", "mipsel"}
ALL = PC | OLD | {"arm64", "ppc64el", "s390x"}

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not GUIDE.is_file(), reason=f"there is no {GUIDE}"),
]


def pages(machines: set[str], *languages: str) -> frozenset[str]:
    return frozenset(f"{machine}/{tongue}/ch04s01" for machine in machines for tongue in languages)


def test_the_page_in_two_languages() -> None:
    found = twinset.find(
        GUIDE, clusters="closed", k=85, image="bottom:size=100", html="yes", page_text="whole"
    )
    told = found.manifest["closed"]["false_clusters"]
    assert told.startswith("of 305 components 10 hold pairs below the threshold, and 12 are not")
    (worst,) = (
        row
        for row in found.more["components"].to_pylist()
        if (row["left"], row["right"]) == ("amd64/en/ch04s01", "arm64/ru/ch04s01")
    )
    assert (worst["documents"], worst["shared"], worst["chained"]) == (18, 75, True)
    members: dict[tuple[int, int], set[str]] = {}
    for row in found.clusters.to_pylist():
        members.setdefault((row["cluster"], row["shared"]), set()).add(row["id"])
    sets = {
        frozenset(ids): support
        for (_, support), ids in members.items()
        if ids & pages(ALL, "en", "ru")
    }
    wanted = {
        pages(ALL, "en"): (90, 431, 461),
        pages(ALL, "ru"): (89, 425, 455),
        pages(PC, "en", "ru"): (85, 396, 461),
        pages(OLD, "en", "ru"): (85, 371, 436),
        pages({"arm64"}, "en", "ru"): (85, 376, 441),
        pages({"ppc64el"}, "en", "ru"): (85, 376, 441),
        pages({"s390x"}, "en", "ru"): (85, 370, 435),
    }
    assert sets == {ids: support for ids, (support, _, _) in wanted.items()}
    quoted = "By far the easiest way to install Debian GNU/Linux is from a set of official Debian"
    texts = found.texts(sorted(pages(ALL, "en", "ru")))  # once: the guide is read again for it
    reader = SharedReader(found)
    for ids, figures in wanted.items():
        shared = reader.of({id: texts[id] for id in sorted(ids)})
        assert (shared.covered, shared.units) == figures[1:]
        assert any(quoted in passage for passage in shared.passages)
        pc = any("which is the case on all modern PCs," in one for one in shared.passages)
        assert pc == (ids <= pages(PC, "en", "ru"))
    for machine in ALL:
        english, russian = (f"{machine}/{tongue}/ch04s01" for tongue in ("en", "ru"))
        assert "As CDs have a rather limited capacity" in " ".join(texts[english].split())
        assert "При сегодняшних объёмах, на CD-диск" in " ".join(texts[russian].split())
