"""Copies that a report holds are never preferred to the originals."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Twinset

TEXT = "the landlord lets the flat in the old street to the tenant from the first of May on. "


@pytest.mark.parametrize("keep", ["newest", "shortest-name", "folder:order=kept"])
def test_a_copy_in_a_report_goes_before_the_original(
    twinset: Twinset, tmp_path: Path, keep: str
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text(TEXT + f"This is {name} alone. " * 20)
    assert twinset("dedup", "in", "-o", "in/clean", "-q").returncode == 0
    kept = folder / "clean" / "kept"
    assert sorted(path.name for path in kept.iterdir()) == ["a.txt", "b.txt"]
    # a shell that spells the pattern out names the report itself
    named = ("in/a.txt", "in/b.txt", "in/clean")
    assert twinset("find", *named, "-o", "again", "-q", "--keep", keep).returncode == 0
    shown = twinset("clean", "again").stdout
    assert "written into a report" in shown
    assert twinset("clean", "again", "--move", "gone", "--yes").returncode == 0
    assert (folder / "a.txt").is_file()
    assert (folder / "b.txt").is_file()
    assert list(kept.iterdir()) == []


def test_copies_of_one_report_are_told_apart_as_ever(tmp_path: Path) -> None:
    import twinset
    from twinset.review.cleaning.ranking import Ranking
    from twinset.review.index import ReportIndex

    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(TEXT * 3)
    twinset.find(tmp_path).save(tmp_path / "r")
    ranking = Ranking.of(ReportIndex(twinset.open_report(tmp_path / "r")))
    assert not ranking.own.any()
    assert ranking.why(0, 1).name == "later"
