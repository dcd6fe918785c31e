"""The steps of a working on several lines: where a working starts and ends.

Steps belong together if they use each other's results. `4 + 4 = 8` and `8 x 3 = 24` are one
working; after `4 + 4 = 8`, the lines `5 + 3 = 8` and `8 x 3 = 24` are another, since they use only
one 8. Lines are given as their columns in the text.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from crisps24.judging.candidates import (
    MAX_ANSWER_LENGTH,
    MAX_STEPS,
    Candidate,
    StepNumbers,
    are_steps,
    blank_bullets,
    find_lines,
    parse_candidate,
    read_step,
    split_parts,
    strip_decoration,
)
from crisps24.judging.patterns import (
    BULLET,
    BULLETS,
    DECORATION,
    EQUALS_SIGNS,
    NOT_LINE_END,
    PAIR_STARTS,
    Patterns,
)
from crisps24.notation.grammar import TextSpan, normalise_formula
from crisps24.rules.characters import normalise


def answer_lines(text: str, start: int, end: int, patterns: Patterns) -> list[TextSpan]:
    """Return the lines of a part that look like an answer, without bullets and decoration."""
    return [
        strip_decoration(text, _skip_bullet(text, start + first), start + last)
        for first, last in find_lines(text[start:end], patterns)
    ]


def _skip_bullet(text: str, start: int) -> int:
    """Return the column after the bullet of a line if decoration follows it, else `start`."""
    bullet = BULLET.match(text, start)
    return bullet.end() if bullet and text[bullet.end()] in PAIR_STARTS else start


def last_working(
    text: str, lines: Sequence[TextSpan], patterns: Patterns, *, is_marked: bool
) -> Candidate | None:
    """Return the last line that is an answer, with the steps of the same working above that line.

    If it is not marked, the first steps can be an earlier attempt.
    """
    last_index = len(lines) - 1
    while last_index >= 0 and not (last := parse_candidate(text, *lines[last_index], patterns)):
        last_index -= 1
    if last_index < 0:
        return None
    first_index, end = last_index + 1, lines[last_index][1]
    steps: list[list[str]] = []
    upwards = _steps_of_working(text, lines[last_index::-1], patterns)
    for steps_above in islice(upwards, MAX_STEPS + 1):
        first_index -= 1
        if end - lines[first_index][0] > MAX_ANSWER_LENGTH:
            return last
        steps.insert(0, steps_above)
    if not is_marked:
        first_index += _start_of_working(steps)
    if first_index >= last_index:
        return last
    # Blank the decoration around the lines, but keep the line ends.
    start = previous_end = lines[first_index][0]
    parts = []
    for line_start, line_end in lines[first_index : last_index + 1]:
        parts += [NOT_LINE_END.sub(" ", text[previous_end:line_start]), text[line_start:line_end]]
        previous_end = line_end
    all_steps = parse_candidate("".join(parts), 0, end - start, patterns)
    if all_steps is None or not all_steps.working:
        return last
    return all_steps._replace(text=text[start:end], start=start, end=end)


def _steps_of_working(
    text: str, lines: Iterable[TextSpan], patterns: Patterns
) -> Iterator[list[str]]:
    """Yield the steps of each line, downwards or upwards, up to a line of another working.

    Lines of one working have only decoration between them, and the upper one ends with a result.
    """
    previous: tuple[TextSpan, list[str]] | None = None
    for span in lines:
        line = span, _steps_in(text, *span, patterns)
        (upper, steps), (lower, _) = sorted((previous or line, line))
        between = text[upper[1] : lower[0]]
        if not line[1] or (previous and not (_has_result(steps) and _is_decoration(between))):
            return
        yield line[1]
        previous = line


def _has_result(steps: Sequence[str]) -> bool:
    return "=" in "".join(steps[-1:])


def _is_decoration(between: str) -> bool:
    """Return whether the text between two lines is only decoration, or list marks."""
    # A list mark must have text after it: the 0 stands for the text of the next line.
    return DECORATION.fullmatch(BULLETS.sub("", f"{between}0")[:-1]) is not None


def _steps_in(text: str, start: int, end: int, patterns: Patterns) -> list[str]:
    """Return the steps of a line, of which the last needs no result; none if it has other text."""
    if not 0 < end - start <= MAX_ANSWER_LENGTH:
        return []
    answer = normalise(blank_bullets(text[start:end]))
    line = normalise_formula(answer, patterns.extra_operators)
    steps = [line[first:last] for first, last in split_parts(answer, line)]
    return steps if len(steps) <= MAX_STEPS and are_steps(steps, patterns) else []


def _start_of_working(lines: Sequence[Sequence[str]]) -> int:
    """Return the index of the line where the last working starts.

    It is the first line whose first step uses no earlier result, if from this line on the steps use
    all results except the last. `lines` has a list of steps for each line.
    """
    steps_of_lines = [[read_step(step) for step in steps] for steps in lines]
    unused_results: Counter[str] = Counter()
    for index, steps in enumerate(steps_of_lines):
        if index == 0 or not any(unused_results[number] for number in steps[0].numbers):
            later_steps = [step for line_steps in steps_of_lines[index:] for step in line_steps]
            # The result of the last step is the answer; no other step uses it.
            later_steps[-1:] = [step._replace(result="") for step in later_steps[-1:]]
            if not _update_results(later_steps, Counter()).total():
                return index
        _update_results(steps, unused_results)
    return 0


def _update_results(steps: Sequence[StepNumbers], unused_results: Counter[str]) -> Counter[str]:
    """Update and return the counts of unused results: each step uses up some, and adds its own."""
    for step in steps:
        for number in step.numbers:
            unused_results[number] -= unused_results[number] > 0
        unused_results[step.result] += step.result != ""
    return unused_results


def end_of_steps(text: str, start: int, end: int, patterns: Patterns) -> int:
    """Return the column where the steps of an answer end, which can be some lines below it.

    Lines below that use no result of the answer only check it.
    """
    # Most answers are not a step with a result.
    if not EQUALS_SIGNS.search(text, start, end):
        return end
    first_line = strip_decoration(text, start, end)
    if not _has_result(_steps_in(text, *first_line, patterns)):
        return end
    lines, line_ends = [first_line], [end]
    has_bullet = BULLET.match(text, start)
    for first, last in find_lines(text[end : end + MAX_ANSWER_LENGTH], patterns):
        # In a list that starts below the label, - is the sign of a negative number.
        if BULLET.match(text, end + first) and not has_bullet:
            break
        line_start = _skip_bullet(text, end + first)
        lines.append(strip_decoration(text, line_start, end + last))
        line_ends.append(end + last)
    steps_of_lines = list(_steps_of_working(text, lines, patterns))
    # The end of the last line that uses a result, and whether a line uses one of the answer.
    end_of_steps, is_used = end, False
    unused_results = _update_results([read_step(step) for step in steps_of_lines[0]], Counter())
    results_of_answer = set(+unused_results)
    for steps, line_end in zip(steps_of_lines[1:], line_ends[1:], strict=False):
        new_steps = [read_step(step) for step in steps]
        numbers = {number for step in new_steps for number in step.numbers}
        is_used = is_used or not numbers.isdisjoint(results_of_answer)
        if any(unused_results[number] for number in numbers):
            end_of_steps = line_end
        _update_results(new_steps, unused_results)
    # The lines below can be a solution of their own, which does not need the answer.
    is_used = is_used and _start_of_working(steps_of_lines) != 1
    return end_of_steps if is_used and end_of_steps - start <= MAX_ANSWER_LENGTH else end
