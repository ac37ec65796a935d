// What Python packed, unpacked: the Result, its texts, and columns to look things up in.
import { find, findAll } from "./dom.js";

const EXPORT = "export-";

/** The names of the exports. */
export function exportNames() {
  return findAll(`script[id^="${EXPORT}"]`).map(({ id }) => id.slice(EXPORT.length));
}

/** An export as Python wrote it. @param {string} name */
export function unpackExport(name) {
  return unpackBlock(EXPORT + name);
}

/** The text of a packed block of the page. @param {string} id @returns {Promise<string>} */
async function unpackBlock(id) {
  const text = find(`#${id}`).textContent;
  /** Not all browsers have `fromBase64`. @type {any} */
  const newer = Uint8Array;
  const bytes = newer.fromBase64 ? newer.fromBase64(text) : Uint8Array.from(atob(text), (mark) => mark.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

/** What the page shows. @returns {Promise<any>} */
export async function unpack() {
  const [packed, result] = (await Promise.all([unpackBlock("data"), unpackExport("JSON")])).map((text) => JSON.parse(text));
  // What was compared and how it is shown is read like a field of the Result.
  return { ...packed, result: { ...result, ...result.about, ...result.shown } };
}

/** Places given as distances. @param {number[]} distances */
function sumDistances(distances) {
  const found = new Int32Array(distances.length);
  let place = 0;
  distances.forEach((distance, index) => (found[index] = place += distance));
  return found;
}

/** A column given by what is unusual in it. @param {{at: number[], values: number[]}} sparse */
function fillColumn(sparse, column) {
  sumDistances(sparse.at).forEach((place, index) => (column[place] = sparse.values[index]));
  return column;
}

/** A column of `size` zeros, with 1 at some places. */
function markPlaces(distances, size) {
  const marks = new Uint8Array(size);
  for (const place of sumDistances(distances)) marks[place] = 1;
  return marks;
}

/** The first row of each text, and the end of all rows, which are sorted by text. */
function countStarts(texts, rows) {
  const begins = new Int32Array(texts + 1);
  for (const text of rows) begins[text + 1] += 1;
  for (let text = 0; text < texts; text += 1) begins[text + 1] += begins[text];
  return begins;
}

export const NONE = -1;

/** Of each item of records: its row and place in the record, gold's value and each system's, with a note; null for nothing. */
function unpackCells(cells) {
  const nothing = () => new Int32Array(cells.gold.length).fill(NONE);
  const place = fillColumn(cells.place, nothing());
  const shown = (codes) => (item) => (codes[item] === NONE ? null : cells.strings[codes[item]]);
  return {
    row: sumDistances(cells.row),
    path: shown(cells.path),
    gold: shown(cells.gold),
    value: cells.systems.map((one) => shown(fillColumn(one.value, Int32Array.from(cells.gold)))),
    /** Where gold's and the systems' values are in the text: "0-4 17-21", in characters. */
    place: [shown(place), ...cells.systems.map((one) => shown(fillColumn(one.place, Int32Array.from(place))))],
    note: cells.systems.map((one) => shown(fillColumn(one.note, nothing()))),
  };
}

export const NOT_ANSWERED = "(no answer)";
export const KINDS = ["correction", "new-error", "changed-error", "both-right", "same-error"];

/**
 * A span of a layer, to which drawings add what they need. `head`: [begin, end], or a number below 0: -1 root, -2 elsewhere, -3 none.
 * @typedef {{begin: number, end: number, label: string, kind: string, stretches: [number, number][], row: number, head: any, item: number, undirected: boolean, [more: string]: any}} Span
 */

/** The texts of a Result, item by item and layer by layer. */
export class Texts {
  constructor(data) {
    const items = data.items;
    const size = items.text.length;
    this.data = data;
    this.size = data.embedded;
    this.systems = data.systems;
    this.labels = data.labels;
    this.kinds = data.kinds;
    this.text = sumDistances(items.text);
    this.begin = Int32Array.from(items.begin);
    this.length = Int32Array.from(items.length);
    this.gold = Int32Array.from(items.gold);
    this.owner = fillColumn(items.owner, new Int32Array(size).fill(NONE));
    this.stretches = items.stretches;
    this.answers = items.systems.map((one) => fillColumn(one.answers, Int32Array.from(items.gold)));
    this.wrong = items.systems.map((one) => markPlaces(one.wrong, size));
    this.alike = items.systems.map((one) => fillColumn(one.alike, new Int32Array(size)));
    this.outcome = items.systems.map((one) => (one.kind ? Int32Array.from(one.kind) : null));
    /** What the grades of items are if none is right or wrong: "error" or "score"; empty if some are. @type {string} */
    this.graded = data.graded ?? "";
    this.grade = items.systems.map((one) => (one.grade ? Float64Array.from(one.grade) : null));
    /** The largest grade, which fills a bar. */
    this.largestGrade = this.grade.reduce((most, grades) => (grades ?? []).reduce((one, other) => Math.max(one, other), most), 1e-9);
    /** What each answer lacks: of full credit, or the error; a score with the other sign. */
    this.lost = items.systems.map((one, system) => (one.lost ? fillColumn(one.lost, new Float64Array(size)) : this.graded === "score" ? this.grade[system].map((grade) => -grade) : this.grade[system]));
    /** How sure each system is of its answers; null if its file does not say. */
    this.confidence = items.systems.map((one) => (one.confidence ? Float64Array.from(one.confidence, (value) => value ?? NaN) : null));
    this.hasShares = this.confidence.every((sure) => !sure || sure.every((value) => !(value < 0 || value > 1)));
    /** How split annotators are about each item, as the mean distance of two ratings; null if there is a gold. @type {Float64Array | null} */
    this.split = items.split ? Float64Array.from(items.split) : null;
    /** True if texts are items, whose words are the parts of their texts. */
    this.ofItems = Boolean(data.parts);
    /** The values of records; null for other texts. @type {any} */
    this.cells = data.cells ? unpackCells(data.cells) : null;
    /** The name of a missing answer. */
    this.nothing = this.split ? "not rated" : this.ofItems && !this.kinds.length ? NOT_ANSWERED : "∅";
    /** The number of bins of confidences. */
    this.bins = 15;
    this.itemStarts = countStarts(this.size, this.text);
    this.wordStarts = new Int32Array(this.size + 1);
    data.lengths.forEach((length, text) => (this.wordStarts[text + 1] = this.wordStarts[text] + length));
    this.slices = Object.fromEntries(Object.entries(items.slices ?? {}).map(([name, members]) => [name, markPlaces(members, size)]));
    this.nodes = data.nodes ? { ...data.nodes, starts: countStarts(this.size, sumDistances(data.nodes.text)) } : null;
    /** False if the files contain no words, only places. */
    this.hasWords = this.ofItems || data.vocabulary.some(Boolean);
    /** Texts in small letters, as they are asked for. @type {string[]} */
    this.small = new Array(this.size);
    /** Words by identifier, as they are asked for. @type {Map<string, string> | undefined} */
    this.mentions = undefined;
    this.layers = data.layers.map((layer, side) => this.#layer(layer, data.layers[0], side));
  }

  #layer(layer, gold, side) {
    const labels = layer.labels || gold.labels;
    if (layer.heads) {
      const heads = side ? fillColumn(layer.heads, Int32Array.from(gold.heads)) : Int32Array.from(layer.heads);
      const relations = side ? fillColumn(layer.relations, Int32Array.from(gold.relations)) : Int32Array.from(layer.relations);
      return { side: layer.side, labels, heads, relations };
    }
    const text = sumDistances(layer.text);
    const kinds = layer.kinds || this.kinds;
    return { ...layer, labels, kinds, text, starts: countStarts(this.size, text) };
  }

  /** The words of a text. @param {number} text */
  words(text) {
    /** @type {string[]} */
    const words = [];
    for (let place = this.wordStarts[text]; place < this.wordStarts[text + 1]; place += 1) words.push(this.data.vocabulary[this.data.words[place]]);
    return words;
  }

  /** A text in small letters, to search in. */
  lowered(text) {
    return (this.small[text] ??= [...(this.ofItems ? [this.data.ids[text]] : []), ...this.words(text), ...this.valuesIn(text)].join(" ").toLowerCase());
  }

  /** The values of a record, gold's first. @param {number} text @returns {string[]} */
  valuesIn(text) {
    const found = new Set();
    for (const value of this.cells ? [this.cells.gold, ...this.cells.value] : []) {
      for (let item = this.itemStarts[text]; item < this.itemStarts[text + 1]; item += 1) found.add(value(item));
    }
    found.delete(null);
    return [...found];
  }

  /** The annotators who rated one of these items, by number. @param {number[]} items @returns {number[]} */
  raters(items) {
    return [...this.systems.keys()].filter((system) => items.some((item) => this.answers[system][item] !== NONE));
  }

  /** The most frequent labels that the others gave to an item if an annotator gave another one. @param {number} item @param {number} system @returns {number[]} */
  confusedWith(item, system) {
    const own = this.answers[system][item];
    /** @type {Map<number, number>} */
    const counts = new Map();
    this.answers.forEach((answers, other) => {
      if (other !== system && answers[item] !== NONE) counts.set(answers[item], (counts.get(answers[item]) ?? 0) + 1);
    });
    const most = Math.max(0, ...counts.values());
    if (own === NONE || !most || counts.get(own) === most) return [];
    return [...counts.keys()].filter((code) => counts.get(code) === most);
  }

  /** The place of an item's first word among all words. */
  place(item) {
    return this.wordStarts[this.text[item]] + this.begin[item];
  }

  /** The words of an item. */
  itemWords(item) {
    const first = this.place(item);
    return Array.from({ length: this.length[item] }, (_, place) => this.data.vocabulary[this.data.words[first + place]]).join(" ");
  }

  /** The kind of change from system a to b as a place in KINDS; NONE if neither has the item. */
  change(item, a, b) {
    if (this.owner[item] !== NONE && this.outcome[a][item] === NONE && this.outcome[b][item] === NONE) return NONE;
    const different = this.alike[a][item] !== this.alike[b][item];
    const [wrongA, wrongB] = [this.wrong[a][item], this.wrong[b][item]];
    if (!different) return wrongA ? 4 : 3;
    return wrongB ? (wrongA ? 2 : 1) : wrongA ? 0 : 3;
  }

  /** The empty nodes of a text in order: {behind: the number of words before it, id}. */
  between(text) {
    const found = [];
    for (let row = this.nodes?.starts[text] ?? 0; row < (this.nodes?.starts[text + 1] ?? 0); row += 1) found.push({ behind: this.nodes.behind[row], id: this.nodes.ids[this.nodes.id[row]] });
    return found;
  }

  /** The spans of a layer in a text. @param {number} side @param {number} text */
  spans(side, text) {
    const layer = this.layers[side];
    /** @type {Span[]} */
    const found = [];
    for (let row = layer.starts[text]; row < layer.starts[text + 1]; row += 1) {
      const begin = layer.begin[row];
      const end = begin + layer.length[row];
      const kind = layer.kind && layer.kind[row] !== NONE ? layer.kinds[layer.kind[row]] : "";
      const first = layer.head?.[row] ?? -3;
      const head = first < 0 ? first : [first, first + (layer.head_length?.[row] ?? 1)];
      const item = (layer.item?.[row] ?? NONE) === NONE ? NONE : this.itemStarts[text] + layer.item[row];
      found.push({ begin, end, label: layer.labels[layer.label[row]] ?? "", kind, stretches: layer.stretches[row] || [[begin, end]], row, head, item, undirected: layer.undirected?.[row] === 1 });
    }
    return found;
  }

  /** The arcs of a layer in a text, word by word; a head below 0: -1 root, -2 elsewhere, -3 missing. @param {number} side @param {number} text */
  arcs(side, text) {
    const layer = this.layers[side];
    /** @type {{head: number, relation: string}[]} */
    const found = [];
    for (let place = this.wordStarts[text]; place < this.wordStarts[text + 1]; place += 1) {
      found.push({ head: layer.heads[place], relation: layer.labels[layer.relations[place]] ?? "" });
    }
    return found;
  }

  /** The words that an identifier is most often the link of: in gold, or if it is not there, in systems; empty if there are none. @param {string} name */
  mentionOf(name) {
    this.mentions ??= this.#countMentions();
    return this.mentions.get(name) ?? "";
  }

  #countMentions() {
    /** @type {Map<string, string>} */
    const found = new Map();
    for (const columns of [[this.gold], this.answers]) {
      /** @type {Map<string, Map<string, number>>} */
      const counts = new Map();
      for (const codes of columns) {
        codes.forEach((code, item) => {
          const [name, words] = [code === NONE ? "NIL" : this.labels[code].split(" ")[0], this.itemWords(item)];
          if (name === "NIL" || !words || found.has(name)) return;
          const ofName = counts.get(name) ?? new Map();
          counts.set(name, ofName.set(words, (ofName.get(words) ?? 0) + 1));
        });
      }
      for (const [name, words] of counts) found.set(name, [...words].reduce((most, one) => (one[1] > most[1] ? one : most))[0]);
    }
    return found;
  }

  /** A label by its code. @param {number} code @returns {string} */
  label(code) {
    return code === NONE ? this.nothing : this.labels[code];
  }

  /** The metadata of an item: keys and values. @param {number} text @returns {[string, string][]} */
  factsOf(text) {
    return Object.entries(this.data.facts ?? {}).map(([key, codes]) => [key, this.data.values[codes[text]] ?? ""]);
  }
}
