// Coreference: a document as running text; under the words each side's mentions with the number and the colour of their chain.
import { NONE } from "./data.js";
import { FONTS, RUNNING, widthOf } from "./lines.js";
import { drawLanes, lanesOf, spanTable, wordsOf } from "./lanes.js";
import { MARKS } from "./scene.js";
/**
 * @import { Span } from "./data.js"
 * @import { Scene, Side } from "./scene.js"
 */

const HUES = 7;

/** Coreference chains over a document; chains of systems have the number of the gold chain that they share most with. @param {Scene} scene */
export function chainLines(scene) {
  const chains = scene.sides.map((side) => mentionsOf(scene, side.number));
  const gold = mentionsOf(scene, 0);
  numberGold(gold);
  chains.forEach((mentions, index) => numberChains(mentions, gold, scene.sides[index]));
  const bands = scene.sides.map((side, index) => ({ side, spans: judgeMentions(scene, side, chains[index], gold) }));
  markShared(scene, bands);
  for (const { side, spans } of bands) for (const span of spans) dressMention(scene, side, span);
  explainNumbers(scene, bands);
  return {
    words: scene.words,
    kept: scene.view.fold ? keptSentences(scene, bands) : null,
    gap: RUNNING,
    bands,
    prepare: (line, band) => lanesOf(line, band.spans),
    draw: (sheet, line, { pieces }, _, down) => drawLanes(scene, sheet, line, pieces, down),
    together: "chain",
    follow: mentionKeys,
    table: spanTable(scene, bands),
  };
}

/** @param {Scene} scene @param {number} side */
function mentionsOf(scene, side) {
  const layer = scene.texts.layers[side];
  /** @type {Span[]} */
  const mentions = scene.texts.spans(side, scene.text).map((span) => ({ ...span, chain: layer.label[span.row] }));
  const last = new Map();
  for (const mention of mentions) {
    mention.antecedent = last.get(mention.chain) ?? null;
    last.set(mention.chain, mention);
  }
  return mentions;
}

// --- numbers ---

/** @param {Span[]} gold */
function numberGold(gold) {
  const names = new Map();
  const sizes = countBy(gold, (mention) => mention.chain);
  for (const mention of gold) {
    if (!names.has(mention.chain)) names.set(mention.chain, String(names.size + 1));
    mention.number = names.get(mention.chain);
    mention.hue = sizes.get(mention.chain) > 1 ? (Number(mention.number) - 1) % HUES : HUES;
  }
}

function countBy(rows, key) {
  const counts = new Map();
  for (const row of rows) counts.set(key(row), (counts.get(key(row)) ?? 0) + 1);
  return counts;
}

/** A system's chain is called after the gold chain that it shares most mentions with; further ones 3b and 3c, those without +1, +2. @param {Side} side @param {Span[]} mentions @param {Span[]} gold */
function numberChains(mentions, gold, side) {
  const goldAt = new Map(gold.map((mention) => [String(mention.stretches), mention]));
  const partners = mentions.map((mention) => ({ mention, partner: goldAt.get(String(mention.stretches)) })).filter(({ partner }) => partner);
  if (!side.number) {
    for (const { mention, partner } of partners) Object.assign(mention, { number: partner?.number, hue: partner?.hue });
    return;
  }
  const common = countBy(partners, ({ mention, partner }) => `${mention.chain} ${partner.number}`);
  const ranked = [...common].map(([key, count]) => ({ chain: Number(key.split(" ")[0]), number: key.split(" ")[1], count })).sort((one, other) => other.count - one.count);
  const names = new Map();
  const taken = new Map();
  for (const { chain, number } of ranked) {
    if (names.has(chain)) continue;
    const times = taken.get(number) ?? 0;
    names.set(chain, number + partLetter(times));
    taken.set(number, times + 1);
  }
  let added = 0;
  const hues = new Map(gold.map((mention) => [mention.number, mention.hue]));
  for (const mention of mentions) {
    if (!names.has(mention.chain)) names.set(mention.chain, `+${(added += 1)}`);
    mention.number = names.get(mention.chain);
    mention.hue = hues.get(mention.number.replace(/[^\d].*$/u, "")) ?? HUES;
  }
}

/** Nothing for the first of several, then b, c, … */
function partLetter(place) {
  return place === 0 ? "" : place < 26 ? String.fromCharCode(97 + place) : `-${place + 1}`;
}

// --- outcomes of mentions ---

/** The mentions of a side with items and states, and those of gold that it lacks. @param {Scene} scene @param {Side} side @param {Span[]} mentions @param {Span[]} gold */
function judgeMentions(scene, side, mentions, gold) {
  const goldAt = new Map(gold.map((mention) => [String(mention.stretches), mention]));
  const items = itemsAt(scene, side);
  for (const mention of mentions) {
    const key = String(mention.stretches);
    mention.item = items.get(key) ?? NONE;
    mention.partner = goldAt.get(key) ?? null;
    const outcome = outcomeOf(scene, side, mention.item);
    mention.kind = outcome === "tp" ? "" : outcome;
    const same = mention.partner !== null && mention.partner.number === mention.number;
    const wrong = side.number > 0 && mention.item !== NONE && scene.texts.wrong[side.system][mention.item] === 1;
    mention.state = !side.number ? "plain" : wrong ? "wrong" : same || outcome === "tp" ? "right" : "other";
  }
  if (!side.number) return mentions;
  const has = new Set(mentions.map((mention) => String(mention.stretches)));
  const lacking = gold.filter((mention) => !has.has(String(mention.stretches)));
  return [...mentions, ...lacking.map((mention) => missingMention(scene, side, mention, items))];
}

/** @param {Scene} scene @param {Side} side @param {Span} mention */
function missingMention(scene, side, mention, items) {
  const item = items.get(String(mention.stretches)) ?? NONE;
  const wrong = item !== NONE && scene.texts.wrong[side.system][item] === 1;
  return { ...mention, item, kind: wrong ? outcomeOf(scene, side, item) || "fn" : "", state: wrong ? "missing" : "unfound", partner: mention };
}

/** Items by their place: gold's, and for a system those that it adds. @param {Scene} scene @param {Side} side */
function itemsAt(scene, side) {
  const { texts } = scene;
  const found = new Map();
  for (let item = scene.first; item < scene.end; item += 1) {
    const present = texts.owner[item] === NONE || (side.number > 0 && texts.outcome[side.system][item] !== NONE);
    if (present) found.set(String(texts.stretches[item] || [[texts.begin[item], texts.begin[item] + texts.length[item]]]), item);
  }
  return found;
}

/** @param {Scene} scene @param {Side} side */
function outcomeOf(scene, side, item) {
  if (!side.number || item === NONE) return "";
  const code = scene.texts.outcome[side.system][item];
  return code === NONE ? "" : scene.texts.kinds[code];
}

/** What all sides have and have right is shared. @param {Scene} scene */
function markShared(scene, sides) {
  const good = countBy(
    sides.flatMap(({ spans }) => spans.filter((span) => span.state === "plain" || span.state === "right")),
    (span) => `${span.stretches} ${span.number}`,
  );
  for (const { spans } of sides) {
    for (const span of spans) {
      if ((span.state === "plain" || span.state === "right") && good.get(`${span.stretches} ${span.number}`) === sides.length) span.state = "shared";
      scene.used.add(span.state);
    }
  }
}

/** @param {Scene} scene @param {Side} side @param {Span} span */
function dressMention(scene, side, span) {
  span.label = span.number;
  span.text = `${MARKS[span.state]}${span.number}${span.kind ? ` ${span.kind.toUpperCase()}` : ""}`;
  const link = span.antecedent && span.state !== "missing" && span.state !== "unfound" ? ` ← ${wordsOf(scene, span.antecedent)}` : "";
  const instead = span.partner && span.state !== "shared" && span.partner.number !== span.number ? `; gold: ${span.partner.number}` : "";
  span.title = `${span.text}${link}${instead}`;
  span.width = widthOf(span.text, FONTS.strong) + 10;
  span.look = ` mention hue-${span.hue}`;
  span.about = { "data-chain": span.number, role: "img", "aria-label": `${side.heading}: ${wordsOf(scene, span)}, ${span.title}`, tabindex: -1 };
}

/** @param {Scene} scene */
function explainNumbers(scene, sides) {
  const numbers = sides.flatMap(({ spans }) => spans.map((span) => span.number));
  for (const span of sides.flatMap(({ spans }) => spans)) if (span.kind) scene.kinds.add(span.kind);
  scene.notes.push("numbers: chains; a system's chain has the number of the gold chain with which it shares most mentions");
  if (!scene.view.onPaper) scene.notes.push("point at a mention, or go there with Tab and the arrow keys, to see its chain");
  if (numbers.some((number) => /\d[a-z-]/u.test(number))) scene.notes.push("3b, 3c: further chains with mentions of gold's 3");
  if (numbers.some((number) => number.startsWith("+"))) scene.notes.push("+1: a chain without a gold mention");
}

/** Sentences in which all agree are folded. @param {Scene} scene */
function keptSentences(scene, bands) {
  const { data } = scene.texts;
  const differing = bands.flatMap(({ spans }) => spans.filter((span) => span.state !== "shared"));
  let sentence = data.sentences.slice(0, scene.text).reduce((sum, number) => sum + number, 0);
  const kept = new Array(scene.words.length).fill(false);
  for (let begin = 0; begin < kept.length; sentence += 1) {
    const end = begin + data.sentence_lengths[sentence];
    if (differing.some((span) => span.end > begin && span.begin < end)) kept.fill(true, begin, end);
    begin = end;
  }
  return kept;
}

/** The mentions are one tab stop: arrow keys go to the next in the line and, up and down, in the chain. */
function mentionKeys(box) {
  const all = [...box.querySelectorAll(".mention")];
  all[0]?.setAttribute("tabindex", 0);
  box.addEventListener("keydown", (event) => {
    const from = event.target.closest(".mention");
    const across = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const along = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!from || !(across || along)) return;
    event.preventDefault();
    const among = across ? all : all.filter((mention) => mention.dataset.chain === from.dataset.chain);
    const next = among[among.indexOf(from) + (across ?? along)];
    if (!next) return;
    from.setAttribute("tabindex", -1);
    next.setAttribute("tabindex", 0);
    next.focus();
  });
}
