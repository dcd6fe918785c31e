"""Languages: what pages, sheets and rounds say, one table a language.

Read `records`, then `english`, on whose table `dutch`, `spanish`, `german`, `french` and `chinese`
are modelled, and `choosing`, which finds the one that is asked for. Nothing else of the house is
known here. What is wrong is told in English, by whoever finds it.
"""
