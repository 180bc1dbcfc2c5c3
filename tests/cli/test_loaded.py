"""What a short command loads of other packages; `tests/test_house.py` counts ours."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

LIBRARIES = {"click", "numpy", "pyarrow", "jinja2", "markupsafe"}
"""What `find` needs of other packages; pyarrow takes cloudpickle along where it is installed."""
TAKEN_ALONG = {"cloudpickle"}
SELDOM = {
    "asyncio",
    "email",
    "importlib.metadata",
    "multiprocessing",
    "numpy.ma",
    "pyarrow.compute",
    "xml",
    "zipfile",
}
"""Slow parts of libraries, which a run on plain texts can do without."""
CODE = """
import json, sys
from twinset.cli import app
app(sys.argv[1:], standalone_mode=False)
print()
print(json.dumps(sorted(sys.modules)))
"""


def loaded(folder: Path, *arguments: str) -> set[str]:
    """The names of all modules after a command of its own process."""
    run = subprocess.run(
        [sys.executable, "-c", CODE, *arguments],
        capture_output=True,
        check=True,
        cwd=folder,
        text=True,
    )
    return set(json.loads(run.stdout.splitlines()[-1]))


def loaded_by_find(folder: Path) -> set[str]:
    """The modules of `find` on one small document."""
    (folder / "a.jsonl").write_text('{"id": "a", "text": "one two three four five six"}\n', "utf-8")
    return loaded(folder, "find", "a.jsonl", "-o", "report", "--quiet")


def test_a_small_run_loads_few_libraries(tmp_path: Path) -> None:
    found = loaded_by_find(tmp_path)
    assert found & SELDOM == set()
    modules = {name.partition(".")[0] for name in found}
    known = set(sys.stdlib_module_names) | LIBRARIES | TAKEN_ALONG | {"twinset", "__main__"}
    others = {name for name in modules - known if not name.startswith(("_", "cython_runtime"))}
    assert others == set()


def test_help_loads_no_library_of_a_run(tmp_path: Path) -> None:
    modules = loaded(tmp_path, "--help")
    assert modules & {"numpy", "pyarrow", "jinja2", "rich", "dataclasses", "twinset.plan"} == set()
