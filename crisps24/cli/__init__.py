"""The command line: each command parses its options, calls the library and prints the result.

Read `program` first, which holds the table of commands; then `options`, which makes commands and
declares shared options, `screen`, which prints, `progress`, which reports the work of a long
call, `choosing`, the options that choose puzzles, and `meanings`, which names the call that a
refused one means: `spelling`, `starts`, `typed_words` and `typed_files` read its words, `needs`
completes the call, and `wrong_leads` judges the result.
Commands are in `solving`, `checks`, `puzzles`, `playing`, `serving`, `surveys`, `rows`,
`equations`, `judging` and `auditing`. No other package imports this package. Modules that not
every call needs are imported under `options.lazy_imports`: a call loads only those that it uses.

A function that refuses something raises `click.UsageError` or `RefusedError`, or OSError for a
file. `program` prints the error in one line, and ends with status 2.
"""
