"""Reports are what they were; `tests/golden/make.py` writes them where they are meant to change."""

from __future__ import annotations

import pytest

from tests.golden.make import FOLDER, PLANS, documents, files_of


@pytest.mark.parametrize("name", PLANS)
def test_a_report_is_what_it_was(name: str) -> None:
    files = files_of(PLANS[name](documents()))
    kept = {path.name: path.read_text("utf-8") for path in sorted((FOLDER / name).iterdir())}
    assert set(files) == set(kept)
    for file, text in files.items():
        assert text == kept[file], f"{name}/{file} has changed; python -m tests.golden.make"


@pytest.mark.parametrize("name", PLANS)
def test_a_golden_report_has_something_to_show(name: str) -> None:
    rows = (FOLDER / name / "clusters.jsonl").read_text("utf-8").splitlines()
    assert len(rows) > 2
