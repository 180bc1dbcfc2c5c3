"""Finished parts of a run, kept so that another run can go on where it was killed.

``folder`` is where they lie and whose they are, ``described`` what makes two runs the same work;
``packing`` turns values into bytes and back, ``chain`` keeps them in files; ``passes`` and ``runs``
take from there what is done and keep what is new.
"""

from twinset.engine.parts.folder import PartsFolder

__all__ = ["PartsFolder"]
