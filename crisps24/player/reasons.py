"""The messages of `engine.js`: their keys, whose texts `files` includes, and their form in JSON.

Only the tests use that form (`message_record`), to compare the script with the Python package.
"""

from fractions import Fraction
from typing import Any

from crisps24.messages.message import Clauses, Count, Message, Quoted, Spaced, digits_message

# The keys of the messages that `engine.js` returns, also those in values of other messages.
REASON_KEYS = (
    *("formula.none", "formula.too_long", "formula.not_part", "formula.no_parentheses"),
    *("formula.too_deep", "formula.not_opened", "formula.not_matched", "formula.not_closed"),
    *("formula.number_too_long", "formula.number_missing_between", "formula.number_missing_after"),
    *("formula.number_missing_before", "formula.operator_missing", "formula.power"),
    *("formula.target_missing", "formula.target_once", "formula.target_only"),
    *("formula.target_no_number", "formula.no_number", "formula.no_negatives"),
    *("formula.no_operator", "script.latex", "script.working"),
    *("step.remainder", "step.below_zero", "step.zero", "step.division_by_zero", "step.above"),
    *("answer.makes", "answer.numbers", "answer.not_in_hand", "answer.not_used"),
    *("answer.used_times", "answer.used_not", "answer.unbracketed"),
    *("times.once", "times.twice", "times.many"),
    *("list.digits", "list.comma", "list.last", "list.clauses", "list.faults"),
)


def message_record(message: Message) -> dict[str, Any]:
    """Return the key and the values of a message in JSON, as `engine.js` returns its messages."""
    values = {
        name: value if name == "count" else _value_record(value)
        for name, value in message.values.items()
    }
    return {"key": message.key, "values": values}


def _value_record(value: object) -> Any:
    if isinstance(value, Message):
        return message_record(value)
    if isinstance(value, Clauses):
        return {"clauses": [message_record(clause) for clause in value]}
    if isinstance(value, tuple):
        kind = "spaced" if isinstance(value, Spaced) else "list"
        return {kind: [_value_record(each) for each in value]}
    if isinstance(value, Quoted):
        # The script adds the quotation marks of its language.
        return {"quoted": value[1:-1]}
    if isinstance(value, Count):
        return {"count": int(value)}
    if isinstance(value, int | Fraction) and (digits := digits_message(value)):
        return message_record(digits)
    return str(value)
