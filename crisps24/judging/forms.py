"""The forms of rows in which tools write outputs: where the puzzle is, and where the answers are.

A form is a record of `forms.toml`. The row `{"prompt": "…", "outputs": [{"text": "3*8"}, …]}` of
vLLM has its puzzle inside the prompt, and an answer in each of its outputs.
"""

import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from pkgutil import get_data
from typing import Any, NamedTuple

from crisps24.errors import CrispsError, RefusedError, quoted
from crisps24.judging.columns import ANSWER_COLUMNS, CARD_FIELDS, PROMPT_COLUMNS, TEXT_FIELDS
from crisps24.judging.prompts import read_prompt
from crisps24.judging.records import (
    Attempt,
    apply_record,
    as_object,
    parse_record,
    puzzle_values,
)
from crisps24.judging.table_rows import RecordLine
from crisps24.rules.games import FREE_GAME, Game, Hand
from crisps24.rules.ids import is_id, parse_id

_PLAIN = "rows"
_MAX_SAMPLES, _MAX_NAMES = 100_000, 12
_ROLES = {"gpt": "assistant", "model": "assistant", "human": "user"}


class RowForm(NamedTuple):
    """A form of rows; the fields of `forms.toml`, with only the places that a row has."""

    name: str
    fields: tuple[str, ...]
    answers: tuple[str, ...]
    prompts: tuple[str, ...] = ()
    puzzle: str = ""
    ids: str = ""
    help: str = ""


@cache
def _forms() -> list[RowForm]:
    text = (get_data(__package__, "forms.toml") or b"").decode()
    text = text.replace("{text}", " ".join(TEXT_FIELDS))
    text = text.replace("{prompts}", " ".join(PROMPT_COLUMNS))
    forms: list[dict[str, str]] = tomllib.loads(text)["forms"]
    places = ("fields", "answers", "prompts")
    lists: list[dict[str, Any]] = [
        {name: tuple(value.split()) if name in places else value for name, value in form.items()}
        for form in forms
    ]
    return [RowForm(**form) for form in lists]


@lru_cache(1_000)
def form_of(names: tuple[str, ...], is_table_row: bool = False) -> RowForm:
    """Return the form of a row with some fields; its `answers` are empty if it has none."""
    table = RowForm(_PLAIN, (), ANSWER_COLUMNS, PROMPT_COLUMNS)

    def present(places: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(place for place in places if place.partition(".")[0] in names)

    for form in (table,) if is_table_row else _forms():
        if {*form.fields} <= {*names} and present(form.answers):
            break
    else:
        form = table._replace(answers=())
    return form._replace(answers=present(form.answers), prompts=present(form.prompts))


def find_puzzle(record: dict[str, Any], form: RowForm, default: Attempt) -> Attempt:
    """Return the puzzle of a row: its fields, else its prompt, else those of the call."""
    own = as_object(record[form.puzzle]) if form.puzzle else record
    own = dict(own or record)
    if is_id(str(record.get(form.ids, ""))):
        own["id"] = record[form.ids]
    if form.prompts:
        fields = _with_prompt(record, own, form, default)
        if fields is None and default.card is None:
            prompt = form.prompts[0]
            problem = f"{quoted(prompt)} is no puzzle that is read, and the row has no numbers"
            raise RefusedError(f"{problem}: add nums and target to it")
        own = fields or own
    puzzle = apply_record(own, default, parse_id)
    if puzzle.card is None:
        names = ", ".join([*record][:_MAX_NAMES])
        advice = form.help or "add --card, or a column hand or id"
        raise RefusedError(f"missing hand: {advice} (it has {names or 'nothing'})")
    return puzzle


def _with_prompt(
    record: dict[str, Any], own: dict[str, Any], form: RowForm, default: Attempt
) -> dict[str, Any] | None:
    """Return the fields of a row, with those of its prompt for what it lacks; None without any."""
    values = puzzle_values(own)
    has_hand = not values.keys().isdisjoint(CARD_FIELDS)
    if is_id(str(values.get("id"))) or (
        has_hand and not values.keys().isdisjoint(("target", "goal"))
    ):
        return own
    with suppress(*([RefusedError] if has_hand or default.card else [])):
        if fields := prompt_fields(record, form, has_rules=default.game is not FREE_GAME):
            # The numbers of a row count more than those of its prompt.
            return (fields if not has_hand else {"target": fields["target"]}) | own
    return own if has_hand else None


def prompt_fields(
    record: Mapping[str, Any], form: RowForm, *, has_rules: bool = False
) -> dict[str, Any]:
    """Return the fields of the puzzle in a prompt of a row; see `read_prompt`."""
    texts = ("\n".join(_texts(found_at(record, place))) for place in form.prompts)
    return next(filter(None, (read_prompt(text, has_rules=has_rules) for text in texts)), {})


def found_at(value: Any, place: str) -> Any:
    """Return what is at a place in a row; of a list, what is there in each of its items."""
    for name in place.split("."):
        if isinstance(value, list):
            items = (
                item for each in value for item in (each if isinstance(each, list) else [each])
            )
            value = [item[name] for item in items if isinstance(item, Mapping) and name in item]
        else:
            value = (as_object(value) or {}).get(name)
    return value


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts of a prompt; of a chat, those of the user."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, Mapping):
        turn = _turn(value)
        if turn.get("role", "user") == "user":
            yield from _texts(turn.get("content", turn.get("text")))


def _turn(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return a turn of a chat with the names of most tools: role and content."""
    names = {"from": "role", "value": "content"}
    turn = {names.get(name, name): item for name, item in value.items()}
    return turn | {"role": _ROLES.get(turn["role"], turn["role"])} if "role" in turn else turn


def answers_in(record: dict[str, Any], form: RowForm) -> list[Any]:
    """Return the answers of a row: more than one, if it has a list of samples."""
    # A number beside a text, such as a class, is no answer.
    other = None
    for place in form.answers:
        value = record[place] if place in record else found_at(record, place)
        if isinstance(value, list | dict) and value:
            return _samples(value, place)
        if isinstance(value, str):
            return [value]
        other = value if other is None and value != [] else other
    return [other]


def _samples(value: Any, place: str) -> list[Any]:
    if isinstance(value, Mapping):
        turn = _turn(value)
        if "role" not in turn or "content" not in turn:
            names = ", ".join([*value][:_MAX_NAMES])
            raise RefusedError(
                f"{quoted(place)} is an object with {names}: give the text of the answer"
            )
        value = [value]
    if not isinstance(value, list):
        return [value]
    turns = [_turn(item) for item in value if isinstance(item, Mapping) and "role" in _turn(item)]
    if value and len(turns) == len(value):
        return [turns]
    return [sample for item in value for sample in _samples(item, place)][:_MAX_SAMPLES]


def describe_rules(hand: Hand, game: Game) -> str:
    """Return a note on a game with rules of its own, if its deals have no such hand; or ""."""
    is_dealt = len(hand) == game.length and {*hand} <= {*game.numbers}
    if is_dealt or (game.all_numbers and not game.step_rules):
        return ""
    rules = "all numbers must be used" if game.all_numbers else "numbers can be left out"
    limits = ", and results are limited" if game.step_rules else ""
    advice = "leave out --game for all numbers, with negative results and fractions"
    return f"the hands are not of {game.name}, where {rules}{limits}: for a data set, {advice}"


def describe(line: RecordLine, default: Attempt) -> Iterator[str]:
    """Yield how a line is read, if not plainly: by a form, with a prompt, or by other rules."""
    _, text = line
    try:
        record = parse_record(text)
        form = form_of(tuple(record or ()), isinstance(text, dict))
        own = dict(record or {})
        if form.puzzle:
            own = dict(as_object(own[form.puzzle]) or own)
        values = puzzle_values(own)
    except CrispsError:
        return
    with suppress(CrispsError):
        puzzle = find_puzzle(record or {}, form, default)
        if puzzle.card and puzzle.game is default.game:
            yield from filter(None, [describe_rules(puzzle.card, puzzle.game)])
    is_prompt = values.keys().isdisjoint((*CARD_FIELDS, "id"))
    names = [name for name in values if name != "id" or is_id(str(values["id"]))]
    where = " or ".join(form.prompts[:1]) if is_prompt else form.puzzle or ", ".join(names)
    if form.answers and (form.name != _PLAIN or (is_prompt and form.prompts)):
        yield f"read as: {form.name} (puzzle: {where or 'none'}; answers: {form.answers[0]})"
