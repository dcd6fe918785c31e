"""All hands of a game against every target.

Read `surveys`, which is of the `deals` of a game, done in `chunks`; then the file where it is
kept: `fields`, `records`, `grades`, `store`, and its `titles`; then `answers` and `difficulties`.
"""
