// Which items and texts a query selects. An item passes if it passes every term; a text, if it or an item of it does.
import { KINDS, NONE, NOT_ANSWERED } from "./data.js";
/**
 * @import { Texts } from "./data.js"
 * @import { Term } from "./query.js"
 * @typedef {{a: number, b: number | null}} Pair
 */

/** Fields, with what they mean; those of texts first. */
const FIELDS = {
  text: "words of the sentence",
  id: "id of the sentence",
  length: "number of words of the sentence",
  change: "correction, new-error, changed-error, both-right, same-error, or different",
  gold: "gold's label",
  a: "A's label",
  b: "B's label",
  label: "a label of gold, A or B",
  "gold-has": "value of a category of gold's tag, e.g. gold-has:case=acc",
  "a-has": "value of a category of A's tag",
  "b-has": "value of a category of B's tag",
  "a-is": "right or wrong",
  "b-is": "right or wrong",
  "a-type": "outcome in A: tp, le, fp …",
  "b-type": "outcome in B",
  credit: "improved, worsened or sideways: B's partial credit compared with A's",
  moved: "yes: A and B attach it to different heads",
  word: "words of the item",
  value: "a value of gold or a system",
  size: "number of words of the item",
  distance: "distance to gold's head, in words",
  "right-in": "number of systems that have it right",
  only: "the only system that has it right",
  slice: "a slice, e.g. seen=unseen",
  meta: "metadata, e.g. meta:domain=film",
  "a-confidence": "A's confidence, e.g. a-confidence>0.9",
  "b-confidence": "B's confidence",
  "a-bin": "bin of A's confidence",
  "b-bin": "bin of B's confidence",
};
/** Fields of items that annotators rate; there is no gold. */
const FIELDS_OF_PEOPLE = {
  text: "words of the text, or the id",
  id: "id of the text",
  word: "words of the item",
  meta: "metadata, e.g. meta:domain=film",
  differs: "an annotator whose label is not the most frequent one of the others",
  between: "two annotators who differ, e.g. between:anna|ben",
  given: "a label that an annotator gave; given:A given:B for both",
  confuses: "an annotator's label and the most frequent one of the others, e.g. confuses:anna=A→B",
};
const FIELDS_OF_RECORDS = { text: "words of the text, a value, or the id", id: "id of the record", gold: "field of gold's value", a: "outcome in A, or the field of a spurious value", b: "outcome in B", label: "field, or outcome in A or B" };
const FIELDS_OF_ITEMS = { text: "words of the text or id", id: "id of the item", credit: "improved or worsened: B's error or score compared with A's" };

/** What a field means. @param {Texts} texts @param {string} field @returns {string} */
export const meaningOfField = (texts, field) => (texts.split && FIELDS_OF_PEOPLE[field]) || (texts.cells && FIELDS_OF_RECORDS[field]) || (texts.ofItems && FIELDS_OF_ITEMS[field]) || FIELDS[field];

const OF_TEXT = new Set(["text", "id", "length", "meta"]);
const OF_GOLD = new Set(["right-in", "only"]);
const NUMERIC = new Set(["length", "size", "distance", "right-in", "a-bin", "b-bin"]);
const DECIMAL = new Set(["a-confidence", "b-confidence"]);
const NOTHING = "∅";
const COURSES = ["improved", "worsened", "sideways"];

/** An error of a query, with a sentence for the reader. */
export class QueryError extends Error {}

/** @param {Texts} texts @returns {string[]} the fields that make sense for these texts */
export function usableFields(texts, { a, b }) {
  if (texts.split) return Object.keys(FIELDS_OF_PEOPLE).filter((field) => ({ word: !texts.ofItems, meta: texts.data.facts !== undefined })[field] ?? true);
  const pair = b !== null;
  const several = texts.systems.length > 1;
  const judged = !texts.graded;
  const arcs = Boolean(texts.layers[0]?.heads);
  const needs = {
    change: pair && judged, b: pair, "a-is": judged, "b-is": pair && judged, "right-in": several && judged, only: several && judged,
    "a-type": texts.kinds.length, "b-type": pair && texts.kinds.length,
    credit: pair && texts.lost[0] !== null, moved: pair && arcs, distance: arcs, slice: Object.keys(texts.slices).length,
    "gold-has": texts.data.categories, "a-has": texts.data.categories, "b-has": pair && texts.data.categories,
    length: !texts.ofItems, word: !texts.ofItems, value: texts.cells !== null, size: !texts.ofItems, meta: texts.data.facts !== undefined,
    "a-confidence": texts.confidence[a], "b-confidence": pair && texts.confidence[b], "a-bin": texts.hasShares && texts.confidence[a], "b-bin": pair && texts.hasShares && texts.confidence[b],
  };
  return Object.keys(FIELDS).filter((field) => needs[field] ?? true);
}

/** What passes; `ofItems` is false if the query asks for texts only. @typedef {{items: Int32Array, texts: Int32Array, ofItems: boolean}} Hits */

/** The items and texts that pass. @param {Texts} texts @param {Pair} pair @param {Term[]} terms @returns {Hits} */
export function selectItems(texts, pair, terms) {
  for (const one of terms) checkTerm(texts, pair, one);
  const textTests = terms.filter((one) => OF_TEXT.has(one.field)).map((one) => textTest(texts, one));
  const itemTerms = terms.filter((one) => !OF_TEXT.has(one.field));
  const itemTests = itemTerms.map((one) => itemTest(texts, pair, one));
  if (itemTerms.some((one) => OF_GOLD.has(one.field))) itemTests.unshift((item) => texts.owner[item] === NONE);
  const there = presenceTest(texts, pair);
  const items = [];
  const found = [];
  for (let text = 0; text < texts.size; text += 1) {
    if (!textTests.every((test) => test(text))) continue;
    const before = items.length;
    for (let item = texts.itemStarts[text]; item < texts.itemStarts[text + 1]; item += 1) {
      if (there(item) && passesAll(itemTests, item)) items.push(item);
    }
    if (!itemTests.length || items.length > before) found.push(text);
  }
  return { items: Int32Array.from(items), texts: Int32Array.from(found), ofItems: itemTests.length > 0 };
}

function passesAll(tests, item) {
  for (const test of tests) if (!test(item)) return false;
  return true;
}

/** A test that is true of items of gold and of the systems compared. @param {Texts} texts */
export function presenceTest(texts, { a, b }) {
  const { split } = texts;
  if (split) return (item) => split[item] > 0;
  if (!texts.kinds.length) return () => true;
  const sides = b === null ? [a] : [a, b];
  return (item) => texts.owner[item] === NONE || sides.some((side) => texts.outcome[side][item] !== NONE);
}

/** @param {Texts} texts */
function checkTerm(texts, pair, { field, op, values }) {
  const known = usableFields(texts, pair);
  if (!known.includes(field)) throw new QueryError(`Unknown field "${field}". Write one of: ${known.join(", ")}.`);
  if (!values.length) throw new QueryError(`Write a value after "${field}${op}".`);
  const number = values.every((value) => /^\d+$/u.test(value));
  if (NUMERIC.has(field) && !number) throw new QueryError(`"${field}" needs a whole number, e.g. ${field}>5.`);
  if (DECIMAL.has(field) && !values.every((value) => value.trim() && Number.isFinite(Number(value)))) throw new QueryError(`"${field}" needs a number, e.g. ${field}>0.9.`);
  const keys = Object.keys(texts.data.facts ?? {});
  if (field === "meta" && !values.every((value) => keys.includes(value.split("=", 1)[0]))) throw new QueryError(`Write meta:KEY=VALUE with one of: ${keys.join(", ")}.`);
  const categories = Object.keys(texts.data.categories ?? {});
  if (field.endsWith("-has") && !values.every((value) => categories.includes(value.split("=", 1)[0]))) throw new QueryError(`Write ${field}:CATEGORY=VALUE with one of: ${categories.join(", ")}.`);
  if (!NUMERIC.has(field) && !DECIMAL.has(field) && /[<>]/u.test(op)) throw new QueryError(`"${field}" is not a number. Write ${field}:${values[0] || "…"}`);
  const possible = valuesOf(texts, field);
  const strange = possible ? values.find((value) => !possible.includes(value)) : undefined;
  if (strange !== undefined) throw new QueryError(`"${field}" cannot be ${strange ? `"${strange}"` : "empty"}. Write one of: ${possible.join(", ")}.`);
}

/** The values of a field that has few. @param {Texts} texts */
function valuesOf(texts, field) {
  if (field === "change") return [...KINDS, "different"];
  if (field.endsWith("-is")) return ["right", "wrong"];
  if (field.endsWith("-type")) return [...texts.kinds, "none"];
  return { credit: COURSES, moved: ["yes", "no"], only: texts.systems, differs: texts.systems, between: texts.systems, slice: Object.keys(texts.slices) }[field];
}

/** A test of numbers. */
function compareNumbers(op, values) {
  const numbers = values.map(Number);
  const [limit] = numbers;
  const tests = { "<": (n) => n < limit, ">": (n) => n > limit, "<=": (n) => n <= limit, ">=": (n) => n >= limit };
  return tests[op] ?? ((n) => numbers.includes(n));
}

const negateIf = (test, not) => (not ? (place) => !test(place) : test);

/** @param {Texts} texts */
function textTest(texts, { field, op, values, not }) {
  const wanted = values.map((value) => value.toLowerCase());
  if (field === "length") {
    const test = compareNumbers(op, values);
    return negateIf((text) => test(texts.wordStarts[text + 1] - texts.wordStarts[text]), not);
  }
  if (field === "meta") {
    const facts = values.map((value) => [value.split("=", 1)[0], value.slice(value.indexOf("=") + 1)]);
    return negateIf((text) => facts.some(([key, value]) => (texts.data.values[texts.data.facts[key][text]] ?? "") === value), not);
  }
  const shown = field === "id" ? (text) => String(texts.data.ids[text]).toLowerCase() : (text) => texts.lowered(text);
  return negateIf((text) => wanted.some((value) => shown(text).includes(value)), not);
}

/** @param {Texts} texts */
function itemTest(texts, pair, one) {
  return negateIf(ITEM_TESTS[one.field](texts, pair, one), one.not);
}

/** Codes of labels by name, as a set to look up. */
function codesOf(names, values, nothing = NOTHING) {
  const wanted = new Set(values);
  const found = new Set(names.flatMap((name, code) => (wanted.has(name) ? [code] : [])));
  if (wanted.has(nothing) || wanted.has(NOT_ANSWERED)) found.add(NONE);
  return found;
}

const labelTest = (find) => (texts, pair, { values }) => {
  const wanted = codesOf(texts.labels, values);
  const labels = find(texts, pair);
  return (item) => wanted.has(labels[item]);
};
/** A test of the value of a category; several values are alternatives. */
const categoryTest = (find) => (texts, pair, { values }) => {
  const wanted = values.map((value) => [texts.data.categories[value.split("=", 1)[0]], value.slice(value.indexOf("=") + 1)]);
  const labels = find(texts, pair);
  return (item) => wanted.some(([names, value]) => (names[labels[item]] ?? NOTHING) === value);
};
const isRightTest = (side) => (texts, pair, { values }) => {
  const wrong = texts.wrong[pair[side]];
  const wanted = values.map((value) => (value === "wrong" ? 1 : 0));
  return (item) => wanted.includes(wrong[item]);
};
const outcomeTest = (side) => (texts, pair, { values }) => {
  const wanted = codesOf(texts.kinds, values, "none");
  const kinds = texts.outcome[pair[side]];
  return (item) => wanted.has(kinds[item]);
};
const confidenceTest = (side, read = (_, sure) => sure) => (texts, pair, { op, values }) => {
  const test = compareNumbers(op, values);
  const sure = texts.confidence[pair[side]];
  return (item) => test(read(texts, sure[item]));
};
// Bins contain their upper ends, and 0 is in the first.
const binOf = ({ bins }, sure) => Math.max(1, Math.ceil(Number((sure * bins).toFixed(9))));
const systemsRight = (texts, item) => texts.wrong.reduce((sum, wrong) => sum + 1 - wrong[item], 0);

const ITEM_TESTS = {
  differs(texts, _, { values }) {
    const chosen = values.map((value) => texts.systems.indexOf(value));
    return (item) => chosen.some((system) => texts.confusedWith(item, system).length > 0);
  },
  confuses(texts, _, { values }) {
    const wanted = new Set(values);
    const chosen = [...texts.systems.keys()].filter((system) => values.some((value) => value.startsWith(`${texts.systems[system]}=`)));
    const spell = (item, system, code) => `${texts.systems[system]}=${texts.label(texts.answers[system][item])}→${texts.label(code)}`;
    return (item) => chosen.some((system) => texts.confusedWith(item, system).some((code) => wanted.has(spell(item, system, code))));
  },
  between(texts, _, { values }) {
    const chosen = values.map((value) => texts.answers[texts.systems.indexOf(value)]);
    return (item) => new Set(chosen.map((answers) => answers[item]).filter((code) => code !== NONE)).size > 1;
  },
  given(texts, _, { values }) {
    const wanted = new Set(values.map((value) => texts.labels.indexOf(value)));
    return (item) => texts.answers.some((answers) => answers[item] !== NONE && wanted.has(answers[item]));
  },
  change(texts, { a, b }, { values }) {
    const wanted = new Set(values.map((value) => KINDS.indexOf(value)));
    const different = values.includes("different");
    return (item) => wanted.has(texts.change(item, a, b)) || (different && texts.alike[a][item] !== texts.alike[b][item]);
  },
  gold: labelTest((texts) => texts.gold),
  a: labelTest((texts, { a }) => texts.answers[a]),
  b: labelTest((texts, { b }) => texts.answers[b]),
  "gold-has": categoryTest((texts) => texts.gold),
  "a-has": categoryTest((texts, { a }) => texts.answers[a]),
  "b-has": categoryTest((texts, { b }) => texts.answers[b]),
  label(texts, { a, b }, { values }) {
    const wanted = codesOf(texts.labels, values);
    const columns = [texts.gold, texts.answers[a], ...(b === null ? [] : [texts.answers[b]])];
    return (item) => columns.some((labels) => wanted.has(labels[item]));
  },
  "a-is": isRightTest("a"),
  "b-is": isRightTest("b"),
  "a-confidence": confidenceTest("a"),
  "b-confidence": confidenceTest("b"),
  "a-bin": confidenceTest("a", binOf),
  "b-bin": confidenceTest("b", binOf),
  "a-type": outcomeTest("a"),
  "b-type": outcomeTest("b"),
  credit(texts, { a, b }, { values }) {
    const [before, after] = [texts.lost[a], texts.lost[b]];
    const different = (item) => texts.alike[a][item] !== texts.alike[b][item];
    const tests = {
      improved: (item) => after[item] < before[item],
      worsened: (item) => after[item] > before[item],
      sideways: (item) => after[item] === before[item] && different(item),
    };
    return (item) => values.some((value) => tests[value](item));
  },
  moved(texts, { a, b }, { values }) {
    const [headsA, headsB] = [texts.layers[1 + a].heads, texts.layers[1 + b].heads];
    const wanted = values.includes("yes");
    return (item) => (headsA[texts.place(item)] !== headsB[texts.place(item)]) === wanted;
  },
  word(texts, _, { values }) {
    const wanted = values.map((value) => value.toLowerCase());
    return (item) => wanted.some((value) => texts.itemWords(item).toLowerCase().includes(value));
  },
  value(texts, _, { values }) {
    const wanted = values.map((value) => value.toLowerCase());
    return (item) => [texts.cells.gold, ...texts.cells.value].some((value) => wanted.some((part) => value(item)?.toLowerCase().includes(part)));
  },
  size(texts, _, { op, values }) {
    const test = compareNumbers(op, values);
    return (item) => test(texts.length[item]);
  },
  distance(texts, _, { op, values }) {
    const test = compareNumbers(op, values);
    const { heads } = texts.layers[0];
    return (item) => test(heads[texts.place(item)] < 0 ? 0 : Math.abs(heads[texts.place(item)] - texts.begin[item]));
  },
  "right-in"(texts, _, { op, values }) {
    const test = compareNumbers(op, values);
    return (item) => test(systemsRight(texts, item));
  },
  only(texts, _, { values }) {
    const systems = values.map((value) => texts.systems.indexOf(value));
    return (item) => systemsRight(texts, item) === 1 && systems.some((system) => system >= 0 && !texts.wrong[system][item]);
  },
  slice(texts, _, { values }) {
    const chosen = values.map((value) => texts.slices[value]).filter(Boolean);
    return (item) => chosen.some((members) => members[item]);
  },
};
