"""Puzzles for people: dealt by seed, graded, identified, played.

Read `draws`, then `conditions`, `dealing` and `telling`, which gives the rows of a deal. For play
read `onward`, `rounds` and `tiles`, and for a puzzle a day `daily`.
"""
