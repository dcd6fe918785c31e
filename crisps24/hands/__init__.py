"""What one hand makes: its values, its solutions, and how many ways lead to each.

Read `levels`, which says what may stand beside an operator, then `pools` and the `fingerprints` it
tells functions apart by, `solver`, and `reach`.
"""
