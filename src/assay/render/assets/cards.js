// Items without words: a card with the parts of the text, metadata, gold's label, and each system's answer with its confidence.
import { bar } from "./charts.js";
import { buttonFor } from "./controls.js";
import { KINDS, NONE } from "./data.js";
import { element } from "./dom.js";
import { decimal, grade } from "./numbers.js";
import { saveableFigure } from "./picture.js";
import { term } from "./query.js";
import { tableWith, textCell, plotCell, numberCell } from "./tables.js";
/** @import { Report } from "./report.js" */

const LONG = 400;
const NO_TEXT = 'The files have no text column that assay knows. To show one: --input-format "items(text=COLUMN)"';

/** True if a text is folded, because it is long. @param {string[]} parts */
export const isLong = (parts) => parts.some((part) => part.length > LONG);

/** The item in view. @param {Report} report */
export function cardOf(report) {
  const { texts, view } = report;
  const text = view.text ?? 0;
  const name = String(texts.data.ids[text]);
  const items = Array.from({ length: texts.itemStarts[text + 1] - texts.itemStarts[text] }, (_, place) => texts.itemStarts[text] + place);
  // Scores need no gold.
  const shown = report.sides().filter((side) => side || !texts.graded || texts.label(texts.gold[items[0]]));
  const rows = shown.map((side) => (texts.graded ? gradeCells : answerCells)(report, side, items));
  const caption = cardCaption(report, items);
  const answers = tableWith({ rows, kind: "rows answers" });
  return { figure: saveableFigure(name || "item", element("div", { class: "card", "data-item": items[0], "aria-label": caption }, textParts(report, text), factsOf(report, text), answers)), caption };
}

/** The parts of the text in view. @param {Report} report */
export function textParts({ texts, view }, text) {
  const parts = texts.words(text);
  if (!parts.length) return texts.split ? null : element("p", { class: "soft" }, NO_TEXT);
  const named = parts.length > 1;
  return element(named ? "dl" : "div", { class: "parts" }, parts.map((part, place) => {
    const letters = view.fold ? part : part.slice(0, LONG);
    return [named && element("dt", {}, texts.data.parts[place]), element(named ? "dd" : "p", { dir: "auto" }, letters, letters.length < part.length && "…")];
  }));
}

/** Metadata, each a filter. @param {Report} report */
export function factsOf(report, text) {
  const facts = report.texts.factsOf(text).filter(([, value]) => value !== "");
  if (!facts.length) return null;
  return element("p", { class: "facts" }, facts.map(([key, value]) => {
    const about = { title: `List: ${key} ${value}`, "data-fact": key };
    return buttonFor((event) => report.ask([term("meta", `${key}=${value}`)], event.shiftKey), about, element("span", { class: "soft" }, key), " ", element("bdi", {}, value));
  }));
}

/** A side: its name, its labels with marks, and its confidence. @param {Report} report */
function answerCells(report, side, items) {
  const { texts, view, systems } = report;
  const system = side - 1;
  const codes = (item) => (side ? texts.answers[system][item] : texts.gold[item]);
  const sets = texts.kinds.length > 0;
  const shown = sets ? items.filter((item) => codes(item) !== NONE || (side && texts.wrong[system][item] && texts.owner[item] === NONE)) : items;
  const labels = shown.map((item) => {
    const wrong = side > 0 && texts.wrong[system][item] === 1;
    const missing = sets && side > 0 && codes(item) === NONE;
    const mark = side === 0 ? "" : wrong ? "✗ " : "✓ ";
    const label = missing ? texts.label(texts.gold[item]) : texts.label(codes(item));
    return element("span", { class: `answer ${side === 0 ? "" : missing ? "missing" : wrong ? "wrong" : "right"}`, title: missing ? "missing" : null, dir: "auto" }, mark, element("bdi", {}, label));
  });
  const letter = system === view.a && view.b !== null ? "A" : system === view.b ? "B" : "";
  const name = element("th", { scope: "row" }, letter && element("b", { class: `badge ${letter.toLowerCase()}` }, letter), element("bdi", {}, side ? systems[system] : "gold"));
  const sure = side ? texts.confidence[system]?.[items[0]] ?? NaN : NaN;
  const about = side ? report.labelOfConfidence(system) : null;
  const share = texts.hasShares ? bar(sure || 0, 1, letter.toLowerCase() || "a", `confidence ${decimal(sure)}`) : "";
  return [name, textCell(labels.length ? labels : "∅"), Number.isNaN(sure) ? textCell() : plotCell(share), numberCell(Number.isNaN(sure) ? "" : `${about === null ? "" : `${about} `}${decimal(sure)}`)];
}

/** A side of an item that is graded, not right or wrong: its name, its answer, and the grade with a bar. @param {Report} report */
function gradeCells(report, side, items) {
  const [item] = items;
  const { texts, view, systems } = report;
  const system = side - 1;
  const letter = system === view.a && view.b !== null ? "A" : system === view.b ? "B" : "";
  const name = element("th", { scope: "row" }, letter && element("b", { class: `badge ${letter.toLowerCase()}` }, letter), element("bdi", {}, side ? systems[system] : "gold"));
  const label = texts.label(side ? texts.answers[system][item] : texts.gold[item]);
  if (!side) return [name, textCell(element("span", { class: "answer", dir: "auto" }, element("bdi", {}, label))), textCell(), numberCell()];
  const value = texts.grade[system][item];
  // An answer may be the score itself.
  const answer = texts.graded === "score" && Number(label) === value ? "" : element("span", { class: "answer", dir: "auto" }, element("bdi", {}, label));
  const share = bar(Math.max(0, value), texts.largestGrade, letter.toLowerCase() || "a", `${texts.graded} ${grade(value)}`);
  return [name, textCell(answer), plotCell(share), numberCell(`${texts.graded} ${grade(value)}`)];
}

/** What became of the item, in words. @param {Report} report */
function cardCaption(report, items) {
  const { texts, view, systems, unit } = report;
  const name = `${unit[0].toUpperCase()}${unit.slice(1)} ${texts.data.ids[view.text ?? 0]}`;
  if (texts.graded) {
    const [value, gain] = [grade(texts.grade[view.a][items[0]]), report.gain(view.text ?? 0)];
    if (view.b === null) return `${name}: ${systems[view.a]}: ${texts.graded} ${value}.`;
    return `${name}: ${systems[view.a]} → ${systems[view.b]}: ${gain > 0 ? "improved" : gain < 0 ? "worsened" : `same ${texts.graded}`}.`;
  }
  const kinds = [...new Set(items.map((item) => (view.b === null ? (texts.wrong[view.a][item] ? "wrong" : "right") : KINDS[texts.change(item, view.a, view.b)])))].filter(Boolean);
  const right = systems.filter((_, system) => items.every((item) => !texts.wrong[system][item])).length;
  const many = systems.length > 2 ? `; ${right} of ${systems.length} systems have it right` : "";
  const pair = view.b === null ? systems[view.a] : `${systems[view.a]} → ${systems[view.b]}`;
  return `${name}: ${pair}: ${kinds.map((kind) => kind.replace("-", " ")).join(", ")}${many}.`;
}
