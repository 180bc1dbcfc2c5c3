"""Step 5: what is compared with a list is what the search has decided."""

from __future__ import annotations

import csv
import itertools
import json
import re
import shutil
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from fastapi.testclient import TestClient

import twinset
from tests.web.conftest import COLLECTION, finished, jobs_in
from twinset.cli import app
from twinset.web.settings import Settings

Pair = frozenset[str]


def inside(groups: dict[str, set[str]]) -> set[Pair]:
    """Two that one group holds, by the plainest of ways."""
    pairs = (itertools.combinations(group, 2) for group in groups.values())
    return {frozenset(pair) for pair in itertools.chain.from_iterable(pairs)}


def grouped(rows: list[dict[str, str]]) -> dict[str, set[str]]:
    groups: dict[str, set[str]] = {}
    for row in rows:
        groups.setdefault(row["cluster"], set()).add(row["id"])
    return groups


def searched(client: TestClient, **clusters: str) -> str:
    """A finished search over the licences with the papers' image."""
    answer = client.post("/search/new", data={"path": str(COLLECTION / "licenses.jsonl")})
    name = answer.url.path.split("/")[2]
    image = {"method.minhash.image": "bottom", "method.minhash.image.bottom.size": "100"}
    assert client.post(f"/search/{name}/image", data=image | {"go": "next"}).status_code == 200
    client.post(f"/search/{name}/clusters", data={**clusters, "go": "start"})
    finished(client, name)
    return name


def compared(client: TestClient, name: str, **form: str) -> str:
    """The comparison as it is shown when it is over, the newest one."""
    page = client.post(f"/search/{name}/compare", data=form).text
    part = re.findall(r'hx-get="(/job/[^"]+/part)"', page)[0]
    end = time.monotonic() + 30
    while "every 700ms" in (shown := client.get(part).text):
        assert time.monotonic() < end, shown
        time.sleep(0.1)
    return shown


def tiles(page: str) -> list[int]:
    return [int(value.replace(",", "")) for value in re.findall(r"<dd[^>]*>([\d,]+)</dd>", page)]


def _log(page: str) -> str:
    return re.findall(r"<figure class=\"log\">.*?<pre[^>]*>(.*?)</pre>", page, re.S)[0].rstrip()


@pytest.fixture
def truth(settings: Settings) -> Path:
    """Licences with the same key, as clusters."""
    source = COLLECTION.parent / "clusters.csv"
    return Path(shutil.copy(source, settings.roots[1] / "known.csv"))


def test_page_command_line_and_library_compare_the_closed_sets(
    client: TestClient, settings: Settings, truth: Path
) -> None:
    name = searched(client, clusters="closed")
    out = Path(jobs_in(settings).find(name).out)
    together = inside(grouped(pq.read_table(out / "clusters.parquet").to_pylist()))
    with truth.open(newline="", encoding="utf-8") as rows:
        true = inside(grouped(list(csv.DictReader(rows))))
    listed = pq.read_table(out / "pairs.parquet").to_pylist()
    by_similarity = {frozenset((row["left"], row["right"])) for row in listed}
    assert together != by_similarity

    def five(pairs: set[Pair]) -> list[int]:
        return [len(true), len(pairs), len(pairs & true), len(true - pairs), len(pairs - true)]

    log = [len(true), len(together), len(true - together), len(together - true)]
    log.append(len(together & true))
    shown = compared(client, name, truth=str(truth))
    assert tiles(shown) == five(together)
    assert [int(line.split(": ")[1]) for line in _log(shown).splitlines()] == log
    address = re.findall(r'href="(/job/[^"]+/file/comparator.txt[^"]*)"', shown)[0]
    assert client.get(address).text == _log(shown) + "\n"

    by_pairs = compared(client, name, truth=str(truth), by="pairs")
    assert tiles(by_pairs) == five(by_similarity)
    assert "Compared: pairs by similarity." in by_pairs

    names = ("reference", "found", "common", "only_in_reference", "only_in_found")
    printed = CliRunner().invoke(
        app, ["lab", "evaluate", str(out), "--truth", str(truth), "--json"]
    )
    assert [json.loads(printed.stdout)[name] for name in names] == five(together)
    result = twinset.evaluate(out, truth)
    assert [getattr(result, name) for name in names] == five(together)

    results = client.get(f"/search/{name}/results").text
    assert len(together) in tiles(results)
    report = re.findall(r'href="(/report/[^"/]+)"', results)[0]
    assert f'id="count-in-sets">{len(together):,}<' in client.get(report).text

    other = searched(client, clusters="anchored")
    against = compared(client, other, other=report.split("/")[2])
    assert tiles(against)[0] == len(together)
    assert "Compared:" not in against
