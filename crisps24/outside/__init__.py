"""Where the house touches the world: plain data in, nothing of the games known.

Read `tables`, `whole_files`, `plots` and `executors` in any order; `lettering` and `drawings`, then
`cards`, `pdfs` and `pictures`; and `gift`.
"""
