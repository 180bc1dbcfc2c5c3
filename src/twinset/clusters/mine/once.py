"""One miner on one context, as a process: ``python -m twinset.clusters.mine.once``."""

from __future__ import annotations

import json
import resource
import sys
import time
from typing import cast

import numpy as np

from twinset.clusters.closed_sets import SetKind
from twinset.clusters.context import Context
from twinset.clusters.mine import mine
from twinset.clusters.mine.compare import digest_of
from twinset.errors import TwinsetError
from twinset.system.children import follow_parent


def main(path: str, name: str, support: str, kind: str) -> None:
    """Prints the figures of the run as JSON."""
    with np.load(path) as arrays:
        context = Context(arrays["values"], arrays["offsets"])
    begin = time.process_time()
    sets = mine(name, context, int(support), cast(SetKind, kind))
    seconds = time.process_time() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    megabytes = peak / (1e6 if sys.platform == "darwin" else 1e3)
    figures = {"sets": len(sets), "seconds": seconds, "megabytes": megabytes}
    print(json.dumps({**figures, "digest": digest_of(sets)}))


if __name__ == "__main__":
    follow_parent()
    try:
        main(*sys.argv[1:])
    except TwinsetError as fault:
        sys.exit(str(fault))
