"""The texts of the player are those of `Message.text`, for all keys, values and languages."""

import re
from fractions import Fraction
from typing import Any

from crisps24.messages.message import (
    ENGLISH,
    Clauses,
    Count,
    Language,
    Message,
    Quoted,
    Spaced,
    message,
)
from crisps24.messages.numbers import number_in_words
from crisps24.player.files import language_record
from tests.languages import IN_SOME_LANGUAGES
from tests.player.messages import message_record
from tests.player.node import needs_node, run_script

pytestmark = needs_node
COUNTS = (0, 1, 2, 5, 1234, 1_000_000, 12_345_678)
VALUES: tuple[Any, ...] = (
    *(24, -3, Fraction(8, 3), Fraction(-1, 2), 10**15, 10**80, "9 : 7"),
    *(Spaced((3, 3, 8, 8)), Spaced(()), (3,), (3, 8), (3, 5, Fraction(8, 3)), Quoted("'x'")),
    *(Count(1234), Count(-56789), "a $& b", message("page.solve_count", count=1234)),
    Clauses((message("answer.makes", value=28, target=24), message("page.solve_count", count=1))),
)


def texts_of(messages: list[Message], language: Language) -> list[str]:
    data: dict[str, Any] = {"messages": [*map(message_record, messages)]}
    data["language"] = language_record(language, ENGLISH.texts)
    code = "return input.messages.map((message) => formatMessage(message, input.language));"
    texts: list[str] = run_script(("texts.js",), code, data)
    return texts


def samples() -> list[Message]:
    """Return messages of every key: with every kind of value, and with several counts."""
    made = []
    for position, (key, text) in enumerate(ENGLISH.texts.items()):
        # The forms of a text are a dictionary.
        names = sorted({*re.findall(r"{(\w+)}", str(text)), "count"})
        for turn in range(len(VALUES)):
            values = {
                name: VALUES[(position + turn + 7 * index) % len(VALUES)]
                for index, name in enumerate(names)
            }
            values["count"] = COUNTS[(position + turn) % len(COUNTS)]
            made.append(message(key, **values))
    return made


@IN_SOME_LANGUAGES
def test_text_is_that_of_python(language: Language) -> None:
    made = samples()
    for each, text in zip(made, texts_of(made, language), strict=True):
        assert text == each.text(language), each.key


@IN_SOME_LANGUAGES
def test_numbers_in_words_are_those_of_python(language: Language) -> None:
    numbers = [Fraction(top, bottom) for top in (*range(-13, 14), 100) for bottom in range(1, 14)]
    data = {"numbers": [*map(str, numbers)], "language": language_record(language, ENGLISH.texts)}
    code = "return input.numbers.map((number) => numberInWords(number, input.language));"
    words = [number_in_words(number, language) for number in numbers]
    assert run_script(("texts.js",), code, data) == words


def test_missing_value_stays_a_placeholder() -> None:
    [text] = texts_of([message("answer.makes", value=28)], ENGLISH)
    assert text == message("answer.makes", value=28).text() == "it makes 28, not {target}"


def test_values_of_right_to_left_text_are_isolated() -> None:
    language = Language("he", "x", isolates=True)
    vars(language)["texts"] = ENGLISH.texts
    made = message("answer.makes", value=28, target=24)
    assert texts_of([made], language) == [made.text(language)]
