"""A real Chromium and a real server: what the tests of the whole page stand on."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SIZES = {1280: 800, 390: 844}
PATIENCE = 60_000  # milliseconds: a busy machine may take long over a page
expect.set_options(timeout=PATIENCE)


def chromium() -> str:
    """The browser of this machine; the tests are skipped, and say why, where there is none."""
    browser = next((path for name in NAMES if (path := shutil.which(name))), None)
    if browser is None:
        pytest.skip(
            "no Chromium on this machine: 'make browser' installs it as root on Debian or Ubuntu"
        )
    return browser


@contextlib.contextmanager
def serving(*arguments: str, home: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """``twinset ui`` in a process of its own; its address and the process."""
    command = [sys.executable, "-m", "twinset.cli", "ui", *arguments]
    command += ["--no-browser", "--port", "0", "--home", str(home)]
    # Coloured or quiet terminals must not change what is printed.
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
        address = re.search(r"http://\S+", line)
        assert address is not None, line
        yield address[0], server
    finally:
        server.terminate()
        server.wait(timeout=60)


@contextlib.contextmanager
def browsing() -> Iterator[Browser]:
    """A browser."""
    path = chromium()
    with sync_playwright() as playwright:
        # Inside a container root has no sandbox to use.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@dataclass
class Visit:
    """One window, and everything in it that must not happen."""

    page: Page
    address: str
    wrong: list[str] = field(default_factory=list)

    @classmethod
    def begin(cls, context: BrowserContext, address: str) -> Visit:
        """Open a window that listens to errors and to requests that leave this machine."""
        visit = cls(context.new_page(), address.split("/open")[0])
        visit.page.on("console", lambda message: visit._heard(message))
        visit.page.on("pageerror", lambda error: visit.wrong.append(f"error: {error}"))
        visit.page.on("request", lambda request: visit._asked(request.url))
        visit.page.goto(address)
        # The printed link answers with a small page that leads to the first one.
        visit.page.wait_for_url(lambda url: "/open" not in url)
        visit.page.wait_for_load_state("networkidle")
        return visit

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.wrong.append(f"console: {message.text} ({message.location})")

    def _asked(self, url: str) -> None:
        if not url.startswith((self.address, "data:", "blob:")):
            self.wrong.append(f"request to {url}")

    def check(self, *, quick: bool = False) -> None:
        """Nothing was wrong so far, and this page fits its window and, if not quick, is accessible.

        The check of accessibility takes longest of all.
        """
        self.page.wait_for_load_state("networkidle")
        wide = self._overflow()
        faults = self.wrong + ([f"{wide} pixels too wide"] if wide > 0 else [])
        faults += [] if quick else self._inaccessible()
        assert not faults, f"{self.page.url}: {faults}"

    def _inaccessible(self) -> list[str]:
        from axe_playwright_python.sync_playwright import Axe

        violations = Axe().run(self.page).response["violations"]
        return [
            f"{fault['id']}: {fault['help']}: {[node['html'][:160] for node in fault['nodes'][:3]]}"
            for fault in violations
            if fault["impact"] in ("serious", "critical")
        ]

    def _overflow(self) -> int:
        """By how many pixels the page is wider than its window."""
        inside = "document.documentElement"
        return int(self.page.evaluate(f"{inside}.scrollWidth - {inside}.clientWidth"))


def visit(browser: Browser, address: str, width: int, language: str, scheme: str) -> Visit:
    """A window of its own of this width, in this language and with light or dark colours."""
    context = browser.new_context(
        viewport={"width": width, "height": SIZES[width]},
        locale=language,
        color_scheme=scheme,  # type: ignore[arg-type]
        accept_downloads=True,
    )
    context.set_default_timeout(PATIENCE)
    return Visit.begin(context, address)
