// Answers come without a reload: the script fetches the address of a form and shows what it finds.
// Without this script every form and link works as it is. A page with a player changes by the player.
"use strict";

const pageTools = (() => {
  const content = document.getElementById("main");
  const said = document.getElementById("said");
  const hasPlayer = () => document.getElementById("data") !== null;
  let requests = 0;

  // Return the document of an address, with its address after redirects; null if it opens as a page.
  async function load(address) {
    try {
      const answer = await fetch(address);
      const found = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (found.getElementById("main")) return Object.assign(found, { address: answer.url });
    } catch {
      // The browser shows what is wrong.
    }
    location.assign(address);
    return null;
  }

  // What a browser shares is the canonical address: the puzzle, not a try of it.
  function replaceAround(found) {
    document.title = found.title;
    document.head.querySelector("[rel=canonical]")?.remove();
    document.head.append(...found.head.querySelectorAll("[rel=canonical]"));
    for (const part of found.querySelectorAll("[data-around], .foot")) {
      document.querySelector(part.id ? `#${part.id}` : ".foot")?.replaceWith(part);
    }
  }

  async function go(address, { keep = true } = {}) {
    const request = ++requests;
    const isTyping = document.activeElement?.id === "typed";
    content.setAttribute("aria-busy", "true");
    const found = await load(address);
    if (!found || request !== requests) return;
    if (found.getElementById("data")) return location.assign(found.address);
    if (keep) history.pushState(null, "", found.address);
    const fresh = found.getElementById("main");
    content.className = fresh.className;
    content.replaceChildren(...fresh.childNodes);
    content.removeAttribute("aria-busy");
    replaceAround(found);
    const verdict = content.querySelector("[data-said]");
    const text = verdict ? verdict.textContent : document.title;
    // No space is left before a sign at which a voice pauses.
    said.textContent = text.replace(/\s+/g, " ").replace(/ (?=[.,]( |$))/g, "").trim();
    const field = content.querySelector(isTyping ? "#typed" : "[autofocus]") ?? content;
    field.focus({ preventScroll: field === content });
    if (field === content) content.querySelector(".verdict.bad, .paper, .preview")?.scrollIntoView({ block: "nearest" });
    field.select?.();
  }

  // The form for a class sends what the form above it says now, not what was shown.
  function copyFields(form) {
    const from = document.getElementById(form.dataset.with);
    for (const field of form.querySelectorAll("input[type=hidden]")) field.remove();
    for (const [name, value] of new FormData(from)) form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  }

  document.addEventListener("submit", (event) => {
    if (event.target.dataset.with) copyFields(event.target);
    // A file is not a page.
    if (hasPlayer() || event.target.method === "post" || event.submitter?.hasAttribute("formaction")) return;
    event.preventDefault();
    const filled = [...new FormData(event.target, event.submitter)].filter(([, text]) => text !== "");
    go(`${event.target.action}?${new URLSearchParams(filled)}`);
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-go]");
    if (!link || hasPlayer() || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(link.href);
  });

  window.addEventListener("popstate", () => (hasPlayer() ? location.reload() : go(location.href, { keep: false })));

  return { load, replaceAround };
})();
