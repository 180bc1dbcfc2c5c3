"""Which file system an address belongs to: `connect` opens it, or says what is missing for it."""

from __future__ import annotations

import re
from typing import Any

from twinset.errors import EXTRAS, TwinsetError, did_you_mean, remedy

WEB = ("http", "https")
_EXTRA_OF = {"s3": "s3", "s3a": "s3", "hf": "hf", "http": "remote", "https": "remote"}
# What fsspec's table of classes does not say: the package where the class is fsspec's own.
_NEEDED = {"sftp": "paramiko", "ssh": "paramiko", "smb": "smbprotocol", "git": "pygit2"}
_USUAL = "s3://, gs://, az://, hf://, https://, sftp://"
# github://owner:repository@revision/path
_REPOSITORIES = ("github", "git")
_USER = re.compile(r"(?:^|(?<=::))([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)@")
_CONNECT, _READ = 30, 60
"""Seconds until a web server that does not answer, or sends nothing more, is given up."""


def connect(address: str) -> tuple[Any, str]:
    """The file system of an address and the path there."""
    ensure_no_secret(address)
    scheme = address.partition("://")[0]
    try:
        import fsspec
    except ImportError:
        raise TwinsetError(f"{address}: fsspec is not installed: {remedy('remote')}") from None
    if "::" in address:
        raise TwinsetError(f"{address}: addresses inside addresses (::) are not taken; name one")
    _ensure_known(scheme, address, fsspec.available_protocols())
    try:
        system, path = fsspec.core.url_to_fs(address, **_settings(scheme))
    except ImportError as fault:
        raise TwinsetError(f"{address}: {_missing(scheme, str(fault))}") from None
    except ValueError as fault:
        raise TwinsetError(f"{address}: is no address of a file: {fault}") from None
    # Systems are kept by fsspec with their listings, which an earlier run may have filled.
    system.invalidate_cache()
    return system, path


def without_secrets(address: str) -> str:
    """The address with stars in place of a password, to be shown."""
    return _USER.sub(lambda user: f"{user[1]}://***@" if _is_secret(user) else user[0], address)


def ensure_no_secret(address: str) -> None:
    """Raise where an address holds a password: reports, plans and messages name their inputs."""
    if any(_is_secret(user) for user in _USER.finditer(address)):
        raise TwinsetError(
            f"{without_secrets(address)}: the address holds a password, which reports would show; "
            "name it without, and set it as FSSPEC_<KIND>_<OPTION> (FSSPEC_FTP_PASSWORD) or in "
            "fsspec's conf.json"
        )


def _is_secret(user: re.Match[str]) -> bool:
    """Whether there is a password before the host; a web server may take one word for it."""
    scheme = user[1].lower()
    return scheme in WEB or (":" in user[2] and scheme not in _REPOSITORIES)


def _settings(scheme: str) -> dict[str, Any]:
    """What web servers are asked for beyond fsspec's defaults; the user's own settings stay.

    Bytes as they are: a server that packs them on the way has no ranges of them. A file may take
    longer than the five minutes that aiohttp grants, and a proxy is one of the environment.
    """
    if scheme not in WEB:
        return {}
    from fsspec.config import conf

    try:
        from aiohttp import ClientTimeout
    except ImportError:
        return {}
    own = conf.get(scheme, {})
    timeout = ClientTimeout(total=None, sock_connect=_CONNECT, sock_read=_READ)
    return {
        "headers": {"Accept-Encoding": "identity"} | own.get("headers", {}),
        "client_kwargs": {"trust_env": True, "timeout": timeout} | own.get("client_kwargs", {}),
    }


def _ensure_known(scheme: str, address: str, known: list[str]) -> None:
    if scheme in known:
        return
    meant = did_you_mean(scheme, known, form="{}://")
    raise TwinsetError(
        f"{address}: there is no kind of address '{scheme}'; {meant}common ones are {_USUAL}; a "
        "path of this machine has no ://"
    )


def _missing(scheme: str, reason: str) -> str:
    """Which package is missing and the command that installs it."""
    if extra := _EXTRA_OF.get(scheme):
        package = EXTRAS[extra][-1].partition(">=")[0]
        return f"{package} is not installed: {remedy(extra)}"
    from fsspec.registry import known_implementations

    package = known_implementations[scheme]["class"].partition(".")[0]
    package = _NEEDED.get(scheme, package)
    if package == "fsspec":
        return f"a package is missing: {reason}"
    return f"{package} is not installed: pip install '{package}'"
