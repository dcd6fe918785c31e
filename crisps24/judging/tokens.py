"""Text to tokens: numbers, operators (also as words), equals signs, breaks, and words.

`8 minus 4 ist 4` is a number, an operator, a number, an equals sign and a number. The words of six
languages are in `vocabulary.toml`; a phrase counts in the language of most words of the text.
`writing.toml` has signs, and what stands around formulas. A text can have several readings (`1,5`
is a decimal, or two numbers): a `Choice` says which one is made.
"""

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache, lru_cache
from itertools import product
from pkgutil import get_data
from typing import NamedTuple

from crisps24.judging.patterns import LATEX_SPACES
from crisps24.notation.parser import FRACTION_MARK, MAX_NUMBER_LENGTH, normalise_formula
from crisps24.rules.exact import Exact, int_if_whole
from crisps24.rules.words import VULGAR_FRACTIONS

_VOCABULARY = tomllib.loads((get_data(__package__, "vocabulary.toml") or b"").decode())
_OPERATOR_WORDS = {"plus": "+", "minus": "-", "times": "*", "over": "/"}
# Words of a phrase, at most; choices of a text, and of a long one; characters around a token that
# decide what it is.
_MAX_PHRASE, _MAX_CHOICES, _MAX_LONG_CHOICES, _LONG, _WINDOW = 5, 6, 2, 600, 80


def _kinds_of_phrases() -> dict[str, dict[str, set[str]]]:
    kinds: dict[str, dict[str, set[str]]] = {}
    for language, words in _VOCABULARY.items():
        for kind, phrases in words.items():
            for phrase in phrases.split("|") if isinstance(phrases, str) else ():
                kinds.setdefault(phrase, {}).setdefault(language, set()).add(kind)
        for verb, *_ in words["verbs"]:
            kinds.setdefault(verb, {}).setdefault(language, set()).add("verb")
    return kinds


_KINDS = _kinds_of_phrases()


class Token(NamedTuple):
    """A part of a text.

    Kinds: n(umber), o(perator), ( and ), =, ; and . (breaks), w(ord that says nothing), | (or),
    r(estart), u(nknown word), x (mathematics that is not read), t(otal: the last result); while a
    text is divided, also l(eft over), a word about a number that is not used.
    """

    kind: str
    text: str = ""
    value: Exact = 0
    """The value of a number; 1 for an operator that is not written as in a fraction."""
    glued: bool = False
    """Whether no space precedes it."""


class Choice(NamedTuple):
    """How to read what can be read in two ways."""

    big: bool = False
    """23,850 and 23 850 are one number."""
    comma: bool = False
    """1,5 is a decimal."""
    mixed: bool = False
    """2 2/3 is one number."""
    slash: bool = False
    """A slash after a result is a break, as a dash and a colon are."""
    dash: bool = False
    colon: bool = False
    bullet: bool = False
    """A dash at the start of a line is a bullet."""
    quotient: bool = False
    """1/3 is one number."""
    beside: bool = False
    """3 (8 - 4) is a product."""


_WRITING = tomllib.loads((get_data(__package__, "writing.toml") or b"").decode())
_FLAGS = re.IGNORECASE | re.MULTILINE
_CHOICES = {name: re.compile(text, _FLAGS) for name, text in _WRITING["choices"].items()}
_CLEANING = [(re.compile(text, _FLAGS), new) for text, new in _WRITING["cleaning"]["rows"]]
_SIGNS = {
    written: sign for sign, all_written in _WRITING["signs"].items() for written in all_written
}
_FRACTION = re.compile(rf"{FRACTION_MARK} *+\{{([^{{}}]*)\}} *+\{{([^{{}}]*)\}}")
# The grammar would read a fraction after an equals sign as a target.
_EQUALS = "\ue001"
_CHARACTERS = {
    ord(a): b for a, b in zip("’=＝➕➖➗🟰", f"'{_EQUALS * 2}+-÷{_EQUALS}", strict=True)
}
_CHARACTERS |= dict.fromkeys((0xFE0F, 0x20E3), "")
# In place of a number that is a name, such as that of a step.
_NAME = "\ue000"
_BULLET = re.compile(
    r"(?:^|(?<=[\s;|]))\(?([a-h1-9])(\)|\.(?=\s)|:(?=\s))(?=[ \t]{0,9}\S)", re.MULTILINE
)
_WORD = r"[^\W\d_\u4e00-\u9fff]++(?:['-][^\W\d_]++)*+'?"
_CHINESE = "|".join(sorted((word for word in _KINDS if word[0] > "\u4e00"), key=len, reverse=True))
_TOKEN = re.compile(
    r"(?P<mixed>[0-9]{1,9} [0-9]{1,9}/[0-9]{1,9}(?![0-9/]))"
    rf"|(?P<number>[0-9]*+[{VULGAR_FRACTIONS}]|[0-9]++(?:[.,][0-9]++)*|(?<![\w)\].,])\.[0-9]++)"
    r"|(?P<arrow>[-=]{1,3}>|[→⇒➜➡⟶]|<={1,2}>)|(?P<stop>[。\n？?\ue000]|\.{2,}|…)"
    r"|(?P<soft>[;、，；|])|(?P<equals>=+)|(?P<opens>[(\[{])|(?P<closes>[)\]}])"
    r"|(?P<bad>!=|=!|=/=|/=|<>|[\^%√≈≠<>²³⁰-⁹₀-₉∑∫~&\\✗✘❌_])"
    rf"|(?P<chinese>{_CHINESE})|(?P<x>[xX](?=\s*+[0-9(\[{{.]))"
    rf"|(?P<sign>\*\*|[{re.escape(''.join(_SIGNS))}])|(?P<bang>[!！]+)|(?P<dot>[,.])"
    rf"|(?P<word>[\u4e00-\u9fff]|{_WORD})|(?P<other>\S)",
)
_PLAIN = {"arrow": ";", "stop": ".", "soft": ";", "bad": "x", "equals": "=", "opens": "("}
_PLAIN |= {"closes": ")"}
# Categories of characters that say nothing, such as emoji and quotes.
_HARMLESS = ("So", "Po", "Pi", "Pf", "Sk", "Pd")
_SPACED_SLASH = re.compile(r"[0-9]\s/\s")
_OPERAND = re.compile(rf"\s*+(?:[-−]\s*+)?(?:[0-9.(\[{{{VULGAR_FRACTIONS}]|[AJQK]\b)")
_NUMBER_AFTER_WORDS = re.compile(
    rf"((?:[ \t]*+[^\W\d_\u4e00-\u9fff]++){{0,2}}?)[ \t]*+[-−]?[0-9(\[{{.{VULGAR_FRACTIONS}]"
)
_RESULT_AT_END = re.compile(r"\s*+[0-9][0-9.,/]*+[ \t]*+(?:$|[;.!\n])")
_PHRASE = re.compile(rf"(?:[ \t]++{_WORD}){{0,{_MAX_PHRASE - 1}}}")
_NAME_NUMBER = re.compile(r"\.?[ \t]?[0-9]{1,2}(?![0-9]|\s*[-+*/x×=])(?:[ \t]*[.:：)])?")
_ARTICLE = "(?:the |die |le |la |el |de )?"


def readings(text: str) -> Iterator[tuple[str, Choice]]:
    """Yield a text without decoration, with each way to read it."""
    clean = _clean(text)
    names = [name for name, pattern in _CHOICES.items() if pattern.search(clean)]
    most = _MAX_CHOICES if len(clean) < _LONG else _MAX_LONG_CHOICES
    for values in product((True, False), repeat=min(len(names), most)):
        yield clean, Choice(**dict(zip(names, values, strict=False)))


def _clean(text: str) -> str:
    text = unicodedata.normalize("NFC", LATEX_SPACES.sub(" ", text)).translate(_CHARACTERS)
    text = normalise_formula(text).replace(_EQUALS, "=")
    for _ in range(_MAX_PHRASE):
        text = _FRACTION.sub(_write_fraction, text)
    for pattern, new in _CLEANING:
        text = pattern.sub(new, text)
    text = text.replace("<name>", _NAME)
    last = 0

    def blank_bullet(match: re.Match[str]) -> str:
        # The mark of a step, such as `a)` and `1.`, but no result.
        nonlocal last
        name, stop = match[1], match[2]
        before = text[max(match.start() - _WINDOW, 0) : match.start()].rstrip(" ")[-1:]
        number = int(name) if name.isdigit() else 0
        is_next = number > 0 and number == last + 1
        if stop == ":":
            is_bullet = before in ("", "\n") and is_next
        else:
            # `8-4=4 2) 4*3=12` is the second step, but `8 minus 4 is 5. 4 times` is no fifth.
            is_start = before in ("", *"\n;.|") or (before == "," and stop == ")")
            is_start = is_start and (is_next or match[0][0] != "(")
            is_letter = not number and stop == ")" and before not in "=+-*/("
            is_bullet = is_start or is_letter or (before.isdigit() and last > 0 and is_next)
        last = number if is_bullet else last
        return f" {_NAME} " if is_bullet else match[0]

    return _BULLET.sub(blank_bullet, text)


def _write_fraction(match: re.Match[str]) -> str:
    parts = [part.strip() for part in match.groups()]
    return "({}/{})".format(*(part if part.isdecimal() else f"({part})" for part in parts))


@lru_cache(maxsize=1)  # All readings of a text have its language.
def _language_of(text: str) -> str:
    """Return the language of most known words of a text; empty if two have as many."""
    words = re.findall(r"[^\W\d_]+'?[^\W\d_]*", text.lower())
    counts = Counter(language for word in words for language in _KINDS.get(word, ()))
    first, second = [*counts.most_common(2), ("", 0), ("", 0)][:2]
    return first[0] if first[1] > second[1] else ""


def has_number_words(text: str) -> bool:
    """Return whether a text has an operator between two numbers, all in words of one language."""
    words = re.findall(r"[^\W\d_\u4e00-\u9fff]+|[\u4e00-\u9fff]", text.lower())
    for language in _VOCABULARY:
        kinds = [_KINDS.get(word, {}).get(language, set()) for word in words]
        numbers = [i for i, kind in enumerate(kinds) if "number" in kind]
        between = kinds[numbers[0] : numbers[-1]] if numbers else []
        if len(numbers) > 2 or any(kind & {*_OPERATOR_WORDS} for kind in between):
            return True
    return False


def tokens_of(text: str, choice: Choice, letters: dict[str, int]) -> list[Token]:
    """Return the tokens of one reading of a clean text; `letters` have numbers."""
    if choice.big:
        thousands = r"(?<![0-9.,])[0-9]{1,3}(?:[., '][0-9]{3})++(?![0-9])"
        text = re.sub(thousands, lambda match: re.sub("[^0-9]", "", match[0]), text)
    return _Lexer(text, choice, letters).run()


@cache
def _verbs(language: str, verb: str) -> list[tuple[re.Pattern[str], str, bool]]:
    """Return the patterns after a verb such as `subtract`: `4 from 8` is 8 - 4."""
    rows = [row for row in _VOCABULARY.get(language, {"verbs": []})["verbs"] if row[0] == verb]
    number = rf"\s+{_ARTICLE}([0-9]+)"
    patterns = [re.compile(rf"{number}\s+{row[1]}{number}(?![0-9])") for row in rows]
    return [(pattern, *row[2:]) for pattern, row in zip(patterns, rows, strict=True)]


def _without_unused(tokens: list[Token]) -> list[Token]:
    """Return tokens with a break in place of each remark such as `the 8 is not used`."""
    kinds = "".join([token.kind for token in tokens])
    if "l" not in kinds:
        return tokens
    result, end = list[Token](), 0
    for remark in re.finditer("[(;.]?[nwu]*l[nwul]*[).;]?", kinds):
        result += [*tokens[end : remark.start()], Token(";")]
        end = remark.end()
    return result + tokens[end:]


class _Lexer:
    """The tokens so far, and the place in the text."""

    def __init__(self, text: str, choice: Choice, letters: dict[str, int]) -> None:
        self.text, self.choice, self.letters = text, choice, letters
        self.language = _language_of(text)
        self.tokens: list[Token] = []
        self.start = self.at = 0
        self.part = ""
        self.glued = False

    def run(self) -> list[Token]:
        while match := _TOKEN.search(self.text, self.at):
            self.glued = match.start() == self.at > 0
            self.move(match.start(), match.end())
            kind = match.lastgroup or ""
            if kind in _PLAIN:
                self.add(_PLAIN[kind])
            else:
                getattr(self, f"take_{kind}")()
        return _without_unused(self.tokens)

    def move(self, start: int, end: int) -> None:
        self.part, self.start, self.at = self.text[start:end], start, end

    def add(self, kind: str, value: Exact = 0) -> None:
        self.tokens.append(Token(kind, self.part, value, self.glued))

    def add_operator(self, sign: str) -> None:
        self.tokens.append(Token("o", sign, int(self.part != "/"), self.glued))

    @property
    def rest(self) -> str:
        return self.text[self.at : self.at + _WINDOW]

    @property
    def behind(self) -> str:
        return self.text[max(self.start - _WINDOW, 0) : self.start]

    @property
    def after_operand(self) -> bool:
        return bool(self.tokens) and self.tokens[-1].kind in "n)"

    @property
    def after_result(self) -> bool:
        """Whether the last token ends a number, or a fraction such as 1/3, after an equals sign."""
        kinds = "".join([token.kind for token in self.tokens[-4:]])
        is_quotient = kinds == "=non" and self.tokens[-2].text == "/" and self.tokens[-1].glued
        return kinds.endswith("=n") or is_quotient

    def take_other(self) -> None:
        is_harmless = unicodedata.category(self.part) in _HARMLESS or self.part in "\u200d„‚"
        self.add("w" if is_harmless else "x")

    def take_x(self) -> None:
        self.add_operator("*")

    def take_dot(self) -> None:
        self.add(";" if self.part == "," else ".")

    def take_bang(self) -> None:
        # A factorial, or the end of a sentence.
        is_last = len(self.tokens) > 1 and self.tokens[-1].kind == "n" and not self.rest.strip(" !")
        is_single = self.glued and len(self.part) == 1 and not is_last
        is_factorial = is_single and not self.after_result
        goes_on = re.match(r"\s*[-+*/x×)]", self.rest)
        is_part = self.after_operand and (goes_on or is_factorial)
        self.add("x" if is_part or self.rest[:1].isdigit() else ".")

    def take_mixed(self) -> None:
        whole, top, bottom = map(int, re.split("[ /]", self.part))
        if self.choice.mixed and 0 < top < bottom:
            self.add("n", whole + Fraction(top, bottom))
        else:
            self.move(self.start, self.start + self.part.index(" "))
            self.take_number()

    def take_number(self) -> None:
        part = self.part
        if len(part) > MAX_NUMBER_LENGTH or (part.isdecimal() and part != "0" and part[0] == "0"):
            self.add("x")
        elif part.isdecimal():
            self.add("n", int(part))
        elif part[-1] > "9":
            fraction = Fraction(unicodedata.numeric(part[-1])).limit_denominator(10)
            self.add("n", fraction + int(part[:-1] or 0))
        elif part.count(",") + part.count(".") == 1 and (self.choice.comma or "." in part):
            self.add("n", int_if_whole(Fraction(part.replace(",", "."))))
        elif "." not in part:
            # A list: read its first number, then the comma.
            self.move(self.start, self.start + part.index(","))
            self.take_number()
        else:
            self.add("x")

    def take_sign(self) -> None:
        part, rest, behind = self.part, self.rest, self.behind
        sign = _SIGNS.get(part)
        is_spaced = rest[:1].isspace()
        if part == ":":
            kind = self._kind_of_colon(rest, behind)
        elif part == "/" and rest.startswith("/") and behind[-1:].isspace():
            self.at += 1
            kind = ";"
        elif sign is None or re.match(r"[*/:x×·+÷]|\s*[=)]" if sign == "-" else "[*/:x×·+÷]", rest):
            kind = "x"
        elif self.choice.bullet and is_spaced and not behind.rpartition("\n")[2].strip():
            kind = ";"
        else:
            is_alone = is_spaced or (part == "/" and not _SPACED_SLASH.search(self.text))
            chosen = {"/": self.choice.slash, "-": self.choice.dash}.get(sign, False)
            kind = ";" if is_alone and chosen and self.after_result else "o"
        is_operator = part == "/" and self.after_operand
        if kind == "o" and sign != "+" and not _OPERAND.match(rest) and not is_operator:
            # A dash or a point that is no operator, or a formula that is broken off.
            is_mark = not self.after_operand or part in "-–—•:"
            kind = ";" if is_mark else "o" if re.match(r"\s*[a-zß-ÿ]", rest) else "x"
        if kind == "o" and self.glued and self.tokens[-1:] and self.tokens[-1].kind in "wu":
            self.add("x")  # A word as a number: `one+2`.
        elif kind == "o":
            self.add_operator(sign or "")
        else:
            self.add(kind)

    def _kind_of_colon(self, rest: str, behind: str) -> str:
        """Return whether a colon is a division, ends a label, or states a result."""
        if not self.after_operand:
            is_label = behind.rstrip()[-1:].isalpha() or not rest.strip()
            return ";" if is_label or self.choice.colon else "o"
        if not self.choice.colon or not rest[:1].isspace():
            return "x" if re.match("[*/x×·+÷]", rest) else "o"
        if _RESULT_AT_END.match(rest) and not self.after_result:
            return "="
        return "o" if behind[-1:].isspace() else ";"

    def take_chinese(self) -> None:
        self.take_phrase(self.part)

    def take_word(self) -> None:
        if len(self.part) == 1 and self.part.isascii() and self.glued and self.after_operand:
            self.add("x")
            return
        if self.part in self.letters and re.match(r"\s*(?:[-+*/x×÷:)=]|$)", self.rest):
            self.add("n", self.letters[self.part])
            return
        # The longest phrase of known words that starts here.
        follows = _PHRASE.match(self.rest)
        words = f"{self.part}{follows[0] if follows else ''}".lower()
        for end in (len(words), *reversed([gap.start() for gap in re.finditer("[ \t]+", words)])):
            if (phrase := " ".join(words[:end].split())) in _KINDS:
                self.move(self.start, self.start + end)
                self.take_phrase(phrase)
                return
        if (short := re.sub(r"(.)\1{2,}", r"\1", self.part.lower())) in _KINDS:
            self.take_phrase(short)  # Such as `yesss`.
            return
        if self.part.endswith("'"):
            self.move(self.start, self.at - 1)
            self.take_word()
            return
        start, apostrophe, _ = words.partition("'")
        if apostrophe and start + apostrophe in _KINDS:
            self.move(self.start, self.start + len(start) + 1)
            self.take_phrase(start + apostrophe)
            return
        # A name before a colon at the start of a line: `Anna: 3 x 8`.
        is_first = not self.behind.rpartition("\n")[2].strip() and self.part[0].isupper()
        self.add("w" if is_first and re.match("[ \t]*[:：]", self.rest) else "u")

    def kinds_of(self, phrase: str) -> set[str]:
        """Return the kinds of a phrase: those in the language of the text, or else in any."""
        by_language = _KINDS.get(phrase, {})
        return by_language.get(self.language) or set().union(*by_language.values())

    def take_phrase(self, phrase: str) -> None:
        kinds, rest = self.kinds_of(phrase), self.rest
        if "verb" in kinds and self._take_verb(phrase, rest):
            return
        if "unused" in kinds and self.tokens and not self._number_follows(rest):
            self.add("l")
            return
        sign = next((_OPERATOR_WORDS[kind] for kind in _OPERATOR_WORDS if kind in kinds), "")
        # `round(3)` is a function, and `E3` no number.
        is_latin = phrase[0] < "\u4e00"
        is_call = rest[:1] == "(" and "is" not in kinds and not sign
        is_letter = len(phrase) == 1 and rest[:1].isdigit() and "numbered" not in kinds
        if is_latin and (is_call or is_letter):
            self.add("x")
        elif sign and self._number_follows(rest) and not self._is_imperative(kinds, rest):
            self.add_operator(sign)
        elif "numbered" in kinds and (name := _NAME_NUMBER.match(rest)):
            self.at += name.end()
            self.add(";")
        elif "counted" in kinds and self._is_count():
            self.tokens[-1] = Token("w", self.tokens[-1].text)
        elif "restart" in kinds and ("not" not in kinds or self._is_restart(rest)):
            self.add("r")
        elif "is" in kinds and not ("filler" in kinds and self.after_result):
            self.add("=")
        elif "not" in kinds:
            self.add("x")
        elif "or" in kinds:
            self.add("|")
        elif sign and self.after_operand:
            self.add("x")
        else:
            self.add("w" if sign or kinds & {"filler", "numbered", "counted"} else "u")

    def _take_verb(self, phrase: str, rest: str) -> bool:
        languages = [self.language] if self.language else [*_VOCABULARY]
        for pattern, sign, is_swapped in (v for name in languages for v in _verbs(name, phrase)):
            if found := pattern.match(rest):
                one, two = (found[2], found[1]) if is_swapped else (found[1], found[2])
                one, two = (Token("n", word, int(word)) for word in (one, two))
                self.tokens += [one, Token("o", sign, 1), two]
                self.at += found.end()
                return True
        return False

    def _is_imperative(self, kinds: set[str], rest: str) -> bool:
        """Whether a verb stands before a whole operation: `subtract 5 - 2`."""
        is_first = not self.tokens or self.tokens[-1].kind == "."
        words = re.match(rf"\s*{_ARTICLE}[0-9.,]+\s*(?:[-+*/x×÷:−·](?!>)|([^\W\d_]+))", rest)
        if "verb" not in kinds or not is_first or not words:
            return False
        return not words[1] or bool(self.kinds_of(words[1].lower()) & {*_OPERATOR_WORDS})

    def _number_follows(self, rest: str) -> bool:
        number = _NUMBER_AFTER_WORDS.match(rest)
        words = number[1].split() if number else ()
        return number is not None and all("filler" in self.kinds_of(w.lower()) for w in words)

    def _is_restart(self, rest: str) -> bool:
        """Whether a word such as `no` stands alone, so that it does not deny what follows."""
        word = re.match(r"\s+([^\W\d_]+)", rest)
        is_next = word is not None and "restart" in self.kinds_of(word[1].lower())
        return is_next or re.match(r"\s*(?:[,.:;!…-]|$)", rest) is not None

    def _is_count(self) -> bool:
        """Whether the last token is a number that only counts something, such as `4 cards`."""
        tokens = self.tokens
        is_number = tokens[-1:] != [] and tokens[-1].kind == "n" and len(tokens[-1].text) < 3
        return is_number and (len(tokens) == 1 or tokens[-2].kind not in "o=")
