// What would keep somebody from reading, hearing or reaching a page; a list of sentences.
() => {
  const found = [];
  const shown = (each) => each.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const name = (each) => `<${each.tagName.toLowerCase()} ${each.id || each.name || each.className}>`;
  const numbers = (colour) => {
    const [r, g, b, a = 1] = colour.match(/[\d.]+/g).map(Number);
    return [r, g, b, a];
  };
  const over = (top, below) =>
    [0, 1, 2].map((at) => top[at] * top[3] + below[at] * (1 - top[3])).concat(1);
  const behind = (each) => {
    const layers = [];
    for (let at = each; at; at = at.parentElement) {
      layers.push(numbers(getComputedStyle(at).backgroundColor));
      if (layers.at(-1)[3] === 1) break;
    }
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255, 1]);
  };
  const light = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((each) => {
      const part = each / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b);
    return (bright + 0.05) / (dark + 0.05);
  };
  const spoken = (each) => {
    const labels = each.labels ? [...each.labels].map((label) => label.textContent) : [];
    const hidden = [...each.querySelectorAll("title")].map((title) => title.textContent);
    const text = [each.getAttribute("aria-label"), ...labels, each.textContent, ...hidden];
    return text.filter(Boolean).join(" ").trim();
  };

  if (!document.documentElement.lang) found.push("no language");
  if (!document.title.trim()) found.push("no title");
  for (const tag of ["main", "header", "nav", "footer", "h1"]) {
    const count = document.querySelectorAll(tag).length;
    if (count !== 1) found.push(`${count} of <${tag}>`);
  }
  const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
  for (const id of new Set(ids)) {
    if (ids.indexOf(id) !== ids.lastIndexOf(id)) found.push(`id ${id} is there twice`);
  }
  for (const each of document.querySelectorAll("[aria-describedby], [for]")) {
    for (const id of (each.getAttribute("aria-describedby") || each.htmlFor).split(" ")) {
      if (!document.getElementById(id)) found.push(`${name(each)} speaks of ${id}, which is not there`);
    }
  }
  let before = 0;
  for (const each of document.querySelectorAll("h1, h2, h3")) {
    const level = Number(each.tagName[1]);
    if (level > before + 1) found.push(`${name(each)} skips a level`);
    before = level;
  }
  for (const each of document.querySelectorAll("input:not([type=hidden]), select, textarea, button, a, summary")) {
    if (!spoken(each)) found.push(`${name(each)} has no name`);
    if (each.matches("input, select, textarea") && !each.labels.length) found.push(`${name(each)} has no label`);
    if (each.tabIndex < 0) found.push(`${name(each)} cannot be reached by keys`);
    const box = each.getBoundingClientRect();
    const inline = getComputedStyle(each).display === "inline";
    if (shown(each) && !inline && !each.closest(".tick") && !each.matches(".skip") && Math.min(box.width, box.height) < 24) {
      found.push(`${name(each)} is ${box.width} by ${box.height} pixels`);
    }
  }
  for (const each of document.querySelectorAll("svg:not([aria-hidden])")) {
    if (each.getAttribute("role") !== "img" || !each.querySelector("title")) found.push("a drawing has no name");
  }
  for (const each of document.querySelectorAll("[tabindex]")) {
    if (each.tabIndex > 0) found.push(`${name(each)} changes the order of keys`);
  }

  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const each = texts.currentNode.parentElement;
    if (!texts.currentNode.textContent.trim() || each.closest("svg, .unseen, .skip, script") || !shown(each)) continue;
    const style = getComputedStyle(each);
    const size = parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
    const ground = behind(each);
    const ratio = contrast(over(numbers(style.color), ground), ground);
    if (ratio < least) found.push(`${name(each)} ${texts.currentNode.textContent.trim().slice(0, 30)}: ${ratio.toFixed(2)} to 1`);
  }
  for (const each of document.querySelectorAll("input, textarea, select")) {
    if (!shown(each) || each.type === "checkbox") continue;
    const around = behind(each.parentElement);
    if (contrast(numbers(getComputedStyle(each).borderTopColor), around) < 3) found.push(`the edge of ${name(each)} is not seen`);
    if (each.placeholder) {
      const style = getComputedStyle(each, "::placeholder");
      const [r, g, b, a] = numbers(style.color);
      const ground = behind(each);
      const ratio = contrast(over([r, g, b, a * Number(style.opacity)], ground), ground);
      if (ratio < 4.5) found.push(`what is said in ${name(each)}: ${ratio.toFixed(2)} to 1`);
    }
  }

  const room = document.documentElement;
  if (room.scrollWidth > room.clientWidth) found.push(`${room.scrollWidth} pixels wide`);
  return found;
}
