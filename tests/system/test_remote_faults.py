"""Whatever a package for a file system raises, the user reads a sentence with a remedy."""

from __future__ import annotations

import errno

import pytest

from twinset.system.remote import RemotePath, reported


class BotoCoreError(Exception):
    """Stands for the errors of botocore, which is an optional package."""


class NoCredentialsError(BotoCoreError):
    pass


class EndpointConnectionError(BotoCoreError):
    pass


@pytest.mark.parametrize(
    ("fault", "kind", "code", "words"),
    [
        (
            FileNotFoundError("The specified bucket does not exist"),
            FileNotFoundError,
            errno.ENOENT,
            "there is no such bucket; make it, or check its name",
        ),
        (
            PermissionError("Access Denied"),
            PermissionError,
            errno.EACCES,
            "access is denied (Access Denied); check the credentials and rights",
        ),
        (
            NoCredentialsError("Unable to locate credentials"),
            PermissionError,
            errno.EACCES,
            "no credentials were found; sign in as its own tools do",
        ),
        (
            EndpointConnectionError('Could not connect to "http://a.b"'),
            OSError,
            errno.EHOSTUNREACH,
            'it cannot be reached (Could not connect to "http://a.b"); '
            "check the network and the address",
        ),
        (
            ValueError('Invalid bucket name "B!": Bucket name must match the regex'),
            OSError,
            errno.EINVAL,
            "it begins with no name that a bucket can have",
        ),
        (FileNotFoundError("bucket/x"), FileNotFoundError, errno.ENOENT, "there is no such file"),
        (NotImplementedError(), OSError, errno.EROFS, "can only be read"),
        (OSError(errno.ENOSPC, "No space left on device"), OSError, errno.ENOSPC, "no space left"),
        (ValueError("what is\nthis"), OSError, errno.EIO, "ValueError: what is this"),
    ],
)
def test_faults_are_sentences(fault: Exception, kind: type[OSError], code: int, words: str) -> None:
    path = RemotePath.of("memory://folder/file")
    with pytest.raises(kind) as caught, reported(path):
        raise fault
    assert (caught.value.errno, caught.value.filename) == (code, str(path))
    assert words in str(caught.value.strerror)


def test_how_to_sign_in_depends_on_the_store() -> None:
    from twinset.system.remote_faults import explained

    fault = NoCredentialsError("Unable to locate credentials")
    assert "AWS_ACCESS_KEY_ID" in explained(fault, "s3://bucket/x").strerror
    assert "gcloud auth" in explained(fault, "gs://bucket/x").strerror
