"""The smallest MCP client: starts `selfsame mcp`, stores a fact, asks for it. Standard library only.

    python3 examples/mcp_client.py
"""

import json
import os
import subprocess

PROGRAM = os.environ.get("SELFSAME", "selfsame")


class Server:
    """A server on the other end of two pipes: a line of JSON for each message."""

    def __init__(self):
        self.process = subprocess.Popen([PROGRAM, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.number = 0

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.number:
                return answer["result"]

    def call(self, tool, **arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})["content"][0]["text"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def main():
    server = Server()
    client = {"name": "example", "version": "1"}
    server.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client})
    server.send({"method": "notifications/initialized"})
    print(", ".join(tool["name"] for tool in server.ask("tools/list", {})["tools"]))
    print(server.call("remember", content="The red bicycle is in the cellar"))
    print(server.call("recall", query="Where is the red bicycle?"))
    server.close()


main()
