"""Tests of the pages, with the test client of Starlette and in a browser."""
