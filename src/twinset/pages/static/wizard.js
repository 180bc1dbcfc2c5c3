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
  const into = drop.dataset.into || "chosen";
  const refused = [];
  let done = 0;
  if (drop.dataset.begin) await begin(drop);
  for (const file of files) {
    state.textContent = `${drop.dataset.busy} ${file.name} (${++done} / ${files.length})`;
    const about = `file=${encodeURIComponent(file.name)}&modified=${file.lastModified / 1000}`;
    const address = `${drop.dataset.upload}?${about}`;
    const headers = { "HX-Request": "true" };
    const answer = await fetch(address, { method: "PUT", body: file, headers }).catch(() => null);
    const said = answer ? await answer.text() : "";
    if (!answer || !answer.ok) {
      refused.push({ name: file.name, said });
    } else if (!drop.dataset.after) {
      const place = document.getElementById(into);
      place.innerHTML = said;
      htmx.process(place);
    }
  }
  state.textContent = "";
  if (drop.dataset.after) {
    await htmx.ajax("GET", drop.dataset.after, { target: `#${into}` });
    document.dispatchEvent(new Event("twinset:uploaded"));
  }
  // Last of all: a request that succeeds takes older messages away.
  if (refused.length) tell(refused, drop.dataset.failed);
}

// Why the first file was refused, and the names of all others that were.
function tell(refused, sentence) {
  const messages = document.getElementById("messages");
  const names = refused.slice(refused[0].said ? 1 : 0).map((file) => file.name);
  messages.innerHTML = refused[0].said;
  if (names.length) {
    const others = document.createElement("p");
    others.textContent = `${sentence} ${names.join(", ")}`;
    messages.append(others);
  }
  htmx.process(messages);
  messages.scrollIntoView({ block: "nearest" });
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
