// What happens elsewhere is on the page without anybody's doing: in every room, soon, and without taking the focus away.
import assert from "node:assert/strict";
import { room, visit } from "./house.mjs";
import { PATIENCE, until } from "./hands.mjs";

const isLive = (page) => until(page, () => document.querySelector(".live")?.dataset.state === "live", null, "it follows by WebSocket");
const shows = (page, words, what) => until(page, (wanted) => document.querySelector("main").innerText.includes(wanted), words, what || words);

// From the end of a command at the terminal to words on the page. The best of three, because other work may hold one of them up.
export async function withinASecond({ house, window, figures }) {
  const page = await visit(window, house, "memory/timeline");
  await isLive(page);
  const took = [];
  for (const place of ["first", "second", "third"]) {
    const words = `The lighthouse is painted red for the ${place} time`;
    assert.equal(await page.getByText(words).count(), 0);
    // The page itself writes down when it has them: asking it would take longer than it needs.
    await page.evaluate((wanted) => { globalThis.seenAt = undefined; const look = () => { if (document.querySelector("main").innerText.includes(wanted)) globalThis.seenAt = Date.now(); else requestAnimationFrame(look); }; look(); }, words);
    await house.cli("remember", words);
    const ended = Date.now();
    await until(page, () => globalThis.seenAt, null, words);
    took.push(Math.max(0, (await page.evaluate(() => globalThis.seenAt)) - ended));
  }
  figures.push(["from the end of a command to the page", `${Math.min(...took)} ms at best, of ${took.join(", ")}`]);
  assert.ok(Math.min(...took) < 1000, `a memory appears within a second: ${took.join(", ")} ms`);
  await page.context().close();
}

// A judgement at the terminal emits nothing about the belief itself.
export async function judgedElsewhere({ house, window }) {
  await house.of("main").post("memories", { content: "The jetty is painted grey", claim: { subject: "jetty", kind: "world_fact", slot: "colour", value: "grey" } });
  const found = (await house.of("main").get("observations?limit=200")).observations.find((one) => one.subject === "jetty");
  const page = await visit(window, house, `beliefs/${found.id}`);
  await isLive(page);
  await page.locator(".claim", { hasText: "jetty" }).waitFor();
  const before = Number(await page.locator(".anatomy").getAttribute("data-confidence"));
  await page.getByRole("button", { name: "Confirm" }).focus();
  await house.cli("know", "confirm", found.id);
  await until(page, (was) => Number(document.querySelector(".anatomy").dataset.confidence) > was, before, "the anatomy rises");
  assert.ok(await page.locator(".anatomy", { hasText: "confirmed by you" }).isVisible());
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Confirm", "and the focus is where it was");
  await page.context().close();
}

// Each room and part of one: something happens, and it is there.
export async function everyRoomFollows({ house, window }) {
  const main = house.of("main"), self = await house.itself(), host = await house.host();
  const { id: memory } = await main.post("memories", { content: "The oar locker is on the left" });
  const { conversation } = await host.post("messages", { channel: "quay", role: "user", content: "The tide turns at four." });
  const page = await visit(window, house, "presence");
  await isLive(page);
  const steps = [
    ["presence", "Spoke of bees: bright", () => house.think({ mood: { state: "spoke of bees: bright", energy: "high" }, valence: 1, arousal: 0.5 })],
    ["memory/inbox", "the green buoy", () => host.post("messages", { channel: "quay", role: "user", content: "I prefer the green buoy for mooring." })],
    ["memory/conversations", "North pier", () => host.post("conversations", { channel: "pier", title: "North pier" })],
    [`memory/conversations/${conversation}`, "The fog is lifting.", () => host.post("messages", { channel: "quay", role: "assistant", content: "The fog is lifting." })],
    [`memory/${memory}`, "pinned", () => main.post(`memories/${memory}/pin`, { pinned: true })],
    ["memory/summaries", "A week of fog", () => self.post("reflections", { content: "A week of fog, and what it taught.", from: "2026-01-01T00:00:00Z", until: "2026-01-02T00:00:00Z", sources: [memory] })],
    ["self/soul", "Be early rather than sorry.", () => self.post("soul", { content: "Be early rather than sorry.", kind: "value", reason: "the tide" })],
    ["self/diary", "The fog came back at noon.", () => self.post("diary", { text: "The fog came back at noon." })],
    ["self/episodes", "Fog again", () => house.think({ outcome: { result: "noticed", summary: "Fog again, and nobody minds." } })],
    ["self/lessons", "Read the tide table twice", () => self.post("lessons", { type: "mistake", lesson: "Read the tide table twice.", sources: [memory] })],
    ["self/people", "steady as a rock", () => self.post("relationships", { entity: "Zoe", relationship_type: "friend", trust_level: 0.7, emotional_tone: "steady as a rock", rationale: "She rowed back in the fog." })],
    ["self/todos", "Mend the fog horn", () => main.post("todos", { title: "Mend the fog horn" })],
    ["heartbeat", "Muted.", () => main.post("heartbeat/mute").then(() => main.post("heartbeat/tick"))],
    ["heartbeat", "Suggest", () => main.post("heartbeat/unmute").then(() => main.post("heartbeat/tick"))],
    // Keys have no event: they are asked for every few seconds.
    ["operations", "a key for the fog", () => house.ask("POST", "/v1/keys", { name: "a key for the fog", speaks_as: "operator", scopes: ["read"] })],
  ];
  for (const [path, words, happens] of steps) {
    await room(page, path);
    if (words !== "Suggest") assert.ok(!(await page.locator("main").innerText()).includes(words), `${path} does not have it yet`);
    await happens();
    await shows(page, words, `${path} follows`);
  }
  // What is forgotten leaves whatever shows it.
  await room(page, `memory/${memory}`);
  await main.post("forget", { id: memory });
  await shows(page, "It is forgotten");
  assert.deepEqual(page.wrong, []);
  await page.context().close();
}

// Somebody is in the middle of a list: what arrives does not take the place away, and a longer list says that there is news.
export async function focusStays({ house, window }) {
  const main = house.of("main"), host = await house.host();
  for (let place = 0; place < 60; place += 1) await main.post("memories", { content: `Crate ${place} holds ${place * 3} floats` });
  const page = await visit(window, house, "memory/timeline");
  await isLive(page);
  const on = () => page.evaluate(() => document.activeElement.closest("[data-id]")?.dataset.id);
  await page.locator(".items .item").nth(2).focus();
  const third = await on();
  await main.post("memories", { content: "A gull sits on the mast" });
  await page.locator(".items", { hasText: "A gull sits on the mast" }).waitFor({ timeout: PATIENCE });
  assert.equal(await on(), third, "the same memory, though it is the fourth now");
  assert.equal(await page.evaluate(() => [...document.querySelectorAll(".items .item")].indexOf(document.activeElement)), 3);
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.evaluate(() => [...document.querySelectorAll(".items .item")].indexOf(document.activeElement)), 4, "and the arrows go on from there");

  await page.getByRole("button", { name: "Show more" }).click();
  await until(page, () => document.querySelectorAll(".items .item").length > 60, null, "a second page");
  const at = await on();
  await main.post("memories", { content: "A second gull joins it" });
  await page.getByRole("button", { name: "There is something new: show it" }).waitFor({ timeout: PATIENCE });
  assert.equal(await on(), at, "nothing was thrown away");
  assert.equal(await page.getByText("A second gull joins it").count(), 0);
  await page.getByRole("button", { name: "There is something new: show it" }).press("Enter");
  await page.getByText("A second gull joins it").waitFor({ timeout: PATIENCE });

  for (const words of ["I prefer the short mast.", "I prefer the long oar."]) await host.post("messages", { channel: "loft", role: "user", content: words });
  await room(page, "memory/inbox");
  const row = page.locator(".item", { hasText: "the short mast" });
  await row.getByRole("button", { name: "Reject" }).focus();
  const candidate = await on();
  await host.post("messages", { channel: "loft", role: "user", content: "I prefer the red sail." });
  await page.getByText("the red sail").waitFor({ timeout: PATIENCE });
  assert.deepEqual([await on(), await page.evaluate(() => document.activeElement.textContent)], [candidate, "Reject"], "the same button of the same candidate");
  assert.deepEqual(page.wrong, []);
  await page.context().close();
}

// What arrives moves nothing but the list that it arrives in.
export async function arrivalsMoveNothing({ house, window, figures }) {
  let worst = 0;
  for (const options of [{}, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }]) {
    const page = await visit(window, house, "presence", options);
    await page.addInitScript(() => {
      globalThis.shifts = [];
      new PerformanceObserver((list) => list.getEntries().forEach((entry) => shifts.push([entry.value, entry.sources.filter((source) => source.node && !source.node.parentElement?.closest(".feed, .items")).map((source) => (source.node.outerHTML || source.node.textContent).slice(0, 90))]))).observe({ type: "layout-shift", buffered: true });
    });
    await page.reload();
    await page.locator("#mood").waitFor();
    for (const path of ["presence", "memory/timeline", "beliefs", "heartbeat"]) {
      await room(page, path);
      await isLive(page);
      await page.waitForTimeout(250);
      await page.evaluate(() => { shifts.length = 0; });
      await house.of("main").post("memories", { content: `Seen from ${path} at width ${options.viewport?.width || 1280}: the ferry is late`, claim: { subject: `ferry ${path} ${options.viewport?.width || 1280}`, kind: "world_fact", slot: "state", value: "late" } });
      await house.of("main").post("heartbeat/tick");
      await page.waitForTimeout(800);
      const found = await page.evaluate(() => shifts);
      assert.deepEqual(found.flatMap(([, sources]) => sources), [], `${path} at ${options.viewport?.width || 1280}: nothing else moved`);
      worst = Math.max(worst, found.reduce((sum, [value]) => sum + value, 0));
    }
    await page.context().close();
  }
  figures.push(["layout shift within a list when something arrives", worst.toFixed(3)]);
}

// A stream of happenings is told once a second, and not only when it ends.
export async function toldOnceASecond({ house, window }) {
  const page = await visit(window, house, "self/soul");
  await isLive(page);
  await page.waitForTimeout(1200);
  await page.evaluate(() => { globalThis.told = []; new MutationObserver(() => told.push([performance.now(), document.getElementById("said").textContent])).observe(document.getElementById("said"), { childList: true, characterData: true, subtree: true }); });
  const begun = Date.now();
  let stored = 0;
  for (; Date.now() - begun < 3500; stored += 1) { await house.of("main").post("memories", { content: `Wave ${stored} of the evening` }); await page.waitForTimeout(120); }
  const told = await page.evaluate(() => globalThis.told);
  assert.ok(told.length >= 2, `it does not wait for the end: ${JSON.stringify(told)}`);
  assert.ok(told.length <= 4, `and not every wave: ${JSON.stringify(told)}`);
  told.slice(1).forEach(([at], place) => assert.ok(at - told[place][0] > 900, "a second lies between"));
  assert.match(told.at(-1)[1], /\d+ things happened, the last: Remembered something/);
  await page.context().close();
}
