/**
 * JUnit's XML with one test case an item, and Maven's elements for what was tried again: an item that passed in no
 * trial has `failure` (or `error`) and one `rerunFailure` (or `rerunError`) for each further trial; one that passed in
 * some has `flakyFailure` (or `flakyError`) for each of the others, and counts as passed. Reason, reply and the address of
 * the run are the content of elements, because GitLab shows nothing else. Names of classes stay the same from version to
 * version, so that other tools find the history of a test. A case is named by its title, and its id is the `group`, the
 * only attribute that the schema of Jenkins has for it.
 */
import { pointsText } from '../rates.ts';
import { idsText } from '../report/bars.ts';
import { whatIsMissing, whyNone } from '../report/summary.ts';
import type { ExportedItem, ExportedRun, ExportedTrial } from './run-export.ts';

export interface JunitNotes {
  /** The cases of the run compared with that the suite no longer has. */
  readonly gone?: readonly string[] | undefined;
  /** Why `evaluate` does not exit with 0. The reason need not be a failed case, and there may be none. */
  readonly notHeld?: { readonly outcome: 'fell_short' | 'not_possible'; readonly why: string } | undefined;
}

export async function* exportJunit(
  run: ExportedRun,
  { gone = [], notHeld }: JunitNotes = {},
): AsyncGenerator<string> {
  const count = { passed: 0, failure: 0, error: 0 };
  const names = new Map<string, number>();
  let [tests, ms] = [0, 0];
  const tag = notHeld?.outcome === 'fell_short' ? 'failure' : 'error';
  if (notHeld !== undefined) [tests, count[tag]] = [1, 1];
  for await (const item of run.items()) {
    tests += 1;
    count[verdictOf(item)] += 1;
    ms += msOf(item.trials);
    const name = item.title ?? item.id;
    names.set(name, (names.get(name) ?? 0) + 1);
  }
  const suite = `${run.suite.name} ${run.suite.version}`;
  const counts = { name: suite, tests, failures: count.failure, errors: count.error, time: secondsOf(ms) };
  const timestamp = run.createdAt.toISOString().slice(0, 19);
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${attributes(counts)}>\n`;
  yield `<testsuite${attributes({ ...counts, timestamp })}>\n`;
  yield '<properties>\n';
  const properties = {
    run: run.id,
    address: run.address,
    product: run.product,
    agent: run.agent,
    score: pointsText(run.score),
    ...(run.judgedCases.length === 0 ? {} : { cases_judged_by_runner: String(run.judgedCases.length) }),
    ...(run.partialCases.length === 0 ? {} : { cases_with_lost_assertions: run.partialCases.join(' ') }),
    ...(run.leftOutCases === 0 ? {} : { cases_left_out_at_import: String(run.leftOutCases) }),
    ...(run.overruledCases.length === 0 ? {} : { cases_overruled: run.overruledCases.join(' ') }),
    ...(gone.length === 0 ? {} : { cases_gone: idsText(gone) }),
  };
  for (const [name, value] of Object.entries(properties)) yield `<property${attributes({ name, value })}/>\n`;
  yield '</properties>\n';
  if (notHeld !== undefined) {
    const { outcome: type, why: message } = notHeld;
    const named = { name: 'bars', classname: run.suite.name, time: secondsOf(0) };
    yield element('testcase', named, element(tag, { message, type }, ''));
  }
  for await (const item of run.items()) yield testCase(item, namesOf(item, names), run);
  yield '</testsuite>\n</testsuites>\n';
}

type Verdict = 'passed' | 'failure' | 'error';

function verdictOf({ trials }: ExportedItem): Verdict {
  if (trials.some(({ status }) => status === 'passed')) return 'passed';
  return trials[0]?.status === 'failed' ? 'failure' : 'error';
}

/** Tools treat two tests with one name as the same, so a title that is another's title or id is followed by the id. */
function namesOf({ id, title }: ExportedItem, names: ReadonlyMap<string, number>) {
  if (title === undefined) return { name: id };
  return { name: names.get(title) === 1 ? title : `${title} (${id})`, group: id };
}

function testCase(item: ExportedItem, names: Readonly<Record<string, string>>, run: ExportedRun): string {
  const named = { ...names, classname: run.suite.name, time: secondsOf(msOf(item.trials)) };
  const verdict = verdictOf(item);
  const bad = item.trials.filter(({ status }) => status !== 'passed');
  const [first] = bad;
  if (first === undefined) {
    const [passed] = item.trials.filter(({ judgedBy, review }) => judgedBy !== null || review !== null);
    if (passed === undefined) return `<testcase${attributes(named)}/>\n`;
    return element('testcase', named, element('system-out', {}, escapeXml(contentOf(passed, run))));
  }
  if (verdict === 'passed') {
    return element('testcase', named, bad.map((trial) => again('flaky', trial, run)).join(''));
  }
  const found = element(verdict, headOf(first), escapeXml(contentOf(first, run)));
  const further = bad.slice(1).map((trial) => again('rerun', trial, run));
  return element('testcase', named, [found, ...further].join(''));
}

function again(why: 'flaky' | 'rerun', trial: ExportedTrial, run: ExportedRun): string {
  const name = `${why}${trial.status === 'failed' ? 'Failure' : 'Error'}`;
  return element(name, headOf(trial), element('stackTrace', {}, escapeXml(contentOf(trial, run))));
}

function headOf({ trial, status, error }: ExportedTrial) {
  return { message: `trial ${trial}: ${error ?? status}`, type: error ?? status };
}

function contentOf(trial: ExportedTrial, { address }: ExportedRun): string {
  const { expected, found, explanation, reply, status, judgedBy, review } = trial;
  return [
    status === 'error' ? `${whatIsMissing(trial)}: ${whyNone(trial)}` : explanation,
    expected === null ? null : `expected: ${expected}`,
    found === null ? null : `found: ${found}`,
    judgedBy === null ? null : `judged by the runner: ${judgedBy}`,
    review === null ? null : `review: ${review}`,
    reply === null ? null : `reply: ${reply}`,
    `run: ${address}`,
  ]
    .filter((line) => line !== null)
    .join('\n');
}

function msOf(trials: readonly ExportedTrial[]): number {
  return trials.reduce((sum, { latencyMs }) => sum + (latencyMs ?? 0), 0);
}

function secondsOf(ms: number): string {
  return (ms / 1_000).toFixed(3);
}

function element(name: string, given: Readonly<Record<string, string | number>>, inner: string): string {
  return `<${name}${attributes(given)}>${inner}</${name}>\n`;
}

function attributes(given: Readonly<Record<string, string | number>>): string {
  return Object.entries(given)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join('');
}

/** Also for attributes. Characters that XML 1.0 forbids, even as references, are dropped. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll(/[&<>"'\t\r\n]/g, (character) => `&#${character.charCodeAt(0)};`);
}
