// What the reader has chosen: two systems, filters, order, sentence. It lives in the address, so that it can be mailed.
import { parseQuery, writeQuery } from "./query.js";
/** @import { Term } from "./query.js" */

/**
 * What is chosen: systems a and b (b is null if only one is looked at), what is open, filters, order, the text and the item in view, sides switched on or off, and folding, null if the length of the text decides.
 * @typedef {{a: number, b: number | null, by: string | null, tab: string | null, picture: string | null, terms: Term[], sort: string, text: number | null, item: number | null, toggled: number[], fold: boolean | null}} View
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

/** What is open on the page: the measure that systems are ranked by, a tab, a picture. */
const OPEN = ["by", "tab", "picture"];

/** The view that a page opens with. @param {{a: number, b: number | null, sort?: string}} first @returns {View} */
export function initialView({ a, b, sort = "order" }) {
  return { a, b, by: null, tab: null, picture: null, terms: [], sort, text: null, item: null, toggled: [], fold: null };
}

/** The view of an address; what the address does not name, or names wrongly, is as in the first view. @param {string} hash @param {string[]} systems @param {{a: number, b: number | null, sort?: string}} first */
export function viewFrom(hash, systems, first) {
  const view = initialView(first);
  const paired = first.b !== null;
  const given = new URLSearchParams(hash.replace(/^#/u, ""));
  const [a, b] = [systems.indexOf(given.get("a") ?? ""), systems.indexOf(given.get("b") ?? "")];
  if (paired && a >= 0 && b >= 0 && a !== b) [view.a, view.b] = [Math.min(a, b), Math.max(a, b)];
  if (!paired && a >= 0) view.a = a;
  view.terms = parseQuery(given.get("q") ?? "");
  const sort = given.get("sort") ?? "";
  if (Object.hasOwn(SORTS, sort)) view.sort = sort;
  for (const name of ["text", "item"]) if (/^\d+$/u.test(given.get(name) ?? "")) view[name] = Number(given.get(name));
  view.toggled = (given.get("layers") ?? "").split(".").filter((side) => /^\d+$/u.test(side)).map(Number);
  if (given.has("fold")) view.fold = given.get("fold") === "yes";
  for (const name of OPEN) view[name] = given.get(name);
  return view;
}

/** The address of a view. @param {View} view @param {string[]} systems */
export function hashOf(view, systems, sort = "order") {
  const address = new URLSearchParams();
  if (systems.length > (view.b === null ? 1 : 2)) address.set("a", systems[view.a]);
  if (view.b !== null && systems.length > 2) address.set("b", systems[view.b]);
  for (const name of OPEN) if (view[name] !== null) address.set(name, view[name] ?? "");
  if (view.terms.length) address.set("q", writeQuery(view.terms));
  if (view.sort !== sort) address.set("sort", view.sort);
  if (view.text !== null) address.set("text", String(view.text));
  if (view.item !== null) address.set("item", String(view.item));
  if (view.toggled.length) address.set("layers", view.toggled.join("."));
  if (view.fold !== null) address.set("fold", view.fold ? "yes" : "no");
  return `#${address}`;
}
