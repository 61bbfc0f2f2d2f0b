// Memory: find and see why it was found, look back, decide what is kept, forget for good.
import { act, anew, ask, button, card, chip, concerns, debounce, empty, facts, failed, h, icon, meta, meter, paged, say, sliced, soon, toast } from "../dom.js";
import { FITS, KINDS, cap, clock, counted, day, full, longDay, percent, plain, two, when } from "../words.js";

const TABS = [["search", "Search"], ["timeline", "Timeline"], ["inbox", "Inbox"], ["conversations", "Conversations"], ["summaries", "Summaries"]];
const TYPES = ["identity", "preference", "relationship", "knowledge", "skill", "event", "plan", "question", "context", "episode", "ephemeral", "activity"];
// One colour for one sort of reason, in every answer: its own words, those around it, how they stand, who and when, what it means.
const COLOURS = { words: "var(--accent)", coverage: "var(--faint)", nearby: "var(--cool)", passage: "var(--accent)", sitting: "var(--warm)", phrase: "var(--good)", quoted: "var(--good)", statement: "var(--line-firm)", meaning: "var(--cool)", meaning_around: "var(--warm)" };
const colourOf = (part) => COLOURS[part.part] || "var(--bad)";
const REASONS = 6;
const PAGE = 50;
// What a list that is not paged by the daemon is asked for.
const MOST = 200;

export async function open(room) {
  const { api, path, signal, to } = room;
  const [tab = "search", chosen] = TABS.some(([id]) => id === path[0]) ? path : path[0]?.startsWith("mem_") ? ["one", path[0]] : ["search"];
  const makers = { search, timeline, inbox, conversations, summaries, one };
  const made = await makers[tab](room, chosen);
  const view = h("div", {},
    h("div", { class: "room-head" }, h("div", {}, h("h1", {}, "Memory"), h("p", {}, "What it was told and has kept. It fades unless it is used, and can be forgotten for good."))),
    h("nav", { class: "tabs", "aria-label": "Memory" }, TABS.map(([id, name]) => h("a", { href: to("memory", id), "aria-current": id === tab ? "page" : null }, name))), made.view);
  return { ...made, view };
}

export function memoryItem(memory, to, more) {
  return h("a", { class: "item", href: to("memory", memory.id), "data-id": memory.id }, h("span", { class: "clip" }, memory.content), more,
    meta(h("span", {}, plain(memory.type)), h("span", {}, day(memory.created_at)), h("span", {}, `said by ${plain(memory.author)}`), memory.pinned ? chip("pinned", "accent") : null, memory.state !== "active" ? chip(memory.state) : null, memory.private ? chip("private", "warm") : null));
}

// What was found, and what the score is made of.
async function search({ api, signal, to }) {
  const results = h("div", {});
  const input = h("input", { type: "search", placeholder: "What does Maya like to drink?", "aria-label": "Ask its memory", autocomplete: "off", spellcheck: "false", value: sessionStorage.getItem("asked") || "" });
  const mode = h("select", { "aria-label": "What weighs most" }, ["balanced", "recent", "important", "historical", "timeline", "preferences", "identity"].map((word) => h("option", { value: word }, cap(word))));
  let last = 0;
  const begin = () => empty("Ask in your own words", "Each answer shows which words and which neighbours it was found by. Nonsense gets nothing.");
  async function look() {
    const query = input.value.trim(), mine = ++last;
    sessionStorage.setItem("asked", query);
    if (!query) return results.replaceChildren(begin());
    try {
      const load = async (offset = 0) => {
        const reply = await api.post("recall", { query, mode: mode.value, limit: 20, offset }, signal);
        return { items: reply.hits, next: reply.next_offset, reply };
      };
      const first = await load();
      if (mine !== last) return undefined;
      // Told in a sentence: nobody wants every answer read out while a question is being typed.
      say(first.items.length ? `${counted(first.items.length, "answer")}${first.next ? ", and more" : ""}` : "Nothing answers that");
      const list = paged({ load, first, row: hit, roving: true, label: "Answers", none: empty("Nothing answers that", first.reply.note || "Try other words.") });
      return results.replaceChildren(h("p", { class: "small faint", style: { "margin-bottom": ".5rem" } }, `${percent(first.reply.confidence)} sure that there is an answer. Looked for the stems ${first.reply.words.join(", ") || "of no word"}${first.reply.model ? `, and for the meaning by ${first.reply.model}.` : ", by words alone."}`), list);
    } catch (error) {
      if (error.name !== "AbortError") results.replaceChildren(failed(error, look));
    }
    return undefined;
  }
  function hit(found) {
    const parts = found.why.slice(0, REASONS);
    const whole = found.why.reduce((sum, part) => sum + Math.max(0, part.added), 0) || 1;
    const named = (part) => `${FITS[part.part] || plain(part.part)} ${two(part.added)}`;
    const why = h("span", { class: "score" }, h("b", { class: "num", title: "score" }, two(found.score)),
      h("span", { class: "parts", role: "img", "aria-label": `Score ${two(found.score)}, made of ${parts.map(named).join(", ")}` }, parts.map((part) => h("i", { style: { width: `${(Math.max(0, part.added) / whole) * 100}%`, background: colourOf(part) } }))),
      h("span", { class: "small faint made" }, h("span", { class: "nowrap" }, `fit ${two(found.fit)} × standing ${two(found.factor)}`), parts.map((part) => h("span", { class: "nowrap" }, h("i", { class: "spot", style: { background: colourOf(part) } }), named(part)))));
    if (found.layer === "memory") return memoryItem(found, to, why);
    if (found.layer === "observation") return h("a", { class: "item", href: to("beliefs", found.id) }, h("span", {}, found.summary), why, meta(chip("belief", "accent"), KINDS[found.kind], `confidence ${two(found.confidence)}`));
    if (found.layer === "summary") return h("a", { class: "item", href: to("memory", "summaries") }, h("span", { class: "clip" }, found.content), why, meta(chip("summary", "accent"), span(found), `made from ${counted(found.source_count, "source")}`));
    return h("a", { class: "item", href: to("memory", "conversations", found.conversation) }, h("span", { class: "clip" }, found.content), why, meta(chip("message"), found.role, full(found.at)));
  }
  const soon = debounce(look, 220);
  input.addEventListener("input", soon);
  mode.addEventListener("change", look);
  results.replaceChildren(begin());
  const view = h("div", { class: "card" }, h("form", { class: "search", onsubmit: (event) => { event.preventDefault(); look(); } }, input, mode), results);
  return { view, shown() { if (input.value) look(); } };
}

async function timeline({ api, signal, to }) {
  let type = "", state = "";
  let lastDay;
  const load = async (before) => {
    const { memories } = await api.get("memories", { type, state, before, limit: PAGE }, signal);
    return { items: memories, next: memories.length === PAGE ? memories.at(-1).id : undefined };
  };
  const row = (memory, isFirst) => {
    const own = longDay(memory.created_at), fresh = isFirst || own !== lastDay;
    lastDay = own;
    return fresh ? [h("h2", { class: "day" }, own), memoryItem(memory, to)] : memoryItem(memory, to);
  };
  const list = paged({ load, first: await load(), row, roving: true, label: "Memories, the newest first", none: empty("No memory fits", "Tell it something: `selfsame remember \"Maya likes tea\"`, or take a filter away.") });
  const select = (name, words, set) => h("select", { "aria-label": name, onchange: (event) => { set(event.target.value); act(null, list.begin); } }, words.map(([value, word]) => h("option", { value }, word)));
  const view = h("div", { class: "card" }, h("div", { class: "row", style: { "margin-bottom": ".5rem" } },
    select("Type", [["", "Every type"], ...TYPES.map((word) => [word, cap(word)])], (value) => { type = value; }),
    select("State", [["", "Active and stale"], ["active", "Active"], ["stale", "Stale"], ["archived", "Archived"], ["resolved", "Resolved"]], (value) => { state = value; })), list);
  const reload = soon(list.fresh, 60, signal);
  return { view, event(event) { if (concerns(event, "mem")) reload(); } };
}

// One memory, whole.
async function one({ api, signal, to, go }, id) {
  const box = h("div", { class: "stack" });
  let shown;
  async function show() {
    const memory = await api.get(["memories", id], {}, signal).catch((error) => { if (error.status === 404 && shown) return undefined; throw error; });
    const is = JSON.stringify(memory) || "gone";
    if (is === shown) return;
    shown = is;
    await anew(box, () => draw(memory));
  }
  function draw(memory) {
    const back = h("div", {}, h("a", { class: "btn plain", href: to("memory", "timeline") }, icon("back"), "All memories"));
    if (!memory) return box.replaceChildren(back, h("div", { class: "card" }, empty("It is forgotten", "Somebody has just forgotten it for good.")));
    return box.replaceChildren(back,
      card(cap(memory.type), [memory.pinned ? chip("pinned", "accent") : null, chip(memory.state)], h("blockquote", {}, memory.content),
        h("p", { class: "small faint", style: { margin: ".6rem 0 1rem" } }, `Said by ${plain(memory.author)} on ${full(memory.created_at)}, trusted ${two(memory.trust)}. ${counted(memory.sources, "source says", "sources say")} so.`),
        h("div", { class: "row" }, button("Edit…", () => edit(memory)), button(memory.pinned ? "Unpin" : "Pin", (event) => act(event.currentTarget, async () => { await api.post(["memories", id, "pin"], { pinned: !memory.pinned }); toast(memory.pinned ? "It fades again" : "Pinned: it does not fade"); await show(); })),
          ["plan", "question", "activity"].includes(memory.type) && memory.state !== "resolved" ? button("Resolve", (event) => act(event.currentTarget, async () => { await api.post(["memories", id, "resolve"], {}); toast("Done"); await show(); })) : null,
          button("Forget…", () => forget(memory), "danger"))),
      h("div", { class: "grid two" },
        card("How firmly it is held", null, h("div", { class: "row" }, meter(memory.retention, "retention"), h("b", { class: "num" }, percent(memory.retention))),
          h("div", { style: { "margin-top": ".8rem" } }, facts([["Importance", two(memory.importance)], ["Recalled", `${memory.recall_count} days`], ["Last recalled", memory.last_recalled_at ? when(memory.last_recalled_at) : null], ["Stability", `${Math.round(memory.stability_days)} days`], ["Stale", memory.stale_at ? day(memory.stale_at) : "does not fade"], ["Labels", memory.tags?.length ? h("span", { class: "chips" }, memory.tags.map((tag) => chip(tag))) : null], ["Felt", memory.feeling], ["Deadline", memory.expires_at ? full(memory.expires_at) : null], ["Id", h("span", { class: "id" }, memory.id)]]))),
        card("Its story", null, h("ul", { class: "items" }, (memory.history || []).map((change) => h("li", { class: "item" }, h("span", {}, cap(change.state), h("span", { class: "faint" }, `: ${plain(change.reason)}`)), meta(full(change.at)))),
          (memory.further_sources || []).map((source) => h("li", { class: "item" }, h("span", {}, `Also said by ${plain(source.author)}`), meta(full(source.at)))),
          (memory.at_odds_with || []).map((odds) => h("li", { class: "item" }, h("span", {}, "At odds with ", h("a", { href: to("memory", odds.id) }, "another memory")), meta(plain(odds.how)))),
          memory.replaces ? h("li", { class: "item" }, h("a", { href: to("memory", memory.replaces) }, "The edition before")) : null, memory.replaced_by ? h("li", { class: "item" }, h("a", { href: to("memory", memory.replaced_by) }, "The next edition")) : null),
          !(memory.history || []).length && !(memory.further_sources || []).length && !memory.replaces ? h("p", { class: "faint small" }, "Nothing happened to it since.") : null)));
  }
  async function edit(memory) {
    const said = await ask({ title: "A next edition", confirm: "Store", body: [h("p", { class: "soft small" }, "The old words are archived and stay readable as history."), h("label", { class: "field" }, h("span", {}, "Words"), h("textarea", { name: "content", value: memory.content, required: true })),
      h("label", { class: "field" }, h("span", {}, "Type"), h("select", { name: "type" }, TYPES.map((word) => h("option", { value: word, selected: word === memory.type }, cap(word))))), h("label", { class: "field" }, h("span", {}, "Labels, with commas"), h("input", { type: "text", name: "tags", value: (memory.tags || []).join(", ") }))] });
    if (!said) return;
    await act(null, async () => {
      const reply = await api.post(["memories", id, "edit"], { content: said.content, type: said.type, tags: said.tags.split(",").map((tag) => tag.trim()).filter(Boolean) });
      toast("Stored");
      go(reply.id);
    });
  }
  async function forget(memory) {
    const preview = await act(null, () => api.post("forget", { id: memory.id, dry_run: true }));
    if (!preview) return;
    const said = await ask({ title: "Forget for good?", confirm: "Forget", danger: true, body: cascade(preview, memory) });
    if (!said) return;
    await act(null, async () => { await api.post("forget", { id: memory.id }); toast("Forgotten"); go("timeline"); });
  }
  await show();
  const reload = soon(show, 200, signal);
  return { view: box, event(event) { if (event.subject === id || concerns(event)) reload(); } };
}

// What would go, before it goes: counted by kind, and one by one as far as the answer names it.
export function cascade(preview, memory) {
  const counts = (fields, more) => Object.entries(fields || {}).map(([kind, count]) => [`${cap(kind)}${more}`, count]);
  const rows = preview.removed ? [...counts(preview.removed, ""), ...counts(preview.rewritten, ", worked out anew without it")] : [["Memories", preview.memories]];
  const named = (title, list) => (list?.length ? h("div", {}, h("h3", {}, `${title} (${list.length})`), h("ul", { class: "small soft" }, list.slice(0, 12).map((one) => h("li", {}, `– ${plain(one.kind)}: ${one.words || one.id} (${plain(one.why)})`)), list.length > 12 ? h("li", { class: "faint" }, `and ${list.length - 12} more`) : null)) : null);
  return h("div", { class: "stack cascade" }, h("blockquote", {}, memory.content), h("p", { class: "soft" }, "This cannot be undone. With it would go:"),
    h("dl", { class: "facts" }, rows.map(([name, count]) => [h("dt", {}, name), h("dd", { class: "num" }, count)])), named("One by one", preview.going), named("Says the same, and stays", preview.staying));
}

async function inbox({ api, signal }) {
  const body = h("div", {});
  async function show() {
    const { candidates } = await api.get("inbox", { limit: MOST }, signal);
    const list = sliced(candidates, row, "Candidates", empty("The inbox is empty", "What is said in conversations and may be worth keeping waits here for a decision."), { most: MOST });
    const waiting = candidates.length >= MOST ? `The first ${MOST} candidates.` : `${counted(candidates.length, "candidate")} waiting.`;
    await anew(body, () => body.replaceChildren(h("div", { class: "row between", style: { "margin-bottom": ".5rem" } }, h("p", { class: "small faint" }, candidates.length ? `${waiting} What nobody decides on expires.` : ""), candidates.length ? button("Let the rules decide", (event) => act(event.currentTarget, async () => { await api.post("inbox/review", { by_rules: true }); toast("Decided by the rules"); await show(); })) : null), list));
  }
  const decide = (candidate, decision) => (event) => act(event.currentTarget, async () => {
    await api.post("inbox/review", { decisions: [{ id: candidate.id, decision }] });
    toast(decision === "promote" ? "Kept as a memory" : "Rejected");
    await show();
  });
  const row = (candidate) => h("div", { class: "item", "data-id": candidate.id }, h("blockquote", {}, candidate.content),
    meta(meter(candidate.confidence, "confidence"), two(candidate.confidence), plain(candidate.type || candidate.candidate_type), `would become: ${plain(candidate.memory_type)}`, `found by “${plain(candidate.cue)}”`, `expires ${when(candidate.expires_at)}`),
    h("span", { class: "row" }, button("Keep", decide(candidate, "promote"), "main"), button("Reject", decide(candidate, "reject"))));
  await show();
  const view = h("div", { class: "card" }, body);
  const reload = soon(show, 250, signal);
  return { view, event(event) { if (concerns(event, "can")) reload(); } };
}

async function conversations({ api, signal, to }, chosen) {
  if (chosen) return conversation({ api, signal, to }, chosen);
  const load = async (before) => { const reply = await api.get("conversations", { before, limit: PAGE }, signal); return { items: reply.conversations, next: reply.conversations.length === PAGE ? reply.next : undefined }; };
  const row = (one) => h("a", { class: "item", href: to("memory", "conversations", one.id), "data-id": one.id }, h("span", {}, one.title || one.channel || "A conversation"), meta(counted(one.messages, "message"), one.title && one.channel ? `in ${one.channel}` : null, one.last_message_at ? `last ${when(one.last_message_at)}` : `began ${when(one.started_at)}`, one.closed_at ? chip("closed") : null, one.active_until && new Date(one.active_until) > Date.now() ? chip("active", "accent") : null));
  const list = paged({ load, first: await load(), row, roving: true, label: "Conversations", none: empty("No conversation yet", "A host files what is said; `selfsame conversation say` does it by hand.") });
  const reload = soon(list.fresh, 250, signal);
  return { view: h("div", { class: "card" }, list), event(event) { if (concerns(event, "cnv", "msg")) reload(); } };
}

async function conversation({ api, signal, to }, id) {
  let last;
  const load = async (after_seq) => { const reply = await api.get(["conversations", id], { after_seq, limit: PAGE }, signal); last = reply.messages.at(-1)?.seq ?? last; return { items: reply.messages, next: reply.messages.length === PAGE ? reply.next_after_seq : undefined, reply }; };
  const first = await load();
  const row = (message) => h("div", { class: "said-by" }, h("span", { class: "small" }, h("b", {}, message.speaker_name || cap(message.role)), h("br", {}), h("span", { class: "faint" }, clock(message.at), h("br", {}), day(message.at))), h("span", { style: { "white-space": "pre-wrap" } }, message.content));
  const title = ({ conversation: about, participants }) => [counted(about.messages, "message"), participants.length ? `with ${participants.map((one) => one.name).join(", ")}` : null].filter(Boolean).join(", ");
  const about = h("span", { class: "small faint" }, title(first.reply)), { conversation: own } = first.reply;
  const list = paged({ load, first, row, label: "Messages", none: empty("Nothing was said yet") });
  // The newest stand last: where the end is shown, it grows; else it says how long it is now.
  const reload = soon(async () => { await list.grow(last); about.textContent = title(await api.get(["conversations", id], { limit: 1 }, signal)); }, 250, signal);
  const over = soon(list.begin, 250, signal);
  return { event(event) { if (concerns(event)) over(); else if (concerns(event, "msg", "cnv")) reload(); }, view: h("div", { class: "stack" }, h("div", {}, h("a", { class: "btn plain", href: to("memory", "conversations") }, icon("back"), "All conversations")),
    card(own.title || own.channel || "Conversation", about, list)) };
}

const span = ({ from, until }) => (day(from) === day(until) ? day(from) : `${day(from)} to ${day(until)}`);

// Summaries name what they were made from; so do reflections, which look back at a time.
async function summaries({ api, signal, to }) {
  const look = () => Promise.all([api.get("summaries", { limit: MOST }, signal), api.get("reflections", { limit: MOST }, signal)]);
  const link = (source) => (source.startsWith("mem_") ? h("a", { class: "chip", href: to("memory", source) }, "memory") : source.startsWith("epi_") ? h("a", { class: "chip", href: to("self", "episodes", source) }, "episode") : chip({ msg: "message", sum: "summary" }[source.slice(0, 3)] || source.slice(0, 3)));
  const sources = (list) => h("span", { class: "chips" }, list.slice(0, 24).map(link), list.length > 24 ? chip(`${list.length - 24} more`) : null);
  const summary = (one) => {
    const made = h("span", {}, button(`Made from ${counted(one.source_count, "source")}`, (event) => act(event.currentTarget, async () => { made.replaceChildren(sources((await api.get(["summaries", one.id], {}, signal)).sources)); }), "plain"));
    return h("div", { class: "item", "data-id": one.id }, h("blockquote", {}, one.content), one.facts?.length ? h("ul", { class: "small soft" }, one.facts.slice(0, 8).map((fact) => h("li", {}, `– ${fact}`))) : null,
      meta(`of ${one.of === "memories" ? "memories" : `a conversation${one.counterpart ? ` with ${one.counterpart}` : ""}`}`, span(one), `written by ${plain(one.written_by)}`, (one.themes || []).map((theme) => chip(theme))), made);
  };
  const reflection = (one) => h("div", { class: "item" }, h("blockquote", {}, one.content), meta(span(one), counted(one.sources.length, "source")), sources(one.sources));
  const box = h("div", { class: "grid two top" });
  let shown;
  async function show() {
    const [{ summaries: kept }, { reflections }] = await look();
    const is = JSON.stringify([kept, reflections]);
    if (is === shown) return;
    shown = is;
    await anew(box, () => box.replaceChildren(
      card("Summaries", null, sliced(kept, summary, "Summaries", empty("No summary yet", "What is old is folded into summaries by self-care; what is pinned, open or promised stays as it is."), { size: 20, most: MOST })),
      card("Reflections", null, sliced(reflections, reflection, "Reflections", empty("No reflection yet", "They are written when the agent thinks about a time that is over."), { size: 20, most: MOST }))));
  }
  await show();
  const reload = soon(show, 250, signal);
  return { view: box, event(event) { if (concerns(event, "sum", "ref")) reload(); } };
}
