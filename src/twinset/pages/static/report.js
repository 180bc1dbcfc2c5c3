// Keys and differences on the pages of a report. Letters go by their place on the keyboard (code), so
// that they work in every layout.
"use strict";

const NAMES = { Slash: "/", Period: ".", Comma: "," };

function keyOf(event) {
  const name = NAMES[event.code] || (event.code.startsWith("Key") ? event.code.slice(3).toLowerCase() : "");
  return event.shiftKey && name ? `shift+${name}` : name;
}

function isTyping(target) {
  return target.closest("textarea, select, input:not([type=radio]):not([type=checkbox]):not([type=range])");
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    moveRow(event, event.key === "ArrowDown" ? 1 : -1);
    return;
  }
  const name = keyOf(event);
  if (!name) return;
  if (name === "k" && keepRow(event)) return;
  const target = document.querySelector(`[data-key="${name}"]`);
  if (!target) return;
  event.preventDefault();
  if (target.matches("input")) target.focus();
  else target.click();
});

// Up and down go through the rows of a table once one is there.
function moveRow(event, step) {
  const rows = [...document.querySelectorAll("[data-row]")];
  if (!rows.length || event.target.matches("input[type=radio], input[type=range]")) return;
  const at = rows.findIndex((row) => row === document.activeElement || row.closest("tr").contains(document.activeElement));
  const next = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + step))];
  event.preventDefault();
  next.focus();
}

// On the page of a cluster K chooses the document of the row that has the focus.
function keepRow(event) {
  const row = document.activeElement && document.activeElement.closest("tr");
  const choice = row && row.querySelector('input[name="keep"]');
  if (!choice) return false;
  event.preventDefault();
  choice.checked = true;
  choice.focus();
  return true;
}

// Differences: the n-th is an element with data-difference="n". Those further on have an address, or
// a button that shows the part before or behind this one.
const panes = document.getElementById("panes");
let current = panes ? Number(panes.dataset.at ?? firstShown() - 1) : -1;

function firstShown() {
  const first = panes.querySelector("[data-difference]");
  return first ? Number(first.dataset.difference) : 0;
}

function showDifference(number) {
  const marks = panes.querySelectorAll(`[data-difference="${number}"]`);
  if (!marks.length) {
    if (panes.dataset.to) location.assign(panes.dataset.to + number);
    else panes.querySelector(`[data-part="${number < current ? -1 : 1}"]`)?.click();
    return;
  }
  panes.querySelectorAll(".now").forEach((mark) => mark.classList.remove("now"));
  panes.querySelectorAll(`[data-link="d${number}"]`).forEach((mark) => mark.classList.add("now"));
  marks[0].scrollIntoView({ block: "center" });
  current = number;
  document.getElementById("difference").textContent = number + 1;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-step]");
  if (button && panes) {
    const total = Number(panes.dataset.total);
    const wanted = current + Number(button.dataset.step);
    if (total) showDifference(Math.min(total - 1, Math.max(0, wanted)));
    return;
  }
  const moved = event.target.closest("a.moved");
  if (moved && !document.getElementById(moved.hash.slice(1))) {
    const row = document.getElementById(`row-${moved.dataset.rowTo}`);
    if (row) {
      event.preventDefault();
      row.scrollIntoView({ block: "center" });
    }
  }
});

// What belongs together in both panes lights up together.
for (const [name, on] of [["pointerover", true], ["pointerout", false], ["focusin", true], ["focusout", false]]) {
  document.addEventListener(name, (event) => {
    const part = event.target instanceof Element && event.target.closest("#panes [data-link]");
    if (!part) return;
    panes.querySelectorAll(`[data-link="${part.dataset.link}"]`).forEach((one) => one.classList.toggle("linked", on));
  });
}

if (panes && Number(panes.dataset.at) >= 0) showDifference(current);
