"""Messages in JSON, as `engine.js` returns them, to compare the script with the Python package."""

from fractions import Fraction
from typing import Any

from crisps24.messages.message import Clauses, Count, Message, Quoted, Spaced, digits_message


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
