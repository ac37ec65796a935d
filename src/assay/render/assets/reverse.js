// Rows on two systems, read in the other direction: what is a correction from A to B is a new error from B to A.

const KINDS_TURNED = { correction: "new-error", "new-error": "correction", "spurious-removed": "spurious-added", "spurious-added": "spurious-removed" };

const KIND_ORDER = ["correction", "new-error", "changed-error", "spurious-removed", "spurious-added"];

/** Compare kinds of changes, corrections first. @param {string} one @param {string} other */
export function compareKinds(one, other) {
  const place = (kind) => (KIND_ORDER.indexOf(kind) + KIND_ORDER.length + 1) % (KIND_ORDER.length + 1);
  return place(one) - place(other);
}

const turnKind = (kind) => KINDS_TURNED[kind] ?? kind;

/** A number with the other sign; what is undefined stays so. */
const negative = (value) => (typeof value === "number" ? 0 - value : value);

/** A row with its ends changed over: what was between low and high is between −high and −low. */
function turnEnds(row, ...pairs) {
  return Object.fromEntries(pairs.filter(([low]) => low in row).flatMap(([low, high]) => [[low, negative(row[high])], [high, negative(row[low])]]));
}

const turnStep = (row) => ({ ...row, from: row.to, to: row.from, ...("kind" in row ? { kind: turnKind(row.kind) } : {}) });

/** How a row of each table of the Result is read from B to A. @type {Record<string, (row: any) => any>} */
const TURNS = {
  comparisons: (row) => ({ difference: negative(row.difference), ...turnEnds(row, ["low", "high"], ["low_family", "high_family"], ["low90", "high90"]) }),
  diffs: (row) => ({
    difference: negative(row.difference),
    net: negative(row.net),
    corrections: row.new_errors,
    new_errors: row.corrections,
    improved: row.worsened,
    worsened: row.improved,
    gain: row.loss,
    loss: row.gain,
    labels: row.labels.map((label) => ({ ...label, a: label.b, b: label.a, difference: negative(label.difference) })),
    changes: row.changes.map(turnStep).sort((one, other) => compareKinds(one.kind, other.kind)),
    outcomes: row.outcomes.map(turnStep).sort((one, other) => compareKinds(one.kind, other.kind)),
  }),
  transitions: turnStep,
  contributions: (row) => ({
    value: negative(row.value),
    ...turnEnds(row, ["low", "high"]),
    group: row.by === "kind" ? turnKind(row.group) : row.by === "outcome" ? row.group.split(" → ").reverse().join(" → ") : row.group,
  }),
};

/** A row of a table of the Result, read from its second system to its first. @param {string} table */
export function reverseRow(table, row) {
  return { ...row, ...TURNS[table](row), a: row.b, b: row.a };
}
