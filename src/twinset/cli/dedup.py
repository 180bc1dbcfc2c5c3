"""``twinset dedup``."""

from __future__ import annotations

from twinset.cli.options import Inputs, Output, Reading, Resources, Search, Target, takes
from twinset.cli.running import run_to_folder


@takes
def command(
    inputs: Inputs,
    target: Target,
    search: Search,
    reading: Reading,
    resources: Resources,
    output: Output,
) -> None:
    """Split documents into kept and removed ones, in their own format; the input stays as it is.

    Every removed document is within the threshold of the one kept in its place; removals.csv names
    both, with the score and the reason.

    \b
    Example:
      twinset dedup corpus.jsonl -o clean
      twinset dedup corpus.parquet -o clean --keep date:max --never-remove 'gold-*'
    """
    run_to_folder("dedup", inputs, target, output, search, reading, resources)
