"""Pairs of documents whose kind is known, made from templates, real texts and edits of both."""
