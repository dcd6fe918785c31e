"""The commands solve, reach and games: hands and their targets."""

import re
import shlex
import sys
import textwrap
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from io import SEEK_END
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import click

from crisps24.cli import options as opt
from crisps24.cli import screen
from crisps24.cli.progress import current_language, progress_bar
from crisps24.cli.rows import format_formula
from crisps24.cli.screen import echo, exit_with, print_summary, print_to_stderr, show
from crisps24.equation_puzzles.records import EQUALS, GAP
from crisps24.errors import CrispsError, RefusedError, parse_language
from crisps24.messages.message import Language, Message, message, reason_row
from crisps24.notation.trees import Formula, text_of
from crisps24.output.executors import MAX_WORKERS
from crisps24.output.tables import DEFAULT_FORMAT, TABLE_FORMATS, Row
from crisps24.rules.characters import split_words
from crisps24.rules.deals import deal_problem, format_hand, parse_hand
from crisps24.rules.exact import Exact
from crisps24.rules.games import GAMES, HAND_GAMES, Game, Hand, find_game, less_restricted_games
from crisps24.rules.ids import is_id
from crisps24.rules.machines import SOLUTIONS
from crisps24.rules.points import scores_operators
from crisps24.rules.queries import HandQuery
from crisps24.rules.rules import RULES, format_rules
from crisps24.rules.words import NUMBER_WORD, format_numbers

with opt.lazy_imports(globals()):
    from concurrent import futures

    from crisps24 import puzzle as one_puzzle
    from crisps24.enumeration import enumeration
    from crisps24.equation_puzzles import gaps, missing
    from crisps24.judging import records, table_rows
    from crisps24.notation import checking
    from crisps24.puzzles import conditions, files
    from crisps24.solving import effort, values, written
    from crisps24.solving import work as forecasts

# Options of hands; a row with missing operators takes none of them.
_HAND_OPTIONS = (
    *("target", "every", "essential", "hint", "hints", "in_order", "steps", "first", "work"),
    *("parentheses", "all_numbers"),
)
# A word of a call such as 0,75.
_DECIMAL_COMMA = re.compile("[0-9]+,[0-9]+")
# From this number on, the fractions of a game are counted, not listed.
_MIN_SUMMARISED_FRACTIONS = 8
# A number of a hand: 8, -2, 3/4, .75, ¾, or a letter such as Q.
_HAND_WORD = re.compile(f"{NUMBER_WORD}|[A-Za-z]")
_HANDS_PER_BATCH, _HANDS_PER_TASK = 2_000, 250
# Hands whose rows are kept, for equal ones.
_MAX_KNOWN_HANDS = 10_000


class DisplayOptions(NamedTuple):
    """Arguments of `Puzzle.rows`: which solutions to show, and how."""

    all_solutions: bool
    canonical: bool
    steps: bool
    style: str | None


@opt.command(
    opt.excludes("source", "words hints first", "--file sets the hands, one per line"),
    opt.excludes(
        "source",
        "steps hint",
        "--file has a row per hand: for one hand use crisps24 solve 4 3 8 4 {}",
    ),
    opt.requires("workers", "source", "{} is for many hands: add --file"),
    opt.excludes("first", "every essential hint hints", "--first shows the likeliest solutions"),
    opt.excludes("hint", "every steps essential", "--hint shows only first steps"),
    opt.excludes("hints", "every steps essential", "--hint shows only first steps"),
    settings=opt.NEGATIVE_NUMBERS,
)
def solve(
    words: Sequence[str] = opt.argument("[NUMBERS]..."),
    target: Exact | None = opt.TARGET,
    in_order: bool = opt.IN_ORDER,
    source: "table_rows.ByteStream | None" = opt.LINES,
    every: bool = opt.display("Show every solution, not only the easiest to find.", None, "--all"),
    first: int | None = opt.display("Show the N easiest, when there are thousands.", opt.POSITIVE),
    hint: bool = opt.display("Show only the first step."),
    hints: int | None = opt.display("Show only the first N steps.", opt.POSITIVE),
    essential: bool = opt.display("Leave out variants that only add 0 or multiply by 1."),
    steps: bool = opt.STEPS,
    style: str | None = opt.STYLE,
    language: str = opt.LANGUAGE_OF_REASONS,
    form: str = opt.FORMAT,
    game: Game = opt.game_options((*opt.HAND_RULES, "length"), offered=HAND_GAMES),
    work: int | None = opt.WORK_LIMIT,
    workers: int | None = opt.WORKERS,
) -> None:
    """Solve a hand: show the ways to make its target.

    NUMBERS are the numbers of a hand, the id of a puzzle such as cards:3.3.8.8=24, or a row in
    which _ stands for each missing operator. Without a solution, it shows the closest values. Exit
    status: 0 if a solution exists, 1 if not, 2 for an unreadable line.

    Examples:
      crisps24 solve 3 3 8 8 --game cards
      crisps24 solve 2 5 8 10 25 75 --target 431 --game countdown --steps
      crisps24 solve 4 3 8 4 --all
      crisps24 solve cards:3.3.8.8=24 --hint
      crisps24 solve "4 _ 3 _ 8 _ 4 = 24"
      crisps24 solve --file hands.txt --format jsonl

    Two solutions are distinct if they give different results for other numbers: 4 + 3 x 8 - 4 and
    4 : 4 x 3 x 8 are both 3 x 8. So 4 3 8 4 has 36 formulas and two solutions. Order: fewer numbers
    first, then likeliest first, by a model of how long people take; a simpler order beyond 20,000.
    With ^ and unary operators, only the plainest formula is shown.

    A line of --file is a hand, a hand and its target (3 3 8 8 -> 24), an id, JSON ({"nums": [3, 3,
    8, 8]}), or a row of a table (hand, target).
    """
    display = DisplayOptions(every or first is not None, essential, steps, style)
    if source is not None:
        lines = _SolvedLines(display, form, parse_language(language), screen.points_column(game))
        parser = files.LineParser(game, target, in_order, work, print_to_stderr)
        _solve_file(source, parser, lines, workers)
        return
    if any(GAP in word for word in words):
        _solve_gaps(" ".join(words), game, style, form)
        return
    if not words:
        raise click.UsageError("give NUMBERS, such as 3 3 8 8, or --file")
    if is_id(words[0]):
        game, hand, target = opt.read_id(" ".join(words), (*opt.SET_BY_ID, "length"))
    else:
        hand, target = hand_of(words, game), opt.target_of(target, game)
        opt.check_numbers_typed(hand, game)
    puzzle = one_puzzle.Puzzle(hand, target, game, in_order=in_order, work=work)
    _solve_hand(puzzle, display, form, first, hints or int(hint))


def hand_of(words: Sequence[str], game: Game) -> Hand:
    numbers = split_words(" ".join(words))
    for word in words:
        if re.match("--[a-z]", word):
            raise click.NoSuchOption(word)
    for word in numbers:
        if word.startswith("-") and not _HAND_WORD.fullmatch(word):
            raise click.NoSuchOption(word)
    decimals = [word for word in words if _DECIMAL_COMMA.fullmatch(word)]
    if game.fractions and decimals and any("," not in word for word in words):
        whole, _, digits = decimals[0].partition(",")
        forms = f"write {whole}.{digits} or {whole} {digits}"
        raise click.UsageError(f"{decimals[0]} can be a decimal or two numbers ({forms})")
    with opt.usage_errors():
        return parse_hand(numbers, game)


def warn_if_not_dealt(hand: Hand, game: Game) -> None:
    """Warn on stderr if these numbers cannot be drawn in a game, such as 25 in a game of 1 to 9."""
    problem = deal_problem(hand, game, complete=False)
    if not problem:
        return
    warning = message("page.solve_odd", reason=problem)
    print_to_stderr(current_language().text("play.warning", reason=warning))
    known_games = [GAMES[name] for name in HAND_GAMES if name in GAMES]
    games_with_hand = [game for game in known_games if not deal_problem(hand, game)]
    if games_with_hand and not opt.was_given("game"):
        best_game = max(games_with_hand, key=lambda game: len(game.numbers))
        kind = "tiles" if best_game.large else "numbers"
        print_to_stderr(f"these are {kind} of {best_game.name}: add --game {best_game.name}")


def _solve_hand(
    puzzle: "one_puzzle.Puzzle", display: DisplayOptions, form: str, first: int | None, hints: int
) -> None:
    game, target = puzzle.game, puzzle.target
    # A hint needs only one solution.
    if not (hints or SOLUTIONS.can_do(game)):
        _show_one_form(puzzle, display, form)
        return
    if hints:
        if not puzzle.solvable:
            print_to_stderr(f"no solution for {target}")
            exit_with(False)
        steps = puzzle.hints(display.style)[:hints]
        if form == DEFAULT_FORMAT:
            screen.print_lines(steps)
        else:
            show([{"step": step} for step in steps], form)
        return
    puzzle = puzzle if first is None else puzzle.first_solutions(first)
    [puzzle] = one_puzzle.solve_puzzles([puzzle])
    warn_if_not_dealt(puzzle.hand, game)
    rows = puzzle.rows(closest=True, **display._asdict())
    if not puzzle.solvable:
        closest = "the closest values are:" if rows else "the rules allow no value"
        _suggest_other_game(puzzle.hand, game, [target], puzzle.work)
        print_to_stderr(f"no solution for {target}; {closest}")
    share_column = ["share"] if display.all_solutions and puzzle.solvable else []
    groups = _group_shares(puzzle, display) if share_column and form == DEFAULT_FORMAT else []
    if groups:
        share_column.append("group share")
        rows = [row | {"group share": group} for row, group in zip(rows, groups, strict=True)]
    show(rows, form, ["expression", "value", *screen.points_column(game), *share_column, "steps"])
    if puzzle.solvable:
        print_summary(f"\n{_summary(puzzle, display)}", form)
    if groups:
        order = ["most points"] * bool(screen.points_column(game))
        order += ["fewest numbers"] * (not game.all_numbers) + ["largest group share"]
        echo(f"{', then '.join(order)} first: a group differs only by steps with 1 or 0")
    exit_with(puzzle.solvable)


def _show_one_form(puzzle: "one_puzzle.Puzzle", display: DisplayOptions, form: str) -> None:
    """Show the plainest formula for a target, if equal solutions cannot be recognised."""
    made = values.find_plainest(puzzle.query, None, [puzzle.target])
    style, game = display.style or puzzle.game.style, puzzle.game
    rows: list[Row] = [
        {"expression": text_of(tree, style), "value": value}
        | ({"steps": checking.working(tree, game, style=style)} if display.steps else {})
        for value, tree in made.items()
    ]
    warn_if_not_dealt(puzzle.hand, game)
    show(rows, form, ["expression", "value", "steps"])
    cannot = "with other signs than + - x : or a minus before anything, solutions are not listed"
    limit = RULES["bits"].sentence(game)
    missing = f"no formula makes {puzzle.target}. {limit}".rstrip()
    print_to_stderr(f"{cannot}: this is the plainest formula" if rows else missing)
    exit_with(bool(rows))


def _group_shares(puzzle: "one_puzzle.Puzzle", display: DisplayOptions) -> list[float]:
    """Return for each solution the share of its class, unless its own shares explain the order."""
    solutions = puzzle.solutions()
    shares = [solution.share for solution in solutions]
    if display.canonical or len(shares) < puzzle.count or shares == sorted(shares, reverse=True):
        return []
    groups: dict[int, float] = dict.fromkeys((each.equivalence_class for each in solutions), 0)
    for solution in solutions:
        groups[solution.equivalence_class] += solution.share
    return [groups[solution.equivalence_class] for solution in solutions]


def _suggest_other_game(hand: Hand, game: Game, targets: Sequence[Exact], work: int | None) -> bool:
    """Print on stderr a game with parentheses in which a hand makes some of the missed targets.

    Return whether there is one.
    """
    # If the call has --no-parentheses, a game with parentheses does not help.
    lacks_parentheses = not (game.parentheses or GAMES[game.name].parentheses)
    for other_game in less_restricted_games(game) if lacks_parentheses else ():
        if deal_problem(hand, other_game):
            continue
        with suppress(RefusedError):
            if found := values.find_reachable(HandQuery(hand, other_game, work), targets):
                what = (
                    "has a solution" if len(targets) == 1 else f"makes {len(found)} of the missed"
                )
                print_to_stderr(f"{game.name} has no parentheses; --game {other_game.name} {what}")
                return True
    return False


def _summary(puzzle: "one_puzzle.Puzzle", display: DisplayOptions) -> str:
    """Return a line with the number of solutions of a solved puzzle and its level of difficulty."""
    solutions = puzzle.solutions(nearest=True, canonical=display.canonical)
    count = len(solutions) if display.canonical else puzzle.count
    kind = "essential solution" if display.canonical else "solution"
    formula_count = _formula_count(puzzle) if display.all_solutions else ""
    line = f"{count} {kind}{'' if count == 1 else 's'}{formula_count}"
    # A search for the first solutions stops early: `solutions` has fewer than `count`.
    if count > len(solutions):
        line += f", the first {len(solutions)} {puzzle.order}"
    if puzzle.difficulty is None:
        return f"{line}, no level: people do not go below zero"
    return line if puzzle.level is None else f"{line}, level {puzzle.level} of 5"


def _formula_count(puzzle: "one_puzzle.Puzzle") -> str:
    base_game = GAMES.get(puzzle.game.name)
    # The command formulas refuses the game free, which is not in GAMES.
    if base_game is None or puzzle.game.all_numbers != base_game.all_numbers:
        return ""
    # The command formulas takes the numbers from the card, not from the game.
    try:
        game = replace(
            puzzle.game,
            numbers=base_game.numbers,
            length=base_game.length,
            repeats=base_game.repeats,
        )
        query = enumeration.RowQuery(game, puzzle.hand)
        count = enumeration.count_rows(query, puzzle.target)
    except RefusedError:
        return ""
    options = [f'--card "{format_hand(puzzle.hand)}"']
    options += [] if game.name == "crisps" else ["--game", game.name]
    options += ["--in-order"] if game.in_order else []
    options += map(shlex.quote, conditions.rule_options(game))
    target = str(puzzle.target)
    # A negative number looks like an option, so it comes last, after `--`.
    words = [*options, "--", target] if target.startswith("-") else [target, *options]
    return f" ({count} formula{'' if count == 1 else 's'}: crisps24 formulas {' '.join(words)})"


def _solve_file(
    source: Any, parser: "files.LineParser", solved: "_SolvedLines", workers: int | None
) -> None:
    count = _count_lines(source)
    is_mixed = solved.form in TABLE_FORMATS and sys.stdout.isatty()
    task_count = -(-count // _HANDS_PER_TASK) or MAX_WORKERS
    with (
        screen.open_executor(workers, task_count, worth_it=count > _HANDS_PER_BATCH) as executor,
        progress_bar("hands", count, shown=count > _HANDS_PER_BATCH and not is_mixed) as progress,
    ):
        solved.progress, solved.executor = progress, executor
        # Solve before each wait, since the writer of a pipe can need the solution.
        for number, record, puzzle in parser.read(source, solved.solve_waiting):
            if isinstance(puzzle, CrispsError):
                screen.print_line_error(number, puzzle.sentence(solved.language))
            fields = {"line": number, "id": None} | records.to_json_value(record)
            solved.add(fields, puzzle.message if isinstance(puzzle, CrispsError) else puzzle)
        solved.solve_waiting()
    solved.end()


def _count_lines(source: Any) -> int:
    """Return how many lines a file has, 0 for a pipe or a device."""
    if not source.seekable():
        return 0
    position = source.tell()
    starts = range(position, source.seek(0, SEEK_END), 1 << 20)
    source.seek(position)
    count: int = sum(source.read(1 << 20).count(b"\n") for _ in starts)
    source.seek(position)
    return count


class _SolvedLines:
    """The lines of a file that wait, and their rows, which are printed as soon as possible."""

    def __init__(
        self, display: DisplayOptions, form: str, language: Language, points_column: list[str]
    ) -> None:
        self.display, self.form, self.language = display, form, language
        self.points_column = points_column
        self.progress: Callable[[int], object] | None = None
        self.executor: futures.Executor | None = None
        self._unprinted = deque[Row]()
        is_data = form in TABLE_FORMATS
        names = ["line", "id", *one_puzzle.SOLUTION_FIELDS, *points_column, "verdict", "reason"]
        rows = iter(lambda: self._unprinted.popleft() if self._unprinted else None, None)
        self._lines = screen.stream_lines(rows, form, names if is_data else ())
        # Rows that the lines need before they show any: a whole table, or the next row of json.
        self._rows_ahead = TABLE_FORMATS[form].one_document if is_data else screen.MAX_TABLE_ROWS
        # For puzzles of earlier lines, whether they have a solution, and their rows.
        self._known: dict[Any, tuple[bool, list[Row]]] = {}
        # The fields of each line that waits, with its puzzle, or with the error that it has.
        self._waiting: list[tuple[Row, one_puzzle.Puzzle | Message]] = []
        self._verdicts: set[str] = set()
        # The first hands without a solution.
        self._unsolved: list[one_puzzle.Puzzle] = []

    def add(self, fields: Row, item: "one_puzzle.Puzzle | Message") -> None:
        self._waiting.append((fields, item))
        if len(self._waiting) >= _HANDS_PER_BATCH:
            self.solve_waiting()

    def solve_waiting(self) -> None:
        """Solve all lines that wait; print their rows, those of a table in blocks."""
        # Lines with the same numbers in any order are solved once.
        puzzles = {
            _key_of(item): item for _, item in self._waiting if not isinstance(item, Message)
        }
        if len(self._known) > _MAX_KNOWN_HANDS:
            self._known.clear()
        keys = [key for key in puzzles if key not in self._known]
        starts = range(0, len(keys), _HANDS_PER_TASK)
        tasks = [[puzzles[key] for key in keys[i : i + _HANDS_PER_TASK]] for i in starts]
        run = self.executor.map if self.executor and tasks[1:] else map
        solved = chain.from_iterable(run(partial(_solve_task, self.display), tasks))
        self._known.update(zip(keys, solved, strict=True))
        for fields, item in self._waiting:
            rows: list[Row] = [dict.fromkeys(one_puzzle.SOLUTION_FIELDS)]
            verdict, reason = "unreadable", item if isinstance(item, Message) else None
            if not isinstance(item, Message):
                solvable, found = self._known[_key_of(item)]
                rows = [row | {"numbers": list(item.hand)} for row in found]
                verdict = "solved" if solvable else "unsolved"
                if not solvable and len(self._unsolved) < _HANDS_PER_TASK:
                    self._unsolved.append(item)
            last_fields = {"verdict": verdict} | reason_row(reason, self.language)
            self._verdicts.add(verdict)
            points = dict.fromkeys(self.points_column)
            full_rows = (fields | row | points | row | last_fields for row in rows)
            is_data = self.form in TABLE_FORMATS
            self._unprinted += full_rows if is_data else map(self._table_row, full_rows)
        if self.progress is not None:
            self.progress(len(self._waiting))
        self._waiting.clear()
        while len(self._unprinted) > self._rows_ahead:
            screen.print_lines([next(self._lines)])
        sys.stdout.flush()

    def _table_row(self, row: Row) -> Row:
        solution = row["reason"] if row["verdict"] == "unreadable" else row["expression"] or "none"
        if row["verdict"] == "unsolved" and row["expression"]:
            solution = f"none: {solution} = {row['value']}"
        return {
            "line": row["line"],
            "hand": format_hand(row["numbers"] or ()),
            "target": row["target"],
            "solution": solution,
            **{name: row[name] for name in self.points_column},
            **({"share": row["share"]} if self.display.all_solutions else {}),
            "solutions": row["solutions"],
            "level": row["level"],
        }

    def end(self) -> None:
        if not self._verdicts:
            expected = "expected a hand on each line, such as 3 3 8 8"
            raise click.UsageError(f"--file is empty ({expected})")
        screen.print_lines(self._lines)
        sys.stdout.flush()
        for puzzle in [] if opt.chooses_parentheses() else self._unsolved:
            if _suggest_other_game(puzzle.hand, puzzle.game, [puzzle.target], puzzle.work):
                break
        screen.exit_by(self._verdicts)


def _key_of(puzzle: "one_puzzle.Puzzle") -> Any:
    hand = puzzle.hand if puzzle.in_order else tuple(sorted(puzzle.hand))
    return hand, puzzle.target, puzzle.game


def _solve_task(
    display: DisplayOptions, puzzles: "Sequence[one_puzzle.Puzzle]"
) -> list[tuple[bool, list[Row]]]:
    """Solve puzzles, maybe in another process: whether each has a solution, and its rows."""
    solved = one_puzzle.solve_puzzles(puzzles)
    return [
        # As a single hand, one without a solution has its closest value.
        (
            puzzle.solvable,
            puzzle.rows(closest=True, **display._asdict())[: None if puzzle.solvable else 1],
        )
        for puzzle in solved
    ]


def _solve_gaps(text: str, game: Game, style: str | None, form: str) -> None:
    opt.refuse_given(_HAND_OPTIONS, "a row with missing operators takes no {}")
    fillings = missing.fill_gaps(gaps.read_gaps(text, game), game)
    if not fillings:
        print_to_stderr("no operators make the equation true")
        exit_with(False)
    rows: Iterator[Row] = (
        {"formula": format_sides(style or game.style, sides, game)} for sides in fillings
    )
    screen.print_rows(rows, form, ["formula"])
    print_summary(f"\n{len(fillings):,} way{'' if len(fillings) == 1 else 's'}", form)


def format_sides(style: str, sides: tuple[Formula, Formula], game: Game) -> str:
    return f" {EQUALS} ".join(format_formula(style, side, game) for side in sides)


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
    known_rules = [rule for rule in RULES.values() if rule.field != "repeats"]
    rows: list[Row] = [
        {"name": game.name}
        | {rule.column: rule.value_in(game) for rule in known_rules}
        | {"numbers": _format_game_numbers(game)}
        | {"target": game.target or "..".join(map(str, game.targets)), "about": str(game.about)}
        for game in GAMES.values()
    ]
    if form != DEFAULT_FORMAT:
        show(rows, form)
        return
    columns = ("name", "numbers", "hand", "target")
    shown = [{column: row[column] for column in columns} for row in rows]
    rules = [{"rules": format_rules(game)} for game in GAMES.values()]
    show([row | rule for row, rule in zip(shown, rules, strict=True)], form)
    width = min(_MAX_COLUMNS, screen.terminal_width() or _MAX_COLUMNS)
    name_width = max(map(len, GAMES))
    text_width = max(_MIN_COLUMNS, width - name_width - 2)
    for game in GAMES.values():
        echo()
        for name, line in zip_longest([game.name], textwrap.wrap(str(game.about), text_width)):
            echo(f"{name or '':{name_width}}  {line}")


def _format_game_numbers(game: Game) -> str:
    """Return the numbers that can be drawn in a game as text, with how often each can be drawn."""
    if game.dice:
        return f"a throw of dice with {format_numbers(game.dice)} faces"
    if game.repeats:
        fractions = [number for number in game.numbers if not isinstance(number, int)]
        if len(fractions) < _MIN_SUMMARISED_FRACTIONS:
            return format_numbers(game.numbers)
        whole = format_numbers([number for number in game.numbers if isinstance(number, int)])
        return f"{whole} and {len(fractions)} fractions from {fractions[0]} to {fractions[-1]}"
    # Group the numbers by how often they occur: {2: [1, 2, …, 10], 1: [25, 50, 75, 100]}.
    numbers_by_count: dict[int, list[Exact]] = {}
    for number, count in Counter(game.numbers).items():
        numbers_by_count.setdefault(count, []).append(number)
    return "; ".join(
        f"{format_numbers(numbers)} {_REPEAT_WORDS.get(count, f'{count} times each')}"
        for count, numbers in sorted(numbers_by_count.items(), reverse=True)
    )


@opt.command(
    opt.excludes("with_ways", "with_forms", "--ways and --forms exclude each other"),
    opt.excludes("own_digits", "words targets with_ways", "--own-digits sets hands and targets"),
    settings=opt.NEGATIVE_NUMBERS,
)
def reach(
    words: Sequence[str] = opt.argument("[NUMBERS]..."),
    targets: range | None = opt.puzzle(
        "Range of targets to try [default: the game's own].", opt.RANGE
    ),
    own_digits: range | None = opt.puzzle(
        "Make each number of RANGE from its own digits.", opt.RANGE
    ),
    in_order: bool = opt.IN_ORDER,
    with_ways: bool = opt.display(
        "Count the solutions of each target, and grade it.", None, "--ways"
    ),
    with_forms: bool = opt.display("Show one formula for each target.", None, "--forms"),
    form: str = opt.FORMAT,
    game: Game = opt.game_options(opt.VALUE_RULES, offered=HAND_GAMES),
    work: int | None = opt.WORK_LIMIT,
    checkpoint: Path | None = opt.limit(
        "Keep what is computed in FILE, and go on from it.",
        opt.OUTPUT_FILE,
        word="more",
        metavar="FILE",
    ),
) -> None:
    """Show which targets a hand can make, and which it cannot.

    Examples:
      crisps24 reach 4 3 8 4
      crisps24 reach 2 5 8 10 25 75 --game numble --ways
      crisps24 reach 1 2 3 4 --targets 0..100 --forms
      crisps24 reach --own-digits 10..999 --game digits --join --nontrivial

    --forms shows the plainest formula. The following call takes one or two minutes and 1.3 GB, and
    misses only 10,958: crisps24 reach 1 2 3 4 5 6 7 8 9 --in-order --join --signed --operators
    "+-x:^" --game digits --targets 0..11111 --forms. With --in-order and --parentheses, --ways
    shows two counts: written forms, in which (1 + 2) + 3 and 1 + (2 + 3) differ, and distinct
    solutions.
    """
    game = find_game(game, in_order=in_order)
    if own_digits is not None:
        _show_own_digits(own_digits, game, work, form, with_forms)
        return
    if not words:
        raise click.UsageError("give NUMBERS, such as 3 3 8 8, or --own-digits")
    hand = hand_of(words, game)
    target_range = targets or range(game.targets[0], game.targets[1] + 1)
    if with_ways and not SOLUTIONS.can_do(game):
        print_to_stderr("--ways counts solutions of + - x : only: these are plainest formulas")
        with_ways, with_forms = False, True
    query = HandQuery(hand, game, work)
    rows: list[Row]
    if with_ways:
        rows = _rows_with_ways(query, target_range)
    elif with_forms:
        trees = values.find_plainest(query, None, target_range)
        rows = [
            {
                "target": target,
                "reached": target in trees,
                "form": text_of(trees[target], game.style) if target in trees else None,
            }
            for target in target_range
        ]
    else:
        if work is None and (needs := forecasts.needs_of(query)):
            print_to_stderr(needs)
        found = values.find_reachable(query, target_range, checkpoint)
        rows = [{"target": target, "reached": target in found} for target in target_range]
    if scores_operators(game, len(hand)):
        most_points = values.find_most_points(query, target_range)
        rows = [row | {"points": most_points.get(row["target"])} for row in rows]
    warn_if_not_dealt(hand, game)
    missed = [row["target"] for row in rows if not row["reached"]]
    if missed and not opt.chooses_parentheses():
        _suggest_other_game(hand, game, missed, work)
    if form != "table":
        show(rows, form)
        return
    reached = [row["target"] for row in rows if row["reached"]]
    if (with_ways or with_forms) and reached:
        shown = ("written", "distinct") if "written" in rows[0] else ("ways",)
        keys = ["target", *shown, "level"] if with_ways else ["target", "form"]
        keys += ["points"] * ("points" in rows[0])
        show([row for row in rows if row["reached"]], form, keys)
        echo()
    lists = [("reached", reached), ("missed", missed)]
    for points in sorted({row["points"] for row in rows if row.get("points")}, reverse=True):
        with_points = [row["target"] for row in rows if row["points"] == points]
        lists.append((f"{points} points", with_points))
    width = max(9, *(len(name) + 1 for name, _ in lists))
    for name, listed in lists:
        text = f"{len(listed)} of {len(target_range)}: {format_numbers(listed) or 'none'}"
        echo("\n".join(_list_lines(f"{name:{width}}", text)))
    # Larger intermediate results, beyond the limit on bits, could make a missed target.
    if missed and (limit := RULES["bits"].sentence(game)):
        echo(str(limit))


def _show_own_digits(
    numbers: range, game: Game, work: int | None, form: str, with_forms: bool
) -> None:
    if numbers[0] < 0:
        raise click.UsageError(f"--own-digits: {numbers[0]} has a sign (expected 0 or more)")
    with progress_bar("numbers", len(numbers)) as progress:
        found = values.find_own_digits(numbers, game, work, progress)
    rows = [{"target": number, "form": text_of(tree, game.style)} for number, tree in found.items()]
    if form != DEFAULT_FORMAT or with_forms:
        show(rows, form, ["target", "form"])
    if form == DEFAULT_FORMAT:
        text = f"{len(rows)} of {len(numbers)}: {format_numbers([*found]) or 'none'}"
        echo("\n".join([*[""] * with_forms, *_list_lines("reached  ", text)]))


def _list_lines(head: str, text: str) -> list[str]:
    """Return a list of numbers after a head, wrapped between numbers to fit the terminal."""
    width = (screen.terminal_width() or len(head) + len(text)) - len(head)
    width = max(_MIN_COLUMNS, width)
    parts = re.findall(rf".{{1,{width}}}$|.{{1,{width}}}(?<=,)|[^,]+,?", text)
    return [(" " * len(head) if index else head) + part for index, part in enumerate(parts)]


def _rows_with_ways(query: HandQuery, targets: range) -> list[Row]:
    bounds = targets[0], targets[-1]
    counts = values.find_solution_counts(query, bounds, targets)
    grades = effort.grade_targets(query, bounds, targets)
    has_forms = query.game.in_order and query.game.parentheses
    written_counts = written.find_written_counts(query, targets) if has_forms else {}
    rows = []
    for target in targets:
        ways, grade = counts.get(target, 0), grades.get(target)
        row: Row = {"target": target, "reached": target in counts, "ways": ways}
        if has_forms:
            row |= {"written": written_counts[target], "distinct": ways}
        rows.append(row | {"bits": grade and grade.bits, "level": grade and grade.level})
    return rows
