// The keyboard, and the window that explains it.
import { windowOf } from "./controls.js";
import { element } from "./dom.js";
import { meaningOfField, usableFields } from "./filters.js";
import { tableWith, textCell } from "./tables.js";
/** @import { Texts } from "./data.js" */

/** Keys, with what they do. */
const KEYS = [
  ["j k", "next, previous sentence"],
  ["n p", "next, previous difference in it"],
  ["1 2 3 4 5", "corrections, new errors, changed errors, same error, both right"],
  ["0", "remove all filters"],
  ["g a b", "gold, A, B on and off"],
  ["f", "fold stretches without differences"],
  ["/", "search"],
  ["q", "add a filter"],
  ["e", "exports"],
  ["t", "colours: light, dark, or as in the operating system"],
  ["?", "this help"],
  ["Esc", "close; leave a field"],
];
const COUNTS = "Click a number to list the items that it counts. Hold Shift to add it to the current filters. "
  + "The address of the page contains what you see: send it as a link, or go back with the browser.";
const EXAMPLE = 'gold:NN a:JJ|RB -b:NN length>30 "some words"';
const EXPLAINED = "finds items with gold NN, A's JJ or RB and not B's NN, in sentences of more than 30 words that contain these words.";
const KEYS_OF_ITEMS = { "j k": "next, previous item", "n p": "", f: "show long texts in full" };
const EXAMPLE_OF_ITEMS = 'gold:neg a:pos|neu -b:neg "some words"';
const EXPLAINED_OF_ITEMS = "finds items with gold neg, A's pos or neu and not B's neg, whose texts contain these words.";
const EXAMPLE_OF_PEOPLE = 'differs:anna given:A given:B "some words"';
const EXPLAINED_OF_PEOPLE = "finds items on which anna differs from most others, to which A and B were both given, in texts that contain these words.";
const TYPED = "input, select, textarea";

/** Call `actions[key]` when a key is pressed, except while the reader types or holds Ctrl, Alt or Meta. */
export function listenToKeys(actions) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || document.querySelector("dialog[open]")) return;
    const typing = event.target instanceof HTMLElement && event.target.matches(TYPED) ? event.target : null;
    const leaving = typing && event.key === "Escape";
    if (!leaving && (typing || !(event.key in actions))) return;
    event.preventDefault();
    if (leaving) typing.blur();
    else actions[event.key]();
  });
}

const headCell = (content) => element("th", { scope: "row" }, content);

/** The window with help. @param {Texts} texts */
export function helpWindow(texts, view) {
  const items = texts?.ofItems;
  const people = Boolean(texts?.split);
  const known = KEYS.filter(([pressed]) => !(people && /^[1g]/u.test(pressed))).map((row) => (texts?.graded && row[0].startsWith("1") ? ["1 2", "improved, worsened"] : row));
  const keys = known.map(([pressed, meaning]) => [pressed, (items && KEYS_OF_ITEMS[pressed]) ?? meaning]).filter(([, meaning]) => meaning).map(([pressed, meaning]) => [headCell(pressed.split(" ").flatMap((key) => [element("kbd", {}, key), " "])), textCell(meaning)]);
  const fields = (texts ? usableFields(texts, view) : []).map((field) => [headCell(element("code", {}, field)), textCell(meaningOfField(texts, field))]);
  const queries = [
    element("p", {}, "A query consists of terms, which must all be true. ", element("code", {}, people ? EXAMPLE_OF_PEOPLE : items ? EXAMPLE_OF_ITEMS : EXAMPLE), " ", people ? EXPLAINED_OF_PEOPLE : items ? EXPLAINED_OF_ITEMS : EXPLAINED),
    tableWith({ caption: "Fields of queries", rows: fields }),
  ];
  const node = windowOf("help", "Help", element("p", {}, COUNTS), tableWith({ caption: "Keys", rows: keys }), fields.length ? queries : null);
  const open = () => {
    if (!node.open) node.showModal();
  };
  return { node, open };
}
