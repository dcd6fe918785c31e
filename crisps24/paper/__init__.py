"""Puzzles on paper: sheets with a key, answer grids, the marks of a class, and quizzes.

Read `grids` and `sheets`, which lay out pages, then `papers`, which writes a sheet in each
file format; `class_sheets` gives each pupil one. `marks` shows the answers of a class, and
`phone_marks` its results from phones. `quizzes` makes questions, and `quiz_files` writes them for
Moodle, Kahoot and others.
"""
