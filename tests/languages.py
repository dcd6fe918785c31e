"""The languages of tests whose subject is not the texts of one language."""

import pytest

from crisps24.messages.languages import LANGUAGES
from tests.sampling import some

# English and one with another script; in the long run all. Each text of each language is checked by
# `messages/test_languages.py` and `messages/test_texts.py`.
SOME = some(LANGUAGES.values(), 2)
IN_SOME_LANGUAGES = pytest.mark.parametrize("language", SOME, ids=[each.name for each in SOME])
