"""Arithmetic card puzzles, exactly: formulas that make a target, counted, checked and solved.

>>> from crisps24 import check, count, deal, solve
>>> print(*solve((4, 3, 8, 4), 24), sep=", ")
8 x 3 + 4 - 4, 4 x 3 + 8 + 4
>>> check("9 : 7 + 2 x 3", (4, 3, 8, 4), 24).reason
'9 : 7 leaves a remainder of 2'
>>> [puzzle] = deal("cards", seed=7)
>>> puzzle.check(str(puzzle.solutions()[0].expression)).verdict
'right'
>>> count(24, card=(4, 3, 8, 4)), count(24)
(36, 2374)
"""

from crisps24.about import __version__ as __version__

# The module of each public name, as the stub of this package has it. A module is imported when one
# of its names is first used: this keeps `crisps24 --help` fast, since it needs no numpy.
_STUB = __spec__.loader.get_data(f"{__path__[0]}/__init__.pyi").decode()
_IMPORTS = [line.split() for line in _STUB.splitlines() if line.startswith("from ")]
_MODULE_OF = {words[3]: words[1] for words in _IMPORTS if not words[3].startswith("_")}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return ["__version__", *__all__]
