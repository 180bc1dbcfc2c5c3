"""Where a plan runs: on this machine, in the order of these files.

``opening`` turns what a caller has into a stream of batches; ``streaming`` takes the batches in,
and ``images`` keeps their images where clusters are searched in them; ``searching`` begins the
search and the check that the plan asks for; ``local`` runs all of it, stage by stage.
What decides and tabulates does not know where the documents were read: ``documents`` (rows, ids,
which copy is preferred), ``copies`` (equal documents are compared once), ``pairing``,
``clustering``, ``tables``, ``manifest`` and ``findings``. ``predict`` tells what a plan means
before it runs.
"""

from twinset.run.findings import Findings
from twinset.run.local import run
from twinset.run.progress import Progress, Silent

__all__ = ["Findings", "Progress", "Silent", "run"]
