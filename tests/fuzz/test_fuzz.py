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
def test_seeds_are_well_formed(target: Target) -> None:
    for seed in target.seeds():
        # A refusal here would mean that mutations never get past the door.
        texts = target.function(seed)
        assert not isinstance(texts, list) or None not in texts


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


def test_what_the_formats_are() -> None:
    assert {"docx", "docx-body", "pdf", "zip", "fimi", "report", "model", "jsonl"} <= set(NAMES)
    assert len(set(NAMES)) == len(NAMES)


def test_the_driver_feeds_each_target_from_its_own_seeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuzz, "KEPT", tmp_path / "input")
    eaten: dict[str, list[bytes]] = {"first": [], "second": []}
    targets = [
        Target("first", eaten["first"].append, lambda: [b"apple" * 8]),
        Target("second", eaten["second"].append, lambda: [b"prune" * 8, b"grape" * 8]),
    ]
    inputs, faults = fuzz.feed(targets, random.Random(2), lambda inputs, _: inputs == 400)
    assert (inputs, faults.seen) == (400, {})
    first, second = (b"|".join(eaten[name]) for name in ("first", "second"))
    assert len(eaten["first"]) == len(eaten["second"]) == 200
    assert b"apple" in first
    assert b"prune" not in first
    assert b"grape" not in first
    assert b"prune" in second
    assert b"grape" in second
    assert b"apple" not in second


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
