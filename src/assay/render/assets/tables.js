// Tables, panels and tabs: what the parts of the first screen are made of.
import { element } from "./dom.js";
import { whole } from "./numbers.js";
import { writtenQuery } from "./query.js";
import { roving } from "./roving.js";

/** Cells: what a row is called, words, numbers, and small charts. */
export const named = (text) => element("th", { scope: "row", dir: "auto", title: text }, text);
export const worded = (...content) => element("td", {}, ...content);
export const numeric = (...content) => element("td", { class: "n" }, ...content);
export const plotted = (svg) => element("td", { class: "plot" }, svg);

/** A table of rows of cells. @param {{caption?: any, heads?: string[], rows: any[][], kind?: string}} parts */
export function tableWith({ caption, heads, rows, kind = "rows" }) {
  const isNumber = (place) => rows[0]?.flat()[place]?.classList.contains("n");
  const head = (name, place) => element("th", { scope: "col", class: isNumber(place) ? "n" : null }, name);
  const body = element("tbody", {}, rows.map((cells) => element("tr", {}, cells)));
  const top = heads ? element("thead", {}, element("tr", {}, heads.map(head))) : null;
  return roving(element("table", { class: kind }, caption ? element("caption", {}, caption) : null, top, body));
}

/** A table that shows its first rows, and all on demand. */
export function expandable({ rows, draw, few, ...parts }) {
  const place = element("div", { class: "scroll" });
  const show = (number) => place.replaceChildren(tableWith({ ...parts, rows: rows.slice(0, number).map(draw) }));
  show(few);
  return rows.length > few ? [place, moreButton(`all ${whole(rows.length)}`, (all) => show(all ? Infinity : few))] : place;
}

/** A button that shows all or fewer. */
export function moreButton(title, show) {
  const button = element("button", { type: "button", class: "more", "aria-expanded": "false" }, title);
  button.addEventListener("click", () => {
    const all = button.getAttribute("aria-expanded") === "false";
    show(all);
    button.setAttribute("aria-expanded", String(all));
    button.textContent = all ? "fewer" : title;
    drawnAnew();
  });
  return button;
}

/** A choice that draws its place anew. @param {[string, any][]} options */
export function chooser(label, options, show) {
  const choice = element("select", { "aria-label": label }, options.map(([title], place) => element("option", { value: place }, title)));
  choice.addEventListener("change", () => {
    show(options[choice.value][1]);
    drawnAnew();
  });
  return choice;
}

/** Tell whoever marks the counts in force that there are new ones. */
function drawnAnew() {
  document.dispatchEvent(new CustomEvent("counts"));
}

/** A count that lists the items behind it; plain text where nothing can be listed. Shift adds to the filters there are. */
export function countButton(report, count, terms, meaning, name = null) {
  if (!report.texts || !terms) return element("span", { class: "count" }, whole(count));
  const query = writtenQuery(terms);
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

/** Tabs with one tab stop; arrow keys move. @param {[string, string, any][]} parts ids, titles and contents */
export function tabs(name, parts) {
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
  buttons.forEach((button, place) => {
    button.addEventListener("click", () => choose(place));
    button.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = (place + step + buttons.length) % buttons.length;
      choose(next);
      buttons[next].focus();
    });
  });
  choose(0);
  return [element("div", { role: "tablist", "aria-label": name, class: "tablist" }, buttons), pages];
}
