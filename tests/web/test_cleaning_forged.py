"""Reports that a stranger has changed, and journals: the page refuses, and touches nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient

from tests.review.cleaning.actions.conftest import own_trash, write_sealed  # noqa: F401
from tests.web import test_cleaning_actions as actions
from tests.web.test_cleaning_actions import carry_out, files
from twinset.web.settings import Settings

place, clean = actions.place, actions.clean
PAGES = ("", "/folders", "/remove")


def rewrite(place: Path, name: str, change: Callable[[list[Any]], None]) -> None:
    """Change a column of the documents."""
    path = place / "report" / "documents.parquet"
    table = pq.read_table(path)
    values = table[name].to_pylist()
    change(values)
    column = pa.array(values, table[name].type)
    pq.write_table(table.set_column(table.column_names.index(name), name, column), path)


@pytest.mark.parametrize(
    "path",
    [b"", b"relative", b"../up", b"-rf", b"/a\0b", b"/tmp/../etc/passwd", b"/a//b", b"/a/"],
)
def test_only_whole_paths_are_paths(
    client: TestClient, clean: str, place: Path, path: bytes
) -> None:
    rewrite(place, "file", lambda values: values.__setitem__(4, path))
    os.utime(place / "report" / "manifest.json", ns=(1, 1))
    before = files(place)
    answer = client.get(clean)
    assert answer.status_code == 400
    assert "is not the whole path of a file" in answer.text
    assert client.post(f"{clean}/back").status_code == 400
    assert files(place) == before


@pytest.mark.parametrize("number", [0, 4])
def test_a_record_beside_files_is_none_of_them(
    client: TestClient, clean: str, place: Path, number: int
) -> None:
    rewrite(place, "file", lambda values: values.__setitem__(number, None))
    os.utime(place / "report" / "manifest.json", ns=(1, 1))
    assert [client.get(clean + page).status_code for page in PAGES] == [200] * len(PAGES)
    for action in ("mark", "keeper", "open"):
        answer = client.post(f"{clean}/{action}", data={"document": number, "group": 0})
        assert answer.status_code == 400, action


def test_a_folder_of_mailboxes_alone_has_no_folders(
    client: TestClient, clean: str, place: Path
) -> None:
    rewrite(place, "part", lambda values: values.__setitem__(slice(None), ["1"] * len(values)))
    os.utime(place / "report" / "manifest.json", ns=(1, 1))
    assert client.get(f"{clean}/folders").status_code == 200


def test_a_name_that_is_no_utf_8_may_stand_in_a_message(
    client: TestClient, clean: str, place: Path
) -> None:
    rewrite(place, "file", lambda values: values.__setitem__(4, b"/elsewhere/\xff"))
    os.utime(place / "report" / "manifest.json", ns=(1, 1))
    assert client.post(f"{clean}/open", data={"document": 4}).status_code == 403


def test_undo_stays_inside_the_allowed_folders(
    client: TestClient, clean: str, place: Path, settings: Settings
) -> None:
    carry_out(client, clean, how="move")
    secret = settings.home.parent / "secret"
    (journal,) = (settings.home / "operations").glob("*.jsonl")
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    step = next(line for line in lines if line.get("state") == "begun")
    secret.write_bytes(Path(step["to"]).read_bytes())
    changed = {"to": str(secret), "target": str(secret.parent)}
    for line in lines:
        if line.get("step") == step["step"]:
            line |= changed
    Path(step["path"]).unlink(missing_ok=True)
    write_sealed(journal, lines)
    answer = client.post(f"{clean}/undo", data={"operation": "1"}, follow_redirects=False)
    assert answer.status_code == 403
    assert secret.exists()
    assert not Path(step["path"]).exists()
