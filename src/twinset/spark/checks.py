"""What the Spark engine refuses, before anything starts: each with the reason and the remedy.

Plans are made and checked as for a local run; what is here needs the whole collection in one place,
or a machine's own files.
"""

from __future__ import annotations

from typing import Any

from twinset.finding.clusters.base import ClustersOfImages
from twinset.plan import Plan, Resources
from twinset.plan.reading import OutputForm
from twinset.plan.spec import name_of
from twinset.run.searching import begin

LOCAL = "run with --engine local"
OF_ONE_MACHINE = {
    "learned": "its model looks at signals of the whole collection",
    "asked": "its model looks at signals of the whole collection",
    "vectors": "they are joined in the memory of one machine",
}
"""Methods that only the local engine runs, and why."""


def refusals(
    plan: Plan,
    *,
    out: str | None = None,
    inputs: tuple[str, ...] = (),
    threads: int | None = None,
    memory: int | str | None = None,
    resume: Any = None,
    form: OutputForm | None = None,
) -> list[str]:
    """What of a run cannot be done on Spark, a sentence each; empty where all of it can be."""
    if plan.by_units:
        level = name_of("level", plan.level)
        return [f"level {level} is for one machine: leave it out, or {LOCAL}"]
    asked = {
        "kinds yes compares the files of a person side by side, which Spark does not: leave it "
        f"out, or {LOCAL}": plan.kinds == "yes",
        f"target {plan.target} is sought on one machine: give a threshold, or {LOCAL}": plan.target
        is not None,
        f"threads {threads} is for one machine: write spark:master=local[{threads}], or let the "
        "cluster decide": threads,
        f"memory {memory} is for one machine: give Spark spark.executor.memory and "
        "spark.driver.memory, by spark-submit --conf or in spark-defaults.conf": memory,
        "resume is for one machine: Spark does again what is lost; leave it out": resume,
        f"out - is one stream, and Spark writes folders: name one with -o, or {LOCAL}": out == "-",
        f"Spark cannot read standard input: name files or folders, or {LOCAL}": "-" in inputs,
        f"clusters {name_of('clusters', plan.clusters)} come out of the images of the whole "
        f"collection: take another kind, or {LOCAL}": isinstance(plan.clusters, ClustersOfImages),
    }
    of_form = form_refusals(form or OutputForm())
    return [*_of_method(plan), *_of_reading(plan), *of_form, *_which(asked)]


def _which(asked: dict[str, Any]) -> list[str]:
    return [sentence for sentence, is_asked in asked.items() if is_asked]


def form_refusals(form: OutputForm) -> list[str]:
    """Forms of kept and removed documents that Spark does not write."""
    return _which(
        {
            "annotate is for one machine: join documents.parquet with your documents by their "
            f"ids, or {LOCAL}": form.annotate,
            f"to {form.to}: Spark writes documents in the format of the input; leave it out and "
            f"convert them by Spark, or {LOCAL}": form.to,
        }
    )


def _of_method(plan: Plan) -> list[str]:
    """A method that decides by more than the documents of a pair."""
    name = name_of("method", plan.method)
    called = f"the preset {plan.preset}" if plan.preset else f"the method {name}"
    if name in OF_ONE_MACHINE:
        return [f"{called} cannot run on Spark: {OF_ONE_MACHINE[name]}; {LOCAL}"]
    if not _needs_statistics(plan):
        if begin(plan, Resources.make(threads=1)).has_links:
            return []
        return [
            f"{called} cannot run on Spark: its weights link documents that share no key; {LOCAL}"
        ]
    of_words = (getattr(plan.method, "length", 1), getattr(plan.method, "unit", "word"))
    counts = "give those of a report by --statistics statistics.parquet, or "
    return [
        f"{called} weighs terms by counts of the whole collection, which Spark does not make: "
        f"{counts if of_words == (1, 'word') else ''}{LOCAL}"
    ]


def _needs_statistics(plan: Plan) -> bool:
    """Whether a method counts terms of the collection, in passes of its own or beside the first."""
    about = getattr(plan.method, "about", None)
    by_itself = about is not None and about.needs.startswith("collection statistics")
    if by_itself and plan.statistics is None:
        return True
    return next(begin(plan, Resources.make(threads=1)).surveys(), None) is not None


def _of_reading(plan: Plan) -> list[str]:
    """Options of reading that a machine's own files are needed for."""
    read = plan.read
    return _which(
        {
            "drop-boilerplate counts the paragraphs of the whole collection, which Spark does "
            f"not: leave it out, or {LOCAL}": read.boilerplate is not None,
            f"ocr {read.ocr} reads pictures on one machine: {LOCAL}": read.ocr != "no",
            f"each-file is for the files of one machine: leave it out, or {LOCAL}": read.each_file,
            f"within {' '.join(read.within)} bounds the folders of one machine, not those of a "
            "cluster: leave it out": read.within,
            f"reference {' '.join(read.reference)} is for one machine: leave it out, or "
            f"{LOCAL}": read.reference,
            "Spark reads the texts of documents, and not their raw bytes: let md5 take words or "
            f"text, or {LOCAL}": read.raw,
        }
    )
