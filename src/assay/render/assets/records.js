// A record: its text, and a row for each value with gold and systems in columns; a value under the mouse lights up in the text.
import { KINDS, NONE } from "./data.js";
import { element, findAll } from "./dom.js";
import { keptWords } from "./lines.js";
import { plural } from "./numbers.js";
import { saveableFigure } from "./picture.js";
import { breakable } from "./shorten.js";
import { nameCell, tableWith, textCell } from "./tables.js";
/** @import { Report } from "./report.js" */

const NO_VALUE = "–";
const MANY_VALUES = 40;

/** The record in view. @param {Report} report */
export function recordCard(report) {
  const { texts, view, systems } = report;
  const text = view.text ?? 0;
  const items = Array.from({ length: texts.itemStarts[text + 1] - texts.itemStarts[text] }, (_, place) => texts.itemStarts[text] + place);
  const sides = report.sides();
  /** @type {Map<number, number[]>} */
  const rows = new Map();
  for (const item of items) {
    if (texts.owner[item] !== NONE && !sides.some((side) => side && texts.cells.value[side - 1](item) !== null)) continue;
    rows.set(texts.cells.row[item], [...(rows.get(texts.cells.row[item]) ?? []), item]);
  }
  let around = "";
  const cells = [...rows.keys()].sort((one, other) => one - other).map((row) => {
    const found = rows.get(row) ?? [];
    const path = texts.cells.path(found[0]);
    const parent = path.slice(0, Math.max(path.lastIndexOf("."), path.lastIndexOf("[")) + 1);
    const name = nameCell(path);
    name.replaceChildren(element("span", { class: "soft" }, breakable(parent)), ...breakable(path.slice(parent.length)));
    if (parent !== around) name.className = "begins";
    around = parent;
    return [name, sides.map((side) => valueCell(report, side, found))];
  });
  const head = (side) => () => {
    const letter = side - 1 === view.a && view.b !== null ? "A" : side - 1 === view.b ? "B" : "";
    return [letter && element("b", { class: `badge ${letter.toLowerCase()}` }, letter), element("bdi", {}, side ? systems[side - 1] : "gold")];
  };
  const caption = recordCaption(report, text, items);
  const [source] = texts.words(text);
  const box = source ? element("p", { class: "source", dir: "auto", tabIndex: 0, role: "group", "aria-label": "Text" }, source) : null;
  const added = cells.length && [...rows.values()].some(([item]) => texts.cells.path(item).includes("[+"));
  const card = element(
    "div",
    { class: "card", "aria-label": caption },
    box,
    tableWith({ heads: ["field", ...sides.map((side) => /** @type {any} */ (() => element("span", {}, head(side)())))], rows: cells, kind: "rows record" }),
    added ? element("p", { class: "soft" }, "[+1], [+2] …: elements of a list that gold does not have.") : null,
  );
  if (rows.size > MANY_VALUES) foldAgreed(card, [...rows.keys()].sort((one, other) => one - other).map((row) => (rows.get(row) ?? []).some((item) => item === view.item || sides.some((side) => side && texts.wrong[side - 1][item]))));
  if (box) lightIn(card, box, source);
  return { figure: saveableFigure(String(texts.data.ids[text]) || "record", card), caption };
}

/** Of a long record, hide rows that all sides shown have right, a row next to an error excepted; a button in their place shows them. @param {HTMLElement} card @param {boolean[]} differs */
function foldAgreed(card, differs) {
  const lines = findAll("tbody tr", card);
  const kept = keptWords(lines.length, differs.flatMap((one, place) => (one ? [place] : [])));
  for (let first = 0; first < lines.length; ) {
    let end = first;
    while (end < lines.length && kept[end] === kept[first]) end += 1;
    if (!kept[first]) {
      const hidden = lines.slice(first, end);
      for (const line of hidden) line.hidden = true;
      const button = element("button", { type: "button", class: "unfold" }, `⋯ show the ${plural(hidden.length, "value")} ${first ? (end < lines.length ? "between" : "after") : "before"}, all right ⋯`);
      const row = element("tr", {}, element("td", { colSpan: lines[0].children.length }, button));
      button.addEventListener("click", () => {
        for (const line of hidden) line.hidden = false;
        row.remove();
        hidden[0].tabIndex = -1;
        hidden[0].focus({ preventScroll: true });
      });
      lines[first].before(row);
    }
    first = end;
  }
}

/** What a side says in a row, with marks: both strings of a wrong value are there, and what differs is underlined. @param {Report} report */
function valueCell({ texts }, side, items) {
  const spans = items.flatMap((item) => {
    const gold = texts.cells.gold(item);
    if (!side) return gold === null ? [] : [element("span", { class: "answer", "data-item": item, "data-value": gold, "data-places": texts.cells.place[0](item), dir: "auto" }, element("bdi", {}, gold))];
    const system = side - 1;
    const outcome = texts.kinds[texts.outcome[system][item]] ?? "";
    if (!outcome) return [];
    const value = texts.cells.value[system](item);
    const note = texts.cells.note[system](item);
    const sign = outcome === "right" ? "✓ " : "✗ ";
    const about = [outcome === "right" ? "" : outcome, note].filter(Boolean).join(", ");
    const shown = value === null ? NO_VALUE : element("bdi", {}, outcome === "wrong" && gold !== null ? markDifference(gold, value) : value);
    return [element("span", { class: `answer ${outcome === "right" ? "right" : outcome === "missing" ? "missing" : "wrong"}`, "data-item": item, "data-value": value, "data-places": texts.cells.place[side](item), dir: "auto" }, sign, shown, about && element("small", {}, ` ${about}`))];
  });
  return textCell(spans.length ? spans : element("span", { class: "soft" }, NO_VALUE));
}

/** A value with what differs from gold's between their common beginning and end. */
function markDifference(gold, value) {
  const [one, other] = [[...gold], [...value]];
  let first = 0;
  while (first < Math.min(one.length, other.length) && one[first] === other[first]) first += 1;
  let last = 0;
  while (last < Math.min(one.length, other.length) - first && one.at(-1 - last) === other.at(-1 - last)) last += 1;
  const end = other.length - last;
  return [other.slice(0, first).join(""), element("u", {}, other.slice(first, end).join("")), other.slice(end).join("")];
}

/** While the mouse is on a value, or after a tap, mark it in the text. */
function lightIn(card, box, text) {
  // Places are counted in characters, also where these have two codes.
  const letters = [...text];
  const slice = (begin, end) => letters.slice(begin, end).join("");
  const light = ({ target }) => {
    const places = target.closest?.("[data-places]")?.dataset.places?.split(" ") ?? [];
    let last = 0;
    const parts = places.flatMap((place) => {
      const [begin, end] = place.split("-").map(Number);
      // Places may overlap.
      const first = Math.max(begin, last);
      const before = slice(last, first);
      last = Math.max(end, last);
      return [before, element("mark", {}, slice(first, last))];
    });
    box.replaceChildren(...parts, slice(last));
    const [mark] = box.querySelectorAll("mark");
    if (mark && (mark.offsetTop < box.scrollTop || mark.offsetTop + mark.offsetHeight > box.scrollTop + box.clientHeight)) box.scrollTop = mark.offsetTop - box.clientHeight / 2;
  };
  const table = card.querySelector("table");
  for (const event of ["mouseover", "mouseleave", "click"]) table.addEventListener(event, light);
}

/** What became of the values, in words. @param {Report} report */
function recordCaption(report, text, items) {
  const { texts, view, systems } = report;
  const counts = new Map();
  for (const item of items) {
    const kind = view.b === null ? texts.kinds[texts.outcome[view.a][item]] : KINDS[texts.change(item, view.a, view.b)];
    if (kind) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const names = [...counts].map(([kind, count]) => (view.b === null || kind === "both-right" ? `${count} ${kind.replace("-", " ")}` : plural(count, kind.replace("-", " "))));
  return `Record ${texts.data.ids[text]}: ${view.b === null ? systems[view.a] : `${systems[view.a]} → ${systems[view.b]}`}: ${names.join(", ")}.`;
}
