"""Sentences of several clauses, quotation marks and dates are in the language of the reader."""

import re
from collections.abc import Iterator
from datetime import date
from html import unescape

import pytest

from crisps24.equation_puzzles.records import Equation
from crisps24.equation_puzzles.rounds import EquationRound
from crisps24.errors import quoted
from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import Language, message, values_of
from crisps24.notation.styles import STYLES
from crisps24.puzzle import puzzle_of
from crisps24.puzzles.daily import format_day
from crisps24.puzzles.rounds import Round
from crisps24.rules.deals import usage_problem
from crisps24.rules.operators import OPERATORS

pytest.importorskip("jinja2", reason="the pages need the extra `web`")

from crisps24.pages.answering import answer

IN_ALL_LANGUAGES = pytest.mark.parametrize("language", LANGUAGES.values(), ids=list(LANGUAGES))
QUOTED = {"en": "'x'", "nl": "‘x’", "es": "«x»", "de": "„x“", "fr": "«\u00a0x\u00a0»"}
QUOTED |= {"zh-Hans": "“x”"}


@IN_ALL_LANGUAGES
def test_clauses_of_a_reply_are_one_sentence(language: Language) -> None:
    _, reply = Round(puzzle_of("cards:3.3.8.8=24"), 30, language=language).play("", seconds=31)
    solution = language.text("round.only", formula="8 / (3 - 8 / 3)", value=24)
    over = language.text("round.over")
    assert reply.text == language.text("list.then", first=over, then=solution)
    _, reply = EquationRound("3+4=7", Equation(5), 30, language=language).play("", seconds=31)
    secret = language.text("guess.shown", secret="3+4=7")
    assert reply.text == language.text("list.then", first=over, then=secret)


def test_list_of_numbers_has_and_before_the_last() -> None:
    for numbers, text in (((3,), "3"), ((3, 8), "3 and 8"), ((3, 5, 8), "3, 5 and 8")):
        assert f" {text}, not" in message("answer.makes", value=numbers, target=24).text()


def test_chinese_page_has_chinese_punctuation() -> None:
    for path, words in (("/solve", "hand=3+3+8+8"), ("/check", "formula=9%2B1&target=10&card=1+9")):
        page = answer(path, f"game=cards&{words}", "zh-Hans").body.decode()
        [section] = re.findall(r'(?s)<section class="found">.*?</p>', page)
        text = unescape(re.sub(r"<[^>]+>", "", section))
        assert not re.search(r"[:,.] ", text.replace("=", "")), text


@IN_ALL_LANGUAGES
def test_page_has_the_punctuation_and_capitals_of_its_language(language: Language) -> None:
    page = answer("/daily", "game=cards&date=2026-11-01", language.name).body.decode()
    [games] = re.findall('<p class="games-of-day">(.*?)</p>', page)
    first, *names = re.split("<a .*?>", unescape(games.replace("</a>", "")))
    assert first == language.text("page.daily_games") + language.text("list.colon")
    assert all(name.endswith(language.text("list.comma")) for name in names[:-1])
    # The first letter of these sentences is large on the page.
    page = answer("/solve", "game=cards&hand=1+1+1+1", language.name).body.decode()
    impossible = language.text("round.none", target=24, hand="1 1 1 1")
    assert f'<p class="told"><strong>{impossible}' in unescape(page)


def test_faults_are_apart_where_they_have_commas() -> None:
    problem = usage_problem((3, 9), (1, 8, 10), all_numbers=True)
    assert problem is not None
    assert "3 et 9 ne sont pas dans le tirage\u00a0; 1, 8 et 10 " in problem.text(LANGUAGES["fr"])
    assert "; 1, 8 y 10 no se usan" in problem.text(LANGUAGES["es"])


@IN_ALL_LANGUAGES
def test_refusal_has_the_quotation_marks_of_its_language(language: Language) -> None:
    refusal = message("refused.seed", text=quoted("x"))
    assert QUOTED[language.name] in refusal.text(language)
    assert values_of(refusal) == {"text": "'x'"}
    assert quoted("it's") == '"it\'s"'


# The forms for 0, 1, 2 and 5 things.
FORMS = dict.fromkeys(("en", "nl", "es", "de"), ("other", "one", "other", "other"))
FORMS |= {"fr": ("one", "one", "other", "other"), "zh-Hans": ("other",) * 4}
# Texts whose count is large, or does not stand before its noun alone.
MANY = "list.digits round.likeliest working.too_many_steps times.many refused.lines page.solve_more"
MANY += " refused.more page.solve_cut marks.of file.hinted file.solved"
# Words that the texts of a language do not use, because they use another one for the same thing.
WITHDRAWN = {
    **{"en": "formulae", "nl": "formule|onderweg|bladzijde|zonder klok|bewerking(?!en uit)"},
    **{"de": "Formel|24er|verbunden|Paare von Werten|Ziehung ", "fr": "formule|feuille|graine"},
    "es": "fórmula|semilla|hoja|dígito|una operación (de|por)",
    "zh-Hans": "式子|题卡|对数值|牌中",
}
# What punctuation cannot look like, and the keys that people type.
MARKS = {"fr": r"[\w)»}] ?[:;?!](?!\S)", "zh-Hans": r"[一-鿿][,;:?!()]|[,;:?!()][一-鿿]"}
TYPED = ("page.play_help",)


def forms_of(language: Language) -> Iterator[tuple[str, str]]:
    for key, text in language.texts.items():
        yield from ((key, form) for form in ([text] if isinstance(text, str) else text.values()))


@IN_ALL_LANGUAGES
def test_every_plural_has_the_form_of_its_count(language: Language) -> None:
    for key, text in language.texts.items():
        if isinstance(text, str):
            is_count = re.search(r"\{count\} ?[a-zà-ÿ]{3,}", text)
            assert not is_count or key in MANY.split(), text
        else:
            for count, form in zip((0, 1, 2, 5), FORMS[language.name], strict=True):
                assert language.text(key, count=count) == text[form].replace("{count}", str(count))


@IN_ALL_LANGUAGES
def test_texts_have_the_signs_words_and_marks_of_their_language(language: Language) -> None:
    signs = {STYLES[language.style].sign(operator) for operator in OPERATORS.values()}
    for key, text in forms_of(language):
        assert {*re.findall("[×÷*]", text)} <= signs, text
        assert not re.search(WITHDRAWN[language.name], text), text
        mark = MARKS.get(language.name)
        assert not mark or key in TYPED or not re.search(mark, text), text
    assert f"0{language.decimal}75" in language.text("formula.target_no_number")


@IN_ALL_LANGUAGES
def test_only_french_has_an_ordinal_for_the_first_of_a_month(language: Language) -> None:
    first, second = (format_day(date(2026, 1, day), language) for day in (1, 2))
    assert ("er" in first, "2" in second, "er " in second) == (language.name == "fr", True, False)
    assert language.texts["game.free"]
