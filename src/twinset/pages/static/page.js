// What htmx does not do: dragging in charts, outputs that show a range's value at once, old messages.
"use strict";

// The plot area of our charts in their own units, see twinset/pages/charts.py.
const CHART = { width: 380, left: 40, right: 10 };

function valueAt(box, x) {
  const chart = box.querySelector("svg").getBoundingClientRect();
  const unit = chart.width / CHART.width;
  const plot = (CHART.width - CHART.left - CHART.right) * unit;
  const share = Math.min(1, Math.max(0, (x - chart.left - CHART.left * unit) / plot));
  const low = Number(box.dataset.low || 0);
  const high = Number(box.dataset.high || 1);
  return low + share * (high - low);
}

function dragTo(box, x) {
  const input = document.getElementById(box.dataset.drag);
  const step = Number(input.step) || 0.01;
  const value = Math.round(valueAt(box, x) / step) * step;
  const bounded = Math.min(Number(input.max), Math.max(Number(input.min), value));
  if (Number(input.value) !== bounded) {
    input.value = bounded.toFixed(4);
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

let dragged = null;

document.addEventListener("pointerdown", (event) => {
  dragged = event.button === 0 ? event.target.closest("[data-drag]") : null;
  if (dragged) dragTo(dragged, event.clientX);
});
document.addEventListener("pointermove", (event) => {
  if (!dragged) return;
  // A new chart may have replaced the one that was grasped.
  if (!dragged.isConnected) dragged = document.querySelector(`[data-drag="${dragged.dataset.drag}"]`);
  if (dragged) dragTo(dragged, event.clientX);
});
for (const name of ["pointerup", "pointercancel"]) {
  document.addEventListener(name, () => {
    if (!dragged) return;
    document.getElementById(dragged.dataset.drag).dispatchEvent(new Event("change", { bubbles: true }));
    dragged = null;
  });
}

// <output data-of="ID"> follows the range with that id, with the reader's decimal mark.
function spelled(value) {
  return Number(value).toLocaleString(document.documentElement.lang, { maximumFractionDigits: 4 });
}

document.addEventListener("input", (event) => {
  for (const output of document.querySelectorAll(`output[data-of="${event.target.id}"]`)) {
    output.textContent = output.dataset.percent === undefined
      ? spelled(event.target.value)
      : `${spelled(Math.round(event.target.value * 1000) / 10)} %`;
  }
});

// A message is about the last request; the next good one takes it away.
document.addEventListener("htmx:afterRequest", (event) => {
  const messages = document.getElementById("messages");
  const status = event.detail.xhr ? event.detail.xhr.status : 0;
  const isOver = status < 400 || (messages && messages.querySelector("[data-unanswered]"));
  if (messages && status > 0 && isOver) messages.replaceChildren();
});

// A page that nobody answers looks as if it were at work, and as if every click were saved.
document.addEventListener("htmx:sendError", () => {
  const messages = document.getElementById("messages");
  if (messages.querySelector("[data-unanswered]")) return;
  const said = document.getElementById("unanswered").content.cloneNode(true);
  said.firstElementChild.dataset.unanswered = "";
  messages.replaceChildren(said);
  messages.scrollIntoView({ block: "nearest" });
});
