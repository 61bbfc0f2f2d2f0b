// Self: what it is at heart, how its days went, what it learned, whom it knows, what it has to do.
import { act, anew, button, card, chip, concerns, empty, facts, h, meta, meter, paged, sliced, soon, toast } from "../dom.js";
import { monthGrid, moodPlot, people } from "../plots.js";
import { cap, clock, counted, day, feeling, full, isoDay, longDay, month, plain, signed, two, when } from "../words.js";

// What a list that is not paged by the daemon is asked for.
const DAYS = 1000, LESSONS = 200, TODOS = 500, DATES = 200;
const TABS = [["soul", "Soul"], ["diary", "Diary"], ["episodes", "Episodes"], ["lessons", "Lessons"], ["people", "People"], ["todos", "To-dos", " and calendar"]];

export async function open(room) {
  const { path, to } = room;
  const tab = TABS.some(([id]) => id === path[0]) ? path[0] : "soul";
  const made = await { soul, diary, episodes, lessons, people: known, todos }[tab](room, path[1]);
  const view = h("div", {}, h("div", { class: "room-head" }, h("div", {}, h("h1", {}, "Self"), h("p", {}, "What it holds dear, how its days were, what it learned and whom it knows."))),
    h("nav", { class: "tabs", "aria-label": "Self" }, TABS.map(([id, name, more]) => h("a", { href: to("self", id), "aria-current": id === tab ? "page" : null }, name, more ? h("span", { class: "unphone" }, more) : null))), made.view);
  return { ...made, view };
}

const KINDS = { belief: "I believe", value: "I value", fear: "I fear", conviction: "I am convinced" };

// A page that is one answer: drawn anew when something of these kinds happened and the answer is another one.
async function following(signal, kinds, box, look, draw) {
  let shown;
  async function show() {
    const found = await look(), is = JSON.stringify(found);
    if (is === shown) return;
    shown = is;
    await anew(box, () => draw(found));
  }
  await show();
  const reload = soon(show, 250, signal);
  return { view: box, show, event(event) { if (concerns(event, ...kinds)) reload(); } };
}

async function soul({ api, signal }) {
  const box = h("div", { class: "stack" });
  return following(signal, ["sou"], box, () => api.get("soul", { history: true }, signal), ({ entries }) => drawSoul(box, entries));
}

function drawSoul(box, entries) {
  const kept = entries.filter((entry) => !entry.removed), gone = entries.filter((entry) => entry.removed);
  const row = (entry) => h("div", { class: "item" }, h("blockquote", {}, entry.content), meta(chip(plain(entry.kind), "accent"), `since ${day(entry.created_at)}`, `because ${entry.reason}`),
    entry.removed ? h("span", { class: "small faint" }, `Removed ${day(entry.removed.at)} by ${plain(entry.removed.by)}: ${entry.removed.reason}`) : null);
  const groups = Object.entries(KINDS).map(([kind, title]) => [title, kept.filter((entry) => entry.kind === kind)]).filter(([, list]) => list.length);
  box.replaceChildren(groups.length ? h("div", { class: "grid two" }, groups.map(([title, list]) => card(title, null, sliced(list, row, title)))) : h("div", { class: "card" }, empty("Its soul is empty", "What it is at heart is added one truth at a time: `selfsame soul add`.")),
    ...(gone.length ? [card("No longer part of it", null, sliced(gone, row, "Removed"))] : []));
}

async function diary({ api, signal, to, go }, chosen) {
  let counts, days;
  async function look() {
    ({ days } = await api.get("diary", { limit: DAYS }, signal));
    counts = new Map(days.map((one) => [one.date, one.entries]));
    many.textContent = days.length >= DAYS ? `the latest ${DAYS.toLocaleString()} days` : counted(days.length, "day");
  }
  const many = h("span", { class: "small faint" });
  await look();
  const today = isoDay(Date.now());
  let date = chosen || days[0]?.date;
  let first = `${(date || today).slice(0, 7)}-01`;
  const calendar = h("div", {}), entries = h("div", { class: "stack" });
  const turn = (by) => { const [year, number] = first.split("-").map(Number); const next = new Date(Date.UTC(year, number - 1 + by, 1)); first = `${next.getUTCFullYear()}-${String(next.getUTCMonth() + 1).padStart(2, "0")}-01`; draw(); };
  function draw() {
    calendar.replaceChildren(h("div", { class: "row between", style: { "max-width": "26rem", "margin-bottom": ".5rem" } }, button("‹", () => turn(-1), "plain"), h("b", {}, month(`${first}T12:00:00Z`)), button("›", () => turn(1), "plain")), monthGrid(first, counts, today, date, (one) => go("diary", one)));
    const [back, forth] = calendar.querySelectorAll(".btn");
    back.setAttribute("aria-label", "The month before");
    forth.setAttribute("aria-label", "The month after");
  }
  async function show() {
    draw();
    if (!date) return entries.replaceChildren(h("div", { class: "card" }, empty("The diary is empty", "Its first entry: `selfsame diary write`.")));
    const reply = await api.get(["diary", date], {}, signal);
    return entries.replaceChildren(card(longDay(`${date}T12:00:00Z`), null, h("ul", { class: "items" }, reply.entries.map((entry) => h("li", { class: "item" }, h("blockquote", {}, entry.text), meta(entry.mood ? chip(entry.mood, "accent") : null, clock(entry.created_at), entry.location, entry.private ? chip("private", "warm") : null))))));
  }
  await show();
  const view = h("div", { class: "grid two top" }, card("Days", many, calendar), entries);
  const reload = soon(async () => { await look(); date ||= days[0]?.date; await anew(view, show); }, 250, signal);
  return { view, event(event) { if (concerns(event, "dia")) reload(); }, went(path) { if (path[0] !== "diary") return false; date = path[1] || date; act(null, show); return true; } };
}

function flat(found) {
  const { episode } = found;
  return { id: found.id, at: episode.created_at || episode.began_at, valence: episode.valence || 0, arousal: episode.arousal || 0, mood: episode.mood?.state || "neutral", energy: episode.mood?.energy, kind: episode.type, summary: episode.outcome?.summary || "", episode };
}

async function episodes({ api, signal, go, to }, chosen) {
  const load = async (before) => { const { episodes: found } = await api.get("episodes", { before, limit: 60 }, signal); return { items: found.map(flat), next: found.length === 60 ? found.at(-1).id : undefined }; };
  const first = await load();
  const plot = h("div", {}), detail = h("div", {});
  const row = (one) => h("a", { class: "item", href: to("self", "episodes", one.id), "data-id": one.id }, h("span", { class: "clip" }, one.summary || cap(one.kind)), meta(chip(one.mood, "accent"), plain(one.kind), full(one.at)));
  const list = paged({ load, first, row, roving: true, label: "Episodes", none: empty("It has not thought yet", "Set a thinker in the settings, then `selfsame contemplate now`. `selfsame contemplate status` says what is missing.") });
  const series = [...first.items].reverse();
  async function show(id) {
    if (series.length) plot.replaceChildren(moodPlot(series, id, (one) => go("episodes", one)));
    if (!id) return detail.replaceChildren();
    const { episode } = await api.get(["episodes", id], {}, signal);
    const texts = (title, list) => (list?.length ? [h("h3", { style: { "margin-top": ".8rem" } }, title), h("ul", { class: "soft" }, list.map((text) => h("li", {}, `– ${text}`)))] : null);
    return detail.replaceChildren(card(`${cap(episode.type)}, ${episode.created_at ? full(episode.created_at) : ""}`, [chip(episode.mood?.state || "neutral", "accent"), episode.successful === false || episode.success === false ? chip("came to nothing", "warm") : null],
      h("p", { class: "claim", style: { "font-size": "var(--t2)" } }, episode.outcome?.summary || "Nothing came of it."), h("p", { class: "small faint", style: { margin: ".3rem 0 .6rem" } }, `${feeling(episode.valence || 0, episode.arousal || 0, episode.mood?.energy)}. Begun by: ${episode.trigger}.`),
      texts("Noticed", episode.observations), texts("Did", episode.actions_taken), episode.reflection ? [h("h3", { style: { "margin-top": ".8rem" } }, "Made of it"), h("blockquote", {}, episode.reflection)] : null,
      episode.identity_links?.length ? h("div", { class: "chips", style: { "margin-top": ".8rem" } }, episode.identity_links.map((link) => chip(`${link.name} ${two(link.strength)}`))) : null));
  }
  await show(chosen);
  const curve = h("div", {}, series.length ? card("Mood over time", h("span", { class: "small faint" }, "height: valence, size: arousal"), plot) : null);
  const view = h("div", { class: "stack" }, curve, detail, card("Episodes", null, list));
  const reload = soon(async () => {
    const fresh = await load();
    if (!series.length && fresh.items.length) curve.replaceChildren(card("Mood over time", h("span", { class: "small faint" }, "height: valence, size: arousal"), plot));
    series.splice(0, series.length, ...[...fresh.items].reverse());
    await list.fresh();
    await anew(view, () => show(chosen));
  }, 250, signal);
  return {
    view,
    went(path) { if (path[0] !== "episodes") return false; chosen = path[1]; act(null, () => show(chosen)); return true; },
    event(event) { if (concerns(event, "epi")) reload(); },
  };
}

async function lessons({ api, signal }) {
  const box = h("div", { class: "card" });
  const judge = (lesson, judgement, told, box) => (event) => act(event.currentTarget, async () => { const reply = await api.post(["lessons", lesson.id, "judge"], { judgement }); toast(`${told}: now ${two(reply.confidence)}`); box.replaceChildren(meter(reply.confidence, "confidence"), h("b", { class: "num" }, ` ${two(reply.confidence)}`)); });
  const row = (lesson) => {
    const sure = h("span", {}, meter(lesson.confidence, "confidence"), h("b", { class: "num" }, ` ${two(lesson.confidence)}`));
    return h("div", { class: "item", "data-id": lesson.id }, h("span", { class: "serif", style: { "font-size": "var(--t1)" } }, lesson.lesson), lesson.correction ? h("span", { class: "small soft" }, `Instead: ${lesson.correction}`) : null,
      meta(sure, chip(plain(lesson.type || lesson.kind)), `seen ${lesson.occurrences === 1 ? "once" : `${lesson.occurrences} times`}, last ${when(lesson.last_seen_at)}`, (lesson.tools || []).map((tool) => chip(tool))),
      h("span", { class: "row" }, button("Right", judge(lesson, "up", "Right", sure)), button("Not right", judge(lesson, "down", "Not right", sure)), button("Did not help", judge(lesson, "unhelpful", "Did not help", sure))));
  };
  return following(signal, ["les"], box, () => api.get("lessons", { limit: LESSONS }, signal), ({ lessons: found }) => box.replaceChildren(
    sliced(found, row, "Lessons, the surest first", empty("Nothing learned yet", "Lessons are drawn from what went well and what did not, each with its sources."), { most: LESSONS })));
}

async function known({ api, agent, signal, go }, chosen) {
  const load = async (after) => { const reply = await api.get("relationships", { after, limit: 100 }, signal); return { items: reply.relationships, next: reply.relationships.length === 100 ? reply.next : undefined }; };
  const first = await load();
  // Those who are met most often are in the picture.
  const nearest = (items) => [...items].sort((one, other) => other.interaction_count - one.interaction_count || (one.entity < other.entity ? -1 : 1)).slice(0, 14);
  let near = nearest(first.items);
  const picture = h("div", {}), detail = h("div", {});
  const row = (one) => h("button", { type: "button", class: "item", "data-id": one.entity, onclick: () => go("people", one.entity) }, h("span", { class: "row between" }, h("b", {}, one.name), h("span", { class: "small faint num" }, `trust ${signed(one.trust_level)}`)), meta(chip(plain(one.relationship_type), "accent"), one.emotional_tone, counted(one.interaction_count, "meeting"), `last ${when(one.last_met_at)}`));
  const list = paged({ load, first, row, roving: true, label: "Whom it knows", none: empty("It knows nobody yet", "Whoever speaks in a conversation becomes known; `selfsame relate set` says how it stands to them.") });
  async function show(entity) {
    if (near.length) picture.replaceChildren(people(near, agent, (one) => go("people", one), entity));
    if (!entity) return detail.replaceChildren();
    const relationship = await api.get(["relationships", entity], {}, signal);
    if (entity !== chosen) return undefined;
    const { history } = relationship;
    return detail.replaceChildren(card(relationship.name, chip(plain(relationship.relationship_type), "accent"), h("p", { class: "serif", style: { "font-size": "var(--t1)" } }, relationship.rationale),
      h("div", { style: { "margin-top": ".7rem" } }, facts([["Trust", signed(relationship.trust_level)], ["Tone", relationship.emotional_tone], ["Notes", relationship.relationship_notes], ["Met", `${day(relationship.first_met_at)}, ${counted(relationship.interaction_count, "meeting")}`]])),
      history.length > 1 ? h("ul", { class: "items", style: { "margin-top": ".5rem" } }, history.slice(-20).reverse().map((change) => h("li", { class: "item" }, h("span", {}, change.old_type && change.old_type !== change.new_type ? `${cap(change.old_type)} to ${plain(change.new_type)}` : cap(change.new_type), h("span", { class: "faint" }, `, trust ${signed(change.new_trust)}`)), meta(day(change.at), change.rationale)))) : null));
  }
  await show(chosen);
  const graph = h("div", { class: "grid two top" }, card("Relationships", h("span", { class: "small faint" }, "trusted is near, distrusted dashed, met often wide"), picture), h("div", { class: "stack" }, detail, card("Everybody", null, list)));
  const view = h("div", {}, near.length ? graph : h("div", { class: "card" }, list));
  const reload = soon(async () => {
    const none = !near.length;
    near = nearest((await load()).items);
    if (none && near.length) { graph.lastChild.lastChild.append(list); view.replaceChildren(graph); }
    await list.fresh();
    await anew(view, () => show(chosen));
  }, 250, signal);
  return { view, event(event) { if (concerns(event, "ent", "msg")) reload(); }, went(path) { if (path[0] !== "people") return false; chosen = path[1]; act(null, () => show(chosen)); return true; } };
}

async function todos({ api, signal }) {
  const box = h("div", {}), dates = h("div", {});
  async function show() {
    const [todo, calendar] = await Promise.all([api.get("todos", { limit: TODOS }, signal), api.get("calendar", { limit: DATES }, signal)]);
    await anew(box, () => box.replaceChildren(sliced(todo.todos, (one) => h("div", { class: "item", "data-id": one.id }, h("span", { class: "row between" }, h("span", {}, one.title), button("Done", (event) => act(event.currentTarget, async () => { await api.post(["todos", one.id, "complete"], {}); toast("Done"); await show(); }))),
      one.description ? h("span", { class: "small soft" }, one.description) : null, meta(one.priority !== "normal" ? chip(one.priority, one.priority === "low" ? "" : "warm") : null, one.due_at ? (one.overdue ? chip(`was due ${when(one.due_at)}`, "bad") : `due ${when(one.due_at)}`) : null, one.status === "in_progress" ? chip("in progress", "accent") : null, one.remind ? "with a reminder" : null)), "To-dos", empty("Nothing to do", "`selfsame todo add \"Water the plants\" --due tomorrow`"), { most: TODOS })));
    let last;
    dates.replaceChildren(sliced(calendar.occurrences, (one) => {
      const own = longDay(one.begin), fresh = own !== last;
      last = own;
      return [fresh ? h("h3", { class: "day" }, own) : null, h("div", { class: "item" }, h("span", {}, one.title), meta(one.starts.length === 10 ? "all day" : `${clock(one.begin)}${one.end !== one.begin ? ` to ${clock(one.end)}` : ""}`, one.location, one.recurrence ? "repeats" : null))];
    }, "Calendar", empty("The next two weeks are free", "`selfsame calendar add \"Dinner\" --start 2026-12-24T18:00`"), { most: DATES }));
  }
  await show();
  const view = h("div", { class: "grid two top" }, card("To do", null, box), card("The next two weeks", null, dates));
  const reload = soon(show, 250, signal);
  return { view, event(event) { if (concerns(event, "tdo", "cal", "sch")) reload(); } };
}
