"""``twinset plan``."""

from __future__ import annotations

import dataclasses
import sys
from typing import TYPE_CHECKING, Annotated, Any

from twinset.cli.options import (
    InputPaths,
    OutputOptions,
    ReadingOptions,
    ResourceOptions,
    SearchOptions,
    given_options,
)
from twinset.cli.output import one_line, print_json, say
from twinset.cli.parameters import Group, argument, option
from twinset.cli.progress import duration
from twinset.plan import Plan, spec
from twinset.run import predict, searching
from twinset.system.remote import path_or_address

if TYPE_CHECKING:
    from twinset.finding.methods.base import Search
    from twinset.run.predict import Cost


BAR = 40
"""Columns of a chance of 1."""


class MaybeInputs(InputPaths):
    """Inputs that may be left out."""

    inputs: Annotated[
        list[str] | None,
        argument(metavar="IN", help="Files or folders to predict the cost for."),
    ] = None  # type: ignore[assignment]


class Looking(Group):
    """How much of the input is looked at."""

    first: Annotated[
        int, option("--first", metavar="N", help="Show the first N documents as they are read.")
    ] = 0


def command(
    inputs: MaybeInputs,
    search: SearchOptions,
    reading: ReadingOptions,
    looking: Looking,
    resources: ResourceOptions,
    output: OutputOptions,
) -> None:
    """Show what a threshold and a recall mean: bands, S-curve, expected misses, cost.

    With an input, documents and time are predicted from a run over its first megabytes.

    \b
    Example:
      twinset plan --threshold 0.8 --recall 0.99
      twinset plan corpus.jsonl --threshold 0.9 --image oph:size=64
      twinset plan pages --html yes --first 5
    """
    from twinset import plan as plans
    from twinset.reading.preview import preview

    plan = plans.Plan.make(**given_options(search, reading))
    means = plans.Resources.make(**given_options(resources))
    candidates = searching.begin(plan, means)
    paths = [path_or_address(name) for name in inputs.inputs or []]
    beginning = (
        preview(paths, plan.read, documents=looking.first) if paths and looking.first else None
    )
    cost = predict.cost(paths, plan, means) if paths else None
    if output.json:
        first = {} if beginning is None else {"first": dataclasses.asdict(beginning)}
        print_json(_as_json(plan, candidates, cost) | first)
        return
    _print_plan(plan, candidates, cost)
    for shown in beginning.documents if beginning else []:
        say(f"\n{one_line(shown.id, 80)}  {shown.length:,} characters")
        say(f"    {one_line(shown.text, 300)}")


def _as_json(plan: Plan, candidates: Search, cost: Cost | None) -> dict[str, Any]:
    values: dict[str, Any] = {
        "plan": plan.as_dict(),
        "candidates": candidates.describe(),
        "chances": [list(row) for row in predict.chances(plan, candidates)],
    }
    if values["candidates"].get("given"):
        values["plan"]["recall"] = searching.recall(plan, candidates)
    return values if cost is None else values | {"cost": dataclasses.asdict(cost)}


def _print_plan(plan: Plan, candidates: Search, cost: Cost | None) -> None:
    from twinset.result.words import measure, with_article

    solved = candidates.describe()
    name = measure({"plan": plan.as_dict()})
    if candidates.decides:
        say(f"Documents that {candidates.decides} are a pair.")
    else:
        recall = searching.recall(plan, candidates)
        criterion = f"{with_article(name)} of {plan.threshold:g} or more"
        say(f"Pairs at {criterion}: {_how(plan, solved, recall)}.")
    if solved.get("kind") != "join" and predict.chances(plan, candidates):
        _print_curve(plan, candidates)
    if cost is not None:
        say("")
        say(_cost(cost))


def _how(plan: Plan, solved: dict[str, Any], recall: float | None) -> str:
    if solved.get("kind") == "join":
        return f"an exact join, nothing is missed outside groups of {plan.dense:,} that are alike"
    if solved.get("kind") == "bands":
        image = getattr(plan.method, "image", None)
        shape = f"{solved['bands']} bands of {solved['rows']} rows of {spec.spell('image', image)}"
        if solved.get("given"):
            return f"{shape}, as given, with a recall of {recall:.4f} at the threshold"
        return f"{shape}, for a recall of {plan.recall:g}"
    rest = ", ".join(f"{key} {value}" for key, value in solved.items() if key != "kind")
    return f"{solved.get('kind', plan.method)} ({rest}), for a recall of {plan.recall:g}"


def _print_curve(plan: Plan, candidates: Search) -> None:
    """The S-curve, a bar for each similarity."""
    similarity = candidates.describe().get("similarity", "Jaccard similarity")
    mark = "█" if (sys.stdout.encoding or "").lower().replace("-", "") == "utf8" else "#"
    say(f"\nChance that a pair is found, by its {similarity}:\n")
    say("similarity   found    missed of 1,000")
    at = searching.at_threshold(plan, candidates)
    for point, chance in predict.chances(plan, candidates):
        bar = mark * round(BAR * chance)
        here = "  <- threshold" if point == at else ""
        say(f"{point:>10.2f}  {chance:.4f}  {1000 * (1 - chance):>12.1f}  {bar}{here}".rstrip())


def _cost(cost: Cost) -> str:
    megabytes = f"{cost.bytes / 1e6:,.1f} MB"
    return (
        f"The input has {megabytes}; by its first {cost.sampled_bytes / 1e6:,.1f} MB, expect about "
        f"{cost.documents:,} documents and {duration(cost.seconds)}."
    )
