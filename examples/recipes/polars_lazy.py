"""Polars: a lazy frame stays lazy, and what was decided joins any frame."""

import polars as pl

import twinset

articles = pl.scan_parquet("articles.parquet").filter(pl.col("language") == "en")
findings = twinset.dedup(articles, id="url", text="body")
findings.kept.sink_parquet("kept.parquet")

outcomes = findings.to_polars().select(pl.col("id").alias("url"), "keep", "cluster", "kept_id")
marked = articles.join(outcomes.lazy(), on="url", maintain_order="left")
