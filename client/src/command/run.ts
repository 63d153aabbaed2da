/** Orders a run, takes it to its end, and reads what it says, for each product. */
import { pullCases, rejectionBy } from '../evaluate.ts';
import { HubError } from '../hub-error.ts';
import { pause } from '../send.ts';
import { ask, type Connection, NotPossible } from './connection.ts';
import type { Options } from './options.ts';
import type { Change, Item, Outcome, Run } from './outcome.ts';
import { type ProgramAgent, ProgramFault, ProgramGone } from './programs.ts';
import { type AnswerItem, readTasks, workOnTasks } from './tasks.ts';

export interface Suite {
  readonly ref: string;
  readonly version: number | null;
}

const pollMs = 1_000;
const pageMax = 100;
/** How far back a baseline is looked for. */
const pagesMax = 20;
/** A program that replies to none of the first cases is broken. */
const faultsMax = 3;

const paths: Readonly<Record<string, string>> = { 'eval-run': 'eval-jobs', 'agent-run': 'agent-runs' };

function pathOf({ id, product }: Pick<Run, 'id' | 'product'>): string {
  return `/v1/${paths[product] ?? 'runs'}/${id}`;
}

async function readRun(hub: Connection, id: string): Promise<Run> {
  const { run } = (await ask(hub, 'GET', `/v1/runs/${id}`)) as { readonly run: Run };
  return run;
}

/** @returns null if there is no such run */
export async function findBaseline(
  hub: Connection,
  options: Options,
  suite: Suite | null,
): Promise<Run | null> {
  const { baseline, product } = options;
  if (baseline === null) return null;
  const isSame = (run: Run) => run.product === product && (suite === null || suite.ref === run.suite.name);
  if (baseline !== 'latest' && !baseline.startsWith('branch:')) {
    const run = await readRun(hub, baseline);
    if (run.status !== 'completed') {
      throw new NotPossible(
        `The run ${baseline} of --baseline is ${run.status}. Name a completed run, or use latest.`,
      );
    }
    if (isSame(run)) return run;
    const of = `${run.product} ${run.suite.name}`;
    throw new NotPossible(
      `The run ${baseline} of --baseline is of ${of}. Name a run of the same suite, or use latest.`,
    );
  }
  const filter = new URLSearchParams({ product, status: 'completed', limit: String(pageMax) });
  if (suite !== null) filter.set('suite', suite.ref);
  if (baseline !== 'latest') filter.set('label', baseline.slice('branch:'.length));
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const page = (await ask(hub, 'GET', `/v1/runs?${filter.toString()}`)) as {
      readonly runs: readonly Run[];
      readonly next_cursor: string | null;
    };
    // Cancelled runs are incomplete.
    const found = page.runs.find(({ cancelled }) => cancelled === undefined);
    if (found !== undefined) return found;
    if (page.next_cursor === null) break;
    filter.set('cursor', page.next_cursor);
  }
  return null;
}

export async function order(hub: Connection, options: Options, suite: Suite | null): Promise<Run> {
  const { product, trials, label, target } = options;
  const redeemed = (await ask(hub, 'POST', '/v1/redemptions', {
    product,
    ...(suite === null ? {} : { suite: suite.ref }),
    ...(suite === null || suite.version === null ? {} : { version: suite.version }),
    ...(trials === null ? {} : { trials }),
    ...(label === null ? {} : { label }),
    ...(target === null ? {} : { target }),
  })) as { readonly run?: Run; readonly eval_job?: Run; readonly agent_run?: Run };
  const run = redeemed.run ?? redeemed.eval_job ?? redeemed.agent_run;
  if (run === undefined) throw new NotPossible('The hub did not return a run. It may be of another version.');
  return run;
}

interface Progress {
  readonly onProgress: (done: number, total: number) => void;
  /** By case. */
  readonly programFaults: Map<string, string>;
}

/** @returns the ended run */
export async function finish(
  hub: Connection,
  options: Options,
  {
    run,
    agent,
    onProgress,
    programFaults,
  }: Progress & { readonly run: Run; readonly agent: ProgramAgent | null },
): Promise<Run> {
  if (agent !== null) {
    const answer = watchProgram(agent, programFaults);
    const { total } = run.progress;
    const onRemaining = (remaining: number): void => onProgress(total - remaining, total);
    if (run.product === 'agent-run') {
      const work = workOnTasks(hub, pathOf(run), answer, onRemaining);
      await Promise.race([work, rejectionBy(hub.signal)]);
    } else {
      await pullCases(hub, pathOf(run), answer, {
        concurrency: options.concurrency,
        signal: hub.signal,
        onProgress: onRemaining,
        onError: (error) => {
          if (!(error instanceof ProgramFault)) throw error;
        },
      });
    }
  }
  for (;;) {
    const now = await readRun(hub, run.id);
    if (agent === null) onProgress(now.progress.done, now.progress.total);
    if (now.status === 'completed' || now.status === 'failed') return now;
    await pause(pollMs, hub.signal);
  }
}

/** A case to which the program does not reply is an error. A program that replies to none of the first ones ends the run. */
function watchProgram(agent: ProgramAgent, programFaults: Map<string, string>): AnswerItem {
  let replied = false;
  let faults = 0;
  return async (prompt, evalCase) => {
    try {
      const reply = await agent.answer(prompt, evalCase);
      replied = true;
      return reply;
    } catch (error) {
      if (!(error instanceof ProgramFault)) throw error;
      faults += 1;
      // With several trials, the id of a case ends with the number of the trial.
      programFaults.set(evalCase.case_id.replace(/\/\d+$/, ''), error.message);
      if (error instanceof ProgramGone || (!replied && faults >= faultsMax)) {
        throw new NotPossible(`The program of --cmd does not work. ${error.message}`);
      }
      throw error;
    }
  };
}

export function failureText({ id, failure, charge }: Run): string {
  if (failure === null) return `The run ${id} failed.`;
  const { code, message, cause } = failure;
  const expected = cause?.expected == null ? '' : ` Expected: ${cause.expected}`;
  const excerpt =
    cause?.excerpt == null ? '' : ` The target returned: ${JSON.stringify(cause.excerpt.slice(0, 200))}`;
  return `The run ${id} failed: ${code}: ${message}${expected}${excerpt} The charge is ${charge.state}.`;
}

/** @returns what became of the run and its charge */
export async function cancel(hub: Connection, run: Run): Promise<string> {
  try {
    const ended = (await ask(hub, 'POST', `${pathOf(run)}/cancel`, {})) as {
      readonly run?: Run;
      readonly eval_job?: Run;
      readonly agent_run?: Run;
    };
    const charge = (ended.run ?? ended.eval_job ?? ended.agent_run)?.charge;
    const paid = charge?.state === 'refunded' ? 'It is refunded.' : 'It had begun, so it stays charged.';
    return `The run ${run.id} is cancelled. ${paid}`;
  } catch (error) {
    if (error instanceof HubError && error.code.endsWith('_ended'))
      return `The run ${run.id} had already ended.`;
    const reason = error instanceof Error ? error.message : 'unknown';
    return `The run ${run.id} could not be cancelled (${reason}). It ends by itself at its time limit.`;
  }
}

interface StoredCase {
  readonly id: string;
  readonly category: string;
  readonly status: string;
  readonly expected: string | null;
  readonly found: string | null;
  readonly latency_ms: number | null;
}

interface SuiteTrial {
  readonly status: 'passed' | 'failed' | 'error' | 'ungraded';
  readonly graders: readonly {
    readonly passed: boolean;
    readonly expected: string | null;
    readonly found: string | null;
  }[];
  readonly latency_ms: number | null;
}

interface SuiteRun {
  readonly result: { readonly pass_rate: NonNullable<Outcome['passRate']> };
  readonly cases: readonly { readonly case_id: string; readonly trials: readonly SuiteTrial[] }[];
}

export async function readResult(hub: Connection, run: Run): Promise<Pick<Outcome, 'passRate' | 'items'>> {
  if (run.product === 'suite-run') {
    const { run: detail } = (await ask(hub, 'GET', `/v1/runs/${run.id}?include=cases`)) as {
      readonly run: SuiteRun;
    };
    const items = detail.cases.map(({ case_id: id, trials }): Item => ({
      id,
      group: run.suite.name,
      // Replies without a verdict count neither way.
      trials: trials.filter(({ status }) => status !== 'ungraded').map(suiteTrial),
    }));
    return { passRate: detail.result.pass_rate, items };
  }
  if (run.product === 'agent-run') return { passRate: null, items: await readTasks(hub, pathOf(run)) };
  const { eval_job: job } = (await ask(hub, 'GET', `${pathOf(run)}?include=cases`)) as {
    readonly eval_job: { readonly cases: readonly StoredCase[] };
  };
  const items = job.cases.map(({ id, category, status, expected, found, latency_ms: latencyMs }): Item => ({
    id,
    group: category,
    trials: [{ passed: status === 'passed', expected, found, latencyMs }],
  }));
  return { passRate: null, items };
}

function joined(texts: readonly (string | null)[]): string | null {
  const known = texts.filter((text) => text !== null);
  return known.length === 0 ? null : [...new Set(known)].join('; ');
}

function suiteTrial({ status, graders, latency_ms: latencyMs }: SuiteTrial) {
  const failed = graders.filter(({ passed }) => !passed);
  return {
    passed: status === 'passed',
    expected: joined(failed.map(({ expected }) => expected)),
    found: joined(failed.map(({ found }) => found)),
    latencyMs,
  };
}

interface ScoreComparison {
  readonly score: {
    readonly outcome: 'better' | 'worse' | 'same';
    readonly clear: boolean;
    readonly p: number;
  };
}

interface CaseComparison {
  readonly verdict: Change['verdict'];
  readonly p: number;
  readonly broken: readonly string[];
  readonly fixed: readonly string[];
  readonly flaky_now: readonly string[];
}

export async function compare(hub: Connection, baseline: Run, run: Run): Promise<Change> {
  const { comparison } = (await ask(hub, 'GET', `${pathOf(baseline)}/compare/${run.id}`)) as {
    readonly comparison: ScoreComparison | CaseComparison;
  };
  const change = { baseline: baseline.id, comparison };
  if ('verdict' in comparison) {
    const { verdict, p, broken, fixed, flaky_now: flakyNow } = comparison;
    return { ...change, verdict, p, broken, fixed, flakyNow };
  }
  const { outcome, clear, p } = comparison.score;
  const verdict = clear && outcome !== 'same' ? outcome : 'no clear change';
  return { ...change, verdict, p, broken: [], fixed: [], flakyNow: [] };
}
