// Spans: under running text a lane for each level of nesting; stretches of one span are joined by a thin line.
import { NONE } from "./data.js";
import { FONTS, RUNNING, fitText, keptWords, levels, widthOf } from "./lines.js";
import { MARKS, itemAttributes, stateOf } from "./scene.js";
/**
 * @import { Span } from "./data.js"
 * @import { Line, Sheet } from "./lines.js"
 * @import { Scene, Side } from "./scene.js"
 */

export const BAR = 19;
export const LANE = 23;
const NO_LABEL_NOTE = "·: no label";
const TITLES = { tp: "", same: "", "same-span": "", unscored: "", right: "", bes: "BEs", bel: "BEl", beo: "BEo", ungrounded: "UG", spurious: "spurious", missing: "missing", forgiven: "forgiven", unasked: "unasked" };

/** Spans as bars in lanes under the words. @param {Scene} scene */
export function laneBands(scene, bands = spanSides(scene)) {
  return {
    words: scene.words,
    kept: scene.view.fold ? keptForSpans(scene.words.length, bands) : null,
    gap: RUNNING,
    bands,
    prepare: (line, band) => lanesOf(line, band.spans),
    draw: (sheet, line, { pieces }, _, down) => drawLanes(scene, sheet, line, pieces, down),
    table: spanTable(scene, bands),
  };
}

/** The spans of each side shown, with their items and states; spans that a side lacks are added as missing. @param {Scene} scene */
export function spanSides(scene) {
  const found = scene.sides.map((side) => ({ side, spans: scene.texts.spans(side.number, scene.text).filter((span) => isDrawable(scene, side, span)) }));
  const keys = found.map(({ spans }) => new Set(spans.map(keyOf)));
  const ofGold = new Set(scene.texts.spans(0, scene.text).map(keyOf));
  for (const { side, spans } of found) {
    const items = new SpanItems(scene, side);
    for (const span of spans) {
      span.item = items.take(span);
      const judged = side.number > 0 && span.item !== NONE ? scene.texts.wrong[side.system][span.item] === 1 : TITLES[span.kind] !== "" && span.kind !== "";
      const agreed = !judged && keys.every((known) => known.has(keyOf(span)));
      span.state = stateOf(scene, side, { same: ofGold.has(keyOf(span)) || span.kind === "unscored", wrong: side.number > 0 && judged, agreed });
    }
    if (side.number) spans.push(...items.missing(spans));
    for (const span of spans) dressSpan(scene, span);
  }
  return found;
}

/** @param {Span} span */
export function keyOf(span) {
  return `${span.stretches.join(";")} ${span.label}`;
}

/** @param {Scene} scene @param {Side} side @param {Span} span */
export function isDrawable(scene, side, span) {
  if (span.end > span.begin) return true;
  scene.rest.push(`${side.name}: ${span.label || "span"} without words, before word ${span.begin + 1}`);
  return false;
}

/** Finds the item of each span of a side. */
export class SpanItems {
  constructor(scene, side) {
    this.scene = scene;
    this.side = side;
    this.free = [];
    for (let item = scene.first; item < scene.end; item += 1) {
      const outcome = side.number ? this.#outcome(item) : "";
      if (scene.texts.owner[item] === NONE || (side.number && outcome !== "")) this.free.push({ item, outcome, ...this.#place(item) });
    }
  }

  #outcome(item) {
    const { texts } = this.scene;
    const code = texts.outcome[this.side.system] ? texts.outcome[this.side.system][item] : NONE;
    return code === NONE ? "" : texts.kinds[code];
  }

  #place(item) {
    const { texts } = this.scene;
    const begin = texts.begin[item];
    const end = begin + texts.length[item];
    const system = texts.owner[item] !== NONE;
    const code = system ? texts.answers[this.side.system]?.[item] : texts.gold[item];
    return { begin, end, system, stretches: texts.stretches[item] || [[begin, end]], label: code === NONE || code === undefined ? "" : texts.labels[code] };
  }

  /** The item of a span: the same span with the same outcome, or one with that outcome that it overlaps. */
  take(span) {
    const fits = this.side.number ? (one) => one.outcome === span.kind : () => true;
    const same = (one) => String(one.stretches) === String(span.stretches);
    const named = (one) => same(one) && one.label === span.label;
    const crosses = (one) => this.side.number > 0 && one.begin < span.end && span.begin < one.end;
    for (const test of [named, same, crosses]) {
      const place = this.free.findIndex((one) => fits(one) && test(one) && !(test !== named && one.outcome === "tp" && !same(one)));
      if (place >= 0) return this.free.splice(place, 1)[0].item;
    }
    return NONE;
  }

  /** Gold's items without a span on this side. */
  missing(spans) {
    const has = new Set(spans.map((span) => span.item));
    const { texts } = this.scene;
    return this.free
      .filter((one) => !one.system && !has.has(one.item) && texts.wrong[this.side.system][one.item] && one.end > one.begin)
      .map((one) => {
        this.scene.used.add("missing");
        return { ...one, kind: one.outcome, state: "missing", row: NONE, head: -3, undirected: false };
      });
  }
}

/** What is written on a span. @param {Scene} scene @param {Span} span */
export function dressSpan(scene, span) {
  if (span.kind) scene.kinds.add(span.kind);
  if (!span.label && !scene.notes.includes(NO_LABEL_NOTE)) scene.notes.push(NO_LABEL_NOTE);
  const kind = TITLES[span.kind] ?? (span.kind.length > 3 ? span.kind : span.kind.toUpperCase());
  const bare = span.label === "" || span.label === "·";
  const describe = (label) => `${MARKS[span.state]}${[bare && kind ? "" : label, kind].filter(Boolean).join(" ")}`;
  span.name = scene.short(span.label);
  span.text = describe(span.name || "·");
  span.title = describe(span.label || "·");
  span.width = widthOf(span.text, FONTS.strong) + 10;
}

/** What differs stays: short spans as a whole, of long ones the ends. */
export function keptForSpans(size, bands) {
  const matters = new Set();
  for (const span of bands.flatMap((band) => band.spans)) {
    if (span.state === "shared") continue;
    for (const [begin, end] of span.stretches) for (let word = begin; word < end; word += 1) if (end - begin <= 6 || word === begin || word === end - 1) matters.add(word);
  }
  return keptWords(size, matters);
}

/** The pieces of spans that are on a line, each with a lane, inner ones first, and room for its label. @param {Line} line @param {Span[]} spans */
export function lanesOf(line, spans) {
  const pieces = line.pieces(spans);
  levels(pieces).forEach((level, index) => (pieces[index].level = level));
  for (const piece of pieces) askRoom(line, piece);
  return { pieces, differs: pieces.some((piece) => piece.state !== "shared"), below: LANE * Math.max(0, ...pieces.map((piece) => piece.level + 1)) };
}

/** Ask a line for the room of a label; if no line is wide enough, what follows the label is cut. @param {Line} line @param {Span} piece */
export function askRoom(line, piece) {
  if (piece.width > line.room) {
    const { shown, width } = fitText(piece.text, FONTS.strong, Math.max(line.room - 10, widthOf(`${MARKS[piece.state]}${piece.name}…`, FONTS.strong)));
    Object.assign(piece, { text: shown, width: width + 10 });
  }
  line.widenAcross(...widest(piece.stretches), piece.width);
}

/** @param {Scene} scene @param {Sheet} sheet @param {Line} line @param {Span[]} pieces */
export function drawLanes(scene, sheet, line, pieces, down) {
  for (const piece of pieces) drawBar(scene, sheet, line, piece, down + piece.level * LANE);
}

/** The stretch that carries the label. */
function widest(stretches) {
  return stretches.reduce((best, one) => (one[1] - one[0] > best[1] - best[0] ? one : best));
}

/** A piece of a span as a bar, or several that a line joins; what goes on in another line is open there. `look`: further classes, `about`: further attributes. @param {Scene} scene @param {Sheet} sheet @param {Line} line @param {Span} span */
export function drawBar(scene, sheet, line, span, top) {
  const [begins, ends] = span.cut;
  sheet.group({ ...itemAttributes(scene, span.item, `span ${span.state}${span.look ?? ""}`), ...span.about }, () => {
    // What is cut between two stretches is joined to the edge.
    const [before, behind] = [begins && span.begin > line.begin, ends && span.end < line.end];
    if (span.stretches.length > 1 || before || behind) sheet.line([[before ? 0 : line.left(span.begin), top + BAR / 2], [behind ? sheet.width : line.right(span.end - 1), top + BAR / 2]], `join ${span.state}`);
    for (const [begin, end] of span.stretches) sheet.bar(line.left(begin) - 2, line.right(end - 1) + 2, top, BAR, `bar ${span.state}`, [begins && begin === line.begin, ends && end === line.end]);
    const [begin, end] = widest(span.stretches);
    sheet.text((line.left(begin) + line.right(end - 1)) / 2, top + 14, span.text, `label ${span.state}`, span.title === span.text ? "" : span.title);
  });
}

/** Spans as a text table: a row for each place, a column for each side. @param {Scene} scene */
export function spanTable(scene, bands) {
  const rows = new Map();
  bands.forEach(({ spans }, column) => {
    for (const span of spans) {
      const key = String(span.stretches);
      if (!rows.has(key)) rows.set(key, { item: span.item, span, cells: bands.map(() => []) });
      rows.get(key).cells[column].push(span.title.trim() || "·");
    }
  });
  const sorted = [...rows.values()].sort((one, other) => one.span.begin - other.span.begin || other.span.end - one.span.end);
  return {
    header: ["Words", "Text", ...bands.map(({ side }) => side.heading)],
    rows: sorted.map(({ item, span, cells }) => ({ item, at: span.begin, cells: [placesOf(span), wordsOf(scene, span), ...cells.map((cell) => cell.join(", "))] })),
  };
}

function placesOf({ stretches }) {
  return stretches.map(([begin, end]) => (end - begin > 1 ? `${begin + 1}–${end}` : `${begin + 1}`)).join(", ");
}

/** @param {Scene} scene */
export function wordsOf(scene, { stretches }) {
  return stretches.map(([begin, end]) => scene.words.slice(begin, end).join(" ")).join(" … ");
}
