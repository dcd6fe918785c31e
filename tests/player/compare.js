// Read the cases of cases.py from standard input. Print differences, and then a line of counts.
"use strict";
const fs = require("fs");
const path = require("path");
const readline = require("readline");
const { isDeepStrictEqual } = require("util");

const ENGINE = path.join(__dirname, "../../crisps24/player/engine.js");
const NAMES = "judge, step, stateOf, nextStep, nextWord, bestValue, isBest, gapOf, valueOf, textOf";
const engine = new Function(`${fs.readFileSync(ENGINE, "utf8")}; return { ${NAMES} };`)();
const { judge, step, stateOf, nextStep, nextWord, bestValue, isBest, gapOf, valueOf, textOf } = engine;

const MAX_PRINTED = 20;
const counts = { differences: 0, wrongPlaces: 0, wrongReasons: 0, slowestHint: 0, slowestBest: 0, verdicts: {} };
let games, signs;

function count(name) {
  counts[name] = (counts[name] || 0) + 1;
}

function difference(name, detail) {
  count(name);
  if (counts.differences + counts.wrongPlaces + counts.wrongReasons <= MAX_PRINTED) console.log(name, JSON.stringify(detail));
}

// Python writes a very long number within a step as English text.
const written = (part) => (part.key ? `a number of about ${part.values.count} digits` : part);
const withStepText = ({ step: text, ...values }) => ({ ...values, ...(text && { step: text.joined ? text.joined.map(written).join("") : text }) });

const milliseconds = (start) => Number(process.hrtime.bigint() - start) / 1e6;

const COMPARE = {
  formula({ text, hand, target, expected }, rules) {
    const { verdict, code, key, values, value, start, end } = judge(text, { hand, target }, rules);
    const result = [verdict, code, value && textOf(value)];
    counts.verdicts[expected.verdict] = (counts.verdicts[expected.verdict] || 0) + 1;
    if (expected.place) count("places");
    if (expected.key) count("reasons");
    if (!isDeepStrictEqual(result, [expected.verdict, expected.code, expected.value])) {
      difference("differences", { text, hand, target, expected, result, key });
    } else if (expected.place && !isDeepStrictEqual([start, end], expected.place)) {
      difference("wrongPlaces", { text, expected, start, end });
    }
    if (!isDeepStrictEqual([key, withStepText(values)], [expected.key, expected.values])) difference("wrongReasons", { text, expected, key, values });
  },

  taps({ hand, target, best, taps, expected }, rules) {
    const puzzle = { hand, target, best };
    let board = hand.map(valueOf);
    const replies = taps.map((tap) => {
      const { code, key, values, value, board: next } = step(board, tap, rules);
      if (code) return { code, key, values };
      board = next;
      return { state: stateOf(board, value, puzzle, rules), value: textOf(value) };
    });
    if (!isDeepStrictEqual(replies, expected)) difference("differences", { hand, target, taps, expected, replies });
  },

  // A hint is compared by whether there is one; hints are followed to the end.
  hint({ hand, target, best, board: texts, expected }, rules) {
    const puzzle = { hand, target, best };
    let board = texts.map((text) => text && valueOf(text));
    let state = "step";
    let start = process.hrtime.bigint();
    let hint = nextStep(board, puzzle, rules);
    counts.slowestHint = Math.max(counts.slowestHint, milliseconds(start));
    if ((hint !== null) !== expected) return difference("differences", { texts, target, best, expected, hint });
    while (hint && hint.length === 3) {
      const done = step(board, hint, rules);
      board = done.board;
      state = done.board ? stateOf(board, done.value, puzzle, rules) : "illegal";
      hint = state === "step" || state === "unused" ? nextStep(board, puzzle, rules) : null;
    }
    const isReached = state === "right" || (hint && isBest(board[hint[0]], puzzle, rules));
    if (expected && !isReached) difference("differences", { texts, target, best, state });
  },

  words({ hand, target, best, words, expected }, rules) {
    const puzzle = { hand, target, best };
    const formula = [...words];
    let word = nextWord(formula, puzzle, rules);
    if ((word !== null) !== expected) return difference("differences", { hand, target, words, expected, word });
    while (word) {
      formula.push(word);
      word = nextWord(formula, puzzle, rules);
    }
    const { value } = judge(formula.join(" "), { hand, target: null }, rules);
    if (expected && !(word === "" && value && isBest(value, puzzle, rules))) difference("differences", { hand, target, words, formula });
  },

  best({ hand, target, expected }, rules) {
    const start = process.hrtime.bigint();
    const value = bestValue({ hand, target }, rules);
    counts.slowestBest = Math.max(counts.slowestBest, milliseconds(start));
    const gap = value && textOf(gapOf(value, valueOf(target)));
    if (gap !== expected) difference("differences", { hand, target, expected, gap });
  },
};

const lines = readline.createInterface({ input: process.stdin, crlfDelay: Infinity });
lines.on("line", (line) => {
  const record = JSON.parse(line);
  if (!games) {
    ({ games, signs } = record);
    return;
  }
  count(record.kind);
  COMPARE[record.kind](record, { ...games[record.game], signs: signs[record.style] });
});
lines.on("close", () => {
  console.log(JSON.stringify(counts));
  process.exit(counts.differences ? 1 : 0);
});
