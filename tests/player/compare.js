// Read the cases of cases.py from standard input. Print differences, and then a line of counts.
"use strict";
const fs = require("fs");
const path = require("path");
const readline = require("readline");
const { isDeepStrictEqual } = require("util");

const read = (name) => fs.readFileSync(path.join(__dirname, "../../crisps24/player", name), "utf8");
const SCRIPTS = ["engine.js", "clock.js", "rounds.js"].map(read).join("\n");
const NAMES = "judge, step, stateOf, nextStep, nextWord, bestValue, isBest, gapOf, valueOf, textOf, ARITHMETIC";
const ROUNDS = "newRound, enterText, giveHint, showSolution, undo";
const scripts = new Function(`${SCRIPTS}; return { ${NAMES}, ${ROUNDS} };`)();
const { judge, step, stateOf, nextStep, nextWord, bestValue, isBest, gapOf, valueOf, textOf, ARITHMETIC } = scripts;
const { newRound, enterText, giveHint, showSolution, undo } = scripts;

const MAX_PRINTED = 20;
const counts = { differences: 0, wrongPlaces: 0, wrongReasons: 0, slowestHint: 0, slowestBest: 0, verdicts: {} };
let games, signs;
let printed = 0;

function count(name) {
  counts[name] = (counts[name] || 0) + 1;
}

function difference(name, detail) {
  count(name);
  printed += 1;
  if (printed <= MAX_PRINTED) console.log(name, JSON.stringify(detail));
}

// Python writes a very long number within a step as English text.
const written = (part) => (part.key ? `a number of about ${part.values.count} digits` : part);
function withStepText(values) {
  const { joined } = values.step || {};
  return joined ? { ...values, step: joined.map(written).join("") } : values;
}

// Return the milliseconds of the processor since a start; other programs do not count.
function milliseconds(start) {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

// Return whether hints lead from a board to the best value.
function followHints(board, puzzle, rules) {
  const hint = nextStep(board, puzzle, rules);
  if (!hint || hint.length === 1) return hint !== null && isBest(board[hint[0]], puzzle, rules);
  const { value, board: next } = step(board, hint, rules);
  if (!next) return false;
  return stateOf(next, value, puzzle, rules) === "right" || followHints(next, puzzle, rules);
}

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
    const isSameReason = isDeepStrictEqual([key, withStepText(values)], [expected.key, expected.values]);
    if (!isSameReason) difference("wrongReasons", { text, expected, key, values });
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
  hint({ hand, target, best, board: texts, used, expected }, rules) {
    const puzzle = { hand, target, best };
    const board = texts.map((text, place) => text && { ...valueOf(text), used: used?.[place] });
    const start = process.cpuUsage();
    const hint = nextStep(board, puzzle, rules);
    counts.slowestHint = Math.max(counts.slowestHint, milliseconds(start));
    const isReached = hint !== null && followHints(board, puzzle, rules);
    if (isReached !== expected) difference("differences", { texts, target, best, expected, hint });
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
    const text = formula.map((part) => (part.length > 1 && part.includes("/") ? `(${part})` : part)).join(" ");
    const { value } = judge(text, { hand, target: null }, rules);
    const isReached = word === "" && value && isBest(value, puzzle, rules);
    if (expected && !isReached) difference("differences", { hand, target, words, formula });
  },

  best({ hand, target, expected }, rules) {
    const start = process.cpuUsage();
    const value = bestValue({ hand, target }, rules);
    counts.slowestBest = Math.max(counts.slowestBest, milliseconds(start));
    const gap = value && textOf(gapOf(value, valueOf(target)));
    if (gap !== expected) return difference("differences", { hand, target, expected, gap });
    if (gap === null) return;
    const [puzzle, goal, distance] = [{ hand, target }, valueOf(target), valueOf(gap)];
    const farther = ARITHMETIC["+"](distance, valueOf("1"));
    const isRight = ["-", "+"].flatMap((sign) =>
      [distance, farther].map((offset) => isBest(ARITHMETIC[sign](goal, offset), puzzle, rules)));
    const isReached = !rules.parentheses || followHints(hand.map(valueOf), puzzle, rules);
    const isBoth = rules.accepts_closest || gap === "0";
    const isSame = isReached && (!isBoth || String(isRight) === "true,false,true,false");
    if (!isSame) difference("differences", { hand, target, gap, isRight, isReached });
  },

  // Texts that are typed one after another; replies have the keys of their texts.
  round({ hand, target, best, inputs, expected }, rules) {
    const round = newRound({ hand, target, best }, rules, { signs: rules.signs, say: (key) => key });
    const replies = inputs.map((text) => {
      ({ "?": giveHint, "!": showSolution, u: undo }[text] ?? enterText)(round, text);
      const { reply, ending, boards } = round;
      const fault = /^page.verdict_(wrong|illegal|malformed)$/.test(reply?.title);
      const left = ending ? [] : boards.at(-1).filter(Boolean).map(textOf).sort();
      return { fault, lost: reply?.text === "file.lost", result: ending?.result ?? "", points: ending?.points ?? 0, left };
    });
    const { formula, value } = round.ending;
    // The formula in the reply is one of the hand.
    const isWritten = !formula || textOf(judge(formula, { hand, target }, rules).value) === textOf(value);
    const isSame = isWritten && isDeepStrictEqual(replies, expected);
    if (!isSame) difference("differences", { hand, target, inputs, expected, replies, formula });
  },
};

COMPARE.edge = COMPARE.formula;

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
