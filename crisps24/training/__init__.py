"""Rewards and audits for people who train and measure models.

Read `rewards`, functions in the shapes that training frameworks call, without importing them, and
`host_classes`, which makes objects of two of these.

An audit reads the rows of a file (`data_files`), finds their columns (`row_claims`) and repeated
puzzles (`first_rows`), solves the puzzles (`audits`) and checks what the rows say (`row_checks`).
`corrections` turns its findings into changes of the file, with new keys from `key_notation`.
`overlaps` compares two files.
"""
