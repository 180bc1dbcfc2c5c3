"""How quick the list of what can go is for 20,000 files of 2 GB.

    python benchmarks/folder_page.py [--folder DIR] [--report DIR]

Makes the folder from a seed unless one is named, searches it with the preset ``files``, and asks
the page for what a person would: the first screen, a filter, another order, marks, a whole rule.
Prints wall and CPU seconds of each, and keeps them in ``results/folder_page.json``.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from tests.folders.maker import make_folder  # noqa: E402

RESULTS = HERE / "results" / "folder_page.json"
FILMS, FILM = 3_600, 500_000
HX = {"hx-request": "true"}
LOOKS: dict[str, dict[str, str]] = {
    "again": {},
    "filter": {"q": "lease"},
    "by size": {"sort": "size"},
    "alike, but stay": {"part": "stay"},
    "not read": {"part": "unread"},
}


def fill(folder: Path) -> None:
    """Some 16,000 files of documents, and films of two gigabytes, a ninth of them twice."""
    make_folder(folder, 7, 36)
    draw = random.Random(5)
    for number in range(FILMS):
        place = folder / "Films" / str(number % 37)
        place.mkdir(parents=True, exist_ok=True)
        content = draw.randbytes(FILM + number)
        (place / f"clip{number}.mov").write_bytes(content)
        if number % 9 == 0:
            (place / f"clip{number} (1).mov").write_bytes(content)


def search(folder: Path, report: Path) -> dict[str, Any]:
    """One run of the command; its own figures."""
    command = ["find", str(folder), "--preset", "files", "-o", str(report), "-q"]
    subprocess.run(
        [sys.executable, "-m", "twinset", *command], check=True, stdout=subprocess.DEVNULL
    )
    manifest = json.loads((report / "manifest.json").read_text("utf-8"))
    return {name: manifest[name] for name in ("cpu_seconds", "peak_memory_mb", "timings")} | {
        "documents": manifest["counts"]["documents"],
        "pairs": manifest["counts"]["pairs"],
    }


def timed(call: Callable[[], Any]) -> tuple[dict[str, float], Any]:
    """Wall and CPU seconds of a call, and what it gave."""
    wall, cpu = time.perf_counter(), time.process_time()
    answer = call()
    seconds = time.perf_counter() - wall, time.process_time() - cpu
    return {"wall": round(seconds[0], 3), "cpu": round(seconds[1], 3)}, answer


def clicks(folder: Path, report: Path, home: Path) -> dict[str, Any]:
    """What the page answers, in the order in which a person would ask."""
    from fastapi.testclient import TestClient

    from twinset.web.app import create_app, settings_for

    settings = settings_for(str(report), roots=[folder], home=home)
    client = TestClient(create_app(settings), base_url=settings.place)
    client.headers["Origin"] = settings.place
    client.get("/open", params={"token": settings.token})
    address = settings.first  # a report of files opens at the list
    seconds: dict[str, Any] = {}

    def measure(name: str, call: Callable[[], Any]) -> str:
        seconds[name], answer = timed(call)
        assert answer.status_code == 200, (name, answer.status_code)
        return str(answer.text)

    page = measure("first screen", lambda: client.get(address))
    for name, query in LOOKS.items():
        measure(name, lambda query=query: client.get(address, params=query))
    measure("folders", lambda: client.get(f"{address}/folders"))
    marks = re.findall(r'"document": (\d+), "group": (\d+)', page)
    for goes in ("", "yes"):
        document, group = marks[3]
        data = {"document": document, "group": group, "goes": goes}
        name = "mark" if goes else "unmark"
        measure(name, lambda data=data: client.post(f"{address}/mark", data=data, headers=HX))
    measure("settle identical files", lambda: client.post(f"{address}/settle"))
    measure("what will happen", lambda: client.get(f"{address}/remove"))
    return seconds


def main() -> None:
    """Make, search, click, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--report", type=Path)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = chosen.folder or Path(scratch) / "folder"
        if chosen.folder is None:
            fill(folder)
        report = chosen.report or Path(scratch) / "report"
        found = search(folder, report) if chosen.report is None else None
        result = {"search": found, "page": clicks(folder, report, Path(scratch) / "home")}
    print(json.dumps(result, indent=1))
    if chosen.report is None:
        RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
