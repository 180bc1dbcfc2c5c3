"""From the arguments of `find` and `dedup` to a run on Spark, once everything is checked."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from twinset.engine.spark.checks import refusals
from twinset.engine.spark.choosing import documents_for_spark
from twinset.engine.spark.faults import explained
from twinset.engine.spark.session import open_session, settled, with_work
from twinset.engine.spark.watching import watched
from twinset.errors import PlanError
from twinset.plan import Plan

if TYPE_CHECKING:
    from twinset.engine.progress import Progress
    from twinset.engine.spark.engine import SparkEngine


def start(
    documents: Any,
    given: dict[str, Any],
    engine: SparkEngine,
    *,
    dedup: bool,
    progress: Progress | None,
) -> Any:
    """Check the options by name, open a session and run; a session of ours stays open.

    The DataFrames of the findings need it. It ends with the process, or by its own ``stop``.
    """
    beside = {name: given.pop(name) for name in ("threads", "memory", "resume")}
    plan = Plan.make(**given)
    if faults := refusals(plan, **beside):
        raise PlanError(faults)
    documents = documents_for_spark(documents)
    run = import_module("twinset.engine.spark.run").run
    spark = with_work(open_session(engine))
    log = getattr(spark.session, "twinset_log", None)
    with explained(log=log), settled(spark.session), watched(spark.session, progress) as watch:
        return run(documents, plan, dedup=dedup, engine=spark, progress=watch)
