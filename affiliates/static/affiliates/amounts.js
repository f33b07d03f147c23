// A column of amounts or counts stands on the right, each digit below the other.
"use strict";

addEventListener("DOMContentLoaded", () => {
  const NUMBER = /^[-−]?(?:[A-Z]{3}\s?|\p{Sc})?[-−]?\d[\d.,\s]*(?:\s?(?:%|\p{Sc}))?$/u;
  const EMPTY = /^-?$/;
  // Several currencies stand one below the other.
  const textsOf = (cell) =>
    [...(cell.children.length > 1 ? cell.children : [cell])]
      .map(({ textContent }) => textContent.trim())
      .filter((text) => !EMPTY.test(text));

  for (const table of document.querySelectorAll("#result_list, .affiliates-table")) {
    const rows = [...table.tBodies].flatMap(({ rows: all }) => [...all]);
    for (const [place, head] of [...(table.tHead?.rows[0]?.cells ?? [])].entries()) {
      const cells = rows.flatMap(({ cells: all }) => all[place] ?? []);
      const texts = cells.filter(({ tagName }) => tagName === "TD").flatMap(textsOf);
      if (texts.length && texts.every((text) => NUMBER.test(text))) {
        for (const cell of [head, ...cells]) cell.classList.add("affiliates-amount");
      }
    }
  }
});
