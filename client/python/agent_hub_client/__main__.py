"""``python -m agent_hub_client evaluate …``"""

import os
import sys

from .command.command import evaluate_command

_USAGE = "Usage: python -m agent_hub_client evaluate --help"


def main() -> int:
    words = sys.argv[1:]
    if words[:1] == ["evaluate"]:
        return evaluate_command(words[1:], os.environ)
    print(_USAGE, file=sys.stderr)
    return 3


if __name__ == "__main__":
    exit_code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # Threads that still wait for the hub would delay the end.
    os._exit(exit_code)
