"""Retractions: whether the text after an answer takes that answer back.

`Wait, that is wrong.` does; `My first attempt was wrong.` can be about another attempt, and does
not. In doubt the answer stands: a retraction is the first sentence after the answer, or it starts
with a word such as `wait`, or it names the answer; and a later sentence can confirm the answer. A
language is a record in `_LANGUAGES`.
"""

import re
from functools import cache
from typing import NamedTuple

# Characters after an answer that are searched for a retraction.
MAX_RETRACTION_LENGTH = 20_000
# A word, or a character of Chinese: most answers have none after them.
_WORD = re.compile(r"[^\W\d_]{2}|[\u4e00-\u9fff]")
# Marks around an answer, which can end after it, and the tokens of chat formats.
_MARK = re.compile(r"</?[a-z]{1,20}>|<\|[a-z_]{1,40}\|>|[*_`$#>\"“”„«»()\[\]{}\\✓✗✘❌]")
# The ends of sentences; a question mark stays, since a question takes nothing back.
_SENTENCE_END = re.compile(r"[.!…;。！；\n\r]|(?<=[?？])")
# Every retraction has one of these; few other texts after an answer have. English, German, French,
# Spanish, Dutch, Chinese.
_HINTS = (
    *("wrong", "incorrect", "invalid", "false", "mistake", "not ", "n't", "error", "retract"),
    *("withdraw", "back", "ignore", "disregard", "forget", "scratch", "strike", "n’t", "nʼt"),
    *("falsch", "ungültig", "fehler", "nicht", "zurück", "vertan", "verrechnet", "geirrt"),
    *("vergiss", "vergessen", "faux", "fausse", "erron", "erreur", "pas", "tromp", "retire"),
    *(
        "oubli",
        "mal",
        "erróne",
        "equivoc",
        "equivoqu",
        "fals",
        "inválid",
        "no ",
        "retiro",
        "olvida",
    ),
    *("fout", "onjuist", "verkeerd", "ongeldig", "niet", "vergist", "verrekend", "trek"),
    *("vergeet", "不", "错", "收回", "忽略"),
)
_APOSTROPHES = str.maketrans("’ʼ", "''")


class _Words(NamedTuple):
    """The words of a language, as regular expressions in lower case."""

    start: str
    """Words before a retraction, such as `wait`."""
    answer: str
    """Words that can only mean the answer, such as `my answer`."""
    this: str
    """Words that can mean the answer, such as `that`."""
    wrong: str
    """What is said about a wrong answer, such as `is wrong`."""
    taken_back: str
    """Retractions without the words above, such as `I made a mistake`."""
    confirmed: str
    """What is said about a right answer, such as `is right`."""
    reason: str
    """Words after which the reason follows, such as `because`."""
    boundary: str = r"(?!\w)"
    """What ends a word; nothing in a language without spaces."""


_ENGLISH = _Words(
    start="wait|hold on|hang on|hmm+|hm|oh|oh no|oops|whoops|no|sorry|actually|but|ah|argh|so",
    answer="(?:my|the|this|that)(?: final| last| above)? (?:answer|solution|formula|expression)"
    "(?: above)?|the above",
    this="that|this|it",
    wrong="(?:is|was|seems|looks|'s)(?: actually| clearly| still| just| also)? "
    "(?:wrong|incorrect|invalid|false|a mistake|not (?:right|correct|valid|allowed|24))"
    "|(?:isn't|wasn't) (?:right|correct|valid)"
    "|(?:does not|doesn't|did not|didn't|won't) work",
    taken_back="i (?:take|took) (?:that|it|this|my answer) back|i (?:retract|withdraw) "
    "(?:that|this|it|my answer|my last answer)|i (?:made|have made) (?:a|an) (?:mistake|error)"
    "|i was wrong|(?:please )?(?:ignore|disregard|forget|scratch|strike) "
    "(?:that|this|it|my answer|the above|the answer above)",
    confirmed=r"\b(?:is|was|are)(?: still| indeed| actually| in fact| fine and)? "
    r"(?:right|correct|fine|valid|ok|okay)\b|'s (?:right|correct|fine|valid|ok|okay)\b"
    r"|\bstands\b|\bnever mind\b|\bit (?:does work|works)\b",
    reason="because|since|as",
)
_GERMAN = _Words(
    start="moment|moment mal|warte|wartet|halt|stopp|nein|doch|oh|ups|hoppla|sorry|hm+|aber"
    "|entschuldigung|eigentlich|tut mir leid",
    answer="(?:meine|die|diese)(?: letzte)? (?:antwort|lösung|rechnung|formel)",
    this="das|dies|es",
    wrong="(?:ist|war)(?: doch| leider| aber| eigentlich| so| ja)? "
    "(?:falsch|ungültig|ein fehler|nicht (?:richtig|korrekt|erlaubt|gültig))"
    "|(?:stimmt|geht|funktioniert|klappt)(?: so| doch| leider| aber| ja)? nicht",
    taken_back="ich nehme (?:das|es|meine antwort) zurück"
    "|ich habe mich (?:vertan|verrechnet|geirrt)|ich habe einen fehler gemacht"
    "|vergiss das|vergessen sie das"
    "|(?:ist|war) (?:das|es) (?:doch )?falsch|stimmt (?:das|es)(?: doch)? nicht",
    confirmed=r"\b(?:ist|war)(?: doch| also| schon)? (?:richtig|korrekt|gültig)\b"
    r"|\bstimmt(?: doch| also| schon)?$|\bstimmt(?: doch| also| schon)? ?,",
    reason="weil|da|denn",
)
_FRENCH = _Words(
    start="attends|attendez|non|oups|désolée?|pardon|hmm+|en fait|mais|zut|ah|oh",
    answer="(?:ma|la|cette)(?: dernière)? (?:réponse|solution|formule)",
    this="c'|ça|cela|ceci|ce",
    wrong="(?:est|était)(?: en fait)? ?(?:faux|fausse|incorrecte?|erronée?|une erreur|invalide)"
    "|n'est pas (?:correcte?|juste|bon|bonne|valide|exacte?)"
    "|ne (?:marche|fonctionne|va) pas",
    taken_back="je me suis trompée?|je retire (?:ça|cela|ma réponse)|j'ai fait une erreur"
    "|oublie(?:z)? (?:ça|cela|ma réponse)",
    confirmed=r"(?:c'est|\best)(?: bien| donc)? (?:juste|correcte?|bon|bonne|exacte?|valide)\b",
    reason="car|parce que|puisque",
)
_SPANISH = _Words(
    start="espera|espere|no|ups|perdón|perdona|lo siento|hmm+|en realidad|pero|ah|oh",
    answer="(?:mi|la|esta|esa)(?: última)? (?:respuesta|solución|fórmula)",
    this="eso|esto|ello|",
    wrong="(?:es|está|era|estaba)(?: en realidad)? "
    "(?:mal|incorrect[oa]|erróne[oa]|equivocad[oa]|fals[oa]|inválid[oa]|un error)"
    "|no (?:es (?:correct[oa]|válid[oa])|está bien|funciona|vale|sirve)",
    taken_back="me (?:equivoqué|he equivocado)|retiro (?:eso|mi respuesta)|cometí un error"
    "|he cometido un error|olvida (?:eso|mi respuesta)",
    confirmed=r"(?<!no )\b(?:es|está|era)(?: sí)? (?:correct[oa]|bien|válid[oa])\b",
    reason="porque|ya que|pues",
)
_DUTCH = _Words(
    start="wacht|wacht even|nee|oeps|sorry|hmm+|eigenlijk|maar|ho|oh|ach",
    answer="(?:mijn|het|dit|deze|die|de)(?: laatste)? (?:antwoord|oplossing|formule|berekening)",
    this="dat|dit|het",
    wrong="(?:is|was)(?: toch| eigenlijk| helaas)? "
    "(?:fout|onjuist|verkeerd|ongeldig|een fout|niet (?:goed|juist|correct|geldig|toegestaan))"
    "|(?:klopt|werkt|mag|kan)(?: toch| helaas)? niet",
    taken_back="ik heb me (?:vergist|verrekend)|ik (?:heb|maakte) een fout(?: gemaakt)?"
    "|ik trek (?:dat|dit|mijn antwoord) (?:terug|in)|vergeet (?:dat|dit|mijn antwoord)"
    "|(?:is|was) (?:dat|dit|het) (?:toch )?(?:fout|verkeerd|onjuist)|klopt (?:dat|dit|het) niet",
    confirmed=r"\b(?:is|was)(?: toch| dus| wel)? (?:goed|juist|correct|geldig)\b"
    r"|\bklopt(?: toch| dus| wel)?$|\bklopt(?: toch| dus| wel)? ?,",
    reason="want|omdat",
)
_CHINESE = _Words(
    start="等等|等一下|等下|不(?=[，,])|哦|噢|啊|抱歉|对不起|其实|但是|不过",
    answer="(?:我的|这个|上面的|以上的?)?(?:答案|解答|解法)",
    this="这个?|那个?|它|",
    wrong="(?:是|好像|其实|好像是|其实是)?(?:不对的?|错了|错的|错误的?|不正确的?|不成立|不行)",
    taken_back="我(?:算|弄|搞|写)?错了|我收回(?:这个|我的)?(?:答案)?|请?忽略(?:这个|上面的)?答案",
    confirmed="(?<!不)(?:是对的|正确|没错|没问题)",
    reason="因为",
    boundary="",
)
_LANGUAGES = (_ENGLISH, _GERMAN, _FRENCH, _SPANISH, _DUTCH, _CHINESE)


class _Patterns(NamedTuple):
    """The compiled patterns of a language."""

    starts: re.Pattern[str]
    """Only words such as `wait`, at the start of a sentence."""
    names_answer: re.Pattern[str]
    """A retraction that names the answer."""
    refers_to_it: re.Pattern[str]
    """A retraction with a word such as `that`."""
    confirms: re.Pattern[str]


@cache
def _patterns() -> tuple[_Patterns, ...]:
    return tuple(map(_compile, _LANGUAGES))


def _compile(words: _Words) -> _Patterns:
    """Compile the patterns of a language; what follows a retraction can only be its reason."""
    end = rf"(?:\s*$|\s*[,，:：—–-]|\s*(?:{words.reason}){words.boundary})"
    return _Patterns(
        re.compile(rf"(?:(?:{words.start}){words.boundary}[\s,，、:：—–-]*)+"),
        re.compile(rf"(?:(?:{words.answer})\s*(?:{words.wrong})|(?:{words.taken_back})){end}"),
        re.compile(rf"(?:{words.this})\s*(?:{words.wrong}){end}"),
        re.compile(words.confirmed),
    )


def is_retracted(after: str) -> bool:
    r"""Return whether the text after an answer takes the answer back.

    >>> is_retracted("</answer> Wait, that is wrong."), is_retracted("} Nee, dat klopt niet.")
    (True, True)
    >>> is_retracted("</answer> My first attempt was wrong."), is_retracted("} Is that wrong?")
    (False, False)

    The cost is linear in the length of the text, of which the first 20,000 characters count.
    """
    after = after[:MAX_RETRACTION_LENGTH]
    if not _WORD.search(after):
        return False
    lower = after.lower()
    if not any(hint in lower for hint in _HINTS):
        return False
    text = _MARK.sub(" ", lower.translate(_APOSTROPHES))
    sentences = [
        " ".join(sentence.split()).strip(" ,，、:：—–-") for sentence in _SENTENCE_END.split(text)
    ]
    return any(_retracts(sentences, patterns) for patterns in _patterns())


def _retracts(sentences: list[str], patterns: _Patterns) -> bool:
    """Return whether some sentence retracts the answer, and no later one confirms it."""
    is_back = False
    # Whether all sentences before have only words such as `wait`.
    is_first = True
    for sentence in sentences:
        if not _WORD.search(sentence):
            continue
        start = patterns.starts.match(sentence)
        rest = sentence[start.end() :] if start else sentence
        if sentence.endswith(("?", "？")):
            pass
        elif patterns.names_answer.match(rest) or (
            (is_first or start) and patterns.refers_to_it.match(rest)
        ):
            is_back = True
        elif patterns.confirms.search(sentence):
            is_back = False
        is_first = is_first and not rest
    return is_back
