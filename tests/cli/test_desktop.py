"""The page as an application: its entry in the menu, its window, and the end of both."""

from __future__ import annotations

import configparser
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Twinset
from twinset.web import desktop


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


def test_the_entry_comes_and_goes(twinset: Twinset, data: Path) -> None:
    done = twinset("ui", "--install-desktop")
    assert done.returncode == 0
    entry, icon = data / desktop.ENTRY, data / desktop.ICON
    assert done.stdout.splitlines() == [f"Written: {entry}", f"Written: {icon}"]
    assert icon.read_bytes().startswith(b"<svg")
    desktop.install_entry(data)  # a second time is no fault
    done = twinset("ui", "--remove-desktop")
    assert done.stdout.splitlines() == [f"Deleted: {entry}", f"Deleted: {icon}"]
    assert not entry.exists()
    assert not icon.exists()
    assert "was not in the menu" in twinset("ui", "--remove-desktop").stderr
    assert twinset("ui", "--remove-desktop", "--install-desktop").returncode == 2


def test_the_entry_is_valid_and_starts_the_page() -> None:
    parser = configparser.RawConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(desktop.entry("/opt/py thon/bin/python"))
    entry = parser["Desktop Entry"]
    assert entry["Type"] == "Application"
    assert entry["Icon"] == "twinset"
    assert entry["Comment[ru]"] != entry["Comment"]
    assert entry["Keywords"].endswith(";")
    command = shlex.split(entry["Exec"])
    assert command == ["/opt/py thon/bin/python", "-m", "twinset", "ui", "--app"]
    usual = shlex.split(
        next(line for line in desktop.entry().splitlines() if line.startswith("Exec="))[5:]
    )
    shown = subprocess.run([*usual, "--help"], capture_output=True, text=True, check=True)
    assert "--install-desktop" in shown.stdout


def test_strange_characters_of_a_path_are_quoted() -> None:
    line = next(line for line in desktop.entry('/a"b$c%d').splitlines() if "Exec" in line)
    assert line.startswith(r'Exec="/a\\"b\\$c%%d" ')


def test_data_folders_are_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert desktop.data_folder({"XDG_DATA_HOME": "relative"}) == tmp_path / ".local" / "share"
    assert desktop.data_folder({}) == tmp_path / ".local" / "share"
    assert desktop.data_folder({"XDG_DATA_HOME": "/data"}) == Path("/data")


def fake_browser(folder: Path, name: str, script: str) -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return file


def test_the_server_ends_with_its_window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = tmp_path / "opened"
    fake_browser(tmp_path / "bin", "chromium", f'printf "%s\\n" "$@" > {opened}')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/bin:/usr/bin")
    command = [sys.executable, "-m", "twinset.cli", "ui", str(tmp_path), "--app", "--port", "0"]
    command += ["--home", str(tmp_path / "home")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    address = done.stdout.split()[-1]
    profile = tmp_path / "home" / "window" / "chromium"
    arguments = opened.read_text().splitlines()
    assert arguments[:2] == [f"--app={address}", f"--user-data-dir={profile}"]
    assert profile.stat().st_mode & 0o77 == 0, "it holds the key to the page"


def test_firefox_has_a_window_with_a_profile_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = tmp_path / "opened"
    fake_browser(tmp_path / "bin", "firefox-esr", f'printf "%s\\n" "$@" > {opened}')
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    window = desktop.open_window("http://127.0.0.1:1/", tmp_path)
    assert window is not None
    assert window.wait(timeout=60) == 0
    arguments = opened.read_text().splitlines()
    assert arguments[-1] == "http://127.0.0.1:1/"
    assert str(tmp_path / "window" / "firefox-esr") in arguments


def test_without_such_a_browser_there_is_no_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert desktop.open_window("http://127.0.0.1:1/", tmp_path) is None
