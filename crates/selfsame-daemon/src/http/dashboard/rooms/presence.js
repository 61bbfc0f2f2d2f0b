// Presence: how the agent is, as a body of light and in words, and what happens right now.
import { chip, commands, concerns, every, h, soon } from "../dom.js";
import { field } from "../field.js";
import { doer, place, sentence } from "../happened.js";
import { cap, clock, counted, feeling, full, pace, signed, tone, two, when } from "../words.js";

const SHOWN = 6;
const NEUTRAL = { valence: 0, arousal: 0.2, energy: "medium" };
const LEVELS = { low: 0.2, medium: 0.5, high: 0.85 };

function moodOf(found) {
  const { episode } = found;
  return { valence: episode.valence || 0, arousal: episode.arousal || 0, energy: episode.mood?.energy, state: episode.mood?.state || "neutral" };
}

// What the light means, for whoever would rather read it.
function scales(mood) {
  const scale = (name, kind, part, word, value) => h("div", {}, h("dt", {}, name), h("dd", {}, h("span", { class: `scale ${kind}`, "aria-hidden": "true" }, h("i", { style: { left: `${Math.max(0, Math.min(1, part)) * 100}%` } })), h("span", {}, cap(word), value ? h("span", { class: "faint num" }, ` ${value}`) : null)));
  return [scale("Valence", "hue", (mood.valence + 2) / 4, tone(mood.valence), signed(mood.valence)), scale("Arousal", "", mood.arousal, pace(mood.arousal), two(mood.arousal)), scale("Energy", "", LEVELS[mood.energy] ?? 0.5, mood.energy || "medium", "")];
}

export async function open({ api, agent, to, signal }) {
  const [episodes, card, heart, thinking, events] = await Promise.all([
    api.get("episodes", { limit: 1 }, signal), api.card(signal), api.get("heartbeat", {}, signal).catch(() => null),
    api.get("contemplation", {}, signal).catch(() => null), recent(api, signal),
  ]);
  const canvas = h("canvas", { role: "img" });
  const name = h("h1", { id: "mood" }), words = h("p", {}), story = h("p", { class: "small soft said" }), links = h("ul", { class: "chips", "aria-label": "What it sees itself as" }), dials = h("dl", { class: "scales" });
  const feed = h("ol", { class: "feed", "aria-label": "What happened last" }, events.map((event) => line(event)));
  const count = h("b", {}, card.memories.toLocaleString());
  let light, latest = events[0]?.seq ?? 0;

  function show(found, atOnce) {
    if (!found) {
      name.textContent = "No mood yet";
      words.replaceChildren(...commands(`${agent} has not had time to think. A thinker is set in the settings; \`selfsame contemplate now\` begins.`).map((part) => (part instanceof Node ? part : document.createTextNode(part))));
      canvas.setAttribute("aria-label", "A calm field of light: no mood yet");
      light?.feel(NEUTRAL, atOnce);
      return;
    }
    const mood = moodOf(found);
    name.textContent = cap(mood.state);
    words.textContent = `${feeling(mood.valence, mood.arousal, mood.energy)}.`;
    const at = found.episode.created_at;
    story.replaceChildren(found.episode.outcome?.summary || "", " ", at ? h("time", { class: "faint nowrap", datetime: at, title: full(at) }, when(at)) : "");
    links.replaceChildren(...(found.episode.identity_links || []).slice(0, 6).map((link) => h("li", {}, chip(link.name, link.strength > 0.6 ? "accent" : ""))));
    dials.replaceChildren(...scales(mood));
    canvas.setAttribute("aria-label", `A field of light, ${mood.valence < -0.3 ? "cool" : mood.valence > 0.3 ? "warm" : "even"} and ${mood.arousal > 0.6 ? "restless" : "slow"}: ${mood.state}`);
    light?.feel(mood, atOnce);
  }

  function line(event, isNew) {
    const open = place(event), said = sentence(event);
    return h("li", { class: isNew ? "new" : "" }, h("time", { datetime: event.at }, clock(event.at)), h("span", {}, open ? h("a", { href: to(...open) }, said) : said, h("span", { class: "faint" }, ` ${doer(event)}`)));
  }

  // Moments come nearer by themselves, and are moved by whatever happens.
  let nextLook = heart, nextThought = thinking;
  const beats = h("b", {}), thinks = h("b", {});
  function moments() {
    beats.textContent = nextLook?.next_at ? when(nextLook.next_at) : "not set";
    thinks.textContent = nextThought?.next_at ? when(nextThought.next_at) : nextThought?.enabled ? "soon" : "when asked";
  }
  const askMoments = async () => {
    let now;
    [nextLook, nextThought, now] = await Promise.all([api.get("heartbeat", {}, signal).catch(() => nextLook), api.get("contemplation", {}, signal).catch(() => nextThought), api.card(signal)]);
    count.textContent = now.memories.toLocaleString();
    moments();
  };
  const reload = soon(askMoments, 300, signal);
  every(10, signal, askMoments);
  moments();
  const view = h("div", { class: "presence" },
    h("div", { class: "stage" }, canvas, h("div", { class: "mood" }, name, words, story, links, dials)),
    h("div", { class: "grid two" },
      h("section", { class: "card" }, h("header", {}, h("h2", {}, "Right now")),
        h("div", { class: "tiles pairs" },
          tile(count, "memories", to("memory", "timeline")),
          tile(beats, "next heartbeat", to("heartbeat")),
          tile(thinks, "next time to think", to("self", "episodes")),
          tile(card.principals.length === 1 ? cap(card.principals[0].name) : counted(card.principals.length, "principal"), "whom it serves", to("heartbeat")))),
      h("section", { class: "card" }, h("header", {}, h("h2", {}, "What happens")), events.length ? feed : [feed, h("p", { class: "faint small", id: "nothing-yet" }, "Nothing yet. Tell it something: ", h("code", {}, "selfsame remember \"Maya likes tea\""))])));

  return {
    view,
    shown() { light = field(canvas); show(episodes.episodes[0], true); },
    themed: () => light?.redraw(),
    async event(event) {
      if (event.seq <= latest) return;
      latest = event.seq;
      view.querySelector("#nothing-yet")?.remove();
      feed.prepend(line(event, true));
      while (feed.children.length > SHOWN) feed.lastChild.remove();
      light?.pulse();
      if (concerns(event, "mem", "rcp", "epi", "cyc", "tdo", "cal", "pri", "wrk")) reload();
      if (event.subject?.startsWith("epi_")) show(await api.get(["episodes", event.subject], {}, signal), false);
    },
    end: () => light?.end(),
  };
}

async function recent(api, signal) {
  const { head } = await api.get("events", { limit: 1 }, signal);
  const { events } = await api.get("events", { after: Math.max(0, head - SHOWN), limit: SHOWN }, signal);
  return events.reverse();
}

const tile = (value, name, href) => h("a", { class: "tile", href }, value instanceof Node ? value : h("b", {}, value), h("span", {}, name));
