// Pictures of many runs, drawn from the Result: forests, bars of all pairs, orders, triangles of draws, and curves.
import { axisOf, chart, figuresPlot, heatMap, scaleOf, strip } from "./charts.js";
import { buttonFor } from "./controls.js";
import { element, find, findAll, shape } from "./dom.js";
import { plural, signed, signedTick, whole } from "./numbers.js";
import { saveableFigure } from "./picture.js";
import { bringUp } from "./scroll.js";
import { chosenMeasure, measureButtons, setsPanel, unique } from "./sets.js";
import { nameCell, numberCell, panel, plotCell, tableWith, tabs, textCell } from "./tables.js";
/** @import { Report, Result } from "./report.js" */

const TALL = Math.sqrt(3) / 2;
const FEW_SENTENCES = 10;
const THIRDS = ["a", "equal", "b"];
const SHARES = { decision: "Share of posterior draws in which each outcome is the most probable", region: "Mean probability of each outcome on a new data set" };
// The model's own bounds, as multiples of what is seen in the data.
const PRIOR = { std0: 1000, delta0: 1 };

const definedValues = (values) => values.filter((value) => value !== null && value !== undefined);
const share = (value) => (value === null ? "–" : value.toFixed(3).replace(/^0/, ""));
const mostProbable = (shares) => THIRDS.reduce((first, name) => ((shares[name] ?? -1) > shares[first] ? name : first), "a");
const pairOf = ({ a, b, measure }) => `${a} and ${b}: ${measure}`;
const isFraction = (row) => row.by_data_set.length > 0 && row.by_data_set.every(({ a, b }) => Math.min(a, b) >= 0 && Math.max(a, b) <= 1);
const meaningOf = ({ a, b }, name) => ({ a: `${a} better`, equal: "practically equivalent", b: `${b} better` })[name];
/** True for one score per data set: the signed-rank test is about two new data sets. */
const isOfMeans = ({ model }) => model === "signed-rank";
/** True for the correlated t-test, which is about one data set. */
const isAlone = ({ model }) => model === "correlated-t";
/** What the shares of these rows are. @param {Result["bayes"]} rows @param {string} kind */
const titleOfShares = (rows, kind) => (rows.every(isAlone) ? "Posterior probability of each outcome on this data set" : rows.some(isOfMeans) ? SHARES[kind].replace("a new data set", "two new data sets") : SHARES[kind]);
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

/** The differences on each data set; with one score for each system and data set, they have no intervals. @param {Result["bayes"][number]} row @param {Result["scores"]} scores @returns {any[]} */
function differencesOf(row, scores) {
  if (!isOfMeans(row)) return row.by_data_set;
  const own = scores.filter(({ measure, slice, value }) => measure === row.measure && slice && value !== null);
  const scoreOf = (system, slice) => own.find((score) => score.system === system && score.slice === slice);
  const number = unique(own.map(({ system }) => system)).length;
  // Data sets that a system lacks are left out of all tests.
  return unique(own.map(({ slice }) => slice)).filter((slice) => own.filter((score) => score.slice === slice).length === number).map((slice) => [slice, scoreOf(row.a, slice), scoreOf(row.b, slice)]).filter(([, a, b]) => a && b).map(([slice, a, b]) => {
    const difference = (a.lower ? -1 : 1) * (b.value - a.value);
    return { name: slice.replace("dataset:", ""), runs: 1, a: a.value, b: b.value, difference, estimate: { mean: difference, low: null, high: null } };
  });
}

/** @param {Result["bayes"][number]} row */
function forest(row) {
  const written = (value) => signed(value === null || isFraction(row) ? value : value / 100);
  const scale = scaleOf(differenceRange(row));
  const estimated = !isOfMeans(row);
  const cells = (name, runs, measured, estimate) => {
    const numbers = `${written(estimate.mean)}${estimate.low === null ? "" : ` [${written(estimate.low)}, ${written(estimate.high)}]`}`;
    const drawn = figuresPlot([{ ...estimate, value: estimate.mean }], scale, `${name}: ${numbers}`, { zero: true, band: row.rope, ring: estimated ? measured : null });
    // A phone has no room for the number of runs and the measured difference; the plot shows the latter too.
    const wide = (text) => (estimated ? element("td", { class: "n interval" }, text) : []);
    return [nameCell(name), wide(runs), plotCell(drawn), wide(measured === null ? "" : written(measured)), numberCell(numbers)];
  };
  const whole = isAlone(row) ? [] : [["mean over data sets", row.mean], ["another data set", row.next]].filter(([, estimate]) => estimate);
  const unit = isFraction(row) ? "points" : `units of ${row.measure}`;
  return tableWith({
    caption: `Difference in ${unit}. Left: ${row.a} is better; right: ${row.b} is better${row.rope ? "; grey: practically equivalent" : ""}.${estimated ? " Ring: measured; dot: estimate. A bar that reaches the edge continues beyond it." : ""}`,
    heads: ["data set", ...(estimated ? [""] : []), () => axisOf(scale, isFraction(row) ? signedTick : (number) => signedTick(number / 100)), ...(estimated ? ["measured", "estimate [95% interval]"] : ["difference"])],
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
      caption: titleOfShares(rows, kind),
      heads: ["", "", ...measures],
      rows: pairs.map((pair) => [nameCell(pair.a), textCell(pair.b), ...measures.map((measure) => cell(pair, measure))]),
    }),
  ];
}

// --- the order ---

const TURNED = { "<": ">", ">": "<", "⪅": "⪆", "⪆": "⪅" };
const pairKey = (a, b) => `${a}\u0000${b}`;
/** True for the row of these two systems, in any order. */
const isOf = (a, b) => (row) => [row.a, row.b].includes(a) && [row.a, row.b].includes(b);
const isUndecided = (row) => row?.claims.includes("undecided") ?? false;

/** The systems in levels, the best first; a line between levels is dashed unless all that lies between is decided. @param {Result["rankings"][number]} ranking @param {Result["bayes"]} rows @param {(name: string) => any} box */
function orderPicture({ order: names, relations }, rows, box) {
  const signs = new Map(relations.map(({ a, b, relation }) => [pairKey(a, b), relation]));
  const level = new Map();
  names.forEach((name, place) => level.set(name, Math.max(-1, ...names.slice(0, place).filter((worse) => signs.get(pairKey(worse, name)) === "<").map((worse) => level.get(worse))) + 1));
  const levels = unique(level.values()).sort((one, other) => other - one);
  const onLevel = (number) => names.filter((name) => level.get(name) === number);
  const link = (number) => {
    const open = onLevel(number).some((worse) => onLevel(number + 1).some((better) => isUndecided(rows.find(isOf(worse, better)))));
    return chart(30, 16, open ? "undecided" : "decided", shape("line", { x1: 15, x2: 15, y1: 0, y2: 16, class: open ? "link undecided" : "link" }));
  };
  const items = levels.map((number, place) => element("li", {}, place ? link(number) : null, element("div", { class: "level" }, onLevel(number).map(box))));
  return element("ol", { class: "levels", "aria-label": "Levels, the best first" }, items);
}

/** The relation of each two systems with its share: undecided ones dashed, those that the chain hides framed. A click chooses the pair. @param {Result["rankings"][number]} ranking @param {Result["bayes"]} rows */
function pairMap({ order, relations }, rows, isChosen, choose) {
  const signs = new Map(relations.flatMap(({ a, b, relation }) => [[pairKey(a, b), relation], [pairKey(b, a), TURNED[relation] ?? relation]]));
  const sign = (a, b) => signs.get(pairKey(a, b)) ?? "";
  const tied = (a, b) => "≈⪅⪆".includes(sign(a, b) || " ");
  const hidden = (a, b) => "<>".includes(sign(a, b) || " ") && ((sign(a, b) === "<") === order.indexOf(a) > order.indexOf(b) || order.some((name) => tied(a, name) && tied(name, b)));
  const names = [...order].reverse();
  const cells = rows.flatMap((row) => [[row.a, row.b], [row.b, row.a]].map(([a, b]) => {
    // The share that the relation has: of A better, of B better, or of being equivalent.
    const ahead = { ">": a, "<": b }[sign(a, b)];
    const part = row.decision[ahead === row.a ? "a" : ahead === row.b ? "b" : "equal"];
    const seen = `${sign(a, b)} ${share(part)}`;
    const title = `${a} ${sign(a, b)} ${b}`;
    const about = { class: "count", title, "data-a": a, "data-b": b, "aria-pressed": String(isChosen(a, b)), "aria-label": `${seen}: ${title}${isUndecided(row) ? ", undecided" : ""}` };
    const kinds = [isUndecided(row) ? "undecided" : "", hidden(a, b) ? "hidden-by-chain" : ""].filter(Boolean).join(" ");
    return { row: a, column: b, count: isUndecided(row) ? null : 1, content: buttonFor(() => choose(a, b), about, element("span", { class: kinds || null }, sign(a, b), " ", element("small", {}, share(part)))) };
  }));
  const framed = cells.some(({ row, column }) => hidden(row, column)) ? " Framed: not visible in the order." : "";
  return heatMap(cells, { rows: names, columns: names, corner: "system", caption: `Relation of the row's system to the column's, with its ${rows.every(isAlone) ? "posterior probability" : "share of posterior draws"}. Dashed: undecided.${framed}` });
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
  const title = `${pairOf(row)}. ${titleOfShares([row], "decision")}: ${outcomesOf([decision]).map((name) => `${meaningOf(row, name)} ${share(decision[name])}`).join(", ")}`;
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
  const caption = `${draws.length === 1 ? `${whole(draws[0])} posterior draws` : "Posterior draws"}. At each corner: the share of draws in which this outcome is the most probable. Dotted lines: where the most probable outcome changes. The cell with the strongest colour contains ${plural(most, "draw")}.`;
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

function curve({ label, points, chosen, at }, kind, outcomes, caption) {
  const [width, height, left, right, top, base] = [280, 190, 30, 26, 20, 140];
  const sorted = [...points].sort((one, other) => one.x - other.x);
  const [first, last] = [sorted[0].x, sorted.at(-1).x];
  const [low, high] = [at(first), at(last)];
  const x = (value) => left + ((at(value) - low) / (high - low)) * (width - left - right);
  const y = (value) => base - (value ?? 0) * (base - top);
  const path = (name) => sorted.map((part, place) => `${place ? "L" : "M"}${x(part.x)} ${y(part.point[kind][name])}`).join("");
  const ticks = at === Math.log10 ? sorted.map((part) => part.x) : [first, (first + last) / 2, last];
  return chart(
    width, height, `${label}. ${caption}`,
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
  const rows = (kind) => [element("h3", {}, titleOfShares([row], kind)), element("div", { class: "triangles" }, variedSettings(row).map((part) => curve(part, kind, outcomes, titleOfShares([row], kind))))];
  return [colourKey(row, outcomes), (isAlone(row) ? ["decision"] : Object.keys(SHARES)).map(rows)];
}

// --- the page ---

/** The panels of many runs: the order and all pairs, the chosen pair, data sets, and what is known about all pairs. @param {Report} report */
export function runPanels(report) {
  const { bayes, rankings } = report.result;
  const measures = unique(bayes.map((row) => row.measure));
  const measure = chosenMeasure(report, measures);
  const rows = bayes.filter((row) => row.measure === measure);
  const ranking = rankings.find((row) => row.measure === measure);
  return [ranking ? orderPanel(report, measures, ranking, rows) : measureButtons(report, measures), pairPanel(report, rows, measure), sentences(report, rows), setsPanel(report), allPairsPanel(report, rows)];
}

const SIGNS = "a < b: a is worse; a ≈ b: practically equivalent (share or posterior probability at least .95). a ? b: undecided; the most frequent relation and its share follow. a = b: identical scores.";

/** The order of systems and the map of all pairs; two clicks on systems, or one on the map, choose a pair. @param {Report} report @param {string[]} measures @param {Result["rankings"][number]} ranking @param {Result["bayes"]} rows */
function orderPanel(report, measures, ranking, rows) {
  const { chain, headline, intransitive, order } = ranking;
  const many = order.length > 2;
  const pair = report.pair();
  /** @type {string | null} */
  let waiting = null;
  const choose = (a, b) => {
    const [first, second] = [a, b].map((name) => report.systems.indexOf(name));
    report.choosePair(Math.min(first, second), Math.max(first, second));
    find(`#order [data-a="${CSS.escape(a)}"][data-b="${CSS.escape(b)}"]`).focus({ preventScroll: true });
    bringUp("pair");
  };
  const hint = element("p", { class: "soft", role: "status" }, many ? "Click two systems, or a cell of the map, to see what is known about them." : "");
  const show = (name) => {
    waiting = name === waiting ? null : name;
    hint.textContent = waiting === null ? "Click two systems." : `${waiting}: now choose the system to compare it with.`;
    for (const button of findAll("#order .box")) button.setAttribute("aria-pressed", String(waiting === null ? pair.includes(button.dataset.system) : button.dataset.system === waiting));
  };
  const press = (name) => (waiting === null || waiting === name ? show(name) : choose(waiting, name));
  const box = (name) => (many ? buttonFor(() => press(name), { class: "box", "data-system": name, "aria-pressed": String(pair.includes(name)) }, element("bdi", {}, name)) : element("bdi", { class: "box" }, name));
  const drawn = [
    element("p", { class: "order" }, headline || chain),
    element("p", { class: "soft" }, SIGNS, headline && headline !== chain ? ` The most frequent relations alone, even if their share is small: ${chain}.` : ""),
    orderPicture(ranking, rows, box),
    intransitive.map((sentence) => element("p", { class: "note" }, sentence)),
  ];
  const map = many ? saveableFigure(`pairs-${ranking.measure}`, pairMap(ranking, rows, (a, b) => pair.includes(a) && pair.includes(b), choose)) : null;
  return panel("order", `Order by ${ranking.measure}`, measureButtons(report, measures), hint, element("div", { class: "twins picture" }, saveableFigure(`order-${ranking.measure}`, drawn), map));
}

/** What is known about the chosen pair: a sentence, each data set, and the posterior draws. @param {Report} report @param {Result["bayes"]} rows */
function pairPanel(report, rows, measure) {
  const [a, b] = report.pair();
  const row = rows.find(isOf(a, b));
  if (!row) return panel("pair", `${a} and ${b}: ${measure}`, element("p", { class: "soft" }, "These two systems were not compared."));
  const [sentence, rest] = report.packed.posteriors[report.result.bayes.indexOf(row)];
  const shown = { ...row, by_data_set: differencesOf(row, report.result.scores) };
  const figures = [
    shown.by_data_set.length ? saveableFigure(`forest-${pairOf(row)}`, forest(shown)) : null,
    row.simplex.length ? saveableFigure(`simplex-${pairOf(row)}`, triangles([row], 260)) : null,
  ];
  const varied = variedSettings(row).length ? folded("With other regions and priors", false, saveableFigure(`curves-${pairOf(row)}`, curves(row))) : null;
  return panel("pair", pairOf(row), element("p", { class: "verdict small" }, sentence), rest ? element("p", { class: "soft" }, rest) : null, element("div", { class: "twins picture" }, figures), varied);
}

/** What can be unfolded. */
const folded = (title, open, ...content) => element("details", { class: "fold picture", open }, element("summary", {}, title), content);

/** Each pair in a sentence. @param {Report} report @param {Result["bayes"]} rows */
function sentences(report, rows) {
  if (rows.length < 2) return null;
  const items = rows.map((row) => element("li", {}, report.packed.posteriors[report.result.bayes.indexOf(row)][0]));
  return element("section", { id: "sentences", class: "panel", "aria-label": "Sentences" }, folded(`Each of ${plural(rows.length, "pair")} in a sentence`, rows.length <= FEW_SENTENCES, element("ul", {}, items)));
}

/** The shares of all pairs, and their triangles. @param {Report} report @param {Result["bayes"]} rows */
function allPairsPanel(report, rows) {
  const { bayes } = report.result;
  const drawn = rows.filter((row) => row.simplex.length);
  const figure = (name, ...content) => element("div", { class: "picture" }, saveableFigure(name, content));
  /** @type {[string, string, any][]} */
  const parts = [["decision", "Which is better", figure("decision", bars(bayes, "decision"))]];
  if (!bayes.every(isAlone)) parts.push(["region", bayes.some(isOfMeans) ? "On two new data sets" : "On a new data set", figure("region", bars(bayes, "region"))]);
  if (drawn.length > 1) parts.push(["draws", "Posterior draws", figure("simplex", triangles(drawn))]);
  return panel("pairs", "All pairs", tabs("All pairs", parts, report.view.tab, (tab) => report.change({ tab }, "open")));
}
