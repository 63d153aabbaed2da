"""Orders a run, takes it to its end, and reads what it says, for each product."""

import json
import threading
import time
from typing import Any, Callable, Dict, List, Optional, Protocol, Tuple
from urllib.parse import quote

from ..evaluate import Case, PullRun, Reply
from ..sending import HubError, send
from .options import Options
from .outcome import Change, Item, Trial
from .programs import ProgramFault, ProgramGone

_POLL_S = 1.0
_PAGE_MAX = 100
_PAGES_MAX = 20
"""How far back a baseline is looked for."""
_FAULTS_MAX = 3
"""A program that replies to none of the first cases is broken."""

Run = Dict[str, Any]


class NotPossible(Exception):
    """The run was not possible. The message says why, and what to do."""


class Agent(Protocol):
    def answer(self, prompt: str, case: Case) -> Reply: ...
    def close(self) -> None: ...


class Connection:
    def __init__(self, url: str, token: Optional[str]) -> None:
        self.url = url
        self.token = token

    def ask(self, method: str, path: str, body: Any = None, content_type: Optional[str] = None) -> Any:
        return send(method, self.url + path, token=self.token, body=body, content_type=content_type)


def _path_of(run: Run) -> str:
    """Runs of this product have paths of their own."""
    return f"/v1/eval-jobs/{run['id']}" if run["product"] == "eval-run" else f"/v1/runs/{run['id']}"


def _read_run(hub: Connection, run_id: str) -> Run:
    run: Run = hub.ask("GET", f"/v1/runs/{run_id}")["run"]
    return run


def find_baseline(hub: Connection, options: Options, suite: Optional[Tuple[str, Optional[int]]]) -> Optional[Run]:
    """Returns None if there is no such run."""
    baseline = options.baseline
    if baseline is None:
        return None

    def is_same(run: Run) -> bool:
        name = run["suite"]["name"]
        return run["product"] == options.product and (
            suite is None or suite[0] == name or suite[0].endswith(f"/{name}")
        )

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
    label = None if baseline == "latest" else baseline[len("branch:") :]
    cursor = None
    for _ in range(_PAGES_MAX):
        after = "" if cursor is None else f"&cursor={quote(cursor, safe='')}"
        page = hub.ask("GET", f"/v1/runs?product={options.product}&limit={_PAGE_MAX}{after}")
        for run in page["runs"]:
            is_whole = run["status"] == "completed" and "cancelled" not in run
            if is_whole and is_same(run) and (label is None or run.get("label") == label):
                found: Run = run
                return found
        cursor = page["next_cursor"]
        if cursor is None:
            break
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
        _pull(hub, options, run, agent, on_progress, program_faults)
    while True:
        now = _read_run(hub, run["id"])
        if agent is None:
            on_progress(now["progress"]["done"], now["progress"]["total"])
        if now["status"] in ("completed", "failed"):
            return now
        time.sleep(_POLL_S)


def _pull(
    hub: Connection,
    options: Options,
    run: Run,
    agent: Agent,
    on_progress: Callable[[int, int], None],
    program_faults: Dict[str, str],
) -> None:
    pulled = PullRun(hub, _path_of(run))
    total = run["progress"]["total"]
    lock = threading.Lock()
    replied = threading.Event()
    over = threading.Event()
    failures: List[BaseException] = []
    working = [options.concurrency]
    faults = [0]

    def reply_to(case: Case) -> Reply:
        try:
            reply = agent.answer(case.prompt, case)
        except ProgramFault as fault:
            if over.is_set():
                raise
            with lock:
                faults[0] += 1
                # With several trials, the id of a case ends with the number of the trial.
                program_faults[case.case_id.split("/")[0]] = str(fault)
                is_broken = not replied.is_set() and faults[0] >= _FAULTS_MAX
            if is_broken or isinstance(fault, ProgramGone):
                raise NotPossible(f"The program of --cmd does not work. {fault}") from None
            return ""
        replied.set()
        return reply

    def work(worker: str) -> None:
        try:
            ended = False
            while not ended and not over.is_set():
                cases, ended = pulled.next_cases(worker)
                for case in cases:
                    ended, remaining = pulled.submit(case, reply_to(case))
                    if remaining is not None:
                        with lock:
                            on_progress(total - remaining, total)
        except BaseException as error:
            failures.append(error)
            over.set()
        with lock:
            working[0] -= 1
            if working[0] == 0:
                over.set()

    # They end with the process, so that a wait for the hub delays nothing.
    for index in range(options.concurrency):
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
        charge = (ended.get("run") or ended.get("eval_job") or {}).get("charge", {})
        paid = "It is refunded." if charge.get("state") == "refunded" else "It had begun, so it stays charged."
        return f"The run {run['id']} is cancelled. {paid}"
    except HubError as error:
        if error.code.endswith("_ended"):
            return f"The run {run['id']} had already ended."
        reason = error.message
    except OSError as error:
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
    job = hub.ask("GET", f"/v1/eval-jobs/{run['id']}?include=cases")["eval_job"]
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
