"""Characters: which are read as others, and which a terminal never gets."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24.rules.characters import escaped, plain, shown, words_of


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("１２ ＋ ３", "12 + 3"),
        ("（３－１）×８／２＝８", "(3-1)×8/2=8"),
        ("［１＋２］；Ｑ，ｋ", "[1+2];Q,k"),
        ("1 + 2", "1 + 2"),
        ("あ", "あ"),
    ],
)
def test_wide_characters_are_as_on_other_keyboards_place_by_place(typed: str, read: str) -> None:
    assert plain(typed) == read
    assert len(read) == len(typed)


@given(st.text())
def test_what_is_plain_stays_so_and_keeps_its_places(text: str) -> None:
    assert len(plain(text)) == len(text)
    assert plain(plain(text)) == plain(text)
    for typed, read in zip(text, plain(text), strict=True):
        assert read in (typed, unicodedata.normalize("NFKC", typed))


@pytest.mark.parametrize(
    "text", ["3 3 8 8", "3,3,8,8", "3, 3; 8;8", "３，３、８　８", "\t3 3\n8 8 ", "、3，3,,8 8;"]
)
def test_the_words_of_a_list_are_apart_however_they_were_typed(text: str) -> None:
    assert words_of(text) == ["3", "3", "8", "8"]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("\x1b[31m", r"\x1b[31m"),
        ("a\nb\tc\rd", r"a\nb\tc\rd"),
        ("\x9b2J\x7f\0", r"\x9b2J\x7f\x00"),
        ("\u202a\u202b\u202c\u202d\u202e", r"\u202a\u202b\u202c\u202d\u202e"),
        ("\u2066\u2067\u2068\u2069", r"\u2066\u2067\u2068\u2069"),
        ("\u200e\u200f\u061c", r"\u200e\u200f\u061c"),
        ("\u200b\ufeff\ud800", r"\u200b\ufeff\ud800"),
        ("8 × 3\u00a0÷ 4　あ é", "8 × 3\u00a0÷ 4　あ é"),
    ],
)
def test_what_a_terminal_would_obey_is_written_out(text: str, seen: str) -> None:
    assert shown(text) == seen


@given(st.text())
def test_what_is_shown_has_nothing_left_to_obey(text: str) -> None:
    assert all(unicodedata.category(each)[0] != "C" for each in shown(text))
    assert shown(shown(text)) == shown(text)


@given(st.lists(st.text()))
def test_json_that_is_escaped_means_the_same(texts: list[str]) -> None:
    told = escaped("\n".join(json.dumps(text, ensure_ascii=False) for text in texts))
    assert [json.loads(line) for line in told.split("\n") if line] == texts
    assert all(each == "\n" or unicodedata.category(each)[0] != "C" for each in told)
