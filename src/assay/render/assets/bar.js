// Filters as chips, the query, the order of the list, and how much is found.
import { TYPING, buttonFor, choiceOf } from "./controls.js";
import { element } from "./dom.js";
import { QueryError, selectItems } from "./filters.js";
import { plural, whole } from "./numbers.js";
import { parseQuery, term, writeTerm } from "./query.js";
import { bringUp } from "./scroll.js";
import { SORTS, SORTS_BY_GRADE, SORTS_OF_ONE, SORTS_OF_ONE_BY_GRADE } from "./state.js";
/** @import { Report } from "./report.js" */

const PAIRS_LISTED = 200;
const PLAIN = { autocomplete: "off", spellcheck: false };

/** True if a term is that of the search field. */
const isSearch = ({ field, op, values, not }) => field === "text" && op === ":" && values.length === 1 && !not;

/** The search field in the head of the page. @param {Report} report */
export function searchField(report) {
  const words = "search the texts";
  const field = element("input", { type: "search", id: "search", placeholder: words, "aria-label": words, "aria-keyshortcuts": "/", ...PLAIN });
  let waiting = 0;
  const look = () => {
    const others = report.view.terms.filter((one) => !isSearch(one));
    report.filter(field.value.trim() ? [...others, term("text", field.value.trim())] : others);
  };
  field.addEventListener("change", () => bringUp("found"));
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(look, TYPING);
  });
  report.follow(() => {
    if (document.activeElement !== field) field.value = report.view.terms.find(isSearch)?.values[0] ?? "";
  });
  return field;
}

/** The bar above the list. @param {Report} report */
export function filterBar(report) {
  const chips = element("div", { id: "chips", class: "chips", role: "group", "aria-label": "Filters" });
  const hits = element("p", { id: "hits", role: "status", "aria-live": "polite", "aria-atomic": "true" });
  const wrong = element("p", { id: "query-error", class: "error", role: "alert" });
  const sort = choiceOf({ id: "sort", "aria-label": "Order of the list" }, sortsOf(report));
  sort.addEventListener("change", () => report.change({ sort: sort.value, text: null, item: null }, "filter"));
  report.follow(() => {
    sort.value = report.view.sort;
    chips.replaceChildren(...chipsOf(report));
    wrong.textContent = report.error;
    showHits(report, hits);
  });
  const parts = [report.texts.split ? peopleChoices(report) : null, chips, queryForm(report, wrong), sort, hits, wrong, partNote(report)];
  return element("section", { id: "filters", role: "search", "aria-label": "Filters" }, parts);
}

/** The orders that make sense for these texts. @param {Report} report @returns {[string, string][]} */
function sortsOf({ texts, paired, systems }) {
  const { graded } = texts;
  if (texts.split) return Object.entries(SORTS).filter(([sort]) => ["split", "order", "longest", "shortest"].includes(sort));
  const needs = { split: false, hits: !texts.ofItems, surest: !graded && texts.confidence.some(Boolean), hardest: !graded && texts.ofItems && systems.length > 1, apart: graded && paired };
  const named = paired ? graded && SORTS_BY_GRADE : graded ? SORTS_OF_ONE_BY_GRADE : SORTS_OF_ONE;
  return Object.entries({ ...SORTS, ...(named || {}) }).filter(([sort]) => needs[sort] ?? true);
}

/** Choices of an annotator and of two labels that annotators give to the same items. @param {Report} report */
function peopleChoices(report) {
  const { coincidences } = report.result;
  const pairs = coincidences.filter(({ first, second }) => first < second).sort((one, other) => other.count - one.count).slice(0, PAIRS_LISTED);
  const parts = [
    ["differing", "Annotator", "all annotators", report.systems.map((name) => [[term("differs", name)], `${name} differs from most`])],
    ["labels-given", "Labels", "all labels", pairs.map(({ first, second }) => [[term("given", first), term("given", second)], `${first} and ${second}`])],
  ];
  return parts.map(([id, label, all, options]) => {
    const queries = options.map(([terms]) => terms.map(writeTerm));
    const choice = choiceOf({ id, "aria-label": label }, [["", all], ...options.map(([, title], place) => [String(place), title])]);
    choice.addEventListener("change", () => {
      const others = report.view.terms.filter((one) => !queries.flat().includes(writeTerm(one)));
      report.filter([...others, ...(choice.value === "" ? [] : options[Number(choice.value)][0])]);
    });
    report.follow(() => {
      const known = report.view.terms.map(writeTerm);
      choice.value = String([...queries.keys()].find((place) => queries[place].every((one) => known.includes(one))) ?? "");
    });
    return choice;
  });
}

/** The field in which terms are typed. @param {Report} report */
function queryForm(report, wrong) {
  const about = { "aria-label": "Add a filter", "aria-keyshortcuts": "q", "aria-describedby": "query-error" };
  const { ofItems, confidence } = report.texts;
  const peopleHint = report.texts.split && "add a filter: differs:… given:…";
  const last = !ofItems ? " length>30" : confidence.some(Boolean) ? " a-confidence>0.9" : "";
  const field = element("input", { id: "query", placeholder: peopleHint || `add a filter: gold:… a:…${last}`, ...about, ...PLAIN });
  const form = element("form", { class: "query-form" }, field, element("button", {}, "add"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    wrong.textContent = addTyped(report, field);
  });
  field.addEventListener("input", () => (wrong.textContent = ""));
  return form;
}

/** Add what was typed; gives what is wrong with it. @param {Report} report */
function addTyped(report, field) {
  const terms = parseQuery(field.value);
  if (!terms.length) return "";
  try {
    selectItems(report.texts, report.view, terms);
  } catch (error) {
    if (error instanceof QueryError) return error.message;
    throw error;
  }
  field.value = "";
  report.ask(terms, true);
  return "";
}

/** @param {Report} report */
function chipsOf(report) {
  const { terms } = report.view;
  if (!terms.length) return [element("span", { class: "soft" }, report.texts.split ? "No filters: all disagreements are listed" : "No filters: all items are listed")];
  const chips = terms.map((one, place) => {
    const drop = () => report.ask(terms.filter((_, other) => other !== place));
    const about = { class: "filter", "data-chip": writeTerm(one), "aria-label": `Remove filter ${writeTerm(one)}` };
    return buttonFor(drop, about, element("bdi", {}, writeTerm(one)), element("span", { "aria-hidden": "true" }, " ✕"));
  });
  return terms.length > 1 ? [...chips, buttonFor(() => report.ask([]), { class: "clear" }, "clear all")] : chips;
}

/** @param {Report} report */
function showHits(report, place) {
  const [items, texts] = [report.hits.items.length, report.hits.texts.length];
  Object.assign(place.dataset, { items, texts });
  place.replaceChildren(...report.hitCounts().flatMap((count, at) => [at ? " in " : "", element("b", {}, count)]));
}

/** A note if the page does not contain all texts; null if it does. @param {Report} report */
function partNote(report) {
  const { embedded, total, how, unit } = report.texts.data;
  if (how === "all") return null;
  const which = report.texts.split ? "those with the highest disagreement" : how === "sample" ? "a random sample of those with errors" : "those with errors";
  const listed = `This page lists ${whole(embedded)} of ${plural(total, unit)}: ${which}.`;
  return element("p", { id: "part", class: "soft" }, listed, ` The numbers above count all ${unit}s, so a list can be shorter than its number.`);
}
