"""What a game can deal: its hands in order, how many there are, and hands as text."""

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

# Nobody looks at more hands than these, and longer ones are none that anybody holds.
MAX_HANDS, MAX_HAND_SIZE = 1_000_000, 99
# A hand as callers give it: numbers, or text that `parse_hand` reads.
HandLike = Sequence[int] | str
_INTEGER = re.compile(rf"({MINUS_PATTERN}?)([0-9]+)")


def list_hands(game: Game) -> list[Hand]:
    """Return every hand of a game, each once, in order.

    >>> from crisps24 import GAMES
    >>> len(list_hands(GAMES["crisps"])), len(list_hands(GAMES["countdown"]))
    (495, 13243)

    Raises ValueError where they are more than a million, or have more than 99 numbers.
    """
    count_hands(game)
    return list(iter_hands(game))


def count_hands(game: Game) -> int:
    """Return how many hands a game has, without dealing them.

    >>> from crisps24 import GAMES
    >>> count_hands(GAMES["countdown"])
    13243

    Raises what `list_hands` raises.
    """
    _check_length(game)
    counts: list[int] = []
    for counts in _counted(max_copies(game), game.length):
        if counts[-1] > MAX_HANDS:
            hand = Spaced(game.numbers[:4])
            reason = message("hand.too_many", game=game.name, most=Count(MAX_HANDS))
            raise RefusedError(reason, "advice.reach", hand=hand, game=game.name)
    return counts[-1]


def _check_length(game: Game) -> None:
    if game.length > MAX_HAND_SIZE:
        raise RefusedError(message("hand.too_long", most=MAX_HAND_SIZE))


class HandIndex:
    """Hands of some numbers, each once, in order: how many there are, and any by its place.

    None is dealt before it is asked for, however many they are.

    >>> from crisps24 import GAMES
    >>> hands = HandIndex.of_game(GAMES["krypto"])
    >>> hands.count, hands.hand_at(0), hands.hand_at(118754)
    (118755, (1, 1, 1, 1, 1), (25, 25, 25, 25, 25))
    """

    def __init__(self, times: Sequence[tuple[int, int]], length: int) -> None:
        """Begin with numbers, ascending, how often each may come, and how many a hand has."""
        self._times = times
        self._length = length
        # Of each length, how many hands there are of the numbers from each one on: ever fewer.
        counts = [[1] + [0] * length, *_counted(times[::-1], length)]
        self._from = list(zip(*counts[::-1], strict=True))
        self.count = counts[-1][length]

    @classmethod
    def of_game(cls, game: Game) -> "HandIndex":
        """Return all hands of a game, in the order of `list_hands`."""
        return cls(max_copies(game), game.length)

    def hand_at(self, place: int) -> Hand:
        """Return the hand at a place, counted from 0."""
        hand: list[int] = []
        at, left = 0, self._length
        while left:
            # Hands without a number come behind those with it: it is had if they are too few.
            behind = self._from[left][at] - place
            at = bisect_right(self._from[left], -behind, lo=at + 1, key=neg) - 1
            place = self._from[left][at] - behind
            number, most = self._times[at]
            at += 1
            for many in range(min(most, left), 0, -1):
                if place < self._from[left - many][at]:
                    break
                place -= self._from[left - many][at]
            hand += [number] * many
            left -= many
        return tuple(hand)


def max_copies(game: Game) -> list[tuple[int, int]]:
    """Return the numbers of a game, ascending, each with how often a hand may have it.

    >>> from crisps24 import GAMES
    >>> max_copies(GAMES["countdown"])[-5:]
    [(10, 2), (25, 1), (50, 1), (75, 1), (100, 1)]
    """
    times = sorted(Counter(game.numbers).items())
    return [(number, game.length) for number, _ in times] if game.repeats else times


def _counted(times: Iterable[tuple[int, int]], length: int) -> Iterator[list[int]]:
    """Yield how many hands of each length there are, of ever more of some numbers."""
    counts = [1] + [0] * length
    for _, most in times:
        counts = [sum(counts[max(0, size - most) : size + 1]) for size in range(length + 1)]
        yield counts


def iter_hands(game: Game) -> Iterator[Hand]:
    """Yield every hand of a game as `list_hands` has them, dealt as they are asked for."""
    if game.repeats:
        return combinations_with_replacement(game.numbers, game.length)
    times = Counter(game.numbers)
    if len(times) == len(game.numbers):
        return combinations(game.numbers, game.length)
    return _of_several(sorted(times.items()), game.length)


def _of_several(times: Sequence[tuple[int, int]], length: int) -> Iterator[Hand]:
    """Yield the hands of numbers that come so many times each."""
    if length == 0:
        yield ()
    elif sum(many for _, many in times) >= length:
        (number, many), others = times[0], times[1:]
        for taken in range(min(many, length), -1, -1):
            for rest in _of_several(others, length - taken):
                yield (*[number] * taken, *rest)


def largest_numbers(game: Game) -> list[int]:
    """Return numbers of which each is at least as large as that of any hand of a game.

    >>> from crisps24 import GAMES
    >>> largest_numbers(GAMES["crisps"]), largest_numbers(GAMES["numble"])
    ([9, 9, 9, 9], [9, 10, 25, 50, 75, 100])

    Raises ValueError where they are more than 99.
    """
    _check_length(game)
    largest = sorted(game.numbers, key=abs)[-game.length :]
    return largest[-1:] * game.length if game.repeats else largest


def parse_hand(words: Sequence[str], game: Game) -> Hand:
    """Read the numbers of a hand, letters of the game's cards among them.

    One word is its digits, where the game has single digits only.

    >>> from crisps24 import GAMES
    >>> parse_hand(["A", "10", "q", "7"], GAMES["cards"]), parse_hand(["4384"], GAMES["crisps"])
    ((1, 10, 12, 7), (4, 3, 8, 4))

    Raises ValueError for a word that is no whole number of at most 30 digits, for one word of
    several digits in another game, with the numbers that may be meant, and for more than 99 words.
    """
    letters = dict(game.letters)
    numbers = []
    words = [normalise(word) for word in words]
    for word in _apart(words[0], game) if len(words) == 1 else words:
        found = _INTEGER.fullmatch(word)
        if word.upper() in letters:
            numbers.append(letters[word.upper()])
        elif found is None:
            if letters:
                shown = ", ".join(letters)
                reason = message("hand.number_or_letter", text=quoted(word), letters=shown)
                raise RefusedError(reason)
            raise RefusedError(message("hand.number", text=quoted(word)))
        elif len(found[2]) > 30:
            raise RefusedError(message("formula.number_too_long", most=30))
        else:
            numbers.append(-int(found[2]) if found[1] else int(found[2]))
    if numbers:
        check_hand_size(numbers)
    return tuple(numbers)


def _apart(word: str, game: Game) -> Sequence[str]:
    """Return the only word of a hand as the words that it stands for."""
    if not re.fullmatch("[0-9]{2,30}", word):
        return [word]
    if 0 <= game.numbers[0] <= game.numbers[-1] <= 9:
        return word
    if game.length == 1 and int(word) in game.numbers:
        return [word]
    meant = " ".join(_meant(word, game))
    raise RefusedError(message("hand.one_number", text=word, meant=meant))


def _meant(word: str, game: Game) -> Sequence[str]:
    """Return the numbers of a hand of the game that make up a word, or else its digits."""
    numbers = set(map(str, game.numbers))
    # By where they end, and how many they are.
    splits: dict[tuple[int, int], tuple[str, ...]] = {(0, 0): ()}
    for end in range(1, len(word) + 1):
        for start, count in list(splits):
            if word[start:end] in numbers:
                splits.setdefault((end, count + 1), (*splits[start, count], word[start:end]))
    return splits.get((len(word), game.length), word)


def check_hand_size(hand: Sequence[object]) -> None:
    """Raise ValueError for a hand without numbers, and for one of more than 99."""
    if not hand:
        raise RefusedError(message("hand.empty"))
    if len(hand) > MAX_HAND_SIZE:
        raise RefusedError(message("hand.too_long", most=MAX_HAND_SIZE))


def to_hand(numbers: HandLike, game: Game) -> Hand:
    """Return numbers as a hand, in the order given; text is read as `parse_hand` does.

    >>> from crisps24 import GAMES
    >>> to_hand([4, 3, 8, 4], GAMES["crisps"]), to_hand("A 10 Q 7", GAMES["cards"])
    ((4, 3, 8, 4), (1, 10, 12, 7))

    Raises ValueError, in one sentence, for no numbers, for others than whole ones, and for more,
    or larger ones, than anybody holds; TypeError for what has none.
    """
    if isinstance(numbers, str):
        numbers = parse_hand(split_words(numbers), game)
    if not isinstance(numbers, tuple | list):
        if not isinstance(numbers, Iterable):
            raise KindError(f"{quoted(numbers)} is no hand: its numbers are, such as (4, 3, 8, 4)")
        # What is given may have no end.
        numbers = list(islice(numbers, MAX_HAND_SIZE + 1))
    for number in numbers[: MAX_HAND_SIZE + 1]:
        if type(number) is not int and not isinstance(number, Integral):
            raise RefusedError(message("hand.number", text=quoted(number)))
    check_hand_size(numbers)
    hand = tuple(map(int, numbers))
    if max(map(abs, hand)) >= VALUE_LIMIT:
        raise RefusedError(message("formula.number_too_long", most=Count(4000)))
    return hand


def deal_problem(hand: Sequence[int], game: Game, *, whole: bool = True) -> Message | None:
    """Return the message about why a game cannot deal these numbers; None if it can.

    Where they are not the `whole` hand, fewer than a hand has are dealt as well.

    >>> from crisps24 import GAMES
    >>> print(deal_problem((10, 3, 3, 3), GAMES["crisps"]))
    10 is not in this game (only 1..9)
    >>> print(deal_problem((25, 50, 25, 100, 3, 6), GAMES["countdown"]))
    countdown has 25 once, not twice
    """
    there, name = Counter(game.numbers), game.name
    for number, many in Counter(hand).items():
        if not there[number]:
            known = format_numbers(sorted(there))
            return message("formula.no_number", number=number, known=known)
        if many > there[number] and not game.repeats:
            most, times = _times(there[number]), _times(many)
            return message("answer.dealt_not", game=name, number=number, most=most, times=times)
    if len(hand) > game.length or (whole and len(hand) < game.length):
        return message("answer.deals", game=name, count=game.length, given=len(hand))
    return None


def format_hand(hand: Sequence[int]) -> str:
    """Write the numbers of a hand as `parse_hand` reads them.

    >>> format_hand((4, 3, 8, 4))
    '4 3 8 4'
    """
    return " ".join(map(str, hand))


def usage_problem(used: Sequence[int], hand: Sequence[int], *, whole: bool) -> Message | None:
    """Return the message about why the numbers used are not those of a hand; None if they are.

    With `whole`, all numbers of the hand have to be used.

    >>> print(usage_problem((3, 3, 5), (3, 7, 8), whole=True))
    5 is not in the hand, 3 is used twice, 7 and 8 are not used
    >>> print(usage_problem((3, 8), (3, 3, 8, 8), whole=True))
    3 is used once, not twice, 8 is used once, not twice
    """
    if sorted(used) == sorted(hand):
        return None
    strange = tuple(sorted({number for number in used if number not in hand}))
    unused = tuple(sorted({number for number in hand if whole and number not in used}))
    clauses = []
    if strange:
        clauses.append(message("answer.not_in_hand", count=len(strange), numbers=strange))
    for number in sorted(set(hand)):
        # Hands are short: counting again takes less time than a Counter.
        count, most = used.count(number), hand.count(number)
        if count > most or (whole and 0 < count < most):
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
    if count in (1, 2):
        return message("times.once" if count == 1 else "times.twice")
    return message("times.many", count=count)
