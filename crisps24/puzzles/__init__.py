"""Puzzles for people: dealt by seed, graded, identified, played.

Read `draws` and `conditions`, then `dealing`, and `rows`, which writes dealt puzzles as rows.
`files` reads those that users bring. For play read `hints`, `positions`, `reach`, `rounds` and `tiles`, and for the
puzzle of a date `daily`.
"""
