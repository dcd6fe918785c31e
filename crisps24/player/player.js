// The player: draws one puzzle, takes taps, keys and typed texts, and lists the results.
"use strict";

const DATA = JSON.parse(document.getElementById("data").textContent);
const { game: GAME, puzzles: PUZZLES, languages: LANGUAGES } = DATA;
const main = document.getElementById("player");
// Of the pages, only those of a day store their results.
const stored = loadResults(DATA.key);
const rounds = new Map();
const speech = {};
const TICK_MS = 200;
let number = 0;
let isStored = false;
// Digits that were typed and can be the start of a longer number on the board.
let digits = "";
// Whether the last change was a number that was typed.
let isTyped = false;
let sureToClear = false;
let sureToShow = false;
// Whether somebody plays without the clock.
let isUnclocked = false;

const say = (key, values) => formatMessage({ key, values }, speech.language);
const countOpen = () => (DATA.first ? Math.max(1, Math.min(PUZZLES.length, daysSince(DATA.first) + 1)) : PUZZLES.length);
const nameOf = (index) => (DATA.first ? dayOf(index, DATA.first) : PUZZLES[index].page?.day ?? String(index + 1));
const headingOf = (index) => (DATA.first
  ? formatDay(nameOf(index), say)
  : say("file.heading", { number: String(index + 1), puzzles: String(PUZZLES.length) }));
const currentRound = () => {
  if (!rounds.has(number)) openRound();
  return rounds.get(number);
};
function openRound() {
  const puzzle = PUZZLES[number];
  const { limit, began } = puzzle.page ?? { limit: DATA.limit };
  const round = withClock(newRound(puzzle, GAME, speech), isUnclocked ? 0 : limit ?? 0, began ?? null);
  // The seconds that the puzzle was in view, also before a new start.
  round.taken = rounds.get(number)?.taken ?? 0;
  rounds.set(number, round);
}

function chooseLanguage(names) {
  const known = Object.keys(LANGUAGES);
  const base = (name) => name.toLowerCase().split("-")[0];
  const matches = names.map((name) => known.find((other) => other === name) ?? known.find((other) => base(other) === base(name)));
  speak(matches.find(Boolean) ?? known[0]);
}
function speak(name) {
  const language = LANGUAGES[name];
  Object.assign(speech, { name, language, signs: language.signs, say });
  document.documentElement.lang = name;
  for (const round of rounds.values()) {
    clearReply(round);
    if (round.ending) replyToEnding(round);
  }
}

function store() {
  isStored = DATA.key !== "" && storeResults(DATA.key, DATA.page ? stored : { ...stored, number });
}
function go(index) {
  number = Math.max(0, Math.min(countOpen() - 1, index));
  digits = "";
  sureToShow = false;
  store();
}

// Do something to the round; then record its end, if this ended it, and draw.
function play(change, focus) {
  isTyped = sureToShow = false;
  const round = currentRound();
  const wasOpen = !round.ending;
  change(round);
  if (round.ending && wasOpen) {
    const ending = { ...round.ending, taken: Math.round(round.taken) };
    recordResult(stored.results, nameOf(number), ending, Boolean(round.puzzle.answer));
    store();
  }
  digits = "";
  draw(focus);
}
// Hints and solutions: a page fetches the solution first.
function playSolution(change, focus) {
  const then = () => play(change, focus);
  if (DATA.page) fetchSolution(currentRound(), then, change === giveHint);
  else then();
}
// The clock goes on, unless the round has ended.
function restart() {
  const { hints, ending, began } = currentRound();
  openRound();
  setBegan(ending ? null : began);
  // Somebody who has seen the solution had a hint.
  currentRound().hints = ending ? Math.max(1, ending.hints) : hints;
}
function setBegan(began) {
  currentRound().began = began;
  if (DATA.page && currentRound().limit) changeAddress({ began });
}

// Elements.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}
function button(id, content, onclick, more = {}) {
  const { off, ...attributes } = more;
  const onpress = (event) => { if (!off) onclick(event); };
  return make("button", { type: "button", id, onclick: onpress, "aria-disabled": off ? "true" : undefined, ...attributes }, content);
}
const ICONS = { undo: "M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-4", restart: "M4 3v6h6M4.6 9A8.5 8.5 0 1 1 3.5 13", previous: "m15 5-7 7 7 7", next: "m9 5 7 7-7 7", close: "M5 5l14 14M19 5 5 19" };
function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}
const iconButton = (id, name, label, onclick, more = {}) =>
  button(id, icon(name), onclick, { "aria-label": label, title: label, ...more });

// A number as it is drawn and read aloud: a fraction has a bar, and words in the language.
function drawNumber(text) {
  const [above, below] = text.split("/");
  if (!below) return numberText(text, speech);
  const stack = make("span", {}, make("i", {}, above.replace("-", "")), make("i", { class: "unseen" }, "/"), make("i", {}, below));
  return make("span", { class: "fraction" }, above.startsWith("-") ? signOf("-", speech) : "", stack);
}
const spokenOf = (text) => numberInWords(text, speech.language);

// The page is built again at each change, in about 2 ms; the focus returns to the element `focus`.
function draw(focus) {
  const round = currentRound();
  const isShown = !isWaiting(round);
  const isTyping = document.querySelector(".type[open]") !== null;
  if (!DATA.page) document.title = [DATA.title, headingOf(number), "crisps24"].filter(Boolean).join(" · ");
  main.replaceChildren(
    DATA.page ? drawPageBar() : drawBar(),
    isShown ? make("div", { class: `game${round.ending && round.reply.kind === "good" ? " won" : ""}` },
      make("div", { class: "card-side" }, drawCard(round)),
      make("div", { class: "desk" },
        make("div", { class: "reply" }, make("p", { class: "line", id: "line" }, ...drawLine(round)), drawReply(round)),
        drawSigns(round),
        drawActions(round),
        drawSteps(round),
        drawField(round, isTyping))) : drawStart(round),
    DATA.page ? drawStorage() : drawFoot());
  moveFocus(focus);
  const { reply } = round;
  const announced = reply ? [reply.title, reply.text].filter(Boolean).join(say("list.colon")) : document.getElementById("line").innerText;
  if (focus !== undefined && announcer.textContent !== announced) announcer.textContent = announced;
}
function moveFocus(focus) {
  if (focus === undefined) return;
  const wanted = currentRound().ending && !["language", "player"].includes(focus) ? "next" : focus;
  const element = [wanted, "start", "undo", "again"].map((id) => document.getElementById(id)).find((other) => other && !other.classList.contains("gone"));
  (element ?? main).focus({ preventScroll: true });
}

function drawBar() {
  const heading = [make("span", { class: "name" }, headingOf(number)), make("span", { class: "unseen" }, `${say("list.clauses")}${say("file.puzzles")}`), drawTrail()];
  if (DATA.title) heading.unshift(make("span", { class: "title" }, DATA.title));
  return make("div", { class: "bar" },
    iconButton("previous", "previous", say("file.previous"), () => move(-1, "previous"), { off: number === 0 }),
    make("h1", {}, make("button", { type: "button", id: "list", class: "heading", "aria-haspopup": "dialog", onclick: () => openList(true) }, ...heading)),
    DATA.limit ? drawClock() : "",
    iconButton("following", "next", say("page.play_next"), () => move(1, "following"), { off: number === countOpen() - 1 }));
}
function move(by, focus) {
  if (DATA.page) return by > 0 ? openNext() : document.getElementById("previous")?.click();
  go(number + by);
  draw(focus);
}
// The bar of progress. A year of puzzles has no bar: its parts would be too narrow to see.
function drawTrail() {
  const parts = DATA.first ? [] : PUZZLES.map((_, index) =>
    make("i", { class: `${kindOf(stored.results[nameOf(index)])}${index === number ? " here" : ""}` }));
  return make("span", { class: `trail${PUZZLES.length > 40 ? " many" : ""}`, "aria-hidden": "true" }, ...parts);
}

// The time left. Screen readers read it only when somebody goes there.
function drawClock() {
  const round = currentRound();
  if (!isRunning(round)) return "";
  const label = make("span", { class: "unseen" }, `${say("page.play_left")} `);
  return make("span", { class: "clock", role: "timer" }, label, make("b", { id: "clock" }, formatTime(secondsLeft(round))));
}
function tick() {
  const round = currentRound();
  if (!document.hidden && !isWaiting(round)) round.taken += TICK_MS / MS_PER_SECOND;
  const clock = document.getElementById("clock");
  if (!clock || !isRunning(round)) return;
  const left = secondsLeft(round);
  if (clock.textContent !== formatTime(left)) clock.textContent = formatTime(left);
  clock.classList.toggle("late", left <= LATE_SECONDS);
  if (left) return;
  const text = document.getElementById("typed").value;
  playSolution((now) => endByTime(now, text), "player");
}
function drawStart(round) {
  const unclock = () => {
    isUnclocked = true;
    round.limit = 0;
    if (DATA.page) changeAddress({ limit: 0, began: null });
    draw("tile-0");
  };
  const start = () => {
    startClock(round);
    setBegan(round.began);
    draw("tile-0");
  };
  return make("div", { class: "game" }, make("div", { class: "desk" },
    make("p", { id: "line" }, [say("page.play_waits_told", { count: round.limit }), say("page.play_start_help")].join(say("list.sentences"))),
    make("div", { class: "actions" }, button("start", say("page.play_start"), start, { class: "first" }), button("unclocked", say("page.play_unclocked"), unclock))));
}

function drawCard(round) {
  const { puzzle } = round;
  const level = puzzle.level ? `${say("list.clauses")}${say("page.level", { level: String(puzzle.level) })}` : "";
  if (round.way === "row") return make("div", { class: "row-of-boxes", role: "group", "aria-label": `${headingOf(number)}${level}` }, ...drawRow(round));
  const label = say("task.card", { target: spokenOf(puzzle.target), hand: puzzle.hand.map(spokenOf).join(say("list.clauses")) });
  const goal = make("div", { class: "goal" }, make("b", {}, drawNumber(puzzle.target)), puzzle.level ? drawDots(puzzle.level) : "");
  const tiles = round.boards.at(-1).map((value, place) => drawTile(round, value, place));
  const attributes = { role: "group", "aria-label": `${label}${level}` };
  if (tiles.length === 4) return make("div", { class: "round", ...attributes }, ...tiles, goal);
  return make("div", { class: `flat of-${tiles.length}`, ...attributes }, goal, make("div", { class: "board" }, ...tiles));
}
function drawTile(round, value, place) {
  const text = value ? textOf(value) : "";
  // A card is shown by its letter until it becomes a result.
  const letter = value && value === round.boards[0][place] ? DATA.faces?.[text] : undefined;
  const isUsed = value === null || round.words.some((word) => word.place === place);
  const isRound = round.puzzle.hand.length === 4;
  // The parts of a fraction are above each other.
  const length = Math.max(...text.split("/").map((part) => part.length));
  const size = length > 7 ? " longer" : length > (isRound ? 3 : 4) ? " long" : "";
  return button(`tile-${place}`, make("span", { class: "face" }, letter ?? drawNumber(text)), () => play((now) => tapNumber(now, place), `tile-${place}`), {
    class: `tile${size}${value === null ? " gone" : isUsed && !round.ending ? " used" : ""}`,
    "aria-label": letter ? `${letter}, ${text}` : /\D/.test(text) ? spokenOf(text) : undefined,
    "aria-pressed": round.way === "steps" ? String(round.selection[0] === place) : undefined,
    off: isUsed || Boolean(round.ending),
  });
}
function drawDots(level) {
  const dots = Array.from({ length: LEVELS }, (_, index) => make("i", { class: index < level ? "on" : "" }));
  return make("span", { class: "dots", "aria-hidden": "true" }, ...dots);
}
function drawRow(round) {
  let box = -1;
  return rowWords(round).map((word, place) => {
    if (round.puzzle.row[place] !== null) return make("span", { class: place === round.puzzle.row.length - 1 ? "goal-number" : undefined }, word);
    box += 1;
    const index = box;
    const isNext = !round.ending && index === round.signs.indexOf(null);
    const label = word === null ? say("file.box_empty", { number: String(index + 1) }) : say("file.box_sign", { number: String(index + 1), sign: say(SIGN_NAMES[word]) });
    return button(`box-${index}`, word === null ? "" : signOf(word, speech), () => play((now) => emptyBox(now, index), `box-${index}`), {
      class: `box${isNext ? " here" : ""}`, "aria-label": label, off: word === null || Boolean(round.ending),
    });
  });
}

// The formula so far with the fault marked, or what to tap next.
function drawLine(round) {
  const { mark, words, selection, ending, way, reply, signs, steps, puzzle } = round;
  if (mark) return drawMark(mark);
  if (words.length) return [`${formulaText(round)}${ending || words.length === 2 * puzzle.hand.length - 1 ? "" : " …"}`];
  const [place, operator] = selection;
  if (place !== undefined) return [`${operandText(round.boards.at(-1)[place], speech)}${operator ? ` ${signOf(operator, speech)}` : ""} …`];
  if (reply || steps.length || signs.some((sign) => sign !== null)) return [];
  const next = say({ steps: "page.tap_first", formula: "file.tap_formula", row: "file.tap_gap" }[way]);
  return [make("b", {}, goalOf(round)), make("span", { class: "soft" }, next)];
}
function goalOf({ way, puzzle: { hand, target }, game }) {
  if (way === "row") return say("file.goal_row");
  const numbers = say("file.goal_numbers").split(" ")[hand.length - 1];
  return say(game.all_numbers ? "file.goal" : "file.goal_any", { count: hand.length, numbers, target: numberText(target, speech) });
}
function drawMark({ text, start, end }) {
  if (start === undefined) return [text];
  const signs = [...text];
  const isAtEnd = start >= signs.length;
  const label = make("span", { class: "unseen" }, `${say(isAtEnd ? "page.check_fault_end" : "page.check_fault")} `);
  const part = isAtEnd ? "\u00a0\u00a0" : signs.slice(start, end).join("");
  return [signs.slice(0, start).join(""), make("mark", {}, label, part), signs.slice(end).join("")];
}
function drawReply({ reply }) {
  if (!reply) return make("div", { class: "verdict" });
  const { kind, title, text } = reply;
  const content = title ? [make("strong", {}, title, say("list.colon")), text] : [kind === "good" ? make("strong", {}, text) : text];
  return make("div", { class: `verdict ${kind}` }, make("p", {}, ...content));
}

const SIGN_NAMES = { "+": "page.operator_+", "-": "page.operator_-", x: "page.operator_x", ":": "page.operator_:", "=": "file.equals" };
function drawSigns(round) {
  const { way, words, puzzle, selection, ending, signs } = round;
  const isFull = words.length >= 2 * puzzle.hand.length - 1;
  const ready = { steps: selection.length > 0, formula: words.length > 0 && !isFull, row: signs.includes(null) }[way];
  const off = isUntouched(round) || Boolean(ending);
  return make("div", { class: "signs", role: "group", "aria-label": say("page.tap_tiles") },
    ...signsOf(round).map((name) => button(`sign-${name}`, signOf(name, speech), () => play((now) => tapSign(now, name), `sign-${name}`), {
      "aria-label": say(SIGN_NAMES[name]), "aria-pressed": way === "steps" ? String(selection[1] === name) : undefined, off: !ready || Boolean(ending),
    })),
    iconButton("undo", "undo", say("page.play_undo"), () => play(undo, "undo"), { class: "back", off }),
    // A row has one sign more, and its boxes can be emptied.
    ...(way === "row" ? [] : [iconButton("restart", "restart", say("page.play_restart"), () => { restart(); draw("restart"); }, { class: "back", off })]));
}
function drawActions(round) {
  const { ending, attempt, puzzle } = round;
  if (ending) {
    const isLast = DATA.page ? !puzzle.page.next : number === countOpen() - 1;
    const result = DATA.page || DATA.first || isLast ? [button("result", say("page.daily_result"), () => openList(false), { class: isLast ? "first" : "" })] : [];
    const next = isLast ? [] : [button("next", say("page.play_next"), () => move(1, "tile-0"), { class: "first" })];
    return make("div", { class: "actions" }, button("again", say("page.play_again"), () => { restart(); draw("tile-0"); }), ...result, ...next);
  }
  const points = attempt ? pointsOf(round, attempt.value) : 0;
  const stop = points ? say("file.stop", { points: say("result.points", { count: points }) }) : say(sureToShow ? "file.shown_sure" : "page.verdict_shown");
  const ask = () => {
    sureToShow = true;
    draw("solution");
  };
  const solution = puzzle.answer || DATA.page || points ? [button("solution", stop, points || sureToShow ? () => playSolution(showSolution, "next") : ask)] : [];
  // The result of a day that is played again.
  const result = puzzle.page?.day && stored.results[nameOf(number)] ? [button("result", say("page.daily_result"), () => openList(false))] : [];
  return make("div", { class: "actions" }, button("hint", say("page.verdict_hint"), () => playSolution(giveHint, "hint")), ...solution, ...result);
}
function drawSteps({ steps }) {
  const items = steps.map(([left, operator, right, value]) =>
    make("li", {}, `${stepLine([left, operator, right], speech)} = ${numberText(textOf(value), speech)}`));
  return make("ol", { class: "steps", "aria-label": say("page.play_taken") }, ...items);
}
function drawField(round, isOpen) {
  const name = say(round.way === "row" ? "file.type_signs" : "file.type");
  const label = round.way === "steps" ? say("page.play_field", { step: stepLine([valueOf("8"), "x", valueOf("3")], speech) }) : name;
  const field = make("input", { id: "typed", autocomplete: "off", autocapitalize: "off", spellcheck: "false", enterkeyhint: "go", "aria-label": label, value: round.mark ? round.mark.text : "" });
  const form = make("form", { class: "typing" }, field, make("button", { class: "first" }, say("page.play_button")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    play((now) => enterText(now, field.value), "typed");
  });
  const unfold = (event) => {
    event.preventDefault();
    details.open = !details.open;
    if (!details.open) return;
    field.focus({ preventScroll: true });
    form.scrollIntoView({ block: "nearest" });
  };
  const details = make("details", { class: "type", open: isOpen }, make("summary", { onclick: unfold }, name), form);
  return details;
}
const drawStorage = () => (DATA.key ? make("p", { class: "foot" }, say(isStored ? "file.saved" : "file.unsaved")) : "");
function drawFoot() {
  const choice = make("select", { id: "language", "aria-label": say("page.settings_language") },
    ...Object.values(LANGUAGES).map(({ name, native_name: native }) => make("option", { value: name, lang: name, selected: name === speech.name }, native)));
  choice.addEventListener("change", () => {
    stored.language = choice.value;
    speak(choice.value);
    store();
    draw("language");
  });
  const last = DATA.first ? [make("p", {}, say("file.last_day", { day: headingOf(PUZZLES.length - 1) }))] : [];
  return make("footer", { class: "foot" }, choice, make("p", {}, speech.language.rules), ...last, make("p", {}, say(isStored ? "file.saved" : "file.unsaved")));
}

// The list of puzzles, with the results.
const dialog = make("dialog", { class: "player", "aria-labelledby": "list-title" });
const MARKS = { right: "✓", hinted: "✓?", closest: "≈", shown: "–", none: "" };
const MARK_TEXTS = { right: "play.right", hinted: "play.hints", closest: "play.closest", shown: "play.shown" };
const RESULT_KEYS = { right: "play.right", closest: "play.closest", shown: "play.shown", over: "round.over" };
// Open the list at the puzzle on the page, or at the result. A page has only the result.
function openList(isAtPuzzle) {
  sureToClear = false;
  drawList();
  dialog.showModal();
  dialog.scrollTop = 0;
  if (isAtPuzzle) dialog.querySelector("[aria-current]").scrollIntoView({ block: "nearest" });
}
function drawList(focus) {
  const close = iconButton("close", "close", say("file.close"), () => dialog.close());
  const drawTitle = (title) => make("div", { class: "bar" }, make("h2", { id: "list-title" }, title), close);
  if (DATA.page) return dialog.replaceChildren(drawTitle(say("page.daily_result")), ...drawResult());
  const { results } = stored;
  const items = PUZZLES.slice(0, countOpen()).map((_, index) => make("li", {}, drawItem(index, results[nameOf(index)])));
  // Of daily puzzles the last one is today's.
  if (DATA.first) items.reverse();
  const kinds = new Set(Object.values(results).map(kindOf));
  const legend = Object.entries(MARK_TEXTS).filter(([kind]) => kinds.has(kind)).map(([kind, key]) => make("span", {}, make("b", { "aria-hidden": "true" }, MARKS[kind]), ` ${say(key)}`));
  const clear = button("clear", say(sureToClear ? "file.clear_sure" : "file.clear"), clearResults, { class: sureToClear ? "sure" : "" });
  dialog.replaceChildren(
    drawTitle(DATA.title || say("file.puzzles")),
    ...drawResult(),
    make("ol", { class: `list${DATA.first ? " days" : ""}`, reversed: Boolean(DATA.first) }, ...items),
    ...(legend.length ? [make("p", { class: "legend" }, ...legend), clear] : []));
  if (focus) document.getElementById(focus).focus();
}
function drawItem(index, result) {
  const kind = kindOf(result);
  const state = result ? [say(RESULT_KEYS[result.result])] : [];
  if (result && result.hints) state.push(say("result.hints", { count: result.hints }));
  const name = DATA.first ? headingOf(index) : String(index + 1);
  return make("button", {
    type: "button", class: `item ${kind}`, "aria-current": index === number ? "true" : undefined,
    "aria-label": [headingOf(index), ...state].join(say("list.clauses")),
    onclick: () => { go(index); dialog.close(); draw("tile-0"); },
  }, make("span", {}, name), make("small", { "aria-hidden": "true" }, MARKS[kind]));
}
function resultLines() {
  const { results } = stored;
  if (DATA.page) return pageLines(number);
  const { title, tag } = DATA;
  if (!DATA.first) return [formatResults(results, PUZZLES.length, { title, tag, name: stored.name, isScored: Boolean(GAME.points) }, say)];
  const day = nameOf(number);
  if (!results[day]) return [];
  const streak = countStreak(results, day);
  return [formatDaily(results[day], day, speech.language.game, PUZZLES[number].level, say), ...(streak > 1 ? [say("result.streak", { count: streak })] : [])];
}
function drawResult() {
  const lines = resultLines();
  if (!lines.length) return [];
  const line = make("p", { class: "result", id: "result-line" }, lines.join("\n"));
  const copy = button("copy", say("page.daily_copy"), () => copyText(line.textContent, line));
  const share = navigator.share ? [button("share", say("file.share"), () => navigator.share({ text: line.textContent }).catch(() => {}))] : [];
  return [...(DATA.page || DATA.first ? [] : [drawName(line)]), line, make("div", { class: "actions" }, copy, ...share)];
}
// The field for the name, which the line above the code has. Nobody has to fill it.
function drawName(line) {
  const field = make("input", { id: "name", autocomplete: "name", maxlength: "40", value: stored.name });
  field.addEventListener("input", () => {
    stored.name = field.value;
    store();
    line.textContent = resultLines().join("\n");
    document.getElementById("copy").textContent = say("page.daily_copy");
  });
  return make("label", { class: "own-name" }, `${say("file.name")} `, field);
}
async function copyText(text, line) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A frame without the permission can still copy what is selected.
    getSelection().selectAllChildren(line);
    if (!document.execCommand("copy")) return;
  }
  document.getElementById("copy").textContent = say("page.play_copied");
}
function clearResults() {
  if (sureToClear) {
    stored.results = {};
    rounds.clear();
    store();
  }
  sureToClear = !sureToClear;
  drawList(sureToClear ? "clear" : "close");
}
dialog.addEventListener("close", () => draw(DATA.page ? "result" : "list"));

// Keys work while the focus is in the player: digits and signs tap, Backspace undoes, Escape starts
// again, ? hints, arrows change the puzzle, and Enter ends a number that can go on: 1 before 10.
main.addEventListener("keydown", (event) => {
  if (event.target.matches("input, select") || event.metaKey || event.ctrlKey || event.altKey) return;
  const sign = event.key === EQUALS ? EQUALS : GAME.spellings[event.key];
  const actions = {
    Backspace: () => play(undo, "undo"), "?": () => playSolution(giveHint, "hint"), ArrowLeft: () => move(-1, "previous"), ArrowRight: () => move(1, "following"),
    Escape: () => { restart(); draw("restart"); },
  };
  const { ending, way } = currentRound();
  const wasTyped = isTyped;
  isTyped = false;
  // After the end of the time, a key that was meant for a tap presses no button.
  const isOpen = !ending && !isWaiting(currentRound());
  if (/^[0-9]$/.test(event.key) && isOpen && way !== "row") typeDigit(event.key);
  // A fraction on the board can be typed as 3/4.
  else if (event.key === "/" && digits && isOpen && placesOf(`${digits}/`).length) digits += "/";
  else if (digits && event.key === "Enter") endDigits();
  // Somebody can type Enter after each number: it does not tap the focused number again.
  else if (wasTyped && isOpen && event.key === "Enter");
  else if (sign && isOpen && signsOf(currentRound()).includes(sign)) typeSign(sign);
  else if (actions[event.key]) actions[event.key]();
  else return;
  event.preventDefault();
});
const signsOf = (round) => (round.way === "row" ? rowSigns(round) : GAME.operators);
function typeSign(name) {
  endDigits();
  play((round) => tapSign(round, name), `sign-${name}`);
}
// The places of free numbers whose texts start with some digits.
function placesOf(start) {
  const round = currentRound();
  const isFree = (value, place) => value && !round.words.some((word) => word.place === place) && !(round.selection.length === 2 && round.selection[0] === place);
  return round.boards.at(-1).map((value, place) => (isFree(value, place) && textOf(value).startsWith(start) ? place : -1)).filter((place) => place >= 0);
}
function typeDigit(digit) {
  if (digits.endsWith("/") && !placesOf(digits + digit).length) {
    digits = digits.slice(0, -1);
    typeSign(":");
  }
  const start = placesOf(digits + digit).length ? digits + digit : digit;
  const board = currentRound().boards.at(-1);
  const places = placesOf(start);
  digits = places.length ? start : "";
  // A number is tapped at once unless another one on the board starts with it.
  if (places.length && places.every((place) => textOf(board[place]) === start)) {
    tapPlace(places[0]);
    isTyped = true;
  }
}
function endDigits() {
  const board = currentRound().boards.at(-1);
  const place = digits ? placesOf(digits).find((other) => textOf(board[other]) === digits) : undefined;
  digits = "";
  if (place !== undefined) tapPlace(place);
}
// A number that is typed is any equal number: the one that is chosen, or one whose step is legal.
function tapPlace(place) {
  const round = currentRound();
  const [board, [one, operator]] = [round.boards.at(-1), round.selection];
  const tap = operator && placesOfStep(round, board, [textOf(board[one]), operator, textOf(board[place])]);
  if (tap) [round.selection[0], , place] = tap;
  const isChosen = !operator && one !== undefined && equal(board[one], board[place]);
  play(() => isChosen || tapNumber(round, place), `tile-${isChosen ? one : place}`);
}

// Somebody who comes back tomorrow has another puzzle to choose.
let opened = 0;
document.addEventListener("visibilitychange", () => {
  if (DATA.first && countOpen() !== opened) draw();
  opened = countOpen();
});

// A page has a place for announcements.
const announcer = document.getElementById("said") ?? make("p", { class: "unseen", role: "status", "aria-live": "polite" });
if (!announcer.isConnected) main.before(announcer);
main.after(dialog);
main.classList.remove("still");
chooseLanguage([stored.language, DATA.language, ...navigator.languages].filter(Boolean));
opened = countOpen();
go(DATA.first ? opened - 1 : stored.number);
// The card leaves room for what is above the player.
const measureTop = () => main.style.setProperty("--above", `${main.offsetTop}px`);
addEventListener("resize", measureTop);
measureTop();
draw();
setInterval(tick, TICK_MS);
// On a touch screen the focus would show a ring that nobody needs.
if (matchMedia("(hover: hover)").matches && (window === window.parent || document.hasFocus())) main.focus({ preventScroll: true });
