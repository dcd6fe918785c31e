// Return accessibility problems that axe does not report, as a list of sentences.
() => {
  const problems = [];
  const { Color, flattenColors, getContrast } = axe.commons.color;
  const name = (element) =>
    `<${element.tagName.toLowerCase()} ${element.id || element.name || element.className}>`;
  const parse = (text, opacity = 1) => {
    const colour = new Color();
    colour.parseString(text);
    colour.alpha *= opacity;
    return colour;
  };
  const backgroundOf = (element) => {
    const colour = parse(getComputedStyle(element).backgroundColor);
    return colour.alpha === 1 || !element.parentElement ? colour : backgroundOf(element.parentElement);
  };
  const contrast = (colour, background) => getContrast(background, flattenColors(colour, background));

  const fields = "input:not([type=hidden], [type=checkbox]), textarea, select";
  for (const field of document.querySelectorAll(fields)) {
    if (!field.checkVisibility()) continue;
    const border = parse(getComputedStyle(field).borderTopColor);
    if (contrast(border, backgroundOf(field.parentElement)) < 3) {
      problems.push(`the border of ${name(field)} is too faint`);
    }
    const style = getComputedStyle(field, "::placeholder");
    const ratio = contrast(parse(style.color, Number(style.opacity)), backgroundOf(field));
    if (field.placeholder && ratio < 4.5) {
      problems.push(`the placeholder of ${name(field)} is too faint: ${ratio.toFixed(2)} to 1`);
    }
  }
  for (const image of document.querySelectorAll("svg:not([aria-hidden])")) {
    if (image.getAttribute("role") !== "img" || !image.querySelector("title")) {
      problems.push("an SVG image without a title");
    }
  }
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) problems.push(`${root.scrollWidth} pixels wide`);
  return problems;
}
