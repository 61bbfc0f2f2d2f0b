// What goes wrong in a house: the daemon stops, the line is cut, the visit is over, nothing is there, or very much.
import assert from "node:assert/strict";
import { createConnection, createServer } from "node:net";
import { room, visit } from "./house.mjs";
import { PATIENCE, tooWide, until } from "./hands.mjs";

// A line to the daemon that can be cut and mended.
class Line {
  constructor(house) { this.to = Number(new URL(house.address).port); this.open = new Set(); }
  async mend() {
    this.server = createServer((near) => {
      const far = createConnection(this.to, "127.0.0.1");
      for (const [one, other] of [[near, far], [far, near]]) { this.open.add(one); one.on("error", () => other.destroy()); one.on("close", () => { this.open.delete(one); other.destroy(); }); one.pipe(other); }
    });
    await new Promise((ready) => this.server.listen(this.port || 0, "127.0.0.1", ready));
    this.port = this.server.address().port;
    return this;
  }
  async cut() { const gone = new Promise((done) => this.server.close(done)); this.open.forEach((socket) => socket.destroy()); await gone; }
}

const isLive = (page) => until(page, () => document.querySelector(".live")?.dataset.state === "live", null, "it is live");

// The line is cut, things happen, the line is mended: a banner says so, and nothing was lost.
export async function cutLine({ house, window }) {
  const line = await new Line(house).mend();
  const page = await visit(window, { address: `http://127.0.0.1:${line.port}`, code: house.code }, "memory/timeline");
  await isLive(page);
  assert.equal(await page.locator(".banner").isVisible(), false);
  const { head } = await house.of("main").get("events?limit=1");
  await line.cut();
  await page.locator(".banner", { hasText: "does not answer" }).waitFor({ timeout: PATIENCE });
  assert.equal(await page.locator(".live").innerText(), "Away");
  const words = Array.from({ length: 5 }, (_, place) => `While nobody looked, bell ${place} rang`);
  for (const content of words) await house.of("main").post("memories", { content });
  await line.mend();
  for (const content of words) await page.getByText(content).waitFor({ timeout: PATIENCE });
  await page.locator(".banner").waitFor({ state: "hidden", timeout: PATIENCE });
  const asked = page.asked.flatMap((url) => [...url.matchAll(/events\?after=(\d+)/g)].map((found) => Number(found[1])));
  assert.ok(asked.slice(1).includes(head), `it asked from the last number on: ${asked} after ${head}`);
  await page.context().close();
  await line.cut();
}

// The daemon itself is started anew: visits are in memory, so the code is asked for again, and the room is as it was left.
export async function restart({ house, window }) {
  const page = await visit(window, house, "memory/timeline");
  await isLive(page);
  await house.stop();
  await page.locator(".banner").waitFor({ timeout: PATIENCE });
  await house.start(new URL(house.address).port);
  await page.getByLabel("One-time code").waitFor({ timeout: PATIENCE });
  assert.match(await page.locator("#told").innerText(), /visit is over/);
  await house.of("main").post("memories", { content: "The daemon had a good night" });
  await page.getByLabel("One-time code").fill(await house.code());
  await page.keyboard.press("Enter");
  await page.getByText("The daemon had a good night").waitFor({ timeout: PATIENCE });
  assert.ok(page.url().endsWith("memory/timeline"), "the same room");
  assert.equal(await page.locator(".banner").isVisible(), false);
  await page.context().close();
}

// A cookie that is no more: whatever is done next asks for the code, and a second tab that leaves takes the first along.
export async function visitsEnd({ house, window }) {
  const page = await visit(window, house, "beliefs");
  await page.context().clearCookies();
  await page.getByRole("link", { name: "Operations" }).click();
  await page.getByLabel("One-time code").waitFor({ timeout: PATIENCE });
  assert.deepEqual(page.wrong, []);
  await page.getByLabel("One-time code").fill(await house.code());
  await page.keyboard.press("Enter");
  await page.locator("h1", { hasText: "Operations" }).waitFor();
  const tabs = await Promise.all(["memory/timeline", "presence", "heartbeat"].map(async (path) => { const tab = await page.context().newPage(); await tab.goto(`${house.address}/dashboard#/main/${path}`); await tab.locator(".rooms").waitFor(); await isLive(tab); return tab; }));
  await house.cli("remember", "Three tabs saw the swallow");
  await tabs[0].getByText("Three tabs saw the swallow").waitFor({ timeout: PATIENCE });
  await tabs[1].locator(".feed", { hasText: "Remembered something" }).waitFor({ timeout: PATIENCE });
  await page.getByRole("button", { name: "Leave" }).click();
  for (const tab of tabs) await tab.getByLabel("One-time code").waitFor({ timeout: PATIENCE });
  await page.context().close();
}

// An agent with nothing in it: every page says what it would show, and how to begin.
export async function nothingYet({ house, window, rooms }) {
  await house.ask("POST", "/v1/agents", { name: "blank" });
  const page = await visit(window, house, "presence");
  for (const path of rooms) {
    await page.evaluate((to) => { location.hash = `#/blank/${to}`; }, path);
    await until(page, (to) => document.querySelector(".rooms a[aria-current]")?.getAttribute("href").includes(`/blank/${to.split("/")[0]}`) && !document.querySelector("main .wait"), path, path);
    assert.equal(await page.locator("main .state.bad").count(), 0, path);
    assert.ok(!/undefined|NaN|null|Invalid/.test(await page.locator("main").innerText()), `${path}: ${await page.locator("main").innerText()}`);
    if (!["presence", "heartbeat", "operations"].includes(path)) assert.ok(await page.locator("main .state b").count() >= 1, `${path} says that it is empty`);
  }
  await page.evaluate(() => { location.hash = "#/blank/presence"; });
  await page.locator("#mood", { hasText: "No mood yet" }).waitFor();
  assert.deepEqual(page.wrong, []);
  await page.context().close();
}

// A hundred agents in one house: each can be chosen, and no page asks once for each of them.
export async function crowd({ house, window }) {
  for (let place = 0; place < 100; place += 1) await house.ask("POST", "/v1/agents", { name: `one-of-many-${String(place).padStart(3, "0")}` });
  const page = await visit(window, house, "presence");
  page.asked.length = 0;
  await room(page, "operations");
  const asked = page.asked.filter((url) => url.includes("/v1/")).length;
  assert.ok(asked <= 20, `${asked} requests for one page`);
  assert.ok(await page.locator("main tr").count() < 80, "long tables come piece by piece");
  const rows = await page.locator(".card", { hasText: "New agent…" }).locator("tbody tr").count();
  await page.locator(".card", { hasText: "New agent…" }).getByRole("button", { name: /Show more/ }).click();
  assert.ok(await page.locator(".card", { hasText: "New agent…" }).locator("tbody tr").count() > rows);
  await page.getByLabel("Agent").selectOption("one-of-many-077");
  await until(page, () => location.hash.includes("one-of-many-077"), null, "another agent");
  await until(page, () => !document.querySelector("main .wait"), null, "is shown");
  assert.match(await page.title(), /one-of-many-077/);
  assert.deepEqual(page.wrong, []);
  await page.context().close();
}

// The first so many bytes, no letter cut in two.
const first = (text, many) => { const letters = [...text].slice(0, many); while (Buffer.byteLength(letters.join("")) > Math.max(many, 60)) letters.pop(); return letters.join(""); };

// Words without end, from right to left, of pictures alone: they stay where they belong.
export async function oddWords({ house, window, rooms }) {
  await house.ask("POST", "/v1/agents", { name: "odd" });
  const main = house.of("odd"), self = house.of("odd", (await house.itself(), house.own));
  const host = house.of("odd", (await house.ask("POST", "/v1/keys", { name: "host of the odd", agent: "odd", speaks_as: "host", scopes: ["read", "write"] })).secret);
  const odd = ["Donaudampfschifffahrt".repeat(18), "مرحبا، القارب أزرق والبحر هادئ اليوم", "הסירה כחולה, the boat is blue, והים שקט", "🛶🌊👩‍👩‍👧‍👦🏳️‍🌈".repeat(40), "a\u0301\u0302\u0303\u0304\u0305\u0306".repeat(40), "https://example.org/" + "path/".repeat(80), "1".repeat(300)];
  for (const [place, text] of odd.entries()) {
    const name = `${first(text, 70)} who`;
    await main.post("memories", { content: text, tags: [first(text, 40)], claim: { subject: first(text, 40), kind: "world_fact", slot: "kind", value: first(text, 100) } });
    await self.post("soul", { content: text, kind: ["belief", "value", "fear", "conviction"][place % 4], reason: first(text, 200) });
    await self.post("diary", { text, mood: first(text, 40), location: first(text, 60) });
    await main.post("todos", { title: first(text, 120), description: text });
    await main.post("calendar", { title: first(text, 120), start: new Date(Date.now() + 86400000).toISOString().slice(0, 16), location: first(text, 100) });
    await main.post("entities", { name, kind: "person" });
    await host.post("conversations", { channel: `sea ${place}`, title: first(text, 100) });
    await host.post("messages", { channel: `sea ${place}`, role: "peer", speaker: name, content: text });
    await host.post("messages", { channel: `sea ${place}`, role: "assistant", content: text });
    await self.post("relationships", { entity: name, relationship_type: "friend", trust_level: 0.5, emotional_tone: first(text, 40), rationale: first(text, 200) });
    await house.think({ outcome: { result: "noticed", summary: text }, mood: { state: first(text, 60), energy: "high" }, reflection: text, identity_links: [{ name: first(text, 60), strength: 0.9 }] }, "odd");
  }
  const [long] = (await main.get("memories?limit=50")).memories.slice(-1), [belief] = (await main.get("observations?limit=50")).observations;
  for (const options of [{ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }, {}]) {
    const page = await visit(window, house, "presence", options);
    for (const path of [...rooms, `memory/${long.id}`, ...(belief ? [`beliefs/${belief.id}`] : [])]) {
      await page.evaluate((to) => { location.hash = `#/odd/${to}`; }, path);
      await until(page, (to) => document.querySelector(".rooms a[aria-current]")?.getAttribute("href").includes(`/odd/${to.split("/")[0]}`) && !document.querySelector("main .wait"), path, path);
      await page.waitForTimeout(60);
      assert.deepEqual(await tooWide(page), [], path);
      assert.equal(await page.locator("main .state.bad").count(), 0, path);
    }
    await page.evaluate(() => { location.hash = "#/odd/self/soul"; });
    const arabic = page.locator("blockquote", { hasText: "القارب" });
    await arabic.waitFor();
    const side = await arabic.evaluate((one) => { const range = document.createRange(); range.selectNodeContents(one); const text = range.getClientRects()[0], box = one.getBoundingClientRect(); return box.right - text.right < text.left - box.left || text.width > box.width - 4; });
    assert.ok(side, "what is written from the right begins at the right");
    assert.deepEqual(page.wrong, []);
    await page.context().close();
  }
}
