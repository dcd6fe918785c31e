"""Equations to guess by their characters, and formulas with missing operators.

Read `records` (the rules of an equation) and `reading`, then `search`, which finds equations,
`guesses` and `rounds`. For missing operators read `gaps`, `missing` and `deals`.
"""
