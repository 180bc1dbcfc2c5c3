"""The package as it is shipped: complete, and enough in an environment without a compiler."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.package.conftest import ROOT
from tests.package.environment import environment, installed
from twinset import __version__

BUILT = {"twinset/_version.py"}
"""What the build writes, beside the compiled module."""
SOURCES = {".cpp", ".hpp"}
UNKEPT = {"__pycache__"}
FIRST_STEPS = ROOT / "docs" / "tutorials" / "first-steps.md"


def files(folder: Path) -> set[str]:
    paths = (path for path in folder.rglob("*") if path.is_file() and not UNKEPT & set(path.parts))
    return {path.relative_to(folder).as_posix() for path in paths}


def is_module(name: str) -> bool:
    return re.fullmatch(r"twinset/_kernels/_native\.[\w.-]+\.so", name) is not None


def commands(page: Path) -> list[list[str]]:
    """The commands on the example collection that a page shows."""
    shown = re.findall(r"^```sh\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    lines = (shlex.split(line, comments=True) for line in "".join(shown).splitlines())
    return [words for words in lines if words[:1] == ["twinset"] and words[1] != "ui"]


def run(words: list[str], variables: dict[str, str], folder: Path) -> str:
    program = shutil.which(words[0], path=variables["PATH"])
    assert program is not None, words
    done = subprocess.run(
        [program, *words[1:]], env=variables, cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def try_first_steps(variables: dict[str, str], folder: Path) -> None:
    """Follow the page from a folder with the examples."""
    (folder / "examples").symlink_to(ROOT / "examples")
    assert run(["twinset", "--version"], variables, folder).split()[-1] == __version__
    for words in commands(FIRST_STEPS):
        run(words, variables, folder)


def test_a_wheel_runs_the_first_steps_where_there_is_no_compiler(
    wheel: Path, tmp_path: Path
) -> None:
    commands = installed(wheel, tmp_path / "environment")
    folder = tmp_path / "here"
    folder.mkdir()
    try_first_steps(environment(commands, folder), folder)
    assert (folder / "report" / "report.html").is_file()
    with zipfile.ZipFile(wheel) as archive:
        shipped = {name for name in archive.namelist() if ".dist-info/" not in name}
        assert len({entry.date_time for entry in archive.infolist()}) == 1  # no clock: same bytes
    modules = {name for name in shipped if is_module(name)}
    own = {name for name in files(ROOT / "src") if Path(name).suffix not in SOURCES}
    assert len(modules) == 1
    assert shipped == own | BUILT | modules
    audit(wheel)


def audit(wheel: Path) -> None:
    """From 3.12 on a wheel serves all later versions; its module must keep to the stable ABI."""
    stable = sys.version_info >= (3, 12)
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert f"-{'cp312-abi3' if stable else f'{python}-{python}'}-" in wheel.name
    if sys.platform == "linux":
        shown = audited(["auditwheel", "show", str(wheel)])
        assert "manylinux" in shown or "musllinux" in shown, shown
    if stable:
        audited(["abi3audit", "--strict", str(wheel)])


def audited(words: list[str]) -> str:
    program = [sys.executable, "-m", *words]
    done = subprocess.run(program, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_an_sdist_holds_all_that_a_wheel_is_made_of(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    assert {f"src/{name}" for name in files(ROOT / "src")} <= set(names)
    needed = {"CMakeLists.txt", "pyproject.toml", "README.md", "LICENSE", "PKG-INFO"}
    assert needed <= set(names)
    assert not [name for name in names if name.endswith(".so") or "__pycache__" in name]
    assert sdist.stat().st_size < 5 << 20


@pytest.mark.long
def test_an_sdist_alone_makes_the_same_wheel(wheel: Path, sdist: Path, tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    subprocess.run([*pip, "--wheel-dir", str(tmp_path), str(sdist)], check=True)
    (made,) = tmp_path.iterdir()
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(made) as other:
        assert sorted(one.namelist()) == sorted(other.namelist())


@pytest.mark.long
def test_pip_brings_what_a_wheel_needs(wheel: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "environment")], check=True)
    commands = tmp_path / "environment" / "bin"
    folder = tmp_path / "here"
    folder.mkdir()
    pip = [str(commands / "python"), "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, f"{wheel}[all]"], check=True)
    try_first_steps(environment(commands, folder), folder)


def test_windows_is_refused_in_one_sentence(tmp_path: Path) -> None:
    program = "import sys; sys.platform = 'win32'; import twinset"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    sentence = done.stderr.splitlines()[-1].removeprefix("ImportError: ")
    assert sentence.startswith("twinset does not support Windows: ")
    assert sentence in (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
