// The leaderboard: all systems ranked, each score with its interval, and the letters of the tests. Two clicks choose a pair.
import { MOST_WRITTEN, axisOf, figuresPlot, heatMap, scaleOf } from "./charts.js";
import { TYPING, buttonFor, choiceOf } from "./controls.js";
import { element, find, findAll } from "./dom.js";
import { plural, pValue, writersOf } from "./numbers.js";
import { saveableFigure } from "./picture.js";
import { bringUp } from "./scroll.js";
import { hasSets } from "./sets.js";
import { shortenLabels } from "./shorten.js";
import { betweenEnds, intervalNotes, numberCell, panel, plotCell, tableWith } from "./tables.js";
/** @import { Report } from "./report.js" */

const LETTERS_NOTE = "Systems with a common letter do not differ significantly (p > 0.05 after Holm). This does not mean that they are equally good.";
const HINTS = ["", "Choose a system to see its errors.", "Click two systems to compare the first with the second."];
const MANY_LETTERS = 8;
const MOST_PAIRS = 15;
const LETTERS = ["a", "b"];
/** With more systems, the ranking scrolls in a box of its own. */
const MOST_ROWS = 25;
const MOST_LETTERS_OF_NAME = 34;
/** The most measures that have columns besides the one that systems are ranked by. */
const MOST_COLUMNS = 5;

/** Every system by one measure, the best first; of a single system every measure. @param {Report} report */
export function boardPanel(report) {
  const scores = report.mainScores();
  // Of many annotators, the heat map has the pairs.
  const ofPeople = report.result.command === "agreement";
  const isPair = ({ system }) => ofPeople && system.includes(" ~ ");
  const few = new Set(scores.filter(isPair).map(({ system }) => system)).size <= MOST_PAIRS;
  const all = scores.filter((row) => few || !isPair(row));
  if (!all.length) return null;
  const { view } = report;
  const measures = [...new Set(all.map((row) => row.measure))];
  const summed = new Set(all.map((row) => row.system)).size > 1;
  const alone = !summed || (ofPeople && !few);
  const by = measures.find((measure) => measure === view.by) ?? report.leading();
  const slices = alone || ofPeople ? [] : slicesOf(report, by);
  const slice = slices.find((name) => name === view.of) ?? null;
  // A summary of the pairs of annotators, such as their mean, follows them and has no rank.
  const ranked = alone ? all : report.ranked(by, slice).filter((row) => few || !isPair(row));
  const places = ranked.some(isPair) ? ranked.filter(isPair) : ranked;
  const [paired, many] = [view.b !== null, report.systems.length];
  const choosable = !ofPeople && ((paired && many > 2) || (!paired && many > 1 && report.texts !== null));
  const ofMany = !alone && !ofPeople && many > 2;
  const base = ofMany && view.base !== null ? ranked.find((row) => row.system === report.systems[view.base ?? 0]) : undefined;
  // The baseline is the first row, whatever its rank.
  const rows = [...(base ? [base] : []), ...places, ...ranked.filter((row) => !places.includes(row))].filter((row, place, every) => every.indexOf(row) === place);
  const called = places.some(isPair) ? "pair" : rows[0].system === "all annotators" ? "annotators" : "system";
  // Coefficients and percentages have no axis in common.
  const form = ofPeople && new Set(rows.map((row) => report.formOf(row))).size > 1 ? null : report.formOfAll(rows);
  const scale = scaleOf(rows.flatMap((row) => [row.value, row.low, row.high]));
  const letters = [...new Set(ranked.flatMap(lettersOf))];
  const short = shortenLabels(rows.map((row) => row.system), MOST_LETTERS_OF_NAME);
  // A phone has room for letters or for differences.
  const room = base ? "roomy" : null;
  // On several data sets, their map has the choice of the measure.
  const others = ofMany && !hasSets(report) ? measures.filter((measure) => measure !== by).slice(0, MOST_COLUMNS) : [];
  const hint = element("p", { class: "soft", id: "board-said", role: "status" });
  const place = element("div", {});
  const below = element("div", {});
  let waiting = null;
  const choose = (system) => {
    if (!paired) {
      report.choosePair(system, null);
      return find(`#board [data-system="${system}"]`).focus({ preventScroll: true });
    }
    const from = waiting ?? (base && view.base !== system ? view.base : null);
    if (from === null || from === system) {
      waiting = from === null ? system : null;
      return show(system);
    }
    report.choosePair(from, system);
    find(`#board [data-system="${system}"]`).focus({ preventScroll: true });
    return bringUp("compared");
  };
  const change = (changes, focused) => {
    report.change(changes, "board");
    // A system that is no longer pinned may be hidden.
    (findAll(`#board ${focused}`)[0] ?? find("#names")).focus({ preventScroll: true });
  };
  const pin = (system) => change({ base: view.base === system ? null : system }, `[data-pin="${system}"]`);
  const hide = (system) => change({ hidden: [...view.hidden, system] }, "#show-all");
  const draw = (row) => {
    const system = report.systems.indexOf(row.system);
    const letter = waiting === null && (paired || choosable) ? LETTERS.find((side) => view[side] === system && system >= 0) : null;
    const mark = letter ? element("b", { class: `badge ${letter}` }, letter.toUpperCase()) : null;
    const name = alone ? `${titleOf(report, row, all)}${summed && row.system !== "all annotators" ? ` (${row.system})` : ""}` : row.system;
    const pressed = waiting === null ? Boolean(letter) : waiting === system;
    const button = choosable && system >= 0
      ? buttonFor(() => choose(system), { class: "system", title: name, "data-system": system, "aria-pressed": String(pressed) }, element("bdi", {}, short(name)))
      : element("bdi", { class: places.includes(row) ? "system" : "system apart", title: name }, short(name));
    const { written } = writersOf(report.formOf(row));
    const interval = row.low === null ? "" : `[${written(row.low)}, ${written(row.high)}]`;
    const runs = row.runs ? ` ± ${written(row.runs.spread)} over ${row.runs.number} runs` : "";
    const title = `${name}: ${written(row.value)}${runs}${interval && `, 95% interval ${interval}`}`;
    return [
      alone ? [] : numberCell(row.value === null || !places.includes(row) ? "" : 1 + places.filter((other) => other.value !== null && (row.lower ? other.value < row.value : other.value > row.value)).length),
      element("th", { scope: "row" }, button, mark),
      letters.length ? element("td", { class: room }, groupsOf(row, letters)) : [],
      form === null ? [] : plotCell(figuresPlot([{ ...row, mark: letter }], scale, title)),
      numberCell(element("b", {}, written(row.value)), runs ? element("span", { class: "soft" }, ` ± ${written(row.runs.spread)}`) : null),
      betweenEnds(row, written),
      base ? sinceBase(report, base, row) : [],
      others.map((measure) => otherCell(report, row.system, all.find((other) => other.measure === measure), slice)),
      ofMany ? element("td", { class: "n minor" }, rowButton("pin", `Pin ${name} as the baseline`, () => pin(system), { "data-pin": system, "aria-pressed": String(view.base === system) }), rowButton("hide", `Hide ${name}`, () => hide(system))) : [],
    ];
  };
  const sorted = () => element("span", { "data-sorted": rows[0].lower ? "ascending" : "descending" }, alone ? "score" : titleOf(report, rows[0], all));
  const sortButton = (measure) => () => buttonFor(() => change({ by: measure }, "#by"), { class: "sort", title: `Rank by ${report.title(measure)}`, "data-by": measure }, titleOf(report, all.find((row) => row.measure === measure), all));
  const heads = [
    ...(alone ? [] : [""]), alone ? "measure" : called, ...(letters.length ? ["group"] : []),
    ...(form === null ? [] : [() => axisOf(scale, writersOf(form).tick)]), alone ? "score" : sorted, "95% interval",
    ...(base ? ["− baseline", slice === null ? "p (Holm)" : "p"] : []), ...others.map(sortButton), ...(ofMany ? [""] : []),
  ];
  const show = (focused = null) => {
    // The field of names changes the view without drawing the panel again.
    const wanted = (report.view.names ?? "").toLowerCase();
    const isShown = (row) => !ofMany || row === base || (!view.hidden.includes(report.systems.indexOf(row.system)) && row.system.toLowerCase().includes(wanted));
    const shown = rows.filter(isShown);
    const table = tableWith({ heads, rows: shown.map(draw), kind: "rows stacked board" });
    table.classList.toggle("tall-box", shown.length > MOST_ROWS);
    if (base) table.querySelector("tbody tr")?.classList.add("pinned");
    place.replaceChildren(table);
    below.replaceChildren(hiddenLine(report, rows.length - shown.length, letters.length ? "ranks and letters" : "ranks"), paired && ofMany ? pairsMatrix(report, by, slice, places.filter(isShown)) : "");
    const start = base ? `Click a system to compare ${base.system} with it.` : HINTS[choosable ? (paired ? 2 : 1) : 0];
    hint.textContent = waiting === null ? start : `${report.systems[waiting]}: now choose the system to compare it with.`;
    if (focused !== null) find(`[data-system="${focused}"]`, place).focus();
  };
  show();
  const several = !alone && measures.length > 1 && !hasSets(report);
  const choices = [
    ofMany ? namesField(report, show) : null,
    several ? choiceFor("by", "Ranked by", measures.map((measure) => [measure, `by ${report.name(all.find((row) => row.measure === measure) ?? { measure, score: "" })}`]), by, (value) => (ofPeople ? report.change({ by: value }, "pair") : report.change({ by: value }, "board"))) : null,
    slices.length ? choiceFor("of", "Ranked on", [["", "on all data"], ...slices.map((name) => [name, `on ${name}`])], slice ?? "", (value) => report.change({ of: value || null }, "board")) : null,
  ].filter(Boolean);
  const title = ofPeople ? "Agreement" : alone ? "Scores" : "Ranking";
  const top = choices.length || choosable ? element("div", { class: "tools" }, hint, element("div", { class: "choices" }, choices)) : null;
  return panel(
    "board", title, top, saveableFigure(`ranking-${alone ? rows[0].system : by}`, place), below,
    letters.length ? element("p", { class: `soft ${room ?? ""}` }, LETTERS_NOTE, untestedNote(report, by)) : null,
    base ? element("p", { class: "soft" }, `− baseline: the system minus ${base.system}${slice === null ? "; bold: p (Holm) at most 0.05." : "; °: p is not corrected for the number of slices."}`) : null,
    alone && rows.some((row) => row.lower) ? element("p", { class: "soft" }, "↓: lower is better.") : null,
    ...intervalNotes(report, rows),
  );
}

/** The slices on which a measure has scores of all systems: values of `--slice`, or data sets. @param {Report} report */
function slicesOf(report, measure) {
  const { score } = report.mainScores().find((row) => row.measure === measure) ?? {};
  return [...new Set(report.result.scores.filter((row) => row.slice !== null && row.label === null && row.measure === measure && row.score === score).map((row) => row.slice))];
}

/** A choice that draws the ranking again and keeps the focus. */
function choiceFor(id, label, options, value, tell) {
  const choice = choiceOf({ id, "aria-label": label }, options);
  choice.value = value;
  choice.addEventListener("change", () => {
    tell(choice.value);
    find(`#${id}`).focus({ preventScroll: true });
  });
  return choice;
}

const rowButton = (text, label, click, properties = {}) => buttonFor(click, { class: "minor", "aria-label": label, title: label, ...properties }, text);

// --- which systems are shown ---

/** A field for a part of the names of the systems shown. @param {Report} report */
function namesField(report, show) {
  const words = "names of systems";
  const field = element("input", { type: "search", id: "names", placeholder: words, "aria-label": `Show only systems with this in their ${words.split(" ")[0]}`, value: report.view.names ?? "", autocomplete: "off", spellcheck: false });
  let waiting = 0;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      report.change({ names: field.value.trim() || null }, "open");
      show();
    }, TYPING);
  });
  return field;
}

/** How many systems are hidden, and the way to show them again. @param {Report} report */
function hiddenLine(report, number, kept) {
  if (!number) return "";
  const all = () => {
    report.change({ hidden: [], names: null }, "board");
    find("#names").focus({ preventScroll: true });
  };
  const one = (system) => buttonFor(() => report.change({ hidden: report.view.hidden.filter((other) => other !== system) }, "board"), { "aria-label": `Show ${report.systems[system]}` }, element("bdi", {}, report.systems[system]), " ✕");
  return element("p", { class: "choices" }, element("span", { class: "soft" }, `${plural(number, "system")} ${number === 1 ? "is" : "are"} hidden. The ${kept} are those among all systems.`), buttonFor(all, { id: "show-all" }, "show all"), report.view.hidden.map(one));
}

// --- differences ---

/** The test of the main score of a measure between two systems, on all data or on a slice. @param {Report} report */
function testOf(report, names, { measure, score }, slice) {
  return report.ofPair("comparisons", names).find((row) => row.slice === slice && row.measure === measure && row.score === score && row.test !== "mcnemar");
}

/** True if p is at most 0.05 after correction, and the draws behind it suffice to say so. */
const isSignificant = (test) => test.p_adjusted !== null && test.claims.includes("significant");

/** The difference of a system from the baseline, with the p of its test. @param {Report} report */
function sinceBase(report, base, row) {
  if (row === base) return [numberCell("baseline"), element("td", { class: "n interval" })];
  const test = testOf(report, [base.system, row.system], row, row.slice);
  const { difference } = writersOf(report.formOf(row));
  const value = test?.difference ?? (row.value === null || base.value === null ? null : row.value - base.value);
  const shown = difference(value);
  return [
    numberCell(test && isSignificant(test) ? element("b", {}, shown) : shown),
    element("td", { class: "n interval" }, test && test.p_adjusted === null && test.p !== null ? `${pValue(test.p)}°` : pValue(test?.p_adjusted)),
  ];
}

/** The score of a system on another measure. @param {Report} report */
function otherCell(report, system, main, slice) {
  const { written } = writersOf(report.formOf(main));
  return element("td", { class: "n interval soft" }, written(report.scoreOf(system, main.measure, main.score, null, slice)));
}

/** Pairs that were not tested share a letter, which shows nothing. @param {Report} report */
function untestedNote(report, measure) {
  const number = report.result.comparisons.filter((row) => row.slice === null && row.measure === measure && ["untestable", "unsettled"].includes(row.kind)).length;
  return number ? ` ${plural(number, "pair")} could not be tested, so a letter that only they share means nothing.` : "";
}

/** All pairs as a matrix, drawn when it is opened: the system of the column minus that of the row. @param {Report} report */
function pairsMatrix(report, by, slice, ranked) {
  const place = element("div", {});
  const draw = () => {
    const names = ranked.map((row) => row.system).filter((name) => report.systems.includes(name));
    const { difference } = writersOf(report.formOf(ranked[0]));
    const dense = names.length > MOST_WRITTEN;
    const [a, b] = report.pair();
    const cells = names.flatMap((from) => names.filter((to) => to !== from).map((to) => {
      const test = testOf(report, [from, to], ranked[0], slice);
      if (!test || test.difference === null) return null;
      const sure = isSignificant(test);
      const better = test.lower ? test.difference < 0 : test.difference > 0;
      const sign = sure ? (better ? "+" : "−") : "·";
      const p = test.p_adjusted === null ? `p ${pValue(test.p)}, not corrected` : `${slice === null ? "p (Holm)" : "p (BH)"} ${pValue(test.p_adjusted)}`;
      const meaning = `${from} → ${to}: ${difference(test.difference)}, ${p}`;
      const text = dense ? sign : difference(test.difference);
      const open = () => {
        report.choosePair(report.systems.indexOf(from), report.systems.indexOf(to));
        bringUp("compared");
      };
      const content = buttonFor(open, { class: "count", title: meaning, "aria-label": `${text} ${meaning}`, "aria-pressed": String(from === a && to === b) }, text);
      return { row: from, column: to, count: sure ? Math.abs(test.difference) : 0, kind: sure ? (better ? "up" : "down") : "unsure", content };
    })).filter((cell) => cell !== null);
    const what = `${report.name(ranked[0])}${slice === null ? "" : ` on ${slice}`}`;
    const corner = "from ↓ to →";
    const map = heatMap(cells, { rows: names, columns: names, caption: `Differences on ${what}: column minus row`, corner });
    map.classList.toggle("dense", dense);
    const signs = dense ? "+ and −: the system of the column is significantly better or worse than that of the row; ·: not significant." : "In colour: significant (blue: the system of the column is better; orange: it is worse).";
    const uncorrected = cells.length && slice !== null ? " Without --correct slices, p is not corrected on slices, so no difference counts as significant." : "";
    place.replaceChildren(saveableFigure(`pairs-${by}`, map), element("p", { class: "soft" }, `${signs} An empty cell was not tested. Click a cell to compare the system of its row with that of its column.${uncorrected}`));
  };
  if (report.view.pairs) draw();
  const folded = element("details", { id: "matrix", open: Boolean(report.view.pairs) }, element("summary", {}, "Matrix of pairs"), place);
  folded.addEventListener("toggle", () => {
    if (folded.open === Boolean(report.view.pairs)) return;
    report.change({ pairs: folded.open ? "open" : null }, "open");
    if (folded.open) draw();
  });
  return folded;
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
