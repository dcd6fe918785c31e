"""The chart of a hand: the values or functions of all its sub-hands, and the routes to them.

Read `chart`, the table over sub-hands, and `goals`, the targets of each hand. The chart is keyed by
value in `by_value`, and by rational function in `by_function`, where `fingerprints` identify
functions. `backward` finds the values that can lead to a target. `forest` holds all routes to
a result, weighted by the step costs of `costs`. `shortest` keeps one form of each value for any
operators.
"""
