"""What a comparison keeps for the next one: whole or not at all, and damage costs that entry."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

import pytest

import twinset

pytestmark = pytest.mark.usefixtures("runs_here")
WORDS = " ".join(f"word{number}" for number in range(60))
TEXTS = [f"{WORDS} {number % 3}" for number in range(6)]


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("comparison") / "out"
    twinset.compare(TEXTS, ["minhash"], folder=folder)
    return folder


def harm(file: Path, how: str) -> None:
    if how == "empty":
        file.write_bytes(b"")
    elif how == "cut":
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    elif file.suffix == ".json":
        file.write_text("[]")
    else:
        file.write_bytes(b"something else")


@pytest.mark.parametrize("kind", ["*.json", "*.npz"])
@pytest.mark.parametrize("how", ["empty", "cut", "other"])
def test_what_is_damaged_is_made_again(before: Path, tmp_path: Path, kind: str, how: str) -> None:
    folder = tmp_path / "out"
    shutil.copytree(before, folder)
    (file,) = (folder / "rows").glob(kind)
    whole = file.read_bytes()
    harm(file, how)
    again = twinset.compare(TEXTS, ["minhash"], folder=folder)
    (row,) = again.table.to_pylist()
    assert row["fault"] is None
    assert row["f1"] == 1.0
    assert again.manifest["reused"] == []
    if kind.endswith(".npz"):
        assert file.read_bytes() == whole


def test_a_full_disk_keeps_nothing_that_is_not_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("twinset.system.files.os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        twinset.compare(TEXTS, ["minhash"], folder=tmp_path / "out")
    assert list((tmp_path / "out" / "rows").iterdir()) == []
