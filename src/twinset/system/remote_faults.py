"""What the packages of file systems raise, as an `OSError` with a sentence and its remedy.

They raise what they like: errors of HTTP clients, of clouds, of sockets. None of them is imported
here: an exception is known by the names of its classes and by what it says.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from typing import Any, TypeVar

from twinset.system.schemes import masked

Result = TypeVar("Result")
_MOST = 200
"""Characters of a package's own message that are shown."""
_WITHOUT_CREDENTIALS = {
    "NoCredentialsError",  # botocore
    "PartialCredentialsError",
    "CredentialRetrievalError",
    "TokenRetrievalError",
    "NoAuthTokenError",
    "ProfileNotFound",
    "DefaultCredentialsError",  # google.auth
    "RefreshError",
    "ClientAuthenticationError",  # azure
    "LocalTokenNotFoundError",  # huggingface_hub
}
_TIMED_OUT = {
    "TimeoutError",
    "FSTimeoutError",  # fsspec
    "ConnectTimeoutError",  # botocore
    "ReadTimeoutError",
    "TimeoutException",  # httpx
    "Timeout",  # requests
}
_CUT_OFF = {
    "ClientPayloadError",  # aiohttp
    "ServerDisconnectedError",
    "ClientOSError",
    "ConnectionResetError",
    "ConnectionAbortedError",
    "BrokenPipeError",
    "ConnectionClosedError",  # botocore
    "ResponseStreamingError",
    "IncompleteReadError",
    "IncompleteRead",  # http.client
    "RemoteProtocolError",  # httpx
    "ChunkedEncodingError",  # requests
    "ProtocolError",  # urllib3
}
_UNREACHED = {
    "EndpointConnectionError",  # botocore
    "HTTPClientError",
    "ClientConnectorError",  # aiohttp
    "ConnectionRefusedError",
    "ConnectError",  # httpx
    "ConnectionError",
    "gaierror",
}
_SETS = {"sign in": _WITHOUT_CREDENTIALS, "time": _TIMED_OUT, "cut": _CUT_OFF, "way": _UNREACHED}
_SIGN_IN = {
    "s3": "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; for a public bucket "
    "set FSSPEC_S3_ANON=true",
    "gs": "run 'gcloud auth application-default login'; for a public bucket set "
    "FSSPEC_GS_TOKEN=anon",
    "hf": "run 'hf auth login', or set HF_TOKEN",
}
_PASSING = (errno.ECONNRESET, errno.EHOSTUNREACH, errno.ETIMEDOUT, errno.EAGAIN)


ATTEMPTS, WAIT = 4, 0.2
"""How often something is asked for, and seconds before the second time; then four times as long."""


def explained(fault: Exception, address: str) -> OSError:
    """The fault of a file elsewhere in words, with the errno of its kind."""
    code, sentence = _kind(fault, address)
    # Of any fault of a web server fsspec makes "no such file".
    if isinstance(fault, FileNotFoundError) and isinstance(fault.__cause__, Exception):
        behind = _kind(fault.__cause__, address)
        code, sentence = (code, sentence) if behind[0] == errno.EIO else behind
    return OSError(code, sentence, address)


def patiently(act: Callable[[], Result], unless: int = 0) -> Result:
    """What an act returns, which is done again where it may succeed a moment later.

    A fault ``unless`` is not waited for.
    """
    for attempt in range(ATTEMPTS - 1):
        try:
            return act()
        except OSError as fault:
            if fault.errno not in _PASSING or fault.errno == unless:
                raise
            time.sleep(WAIT * 4**attempt)
    return act()


def _kind(fault: Exception, address: str) -> tuple[int, str]:
    # The nearest class decides: one for a refused connection may be a child of one for a cut.
    classes = (kind.__name__ for kind in type(fault).__mro__)
    sort = next((s for name in classes for s, names in _SETS.items() if name in names), None)
    words, status = _words(fault), _status(fault)
    lower = words.lower()
    scheme = {"s3a": "s3", "gcs": "gs"}.get(named := address.partition("://")[0], named)
    if "bucket" in lower and ("does not exist" in lower or "not found" in lower):
        return errno.ENOENT, "there is no such bucket; make it, or check its name"
    if sort == "sign in":
        sign_in = _SIGN_IN.get(scheme, "sign in as its own tools do")
        return errno.EACCES, f"no credentials were found; {sign_in}"
    if isinstance(fault, PermissionError) or status in (401, 403):
        return errno.EACCES, f"access is denied{_said(words)}; check the credentials and rights"
    if status == 404:
        return errno.ENOENT, "there is no such file or folder; check the address"
    if sort == "time":
        return errno.ETIMEDOUT, "there was no answer in time; check the network, or try later"
    if sort == "cut":
        return errno.ECONNRESET, "the connection was cut off; try later"
    if sort == "way":
        return (
            errno.EHOSTUNREACH,
            f"it cannot be reached{_said(words)}; check the network and the address",
        )
    if status is not None and (status >= 500 or status == 429):
        return errno.EAGAIN, f"the server answers with the status {status}; try later"
    if "invalid bucket name" in lower:
        return errno.EINVAL, "it begins with no name that a bucket can have; check the address"
    if isinstance(fault, NotImplementedError):
        return errno.EROFS, "files of this kind of address can only be read; choose another place"
    if isinstance(fault, FileNotFoundError):
        return errno.ENOENT, "there is no such file or folder; check the address"
    if isinstance(fault, OSError):
        return fault.errno or errno.EIO, words
    return errno.EIO, f"{type(fault).__name__}: {words}"


def _status(fault: Any) -> int | None:
    """The status of HTTP, wherever a package keeps it."""
    response = getattr(fault, "response", None)
    facts = response.get("ResponseMetadata", {}) if isinstance(response, dict) else {}
    candidates = (
        getattr(fault, "status", None),
        facts.get("HTTPStatusCode"),
        getattr(response, "status_code", None),
    )
    return next((status for status in candidates if isinstance(status, int)), None)


def _words(fault: Exception) -> str:
    """The message in one line, or the name of the exception where it has none."""
    message = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
    words = " ".join(masked(message).split()) or type(fault).__name__
    if isinstance(fault, OSError) and words == os.strerror(fault.errno or 0):
        return words.lower()
    return words if len(words) <= _MOST else f"{words[:_MOST]}…"


def _said(words: str) -> str:
    return f" ({words})" if words and " " in words else ""
