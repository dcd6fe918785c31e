"""Formulas as text and as trees: reading, printing, evaluating and checking.

Read `trees` and the `styles` in which they are printed, `evaluation`, then `spellings`, `grammar`
and `statements` (formulas with `=`). `workings` reads solutions in steps, and `checking` judges all
of these. `errors` has the exceptions for formulas.
"""
