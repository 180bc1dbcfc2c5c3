"""Folders as people have them, made from a seed, with the truth about what is a copy of what."""
