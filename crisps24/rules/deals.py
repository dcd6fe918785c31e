"""The hands that a game can deal: count, list and index them, and read and check one.

A hand is a sorted choice of `length` numbers of the game: any numbers if `game.repeats`, otherwise
each number at most as often as the game has it. *Copies* are the pairs (number, how often a hand
can have it) of a game, ascending: (1, 2) and (5, 1) make the hands (1, 1) and (1, 5). Hands are in
ascending order, and are counted without listing them by adding one number of the game at a time:
with counts[k] hands of k numbers so far, a number that can occur m times leads to
counts[k] + counts[k - 1] + ... + counts[k - m].

In a game with dice, a hand is a throw: each number takes a die of its own that has this number.
That is possible if, both sorted, no number is larger than the die at its place; so the smallest of
k numbers needs k dice that have it.

Games are refused if they deal more than `MAX_HANDS` hands, or hands of more than `MAX_HAND_SIZE`
numbers.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from decimal import Decimal
from itertools import combinations, combinations_with_replacement, islice
from numbers import Rational, Real
from operator import neg

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.messages.message import Clauses, Count, Message, Spaced, message
from crisps24.rules.characters import normalise, split_words
from crisps24.rules.exact import VALUE_LIMIT, Exact, is_row, size_of, to_exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.operators import MINUS_PATTERN
from crisps24.rules.words import format_numbers, parse_value

MAX_HANDS = 1_000_000
# A survey lists more, if a forecast of its time and memory allows that many.
MAX_SURVEYED_HANDS = 12_000_000
MAX_HAND_SIZE = 99
_MAX_DIGITS = 30
# A hand of a caller: numbers, or a text of numbers for `parse_hand`.
HandLike = Sequence[Exact | Decimal | float | str] | str
_INTEGER = re.compile(rf"({MINUS_PATTERN}?)([0-9]+)")


def list_hands(game: Game, most: int = MAX_HANDS) -> list[Hand]:
    """Return all hands of a game, each once, in ascending order."""
    count_hands(game, most)
    return list(iter_hands(game))


def count_hands(game: Game, most: int = MAX_HANDS) -> int:
    """Return the number of hands that a game can deal, without listing them."""
    _check_game(game)
    count_of_hands = 0
    # Add one number of the game at a time, and stop as soon as there are too many hands.
    for counts in _counts_by_size(max_copies(game)[::-1], game.length, game.dice):
        count_of_hands = counts[game.length]
        if count_of_hands > most:
            hand = Spaced(game.numbers[:4])
            reason = message("hand.too_many", game=game.name, most=Count(most))
            raise RefusedError(reason, "advice.reach", hand=hand, game=game.name)
    return count_of_hands


def _check_game(game: Game) -> None:
    if game.in_order:
        raise RefusedError(f"{game.name} deals no hands in order")
    if game.length > MAX_HAND_SIZE:
        raise RefusedError(message("hand.too_long", most=MAX_HAND_SIZE))


class HandIndex:
    """The hands of a game by index, in ascending order, without listing or limiting them.

    Its size is the number of different numbers times the length; one hand takes a binary search
    for each of its numbers.
    """

    def __init__(
        self, copies: Sequence[tuple[Exact, int]], length: int, dice: Sequence[int] = ()
    ) -> None:
        """Index the hands of `length` numbers of some copies, or the throws of dice among them."""
        self._copies = copies
        self._length = length
        counts = [[1] + [0] * length, *_counts_by_size(copies[::-1], length, dice)]
        # _hands_from[k][i] counts the hands of k numbers that only have numbers from copies[i:].
        self._hands_from = list(zip(*counts[::-1], strict=True))
        self.count = counts[-1][length]

    @classmethod
    def of_game(cls, game: Game) -> "HandIndex":
        return cls(max_copies(game), game.length, game.dice)

    def hand_at(self, index: int) -> Hand:
        """Return the hand at an index from 0 to `count` - 1, which is not checked."""
        hand: list[Exact] = []
        # The rest of the hand has `missing` numbers, all from self._copies[start:]. `index` is its
        # index among all such rests.
        start, missing = 0, self._length
        while missing:
            # Rests are sorted by their smallest number. A binary search finds the last start from
            # which there are enough rests up to the end of the list.
            hands_from = self._hands_from[missing]
            hands_to_end = hands_from[start] - index
            start = bisect_right(hands_from, -hands_to_end, lo=start + 1, key=neg) - 1
            index = hands_from[start] - hands_to_end
            number, max_count = self._copies[start]
            start += 1
            # Of the rests that start with this number, those with more copies of it come first.
            for count in range(min(max_count, missing), 0, -1):
                hands_with_count = self._hands_from[missing - count][start]
                if index < hands_with_count:
                    break
                index -= hands_with_count
            hand += [number] * count
            missing -= count
        return tuple(hand)


def max_copies(game: Game) -> list[tuple[Exact, int]]:
    """Return the copies of a game."""
    copies = sorted(Counter(game.numbers).items())
    return [(number, game.length) for number, _ in copies] if game.repeats else copies


def _counts_by_size(
    copies: Iterable[tuple[Exact, int]], length: int, dice: Sequence[int]
) -> Iterator[list[int]]:
    """Yield, after each pair of copies, the number of hands of each size up to `length`.

    The copies are descending, so that each number is the smallest of the hands that it is added to.
    """
    counts = [1] + [0] * length
    for number, max_count in copies:
        # The largest size of a hand with this number.
        most = sum(number <= die for die in dice) if dice else length
        # A hand of `size` numbers has 0 to max_count copies of this number; add up the hands of the
        # numbers before it that have the other size - max_count to size numbers.
        counts = [
            sum(counts[max(0, size - max_count) : size + 1]) if size <= most else counts[size]
            for size in range(length + 1)
        ]
        yield counts


def iter_hands(game: Game) -> Iterator[Hand]:
    """Return a lazy iterator over all hands of a game, like `list_hands` without its limits."""
    if game.repeats and not game.dice:
        return combinations_with_replacement(game.numbers, game.length)
    if len(set(game.numbers)) == len(game.numbers) and not game.dice:
        return combinations(game.numbers, game.length)
    index = HandIndex.of_game(game)
    return map(index.hand_at, range(index.count))


def largest_numbers(game: Game) -> list[Exact]:
    """Return the hand of a game with the largest numbers by `size_of`, ascending.

    If another hand is sorted in the same way, it has no larger number at any position.
    """
    _check_game(game)
    if game.dice:
        return [*game.dice]
    largest = sorted(game.numbers, key=size_of)[-game.length :]
    return largest[-1:] * game.length if game.repeats else largest


def parse_hand(words: Sequence[str], game: Game) -> Hand:
    """Return the numbers of a hand that a user typed as words: `4 3 8 4`, `Q 3/4 ½`, or `4384`.

    A single word is split into digits if all numbers of the game are single digits. The game need
    not have the numbers, and the hand can be empty.
    """
    number_by_letter = dict(game.letters)
    numbers: list[Exact] = []
    words = [normalise(word) for word in words]
    if len(words) == 1:
        words = _split_digits(words[0], game)
    for word in words:
        match = _INTEGER.fullmatch(word)
        if word.upper() in number_by_letter:
            numbers.append(number_by_letter[word.upper()])
        elif match is None:
            numbers.append(_parse_fraction(word, game))
        elif len(match[2]) > _MAX_DIGITS:
            raise RefusedError(message("formula.number_too_long", most=_MAX_DIGITS))
        else:
            numbers.append(-int(match[2]) if match[1] else int(match[2]))
    if numbers:
        check_hand_size(numbers)
    return tuple(numbers)


def _parse_fraction(word: str, game: Game) -> Exact:
    """Return the number of a word such as `3/4`, `0.75`, `0,75` or `1½`."""
    try:
        number = parse_value(word)
    except RefusedError:
        if game.letters and "," not in word:
            letters = ", ".join(letter for letter, _ in game.letters)
            reason = message("hand.number_or_letter", text=quoted(word), letters=letters)
            raise RefusedError(reason) from None
        if game.fractions:
            raise
        raise RefusedError(message("hand.number", text=quoted(word))) from None
    if size_of(number) >= 10**_MAX_DIGITS:
        raise RefusedError(message("formula.number_too_long", most=_MAX_DIGITS))
    check_fraction(number, game, word)
    return number


def check_fraction(number: Exact, game: Game, typed: str = "") -> None:
    """Raise RefusedError for a fraction, shown as `typed`, in a game without fractions."""
    if number.denominator != 1 and not game.fractions:
        reason = message("rules.fraction", number=typed or number)
        raise RefusedError(reason, "advice.option", option="--fractions")


def _split_digits(word: str, game: Game) -> Sequence[str]:
    """Return the numbers, as texts, of a hand that was typed as one word."""
    if not re.fullmatch("[0-9]{2,30}", word):
        return [word]
    if game.has_only_digits:
        return word
    if game.length == 1 and int(word) in game.numbers:
        return [word]
    suggestion = " ".join(_suggest_split(word, game))
    raise RefusedError(message("hand.one_number", text=word, meant=suggestion))


def _suggest_split(word: str, game: Game) -> Sequence[str]:
    """Split digits into `game.length` numbers of a game, 1 10 7 8, or else into digits."""
    numbers = set(map(str, game.numbers))
    # splits[end, count] is a split of the first `end` digits into `count` numbers, if there is one.
    splits: dict[tuple[int, int], tuple[str, ...]] = {(0, 0): ()}
    for end in range(1, len(word) + 1):
        for start, count in list(splits):
            number = word[start:end]
            if number in numbers:
                splits.setdefault((end, count + 1), (*splits[start, count], number))
    return splits.get((len(word), game.length), word)


def check_hand_size(hand: Sequence[object]) -> None:
    if not hand:
        raise RefusedError(message("hand.empty"))
    if len(hand) > MAX_HAND_SIZE:
        raise RefusedError(message("hand.too_long", most=MAX_HAND_SIZE))


def to_hand(numbers: HandLike, game: Game) -> Hand:
    """Return a hand in the given order, from numbers or from text; the game need not have them."""
    if isinstance(numbers, str):
        numbers = parse_hand(split_words(numbers), game)
    if not isinstance(numbers, tuple | list):
        if not is_row(numbers) or isinstance(numbers, Set):
            raise KindError(
                f"invalid hand {quoted(numbers)} (expected numbers, such as (4, 3, 8, 4))"
            )
        # An iterator can be endless: read only one number too many.
        numbers = list(islice(numbers, MAX_HAND_SIZE + 1))
    # Nearly always, all numbers are ints: then one comparison is enough.
    are_ints = True
    for number in numbers[: MAX_HAND_SIZE + 1]:
        if type(number) is not int:
            are_ints = False
            is_whole = isinstance(number, Real) and float(number).is_integer()
            if not (is_whole or isinstance(number, Rational | Decimal | str)):
                key, name = "formula.target_no_number", "word"
                if not game.fractions:
                    key, name = "hand.number", "text"
                raise RefusedError(message(key, **{name: quoted(number)}))
    check_hand_size(numbers)
    if not are_ints and any(isinstance(number, str) for number in numbers):
        return parse_hand(list(map(str, numbers)), game)
    if are_ints and max(map(abs, numbers)) < VALUE_LIMIT:
        return tuple(numbers)
    hand = tuple(
        to_exact(each if isinstance(each, Rational | Decimal) else int(each)) for each in numbers
    )
    for number in hand:
        check_fraction(number, game)
    return hand


def deal_problem(hand: Sequence[Exact], game: Game, *, complete: bool = True) -> Message | None:
    """Return why a game cannot deal a hand, or a part of one unless `complete`; None if it can."""
    copies = Counter(game.numbers)
    for number, count in Counter(hand).items():
        if not copies[number]:
            known_numbers = format_numbers(sorted(copies))
            return message("formula.no_number", number=number, known=known_numbers)
        if count > copies[number] and not game.repeats:
            values = {"number": number, "most": _times(copies[number]), "times": _times(count)}
            return message("answer.dealt_not", game=game.name, **values)
    if len(hand) > game.length or (complete and len(hand) < game.length):
        return message("answer.deals", game=game.name, count=game.length, given=len(hand))
    # The largest number takes the largest die, and so on. If that fails, no die is left for the
    # largest number after the others have theirs.
    largest = sorted(hand, reverse=True)
    if any(number > die for number, die in zip(largest, game.dice[::-1], strict=False)):
        return message("answer.no_die", number=largest[0], dice=game.dice)
    return None


def check_numbers(
    hand: Sequence[Exact], game: Game, *, complete: bool = True, form: str = "{} -> {}"
) -> None:
    """Raise RefusedError for a hand whose numbers, or how many they are, a game does not have.

    Without `complete`, the hand can have fewer numbers. `form` is how to write a target.
    """
    if len(hand) == game.length and set(hand).issubset(game.numbers):
        return
    missing = [number for number in hand if number not in game.numbers]
    if len(hand) > game.length or (complete and len(hand) < game.length):
        reason = message("answer.deals", game=game.name, count=game.length, given=len(hand))
        *numbers, last = hand or (0,)
        if len(numbers) == game.length and (last in missing or game.target in (None, last)):
            line = form.format(format_hand(numbers), last)
            advice = message("lines.target", target=last, line=line)
            reason = message("list.then", first=reason, then=advice)
        raise RefusedError(reason, "advice.option", option=f"--length {len(hand)}")
    if missing:
        known = format_numbers(sorted({*game.numbers}))
        more = format_numbers(sorted({*game.numbers, *missing}))
        reason = message("formula.no_number", number=missing[0], known=known)
        raise RefusedError(reason, "advice.option", option=f"--numbers {more}")


def format_hand(hand: Sequence[Exact]) -> str:
    """Return a hand as text for `parse_hand`: its numbers, separated by spaces."""
    return " ".join(map(str, hand))


def usage_problem(
    used: Sequence[Exact], hand: Sequence[Exact], *, all_numbers: bool
) -> Message | None:
    """Return which numbers of a hand a formula with the numbers `used` uses wrongly, or None."""
    if sorted(used) == sorted(hand):
        return None
    not_in_hand = tuple(sorted({number for number in used if number not in hand}))
    unused = tuple(sorted({number for number in hand if all_numbers and number not in used}))
    clauses = []
    if not_in_hand:
        clauses.append(message("answer.not_in_hand", count=len(not_in_hand), numbers=not_in_hand))
    for number in sorted(set(hand)):
        # Hands are short: `count` takes less time than a Counter.
        times, most = used.count(number), hand.count(number)
        if times > most or (all_numbers and 0 < times < most):
            values = {"number": number, "times": _times(times)}
            if most > 1:
                clauses.append(message("answer.used_not", **values, most=_times(most)))
            else:
                clauses.append(message("answer.used_times", **values))
    if unused:
        clauses.append(message("answer.not_used", count=len(unused), numbers=unused))
    if len(clauses) < 2:
        return clauses[0] if clauses else None
    return message("answer.numbers", clauses=Clauses(clauses))


def _times(count: int) -> Message:
    """Return "once", "twice" or "3 times" as a message."""
    if count in (1, 2):
        return message("times.once" if count == 1 else "times.twice")
    return message("times.many", count=count)
