"""Orders a run, takes it to its end, and reads what it says, for each product."""

import json
import threading
import time
from typing import Any, Callable, Dict, Optional, Protocol
from urllib.parse import urlencode

from ..evaluate import Case, PullRun, Reply, redeem
from ..reply_fields import OddReply
from ..sending import HubError
from .connection import Connection, NotPossible
from .options import Options, order_of, shown_number
from .programs import ProgramFault, ProgramGone

_POLL_S = 1.0
_FAULTS_MAX = 3
"""A program that replies to none of the first cases is broken."""

Run = Dict[str, Any]
Suite = Dict[str, Any]
"""The version of a suite that is run: its ``ref``, ``version``, ``size`` and ``judges``."""


class Agent(Protocol):
    def answer(self, prompt: str, case: Case) -> Reply: ...
    def close(self) -> None: ...


def read_run(hub: Connection, run_id: str) -> Run:
    run: Run = hub.ask("GET", f"/v1/runs/{run_id}")["run"]
    return run


def read_suite(hub: Connection, ref: str, version: Optional[int]) -> Suite:
    """
    :param version: the newest if None
    """
    found: Suite = hub.ask("GET", f"/v1/suites/{ref}")["suite"]
    if version is not None and version != found["version"]:
        found = hub.ask("GET", f"/v1/suites/{ref}/versions/{version}")["version"]
    return {**found, "ref": ref}


def check_baseline(hub: Connection, options: Options, suite: Optional[Suite]) -> None:
    """Refuses a run that the hub could not compare with, before a run is spent."""
    baseline = options.get("baseline")
    if baseline is None or baseline == "latest" or baseline.startswith("branch:"):
        return
    run = read_run(hub, baseline)
    if run["status"] != "completed":
        raise NotPossible(
            f"The run {baseline} of --baseline is {run['status']}. Name a completed run, or use latest."
        )
    if run["product"] != options["product"] or (suite is not None and suite["ref"] != run["suite"]["name"]):
        raise NotPossible(
            f"The run {baseline} of --baseline is of {run['product']} {run['suite']['name']}. "
            "Name a run of the same suite, or use latest."
        )


def regrade(hub: Connection, options: Options, suite: Suite) -> Run:
    """Grades the stored replies of ``--regrade`` by the version of the suite."""
    ref = suite["ref"]
    wanted: str = options["regrade"]
    label = wanted[len("branch:") :] if wanted.startswith("branch:") else None
    if wanted == "latest" or label is not None:
        of_label = {} if label is None else {"label": label}
        filters = urlencode({"suite": ref, "status": "completed", "limit": "1", **of_label})
        runs = hub.ask("GET", f"/v1/runs?{filters}")["runs"]
        if not runs:
            labelled = "" if label is None else f" with the label {label}"
            raise NotPossible(f"There is no completed run of {ref}{labelled} to regrade.")
        found: Run = runs[0]
    else:
        found = read_run(hub, wanted)
    if found["suite"]["name"] != ref:
        raise NotPossible(
            f"--regrade names run {found['id']}, which is a run of {found['suite']['name']}. "
            f"Name a run of {ref}, or use latest."
        )
    body = {"version": suite["version"], **({"label": options["label"]} if "label" in options else {})}
    run: Run = hub.ask("POST", f"/v1/runs/{found['id']}/regrade", body)["run"]
    return run


def order(
    hub: Connection,
    options: Options,
    suite: Optional[Suite],
    on_wait: Callable[[HubError], None],
) -> Run:
    fields = {
        "product": options["product"],
        **order_of(options),
        **({} if suite is None else {"suite": suite["ref"], "version": suite["version"]}),
        "baseline": options.get("baseline") if "only" in options else None,
        "target": options["target"],
    }
    body = {name: value for name, value in fields.items() if value is not None}
    run: Run = redeem(hub.ask, body, on_wait)["run"]
    return run


def finish(
    hub: Connection,
    options: Options,
    run: Run,
    agent: Optional[Agent],
    on_progress: Callable[[int, int], None],
) -> Run:
    """Returns the ended run."""
    if agent is not None:
        total = run["progress"]["total"]

        def on_error(error: Exception, _: Case) -> None:
            # The hub refuses one reply, not the run.
            if not isinstance(error, (ProgramFault, OddReply, HubError)):
                raise error

        PullRun(hub, run["id"]).answer_all(
            _watch_program(agent),
            concurrency=options["concurrency"],
            on_error=on_error,
            on_remaining=lambda remaining: on_progress(total - remaining, total),
        )
    while True:
        now = read_run(hub, run["id"])
        if agent is None:
            on_progress(now["progress"]["done"], now["progress"]["total"])
        if now["status"] in ("completed", "failed"):
            return now
        time.sleep(_POLL_S)


def _watch_program(agent: Agent) -> Callable[[str, Case], Reply]:
    """A case to which the program does not reply is an error. A program that replies to none of the first ones ends the
    run.
    """
    lock = threading.Lock()
    replied = threading.Event()
    faults = 0

    def answer(prompt: str, case: Case) -> Reply:
        nonlocal faults
        try:
            reply = agent.answer(prompt, case)
        except (ProgramFault, OddReply) as fault:
            with lock:
                faults += 1
                is_broken = not replied.is_set() and faults >= _FAULTS_MAX
            if is_broken or isinstance(fault, ProgramGone):
                raise NotPossible(f"The program of --cmd does not work. {fault}") from None
            raise
        replied.set()
        return reply

    return answer


def failure_text(run: Run) -> str:
    failure = run["failure"]
    if failure is None:
        return f"The run {run['id']} failed."
    cause = failure.get("cause") or {}
    expected = f" Expected: {cause['expected']}" if cause.get("expected") is not None else ""
    excerpt = cause.get("excerpt")
    shown = "" if excerpt is None else f" The target returned: {json.dumps(excerpt[:200], ensure_ascii=False)}"
    return f"The run {run['id']} failed: {failure['code']}: {failure['message']}{expected}{shown}"


def cancel(hub: Connection, run: Run) -> str:
    """Returns what became of the run and its charge."""
    try:
        ended = hub.ask("POST", f"/v1/runs/{run['id']}/cancel", {})
        charge = ended["run"]["charge"]
        paid = "It is refunded." if charge["state"] == "refunded" else "It had begun, so it stays charged."
        return f"The run {run['id']} is cancelled. {paid}"
    except HubError as error:
        if error.code.endswith("_ended"):
            return f"The run {run['id']} had already ended."
        reason = error.message
    except NotPossible as error:
        reason = str(error)
    return f"The run {run['id']} could not be cancelled ({reason}). It ends by itself at its time limit."


def report_path(run: Run, options: Options, form: str) -> str:
    """The bars are decided by the hub, on exact counts."""
    asked = {"format": form}
    for name in ("baseline", "min-pass", "min-score", "fail-on", "min-compared"):
        if name in options:
            value = options[name]
            asked[name.replace("-", "_")] = shown_number(value) if isinstance(value, float) else value
    query = urlencode(asked)
    return f"/v1/runs/{run['id']}/report?{query}"
