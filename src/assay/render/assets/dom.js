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

/**
 * An HTML element; null, undefined and false among properties and children are left out.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any>} properties
 * @param {any[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, properties = {}, ...children) {
  const node = furnish(document.createElement(tag), properties);
  node.append(...flattenChildren(children));
  return node;
}

/**
 * An SVG element.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any>} attributes
 * @param {any[]} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function shape(tag, attributes = {}, ...children) {
  const node = furnish(document.createElementNS(SVG, tag), attributes);
  node.append(...flattenChildren(children));
  return node;
}

/** The first HTML element that matches a selector; an error if there is none. @param {ParentNode} root @returns {HTMLElement} */
export function find(selector, root = document) {
  const node = root.querySelector(selector);
  if (!(node instanceof HTMLElement)) throw new Error(`The page has no ${selector}.`);
  return node;
}

/** All HTML elements that match a selector. @param {ParentNode} root @returns {HTMLElement[]} */
export function findAll(selector, root = document) {
  return [...root.querySelectorAll(selector)].filter((node) => node instanceof HTMLElement);
}

/** Children as nodes or texts, without those that are nothing. */
function flattenChildren(children) {
  const found = [];
  for (const child of children) {
    if (Array.isArray(child)) found.push(...flattenChildren(child));
    else if (child !== null && child !== undefined && child !== false) found.push(child instanceof Node ? child : String(child));
  }
  return found;
}
