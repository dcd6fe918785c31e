"""Result lines as phones send them, with codes by brute force, and a page that they are from."""

from functools import cache
from itertools import product

from crisps24 import puzzle_of
from crisps24.judging.phone_lines import CODE_DIGITS, read_code, read_phone_page
from crisps24.player.files import file_record, puzzle_records, render_file

IDS = ("cards:3.3.8.8=24", "cards:1.2.3.4=24", "cards:1.5.5.5=24")


def code_of(digits: str, tag: str = "ABC") -> str:
    """Return the code of some digits, by trying all pairs of check digits."""
    tried = (f"{tag}{digits}{one}{other}" for one, other in product(CODE_DIGITS, repeat=2))
    [code] = filter(read_code, tried)
    return code


def line_of(name: str, digits: str, of: int = 10, *, title: str = "5b", tag: str = "ABC") -> str:
    solved = sum(digit not in "23" for digit in digits)
    head = f"crisps24 {title}".strip()
    return " · ".join(filter(None, [head, name, f"{solved} of {of} solved", code_of(digits, tag)]))


@cache
def page_file() -> bytes:
    """Return a file of three puzzles, as `page` writes it."""
    records = puzzle_records([puzzle_of(id_) for id_ in IDS], solutions=False)
    return render_file(file_record(puzzle_of(IDS[0]).game, records, key="k", title="5b"))


def line_of_page(name: str, digits: str) -> str:
    return line_of(name, digits, 3, tag=read_phone_page(page_file()).tag)
