"""Files that play puzzles offline: one HTML file with the scripts, the style and all texts.

The file makes no request. A content security policy allows only its own script and style, by their
hashes. The texts are those whose keys the scripts name, in all languages. With `days`, the puzzles
are those of consecutive dates, and the date of the device chooses the puzzle.
"""

import json
import re
from base64 import b64encode
from collections.abc import Collection, Iterable, Sequence
from datetime import date
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

from crisps24.errors import RefusedError
from crisps24.judging.phone_lines import page_tag
from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import ENGLISH, Language, as_message, message
from crisps24.notation.styles import typeable_style
from crisps24.player.records import check_playable, game_record, puzzle_record
from crisps24.puzzle import Puzzle
from crisps24.puzzles.draws import VERSION
from crisps24.puzzles.rows import task_text
from crisps24.rules.characters import compose_accents
from crisps24.rules.games import Game, faces_of, faces_text, plain_name
from crisps24.rules.operators import OPERATORS
from crisps24.rules.rules import RULES

MAX_FILE_PUZZLES = 1_000
"""The most puzzles of a file. Each takes about 0.2 KB."""
_MAX_TITLE_CHARACTERS = 200
_SCRIPTS = ("engine.js", "texts.js", "clock.js", "rounds.js", "results.js", "player.js")
PAGE_SCRIPTS = (*_SCRIPTS[:-1], "page.js", "player.js")
"""The scripts of a page that plays a puzzle, in order; the first script is that of all pages."""
_STYLES = ("colours.css", "player.css")
_KEY = re.compile(r'"([a-z]+\.[a-z_]+[^"\s]*)"')
# The keys of the messages that `engine.js` returns, also those in values of other messages.
REASON_KEYS = (
    *("formula.none", "formula.too_long", "formula.not_part", "formula.no_parentheses"),
    *("formula.too_deep", "formula.not_opened", "formula.not_matched", "formula.not_closed"),
    *("formula.number_too_long", "formula.number_missing_between", "formula.number_missing_after"),
    *("formula.number_missing_before", "formula.operator_missing", "formula.power"),
    *("formula.target_missing", "formula.target_once", "formula.target_only"),
    *("formula.target_no_number", "formula.no_number", "formula.no_negatives"),
    *("formula.no_operator", "script.latex", "script.working"),
    *("step.remainder", "step.below_zero", "step.zero", "step.division_by_zero", "step.above"),
    *("answer.makes", "answer.numbers", "answer.not_in_hand", "answer.not_used"),
    *("answer.used_times", "answer.used_not", "answer.unbracketed"),
    *("times.once", "times.twice", "times.many"),
    *("list.digits", "list.comma", "list.last", "list.clauses", "list.faults"),
)


def check_file(
    game: Game, count: int, title: str = "", style: str = "", *, faces: bool = False
) -> None:
    """Raise RefusedError if a file cannot have this game, number of puzzles or settings."""
    check_playable(game)
    if faces:
        faces_of(game)
    if style:
        typeable_style(style)
    if count > MAX_FILE_PUZZLES:
        problem = f"{count:,} puzzles are too many for one file"
        raise RefusedError(f"{problem} (at most {MAX_FILE_PUZZLES:,})")
    if len(title) > _MAX_TITLE_CHARACTERS:
        reason = message("answer.text_too_long", most=_MAX_TITLE_CHARACTERS)
        raise RefusedError(message("list.label", label=message("page.field_title"), text=reason))


def row_record(numbers: Sequence[int], signs: Sequence[str | None], answer: str) -> dict[str, Any]:
    """Return a row, an equation with missing signs to find, as the script rounds.js reads it."""
    row: list[str | None] = [str(numbers[0])]
    for sign, number in zip(signs, numbers[1:], strict=True):
        row += [sign, str(number)]
    hand, target = [str(number) for number in numbers[:-1]], str(numbers[-1])
    record = {"id": None, "hand": hand, "target": target, "level": None, "row": row}
    return record | ({"answer": answer} if answer else {})


def puzzle_records(puzzles: Sequence[Puzzle], *, solutions: bool = True) -> list[dict[str, Any]]:
    """Return the `puzzle_record` of each puzzle; `solutions` adds the solutions."""
    records = [puzzle_record(puzzle, solutions=solutions) for puzzle in puzzles]
    if all(puzzle.best == puzzle.target for puzzle in puzzles):
        return records
    return [record | {"level": None} for record in records]


def file_record(
    game: Game,
    puzzles: Sequence[dict[str, Any]],
    *,
    key: str,
    title: str = "",
    language: str = "",
    style: str = "",
    first: date | None = None,
    limit: int = 0,
    faces: bool = False,
) -> dict[str, Any]:
    """Return the data of a file that plays puzzles, as a dict that JSON can write.

    `faces` shows the numbers of playing cards as their letters, until they are used.
    """
    text_keys = _text_keys(_SCRIPTS)
    letters = faces_of(game) if faces else {}
    return {
        "title": compose_accents(title),
        "key": key,
        "tag": page_tag(game.name, puzzles),
        "language": language,
        "first": first and first.isoformat(),
        "limit": limit,
        "faces": {str(number): letter for number, letter in letters.items()},
        "game": game_record(game),
        "puzzles": list(puzzles),
        "languages": {
            spoken.name: _game_language_record(
                spoken, game, puzzles, style, text_keys, faces_text(game, letters) if faces else ""
            )
            for spoken in LANGUAGES.values()
        },
    }


def file_key(version: int, command: str, ids: Iterable[str]) -> str:
    """Return the key of the results of a file: its command, or the hash of its own puzzles."""
    words = command or sha256(" ".join(ids).encode()).hexdigest()
    return f"crisps24 {version} {words}"


def daily_key(game: Game) -> str:
    """Return the key of the results of daily puzzles, which files and pages share."""
    return f"crisps24 {VERSION} page {game.name} --daily"


def page_record(
    puzzle: Puzzle,
    language: Language,
    *,
    page: dict[str, Any],
    key: str = "",
    title: str = "",
    style: str = "",
    score: int = 0,
    secret: bool = False,
    solution: bool = False,
) -> dict[str, Any]:
    """Return the data of a page with a puzzle; the browser stores results under `key`, if any."""
    game = puzzle.game
    record = puzzle_record(puzzle, solutions=solution)
    if game.accepts_closest:
        record["best"] = str(puzzle.best)
    record |= {"page": page} | ({"level": None} if secret else {})
    # The rules of a secret puzzle have the sentence about closest values in any case.
    rules_record = record | {"best": ""} if secret and game.accepts_closest else record
    texts = _game_language_record(language, game, [rules_record], style, _text_keys(PAGE_SCRIPTS))
    return {
        "title": title,
        "key": key,
        "language": language.name,
        "first": None,
        "game": game_record(game),
        "puzzles": [record],
        "languages": {language.name: texts},
        "page": {"score": score},
    }


def _game_language_record(
    language: Language,
    game: Game,
    puzzles: Sequence[dict[str, Any]],
    style: str,
    keys: Collection[str],
    more: str = "",
) -> dict[str, Any]:
    """Return a language as texts.js reads it; `more` comes after the rules."""
    chosen = typeable_style(style or language.style)
    signs = {name: chosen.sign(operator) for name, operator in OPERATORS.items()}
    texts = filter(None, (_rules_text(game, puzzles, language, chosen.name), more))
    rules = language.text("list.sentences").join(texts)
    title = plain_name(game.name).text(language)
    return language_record(language, keys) | {"signs": signs, "rules": rules, "game": title}


def _rules_text(
    game: Game, puzzles: Sequence[dict[str, Any]], language: Language, style: str
) -> str:
    """Return the task and the rules of at least one puzzle in sentences, as plain text."""
    between_sentences = language.text("list.sentences")
    if "row" in puzzles[0]:
        rules = [as_message(rule.sentence(game)) for rule in RULES.values()]
        sentences = [sentence.text(language) for sentence in (message("file.task_row"), *rules)]
        # A rule that does not restrict the game has an empty sentence.
        return between_sentences.join(filter(None, sentences))
    targets = {record["target"] for record in puzzles}
    common_target = game.target if targets == {str(game.target)} else None
    has_usual_length = {len(record["hand"]) for record in puzzles} == {game.length}
    task = task_text(game, common_target, counted=has_usual_length, language=language, style=style)
    best_if_unknown = "" if game.accepts_closest else None
    if all(record.get("best", best_if_unknown) in (None, record["target"]) for record in puzzles):
        return task
    return between_sentences.join([task, language.text("task.near")])


def language_record(language: Language, keys: Collection[str]) -> dict[str, Any]:
    """Return a language as texts.js reads it: fields, texts by key, and English if it lacks any."""
    texts = {key: language.texts[key] for key in keys if key in language.texts}
    english = {"english": language_record(ENGLISH, keys)} if len(texts) < len(keys) else {}
    return english | {
        "name": language.name,
        "native_name": language.native_name,
        "thousands": language.thousands,
        "quotes": language.quotes,
        "isolates": language.isolates,
        "texts": texts,
    }


@cache
def _text_keys(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the keys of the texts that scripts use: in their code, of reasons, and of numbers."""
    scripts = "".join(map(_minified, names))
    numbers = [key for key in ENGLISH.texts if key.startswith("fraction.")]
    return tuple(sorted(ENGLISH.texts.keys() & {*_KEY.findall(scripts), *REASON_KEYS, *numbers}))


def data_text(record: dict[str, Any]) -> str:
    """Return a record as JSON for a script element, which no text in the record can end."""
    # In an element with a script, only `<` can end the element or start a comment.
    return json.dumps(record, ensure_ascii=False).replace("<", "\\u003c")


def render_file(record: dict[str, Any]) -> bytes:
    """Return the HTML file, in UTF-8, that plays the puzzles of a record of `file_record`."""
    data = data_text(record)
    # The browser runs only this script and uses only this style, by their hashes, and the file
    # cannot load anything.
    script, style = ("\n".join(map(_minified, names)) for names in (_SCRIPTS, _STYLES))
    hashes = [integrity_of(text.encode()) for text in (script, style)]
    policy = (
        f"default-src 'none'; script-src '{hashes[0]}'; style-src '{hashes[1]}'; "
        "base-uri 'none'; form-action 'none'"
    )
    language = LANGUAGES[record["language"] or ENGLISH.name]
    return (
        f'<!doctype html>\n<html lang="{language.name}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{escape(record['title'] or 'crisps24')}</title>\n<style>{style}</style>\n"
        f'</head>\n<body class="file">\n<main id="player" class="player" tabindex="-1">'
        f"{_without_script(record, language)}</main>\n"
        f'<script type="application/json" id="data">{data}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    ).encode()


def _without_script(record: dict[str, Any], language: Language) -> str:
    """Return the rules and the list of the puzzles as HTML, for browsers that run no script."""
    rules = record["languages"][language.name]["rules"]
    puzzle_texts = (
        " ".join(part or "_" for part in puzzle["row"])
        if "row" in puzzle
        else f"{' '.join(puzzle['hand'])} → {puzzle['target']}"
        for puzzle in record["puzzles"]
    )
    items = "".join(f"<li>{escape(text)}</li>" for text in puzzle_texts)
    notice = language.text("file.needs_script")
    return f'<div class="still"><p>{escape(notice)}</p><p>{escape(rules)}</p><ol>{items}</ol></div>'


@cache
def _minified(name: str) -> str:
    """Return a script or a style by its file name, without indentation and comment lines."""
    text = files("crisps24").joinpath("player", name).read_text("utf-8")
    return re.sub(r"(?m)^[ \t]+|^[ \t]*//.*\n|^/\*.*\*/\n|^\n", "", text)


def integrity_of(content: bytes) -> str:
    """Return the hash of a file as browsers compare it."""
    return integrity_text(sha256(content).digest())


def integrity_text(digest: bytes) -> str:
    return f"sha256-{b64encode(digest).decode()}"
