// The drawing of one text: lines of words, and under or over them every side's annotation; and the same as a table of text.
import { NONE } from "./data.js";
import { element, shape } from "./dom.js";
import { arcBands, graphBands } from "./arcs.js";
import { chainLines } from "./chains.js";
import { frameBands } from "./heads.js";
import { laneBands } from "./lanes.js";
import { FONTS, Sheet, linesOf, widthOf } from "./lines.js";
import { plural, whole } from "./numbers.js";
import { shortenLabels } from "./shorten.js";
import { itemDiffers, legendOf, sceneOf } from "./scene.js";
import { tagRows } from "./tagrows.js";
import { treeBands, unitLanes, unitTrees } from "./trees.js";
/**
 * @import { Texts } from "./data.js"
 * @import { Line } from "./lines.js"
 * @import { Painting, Part, Scene, Shown } from "./scene.js"
 */

const PAINTERS = { tags: tagRows, arcs: arcBands, spans: laneBands, graph: graphBands, frames: frameBands, trees: treeBands, chains: chainLines, units: unitTrees, annotations: unitLanes };
const WHAT = { tags: "Tags", arcs: "Dependencies", spans: "Spans", graph: "Arcs", frames: "Predicates and arguments", trees: "Constituents", chains: "Coreference chains", units: "Function trees", annotations: "Annotations" };
const EDGE = 10;
const MARGIN = 4;
const WORDS = 26;
const BETWEEN = 8;
const WIDEST_NAME = 130;
const BORDER = 1;
const ONCE = "all: all sides agree in this line, so it is drawn once";
/** Folded words of a part of a text that are at least so many have a button in their place. */
const MANY_FOLDED = 12;
const FIRST_WORDS = 40;
const BUTTON = 34;
let drawings = 0;

/**
 * One text drawn: in each line gold and systems stacked, aligned by word. `from` and `end`: the words that are drawn, of `size`.
 * @param {Texts} texts
 * @param {string} kind
 * @param {number} text
 * @param {Shown} view
 * @returns {{figure: HTMLElement, table: HTMLElement, caption: string, from: number, end: number, size: number}}
 */
export function drawing(texts, kind, text, view) {
  const scene = sceneOf(texts, kind, text, view);
  const paint = texts.layers.length ? PAINTERS[kind] : tagRows;
  /** @type {Painting} */
  let painting = paint(scene);
  const headings = headingsOf(painting.bands, Math.min(WIDEST_NAME, view.width / 5));
  const gutter = Math.max(...headings.map((heading) => heading.width)) + 2 * EDGE;
  const room = view.width - gutter - MARGIN - EDGE - 2 * BORDER;
  const part = view.part ?? null;
  const broken = () => {
    const sizes = { room: painting.unbroken ? Infinity : room, from: part?.from, apart: part ? MANY_FOLDED : undefined };
    /** @type {Line[]} */
    const found = [];
    let height = 0;
    for (const line of linesOf(painting.words, { ...painting, ...sizes, kept: part ? keptIn(painting, part) : painting.kept, prepare: (line) => painting.bands.map((band) => painting.prepare(line, band)) })) {
      found.push(line);
      if ((height += heightOf(painting, line)) >= (part?.most ?? Infinity)) break;
    }
    return found;
  };
  let lines = broken();
  // Paper cannot be scrolled.
  if (view.onPaper && painting.unbroken && lines[0]?.width > room) {
    painting = painting.asLanes?.() ?? painting;
    lines = broken();
  }
  const across = Math.max(lines.length > 1 ? room : 0, ...lines.map((line) => line.width));
  drawings += 1;
  const id = `drawing-table-${drawings}`;
  const shown = { from: lines[0]?.begin ?? 0, end: lines.at(-1)?.end ?? 0, size: painting.words.length };
  const caption = captionOf(scene, lines, shown, paint === tagRows ? "tags" : kind);
  const once = lines.length > 1 && painting.bands.length > 1;
  const pictures = lines.map((line) => (line.between ? betweenButton(line, shown.size) : lineOf(scene, painting, line, { headings, gutter, across, once })));
  const scrolls = across > room + 1;
  const box = element("div", { class: "drawing-lines", tabIndex: scrolls ? 0 : null, role: "group", "aria-label": `${caption}${scrolls ? " Scrolls sideways." : ""}`, "aria-describedby": id, dir: scene.mirrored ? "rtl" : "ltr" }, pictures);
  // Names stay in view when a drawing is scrolled sideways.
  const folded = lines.some((line) => !line.between && line.cells.some((cell) => cell.folded));
  if (folded) scene.notes.push("⋯ 5 ⋯: five words on which all sides agree");
  for (const [form, label] of scene.shortened) if (box.textContent?.includes(form)) scene.notes.push(`${form}: ${label}`);
  if (scrolls) box.addEventListener("scroll", () => box.querySelectorAll(".names").forEach((names) => names.setAttribute("transform", `translate(${box.scrollLeft} 0)`)), { passive: true });
  lightUp(box, painting.together ?? "item");
  painting.follow?.(box);
  const figure = element("figure", { class: `drawing drawing-${kind}` }, box, marksOf(scene), restOf(scene), addressesOf(scene));
  return { figure, table: tableOf(scene, painting.table, shown, caption, id), caption, ...shown };
}

/** The words of a part that are shown: what differs, what the reader opened, and the beginning if nothing differs. @param {Painting} painting @param {Part} part */
function keptIn({ kept }, { opened }) {
  if (!kept) return null;
  const shown = [...kept];
  if (!kept.includes(true)) shown.fill(true, 0, FIRST_WORDS);
  for (const [begin, end] of opened) shown.fill(true, begin, end);
  return shown;
}

/** About how high a line will be. @param {Painting} painting @param {Line} line */
function heightOf({ over }, line) {
  if (line.between) return BUTTON;
  const sides = line.parts.some((part) => part.differs) ? line.parts : line.parts.slice(0, 1);
  return sides.reduce((sum, part) => sum + (part.above ?? 0) + (over ? WORDS : 0) + Math.max(part.below, over ? 0 : 18) + BETWEEN, WORDS);
}

/** A button that stands for words on which all sides agree. @param {Line} line */
function betweenButton({ begin, end, cells }, size) {
  const where = begin === 0 ? "before" : end === size ? "after" : "between";
  return element("button", { type: "button", class: "unfold", title: cells[0].title, "data-begin": begin, "data-end": end }, `⋯ show the ${plural(end - begin, "word")} ${where} ⋯`);
}

/** @param {Scene} scene */
function captionOf(scene, lines, { from, end, size }, kind) {
  const { texts, text, sides } = scene;
  let differing = 0;
  for (let item = scene.first; item < scene.end; item += 1) if (itemDiffers(scene, item)) differing += 1;
  const { a, b } = scene.view;
  const found = texts.split ? plural(differing, "disagreement") : b === null ? `${plural(differing, "error")} of ${texts.systems[a]}` : `${plural(differing, "difference")} between ${texts.systems[a]} and ${texts.systems[b]}`;
  const folded = lines.flatMap((line) => line.cells).reduce((sum, cell) => sum + (cell.folded ? cell.end - cell.begin : 0), 0);
  const names = sides.map((side) => side.name).join(", ");
  return `${WHAT[kind]} of ${texts.data.ids[text] || `${texts.data.unit} ${text + 1}`}: ${names}; ${found}${end - from < size ? `; words ${whole(from + 1)} to ${whole(end)} of ${whole(size)}` : ""}${folded ? `; ${plural(folded, "word")} folded` : ""}.`;
}

/** The headings of the sides, and one for all of them: names, or letters if a name is too long. */
function headingsOf(bands, most) {
  const sides = [...bands.map(({ side }) => side), { number: 1, heading: "all" }];
  const wide = sides.every((side) => !side.letter || widthOf(side.heading, FONTS.strong) <= most);
  const named = sides.map((side) => (wide || !side.letter ? side.heading : side.letter));
  const short = shortenLabels(named, most, (name) => widthOf(name, FONTS.strong));
  return sides.map((side, place) => {
    const shown = short(named[place]);
    return { side, shown, width: widthOf(shown, FONTS.strong), title: shown === side.heading ? null : shape("title", {}, side.heading) };
  });
}

/**
 * A line as an SVG: its words, each side's annotation, and the names of the sides before them. `once`: what is the same on all sides is drawn once.
 * @param {Scene} scene
 * @param {Painting} painting
 * @param {Line} line
 */
function lineOf(scene, { bands, isNode = [], draw, follow, ...painting }, line, { headings, gutter, across, once }) {
  const width = Math.ceil(gutter + MARGIN + across + EDGE);
  const sheet = new Sheet(across, scene.mirrored);
  const names = shape("g", { class: "names", "aria-hidden": "true" });
  const rules = [];
  const words = line.cells.filter((cell) => cell.folded || !isNode[cell.begin]);
  const over = painting.over && bands.length > 0;
  let top = over ? 0 : WORDS + 2;
  if (!over) sheet.words(words, 20);
  const agreed = once && line.parts.every((part) => !part.differs);
  const sides = agreed ? [0] : [...bands.keys()];
  // If there are several lines, only sides with something to draw are drawn under the words.
  const shown = over ? sides : line.parts.some((part) => part.below) ? sides.filter((side) => !once || line.parts[side].below) : [];
  shown.forEach((number, index) => {
    const [part, heading] = [line.parts[number], agreed ? headings.at(-1) : headings[number]];
    const up = top + (part.above ?? 0);
    const down = over ? up + WORDS : up + BETWEEN / 2;
    if (over) sheet.words(words, up + 18, index > 0);
    if (over && index) rules.push(shape("path", { class: "rule", d: `M0 ${top}H${width}` }));
    sheet.group({ "aria-hidden": follow ? null : "true" }, () => draw(sheet, line, part, up, down));
    const place = scene.mirrored ? { x: width - EDGE, "text-anchor": "end" } : { x: EDGE, "text-anchor": "start" };
    names.append(shape("text", { class: heading.side.number ? "name" : "name gold", y: over ? up + 18 : down + 14, ...place }, heading.shown, heading.title?.cloneNode(true)));
    top = down + Math.max(part.below, over ? 0 : 18) + BETWEEN / 2;
  });
  if (agreed && shown.length && !scene.notes.includes(ONCE)) scene.notes.push(ONCE);
  const height = Math.ceil(top + (shown.length ? 1.5 * BETWEEN : 0));
  names.prepend(shape("rect", { class: "halo", x: scene.mirrored ? width - gutter : 0, y: 0, width: gutter, height }));
  sheet.node.setAttribute("transform", `translate(${scene.mirrored ? EDGE : gutter + MARGIN} 0)`);
  return shape("svg", { role: "group", class: scene.mirrored ? "drawing-svg mirrored" : "drawing-svg", width, height, viewBox: `0 0 ${width} ${height}`, xmlns: "http://www.w3.org/2000/svg" }, sheet.node, names, ...rules);
}

/** While the mouse or the focus is on an item or a chain, light it up on all sides and lines. */
function lightUp(box, together) {
  const all = [...box.querySelectorAll(`[data-${together}]`)];
  const valueAt = (node) => node?.closest?.(`[data-${together}]`)?.dataset[together];
  const light = ({ target }) => {
    const value = valueAt(target) ?? valueAt(document.activeElement);
    box.classList.toggle("lighting", value !== undefined);
    for (const node of all) node.classList.toggle("lit", node.dataset[together] === value);
  };
  for (const event of ["mouseover", "mouseleave", "focusin", "focusout"]) box.addEventListener(event, light);
}

/** What the marks of the drawing mean. @param {Scene} scene */
function marksOf(scene) {
  const notes = legendOf(scene).map((note) => element("li", {}, note));
  return notes.length ? element("ul", { class: "drawing-legend", "aria-label": "Marks" }, notes) : null;
}

/** What could not be drawn. @param {Scene} scene */
function restOf(scene) {
  if (!scene.rest.length) return null;
  const lines = scene.rest.map((line) => element("li", { dir: "auto" }, line));
  return element("div", { class: "drawing-rest" }, element("p", {}, `Not drawn: ${lines.length}`), element("ul", {}, lines));
}

/** What the labels of a text name, with words and as links if there is an address; null if labels are no identifiers. */
function addressesOf({ texts, view, first, end }) {
  if (view.address === undefined) return null;
  const names = new Set();
  for (let item = first; item < end; item += 1) {
    // A note on the error may follow the label of an answer.
    for (const code of [texts.gold[item], ...texts.answers.map((answers) => answers[item])]) if (code !== NONE) names.add(texts.labels[code].split(" ")[0]);
  }
  const shown = [...names].filter((name) => name !== "NIL" && (view.address || texts.mentionOf(name)));
  const links = shown.map((name) => {
    const described = [name, texts.mentionOf(name)].filter(Boolean).join(" ");
    return view.address ? element("a", { href: view.address.replace("{}", encodeURIComponent(name)), target: "_blank", rel: "noreferrer" }, described) : described;
  });
  return links.length ? element("p", { class: "drawing-links" }, links.flatMap((link) => [link, " · "]).slice(0, -1)) : null;
}

/** The table of what is drawn. @param {Scene} scene */
function tableOf(scene, { header, rows }, { from, end, size }, caption, id) {
  const drawn = end - from < size ? rows.filter(({ at }) => at >= from && at < end) : rows;
  const cell = (text, index) => element(index === 0 ? "th" : "td", { scope: index === 0 ? "row" : null, dir: "auto" }, text);
  return element(
    "table",
    { class: "drawing-table", id },
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, header.map((name) => element("th", { scope: "col" }, name)))),
    element("tbody", {}, drawn.map((row) => element("tr", { class: itemDiffers(scene, row.item) ? "differs" : null }, row.cells.map(cell)))),
  );
}

const INLINED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "fill-opacity", "stroke-opacity", "opacity", "font-family", "font-size", "font-weight", "font-style", "text-decoration-line", "direction"];
const NOT_INHERITED = { opacity: "1", "text-decoration-line": "none" };

/** A drawing as an SVG file of its own, in light colours. @returns {string} */
export function drawingFile(figure) {
  const picture = shape("svg", { xmlns: "http://www.w3.org/2000/svg" }, shape("title", {}, figure.querySelector(".drawing-lines").getAttribute("aria-label")));
  let [width, height] = [0, 0];
  for (const line of figure.querySelectorAll("svg")) {
    const copy = line.cloneNode(true);
    copy.setAttribute("y", String(height));
    width = Math.max(width, Number(line.getAttribute("width")));
    height += Number(line.getAttribute("height"));
    picture.append(copy);
  }
  picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
  picture.setAttribute("width", String(width));
  picture.setAttribute("height", String(height));
  for (const names of picture.querySelectorAll(".names")) names.removeAttribute("transform");
  const stage = element("div", { class: "drawing drawing-stage" }, picture);
  document.body.append(stage);
  const nodes = [picture, ...picture.querySelectorAll("*")].filter((node) => node.tagName !== "title");
  const found = nodes.map((node) => {
    const style = getComputedStyle(node);
    return INLINED.map((name) => [name, style.getPropertyValue(name)]);
  });
  const paper = getComputedStyle(stage).backgroundColor;
  stage.remove();
  /** @type {Map<Node | null, string[][]>} */
  const known = new Map(nodes.map((node, index) => [node, found[index]]));
  nodes.forEach((node, index) => {
    found[index].forEach(([name, value], place) => {
      const above = NOT_INHERITED[name] ?? known.get(node.parentNode)?.[place][1] ?? "";
      if (value && value !== above) node.setAttribute(name, value);
    });
    for (const name of node.getAttributeNames()) if (/^(class|tabindex|role|data-.*|aria-.*)$/u.test(name)) node.removeAttribute(name);
  });
  picture.prepend(shape("rect", { width: "100%", height: "100%", fill: paper }));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(picture)}\n`;
}
