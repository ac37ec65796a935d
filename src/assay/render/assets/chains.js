// Coreference: a document in lines of sentences; under the words each side's mentions with the number of their chain.
import { NONE } from "./data.js";
import { Columns, FONTS, Sheet, levels, widthOf } from "./columns.js";
import { spanTable, widest, wordsOf } from "./lanes.js";
import { MARKS, itemAttributes } from "./scene.js";
import { wordRow } from "./tagrows.js";

const MENTION = 18;
const MENTION_LANE = 22;
const SENTENCE_WORDS = 28;
const BETWEEN = 16;
const HUES = 8;

/** Coreference chains over a document; chains of systems have the number of the gold chain that they share most with. */
export function chainLines(scene) {
  const chains = scene.sides.map((side) => mentionsOf(scene, side));
  const gold = mentionsOf(scene, { number: 0 });
  numberGold(gold);
  chains.forEach((mentions, index) => numberChains(mentions, gold, scene.sides[index]));
  const sides = scene.sides.map((side, index) => ({ side, spans: judged(scene, side, chains[index], gold) }));
  agree(scene, sides);
  for (const { spans } of sides) for (const span of spans) dressMention(scene, span);
  explain(scene, sides);
  const lines = linesOfDocument(scene, sides);
  return { ...drawLines(scene, lines), table: spanTable(scene, sides), folded: foldedSentences(lines) };
}

function mentionsOf(scene, side) {
  const layer = scene.texts.layers[side.number];
  const mentions = scene.texts.spans(side.number, scene.text).map((span) => ({ ...span, chain: layer.label[span.row] }));
  const last = new Map();
  for (const mention of mentions) {
    mention.antecedent = last.get(mention.chain) ?? null;
    last.set(mention.chain, mention);
  }
  return mentions;
}

// --- numbers ---

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

/** A system's chain is called after the gold chain that it shares most mentions with; further ones 3b and 3c, those without +1, +2. */
function numberChains(mentions, gold, side) {
  const goldAt = new Map(gold.map((mention) => [String(mention.stretches), mention]));
  if (!side.number) {
    for (const mention of mentions) Object.assign(mention, { number: goldAt.get(String(mention.stretches)).number, hue: goldAt.get(String(mention.stretches)).hue });
    return;
  }
  const common = countBy(mentions.filter((mention) => goldAt.has(String(mention.stretches))), (mention) => `${mention.chain} ${goldAt.get(String(mention.stretches)).number}`);
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

// --- what became of mentions ---

/** The mentions of a side with items and states, and those of gold that it lacks. */
function judged(scene, side, mentions, gold) {
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
  return [...mentions, ...lacking.map((mention) => missed(scene, side, mention, items))];
}

function missed(scene, side, mention, items) {
  const item = items.get(String(mention.stretches)) ?? NONE;
  const wrong = item !== NONE && scene.texts.wrong[side.system][item] === 1;
  return { ...mention, item, kind: wrong ? outcomeOf(scene, side, item) || "fn" : "", state: wrong ? "missing" : "unfound", partner: mention };
}

/** Items by their place: gold's, and for a system those that it adds. */
function itemsAt(scene, side) {
  const { texts } = scene;
  const found = new Map();
  for (let item = scene.first; item < scene.end; item += 1) {
    const mine = texts.owner[item] === NONE || (side.number > 0 && texts.outcome[side.system][item] !== NONE);
    if (mine) found.set(String(texts.stretches[item] || [[texts.begin[item], texts.begin[item] + texts.length[item]]]), item);
  }
  return found;
}

function outcomeOf(scene, side, item) {
  if (!side.number || item === NONE) return "";
  const code = scene.texts.outcome[side.system][item];
  return code === NONE ? "" : scene.texts.kinds[code];
}

/** What all sides have and have right is shared. */
function agree(scene, sides) {
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

function dressMention(scene, span) {
  span.label = span.number;
  span.text = `${MARKS[span.state]}${span.number}${span.kind ? ` ${span.kind.toUpperCase()}` : ""}`;
  const link = span.antecedent && span.state !== "missing" && span.state !== "unfound" ? ` ← ${wordsOf(scene, span.antecedent)}` : "";
  const instead = span.partner && span.state !== "shared" && span.partner.number !== span.number ? `; gold: ${span.partner.number}` : "";
  span.title = `${span.text}${link}${instead}`;
  span.width = widthOf(span.text, FONTS.strong) + 10;
}

function explain(scene, sides) {
  const numbers = sides.flatMap(({ spans }) => spans.map((span) => span.number));
  for (const span of sides.flatMap(({ spans }) => spans)) if (span.kind) scene.kinds.add(span.kind);
  scene.notes.push("numbers: chains, systems' after the gold chain that they share most with");
  if (numbers.some((number) => /\d[a-z-]/u.test(number))) scene.notes.push("3b, 3c: further chains with mentions of gold's 3");
  if (numbers.some((number) => number.startsWith("+"))) scene.notes.push("+1: a chain without any mention of gold's");
}

// --- lines ---

function linesOfDocument(scene, sides) {
  const { data } = scene.texts;
  let sentence = 0;
  for (let text = 0; text < scene.text; text += 1) sentence += data.sentences[text];
  const lines = [];
  let begin = 0;
  for (let number = 0; number < data.sentences[scene.text]; number += 1) {
    const end = begin + data.sentence_lengths[sentence + number];
    const parts = sides.map(({ side, spans }) => ({ side, spans: spans.flatMap((span) => clipped(span, begin, end)) }));
    const differs = parts.some(({ spans }) => spans.some((span) => span.state !== "shared"));
    const last = lines[lines.length - 1];
    if (scene.view.fold && !differs && last?.folded) Object.assign(last, { end, sentences: last.sentences + 1 });
    else lines.push({ begin, end, number, parts, folded: scene.view.fold && !differs, sentences: 1 });
    begin = end;
  }
  return lines;
}

/** The part of a mention in a sentence, counted from its first word. */
function clipped(span, begin, end) {
  if (span.end <= begin || span.begin >= end) return [];
  const stretches = span.stretches.filter(([from, to]) => to > begin && from < end).map(([from, to]) => [Math.max(from, begin) - begin, Math.min(to, end) - begin]);
  return stretches.length ? [{ ...span, stretches, begin: stretches[0][0], end: stretches[stretches.length - 1][1] }] : [];
}

function foldedSentences(lines) {
  const number = lines.reduce((sum, line) => sum + (line.folded ? line.sentences : 0), 0);
  return number ? `${number} ${number === 1 ? "sentence" : "sentences"} folded` : "";
}

function drawLines(scene, lines) {
  for (const line of lines) if (!line.folded) prepareLine(scene, line);
  const sheet = new Sheet(Math.max(260, ...lines.map((line) => line.columns?.width ?? 0)), scene.mirrored);
  const bands = [];
  let top = 0;
  for (const line of lines) {
    bands.push({ side: { number: 1, heading: "" }, top, text: top, ruled: top > 0 });
    top = line.folded ? drawFold(scene, sheet, line, top) : drawLine(scene, sheet, line, top, bands);
  }
  return { sheet, bands: bands.filter((band) => band.side.heading || band.ruled), height: top };
}

function prepareLine(scene, line) {
  line.columns = new Columns(scene.words.slice(line.begin, line.end), null);
  for (const part of line.parts) {
    levels(part.spans).forEach((level, index) => (part.spans[index].level = level));
    part.lanes = Math.max(0, ...part.spans.map((span) => span.level + 1));
    for (const span of part.spans) line.columns.widenAcross(...widest(span.stretches), span.width);
  }
  line.columns.lay();
}

function drawFold(scene, sheet, line, top) {
  const words = scene.words.slice(line.begin, line.end);
  const what = line.sentences === 1 ? "1 sentence" : `${line.sentences} sentences`;
  sheet.text(0, top + 20, `⋯ ${what}, ${words.length} words, in which all agree ⋯`, "fold", { anchor: "start", title: words.join(" ") });
  return top + 30;
}

function drawLine(scene, sheet, line, top, bands) {
  wordRow(sheet, line.columns, top + 22);
  let down = top + SENTENCE_WORDS;
  const any = line.parts.some((part) => part.lanes);
  for (const part of line.parts) {
    if (!any) continue;
    const height = Math.max(1, part.lanes) * MENTION_LANE + 2;
    bands.push({ side: part.side, top: down, text: down + 15, ruled: false });
    for (const span of part.spans) drawMention(scene, sheet, line.columns, span, down + span.level * MENTION_LANE + 1);
    down += height;
  }
  return down + BETWEEN / 2;
}

/** A mention as a bar in the colour of its chain, with its number. */
function drawMention(scene, sheet, columns, span, top) {
  sheet.group(itemAttributes(scene, span.item, `span mention ${span.state} hue-${span.hue}`), () => {
    if (span.stretches.length > 1) sheet.line([[columns.left(span.begin), top + MENTION / 2], [columns.right(span.end - 1), top + MENTION / 2]], `join ${span.state}`);
    for (const [begin, end] of span.stretches) sheet.box(columns.left(begin) - 2, columns.right(end - 1) + 2, top, MENTION, `bar ${span.state}`, { rx: 4 });
    const [begin, end] = widest(span.stretches);
    sheet.text((columns.left(begin) + columns.right(end - 1)) / 2, top + 13, span.text, `label ${span.state}`, { title: span.title === span.text ? "" : span.title });
  });
}
