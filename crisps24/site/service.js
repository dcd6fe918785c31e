// The service worker of a site, before which stands SITE, the record of its files. It passes requests
// of the frame of a shell, ~/NAME/play, to that shell, whose client has this name; it knows no page.
// Every other page is the shell. Files are kept, so that all of it works without a network; they are
// taken only with the hashes of the record. A new version waits until no tab has the old one.
"use strict";

const BASE = new URL("./", location.href);
const PREFIX = `crisps24 ${BASE.pathname} `;
const OWN = PREFIX + SITE.version;
const PYODIDE = `${PREFIX}pyodide ${SITE.pyodide.version}`;
const FILES = new Map([
  ...Object.entries(SITE.files).map(([name, { integrity }]) => [new URL(name, BASE).href, { integrity, cache: OWN }]),
  ...Object.entries(SITE.pyodide.hashes).map(([name, integrity]) => [new URL(SITE.pyodide.address + name, BASE).href, { integrity, cache: PYODIDE }]),
]);
FILES.set(new URL("site.js", BASE).href, { cache: OWN });

async function fileOf(address) {
  const { integrity, cache } = FILES.get(address);
  const kept = await caches.open(cache);
  const found = await kept.match(address);
  if (found) return found;
  const answer = await fetch(address, { integrity, cache: "no-cache", credentials: "omit" });
  if (answer.ok) await kept.put(address, answer.clone());
  return answer;
}

async function workerFile(address) {
  const answer = await fileOf(address);
  const headers = new Headers(answer.headers);
  headers.set("content-security-policy", SITE.policy);
  return new Response(answer.body, { status: answer.status, headers });
}

// The first version takes what is needed to play at once; a later one takes all before it begins.
async function install() {
  const isFirst = !registration.active;
  const names = Object.keys(SITE.files).filter((name) => !isFirst || !SITE.files[name].late);
  const answers = await Promise.all(["site.js", ...names].map((name) => fileOf(new URL(name, BASE).href)));
  if (!answers.every(({ ok }) => ok)) throw new Error("a file is missing");
}

async function activate() {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(PREFIX) && name !== OWN && name !== PYODIDE);
  await Promise.all(old.map((name) => caches.delete(name)));
  await clients.claim();
}

// Ask a shell for the reply to a request of its frame.
async function relay(request, name, place) {
  const shell = await clients.get(name);
  if (!shell) return Response.redirect(new URL(place, BASE));
  const [path, query = ""] = `/${place}`.split(/\?(.*)/s);
  const { port1, port2 } = new MessageChannel();
  const reply = new Promise((found) => (port1.onmessage = ({ data }) => found(data)));
  const body = ["GET", "HEAD"].includes(request.method) ? null : await request.arrayBuffer();
  const asked = { path: decodeURIComponent(path), query, method: request.method, accept: request.headers.get("accept") ?? "", content_type: request.headers.get("content-type") ?? "" };
  shell.postMessage({ request: asked, body }, [port2]);
  const { status, headers, body: content } = await reply;
  if (headers.location) headers.location = new URL(headers.location, request.url).href;
  return new Response(status === 303 ? null : content, { status, headers });
}

function replyTo(request, address) {
  const place = address.href.slice(BASE.href.length).split("#")[0];
  const [, name, rest] = /^~\/([^/]*)\/(.*)$/s.exec(place) ?? [];
  const isTop = request.mode === "navigate" && request.destination === "document";
  if (name !== undefined && isTop) return Response.redirect(new URL(rest, BASE));
  if (name !== undefined) {
    const file = new URL(rest.split("?")[0], BASE).href;
    return FILES.has(file) && rest.startsWith("static/") ? fileOf(file) : relay(request, name, rest);
  }
  const file = BASE.href + place.split("?")[0];
  if (file.endsWith("/worker.js")) return workerFile(file);
  if (FILES.has(file)) return fileOf(file);
  if (!isTop) return fetch(request);
  // A server for files adds a slash, and pages have none.
  const [path, query = ""] = place.split(/(?=\?)/);
  if (path.endsWith("/")) return Response.redirect(BASE.href + path.slice(0, -1) + query);
  return fileOf(new URL("index.html", BASE).href);
}

addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("activate", (event) => event.waitUntil(activate()));
addEventListener("message", ({ data, source, ports: [port] }) => data === "name" && port.postMessage(source.id));
addEventListener("fetch", (event) => {
  const address = new URL(event.request.url);
  if (FILES.has(address.href) && !address.href.startsWith(BASE.href)) event.respondWith(fileOf(address.href));
  else if (address.href.startsWith(BASE.href)) event.respondWith(replyTo(event.request, address));
});
