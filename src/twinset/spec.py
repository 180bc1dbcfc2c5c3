"""Specs such as ``oph:size=128,seed=2`` taken apart: a name, then options separated by commas."""

from __future__ import annotations


def split(spec: str) -> tuple[str, list[tuple[str, str | None]]]:
    """The name and its options as (key, value); None where a part has no value."""
    name, _, rest = spec.partition(":")
    options: list[tuple[str, str | None]] = []
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        options.append((key.strip().replace("-", "_"), value.strip() if equals else None))
    return name, options
