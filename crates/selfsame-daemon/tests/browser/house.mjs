// A daemon of the built executable with a folder of its own, a browser, and the way from one to the other.
import { execFile, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export class House {
  // Starts a daemon on a free port. Its thinker says whatever `think` was last given.
  static async open(executable, more = []) {
    const house = new House();
    house.executable = executable;
    house.folder = mkdtempSync(join(tmpdir(), "selfsame-browser-"));
    house.data = join(house.folder, "mind");
    house.words = join(house.folder, "words");
    const thinker = join(house.folder, "thinker");
    writeFileSync(house.words, "");
    writeFileSync(thinker, `#!/bin/sh\ncat > /dev/null\ncase "$(cat "${house.words}")" in FAIL*) cat "${house.words}" >&2; exit 1;; esac\ncat "${house.words}"\n`);
    chmodSync(thinker, 0o700);
    house.settings = ["--set", "thinker.contemplate=command", "--set", "thinker.daily_time=24h", "--set", "contemplation.per_hour=1000", "--set", `thinker.command=["${thinker}"]`, "--set", "contemplation.seasoning=false", "--set", "self_care.least=5", "--set", "self_care.recent_messages=2", "--set", "self_care.active_within=1s", ...more];
    return house;
  }

  // With another clock: `at` moves it. Only where libfaketime is; pictures want a past.
  fake(library) {
    this.moment = join(this.folder, "moment");
    // From its first moment on: a clock that went back would not be believed.
    writeFileSync(this.moment, `-${28 * 86400}s`);
    this.environment = { LD_PRELOAD: library, FAKETIME_TIMESTAMP_FILE: this.moment, FAKETIME_NO_CACHE: "1", FAKETIME_DONT_FAKE_MONOTONIC: "1" };
  }

  // So many days ago, at this hour; without another clock it is always now.
  async at(days, hour = 10) {
    if (!this.moment) return;
    const now = new Date();
    const then = new Date(now.getTime() - days * 86400000);
    if (days > 0) then.setUTCHours(Math.floor(hour), (hour % 1) * 60, 0, 0);
    writeFileSync(this.moment, `${Math.round((then.getTime() - now.getTime()) / 1000)}s`.replace(/^(\d)/, "+$1"));
    await new Promise((go) => setTimeout(go, 30));
  }

  // So many hours before now.
  ago = (hours) => this.moment && (writeFileSync(this.moment, `-${Math.round(hours * 3600)}s`), new Promise((go) => setTimeout(go, 30)));

  // On a free port, or on the one that it had before.
  async start(port = 0) {
    if (!this.daemon) {
      process.once("exit", () => this.daemon.kill("SIGKILL"));
      for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => process.exit(1));
    }
    this.daemon = spawn(this.executable, ["--data", this.data, "--json", ...this.settings, "serve", "--address", `127.0.0.1:${port}`], { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...this.environment } });
    const line = await new Promise((answer, refuse) => {
      let said = "";
      this.daemon.stdout.on("data", (bytes) => { said += bytes; if (said.includes("\n")) answer(said.split("\n")[0]); });
      this.daemon.on("exit", (code) => refuse(new Error(`the daemon ended with ${code}`)));
    });
    this.address = `http://${JSON.parse(line).address}`;
    this.key = readFileSync(join(this.data, "operator.key"), "utf8").trim();
    return this;
  }

  // One command, as somebody at the terminal.
  async cli(...words) {
    const { stdout } = await run(this.executable, ["--data", this.data, "--json", ...words], { maxBuffer: 1 << 26 });
    return stdout ? JSON.parse(stdout) : undefined;
  }

  // What no operation does: a word straight to the database file.
  raw = (sql, ...given) => run("python3", ["-c", "import sqlite3, sys\nmind = sqlite3.connect(sys.argv[1], timeout=20)\nmind.execute(sys.argv[2], sys.argv[3:])\nmind.commit()", join(this.data, "selfsame.db"), sql, ...given]);

  // Whoever is refused fails: a test whose beginning went wrong says nothing about the rest.
  async ask(method, path, body, key = this.key) {
    const answer = await fetch(this.address + path, { method, headers: { authorization: `Bearer ${key}`, ...(body ? { "content-type": "application/json" } : {}) }, body: body && JSON.stringify(body) });
    const said = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(said)}`);
    return said;
  }
  of = (agent, key) => ({ get: (path) => this.ask("GET", `/v1/agents/${agent}/${path}`, undefined, key), post: (path, body = {}) => this.ask("POST", `/v1/agents/${agent}/${path}`, body, key) });

  // The agent itself, where only it may speak.
  async itself(agent = "main") {
    this.own ??= (await this.ask("POST", "/v1/keys", { name: "the agent's own", speaks_as: "agent", scopes: ["read", "write"] })).secret;
    return this.of(agent, this.own);
  }

  // Whatever the hour is: the operator's quiet minute is half a day from now, by the operator's own clock.
  async mayBeSpokenTo(agent) {
    const { zone } = (await this.of(agent).get("principals")).principals.find((one) => one.operator);
    const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", hourCycle: "h23", timeZone: zone });
    const hour = clock.format(Date.now() + 12 * 3600000);
    await this.of(agent).post("heartbeat", { quiet: `${hour}:00-${hour}:01` });
  }

  // A host that files what was said by whom.
  async host(agent = "main") {
    this.hosts ??= (await this.ask("POST", "/v1/keys", { name: "a host", agent, speaks_as: "host", scopes: ["read", "write"] })).secret;
    return this.of(agent, this.hosts);
  }

  // Folds what fits a theme into a summary in the agent's own words.
  async fold(agent, what, focus, text) {
    const self = await this.itself(agent);
    const { batch, ...reply } = await self.post("self-care", { action: "begin", what, ...(focus ? { focus } : {}) });
    if (!batch) throw new Error(JSON.stringify(reply));
    const done = await self.post("self-care", { action: "commit", batch: batch.id, text });
    if (!done.summaries.length) throw new Error(JSON.stringify(done));
    return done.summaries[0];
  }

  // A time of thinking that says this of itself.
  async think(account, agent = "main") {
    const whole = { type: "contemplation", trigger: "idle", observations: [], actions_taken: [], tools_used: [], outcome: { result: "noticed", summary: "Nothing much." }, success: true, mood: { state: "calm", energy: "medium" }, valence: 0, arousal: 0.2, identity_links: [], ...account };
    writeFileSync(this.words, `I thought about it.\n[EPISODE_JSON]\n${JSON.stringify(whole)}\n[/EPISODE_JSON]\n`);
    const made = await this.of(agent).post("contemplate");
    if (made.outcome !== "episode") throw new Error(JSON.stringify(made));
    return made.episode.id;
  }

  code = async () => (await this.cli("dashboard")).code;

  async stop() {
    if (this.daemon?.exitCode === null) {
      const gone = new Promise((answer) => this.daemon.once("exit", answer));
      this.daemon.kill("SIGTERM");
      await gone;
    }
  }
  async end() { await this.stop(); rmSync(this.folder, { recursive: true, force: true }); }
}

export async function browser(playwright, executable = "/usr/bin/chromium") {
  const { chromium } = createRequire(`${playwright}/`)("playwright-core");
  const args = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic", "--no-first-run", "--disable-gpu", "--force-color-profile=srgb"];
  return chromium.launch({ executablePath: executable, args, env: { ...process.env, NO_PROXY: "*", no_proxy: "*" } });
}

// A page that is in, at a room. What it asked for and what went wrong in it is written down.
export async function visit(window, house, room = "presence", options = {}) {
  const context = await window.newContext({ viewport: { width: 1280, height: 860 }, locale: "en-GB", ...options });
  const page = await context.newPage();
  page.asked = [];
  page.wrong = [];
  page.on("request", (request) => page.asked.push(request.url()));
  page.on("websocket", (socket) => page.asked.push(socket.url()));
  page.on("pageerror", (error) => page.wrong.push(String(error)));
  page.on("console", (message) => { if (message.type() === "error" && !/status of 40[01349]|WebSocket|ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_SOCKET/.test(message.text())) page.wrong.push(message.text()); });
  page.on("dialog", (dialog) => { page.wrong.push(`a dialog: ${dialog.message()}`); dialog.dismiss(); });
  // While the dashboard is being written: files of a folder instead of those in the program.
  const folder = process.env.DASHBOARD_FROM;
  if (folder) await context.route("**/dashboard/**/*.{js,css}", (route) => route.fulfill({ path: join(folder, new URL(route.request().url()).pathname.replace("/dashboard/", "")), contentType: route.request().url().endsWith("css") ? "text/css" : "text/javascript" }));
  await page.goto(`${house.address}/dashboard#/main/${room}`);
  await page.getByLabel("One-time code").fill(await house.code());
  await page.keyboard.press("Enter");
  await page.locator(".rooms").waitFor();
  await page.locator("main .wait").waitFor({ state: "detached" });
  return page;
}

// Another room of the same visit, or another part of one.
export async function room(page, path) {
  await page.evaluate((to) => { location.hash = `#/main/${to}`; }, path);
  await page.waitForFunction((to) => {
    const ends = (selector, part) => document.querySelector(selector)?.getAttribute("href").includes(part);
    const [first, second] = to.split("/");
    return ends(".rooms a[aria-current]", `/${first}`) && !document.querySelector("main .wait") && (!second || !document.querySelector(".tabs") || second.startsWith("mem_") && !document.querySelector(".tabs a[aria-current]") || ends(".tabs a[aria-current]", `/${first}/${second}`));
  }, path);
}
