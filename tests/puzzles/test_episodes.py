"""Episodes: what can still be won is exact, and rewards cannot be earned by detours."""

import json
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from operator import add, mul, sub, truediv
from random import Random
from typing import Any

import pytest

from crisps24 import GAMES, CrispsError, Episode, Puzzle, deal, puzzle_of
from crisps24.notation.workings import terms_of
from crisps24.puzzles import reach
from crisps24.puzzles.episodes import Observation
from crisps24.puzzles.rounds import Round
from crisps24.rules.exact import int_if_whole
from tests.sampling import EVERY, in_one_test
from tests.tables import rows_of

Triple = tuple[Any, str, Any]
FIVE = ["cards", "make10", "crisps", "countdown", "krypto"]
ONCE = replace(GAMES["cards"], once=True)
SIGNS: dict[str, Any] = {"+": add, "-": sub, "x": mul, ":": truediv}
CARDS, FLAT, TILES = "cards:4.6.8.10=24", "crisps:1.2.4.8=16", "countdown:75.50.25.6=725"


def steps_of(values: Sequence[Any], puzzle: Puzzle) -> Iterator[tuple[Triple, list[Fraction]]]:
    """Yield each step whose result the game allows, and the values after it."""
    game = puzzle.game
    for one, other in permutations(range(len(values)), 2):
        rest = [Fraction(value) for place, value in enumerate(values) if place not in (one, other)]
        for sign in game.operators:
            if sign != ":" or values[other]:
                result = SIGNS[sign](Fraction(values[one]), Fraction(values[other]))
                is_whole = game.fractions or result.denominator == 1
                if is_whole and (result > 0 or game.negatives or (game.zero and result == 0)):
                    yield (values[one], sign, values[other]), [*rest, result]


def text_of_step(step: Triple) -> str:
    values = (Fraction(value) for value in step[::2])
    left, right = (f"{v}" if v.denominator == 1 and v >= 0 else f"({v})" for v in values)
    return f"{left} {step[1]} {right}"


def can_win(
    values: Sequence[Any], puzzle: Puzzle, taken: tuple[str, ...], known: dict[Any, bool]
) -> bool:
    """Try all steps. If formulas have rules, `check` judges each complete working."""
    game, flat = puzzle.game, puzzle.game.once or not puzzle.game.parentheses
    is_answer = len(values) == 1 or not game.all_numbers
    if is_answer and not {*values}.isdisjoint(puzzle.accepted_values):
        return not flat or puzzle.check(", ".join(taken)).verdict == "right"
    key = taken if flat else tuple(sorted(values))
    if key not in known:
        known[key] = any(
            can_win(rest, puzzle, (*taken, f"{text_of_step(step)} = {rest[-1]}"), known)
            for step, rest in steps_of(values, puzzle)
        )
    return known[key]


def random_puzzle(name: str, random: Random) -> Puzzle:
    length = random.choice((3, 4, 4))
    game = replace(ONCE if name == "once" else GAMES[name], length=length, dice=())
    [puzzle] = deal(game, seed=random.randrange(10**9), target=24 if game.target is None else None)
    is_hard = name != "crisps" and random.random() < 0.2
    return Puzzle(puzzle.hand, random.randint(1, 99), game) if is_hard else puzzle


@pytest.mark.parametrize("name", [*FIVE, "once"])
def test_whether_a_state_can_be_won_is_exact(name: str) -> None:
    random, states, won = Random(name), 2000 if EVERY else 60, 0
    while states:
        episode = Episode(random_puzzle(name, random))
        observation, known = episode.reset(), dict[Any, bool]()
        while not observation.done and len(observation.left) > 1 and states:
            choices = [step for step, _ in steps_of(observation.left, episode.puzzle)]
            observation = episode.step(random.choice(choices))
            taken = observation.working.steps
            is_flat = name in ("crisps", "once")
            # Two equal numbers can be read in two ways in a working.
            is_clear = not is_flat or len({*observation.left}) == len(observation.left)
            if observation.legal and is_clear and len(observation.left) < 4:
                expected = can_win(observation.left, episode.puzzle, taken, known)
                assert observation.can_still_win == expected, (episode.puzzle, taken)
                states, won = states - 1, won + expected
    assert won > 1


@pytest.mark.parametrize("name", ["countdown", "numble", "mathador", "krypto"])
def test_states_of_large_hands_are_exact_too(name: str) -> None:
    random = Random(name)
    for puzzle in deal(name, 20 if EVERY else 2, seed=5):
        episode, known = Episode(puzzle), dict[Any, bool]()
        observation = episode.observation
        while not observation.done and len(observation.left) > 1:
            choices = [step for step, _ in steps_of(observation.left, puzzle)]
            observation = episode.step(random.choice(choices))
            if len(observation.left) < 5:
                expected = can_win(observation.left, puzzle, (), known)
                assert observation.can_still_win == expected, (puzzle, observation.working.steps)


def test_the_cache_of_a_hand_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reach, "_MAX_CACHED", 3)
    search = reach.Reach((4, 6, 8, 10), GAMES["cards"], [24])
    for last in range(20):
        won = can_win([4, 8, last], puzzle_of(CARDS), (), {})
        assert search.can_make(terms_of((4, 8, last))) == won
        # States above the last one are added after it.
        assert len(search._known) <= 3 + 3


def play(puzzle: str, steps: Sequence[Any], **settings: Any) -> Observation:
    episode = Episode(puzzle_of(puzzle), **settings)
    return [episode.step(step) for step in steps][-1]


def step_in(text: str) -> Any:
    """Return a step of `plays.csv`: of a text in brackets, a triple."""
    if not text.startswith("["):
        return text
    left, sign, right = text[1:-1].split()
    return int_if_whole(Fraction(left)), sign, int_if_whole(Fraction(right))


@in_one_test("row", *rows_of("plays.csv"))
def test_a_play_has_codes_and_rewards(row: dict[str, str]) -> None:
    puzzle, code, reward = row["puzzle"], row["code"], int(row["reward"])
    steps = [step_in(text) for text in row["steps"].split("|")]
    last = play(puzzle, steps)
    assert (last.code, " ".join(map(str, last.left))) == (code, row["left"])
    assert (last.can_still_win, last.reward) == (row["won"] == "yes", reward)
    assert last.done == (reward == 1 or code == "solvable")
    assert last.legal == (code in ("ok", "no-solution"))
    # The last step of the limit has its reward.
    at_limit = play(puzzle, steps, limit=len(steps))
    assert (at_limit.done, at_limit.reward) == (True, reward)
    assert pickle.loads(pickle.dumps(last)) == last


def test_texts_and_triples_are_the_same_steps_as_in_rounds() -> None:
    random = Random(7)
    for name in FIVE:
        for _ in range(40 if EVERY else 6):
            puzzle = random_puzzle(name, random)
            current, by_text, by_triple = Round(puzzle), Episode(puzzle), Episode(puzzle)
            while len(current.left) > 1 and not current.result:
                a, b = random.sample(current.left, 2)
                sign = random.choice([*SIGNS])
                text = f"{text_of_step((a, sign, b))} ="
                current, reply = current.play(text)
                one, other = by_text.step(text.removesuffix("=")), by_triple.step((a, sign, b))
                assert one.working.left == other.working.left == current.left
                assert one.code == other.code == (reply.error.code if reply.error else "ok")
                assert one.done == other.done == (current.result == "right")
                if not one.legal:
                    break


def test_what_remains_is_shown_as_formulas() -> None:
    episode = Episode(puzzle_of(FLAT))
    assert episode.step((1, "+", 2)).formulas == ("4", "8", "1 + 2")
    assert episode.step((8, "+", 3)).formulas == ("4", "8 + 1 + 2")


def test_partial_credit_is_only_given_at_the_end() -> None:
    steps = ["75 + 50 = 125", "125 x 6 = 750", "750 + 25 = 775"]
    assert [play(TILES, steps[:count], partial=0.5).reward for count in (1, 2, 3)] == [0, 0, 0]
    assert play(TILES, steps[:2], partial=0.5, limit=2).reward == 0.5 / 26
    assert play(CARDS, ["4 + 6", "10 + 8", "18 + 10"], partial=0.5, limit=3).reward == 0.1
    assert play(CARDS, ["4 + 6"], partial=0.5, limit=1).reward == 0
    assert play(CARDS, ["4 + 6", "no solution"], partial=0.5).reward == 0
    assert play(CARDS, ["4 + 6 + 8 + 10", "1"], partial=0.5, limit=2).reward == 0.1


def test_detours_earn_nothing() -> None:
    random, discount = Random(5), 0.9
    puzzles = [random_puzzle(name, random) for name in FIVE for _ in range(4)]
    for _ in range(10_000 if EVERY else 150):
        settings: dict[str, Any] = {"limit": random.randint(1, 15)}
        settings["partial"] = random.choice((0, 0.5))
        puzzle = random.choice(puzzles)
        shaped = Episode(puzzle, **settings, process=0.5, discount=discount)
        plain = Episode(puzzle, **settings)
        first = shaped.observation.can_still_win
        earned = [0.0, 0.0]
        while not shaped.observation.done:
            left = shaped.observation.left
            triple = (random.choice(left), random.choice([*SIGNS]), random.choice(left))
            others = ["undo", "undo", "restart", "1 +", (0, "x", 0), "no solution"]
            step: Any = random.choice([triple, triple, triple, *others])
            factor = discount**shaped._count
            for place, episode in enumerate((shaped, plain)):
                earned[place] += factor * episode.step(step).reward
        # Whatever the steps, shaping adds the same to a play of this puzzle.
        assert earned[0] - earned[1] == pytest.approx(-0.5 * first)
        assert plain.observation.done
        assert 0 <= earned[1] <= 1
        ended = shaped.step((1, "+", 1))
        assert (ended.code, ended.reward, ended.done, ended.legal) == ("ended", 0, True, False)


@in_one_test(
    ("call", "reason"),
    (lambda: Episode(24), "invalid puzzle 24"),  # type: ignore[arg-type]
    (lambda: Episode(puzzle_of("make10:1.2.3.4=10,join=yes")), "has no episodes"),
    (lambda: Episode(puzzle_of("cards:4.4.4.4=24,operators=+!")), "has no episodes"),
    (lambda: Episode(puzzle_of("crisps:1.2.3.4=10,most=20")), "has no episodes"),
    (lambda: Episode(Puzzle((1, 2), 3, in_order=True)), "does not keep the order"),
    (lambda: Episode(Puzzle(range(1, 8), 24)), "with 7 numbers has no episodes"),
    (lambda: Episode(puzzle_of(CARDS)).step(5), "invalid step 5 "),  # type: ignore[arg-type]
    (lambda: Episode(puzzle_of(CARDS)).step((4, "+", 6.5)), "6.5 is not exact"),  # type: ignore[arg-type]
)
def test_what_an_episode_cannot_decide_is_refused(call: Any, reason: str) -> None:
    with pytest.raises(CrispsError, match=reason):
        call()


@in_one_test(
    ("host", "inside", "name"),
    ("openai", "function", "parameters"),
    ("anthropic", "", "input_schema"),
    ("mcp", "", "inputSchema"),
)
def test_a_tool_has_the_schema_of_its_host(host: str, inside: str, name: str) -> None:
    tool = Episode(CARDS).tool(host)
    parts = tool[inside] if inside else tool
    schema = parts[name]
    assert json.loads(json.dumps(tool)) == tool
    assert parts["name"] == "step"
    assert "to make 24" in parts["description"]
    assert "4 6 8 10" in parts["description"]
    assert schema["required"] == list(schema["properties"]) == ["step"]
    with pytest.raises(CrispsError, match=r"unknown host 'x' .expected openai, anthropic, mcp"):
        Episode(CARDS).tool("x")


@in_one_test("puzzle", CARDS, FLAT, TILES)
def test_calls_of_a_tool_are_steps(puzzle: str) -> None:
    random = Random(24)
    for _ in range(20):
        called, stepped = (Episode(puzzle, limit=9, process=0.5) for _ in range(2))
        while not stepped.observation.done:
            left, right = random.choice("12346x"), random.choice(["4", "8", "50", "", "undo"])
            step: Any = random.choice([f"{left} {random.choice('+-x:')} {right}", right, 5, None])
            forms = [{"step": step}, json.dumps({"step": step}), {}, "{", [step]]
            arguments: Any = random.choice(forms)
            is_read = isinstance(arguments, dict | str) and arguments not in ({}, "{")
            text = called.call(arguments)
            seen = stepped.step(step if is_read and isinstance(step, str) else "")
            assert called.observation == seen
            assert text.startswith(f"{seen.code if is_read and isinstance(step, str) else 'argu'}")
            assert text.endswith("solved") == seen.done
        assert called.call({"step": "undo"}).startswith("ended; ")
        # A loop that reads the reward after each call counts it once.
        assert (called.observation.code, called.observation.reward) == ("ended", 0)
