"""The house itself: its weight, no circle of imports, nothing written twice, a true plan of it."""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import grimp
import networkx as nx

from tests.cli.test_loaded import loaded_by_find

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "twinset"
WRITTEN = (".py", ".pyi", ".cpp", ".hpp", ".html", ".css", ".js", ".toml")
GENERATED = {"unicode_tables.hpp", "htmx.min.js"}
RUN = 10  # lines
# What a reader has to carry. A figure may only fall; to raise one, say why beside it.
MOST = {
    # The bent rule, vectors and their join, programs, masks, archives, pictures, plain miners, and
    # which test sets stand in training text: a file each.
    "files": 389,
    # The same; one-to-one pairs, a target, parts with their pages, indexes of terms and models, the
    # last items of the papers; kinds of pairs and crowds of older documents several times as fast;
    # crowds cut for Spark, counts beside recall, the way to `ask`, shares of what is written.
    "statements": 42_190,
    "files below 100 lines with one importer, in their own folder": 1,
    "functions over 60 lines": 13,
    "import lines in a thousand": 78,  # a share: bodies lost a tenth of their lines, imports less
    "modules that find loads": 106,
    # Options of masks and targets, and the text they leave; the line that names `ask`.
    "statements that find loads": 9_838,
}


def sources(*endings: str) -> list[Path]:
    files = (path for path in SOURCE.rglob("*") if path.suffix in endings)
    return sorted(path for path in files if path.name not in GENERATED)


def statements(tree: ast.AST) -> int:
    """The statements of a file, docstrings apart: no layout makes them fewer."""
    return sum(
        isinstance(node, ast.stmt)
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for node in ast.walk(tree)
    )


def length(node: ast.AST) -> int:
    first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
    return int(last) - int(first) + 1


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")


def rooms_for_one_chair(trees: dict[str, ast.Module]) -> int:
    """How many small files serve one other file of their folder, and are no registered part."""
    registered = (SOURCE / "plan" / "table.py").read_text("utf-8")
    graph = grimp.build_graph("twinset", cache_dir=None, exclude_type_checking_imports=False)
    alone = 0
    for module, tree in trees.items():
        importers = graph.find_modules_that_directly_import(module)
        small = max((length(node) + node.lineno for node in tree.body), default=0) < 100
        beside = {name.rpartition(".")[0] for name in importers} == {module.rpartition(".")[0]}
        alone += small and beside and len(importers) == 1 and f"{module}:" not in registered
    return alone


def test_the_house_grows_no_heavier(tmp_path: Path) -> None:
    files = {module_of(path): path for path in sources(".py") if path.name != "_version.py"}
    trees = {module: ast.parse(path.read_text("utf-8")) for module, path in files.items()}
    nodes = [node for tree in trees.values() for node in ast.walk(tree)]
    imports = sum(length(node) for node in nodes if isinstance(node, ast.Import | ast.ImportFrom))
    lines = sum(path.read_text("utf-8").count("\n") for path in files.values())
    functions = (n for n in nodes if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))
    loaded = files.keys() & loaded_by_find(tmp_path)
    weight = {
        "files": len(files),
        "statements": sum(map(statements, trees.values())),
        "files below 100 lines with one importer, in their own folder": rooms_for_one_chair(trees),
        "functions over 60 lines": sum(length(node) > 60 for node in functions),
        "import lines in a thousand": round(1000 * imports / lines),
        "modules that find loads": len(loaded),
        "statements that find loads": sum(statements(trees[name]) for name in loaded),
    }
    heavier = {what: (weight[what], most) for what, most in MOST.items() if weight[what] > most}
    assert heavier == {}, weight


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
