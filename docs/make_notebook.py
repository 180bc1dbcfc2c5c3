"""Runs the cells of the notebooks, puts what they show into them, and takes pictures of that.

Edit the cells in a notebook, then run this script in the root of a clone. ``--pictures`` runs the
tutorial alone, takes the pictures of notebook.md, and needs Playwright and a Chromium.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = (
    ROOT / "docs" / "tutorials" / "notebook.ipynb",
    ROOT / "docs" / "how-to" / "repeat-the-papers.ipynb",
)
PICTURES = ROOT / "docs" / "pictures" / "notebook"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDTH = 700
HOST = "<!doctype html><meta charset=utf-8><style>body { margin: 0; }</style><body data-theme=%s>"


def main() -> None:
    """Write the notebooks and, if asked for, the pictures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pictures", action="store_true", help="take pictures for notebook.md")
    options = parser.parse_args()
    chosen = NOTEBOOKS[:1] if options.pictures else NOTEBOOKS  # the other shows times
    notebooks = {path: fresh(path) for path in chosen}
    for path, notebook in notebooks.items():
        path.write_text(text_of(notebook), encoding="utf-8", newline="\n")
    if options.pictures:
        take_pictures(notebooks[NOTEBOOKS[0]])


def read(path: Path) -> dict[str, Any]:
    """A notebook as it is."""
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def fresh(path: Path) -> dict[str, Any]:
    """A notebook, run in a folder that has the examples and nothing else."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            Path("examples").symlink_to(ROOT / "examples")
            return executed(read(path))
        finally:
            os.chdir(here)


def text_of(notebook: dict[str, Any]) -> str:
    """The notebook as Jupyter writes it."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with the outputs of its cells, run from top to bottom."""
    names: dict[str, Any] = {}
    cells, count = [], 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            outputs = outputs_of("".join(cell["source"]), names, count)
            cell = {**cell, "execution_count": count, "outputs": outputs}
        cells.append(cell)
    return {**notebook, "cells": cells}


def outputs_of(source: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """What a cell prints, and its last expression as text and, if it has that form, as HTML."""
    lines = ast.parse(source)
    last = lines.body.pop() if lines.body and isinstance(lines.body[-1], ast.Expr) else None
    printed = io.StringIO()
    value = None
    with contextlib.redirect_stdout(printed):
        exec(compile(lines, f"cell {count}", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), f"cell {count}", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        outputs.append({"name": "stdout", "output_type": "stream", "text": text})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        if hasattr(value, "_repr_html_"):
            data = {"text/html": value._repr_html_().splitlines(keepends=True), **data}
        result = {"data": data, "execution_count": count, "metadata": {}}
        outputs.append({**result, "output_type": "execute_result"})
    return outputs


def take_pictures(notebook: dict[str, Any]) -> None:
    """The HTML outputs of cells that name a picture; the name ends in the theme."""
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    PICTURES.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": 800}, device_scale_factor=1.5)
        for cell in notebook["cells"]:
            name = cell["metadata"].get("picture")
            if name:
                html = "".join(cell["outputs"][-1]["data"]["text/html"])
                page.set_content(HOST % name.rpartition("-")[2] + html)
                page.locator(".twinset").screenshot(path=PICTURES / f"{name}.png")
                print(PICTURES / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
