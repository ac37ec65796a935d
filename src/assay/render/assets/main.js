// The page: unpack what Python packed, build the report, and follow what the reader does.
import { annotatorPanels } from "./annotators.js";
import { filterBar, searchField } from "./bar.js";
import { boardPanel } from "./board.js";
import { confidencePanel } from "./confidence.js";
import { buttonFor } from "./controls.js";
import { Texts, exportNames, unpack } from "./data.js";
import { element, find, findAll } from "./dom.js";
import { exportsWindow } from "./exports.js";
import { helpWindow, listenToKeys } from "./keys.js";
import { TextList } from "./list.js";
import { changedPanel, judgePanel, labelPanel, rightLabels, rightPanel, surePanel } from "./panels.js";
import { runPanels } from "./pictures.js";
import { term } from "./query.js";
import { Reader } from "./reader.js";
import { Report } from "./report.js";
import { bringUp, makeReachable } from "./scroll.js";
import { hasSets, setsPanel } from "./sets.js";
import { themeButton } from "./theme.js";
import { wherePanel } from "./where.js";

const KIND_KEYS = ["correction", "new-error", "changed-error", "same-error", "both-right"];

/** The panels of the first screen; drawn again when the pair changes. @param {Report} report */
function summary(report) {
  const { command } = report.result;
  if (["bayes", "plan"].includes(command)) return report.result.bayes?.length ? runPanels(report) : [];
  if (command === "agreement") return annotatorPanels(report);
  const board = boardPanel(report);
  const paired = report.view.b !== null;
  const lead = element("div", { class: "lead" }, [board, paired ? surePanel(report) : null].filter(Boolean));
  if (hasSets(report)) return [element("div", { class: "dashboard" }, setsPanel(report), lead)];
  const changed = paired ? [changedPanel(report), labelPanel(report)] : [rightPanel(report), rightLabels(report)];
  const panels = [...changed, wherePanel(report)].filter(Boolean);
  return [lead, judgePanel(report), element("div", { class: `panels of-${panels.length}` }, panels), confidencePanel(report)];
}

/** Show on each count whether it is what is listed. @param {Report} report */
function markPressed(report) {
  const chosen = report.view.terms.length ? report.query() : null;
  for (const button of findAll("[data-query]")) button.setAttribute("aria-pressed", String(button.dataset.query === chosen));
}

/** The filters, the list and the sentence. @param {Report} report */
function browserParts(report) {
  const reader = new Reader(report);
  const list = new TextList(report, (text) => report.change({ text, item: null }, "text"));
  const chosen = element("p", { class: "for-print" });
  report.follow((what) => {
    if (what === "open" || what === "board") return;
    if (what !== "text") list.show(report.rows, report.view.text, (text) => report.hitsIn(text));
    chosen.textContent = `${report.query() || "no filters"}: ${report.hitCounts().join(" in ")}`;
    reader.show();
  });
  return { list, reader, nodes: [element("section", { id: "found", "aria-label": "Texts" }, filterBar(report), chosen, report.texts.hasWords ? null : element("p", { class: "note" }, "The files contain no words. Numbers show their places."), element("div", { id: "reader" }, list.node, reader.node))] };
}

/** What keys do. @param {Report} report */
function actions(report, parts, help, exports, theme) {
  const always = { e: () => exports.open(), t: () => theme.click(), "?": () => help.open() };
  if (!parts) return always;
  const { list, reader } = parts;
  const compared = (action) => () => report.view.b !== null && action();
  const asked = report.texts.graded ? ["improved", "worsened"].map((name) => term("credit", name)) : KIND_KEYS.map((kind) => term("change", kind));
  const kinds = Object.fromEntries(asked.map((one, place) => [String(place + 1), compared(() => report.ask([one]))]));
  return {
    ...always,
    ...kinds,
    0: () => report.ask([]),
    j: () => list.move(1),
    k: () => list.move(-1),
    n: () => reader.step(1),
    p: () => reader.step(-1),
    g: () => report.texts.split || reader.toggle(0),
    a: () => report.texts.split || reader.toggle(1 + report.view.a),
    b: () => report.view.b !== null && reader.toggle(1 + report.view.b),
    f: () => reader.toggleFold(),
    q: () => find("#query").focus(),
    "/": () => find("#search").focus(),
  };
}

function buildPage(packed) {
  const report = new Report(packed, packed.texts ? new Texts(packed.texts) : null);
  const [exports, help, theme] = [exportsWindow("assay"), helpWindow(report.texts, report.view), themeButton()];
  const parts = report.texts ? browserParts(report) : null;
  const first = element("div", { id: "summary" });
  report.follow((what) => {
    if (what === "pair") first.replaceChildren(...summary(report).filter((part) => part !== null));
    if (what === "board") find("#board").replaceWith(boardPanel(report) ?? "");
    markPressed(report);
  });
  document.addEventListener("counts", () => markPressed(report));
  const search = report.texts ? searchField(report) : null;
  fillPlace("tools", search, openButton("open-exports", exports, {}, "Exports"), theme, openButton("open-help", help, { "aria-label": "Help" }, "?"));
  fillPlace("app", first, parts?.nodes ?? missingTexts(report), exports.node, help.node);
  const formats = exportNames().map((format) => buttonFor(() => exports.open(format), { "data-export": format }, format));
  find("footer").prepend(element("p", { class: "choices" }, formats));
  listenToKeys(actions(report, parts, help, exports, theme));
  addEventListener("popstate", () => report.restore());
  addEventListener("hashchange", () => report.restore());
  return report;
}

function openButton(id, dialog, properties, text) {
  return buttonFor(() => dialog.open(), { id, "aria-haspopup": "dialog", ...properties }, text);
}

function fillPlace(id, ...parts) {
  find(`#${id}`).append(...parts.flat().filter(Boolean));
}

/** Why no sentences can be looked at. @param {Report} report */
function missingTexts(report) {
  if (["bayes", "agreement", "plan"].includes(report.result.command) || hasSets(report)) return null;
  const texts = report.result.joined_by ? report.result.text_unit : "sentence";
  const remedy = `To see ${texts}s, run the command again with --html, or with --embed all and --format json.`;
  return element("p", { class: "note" }, `This page contains no ${texts}s, so the counts are not links. ${remedy}`);
}

/** Places that only this page, without its script, needs. @param {Report} report */
function tidyPage(report) {
  find("#app").hidden = false;
  find("#without-script").remove();
  find("#tables").toggleAttribute("open", !report.texts && !report.result.bayes?.length && !hasSets(report));
  for (const box of findAll("#tables section, #examples")) makeReachable(box, find("h2", box).textContent);
  // Paper gets what is open, and all notes.
  addEventListener("beforeprint", () => findAll("details#notes, details.fold").forEach((folded) => folded.setAttribute("open", "")));
  find(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    find("#report").focus();
  });
}

const report = buildPage(await unpack());
tidyPage(report);
report.restore();
// An address that names what is to be listed leads there.
if (report.texts && /[#&](?:q|text)=/u.test(location.hash)) bringUp("found");
document.documentElement.dataset.ready = "true";
