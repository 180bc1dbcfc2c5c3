"""Reading: whatever holds documents becomes a stream of Arrow batches.

`open_inputs` takes files, globs, folders and stdin, `from_memory` what Python programs hold, and
`split` writes the documents that are kept and removed in the input's own format. One file here is
one format (``jsonl``, ``files``, ...); a new one is a file and a line in the registry.
"""

from __future__ import annotations

from twinset.reading.inputs import Inputs, open_inputs
from twinset.reading.memory import from_memory
from twinset.reading.source import Source
from twinset.reading.split import Split, split

__all__ = ["Inputs", "Source", "Split", "from_memory", "open_inputs", "split"]
