// What all drawings ask about a text: which sides are shown, which items there are, and how a side's answer is marked.
import { NONE } from "./data.js";
import { runsLeft } from "./lines.js";

/** How answers are marked. What all sides share is faint and has no mark; nothing is told by colour alone. */
export const MARKS = { shared: "", plain: "", right: "✓ ", wrong: "✗ ", other: "≠ ", missing: "✗ ", unfound: "∅ ", forgiven: "≈ ", unasked: "○ " };
const MEANINGS = {
  shared: "faint: all sides agree",
  plain: "solid: gold, where not all agree",
  right: "✓ solid: as gold, where another side differs",
  wrong: "✗ dashed: wrong",
  other: "≠ dashed: not as gold, but not counted as an error",
  missing: "✗ dotted: gold has it, this side does not",
  unfound: "∅ dotted: gold has it, this side does not, not counted",
  forgiven: "≈ solid: only this framework has it, so it is forgiven",
  unasked: "○ dotted: only this framework's gold has it, so nobody asks for it",
};

/** A text made ready to be drawn. */
export function sceneOf(texts, kind, text, view) {
  const words = texts.words(text);
  return {
    texts,
    kind,
    text,
    view,
    words,
    mirrored: runsLeft(words),
    sides: view.sides.filter((number) => number <= texts.systems.length).map((number) => sideOf(texts, number, view)),
    first: texts.itemStarts[text],
    end: texts.itemStarts[text + 1],
    used: new Set(),
    kinds: new Set(),
    notes: [],
    rest: [],
  };
}

function sideOf(texts, number, view) {
  const system = number - 1;
  const letter = number && view.b !== null ? (system === view.a ? "A" : system === view.b ? "B" : "") : "";
  const name = number ? texts.systems[system] : texts.layers[0]?.side ?? "gold";
  return { number, system, letter, name, heading: letter ? `${letter} · ${name}` : name };
}

/** Gold's item at each word, NONE where there is none. */
export function itemsByWord(scene) {
  const found = new Int32Array(scene.words.length).fill(NONE);
  for (let item = scene.first; item < scene.end; item += 1) if (scene.texts.owner[item] === NONE) found[scene.texts.begin[item]] = item;
  return found;
}

/** The items of a text that a system adds to gold's where items are words: words that gold does not have. */
export function restOfWords(scene) {
  for (const side of scene.sides) {
    let number = 0;
    for (let item = scene.first; item < scene.end; item += 1) if (scene.texts.owner[item] !== NONE && side.number && scene.texts.answers[side.system][item] !== NONE) number += 1;
    if (number) scene.rest.push(`${side.name}: ${number} ${number === 1 ? "word" : "words"} that gold does not have`);
  }
}

/** Whether systems a and b answer an item differently; of one system alone, whether it is wrong. */
export function itemDiffers({ texts, view }, item) {
  if (item === NONE || item === undefined) return false;
  if (view.b === null) return texts.wrong[view.a][item] === 1;
  return texts.change(item, view.a, view.b) !== NONE && texts.alike[view.a][item] !== texts.alike[view.b][item];
}

/** Attributes of the element that stands for an item. */
export function itemAttributes(scene, item, kind) {
  const known = item !== NONE && item !== undefined;
  return {
    class: known && scene.view.marked === item ? `${kind} marked` : kind,
    "data-item": known ? item : null,
    "data-differs": itemDiffers(scene, item) ? "" : null,
  };
}

/** The state of an answer: `same` as gold's, `wrong` by the measure, `agreed` on by all sides shown. */
export function stateOf(scene, side, { same, wrong, agreed }) {
  const state = agreed ? "shared" : side.number === 0 ? "plain" : wrong ? "wrong" : same ? "right" : "other";
  scene.used.add(state);
  return state;
}

/** What the marks of a drawing mean. */
export function legendOf(scene) {
  const states = Object.keys(MEANINGS).filter((state) => scene.used.has(state)).map((state) => MEANINGS[state]);
  const meanings = scene.texts.data.meanings ?? {};
  const kinds = Object.keys(meanings).filter((kind) => scene.kinds.has(kind)).map((kind) => meanings[kind]);
  return [...states, ...kinds, ...scene.notes];
}
