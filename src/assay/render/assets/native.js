// A text as lines to be copied: CoNLL-U for tags and dependencies, brackets for trees, a column per side for the rest.
import { NONE } from "./data.js";
/** @import { Texts } from "./data.js" */

/** A text with gold and all systems, in the format that its annotation has elsewhere. @param {Texts} texts @returns {string} */
export function nativeText(texts, kind, text) {
  const sides = ["gold", ...texts.systems];
  if (texts.ofItems) return itemLine(texts, text);
  const lines = [`# sent_id = ${oneLine(texts.data.ids[text])}`, `# text = ${oneLine(texts.words(text).join(" "))}`];
  const write = texts.layers.length ? WRITERS[kind] : taggedLines;
  return `${[...lines, ...write(texts, text, sides)].join("\n")}\n\n`;
}

/** The name of that format. */
export function nativeFormat(kind) {
  return ["tags", "arcs"].includes(kind) ? "CoNLL-U" : kind === "cards" ? "JSON" : "text";
}

/** An item without words as an object of JSON. @param {Texts} texts */
function itemLine(texts, text) {
  const items = Array.from({ length: texts.itemStarts[text + 1] - texts.itemStarts[text] }, (_, place) => texts.itemStarts[text] + place);
  const labels = (codes) => {
    const found = items.map((item) => codes[item]).filter((code) => code !== NONE).map((code) => texts.labels[code]);
    return texts.kinds.length ? found : found[0] ?? null;
  };
  if (texts.cells) {
    const record = (value) => Object.fromEntries(items.filter((item) => value(item) !== null).map((item) => [texts.cells.path(item), value(item)]));
    const sides = Object.fromEntries(texts.systems.map((name, system) => [name, record(texts.cells.value[system])]));
    return `${JSON.stringify({ id: texts.data.ids[text], text: texts.words(text)[0], gold: record(texts.cells.gold), ...sides })}\n`;
  }
  const answers = Object.fromEntries(texts.systems.map((name, system) => [name, labels(texts.answers[system])]));
  const parts = Object.fromEntries(texts.words(text).map((part, place) => [texts.data.parts[place], part]));
  return `${JSON.stringify({ id: texts.data.ids[text], ...parts, ...Object.fromEntries(texts.factsOf(text)), gold: labels(texts.gold), ...answers })}\n`;
}

const WRITERS = { arcs: dependencyLines, spans: spanLines, graph: headedLines, frames: headedLines, trees: bracketLines, chains: chainColumns, units: unitLines, annotations: unitLines };

function oneLine(value) {
  return String(value).replace(/\s+/gu, " ");
}

/** The text of a cell: without tabs or line breaks, and not empty. */
function cellText(value) {
  return oneLine(value) || "_";
}

/** A value of MISC: no white space and no bar. */
function miscValue(name, value) {
  return `${cellText(name).replace(/[\s|=]/gu, "_")}=${cellText(value).replace(/\|/gu, ",").replace(/\s/gu, "_")}`;
}

function tenColumns(word, place, given) {
  const columns = [String(place + 1), cellText(word), "_", "_", "_", "_", "_", "_", "_", "_"];
  for (const [column, value] of Object.entries(given)) columns[Number(column) - 1] = value;
  return columns.join("\t");
}

const UNIVERSAL = new Set("ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X _".split(" "));

/** Gold's tags in the column that they look like, those of systems in MISC. @param {Texts} texts */
function taggedLines(texts, text, sides) {
  const item = new Map();
  for (let one = texts.itemStarts[text]; one < texts.itemStarts[text + 1]; one += 1) if (texts.owner[one] === NONE) item.set(texts.begin[one], one);
  const column = texts.labels.every((label) => UNIVERSAL.has(label)) ? 4 : texts.labels.some((label) => label.includes("=")) ? 6 : 5;
  return texts.words(text).map((word, place) => {
    const one = item.get(place);
    if (one === undefined) return tenColumns(word, place, {});
    const misc = sides.slice(1).map((name, system) => miscValue(name, texts.label(texts.answers[system][one])));
    return tenColumns(word, place, { [column]: cellText(texts.label(texts.gold[one])), 10: misc.join("|") });
  });
}

/** Gold's heads and relations, and in MISC those of systems that differ. @param {Texts} texts */
function dependencyLines(texts, text, sides) {
  const arcs = sides.map((_, side) => texts.arcs(side, text));
  const headText = (head) => (head >= 0 && head < arcs[0].length ? String(head + 1) : head === -1 ? "0" : "_");
  return texts.words(text).map((word, place) => {
    const gold = arcs[0][place];
    const other = sides.slice(1).flatMap((name, system) => {
      const arc = arcs[system + 1][place];
      return arc.head === gold.head && arc.relation === gold.relation ? [] : [miscValue(name, `${headText(arc.head)}:${arc.relation || "_"}`)];
    });
    return tenColumns(word, place, { 7: headText(gold.head), 8: cellText(gold.relation), 10: other.join("|") || "_" });
  });
}

/** A column of IOB2 tags per side, nested ones joined by +, outer ones first. @param {Texts} texts */
function spanLines(texts, text, sides) {
  const words = texts.words(text);
  const columns = sides.map((_, side) => {
    /** @type {string[][]} */
    const tags = words.map(() => []);
    for (const span of texts.spans(side, text)) for (const [begin, end] of span.stretches) for (let word = begin; word < end; word += 1) tags[word].push(`${word === span.begin ? "B" : "I"}-${cellText(span.label)}`);
    return tags.map((tag) => tag.join("+") || "O");
  });
  return [`# columns = word ${sides.map(cellText).join(" ")}`, ...words.map((word, place) => [cellText(word), ...columns.map((column) => column[place])].join("\t"))];
}

/** A bracketed tree per side; words of discontinuous constituents have their number before them. @param {Texts} texts */
function bracketLines(texts, text, sides) {
  const words = texts.words(text);
  return sides.flatMap((name, side) => [`# ${name}`, writeBrackets(texts.spans(side, text), words)]);
}

function writeBrackets(spans, words) {
  const gaps = spans.some((span) => span.stretches.length > 1);
  const holds = (one, other) => other.stretches.every(([begin, end]) => one.stretches.some(([from, to]) => from <= begin && end <= to));
  const size = (span) => span.stretches.reduce((sum, [begin, end]) => sum + end - begin, 0);
  const nodes = spans.map((span, order) => ({ ...span, order, parts: [] })).sort((one, other) => size(one) - size(other) || other.order - one.order);
  const top = { parts: [] };
  nodes.forEach((node, index) => (nodes.slice(index + 1).find((other) => holds(other, node)) ?? top).parts.push(node));
  words.forEach((word, place) => {
    const leaf = { begin: place, order: NONE, word: `${gaps ? `${place}=` : ""}${escapeBrackets(word)}`, stretches: [[place, place + 1]] };
    (nodes.find((node) => holds(node, leaf)) ?? top).parts.push(leaf);
  });
  const written = (node) => (node.word !== undefined ? node.word : `(${cellText(node.label)} ${listed(node)})`);
  const listed = (node) => node.parts.sort((one, other) => one.begin - other.begin).map(written).join(" ");
  return `( ${listed(top)} )`;
}

function escapeBrackets(word) {
  return cellText(word).replace(/\(/gu, "-LRB-").replace(/\)/gu, "-RRB-").replace(/ /gu, "_");
}

/** A column per side as in CoNLL-2012: (0 opens a mention of chain 0, 0) closes it. @param {Texts} texts */
function chainColumns(texts, text, sides) {
  const words = texts.words(text);
  const columns = sides.map((_, side) => {
    /** @type {string[][]} */
    const marks = words.map(() => []);
    for (const span of texts.spans(side, text)) {
      const last = span.end - 1;
      if (span.begin === last) marks[last].push(`(${span.label})`);
      else {
        marks[span.begin].push(`(${span.label}`);
        marks[last].push(`${span.label})`);
      }
    }
    return marks.map((mark) => mark.join("|") || "-");
  });
  const breaks = sentenceEnds(texts, text);
  const rows = words.flatMap((word, place) => [[cellText(word), ...columns.map((column) => column[place])].join("\t"), ...(breaks.has(place + 1) && place + 1 < words.length ? [""] : [])]);
  return [`# columns = word ${sides.map(cellText).join(" ")}`, ...rows];
}

/** @param {Texts} texts */
function sentenceEnds(texts, text) {
  const { sentences, sentence_lengths: lengths } = texts.data;
  let sentence = 0;
  for (let before = 0; before < text; before += 1) sentence += sentences[before];
  const ends = new Set();
  let end = 0;
  for (let number = 0; number < sentences[text]; number += 1) ends.add((end += lengths[sentence + number]));
  return ends;
}

/** Every arc, predicate and argument of every side on a line: side, words, label, the words of its head, its outcome. @param {Texts} texts */
function headedLines(texts, text) {
  const words = [...texts.words(text), ...texts.between(text).map((node) => node.id)];
  const describe = (stretches) => stretches.map(([begin, end]) => `${begin + 1}${end - begin > 1 ? `–${end}` : ""} ${words.slice(begin, end).join(" ")}`).join(" … ");
  return texts.layers.flatMap((layer, side) =>
    texts.spans(side, text).map(({ stretches, label, head, kind }) => [layer.side, describe(stretches), label, Array.isArray(head) ? describe([head]) : head === -1 ? "0" : "", kind].map(cellText).join("\t")),
  );
}

/** Every unit of every side on a line: side, words, label, outcome. @param {Texts} texts */
function unitLines(texts, text) {
  const words = texts.words(text);
  return texts.layers.flatMap((layer, side) =>
    texts.spans(side, text).map((span) => [layer.side, span.stretches.map(([begin, end]) => words.slice(begin, end).join(" ")).join(" … "), span.label || "_", span.kind || "_"].map(cellText).join("\t")),
  );
}
