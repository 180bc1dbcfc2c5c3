"""Long work as child processes that outlive the page and the server.

A job is a folder: ``job.json`` (the command and what it is for), ``progress.json`` (how far it is,
written by ``twinset --progress``), ``output`` (what the command prints) and ``end.json`` (how it
ended). A file lock held by the child tells a running job from a killed one, so that any server,
also one started later, finds every job again as it is.
"""

from __future__ import annotations

from twinset.web.jobs.job import Job, Stage, State, as_written
from twinset.web.jobs.store import Jobs

__all__ = ["Job", "Jobs", "Stage", "State", "as_written"]
