"""What every tool is asked by the foreign MCP clients, and the small world in which it is asked.

`arguments` names a tool and gets what to ask it, with ids out of earlier answers. A tool that nobody has thought of here
has none, and the script that asks for it fails: whoever adds a tool says here how it is called.
"""

import json
import os
import subprocess
import sys

PASSED = []

# No heart beats unless asked to and there are no quiet hours, so that what is said does not depend on the hour; so few
# memories are worth folding, and a busy machine may take its time until it answers another agent.
SETTINGS = """
[heartbeat]
enabled = false
quiet_from = "07:00"
morning_from = "07:00"

[self_care]
least = 1

[link]
open_for = "1h"
"""


def check(what, ok, seen=None):
    if not ok:
        print(f"FAILED: {what}: {seen!r}")
        print(f"{len(PASSED)} passed, 1 failed")
        sys.exit(1)
    PASSED.append(what)


def environment(data):
    return {"PATH": os.environ["PATH"], "HOME": data, "SELFSAME_DATA": data}


class World:
    """A mind with a daemon, a second agent, two people with something to hear, a candidate and a request for memory."""

    def __init__(self, binary, data):
        self.binary, self.data = binary, data
        self.selfsame("init")
        with open(os.path.join(data, "selfsame.toml"), "a") as settings:
            settings.write(SETTINGS)

    def __enter__(self):
        self.daemon = subprocess.Popen(
            [self.binary, "serve", "--address", "127.0.0.1:0", "--json"],
            env=environment(self.data), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        self.address = json.loads(self.daemon.stdout.readline())["address"]
        self.key = self.told("key", "create", "foreign", "--speaks-as", "agent", "--all-agents")["secret"]
        self.operators_key = self.told("key", "create", "operator")["secret"]
        self.seeds = self.seeded()
        return self

    def __exit__(self, *_):
        self.daemon.terminate()
        ended = self.daemon.wait(timeout=20)
        check("the daemon ends well when asked to", ended == 0, ended)

    def selfsame(self, *words):
        done = subprocess.run([self.binary, *words], env=environment(self.data), capture_output=True, text=True, timeout=60)
        check(f"selfsame {' '.join(words[:2])} succeeds", done.returncode == 0, done.stderr)
        return done.stdout

    def told(self, *words):
        return json.loads(self.selfsame(*words, "--json"))

    def seeded(self):
        """What no tool makes, or only another agent's: its ids."""
        self.selfsame("agent", "create", "second")
        # Two memories to keep: of more than one, a summary is made.
        for words in ["The cabin is in Norway", "The ferry leaves at nine"]:
            self.selfsame("remember", words)
        # How the agent stands to somebody begins with a word of theirs.
        self.selfsame("conversation", "say", "Good morning", "--channel", "chat")
        nudges = []
        for name in ["ben", "eve"]:
            self.selfsame("principal", "add", name)
            self.selfsame("heartbeat", "set", "--principal", name, "--autonomy", "suggest", "--channels", "list")
            nudges.append(self.told("heartbeat", "tick", "--principal", name)["nudge"]["id"])
        captured = self.told("inbox", "capture", "I prefer tea over coffee.")
        request = self.told("link", "request", "main", "--agent", "second")
        return {"nudges": nudges, "candidate": captured["candidates"][0]["id"], "request": request["id"]}


# What is not for the agent to say: refused to its key with this code, and not to the operator's. All else must succeed.
NOT_THE_AGENTS = {"nudge_answer": "forbidden", "nudge_dismiss": "forbidden"}


def arguments(tool, seen, seeds):
    """What a tool is asked; `seen` is what was answered so far, by tool."""
    def made(by, field="id"):
        return seen[by][field]

    asked = {
        "remember": lambda: {
            "content": "Maya keeps bees on the roof", "type": "knowledge", "tags": ["maya"],
            "claim": {"subject": "apiary", "kind": "project_state", "slot": "place", "value": "roof"},
        },
        "recall": lambda: {"query": "who keeps bees?", "limit": 3},
        "observations": lambda: {"about": "apiary", "slot": "place"},
        "why": lambda: {"observation": made("observations", "observations")[0]["id"]},
        "feedback": lambda: {"observation": "apiary/place", "judgement": "useful"},
        "conflicts": dict,
        "retract": lambda: {"source": made("remember"), "dry_run": True},
        "memory": lambda: {"id": made("remember")},
        "memory_list": lambda: {"type": "knowledge", "tag": "maya"},
        "memory_edit": lambda: {"id": made("remember"), "content": "Maya keeps bees in the garden"},
        "memory_pin": lambda: {"id": made("remember")},
        "forget": lambda: {"id": made("remember")},
        "add_to_longterm_memory": lambda: {"content": "Build a second hive", "type": "plan"},
        "memory_resolve": lambda: {"id": made("add_to_longterm_memory")},
        "remove_from_longterm_memory": lambda: {"id": made("add_to_longterm_memory")},
        "retrieve": lambda: {"query": "where is the cabin?"},
        "inbox_list": lambda: {"status": "pending"},
        "inbox_review": lambda: {"decisions": [{"id": seeds["candidate"], "decision": "reject", "reason": "a whim"}]},
        "monitor_add": lambda: {"memory": made("retrieve", "hits")[0]["id"], "every": "7d"},
        "monitor_list": dict,
        "monitor_checked": lambda: {"memory": made("retrieve", "hits")[0]["id"]},
        "monitor_end": lambda: {"memory": made("retrieve", "hits")[0]["id"]},
        "reflection_add": lambda: {
            "content": "A week of plans.", "from": "2026-01-01T00:00:00Z", "until": "2026-01-08T00:00:00Z",
            "sources": [made("retrieve", "hits")[0]["id"]],
        },
        "reflection_list": dict,
        "lesson_add": lambda: {"type": "discovery", "lesson": "Ask before booking.", "sources": [made("retrieve", "hits")[0]["id"]]},
        "lesson_list": dict,
        "lesson_judge": lambda: {"id": made("lesson_add"), "judgement": "unhelpful"},
        "entity_add": lambda: {"name": "Maya Lin", "kind": "person", "aliases": ["Maya"]},
        "entity_list": lambda: {"kind": "person"},
        "entity_show": lambda: {"entity": made("entity_add")},
        "entity_alias": lambda: {"entity": "maya", "alias": "M."},
        "entity_profile": lambda: {"entity": "maya", "text": "Keeps bees."},
        "entity_merge": lambda: {"from": "maya", "into": "operator", "dry_run": True},
        "conversation_open": lambda: {"channel": "terminal", "with": "maya"},
        "conversation_say": lambda: {"channel": "terminal", "content": "Maya is here"},
        "conversation_show": lambda: {"id": made("conversation_open")},
        "conversation_list": dict,
        "conversation_active": lambda: {"id": made("conversation_open")},
        "conversation_close": lambda: {"id": made("conversation_open")},
        "assign_relationship": lambda: {"entity": "operator", "relationship_type": "ally", "trust_level": 0.6, "rationale": "helps"},
        "relationship_list": dict,
        "relationship_show": lambda: {"entity": "operator"},
        "add_to_soul": lambda: {"content": "I keep my word", "kind": "value", "reason": "it was kept to me"},
        "soul": dict,
        "remove_from_soul": lambda: {"id": made("add_to_soul"), "reason": "I learned when not to"},
        "write_diary": lambda: {"text": "The bees swarmed today", "mood": "awed", "date": "2026-01-02", "detail": {"n": 1}},
        "search_diary_for_keywords": lambda: {"keywords": "bees", "limit": 3},
        "show_diary_entries_from_day": lambda: {"date": "2026-01-02"},
        "list_diary": lambda: {"from": "2026-01-01"},
        "add_todo": lambda: {"title": "Order frames", "priority": "high", "due": "2030-03-01"},
        "list_todo": lambda: {"status": "all"},
        "update_todo": lambda: {"id": made("add_todo"), "status": "in_progress"},
        "complete_todo": lambda: {"id": made("add_todo")},
        "tasks": lambda: {"action": "list", "status": "all"},
        "add_to_calendar": lambda: {"title": "Harvest", "start": "2030-07-01T09:00", "duration": "2h", "recurrence": "FREQ=YEARLY"},
        "check_calendar": lambda: {"from": "2030-01-01", "to": "2033-01-01"},
        "remove_from_calendar": lambda: {"id": made("add_to_calendar"), "occurrence": "2031-07-01T09:00"},
        "episode_list": dict,
        "work": lambda: {"action": "next"},
        "self_care": dict,
        "summary_list": dict,
        "context": lambda: {"query": "what about the bees?", "budget_tokens": 500},
        "agent_move": lambda: {"place": "the garden"},
        "conversation_exchange": lambda: {"to": "second", "content": "Hello"},
        "neural_link_request_memory": lambda: {"target": "second"},
        "link_list": dict,
        "neural_link_share_memory": lambda: {"request": seeds["request"], "allow_onward": True},
        "neural_link_revoke": lambda: {"link": seeds["request"]},
        "heartbeat_status": lambda: {"principal": "ben"},
        "heartbeat_tick": lambda: {"principal": "ben"},
        "heartbeat_peek": lambda: {"principal": "ben", "at": "2030-01-01T09:00"},
        "heartbeat_explain": lambda: {"receipt": made("heartbeat_tick", "receipt")},
        "receipt_list": lambda: {"principal": "ben"},
        "receipt_show": lambda: {"id": made("heartbeat_tick", "receipt")},
        "nudges": lambda: {"principal": "ben"},
        "nudge_list": lambda: {"principal": "ben"},
        "nudge_answer": lambda: {"id": seeds["nudges"][0], "answer": "hello to you"},
        "nudge_dismiss": lambda: {"id": seeds["nudges"][1]},
        "audit": lambda: {"list": 3},
    }  # fmt: skip
    check(f"{tool} is asked something", tool in asked)
    return asked[tool]()
