"""Look up the texts of the pages in the language of the reader."""

from crisps24.messages.message import ENGLISH, Message, as_message, message
from crisps24.rules.rules import RULES

# The names of rules in addresses, by their fields: their words in ids, but the parameter `large` is
# the number of large tiles to deal.
RULE_PARAMETERS = {
    rule.field: "large_tiles" if rule.word == "large" else rule.word for rule in RULES.values()
}
# In forms, rules have the labels of their records.
RULE_LABELS = {
    f"field_{RULE_PARAMETERS[rule.field]}": as_message(rule.label)
    for rule in RULES.values()
    if rule.label
}
_SETTINGS = {"language": "settings_language", "style": "settings_signs"}
FORM_EXAMPLES = {
    "like_hand": "4 3 8 4",
    "like_target": "24",
    "like_targets": "20..30",
    "like_level": "2..4",
    "like_solutions": "1..3",
    "like_large": "2",
    "like_seed": "7",
    "like_count": "12",
    "like_mix": "3,3,3,2,1",
    "like_seconds": "60",
    "like_card": "4 3 8 4",
    "like_card_fractions24": "3 3/4 3 6",
    "like_card_5": "2 9 4 10 1",
    "like_card_6": "25 50 75 100 3 6",
    "like_target_5": "24",
    "like_target_6": "952",
    "like_own": "3 3 8 8 -> 24",
    "like_puzzle": "cards:3.3.8.8=24",
    **{
        f"like_{RULE_PARAMETERS[rule.field]}": rule.placeholder
        for rule in RULES.values()
        if rule.placeholder
    },
}


def label_of(name: str) -> Message | str:
    """Return the label that forms show for a parameter of an address."""
    label_name = _SETTINGS.get(name, f"field_{name}")
    if label_name in RULE_LABELS:
        return RULE_LABELS[label_name]
    return message(f"page.{label_name}") if has_text(label_name) else name


def has_text(name: str) -> bool:
    return f"page.{name}" in ENGLISH.texts
