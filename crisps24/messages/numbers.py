"""Numbers in words, for screen readers: three quarters, drei Viertel, 四分之三.

The words are texts of the section `fraction` in the file of each language.
"""

from fractions import Fraction

from crisps24.messages.message import ENGLISH, Language, digits_message


def number_in_words(value: int | Fraction, language: Language = ENGLISH) -> str:
    """Return a number as text that a screen reader reads well, in a language.

    Whole numbers stay digits. A fraction is in words if its denominator is 2 to 10 or 12 and its
    numerator is at most 12.
    """
    if value < 0:
        return language.text("fraction.minus", value=number_in_words(-value, language))
    top, bottom = value.numerator, value.denominator
    if bottom == 1:
        digits = digits_message(top)
        return str(top) if digits is None else digits.text(language)
    numerators = language.text("fraction.numerators").split()
    key = f"fraction.part_{bottom}"
    if key in ENGLISH.texts and top <= len(numerators):
        # `count` chooses the plural form.
        return language.text(key, count=top, top=numerators[top - 1])
    return language.text("fraction.over", top=top, bottom=bottom)
