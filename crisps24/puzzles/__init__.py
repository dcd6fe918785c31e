"""Puzzles made for people: dealt by a seed, graded, named so that they can be made again.

Read `draws` and `ids`, then `conditions`, then `dealing`.
"""
