"""``twinset plan --engine spark``: what a run on a cluster will take."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated, Any

from twinset.cli.options import Engine
from twinset.cli.output import say
from twinset.cli.parameters import option
from twinset.cli.progress import duration
from twinset.cli.running import spark_of
from twinset.errors import PlanError
from twinset.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from twinset.engine.predict import Cost
    from twinset.engine.spark.planning import SparkSize
    from twinset.methods.base import Search
    from twinset.plan import Plan

DOCUMENT_BYTES, LINKED, EXECUTORS, CORES, TRANSFER = "4KB", 0.25, 2, 4, "100MB"


@dataclass(eq=False, repr=False)
class Machines:
    """Where a run shall be, and how large collection and cluster are."""

    engine: Engine = None
    documents: Annotated[
        float | None,
        option(
            "--documents",
            metavar="N",
            help="With --engine spark: number of documents, for example 1e10.",
            shown="as many as the input has",
            group="Resources",
        ),
    ] = None
    document_bytes: Annotated[
        str | None,
        option(
            "--document-bytes",
            metavar="SIZE",
            help="With --engine spark: average size of a document's text.",
            shown=f"that of the input, or {DOCUMENT_BYTES}",
            group="Resources",
        ),
    ] = None
    linked: Annotated[
        float | None,
        option(
            "--linked",
            metavar="SHARE",
            help="With --engine spark: share of documents that resemble others.",
            shown=str(LINKED),
            group="Resources",
        ),
    ] = None
    executors: Annotated[
        int | None,
        option(
            "--executors",
            metavar="N",
            help="With --engine spark: number of executors.",
            shown=str(EXECUTORS),
            group="Resources",
            least=1,
        ),
    ] = None
    cores: Annotated[
        int | None,
        option(
            "--cores",
            metavar="N",
            help="With --engine spark: cores of each executor.",
            shown=str(CORES),
            group="Resources",
            least=1,
        ),
    ] = None
    transfer: Annotated[
        str | None,
        option(
            "--transfer",
            metavar="SIZE",
            help="With --engine spark: bytes that network and disk of an executor move in a "
            "second.",
            shown=TRANSFER,
            group="Resources",
        ),
    ] = None

    @property
    def on_spark(self) -> bool:
        """Whether Spark is meant; raises for options that only make sense there."""
        if spark_of({"engine": self.engine}) is not None:
            return True
        alone = [name for name, value in vars(self).items() if name != "engine" and value]
        if alone:
            flag = alone[0].replace("_", "-")
            raise PlanError([f"--{flag} is for clusters: give --engine spark too, or leave it out"])
        return False

    def size(self, plan: Plan, search: Search, cost: Cost | None) -> SparkSize:
        """The collection, by what was given or by what a look into the input has shown."""
        from twinset.engine.spark.planning import SparkSize, keys_of
        from twinset.plan import parse_bytes

        documents = self.documents or (cost.documents if cost else 0)
        linked = LINKED if self.linked is None else self.linked
        faults = []
        if not documents >= 1:
            faults.append("how many documents there are is not known: name IN, or give --documents")
        if not 0 <= linked <= 1:
            faults.append(f"linked must be from 0 to 1, not {linked:g}")
        if faults:
            raise PlanError(faults)
        if self.document_bytes or not (cost and cost.documents):
            length = float(parse_bytes(self.document_bytes or DOCUMENT_BYTES))
        else:
            length = cost.bytes / cost.documents
        return SparkSize(
            documents,
            length,
            keys_of(plan, search, length),
            linked,
            self.executors or EXECUTORS,
            self.cores or CORES,
            parse_bytes(self.transfer or TRANSFER),
        )


def spark_values(size: SparkSize) -> dict[str, Any]:
    """What was assumed and what follows, for JSON."""
    from twinset.engine.spark.planning import spark_cost

    cost = spark_cost(size)
    return {"size": dataclasses.asdict(size), "cost": dataclasses.asdict(cost)}


def print_spark(size: SparkSize) -> None:
    """The same for people."""
    from twinset.engine.spark.planning import spark_cost

    cost = spark_cost(size)
    say(
        f"\nOn Spark: {size.documents:,.0f} documents of {_bytes(size.document_bytes)}, "
        f"{_bytes(size.amounts['bytes'])} in all; {size.keys:,.0f} keys each; "
        f"{size.linked:.0%} of them resemble others;\n{size.executors:,} executors of {size.cores} "
        f"cores, each moving {_bytes(size.transfer)} a second.\n"
    )
    say(f"{'stage':<18}{'CPU hours':>12}{'shuffle':>12}{'time':>14}")
    for stage, seconds in cost.seconds.items():
        cpu, moved = cost.cpu.get(stage), cost.shuffle_bytes.get(stage)
        hours = "" if cpu is None else f"{cpu / 3600:,.1f}"
        say(f"{stage:<18}{hours:>12}{_bytes(moved) if moved else '':>12}{duration(seconds):>14}")
    hours = f"{sum(cost.cpu.values()) / 3600:,.1f}"
    shuffled, time = _bytes(sum(cost.shuffle_bytes.values())), duration(sum(cost.seconds.values()))
    say(f"{'together':<18}{hours:>12}{shuffled:>12}{time:>14}")
    say(
        f"\nMemory: {cost.executor_mb:,} MB for each executor, {cost.driver_mb:,} MB for the "
        f"driver. Tables in between: {_bytes(cost.work_bytes)}. Tasks that read: {cost.tasks:,}; "
        f"parts of a table: {cost.partitions:,}."
    )


def _bytes(count: float) -> str:
    """An amount in the unit that suits it."""
    for unit in ("bytes", "KB", "MB", "GB", "TB"):
        if count < 999.5 or unit == "TB":
            break
        count /= 1000
    return f"{count:,.0f} {unit}" if count >= 99.5 or unit == "bytes" else f"{count:,.1f} {unit}"
