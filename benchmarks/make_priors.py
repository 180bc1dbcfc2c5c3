"""Makes the priors of the experts that `twinset ask` begins with, from all labelled collections.

    python benchmarks/make_priors.py

The benchmark of `ask` makes its own in the same way (`judging/priors.py`), without the collection
that is asked about and all others of its kind.
"""

from __future__ import annotations

import json
from pathlib import Path

from judging.collections import names
from judging.priors import learnt_priors

FILE = (
    Path(__file__).resolve().parent.parent
    / "src"
    / "twinset"
    / "finding"
    / "signals"
    / "priors.json"
)


def main() -> None:
    """Write the priors, one expert a line."""
    rows = [
        {"signals": prior.signals, "mean": prior.mean, "covariance": prior.covariance}
        for prior in learnt_priors(names())
    ]
    lines = ",\n".join(json.dumps(row) for row in rows)
    FILE.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print(f"{FILE}: {len(rows)} experts from {len(names())} collections")


if __name__ == "__main__":
    main()
