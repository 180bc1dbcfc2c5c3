"""What can be said of the place of a folder before anything in it is touched.

Linux lists its mounts in /proc/self/mountinfo (proc(5)); elsewhere statvfs says less. What the
system does not say is None: unknown, and never a guess.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MOUNTS = Path("/proc/self/mountinfo")
BLOCK_DEVICES = Path("/sys/dev/block")
_OCTAL = re.compile(rb"\\([0-7]{3})")

# File systems whose bytes lie on another machine, shares of a virtual machine included; the same
# behind FUSE, whose types name the program; and programs of FUSE that stay on this machine.
NETWORK = """
nfs nfs4 cifs smb smb2 smb3 smbfs ncpfs ncp afs coda 9p ceph glusterfs lustre beegfs orangefs pvfs2
gpfs moosefs webdav davfs davfs2 afpfs vboxsf vmhgfs prl_fs virtiofs
"""
REMOTE_PROGRAMS = """
sshfs rclone s3fs s3ql goofys gcsfuse gvfsd-fuse glusterfs curlftpfs davfs davfs2 smbnetfs wdfs nfs
google-drive-ocamlfuse onedriver blobfuse blobfuse2 juicefs ceph ceph-fuse moosefs mfs vmhgfs-fuse
hdfs ipfs simple-mtpfs jmtpfs go-mtpfs ifuse
"""
LOCAL_PROGRAMS = """
ntfs ntfs-3g exfat mergerfs encfs gocryptfs cryfs bindfs ecryptfs squashfuse unionfs overlayfs
fuse-overlayfs lxcfs zfs apfs ext2 ext4 archivemount ratarmount
"""
# Types that say neither where the bytes lie nor whose they are.
UNKNOWN = frozenset({"", "autofs", "fuse"})
DISCS = frozenset({"iso9660", "udf"})
REMOVABLE_FOLDERS = ("/media", "/run/media")


@dataclass(frozen=True, slots=True)
class FolderPlace:
    """What is known of a folder; None is unknown.

    ``read_only`` is true where we may not write, by the rights or by the mount.
    """

    read_only: bool | None
    network: bool | None
    removable: bool | None
    file_system: str
    free_bytes: int | None


@dataclass(frozen=True, slots=True)
class Mount:
    """A line of mountinfo: where, of what type, on which device, and whether it is read-only."""

    point: bytes
    type: str
    device: str
    read_only: bool


def place_of(path: str | os.PathLike[str], mounts: Sequence[Mount] | None = None) -> FolderPlace:
    """The place of a folder, or of the folder of a file; of a missing one the nearest that exists.

    ``mounts`` spares reading the table again where many folders are looked at.
    """
    folder = _existing_folder(Path(path))
    mount = _mount_of(folder, read_mounts() if mounts is None else mounts)
    if mount is None:
        return FolderPlace(_read_only(folder), _is_share(folder), None, "", _free(folder))
    return FolderPlace(
        mount.read_only or _read_only(folder),
        _is_network(mount.type),
        _is_removable(mount),
        mount.type,
        _free(folder),
    )


def read_mounts(file: Path = MOUNTS) -> list[Mount]:
    """The mounts of this system, later ones over earlier ones; none where it does not list them."""
    try:
        lines = file.read_bytes().splitlines()
    except OSError:
        return []
    return [mount for line in lines if (mount := _mount(line)) is not None]


def _mount(line: bytes) -> Mount | None:
    """``id parent device root point options [tags...] - type source options``."""
    before, separator, after = line.partition(b" - ")
    fields, behind = before.split(b" "), after.split(b" ")
    if not separator or len(fields) < 6 or len(behind) < 2:
        return None
    options = {*fields[5].split(b","), *(behind[2].split(b",") if len(behind) > 2 else ())}
    return Mount(_unescaped(fields[4]), behind[0].decode(), fields[2].decode(), b"ro" in options)


def _unescaped(name: bytes) -> bytes:
    """Blanks, tabs, line ends and backslashes stand as three octal digits behind a backslash."""
    return _OCTAL.sub(lambda match: bytes([int(match[1], 8) & 0xFF]), name)


def _mount_of(folder: Path, mounts: Sequence[Mount]) -> Mount | None:
    """The innermost mount that holds a folder; of several on one point the last."""
    real = os.fsencode(os.path.realpath(folder))
    innermost = None
    for mount in mounts:
        point = mount.point.rstrip(b"/")
        if (real == point or real.startswith(point + b"/")) and (
            innermost is None or len(mount.point) >= len(innermost.point)
        ):
            innermost = mount
    return innermost


def _existing_folder(path: Path) -> Path:
    path = Path(os.path.abspath(path))
    while not path.is_dir() and path != path.parent:
        path = path.parent
    return path


def _read_only(folder: Path) -> bool | None:
    if not os.access(folder, os.W_OK | os.X_OK):
        return True
    try:
        return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)
    except (OSError, AttributeError):
        return None  # Windows answers by the rights of each file


def _free(folder: Path) -> int | None:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def _is_share(folder: Path) -> bool | None:
    r"""Windows names a share ``\\server\share``; other systems without mountinfo say nothing."""
    return True if sys.platform == "win32" and str(folder).startswith("\\\\") else None


def _is_network(type: str) -> bool | None:
    if type in NETWORK.split():
        return True
    kind, _, program = type.partition(".")
    if kind == "fuse" and program in REMOTE_PROGRAMS.split():
        return True
    if kind == "fuse":
        return False if program in LOCAL_PROGRAMS.split() else None
    return None if type in UNKNOWN else False


def _is_removable(mount: Mount) -> bool | None:
    """Discs, what desktops mount for the user, what its device calls removable, and USB disks."""
    point = os.fsdecode(mount.point)
    if mount.type in DISCS or any(point.startswith(f"{top}/") for top in REMOVABLE_FOLDERS):
        return True
    if mount.device.startswith("0:"):
        return None  # no device of its own: memory, network, or several disks as one
    device = BLOCK_DEVICES / mount.device
    with suppress(OSError, RuntimeError):
        device = device.resolve(strict=True)
        if any(re.fullmatch(r"usb\d+", part) for part in device.parts):
            return True
        for disk in (device, device.parent):  # a partition, or the disk itself
            if (disk / "removable").is_file():
                return (disk / "removable").read_text().strip() == "1"
    return None
