// The list of texts: only the rows in view are in the document, however many there are.
import { element, findAll } from "./dom.js";
import { plural } from "./numbers.js";
import { shortenLabels } from "./shorten.js";
/** @import { Texts } from "./data.js" */

const ROW = 30;
const BEYOND = 8;
const AROUND = 6;
const ROW_LETTERS = 200;
const ID_LETTERS = 14;

/** A list box of texts. `choose(text)` is called when the reader picks one. */
export class TextList {
  constructor(report, choose) {
    this.report = report;
    this.choose = choose;
    this.rows = [];
    this.position = -1;
    this.onPaper = false;
    this.shortId = shortenLabels(report.texts.data.ids.map(String), ID_LETTERS);
    this.space = element("div", { class: "space", role: "presentation" });
    this.node = element("div", { id: "list", role: "listbox", "aria-label": `${report.unit}s that match the filters` }, this.space);
    this.node.addEventListener("scroll", () => this.draw(), { passive: true });
    this.node.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => this.draw()).observe(this.node);
    addEventListener("beforeprint", () => this.#print());
    addEventListener("afterprint", () => (this.onPaper = false));
  }

  /** Show these texts, one of them chosen. `hits` gives the items of a text that the filter found. */
  show(rows, chosen, hits) {
    this.rows = rows;
    this.hits = hits;
    this.position = rows.indexOf(chosen);
    this.space.style.height = `${rows.length * ROW}px`;
    this.space.replaceChildren();
    this.reveal();
    this.draw();
  }

  /** Choose the text `step` rows further. */
  move(step) {
    if (!this.rows.length) return;
    this.#pick(Math.max(0, Math.min(this.rows.length - 1, this.position + step)));
  }

  #pick(position) {
    const focused = this.node.contains(document.activeElement);
    this.position = position;
    this.reveal();
    this.draw();
    if (focused) findAll('[aria-selected="true"]', this.space)[0]?.focus({ preventScroll: true });
    this.choose(this.rows[position]);
  }

  /** Scroll the chosen row into view. */
  reveal() {
    if (this.position < 0) return;
    const top = this.position * ROW;
    if (top < this.node.scrollTop) this.node.scrollTop = top;
    else if (top + ROW > this.node.scrollTop + this.node.clientHeight) this.node.scrollTop = top + ROW - this.node.clientHeight;
  }

  draw() {
    if (this.onPaper) return;
    const first = Math.max(0, Math.floor(this.node.scrollTop / ROW) - BEYOND);
    const last = Math.min(this.rows.length, Math.ceil((this.node.scrollTop + this.node.clientHeight) / ROW) + BEYOND);
    const wanted = new Set();
    for (let position = first; position < last; position += 1) wanted.add(position);
    // The chosen row stays in the document, so that the focus has a place.
    if (this.position >= 0) wanted.add(this.position);
    const there = new Map(this.#drawn().map((row) => [Number(row.dataset.position), row]));
    for (const [position, row] of there) if (!wanted.has(position)) row.remove();
    for (const position of wanted) if (!there.has(position)) this.#insert(this.#row(position));
    for (const row of this.#drawn()) this.#mark(row);
  }

  /** The rows in the document. */
  #drawn() {
    return findAll(".row", this.space);
  }

  /** Paper gets the rows that can be seen. */
  #print() {
    this.onPaper = true;
    const top = this.node.scrollTop;
    for (const row of this.#drawn()) {
      const place = Number(row.dataset.position) * ROW;
      row.classList.toggle("unseen", place + ROW <= top || place >= top + this.node.clientHeight);
    }
  }

  #insert(row) {
    const next = this.#drawn().find((other) => Number(other.dataset.position) > Number(row.dataset.position));
    this.space.insertBefore(row, next ?? null);
  }

  #mark(row) {
    const chosen = Number(row.dataset.position) === this.position;
    row.setAttribute("aria-selected", String(chosen));
    row.tabIndex = chosen || (this.position < 0 && row.dataset.position === "0") ? 0 : -1;
  }

  #row(position) {
    const text = this.rows[position];
    const { texts } = this.report;
    const hits = this.hits(text);
    const gain = this.report.gain(text);
    return element(
      "div",
      {
        role: "option", class: "row", id: `row-${position}`, "data-position": position, "data-text": text,
        "aria-setsize": this.rows.length, "aria-posinset": position + 1, style: `top:${position * ROW}px`,
        on: { click: () => this.#pick(position) },
      },
      element("span", { class: "row-id", title: texts.data.ids[text] }, element("bdi", {}, this.shortId(String(texts.data.ids[text])))),
      element("span", { class: "row-words", dir: "auto", title: texts.data.parts?.length > 1 ? texts.data.parts.join(" ‖ ") : null }, snippet(texts, text, hits)),
      element("span", { class: `row-gain ${gain > 0 ? "gained" : gain < 0 ? "lost" : ""}`, title: this.report.gainMeaning }, ((texts.ofItems || texts.split) && this.report.signOf(text)) || this.report.gainText(gain)),
    );
  }

  #key(event) {
    const page = Math.max(1, Math.floor(this.node.clientHeight / ROW) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (!(event.key in steps) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.move(steps[event.key]);
  }
}

/** The words of a text from a little before the first hit, with hits marked. @param {Texts} texts */
function snippet(texts, text, hits) {
  const words = texts.words(text);
  if (texts.cells && !words.length) return texts.valuesIn(text).join(", ").slice(0, ROW_LETTERS);
  if (texts.ofItems) return (words.length ? words : texts.factsOf(text).map((fact) => fact.join(" "))).join(" ‖ ").slice(0, ROW_LETTERS);
  if (!texts.hasWords) return element("span", { class: "soft" }, plural(words.length, "word"));
  const inside = new Set();
  for (const item of hits) {
    const whole = [texts.begin[item], texts.begin[item] + texts.length[item]];
    for (const [begin, end] of texts.stretches[item] ?? [whole]) for (let place = begin; place < end; place += 1) inside.add(place);
  }
  const first = Math.max(0, (hits.length ? texts.begin[hits[0]] : 0) - AROUND);
  /** @type {(string | HTMLElement)[]} */
  const parts = first ? ["… "] : [];
  for (let place = first; place < Math.min(words.length, first + 60); place += 1) {
    parts.push(inside.has(place) ? element("mark", {}, words[place]) : words[place], " ");
  }
  return parts;
}
