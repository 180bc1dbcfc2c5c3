"""``twinset dedup``."""

from twinset.cli.find import run_command

command = run_command(
    "dedup",
    """Split documents into kept and removed ones, in their own format; the input stays as it is.

Every removed document is within the threshold of the one kept in its place: see removals.csv.

\b
Example:
  twinset dedup corpus.jsonl -o clean
  twinset dedup corpus.parquet -o clean --keep date:max --never-remove 'gold-*'
  twinset dedup part-*.jsonl.zst -o clean --annotate --no-split --shards 8
  twinset dedup corpus.jsonl -o clean --to parquet
  twinset dedup 'part-*.jsonl.zst' -o clean --resume
  zcat corpus.jsonl.gz | twinset dedup - -o - | gzip > clean.jsonl.gz

With -o - the kept documents go to stdout, with --annotate all of them, and what is said to
stderr.""",
)
