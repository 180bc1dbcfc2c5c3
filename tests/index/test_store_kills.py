"""Kills in the middle of adding: what was acknowledged is found, and nothing is half there."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from random import Random

import pytest

from tests.index.pairs import OPTIONS, add, text
from tests.index.postgres.server import Server
from twinset.errors import TwinsetError
from twinset.index import Index

Opened = Callable[..., Index]
SIZE = 5
"""Documents of a batch, which is there whole or not at all."""
ADD = """
import sys
from itertools import count
from tests.index.pairs import add
from tests.index.test_store_kills import batch
from twinset.index import Index, folder
folder.FEW, folder.RECENT, folder.TIER = 3, 20, 3  # so that files of keys are made and merged
index = Index.open(sys.argv[1])
for number in count(int(sys.argv[2])):
    add(index, batch(number))
    print(number, flush=True)
"""


def batch(number: int) -> dict[str, str]:
    return {f"{number}-{place}": text(number * SIZE + place) for place in range(SIZE)}


def verify(index: Index, acknowledged: list[int]) -> int:
    """Look at all documents; the next number that was not used."""
    there = dict(index.documents())
    batches = {int(id.partition("-")[0]) for id in there}
    assert set(acknowledged) <= batches
    assert there == {id: content for number in batches for id, content in batch(number).items()}
    assert index.check() == []
    for number in acknowledged[-3:]:
        for id, content in batch(number).items():
            [answer] = index.query_texts([None], [content])
            assert [match.id for match in answer.matches] == [id]
    return max(batches, default=-1) + 1


def kill_adding_programs(place: str, opened: Opened, times: int) -> None:
    opened(place, **OPTIONS)
    chosen, acknowledged, first = Random(times), list[int](), 0
    for _ in range(times):
        program = subprocess.Popen(
            [sys.executable, "-c", ADD, place, str(first)], stdout=subprocess.PIPE, text=True
        )
        assert program.stdout is not None
        for _ in range(chosen.randint(1, 20)):
            acknowledged.append(int(program.stdout.readline()))
        time.sleep(chosen.random() * 0.02)
        program.kill()
        acknowledged += [int(line) for line in program.stdout.read().splitlines()]
        program.wait()
        program.stdout.close()
        with Index.open(place) as index:  # a hundred that stay open are more than a server admits
            first = verify(index, acknowledged)


def test_a_killed_program_loses_nothing_that_was_acknowledged(place: str, opened: Opened) -> None:
    kill_adding_programs(place, opened, 1)


@pytest.mark.long
def test_many_killed_programs_lose_nothing(place: str, opened: Opened) -> None:
    kill_adding_programs(place, opened, 100)


def kill_servers(server: Server, address: str, opened: Opened, times: int) -> None:
    index = opened(address, **OPTIONS)
    chosen, acknowledged, first = Random(times), list[int](), 0
    for _ in range(times):
        enough = threading.Event()

        def fill(first: int, least: int, enough: threading.Event) -> None:
            number = first
            try:
                while True:
                    add(index, batch(number))
                    acknowledged.append(number)
                    number += 1
                    if number - first >= least:
                        enough.set()
            except TwinsetError:
                enough.set()

        writer = threading.Thread(target=fill, args=(first, chosen.randint(1, 20), enough))
        writer.start()
        assert enough.wait(60)
        time.sleep(chosen.random() * 0.02)
        server.kill()
        writer.join(60)
        assert not writer.is_alive()
        server.start()
        first = verify(index, acknowledged)


def test_a_killed_server_loses_nothing_that_was_acknowledged(
    postgres: Server, address: str, opened: Opened
) -> None:
    kill_servers(postgres, address, opened, 2)


@pytest.mark.long
def test_many_killed_servers_lose_nothing(postgres: Server, address: str, opened: Opened) -> None:
    kill_servers(postgres, address, opened, 100)
