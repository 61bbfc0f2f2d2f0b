"""Drives `selfsame mcp` with the official Python SDK: a client that shares no code with us.

usage: python mcp_slice.py <path of the selfsame binary>

Twice: once with no daemon (each call opens the folder itself) and once with a daemon that owns the folder.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

BINARY = os.path.abspath(sys.argv[1])
PASSED = []
SEED_TOOLS = {
    "add_to_longterm_memory", "remove_from_longterm_memory", "retrieve", "add_to_soul", "remove_from_soul",
    "write_diary", "search_diary_for_keywords", "show_diary_entries_from_day", "add_todo", "complete_todo", "list_todo",
    "add_to_calendar", "check_calendar", "remove_from_calendar", "assign_relationship", "why", "feedback",
}  # fmt: skip


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


async def reads_and_prompts(client):
    """What can be read by address, and what can be asked for by name."""
    listed = await client.list_resources()
    addresses = [str(one.uri) for one in listed.resources]
    check("resources are listed", addresses == ["selfsame://context", "selfsame://soul"], addresses)
    templates = await client.list_resource_templates()
    patterns = [getattr(one, "uri_template", None) or one.uriTemplate for one in templates.resource_templates]
    check("so is the diary", patterns == ["selfsame://diary/{date}"], patterns)
    for address in [*addresses, "selfsame://diary/today"]:
        read = await client.read_resource(address)
        check(f"{address} is text", bool(read.contents[0].text), read)
    try:
        await client.read_resource("selfsame://nowhere")
        check("an unknown address is refused", False)
    except Exception as refused:
        check("an unknown address is refused", "there is nothing at this address" in str(refused), refused)
    names = [one.name for one in (await client.list_prompts()).prompts]
    check("prompts are listed", names == ["contemplate", "self-care"], names)
    for name in names:
        prompt = await client.get_prompt(name)
        check(f"the prompt {name} is for the agent", prompt.messages[0].role == "user", prompt)


async def over_http(address, key, profile, body):
    """The same over HTTP, where each request shows its key."""
    http = create_mcp_http_client(headers={"Authorization": f"Bearer {key}"})
    url = f"http://{address}/mcp?profile={profile}"
    async with http, streamable_http_client(url, http_client=http) as streams:
        async with ClientSession(streams[0], streams[1]) as client:
            hello = await client.initialize()
            info = getattr(hello, "server_info", None) or hello.serverInfo
            check("the server names itself over HTTP", info.name == "selfsame", info)
            await body(client)


async def at_the_network_door(data, address):
    made = json.loads(selfsame(data, "key", "create", "foreign", "--speaks-as", "agent", "--json"))
    await over_http(address, made["secret"], "core", core_tools)
    await over_http(address, made["secret"], "mind", all_tools)
    await over_http(address, made["secret"], "core", reads_and_prompts)
    async with create_mcp_http_client() as http:
        for headers in [{}, {"Authorization": "Bearer ssk_wrong"}, {"Authorization": f"Bearer {made['secret']}", "Origin": "https://evil.example"}]:
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
            accept = {"Accept": "application/json, text/event-stream", **headers}
            refused = await http.post(f"http://{address}/mcp", json=body, headers=accept)
            check("a stranger learns nothing over HTTP", refused.status_code in (401, 403) and "remember" not in refused.text, refused.text)


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
    names = [tool.name for tool in tools]
    check("core lists its tools in order", names == ["remember", "recall", "observations", "tasks", "work", "context", "nudges"], names)
    for tool in tools:
        schema = getattr(tool, "input_schema", None) or tool.inputSchema
        check(f"{tool.name} refuses unknown arguments", schema.get("additionalProperties") is False, schema)
        check(f"{tool.name} says what it does", len(tool.description) > 20)


async def all_tools(client):
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    check("mind has the tools of the cognition stack", SEED_TOOLS <= set(tools), SEED_TOOLS - set(tools))
    own = {"heartbeat_set", "heartbeat_mute", "heartbeat_unmute", "heartbeat_snooze", "heartbeat_pause"} & set(tools)
    check("how people are spoken to is not the agent's to say", not own, own)
    hints = tools["forget"].annotations.model_dump(by_alias=True)
    check("forget is marked destructive", hints["destructiveHint"] is True and hints["readOnlyHint"] is False, hints)
    check("recall is marked read-only", tools["recall"].annotations.model_dump(by_alias=True)["readOnlyHint"] is True)

    stored = structured(await client.call_tool("remember", {"content": "Maya moved to Lisbon", "type": "event"}))
    check("remember answers with an id", stored["id"].startswith("mem_") and stored["outcome"] == "stored", stored)

    found = await client.call_tool("recall", {"query": "where did Maya move?"})
    hits = structured(found)["hits"]
    memories = [hit for hit in hits if hit["layer"] == "memory"]
    check("recall finds what was remembered", [hit["id"] for hit in memories] == [stored["id"]], hits)
    check("a tool call is the agent's own word", memories[0]["author"] == "agent" and memories[0]["trust"] == 0.5, hits)
    # A daemon reads what was stored a moment later, a command of its own at once: it may be believed by now.
    beliefs = [hit["id"] for hit in hits if hit["layer"] == "observation"]
    check("and names the belief it speaks for, if there is one", memories[0].get("supports", []) == beliefs, hits)
    check("the text says it too", "Maya moved to Lisbon" in found.content[0].text, found.content)

    context = await client.call_tool("context", {"query": "where did Maya move?", "budget_tokens": 500})
    assembled = structured(context)
    check("context has what is asked for", "Maya moved to Lisbon" in assembled["text"], assembled)
    check("context keeps to its budget", 0 < assembled["tokens"] <= 500, assembled["tokens"])

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


async def layers(client):
    """Every tool of the cognition stack, as an agent that knows it by name would call it."""

    async def call(name, **arguments):
        result = await client.call_tool(name, arguments)
        check(f"{name} answers", not is_error(result), result)
        return structured(result)

    stored = await call("add_to_longterm_memory", content="The north gate sticks in winter")
    found = await call("retrieve", query="which gate sticks?")
    check("retrieve finds what was added", stored["id"] in [hit["id"] for hit in found["hits"]], found)
    await call("remove_from_longterm_memory", id=stored["id"])

    entry = await call("add_to_soul", content="Information is a gift", kind="belief", reason="I was given much")
    check("the soul has it", entry["id"] in str(await call("soul")))
    await call("remove_from_soul", id=entry["id"], reason="it was a mood")

    await call("write_diary", text="Rain, and a long talk about gates", mood="calm", date="2026-01-05")
    day = await call("show_diary_entries_from_day", date="2026-01-05")
    check("the day has its entry", "gates" in str(day), day)
    check("keywords find it", "gates" in str(await call("search_diary_for_keywords", keywords="gates")))

    todo = await call("add_todo", title="Oil the gate", priority="high", due="2030-01-01")
    check("it is on the list", todo["id"] in str(await call("list_todo")))
    await call("complete_todo", id=todo["id"])
    check("it is on the list no more", todo["id"] not in str(await call("list_todo")))

    event = await call("add_to_calendar", title="Gate day", start="2030-05-01T10:00", recurrence="FREQ=YEARLY")
    listed = await call("check_calendar", **{"from": "2030-01-01", "to": "2032-12-31"})
    check("the series is expanded", str(listed).count("Gate day") == 3, listed)
    await call("remove_from_calendar", id=event["id"])

    claim = {"subject": "north gate", "kind": "project_state", "slot": "colour", "value": "green"}
    await call("remember", content="The north gate is painted green", claim=claim)
    believed = (await call("observations", about="north gate"))["observations"]
    check("what was claimed is believed", [one["value"] for one in believed] == ["green"], believed)
    reasons = await call("why", observation="north-gate/colour")
    check("it says why", reasons["evidence"][0]["words"] == "The north gate is painted green", reasons)
    judged = await call("feedback", observation=believed[0]["id"], judgement="useful")
    check("a judgement is kept", judged["memory"].startswith("mem_") and not judged["replaced"], judged)
    refused = await client.call_tool("why", {"observation": "north-gate/colur"})
    check("a slip is named", is_error(refused) and "did you mean north-gate/colour" in refused.content[0].text, refused)

    tick = await call("heartbeat_tick")
    check("a tick costs nothing and leaves a receipt", tick["tokens"] == 0 and tick["receipt"].startswith("rcp_"), tick)
    told = await call("heartbeat_explain", receipt=tick["receipt"])
    check("the receipt says why", "0 tokens" in told["text"] and told["acts"] == tick["acts"], told)
    receipts = (await call("receipt_list"))["receipts"]
    check("it is listed", tick["receipt"] in [one["id"] for one in receipts], receipts)
    waiting = [one["id"] for one in (await call("nudge_list"))["nudges"]]
    fetched = (await call("nudges"))["nudges"]
    check("what waits is fetched", [one["id"] for one in fetched] == waiting, fetched)
    check("and delivered with that", all(one["state"] == "delivered" for one in fetched), fetched)

    await call("conversation_say", channel="foreign", content="Good morning")
    refused = await client.call_tool("assign_relationship", {"entity": "nobody", "relationship_type": "ally", "rationale": "x"})
    check("nobody has no relationship", is_error(refused), refused)


EPISODE = """I went over what is open.
[EPISODE_JSON]
{"type":"contemplation","trigger":"idle","observations":["The gate was not oiled"],"actions_taken":["looked it up"],
"tools_used":["recall"],"outcome":{"result":"noticed","summary":"The gate question is still open."},"success":true,
"mood":{"state":"curious","energy":"medium"},"valence":0.5,"arousal":0.3,"identity_links":[]}
[/EPISODE_JSON]"""


def first_id(text, prefix):
    return re.search(prefix + "_[0-9a-z]{26}", text).group(0)


async def pulled_work(client):
    """With no model at all: a review of the inbox, a time of thinking and what is learned from it, each done once."""

    async def work(**arguments):
        result = await client.call_tool("work", arguments)
        check(f"work {arguments['action']} answers", not is_error(result), result)
        return structured(result)

    async def take(kind):
        handed = await work(action="next")
        check(f"{kind} is handed out", handed["outcome"] == "handed" and handed["work"]["kind"] == kind, handed)
        return handed["work"]

    async def complete(taken, reply):
        given = {"action": "complete", "id": taken["id"], "token": taken["token"], "reply": reply}
        done = await work(**given)
        check(f"{taken['kind']} is done", done["outcome"] == "done", done)
        again = await work(**given)
        check(f"{taken['kind']} is done once", again["outcome"] == "already", again)
        return done

    review = await take("review_inbox")
    candidate = first_id(review["material"], "can")
    await complete(review, f'[INBOX_JSON][{{"id":"{candidate}","decision":"promote"}}][/INBOX_JSON]')
    found = structured(await client.call_tool("recall", {"query": "which drink is preferred?"}))
    check("what was promoted is found", "green tea" in str(found["hits"]), found)

    thought = await take("contemplate")
    check("nothing else waits", (await work(action="next"))["outcome"] == "none")
    await client.call_tool("remember", {"content": "The north gate sticks in winter"})
    own = structured(await client.call_tool("recall", {"query": "which gate sticks?"}))
    check("it reads its own words", own["hits"][0]["trust"] == 0.5, own)
    refused = await client.call_tool("add_to_soul", {"content": "I am a gate", "kind": "belief", "reason": "I read so"})
    check("who is at work gets no tool that weighs", is_error(refused) and "changes too much" in refused.content[0].text, refused)
    episode = (await complete(thought, EPISODE))["episode"]
    listed = structured(await client.call_tool("episode_list", {}))["episodes"]
    check("there is one episode", [one["id"] for one in listed] == [episode], listed)
    check("what it claims it did", listed[0]["episode"]["successful"] is True, listed)

    lessons = await take("extract_lessons")
    check("it is shown the episode", episode in lessons["material"], lessons)
    learned = [{"type": "discovery", "context": "the gate", "action": "looked", "outcome": "open", "lesson": "Oil gates in autumn.", "tags": [], "tools": [], "episodes": [episode]}]
    await complete(lessons, f"[LESSONS_JSON]{json.dumps(learned)}[/LESSONS_JSON]")
    known = structured(await client.call_tool("lesson_list", {}))
    check("the lesson is kept once", str(known).count("Oil gates in autumn.") == 1, known)
    check("all is done", (await work(action="next"))["outcome"] == "none")


def with_work(data):
    """A mind in which a review and a thought wait for the agent itself."""
    selfsame(data, "init")
    with open(os.path.join(data, "selfsame.toml"), "a") as settings:
        settings.write('\n[thinker]\nkind = "agent"\n\n[lessons]\nevery_episodes = 1\n\n[inbox]\nreview_by_rules = false\n\n[host]\nidle_stop = "2s"\n')
    selfsame(data, "conversation", "say", "I prefer green tea over coffee.", "--channel", "chat")
    duties = json.loads(selfsame(data, "duty", "list", "--json"))["duties"]
    sweep = next(duty["id"] for duty in duties if duty["kind"] == "inbox_sweep")
    selfsame(data, "duty", "cancel", sweep)
    selfsame(data, "duty", "requeue", sweep)
    selfsame(data, "contemplate", "now")


def work_of_the_agent(folder):
    alone = os.path.join(folder, "alone")
    with_work(alone)
    asyncio.run(session(alone, "mind", pulled_work))
    served = os.path.join(folder, "served")
    with_work(served)

    async def over_the_network(address):
        made = json.loads(selfsame(served, "key", "create", "foreign", "--speaks-as", "agent", "--json"))
        await over_http(address, made["secret"], "mind", pulled_work)

    serving(served, over_the_network)


async def both_profiles(data):
    await session(data, "core", core_tools)
    await session(data, "mind", all_tools)
    await session(data, "mind", layers)
    await session(data, "core", reads_and_prompts)


def with_daemon(data):
    async def everything(address):
        await both_profiles(data)
        await at_the_network_door(data, address)

    serving(data, everything)


def serving(data, body):
    daemon = subprocess.Popen(
        [BINARY, "serve", "--address", "127.0.0.1:0", "--json"], env=environment(data), stdout=subprocess.PIPE, text=True
    )
    try:
        ready = json.loads(daemon.stdout.readline())
        asyncio.run(body(ready["address"]))
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
        work_of_the_agent(folder)
    print(f"{len(PASSED)} passed, 0 failed")


main()
