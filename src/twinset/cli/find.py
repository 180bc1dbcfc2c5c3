"""``twinset find``."""

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
    """Find near-duplicates and write a report; the input stays as it is.

    \b
    Example:
      twinset find corpus.jsonl -o report
      twinset find 'pages/*.html' -o report --threshold 0.9 --exact
      zcat corpus.jsonl.gz | twinset find - -o report --text body --json
    """
    run_to_folder("find", inputs, target, output, search, reading, resources)
