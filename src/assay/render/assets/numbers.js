// Numbers as the other renderings write them: the same digits everywhere.

const DASH = "–";

/** So many decimals; what lies exactly between two goes to the even one, as in Python. */
function roundTo(value, decimals) {
  const text = value.toFixed(decimals);
  const tied = Number.isInteger(value * 2 ** (decimals + 1)) && Math.abs(value * 10 ** (decimals + 1)) % 10 === 5;
  if (!tied || Number(text.at(-1)) % 2 === 0) return text;
  return (value - Math.sign(value) * 0.5 * 10 ** -decimals).toFixed(decimals);
}

/** A fraction as percent. */
export function percent(value) {
  return value === null || value === undefined ? DASH : roundTo(100 * value, 2);
}

/** A difference in percentage points; a true minus, and no sign on zero. */
export function signed(value) {
  if (value === null || value === undefined) return DASH;
  const text = roundTo(Math.abs(100 * value), 2);
  if (Number(text) === 0) return text;
  return (value > 0 ? "+" : "−") + text;
}

/** A coefficient such as kappa: .571. */
function coefficient(value) {
  if (value === null || value === undefined) return DASH;
  const text = roundTo(Math.abs(value), 3);
  return (value < 0 && Number(text) !== 0 ? "−" : "") + text.replace(/^0/u, "");
}

/** A confidence or a threshold: .91; more digits only if it is small. */
export function decimal(value) {
  return Number.isNaN(value) ? DASH : coefficient(value).replace(/(\.\d\d)0$/u, "$1");
}

/** An error or a score of an item, with four digits at most. */
export function grade(value) {
  return String(Number(value.toPrecision(4))).replace("-", "−");
}

const plainTick = (number) => String(Number((100 * number).toPrecision(6)));
const coefficientTick = (number) => String(Number(number.toPrecision(6))).replace("-", "−").replace(/0\./u, ".");
const plus = (number, text) => (number > 0 && !/^[.0]*$/u.test(text) ? `+${text}` : text);

/** A number with four significant digits, in the unit that it has: 0.4000, 12.35, 1,235. */
function plainNumber(value) {
  if (value === null || value === undefined) return DASH;
  const size = Math.abs(value);
  if (size && !(size >= 1e-4 && size < 1e15)) return value.toExponential(3).replaceAll("-", "−");
  const decimals = size ? Math.max(0, 3 - Number(size.toExponential(3).split("e")[1])) : 3;
  const [integers, rest] = roundTo(size, decimals).split(".");
  return `${value < 0 ? "−" : ""}${Number(integers).toLocaleString("en-GB")}${rest ? `.${rest}` : ""}`;
}

/** How values of a form, their differences and the numbers of an axis are written. */
export function writersOf(form) {
  if (form === "percent") return { written: percent, difference: signed, tick: plainTick, signedTick };
  if (form === "plain") {
    const tick = (number) => String(Number(number.toPrecision(6))).replace("-", "−");
    return { written: plainNumber, difference: (value) => plus(value, plainNumber(value)), tick, signedTick: (number) => plus(number, tick(number)) };
  }
  return { written: coefficient, difference: (value) => plus(value, coefficient(value)), tick: coefficientTick, signedTick: (number) => plus(number, coefficientTick(number)) };
}

/** A difference on an axis: signed, in points. */
export const signedTick = (number) => `${number > 0 ? "+" : number < 0 ? "−" : ""}${Math.abs(Number((100 * number).toPrecision(6)))}`;

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
