"""What one hand makes: its values, its solutions, how many ways lead to each, and how hard it is.

Read `levels`, which says what may stand beside an operator, then `pools` and the `fingerprints` it
tells functions apart by, `solver`, and `reach`; for people, `costs`, which says what a step costs
them, `cuts` and `routes`, which add up all ways to a value, and `effort`.
"""
