"""Tries an agent before a run is redeemed, so that one that does not work costs none."""

import json
import sys
import time
from typing import Any, Dict, Optional

from ..evaluate import practice
from ..reply_fields import OddReply, answer_fields
from ..sending import HubError
from .connection import Connection, NotPossible
from .options import Options
from .programs import ProgramFault
from .run import Agent, Suite

_PROMPT_TOKENS_MAX = 128_000
_PAUSES_S = (2, 5)
"""Before each further probe of a target that is overloaded for the moment."""
_FINISH = {
    "name": "task_finish",
    "description": "Ends the task.",
    "parameters": {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]},
}
_PRACTICE_TASK: Dict[str, Any] = {"system": "This is practice.", "tools": [_FINISH]}
"""As the tasks of an agent run have them."""


def try_program(options: Options, agent: Agent, suite: Optional[Suite]) -> None:
    """A program for a suite is not tried, unless the run is ranked: it may understand nothing but the cases, and replying
    to none of the first ones ends the run, which is refunded.

    :raises NotPossible:
    """
    if suite is not None and "serve" not in options:
        _say_images(suite["size"])
    if suite is not None and "ranked" not in options:
        return
    asked = practice(**(_PRACTICE_TASK if options["product"] == "agent-run" else {}))
    try:
        answer_fields(agent.answer(*asked))
    except (ProgramFault, OddReply) as fault:
        raise NotPossible(
            "The program of --cmd did not reply to a practice prompt, so no run was started. "
            f"{fault} It was asked: {json.dumps(asked[0])}"
        ) from None


def _say_images(size: Dict[str, Any]) -> None:
    with_images = size["cases_with_images"]
    if with_images > 0:
        told = f"{with_images} of {size['cases']} cases have images. The program reads these cases as JSON."
        print(told, file=sys.stderr, flush=True)


def try_target(hub: Connection, target: Dict[str, Any], suite: Optional[Suite]) -> Dict[str, Any]:
    """Returns the target with the URL and the protocol that work. A target that is slow, or busy with calls of the hub,
    may still be fit for a run, which waits for longer.

    :raises NotPossible:
    """
    body: Dict[str, Any] = {"target": target}
    if suite is not None:  # The probe tries the longest prompt.
        body["prompt_tokens"] = min(_PROMPT_TOKENS_MAX, max(1, suite["size"]["longest_prompt_tokens"]))
    for pause_s in (*_PAUSES_S, None):
        try:
            probe = hub.ask("POST", "/v1/probes", body)
        except HubError as error:
            if error.code != "rate_limited":
                raise
            break
        if probe["ok"] or probe["code"] in (None, "target_timeout"):
            return {**target, **probe.get("target", {})}
        status, reply = probe["status"], probe["reply_excerpt"]
        if pause_s is None or status is None or (status != 429 and status < 500):
            returned = "" if reply is None else f" The target returned: {json.dumps(reply, ensure_ascii=False)}"
            raise NotPossible(f"The target cannot be used, so no run was started. {probe['hint']}{returned}")
        print(f"Waiting: the target responded with status {status}.", file=sys.stderr, flush=True)
        time.sleep(pause_s)
    return target
