"""``find`` and ``dedup`` on Spark: one session for the run and the report, closed at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from twinset.cli.answer import Answer
from twinset.cli.output import print_json, unread
from twinset.cli.progress import progress
from twinset.engine.spark.checks import refusals
from twinset.engine.spark.faults import explained
from twinset.engine.spark.places import ensure_free, ensure_places_here
from twinset.engine.spark.session import opened, settled, with_work
from twinset.engine.spark.watching import watched
from twinset.engine.spark.work import removed_at_end
from twinset.errors import PlanError
from twinset.plan.output import OutputForm
from twinset.system.remote import path_or_address

if TYPE_CHECKING:
    from twinset.cli.request import RunRequest
    from twinset.engine.spark.engine import SparkEngine
    from twinset.plan import Plan


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


def run_on_spark(request: RunRequest, plan: Plan, engine: SparkEngine) -> None:
    """Run the command on a cluster, save the report and print the summary."""
    from twinset import api

    inputs, target, options = request.inputs, request.target, request.options
    output = request.output
    beside = {key: options.get(key) for key in ("threads", "memory")}
    if faults := refusals(
        plan,
        out=target.out,
        inputs=tuple(inputs),
        resume=target.resume,
        form=OutputForm.make(**request.form),
        **beside,
    ):
        raise PlanError(faults)
    ensure_places_here(target.out, target.force, inputs, plan.read)
    bar = progress(output.quiet)
    try:
        with opened(engine) as spark:
            ensure_free(spark.session, target.out, target.force)
            paths = [path_or_address(path) for path in inputs]
            spark = with_work(spark, target.out)
            run = getattr(api, request.name)
            session = spark.session
            log = getattr(session, "twinset_log", None)
            with removed_at_end(session, spark.work):
                findings = run(paths, progress=bar, **options | {"engine": spark})
                with explained(log=log), settled(session), watched(session, bar) as watch:
                    watch.stage("writing", None)
                    folder = findings.save(
                        target.out, target.force, target.language, **request.form
                    )
            place: Any = FolderName(folder)
            answer = SparkAnswer(request.name, tuple(inputs), options, findings, place)
            if bar is not None:
                bar.close()
            if output.json:
                print_json({"report": str(folder), **findings.manifest})
            else:
                answer.print(verbose=output.verbose)
            fault = findings.manifest["unread"]
    finally:
        if bar is not None:
            bar.close()
    if fault:
        raise unread(fault, place)
