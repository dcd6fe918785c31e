"""The pages: read what an address asks, call what the command line calls, and show it.

Read `asking` and `sentences`, then the pages, `solve`, `check`, `table` with `play` and `daily`,
`sheet` and `start`, `programs` for those who want rows, and `pages`, which puts them into words;
`replies`, which is all that the server knows of them;
then `work`, which has that done by processes beside the server, `guards`, which refuse at the door,
`roots`, which hang all of it under a path, `negotiation`, which reads what is wanted out of a
header, `connections`, which are hung up on where somebody is too slow, and `application`, which
holds them together. Of the other wings only the command line knows this one.
"""
