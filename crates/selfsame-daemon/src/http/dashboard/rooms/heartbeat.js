// Heartbeat: when it looked, what it saw, and why it spoke up or stayed silent.
import { act, anew, ask, button, card, chip, concerns, empty, every, h, meta, paged, soon, toast } from "../dom.js";
import { dayStrip, funnelStep, legend } from "../plots.js";
import { post } from "../api.js";
import { STEPS, cap, clock, counted, full, hourOf, isoDay, plain, setZone, spaced, theZone, when } from "../words.js";

const PAGE = 40;
const NUDGES = 20;
const TODAY_PAGE = 100, MOST_TODAY = 400;

export async function open({ api, path, signal, go, to, again }) {
  const { principals } = await api.get("principals", {}, signal);
  let who = sessionStorage.getItem("principal");
  if (!principals.some((one) => one.id === who)) who = principals.find((one) => one.operator)?.id || principals[0]?.id;
  const house = theZone(), own = principals.find((one) => one.id === who)?.zone || house;
  // Their day, not the agent's.
  setZone(own);
  const load = async (before) => {
    const { receipts } = await api.get("receipts", { principal: who, before, limit: PAGE }, signal);
    return { items: receipts, next: receipts.length === PAGE ? receipts.at(-1).last_at : undefined };
  };
  const [heart, today, first, nudges] = await Promise.all([
    api.get("heartbeat", { principal: who }, signal), todays(), load(), saidSoFar(),
  ]);

  async function saidSoFar(before) {
    return api.get("nudges", { principal: who, all: true, before, limit: NUDGES }, signal);
  }

  async function todays() {
    const day = isoDay(Date.now()), found = [];
    let whole = false;
    // Page by page until yesterday: most days are one page, and no day needs more than some.
    for (let before; found.length < MOST_TODAY;) {
      const { receipts } = await api.get("receipts", { principal: who, before, limit: TODAY_PAGE }, signal);
      const own = receipts.filter((one) => isoDay(one.last_at) === day);
      found.push(...own);
      whole = own.length < TODAY_PAGE;
      if (whole) break;
      before = receipts.at(-1).last_at;
    }
    return Object.assign(found.map((one) => ({ ...one, startsBefore: isoDay(one.first_at) !== day })), { whole });
  }

  const strip = h("div", {});
  const opened = h("div", { class: "stack" });
  const list = paged({ load, first, row, roving: true, label: "Ticks, the newest first", none: empty("No tick yet", "The heart beats while the daemon runs. `selfsame heartbeat tick` lets it beat now.") });
  const controls = h("div", {}), nudgeBox = h("div", {});
  const view = h("div", { class: "stack" },
    h("div", { class: "room-head", style: { "margin-bottom": 0 } }, h("div", {}, h("h1", {}, "Heartbeat"), h("p", {}, "It looks on its own, for no tokens, and mostly stays silent. Each tick leaves a receipt that says why.")),
      principals.length > 1 ? h("label", { class: "row" }, h("span", { class: "small faint" }, "Towards"), h("select", { onchange: (event) => { sessionStorage.setItem("principal", event.target.value); again(); } }, principals.map((one) => h("option", { value: one.id, selected: one.id === who }, one.name)))) : null),
    card("Today", [button("Look now", (event) => act(event.currentTarget, peek)), button("Beat now", (event) => act(event.currentTarget, beat))], strip),
    opened, controls, h("div", { class: "grid two top" }, card("What it said", null, nudgeBox), card("Every tick", null, list)));

  function draw() {
    const next = heart.next_at && isoDay(heart.next_at) === isoDay(Date.now()) ? hourOf(heart.next_at) : undefined;
    strip.replaceChildren(dayStrip(today, { whole: today.whole, now: hourOf(Date.now()), quiet: heart.quiet, next, chosen: path[0], choose: (id) => go(id) }),
      h("div", { class: "row between" }, h("p", { class: "small soft" }, today.length ? tally() : "No tick yet today."), legend(`quiet hours ${heart.quiet}`)));
    anew(controls, () => controls.replaceChildren(control()));
  }

  // A day of very many is not counted to its end, and says so.
  function tally() {
    const ticks = counted(today.reduce((sum, one) => sum + one.ticks, 0), "tick"), spoke = today.filter((one) => one.acts).length;
    return today.whole ? `${ticks} today, ${spoke || "none"} spoke up.` : `At least ${ticks} today: the latest ${counted(today.length, "receipt")} are drawn, ${spoke || "none"} of which spoke up.`;
  }

  function control() {
    const set = (work, told) => async (event) => act(event?.currentTarget, async () => { Object.assign(heart, { muted_at: undefined, snoozed_until: undefined, paused_since: undefined }, await work()); toast(told); draw(); });
    const held = heart.paused_since ? "The whole house is paused." : heart.muted_at ? "Muted." : heart.snoozed_until ? `Snoozed until ${clock(heart.snoozed_until)}.` : "";
    const { score } = heart;
    return h("div", { class: "grid two" },
      card("Next", held ? chip(held, "warm") : null,
        h("p", { class: "claim" }, heart.next_at ? `${cap(when(heart.next_at))}` : "Not set"),
        h("p", { class: "soft" }, heart.next_why ? cap(spaced(heart.next_why)) : "It is looked at once the daemon has run for a moment."),
        h("p", { class: "small faint", style: { "margin-top": ".6rem" } }, [heart.next_at ? full(heart.next_at) : null, `now it is ${plain(heart.period)} for ${heart.principal.name}`, heart.spoke_at ? `last spoke ${when(heart.spoke_at)}` : "has not spoken yet"].filter(Boolean).join(", ")),
        heart.failing ? h("p", { class: "chip bad" }, `It failed ${heart.failing.times} times: ${heart.failing.error}`) : null),
      card("How it may speak", null, h("div", { class: "stack" },
        h("div", { class: "row between" }, h("span", { class: "small soft" }, "Autonomy"), h("div", { class: "seg", role: "group", "aria-label": "Autonomy" }, ["observe", "suggest", "act"].map((word) => h("button", { type: "button", "aria-pressed": String(heart.autonomy === word), onclick: set(() => api.post("heartbeat", { principal: who, autonomy: word }), `Autonomy: ${word}`) }, cap(word))))),
        h("div", { class: "row between" }, h("span", { class: "small soft" }, "Silence"), h("div", { class: "row" },
          heart.muted_at || heart.snoozed_until ? button("Speak again", set(() => api.post("heartbeat/unmute", { principal: who }), "It may speak again"), "main")
            : [["1 h", "1h"], ["4 h", "4h"], ["1 day", "1d"]].map(([name, length]) => button(name, set(() => api.post("heartbeat/snooze", { principal: who, for: length }), `Silent for ${name}`))),
          heart.muted_at ? null : button("Mute", set(() => api.post("heartbeat/mute", { principal: who }), "Muted")))),
        h("div", { class: "row between" }, h("span", { class: "small soft" }, "The whole house"), heart.paused_since
          ? button("Resume", set(async () => { await post("/v1/heartbeat/resume"); return api.get("heartbeat", { principal: who }); }, "The house may speak again"), "main")
          : button("Pause", set(async () => { await post("/v1/heartbeat/pause"); return api.get("heartbeat", { principal: who }); }, "The whole house is silent"))),
        h("p", { class: "small faint" }, score.score === undefined ? "Kept its word: nothing was promised in seven days." : `Kept its word: ${score.score} of 100. In seven days ${score.kept} kept, ${score.broken} broken, ${score.missed} missed, ${score.answered} of ${score.delivered} answered.`))));
  }

  function row(receipt) {
    return h("a", { class: "item", href: to("heartbeat", receipt.id), "data-id": receipt.id, "aria-current": receipt.id === path[0] ? "true" : null },
      h("span", { class: "row between" }, h("span", {}, receipt.acts ? h("b", {}, "Spoke up") : "Silent", h("span", { class: "faint" }, ` at step ${receipt.number}, ${plain(receipt.step)}`)), h("span", { class: "small faint nowrap" }, isoDay(receipt.last_at) === isoDay(Date.now()) ? clock(receipt.last_at) : full(receipt.last_at))),
      h("span", { class: "small soft clip" }, cap(spaced(receipt.reason))),
      receipt.ticks > 1 ? meta(`${receipt.ticks} equal ticks since ${full(receipt.first_at)}`) : null);
  }

  // The steps as a funnel: what came in, what went on, where it was decided.
  function funnel(title, { steps, reason, acts, number }, about) {
    const sum = (list) => list.reduce((total, one) => total + one.count, 0);
    const most = Math.max(1, ...steps.map((step) => sum(step.saw)));
    const seen = new Map(steps.map((step) => [step.number, step]));
    const named = (list) => list.map((one) => `${plain(one.signal)}${one.count > 1 ? ` × ${one.count}` : ""}`).join(", ");
    const rows = STEPS.map((name, place) => {
      const step = seen.get(place);
      const came = step ? sum(step.saw) : 0, gone = step ? sum(step.dropped) : 0, decided = place === number;
      return h("li", { class: step ? "" : "ahead", "data-step": place }, funnelStep(place, came, decided && !acts ? 0 : came - gone, most, Boolean(step), decided, acts),
        h("div", { class: "note" }, h("h3", {}, place === 0 ? "" : `${place}. `, cap(name), step ? h("span", { class: "faint num count" }, came === 0 ? " no signal" : ` ${counted(came, "signal")}${gone ? `, ${came - gone} left` : ""}`) : null, decided ? [" ", chip(acts ? "spoke up here" : "stopped here", acts ? "accent" : "warm")] : null),
          step ? [h("p", { class: "small soft" }, cap(spaced(step.note))), place === 0 && came ? h("p", { class: "small faint" }, `Came in: ${named(step.saw)}`) : null, step.dropped.length ? h("p", { class: "small faint" }, `Left behind: ${named(step.dropped)}`) : null, step.unless ? h("p", { class: "small faint" }, `Unless ${spaced(step.unless)}.`) : null] : h("p", { class: "small faint" }, "Not reached.")));
    });
    return card(title, button("Close", () => { opened.replaceChildren(); if (path[0]) go(); }, "plain"),
      h("p", { class: "claim", style: { "font-size": "var(--t2)" } }, `${acts ? "Spoke up" : "Stayed silent"}: ${spaced(reason)}`), h("p", { class: "small faint", style: { margin: ".3rem 0 1rem" } }, about),
      h("ol", { class: "funnel", "aria-label": "The steps of the decision" }, rows));
  }

  async function show(id) {
    list.list.querySelectorAll(".item").forEach((item) => { if (item.dataset.id === id) item.setAttribute("aria-current", "true"); else item.removeAttribute("aria-current"); });
    if (!id) return opened.replaceChildren();
    const receipt = await api.get(["receipts", id], {}, signal);
    const { period, score } = receipt;
    const shown = funnel(`Receipt of ${full(receipt.last_at)}`, receipt, `${cap(plain(period))}, weight ${score} at the confluence, ${receipt.statements} statements in ${(receipt.took_micros / 1000).toFixed(1)} ms, ${receipt.tokens} tokens. Next look: ${full(receipt.next_at)}, ${spaced(receipt.next_why)}.`);
    opened.replaceChildren(shown);
    shown.setAttribute("tabindex", "-1");
    shown.focus({ preventScroll: true });
    return shown.scrollIntoView({ block: "nearest" });
  }

  async function peek() {
    const tick = await api.post("heartbeat/peek", { principal: who });
    opened.replaceChildren(funnel("If it beat now", tick, "Nothing was written, and nothing was said."));
  }

  async function beat() {
    const tick = await api.post("heartbeat/tick", { principal: who });
    toast(tick.acts ? "It spoke up." : "It stayed silent.");
    await refresh();
    if (tick.receipt) go(tick.receipt);
  }

  function nudge(one) {
    const open = ["waiting", "delivered", "observed", "missed"].includes(one.state);
    const redo = async () => { const { nudges: said } = await saidSoFar(); await anew(nudgeBox, () => nudgeBox.replaceChildren(nudgeList(said))); };
    return h("div", { class: "item", "data-id": one.id }, h("span", { style: { "white-space": "pre-line" } }, one.what), one.why.length ? h("span", { class: "small soft" }, `Because: ${one.why.map((reason) => reason.words).join("; ")}`) : null,
      meta(chip(one.urgency, one.urgency === "immediate" ? "warm" : ""), plain(one.kind), open ? chip(plain(one.state), one.state === "missed" ? "bad" : "accent") : plain(one.state), one.answer ? `“${one.answer}”` : null, when(one.created_at), h("a", { href: to("heartbeat", one.receipt) }, "why")),
      open ? h("span", { class: "row" }, button("Answer…", async () => {
        const said = await ask({ title: "Answer", confirm: "Answer", body: [h("p", { class: "soft" }, one.what), h("label", { class: "field" }, h("span", {}, "In a few words"), h("input", { type: "text", name: "answer", autocomplete: "off" }))] });
        if (said) await act(null, async () => { await api.post(["nudges", one.id, "answer"], said.answer ? { answer: said.answer } : {}); toast("Answered"); await redo(); });
      }, "main"), button("Dismiss", (event) => act(event.currentTarget, async () => { await api.post(["nudges", one.id, "dismiss"], {}); toast("Dismissed"); await redo(); }))) : null);
  }
  const nudgeList = (found) => paged({
    first: { items: found, next: found.length === NUDGES ? found.at(-1).id : undefined }, row: nudge, label: "What it said, the newest first", none: empty("It has said nothing yet", "What it finds worth saying appears here, and can be answered."),
    load: async (before) => { const { nudges: older } = await saidSoFar(before); return { items: older, next: older.length === NUDGES ? older.at(-1).id : undefined }; },
  });

  async function refresh() {
    const [status, fresh, said] = await Promise.all([api.get("heartbeat", { principal: who }, signal), todays(), saidSoFar()]);
    Object.assign(heart, { muted_at: undefined, snoozed_until: undefined, paused_since: undefined, failing: undefined }, status);
    today.splice(0, today.length, ...fresh);
    today.whole = fresh.whole;
    await anew(nudgeBox, () => nudgeBox.replaceChildren(nudgeList(said.nudges)));
    draw();
    await list.fresh();
  }

  // The next look comes nearer while nothing happens, and somebody elsewhere may have muted it.
  async function look() {
    Object.assign(heart, { muted_at: undefined, snoozed_until: undefined, paused_since: undefined, failing: undefined }, await api.get("heartbeat", { principal: who }, signal));
    draw();
  }
  every(10, signal, look);
  const reload = soon(refresh, 250, signal);
  nudgeBox.replaceChildren(nudgeList(nudges.nudges));
  draw();
  if (path[0]) await show(path[0]);
  return {
    view,
    went(next) { setZone(own); path = next; act(null, () => show(next[0])); draw(); return true; },
    event(event) { if (concerns(event, "rcp", "nud", "pri", "hrt", "tdo", "cal", "sch")) reload(); },
    end() { setZone(house); },
  };
}
