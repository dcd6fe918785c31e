"""Sentences that people read, as keys and values, and their texts in each language.

Read `message`, then `en.toml`, the model of the other files, and `languages`, which finds a
language by name, and `numbers`, which writes numbers in words. It imports no other
package of crisps24.
"""
