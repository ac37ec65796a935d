// The leaderboard: all systems ranked, each score with its interval, and the letters of the tests. Two clicks choose a pair.
import { axisOf, figuresPlot, scaleOf } from "./charts.js";
import { buttonFor, choiceOf } from "./controls.js";
import { element, find } from "./dom.js";
import { writersOf } from "./numbers.js";
import { saveableFigure } from "./picture.js";
import { bringUp } from "./scroll.js";
import { betweenEnds, intervalNotes, numberCell, panel, plotCell, tableWith, textCell } from "./tables.js";
/** @import { Report } from "./report.js" */

const LETTERS_NOTE = "Systems with a common letter do not differ significantly (p > 0.05 after Holm). This does not mean that they are equally good.";
const HINTS = ["", "Choose a system to see its errors.", "Click two systems to see where they differ."];
const MANY_LETTERS = 8;
const MOST_PAIRS = 15;
const LETTERS = ["a", "b"];

/** Every system by one measure, the best first; of a single system every measure. @param {Report} report */
export function boardPanel(report) {
  const scores = report.mainScores();
  // Of many annotators, the heat map has the pairs.
  const ofPeople = report.result.command === "agreement";
  const isPair = ({ system }) => ofPeople && system.includes(" ~ ");
  const few = new Set(scores.filter(isPair).map(({ system }) => system)).size <= MOST_PAIRS;
  const all = scores.filter((row) => few || !isPair(row));
  if (!all.length) return null;
  const measures = [...new Set(all.map((row) => row.measure))];
  const summed = new Set(all.map((row) => row.system)).size > 1;
  const alone = !summed || (ofPeople && !few);
  const by = measures.find((measure) => measure === report.view.by) ?? report.leading();
  // A summary of the pairs of annotators, such as their mean, follows them and has no rank.
  const ranked = alone ? all : report.ranked(by).filter((row) => few || !isPair(row));
  const places = ranked.some(isPair) ? ranked.filter(isPair) : ranked;
  const rows = [...places, ...ranked.filter((row) => !places.includes(row))];
  const called = places.some(isPair) ? "pair" : rows[0].system === "all annotators" ? "annotators" : "system";
  const [paired, many] = [report.view.b !== null, report.systems.length];
  const choosable = !ofPeople && ((paired && many > 2) || (!paired && many > 1 && report.texts !== null));
  // Coefficients and percentages have no axis in common.
  const form = ofPeople && new Set(rows.map((row) => report.formOf(row))).size > 1 ? null : report.formOfAll(rows);
  const scale = scaleOf(rows.flatMap((row) => [row.value, row.low, row.high]));
  const letters = [...new Set(rows.flatMap(lettersOf))];
  const hint = element("p", { class: "soft", id: "board-said", role: "status" });
  const place = element("div", {});
  let waiting = null;
  const choose = (system) => {
    if (!paired) {
      report.choosePair(system, null);
      return find(`#board [data-system="${system}"]`).focus({ preventScroll: true });
    }
    if (waiting === null || waiting === system) {
      waiting = waiting === null ? system : null;
      return show(system);
    }
    report.choosePair(Math.min(waiting, system), Math.max(waiting, system));
    find(`#board [data-system="${system}"]`).focus({ preventScroll: true });
    return bringUp("compared");
  };
  const draw = (row) => {
    const system = report.systems.indexOf(row.system);
    const letter = waiting === null && (paired || choosable) ? LETTERS.find((side) => report.view[side] === system && system >= 0) : null;
    const mark = letter ? element("b", { class: `badge ${letter}` }, letter.toUpperCase()) : null;
    const name = alone ? `${titleOf(report, row, all)}${summed && row.system !== "all annotators" ? ` (${row.system})` : ""}` : row.system;
    const pressed = waiting === null ? Boolean(letter) : waiting === system;
    const button = choosable && system >= 0
      ? buttonFor(() => choose(system), { class: "system", "data-system": system, "aria-pressed": String(pressed) }, element("bdi", {}, name))
      : element("bdi", { class: places.includes(row) ? "system" : "system apart" }, name);
    const { written } = writersOf(report.formOf(row));
    const interval = row.low === null ? "" : `[${written(row.low)}, ${written(row.high)}]`;
    const runs = row.runs ? ` ± ${written(row.runs.spread)} over ${row.runs.number} runs` : "";
    const title = `${name}: ${written(row.value)}${runs}${interval && `, 95% interval ${interval}`}`;
    return [
      alone ? [] : numberCell(row.value === null || !places.includes(row) ? "" : 1 + places.filter((other) => other.value !== null && (row.lower ? other.value < row.value : other.value > row.value)).length),
      element("th", { scope: "row" }, button, mark),
      letters.length ? textCell(groupsOf(row, letters)) : [],
      form === null ? [] : plotCell(figuresPlot([{ ...row, mark: letter }], scale, title)),
      numberCell(element("b", {}, written(row.value)), runs ? element("span", { class: "soft" }, ` ± ${written(row.runs.spread)}`) : null),
      betweenEnds(row, written),
    ];
  };
  const heads = [...(alone ? [] : [""]), alone ? "measure" : called, ...(letters.length ? ["group"] : []), ...(form === null ? [] : [() => axisOf(scale, writersOf(form).tick)]), alone ? "score" : titleOf(report, rows[0], all), "95% interval"];
  const show = (focused = null) => {
    place.replaceChildren(tableWith({ heads, rows: rows.map(draw), kind: "rows stacked board" }));
    hint.textContent = waiting === null ? HINTS[choosable ? (paired ? 2 : 1) : 0] : `${report.systems[waiting]}: now choose the system to compare it with.`;
    if (focused !== null) find(`[data-system="${focused}"]`, place).focus();
  };
  show();
  const chosen = choiceOf({ id: "by", "aria-label": "Ranked by" }, measures.map((measure) => [measure, `by ${report.name(all.find((row) => row.measure === measure) ?? { measure, score: "" })}`]));
  chosen.value = by;
  chosen.addEventListener("change", () => {
    report.change({ by: chosen.value }, "pair");
    find("#by").focus({ preventScroll: true });
  });
  const title = ofPeople ? "Agreement" : alone ? "Scores" : "Ranking";
  const several = !alone && measures.length > 1;
  const top = several || choosable ? element("div", { class: "tools" }, hint, several ? chosen : null) : null;
  return panel("board", title, top, saveableFigure(`ranking-${alone ? rows[0].system : by}`, place), letters.length ? element("p", { class: "soft" }, LETTERS_NOTE) : null, alone && rows.some((row) => row.lower) ? element("p", { class: "soft" }, "↓ Less is better.") : null, ...intervalNotes(report, rows));
}

/** The title of a score: its measure, and the score if measures have different ones. @param {Report} report */
function titleOf(report, row, all) {
  const { measure, score, lower } = row;
  const several = new Set(all.map((row) => row.score).filter((name) => name !== "value")).size > 1;
  const name = report.name(row);
  const named = several && score !== "value" && !measure.split("(")[0].endsWith(score) && name === report.title(measure);
  return `${name}${named ? ` ${report.title(score)}` : ""}${lower ? " ↓" : ""}`;
}

/** The letters of a system; after Z they are numbers in brackets. */
const lettersOf = ({ group }) => group.match(/\(\d+\)|./gu) ?? [];

/** The groups of a system, each letter in a column of its own, so that a group is a bar. */
function groupsOf(row, letters) {
  const has = new Set(lettersOf(row));
  return element("span", { class: letters.length > MANY_LETTERS ? "groups many" : "groups" }, letters.map((letter) => element("span", { class: has.has(letter) ? "in" : null }, has.has(letter) ? letter : "")));
}
