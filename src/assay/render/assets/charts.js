// Charts as hand-written SVG, each with a title; the same figures always stand beside them as text.
import { element, shape } from "./dom.js";
import { percent, signed, whole } from "./numbers.js";
import { roving } from "./roving.js";

let drawn = 0;

/** A drawing surface with a title that screen readers read. */
export function chart(width, height, title, ...shapes) {
  const id = `chart-${(drawn += 1)}`;
  const about = { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-labelledby": id, class: "chart" };
  return shape("svg", about, shape("title", { id }, title), shapes);
}

/** Two scores on a line from low to high: a ring for A, a dot for B. */
export function dumbbell(a, b, [low, high], title, width = 150) {
  const at = (value) => 8 + ((value - low) / (high - low || 1)) * (width - 16);
  if (a === null || b === null) return chart(width, 18, title);
  return chart(
    width, 18, title,
    shape("line", { x1: 8, x2: width - 8, y1: 9, y2: 9, class: "rail" }),
    shape("line", { x1: at(a), x2: at(b), y1: 9, y2: 9, class: b > a ? "up" : b < a ? "down" : "rail" }),
    shape("circle", { cx: at(a), cy: 9, r: 4.5, class: "dot-a" }),
    shape("circle", { cx: at(b), cy: 9, r: 4.5, class: "dot-b" }),
  );
}

/** A range that holds some numbers, in round steps. */
export function rangeOf(values, step = 0.05) {
  const known = values.filter((value) => value !== null && value !== undefined);
  if (!known.length) return [0, 1];
  return [Math.floor(Math.min(...known) / step) * step, Math.max(Math.ceil(Math.max(...known) / step) * step, Math.min(...known) + step)];
}

/** A figure with its interval on a line. `zero` draws where there would be no difference, `band` how far from there it does not matter, `ring` another figure. */
export function intervalPlot({ value, low, high }, [least, most], title, { width = 220, zero = false, mark = "dot-b", band = 0, ring = null } = {}) {
  const at = (number) => 8 + ((number - least) / (most - least || 1)) * (width - 16);
  if (value === null) return chart(width, 22, title);
  const known = low !== null && high !== null;
  return chart(
    width, 22, title,
    band > 0 && shape("rect", { x: at(-band), y: 0, width: at(band) - at(-band), height: 22, class: "band" }),
    shape("line", { x1: 8, x2: width - 8, y1: 11, y2: 11, class: "rail" }),
    zero && shape("line", { x1: at(0), x2: at(0), y1: 1, y2: 21, class: "zero" }),
    known && shape("path", { d: `M${at(low)} 11H${at(high)}M${at(low)} 6V16M${at(high)} 6V16`, class: "span" }),
    ring !== null && shape("circle", { cx: at(ring), cy: 11, r: 7, class: "ring" }),
    shape("circle", { cx: at(value), cy: 11, r: 4.5, class: mark }),
  );
}

/** Parts of a whole as a strip. @param {{name: string, count: number, kind: string}[]} parts */
export function strip(parts, title, width = 320) {
  const total = parts.reduce((sum, part) => sum + part.count, 0) || 1;
  let x = 0;
  const bars = parts.filter((part) => part.count).map((part) => {
    const wide = (part.count / total) * width;
    const hint = shape("title", {}, `${part.name}: ${whole(part.count)}`);
    const drawnPart = shape("rect", { x, y: 0, width: Math.max(wide - 1, 0.5), height: 12, class: `part ${part.kind}` }, hint);
    x += wide;
    return drawnPart;
  });
  const svg = chart(width, 12, title, bars);
  svg.setAttribute("preserveAspectRatio", "none");
  return svg;
}

/** A bar as long as a share of the largest. */
export function bar(value, most, kind, title, width = 120) {
  const long = most && value ? Math.max((value / most) * width, 1) : 0;
  return chart(width, 12, title, shape("rect", { x: 0, y: 2, width: long, height: 8, class: `bar ${kind}` }));
}

/** The upper bound as systems join, and the share that all of them have right. @param {any[]} steps */
export function growthChart(steps, title) {
  const [width, height, left, right, top, bottom] = [420, 190, 46, 12, 12, 44];
  const [low, high] = rangeOf(steps.flatMap((step) => [step.upper, step.all_right]));
  const x = (place) => left + (steps.length > 1 ? (place / (steps.length - 1)) * (width - left - right - 60) + 30 : (width - left) / 2);
  const y = (value) => top + (1 - (value - low) / (high - low)) * (height - top - bottom);
  const dot = (place, value, kind, hint) => shape("circle", { cx: x(place), cy: y(value), r: 4, class: kind }, shape("title", {}, hint));
  const ticks = [low, (low + high) / 2, high];
  const line = (name) => steps.map((step, place) => `${place ? "L" : "M"}${x(place)} ${y(step[name])}`).join("");
  return chart(
    width, height, title,
    ticks.map((tick) => [
      shape("line", { x1: left, x2: width - right, y1: y(tick), y2: y(tick), class: "grid" }),
      shape("text", { x: left - 6, y: y(tick) + 4, "text-anchor": "end" }, percent(tick)),
    ]),
    shape("path", { d: line("upper"), class: "line-b" }),
    shape("path", { d: line("all_right"), class: "line-a" }),
    steps.map((step, place) => [
      dot(place, step.upper, "dot-b", `${step.added}: upper bound ${percent(step.upper)}`),
      dot(place, step.all_right, "dot-a", `${step.added}: all right ${percent(step.all_right)}`),
      shape("text", { x: x(place), y: height - (place % 2 ? 10 : 24), "text-anchor": "middle" }, short(`${place ? "+ " : ""}${step.added}`, 18)),
    ]),
  );
}

/** A table of counts as a heat map. Cells: {row, column, count, content}; the darker, the more. */
export function heatMap(cells, { rows, columns, caption, corner, rowTitle = (name) => name, columnTitle = rowTitle }) {
  const most = Math.max(1, ...cells.map((cell) => cell.count));
  const found = new Map(cells.map((cell) => [`${cell.row}\u0000${cell.column}`, cell]));
  const heading = (name) => {
    const title = short(columnTitle(name), 16);
    const about = { scope: "col", dir: "auto", class: title.length > 5 ? "tall" : null, title: rowTitle(name) };
    return element("th", about, element("span", {}, title));
  };
  const body = rows.map((row) => element(
    "tr", {},
    element("th", { scope: "row", dir: "auto", title: rowTitle(row) }, short(rowTitle(row), 27)),
    columns.map((name) => {
      const cell = found.get(`${row}\u0000${name}`);
      if (!cell) return element("td", { class: row === name ? "same" : null });
      // Not so dark that text on it could not be read.
      const heat = Math.round(8 + 67 * Math.sqrt(cell.count / most));
      return element("td", { class: row === name ? "same" : null, style: `--heat:${heat}%` }, cell.content);
    }),
  ));
  const head = element("tr", {}, element("th", { scope: "col", class: "corner" }, corner), columns.map(heading));
  const table = element("table", { class: "heat" }, element("caption", {}, caption), element("thead", {}, head), element("tbody", {}, body));
  return element("div", { class: "scroll" }, roving(table));
}

/** A name that may be too long for its place. */
export function short(text, most) {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : text;
}

/** What a dumbbell says, in words. */
export function dumbbellTitle(name, nameA, a, nameB, b) {
  return `${name}: ${nameA} ${percent(a)}, ${nameB} ${percent(b)}, difference ${signed(a === null || b === null ? null : b - a)}`;
}
