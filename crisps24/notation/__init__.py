"""Text, trees and their working: how formulas are read, printed and worked out.

Read `trees` and the `styles` they are printed in, `evaluation`, then
`spellings`, `grammar` and `statements`;
`workings` are read otherwise, and `checking` reads them all, with the `errors` they raise, and
`lines`, which come in files; `extraction` says which part of any text is to be read.
"""
