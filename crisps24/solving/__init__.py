"""Solutions of a hand, its reachable values, and their difficulty for people.

Read `work` (the cost of a search), `forms` (how solutions are shown and ordered), `solver`, and
`written`, which counts all written forms. `effort` estimates difficulty and `likeliest` gives
hints.
"""
