// Words as columns: how wide texts are, where columns stand, and a sheet to draw on that also runs right to left.
import { shape } from "./dom.js";

const FAMILY = "system-ui, sans-serif";
export const FONTS = { word: `15px ${FAMILY}`, label: `12px ${FAMILY}`, strong: `600 12px ${FAMILY}` };
const WIDEST = 190;
const GAP = 14;
const KNOWN_WIDTHS = new Map();
let ruler = null;
let fontOfRuler = "";

/** How wide a text will be; works before anything is laid out. */
export function widthOf(text, font) {
  const key = `${font}\n${text}`;
  let width = KNOWN_WIDTHS.get(key);
  if (width === undefined) {
    ruler ??= document.createElement("canvas").getContext("2d");
    // Setting the font is what takes time.
    if (ruler && fontOfRuler !== font) ruler.font = fontOfRuler = font;
    width = ruler ? ruler.measureText(text).width : text.length * 7.5;
    if (KNOWN_WIDTHS.size > 20000) KNOWN_WIDTHS.clear();
    KNOWN_WIDTHS.set(key, width);
  }
  return width;
}

/** A text cut with an ellipsis where it is too wide. @returns {{shown: string, width: number, cut: boolean}} */
export function fitted(text, font, most = WIDEST) {
  const width = widthOf(text, font);
  if (width <= most) return { shown: text, width, cut: false };
  const marks = Array.from(text);
  let size = Math.min(marks.length, Math.max(1, Math.floor((marks.length * most) / width)));
  while (size > 1 && widthOf(`${marks.slice(0, size).join("")}…`, font) > most) size -= Math.max(1, Math.floor(size / 20));
  const shown = `${marks.slice(0, size).join("")}…`;
  return { shown, width: widthOf(shown, font), cut: true };
}

/** Whether most letters of some words run from right to left. */
export function runsLeft(words) {
  let balance = 0;
  for (const word of words) {
    if (/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]|\ud802|\ud803|\ud83a/.test(word)) balance += 1;
    else if (/\p{L}/u.test(word)) balance -= 1;
  }
  return balance > 0;
}

/** Words that stay when agreeing stretches are folded: those that matter and a neighbour; short stretches stay too. */
export function keptWords(size, matters) {
  const kept = new Array(size).fill(false);
  for (const word of matters) for (let near = word - 1; near <= word + 1; near += 1) if (near >= 0 && near < size) kept[near] = true;
  for (let word = 0; word < size; ) {
    let end = word;
    while (end < size && kept[end] === kept[word]) end += 1;
    if (!kept[word] && end - word < 3) kept.fill(true, word, end);
    word = end;
  }
  return kept;
}

/** Columns for words, and one for each folded stretch, as wide as what stands in them asks for. */
export class Columns {
  /** @param {string[]} words @param {boolean[] | null} kept which words are shown; null: all */
  constructor(words, kept) {
    this.cells = [];
    this.cellOf = new Int32Array(words.length);
    for (let word = 0; word < words.length; word += 1) {
      const folded = kept !== null && !kept[word];
      const last = this.cells[this.cells.length - 1];
      if (folded && last && last.folded) last.end = word + 1;
      else this.cells.push({ begin: word, end: word + 1, folded });
      this.cellOf[word] = this.cells.length - 1;
    }
    for (const cell of this.cells) this.#dress(cell, words);
    this.demands = [];
    this.folded = this.cells.reduce((sum, cell) => sum + (cell.folded ? cell.end - cell.begin : 0), 0);
  }

  #dress(cell, words) {
    const text = words.slice(cell.begin, cell.end).join(" ");
    if (cell.folded) {
      const number = cell.end - cell.begin;
      Object.assign(cell, { shown: `⋯ ${number} ⋯`, title: `${number} words folded, in which all agree: ${text}` });
      cell.width = widthOf(cell.shown, FONTS.label) + 4;
      return;
    }
    const { shown, width, cut } = fitted(text === "" ? "∅" : text, FONTS.word);
    Object.assign(cell, { shown, title: cut ? text : "", width: Math.max(width, 10) });
  }

  /** Ask for room in the column of a word. */
  widen(word, width) {
    const cell = this.cells[this.cellOf[word]];
    if (!cell.folded) cell.width = Math.max(cell.width, width);
  }

  /** Ask that the columns of words begin … end - 1 be so wide together. */
  widenAcross(begin, end, width) {
    const [first, last] = [this.cellOf[begin], this.cellOf[end - 1]];
    if (first === last) this.cells[first].width = Math.max(this.cells[first].width, width);
    else this.demands.push({ first, last, width, edges: true });
  }

  /** Ask that the middles of two words be so far apart. */
  part(one, other, width) {
    const [first, last] = [this.cellOf[one], this.cellOf[other]];
    if (first !== last) this.demands.push({ first: Math.min(first, last), last: Math.max(first, last), width, edges: false });
  }

  /** Give every column its place. */
  lay() {
    const gaps = this.cells.map(() => GAP);
    this.demands.sort((one, other) => one.last - one.first - (other.last - other.first));
    for (const { first, last, width, edges } of this.demands) {
      let room = edges ? this.cells[first].width : this.cells[first].width / 2;
      for (let cell = first + 1; cell <= last; cell += 1) room += gaps[cell] + this.cells[cell].width;
      if (!edges) room -= this.cells[last].width / 2;
      const more = (width - room) / (last - first);
      if (more > 0) for (let cell = first + 1; cell <= last; cell += 1) gaps[cell] += more;
    }
    let place = 0;
    this.cells.forEach((cell, index) => {
      cell.left = place + (index ? gaps[index] : 0);
      place = cell.left + cell.width;
      cell.middle = (cell.left + place) / 2;
    });
    this.width = place;
    return this;
  }

  isFolded(word) {
    return this.cells[this.cellOf[word]].folded;
  }

  /** Whether nothing of a stretch is to be seen but a fold. */
  hides(begin, end) {
    return this.cellOf[begin] === this.cellOf[end - 1] && this.isFolded(begin);
  }

  middle(word) {
    return this.cells[this.cellOf[word]].middle;
  }

  left(word) {
    return this.cells[this.cellOf[word]].left;
  }

  right(word) {
    const cell = this.cells[this.cellOf[word]];
    return cell.left + cell.width;
  }
}

/** A sheet of columns; places across are given in reading direction and mirrored where a text runs right to left. */
export class Sheet {
  constructor(width, mirrored) {
    this.width = width;
    this.mirrored = mirrored;
    this.node = shape("g", {});
  }

  x(place) {
    return round(this.mirrored ? this.width - place : place);
  }

  /** Draw the following on a group. */
  group(attributes, draw) {
    const outer = this.node;
    this.node = shape("g", attributes);
    draw();
    outer.append(this.node);
    this.node = outer;
  }

  add(tag, attributes, ...children) {
    const node = shape(tag, attributes, ...children);
    this.node.append(node);
    return node;
  }

  text(place, down, content, kind, { anchor = "middle", title = "" } = {}) {
    const turned = this.mirrored ? { start: "end", end: "start", middle: "middle" }[anchor] : anchor;
    const children = title ? [content, shape("title", {}, title)] : [content];
    return this.add("text", { class: kind, x: this.x(place), y: round(down), "text-anchor": turned }, ...children);
  }

  box(left, right, top, height, kind, attributes = {}) {
    const [from, to] = [this.x(left), this.x(right)];
    return this.add("rect", { class: kind, x: Math.min(from, to), y: round(top), width: round(Math.abs(to - from)), height, ...attributes });
  }

  /** A line through points, each [across, down]. */
  line(points, kind, attributes = {}) {
    return this.add("path", { class: kind, d: points.map(([across, down], index) => `${index ? "L" : "M"}${this.x(across)} ${round(down)}`).join(""), ...attributes });
  }
}

function round(number) {
  return Math.round(number * 10) / 10;
}

/** For stretches that may overlap a level each, inner ones first, so that no two on a level overlap. */
export function levels(ranges) {
  const order = ranges.map((_, index) => index).sort((one, other) => ranges[one].end - ranges[one].begin - (ranges[other].end - ranges[other].begin) || other - one);
  const found = new Array(ranges.length).fill(0);
  order.forEach((index, done) => {
    const { begin, end } = ranges[index];
    for (let before = 0; before < done; before += 1) {
      const other = ranges[order[before]];
      if (other.begin < end && begin < other.end) found[index] = Math.max(found[index], found[order[before]] + 1);
    }
  });
  return found;
}
