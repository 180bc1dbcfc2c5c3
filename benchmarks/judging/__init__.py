"""Labelled collections and what judges a setting by them.

`labelled` says what a labelled collection is and counts F1; `real` reads those that people have
labelled, `made/` has one file per kind that is made here, and `collections` lists them all.
"""
