"""``find`` and ``dedup`` on Spark: one session for the run and the report, closed at the end.

A file of its own, since a local run must load nothing of Spark.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from twinset.cli.answer import Answer
from twinset.cli.output import ensure_read, print_json
from twinset.cli.progress import shown
from twinset.errors import PlanError
from twinset.plan.reading import OutputForm
from twinset.reading.paths import expand
from twinset.result import ensure_free as ensure_free_here
from twinset.run.progress import Silent
from twinset.spark.checks import refusals
from twinset.spark.session import explained, opened, with_work
from twinset.system.remote import is_remote
from twinset.system.schemes import ensure_no_secret

if TYPE_CHECKING:
    from twinset.cli.options import OutputOptions, ReportTarget
    from twinset.plan import Plan
    from twinset.spark.engine import SparkEngine


class FolderName(str):
    """A folder of whatever file system Spark has, which need not be one that we know."""

    def __truediv__(self, below: str) -> FolderName:
        return FolderName(f"{self.rstrip('/')}/{below}")


class SparkAnswer(Answer):
    """The lines of a finished run that need no table of the size of the collection."""

    @property
    def largest(self) -> list[Any]:
        """None: clusters are looked at in their table."""
        return []

    def next_commands(self) -> list[str]:
        """None: what comes next is done with Spark."""
        return []

    def _removed_files(self) -> list[int]:
        return []


def run_on_spark(
    name: str,
    inputs: list[str],
    target: ReportTarget,
    output: OutputOptions,
    options: dict[str, Any],
    form: dict[str, Any],
    plan: Plan,
    engine: SparkEngine,
) -> None:
    """Run the command on a cluster, save the report and print the summary."""
    beside: dict[str, Any] = {key: options.get(key) for key in ("threads", "memory")}
    about: dict[str, Any] = {"out": target.out, "inputs": tuple(inputs), "resume": target.resume}
    if faults := refusals(plan, form=OutputForm.make(**form), **about, **beside):
        raise PlanError(faults)
    for named in (target.out, *inputs):  # Hadoop would take them
        ensure_no_secret(named)
    absent = [path for path in inputs if not is_remote(path) and not os.path.lexists(path)]
    if absent:  # or patterns
        expand(absent, plan.read, regular=True)
    if not is_remote(target.out):
        ensure_free_here(target.out, target.force, inputs)
    with shown(output.quiet) as bar, opened(engine) as spark:
        from twinset.spark.run import run
        from twinset.spark.saving import ensure_free
        from twinset.spark.work import removed_at_end

        session = spark.session
        ensure_free(session, target.out, target.force)
        spark = with_work(spark, target.out)
        with (
            removed_at_end(session, spark.work),
            explained(log=getattr(session, "twinset_log", None)),
        ):
            listener = bar or Silent()
            dedup = name == "dedup"
            findings: Any = run(inputs, plan, dedup=dedup, engine=spark, progress=listener)
            ensure_read(findings.manifest, as_json=output.json)
            listener.stage("writing", None)
            folder = findings.save(target.out, target.force, target.language, **form)
        place: Any = FolderName(folder)
        answer = SparkAnswer(name, tuple(inputs), options, findings, place)
        listener.close()
        if output.json:
            print_json({"report": str(folder), **findings.manifest})
        else:
            answer.print(verbose=output.verbose)
