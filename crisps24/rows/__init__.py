"""All formulas of a game or a card: counted, found, written to results files and verified.

Read `places` and `integers`, which say what stands in a row and how values are held, `counting`,
`keys` and `finding`, then `enumeration`, where the grammar agrees; `work` says what is too much to
count. `equations` are formulas by their characters, with `=` among them, and `guesses` are made at
one; `signs` that are missing are put between numbers. For the files read `format` and `results`,
then `ledger` and `verification`.
"""
