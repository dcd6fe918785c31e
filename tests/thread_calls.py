"""The first calls of a process, by 16 threads at once: `python -m tests.thread_calls`.

It prints the answer of each call, as JSON; with `--alone`, of one thread. Nothing of the package is
used before, and threads switch as often as they can.
"""

import json
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from threading import Barrier
from types import SimpleNamespace

import crisps24

_THREADS = 16
# Games, changed operators and LaTeX have grammars of their own.
_ANSWERS = [
    ("crisps:4.3.8.4=24", "4 + 3 x 8 - 4"),
    ("cards:3.3.8.8=24", r"\frac{8}{3 - \frac{8}{3}} = 24"),
    ("cards:1.3.2.2=24,operators=-+x:^", "(1 + 2) x 2 ^ 3"),
    ("cards:4.4.3=24,operators=-+x:!", "4! / (4 - 3)"),
    ("countdown:100.50.3.7.9.1=147", "100 + 50 - 3"),
    ("digits:1.2.8=96", "8 x 12"),
    ("numble:9.8.7.6.5=66", "9 x 8 - 6 ="),
    ("make10:1.1.9.9=10", "<answer>(1 : 9 + 1) x 9</answer>"),
]


def _rewards(id_: str, text: str) -> object:
    from crisps24.training import rewards

    truth = {"id": id_}
    return [
        rewards.trl_reward([text], id=[id_]),
        rewards.verl_score(solution_str=text, ground_truth=truth),
        rewards.tinyzero_score(text, truth),
        rewards.process_results(truth, [text]),
        rewards.reasoning_gym_score(text, {"metadata": truth}),
        rewards.verifiers_reward(SimpleNamespace(last_reply=text), id_),
        rewards.torchrl_reward(text, truth),
    ]


def _check(id_: str, text: str) -> object:
    check = crisps24.puzzle_of(id_).check(text)
    return check.verdict, str(check.value), str(check.reason)


def _search(id_: str, _: str) -> object:
    puzzle = crisps24.puzzle_of(id_)
    if "^" in id_ or "!" in id_:
        return puzzle.solvable
    return [str(solution.expression) for solution in puzzle.solutions()[:20]]


def _deal(id_: str, _: str) -> object:
    return [puzzle.id for puzzle in crisps24.deal(crisps24.puzzle_of(id_).game.name, 2, seed=24)]


def _count(id_: str, _: str) -> object:
    game = crisps24.puzzle_of(id_).game
    game = crisps24.GAMES["crisps"] if game.parentheses or game.large else game
    counted = [crisps24.count(target, game) for target in (24, len(id_), Fraction(1, 2))]
    return counted, [str(row) for row in list(crisps24.formulas(143, game))[:50]]


# One puzzle for all threads.
_SHARED = crisps24.Puzzle((2, 3, 4, 6), 24, crisps24.GAMES["cards"])


def _share(*_: str) -> object:
    solutions = [str(solution.expression) for solution in _SHARED.solutions()]
    return solutions, _SHARED.solvable, _SHARED.level, _SHARED.count, _SHARED.hints()


CALLS: dict[str, Callable[[str, str], object]] = {
    "judge": lambda id_, text: repr(crisps24.judge(text, id_)),
    **{"check": _check, "solve": _search, "deal": _deal, "count": _count},
    **{"rewards": _rewards, "shared": _share},
}


def main() -> int:
    """Make all calls of the kinds that are named, each kind in all threads at once."""
    *kinds, alone = sys.argv[1:]
    threads = 1 if alone == "--alone" else _THREADS
    sys.setswitchinterval(1e-6)
    starts = Barrier(threads)

    def start_at_once(index: int) -> object:
        if index < threads:
            starts.wait()
        return CALLS[kinds[index % len(kinds)]](*_ANSWERS[index // len(kinds) % len(_ANSWERS)])

    calls = len(kinds) * len(_ANSWERS) * 2
    with ThreadPoolExecutor(threads) as executor:
        print(json.dumps(list(executor.map(start_at_once, range(calls))), default=str))
    return 0


if __name__ == "__main__":
    sys.exit(main())
