"""Hugging Face: a training set without copies of what it is tested on."""

from datasets import load_from_disk

import twinset

questions = load_from_disk("questions")  # a DatasetDict with the splits train and test
clean = twinset.dedup(questions, text="question", threshold=0.7, reference=["test"]).kept
clean.save_to_disk("questions-clean")
