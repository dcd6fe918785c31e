// A round of one puzzle: taps and typed texts change it, and it has a reply. No page is needed.
// With brackets, a number, a sign and a number are a step. Without, taps write a formula, and
// precedence decides. In a row with missing signs, taps fill the boxes.
"use strict";

const EQUALS = "=";

// `speech` has the language: its signs, and `say(key, values)`, which returns a text.
function newRound(puzzle, game, speech) {
  const way = puzzle.row ? "row" : game.parentheses ? "steps" : "formula";
  const hand = puzzle.hand.map(valueOf);
  return {
    puzzle, game, speech, way, reply: null, mark: null, hints: 0, told: { place: "", count: 0 }, ending: null, attempts: [],
    // Steps: the values after each step, and the trees of the formulas that make them.
    boards: [hand], trees: [hand.map((number) => ({ number }))], steps: [], selection: [],
    // Formula: numbers and signs in turn.
    words: [],
    // Row: the signs in its boxes.
    signs: way === "row" ? puzzle.row.filter((word) => word === null) : [],
    // The attempt that is nearest to the target: { value, text, count }, with the number of its steps.
    get attempt() {
      const isNearer = (one, other) => less(distanceOf(this, one.value), distanceOf(this, other.value));
      return this.attempts.reduce((best, other) => (best && !isNearer(other, best) ? best : other), null);
    },
  };
}

const signOf = (name, speech) => speech.signs[name] ?? name;
const numberText = (text, speech) => text.replace("-", signOf("-", speech));
const operandText = (value, speech) => {
  const text = numberText(textOf(value), speech);
  return value.d !== 1n || value.n < 0n ? `(${text})` : text;
};
const stepLine = ([left, operator, right], speech) =>
  `${operandText(left, speech)} ${signOf(operator, speech)} ${operandText(right, speech)}`;
// A fraction of the hand is in brackets in formulas: 6 - (3/4).
const inFormula = (text) => (/\d\/\d/.test(text) ? `(${text})` : text);
// A formula with the signs of the language; a fraction of the hand keeps its bar.
const withSigns = (text, { puzzle: { hand }, game, speech }) => text.replace(/\d+\/\d+|\S/gu, (part) => {
  const isCard = hand.includes(part) || hand.includes(`-${part}`);
  return isCard ? part : part.replace(/[^\d\s]/u, (sign) => (game.spellings[sign] ? signOf(game.spellings[sign], speech) : sign));
});
const rulesOf = ({ game, speech }) => ({ ...game, signs: speech.signs });

// Replies: { kind: "good", "bad" or "", title, text }.
function setReply(round, text, kind = "", title = "") {
  round.reply = { text, kind, title };
}

// Mark the fault where it is; without a place only the reason is shown.
function setFault(round, fault, text) {
  const { say } = round.speech;
  const titles = { malformed: "page.verdict_malformed", illegal: "page.verdict_illegal", wrong: "page.verdict_wrong" };
  const isPlaced = fault.start !== null && fault.start !== undefined;
  round.mark = isPlaced ? { text, start: fault.start, end: fault.end } : { text };
  setReply(round, say(fault.key, fault.values), "bad", titles[fault.verdict] ? say(titles[fault.verdict]) : "");
}

const targetOf = ({ puzzle }) => valueOf(puzzle.target);
const distanceOf = (round, value) => gapOf(value, targetOf(round));
const isSolved = (round, value) => isBest(value, round.puzzle, rulesOf(round));

// The points of an answer, as in crisps24/rules/points.py; 0 if it is too far from the target.
function pointsOf(round, value) {
  const { points } = round.game;
  if (!points || value === null) return 0;
  const { n, d } = distanceOf(round, value);
  const earned = points.by_distance.find(([distance]) => n <= BigInt(distance) * d);
  return earned ? earned[1] + pointsOfOperators(round, value) : 0;
}

function pointsOfOperators({ game: { points }, puzzle: { hand } }, { used = [] }) {
  const operators = Object.keys(points.by_operator);
  const isComplete = used.length === hand.length - 1 && used.length === operators.length && operators.every((name) => used.includes(name));
  return used.reduce((sum, name) => sum + (points.by_operator[name] ?? 0), isComplete ? points.bonus : 0);
}

// End a round: `result` is right, closest, shown, or over if the time is over.
function endRound(round, result, value, formula, isOver = false) {
  const { hints } = round.ending ?? round;
  round.ending = { result, value, formula, hints, points: pointsOf(round, value), seconds: secondsOf(round), isOver };
  round.selection = [];
  round.mark = null;
  replyToEnding(round);
}

function replyToEnding(round) {
  const { result, value, formula, points, isOver } = round.ending;
  const { say } = round.speech;
  if (result === "right") {
    const key = round.puzzle.row || equal(value, targetOf(round)) ? "round.right" : "round.nearest";
    const right = { formula: withSigns(formula, round), value: round.puzzle.row ? textOf(value) : numberText(textOf(value), round.speech) };
    const text = say(key, { ...right, target: round.puzzle.target });
    const scored = points ? say("list.label", { label: text, text: say("result.points", { count: points }) }) : text;
    const most = mostText(round, points);
    setReply(round, most ? say("list.then", { first: scored, then: most }) : scored, "good");
    return;
  }
  const solution = solutionText(round);
  if (result === "shown") return setReply(round, solution, "", say("page.verdict_shown"));
  const clauses = isOver ? [say("round.over")] : [];
  if (value) clauses.push(say("list.label", { label: say("round.closest", { value: textOf(value), gap: textOf(distanceOf(round, value)) }), text: say("result.points", { count: points }) }));
  if (solution) clauses.push(solution);
  setReply(round, clauses.reduce((first, then) => say("list.then", { first, then })), points ? "good" : "bad");
}

function solutionText(round) {
  const { answer, best, target, ways } = round.puzzle;
  if (ways === 0) return unsolvableText(round);
  if (!answer) return "";
  const mostPoints = mostText(round, 0);
  if (mostPoints) return mostPoints;
  const [formula, right] = withSigns(answer, round).split(` ${EQUALS} `);
  const values = { formula, value: right ?? best ?? target, count: ways ?? 1 };
  return round.speech.say(values.count === 1 ? "round.only" : "round.likeliest", values);
}

// The most points and their formula, if a player has fewer and the file has the solution.
function mostText(round, points) {
  const { puzzle: { answer, most = 0 }, speech: { say } } = round;
  return answer && most > points ? say("round.most", { points: say("result.points", { count: most }), formula: withSigns(answer, round) }) : "";
}

const unsolvableText = ({ puzzle: { target, hand }, speech }) => speech.say("round.none", { target, hand: hand.join(" ") });

// Give up: a value near enough to the target still counts in games with points.
function showSolution(round) {
  const { attempt } = round;
  const points = attempt ? pointsOf(round, attempt.value) : 0;
  if (points) endRound(round, "closest", attempt.value, attempt.text);
  else endRound(round, "shown", null, "");
}

// Keep the value of a formula, or of the last step, as an attempt, and show its distance.
function replyToValue(round, value, text, count = 0) {
  const { say } = round.speech;
  round.attempts.push({ value, text, count });
  const gap = textOf(distanceOf(round, value));
  setReply(round, say("round.closer", { value: numberText(textOf(value), round.speech), gap }));
}

function clearReply(round) {
  round.reply = round.mark = null;
}

function tapNumber(round, place) {
  if (round.ending || round.way === "row") return;
  const board = round.boards.at(-1);
  if (round.way === "formula") {
    tapWord(round, round.puzzle.hand[place], place);
  } else if (board[place] !== null) {
    clearReply(round);
    const [first, operator] = round.selection;
    if (first === place) round.selection = [];
    else if (operator === undefined) round.selection = [place];
    else takeStep(round, [first, operator, place]);
  }
}

function tapSign(round, name) {
  if (round.ending) return;
  if (round.way === "row") return fillBox(round, name);
  if (round.way === "formula") return tapWord(round, name);
  if (!round.selection.length) return;
  clearReply(round);
  const [first, operator] = round.selection;
  round.selection = operator === name ? [first] : [first, name];
}

function takeStep(round, [one, operator, other]) {
  const { puzzle, game, speech } = round;
  const [board, trees] = [round.boards.at(-1), round.trees.at(-1)];
  const operands = [board[one], operator, board[other]];
  const result = step(board, [one, operator, other], rulesOf(round));
  if (result.key) {
    const text = stepLine(operands, speech);
    round.selection = [one];
    return setFault(round, { ...result, verdict: "illegal", start: 0, end: [...text].length }, text);
  }
  const tree = { operator, left: trees[one], right: trees[other] };
  const { text } = formulaOf(tree);
  round.boards.push(result.board);
  round.trees.push(replaced(trees, other, tree));
  round.steps.push([...operands, result.value]);
  const state = stateOf(result.board, result.value, puzzle, rulesOf(round));
  const left = result.board.filter((value) => value !== null);
  round.selection = left.length > 1 ? [other] : [];
  if (state === "right") return endRound(round, "right", result.value, text);
  const values = { target: puzzle.target, left: left.map((value) => numberText(textOf(value), speech)).join(" ") };
  if (state === "unused") return setReply(round, speech.say("round.unused", values));
  const isAnswer = left.length === 1 || (!game.all_numbers && pointsOf(round, result.value));
  if (game.accepts_closest && isAnswer) replyToValue(round, result.value, text, round.steps.length);
  else if (state === "stuck") setReply(round, speech.say("file.stuck", values), "bad");
  else if (Object.keys(game.points?.by_operator ?? {}).length) {
    const count = left.reduce((sum, value) => sum + pointsOfOperators(round, value), 0);
    setReply(round, speech.say("round.earned", { count, left: values.left }));
  }
}

// The formula of a tree, with brackets only where precedence needs them.
function formulaOf({ operator, left, right, number }) {
  if (!operator) return { text: inFormula(textOf(number)), level: 9 };
  const [level, one, other] = [PRECEDENCE[operator], left && formulaOf(left), formulaOf(right)];
  const bracket = ({ text }, needed) => (needed ? `(${text})` : text);
  const sides = one ? `${bracket(one, one.level < level)} ${operator} ` : operator;
  return { text: `${sides}${bracket(other, !one || other.level <= level)}`, level };
}

// A formula is judged with its last number, or with each number if numbers can be left over.
function tapWord(round, word, place) {
  const { words, puzzle, game } = round;
  const isNumber = place !== undefined;
  if (isNumber && words.some((other) => other.place === place)) return;
  if (!isNumber && !words.length) return;
  clearReply(round);
  if (isNumber === (words.length % 2 === 0)) words.push({ word, place });
  else if (!isNumber) words[words.length - 1] = { word };
  else return;
  const left = puzzle.hand.length - Math.ceil(words.length / 2);
  if (isNumber && (left === 0 || !game.all_numbers)) judgeText(round, formulaText(round), left > 0);
}

const formulaText = ({ words, speech }) =>
  words.map(({ word, place }) => (place === undefined ? signOf(word, speech) : inFormula(word))).join(" ");

const isLegal = ({ verdict, code }) => verdict === "right" || code === "value";

// Judge a formula; if it can go on, only a right one has a reply.
function judgeText(round, text, canGoOn = false, judged = judge(text, round.puzzle, rulesOf(round)), formula = text.split(EQUALS)[0].trim()) {
  if (isLegal(judged) && isSolved(round, judged.value)) return endRound(round, "right", judged.value, formula);
  if (canGoOn && judged.verdict !== "illegal") return undefined;
  if (judged.code === "value" && round.game.accepts_closest) return replyToValue(round, judged.value, formula);
  return setFault(round, judged, text);
}

// Take a typed step, such as 8 x 3, in games with brackets; or else a formula: of the numbers that
// are left, whose formulas stand for them, or of the hand.
function enterText(round, written) {
  if (round.ending || !written.trim()) return;
  clearReply(round);
  if (round.way === "row") return enterSigns(round, written);
  const text = written.replace(/(?<=\S\s*)[=＝]\s*$/, "");
  round.words = [];
  round.selection = [];
  const rules = rulesOf(round);
  const { tap, stated } = (round.way === "steps" && readStep(round, text)) || {};
  if (stated) return setFault(round, stated, text);
  if (tap) return takeStep(round, tap);
  if (!round.steps.length) return judgeText(round, text);
  const tiles = placesLeft(round).map((place) => ({ text: textOf(round.boards.at(-1)[place]), tree: round.trees.at(-1)[place] }));
  const [rest, whole] = [{ ...round.puzzle, tiles }, round.puzzle].map((puzzle) => judge(text, puzzle, rules));
  if (isLegal(rest)) return judgeText(round, text, false, rest, formulaOf(rest.tree).text);
  judgeText(round, text, false, isLegal(whole) ? whole : rest);
  if (!round.mark) dropUnusedSteps(round, whole.tree);
}

// Take back the first step that a formula of the hand does not have, and all steps after it.
function dropUnusedSteps(round, tree) {
  const rules = rulesOf(round);
  const stepName = (operator, ...sides) => {
    const names = sides.map(textOf);
    return [operator, ...("+x".includes(operator) ? names.sort() : names)].join(" ");
  };
  const used = partsOf(tree).operations.map(({ operator, left, right }) => stepName(operator, evaluate(left, rules), evaluate(right, rules)));
  const count = round.steps.findIndex(([left, operator, right]) => !used.includes(stepName(operator, left, right)));
  if (count >= 0) takeBack(round, round.steps.length - count);
}

function takeBack(round, count) {
  for (const list of [round.boards, round.trees, round.steps]) list.length -= count;
  round.attempts = round.attempts.filter((attempt) => attempt.count <= round.steps.length);
}

// Return the tap of a typed step, two numbers of the board with an operator, and maybe its result: a
// fault if it is wrong.
function readStep(round, text) {
  const [board, rules] = [round.boards.at(-1), rulesOf(round)];
  const hand = placesLeft(round).map((place) => textOf(board[place]));
  // 1/2 is a step, also with this fraction on the board; 3 x 1/2 is one if it is on the board.
  const readings = [() => new Reader(text, rules).read(), () => readFormula(text, { hand }, { ...rules, all_numbers: false })];
  return readings.map(caught).map(({ tree, target }) => {
    if (!tree?.left?.number || !tree.right.number || !rules.operators.includes(tree.operator)) return null;
    const tap = placesOfStep(round, board, [textOf(tree.left.number), tree.operator, textOf(tree.right.number)]);
    const judged = tap && target && judgeValue(step(board, tap, rules).value, target, null, {});
    return tap && { tap, stated: judged?.key && judged };
  }).find(Boolean);
}

// The places of the numbers of a board: results of steps first, as in Python.
function placesLeft({ boards, steps }, board = boards.at(-1)) {
  const results = steps.map(([, , , value]) => board.indexOf(value));
  return [...new Set([...results, ...board.keys()])].filter((place) => board[place]);
}

// Rows with missing signs.
const replaced = (list, index, value) => list.map((old, place) => (place === index ? value : old));
const rowWords = ({ puzzle, signs }) => {
  const rest = [...signs];
  return puzzle.row.map((word) => (word === null ? rest.shift() : word));
};
const rowText = (words, speech) => words.map((word) => (word === null ? "_" : signOf(word, speech))).join(" ");

function fillBox(round, name) {
  clearReply(round);
  const box = round.signs.indexOf(null);
  if (box < 0) return;
  round.signs[box] = name;
  if (!round.signs.includes(null)) judgeRow(round);
}

// Take typed signs: those of the boxes, or those of the whole row.
function enterSigns(round, text) {
  const { puzzle, game } = round;
  const characters = [...text];
  const typed = [...characters.keys()].filter((place) => !/[\s\d]/u.test(characters[place]));
  const names = typed.map((place) => (characters[place] === EQUALS ? EQUALS : game.spellings[characters[place]]));
  const isKnown = (name) => name === EQUALS || game.operators.includes(name);
  const wrong = names.findIndex((name) => !isKnown(name));
  if (wrong >= 0) {
    const start = typed[wrong];
    return setFault(round, { key: "formula.not_part", values: { sign: characters[start] }, start, end: start + 1 }, text);
  }
  const given = puzzle.row.filter((_, place) => place % 2 === 1);
  const isWhole = names.length === given.length && given.every((word, place) => word === null || word === names[place]);
  const missing = isWhole ? names.filter((_, place) => given[place] === null) : names;
  const boxes = round.signs.length;
  if (missing.length > boxes) return setFault(round, { key: "file.signs_many", values: { count: boxes } }, text);
  round.signs = round.signs.map((_, box) => missing[box] ?? null);
  if (missing.length === boxes) judgeRow(round);
}

function emptyBox(round, box) {
  if (round.ending) return;
  clearReply(round);
  round.signs[box] = null;
}

function judgeRow(round) {
  const words = rowWords(round);
  const text = rowText(words, round.speech);
  const fault = (key, values = {}) => setFault(round, { verdict: "wrong", key, values }, text);
  const equals = words.filter((word) => word === EQUALS).length;
  if (equals !== 1) return fault(equals ? "equation.several_equals" : "equation.no_equals");
  const sides = sidesOf(words).map((side) => judgeSide(round, side));
  const [left, right] = sides;
  if (left.key) return setFault(round, left, text);
  if (right.key) {
    const start = [...text].indexOf(EQUALS) + 2;
    return setFault(round, { ...right, start: right.start + start, end: right.end + start }, text);
  }
  if (equal(left.value, right.value)) {
    const [formula] = text.split(` ${EQUALS} `);
    return endRound(round, "right", right.value, formula);
  }
  return fault("equation.unequal", { left: textOf(left.value), right: textOf(right.value) });
}

function sidesOf(words) {
  const equals = words.indexOf(EQUALS);
  return [words.slice(0, equals), words.slice(equals + 1)];
}

function judgeSide(round, words) {
  const hand = words.filter((_, place) => place % 2 === 0);
  if (hand.length === 1) return { value: valueOf(hand[0]) };
  const rules = { ...rulesOf(round), parentheses: false, all_numbers: true };
  const judged = judge(rowText(words, round.speech), { hand, target: null }, rules);
  return judged.verdict === "legal" ? { value: judged.value } : judged;
}

// Return the signs of the first way to fill all boxes that starts with these signs, or null.
function fillRow(round, signs = round.signs) {
  const box = signs.indexOf(null);
  if (box < 0) {
    const words = rowWords({ ...round, signs });
    if (words.filter((word) => word === EQUALS).length !== 1) return null;
    const [left, right] = sidesOf(words).map((side) => judgeSide(round, side));
    return !left.key && !right.key && equal(left.value, right.value) ? signs : null;
  }
  for (const name of rowSigns(round)) {
    const filled = fillRow(round, replaced(signs, box, name));
    if (filled) return filled;
  }
  return null;
}

const rowSigns = ({ puzzle, game }) => (puzzle.row.includes(EQUALS) ? game.operators : [...game.operators, EQUALS]);

function giveHint(round) {
  if (round.ending) return;
  const { puzzle, speech } = round;
  const before = round.reply;
  round.mark = null;
  // A second hint at the same place goes on.
  const place = JSON.stringify([round.trees.at(-1).map((tree) => formulaOf(tree).text), round.words, round.signs]);
  const more = round.told.place === place ? round.told.count : 0;
  round.told = { place, count: more + 1 };
  const text = { steps: hintOfSteps, formula: hintOfFormula, row: hintOfRow }[round.way](round, more);
  const best = puzzle.best ?? puzzle.target;
  if (text === null) setReply(round, puzzle.ways === 0 ? unsolvableText(round) : speech.say("file.lost", { target: best }), "bad");
  else setReply(round, speech.say("round.hint", { formula: text }), "", speech.say("page.verdict_hint"));
  // The same hint again is one hint.
  if (round.reply.text !== before?.text) round.hints += 1;
}

// The next step, and `more` steps after it: all but the last with their results.
function hintOfSteps(round, more) {
  const { puzzle, speech } = round;
  const lines = [];
  let board = round.boards.at(-1);
  let result = "";
  while (lines.length <= more) {
    const next = plannedStep(round, board) ?? nextStep(board, puzzle, rulesOf(round));
    if (!lines.length && !next) return null;
    // A number of the board can be the answer already.
    if (!lines.length && next.length === 1) return numberText(textOf(board[next[0]]), speech);
    if (!next || next.length === 1) break;
    const [one, operator, other] = next;
    const line = stepLine([board[one], operator, board[other]], speech);
    if (lines.length) lines.push(`${lines.pop()} = ${result}`);
    lines.push(line);
    const made = step(board, next, rulesOf(round));
    board = made.board;
    result = numberText(textOf(made.value), speech);
  }
  return lines.join(speech.say("list.clauses"));
}

// The next step from a board on the route in the file; undefined if a step left it.
function plannedStep(round, board) {
  const route = round.puzzle.route ?? [];
  const index = route.findIndex((_, start) => isRoute(round, board, route.slice(start)));
  return index < 0 ? undefined : placesOfStep(round, board, route[index]);
}

// The first legal tap of two numbers of a board: with each operator once, a number of the hand can be
// right where an equal result is not.
function placesOfStep(round, board, [left, operator, right]) {
  const [ones, others] = [left, right].map((text) => placesLeft(round, board).filter((place) => textOf(board[place]) === text));
  const taps = ones.flatMap((one) => others.filter((other) => other !== one).map((other) => [one, operator, other]));
  return taps.find((tap) => !step(board, tap, rulesOf(round)).key);
}

// Whether steps can be taken from a board, and solve the puzzle.
function isRoute(round, board, route) {
  const rules = rulesOf(round);
  let value = null;
  for (const taken of route) {
    const places = placesOfStep(round, board, taken);
    if (!places) return false;
    ({ board, value } = step(board, places, rules));
  }
  return stateOf(board, value, round.puzzle, rules) === "right";
}

// The next signs and numbers of the formula in the file, or of any formula that starts with the words.
function hintOfFormula(round, more) {
  const { puzzle, game, speech } = round;
  const words = round.words.map(({ word }) => word);
  const answer = puzzle.answer ? puzzle.answer.split(" ").map((word) => game.spellings[word] ?? word.replace(/[()]/g, "")) : [];
  const isStart = (list) => list.length < answer.length && list.every((word, place) => word === answer[place]);
  const nextOf = (list) => (isStart(list) ? answer[list.length] : nextWord(list, puzzle, rulesOf(round)));
  const wanted = words.length + (words.length ? 1 + (words.length % 2) : 3) + 2 * more;
  while (words.length < wanted) {
    const next = nextOf(words);
    if (next === null) return null;
    if (next === "") break;
    words.push(next);
  }
  const text = words.map((word) => inFormula(signOf(word, speech))).join(" ");
  return words.length < 2 * puzzle.hand.length - 1 && game.all_numbers ? `${text} …` : text;
}

function hintOfRow(round, more) {
  const filled = fillRow(round);
  if (!filled) return null;
  const last = Math.max(0, round.signs.indexOf(null)) + more;
  const signs = round.signs.map((sign, box) => (box <= last ? filled[box] : sign));
  return rowText(rowWords({ ...round, signs }), round.speech);
}

// Whether nothing can be undone.
const isUntouched = ({ selection, steps, words, signs, mark }) =>
  !selection.length && !steps.length && !words.length && !mark && signs.every((sign) => sign === null);

function undo(round) {
  if (round.ending) return;
  clearReply(round);
  if (round.way === "row") {
    const filled = round.signs.map((sign, box) => (sign === null ? -1 : box));
    const box = Math.max(...filled);
    if (box >= 0) round.signs[box] = null;
  } else if (round.way === "formula") {
    round.words.pop();
  } else if (round.selection.length && !(round.steps.length && round.selection.length === 1)) {
    round.selection = [];
  } else if (round.steps.length) {
    takeBack(round, 1);
    round.selection = [];
  } else {
    round.selection = [];
  }
}
