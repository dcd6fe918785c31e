"""All hands of a game against every target.

Read `surveys`, which is of the `deals` of a game; then the file where it is kept: `fields`,
`records`, `store`, and its `titles`; then `answers` and `difficulties`.
"""
