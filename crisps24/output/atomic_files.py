"""Files that are complete or absent: written as a temporary file and renamed at the end.

The writer holds a lock on the temporary file. The next run that writes to the same place removes
those without a lock: a killed run has left them.
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

    _Held = PermissionError

    def _ask_for_lock(file: BinaryIO) -> None:
        # Nobody else can write what is locked there: a byte far behind the end of any file.
        os.lseek(file.fileno(), 1 << 62, os.SEEK_SET)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

    def _wait_for_lock(file: io.FileIO) -> None:
        os.lseek(file.fileno(), 1 << 62, os.SEEK_SET)
        # Which tries ten times, a second apart.
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
else:
    import fcntl

    _Held = BlockingIOError

    def _ask_for_lock(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _wait_for_lock(file: io.FileIO) -> None:
        # Where there are no locks, a line is written in one piece all the same.
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)


def to_path(place: str | os.PathLike[str]) -> Path:
    """Return the path that a caller gives.

    >>> to_path("results.24").name
    'results.24'

    Raises ValueError for characters that no file has in its name, TypeError for what is no path.
    """
    if not isinstance(place, str | os.PathLike):
        raise KindError(f"{quoted(place)} is no path of a file: text is, or a Path")
    path = Path(place)
    try:
        writable = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        writable = False
    if not writable:
        raise RefusedError(f"{quoted(str(path))} is the name of no file")
    return path


@contextmanager
def replace_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file beside a place and, when all went well, rename it over that place.

    Whatever is raised inside leaves the place as it was and no other file behind. A file that
    was there before keeps its permissions.

    Raises OSError where the place cannot be written, or holds what is no regular file.
    """
    real = _real(path)
    with _named(path):
        before = _regular(real)
        with _made_beside(real) as (beside, lock):
            with beside.open("r+b") as file:
                yield file
            if before is not None:
                beside.chmod(stat.S_IMODE(before.st_mode))
            if sys.platform == "win32":
                # Which renames no file that is open.
                lock.close()
            beside.replace(real)


def append_lines(path: Path, text: str = "") -> None:
    """Add lines to a file, all of them or none, between those that others may add meanwhile.

    What is there without an end of its line is ended first. Nothing to add makes the file where
    there is none: so it is tried whether it can be written.

    Raises OSError where it cannot, or where there is what is no regular file.
    """
    real = _real(path)
    with _named(path):
        _regular(real)
        with real.open("a+b", buffering=0) as file:
            _wait_for_lock(file)
            before = file.seek(0, os.SEEK_END)
            lines = text.encode()
            if lines and before:
                file.seek(before - 1)
                lines = (b"" if file.read(1) == b"\n" else b"\n") + lines
            try:
                if file.write(lines) != len(lines):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            except OSError:
                file.truncate(before)
                raise


def remove_abandoned(paths: Iterable[Path]) -> None:
    """Remove what killed runs have left beside some places; what is being written stays."""
    places: dict[Path, set[str]] = {}
    for path in paths:
        real = _real(path)
        places.setdefault(real.parent, set()).add(real.name)
    for folder, names in places.items():
        # Where it cannot be looked into there is nothing to be done.
        with suppress(OSError):
            for entry in list(os.scandir(folder)):
                found = re.fullmatch(r"\.(.+)\.[0-9a-f]{8}", entry.name, re.DOTALL)
                if found and found[1] in names and entry.is_file(follow_symlinks=False):
                    _remove_if_left(Path(entry.path))


def check_place(path: Path) -> None:
    """Raise OSError where a file can have no place, before any work for it is done.

    What `replace_file` would do there is tried, and undone.
    """
    if not path.absolute().parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(path.parent))
    real = _real(path)
    with _named(path):
        _regular(real)
        with _made_beside(real):
            pass


def same_place(one: Path, other: Path) -> bool:
    """Return whether two paths lead to the same file, there already or still to be made.

    >>> same_place(Path("a.txt"), Path("folder/../a.txt"))
    True
    """
    first, second = _real(one), _real(other)
    with suppress(OSError):
        if first.exists() or second.exists():
            # Hard links are the same, and so are names that the disk does not tell apart.
            return first.samefile(second)
        return first.name == second.name and first.parent.samefile(second.parent)
    return first == second


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _regular(real: Path) -> os.stat_result | None:
    """Return the status of a file, None if it is missing; refuse what is not a regular file."""
    if not real.exists():
        return None
    found = real.stat()
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is there, and no regular file", str(real))
    return found


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Name the requested file in an OSError instead of its temporary file."""
    try:
        yield
    except OSError as error:
        if error.strerror and (error.filename is None or _real(path).name in str(error.filename)):
            error.filename = str(path)
            del error.filename2
        raise


@contextmanager
def _made_beside(real: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """Give a temporary file next to a place and its lock; it is gone at the end."""
    while True:
        # Named before it is made, so that a signal at any moment leaves nothing behind; tempfile
        # names it afterwards, and lets nobody else read it.
        beside = real.with_name(f".{real.name}.{os.urandom(4).hex()}")
        try:
            with beside.open("xb") as lock:
                # Another run may have taken it for one that is left before it was locked.
                if _locked(lock) is not False and beside.exists():
                    yield beside, lock
                    return
        finally:
            beside.unlink(missing_ok=True)


def _locked(file: BinaryIO) -> bool | None:
    """Lock a file until it is closed; False if another run has, None if there are no locks."""
    try:
        _ask_for_lock(file)
    except _Held:
        return False
    except OSError:
        return None
    return True


def _remove_if_left(path: Path) -> None:
    """Remove a file that nobody has locked, if it can be removed."""
    with suppress(OSError):
        with path.open("r+b") as file:
            left = _locked(file)
            if left and sys.platform != "win32":
                # While it is locked, so that nobody who has just made it goes on with it.
                path.unlink()
        if left and sys.platform == "win32":
            path.unlink()
