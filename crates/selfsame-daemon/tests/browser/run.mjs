// The dashboard in a real browser: `node run.mjs EXECUTABLE PLAYWRIGHT [--large] [words of one test]`. Nothing is timed that could fail by being
// slow, but for one promise: what is remembered at a terminal is on the page within a second. Figures are printed.
import assert from "node:assert/strict";
import { announced, fingers, focusOrder, keyboardActs, legible, structure } from "./access.mjs";
import { answersOverTime, everyAct, forgetting, heartActs, lookingBack, summaries } from "./acts.mjs";
import { PATIENCE, until } from "./hands.mjs";
import { hostile } from "./hostile.mjs";
import { House, browser, room, visit } from "./house.mjs";
import { arrivalsMoveNothing, everyRoomFollows, focusStays, judgedElsewhere, toldOnceASecond, withinASecond } from "./live.mjs";
import { crowd, cutLine, nothingYet, oddWords, restart, visitsEnd } from "./robust.mjs";
import { flood, seed } from "./seed.mjs";

const [executable, playwright, ...flags] = process.argv.slice(2);
const ROOMS = ["presence", "beliefs", "heartbeat", "memory/search", "memory/timeline", "memory/inbox", "memory/conversations", "memory/summaries", "self/soul", "self/diary", "self/episodes", "self/lessons", "self/people", "self/todos", "operations"];
const figures = [];

const house = await House.open(executable);
let window;
let failed = 0;

const only = flags.filter((flag) => !flag.startsWith("--")).join(" ");

async function test(name, work) {
  if (!name.includes(only)) return;
  const begun = Date.now();
  try {
    await work({ house, window, rooms: ROOMS, figures });
    console.log(`ok      ${name} (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}\n${error.stack}`);
  }
}

// Counts what moved on the page without anybody having touched it.
const watchShifts = (page) => page.addInitScript(() => {
  globalThis.shifts = [];
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => shifts.push([entry.value, entry.sources.map((source) => source.node?.outerHTML?.slice(0, 90))]))).observe({ type: "layout-shift", buffered: true });
});

// Whether the sum of the canvas leans to red or to blue, and how much of it there is.
const colour = (page) => page.evaluate(() => {
  const canvas = document.querySelector("canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let red = 0, blue = 0, light = 0;
  for (let at = 0; at < data.length; at += 4) { const alpha = data[at + 3] / 255; red += data[at] * alpha; blue += data[at + 2] * alpha; light += alpha; }
  return { lean: (red - blue) / (red + blue), light };
});
const picture = (page) => page.evaluate(() => document.querySelector("canvas").toDataURL());

async function entry() {
  const context = await window.newContext();
  const page = await context.newPage();
  await watchShifts(page);
  await page.goto(`${house.address}/`);
  await page.getByLabel("One-time code").fill("AAAA-AAAA");
  await page.getByRole("button", { name: "Come in" }).click();
  await until(page, () => document.querySelector("#told").textContent.includes("selfsame dashboard"), null, "a wrong code is told with what to do");
  await page.getByLabel("One-time code").fill((await house.code()).toLowerCase());
  await page.keyboard.press("Enter");
  await page.locator("#mood").waitFor();
  const [cookie] = await context.cookies();
  assert.deepEqual([cookie.httpOnly, cookie.sameSite], [true, "Strict"]);
  assert.equal(await page.evaluate(() => document.cookie), "", "scripts do not see it");
  await page.reload();
  await page.locator("#mood").waitFor();
  assert.ok(!page.url().includes(cookie.value));
  await page.getByRole("button", { name: "Leave" }).click();
  await page.getByLabel("One-time code").waitFor();
  assert.equal((await context.cookies()).length, 0);
  await context.close();
}

async function everyRoom() {
  const page = await visit(window, house, "presence");
  await watchShifts(page);
  await page.reload();
  await page.locator("#mood").waitFor();
  await page.waitForTimeout(300);
  const first = await page.evaluate(() => {
    const sent = [...performance.getEntriesByType("resource"), ...performance.getEntriesByType("navigation")];
    const paint = performance.getEntriesByName("first-contentful-paint")[0];
    return { bytes: sent.reduce((sum, one) => sum + one.transferSize, 0), files: sent.length, paint: paint?.startTime };
  });
  assert.ok(first.paint, "something was painted");
  for (const path of ROOMS) {
    await room(page, path);
    await page.locator("main h1").first().waitFor();
    assert.equal(await page.locator("main .state.bad").count(), 0, path);
    await page.waitForTimeout(60);
  }
  await room(page, "self/episodes");
  assert.ok((await page.locator("svg.plot circle").count()) >= 10, "mood over time is a plot");
  await room(page, "self/people");
  assert.ok((await page.locator(".node").count()) >= 3, "relationships are a graph");
  assert.deepEqual(page.wrong, []);
  const shifts = (await page.evaluate(() => shifts)).filter(([value]) => value > 0);
  assert.deepEqual(shifts, [], "nothing moved by itself");
  figures.push(["first contentful paint, reloaded", `${first.paint.toFixed(0)} ms`], ["layout shift, all rooms", "0"]);
  await page.context().close();
  // Cold: nothing in the browser's cache.
  const cold = await visit(window, house, "presence");
  const sent = await cold.evaluate(() => [...performance.getEntriesByType("resource"), ...performance.getEntriesByType("navigation")].map((one) => [new URL(one.name).pathname, one.transferSize]));
  const files = sent.filter(([path]) => path.startsWith("/dashboard")), data = sent.filter(([path]) => !path.startsWith("/dashboard"));
  const sum = (list) => list.reduce((total, [, bytes]) => total + bytes, 0);
  assert.ok(sum(sent) < 150000, `the first room weighs ${sum(sent)} bytes`);
  figures.push(["sent for the first room, compressed", `${(sum(sent) / 1000).toFixed(1)} kB (${files.length} files ${(sum(files) / 1000).toFixed(1)} kB, ${data.length} answers ${(sum(data) / 1000).toFixed(1)} kB)`]);
  const paint = await cold.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime);
  figures.push(["first contentful paint, cold", `${paint.toFixed(0)} ms`]);
  await cold.context().close();
}

async function judging() {
  await house.of("main").post("memories", { content: "The boat is painted blue", claim: { subject: "boat", kind: "world_fact", slot: "colour", value: "blue" } });
  const page = await visit(window, house, "beliefs");
  await page.locator(".item", { hasText: "The boat is painted blue" }).click();
  await page.locator(".claim", { hasText: "The boat is painted blue" }).waitFor();
  const before = Number(await page.locator(".anatomy").getAttribute("data-confidence"));
  await page.getByRole("button", { name: "Confirm" }).click();
  await until(page, (was) => Number(document.querySelector(".anatomy").dataset.confidence) > was, before, "confirming raises the confidence");
  assert.ok(await page.locator(".anatomy", { hasText: "confirmed by you" }).isVisible());
  await page.getByRole("button", { name: "Correct…" }).click();
  await page.getByLabel("As a sentence, or the bare answer").fill("green");
  await page.keyboard.press("Enter");
  await until(page, () => /green/i.test(document.querySelector(".claim").textContent), null, "another answer took its place");
  await page.locator("svg.plot[aria-label*='answers over time']").waitFor();
  assert.ok(await page.locator(".for blockquote").count() >= 1);
  assert.deepEqual(page.wrong, []);
  await page.context().close();
}

async function receipts() {
  const page = await visit(window, house, "heartbeat");
  assert.ok(await page.locator("svg.plot[aria-label^='Today:'] .strip-mark").count() >= 1, "ticks are on the strip");
  await page.locator(".item[href*=rcp_]").first().focus();
  await page.keyboard.press("Enter");
  await page.locator(".funnel").waitFor();
  assert.equal(await page.locator(".funnel li").count(), 8, "the gate and seven steps");
  assert.equal(await page.locator(".funnel .chip").count(), 1, "one of them decided");
  await page.getByRole("button", { name: "Mute" }).click();
  await page.getByRole("button", { name: "Speak again" }).click();
  await page.getByRole("button", { name: "Mute" }).waitFor();
  await page.getByRole("button", { name: "Observe" }).click();
  await until(page, () => document.querySelector(".seg [aria-pressed=true]").textContent === "Observe", null, "autonomy changes");
  assert.deepEqual(page.wrong, []);
  await page.context().close();
}

async function presence() {
  await house.think({ mood: { state: "wistful", energy: "low" }, valence: -1.6, arousal: 0.05, outcome: { result: "noticed", summary: "A grey day." } });
  const page = await visit(window, house, "presence");
  await page.locator("#mood", { hasText: "Wistful" }).waitFor();
  await page.waitForTimeout(400);
  const calm = await colour(page);
  await house.think({ mood: { state: "elated", energy: "high" }, valence: 1.9, arousal: 0.97, outcome: { result: "done", summary: "It works." } });
  await page.locator("#mood", { hasText: "Elated" }).waitFor({ timeout: PATIENCE });
  await until(page, () => document.querySelector("canvas").getAttribute("aria-label").includes("elated"), null, "the picture has a name");
  // It changes slowly; waited for, however slow the machine.
  let excited;
  for (let tries = 0; tries < 60; tries += 1) { excited = await colour(page); if (excited.lean > 0.1) break; await page.waitForTimeout(250); }
  assert.ok(calm.lean < -0.05, `calm and low is cool: ${JSON.stringify(calm)}`);
  assert.ok(excited.lean > 0.1, `excited and bright is warm: ${JSON.stringify(excited)}`);
  const frames = await page.evaluate(() => new Promise((answer) => { const canvas = document.querySelector("canvas"); const from = canvas.frames, begun = performance.now(); setTimeout(() => answer((canvas.frames - from) / ((performance.now() - begun) / 1000)), 2000); }));
  figures.push(["frames of the presence, drawn by software", `${frames.toFixed(0)} a second`]);
  assert.ok(frames > 0);
  await page.context().close();
}

// One thing of a mood at a time: how stirred it is and how strong are seen by themselves.
async function moods() {
  const feel = (state, arousal, energy) => house.think({ mood: { state, energy }, valence: 0.4, arousal });
  const still = await visit(window, house, "presence", { reducedMotion: "reduce" }), moving = await visit(window, house, "presence");
  // How much of the picture is another one after a few frames.
  const motion = () => moving.evaluate(async () => {
    const canvas = document.querySelector("canvas"), take = () => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    const one = take(), from = canvas.frames;
    await new Promise((go) => { const look = () => (canvas.frames >= from + 6 ? go() : requestAnimationFrame(look)); look(); });
    const other = take();
    let sum = 0;
    for (let at = 3; at < one.length; at += 4) sum += Math.abs(one[at] - other[at]);
    return sum / (one.length / 4);
  });
  const seen = {};
  for (const [state, arousal, energy] of [["stillwater", 0.05, "medium"], ["whitewater", 0.97, "medium"], ["spent", 0.05, "low"], ["brimming", 0.05, "high"]]) {
    await feel(state, arousal, energy);
    for (const page of [still, moving]) await until(page, (word) => document.querySelector("#mood").textContent.toLowerCase() === word, state, `it is ${state}`);
    // It changes slowly, and what happened makes it pulse: both are over after some seconds.
    await moving.waitForTimeout(3500);
    const moved = [await motion(), await motion(), await motion()].sort((one, other) => one - other)[1];
    seen[state] = { ...(await colour(still)), picture: await picture(still), moved };
    await still.waitForTimeout(150);
    assert.equal(await picture(still), seen[state].picture, `${state} is one still picture`);
  }
  const { stillwater, whitewater, spent, brimming } = seen;
  assert.ok(whitewater.light > stillwater.light * 1.15, `stirred is brighter: ${whitewater.light} against ${stillwater.light}`);
  assert.ok(whitewater.moved > stillwater.moved * 1.3, `and moves more: ${whitewater.moved} against ${stillwater.moved}`);
  assert.ok(brimming.light > spent.light * 1.05, `strong is brighter than spent: ${brimming.light} against ${spent.light}`);
  assert.equal(new Set(Object.values(seen).map((one) => one.picture)).size, 4, "four moods, four pictures");
  figures.push(["the presence, stirred against calm", `${(whitewater.light / stillwater.light).toFixed(2)} times the light, ${(whitewater.moved / stillwater.moved).toFixed(1)} times the motion`]);
  await still.context().close();
  await moving.context().close();
}

async function reducedMotion() {
  const page = await visit(window, house, "presence", { reducedMotion: "reduce" });
  const [one] = [await picture(page), await page.waitForTimeout(500)];
  assert.equal(await picture(page), one, "two frames are the same");
  await house.think({ mood: { state: "drowsy", energy: "low" }, valence: -1.5, arousal: 0.02 });
  await page.locator("#mood", { hasText: "Drowsy" }).waitFor({ timeout: PATIENCE });
  assert.notEqual(await picture(page), one, "and it still shows another mood");
  await page.context().close();
}

async function keyboardOnly() {
  const page = await visit(window, house, "presence");
  await page.reload();
  await page.locator("#mood").waitFor();
  const focused = () => page.evaluate(() => document.activeElement.textContent.trim() || document.activeElement.getAttribute("aria-label"));
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "Skip to the room");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "main");
  assert.ok(page.url().endsWith("presence"), "the room stays");
  for (let tries = 0; tries < 12 && (await focused()) !== "Beliefs"; tries += 1) await page.keyboard.press("Shift+Tab");
  assert.equal(await focused(), "Beliefs");
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.notEqual(outline, "none", "where one is can be seen");
  await page.keyboard.press("Enter");
  await page.locator(".anatomy").waitFor();
  const items = page.locator(".list-side .item");
  await items.first().focus();
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.evaluate(() => [...document.querySelectorAll(".list-side .item")].indexOf(document.activeElement)), 1);
  assert.equal(await page.locator(".list-side .item[tabindex='0']").count(), 1, "a list is one stop");
  await page.keyboard.press("Enter");
  await until(page, () => document.querySelectorAll(".list-side .item")[1].getAttribute("aria-current") === "true", null, "it opens");
  await page.getByRole("button", { name: "Correct…" }).focus();
  await page.keyboard.press("Enter");
  await page.locator("dialog[open]").waitFor();
  for (let presses = 0; presses < 6; presses += 1) {
    await page.keyboard.press("Tab");
    assert.ok(await page.evaluate(() => document.querySelector("dialog").contains(document.activeElement) || document.activeElement === document.body), "the focus stays in the dialog");
  }
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  assert.equal(await focused(), "Correct…", "and comes back");
  // Everything that can be pressed has a name.
  for (const path of ROOMS) {
    await room(page, path);
    const nameless = await page.evaluate(() => [...document.querySelectorAll("button, a[href], input, select, textarea, [role=img], [role=button]")].filter((one) => !(one.textContent.trim() || one.getAttribute("aria-label") || one.labels?.length)).map((one) => one.outerHTML.slice(0, 120)));
    assert.deepEqual(nameless, [], path);
  }
  await page.context().close();
}

async function colours() {
  const page = await visit(window, house, "presence", { colorScheme: "light" });
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  await page.getByRole("button", { name: "Light or dark" }).click();
  const dark = await paper();
  assert.notEqual(light, dark);
  await page.reload();
  await page.locator("#mood").waitFor();
  assert.equal(await paper(), dark, "it is kept");
  await page.context().close();
}

async function closing() {
  const page = await visit(window, house, "presence");
  await house.cli("dashboard", "--close");
  await page.getByLabel("One-time code").waitFor({ timeout: PATIENCE });
  await page.context().close();
}

// Long lists: what is stored is counted, a page of it is one request, and the page does not grow with the list.
const MOST_ELEMENTS = 2500;
async function long(size) {
  const begun = Date.now(), main = house.of("main");
  const before = (await house.ask("GET", "/v1/status")).agents.find((one) => one.name === "main");
  const stored = await flood(house, size);
  await main.get("observations?limit=1");
  const now = (await house.ask("GET", "/v1/status")).agents.find((one) => one.name === "main");
  const held = (one) => one.beliefs.active + one.beliefs.stale;
  assert.equal(now.memories - before.memories, size.memories, "so many memories are there");
  assert.ok(held(now) - held(before) >= size.beliefs, `so many beliefs: ${JSON.stringify(now.beliefs)}`);
  assert.ok(stored.receipts >= size.receipts, `so many receipts: ${stored.receipts}`);
  const told = (line) => { if (size.memories >= 10000) console.log(`large   ${line}`); };
  told(`stored in ${((Date.now() - begun) / 1000).toFixed(0)} s: ${now.memories} memories, ${held(now)} beliefs, ${stored.receipts} receipts`);
  const page = await visit(window, house, "presence");
  for (const path of ROOMS) {
    const took = await page.evaluate(async (to) => {
      const from = performance.now();
      location.hash = `#/main/${to}`;
      await new Promise((answer) => { const look = () => (document.querySelector(".rooms a[aria-current]").getAttribute("href").endsWith(to.split("/")[0]) && !document.querySelector("main .wait") && document.querySelector(".tabs a[aria-current]")?.getAttribute("href").endsWith(to) !== false ? answer() : requestAnimationFrame(look)); requestAnimationFrame(() => requestAnimationFrame(look)); });
      return performance.now() - from;
    }, path);
    const elements = await page.evaluate(() => document.querySelectorAll("main *").length);
    assert.ok(elements < MOST_ELEMENTS, `${path} has ${elements} elements`);
    told(`${path.padEnd(22)} ${took.toFixed(0).padStart(5)} ms  ${String(elements).padStart(5)} elements`);
  }
  for (const [path, what, asked] of [["memory/timeline", "memories", /\/memories\?/], ["beliefs", "beliefs", /\/observations\?/], ["heartbeat", "receipts", /\/receipts\?/]]) {
    await room(page, path);
    const more = page.locator(".items", { has: page.locator(".item[data-id]") }).last().locator("xpath=..").getByRole("button", { name: "Show more" });
    const times = [];
    for (let pages = 0; pages < 5 && await more.count(); pages += 1) {
      page.asked.length = 0;
      const from = Date.now(), count = await page.locator(".items li").count();
      await more.click();
      await until(page, (was) => document.querySelectorAll(".items li").length > was, count, "the next page");
      times.push(Date.now() - from);
      assert.equal(page.asked.filter((url) => asked.test(url)).length, 1, `one request for a page of ${what}: ${page.asked}`);
      const came = await page.locator(".items li").count() - count;
      assert.ok(came <= 60, `${came} ${what} at once`);
    }
    assert.ok(times.length >= 1, `${what} have a next page`);
    told(`next page of ${what.padEnd(9)} ${Math.max(...times)} ms at most of ${times.length}`);
  }
  await room(page, "memory/search");
  const from = Date.now();
  await page.getByLabel("Ask its memory").fill("boxes of sort 17 on shelf 17");
  await page.locator(".parts").first().waitFor();
  told(`search ${Date.now() - from} ms, with 220 ms of waiting for the last letter`);
  assert.deepEqual(page.wrong, []);
  await page.context().close();
}

const begun = Date.now();
try {
  await house.start();
  await seed(house);
  window = await browser(playwright);
  if (flags.includes("--large")) await test("long lists", () => long({ memories: 10000, beliefs: 1000, receipts: 5000 }));
  else {
    await test("a code opens, a wrong one is told, leaving leaves", entry);
    await test("every room renders, weighs little and does not move", everyRoom);
    await test("what is remembered elsewhere appears within a second", withinASecond);
    await test("a belief that is confirmed elsewhere rises", judgedElsewhere);
    await test("every room follows", everyRoomFollows);
    await test("what arrives leaves the focus where it is", focusStays);
    await test("what arrives moves nothing else", arrivalsMoveNothing);
    await test("a stream is told once a second", toldOnceASecond);
    await test("confirm and correct change the anatomy", judging);
    await test("answers on a line of time", answersOverTime);
    await test("looking back to another day", lookingBack);
    await test("summaries name their sources", summaries);
    await test("the heart is silenced, and answered", heartActs);
    await test("a receipt opens as a funnel", receipts);
    await test("forgetting shows first what would go", forgetting);
    await test("the presence feels what the agent feels", presence);
    await test("arousal and energy are seen by themselves", moods);
    await test("reduced motion stills it", reducedMotion);
    await test("keyboard alone", keyboardOnly);
    await test("keyboard alone, every act", keyboardActs);
    await test("keyboard alone, the other acts", everyAct);
    await test("what can be seen can be heard", structure);
    await test("letters can be read, light and dark", legible);
    await test("a phone of 360 pixels, and fingers", fingers);
    await test("every stop of the tab key", focusOrder);
    await test("what happens is said", announced);
    await test("light and dark", colours);
    await test("200 stored scripts do not run", hostile);
    await test("long lists", () => long({ memories: 260, beliefs: 60, receipts: 45 }));
    await test("nothing in it yet", nothingYet);
    await test("odd words stay where they belong", oddWords);
    await test("a hundred agents", crowd);
    await test("visits end", visitsEnd);
    await test("the owner closes the visits", closing);
    await test("the line is cut and mended", cutLine);
    await test("the daemon is started anew", restart);
  }
} finally {
  await window?.close();
  await house.end();
}
for (const [name, value] of figures) console.log(`figure  ${name}: ${value}`);
console.log(`${failed ? "FAILED" : "passed"}: the dashboard in a browser, ${((Date.now() - begun) / 1000).toFixed(0)} s`);
process.exit(failed ? 1 : 0);
