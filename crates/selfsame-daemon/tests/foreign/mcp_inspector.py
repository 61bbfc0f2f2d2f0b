"""Drives the built executable with the MCP inspector's command line: a client in another language again.

usage: python mcp_inspector.py <path of the selfsame binary> <path of the inspector>

Over stdio and HTTP: lists tools, calls two of them, lists and reads what can be read by address, and gets a prompt.
"""

import json
import os
import subprocess
import sys
import tempfile

BINARY, INSPECTOR = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
PASSED = []


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


def inspect(data, target, *words):
    asked = [INSPECTOR, "--cli", *target, *words]
    done = subprocess.run(asked, env=environment(data), capture_output=True, text=True, timeout=60)
    check(f"the inspector can {' '.join(words[:2])}", done.returncode == 0, done.stderr[-500:])
    return json.loads(done.stdout[done.stdout.index("{"):])


def walk(data, target, door):
    tools = [tool["name"] for tool in inspect(data, target, "--method", "tools/list")["tools"]]
    expected = ["remember", "recall", "observations", "tasks", "work", "context", "nudges"]
    check(f"{door}: the tools are listed in order", tools == expected, tools)
    said = inspect(data, target, "--method", "tools/call", "--tool-name", "remember", "--tool-arg", f"content=bees by {door}")
    check(f"{door}: remember answers with an id", said["structuredContent"]["id"].startswith("mem_"), said)
    found = inspect(data, target, "--method", "tools/call", "--tool-name", "recall", "--tool-arg", "query=what about the bees?")
    check(f"{door}: recall finds it", f"bees by {door}" in json.dumps(found), found)
    listed = inspect(data, target, "--method", "resources/list")["resources"]
    check(f"{door}: resources are listed", [one["uri"] for one in listed] == ["selfsame://context", "selfsame://soul"], listed)
    for uri in ["selfsame://context", "selfsame://soul", "selfsame://diary/today"]:
        read = inspect(data, target, "--method", "resources/read", "--uri", uri)
        check(f"{door}: {uri} is text", bool(read["contents"][0]["text"]), read)
    prompts = [one["name"] for one in inspect(data, target, "--method", "prompts/list")["prompts"]]
    check(f"{door}: prompts are listed", prompts == ["contemplate", "self-care"], prompts)


def main():
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "mind")
        selfsame(data, "init")
        daemon = subprocess.Popen(
            [BINARY, "serve", "--address", "127.0.0.1:0", "--json"],
            env=environment(data), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        try:
            address = json.loads(daemon.stdout.readline())["address"]
            secret = json.loads(selfsame(data, "key", "create", "inspector", "--speaks-as", "agent", "--json"))["secret"]
            walk(data, ["-e", f"SELFSAME_DATA={data}", BINARY, "mcp"], "stdio")
            walk(data, [f"http://{address}/mcp", "--transport", "http", "--header", f"Authorization: Bearer {secret}"], "http")
        finally:
            daemon.terminate()
            daemon.wait(timeout=20)
    print(f"{len(PASSED)} passed, 0 failed")


main()
