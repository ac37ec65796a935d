// Where systems differ and err: heat maps, types of errors, scores, slices, and the upper bound of choosing among them.
import { MOST_NAMED_STEPS, axisOf, bar, dumbbellTitle, figuresPlot, growthChart, heatMap, scaleOf, stepBar } from "./charts.js";
import { riskTab, weightsTab } from "./decisions.js";
import { element } from "./dom.js";
import { percent, plural, pValue, whole, writersOf } from "./numbers.js";
import { saveableFigure } from "./picture.js";
import { breakable, shortenLabels } from "./shorten.js";
import { term } from "./query.js";
import { compareKinds } from "./reverse.js";
import { betweenEnds, textCell, chooser, countButton, expandableTable, moreButton, nameCell, numberCell, panel, plotCell, tableWith, tabs } from "./tables.js";
/** @import { Report, Result } from "./report.js" */

const FEW_NAMES = 10;
const FEW_SLICES = 40;
const FEW_GROUPS = 12;
export const NO_LABEL = "∅";
/** Outcomes that are not errors. */
const HITS = ["tp", "same"];
/** Error types that follow from gold's label and the system's. */
const LABEL_SAYS_IT = ["fp", "fn", "le", "same-span", "missed", "spurious", "unscored"];
const OUTCOMES = {
  tp: "right",
  fp: "spurious (FP)",
  fn: "missing (FN)",
  le: "label (LE)",
  bes: "boundary, smaller (BEs)",
  bel: "boundary, larger (BEl)",
  beo: "boundary, overlap (BEo)",
  be: "boundary (BE)",
  lbe: "label + boundary (LBE)",
  de: "direction (DE)",
  te: "type (TE)",
  me: "several (ME)",
  ge: "error of gold (GE)",
  ungrounded: "not in the text (UG)",
  wl: "wrong link (WL)",
  unscored: "not scored",
  none: "not there (–)",
};

/** An outcome in words. */
export function typeName(type) {
  return OUTCOMES[type] ?? type;
}

/** An outcome as short as a heading needs. */
function typeSign(type) {
  return OUTCOMES[type]?.match(/\((.*)\)/u)?.[1] ?? typeName(type);
}

/** Tabs that show where the differences and errors are. @param {Report} report */
export function wherePanel(report) {
  const paired = report.view.b !== null;
  /** @type {[string, string, any][]} */
  const all = [
    ["flow", "A → B", paired ? flow(report) : null],
    ["changes", "Changes", paired ? contributions(report) : null],
    ["confusion-a", paired ? "Gold → A" : "Confusion", confusion(report, "a")],
    ["confusion-b", "Gold → B", paired ? confusion(report, "b") : null],
    ["types", "Errors", errorTypes(report)],
    ["slices", "Slices", slices(report)],
    ["bound", "Bound", upperBound(report)],
    ["risk", "Risk", paired ? riskTab(report) : null],
    ["weights", "Weights", paired ? weightsTab(report) : null],
  ];
  const parts = all.filter(([, , content]) => content);
  return parts.length ? panel("where", "Where", tabs("Where", parts, report.view.tab, (tab) => report.change({ tab }, "open"))) : null;
}

// --- heat maps ---

/** Changes from A to B: of outcomes if items are matched, otherwise of labels. @param {Report} report */
function flow(report) {
  const [a, b] = report.pair();
  const rows = report.ofPair("transitions").filter((row) => row.on === report.on && row.slice === null);
  if (!rows.length) return labelFlow(report);
  const place = element("div", {});
  const show = (label) => place.replaceChildren(saveableFigure(`outcomes-${a}-${b}`, outcomeFlow(report, rows.filter((row) => row.label === label), label)));
  show(null);
  const labels = [...new Set(rows.map((row) => row.label))];
  return [chooser(report.label === "label" ? "Gold label" : "Field", labels.map((label) => [nameLabel(report, label), label]), show), place];
}

/** Gold's label, or the field. @param {Report} report @param {string | null} label */
function nameLabel(report, label) {
  if (report.label === "label") return label === null ? "all gold labels" : `gold ${label}`;
  return label === null ? `all ${report.label}s` : label === NO_LABEL ? "not in gold" : label;
}

/** @param {Report} report @param {Result["transitions"]} rows */
function outcomeFlow(report, rows, label) {
  const order = [...report.kinds, "none"];
  const used = (side) => order.filter((kind) => rows.some((row) => row[side] === kind));
  const given = label === null ? [] : [term("gold", label)];
  const cells = rows.map((row) => {
    const meaning = `${label === null ? "" : `gold ${label}, `}A: ${typeName(row.from)}, B: ${typeName(row.to)}`;
    const terms = [...given, term("a-type", row.from), term("b-type", row.to)];
    return { row: row.from, column: row.to, count: row.count, content: countButton(report, row.count, terms, meaning) };
  });
  const caption = `Outcome of each ${report.result.joined_by ? report.noun : "item"} in A (rows) and B (columns)`;
  return heatMap(cells, { rows: used("from"), columns: used("to"), caption, corner: "A ↓ B →", rowTitle: typeName, columnTitle: typeSign });
}

/** @param {Report} report */
function labelFlow(report) {
  const diff = report.diff();
  if (!diff?.changes.length) return null;
  const named = (label) => (label === NO_LABEL ? report.nothing : label);
  const content = (before, after, count) => {
    const terms = [term("change", "different"), term("a", before), term("b", after)];
    return countButton(report, count, terms, `A: ${before}, B: ${after}`);
  };
  const sums = sumByNames(diff.changes, (change) => [named(change.from), named(change.to)]);
  return labelHeat(`answers-${diff.a}-${diff.b}`, sums, content, { order: report.result.order ?? [], caption: "Different answers of A (rows) and B (columns)", corner: "A ↓ B →", rowTitle: (name) => report.describe(name) });
}

/** Gold's labels against a system's: errors alone, what is spurious in the last row, what is missing in the last column. @param {Report} report */
function confusion(report, side) {
  const system = report.systems[report.view[side]];
  const matched = report.kinds.length > 0;
  const shown = (row) => row.system === system && row.measure === report.on && (matched ? !HITS.includes(row.type) : row.gold !== null);
  const rows = report.result.confusion.filter(shown);
  if (!rows.length || report.result.by_outcome) return null;
  const letter = side.toUpperCase();
  const content = (gold, assigned, count) => {
    const meaning = `gold ${gold}, ${letter}: ${assigned}`;
    if (!matched) return countButton(report, count, [term("gold", gold), term(side, assigned), term(`${side}-is`, "wrong")], meaning);
    const inside = rows.filter((row) => (row.gold ?? NO_LABEL) === gold && (row.assigned ?? NO_LABEL) === assigned);
    const types = [...new Set(inside.map((row) => row.type))];
    // An answer in another place is called by its type too: PER (BEs).
    const answer = (type) => (LABEL_SAYS_IT.includes(type) ? assigned : `${assigned} (${typeSign(type)})`);
    const answers = [...new Set(types.map(answer))];
    const terms = [term("gold", gold), { ...term(side, ""), values: answers }, { ...term(`${side}-type`, ""), values: types }];
    const pieces = inside.reduce((sum, row) => sum + row.pieces, 0);
    const more = pieces ? element("span", { class: "soft", title: `${plural(pieces, "further piece")} of gold's ${report.noun}s` }, `+${whole(pieces)}`) : null;
    const named = `${meaning} (${types.map(typeName).join(", ")})`;
    return [count > pieces ? countButton(report, count - pieces, terms, named) : null, more];
  };
  const pieceNote = rows.some((row) => row.pieces) ? `; +: further pieces of gold's ${report.noun}s` : "";
  const caption = `Errors of ${letter}: gold's label (rows), ${letter}'s (columns)${report.result.remarks["confusion page"] ?? ""}${pieceNote}`;
  return labelHeat(`confusion-${system}`, sumByNames(rows, (row) => [row.gold ?? NO_LABEL, row.assigned ?? report.nothing]), content, { order: report.result.order ?? [], caption, corner: `gold ↓ ${letter} →`, rowTitle: (name) => report.describe(name), columnTitle: (name) => name });
}

/** Counts added up by two names: [one, other, count]. */
function sumByNames(rows, names) {
  const sums = new Map();
  for (const row of rows) {
    const [one, other] = names(row);
    const key = JSON.stringify([one, other]);
    sums.set(key, [one, other, (sums.get(key)?.[2] ?? 0) + row.count]);
  }
  return [...sums.values()];
}

/** The names on one side, the most frequent first. */
function byWeight(sums, side) {
  const totals = new Map();
  for (const row of sums) totals.set(row[side], (totals.get(row[side]) ?? 0) + row[2]);
  return [...totals.keys()].sort((one, other) => totals.get(other) - totals.get(one) || (one < other ? -1 : 1));
}

/** A heat map of labels: the most frequent ones, all on demand. */
function labelHeat(name, sums, content, words) {
  const [rows, columns] = [byWeight(sums, 0), byWeight(sums, 1)];
  // Labels with an order come first; then names that both sides have, in the same order, so that there is a diagonal.
  const both = [...words.order, ...rows.filter((name) => columns.includes(name))];
  const rank = new Map([...both, ...rows, ...columns].reverse().map((name, place, all) => [name, all.length - place]));
  rank.set(NO_LABEL, Infinity);
  const inOrder = (names) => names.sort((one, other) => (rank.get(one) ?? 0) - (rank.get(other) ?? 0));
  const place = element("div", {});
  const show = (most) => {
    const frequent = (names) => new Set([...names.filter((name) => name !== NO_LABEL).slice(0, most), NO_LABEL]);
    const [frequentRows, frequentColumns] = [frequent(rows), frequent(columns)];
    const cells = sums.filter(([row, column]) => frequentRows.has(row) && frequentColumns.has(column));
    const used = (side) => new Set(cells.map((sum) => sum[side]));
    const drawn = cells.map(([row, column, count]) => ({ row, column, count, content: content(row, column, count) }));
    place.replaceChildren(heatMap(drawn, { ...words, rows: inOrder([...used(0)]), columns: inOrder([...used(1)]) }));
  };
  show(FEW_NAMES);
  const number = Math.max(rows.length, columns.length);
  return saveableFigure(name, place, number > FEW_NAMES ? moreButton(`all ${whole(number)} labels`, (all) => show(all ? Infinity : FEW_NAMES)) : null);
}

// --- what a difference is made of ---

/** What the difference of the main scores is made of: bars, each beginning where the one above ends. @param {Report} report */
function contributions(report) {
  const [a, b] = report.pair();
  const rows = report.ofPair("contributions");
  const measures = [...new Set(rows.map((row) => row.measure))];
  if (!measures.length) return null;
  const place = element("div", {});
  const show = ([measure, by]) => place.replaceChildren(saveableFigure(`contributions-${a}-${b}`, contributionTable(report, rows.filter((row) => row.measure === measure && row.by === by))));
  const ways = [...new Map(rows.map((row) => [`${row.measure}\t${row.by}`, row])).values()];
  const title = (row) => `${measures.length > 1 ? `${report.title(row.measure)}, ` : ""}by ${row.by === "kind" ? "kind of change" : row.by.replace(":", " ")}`;
  show([ways[0].measure, ways[0].by]);
  const choose = ways.length > 1 ? chooser("Where the difference comes from", ways.map((row) => [title(row), [row.measure, row.by]]), show) : null;
  return [choose, place];
}

/** @param {Report} report @param {Result["contributions"]} given */
function contributionTable(report, given) {
  const rows = given[0].by === "kind" ? [...given].sort((one, other) => compareKinds(one.group, other.group)) : given;
  const { difference, signedTick } = writersOf(report.formOf(rows[0]));
  const all = rows.reduce((sum, row) => sum + row.value, 0);
  let end = 0;
  const steps = rows.map((row) => ({ row, from: end, to: (end += row.value) }));
  const scale = scaleOf([0, all, ...steps.flatMap(({ from, to }) => [from, to])], 3);
  const matched = report.kinds.length > 0;
  const gained = matched ? { correction: `${report.noun}s gained`, "new-error": `${report.noun}s lost` } : { correction: "corrections", "new-error": "new errors" };
  const named = ({ by, group }) => (by === "kind" ? gained[group] ?? group.replaceAll("-", " ") : by === "outcome" ? group.split(" → ").map(typeName).join(" → ") : group);
  const short = shortenLabels(rows.map(named), 30);
  const draw = ({ row, from, to }) => [
    nameCell(named(row), breakable(short(named(row)))),
    numberCell(row.items === null ? "" : whole(row.items)),
    numberCell(difference(row.value)),
    plotCell(stepBar(from, to, scale, `${named(row)}: ${difference(row.value)}`)),
    betweenEnds(row, difference),
  ];
  const last = [nameCell("all"), numberCell(), numberCell(difference(all)), plotCell(stepBar(0, all, scale, `difference: ${difference(all)}`)), numberCell()];
  const heads = ["group", "differ", "adds", () => axisOf(scale, signedTick), "95% interval°"];
  const caption = `Where the difference on ${report.title(rows[0].measure)} comes from (°: not corrected for the number of groups)`;
  const few = steps.length > FEW_GROUPS ? steps.slice(0, FEW_GROUPS) : steps;
  const hidden = steps.length > few.length ? element("p", { class: "soft" }, `${plural(steps.length - few.length, "more group")}: ${difference(all - (few.at(-1)?.to ?? 0))} together; the table Contributions below lists all.`) : null;
  return element("div", {}, tableWith({ caption, heads, rows: [...few.map(draw), last], kind: "rows stacked" }), hidden);
}

// --- types of errors, scores, slices ---

/** Types of errors of A and B, under each measure that has types. @param {Report} report */
function errorTypes(report) {
  const measures = [...new Set(report.result.error_types.map((row) => row.measure))];
  if (!measures.length) return null;
  const ordered = measures.sort((one, other) => Number(other === report.on) - Number(one === report.on));
  return ordered.map((measure) => saveableFigure(`errors-${measure}`, typeTable(report, measure)));
}

/** @param {Report} report */
function typeTable(report, measure) {
  const sides = report.view.b === null ? ["a"] : ["a", "b"];
  const rows = report.result.error_types.filter((row) => row.measure === measure);
  const of = (side, type) => rows.find((row) => row.system === report.systems[report.view[side]] && row.type === type);
  const types = [...new Set(rows.map((row) => row.type))];
  const most = Math.max(1, ...sides.flatMap((side) => types.map((type) => of(side, type)?.count ?? 0)));
  const cells = (side, type) => {
    const row = of(side, type);
    if (!row) return [numberCell(), textCell()];
    const title = `${side.toUpperCase()}, ${typeName(type)}: ${whole(row.count)}, ${percent(row.share)} percent of its errors`;
    const terms = measure === report.on ? [term(`${side}-type`, type)] : null;
    const count = countButton(report, row.count, terms, `${side.toUpperCase()}: ${typeName(type)}`);
    return [numberCell(count), plotCell(bar(row.count, most, side, title))];
  };
  const heads = ["type", ...sides.flatMap((side) => [side.toUpperCase(), ""])];
  const draw = (type) => [nameCell(typeName(type)), sides.flatMap((side) => cells(side, type))];
  return tableWith({ caption: `Error types, ${report.title(measure)}`, heads, rows: types.map(draw) });
}

/** Each slice under A and B, on the main measure. @param {Report} report */
function slices(report) {
  const [main] = report.mainScores();
  const names = [...new Set(report.result.scores.filter((row) => row.slice !== null && row.measure === main?.measure).map((row) => row.slice))];
  if (!names.length) return null;
  const paired = report.view.b !== null;
  const sides = report.pair().filter(Boolean);
  const figures = (name) => sides.map((system, place) => ({ value: null, ...report.figureOf(system, main.measure, main.score, null, name), mark: "ab"[place] }));
  const scale = scaleOf(names.flatMap(figures).flatMap((row) => [row.value, row.low, row.high]), 4);
  const axis = () => axisOf(scale, writersOf(report.formOf(main)).tick);
  const heads = paired ? ["slice", "count", axis, "A", "B", "B − A", "p"] : ["slice", axis, "A"];
  const caption = `${report.name(main)} by slice, with 95% intervals${paired ? " (°: p is not corrected for the number of slices)" : ""}`;
  const draw = (name) => (paired ? pairSlice(report, main, name, figures(name), scale) : oneSlice(name, figures(name), scale, writersOf(report.formOf(main)).written));
  return saveableFigure(`slices-${sides.join("-")}`, expandableTable({ caption, heads, rows: names, draw, few: FEW_SLICES, kind: "rows stacked" }));
}

/** @param {Report} report @param {Result["scores"][number]} main */
function pairSlice(report, main, name, figures, scale) {
  const [nameA, nameB] = report.pair();
  const [a, b] = figures.map((row) => row.value);
  const { written, difference } = writersOf(report.formOf(main));
  const diff = report.diff(name);
  const terms = report.texts && name in report.texts.slices ? [term("slice", name)] : null;
  const test = report.ofPair("comparisons").find((row) => row.slice === name && row.measure === main.measure && row.score === main.score && row.test !== "mcnemar");
  return [
    nameCell(name),
    numberCell(diff ? countButton(report, diff.items, terms, `${report.noun}s with ${name}`) : null),
    plotCell(figuresPlot(figures, scale, dumbbellTitle(name, nameA, a, nameB, b, report.formOf(main)))),
    numberCell(written(a)),
    numberCell(written(b)),
    numberCell(difference(a === null || b === null ? null : b - a)),
    numberCell(!test || test.p_adjusted !== null ? pValue(test?.p_adjusted) : `${pValue(test.p)}°`),
  ];
}

function oneSlice(name, figures, scale, written) {
  const [{ value }] = figures;
  return [nameCell(name), plotCell(figuresPlot(figures, scale, `${name}: ${written(value)}`)), numberCell(written(value))];
}

// --- the upper bound ---

/** How good a perfect choice among all systems would be, and what they have right together. @param {Report} report */
function upperBound(report) {
  const here = (row) => row.on === report.on && row.slice === null;
  const bound = report.result.bounds.find((row) => here(row) && row.label === null);
  if (!bound) return null;
  // If systems add items, the items of gold give recall only.
  const score = `${report.kinds.length ? "have a recall of" : "score"} ${percent(bound.upper)}`;
  const choice = `Choosing the best of the ${plural(report.systems.length, "system")}' answers for each ${report.noun}`;
  const sentence = `${choice} would ${score} on ${report.title(bound.on)}, ${percent(bound.gain)} points above ${bound.best}.`;
  const counted = element("div", { class: "beside" }, rightIn(report, bound), onlyRight(report, report.result.unique.filter(here), bound));
  const steps = growthFigure(report, report.result.growth.filter(here));
  const learnt = bound.verdict || (bound.not_combined && `No combination is learnt: ${bound.not_combined}.`);
  const open = learnt.includes("°") ? " ° p is not corrected." : "";
  return [element("p", {}, sentence), learnt ? element("p", {}, learnt + open) : null, boundBars(report, bound), counted, exactSentences(report, bound), steps, boundsByLabel(report, bound, report.result.bounds.filter(here))];
}

/** @param {Report} report @param {Result["bounds"][number]} bound */
function boundBars(report, bound) {
  /** @type {[string, number | null][]} */
  const four = [[`${bound.single_system} (best)`, bound.single], ["vote", bound.vote], ["learnt", bound.learnt], ["upper bound", bound.bound]];
  /** @type {[string, number | null][]} */
  const each = [["upper bound", bound.upper], ...Object.entries(bound.systems).sort(([, one], [, other]) => (other ?? -1) - (one ?? -1))];
  const values = bound.vote === null ? each : four.filter(([, value]) => value !== null);
  const scale = scaleOf(values.map(([, value]) => value));
  const draw = ([name, value]) => {
    const drawn = figuresPlot([{ value, mark: name === "upper bound" ? "b" : "a" }], scale, `${name}: ${percent(value)}`);
    return [nameCell(name), numberCell(percent(value)), plotCell(drawn)];
  };
  const isF1 = bound.combined === "f1";
  const caption = isF1 ? `F1 of ${report.noun}s with gold's place and label` : `Right, among gold's ${plural(bound.items, report.noun)}`;
  const heads = [bound.vote === null ? "system" : "combination", isF1 ? "F1" : "right", () => axisOf(scale)];
  return saveableFigure("upper-bound", expandableTable({ caption, heads, rows: values, draw, few: FEW_GROUPS }));
}

/** How far a perfect choice is above the best system on each label, the most items first. @param {Report} report @param {Result["bounds"][number]} bound @param {Result["bounds"]} bounds */
function boundsByLabel(report, { best }, bounds) {
  const labels = bounds.filter((row) => row.label !== null && row.gain > 0).sort((one, other) => other.gain * other.items - one.gain * one.items);
  if (labels.length < 2) return null;
  const scale = scaleOf(labels.flatMap((row) => [row.systems[best], row.upper]));
  const short = shortenLabels(labels.map((row) => row.label ?? ""), 30);
  const draw = (row) => {
    const figures = [{ value: row.systems[best], mark: "a" }, { value: row.upper, mark: "b" }];
    const plot = figuresPlot(figures, scale, dumbbellTitle(row.label, best, row.systems[best], "upper bound", row.upper));
    return [nameCell(row.label, breakable(short(row.label ?? ""))), numberCell(whole(row.items)), plotCell(plot), numberCell(percent(row.systems[best])), numberCell(percent(row.upper))];
  };
  const caption = `Upper bound by label, where it is above ${best}`;
  const heads = ["label", `${report.noun}s`, () => axisOf(scale), best, "bound"];
  const figure = saveableFigure("upper-bound-by-label", tableWith({ caption, heads, rows: labels.map(draw) }));
  return element("details", {}, element("summary", {}, `by label (${whole(labels.length)})`), figure);
}

/** @param {Report} report @param {Result["bounds"][number]} bound */
function rightIn(report, bound) {
  const last = bound.right_in.length - 1;
  const draw = ([count, number]) => {
    const meaning = `gold's ${report.noun}s that ${plural(number, "system")} ${number === 1 ? "has" : "have"} right`;
    const name = number === 0 ? "in none" : number === last ? `in all ${number}` : `in ${number}`;
    return [nameCell(name), numberCell(countButton(report, count, [term("right-in", number)], meaning))];
  };
  return element("div", {}, expandableTable({ caption: "Right in how many systems", rows: bound.right_in.map((count, number) => [count, number]), draw, few: FEW_GROUPS }));
}

/** @param {Report} report @param {Result["unique"]} unique @param {Result["bounds"][number]} bound */
function onlyRight(report, unique, bound) {
  const draw = ({ system, only_right }) => {
    const meaning = `gold's ${report.noun}s that only ${system} has right`;
    return [nameCell(system), numberCell(countButton(report, only_right, [term("only", system)], meaning))];
  };
  const rows = [...unique].sort((one, other) => other.only_right - one.only_right || bound.systems[other.system] - bound.systems[one.system]);
  return unique.length ? element("div", {}, expandableTable({ caption: "Right only in this system", rows, draw, few: FEW_GROUPS })) : null;
}

/** @param {Report} report @param {Result["bounds"][number]} bound */
function exactSentences(report, bound) {
  if (!bound.sentences) return null;
  const ranked = Object.entries(bound.exact).sort(([, one], [, other]) => other - one);
  const more = ranked.length > FEW_GROUPS ? [`${ranked.length - FEW_GROUPS} more systems with fewer`] : [];
  const each = [...ranked.slice(0, FEW_GROUPS).map(([name, number]) => `${name} ${whole(number)}`), ...more];
  const together = `in at least one system ${whole(bound.exact_in_one)}; with the best answer for each ${report.noun} ${whole(bound.exact_upper)}`;
  return element("p", { class: "soft" }, `Sentences without errors, of ${whole(bound.sentences)}: ${each.join(", ")}; ${together}.`);
}

/** @param {Report} report @param {Result["growth"]} steps */
function growthFigure(report, steps) {
  if (steps.length < 2) return null;
  const title = `Upper bound as systems are added: ${steps.map((step) => `${step.added} ${percent(step.upper)}`).join(", ")}`;
  const caption = `Upper bound as systems are added, best addition first (dots); ${report.noun}s that all of them have right (rings)`;
  const draw = (step) => [numberCell(whole(step.number)), nameCell(step.added), numberCell(percent(step.upper)), numberCell(percent(step.all_right))];
  const rows = steps.map((step, place) => ({ ...step, number: place + 1 }));
  const listed = steps.length > MOST_NAMED_STEPS ? element("div", {}, expandableTable({ heads: ["", "system added", "upper bound", "all right"], rows, draw, few: FEW_GROUPS })) : null;
  return [saveableFigure("upper-bound-growing", element("figcaption", {}, caption), growthChart(steps, title)), listed];
}
