/** An outcome as text, Markdown and JUnit XML. Texts of agents and suites are shown as data. */
import { type Item, type Outcome, type Trial, verdictOf } from './outcome.ts';

interface Section {
  readonly title: string;
  readonly items: readonly Item[];
}

/** Of a section in a text or in Markdown. */
const listedMax = 50;
const shownCharacters = 160;

const isOf = (ids: ReadonlySet<string>) => (item: Item) => ids.has(item.id);

/** Broken cases first, then the other failing ones. */
function sectionsOf({ items, change }: Outcome): readonly Section[] {
  const broken = new Set(change?.broken);
  const flakyNow = new Set(change?.flakyNow);
  const others = items.filter(({ id }) => !broken.has(id) && !flakyNow.has(id));
  const sections = [
    { title: 'Broken since the baseline', items: items.filter(isOf(broken)) },
    { title: 'Flaky since the baseline', items: items.filter(isOf(flakyNow)) },
    { title: 'Failing', items: others.filter((item) => verdictOf(item) === 'failing') },
    { title: 'Flaky', items: others.filter((item) => verdictOf(item) === 'flaky') },
    { title: 'Fixed since the baseline', items: items.filter(isOf(new Set(change?.fixed))) },
  ];
  return sections.filter((section) => section.items.length > 0);
}

function headline({ run, passRate, items }: Outcome): string {
  const passing = items.filter((item) => verdictOf(item) === 'passing').length;
  const others = (['flaky', 'ungraded'] as const)
    .map((verdict) => [items.filter((item) => verdictOf(item) === verdict).length, verdict] as const)
    .map(([count, verdict]) => (count === 0 ? '' : `, ${count} ${verdict}`));
  const range =
    passRate === null
      ? run.interval === null
        ? ''
        : ` (95% interval ${run.interval.low.toFixed(1)} to ${run.interval.high.toFixed(1)})`
      : ` (95% interval ${percent(passRate.low)} to ${percent(passRate.high)})`;
  const value =
    passRate === null
      ? `score ${(run.score ?? 0).toFixed(1)} of 100`
      : `pass rate ${percent(passRate.value)}`;
  const unit = run.product === 'agent-run' ? 'tasks' : 'cases';
  return `${value}${range}, ${passing} of ${items.length} ${unit} passed${others.join('')}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}

function nameOf({ run }: Outcome): string {
  return `${run.suite.name} version ${run.suite.version}`;
}

function comparedLine({ change }: Outcome): string | null {
  if (change === null) return null;
  const p = change.p === null ? '' : ` (p = ${change.p.toFixed(3)})`;
  const moved = [
    change.broken.length === 0 ? '' : `, ${change.broken.length} broken`,
    change.fixed.length === 0 ? '' : `, ${change.fixed.length} fixed`,
  ].join('');
  return `Compared with run ${change.baseline}: ${change.verdict}${p}${moved}`;
}

/** Of the first trial that failed. */
function failedTrial({ trials }: Item): Trial | undefined {
  return trials.find((trial) => !trial.passed);
}

/** @param show how a text of a stranger is written */
function reasonOf(item: Item, { programFaults }: Outcome, show: (text: string) => string): string {
  const fault = programFaults.get(item.id);
  if (fault !== undefined) return show(fault);
  const trial = failedTrial(item);
  if (trial === undefined) return '';
  if (trial.expected === null && trial.found === null) return 'expected and found are hidden';
  return `expected ${show(trial.expected ?? 'what is hidden')}, found ${show(trial.found ?? '')}`;
}

/** One line, without control characters. */
function lineOf(text: string): string {
  const characters = Array.from(
    text
      .replaceAll(/\s+/g, ' ')
      .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '\uFFFD')
      .trim(),
  );
  if (characters.length <= shownCharacters) return characters.join('');
  return `${characters.slice(0, shownCharacters).join('')}…`;
}

function plain(text: string): string {
  return lineOf(text) || 'nothing';
}

export function textReport(outcome: Outcome): string {
  const { run, bars } = outcome;
  const lines = [`${nameOf(outcome)}: ${headline(outcome)}`, `Run ${run.id}`];
  const compared = comparedLine(outcome);
  if (compared !== null) lines.push(compared);
  for (const { title, items } of sectionsOf(outcome)) {
    lines.push('', `${title} (${items.length})`);
    for (const item of items.slice(0, listedMax)) {
      const reason = reasonOf(item, outcome, plain);
      lines.push(`  ${item.id}${reason === '' ? '' : `: ${reason}`}`);
    }
    if (items.length > listedMax) lines.push(`  and ${items.length - listedMax} more`);
  }
  lines.push(
    '',
    ...bars.map(({ flag, held, message }) => `${held ? 'Held' : 'FELL SHORT'}: ${flag}: ${message}.`),
  );
  if (bars.length === 0) lines.push('Held: no bar was set.');
  return `${lines.join('\n')}\n`;
}

export function markdownReport(outcome: Outcome): string {
  const { run, bars } = outcome;
  const fell = bars.some(({ held }) => !held);
  const verdict = bars.length === 0 ? 'no bar was set' : fell ? 'a bar fell short' : 'all bars held';
  const lines = [`## ${code(nameOf(outcome))}: ${verdict}`];
  if (bars.length > 0) lines.push('');
  lines.push(
    ...bars.map(
      ({ flag, held, message }) => `- ${held ? 'Held' : '**Fell short**'}: ${code(flag)}: ${code(message)}`,
    ),
  );
  for (const { title, items } of sectionsOf(outcome)) {
    lines.push('', `### ${title} (${items.length})`, '');
    for (const item of items.slice(0, listedMax)) {
      const reason = reasonOf(item, outcome, code);
      lines.push(`- ${code(item.id)}${reason === '' ? '' : `: ${reason}`}`);
    }
    if (items.length > listedMax) lines.push(`- and ${items.length - listedMax} more`);
  }
  lines.push('', `Result: ${headline(outcome)}. Run ${code(run.id)}.`);
  const compared = comparedLine(outcome);
  if (compared !== null) lines.push('', `${compared}.`);
  return `${lines.join('\n')}\n`;
}

/** A code span: nothing in it is markup, a link or the mention of a user. */
function code(text: string): string {
  const line = lineOf(text);
  const longest = Math.max(0, ...Array.from(line.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return line === '' ? 'nothing' : longest === 0 ? `${fence}${line}${fence}` : `${fence} ${line} ${fence}`;
}

/** One test case an item. An item that fails in all trials is a failure; a flaky one passes, as in Maven. */
export function junitReport(outcome: Outcome): string {
  const { run, items } = outcome;
  const first = new Set(sectionsOf(outcome).flatMap((section) => section.items));
  const ordered = [...first, ...items.filter((item) => !first.has(item))];
  const [failures, skipped] = (['failing', 'ungraded'] as const).map(
    (verdict) => items.filter((item) => verdictOf(item) === verdict).length,
  );
  const name = attribute(nameOf(outcome));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="agent-hub" tests="${items.length}" failures="${failures}">`,
    `  <testsuite name="${name}" tests="${items.length}" failures="${failures}" errors="0" skipped="${skipped}" time="${secondsOf(items.flatMap(({ trials }) => trials))}">`,
    `    <properties><property name="run" value="${attribute(run.id)}"/></properties>`,
    ...ordered.map((item) => testCase(item, outcome)),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function testCase(item: Item, outcome: Outcome): string {
  const head = `    <testcase classname="${attribute(item.group)}" name="${attribute(item.id)}" time="${secondsOf(item.trials)}"`;
  const verdict = verdictOf(item);
  if (verdict === 'passing') return `${head}/>`;
  if (verdict === 'ungraded') return `${head}><skipped message="no verdict"/></testcase>`;
  const failed = item.trials.filter((trial) => !trial.passed);
  const elements = failed.map((trial, index) => {
    const element = verdict === 'flaky' ? 'flakyFailure' : index === 0 ? 'failure' : 'rerunFailure';
    const reason = reasonOf({ ...item, trials: [trial] }, outcome, plain);
    return `      <${element} type="verdict" message="${attribute(reason)}"/>`;
  });
  return `${head}>\n${elements.join('\n')}\n    </testcase>`;
}

function secondsOf(trials: readonly Trial[]): string {
  return (trials.reduce((total, { latencyMs }) => total + (latencyMs ?? 0), 0) / 1_000).toFixed(3);
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Control characters have been replaced: XML 1.0 has no form for them. */
function attribute(text: string): string {
  return lineOf(text).replaceAll(/[&<>"]/g, (character) => entities[character] ?? '');
}
