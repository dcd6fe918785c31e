"""Retractions: whether the text after an answer takes that answer back.

`Wait, that is wrong.` does; `My first attempt was wrong.` can be about another attempt, and does
not. In doubt the answer stands. Each sentence is read by itself, after its first words (`no`,
`but`). It retracts the answer

- if it names the answer: `My answer is wrong.`;
- if it has a word such as `that`: `That is wrong.` But it must be the first sentence, since later
  on `that` can be another attempt, or come after a word such as `wait`.

A question retracts nothing, and a later sentence can confirm the answer again: `No, it is right.` A
language is a record in `_LANGUAGES`.
"""

import re
from functools import cache
from typing import NamedTuple

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
_SPACE = " ,，、:：—–-"
_TICK = re.compile("[✓✔✅☑]")
_APOSTROPHES = str.maketrans("’ʼ", "''")


class _Words(NamedTuple):
    """The words of a language, as regular expressions in lower case."""

    hint: str
    """Parts of words: every retraction has one, and few other texts after an answer do."""
    interruption: str
    """Words such as `wait`, after which any sentence can retract the answer."""
    opening: str
    """Other words before a retraction, such as `no`."""
    answer: str
    """Words that can only mean the answer, such as `my answer`."""
    this: str
    """Words that can mean the answer, such as `that`; with an empty choice, they can be absent."""
    wrong: str
    """Words that say that an answer is wrong, such as `is wrong`."""
    taken_back: str
    """Whole retractions that can be about another attempt, such as `I made a mistake`."""
    discarded: str
    """Whole retractions that name the answer, such as `ignore my answer`."""
    confirmed: str
    """Words that say that an answer is right, such as `is right`."""
    reason: str
    """Words after a retraction, before the reason or the next step, such as `because`."""
    boundary: str = r"(?!\w)"
    """The end of a word; empty for a language without spaces."""


_ENGLISH = _Words(
    hint="wrong|incorrect|invalid|false|mistake|not|n't|error|retract|withdraw|back|ignore"
    "|disregard|forget|scratch|strike|messed",
    interruption="(?:wait|hold on|hang on)(?: a (?:minute|second|moment))?|oops|whoops|argh"
    "|on second thoughts?|correction|my bad|apologies|(?:i'm )?sorry",
    opening="hmm+|hm|oh|oh no|no|actually|but|ah|so|unfortunately|however",
    answer="(?:my|the|this|that)(?: final| last| above)? (?:answer|solution|formula|expression)"
    "(?: above| i gave)?|the above",
    this="thats?|this|it",
    wrong="(?:is|was|seems|looks|'s|(?<=thats))?(?: actually| clearly| still| just| also"
    "| completely| totally| definitely| simply)? ?\\b"
    "(?:wrong|incorrect|invalid|false|an? (?:mistake|error)"
    "|not (?:right|correct|valid|allowed|24)|not (?:the|a) (?:right|correct|valid) "
    "(?:answer|solution))"
    "|(?:isn't|wasn't|can't be|cannot be) (?:right|correct|valid)|must be wrong"
    "|(?:does not|doesn't|did not|didn't|won't) work",
    taken_back="i (?:take|took) (?:that|it|this) back|i (?:retract|withdraw) (?:that|this|it)"
    "|i (?:made|have made) (?:a|an) (?:mistake|error)|i (?:was|am) wrong|i'm wrong|i got it wrong"
    "|i messed up|(?:please )?(?:ignore|disregard|forget|scratch|strike) (?:that|this|it)",
    discarded="i (?:retract|withdraw|take back) (?:my|this|that|the)(?: last)? answer"
    "|i take my answer back|(?:please )?(?:ignore|disregard|forget|scratch|strike) "
    "(?:(?:my|this|that) answer|the above|the answer above)",
    confirmed=r"(?<!what )(?<!which )\b(?:is|was|are)(?: still| indeed| actually| in fact"
    r"| fine and)? (?:right|correct|fine|valid|ok|okay)\b|'s (?:right|correct|fine|valid|ok|okay)\b"
    r"|\bstands\b|\bnever mind\b|\bit (?:does work|works)\b|\bnot wrong\b|\bfalse alarm\b"
    r"|\bstand by\b|^yes(?:,? (?:it is|it does|that is|correct|right))?$|^(?:correct|right)$"
    r"|\bit does make\b",
    reason="because|since|sorry|i have|i need|i must|let me",
)
_GERMAN = _Words(
    hint="falsch|ungültig|fehler|nicht|zurück|vertan|verrechnet|geirrt|vergiss|vergessen",
    interruption="moment(?: mal)?|wartet?|halt|stopp|ups|hoppla|sorry|entschuldigung|tut mir leid",
    opening="nein|doch|oh|hm+|aber|eigentlich|leider",
    answer="(?:meine|die|diese)(?: letzte)? (?:antwort|lösung|rechnung|formel)",
    this="das|dies|es",
    wrong="(?:ist|war)(?: doch| leider| aber| eigentlich| so| ja)? "
    "(?:falsch|ungültig|ein fehler|nicht (?:richtig|korrekt|erlaubt|gültig))"
    "|(?:stimmt|geht|funktioniert|klappt)(?: so| doch| leider| aber| ja)? nicht"
    "|kann nicht (?:stimmen|richtig sein)",
    taken_back="ich nehme (?:das|es) zurück|ich habe mich (?:vertan|verrechnet|geirrt)"
    "|ich habe einen fehler gemacht|vergiss das|vergessen sie das"
    "|(?:ist|war) (?:das|es) (?:doch )?falsch|stimmt (?:das|es)(?: doch)? nicht",
    discarded="ich nehme meine antwort zurück|vergiss (?:meine|diese) antwort",
    confirmed=r"\b(?:ist|war)(?: doch| also| schon)? (?:richtig|korrekt|gültig)\b"
    r"|\bstimmt(?: doch| also| schon)?(?:$|[,:])|\bpasst\b|\bnicht falsch\b|\balso richtig\b"
    r"|^(?:ja|doch)(?:,? (?:richtig|korrekt|stimmt))?$",
    reason="weil|da|denn",
)
_FRENCH = _Words(
    hint="faux|fausse|incorrect|invalide|erron|erreur|pas|tromp|retire|oubli",
    interruption="attend(?:s|ez)|oups|désolée?|pardon|zut",
    opening="non|hmm+|en fait|mais|ah|oh|malheureusement",
    answer="(?:ma|la|cette)(?: dernière)? (?:réponse|solution|formule)",
    this="c'|ça|cela|ceci|ce",
    wrong="(?:est|était)(?: en fait)? ?(?:faux|fausse|incorrecte?|erronée?|une erreur|invalide)"
    "|n'est pas (?:correcte?|juste|bon|bonne|valide|exacte?)"
    "|ne (?:marche|fonctionne|va) pas",
    taken_back="je me suis trompée?|je retire (?:ça|cela)|j'ai fait une erreur"
    "|oublie(?:z)? (?:ça|cela)",
    discarded="je retire ma réponse|oublie(?:z)? (?:ma|cette) réponse",
    confirmed=r"(?:c'est|\best)(?: bien| donc)? (?:juste|correcte?|bon|bonne|exacte?|valide)\b"
    r"|\bpas faux\b|^(?:oui|si)(?:,? (?:c'est ça|correct))?$",
    reason="car|parce que|puisque",
)
_SPANISH = _Words(
    hint=r"mal|incorrect|erróne|error|equivoc|equivoqu|fals|inválid|\bno\b|retiro|olvida",
    interruption="esper[ae]|ups|perdón|perdona|lo siento",
    # `No es falso` has another meaning than `No, es falso`.
    opening="no(?=,)|hmm+|en realidad|pero|ah|oh|lamentablemente",
    answer="(?:mi|la|esta|esa)(?: última)? (?:respuesta|solución|fórmula)",
    this="eso|esto|ello|",
    wrong="(?:es|está|era|estaba)(?: en realidad)? "
    "(?:mal|incorrect[oa]|erróne[oa]|equivocad[oa]|fals[oa]|inválid[oa]|un error)"
    "|no (?:es (?:correct[oa]|válid[oa])|está bien|funciona|vale|sirve)",
    taken_back="me (?:equivoqué|he equivocado)|retiro eso|cometí un error|he cometido un error"
    "|olvida eso",
    discarded="retiro mi respuesta|olvida (?:mi|esa|esta) respuesta",
    confirmed=r"(?<!no )\b(?:es|está|era)(?: sí)? (?:correct[oa]|bien|válid[oa])\b"
    r"|\bno (?:es|está) (?:mal|fals[oa]|incorrect[oa])\b|^sí(?:,? (?:es )?correcto)?$",
    reason="porque|ya que|pues",
)
_DUTCH = _Words(
    hint="fout|onjuist|verkeerd|ongeldig|niet|vergist|verrekend|trek|vergeet",
    interruption="wacht(?: even)?|oeps|sorry|ho",
    opening="nee|hmm+|eigenlijk|maar|oh|ach|helaas",
    answer="(?:mijn|het|dit|deze|die|de)(?: laatste)? (?:antwoord|oplossing|formule|berekening)",
    this="dat|dit|het",
    wrong="(?:is|was)(?: toch| eigenlijk| helaas)? "
    "(?:fout|onjuist|verkeerd|ongeldig|een fout|niet (?:goed|juist|correct|geldig|toegestaan))"
    "|(?:klopt|werkt|mag|kan)(?: toch| helaas)? niet",
    taken_back="ik heb me (?:vergist|verrekend)|ik (?:heb|maakte) een fout(?: gemaakt)?"
    "|ik trek (?:dat|dit) (?:terug|in)|vergeet (?:dat|dit)"
    "|(?:is|was) (?:dat|dit|het) (?:toch )?(?:fout|verkeerd|onjuist)|klopt (?:dat|dit|het) niet",
    discarded="ik trek mijn antwoord (?:terug|in)|vergeet (?:mijn|dit|dat) antwoord",
    confirmed=r"\b(?:is|was)(?: toch| dus| wel)? (?:goed|juist|correct|geldig)\b"
    r"|\bklopt(?: toch| dus| wel)?(?:$|[,:])|\bniet fout\b|^ja(?:,? (?:klopt|correct|goed))?$",
    reason="want|omdat",
)
_CHINESE = _Words(
    hint="[不错錯误誤]|收回|忽略",
    interruption="等等|等一下|等下|抱歉|对不起|對不起",
    opening="不[对對]?(?=[，,])|哦|噢|啊|其实|其實|但是|不过|不過",
    answer="(?:我的|[这這][个個]|上面的|以上的?)?(?:答案|解答|解法)",
    this="[这這][个個]?|那[个個]?|它|",
    wrong="(?:是|好像|其实|其實|好像是|其实是)?"
    "(?:不[对對]的?|[错錯]了|[错錯]的|[错錯][误誤]的?|有[误誤]|不正确的?|不成立|不行)",
    taken_back="我(?:算|弄|搞|写|寫)?[错錯]了|我收回[这這]?[个個]?",
    discarded="我收回(?:[这這][个個]|我的)?答案|[请請]?忽略(?:[这這][个個]|上面的)?答案",
    confirmed="(?<!不)(?:是?[对對]的|正确|正確|没[错錯]|沒[错錯]|没问题|沒問題)",
    reason="因为|因為",
    boundary="",
)
_LANGUAGES = (_ENGLISH, _GERMAN, _FRENCH, _SPANISH, _DUTCH, _CHINESE)


class _Patterns(NamedTuple):
    """The compiled patterns of a language."""

    opening: re.Pattern[str]
    """The first words of a sentence; group 1 is set for a word such as `wait`."""
    names_answer: re.Pattern[str]
    """A retraction that names the answer."""
    refers_to_it: re.Pattern[str]
    """A retraction with a word such as `that`, or whole."""
    refers_after_wait: re.Pattern[str]
    """The same after a word such as `wait`: more can follow after a comma."""
    confirms: re.Pattern[str]


@cache
def _compile(words: _Words) -> _Patterns:
    """Compile a language; only a reason can follow a retraction."""
    end = rf"(?:\s*$|\s*[:：]|\s[—–-]\s|[\s,，]*(?:{words.reason}){words.boundary})"
    refers = rf"(?:{words.this})\s*(?:{words.wrong})"
    return _Patterns(
        re.compile(
            rf"(?:(?:({words.interruption})|{words.opening}){words.boundary}[\s{_SPACE}]*)+"
        ),
        re.compile(rf"(?:{words.answer})\s*(?:{words.wrong}){end}|(?:{words.discarded})\s*$"),
        re.compile(rf"{refers}{end}|(?:{words.taken_back})\s*$"),
        re.compile(rf"{refers}(?:{end}|\s*[,，])|(?:{words.taken_back})\s*$"),
        re.compile(words.confirmed),
    )


def is_retracted(after: str, *, is_claim: bool = False) -> bool:
    """Return whether the text after an answer takes the answer back.

    Only the first 20,000 characters and 500 sentences are read; the cost is linear in their length.
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
    lower = after.lower().translate(_APOSTROPHES)
    languages = [_compile(words) for words in _LANGUAGES if re.search(words.hint, lower)]
    if not languages:
        return False
    text = after
    if "\n" in text or "<" in text:
        text = _WRAPPED_LINE.sub(" ", _TURN_END.split(text, maxsplit=1)[0])
    text = _MARK.sub(" ", text.lower().translate(_APOSTROPHES))
    sentences = [
        " ".join(sentence.split()).strip(_SPACE)
        for sentence in _SENTENCE_END.split(text, maxsplit=_MAX_SENTENCES)[:_MAX_SENTENCES]
    ]
    return any(_retracts(sentences, patterns, is_claim=is_claim) for patterns in languages)


def _retracts(sentences: list[str], patterns: _Patterns, *, is_claim: bool) -> bool:
    """Return whether some sentence retracts the answer, and no later one confirms it."""
    is_retracted = False
    # Whether `that` can only mean the answer: no sentence before has another subject.
    is_clear = not is_claim
    for sentence in filter(None, sentences):
        opening = patterns.opening.match(sentence)
        rest = sentence[opening.end() :] if opening else sentence
        if sentence.endswith(("?", "？")):
            # A question neither retracts nor confirms.
            is_clear = False
            continue
        if opening and opening[1]:
            refers = patterns.refers_after_wait.match(rest)
        else:
            refers = patterns.refers_to_it.match(rest) if is_clear else None
        if refers or patterns.names_answer.match(rest):
            is_retracted = True
        elif _TICK.search(sentence) or patterns.confirms.search(sentence):
            is_retracted = False
        # After only a word such as `hmm`, or a mark, `that` is still the answer.
        is_clear = is_clear and not re.search(r"\w", rest)
    return is_retracted
