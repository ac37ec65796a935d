// The keyboard, and the window that explains it.
import { windowOf } from "./controls.js";
import { element } from "./dom.js";
import { FIELDS, usableFields } from "./filters.js";
import { tableWith, worded } from "./tables.js";
/** @import { Texts } from "./data.js" */

/** Keys, with what they do. */
const KEYS = [
  ["j k", "next, previous sentence"],
  ["n p", "next, previous difference in it"],
  ["1 2 3 4 5", "corrections, new errors, changed errors, same error, both right"],
  ["0", "no filter"],
  ["g a b", "gold, A, B on and off"],
  ["f", "fold stretches without difference"],
  ["/", "search"],
  ["q", "query"],
  ["e", "exports"],
  ["t", "light, dark or as the system has it"],
  ["?", "this help"],
  ["Esc", "close; leave a field"],
];
const COUNTS = "Every count is a button that lists what it counts. With Shift held it is added to the filters there are. "
  + "The address keeps what you see: send it, or go back with the browser.";
const EXAMPLE = 'gold:NN a:JJ|RB -b:NN length>30 "some words"';
const EXPLAINED = "finds gold NN, A's JJ or RB, not B's NN, in sentences of more than 30 words with these words in them.";
const TYPED = "input, select, textarea";

/** Call `actions[key]` when a key is pressed, but never while something is typed or with Ctrl, Alt or Meta held. */
export function listen(actions) {
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

const headed = (content) => element("th", { scope: "row" }, content);

/** The window with help. @param {Texts} texts */
export function helpWindow(texts, view) {
  const keys = KEYS.map(([pressed, meaning]) => [headed(pressed.split(" ").flatMap((key) => [element("kbd", {}, key), " "])), worded(meaning)]);
  const fields = (texts ? usableFields(texts, view) : []).map((field) => [headed(element("code", {}, field)), worded(FIELDS[field])]);
  const queries = [
    element("p", {}, "A query has terms; all must hold. ", element("code", {}, EXAMPLE), " ", EXPLAINED),
    tableWith({ caption: "Fields of queries", rows: fields }),
  ];
  const node = windowOf("help", "Help", element("p", {}, COUNTS), tableWith({ caption: "Keys", rows: keys }), fields.length ? queries : null);
  const open = () => {
    if (!node.open) node.showModal();
  };
  return { node, open };
}
