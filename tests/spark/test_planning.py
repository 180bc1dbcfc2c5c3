"""What a run on Spark is predicted to take: rates times amounts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from twinset.engine.predict import candidates
from twinset.engine.spark.planning import CPU, SHUFFLE, SparkSize, keys_of, spark_cost
from twinset.plan import Plan, Resources

SIZE = SparkSize(1e9, 4000, 16, 0.25, 100, 4, 1e8)


def keys(length: float = 600, **options: object) -> float:
    plan = Plan.make(**options)
    return keys_of(plan, candidates(plan, Resources.make(threads=1)), length)


def test_twice_the_documents_move_twice_the_bytes() -> None:
    one, two = spark_cost(SIZE), spark_cost(replace(SIZE, documents=2e9))
    for stage in SHUFFLE:
        assert two.shuffle_bytes[stage] == pytest.approx(2 * one.shuffle_bytes[stage])
    for stage in CPU:
        assert two.cpu[stage] == pytest.approx(2 * one.cpu[stage])
    assert two.work_bytes == pytest.approx(2 * one.work_bytes)


def test_twice_the_executors_take_half_the_time_but_for_the_start() -> None:
    one, two = spark_cost(SIZE), spark_cost(replace(SIZE, executors=200))
    assert {name for name in one.seconds if one.seconds[name] == two.seconds[name]} == {"start"}
    for stage in CPU:
        assert two.seconds[stage] == pytest.approx(one.seconds[stage] / 2)
    assert one.executor_mb == two.executor_mb


def test_more_linked_documents_move_more_texts() -> None:
    none, all_ = (spark_cost(replace(SIZE, linked=share)) for share in (0, 1))
    assert 0 < none.shuffle_bytes["compare"] < all_.shuffle_bytes["compare"] < 2 * 1e9 * 4000
    assert none.shuffle_bytes["link"] == all_.shuffle_bytes["link"]


def test_keys_are_those_of_the_method() -> None:
    assert keys() == 16
    assert keys(threshold=0.5) == 35
    assert keys(method="exact", threshold=0.8) == pytest.approx(21)
    assert keys(method="md5") == 1
