// Function trees across frameworks: each framework's gold, what the golds agree on, and the systems with their edits.
import { NONE } from "./data.js";
import { SpanItems, drawable, dressSpan, keyOf } from "./lanes.js";
import { treesOf } from "./trees.js";

const STATES = { right: "right", spurious: "wrong", missing: "missing", forgiven: "forgiven", unasked: "unasked" };

/** Function trees: the golds of the frameworks first, then what all golds share, then systems. */
export function unitTrees(scene) {
  const { texts } = scene;
  const golds = texts.layers.slice(texts.systems.length + 1).map((layer, index) => ({ number: texts.systems.length + 1 + index, system: NONE, name: layer.side, heading: layer.side, letter: "" }));
  const bands = [...golds, ...scene.sides].map((side) => ({ side, spans: texts.spans(side.number, scene.text).filter((span) => drawable(scene, side, span)) }));
  const known = bands.map(({ spans }) => new Set(spans.filter((span) => span.kind !== "missing" && span.kind !== "unasked").map(keyOf)));
  for (const { side, spans } of bands) {
    const items = side.system !== NONE || side.number === 0 ? new SpanItems(scene, side) : null;
    for (const span of spans) {
      span.item = items ? items.take(span) : NONE;
      const agreed = known.every((keys) => keys.has(keyOf(span)));
      span.state = agreed ? "shared" : STATES[span.kind] ?? "plain";
      scene.used.add(span.state);
      dressSpan(scene, span);
    }
  }
  return treesOf(scene, bands);
}
