"""Puzzles made for people: dealt by a seed, graded, printed, played, named so as to be made again.

Read `draws`, then `conditions`, `telling` and `dealing`; for paper `grids`, `sheets` and `papers`;
for playing `onward`, `rounds` and `tiles`, and for a puzzle a day `daily`; for a class `quizzes`
and `marks`.
"""
