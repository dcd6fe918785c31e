"""The commands solve, reach and games: hands and their targets."""

import re
import shlex
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from crisps24.cli import options as opt
from crisps24.cli.rows import format_formula
from crisps24.cli.screen import (
    current_language,
    echo,
    exit_with,
    print_lines,
    print_rows,
    print_summary,
    print_to_stderr,
    show,
    stream_lines,
    terminal_width,
)
from crisps24.equation_puzzles.records import EQUALS, GAP
from crisps24.errors import CrispsError, RefusedError, parse_language
from crisps24.messages.message import Language, Message, message, reason_row
from crisps24.notation.trees import text_of
from crisps24.output.tables import DEFAULT_FORMAT, TABLE_FORMATS, Row
from crisps24.rules.characters import split_words
from crisps24.rules.deals import deal_problem, format_hand, parse_hand
from crisps24.rules.exact import Exact
from crisps24.rules.games import GAMES, HAND_GAMES, Game, Hand, less_restricted_games
from crisps24.rules.ids import is_id
from crisps24.rules.queries import HandQuery
from crisps24.rules.rules import RULES, format_rules
from crisps24.rules.words import format_numbers, parse_value

if TYPE_CHECKING:
    from crisps24.judging.records import ByteStream
    from crisps24.notation.trees import Formula
    from crisps24.puzzle import Puzzle

# Options of hands; a row with missing operators takes none of them.
_HAND_OPTIONS = (
    *("target", "every", "essential", "hint", "hints", "in_order", "steps", "first", "work"),
    *("parentheses", "all_numbers"),
)
# Options whose values the id of a puzzle sets.
_SET_BY_ID = ("game", "target", *opt.HAND_RULES)
_HANDS_PER_BATCH = 2_000


class DisplayOptions(NamedTuple):
    """Arguments of `Puzzle.rows`: which solutions to show, and how."""

    all_solutions: bool
    canonical: bool
    steps: bool
    style: str | None


@opt.command(
    opt.excludes(
        "source",
        "words hints first",
        "--file sets the hands, one per line: it takes no {}",
    ),
    opt.excludes(
        "source",
        "steps hint",
        "--file has a row per hand: for one hand use crisps24 solve 4 3 8 4 {}",
    ),
    opt.excludes(
        "first",
        "every essential hint hints",
        "--first shows the likeliest solutions: it takes no {}",
    ),
    opt.excludes("hint", "every steps essential", "--hint shows only first steps: it takes no {}"),
    opt.excludes("hints", "every steps essential", "--hint shows only first steps: it takes no {}"),
    settings=opt.NEGATIVE_NUMBERS,
)
def solve(
    words: Sequence[str] = opt.argument("[NUMBERS]..."),
    target: Exact | None = opt.TARGET,
    in_order: bool = opt.IN_ORDER,
    source: "ByteStream | None" = opt.LINES,
    every: bool = opt.display("Show every solution, not only the easiest to find.", None, "--all"),
    first: int | None = opt.display("Show the N easiest, when there are thousands.", opt.POSITIVE),
    hint: bool = opt.display("Show only the first step."),
    hints: int | None = opt.display("Show only the first N steps.", opt.POSITIVE),
    essential: bool = opt.display("Leave out variants that only add 0 or multiply by 1."),
    steps: bool = opt.STEPS,
    style: str | None = opt.STYLE,
    language: str = opt.LANGUAGE_OF_REASONS,
    form: str = opt.FORMAT,
    game: Game = opt.game_options(opt.HAND_RULES, offered=HAND_GAMES),
    work: int | None = opt.WORK_LIMIT,
) -> None:
    """Solve a hand: show the ways to make its target.

    NUMBERS are the numbers of a hand, the id of a puzzle such as cards:3.3.8.8=24, or a row in
    which _ stands for each missing operator. If the hand does not make the target, the command
    shows the closest values. Exit status: 0 if a solution exists, 1 if not, 2 for an
    unreadable line.

    Examples:
      crisps24 solve 3 3 8 8 --game cards
      crisps24 solve 2 5 8 10 25 75 --target 431 --game countdown --steps
      crisps24 solve 4 3 8 4 --all
      crisps24 solve cards:3.3.8.8=24 --hint
      crisps24 solve "4 _ 3 _ 8 _ 4 = 24"
      crisps24 solve --file hands.txt --format jsonl

    Two solutions are distinct if they give different results for other numbers: 4 + 3 x 8 - 4 and
    4 : 4 x 3 x 8 are both 3 x 8 for any number instead of 4. So 4 3 8 4 has 36 formulas and two
    solutions. Order: fewer numbers first, then likeliest first, by a model of how long people
    take. Beyond 20,000 solutions --first uses a simpler order. With ^ and unary operators, equal
    solutions are not merged.

    A line of --file is a hand, a hand and its target (3 3 8 8 -> 24), the id of a puzzle, or JSON
    with them: {"nums": [3, 3, 8, 8]}. Each has a row with its line, also if it is unreadable.
    """
    display = DisplayOptions(every or first is not None, essential, steps, style)
    if source is not None:
        parser = _LineParser(game, target, in_order, work)
        _solve_file(source, parser, display, form, parse_language(language))
        return
    if not words:
        raise click.UsageError("give NUMBERS, such as 3 3 8 8, or --file")
    if any(GAP in word for word in words):
        message = "a row with missing operators takes no {}"
        opt.refuse_given(_HAND_OPTIONS, message)
        _solve_gaps(" ".join(words), game, style, form)
        return
    if is_id(words[0]):
        game, hand, target = opt.read_id(" ".join(words), _SET_BY_ID)
    else:
        hand, target = hand_of(words, game), opt.target_of(target, game)
    from crisps24.puzzle import Puzzle
    from crisps24.solving.work import is_rational

    if not (hint or hints or is_rational(game)):
        line = opt.reach_line(hand, game, target, in_order=in_order)
        advice = f": use {line}" if isinstance(target, int) else ""
        raise RefusedError(f"solve needs + - x : and no minus before anything{advice}")
    puzzle = Puzzle(hand, target, game, in_order=in_order, work=work)
    if hint or hints:
        _show_hints(puzzle, hints or 1, style, form)
    else:
        _solve_one(puzzle if first is None else puzzle.first_solutions(first), display, form)


def hand_of(words: Sequence[str], game: Game) -> Hand:
    """Parse the numbers of a hand: separate words, or one word with spaces or commas.

    Raises `click.UsageError` for a formula, an option and anything else that is not a hand.
    """
    numbers = split_words(" ".join(words))
    if re.search(r"[0-9)] *[+*x×:÷/] *[0-9(]", " ".join(words)):
        formula = shlex.quote(" ".join(words))
        raise click.UsageError(f"{formula} is a formula: use crisps24 check {formula}")
    for word in numbers:
        if word.startswith("-") and not word[1:].isdecimal():
            raise click.NoSuchOption(word)
    with opt.usage_errors():
        return parse_hand(numbers, game)


def warn_if_not_dealt(hand: Hand, game: Game) -> None:
    """Warn on stderr if the game does not deal this hand, and suggest a game that does."""
    if problem := deal_problem(hand, game, complete=False):
        warning = message("page.solve_odd", reason=problem)
        print_to_stderr(current_language().text("play.warning", reason=warning))
        dealers = [
            game for game in map(GAMES.get, HAND_GAMES) if game and not deal_problem(hand, game)
        ]
        if dealers and not opt.was_given("game"):
            best_game = max(dealers, key=lambda game: len(game.numbers))
            kind = "tiles" if best_game.large else "numbers"
            print_to_stderr(f"these are {kind} of {best_game.name}: add --game {best_game.name}")


def _solve_one(puzzle: "Puzzle", display: DisplayOptions, form: str) -> None:
    """Solve a puzzle and print its solutions; if none, closest values, and end with status 1."""
    from crisps24.puzzle import solve_puzzles

    [puzzle] = solve_puzzles([puzzle])
    warn_if_not_dealt(puzzle.hand, puzzle.game)
    rows = puzzle.rows(closest=True, **display._asdict())
    if not puzzle.solvable:
        closest = "the closest values are:" if rows else "the rules allow no value"
        _suggest_other_game(puzzle)
        print_to_stderr(f"no solution for {puzzle.target}; {closest}")
    shares = ["share"] if display.all_solutions and puzzle.solvable else []
    show(rows, form, ["expression", "value", *shares, "steps"])
    if puzzle.solvable:
        print_summary(f"\n{_summary(puzzle, display)}", form)
    exit_with(puzzle.solvable)


def _suggest_other_game(puzzle: "Puzzle") -> None:
    """Suggest on stderr a less restricted game in which the hand has a solution, if any."""
    from crisps24.solving.solver import find_reachable

    game = puzzle.game
    # If the call has --no-parentheses, a game with parentheses is no help.
    is_restricted = not (game.parentheses or GAMES[game.name].parentheses)
    for other_game in less_restricted_games(game) if is_restricted else ():
        if deal_problem(puzzle.hand, other_game):
            continue
        try:
            query = HandQuery(puzzle.hand, other_game, work=puzzle.work)
            reached = find_reachable(query, [puzzle.target])
        except RefusedError:
            continue
        if reached:
            print_to_stderr(
                f"{game.name} has no parentheses; --game {other_game.name} has a solution"
            )
            return


def _summary(puzzle: "Puzzle", display: DisplayOptions) -> str:
    """Return the number of solutions and the difficulty: `2 solutions, level 1 of 5`."""
    count = len(puzzle.canonical_solutions()) if display.canonical else puzzle.count
    kind = "essential solution" if display.canonical else "solution"
    formulas = _formulas(puzzle) if display.all_solutions else ""
    line = f"{count} {kind}{'' if count == 1 else 's'}{formulas}"
    if count > len(puzzle.solutions()):
        line += f", the first {len(puzzle.solutions())} {puzzle.order}"
    if puzzle.difficulty is None:
        return f"{line}, no level: people do not go below zero"
    return line if puzzle.level is None else f"{line}, level {puzzle.level} of 5"


def _formulas(puzzle: "Puzzle") -> str:
    """Return the number of formulas and a call that prints them, in parentheses.

    An example is ` (36 formulas: crisps24 formulas 24 --card "4 3 8 4")`. The text is empty if the
    command formulas does not have the game, or cannot count them.
    """
    base_game, in_order = GAMES.get(puzzle.game.name), puzzle.in_order
    # The command formulas refuses the game free, which is not in GAMES.
    if base_game is None or puzzle.game.all_numbers != base_game.all_numbers:
        return ""
    from crisps24.enumeration.enumeration import RowQuery, count_rows
    from crisps24.puzzles.conditions import rule_options

    # The command formulas takes the numbers from the card.
    deal_fields: Any = {
        "numbers": base_game.numbers,
        "length": base_game.length,
        "repeats": base_game.repeats,
    }
    try:
        game = replace(puzzle.game, **deal_fields)
        count = count_rows(RowQuery(game, puzzle.hand, in_order), puzzle.target)
    except RefusedError:
        return ""
    target = str(puzzle.target)
    options = [] if game.name == "crisps" else ["--game", game.name]
    options += ["--in-order"] * in_order + [shlex.quote(word) for word in rule_options(game)]
    words = [f'--card "{format_hand(puzzle.hand)}"', *options]
    # A negative number looks like an option.
    words = [*words, "--", target] if target.startswith("-") else [target, *words]
    return f" ({count} formula{'' if count == 1 else 's'}: crisps24 formulas {' '.join(words)})"


def _show_hints(puzzle: "Puzzle", count: int, style: str | None, form: str) -> None:
    if not puzzle.solvable:
        print_to_stderr(f"no solution for {puzzle.target}")
        exit_with(False)
    rows = [{"step": line} for line in puzzle.hints(style)[:count]]
    if form == DEFAULT_FORMAT:
        print_lines(row["step"] for row in rows)
    else:
        show(rows, form)


class _LineParser(NamedTuple):
    """A parser of the lines of a file; its game and target are for lines without them."""

    game: Game
    target: Exact | None
    in_order: bool
    work: int | None

    def puzzle(self, line: str | None) -> "Puzzle | None":
        """Return the puzzle of a line, None for a blank line or a # comment.

        A large puzzle is solved at once. Raises RefusedError for an unreadable line, and for a
        puzzle that is too hard; the line None stands for one that is too long.
        """
        from crisps24.judging.records import MAX_INPUT_LINE_BYTES

        if line is None:
            raise RefusedError(f"line too long (expected at most {MAX_INPUT_LINE_BYTES:,} bytes)")
        text = line.partition("#")[0].strip()
        if not text:
            return None
        game, hand, target = opt.read_id(text, ()) if is_id(text) else self._parse(text)
        return self._make_puzzle(hand, target, game)

    def of_record(self, record: Row) -> "Puzzle":
        """Return the puzzle of a line of JSON; a large puzzle is solved at once.

        Raises CrispsError for an unreadable line, and for a puzzle that is too hard.
        """
        from crisps24.judging.records import Attempt, apply_record

        default = Attempt("", self.target, None, self.game)
        attempt = apply_record(record, default, partial(opt.read_id, excluded=()))
        target = attempt.game.target if attempt.target is None else attempt.target
        if attempt.card is None or target is None:
            missing = "hand" if attempt.card is None else "target"
            raise RefusedError(f"missing {missing} (expected nums and target, or id)")
        return self._make_puzzle(attempt.card, target, attempt.game)

    def _make_puzzle(self, hand: Hand, target: Exact, game: Game) -> "Puzzle":
        from crisps24.puzzle import Puzzle, solve_puzzles

        puzzle = Puzzle(hand, target, game, in_order=self.in_order, work=self.work)
        # Raises RefusedError for a hand that the game cannot have.
        _ = puzzle.query
        # Solve a large hand now, so that an error names its line.
        return puzzle if puzzle.is_small else next(iter(solve_puzzles([puzzle])))

    def _parse(self, text: str) -> tuple[Game, Hand, Exact]:
        hand, *targets = (part.strip() for part in re.split("->|=", text))
        if len(targets) > 1:
            raise RefusedError("more than one target (expected a hand, then = or -> and a target)")
        numbers = parse_hand(split_words(hand), self.game)
        target = parse_value(targets[0]) if targets else self.target
        target = self.game.target if target is None else target
        if target is None:
            problem = f"{self.game.name} has no fixed target"
            raise RefusedError(f"{problem}: add one after =, or --target")
        return self.game, numbers, target


def _solve_file(
    source: "ByteStream",
    parser: _LineParser,
    display: DisplayOptions,
    form: str,
    language: Language,
) -> None:
    """Solve the hands of a file in batches, and print the solutions in the format `form`.

    Unreadable lines are reported on stderr. The status is 2 for such a line, 1 for an unsolvable
    hand; otherwise the function returns. Refuse a file without hands.
    """
    from crisps24.judging.records import parse_record, read_text_lines
    from crisps24.puzzle import SOLUTION_FIELDS, Puzzle, solve_puzzles

    waiting: list[tuple[Row, Puzzle | Message]] = []
    rows: list[Row] = []
    keys = ("line", "id", *SOLUTION_FIELDS, "verdict", "reason")
    hands = 0
    started = unreadable = unsolved = False

    def solve_waiting() -> None:
        """Solve the waiting hands; print their rows at once if the format allows it."""
        nonlocal started, unsolved
        solved = iter(solve_puzzles([item for _, item in waiting if isinstance(item, Puzzle)]))
        for fields, item in waiting:
            if isinstance(item, Message):
                failure = {"verdict": "unreadable"} | reason_row(item, language)
                rows.append(fields | dict.fromkeys(SOLUTION_FIELDS) | failure)
                continue
            puzzle = next(solved)
            unsolved |= not puzzle.solvable
            verdict = {"verdict": "solved" if puzzle.solvable else "unsolved"} | reason_row(None)
            rows.extend(fields | row | verdict for row in puzzle.rows(**display._asdict()))
        waiting.clear()
        if rows and form in TABLE_FORMATS and not TABLE_FORMATS[form].one_document:
            print_lines(stream_lines(rows, form, keys, started=started))
            sys.stdout.flush()
            started = True
            rows.clear()

    # Solve before each wait, since the writer of a pipe can need the solution.
    for number, line in read_text_lines(source, waiting=solve_waiting):
        record: Row = {}
        try:
            if line and line.startswith("{"):
                record = parse_record(line) or {}
            puzzle = parser.of_record(record) if record else parser.puzzle(line)
        except CrispsError as error:
            unreadable = True
            print_to_stderr(f"crisps24: line {number}: {error.sentence(language)}")
            waiting.append((_fields_of(number, record), error.message))
            continue
        if puzzle is not None:
            hands += 1
            waiting.append((_fields_of(number, record), puzzle))
        if len(waiting) >= _HANDS_PER_BATCH:
            solve_waiting()
    if not (hands or unreadable):
        raise click.UsageError("--file is empty (expected a hand on each line, such as 3 3 8 8)")
    solve_waiting()
    if rows or not (started or unreadable):
        show(rows if form in TABLE_FORMATS else [_table_row(row, display) for row in rows], form)
    exit_with(not unsolved, unreadable=unreadable)


def _fields_of(number: int, record: Row) -> Row:
    """Return the number, the id and the other fields of a line."""
    from crisps24.judging.records import to_json_value

    fields: Row = to_json_value(record)
    return {"line": number, "id": None} | fields


def _table_row(row: Row, display: DisplayOptions) -> Row:
    """Return the columns of a row that a table for people shows."""
    unreadable = row["verdict"] == "unreadable"
    first = {
        "line": row["line"],
        "hand": format_hand(row["numbers"] or ()),
        "target": row["target"],
        "solution": row["reason"] if unreadable else row["expression"] or "none",
    }
    share = {"share": row["share"]} if display.all_solutions else {}
    return first | share | {"solutions": row["solutions"], "level": row["level"]}


def _solve_gaps(text: str, game: Game, style: str | None, form: str) -> None:
    """Print all ways to fill in the missing operators; end with status 1 if none exists."""
    from crisps24.equation_puzzles.gaps import read_gaps
    from crisps24.equation_puzzles.missing import fill_gaps

    fillings = fill_gaps(read_gaps(text, game), game)
    if not fillings:
        print_to_stderr("no operators make the equation true")
        exit_with(False)
    rows: Iterator[Row] = (
        {"formula": format_sides(style or game.style, sides, game)} for sides in fillings
    )
    print_rows(rows, form, ["formula"])
    print_summary(f"\n{len(fillings):,} way{'' if len(fillings) == 1 else 's'}", form)


def format_sides(style: str, sides: "tuple[Formula, Formula]", game: Game) -> str:
    """Return the text of an equation in a style."""
    return f" {EQUALS} ".join(format_formula(style, side, game) for side in sides)


# Columns of the lines that describe a game.
_MAX_COLUMNS = 80
_MIN_COLUMNS = 20
_REPEAT_WORDS = {1: "once each", 2: "twice each"}


@opt.command()
def games(form: str = opt.FORMAT) -> None:
    """List the games and their rules.

    Use these names for --game and GAME. The table shows numbers, length, target and rules.

    Examples:
      crisps24 games
      crisps24 games --format json
    """
    rows = [_row_of(game) for game in GAMES.values()]
    if form != DEFAULT_FORMAT:
        show(rows, form)
        return
    keys = ("name", "numbers", "hand", "target")
    show(
        [
            {key: row[key] for key in keys} | {"rules": format_rules(game)}
            for row, game in zip(rows, GAMES.values(), strict=True)
        ],
        form,
    )
    width = min(_MAX_COLUMNS, terminal_width() or _MAX_COLUMNS)
    name_width = max(map(len, GAMES))
    for game in GAMES.values():
        first, *other_lines = textwrap.wrap(
            str(game.about), max(_MIN_COLUMNS, width - name_width - 2)
        )
        echo(f"\n{game.name:{name_width}}  {first}")
        for line in other_lines:
            echo(f"{'':{name_width}}  {line}")


def _row_of(game: Game) -> dict[str, Any]:
    """Return the rules of a game as a row."""
    return (
        {"name": game.name}
        | {rule.column: rule.value_in(game) for rule in RULES.values() if rule.field != "repeats"}
        | {"numbers": _numbers_of(game)}
        | {"target": game.target or "..".join(map(str, game.targets)), "about": str(game.about)}
    )


def _numbers_of(game: Game) -> str:
    """Return the numbers of a game as text: `1..9`, or `1..10 twice each; 25,50 once each`."""
    if game.repeats:
        return format_numbers(game.numbers)
    times = Counter(game.numbers)
    groups = {
        repeats: [n for n, count in times.items() if count == repeats] for repeats in times.values()
    }
    return "; ".join(
        f"{format_numbers(numbers)} {_REPEAT_WORDS.get(repeats, f'{repeats} times each')}"
        for repeats, numbers in sorted(groups.items(), reverse=True)
    )


@opt.command(
    opt.excludes("with_ways", "with_forms", "--ways and --forms exclude each other"),
    settings=opt.NEGATIVE_NUMBERS,
)
def reach(
    words: Sequence[str] = opt.argument("NUMBERS...", required=True),
    targets: range | None = opt.puzzle(
        "Range of targets to try [default: the game's own].", opt.RANGE
    ),
    in_order: bool = opt.IN_ORDER,
    with_ways: bool = opt.display(
        "Count the solutions of each target, and grade it.", None, "--ways"
    ),
    with_forms: bool = opt.display("Show one formula for each target.", None, "--forms"),
    form: str = opt.FORMAT,
    game: Game = opt.game_options(opt.VALUE_RULES, offered=HAND_GAMES),
    work: int | None = opt.WORK_LIMIT,
) -> None:
    """Show which targets a hand can make, and which it cannot.

    Examples:
      crisps24 reach 4 3 8 4
      crisps24 reach 2 5 8 10 25 75 --game numble --ways
      crisps24 reach 1 2 3 4 --targets 0..100 --forms

    --forms shows the plainest formula. The following call takes one or two minutes and 1.3 GB, and
    misses only 10,958: crisps24 reach 1 2 3 4 5 6 7 8 9 --in-order --join --signed --operators
    "+-x:^" --game digits --targets 0..11111 --forms. With --in-order and --parentheses, --ways
    shows two counts: written forms, in which (1 + 2) + 3 and 1 + (2 + 3) differ, and distinct
    solutions.
    """
    hand = hand_of(words, game)
    target_range = targets or range(game.targets[0], game.targets[1] + 1)
    from crisps24.solving.solver import find_plainest, find_reachable, find_solution_counts

    if with_ways:
        opt.require_rational_operators(hand, game, "--ways", in_order=in_order)
    query = HandQuery(hand, game, in_order, work)
    bounds, solution_counts = (target_range[0], target_range[-1]), dict[Any, int]()
    reachable: Any
    if with_forms:
        reachable = find_plainest(query, None, target_range)
    elif with_ways:
        reachable = solution_counts = find_solution_counts(query, bounds, target_range)
    else:
        reachable = find_reachable(query, target_range)
    warn_if_not_dealt(hand, game)
    rows: list[dict[str, Any]] = [
        {"target": target, "reached": target in reachable} for target in target_range
    ]
    if with_ways:
        from crisps24.solving.effort import grade_targets
        from crisps24.solving.solver import find_written_counts

        grades = grade_targets(query, bounds, target_range)
        has_forms = in_order and game.parentheses
        written_counts = find_written_counts(query, target_range) if has_forms else {}
        for row in rows:
            grade = grades.get(row["target"])
            row["ways"] = solution_counts.get(row["target"], 0)
            if has_forms:
                row["written"], row["distinct"] = written_counts[row["target"]], row["ways"]
            row["bits"], row["level"] = (grade.bits, grade.level) if grade else (None, None)
    if with_forms:
        for row in rows:
            tree = reachable.get(row["target"])
            row["form"] = None if tree is None else text_of(tree, game.style)
    if form != "table":
        show(rows, form)
        return
    reached = [row["target"] for row in rows if row["reached"]]
    missed = [row["target"] for row in rows if not row["reached"]]
    if with_ways and reached:
        counts = ["written", "distinct"] if "written" in rows[0] else ["ways"]
        show([row for row in rows if row["reached"]], form, ["target", *counts, "level"])
        echo()
    if with_forms and reached:
        show([row for row in rows if row["reached"]], form, ["target", "form"])
        echo()
    echo(f"reached  {len(reached)} of {len(target_range)}: {format_numbers(reached) or 'none'}")
    echo(f"missed   {len(missed)} of {len(target_range)}: {format_numbers(missed) or 'none'}")
    # Larger intermediate results, beyond the limit on bits, could make a missed target.
    if missed and (limit := RULES["bits"].sentence(game)):
        echo(str(limit))
