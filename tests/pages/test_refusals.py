"""Refusals: for each kind of invalid request, the page shows a message that can be translated."""

import re
from urllib.parse import quote_plus

from crisps24.errors import RefusedError
from crisps24.pages.answering import answer
from tests.sampling import in_one_test

PUZZLE = "/play puzzle=cards:3.3.8.8=24&"
SOLVE = "/solve game=cards&hand=3 3 8 8&"
# Addresses, each with the key of the reason on the page. If a field is invalid, the message of the
# reason is inside a message that names the field.
REFUSALS = {
    "/solve game=nope": "refused.game",
    "/solve game=crips": "refused.game_meant",
    "/solve game=game24&hand=1 2 3 4": "rules.no_hands",
    "/solve hand=3 3 8 x": "hand.number",
    "/solve game=cards&hand=3 3 8 x": "hand.number_or_letter",
    "/solve game=cards&hand=3388": "hand.one_number",
    f"/solve hand=3 {'8' * 40}": "formula.number_too_long",
    f"/solve hand={'1 ' * 120}": "hand.too_long",
    "/solve game=countdown&hand=3 3 8 8": "rules.target",
    "/solve game=cards&hand=-3 3 8 8&join=yes&numbers=1..9": "rules.join",
    "/solve game=crisps&hand=-3 3 8 8": "rules.negative",
    "/solve game=crisps&hand=3/4 3 8 8": "rules.fraction",
    "/play seed=1&game=fractions24&level=2": "deal.levels_numbers",
    SOLVE + "target=zz": "formula.target_no_number",
    SOLVE + "numbers=1..x": "refused.range",
    SOLVE + "numbers=1-9": "refused.range_meant",
    SOLVE + "numbers=9..1": "refused.range_down",
    SOLVE + "numbers=1..99999999": "refused.range_long",
    SOLVE + "numbers=1..5000": "refused.numbers_many",
    SOLVE + "length=99": "refused.number",
    SOLVE + "operators=%": "refused.operator",
    SOLVE + "operators=,": "refused.operator_none",
    SOLVE + "parentheses=maybe": "refused.flag",
    SOLVE + "most=0": "refused.limit",
    SOLVE + "join=yes": "rules.join_meant",
    SOLVE + "operators=-^": "rules.no_solutions",
    SOLVE + "every=maybe": "refused.flag",
    SOLVE + "language=xx": "refused.language",
    SOLVE + "style=latex": "refused.style",
    SOLVE + "style=foo": "refused.style",
    "/solve game=cards&hand=1 2 3 4 5 6 7 8 9 10&target=999": "work.pairs",
    "/solve hand=cards:3.3.8.8": "refused.id",
    "/solve hand=cards:3.3.8.8=24,zero=no,zero=yes": "refused.twice",
    "/solve hand=cards:3.3.8.8=24,zero=x": "refused.flag",
    "/solve hand=cards:3.3.8.8=24,foo=x": "refused.rule",
    "/solve hand=cards:3.3.8.8=24,decimals=yes": "rules.decimals",
    "/solve hand=digits:3.3.8.8=24,nesting=9": "refused.number",
    "/solve hand=digits:3.3.8.8=24,bits=99": "refused.number_or_none",
    "/solve hand=crisps:3.3.8.8=24,signed=yes": "rules.no_solutions",
    "/play puzzle=crisps:3.3.8.8=24,signed=yes": "rules.signed_brackets",
    "/check formula=1 + 2&game=game24&parentheses=yes": "rules.four_numbers",
    "/check formula=1 + 2&card=x": "hand.number",
    f"/check formula={'1' * 1200}": "formula.too_long",
    "/check formula=" + "1\n" * 30: "refused.lines",
    "/sheet own=3 3 8 x": "refused.line",
    "/sheet own=" + "x\n" * 400: "refused.more",
    "/sheet own=cards:3.8=24\ncrisps:3.8=24": "refused.one_game",
    "/play seed=x": "refused.seed",
    "/play seed=1&n=0": "refused.number",
    "/play seed=1&level=9": "refused.level",
    "/play seed=1&target=1&targets=1..3": "deal.one_of",
    "/play seed=1&essential=yes": "deal.needs",
    "/play seed=1&large=2&game=cards": "deal.no_large",
    "/play seed=1&large=5&game=countdown": "deal.large",
    "/play seed=1&large=99&game=countdown": "refused.number",
    "/play seed=1&large_tiles=12&game=crisps": "deal.no_large",
    "/play seed=1&large_tiles=12,10&game=countdown": "rules.small_tile",
    "/play seed=1&target=-5": "deal.below_zero",
    "/play seed=1&game=cards&numbers=1..3&solutions=9999": "deal.none",
    "/play seed=1&n=200&game=crisps&numbers=3..5": "deal.few",
    "/play seed=1&game=countdown&target=900&length=1": "deal.in_vain",
    "/play seed=1&numbers=-3..5&negatives=no": "rules.negative",
    "/play seed=1&game=countdown&numbers=1..3": "rules.few_numbers",
    "/play seed=1&game=cards&operators=-^": "rules.no_difficulty",
    PUZZLE + "began=x": "refused.moment",
    PUZZLE + "steps=3x8": "working.states_none",
    PUZZLE + "steps=7x8=56": "working.not_left",
    "/play puzzle=countdown:1.3.7.10.25.50=765&declared=4": "answer.not_in_hand",
    "/daily date=x": "day.invalid",
    "/daily date=2020-01-01": "day.first",
    "/daily date=2099-01-01": "day.future",
    "/sheet seed=1&paper=a99": "paper.unknown",
    "/sheet seed=1&paper=card&title=x": "paper.card",
    "/sheet.pdf seed=1&paper=card&count=12": "paper.card_one",
    "/sheet seed=1&per_page=3": "paper.per_page",
    "/sheet seed=1&large_print=yes&per_page=12": "paper.large_print",
    "/sheet seed=1&backs=x": "refused.one_of",
    "/sheet seed=1&backs=answer&paper=card": "paper.card",
    "/sheet seed=1&faces=yes&game=crisps": "paper.no_letters",
    "/sheet seed=1&mix=1,2": "deal.mix",
    "/sheet seed=1&mix=90,90,0,0,0": "refused.number",
    "/sheet seed=1&mix=1,1,1,1,1&level=2": "deal.one_of",
    "/sheet own=3 3 8 8&game=cards&mix=1,1,1,1,1": "deal.one_of",
    "/sheet own=3 3 8 8&game=cards&versions=2": "deal.one_of",
    "/sheet seed=1&versions=5": "refused.number",
    "/sheet seed=1&versions=2&repeat=yes&numbers=1..3&count=12&game=cards": "deal.versions",
    "/sheet.pdf seed=1&names=name;version\nEmil;B": "paper.unversioned",
    "/sheet.pdf seed=1&versions=2&names=name;version\nEmil;C": "paper.no_version",
    "/sheet seed=1&title=\u200b": "paper.character",
    "/sheet.pdf seed=1&title=\U0001f600": "paper.letter",
    f"/sheet seed=1&title={'x' * 300}": "answer.text_too_long",
    "/sheet.pdf count=3": "refused.seed_missing",
    "/mark found=x&answers=[]": "refused.one_of",
    "/mark pasted=name;3 3 8 8\nEmil;24": "refused.no_headers",
    "/quiz seed=1&seconds=30": "quiz.untimed",
    "/quiz seed=1&for=kahoot&seconds=31": "quiz.seconds",
    "/mark answers=x": "refused.no_table",
    "/mark.csv game=cards": "refused.no_table",
    "/results targets=0..200": "refused.many_targets",
    "/results.download target=24&length=6": "refused.many_rows",
    "/results.download game=crisps": "refused.target_missing",
    "/solve foo=1": "address.unknown",
    "/solve hand=1&hand=2": "refused.twice",
    "/solve hand=\0": "address.control",
    f"/solve hand={'1' * 6000}": "address.too_long",
    f"/solve {'&'.join(f'a{index}=1' for index in range(99))}": "address.words",
}


def query_of(text: str) -> str:
    pairs = (parameter.partition("=") for parameter in text.split("&"))
    return "&".join(f"{name}={quote_plus(value)}" for name, _, value in pairs)


@in_one_test("address", *REFUSALS)
def test_refused_request_has_its_status_and_no_options_of_commands(address: str) -> None:
    # tests/messages/test_surfaces.py compares the reasons.
    path, _, parameters = address.partition(" ")
    reply = answer(path, query_of(parameters), "nl")
    assert reply.status in ((400,) if REFUSALS[address].startswith("address") else (400, 422))
    assert " --" not in re.sub("<[^>]*>", "", reply.body.decode())


def test_json_error_is_in_english_and_names_the_parameter() -> None:
    body = answer("/deal.json", "count=0&seed=1", "nl").body.decode()
    said = "count: invalid number '0' (expected a whole number from 1 to 100)"
    assert body == f'{{"error": "{said}"}}\n'


def test_pages_leave_out_advice_for_commands() -> None:
    error = RefusedError("too much", "advice.work")
    assert (str(error), error.reason) == ("too much, or add --work none", "too much")
    assert error.reason_in("nl") == "too much"
    body = answer("/solve.json", "hand=1+2+3+4+5+6+7+8+9+9&game=cards").body.decode()
    assert "would fit" in body
    assert "--work" not in body
