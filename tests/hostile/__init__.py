"""Random hostile inputs: `python -m tests.hostile --inputs 100000` tests 100,000 of them."""
