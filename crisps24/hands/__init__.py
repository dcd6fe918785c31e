"""What one hand makes: its values, its solutions, how many ways lead to each, and how hard it is.

Read `chart`, which says what may stand beside an operator, and `asks`, which targets of which
sub-hands; then `blocks`, `pools` and the `fingerprints` they tell functions apart by, `forms`,
which says how solutions are shown and in which order, `solver`, and `reach`. For people: `costs`,
which says what a step costs them, `cuts` and `routes`, which add up all ways to a value, and
`effort`; `shares`, which adds them up for each solution, and `likeliest`, which has hints.
"""
