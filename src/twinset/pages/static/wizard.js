// Files that are dropped on a page, or chosen there: each is sent by itself, as it is.
"use strict";

async function filesOf(entry) {
  if (entry.isFile) return [await new Promise((good, bad) => entry.file(good, bad))];
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((good, bad) => reader.readEntries(good, bad));
    if (!some.length) return found;
    for (const one of some) found.push(...(await filesOf(one)));
  }
}

async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
  return (await Promise.all(entries.map(filesOf))).flat();
}

// The first page has no search yet: one begins with the first files.
async function begin(drop) {
  const answer = await fetch(drop.dataset.begin, { method: "POST" }).catch(() => null);
  if (!answer || !answer.ok) return;
  const name = await answer.text();
  drop.dataset.upload = `/search/${name}/upload`;
  drop.dataset.after = `${drop.dataset.shown}?name=${name}`;
  delete drop.dataset.begin;
}

async function send(drop, files) {
  const state = document.getElementById("upload-state");
  let done = 0;
  if (drop.dataset.begin) await begin(drop);
  for (const file of files) {
    state.textContent = `${drop.dataset.busy} ${file.name} (${++done} / ${files.length})`;
    const about = `file=${encodeURIComponent(file.name)}&modified=${file.lastModified / 1000}`;
    const address = `${drop.dataset.upload}?${about}`;
    const headers = { "HX-Request": "true" };
    const answer = await fetch(address, { method: "PUT", body: file, headers }).catch(() => null);
    const into = drop.dataset.into || "chosen";
    const place = document.getElementById(answer && answer.ok ? into : "messages");
    if (answer && !(answer.ok && drop.dataset.after)) place.innerHTML = await answer.text();
    if (!answer) place.textContent = `${drop.dataset.failed} ${file.name}`;
    htmx.process(place);
    if (!answer || !answer.ok) {
      place.scrollIntoView({ block: "nearest" });
      break;
    }
  }
  state.textContent = "";
  if (drop.dataset.after) {
    await htmx.ajax("GET", drop.dataset.after, { target: `#${drop.dataset.into}` });
    document.dispatchEvent(new Event("twinset:uploaded"));
  }
}

document.addEventListener("change", (event) => {
  if (event.target.id !== "files") return;
  send(document.getElementById("drop"), [...event.target.files]).then(() => { event.target.value = ""; });
});
document.addEventListener("dragover", (event) => {
  const drop = document.getElementById("drop");
  if (!drop) return;
  event.preventDefault();
  drop.classList.toggle("over", drop.contains(event.target));
});
document.addEventListener("drop", async (event) => {
  const drop = document.getElementById("drop");
  if (!drop) return;
  event.preventDefault();
  drop.classList.remove("over");
  send(drop, await dropped(event.dataTransfer));
});
