"""Whether a call that is named to a person would be a wrong lead, which is worse than none.

A lead leaves out words of the person, and says so. It is wrong if it leaves out more than it says;
if a number, a formula, a file or a condition is lost, without which the question is another one; or
if the call misses what its command needs.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain, pairwise
from pathlib import Path

from crisps24.cli.options import STANDARD
from crisps24.cli.spelling import OPTIONS, WORDS
from crisps24.cli.starts import meant_start
from crisps24.cli.typed_words import FILE, TypedWords
from crisps24.rules.characters import normalise
from crisps24.rules.ids import is_id

_FLAGS = set[str]().union(*(words for meaning, words in OPTIONS.items() if "{}" not in meaning))


def is_wrong_lead(
    call: Sequence[Sequence[str]], words: Sequence[str], typed: TypedWords, is_known: bool
) -> bool:
    """Return whether a call leaves out more than it says, or what makes it another question.

    If no word was known as that of a command, words without meaning do not count as said.
    """
    [name, *_], left_out = call[0], typed.left_out
    are_options = [word.startswith("-") for word in left_out]
    # An option and its value are one thing.
    count_left = max(Counter(are_options).values(), default=0)
    with_values = sum(len(option) > 1 for option in typed.options)
    talk = set() if is_known else WORDS["ignored"]
    said = [word for word in re.split(r"[\s,=]+", " ".join(words)) if word not in talk]
    count_kept = len(said) - len([*" ".join(left_out).split()]) - with_values
    # What can be done with a file is clear from the file, and words beside a formula are talk.
    exists = [Path(file).exists() or file == STANDARD for file in typed.holes["file"]]
    is_clear = any(exists) or (typed.holes["formula"] and not any(are_options))
    bare_words = [word for word in words[1:] if not word.startswith("-")]
    return bool(
        (count_left > count_kept and not is_clear)
        # An example is no lead for words of another kind.
        or (typed.has_example and (bare_words or not all(are_options)))
        or not all(exists)
        or any(map(_is_condition, left_out))
        or _is_incomplete(name, typed)
        or (name == "solve" and 0 < len(typed.holes["numbers"]) < 3 and left_out)
        or _loses_numbers(call, words, typed)
    )


def _is_condition(word: str) -> bool:
    """Return whether a word is an option with a meaning but no value: `--unsolvable`."""
    return word[:2] == "--" and (word[2:] in _FLAGS or meant_start(word) != "")


def _is_incomplete(name: str, typed: TypedWords) -> bool:
    """Return whether a command would miss a formula, a hand, or the target of its game."""
    holes = typed.holes
    if holes["file"] or typed.has_example:
        return False
    if name in ("count", "formulas", "results"):
        # `expressions 4` asks for those of four numbers.
        return typed.game.parentheses or any(len(goal) == 1 for goal in holes["targets"])
    has_puzzle = any(map(is_id, holes["numbers"]))
    has_target = holes["target"] or typed.game.target is not None or has_puzzle
    if holes["numbers"] and name != "reach" and not has_target:
        return True
    is_short = name == "solve" and len(holes["numbers"]) < 2 and not has_puzzle
    return is_short or (name in ("check", "judge") and not holes["formula"])


def _loses_numbers(call: Sequence[Sequence[str]], words: Sequence[str], typed: TypedWords) -> bool:
    """Return whether a digit that was typed is neither said nor the value of an option."""
    left_out = typed.left_out
    # A large number is how many.
    is_part = re.compile(r"[=(]|\d{3}").search
    values = [v for o, v in pairwise(left_out) if o.startswith("-") and not is_part(v)]
    units = [word for word in left_out if " " in word or FILE.fullmatch(word)]
    kept = [*chain(*call), *values, *units, str(typed.game.target), typed.game.name]
    return bool(_digits(words) - Counter(re.findall(r"\d", " ".join(kept))))


def _digits(words: Sequence[str]) -> Counter[str]:
    """Count the digits of numbers and formulas, but not of words such as A4 and 37%."""
    pieces = re.split(r"[\s=]+", normalise(" ".join(words)))
    return Counter(
        re.findall(r"\d", " ".join(p for p in pieces if re.fullmatch(r"[^a-wyzA-WYZ%@]*", p)))
    )
