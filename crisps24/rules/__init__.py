"""Games, rules and operators as records, and exact arithmetic on values and columns.

Read `exact`, `powers` and `operators`, then `rules` and `games`, which consist of them, what a game
`deals`, `ids`, which name puzzles, and `queries` about hands. `words` reads and writes numbers, and
`characters` maps typed variants to one spelling. `ratios` holds columns of fractions, `splits`
partitions hands, and `work` refuses searches that are too large.
"""
