"""Atomic writing: a file is complete or absent, since a temporary file is renamed at the end.

The temporary file of `results.24` is next to it, with a random name such as `.results.24.0a1b2c3d`.
The writer locks it. A temporary file without a lock was abandoned by a killed process; the next
process that writes to the same path removes it. Links are followed, and stay links.

All functions raise OSError, with the name that the user gave, if a file cannot be written, or is
not a regular file.
"""

import errno
import io
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from crisps24.errors import KindError, RefusedError, quoted

if sys.platform == "win32":
    import msvcrt

    _LockedElsewhere = PermissionError

    def _try_lock(file: BinaryIO) -> None:
        # Windows locks bytes against other writers: lock one far behind the end of any file.
        os.lseek(file.fileno(), 1 << 62, os.SEEK_SET)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

    def _wait_for_lock(file: io.FileIO) -> None:
        os.lseek(file.fileno(), 1 << 62, os.SEEK_SET)
        # This tries ten times, once a second.
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
else:
    _LockedElsewhere = BlockingIOError

    def _try_lock(file: BinaryIO) -> None:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _wait_for_lock(file: io.FileIO) -> None:
        # On file systems without locks, one call of write still writes whole lines. Browsers have
        # no other process, and no `fcntl`.
        with suppress(OSError, ImportError):
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)


def to_path(place: str | os.PathLike[str]) -> Path:
    """Return the argument of a caller as a path; refuse what no name of a file can be."""
    if not isinstance(place, str | os.PathLike):
        raise KindError(f"invalid path {quoted(place)} (expected a text or a Path)")
    path = Path(place)
    try:
        is_valid = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        is_valid = False
    if not is_valid:
        raise RefusedError(f"invalid file name {quoted(str(path))}")
    return path


@contextmanager
def replace_file(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary file for binary writing, and rename it to `path` when the block succeeds.

    The permissions of an existing file are kept.
    """
    real_path = _real_path(path)
    with _named_in_errors(path):
        old_status = _regular_file_status(real_path)
        with _temporary_file(real_path) as (temporary, lock):
            with temporary.open("r+b") as file:
                yield file
            if old_status is not None:
                temporary.chmod(stat.S_IMODE(old_status.st_mode))
            if sys.platform == "win32":
                # Windows cannot rename an open file.
                lock.close()
            temporary.replace(real_path)


def append_lines(path: Path, text: str = "") -> None:
    """Append lines to a file, all of them or none; other processes can append at the same time.

    The call waits for a lock. Each line in `text` has its line end; if the last line of the file
    lacks one, it is added first. An empty text creates the file if it is missing.
    """
    real_path = _real_path(path)
    with _named_in_errors(path):
        _regular_file_status(real_path)
        with real_path.open("a+b", buffering=0) as file:
            _wait_for_lock(file)
            old_size = file.seek(0, os.SEEK_END)
            lines = text.encode()
            if lines and old_size:
                file.seek(old_size - 1)
                lines = (b"" if file.read(1) == b"\n" else b"\n") + lines
            try:
                if file.write(lines) != len(lines):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            except OSError:
                file.truncate(old_size)
                raise


def remove_abandoned(paths: Iterable[Path]) -> None:
    """Remove the abandoned temporary files of some paths; skip those that cannot be removed."""
    names_by_folder: dict[Path, set[str]] = {}
    for path in paths:
        real_path = _real_path(path)
        names_by_folder.setdefault(real_path.parent, set()).add(real_path.name)
    for folder, names in names_by_folder.items():
        with suppress(OSError):
            for entry in list(os.scandir(folder)):
                match = re.fullmatch(r"\.(.+)\.[0-9a-f]{8}", entry.name, re.DOTALL)
                if match and match[1] in names and entry.is_file(follow_symlinks=False):
                    _remove_if_abandoned(Path(entry.path))


def check_place(path: Path) -> None:
    """Raise OSError unless a file can be written at a path: call it before expensive work."""
    if not path.absolute().parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "no such folder", str(path.parent))
    real_path = _real_path(path)
    with _named_in_errors(path):
        _regular_file_status(real_path)
        with _temporary_file(real_path):
            pass


def same_place(path: Path, other_path: Path) -> bool:
    """Return whether two paths lead to the same file, existing or not."""
    real_path, other_real_path = _real_path(path), _real_path(other_path)
    # A missing file or folder raises OSError: then compare the paths as texts.
    with suppress(OSError):
        if real_path.exists() or other_real_path.exists():
            # Hard links are the same file, also names that differ in case on some file systems.
            return real_path.samefile(other_real_path)
        has_same_name = real_path.name == other_real_path.name
        return has_same_name and real_path.parent.samefile(other_real_path.parent)
    return real_path == other_real_path


def _real_path(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _regular_file_status(real_path: Path) -> os.stat_result | None:
    if not real_path.exists():
        return None
    status = real_path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "not a regular file", str(real_path))
    return status


@contextmanager
def _named_in_errors(path: Path) -> Iterator[None]:
    """Change the name of the file at `path`, or of its temporary file, in OSErrors to `path`."""
    try:
        yield
    except OSError as error:
        if error.strerror and (
            error.filename is None or _real_path(path).name in str(error.filename)
        ):
            error.filename = str(path)
            del error.filename2
        raise


@contextmanager
def _temporary_file(real_path: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """Create and lock a temporary file, and remove it unless it is renamed; yield (path, file)."""
    while True:
        # The name is chosen before the file is created, so that a signal at any moment leaves no
        # file behind. tempfile names files later, and removes the permissions of other users.
        temporary = real_path.with_name(f".{real_path.name}.{os.urandom(4).hex()}")
        try:
            with temporary.open("xb") as lock:
                # Before it was locked, another process can have removed it as abandoned: then try
                # another name.
                if _lock(lock) is not False and temporary.exists():
                    yield temporary, lock
                    return
        finally:
            temporary.unlink(missing_ok=True)


def _lock(file: BinaryIO) -> bool | None:
    """Return whether an open file was locked until it is closed; None on a system without locks."""
    try:
        _try_lock(file)
    except _LockedElsewhere:
        return False
    except (OSError, ImportError):
        return None
    return True


def _remove_if_abandoned(path: Path) -> None:
    with suppress(OSError):
        with path.open("r+b") as file:
            is_abandoned = _lock(file)
            if is_abandoned and sys.platform != "win32":
                # Removed while locked: a process that has just created it notices that.
                path.unlink()
        # Windows cannot remove an open file.
        if is_abandoned and sys.platform == "win32":
            path.unlink()
