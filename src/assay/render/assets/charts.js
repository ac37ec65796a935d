// Charts as hand-written SVG, each with a title; the page always shows the same numbers as text.
import { breakable, shortenLabels } from "./shorten.js";
import { element, shape } from "./dom.js";
import { percent, whole, writersOf } from "./numbers.js";
import { giveOneTabStop } from "./roving.js";
import { scrollBox } from "./scroll.js";

const FLUID = "100%";
/** With more rows, the cells of a heat map have no room for numbers. */
export const MOST_WRITTEN = 16;
/** With more systems, those that are added to a bound are numbered, not named. */
export const MOST_NAMED_STEPS = 6;
let drawn = 0;

/** A drawing surface with a title that screen readers read. `FLUID` is as wide as its place, and what is in it is placed in percent. */
export function chart(width, height, title, ...shapes) {
  const id = `chart-${(drawn += 1)}`;
  const viewBox = width === FLUID ? null : `0 0 ${width} ${height}`;
  return shape("svg", { viewBox, width, height, role: "img", "aria-labelledby": id, class: "chart" }, shape("title", { id }, title), shapes);
}

// --- figures on a line, in the width that there is ---

const PLOT_HEIGHT = 22;

/** The range of some numbers, and about `most` round numbers in it. @returns {{low: number, high: number, ticks: number[]}} */
export function scaleOf(values, most = 5) {
  const known = values.filter((value) => value !== null && value !== undefined);
  const [least, greatest] = known.length ? [Math.min(...known), Math.max(...known)] : [0, 1];
  const wide = greatest - least || 0.02;
  const rough = wide / most;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * unit).find((size) => size >= rough * 0.999) ?? 10 * unit;
  const [low, high] = [least - 0.04 * wide, greatest + 0.04 * wide];
  const ticks = [];
  for (let number = Math.ceil(low / step); number * step <= high; number += 1) ticks.push(number * step);
  return { low, high, ticks };
}

/** Place of a number on a scale, in percent of the width. */
const percentOf = ({ low, high }) => (number) => `${(3 + (94 * (number - low)) / (high - low)).toFixed(3)}%`;

/** The numbers of a scale, for the head of a column of plots. `written` gives a number as text. */
export function axisOf(scale, written = writersOf("percent").tick) {
  const at = percentOf(scale);
  const numbers = scale.ticks.map((tick) => shape("text", { x: at(tick), y: 11, "text-anchor": "middle" }, written(tick)));
  return chart(FLUID, 14, `from ${written(scale.ticks[0] ?? 0)} to ${written(scale.ticks.at(-1) ?? 0)}`, numbers);
}

/** Figures on a line, each with its interval: {value, low, high, mark: "a", "b" or nothing}. Two are joined. `zero` marks where there would be no difference, `band` how far from there it does not matter, `ring` another figure. @param {any[]} figures @param {any} scale @param {string} title @param {{zero?: boolean, band?: number, ring?: number | null}} options */
export function figuresPlot(figures, scale, title, { zero = false, band = 0, ring = null } = {}) {
  const at = percentOf(scale);
  const there = figures.filter(({ value }) => value !== null && value !== undefined);
  const middle = PLOT_HEIGHT / 2;
  const rule = (number, kind) => shape("line", { x1: at(number), x2: at(number), y1: 0, y2: PLOT_HEIGHT, class: kind });
  const from = there.length === 2 ? [4, PLOT_HEIGHT - 4] : [middle];
  const whisker = ({ low, high, mark }, place) => {
    if (low === null || low === undefined || high === null || high === undefined) return null;
    const [y, cap] = [from[place], there.length === 2 ? 2 : 5];
    const ends = [low, high].map((number) => shape("line", { x1: at(number), x2: at(number), y1: y - cap, y2: y + cap, class: `span ${mark ?? ""}` }));
    return [shape("line", { x1: at(low), x2: at(high), y1: y, y2: y, class: `span ${mark ?? ""}` }), ends];
  };
  const [one, other] = there.map(({ value }) => value);
  return chart(
    FLUID, PLOT_HEIGHT, title,
    band > 0 && shape("rect", { x: at(-band), y: 0, width: `${parseFloat(at(band)) - parseFloat(at(-band))}%`, height: PLOT_HEIGHT, class: "band" }),
    scale.ticks.map((tick) => rule(tick, "grid")),
    zero && rule(0, "zero"),
    there.map(whisker),
    there.length === 2 && shape("line", { x1: at(one), x2: at(other), y1: middle, y2: middle, class: other > one ? "up" : other < one ? "down" : "rail" }),
    ring !== null && shape("circle", { cx: at(ring), cy: middle, r: 7, class: "ring" }),
    there.map(({ value, mark }) => shape("circle", { cx: at(value), cy: middle, r: 4.5, class: `dot ${mark ?? ""}` })),
  );
}

/** Parts of a whole as a strip. @param {{name: string, count: number, kind: string}[]} parts */
export function strip(parts, title) {
  const total = parts.reduce((sum, part) => sum + part.count, 0) || 1;
  let x = 0;
  const bars = parts.filter((part) => part.count).map((part) => {
    const hint = shape("title", {}, `${part.name}: ${whole(part.count)}`);
    const wide = (100 * part.count) / total;
    const drawnPart = shape("rect", { x: `${x}%`, y: 0, width: `${wide}%`, height: 12, class: `part ${part.kind}` }, hint);
    x += wide;
    return drawnPart;
  });
  return chart(FLUID, 12, title, bars);
}

/** A bar as long as a share of the largest. */
export function bar(value, most, kind, title) {
  const long = most && value ? Math.max((100 * value) / most, 1) : 0;
  return chart(FLUID, 12, title, shape("rect", { x: 0, y: 2, width: `${long}%`, height: 8, class: `bar ${kind}` }));
}

/** A bar from one number to another, and where there would be no difference. */
export function stepBar(from, to, scale, title) {
  const [at, middle] = [percentOf(scale), PLOT_HEIGHT / 2];
  const [left, right] = [Math.min(from, to), Math.max(from, to)].map((number) => parseFloat(at(number)));
  const rules = [0, to].map((number, place) => shape("line", { x1: at(number), x2: at(number), y1: 0, y2: PLOT_HEIGHT, class: place ? "grid" : "zero" }));
  return chart(FLUID, PLOT_HEIGHT, title, rules, shape("rect", { x: `${left}%`, y: middle - 5, width: `${Math.max(right - left, 0.3)}%`, height: 10, class: `bar ${to < from ? "a" : "b"}` }));
}

/** The upper bound as systems join, and the share that all of them have right. @param {any[]} steps */
export function growthChart(steps, title) {
  const [width, height, left, right, top, bottom] = [420, 190, 46, 12, 12, 44];
  const { low, high, ticks } = scaleOf(steps.flatMap((step) => [step.upper, step.all_right]), 4);
  const x = (place) => left + (steps.length > 1 ? (place / (steps.length - 1)) * (width - left - right - 60) + 30 : (width - left) / 2);
  const y = (value) => top + (1 - (value - low) / (high - low)) * (height - top - bottom);
  const dot = (place, value, kind, hint) => shape("circle", { cx: x(place), cy: y(value), r: 4, class: kind }, shape("title", {}, hint));
  const line = (name) => steps.map((step, place) => `${place ? "L" : "M"}${x(place)} ${y(step[name])}`).join("");
  const short = shortenLabels(steps.map((step) => step.added), 16);
  return chart(
    width, height, title,
    ticks.map((tick) => [
      shape("line", { x1: left, x2: width - right, y1: y(tick), y2: y(tick), class: "grid" }),
      shape("text", { x: left - 6, y: y(tick) + 4, "text-anchor": "end" }, percent(tick)),
    ]),
    shape("path", { d: line("upper"), class: "line-b" }),
    shape("path", { d: line("all_right"), class: "line-a" }),
    steps.map((step, place) => [
      dot(place, step.upper, "dot b", `${step.added}: upper bound ${percent(step.upper)}`),
      dot(place, step.all_right, "dot a", `${step.added}: all right ${percent(step.all_right)}`),
      steps.length > MOST_NAMED_STEPS
        ? (place + 1) % Math.ceil(steps.length / 15) === 0 && shape("text", { x: x(place), y: height - 24, "text-anchor": "middle" }, String(place + 1))
        : shape("text", { x: x(place), y: height - (place % 2 ? 10 : 24), "text-anchor": "middle" }, `${place ? "+ " : ""}${short(step.added)}`),
    ]),
  );
}

/** A table of counts as a heat map. Cells: {row, column, count, content, kind}; the darker, the more; without a count there is no colour. `link` gives the page of a row or column. @param {any[]} cells @param {{rows: string[], columns: string[], caption: string, corner: any, rowTitle?: (name: string) => string, columnTitle?: (name: string) => string, link?: (name: string) => string | undefined}} parts */
export function heatMap(cells, { rows, columns, caption, corner, rowTitle = (name) => name, columnTitle = rowTitle, link = () => undefined }) {
  const most = Math.max(1, ...cells.map((cell) => cell.count ?? 0));
  const found = new Map(cells.map((cell) => [`${cell.row}\u0000${cell.column}`, cell]));
  const linked = (name, text) => (link(name) ? element("a", { href: link(name) }, text) : text);
  const [shortRow, shortColumn] = [shortenLabels(rows.map(rowTitle), 27), shortenLabels(columns.map(columnTitle), 16)];
  const titles = columns.map((name) => shortColumn(columnTitle(name)));
  // All headings have one direction.
  const direction = titles.some((title) => title.length > 5) ? "tall" : null;
  const heading = (name, place) => element("th", { scope: "col", dir: "auto", class: direction, title: rowTitle(name) }, element("span", {}, linked(name, titles[place])));
  const body = rows.map((row) => element(
    "tr", {},
    element("th", { scope: "row", dir: "auto", title: rowTitle(row) }, linked(row, breakable(shortRow(rowTitle(row))))),
    columns.map((name) => {
      const cell = found.get(`${row}\u0000${name}`);
      if (!cell) return element("td", { class: row === name ? "same" : null });
      // Not so dark that text on it could not be read.
      const heat = cell.count === null ? null : `--heat:${Math.round(8 + 67 * Math.sqrt(cell.count / most))}%`;
      return element("td", { class: row === name ? "same" : heat ? cell.kind : "plain", style: heat }, cell.content);
    }),
  ));
  const head = element("tr", {}, element("th", { scope: "col", class: "corner" }, corner), columns.map(heading));
  const table = element("table", { class: "heat", "aria-label": caption }, element("thead", {}, head), element("tbody", {}, body));
  return scrollBox(caption, giveOneTabStop(table));
}

/** A dumbbell in words. */
export function dumbbellTitle(name, nameA, a, nameB, b, form = "percent") {
  const { written, difference } = writersOf(form);
  return `${name}: ${nameA} ${written(a)}, ${nameB} ${written(b)}, difference ${difference(a === null || b === null ? null : b - a)}`;
}
