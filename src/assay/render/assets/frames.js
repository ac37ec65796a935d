// Predicates with their arguments: under the words a row for each predicate, side by side; pieces of one argument are joined by a thin line.
import { FONTS, RUNNING, widthOf } from "./lines.js";
import { headedSides, headedTable, hungFrom } from "./heads.js";
import { BAR, LANE, drawBar, keptForSpans, widest } from "./lanes.js";
import { itemAttributes } from "./scene.js";

const FRAME_GAP = 6;

/** A row for each head: the head itself in bold, what belongs to it as bars. */
export function frameBands(scene) {
  const { places, sides } = headedSides(scene);
  const bands = sides.map(({ side, rows }) => ({ side, spans: rows, frames: framesOf(rows) }));
  const differing = new Set(bands.flatMap(({ frames }) => frames.filter((frame) => frame.rows.some((row) => row.state !== "shared")).map((frame) => frame.head)));
  const folded = scene.view.fold && differing.size > 0;
  const all = new Set(bands.flatMap(({ frames }) => frames.map((frame) => frame.head)));
  if (folded) for (const band of bands) band.frames = band.frames.filter((frame) => differing.has(frame.head));
  if (folded && all.size > differing.size) scene.notes.push(`folded: ${all.size - differing.size} more ${all.size - differing.size === 1 ? "predicate" : "predicates"}, in which all agree`);
  const kept = scene.view.fold ? keptForSpans({ words: places.names }, bands.map((band) => ({ spans: band.frames.flatMap(withHeads) }))) : null;
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
    const own = Array.isArray(row.head) ? row.head : [row.begin, row.end];
    if (!found.has(String(own))) found.set(String(own), { head: String(own), place: own, rows: [] });
    found.get(String(own)).rows.push(row);
  }
  return [...found.values()].sort((one, other) => one.place[0] - other.place[0] || one.place[1] - other.place[1]);
}

/** What differs in a frame, and its head beside it. */
function withHeads({ place, rows }) {
  return rows.some((row) => row.state !== "shared") ? [...rows, { state: "plain", stretches: [place] }] : rows;
}

/** What of a frame is on a line, each piece with its lane; null where nothing is. */
function prepareFrame(line, { place, rows }, names) {
  const pieces = line.pieces(rows).map((piece) => ({ ...piece, pivot: !Array.isArray(piece.head) }));
  if (!pieces.length) return null;
  // In the first lane that has room, the head before all others; lines between pieces may run behind other bars.
  const lanes = [];
  for (const piece of pieces.sort((one, other) => other.pivot - one.pivot || one.begin - other.begin)) {
    const cells = piece.stretches.flatMap(([begin, end]) => Array.from({ length: line.at(end - 1) - line.at(begin) + 1 }, (_, cell) => line.at(begin) + cell));
    const free = lanes.findIndex((taken) => !cells.some((cell) => taken.has(cell)));
    piece.level = free < 0 ? lanes.length : free;
    lanes[piece.level] = new Set([...(lanes[piece.level] ?? []), ...cells]);
    if (!piece.pivot && !line.holds(place[0])) piece.text = hungFrom(piece.text, names.slice(...place).join(" "));
    piece.width = widthOf(piece.text, FONTS.strong) * (piece.pivot ? 1.08 : 1) + 10;
    line.widenAcross(...widest(piece.stretches), piece.width);
  }
  return { pieces: pieces.sort((one, other) => one.pivot - other.pivot || other.stretches.length - one.stretches.length), lanes: lanes.length, place };
}

function drawFrame(scene, sheet, line, { place, pieces }, top) {
  const [from, to] = [Math.min(...pieces.map((piece) => line.left(piece.begin))), Math.max(...pieces.map((piece) => line.right(piece.end - 1)))];
  sheet.line([[place[0] < line.begin ? 0 : from, top + BAR / 2], [place[1] > line.end ? sheet.width : to, top + BAR / 2]], "thread");
  for (const piece of pieces) {
    const down = top + piece.level * LANE;
    if (!piece.pivot) drawBar(scene, sheet, line, piece, down);
    else {
      sheet.group(itemAttributes(scene, piece.item, `pivot ${piece.state}`), () => {
        sheet.box(line.left(piece.begin) - 2, line.right(piece.end - 1) + 2, down, BAR, `frame ${piece.state}`, { rx: 2 });
        sheet.text((line.left(piece.begin) + line.right(piece.end - 1)) / 2, down + 14, piece.text, `label ${piece.state}`, { title: piece.title === piece.text ? "" : piece.title });
      });
    }
  }
}
