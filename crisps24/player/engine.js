// The rules of a game: exact values, formulas, steps and hints. No page, and no text of a language.
// tests/player compares every answer with the Python package.
"use strict";

// ---- Values: fractions in lowest terms, with a numerator n and a denominator d > 0, both BigInt.

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
const negate = ({ n, d }) => ({ n: -n, d });
const isAbove = ({ n, d }, most) => most !== null && n > BigInt(most) * d;

const ARITHMETIC = {
  "+": (a, b) => ratio(a.n * b.d + b.n * a.d, a.d * b.d),
  "-": (a, b) => ratio(a.n * b.d - b.n * a.d, a.d * b.d),
  "x": (a, b) => ratio(a.n * b.n, a.d * b.d),
  ":": (a, b) => ratio(a.n * b.d, a.d * b.n),
};
const PRECEDENCE = { "+": 1, "-": 1, "x": 2, ":": 2 };
// The order in which messages list operators.
const LISTED_OPERATORS = ["-", "+", "x", ":"];

// Characters such as ¾.
const VULGAR_FRACTIONS = "\xbc-\xbe\u2150-\u215e";
const NUMBER = new RegExp(`^(?:([0-9]+)(?:[/∕⁄](0*[1-9][0-9]*))?|([0-9]*)\\.([0-9]+)|([0-9]*)([${VULGAR_FRACTIONS}]))$`);

// Return the value of a text such as 12, 3/4, 0.75 or 1½; null for other texts.
function readValue(text) {
  const [, above, below = "1", whole, decimals, ones, character] = NUMBER.exec(text) || [null];
  if (above) return ratio(BigInt(above), BigInt(below));
  if (decimals) return ratio(BigInt(whole + decimals), 10n ** BigInt(decimals.length));
  // The compatibility form of ¾ is 3⁄4.
  return character ? ARITHMETIC["+"](ratio(BigInt(ones)), readValue(character.normalize("NFKC"))) : null;
}

// Return the distance of two values.
function gapOf(a, b) {
  const gap = ARITHMETIC["-"](a, b);
  return gap.n < 0n ? negate(gap) : gap;
}

// ---- Messages: a key and values; texts.js writes their texts.

const MAX_BITS = 256;

// Return a value for a message: its text, or the number of its digits.
function shown(value) {
  const text = textOf(value);
  const longest = value.n ** 2n > value.d ** 2n ? value.n : value.d;
  const bits = text.length < 70 ? 0 : longest.toString(2).replace("-", "").length;
  if (bits < MAX_BITS) return text;
  return { key: "list.digits", values: { count: Math.floor((bits * 30103) / 100000) + 1 } };
}

// Return a step, such as 3 - (8/3): a text, or parts to join if a number is very long.
function stepText(left, operator, right, rules) {
  const minus = rules.signs["-"];
  const signed = (text) => (typeof text === "string" && minus?.length === 1 ? text.replace("-", minus) : text);
  const operand = (value) => (value.d === 1n ? [signed(shown(value))] : ["(", signed(shown(value)), ")"]);
  const parts = [...operand(left), ` ${rules.signs[operator]} `, ...operand(right)];
  return parts.every((part) => typeof part === "string") ? parts.join("") : { joined: parts };
}

// Return a character of a text; one that cannot be seen is escaped as in Python.
function visible(character) {
  if (character === " " || !/[\p{C}\p{Z}]/u.test(character)) return character;
  const code = character.codePointAt(0);
  const [letter, width] = code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
  const named = { 9: "\\t", 10: "\\n", 13: "\\r" }[code];
  return named || `\\${letter}${code.toString(16).padStart(width, "0")}`;
}

// A verdict on a formula that has no value. Places count code points.
class Fault {
  constructor(verdict, code, key, values = {}, start = null, end = null) {
    Object.assign(this, { verdict, code, key, values, value: null, start, end });
  }
}

// ---- Steps.

// Return { value } of a step, or { code, key, values } of the first rule that it breaks. Where
// operators give points or come at most once, a value has the operators that it uses.
function operate(operator, left, right, rules) {
  const broken = (code, key, values = {}) => ({ code, key, values });
  if (operator === ":" && right.n === 0n) return broken("division-by-zero", "step.division_by_zero");
  const value = ARITHMETIC[operator](left, right);
  if (!rules.fractions && value.d !== 1n) {
    // The remainder has the sign of the divisor.
    const rest = ((left.n % right.n) + right.n) % right.n;
    return broken("remainder", "step.remainder", { rest: shown(ratio(rest)) });
  }
  if (!rules.negatives && value.n < 0n) return broken("below-zero", "step.below_zero");
  if (!rules.zero && value.n === 0n) return broken("zero", "step.zero");
  if (isAbove(value, rules.most)) return broken("too-large", "step.above", { value: shown(value), most: String(rules.most) });
  if (!rules.tracks_operators) return { value };
  const used = [...(left.used ?? []), operator, ...(right.used ?? [])];
  const repeated = rules.once && used.find((name, index) => used.indexOf(name) < index);
  return repeated ? broken("operator", "formula.operator_twice", { sign: rules.signs[repeated] }) : { value: { ...value, used } };
}

// Return { value, board } of a step; the result lies in the place of the second number. If the step
// breaks a rule, return { code, key, values }.
function step(board, [place, operator, other], rules) {
  const [left, right] = [board[place], board[other]];
  const { value, code, key, values } = operate(operator, left, right, rules);
  const words = key?.startsWith("step.") ? { step: stepText(left, operator, right, rules) } : {};
  if (code) return { code, key, values: { ...words, ...values } };
  return { value, board: board.map((tile, index) => (index === place ? null : index === other ? value : tile)) };
}

// Return the state after a step that made a value: right, unused, stuck or step.
function stateOf(board, value, puzzle, rules) {
  const left = board.filter((tile) => tile !== null).length;
  if ((left === 1 || !rules.all_numbers) && isBest(value, puzzle, rules)) return "right";
  if (left === 1) return "stuck";
  return rules.all_numbers && equal(value, valueOf(puzzle.target)) ? "unused" : "step";
}

// ---- Reading: text to tree.

const MAX_LENGTH = 6000;
const MAX_DIGITS = 100;
const MAX_NESTING = 100;
const CLOSING = { "(": ")", "[": "]" };
const SPACE = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
const BLANK = new RegExp(`^${SPACE}*$`);
const SPACES = new RegExp(SPACE, "g");
const SEPARATOR = new RegExp(`(?:[,;、→⇒\\n\\r]|[-=]>)(?:${SPACE}|[,;、→⇒])*`);
// Codes of a text that is not a formula: the first pattern that matches decides.
const CODE_PATTERNS = [
  ["power", /\* *\*|\^|[²³¹⁰⁴-⁹]/],
  ["decimal", /\. *[0-9]|[0-9] *\./],
  ["number", /[0-9]_|_[0-9]|[0-9][eE]|0[xXbBoO]/],
];
const TARGET = new RegExp(`^[0-9./∕⁄${VULGAR_FRACTIONS}]*`);
const POWER = /\*\*|\^|(?<=[0-9a-zA-Z)\]])[²³⁴-⁹]/y;

// Return a pattern of the signs of minus or of division.
const signPattern = ({ spellings }, name) =>
  `[${Object.keys(spellings).filter((sign) => spellings[sign] === name).map((sign) => `\\${sign}`).join("")}]`;

// Return full-width characters and spaces as ASCII. A character of two code units becomes one that
// no formula has, so that an index of a line is a place.
function normalise(character) {
  if (character.length > 1) return "\uffff";
  const code = character.charCodeAt(0);
  if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0);
  return /[\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]/.test(character) ? " " : character;
}

// Return lines of a text with a character for each of its own: `ascii` has normal characters, `joined`
// no spaces in the fraction after =, `line` also spaces for white space; `tokens` has operators by
// name, letters of cards as capitals, and ? for what no formula has.
function linesOf(characters, rules) {
  const { spellings, letters } = rules;
  const ascii = characters.map(normalise).join("");
  // The fraction is on one line: the next line can be the next step.
  const inLine = `(?:(?![\\n\\r])${SPACE})*`;
  const fraction = new RegExp(`(=${SPACE}*(?:${signPattern(rules, "-")}${SPACE}*)?)([0-9]+)${inLine}/${inLine}([0-9]+)`, "g");
  const join = (target, before, above, below) => `${before}${above}/${below}`.padEnd(target.length);
  const joined = ascii.replace(fraction, join);
  const line = joined.replace(SPACES, " ");
  const token = (character) => {
    if (/[ 0-9()[\]=]/.test(character)) return character;
    if (Object.hasOwn(spellings, character)) return spellings[character];
    const letter = /[A-Za-z]/.test(character) ? character.toUpperCase() : "";
    return Object.hasOwn(letters, letter) ? letter : "?";
  };
  return { ascii, joined, plain: ascii.replace(SPACES, " "), line, tokens: Array.from(line, token).join("") };
}

// Return whether a text has several steps, the first with a result.
function isWorking(ascii) {
  const [first, ...others] = ascii.split(new RegExp(SEPARATOR, "g")).filter((part) => !BLANK.test(part));
  return others.length > 0 && first.includes("=") && !BLANK.test(first.slice(first.indexOf("=") + 1));
}

// A reader of one text. Its trees are { number, minus, start, end } or { operator, sign, left, right,
// start, end }; sign is a place; a minus before brackets has no left operand (null). `written` are
// numbers { start, end, value } that are not in digits, such as fractions of the hand.
class Reader {
  constructor(text, rules, written = []) {
    this.characters = Array.from(text);
    this.rules = rules;
    this.place = 0;
    Object.assign(this, linesOf(this.characters, rules));
    this.line = withPlaceholders(this.line, written);
    this.tokens = withPlaceholders(this.tokens, written);
    this.valueByEnd = new Map(written.map(({ end, value }) => [end, value]));
  }

  malformed(key, values, start, code = this.errorCode(), length = 1) {
    return new Fault("malformed", code, key, values, start, start + length);
  }

  errorCode() {
    const special = CODE_PATTERNS.find(([, pattern]) => pattern.test(this.plain));
    if (special) return special[0];
    if (this.tokens.includes("?")) return "character";
    return /[-+x:] *[-+x:]/.test(this.tokens) ? "two-signs" : "not-a-formula";
  }

  skipSpaces(start) {
    let place = start;
    while (this.line[place] === " ") place += 1;
    return place;
  }

  // Return the fault of a place that the grammar cannot read.
  syntaxFault(start) {
    const place = this.skipSpaces(start);
    // The reader takes the first character of ** for a sign, so start one place earlier.
    for (let first = Math.max(0, place - 1); first <= place; first += 1) {
      POWER.lastIndex = first;
      const [sign] = POWER.exec(this.line) || [""];
      if (first + sign.length > place) return this.malformed("formula.power", { sign }, first, "power", sign.length);
    }
    const before = this.line.slice(0, place).replace(/ +$/, "").slice(-1);
    const [name, values = {}] = this.syntaxReason(place, this.line[place] || "", before);
    return this.malformed(`formula.${name}`, values, place);
  }

  // Return the name and the values of the reason, from the characters after and before a place.
  syntaxReason(place, after, before) {
    const token = this.tokens[place] || "";
    if (/^ *$/.test(this.line)) return ["none"];
    if (this.line.slice(0, place).includes("=")) {
      const rest = this.line.slice(place);
      return [rest.includes("=") ? "target_once" : /[^ ]/.test(rest) ? "target_only" : "target_missing"];
    }
    if (/[0-9([A-Z]/.test(token)) return ["operator_missing", { after }];
    if (token === "?") return ["not_part", { sign: visible(this.characters[place]) }];
    if (before && after) return ["number_missing_between", { before, after }];
    return before ? ["number_missing_after", { before }] : ["number_missing_before", { after }];
  }

  // Throw the fault of brackets that are not in pairs.
  checkBrackets() {
    const opened = [];
    for (const [place, sign] of [...this.line].entries()) {
      if (CLOSING[sign]) {
        opened.push(place);
        const values = { most: String(MAX_NESTING) };
        if (opened.length > MAX_NESTING) throw this.malformed("formula.too_deep", values, place, "too-deep");
      } else if (sign === ")" || sign === "]") {
        if (!opened.length) throw this.malformed("formula.not_opened", { sign }, place);
        const start = opened.pop();
        const opening = this.line[start];
        if (CLOSING[opening] !== sign) throw this.malformed("formula.not_matched", { sign, opening }, place);
      }
    }
    if (opened.length) throw this.malformed("formula.not_closed", { sign: this.line[opened.at(-1)] }, opened.at(-1));
  }

  readChain(precedence) {
    const readOperand = () => (precedence === 2 ? this.readOperand() : this.readChain(2));
    let tree = readOperand();
    for (;;) {
      const sign = this.skipSpaces(this.place);
      const operator = this.tokens[sign];
      if (!operator || PRECEDENCE[operator] !== precedence) return tree;
      this.place = sign + 1;
      const right = readOperand();
      tree = { operator, sign, left: tree, right, start: tree.start, end: right.end };
    }
  }

  readOperand() {
    const start = this.skipSpaces(this.place);
    const next = this.tokens[start] === "-" ? this.skipSpaces(start + 1) : start;
    // A minus before another sign, or before what ends a formula, is none.
    const isEnd = /^(?:[-+x:)\]=]|$)/.test(this.tokens.slice(next, next + 1)) || this.line[next] === "}";
    const minus = next > start && !isEnd;
    const first = minus ? next : start;
    const [word] = /^(?:[0-9]+|[A-Z]|)/.exec(this.tokens.slice(first));
    if (!word) {
      const inner = this.readGroup(first);
      return minus ? { operator: "-", sign: start, left: null, right: inner, start, end: inner.end } : inner;
    }
    const end = first + word.length;
    if (word.length > MAX_DIGITS) {
      throw this.malformed("formula.number_too_long", { most: String(MAX_DIGITS) }, first, "number", word.length);
    }
    this.place = end;
    const number = this.valueByEnd.get(end) || ratio(BigInt(this.rules.letters[word] || word));
    return { number: minus ? negate(number) : number, minus, start, end };
  }

  readGroup(start) {
    const closing = CLOSING[this.line[start]];
    if (!closing) throw this.syntaxFault(start);
    this.place = start + 1;
    const tree = this.readChain(1);
    const last = this.skipSpaces(this.place);
    if (this.line[last] !== closing) throw this.syntaxFault(last);
    this.place = last + 1;
    return { ...tree, start, end: this.place };
  }

  // Read = and the target; return its span, or null without one.
  readTarget() {
    const sign = this.skipSpaces(this.place);
    if (this.line[sign] !== "=") return null;
    const start = this.skipSpaces(sign + 1);
    const minus = this.tokens[start] === "-" ? this.skipSpaces(start + 1) - start : 0;
    const [word] = TARGET.exec(this.line.slice(start + minus));
    if (!word) throw this.syntaxFault(start);
    this.place = start + minus + word.length;
    return [start, this.place];
  }

  valueOfTarget([start, end]) {
    const minus = this.tokens[start] === "-";
    const word = this.line.slice(minus ? this.skipSpaces(start + 1) : start, end);
    const value = end - start > MAX_DIGITS ? null : readValue(word);
    if (!value) {
      const written = this.line.includes("/") ? [...this.joined.slice(start, end)] : this.characters.slice(start, end);
      const quoted = written.slice(0, 40).map(visible).join("") + (written.length > 40 ? "…" : "");
      throw this.malformed("formula.target_no_number", { word: { quoted } }, start, "not-a-formula", end - start);
    }
    return minus ? negate(value) : value;
  }

  // Return { target, tree, numbers, operations } of the text; target is null without one.
  read() {
    const size = this.characters.length;
    if (size > MAX_LENGTH) {
      const values = { size: { count: size }, most: { count: MAX_LENGTH } };
      throw this.malformed("formula.too_long", values, MAX_LENGTH, "too-long");
    }
    if (/[\\\ue000]/.test(this.ascii)) throw new Fault("unsupported", "latex", "script.latex");
    if (isWorking(this.ascii)) throw new Fault("unsupported", "working", "script.working");
    this.checkBrackets();
    const start = this.line.search(/[([]/);
    if (start >= 0 && !this.rules.parentheses) {
      throw new Fault("illegal", "operator", "formula.no_parentheses", {}, start, start + 1);
    }
    const tree = this.readChain(1);
    const target = this.readTarget();
    const rest = this.skipSpaces(this.place);
    if (rest < size) throw this.syntaxFault(rest);
    return { target: target && this.valueOfTarget(target), ...partsOf(tree) };
  }
}

// ---- Fractions of a hand, as crisps24/notation/fraction_cards.py reads them: decimals and characters
// are numbers, and quotients are cards where the hand has them.

const DIGITS = "[0-9]{1,30}";
const LITERAL = `(?<![0-9.])(?:[0-9]{0,30}\\.[0-9]{1,30}|[0-9]{0,30}[${VULGAR_FRACTIONS}])(?![0-9.])`;
const MAX_PLACEHOLDER = 60;
const MAX_CHOICES = 200;

// Return a line with digits, or another sign, in the place of each number that no digit touches.
function withPlaceholders(line, numbers, sign = "1") {
  const replace = (text, { start, end }) => {
    if (/[0-9]/.test(text.slice(Math.max(start - 1, 0), start) + text.slice(end, end + 1))) return text;
    const digits = sign.repeat(Math.min(end - start, MAX_PLACEHOLDER)).padStart(end - start);
    return text.slice(0, start) + digits + text.slice(end);
  };
  return numbers.reduce(replace, line);
}

function* combinations(list, size, first = 0) {
  if (!size) yield [];
  for (let index = first; size && index < list.length; index += 1) {
    for (const others of combinations(list, size - 1, index + 1)) yield [list[index], ...others];
  }
}

class FractionReader {
  constructor(text, { hand }, rules) {
    Object.assign(this, { text, hand, rules });
    const { line } = new Reader(text, rules);
    [this.line] = line.split("=");
    this.division = signPattern(rules, ":");
    this.minus = signPattern(rules, "-");
    this.quotient = `(?<![0-9.])${DIGITS} *${this.division} *${DIGITS}(?![0-9.])`;
    // Without brackets in the game, those around a fraction are part of the number.
    const body = `${DIGITS} *${this.division} *${DIGITS}|${LITERAL}`;
    const bracketed = rules.parentheses ? [] : this.find(`\\( *${this.minus}? *(?:${body}) *\\)`).filter(this.isOfHand, this);
    const bare = withPlaceholders(this.line, bracketed, " ");
    this.literals = [...bracketed, ...this.find(LITERAL, bare)];
  }

  // Return the numbers { start, end, value } where a pattern matches, also overlapping ones.
  find(pattern, line = this.line) {
    const [regex, numbers] = [new RegExp(pattern, "g"), []];
    for (let match = regex.exec(line); match; match = regex.exec(line)) {
      numbers.push({ start: match.index, end: regex.lastIndex, value: this.valueOf(match[0]) });
      regex.lastIndex = match.index + 1;
    }
    return numbers;
  }

  valueOf(word) {
    const value = readValue(word.replace(/[ ()]/g, "").replace(new RegExp(`^${this.minus}`), "").replace(new RegExp(this.division), "/"));
    return value && new RegExp(`^\\( *${this.minus}`).test(word) ? negate(value) : value;
  }

  isOfHand({ value }) {
    return value !== null && value.d !== 1n && [value, negate(value)].some((card) => this.hand.includes(textOf(card)));
  }

  parse(quotients) {
    return new Reader(this.text, this.rules, [...this.literals, ...quotients]).read();
  }

  // Return the quotients of a reading that are operands, or last factors: 6 x 3/4 is 6 x (3/4).
  operands({ operations }) {
    const quotients = operations.filter(({ operator }) => operator === ":").flatMap(({ left, right }) => {
      const first = left.operator === "x" ? left.right : left;
      if (!first.number || !right.number) return [];
      const [, word] = new RegExp(`^(?:${this.minus}| )*(.*)$`).exec(this.line.slice(first.start, right.end));
      const isQuotient = new RegExp(`^${this.quotient}$`).test(word);
      return isQuotient ? [{ start: right.end - word.length, end: right.end, value: this.valueOf(word) }] : [];
    });
    return quotients.filter(this.isOfHand, this).sort((one, other) => one.start - other.start);
  }

  misfit({ numbers }) {
    const { used, left } = cardsOf(numbers, this.hand, this.rules);
    return used.length - this.hand.length + left.length + (this.rules.all_numbers ? left.length : 0);
  }

  // Return the reading whose numbers fit the hand best, of equal ones with most quotients.
  bestReading(plain, quotients) {
    const most = Math.min(quotients.length, this.hand.filter((card) => card.includes("/")).length);
    if (plain.numbers.length > this.hand.length + most) return this.parse(quotients.slice(0, most));
    let [best, fewest, tried] = [plain, this.misfit(plain) + 1, 0];
    for (let size = most; size >= 0 && fewest; size -= 1) {
      for (const choice of combinations(quotients, size)) {
        tried += 1;
        if (tried > MAX_CHOICES) return best;
        if (choice.some(({ end }, index) => end > choice[index + 1]?.start)) continue;
        const reading = this.parse(choice);
        if (this.misfit(reading) < fewest) [best, fewest] = [reading, this.misfit(reading)];
        if (!fewest) break;
      }
    }
    return best;
  }

  // Return a reading, with { unbracketed } if a fraction of the hand needs brackets, as in 6 / 3/4.
  read() {
    const plain = this.parse([]);
    const operands = this.operands(plain);
    const best = this.bestReading(plain, operands);
    if (!this.misfit(best)) return best;
    const quotients = this.find(this.quotient).filter(this.isOfHand, this);
    if (this.misfit(this.bestReading(plain, quotients))) return best;
    const unbracketed = quotients.find(({ start }) => operands.every((operand) => operand.start !== start));
    return { ...best, unbracketed };
  }
}

// ---- Judging.

// Split a tree along its left edge, as far as the precedence is equal: the first operand, and the
// operations after it.
function splitChain(tree) {
  const links = [];
  let first = tree;
  while (first?.operator && (!links.length || PRECEDENCE[first.operator] === PRECEDENCE[tree.operator])) {
    links.unshift(first);
    first = first.left;
  }
  return [first, links];
}

// Return { tree, numbers, operations } of a tree, from left to right.
function partsOf(tree, parts = { tree, numbers: [], operations: [] }) {
  if (tree?.number) parts.numbers.push(tree);
  if (!tree?.operator) return parts;
  const [first, links] = splitChain(tree);
  partsOf(first, parts);
  for (const link of links) {
    parts.operations.push(link);
    partsOf(link.right, parts);
  }
  return parts;
}

const illegal = (code, key, values, { start, end }) => new Fault("illegal", code, key, values, start, end);

// Throw the fault of the first number that neither the game nor the hand has.
function checkNumbers(numbers, hand, rules) {
  const negativeZero = numbers.find(({ number, minus }) => minus && number.n === 0n);
  if (negativeZero && !rules.negatives) throw illegal("sign", "formula.no_negatives", {}, negativeZero);
  const known = new Set([...rules.numbers.map(String), ...hand]);
  for (const part of numbers) {
    const isBelow = part.number.n < 0n;
    const cards = rules.negatives && isBelow ? [part.number, negate(part.number)] : [part.number];
    if (cards.some((card) => known.has(textOf(card)))) continue;
    const values = { number: shown(part.number), known: rules.known_numbers };
    throw illegal(isBelow ? "sign" : "number", "formula.no_number", values, part);
  }
}

// Throw the fault of the first operation that the game forbids for any numbers.
function checkOperations(operations, { operators, negatives, once, signs }) {
  for (const [index, part] of operations.entries()) {
    const isAllowed = operators.includes(part.operator);
    // An operator that the game lacks is marked itself; other faults mark the whole operation.
    const place = isAllowed ? part : { start: part.sign, end: part.sign + 1 };
    if (!part.left && !negatives) throw illegal("sign", "formula.no_negatives", {}, place);
    const known = LISTED_OPERATORS.filter((name) => operators.includes(name)).map((name) => signs[name]);
    const values = { sign: signs[part.operator], known: known.join(" ") };
    if (!isAllowed) throw illegal("operator", "formula.no_operator", values, place);
    const isAgain = once && operations.slice(0, index).some(({ operator }) => operator === part.operator);
    if (isAgain) throw illegal("operator", "formula.operator_twice", { sign: values.sign }, place);
  }
}

// Return the value of a tree; throw the fault of the first step that breaks a rule. All operands of a
// chain come before its steps, as in Python.
function evaluate(tree, rules) {
  if (!tree?.operator) return tree ? tree.number : ratio(0n);
  const [first, links] = splitChain(tree);
  const [start, ...operands] = [first, ...links.map(({ right }) => right)].map((operand) => evaluate(operand, rules));
  return links.reduce((left, link, index) => {
    const right = operands[index];
    const { value, code, key, values } = operate(link.operator, left, right, rules);
    if (code) throw illegal(code, key, { step: stepText(left, link.operator, right, rules), ...values }, link);
    return value;
  }, start);
}

function times(count) {
  const name = { 1: "once", 2: "twice" }[count];
  return name ? { key: `times.${name}`, values: {} } : { key: "times.many", values: { count } };
}

const countOf = (values, value) => values.filter((other) => other === value).length;
const sorted = (texts) => [...texts].sort((a, b) => (less(valueOf(a), valueOf(b)) ? -1 : 1));
const distinct = (texts) => sorted(new Set(texts));

// Return the clauses about a wrong use of the numbers of a hand; all are texts.
function usageClauses(used, hand, rules) {
  const listed = (name, numbers) => {
    const list = numbers.map((number) => shown(valueOf(number)));
    return list.length ? [{ key: `answer.${name}`, values: { count: list.length, numbers: { list } } }] : [];
  };
  const clauses = listed("not_in_hand", distinct(used.filter((number) => !hand.includes(number))));
  for (const number of distinct(hand)) {
    const [count, most] = [countOf(used, number), countOf(hand, number)];
    if (count <= most && !(rules.all_numbers && count > 0 && count < most)) continue;
    const values = { number: shown(valueOf(number)), times: times(count) };
    if (most > 1) clauses.push({ key: "answer.used_not", values: { ...values, most: times(most) } });
    else clauses.push({ key: "answer.used_times", values });
  }
  const unused = distinct(hand.filter((number) => rules.all_numbers && !used.includes(number)));
  return [...clauses, ...listed("not_used", unused)];
}

// The card of -3 is 3, unless -3 is in the hand.
function cardOf(number, hand, { negatives }) {
  const own = textOf(number);
  return negatives && number.n < 0n && !hand.includes(own) ? textOf(negate(number)) : own;
}

// Return the numbers of a hand that a formula uses, those that are left, and the first number of the
// formula that is not in the hand, or used too often.
function cardsOf(numbers, hand, rules) {
  const left = [...hand];
  let wrong = null;
  const used = numbers.map((part) => {
    const card = cardOf(part.number, left, rules);
    if (left.includes(card)) left.splice(left.indexOf(card), 1);
    else wrong ||= part;
    return card;
  });
  return { used, left, wrong };
}

// Return { code, key, values, start, end } of a wrong use of the numbers, null if it is right.
function usageProblem({ numbers, unbracketed }, text, { hand }, rules) {
  const { used, wrong } = cardsOf(numbers, hand, rules);
  const clauses = usageClauses(used, hand, rules);
  if (!clauses.length) return null;
  const code = wrong ? "numbers" : "numbers-missing";
  if (unbracketed) {
    const { start, end } = unbracketed;
    const quotient = Array.from(text).slice(start, end).map(normalise).join("");
    return { code, key: "answer.unbracketed", values: { quotient }, start, end };
  }
  const reason = clauses.length > 1 ? { key: "answer.numbers", values: { clauses: { clauses } } } : clauses[0];
  const { start, end } = wrong || { start: null, end: null };
  return { code, ...reason, start, end };
}

// Read a formula as a tree; throw its fault.
function readFormula(text, puzzle, rules) {
  const hasFraction = puzzle.hand.some((card) => card.includes("/"));
  return (hasFraction ? new FractionReader(text, puzzle, rules) : new Reader(text, rules)).read();
}

// A comma that can be of a thousand, or is a decimal point.
const POINT_COMMA = /(?<![0-9])[1-9][0-9]{0,2}[,，][0-9]{3}(?![0-9])|(?<=[0-9])[,，](?=[0-9])/g;

// Judge a formula. Return { verdict, code, key, values, value, start, end, tree }; the verdict is right,
// legal (right, and the puzzle has no target), wrong, illegal, malformed or unsupported. With `tiles`,
// texts of numbers with their trees, the formula has these numbers, and the tree those of the hand. A comma
// between digits is a decimal point if the formula is neither right nor legal without that, and one
// with it; not in 1,000, which can be a thousand.
function judge(text, puzzle, rules) {
  const judged = judgeAsTyped(text, puzzle, rules);
  const pointed = text.replace(POINT_COMMA, (comma) => (comma.length > 1 ? comma : "."));
  if (judged.verdict === "right" || judged.verdict === "legal" || pointed === text) return judged;
  const other = judgeAsTyped(pointed, puzzle, rules);
  return other.verdict === "malformed" ? judged : other;
}

function judgeAsTyped(text, puzzle, rules) {
  return caught(() => {
    const { tiles } = puzzle;
    const hand = tiles?.map((tile) => tile.text) ?? puzzle.hand;
    const reading = readFormula(text, { hand }, rules);
    if (!tiles) return judgeReading(reading, text, puzzle, rules);
    let first = null;
    // Of equal numbers, those are meant with which the formula is legal.
    for (const chosen of choices(reading.numbers, tiles, rules)) {
      const whole = { ...reading, ...partsOf(withTiles(reading.tree, chosen)) };
      const judged = { tree: whole.tree, ...caught(() => judgeReading(whole, text, puzzle, rules)) };
      if (judged.verdict !== "illegal") return judged;
      first ??= judged;
    }
    if (first) return first;
    const { number, start, end } = cardsOf(reading.numbers, hand, rules).wrong;
    const values = { value: shown(number), left: { spaced: sorted(hand) } };
    return new Fault("wrong", "numbers", "working.not_left", values, start, end);
  });
}

function caught(judging) {
  try {
    return judging();
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    return fault;
  }
}

function judgeReading(reading, text, puzzle, rules) {
  const { tree, target, numbers, operations, unbracketed } = reading;
  checkNumbers(numbers, unbracketed ? numbers.map(({ number }) => textOf(number)) : puzzle.hand, rules);
  checkOperations(operations, rules);
  const judged = judgeValue(evaluate(tree, rules), target, usageProblem(reading, text, puzzle, rules), puzzle);
  const value = judged.code ? judged.value : valueInSubtractions(reading, text, puzzle.hand, rules);
  return { ...judged, value, tree };
}

// Yield the ways to take a tile { text, tree } for each number of a formula, as maps.
function* choices([part, ...others], tiles, rules, chosen = new Map()) {
  if (!part) return yield chosen;
  const card = cardOf(part.number, tiles.map(({ text }) => text), rules);
  for (const tile of tiles.filter(({ text }) => text === card)) {
    yield* choices(others, tiles.filter((other) => other !== tile), rules, new Map([...chosen, [part, tile]]));
    // Equal numbers of the hand are the same, and come last.
    if (!tile.tree.operator) return undefined;
  }
  return undefined;
}

// Return a tree with the formulas of tiles in the place of its numbers: -5 is minus the formula of 5.
function withTiles(tree, chosen) {
  const [left, right] = [tree.left, tree.right].map((side) => side && withTiles(side, chosen));
  if (tree.operator) return { ...tree, left, right };
  const tile = chosen.get(tree);
  if (!tile.tree.operator) return tree;
  return tile.text === textOf(tree.number) ? tile.tree : { operator: "-", left: null, right: tile.tree };
}

// Return the value of a legal formula in which each minus before something has to be a subtraction.
function valueInSubtractions({ tree, numbers }, text, hand, rules) {
  const { used } = cardsOf(numbers, hand, rules);
  const [judged] = withSubtractions(tree, new Set(numbers.filter((part, place) => used[place] !== textOf(part.number))));
  const whole = { start: 0, end: Array.from(text).length };
  if (!judged) throw illegal("sign", "formula.only_subtracts", {}, whole);
  try {
    checkOperations(partsOf(judged).operations, rules);
    return evaluate(judged, rules);
  } catch (fault) {
    throw fault instanceof Fault ? Object.assign(fault, whole) : fault;
  }
}

// Return a tree and one with the opposite value, without a minus before something, as `with_subtractions`
// of crisps24/notation/trees.py; null for one that needs it. `negated` are the numbers with a minus.
function withSubtractions(tree, negated) {
  if (tree.number) {
    if (negated.has(tree)) return [null, { ...tree, number: negate(tree.number) }];
    return [tree, tree.number.n ? null : tree];
  }
  if (!tree.left) return withSubtractions(tree.right, negated).reverse();
  // A minus before something ends the chain.
  let [first, links, level] = [tree, [], PRECEDENCE[tree.operator]];
  while (first.left && PRECEDENCE[first.operator] === level) {
    links.unshift(first);
    first = first.left;
  }
  const pairs = [first, ...links.map(({ right }) => right)].map((operand) => withSubtractions(operand, negated));
  return [false, true].map((opposite) => joinChain(tree, links, pairs, opposite));
}

function joinChain(tree, links, pairs, opposite) {
  const [isSum, places] = [PRECEDENCE[tree.operator] === 1, [...pairs.keys()]];
  const turned = pairs.map(([same]) => !same);
  const isSubtracted = (place) => (place > 0 && links[place - 1].operator === "-") !== (opposite !== turned[place]);
  const isOdd = (turned.filter(Boolean).length + Number(opposite)) % 2 === 1;
  if (isSum ? places.every(isSubtracted) : isOdd) {
    // The first operand that has an opposite takes the minus.
    const place = Math.max(0, pairs.findIndex(([same, other]) => same && other));
    turned[place] = !turned[place];
  }
  const trees = pairs.map((pair, place) => pair[Number(turned[place])]);
  if (trees.includes(null)) return null;
  // What is added comes first.
  const first = places.find((place) => !isSum || !isSubtracted(place));
  const operatorAt = (place) => (isSum ? "+-"[Number(isSubtracted(place))] : links[place - 1].operator);
  const join = (left, place) => ({ ...tree, operator: operatorAt(place), left, right: trees[place] });
  return places.filter((place) => place !== first).reduce(join, trees[first]);
}

// Judge the value of a legal formula: against its use of the numbers, its own target, the puzzle's.
function judgeValue(value, target, problem, puzzle) {
  if (problem) return { verdict: "wrong", value, ...problem };
  const goals = [["stated", target], ["value", puzzle.target && valueOf(puzzle.target)]].filter(([, goal]) => goal);
  const missed = goals.find(([, goal]) => !equal(goal, value));
  const place = { start: null, end: null };
  if (!missed) return { verdict: goals.length ? "right" : "legal", code: "", key: "", values: {}, value, ...place };
  const values = { value: shown(value), target: shown(missed[1]) };
  return { verdict: "wrong", code: missed[0], key: "answer.makes", values, value, ...place };
}

// ---- Search: what sets of tiles make. A set is a mask of bits. A result is { value, place } of a tile,
// or { value, operator, left, right } with results as operands.

const keyOf = ({ n, d }) => (d === 1n ? n : `${n}/${d}`);
const keyWithUsed = (value) => `${keyOf(value)} ${[...(value.used ?? [])].sort()}`;
const sizeOf = (mask) => mask.toString(2).replaceAll("0", "").length;

// Yield the partitions of a set into a smaller and a larger part.
function* partitions(mask) {
  for (let part = (mask - 1) & mask; part; part = (part - 1) & mask) {
    const [rest, difference] = [mask ^ part, sizeOf(mask ^ part) - sizeOf(part)];
    if (difference > 0 || (difference === 0 && part < rest)) yield [part, rest];
  }
}

class Search {
  constructor(values, rules) {
    Object.assign(this, { values, rules, tables: new Map(), failures: new Set() });
    this.masks = Array.from({ length: 2 ** values.length - 1 }, (_, index) => index + 1);
    this.masks.sort((a, b) => sizeOf(a) - sizeOf(b));
    // Sets of up to this size have tables of all values; larger ones are searched from a goal, where
    // the operators of one part do not matter for the other.
    this.tableSize = rules.once ? values.length : Math.max(1, Math.floor((2 * values.length) / 3));
    this.keyOf = rules.once ? keyWithUsed : keyOf;
    // Operators, each with whether a known value is the left operand.
    const sidesOf = (operator) => ("+x".includes(operator) ? [[operator, true]] : [[operator, true], [operator, false]]);
    this.sides = rules.operators.flatMap(sidesOf);
  }

  // Return a map from the keys of all values of a set to their first results.
  table(mask) {
    if (this.tables.has(mask)) return this.tables.get(mask);
    const table = new Map();
    this.tables.set(mask, table);
    for (const result of this.results(mask)) {
      const key = this.keyOf(result.value);
      if (!table.has(key)) table.set(key, result);
    }
    return table;
  }

  // Yield the legal results of the last step on a set.
  *results(mask) {
    if (sizeOf(mask) === 1) yield { value: this.values[Math.log2(mask)], place: Math.log2(mask) };
    for (const [part, rest] of partitions(mask)) {
      for (const one of this.table(part).values()) {
        for (const other of this.table(rest).values()) {
          for (const side of this.sides) {
            const result = this.combine(side, one, other);
            if (result) yield result;
          }
        }
      }
    }
  }

  combine([operator, isLeft], known, other) {
    const [left, right] = isLeft ? [known, other] : [other, known];
    const { value } = operate(operator, left.value, right.value, this.rules);
    return value && { value, operator, left, right };
  }

  // Return a result of all tiles of a set that makes a goal, or null.
  find(mask, goal) {
    if (this.rules.once) return [...this.table(mask).values()].find(({ value }) => equal(value, goal)) || null;
    if (sizeOf(mask) <= this.tableSize) return this.table(mask).get(keyOf(goal)) || null;
    const key = `${mask} ${textOf(goal)}`;
    if (!this.isAllowed(goal) || this.failures.has(key)) return null;
    for (const [part, rest] of partitions(mask)) {
      for (const known of this.table(part).values()) {
        for (const side of this.sides) {
          const result = this.findWith(side, known, rest, goal);
          if (result) return result;
        }
      }
    }
    this.failures.add(key);
    return null;
  }

  // Return whether a step can have a value as its result.
  isAllowed(value) {
    const { fractions, negatives, zero, most } = this.rules;
    if (isAbove(value, most) || (!zero && value.n === 0n)) return false;
    return (fractions || value.d === 1n) && (negatives || value.n >= 0n);
  }

  // Return a result that makes a goal from a known value and all tiles of a set, or null.
  findWith(side, known, rest, goal) {
    const complete = (other) => {
      const result = other && this.combine(side, known, other);
      return result && equal(result.value, goal) ? result : null;
    };
    // Zero times any number is zero, and so is zero divided by any other number.
    const isAny = known.value.n === 0n && goal.n === 0n && (side[0] === "x" || (side[0] === ":" && side[1]));
    if (isAny) return [...this.table(rest).values()].map(complete).find(Boolean) || null;
    const value = inverse(side, known.value, goal);
    return value && complete({ value }) && complete(this.find(rest, value));
  }

  // Return a result with the fewest tiles that makes one of several goals, or null.
  fewest(goals) {
    for (const mask of this.rules.all_numbers ? this.masks.slice(-1) : this.masks) {
      for (const goal of goals) {
        const result = this.find(mask, goal);
        if (result) return result;
      }
    }
    return null;
  }

  // Yield all results, of all sets of tiles that a formula can have.
  *all() {
    const last = this.masks.at(-1);
    for (const mask of this.masks) yield* mask === last ? this.results(mask) : this.table(mask).values();
  }
}

// Return the operand that makes a goal with a known operand, null if none does.
function inverse([operator, isLeft], known, goal) {
  if (operator === "+") return ARITHMETIC["-"](goal, known);
  if (operator === "-") return isLeft ? ARITHMETIC["-"](known, goal) : ARITHMETIC["+"](goal, known);
  if (operator === ":" && !isLeft) return ARITHMETIC["x"](goal, known);
  const [above, below] = operator === ":" ? [known, goal] : [goal, known];
  return below.n === 0n ? null : ARITHMETIC[":"](above, below);
}

// ---- Formulas without brackets: words are numbers and operators, in turn.

// Return a formula with one more word, null if that breaks a rule. A formula has the sum before its
// last + or -, that sign, the product after it, and a x or : that waits for its number.
function addWord(formula, word, rules) {
  const { sum, sign, product, factor } = formula;
  if (PRECEDENCE[word] === 2) return { ...formula, factor: word };
  if (PRECEDENCE[word] === 1) {
    const total = totalOf(formula, rules);
    return total && { sum: total, sign: word };
  }
  const value = factor ? operate(factor, product, valueOf(word), rules).value : valueOf(word);
  return value && { sum, sign, product: value };
}

// Return the value of a formula that ends with a number, undefined if its last step breaks a rule.
function totalOf({ sum, sign, product }, rules) {
  return sum ? operate(sign, sum, product, rules).value : product;
}

// Yield { value, words } of the formulas that continue a formula with some of the numbers left. Of
// formulas that can be continued alike only the first is continued.
function* continuations(formula, left, rules, words = [], seen = new Set()) {
  const needsNumber = !formula.product || formula.factor;
  const toText = (_, value) => (typeof value === "bigint" ? `${value}` : value);
  const key = JSON.stringify([formula, [...left].sort()], toText);
  if (seen.has(key)) return;
  seen.add(key);
  if (!needsNumber && !(left.length && rules.all_numbers)) {
    const value = totalOf(formula, rules);
    if (value) yield { value, words };
  }
  for (const word of needsNumber ? new Set(left) : left.length ? rules.operators : []) {
    const next = addWord(formula, word, rules);
    const place = needsNumber ? left.indexOf(word) : -1;
    if (next) yield* continuations(next, left.filter((_, index) => index !== place), rules, [...words, word], seen);
  }
}

// Return the next word of a formula without brackets that starts with some words and makes the best
// value; "" if it is complete, null if it is out of reach.
function nextWord(words, puzzle, rules) {
  const left = [...puzzle.hand];
  const start = words.reduce((formula, word) => {
    if (!PRECEDENCE[word]) left.splice(left.indexOf(word), 1);
    return formula && addWord(formula, word, rules);
  }, {});
  for (const { value, words: next } of start ? continuations(start, left, rules) : []) {
    if (isBest(value, puzzle, rules)) return next[0] || "";
  }
  return null;
}

// ---- Best values and hints.

// Gaps that are tried before all values are computed.
const MAX_TRIED_GAP = 12n;
const bestValues = new WeakMap();

// Return the reachable value nearest to the target, null if none counts.
function bestValue(puzzle, rules) {
  const target = valueOf(puzzle.target);
  const search = new Search(puzzle.hand.map(valueOf), rules);
  if (rules.parentheses && search.fewest([target])) return target;
  if (rules.parentheses && !rules.accepts_closest) return null;
  const isWhole = rules.parentheses && !rules.fractions && target.d === 1n;
  for (let gap = 1n; gap <= MAX_TRIED_GAP && isWhole; gap += 1n) {
    const result = search.fewest([ratio(target.n - gap), ratio(target.n + gap)]);
    if (result) return result.value;
  }
  let best = null;
  for (const { value } of rules.parentheses ? search.all() : continuations({}, puzzle.hand, rules)) {
    if (!best || less(gapOf(value, target), gapOf(best, target))) best = value;
  }
  return best && (rules.accepts_closest || equal(best, target)) ? best : null;
}

// Return the best value of a puzzle: that of its record, or computed once.
function bestOf(puzzle, rules) {
  if (puzzle.best) return valueOf(puzzle.best);
  if (!bestValues.has(puzzle)) bestValues.set(puzzle, bestValue(puzzle, rules));
  return bestValues.get(puzzle);
}

// Return whether a value answers a puzzle: the target, or a value as near to it as possible.
function isBest(value, puzzle, rules) {
  const target = valueOf(puzzle.target);
  if (equal(value, target) || !rules.accepts_closest) return equal(value, target);
  const best = bestOf(puzzle, rules);
  return best !== null && !less(gapOf(best, target), gapOf(value, target));
}

// Return the next step from a board to the best value: [place, operator, place]; [place] if a number
// of the board is the answer; null if it is out of reach.
function nextStep(board, puzzle, rules) {
  const target = valueOf(puzzle.target);
  const gap = rules.accepts_closest ? gapOf(bestOf(puzzle, rules) || target, target) : ratio(0n);
  const goals = [ARITHMETIC["-"](target, gap), ARITHMETIC["+"](target, gap)];
  const places = [...board.keys()].filter((place) => board[place] !== null);
  const values = places.map((place) => board[place]);
  // Steps without negative results and, on a board of whole numbers, without fractions are easier.
  const isWhole = values.every(({ d }) => d === 1n);
  const easier = { ...rules, fractions: rules.fractions && !isWhole, negatives: false };
  const searches = rules.fractions || rules.negatives ? [easier, rules] : [rules];
  let result = searches.reduce((first, allowed) => first || new Search(values, allowed).fewest(goals), null);
  if (!result?.operator) return result && [places[result.place]];
  // Return the first step, whose operands are tiles.
  while (result.left.operator || result.right.operator) result = result.left.operator ? result.left : result.right;
  return [places[result.left.place], result.operator, places[result.right.place]];
}
