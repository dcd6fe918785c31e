// Messages as texts in a language, as crisps24/messages/message.py writes them. No page is needed.
// tests/player/test_texts.py compares the texts of all keys in all languages.
"use strict";

// A language is { name, thousands, quotes, isolates, texts }: a record of files.py; if it lacks a
// text, it has { english }, a language with all. A message is
// { key, values }. A value is a text, a message, a number if its name is `count`, or one of
// { count: 1234 } with thousands separators, { quoted: "x" }, { list: [] } as in "3 and 8",
// { spaced: [] }, { joined: [] } and { clauses: [] } with commas between messages.
function formatMessage({ key, values = {} }, reader) {
  const language = key in reader.texts ? reader : reader.english;
  let text = language.texts[key];
  if (typeof text !== "string") text = text[pluralOf(values.count ?? 0, language)] ?? text.other;
  return text.replace(/\{(\w+)\}/g, (place, name) => {
    if (values[name] === undefined || values[name] === null) return place;
    const value = name === "count" ? formatCount(values.count, language) : formatValue(values[name], language);
    return language.isolates ? `\u2068${value}\u2069` : value;
  });
}

const pluralOf = (count, { name }) => new Intl.PluralRules(name).select(Number(count));

const formatCount = (count, { thousands }) => String(count).replace(/\B(?=(\d{3})+$)/g, thousands);

function formatValue(value, language) {
  if (typeof value !== "object") return String(value);
  if (value.key !== undefined) return formatMessage(value, language);
  if (value.count !== undefined) return formatCount(value.count, language);
  if (value.quoted !== undefined) return quote(value.quoted, language);
  const [[kind, parts]] = Object.entries(value);
  const texts = parts.map((part) => formatValue(part, language));
  if (kind === "list") return joinList(texts, language);
  return texts.join({ spaced: " ", joined: "", clauses: formatMessage({ key: "list.faults" }, language) }[kind]);
}

// English has the quotation marks of Python.
function quote(text, { quotes }) {
  if (quotes) return quotes.replace("{}", () => text);
  return text.includes("'") && !text.includes('"') ? `"${text}"` : `'${text}'`;
}

function joinList(texts, language) {
  if (texts.length < 2) return texts.join("");
  const some = texts.slice(0, -1).join(formatMessage({ key: "list.comma" }, language));
  return formatMessage({ key: "list.last", values: { some, last: texts.at(-1) } }, language);
}

// Return a number as text that a screen reader reads well, as crisps24/messages/numbers.py does.
function numberInWords(text, language) {
  const say = (name, values) => formatMessage({ key: `fraction.${name}`, values }, language);
  if (text.startsWith("-")) return say("minus", { value: numberInWords(text.slice(1), language) });
  const [top, bottom] = text.split("/");
  if (!bottom) return text;
  const word = say("numerators").split(" ")[top - 1];
  const isNamed = word && `fraction.part_${bottom}` in (language.english ?? language).texts;
  return isNamed ? say(`part_${bottom}`, { count: Number(top), top: word }) : say("over", { top, bottom });
}
