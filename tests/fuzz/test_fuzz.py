"""A short turn of the fuzz targets, always the same one, as part of the ordinary tests."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import pytest

from tests.fuzz import fuzz
from tests.fuzz.mutation import Target, make_input
from twinset.errors import TwinsetError

TURNS, MANY_TURNS = 40, 2000
TARGETS = fuzz.known_targets()
NAMES = [target.name for target in TARGETS]


def survive(target: Target, turns: int) -> None:
    rng = random.Random(target.name)
    seeds = target.seeds()
    for _ in range(turns):
        with suppress(TwinsetError):  # a clear refusal is as good as reading on
            target.function(make_input(seeds, rng))


@pytest.mark.parametrize("target", TARGETS, ids=NAMES)
@pytest.mark.filterwarnings("ignore")
def test_survives_mutations(target: Target) -> None:
    survive(target, TURNS)


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS, ids=NAMES)
@pytest.mark.filterwarnings("ignore")
def test_survives_many_mutations(target: Target) -> None:
    survive(target, MANY_TURNS)


@pytest.mark.parametrize("target", TARGETS, ids=NAMES)
def test_every_seed_is_used(target: Target) -> None:
    rng = random.Random(1)
    seeds = [seed for seed in target.seeds() if seed]
    inputs = [make_input(seeds, rng) for _ in range(60 * len(seeds))]
    assert seeds
    for seed in seeds:
        assert any(seed in data for data in inputs)
        changed = [data for data in inputs if seed[:12] in data and data != seed]
        assert changed


def test_only_what_is_no_sentence_is_a_fault_and_each_is_reported_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(fuzz, "KEPT", tmp_path / "build" / "input")

    def fail(data: bytes) -> None:
        raise KeyError(data)

    def refuse(data: bytes) -> None:
        raise TwinsetError("no; give another")

    targets = [Target("bad", fail, lambda: [b"x"]), Target("good", refuse, lambda: [b"y"])]
    _, faults = fuzz.feed(targets, random.Random(3), lambda inputs, _: inputs == 20)
    (kept,) = faults.seen.values()
    assert kept.name == "bad-0"
    assert f"bad failed on {kept.read_bytes()!r}" in capsys.readouterr().err
