"""All languages, and functions that find one by its tag or from a list of preferred tags.

The texts of a language are in its file `NAME.toml`, which `message.Language` reads.
"""

from collections.abc import Iterable
from functools import partial

from crisps24.messages.message import ENGLISH, Language

_with_comma = partial(Language, decimal=",", thousands=".")
_DUTCH = {"makkelijk": 1, "gemiddeld": 3, "moeilijk": 5}
_SPANISH = {"fácil": 1, "facil": 1, "medio": 3, "difícil": 5, "dificil": 5}
_GERMAN = {"leicht": 1, "mittel": 3, "schwer": 5}
LANGUAGES: dict[str, Language] = {
    language.name: language
    for language in (
        ENGLISH,
        _with_comma("nl", "Nederlands", "colon", _DUTCH, quotes="‘{}’"),
        _with_comma("es", "Español", "colon", _SPANISH, quotes="«{}»"),
        _with_comma("de", "Deutsch", "dot", _GERMAN, quotes="„{}“"),
        Language(
            "fr",
            "Français",
            levels={"facile": 1, "moyen": 3, "difficile": 5},
            plural=lambda count: "one" if count < 2 else "other",
            decimal=",",
            thousands="\u202f",
            quotes="«\u00a0{}\u00a0»",
        ),
        Language(
            "zh-Hans",
            "简体中文",
            levels={"易": 1, "容易": 1, "中等": 3, "难": 5, "困难": 5},
            plural=lambda _: "other",
            quotes="“{}”",
        ),
    )
}


def find_language(name: str) -> Language | None:
    """Return the language with a tag such as `nl` or `nl-BE`, in any case, or None.

    A tag with an unknown region or script finds the language without it, and `zh` finds `zh-Hans`.
    """
    if name in LANGUAGES:
        # Avoid the search below, since commands call this for each row.
        return LANGUAGES[name]
    by_tag = {tag.casefold(): language for tag, language in LANGUAGES.items()}
    # A language with several scripts is also found without its script.
    by_tag = {tag.partition("-")[0]: language for tag, language in by_tag.items()} | by_tag
    # Users can send tags of any length: only the first characters count.
    parts = name[:40].casefold().split("-")
    prefixes = ("-".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((by_tag[prefix] for prefix in prefixes if prefix in by_tag), None)


def first_known_language(names: Iterable[str]) -> Language:
    """Return the language of the first tag that is known, or English if no tag is."""
    languages = map(find_language, names)
    return next(filter(None, languages), next(iter(LANGUAGES.values())))
