"""Web pages without a server: a request in, a reply out.

Read `addresses`, which parses the parameters of an address, and `sentences`. The pages are
`solve`, `check`, `table` with `play` and `daily`, `mark`, `results` and `start`, and, with their
`puzzles`, `sheet`, `quiz` and `phones`; `programs` replies in JSON.
`negotiation` parses the Accept headers. `answering` chooses the page and renders its `replies`: the
function `page` of a page returns the values of its template, or a redirect. `requests` is the way
in: methods, roots, headers and refusals; `uploads` reads forms with files.
"""
