"""Schemathesis over our own OpenAPI document, with good keys and bad ones.

usage: python openapi_keys.py <path of the selfsame binary> [examples for each operation]

With a key that may do everything: no 5xx, no 429, no status, type or body that the document does not promise, be what is sent
right or wrong by the document; and a good share of the operations is done at least once. Without a key, with a wrong one, a
revoked one or one that lacks the scope: nothing is ever answered with 2xx.
"""

import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from collections import Counter

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

BINARY = os.path.abspath(sys.argv[1])
EXAMPLES = int(sys.argv[2]) if len(sys.argv) > 2 else 10
CHECKS = (not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance)
ALL = ["read", "write", "admin"]
# Of a hundred operations, so many must have been done at least once by who may do everything: a walk on which nearly everything
# is refused for another reason says little about keys.
SHARE = 55
# Seconds that an answer may take. A simulated year of an agent that thousands of requests have filled takes a debug build
# more than one minute on a busy machine.
PATIENCE = 240
SEEN, DONE, FAILED = Counter(), set(), []
# What is there before anything is asked, by what stands in a path: ids by the noun before them, names by their own word.
THERE = {}


def environment(data):
    return {"PATH": os.environ["PATH"], "HOME": data, "SELFSAME_DATA": data}


def selfsame(data, *words):
    done = subprocess.run([BINARY, *words], env=environment(data), capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        sys.exit(f"selfsame {' '.join(words)}: {done.stderr}")
    return done.stdout


def make_key(data, name, scopes):
    words = [word for scope in scopes for word in ("--scope", scope)]
    return json.loads(selfsame(data, "key", "create", name, "--speaks-as", "operator", "--all-agents", *words, "--json"))


def tell(address, key, path, body, method="POST"):
    """Asks as a plain client does; gives the answer."""
    request = urllib.request.Request(f"http://{address}{path}", method=method)
    request.add_header("Authorization", f"Bearer {key}")
    request.add_header("Content-Type", "application/json")
    data = None if method == "GET" else json.dumps(body).encode()
    # What is tested is on this machine: no proxy has a part in it.
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, data, timeout=60) as answer:
        return json.load(answer)


def furnish(data, address, key):
    """A mind in which there is something of most kinds."""
    agent = "/v1/agents/main"

    def add(path, body):
        return tell(address, key, f"{agent}/{path}", body)

    memory = add("memories", {"content": "Maya keeps bees behind the house.", "tags": ["maya"]})["id"]
    THERE["memories"] = memory
    THERE["todos"] = add("todos", {"title": "Order a second hive"})["id"]
    THERE["calendar"] = add("calendar", {"title": "Bees arrive", "start": "2027-04-01T10:00"})["id"]
    THERE["soul"] = add("soul", {"content": "I keep my word", "kind": "value", "reason": "it was kept to me"})["id"]
    add("entities", {"name": "Maya Lin", "kind": "person", "aliases": ["Maya"]})
    THERE["entity"] = "maya"
    THERE["conversations"] = add("conversations", {"channel": "terminal", "with": "maya"})["id"]
    THERE["reflections"] = add("reflections", {
        "content": "A week of plans.", "from": "2026-01-01T00:00:00Z", "until": "2026-01-08T00:00:00Z", "sources": [memory],
    })["id"]
    THERE["lessons"] = add("lessons", {"type": "discovery", "lesson": "Ask before booking.", "sources": [memory]})["id"]
    add("principals", {"name": "ben"})
    THERE["principal"] = "ben"
    THERE["date"] = "2026-11-18"
    duties = tell(address, key, "/v1/duties", None, "GET")["duties"]
    THERE["duties"] = duties[0]["id"]
    THERE["keys"] = make_key(data, "spare", ["read"])["id"]


def there(path, parameters):
    """What a path is about is there, as far as anything of its kind is."""
    parts = path.strip("/").split("/")
    for place, part in enumerate(parts):
        name = part[1:-1] if part.startswith("{") else None
        if name == "agent":
            parameters[name] = "main"
        elif name == "id" and parts[place - 1] in THERE:
            parameters[name] = THERE[parts[place - 1]]
        elif name in THERE:
            parameters[name] = THERE[name]


def ask(operation, examples, judge, mode=GenerationMode.POSITIVE):
    """Asks about one operation at random, equal in every run."""

    @seed(7)
    @settings(
        max_examples=examples, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck), report_multiple_bugs=False,
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def one(case):
        if case.path_parameters and mode is GenerationMode.POSITIVE:
            there(operation.path, case.path_parameters)
        elif case.path_parameters and "agent" in case.path_parameters:
            case.path_parameters["agent"] = "main"
        # A simulated year is a long answer, and no other than that of a day.
        if isinstance(case.body, dict) and isinstance(case.body.get("days"), int):
            case.body["days"] %= 4
        judge(case)

    try:
        one()
    except BaseException as failure:  # a group of checks is no Exception
        told = [str(one)[:1200] for one in (failure, *getattr(failure, "exceptions", ()))]
        FAILED.append(f"{operation.label}: {' / '.join(told)}")


def promised(key, what):
    def judge(case):
        response = case.call(headers={"Authorization": f"Bearer {key}"}, timeout=PATIENCE)
        SEEN[f"{what} {response.status_code // 100}xx"] += 1
        if response.status_code // 100 == 2:
            DONE.add(case.operation.label)
        assert response.status_code != 429, "held back for asking too often"
        case.validate_response(response, checks=CHECKS)

    return judge


def refused(what, key, expected):
    def judge(case):
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        response = case.call(headers=headers, timeout=PATIENCE)
        SEEN[f"{what} {response.status_code}"] += 1
        assert response.status_code == expected, f"{what}: {response.status_code} {response.text[:300]}"

    return judge


def walk(data, address):
    good = make_key(data, "good", ALL)["secret"]
    revoked = make_key(data, "revoked", ALL)
    selfsame(data, "key", "revoke", revoked["id"])
    furnish(data, address, good)
    without = {scope: make_key(data, f"no {scope}", [one for one in ALL if one != scope])["secret"] for scope in ALL}
    schema = schemathesis.openapi.from_url(f"http://{address}/openapi.json")
    operations = [result.ok() for result in schema.get_all_operations()]
    for operation in operations:
        raw = operation.definition.raw
        if raw.get("security") != []:
            ask(operation, 1, refused("no key", None, 401))
            ask(operation, 1, refused("a wrong key", "ssk_wrong", 401))
            ask(operation, 1, refused("a revoked key", revoked["secret"], 401))
            ask(operation, 1, refused("a key without the scope", without[raw["x-scope"]], 403))
        # Nothing takes the key away that the rest is asked with.
        if raw.get("operationId") != "key_revoke":
            ask(operation, EXAMPLES, promised(good, "good key"))
            # What the document does not allow, some of which is taken all the same: no 5xx, and no answer of another shape.
            ask(operation, max(1, EXAMPLES // 2), promised(good, "good key, wrong words"), GenerationMode.NEGATIVE)
    return len(operations)


def main():
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "mind")
        selfsame(data, "init")
        daemon = subprocess.Popen(
            # As often as one likes: how often one may is tested elsewhere, and a 429 says nothing of a key.
            [BINARY, "--set", "server.rate=0", "serve", "--address", "127.0.0.1:0", "--json"],
            env=environment(data), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        try:
            asked = walk(data, json.loads(daemon.stdout.readline())["address"])
        finally:
            daemon.terminate()
            daemon.wait(timeout=20)
        selfsame(data, "verify")
    print(f"{asked} operations, {sum(SEEN.values())} requests:", ", ".join(f"{what}: {count}" for what, count in sorted(SEEN.items())))
    share = 100 * len(DONE) // asked
    print(f"{len(DONE)} of {asked} operations ({share} %) were done at least once")
    if share < SHARE:
        FAILED.append(f"only {share} % of the operations were ever done: {SHARE} % are expected")
    for failure in FAILED:
        print("FAILED:", failure)
    print(f"{asked - len(FAILED)} passed, {len(FAILED)} failed")
    sys.exit(1 if FAILED else 0)


main()
