// Labels as short as their place needs: no two different labels look the same, and a tag of features shows their values.
import { element } from "./dom.js";

const countLetters = (text) => [...text].length;

/**
 * Short forms of labels, at most `most` wide, or wider if two would look the same.
 * @param {Iterable<string>} labels
 * @param {number} most
 * @param {(text: string) => number} width in letters, unless another unit is given
 * @returns {(label: string) => string}
 */
export function shortenLabels(labels, most, width = countLetters) {
  const all = [...new Set(labels)];
  const room = new Map(all.map((label) => [label, most]));
  const forms = new Map(all.map((label) => [label, shortForm(label, most, width)]));
  for (;;) {
    const owners = new Map();
    for (const form of forms.values()) owners.set(form, (owners.get(form) ?? 0) + 1);
    const alike = all.filter((label) => forms.get(label) !== label && owners.get(forms.get(label)) > 1);
    if (!alike.length) return (label) => forms.get(label) ?? label;
    for (const label of alike) {
      const wider = 1.25 * (room.get(label) ?? most) + 1;
      room.set(label, wider);
      forms.set(label, shortForm(label, wider, width));
    }
  }
}

/** A label that fits: as it is, by the values of its features, or without its middle. */
function shortForm(label, most, width) {
  if (width(label) <= most) return label;
  const values = label.includes("=") ? label.replace(/(^|\|)[^=|]*=/gu, "$1") : label;
  if (width(values) <= most) return values;
  const letters = [...values];
  for (let size = Math.min(letters.length - 1, Math.ceil((letters.length * most) / width(values))); size > 1; size -= 1) {
    const form = `${letters.slice(0, Math.ceil(size / 2)).join("")}…${letters.slice(letters.length - Math.floor(size / 2)).join("")}`;
    if (width(form) <= most) return form;
  }
  return `${letters[0]}…`;
}

/** A label with a place for a line break after each part of a tag. @param {string} text */
export function breakable(text) {
  return text.split(/(?<=[:|.=_/])(?=[^\s:|.=_/])/u).flatMap((part, place) => (place ? [element("wbr"), part] : [part]));
}
