// The sentence in view: its drawing, the layers shown, and what can be taken away from it.
import { cardOf, isLong } from "./cards.js";
import { buttonFor } from "./controls.js";
import { NONE } from "./data.js";
import { element, find, findAll } from "./dom.js";
import { drawing, drawingFile } from "./drawing.js";
import { copyText, saveFile } from "./exports.js";
import { ratingCard } from "./annotators.js";
import { recordCard } from "./records.js";
import { nativeFormat, nativeText } from "./native.js";
import { plural, whole } from "./numbers.js";
import { scrollBox } from "./scroll.js";

// The width of a drawing on paper, in pixels.
const PAPER = 680;
const FEW_LAYERS = 4;
/** Texts with more words are folded, and drawn up to a height, in pixels, unless the reader asks for more. */
const MANY_WORDS = 300;
const MOST_HEIGHT = 3500;
const WORDS_BEFORE = 20;
const WORDS_BACK = 400;

/** The pane next to the list. */
export class Reader {
  constructor(report) {
    this.report = report;
    this.place = element("div", { class: "place" });
    this.layers = element("div", { class: "choices", role: "group", "aria-label": "Layers" });
    this.figure = element("div", { class: "figure" });
    this.status = element("span", { class: "said", role: "status" });
    this.node = element("section", { id: "drawing", "aria-label": "The text" }, this.place, this.layers, this.figure);
    this.width = 0;
    this.onPaper = false;
    /** What is drawn of the text in view, if it is long: how many heights from which word on, or all of it. @type {{text: number | null, from: number, heights: number, opened: [number, number][], all: boolean, item: number | null}} */
    this.part = { text: NONE, from: 0, heights: 1, opened: [], all: false, item: null };
    this.figure.addEventListener("click", ({ target }) => this.#open(target));
    new ResizeObserver(() => this.#fit(this.onPaper)).observe(this.figure);
    addEventListener("beforeprint", () => this.#fit(true));
    addEventListener("afterprint", () => this.#fit(false));
  }

  /** Lines as wide as the window lets them be, or the paper. */
  #fit(onPaper) {
    this.onPaper = onPaper;
    const width = onPaper ? PAPER : this.figure.clientWidth;
    if (!width || width === this.width) return;
    this.width = width;
    if (this.drawn) this.show();
  }

  /** Draw the sentence in view. */
  show() {
    if (this.report.view.text === null) return this.#nothing();
    const { view, texts, kind } = this.report;
    this.width ||= this.figure.clientWidth || PAPER;
    if (this.part.text !== view.text) this.part = { text: view.text, from: 0, heights: 1, opened: [], all: false, item: null };
    this.place.replaceChildren(...this.#head());
    this.layers.replaceChildren(...this.#layerButtons(), this.#foldButton(), element("span", { class: "spring" }), this.status, ...this.#takeAway());
    if (texts.ofItems) {
      const { figure, caption } = (texts.split ? ratingCard : texts.cells ? recordCard : cardOf)(this.report);
      this.drawn = figure;
      this.figure.replaceChildren(figure, element("p", { class: "caption soft" }, caption));
      if (texts.cells) this.#reveal();
      return;
    }
    const { a, b, item } = view;
    const usual = { sides: this.report.sides(), a, b, marked: item, address: this.report.result.remarks.address, width: this.width, onPaper: this.onPaper };
    const draw = () => {
      const { from, heights, opened, all } = this.part;
      return drawing(texts, kind, view.text ?? 0, { ...usual, fold: this.#folds(), part: this.#isLong() && !all ? { from, most: heights * MOST_HEIGHT, opened } : undefined });
    };
    let drawn = draw();
    // The item in question may be in another part of a long text.
    if (item !== null && item !== this.part.item && drawn.end - drawn.from < drawn.size && !drawn.figure.querySelector(`[data-item="${item}"]`)) {
      this.part = { ...this.part, from: Math.max(0, texts.begin[item] - WORDS_BEFORE), heights: 1 };
      drawn = draw();
    }
    this.part.item = item;
    const { figure, table, caption, from, end, size } = drawn;
    this.drawn = figure;
    const show = (change) => () => {
      Object.assign(this.part, change);
      this.show();
      this.#focus(findAll(".later, .all-words", this.figure)[0]);
    };
    const before = from ? element("p", { class: "choices" }, buttonFor(show({ from: Math.max(0, from - Math.max(end - from, WORDS_BACK)), heights: 1 }), { class: "earlier" }, `show earlier words (${whole(from)} before)`)) : "";
    const after = end < size ? buttonFor(show({ heights: this.part.heights + 1 }), { class: "later" }, `show more (${plural(size - end, "word")} left)`) : "";
    const all = from || end < size ? buttonFor(show({ all: true }), { class: "all-words" }, `show all ${whole(size)} words`) : "";
    const asTable = element("details", { class: "as-table" }, element("summary", {}, "As a table"), scrollBox("", table));
    this.figure.replaceChildren(before, figure, after || all ? element("p", { class: "choices" }, after, all) : "", element("p", { class: "caption soft" }, caption), asTable);
    this.#reveal();
  }

  /** Open the folded words that a button stands for. */
  #open(target) {
    const button = target.closest("button.unfold");
    if (!button) return;
    const [begin, end] = [Number(button.dataset.begin), Number(button.dataset.end)];
    this.part.opened.push([begin, end]);
    this.show();
    this.#focus(findAll("button.unfold", this.figure).find((other) => Number(other.dataset.begin) >= end));
  }

  /** Give the focus of a button that is gone to another one. @param {HTMLElement | undefined} button */
  #focus(button) {
    (button ?? find("#fold", this.layers)).focus({ preventScroll: true });
  }

  #isLong() {
    const { texts, view } = this.report;
    return !texts.ofItems && texts.wordStarts[(view.text ?? 0) + 1] - texts.wordStarts[view.text ?? 0] > MANY_WORDS;
  }

  /** True if stretches without differences are folded. */
  #folds() {
    return !this.part.all && (this.report.view.fold ?? this.#isLong());
  }

  toggleFold() {
    const fold = !this.#folds();
    this.part.all = false;
    this.report.change({ fold }, "text");
  }

  #nothing() {
    this.place.replaceChildren();
    this.layers.replaceChildren();
    this.figure.replaceChildren(element("p", { class: "soft" }, "No item matches these filters. Remove a filter."));
  }

  #head() {
    const { view, texts } = this.report;
    const file = texts.data.places[view.text].split(/[\\/]/u).at(-1);
    const name = element("h3", {}, element("bdi", {}, String(texts.data.ids[view.text])));
    return [name, element("span", { class: "soft where" }, file), ...this.#stepButtons()];
  }

  #stepButtons() {
    const steps = this.report.stepsIn(this.report.view.text);
    if (!steps.length || (this.report.texts.ofItems && !this.report.texts.cells)) return [];
    const at = steps.indexOf(this.report.view.item);
    const back = buttonFor(() => this.step(-1), { title: "previous difference (p)", "aria-label": "Previous difference" }, "‹");
    const on = buttonFor(() => this.step(1), { title: "next difference (n)", "aria-label": "Next difference" }, "›");
    const where = element("span", { "data-steps": steps.length }, `${at < 0 ? "–" : at + 1} / ${steps.length}`);
    return [element("span", { class: "steps" }, back, where, on)];
  }

  /** A button for gold, A, B and then the others. */
  #layerButtons() {
    const { systems, view, texts } = this.report;
    if (texts.split && texts.ofItems) return [];
    const shown = this.report.sides();
    const letters = ["", ...systems.map((_, system) => (texts.split ? "" : system === view.a ? "A" : system === view.b ? "B" : ""))];
    const names = ["gold", ...systems];
    const compared = texts.split ? shown : [0, 1 + view.a, ...(view.b === null ? [] : [1 + view.b])];
    const order = [...compared, ...names.keys()].filter((side, place, all) => all.indexOf(side) === place && (side || !texts.split));
    const buttons = order.map((side) => {
      const letter = letters[side] ? element("b", {}, letters[side], " ") : null;
      const about = { "data-layer": side, "aria-pressed": String(shown.includes(side)) };
      return buttonFor(() => this.toggle(side), about, letter, element("bdi", {}, names[side]));
    });
    const others = buttons.splice(compared.length);
    if (others.length <= FEW_LAYERS) return [...buttons, ...others];
    const open = others.some((button) => button.getAttribute("aria-pressed") === "true");
    return [...buttons, element("details", { class: "layers", open }, element("summary", {}, `${others.length} more ${texts.split ? "annotators" : "systems"}`), element("div", { class: "choices" }, others))];
  }

  #foldButton() {
    const { texts, view } = this.report;
    if (texts.cells || (texts.ofItems && !isLong(texts.words(view.text)))) return "";
    const title = texts.ofItems ? "show long texts in full (f)" : "fold stretches without differences (f)";
    const about = { id: "fold", "aria-pressed": String(this.#folds()), title };
    return buttonFor(() => this.toggleFold(), about, texts.ofItems ? "whole text" : "fold");
  }

  #takeAway() {
    if (this.report.texts.split) return this.report.texts.ofItems ? [] : [buttonFor(() => this.save(), { id: "save-svg" }, "save SVG")];
    const copy = buttonFor(() => this.copy(), { id: "copy-text" }, `copy ${nativeFormat(this.report.kind)}`);
    return this.report.texts.ofItems ? [copy] : [copy, buttonFor(() => this.save(), { id: "save-svg" }, "save SVG")];
  }

  /** A layer on or off. */
  toggle(side) {
    const { toggled } = this.report.view;
    const others = toggled.filter((one) => one !== side);
    this.report.change({ toggled: others.length < toggled.length ? others : [...toggled, side] }, "text");
  }

  /** Go to another difference in the sentence. */
  step(by) {
    const { view } = this.report;
    const steps = view.text === null ? [] : this.report.stepsIn(view.text);
    if (!steps.length) return;
    const at = steps.indexOf(view.item);
    const next = at < 0 ? (by > 0 ? 0 : steps.length - 1) : (at + by + steps.length) % steps.length;
    this.report.change({ item: steps[next] }, "text");
    this.figure.querySelector("[data-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** Mark the item in question and bring it into the middle of its box. */
  #reveal() {
    const { item } = this.report.view;
    if (item === null) return;
    const marked = [...this.figure.querySelectorAll(`[data-item="${item}"]`)];
    for (const node of marked) node.setAttribute("data-current", "");
    const box = marked[0]?.closest(".drawing-lines");
    if (!box) return;
    const [inner, outer] = [marked[0].getBoundingClientRect(), box.getBoundingClientRect()];
    if (inner.left < outer.left || inner.right > outer.right) box.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
  }

  async copy() {
    const { texts, kind, view } = this.report;
    this.status.textContent = await copyText(nativeText(texts, kind, view.text));
  }

  save() {
    const name = String(this.report.texts.data.ids[this.report.view.text]).replace(/[^\p{L}\p{N}.-]+/gu, "_");
    saveFile(`${name || "drawing"}.svg`, drawingFile(this.drawn), "image/svg+xml");
  }
}
