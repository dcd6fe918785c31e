"""Games, rules and operators as records, and exact arithmetic on values and columns.

Read `exact`, `powers` and `operators`, then `rules` and `games`, which consist of them, `machines`
(what can do which games), `deals` (the hands of a game), `points` (of an answer), `ids` (the text
of a puzzle) and `queries` (a hand to solve). `words` reads and writes numbers, `characters` maps
typed variants to one spelling, `widths` makes columns of integers, `ratios` holds those of
fractions, `partitions` takes hands apart, and `work` limits searches.
"""
