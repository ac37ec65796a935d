// Tables of buttons with one tab stop; arrow keys move inside.

const STEPS = { ArrowRight: 1, ArrowLeft: -1 };
const ROWS = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" };

/** The button of the next row that has one, in the nearest column. */
function inNextRow(button, direction) {
  const place = button.closest("td, th").cellIndex;
  let row = button.closest("tr")[direction];
  while (row && !row.querySelector("button")) row = row[direction];
  const distance = (other) => Math.abs(other.closest("td, th").cellIndex - place);
  return row && [...row.querySelectorAll("button")].sort((one, other) => distance(one) - distance(other))[0];
}

/** Give a table's buttons one tab stop. */
export function giveOneTabStop(table) {
  const buttons = () => [...table.querySelectorAll("button")];
  buttons().forEach((button, place) => (button.tabIndex = place ? -1 : 0));
  table.addEventListener("keydown", (event) => {
    const from = event.target.closest("button");
    if (!from || !(event.key in STEPS || event.key in ROWS)) return;
    const all = buttons();
    const next = event.key in STEPS ? all[all.indexOf(from) + STEPS[event.key]] : inNextRow(from, ROWS[event.key]);
    event.preventDefault();
    next?.focus();
  });
  table.addEventListener("focusin", (event) => {
    for (const button of buttons()) button.tabIndex = button === event.target ? 0 : -1;
  });
  return table;
}
