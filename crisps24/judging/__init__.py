"""Judge answers: find the answer in any text, compare it with the puzzle, read files of answers.

Read `extraction`, which finds a marked answer without knowing the puzzle, with `marks` and
`candidates`, which find its parts by `patterns`, and `claims`, which recognises answers such as
"impossible"; then `readings`, which reads what people write, with `tokens` and `clauses`; then
`judge`, `retractions`, which recognises an answer that the text takes back, and `records`, which
reads records of answers. `rows` judges them, line by line, by the `forms` in which tools write them
and the `prompts` in them. `sources` makes UTF-8 of files, `json_arrays` and `parquet_rows` find
their rows, `table_rows` reads lines and the rows of tables, `class_tables` finds pupils and puzzles
in them, `batches` divides them so that they fit in memory, and `columns` has the names of columns.
`phone_lines` reads the results that pupils send from their phones.
"""
