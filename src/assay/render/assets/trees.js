// Constituents and function trees: a tree over the words for each side; brackets that a side lacks are drawn under its words.
import { NONE } from "./data.js";
import { APART, levels } from "./lines.js";
import { SpanItems, drawLanes, isDrawable, dressSpan, keptForSpans, keyOf, laneBands, lanesOf, spanSides, spanTable } from "./lanes.js";
import { itemAttributes } from "./scene.js";
/**
 * @import { Span } from "./data.js"
 * @import { Line, Sheet } from "./lines.js"
 * @import { Scene } from "./scene.js"
 */

const LEVEL = 26;
const STATES = { right: "right", spurious: "wrong", missing: "missing", forgiven: "forgiven", unasked: "unasked" };

/** Constituents as trees over the words. @param {Scene} scene */
export function treeBands(scene) {
  return treesOf(scene, spanSides(scene));
}

/** Function trees: the golds of the frameworks first, then what all golds share, then systems. @param {Scene} scene */
export function unitTrees(scene) {
  return treesOf(scene, unitSides(scene));
}

/** Tags, spans or arcs by several guidelines, which are no trees: lanes for the same sides. @param {Scene} scene */
export function unitLanes(scene) {
  return laneBands(scene, unitSides(scene));
}

/** The units of golds and systems with their states. @param {Scene} scene */
function unitSides(scene) {
  const { texts } = scene;
  const golds = texts.layers.slice(texts.systems.length + 1).map((layer, index) => ({ number: texts.systems.length + 1 + index, system: NONE, name: layer.side, heading: layer.side, letter: "" }));
  const bands = [...golds, ...scene.sides].map((side) => ({ side, spans: texts.spans(side.number, scene.text).filter((span) => isDrawable(scene, side, span)) }));
  const known = bands.map(({ spans }) => new Set(spans.filter((span) => span.kind !== "missing" && span.kind !== "unasked").map(keyOf)));
  for (const { side, spans } of bands) {
    const items = side.system !== NONE || side.number === 0 ? new SpanItems(scene, side) : null;
    for (const span of spans) {
      span.item = items ? items.take(span) : NONE;
      const agreed = known.every((keys) => keys.has(keyOf(span)));
      span.state = agreed ? "shared" : STATES[span.kind] ?? "plain";
      scene.used.add(span.state);
      dressSpan(scene, span);
    }
  }
  return bands;
}

/** Trees of spans with states, each on one line of any width; what is missing is drawn under the words. @param {Scene} scene */
function treesOf(scene, bands) {
  return {
    words: scene.words,
    kept: scene.view.fold ? keptForSpans(scene.words.length, bands) : null,
    gap: APART,
    unbroken: true,
    over: true,
    bands,
    prepare: prepareTree,
    draw: (sheet, line, part, up, down) => {
      drawTree(scene, sheet, line, part, up);
      drawLanes(scene, sheet, line, part.pieces, down);
    },
    table: spanTable(scene, bands),
    asLanes: () => laneBands(scene, bands),
  };
}

/** @param {Span} span */
function isBelow(span) {
  return span.state === "missing" || span.state === "unasked" || span.state === "unfound";
}

/** @param {Line} line */
function prepareTree(line, { spans }) {
  const nodes = line.pieces(spans.filter((span) => !isBelow(span)));
  levels(nodes).forEach((level, index) => (nodes[index].level = level));
  for (const node of nodes) line.widenAcross(node.begin, node.end, node.width);
  connectNodes(nodes);
  return { nodes, above: 16 + LEVEL * Math.max(0, ...nodes.map((node) => node.level + 1)), ...lanesOf(line, spans.filter(isBelow)) };
}

/** Who is above whom: the lowest node that holds all words of another. */
function connectNodes(nodes) {
  const ascending = [...nodes].sort((one, other) => one.level - other.level);
  for (const node of ascending) Object.assign(node, { children: [], words: [] });
  for (const node of ascending) {
    const above = ascending.find((other) => other.level > node.level && containsWords(other, node.stretches));
    if (above) above.children.push(node);
  }
  const size = Math.max(0, ...nodes.map((node) => node.end));
  for (let word = 0; word < size; word += 1) ascending.find((node) => containsWords(node, [[word, word + 1]]))?.words.push(word);
}

function containsWords(node, stretches) {
  return stretches.every(([begin, end]) => node.stretches.some(([from, to]) => from <= begin && end <= to));
}

/** From the lowest up: a node is over the middle of its children. @param {Scene} scene @param {Sheet} sheet @param {Line} line */
function drawTree(scene, sheet, line, { nodes }, base) {
  for (const node of [...nodes].sort((one, other) => one.level - other.level)) {
    const places = [...node.children.map((child) => child.across), ...node.words.map((word) => line.middle(word))];
    [node.from, node.to] = [Math.min(...places), Math.max(...places)];
    node.across = (node.from + node.to) / 2;
    node.down = base - (node.level + 0.75) * LEVEL;
  }
  // What is faint lies beneath the rest.
  for (const node of [...nodes].sort((one, other) => Number(other.state === "shared") - Number(one.state === "shared"))) {
    sheet.group(itemAttributes(scene, node.item, `branches ${node.state}`), () => {
      // Of a folded stretch one line.
      const words = [...new Set(node.words.map((word) => line.middle(word)))].map((across) => [across, base]);
      if (node.to - node.from > 1) sheet.line([[node.from, node.down], [node.to, node.down]], `edge ${node.state}`);
      for (const [across, down] of [...node.children.map((child) => [child.across, child.down - 8]), ...words]) sheet.line([[across, node.down], [across, down]], `edge ${node.state}`);
    });
  }
  for (const node of nodes) {
    const half = node.width / 2;
    sheet.group(itemAttributes(scene, node.item, `node ${node.state}`), () => {
      sheet.box(node.across - half, node.across + half, node.down - 8, 17, node.state === "shared" ? "halo" : `frame ${node.state}`, { rx: 4 });
      sheet.text(node.across, node.down + 4.5, node.text, `label ${node.state}`, node.title === node.text ? "" : node.title);
    });
  }
}
