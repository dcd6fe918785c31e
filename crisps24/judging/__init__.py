"""Judge answers: find the answer in any text, read files of answers, compare with the puzzle.

Read `extraction`, which finds the answer without seeing the puzzle, and `claims`, for answers that
say "impossible"; then `judge`, and `records`, which reads files of answers.
"""
