// Dependencies and graphs: a band of arcs for each side, above the words; overlapping arcs have different heights.
import { NONE } from "./data.js";
import { Columns, FONTS, Sheet, fitted, keptWords, levels, widthOf } from "./columns.js";
import { headedSides, headedTable } from "./heads.js";
import { drawBar, widest } from "./lanes.js";
import { MARKS, itemAttributes, itemsByWord, restOfWords, stateOf } from "./scene.js";
import { wordRow } from "./tagrows.js";

const STEP = 19;
const PORT = 8;
const WORD_ROOM = 26;
const ABOVE = 14;
const CORNER = 6;
const BAR_LANE = 24;
const LABEL_EVERY = 600;
const STUBS = { [-1]: "root", [-2]: "head elsewhere", [-3]: "missing" };

/** Dependencies as arcs above the words. */
export function arcBands(scene) {
  const items = itemsByWord(scene);
  restOfWords(scene);
  const bands = scene.sides.map((side) => ({ side, arcs: arcsOf(scene, side, items), bars: [] }));
  return { ...paint(scene, bands, { names: scene.words, isNode: [] }), table: arcTable(scene, bands) };
}

/** Spans with heads: arcs above the words from the heads, and what has none as bars below. */
export function graphBands(scene) {
  const { places, sides } = headedSides(scene);
  const bands = sides.map(({ side, rows }) => ({
    side,
    bars: rows.filter((row) => row.head === -3),
    arcs: rows.filter((row) => row.head !== -3).map((row) => ({ ...row, word: middle(row), head: Array.isArray(row.head) ? middle({ begin: row.head[0], end: row.head[1] }) : row.head, ends: [[row.begin, row.end], row.head], label: row.text, title: row.title === row.text ? "" : row.title })),
  }));
  return { ...paint(scene, bands, places), table: headedTable(places, sides, ["Words", "Head"]) };
}

function middle({ begin, end }) {
  return (begin + end - 1) >> 1;
}

/** Bands of arcs over words, with bars below. */
function paint(scene, bands, { names, isNode }) {
  const columns = new Columns(names, scene.view.fold ? keptForArcs(names.length, bands) : null);
  for (const band of bands) prepare(band, columns);
  columns.lay();
  const sheet = new Sheet(columns.width, scene.mirrored);
  let top = 0;
  for (const band of bands) {
    const lanes = Math.max(0, ...band.bars.map((bar) => bar.level + 1));
    band.top = top;
    band.height = ABOVE + band.height * STEP + WORD_ROOM + 10;
    band.base = top + band.height - WORD_ROOM - 4;
    band.text = band.base + 18;
    drawBand(scene, sheet, columns, band);
    drawWords(sheet, columns, band, isNode);
    for (const bar of band.bars) drawBar(scene, sheet, columns, bar, band.base + WORD_ROOM + bar.level * BAR_LANE);
    band.height += lanes * BAR_LANE;
    top += band.height;
  }
  return { sheet, columns, bands, height: top + 2 };
}

/** The words; what stands between them only where arcs of the band lead to it, in a box, dotted if all of these are missing. */
function drawWords(sheet, columns, band, isNode) {
  const touched = new Set();
  const there = new Set();
  for (const arc of [...band.drawn, ...band.stubs]) {
    for (const cell of arc.head < 0 ? [columns.cellOf[arc.word]] : [arc.begin, arc.end]) {
      touched.add(cell);
      if (arc.state !== "missing" && arc.state !== "unfound") there.add(cell);
    }
  }
  const words = columns.cells.filter((cell) => cell.folded || !isNode[cell.begin]);
  wordRow(sheet, { cells: words }, band.base + 18);
  columns.cells.forEach((cell, index) => {
    if (words.includes(cell) || !touched.has(index)) return;
    sheet.box(cell.left - 3, cell.left + cell.width + 3, band.base + 3, 20, there.has(index) ? "between" : "between missing", { rx: 3 });
    sheet.text(cell.middle, band.base + 17.5, cell.shown, "between-id");
  });
  // Ends of several words are held together by a line.
  const several = new Set([...band.drawn, ...band.stubs].flatMap((arc) => arc.ends ?? []).filter((end) => Array.isArray(end) && end[1] - end[0] > 1).map(String));
  for (const end of several) {
    const [begin, stop] = end.split(",").map(Number);
    sheet.line([[columns.left(begin), band.base + 2], [columns.right(stop - 1), band.base + 2]], "hold");
  }
}

/** The arcs of a side with their states, one per word. */
function arcsOf(scene, side, items) {
  const gold = scene.texts.arcs(0, scene.text);
  const all = scene.sides.map((one) => scene.texts.arcs(one.number, scene.text));
  return scene.texts.arcs(side.number, scene.text).map((arc, word) => {
    const item = items[word];
    const same = alikeArcs(arc, gold[word]);
    const agreed = all.every((arcs) => alikeArcs(arcs[word], gold[word]));
    const wrong = side.number > 0 && item !== NONE && scene.texts.wrong[side.system][item] === 1;
    const state = stateOf(scene, side, { same, agreed: agreed && !wrong, wrong });
    return dressed({ word, item, state, head: insideHead(arc.head, gold.length), relation: arc.relation || "_", moved: arc.head !== gold[word].head });
  });
}

/** A head that is no word of the sentence is elsewhere. */
function insideHead(head, size) {
  return head >= size || head < -3 ? -2 : head;
}

function alikeArcs(one, other) {
  return one.head === other.head && one.relation === other.relation;
}

/** What differs stays, with its heads. */
function keptForArcs(size, bands) {
  const matters = new Set();
  for (const { arcs, bars } of bands) {
    for (const arc of arcs) {
      if (arc.state !== "shared") {
        matters.add(arc.word);
        if (arc.head >= 0) matters.add(arc.head);
      }
    }
    for (const bar of bars) if (bar.state !== "shared") matters.add(bar.begin).add(bar.end - 1);
  }
  return keptWords(size, matters);
}

/** Heights and places of attachment, and the room that labels need; places are counted in columns, since words may be folded. */
function prepare(band, columns) {
  const shown = band.arcs.filter((arc) => !columns.isFolded(arc.word));
  band.stubs = shown.filter((arc) => arc.head < 0);
  band.drawn = shown.filter((arc) => arc.head >= 0);
  for (const arc of shown) arc.width = widthOf(arc.label, FONTS.strong) + 6;
  for (const arc of band.drawn) {
    const ends = [columns.cellOf[arc.word], columns.cellOf[arc.head]].sort((one, other) => one - other);
    [arc.begin, arc.end] = ends;
  }
  // A loop is as wide as its word, below the arcs that begin or end there.
  const ranges = band.drawn.map(({ begin, end }) => (begin === end ? { begin: begin - 0.1, end: end + 0.1 } : { begin, end }));
  levels(ranges).forEach((level, index) => (band.drawn[index].level = level + 1));
  band.height = Math.max(0, ...band.drawn.map((arc) => arc.level)) + (band.stubs.length ? stubLanes(band.stubs) : 0);
  attach(band, columns);
  for (const arc of band.drawn) {
    const [from, to] = arc.word < arc.head ? [arc.word, arc.head] : [arc.head, arc.word];
    if (from === to) columns.widen(from, 2 * (arc.ports[0] + arc.width + 4));
    else columns.part(from, to, arc.width + 2 * CORNER + 4 - arc.ports[1] + arc.ports[0]);
  }
  for (const arc of band.stubs) columns.widen(arc.word, arc.width + 4 + 2 * Math.abs(arc.port));
  band.bars = band.bars.filter((bar) => bar.state !== "shared" || !columns.hides(bar.begin, bar.end));
  levels(band.bars).forEach((level, index) => (band.bars[index].level = level));
  for (const bar of band.bars) columns.widenAcross(...widest(bar.stretches), bar.width);
}

/** Labels of stubs of one word stand below each other. */
function stubLanes(stubs) {
  const number = new Map();
  for (const stub of stubs) number.set(stub.word, (stub.lane = number.get(stub.word) ?? 0) + 1);
  return Math.max(...number.values());
}

/** An arc of a tree with what is written on it. */
function dressed(arc) {
  const stub = STUBS[arc.head];
  const name = stub === undefined ? arc.relation : arc.relation === stub || arc.relation === "_" ? stub : `${stub}: ${arc.relation}`;
  const { shown, cut } = fitted(name, FONTS.strong, 120);
  arc.label = `${MARKS[arc.state]}${shown}`;
  arc.title = cut ? name : "";
  return arc;
}

/** Where arcs touch their words: to the left the shortest outermost, to the right the shortest outermost, so that none cross needlessly. */
function attach(band, columns) {
  const at = new Map();
  const put = (cell, end) => at.set(cell, [...(at.get(cell) ?? []), end]);
  for (const arc of band.drawn) {
    arc.ports = [0, 0];
    const loop = arc.begin === arc.end;
    put(arc.begin, { arc, which: 0, order: loop ? 0.1 + arc.level / 1000 : 2 - arc.level / 1000 });
    put(arc.end, { arc, which: 1, order: loop ? 1 - arc.level / 1000 : -2 + arc.level / 1000 });
  }
  for (const arc of band.stubs) put(columns.cellOf[arc.word], { arc: { ports: [0, 0] }, which: 0, order: 0, stub: arc });
  for (const [cell, ends] of at) {
    ends.sort((one, other) => one.order - other.order);
    ends.forEach((end, index) => {
      const offset = (index - (ends.length - 1) / 2) * PORT;
      if (end.stub) end.stub.port = offset;
      else end.arc.ports[end.which] = offset;
    });
    columns.cells[cell].width = Math.max(columns.cells[cell].width, ends.length * PORT);
  }
}

function drawBand(scene, sheet, columns, band) {
  const legs = band.drawn.flatMap((arc) => placed(arc, band, columns));
  for (const arc of band.stubs) legs.push({ across: columns.middle(arc.word) + arc.port, top: band.top, arc });
  for (const arc of [...band.drawn, ...band.stubs].sort((one, other) => rank(one) - rank(other))) {
    sheet.group(itemAttributes(scene, arc.item, `arc ${arc.state}${arc.moved ? " moved" : ""}`), () => (arc.head < 0 ? drawStub(sheet, columns, band, arc) : drawArc(sheet, band, arc)));
  }
  for (const arc of band.drawn) labelArc(scene, sheet, band, arc, legs);
}

/** What is faint lies beneath the rest. */
function rank(arc) {
  return arc.state === "shared" ? 0 : 1;
}

function placed(arc, band, columns) {
  arc.from = columns.cells[arc.begin].middle + arc.ports[0];
  arc.to = columns.cells[arc.end].middle + arc.ports[1];
  arc.down = band.base - arc.level * STEP;
  return [arc.from, arc.to].map((across) => ({ across, top: arc.down, arc }));
}

function drawArc(sheet, band, { from, to, down: height, word, head, state, undirected }) {
  const tip = word < head ? from : to;
  // A loop is a small ring below its label.
  const down = word === head ? height + 8 : height;
  const [left, right] = [sheet.x(from), sheet.x(to)];
  const inward = Math.sign(right - left) * Math.min(CORNER, Math.abs(right - left) / 2);
  const curve = `M${left} ${band.base - 2}V${down + CORNER}Q${left} ${down} ${left + inward} ${down}H${right - inward}Q${right} ${down} ${right} ${down + CORNER}V${band.base - 2}`;
  sheet.add("path", { class: `edge ${state}`, d: curve });
  if (!undirected) drawTip(sheet, tip, band.base, state);
}

function drawTip(sheet, across, base, state) {
  const x = sheet.x(across);
  sheet.add("path", { class: `tip ${state}`, d: `M${x - 3.5} ${base - 6}h7l-3.5 6.5z` });
}

function drawStub(sheet, columns, band, arc) {
  const across = columns.middle(arc.word) + arc.port;
  const top = band.top + ABOVE + 4 + (arc.lane ?? 0) * STEP;
  sheet.line([[across, top + 6], [across, band.base - 2]], arc.head === -3 ? "edge missing" : `edge ${arc.state}`);
  if (arc.head === -1) drawTip(sheet, across, band.base, arc.state);
  if (arc.lane) sheet.box(across - arc.width / 2, across + arc.width / 2, top - 9, 13, "halo");
  sheet.text(across, top + 1, arc.label, `label ${arc.state}`, { title: arc.title });
}

/** Labels on an arc, beside the legs of arcs that cross it; a long arc has several, so that one is always in view. */
function labelArc(scene, sheet, band, arc, legs) {
  if (arc.word === arc.head) {
    drawLabel(scene, sheet, arc, arc.from - 4 + arc.width / 2, 0);
    return;
  }
  const crossing = legs.filter((leg) => leg.arc !== arc && leg.top < arc.down && leg.across > arc.from && leg.across < arc.to).map((leg) => leg.across).sort((one, other) => one - other);
  const times = Math.max(1, Math.round((arc.to - arc.from) / LABEL_EVERY));
  const length = (arc.to - arc.from - 2 * CORNER) / times;
  for (let time = 0; time < times; time += 1) {
    const from = arc.from + CORNER + time * length;
    const across = freePlace(from, from + length, arc.width / 2, crossing.filter((place) => place > from && place < from + length));
    drawLabel(scene, sheet, arc, across, time);
  }
}

function drawLabel(scene, sheet, arc, across, time) {
  const half = arc.width / 2;
  sheet.group(itemAttributes(scene, arc.item, `arc-label ${arc.state}${time ? " again" : ""}`), () => {
    sheet.box(across - half, across + half, arc.down - 8, 16, "halo");
    if (!arc.moved && arc.state !== "shared" && arc.state !== "plain" && arc.state !== "right") sheet.box(across - half, across + half, arc.down - 8, 16, `frame ${arc.state}`, { rx: 3 });
    sheet.text(across, arc.down + 4, arc.label, `label ${arc.state}`, { title: arc.title });
  });
}

/** The middle of the stretch between obstacles that is nearest to the middle and wide enough; else the middle. */
function freePlace(from, to, half, obstacles) {
  const middle = (from + to) / 2;
  let best = null;
  const edges = [from, ...obstacles, to];
  for (let index = 1; index < edges.length; index += 1) {
    const [left, right] = [edges[index - 1] + half + (index > 1 ? 3 : 0), edges[index] - half - (index < edges.length - 1 ? 3 : 0)];
    if (left > right + 0.5) continue;
    const place = Math.min(Math.max(middle, left), Math.max(right, left));
    if (best === null || Math.abs(place - middle) < Math.abs(best - middle)) best = place;
  }
  return best ?? middle;
}

function arcTable(scene, bands) {
  const told = (arc) => `${MARKS[arc.state]}${arc.head < 0 ? STUBS[arc.head] : `${scene.words[arc.head]} (${arc.head + 1})`} ${arc.relation}`;
  return {
    header: ["", "Word", ...bands.map((band) => `${band.side.heading}: head and relation`)],
    rows: scene.words.map((word, place) => ({ item: bands[0]?.arcs[place].item, cells: [String(place + 1), word, ...bands.map((band) => told(band.arcs[place]))] })),
  };
}
