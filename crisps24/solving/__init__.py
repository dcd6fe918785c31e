"""Solutions of a hand, its reachable values, and their difficulty for people.

Read `work` (the forecast of a search), `forms` (how a solution is shown), `ranking` (their order),
`solver` (solutions), `values` (all values of a hand), `written` (written forms), `effort`
(difficulty) and `likeliest` (hints) in this order.
"""
