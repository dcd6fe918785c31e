"""Where the judge is plugged in: plain functions in the shapes that those who train models call.

Read `rewards`, where none of these hosts is imported; then `audits`, which looks at files of
puzzles.
"""
