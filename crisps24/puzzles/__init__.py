"""Puzzles for people: dealt by seed, graded, identified, played.

Read `draws`, `parameters` and `conditions`, then `dealing`, and `rows`, which writes dealt puzzles
as rows. `versions` deals those of a test with a sheet A and B. `files` reads those that users
bring, `hand_lines` their lines. For play read `hints` and
`rounds`, for programs that play `reach` and `episodes`, for puzzles at a wanted rate of success
`samplers`, and for the puzzle of a date `daily`.
"""
