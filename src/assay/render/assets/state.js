// What the reader has chosen: two systems, filters, order, sentence. It lives in the address, so that it can be mailed.
import { parseQuery, writtenQuery } from "./query.js";

export const SORTS = {
  order: "in order",
  gained: "most gained",
  lost: "most lost",
  hits: "most hits",
  longest: "longest first",
  shortest: "shortest first",
};

/** What is open on the page: the measure that systems are ranked by, a tab, a picture. */
const OPEN = ["by", "tab", "picture"];

/** The view that a page opens with. @param {{a: number, b: number | null}} pair */
export function initialView(pair) {
  return { ...pair, by: null, tab: null, picture: null, terms: [], sort: "order", text: null, item: null, toggled: [], fold: false };
}

/** The view that an address names; what it does not name or nobody knows is as at the beginning. */
export function viewFrom(hash, systems, first) {
  const view = initialView(first);
  const paired = first.b !== null;
  const given = new URLSearchParams(hash.replace(/^#/u, ""));
  const [a, b] = [systems.indexOf(given.get("a")), systems.indexOf(given.get("b"))];
  if (paired && a >= 0 && b >= 0 && a !== b) [view.a, view.b] = [Math.min(a, b), Math.max(a, b)];
  if (!paired && a >= 0) view.a = a;
  view.terms = parseQuery(given.get("q") ?? "");
  if (given.get("sort") in SORTS) view.sort = given.get("sort");
  for (const name of ["text", "item"]) if (/^\d+$/u.test(given.get(name) ?? "")) view[name] = Number(given.get(name));
  view.toggled = (given.get("layers") ?? "").split(".").filter((side) => /^\d+$/u.test(side)).map(Number);
  view.fold = given.get("fold") === "yes";
  for (const name of OPEN) view[name] = given.get(name);
  return view;
}

/** The address of a view. */
export function hashOf(view, systems) {
  const said = new URLSearchParams();
  if (systems.length > (view.b === null ? 1 : 2)) said.set("a", systems[view.a]);
  if (view.b !== null && systems.length > 2) said.set("b", systems[view.b]);
  for (const name of OPEN) if (view[name] !== null) said.set(name, view[name]);
  if (view.terms.length) said.set("q", writtenQuery(view.terms));
  if (view.sort !== "order") said.set("sort", view.sort);
  if (view.text !== null) said.set("text", view.text);
  if (view.item !== null) said.set("item", view.item);
  if (view.toggled.length) said.set("layers", view.toggled.join("."));
  if (view.fold) said.set("fold", "yes");
  return `#${said}`;
}
