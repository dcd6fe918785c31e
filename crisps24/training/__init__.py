"""Rewards and audits for people who train and measure models.

Read `rewards`, functions in the shapes that training frameworks call, without importing them, and
`host_classes`, which makes objects of two frameworks.

An audit reads the rows of a file, finds their columns (`row_claims`) and repeated puzzles
(`first_rows`), solves the puzzles (`audits`) and checks the claims of the rows (`row_checks`).
`corrections` turns its findings into changes of the file, with new keys from `key_notation`.
`overlaps` compares two files.

`data_files` reads and copies files, with `parquet_files` for Parquet; `row_changes` changes values
in a row.
"""
