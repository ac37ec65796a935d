// What all drawings ask about a text: which sides are shown, which items there are, and how a side's answer is marked.
import { NONE } from "./data.js";
import { FONTS, runsLeft, widthOf } from "./lines.js";
import { plural } from "./numbers.js";
import { shortenLabels } from "./shorten.js";
/**
 * @import { Texts } from "./data.js"
 * @import { Line, Sheet } from "./lines.js"
 */

/**
 * @typedef {ReturnType<typeof sceneOf>} Scene
 * @typedef {{number: number, system: number, letter: string, name: string, heading: string}} Side a row of a drawing: gold is number 0, systems follow
 * How a text is drawn: the sides shown, systems a and b (b is null if only one is looked at), the item marked, whether stretches without a difference are folded, the address of what a label names (with {} for the label), the width of lines, and whether they must not be wider.
 * @typedef {{sides: number[], a: number, b: number | null, marked: number | null, fold: boolean, part?: Part, address?: string, width: number, onPaper: boolean}} Shown
 * A part of a long text: its first word, about how high it may be, and folded stretches that the reader opened.
 * @typedef {{from: number, most: number, opened: [number, number][]}} Part
 * @typedef {{side: Side, [more: string]: any}} Band what is drawn of a side
 * @typedef {{header: string[], rows: {item: number | undefined, at: number, cells: string[]}[]}} TextTable a table of a drawing; `at`: the word where a row begins
 * What a kind of drawing gives: words with the bands under or over them. `kept`: the words shown, null for all; `prepare` asks a line for room and returns what is drawn on it, `draw` draws that.
 * @typedef {{words: string[], isNode?: boolean[], kept: boolean[] | null, gap: number, over?: boolean, unbroken?: boolean, bands: Band[], prepare: (line: Line, band: any) => any, draw: (sheet: Sheet, line: Line, part: any, up: number, down: number) => void, table: TextTable, asLanes?: () => Painting, together?: string, follow?: (box: HTMLElement) => void}} Painting
 */

/** How answers are marked. What all sides share is faint and has no mark; no meaning depends on colour alone. */
export const MARKS = { shared: "", plain: "", right: "✓ ", wrong: "✗ ", other: "≠ ", missing: "✗ ", unfound: "∅ ", forgiven: "≈ ", unasked: "○ " };
const MEANINGS = {
  shared: "faint: all sides agree",
  plain: "solid: gold, if not all sides agree",
  right: "✓ solid: the same as gold, but another side differs",
  wrong: "✗ dashed: wrong",
  other: "≠ dashed: different from gold, but not counted as an error",
  missing: "✗ dotted: in gold, but missing on this side",
  unfound: "∅ dotted: in gold, but missing on this side; not counted",
  forgiven: "≈ solid: only this framework has it, so it is forgiven",
  unasked: "○ dotted: only this framework's gold has it, so it is not counted",
};

/** The most that a label may be wide, in pixels: values of features, other labels, and at least so much on a phone if a note may follow. */
const [MOST_OF_VALUE, MOST_OF_LABEL, LEAST_OF_LABEL] = [150, 140, 70];

const MEANINGS_OF_PEOPLE = { ...MEANINGS, shared: "faint: all annotators shown agree", plain: "solid: annotators differ" };

/** A text made ready to be drawn. @param {Texts} texts @param {string} kind @param {number} text @param {Shown} view */
export function sceneOf(texts, kind, text, view) {
  const words = texts.hasWords ? texts.words(text) : texts.words(text).map((_, place) => String(place + 1));
  /** @type {Map<string, string>} */
  const shortened = new Map();
  return {
    texts,
    kind,
    text,
    view,
    words,
    /** Short forms of labels with the labels. */
    shortened,
    short: shortIn(texts, kind, text, view.width, shortened),
    mirrored: runsLeft(words),
    sides: view.sides.filter((number) => number <= texts.systems.length).map((number) => sideOf(texts, number, view)),
    first: texts.itemStarts[text],
    end: texts.itemStarts[text + 1],
    /** The states of answers, the outcomes and the notes that the legend explains. @type {Set<string>} */
    used: new Set(),
    /** @type {Set<string>} */
    kinds: new Set(),
    /** @type {string[]} */
    notes: [],
    /** What cannot be drawn. @type {string[]} */
    rest: [],
  };
}

/** A function that shortens a label of a text, so that no two labels of any side look the same. @param {Texts} texts @param {string} kind @param {number} width @param {Map<string, string>} shortened */
function shortIn(texts, kind, text, width, shortened) {
  const labels = new Set(texts.layers.flatMap((layer, side) => (layer.heads ? texts.arcs(side, text).map((arc) => arc.relation) : texts.spans(side, text).map((span) => span.label))));
  for (const codes of [texts.gold, ...texts.answers]) for (let item = texts.itemStarts[text]; item < texts.itemStarts[text + 1]; item += 1) if (codes[item] !== NONE) labels.add(texts.labels[codes[item]]);
  const areTags = !texts.layers.length;
  const most = areTags ? MOST_OF_VALUE : Math.max(LEAST_OF_LABEL, Math.min(MOST_OF_LABEL, (width - 200) / (kind === "graph" || kind === "frames" ? 2 : 1)));
  // The features of a tag are in lines of their own, with their names.
  const values = areTags ? [...labels].flatMap((label) => label.split("|").map(valueOf)) : labels;
  const short = shortenLabels(values, most, (label) => widthOf(label, FONTS.strong));
  return (/** @type {string} */ label) => {
    const form = short(label);
    if (form !== label) shortened.set(form, label);
    return form;
  };
}

/** The value of a feature. @param {string} feature */
export function valueOf(feature) {
  return feature.slice(feature.indexOf("=") + 1);
}

/** @param {Texts} texts @param {number} number @param {Shown} view @returns {Side} */
function sideOf(texts, number, view) {
  const system = number - 1;
  const letter = number && view.b !== null ? (system === view.a ? "A" : system === view.b ? "B" : "") : "";
  const name = number ? texts.systems[system] : texts.layers[0]?.side ?? "gold";
  return { number, system, letter, name, heading: letter ? `${letter} · ${name}` : name };
}

/** Gold's item at each word, NONE if there is none. @param {Scene} scene */
export function itemsByWord(scene) {
  const found = new Int32Array(scene.words.length).fill(NONE);
  for (let item = scene.first; item < scene.end; item += 1) if (scene.texts.owner[item] === NONE) found[scene.texts.begin[item]] = item;
  return found;
}

/** Note the words that a system adds to gold's. @param {Scene} scene */
export function restOfWords(scene) {
  for (const side of scene.sides) {
    let number = 0;
    for (let item = scene.first; item < scene.end; item += 1) if (scene.texts.owner[item] !== NONE && side.number && scene.texts.answers[side.system][item] !== NONE) number += 1;
    if (number) scene.rest.push(`${side.name}: ${plural(number, "word")} that gold does not have`);
  }
}

/** True if systems a and b answer an item differently; with one system, if it is wrong. @param {Scene} scene @param {number | undefined} item */
export function itemDiffers({ texts, view }, item) {
  if (item === NONE || item === undefined) return false;
  if (texts.split) return texts.split[item] > 0;
  if (view.b === null) return texts.wrong[view.a][item] === 1;
  return texts.change(item, view.a, view.b) !== NONE && texts.alike[view.a][item] !== texts.alike[view.b][item];
}

/** Attributes of the element of an item. @param {Scene} scene @param {number | undefined} item @param {string} kind */
export function itemAttributes(scene, item, kind) {
  const known = item !== NONE && item !== undefined;
  return {
    class: known && scene.view.marked === item ? `${kind} marked` : kind,
    "data-item": known ? item : null,
    "data-differs": itemDiffers(scene, item) ? "" : null,
  };
}

/** The state of an answer: `same` as gold's, `wrong` by the measure, `agreed` on by all sides shown. @param {Scene} scene @param {Side} side */
export function stateOf(scene, side, { same, wrong, agreed }) {
  const state = agreed ? "shared" : side.number === 0 || scene.texts.split ? "plain" : wrong ? "wrong" : same ? "right" : "other";
  scene.used.add(state);
  return state;
}

/** What the marks of a drawing mean. @param {Scene} scene */
export function legendOf(scene) {
  const named = scene.texts.split ? MEANINGS_OF_PEOPLE : MEANINGS;
  const states = Object.keys(named).filter((state) => scene.used.has(state)).map((state) => named[state]);
  const meanings = scene.texts.data.meanings ?? {};
  const kinds = Object.keys(meanings).filter((kind) => scene.kinds.has(kind)).map((kind) => meanings[kind]);
  return [...states, ...kinds, ...scene.notes];
}
