// A visitor without a pointer, and what can be measured of a page by whoever cannot see it.
import assert from "node:assert/strict";

export const PATIENCE = 20000;
export const until = (page, work, given, what) => page.waitForFunction(work, given, { timeout: PATIENCE }).catch((error) => { throw new Error(`${what}: ${error.message}`); });

// What the focus is on, as it would be called.
export const focused = (page) => page.evaluate(() => { const on = document.activeElement; return (on.getAttribute("aria-label") || on.labels?.[0]?.innerText || on.innerText || on.textContent || "").trim(); });

// Presses Tab until the focus is on what has this name.
export async function reach(page, name, most = 160) {
  const is = (said) => (name instanceof RegExp ? name.test(said) : said === name);
  for (let presses = 0; presses < most; presses += 1) {
    if (is(await focused(page))) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab never came to ${name}`);
}

// And presses it.
export async function press(page, name) {
  await reach(page, name);
  await page.keyboard.press("Enter");
}

// Opens a room as hands do it: by its link in the rail.
export async function enterRoom(page, name) {
  await press(page, name);
  await until(page, (room) => document.querySelector(".rooms a[aria-current]").innerText.trim() === room && !document.querySelector("main .wait"), name, `${name} opens`);
}

// Text that is too faint to be read: what WCAG AA asks is 4.5, or 3 where letters are large.
export const tooFaint = (page) => page.evaluate(() => {
  const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const read = (colour) => { pen.clearRect(0, 0, 1, 1); pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1); const [red, green, blue, alpha] = pen.getImageData(0, 0, 1, 1).data; return [red, green, blue, alpha / 255]; };
  const light = ([red, green, blue]) => [red, green, blue].map((value) => { const part = value / 255; return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4; }).reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
  const over = ([red, green, blue, alpha], under) => [red, green, blue].map((value, place) => value * alpha + under[place] * (1 - alpha));
  function behind(element) {
    const layers = [];
    for (let at = element; at; at = at.parentElement) { const colour = read(getComputedStyle(at).backgroundColor); if (colour[3] > 0) layers.push(colour); if (colour[3] === 1) break; }
    return layers.reverse().reduce((under, layer) => over(layer, under), [255, 255, 255]);
  }
  const found = new Map(), walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || element.closest(".unseen, .skip, [disabled], option, title, thead th .unseen")) continue;
    const style = getComputedStyle(element);
    const opacity = (() => { let whole = 1; for (let at = element; at; at = at.parentElement) whole *= Number(getComputedStyle(at).opacity); return whole; })();
    // In a picture the ground may be a shape: the text says which colour it stands on.
    const shape = element.getAttribute("data-on");
    const ground = shape ? read(getComputedStyle(document.documentElement).getPropertyValue(shape)).slice(0, 3) : behind(element), ink = read(element instanceof SVGElement ? style.fill : style.color);
    const written = over([...ink.slice(0, 3), ink[3] * opacity], ground);
    const [high, low] = [light(written), light(ground)].sort((one, other) => other - one);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < (large ? 3 : 4.5)) found.set(`${element.tagName}.${element.getAttribute("class")}`, `${ratio.toFixed(2)} “${walker.currentNode.data.trim().slice(0, 40)}”`);
  }
  return [...found];
});

// What is pressed with a finger and smaller than one: 44 pixels high where it stands alone, 24 in a line of text.
export const tooSmall = (page) => page.evaluate(() => [...document.querySelectorAll("button, a[href], select, input, summary, .node")].filter((one) => one.checkVisibility() && !one.closest(".skip")).map((one) => [one, one.getBoundingClientRect()])
  .filter(([one, box]) => box.width > 0 && (Math.min(box.width, box.height) < 24 && !(getComputedStyle(one).display === "inline") || (one.matches(".btn, select, .seg button, .rooms a, .tabs a") && box.height < 44)))
  .map(([one, box]) => `${one.outerHTML.slice(0, 80)} ${box.width.toFixed(0)}×${box.height.toFixed(0)}`));

// Whether the page can be moved sideways, and by what.
export const tooWide = (page) => page.evaluate(() => {
  const wide = document.documentElement.clientWidth;
  if (document.scrollingElement.scrollWidth <= wide) return [];
  return [`${document.scrollingElement.scrollWidth} of ${wide}`, ...[...document.querySelectorAll("body *")].filter((one) => one.getBoundingClientRect().right > wide + 1 && !one.closest(".scroll, .tabs, svg")).slice(0, 3).map((one) => one.outerHTML.slice(0, 100))];
});
