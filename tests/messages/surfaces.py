"""Surfaces that show reasons: each takes inputs and returns the shown texts in a language."""

import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import unescape
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest

from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import ENGLISH, Language
from crisps24.pages.answering import answer
from crisps24.pages.check import MAX_LINES
from crisps24.paper import marks
from tests.commands import run_here
from tests.pages.test_refusals import query_of

# Signs that no text has, so that a text in the language `MARKED` can be parsed.
_OPEN, _CLOSE, _NAME, _VALUE = "⟦⟧⟨⟩"
# The same signs in formulas in all languages.
_STYLE = "dot"
# The tag of the language `marked`; no other language can have it.
MARKED = "qaa"
# Characters of a reason on marks: more than usual, so that no reason is cut.
_MAX_REASON_CHARACTERS = 1_000


class Input(NamedTuple):
    puzzle: str
    text: str


class Node(NamedTuple):
    """A shown message: its key, and its values by placeholder."""

    key: str
    values: Mapping[str, "Shown"]

    def all_keys(self) -> set[str]:
        """Return its key and those of the messages in it."""
        parts = [part for value in self.values.values() for part in value]
        return {self.key}.union(*(part.all_keys() for part in parts if isinstance(part, Node)))


# A shown text: messages, and the characters between them.
Shown = tuple["Node | str", ...]


def marked() -> Language:
    """Return a language in which each text shows its key and the names of its placeholders."""
    language = Language(MARKED, "Marked", plural=lambda _: "other", style=_STYLE)
    texts = vars(language).setdefault("texts", {})
    for key, text in ENGLISH.texts.items():
        places = re.findall(r"{(\w+)}", text if isinstance(text, str) else text["other"])
        places += [] if isinstance(text, str) or "count" in places else ["count"]
        values = "".join(f"{_NAME}{place}{_VALUE}{{{place}}}" for place in places)
        texts[key] = f"{_OPEN}{key}{values}{_CLOSE}"
    return language


def parsed(text: str) -> Shown:
    words = iter([word for word in re.split(f"([{_OPEN}{_CLOSE}{_NAME}{_VALUE}])", text) if word])

    def parts(end: str) -> tuple[list[Node | str], str]:
        content: list[Node | str] = []
        for word in words:
            if word in end:
                return content, word
            content.append(node() if word == _OPEN else word)
        return content, ""

    def node() -> Node:
        key, values = next(words), {}
        sign = next(words)
        while sign == _NAME:
            name = next(words)
            assert next(words) == _VALUE
            value, sign = parts(_NAME + _CLOSE)
            values[name] = tuple(value)
        assert sign == _CLOSE, (key, sign)
        return Node(key, values)

    return tuple(parts("")[0])


def bare(text: str) -> str:
    """Return a text without white space, since paper breaks lines."""
    return re.sub(r"\s", "", text)


def text_of_page(page: str) -> str:
    return unescape(re.sub(r"<(style|script).*?</\1>|<[^>]*>", "", page, flags=re.DOTALL))


def command(*words: str, typed: str = "") -> str:
    return b"".join(run_here(*words, typed=typed.encode())[1:]).decode()


def json_of(rows: Sequence[Mapping[str, Any]]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def _rows(name: str, rows: Sequence[Mapping[str, Any]], language: str) -> list[str]:
    words = ("--file", "-", "--format", "jsonl", "--language", language)
    lines = command(name, *words, typed=json_of(rows)).splitlines()
    return [json.loads(line)["reason"] for line in lines if line.startswith("{")]


def check(inputs: Sequence[Input], language: str) -> list[str]:
    return _rows("check", [{"id": item.puzzle, "formula": item.text} for item in inputs], language)


def judge(inputs: Sequence[Input], language: str) -> list[str]:
    return _rows("judge", [{"id": item.puzzle, "text": item.text} for item in inputs], language)


def mark(inputs: Sequence[Input], language: str) -> list[str]:
    rows = [{"name": str(n), "id": each.puzzle, "text": each.text} for n, each in enumerate(inputs)]
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(marks, "_MAX_TEXT_LENGTH", _MAX_REASON_CHARACTERS)
        # Leave out the likeliest solutions, which are not reasons and take most of the time.
        patch.setattr(marks, "likeliest_answer", lambda *_: ("", None))
        out = Path(folder) / "marks.html"
        command("mark", "-", "--out", str(out), "--language", language, typed=json_of(rows))
        return [text_of_page(out.read_text(encoding="utf-8"))]


def _page(path: str, language: str, **words: str) -> str:
    return text_of_page(answer(path, urlencode(words), language).body.decode())


def _by_puzzle(inputs: Sequence[Input]) -> Iterator[tuple[str, list[str]]]:
    for puzzle, group in groupby(sorted(inputs), lambda item: item.puzzle):
        yield puzzle, [item.text for item in group]


def page(inputs: Sequence[Input], language: str) -> list[str]:
    # A long line gets a separate page, since it can be too long for the page.
    long = [item for item in inputs if len(item.text) > 1_000]
    short = [item for item in inputs if len(item.text) <= 1_000]
    groups = [(item.puzzle, [item.text]) for item in long] + list(_by_puzzle(short))
    return [
        _page("/check", language, card=puzzle, formula="\n".join(batch), style=_STYLE)
        for puzzle, texts in groups
        for batch in (texts[start : start + MAX_LINES] for start in range(0, len(texts), MAX_LINES))
    ]


def play(inputs: Sequence[Input], language: str) -> list[str]:
    return [
        command("play", puzzle, "--language", language, typed="\nr\n".join([*texts, "q"]))
        for puzzle, texts in _by_puzzle(inputs)
    ]


def play_page(inputs: Sequence[Input], language: str) -> list[str]:
    return [_page("/play", language, puzzle=one, typed=text, style=_STYLE) for one, text in inputs]


INPUT_SURFACES: dict[str, Callable[[Sequence[Input], str], list[str]]] = {
    **{"check": check, "judge": judge, "mark": mark, "page": page},
    **{"play": play, "round": play_page},
}


def request(addresses: Sequence[str], language: str) -> list[str]:
    # After a space the query is not quoted yet.
    parts = (re.split("([ ?])", address, maxsplit=1) for address in addresses)
    asked = [(path, query_of(words) if sign == " " else words) for path, sign, words in parts]
    return [text_of_page(answer(*each, language).body.decode()) for each in asked]


def guess(guesses: Sequence[tuple[int, str]], language: str) -> list[str]:
    words = ("play", "equation", "--seed", "1", "--language", language, "--length")
    return [command(*words, str(length), typed=f"{text}\n") for length, text in guesses]


def call(calls: Sequence[str], language: str) -> list[str]:
    return [command(*shlex.split(words), "--language", language) for words in calls]


def line(files: Sequence[tuple[str, str]], language: str) -> list[str]:
    words = ("--file", "-", "--format", "json", "--language", language)
    return [
        row["reason"]
        for name, text in files
        for row in json.JSONDecoder().raw_decode(command(name, *words, typed=text))[0]
    ]


@contextmanager
def with_marked() -> Iterator[Language]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(LANGUAGES, MARKED, marked())
        yield LANGUAGES[MARKED]
