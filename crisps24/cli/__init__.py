"""The command line: each command reads what a person wants, calls one function, and shows.

Read `options`, which the commands share, and `choosing`, which those share that deal puzzles; then
`formulas`, `checks`, `files`, `solving`, `hands`, `surveys` and `puzzles`, a room a kind of
command, and `program`, which holds them together. Nobody imports this wing.
"""
