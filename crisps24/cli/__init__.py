"""The command line: each command reads what a person wants, calls one function, and shows.

Read `options`, which the commands share, then `formulas`, `files`, `hands` and `surveys`, a room a
kind of command, and `program`, which holds them together. Nobody imports this wing.
"""
