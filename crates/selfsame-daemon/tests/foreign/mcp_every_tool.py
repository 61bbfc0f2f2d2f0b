"""Calls every tool of every profile with the official Python SDK, over stdio and HTTP, in both revisions of the protocol.

usage: python mcp_every_tool.py <path of the selfsame binary>

Each tool is asked something real (see `mcp_arguments.py`) and must answer, in words and in a structure that fits the
schema it promises; with a field too many it must refuse, and name the field. Everything that can be read by address is read,
and every prompt is asked for.
"""

import asyncio
import os
import re
import sys
import tempfile

import jsonschema
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
from mcp.types import LATEST_PROTOCOL_VERSION
from mcp_arguments import NOT_THE_AGENTS, PASSED, World, arguments, check, environment

BINARY = os.path.abspath(sys.argv[1])
MODES = {LATEST_PROTOCOL_VERSION: LATEST_PROTOCOL_VERSION, "2025-11-25": "legacy"}


def words_of(result):
    return "".join(getattr(part, "text", "") for part in result.content)


def code_of(tool, refused):
    """A refusal ends with its code; one that is nobody's fault but ours is none."""
    found = re.search(r"\(([a-z_]+)\)$", words_of(refused).strip())
    check(f"{tool} says what is wrong", found, refused)
    check(f"{tool} is refused for a reason", found.group(1) not in ("internal", "mcp"), refused)
    return found.group(1)


async def every_tool(client, profile, seeds):
    tools = (await client.list_tools()).tools
    check(f"{profile} has its tools", len(tools) == 7 if profile == "core" else len(tools) > 40, len(tools))
    seen = {}
    for tool in tools:
        asked = arguments(tool.name, seen, seeds)
        refused = await client.call_tool(tool.name, {**asked, "nonsense": 1})
        check(f"{tool.name} refuses what it does not know", refused.is_error, refused)
        code_of(tool.name, refused)
        check(f"{tool.name} names what it does not know", "nonsense" in words_of(refused), refused)
        result = await client.call_tool(tool.name, asked)
        check(f"{tool.name} answers in words", bool(words_of(result).strip()), result)
        if tool.name in NOT_THE_AGENTS:
            check(f"{tool.name} is not for the agent", result.is_error, result)
            check(f"{tool.name} says so", code_of(tool.name, result) == NOT_THE_AGENTS[tool.name], result)
            continue
        check(f"{tool.name} answers", not result.is_error, result)
        check(f"{tool.name} answers with structure", isinstance(result.structured_content, dict), result)
        # The few tools of `core` cost no more context than they must, and promise none.
        if profile == "mind":
            jsonschema.validate(result.structured_content, tool.output_schema)
        seen[tool.name] = result.structured_content


async def everything_to_read(client):
    addresses = [str(one.uri) for one in (await client.list_resources()).resources]
    check("resources are listed", addresses == ["selfsame://context", "selfsame://soul"], addresses)
    for address in [*addresses, "selfsame://diary/today", "selfsame://diary/2026-01-02"]:
        read = await client.read_resource(address)
        check(f"{address} is text", bool(read.contents[0].text), read)
    names = [one.name for one in (await client.list_prompts()).prompts]
    check("prompts are listed", names == ["contemplate", "self-care"], names)
    for name, tool in zip(names, ["`work`", "`self_care`"]):
        said = (await client.get_prompt(name)).messages[0]
        check(f"the prompt {name} is for the agent", said.role == "user" and tool in said.content.text, said)


async def walk(world, door, revision, profile, client):
    check(f"{door} speaks {revision}", client.protocol_version == revision, client.protocol_version)
    await every_tool(client, profile, world.seeds)
    await everything_to_read(client)


async def over_stdio(world, revision, profile):
    server = StdioServerParameters(command=BINARY, args=["mcp", "--profile", profile], env=environment(world.data))
    async with Client(server, mode=MODES[revision]) as client:
        await walk(world, "stdio", revision, profile, client)


def http_client(world, key, revision, profile):
    http = create_mcp_http_client(headers={"Authorization": f"Bearer {key}"})
    url = f"http://{world.address}/mcp?agent=main&profile={profile}"
    return http, Client(streamable_http_client(url, http_client=http), mode=MODES[revision])


async def over_http(world, revision, profile):
    http, door = http_client(world, world.key, revision, profile)
    async with http, door as client:
        await walk(world, "HTTP", revision, profile, client)
    if profile == "core":
        return
    http, door = http_client(world, world.operators_key, revision, profile)
    async with http, door as client:
        for tool in NOT_THE_AGENTS:
            result = await client.call_tool(tool, arguments(tool, {}, world.seeds))
            check(f"{tool} is for the operator", not result.is_error, result)


def main():
    for door in [over_stdio, over_http]:
        for revision in MODES:
            with tempfile.TemporaryDirectory() as folder:
                # What is made by one walk is in the way of the next: each has a world of its own.
                with World(BINARY, os.path.join(folder, "mind")) as world:
                    for profile in ["core", "mind"]:
                        asyncio.run(door(world, revision, profile))
                world.selfsame("verify")
    print(f"{len(PASSED)} passed, 0 failed")


main()
