"""Runs: plans on one collection, each in a process of its own, with results that are kept.

`documents` reads a collection once; `planned` is a run by name, with the digest of what decides its
result; `runner` starts a process for it (`worker`) and stores what it found (`stored_pairs`);
`word_counts` counts words once for all runs. Comparisons and experiments are made of such runs.
"""
