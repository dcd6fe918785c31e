"""The hands that a game can deal: count, list and index them, and read and check one.

A hand is a sorted choice of `length` numbers of the game: any numbers if `game.repeats`, otherwise
each number at most as often as the game has it. Hands are counted without listing them, by adding
one number of the game at a time: with counts[k] hands of k numbers so far, a number that can occur
m times leads to counts[k] + counts[k - 1] + ... + counts[k - m]. Hands are in ascending order.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, combinations_with_replacement, islice
from numbers import Integral
from operator import neg

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.messages.message import Clauses, Count, Message, Spaced, message
from crisps24.rules.characters import normalise, split_words
from crisps24.rules.exact import VALUE_LIMIT
from crisps24.rules.games import Game, Hand
from crisps24.rules.operators import MINUS_PATTERN
from crisps24.rules.words import format_numbers

# Hands of a game that are listed.
MAX_HANDS = 1_000_000
# Numbers of one hand.
MAX_HAND_SIZE = 99
_MAX_DIGITS = 30
# A hand of a caller: numbers, or a text of numbers for `parse_hand`.
HandLike = Sequence[int] | str
_INTEGER = re.compile(rf"({MINUS_PATTERN}?)([0-9]+)")


def list_hands(game: Game) -> list[Hand]:
    """Return all hands of a game, each once, in ascending order.

    >>> from crisps24 import GAMES
    >>> len(list_hands(GAMES["crisps"])), len(list_hands(GAMES["countdown"]))
    (495, 13243)

    Raises RefusedError for more than a million hands, and for hands of more than 99 numbers.
    """
    count_hands(game)
    return list(iter_hands(game))


def count_hands(game: Game) -> int:
    """Return the number of hands of a game, without listing them.

    >>> from crisps24 import GAMES
    >>> count_hands(GAMES["countdown"])
    13243

    Raises RefusedError for more than a million hands, and for hands of more than 99 numbers.
    """
    _check_length(game)
    counts: list[int] = []
    for counts in _counts_by_size(max_copies(game), game.length):
        if counts[-1] > MAX_HANDS:
            hand = Spaced(game.numbers[:4])
            reason = message("hand.too_many", game=game.name, most=Count(MAX_HANDS))
            raise RefusedError(reason, "advice.reach", hand=hand, game=game.name)
    return counts[-1]


def _check_length(game: Game) -> None:
    if game.length > MAX_HAND_SIZE:
        raise RefusedError(message("hand.too_long", most=MAX_HAND_SIZE))


class HandIndex:
    """The hands of a game by index, in ascending order, without listing them.

    Its size is the number of different numbers times the length; one hand takes a binary search
    for each of its numbers. Any number of hands is allowed.

    >>> from crisps24 import GAMES
    >>> hands = HandIndex.of_game(GAMES["krypto"])
    >>> hands.count, hands.hand_at(0), hands.hand_at(118754)
    (118755, (1, 1, 1, 1, 1), (25, 25, 25, 25, 25))
    """

    def __init__(self, copies: Sequence[tuple[int, int]], length: int) -> None:
        """Index the hands of `length` numbers, from (number, most copies) pairs, ascending."""
        self._copies = copies
        self._length = length
        counts = [[1] + [0] * length, *_counts_by_size(copies[::-1], length)]
        # _hands_from[k][i] counts the hands of k numbers from the i-th number on.
        self._hands_from = list(zip(*counts[::-1], strict=True))
        self.count = counts[-1][length]

    @classmethod
    def of_game(cls, game: Game) -> "HandIndex":
        """Return the index of all hands of a game, in the order of `list_hands`."""
        return cls(max_copies(game), game.length)

    def hand_at(self, index: int) -> Hand:
        """Return the hand at an index of the list of all hands, which is in ascending order.

        The index is from 0 to `count` - 1; other indices are not checked.

        >>> HandIndex([(1, 2), (5, 1)], 2).hand_at(1)
        (1, 5)

        The hands of two numbers from 1, 1 and 5 are (1, 1) and (1, 5).
        """
        hand: list[int] = []
        start, missing = 0, self._length
        while missing:
            # Hands with a smaller number come first: find the smallest number of this hand.
            following = self._hands_from[missing][start] - index
            start = bisect_right(self._hands_from[missing], -following, lo=start + 1, key=neg) - 1
            index = self._hands_from[missing][start] - following
            number, most = self._copies[start]
            start += 1
            # Hands with more copies of this number come first: find how many this hand has.
            for copies in range(min(most, missing), 0, -1):
                if index < self._hands_from[missing - copies][start]:
                    break
                index -= self._hands_from[missing - copies][start]
            hand += [number] * copies
            missing -= copies
        return tuple(hand)


def max_copies(game: Game) -> list[tuple[int, int]]:
    """Return (number, most copies in one hand) for each number of a game, ascending.

    >>> from crisps24 import GAMES
    >>> max_copies(GAMES["countdown"])[-5:]
    [(10, 2), (25, 1), (50, 1), (75, 1), (100, 1)]
    """
    copies = sorted(Counter(game.numbers).items())
    return [(number, game.length) for number, _ in copies] if game.repeats else copies


def _counts_by_size(copies: Iterable[tuple[int, int]], length: int) -> Iterator[list[int]]:
    """Count the hands of each size that can be chosen from a growing set of numbers.

    `copies` has (number, most copies in a hand) pairs. For each pair, a list is yielded whose entry
    k counts the hands of k numbers, from 0 to `length`, that use only the numbers up to this one.

    From 1 and 1 there is one hand of each size; with a 5 there are 2 hands of one number, (1) and
    (5), and 2 of two numbers, (1, 1) and (1, 5):

    >>> list(_counts_by_size([(1, 2), (5, 1)], 2))
    [[1, 1, 1], [1, 2, 2]]
    """
    counts = [1] + [0] * length
    for _, most in copies:
        counts = [sum(counts[max(0, size - most) : size + 1]) for size in range(length + 1)]
        yield counts


def iter_hands(game: Game) -> Iterator[Hand]:
    """Return an iterator over all hands of a game, in the order of `list_hands`, without limits."""
    if game.repeats:
        return combinations_with_replacement(game.numbers, game.length)
    copies = Counter(game.numbers)
    if len(copies) == len(game.numbers):
        return combinations(game.numbers, game.length)
    return _iter_multiset_hands(sorted(copies.items()), game.length)


def _iter_multiset_hands(copies: Sequence[tuple[int, int]], length: int) -> Iterator[Hand]:
    """Yield the hands of `length` numbers, if a number can occur several times in a hand.

    `copies` has (number, most copies in a hand) pairs. Pairs and hands are in ascending order.

    >>> list(_iter_multiset_hands([(1, 2), (5, 1)], 2))
    [(1, 1), (1, 5)]
    """
    if length == 0:
        yield ()
    elif sum(most for _, most in copies) >= length:
        (number, most), others = copies[0], copies[1:]
        for count in range(min(most, length), -1, -1):
            for rest in _iter_multiset_hands(others, length - count):
                yield (*[number] * count, *rest)


def largest_numbers(game: Game) -> list[int]:
    """Return the hand of a game with the largest numbers, without regard to signs.

    The numbers are in ascending order, without regard to signs. No other hand has a larger number
    at any position. Crisps can deal 9 9 9 9; numble has each of its numbers once.

    >>> from crisps24 import GAMES
    >>> largest_numbers(GAMES["crisps"]), largest_numbers(GAMES["numble"])
    ([9, 9, 9, 9], [9, 10, 25, 50, 75, 100])

    Raises RefusedError for hands of more than 99 numbers.
    """
    _check_length(game)
    largest = sorted(game.numbers, key=abs)[-game.length :]
    return largest[-1:] * game.length if game.repeats else largest


def parse_hand(words: Sequence[str], game: Game) -> Hand:
    """Return the numbers of a hand from words: whole numbers, or letters of the game's cards.

    If all numbers of the game are single digits, a single word is split into its digits.

    >>> from crisps24 import GAMES
    >>> parse_hand(["A", "10", "q", "7"], GAMES["cards"]), parse_hand(["4384"], GAMES["crisps"])
    ((1, 10, 12, 7), (4, 3, 8, 4))

    The game need not have these numbers, and the hand can be empty.

    Raises RefusedError for another word, a number of more than 30 digits, more than 99 words, and a
    single word of several digits in a game with larger numbers; the error suggests a split.
    """
    letters = dict(game.letters)
    numbers = []
    words = [normalise(word) for word in words]
    for word in _split_digits(words[0], game) if len(words) == 1 else words:
        match = _INTEGER.fullmatch(word)
        if word.upper() in letters:
            numbers.append(letters[word.upper()])
        elif match is None:
            if letters:
                known = ", ".join(letters)
                reason = message("hand.number_or_letter", text=quoted(word), letters=known)
                raise RefusedError(reason)
            raise RefusedError(message("hand.number", text=quoted(word)))
        elif len(match[2]) > _MAX_DIGITS:
            raise RefusedError(message("formula.number_too_long", most=_MAX_DIGITS))
        else:
            numbers.append(-int(match[2]) if match[1] else int(match[2]))
    if numbers:
        check_hand_size(numbers)
    return tuple(numbers)


def _split_digits(word: str, game: Game) -> Sequence[str]:
    """Return the numbers, as texts, of a hand that was typed as one word without spaces.

    4384 becomes its digits 4, 3, 8 and 4 if the game has only numbers of one digit. A word that is
    not digits, or is the only number of a hand, stays one word. In a game with larger numbers the
    word is ambiguous: RefusedError suggests a split.
    """
    if not re.fullmatch("[0-9]{2,30}", word):
        return [word]
    if 0 <= game.numbers[0] <= game.numbers[-1] <= 9:
        return word
    if game.length == 1 and int(word) in game.numbers:
        return [word]
    suggestion = " ".join(_suggest_split(word, game))
    raise RefusedError(message("hand.one_number", text=word, meant=suggestion))


def _suggest_split(word: str, game: Game) -> Sequence[str]:
    """Split a text of digits into the numbers of a hand, as a suggestion to the user.

    The result has `game.length` numbers of the game, or all digits if there is no such split.

    >>> from crisps24 import GAMES
    >>> _suggest_split("11078", GAMES["cards"]), _suggest_split("0000", GAMES["cards"])
    (('1', '10', '7', '8'), '0000')
    """
    numbers = set(map(str, game.numbers))
    # splits[end, count] is a split of the first `end` characters into `count` numbers.
    splits: dict[tuple[int, int], tuple[str, ...]] = {(0, 0): ()}
    for end in range(1, len(word) + 1):
        for start, count in list(splits):
            if word[start:end] in numbers:
                splits.setdefault((end, count + 1), (*splits[start, count], word[start:end]))
    return splits.get((len(word), game.length), word)


def check_hand_size(hand: Sequence[object]) -> None:
    """Raise RefusedError for a hand without numbers or with more than 99."""
    if not hand:
        raise RefusedError(message("hand.empty"))
    if len(hand) > MAX_HAND_SIZE:
        raise RefusedError(message("hand.too_long", most=MAX_HAND_SIZE))


def to_hand(numbers: HandLike, game: Game) -> Hand:
    """Return a hand from a caller as a tuple of ints, in the given order.

    >>> from crisps24 import GAMES
    >>> to_hand([4, 3, 8, 4], GAMES["crisps"]), to_hand("A 10 Q 7", GAMES["cards"])
    ((4, 3, 8, 4), (1, 10, 12, 7))

    Args:
        numbers: An iterable of whole numbers, or a text for `parse_hand`, with spaces or commas.
        game: The game whose letters and digits the text can have. It need not have the numbers.

    Raises:
        KindError: `numbers` is not iterable. KindError is a TypeError.
        RefusedError: the hand is empty, has more than 99 numbers, numbers that are not whole, or
            numbers of more than 4,000 digits; or the text is invalid.
    """
    if isinstance(numbers, str):
        numbers = parse_hand(split_words(numbers), game)
    if not isinstance(numbers, tuple | list):
        if not isinstance(numbers, Iterable):
            raise KindError(
                f"invalid hand {quoted(numbers)} (expected numbers, such as (4, 3, 8, 4))"
            )
        # An iterator can be endless.
        numbers = list(islice(numbers, MAX_HAND_SIZE + 1))
    for number in numbers[: MAX_HAND_SIZE + 1]:
        if type(number) is not int and not isinstance(number, Integral):
            raise RefusedError(message("hand.number", text=quoted(number)))
    check_hand_size(numbers)
    hand = tuple(map(int, numbers))
    if max(map(abs, hand)) >= VALUE_LIMIT:
        raise RefusedError(message("formula.number_too_long", most=Count(4000)))
    return hand


def deal_problem(hand: Sequence[int], game: Game, *, complete: bool = True) -> Message | None:
    """Return why a game cannot deal a hand, as a message; None if it can.

    Without `complete`, the hand can also have fewer numbers than the game deals.

    >>> from crisps24 import GAMES
    >>> print(deal_problem((10, 3, 3, 3), GAMES["crisps"]))
    10 is not in this game (only 1..9)
    >>> print(deal_problem((25, 50, 25, 100, 3, 6), GAMES["countdown"]))
    countdown has 25 once, not twice
    """
    copies, name = Counter(game.numbers), game.name
    for number, count in Counter(hand).items():
        if not copies[number]:
            known = format_numbers(sorted(copies))
            return message("formula.no_number", number=number, known=known)
        if count > copies[number] and not game.repeats:
            most, times = _times(copies[number]), _times(count)
            return message("answer.dealt_not", game=name, number=number, most=most, times=times)
    if len(hand) > game.length or (complete and len(hand) < game.length):
        return message("answer.deals", game=name, count=game.length, given=len(hand))
    return None


def format_hand(hand: Sequence[int]) -> str:
    """Return a hand as text, its numbers separated by spaces, for `parse_hand`.

    >>> format_hand((4, 3, 8, 4))
    '4 3 8 4'
    """
    return " ".join(map(str, hand))


def usage_problem(used: Sequence[int], hand: Sequence[int], *, all_numbers: bool) -> Message | None:
    """Return why the numbers of a formula are not those of a hand, as a message; None if they are.

    Each number must be used at most as often as the hand has it; with `all_numbers`, as often.

    >>> print(usage_problem((3, 3, 5), (3, 7, 8), all_numbers=True))
    5 is not in the hand, 3 is used twice, 7 and 8 are not used
    >>> print(usage_problem((3, 8), (3, 3, 8, 8), all_numbers=True))
    3 is used once, not twice, 8 is used once, not twice
    """
    if sorted(used) == sorted(hand):
        return None
    foreign = tuple(sorted({number for number in used if number not in hand}))
    unused = tuple(sorted({number for number in hand if all_numbers and number not in used}))
    clauses = []
    if foreign:
        clauses.append(message("answer.not_in_hand", count=len(foreign), numbers=foreign))
    for number in sorted(set(hand)):
        # Hands are short: `count` takes less time than a Counter.
        count, most = used.count(number), hand.count(number)
        if count > most or (all_numbers and 0 < count < most):
            clause = {"number": number, "times": _times(count)}
            if most > 1:
                clauses.append(message("answer.used_not", **clause, most=_times(most)))
            else:
                clauses.append(message("answer.used_times", **clause))
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
