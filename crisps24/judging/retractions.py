"""Retractions: whether the text after an answer takes that answer back.

`Wait, that is wrong.` does; `My first attempt was wrong.` can be about another attempt, and does
not. In doubt the answer stands. A sentence retracts it, after its first words (`no`, `but`),

- if it names the answer: `My answer is wrong.`;
- if it has a word such as `that`, `That is wrong.`, or says what is wrong, `One number is missing.`
  But it must be the first one, as `that` can be another attempt later, or be behind `wait`.

A question retracts nothing, and a later sentence can confirm the answer again: `No, it is right.`
Negations and conditions undo a denial: `No number is missing.` The words are in `words.toml`.
"""

import re
from functools import cache

from crisps24.judging.claims import WORDS, parse_claim
from crisps24.rules.exact import Exact

# Characters after an answer that are searched for a retraction.
MAX_RETRACTION_LENGTH = 20_000
# Sentences that are searched, so that short ones take no longer.
_MAX_SENTENCES = 500
# A word, or a Chinese character: most answers have none after them.
_WORD = re.compile(r"[^\W\d_]{2}|[\u4e00-\u9fff]")
# The end of the turn of a chat, after which another person writes.
_TURN_END = re.compile(
    r"<\|(?:im_end|im_start|eot_id|endoftext)\|>|</s>|^[^\S\n]*+(?:user|human)[^\S\n]*+:?[^\S\n]*+$",
    re.IGNORECASE | re.MULTILINE,
)
# A line end inside a sentence: the next line starts with a small letter.
_WRAPPED_LINE = re.compile(r"(?<=[^\W\d_]|[,:])[ \t]*\r?\n[ \t]*(?=[a-zß-öø-ÿ])")
# Marks around an answer, which can end after it, and the tokens of chat formats.
_MARK = re.compile(r"</?[a-z]{1,20}>|<\|[a-z_]{1,40}\|>|[*_`$#>\"“”„«»()\[\]{}\\✗✘❌]")
# The ends of sentences; a question mark stays in its sentence.
_SENTENCE_END = re.compile(r"[.!…;。！；\n\r]|(?<=[?？])")
# A formula in a sentence is another subject.
_FORMULA = "[0-9)] ?[-+*/x×:÷=] ?[0-9(]"
# Parts of the words of denials by language, and of all languages.
_HINTS = {name: re.compile(words["hint"]) for name, words in WORDS.items() if "hint" in words}
_OTHER_HINT = re.compile("|".join(_HINTS[name].pattern for name in _HINTS if name != "en"))
_STRIKE = re.compile(r"(?<!~)~~(?!~)")
_SPACE = " ,，、:：—–-"
_TICK = re.compile("[✓✔✅☑]")


@cache
def _compile(language: str) -> dict[str, re.Pattern[str]]:
    """Compile the words of a language, and the denials that are made of them."""
    words = {"boundary": r"(?!\w)"} | WORDS[language]
    wrong, boundary = words["wrong"], words["boundary"]
    start = r"(?<!\w)" if boundary else ""
    # Only a reason can follow a denial.
    end = rf"(?:\s*$|\s*[:：]|\s[—–-]\s|[\s,，]*(?:{words['reason']}){boundary})"
    opening = rf"(?:({words['interruption']})|{words['opening']}){boundary}[\s{_SPACE}]*"
    either, whole = rf"(?:{wrong}|{words['fails']})", rf"(?:{words['taken_back']})\s*$"
    texts = {
        "opening": f"(?:{opening})+",
        "names": rf"(?:{words['answer']})\s*{either}{end}|(?:{words['discarded']})\s*$",
        "refers": rf"(?:{words['this']})\s*{either}{end}|{whole}",
        # After a claim of no solution, a word such as `fails` says the same again.
        "refers_to_claim": rf"(?:{words['this']})\s*(?:{wrong}){end}|{whole}",
        # More can follow after a comma.
        "refers_after_wait": rf"(?:{words['this']})\s*{either}(?:{end}|\s*[,，])|{whole}",
        "confirmed": words["confirmed"],
        "flaw": f"{start}(?:{'|'.join(words['flaw'])}){boundary}",
        "elsewhere": f"{start}(?:{words['elsewhere']}){boundary}",
        "before": f"{start}(?:{words['before']}){boundary}|n't{boundary}|{_FORMULA}",
        "after": f"{start}(?:{words['after']}){boundary}|{_FORMULA}",
    }
    return {name: re.compile(text) for name, text in texts.items()}


def is_retracted(after: str, *, is_claim: bool = False) -> bool:
    """Return whether the text after an answer takes the answer back.

    After a claim that there is no solution, `It does not work.` says the same again: only a word
    such as `wait` makes it a retraction.

    >>> is_retracted("</answer> Wait, that is wrong."), is_retracted("} Nee, dat klopt niet.")
    (True, True)
    >>> is_retracted("</answer> My first attempt was wrong."), is_retracted("} Is that wrong?")
    (False, False)
    """
    after = after[:MAX_RETRACTION_LENGTH].removeprefix("</answer>")
    if not _WORD.search(after):
        return False
    after = after.replace("’", "'").replace("ʼ", "'")
    lower = after.lower()
    # Few texts in English have hints of other languages.
    hints = _HINTS if _OTHER_HINT.search(lower) else ["en"]
    languages = [name for name in hints if _HINTS[name].search(lower)]
    if not languages:
        return False
    sentences = _sentences_of(after)
    return any(_retracts(sentences, _compile(name), is_claim) for name in languages)


def _sentences_of(after: str) -> list[str]:
    text = _WRAPPED_LINE.sub(" ", _TURN_END.split(after, maxsplit=1)[0]).lower()
    parts = _SENTENCE_END.split(_MARK.sub(" ", text), maxsplit=_MAX_SENTENCES)[:_MAX_SENTENCES]
    return [" ".join(part.split()).strip(_SPACE) for part in parts]


def is_contradicted(before: str, after: str, target: Exact) -> bool:
    """Return whether an answer is struck out, or the text after it says that there is none.

    >>> is_contradicted("~~<answer>", "</answer>~~ other", 24)
    True
    >>> is_contradicted("", "</answer> There is no solution.", 24), is_contradicted("~~", "", 24)
    (True, False)
    """
    if len(_STRIKE.findall(before)) % 2 and _STRIKE.search(after):
        return True
    after = after[:MAX_RETRACTION_LENGTH].removeprefix("</answer>")
    sentences = filter(None, _sentences_of(after)) if _WORD.search(after) else ()
    claims = filter(None, map(parse_claim, sentences))
    return any(claim.target in (None, target) for claim in claims)


def _retracts(sentences: list[str], patterns: dict[str, re.Pattern[str]], is_claim: bool) -> bool:
    """Return whether some sentence retracts the answer, and no later one confirms it."""
    # Whether `that` can only mean the answer: no sentence before has another subject.
    is_retracted, is_clear = False, True
    for sentence in filter(None, sentences):
        if sentence.endswith(("?", "？")):
            # A question neither retracts nor confirms.
            is_clear = False
            continue
        opening = patterns["opening"].match(sentence)
        rest = sentence[opening.end() :] if opening else sentence
        # Group 1 is a word such as `wait`.
        has_waited = opening is not None and opening[1] is not None
        refers = "refers_after_wait" if has_waited else "refers_to_claim" if is_claim else "refers"
        if (
            patterns["names"].match(rest)
            or ((has_waited or is_clear) and patterns[refers].match(rest))
            or ((has_waited or (is_clear and not is_claim)) and _has_flaw(rest, patterns))
        ):
            is_retracted = True
        elif _TICK.search(sentence) or patterns["confirmed"].search(sentence):
            is_retracted = False
        # After only a word such as `hmm`, or a mark, `that` is still the answer.
        is_clear = is_clear and not re.search(r"\w", rest)
    return is_retracted


def _has_flaw(sentence: str, patterns: dict[str, re.Pattern[str]]) -> bool:
    """Return whether a sentence says what is wrong with the answer, and does not undo that."""
    flaw = patterns["flaw"].search(sentence)
    if flaw is None or patterns["elsewhere"].search(sentence):
        return False
    before, after = sentence[: flaw.start()], sentence[flaw.end() :]
    is_undone = patterns["before"].search(before) or patterns["after"].search(after)
    return not is_undone and not any(map(patterns["confirmed"].search, (before, after)))
