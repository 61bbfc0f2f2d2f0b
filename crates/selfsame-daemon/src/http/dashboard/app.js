// The house: the way in, the rail, which room is open, and what is live.
import { get, of, onLeft, post, remove } from "./api.js";
import { button, failed, h, icon, mark, say, waiting } from "./dom.js";
import { sentence } from "./happened.js";
import { follow } from "./live.js";
import { clock, counted, setZone } from "./words.js";

const ROOMS = [
  ["presence", "Presence", () => import("./rooms/presence.js")],
  ["beliefs", "Beliefs", () => import("./rooms/beliefs.js")],
  ["heartbeat", "Heartbeat", () => import("./rooms/heartbeat.js")],
  ["memory", "Memory", () => import("./rooms/memory.js")],
  ["self", "Self", () => import("./rooms/self.js")],
  ["operations", "Operations", () => import("./rooms/operations.js")],
];

const app = document.getElementById("app");
let house;

// Colours: as the system has them, or as somebody chose.
const kept = { get: (name) => { try { return localStorage.getItem(name); } catch { return null; } }, set: (name, value) => { try { localStorage.setItem(name, value); } catch { /* private window */ } } };
function theme(choice) {
  if (choice === "light" || choice === "dark") document.documentElement.dataset.theme = choice;
  else delete document.documentElement.dataset.theme;
}
function turnTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const shown = document.documentElement.dataset.theme || (dark ? "dark" : "light");
  const next = shown === "dark" ? "light" : "dark";
  theme(next);
  kept.set("theme", next);
  say(`Colours: ${next}`);
  house?.room?.themed?.();
}

function showEntry(note = "") {
  house?.end();
  house = undefined;
  document.title = "Selfsame";
  const told = h("p", { class: "told", id: "told", role: "alert" }, note);
  const input = h("input", { type: "text", name: "code", autocomplete: "one-time-code", autocapitalize: "characters", spellcheck: "false", maxlength: 12, placeholder: "XXXX-XXXX", "aria-describedby": "told", required: true });
  const form = h("form", {
    onsubmit: async (event) => {
      event.preventDefault();
      told.textContent = "";
      try {
        await post("/dashboard/session", { code: input.value });
        await enter();
      } catch (error) {
        told.textContent = error.message.replaceAll("`", "");
        input.select();
      }
    },
  }, h("label", { class: "field" }, h("span", {}, "One-time code"), input), h("button", { class: "btn main", type: "submit" }, "Come in"), told);
  app.replaceChildren(h("main", { class: "entry", id: "main" }, h("div", {}, h("div", { class: "brand" }, mark(), "Selfsame"),
    h("div", { class: "stack tight" }, h("h1", {}, "See a mind"), h("p", { class: "soft" }, "The terminal in which ", h("code", {}, "selfsame serve"), " runs shows a code. ", h("code", {}, "selfsame dashboard"), " gives a fresh one.")), form)));
  input.focus();
}

async function enter() {
  const { agents } = await get("/v1/agents");
  house = openHouse(agents);
}

function openHouse(agents) {
  const main = h("main", { id: "main", tabindex: "-1" }, waiting());
  const state = h("span", { class: "live" }, "Connecting");
  const banner = h("p", { class: "banner", role: "alert", hidden: true });
  const choose = h("select", { "aria-label": "Agent", onchange: () => go(choose.value, here.room) }, agents.map((agent) => h("option", { value: agent.name }, agent.name)));
  const links = ROOMS.map(([id, name]) => h("a", { href: "#" }, icon(id), h("span", {}, name)));
  const self = { room: undefined, end };
  let here = {}, stop, leaving, followed, meanwhile = [];

  app.replaceChildren(banner, h("div", { class: "house" },
    h("div", { class: "rail" },
      h("div", { class: "brand" }, mark(), "Selfsame"),
      h("div", { class: "who" }, h("span", { class: "faint small unphone" }, "Agent"), choose),
      h("nav", { class: "rooms", "aria-label": "Rooms" }, links),
      h("div", { class: "rail-foot" }, state, h("div", { class: "rail-acts" },
        h("button", { type: "button", class: "btn plain", "aria-label": "Light or dark", title: "Light or dark", onclick: turnTheme }, icon("moon")),
        h("button", { type: "button", class: "btn plain", "aria-label": "Leave", title: "Leave", onclick: leave }, icon("leave"))))),
    main));

  function read() {
    const [agent, room, ...path] = location.hash.replace(/^#\/?/, "").split("/").map((part) => { try { return decodeURIComponent(part); } catch { return part; } });
    const known = agents.find((one) => one.name === agent) || agents.find((one) => one.name === kept.get("agent")) || agents[0];
    return { agent: known?.name, zone: known?.zone, room: ROOMS.some(([id]) => id === room) ? room : "presence", path: path.filter(Boolean) };
  }

  async function show() {
    const next = read();
    if (!next.agent) return main.replaceChildren(failed(new Error("There is no agent yet: `selfsame agent create NAME` makes one.")));
    const moved = next.room !== here.room || next.agent !== here.agent;
    here = next;
    setZone(here.zone);
    kept.set("agent", here.agent);
    choose.value = here.agent;
    links.forEach((link, place) => {
      const [id] = ROOMS[place];
      link.setAttribute("href", address(here.agent, id));
      if (id === here.room) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
    });
    if (followed !== here.agent) listen();
    // A room that knows how to change what it shows is not opened anew.
    if (!moved && self.room?.went && self.room.went(here.path)) return undefined;
    return open(moved);
  }

  // Somebody was added to the house.
  async function renew() {
    ({ agents } = await get("/v1/agents"));
    choose.replaceChildren(...agents.map((agent) => h("option", { value: agent.name }, agent.name)));
  }

  async function open(moved) {
    leaving?.abort();
    leaving = new AbortController();
    self.room?.end?.();
    self.room = undefined;
    meanwhile = [];
    const { signal } = leaving;
    const [id, name, load] = ROOMS.find(([one]) => one === here.room);
    document.title = `${name}, ${here.agent}: Selfsame`;
    if (moved) main.replaceChildren(waiting());
    try {
      const module = await load();
      const made = await module.open({ api: of(here.agent), agent: here.agent, agents, path: here.path, signal, go: (...parts) => go(here.agent, id, ...parts), to: (room, ...parts) => address(here.agent, room, ...parts), again: () => open(false), moved: async (to) => { await renew(); go(to, id); } });
      if (signal.aborted) { made.end?.(); return; }
      self.room = made;
      main.replaceChildren(made.view);
      made.shown?.();
      // What happened while it was being asked for may not be in the answer.
      meanwhile.forEach((event) => made.event?.(event));
      main.querySelector(".tabs a[aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
      if (moved) { scrollTo(0, 0); say(name); }
    } catch (error) {
      if (signal.aborted || error.name === "AbortError") return;
      if (error.status === 401) return;
      main.replaceChildren(failed(error, () => open(false)));
    }
  }

  function listen() {
    stop?.();
    followed = here.agent;
    stop = follow(of(here.agent), {
      event: (event) => { if (self.room) self.room.event?.(event); else meanwhile.push(event); announce(event); },
      resync: () => open(false),
      state: connected,
    });
  }

  // Nothing that happens meanwhile is lost: it is asked for from the last number on.
  function connected(is) {
    if (state.dataset.state === "away" && is !== "away") say("The daemon is back.");
    state.textContent = is === "away" ? "Away" : "Live";
    if (is === "away" && banner.hidden) banner.textContent = `The daemon does not answer since ${clock(Date.now())}. What you see is from before; what happens meanwhile is fetched when it is back.`;
    banner.hidden = is !== "away";
    state.dataset.state = is;
  }

  // For ears, once a second at most, however much happens: the last thing, and how many there were.
  let happened = 0, telling, latest;
  function announce(event) {
    happened += 1;
    latest = event;
    telling ??= setTimeout(() => {
      say(happened > 1 ? `${counted(happened, "thing")} happened, the last: ${sentence(latest)}` : sentence(latest));
      happened = 0;
      telling = undefined;
    }, 1000);
  }

  async function leave() {
    await remove("/dashboard/session").catch(() => {});
    showEntry();
  }

  function end() {
    stop?.();
    clearTimeout(telling);
    leaving?.abort();
    self.room?.end?.();
    removeEventListener("hashchange", show);
  }

  addEventListener("hashchange", show);
  show();
  return self;
}

function address(agent, room, ...path) {
  return `#/${[agent, room, ...path].map(encodeURIComponent).join("/")}`;
}

function go(agent, room, ...path) {
  location.hash = address(agent, room, ...path);
}

// The skip link must not change the room, which is in the address.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  const main = document.getElementById("main");
  main?.focus();
  main?.scrollIntoView();
});

onLeft(() => { if (house) showEntry("The visit is over: the daemon was started anew, or somebody closed it."); });
theme(kept.get("theme"));
try {
  const { open } = await get("/dashboard/session");
  if (open) await enter(); else showEntry();
} catch (error) {
  app.replaceChildren(h("main", { class: "entry", id: "main" }, h("div", {}, failed(error), button("Try again", () => location.reload()))));
}
