"""The commands end to end on a small collection."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
from pathlib import Path

import pytest

import twinset as library
from tests.cli.conftest import COMMAND, Twinset


def test_find_tells_and_saves(twinset: Twinset, corpus: Path) -> None:
    done = twinset("find", corpus, "-o", "out")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Of 5 documents, 3 are in clusters")
    assert "report.html" in done.stdout
    assert "done in" in done.stderr
    pairs = library.open_report(corpus.parent / "out").pairs.to_pylist()
    assert {(row["left"], row["right"]) for row in pairs} == {("a", "b"), ("a", "c"), ("b", "c")}


def test_find_is_what_the_library_finds(twinset: Twinset, corpus: Path, report: Path) -> None:
    findings = library.find(corpus, 0.5, exact=True)
    saved = library.open_report(report)
    for name in ("documents", "pairs", "clusters"):
        assert getattr(saved, name).to_pylist() == getattr(findings, name).to_pylist()


def test_show_lists_clusters(twinset: Twinset, report: Path) -> None:
    done = twinset("show", report)
    assert "weakest" in done.stdout
    assert "a, b, c" in done.stdout
    told = json.loads(twinset("show", report, "--json").stdout)
    assert told["clusters"][0]["size"] == 3


def test_show_a_cluster_with_its_texts(twinset: Twinset, report: Path) -> None:
    done = twinset("show", report, "--cluster", "0")
    assert "one two three" in done.stdout
    assert "anchor" in done.stdout
    missing = twinset("show", report, "--cluster", "7")
    assert missing.returncode == 1
    assert "no cluster 7" in missing.stderr


def test_show_what_a_cluster_shares(twinset: Twinset, corpus: Path, report: Path) -> None:
    done = twinset("show", report, "--cluster", "0", "--shared")
    assert "3 documents share 60 of the 61 words of a, in 1 passage" in done.stdout
    assert "- one two three" in done.stdout
    told = json.loads(twinset("show", report, "--cluster", "0", "--shared", "--json").stdout)
    assert told["shared"]["documents"] == ["a", "b", "c"]
    assert told["shared"]["passages"][0].endswith("nineteen twenty")
    assert "name it by --cluster N" in twinset("show", report, "--shared").stderr
    corpus.unlink()
    done = twinset("show", report, "--cluster", "0", "--shared")
    assert "gone or has changed" in done.stderr + done.stdout


def test_show_differences(twinset: Twinset, report: Path) -> None:
    done = twinset("show", report, "--pair", "c", "a")
    assert "[-finish-]" in done.stdout
    assert "{+end+}" in done.stdout
    assert "words …" in done.stdout
    unlisted = twinset("show", report, "--pair", "a", "d")
    assert "not listed as a pair" in unlisted.stdout


def test_show_never_sends_control_characters(twinset: Twinset, report: Path) -> None:
    done = twinset("show", report, "--pair", "a", "e")
    assert "\x1b" not in done.stdout
    assert "\\x1b[31mred" in done.stdout


def test_plan_solves_and_draws(twinset: Twinset) -> None:
    done = twinset("plan", "-t", "0.8", "--recall", "0.99")
    assert "bands of" in done.stdout
    assert "<- threshold" in done.stdout
    told = json.loads(twinset("plan", "--json").stdout)
    at = {row[0]: row[1] for row in told["chances"]}
    assert at[0.8] >= 0.99


def test_plan_predicts_the_cost(twinset: Twinset, corpus: Path) -> None:
    told = json.loads(twinset("plan", corpus, "--json").stdout)
    assert told["cost"]["documents"] == 5
    assert told["cost"]["bytes"] == corpus.stat().st_size
    assert "expect about 5 documents" in twinset("plan", corpus).stdout


def test_methods(twinset: Twinset) -> None:
    listed = twinset("list", "parts").stdout
    assert "oph" in listed
    assert "longsent (A4, Long Sent)" in listed
    assert "tf (A1) " in listed
    assert twinset("list", "parts", "A12").stdout.startswith("threefive (A12, 3+5) (method)")
    one = twinset("list", "parts", "oph").stdout
    assert "size=128" in one
    assert "fast|matrix" in one
    told = json.loads(twinset("list", "parts", "oph", "--json").stdout)
    assert told["image"]["oph"]["options"][0]["name"] == "size"


def test_version(twinset: Twinset) -> None:
    assert twinset("--version").stdout == f"twinset {library.__version__}\n"


def test_plain_characters_where_the_terminal_has_no_others() -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [*COMMAND, "plan"], capture_output=True, text=True, env=environment, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert "####" in done.stdout


def test_read_is_a_function(corpus: Path) -> None:
    import twinset
    import twinset.reading

    documents = twinset.read(corpus, on_error="stop")
    assert sum(len(batch) for batch in documents.batches()) == 5
    assert inspect.isfunction(twinset.read)
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        twinset.read(corpus, colour="red")
    with pytest.raises(library.PlanError, match="html"):
        twinset.read(corpus, html="maybe")


def test_find_takes_what_read_returns(corpus: Path) -> None:
    found = library.find(library.read(corpus), threshold=0.5)
    assert found.manifest["counts"]["documents"] == 5
    assert library.find([corpus], threshold=0.5).pairs.equals(found.pairs)


def test_dedup_splits_the_input(twinset: Twinset, corpus: Path) -> None:
    done = twinset("dedup", corpus, "-o", "out", "-t", "0.5", "-q")
    assert done.returncode == 0, done.stderr
    assert "Kept 3 documents → out/kept.jsonl\nRemoved 2 documents" in done.stdout
    out = corpus.parent / "out"
    lines = corpus.read_text(encoding="utf-8").splitlines()
    assert (out / "kept.jsonl").read_text(encoding="utf-8").splitlines() == [lines[0], *lines[3:]]
    assert (out / "removed.jsonl").read_text(encoding="utf-8").splitlines() == lines[1:3]
    rows = (out / "removals.csv").read_text().splitlines()
    assert rows[1] == '"b","a",1,"equal features"'
    assert rows[2].startswith('"c","a",0.')
    assert rows[2].endswith('"near-duplicate"')


@pytest.mark.parametrize("clusters", ["components", "cliques"])
def test_dedup_names_the_kept_one_whatever_the_clusters(
    twinset: Twinset, corpus: Path, clusters: str
) -> None:
    done = twinset("dedup", corpus, "-o", "out", "-t", "0.5", "--clusters", clusters, "-q")
    assert done.returncode == 0, done.stderr
    rows = (corpus.parent / "out" / "removals.csv").read_text().splitlines()
    assert [row.split(",")[:2] for row in rows[1:]] == [['"b"', '"a"'], ['"c"', '"a"']]


def test_sets_go_to_a_file(twinset: Twinset, tmp_path: Path) -> None:
    (tmp_path / "t.dat").write_text("1 2 3\n1 2 3\n1 2\n")
    mine = ("lab", "mine", "t.dat", "--support", "2", "-o", "sets.txt")
    assert twinset(*mine).stdout == "1 maximal set: sets.txt\n"
    assert (tmp_path / "sets.txt").read_text() == "1 2 3 2\n"
    again = twinset(*mine)
    assert again.returncode == 1
    assert "sets.txt exists: choose another name, or --force" in again.stderr
    printed = json.loads(twinset(*mine, "--force", "--closed", "--json").stdout)
    assert printed == {"file": "sets.txt", "count": 2, "kind": "closed", "support": 2}
