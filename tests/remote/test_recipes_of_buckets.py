"""The recipes of the manual that read from a bucket and write into one."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from tests.reading.samples import warc
from tests.recipe_data import KEPT, ROWS, command, kept_shards, lines, write_shards, written_shards


@pytest.fixture
def files(store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The store as a file system; the recipe runs in a folder of its own."""
    import s3fs

    monkeypatch.chdir(tmp_path)
    return s3fs.S3FileSystem(skip_instance_cache=True, use_listings_cache=False)


def test_from_a_bucket_into_a_bucket(files: Any, tmp_path: Path) -> None:
    write_shards(tmp_path / "shards")
    files.mkdir("corpus")
    files.put(str(tmp_path / "shards"), "corpus/shards", recursive=True)
    command("s3.sh")
    files.get("corpus/clean/", str(tmp_path / "clean"), recursive=True)
    assert written_shards(tmp_path / "clean" / "kept") == kept_shards()
    assert (tmp_path / "clean" / "manifest.json").exists()
    assert not (tmp_path / "s3:").exists()


def test_web_archives_of_a_bucket_as_json_lines(files: Any, tmp_path: Path) -> None:
    pages = [(row["url"], row["body"]) for row in ROWS]
    files.mkdir("crawl")
    files.pipe_file("crawl/warc/0.warc.gz", gzip.compress(warc(pages[:7])))
    files.pipe_file("crawl/warc/1.warc.gz", gzip.compress(warc(pages[7:])))
    command("warc_s3.sh")
    names = [f"{number:05}-of-00002.jsonl.zst" for number in range(2)]
    files.get("crawl/clean/kept/", str(tmp_path / "kept"), recursive=True)
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == names
    rows = [row for name in names for row in lines(tmp_path / "kept" / name)]
    assert [row["id"] for row in rows] == [row["url"] for row in KEPT]
    assert [row["text"].strip() for row in rows] == [row["body"] for row in KEPT]
