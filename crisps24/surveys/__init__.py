"""All hands of a game against every target.

Read `surveys`, which covers the `deals` of a game in `chunks`; then the SQLite file: `fields`,
`records`, `grades`, `store` and `titles`; then `answers`, `distances` and `difficulties`.
"""
