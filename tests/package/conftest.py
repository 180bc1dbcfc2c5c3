"""A wheel and an sdist of this tree, made by the real backend."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


def build(kind: str, folder: Path) -> Path:
    """Make a wheel, or an sdist; kernels that are compiled in ``build/`` are not compiled again."""
    tools = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    command = [sys.executable, "-m", "build", f"--{kind}", "--no-isolation", "--outdir"]
    done = subprocess.run(
        [*command, str(folder), str(ROOT)],
        env=os.environ | {"PATH": tools},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    (made,) = folder.iterdir()
    return made


def _given(request: pytest.FixtureRequest, pattern: str) -> Path | None:
    folder = request.config.getoption("--wheel")
    if folder is None:
        return None
    (path,) = Path(folder).resolve().glob(pattern)
    return path


@pytest.fixture(scope="session")
def wheel(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that ``--wheel`` names, or one made now."""
    return _given(request, "*.whl") or build("wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def sdist(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sdist that ``--wheel`` names, or one made now."""
    return _given(request, "*.tar.gz") or build("sdist", tmp_path_factory.mktemp("sdist"))
