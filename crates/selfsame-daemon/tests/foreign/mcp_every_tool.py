"""Calls every tool of every profile with the official Python SDK, over stdio and HTTP, in both revisions of the protocol.

usage: python mcp_every_tool.py <path of the selfsame binary>

What is asked follows from each tool's own schema, so a tool that is added is called without a word here. A refusal is a
result too, if it says what is wrong; what may not happen is an error of the protocol, an answer without text, or one that
does not fit the schema that the tool promises.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile

import jsonschema
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

BINARY = os.path.abspath(sys.argv[1])
MODES = {"2026-07-28": "2026-07-28", "2025-11-25": "legacy"}
PASSED = []
SEEN = {}

WORDS = {
    "action": "list", "judgement": "confirm", "kind": "knowledge", "type": "knowledge", "status": "all", "date": "2026-01-02",
    "from": "2026-01-01", "to": "2027-01-01", "until": "2026-01-08T00:00:00Z", "at": "2030-01-01T09:00", "start": "2031-07-01T09:00",
    "every": "7d", "for": "2h", "name": "bees", "entity": "operator", "principal": "operator", "channel": "terminal",
    "relationship_type": "ally", "priority": "high", "due": "2031-03-01",
}  # fmt: skip


def check(what, ok, seen=None):
    if not ok:
        print(f"FAILED: {what}: {seen!r}")
        sys.exit(1)
    PASSED.append(what)


def environment(data):
    return {"PATH": os.environ["PATH"], "HOME": data, "SELFSAME_DATA": data}


def selfsame(data, *words):
    done = subprocess.run([BINARY, *words], env=environment(data), capture_output=True, text=True, timeout=60)
    check(f"selfsame {' '.join(words[:2])} succeeds", done.returncode == 0, done.stderr)
    return done.stdout


def remember_ids(value):
    for one in re.findall(r"\b([a-z]{3}_[0-9a-z]{26})\b", json.dumps(value)):
        SEEN.setdefault(one[:4], one)


def value_for(name, schema):
    kind = schema.get("type", "string")
    kind = next((one for one in kind if one != "null"), "string") if isinstance(kind, list) else kind
    if kind == "string":
        prefix = re.search(r"\b([a-z]{3}_)\.\.\.", schema.get("description", ""))
        if prefix and prefix.group(1) in SEEN:
            return SEEN[prefix.group(1)]
        return WORDS.get(name, "what about the bees?")
    if kind == "array":
        return [value_for(name, schema.get("items", {}))]
    if kind == "object":
        return {key: value_for(key, one) for key, one in schema.get("properties", {}).items()}
    return {"integer": 3, "number": 0.5, "boolean": False}.get(kind, "x")


async def every_tool(client, profile):
    tools = (await client.list_tools()).tools
    check(f"{profile} has its tools", len(tools) == 7 if profile == "core" else len(tools) > 40, len(tools))
    for tool in tools:
        schema = tool.input_schema
        needed = schema.get("required", [])
        asked = {name: value_for(name, schema["properties"][name]) for name in needed}
        result = await client.call_tool(tool.name, asked)
        text = "".join(getattr(part, "text", "") for part in result.content)
        check(f"{tool.name} answers in words", bool(text.strip()), result)
        if result.is_error:
            check(f"{tool.name} says what is wrong", re.search(r"\([a-z_]+\)$", text.strip()), text)
        else:
            check(f"{tool.name} answers with structure", isinstance(result.structured_content, dict), result)
            remember_ids(result.structured_content)
            if tool.output_schema:
                jsonschema.validate(result.structured_content, tool.output_schema)
        refused = await client.call_tool(tool.name, {**asked, "nonsense": 1})
        check(f"{tool.name} refuses what it does not know", refused.is_error, refused)
    for address in ["selfsame://context", "selfsame://soul", "selfsame://diary/today"]:
        read = await client.read_resource(address)
        check(f"{address} is text", bool(read.contents[0].text), read)


async def by_stdio(data):
    for revision, mode in MODES.items():
        for profile in ["core", "mind"]:
            server = StdioServerParameters(command=BINARY, args=["mcp", "--profile", profile], env=environment(data))
            async with Client(server, mode=mode) as client:
                check(f"stdio speaks {revision}", client.protocol_version == revision, client.protocol_version)
                await every_tool(client, profile)


async def by_http(address, key):
    for revision, mode in MODES.items():
        for profile in ["core", "mind"]:
            http = create_mcp_http_client(headers={"Authorization": f"Bearer {key}"})
            url = f"http://{address}/mcp?profile={profile}"
            async with http, Client(streamable_http_client(url, http_client=http), mode=mode) as client:
                check(f"HTTP speaks {revision}", client.protocol_version == revision, client.protocol_version)
                await every_tool(client, profile)


def main():
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "mind")
        selfsame(data, "init")
        daemon = subprocess.Popen(
            [BINARY, "serve", "--address", "127.0.0.1:0", "--json"], env=environment(data), stdout=subprocess.PIPE, text=True
        )
        try:
            ready = json.loads(daemon.stdout.readline())
            made = json.loads(selfsame(data, "key", "create", "every", "--speaks-as", "agent", "--json"))
            asyncio.run(by_stdio(data))
            asyncio.run(by_http(ready["address"], made["secret"]))
        finally:
            daemon.terminate()
            daemon.wait(timeout=20)
        selfsame(data, "verify")
    print(f"{len(PASSED)} passed, 0 failed")


main()
