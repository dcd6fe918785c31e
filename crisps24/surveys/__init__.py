"""All hands of a game against every target.

Read `surveys`, the `store` where they are kept, then `answers` and `difficulties`.
"""
