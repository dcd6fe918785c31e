// What axe does not look for, and would keep somebody from a page all the same; a list of sentences.
() => {
  const found = [];
  const { Color, flattenColors, getContrast } = axe.commons.color;
  const name = (each) => `<${each.tagName.toLowerCase()} ${each.id || each.name || each.className}>`;
  const colour = (text, opacity = 1) => {
    const read = new Color();
    read.parseString(text);
    read.alpha *= opacity;
    return read;
  };
  const behind = (each) => {
    const ground = colour(getComputedStyle(each).backgroundColor);
    return ground.alpha === 1 || !each.parentElement ? ground : behind(each.parentElement);
  };
  const contrast = (seen, ground) => getContrast(ground, flattenColors(seen, ground));

  for (const each of document.querySelectorAll("input:not([type=hidden], [type=checkbox]), textarea, select")) {
    if (!each.checkVisibility()) continue;
    const edge = colour(getComputedStyle(each).borderTopColor);
    if (contrast(edge, behind(each.parentElement)) < 3) found.push(`the edge of ${name(each)} is not seen`);
    const style = getComputedStyle(each, "::placeholder");
    const ratio = contrast(colour(style.color, Number(style.opacity)), behind(each));
    if (each.placeholder && ratio < 4.5) found.push(`what is said in ${name(each)}: ${ratio.toFixed(2)} to 1`);
  }
  for (const each of document.querySelectorAll("svg:not([aria-hidden])")) {
    if (each.getAttribute("role") !== "img" || !each.querySelector("title")) found.push("a drawing has no name");
  }
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) found.push(`${root.scrollWidth} pixels wide`);
  return found;
}
