// Pictures of every room, light and dark, on a desk and on a phone: `node pictures.mjs EXECUTABLE PLAYWRIGHT FOLDER`.
// With libfaketime the mind in them has some weeks behind it.
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { House, browser, room, visit } from "./house.mjs";
import { seed } from "./seed.mjs";

const FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";
const ROOMS = { presence: "presence", beliefs: "beliefs", heartbeat: "heartbeat", memory: "memory/search", self: "self/episodes", operations: "operations" };
const MORE = { timeline: "memory/timeline", inbox: "memory/inbox", conversations: "memory/conversations", summaries: "memory/summaries", soul: "self/soul", diary: "self/diary", people: "self/people", todos: "self/todos", lessons: "self/lessons" };
const SIZES = { desk: { viewport: { width: 1280, height: 860 } }, phone: { viewport: { width: 390, height: 800 }, isMobile: true, hasTouch: true } };

const [executable, playwright, folder, which = ""] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const house = await House.open(executable);
if (existsSync(FAKETIME)) house.fake(FAKETIME);
try {
  await house.start();
  await seed(house);
  const window = await browser(playwright);
  for (const colorScheme of ["light", "dark"]) {
    for (const [size, screen] of Object.entries(SIZES)) {
      const page = await visit(window, house, "presence", { ...screen, colorScheme });
      // One paper shows the mood over time, the other one whom it knows.
      const rooms = which === "all" ? { ...ROOMS, ...MORE } : { ...ROOMS, self: colorScheme === "light" ? MORE.people : ROOMS.self };
      for (const [name, path] of Object.entries(rooms)) {
        await room(page, path);
        await prepare(page, house, name, size);
        await page.waitForTimeout(500);
        await page.screenshot({ path: join(folder, `${name}-${size}-${colorScheme}.png`), fullPage: which === "all" && name !== "presence" });
      }
      if (page.wrong.length) console.error(page.wrong);
      await page.context().close();
    }
  }
  await window.close();
} finally {
  await house.end();
}

async function prepare(page, house, name, size) {
  if (name === "presence") await page.waitForTimeout(1200);
  if (name === "memory") {
    await page.getByLabel("Ask its memory").fill("which database does the shop run on?");
    await page.locator(".parts").first().waitFor();
  }
  if (name === "beliefs") {
    const one = page.locator(".item", { hasText: "PostgreSQL" }).first();
    await one.click();
    await page.locator(".anatomy").waitFor();
  }
  if (name === "heartbeat" && size === "desk") {
    await page.locator(".item[href*=rcp_]", { hasText: "Spoke up" }).first().click();
    await page.locator(".funnel").waitFor();
    await page.evaluate(() => scrollTo(0, 0));
  }
  if (await page.locator(".node").count() && name !== "beliefs") {
    await page.locator(".node").first().click();
    await page.waitForTimeout(200);
  }
}
