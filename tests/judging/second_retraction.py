"""The part of the second judge that finds out whether a text takes its answer back.

It compares whole phrases, which are listed, and shares no code with the package.
"""

import re
from itertools import product


def _phrases(*columns: str) -> set[str]:
    """Return all phrases that take one choice of each column; choices are separated by `|`."""
    return {" ".join(words) for words in product(*(column.split("|") for column in columns))}


# Words after which any sentence can be a retraction, and words before a first sentence.
_INTERRUPTIONS = (
    *("wait a minute", "wait", "hold on", "oops", "sorry", "moment", "warte", "attends", "désolé"),
    *("espera", "perdón", "wacht", "等等"),
)
_STARTS = (
    *("hmm", "no", "oh no", "oh", "actually", "but", "so", "nein", "eigentlich", "aber", "non"),
    *("nee", "eigenlijk", "maar", "其实"),
)
# Retractions that can be about another attempt, unless they come first or after `wait`.
_THIS = {
    *_phrases("that|this|it", "is|was", "wrong|incorrect|not right|not correct|invalid"),
    *_phrases("that|this", "can't be right|must be wrong|is not the right answer"),
    *_phrases("that's|it's", "wrong|incorrect|not right|not correct"),
    *_phrases("that|this|it", "doesn't work|does not work"),
    *_phrases("das|dies|es", "ist|war", "falsch|nicht richtig"),
    *_phrases("das|es", "stimmt nicht|geht nicht|geht so nicht|funktioniert nicht"),
    *_phrases("c'est|c'était", "faux|incorrect"),
    *_phrases("ça|cela", "ne marche pas"),
    *_phrases("ce n'est pas", "correct|juste|bon"),
    *_phrases("eso está|eso es|esto está|está", "mal|incorrecto"),
    *_phrases("eso|esto", "no funciona|no es correcto"),
    *_phrases("dat|dit|het", "is|was", "fout|verkeerd|onjuist|niet goed"),
    *_phrases("dat|dit|het", "klopt niet|werkt niet"),
    *("这不对", "不对", "这是错的", "它不对", "這是錯的", "no es correcto"),
}
# Whole sentences of the same kind.
_WHOLE = {
    *_phrases("i", "take that back|made a mistake|was wrong|messed up"),
    *("scratch that", "ich habe mich verrechnet", "ich habe mich vertan", "ist das falsch"),
    *("stimmt das nicht", "je me suis trompé", "me equivoqué", "me he equivocado"),
    *("ik heb me vergist", "klopt dat niet", "is dat fout", "我算错了", "我错了"),
}
_ANSWER = {
    *_phrases("my|the|this", "answer", "is|was", "wrong|incorrect|not right"),
    *("i retract my answer", "please ignore the answer above"),
    *_phrases("meine|die|diese", "antwort", "ist falsch|ist leider falsch|stimmt nicht"),
    *_phrases("ma|la|cette", "réponse", "est fausse|est incorrecte"),
    *_phrases("mi|la|esta", "respuesta", "es incorrecta|está mal"),
    *_phrases("mijn|het|dit", "antwoord", "is fout|is verkeerd|klopt niet"),
    *("我的答案是错的", "答案是错的"),
}
_CONFIRMED = (
    *("is right", "is correct", "that's right", "it's right", "is indeed right"),
    *("ist richtig", "ist doch richtig", "est juste", "es correcto", "is goed", "这个是对的"),
    "false alarm",
)
_REASONS = ("because ", "since ", "weil ", "car ", "porque ", "want ")


def takes_back(after: str, *, is_claim: bool = False) -> bool:
    """Return whether the text after an answer takes it back; a claim needs a word like `wait`."""
    text = re.split(r"(?m)<\|im_end\|>|^User:$", after)[0]
    text = re.sub(r"(?<=[a-z,])\n(?=[a-z])", " ", text)
    text = text.lower().replace("’", "'")
    text = re.sub(r"</?[a-z]+>|<\|[a-z_]+\|>|[*_`$#>{}\\()\[\]\"]", " ", text)
    is_back, is_clear = False, not is_claim
    for match in re.finditer(r"[^.!?。！？\n\r;；…]+[?？]?", text):
        sentence = " ".join(match[0].split()).strip(" ,，:：-–—")
        if sentence.endswith(("?", "？")):
            is_clear = False
            continue
        rest, interrupted = sentence, False
        while start := next(
            (word for word in (*_INTERRUPTIONS, *_STARTS) if _opens(rest, word)), ""
        ):
            interrupted |= start in _INTERRUPTIONS
            rest = rest[len(start) :].strip(" ,，:：-–—")
        refers = rest in _WHOLE or any(_says(rest, phrase, interrupted) for phrase in _THIS)
        if (refers and (is_clear or interrupted)) or any(
            _says(rest, said, False) for said in _ANSWER
        ):
            is_back = True
        elif any(words in sentence for words in _CONFIRMED):
            is_back = False
        is_clear = is_clear and not re.search(r"\w", rest)
    return is_back


def _opens(sentence: str, word: str) -> bool:
    after = sentence[len(word) :]
    if word == "no" and after.startswith((" es ", " está ")):
        # In Spanish this denies the rest.
        return False
    return sentence.startswith(word) and (not after or not after[0].isalnum() or not word.isascii())


def _says(sentence: str, phrase: str, interrupted: bool) -> bool:
    """Return whether a sentence is a phrase, perhaps with a reason; after `wait`, with more."""
    after = sentence[len(phrase) :].strip()
    return sentence.startswith(phrase) and (
        not after
        or after[0] in ":："
        or after.lstrip(", ").startswith(_REASONS)
        or (interrupted and after[0] in ",，")
    )
