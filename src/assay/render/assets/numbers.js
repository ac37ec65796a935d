// Numbers as the other renderings write them: the same digits everywhere.

const DASH = "–";

/** Two decimals; what lies exactly between two goes to the even one, as in Python. */
function twoDecimals(value) {
  const text = value.toFixed(2);
  const tied = Number.isInteger(value * 8) && Math.abs(value * 1000) % 10 === 5;
  if (!tied || Number(text.at(-1)) % 2 === 0) return text;
  return (value - Math.sign(value) * 0.005).toFixed(2);
}

/** A fraction as percent. */
export function percent(value) {
  return value === null || value === undefined ? DASH : twoDecimals(100 * value);
}

/** A difference in percentage points; a true minus, and no sign on zero. */
export function signed(value) {
  if (value === null || value === undefined) return DASH;
  const text = twoDecimals(Math.abs(100 * value));
  if (Number(text) === 0) return text;
  return (value > 0 ? "+" : "−") + text;
}

/** A whole number with separators. */
export function whole(value) {
  return value.toLocaleString("en-GB");
}

/** `1 word`, `2 words`. */
export function plural(number, noun) {
  return `${whole(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** A p-value with four decimals, never 0. */
export function pValue(p) {
  if (p === null || p === undefined) return DASH;
  return p < 0.0001 ? "<0.0001" : p.toFixed(4);
}

/** A gain as a signed whole number. */
export function signedCount(number) {
  return number === 0 ? "0" : `${number > 0 ? "+" : "−"}${whole(Math.abs(number))}`;
}
