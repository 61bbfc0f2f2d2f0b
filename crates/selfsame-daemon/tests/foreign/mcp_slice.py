"""Drives `selfsame mcp` with the official Python SDK: a client that shares no code with us.

usage: python mcp_slice.py <path of the selfsame binary>

Twice: once with no daemon (each call opens the folder itself) and once with a daemon that owns the folder.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

BINARY = os.path.abspath(sys.argv[1])
PASSED = []


def check(what, ok, seen=None):
    if not ok:
        print(f"FAILED: {what}: {seen!r}")
        print(f"{len(PASSED)} passed, 1 failed")
        sys.exit(1)
    PASSED.append(what)


def environment(data):
    return {"PATH": os.environ["PATH"], "HOME": data, "SELFSAME_DATA": data}


def selfsame(data, *words):
    done = subprocess.run([BINARY, *words], env=environment(data), capture_output=True, text=True, timeout=60)
    check(f"selfsame {' '.join(words[:2])} succeeds", done.returncode == 0, done.stderr)
    return done.stdout


async def session(data, profile, body):
    server = StdioServerParameters(command=BINARY, args=["mcp", "--profile", profile], env=environment(data))
    async with stdio_client(server) as (read, write), ClientSession(read, write) as client:
        hello = await client.initialize()
        info = getattr(hello, "server_info", None) or hello.serverInfo
        check("the server names itself", info.name == "selfsame", info)
        await body(client)


def structured(result):
    value = getattr(result, "structured_content", None)
    return value if value is not None else result.structuredContent


def is_error(result):
    flag = getattr(result, "is_error", None)
    return flag if flag is not None else result.isError


async def core_tools(client):
    tools = (await client.list_tools()).tools
    check("core lists its tools in order", [tool.name for tool in tools] == ["remember", "recall"], tools)
    for tool in tools:
        schema = getattr(tool, "input_schema", None) or tool.inputSchema
        check(f"{tool.name} refuses unknown arguments", schema.get("additionalProperties") is False, schema)
        check(f"{tool.name} says what it does", len(tool.description) > 20)


async def all_tools(client):
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    check("mind adds forget", set(tools) == {"remember", "recall", "forget"}, set(tools))
    hints = tools["forget"].annotations.model_dump(by_alias=True)
    check("forget is marked destructive", hints["destructiveHint"] is True and hints["readOnlyHint"] is False, hints)
    check("recall is marked read-only", tools["recall"].annotations.model_dump(by_alias=True)["readOnlyHint"] is True)

    stored = structured(await client.call_tool("remember", {"content": "Maya moved to Lisbon", "type": "event"}))
    check("remember answers with an id", stored["id"].startswith("mem_") and stored["outcome"] == "stored", stored)

    found = await client.call_tool("recall", {"query": "where did Maya move?"})
    hits = structured(found)["hits"]
    check("recall finds what was remembered", [hit["id"] for hit in hits] == [stored["id"]], hits)
    check("a tool call is the agent's own word", hits[0]["author"] == "agent" and hits[0]["trust"] == 0.5, hits[0])
    check("the text says it too", "Maya moved to Lisbon" in found.content[0].text, found.content)

    nothing = await client.call_tool("recall", {"query": "zxqv wwkp"})
    check("nonsense finds nothing", structured(nothing)["hits"] == [] and "Nothing found" in nothing.content[0].text)

    for name, arguments, expected in [
        ("remember", {"content": "  "}, "empty_text"),
        ("remember", {"content": "x", "trust": 1.0}, "unknown field `trust`"),
        ("remember", {"content": "x", "type": "prefrence"}, 'did you mean "preference"'),
        ("forget", {"id": "nonsense"}, "is no memory id"),
    ]:
        refused = await client.call_tool(name, arguments)
        check(f"{name} refuses {arguments}", is_error(refused) and expected in refused.content[0].text, refused)

    gone = structured(await client.call_tool("forget", {"id": stored["id"]}))
    check("forget forgets", gone["outcome"] == "forgotten" and gone["memories"] == 1, gone)
    empty = structured(await client.call_tool("recall", {"query": "where did Maya move?"}))
    check("what is forgotten is not found", empty["hits"] == [], empty)
    again = await client.call_tool("forget", {"id": stored["id"]})
    check("forgetting twice says so", is_error(again) and "was forgotten" in again.content[0].text, again)


async def both_profiles(data):
    await session(data, "core", core_tools)
    await session(data, "mind", all_tools)


def with_daemon(data):
    daemon = subprocess.Popen(
        [BINARY, "serve", "--address", "127.0.0.1:0", "--json"], env=environment(data), stdout=subprocess.PIPE, text=True
    )
    try:
        json.loads(daemon.stdout.readline())
        asyncio.run(both_profiles(data))
    finally:
        daemon.terminate()
        check("the daemon ends well when asked to", daemon.wait(timeout=20) == 0)


def main():
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "mind")
        selfsame(data, "init")
        asyncio.run(both_profiles(data))
        with_daemon(data)
        selfsame(data, "verify")
    print(f"{len(PASSED)} passed, 0 failed")


main()
