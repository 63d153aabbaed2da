"""Orders a run, takes it to its end, and reads what it says, for each product."""

import json
import re
import threading
import time
from typing import Any, Callable, Dict, List, Optional, Protocol, Tuple
from urllib.parse import urlencode

from ..evaluate import Case, PullRun, Reply, answer_fields, error_fields
from ..sending import HubError
from .connection import Connection, NotPossible
from .options import Options
from .outcome import Change, Item, Trial
from .programs import ProgramFault, ProgramGone
from .tasks import read_tasks, work_on_tasks

_POLL_S = 1.0
_PAGE_MAX = 100
_PAGES_MAX = 20
"""How far back a baseline is looked for."""
_FAULTS_MAX = 3
"""A program that replies to none of the first cases is broken."""

Run = Dict[str, Any]


class Agent(Protocol):
    def answer(self, prompt: str, case: Case) -> Reply: ...
    def close(self) -> None: ...


_PATHS = {"eval-run": "eval-jobs", "agent-run": "agent-runs"}


def _path_of(run: Run) -> str:
    return f"/v1/{_PATHS.get(run['product'], 'runs')}/{run['id']}"


def _read_run(hub: Connection, run_id: str) -> Run:
    run: Run = hub.ask("GET", f"/v1/runs/{run_id}")["run"]
    return run


def find_baseline(hub: Connection, options: Options, suite: Optional[Tuple[str, Optional[int]]]) -> Optional[Run]:
    """Returns None if there is no such run."""
    baseline = options.baseline
    if baseline is None:
        return None

    def is_same(run: Run) -> bool:
        return run["product"] == options.product and (suite is None or suite[0] == run["suite"]["name"])

    if baseline != "latest" and not baseline.startswith("branch:"):
        run = _read_run(hub, baseline)
        if run["status"] != "completed":
            raise NotPossible(
                f"The run {baseline} of --baseline is {run['status']}. Name a completed run, or use latest."
            )
        if not is_same(run):
            raise NotPossible(
                f"The run {baseline} of --baseline is of {run['product']} {run['suite']['name']}. "
                "Name a run of the same suite, or use latest."
            )
        return run
    filters = {"product": options.product, "status": "completed", "limit": str(_PAGE_MAX)}
    if suite is not None:
        filters["suite"] = suite[0]
    if baseline != "latest":
        filters["label"] = baseline[len("branch:") :]
    for _ in range(_PAGES_MAX):
        page = hub.ask("GET", f"/v1/runs?{urlencode(filters)}")
        for run in page["runs"]:
            # Cancelled runs are incomplete.
            if "cancelled" not in run:
                found: Run = run
                return found
        if page["next_cursor"] is None:
            break
        filters["cursor"] = page["next_cursor"]
    return None


def order(hub: Connection, options: Options, suite: Optional[Tuple[str, Optional[int]]]) -> Run:
    ref, version = suite or (None, None)
    fields = {
        "product": options.product,
        "suite": ref,
        "version": version,
        "trials": options.trials,
        "label": options.label,
        "target": options.target,
    }
    body = {name: value for name, value in fields.items() if value is not None}
    redeemed = hub.ask("POST", "/v1/redemptions", body)
    for name in ("run", "eval_job", "agent_run"):
        if name in redeemed:
            run: Run = redeemed[name]
            return run
    raise NotPossible("The hub did not return a run. It may be of another version.")


def finish(
    hub: Connection,
    options: Options,
    run: Run,
    agent: Optional[Agent],
    on_progress: Callable[[int, int], None],
    program_faults: Dict[str, str],
) -> Run:
    """Returns the ended run."""
    if agent is not None:
        answer = _watch_program(agent, program_faults)
        total = run["progress"]["total"]

        def on_remaining(remaining: int) -> None:
            on_progress(total - remaining, total)

        if run["product"] == "agent-run":
            work_on_tasks(hub, _path_of(run), answer, on_remaining)
        else:
            _pull(hub, _path_of(run), options.concurrency, answer, on_remaining)
    while True:
        now = _read_run(hub, run["id"])
        if agent is None:
            on_progress(now["progress"]["done"], now["progress"]["total"])
        if now["status"] in ("completed", "failed"):
            return now
        time.sleep(_POLL_S)


def _watch_program(agent: Agent, program_faults: Dict[str, str]) -> Callable[[str, Case], Reply]:
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
        except ProgramFault as fault:
            with lock:
                faults += 1
                # With several trials, the id of a case ends with the number of the trial.
                program_faults[re.sub(r"/\d+\Z", "", case.case_id)] = str(fault)
                is_broken = not replied.is_set() and faults >= _FAULTS_MAX
            if is_broken or isinstance(fault, ProgramGone):
                raise NotPossible(f"The program of --cmd does not work. {fault}") from None
            raise
        replied.set()
        return reply

    return answer


def _pull(
    hub: Connection,
    path: str,
    concurrency: int,
    answer: Callable[[str, Case], Reply],
    on_remaining: Callable[[int], None],
) -> None:
    pulled = PullRun(hub, path)
    lock = threading.Lock()
    over = threading.Event()
    failures: List[BaseException] = []
    working = concurrency

    def work(worker: str) -> None:
        nonlocal working
        try:
            ended = False
            while not ended and not over.is_set():
                cases, ended = pulled.next_cases(worker)
                for case in cases:
                    try:
                        fields = answer_fields(answer(case.prompt, case))
                    except ProgramFault as fault:
                        fields = error_fields(fault)
                    ended, remaining = pulled.submit(case, fields)
                    if remaining is not None:
                        with lock:
                            on_remaining(remaining)
        except BaseException as error:
            failures.append(error)
            over.set()
        with lock:
            working -= 1
            if working == 0:
                over.set()

    # They end with the process, so that a wait for the hub delays nothing.
    for index in range(concurrency):
        threading.Thread(target=work, args=(f"worker-{index + 1}",), daemon=True).start()
    over.wait()
    if failures:
        raise failures[0]


def failure_text(run: Run) -> str:
    failure = run["failure"]
    if failure is None:
        return f"The run {run['id']} failed."
    cause = failure.get("cause") or {}
    expected = f" Expected: {cause['expected']}" if cause.get("expected") is not None else ""
    excerpt = cause.get("excerpt")
    shown = "" if excerpt is None else f" The target returned: {json.dumps(excerpt[:200], ensure_ascii=False)}"
    return (
        f"The run {run['id']} failed: {failure['code']}: {failure['message']}{expected}{shown}"
        f" The charge is {run['charge']['state']}."
    )


def cancel(hub: Connection, run: Run) -> str:
    """Returns what became of the run and its charge."""
    try:
        ended = hub.ask("POST", f"{_path_of(run)}/cancel", {})
        charge = next(iter(ended.values()))["charge"]
        paid = "It is refunded." if charge["state"] == "refunded" else "It had begun, so it stays charged."
        return f"The run {run['id']} is cancelled. {paid}"
    except HubError as error:
        if error.code.endswith("_ended"):
            return f"The run {run['id']} had already ended."
        reason = error.message
    except NotPossible as error:
        reason = str(error)
    return f"The run {run['id']} could not be cancelled ({reason}). It ends by itself at its time limit."


def read_result(hub: Connection, run: Run) -> Tuple[Optional[Dict[str, float]], List[Item]]:
    """Returns the pass rate and the items."""
    if run["product"] == "suite-run":
        detail = hub.ask("GET", f"/v1/runs/{run['id']}?include=cases")["run"]
        items = []
        for case in detail["cases"]:
            # Replies without a verdict count neither way.
            graded = [trial for trial in case["trials"] if trial["status"] != "ungraded"]
            items.append(Item(case["case_id"], run["suite"]["name"], [_suite_trial(trial) for trial in graded]))
        return detail["result"]["pass_rate"], items
    if run["product"] == "agent-run":
        return None, read_tasks(hub, _path_of(run))
    job = hub.ask("GET", f"{_path_of(run)}?include=cases")["eval_job"]
    items = []
    for case in job["cases"]:
        trial = Trial(case["status"] == "passed", case["expected"], case["found"], case["latency_ms"])
        items.append(Item(case["id"], case["category"], [trial]))
    return None, items


def _suite_trial(trial: Dict[str, Any]) -> Trial:
    def joined(name: str) -> Optional[str]:
        texts = [grader[name] for grader in trial["graders"] if not grader["passed"] and grader[name] is not None]
        return "; ".join(dict.fromkeys(texts)) if texts else None

    return Trial(trial["status"] == "passed", joined("expected"), joined("found"), trial["latency_ms"])


def compare(hub: Connection, baseline: Run, run: Run) -> Change:
    comparison = hub.ask("GET", f"{_path_of(baseline)}/compare/{run['id']}")["comparison"]
    if "verdict" in comparison:
        lists = [comparison[name] for name in ("broken", "fixed", "flaky_now")]
        return Change(baseline["id"], comparison, comparison["verdict"], comparison["p"], *lists)
    score = comparison["score"]
    is_clear = score["clear"] and score["outcome"] != "same"
    verdict = score["outcome"] if is_clear else "no clear change"
    return Change(baseline["id"], comparison, verdict, score["p"], [], [], [])
