"""Rows of dealt puzzles: fields by name, and prompts filled from a template.

A template is text with placeholders: `Make {target} from {numbers}`. Filling a template runs no
code.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from crisps24.errors import RefusedError, quoted
from crisps24.messages.message import ENGLISH, Language, message
from crisps24.notation.styles import list_signs
from crisps24.output.tables import Row
from crisps24.puzzle import FIELD_GETTERS, PUZZLE_FIELDS, Puzzle, solve_puzzles
from crisps24.puzzles.parameters import ANSWER_FORMS
from crisps24.rules.deals import format_hand
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game
from crisps24.rules.rules import format_task
from crisps24.solving.effort import level_cutoffs

if TYPE_CHECKING:
    from concurrent.futures import Executor


class Prompt(NamedTuple):
    """How the prompts of a deal are written; by default with numbers, rules and how to answer."""

    template: str | None = None
    language: Language = ENGLISH
    answer: str = "tags"
    has_unsolvable: bool = False

    @property
    def format(self) -> str:
        asked = ANSWER_FORMS[self.answer]
        if asked and self.has_unsolvable:
            asked += (message("prompt.unsolvable"),)
        texts = (each.text(self.language) for each in asked)
        return replace_no_break_spaces(self.language.text("list.sentences").join(texts))

    def fill(self, puzzle: Puzzle) -> str:
        """Fill the placeholders of the template with the data of a puzzle, and return the text."""

        def replacement(match: re.Match[str]) -> str:
            name_in_braces, escaped_name, plain_name = match.groups()
            if escaped_name:
                return f"{{{escaped_name}}}"
            text = PLACEHOLDERS[name_in_braces or plain_name](puzzle, self)
            return f"{{{text}}}" if name_in_braces else text

        template, names = self.template, ("numbers", "rules", "format")
        if template is None:
            template = self.language.text("prompt.task", **{each: f"{{{each}}}" for each in names})
            template = template.removesuffix("" if self.format else "\n{format}")
        return _PLACEHOLDER.sub(replacement, template)


_PROMPT = Prompt()
# The placeholders of a template, and the functions that return their text.
PLACEHOLDERS: dict[str, Callable[[Puzzle, Prompt], str]] = {
    "numbers": lambda puzzle, _: ", ".join(map(str, puzzle.hand)),
    "nums": lambda puzzle, _: str(list(puzzle.hand)),
    "hand": lambda puzzle, _: format_hand(puzzle.hand),
    "target": lambda puzzle, _: str(puzzle.target),
    "rules": lambda puzzle, prompt: replace_no_break_spaces(
        task_text(puzzle.game, puzzle.target, language=prompt.language, style=puzzle.style)
    ),
    "operators": lambda puzzle, _: " ".join(list_signs(puzzle.game, puzzle.style)),
    "format": lambda _, prompt: prompt.format,
    "game": lambda puzzle, _: puzzle.game.name,
    "id": lambda puzzle, _: puzzle.id,
}
# `{{name}}` is the text `{name}`; `{{{name}}}` is a placeholder in braces.
_NAME = r"([A-Za-z_]+)"
_PLACEHOLDER = re.compile(rf"\{{\{{\{{{_NAME}\}}\}}\}}|\{{\{{{_NAME}\}}\}}|\{{{_NAME}\}}")
# Fields that depend on more than the puzzle: its fifth in the deal, and the template.
_DEAL_FIELDS: dict[str, Callable[[Puzzle, int, Prompt], Any]] = {
    "fifth": lambda _puzzle, fifth, _: fifth,
    **dict.fromkeys(("question", "prompt"), lambda puzzle, _, prompt: prompt.fill(puzzle)),
    "metadata": lambda puzzle, fifth, _: _metadata(puzzle, fifth),
    "data_source": lambda puzzle, *_: f"crisps24/{puzzle.game.name}",
    "reward_model": lambda puzzle, *_: {
        "style": "rule",
        "ground_truth": puzzle.row(("id", "numbers", "target", "solvable")),
    },
    "extra_info": lambda puzzle, *_: puzzle.row(("id", "bits", "level")),
}
# The fields of rows for chat; with a reward_model, the prompt is a list of messages.
CHAT_FIELDS = ("data_source", "prompt", "reward_model", "extra_info")
# The fields that are filled from a template.
PROMPT_FIELDS = ("question", "prompt")
# The fields that need the solutions of the puzzle.
_SOLUTION_FIELDS = {
    *("solutions", "answer", "points", "steps", "used"),
    *("shape", "tree", "depth", "shapes", "depths"),
}
# Puzzles that a process gets at a time.
_PUZZLES_PER_CHUNK = 20


def deal_rows(
    puzzles: Sequence[Puzzle],
    fields: Sequence[str] = PUZZLE_FIELDS,
    *,
    prompt: Prompt = _PROMPT,
    plain: bool = False,
    executor: "Executor | None" = None,
) -> Iterator[Row]:
    """Return an iterator over the rows of puzzles: a dict with the requested fields for each."""
    check_fields(fields)
    check_template(prompt.template or "")
    puzzle_fields = [name for name in fields if name in FIELD_GETTERS]
    rows = _puzzle_rows(puzzles, puzzle_fields, plain, executor)
    has_fifth = not {"fifth", "metadata"}.isdisjoint(fields)
    sorted_bits = sorted(map(bits_of, puzzles)) if has_fifth else []
    for puzzle, row in zip(puzzles, rows, strict=True):
        fifth = 1 + 5 * bisect_left(sorted_bits, bits_of(puzzle)) // len(puzzles)
        row = {
            name: row[name] if name in row else _DEAL_FIELDS[name](puzzle, fifth, prompt)
            for name in fields
        }
        if {"prompt", "reward_model"} <= row.keys():
            row["prompt"] = [{"role": "user", "content": row["prompt"]}]
        yield row


def bits_of(puzzle: Puzzle) -> float:
    """Return the difficulty of a puzzle in bits; 0 if it is unknown."""
    return puzzle.difficulty.bits if puzzle.difficulty else 0


def _puzzle_rows(
    puzzles: Sequence[Puzzle], fields: Sequence[str], plain: bool, executor: "Executor | None"
) -> Iterator[Row]:
    """Yield `Puzzle.row` for each puzzle; they are solved together if a field needs that."""
    must_solve = not _SOLUTION_FIELDS.isdisjoint(fields)
    if executor is None or not must_solve:
        for puzzle in solve_puzzles(puzzles) if must_solve else puzzles:
            yield puzzle.row(fields, plain=plain)
        return
    starts = range(0, len(puzzles), _PUZZLES_PER_CHUNK)
    chunks = [puzzles[start : start + _PUZZLES_PER_CHUNK] for start in starts]
    for rows in executor.map(partial(_rows_of_chunk, fields, plain), chunks):
        yield from rows


def _rows_of_chunk(fields: Sequence[str], plain: bool, puzzles: Sequence[Puzzle]) -> list[Row]:
    return list(_puzzle_rows(puzzles, fields, plain, None))


def estimate_work(puzzles: Sequence[Puzzle], fields: Iterable[str]) -> int:
    """Return about the time to solve puzzles, if fields need that: n^n for a hand of n numbers."""
    if _SOLUTION_FIELDS.isdisjoint(fields):
        return 0
    return sum(len(puzzle.hand) ** len(puzzle.hand) for puzzle in puzzles if not puzzle.is_solved)


def count_puzzle_chunks(puzzles: Sequence[Puzzle]) -> int:
    """Return the number of chunks in which `deal_rows` gives puzzles to an executor."""
    return -(-len(puzzles) // _PUZZLES_PER_CHUNK)


def check_fields(fields: Sequence[str]) -> None:
    """Raise RefusedError if a name is not a field, or a field is given twice."""
    for index, name in enumerate(fields):
        if name not in FIELD_GETTERS and name not in _DEAL_FIELDS:
            known = ", ".join((*FIELD_GETTERS, *_DEAL_FIELDS))
            raise RefusedError(f"unknown field {quoted(name)} (expected {known})")
        if name in fields[:index]:
            raise RefusedError(f"the field {name} is given twice")


def parse_fields(text: str) -> tuple[str, ...]:
    """Return the names of fields in a text, separated by commas."""
    fields = tuple(name.strip() for name in text.split(","))
    check_fields(fields)
    return fields


def check_template(template: str) -> None:
    """Raise RefusedError if a template has a `{name}` that is not one of `PLACEHOLDERS`."""
    for match in _PLACEHOLDER.finditer(template):
        name_in_braces, _escaped_name, plain_name = match.groups()
        name = name_in_braces or plain_name
        if name and name not in PLACEHOLDERS:
            known_names = ", ".join(f"{{{known}}}" for known in PLACEHOLDERS)
            name = name[:40]
            problem = f"unknown placeholder {{{name}}} in the prompt (expected {known_names})"
            raise RefusedError(f"{problem}; write {{{{{name}}}}} for the text {{{name}}}")


def task_text(
    game: Game,
    target: Exact | None = None,
    *,
    counted: bool = True,
    language: Language = ENGLISH,
    style: str | None = None,
) -> str:
    """Return the task and the rules of a game as text for players."""
    return format_task(game, list_signs(game, style), target, counted=counted, language=language)


def replace_no_break_spaces(text: str) -> str:
    # They only matter on paper.
    return text.replace("\u00a0", " ")


def _metadata(puzzle: Puzzle, fifth: int) -> Row:
    """Return a record of a puzzle: its id, game, rules, numbers, target and difficulty."""
    names = ("id", "game", "rules", "numbers", "target", "bits")
    row = {name: FIELD_GETTERS[name](puzzle) for name in names}
    has_levels = level_cutoffs(puzzle.game) is not None
    return row | ({"level": puzzle.level} if has_levels else {"fifth": fifth})
