// Boxes that scroll, and what is brought into view.
import { element, find } from "./dom.js";

const sizes = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth + 1) target.setAttribute("tabindex", "0");
    else target.removeAttribute("tabindex");
  }
});

/** Let the keyboard reach a box as long as it has to be scrolled sideways. */
export function makeReachable(box, name) {
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", name);
  sizes.observe(box);
  return box;
}

/** Content that may be wider than the page, in a box that scrolls sideways, with its caption above. */
export function scrollBox(caption, ...content) {
  const box = makeReachable(element("div", { class: "scroll" }, content), caption || "Table");
  return caption ? element("div", {}, element("p", { class: "caption" }, caption), box) : box;
}

/** Bring the beginning of a part of the page to the top of the window, unless it is in its upper half. */
export function bringUp(id) {
  const node = find(`#${id}`);
  const { top } = node.getBoundingClientRect();
  if (top < 0 || top > innerHeight / 2) node.scrollIntoView({ block: "start" });
}
