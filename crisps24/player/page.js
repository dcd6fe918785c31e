// A page of the site: it has one puzzle at a time, and fetches the next one. Its address keeps the
// number and the score. Files do not have this script.
"use strict";

let isLoading = false;

// Fetch a page; return its address, its document and the data of its puzzle, or null.
async function fetchPuzzle(address) {
  isLoading = true;
  main.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(address);
    const found = new DOMParser().parseFromString(await answer.text(), "text/html");
    return { address: answer.url, found, data: JSON.parse(found.getElementById("data").textContent) };
  } catch {
    return null;
  } finally {
    isLoading = false;
    main.removeAttribute("aria-busy");
  }
}

// The score with the points of this puzzle. In games without points it counts solved puzzles. A
// value near enough to the target counts if somebody goes on.
function scoreOf(index) {
  const result = stored.results[nameOf(index)];
  const { attempt, ending } = rounds.get(index) ?? {};
  if (GAME.points) return DATA.page.score + (result ? result.points : attempt && !ending ? pointsOf(rounds.get(index), attempt.value) : 0);
  return DATA.page.score + (isSolvedResult(result) ? 1 : 0);
}

async function openNext() {
  const { next, day } = PUZZLES[number].page;
  if (!next || isLoading) return;
  const address = new URL(next, location.href);
  const score = scoreOf(number);
  if (score && !day) address.searchParams.set("score", score);
  if (isUnclocked) address.searchParams.set("limit", "0");
  const fetched = await fetchPuzzle(address.href);
  // The browser shows what is wrong.
  if (!fetched) return location.assign(address);
  history.pushState(null, "", fetched.address);
  pageTools.replaceAround(fetched.found);
  Object.assign(DATA.page, fetched.data.page);
  PUZZLES.push(...fetched.data.puzzles);
  go(PUZZLES.length - 1);
  draw("tile-0");
}

// A page has the solution of its puzzle only if its address asks for it, because a search takes time.
// Hints come from the script if the server does not answer.
async function fetchSolution(round, then, isHint) {
  const { puzzle } = round;
  if (isLoading) return;
  if (puzzle.ways === undefined) {
    const address = new URL(puzzle.page.solution, location.href);
    const fetched = await fetchPuzzle(address);
    if (!fetched && !isHint) return location.assign(address);
    const { answer, route, ways, most } = fetched?.data.puzzles[0] ?? {};
    Object.assign(puzzle, { answer, route, ways, most });
  }
  if (round === currentRound()) then();
}

// Change parameters of the address; null removes one.
function changeAddress(parameters) {
  const address = new URL(location.href);
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) address.searchParams.delete(name);
    else address.searchParams.set(name, value);
  }
  history.replaceState(null, "", address.href);
}

function drawPageBar() {
  const { page, level } = PUZZLES[number];
  const heading = page.day ? formatDay(page.day, say) : page.number ? say("page.play_number", { number: String(page.number) }) : "";
  const names = [DATA.title, heading].filter(Boolean);
  const result = stored.results[nameOf(number)];
  const score = result ? scoreOf(number) : DATA.page.score;
  const facts = level ? [make("span", { class: "level" }, say("page.level", { level: String(level) }))] : [];
  if (page.day && result) facts.push(make("span", {}, say(RESULT_KEYS[result.result] ?? RESULT_KEYS.shown)));
  else if (page.number || score) facts.push(make("span", {}, say(GAME.points ? "page.play_score" : "page.play_solved", { score: String(score), count: score })));
  const parts = names.map((name, index) => make("span", { class: index < names.length - 1 ? "title" : "name" }, name));
  return make("div", { class: "bar" },
    page.previous ? make("a", { id: "previous", class: "arrow", href: page.previous, "aria-label": say("page.daily_before"), title: say("page.daily_before") }, icon("previous")) : make("span", { class: "arrow" }),
    make("div", { class: "heading" }, make("h1", {}, ...parts), make("p", { class: "now" }, ...facts, drawClock())),
    page.next ? iconButton("following", "next", say("page.play_next"), openNext) : make("span", { class: "arrow" }));
}

// The line to share: the result, and a link to the puzzle.
function pageLines(index) {
  const result = stored.results[nameOf(index)];
  const { page, level } = PUZZLES[index];
  const line = formatDaily(result, page.day, speech.language.game, level, say);
  const streak = page.day ? countStreak(stored.results, page.day) : 0;
  return [line, ...(streak > 1 ? [say("result.streak", { count: streak })] : []), new URL(page.link, location.href).href];
}
