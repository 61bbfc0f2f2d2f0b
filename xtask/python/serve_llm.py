"""A small language model on a port that the system chooses, for tests: OpenAI's and Anthropic's ways of being asked.

usage: serve_llm.py MODEL.gguf

Prints its address on a line of its own once it answers, and stays until its standard input is closed.
"""

import sys

import xllamacpp


def main() -> None:
    parameters = xllamacpp.CommonParams()
    parameters.model.path = sys.argv[1]
    parameters.port = 0
    parameters.n_ctx = 4096
    parameters.n_parallel = 1
    parameters.n_predict = 64
    parameters.warmup = False
    parameters.use_jinja = True
    # The tests have the rest of the machine.
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(parameters)
    print(f"address {server.listening_address}", flush=True)
    sys.stdin.read()


main()
