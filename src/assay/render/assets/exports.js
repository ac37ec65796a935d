// Texts to take away, as Python wrote them: the same bytes as the command line gives.
import { buttonFor, windowOf } from "./controls.js";
import { exportNames, unpackExport } from "./data.js";
import { element } from "./dom.js";

const FILES = {
  LaTeX: ["tex", "text/x-tex"],
  Markdown: ["md", "text/markdown"],
  CSV: ["csv", "text/csv"],
  TSV: ["tsv", "text/tab-separated-values"],
  JSON: ["json", "application/json"],
  BibTeX: ["bib", "text/plain"],
};
const NO_COPY = "The browser does not allow copying. The text is selected: press Ctrl+C.";

/** Offer a text as a file. */
export function saveFile(name, text, type = "text/plain") {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** Copy a text, or select it if the page may not copy, so that the reader can; returns a sentence about which it was. @param {HTMLTextAreaElement | null} area */
export async function copyText(text, area = null) {
  try {
    await navigator.clipboard.writeText(text);
    return "Copied.";
  } catch {
    const place = area ?? document.body.appendChild(element("textarea", { class: "hidden", value: text }));
    place.select();
    const done = document.execCommand("copy");
    if (!area) place.remove();
    return done ? "Copied." : NO_COPY;
  }
}

/** The window with all exports. */
export function exportsWindow(name) {
  const area = element("textarea", { id: "export-text", readOnly: true, spellcheck: false, wrap: "off", "aria-label": "Text to copy" });
  const status = element("p", { class: "said", role: "status" });
  const names = exportNames();
  let chosen = names[0];
  /** The text of the chosen export; a text area would change its line ends. */
  let text = "";
  const buttons = names.map((format) => buttonFor(() => choose(format), { "data-format": format }, format));
  async function choose(format) {
    chosen = format;
    status.textContent = "";
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.format === format));
    const unpacked = await unpackExport(format);
    if (chosen !== format) return;
    text = unpacked;
    area.value = text;
    area.scrollTop = 0;
    area.dataset.shown = format;
  }
  const take = async () => (status.textContent = await copyText(text, area));
  const keep = () => saveFile(`${name}.${FILES[chosen][0]}`, text, FILES[chosen][1]);
  const formats = element("div", { class: "choices", role: "group", "aria-label": "Format" }, buttons);
  const doing = [buttonFor(take, { id: "export-copy", class: "primary" }, "Copy"), buttonFor(keep, { id: "export-save" }, "Save"), status];
  const node = windowOf("exports", "Exports", formats, area, element("div", { class: "choices" }, doing));
  const open = (format = chosen) => {
    choose(format);
    if (!node.open) node.showModal();
  };
  return { node, open };
}
