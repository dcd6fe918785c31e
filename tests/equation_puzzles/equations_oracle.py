"""Brute force over equations, compiled from `equations.c`, which shares no idea with the tables."""

import ctypes
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from crisps24 import Equation
from crisps24.equation_puzzles.records import SIDE_KINDS

HERE = Path(__file__).parent
# The most that eight characters have.
_ROOM = 1 << 23
_KINDS = {"number": 1, "formula": 2}
_TYPED = {"-": "-", "+": "+", "x": "*", ":": "/"}


class _Rules(ctypes.Structure):
    _fields_ = [
        ("signs", ctypes.c_char_p),
        *((name, ctypes.c_int) for name in ("left", "right", "lone", "leading")),
        *((name, ctypes.c_int) for name in ("fractions", "negatives", "zero", "most")),
    ]


@cache
def _library() -> Any:
    gcc = shutil.which("gcc")
    if gcc is None:
        pytest.skip("gcc is missing")
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "equations.so"
        source = str(HERE / "equations.c")
        subprocess.run([gcc, "-O2", "-shared", "-fPIC", "-o", str(made), source], check=True)
        library = ctypes.CDLL(str(made))
    for name in ("equations", "missing"):
        getattr(library, name).restype = ctypes.c_long
    return library


def _rules_of(equation: Equation) -> _Rules:
    left, right = (
        sum(_KINDS[kind] for kind in SIDE_KINDS[side]) for side in (equation.left, equation.right)
    )
    game = equation.game
    signs = "".join(_TYPED[name] for name in game.operators).encode()
    flags = game.fractions, game.negatives, game.zero
    zeros = equation.lone_zeros, equation.leading_zeros
    return _Rules(signs, left, right, *zeros, *flags, game.most or 0)


def _texts(found: bytes, length: int) -> list[str]:
    return [found[at : at + length].decode() for at in range(0, len(found), length)]


def all_equations(equation: Equation) -> list[str]:
    """Return all equations of a record, in no order."""
    out = ctypes.create_string_buffer(_ROOM)
    rules = _rules_of(equation)
    count = _library().equations(equation.length, ctypes.byref(rules), out)
    assert count * equation.length < _ROOM
    return _texts(ctypes.string_at(out, count * equation.length), equation.length)


def marks(guess: str, equation: str) -> str:
    """Return how an equation marks a guess."""
    out = ctypes.create_string_buffer(len(guess))
    _library().marks(guess.encode(), equation.encode(), len(guess), out)
    return out.raw.decode()


def left_after(guess: str, seen: str, texts: list[str]) -> list[str]:
    """Return the equations that mark a guess so."""
    out = ctypes.create_string_buffer(len(texts) + 1)
    joined = "".join(texts).encode()
    many = ctypes.c_long(len(texts))
    _library().fits(guess.encode(), seen.encode(), joined, many, len(guess), out)
    return [text for text, fits in zip(texts, out.raw, strict=False) if fits]


def signs_for(text: str, equation: Equation, *, equals: bool) -> list[str]:
    """Return what a text with `_` for each missing sign can be; the lengths do not matter."""
    out = ctypes.create_string_buffer(1 << 20)
    rules = _rules_of(equation)
    buffer = ctypes.create_string_buffer(text.encode())
    count = _library().missing(buffer, len(text), ctypes.byref(rules), int(equals), out)
    return _texts(ctypes.string_at(out, count * len(text)), len(text))
