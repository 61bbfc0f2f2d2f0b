// Every field that a room shows, filled with what somebody hopes will run. Each field gets payloads of its own, so that a field
// which is shown nowhere, or which is not shown as it was stored, is told by its name.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { visit } from "./house.mjs";
import { payload } from "./payloads.mjs";

// What takes no such letters. Whatever else refuses one is a surprise.
const REFUSED = ["agent name"];
// What a page never shows, and why.
const UNSEEN = { "memory source": "where it is from is for programs", "lesson context": "the lesson says it", "lesson tag": "for search" };
// What must be seen on this very page: the same words stand elsewhere too.
const ON = { "summary counterpart": "memory/summaries", "duty error": "operations", "thinker trouble": "operations" };

export class Fields {
  constructor() { this.next = 0; this.held = new Map(); this.refused = new Set(); }

  // The next payload, kept as one of this field. Some fields are short.
  bad(field, most = 4000) {
    const number = this.next++;
    this.held.set(field, [...(this.held.get(field) || []), number]);
    return payload(number).slice(0, most);
  }

  // What is refused is not stored, and so not shown.
  async attempt(field, work) {
    try { return await work(); } catch { this.refused.add(field); return undefined; }
  }
}

// An agent whose every field holds something hostile.
export async function poison(house, fields) {
  await house.ask("POST", "/v1/agents", { name: "hostile" });
  await fields.attempt("agent name", () => house.ask("POST", "/v1/agents", { name: fields.bad("agent name", 40) }));
  const main = house.of("hostile"), self = house.of("hostile", (await house.itself(), house.own));
  const key = await house.ask("POST", "/v1/keys", { name: fields.bad("key name", 90), agent: "hostile", speaks_as: "host", scopes: ["read", "write"] });
  const host = house.of("hostile", key.secret);
  const made = { fields };
  // Two hundred of them in one list.
  for (let place = 0; place < 200; place += 1) {
    const kept = await main.post("memories", { content: fields.bad("memory"), type: ["knowledge", "plan", "preference", "event"][place % 4] });
    made.memory ??= kept.id;
  }
  for (let times = 0; times < 6; times += 1) {
    const claim = (value) => ({ claim: { subject: fields.bad("belief subject", 60), kind: "world_fact", slot: "nature", value } });
    await fields.attempt("belief", () => main.post("memories", { content: fields.bad("belief summary"), ...claim(fields.bad("belief value", 80)) }));
  }
  const rival = (value, words) => ({ content: words, claim: { subject: "gate", kind: "world_fact", slot: "state", value } });
  await main.post("memories", rival(fields.bad("belief rival", 80), fields.bad("evidence against")));
  await self.post("memories", rival(fields.bad("belief answer", 80), fields.bad("evidence for")));
  const tagged = await main.post("memories", { content: fields.bad("memory with labels"), tags: [fields.bad("memory label", 60)], source: fields.bad("memory source", 90), feeling: fields.bad("memory feeling", 40) });
  made.tagged = tagged.id;
  made.edited = (await main.post(`memories/${tagged.id}/edit`, { content: fields.bad("memory edition"), type: "knowledge", tags: [fields.bad("memory label", 60)] })).id;
  for (const kind of ["belief", "value", "fear", "conviction"]) await self.post("soul", { content: fields.bad("soul entry"), kind, reason: fields.bad("soul reason") });
  const gone = await self.post("soul", { content: fields.bad("soul entry removed"), kind: "value", reason: fields.bad("soul reason") });
  await self.post(`soul/${gone.id}/remove`, { reason: fields.bad("soul removal") });
  for (let times = 0; times < 3; times += 1) {
    await self.post("diary", { text: fields.bad("diary entry"), mood: fields.bad("diary mood", 60), location: fields.bad("diary location", 60) });
    await main.post("todos", { title: fields.bad("to-do title", 90), description: fields.bad("to-do description"), due: "2027-01-01" });
    await main.post("calendar", { title: fields.bad("calendar title", 90), start: new Date(Date.now() + 86400000 * (times + 1)).toISOString().slice(0, 16), location: fields.bad("calendar location", 90) });
    await fields.attempt("lesson", () => self.post("lessons", { type: "mistake", lesson: fields.bad("lesson"), correction: fields.bad("lesson correction"), context: fields.bad("lesson context"), tags: [fields.bad("lesson tag", 40)], tools: [fields.bad("lesson tool", 40)], sources: [made.memory] }));
    await fields.attempt("reflection", () => self.post("reflections", { content: fields.bad("reflection"), from: "2026-01-01T00:00:00Z", until: "2026-01-02T00:00:00Z", sources: [made.memory] }));
    const name = fields.bad("entity name", 90), channel = fields.bad("conversation channel", 60);
    await fields.attempt("entity name", () => main.post("entities", { name, kind: "person" }));
    await fields.attempt("conversation title", () => host.post("conversations", { channel, title: fields.bad("conversation title", 90) }));
    for (const [role, speaker] of [["user"], ["assistant"], ["peer", name], ["tool"]]) await fields.attempt(`message of ${role}`, () => host.post("messages", { channel, role, speaker, content: fields.bad(`message of ${role}`) }));
    await fields.attempt("candidate", () => host.post("messages", { channel, role: "user", content: `I prefer ${fields.bad("candidate", 90)} over tea.` }));
    await fields.attempt("relationship", () => self.post("relationships", { entity: name, relationship_type: fields.bad("relationship type before", 40), trust_level: 0.1, rationale: fields.bad("relationship history", 300) }));
    await fields.attempt("relationship", () => self.post("relationships", { entity: name, relationship_type: fields.bad("relationship type", 40), trust_level: 0.2, emotional_tone: fields.bad("relationship tone", 40), rationale: fields.bad("relationship rationale", 300), notes: fields.bad("relationship notes", 300) }));
    await fields.attempt("episode", () => house.think({ trigger: fields.bad("episode trigger"), observations: [fields.bad("episode observation")], actions_taken: [fields.bad("episode action")], outcome: { result: "noticed", summary: fields.bad("episode summary") }, mood: { state: fields.bad("episode mood", 60), energy: "high" }, reflection: fields.bad("episode reflection"), identity_links: [{ name: fields.bad("identity link", 60), strength: 0.9 }] }, "hostile"));
  }
  const served = fields.bad("principal name", 60);
  await fields.attempt("principal name", () => main.post("principals", { name: served }));
  made.folded = await folded(house, fields, main);
  await troubled(house, fields);
  // What it says unasked repeats what is due.
  await main.post("todos", { title: fields.bad("nudge", 90), priority: "high", due: new Date(Date.now() - 3600000).toISOString() });
  await house.mayBeSpokenTo("hostile");
  await main.post("heartbeat/tick");
  for (const nudge of (await main.post("nudges/fetch")).nudges) await main.post(`nudges/${nudge.id}/answer`, { answer: fields.bad("nudge answer", 200) });
  return made;
}

// Summaries of memories and of a conversation, with whom, and what is carried on word by word.
async function folded(house, fields, main) {
  const inOneLine = (text) => text.replaceAll(/[,\n]/g, " ");
  let source;
  for (let place = 0; place < 6; place += 1) source = await main.post("memories", { content: `The lantern of shelf ${place}: ${fields.bad("summary source", 200)}`, type: "event" });
  await house.fold("hostile", "memories", "lantern shelf", `Themes: ${inOneLine(fields.bad("summary theme", 55))}\n${fields.bad("summary", 400)}`);
  const counterpart = fields.bad("summary counterpart", 60);
  await main.post("principals", { name: counterpart });
  const theirs = house.of("hostile", (await house.ask("POST", "/v1/keys", { name: "who is folded", agent: "hostile", speaks_as: "host", principal: counterpart, scopes: ["read", "write"] })).secret);
  for (let place = 0; place < 9; place += 1) await theirs.post("messages", { channel: "for the summary", role: place % 2 ? "assistant" : "user", content: `On the ${place + 1}th of May I pay 40: ${fields.bad("message that was folded", 200)}` });
  // What was said just now is not folded.
  await new Promise((go) => setTimeout(go, 1300));
  for (let times = 0; times < 4; times += 1) await house.fold("hostile", "conversations", undefined, `${fields.bad("summary of a conversation", 400)}\nWord by word:\n- ${inOneLine(fields.bad("summary fact", 200))}`).catch((error) => { if (!/nothing/.test(String(error))) throw error; });
  return source.id;
}

// Trouble is told in the words of whoever made it.
async function troubled(house, fields) {
  await house.raw("UPDATE duties SET state = 'dead', last_error = ? WHERE kind = 'sweep_replies'", fields.bad("duty error", 300));
  await house.think({}, "hostile");
  writeFileSync(house.words, "FAIL");
  await house.of("hostile").post("contemplate");
  await house.raw("UPDATE work_items SET reason = ? WHERE state = 'ready'", fields.bad("thinker trouble", 300));
}

// Every page of it, everything opened that opens. Gives the numbers that were on a page.
export async function walk(house, page, rooms, made) {
  const main = house.of("hostile"), seen = new Map();
  let at;
  // What is read and what is said to ears: text, names of pictures, values of fields.
  const collect = async () => {
    const texts = await page.evaluate(() => [document.body.innerText, ...[...document.querySelectorAll("[aria-label], [title], svg title")].map((one) => `${one.getAttribute("aria-label")} ${one.getAttribute("title")} ${one.textContent}`), ...[...document.querySelectorAll("input, textarea, option")].map((one) => one.value + one.textContent)]);
    for (const text of texts) for (const mark of text.matchAll(/mark(\d+)x/g)) seen.set(Number(mark[1]), (seen.get(Number(mark[1])) || new Set()).add(at));
  };
  const look = async (path) => {
    at = path;
    await page.evaluate((to) => { location.hash = `#/hostile/${to}`; }, path);
    await page.waitForFunction((to) => document.querySelector(".rooms a[aria-current]")?.getAttribute("href").includes(`/hostile/${to.split("/")[0]}`) && !document.querySelector("main .wait"), path);
    await page.waitForTimeout(150);
    assert.equal(await page.locator("main .state.bad").count(), 0, path);
    await collect();
  };
  for (const path of rooms) await look(path);
  await look("memory/timeline");
  while (await page.getByRole("button", { name: "Show more" }).count()) {
    const before = await page.locator(".items .item").count();
    await page.getByRole("button", { name: "Show more" }).first().click();
    await page.waitForFunction((was) => document.querySelectorAll(".items .item").length > was, before);
  }
  await collect();
  for (const id of [made.memory, made.folded, made.tagged, made.edited]) await look(`memory/${id}`);
  await page.getByRole("button", { name: "Edit…" }).click();
  await page.locator("dialog").waitFor();
  await collect();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Forget…" }).click();
  await page.locator("dialog .cascade").waitFor();
  await collect();
  await page.keyboard.press("Escape");
  for (const one of (await main.get("observations?limit=50")).observations) await look(`beliefs/${one.id}`);
  await page.getByRole("button", { name: "Correct…" }).click();
  await page.locator("dialog").waitFor();
  await collect();
  await page.keyboard.press("Escape");
  for (const one of (await main.get("conversations")).conversations) await look(`memory/conversations/${one.id}`);
  for (const one of (await main.get("relationships")).relationships) await look(`self/people/${one.entity}`);
  for (const one of (await main.get("episodes")).episodes) await look(`self/episodes/${one.id}`);
  for (const one of (await main.get("diary")).days) await look(`self/diary/${one.date}`);
  for (const one of (await main.get("receipts?limit=3")).receipts) await look(`heartbeat/${one.id}`);
  await look("memory/search");
  await page.getByLabel("Ask its memory").fill("script onerror window");
  await page.locator(".parts").first().waitFor();
  await collect();
  return seen;
}

export async function hostile({ house, window, rooms, figures }) {
  const fields = new Fields();
  const made = await poison(house, fields);
  const page = await visit(window, house, "presence");
  const seen = await walk(house, page, rooms, made);
  assert.equal(await page.evaluate(() => window.ran), undefined, "nothing ran");
  assert.deepEqual(page.wrong, [], "nothing even tried");
  const own = [house.address, house.address.replace("http", "ws"), "data:"];
  assert.deepEqual(page.asked.filter((url) => !own.some((begin) => url.startsWith(begin))), [], "nothing was asked of anybody else");
  assert.equal(await page.locator("main script, main iframe, main object, main img, main style, main link, main form form, main base, main math").count(), 0, "text became no element");
  assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll("*")].flatMap((one) => [...one.attributes]).filter((attribute) => attribute.name.startsWith("on") || /^\s*javascript:/i.test(attribute.value) && attribute.name === "href").map((attribute) => attribute.name)), [], "text became no attribute");
  assert.deepEqual([...fields.refused].filter((field) => !REFUSED.includes(field)), [], "what refuses is known");
  const hidden = [...fields.held].filter(([field, numbers]) => !REFUSED.includes(field) && !(field in UNSEEN) && !numbers.some((number) => (ON[field] ? seen.get(number)?.has(ON[field]) : seen.has(number)))).map(([field]) => field);
  assert.deepEqual(hidden, [], "every field was on a page with its payload");
  const shown = fields.held.get("memory").filter((number) => seen.has(number)).length;
  assert.equal(shown, 200, "all of the long list");
  figures.push(["stored scripts shown and not run", `${seen.size} of ${fields.next} stored, in ${[...fields.held.keys()].length - REFUSED.length} fields`]);
  await page.context().close();
}
