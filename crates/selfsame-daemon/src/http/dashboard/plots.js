// Pictures of numbers, as SVG that is built node by node. Each says in words what it shows.
import { h, s } from "./dom.js";
import { tint } from "./field.js";
import { clock, cap, day, full, hourOf } from "./words.js";

const scale = (from, to, low, high) => (value) => low + ((value - from) / (to - from || 1)) * (high - low);
// On a phone a plot is drawn narrower, so that its letters stay readable.
const plotWidth = () => (innerWidth < 620 ? 360 : 860);
const round = (value) => Math.round(value * 10) / 10;

// Mood over time: valence is the height, arousal the size of a dot, and the line leads through.
export function moodPlot(episodes, chosen, choose) {
  const width = plotWidth(), height = 236, left = 74, right = 16, top = 14, foot = 30;
  const times = episodes.map((one) => new Date(one.at).getTime());
  const first = Math.min(...times), last = Math.max(...times);
  const x = episodes.length === 1 ? () => (left + width - right) / 2 : scale(first, last, left + 10, width - right - 10);
  const y = scale(-2, 2, height - foot, top);
  const path = episodes.map((one, place) => `${place ? "L" : "M"}${round(x(times[place]))} ${round(y(one.valence))}`).join("");
  const lines = [[-2, "−2 heavy"], [-1, "−1"], [0, "0 even"], [1, "+1"], [2, "+2 joyful"]].map(([value, word]) => [
    s("line", { x1: left, x2: width - right, y1: y(value), y2: y(value), stroke: "var(--line)", "stroke-dasharray": value === 0 ? null : "2 5" }),
    word ? s("text", { x: left - 10, y: y(value) + 4, "text-anchor": "end" }, word) : null]);
  const every = Math.max(1, Math.ceil(episodes.length / (width < 600 ? 3 : 6)));
  const dates = episodes.map((one, place) => (place % every === 0 && (place === 0 || x(times[place]) - x(times[Math.max(0, place - every)]) > 60)
    ? s("text", { x: x(times[place]), y: height - 8, "text-anchor": "middle" }, day(one.at).replace(/,? \d{4}$/, "")) : null));
  const dots = episodes.map((one, place) => s("circle", {
    cx: round(x(times[place])), cy: round(y(one.valence)), r: round(3.5 + one.arousal * 7), fill: `rgb(${tint(one.valence).join(" ")})`, "fill-opacity": 0.85,
    stroke: one.id === chosen ? "var(--ink)" : "var(--card)", "stroke-width": one.id === chosen ? 2.5 : 1.5, class: "strip-mark", onclick: () => choose(one.id),
  }, s("title", {}, `${cap(one.mood)}, ${full(one.at)}`)));
  return s("svg", { class: "plot", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Mood over ${episodes.length} episodes, the latest ${episodes.at(-1)?.mood}. Higher is brighter, larger is more stirred.` },
    lines, s("path", { d: path, fill: "none", stroke: "var(--line-firm)", "stroke-width": 1.5 }), dots, dates);
}

// The ticks of one day: silent ones are short, those that spoke are tall. A run of equal ones is a band.
export function dayStrip(receipts, { whole, now, quiet, next, choose, chosen }) {
  const width = plotWidth(), height = 128, left = 8, right = 8, base = 92;
  const x = scale(0, 24, left, width - right);
  const hours = width < 600 ? [0, 6, 12, 18, 24] : [0, 3, 6, 9, 12, 15, 18, 21, 24];
  const shade = ranges(quiet).map(([from, to]) => s("rect", { x: x(from), y: 12, width: x(to) - x(from), height: base - 12, fill: "var(--sunk)", rx: 4 }));
  const marks = receipts.map((one) => {
    const from = one.startsBefore ? 0 : hourOf(one.first_at), to = Math.max(from, hourOf(one.last_at));
    const name = `${clock(one.last_at)}, ${one.acts ? "spoke up" : "silent"}${one.ticks > 1 ? `, ${one.ticks} ticks` : ""}: ${one.reason}`;
    const tall = one.acts ? 62 : 26;
    const colour = one.acts ? "var(--accent)" : "var(--faint)";
    const shown = Math.min(one.ticks, Math.max(1, Math.floor((x(to) - x(from)) / 5)) + 1);
    const places = Array.from({ length: shown }, (_, place) => (shown === 1 ? x(to) : x(from) + ((x(to) - x(from)) * place) / (shown - 1)));
    return s("g", { class: "strip-mark", onclick: () => choose(one.id) }, s("title", {}, name),
      s("rect", { x: x(from) - 4, y: base - 70, width: x(to) - x(from) + 8, height: 74, fill: "transparent" }),
      x(to) - x(from) > 6 ? s("rect", { x: x(from), y: base - 3, width: x(to) - x(from), height: 3, fill: colour, opacity: 0.35 }) : null,
      places.map((at) => s("line", { x1: at, x2: at, y1: base, y2: base - tall, stroke: one.id === chosen ? "var(--ink)" : colour, "stroke-width": one.acts ? 4 : 1.6, "stroke-linecap": "round", opacity: one.acts || one.id === chosen ? 1 : 0.75 })),
      one.acts ? s("circle", { cx: x(to), cy: base - tall, r: 5.5, fill: "var(--accent)" }) : null);
  });
  const needle = s("g", {}, s("line", { x1: x(now), x2: x(now), y1: 8, y2: base + 5, stroke: "var(--warm)", "stroke-width": 1.5 }), s("text", { x: Math.min(x(now) + 5, width - 30), y: 16, style: { fill: "var(--warm)" } }, "now"));
  const to = next !== undefined && next > now ? s("g", {}, s("circle", { cx: x(next), cy: base - 26, r: 4.5, fill: "none", stroke: "var(--accent)", "stroke-width": 1.6, "stroke-dasharray": "2.500 2" }), s("line", { x1: x(next), x2: x(next), y1: base, y2: base - 21, stroke: "var(--accent)", "stroke-dasharray": "2 3" })) : null;
  const spoke = receipts.filter((one) => one.acts).length, ticks = receipts.reduce((sum, one) => sum + one.ticks, 0);
  return s("svg", { class: "plot", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Today: ${whole ? "" : "at least "}${ticks} ticks, ${spoke} of which spoke up. The list below has each.` },
    shade, s("line", { x1: left, x2: width - right, y1: base, y2: base, stroke: "var(--line-firm)" }),
    hours.map((hour) => [s("line", { x1: x(hour), x2: x(hour), y1: base, y2: base + 5, stroke: "var(--line-firm)" }), s("text", { x: x(hour), y: base + 20, "text-anchor": hour === 0 ? "start" : hour === 24 ? "end" : "middle" }, `${String(hour).padStart(2, "0")}:00`)]),
    marks, to, needle);
}

// What the marks of a strip mean, in words.
export function legend(quiet) {
  const entry = (mark, name) => h("li", {}, s("svg", { viewBox: "0 0 18 14", "aria-hidden": "true" }, mark), name);
  return h("ul", { class: "legend" }, entry(s("line", { x1: 9, x2: 9, y1: 13, y2: 5, stroke: "var(--faint)", "stroke-width": 1.8, "stroke-linecap": "round" }), "silent"),
    entry([s("line", { x1: 9, x2: 9, y1: 13, y2: 4, stroke: "var(--accent)", "stroke-width": 3, "stroke-linecap": "round" }), s("circle", { cx: 9, cy: 4, r: 4, fill: "var(--accent)" })], "spoke up"),
    entry(s("circle", { cx: 9, cy: 7, r: 4.5, fill: "none", stroke: "var(--accent)", "stroke-width": 1.6, "stroke-dasharray": "2.500 2" }), "next"),
    entry(s("rect", { x: 1, y: 1, width: 16, height: 12, rx: 2, fill: "var(--sunk)", stroke: "var(--line-firm)" }), quiet));
}

// Quiet hours such as 22:30-07:30, as ranges within one day.
function ranges(quiet) {
  const read = /^(\d+):(\d+)-(\d+):(\d+)/.exec(quiet || "");
  if (!read) return [];
  const [from, to] = [Number(read[1]) + Number(read[2]) / 60, Number(read[3]) + Number(read[4]) / 60];
  return from <= to ? [[from, to]] : [[0, to], [from, 24]];
}

// One step of a funnel: what came in at the top, what goes on at the foot. Each step is a little narrower than the one before,
// so that the way down can be seen where nothing is left behind as well.
export function funnelStep(step, came, went, most, reached, decided, acts) {
  const width = 200, height = 58;
  const wide = (count, place) => (12 + (count / Math.max(1, most)) * (width - 16)) * (1 - place * 0.075);
  const a = wide(came, step) / 2, b = wide(went, step + 1) / 2, c = width / 2;
  const colour = decided && !acts ? "var(--warm)" : "var(--accent)";
  return s("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" }, reached
    ? s("path", { d: `M${c - a} 1.500L${c + a} 1.500L${c + b} ${height - 1.5}L${c - b} ${height - 1.5}Z`, fill: colour, "fill-opacity": decided ? 0.95 : 0.2 + step * 0.055 })
    : s("path", { d: `M${c} 2L${c} ${height - 2}`, stroke: "var(--line-firm)", "stroke-dasharray": "3 5", "vector-effect": "non-scaling-stroke" }));
}

// What took whose place, along a line of time.
export function chain(beliefs, current, choose) {
  const width = innerWidth < 620 ? 350 : 560, row = 58, height = beliefs.length * row + 26;
  const times = beliefs.map((one) => new Date(one.created_at).getTime());
  const from = Math.min(...times), to = Date.now();
  const x = scale(from, to, 12, width - 12);
  const bars = beliefs.map((one, place) => {
    const next = beliefs[place + 1];
    const begin = x(times[place]), end = next ? x(times[place + 1]) : width - 12;
    const y = 8 + place * row, own = one.id === current, words = shorten(one.summary, width < 500 ? 44 : 66);
    // Words begin where the bar begins, unless they would not fit to its right.
    const label = begin + words.length * 6.9 > width - 12 ? { x: width - 12, side: "end" } : { x: begin, side: "start" };
    const span = `${day(one.created_at)}${next ? ` to ${day(next.created_at)}` : ", until now"}`;
    return s("g", { class: "node", tabindex: 0, role: "link", "data-id": one.id, "aria-label": `${one.summary}, ${span}, ${one.status}`, "aria-current": own ? "true" : null, onclick: () => choose(one.id), onkeydown: (event) => { if (event.key === "Enter") { event.preventDefault(); choose(one.id); } } },
      s("rect", { class: "ring", x: 1, y: y - 6, width: width - 2, height: row - 2, rx: 6, fill: "transparent" }), s("title", {}, `${one.summary} (${span})`),
      s("rect", { x: begin, y, width: Math.max(8, end - begin), height: 9, rx: 4.5, fill: own ? "var(--accent)" : "var(--line-firm)" }),
      s("circle", { cx: begin + 4.5, cy: y + 4.5, r: 7, fill: own ? "var(--accent)" : "var(--faint)" }),
      next ? s("path", { d: `M${end} ${y + 9}V${y + row}`, stroke: "var(--line-firm)", "stroke-dasharray": "3 3", fill: "none" }) : null,
      s("text", { class: own ? "strong" : "", x: label.x, y: y + 28, "text-anchor": label.side, style: { "font-size": "13px" } }, words),
      s("text", { x: label.x, y: y + 43, "text-anchor": label.side }, `${day(one.created_at)}, ${one.status}`));
  });
  return s("svg", { class: "plot", viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `${beliefs.length} answers over time` }, bars);
}

const shorten = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

// Who the agent knows: near is trusted, the colour of a line says how far, its width how often they met.
export function people(relations, agent, choose, chosen) {
  const size = innerWidth < 620 ? 400 : 480, c = size / 2;
  const most = Math.max(1, ...relations.map((one) => one.interaction_count));
  const reach = (trust) => (160 - Math.max(-1, Math.min(1, trust)) * 68) * (size / 540);
  const turn = (Math.PI * 2) / relations.length, first = -Math.PI / 2 + (relations.length % 2 ? 0.26 : 0.4);
  const nodes = relations.map((one, place) => ({ ...one, x: c + Math.cos(first + place * turn) * reach(one.trust_level), y: c + Math.sin(first + place * turn) * reach(one.trust_level) }));
  const colour = (trust) => (trust < -0.15 ? "var(--warm)" : trust < 0.35 ? "var(--faint)" : "var(--accent)");
  // Between two of them there is room to say what a ring means.
  const free = first + turn / 2;
  const ring = (trust, name) => [s("circle", { cx: c, cy: c, r: reach(trust), fill: "none", stroke: "var(--line-firm)", "stroke-dasharray": "2 6" }), s("text", { class: "over", x: c + Math.cos(free) * reach(trust), y: c + Math.sin(free) * reach(trust) + 4, "text-anchor": "middle" }, name)];
  return s("svg", { class: "plot", viewBox: `0 0 ${size} ${size}`, role: "group", "aria-label": "Whom the agent knows: nearer is more trusted", style: { "max-width": "34rem", margin: "0 auto" } },
    ring(1, "+1"), ring(0, "0"), ring(-1, "−1"),
    nodes.map((one) => s("line", { x1: c, y1: c, x2: one.x, y2: one.y, stroke: colour(one.trust_level), "stroke-width": 1 + (one.interaction_count / most) * 4, "stroke-opacity": 0.55, "stroke-linecap": "round", "stroke-dasharray": one.trust_level < -0.15 ? "6 6" : null })),
    s("circle", { cx: c, cy: c, r: 30, fill: "var(--accent)" }), s("text", { x: c, y: c + 4, "text-anchor": "middle", "data-on": "--accent", style: { fill: "var(--accent-ink)", "font-weight": 600, "font-size": "13px" } }, shorten(agent, 8)),
    nodes.map((one) => s("g", {
      class: "node", tabindex: 0, role: "button", "data-id": one.entity, "aria-label": `${one.name}: ${one.relationship_type}, trust ${one.trust_level}${one.emotional_tone ? `, ${one.emotional_tone}` : ""}`, "aria-pressed": String(one.entity === chosen),
      onclick: () => choose(one.entity), onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(one.entity); } },
    }, s("circle", { cx: one.x, cy: one.y, r: 24, fill: "transparent" }), s("circle", { cx: one.x, cy: one.y, r: 9 + (one.interaction_count / most) * 8, fill: one.entity === chosen ? colour(one.trust_level) : "var(--card)", stroke: colour(one.trust_level), "stroke-width": 2.2 }),
      s("text", { class: "strong over", x: one.x, y: one.y + (one.y > c ? 32 : -22 - (one.emotional_tone ? 14 : 0)), "text-anchor": "middle", style: { "font-size": "13px", "font-weight": 600 } }, shorten(one.name, 18)),
      one.emotional_tone ? s("text", { class: "over", x: one.x, y: one.y + (one.y > c ? 47 : -22), "text-anchor": "middle" }, shorten(one.emotional_tone, 22)) : null)));
}

// A month of days; those with entries can be opened.
export function monthGrid(first, counted, today, chosen, choose) {
  const [year, number] = first.split("-").map(Number);
  const lead = (new Date(Date.UTC(year, number - 1, 1)).getUTCDay() + 6) % 7;
  const days = new Date(Date.UTC(year, number, 0)).getUTCDate();
  const cells = Array.from({ length: days }, (_, place) => {
    const date = `${first.slice(0, 7)}-${String(place + 1).padStart(2, "0")}`;
    const entries = counted.get(date);
    return h("button", { type: "button", "data-entries": entries || null, "data-today": date === today, disabled: !entries, "aria-pressed": entries ? String(date === chosen) : null, "aria-label": entries ? `${date}, ${entries} ${entries === 1 ? "entry" : "entries"}` : null, onclick: () => choose(date) }, place + 1);
  });
  return h("div", { class: "month" }, ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"].map((name) => h("span", { "aria-hidden": "true" }, name)), Array.from({ length: lead }, () => h("span", { class: "blank" })), cells);
}
