// Elements and shapes made in one expression. Text goes in as text nodes only, so that corpus text stays inert.

const SVG = "http://www.w3.org/2000/svg";

/** Set what is given: data-* and aria-* and other hyphenated names as attributes, listeners as `on: {click: …}`. */
function furnish(node, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    else if (name === "dataset") Object.assign(node.dataset, value);
    // The page's policy refuses attributes of style, but not what goes through the object.
    else if (name === "style") node.style.cssText = value;
    else if (node.namespaceURI === SVG || name === "class" || name.includes("-") || !(name in node)) node.setAttribute(name, value === true ? "" : value);
    else node[name] = value;
  }
  return node;
}

/** An HTML element; null, undefined and false among properties and children are left out. @returns {HTMLElement} */
export function element(tag, properties = {}, ...children) {
  const node = furnish(document.createElement(tag), properties ?? {});
  node.append(...present(children));
  return node;
}

/** An SVG element. @returns {SVGElement} */
export function shape(tag, attributes = {}, ...children) {
  const node = furnish(document.createElementNS(SVG, tag), attributes ?? {});
  node.append(...present(children));
  return node;
}

/** Children as nodes or texts, without those that are nothing. */
function present(children) {
  const found = [];
  for (const child of children) {
    if (Array.isArray(child)) found.push(...present(child));
    else if (child !== null && child !== undefined && child !== false) found.push(child instanceof Node ? child : String(child));
  }
  return found;
}
