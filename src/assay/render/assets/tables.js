// Tables, panels and tabs: what the parts of the first screen are made of.
import { element } from "./dom.js";
import { whole } from "./numbers.js";
import { writeQuery } from "./query.js";
import { giveOneTabStop } from "./roving.js";
import { scrollBox } from "./scroll.js";
/** @import { Report, Result } from "./report.js" */

/** Cells: what a row is called, words, numbers, and small charts. */
export const nameCell = (text, shown = text) => element("th", { scope: "row", dir: "auto", title: text }, shown);
export const textCell = (...content) => element("td", {}, ...content);
export const numberCell = (...content) => element("td", { class: "n" }, ...content);
export const plotCell = (svg) => element("td", { class: "plot" }, svg);
/** An interval in numbers, marked if it is too narrow or rests on an assumption. A phone has no room for it; a plot shows it too. */
export function betweenEnds(row, written) {
  const ends = `[${written(row.low)}, ${written(row.high)}]`;
  const marked = row.too_short?.length ? `(${ends}†)` : `${ends}${row.assumed ? "‡" : ""}`;
  return element("td", { class: "n soft interval" }, row.low === null ? "–" : marked);
}

/** What the marks of these scores' intervals mean. @param {Report} report @param {Result["scores"]} rows */
export function intervalNotes(report, rows) {
  const rare = [...new Set(rows.flatMap((row) => row.too_short ?? []))];
  const [noun, unit] = [report.noun, report.result.unit];
  return [
    rare.length ? `† This interval is too narrow, because some labels have fewer than 10 ${noun}s (gold and system together): ${rare.join(", ")}.` : null,
    rows.some((row) => row.assumed) ? `‡ All ${noun}s are right, or none, so the interval assumes a correlation of .1 between ${noun}s of the same ${unit}.` : null,
  ].filter(Boolean).map((note) => element("p", { class: "soft" }, note));
}

const COLUMN = 440;

/** A table of rows of cells, in a box that scrolls. A row with one count can be clicked as a whole. In a narrow window plots of a `stacked` one have lines of their own. Heads are names or functions that draw; the column of a head with `data-sorted` is sorted so. @param {{caption?: string, heads?: any[], rows: any[][], kind?: string}} parts */
export function tableWith({ caption, heads, rows, kind = "rows" }) {
  const classOf = (place) => rows[0]?.flat()[place]?.className.match(/\b(?:n|plot|interval|minor|roomy)\b/gu)?.join(" ") ?? null;
  const head = (name, place) => {
    if (name === "") return element("td");
    const drawn = typeof name === "function" ? name() : name;
    return element("th", { scope: "col", class: classOf(place), "aria-sort": drawn.dataset?.sorted }, drawn);
  };
  const body = element("tbody", {}, rows.map((cells) => makeClickable(element("tr", {}, cells))));
  const top = heads ? element("thead", {}, element("tr", {}, heads.map(head))) : null;
  const table = element("table", { class: kind, style: kind.includes("stacked") ? `--tracks:${tracksOf(heads, classOf)}` : null, "aria-label": caption }, top, body);
  return scrollBox(caption, giveOneTabStop(table));
}

/** The columns of a narrow window: no plots, no intervals in numbers, no minor buttons, nothing that needs room; names have the room that is left. */
function tracksOf(heads, classOf) {
  const kept = [...heads.keys()].filter((place) => !/plot|interval|minor|roomy/u.test(classOf(place) ?? ""));
  return kept.map((place) => (place === (heads[0] === "" ? 1 : 0) ? "minmax(0, 1fr)" : "auto")).join(" ");
}

function makeClickable(row) {
  const buttons = row.querySelectorAll("button:not(.minor)");
  if (buttons.length !== 1) return row;
  row.classList.add("whole");
  row.addEventListener("click", (event) => {
    if (!event.target.closest("button") && getSelection()?.isCollapsed) buttons[0].dispatchEvent(new MouseEvent("click", { shiftKey: event.shiftKey }));
  });
  return row;
}

/** A table that shows its first rows, and on demand all of them, in as many columns as there is room for. */
export function expandableTable({ rows, draw, few, ...parts }) {
  const place = element("div", { class: "columns" });
  const show = (all) => {
    const shown = all ? rows : rows.slice(0, few);
    const size = Math.ceil(shown.length / (all ? Math.max(1, Math.floor(place.clientWidth / COLUMN)) : 1));
    const tables = [];
    for (let first = 0; first < shown.length; first += size) tables.push(tableWith({ ...parts, rows: shown.slice(first, first + size).map(draw) }));
    place.replaceChildren(...tables);
  };
  show(false);
  return rows.length > few ? [place, moreButton(`all ${whole(rows.length)}`, show)] : place;
}

/** A button that shows all, in the whole width of the page, or fewer. */
export function moreButton(title, show) {
  const button = element("button", { type: "button", class: "more", "aria-expanded": "false" }, title);
  button.addEventListener("click", () => {
    const all = button.getAttribute("aria-expanded") === "false";
    const around = button.closest(".panel");
    around?.classList.toggle("wide", all);
    show(all);
    around?.scrollIntoView({ block: "nearest" });
    button.setAttribute("aria-expanded", String(all));
    button.textContent = all ? "fewer" : title;
    announceCounts();
  });
  return button;
}

/** A choice that draws its place again. @param {[string, any][]} options */
export function chooser(label, options, show) {
  const choice = element("select", { "aria-label": label }, options.map(([title], place) => element("option", { value: place }, title)));
  choice.addEventListener("change", () => {
    show(options[choice.selectedIndex][1]);
    announceCounts();
  });
  return choice;
}

/** Announce that there are new counts, so that those in force are marked. */
function announceCounts() {
  document.dispatchEvent(new CustomEvent("counts"));
}

/** A count that lists its items, or plain text if they cannot be listed. Shift adds to the current filters. @param {Report} report @param {string | null} name */
export function countButton(report, count, terms, meaning, name = null) {
  if (!report.texts || !terms) return element("span", { class: "count" }, whole(count));
  const query = writeQuery(terms);
  const properties = {
    type: "button",
    class: "count",
    "data-filter": name ?? query,
    "data-query": query,
    "data-count": count,
    "aria-pressed": "false",
    "aria-label": `${whole(count)}: ${meaning}`,
    title: `List: ${meaning}`,
    on: { click: (event) => report.ask(terms, event.shiftKey) },
  };
  return element("button", properties, whole(count));
}

/** A part of the first screen. */
export function panel(id, title, ...content) {
  const heading = element("h2", { id: `${id}-title` }, title);
  return element("section", { id, class: "panel", "aria-labelledby": `${id}-title` }, heading, content);
}

/** The names of A and B with their marks. */
export function legend({ view, systems }) {
  const side = (letter) => {
    const swatch = element("span", { class: `swatch ${letter}`, "aria-hidden": "true" });
    return element("span", { class: "key" }, swatch, element("b", {}, letter.toUpperCase()), element("bdi", {}, systems[view[letter]]));
  };
  return element("p", { class: "legend" }, side("a"), view.b === null ? null : side("b"));
}

/** Tabs with one tab stop; arrow keys move. `first` is open at the beginning, if it is there; `tell` hears which one is opened. @param {[string, string, any][]} parts ids, titles and contents */
export function tabs(name, parts, first, tell) {
  const tab = (id) => ({ type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `part-${id}` });
  const page = (id) => ({ role: "tabpanel", id: `part-${id}`, class: "tabpanel", tabIndex: 0, "aria-labelledby": `tab-${id}` });
  const buttons = parts.map(([id, title]) => element("button", tab(id), title));
  const pages = parts.map(([id, , content]) => element("div", page(id), content));
  const choose = (chosen) => {
    buttons.forEach((button, place) => {
      button.setAttribute("aria-selected", String(place === chosen));
      button.tabIndex = place === chosen ? 0 : -1;
      pages[place].hidden = place !== chosen;
    });
  };
  const turn = (place) => {
    choose(place);
    tell(parts[place][0]);
  };
  buttons.forEach((button, place) => {
    button.addEventListener("click", () => turn(place));
    button.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = (place + step + buttons.length) % buttons.length;
      turn(next);
      buttons[next].focus();
    });
  });
  choose(Math.max(0, parts.findIndex(([id]) => id === first)));
  return [element("div", { role: "tablist", "aria-label": name, class: "tablist" }, buttons), pages];
}
