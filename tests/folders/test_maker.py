"""The maker of folders itself: equal seeds give equal folders, and its truth names all files."""

from __future__ import annotations

from pathlib import Path

from tests.folders.maker import digest, make_folder
from tests.folders.truth import CopyGroup, Truth, score


def test_equal_seeds_give_equal_folders_and_others_give_others(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        make_folder(tmp_path / name, seed, 0.1)
    first, again, other = (digest(tmp_path / name) for name in "abc")
    assert first == again != other


def test_the_truth_names_every_file_once(tmp_path: Path) -> None:
    truth = make_folder(tmp_path, 3, 0.2)
    files = {p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file()}
    assert truth.files == files
    grouped = [file for group in truth.groups for file in group.files]
    assert len(grouped) == len(set(grouped))
    assert not set(grouped) & set(truth.singles)
    assert all(group.keepers <= set(group.files) for group in truth.groups)


def test_a_folder_of_the_usual_size_has_a_hundred_groups(tmp_path: Path) -> None:
    truth = make_folder(tmp_path, 1)
    suffixes = {Path(file).suffix for file in truth.files}
    assert len(truth.groups) >= 100
    assert {".docx", ".odt", ".rtf", ".pdf", ".html", ".txt", ".eml", ".xlsx"} <= suffixes


def test_a_proposal_is_judged_by_the_truth() -> None:
    truth = Truth([CopyGroup("exact", ["a", "a (1)"], {"a"})], singles=["form"])
    good = score(truth, {"a (1)": "a"})
    assert (good.copies, good.proposed, good.right_keepers, good.wrong) == (1, 1, 1, [])
    swapped = score(truth, {"a": "a (1)"})
    assert swapped.proposed == 0
    assert swapped.misjudged
    assert swapped.missed
    assert score(truth, {"form": "a"}).wrong == ["form for a"]
    assert score(truth, {"a (1)": "form"}).wrong == ["exact: a (1) for form"]
    assert score(truth, {"a": "a (1)", "a (1)": "a"}).wrong
