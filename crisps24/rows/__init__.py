"""All formulas of a game: counted, found, written to results files and verified.

Read `counting`, `finding`, `enumeration`, then `results` and `verification`.
"""
