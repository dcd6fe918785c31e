"""Content negotiation: the preferred language and the quality of a media type."""

from crisps24.pages.negotiation import preferred_language, quality_of
from tests.sampling import in_one_test


@in_one_test(
    ("accepted", "name"),
    *(("nl", "nl"), ("nl-BE", "nl"), ("en-US,en;q=0.9", "en")),
    *(("fr;q=0.2, de;q=0.3", "de"), ("es;q=0.5, fr;q=0.5", "es")),
    *(("it, pt;q=0.9, es;q=0.8, en;q=0.7", "es"), ("zh-CN,zh;q=0.9,en;q=0.8", "zh-Hans")),
    *(("zh-TW", "zh-Hans"), ("nl;q=0", "en")),
    *(("*", "en"), ("it, *;q=0.5", "en")),
    *(("nl;q=2, de;q=0.1", "de"), ("nl;q=x, de;q=0.1", "de")),
    *(("nl;level=1, de;q=0.1", "nl"), ("nld", "en"), (f"{'x,' * 500}fr", "en")),
    # Without an available language it is English.
    *(("", "en"), (";", "en"), ("it", "en"), (",,,", "en"), ("e" * 10_000, "en")),
)
def test_preferred_language_has_the_highest_available_quality(accepted: str, name: str) -> None:
    assert preferred_language(accepted).name == name


@in_one_test(
    ("accepted", "quality"),
    *(("", 0.0), ("application/json", 1.0), ("*/*", 1.0)),
    ("text/html, application/*;q=0.5, */*;q=0.1", 0.5),
    ("application/*, application/json;q=0.2", 0.2),
    *(("application/json;q=1.5", 1.0), (";q=1,=,/,application", 0.0)),
    # A range with an invalid quality is skipped.
    *(("application/json;q=nan, */*;q=0.3", 0.3), ("application/json;q=1e9, */*;q=0.3", 0.3)),
    *(("application/json;q=-1", 0.0), ("application/json;q=\u0661", 0.0)),
)
def test_quality_is_that_of_the_most_specific_range(accepted: str, quality: float) -> None:
    assert quality_of("application/json", accepted) == quality
