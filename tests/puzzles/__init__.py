"""Puzzles: dealt by a seed, graded, made again from their ids."""
