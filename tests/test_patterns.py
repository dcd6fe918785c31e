"""Each regular expression of the package takes linear time on any repeated character or pair.

It takes 2 seconds: all are tried on long texts.
"""

import re
import time
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import crisps24
from crisps24.judging.patterns import patterns_for
from tests.extras import modules
from tests.sampling import EVERY

_SIZE = 20_000 if EVERY else 8_000
# The methods that look for a match at each place.
_SEARCHES = {"search", "finditer", "findall", "sub", "subn", "split"}
# The judge searches for strings only in an object of JSON, where each of them ends; and the records
# of examples have patterns that have names too.
_LEFT_OUT = {"STRING", "EXAMPLES"}


def _patterns_in(value: Any, *, is_text: bool) -> Iterator[re.Pattern[Any]]:
    if is_text and isinstance(value, str):
        yield re.compile(value)
    elif isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict | list | tuple):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _patterns_in(item, is_text=False)


def _methods() -> tuple[dict[str, set[str]], set[str]]:
    """Return the methods that the sources call on each name, and the names of patterns as text."""
    found, texts = defaultdict[str, set[str]](set), set()
    for path in Path(crisps24.__path__[0]).rglob("*.py"):
        source = path.read_text()
        for name, method in re.findall(r"(\w+)(?:\[[^]]*\])?\.(?=(\w+))", source):
            found[name].add(method)
        # The method `take` of a parser matches at its place.
        for name in re.findall(r"\btake\((\w+)\)", source):
            found[name].add("match")
        for method, name in re.findall(r"\bre\.(?!compile)(\w+)\((\w+), ", source):
            found[name].add(method)
            texts.add(name)
    return found, texts


def _patterns() -> dict[str, tuple[re.Pattern[Any], bool]]:
    """Return the patterns by a name, each with whether it is searched for."""
    found, known, (methods_of, texts) = {}, set(), _methods()
    for module in modules():
        for name, value in vars(module).items():
            for index, pattern in enumerate(_patterns_in(value, is_text=name in texts)):
                if name in _LEFT_OUT or pattern in known:
                    continue
                known.add(pattern)
                methods = methods_of[name]
                searches = not methods or not methods.isdisjoint(_SEARCHES)
                found[f"{module.__name__}.{name} {index}"] = (pattern, searches)
    return found | {"formula": (patterns_for("JQKA", ()).formula, False)}


def _pieces(pattern: re.Pattern[Any]) -> list[str]:
    """Return the characters that a pattern names, and in the long run their pairs."""
    text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin1")
    named = {*re.sub(r"\\[a-zA-Z]", "", text), *' \n\ta0\\"'}
    letters = sorted(filter(str.isalpha, named))
    characters = sorted(named.difference(letters[6:]))[:40]
    return [*characters, *(map("".join, product(characters, repeat=2)) if EVERY else ())]


def _seconds(pattern: re.Pattern[Any], text: str, searches: bool) -> float:
    subject: Any = text if isinstance(pattern.pattern, str) else text.encode()
    start = time.process_time()
    for _ in pattern.finditer(subject) if searches else (pattern.match(subject),):
        pass
    pattern.fullmatch(subject)
    return time.process_time() - start


def test_time_is_linear() -> None:
    slow = []
    for name, (pattern, searches) in _patterns().items():
        for piece, end in product(_pieces(pattern), ("", "\0")):
            texts = [piece * (size // len(piece)) + end for size in (_SIZE, _SIZE // 5)]
            # Of 5 times the size, quadratic time is 25 times as long.
            if _seconds(pattern, texts[0], searches) > 0.03:
                times = ([_seconds(pattern, text, searches) for text in texts] for _ in range(3))
                if min(long / short for long, short in times) >= 12:
                    slow.append((name, piece))
    assert slow == []
