// What decides between two systems besides the score: what the new one breaks, and which weights of errors favour which.
import { axisOf, chart, figuresPlot, scaleOf } from "./charts.js";
import { element, shape } from "./dom.js";
import { decimal, percent, whole } from "./numbers.js";
import { saveableFigure } from "./picture.js";
import { nameCell, numberCell, plotCell, tableWith } from "./tables.js";
/** @import { Report, Result } from "./report.js" */

// --- regression risk ---

/** What each of two systems breaks of what the other has right; by slice, with the rate to expect on a new one. @param {Report} report */
export function riskTab(report) {
  const [a, b] = report.pair();
  const rows = report.result.risks.filter((row) => row.on === report.on && [row.a, row.b].every((name) => name === a || name === b));
  if (b === undefined || !rows.length) return null;
  const shown = rows.filter((row) => row.by === "").sort((one, other) => Number(other.a === a) - Number(one.a === a));
  const overParts = rows.filter((row) => row.by !== "" && row.a === a);
  return [riskTable(report, shown), ...overParts.map((row) => riskByPart(row))];
}

/** @param {Report} report @param {Result["risks"]} rows */
function riskTable(report, rows) {
  const scale = scaleOf([0, ...rows.map((row) => row.high)]);
  const limit = rows[0].limit;
  const heads = ["", "broken", "of", "%", () => axisOf(scale), ...(limit === null ? [] : [`P(> ${100 * limit}%)`])];
  const draw = (row) => {
    const rate = row.of ? row.broken / row.of : null;
    const title = `${row.b} breaks ${percent(rate)}% of what ${row.a} has right, ${percent(row.low)} to ${percent(row.high)}`;
    const plot = figuresPlot([{ value: rate, low: row.low, high: row.high }], scale, title);
    const more = limit === null ? [] : [numberCell(decimal(row.p))];
    return [nameCell(`${row.a} → ${row.b}`), numberCell(whole(row.broken)), numberCell(whole(row.of)), numberCell(percent(rate)), plotCell(plot), ...more];
  };
  const caption = `Gold's ${report.noun}s that the first system has right and the second wrong, with 95% intervals`;
  return saveableFigure("risk", tableWith({ caption, heads, rows: rows.map(draw) }));
}

/** The rate of each slice, and the range of a new one. @param {Result["risks"][number]} row */
function riskByPart(row) {
  const parts = row.parts.map((part) => ({ name: part.name, value: part.broken / part.of, high: null }));
  const scale = scaleOf([0, row.new_high, ...parts.map((part) => part.value)]);
  const draw = (part) => {
    const title = `${part.name}: ${percent(part.value)}%`;
    const figure = part.high === null ? { value: part.value } : { value: part.value, low: 0, high: part.high, mark: "b" };
    return [nameCell(part.name), numberCell(percent(part.value)), plotCell(figuresPlot([figure], scale, title))];
  };
  const next = { name: `new: 95% below ${percent(row.new_high)}`, value: row.new_median, high: row.new_high };
  const caption = `Percentage of what ${row.a} has right that ${row.b} breaks, by ${row.by}. New: median and 95% range of the prediction for another one`;
  return saveableFigure("risk-by-part", tableWith({ caption, heads: [row.by, "%", () => axisOf(scale)], rows: [...parts, next].map(draw) }));
}

// --- weights ---

const WEIGHT_STEPS = 10;
const WEIGHT_CELL = 22;
const SIDE_NAMES = { a: "A better with 95% confidence", b: "B better with 95% confidence", "-": "undecided" };

/** The weights under which A or B is better with 95% confidence: a square with a slider, or a triangle. @param {Report} report */
export function weightsTab(report) {
  const [a, b] = report.pair();
  const row = report.result.sweeps.find((sweep) => [sweep.a, sweep.b].every((name) => name === a || name === b));
  if (b === undefined || !row?.panels.length) return null;
  const turned = row.a !== a;
  const panels = turned ? row.panels.map((letters) => letters.replace(/[ab]/gu, (side) => (side === "a" ? "b" : "a"))) : row.panels;
  const shares = [turned ? row.surely_b : row.surely_a, row.undecided, turned ? row.surely_a : row.surely_b].map((share) => percent(share));
  const sentence = `A is better with 95% confidence under ${shares[0]}% of all weights, B under ${shares[2]}%; ${shares[1]}% are undecided. Each weighting is tested separately.`;
  const content = row.plane.length ? creditSquare(row, panels) : saveableFigure(`weights-${a}-${b}`, categoryTriangle(Object.keys(row.corners), panels[0]));
  return [element("p", {}, sentence), content, sidesKey()];
}

function sidesKey() {
  const swatch = (side, name) => element("span", { class: "side-key" }, shape("svg", { width: 14, height: 14, "aria-hidden": "true" }, shape("rect", { x: 1, y: 1, width: 12, height: 12, class: `side ${side === "-" ? "open" : side}` })), ` ${name}`);
  return element("p", { class: "soft" }, Object.entries(SIDE_NAMES).map(([side, name]) => swatch(side, name)));
}

/** Credits of labelling errors (across) and boundary errors (up) for three credits of errors of both. @param {Result["sweeps"][number]} row */
function creditSquare(row, panels) {
  const [left, top, size] = [44, 8, WEIGHT_CELL * (WEIGHT_STEPS + 1)];
  const place = element("div", {});
  const at = (credit) => left + WEIGHT_CELL / 2 + credit * WEIGHT_CELL * WEIGHT_STEPS;
  const up = (credit) => top + size - WEIGHT_CELL / 2 - credit * WEIGHT_CELL * WEIGHT_STEPS;
  const show = (panel) => {
    const lbe = panel / 2;
    const cells = [...panels[panel]].map((side, number) => {
      const [le, be] = [Math.floor(number / (WEIGHT_STEPS + 1)), number % (WEIGHT_STEPS + 1)];
      const hint = shape("title", {}, `LE ${le / WEIGHT_STEPS}, BE ${be / WEIGHT_STEPS}, LBE ${lbe}: ${SIDE_NAMES[side]}`);
      return shape("rect", { x: left + le * WEIGHT_CELL, y: top + size - (be + 1) * WEIGHT_CELL, width: WEIGHT_CELL, height: WEIGHT_CELL, class: `side ${side === "-" ? "open" : side}` }, hint);
    });
    const ticks = [0, 0.5, 1].map((credit) => [
      shape("text", { x: at(credit), y: top + size + 14, "text-anchor": "middle" }, String(credit)),
      shape("text", { x: left - 6, y: up(credit) + 4, "text-anchor": "end" }, String(credit)),
    ]);
    const names = [shape("text", { x: left + size / 2, y: top + size + 30, "text-anchor": "middle" }, "credit of LE"), shape("text", { x: 4, y: top + 8 }, "BE")];
    const ends = evenLine(row.plane, lbe);
    const line = ends.length === 2 && shape("line", { x1: at(ends[0][0]), y1: up(ends[0][1]), x2: at(ends[1][0]), y2: up(ends[1][1]), class: "even" });
    const title = `Credits of LE and BE with LBE ${lbe}: who is better with 95% confidence`;
    place.replaceChildren(saveableFigure(`weights-${row.a}-${row.b}-${lbe}`, chart(left + size + 12, top + size + 36, title, cells, line, ticks, names)));
  };
  show(0);
  const value = element("output", {}, "0");
  const slider = element("input", { type: "range", min: 0, max: 2, step: 1, value: 0, on: { input: (event) => { value.textContent = String(event.target.value / 2); show(Number(event.target.value)); } } });
  return [element("label", { class: "threshold" }, "credit of LBE ", slider, " ", value), place];
}

/** The ends of the line on which both systems are equal, within the square. @param {number[]} plane @returns {[number, number][]} */
function evenLine([constant, le, be, both], lbe) {
  const rest = constant + both * lbe;
  /** @type {[number, number][]} */
  const ends = [];
  for (const edge of [0, 1]) {
    if (be) ends.push([edge, -(rest + le * edge) / be]);
    if (le) ends.push([-(rest + be * edge) / le, edge]);
  }
  const inside = ends.filter((point) => point.every((credit) => credit >= -1e-9 && credit <= 1 + 1e-9));
  return inside.length < 2 ? [] : [inside[0], inside.find((point) => Math.hypot(point[0] - inside[0][0], point[1] - inside[0][1]) > 1e-9) ?? inside[1]];
}

/** Three categories, each corner one alone. */
function categoryTriangle(names, letters) {
  const [width, height, edge] = [300, 250, 34];
  const point = (first, second) => [edge + ((second + (WEIGHT_STEPS - first - second) / 2) / WEIGHT_STEPS) * (width - 2 * edge), height - edge + 8 - ((WEIGHT_STEPS - first - second) / WEIGHT_STEPS) * (height - 2 * edge)];
  const dots = [];
  for (let first = 0; first <= WEIGHT_STEPS; first += 1) {
    for (let second = 0; second <= WEIGHT_STEPS - first; second += 1) {
      const side = letters[dots.length];
      const [x, y] = point(first, second);
      const hint = shape("title", {}, `${names[0]} ${first / WEIGHT_STEPS}, ${names[1]} ${second / WEIGHT_STEPS}, ${names[2]} ${(WEIGHT_STEPS - first - second) / WEIGHT_STEPS}: ${SIDE_NAMES[side]}`);
      dots.push(shape("circle", { cx: x, cy: y, r: 8, class: `side ${side === "-" ? "open" : side}` }, hint));
    }
  }
  const labels = [[WEIGHT_STEPS, 0, "start", 26], [0, WEIGHT_STEPS, "end", 26], [0, 0, "middle", -14]].map(([first, second, anchor, down], number) => {
    const [x, y] = point(first, second);
    return shape("text", { x: anchor === "start" ? x - 10 : anchor === "end" ? x + 10 : x, y: y + Number(down), "text-anchor": anchor }, names[number]);
  });
  return chart(width, height, "Weights of three categories: who is better with 95% confidence", dots, labels);
}
