"""What can be said of the place of a folder before anything in it is touched.

Linux lists its mounts in /proc/self/mountinfo (proc(5)). Elsewhere nothing is known of networks and
removable disks, and nothing is said of them.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MOUNTS = Path("/proc/self/mountinfo")
_OCTAL = re.compile(rb"\\([0-7]{3})")
# File systems whose bytes lie on another machine, shares of a virtual machine and FUSE included.
_NETWORK = """
nfs nfs4 cifs smb smb2 smb3 smbfs ncpfs afs coda 9p ceph glusterfs lustre beegfs orangefs gpfs
webdav davfs afpfs vboxsf vmhgfs prl_fs virtiofs fuse.sshfs fuse.rclone fuse.s3fs fuse.goofys
fuse.gcsfuse fuse.gvfsd-fuse fuse.glusterfs fuse.curlftpfs fuse.davfs2 fuse.smbnetfs fuse.nfs
fuse.onedriver fuse.blobfuse2 fuse.juicefs fuse.ceph fuse.vmhgfs-fuse fuse.hdfs fuse.jmtpfs
"""
_DISCS = ("iso9660", "udf")
_REMOVABLE = ("/media/", "/run/media/")
_DISKS = (*_REMOVABLE, "/mnt/", "/Volumes/")


@dataclass(frozen=True, slots=True)
class FolderPlace:
    """What is known of a folder; ``read_only`` by the rights or by the mount."""

    read_only: bool
    network: bool
    removable: bool
    free_bytes: int | None


@dataclass(frozen=True, slots=True)
class Mount:
    """A line of mountinfo: where, of what type, and whether it is read-only."""

    point: str
    type: str
    read_only: bool

    def holds(self, path: str) -> bool:
        """Whether a path without links lies in it."""
        return f"{path}/".startswith(f"{self.point.rstrip('/')}/")


def place_of(path: str | os.PathLike[str], mounts: Sequence[Mount] | None = None) -> FolderPlace:
    """The place of a folder, or of the folder of a file; of a missing one the nearest that exists.

    ``mounts`` spares reading the table again where many folders are looked at.
    """
    folder = Path(os.path.abspath(path))
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    mount = mount_of(os.path.realpath(folder), read_mounts() if mounts is None else mounts)
    free = None
    with suppress(OSError):
        free = shutil.disk_usage(folder).free
    return FolderPlace(
        mount.read_only or not os.access(folder, os.W_OK | os.X_OK),
        mount.type in _NETWORK.split(),
        mount.type in _DISCS or mount.point.startswith(_REMOVABLE),
        free,
    )


def mount_of(path: str, mounts: Sequence[Mount]) -> Mount:
    """The innermost mount that holds a path without links; of several on one point the last."""
    holding = [mount for mount in mounts if mount.holds(path)]
    return max(reversed(holding), key=lambda mount: len(mount.point), default=Mount("/", "", False))


def disks() -> list[Path]:
    """The mounted disks of this machine that this user may read, other than the system's own."""
    found = {mount.point for mount in read_mounts() if mount.type not in _NETWORK.split()}
    found |= set(map(str, Path("/Volumes").glob("*")))  # macOS lists no mounts
    paths = sorted(Path(point) for point in found if point.startswith(_DISKS))
    return [path for path in paths if path.is_dir() and os.access(path, os.R_OK | os.X_OK)]


def read_mounts(file: Path = MOUNTS) -> list[Mount]:
    """The mounts of this system, later ones over earlier ones; none where it does not list them.

    ``id parent device root point options [tags...] - type source options``
    """
    mounts = []
    with suppress(OSError):
        for line in file.read_bytes().splitlines():
            before, _, after = line.partition(b" - ")
            fields, behind = before.split(b" "), after.split(b" ")
            if len(fields) < 6 or len(behind) < 3:
                continue
            point = _OCTAL.sub(lambda match: bytes([int(match[1], 8) & 0xFF]), fields[4])
            options = {*fields[5].split(b","), *behind[2].split(b",")}
            mounts.append(Mount(os.fsdecode(point), behind[0].decode(), b"ro" in options))
    return mounts
