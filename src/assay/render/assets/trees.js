// Constituents: a tree over the words for each side; brackets that a side lacks stand under its words.
import { Columns, Sheet, levels } from "./columns.js";
import { drawBar, keptForSpans, spanSides, spanTable, widest } from "./lanes.js";
import { itemAttributes } from "./scene.js";
import { wordRow } from "./tagrows.js";

const LEVEL = 26;
const TREE_WORDS = 26;
const GHOST_LANE = 24;

/** Constituents as trees over the words. */
export function treeBands(scene) {
  return treesOf(scene, spanSides(scene));
}

/** Trees of spans that are ready: what is `below` stands under the words, the rest is the tree. */
export function treesOf(scene, bands) {
  const columns = new Columns(scene.words, scene.view.fold ? keptForSpans(scene, bands) : null);
  for (const band of bands) prepareTree(band, columns);
  columns.lay();
  const sheet = new Sheet(columns.width, scene.mirrored);
  let top = 0;
  for (const band of bands) {
    const tall = Math.max(0, ...band.nodes.map((node) => node.level + 1));
    const base = top + 16 + tall * LEVEL;
    Object.assign(band, { top, base, text: base + 16, height: base - top + TREE_WORDS + band.lanes * GHOST_LANE + 8 });
    for (const node of band.nodes) node.down = base - (node.level + 0.75) * LEVEL;
    drawTree(scene, sheet, columns, band);
    wordRow(sheet, columns, base + 16);
    for (const span of band.below) drawBar(scene, sheet, columns, span, base + TREE_WORDS + span.level * GHOST_LANE);
    top += band.height;
  }
  return { sheet, columns, bands, height: top + 2, table: spanTable(scene, bands) };
}

function isBelow(span) {
  return span.state === "missing" || span.state === "unasked" || span.state === "unfound";
}

function prepareTree(band, columns) {
  const shown = band.spans.filter((span) => span.state !== "shared" || !columns.hides(span.begin, span.end));
  band.nodes = shown.filter((span) => !isBelow(span));
  band.below = shown.filter(isBelow);
  levels(band.nodes).forEach((level, index) => (band.nodes[index].level = level));
  levels(band.below).forEach((level, index) => (band.below[index].level = level));
  band.lanes = Math.max(0, ...band.below.map((span) => span.level + 1));
  for (const node of band.nodes) columns.widenAcross(node.begin, node.end, node.width);
  for (const span of band.below) columns.widenAcross(...widest(span.stretches), span.width);
  connect(band);
}

/** Who is above whom: the lowest node that holds all words of another. */
function connect(band) {
  const ascending = [...band.nodes].sort((one, other) => one.level - other.level);
  band.loose = new Map();
  for (const node of ascending) Object.assign(node, { children: [], words: [] });
  for (const node of ascending) {
    const above = ascending.find((other) => other.level > node.level && holds(other, node.stretches));
    if (above) above.children.push(node);
  }
  const size = Math.max(0, ...band.nodes.map((node) => node.end));
  for (let word = 0; word < size; word += 1) ascending.find((node) => holds(node, [[word, word + 1]]))?.words.push(word);
}

function holds(node, stretches) {
  return stretches.every(([begin, end]) => node.stretches.some(([from, to]) => from <= begin && end <= to));
}

/** From the lowest up: a node stands over the middle of what hangs from it. */
function drawTree(scene, sheet, columns, band) {
  for (const node of [...band.nodes].sort((one, other) => one.level - other.level)) {
    const places = [...node.children.map((child) => child.across), ...node.words.map((word) => columns.middle(word))];
    node.from = Math.min(...places);
    node.to = Math.max(...places);
    node.across = (node.from + node.to) / 2;
  }
  for (const node of [...band.nodes].sort((one, other) => rankOf(one) - rankOf(other))) drawBranches(scene, sheet, columns, band, node);
  for (const node of band.nodes) drawNode(scene, sheet, node);
}

function rankOf(node) {
  return node.state === "shared" ? 0 : 1;
}

function drawBranches(scene, sheet, columns, band, node) {
  sheet.group(itemAttributes(scene, node.item, `branches ${node.state}`), () => {
    const drops = [...node.children.map((child) => [child.across, child.down - 8]), ...dropsToWords(columns, band, node)];
    if (node.to - node.from > 1) sheet.line([[node.from, node.down], [node.to, node.down]], `edge ${node.state}`);
    for (const [across, down] of drops) sheet.line([[across, node.down], [across, down]], `edge ${node.state}`);
  });
}

/** Lines to words, one to a folded stretch. */
function dropsToWords(columns, band, node) {
  return [...new Set(node.words.map((word) => columns.middle(word)))].map((across) => [across, band.base]);
}

function drawNode(scene, sheet, node) {
  const half = node.width / 2;
  sheet.group(itemAttributes(scene, node.item, `node ${node.state}`), () => {
    sheet.box(node.across - half, node.across + half, node.down - 8, 17, node.state === "shared" ? "halo" : `frame ${node.state}`, { rx: 4 });
    sheet.text(node.across, node.down + 4.5, node.text, `label ${node.state}`, { title: node.title === node.text ? "" : node.title });
  });
}
