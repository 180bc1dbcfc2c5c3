"""Polars: a frame without its near-duplicates."""

import polars as pl

import twinset

articles = pl.read_parquet("articles.parquet")
twinset.dedup(articles, text="body").kept.write_parquet("kept.parquet")
