// What is on the page as an SVG file of its own: plots, and tables and heat maps with plots in them, as they are laid out.
import { buttonFor } from "./controls.js";
import { element, shape } from "./dom.js";
import { saveFile } from "./exports.js";

const SVG_STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "fill-opacity", "opacity", "font-family", "font-size", "font-weight", "font-style"];
const LEFT_OUT = "button.save, button.more, .minor, select, .hidden, title";
const PAPER_EDGE = 8;

/** A figure with a button that saves what is in it. */
export function saveableFigure(name, ...content) {
  const figure = element("figure", { class: "takeable" }, content);
  const file = `${name.replace(/[^\p{L}\p{N}.-]+/gu, "-")}.svg`;
  const take = () => saveFile(file, svgOf(figure), "image/svg+xml");
  figure.append(buttonFor(take, { class: "save", "data-file": file, "aria-label": `save SVG: ${file}` }, "save SVG"));
  return figure;
}

/** A part of the page as it is laid out, in light colours. @returns {string} */
function svgOf(node) {
  const copy = node.cloneNode(true);
  const stage = element("div", { class: "stage", style: `width:${node.getBoundingClientRect().width}px` }, copy);
  // Rules of the page may depend on what is around a figure.
  (node.closest(".panel") ?? document.body).append(stage);
  for (const left of copy.querySelectorAll(LEFT_OUT)) left.remove();
  const origin = stage.getBoundingClientRect();
  const shapes = [];
  let [right, bottom] = [0, 0];
  const place = (box) => {
    [right, bottom] = [Math.max(right, box.right - origin.left), Math.max(bottom, box.bottom - origin.top)];
    return [box.left - origin.left + PAPER_EDGE, box.top - origin.top + PAPER_EDGE];
  };
  const visit = (here) => {
    if (here.nodeType === Node.TEXT_NODE) {
      shapes.push(...textLines(here, place));
      return;
    }
    if (!(here instanceof Element) || !here.getClientRects().length) return;
    const box = here.getBoundingClientRect();
    if (here instanceof SVGElement) {
      const [x, y] = place(box);
      shapes.push(inlineStyles(here, { x, y, width: box.width, height: box.height }));
      return;
    }
    shapes.push(...boxesOf(here, box, place));
    for (const child of here.childNodes) visit(child);
  };
  visit(copy);
  const paper = getComputedStyle(stage).backgroundColor;
  stage.remove();
  const [width, height] = [Math.ceil(right) + 2 * PAPER_EDGE, Math.ceil(bottom) + 2 * PAPER_EDGE];
  const size = { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}` };
  const file = shape("svg", size, shape("rect", { width, height, fill: paper }), shapes);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(file)}\n`;
}

/** The ground and the border of an element. */
function boxesOf(node, box, place) {
  const style = getComputedStyle(node);
  const [x, y] = place(box);
  const clear = style.backgroundColor === "rgba(0, 0, 0, 0)";
  const framed = parseFloat(style.borderTopWidth) > 0 && parseFloat(style.borderLeftWidth) > 0;
  const about = { x, y, width: box.width, height: box.height, rx: Math.min(parseFloat(style.borderTopLeftRadius) || 0, box.height / 2) };
  const frame = framed ? { stroke: style.borderTopColor, "stroke-width": parseFloat(style.borderTopWidth), "stroke-dasharray": style.borderTopStyle === "dashed" ? "3 2" : null } : {};
  const under = !framed && parseFloat(style.borderBottomWidth) > 0;
  return [
    clear && !framed ? null : shape("rect", { ...about, fill: clear ? "none" : style.backgroundColor, ...frame }),
    under ? shape("line", { x1: x, x2: x + box.width, y1: y + box.height, y2: y + box.height, stroke: style.borderBottomColor }) : null,
  ].filter(Boolean);
}

/** A text line by line, at the places of the browser; numbers are set flush right. */
function textLines(node, place) {
  if (!node.data.trim()) return [];
  const style = getComputedStyle(node.parentElement);
  const size = parseFloat(style.fontSize);
  const about = { fill: style.color, "font-family": style.fontFamily, "font-size": size, "font-weight": style.fontWeight, "font-style": style.fontStyle };
  const lines = [];
  const range = document.createRange();
  for (const { index, 0: word } of node.data.matchAll(/\S+/gu)) {
    range.setStart(node, index);
    range.setEnd(node, index + word.length);
    const box = range.getBoundingClientRect();
    const last = lines.at(-1);
    if (last && Math.abs(last.box.top - box.top) < 2) Object.assign(last, { words: `${last.words} ${word}`, box: { ...edges(last.box), right: box.right } });
    else lines.push({ words: word, box: edges(box) });
  }
  return lines.map(({ words, box }) => {
    const [x, y] = place(box);
    const [width, height] = [box.right - box.left, box.bottom - box.top];
    if (style.writingMode.startsWith("vertical")) {
      const [across, up] = [x + width / 2 + size * 0.35, y + height];
      return shape("text", { ...about, transform: `translate(${across} ${up}) rotate(-90)` }, words);
    }
    const held = ["right", "end"].includes(style.textAlign) ? { x: x + width, "text-anchor": "end" } : { x };
    return shape("text", { ...about, ...held, y: y + height / 2 + size * 0.35 }, words);
  });
}

const edges = ({ left, right, top, bottom }) => ({ left, right, top, bottom });

/** A drawing with its styles in it. */
function inlineStyles(picture, box) {
  const nodes = [picture, ...picture.querySelectorAll("*")];
  const styles = nodes.map((node) => SVG_STYLES.map((name) => [name, getComputedStyle(node).getPropertyValue(name)]));
  nodes.forEach((node, index) => {
    for (const [name, value] of styles[index]) if (value) node.setAttribute(name, value);
    for (const name of ["class", "aria-labelledby", "role"]) node.removeAttribute(name);
  });
  for (const [name, value] of Object.entries(box)) picture.setAttribute(name, value);
  return picture;
}
