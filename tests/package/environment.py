"""An environment with a wheel, what the wheel declares, and nothing else."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from email import message_from_bytes
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement


def required(wheel: Path) -> list[Requirement]:
    """What the wheel asks for here, without its extras."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        metadata = message_from_bytes(archive.read(name))
    return _asked_for(metadata.get_all("Requires-Dist") or [])


def _asked_for(lines: list[str]) -> list[Requirement]:
    requirements = map(Requirement, lines)
    return [r for r in requirements if r.marker is None or r.marker.evaluate({"extra": ""})]


def with_theirs(requirements: list[Requirement]) -> set[str]:
    """The names of the packages that are asked for, and of those that these ask for."""
    names: set[str] = set()
    waiting = list(requirements)
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop().name).lower()
        if name not in names:
            names.add(name)
            waiting += _asked_for(distribution(name).requires or [])
    return names


def installed(wheel: Path, folder: Path) -> Path:
    """Install the wheel into an environment of its own; the folder of its commands.

    The packages that it declares are linked to those installed here: nothing is downloaded, and
    what is not declared is not there.
    """
    venv.create(folder, with_pip=False)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    for name in with_theirs(required(wheel)):
        files = distribution(name).files or []
        home = Path(str(distribution(name).locate_file("")))
        for top in {file.parts[0] for file in files if file.parts[0] != ".."}:
            if top != "__pycache__" and not (packages / top).exists():
                (packages / top).symlink_to(home / top)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python")]
    options = ["--quiet", "--no-index", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", *options, str(wheel)], check=True, capture_output=True)
    return folder / "bin"


def environment(commands: Path, folder: Path) -> dict[str, str]:
    """The variables of a shell that has these commands and no others: no compiler above all."""
    kept = {name: os.environ[name] for name in ("LANG", "TMPDIR") if name in os.environ}
    variables = kept | {"PATH": str(commands), "HOME": str(folder), "XDG_STATE_HOME": str(folder)}
    for compiler in ("cc", "c++", "gcc", "g++", "clang", "clang++", "cmake", "ninja"):
        assert shutil.which(compiler, path=variables["PATH"]) is None
    return variables
