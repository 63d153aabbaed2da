"""Finds the open run of ``--resume``. A run of other flags says nothing about what is to be run now."""

import sys
import time
from typing import Any, Dict, List, Optional, Tuple
from urllib.parse import urlencode, urlsplit

from ..evaluate import LEASE_S
from .connection import Connection, NotPossible
from .options import Options, UsageFault
from .printed import shown
from .run import Run, Suite, read_run

_OPEN_RUNS_MAX = 100
"""An agent has only a few open runs of a suite."""
_LOOK_EVERY_S = 1.0
_LOOKS_MAX = LEASE_S + 5
"""After this many looks, the cases of a client that was killed are free, whatever the clocks say."""
_TASKS_DEFAULT = 12
"""An agent run without ``--tasks`` has this many tasks."""


def find_open_run(hub: Connection, options: Options, suite: Optional[Suite]) -> Optional[Run]:
    """Returns the open run of ``--resume``; None if a new one starts."""
    resume = options.get("resume")
    # Grading again asks nobody, so there is no work to continue.
    if resume is None or (resume == "latest" and "regrade" in options):
        return None
    mode = "pull" if options["target"] is None else "push"

    def is_of_suite(run: Run) -> bool:
        is_named = suite is None or suite["ref"] == run["suite"]["name"]
        return run["mode"] == mode and run["product"] == options["product"] and is_named

    if resume != "latest":
        run = read_run(hub, resume)
        if not is_of_suite(run):
            raise NotPossible(
                f"The run {resume} of --resume is of {run['product']} {run['suite']['name']} in {run['mode']} mode. "
                "Give the flags with which it was started."
            )
        other = _difference_of(run, options, suite)
        if other is None:
            return run
        raise UsageFault(
            f"The run {resume} of --resume {other}. Give the flags and the suite with which it was started."
        )
    filters = {"product": options["product"], "limit": str(_OPEN_RUNS_MAX)}
    if suite is not None:
        filters["suite"] = suite["ref"]
    opened: List[Run] = []
    for status in ("running", "queued"):
        page = hub.ask("GET", f"/v1/runs?{urlencode({**filters, 'status': status})}")
        opened += filter(is_of_suite, page["runs"])
    if not opened:
        return None
    same = [run for run in opened if _difference_of(run, options, suite) is None]
    for run in same:
        if mode == "push" or not _is_at_work(hub, run):
            return run
    left = (same or opened)[0]
    why = _difference_of(left, options, suite)
    other = "is being answered by another client" if why is None else f"{why}, unlike the run that the flags ask for"
    print(shown(f"Run {left['id']} is open, but {other}, so a new run starts."), file=sys.stderr, flush=True)
    return None


def _difference_of(run: Run, options: Options, suite: Optional[Suite]) -> Optional[str]:
    """What a run is that the flags do not ask for, in words; None if it is what they ask for. A flag that is not given
    means its default, but with the id of a run what that run has.
    """
    is_named = options["resume"] != "latest"
    only, target = run.get("only"), options["target"]
    some = options.get("only", options.get("limit"))
    # A run does not show by which rule its cases were chosen.
    has_same = some is None if only is None else is_named
    usual = run["trials"] if is_named else 1 if suite is None else suite["size"]["trials"]
    asked = options.get("trials", usual)
    total = options.get("tasks", _TASKS_DEFAULT) * asked
    label, size, ranked, done = run.get("label"), run.get("size", "standard"), run["ranked"], run["progress"]
    is_version = suite is None or str(suite["version"]) == run["suite"]["version"]
    is_target = target is None or _origin_of(target["url"]) == _origin_of(run["target_url"])
    times = "once" if run["trials"] == 1 else f"{run['trials']} times"
    cases = "all cases" if only is None else f"{only['cases']} of {only['of']} cases"
    facets: List[Tuple[Any, bool, str]] = [
        (True, is_version, f"is of version {run['suite']['version']}"),
        (True, is_named or run.get("regraded_from") is None, "grades stored replies"),
        (True, is_target, f"calls {run['target_url']}"),
        (options.get("label"), options.get("label") == label, f"has the label {label}" if label else "has no label"),
        (options.get("trials"), asked == run["trials"], f"asks each case {times}"),
        (some, has_same, f"asks {cases}"),
        (options.get("size"), options.get("size", "standard") == size, f"has the size {size}"),
        (
            options.get("tasks"),
            run["product"] != "agent-run" or total == done["total"],
            f"has {done['total'] // run['trials']} tasks",
        ),
        (options.get("ranked"), ("ranked" in options) == ranked, "is ranked" if ranked else "is not ranked"),
    ]
    others = (text for flag, is_same, text in facets if not is_same and (flag is not None or not is_named))
    return next(others, None)


def _origin_of(url: Optional[str]) -> Optional[Tuple[str, Optional[str], int]]:
    """A probe may have found the path of a target."""
    if url is None:
        return None
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)


def _is_at_work(hub: Connection, run: Run) -> bool:
    """Whether another client answers cases of a run now. One that works ends cases or renews its leases; those of one that
    was killed only end.
    """

    def look() -> Dict[str, Any]:
        found: Dict[str, Any] = hub.ask("GET", f"/v1/runs/{run['id']}/cases/next?limit=0")
        return found

    before = look()
    if before.get("leased", 0) > 0:
        told = f"another client has cases of the open run {run['id']}, or had them when it was killed."
        print(f"Waiting: {told}", file=sys.stderr, flush=True)
    for _ in range(_LOOKS_MAX):
        time.sleep(_LOOK_EVERY_S)
        now = look()
        had, has = before.get("leased", 0), now.get("leased", 0)
        is_renewed = had == has and before.get("next_at") != now.get("next_at")
        if now["ended"] or now["remaining"] < before["remaining"] or has > had or is_renewed:
            return True
        if has == 0:
            return False
        before = now
    return True
