// What happened, as a sentence, and where it can be looked at. Events carry ids and our own words, never content.
import { cap, plain } from "./words.js";

// By what was done, then by what it was done to.
const SENTENCES = {
  remembered: { mem: "Remembered something" }, thought: { epi: "Had time to think" }, ticked: { rcp: "The heart beat" }, nudged: { nud: "Spoke up" },
  believed: { obs: "Formed a belief" }, superseded: { obs: "Changed its mind", mem: "Replaced a memory" }, invalidated: { obs: "Gave up a belief" }, contested: { obs: "A belief is contested" },
  went_stale: { obs: "A belief went stale", mem: "A memory went stale" }, archived: { mem: "Archived a memory" }, resolved: { mem: "Closed what was open" }, revived: { mem: "A memory came back" },
  written: { dia: "Wrote in its diary" }, reflected: { ref: "Looked back on a time" }, learned: { les: "Learned a lesson" }, merged: { les: "Two lessons became one", ent: "Two names are one" },
  judged: { les: "A lesson was judged" }, proposed: { les: "Proposed a lesson" }, summarized: { sum: "Folded memories into a summary" }, said: { msg: "Something was said" }, opened: { cnv: "A conversation began" }, closed: { cnv: "A conversation ended" },
  filed: { can: "Put a candidate in the inbox" }, promoted: { can: "Kept a candidate as a memory" }, rejected: { can: "Rejected a candidate" }, expired: { can: "A candidate expired" }, assigned: { ent: "Sees a relationship anew" },
  added: { sou: "Added to its soul", ent: "Got to know somebody", tdo: "A to-do was added", cal: "Something is in the calendar", pri: "Serves somebody new" },
  removed: { sou: "Took something out of its soul", cal: "Something left the calendar" }, completed: { tdo: "A to-do is done" }, created: { agt: "Came to be" }, forgot: { era: "Forgot for good" },
};
const NOUNS = { mem: "a memory", epi: "an episode", obs: "a belief", msg: "a message", cnv: "a conversation", can: "a candidate", nud: "a nudge", rcp: "a tick", tdo: "a to-do", cal: "the calendar", dia: "a diary entry", sou: "the soul", ent: "somebody it knows", les: "a lesson", ref: "a reflection", sum: "a summary", wrk: "work", cyc: "a time of thinking", pri: "whom it serves", sch: "a reminder", evd: "evidence", agt: "the agent", era: "an erasure", lnk: "a link" };

const kindOf = (event) => (event.subject || "").slice(0, 3);

export function sentence(event) {
  const known = SENTENCES[event.act]?.[kindOf(event)], noun = NOUNS[kindOf(event)];
  return known || `${cap(event.act)}${noun ? `: ${noun}` : ""}`;
}

// Who did it: the agent itself, somebody it serves, or one of its own duties.
export function doer(event) {
  const [who, what] = String(event.actor).replace(/:?[a-z]{3}_[0-9a-z]{20,}/g, "").split(":");
  return who !== "duty" ? `by the ${plain(who)}` : ["heartbeat", "contemplation"].includes(what) ? "on its own" : `on its own, ${plain(what)}`;
}

// The room that shows it, and what to open there.
export function place(event) {
  const id = event.subject;
  const open = { mem: ["memory", id], obs: ["beliefs", id], epi: ["self", "episodes", id], rcp: ["heartbeat", id], nud: ["heartbeat"], pri: ["heartbeat"], cnv: ["memory", "conversations", id], msg: ["memory", "conversations"], can: ["memory", "inbox"], sum: ["memory", "summaries"], ref: ["memory", "summaries"], dia: ["self", "diary"], sou: ["self", "soul"], les: ["self", "lessons"], ent: ["self", "people"], tdo: ["self", "todos"], cal: ["self", "todos"], agt: ["operations"] };
  return event.act === "removed" || event.act === "forgot" ? undefined : open[kindOf(event)];
}
