// Pictures that Python drew: of many runs, a ranking, a matrix, triangles and forests.
import { choiceOf } from "./controls.js";
import { element } from "./dom.js";
import { panel } from "./tables.js";

const FOREIGN = "script, foreignObject, a, image, use, animate, set";

/** A picture as an element; only shapes and text come through. */
function parsed(picture) {
  const root = new DOMParser().parseFromString(picture.svg, "image/svg+xml").documentElement;
  const nodes = [root, ...root.querySelectorAll("*")];
  const handled = nodes.some((node) => [...node.attributes].some(({ name }) => name.startsWith("on") || name.endsWith("href")));
  if (root.localName === "svg" && !root.querySelector(FOREIGN) && !handled) return document.importNode(root, true);
  return element("p", {}, `${picture.title}: this picture is not one that assay draws.`);
}

/** A chooser and the chosen picture; nothing where there are none. */
export function pictureSection({ pictures }) {
  if (!pictures.length) return null;
  const place = element("figure", { class: "picture" });
  const choice = choiceOf({ id: "picture", "aria-label": "Picture" }, pictures.map(({ title }, number) => [number, title]));
  const show = () => place.replaceChildren(parsed(pictures[choice.value]));
  choice.addEventListener("change", show);
  show();
  return panel("pictures", "Pictures", pictures.length > 1 ? choice : null, place);
}
