"""Named sets of keep policies: saved, listed, forgotten, and checked before they are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from twinset.errors import PlanError, ReportError
from twinset.review.cleaning.priorities import FILE, PrioritySets


def test_sets_are_kept_under_their_names(tmp_path: Path) -> None:
    sets = PrioritySets(tmp_path / "home")
    assert sets.all() == {}
    sets.save("longest first", ["longest", "first"])
    sets.save(" short  ones ", ["shortest"])
    assert PrioritySets(tmp_path / "home").all() == {
        "longest first": ("longest", "first"),
        "short ones": ("shortest",),
    }
    sets.save("longest first", ["date:max"])
    assert sets.all()["longest first"] == ("date:max",)
    sets.forget("short ones")
    assert list(sets.all()) == ["longest first"]


def test_a_set_that_cannot_work_is_refused(tmp_path: Path) -> None:
    sets = PrioritySets(tmp_path)
    for name, policies in (("", ["first"]), ("x" * 81, ["first"]), ("a", []), ("a", ["lngest"])):
        with pytest.raises(PlanError):
            sets.save(name, policies)
    assert sets.all() == {}


def test_a_damaged_file_counts_as_empty_and_unknown_policies_are_left_out(tmp_path: Path) -> None:
    file = tmp_path / FILE
    for damaged in ("{", "[]", '{"sets": 7}', '{"sets": {"a": ["nonsense"], "b": [1], "c": 2}}'):
        file.write_text(damaged, encoding="utf-8")
        assert PrioritySets(tmp_path).all() == {}
    PrioritySets(tmp_path).save("a", ["first"])
    assert PrioritySets(tmp_path).all() == {"a": ("first",)}


def test_a_home_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file", encoding="utf-8")
    with pytest.raises(ReportError, match="not saved"):
        PrioritySets(tmp_path / "home").save("a", ["first"])
