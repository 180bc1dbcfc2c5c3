"""Hugging Face: a set without its near-duplicates."""

from datasets import load_dataset

import twinset

news = load_dataset("json", data_files="news/*.jsonl", split="train")
news = twinset.dedup(news, text="body").kept
