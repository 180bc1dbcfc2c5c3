"""Hugging Face: what was decided as columns, for `map`, `filter` and `select`."""

from datasets import load_dataset

import twinset

news = load_dataset("json", data_files="news/*.jsonl", split="train")
findings = twinset.dedup(news, text="body")

outcomes = findings.to_pandas()
marked = news.map(
    lambda row, number: {
        "keep": bool(findings.mask[number]),
        "cluster": outcomes["cluster"].iloc[number],
    },
    with_indices=True,
)
filtered = marked.filter(lambda row: row["keep"])
selected = news.select(findings.kept_indices)
