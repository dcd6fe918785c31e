// The rules of a game: exact values, formulas, steps and hints. No page, and no text of a language.
// tests/player compares every answer with the Python package.
"use strict";

// A value is a fraction in lowest terms: numerator n, denominator d > 0, both BigInt.
const ZERO = { n: 0n, d: 1n };

function ratio(n, d = 1n) {
  if (d === 1n) return { n, d };
  let [a, b] = [n < 0n ? -n : n, d < 0n ? -d : d];
  while (b) [a, b] = [b, a % b];
  if (d < 0n) a = -a;
  return { n: n / a, d: d / a };
}

const valueOf = (text) => ratio(...String(text).split("/").map(BigInt));
const textOf = ({ n, d }) => (d === 1n ? `${n}` : `${n}/${d}`);
const equal = (a, b) => a.n === b.n && a.d === b.d;
const less = (a, b) => a.n * b.d < b.n * a.d;
const negative = ({ n, d }) => ({ n: -n, d });

const ARITHMETIC = {
  "+": (a, b) => ratio(a.n * b.d + b.n * a.d, a.d * b.d),
  "-": (a, b) => ratio(a.n * b.d - b.n * a.d, a.d * b.d),
  "x": (a, b) => ratio(a.n * b.n, a.d * b.d),
  ":": (a, b) => ratio(a.n * b.d, a.d * b.n),
};
const PRECEDENCE = { "+": 1, "-": 1, "x": 2, ":": 2 };
// The order in which a message lists operators.
const LISTED_OPERATORS = ["-", "+", "x", ":"];

// The distance of two values.
function gapOf(a, b) {
  const gap = ARITHMETIC["-"](a, b);
  return gap.n < 0n ? negative(gap) : gap;
}

// ---- Messages: a key and values, as in Python; see reasons.py for the kinds of values.

const MAX_BITS = 256;

function bitLength(n) {
  return n === 0n ? 0 : (n < 0n ? -n : n).toString(2).length;
}

// A value for a message: its text, or the number of its digits.
function shown(value) {
  const text = textOf(value);
  if (text.length < 70) return text;
  const bits = Math.max(bitLength(value.n), bitLength(value.d));
  return bits < MAX_BITS ? text : { key: "list.digits", values: { count: Math.floor((bits * 30103) / 100000) + 1 } };
}

// A step for a message, such as 3 - (8/3): a text, or parts to join if a number is very long.
function stepText(left, operator, right, rules) {
  const operand = (value) => (value.d === 1n ? [shown(value)] : ["(", shown(value), ")"]);
  const parts = [...operand(left), ` ${rules.signs[operator]} `, ...operand(right)];
  return parts.every((part) => typeof part === "string") ? parts.join("") : { joined: parts };
}

// Characters that Python escapes in a message; spaces stay in `escapeUnprintable`.
function escapeCharacter(character) {
  const code = character.codePointAt(0);
  const named = { 9: "\\t", 10: "\\n", 13: "\\r" }[code];
  const [letter, width] = code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
  return named || `\\${letter}${code.toString(16).padStart(width, "0")}`;
}

const isPrintable = (character) => character === " " || !/[\p{C}\p{Z}]/u.test(character);

// ---- Steps.

// Return { value } of a step, or { code, key, values } of the first rule that it breaks.
function operate(operator, left, right, rules) {
  if (operator === ":" && right.n === 0n) return { code: "division-by-zero", key: "step.division_by_zero", values: {} };
  const value = ARITHMETIC[operator](left, right);
  if (!rules.fractions && value.d !== 1n) {
    const rest = ((left.n % right.n) + right.n) % right.n;
    return { code: "remainder", key: "step.remainder", values: { rest: shown(ratio(rest)) } };
  }
  if (!rules.negatives && value.n < 0n) return { code: "below-zero", key: "step.below_zero", values: {} };
  if (!rules.zero && value.n === 0n) return { code: "zero", key: "step.zero", values: {} };
  if (rules.most !== null && less(valueOf(rules.most), value)) {
    return { code: "too-large", key: "step.above", values: { value: shown(value), most: String(rules.most) } };
  }
  return { value };
}

// Do a step on a board. The result lies in the place of the second number.
function step(board, [place, operator, other], rules) {
  const [left, right] = [board[place], board[other]];
  const { value, code, key, values } = operate(operator, left, right, rules);
  if (code) return { code, key, values: { step: stepText(left, operator, right, rules), ...values } };
  const next = [...board];
  next[place] = null;
  next[other] = value;
  return { value, board: next };
}

// Return the state after a step that made a value: right, unused, stuck or step.
function stateOf(board, value, puzzle, rules) {
  const left = board.filter((tile) => tile !== null).length;
  if ((left === 1 || !rules.all_numbers) && isBest(value, puzzle, rules)) return "right";
  if (left === 1) return "stuck";
  return rules.all_numbers && equal(value, valueOf(puzzle.target)) ? "unused" : "step";
}

// ---- Reading: text to tree. Places are columns, counted in code points.

const MAX_LENGTH = 10000;
const MAX_DIGITS = 100;
const MAX_NESTING = 100;
const CLOSING = { "(": ")", "[": "]" };
const SPACE = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
const IS_SPACE = new RegExp(SPACE);
const SEPARATOR = new RegExp(`(?:[,;、→⇒\\n\\r]|[-=]>)(?:${SPACE}|[,;、→⇒])*`, "g");
// Codes of a text that is not a formula: the first pattern that matches decides.
const CODE_PATTERNS = [
  ["power", /\* *\*|\^|[²³¹⁰⁴-⁹]/],
  ["decimal", /\. *[0-9]|[0-9] *\./],
  ["number", /[0-9]_|_[0-9]|[0-9][eE]|0[xXbBoO]/],
];
const POWER = /\*\*|\^|(?<=[0-9a-zA-Z)\]])[²³⁴-⁹]/y;

class Fault extends Error {
  constructor(verdict, code, key, values, start = null, end = null) {
    super(key);
    Object.assign(this, { verdict, code, key, values, start, end });
  }
}

// Full-width characters and spaces as ASCII. A character of two code units becomes one that no
// formula has, so that an index of the line is a column of the text.
function normalise(character) {
  if (character.length > 1) return "\uffff";
  const code = character.charCodeAt(0);
  if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0);
  return /[\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]/.test(character) ? " " : character;
}

// The text, its characters, and its lines: with ASCII characters, and with spaces for white space.
function sourceOf(text, rules) {
  const characters = Array.from(text);
  const ascii = characters.map(normalise).join("");
  const minus = Object.keys(rules.spellings).filter((sign) => rules.spellings[sign] === "-");
  const minusPattern = `[${minus.map((sign) => (sign === "-" ? "\\-" : sign)).join("")}]`;
  const targetPattern = new RegExp(`(=${SPACE}*(?:${minusPattern}${SPACE}*)?)([0-9]+)[ \\t]*/[ \\t]*([0-9]+)`, "g");
  const joinFraction = (target, equals, above, below) => `${equals}${above}/${below}`.padEnd(target.length);
  const spaced = (line) => line.replace(new RegExp(SPACE, "g"), " ");
  return {
    characters, ascii, rules, minusPattern,
    plain: spaced(ascii),
    line: spaced(ascii.replace(targetPattern, joinFraction)),
    groups: new Map(),
  };
}

const signAt = ({ line, rules }, column) => (Object.hasOwn(rules.spellings, line[column]) ? rules.spellings[line[column]] : "");
const letterAt = ({ line, rules }, column) => {
  const letter = line[column] !== undefined && /[A-Za-z]/.test(line[column]) ? line[column].toUpperCase() : "";
  return letter && Object.hasOwn(rules.letters, letter) ? letter : "";
};

function skipSpaces(line, column) {
  while (line[column] === " ") column += 1;
  return column;
}

// Return whether a text has several steps, the first with a result.
function isWorking(ascii) {
  const isBlank = (part) => [...part].every((character) => IS_SPACE.test(character));
  const steps = ascii.split(SEPARATOR).filter((part) => !isBlank(part));
  return steps.length > 1 && /=/.test(steps[0]) && !isBlank(steps[0].slice(steps[0].indexOf("=") + 1));
}

// Return the code of a text that is not a formula.
function errorCode(source) {
  const { line, plain } = source;
  const special = CODE_PATTERNS.find(([, pattern]) => pattern.test(plain));
  if (special) return special[0];
  const columns = Array.from(line, (_, column) => column);
  const isKnown = (column) => /[ 0-9()[\]=]/.test(line[column]) || signAt(source, column) || letterAt(source, column);
  if (!columns.every(isKnown)) return "character";
  const isTwoSigns = (column) => signAt(source, column) && signAt(source, skipSpaces(line, column + 1));
  return columns.some(isTwoSigns) ? "two-signs" : "not-a-formula";
}

function malformed(source, key, values, column, code = errorCode(source), length = 1) {
  return new Fault("malformed", code, key, values, column, column + length);
}

// Return the span of a power sign that includes a column, null without one.
function powerAt({ line, rules }, column) {
  // The reader takes the first character of ** for a sign, so start one column earlier.
  for (let start = Math.max(0, column - 1); start <= column; start += 1) {
    POWER.lastIndex = start;
    const sign = POWER.exec(line);
    if (sign && POWER.lastIndex > column && !Object.hasOwn(rules.spellings, sign[0])) return [start, POWER.lastIndex];
  }
  return null;
}

// Return the fault of a column that the grammar cannot read.
function syntaxFault(source, unread) {
  const { line, characters } = source;
  const column = skipSpaces(line, unread);
  const power = powerAt(source, column);
  if (power) {
    const [start, end] = power;
    return malformed(source, "formula.power", { sign: line.slice(start, end) }, start, "power", end - start);
  }
  const [key, values] = syntaxReason(source, column, line[column] || "", line.slice(0, column).trimEnd().slice(-1));
  if (key === "formula.not_part") values.sign = isPrintable(characters[column]) ? characters[column] : escapeCharacter(characters[column]);
  return malformed(source, key, values, column);
}

// Return the key and the values of the reason, from the characters after and before a column.
function syntaxReason(source, column, after, before) {
  const { line } = source;
  if (!line.trim()) return ["formula.none", {}];
  if (line.slice(0, column).includes("=")) {
    const rest = line.slice(column).trim();
    return [`formula.target_${rest.includes("=") ? "once" : rest ? "only" : "missing"}`, {}];
  }
  if (/^[0-9([]/.test(after) || (after && letterAt(source, column))) return ["formula.operator_missing", { after }];
  if (after && !signAt(source, column) && !")]=".includes(after)) return ["formula.not_part", {}];
  if (before && after) return ["formula.number_missing_between", { before, after }];
  return before ? ["formula.number_missing_after", { before }] : ["formula.number_missing_before", { after }];
}

// Return the columns of opening and closing brackets, inner pairs first.
function matchBrackets(source) {
  const [pairs, opened] = [[], []];
  const { line } = source;
  for (let column = 0; column < line.length; column += 1) {
    const sign = line[column];
    if (CLOSING[sign]) {
      opened.push(column);
      if (opened.length > MAX_NESTING) throw malformed(source, "formula.too_deep", { most: String(MAX_NESTING) }, column, "too-deep");
    } else if (sign === ")" || sign === "]") {
      if (!opened.length) throw malformed(source, "formula.not_opened", { sign }, column);
      const start = opened.pop();
      const opening = line[start];
      if (CLOSING[opening] !== sign) throw malformed(source, "formula.not_matched", { sign, opening }, column);
      pairs.push([start, column]);
    }
  }
  if (opened.length) throw malformed(source, "formula.not_closed", { sign: line[opened.at(-1)] }, opened.at(-1));
  return pairs;
}

// Read a part of the line without brackets around it. Its groups have been read. Return its tree:
// { number, start, end } or { operator, sign, left, right, start, end }, sign being a column; a minus
// before a group has left null.
class PartReader {
  constructor(source, start, end) {
    Object.assign(this, { source, column: start, end, longNumber: null });
  }

  operand() {
    const { source, end } = this;
    const start = skipSpaces(source.line, this.column);
    const minus = start < end && signAt(source, start) === "-";
    const first = minus ? skipSpaces(source.line, start + 1) : start;
    const group = source.groups.get(first);
    const digits = /^[0-9]+/.exec(source.line.slice(first, end));
    const letter = first < end && letterAt(source, first);
    if (first >= end || !(group || digits || letter)) throw syntaxFault(source, Math.min(start, end));
    this.column = group ? group.end : first + (digits ? digits[0].length : 1);
    const place = { start, end: this.column };
    if (group) {
      const inner = { ...group.tree, start: first, end: this.column };
      return minus ? { operator: "-", sign: start, left: null, right: inner, ...place } : inner;
    }
    if (digits && digits[0].length > MAX_DIGITS) this.longNumber = this.longNumber || place;
    const number = ratio(BigInt(digits ? digits[0] : source.rules.letters[letter]));
    return { number: minus ? negative(number) : number, minus, ...place };
  }

  chain(precedence) {
    const operand = () => (precedence === 2 ? this.operand() : this.chain(2));
    let tree = operand();
    for (;;) {
      const column = skipSpaces(this.source.line, this.column);
      const operator = column < this.end ? signAt(this.source, column) : "";
      if (PRECEDENCE[operator] !== precedence) return tree;
      this.column = column + 1;
      const right = operand();
      tree = { operator, sign: column, left: tree, right, start: tree.start, end: right.end };
    }
  }

  // Read the target after =, if there is one; return its span, or null.
  target() {
    const { source } = this;
    const { line, minusPattern } = source;
    const column = skipSpaces(line, this.column);
    if (line[column] !== "=") return null;
    const start = skipSpaces(line, column + 1);
    const word = new RegExp(`^(?:${minusPattern} *)?[0-9./∕⁄]+`).exec(line.slice(start));
    if (!word) throw syntaxFault(source, start);
    this.column = start + word[0].length;
    return [start, this.column];
  }

  close() {
    const column = skipSpaces(this.source.line, this.column);
    if (column < this.end) throw syntaxFault(this.source, column);
    if (!this.longNumber) return;
    const { start, end } = this.longNumber;
    throw malformed(this.source, "formula.number_too_long", { most: String(MAX_DIGITS) }, start, "number", end - start);
  }
}

// Return the value of a target: a whole number, a fraction or a decimal.
function targetValue(source, [start, end]) {
  const { line, characters, minusPattern } = source;
  const word = line.slice(start, end);
  const parts = new RegExp(`^(${minusPattern}?) *(?:([0-9]+)(?:[/∕⁄](0*[1-9][0-9]*))?|([0-9]*)\\.([0-9]+))$`).exec(word);
  if (parts === null || word.length > MAX_DIGITS) {
    const written = line.includes("/") ? [...word] : characters.slice(start, end);
    const cut = written.length > 40 ? [...written.slice(0, 40), "…"] : written;
    const quoted = cut.map((character) => (isPrintable(character) ? character : escapeCharacter(character))).join("");
    throw malformed(source, "formula.target_no_number", { word: { quoted } }, start, "not-a-formula", end - start);
  }
  const [, minus, above, below, whole, decimals] = parts;
  const value = decimals ? ratio(BigInt(whole + decimals), 10n ** BigInt(decimals.length)) : ratio(BigInt(above), BigInt(below || 1));
  return minus ? negative(value) : value;
}

// Read a formula: return { tree, target }, target null without one.
function read(text, rules) {
  const source = sourceOf(text, rules);
  const size = source.characters.length;
  if (size > MAX_LENGTH) {
    const values = { size: { count: size }, most: { count: MAX_LENGTH } };
    throw malformed(source, "formula.too_long", values, MAX_LENGTH, "too-long");
  }
  if (/[\\\ue000]/.test(source.ascii)) throw new Fault("unsupported", "latex", "script.latex", {});
  if (isWorking(source.ascii)) throw new Fault("unsupported", "working", "script.working", {});
  const reserved = [source.line.indexOf("\0"), source.line.indexOf("\x01")].find((column) => column >= 0);
  if (reserved !== undefined) throw syntaxFault(source, reserved);
  const pairs = matchBrackets(source);
  if (pairs.length && !rules.parentheses) {
    const start = Math.min(...pairs.map(([column]) => column));
    throw new Fault("illegal", "operator", "formula.no_parentheses", {}, start, start + 1);
  }
  for (const [start, end] of pairs) {
    const reader = new PartReader(source, start + 1, end);
    const tree = reader.chain(1);
    reader.close();
    source.groups.set(start, { tree, end: end + 1 });
  }
  const reader = new PartReader(source, 0, size);
  const tree = reader.chain(1);
  const target = reader.target();
  reader.close();
  return { tree, target: target && targetValue(source, target) };
}

// ---- Judging.

// Split a tree along its left edge, as far as the precedence is equal: the first operand, and the
// operations after it.
function splitChain(tree) {
  const links = [];
  let first = tree;
  while (first && first.operator && (!links.length || PRECEDENCE[first.operator] === PRECEDENCE[links.at(-1).operator])) {
    links.push(first);
    first = first.left;
  }
  return [first, links.reverse()];
}

// Append the numbers and the operations of a tree to two lists, from left to right.
function collectParts(tree, numbers, operations) {
  if (tree === null) return;
  if (tree.number) {
    numbers.push(tree);
    return;
  }
  const [first, links] = splitChain(tree);
  collectParts(first, numbers, operations);
  for (const link of links) {
    operations.push(link);
    collectParts(link.right, numbers, operations);
  }
}

const illegal = (code, key, values, { start, end }) => new Fault("illegal", code, key, values, start, end);

// Throw the fault of the first number that neither the game nor the hand has.
function checkNumbers(numbers, hand, rules) {
  const known = new Set([...rules.numbers.map(String), ...hand.map(textOf)]);
  for (const part of numbers) {
    const { number } = part;
    const isKnown = known.has(textOf(number)) || (rules.negatives && number.n < 0n && known.has(textOf(negative(number))));
    if (isKnown) continue;
    const values = { number: shown(number), known: rules.known_numbers };
    throw illegal(number.n < 0n ? "sign" : "number", "formula.no_number", values, part);
  }
}

// Throw the fault of the first operation that the game forbids for any numbers.
function checkOperations(operations, rules) {
  for (const part of operations) {
    const isAllowed = rules.operators.includes(part.operator);
    // An operator that the game lacks is marked itself; other faults mark the whole operation.
    const place = isAllowed ? part : { start: part.sign, end: part.sign + 1 };
    if (!part.left && !rules.negatives) throw illegal("sign", "formula.no_negatives", {}, place);
    if (isAllowed) continue;
    const known = LISTED_OPERATORS.filter((operator) => rules.operators.includes(operator));
    const values = { sign: rules.signs[part.operator], known: known.map((operator) => rules.signs[operator]).join(" ") };
    throw illegal("operator", "formula.no_operator", values, place);
  }
}

// Return the value of a tree; throw the fault of the first step that breaks a rule. Of a chain, all
// operands come before its steps, as in Python.
function evaluate(tree, rules) {
  if (tree === null) return ZERO;
  if (tree.number) return tree.number;
  const [first, links] = splitChain(tree);
  let value = evaluate(first, rules);
  const operands = links.map((link) => evaluate(link.right, rules));
  links.forEach((link, index) => {
    const right = operands[index];
    const done = operate(link.operator, value, right, rules);
    if (done.code) {
      const values = { step: stepText(value, link.operator, right, rules), ...done.values };
      throw illegal(done.code, done.key, values, link);
    }
    value = done.value;
  });
  return value;
}

// Return the numbers as cards: 3 for a -3 that is not in the hand.
function cardsOf(numbers, hand, rules) {
  const left = hand.map(textOf);
  return numbers.map(({ number }) => {
    const isCard = number.n >= 0n || !rules.negatives || left.includes(textOf(number));
    const card = isCard ? number : negative(number);
    const place = left.indexOf(textOf(card));
    if (place >= 0) left.splice(place, 1);
    return card;
  });
}

function times(count) {
  const name = { 1: "once", 2: "twice" }[count];
  return name ? { key: `times.${name}`, values: {} } : { key: "times.many", values: { count } };
}

const ascending = (values) => [...values].sort((a, b) => (less(a, b) ? -1 : Number(less(b, a))));
const distinct = (values) => values.filter((value, index) => !index || !equal(value, values[index - 1]));

// Return { code, key, values } of a wrong use of the numbers of a hand, null if it is right.
function usageProblem(used, hand, rules) {
  const countIn = (values, value) => values.filter((other) => equal(other, value)).length;
  const foreign = distinct(ascending(used.filter((value) => !countIn(hand, value))));
  const unused = distinct(ascending(hand.filter((value) => rules.all_numbers && !countIn(used, value))));
  const list = (values) => ({ count: values.length, numbers: { list: values.map(shown) } });
  const clauses = foreign.length ? [{ key: "answer.not_in_hand", values: list(foreign) }] : [];
  let isOverused = foreign.length > 0;
  for (const value of distinct(ascending(hand))) {
    const [count, most] = [countIn(used, value), countIn(hand, value)];
    isOverused ||= count > most;
    if (!(count > most || (rules.all_numbers && count > 0 && count < most))) continue;
    const values = { number: shown(value), times: times(count) };
    clauses.push(most > 1 ? { key: "answer.used_not", values: { ...values, most: times(most) } } : { key: "answer.used_times", values });
  }
  if (unused.length) clauses.push({ key: "answer.not_used", values: list(unused) });
  if (!clauses.length) return null;
  const code = isOverused ? "numbers" : "numbers-missing";
  return clauses.length > 1 ? { code, key: "answer.numbers", values: { clauses: { clauses } } } : { code, ...clauses[0] };
}

// Return the place of the first number that the hand does not have, or has not as often.
function placeOfUsage(numbers, cards, hand) {
  const left = hand.map(textOf);
  for (const [index, card] of cards.entries()) {
    const place = left.indexOf(textOf(card));
    if (place < 0) return { start: numbers[index].start, end: numbers[index].end };
    left.splice(place, 1);
  }
  return { start: null, end: null };
}

// Return the verdict on a readable formula; throw a fault if it is illegal.
function verdictOf({ tree, target }, puzzle, rules) {
  const [numbers, operations, hand] = [[], [], puzzle.hand.map(valueOf)];
  collectParts(tree, numbers, operations);
  const negativeZero = numbers.find(({ number, minus }) => minus && number.n === 0n);
  if (negativeZero && !rules.negatives) throw illegal("sign", "formula.no_negatives", {}, negativeZero);
  checkNumbers(numbers, hand, rules);
  checkOperations(operations, rules);
  const value = evaluate(tree, rules);
  const cards = cardsOf(numbers, hand, rules);
  const problem = usageProblem(cards, hand, rules);
  if (problem) return { verdict: "wrong", value, ...placeOfUsage(numbers, cards, hand), ...problem };
  const goal = puzzle.target === null ? null : valueOf(puzzle.target);
  for (const [code, expected] of [["stated", target], ["value", goal]]) {
    if (expected === null || equal(expected, value)) continue;
    const values = { value: shown(value), target: shown(expected) };
    return { verdict: "wrong", code, key: "answer.makes", values, value, start: null, end: null };
  }
  const verdict = target === null && goal === null ? "legal" : "right";
  return { verdict, code: "", key: "", values: {}, value, start: null, end: null };
}

// Judge a formula. Return { verdict, code, key, values, value, start, end }; the verdict is right,
// legal (right, and the puzzle has no target), wrong, illegal, malformed or unsupported.
function judge(text, puzzle, rules) {
  try {
    return verdictOf(read(text, rules), puzzle, rules);
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    const { verdict, code, key, values, start, end } = fault;
    return { verdict, code, key, values, value: null, start, end };
  }
}

// ---- Search: values of sub-hands, and the steps to a goal.

const keyOf = ({ n, d }) => (d === 1n ? n : `${n}/${d}`);
const sizeOf = (mask) => mask.toString(2).replaceAll("0", "").length;

// Yield the partitions of a set of tiles, a mask of bits, into a smaller and a larger part.
function* partitions(mask) {
  for (let part = (mask - 1) & mask; part; part = (part - 1) & mask) {
    const [own, other] = [sizeOf(part), sizeOf(mask ^ part)];
    if (own < other || (own === other && part < (mask ^ part))) yield [part, mask ^ part];
  }
}

// The search of one board. A tree is { place }, or { operator, left, right }.
class Search {
  constructor(values, rules) {
    Object.assign(this, { values, rules, tables: new Map(), failures: new Map() });
    this.all = 2 ** values.length - 1;
    this.tableSize = Math.max(1, Math.floor((2 * values.length) / 3));
  }

  // Return a map from the key of each value that uses all tiles of a mask to { value, tree }.
  table(mask) {
    if (this.tables.has(mask)) return this.tables.get(mask);
    const table = new Map();
    this.tables.set(mask, table);
    if (sizeOf(mask) === 1) {
      const place = Math.log2(mask);
      table.set(keyOf(this.values[place]), { value: this.values[place], tree: { place } });
    } else {
      for (const { value, tree } of this.results(mask)) {
        const key = keyOf(value);
        if (!table.has(key)) table.set(key, { value, tree });
      }
    }
    return table;
  }

  // Yield the legal results of the last step on all tiles of a mask.
  *results(mask) {
    for (const [part, rest] of partitions(mask)) {
      for (const left of this.table(part).values()) {
        for (const right of this.table(rest).values()) {
          for (const operator of this.rules.operators) yield* this.bothOrders(operator, left, right);
        }
      }
    }
  }

  *bothOrders(operator, left, right) {
    for (const [a, b] of "+x".includes(operator) ? [[left, right]] : [[left, right], [right, left]]) {
      const { value } = operate(operator, a.value, b.value, this.rules);
      if (value) yield { value, tree: { operator, left: a.tree, right: b.tree } };
    }
  }

  // Return a tree of all tiles of a mask that makes a goal, or null.
  find(mask, goal) {
    if (sizeOf(mask) <= this.tableSize) return this.table(mask).get(keyOf(goal))?.tree ?? null;
    if (!this.isAllowed(goal)) return null;
    const failures = this.failures.get(mask) || new Set();
    this.failures.set(mask, failures);
    if (failures.has(keyOf(goal))) return null;
    for (const [part, rest] of partitions(mask)) {
      for (const known of this.table(part).values()) {
        const tree = this.findWith(known, rest, goal);
        if (tree) return tree;
      }
    }
    failures.add(keyOf(goal));
    return null;
  }

  // Return whether the result of a step can have a value.
  isAllowed(value) {
    const { fractions, negatives, zero, most } = this.rules;
    return (fractions || value.d === 1n) && (negatives || value.n >= 0n) && (zero || value.n !== 0n) && (most === null || !less(valueOf(most), value));
  }

  // Return a tree that makes a goal from a known value and all tiles of a mask.
  findWith(known, rest, goal) {
    for (const operator of this.rules.operators) {
      for (const isLeft of "+x".includes(operator) ? [true] : [true, false]) {
        const tree = this.partner(operator, known, isLeft, rest, goal);
        if (!tree) continue;
        return isLeft ? { operator, left: known.tree, right: tree } : { operator, left: tree, right: known.tree };
      }
    }
    return null;
  }

  // Return a tree of all tiles of a mask whose value makes a goal with a known value.
  partner(operator, { value: known }, isLeft, rest, goal) {
    const isLegal = (value) => {
      const done = operate(operator, ...(isLeft ? [known, value] : [value, known]), this.rules);
      return done.value !== undefined && equal(done.value, goal);
    };
    if (isLeft && known.n === 0n && goal.n === 0n && "x:".includes(operator)) {
      for (const { value, tree } of this.table(rest).values()) if (isLegal(value)) return tree;
      return null;
    }
    const value = inverse(operator, known, isLeft, goal);
    return value && isLegal(value) ? this.find(rest, value) : null;
  }

  // Return the tree with the fewest tiles that makes one of several goals, or null.
  fewest(goals) {
    const masks = Array.from({ length: this.all }, (_, index) => index + 1).sort((a, b) => sizeOf(a) - sizeOf(b));
    for (const mask of this.rules.all_numbers ? [this.all] : masks) {
      for (const goal of goals) {
        const tree = this.find(mask, goal);
        if (tree) return tree;
      }
    }
    return null;
  }
}

// Return the operand that makes a goal with a known one, undefined if there is none or any does.
function inverse(operator, known, isLeft, goal) {
  if (operator === "+") return ARITHMETIC["-"](goal, known);
  if (operator === "-") return isLeft ? ARITHMETIC["-"](known, goal) : ARITHMETIC["+"](goal, known);
  if (operator === ":" && !isLeft) return known.n === 0n ? undefined : ARITHMETIC["x"](goal, known);
  const [above, below] = operator === ":" ? [known, goal] : [goal, known];
  return below.n === 0n ? undefined : ARITHMETIC[":"](above, below);
}

// ---- Best values and hints.

// Gaps that are tried one after another before all values are computed.
const MAX_TRIED_GAP = 12n;
const bestValues = new WeakMap();

// Return the reachable value nearest to the target, null if none counts.
function bestValue(puzzle, rules) {
  const target = valueOf(puzzle.target);
  if (!rules.parentheses) return nearestOf(formulaValues(puzzle, rules), target, rules);
  const search = new Search(puzzle.hand.map(valueOf), rules);
  if (search.fewest([target])) return target;
  if (!rules.accepts_closest) return null;
  for (let gap = 1n; gap <= MAX_TRIED_GAP && !rules.fractions && target.d === 1n; gap += 1n) {
    for (const value of [ratio(target.n - gap), ratio(target.n + gap)]) if (search.fewest([value])) return value;
  }
  return nearestOf(allValues(search), target, rules);
}

function* allValues(search) {
  for (let mask = 1; mask < search.all; mask += 1) for (const { value } of search.table(mask).values()) yield value;
  const last = search.values.length > 1 ? search.results(search.all) : search.table(search.all).values();
  for (const { value } of last) yield value;
}

function nearestOf(values, target, rules) {
  let best = null;
  for (const value of values) {
    if (!best || less(gapOf(value, target), gapOf(best, target))) best = value;
    if (equal(best, target)) return best;
  }
  return rules.accepts_closest ? best : null;
}

// Return whether a value answers a puzzle: the target, or a value as near to it as possible.
function isBest(value, puzzle, rules) {
  const target = valueOf(puzzle.target);
  if (equal(value, target)) return true;
  if (!rules.accepts_closest) return false;
  const best = bestOf(puzzle, rules);
  return best !== null && !less(gapOf(best, target), gapOf(value, target));
}

// The best value of a puzzle: that of its record, or computed once.
function bestOf(puzzle, rules) {
  if (puzzle.best) return valueOf(puzzle.best);
  if (!bestValues.has(puzzle)) bestValues.set(puzzle, bestValue(puzzle, rules));
  return bestValues.get(puzzle);
}

// Return the next step from a board to the best value: [place, operator, place]; [place] if a number
// of the board is the answer; null if it is out of reach.
function nextStep(board, puzzle, rules) {
  const target = valueOf(puzzle.target);
  const best = rules.accepts_closest ? bestOf(puzzle, rules) : target;
  if (best === null) return null;
  const goals = equal(best, target) ? [best] : [best, ARITHMETIC["-"](ARITHMETIC["+"](target, target), best)];
  const places = board.map((_, place) => place).filter((place) => board[place] !== null);
  const values = places.map((place) => board[place]);
  // Steps without fractions and negative results are easier.
  const tree = new Search(values, { ...rules, fractions: false, negatives: false }).fewest(goals) || new Search(values, rules).fewest(goals);
  if (tree === null) return null;
  if (tree.place !== undefined) return [places[tree.place]];
  const [left, operator, right] = firstStep(tree);
  return [places[left], operator, places[right]];
}

// Return the first step of a tree whose operands are tiles.
function firstStep({ operator, left, right }) {
  if (left.operator) return firstStep(left);
  return right.operator ? firstStep(right) : [left.place, operator, right.place];
}

// A formula without brackets that is not complete: the numbers left, the sum before the last sign of
// a sum, that sign, the product after it, and the last sign of a product.
const EMPTY_FORMULA = { sum: null, sign: "", product: null, factor: "" };

// Return a formula with one more word, null if that breaks a rule.
function addWord(formula, word, rules) {
  const { sum, sign, product, factor } = formula;
  if (PRECEDENCE[word] === 2) return { ...formula, factor: word };
  if (PRECEDENCE[word] === 1) {
    const total = totalOf(formula, rules);
    return total && { sum: total, sign: word, product: null, factor: "" };
  }
  if (!factor) return { sum, sign, product: valueOf(word), factor };
  const { value } = operate(factor, product, valueOf(word), rules);
  return value ? { sum, sign, product: value, factor: "" } : null;
}

// Return the value of a formula that ends with a number, undefined if its last step breaks a rule.
function totalOf({ sum, sign, product }, rules) {
  return sum ? operate(sign, sum, product, rules).value : product;
}

// Yield each next word of a formula, with the formula and the numbers left after it.
function* nextWords(formula, left, rules) {
  const needsNumber = !formula.product || formula.factor;
  for (const word of needsNumber ? new Set(left) : left.length ? rules.operators : []) {
    const next = addWord(formula, word, rules);
    const place = needsNumber ? left.indexOf(word) : -1;
    if (next) yield [word, next, left.filter((_, index) => index !== place)];
  }
}

// Return the next word of a formula without brackets that starts with some words and makes the best
// value; "" if it is complete, null if it is out of reach.
function nextWord(words, puzzle, rules) {
  const left = [...puzzle.hand];
  let formula = EMPTY_FORMULA;
  for (const word of words) {
    formula = formula && addWord(formula, word, rules);
    if (!PRECEDENCE[word]) left.splice(left.indexOf(word), 1);
  }
  const failures = new Set();
  const isComplete = (state, rest) => {
    if (!state.product || state.factor || (rest.length && rules.all_numbers)) return false;
    const total = totalOf(state, rules);
    return total !== undefined && isBest(total, puzzle, rules);
  };
  const search = (state, rest) => {
    if (isComplete(state, rest)) return "";
    const key = [state.sum, state.product].map((value) => value && textOf(value)).concat(state.sign, state.factor, ...[...rest].sort()).join(" ");
    if (failures.has(key)) return null;
    for (const [word, next, after] of nextWords(state, rest, rules)) if (search(next, after) !== null) return word;
    failures.add(key);
    return null;
  };
  return formula ? search(formula, left) : null;
}

// Yield the values of all formulas without brackets.
function* formulaValues(puzzle, rules, formula = EMPTY_FORMULA, left = puzzle.hand, seen = new Set()) {
  const key = [formula.sum, formula.product].map((value) => value && textOf(value)).concat(formula.sign, formula.factor, ...[...left].sort()).join(" ");
  if (seen.has(key)) return;
  seen.add(key);
  if (formula.product && !formula.factor && !(left.length && rules.all_numbers)) {
    const total = totalOf(formula, rules);
    if (total) yield total;
  }
  for (const [, next, rest] of nextWords(formula, left, rules)) yield* formulaValues(puzzle, rules, next, rest, seen);
}
