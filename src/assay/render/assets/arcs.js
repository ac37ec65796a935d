// Dependencies and graphs: a band of arcs for each side, above the words; overlapping arcs have different heights.
import { NONE } from "./data.js";
import { APART, FONTS, fitText, keptWords, levels, widthOf } from "./lines.js";
import { headedSides, headedTable, withHead } from "./heads.js";
import { drawLanes, lanesOf } from "./lanes.js";
import { MARKS, itemAttributes, itemsByWord, restOfWords, stateOf } from "./scene.js";
/**
 * @import { Line, Sheet } from "./lines.js"
 * @import { Scene, Side } from "./scene.js"
 */

const STEP = 19;
const PORT = 8;
const ABOVE = 14;
const CORNER = 6;
const WIDEST_HALF = 110;
const STUBS = { [-1]: "root", [-2]: "head elsewhere", [-3]: "missing" };

/** Dependencies as arcs above the words. @param {Scene} scene */
export function arcBands(scene) {
  const items = itemsByWord(scene);
  restOfWords(scene);
  const bands = scene.sides.map((side) => ({ side, arcs: arcsOf(scene, side, items), bars: [] }));
  return { ...arcLines(scene, bands, { names: scene.words, isNode: [] }), table: arcTable(scene, bands) };
}

/** Spans with heads: arcs above the words from the heads, and what has none as bars below. @param {Scene} scene */
export function graphBands(scene) {
  const { places, sides } = headedSides(scene);
  const bands = sides.map(({ side, rows }) => ({
    side,
    bars: rows.filter((row) => row.head === -3),
    arcs: rows.filter((row) => row.head !== -3).map((row) => ({ ...row, word: middleOf(row), head: Array.isArray(row.head) ? middleOf({ begin: row.head[0], end: row.head[1] }) : row.head, ends: [[row.begin, row.end], row.head], label: row.text, title: row.title === row.text ? "" : row.title })),
  }));
  return { ...arcLines(scene, bands, places), table: headedTable(places, sides, ["Words", "Head"]) };
}

function middleOf({ begin, end }) {
  return (begin + end - 1) >> 1;
}

/** Arcs over words, with bars below. An arc to another line ends at the edge, with the name of its head; arcs that lead away from a word are drawn as one line. @param {Scene} scene */
function arcLines(scene, bands, { names, isNode }) {
  return {
    words: names,
    isNode,
    kept: scene.view.fold ? keptForArcs(names.length, bands) : null,
    gap: APART,
    over: true,
    bands,
    prepare: (line, band) => prepareArcs(line, band, names),
    draw: (sheet, line, part, up, down) => {
      drawBand(scene, sheet, line, part, up);
      drawEnds(sheet, line, part, isNode, up);
      drawLanes(scene, sheet, line, part.pieces, down);
    },
  };
}

/** Draw empty nodes to which arcs lead in a box, dotted if all these arcs are missing; a line joins the words of an end that has several. @param {Sheet} sheet @param {Line} line */
function drawEnds(sheet, line, { drawn, stubs }, isNode, base) {
  const [touched, there, several] = [new Set(), new Set(), new Set()];
  for (const arc of [...drawn, ...stubs]) {
    for (const word of arc.head < 0 ? [arc.word] : [arc.word, arc.head]) {
      if (!line.holds(word)) continue;
      touched.add(line.at(word));
      if (arc.state !== "missing" && arc.state !== "unfound") there.add(line.at(word));
    }
    for (const end of arc.ends ?? []) if (Array.isArray(end) && end[1] - end[0] > 1) several.add(String(end));
  }
  line.cells.forEach((cell, index) => {
    if (cell.folded || !isNode[cell.begin] || !touched.has(index)) return;
    sheet.box(cell.left - 3, cell.left + cell.width + 3, base + 3, 20, there.has(index) ? "between" : "between missing", { rx: 3 });
    sheet.text(cell.middle, base + 17.5, cell.shown, "between-id");
  });
  for (const held of several) {
    const [begin, end] = held.split(",").map(Number);
    const [from, to] = [Math.max(begin, line.begin), Math.min(end, line.end) - 1];
    if (from <= to) sheet.line([[line.left(from), base + 2], [line.right(to), base + 2]], "hold");
  }
}

/** The arcs of a side with their states, one per word. @param {Scene} scene @param {Side} side */
function arcsOf(scene, side, items) {
  const gold = scene.texts.arcs(0, scene.text);
  const all = scene.sides.map((one) => scene.texts.arcs(one.number, scene.text));
  return scene.texts.arcs(side.number, scene.text).map((arc, word) => {
    const item = items[word];
    const same = alikeArcs(arc, gold[word]);
    const agreed = all.every((arcs) => alikeArcs(arcs[word], gold[word]));
    const wrong = side.number > 0 && item !== NONE && scene.texts.wrong[side.system][item] === 1;
    const state = stateOf(scene, side, { same, agreed: agreed && !wrong, wrong });
    return dressArc(scene, { word, item, state, head: insideHead(arc.head, gold.length), relation: arc.relation || "_", moved: arc.head !== gold[word].head });
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

/** The arcs that end on a line, and what leads from its words to other lines, with heights and places of attachment. @param {Line} line */
function prepareArcs(line, { arcs, bars }, names) {
  const shown = arcs.filter((arc) => line.holds(arc.word) && !line.isFolded(arc.word)).map((arc) => ({ ...arc }));
  const stubs = shown.filter((arc) => arc.head < 0);
  const drawn = shown.filter((arc) => arc.head >= 0);
  for (const arc of drawn) if (!line.holds(arc.head)) arc.label = withHead(arc.label, names[arc.head]);
  const away = new Map();
  for (const { word, head, state } of arcs) {
    if (line.holds(word) || !line.holds(head) || line.isFolded(word) || line.isFolded(head)) continue;
    const key = `${head} ${word < head}`;
    if (!away.has(key)) away.set(key, { word, head, state: "shared", away: [] });
    away.get(key).away.push(names[word]);
    if (state !== "shared") away.get(key).state = "plain";
  }
  for (const bundle of away.values()) {
    const named = `→ ${bundle.away.join(", ")}`;
    const { shown: label, cut } = fitText(named, FONTS.strong, WIDEST_HALF);
    drawn.push({ ...bundle, label, title: cut ? named : "" });
  }
  for (const arc of [...stubs, ...drawn]) arc.width = widthOf(arc.label, FONTS.strong) + 6;
  for (const arc of drawn) [arc.begin, arc.end] = [line.at(arc.word), line.at(arc.head)].sort((one, other) => one - other);
  // A loop is as wide as its word, below the arcs that begin or end there. If the label of an arc to the edge is wider than the arc, nothing is drawn next to it.
  const most = line.room / 4;
  const ranges = drawn.map(({ begin, end, width }) => {
    if (begin === end) return { begin: begin - 0.1, end: end + 0.1 };
    const cramped = (begin < 0 || end === line.cells.length) && width > Math.max(most, line.least(begin, end));
    return cramped ? { begin: -1, end: line.cells.length } : { begin, end };
  });
  levels(ranges).forEach((level, index) => (drawn[index].level = level + 1));
  attachArcs(line, drawn, stubs);
  for (const arc of drawn) {
    if (arc.begin === arc.end) line.widen(arc.word, 2 * (arc.ports[0] + arc.width + 4));
    else {
      const edge = arc.begin < 0 || arc.end === line.cells.length;
      line.part(arc.begin, arc.end, Math.min(arc.width, edge ? most : Infinity) + 2 * CORNER + 4 - arc.ports[1] + arc.ports[0]);
    }
  }
  for (const arc of stubs) line.widen(arc.word, arc.width + 4 + 2 * Math.abs(arc.port));
  const height = Math.max(0, ...drawn.map((arc) => arc.level)) + (stubs.length ? stubLanes(stubs) : 0);
  const lanes = lanesOf(line, bars);
  return { ...lanes, drawn, stubs, above: ABOVE + height * STEP, differs: lanes.differs || [...drawn, ...stubs].some((arc) => arc.state !== "shared") };
}

/** Number of lanes for the labels of stubs: those of one word are drawn below each other. */
function stubLanes(stubs) {
  const number = new Map();
  for (const stub of stubs) number.set(stub.word, (stub.lane = number.get(stub.word) ?? 0) + 1);
  return Math.max(...number.values());
}

/** What is written on an arc: its relation, and what its head is if it is no word of the text. @param {{head: number, relation: string}} arc @param {(label: string) => string} short */
function nameArc({ head, relation }, short) {
  const stub = STUBS[head];
  return stub === undefined ? short(relation) : relation === stub || relation === "_" ? stub : `${stub}: ${short(relation)}`;
}

/** An arc of a tree with what is written on it. @param {Scene} scene */
function dressArc(scene, arc) {
  const [label, title] = [scene.short, (whole) => whole].map((short) => `${MARKS[arc.state]}${nameArc(arc, short)}`);
  Object.assign(arc, { label, title: title === label ? "" : title });
  return arc;
}

/** Where arcs touch their words: to the left the shortest outermost, to the right the shortest outermost, so that none cross needlessly. @param {Line} line */
function attachArcs(line, drawn, stubs) {
  const at = new Map();
  const put = (cell, end) => at.set(cell, [...(at.get(cell) ?? []), end]);
  for (const arc of drawn) {
    arc.ports = [0, 0];
    const loop = arc.begin === arc.end;
    put(arc.begin, { arc, which: 0, order: loop ? 0.1 + arc.level / 1000 : 2 - arc.level / 1000 });
    put(arc.end, { arc, which: 1, order: loop ? 1 - arc.level / 1000 : -2 + arc.level / 1000 });
  }
  for (const arc of stubs) put(line.at(arc.word), { arc: { ports: [0, 0] }, which: 0, order: 0, stub: arc });
  for (const [cell, ends] of at) {
    // At the edges nothing is attached.
    if (!line.cells[cell]) continue;
    ends.sort((one, other) => one.order - other.order);
    ends.forEach((end, index) => {
      const offset = (index - (ends.length - 1) / 2) * PORT;
      if (end.stub) end.stub.port = offset;
      else end.arc.ports[end.which] = offset;
    });
    line.cells[cell].width = Math.max(line.cells[cell].width, ends.length * PORT);
  }
}

/** @param {Scene} scene @param {Sheet} sheet @param {Line} line */
function drawBand(scene, sheet, line, { drawn, stubs, above }, base) {
  const legs = stubs.map((arc) => ({ across: line.middle(arc.word) + arc.port, top: base - above, arc }));
  for (const arc of drawn) {
    arc.from = arc.begin < 0 ? 0 : line.cells[arc.begin].middle + arc.ports[0];
    arc.to = arc.end === line.cells.length ? sheet.width : line.cells[arc.end].middle + arc.ports[1];
    arc.down = base - arc.level * STEP;
    if (arc.begin >= 0) legs.push({ across: arc.from, top: arc.down, arc });
    if (arc.end < line.cells.length) legs.push({ across: arc.to, top: arc.down, arc });
  }
  for (const arc of [...drawn, ...stubs].sort((one, other) => rankOf(one) - rankOf(other))) {
    const kind = arc.away ? `away ${arc.state}` : `arc ${arc.state}${arc.moved ? " moved" : ""}`;
    sheet.group(itemAttributes(scene, arc.item, kind), () => (arc.head < 0 ? drawStub(sheet, line, arc, base, above) : drawArc(sheet, line, arc, base)));
  }
  for (const arc of drawn) labelArc(scene, sheet, arc, legs);
}

/** What is faint lies beneath the rest. */
function rankOf(arc) {
  return arc.state === "shared" ? 0 : 1;
}

/** An arc; to another line it has one leg, and leads to the edge. @param {Sheet} sheet @param {Line} line */
function drawArc(sheet, line, { begin, end, from, to, down: height, word, head, state, undirected, away }, base) {
  // A loop is a small ring below its label.
  const down = word === head ? height + 8 : height;
  const [left, right] = [sheet.x(from), sheet.x(to)];
  const inward = Math.sign(right - left) * Math.min(CORNER, Math.abs(right - left) / 2);
  const rise = begin < 0 ? `M${left} ${down}` : `M${left} ${base - 2}V${down + CORNER}Q${left} ${down} ${left + inward} ${down}`;
  const fall = end === line.cells.length ? `H${right}` : `H${right - inward}Q${right} ${down} ${right} ${down + CORNER}V${base - 2}`;
  sheet.add("path", { class: `edge ${state}`, d: `${rise}${fall}` });
  if (!undirected && !away) drawTip(sheet, word < head ? from : to, base, state);
}

/** @param {Sheet} sheet */
function drawTip(sheet, across, base, state) {
  const x = sheet.x(across);
  sheet.add("path", { class: `tip ${state}`, d: `M${x - 3.5} ${base - 6}h7l-3.5 6.5z` });
}

/** @param {Sheet} sheet @param {Line} line */
function drawStub(sheet, line, arc, base, above) {
  const across = line.middle(arc.word) + arc.port;
  const top = base - above + ABOVE + 4 + (arc.lane ?? 0) * STEP;
  sheet.line([[across, top + 6], [across, base - 2]], arc.head === -3 ? "edge missing" : `edge ${arc.state}`);
  if (arc.head === -1) drawTip(sheet, across, base, arc.state);
  if (arc.lane) sheet.box(across - arc.width / 2, across + arc.width / 2, top - 9, 13, "halo");
  sheet.text(across, top + 1, arc.label, `label ${arc.state}`, arc.title);
}

/** Draw the label of an arc where no leg of another arc crosses it. @param {Scene} scene @param {Sheet} sheet */
function labelArc(scene, sheet, arc, legs) {
  if (arc.word === arc.head) {
    drawLabel(scene, sheet, arc, arc.from - 4 + arc.width / 2);
    return;
  }
  const crossing = legs.filter((leg) => leg.arc !== arc && leg.top < arc.down && leg.across > arc.from && leg.across < arc.to).map((leg) => leg.across).sort((one, other) => one - other);
  const place = freePlace(arc.from + CORNER, arc.to - CORNER, arc.width / 2, crossing);
  drawLabel(scene, sheet, arc, Math.max(arc.width / 2, Math.min(sheet.width - arc.width / 2, place)));
}

/** @param {Scene} scene @param {Sheet} sheet */
function drawLabel(scene, sheet, arc, across) {
  const half = arc.width / 2;
  sheet.group(itemAttributes(scene, arc.item, `${arc.away ? "away-label" : "arc-label"} ${arc.state}`), () => {
    sheet.box(across - half, across + half, arc.down - 8, 16, "halo");
    if (!arc.away && !arc.moved && arc.state !== "shared" && arc.state !== "plain" && arc.state !== "right") sheet.box(across - half, across + half, arc.down - 8, 16, `frame ${arc.state}`, { rx: 3 });
    sheet.text(across, arc.down + 4, arc.label, `label ${arc.state}`, arc.title);
  });
}

/** Place of a label: the middle, or the nearest stretch between obstacles that is wide enough. */
function freePlace(from, to, half, obstacles) {
  const middle = (from + to) / 2;
  /** @type {number | null} */
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

/** @param {Scene} scene */
function arcTable(scene, bands) {
  const describe = (arc) => `${MARKS[arc.state]}${arc.head < 0 ? STUBS[arc.head] : `${scene.words[arc.head]} (${arc.head + 1})`} ${arc.relation}`;
  return {
    header: ["", "Word", ...bands.map((band) => `${band.side.heading}: head and relation`)],
    rows: scene.words.map((word, place) => ({ item: bands[0]?.arcs[place].item, at: place, cells: [String(place + 1), word, ...bands.map((band) => describe(band.arcs[place]))] })),
  };
}
