"""The player in a browser: its scripts, the records that they read, and a file that plays offline.

Read `files`, which makes the file, and `records`, which describes games and puzzles. Then read the
scripts: `engine.js` judges formulas and steps, `rounds.js` plays a round, and `player.js` draws it;
`texts.js` writes the messages, `clock.js` has the time limit, and `results.js` stores the results
and writes the line that pupils send. On a page of the server, `page.js` fetches the next puzzle.
"""
