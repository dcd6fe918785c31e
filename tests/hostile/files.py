"""Hostile files, and the largest memory and the time of each command that reads files by rows."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count, repeat
from pathlib import Path
from typing import NamedTuple

MEGABYTE = 1_000_000
# Bytes of a row just below the limit of a row.
_LONG = 7_900_000
_PUZZLE = b'"nums":[3,8],"target":24,"formula":"3*8"'
_ROW = b"{%s}\n" % _PUZZLE


class HostileFile(NamedTuple):
    """The suffix of a file, the commands that read it, and its pieces, without end.

    `megabytes` is the most memory that a command can take; `size` is about that of the file.
    """

    suffix: str
    commands: str
    pieces: Callable[[], Iterator[bytes]]
    start: bytes = b""
    end: bytes = b""
    megabytes: int = 1_000
    size: int = 8 * MEGABYTE

    def write(self, path: Path) -> None:
        """Write pieces until the file has its size."""
        with path.open("wb") as out:
            out.write(self.start)
            pieces = self.pieces()
            while out.tell() < self.size:
                out.write(next(pieces))
            out.write(self.end)


def _long_row(piece: str, start: str = '"note":', end: str = "") -> Callable[[], Iterator[bytes]]:
    """Return a function that repeats one long row, filled with a piece."""

    def pieces() -> Iterator[bytes]:
        filling = piece.encode() * (_LONG // len(piece.encode()))
        parts = (_PUZZLE, start.encode(), filling, end.encode())
        return repeat(b'{%s,"text":"3*8",%s%s%s}\n' % parts)

    return pieces


def _short_rows(row: bytes, commands: str, end: bytes = b"") -> HostileFile:
    """Return a file of short rows, of which a command keeps few: %d in a row is its number."""

    def pieces() -> Iterator[bytes]:
        return (row.replace(b"%d", b"%d" % number) for number in count(10**6))

    return HostileFile(".jsonl", commands, pieces, end=end, megabytes=100, size=4 * MEGABYTE)


def _elements(value: bytes) -> Callable[[], Iterator[bytes]]:
    return lambda: repeat(b'{%s,"x":%s},' % (_PUZZLE, value))


def _names() -> Iterator[bytes]:
    fields = b",".join(b'"%d":1' % number for number in range(700_000))
    return repeat(b'{%s,"text":"3*8",%s}\n' % (_PUZZLE, fields))


ALL = "audit fix against judge workers"
TABLE = "audit fix against judge"
_HEADER, _LISTS = b"nums,target,text\n", b"[%s1]" % (b"[]," * 99)
FILES = {
    "long text": HostileFile(".jsonl", ALL, _long_row("a", '"note":"', '"')),
    "long objects": HostileFile(".jsonl", ALL, _long_row("{},", '"note":[', "1]")),
    "long floats": HostileFile(".jsonl", ALL, _long_row("1.5,", '"note":[', "1]")),
    "long key": HostileFile(".jsonl", ALL, _long_row("3*8 ", '"answer":"', '"')),
    "long key of objects": HostileFile(".jsonl", ALL, _long_row("{},", '"answer":[', "1]")),
    "long hand": HostileFile(".jsonl", ALL, _long_row("1,", '"numbers":[', "1]")),
    "long number": HostileFile(".jsonl", ALL, _long_row("7")),
    "long names": HostileFile(".jsonl", ALL, _names),
    "wide text": HostileFile(".jsonl", ALL, _long_row("\U0001f600", '"completion":"', '"')),
    "deep list": HostileFile(".jsonl", ALL, _long_row("[")),
    "line feeds": HostileFile(".jsonl", ALL, _long_row("\\n", '"response":"3*8', '"')),
    "endless line": HostileFile(".jsonl", ALL, lambda: repeat(b"a" * MEGABYTE)),
    "blank lines": HostileFile(".jsonl", ALL, lambda: repeat(b" " * 99 + b"\n"), end=_ROW),
    "faulty rows": _short_rows(b'{"nums":[3,8],"target":%d"}\n', ALL, _ROW),
    "wrong rows": _short_rows(b'{"nums":[1,%d],"target":0,"answer":"1","text":"1"}\n', ALL),
    "names": _short_rows(b'{"nums":[3],"target":3,"text":"3","name":"%d"}\n', "judge"),
    "changing fields": _short_rows(b'{"nums":[3],"target":3,"text":"3","n%d":1}\n', ALL),
    "changing rules": _short_rows(b'{"nums":[3],"target":3,"text":"3","max":%d}\n', ALL),
    "open marks": HostileFile(".csv", TABLE, lambda: repeat(b'"a\n'), _HEADER, size=MEGABYTE),
    "cells of lines": HostileFile(".csv", TABLE, lambda: repeat(b'"a\n",'), _HEADER),
    "cells": HostileFile(".csv", TABLE, lambda: repeat(b"," * MEGABYTE), _HEADER),
    "array of numbers": HostileFile(".json", "audit fix", _elements(b"7" * MEGABYTE), b"[", b"{}]"),
    "array of lists": HostileFile(".json", "audit fix", _elements(_LISTS), b"[", b"{}]"),
    "array of one": HostileFile(".json", "audit fix", lambda: repeat(b"[]," * 999), b"[[", b"1]]"),
    "array of text": HostileFile(
        ".json", "audit fix", lambda: repeat(b'"\\"",' * 999), '["\U0001f600",'.encode(), b"{}]"
    ),
    "deep array": HostileFile(".json", "audit fix", lambda: repeat(b"[" * MEGABYTE)),
    "repeated keys": HostileFile(".parquet", "audit fix against", lambda: iter(()), megabytes=300),
    "repeated notes": HostileFile(".parquet", "audit fix", lambda: iter(()), megabytes=300),
    "lists of numbers": HostileFile(".parquet", "audit fix", lambda: iter(()), megabytes=300),
}
CALLS = {
    **{"audit": "audit FILE", "fix": "audit FILE --fix FIXED"},
    **{"against": "audit FILE --against FILE", "judge": "judge --file FILE"},
    "workers": "judge --file FILE --workers 2 --format jsonl",
}


def write_parquet(name: str, path: Path) -> None:
    """Write rows that take little of the file, and 240 MB or more as Python objects."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = 1_500 if name == "lists of numbers" else 300
    text = pa.DictionaryArray.from_arrays([0] * rows, ["x" * MEGABYTE])
    long_list = pa.array([[3] * 20_000])
    columns = {"nums": pa.array([[3, 8]] * rows), "target": pa.array(range(rows))}
    if name == "lists of numbers":
        pieces = pa.table(columns | {"answer": pa.concat_arrays([long_list] * rows)})
    else:
        pieces = pa.table(columns | {"answer" if name == "repeated keys" else "note": text})
    pq.write_table(pieces, path, store_schema=False)


# Runs the program in a small process: a child starts with the memory of its parent.
RUN = """
import os, resource, subprocess, sys
limits = [int(sys.argv[1])] * 2
process = subprocess.Popen(
    [sys.executable, "-m", "crisps24", *sys.argv[2:]],
    stdout=subprocess.DEVNULL,
    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limits),
)
_, status, usage = os.wait4(process.pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss // 1024)
"""


def measures(name: str, folder: Path, address_space: int) -> Iterator[tuple[str, list[int]]]:
    """Yield each command that reads a file, with its status and its megabytes."""
    file = FILES[name]
    path = folder / f"a{file.suffix}"
    if file.suffix == ".parquet":
        write_parquet(name, path)
    else:
        file.write(path)
    for command in file.commands.split():
        paths = {"FILE": str(path), "FIXED": str(path.with_name(f"fixed{file.suffix}"))}
        words = [paths.get(word, word) for word in CALLS[command].split()]
        line = [sys.executable, "-c", RUN, str(address_space), *words]
        call = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, check=True)
        yield command, [*map(int, call.stdout.split())]
