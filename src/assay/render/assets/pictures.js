// Pictures of many runs, drawn from the Result: forests, bars of all pairs, orders, triangles of draws, and curves.
import { axisOf, chart, figuresPlot, heatMap, scaleOf, strip } from "./charts.js";
import { choiceOf } from "./controls.js";
import { element, shape } from "./dom.js";
import { plural, signed, signedTick, whole } from "./numbers.js";
import { saveableFigure } from "./picture.js";
import { makeReachable } from "./scroll.js";
import { nameCell, numberCell, panel, plotCell, tableWith, textCell } from "./tables.js";
/** @import { Report, Result } from "./report.js" */

const TALL = Math.sqrt(3) / 2;
const THIRDS = ["a", "equal", "b"];
const SHARES = { decision: "Share of posterior draws in which each outcome is the most probable", region: "Mean probability of each outcome on a new data set" };
// The model's own bounds, as multiples of what is seen in the data.
const PRIOR = { std0: 1000, delta0: 1 };

const unique = (names) => [...new Set(names)];
const definedValues = (values) => values.filter((value) => value !== null && value !== undefined);
const share = (value) => (value === null ? "–" : value.toFixed(3).replace(/^0/, ""));
const mostProbable = (shares) => THIRDS.reduce((first, name) => ((shares[name] ?? -1) > shares[first] ? name : first), "a");
const pairOf = ({ a, b, measure }) => `${a} and ${b}: ${measure}`;
const isFraction = (row) => row.by_data_set.length > 0 && row.by_data_set.every(({ a, b }) => Math.min(a, b) >= 0 && Math.max(a, b) <= 1);
const meaningOf = ({ a, b }, name) => ({ a: `${a} better`, equal: "practically equivalent", b: `${b} better` })[name];
/** True for one score per data set: the signed-rank test is about two new data sets. */
const isOfMeans = ({ model }) => model === "signed-rank";
/** The outcomes that shares are known of: two without a region. */
const outcomesOf = (shares) => THIRDS.filter((name) => shares.some((row) => row[name] !== null));

/** The meaning of each colour. */
function colourKey(row, outcomes) {
  const swatch = (name) => element("span", { class: `swatch ${name}`, "aria-hidden": "true" });
  return element("p", { class: "legend" }, outcomes.map((name) => element("span", { class: "key" }, swatch(name), element("bdi", {}, meaningOf(row, name)))));
}

// --- data set by data set ---

/** The least and the greatest difference to be drawn: the mean and the next data set may widen it, not dwarf it. @param {Result["bayes"][number]} row */
function differenceRange({ rope, mean, next, by_data_set }) {
  const core = definedValues([0, -rope, rope, ...by_data_set.flatMap(({ difference, estimate }) => [difference, estimate.low, estimate.high])]);
  const wider = definedValues([mean, next].flatMap((estimate) => [estimate?.low, estimate?.high]));
  const [low, high] = [Math.min(...core), Math.max(...core)];
  const more = 0.75 * (high - low || 0.01);
  return [Math.max(Math.min(low, ...wider), low - more), Math.min(Math.max(high, ...wider), high + more)];
}

/** @param {Result["bayes"][number]} row */
function forest(row) {
  const written = (value) => signed(value === null || isFraction(row) ? value : value / 100);
  const scale = scaleOf(differenceRange(row));
  const cells = (name, runs, measured, estimate) => {
    const numbers = `${written(estimate.mean)} [${written(estimate.low)}, ${written(estimate.high)}]`;
    const drawn = figuresPlot([{ ...estimate, value: estimate.mean }], scale, `${name}: ${numbers}`, { zero: true, band: row.rope, ring: measured });
    return [nameCell(name), numberCell(runs), plotCell(drawn), numberCell(measured === null ? "" : written(measured)), numberCell(numbers)];
  };
  const whole = [["mean over data sets", row.mean], ["another data set", row.next]].filter(([, estimate]) => estimate);
  const unit = isFraction(row) ? "points" : `units of ${row.measure}`;
  return tableWith({
    caption: `Difference in ${unit}. Left: ${row.a} is better; right: ${row.b} is better${row.rope ? "; grey: practically equivalent" : ""}. A bar that reaches the edge continues beyond it.`,
    heads: ["data set", "", () => axisOf(scale, isFraction(row) ? signedTick : (number) => signedTick(number / 100)), "measured", "estimate [95% interval]"],
    rows: [
      ...row.by_data_set.map(({ name, runs, difference, estimate }) => cells(name, plural(runs, "run"), difference, estimate)),
      ...whole.map(([name, estimate]) => cells(name, "", null, estimate)),
    ],
    kind: "rows stacked",
  });
}

// --- all pairs ---

/** A row per pair, a column per measure, in each a bar of three parts and their shares. @param {Result["bayes"]} rows */
function bars(rows, kind) {
  const measures = unique(rows.map((row) => row.measure));
  const pairs = rows.filter((row, place) => rows.findIndex(({ a, b }) => [a, b].includes(row.a) && [a, b].includes(row.b)) === place);
  const cell = (pair, measure) => {
    const row = rows.find(({ a, b, measure: other }) => other === measure && [a, b].includes(pair.a) && [a, b].includes(pair.b));
    if (!row) return textCell("not compared");
    const shares = row.a === pair.a ? row[kind] : { a: row[kind].b, equal: row[kind].equal, b: row[kind].a };
    const parts = THIRDS.map((name) => ({ name: meaningOf(pair, name), count: shares[name] ?? 0, kind: name }));
    const numbers = outcomesOf([shares]).map((name) => element(name === mostProbable(shares) ? "b" : "span", {}, share(shares[name])));
    return textCell(strip(parts, `${pairOf({ ...pair, measure })}: ${outcomesOf([shares]).map((name) => `${meaningOf(pair, name)} ${share(shares[name])}`).join(", ")}`), element("div", { class: "thirds" }, numbers));
  };
  return [
    colourKey({ a: "left system", b: "right system" }, outcomesOf(rows.map((row) => row[kind]))),
    tableWith({
      caption: rows.some(isOfMeans) ? SHARES[kind].replace("a new data set", "two new data sets") : SHARES[kind],
      heads: ["", "", ...measures],
      rows: pairs.map((pair) => [nameCell(pair.a), textCell(pair.b), ...measures.map((measure) => cell(pair, measure))]),
    }),
  ];
}

// --- the order ---

/** The order with shares, the systems in levels, the best first, and all relations: undecided ones dashed, those that the chain hides marked. @param {Result["rankings"][number]} ranking @param {Result["bayes"]} bayes */
function orderPicture({ measure, order: names, chain, headline, relations, intransitive }, bayes) {
  const turned = { "<": ">", ">": "<", "⪅": "⪆", "⪆": "⪅" };
  const signs = new Map(relations.flatMap(({ a, b, relation }) => [[`${a}\u0000${b}`, relation], [`${b}\u0000${a}`, turned[relation] ?? relation]]));
  const sign = (a, b) => signs.get(`${a}\u0000${b}`) ?? "";
  const tied = (a, b) => "≈⪅⪆".includes(sign(a, b) || " ");
  const hidden = (a, b) => "<>".includes(sign(a, b) || " ") && ((sign(a, b) === "<") === names.indexOf(a) > names.indexOf(b) || names.some((name) => tied(a, name) && tied(name, b)));
  const level = new Map();
  names.forEach((name, place) => level.set(name, Math.max(-1, ...names.slice(0, place).filter((worse) => sign(worse, name) === "<").map((worse) => level.get(worse))) + 1));
  const levels = unique(level.values()).sort((one, other) => other - one);
  const rowOf = (a, b) => bayes.find((one) => one.measure === measure && [one.a, one.b].includes(a) && [one.a, one.b].includes(b));
  const isOpen = (a, b) => rowOf(a, b)?.claims.includes("undecided") ?? false;
  const onLevel = (number) => names.filter((name) => level.get(name) === number);
  // A line to the level above, dashed unless all that lies between is decided.
  const link = (number) => {
    const open = onLevel(number).some((worse) => onLevel(number + 1).some((better) => isOpen(worse, better)));
    return chart(30, 16, open ? "undecided" : "decided", shape("line", { x1: 15, x2: 15, y1: 0, y2: 16, class: open ? "link undecided" : "link" }));
  };
  const boxes = (number, place) => element("li", {}, place ? link(number) : null, element("div", { class: "level" }, onLevel(number).map((name) => element("bdi", { class: "box" }, name))));
  // The share that the relation has: of A better, of B better, or of being equivalent.
  const shareOf = (a, b) => {
    const row = rowOf(a, b);
    if (!row) return "";
    const ahead = { ">": a, "<": b }[sign(a, b)];
    return share(row.decision[ahead === row.a ? "a" : ahead === row.b ? "b" : "equal"]);
  };
  const relation = (a, b) => element("span", { class: isOpen(a, b) ? "undecided" : null }, sign(a, b), " ", element("small", { class: "soft" }, shareOf(a, b)));
  const cell = (a, b) => element("td", { class: hidden(a, b) ? "hidden-by-chain" : null, title: a === b ? null : `${a} ${sign(a, b)} ${b}` }, a === b ? null : relation(a, b));
  const taken = "This order takes the most frequent relation of each pair, even if its share is small: ";
  return [
    element("p", { class: "order" }, headline || chain),
    headline && headline !== chain ? element("p", { class: "soft" }, taken, chain) : null,
    element("ol", { class: "levels", "aria-label": "Levels, the best first" }, levels.map(boxes)),
    element("p", { class: "soft" }, "Relation of the row's system to the column's, with its share of posterior draws. Dashed: undecided. Framed: not visible in the order above."),
    tableWith({ heads: ["", ...names], rows: names.map((a) => [nameCell(a), ...names.map((b) => cell(a, b))]) }),
    intransitive.map((sentence) => element("p", { class: "note" }, sentence)),
  ];
}

// --- ranks and scores over data sets ---

/** The critical-difference diagram: mean ranks on a line, 1 is the best; a bar joins systems with a common letter. @param {Result["ranks"][number]} row */
function rankPicture({ measure, data_sets, ranks, groups, critical_difference, by }) {
  const names = Object.keys(ranks);
  const [low, top, side, step] = [Math.floor(Math.min(...Object.values(ranks))), by === "nemenyi" ? 58 : 34, 170, 20];
  const high = Math.max(low + 1, Math.ceil(Math.max(...Object.values(ranks))));
  const letters = unique([...Object.values(groups).join("")]).map((letter) => names.filter((name) => groups[name].includes(letter)));
  const joined = letters.filter((group) => group.length > 1);
  const [half, width, under] = [Math.ceil(names.length / 2), 660, top + 9 * joined.length + 8];
  const x = (rank) => side + ((rank - low) / (high - low)) * (width - 2 * side);
  const line = (x1, y1, x2, y2, kind) => shape("line", { x1, y1, x2, y2, class: kind });
  const ticks = Array.from({ length: high - low + 1 }, (_, place) => low + place);
  const label = (name, place) => {
    const left = place < half;
    const y = under + step * (left ? place : names.length - 1 - place) + step / 2;
    const end = left ? side - 6 : width - side + 6;
    const text = shape("text", { x: end + (left ? -4 : 4), y: y + 4, "text-anchor": left ? "end" : "start" }, `${name}  ${ranks[name].toFixed(2)}`);
    return [line(x(ranks[name]), top, x(ranks[name]), y, "rail"), line(x(ranks[name]), y, end, y, "rail"), text];
  };
  const test = by === "nemenyi" ? "Nemenyi's test, p > 0.05" : "Wilcoxon's signed-rank test, p > 0.05 after Holm";
  const title = `Mean ranks by ${measure} over ${plural(data_sets, "data set")}, 1 is the best. Bars join systems that do not differ significantly (${test}).`;
  return [
    element("p", { class: "soft" }, title),
    chart(
      width, under + step * half, title,
      line(x(low), top, x(high), top, "span"),
      ticks.map((tick) => [line(x(tick), top - 6, x(tick), top, "span"), shape("text", { x: x(tick), y: top - 10, "text-anchor": "middle" }, tick)]),
      by === "nemenyi" && [line(x(low), 18, x(low + critical_difference), 18, "span"), shape("text", { x: x(low), y: 12 }, `critical difference ${critical_difference.toFixed(2)}`)],
      names.map(label),
      joined.map((group, place) => {
        const [from, to] = [x(ranks[group[0]]) - 3, x(ranks[group[group.length - 1]]) + 3];
        return shape("rect", { x: from, y: top + 9 * place + 6, width: to - from, height: 4, class: "dot" });
      }),
    ),
  ];
}

/** A table of scores as a heat map; the best of a data set is bold. @param {Result["tables"][number]} table */
function scoreMap({ title, header, rows, forms, bold }) {
  const isPercent = forms.at(-1) === "marked";
  const scores = rows.flatMap((row, down) => row.slice(1).map((cell, place) => ({ row: row[0], column: header[place + 1], value: Array.isArray(cell) ? cell[1] : null, best: bold.some(([y, at]) => y === down && at === place + 1) })));
  const shown = scores.filter(({ value }) => value !== null);
  const [least, most] = [Math.min(...shown.map(({ value }) => value)), Math.max(...shown.map(({ value }) => value))];
  const cells = shown.map(({ row, column, value, best }) => ({ row, column, count: ((value - least) / (most - least || 1)) ** 2, content: element(best ? "b" : "span", {}, isPercent ? (100 * value).toFixed(1) : String(Number(value.toPrecision(4)))) }));
  return heatMap(cells, { rows: unique(cells.map(({ row }) => row)), columns: unique(cells.map(({ column }) => column)), caption: `${title}; the darker, the higher`, corner: header[0] });
}

// --- triangles of draws ---

/** A's corner at the bottom left, B's at the bottom right, equality's on top; the stronger, the more draws. @param {Result["bayes"][number]} row */
function triangle(row, most, side = 150) {
  const { a, b, decision, sides, simplex } = row;
  const [left, base] = [20, 24 + side * TALL];
  const at = (first, second) => [left + side * (second + (1 - first - second) / 2), base - side * TALL * (1 - first - second)].map((number) => number.toFixed(1)).join(" ");
  const corners = ({ a: first, b: second, up }) => [[first + 1, second], [first, second + 1], up ? [first, second] : [first + 1, second + 1]];
  const dark = (draws) => (0.08 + 0.92 * (Math.log(draws) / Math.log(Math.max(most, 2)))).toFixed(2);
  const drawn = (cell) => shape("path", { d: `M${corners(cell).map(([x, y]) => at(x / sides, y / sides)).join("L")}Z`, class: "cell", opacity: dark(cell.draws) });
  const text = (name, x, y, anchor, content) => shape("text", { x, y, "text-anchor": anchor, class: mostProbable(decision) === name ? "likeliest" : null }, content);
  const middle = at(1 / 3, 1 / 3);
  const title = `${pairOf(row)}. ${SHARES.decision}: ${outcomesOf([decision]).map((name) => `${meaningOf(row, name)} ${share(decision[name])}`).join(", ")}`;
  return chart(
    side + 2 * left, base + 40, title,
    decision.equal === null ? histogram(row, left, base, side) : [
      simplex.map(drawn),
      shape("path", { d: `M${at(1, 0)}L${at(0, 1)}L${at(0, 0)}Z`, class: "frame" }),
      shape("path", { d: `M${middle}L${at(0.5, 0.5)}M${middle}L${at(0.5, 0)}M${middle}L${at(0, 0.5)}`, class: "border" }),
      text("equal", left + side / 2, 16, "middle", `≈ ${share(decision.equal)}`),
    ],
    text("a", 2, base + 16, "start", a), text("a", 2, base + 31, "start", share(decision.a)),
    text("b", side + 2 * left - 2, base + 16, "end", b), text("b", side + 2 * left - 2, base + 31, "end", share(decision.b)),
  );
}

/** Without a region of equality all draws lie on the lower side: bars on it. @param {Result["bayes"][number]} row */
function histogram({ simplex, sides }, left, base, side) {
  const columns = Array(sides).fill(0);
  for (const { b, draws } of simplex) columns[b] += draws;
  const [step, most] = [side / sides, Math.max(...columns)];
  const tall = (draws) => (draws / most) * side * TALL * 0.9;
  return [
    columns.map((draws, place) => shape("rect", { x: left + place * step, y: base - tall(draws), width: step, height: tall(draws), class: "cell" })),
    shape("path", { d: `M${left} ${base}H${left + side}M${left + side / 2} ${base}V24`, class: "border" }),
  ];
}

/** @param {Result["bayes"]} rows @param {number} [side] */
function triangles(rows, side) {
  const most = Math.max(...rows.flatMap((row) => row.simplex.map((cell) => cell.draws)));
  const draws = unique(rows.map((row) => row.simplex.reduce((sum, cell) => sum + cell.draws, 0)));
  const caption = `${draws.length === 1 ? `${whole(draws[0])} posterior draws` : "Posterior draws"}. At each corner: the share of draws in which this outcome is the most probable. Dotted lines: where the most probable outcome changes. The darkest cell contains ${plural(most, "draw")}.`;
  return [element("p", { class: "soft" }, caption), element("div", { class: "triangles" }, rows.map((row) => triangle(row, most, side)))];
}

// --- other regions and priors ---

/** What is varied: the region of equality, and each bound of the prior while the other is the model's own. @param {Result["bayes"][number]} row */
function variedSettings(row) {
  const scale = isFraction(row) ? 100 : 1;
  const prior = (name, other) => row.prior_curve.filter((point) => point[other] === PRIOR[other]).map((point) => ({ x: point[name], point }));
  return [
    { label: `region of equivalence, ± ${isFraction(row) ? "points" : `units of ${row.measure}`}`, points: row.rope_curve.map((point) => ({ x: scale * point.rope, point })), chosen: scale * row.rope, at: (x) => x },
    { label: "prior: most spread among data sets, ×", points: prior("std0", "delta0"), chosen: PRIOR.std0, at: Math.log10 },
    { label: "prior: greatest mean difference, ×", points: prior("delta0", "std0"), chosen: PRIOR.delta0, at: Math.log10 },
  ].filter(({ points }) => unique(points.map(({ x }) => x)).length > 1);
}

function curve({ label, points, chosen, at }, kind, outcomes) {
  const [width, height, left, right, top, base] = [280, 190, 30, 26, 20, 140];
  const sorted = [...points].sort((one, other) => one.x - other.x);
  const [first, last] = [sorted[0].x, sorted.at(-1).x];
  const [low, high] = [at(first), at(last)];
  const x = (value) => left + ((at(value) - low) / (high - low)) * (width - left - right);
  const y = (value) => base - (value ?? 0) * (base - top);
  const path = (name) => sorted.map((part, place) => `${place ? "L" : "M"}${x(part.x)} ${y(part.point[kind][name])}`).join("");
  const ticks = at === Math.log10 ? sorted.map((part) => part.x) : [first, (first + last) / 2, last];
  return chart(
    width, height, `${label}. ${SHARES[kind]}`,
    [0, 0.5, 1].map((level) => [
      shape("line", { x1: left, x2: width - right, y1: y(level), y2: y(level), class: "grid" }),
      shape("text", { x: left - 5, y: y(level) + 4, "text-anchor": "end" }, level),
    ]),
    ticks.map((tick) => shape("text", { x: x(tick), y: base + 16, "text-anchor": "middle" }, Number(tick.toPrecision(3)))),
    shape("line", { x1: x(chosen), x2: x(chosen), y1: top - 4, y2: base, class: "zero" }),
    shape("text", { x: x(chosen), y: top - 8, "text-anchor": "middle" }, "chosen"),
    outcomes.map((name) => shape("path", { d: path(name), class: `curve ${name}` })),
    shape("text", { x: (left + width - right) / 2, y: base + 36, "text-anchor": "middle" }, label),
  );
}

/** @param {Result["bayes"][number]} row */
function curves(row) {
  const outcomes = outcomesOf([row.decision]);
  const rows = (kind) => [element("h3", {}, SHARES[kind]), element("div", { class: "triangles" }, variedSettings(row).map((part) => curve(part, kind, outcomes)))];
  return [colourKey(row, outcomes), Object.keys(SHARES).map(rows)];
}

// --- all of them ---

/** Functions that draw the pictures of a Result, by title. @param {Result} result */
function picturesOf({ bayes, rankings, ranks, tables }) {
  const drawn = bayes.filter((row) => row.simplex.length);
  /** @type {Map<string, () => any>} */
  const pictures = new Map();
  for (const row of rankings) pictures.set(`Order by ${row.measure}`, () => orderPicture(row, bayes));
  for (const row of bayes) if (row.by_data_set.length) pictures.set(`${pairOf(row)}, data set by data set`, () => forest(row));
  for (const row of ranks) pictures.set(`Ranks by ${row.measure}`, () => rankPicture(row));
  for (const table of tables) if (table.name === "scores") pictures.set(table.title, () => scoreMap(table));
  pictures.set("Decision shares of all pairs", () => bars(bayes, "decision"));
  pictures.set(`Expected outcomes on ${bayes.some(isOfMeans) ? "two new data sets" : "a new data set"}`, () => bars(bayes, "region"));
  for (const measure of unique(drawn.map((row) => row.measure))) {
    const rows = drawn.filter((row) => row.measure === measure);
    if (rows.length > 1) pictures.set(`All pairs: ${measure}`, () => triangles(rows));
  }
  for (const row of drawn) pictures.set(`${pairOf(row)}, posterior draws`, () => triangles([row], 340));
  for (const row of bayes) if (variedSettings(row).length) pictures.set(`${pairOf(row)}, with other regions and priors`, () => curves(row));
  return pictures;
}

/** A chooser and the chosen picture, first the order; null if there are none. @param {Report} report */
export function pictureSection(report) {
  if (!report.result.bayes?.length) return null;
  const pictures = picturesOf(report.result);
  const place = element("div", { class: "picture" });
  const choice = choiceOf({ id: "picture", "aria-label": "Picture" }, [...pictures.keys()].map((title) => [title, title]));
  choice.addEventListener("change", () => report.change({ picture: choice.value }, "open"));
  report.follow(() => {
    const { picture } = report.view;
    const [[first]] = pictures;
    choice.value = picture !== null && pictures.has(picture) ? picture : first;
    place.replaceChildren(saveableFigure(choice.value, makeReachable(element("div", { class: "scroll" }, pictures.get(choice.value)?.()), choice.value)));
  });
  return panel("pictures", "Pictures", choice, place);
}
