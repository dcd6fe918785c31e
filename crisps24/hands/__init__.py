"""The chart of a hand: the values or functions of all its sub-hands, and the routes to them.

Read `rows`, tables and what is done with them, `chart`, the table over sub-hands, and `goals`, the
targets of each hand. The chart has the key value in `by_value`, and the key rational function in
`by_function`; `checkpoints` keep the first in a
file; `fingerprints` identify functions. `backward` finds the values that can lead to a
target. `forest` sums the weights of all routes to a solution, from the step costs of `costs`.
`shortest` keeps one form of each value, for any operators.
"""
