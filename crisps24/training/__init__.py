"""Rewards and audits for people who train and measure models.

Read `rewards`, functions in the shapes that training frameworks call, without importing them; then
`audits`, which checks files of puzzles; `data_files` reads and copies these files.
"""
