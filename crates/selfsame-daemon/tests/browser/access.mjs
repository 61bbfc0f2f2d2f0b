// For who does not see it, does not hear it, or has no pointer.
import assert from "node:assert/strict";
import { room, visit } from "./house.mjs";
import { enterRoom, focused, press, reach, tooFaint, tooSmall, tooWide, until } from "./hands.mjs";

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

// What an assistive program is told: landmarks, headings in order, and a name for whatever can be used or looked at.
export async function structure({ house, window, rooms }) {
  const page = await visit(window, house, "presence");
  for (const path of rooms) {
    await room(page, path);
    const told = await page.locator("body").ariaSnapshot();
    for (const landmark of ["- navigation \"Rooms\"", "- main", "- combobox \"Agent\""]) assert.ok(told.includes(landmark), `${path}: ${landmark}`);
    const nameless = told.split("\n").filter((line) => /^\s*- (button|link|img|textbox|searchbox|combobox|slider|table|dialog)(:| \[|$)/.test(line) && !/table/.test(line));
    assert.deepEqual(nameless, [], `${path}: everything has a name`);
    const levels = [...told.matchAll(/- heading .*\[level=(\d)\]/g)].map((found) => Number(found[1]));
    assert.equal(levels.filter((level) => level === 1).length, 1, `${path}: one heading of the first level`);
    levels.reduce((before, level) => { assert.ok(level <= before + 1, `${path}: after level ${before} comes ${level}`); return level; }, 0);
    assert.equal(await page.evaluate(() => { const ids = [...document.querySelectorAll("[id]")].map((one) => one.id); return ids.length - new Set(ids).size; }), 0, `${path}: an id is one thing`);
    assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll("ul, ol")].flatMap((list) => [...list.children]).filter((child) => child.tagName !== "LI").map((child) => child.outerHTML.slice(0, 80))), [], `${path}: lists hold items`);
  }
  await room(page, "beliefs");
  await page.locator(".anatomy").waitFor();
  const anatomy = await page.locator(".anatomy").ariaSnapshot();
  assert.match(anatomy, /img "to begin with 0\.\d\d"/, "bars say what they show");
  await room(page, "self/episodes");
  assert.match(await page.locator("main").ariaSnapshot(), /img "Mood over \d+ episodes, the latest \w+/, "a plot says what it shows");
  await page.context().close();
}

// Letters can be read in both papers, and nothing is said by colour alone.
export async function legible({ house, window, rooms }) {
  for (const colorScheme of ["light", "dark"]) {
    const page = await visit(window, house, "presence", { colorScheme, reducedMotion: "reduce" });
    for (const path of rooms) {
      await room(page, path);
      assert.deepEqual(await tooFaint(page), [], `${path} in ${colorScheme}`);
    }
    await room(page, "heartbeat");
    await page.locator(".item[href*=rcp_]").first().click();
    await page.locator(".funnel").waitFor();
    assert.deepEqual(await tooFaint(page), [], `a receipt in ${colorScheme}`);
    assert.match(await page.locator(".legend").innerText(), /silent[^]*spoke up[^]*next[^]*quiet hours/, "marks are named");
    await room(page, "memory/search");
    await page.getByLabel("Ask its memory").fill("which database does the shop run on?");
    await page.locator(".parts").first().waitFor();
    assert.deepEqual(await tooFaint(page), [], `answers in ${colorScheme}`);
    await page.context().close();
  }
  const phone = await visit(window, house, "presence", PHONE);
  await until(phone, () => document.querySelector(".live").dataset.state === "live", null, "it is live");
  assert.equal(await phone.locator(".live").innerText(), "Live", "a dot has a word beside it, also on a phone");
  await phone.context().close();
}

// Fingers: nothing cut off, nothing too small, nothing to the side.
export async function fingers({ house, window, rooms }) {
  const page = await visit(window, house, "presence", PHONE);
  for (const path of rooms) {
    await room(page, path);
    await page.waitForTimeout(50);
    assert.deepEqual(await tooWide(page), [], path);
    assert.deepEqual(await tooSmall(page), [], path);
    const cut = await page.evaluate(() => [...document.querySelectorAll(".tabs")].filter((one) => one.scrollWidth > one.clientWidth + 1).length);
    assert.equal(cut, 0, `${path}: every tab is in view`);
    const beside = await page.evaluate(() => [...document.querySelectorAll("svg.plot text")].filter((one) => { const box = one.getBoundingClientRect(), card = one.closest(".card").getBoundingClientRect(); return box.left < card.left - 1 || box.right > card.right + 1; }).map((one) => one.textContent));
    assert.deepEqual(beside, [], `${path}: letters of a plot stay in their card`);
  }
  await room(page, "beliefs");
  await page.locator(".item").first().tap();
  await page.locator(".anatomy").waitFor();
  assert.deepEqual(await tooWide(page), [], "a belief");
  assert.deepEqual(await tooSmall(page), [], "a belief");
  await page.getByText("All beliefs").tap();
  await page.locator(".list-side .item").first().waitFor();
  // The last thing of a page is not under the bar at the foot.
  for (const path of ["operations", "heartbeat"]) {
    await room(page, path);
    const clear = await page.evaluate(() => { scrollTo(0, document.body.scrollHeight); const cards = document.querySelectorAll("main .card"); return cards[cards.length - 1].getBoundingClientRect().bottom <= document.querySelector(".rooms").getBoundingClientRect().top; });
    assert.ok(clear, `${path}: the foot hides nothing`);
  }
  assert.deepEqual(page.wrong, []);
  await page.context().close();
}

// Every stop of the tab key: it can be seen where one is, and one comes out at the other end.
export async function focusOrder({ house, window, rooms }) {
  const page = await visit(window, house, "presence", { reducedMotion: "reduce" });
  await page.reload();
  await page.locator("#mood").waitFor();
  const head = [];
  for (let presses = 0; presses < 10; presses += 1) { await page.keyboard.press("Tab"); head.push(await focused(page)); }
  assert.deepEqual(head, ["Skip to the room", "Agent", "Presence", "Beliefs", "Heartbeat", "Memory", "Self", "Operations", "Light or dark", "Leave"]);
  for (const path of rooms) {
    await room(page, path);
    await page.evaluate(() => { document.activeElement.blur(); scrollTo(0, 0); });
    await page.locator("main").focus();
    const unseen = [];
    let stops = 0, last;
    for (; stops < 150; stops += 1) {
      await page.keyboard.press("Tab");
      const on = await page.evaluate(() => {
        const at = document.activeElement;
        if (at === document.body || !at.closest("main")) return undefined;
        const style = getComputedStyle(at), box = at.getBoundingClientRect();
        const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 || at.matches(".node") && parseFloat(getComputedStyle(at.firstElementChild).strokeWidth) >= 2;
        return { name: at.outerHTML.slice(0, 90), ring, inView: box.bottom > 0 && box.top < innerHeight, y: box.top + scrollY };
      });
      if (!on) break;
      if (!on.ring || !on.inView) unseen.push(on.name);
      last = on;
    }
    assert.deepEqual(unseen, [], `${path}: where one is can be seen`);
    assert.ok(stops < 150, `${path}: one comes out again; last ${last?.name}`);
  }
  await page.context().close();
}

// What happens is told to ears as well.
export async function announced({ house, window }) {
  const page = await visit(window, house, "operations");
  await until(page, () => document.querySelector(".live").dataset.state === "live", null, "it is live");
  await house.of("main").post("memories", { content: "The tide table hangs in the hall" });
  await until(page, () => /Remembered something/.test(document.querySelector("[role=status]").textContent), null, "a live region says what happened");
  await enterRoom(page, "Self");
  await until(page, () => document.querySelector("[role=status]").textContent.includes("Self"), null, "and which room one is in");
  await page.context().close();
}

// Every room and every act, with the keys alone.
export async function keyboardActs({ house, window }) {
  const main = house.of("main"), host = await house.host();
  await main.post("memories", { content: "The kayak is painted yellow", claim: { subject: "kayak", kind: "world_fact", slot: "colour", value: "yellow" } });
  const memory = await main.post("memories", { content: "The spare oar is behind the door" });
  await main.post("todos", { title: "Oil the hinges" });
  await host.post("messages", { channel: "dock", role: "user", content: "I prefer the blue rope for mooring." });
  const spare = await house.ask("POST", "/v1/keys", { name: "a spare key", speaks_as: "operator", scopes: ["read"] });
  const page = await visit(window, house, "presence");
  await page.reload();
  await page.locator("#mood").waitFor();

  await enterRoom(page, "Beliefs");
  // What is said of a thing that has a name is filed with those the agent knows.
  await reach(page, /^People$/);
  await page.keyboard.press("Enter");
  await until(page, () => document.querySelector(".chips [aria-pressed=true]").innerText === "People", null, "the kind is chosen");
  await reach(page, "As it was believed on a day");
  await page.keyboard.press("ArrowLeft");
  await until(page, () => document.querySelector("output").textContent !== "now", null, "the slider goes back");
  await page.keyboard.press("End");
  await until(page, () => document.querySelector("output").textContent === "now", null, "and forth");
  await until(page, () => [...document.querySelectorAll(".list-side .item")].some((one) => one.textContent.includes("kayak")), null, "the kayak is believed");
  await page.keyboard.press("Tab");
  for (let presses = 0; presses < 40 && !(await focused(page)).includes("kayak"); presses += 1) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.locator(".claim", { hasText: "kayak" }).waitFor();
  const before = Number(await page.locator(".anatomy").getAttribute("data-confidence"));
  await press(page, "Confirm");
  await until(page, (was) => Number(document.querySelector(".anatomy").dataset.confidence) > was, before, "confirmed");
  await until(page, () => document.activeElement.textContent === "Confirm", null, "the focus stays where it was pressed");
  await press(page, "Correct…");
  await page.keyboard.type("red");
  await page.keyboard.press("Enter");
  await until(page, () => /red/.test(document.querySelector(".claim").textContent), null, "corrected");

  await page.locator("body").press("Home");
  await page.evaluate(() => document.querySelector(".rooms a").focus());
  await enterRoom(page, "Heartbeat");
  await press(page, "Look now");
  await page.locator(".funnel").waitFor();
  await press(page, "Close");
  await until(page, () => !document.querySelector(".funnel"), null, "it closes");
  await page.evaluate(() => document.querySelector("main").focus());
  await press(page, "Mute");
  await page.getByRole("button", { name: "Speak again" }).waitFor();
  await page.evaluate(() => document.querySelector("main").focus());
  await press(page, "Speak again");
  await page.getByRole("button", { name: "1 h", exact: true }).waitFor();

  await page.evaluate(() => document.querySelector(".rooms a").focus());
  await enterRoom(page, "Memory");
  await press(page, "Inbox");
  await until(page, () => /blue rope/.test(document.querySelector("main").innerText), null, "the inbox has it");
  await press(page, "Keep");
  await until(page, () => [...document.querySelectorAll(".toast")].some((one) => one.textContent === "Kept as a memory"), null, "kept");
  await page.evaluate((id) => { location.hash = `#/main/memory/${id}`; }, memory.id);
  await page.getByRole("button", { name: "Edit…" }).waitFor();
  await page.evaluate(() => document.querySelector("main").focus());
  await press(page, "Edit…");
  await page.keyboard.press("Control+A");
  await page.keyboard.type("The spare oar is under the bench");
  await press(page, "Store");
  await page.locator("blockquote", { hasText: "under the bench" }).waitFor();
  await page.evaluate(() => document.querySelector("main").focus());
  await press(page, "Forget…");
  await page.locator("dialog .cascade").waitFor();
  await press(page, "Forget");
  await until(page, () => location.hash.endsWith("timeline"), null, "forgotten");

  await page.evaluate(() => document.querySelector(".rooms a").focus());
  await enterRoom(page, "Self");
  await press(page, "To-dos and calendar");
  await until(page, () => /Oil the hinges/.test(document.querySelector("main").innerText), null, "the to-do is there");
  const open = (await main.get("todos?limit=500")).todos.length;
  await press(page, "Done");
  await until(page, (was) => [...document.querySelectorAll("main button")].filter((one) => one.textContent === "Done").length < was, open, "one is done");

  await page.evaluate(() => document.querySelector(".rooms a").focus());
  await enterRoom(page, "Operations");
  await press(page, "Examine now");
  await page.locator(".card", { hasText: "Doctor" }).locator(".chip").first().waitFor();
  await press(page, "Back up now");
  await page.locator("dt", { hasText: "SHA-256" }).waitFor();
  await page.evaluate(() => [...document.querySelectorAll("tr")].find((one) => one.textContent.includes("a spare key")).querySelector("button").scrollIntoView());
  await page.evaluate(() => { const rows = [...document.querySelectorAll("tr")], row = rows.find((one) => one.textContent.includes("a spare key")); rows[rows.indexOf(row) - 1].querySelector("button").focus(); });
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.locator("dialog", { hasText: "a spare key" }).waitFor();
  await press(page, "Revoke");
  await until(page, () => !document.querySelector("main").innerText.includes("a spare key"), null, "it is gone from the list");
  const refused = await fetch(`${house.address}/v1/agents/main/memories`, { headers: { authorization: `Bearer ${spare.secret}` } });
  assert.equal(refused.status, 401, "and opens nothing any more");
  assert.deepEqual(page.wrong, []);
  await page.context().close();
}
