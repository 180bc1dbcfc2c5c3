"""Where a folder lies: mounts as Linux lists them, rights, and what stays unknown."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from twinset.system import mounts
from twinset.system.mounts import Mount, place_of, read_mounts
from twinset.web.settings import ForbiddenError, Settings, inside

LISTED = rb"""24 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 24 0:40 / /home/ann/my\040papers rw,nosuid shared:7 master:2 - nfs4 server:/x rw,vers=4.2
31 24 0:41 / /home/ann/tab\011line\012back\134slash rw - fuse.sshfs ann@host: rw
32 24 8:17 / /media/ann/STICK rw - vfat /dev/sdb1 rw
33 24 0:42 / /home/ann/frozen ro,relatime - squashfs /dev/loop0 rw
34 24 0:43 / /home/ann/inner rw - btrfs /dev/sda2 ro,ssd
35 24 0:44 / /home/ann/inner rw - tmpfs tmpfs rw
36 24 0:45 / /home/ann/strange rw - fuse.somebody x rw
37 24 0:46 / /home/ann/windows rw - fuse.ntfs-3g /dev/sda3 rw
38 24 0:47 / /home/ann/host rw - 9p share rw
39 24 0:48 / /home/ann/share rw - cifs //server/x rw
not a line of mountinfo
"""


@pytest.fixture
def listed(tmp_path: Path) -> list[Mount]:
    (tmp_path / "mountinfo").write_bytes(LISTED)
    return read_mounts(tmp_path / "mountinfo")


def type_of(path: str, listed: list[Mount]) -> str:
    return mounts.mount_of(path, listed).type


@pytest.mark.parametrize(
    ("path", "type"),
    [
        ("/home/ann", "ext4"),
        ("/home/ann/my papers", "nfs4"),
        ("/home/ann/my papers/2024", "nfs4"),
        ("/home/ann/my papers too", "ext4"),
        ("/home/ann/tab\tline\nback\\slash/x", "fuse.sshfs"),
        ("/home/ann/inner/deep", "tmpfs"),  # mounted over the other
    ],
)
def test_the_innermost_mount_holds_a_folder(path: str, type: str, listed: list[Mount]) -> None:
    assert type_of(path, listed) == type


@pytest.mark.parametrize(
    ("type", "network"),
    [
        ("nfs4", True),
        ("cifs", True),
        ("smb3", True),
        ("9p", True),
        ("fuse.sshfs", True),
        ("fuse.rclone", True),
        ("fuse.ntfs-3g", False),
        ("fuseblk", False),
        ("ext4", False),
        ("tmpfs", False),
        ("fuse.somebody", False),
        ("fuse", False),
        ("autofs", False),
    ],
)
def test_which_file_systems_are_remote(type: str, network: bool, tmp_path: Path) -> None:
    point = os.path.realpath(tmp_path)
    assert place_of(tmp_path, [Mount(point, type, False)]).network is network


def test_either_option_makes_a_mount_read_only(listed: list[Mount]) -> None:
    read_only = {mount.point: mount.read_only for mount in listed}
    assert read_only["/home/ann/frozen"]
    assert read_only["/"] is False
    assert [m.read_only for m in listed if m.point == "/home/ann/inner"] == [True, False]


def test_without_a_list_of_mounts_the_rest_is_unknown(tmp_path: Path) -> None:
    assert read_mounts(tmp_path / "none") == []
    place = place_of(tmp_path, [])
    assert (place.network, place.removable) == (False, False)
    assert place.free_bytes is not None
    assert place.read_only is False


def test_disks_of_a_person_are_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    disk = tmp_path / "media" / "stick"
    disk.mkdir(parents=True)
    found = [
        mounts.Mount(str(disk), "vfat", False),
        mounts.Mount(str(tmp_path), "ext4", False),
        mounts.Mount(str(tmp_path / "media" / "gone"), "vfat", False),
        mounts.Mount(str(tmp_path / "media" / "share"), "nfs", False),
    ]
    monkeypatch.setattr(mounts, "read_mounts", lambda: found)
    monkeypatch.setattr(mounts, "_DISKS", (f"{tmp_path}/media/",))
    assert mounts.disks() == [disk]
    settings = Settings((tmp_path / "home",), tmp_path / "own", disks=True)
    assert inside(settings, disk) == disk.resolve()
    with pytest.raises(ForbiddenError):
        inside(Settings((tmp_path / "home",), tmp_path / "own"), disk)
