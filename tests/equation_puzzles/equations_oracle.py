"""Brute force over equations, compiled from `equations.c`, which uses no tables."""

import ctypes
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from crisps24 import Equation
from crisps24.equation_puzzles.records import SIDE_KINDS
from tests.compiling import compiled

# Bytes of all equations of 8 characters, of any record.
_BUFFER_BYTES = 1 << 23
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
    with tempfile.TemporaryDirectory() as folder:
        source = Path(__file__).with_name("equations.c")
        library = ctypes.CDLL(compiled(source, Path(folder), "-shared", "-fPIC"))
    for name in ("equations", "missing"):
        getattr(library, name).restype = ctypes.c_long
    return library


def _rules_of(equation: Equation) -> _Rules:
    sides = (equation.left, equation.right)
    left, right = (sum(_KINDS[kind] for kind in SIDE_KINDS[side]) for side in sides)
    game = equation.game
    signs = "".join(_TYPED[name] for name in game.operators).encode()
    flags = game.fractions, game.negatives, game.zero
    zeros = equation.lone_zeros, equation.leading_zeros
    return _Rules(signs, left, right, *zeros, *flags, game.most or 0)


def _texts(joined: bytes, length: int) -> list[str]:
    return [joined[start : start + length].decode() for start in range(0, len(joined), length)]


def all_equations(equation: Equation) -> list[str]:
    out = ctypes.create_string_buffer(_BUFFER_BYTES)
    count = _library().equations(equation.length, ctypes.byref(_rules_of(equation)), out)
    assert count * equation.length < _BUFFER_BYTES
    return _texts(ctypes.string_at(out, count * equation.length), equation.length)


def marks(guess: str, equation: str) -> str:
    out = ctypes.create_string_buffer(len(guess))
    _library().marks(guess.encode(), equation.encode(), len(guess), out)
    return out.raw.decode()


def left_after(guess: str, seen: str, texts: list[str]) -> list[str]:
    out = ctypes.create_string_buffer(len(texts) + 1)
    joined = "".join(texts).encode()
    count = ctypes.c_long(len(texts))
    _library().fits(guess.encode(), seen.encode(), joined, count, len(guess), out)
    return [text for text, fits in zip(texts, out.raw, strict=False) if fits]


def signs_for(text: str, equation: Equation, *, equals: bool) -> list[str]:
    """Return the fillings of a text with `_` for each missing sign; the length is not used."""
    out = ctypes.create_string_buffer(1 << 20)
    rules = _rules_of(equation)
    buffer = ctypes.create_string_buffer(text.encode())
    count = _library().missing(buffer, len(text), ctypes.byref(rules), int(equals), out)
    return _texts(ctypes.string_at(out, count * len(text)), len(text))
