"""Sentences that people read, as keys and values, and their texts in each language.

Read `message`, then `en.toml`, the model of the other files. `languages` finds a language by name,
and `numbers` writes numbers in words. The package imports no other package of crisps24.
"""
