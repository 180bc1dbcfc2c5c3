"""A run or a report in a notebook: a card, two documents compared, a cluster, and charts.

``offers``  the methods that results have for it
``cards``   the run as a whole, and a single cluster
``pair``    two documents side by side
``plots``   the charts of ``report.html``, one at a time
"""

from __future__ import annotations

from twinset.report.notebook.offers import OffersViews

__all__ = ["OffersViews"]
