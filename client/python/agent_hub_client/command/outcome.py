"""What a run says about the agent, in the same form for every product, and whether it meets the bars."""

from dataclasses import dataclass
from typing import Any, Dict, List, Optional

from .options import Options, shown_number

_NAMED_MAX = 20


@dataclass(frozen=True)
class Trial:
    passed: bool
    expected: Optional[str]
    """None in hidden suites."""
    found: Optional[str]
    latency_ms: Optional[float]


@dataclass(frozen=True)
class Item:
    id: str
    group: str
    trials: List[Trial]

    @property
    def verdict(self) -> str:
        """``passing``, ``flaky``, ``failing`` or ``ungraded``."""
        if not self.trials:
            return "ungraded"
        passed = sum(trial.passed for trial in self.trials)
        if passed == len(self.trials):
            return "passing"
        return "failing" if passed == 0 else "flaky"


@dataclass(frozen=True)
class Change:
    """The comparison with the baseline. The lists are empty for products whose cases differ in every run."""

    baseline: str
    comparison: Any
    """What the hub returned."""
    verdict: str
    """``better``, ``worse`` or ``no clear change``."""
    p: Optional[float]
    broken: List[str]
    fixed: List[str]
    flaky_now: List[str]


@dataclass(frozen=True)
class Bar:
    flag: str
    held: bool
    message: str


@dataclass(frozen=True)
class Outcome:
    run: Dict[str, Any]
    pass_rate: Optional[Dict[str, float]]
    """``value``, ``low`` and ``high`` from 0 to 1; None for products that have none."""
    items: List[Item]
    change: Optional[Change]
    """None without ``--baseline``, and if there is no such run."""
    bars: List[Bar]
    program_faults: Dict[str, str]
    """By case: why the program has not replied."""


def measure_bars(
    options: Options,
    run: Dict[str, Any],
    pass_rate: Optional[Dict[str, float]],
    change: Optional[Change],
) -> List[Bar]:
    bars = []
    if options.min_pass is not None:
        rate, least = (pass_rate or {}).get("value", 0.0), shown_number(options.min_pass)
        message = f"the pass rate is {rate:.3f}, at least {least} is required"
        bars.append(Bar(f"--min-pass {least}", rate >= options.min_pass, message))
    if options.min_score is not None:
        score, least = run["score"] or 0.0, shown_number(options.min_score)
        message = f"the score is {score:.1f}, at least {least} is required"
        bars.append(Bar(f"--min-score {least}", score >= options.min_score, message))
    if options.fail_on is not None:
        bars.append(_compared_bar(options.fail_on, options.baseline, change))
    return bars


def _compared_bar(fail_on: str, baseline: Optional[str], change: Optional[Change]) -> Bar:
    flag = f"--fail-on {fail_on}"
    if change is None:
        return Bar(flag, True, f"there is no earlier run for --baseline {baseline}")
    if fail_on == "worse":
        p = "" if change.p is None else f" (p = {change.p:.3f})"
        is_clear = change.verdict != "no clear change"
        message = f"the run is {change.verdict}{p}" if is_clear else f"no clear change{p}"
        return Bar(flag, change.verdict != "worse", message)
    broken = change.broken
    if not broken:
        return Bar(flag, True, "no case broke")
    cases = "1 case broke" if len(broken) == 1 else f"{len(broken)} cases broke"
    more = f" and {len(broken) - _NAMED_MAX} more" if len(broken) > _NAMED_MAX else ""
    return Bar(flag, False, f"{cases}: {', '.join(broken[:_NAMED_MAX])}{more}")
