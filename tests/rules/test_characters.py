"""Normalised characters, and escapes of unprintable ones."""

import io
import json
import unicodedata
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, check, evaluate, puzzle_of
from crisps24.judging.table_rows import read_text_lines
from crisps24.puzzles.rounds import Round, parse_key
from crisps24.rules import characters
from crisps24.rules.characters import split_words
from crisps24.rules.deals import parse_hand
from crisps24.rules.games import find_game
from crisps24.rules.words import parse_numbers, parse_operators, parse_range, parse_value
from tests.sampling import in_one_test


@in_one_test(
    ("typed", "read"),
    ("１２ ＋ ３", "12 + 3"),
    ("（３－１）×８／２＝８", "(3-1)×8/2=8"),
    ("［１＋２］；Ｑ，ｋ", "[1+2];Q,k"),
    ("1 + 2", "1 + 2"),
    ("あ", "あ"),
    ("4\u00a0x\u20096\u202f=　24", "4 x 6 = 24"),
)
def test_full_width_characters_become_ascii_one_for_one(typed: str, read: str) -> None:
    assert (characters.normalise(typed), len(read)) == (read, len(typed))


@given(st.text())
def test_normalised_text_has_the_same_length_and_stays_the_same(text: str) -> None:
    normalised = characters.normalise(text)
    assert (len(normalised), characters.normalise(normalised)) == (len(text), normalised)
    for typed, read in zip(text, normalised, strict=True):
        assert read in (typed, unicodedata.normalize("NFKC", typed))


@in_one_test(
    ("typed", "read"),
    ("E\u0301te\u0301", "Été"),
    ("A\u030angstro\u0308m", "Ångström"),
    ("24\u00a0!", "24 !"),
    ("か\u3099　1", "が 1"),
    ("Make 24", "Make 24"),
)
def test_accents_are_composed_and_spaces_become_ascii(typed: str, read: str) -> None:
    assert characters.compose_accents(typed) == characters.compose_accents(read) == read


# Readers of text, each with a text that has spaces.
@in_one_test(
    ("read", "text"),
    (lambda text: parse_hand(split_words(text), GAMES["cards"]), "3 3 8 8"),
    (lambda text: GAMES[find_game(text).name], " cards "),
    (parse_value, "- 5"),
    (parse_range, " 0..100 "),
    (parse_numbers, "1..4, 25"),
    (parse_operators, "+ -"),
    (lambda text: puzzle_of(text).id, "cards:3.3.8.8=24 "),
    (lambda text: evaluate(text, "cards"), "8 / ( 3 - 8 / 3 ) = 24"),
    (lambda text: check(text, hand="3 3 8 8", game="cards").value, "3 + 3 + 8 + 8 = - 22"),
    (lambda text: check(text, game="cards", style="polish").value, "+ 3 x 4 5 = 23"),
    (lambda text: check(text, game="cards").formula, "8 / 3 = 8/3, 3 - (8/3) = 1/3"),
    (lambda text: Round(puzzle_of("cards:4.6.8.10=24")).play(text)[1].text, "10 - 6 = 4, 8 x 4 ="),
    (lambda text: [*read_text_lines(io.BytesIO(f"{text}1 + 1{text}".encode()))], " "),
    (parse_key, " ? "),
)
def test_each_reader_accepts_spaces_of_any_width(read: Callable[[str], object], text: str) -> None:
    for space in "\u00a0\u202f\u2009\u3000":
        assert read(text.replace(" ", space)) == read(text)


@in_one_test("text", "3 3 8 8", "、3，3,,8 8;")
def test_a_list_is_split_at_spaces_commas_and_semicolons(text: str) -> None:
    assert split_words(text) == ["3", "3", "8", "8"]
    # It does not go on after a rare end of a line.
    for end in "\v\f\x1c\x1d\x1e\x85\u2028\u2029":
        assert split_words(f"3 3{end}8 8{end}") == ["3", f"3{end}8", "8"]


@in_one_test(
    ("text", "seen"),
    ("\x1b[31m", r"\x1b[31m"),
    ("a\nb\tc\rd", r"a\nb\tc\rd"),
    ("\x9b2J\x7f\0", r"\x9b2J\x7f\x00"),
    ("\u202a\u202b\u202c\u202d\u202e", r"\u202a\u202b\u202c\u202d\u202e"),
    ("\u2066\u2067\u2068\u2069", r"\u2066\u2067\u2068\u2069"),
    ("\u200e\u200f\u061c", r"\u200e\u200f\u061c"),
    ("\u200b\ufeff\ud800", r"\u200b\ufeff\ud800"),
    ("8 × 3\u00a0÷ 4　あ é", "8 × 3\u00a0÷ 4　あ é"),
)
def test_control_characters_are_escaped(text: str, seen: str) -> None:
    assert characters.escape_unprintable(text) == seen


@given(st.text())
def test_escaped_text_has_no_control_characters_and_stays_the_same(text: str) -> None:
    escaped = characters.escape_unprintable(text)
    assert all(unicodedata.category(character)[0] != "C" for character in escaped)
    assert characters.escape_unprintable(escaped) == escaped


@given(st.lists(st.text()))
def test_escaped_json_has_the_same_values(texts: list[str]) -> None:
    lines = (json.dumps(text, ensure_ascii=False) for text in texts)
    escaped = characters.escape_json("\n".join(lines))
    assert [json.loads(line) for line in escaped.split("\n") if line] == texts
    assert all(each == "\n" or unicodedata.category(each)[0] != "C" for each in escaped)
