"""The report: the folder a run writes and everything that reads it.

``folder``     writes a report and opens one; ``results`` is what both a run and a report offer
``places``     where the files of a report are written; ``sending`` writes one elsewhere and
               ``fetching`` reads it
``staging``    makes a folder appear whole or not at all; ``files`` does so for a single file
``manifest``   reads and checks ``manifest.json`` (by ``shape``); ``facts`` follow from it
``tables``     writes the tables; ``checked`` reads and checks them; ``select`` picks what to show
``words``      the findings in sentences; ``page`` and ``closed_page`` make ``report.html``
``pair_signals`` says of two documents what is worth saying; ``pair_words`` says how they differ
``pair_rows``  two texts side by side, equal parts folded; ``listed`` finds documents and pairs
``texts``      fetches documents again from where they came from
``passages``   what documents share as text, by the ``spelling`` of the run; ``shared`` counts it
``lattices``   the lattices of closed sets, and their file
"""

from __future__ import annotations

from twinset.report.folder import Report, fill, read, write
from twinset.report.places import ReportPlaces, ensure_local
from twinset.report.results import Results
from twinset.report.staging import ensure_free, recover, staged

__all__ = [
    "Report",
    "ReportPlaces",
    "Results",
    "ensure_free",
    "ensure_local",
    "fill",
    "read",
    "recover",
    "staged",
    "write",
]
