"""Letters of a mailbox and attachments: they are compared and clustered, but never removed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import twinset
from tests.reading.test_mail import letter
from twinset.result.words import finding
from twinset.review.index import ReportIndex
from twinset.review.threshold import regroup
from twinset.run import Findings

WORDS = "the tenant pays the rent on the first day of every month to the account of the landlord "
LINE = b"From anna@example.org Mon Jan  1 00:00:00 2024\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two mailboxes with three letters that are alike, and one that is not."""
    alike = [letter("Rent", WORDS * 4 + f"and so on until {year}") for year in (2021, 2022, 2023)]
    other = letter("Garden", "the pears are ripe, and somebody has to pick them before the rain")
    mail = tmp_path / "mail"
    mail.mkdir()
    for name, letters in (("a.mbox", [alike[0], other, alike[1]]), ("b.mbox", [alike[2]])):
        (mail / name).write_bytes(b"".join(LINE + bytes(each) + b"\n" for each in letters))
    return mail


def clusters_of(found: Findings) -> list[list[str]]:
    groups: dict[int, list[str]] = {}
    for row in found.clusters.to_pylist():
        groups.setdefault(row["cluster"], []).append(row["id"])
    return sorted(map(sorted, groups.values()))


def test_find_puts_letters_that_are_alike_into_a_cluster(folder: Path) -> None:
    found = twinset.find(folder, 0.7, exact=True, kinds="no")
    assert clusters_of(found) == [["a.mbox/message 1", "a.mbox/message 3", "b.mbox/message 1"]]
    assert finding(found.manifest).startswith(
        "Of 6 documents, 3 are in clusters of near-duplicates"
    )


def test_dedup_removes_no_letter_and_says_that_there_are_pairs(folder: Path) -> None:
    found = twinset.dedup(folder, 0.7, exact=True, kinds="no")
    assert found.keep is not None
    assert found.keep.all()
    assert found.pairs.num_rows == 3
    sentence = finding(found.manifest)
    assert sentence.startswith("3 pairs were found among 6 documents")
    assert "parts of a file" in sentence
    assert finding(found.manifest, "ru").startswith("Среди 6 документов найдены 3 пары")


@pytest.mark.parametrize("run", [twinset.find, twinset.dedup])
def test_another_threshold_gives_the_clusters_of_another_run(
    folder: Path, tmp_path: Path, run: Callable[..., Findings]
) -> None:
    options = {"exact": True, "kinds": "no"}
    run(folder, 0.6, **options).save(tmp_path / "r")
    index = ReportIndex(twinset.open_report(tmp_path / "r"))
    again = run(folder, 0.8, **options)
    assert len(regroup(index, 0.8).clusters) == again.manifest["counts"]["clusters"]


def test_a_file_is_not_removed_for_a_letter(tmp_path: Path) -> None:
    mail = tmp_path / "mail"
    mail.mkdir()
    text = letter("Rent", WORDS * 4)
    (mail / "a.mbox").write_bytes(LINE + bytes(text) + b"\n")
    (mail / "z.txt").write_text(f"Rent\n{WORDS * 4}", "utf-8")
    assert twinset.dedup(mail, 0.7).kept_indices.tolist() == [0, 1, 2]
    assert clusters_of(twinset.find(mail, 0.7)) == [["a.mbox/message 1", "z.txt"]]
