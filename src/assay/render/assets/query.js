// The small language of filters: `change:new-error gold:NN a:JJ|RB length>30 "some words"`, all terms at once.

/** A term; `op` is ":" or a comparison of numbers. @typedef {{field: string, op: string, values: string[], not: boolean}} Term */

const TERM = /^(-?)([a-z][a-z-]*)(:|<=|>=|=|<|>)(.*)$/su;
const BARE = /^[^\s"|]+$/u;

/** Cut into terms at white space that is not quoted. */
function pieces(query) {
  return query.match(/(?:"(?:[^"\\]|\\.)*"|[^\s"])+/gsu) ?? [];
}

function unquote(text) {
  return text.startsWith('"') ? text.slice(1, text.endsWith('"') && text.length > 1 ? -1 : undefined).replace(/\\(.)/gsu, "$1") : text;
}

function quote(value) {
  return BARE.test(value) && !value.includes("\\") ? value : `"${value.replace(/["\\]/gu, "\\$&")}"`;
}

/** The terms of a query; what names no field is searched for in the text. @param {string} query @returns {Term[]} */
export function parseQuery(query) {
  return pieces(query).map((piece) => {
    const found = piece.startsWith('"') ? null : TERM.exec(piece);
    if (!found) return term("text", unquote(piece));
    const [, minus, field, op, rest] = found;
    const values = (rest.match(/"(?:[^"\\]|\\.)*"?|[^|"]+/gsu) ?? []).map(unquote);
    return { field, op: op === "=" && !/^\d+$/u.test(rest) ? ":" : op, values, not: minus === "-" };
  });
}

/** A term with one value. @param {string} field @param {string | number} value @returns {Term} */
export function term(field, value, op = ":") {
  return { field, op, values: [String(value)], not: false };
}

/** A term as it is typed. @param {Term} term */
export function writeTerm({ field, op, values, not }) {
  return `${not ? "-" : ""}${field}${op}${values.map(quote).join("|")}`;
}

/** A query as it is typed. @param {Term[]} terms */
export function writeQuery(terms) {
  return terms.map(writeTerm).join(" ");
}
