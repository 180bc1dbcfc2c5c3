"""The example notebook is true: its cells run, and show what stands in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.manual.test_pages import load
from tests.report.test_notebook import Elements

pytest.importorskip("polars")
ROOT = Path(__file__).resolve().parents[2]


def shown(notebook: dict[str, Any]) -> list[list[str]]:
    """The texts of all outputs; style sheets may change without changing what is said."""
    return [
        [
            Elements("".join(text)).text if kind == "text/html" else "".join(text)
            for output in cell["outputs"]
            for kind, text in output["data"].items()
        ]
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]


def test_the_outputs_of_the_notebook_are_fresh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    maker = load(ROOT / "docs" / "make_notebook.py")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    notebook = maker.read(maker.NOTEBOOKS[0])
    assert notebook["nbformat"] == 4
    assert maker.text_of(notebook) == maker.NOTEBOOKS[0].read_text(encoding="utf-8")
    assert shown(notebook) == shown(maker.executed(notebook)), "run docs/make_notebook.py"
    pictures = [cell["metadata"].get("picture") for cell in notebook["cells"]]
    assert all((maker.PICTURES / f"{name}.png").is_file() for name in pictures if name)
