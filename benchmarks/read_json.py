"""Reads a file of JSON lines with pyarrow and prints the seconds: the yardstick for our speed.

The time of the read alone: starting Python and importing pyarrow are left out, in its favour.
"""

from __future__ import annotations

import sys
import time

import pyarrow as pa
from pyarrow import json as arrow_json

pa.set_cpu_count(int(sys.argv[2]))
options = arrow_json.ReadOptions(use_threads=True, block_size=16 << 20)
begun = time.perf_counter()
table = arrow_json.read_json(sys.argv[1], read_options=options)
print(time.perf_counter() - begun, len(table))
