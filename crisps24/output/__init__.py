"""Plain data in and out: encodings, tables, plots, files written atomically, worker processes.

Read `encodings`, `tables`, `open_documents`, `workbooks`, `atomic_files`, `plots` and `executors`
in any order. They do not depend on games.
"""
