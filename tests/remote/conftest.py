"""A store on this machine that speaks S3, for the tests of a process and of those it starts."""

from __future__ import annotations

import logging
import os
import uuid
from collections.abc import Iterator

import pytest

KEYS = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing"}


@pytest.fixture(scope="session")
def store() -> Iterator[str]:
    """The address of the store, which AWS_ENDPOINT_URL names for all who ask."""
    server = pytest.importorskip("moto.server", reason="moto[s3] is not installed")
    s3fs = pytest.importorskip("s3fs", reason="s3fs is not installed")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    running = server.ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    with pytest.MonkeyPatch.context() as patched:
        for name, value in {**KEYS, "AWS_ENDPOINT_URL": f"http://{host}:{port}"}.items():
            patched.setenv(name, value)
        s3fs.S3FileSystem.clear_instance_cache()
        yield os.environ["AWS_ENDPOINT_URL"]
        s3fs.S3FileSystem.clear_instance_cache()
    running.stop()


@pytest.fixture
def bucket(store: str) -> str:
    """A new bucket, as ``s3://...``."""
    import s3fs

    name = f"twinset-{uuid.uuid4().hex}"
    s3fs.S3FileSystem().mkdir(name)
    return f"s3://{name}"
