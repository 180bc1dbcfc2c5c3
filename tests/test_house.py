"""The house itself: no circle of imports, nothing written twice, a plan of it that is true."""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import grimp
import networkx as nx

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "twinset"
WRITTEN = (".py", ".pyi", ".cpp", ".hpp", ".html", ".css", ".js", ".toml")
GENERATED = {"unicode_tables.hpp", "htmx.min.js"}
RUN = 10  # lines
LONGEST = 400  # lines of a file


def sources(*endings: str) -> list[Path]:
    files = (path for path in SOURCE.rglob("*") if path.suffix in endings)
    return sorted(path for path in files if path.name not in GENERATED)


def test_no_circle_of_imports_even_of_lazy_ones_and_those_for_type_checkers() -> None:
    graph = grimp.build_graph("twinset", cache_dir=None, exclude_type_checking_imports=False)
    imports = nx.DiGraph(
        (importer, imported)
        for importer in graph.modules
        for imported in graph.find_modules_directly_imported_by(importer)
    )
    assert imports.number_of_edges() > 500
    circles = [sorted(part) for part in nx.strongly_connected_components(imports) if len(part) > 1]
    assert circles == []


def test_no_run_of_lines_is_written_twice() -> None:
    places: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for path in sources(*WRITTEN):
        spaced = (" ".join(line.split()) for line in path.read_text("utf-8").splitlines())
        lines = {number: line for number, line in enumerate(spaced, 1) if line}
        texts, numbers = tuple(lines.values()), list(lines)
        name = str(path.relative_to(SOURCE))
        for start in range(len(texts) - RUN + 1):
            places[texts[start : start + RUN]].append(f"{name}:{numbers[start]}")
    assert len(places) > 10_000
    assert [where for where in places.values() if len(where) > 1] == []


def test_no_file_is_too_long_to_be_one_thought() -> None:
    files = sources(".py", ".hpp", ".cpp")
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in files}
    assert [path.name for path, length in lengths.items() if length > LONGEST] == []


def test_a_class_name_has_one_meaning() -> None:
    homes: dict[str, list[str]] = defaultdict(list)
    for path in sources(".py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(str(path.relative_to(SOURCE)))
    # The papers have an image and a method of this name.
    homes.pop("Bottom")
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}


def blocks_of_contributing() -> list[str]:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    return re.findall(r"^```text\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def test_the_tree_of_contributing_names_every_room_and_no_other() -> None:
    tree = next(block for block in blocks_of_contributing() if block.startswith("src/twinset/"))
    named = set(re.findall(r"^  (\w+(?:/|\.py)) ", tree, re.MULTILINE))
    folders = {f"{path.name}/" for path in SOURCE.iterdir() if any(path.glob("*.py"))}
    files = {path.name for path in SOURCE.glob("*.py")}
    assert named == folders | files
    for folder in re.findall(r"^(\w+)/ ", tree, re.MULTILINE):
        assert (ROOT / folder).is_dir()


def test_the_layers_of_contributing_are_those_that_are_checked() -> None:
    settings: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    checked = next(c["layers"] for c in contracts if c["name"] == "the layers of the house")
    plain = [re.sub(r"twinset\.|[()]", "", layer) for layer in checked]
    shown = next(block for block in blocks_of_contributing() if block.startswith("cli\n"))
    assert shown.splitlines() == plain
