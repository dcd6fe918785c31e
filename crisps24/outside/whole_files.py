"""Files that are whole or not there: written beside their place and renamed over it."""

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file beside a place and, when all went well, rename it over that place.

    Whatever is raised inside leaves the place as it was and no other file behind. A file that
    was there before keeps its permissions.

    Raises OSError where the place cannot be written, or holds what is no regular file.
    """
    real = Path(os.path.realpath(path))
    before = real.stat() if real.exists() else None
    if before is not None and not stat.S_ISREG(before.st_mode):
        raise OSError(errno.EINVAL, "it is there, and no regular file", str(path))
    beside = real.with_name(f".{real.name}.{secrets.token_hex(4)}")
    try:
        with beside.open("xb") as file:
            yield file
        if before is not None:
            beside.chmod(stat.S_IMODE(before.st_mode))
        beside.replace(real)
    except BaseException as error:
        beside.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.strerror:
            # The place that was asked for, not the one beside it.
            error.filename = str(path)
        raise


def check_place(path: Path) -> None:
    """Raise OSError where a file can have no place, before any work for it is done."""
    if not path.absolute().parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(path.parent))
