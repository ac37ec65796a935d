// What confidences are worth: reliability diagrams, curves over thresholds, and a threshold that can be moved.
import { chart } from "./charts.js";
import { element, shape } from "./dom.js";
import { decimal, percent, plural, pValue, writersOf } from "./numbers.js";
import { saveableFigure } from "./picture.js";
import { term } from "./query.js";
import { chooser, countButton, legend, nameCell, numberCell, panel, tableWith } from "./tables.js";
/** @import { Report, Result } from "./report.js" */

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [330, 250, 40, 10, 8, 34];
const COUNT_ROOM = 34;
const TICKS = [0, 0.2, 0.4, 0.6, 0.8, 1];
const HALF = 0.5;
const across = (share) => LEFT + share * (WIDTH - LEFT - RIGHT);
const upward = (share, bottom = BOTTOM) => TOP + (1 - share) * (HEIGHT - TOP - bottom);

/** Confidences of A and B; null if there are none. @param {Report} report */
export function confidencePanel(report) {
  const { calibrations, curves } = report.result;
  if (!calibrations?.length) return null;
  const sides = (report.view.b === null ? ["a"] : ["a", "b"]).map((side) => ({ side, name: report.systems[report.view[side]] }));
  const found = sides.flatMap(({ side, name }) => calibrations.filter((row) => row.system === name).map((row) => ({ side, name, row })));
  if (!found.length) return null;
  const place = element("div", { class: "contents" });
  const labels = [...new Set((curves ?? []).filter((row) => found.some(({ name }) => name === row.system)).map((row) => row.label))];
  const show = (label) => place.replaceChildren(...curvesOf(report, found, label));
  show(labels[0]);
  const options = labels.map((label) => [label === null ? "all answers" : `label ${label}`, label]);
  const choice = labels.length > 1 ? chooser("Label of the curves", /** @type {[string, any][]} */ (options), show) : null;
  const binned = found.filter(({ row }) => row.bins.length);
  const label = binned[0]?.row.label ?? null;
  const dots = label === null ? `percent right among ${answersOf(report)}` : `percent ${label} among ${report.noun}s`;
  const meaning = `Dots: ${dots} of about the same confidence. Grey: where 95% of the dots are if confidences are calibrated.`;
  return panel(
    "confidence", "Confidence",
    element("div", { class: "tools" }, legend(report), choice),
    element("div", { class: "curves" }, binned.map((one) => reliability(report, one)), place),
    binned.length ? element("p", { class: "soft" }, meaning) : null,
  );
}

/** What has confidences: the answers to items, or what systems find. @param {Report} report */
const answersOf = (report) => (report.result.joined_by ? "answers" : `${report.noun}s`);

/** A square from 0 to 100 percent both ways. */
function square(title, names, bottom, ...shapes) {
  const grid = TICKS.flatMap((tick) => [
    shape("line", { x1: across(tick), x2: across(tick), y1: TOP, y2: upward(0, bottom), class: "grid" }),
    shape("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: upward(tick, bottom), y2: upward(tick, bottom), class: "grid" }),
    shape("text", { x: across(tick), y: upward(0, bottom) + 14, "text-anchor": "middle" }, String(100 * tick)),
    shape("text", { x: LEFT - 6, y: upward(tick, bottom) + 4, "text-anchor": "end" }, String(100 * tick)),
  ]);
  const middle = TOP + (HEIGHT - TOP - bottom) / 2;
  return chart(
    WIDTH, HEIGHT, title, grid, shapes,
    shape("text", { x: across(0.5), y: HEIGHT - 4, "text-anchor": "middle" }, names[0]),
    shape("text", { x: 10, y: middle, "text-anchor": "middle", transform: `rotate(-90 10 ${middle})` }, names[1]),
  );
}

// --- calibration ---

/** Share of right answers by confidence, the range expected if calibrated, and how many answers there are. @param {Report} report */
function reliability(report, { side, name, row }) {
  const most = Math.max(...row.bins.map((bin) => bin.items));
  const bottom = BOTTOM + COUNT_ROOM;
  const countable = report.texts?.confidence[report.view[side]];
  const terms = (bin) => (countable ? [term(`${side}-bin`, bin.bin)] : null);
  const what = row.label === null ? answersOf(report) : `${report.noun}s`;
  const right = row.label === null ? "right" : row.label;
  const between = (bin) => `${decimal((bin.bin - 1) / row.number)} to ${decimal(bin.bin / row.number)}`;
  const bins = row.bins.map((bin) => {
    const [from, to] = [across((bin.bin - 1) / row.number), across(bin.bin / row.number)];
    const high = (COUNT_ROOM - 8) * (bin.items / most);
    const words = `${between(bin)}: ${plural(bin.items, what.slice(0, -1))}, mean confidence ${percent(bin.confidence)}, ${right} ${percent(bin.right)}, expected ${percent(bin.expected_low)} to ${percent(bin.expected_high)}`;
    const [lowest, highest] = [upward(bin.expected_low, bottom), upward(bin.expected_high, bottom)];
    const ask = (event) => countable && report.ask([term(`${side}-bin`, bin.bin)], event.shiftKey);
    return shape(
      "g", { class: countable ? "bin" : null, on: { click: ask } }, shape("title", {}, words),
      shape("rect", { x: from, width: to - from, y: TOP, height: HEIGHT - TOP - 14, class: "behind" }),
      shape("rect", { x: from + 0.5, width: to - from - 1, y: highest, height: Math.max(lowest - highest, 1), class: "band" }),
      shape("rect", { x: from + 1, width: to - from - 2, y: HEIGHT - 16 - high, height: high, class: `bar ${side}` }),
      shape("circle", { cx: across(bin.confidence), cy: upward(bin.right, bottom), r: 4, class: `dot ${side}` }),
    );
  });
  const diagonal = shape("line", { x1: across(0), y1: upward(0, bottom), x2: across(1), y2: upward(1, bottom), class: "zero" });
  const title = `${name}: share of ${what} that are ${right}, by confidence`;
  const ends = row.low === null ? "" : ` [${percent(row.low)}, ${percent(row.high)}]`;
  const chance = row.p < 0.0001 ? "p < 0.0001" : `p = ${pValue(row.p)}`;
  const note = `ECE ${percent(row.ece)}${ends}, ${percent(row.floor)} expected if calibrated, ${chance}`;
  const draw = (bin) => [
    nameCell(between(bin)), numberCell(countButton(report, bin.items, terms(bin), `${name}: confidence ${between(bin)}`)),
    numberCell(percent(bin.confidence)), numberCell(percent(bin.right)), numberCell(`${percent(bin.expected_low)} to ${percent(bin.expected_high)}`),
  ];
  const about = row.label === null ? "" : `, confidence in ${row.label}`;
  return element(
    "div", {},
    saveableFigure(`reliability-${name}`, element("p", { class: "caption" }, element("bdi", {}, name), `${about}: ${note}`), square(title, ["% confidence (bars: how many)", `% ${right}`], bottom, diagonal, bins)),
    element("details", { class: "as-table" }, element("summary", {}, "As a table"), tableWith({ heads: ["confidence", what, "mean", `% ${right}`, "expected if calibrated"], rows: row.bins.map(draw) })),
  );
}

// --- thresholds ---

/** The last point of a curve that a threshold lets through. @param {Result["curves"][number]} curve */
const pointAt = (curve, threshold) => curve.points.findLast((point) => point.threshold >= threshold);
const ratioOf = (part, all) => (all ? part / all : null);
const precisionOf = ({ tp, fp }) => ratioOf(tp, tp + fp);
const recallOf = ({ tp, fn }) => ratioOf(tp, tp + fn);
const falseAlarms = ({ fp, tn }) => ratioOf(fp, fp + (tn ?? 0));

/** Curves of one label with a threshold that moves their points and the table. @param {Report} report */
function curvesOf(report, found, label) {
  const curves = found.flatMap(({ side, name }) => (report.result.curves ?? []).filter((row) => row.system === name && row.label === label && row.points.length).map((curve) => ({ side, name, curve })));
  if (!curves.length) return [];
  const steps = [...new Set(curves.flatMap(({ curve }) => curve.points.map((point) => point.threshold)))].sort((one, other) => one - other);
  const applied = report.result.thresholds?.find((row) => row.applied && curves.some(({ name }) => name === row.system))?.value;
  const usual = applied ?? (steps[0] >= 0 && (steps.at(-1) ?? 0) <= 1 ? HALF : steps[steps.length >> 1]);
  const slider = element("input", { type: "range", id: "threshold", min: 0, max: steps.length - 1, step: 1, "aria-label": "Threshold" });
  slider.value = String(Math.max(0, steps.findIndex((step) => step >= usual)));
  const value = element("output", { for: "threshold" });
  const table = element("div", {});
  /** @type {[string, [string, string], (point: any) => number | null, (point: any) => number | null][]} */
  const ways = [["precision and recall", ["recall", "precision"], recallOf, precisionOf]];
  if (curves.every(({ curve }) => curve.label !== null && curve.points[0].tn !== null)) ways.push(["ROC", ["false alarms", "recall"], falseAlarms, recallOf]);
  const plots = ways.map(([title, names, x, y]) => plotOf(curves, title, names, x, y, (threshold) => {
    slider.value = String(steps.indexOf(threshold));
    move();
  }));
  const move = () => {
    const threshold = steps[Number(slider.value)];
    value.textContent = `Only ${label === null ? answersOf(report) : label} with a confidence of at least ${decimal(threshold)}`;
    slider.setAttribute("aria-valuetext", decimal(threshold));
    for (const plot of plots) plot.move(threshold);
    const draw = (one) => thresholdCells(report, one, pointAt(one.curve, threshold), threshold);
    table.replaceChildren(tableWith({ heads: ["system", answersOf(report), "right", "wrong", "precision", "recall", "F1"], rows: curves.map(draw) }));
    document.dispatchEvent(new CustomEvent("counts"));
  };
  slider.addEventListener("input", move);
  move();
  const note = element("p", { class: "soft" }, "Choose a threshold on other data (--choose): the best one here is not a result.");
  return [...plots.map(({ node }) => node), element("div", { class: "threshold" }, element("label", { htmlFor: "threshold" }, value), slider, table, note)];
}

/** A system at a threshold. @param {Report} report @param {any} one @param {Result["curves"][number]["points"][number] | undefined} point */
function thresholdCells(report, { side, name, curve }, point, threshold) {
  const { tp, fp, fn } = point ?? { tp: 0, fp: 0, fn: curve.points[0].tp + curve.points[0].fn };
  const { calibrations } = report.result;
  // Confidences of single labels of several are not on the page.
  const listed = report.texts?.confidence[report.view[side]] && calibrations.some((row) => row.system === name && row.label === curve.label);
  const from = term(`${side}-confidence`, point?.threshold ?? threshold, ">=");
  const right = curve.label === null ? term(`${side}-is`, "right") : term("gold", curve.label);
  const wrong = curve.label === null ? term(`${side}-is`, "wrong") : { ...right, not: true };
  const cell = (count, terms, meaning) => numberCell(countButton(report, count, listed ? terms : null, `${name}: ${meaning} from ${decimal(threshold)} on`));
  const f1 = ratioOf(2 * tp, 2 * tp + fp + fn);
  return [nameCell(name), cell(tp + fp, [from], answersOf(report)), cell(tp, [from, right], "right"), cell(fp, [from, wrong], "wrong"), ...[ratioOf(tp, tp + fp), ratioOf(tp, tp + fn), f1].map((score) => numberCell(percent(score)))];
}

/** Curves in a square, each with a dot at the threshold; a click chooses the nearest point. */
function plotOf(curves, title, names, x, y, choose) {
  const at = (point) => ({ cx: across(x(point) ?? 0), cy: upward(y(point) ?? 0) });
  const dots = curves.map(({ side }) => shape("circle", { r: 5, class: `dot ${side}` }));
  const lines = curves.map(({ side, curve }) => {
    const places = curve.points.filter((point) => x(point) !== null && y(point) !== null).map(at);
    return shape("path", { d: places.map(({ cx, cy }, place) => `${place ? "L" : "M"}${cx.toFixed(2)} ${cy.toFixed(2)}`).join(""), class: `line-${side}` });
  });
  const scores = curves.map(({ name, curve }) => `${name} ${writersOf("coefficient").written(names[0] === "recall" ? curve.average_precision : curve.auc)}`).join(", ");
  const caption = `${names[0] === "recall" ? "Precision and recall; average precision" : "ROC; area"}: ${scores}`;
  const svg = square(`${caption}`, names.map((name) => `% ${name}`), BOTTOM, lines, dots);
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    const [left, top] = [((event.clientX - box.left) * WIDTH) / box.width, ((event.clientY - box.top) * HEIGHT) / box.height];
    const away = (point) => Math.hypot(at(point).cx - left, at(point).cy - top);
    const points = curves.flatMap(({ curve }) => curve.points);
    choose(points.reduce((best, point) => (away(point) < away(best) ? point : best)).threshold);
  });
  const move = (threshold) => curves.forEach(({ curve }, place) => {
    const point = pointAt(curve, threshold);
    dots[place].toggleAttribute("hidden", !point);
    if (point) for (const [key, number] of Object.entries(at(point))) dots[place].setAttribute(key, String(number));
  });
  return { node: element("div", {}, saveableFigure(title.replace(/ /gu, "-"), element("p", { class: "caption" }, caption), svg)), move };
}
