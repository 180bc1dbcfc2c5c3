"""The engine as an option: as text, as an object, as a session, or by the documents."""

from __future__ import annotations

from typing import Any

import pytest

import twinset
from twinset.errors import PlanError
from twinset.plan import spec
from twinset.spark.engine import (
    OpenedSpark,
    SparkEngine,
    documents_for_spark,
    spark_engine,
)


def test_a_master_is_written_as_spark_writes_it() -> None:
    for master in ("local", "local[*]", "spark://host:7077", "yarn", "k8s://https://host:443"):
        engine = SparkEngine(master)
        assert spec.make("engine", f"spark:{master}") == engine
        assert spec.spell("engine", engine) == f"spark:master={master}"
    engine = spec.make("engine", "spark:master=local[2,4],partitions=8,work=s3a://bucket/w")
    assert engine == SparkEngine("local[2,4]", 8, "s3a://bucket/w")
    for master in ("loca[2]", "local[0]", "local[two]", "host:7077", ""):
        with pytest.raises(PlanError, match="is no address of a cluster; write local"):
            spark_engine(SparkEngine(master))


def test_an_engine_that_is_none_is_refused() -> None:
    with pytest.raises(PlanError, match=r"engine must be .* not dict"):
        twinset.find(["a text"], engine={})
    with pytest.raises(PlanError, match="there is no engine 'sparc'; did you mean 'spark'"):
        twinset.find(["a text"], engine="sparc:local[2]")


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
