// Predicates with their arguments: under the words a row for each predicate, side by side; pieces of one argument are joined by a thin line.
import { Columns, FONTS, Sheet, widthOf } from "./columns.js";
import { headedSides, headedTable } from "./heads.js";
import { drawBar, keptForSpans, widest } from "./lanes.js";
import { itemAttributes } from "./scene.js";
import { wordRow } from "./tagrows.js";

const FRAME_LANE = 24;
const FRAME_TOP = 30;
const FRAME_BAR = 19;
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
  const columns = new Columns(places.names, kept);
  for (const { frames } of bands) for (const frame of frames) prepareFrame(frame, columns);
  columns.lay();
  const sheet = new Sheet(columns.width, scene.mirrored);
  wordRow(sheet, columns, 20);
  let top = FRAME_TOP;
  for (const band of bands) {
    const height = Math.max(FRAME_LANE, band.frames.reduce((sum, frame) => sum + frame.lanes * FRAME_LANE + FRAME_GAP, 0)) + 10;
    Object.assign(band, { top, height, text: top + 20 });
    let down = top + 6;
    for (const frame of band.frames) {
      drawFrame(scene, sheet, columns, frame, down);
      down += frame.lanes * FRAME_LANE + FRAME_GAP;
    }
    top += height;
  }
  return { sheet, columns, bands, height: top + 2, table: headedTable(places, sides, ["Head", "Words"]) };
}

/** Rows by their heads, in the order of these. */
function framesOf(rows) {
  const found = new Map();
  for (const row of rows) {
    const own = Array.isArray(row.head) ? row.head : [row.begin, row.end];
    if (!found.has(String(own))) found.set(String(own), { head: String(own), place: own, rows: [], pivots: [] });
    const frame = found.get(String(own));
    frame.rows.push(row);
    if (!Array.isArray(row.head)) frame.pivots.push(row);
  }
  return [...found.values()].sort((one, other) => one.place[0] - other.place[0] || one.place[1] - other.place[1]);
}

/** What differs in a frame, and its head beside it. */
function withHeads({ place, rows }) {
  return rows.some((row) => row.state !== "shared") ? [...rows, { state: "plain", stretches: [place] }] : rows;
}

function prepareFrame(frame, columns) {
  frame.drawn = frame.rows.filter((row) => row.state !== "shared" || !columns.hides(row.begin, row.end));
  // In the first lane that has room, the head before all others; lines between pieces may run behind other bars.
  const lanes = [];
  for (const row of [...frame.drawn].sort((one, other) => frame.pivots.includes(other) - frame.pivots.includes(one) || one.begin - other.begin)) {
    const cells = row.stretches.flatMap(([begin, end]) => Array.from({ length: columns.cellOf[end - 1] - columns.cellOf[begin] + 1 }, (_, place) => columns.cellOf[begin] + place));
    const free = lanes.findIndex((taken) => !cells.some((cell) => taken.has(cell)));
    row.level = free < 0 ? lanes.length : free;
    lanes[row.level] = new Set([...(lanes[row.level] ?? []), ...cells]);
  }
  frame.lanes = Math.max(1, lanes.length);
  frame.drawn.sort((one, other) => frame.pivots.includes(one) - frame.pivots.includes(other) || other.stretches.length - one.stretches.length);
  for (const row of frame.drawn) {
    if (frame.pivots.includes(row)) row.width = widthOf(row.text, FONTS.strong) * 1.08 + 10;
    columns.widenAcross(...widest(row.stretches), row.width);
  }
}

function drawFrame(scene, sheet, columns, frame, top) {
  const [from, to] = [Math.min(frame.place[0], ...frame.drawn.map((row) => row.begin)), Math.max(frame.place[1], ...frame.drawn.map((row) => row.end))];
  sheet.line([[columns.left(from), top + FRAME_BAR / 2], [columns.right(to - 1), top + FRAME_BAR / 2]], "thread");
  for (const row of frame.drawn) {
    if (!frame.pivots.includes(row)) drawBar(scene, sheet, columns, row, top + row.level * FRAME_LANE);
    else {
      const down = top + row.level * FRAME_LANE;
      sheet.group(itemAttributes(scene, row.item, `pivot ${row.state}`), () => {
        sheet.box(columns.left(row.begin) - 2, columns.right(row.end - 1) + 2, down, FRAME_BAR, `frame ${row.state}`, { rx: 2 });
        sheet.text((columns.left(row.begin) + columns.right(row.end - 1)) / 2, down + 14, row.text, `label ${row.state}`, { title: row.title === row.text ? "" : row.title });
      });
    }
  }
}
