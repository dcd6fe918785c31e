"""A language of which a part is written: what it lacks is English, in all commands and pages.

Its texts are copies of those of English, so everything has to be as in English. Only its name and
native name differ.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest

pytest.importorskip("jinja2", reason="the pages need the extra `web`")

from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import ENGLISH, Language
from tests.messages import surfaces
from tests.messages.test_surfaces import SURFACES
from tests.sampling import in_one_test, some

TAG = "qab"
# Which texts a language has: each of them by its position.
PARTS: dict[str, Callable[[int], bool]] = {
    "two of three": lambda position: position % 3 > 0,
    "one of three": lambda position: position % 3 == 0,
    "two of three, others": lambda position: position % 3 < 2,
    "one": lambda position: position == 200,
}
PAGES = [
    *("/?", "/solve?", "/check?", "/play?", "/sheet?"),
    "/solve?hand=cards:3.3.8.8=24&all=yes",
    "/solve?hand=cards:1.1.1.1=24",
    "/check?card=cards:3.3.8.8=24&formula=8 / (3 - 8 / 3)&steps=yes",
    "/play?seed=1&game=countdown&n=3",
    "/sheet?seed=7&game=cards&count=3",
]


@pytest.fixture(params=some(list(PARTS), 2))
def _language(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    language = Language(TAG, "Qab")
    has = PARTS[request.param]
    numbered = enumerate(ENGLISH.texts.items())
    vars(language)["texts"] = {key: text for place, (key, text) in numbered if has(place)}
    monkeypatch.setitem(LANGUAGES, TAG, language)


def plain(text: str) -> str:
    """Return a text without the names of languages."""
    return re.sub(rf"( --language )?\b({TAG}|en|Qab|English)\b", "", text)


@pytest.mark.usefixtures("_language")
@in_one_test("surface", *SURFACES)
def test_reasons_are_those_of_english(surface: str) -> None:
    show, inputs = SURFACES[surface]
    sample: Sequence[Any] = some(inputs, 8)
    for shown, expected in zip(show(sample, TAG), show(sample, "en"), strict=True):
        assert plain(shown) == plain(expected)


@pytest.mark.usefixtures("_language")
def test_pages_are_those_of_english() -> None:
    shown, expected = (surfaces.request(PAGES, name) for name in (TAG, "en"))
    assert [*map(plain, shown)] == [*map(plain, expected)]
