"""The errors of the package: all of them are `CrispsError`, each a kind that Python knows too."""


class CrispsError(Exception):
    """What every error of this package is; its text is one sentence, in the user's words."""


class RefusedError(CrispsError, ValueError):
    """What was asked has no answer: the sentence says why, and what would have one."""
