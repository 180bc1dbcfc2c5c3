"""Passages: what repeats inside documents.

``spans``     finds the stretches of at least N units that stand in two places or more, by its
              ``options``
``searching`` passes over the documents: samples, counts, runs; ``numbering`` makes spans of runs
``stretches`` stretches of characters: how much they cover, and what is dropped for being repeated
``findings``  what was found, and its report; ``page`` is its ``report.html``
``reuse``     finds passages that two sets share, ``aligned`` verifies them; ``reuse_findings`` and
              ``reuse_page`` are its report
"""

from __future__ import annotations
