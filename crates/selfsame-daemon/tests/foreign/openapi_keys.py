"""Schemathesis over our own OpenAPI document, with good keys and bad ones.

usage: python openapi_keys.py <path of the selfsame binary> [examples for each operation]

With a key that may do everything: no 5xx, no status, type or body that the document does not promise. Without a key, with a
wrong one, a revoked one or one that lacks the scope: nothing is ever answered with 2xx.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
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
SEEN, FAILED = Counter(), []


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


def ask(operation, examples, judge):
    """Asks about one operation at random, equal in every run."""

    @seed(7)
    @settings(
        max_examples=examples, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck), report_multiple_bugs=False,
    )
    @given(case=operation.as_strategy())
    def one(case):
        if case.path_parameters and "agent" in case.path_parameters:
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


def promised(key):
    def judge(case):
        response = case.call(headers={"Authorization": f"Bearer {key}"}, timeout=60)
        SEEN[f"good key {response.status_code // 100}xx"] += 1
        case.validate_response(response, checks=CHECKS)

    return judge


def refused(what, key, expected):
    def judge(case):
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        response = case.call(headers=headers, timeout=60)
        SEEN[f"{what} {response.status_code}"] += 1
        assert response.status_code == expected, f"{what}: {response.status_code} {response.text[:300]}"

    return judge


def walk(data, address):
    good = make_key(data, "good", ALL)["secret"]
    revoked = make_key(data, "revoked", ALL)
    selfsame(data, "key", "revoke", revoked["id"])
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
            ask(operation, EXAMPLES, promised(good))
    return len(operations)


def main():
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "mind")
        selfsame(data, "init")
        daemon = subprocess.Popen(
            [BINARY, "serve", "--address", "127.0.0.1:0", "--json"],
            env=environment(data), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        try:
            asked = walk(data, json.loads(daemon.stdout.readline())["address"])
        finally:
            daemon.terminate()
            daemon.wait(timeout=20)
        selfsame(data, "verify")
    print(f"{asked} operations, {sum(SEEN.values())} requests:", ", ".join(f"{what}: {count}" for what, count in sorted(SEEN.items())))
    for failure in FAILED:
        print("FAILED:", failure)
    print(f"{asked - len(FAILED)} passed, {len(FAILED)} failed")
    sys.exit(1 if FAILED else 0)


main()
