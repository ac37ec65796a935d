// The sentence in view: its drawing, the layers shown, and what can be taken away from it.
import { cardOf, isLong } from "./cards.js";
import { buttonFor } from "./controls.js";
import { element } from "./dom.js";
import { drawing, drawingFile } from "./drawing.js";
import { copyText, saveFile } from "./exports.js";
import { ratingCard } from "./annotators.js";
import { recordCard } from "./records.js";
import { nativeFormat, nativeText } from "./native.js";

// The width of a drawing on paper, in pixels.
const PAPER = 680;
const FEW_LAYERS = 4;

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
    this.place.replaceChildren(...this.#head());
    this.layers.replaceChildren(...this.#layerButtons(), this.#foldButton(), element("span", { class: "spring" }), this.status, ...this.#takeAway());
    const { a, b, item, fold } = view;
    if (texts.ofItems) {
      const { figure, caption } = (texts.split ? ratingCard : texts.cells ? recordCard : cardOf)(this.report);
      this.drawn = figure;
      this.figure.replaceChildren(figure, element("p", { class: "caption soft" }, caption));
      if (texts.cells) this.#reveal();
      return;
    }
    const { figure, table, caption } = drawing(texts, kind, view.text, { sides: this.report.sides(), a, b, marked: item, fold, address: this.report.result.remarks.address, width: this.width, onPaper: this.onPaper });
    this.drawn = figure;
    const asTable = element("details", { class: "as-table" }, element("summary", {}, "As a table"), element("div", { class: "scroll" }, table));
    this.figure.replaceChildren(figure, element("p", { class: "caption soft" }, caption), asTable);
    this.#reveal();
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
    const about = { id: "fold", "aria-pressed": String(view.fold), title };
    return buttonFor(() => this.report.change({ fold: !view.fold }, "text"), about, texts.ofItems ? "whole text" : "fold");
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
