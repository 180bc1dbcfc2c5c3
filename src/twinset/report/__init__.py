"""The report: the folder a run writes and everything that reads it.

``staging`` makes a folder appear whole or not at all, ``files`` a single file; ``folder`` writes
and reads it; ``tables``, ``shared`` and ``html`` make its files; ``charts`` draws, ``words``
says the findings in sentences; ``texts`` fetches documents again from where they came from,
``diff`` compares two of them.
"""

from __future__ import annotations

from twinset.report.folder import Report, fill, read, write
from twinset.report.results import Results
from twinset.report.staging import ensure_free, recover, staged

__all__ = ["Report", "Results", "ensure_free", "fill", "read", "recover", "staged", "write"]
