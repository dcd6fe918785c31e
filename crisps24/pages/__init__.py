"""The pages: read what an address asks, call what the command line calls, and show it.

Read `asking` and `sentences`, then the pages, `solve`, `check`, `table` with `play` and `daily`,
`sheet` and `start`, `programs` for those who want rows, `negotiation`, which reads what is wanted
out of a header, and `answering`, which puts all of it into words; it makes `replies`. Nothing here
knows of requests: an address comes in, and what is replied goes out.
"""
