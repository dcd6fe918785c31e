"""Tests of the judge with a table of answers and an independent second judge."""
