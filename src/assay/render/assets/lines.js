// Words in lines: widths of texts, line breaks, places of words, and a sheet to draw on, also from right to left.
import { shape } from "./dom.js";

const FAMILY = "system-ui, sans-serif";
export const FONTS = { word: `15px ${FAMILY}`, label: `12px ${FAMILY}`, strong: `600 12px ${FAMILY}` };
const WIDEST = 190;
export const APART = 14;
export const RUNNING = 6;
const CLOSING = /^[.,;:!?…)\]}»”’。、，]+$/u;
const KNOWN_WIDTHS = new Map();
/** @type {CanvasRenderingContext2D | null} */
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

/** A text, cut with an ellipsis if it is too wide. @returns {{shown: string, width: number, cut: boolean}} */
export function fitText(text, font, most = WIDEST) {
  const width = widthOf(text, font);
  if (width <= most) return { shown: text, width, cut: false };
  const marks = Array.from(text);
  let size = Math.min(marks.length, Math.max(1, Math.floor((marks.length * most) / width)));
  while (size > 1 && widthOf(`${marks.slice(0, size).join("")}…`, font) > most) size -= Math.max(1, Math.floor(size / 20));
  const shown = `${marks.slice(0, size).join("")}…`;
  return { shown, width: widthOf(shown, font), cut: true };
}

/** True if most words are written from right to left. */
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

/**
 * A word on a line, or a folded stretch of words.
 * @typedef {{begin: number, end: number, folded: boolean, shown: string, title: string, width: number, left: number, middle: number}} Cell
 */

/** Words, and one cell for each folded stretch. @param {string[]} words @param {boolean[] | null} kept */
function cellsOf(words, kept) {
  /** @type {Cell[]} */
  const cells = [];
  for (let word = 0; word < words.length; word += 1) {
    const [folded, last] = [kept !== null && !kept[word], cells.at(-1)];
    if (folded && last?.folded) last.end = word + 1;
    else cells.push({ begin: word, end: word + 1, folded, shown: "", title: "", width: 0, left: 0, middle: 0 });
  }
  for (const cell of cells) {
    const text = words.slice(cell.begin, cell.end).join(" ");
    if (cell.folded) {
      const number = cell.end - cell.begin;
      const shown = `⋯ ${number} ⋯`;
      Object.assign(cell, { shown, title: `${number} folded words, on which all sides agree: ${text}`, width: widthOf(shown, FONTS.label) + 4 });
    } else {
      const { shown, width, cut } = fitText(text === "" ? "∅" : text, FONTS.word);
      Object.assign(cell, { shown, title: cut ? text : "", width: Math.max(width, 10) });
    }
  }
  return cells;
}

/**
 * The lines that words are broken into, none wider than `room` unless a single word is, one after the other.
 * kept: which words are shown, null for all; gap: the least room between words; prepare(line): what will be drawn on a line, after asking the line for the room that it needs; from: the first word; apart: from this number on, folded words are a line of their own, `between` others.
 */
export function* linesOf(words, { kept, gap, room, prepare, from = 0, apart = Infinity }) {
  const cells = cellsOf(words, kept);
  const cellOf = new Int32Array(words.length);
  cells.forEach((cell, index) => cellOf.fill(index, cell.begin, cell.end));
  const isBetween = (cell) => cell.folded && cell.end - cell.begin >= apart;
  for (let first = words.length ? cellOf[from] : 0; first < cells.length; ) {
    if (isBetween(cells[first])) {
      yield Object.assign(new Line(cells, cellOf, first, first + 1, { gap, room }), { between: true });
      first += 1;
      continue;
    }
    let [end, width] = [first, -gap];
    while (end < cells.length && !isBetween(cells[end]) && (width += gap + cells[end].width) <= room) end += 1;
    for (;;) {
      end = Math.max(end, first + 1);
      const line = new Line(cells, cellOf, first, end, { gap, room });
      line.parts = prepare(line);
      line.lay();
      const fits = line.width <= room;
      // No line begins with a full stop.
      if (end === first + 1 || (fits && !(end > first + 2 && CLOSING.test(cells[end]?.shown)))) {
        yield line;
        first = end;
        break;
      }
      // What asks for room may be gone with the words that no longer fit.
      end = fits ? end - 1 : Math.min(end - 1, first + line.cells.filter((cell) => cell.left + cell.width <= room).length);
    }
  }
}

/** Some words on a line; words are known by their places in the text. */
export class Line {
  /** @param {Cell[]} cells @param {Int32Array} cellOf @param {number} first @param {number} end @param {{gap: number, room: number}} sizes */
  constructor(cells, cellOf, first, end, { gap, room }) {
    this.all = cells;
    this.cellOf = cellOf;
    this.first = first;
    this.gap = gap;
    this.room = room;
    this.cells = cells.slice(first, end).map((cell) => ({ ...cell }));
    this.begin = this.cells[0].begin;
    this.end = this.cells[this.cells.length - 1].end;
    /** @type {{first: number, last: number, width: number, edges: boolean}[]} */
    this.demands = [];
    /** @type {{first: number, last: number, width: number}[]} */
    this.margins = [];
    this.width = 0;
    /** True if it is one folded stretch, long enough to be left out. */
    this.between = false;
    /** What is drawn on the line, a part for each side. @type {any[]} */
    this.parts = [];
  }

  holds(word) {
    return word >= this.begin && word < this.end;
  }

  /** The place of a word among the cells of the line; -1 if it is on an earlier line, their number if it is on a later one. */
  at(word) {
    return word < this.begin ? -1 : word >= this.end ? this.cells.length : this.cellOf[word] - this.first;
  }

  /** True if a word, on this line or another, is folded. */
  isFolded(word) {
    return this.all[this.cellOf[word]].folded;
  }

  /** The pieces of spans on this line, without those in a fold. `cut`: whether the span continues before the line, and after it. */
  pieces(spans) {
    return spans.flatMap((span) => {
      if (span.end <= this.begin || span.begin >= this.end) return [];
      if (span.state === "shared" && this.isFolded(span.begin) && this.cellOf[span.begin] === this.cellOf[span.end - 1]) return [];
      const stretches = span.stretches.filter(([begin, end]) => end > this.begin && begin < this.end).map(([begin, end]) => [Math.max(begin, this.begin), Math.min(end, this.end)]);
      if (!stretches.length) return [];
      return [{ ...span, stretches, begin: stretches[0][0], end: Math.max(...stretches.map((stretch) => stretch[1])), cut: [span.begin < this.begin, span.end > this.end] }];
    });
  }

  /** What lies at least between the middles of two cells, or of one and the edge. */
  least(first, last) {
    let width = 0;
    for (let cell = Math.max(first, 0); cell <= Math.min(last, this.cells.length - 1); cell += 1) width += this.cells[cell].width * (cell === first || cell === last ? 0.5 : 1) + this.gap;
    return width - this.gap;
  }

  /** Ask for room in the cell of a word. */
  widen(word, width) {
    const cell = this.cells[this.at(word)];
    if (!cell.folded) cell.width = Math.max(cell.width, width);
  }

  /** Ask for room across the words begin … end - 1. */
  widenAcross(begin, end, width) {
    const [first, last] = [this.at(begin), this.at(end - 1)];
    if (first === last) this.cells[first].width = Math.max(this.cells[first].width, width);
    else this.demands.push({ first, last, width, edges: true });
  }

  /** Ask for a distance between the middles of two cells; the edges of the line are before the first cell and after the last. */
  part(first, last, width) {
    if (first < 0 || last === this.cells.length) this.margins.push({ first, last, width });
    else if (first !== last) this.demands.push({ first, last, width, edges: false });
  }

  /** Give every cell its place. */
  lay() {
    const { cells } = this;
    const gaps = cells.map((_, index) => (index ? this.gap : 0));
    this.demands.sort((one, other) => one.last - one.first - (other.last - other.first));
    for (const { first, last, width, edges } of this.demands) {
      let room = edges ? cells[first].width : cells[first].width / 2;
      for (let cell = first + 1; cell <= last; cell += 1) room += gaps[cell] + cells[cell].width;
      if (!edges) room -= cells[last].width / 2;
      const more = (width - room) / (last - first);
      if (more > 0) for (let cell = first + 1; cell <= last; cell += 1) gaps[cell] += more;
    }
    const place = () => {
      let left = 0;
      cells.forEach((cell, index) => {
        cell.left = left + gaps[index];
        left = cell.left + cell.width;
        cell.middle = (cell.left + left) / 2;
      });
      return left;
    };
    place();
    gaps[0] = Math.max(0, ...this.margins.map(({ first, last, width }) => (first < 0 ? width - cells[last].middle : 0)));
    this.width = place();
    this.width = Math.max(this.width, ...this.margins.map(({ first, width }) => (first < 0 ? 0 : cells[first].middle + width)));
  }

  middle(word) {
    return this.cells[this.at(word)].middle;
  }

  left(word) {
    return this.cells[this.at(word)].left;
  }

  right(word) {
    const cell = this.cells[this.at(word)];
    return cell.left + cell.width;
  }
}

/** A sheet for one line; places across are given in reading direction and mirrored if a text runs from right to left. */
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

  /** A text around a place, with a title if it is cut. */
  text(place, down, content, kind, title = "") {
    return this.add("text", { class: kind, x: this.x(place), y: round(down), "text-anchor": "middle" }, content, title ? shape("title", {}, title) : null);
  }

  /** The words of a line, as one text that can be selected. */
  words(cells, down, hidden = false) {
    const parts = cells.flatMap(({ middle, shown, title, folded }) => [shape("tspan", { class: folded ? "fold" : "word", x: this.x(middle) }, shown, title ? shape("title", {}, title) : null), " "]);
    return this.add("text", { class: "words", y: round(down), "text-anchor": "middle", "aria-hidden": hidden ? "true" : null }, ...parts);
  }

  box(left, right, top, height, kind, attributes = {}) {
    const [from, to] = [this.x(left), this.x(right)];
    return this.add("rect", { class: kind, x: Math.min(from, to), y: round(top), width: round(Math.abs(to - from)), height, ...attributes });
  }

  /** A bar with round corners, open if it continues: [at its beginning, at its end]. */
  bar(left, right, top, height, kind, open) {
    if (!open[0] && !open[1]) return this.box(left, right, top, height, kind, { rx: 5 });
    this.box(left, right, top, height, `${kind} open`);
    const [from, to] = (open[0] ? [right, left] : [left, right]).map((place) => this.x(place));
    const corner = Math.sign(to - from) * 5;
    const [above, below] = [round(top), round(top + height)];
    const edges = open[0] && open[1] ? `M${to} ${above}H${from}M${from} ${below}H${to}` : `M${to} ${above}H${from + corner}q${-corner} 0 ${-corner} 5V${below - 5}q0 5 ${corner} 5H${to}`;
    return this.add("path", { class: `${kind} edges`, d: edges });
  }

  /** A line through points, each [across, down]. */
  line(points, kind) {
    return this.add("path", { class: kind, d: points.map(([across, down], index) => `${index ? "L" : "M"}${this.x(across)} ${round(down)}`).join("") });
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
