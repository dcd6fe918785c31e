"""Count, find and check all formulas of a game or of a card; write and verify results files.

Read `places` (which numbers a row can have) and `value_codec` (how values are encoded), then
`counting`, `keys` and `finding`, then `enumeration`, where the grammar confirms every row. `work`
estimates the cost of a count. For files read `format` and `results`, then `layouts`, `comparison`
and `verification`.
"""
