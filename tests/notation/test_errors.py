"""What can be wrong with a formula, and the caret line that shows where."""

import pickle

import pytest

from crisps24 import (
    FormulaError,
    IllegalFormulaError,
    MalformedFormulaError,
    check,
    evaluate,
    parse,
)


def test_both_kinds_are_formula_errors_and_value_errors() -> None:
    for kind in (MalformedFormulaError, IllegalFormulaError):
        assert issubclass(kind, FormulaError)
    assert issubclass(FormulaError, ValueError)


def test_the_caret_line_marks_what_is_wrong() -> None:
    error = check("9 : 7 + 2 x 3").error
    assert error is not None
    shown = f"{error.marked()}\n{error}"
    assert shown == "9 : 7 + 2 x 3\n^^^^^\nillegal: 9 : 7 leaves a remainder of 2"


def test_the_caret_line_of_a_long_formula_shows_the_marked_part_only() -> None:
    with pytest.raises(MalformedFormulaError) as caught:
        parse("1 + " * 500 + "? + 1")
    shown, carets = caught.value.marked().splitlines()
    assert len(shown) <= 78
    assert shown[carets.index("^")] == "?"
    assert carets.strip() == "^"


def test_the_caret_line_keeps_its_column_whatever_the_characters_are() -> None:
    with pytest.raises(MalformedFormulaError) as caught:
        parse("1\t+\n\x07")
    assert caught.value.marked() == "1 +  \n    ^"


def test_an_error_is_itself_again_when_it_was_pickled() -> None:
    with pytest.raises(FormulaError) as caught:
        evaluate("9 : 7")
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is IllegalFormulaError
    assert (again.text, again.position, again.reason) == (
        "9 : 7",
        0,
        "9 : 7 leaves a remainder of 2",
    )


def test_at_least_one_character_is_marked() -> None:
    error = MalformedFormulaError("there is no formula", "", 0, 0)
    assert error.length == 1
    assert error.marked() == "\n^"
