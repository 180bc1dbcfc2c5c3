"""The engine as an option: as text, as an object, as a session, or by the documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import twinset
from twinset.errors import PlanError
from twinset.plan import spec
from twinset.run.local import Local
from twinset.spark.engine import (
    OpenedSpark,
    SparkEngine,
    documents_for_spark,
    spark_engine,
)


@pytest.mark.parametrize(
    "master",
    ["local", "local[2]", "local[*]", "spark://host:7077", "yarn", "k8s://https://host:443"],
)
def test_a_master_is_written_as_spark_writes_it(master: str) -> None:
    engine = SparkEngine(master)
    assert spec.make("engine", f"spark:master={master}") == engine
    assert spec.make("engine", f"spark:{master}") == engine
    assert spec.spell("engine", engine) == f"spark:master={master}"


def test_other_options_follow_a_master_in_brackets() -> None:
    engine = spec.make("engine", "spark:master=local[2,4],partitions=8,work=s3a://bucket/w")
    assert engine == SparkEngine("local[2,4]", 8, "s3a://bucket/w")
    assert spec.make("engine", spec.spell("engine", engine)) == engine


@pytest.mark.parametrize("master", ["loca[2]", "local[0]", "local[two]", "host:7077", ""])
def test_a_master_that_is_none_is_refused(master: str) -> None:
    with pytest.raises(PlanError, match="is no address of a cluster; write local"):
        spark_engine(SparkEngine(master))


def test_the_local_engine_by_name_and_as_an_object_is_the_usual_run() -> None:
    texts = ["the same words here again", "the same words here again", "others"]
    usual = twinset.find(texts)
    for engine in ("local", Local()):
        assert twinset.find(texts, engine=engine).pairs.equals(usual.pairs)


def test_an_engine_that_is_none_is_refused() -> None:
    with pytest.raises(PlanError, match=r"engine must be .* not dict"):
        twinset.find(["a text"], engine={})
    with pytest.raises(PlanError, match="there is no engine 'sparc'; did you mean 'spark'"):
        twinset.find(["a text"], engine="sparc:local[2]")


def test_paths_and_addresses_go_to_spark_as_texts() -> None:
    assert documents_for_spark("corpus") == ["corpus"]
    assert documents_for_spark([Path("a.jsonl"), "s3a://bucket/b"]) == ["a.jsonl", "s3a://bucket/b"]


@pytest.mark.parametrize("documents", [["a text", "another"], {"a": "text"}, []])
def test_documents_in_memory_are_refused_with_the_remedy(documents: Any) -> None:
    with pytest.raises(PlanError, match=r"in memory .* make a DataFrame of them"):
        twinset.find(documents, engine="spark:local[2]")


def test_a_session_and_a_frame_of_it_are_engines(spark: Any) -> None:
    frame = spark.createDataFrame([("a", "text")], "id string, text string")
    for engine in (spark_engine(spark), spark_engine(None, frame)):
        assert isinstance(engine, OpenedSpark)
        assert engine.session is spark
    assert documents_for_spark(frame) is frame
    assert spark_engine("local", frame) is None
