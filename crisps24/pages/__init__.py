"""Web pages without a server: an address in, a reply out.

Read `asking` (the fields of an address) and `sentences`, then the pages `solve`, `check`, `table`
with `play` and `daily`, `sheet` and `start`, and `programs`, which answers programs. `negotiation`
reads the Accept headers, and `answering` chooses the page and renders its reply, of `replies`.
"""
