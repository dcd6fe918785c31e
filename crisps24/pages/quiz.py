"""The quiz page: questions about puzzles, three of them shown, and a file for a program."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from crisps24.errors import RefusedError
from crisps24.messages.message import message
from crisps24.pages.addresses import Field, Parameters, number
from crisps24.pages.puzzles import (
    PUZZLE_FIELDS,
    PUZZLE_NAMES,
    command_line,
    deal_puzzles,
    require_seed,
    with_seed,
)
from crisps24.pages.replies import PageReply, download
from crisps24.paper.quiz_files import (
    DEFAULT_SECONDS,
    QUIZ_FORMATS,
    Quiz,
    QuizFormat,
    check_quiz,
    find_program,
)
from crisps24.paper.quizzes import check_kinds, questions
from crisps24.puzzles.dealing import Deal

_SHOWN = 3
_USUAL = "moodle"
FIELDS = (
    *PUZZLE_FIELDS,
    Field("for", find_program),
    Field("ask", lambda text: check_kinds([text])),
    number("seconds", 1, 900),
)
NAMES = (*PUZZLE_NAMES, "for", "ask", "seconds")


def page(params: Parameters) -> dict[str, Any] | PageReply:
    if redirect := with_seed(params, "/quiz"):
        return redirect
    name, form, puzzles = _quiz_of(params)
    shown = [*islice(_questions(params, puzzles, form), _SHOWN)]
    options = _options(params, name, form)
    return {"shown": shown, "command": command_line("quiz", puzzles, options)}


def file(params: Parameters) -> PageReply:
    require_seed(params)
    name, form, puzzles = _quiz_of(params)
    title = f"crisps24 {puzzles.game.name} {puzzles.seed or ''}".strip()
    seconds = params.value("seconds", DEFAULT_SECONDS)
    quiz = Quiz(_questions(params, puzzles, form), title, puzzles.command or "crisps24", seconds)
    body = b"".join(form.write(quiz))
    return download(body, f"crisps24-{name}.{form.suffixes[0]}", "application/octet-stream")


def _quiz_of(params: Parameters) -> tuple[str, QuizFormat, Deal]:
    name = params.value("for", _USUAL)
    try:
        check_quiz(name, params.value("seconds"))
    except RefusedError as error:
        label = params.label("seconds" if "seconds" in params else "for")
        raise RefusedError(message("list.label", label=label, text=error.message)) from None
    puzzles = deal_puzzles(params).with_style(params.style)
    return name, QUIZ_FORMATS[name], puzzles


def _questions(params: Parameters, puzzles: Deal, form: QuizFormat) -> Iterator[Any]:
    limits = {"max_text": form.max_text, "max_answer": form.max_answer}
    return questions(puzzles, params.value("ask", ()), params.language, **limits)


def _options(params: Parameters, name: str, form: QuizFormat) -> Iterator[str]:
    for option in ("ask", "seconds", "style"):
        if option in params:
            yield from (f"--{option}", params[option])
    yield from ("--language", params.language.name, "--for", name)
    yield from ("--out", f"quiz.{form.suffixes[0]}")
