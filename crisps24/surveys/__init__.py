"""All hands of a game against every target.

Read `hand_tables` and `surveys`, which covers the `deals` of a game in `chunks`; then the SQLite
file: `fields`, `records`, `grades`, `store`, `titles`; then `answers`, `distances`, `difficulties`.
"""
