"""The shipped collection gives what its truth says, through the public door."""

from __future__ import annotations

import csv
import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import twinset

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
COLLECTION = EXAMPLES / "collection"
THRESHOLD = 0.75
Pair = tuple[str, str]


def pairs_of(found: Any) -> dict[Pair, float]:
    columns = (found.pairs[name].to_pylist() for name in ("left", "right", "score"))
    return {tuple(sorted((a, b))): score for a, b, score in zip(*columns, strict=True)}


def licences() -> list[dict[str, str]]:
    with (COLLECTION / "licenses.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def found() -> Any:
    return twinset.find(COLLECTION, threshold=THRESHOLD, exact=True)


def truth() -> set[Pair]:
    with (EXAMPLES / "truth.csv").open(newline="", encoding="utf-8") as rows:
        return {tuple(sorted((row["left"], row["right"]))) for row in csv.DictReader(rows)}


def is_own(pair: Pair) -> bool:
    return pair[0].startswith(("russian/", "html/"))


def test_texts_and_pages_match_the_truth(found: Any) -> None:
    assert {pair for pair in pairs_of(found) if is_own(pair)} == set(filter(is_own, truth()))


def test_the_truth_of_the_licences_is_their_key() -> None:
    keys = {row["id"]: row["licence"] for row in licences()}
    same = {
        pair
        for pair in itertools.combinations(sorted(keys), 2)
        if len({keys[i] for i in pair}) == 1
    }
    assert {pair for pair in truth() if not is_own(pair)} == same
    with (EXAMPLES / "clusters.csv").open(newline="", encoding="utf-8") as rows:
        assert {row["id"]: row["cluster"] for row in csv.DictReader(rows)} == keys


def test_the_showcase_measures_what_its_page_says(found: Any) -> None:
    default = twinset.evaluate(twinset.find(COLLECTION), EXAMPLES / "truth.csv")
    assert (round(default.precision, 2), round(default.recall, 2)) == (0.97, 0.67)
    everything = twinset.find(EXAMPLES)
    lists = {"truth.csv", "clusters.csv"}
    assert not lists & {Path(source).name for source in everything.documents["source"].to_pylist()}
    assert everything.manifest["counts"]["bad"] == 0


def test_the_default_misses_little_and_invents_nothing(found: Any) -> None:
    quick = pairs_of(twinset.find(COLLECTION, threshold=THRESHOLD, recall=0.99))
    exact = pairs_of(found)
    assert quick.items() <= exact.items()
    assert len(quick) >= 0.97 * len(exact)


def test_members_are_within_the_threshold_of_their_anchor(found: Any) -> None:
    scores = pairs_of(found)
    rows = found.clusters.to_pylist()
    assert rows
    for row in rows:
        if row["anchor"] != row["id"]:
            assert row["score"] >= THRESHOLD
            assert scores[tuple(sorted((row["id"], row["anchor"])))] == row["score"]


@pytest.mark.usefixtures("runs_here")
@pytest.mark.skipif(not (shutil.which("ar") and shutil.which("xz")), reason="ar or xz is missing")
def test_the_guide_is_made_from_its_packages(tmp_path: Path) -> None:
    body = " ".join(f"word{number}" for number in range(40))
    pages = {"ch01": f"Chapter 1. Disks</title>{body}", "ch02": f"2.1. Boot</title>{body[:90]}"}
    for number, machine in enumerate(
        ["amd64", "arm64", "armel", "armhf", "i386", "mips64el", "mipsel", "ppc64el", "s390x"]
    ):
        for page, text in [*pages.items(), ("ch03", f"3. Notes</title>only {machine} {number}")]:
            place = tmp_path / machine / "usr/share/doc" / f"installation-guide-{machine}" / "en"
            place.mkdir(parents=True, exist_ok=True)
            (place / f"{page}.html").write_text(f"<html><title>{text}</html>")
        package = tmp_path / "packages" / f"installation-guide-{machine}_20230508+deb12u1_all.deb"
        package.parent.mkdir(exist_ok=True)
        tar = ["tar", "-cJf", "data.tar.xz", "usr"]
        for command in (tar, ["ar", "qc", str(package), "data.tar.xz"]):
            subprocess.run(command, cwd=tmp_path / machine, check=True)
    script = EXAMPLES / "papers" / "prepare.sh"
    subprocess.run(
        [script, tmp_path], env=os.environ | {"PYTHON": sys.executable}, check=True, timeout=300
    )
    lists = {}
    for name in ("truth", "dontcare"):
        with (tmp_path / f"{name}.csv").open(newline="") as rows:
            lists[name] = {tuple(row.values()) for row in csv.DictReader(rows)}
    assert len((tmp_path / "guide.jsonl").read_text().splitlines()) == 27
    assert len(lists["truth"]) == 2 * 36
    assert ("amd64/en/ch01", "s390x/en/ch01") in lists["truth"]
    assert {(one[-4:], other[-4:]) for one, other in lists["dontcare"]} == {("ch03", "ch03")}
