"""``twinset ui``: what it says before it serves, and what it refuses."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.cli.conftest import Twinset
from tests.web.browser import serving
from twinset.errors import TwinsetError, remedy
from twinset.web.app import out_of_bounds, settings_for

COLLECTION = Path(__file__).parents[2] / "examples" / "collection"


def test_what_is_not_there_is_reported(twinset: Twinset) -> None:
    done = twinset("ui", "/nothing/there", "--no-browser")
    assert done.returncode == 2
    assert "no such file or folder" in done.stderr


def test_without_its_packages_the_remedy_names_all_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from twinset.cli import ui

    monkeypatch.delitem(sys.modules, "twinset.web.app")
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(TwinsetError, match="the package uvicorn, which the page needs,") as caught:
        ui.command()
    assert str(caught.value).endswith(f"is not installed: {remedy('ui')}")


def test_it_listens_on_this_machine_only_and_with_a_key(tmp_path: Path) -> None:
    with serving(str(COLLECTION), home=tmp_path / "home") as (address, _):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/open\?token=[\w-]{43}", address)
        with urllib.request.urlopen(address, timeout=20) as answer:
            assert b"http-equiv" in answer.read()
    assert (tmp_path / "home").stat().st_mode & 0o077 == 0


def test_a_report_opens_no_folder_that_the_user_has_not_named(tmp_path: Path) -> None:
    import twinset

    russian = (COLLECTION / "russian").resolve()
    report = twinset.find(russian).save(tmp_path / "report")
    settings = settings_for(str(report), home=tmp_path / "home")
    assert settings.first.startswith("/report/")
    assert settings.roots == (report.resolve(),)
    assert out_of_bounds(settings, report) == [russian]
    wider = settings_for(str(report), home=tmp_path / "home", roots=[russian])
    assert russian in wider.roots
    assert out_of_bounds(wider, report) == []
    manifest = report / "manifest.json"
    facts = json.loads(manifest.read_text())
    facts["inputs"][0]["path"] = "/"
    manifest.write_text(json.dumps(facts))
    assert Path("/") not in settings_for(str(report), home=tmp_path / "home").allowed


def test_the_folders_of_a_report_are_reported_when_the_page_starts(tmp_path: Path) -> None:
    import twinset

    report = twinset.find(COLLECTION / "russian").save(tmp_path / "report")
    command = [sys.executable, "-m", "twinset.cli", "ui", str(report), "--no-browser"]
    command += ["--port", "0", "--home", str(tmp_path / "home")]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert server.stderr is not None
    line = server.stderr.readline()
    server.terminate()
    server.wait(timeout=60)
    assert f"--root {COLLECTION / 'russian'}" in line


def test_what_a_page_is_started_with(tmp_path: Path) -> None:
    assert settings_for(str(COLLECTION), home=tmp_path / "home").named == str(COLLECTION)
    file = COLLECTION / "licenses.jsonl"
    assert settings_for(str(file), home=tmp_path / "home").roots == (COLLECTION.resolve(),)


def test_a_taken_port_is_reported(twinset: Twinset, tmp_path: Path) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        home = str(tmp_path / "home")
        done = twinset("ui", str(COLLECTION), "--port", port, "--home", home, "--no-browser")
    assert done.returncode == 1
    assert f"port {port}" in done.stderr
