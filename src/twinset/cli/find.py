"""``twinset find``."""

from __future__ import annotations

from twinset.cli.running import run_command

command = run_command(
    "find",
    """Find near-duplicates and write a report; the input stays as it is.

\b
Example:
  twinset find corpus.jsonl -o report
  twinset find 'pages/*.html' -o report --threshold 0.9 --exact
  twinset find 'part-*.jsonl.zst' -o report --resume
  zcat corpus.jsonl.gz | twinset find - -o report --text body --json""",
)
