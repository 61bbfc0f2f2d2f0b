// Everything is put on the page as text nodes and attributes, never as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(made, props, children) {
  for (const [name, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [rule, set] of Object.entries(value)) made.style.setProperty(rule, set);
    else if (name === "value") made.value = value;
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : document.createTextNode(String(child)))));
  return made;
}

export const h = (name, props, ...children) => fill(document.createElement(name), props, children);
export const s = (name, props, ...children) => fill(document.createElementNS(SVG, name), props, children);

const PATHS = {
  presence: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Zm0 5a4 4 0 1 0 0 8 4 4 0 0 0 0-8Z",
  beliefs: "M4 6h16M4 12h10M4 18h13M19 11l1.5 1.5L23 10",
  heartbeat: "M2 12h4l2.5-6 4 12 3-8 1.500 2H22",
  memory: "M5 4h11l3 3v13H5zM9 4v5h6V4M8 14h8M8 17h5",
  self: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-8 9c.6-4.200 3.800-6.500 8-6.500s7.400 2.300 8 6.500",
  operations: "M4 7h9M17 7h3M4 17h3M11 17h9M15 4.500v5M9 14.500v5",
  back: "M15 5l-7 7 7 7", moon: "M20 14.500A8.500 8.500 0 1 1 9.500 4a7 7 0 0 0 10.500 10.500Z", leave: "M10 5H5v14h5M14 8l4 4-4 4M18 12H9",
};

export function icon(name) {
  return s("svg", { viewBox: "0 0 24 24", fill: "none", stroke: "currentColor", "stroke-width": "1.7", "stroke-linecap": "round", "stroke-linejoin": "round", "aria-hidden": "true" },
    s("path", { d: PATHS[name] }));
}

export function mark() {
  return s("svg", { viewBox: "0 0 32 32", fill: "none", "aria-hidden": "true" },
    s("circle", { cx: 16, cy: 16, r: 13, stroke: "var(--accent)", "stroke-width": 2.2 }),
    s("circle", { cx: 16, cy: 16, r: 7.5, stroke: "var(--accent)", "stroke-width": 2.2, opacity: 0.55 }),
    s("circle", { cx: 16, cy: 16, r: 2.8, fill: "var(--warm)" }));
}

export const card = (title, acts, ...inside) => h("section", { class: "card" }, h("header", {}, h("h2", {}, title), acts ? h("div", { class: "row" }, acts) : null), ...inside);
export const button = (label, act, kind = "") => h("button", { type: "button", class: `btn ${kind}`, onclick: act }, label);
export const chip = (text, kind = "") => h("span", { class: `chip ${kind}` }, text);
export const id = (text) => h("span", { class: "id" }, text);

// Small things in a row, each by itself.
export const dash = () => h("span", { class: "faint" }, h("span", { "aria-hidden": "true" }, "–"), h("span", { class: "unseen" }, "none"));
export const meta = (...parts) => h("span", { class: "meta" }, parts.flat(Infinity).filter((part) => part !== null && part !== undefined && part !== false && part !== "").map((part) => (part instanceof Node ? part : h("span", {}, part))));

// How much, from 0 to 1, for eyes and ears.
export function meter(value, name, kind = "") {
  const part = Math.max(0, Math.min(1, value || 0));
  return h("span", { class: `meter ${kind}`, role: "img", "aria-label": `${name} ${part.toFixed(2)}` }, h("i", { style: { width: `${part * 100}%` } }));
}

export function facts(pairs) {
  return h("dl", { class: "facts" }, pairs.filter(([, value]) => value !== undefined && value !== null && value !== "").map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

// The three states that are not content.
export const waiting = () => h("div", { class: "wait", role: "status", "aria-label": "Loading" }, h("i", {}));
export const empty = (title, next) => h("div", { class: "state" }, h("b", {}, title), next ? h("p", {}, commands(next)) : null);
export function failed(error, again) {
  return h("div", { class: "state bad", role: "alert" }, h("b", {}, "That could not be loaded"), h("p", {}, commands(error.message)), again ? button("Try again", again) : null);
}

// What stands between backticks is something to type.
export function commands(text) {
  return String(text).split("`").map((part, place) => (place % 2 === 1 ? h("code", {}, part) : part));
}

export function say(text) {
  document.getElementById("said").textContent = text;
}

export function toast(text, kind = "") {
  const shown = h("div", { class: `toast ${kind}` }, text);
  document.getElementById("toasts").append(shown);
  say(text);
  setTimeout(() => shown.remove(), kind === "bad" ? 8000 : 3500);
}

// Runs an act of a button: it cannot be pressed twice, and what goes wrong is told.
export async function act(pressed, work) {
  if (pressed?.getAttribute("aria-disabled") === "true") return undefined;
  // Not `disabled`, which would throw the focus away.
  pressed?.setAttribute("aria-disabled", "true");
  try {
    return await work();
  } catch (error) {
    if (error.name !== "AbortError") toast(error.message, "bad");
    return undefined;
  } finally {
    pressed?.removeAttribute("aria-disabled");
    if (pressed && !pressed.isConnected && document.activeElement === document.body) giveBack(pressed);
  }
}

// What had the focus has it again; if it was drawn anew meanwhile, what stands there now.
function giveBack(had) {
  const is = had?.isConnected ? had : [...document.querySelectorAll("main button")].find((one) => had && one.textContent === had.textContent) || document.getElementById("main");
  is?.focus();
}

// Where the focus is within a box, in words that outlive its being drawn anew: of which thing, and which of its parts.
const PARTS = "a[href], button, input, select, textarea, summary, [tabindex]";
const called = (one) => one.getAttribute("aria-label") || one.textContent;
function whereIn(box) {
  const on = document.activeElement;
  if (!on || on === box || !box.contains(on)) return undefined;
  const own = on.closest("[data-id]"), same = (within) => [...within.querySelectorAll(PARTS)].filter((one) => called(one) === called(on));
  return { id: own?.dataset.id, isOwn: own === on, name: called(on), place: same(own && own !== on ? own : box).indexOf(on), order: [...box.querySelectorAll(PARTS)].indexOf(on) };
}

// Draws a box anew without taking away what somebody is at: the focus, what was folded out, how far it was scrolled.
export async function anew(box, work) {
  const unfolded = () => [...box.querySelectorAll("details[open] > summary")].map((one) => one.textContent.replace(/\d+/g, ""));
  const at = whereIn(box), open = unfolded();
  const answer = await work();
  box.querySelectorAll("details > summary").forEach((one) => { if (open.includes(one.textContent.replace(/\d+/g, ""))) one.parentElement.open = true; });
  if (!at || document.activeElement !== document.body) return answer;
  const own = at.id && [...box.querySelectorAll("[data-id]")].find((one) => one.dataset.id === at.id);
  const same = [...(own && !at.isOwn ? own : box).querySelectorAll(PARTS)].filter((one) => called(one) === at.name);
  const all = [...box.querySelectorAll(PARTS)];
  const to = at.isOwn && own ? own : same[Math.min(Math.max(0, at.place), same.length - 1)] || all[Math.min(at.order, all.length - 1)] || document.getElementById("main");
  to?.focus({ preventScroll: true });
  return answer;
}

// A question in a dialog of its own, which keeps the focus and gives it back. Answers the form's fields, or nothing.
export function ask({ title, body = [], confirm = "Done", danger = false, cancel = "Cancel" }) {
  return new Promise((answer) => {
    const back = document.activeElement;
    const form = h("form", { method: "dialog" }, h("h2", { id: "asked" }, title), body,
      h("div", { class: "acts" }, cancel ? h("button", { class: "btn", value: "", type: "submit", formnovalidate: true }, cancel) : null,
        h("button", { class: `btn main ${danger ? "danger" : ""}`, value: "yes", type: "submit" }, confirm)));
    const dialog = h("dialog", { "aria-labelledby": "asked" }, form);
    dialog.addEventListener("close", () => {
      const fields = Object.fromEntries(new FormData(form));
      dialog.remove();
      giveBack(back);
      answer(dialog.returnValue === "yes" ? fields : undefined);
    });
    document.body.append(dialog);
    dialog.showModal();
    // Return in a field means yes, not the first button of the form.
    form.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && event.target.matches("input")) {
        event.preventDefault();
        form.requestSubmit(form.querySelector("button.main"));
      }
    });
    (form.querySelector("[autofocus], input, textarea, select") || form.querySelector(".acts .btn")).focus();
  });
}

// One stop for the tab key; arrows move inside.
export function rove(list, selector = ".item") {
  if (list.roves) return list;
  list.roves = true;
  const all = () => [...list.querySelectorAll(selector)];
  const settle = (chosen) => all().forEach((one) => one.setAttribute("tabindex", one === chosen ? "0" : "-1"));
  const fresh = () => { const items = all(); if (!items.some((one) => one.getAttribute("tabindex") === "0")) settle(items.find((one) => one.getAttribute("aria-current") === "true") || items[0]); };
  list.addEventListener("focusin", (event) => { const item = event.target.closest(selector); if (item) settle(item); });
  list.addEventListener("keydown", (event) => {
    const items = all();
    const at = items.indexOf(event.target.closest(selector));
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    items[Math.max(0, Math.min(items.length - 1, to))].focus();
  });
  new MutationObserver(fresh).observe(list, { childList: true });
  fresh();
  return list;
}

// A list that grows page by page. `load(cursor)` gives { items, next }; nothing next means the end. `begin` shows it from the top;
// `fresh` does so when something happened, unless somebody has gone further down: then a button says that there is news.
export function paged({ load, row, none, label, roving = false, first }) {
  const list = h("ul", { class: "items", "aria-label": label });
  const news = h("div", { class: "news" }), foot = h("div", {});
  const box = h("div", {}, news, list, foot);
  let shown = 0, pages = 0, top = [], asked = 0;
  const named = (page) => page.items.map((item) => item.id ?? item.entity);
  function take(page) {
    page.items.forEach((item) => list.append(h("li", {}, row(item, list.children.length === 0))));
    shown += page.items.length;
    pages += 1;
    if (pages === 1) top = named(page);
    if (shown === 0) foot.replaceChildren(none || "");
    else if (page.next !== undefined && page.next !== null) {
      foot.replaceChildren(button("Show more", (event) => act(event.currentTarget, async () => {
        const from = list.children.length;
        take(await load(page.next));
        list.children[from]?.querySelector("a, button")?.focus();
      }), "plain"));
    } else foot.replaceChildren();
    if (roving) rove(list);
  }
  const over = (page) => anew(box, () => { list.replaceChildren(); news.replaceChildren(); shown = pages = 0; take(page); });
  // Of two that were asked for the later one counts, whichever comes first.
  const newest = async () => { const mine = ++asked, page = await load(undefined); return mine === asked ? page : undefined; };
  if (first) take(first);
  box.begin = async () => { const page = await newest(); if (page) await over(page); };
  box.fresh = async () => {
    const page = await newest();
    if (!page) return undefined;
    if (pages <= 1) return over(page);
    if (named(page).join() === top.join()) return undefined;
    return news.replaceChildren(button("There is something new: show it", (event) => act(event.currentTarget, async () => { await box.begin(); list.querySelector("a, button")?.focus(); })));
  };
  // What has come at the end of a list whose end is shown.
  box.grow = async (after) => { if (!foot.querySelector("button")) take(await load(after)); };
  box.list = list;
  return box;
}

// All that is here already, shown piece by piece. Where the daemon gave no more than it was asked for, that is said.
export function sliced(items, row, label, none, { size = 30, most } = {}) {
  const load = async (from = 0) => ({ items: items.slice(from, from + size), next: from + size < items.length ? from + size : undefined });
  const first = { items: items.slice(0, size), next: size < items.length ? size : undefined };
  const box = paged({ load, first, row, label, none });
  if (most && items.length >= most) box.append(h("p", { class: "small faint" }, `These are the first ${most.toLocaleString()}; there may be more.`));
  return box;
}

// A table whose rows come piece by piece: `rows` are things, `cells` makes one of them a row.
export function table(head, things, cells, size = 20, before = undefined) {
  const body = h("tbody", {}), foot = h("div", {});
  let shown = 0;
  function take(size) {
    const part = things.slice(shown, shown + size), from = shown;
    shown += part.length;
    body.append(...part.map((thing) => h("tr", {}, cells(thing).map((cell, place) => h(place ? "td" : "th", place ? { "data-name": head[place] || null } : { scope: "row" }, cell === "" || cell === null || cell === undefined ? (head[place] ? dash() : null) : cell)))));
    foot.replaceChildren(...(shown < things.length ? [button(`Show more of ${things.length.toLocaleString()}`, () => { take(size); body.children[from + part.length]?.querySelector("a, button")?.focus(); }, "plain")] : []));
  }
  // As far as it was unrolled before it was drawn anew.
  take(Math.max(size, before?.rows() || 0));
  const whole = h("div", {}, h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, head.map((name) => h("th", { scope: "col" }, name || h("span", { class: "unseen" }, "What can be done"))))), body)), foot);
  whole.rows = () => shown;
  return whole;
}

// What nobody pressed a button for says nothing of a line that is cut: the banner does.
async function quietly(work) {
  try { await work(); } catch (error) { if (error.name !== "AbortError" && error.status !== 0 && error.status !== 401) toast(error.message, "bad"); }
}

// Does something soon after it was asked for: once, however often that was, and never twice at a time. Who is gone needs nothing.
export function soon(work, wait = 250, signal = undefined) {
  let timer, busy = false, again = false;
  const run = async () => {
    timer = undefined;
    if (signal?.aborted) return;
    busy = true;
    try { await quietly(work); } finally { busy = false; if (again) { again = false; wanted(); } }
  };
  function wanted() { if (busy) again = true; else timer ??= setTimeout(run, wait); }
  return wanted;
}

// Whether what happened is about one of these kinds. What is forgotten may have been anything.
export const concerns = (event, ...kinds) => kinds.includes((event.subject || "").slice(0, 3)) || ["forgot", "linked", "unlinked"].includes(event.act);

// Asks again and again, as long as somebody looks.
export function every(seconds, signal, work) {
  const timer = setInterval(() => { if (!document.hidden) quietly(work); }, seconds * 1000);
  signal.addEventListener("abort", () => clearInterval(timer));
}

export const debounce = (work, wait = 250) => {
  let timer;
  return (...given) => { clearTimeout(timer); timer = setTimeout(() => work(...given), wait); };
};
