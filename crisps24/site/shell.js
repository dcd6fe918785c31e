// The page around all pages: it shows them in a frame, and keeps Python while they come and go. The
// service worker passes it the requests of its frame, whose addresses have its name: ~/NAME/play. It
// has them answered by the worker, one at a time, and by files that need no Python until that runs.
"use strict";

const BASE = new URL("./", document.baseURI);
const TOO_LONG = "status_422_long";
const LOST = "status_422_memory";
const state = document.getElementById("state");
const frame = document.createElement("iframe");
const texts = textsOf(SITE.site.language ? [SITE.site.language] : navigator.languages);

const waiting = [];
let worker = null;
let isReady = false;
let current = null;
let timer = 0;
let name = "";

// The texts of the first language that the site has, by the first part of its name: de for de-AT.
function textsOf(wanted) {
  const partOf = (text) => text.toLowerCase().split("-")[0];
  const known = Object.keys(SITE.languages);
  const found = wanted.map((each) => known.find((language) => partOf(language) === partOf(each))).find(Boolean) ?? "en";
  document.documentElement.lang = found;
  return { name: found, ...SITE.languages[found] };
}

// Show a sentence below the page, and one thing to do.
function tell(text, [label, address], share = null) {
  const [sentence, bar, link] = state.children;
  sentence.textContent = text;
  bar.hidden = share === null;
  if (share !== null) bar.value = share;
  link.textContent = label;
  link.href = new URL(address, BASE);
  link.target = frame.isConnected ? frame.name : "_self";
  state.hidden = false;
}

function startWorker() {
  isReady = false;
  worker = new Worker(new URL("worker.js", BASE), { type: "module", name: "crisps24" });
  worker.onmessage = ({ data }) => hear(data);
  worker.onerror = () => (isReady ? restart(LOST) : fail("worker.js"));
}

// An address without a page has the limit of most pages.
const limitOf = ({ request }) => SITE.limits[request.path] ?? SITE.limits["/"];
const fail = (reason) => tell(texts.failed.replace("{reason}", reason.trim().split("\n").at(-1)), [texts.again, location.href]);
const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

function hear({ loaded, all, ready, failed, begun, lost, reply }) {
  if (failed) return fail(failed);
  if (all) {
    const text = loaded < all ? texts.loading.replace("{done}", megabytes(loaded)).replace("{all}", megabytes(all)) : texts.starting;
    tell(text, [texts.puzzles, "puzzles.html"], loaded / all);
  }
  if (ready) {
    isReady = true;
    mirror();
    askNext();
  }
  if (begun) timer = setTimeout(() => restart(TOO_LONG), 1000 * limitOf(current));
  if (lost) restart(LOST);
  if (reply) {
    clearTimeout(timer);
    current.port.postMessage(reply);
    current = null;
    askNext();
  }
}

function askNext() {
  if (!isReady || current || !waiting.length) return;
  current = waiting.shift();
  const { port, ...asked } = current;
  worker.postMessage(asked);
}

// Stop Python, start it again, and then answer the request by a refusal.
function restart(refusal) {
  clearTimeout(timer);
  worker.terminate();
  if (current?.refusal) current.port.postMessage({ status: 500, headers: {}, body: "" });
  else if (current) waiting.unshift({ ...current, refusal, seconds: refusal === TOO_LONG ? limitOf(current) : 0 });
  current = null;
  startWorker();
}

// Answer a request of the frame; until Python runs, by a file if there is one.
async function answer(request, body, port) {
  const made = SITE.made[texts.name] ?? Object.values(SITE.made)[0];
  const address = request.query ? `${request.path}?${request.query}` : request.path;
  if (!isReady && made[address]) {
    const { status, headers, file } = made[address];
    const content = await (await fetch(new URL(file, BASE))).arrayBuffer();
    return port.postMessage({ status, headers, body: content });
  }
  const languages = SITE.site.language || navigator.languages.join(",");
  waiting.push({ request: { ...request, languages }, body, port });
  askNext();
}

// The address and the title of the tab are those of the page: links, bookmarks and Back work.
function mirror() {
  const { href } = frame.contentWindow.location;
  if (!href.startsWith(BASE.href)) return;
  const shown = BASE.href + href.slice(BASE.href.length).replace(/^~\/[^/]*\//, "");
  if (shown !== location.href) history.replaceState(null, "", shown);
  document.title = frame.title = frame.contentDocument.title || SITE.site.title;
  const isFile = shown === new URL("puzzles.html", BASE).href;
  if (isReady && isFile) tell("", [texts.pages, `~/${name}/`]);
  else if (isReady) state.hidden = true;
}

async function open() {
  if (location.protocol === "file:") return;
  if (!("serviceWorker" in navigator) || typeof WebAssembly !== "object") return tell(texts.missing, [texts.puzzles, "puzzles.html"]);
  const wanted = location.href.slice(BASE.href.length).replace(/^index\.html/, "").replace(/\/(?=[?#]|$)/, "");
  // A link of a page that was followed before the service worker ran: its shell shows it.
  if (parent !== window && parent.SITE) return parent.show(wanted);
  const { serviceWorker } = navigator;
  serviceWorker.onmessage = ({ data: { request, body }, ports: [port] }) => answer(request, body, port);
  await serviceWorker.register(new URL("service.js", BASE), { scope: BASE.pathname, updateViaCache: "none" });
  const { active } = await serviceWorker.ready;
  name = await new Promise((found) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => found(data);
    active.postMessage("name", [port2]);
  });
  frame.name = "page";
  frame.allow = "clipboard-write";
  frame.onload = () => {
    mirror();
    frame.contentWindow.focus();
    frame.contentWindow.onkeydown = printPage;
  };
  document.body.prepend(frame);
  tell(texts.starting, [texts.puzzles, "puzzles.html"], 0);
  show(wanted);
  startWorker();
  // Pages also change their addresses without being loaded.
  setInterval(mirror, 200);
}

function show(address) {
  frame.src = new URL(`~/${name}/${address}`, BASE);
}

// The keys print the page alone.
function printPage(event) {
  if (!(event.ctrlKey || event.metaKey) || event.key !== "p") return;
  event.preventDefault();
  frame.contentWindow.print();
}

// A menu prints the shell, whose frame shows a part of the page: now it is as high as its page.
addEventListener("beforeprint", () => (frame.style.height = `${frame.contentDocument.documentElement.scrollHeight}px`));
addEventListener("afterprint", () => (frame.style.height = ""));

open().catch((error) => fail(error.message));
