// Beliefs: what is believed, how far, and what speaks for and against it in the words that were said.
import { act, anew, ask, button, card, chip, concerns, empty, facts, h, icon, meta, meter, paged, soon, table, toast } from "../dom.js";
import { chain } from "../plots.js";
import { KINDS, PARTS, cap, day, full, isoDay, percent, plain, signed, two, when } from "../words.js";

const PAGE = 50;

export async function open({ api, path, signal, go, to }) {
  let chosen = path[0], kind = "", asOf = "";
  const oldest = (await api.card(signal)).created_at;
  const load = async (from = 0) => {
    const { observations } = await api.get("observations", { kind, as_of: asOf, limit: PAGE, offset: from }, signal);
    return { items: observations, next: observations.length === PAGE ? from + PAGE : undefined };
  };
  const list = paged({
    load, row, roving: true, label: "What is believed", first: await load(),
    none: empty("Nothing is believed yet", "Beliefs form from what is said, as evidence adds up. Try `selfsame remember \"I prefer PostgreSQL for the shop\"`."),
  });
  const detail = h("div", { class: "stack", "aria-live": "off" });
  const side = h("div", { class: "list-side card" }, filters(), list);
  const split = h("div", { class: "split" }, side, detail);
  const view = h("div", {}, h("div", { class: "room-head" }, h("div", {}, h("h1", {}, "Beliefs"), h("p", {}, "What it takes to be so, how sure it is, and the words that speak for and against."))), split);

  function filters() {
    const chips = h("div", { class: "chips", role: "group", "aria-label": "Kind" }, [["", "All"], ...Object.entries(KINDS)].map(([value, name]) => h("button", {
      type: "button", class: "chip", "aria-pressed": String(value === kind), onclick: (event) => {
        kind = value;
        chips.querySelectorAll("button").forEach((one) => one.setAttribute("aria-pressed", String(one === event.currentTarget)));
        act(null, list.begin);
      },
    }, name)));
    const days = Math.max(1, Math.ceil((Date.now() - new Date(oldest).getTime()) / 86400000));
    const told = h("output", { class: "small soft nowrap" }, "now");
    const slider = h("input", { type: "range", min: 0, max: days, step: 1, value: String(days), "aria-label": "As it was believed on a day", "aria-valuetext": "now" });
    const moved = () => {
      const back = days - Number(slider.value);
      asOf = back === 0 ? "" : isoDay(Date.now() - back * 86400000);
      const words = back === 0 ? "now" : day(Date.now() - back * 86400000);
      told.textContent = words;
      slider.setAttribute("aria-valuetext", words);
    };
    slider.addEventListener("input", moved);
    // What stands beside the list is of today, and says so.
    slider.addEventListener("change", () => act(null, async () => { await list.begin(); await show(chosen); }));
    return h("div", { class: "stack tight", style: { "margin-bottom": "var(--s2)" } }, chips, h("label", { class: "row", style: { "flex-wrap": "nowrap" } }, h("span", { class: "small faint nowrap" }, "As of"), slider, told));
  }

  function row(belief) {
    return h("a", { class: "item", href: to("beliefs", belief.id), "data-id": belief.id, "aria-current": belief.id === chosen ? "true" : null },
      h("span", { class: "clip" }, belief.summary),
      meta(meter(belief.confidence, "confidence"), h("span", { class: "num" }, two(belief.confidence)), h("span", {}, belief.subject),
        belief.confirmed ? chip("confirmed", "accent") : null, belief.contested ? chip("contested", "warm") : null, ["active", "stale"].includes(belief.status) ? (belief.status === "stale" ? chip("stale") : null) : chip(belief.status, "warm")));
  }

  function mark() {
    list.list.querySelectorAll(".item").forEach((item) => { if (item.dataset.id === chosen) item.setAttribute("aria-current", "true"); else item.removeAttribute("aria-current"); });
    split.classList.toggle("opened", Boolean(path[0]));
  }

  let shown;
  async function show(id) {
    chosen = id;
    mark();
    if (!id) { shown = undefined; return detail.replaceChildren(h("div", { class: "card" }, empty("Choose a belief", "Its anatomy, its evidence and its history are shown here."))); }
    const why = await api.get(["observations", id, "why"], {}, signal).catch((error) => { if (error.status === 404) return undefined; throw error; });
    if (id !== chosen) return undefined;
    if (!why || why.observation.summary === "[forgotten]") { shown = undefined; return detail.replaceChildren(h("div", { class: "card" }, empty("It is believed no more", "What it rested on was forgotten."))); }
    const later = why.observation.status === "superseded" ? await successors(why.observation) : [];
    // What is as it was is left alone, with whatever somebody has unfolded in it.
    const is = JSON.stringify([why, later, asOf]);
    if (is === shown) return undefined;
    shown = is;
    return anew(detail, () => detail.replaceChildren(h("div", { class: "only-narrow" }, h("a", { class: "btn plain", href: to("beliefs") }, icon("back"), "All beliefs")), ...anatomy(why, later)));
  }

  // What took its place, and what took the place of that.
  async function successors(belief) {
    const { observations } = await api.get("observations", { about: belief.subject_type === "agent" ? "self" : belief.subject_type === "global" ? "world" : belief.subject, history: true, limit: 200 }, signal).catch(() => ({ observations: [] }));
    const found = [];
    for (let at = belief; at && found.length < 50;) { at = observations.find((one) => one.supersedes === at.id); if (at) found.push(at); }
    return found;
  }

  // How it stood at the end of the day that is looked back to.
  function lookedBack(why) {
    if (!asOf) return null;
    const then = why.changes.filter((change) => isoDay(change.at) <= asOf).at(-1);
    return h("p", { class: "notice", role: "note" }, `The list is of ${day(`${asOf}T12:00:00Z`)}; what follows is of today. `,
      then ? `On that day it was ${then.to}, with a confidence of ${two(then.confidence)}.` : "On that day it was not believed yet.");
  }

  function anatomy(why, later) {
    const { observation: belief } = why;
    const judge = (judgement, word) => button(word, (event) => act(event.currentTarget, () => judged(belief, judgement)), judgement === "confirm" ? "main" : "");
    const by = (stance) => why.evidence.filter((piece) => piece.stance === stance);
    const answers = [...[...why.before].reverse(), belief, ...later], now = later.at(-1);
    // Who looks back does not judge, and what is no longer believed is not confirmed.
    const judging = asOf ? null : ["active", "stale"].includes(belief.status)
      ? h("div", { class: "row", style: { "margin-top": "1.2rem" } }, judge("confirm", "Confirm"), button("Correct…", () => correct(belief)), judge("useful", "Useful"), button("Wrong", (event) => act(event.currentTarget, () => judged(belief, "wrong")), "danger"))
      : h("p", { class: "notice", style: { "margin-top": "1.2rem" } }, now ? ["Another answer has taken its place: ", h("a", { href: to("beliefs", now.id) }, now.summary)] : "It is no longer believed.");
    return [
      lookedBack(why),
      card(plain(KINDS[belief.kind] || belief.kind), [belief.confirmed ? chip("confirmed by you", "accent") : null, belief.contested ? chip("contested", "warm") : null, chip(belief.status, belief.status === "active" ? "" : "warm")],
        h("p", { class: "claim" }, belief.summary),
        h("p", { class: "soft small", style: { margin: ".4rem 0 1rem" } }, `${cap(belief.level)} confidence, ${percent(belief.freshness)} fresh. ${belief.sources} ${belief.sources === 1 ? "source speaks" : "sources speak"} for it, ${belief.against} against. Last said ${when(belief.last_supported_at)}.`),
        bars(why, belief), judging),
      card("Evidence", why.forgotten ? chip(`${why.forgotten} forgotten`) : null, h("div", { class: "grid two" }, column("For", "for", by("support"), "Nothing speaks for it any more."), column("Against", "against", by("contradict"), "Nothing speaks against it.")),
        by("context").length ? h("details", { style: { "margin-top": "1rem" } }, h("summary", { class: "small soft" }, `${by("context").length} that belong to it`), pieces(by("context"))) : null),
      answers.length > 1 || why.conflicts.length ? card("How it came to be", null, answers.length > 1 ? chain(answers, belief.id, (id) => go(id)) : null,
        why.conflicts.length ? h("ul", { class: "items" }, why.conflicts.map((one) => h("li", { class: "item" }, h("span", {}, one.rival === one.value ? "It was denied." : ["The other answer: ", h("b", {}, one.rival)]), meta(`since ${day(one.raised_at)}`, one.settled_at ? `settled ${day(one.settled_at)}: ${plain(one.settled_how)}` : chip("not settled", "warm"))))) : null) : null,
      card("Every change", null, table(["When", "Became", "Confidence", "Why"], [...why.changes].reverse(), (change) => [full(change.at), change.to, two(change.confidence), plain(change.reason)]),
        h("div", { style: { "margin-top": "1rem" } }, facts([["Name", belief.name], ["Answer", belief.value], ["Looked at again", belief.revalidation_due_at ? day(belief.revalidation_due_at) : null], ["Id", h("span", { class: "id" }, belief.id)]]))),
    ].filter(Boolean);
  }

  // Each part begins where the one before ended: the sum is the confidence.
  function bars(why, belief) {
    let at = why.anatomy.base;
    const whole = Math.max(1, why.anatomy.base + why.anatomy.parts.reduce((sum, part) => sum + Math.max(0, part.added), 0));
    const bar = (name, from, to, value, kind) => h("div", { class: kind }, h("span", { class: kind === "sum" ? "" : "soft" }, name),
      h("span", { class: "track", role: "img", "aria-label": `${name} ${value}` }, h("i", { style: { left: `${(Math.min(from, to) / whole) * 100}%`, width: `${(Math.abs(to - from) / whole) * 100}%` } })), h("span", { class: "num" }, value));
    const parts = why.anatomy.parts.filter((part) => part.added !== 0).map((part) => { const from = at; at += part.added; return bar(PARTS[part.part] || part.part, from, at, signed(part.added), part.added < 0 ? "minus" : "plus"); });
    return h("div", { class: "anatomy", "data-confidence": two(belief.confidence) }, bar("to begin with", 0, why.anatomy.base, two(why.anatomy.base), "base"), parts, bar("confidence", 0, belief.confidence, two(belief.confidence), "sum"));
  }

  const column = (title, kind, list, none) => h("div", { class: `evidence ${kind}` }, h("h3", {}, `${title} (${list.length})`), list.length ? pieces(list) : h("p", { class: "faint small" }, none));

  function pieces(list) {
    const first = list.slice(0, 12), rest = list.slice(12);
    const item = (piece) => h("li", { class: piece.withdrawn_at ? "gone" : "" }, h("blockquote", {}, piece.words),
      h("span", { class: "small faint" }, [piece.principal || cap(piece.author), day(piece.said_at), `weight ${two(piece.weight)}`, piece.confirms ? "judgement" : null, piece.withdrawn_at ? `withdrawn ${day(piece.withdrawn_at)}` : null].filter(Boolean).join(", ")));
    const made = h("ul", {}, first.map(item));
    return [made, rest.length ? button(`Show ${rest.length} more`, (event) => { made.append(...rest.map(item)); event.currentTarget.remove(); }, "plain") : null];
  }

  async function judged(belief, judgement, text) {
    const reply = await api.post("feedback", { observation: belief.id, judgement, ...(text ? { text } : {}) });
    toast(judgement === "useful" ? "Thank you: noted as useful." : reply.observation ? `Now ${two(reply.confidence)}, ${reply.level}.` : "No longer believed.");
    const next = reply.observation || belief.id;
    await list.begin();
    if (next !== chosen) go(next); else await show(next);
  }

  async function correct(belief) {
    const said = await ask({ title: "How is it then?", confirm: "Correct", body: [h("p", { class: "soft" }, `Believed: ${belief.summary}`), h("label", { class: "field" }, h("span", {}, "As a sentence, or the bare answer"), h("input", { type: "text", name: "text", required: true, autocomplete: "off" }))] });
    if (said?.text) await act(null, () => judged(belief, "correct", said.text));
  }

  const reload = soon(async () => {
    if (!asOf) await list.fresh();
    mark();
    await show(chosen);
  }, 200, signal);
  const wide = matchMedia("(min-width: 62.01rem)").matches;
  await show(chosen || (wide ? list.list.querySelector(".item")?.dataset.id : undefined));
  return {
    view,
    went(next) { path = next; act(null, () => show(next[0])); return true; },
    // A confirmation from elsewhere is a memory too, and names no belief: whatever is said may have changed the one that is shown.
    event(event) { if (concerns(event, "obs", "mem", "les", "ref", "ent")) reload(); },
  };
}
