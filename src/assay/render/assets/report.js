// The report that all parts look at: what Python found, what the reader has chosen, and what follows from both.
import { NOT_ANSWERED } from "./data.js";
import { presenceTest, selectItems } from "./filters.js";
import { decimal, grade, plural, signedCount } from "./numbers.js";
import { writeQuery } from "./query.js";
import { reverseRow } from "./reverse.js";
import { bringUp } from "./scroll.js";
import { hashOf, initialView, viewFrom } from "./state.js";
/**
 * @import { Texts } from "./data.js"
 * @import { Hits } from "./filters.js"
 * @import { View } from "./state.js"
 */

/** The Result of Python, as JSON; a test checks its fields with the types that Python declares. @typedef {any} Result */

/**
 * What Python packed. `pairs`: what is known about two systems, in sentences; `posteriors`: a sentence on each, and what follows it; `pages`: the files of data sets; `judges`: sentences on the labels of a judge; `baseline`: the system that all others were tested against.
 * @typedef {{result: Result, texts: any, verdict: string, baseline: string | null, pairs: {a: string, b: string, verdict: string, chance: string[]}[], posteriors: [string, string][], pages: Record<string, string>, judges: string[]}} Packed
 */

/** @type {Hits} */
const NO_HITS = { items: new Int32Array(), texts: new Int32Array(), ofItems: true };

/** The largest number of annotators that are drawn unless the reader asks for more. */
const MOST_SIDES = 12;

/** The first of a sorted column that is not less than a number. */
function firstFrom(column, number, low = 0) {
  let high = column.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column[middle] < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A page's state. Parts listen to `follow`: called with what changed: "pair", "filter", "text", "board" for the ranking alone, or "open" for a tab. */
export class Report {
  /** @param {Packed} packed @param {Texts | null} texts */
  constructor(packed, texts) {
    this.packed = packed;
    this.result = packed.result;
    /** Null if the page contains no texts; then nothing is listed, and nobody reads them. @type {Texts} */
    this.texts = /** @type {any} */ (texts);
    this.kind = this.result.drawing;
    this.unit = texts?.data.unit ?? this.result.unit;
    // Annotators are compared with all others, not in pairs.
    this.paired = this.result.command !== "agreement" && this.#pairs().length > 0;
    this.on = texts?.data.on ?? this.result.diffs[0]?.on ?? this.mainScores()[0]?.measure;
    this.noun = this.result.noun;
    /** The word for labels. */
    this.label = this.result.remarks?.label ?? "label";
    /** The name of a missing answer. */
    this.nothing = ["", "sets"].includes(this.result.kind ?? "") ? "∅" : NOT_ANSWERED;
    if (texts) texts.bins = this.result.calibrations?.[0]?.number ?? texts.bins;
    this.systems = texts?.systems ?? this.#systemsOf();
    this.kinds = texts?.kinds ?? [...new Set(this.result.transitions.flatMap((row) => [row.from, row.to]))].filter((kind) => kind !== "none");
    /** @type {((what: string) => void)[]} */
    this.followers = [];
    const pair = this.#firstPair();
    this.first = { ...pair, base: this.systems.length > 2 ? this.#placeOf(packed.baseline) : null, sort: texts?.split ? "split" : !texts?.graded ? "order" : pair.b === null ? "lost" : "apart" };
    /** @type {View} */
    this.view = initialView(this.first);
    this.hits = NO_HITS;
    /** The texts listed, in order. */
    this.rows = NO_HITS.texts;
    this.error = "";
    /** Scores by what they are of. @type {Map<string, any> | null} */
    this.figures = null;
    /** Rows of tables by the names of two systems. @type {Record<string, Map<string, any[]>>} */
    this.byPair = {};
    this.waiting = 0;
  }

  /** What is known about two systems. @returns {{a: string, b: string}[]} */
  #pairs() {
    const { diffs, comparisons, bayes } = this.result;
    return [...diffs, ...comparisons, ...(bayes ?? [])];
  }

  #systemsOf() {
    const { scores, systems } = this.result;
    const known = new Set(this.paired ? this.#pairs().flatMap((row) => [row.a, row.b]) : scores.map((row) => row.system));
    const order = systems.map((source) => source.name).filter((name) => known.has(name));
    return order.length ? order : [...known];
  }

  /** The place of a system; null if there is none of this name. */
  #placeOf(name) {
    const place = this.systems.indexOf(name);
    return place < 0 ? null : place;
  }

  /** A and B at the beginning: the compared pair of the best systems by the first measure, from the baseline if there is one; without pairs, the best system. */
  #firstPair() {
    const best = this.result.rankings?.[0]?.order.slice().reverse() ?? this.ranked(this.leading()).map((row) => row.system);
    const order = best.map((name) => this.systems.indexOf(name)).filter((place) => place >= 0);
    if (!this.paired) return { a: order[0] ?? 0, b: null };
    const tested = this.mainTests();
    const pairs = (tested.length ? tested : this.#pairs()).map((row) => [this.systems.indexOf(row.a), this.systems.indexOf(row.b)]);
    const ranks = (pair) => pair.map((system) => order.indexOf(system)).sort((one, other) => one - other);
    const [first] = pairs.filter((pair) => Math.min(...ranks(pair)) >= 0).sort((one, other) => ranks(one)[0] - ranks(other)[0] || ranks(one)[1] - ranks(other)[1]);
    const [a, b] = first ?? [0, 1];
    return b === this.#placeOf(this.packed.baseline) ? { a: b, b: a } : { a, b };
  }

  /** The measure that the verdict is about. @returns {string} */
  leading() {
    return this.mainTests()[0]?.measure ?? this.mainScores()[0]?.measure;
  }

  /** The main scores of a measure, of all data or of a slice, the best system first; what is undefined comes last. @param {string} measure @param {string | null} slice */
  ranked(measure, slice = null) {
    const main = this.mainScores().filter((row) => row.measure === measure);
    const rows = slice === null ? main : this.result.scores.filter((row) => row.measure === measure && row.slice === slice && row.label === null && row.score === main[0]?.score);
    const known = ({ value, lower }) => (value === null ? -Infinity : lower ? -value : value);
    return rows.sort((one, other) => known(other) - known(one));
  }

  /** The tests that the verdict is about. */
  mainTests() {
    const main = new Set(this.mainScores().map((row) => `${row.measure}\t${row.score}`));
    const tested = (row) => row.test !== "mcnemar" && row.slice === null && main.has(`${row.measure}\t${row.score}`);
    const rows = this.result.comparisons.filter(tested);
    return rows.filter((row) => row.measure === rows[0].measure);
  }

  /** A measure or a score as people write it. */
  title(name) {
    return this.result.titles?.[name] ?? name;
  }

  /** The measure of a score, with the kind of average that the score is: macro label F1. */
  name({ measure, score }) {
    const average = this.result.rivals ? null : /^(macro|weighted)-f1$/.exec(score);
    return average ? `${average[1]} ${this.title(measure)}` : this.title(measure);
  }

  /** The form of a score or of a difference: percent, coefficient or number. */
  formOf({ measure, score }) {
    return this.result.score_forms?.[measure]?.[score] ?? "percent";
  }

  /** The form that all rows have, percent if they have several; null if some are plain numbers, which have no axis with others. */
  formOfAll(rows) {
    const forms = new Set(rows.map((row) => this.formOf(row)));
    return forms.size === 1 ? [...forms][0] : forms.has("plain") ? null : "percent";
  }

  /** The main score of every measure and system. */
  mainScores() {
    return this.result.scores.filter((row) => row.main && row.slice === null && row.label === null);
  }

  /** One score with its interval; undefined if there is none. */
  figureOf(system, measure, score, label = null, slice = null) {
    if (!this.figures) {
      const keyOf = (row) => JSON.stringify([row.system, row.measure, row.score, row.label, row.slice]);
      this.figures = new Map(this.result.scores.map((row) => [keyOf(row), row]));
    }
    return this.figures.get(JSON.stringify([system, measure, score, label, slice]));
  }

  /** One score; null if it is undefined or there is none. */
  scoreOf(...names) {
    return this.figureOf(...names)?.value ?? null;
  }

  /** The counts of a system. */
  countsOf(system, measure, label) {
    const same = (row) => row.system === system && row.measure === measure && row.label === label && row.slice === null;
    return this.result.counts.find(same)?.counts;
  }

  /** The names of A and B. */
  pair() {
    return [this.systems[this.view.a], this.view.b === null ? undefined : this.systems[this.view.b]];
  }

  /** The rows of a table of the Result on two systems (A and B unless others are named), read from the first to the second. @param {string} table @param {(string | undefined)[]} names */
  ofPair(table, names = this.pair()) {
    if (!this.byPair[table]) {
      this.byPair[table] = new Map();
      for (const row of this.result[table] ?? []) {
        const key = JSON.stringify([row.a, row.b]);
        const rows = this.byPair[table].get(key);
        if (rows) rows.push(row);
        else this.byPair[table].set(key, [row]);
      }
    }
    const rowsOf = (pair) => this.byPair[table].get(JSON.stringify(pair));
    return rowsOf(names) ?? rowsOf([...names].reverse())?.map((row) => reverseRow(table, row)) ?? [];
  }

  /** What B does differently from A, on the measure whose items are listed. */
  diff(slice = null) {
    return this.ofPair("diffs").find((diff) => diff.on === this.on && diff.slice === slice);
  }

  // --- what the reader does ---

  follow(listener) {
    this.followers.push(listener);
  }

  /** Filter by these terms alone, or by them too, and look at what is found. */
  ask(terms, added = false) {
    this.filter(added ? [...this.view.terms, ...terms] : terms);
    bringUp("found");
  }

  /** Filter by these terms. */
  filter(terms) {
    this.change({ terms, item: null }, "filter");
  }

  choosePair(a, b) {
    this.change({ a, b, item: null, toggled: [] }, "pair");
  }

  /** The filters, as they are typed. */
  query() {
    return writeQuery(this.view.terms);
  }

  /** Change the view. Filters and pairs can be undone with the browser's Back; moving about in the list cannot. */
  change(changes, what) {
    this.view = { ...this.view, ...changes };
    const selecting = what === "pair" || what === "filter";
    if (selecting) this.#select();
    const hash = hashOf(this.view, this.systems, this.first);
    if (hash !== location.hash) {
      if (!selecting && what !== "board") this.#replaceSoon(hash);
      else history.pushState(null, "", hash);
    }
    this.#tell(what);
  }

  // Browsers refuse an address that changes too often.
  #replaceSoon(hash) {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => history.replaceState(null, "", hash), 120);
  }

  /** Show the view of the address. */
  restore() {
    clearTimeout(this.waiting);
    this.view = viewFrom(location.hash, this.systems, this.first);
    this.#select();
    this.#tell("pair");
  }

  #tell(what) {
    for (const listener of this.followers) listener(what);
  }

  // --- what follows ---

  #select() {
    if (!this.texts) return;
    try {
      this.hits = selectItems(this.texts, this.view, this.view.terms);
      this.error = "";
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.hits = NO_HITS;
      this.error = error.message;
    }
    this.rows = this.#sorted();
    if (this.view.text === null || !this.rows.includes(this.view.text)) this.view = { ...this.view, text: this.#firstTelling(), item: null };
  }

  /** The first text with an item to step to, or the first; null if there is none. */
  #firstTelling() {
    return (this.texts.ofItems && !this.texts.cells ? undefined : this.rows.find((text) => this.stepsIn(text).length > 0)) ?? this.rows[0] ?? null;
  }

  #sorted() {
    const rows = this.hits.texts;
    const { wordStarts, ofItems } = this.texts;
    const words = (text) => (ofItems ? this.texts.words(text).join(" ").length : wordStarts[text + 1] - wordStarts[text]);
    const keys = {
      gained: (text) => -this.gain(text),
      lost: (text) => this.gain(text),
      hits: (text) => -this.hitsIn(text).length,
      longest: (text) => -words(text),
      shortest: words,
      split: (text) => -this.splitOf(text),
      apart: (text) => -Math.abs(this.gain(text)),
      surest: (text) => -this.#surestError(text),
      hardest: (text) => -Math.max(0, ...this.#itemsOf(text).map((item) => this.texts.wrong.reduce((sum, wrong) => sum + wrong[item], 0))),
    };
    const key = keys[this.view.sort];
    if (!key) return rows;
    const known = new Map(Array.from(rows, (text) => [text, key(text)]));
    return Int32Array.from(rows).sort((one, other) => known.get(one) - known.get(other) || one - other);
  }

  /** The highest confidence in a wrong answer of A or B. */
  #surestError(text) {
    const { texts, view } = this;
    const sure = this.#itemsOf(text).flatMap((item) => [view.a, view.b].map((system) => {
      if (system === null || !texts.wrong[system][item]) return NaN;
      const value = texts.confidence[system]?.[item] ?? NaN;
      const about = this.labelOfConfidence(system);
      return about === null || texts.label(texts.answers[system][item]) === about ? value : Number(texts.hasShares) - value;
    }));
    return Math.max(-Number.MAX_VALUE, ...sure.filter((value) => !Number.isNaN(value)));
  }

  /** The label that the confidences of a system are about; null for its answers. @param {number} system @returns {string | null} */
  labelOfConfidence(system) {
    return this.result.calibrations?.find((row) => row.system === this.systems[system])?.label ?? null;
  }

  /** True if labels are identifiers. */
  get hasIdentifiers() {
    return this.texts !== null && this.result.remarks.address !== undefined;
  }

  /** A label with the words that it stands for, if it is an identifier. @param {string} label */
  describe(label) {
    const words = this.hasIdentifiers ? this.texts.mentionOf(label.split(" ")[0]) : "";
    return words ? `${label} ${words}` : label;
  }

  /** How much is found: items, and the texts that they are in unless each is a text. */
  hitCounts() {
    const [items, texts] = [this.hits.items.length, plural(this.hits.texts.length, this.unit)];
    if (!this.texts.ofItems) return [plural(items, this.noun), texts];
    return this.kinds.length ? [plural(items, this.texts.cells ? this.noun : "label"), texts] : [texts];
  }

  /** The items of a text that the filter found; none if it asks for texts only. */
  hitsIn(text) {
    if (!this.hits.ofItems) return [];
    return this.#found(text);
  }

  #found(text) {
    const { items } = this.hits;
    const begin = firstFrom(items, this.texts.itemStarts[text]);
    return items.subarray(begin, firstFrom(items, this.texts.itemStarts[text + 1], begin));
  }

  /** The items of a text worth stepping through: those found, or those that differ or are wrong. */
  stepsIn(text) {
    const { a, b } = this.view;
    if (this.hits.ofItems) return Array.from(this.#found(text));
    if (this.texts.split) return this.#itemsOf(text);
    const telling = b === null ? (item) => this.texts.wrong[a][item] : (item) => this.texts.alike[a][item] !== this.texts.alike[b][item];
    return this.#itemsOf(text).filter(telling);
  }

  #itemsOf(text) {
    const { itemStarts } = this.texts;
    const there = presenceTest(this.texts, this.view);
    const items = [];
    for (let item = itemStarts[text]; item < itemStarts[text + 1]; item += 1) if (there(item)) items.push(item);
    return items;
  }

  /** Corrections minus new errors from A to B in a text; with one system, minus its errors; of a graded item, how much better B is. */
  gain(text) {
    const { texts, view } = this;
    if (texts.split) return 0;
    if (texts.graded) return (view.b === null ? 0 : texts.lost[view.a][texts.itemStarts[text]]) - texts.lost[view.b ?? view.a][texts.itemStarts[text]];
    let gain = 0;
    for (const item of this.#itemsOf(text)) {
      if (view.b === null) gain -= texts.wrong[view.a][item];
      else gain += [1, -1, 0, 0, 0][texts.change(item, view.a, view.b)];
    }
    return gain;
  }

  /** The highest disagreement in a text. @param {number} text */
  splitOf(text) {
    return Math.max(0, ...this.#itemsOf(text).map((item) => this.texts.split?.[item] ?? 0));
  }

  get gainMeaning() {
    if (this.texts.split) return "how split annotators are: the mean distance of two ratings";
    if (this.texts.graded) return `${this.texts.graded}${this.view.b === null ? "" : " of A → B"}`;
    return this.view.b === null ? `wrong ${this.noun}s` : `${this.noun}s: corrections minus new errors from A to B`;
  }

  /** What becomes of an item without words, as a sign. @param {number} text */
  signOf(text) {
    const { texts, view } = this;
    if (texts.split) return decimal(this.splitOf(text));
    if (texts.graded) return [view.a, ...(view.b === null ? [] : [view.b])].map((system) => grade(texts.grade[system][texts.itemStarts[text]])).join(" → ");
    const signs = this.#itemsOf(text).map((item) => {
      const wrong = [view.a, view.b].filter((system) => system !== null).map((system) => (texts.wrong[system][item] ? "✗" : "✓"));
      return view.b === null || texts.change(item, view.a, view.b) > 2 ? wrong.join(" ") : wrong.join(" → ");
    });
    return texts.kinds.length ? null : signs[0];
  }

  gainText(gain) {
    if (this.view.b === null) return gain ? `✗ ${-gain}` : "✓";
    return signedCount(gain);
  }

  /** The layers drawn: gold, A and B unless turned off, others if turned on. */
  sides() {
    const { a, b, toggled, text } = this.view;
    // Of annotators, those who rated something in the text.
    const raters = this.texts.split && text !== null ? this.texts.raters(this.#itemsOf(text)) : [];
    // Answers to an item are short, so those of several systems have room.
    const others = this.texts.ofItems && !this.texts.cells && b !== null && this.systems.length <= MOST_SIDES ? this.systems.map((_, system) => 1 + system) : [];
    const usual = this.texts.split ? raters.slice(0, MOST_SIDES).map((system) => 1 + system) : [...new Set([0, 1 + a, ...(b === null ? [] : [1 + b]), ...others])];
    const all = new Set([...usual, ...this.systems.map((_, system) => 1 + system)]);
    return [...all].filter((side) => usual.includes(side) !== toggled.includes(side));
  }
}
