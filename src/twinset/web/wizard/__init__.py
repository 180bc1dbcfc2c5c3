"""The steps of a search, in the papers' order: documents, image, clusters, results, comparison.

A step is a module with its routes (``results`` holds the last two); ``steps`` holds what they
share. Every change is saved at once, so that a reload, a closed page or another day loses nothing.
"""
