// Spans with heads: the rows of each side over words and empty nodes, with states and notes on errors; and
// predicates with their arguments, under the words a row for each predicate.
import { NONE } from "./data.js";
import { BAR, LANE, askRoom, drawBar, keptForSpans } from "./lanes.js";
import { FONTS, RUNNING, fitText, widthOf } from "./lines.js";
import { plural } from "./numbers.js";
import { MARKS, itemAttributes, stateOf } from "./scene.js";
/**
 * @import { Line, Sheet } from "./lines.js"
 * @import { Scene } from "./scene.js"
 */

const ROOT = -1;
const ELSEWHERE = -2;
const FRAME_GAP = 6;
const KIND_TITLES = { bes: "BEs", bel: "BEl", beo: "BEo" };

/**
 * The columns of a text, words and empty nodes, and the rows of each side over them, with the rows of gold that the side lacks.
 * A row has `head`: [begin, end], or a number below 0, `notes`: the error in words, and `moved`: true if its place is not gold's.
 * @param {Scene} scene
 */
export function headedSides(scene) {
  const places = columnsOf(scene);
  const gold = rowsOf(scene, places, 0);
  const ofItem = new Map(gold.filter((row) => row.item !== NONE).map((row) => [row.item, row]));
  const sides = scene.sides.map((side) => ({ side, rows: rowsOf(scene, places, side.number) }));
  const keys = sides.map(({ rows }) => new Set(rows.map(headedKey)));
  const ofGold = new Set(gold.map(headedKey));
  for (const { side, rows } of sides) {
    const [having, taken] = [new Set(rows.map((row) => row.item)), new Set(rows.map(headedPlace))];
    for (const row of rows) {
      const wrong = side.number > 0 && row.item !== NONE && scene.texts.wrong[side.system][row.item] === 1;
      const agreed = !wrong && keys.every((known) => known.has(headedKey(row)));
      row.state = stateOf(scene, side, { same: ofGold.has(headedKey(row)), wrong, agreed });
      noteOn(scene, row, wrong ? ofItem.get(row.item) : null);
    }
    const lacking = side.number ? gold.filter((row) => (row.item === NONE ? !taken.has(headedPlace(row)) : !having.has(row.item))) : [];
    for (const row of lacking) {
      const state = row.item !== NONE && scene.texts.wrong[side.system][row.item] ? "missing" : "unfound";
      scene.used.add(state);
      rows.push({ ...row, state, notes: () => "", moved: true });
    }
    for (const row of rows) dress(scene, row);
  }
  return { places, sides };
}

/** Words and empty nodes in order: their names, the column of each, and which are nodes. */
function columnsOf({ texts, text, words }) {
  const nodes = texts.between(text).map((node, number) => ({ ...node, place: words.length + number }));
  const order = [...words.map((_, place) => ({ place, behind: place + 1, node: 0 })), ...nodes.map((one) => ({ ...one, node: 1 }))].sort((one, other) => one.behind - other.behind || one.node - other.node || one.place - other.place);
  const at = new Int32Array(order.length);
  order.forEach((one, column) => (at[one.place] = column));
  return { names: order.map((one) => (one.node ? one.id : words[one.place])), isNode: order.map((one) => one.node === 1), at, numbers: order.map((one) => (one.node ? one.id : String(one.place + 1))) };
}

function rowsOf({ texts, text }, { at }, side) {
  const moved = ([begin, end]) => [at[begin], at[end - 1] + 1];
  return texts.spans(side, text).map((row) => {
    const stretches = row.stretches.map(moved);
    const [begin, end] = [stretches[0][0], Math.max(...stretches.map((stretch) => stretch[1]))];
    return { ...row, begin, end, stretches, head: row.head < 0 ? row.head : moved(row.head) };
  });
}

function headedPlace({ stretches, head }) {
  return `${stretches.join(";")} ${head}`;
}

function headedKey(row) {
  return `${headedPlace(row)} ${row.label}`;
}

/** Note the error of a row that is matched with one of gold: gold's label, and the outcome if the label does not show it. @param {Scene} scene */
function noteOn(scene, row, gold) {
  row.moved = !gold || headedPlace(gold) !== headedPlace(row);
  const notes = gold && gold.label !== row.label ? [gold.label || "·"] : [];
  const kinds = [];
  if (gold && row.kind && (row.moved || !notes.length)) {
    scene.kinds.add(row.kind);
    kinds.push(KIND_TITLES[row.kind] ?? (row.kind.length > 3 ? row.kind : row.kind.toUpperCase()));
  }
  row.notes = (short) => (kinds.length || notes.length ? ` (${[...kinds, ...notes.map((label) => `not ${short(label)}`)].join(", ")})` : "");
}

/** @param {Scene} scene */
function dress(scene, row) {
  const describe = (short) => `${MARKS[row.state]}${short(row.label) || "·"}${row.head === ELSEWHERE ? ", head elsewhere" : ""}${row.notes(short)}`;
  row.name = scene.short(row.label);
  row.text = describe(scene.short);
  row.title = describe((label) => label);
  row.width = widthOf(row.text, FONTS.strong) + 10;
}

/** A label with its head, which is on another line. */
export function withHead(text, head) {
  return `${text} ← ${fitText(head, FONTS.strong, 80).shown}`;
}

/** Rows as a text table: a row for each place and head, a column for each side. */
export function headedTable({ names, numbers }, sides, header) {
  const wordsAt = ([begin, end]) => `${names.slice(begin, end).join(" ")} (${numbers[begin]}${end - begin > 1 ? `–${numbers[end - 1]}` : ""})`;
  const rows = new Map();
  sides.forEach(({ rows: sideRows }, column) => {
    for (const row of sideRows) {
      const key = headedPlace(row);
      if (!rows.has(key)) rows.set(key, { row, cells: sides.map(() => []) });
      rows.get(key).cells[column].push(row.title.trim());
    }
  });
  const first = ({ head, begin }) => (Array.isArray(head) ? head[0] : begin);
  const byHead = header[0] === "Head";
  const sorted = [...rows.values()].sort(({ row: one }, { row: other }) => (byHead ? first(one) - first(other) || Number(Array.isArray(one.head)) - Number(Array.isArray(other.head)) : 0) || one.begin - other.begin || one.end - other.end);
  return {
    header: [...header, ...sides.map(({ side }) => side.heading)],
    rows: sorted.map(({ row, cells }) => {
      const head = Array.isArray(row.head) ? wordsAt(row.head) : row.head === ROOT ? "root" : row.head === ELSEWHERE ? "elsewhere" : "";
      const words = row.stretches.map(wordsAt).join(" … ");
      return { item: row.item, at: row.begin, cells: [...(byHead ? [head || words, head ? words : ""] : [words, head]), ...cells.map((cell) => cell.join(", "))] };
    }),
  };
}

// --- predicates and arguments ---

/** A row for each head: the head itself in bold, what belongs to it as bars. @param {Scene} scene */
export function frameBands(scene) {
  const { places, sides } = headedSides(scene);
  const bands = sides.map(({ side, rows }) => ({ side, spans: rows, frames: framesOf(rows) }));
  const differing = new Set(bands.flatMap(({ frames }) => frames.filter((frame) => frame.rows.some((row) => row.state !== "shared")).map((frame) => frame.head)));
  const folded = scene.view.fold && differing.size > 0;
  const all = new Set(bands.flatMap(({ frames }) => frames.map((frame) => frame.head)));
  if (folded) for (const band of bands) band.frames = band.frames.filter((frame) => differing.has(frame.head));
  if (folded && all.size > differing.size) scene.notes.push(`folded: ${plural(all.size - differing.size, "more predicate")}, on which all sides agree`);
  const kept = scene.view.fold ? keptForSpans(places.names.length, bands.map((band) => ({ spans: band.frames.flatMap(withHeads) }))) : null;
  return {
    words: places.names,
    kept,
    gap: RUNNING,
    bands,
    prepare: (line, band) => {
      const frames = band.frames.map((frame) => prepareFrame(line, frame, places.names)).filter(Boolean);
      return { frames, differs: frames.some(({ pieces }) => pieces.some((piece) => piece.state !== "shared")), below: frames.reduce((sum, frame) => sum + frame.lanes * LANE + FRAME_GAP, 0) };
    },
    draw: (sheet, line, { frames }, _, down) => {
      for (const frame of frames) {
        drawFrame(scene, sheet, line, frame, down);
        down += frame.lanes * LANE + FRAME_GAP;
      }
    },
    table: headedTable(places, sides, ["Head", "Words"]),
  };
}

/** Rows by their heads, in the order of these. */
function framesOf(rows) {
  const found = new Map();
  for (const row of rows) {
    const head = Array.isArray(row.head) ? row.head : [row.begin, row.end];
    if (!found.has(String(head))) found.set(String(head), { head: String(head), place: head, rows: [] });
    found.get(String(head)).rows.push(row);
  }
  return [...found.values()].sort((one, other) => one.place[0] - other.place[0] || one.place[1] - other.place[1]);
}

/** The rows of a frame, with its head if something differs. */
function withHeads({ place, rows }) {
  return rows.some((row) => row.state !== "shared") ? [...rows, { state: "plain", stretches: [place] }] : rows;
}

/** The pieces of a frame that are on a line, each with its lane; null if there are none. @param {Line} line */
function prepareFrame(line, { place, rows }, names) {
  const pieces = line.pieces(rows).map((piece) => ({ ...piece, pivot: !Array.isArray(piece.head) }));
  if (!pieces.length) return null;
  // In the first lane that has room, the head before all others; lines between pieces may cross other bars.
  const lanes = [];
  for (const piece of pieces.sort((one, other) => other.pivot - one.pivot || one.begin - other.begin)) {
    const cells = piece.stretches.flatMap(([begin, end]) => Array.from({ length: line.at(end - 1) - line.at(begin) + 1 }, (_, cell) => line.at(begin) + cell));
    const free = lanes.findIndex((taken) => !cells.some((cell) => taken.has(cell)));
    piece.level = free < 0 ? lanes.length : free;
    lanes[piece.level] = new Set([...(lanes[piece.level] ?? []), ...cells]);
    if (!piece.pivot && !line.holds(place[0])) piece.text = withHead(piece.text, names.slice(...place).join(" "));
    piece.width = widthOf(piece.text, FONTS.strong) * (piece.pivot ? 1.08 : 1) + 10;
    askRoom(line, piece);
  }
  return { pieces: pieces.sort((one, other) => one.pivot - other.pivot || other.stretches.length - one.stretches.length), lanes: lanes.length, place };
}

/** @param {Scene} scene @param {Sheet} sheet @param {Line} line */
function drawFrame(scene, sheet, line, { place, pieces }, top) {
  const [from, to] = [Math.min(...pieces.map((piece) => line.left(piece.begin))), Math.max(...pieces.map((piece) => line.right(piece.end - 1)))];
  sheet.line([[place[0] < line.begin ? 0 : from, top + BAR / 2], [place[1] > line.end ? sheet.width : to, top + BAR / 2]], "thread");
  for (const piece of pieces) {
    const down = top + piece.level * LANE;
    if (!piece.pivot) drawBar(scene, sheet, line, piece, down);
    else {
      sheet.group(itemAttributes(scene, piece.item, `pivot ${piece.state}`), () => {
        sheet.box(line.left(piece.begin) - 2, line.right(piece.end - 1) + 2, down, BAR, `frame ${piece.state}`, { rx: 2 });
        sheet.text((line.left(piece.begin) + line.right(piece.end - 1)) / 2, down + 14, piece.text, `label ${piece.state}`, piece.title === piece.text ? "" : piece.title);
      });
    }
  }
}
