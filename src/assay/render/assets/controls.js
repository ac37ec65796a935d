// Buttons, choices and windows.
import { element } from "./dom.js";

/** How long a field waits for further letters, in milliseconds. */
export const TYPING = 200;

/** A button that does something. */
export function buttonFor(click, properties, ...content) {
  return element("button", { type: "button", ...properties, on: { click } }, ...content);
}

/** A choice among named things. @param {[string, string][]} options values and titles */
export function choiceOf(properties, options) {
  return element("select", properties, options.map(([value, title]) => element("option", { value }, title)));
}

/** A window over the page; Esc closes it. */
export function windowOf(id, title, ...content) {
  const close = buttonFor(() => node.close(), { class: "close", "aria-label": "Close" }, "✕");
  const head = element("div", { class: "dialog-head" }, element("h2", { id: `${id}-title` }, title), close);
  const node = element("dialog", { id, "aria-labelledby": `${id}-title` }, head, content);
  return node;
}
