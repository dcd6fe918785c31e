"""What sub-hands make: every value, every function, all routes to them and what these weigh.

Read `chart`, where all that sub-hands make stands, and which says what may stand beside an
operator, and `asks`, which targets of which sub-hands; then how the chart is read: `by_value`, each
value once, and `by_function`, each function once, told apart by `fingerprints`; `backward`, which
of all values lead to a target; `forest`, all routes to what was found, and what they weigh by
`costs`, which says what a step costs people; and `shortest`, one form of each value with whatever
operators. What is asked of a whole hand is for the wing above, which reads it off these.
"""
