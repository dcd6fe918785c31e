"""Texts that pages, sheets and rounds show, one table per language.

Read `records`, then `english`, the model for `dutch`, `spanish`, `german`, `french` and `chinese`,
and `choosing`, which finds a language by name. This package imports nothing of crisps24.
"""
