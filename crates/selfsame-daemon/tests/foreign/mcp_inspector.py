"""Drives the built executable with the MCP inspector's command line: a client in another language again.

usage: python mcp_inspector.py <path of the selfsame binary> <path of the inspector>

Every call starts the inspector anew, so each tool is called where it tells most: those of `core` over stdio in both revisions,
those of `mind`, which has them too, over HTTP in the new one. What can be read by address, and the prompts, over both doors. The
official SDK calls everything everywhere (`mcp_every_tool.py`).
"""

import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from mcp_arguments import NOT_THE_AGENTS, PASSED, World, arguments, check, environment

BINARY, INSPECTOR = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
ERAS = {"legacy": "2025-11-25", "modern": "2026-07-28"}
CORE = ["remember", "recall", "observations", "tasks", "work", "context", "nudges"]


class Inspector:
    """The inspector at one door, in one profile and one revision."""

    def __init__(self, world, door, profile, era):
        self.world, self.door, self.profile, self.era = world, door, profile, era

    def target(self):
        if self.door == "stdio":
            return ["-e", f"SELFSAME_DATA={self.world.data}", BINARY, "mcp", "--profile", self.profile]
        url = f"http://{self.world.address}/mcp?agent=main&profile={self.profile}"
        return [url, "--transport", "http", "--header", f"Authorization: Bearer {self.world.key}"]

    def ran(self, method, *words):
        asked = [INSPECTOR, "--cli", *self.target(), "--method", method, "--format", "json", "--protocol-era", self.era, *words]
        return subprocess.run(asked, env=environment(self.world.data), capture_output=True, text=True, timeout=60)

    def ask(self, method, *words):
        done = self.ran(method, *words)
        check(f"{self}: the inspector can {method} {words[:2]}", done.returncode == 0, done.stdout[-500:] + done.stderr[-500:])
        return json.loads(done.stdout)["result"]

    def call(self, tool, asked):
        return self.ran("tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(asked))

    def __str__(self):
        return f"{self.door}, {self.profile}, {self.era}"


def greeted(at):
    hello = at.ask("initialize")
    check(f"{at}: the server names itself", hello["serverInfo"]["name"] == "selfsame", hello)
    check(f"{at}: it speaks {ERAS[at.era]}", hello["protocolVersion"] == ERAS[at.era], hello)


def every_tool(at):
    tools = [tool["name"] for tool in at.ask("tools/list")["tools"]]
    expected = tools == CORE if at.profile == "core" else len(tools) > 40 and set(CORE) <= set(tools)
    check(f"{at}: the tools are listed", expected, tools)
    seen = {}
    for tool in tools:
        done = at.call(tool, arguments(tool, seen, at.world.seeds))
        if tool in NOT_THE_AGENTS:
            check(f"{at}: {tool} is not for the agent", done.returncode != 0, done.stdout)
            check(f"{at}: {tool} says so", f"({NOT_THE_AGENTS[tool]})" in done.stdout + done.stderr, done)
            continue
        check(f"{at}: {tool} answers", done.returncode == 0, done.stdout[-500:] + done.stderr[-500:])
        result = json.loads(done.stdout)["result"]
        check(f"{at}: {tool} answers in words", not result.get("isError") and bool(result["content"][0]["text"].strip()), result)
        seen[tool] = result["structuredContent"]
    check(f"{at}: remember answers with an id", seen["remember"]["id"].startswith("mem_"), seen["remember"])
    check(f"{at}: recall finds it", seen["remember"]["id"] in json.dumps(seen["recall"]), seen["recall"])


def everything_to_read(at):
    listed = [one["uri"] for one in at.ask("resources/list")["resources"]]
    check(f"{at}: resources are listed", listed == ["selfsame://context", "selfsame://soul"], listed)
    for uri in [*listed, "selfsame://diary/today"]:
        read = at.ask("resources/read", "--uri", uri)
        check(f"{at}: {uri} is text", bool(read["contents"][0]["text"]), read)
    prompts = [one["name"] for one in at.ask("prompts/list")["prompts"]]
    check(f"{at}: prompts are listed", prompts == ["contemplate", "self-care"], prompts)
    for name in prompts:
        prompt = at.ask("prompts/get", "--prompt-name", name)
        check(f"{at}: the prompt {name} is for the agent", prompt["messages"][0]["role"] == "user", prompt)


def over_stdio():
    with tempfile.TemporaryDirectory() as folder, World(BINARY, os.path.join(folder, "mind")) as world:
        for era in ERAS:
            core = Inspector(world, "stdio", "core", era)
            greeted(core)
            every_tool(core)
            everything_to_read(core)
        mind = Inspector(world, "stdio", "mind", "modern").ask("tools/list")["tools"]
        check("stdio: mind has more", len(mind) > 40, len(mind))


def over_http():
    with tempfile.TemporaryDirectory() as folder, World(BINARY, os.path.join(folder, "mind")) as world:
        greeted(Inspector(world, "http", "core", "legacy"))
        everything_to_read(Inspector(world, "http", "core", "legacy"))
        mind = Inspector(world, "http", "mind", "modern")
        greeted(mind)
        every_tool(mind)
        everything_to_read(mind)


def main():
    # Side by side, each in a world of its own: the inspector mostly starts and waits.
    with ThreadPoolExecutor() as doors:
        for walked in [doors.submit(over_stdio), doors.submit(over_http)]:
            walked.result()
    print(f"{len(PASSED)} passed, 0 failed")


main()
