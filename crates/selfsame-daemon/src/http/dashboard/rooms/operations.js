// Operations: is everything well, who has a key, what does thinking cost, and what to do when something is late.
import { act, ask, button, card, chip, commands, empty, facts, h, meter, table, toast } from "../dom.js";
import { get, of, post, remove } from "../api.js";
import { cap, counted, day, plain, when } from "../words.js";

const THINKERS = 10;

export async function open({ api, agent, agents, signal, again, moved }) {
  // The one that is shown first. A house of hundreds is asked piece by piece.
  const inOrder = [...agents].sort((one, other) => Number(other.name === agent) - Number(one.name === agent));
  const thought = (some) => Promise.all(some.map((one) => of(one.name).get("contemplation", {}, signal).then((is) => ({ name: one.name, is })).catch((error) => ({ name: one.name, error }))));
  const [status, keys, duties, thinking, heart] = await Promise.all([
    get("/v1/status", {}, signal), get("/v1/keys", {}, signal), get("/v1/duties", {}, signal), thought(inOrder.slice(0, THINKERS)), api.get("heartbeat", {}, signal).catch(() => ({})),
  ]);
  const well = status.duties.late + status.duties.dead === 0;
  const checks = h("div", {}), copies = h("div", {});
  const paused = Boolean(heart.paused_since);

  const view = h("div", { class: "stack" },
    h("div", { class: "room-head", style: { "margin-bottom": 0 } }, h("div", {}, h("h1", {}, "Operations"), h("p", {}, "The house as a whole: what runs, who may come in, what it costs.")),
      button(paused ? "Resume the house" : "Pause the house", (event) => act(event.currentTarget, async () => { await post(`/v1/heartbeat/${paused ? "resume" : "pause"}`); toast(paused ? "Hearts may speak again" : "No heart speaks until resumed"); again(); }), paused ? "main" : "")),
    card("Status", chip(paused ? "paused" : well ? "all well" : "needs a look", paused ? "warm" : well ? "accent" : "bad"), h("div", { class: "tiles" },
      tile(status.version, "version"), tile(status.database, `database, schema ${status.schema}`), tile(`${status.duties.all - status.duties.late - status.duties.dead} of ${status.duties.all}`, "duties on time"), tile(status.model ? status.model.name : "By words", "recall"), tile(status.agents.reduce((sum, one) => sum + one.memories, 0).toLocaleString(), "memories")),
      status.clock_skew_seconds ? h("p", { class: "chip bad" }, `This machine's clock is ${status.clock_skew_seconds} s off.`) : null),
    h("div", { class: "grid two" },
      card("Doctor", button("Examine now", (event) => act(event.currentTarget, examine), "main"), checks),
      card("Backup", button("Back up now", (event) => act(event.currentTarget, backup), "main"), copies)),
    card("Agents", [h("span", { class: "small faint" }, counted(agents.length, "agent")), button("New agent…", makeAgent)], table(["Name", "Memories", "Beliefs", "Since", ""], [...status.agents].sort((one, other) => Number(other.name === agent) - Number(one.name === agent)), (one) => {
      const made = agents.find((other) => other.name === one.name);
      return [h("a", { href: `#/${encodeURIComponent(one.name)}/presence` }, one.name), one.memories.toLocaleString(), `${(one.beliefs.active + one.beliefs.stale).toLocaleString()}${one.beliefs.contested ? `, ${one.beliefs.contested} contested` : ""}`, made ? day(made.created_at) : "", one.hearts ? chip([one.hearts.failing ? `${counted(one.hearts.failing, "heart")} failing` : "", one.hearts.missed ? `${counted(one.hearts.missed, "reminder")} missed` : ""].filter(Boolean).join(", "), "bad") : one.name === agent ? chip("shown here", "accent") : ""];
    })),
    card("Thinkers and budgets", null, thinkers()),
    dutyCard(), keyCard());

  function thinkers() {
    const rows = (found) => table(["Agent", "Thinker", "Every", "Next", "Tokens today"], found, ({ name, is, error }) => (error ? [name, error.message, "", "", ""] : [name, is.enabled ? plain(is.thinker) : `${plain(is.thinker)}, when asked`, is.every, is.held_since ? chip("held: repeats itself", "warm") : is.next_at ? when(is.next_at) : "",
      h("span", { class: "row" }, is.daily_tokens ? meter(is.tokens_today / is.daily_tokens, "budget used", is.tokens_today > is.daily_tokens * 0.8 ? "warm" : "") : null, h("span", { class: "num" }, `${is.tokens_today.toLocaleString()}${is.daily_tokens ? ` of ${is.daily_tokens.toLocaleString()}` : ""}`))]), 1000);
    const box = h("div", {}, rows(thinking));
    if (thinking.length < inOrder.length) box.append(button(`Show more of ${inOrder.length}`, (event) => act(event.currentTarget, async () => { thinking.push(...await thought(inOrder.slice(thinking.length, thinking.length + 40))); box.replaceWith(thinkers()); }), "plain"));
    return box;
  }

  async function makeAgent() {
    const said = await ask({ title: "A new agent", confirm: "Make it", body: [h("label", { class: "field" }, h("span", {}, "Its name: letters, digits, - _ ."), h("input", { type: "text", name: "name", required: true, autocomplete: "off", spellcheck: "false" }))] });
    if (!said?.name) return;
    const made = await act(null, () => post("/v1/agents", { name: said.name }));
    if (made) { toast(`${made.name} is there`); await moved(made.name); }
  }

  function dutyCard() {
    const order = { dead: 0, late: 1, fine: 2 };
    const sorted = [...duties.duties].sort((one, other) => order[one.health] - order[other.health] || one.kind.localeCompare(other.kind));
    const cells = (one) => [plain(one.kind), one.rhythm, chip(one.health, one.health === "fine" ? "" : "bad"), one.state === "dead" ? "given up" : when(one.next_at), one.last_done ? when(one.last_done) : "", one.last_error || "",
      one.health !== "fine" ? button("Do again", (event) => act(event.currentTarget, async () => { await post(`/v1/duties/${encodeURIComponent(one.id)}/requeue`, {}); toast("It is done again"); again(); })) : ""];
    const head = ["Duty", "Rhythm", "Health", "Next", "Last done", "Trouble", ""];
    return card("Duties", h("span", { class: "small faint" }, `${status.duties.late} late, ${status.duties.dead} dead`), table(head, sorted, cells));
  }

  function keyCard() {
    const open = keys.keys.filter((key) => !key.revoked_at), gone = keys.keys.length - open.length;
    return card("Keys", button("New key…", make), table(["For", "Speaks as", "May", "Agent", "Since", ""], open, (key) => [key.name, plain(key.speaks_as), (key.scopes || []).join(", "), key.agent ? agents.find((one) => one.id === key.agent)?.name || key.agent : "all", day(key.created_at),
      button("Revoke…", async () => { if (await ask({ title: `Revoke “${key.name}”?`, confirm: "Revoke", danger: true, body: [h("p", { class: "soft" }, "Whoever uses it is out at once, also on open connections.")] })) await act(null, async () => { await remove(`/v1/keys/${encodeURIComponent(key.id)}`); toast("Revoked"); again(); }); }, "danger")]), gone ? h("p", { class: "small faint" }, `${counted(gone, "revoked key")} not shown.`) : null);
  }

  async function make() {
    const said = await ask({ title: "A new key", confirm: "Make it", body: [h("label", { class: "field" }, h("span", {}, "What for"), h("input", { type: "text", name: "name", required: true, autocomplete: "off" })),
      h("label", { class: "field" }, h("span", {}, "Speaks as"), h("select", { name: "speaks_as" }, ["operator", "agent", "host"].map((word) => h("option", { value: word }, cap(word))))),
      h("label", { class: "field" }, h("span", {}, "May"), h("select", { name: "scopes" }, [["read", "Read"], ["read,write", "Read and write"], ["read,write,admin", "Everything"]].map(([value, word]) => h("option", { value }, word)))),
      h("label", { class: "field" }, h("span", {}, "Agent"), h("select", { name: "agent" }, h("option", { value: "" }, "All"), agents.map((one) => h("option", { value: one.name }, one.name))))] });
    if (!said?.name) return;
    const made = await act(null, () => post("/v1/keys", { name: said.name, speaks_as: said.speaks_as, scopes: said.scopes.split(","), ...(said.agent ? { agent: said.agent } : {}) }));
    if (!made) return;
    await ask({ title: "Keep it now", confirm: "I have it", cancel: "", body: [h("p", { class: "soft" }, "It is shown once and cannot be read again."), h("pre", {}, made.secret)] });
    again();
  }

  async function examine() {
    checks.replaceChildren(h("p", { class: "faint small" }, "Storing, looking, forgetting…"));
    const reply = await api.post("doctor", {});
    checks.replaceChildren(h("ul", { class: "items" }, reply.checks.map((check) => h("li", { class: "item" }, h("span", {}, chip(check.ok ? "ok" : "trouble", check.ok ? "accent" : "bad"), ` ${cap(check.name)}`), h("span", { class: "small soft" }, commands(check.detail))))));
  }

  async function backup() {
    copies.replaceChildren(h("p", { class: "faint small" }, "Copying and checking…"));
    try {
      const made = await post("/v1/backups", {});
      copies.replaceChildren(facts([["Where", h("code", {}, made.path)], ["Size", `${(made.bytes / 1e6).toFixed(1)} MB`], ["Holds", `${counted(made.memories, "memory", "memories")} of ${counted(made.agents, "agent")}, every seal checked`], ["SHA-256", h("span", { class: "id" }, `${made.sha256.slice(0, 16)}…`)]]));
    } catch (error) { copies.replaceChildren(empty("No backup was made", error.message)); }
  }

  checks.replaceChildren(empty("Not examined in this visit", "It stores something, restarts, finds it and forgets it: green only if all of that was just seen."));
  copies.replaceChildren(empty("None made in this visit", "A verified copy of the database, beside it. `selfsame restore` puts one back."));
  return { view };
}

const tile = (value, name) => h("div", { class: "tile" }, h("b", {}, value), h("span", {}, name));
