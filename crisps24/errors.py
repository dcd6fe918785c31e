"""The errors of the package: all of them are `CrispsError`, each a kind that Python knows too."""

import reprlib

# So much of a value is shown.
_LONGEST = 40
_SHORT = reprlib.Repr()
_SHORT.maxother = _SHORT.maxlong = _LONGEST


class CrispsError(Exception):
    """What every error of this package is; its text is one sentence, in the user's words."""


class RefusedError(CrispsError, ValueError):
    """What was asked has no answer: the sentence says why, and what would have one."""


class KindError(CrispsError, TypeError):
    """What was given is of a kind that is not read: the sentence says which would be."""


def quoted(value: object) -> str:
    """Return any value as a sentence shows it: on one line, and short.

    >>> print(quoted("4 + 3"), quoted([1.5] * 1000), quoted(range(10**9)))
    '4 + 3' [1.5, 1.5, 1.5, 1.5, 1.5, 1.5, ...] range(0, 1000000000)
    """
    if isinstance(value, str):
        return repr(value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…")
    try:
        return " ".join(_SHORT.repr(value).split())
    except Exception:
        # Whoever gives it may have written how it is shown; and no int of 5,000 digits is.
        return f"<{type(value).__name__}>"
