// What can be done in the rooms, and what they show of what was done before.
import assert from "node:assert/strict";
import { room, visit } from "./house.mjs";
import { PATIENCE, focused, press, until } from "./hands.mjs";

const toasted = (page, words) => until(page, (wanted) => [...document.querySelectorAll(".toast")].some((one) => one.textContent.includes(wanted)), words, `it says: ${words}`);
// From the beginning of the room, so that the next press is found going forwards.
const fromTop = (page) => page.evaluate(() => document.querySelector("main").focus());
const pressed = async (page, name) => { await fromTop(page); await press(page, name); };

// The line of answers: each of them can be reached and opened by key, an older one shows what came after it and is not judged.
export async function answersOverTime({ house, window }) {
  const claim = (value, content) => house.of("main").post("memories", { content, claim: { subject: "pontoon", kind: "world_fact", slot: "colour", value } });
  await claim("white", "The pontoon is painted white");
  const first = (await house.of("main").get("observations?limit=200")).observations.find((one) => one.subject === "pontoon");
  const page = await visit(window, house, `beliefs/${first.id}`);
  await page.locator(".claim", { hasText: "white" }).waitFor();
  for (const value of ["black", "orange"]) {
    await pressed(page, "Correct…");
    await page.keyboard.type(value);
    await page.keyboard.press("Enter");
    await until(page, (is) => document.querySelector(".claim").textContent.includes(is), value, `now ${value}`);
  }
  const answers = page.locator("svg [role=link]");
  await until(page, () => document.querySelectorAll("svg [role=link]").length === 3, null, "three answers on the line");
  await pressed(page, /white.*superseded/);
  await until(page, () => document.querySelector(".claim").textContent.includes("white"), null, "the first one opens");
  assert.equal(await answers.count(), 3, "with what came after it");
  assert.equal(await page.locator("svg [role=link][aria-current=true]").getAttribute("data-id"), first.id);
  for (const name of ["Confirm", "Correct…", "Useful", "Wrong"]) assert.equal(await page.getByRole("button", { name, exact: true }).count(), 0, `nobody can ${name} what is no longer believed`);
  await page.locator(".notice", { hasText: "Another answer has taken its place" }).getByRole("link").press("Enter");
  await until(page, () => document.querySelector(".claim").textContent.includes("orange"), null, "and the way to the one that did");
  assert.equal(await page.getByRole("button", { name: "Confirm" }).count(), 1);
  assert.deepEqual(page.wrong, []);
  await page.context().close();
}

// A day before anything was believed: the list is that of the day, and what stands beside it says of when it is.
export async function lookingBack({ house, window }) {
  const page = await visit(window, house, "beliefs");
  await page.locator(".anatomy").waitFor();
  const now = await page.locator(".list-side .item").count();
  assert.ok(now > 5);
  assert.equal(await page.locator(".notice").count(), 0);
  await page.getByLabel("As it was believed on a day").press("Home");
  await until(page, (was) => document.querySelectorAll(".list-side .item").length < was, now, "the list is another one");
  assert.equal(await page.locator(".list-side .item").count(), 0, "all of it was said today");
  await page.locator(".notice", { hasText: "what follows is of today" }).waitFor();
  assert.match(await page.locator(".notice").innerText(), /On that day it was not believed yet/);
  assert.equal(await page.getByRole("button", { name: "Confirm" }).count(), 0, "who looks back does not judge");
  await page.getByLabel("As it was believed on a day").press("End");
  await until(page, (was) => document.querySelectorAll(".list-side .item").length === was && !document.querySelector(".notice"), now, "and now it is as it was");
  await page.context().close();
}

// What self-care has folded, and what it was made from.
export async function summaries({ house, window }) {
  const page = await visit(window, house, "memory/summaries");
  const one = page.locator(".item", { hasText: "The lantern walk" });
  await one.waitFor();
  for (const words of ["The lanterns are in the dry shed until next year.", "the harbour", "written by agent"]) assert.ok((await one.innerText()).includes(words), words);
  await one.getByRole("button", { name: "Made from 6 sources" }).press("Enter");
  await until(page, () => document.querySelectorAll(".item a.chip").length >= 6, null, "its sources");
  const sources = one.locator("a.chip");
  assert.equal(await sources.count(), 6);
  await sources.first().press("Enter");
  await page.getByRole("button", { name: "Forget…" }).waitFor();
  assert.match(await page.locator("blockquote").innerText(), /lantern/i);
  assert.equal(await page.locator(".chip", { hasText: "archived" }).count(), 1, "it went to the archive, and is still there");
  // In its place the summary is found.
  await room(page, "memory/search");
  await page.getByLabel("Ask its memory").fill("where does the lantern walk begin?");
  const found = page.locator(".items .item", { hasText: "made from 6 sources" });
  await found.waitFor({ timeout: PATIENCE });
  await found.press("Enter");
  await page.locator(".card", { hasText: "Reflections" }).first().waitFor();
  await page.context().close();
}

// What would go is named in its words before anything goes: also the belief that rests on it alone.
export async function forgetting({ house, window }) {
  const main = house.of("main");
  const made = await main.post("memories", { content: "The code of the gate is under the stone", claim: { subject: "gate code", kind: "world_fact", slot: "place", value: "under the stone" } });
  const belief = (await main.get("observations?limit=200")).observations.find((one) => one.subject === "gate code");
  assert.ok(belief, "a belief was formed");
  const page = await visit(window, house, `memory/${made.id}`);
  const gone = async (path) => (await fetch(`${house.address}/v1/agents/main/${path}`, { headers: { authorization: `Bearer ${house.key}` } })).status >= 400;
  await page.getByRole("button", { name: "Forget…" }).click();
  const dialog = page.locator("dialog .cascade");
  await dialog.getByText("With it would go").waitFor();
  assert.ok(await dialog.locator("dt").count() >= 2, "what would go is counted");
  assert.ok((await dialog.locator("li").allInnerTexts()).some((line) => line.includes("observation") && line.includes(belief.summary)), `and the belief is named: ${await dialog.innerText()}`);
  await page.getByRole("button", { name: "Cancel" }).click();
  const believed = async () => JSON.stringify(await main.get("observations?limit=200&history=true")).includes("under the stone");
  assert.deepEqual([await gone(`memories/${made.id}`), await believed()], [false, true], "looking forgets nothing");
  await page.getByRole("button", { name: "Forget…" }).click();
  await page.locator("dialog").getByRole("button", { name: "Forget", exact: true }).click();
  await until(page, () => location.hash.endsWith("timeline"), null, "it went");
  assert.deepEqual([await gone(`memories/${made.id}`), await believed()], [true, false], "and what rested on it as well");
  await page.context().close();
}

// The heart: when it looks next and why then, how it is silenced, and what it said.
export async function heart({ house, window }) {
  const main = house.of("main");
  await house.mayBeSpokenTo("main");
  for (const title of ["Pay the harbour fee", "Call the pilot"]) await main.post("todos", { title, priority: "high", due: new Date(Date.now() - 3600000).toISOString() });
  await main.post("heartbeat/tick");
  const { next_at: next, next_why: why } = await main.get("heartbeat");
  const page = await visit(window, house, "heartbeat");
  const card = page.locator(".card", { has: page.getByRole("heading", { name: "Next", exact: true }) });
  const said = (await card.innerText()).replaceAll("\n", " ").toLowerCase();
  assert.match(said, /in \d+ (min|h|d)|in a moment|just now/, `when it looks next: ${said}`);
  assert.ok(next && why && said.includes(why.replaceAll("_", " ").toLowerCase().slice(0, 20)), `and why then: ${said} (${why})`);

  await pressed(page, "1 h");
  await page.locator(".chip", { hasText: "Snoozed until" }).waitFor();
  assert.ok((await main.get("heartbeat")).snoozed_until);
  await pressed(page, "Speak again");
  await page.getByRole("button", { name: "1 h", exact: true }).waitFor();
  await pressed(page, "Pause");
  await page.locator(".chip", { hasText: "The whole house is paused." }).waitFor();
  assert.ok((await main.get("heartbeat")).paused_since);
  await pressed(page, "Resume");
  await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
  assert.equal((await main.get("heartbeat")).paused_since, undefined);

  const nudges = async () => (await main.get("nudges?all=true")).nudges;
  const open = (await nudges()).filter((one) => ["waiting", "delivered", "observed", "missed"].includes(one.state));
  assert.ok(open.length >= 1, "it has something to say");
  await pressed(page, "Answer…");
  await page.keyboard.type("Paid this morning");
  await page.keyboard.press("Enter");
  await until(page, () => document.querySelector("main").innerText.includes("“Paid this morning”"), null, "the answer is shown");
  assert.ok((await nudges()).some((one) => one.answer === "Paid this morning"));
  return page;
}

export async function heartActs({ house, window }) {
  const page = await heart({ house, window });
  const main = house.of("main");
  // Another one, to be sent away.
  await main.post("todos", { title: "Scrape the hull", priority: "urgent", due: new Date(Date.now() - 60000).toISOString() });
  const before = (await main.get("nudges?all=true")).nudges.filter((one) => one.state === "dismissed").length;
  for (let tries = 0; tries < 3 && !(await page.getByRole("button", { name: "Dismiss" }).count()); tries += 1) { await main.post("heartbeat/tick"); await page.waitForTimeout(700); }
  if (await page.getByRole("button", { name: "Dismiss" }).count()) {
    await pressed(page, "Dismiss");
    await toasted(page, "Dismissed");
    assert.equal((await main.get("nudges?all=true")).nudges.filter((one) => one.state === "dismissed").length, before + 1);
  } else assert.fail("nothing to dismiss");
  assert.deepEqual(page.wrong, []);
  await page.context().close();
}

// The rest of what can be pressed, with the keys alone.
export async function everyAct({ house, window }) {
  const main = house.of("main"), self = await house.itself(), host = await house.host();
  await main.post("memories", { content: "The dinghy is painted brown", claim: { subject: "dinghy", kind: "world_fact", slot: "colour", value: "brown" } });
  const plan = await main.post("memories", { content: "Sand the rudder before spring", type: "plan" });
  await self.post("lessons", { type: "discovery", lesson: "Wet sand smooths better than dry.", sources: [plan.id] });
  const waiting = async () => (await main.get("inbox?limit=200")).candidates;
  for (const words of ["I prefer the narrow channel.", "We should never tie up at the fuel dock."]) await host.post("messages", { channel: "mooring", role: "user", content: words });
  const belief = (await main.get("observations?limit=200")).observations.find((one) => one.subject === "dinghy");
  const page = await visit(window, house, `beliefs/${belief.id}`);

  await page.locator(".claim", { hasText: "dinghy" }).waitFor();
  await pressed(page, "Useful");
  await toasted(page, "noted as useful");
  await pressed(page, "Wrong");
  await toasted(page, "No longer believed");
  await until(page, () => [...document.querySelectorAll(".notice")].some((one) => one.textContent.includes("no longer believed")), null, "it is not believed, and says so");
  assert.ok(!(await main.get("observations?limit=200")).observations.some((one) => one.subject === "dinghy"));

  await room(page, `memory/${plan.id}`);
  await pressed(page, "Pin");
  await page.getByRole("button", { name: "Unpin" }).waitFor();
  assert.equal(await focused(page), "Unpin", "the focus stays where it was pressed");
  assert.equal((await main.get(`memories/${plan.id}`)).pinned, true);
  await pressed(page, "Unpin");
  await page.getByRole("button", { name: "Pin", exact: true }).waitFor();
  await pressed(page, "Resolve");
  await page.locator(".chip", { hasText: "resolved" }).waitFor();
  assert.equal((await main.get(`memories/${plan.id}`)).state, "resolved");

  await room(page, "memory/inbox");
  const before = (await waiting()).length;
  assert.ok(before >= 2);
  await pressed(page, "Reject");
  await toasted(page, "Rejected");
  await until(page, (was) => [...document.querySelectorAll("main button")].filter((one) => one.textContent === "Reject").length === was - 1, before, "one less");
  assert.equal((await waiting()).length, before - 1);
  await pressed(page, "Let the rules decide");
  await toasted(page, "Decided by the rules");
  assert.ok((await waiting()).length < before - 1, "the rules decided on some of them");

  await room(page, "self/lessons");
  const lesson = page.locator(".item", { hasText: "Wet sand smooths" });
  const sure = async () => Number(await lesson.locator("b.num").innerText());
  for (const [word, better] of [["Right", true], ["Not right", false], ["Did not help", false]]) {
    const was = await sure();
    await lesson.getByRole("button", { name: word, exact: true }).focus();
    await page.keyboard.press("Enter");
    await toasted(page, `${word}: now`);
    await until(page, ([old, up]) => { const is = Number([...document.querySelectorAll(".item")].find((one) => one.textContent.includes("Wet sand")).querySelector("b.num").textContent); return up ? is > old : is < old; }, [was, better], `${word} changes how sure it is`);
  }

  await room(page, "operations");
  await pressed(page, "New agent…");
  await page.keyboard.type("made-by-hand");
  await page.keyboard.press("Enter");
  await until(page, () => location.hash.includes("/made-by-hand/operations"), null, "one is there, and shown");
  await page.locator("th", { hasText: "made-by-hand" }).first().waitFor();
  await room(page, "operations");
  await until(page, () => location.hash.includes("/main/"), null, "back");
  await page.locator(".card", { hasText: "Doctor" }).first().waitFor();
  await pressed(page, "New key…");
  await page.keyboard.type("made at the page");
  await page.keyboard.press("Enter");
  const secret = (await page.locator("dialog pre").innerText()).trim();
  await press(page, "I have it");
  await page.locator("th", { hasText: "made at the page" }).waitFor();
  assert.equal((await fetch(`${house.address}/v1/agents/main/memories?limit=1`, { headers: { authorization: `Bearer ${secret}` } })).status, 200, "the key opens");

  // What is late is waited for; what was given up can be begun again, and whether it was is told.
  await house.raw("UPDATE duties SET state = 'dead', attempts = 12, last_error = 'the broom is broken' WHERE kind = 'sweep_replies'");
  await house.raw("UPDATE duties SET next_at = 1000000 WHERE kind = 'sweep_events' AND state = 'waiting'");
  const row = page.locator("tr", { hasText: "the broom is broken" });
  await row.waitFor({ timeout: PATIENCE });
  assert.equal(await page.getByRole("button", { name: "Do again" }).count(), 1, "only for what is dead");
  assert.ok((await row.innerText()).includes("the house"), "and for whom it is");
  await pressed(page, "Do again");
  await toasted(page, "It is tried again, from now");
  await until(page, () => ![...document.querySelectorAll("main button")].some((one) => one.textContent === "Do again"), null, "it is not dead any more");
  const after = (await house.ask("GET", "/v1/duties")).duties.find((one) => one.kind === "sweep_replies");
  assert.notEqual(after.state, "dead");
  const thinking = await page.locator("tr", { hasText: "command" }).first().innerText();
  assert.match(thinking.replaceAll("\n", " "), /[\d,]+ of 200,000.*\d+ (s|min|h) of 24 h in \d+ exchange/, "what thinking cost, in tokens and in time");
  assert.deepEqual(page.wrong, []);
  await page.context().close();
}
