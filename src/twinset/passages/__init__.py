"""Passages: what repeats inside documents.

``spans``     finds the stretches of at least N units that stand in two places or more, by its
              ``options``
``searching`` passes over the documents: samples, counts, runs; ``numbering`` makes spans of runs
``stretches`` stretches of characters: how much they cover, and what is dropped for being repeated
``findings``  what was found, with its report; ``page`` is its ``report.html``
``levels``    cuts documents into units: paragraphs, sentences, lines, windows of words
``units``     compares these as documents are compared; ``unit_findings`` are what it found
``report``    writes the folder of spans and of units
``reuse``     finds passages that two sets share, ``aligned`` verifies them; ``reuse_findings`` and
              ``reuse_page`` are its report
"""

from __future__ import annotations
