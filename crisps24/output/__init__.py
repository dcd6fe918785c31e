"""Output of plain data: tables, plots, files written atomically, and worker processes.

Read `tables`, `atomic_files`, `plots` and `executors` in any order. Nothing here knows a game.
"""
