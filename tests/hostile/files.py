"""Hostile files, and the peak memory and time of each command that reads files by rows.

`python -m tests.hostile.files [KIND...]` prints them for whole sizes.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

MEGABYTE = 1_000_000
# A long row is just below the limit of a row.
_ROW = 7_900_000


class HostileFile(NamedTuple):
    """A file of about as many bytes as asked for, and the commands that read it."""

    suffix: str
    commands: str
    write: Callable[[int], Iterator[bytes]]


def _repeated(
    piece: bytes, before: bytes = b"", after: bytes = b""
) -> Callable[[int], Iterator[bytes]]:
    def write(size: int) -> Iterator[bytes]:
        yield before
        block = piece * (1 + MEGABYTE // len(piece))
        for _ in range(max(size // len(block), 1)):
            yield block
        yield after

    return write


def _rows(
    row: Callable[[int], bytes], before: bytes = b"", after: bytes = b""
) -> Callable[[int], Iterator[bytes]]:
    """Return a writer of rows, each made from its number."""

    def write(size: int) -> Iterator[bytes]:
        yield before
        number, written = 0, 0
        while written < size:
            number += 1
            written += len(data := row(number))
            yield data
        yield after

    return write


def _long(value: bytes) -> bytes:
    return b'{"nums":[3,8],"target":24,"formula":"3*8","text":"3*8","note":%s}\n' % value


_OBJECT = b",".join(b'"%d":1' % number for number in range(700_000))
JSON_LINES = "audit fix against judge workers"
LINES = {
    "text": _long(b'"%s"' % (b"a" * _ROW)),
    "objects": _long(b"[%s{}]" % (b"{}," * 2_600_000)),
    "lists": _long(b"[%s[]]" % (b"[]," * 2_600_000)),
    "floats": _long(b"[%s1]" % (b"1.5," * 1_900_000)),
    "names": _long(b"{%s}" % _OBJECT),
    "fields": _long(b"1,%s" % _OBJECT),
    "numbers": b'{"nums":[' + b"1," * 3_900_000 + b'1],"target":24,"text":"3*8","formula":"3*8"}\n',
    "digits": b'{"nums":[3,8],"target":24,"text":"3*8","formula":"3*8","x":' + b"7" * _ROW + b"}\n",
    "key": b'{"nums":[3,8],"target":24,"formula":"3*8","answer":"' + b"3*8 " * 1_900_000 + b'"}\n',
    "answer": b'{"nums":[3,8],"target":24,"text":"' + b"3*8 " * 1_900_000 + b'"}\n',
    "wide": b'{"nums":[3,8],"target":24,"formula":"3*8","text":"'
    + "\U0001f600".encode() * 1_900_000
    + b'"}\n',
    "deep": b'{"nums":[3,8],"x":' + b"[" * 3_900_000 + b"]" * 3_900_000 + b"}\n",
    "blank": b'{"nums":[3,8],"target":24,"text":"3*8'
    + b"\\n" * 3_900_000
    + b'","formula":"3*8"}\n',
}
FILES = {
    **{
        f"long {name}": HostileFile(".jsonl", JSON_LINES, _repeated(line))
        for name, line in LINES.items()
    },
    "endless line": HostileFile(".jsonl", JSON_LINES, _repeated(b"a")),
    "empty lines": HostileFile(".jsonl", JSON_LINES, _repeated(b"\n", after=LINES["text"])),
    "spaces": HostileFile(".jsonl", JSON_LINES, _repeated(b" " * 999 + b"\n", after=LINES["text"])),
    "faulty rows": HostileFile(".jsonl", JSON_LINES, _repeated(b"{\n", after=LINES["text"])),
    "wrong rows": HostileFile(
        ".jsonl",
        JSON_LINES,
        _rows(lambda i: b'{"nums":[1,%d],"target":0,"answer":"1","text":"1","formula":"1"}\n' % i),
    ),
    "names": HostileFile(
        ".jsonl", "judge", _rows(lambda i: b'{"nums":[3],"target":3,"text":"3","name":"%d"}\n' % i)
    ),
    "changing fields": HostileFile(
        ".jsonl",
        JSON_LINES,
        _rows(lambda i: b'{"nums":[3],"target":3,"text":"3","formula":"3","n%d":1}\n' % i),
    ),
    "rules": HostileFile(
        ".jsonl",
        JSON_LINES,
        _rows(
            lambda i: (
                b'{"nums":[3,8],"target":24,"text":"3","formula":"3*8","numbers":"1..%d"}\n'
                % (10**6 + i)
            )
        ),
    ),
    "open quotes": HostileFile(
        ".csv", "audit fix against judge", _repeated(b'"a\n', b"nums,target,text\n")
    ),
    "quoted lines": HostileFile(
        ".csv", "audit fix against judge", _repeated(b'"a\n",', b"nums,target,text\n")
    ),
    "cells": HostileFile(".csv", "audit fix against judge", _repeated(b",", b"nums,target,text\n")),
    "array digits": HostileFile(
        ".json",
        "audit fix",
        _rows(lambda _: b'{"nums":[3,8],"target":24,"x":%s},' % (b"7" * 10**6), b"[", b"{}]"),
    ),
    "array lists": HostileFile(
        ".json",
        "audit fix",
        _repeated(b'{"nums":[3,8],"target":24,"x":[%s1]},' % (b"[]," * 99), b"[", b"{}]"),
    ),
    "array of one": HostileFile(".json", "audit fix", _repeated(b"[],", b"[[", b"1]]")),
    "array strings": HostileFile(
        ".json", "audit fix", _repeated(b'"\\"",', '["\U0001f600",'.encode(), b"{}]")
    ),
    "array deep": HostileFile(".json", "audit fix", _repeated(b"[", b"[")),
    "array spaces": HostileFile(".json", "audit fix", _repeated(b" ", b"[", b"{}]")),
}
ARRAY_BYTES = 99 * MEGABYTE


def command(name: str, file: Path) -> list[str]:
    """Return the arguments of a command that reads a file."""
    fixed = str(file.with_name("fixed" + file.suffix))
    words: dict[str, list[str]] = {
        "audit": ["audit", str(file)],
        "fix": ["audit", str(file), "--fix", fixed],
        "against": ["audit", str(file), "--against", str(file)],
        "judge": ["judge", "--file", str(file)],
        "workers": ["judge", "--file", str(file), "--workers", "2", "--format", "jsonl"],
        "check": ["check", "--file", str(file)],
        "solve": ["solve", "--file", str(file)],
    }
    return words[name]


class Measure(NamedTuple):
    """What a call took."""

    status: int
    megabytes: int
    seconds: float
    last_line: str


def measure(words: list[str], address_space: int = 0) -> Measure:
    """Run the program, with at most some bytes of address space; return its largest memory."""

    def limit() -> None:
        if address_space:
            resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))

    with tempfile.TemporaryFile() as out:
        start = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "crisps24", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=out,
            preexec_fn=limit,
        )
        _, wait_status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(wait_status)
        seconds = time.perf_counter() - start
        out.seek(max(out.seek(0, 2) - 300, 0))
        last = out.read().decode(errors="replace").strip().split("\n")[-1]
        return Measure(process.returncode, usage.ru_maxrss // 1024, seconds, last)


def main() -> int:
    """Print what each command takes for each file, at whole size."""
    size = int(sys.argv[1]) * MEGABYTE
    for name, file in FILES.items():
        if sys.argv[2:] and not any(word in name for word in sys.argv[2:]):
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"a{file.suffix}"
            with path.open("wb") as out:
                out.writelines(
                    file.write(min(size, ARRAY_BYTES) if file.suffix == ".json" else size)
                )
            for kind in file.commands.split():
                result = measure(command(kind, path))
                flag = "!!" if result.megabytes > 1000 or result.status not in (0, 1, 2) else "  "
                print(
                    f"{flag}{name:16} {kind:8} {path.stat().st_size / 1e6:6.0f} MB {result.status:3} {result.megabytes:6,} MB {result.seconds:7.1f} s {result.last_line[:90]}",
                    flush=True,
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
