"""What one hand makes: its values, its solutions, how many ways lead to each, and how hard it is.

Read `chart`, where all that sub-hands make stands, and which says what may stand beside an
operator, and `asks`, which targets of which sub-hands; then how the chart is read: `by_value`, each
value once, and `by_function`, each function once, told apart by `fingerprints`; `backward`, which
of all values lead to a target; `forest`, all routes to what was found and what they weigh; `forms`,
which says how solutions are shown and in which order; `shortest`, one form of each value with
whatever operators; `work`, which says what is too much; `solver`, and `written`, which counts every
way to write what it solves. For people: `costs`, which says what a step costs them, `effort`, and
`likeliest`, which has hints; `judge`, which says what any text is worth as an answer; and `puzzle`,
which is the value that people hold.
"""
