// Answers come without a reload: the same address is asked, and what it shows is put in place.
// Nothing is decided here; without this script every form and link works as it is.
"use strict";

document.documentElement.classList.add("scripted");

const main = document.getElementById("main");
const said = document.getElementById("said");
let began = performance.now();
let asked = 0;
// What was tapped before the answer to the last tap was there, by its id.
let taps = [];

function addressOf(form, button) {
  const words = new URLSearchParams();
  for (const [name, word] of new FormData(form, button)) {
    if (word !== "") words.append(name, word);
  }
  // The clock of who plays is the one that goes on.
  if (words.has("start")) {
    words.delete("start");
    words.set("began", (Date.now() / 1000).toFixed(1));
  }
  const clock = main.querySelector(".clock");
  if (clock && form.classList.contains("answer")) words.set("seconds", secondsOf(clock).toFixed(1));
  const query = words.toString();
  return form.action + (query ? "?" + query : "");
}

async function go(address, { keep = true } = {}) {
  const turn = ++asked;
  const typing = document.activeElement && document.activeElement.id === "typed";
  main.setAttribute("aria-busy", "true");
  let answer, text;
  try {
    answer = await fetch(address);
    text = await answer.text();
  } catch {
    location.assign(address);
    return;
  }
  if (turn !== asked) return;
  const found = new DOMParser().parseFromString(text, "text/html");
  const fresh = found.getElementById("main");
  if (!fresh) {
    location.assign(address);
    return;
  }
  if (keep) history.pushState(null, "", answer.url);
  document.title = found.title;
  // What a browser shares is the puzzle, and not what was tried.
  document.head.querySelector("[rel=canonical]")?.remove();
  document.head.append(...found.head.querySelectorAll("[rel=canonical]"));
  main.className = fresh.className;
  main.replaceChildren(...fresh.childNodes);
  main.removeAttribute("aria-busy");
  // Its links lead to the same address in other languages.
  document.querySelector(".foot").replaceWith(found.querySelector(".foot"));
  begin();
  const verdict = main.querySelector("[data-said]");
  const told = verdict ? verdict.textContent : document.title;
  // No space is left before a sign at which a voice pauses.
  said.textContent = told.replace(/\s+/g, " ").replace(/ (?=[.,]( |$))/g, "").trim();
  let field = main.querySelector("[autofocus]") || main;
  // A finger that did not type is not given the keyboard of its screen.
  if (field.id === "typed" && !typing && !matchMedia("(pointer: fine)").matches) field = main;
  field.focus({ preventScroll: field === main });
  if (field.select) field.select();
  const next = document.getElementById(taps.shift());
  if (next) next.click();
  else taps = [];
}

document.addEventListener("submit", (event) => {
  // What is no page is not put in the place of one.
  if (event.submitter && event.submitter.hasAttribute("formaction")) return;
  event.preventDefault();
  const tap = event.submitter && event.submitter.name === "tap";
  if (tap && main.hasAttribute("aria-busy")) {
    taps.push(event.submitter.id);
    return;
  }
  if (!tap) taps = [];
  else event.submitter.setAttribute("aria-pressed", "true");
  go(addressOf(event.target, event.submitter));
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-go]");
  if (link && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)) {
    event.preventDefault();
    go(link.href);
  }
  const key = event.target.closest("[data-type], [data-erase]");
  if (key) type(key);
  const copied = event.target.closest("[data-copy]");
  if (copied) copy(copied);
});

async function copy(button) {
  const text = "link" in button.dataset ? new URL(button.dataset.copy, location.href).href : button.dataset.copy;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Where a browser trusts no address but its own machine's, it copies what is selected.
    const field = document.createElement("textarea");
    field.value = text;
    button.after(field);
    field.select();
    document.execCommand("copy");
    field.remove();
    button.focus();
  }
  button.textContent = said.textContent = button.dataset.copied;
}

window.addEventListener("popstate", () => go(location.href, { keep: false }));

// The keys under the field, for those who have none at hand.
function type(key) {
  const field = document.getElementById("typed");
  let start = field.selectionStart;
  if ("erase" in key.dataset && start === field.selectionEnd) start = Math.max(0, start - 1);
  field.setRangeText(key.dataset.type || "", start, field.selectionEnd, "end");
  // A finger would be given the keyboard of its screen, which is what this is instead of.
  if (matchMedia("(pointer: fine)").matches) field.focus();
}

// The clock: when it began, or what went by before, is in the address.
function secondsOf(clock) {
  if (clock.dataset.began) return Math.min(99999, Math.max(0, Date.now() / 1000 - Number(clock.dataset.began)));
  return Number(clock.dataset.seconds) + (performance.now() - began) / 1000;
}

function tick() {
  const clock = main.querySelector(".clock");
  if (!clock || "ended" in clock.dataset) return;
  const limit = Number(clock.dataset.limit || 0);
  const seconds = secondsOf(clock);
  const shown = limit ? Math.max(0, Math.ceil(limit - seconds)) : Math.floor(seconds);
  const text = Math.floor(shown / 60) + ":" + String(shown % 60).padStart(2, "0");
  const figure = clock.querySelector("b");
  if (figure.textContent !== text) figure.textContent = text;
  clock.classList.toggle("late", limit > 0 && shown <= 5);
  const form = main.querySelector("#typed")?.form;
  if (limit && seconds > limit + 0.1 && form && !main.hasAttribute("aria-busy")) go(addressOf(form));
}

function begin() {
  began = performance.now();
  for (const part of main.querySelectorAll(".clock, .pad, [data-copy]")) part.hidden = false;
  const clock = main.querySelector(".clock[data-ended] b");
  if (clock) clock.parentElement.hidden = true;
  tick();
  // A page that shows this one within it stays where it is until somebody plays.
  if (window !== window.parent && !document.hasFocus()) return;
  // What is said is to be seen if it can be, and tiles, and the field with its keys, which are there now.
  for (const part of main.querySelectorAll("#verdict, .tiles, [autofocus]")) part.scrollIntoView({ block: "nearest" });
}

begin();
setInterval(tick, 200);
