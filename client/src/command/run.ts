/** Orders a run, takes it to its end, and reads what it says, for each product. */
import type {
  RedemptionResponse,
  Run,
  RunCancelled,
  RunList,
  RunRegraded,
  RunResponse,
  SuiteDetail,
  SuiteResponse,
  SuiteVersionResponse,
} from '../api-types.ts';
import { type AnswerCase, pullCases } from '../evaluate.ts';
import { HubError } from '../hub-error.ts';
import { redeem } from '../redeem.ts';
import { pause } from '../send.ts';
import { ask, type Connection, NotPossible } from './connection.ts';
import { type Options, orderOf } from './options.ts';
import { ProgramFault, ProgramGone } from './program-texts.ts';
import type { ProgramAgent } from './programs.ts';
import { OddReply } from '../reply-fields.ts';

/** The version of a suite that is run. */
export type Suite = Pick<SuiteDetail, 'ref' | 'version' | 'size' | 'judges'>;

const pollMs = 1_000;
/** A program that replies to none of the first cases is broken. */
const faultsMax = 3;

export async function readRun(hub: Connection, id: string): Promise<Run> {
  return ((await ask(hub, 'GET', `/v1/runs/${id}`)) as RunResponse).run;
}

/** @param version the newest if undefined */
export async function readSuite(hub: Connection, ref: string, version: number | undefined): Promise<Suite> {
  const { suite } = (await ask(hub, 'GET', `/v1/suites/${ref}`)) as SuiteResponse;
  if (version === undefined || version === suite.version) return suite;
  const older = await ask(hub, 'GET', `/v1/suites/${ref}/versions/${version}`);
  return { ref, ...(older as SuiteVersionResponse).version };
}

/** Refuses a run that the hub could not compare with, before a run is spent. */
export async function checkBaseline(
  hub: Connection,
  { baseline, product }: Options,
  suite: Suite | null,
): Promise<void> {
  if (baseline === undefined || baseline === 'latest' || baseline.startsWith('branch:')) return;
  const run = await readRun(hub, baseline);
  if (run.status !== 'completed') {
    throw new NotPossible(
      `The run ${baseline} of --baseline is ${run.status}. Name a completed run, or use latest.`,
    );
  }
  if (run.product === product && (suite === null || suite.ref === run.suite.name)) return;
  const of = `${run.product} ${run.suite.name}`;
  throw new NotPossible(
    `The run ${baseline} of --baseline is of ${of}. Name a run of the same suite, or use latest.`,
  );
}

/** Grades the stored replies of `--regrade` by the version of the suite. */
export async function regrade(
  hub: Connection,
  { regrade: wanted = '', label }: Options,
  { ref, version }: Suite,
): Promise<Run> {
  const filter = new URLSearchParams({ suite: ref, status: 'completed', limit: '1' });
  const ofLabel = /^branch:(.+)$/.exec(wanted)?.[1];
  if (ofLabel !== undefined) filter.set('label', ofLabel);
  const found =
    wanted === 'latest' || ofLabel !== undefined
      ? ((await ask(hub, 'GET', `/v1/runs?${filter.toString()}`)) as RunList).runs[0]
      : await readRun(hub, wanted);
  if (found === undefined) {
    const labelled = ofLabel === undefined ? '' : ` with the label ${ofLabel}`;
    throw new NotPossible(`There is no completed run of ${ref}${labelled} to regrade.`);
  }
  if (found.suite.name !== ref) {
    throw new NotPossible(
      `--regrade names run ${found.id}, which is a run of ${found.suite.name}. Name a run of ${ref}, or use latest.`,
    );
  }
  return ((await ask(hub, 'POST', `/v1/runs/${found.id}/regrade`, { version, label })) as RunRegraded).run;
}

export async function order(
  hub: Connection,
  options: Options,
  suite: Suite | null,
  onWait: (refusal: HubError) => void,
): Promise<Run> {
  const { product, only, baseline, target } = options;
  const fields = {
    product,
    ...orderOf(options),
    ...(suite === null ? {} : { suite: suite.ref, version: suite.version }),
    ...(only === undefined || baseline === undefined ? {} : { baseline }),
    ...(target === null ? {} : { target }),
  };
  const askHub = (method: string, path: string, body: object) => ask(hub, method, path, body);
  return ((await redeem(askHub, fields, { signal: hub.signal, onWait })) as RedemptionResponse).run;
}

interface Progress {
  readonly run: Run;
  readonly agent: ProgramAgent | null;
  readonly onProgress: (done: number, total: number) => void;
}

/** @returns the ended run */
export async function finish(
  hub: Connection,
  options: Options,
  { run, agent, onProgress }: Progress,
): Promise<Run> {
  if (agent !== null) {
    const answer = watchProgram(agent);
    const { total } = run.progress;
    const onRemaining = (remaining: number): void => onProgress(total - remaining, total);
    await pullCases(hub, run.id, answer, {
      concurrency: options.concurrency,
      signal: hub.signal,
      onProgress: onRemaining,
      onError: (error) => {
        // The hub refuses one reply, not the run.
        if (![ProgramFault, OddReply, HubError].some((kind) => error instanceof kind)) throw error;
      },
    });
  }
  for (;;) {
    const now = await readRun(hub, run.id);
    if (agent === null) onProgress(now.progress.done, now.progress.total);
    if (now.status === 'completed' || now.status === 'failed') return now;
    await pause(pollMs, hub.signal);
  }
}

/** A case to which the program does not reply is an error. A program that replies to none of the first ones ends the run. */
function watchProgram(agent: ProgramAgent): AnswerCase {
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
      if (error instanceof ProgramGone || (!replied && faults >= faultsMax)) {
        throw new NotPossible(`The program of --cmd does not work. ${error.message}`);
      }
      throw error;
    }
  };
}

export function failureText({ id, failure }: Run): string {
  if (failure === null) return `The run ${id} failed.`;
  const { code, message, cause } = failure;
  const expected = cause?.expected == null ? '' : ` Expected: ${cause.expected}`;
  const excerpt =
    cause?.excerpt == null ? '' : ` The target returned: ${JSON.stringify(cause.excerpt.slice(0, 200))}`;
  return `The run ${id} failed: ${code}: ${message}${expected}${excerpt}`;
}

/** @returns what became of the run and its charge */
export async function cancel(hub: Connection, run: Run): Promise<string> {
  try {
    const ended = (await ask(hub, 'POST', `/v1/runs/${run.id}/cancel`, {})) as RunCancelled;
    const paid =
      ended.run.charge.state === 'refunded' ? 'It is refunded.' : 'It had begun, so it stays charged.';
    return `The run ${run.id} is cancelled. ${paid}`;
  } catch (error) {
    if (error instanceof HubError && error.code.endsWith('_ended'))
      return `The run ${run.id} had already ended.`;
    const reason = error instanceof Error ? error.message : 'unknown';
    return `The run ${run.id} could not be cancelled (${reason}). It ends by itself at its time limit.`;
  }
}

/** What the hub decided; it has further fields. */
export interface Report {
  readonly outcome: 'held' | 'fell_short' | 'not_possible';
}

const reportFlags = ['baseline', 'min-pass', 'min-score', 'fail-on', 'min-compared'] as const;

/** The bars are decided by the hub, on exact counts. */
export function reportPath({ id }: Run, options: Options, format: string): string {
  const query = new URLSearchParams({ format });
  for (const name of reportFlags) {
    const value = options[name];
    if (value !== undefined) query.set(name.replaceAll('-', '_'), String(value));
  }
  return `/v1/runs/${id}/report?${query.toString()}`;
}
