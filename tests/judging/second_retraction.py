"""The part of the second judge that finds out whether a text takes its answer back.

It compares whole phrases, which are listed, and shares no code with the package.
"""

import re
from itertools import product


def _phrases(*columns: str) -> set[str]:
    """Return all phrases that take one choice of each column; choices are separated by `|`."""
    return {" ".join(words) for words in product(*(column.split("|") for column in columns))}


_STARTS = (
    *("wait", "hold on", "hmm", "no", "oh", "oops", "oh no", "sorry", "actually", "but", "so"),
    *("moment", "nein", "warte", "eigentlich", "aber", "attends", "non", "désolé", "espera"),
    *("perdón", "nee", "wacht", "eigenlijk", "maar", "等等", "其实"),
)
# Retractions that can be about another attempt, unless they come first or after `wait`.
_THIS = {
    *_phrases("that|this|it", "is|was", "wrong|incorrect|not right|not correct|invalid"),
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
    *("这不对", "不对", "这是错的", "它不对"),
}
_ANSWER = {
    *_phrases("my|the|this", "answer", "is|was", "wrong|incorrect|not right"),
    *_phrases("i", "retract my answer|take that back|made a mistake|was wrong"),
    *("scratch that", "ignore that", "please ignore the answer above"),
    *_phrases("meine|die|diese", "antwort", "ist falsch|ist leider falsch|stimmt nicht"),
    *("ich habe mich verrechnet", "ich habe mich vertan", "ist das falsch", "stimmt das nicht"),
    *_phrases("ma|la|cette", "réponse", "est fausse|est incorrecte"),
    *("je me suis trompé", "me equivoqué", "me he equivocado"),
    *_phrases("mi|la|esta", "respuesta", "es incorrecta|está mal"),
    *_phrases("mijn|het|dit", "antwoord", "is fout|is verkeerd|klopt niet"),
    *("ik heb me vergist", "klopt dat niet", "is dat fout"),
    *("我算错了", "我错了", "我的答案是错的", "答案是错的"),
}
_CONFIRMED = (
    *("is right", "is correct", "that's right", "it's right", "is indeed right"),
    *("ist richtig", "ist doch richtig", "est juste", "es correcto", "is goed", "这个是对的"),
)
_REASONS = ("because ", "since ", "weil ", "car ", "porque ", "want ")


def takes_back(after: str) -> bool:
    """Return whether the text after an answer takes it back."""
    text = after.lower().replace("’", "'")
    text = re.sub(r"</?[a-z]+>|<\|[a-z_]+\|>|[*_`$#>{}\\()\[\]\"]", " ", text)
    is_back, is_first = False, True
    for match in re.finditer(r"[^.!?。！？\n\r;；…]+[?？]?", text):
        sentence = " ".join(match[0].split()).strip(" ,，:：-–—")
        if not re.search(r"[^\W\d_]", sentence):
            continue
        rest, started = sentence, False
        while start := next((word for word in _STARTS if _begins(rest, word, "")), None):
            rest, started = rest[len(start) :].strip(" ,，:：-–—"), True
        if sentence.endswith(("?", "？")):
            pass
        elif any(_begins(rest, phrase, _REASONS) for phrase in _ANSWER) or (
            (is_first or started) and any(_begins(rest, phrase, _REASONS) for phrase in _THIS)
        ):
            is_back = True
        elif any(words in sentence for words in _CONFIRMED):
            is_back = False
        is_first = is_first and not rest
    return is_back


def _begins(sentence: str, phrase: str, reasons: str | tuple[str, ...]) -> bool:
    """Return whether a sentence is a phrase, perhaps with more after a comma or a reason.

    If `reasons` is empty, any word can follow.
    """
    if not sentence.startswith(phrase):
        return False
    after = sentence[len(phrase) :]
    if not reasons:
        return not after or not after[0].isalnum() or not phrase.isascii()
    return (
        not after.strip() or after.lstrip()[0] in ",，:：-–—" or after.lstrip().startswith(reasons)
    )
