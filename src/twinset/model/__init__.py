"""The data that flows between the rooms: batches, ragged arrays, pairs, clusters; Arrow and CSV."""

from twinset.model.files import FileFacts
from twinset.model.flow import (
    HEAD,
    MASKED,
    Batch,
    Clusters,
    Documents,
    Fault,
    Judge,
    Pairs,
    Position,
    SetImage,
    SetMeasure,
    Sketch,
)
from twinset.model.ragged import FeatureLists, Features, Floats, Ints, Ragged, offsets_of, spread

__all__ = [
    "HEAD",
    "MASKED",
    "Batch",
    "Clusters",
    "Documents",
    "Fault",
    "FeatureLists",
    "Features",
    "FileFacts",
    "Floats",
    "Ints",
    "Judge",
    "Pairs",
    "Position",
    "Ragged",
    "SetImage",
    "SetMeasure",
    "Sketch",
    "offsets_of",
    "spread",
]
