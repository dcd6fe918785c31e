"""Text, trees and their working: how formulas are read, printed and worked out.

Read `trees` and the `styles` they are printed in, `evaluation`, then
`spellings`, `grammar` and `statements`;
`workings` are read otherwise, and `checking` reads them all, with the `errors` they raise, and
`lines`, which come in files; `equations` are read side by side, `gaps` are signs that are missing,
and `extraction` says which part of any text is to be read, or which of the `claims` it is that
there is nothing to read.
"""
