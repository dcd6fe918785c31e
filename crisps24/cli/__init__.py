"""The command line: each command reads what a person wants, calls one function, and shows.

Read `options`, which the commands share, and `choosing`, which those share that deal puzzles; then
`formulas`, `equations`, `checks`, `judging`, `auditing`, `files`, `solving` with `hand_files` and
`signs`, `hands`, `surveys` with its `survey_options`, `puzzles`, `playing` with its `faces`, and
`serving`, a room a kind of command, and `program`, which holds them together.
Nobody imports this wing.
"""
