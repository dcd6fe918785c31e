"""Look up the texts of the pages in the language of the reader."""

from crisps24.messages.message import ENGLISH, Language, Message, as_message, message
from crisps24.rules.rules import RULES

# In forms, rules have the labels of their records.
_LABELS = {f"field_{rule.word}": as_message(rule.label) for rule in RULES.values() if rule.label}
# Parameters of the settings, which every page has.
_SETTINGS = {"language": "settings_language", "style": "settings_signs"}
# Placeholders of input fields, the same in every language.
_PLACEHOLDERS = {
    "like_hand": "4 3 8 4",
    "like_target": "24",
    "like_targets": "20..30",
    "like_level": "2..4",
    "like_solutions": "1..3",
    "like_large": "2",
    "like_seed": "7",
    "like_count": "12",
    "like_card": "4 3 8 4",
    "like_puzzle": "cards:3.3.8.8=24",
    **{f"like_{rule.word}": rule.placeholder for rule in RULES.values() if rule.placeholder},
}


def say(
    name: str, count: int | None = None, /, language: Language = ENGLISH, **values: object
) -> str:
    """Return a text of the pages: the message `page.<name>`.

    Names such as `field_join` give the label of a rule, and names such as `like_hand` a placeholder
    of an input field. `count` chooses the plural; `count` and `values` fill the places in braces of
    a message. A place without a value is kept; an unknown name gives an empty text.

    >>> say("solve_count", 1), say("solve_count", 1234)
    ('1 solution', '1,234 solutions')
    """
    if name in _LABELS:
        return _LABELS[name].text(language)
    if name in _PLACEHOLDERS:
        return _PLACEHOLDERS[name]
    count_value = {} if count is None else {"count": count}
    return language.text(f"page.{name}", **count_value, **values)


def label_of(name: str) -> Message | str:
    """Return the label of a parameter in forms, or its name if it lacks one.

    >>> print(label_of("seed"), label_of("steps"))
    Seed steps
    """
    field = _SETTINGS.get(name, f"field_{name}")
    if field in _LABELS:
        return _LABELS[field]
    return message(f"page.{field}") if has_text(field) else name


def has_text(name: str) -> bool:
    """Return whether the pages have a message of this name."""
    return f"page.{name}" in ENGLISH.texts
