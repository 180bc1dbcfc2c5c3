"""A cluster as plain values, for a page: its members with their roles and beginnings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from twinset.report.select import Cluster

LONG = 140
"""Characters of a text that are shown."""


def cluster_values(cluster: Cluster, heads: Mapping[str, str]) -> dict[str, Any]:
    """What the templates show of a cluster; ``heads`` are the beginnings of its documents."""
    return {
        "number": cluster.number,
        "size": cluster.size,
        "weakest": cluster.weakest,
        "quality": cluster.quality,
        "kind": cluster.kind,
        "shared": "",
        "shared_text": "",
        "members": [
            {
                "id": member.id,
                "role": member.shown_role,
                "score": None if member.is_anchor else member.score,
                "head": beginning(member.id, heads),
            }
            for member in cluster.members
        ],
        "rest": cluster.size - len(cluster.members),
    }


def beginning(id: str, heads: Mapping[str, str]) -> str:
    """The beginning of a text on one line."""
    text = " ".join(heads.get(id, "").split())
    if len(text) > LONG:  # cut by bytes, perhaps within a word
        text = f"{text[:LONG].rpartition(' ')[0] or text[:LONG]} …"
    return text
