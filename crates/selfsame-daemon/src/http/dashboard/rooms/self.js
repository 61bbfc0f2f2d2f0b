// Self: what it is at heart, how its days went, what it learned, whom it knows, what it has to do.
import { act, button, card, chip, empty, facts, h, meta, meter, paged, toast } from "../dom.js";
import { monthGrid, moodPlot, people } from "../plots.js";
import { cap, clock, counted, day, feeling, full, isoDay, longDay, month, plain, signed, two, when } from "../words.js";

const TABS = [["soul", "Soul"], ["diary", "Diary"], ["episodes", "Episodes"], ["lessons", "Lessons"], ["people", "People"], ["todos", "To-dos", " and calendar"]];

export async function open(room) {
  const { path, to } = room;
  const tab = TABS.some(([id]) => id === path[0]) ? path[0] : "soul";
  const made = await { soul, diary, episodes, lessons, people: known, todos }[tab](room, path[1]);
  const view = h("div", {}, h("div", { class: "room-head" }, h("div", {}, h("h1", {}, "Self"), h("p", {}, "What it holds dear, how its days were, what it learned and whom it knows."))),
    h("nav", { class: "tabs", "aria-label": "Self" }, TABS.map(([id, name, more]) => h("a", { href: to("self", id), "aria-current": id === tab ? "page" : null }, name, more ? h("span", { class: "unphone" }, more) : null))), made.view);
  return { ...made, view };
}

// Shows a list of which all is here, piece by piece.
function sliced(items, row, label, none, size = 30) {
  let at = 0;
  const next = () => { const part = items.slice(at, at + size); at += part.length; return { items: part, next: at < items.length ? at : undefined }; };
  return paged({ load: async () => next(), first: next(), row, label, none });
}

const KINDS = { belief: "I believe", value: "I value", fear: "I fear", conviction: "I am convinced" };

async function soul({ api, signal }) {
  const { entries } = await api.get("soul", { history: true }, signal);
  const kept = entries.filter((entry) => !entry.removed), gone = entries.filter((entry) => entry.removed);
  const row = (entry) => h("div", { class: "item" }, h("blockquote", {}, entry.content), meta(chip(plain(entry.kind), "accent"), `since ${day(entry.created_at)}`, `because ${entry.reason}`),
    entry.removed ? h("span", { class: "small faint" }, `Removed ${day(entry.removed.at)} by ${plain(entry.removed.by)}: ${entry.removed.reason}`) : null);
  const groups = Object.entries(KINDS).map(([kind, title]) => [title, kept.filter((entry) => entry.kind === kind)]).filter(([, list]) => list.length);
  return { view: h("div", { class: "stack" }, groups.length ? h("div", { class: "grid two" }, groups.map(([title, list]) => card(title, null, sliced(list, row, title)))) : h("div", { class: "card" }, empty("Its soul is empty", "What it is at heart is added one truth at a time: `selfsame soul add`.")),
    gone.length ? card("No longer part of it", null, sliced(gone, row, "Removed")) : null) };
}

async function diary({ api, signal, to, go }, chosen) {
  const { days } = await api.get("diary", { limit: 1000 }, signal);
  const counts = new Map(days.map((one) => [one.date, one.entries]));
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
  return { view: h("div", { class: "grid two top" }, card("Days", h("span", { class: "small faint" }, counted(days.length, "day")), calendar), entries), went(path) { if (path[0] !== "diary") return false; date = path[1] || date; act(null, show); return true; } };
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
  return {
    view: h("div", { class: "stack" }, series.length ? card("Mood over time", h("span", { class: "small faint" }, "height: valence, size: arousal"), plot) : null, detail, card("Episodes", null, list)),
    went(path) { if (path[0] !== "episodes") return false; act(null, () => show(path[1])); return true; },
    event(event) { if (event.subject?.startsWith("epi_")) act(null, async () => { const fresh = await load(); series.splice(0, series.length, ...[...fresh.items].reverse()); await list.begin(); await show(chosen); }); },
  };
}

async function lessons({ api, signal }) {
  const { lessons: found } = await api.get("lessons", { limit: 200 }, signal);
  const judge = (lesson, judgement, told, box) => (event) => act(event.currentTarget, async () => { const reply = await api.post(["lessons", lesson.id, "judge"], { judgement }); toast(`${told}: now ${two(reply.confidence)}`); box.replaceChildren(meter(reply.confidence, "confidence"), h("b", { class: "num" }, ` ${two(reply.confidence)}`)); });
  const row = (lesson) => {
    const sure = h("span", {}, meter(lesson.confidence, "confidence"), h("b", { class: "num" }, ` ${two(lesson.confidence)}`));
    return h("div", { class: "item" }, h("span", { class: "serif", style: { "font-size": "var(--t1)" } }, lesson.lesson), lesson.correction ? h("span", { class: "small soft" }, `Instead: ${lesson.correction}`) : null,
      meta(sure, chip(plain(lesson.type || lesson.kind)), `seen ${lesson.occurrences === 1 ? "once" : `${lesson.occurrences} times`}, last ${when(lesson.last_seen_at)}`, (lesson.tools || []).map((tool) => chip(tool))),
      h("span", { class: "row" }, button("Right", judge(lesson, "up", "Right", sure)), button("Not right", judge(lesson, "down", "Not right", sure)), button("Did not help", judge(lesson, "unhelpful", "Did not help", sure))));
  };
  return { view: h("div", { class: "card" }, sliced(found, row, "Lessons, the surest first", empty("Nothing learned yet", "Lessons are drawn from what went well and what did not, each with its sources."))) };
}

async function known({ api, agent, signal, go }, chosen) {
  const load = async (after) => { const reply = await api.get("relationships", { after, limit: 100 }, signal); return { items: reply.relationships, next: reply.relationships.length === 100 ? reply.next : undefined }; };
  const first = await load();
  const near = [...first.items].sort((one, other) => other.interaction_count - one.interaction_count || (one.entity < other.entity ? -1 : 1)).slice(0, 14);
  const picture = h("div", {}), detail = h("div", {});
  const row = (one) => h("button", { type: "button", class: "item", onclick: () => go("people", one.entity) }, h("span", { class: "row between" }, h("b", {}, one.name), h("span", { class: "small faint num" }, `trust ${signed(one.trust_level)}`)), meta(chip(plain(one.relationship_type), "accent"), one.emotional_tone, counted(one.interaction_count, "meeting"), `last ${when(one.last_met_at)}`));
  const list = paged({ load, first, row, roving: true, label: "Whom it knows", none: empty("It knows nobody yet", "Whoever speaks in a conversation becomes known; `selfsame relate set` says how it stands to them.") });
  async function show(entity) {
    if (near.length) picture.replaceChildren(people(near, agent, (one) => go("people", one), entity));
    if (!entity) return detail.replaceChildren();
    const relationship = await api.get(["relationships", entity], {}, signal);
    const { history } = relationship;
    return detail.replaceChildren(card(relationship.name, chip(plain(relationship.relationship_type), "accent"), h("p", { class: "serif", style: { "font-size": "var(--t1)" } }, relationship.rationale),
      h("div", { style: { "margin-top": ".7rem" } }, facts([["Trust", signed(relationship.trust_level)], ["Tone", relationship.emotional_tone], ["Notes", relationship.relationship_notes], ["Met", `${day(relationship.first_met_at)}, ${counted(relationship.interaction_count, "meeting")}`]])),
      history.length > 1 ? h("ul", { class: "items", style: { "margin-top": ".5rem" } }, history.slice(-20).reverse().map((change) => h("li", { class: "item" }, h("span", {}, change.old_type && change.old_type !== change.new_type ? `${cap(change.old_type)} to ${plain(change.new_type)}` : cap(change.new_type), h("span", { class: "faint" }, `, trust ${signed(change.new_trust)}`)), meta(day(change.at), change.rationale)))) : null));
  }
  await show(chosen);
  return { view: near.length ? h("div", { class: "grid two top" }, card("Relationships", h("span", { class: "small faint" }, "trusted is near, distrusted dashed, met often wide"), picture), h("div", { class: "stack" }, detail, card("Everybody", null, list))) : h("div", { class: "card" }, list), went(path) { if (path[0] !== "people") return false; act(null, () => show(path[1])); return true; } };
}

async function todos({ api, signal }) {
  const box = h("div", {}), dates = h("div", {});
  async function show() {
    const [todo, calendar] = await Promise.all([api.get("todos", { limit: 500 }, signal), api.get("calendar", { limit: 200 }, signal)]);
    box.replaceChildren(sliced(todo.todos, (one) => h("div", { class: "item" }, h("span", { class: "row between" }, h("span", {}, one.title), button("Done", (event) => act(event.currentTarget, async () => { await api.post(["todos", one.id, "complete"], {}); toast("Done"); await show(); }))),
      one.description ? h("span", { class: "small soft" }, one.description) : null, meta(one.priority !== "normal" ? chip(one.priority, one.priority === "low" ? "" : "warm") : null, one.due_at ? (one.overdue ? chip(`was due ${when(one.due_at)}`, "bad") : `due ${when(one.due_at)}`) : null, one.status === "in_progress" ? chip("in progress", "accent") : null, one.remind ? "with a reminder" : null)), "To-dos", empty("Nothing to do", "`selfsame todo add \"Water the plants\" --due tomorrow`")));
    let last;
    dates.replaceChildren(sliced(calendar.occurrences, (one) => {
      const own = longDay(one.begin), fresh = own !== last;
      last = own;
      return [fresh ? h("h3", { class: "day" }, own) : null, h("div", { class: "item" }, h("span", {}, one.title), meta(one.starts.length === 10 ? "all day" : `${clock(one.begin)}${one.end !== one.begin ? ` to ${clock(one.end)}` : ""}`, one.location, one.recurrence ? "repeats" : null))];
    }, "Calendar", empty("The next two weeks are free", "`selfsame calendar add \"Dinner\" --start 2026-12-24T18:00`")));
  }
  await show();
  const view = h("div", { class: "grid two top" }, card("To do", null, box), card("The next two weeks", null, dates));
  return { view, event(event) { if (/^(tdo|cal)_/.test(event.subject || "")) { clearTimeout(view.later); view.later = setTimeout(() => act(null, show), 300); } } };
}
