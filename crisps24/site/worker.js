// Python in a worker: it loads Pyodide and the package, tells how much of them it has, and then answers
// requests one at a time. The shell stops it when an answer takes too long.
import "./site.js";

const { pyodide, files, needs, site } = self.SITE;
const ADDRESS = new URL(pyodide.address, location.href).href;
const imported = new Set();

// Read a file, checked by its hash; `read` is called with the bytes that have come.
async function load(address, integrity, read = () => {}) {
  const answer = await fetch(address, { integrity, credentials: "omit" });
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  const parts = [];
  for (const reader = answer.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts).arrayBuffer();
    parts.push(value);
    read(value.length);
  }
}

async function importArchive(python, name, read) {
  if (imported.has(name)) return;
  const bytes = await load(new URL(name, location.href), files[name].integrity, read);
  python.unpackArchive(bytes, "zip", { extractDir: "/site" });
  imported.add(name);
}

async function start() {
  let loaded = 0;
  const names = Object.keys(pyodide.hashes);
  const all = pyodide.size + files["python.zip"].size;
  const read = (count) => {
    loaded += count;
    postMessage({ loaded: Math.min(loaded, all), all });
  };
  // The service worker keeps them: Pyodide asks for them again.
  const archive = load(new URL("python.zip", location.href), files["python.zip"].integrity, read);
  await Promise.all([archive, ...names.map((name) => load(ADDRESS + name, pyodide.hashes[name], read))]);
  postMessage({ loaded: all, all });
  const { loadPyodide } = await import(`${ADDRESS}pyodide.mjs`);
  const lockFileURL = new URL("lock.json", location.href).href;
  const python = await loadPyodide({ indexURL: ADDRESS, lockFileURL, packageBaseUrl: ADDRESS });
  await python.loadPackage(pyodide.packages, { messageCallback: () => {} });
  await importArchive(python, "python.zip");
  python.pyimport("sys").path.append("/site");
  const tab = python.pyimport("crisps24.site.tab").Tab(JSON.stringify(site));
  postMessage({ ready: true });
  return { python, tab };
}

const started = start();
started.catch((error) => postMessage({ failed: error.message }));

// Return status, headers and body as JavaScript has them.
function toReply(parts) {
  const [status, headers, body] = parts.toJs({ dict_converter: Object.fromEntries });
  parts.destroy();
  return { status, headers, body };
}

self.onmessage = async ({ data: { request, body, refusal, seconds } }) => {
  const { python, tab } = await started;
  try {
    const text = JSON.stringify(request);
    if (refusal) return postMessage({ reply: toReply(tab.refuse(text, 422, refusal, seconds)) });
    const { archive, packages = [] } = needs[request.path] ?? {};
    if (archive) await importArchive(python, archive);
    // Only a form with a file has a workbook to read.
    if (packages.length && body) await python.loadPackage(packages, { messageCallback: () => {} });
    postMessage({ begun: true });
    const sent = body ? python.toPy(new Uint8Array(body)).tobytes() : undefined;
    postMessage({ reply: toReply(sent ? tab.reply(text, sent) : tab.reply(text)) });
  } catch (error) {
    // Python itself answers its errors: what comes here has ended it.
    console.error(error);
    postMessage({ lost: true });
  }
};
