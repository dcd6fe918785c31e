"""What is asked of a hand: its solutions, its values, how hard it is, and what an answer is worth.

Read `work`, which says what is too much, and `forms`, how solutions are shown and in which order;
`solver`, which reads them off what sub-hands make, and `written`, which counts every way to write
what it solves. For people: `effort`, how hard a target is, and `likeliest`, which has hints;
`judge`, which says what any text is worth as an answer; and `puzzle`, which is the value that
people hold.
"""
