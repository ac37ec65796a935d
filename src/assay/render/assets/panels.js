// The first screen: which system is better, how sure, and what changed. Every count is a filter.
import { axisOf, bar, dumbbellTitle, figuresPlot, scaleOf, strip } from "./charts.js";
import { element } from "./dom.js";
import { percent, plural, pValue, signed, signedCount, whole, writersOf } from "./numbers.js";
import { saveableFigure } from "./picture.js";
import { breakable, shortenLabels } from "./shorten.js";
import { term } from "./query.js";
import { betweenEnds, textCell, chooser, countButton, expandableTable, legend, nameCell, numberCell, panel, plotCell, tableWith } from "./tables.js";
import { NO_LABEL, typeName } from "./where.js";
/** @import { Report, Result } from "./report.js" */

const FEW_LABELS = 12;
const FEW_CHANGES = 6;
const FEW_CATEGORIES = 8;
/** Labels with more letters break into lines, and up to this number of them is shown. */
const WIDE_LABEL = 13;
const MOST_LETTERS = 30;
const CHANGES = {
  correction: ["corrections", "✗ → ✓"],
  "new-error": ["new errors", "✓ → ✗"],
  "changed-error": ["changed errors", "✗ → ✗′"],
  "same-error": ["same error", "✗ ✗"],
  "both-right": ["both right", "✓ ✓"],
};

/** A kind of change as a small sign. */
function changeSign(kind, text = CHANGES[kind][1]) {
  return element("span", { class: `chip ${kind}`, title: CHANGES[kind][0] }, text);
}

// --- how sure ---

/** The pair: its verdict, and its differences with their intervals. @param {Report} report */
export function surePanel(report) {
  const { packed, result } = report;
  const [a, b] = report.pair();
  // A sentence names both systems, so it is right in both directions.
  const known = packed.pairs.find((row) => (row.a === a && row.b === b) || (row.a === b && row.b === a));
  // Of measures with a table of their own, only the main score is shown here.
  const elsewhere = new Set((result.tables ?? []).filter((one) => one.after === "tests").flatMap((one) => one.measures));
  const main = new Set(report.mainScores().map((row) => `${row.measure}\t${row.score}`));
  const shown = (row) => !elsewhere.has(row.measure) || main.has(`${row.measure}\t${row.score}`);
  const tests = report.ofPair("comparisons").filter((row) => row.slice === null && row.test !== "mcnemar" && shown(row)).map(atLevel);
  const form = report.formOfAll(tests);
  const ends = tests.flatMap((row) => [row.low, row.high, row.difference, ...(row.margin ? [-row.margin, row.margin] : [])]);
  const scale = form === null ? null : scaleOf([0, ...ends], 3);
  const draw = (row) => testCells(report, row, scale, tests.filter((one) => one.measure === row.measure).length > 1);
  const heads = ["measure", "A", "B", "B − A", ...(scale ? [() => axisOf(scale, writersOf(form).signedTick)] : []), intervalTitle(tests[0]), "p (Holm)"];
  const sentences = known && [
    known.verdict === packed.verdict ? null : element("p", { id: "pair-verdict", class: "verdict small" }, known.verdict),
    known.chance.map((line) => element("p", { class: "soft" }, line)),
  ];
  const title = element("span", {}, element("b", { class: "badge a" }, "A"), element("bdi", {}, a), " → ", element("b", { class: "badge b" }, "B"), element("bdi", {}, b));
  const lower = tests.some((row) => row.lower) ? element("p", { class: "soft" }, "↓: lower is better.") : null;
  return panel("compared", title, sentences, tests.length ? saveableFigure(`differences-${a}-${b}`, tableWith({ heads, rows: tests.map(draw), kind: "rows stacked" }), scale ? marginLine(report, tests) : null, lower) : element("p", { class: "soft" }, "This pair was not tested. Its differences are listed below."));
}

/** What the bands of a plot of differences mean; null if no test has a margin. @param {Report} report @param {Result["comparisons"]} tests */
function marginLine(report, tests) {
  const sizeOf = (row) => `±${writersOf(report.formOf(row)).written(row.margin)}${report.formOf(row) === "percent" ? " points" : ""}`;
  const having = tests.filter((row) => row.margin);
  if (!having.length) return null;
  const one = new Set(having.map(sizeOf)).size === 1 && having.length === tests.length;
  const sizes = one ? sizeOf(having[0]) : [...new Set(having.map((row) => `${report.name(row)} ${sizeOf(row)}`))].join(", ");
  return element("p", { class: "soft", id: "margin" }, element("span", { class: "swatch within", "aria-hidden": "true" }), ` Within the margin: ${sizes}.`);
}

/** A test with the interval at the level of its family. */
const atLevel = (row) => (row.low_family === null || row.low_family === undefined ? row : { ...row, low: row.low_family, high: row.high_family });

/** The interval of a test by its level. */
const intervalTitle = (row) => (row?.level && row.family?.size > 1 ? `${Number((100 * row.level).toPrecision(row.level < 0.9999 ? 4 : 6))}% interval` : "95% interval");

/** @param {Report} report @param {Result["comparisons"][number]} row */
function testCells(report, row, scale, several) {
  const score = (system) => report.scoreOf(system, row.measure, row.score);
  const { written, difference } = writersOf(report.formOf(row));
  const name = report.name(row);
  const named = several && name === report.title(row.measure) && !name.endsWith(` ${report.title(row.score)}`);
  const margin = row.margin ? `, margin ±${written(row.margin)}` : "";
  const title = `${name}: difference ${difference(row.difference)}, ${intervalTitle(row)} ${difference(row.low)} to ${difference(row.high)}${margin}`;
  return [
    nameCell(`${name}${named ? ` ${report.title(row.score)}` : ""}${row.lower ? " ↓" : ""}`),
    numberCell(written(score(row.a))),
    numberCell(written(score(row.b))),
    numberCell(difference(row.difference)),
    scale ? plotCell(figuresPlot([{ ...row, value: row.difference }], scale, title, { zero: true, band: row.margin ?? 0 })) : [],
    betweenEnds(row, difference),
    numberCell(pValue(row.p_adjusted)),
  ];
}

/** Scores and differences by humans alone, by the judge alone, and by both together; null without a judge. @param {Report} report */
export function judgePanel(report) {
  const { result, packed } = report;
  if (!result.judges?.length) return null;
  const tested = result.judges.some((row) => row.minus !== null);
  const several = new Set(result.judges.map((row) => row.measure)).size > 1;
  const draw = (row) => {
    const { written, difference } = writersOf(report.formOf(row));
    const write = row.minus === null ? written : difference;
    const withEnds = (value, low, high) => numberCell(write(value), low === null ? null : element("span", { class: "soft" }, ` [${write(low)}, ${write(high)}]`));
    return [
      nameCell(row.minus === null ? row.system : `${row.system} − ${row.minus}`),
      several ? textCell(report.title(row.measure)) : [],
      withEnds(row.humans, row.humans_low, row.humans_high),
      numberCell(write(row.judge)),
      withEnds(row.value, row.low, row.high),
      numberCell(writersOf("coefficient").written(row.weight)),
      tested ? numberCell(pValue(row.p_adjusted)) : [],
    ];
  };
  const heads = ["system", ...(several ? ["measure"] : []), "humans alone", "judge alone", "both together", "weight", ...(tested ? ["p (Holm)"] : [])];
  const lines = packed.judges.map((line) => element("p", { class: "soft" }, line));
  return panel("judges", "Humans and judge", tableWith({ heads, rows: result.judges.map(draw) }), lines);
}

// --- what changed ---

/** Corrections, new errors, changed errors, same error, both right. @param {Report} report */
export function changedPanel(report) {
  const diff = report.diff();
  if (!diff) return null;
  if (!isJudged(diff)) return coursePanel(report, diff);
  const counts = [diff.corrections, diff.new_errors, diff.changed_errors, diff.same_error, diff.both_right];
  const parts = Object.keys(CHANGES).map((kind, place) => ({ kind, name: CHANGES[kind][0], count: counts[place] }));
  const draw = ({ kind, name, count }) => [
    textCell(changeSign(kind)),
    nameCell(name),
    numberCell(countButton(report, count, [term("change", kind)], `${report.noun}s, ${name}`, kind)),
    numberCell(`${percent(count / diff.items)}%`),
  ];
  const different = countButton(report, diff.different, [term("change", "different")], `${report.noun}s with different answers`, "different");
  return panel(
    "changed",
    "What changed",
    legend(report),
    saveableFigure(
      `changes-${diff.a}-${diff.b}`,
      strip(parts, `${plural(diff.items, report.noun)}: ${parts.map((part) => `${part.name} ${whole(part.count)}`).join(", ")}`),
      tableWith({ rows: parts.map(draw), kind: "kinds" }),
    ),
    element("p", { class: "soft" }, different, ` of ${plural(diff.items, report.noun)} have different answers (${percent(diff.diff)}%), on ${report.title(diff.on)}. ${report.result.remarks.median ?? ""}`),
    creditLine(report, diff),
    onEachMeasure(report),
    outcomeChanges(report, diff),
    categoryChanges(report),
    frequentChanges(report, diff),
  );
}

/** Changes of the categories of tags, each category by itself. @param {Report} report */
function categoryChanges(report) {
  const [a, b] = report.pair();
  const ofPair = (row) => row.a === a && row.b === b && row.slice === null && row.on.startsWith("features/");
  const changes = report.result.diffs.filter(ofPair).flatMap((row) => row.changes.map((change) => ({ ...change, category: row.on.slice("features/".length) })));
  if (!changes.length) return null;
  const draw = ({ category, kind, gold, from, to, count }) => {
    const has = (field, value) => term(field, `${category}=${value}`);
    const terms = report.texts?.data.categories ? [has("gold-has", gold), has("a-has", from), has("b-has", to)] : null;
    return [
      textCell(changeSign(kind)),
      textCell(element("span", { class: "soft" }, breakable(category.replaceAll("_", " ")), " "), kind === "changed-error" ? element("span", { class: "soft" }, `(gold ${gold}) `) : null, element("bdi", {}, from), " → ", element("bdi", {}, to)),
      numberCell(countButton(report, count, terms, `${category}: ${CHANGES[kind][0]}, gold ${gold}, ${from} → ${to}`)),
    ];
  };
  const rows = changes.sort((one, other) => other.count - one.count);
  const absent = rows.slice(0, FEW_CATEGORIES).some((row) => [row.gold, row.from, row.to].includes(NO_LABEL));
  const table = expandableTable({ caption: `Changes by category${absent ? ` (${NO_LABEL}: the tag does not have it)` : ""}`, heads: ["", "category, A → B", ""], rows, draw, few: FEW_CATEGORIES, kind: "rows wide-labels" });
  return element("div", { id: "categories" }, table);
}

/** False if answers are only better or worse, and none is right or wrong. @param {Result["diffs"][number]} diff */
const isJudged = (diff) => diff.improved === null || diff.sideways !== null;

/** Answers that are better, worse, or as good in B. @param {Report} report @param {Result["diffs"][number]} diff */
function coursePanel(report, diff) {
  const counts = { improved: diff.improved, worsened: diff.worsened, equal: diff.items - diff.different };
  const kinds = { improved: "correction", worsened: "new-error", equal: "both-right" };
  const signs = { improved: "↗", worsened: "↘", equal: "=" };
  const parts = Object.entries(counts).map(([name, count]) => ({ kind: kinds[name], name, count: count ?? 0 }));
  const draw = ({ kind, name, count }) => [
    textCell(changeSign(kind, signs[name])),
    nameCell(name),
    numberCell(countButton(report, count, name === "equal" ? null : [term("credit", name)], `${report.noun}s, ${name}`, name)),
    numberCell(`${percent(count / diff.items)}%`),
  ];
  const what = report.result.kind === "scores" ? "a higher score" : "a smaller error";
  const title = `${plural(diff.items, report.noun)}: ${parts.map((part) => `${part.name} ${whole(part.count)}`).join(", ")}`;
  const figure = saveableFigure(`changes-${diff.a}-${diff.b}`, strip(parts, title), tableWith({ rows: parts.map(draw), kind: "kinds" }));
  return panel("changed", "What changed", legend(report), figure, element("p", { class: "soft" }, `Improved: B has ${what}. Measure: ${report.title(diff.on)}.`));
}

/** If systems add items: the difference of the scores, and corrections minus new errors, which may have the other sign. @param {Report} report */
function onEachMeasure(report) {
  const rows = report.ofPair("diffs").filter((row) => row.slice === null && row.outcomes.length && row.improved === null);
  if (!rows.length) return null;
  const draw = (row) => [
    nameCell(report.title(row.on)),
    numberCell(`${percent(row.diff)}%`),
    numberCell(signed(row.difference)),
    numberCell(signedCount(row.net)),
  ];
  const heads = ["measure", "diff", `Δ ${report.title(rows[0].score)}`, "net"];
  return tableWith({ caption: "Net: corrections minus new errors. Δ: B minus A, in points", heads, rows: rows.map(draw) });
}

/** Changes of outcome, if answers are not labels. @param {Report} report @param {Result["diffs"][number]} diff */
function outcomeChanges(report, diff) {
  if (!diff.outcomes.length || !report.result.by_outcome) return null;
  const draw = (change) => {
    const terms = [term("change", change.kind), term("a-type", change.from), term("b-type", change.to)];
    const meaning = `${CHANGES[change.kind][0]}, A: ${typeName(change.from)}, B: ${typeName(change.to)}`;
    return [
      textCell(changeSign(change.kind)),
      textCell(`${typeName(change.from)} → ${typeName(change.to)}`),
      numberCell(countButton(report, change.count, terms, meaning)),
      numberCell(`${percent(change.share_of_changes)}%`),
    ];
  };
  return tableWith({ caption: "Changes of outcome, in percent of all changes", rows: diff.outcomes.map(draw) });
}

/** @param {Report} report @param {Result["diffs"][number]} diff */
function creditLine(report, diff) {
  // Of sets, whole items are compared; their labels are listed.
  const graded = diff.improved === null ? report.ofPair("diffs").find((row) => row.slice === null && row.improved !== null) : diff;
  if (!graded) return null;
  const linked = report.texts && report.texts.lost[0] !== null;
  const course = (name) => [countButton(report, graded[name], linked ? [term("credit", name)] : null, `${report.noun}s, ${name} by partial credit`, name), ` ${name}`];
  const by = { sets: "Sets of labels, by their similarity to gold's", numbers: "Numbers, by the size of their errors" }[report.result.kind] ?? "By partial credit";
  return element("p", { class: "soft" }, `${by}: `, course("improved"), ", ", course("worsened"), ", ", course("sideways"), ".");
}

/** @param {Report} report @param {Result["diffs"][number]} diff */
function frequentChanges(report, diff) {
  if (!diff.changes.length) return null;
  const names = diff.changes.map((change) => Object.values(nameChange(report, change))).flat();
  const fields = report.label !== "label";
  const [isWide, short] = [report.hasIdentifiers || hasWide(names), shortenLabels(names, MOST_LETTERS)];
  const named = (label) => element("bdi", { title: label }, breakable(short(label)), wordsBeside(report, label));
  const draw = (change) => {
    const [from, to] = [change.from, change.to].map((label) => (label === NO_LABEL ? report.nothing : label));
    const shown = nameChange(report, change);
    const terms = [term("change", change.kind), term("gold", change.gold), term("a", from), term("b", to)];
    const meaning = `${CHANGES[change.kind][0]}, ${report.label === "label" ? "gold" : report.label} ${shown.gold}, ${shown.from} → ${shown.to}`;
    // A space that does not break keeps the sign with its label.
    const moved = change.moved ? element("span", { class: "soft", title: `${whole(change.moved)} with another head` }, "\u00a0⤳") : null;
    return [
      textCell(changeSign(change.kind)),
      // Of wide labels, gold's is one of the two unless both are wrong; a field is not.
      isWide ? [] : textCell(named(shown.gold)),
      textCell(isWide && (fields || change.kind === "changed-error") ? element("div", { class: "soft" }, fields ? "" : "gold ", named(shown.gold)) : null, named(shown.from), " → ", named(shown.to), moved),
      numberCell(countButton(report, change.count, terms, meaning)),
    ];
  };
  const rows = [...diff.changes].sort((one, other) => other.count - one.count);
  const signs = [rows.some((change) => change.moved) ? "⤳ to another head" : "", names.includes(NO_LABEL) ? `${NO_LABEL} no ${report.noun}` : ""].filter(Boolean);
  const caption = `Most frequent changes${signs.length ? ` (${signs.join("; ")})` : ""}`;
  return expandableTable({ caption, heads: ["", ...(isWide ? [] : [report.label === "label" ? "gold" : report.label]), "A → B", ""], rows, draw, few: FEW_CHANGES, kind: isWide ? "rows wide-labels" : "rows" });
}

/** The words that an identifier stands for. @param {Report} report */
function wordsBeside(report, label) {
  const words = report.describe(label).slice(label.length);
  return words ? element("span", { class: "soft" }, words) : null;
}

const hasWide = (labels) => labels.some((label) => label.length > WIDE_LABEL);

/** A change in words: with fields, outcomes instead of labels. @param {Report} report @param {Result["diffs"][number]["changes"][number]} change */
function nameChange(report, { gold, from, to, other }) {
  const named = (label, nothing) => (label === NO_LABEL ? nothing : label);
  if (report.label === "label") return { gold, from: named(from, report.nothing), to: other || named(to, report.nothing) };
  if (gold !== NO_LABEL) return { gold, from: named(from, "missing"), to: other || named(to, "missing") };
  const outcome = (label) => (label === NO_LABEL ? "none" : "spurious");
  return { gold: from === NO_LABEL ? to : from, from: outcome(from), to: outcome(to) };
}

// --- by label ---

/** @type {[string, (one: any, other: any) => number][]} */
const LABEL_ORDERS = [
  ["by net change", (one, other) => Math.abs(other.difference * other.items) - Math.abs(one.difference * one.items)],
  ["by size of difference", (one, other) => Math.abs(other.difference) - Math.abs(one.difference)],
  ["by frequency", (one, other) => other.items - one.items],
  ["by name", (one, other) => (one.label < other.label ? -1 : 1)],
];

/** Each gold label under A and B. @param {Report} report */
export function labelPanel(report) {
  const diff = report.diff();
  if (!diff?.labels.length) return null;
  // Percent right of a label's items is its recall, which may have an interval.
  const figure = (row, side) => {
    const known = report.figureOf(diff[side], diff.on, "recall", row.label);
    return { ...(known && Math.abs(known.value - row[side]) < 1e-9 ? known : {}), value: row[side], mark: side };
  };
  const scale = scaleOf(diff.labels.flatMap((row) => [row.a, row.b]), 4);
  const names = diff.labels.map((row) => row.label);
  const short = shortenLabels(names, MOST_LETTERS);
  const style = report.label !== "label" || report.hasIdentifiers || hasWide(names) ? "rows stacked fields" : "rows stacked";
  const draw = (row) => [
    row.label === NO_LABEL && report.label !== "label" ? nameCell("not in gold") : nameCell(report.describe(row.label), [breakable(short(row.label)), wordsBeside(report, row.label)]),
    numberCell(countButton(report, row.items, [term("gold", row.label)], `${report.noun}s with gold ${row.label}`)),
    plotCell(figuresPlot([figure(row, "a"), figure(row, "b")], scale, dumbbellTitle(row.label, diff.a, row.a, diff.b, row.b))),
    numberCell(percent(row.a)),
    numberCell(percent(row.b)),
    numberCell(signed(row.difference)),
  ];
  const place = element("div", {});
  const show = (order) => {
    const heads = [report.label === "label" ? "gold" : report.label, "count", () => axisOf(scale), "A", "B", "B − A"];
    place.replaceChildren(saveableFigure(`labels-${diff.a}-${diff.b}`, expandableTable({ heads, rows: [...diff.labels].sort(order), draw, few: FEW_LABELS, kind: style })));
  };
  show(LABEL_ORDERS[0][1]);
  const sort = chooser("Order of labels", LABEL_ORDERS, show);
  sort.id = "label-sort";
  const added = diff.labels.some((row) => row.label === NO_LABEL) ? ` ${report.label === "label" ? NO_LABEL : "not in gold"}: ${report.noun}s that gold does not have; not adding them counts as right.` : "";
  const note = element("p", { class: "soft" }, `Percentage of ${report.noun}s with the right answer, by ${report.label === "label" ? "gold label" : report.label}, on ${report.title(diff.on)}.${added} ${report.result.remarks.median ?? ""}`);
  return panel("labels", `By ${report.label}`, element("div", { class: "tools" }, legend(report), sort), place, note);
}

// --- one system ---

/** What is right and what is wrong in one system. @param {Report} report */
export function rightPanel(report) {
  const counts = report.countsOf(report.systems[report.view.a], report.on, null);
  if (!counts || !report.texts || report.texts.graded) return null;
  const kinds = report.kinds.filter((kind) => kind !== "unscored" || counts[kind]);
  const outcome = (key) => ({
    kind: ["tp", "right"].includes(key) ? "both-right" : "new-error",
    name: typeName(key),
    count: counts[key] ?? 0,
    key,
    terms: [term("a-type", key)],
  });
  const outcomes = kinds.length
    ? kinds.map(outcome)
    : [
      { kind: "both-right", name: "right", count: counts.right, key: "right", terms: [term("a-is", "right")] },
      { kind: "new-error", name: "wrong", count: counts.gold - counts.right, key: "wrong", terms: [term("a-is", "wrong")] },
    ];
  const draw = ({ kind, name, count, key, terms }) => [
    textCell(changeSign(kind, kind === "both-right" ? "✓" : "✗")),
    nameCell(name),
    numberCell(countButton(report, count, terms, `${report.noun}s, ${name}`, key)),
  ];
  return panel(
    "changed",
    "Right and wrong",
    legend(report),
    saveableFigure("right-and-wrong", strip(outcomes, outcomes.map(({ name, count }) => `${name} ${whole(count)}`).join(", ")), tableWith({ rows: outcomes.map(draw), kind: "kinds" })),
    element("p", { class: "soft" }, `Gold has ${plural(counts.gold, report.noun)} (measure: ${report.title(report.on)}).`),
  );
}

/** Each gold label in one system. @param {Report} report */
export function rightLabels(report) {
  const system = report.systems[report.view.a];
  const labelled = (row) => row.system === system && row.label !== null && row.slice === null && ("tp" in row.counts || "missing" in row.counts) && row.counts.gold;
  const rows = report.result.counts.filter(labelled);
  const measures = [...new Set(rows.map((row) => row.measure))];
  const measure = measures.includes(report.on) ? report.on : measures[0];
  if (!measure || report.result.by_outcome || !report.kinds.length) return null;
  const hit = report.kinds.includes("tp") ? "tp" : "right";
  const names = rows.map((row) => row.label ?? "");
  const short = shortenLabels(names, MOST_LETTERS);
  const draw = ({ label, counts }) => [
    nameCell(report.describe(label), [breakable(short(label)), wordsBeside(report, label)]),
    numberCell(countButton(report, counts.gold, [term("gold", label)], `${report.noun}s with gold ${label}`)),
    numberCell(countButton(report, counts[hit], [term("gold", label), term("a-type", hit)], `gold ${label}, right`)),
    plotCell(bar(counts[hit], counts.gold, "a", `${label}: ${whole(counts[hit])} of ${whole(counts.gold)} right`)),
    numberCell(percent(report.scoreOf(system, measure, "f1", label))),
  ];
  const chosen = rows.filter((row) => row.measure === measure).sort((one, other) => other.counts.gold - one.counts.gold);
  const heads = [report.label === "label" ? "gold" : report.label, "count", "right", "", `${report.title(measure)} F1`];
  return panel("labels", `By ${report.label}`, saveableFigure(`labels-${system}`, expandableTable({ heads, rows: chosen, draw, few: FEW_LABELS, kind: report.label !== "label" || report.hasIdentifiers || hasWide(names) ? "rows fields" : "rows" })));
}
