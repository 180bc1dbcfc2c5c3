"""Candidates: groups of documents that share a key, out of which pairs are verified.

* `bands` cuts a sketch into bands; two documents meet when one band agrees.
* `join` finds every pair above the threshold by the prefix filter; nothing is missed.
* `sampled` joins images that are sets, at a threshold lowered so that the recall is kept.

Each collects keys while documents stream by and yields `Groups` at the end.
"""
