"""An agent in another language: it asks its mind for a context, answers, and files what was said. Standard library only.

    selfsame serve &
    SELFSAME_KEY=$(selfsame key create example --speaks-as host --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["secret"])') \
        python3 examples/agent_over_http.py "Where is the red bicycle?"
"""

import json
import os
import sys
import urllib.request

ADDRESS = os.environ.get("SELFSAME_URL", "http://127.0.0.1:4177")
KEY = os.environ["SELFSAME_KEY"]


def ask(path, body):
    """One operation; a refusal is an exception that carries the problem's words."""
    request = urllib.request.Request(
        f"{ADDRESS}/v1/agents/main/{path}",
        data=json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refused:
        raise SystemExit(json.load(refused)["detail"])


def think(question, context):
    """Where a model would be asked, with the context before the question. This one reads aloud what it remembers."""
    del context
    hits = ask("recall", {"query": question, "limit": 1})["hits"]
    return hits[0].get("content") or hits[0]["summary"] if hits else "I do not know."


def main():
    question = sys.argv[1]
    context = ask("context", {"query": question, "budget_tokens": 1000})
    answer = think(question, context["text"])
    # A host's key says whose words they are: the user's are the principal's, the assistant's the agent's own.
    ask("messages", {"channel": "example", "role": "user", "content": question})
    ask("messages", {"channel": "example", "role": "assistant", "content": answer})
    print(f"{answer} ({context['tokens']} tokens of context)")


main()
