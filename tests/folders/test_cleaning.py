"""What is proposed to go in made folders, judged by how their files came to be."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import twinset
from tests.folders.maker import make_folder
from tests.folders.trial import MINUTE, SPREAD, trial_folder
from tests.folders.truth import Score, Truth, score
from twinset.review import opened
from twinset.review.cleaning.cleaning import FolderCleaning

SEEDS = (1, 2, 3)


@dataclass
class Searched:
    """A made folder, what was found in it, and what is proposed to go."""

    truth: Truth
    findings: Any
    removed: dict[str, str]
    score: Score

    def kind(self, left: str, right: str) -> str | None:
        """The kind of a listed pair."""
        for row in self.findings.pairs.to_pylist():
            if {row["left"], row["right"]} == {left, right}:
                return str(row["kind"])
        return None


@pytest.fixture(scope="module", params=SEEDS)
def searched(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Searched:
    """The folder of a seed, searched as the page does it."""
    place = tmp_path_factory.mktemp(f"folder{request.param}")
    return _searched(place, make_folder(place / "folder", request.param))


@pytest.fixture(scope="module", params=((MINUTE, 60), (SPREAD, 45)))
def trial(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Searched:
    """A folder of papers in six languages."""
    times, files = request.param
    place = tmp_path_factory.mktemp(times)
    truth = trial_folder(place / "folder", times)
    assert len(truth.files) == files
    return _searched(place, truth)


def _searched(place: Path, truth: Truth) -> Searched:
    findings = twinset.find(str(place / "folder"), preset="files")
    findings.save(place / "report")
    index = opened(place / "report").load()
    cleaning = FolderCleaning.of(index, place / "home")
    removed = {row.id: cleaning.files_of([row.keeper])[0].id for row in cleaning.selected()}
    return Searched(truth, findings, removed, score(truth, removed))


def test_every_true_copy_is_found_across_formats(searched: Searched) -> None:
    alike: dict[str, set[str]] = {}
    for row in searched.findings.pairs.to_pylist():
        alike.setdefault(row["left"], set()).add(row["right"])
        alike.setdefault(row["right"], set()).add(row["left"])
    missed = [
        (group.what, file)
        for group in searched.truth.groups
        for file in group.copies
        if not alike.get(file, set()) & set(group.files)
    ]
    assert missed == []


def test_nearly_all_copies_are_proposed(searched: Searched) -> None:
    assert searched.score.proposed >= 0.95 * searched.score.copies, searched.score.missed


def test_no_form_and_nothing_else_that_is_no_copy_is_proposed(searched: Searched) -> None:
    assert searched.score.wrong == []


def test_the_right_file_stays(searched: Searched) -> None:
    result = searched.score
    assert result.right_keepers >= 0.95 * result.groups, result.misjudged


def test_every_file_is_in_the_report_with_its_state(searched: Searched) -> None:
    rows = searched.findings.documents.to_pylist()
    states = {row["id"]: row["status"] for row in rows}
    assert searched.truth.files <= states.keys()
    assert set(states.values()) <= {"ok", "empty", "bad", "bytes"}


def test_scans_are_named(searched: Searched) -> None:
    faults = searched.findings.manifest["first_faults"]
    named = {Path(fault["source"]).name for fault in faults if fault["kind"] == "no-text"}
    assert {Path(scan).name for scan in searched.truth.scans} <= named


def test_a_part_is_called_so_and_stays(searched: Searched) -> None:
    for part, whole in searched.truth.parts:
        assert searched.kind(part, whole) == "part"
        assert part not in searched.removed


def test_of_papers_in_six_languages_all_copies_are_ticked_and_no_other_fact(
    trial: Searched,
) -> None:
    assert trial.score.wrong == []
    going = [len(trial.removed.keys() & set(group.files)) for group in trial.truth.groups]
    assert going == [len(group.files) - 1 for group in trial.truth.groups]


def test_of_papers_in_six_languages_the_right_file_stays(trial: Searched) -> None:
    result = trial.score
    assert result.right_keepers >= 0.95 * result.groups, result.misjudged
