"""Every miner and kind of sets against the definition, and what is each algorithm's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from twinset.cli import app
from twinset.finding.clusters.closed_sets import Context
from twinset.finding.clusters.mine import ALGORITHMS
from twinset.finding.clusters.mine.fimi import read_fimi
from twinset.finding.clusters.mine.miners import Transactions, choose, mine
from twinset.model import Ragged

CASES = [(name, kind) for name, miner in ALGORITHMS.items() for kind in miner.kinds]
PRUNED = [n for n, m in ALGORITHMS.items() if n != "search" and not m.needs_pyfim]
Lines = list[frozenset[int]]


def table_of(lines: Lines, items: int) -> Transactions:
    return Transactions(Ragged.from_rows([sorted(line) for line in lines], np.int32), items)


FIMI = Path(__file__).resolve().parents[3] / "shared" / "data" / "fimi"
KNOWN = [
    ("mushroom", 813, 4_885, 547),
    ("mushroom", 82, 51_640, 6_768),
    ("chess", 2_238, 23_892, 891),
    ("retail", 177, 2_691, 1_341),
]


@pytest.mark.shared
@pytest.mark.parametrize(("name", "support", "closed", "maximal"), KNOWN)
def test_public_sets_have_as_many_as_is_known(
    name: str, support: int, closed: int, maximal: int
) -> None:
    file = FIMI / f"{name}.dat.gz"
    if not file.is_file():
        pytest.skip(f"{file} is missing")
    table = read_fimi(file).table
    kinds: list[tuple[Any, int]] = [("closed", closed), ("maximal", maximal)]
    for kind, count in kinds:
        sets = [mine(n, table, support, kind, 1) for n in PRUNED if kind in ALGORITHMS[n].kinds]
        assert all(len(s) == count and s == sets[0] for s in sets)


def test_auto_takes_the_search_for_near_duplicates_alone() -> None:
    rng = np.random.default_rng(3)
    images = [set(range(100 * d, 100 * d + 100)) for d in range(200)]
    images += [image - {min(image)} | {10**6 + n} for n, image in enumerate(images)]
    near = Transactions.of(Context.of(images))
    kinds: list[Any] = ["closed", "maximal"]
    for kind in kinds:
        name, reason = choose(near, 90, kind)
        assert name == "search"
        assert "near-duplicates" in reason
    market = table_of([frozenset(rng.integers(0, 50, 8).tolist()) for _ in range(300)], 50)
    assert choose(market, 5, "closed")[0] == "lcm"
    assert choose(market, 5, "maximal")[0] == "mafia"
    assert choose(market, 500, "closed") == ("lcm", "no item is frequent")
    many = table_of([frozenset(range(30_000))] * 3, 30_000)
    assert choose(many, 2, "maximal")[0] == "afopt"


def test_the_command_says_which_miner_it_takes_and_why(tmp_path: Path) -> None:
    (tmp_path / "f.dat").write_text("1 2 3\n1 2\n2 3\n", encoding="ascii")
    arguments = ["lab", "mine", str(tmp_path / "f.dat"), "--support", "2", "--least-items", "1"]
    done = CliRunner().invoke(app, arguments)
    assert done.stdout == "1 2 2\n2 3 2\n"
    assert (
        done.stderr == "note: algorithm mafia: 3 items are frequent, in 2 of 3 lines on average\n"
    )
    quiet = CliRunner().invoke(app, [*arguments, "--closed", "--quiet"])
    assert (quiet.stdout, quiet.stderr) == ("1 2 2\n2 3\n2 3 2\n", "")
