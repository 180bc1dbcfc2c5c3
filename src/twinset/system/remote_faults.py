"""What the packages of file systems raise, as an `OSError` with a sentence and its remedy.

They raise what they like: errors of HTTP clients, of clouds, of sockets. None of them is imported
here: an exception is known by the names of its classes and by what it says.
"""

from __future__ import annotations

import errno
import os

_MOST = 200
"""Characters of a package's own message that are told."""
_WITHOUT_CREDENTIALS = {
    "NoCredentialsError",  # botocore
    "PartialCredentialsError",
    "CredentialRetrievalError",
    "TokenRetrievalError",
    "NoAuthTokenError",
    "DefaultCredentialsError",  # google.auth
    "RefreshError",
    "ClientAuthenticationError",  # azure
    "LocalTokenNotFoundError",  # huggingface_hub
}
_UNREACHED = {
    "EndpointConnectionError",  # botocore
    "HTTPClientError",
    "ClientConnectorError",  # aiohttp
    "ServerDisconnectedError",
    "ConnectError",  # httpx
    "ConnectionError",
    "TimeoutError",
    "gaierror",
}
_SIGN_IN = {
    "s3": "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
    "s3a": "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
    "gs": "run 'gcloud auth application-default login'",
    "gcs": "run 'gcloud auth application-default login'",
    "hf": "run 'hf auth login', or set HF_TOKEN",
}


def explained(fault: Exception, address: str) -> OSError:
    """The fault of a file elsewhere in words, with the errno of its kind."""
    code, sentence = _kind(fault, address)
    return OSError(code, sentence, address)


def _kind(fault: Exception, address: str) -> tuple[int, str]:
    names = {kind.__name__ for kind in type(fault).__mro__}
    words = _words(fault)
    lower = words.lower()
    if "bucket" in lower and ("does not exist" in lower or "not found" in lower):
        return errno.ENOENT, "there is no such bucket; make it, or check its name"
    if names & _WITHOUT_CREDENTIALS:
        sign_in = _SIGN_IN.get(address.partition("://")[0], "sign in as its own tools do")
        return errno.EACCES, f"no credentials were found; {sign_in}"
    if isinstance(fault, PermissionError):
        return errno.EACCES, f"access is denied{_said(words)}; check the credentials and rights"
    if names & _UNREACHED:
        return (
            errno.EHOSTUNREACH,
            f"it cannot be reached{_said(words)}; check the network and the address",
        )
    if isinstance(fault, NotImplementedError):
        return errno.EROFS, "files of this kind of address can only be read; choose another place"
    if isinstance(fault, FileNotFoundError):
        return errno.ENOENT, "there is no such file or folder; check the address"
    if isinstance(fault, OSError):
        return fault.errno or errno.EIO, words
    return errno.EIO, f"{type(fault).__name__}: {words}"


def _words(fault: Exception) -> str:
    """The message in one line, or the name of the exception where it has none."""
    message = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
    words = " ".join(message.split()) or type(fault).__name__
    if isinstance(fault, OSError) and words == os.strerror(fault.errno or 0):
        return words.lower()
    return words if len(words) <= _MOST else f"{words[:_MOST]}…"


def _said(words: str) -> str:
    return f" ({words})" if words and " " in words else ""
