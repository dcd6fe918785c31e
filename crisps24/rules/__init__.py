"""What is allowed, and exact arithmetic: the ground floor, which imports no other wing.

Read `exact` and `operators`, then `games`, what each `deals`, and the `words` they are given
in, of `characters` that may be typed in more ways than one; `ratios` holds columns of
fractions, `splits` takes hands apart.
"""
