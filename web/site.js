// Sorting, filtering and the axes of the scatter plot. The pages are complete without this script.
// The user's choices are kept in the URL, so that a view can be shared.
"use strict";

const chosen = new URLSearchParams(location.hash.slice(1));

function remember(key, value) {
  if (value === "") chosen.delete(key); else chosen.set(key, value);
  history.replaceState(null, "", chosen.size ? "#" + chosen : location.pathname + location.search);
}

// The value of a cell: its data-value or its text, as a number if possible.
function valueOf(row, column) {
  const cell = row.cells[column];
  const text = cell.dataset.value ?? cell.textContent.trim();
  const number = Number(text);
  return text !== "" && !Number.isNaN(number) ? number : text;
}

function compare(one, other) {
  if (typeof one === "number" && typeof other === "number") return one - other;
  if (typeof one !== typeof other) return typeof one === "number" ? -1 : 1;
  return one.localeCompare(other, undefined, { numeric: true });
}

function sort(table, column, direction) {
  const sign = direction === "descending" ? -1 : 1;
  const rows = Array.from(table.tBodies[0].rows, (row) => [valueOf(row, column), row]);
  // Cells without a value come last in both directions.
  rows.sort(([one], [other]) => (one === "") - (other === "") || sign * compare(one, other));
  table.tBodies[0].append(...rows.map(([, row]) => row));
  for (const heading of table.tHead.rows[0].cells) heading.removeAttribute("aria-sort");
  table.tHead.rows[0].cells[column].setAttribute("aria-sort", direction);
}

for (const table of document.querySelectorAll("table.sortable")) {
  const headings = Array.from(table.tHead.rows[0].cells);
  headings.forEach((heading, column) => {
    heading.tabIndex = 0;
    const choose = () => {
      const direction = heading.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
      sort(table, column, direction);
      remember("sort." + table.id, column + "." + direction);
    };
    heading.addEventListener("click", choose);
    heading.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      choose();
    });
  });
  const [column, direction] = (chosen.get("sort." + table.id) ?? "").split(".");
  if (headings[column] && (direction === "ascending" || direction === "descending")) sort(table, Number(column), direction);
}

for (const input of document.querySelectorAll("input[name=filter]")) {
  const table = document.getElementById(input.dataset.table);
  const apply = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
  };
  input.closest(".filter").hidden = false;
  input.value = chosen.get("filter") ?? "";
  input.addEventListener("input", () => { apply(); remember("filter", input.value); });
  apply();
}

for (const form of document.querySelectorAll("form.axes")) {
  const plot = form.parentElement.querySelector("svg.scatter");
  const limit = Number(plot.dataset.limit), shortest = Number(plot.dataset.shortest);
  const place = (axis, time) => {
    const [from, to, never] = axis;
    if (time === "-" || time === undefined) return never;
    const seconds = Math.min(Math.max(Number(time), shortest), limit);
    return from + (to - from) * Math.log(seconds / shortest) / Math.log(limit / shortest);
  };
  const axes = { x: plot.dataset.x.split(",").map(Number), y: plot.dataset.y.split(",").map(Number) };
  const draw = () => {
    for (const point of plot.querySelectorAll("circle[data-times]")) {
      const times = point.dataset.times.split(" ");
      point.setAttribute("cx", place(axes.x, times[form.x.value]));
      point.setAttribute("cy", place(axes.y, times[form.y.value]));
    }
    for (const axis of ["x", "y"]) {
      plot.querySelector("." + axis + "-name").textContent = form[axis].selectedOptions[0]?.textContent ?? "";
    }
  };
  form.hidden = false;
  for (const axis of ["x", "y"]) {
    if (chosen.has(axis)) form[axis].value = chosen.get(axis);
    form[axis].addEventListener("change", () => { draw(); remember(axis, form[axis].value); });
  }
  draw();
}
