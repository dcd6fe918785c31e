"""Formulas as text and as trees: parse, print, evaluate and check them.

Read `trees` and `styles` (how trees are printed), `evaluation`, then `spellings`, `grammar` and
`statements` (formulas with `=`). `workings` parses solutions in steps, and `checking` compares
formulas and workings with a target and a card. `errors` has the exceptions for formulas.
"""
