"""What nobody should type: `python -m tests.hostile --inputs 100000` reads so many of it."""
