"""Benchmarks: run with `python -m pytest tests/benchmarks --benchmark-enable`."""
