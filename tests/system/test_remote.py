"""Paths elsewhere behave like those of the file system, here in the memory of the process."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from twinset.errors import TwinsetError
from twinset.system.remote import Address, RemotePath, is_address, is_remote


@pytest.mark.parametrize("name", ["s3://b/x", "hf://datasets/a/b", "https://a.b/c", "memory://x"])
def test_addresses(name: str) -> None:
    assert is_remote(name)


@pytest.mark.parametrize("name", ["c:/x", "c://x", "x.jsonl", "/a/b", "s3:/b/x", "://x", "-", 3])
def test_other_names(name: object) -> None:
    assert not is_remote(name)


@pytest.mark.parametrize(
    ("item", "is_one"),
    [
        ("s3://b/x.jsonl", True),
        ("https://a.b is a text", False),
        (Address("s3://b/a name with blanks"), True),
        ("a text", False),
        (Path("a"), False),
    ],
)
def test_addresses_in_a_list(item: object, is_one: bool) -> None:
    assert is_address(item) == is_one


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("foo3://b/x", "no address of a file (Protocol not known: foo3); common ones are s3://"),
        ("zip://a.csv::s3://b/x.zip", "addresses inside addresses (::) are not taken"),
        ("gs://b/x", "gs://b/x: a package is not installed: Please install gcsfs"),
        ("s3://b/x", "s3://b/x: a package is not installed: Install s3fs"),
        ("sftp://b/x", 'a package is not installed: SFTPFileSystem requires "paramiko"'),
    ],
)
def test_what_cannot_be_reached_is_said(
    address: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry = importlib.import_module("fsspec.registry")
    for scheme in ("gs", "s3", "sftp"):
        monkeypatch.delitem(registry._registry, scheme, raising=False)
    for package in ("gcsfs", "s3fs", "fsspec.implementations.sftp"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(TwinsetError) as caught:
        RemotePath.of(address)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    "address",
    [
        "s3://key:secret@bucket/x.jsonl",
        "https://user:secret@localhost/x.jsonl",
        "https://user:p@secret@localhost/x.jsonl",
        "https://secret@localhost/x.jsonl",
        "HTTPS://user:secret@localhost",
        "zip://x::ftp://user:secret@localhost/x.zip",
    ],
)
def test_a_password_is_neither_taken_nor_shown(address: str) -> None:
    with pytest.raises(TwinsetError, match=r"holds a password.*FSSPEC_") as raised:
        RemotePath.of(address)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("address", ["memory://user@host/x", "memory://host/a:b@c/x"])
def test_what_is_no_password_is_taken(address: str) -> None:
    assert str(RemotePath.of(address)) == address
