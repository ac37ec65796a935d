// Tags: a row for each side, a column for each word; if a tag has parts, those that changed are marked.
import { NONE } from "./data.js";
import { shape } from "./dom.js";
import { APART, FONTS, keptWords, widthOf } from "./lines.js";
import { MARKS, itemAttributes, itemsByWord, restOfWords, stateOf, valueOf } from "./scene.js";
/**
 * @import { Line, Sheet } from "./lines.js"
 * @import { Scene } from "./scene.js"
 */

const TAG_LINE = 16;
const PADDING = 7;
const WIDEST_TAG = 190;
const UNLABELLED = "·: a word without a label in gold";
const LACKING = "∅: the tag does not have the feature";

/** Tags as rows under the words. @param {Scene} scene */
export function tagRows(scene) {
  const items = itemsByWord(scene);
  restOfWords(scene);
  const cells = scene.words.map((_, word) => cellsOfWord(scene, items[word]));
  const differing = scene.words.map((_, word) => word).filter((word) => cells[word].some((cell) => cell.state !== "shared" && cell.item !== NONE));
  const bands = scene.sides.map((side, row) => ({ side, cells: cells.map((ofWord) => ofWord[row]) }));
  return {
    words: scene.words,
    kept: scene.view.fold ? keptWords(scene.words.length, differing) : null,
    gap: APART,
    bands,
    prepare: (line, band) => {
      const shown = line.cells.filter((cell) => !cell.folded).map(({ begin }) => ({ word: begin, ...band.cells[begin] }));
      for (const cell of shown) line.widen(cell.word, cell.width);
      return { shown, differs: shown.some((cell) => cell.state !== "shared"), below: Math.max(1, ...shown.map((cell) => cell.lines.length)) * TAG_LINE + 9 };
    },
    draw: (sheet, line, { shown }, _, down) => shown.forEach((cell) => drawTag(scene, sheet, line, cell, down)),
    table: tagTable(scene, cells),
  };
}

/** @param {Scene} scene */
function cellsOfWord(scene, item) {
  const { texts, sides } = scene;
  if (item === NONE && !scene.notes.includes(UNLABELLED)) scene.notes.push(UNLABELLED);
  if (item === NONE) return sides.map(() => ({ item, state: "shared", label: "", width: 0, lines: [[{ text: "·", changed: false }]] }));
  const gold = texts.gold[item];
  const codes = sides.map((side) => (side.number ? texts.answers[side.system][item] : gold));
  const agreed = codes.every((code) => code === gold) && sides.every((side) => !side.number || !texts.wrong[side.system][item]);
  return sides.map((side, row) => {
    const state = stateOf(scene, side, { agreed, same: codes[row] === gold, wrong: side.number > 0 && texts.wrong[side.system][item] === 1 });
    const others = side.number ? [gold] : codes.filter((code) => code !== gold);
    const label = texts.label(codes[row]);
    const lines = tagLines(scene, label, others.map((code) => texts.label(code)), side.number > 0);
    const width = Math.max(...lines.map((line) => widthOf(line.map((part) => part.text).join(""), FONTS.strong)));
    return { item, state, label, lines, width: width + widthOf(MARKS[state], FONTS.strong) + 2 * PADDING };
  });
}

/** A tag as lines of parts, each with whether it differs from another tag; `lacking`: show what only others have. @param {Scene} scene */
function tagLines(scene, label, others, lacking) {
  if (isFeatures(label) || others.some(isFeatures)) return featureLines(scene, label, others, lacking);
  const pieces = piecesOf(label);
  const whole = others.some((other) => other !== label && !isComparable(label, other));
  const apart = others.filter((other) => other !== label).map(piecesOf);
  const parts = pieces.map((text, place) => ({ text, changed: !whole && apart.some((other) => other[place] !== text) }));
  // A tag that is too wide goes on in a further line, so that tags with the same beginning do not look the same.
  /** @type {{text: string, changed: boolean}[][]} */
  const lines = [[]];
  for (const part of parts) {
    const line = lines[lines.length - 1];
    if (line.length && widthOf([...line, part].map(({ text }) => text).join(""), FONTS.strong) > WIDEST_TAG) lines.push([part]);
    else line.push(part);
  }
  return lines.map(joinRuns);
}

/** Join neighbours that are both changed or both unchanged. */
function joinRuns(parts) {
  const joined = [];
  for (const part of parts) {
    const last = joined[joined.length - 1];
    if (last && last.changed === part.changed) last.text += part.text;
    else joined.push({ ...part });
  }
  return joined;
}

function isFeatures(tag) {
  return tag.includes("|") || /^\w+(\[\w+\])?=/.test(tag);
}

function featuresOf(tag) {
  if (tag === "_" || tag === "∅") return new Map();
  return new Map(tag.split("|").map((part) => [part.split("=", 1)[0], part]));
}

/** @param {Scene} scene */
function featureLines(scene, label, others, lacking) {
  const features = featuresOf(label);
  const otherFeatures = others.map(featuresOf);
  const names = new Set(features.keys());
  if (lacking) otherFeatures.forEach((other) => other.forEach((_, name) => names.add(name)));
  const lines = [...names].sort((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1)).map((name) => {
    const changed = otherFeatures.some((other) => other.get(name) !== features.get(name));
    if (!features.has(name) && !scene.notes.includes(LACKING)) scene.notes.push(LACKING);
    const text = features.get(name) ?? `${name} ∅`;
    const value = valueOf(text);
    const shown = features.has(name) ? `${text.slice(0, text.length - value.length)}${scene.short(value)}` : text;
    return [{ text: shown, title: shown === text ? "" : text, changed }];
  });
  return lines.length ? lines : [[{ text: label, changed: others.some((other) => other !== label) }]];
}

/** What a tag consists of: separators and what they divide, or characters. */
function piecesOf(tag) {
  const divided = tag.split(/([:.])/u);
  return divided.length > 1 ? divided : Array.from(tag);
}

/** True if parts of two tags can be compared: they begin with the same part, and have separators, or as many characters and half of them the same. */
function isComparable(tag, other) {
  const [parts, otherParts] = [piecesOf(tag), piecesOf(other)];
  if (parts[0] !== otherParts[0]) return false;
  if (/.[:.]./u.test(tag) && /.[:.]./u.test(other)) return true;
  return parts.length === otherParts.length && parts.length > 3 && parts.filter((part, place) => part === otherParts[place]).length * 2 >= parts.length;
}

/** @param {Scene} scene @param {Sheet} sheet @param {Line} line */
function drawTag(scene, sheet, line, cell, top) {
  const middle = line.middle(cell.word);
  if (cell.item === NONE) {
    sheet.text(middle, top + 16, "·", "label shared");
    return;
  }
  const half = cell.width / 2;
  const parted = cell.lines.some((parts) => parts.some((part) => part.changed)) ? " parted" : "";
  sheet.group(itemAttributes(scene, cell.item, `tag ${cell.state}${parted}`), () => {
    if (cell.state !== "shared" || cell.item === scene.view.marked) sheet.box(middle - half, middle + half, top, cell.lines.length * TAG_LINE + 5, `frame ${cell.state}`, { rx: 4 });
    cell.lines.forEach((line, index) => {
      const parts = line.map((part) => shape("tspan", { class: part.changed && cell.state !== "shared" ? "changed" : null }, part.text));
      const mark = index ? "" : MARKS[cell.state];
      const node = sheet.text(middle, top + 15 + index * TAG_LINE, "", `label ${cell.state}`, line[0]?.title);
      node.prepend(...(mark ? [shape("tspan", { class: "mark" }, mark)] : []), ...parts);
    });
  });
}

/** @param {Scene} scene */
function tagTable(scene, cells) {
  return {
    header: ["", "Word", ...scene.sides.map((side) => side.heading)],
    rows: scene.words.map((word, place) => ({
      item: cells[place][0]?.item,
      at: place,
      cells: [String(place + 1), word, ...cells[place].map((cell) => `${MARKS[cell.state]}${cell.item === NONE ? "·" : cell.label}`)],
    })),
  };
}
