"""``twinset tune``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from twinset.cli.options import Inputs, Output, Resources, given, option, takes
from twinset.cli.output import print_json, say
from twinset.cli.progress import progress

if TYPE_CHECKING:
    from twinset.tuning import Tuned


@dataclass(frozen=True)
class Labels:
    """What is known to be true, if anything is."""

    truth: Annotated[
        str | None,
        option(
            "--truth",
            metavar="FILE",
            help="Known pairs or clusters, as for 'twinset evaluate'; none are needed.",
        ),
    ] = None
    ignore: Annotated[
        str | None, option("--ignore", metavar="FILE", help="Pairs that count neither way.")
    ] = None
    grade: Annotated[
        float | None, option("--grade", help="With graded pairs: from which grade on one is true.")
    ] = None
    only_judged: Annotated[
        bool, option("--only-judged", help="Count the pairs in the truth alone.")
    ] = False


@dataclass(frozen=True)
class Looking:
    """How much is looked at, and where the plan goes."""

    out: Annotated[
        str | None, option("--out", "-o", metavar="FILE", help="Write the plan here, as TOML.")
    ] = None
    force: Annotated[bool, option("--force", help="Replace an older plan.")] = False
    sample: Annotated[
        int | None,
        option("--sample", help="Documents looked at.", shown="5000, with labels 20000"),
    ] = None
    seed: Annotated[int | None, option("--seed", help="Decides everything random.", shown="1")] = (
        None
    )


@takes
def command(
    inputs: Inputs, looking: Looking, labels: Labels, resources: Resources, output: Output
) -> None:
    """Recommend a plan for these documents: method, shingles, threshold, and what to expect.

    No labels are needed: near-duplicates are what rises above the background of similarities.

    \b
    Example:
      twinset tune corpus.jsonl -o plan.toml
      twinset find corpus.jsonl --plan plan.toml -o report
      twinset tune corpus.jsonl -o plan.toml --truth pairs.csv
    """
    from twinset.errors import PlanError
    from twinset.tuning import tune

    if looking.out and Path(looking.out).exists() and not looking.force:
        raise PlanError([f"{looking.out} is there already: name another file or add --force"])
    bar = progress(output.quiet)
    options = given(inputs, labels, resources, looking)
    for name in ("out", "force"):
        options.pop(name, None)
    try:
        tuned = tune([Path(name) for name in inputs.inputs], progress=bar, **options)
    finally:
        if bar is not None:
            bar.close()
    if looking.out:
        tuned.save(looking.out)
    if output.json:
        print_json(tuned.as_dict())
    else:
        _tell(tuned, looking.out)


def _tell(tuned: Tuned, out: str | None) -> None:
    from twinset.cli.progress import duration
    from twinset.tuning.words import sentences, table

    for line in sentences(tuned):
        say(line)
    say(f"It will take about {duration(tuned.seconds)}.")
    say("")
    rows = table(tuned)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        say("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    say("")
    for one in tuned.edits:
        say(f"{one.edit}: found {one.recall}")
    say("")
    say(f"Plan: {out}" if out else tuned.plan.as_toml().rstrip())
