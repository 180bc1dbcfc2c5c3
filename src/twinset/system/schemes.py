"""Which file system an address belongs to: `connect` opens it, or says what is missing for it."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from twinset.errors import TwinsetError, remedy

WEB = ("http", "https")
_USUAL = "s3://, gs://, az://, hf://, https://, sftp://"
# github://owner:repository@revision/path
_REPOSITORIES = ("github", "git")
_USER = re.compile(r"(?<![\w+.-])([A-Za-z][A-Za-z0-9+.-]*)://([^/?#\s]*)@")
_SIGNED = re.compile(
    r"""([?&;](?:[\w.%-]{0,40}(?:signature|token|secret|password|credential|keyid|api_?key)|sig|auth"""
    r"""|key(?==[^&;#\s]{16}))=)[^&;#\s"'\\]+""",
    re.IGNORECASE,
)
_STARS = "***"
KIND = re.compile(r"postgres(?:ql)?:/*|[a-z][a-z0-9+.-]+://", re.IGNORECASE)
"""What no name of a local file begins with."""
_HOST = r"(?:\[[\w:.%]+\]|[^][:@/?#,\s]*)(?::\d*)?"
_PARTS = re.compile(
    r"([A-Za-z][\w+.-]*://)(?:([^:@/?#\s]*)(?::[^@/?#\s]*)?@)?"
    rf"({_HOST}(?:,{_HOST})*(?:/[^@?#\s]*)?)(?:[?#](.*))?"
)
_SHOWN = ("host", "port", "dbname", "user", "sslmode", "index")
"""Options of an address that are shown: whatever else there is may be a password."""
_CONNECT, _READ = 30, 60
"""Seconds until a web server that does not answer, or sends nothing more, is given up."""


def connect(address: str) -> tuple[Any, str]:
    """The file system of an address and the path there."""
    ensure_no_secret(address)
    scheme, shown = address.partition("://")[0], masked(address)
    try:
        import fsspec
    except ImportError:
        raise TwinsetError(f"{shown}: fsspec is not installed: {remedy('remote')}") from None
    if "::" in address:
        raise TwinsetError(f"{shown}: addresses inside addresses (::) are not taken; name one")
    try:
        system, path = fsspec.core.url_to_fs(address, **_settings(scheme))
    except ImportError as fault:
        raise TwinsetError(f"{shown}: a package is not installed: {fault}") from None
    except ValueError as fault:
        raise TwinsetError(
            f"{without_secrets(address)}: is no address of a file ({masked(str(fault))}); common "
            f"ones are {_USUAL}; a path of this machine has no ://"
        ) from None
    # Systems are kept by fsspec with their listings, which an earlier run may have filled.
    system.invalidate_cache()
    return system, path


def masked(text: str) -> str:
    """An address, or a text with some, with stars for passwords, signatures, tokens and keys."""
    text = _USER.sub(lambda user: f"{user[1]}://{_STARS}@" if _is_secret(user) else user[0], text)
    return _SIGNED.sub(rf"\1{_STARS}", text)


def without_secrets(address: str) -> str:
    """What can be shown of an address: of one that cannot be parsed only its kind."""
    kind, parts = KIND.match(address), _PARTS.fullmatch(address)
    if kind is None:
        return address
    if parts is None:
        return f"{kind[0]}***"
    scheme, user, place, query = parts.groups("")
    known = [pair for pair in parse_qsl(query) if pair[0] in _SHOWN]
    shown = f"{user}@" if user and scheme[:-3].lower() not in WEB else ""
    return f"{scheme}{shown}{place}" + (
        "?" + urlencode(known, safe="/", quote_via=quote) if known else ""
    )


def ensure_no_secret(address: str) -> None:
    """Raise where an address holds a password: reports, plans and messages name their inputs.

    Or where it is one out of a report, which has no signatures.
    """
    if f"={_STARS}" in address:
        raise TwinsetError(
            f"{address}: the signature or key of this address was not kept; name the whole address"
        )
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
