"""Plain data in and out: encodings, tables, plots, files written atomically, worker processes.

Read `encodings`, `tables`, `atomic_files`, `plots` and `executors` in any order. None knows a game.
"""
