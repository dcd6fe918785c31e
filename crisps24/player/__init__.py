"""The player in a browser: its script, and the records of games and puzzles that it reads.

Read `records`, which describes games and puzzles, then the script `engine.js`, which judges
formulas and steps. `reasons` describes the messages that the script returns.
"""
