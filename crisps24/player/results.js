// Results: how each puzzle ended. A browser that has storage keeps them; play goes on without.
"use strict";

const MS_PER_DAY = 86_400_000;
const LEVELS = 5;

// Return what is stored; what cannot be read is left out, and replaced by the next result.
function loadResults(key) {
  let stored;
  try {
    stored = JSON.parse(localStorage.getItem(key));
  } catch {
    // Nothing is stored, or it is not JSON.
  }
  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  const isResult = ({ result, hints, points = 0 }) => typeof result === "string" && hints >= 0 && Number.isFinite(points);
  const { results, number, language, name } = isObject(stored) ? stored : {};
  const entries = Object.entries(isObject(results) ? results : {});
  return {
    results: Object.fromEntries(entries.filter(([, result]) => isObject(result) && isResult(result))),
    number: Number.isInteger(number) ? number : 0,
    language: typeof language === "string" ? language : "",
    name: typeof name === "string" ? name : "",
  };
}

// Return whether the browser stored it.
function storeResults(key, stored) {
  try {
    localStorage.setItem(key, JSON.stringify(stored));
    return true;
  } catch {
    return false;
  }
}

// Daily puzzles: the first has the date `first`, the second the day after. Dates are in UTC.
const dayOf = (number, first) => new Date(Date.parse(first) + number * MS_PER_DAY).toISOString().slice(0, 10);
const daysSince = (first) => Math.floor((Date.now() - Date.parse(first)) / MS_PER_DAY);

function formatDay(day, say) {
  const [year, month, date] = day.split("-");
  return say("result.day", { count: Number(date), month: say("result.months").split(" ")[Number(month) - 1], year });
}

// Without one of these results, a round ended with the solution.
const isSolvedResult = (result) => Boolean(result) && ["right", "closest"].includes(result.result);

// Record how a round ended. The first result stays, but a puzzle whose time was over can still be
// solved, with a hint, if nobody has seen its solution.
function recordResult(results, name, { result, hints, points, seconds, taken }, isSeen = false) {
  const old = results[name];
  if (old && (isSeen || old.result !== "over" || result !== "right")) return;
  results[name] = { result, hints: old ? Math.max(1, old.hints, hints) : hints, points, ...(seconds ? { seconds } : {}), ...(taken >= 0 ? { taken } : {}) };
}

// One word for a result: right, hinted, closest, shown, or none.
function kindOf(result) {
  if (!result) return "none";
  if (!isSolvedResult(result)) return "shown";
  return result.result === "right" && result.hints ? "hinted" : result.result;
}

// The line of all puzzles: "crisps24 Class 5b · Emil · 23 of 30 solved, 4 with hints · 3K7…".
function formatResults(results, count, { title, name, tag, isScored }, say) {
  const list = Array.from({ length: count }, (_, index) => results[String(index + 1)]);
  const solved = list.filter(isSolvedResult);
  const hinted = solved.filter(({ hints }) => hints).length;
  const points = solved.reduce((sum, result) => sum + result.points, 0);
  const clauses = [say("file.solved", { count: solved.length, puzzles: String(count) })];
  if (hinted) clauses.push(say("file.hinted", { count: hinted }));
  if (isScored) clauses.push(say("result.points", { count: points }));
  // Points stand between the parts of the line.
  const plain = (text) => text.replace(/[\s·•∙⋅・]+/g, " ").trim();
  const head = ["crisps24", plain(title)].filter(Boolean).join(" ");
  return [head, plain(name), clauses.join(say("list.clauses")), codeOf(list, tag)].filter(Boolean).join(" · ");
}

// The code of the results of a page. crisps24/judging/phone_lines.py describes and reads it.
const CODE_DIGITS = "23456789ABCDEFGHJKMNPQRSTVWXY";
const CODE_KINDS = ["right", "hinted", "closest"];
const CODE_SECONDS = [15, 30, 60, 120, 180, 300, 600];
function codeOf(list, tag) {
  const base = CODE_DIGITS.length;
  const digits = list.map(digitOf);
  while (digits.at(-1) === 0) digits.pop();
  digits.unshift(...[...tag].map((sign) => CODE_DIGITS.indexOf(sign)));
  const [last, first] = digits.reduce(([one, other], digit) => [(2 * one + digit) % base, (other + digit) % base], [1, 1]);
  const check = first - 4 * last + 4 * base;
  digits.push(check % base, (1 - first - check + 6 * base) % base);
  return digits.map((digit) => CODE_DIGITS[digit]).join("");
}
function digitOf(result) {
  const kind = CODE_KINDS.indexOf(kindOf(result));
  if (kind < 0) return result ? 1 : 0;
  const longer = CODE_SECONDS.findIndex((seconds) => result.taken <= seconds);
  const time = !(result.taken >= 0) ? 0 : longer < 0 ? CODE_SECONDS.length + 1 : longer + 1;
  return 2 + (CODE_SECONDS.length + 2) * kind + time;
}

// The line of a daily puzzle, as crisps24/puzzles/daily.py writes it; `day` is null for others.
function formatDaily(result, day, game, level, say) {
  const clauses = isSolvedResult(result) ? (result.seconds ? [formatTime(result.seconds)] : []) : [say("result.unsolved")];
  if (result.points) clauses.push(say("result.points", { count: result.points }));
  clauses.push(result.hints ? say("result.hints", { count: result.hints }) : say("result.no_hints"));
  const dots = level ? ` ${"●".repeat(level)}${"○".repeat(LEVELS - level)}` : "";
  const title = level ? say("result.game", { game, level: String(level) }) : game;
  return `crisps24 · ${day ? `${formatDay(day, say)} · ` : ""}${title} · ${clauses.join(say("list.clauses"))}${dots}`;
}

// Days in a row, up to a day, whose puzzles were solved.
function countStreak(results, day) {
  let count = 0;
  const isSolvedDay = (name) => isSolvedResult(results[name]);
  while (isSolvedDay(dayOf(-count, day))) count += 1;
  return count;
}
