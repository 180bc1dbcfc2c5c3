"""Flags that had another name before: whoever types the old one is given the new one."""

from __future__ import annotations

RENAMED = {
    ("find", "--t"): "--share",
    ("dedup", "--t"): "--share",
    ("plan", "--t"): "--share",
    ("plan", "--sample"): "--sample-bytes",
    ("show", "--id"): "--with-id",
    ("show", "--text"): "--with-text",
    ("decide", "--keep"): "--keep-id",
    ("generate", "--least"): "--least-similarity",
    ("learn", "--keep"): "--candidate-recall",
    ("learn", "--max-pairs"): "--training-pairs",
    ("learn", "--top"): "--text-top",
    ("mine", "--least"): "--least-items",
}
"""The new name of a flag by its command and its old name."""


def sentence(command: str, flag: str) -> str | None:
    """What to say about a flag that the command does not have; None if it never had it."""
    new = RENAMED.get((command, flag))
    if new is None:
        return None
    other = " for closed sets, or -t for the threshold" if flag == "--t" else ""
    return f"twinset {command} has no {flag} any more; write {new}{other}"
