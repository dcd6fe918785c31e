"""What one hand makes: its values, its solutions, and how many ways lead to each.

Read `pools` and the `fingerprints` it tells functions apart by, `solver`, then `reach`.
"""
