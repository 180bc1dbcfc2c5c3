"""Takes the picture of the demo's report for the README: ``make demo``, then this script.

Needs a Chromium; ``--browser`` names it where it is not on the path.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAMES = ("chromium", "chromium-browser", "google-chrome")


def main() -> None:
    """Let the browser draw the page and keep the image."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("--report", type=Path, default=ROOT / "demo-report")
    add("-o", "--out", type=Path, default=ROOT / "docs" / "pictures" / "report.png")
    add("--size", default="1280,900", help="width,height in pixels")
    add("--browser", default=next(filter(None, map(shutil.which, NAMES)), None))
    asked = parser.parse_args()
    page = asked.report.resolve() / "report.html"
    if not page.is_file():
        parser.error(f"there is no {page}: run make demo first, or name a report with --report")
    if asked.browser is None:
        parser.error("no Chromium was found: install it, or name it with --browser")
    with tempfile.TemporaryDirectory() as profile:
        command = [asked.browser, "--headless", "--no-sandbox", "--disable-gpu"]
        command += ["--hide-scrollbars", f"--user-data-dir={profile}"]
        command += [f"--window-size={asked.size}", f"--screenshot={asked.out.resolve()}"]
        subprocess.run([*command, page.as_uri()], check=True, capture_output=True, timeout=120)
    print(asked.out)


if __name__ == "__main__":
    main()
