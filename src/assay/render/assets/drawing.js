// The drawing of one text: every side's annotation over the same columns of words, with a text table that says the same.
import { NONE } from "./data.js";
import { element, shape } from "./dom.js";
import { arcBands, graphBands } from "./arcs.js";
import { chainLines } from "./chains.js";
import { frameBands } from "./frames.js";
import { laneBands } from "./lanes.js";
import { headingOf, itemDiffers, legendOf, sceneOf } from "./scene.js";
import { tagRows } from "./tagrows.js";
import { treeBands } from "./trees.js";
import { unitTrees } from "./units.js";

const PAINTERS = { tags: tagRows, arcs: arcBands, spans: laneBands, graph: graphBands, frames: frameBands, trees: treeBands, chains: chainLines, units: unitTrees };
const WHAT = { tags: "Tags", arcs: "Dependencies", spans: "Spans", graph: "Arcs", frames: "Predicates and arguments", trees: "Constituents", chains: "Coreference chains", units: "Function trees" };
const EDGE = 12;
const MARGIN = 4;
let drawings = 0;

/**
 * One text drawn: gold and systems stacked, aligned by word.
 * view: {sides: layers shown, a, b: systems compared, b null where it is one alone, marked: item or null, fold: whether agreeing stretches are folded, address: of what a label names, with {} for the label}.
 * @returns {{figure: HTMLElement, table: HTMLElement, caption: string}}
 */
export function drawing(texts, kind, text, view) {
  const scene = sceneOf(texts, kind, text, view);
  const paint = texts.layers.length ? PAINTERS[kind] : tagRows;
  const painted = paint(scene);
  drawings += 1;
  const id = `drawing-table-${drawings}`;
  const caption = captionOf(scene, painted, paint === tagRows ? "tags" : kind);
  const picture = pictureOf(scene, painted, caption, id);
  const box = element("div", { class: "drawing-scroll", tabIndex: 0, role: "group", "aria-label": "Drawing; scrolls sideways", dir: scene.mirrored ? "rtl" : "ltr" }, picture);
  keepNames(box, picture);
  const figure = element("figure", { class: `drawing drawing-${kind}` }, box, marksOf(scene), restOf(scene), addressesOf(scene));
  return { figure, table: tableOf(scene, painted.table, caption, id), caption };
}

function captionOf(scene, painted, kind) {
  const { texts, text, sides } = scene;
  let differing = 0;
  for (let item = scene.first; item < scene.end; item += 1) if (itemDiffers(scene, item)) differing += 1;
  const { a, b } = scene.view;
  const found = b === null ? `${differing} wrong in ${texts.systems[a]}` : `${texts.systems[a]} and ${texts.systems[b]} differ in ${differing}`;
  const folded = painted.folded ?? foldedWords(painted.columns);
  const names = sides.map((side) => side.name).join(", ");
  return `${WHAT[kind]} of ${texts.data.ids[text] || `${texts.data.unit} ${text + 1}`}: ${names}; ${found}${folded ? `; ${folded}` : ""}.`;
}

function foldedWords(columns) {
  return columns && columns.folded ? `${columns.folded} ${columns.folded === 1 ? "word" : "words"} folded` : "";
}

/** The SVG: what was painted, with the names of the sides before it. */
function pictureOf(scene, { sheet, bands, height }, caption, id) {
  const gutter = Math.max(34, ...bands.map((band) => headingOf(band.side).width)) + 2 * EDGE;
  const width = Math.ceil(gutter + MARGIN + sheet.width + EDGE);
  const node = shape("svg", {
    role: "img",
    "aria-describedby": id,
    class: scene.mirrored ? "drawing-svg mirrored" : "drawing-svg",
    width,
    height: Math.ceil(height),
    viewBox: `0 0 ${width} ${Math.ceil(height)}`,
    xmlns: "http://www.w3.org/2000/svg",
  });
  const names = shape("g", { class: "names" });
  const edge = scene.mirrored ? width - gutter : 0;
  names.append(shape("rect", { class: "halo", x: edge, y: 0, width: gutter, height: Math.ceil(height) }));
  const lines = [];
  bands.forEach((band, index) => {
    if (band.ruled ?? index > 0) lines.push(shape("path", { class: "rule", d: `M0 ${band.top}H${width}` }));
    names.append(nameOf(scene, band, width));
  });
  sheet.node.setAttribute("transform", `translate(${scene.mirrored ? EDGE : gutter + MARGIN} 0)`);
  node.append(shape("title", {}, caption), sheet.node, names, ...lines);
  return node;
}

function nameOf(scene, band, width) {
  const { shown, cut } = headingOf(band.side);
  const kind = band.side.number ? "name" : "name gold";
  const place = scene.mirrored ? { x: width - EDGE, "text-anchor": "end" } : { x: EDGE, "text-anchor": "start" };
  return shape("text", { class: kind, y: band.text, ...place }, shown, cut ? shape("title", {}, band.side.heading) : null);
}

/** Names stay in view when a drawing is scrolled sideways. */
function keepNames(box, picture) {
  const names = picture.querySelector(".names");
  box.addEventListener("scroll", () => names.setAttribute("transform", `translate(${box.scrollLeft} 0)`), { passive: true });
}

/** What the marks of the drawing mean. */
function marksOf(scene) {
  const notes = legendOf(scene).map((note) => element("li", {}, note));
  return notes.length ? element("ul", { class: "drawing-legend", "aria-label": "Marks" }, notes) : null;
}

/** What could not be drawn. */
function restOf(scene) {
  if (!scene.rest.length) return null;
  const lines = scene.rest.map((line) => element("li", { dir: "auto" }, line));
  return element("div", { class: "drawing-rest" }, element("p", {}, `Not drawn: ${lines.length}`), element("ul", {}, lines));
}

/** Links to what the labels of a text name, where they have an address. */
function addressesOf({ texts, view, first, end }) {
  if (!view.address) return null;
  const names = new Set();
  for (let item = first; item < end; item += 1) {
    // Behind the label of an answer may stand what is wrong with it.
    for (const code of [texts.gold[item], ...texts.answers.map((answers) => answers[item])]) if (code !== NONE) names.add(texts.labels[code].split(" ")[0]);
  }
  const links = [...names].filter((name) => name !== "NIL").map((name) => element("a", { href: view.address.replace("{}", encodeURIComponent(name)), target: "_blank", rel: "noreferrer" }, name));
  return links.length ? element("p", { class: "drawing-links" }, links.flatMap((link) => [link, " "])) : null;
}

function tableOf(scene, { header, rows }, caption, id) {
  const cell = (text, index) => element(index === 0 ? "th" : "td", { scope: index === 0 ? "row" : null, dir: "auto" }, text);
  return element(
    "table",
    { class: "drawing-table", id },
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, header.map((name) => element("th", { scope: "col" }, name)))),
    element("tbody", {}, rows.map((row) => element("tr", { class: itemDiffers(scene, row.item) ? "differs" : null }, row.cells.map(cell)))),
  );
}

const INLINED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "fill-opacity", "stroke-opacity", "opacity", "font-family", "font-size", "font-weight", "font-style", "text-decoration-line", "direction"];
const NOT_INHERITED = { opacity: "1", "text-decoration-line": "none" };

/** A drawing as an SVG file of its own, in light colours. @returns {string} */
export function saveable(figure) {
  const picture = figure.querySelector("svg").cloneNode(true);
  picture.querySelector(".names")?.removeAttribute("transform");
  picture.removeAttribute("aria-describedby");
  const stage = element("div", { class: "drawing drawing-stage" }, picture);
  document.body.append(stage);
  const nodes = [picture, ...picture.querySelectorAll("*")].filter((node) => node.tagName !== "title");
  const found = nodes.map((node) => {
    const style = getComputedStyle(node);
    return INLINED.map((name) => [name, style.getPropertyValue(name)]);
  });
  const paper = getComputedStyle(stage).backgroundColor;
  stage.remove();
  const known = new Map(nodes.map((node, index) => [node, found[index]]));
  nodes.forEach((node, index) => {
    found[index].forEach(([name, value], place) => {
      const above = NOT_INHERITED[name] ?? known.get(node.parentNode)?.[place][1] ?? "";
      if (value && value !== above) node.setAttribute(name, value);
    });
    for (const name of ["class", "data-item", "data-differs"]) node.removeAttribute(name);
  });
  picture.prepend(shape("rect", { width: "100%", height: "100%", fill: paper }));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(picture)}\n`;
}
