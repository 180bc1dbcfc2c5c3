// Keys of the list of what can go, besides those of report.js: letters by their place on the keyboard.
"use strict";

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || isTyping(event.target)) return;
  const name = keyOf(event);
  if (name === "j" || name === "k") {
    moveRow(event, name === "j" ? 1 : -1);
    return;
  }
  const row = document.activeElement && document.activeElement.closest(".files tr");
  const target = row && name && row.querySelector(`[data-do="${name}"]`);
  if (!target) return;
  event.preventDefault();
  target.click();
});
