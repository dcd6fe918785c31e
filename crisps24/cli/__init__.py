"""The command line: each command reads what a person wants, calls one function, and shows.

Read `options`, of which commands are made, `screen`, by which they tell, and `choosing`, which
those share that deal puzzles; then `rows`, `equations`, `checks`, `judging`, `auditing`,
`solving`, `surveys`, `puzzles`, `playing` and `serving`, a room a kind of command, and `program`,
which holds them together.
Nobody imports this wing.
"""
