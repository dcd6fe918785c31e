"""What is allowed, and exact arithmetic: the ground floor, which imports no other wing.

Read `exact`, `powers` and `operators`, then `rules`, a record each, and `games`, which are made of
them, what each `deals`, and `ids`, which name puzzles; `equations` are a record beside them.
`words` reads numbers and writes them, of `characters` that may be typed in more ways than one;
`ratios` holds columns of fractions, `splits` takes hands apart, and `work` says how what is too
much is refused.
"""
