// Many data sets: the scores of all systems as a map that leads to the page of each data set, and their ranks.
import { chart, heatMap } from "./charts.js";
import { buttonFor, choiceOf } from "./controls.js";
import { element, find, shape } from "./dom.js";
import { plural, pValue, writersOf } from "./numbers.js";
import { saveableFigure } from "./picture.js";
import { scrollBox } from "./scroll.js";
import { panel } from "./tables.js";
/** @import { Report, Result } from "./report.js" */

const SET = "dataset:";
const BEST = "the best on each data set";
const [WORSE, BETTER] = ["▼", "▲"];
/** Each name once, in order. */
export const unique = (names) => [...new Set(names)];

/** True for a page over several data sets. @param {Report} report */
export function hasSets({ result }) {
  return Boolean(result.tables_only) && result.scores.some(({ slice }) => slice?.startsWith(SET));
}

/** The measure that the reader has chosen, or the first. @param {Report} report @param {string[]} measures */
export function chosenMeasure(report, measures) {
  return measures.find((measure) => measure === report.view.by) ?? measures[0];
}

/** Buttons that choose a measure; null if there is only one. @param {Report} report @param {string[]} measures */
export function measureButtons(report, measures) {
  if (measures.length < 2) return null;
  const choose = (measure) => () => {
    report.change({ by: measure }, "pair");
    find(`[data-measure="${CSS.escape(measure)}"]`).focus({ preventScroll: true });
  };
  const button = (measure) => buttonFor(choose(measure), { "data-measure": measure, "aria-pressed": String(measure === chosenMeasure(report, measures)) }, report.title(measure));
  return element("div", { class: "choices", role: "group", "aria-label": "Measure" }, measures.map(button));
}

/** Scores on each data set, and ranks; null if there is only one data set. @param {Report} report */
export function setsPanel(report) {
  const measures = unique(report.mainScores().map((row) => row.measure));
  const measure = chosenMeasure(report, measures);
  const rows = report.result.scores.filter((row) => row.main && row.label === null && row.measure === measure && row.slice?.startsWith(SET));
  if (unique(rows.map((row) => row.slice)).length < 2) return null;
  const ranks = report.result.ranks?.find((row) => row.measure === measure);
  const buttons = report.result.command === "bayes" ? null : measureButtons(report, measures);
  const figures = element("div", { class: "twins" }, element("div", {}, scoreMap(report, measure, rows)), ranks ? saveableFigure(`ranks-${measure}`, rankPicture(ranks)) : null);
  return panel("data-sets", "Scores on each data set", buttons, figures);
}

/** The systems with which each other one is tested, on some data set. @param {Result["comparisons"]} tests @param {string[]} systems */
function references(tests, systems) {
  const known = new Set(tests.flatMap(({ a, b }) => [`${a}\u0000${b}`, `${b}\u0000${a}`]));
  return systems.filter((name) => tests.length && systems.every((other) => other === name || known.has(`${name}\u0000${other}`)));
}

/** Systems and data sets, the more numerous as rows; marked are significant differences from the best or from one system. @param {Report} report @param {Result["scores"]} rows */
function scoreMap(report, measure, rows) {
  const { result, packed, view } = report;
  const form = result.command !== "bayes" ? report.formOf(rows[0]) : rows.every(({ value }) => value === null || (value >= 0 && value <= 1)) ? "percent" : "plain";
  const { written, difference } = writersOf(form);
  const sets = unique(rows.map((row) => row.slice ?? ""));
  const systems = unique([...report.ranked(measure), ...rows].map((row) => row.system));
  const goodOf = ({ value, lower }) => (value === null ? -Infinity : lower ? -value : value);
  const highest = Object.fromEntries(sets.map((slice) => [slice, Math.max(...rows.filter((row) => row.slice === slice).map(goodOf))]));
  const below = (row) => highest[row.slice] - goodOf(row);
  const isCommon = (slice) => rows.filter((row) => row.slice === slice && row.value !== null).length === systems.length;
  const most = Math.max(...rows.filter(({ value }) => value !== null).map(below));
  const tests = result.comparisons.filter((row) => row.measure === measure && row.score === rows[0].score && row.slice?.startsWith(SET) && row.test !== "mcnemar");
  const able = references(tests, systems);
  const options = able.length === systems.length ? [BEST, ...able] : able;
  const against = options.find((name) => name === view.against) ?? options[0];
  /** The test of a score against the system chosen: its sign, and what it says. */
  const testOf = (row) => {
    const other = against === BEST ? rows.find((one) => one.slice === row.slice && one.value !== null && !below(one))?.system : against;
    const test = tests.find((one) => one.slice === row.slice && [one.a, one.b].includes(row.system) && [one.a, one.b].includes(other ?? "") && row.system !== other);
    if (!test) return { sign: "", other, said: "" };
    const ahead = (test.b === row.system ? 1 : -1) * test.difference;
    const sign = !test.claims.includes("significant") ? "" : (test.lower ? -ahead : ahead) > 0 ? BETTER : WORSE;
    return { sign, other, said: `, ${difference(ahead)} from ${other}, p (Holm) ${pValue(test.p_adjusted)}` };
  };
  const nameOf = (slice) => slice.slice(SET.length);
  const across = systems.length > sets.length;
  const place = (system, slice) => (across ? { row: system, column: slice } : { row: slice, column: system });
  const cells = rows.map((row) => {
    const best = systems.length > 1 && isCommon(row.slice) && !below(row);
    const { sign, other, said } = testOf(row);
    const ends = row.low === null ? "" : ` [${written(row.low)}, ${written(row.high)}]`;
    const text = element(best ? "b" : "span", {}, written(row.value));
    const mark = sign ? element("span", { class: "sign" }, sign) : null;
    const title = `${row.system} on ${nameOf(row.slice ?? "")}: ${written(row.value)}${ends}${said}`;
    const page = packed.pages[nameOf(row.slice ?? "")];
    const pair = new URLSearchParams(other && other !== row.system ? { a: row.system, b: other } : { a: row.system });
    // Headings lead to the same pages, so the keyboard need not pass through each cell.
    const content = page ? element("a", { href: `${page}#${pair}`, tabIndex: -1, title }, text, mark) : element("span", { title }, text, mark);
    return { ...place(row.system, row.slice), count: row.value === null || systems.length < 2 ? null : most ? (1 - below(row) / most) ** 2 : 1, content };
  });
  const over = new Map((result.systems_over_sets ?? []).filter((row) => row.measure === measure).map((row) => [row.system, row]));
  const ends = over.size ? { average: (row) => written(row.average), ...(systems.length > 1 ? { "mean rank": (row) => row.rank?.toFixed(2) ?? "–", "best on": (row) => row.best } : {}) } : {};
  const lasts = Object.entries(ends).flatMap(([title, write]) => [...over].map(([system, row]) => ({ ...place(system, title), count: null, content: write(row) })));
  const names = [...sets, ...Object.keys(ends)];
  const title = (name) => (name.startsWith(SET) ? nameOf(name) : name);
  const map = heatMap([...cells, ...lasts], {
    rows: across ? systems : names,
    columns: across ? names : systems,
    corner: across ? "system" : "data set",
    rowTitle: title,
    link: (name) => packed.pages[title(name)],
    caption: `${report.title(measure)}${systems.length > 1 ? "; the stronger the colour, the nearer to the best score of the data set. Bold: the best" : ""}.${rows[0].lower ? " Lower is better." : ""}`,
  });
  const choice = choiceOf({ id: "against", "aria-label": "Compared with" }, options.map((name) => [name, `compared with ${name}`]));
  choice.value = against ?? "";
  choice.addEventListener("change", () => {
    report.change({ against: choice.value }, "pair");
    find("#against").focus({ preventScroll: true });
  });
  const marks = against === undefined ? null : `${WORSE} significantly worse${against === BEST ? ` than ${BEST}` : `, ${BETTER} significantly better than ${against}`} (p (Holm) at most 0.05, over all tests on single data sets).`;
  const lead = Object.keys(packed.pages).length ? "A name or a score leads to the page of the data set." : null;
  return [
    options.length > 1 ? element("div", { class: "tools" }, choice) : null,
    saveableFigure(`scores-${measure}`, map),
    element("p", { class: "soft" }, [marks, lead].filter(Boolean).join(" ")),
  ];
}

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
  return scrollBox(
    title,
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
  );
}
