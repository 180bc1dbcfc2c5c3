"""Arrays that all tasks look into: files that Spark sends to every machine, mapped into memory."""

from __future__ import annotations

import os
import uuid
from typing import Any

import numpy as np


def send_array(array: Any, session: Any) -> str:
    """Send an array to whichever machine asks for it; the name that tasks know it by."""
    # A session has one name for one file, and sends it when the first task asks for it.
    path = f"{session.sparkContext._temp_dir}/{uuid.uuid4().hex}.npy"
    np.save(path, array)
    session.sparkContext.addFile(path)
    return os.path.basename(path)


def sent_array(name: str) -> Any:
    """The array in a task."""
    from pyspark import SparkFiles

    return np.load(SparkFiles.get(name), mmap_mode="r")
