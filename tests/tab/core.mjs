// Run `tests.tab.inside` in Pyodide: node core.mjs FOLDER ARCHIVE REPORT ARGUMENT...
import { readFileSync, writeFileSync } from "node:fs";

const [folder, archive, report, ...words] = process.argv.slice(2);
try {
  const { loadPyodide } = await import(`${folder}/pyodide.mjs`);
  const python = await loadPyodide({ indexURL: folder });
  await python.loadPackage("numpy", { messageCallback() {} });
  python.unpackArchive(new Uint8Array(readFileSync(archive)), "zip", { extractDir: "/project" });
  python.runPython("import os, sys; os.chdir('/project'); sys.path.insert(0, '/project')");
  const { run } = python.pyimport("tests.tab.inside");
  writeFileSync(report, run(python.toPy(words)));
} catch (error) {
  // An uncaught error would print a line of Pyodide, which is all of it.
  console.error(error.message);
}
