// What the reader has chosen: two systems, filters, order, sentence. It lives in the address, so that it can be mailed.
import { parseQuery, writeQuery } from "./query.js";
/** @import { Term } from "./query.js" */

/**
 * What is chosen: systems a and b (b is null if only one is looked at), the pinned baseline, systems that are hidden and a part of the names of those shown, what is open, filters, order, the text and the item in view, sides switched on or off, and folding, null if the length of the text decides.
 * @typedef {{a: number, b: number | null, base: number | null, hidden: number[], names: string | null, by: string | null, of: string | null, pairs: string | null, tab: string | null, against: string | null, terms: Term[], sort: string, text: number | null, item: number | null, toggled: number[], fold: boolean | null}} View
 */

export const SORTS = {
  split: "most split first",
  order: "in the order of the file",
  gained: "most net corrections first",
  lost: "most net new errors first",
  hits: "most hits first",
  longest: "longest first",
  shortest: "shortest first",
  surest: "surest errors first",
  hardest: "most systems wrong first",
  apart: "largest difference first",
};

/** Orders that have another name if only one system is looked at. */
export const SORTS_OF_ONE = { gained: "fewest errors first", lost: "most errors first" };

/** Orders that have another name if items are graded, not right or wrong. */
export const SORTS_BY_GRADE = { gained: "most improved first", lost: "most worsened first" };
export const SORTS_OF_ONE_BY_GRADE = { gained: "best first", lost: "worst first" };

/** What is open on the page: the measure and the slice that systems are ranked by, the names looked for, the matrix of pairs, a tab, and the system that others are compared with on each data set. */
const OPEN = ["by", "of", "names", "pairs", "tab", "against"];
/** What the address has in place of a baseline that was unpinned. */
const NO_BASE = "";

/** What a page opens with. @typedef {{a: number, b: number | null, base?: number | null, sort?: string}} First */

/** The view that a page opens with. @param {First} first @returns {View} */
export function initialView({ a, b, base = null, sort = "order" }) {
  return { a, b, base, hidden: [], names: null, by: null, of: null, pairs: null, tab: null, against: null, terms: [], sort, text: null, item: null, toggled: [], fold: null };
}

/** The view of an address; what the address does not name, or names wrongly, is as in the first view. @param {string} hash @param {string[]} systems @param {First} first */
export function viewFrom(hash, systems, first) {
  const view = initialView(first);
  const paired = first.b !== null;
  const given = new URLSearchParams(hash.replace(/^#/u, ""));
  const [a, b] = [systems.indexOf(given.get("a") ?? ""), systems.indexOf(given.get("b") ?? "")];
  if (paired && a >= 0 && b >= 0 && a !== b) [view.a, view.b] = [a, b];
  if (!paired && a >= 0) view.a = a;
  const base = given.get("base");
  if (base !== null) view.base = base === NO_BASE ? null : placeOf(systems, base) ?? view.base;
  view.hidden = given.getAll("hide").map((name) => systems.indexOf(name)).filter((place) => place >= 0);
  view.terms = parseQuery(given.get("q") ?? "");
  const sort = given.get("sort") ?? "";
  if (Object.hasOwn(SORTS, sort)) view.sort = sort;
  for (const name of ["text", "item"]) if (/^\d+$/u.test(given.get(name) ?? "")) view[name] = Number(given.get(name));
  view.toggled = (given.get("layers") ?? "").split(".").filter((side) => /^\d+$/u.test(side)).map(Number);
  if (given.has("fold")) view.fold = given.get("fold") === "yes";
  for (const name of OPEN) view[name] = given.get(name);
  return view;
}

/** The place of a name among others; null if it is not there. @param {string[]} names */
function placeOf(names, name) {
  const place = names.indexOf(name);
  return place < 0 ? null : place;
}

/** The address of a view. @param {View} view @param {string[]} systems @param {First} first */
export function hashOf(view, systems, { base = null, sort = "order" }) {
  const address = new URLSearchParams();
  if (systems.length > (view.b === null ? 1 : 2)) address.set("a", systems[view.a]);
  if (view.b !== null && systems.length > 2) address.set("b", systems[view.b]);
  if (view.base !== base) address.set("base", view.base === null ? NO_BASE : systems[view.base]);
  for (const system of view.hidden) address.append("hide", systems[system]);
  for (const name of OPEN) if (view[name] !== null) address.set(name, view[name] ?? "");
  if (view.terms.length) address.set("q", writeQuery(view.terms));
  if (view.sort !== sort) address.set("sort", view.sort);
  if (view.text !== null) address.set("text", String(view.text));
  if (view.item !== null) address.set("item", String(view.item));
  if (view.toggled.length) address.set("layers", view.toggled.join("."));
  if (view.fold !== null) address.set("fold", view.fold ? "yes" : "no");
  return `#${address}`;
}
