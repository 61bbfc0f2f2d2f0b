// Operations: is everything well, who has a key, what does thinking cost, and what to do when something is late.
import { act, anew, ask, button, card, chip, commands, concerns, empty, every, facts, h, meter, soon, table, toast } from "../dom.js";
import { get, of, post, remove } from "../api.js";
import { cap, counted, day, lasting, plain, when } from "../words.js";

const THINKERS = 10;

export async function open({ api, agent, agents, signal, moved }) {
  // The one that is shown first. A house of hundreds is asked piece by piece.
  const ownFirst = (list) => [...list].sort((one, other) => Number(other.name === agent) - Number(one.name === agent));
  const inOrder = ownFirst(agents);
  let asked = THINKERS;
  const thought = (some) => Promise.all(some.map((one) => of(one.name).get("contemplation", {}, signal).then((is) => ({ name: one.name, is })).catch((error) => { if (error.name === "AbortError") throw error; return { name: one.name, error: error.message }; })));
  const look = async () => {
    const [status, { keys }, { duties }, thinking, heart] = await Promise.all([
      get("/v1/status", {}, signal), get("/v1/keys", {}, signal), get("/v1/duties", {}, signal), thought(inOrder.slice(0, asked)), api.get("heartbeat", {}, signal).catch(() => ({})),
    ]);
    return { status, keys, duties, thinking, paused: Boolean(heart.paused_since) };
  };
  const named = (id) => agents.find((one) => one.id === id)?.name || id;
  const checks = h("div", {}), copies = h("div", {});

  // Words such as "in 3 min" hold for a minute.
  const minute = () => Math.floor(Date.now() / 60000);
  // A table that was unrolled stays so.
  const rowsOf = (box) => [...box.querySelectorAll("*")].find((one) => one.rows instanceof Function);

  // Each part is drawn anew when what it shows has changed, and else left alone.
  const parts = [
    [({ paused }) => paused, ({ paused }) => button(paused ? "Resume the house" : "Pause the house", (event) => act(event.currentTarget, async () => { await post(`/v1/heartbeat/${paused ? "resume" : "pause"}`); toast(paused ? "Hearts may speak again" : "No heart speaks until resumed"); await redraw(); }), paused ? "main" : "")],
    [({ status, paused }) => [status.version, status.database, status.schema, status.duties, status.model, status.clock_skew_seconds, status.agents, paused], statusCard],
    [({ status }) => status.agents, agentCard],
    [({ thinking }) => [thinking, minute()], thinkerCard],
    [({ duties }) => [duties, minute()], dutyCard],
    [({ keys }) => keys, keyCard],
  ].map(([of, draw]) => ({ of, draw, box: h("div", {}) }));
  async function redraw(is) {
    const now = is || await look();
    for (const part of parts) {
      const fresh = JSON.stringify(part.of(now));
      if (fresh === part.was) continue;
      part.was = fresh;
      await anew(part.box, () => part.box.replaceChildren(part.draw(now, part.box)));
    }
  }
  await redraw(await look());
  const [pause, status, agentsBox, thinkers, duties, keys] = parts.map((part) => part.box);
  const view = h("div", { class: "stack" },
    h("div", { class: "room-head", style: { "margin-bottom": 0 } }, h("div", {}, h("h1", {}, "Operations"), h("p", {}, "The house as a whole: what runs, who may come in, what it costs.")), pause),
    status,
    h("div", { class: "grid two" },
      card("Doctor", button("Examine now", (event) => act(event.currentTarget, examine), "main"), checks),
      card("Backup", button("Back up now", (event) => act(event.currentTarget, backup), "main"), copies)),
    agentsBox, thinkers, duties, keys);

  function statusCard({ status, paused }) {
    const { late, dead, all } = status.duties, well = late + dead === 0;
    return card("Status", chip(paused ? "paused" : well ? "all well" : "needs a look", paused ? "warm" : well ? "accent" : "bad"), h("div", { class: "tiles" },
      tile(status.version, "version"), tile(status.database === "sqlite" ? "SQLite" : cap(status.database), `database, schema ${status.schema}`), tile(`${all - late - dead} of ${all}`, "duties on time"), tile(status.model ? status.model.name : "By words", "recall"), tile(status.agents.reduce((sum, one) => sum + one.memories, 0).toLocaleString(), "memories")),
      status.clock_skew_seconds ? h("p", { class: "chip bad" }, `This machine's clock is ${status.clock_skew_seconds} s off.`) : null);
  }

  function agentCard({ status }, box) {
    return card("Agents", [h("span", { class: "small faint" }, counted(status.agents.length, "agent")), button("New agent…", makeAgent)], table(["Name", "Memories", "Beliefs", "Since", ""], ownFirst(status.agents), (one) => {
      const made = agents.find((other) => other.name === one.name);
      return [h("a", { href: `#/${encodeURIComponent(one.name)}/presence` }, one.name), one.memories.toLocaleString(), `${(one.beliefs.active + one.beliefs.stale).toLocaleString()}${one.beliefs.contested ? `, ${one.beliefs.contested} contested` : ""}`, made ? day(made.created_at) : "", one.hearts ? chip([one.hearts.failing ? `${counted(one.hearts.failing, "heart")} failing` : "", one.hearts.missed ? `${counted(one.hearts.missed, "reminder")} missed` : ""].filter(Boolean).join(", "), "bad") : one.name === agent ? chip("shown here", "accent") : ""];
    }, 20, rowsOf(box)));
  }

  // What was used of what a day may cost, in tokens and in time.
  function used(spent, most, words) {
    return h("span", { class: "row" }, most ? meter(spent / most, "used of today's budget", spent > most * 0.8 ? "warm" : "") : null, h("span", { class: "num" }, words));
  }

  function thinkerCard({ thinking }) {
    // The last time, and what keeps the one at hand from being done.
    const last = (is) => is.cycles[0] && { ...is.cycles[0], reason: is.open.find((work) => work.reason)?.reason || is.cycles[0].reason };
    const rows = table(["Agent", "Thinker", "Every", "Next", "Tokens today", "Time today", "The last time"], thinking, ({ name, is, error }) => (error ? [name, error, "", "", "", "", ""] : [name, is.enabled ? plain(is.thinker) : `${plain(is.thinker)}, when asked`, is.every, is.held_since ? chip("held: repeats itself", "warm") : is.next_at ? when(is.next_at) : "",
      used(is.tokens_today, is.daily_tokens, `${is.tokens_today.toLocaleString()}${is.daily_tokens ? ` of ${is.daily_tokens.toLocaleString()}` : ""}`),
      used(is.seconds_today, is.daily_seconds, `${lasting(is.seconds_today)}${is.daily_seconds ? ` of ${lasting(is.daily_seconds)}` : ""} in ${counted(is.exchanges_today, "exchange")}`),
      last(is) ? h("span", {}, `${cap(last(is).outcome)}, ${when(last(is).last_at)}`, last(is).reason ? h("span", { class: "faint" }, `: ${last(is).reason}`) : null) : ""]), 1000);
    return card("Thinkers and budgets", null, rows, thinking.length < inOrder.length ? button(`Show more of ${inOrder.length}`, (event) => act(event.currentTarget, async () => { asked += 40; await redraw(); }), "plain") : null);
  }

  async function makeAgent() {
    const said = await ask({ title: "A new agent", confirm: "Make it", body: [h("label", { class: "field" }, h("span", {}, "Its name: letters, digits, - _ ."), h("input", { type: "text", name: "name", required: true, autocomplete: "off", spellcheck: "false" }))] });
    if (!said?.name) return;
    const made = await act(null, () => post("/v1/agents", { name: said.name }));
    if (made) { toast(`${made.name} is there`); await moved(made.name); }
  }

  function dutyCard({ duties }, box) {
    const order = { dead: 0, late: 1, fine: 2 };
    const sorted = [...duties].sort((one, other) => order[one.health] - order[other.health] || one.kind.localeCompare(other.kind));
    // Who is late is waited for; only what was given up can be begun again.
    const again = (one) => button("Do again", (event) => act(event.currentTarget, async () => {
      const { outcome } = await post(`/v1/duties/${encodeURIComponent(one.id)}/requeue`, {});
      toast(outcome === "requeued" ? "It is tried again, from now" : "Nothing to do: it was begun again already");
      await redraw();
    }));
    const cells = (one) => [cap(one.kind), one.agent ? named(one.agent) : h("span", { class: "faint" }, "the house"), one.rhythm, chip(one.health, one.health === "fine" ? "" : "bad"), one.state === "dead" ? "given up" : when(one.next_at), one.last_done ? when(one.last_done) : "", one.last_error || "",
      one.health === "dead" ? again(one) : ""];
    const head = ["Duty", "Agent", "Rhythm", "Health", "Next", "Last done", "Trouble", ""];
    const many = (health) => duties.filter((one) => one.health === health).length;
    return card("Duties", h("span", { class: "small faint" }, `${many("late")} late, ${many("dead")} dead`), table(head, sorted, cells, 20, rowsOf(box)));
  }

  function keyCard({ keys }, box) {
    const open = keys.filter((key) => !key.revoked_at), gone = keys.length - open.length;
    return card("Keys", button("New key…", make), table(["For", "Speaks as", "May", "Agent", "Since", ""], open, (key) => [key.name, plain(key.speaks_as), (key.scopes || []).join(", "), key.agent ? named(key.agent) : "all", day(key.created_at),
      button("Revoke…", async () => { if (await ask({ title: `Revoke “${key.name}”?`, confirm: "Revoke", danger: true, body: [h("p", { class: "soft" }, "Whoever uses it is out at once, also on open connections.")] })) await act(null, async () => { await remove(`/v1/keys/${encodeURIComponent(key.id)}`); toast("Revoked"); await redraw(); }); }, "danger")], 20, rowsOf(box)), gone ? h("p", { class: "small faint" }, `${counted(gone, "revoked key")} not shown.`) : null);
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
    await act(null, redraw);
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

  checks.replaceChildren(empty("Not examined in this visit", "It stores something, finds it and forgets it: green only if all of that was just seen."));
  copies.replaceChildren(empty("None made in this visit", "A verified copy of the database, beside it. `selfsame restore` puts one back."));
  // Duties and keys have no events: they are asked for.
  every(5, signal, () => redraw());
  const reload = soon(() => redraw(), 500, signal);
  return { view, event(event) { if (concerns(event, "mem", "obs", "epi", "cyc", "agt", "rcp", "wrk")) reload(); } };
}

const tile = (value, name) => h("div", { class: "tile" }, h("b", {}, value), h("span", {}, name));
