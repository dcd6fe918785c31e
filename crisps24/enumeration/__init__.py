"""All formulas of a game or a card: counted, found, written to results files and verified.

Read `places` (which numbers a row can have) and `value_codec` (how values are encoded), `counting`,
`keys` and `finding`, then `enumeration`, where the grammar confirms each row. `work` estimates
the cost of a count. For files read `format` and `results`, then `ledger` and `verification`.
"""
