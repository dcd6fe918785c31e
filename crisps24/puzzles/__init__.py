"""Puzzles made for people: dealt by a seed, graded, printed, played, named so as to be made again.

Read `draws`, then `conditions`, `telling` and `dealing`, and `signs`, which are missing; for paper
`grids`, `sheets` and `papers`; for playing `onward`, `rounds` and `tiles`, `guessing` at equations,
and for a puzzle a day `daily`; for a class `quizzes` and `marks`.
"""
