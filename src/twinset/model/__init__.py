"""The data that flows between the rooms, and its forms: Arrow columns, the cells of CSV tables."""

from __future__ import annotations

from twinset.model.flow import (
    HEAD,
    Batch,
    Clusters,
    Documents,
    Fault,
    Features,
    Floats,
    Ints,
    Judge,
    Measure,
    Pairs,
    SetImage,
    Sketch,
)

__all__ = [
    "HEAD",
    "Batch",
    "Clusters",
    "Documents",
    "Fault",
    "Features",
    "Floats",
    "Ints",
    "Judge",
    "Measure",
    "Pairs",
    "SetImage",
    "Sketch",
]
