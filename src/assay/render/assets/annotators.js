// Annotators: who deviates and what that costs, pairs as a heat map, labels that are confused, what each gave to an item, and the way to files for those who decide.
import { boardPanel } from "./board.js";
import { MOST_WRITTEN, bar, axisOf, figuresPlot, heatMap, scaleOf } from "./charts.js";
import { factsOf, textParts } from "./cards.js";
import { choiceOf } from "./controls.js";
import { NONE } from "./data.js";
import { element, find } from "./dom.js";
import { decimal, percent, plural, pValue, whole, writersOf } from "./numbers.js";
import { saveableFigure } from "./picture.js";
import { term } from "./query.js";
import { chooser, countButton, expandableTable, nameCell, numberCell, panel, plotCell, tableWith, textCell } from "./tables.js";
/**
 * @import { Report, Result } from "./report.js"
 * @import { Term } from "./query.js"
 */

const ALPHA = 0.05;
const FEW_PEOPLE = 12;
const FEW_ROWS = 8;
const MOST_LABELS = 16;
const EXPORTS = [
  ["tasks.json", "tasks of Label Studio"],
  ["rows.jsonl", "rows of Prodigy"],
  ["folder/", "folders of brat"],
];

/** The panels of the first screen. @param {Report} report */
export function annotatorPanels(report) {
  const panels = [peoplePanel(report), confusedPanel(report)].filter(Boolean);
  return [element("div", { class: `panels of-${panels.length}` }, panels), pairsPanel(report), boardPanel(report), decidePanel(report)].filter(Boolean);
}

/** A name that lists items, or plain text if they cannot be listed. @param {Report} report @param {Term[]} terms */
function listButton(report, terms, meaning, text, kind = "count") {
  if (!report.texts) return element("bdi", {}, text);
  const button = countButton(report, 0, terms, meaning);
  button.className = kind;
  button.setAttribute("aria-label", meaning);
  button.replaceChildren(element("bdi", {}, text));
  return button;
}

// --- who deviates ---

/** Annotators who stand out, then those who differ significantly from the others, then the rest; each by what agreement gains without them. @param {Result["annotators"]} people */
function byDeviation(people) {
  const rank = (row) => (row.stands_out ? 0 : row.p_adjusted !== null && row.p_adjusted <= ALPHA ? 1 : 2);
  const gain = (row) => row.alpha_gain ?? row.pairs_gain ?? 0;
  return [...people].sort((one, other) => rank(one) - rank(other) || gain(other) - gain(one));
}

/** Each annotator: agreement with the others, and agreement of the others alone. @param {Report} report */
function peoplePanel(report) {
  const people = report.result.annotators;
  const of = people.some((row) => row.alpha_gain !== null) ? "alpha" : "pairs";
  const known = people.filter((row) => row[`${of}_gain`] !== null);
  if (people.length < 3 || !known.length) return null;
  const main = report.mainScores();
  const scored = of === "alpha" ? main.find((row) => row.system === "all annotators" && row.measure.startsWith("alpha")) : main.find((row) => row.system.includes(" ~ "));
  const { written, difference, tick } = writersOf(scored ? report.formOf(scored) : "coefficient");
  const name = of === "alpha" ? "alpha" : report.title(scored?.measure);
  const [first] = known;
  const all = first[`${of}_without`] - first[`${of}_gain`];
  const scale = scaleOf([all, ...known.map((row) => row[`${of}_without`])], 3);
  const draw = (row) => [
    element("th", { scope: "row" }, listButton(report, [term("differs", row.name)], `List ${report.noun}s on which ${row.name} differs from most others`, row.name, "system"), row.stands_out ? element("b", { class: "chip new-error" }, "stands out") : null),
    numberCell(percent(row.agreement)),
    plotCell(figuresPlot([{ value: row[`${of}_without`] }], scale, `without ${row.name}: ${written(row[`${of}_without`])}; with all: ${written(all)}`, { ring: all })),
    numberCell(written(row[`${of}_without`])),
    numberCell(difference(row[`${of}_gain`])),
    element("td", { class: "n interval" }, pValue(row.p_adjusted)),
  ];
  const rows = byDeviation(known);
  const heads = ["annotator", "agrees", () => axisOf(scale, tick), "without", "gain", "p (Holm)"];
  const note = `Agrees: mean share of the others with the same label, in percent. Without: ${name} of the others alone${of === "alpha" ? "" : ", the mean over their pairs"}; ring: with all annotators, ${written(all)}. p: test whether the others are closer to each other than to this annotator.`;
  return panel("people", "Who deviates", saveableFigure("annotators", expandableTable({ heads, rows, draw, few: FEW_PEOPLE, kind: "rows stacked" })), element("p", { class: "soft" }, note));
}

// --- pairs ---

/** Pairs of annotators as a heat map, those who agree least with others last. @param {Report} report */
function pairsPanel(report) {
  const main = report.mainScores().filter((row) => row.system.includes(" ~ ") && row.value !== null);
  const measures = [...new Set(main.map((row) => row.measure))];
  const by = measures.find((measure) => measure === report.view.by) ?? measures[0];
  const people = report.result.annotators.map((row) => row.name);
  if (people.length < 3 || !by) return null;
  const values = new Map();
  const pairs = new Map(people.flatMap((a) => people.map((b) => [`${a} ~ ${b}`, [a, b]])));
  /** @type {Map<string, number[]>} */
  const means = new Map(people.map((name) => [name, []]));
  for (const row of main.filter(({ measure }) => measure === by)) {
    const [a, b] = pairs.get(row.system) ?? [];
    if (a === undefined) continue;
    for (const [one, other] of [[a, b], [b, a]]) values.set(`${one}\u0000${other}`, row.value);
    for (const name of [a, b]) means.get(name)?.push(row.value);
  }
  const mean = (name) => {
    const own = means.get(name) ?? [];
    return own.reduce((sum, value) => sum + value, 0) / (own.length || 1);
  };
  const order = [...people].sort((one, other) => mean(other) - mean(one) || (one < other ? -1 : 1));
  const known = [...values.values()];
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const form = report.formOf(main.find((row) => row.measure === by) ?? main[0]);
  const { written } = writersOf(form);
  const short = (value) => (form === "percent" ? (100 * value).toFixed(0) : value.toFixed(2).replace(/^(-?)0/u, "$1").replace("-", "−"));
  const many = people.length > MOST_WRITTEN;
  const cells = order.flatMap((row) => order.filter((column) => values.has(`${row}\u0000${column}`)).map((column) => {
    const value = values.get(`${row}\u0000${column}`);
    const meaning = `${row} and ${column}: ${written(value)}`;
    const terms = [{ ...term("between", row), values: [row, column] }];
    // What is seen is part of what is read out.
    const content = listButton(report, terms, many ? meaning : `${short(value)}: ${row} and ${column}`, many ? "" : short(value));
    content.title = meaning;
    return { row, column, count: (most - value) / (most - least || 1), content };
  }));
  const name = report.title(by);
  const chosen = choiceOf({ id: "pairs-by", "aria-label": "Measure of pairs" }, measures.map((measure) => [measure, `by ${report.title(measure)}`]));
  chosen.value = by;
  chosen.addEventListener("change", () => {
    report.change({ by: chosen.value }, "pair");
    find("#pairs-by").focus({ preventScroll: true });
  });
  const caption = `Agreement of pairs by ${name}`;
  const map = heatMap(cells, { rows: order, columns: order, caption, corner: "" });
  map.classList.toggle("dense", many);
  const note = `The stronger the colour, the less two annotators agree: ${written(most)} to ${written(least)}. Those who agree least with the others on average come last.${report.texts ? " A cell lists what the two differ on." : ""}`;
  return panel("pairs", "Pairs", element("div", { class: "tools" }, element("p", { class: "soft" }, note), measures.length > 1 ? chosen : null), saveableFigure(`pairs-${by}`, map));
}

// --- labels ---

/** Labels that annotators confuse, of all of them or of one. @param {Report} report */
function confusedPanel(report) {
  const { coincidences, annotators, confused_labels: confused } = report.result;
  const counts = new Map();
  for (const row of coincidences) counts.set(row.first, (counts.get(row.first) ?? 0) + row.count);
  const labels = [...counts.keys()].sort((one, other) => counts.get(other) - counts.get(one));
  if (labels.length < 2 || !confused.length) return null;
  const place = element("div", {});
  const show = (person) => {
    const rows = confused.filter((row) => row.annotator === person).sort((one, other) => other.items - one.items);
    const meaning = (row) => `${report.noun}s: ${person} ${row.label}, most others ${row.other}`;
    const terms = (row) => [term("confuses", `${person}=${row.label}→${row.other}`)];
    const used = labels.filter((label) => rows.some((row) => row.label === label || row.other === label));
    if (used.length <= MOST_LABELS) {
      const cells = rows.map((row) => ({ row: row.label, column: row.other, count: row.items, content: countButton(report, row.items, terms(row), meaning(row)) }));
      place.replaceChildren(saveableFigure(`labels-${person}`, heatMap(cells, { rows: used, columns: used, caption: `Labels of ${person} and of the others`, corner: `${person} ↓ most others →` })));
      return;
    }
    const draw = (row) => [nameCell(row.label), textCell(row.other), numberCell(countButton(report, row.items, terms(row), meaning(row))), numberCell(`${percent(row.share)}%`)];
    place.replaceChildren(...[expandableTable({ heads: [person, "most others", `${report.noun}s`, "of label"], rows, draw, few: FEW_ROWS })].flat());
  };
  const people = byDeviation(annotators).map((row) => row.name);
  show(people[0]);
  const choice = chooser("Annotator", people.map((name) => [name, name]), show);
  choice.id = "confused-by";
  const note = `Number of ${report.noun}s to which an annotator gave a label (row) and most of the others another (column).`;
  return panel("confused", "Labels confused", element("div", { class: "tools" }, element("p", { class: "soft" }, note), choice), place);
}

// --- an item, and what to do about it ---

/** The item in view: its text, and who gave which label. @param {Report} report */
export function ratingCard(report) {
  const { texts, view, systems } = report;
  const text = view.text ?? 0;
  const item = texts.itemStarts[text];
  /** @type {Map<number, string[]>} */
  const givers = new Map();
  systems.forEach((name, system) => {
    const code = texts.answers[system][item];
    if (code !== NONE) givers.set(code, [...(givers.get(code) ?? []), name]);
  });
  const most = Math.max(...[...givers.values()].map((names) => names.length));
  const rows = [...givers].sort((one, other) => other[1].length - one[1].length).map(([code, names]) => [
    nameCell(texts.label(code)),
    numberCell(whole(names.length)),
    plotCell(bar(names.length, most, "a", `${texts.label(code)}: ${names.length}`)),
    textCell(element("span", { class: "givers" }, names.join(", "))),
  ]);
  const caption = `${texts.data.ids[text]}: disagreement ${decimal(texts.split?.[item] ?? 0)}, the mean distance between two of its ${plural([...givers.values()].flat().length, "rating")}.`;
  const labels = tableWith({ rows, kind: "rows answers" });
  return { figure: saveableFigure(String(texts.data.ids[text]) || "item", element("div", { class: "card", "data-item": item, "aria-label": caption }, textParts(report, text), factsOf(report, text), labels)), caption };
}

/** How to write the differences to files, for those who decide. @param {Report} report */
function decidePanel(report) {
  if (!report.result.disagreements.length && !report.texts) return null;
  const ofMarks = (report.texts?.layers.length ?? 0) > 0 && !report.texts?.layers[0].heads;
  const targets = [...(ofMarks ? EXPORTS : []), ["items.tsv", `a table of all ${report.noun}s with every rating`]];
  const lines = targets.map(([file, what]) => element("li", {}, element("code", {}, `--items ${file}`), ` ${what}`));
  return panel("decide", "Decide the differences", element("p", {}, "Add one of these to the command that made this page. It writes what annotators differ in, most differences first:"), element("ul", { class: "commands" }, lines));
}
