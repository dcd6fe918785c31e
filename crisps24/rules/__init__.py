"""What is allowed, and exact arithmetic: the ground floor, which imports no other wing.

Read `exact` and `operators`, then `games` and the `words` they are given in; `ratios` holds columns
of fractions, `splits` takes hands apart.
"""
