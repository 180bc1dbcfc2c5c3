"""Passages: what repeats inside documents.

``spans``     the stretches of at least N units that stand in two places or more; ``searching``
              finds them by passes over the documents, with samples, counts and runs
``levels``    cuts documents into units: paragraphs, sentences, lines, windows of words
``units``     compares these as documents are compared
``report``    writes the folder of spans and of units, with the documents without them
``reuse``     finds passages that two sets share; ``aligned`` verifies them
"""
