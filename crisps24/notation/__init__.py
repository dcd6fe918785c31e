"""Formulas as text and as trees: parse, print, evaluate and check them.

Read `trees`, `shapes` and `styles` (how trees are printed), `evaluation`, then `spellings`,
`grammar`, `parser` and `statements` (formulas with `=`). `fraction_cards` parses formulas with
fractions of a card, and `workings` solutions in steps. `checking` compares both with a target and a
card. `errors` has the exceptions for formulas.
"""
