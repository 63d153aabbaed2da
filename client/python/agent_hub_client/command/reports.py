"""An outcome as text, Markdown and JUnit XML. Texts of agents and suites are shown as data."""

import re
from dataclasses import replace
from typing import Callable, List, Optional, Tuple

from .options import is_control
from .outcome import Item, Outcome, Trial

_LISTED_MAX = 50
"""Of a section in a text or in Markdown."""
_SHOWN_CHARACTERS = 160
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}


def text_report(outcome: Outcome) -> str:
    lines = [f"{_name_of(outcome)}: {_headline(outcome)}", f"Run {outcome.run['id']}"]
    compared = _compared_line(outcome)
    if compared is not None:
        lines.append(compared)
    for title, items in _sections_of(outcome):
        lines += ["", f"{title} ({len(items)})"]
        for item in items[:_LISTED_MAX]:
            reason = _reason_of(item, outcome, _plain)
            lines.append(f"  {item.id}: {reason}" if reason else f"  {item.id}")
        if len(items) > _LISTED_MAX:
            lines.append(f"  and {len(items) - _LISTED_MAX} more")
    lines.append("")
    for bar in outcome.bars:
        lines.append(f"{'Held' if bar.held else 'FELL SHORT'}: {bar.flag}: {bar.message}.")
    if not outcome.bars:
        lines.append("Held: no bar was set.")
    return "\n".join(lines) + "\n"


def markdown_report(outcome: Outcome) -> str:
    fell = any(not bar.held for bar in outcome.bars)
    verdict = "no bar was set" if not outcome.bars else "a bar fell short" if fell else "all bars held"
    lines = [f"## {_code(_name_of(outcome))}: {verdict}"]
    if outcome.bars:
        lines.append("")
    for bar in outcome.bars:
        lines.append(f"- {'Held' if bar.held else '**Fell short**'}: {_code(bar.flag)}: {_code(bar.message)}")
    for title, items in _sections_of(outcome):
        lines += ["", f"### {title} ({len(items)})", ""]
        for item in items[:_LISTED_MAX]:
            reason = _reason_of(item, outcome, _code)
            lines.append(f"- {_code(item.id)}: {reason}" if reason else f"- {_code(item.id)}")
        if len(items) > _LISTED_MAX:
            lines.append(f"- and {len(items) - _LISTED_MAX} more")
    lines += ["", f"Result: {_headline(outcome)}. Run {_code(outcome.run['id'])}."]
    compared = _compared_line(outcome)
    if compared is not None:
        lines += ["", f"{compared}."]
    return "\n".join(lines) + "\n"


def junit_report(outcome: Outcome) -> str:
    """One test case an item. An item that fails in all trials is a failure; a flaky one passes, as in Maven."""
    items = outcome.items
    first = {item.id: item for _, section in _sections_of(outcome) for item in section}
    ordered = list(first.values()) + [item for item in items if item.id not in first]
    failures = sum(item.verdict == "failing" for item in items)
    skipped = sum(item.verdict == "ungraded" for item in items)
    seconds = _seconds_of([trial for item in items for trial in item.trials])
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="agent-hub" tests="{len(items)}" failures="{failures}">',
        f'  <testsuite name="{_attribute(_name_of(outcome))}" tests="{len(items)}" failures="{failures}"'
        f' errors="0" skipped="{skipped}" time="{seconds}">',
        f'    <properties><property name="run" value="{_attribute(outcome.run["id"])}"/></properties>',
        *(_test_case(item, outcome) for item in ordered),
        "  </testsuite>",
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def _test_case(item: Item, outcome: Outcome) -> str:
    head = (
        f'    <testcase classname="{_attribute(item.group)}" name="{_attribute(item.id)}"'
        f' time="{_seconds_of(item.trials)}"'
    )
    if item.verdict == "passing":
        return f"{head}/>"
    if item.verdict == "ungraded":
        return f'{head}><skipped message="no verdict"/></testcase>'
    elements = []
    for index, trial in enumerate(trial for trial in item.trials if not trial.passed):
        further = "failure" if index == 0 else "rerunFailure"
        element = "flakyFailure" if item.verdict == "flaky" else further
        reason = _reason_of(replace(item, trials=[trial]), outcome, _plain)
        elements.append(f'      <{element} type="verdict" message="{_attribute(reason)}"/>')
    return "\n".join([f"{head}>", *elements, "    </testcase>"])


def _sections_of(outcome: Outcome) -> List[Tuple[str, List[Item]]]:
    """Broken cases first, then the other failing ones."""
    items, change = outcome.items, outcome.change
    broken = set(change.broken if change else [])
    flaky_now = set(change.flaky_now if change else [])
    fixed = set(change.fixed if change else [])
    others = [item for item in items if item.id not in broken | flaky_now]
    sections = [
        ("Broken since the baseline", [item for item in items if item.id in broken]),
        ("Flaky since the baseline", [item for item in items if item.id in flaky_now]),
        ("Failing", [item for item in others if item.verdict == "failing"]),
        ("Flaky", [item for item in others if item.verdict == "flaky"]),
        ("Fixed since the baseline", [item for item in items if item.id in fixed]),
    ]
    return [section for section in sections if section[1]]


def _headline(outcome: Outcome) -> str:
    run, rate, items = outcome.run, outcome.pass_rate, outcome.items
    passing = sum(item.verdict == "passing" for item in items)
    others = ""
    for verdict in ("flaky", "ungraded"):
        count = sum(item.verdict == verdict for item in items)
        others += f", {count} {verdict}" if count > 0 else ""
    if rate is not None:
        value = f"pass rate {_percent(rate['value'])}"
        interval = f" (95% interval {_percent(rate['low'])} to {_percent(rate['high'])})"
    else:
        value, interval = f"score {run['score'] or 0:.1f} of 100", ""
        if run["interval"] is not None:
            interval = f" (95% interval {run['interval']['low']:.1f} to {run['interval']['high']:.1f})"
    unit = "tasks" if run["product"] == "agent-run" else "cases"
    return f"{value}{interval}, {passing} of {len(items)} {unit} passed{others}"


def _percent(share: float) -> str:
    return f"{share * 100:.1f}%"


def _name_of(outcome: Outcome) -> str:
    suite = outcome.run["suite"]
    return f"{suite['name']} version {suite['version']}"


def _compared_line(outcome: Outcome) -> Optional[str]:
    change = outcome.change
    if change is None:
        return None
    p = "" if change.p is None else f" (p = {change.p:.3f})"
    broken = f", {len(change.broken)} broken" if change.broken else ""
    fixed = f", {len(change.fixed)} fixed" if change.fixed else ""
    return f"Compared with run {change.baseline}: {change.verdict}{p}{broken}{fixed}"


def _reason_of(item: Item, outcome: Outcome, show: Callable[[str], str]) -> str:
    """
    :param show: how a text of a stranger is written
    """
    fault = outcome.program_faults.get(item.id)
    if fault is not None:
        return show(fault)
    trial: Optional[Trial] = next((trial for trial in item.trials if not trial.passed), None)
    if trial is None:
        return ""
    if trial.expected is None and trial.found is None:
        return "expected and found are hidden"
    expected = "what is hidden" if trial.expected is None else trial.expected
    return f"expected {show(expected)}, found {show(trial.found or '')}"


def _line_of(text: str) -> str:
    """One line, without control characters."""
    spaced = re.sub(r"\s+", " ", text)
    line = "".join("\ufffd" if is_control(character) else character for character in spaced).strip()
    return line if len(line) <= _SHOWN_CHARACTERS else f"{line[:_SHOWN_CHARACTERS]}…"


def _plain(text: str) -> str:
    return _line_of(text) or "nothing"


def _code(text: str) -> str:
    """A code span: nothing in it is markup, a link or the mention of a user."""
    line = _line_of(text)
    longest = max((len(run) for run in re.findall("`+", line)), default=0)
    fence = "`" * (longest + 1)
    if line == "":
        return "nothing"
    return f"{fence}{line}{fence}" if longest == 0 else f"{fence} {line} {fence}"


def _seconds_of(trials: List[Trial]) -> str:
    return f"{sum(trial.latency_ms or 0 for trial in trials) / 1_000:.3f}"


def _attribute(text: str) -> str:
    """Control characters have been replaced: XML 1.0 has no form for them."""
    return re.sub(r'[&<>"]', lambda found: _ENTITIES[found[0]], _line_of(text))
