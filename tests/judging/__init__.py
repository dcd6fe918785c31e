"""Tests of the judge with tables of answers and random changes of them."""
