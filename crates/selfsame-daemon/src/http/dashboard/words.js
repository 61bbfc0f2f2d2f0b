// How things are called, and how moments and numbers are written.

let zone;
// Days and hours are those of the agent, wherever the browser is.
export const setZone = (name) => { zone = name; };
export const theZone = () => zone;

const made = new Map();
function format(options) {
  const key = JSON.stringify([zone, options]);
  if (!made.has(key)) {
    let format;
    try { format = new Intl.DateTimeFormat(undefined, { timeZone: zone, ...options }); } catch { format = new Intl.DateTimeFormat(undefined, options); }
    made.set(key, format);
  }
  return made.get(key);
}

export const clock = (moment) => format({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(new Date(moment));
export const day = (moment) => format({ day: "numeric", month: "short", year: "numeric" }).format(new Date(moment));
export const longDay = (moment) => format({ weekday: "long", day: "numeric", month: "long", year: "numeric" }).format(new Date(moment));
export const month = (moment) => format({ month: "long", year: "numeric" }).format(new Date(moment));
export const full = (moment) => `${day(moment)}, ${clock(moment)}`;

// YYYY-MM-DD in the agent's zone.
export function isoDay(moment) {
  const parts = Object.fromEntries(format({ year: "numeric", month: "2-digit", day: "2-digit" }).formatToParts(new Date(moment)).map((part) => [part.type, part.value]));
  return `${parts.year}-${parts.month}-${parts.day}`;
}

// Hours since midnight in the agent's zone.
export function hourOf(moment) {
  const parts = Object.fromEntries(format({ hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }).formatToParts(new Date(moment)).map((part) => [part.type, part.value]));
  return Number(parts.hour) + Number(parts.minute) / 60 + Number(parts.second) / 3600;
}

// Short and true: 3 min ago, in 2 h, 4 Mar.
export function when(moment, now = Date.now()) {
  if (!moment) return "never";
  const seconds = (new Date(moment).getTime() - now) / 1000;
  const far = Math.abs(seconds);
  const said = far < 45 ? "now" : far < 3600 ? `${Math.round(far / 60)} min` : far < 86400 ? `${Math.round(far / 3600)} h` : far < 86400 * 14 ? `${Math.round(far / 86400)} d` : null;
  if (said === null) return day(moment);
  if (said === "now") return seconds > 5 ? "in a moment" : "just now";
  return seconds < 0 ? `${said} ago` : `in ${said}`;
}

export const plain = (word) => String(word || "").replaceAll("_", " ");
export const cap = (word) => { const text = plain(word); return text.charAt(0).toUpperCase() + text.slice(1); };
export const counted = (number, one, many) => `${Number(number).toLocaleString()} ${number === 1 ? one : many || one + "s"}`;
// A length of time: 40 s, 12 min, 1.5 h.
export const lasting = (seconds) => (seconds < 100 ? `${Math.round(seconds)} s` : seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${Number((seconds / 3600).toFixed(1))} h`);
export const percent = (value) => `${Math.round(value * 100)} %`;
export const two = (value) => Number(value).toFixed(2);
export const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;

export const KINDS = {
  operator_preference: "Preferences", project_state: "Projects", tooling_state: "Tools", relationship_fact: "People", self_model: "Itself", world_fact: "The world",
};
export const PARTS = {
  sourceCount: "sources", sourceDiversity: "diversity", supportWeight: "weight of support", recencyWeight: "recency", operatorConfirmedBoost: "confirmed by you", contradictionWeight: "contradiction",
};
// What speaks for an answer of recall.
export const FITS = {
  words: "its words", coverage: "share of the question", nearby: "words nearby", passage: "the passage", sitting: "the sitting", answers: "follows the question", person: "who it is about", own_words: "in their own words", day: "the day", speaks_of_day: "speaks of the day", moment: "names a time", statement: "states something", phrase: "order of words", quoted: "word for word", meaning: "meaning", meaning_around: "meaning around it",
};
// Names of signals stand in sentences with spaces, and what multiplies has its own sign.
export const spaced = (text) => String(text || "").replace(/\b[a-z]+(?:_[a-z]+)+\b/g, plain).replace(/\bx (?=\d)/g, "× ");
export const STEPS = ["may speak at all", "first contact", "critical deadline", "time of day", "conversation", "confluence", "novelty", "topic"];

// A mood in words: how bright, how stirred, how strong.
export const tone = (valence) => (valence <= -1.2 ? "heavy" : valence <= -0.4 ? "a little low" : valence < 0.4 ? "even" : valence < 1.2 ? "bright" : "joyful");
export const pace = (arousal) => (arousal < 0.2 ? "very calm" : arousal < 0.45 ? "calm" : arousal < 0.65 ? "awake" : arousal < 0.85 ? "stirred" : "excited");
export const strength = (energy) => ({ low: "with little energy", medium: "with steady energy", high: "full of energy" })[energy] || "";
export const feeling = (valence, arousal, energy) => `${cap(tone(valence))} and ${pace(arousal)}, ${strength(energy)}`.replace(/, $/, "");
