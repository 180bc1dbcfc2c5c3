// A file that is dropped anywhere on the page is the one that is asked about.
"use strict";

const drop = document.getElementById("drop");
const field = document.getElementById("file");

function holdsFiles(event) {
  return [...event.dataTransfer.types].includes("Files"); // and not a piece of text for the field
}

document.addEventListener("dragover", (event) => {
  if (!holdsFiles(event)) return;
  event.preventDefault();
  drop.classList.add("over");
});
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) drop.classList.remove("over");
});
document.addEventListener("drop", (event) => {
  if (!holdsFiles(event)) return;
  event.preventDefault();
  drop.classList.remove("over");
  const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry());
  if (entries.length !== 1 || (entries[0] && entries[0].isDirectory)) {
    document.getElementById("drop-state").textContent = drop.dataset.several;
    return;
  }
  field.files = event.dataTransfer.files;
  field.form.requestSubmit();
});
