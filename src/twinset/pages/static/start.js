// The tree of folders (the pattern "tree" of the ARIA practices), and what follows a choice in it.
"use strict";

const tree = document.getElementById("tree");
const folderField = document.getElementById("folder");

function lines() {
  return [...tree.querySelectorAll('[role="treeitem"]')].filter((item) => item.offsetParent !== null);
}

function focusOn(item) {
  for (const other of tree.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
  item.tabIndex = 0;
  item.focus();
  item.querySelector(".line").scrollIntoView({ block: "nearest" });
}

function mark(path) {
  for (const item of tree.querySelectorAll('[role="treeitem"]')) {
    item.setAttribute("aria-selected", String(item.dataset.path === path));
  }
}

function choose(path) {
  folderField.value = path;
  folderField.dispatchEvent(new Event("chosen"));
  mark(path);
}

async function open(item) {
  if (!item.hasAttribute("aria-expanded")) return;
  if (!item.querySelector('[role="group"]')) {
    item.setAttribute("aria-busy", "true");
    const address = `/start/tree?at=${encodeURIComponent(item.dataset.path)}`;
    const answer = await fetch(address, { headers: { "HX-Request": "true" } }).catch(() => null);
    item.removeAttribute("aria-busy");
    if (!answer) return;
    const text = await answer.text();
    if (!answer.ok) {
      document.getElementById("messages").innerHTML = text;
      return;
    }
    item.insertAdjacentHTML("beforeend", text);
    mark(folderField.value);
  }
  item.setAttribute("aria-expanded", "true");
}

function close(item) {
  item.setAttribute("aria-expanded", "false");
}

function parentOf(item) {
  return item.parentElement.closest('[role="treeitem"]');
}

function letterAfter(item, letter) {
  const all = lines();
  const from = all.indexOf(item) + 1;
  const order = [...all.slice(from), ...all.slice(0, from)];
  return order.find((other) => other.querySelector("bdi").textContent.toLowerCase().startsWith(letter));
}

tree.addEventListener("click", (event) => {
  const item = event.target.closest('[role="treeitem"]');
  if (!item || !event.target.closest(".line")) return;
  focusOn(item);
  const isOpen = item.getAttribute("aria-expanded") === "true";
  if (event.target.classList.contains("twisty")) {
    if (isOpen) close(item);
    else open(item);
    return;
  }
  choose(item.dataset.path);
  open(item);
});

tree.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const item = event.target.closest('[role="treeitem"]');
  const all = lines();
  const at = all.indexOf(item);
  const isOpen = item.getAttribute("aria-expanded") === "true";
  const moves = {
    ArrowDown: () => all[at + 1],
    ArrowUp: () => all[at - 1],
    Home: () => all[0],
    End: () => all[all.length - 1],
    ArrowRight: () => {
      if (isOpen) return item.querySelector('[role="group"] > [role="treeitem"]');
      open(item);
    },
    ArrowLeft: () => {
      if (!isOpen) return parentOf(item);
      close(item);
    },
    Enter: () => choose(item.dataset.path),
    " ": () => choose(item.dataset.path),
  };
  const known = moves[event.key];
  if (known) {
    event.preventDefault();
    const next = known();
    if (next) focusOn(next);
  } else if (event.key.length === 1) {
    const next = letterAfter(item, event.key.toLowerCase());
    if (next) focusOn(next);
  }
});

document.addEventListener("click", (event) => {
  const shortcut = event.target.closest("[data-choose]");
  if (shortcut) choose(shortcut.dataset.choose);
});

// Open the tree down to the folder of the last visit.
async function reveal(path) {
  let item = null;
  for (;;) {
    const inner = item ? item.querySelectorAll(':scope > [role="group"] > [role="treeitem"]') : tree.children;
    const next = [...inner].find((other) => `${path}/`.startsWith(`${other.dataset.path.replace(/[/]$/, "")}/`));
    if (!next) break;
    item = next;
    if (item.dataset.path === path) break;
    await open(item);
  }
  const start = item || tree.querySelector('[role="treeitem"]');
  if (!start) return;
  start.tabIndex = 0;
  tree.scrollTop = Math.max(0, start.offsetTop - tree.clientHeight / 2);
}

folderField.addEventListener("input", () => mark(folderField.value));
mark(folderField.value);
reveal(folderField.value);
